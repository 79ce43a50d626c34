"""All assignments of a board kept from hint to hint, and built again: what `experiments.online` compares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from mines_dd import Assignments, Board, solve
from mines_dd.answers.analysis import Analysis, analysis_of
from mines_dd.answers.border import Border
from mines_dd.base.budget import Budget
from mines_dd.board.board import Position
from mines_dd.compilers import bdd, zdd
from mines_dd.compilers.exactly import exactly_table
from mines_dd.compilers.packages import exported, memory_limit
from mines_dd.diagrams import queries
from mines_dd.diagrams.circuit import Circuit

__all__ = ["METHODS", "Kept", "KeptTree", "Way"]


class Kept(Protocol):
    """What is kept from hint to hint."""

    def prepare(self, board: Board, hint: Position) -> None:
        """Make what the new hint alone says: its chain."""

    def add(self) -> None:
        """Put it to what is kept."""

    def ask(self) -> None:
        """Find the chance of a mine in every cell next to a hint."""

    def count(self, board: Board) -> int:
        """The assignments to all closed cells."""

    def nodes(self) -> int:
        """The nodes kept."""


def around(board: Board, hint: Position) -> list[int]:
    """The levels of the closed cells next to a hint; a cell's level is its number, row by row."""
    return sorted(r * board.size[1] + c for r, c in board.neighbours(hint) if board[r, c] == "#")


# Diagrams: one more conjunction


class KeptDiagram:
    """The family of all assignments to the cells of a board, and the chain of each hint."""

    family: Any
    start: Any
    """The family before the first hint."""

    def __init__(self) -> None:
        self.chains: dict[Position, Any] = {}
        self.newest: Position = (0, 0)

    def add(self) -> None:
        """See `Kept`."""
        self.family &= self.chains[self.newest]

    def again(self) -> Any:
        """The conjunction of all chains, from the last hint on the board to the first."""
        family = self.start
        for hint in sorted(self.chains, reverse=True):
            family &= self.chains[hint]
        return family

    def circuit(self) -> Circuit:
        """The family, read out of its manager."""
        raise NotImplementedError

    def count(self, board: Board) -> int:
        """See `Kept`."""
        return queries.count(self.circuit())

    def ask(self) -> None:
        """See `Kept`."""
        queries.approximate_probabilities(self.circuit())


class KeptBdd(KeptDiagram):
    """F_MB over all cells of a board (§4.1); a cell that is opened is set to 0, also in the chains."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self.levels = board.size[0] * board.size[1]
        self.manager = bdd.new_manager(self.levels)
        self.names = [f"x{level}" for level in range(self.levels)]
        self.manager.declare(*self.names)
        self.variables = [self.manager.var(name) for name in self.names]
        self.family = self.start = self.manager.true

    def prepare(self, board: Board, hint: Position) -> None:
        """See `Kept`."""
        cells = around(board, hint)
        ends = (self.manager.true, self.manager.false)
        self.open = {self.names[hint[0] * board.size[1] + hint[1]]: False}
        for near in board.neighbours(hint):
            if near in self.chains:
                self.chains[near] = self.manager.let(self.open, self.chains[near])
        self.chains[hint] = exactly_table(cells, cells, {int(board[hint])}, self.node, *ends)
        self.newest = hint

    def add(self) -> None:
        """See `Kept`."""
        self.family = self.manager.let(self.open, self.family) & self.chains[self.newest]

    def node(self, level: int, low: Any, high: Any) -> Any:
        """A node of a chain."""
        return self.manager.ite(self.variables[level], high, low)

    def circuit(self) -> Circuit:
        """See `KeptDiagram`."""
        ends = (self.manager.false, self.manager.true)
        diagram = exported("bdd", range(self.levels), self.family, ends, int, self.children)
        return diagram.to_circuit(range(self.levels), range(self.levels))

    def children(self, u: Any) -> tuple[int, Any, Any]:
        """Level, low and high of a node; a complemented arc stands for the complement."""
        level, low, high = self.manager.succ(u)
        return (level, ~low, ~high) if u.negated else (level, low, high)

    def count(self, board: Board) -> int:
        """See `Kept`."""
        return queries.count(self.circuit()) >> len(self.chains)  # an open cell is free

    def nodes(self) -> int:
        """See `Kept`."""
        return len(self.family)


class KeptZdd(KeptDiagram):
    """S_MB over all cells of a board (§4.2); a chain has no level for a cell that is open, so its sets lack it."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self.levels = board.size[0] * board.size[1]
        try:
            self.package: zdd.Package = zdd.Cudd(self.levels, Budget(), memory_limit())
        except ImportError:
            self.package = zdd.Oxidd(self.levels, Budget(), memory_limit())
        self.family = self.start = self.chain(range(self.levels), [], 0)

    def chain(self, levels: Any, members: list[int], number: int) -> Any:
        """The sets with so many of the members, all other levels in or out."""
        package = self.package
        return exactly_table(levels, set(members), {number}, package.node, package.base, package.empty)

    def prepare(self, board: Board, hint: Position) -> None:
        """See `Kept`."""
        cells, columns = around(board, hint), board.size[1]
        closed = [r * columns + c for r, c in board.closed()]
        self.chains[hint] = self.chain(closed, cells, int(board[hint]))
        self.newest = hint

    def circuit(self) -> Circuit:
        """See `KeptDiagram`."""
        package = self.package
        ends = (package.empty, package.base)
        diagram = exported("zdd", range(self.levels), self.family, ends, package.identity, package.children)
        return diagram.to_circuit(range(self.levels), range(self.levels))

    def nodes(self) -> int:
        """See `Kept`."""
        package = self.package
        ends = (package.empty, package.base)
        return exported("zdd", range(self.levels), self.family, ends, package.identity, package.children).node_count


