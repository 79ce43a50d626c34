"""One script per published table or figure; each runs as `python -m experiments.NAME` from the clone.

`python -m experiments` lists them, `python -m experiments all --quick` runs all in a small size.  `harness` says what
an experiment is made of; `sweeps` runs its jobs, `shared` has the tables and colours, `report` the page of all.
"""
