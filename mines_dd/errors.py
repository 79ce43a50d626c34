"""What can be wrong: every error the package raises on purpose is a `MinesError`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

__all__ = [
    "BoardFormatError",
    "BudgetExceededError",
    "GraphFormatError",
    "InconsistentBoardError",
    "MinesError",
]


class MinesError(Exception):
    """The base of all errors of this package; its text is one sentence for the user."""


class BoardFormatError(MinesError):
    """A board that cannot be read or made.

    Attributes
    ----------
    line, column : int or None
        Where, counted from 1, if the text has such a place.
    """

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class GraphFormatError(MinesError):
    """A graph or an order that does not have the form it needs."""


class InconsistentBoardError(MinesError):
    """A board without any mine assignment.

    Attributes
    ----------
    hints : tuple of positions
        A minimal set of hints in conflict, if it was looked for.
    """

    def __init__(self, message: str, hints: Iterable[Any] = ()) -> None:
        super().__init__(message)
        self.hints = tuple(hints)


class BudgetExceededError(MinesError):
    """A compilation that needs more than it may use.

    Attributes
    ----------
    needed, allowed : number
        What was needed (at least) and what was allowed.
    unit : str
        "nodes", "seconds" or "bytes".
    """

    def __init__(self, message: str, *, needed: float, allowed: float | None, unit: str) -> None:
        super().__init__(message)
        self.needed = needed
        self.allowed = allowed
        self.unit = unit

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the numbers too: the error may come from another process."""
        return partial(type(self), needed=self.needed, allowed=self.allowed, unit=self.unit), self.args
