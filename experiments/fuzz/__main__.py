"""`python -m experiments.fuzz`."""

from experiments.fuzz import main

main.start()
