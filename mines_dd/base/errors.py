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
    "reason",
]


class MinesError(Exception):
    """The base of all errors of this package; its text is one sentence for the user."""


class BoardFormatError(MinesError):
    """A board that cannot be read or made.

    Attributes
    ----------
    line, column : int or None
        Where, counted from 1, if the text has such a place.

    Examples
    --------
    >>> from mines_dd import Board, BoardFormatError
    >>> try:
    ...     Board.parse("#1#/#x#")
    ... except BoardFormatError as error:
    ...     print(error.line, error.column)
    2 2
    """

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class GraphFormatError(MinesError):
    """A graph or an order that does not have the form it needs.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd import GraphFormatError, solve
    >>> try:
    ...     solve(nx.path_graph(3))
    ... except GraphFormatError as error:
    ...     print(error)  # doctest: +ELLIPSIS
    vertex ...
    """


class InconsistentBoardError(MinesError):
    """A board without any mine assignment.

    Attributes
    ----------
    hints : tuple of positions
        A minimal set of hints in conflict, if it was looked for.

    Examples
    --------
    >>> from mines_dd import Board, InconsistentBoardError, analyse
    >>> try:
    ...     analyse(Board.parse("#1#/#3#"))
    ... except InconsistentBoardError as error:
    ...     print(error.hints)
    ((0, 1), (1, 1))
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
        What they count: "nodes", "seconds", "bytes"; for some questions "terms", "clauses" or what else is limited.
    fact, advice : str
        What was exceeded, and what to do about it if that is known; the error's text is both.

    Examples
    --------
    >>> from mines_dd import Board, BudgetExceededError, solve
    >>> try:
    ...     solve(Board.random(30, 30, 0.3, 0.5, seed=1), "bdd", max_nodes=100)
    ... except BudgetExceededError as error:
    ...     print(error.allowed, error.unit)
    100 nodes
    """

    def __init__(self, fact: str, *, needed: float, allowed: float | None, unit: str, advice: str = "") -> None:
        super().__init__(f"{fact}; {advice}" if advice else fact)
        self.fact = fact
        self.advice = advice
        self.needed = needed
        self.allowed = allowed
        self.unit = unit

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts: the error may come from another process."""
        again = partial(type(self), needed=self.needed, allowed=self.allowed, unit=self.unit, advice=self.advice)
        return again, (self.fact,)


def reason(error: OSError | ValueError) -> str:
    """Return why a file cannot be opened: the system's words, without the path that its message repeats.

    A path may also hold a byte that none can have, which Python reports as a `ValueError`.
    """
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
