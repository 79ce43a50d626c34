"""The boards that the experiments measure on: squares, with the paper's shares of mines and hints."""

from __future__ import annotations

import random
from typing import Any

from experiments.sweeps import Job
from mines_dd import Board
from mines_dd.board.board import Position

__all__ = ["CASCADE", "closed_board", "drawn", "share"]

CASCADE = "cascade"
"""In place of a share of hints: opened by clicks, with the usual cascade."""


def drawn(job: Job) -> Board:
    """The board of a job with `size`, `mines`, `hints` and `seed`: percentages, of the cells and of the safe cells."""
    return Board.random(job["size"], job["size"], job["mines"] / 100, job["hints"] / 100, job["seed"])


def closed_board(job: Job) -> tuple[Board, list[Position], random.Random]:
    """The same board before its first click, its safe cells, and what draws the clicks."""
    board = drawn(job | {"hints": 0})
    assert board.layout is not None
    return board, [cell for cell in board.closed() if cell not in board.layout], random.Random(job["seed"])


def share(hints: Any) -> str:
    """A share of hints, or how they were opened.

    Examples
    --------
    >>> share(30), share(CASCADE)
    ('30%', 'cascade')
    """
    return hints if hints == CASCADE else f"{hints}%"
