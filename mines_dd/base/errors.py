"""The errors of this package; every one that it raises on purpose is a `MinesError`."""

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
    """The base of all errors of this package; its text is one sentence for the user.

    Examples
    --------
    >>> from mines_dd import Board
    >>> try:
    ...     Board.parse("#1#").open(0, 0)
    ... except MinesError as error:
    ...     print(error)
    cannot open a cell: where the mines are is not known (the board has no layout)
    """


class BoardFormatError(MinesError):
    """A board that cannot be read or made.

    Attributes
    ----------
    line, column : int or None
        The place in the text, counted from 1; None if the error has no place.

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
    """A graph or an order of cells that is malformed.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd import GraphFormatError, solve
    >>> try:
    ...     solve(nx.path_graph(3))
    ... except GraphFormatError as error:
    ...     print(error)
    edge 0 - 1 joins two cells; an edge joins a cell and a hint, which has the attribute dc (see mine_graph_on)
    """


class InconsistentBoardError(MinesError):
    """A board that no mine assignment satisfies.

    Attributes
    ----------
    hints : tuple of positions
        A minimal set of hints that contradict each other; empty if none was looked for.
    mines : tuple of positions
        The known mines that take part in that.

    Examples
    --------
    >>> from mines_dd import Board, InconsistentBoardError, analyse
    >>> try:
    ...     analyse(Board.parse("#1#/#3#"))
    ... except InconsistentBoardError as error:
    ...     print(error.hints)
    ((0, 1), (1, 1))
    """

    def __init__(self, message: str, hints: Iterable[Any] = (), mines: Iterable[Any] = ()) -> None:
        super().__init__(message)
        self.hints, self.mines = tuple(hints), tuple(mines)


class BudgetExceededError(MinesError):
    """A computation that needs more nodes, time or memory than it may use.

    Attributes
    ----------
    needed, allowed : number
        What the computation needs, at least, and what it was allowed.
    unit : str
        Their unit: "nodes", "seconds", "bytes"; for some questions another one, such as "terms" or "clauses".
    fact, advice : str
        What was exceeded, and what the user can do about it ("" if nothing is known).  The error's text is both.

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
    """Return why a file cannot be opened, in the system's words and without the path.

    A `ValueError` is what Python raises for a path with a null byte.

    Examples
    --------
    >>> try:
    ...     open("no such file")
    ... except OSError as error:
    ...     print(reason(error))
    No such file or directory
    """
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
