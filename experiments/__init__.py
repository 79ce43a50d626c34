"""One script per published table or figure; each runs as `python -m experiments.NAME` from the clone."""
