"""Other board games on the same machinery."""
