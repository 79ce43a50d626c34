"""The characters that stand for cells in a board's grid, and their places."""

from __future__ import annotations

__all__ = ["CHARACTERS", "CLOSED", "DIGITS", "FLAG", "MINE", "Position"]

Position = tuple[int, int]
"""(row, column), counted from 0."""

CLOSED, FLAG, MINE, DIGITS = "#", "F", "*", "012345678"
"""A closed cell, one that the player has flagged, a mine known for certain, and the counts of opened cells."""

CHARACTERS = frozenset(CLOSED + FLAG + MINE + DIGITS)
"""All of them."""
