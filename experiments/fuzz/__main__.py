"""`python -m experiments.fuzz`."""

from experiments.fuzz import main

if __name__ == "__main__":
    main.start()
