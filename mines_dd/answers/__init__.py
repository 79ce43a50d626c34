"""From a board to its answers: all assignments, probabilities, proofs."""
