"""Boards and systems of hints as degree constraints, and what simplifies them."""
