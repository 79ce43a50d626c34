"""The characters of a board's grid, and the type of a cell's position."""

from __future__ import annotations

__all__ = ["CHARACTERS", "CLOSED", "DIGITS", "FLAG", "MINE", "Position"]

Position = tuple[int, int]
"""(row, column), counted from 0."""

CLOSED, FLAG, MINE, DIGITS = "#", "F", "*", "012345678"
"""A closed cell, a closed cell that the player has flagged, a mine known for certain, and an opened cell's count."""

CHARACTERS = frozenset(CLOSED + FLAG + MINE + DIGITS)
"""All characters that a grid may have."""