# Tree: the touched components once more


class KeptTree:
    """The border in components: what a `Session` keeps."""

    analysis: Analysis

    def __init__(self, board: Board) -> None:
        self.border = border_of(board)

    def prepare(self, board: Board, hint: Position) -> None:
        """See `Kept`."""
        self.board, self.hint = board, hint

    def add(self) -> None:
        """See `Kept`."""
        border = self.border.opened(self.board, {self.hint})
        assert border is not None
        self.border = border

    def ask(self) -> None:
        """See `Kept`."""
        self.analysis = analysis_of(self.board, self.border)

    def count(self, board: Board) -> int:
        """See `Kept`."""
        return counted(self.analysis)

    def nodes(self) -> int:
        """See `Kept`: of the components' circuits."""
        return sum(part.component.circuit.node_count for part in self.border.parts)


def border_of(board: Board) -> Border:
    """The border of a board that is consistent."""
    border = Border.of(board)
    assert border is not None
    return border


def counted(analysis: Analysis) -> int:
    """The assignments to all closed cells of a board."""
    hints = set(analysis.board.hints())
    closed = analysis.board.closed()
    return analysis.count << sum(hints.isdisjoint(analysis.board.neighbours(cell)) for cell in closed)


# All of it again


class Way(NamedTuple):
    """A way to build all of it again.

    Attributes
    ----------
    build : function
        (kept, board) -> the family, in whatever form.
    ask : function or None
        (family, board) -> the chances; None if the family is the diagram that is kept, so that asking takes as long.
    assignments : function
        (family, chances, or kept if there are none, board) -> how many there are to all closed cells.
    """

    build: Callable[[Any, Board], Any]
    ask: Callable[[Any, Board], Any] | None
    assignments: Callable[[Any, Any, Board], int]


def by_chains() -> Way:
    """All conjunctions again in the same manager, of the chains that are kept."""

    def count(family: Any, kept: KeptDiagram, board: Board) -> int:
        assert family == kept.family
        return kept.count(board)

    return Way(lambda kept, board: kept.again(), None, count)


def by_solve(method: Any, order: str) -> Way:
    """`solve`, with the diagram left in its manager until it is asked."""

    def count(family: Assignments, answer: object, board: Board) -> int:
        return family.count() << (len(board.closed()) - len(family.cells))

    return Way(
        lambda kept, board: solve(board, method, order=order),
        lambda family, board: family.approximate_probabilities(),
        count,
    )


def by_session() -> Way:
    """The border anew; components whose shape was solved before are remembered, as in every session."""
    return Way(
        lambda kept, board: border_of(board),
        lambda border, board: analysis_of(board, border),
        lambda border, analysis, board: counted(analysis),
    )


def diagram_ways(*methods: str) -> dict[str, Way]:
    """All conjunctions again, and `solve` with these methods in two orders."""
    orders = {"row by row": "row", "its order": "auto"}
    calls = {f"{m}, {name}": by_solve(m, order) for m in methods for name, order in orders.items()}
    return {"same chains": by_chains(), **calls}


METHODS: dict[str, tuple[Callable[[Board], Kept], dict[str, Way]]] = {
    "bdd": (KeptBdd, diagram_ways("bdd")),
    "zdd": (KeptZdd, diagram_ways("zdd", "zdd-span")),
    "tree": (KeptTree, {"new session": by_session(), "solve": by_solve("tree", "auto")}),
}
