"""The mine graph: a board as a bipartite graph with degree constraints (paper §4.3), and as arrays.

`mine_graph` returns the `networkx.Graph` MG, with the constraint of equation (1) on every vertex: the form that people
look at, draw, change, or write themselves.  `Instance` holds the same as arrays, MB(m, n, C, A) of definition 1: the
form that the compilers read.  Each converts to the other without loss.  For the board

    #1#      cells a = (0, 0), b = (0, 2), c = (1, 0), d = (1, 1), e = (1, 2)
    ###      A = [[0, 1, 2, 3, 4]], C = [[1]]: exactly one of all five is a mine

the graph has the edges of a star: the hint (0, 1), with dc = {1}, is joined to five cells, each with dc = {0, 1}.

References
----------
H. Suzuki, H. Sun, S. Minato, "Generating All Mine Assignments of Minesweeper Using BDD/ZDD", JSAI 2016.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import networkx as nx
import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import BoolArray, IntArray, LongArray
from mines_dd.base.budget import Budget
from mines_dd.base.checks import clipped, require, require_distinct, require_labels
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.wording import shown
from mines_dd.board.board import Board, require_board

__all__ = ["GraphLike", "Instance", "allowed_degrees", "connected", "degree_constraint", "mine_graph"]

Label = Hashable
_FAR = 2**31  # degrees are 32-bit integers


class GraphLike(Protocol):
    """A `networkx.Graph`, as type checkers see it: networkx has no types, and with `nx.Graph` `3` would pass."""

    def is_directed(self) -> bool:
        """Whether its edges have a direction."""

    def is_multigraph(self) -> bool:
        """Whether it has parallel edges."""

    def adjacency(self) -> Any:
        """For each vertex its neighbours."""

    def __iter__(self) -> Iterator[Any]:
        """The vertices."""

    @property
    def edges(self) -> Any:
        """The edges."""


@dataclass(frozen=True, eq=False)
class Instance:
    """An instance MB(m, n, C, A) of definition 1, as arrays.

    Attributes
    ----------
    cells : sequence of labels
        The m closed cells next to at least one hint.
    hints : sequence of labels
        The n hints.
    start, member : int32 arrays
        A in compressed rows: hint i touches the cells `member[start[i]:start[i + 1]]`, ascending.
    count_start, count : int32 arrays
        C in compressed rows: the numbers of mines that hint i allows, ascending.  A Minesweeper hint allows
        one number; a hint of a user's own graph may allow several.

    Examples
    --------
    >>> instance = Instance.of(Board.parse("#1##/###2"))
    >>> instance.hints, instance.members, instance.allowed
    ([(0, 1), (1, 3)], [[0, 1, 3, 4, 5], [1, 2, 5]], [[1], [2]])
    """

    cells: Sequence[Label]
    hints: Sequence[Label]
    start: IntArray
    member: IntArray
    count_start: IntArray
    count: IntArray

    @classmethod
    def build(
        cls,
        cells: Sequence[Label],
        hints: Sequence[Label],
        members: Iterable[Iterable[int]],
        counts: Iterable[Iterable[int]],
    ) -> Instance:
        """Return the instance whose hint i has the cells `members[i]`, by index, and allows the counts `counts[i]`.

        Examples
        --------
        >>> instance = Instance.build(cells="abc", hints=["h", "i"], members=[[0, 1], [1, 2]], counts=[[1], [0, 2]])
        >>> instance.start.tolist(), instance.member.tolist()
        ([0, 2, 4], [0, 1, 1, 2])
        """
        start, member = _rows(members)
        count_start, count = _rows(counts)
        return cls(cells, hints, start, member, count_start, count)

    @classmethod
    def of(cls, source: Board | GraphLike, budget: Budget | None = None) -> Instance:
        """Return the instance that a board or a mine graph describes.

        Raises
        ------
        MinesError
            If `source` is neither.
        GraphFormatError
            If the graph is not a mine graph.

        Examples
        --------
        >>> Instance.of(mine_graph(Board.parse("#1#"))).members
        [[0, 1]]
        """
        if isinstance(source, nx.Graph):
            return cls.from_graph(source, budget)
        return cls.from_board(require_board(source, "a Board, or a networkx.Graph (see mine_graph),"))

    @classmethod
    def from_board(cls, board: Board) -> Instance:
        """Return the instance of a board; known mines (`*`) are subtracted from the counts of the hints around them.

        Examples
        --------
        >>> Instance.from_board(Board.parse("#2*")).allowed  # the known mine counts for one of the two
        [[1]]
        """
        grid = board.array
        rows, cols = grid.shape
        closed = (grid == ord("#")) | (grid == ord("F"))
        known = (grid == ord("*")).astype(np.int32)
        is_hint = (grid >= ord("0")) & (grid <= ord("8"))
        border = np.zeros_like(closed)
        remaining = grid.astype(np.int32) - ord("0")
        shifts = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]
        for shift in shifts:
            here, there = _overlap(shift, rows, cols)
            border[here] |= is_hint[there]
            remaining[here] -= known[there]
        border &= closed
        cell_index = np.full(grid.shape, -1, np.int32)
        cell_index[border] = np.arange(border.sum())
        around = np.full((rows, cols, len(shifts)), -1, np.int32)
        for k, shift in enumerate(shifts):
            here, there = _overlap(shift, rows, cols)
            around[(*here, k)] = cell_index[there]
        touching = around[is_hint]
        present = touching >= 0
        start = np.zeros(len(touching) + 1, np.int32)
        np.cumsum(present.sum(axis=1), out=start[1:])
        return cls(
            cells=_positions(border),
            hints=_positions(is_hint),
            start=start,
            member=touching[present],
            count_start=np.arange(len(touching) + 1, dtype=np.int32),
            count=remaining[is_hint],
        )

    @classmethod
    def from_graph(cls, graph: nx.Graph, budget: Budget | None = None) -> Instance:
        """Return the instance of a mine graph.

        A vertex has two attributes: `bipartite`, 0 for a cell and 1 for a hint, and `dc`, its set of allowed degrees.
        Edges join cells to hints.  A cell's `dc` is {0, its degree}, as in equation (1), and may be left out; so may
        `bipartite`: then a vertex with `dc` is a hint, one without is a cell.

        Raises
        ------
        GraphFormatError
            If the graph is not of this form; the error names the vertex or the edge.

        Examples
        --------
        >>> graph = nx.Graph([("a", "h"), ("b", "h")])
        >>> graph.nodes["h"]["dc"] = {0, 2}
        >>> Instance.from_graph(graph).allowed
        [[0, 2]]
        """
        if graph.is_directed() or graph.is_multigraph():
            raise GraphFormatError("a mine graph is an undirected networkx.Graph without parallel edges")
        budget = Budget.of(budget)
        around = dict(graph.adjacency())
        cells, hints = _sides(graph, around, budget)
        index = {cell: i for i, cell in enumerate(cells)}
        members = []
        for hint in budget.each(hints):
            row = [index.get(cell, -1) for cell in around[hint]]
            row.sort()
            if row and row[0] < 0:
                other = next(vertex for vertex in around[hint] if vertex not in index)
                raise GraphFormatError(
                    f"edge {hint!r} - {other!r} joins two hints; give a cell bipartite=0 (a dc makes it a hint)"
                )
            members.append(row)
        if sum(map(len, members)) != graph.number_of_edges():
            one, other = next((u, v) for u, v in graph.edges if u in index and v in index)
            raise _two_cells(one, other)
        return cls.build(cells, hints, members, [sorted(degree_constraint(graph, hint)) for hint in hints])

    def to_graph(self) -> nx.Graph:
        """Return the mine graph MG with `bipartite` and `dc` (Eq. 1) on every vertex.

        Examples
        --------
        >>> instance = Instance.build(cells="ab", hints=["h"], members=[[0, 1]], counts=[[1]])
        >>> list(instance.to_graph().edges)
        [('a', 'h'), ('b', 'h')]
        """
        graph = nx.Graph()
        degree = np.bincount(self.member, minlength=len(self.cells)).tolist()
        graph.add_nodes_from(
            (cell, {"bipartite": 0, "dc": frozenset((0, d))}) for cell, d in zip(self.cells, degree, strict=True)
        )
        allowed = self.allowed
        graph.add_nodes_from(
            (hint, {"bipartite": 1, "dc": frozenset(a)}) for hint, a in zip(self.hints, allowed, strict=True)
        )
        for hint, row in zip(self.hints, self.members, strict=True):
            graph.add_edges_from((self.cells[i], hint) for i in row)
        return graph

    @cached_property
    def members(self) -> list[list[int]]:
        """A as lists: for each hint the indices of its cells."""
        return _split(self.start, self.member)

    @cached_property
    def allowed(self) -> list[list[int]]:
        """C as lists: for each hint the counts it allows, ascending."""
        return _split(self.count_start, self.count)

    @cached_property
    def count_range(self) -> tuple[IntArray, IntArray]:
        """The least and the greatest count that each hint allows; (1, 0) for a hint that allows none.

        Examples
        --------
        >>> instance = Instance.build(cells="ab", hints="hi", members=[[0, 1], [0]], counts=[[0, 2], []])
        >>> [array.tolist() for array in instance.count_range]
        [[0, 1], [2, 0]]
        """
        none = np.diff(self.count_start) == 0
        padded = np.append(self.count, 0)
        least, most = padded[self.count_start[:-1]], padded[self.count_start[1:] - 1]
        return np.where(none, 1, least).astype(np.int32), np.where(none, 0, most).astype(np.int32)

    @cached_property
    def cell_rows(self) -> tuple[IntArray, IntArray]:
        """The transpose of A in compressed rows: for each cell the indices of its hints, ascending.

        Examples
        --------
        >>> instance = Instance.build(cells="abc", hints="hi", members=[[0, 1], [1, 2]], counts=[[1], [1]])
        >>> [array.tolist() for array in instance.cell_rows]
        [[0, 1, 3, 4], [0, 0, 1, 1]]
        """
        order = np.argsort(self.member, kind="stable")
        start = np.zeros(len(self.cells) + 1, np.int32)
        np.cumsum(np.bincount(self.member, minlength=len(self.cells)), out=start[1:])
        return start, self.hint_of_member[order]

    @cached_property
    def hint_of_member(self) -> IntArray:
        """The index of the hint that each entry of `member` belongs to.

        Examples
        --------
        >>> instance = Instance.build(cells="abc", hints="hi", members=[[0, 1], [0, 1, 2]], counts=[[1], [1]])
        >>> instance.hint_of_member.tolist()
        [0, 0, 1, 1, 1]
        """
        return np.repeat(np.arange(len(self.hints), dtype=np.int32), np.diff(self.start))

    def hint_sizes(self, sizes: npt.ArrayLike | None = None) -> LongArray:
        """Return the number of cells of each hint.

        Parameters
        ----------
        sizes : array of int, optional
            The number of cells in each group if the instance's cells are groups; by default 1.

        Examples
        --------
        >>> instance = Instance.build(cells="abc", hints="hi", members=[[0, 1], [1, 2]], counts=[[1], [1]])
        >>> instance.hint_sizes().tolist(), instance.hint_sizes([5, 1, 1]).tolist()
        ([2, 2], [6, 2])
        """
        found = np.zeros(len(self.hints), np.int64)
        np.add.at(found, self.hint_of_member, 1 if sizes is None else np.asarray(sizes, np.int64)[self.member])
        return found


def mine_graph(source: Board | Mapping[Label, tuple[Iterable[Label], int | Iterable[int]]]) -> nx.Graph:
    """Return the mine graph MG of a board (paper §4.3), or of one's own hints.

    The vertices of a board are its positions (row, column).  A closed cell next to a hint has `bipartite=0` and
    `dc={0, degree}`; a hint has `bipartite=1` and `dc={count}`, where known mines around it are already subtracted.

    Parameters
    ----------
    source : Board, or dict
        The dict has for each hint the cells that it counts, and how many of them may be mines: a number or a set.

    Raises
    ------
    GraphFormatError
        If a hint counts a cell twice, a cell is also a hint, or a number of mines is no integer.

    Examples
    --------
    >>> from mines_dd import Board, mine_graph, solve
    >>> sorted(mine_graph(Board.parse("#1#/###")).nodes(data="dc"))[:2]
    [((0, 0), frozenset({0, 1})), ((0, 1), frozenset({1}))]
    >>> solve(mine_graph({"h": ("abc", 1), "i": ("bcd", {0, 2})})).count()  # a alone, or d and one of b and c
    3
    """
    if isinstance(source, Board):
        return Instance.from_board(source).to_graph()
    require(source, Mapping, "a Board, or a dict of hints such as {'h': ('abc', 1)},")
    if None in source:
        raise GraphFormatError("a hint is called None, which is no name of a hint")
    graph = nx.Graph()
    for hint, entry in source.items():
        try:
            cells, allowed = entry
            iter(cells)
        except (TypeError, ValueError):
            raise GraphFormatError(f"hint {hint!r} is {entry!r}; write (cells, number of mines)") from None
        around = require_labels(cells, f"a list of the cells of hint {hint!r}")
        if None in around:
            raise GraphFormatError(f"hint {hint!r} counts None, which is no name of a cell")
        require_distinct(around, f"hint {hint!r}")
        if not source.keys().isdisjoint(around):
            cell = next(cell for cell in around if cell in source)
            raise GraphFormatError(f"hint {hint!r} counts {cell!r}, which is a hint itself; give them different names")
        graph.add_node(hint, dc=allowed)
        graph.add_edges_from((cell, hint) for cell in around)
    return Instance.from_graph(graph).to_graph()


def _sides(graph: nx.Graph, around: Mapping[Label, Any], budget: Budget) -> tuple[list[Label], list[Label]]:
    """The cells and the hints of a mine graph."""
    cells: list[Label] = []
    hints: list[Label] = []
    for vertex, data in budget.each(graph.nodes(data=True)):
        side = _side(data)
        if isinstance(side, np.ndarray) or side not in (0, 1):
            what = f"vertex {vertex!r} has bipartite={shown(side)}"
            raise GraphFormatError(f"{what}; write 0 for a cell and 1 for a hint")
        if side == 1:
            hints.append(vertex)
        else:
            cells.append(vertex)
            usual = {0, len(around[vertex])}
            dc = data.get("dc", usual)
            if usual == {0} or not isinstance(dc, set | frozenset) or dc != usual:
                _check_cell(graph, vertex, len(around[vertex]))
    return cells, hints


def _side(data: Mapping[str, Any]) -> Any:
    """What a vertex says it is: 0 for a cell, 1 for a hint."""
    return data.get("bipartite", 1 if "dc" in data else 0)


def _two_cells(one: Label, other: Label) -> GraphFormatError:
    where = f"edge {one!r} - {other!r} joins two cells"
    return GraphFormatError(f"{where}; an edge joins a cell and a hint, which has the attribute dc (see mine_graph_on)")


def _check_cell(graph: nx.Graph, cell: Label, degree: int) -> None:
    """Refuse a cell that touches no hint, or whose `dc` is not that of equation (1)."""
    if degree == 0:
        raise GraphFormatError(f"cell {cell!r} touches no hint, so nothing is known of it; leave it out (definition 1)")
    allowed = degree_constraint(graph, cell)
    if allowed != {0, degree}:
        other = next((vertex for vertex in graph[cell] if _side(graph.nodes[vertex]) == 0), None)
        if other is not None:
            raise _two_cells(cell, other)
        written = graph.nodes[cell]["dc"]
        found = shown(written) if isinstance(written, range) else sorted(allowed)
        raise GraphFormatError(
            f"cell {cell!r} has dc={found}; a mine counts for all of its hints or for none, so write {{0, {degree}}}"
        )


def degree_constraint(graph: nx.Graph, vertex: Label) -> frozenset[int]:
    """Return a vertex's set of allowed degrees, its attribute `dc`; a single number stands for the set of it.

    Raises
    ------
    GraphFormatError
        If the attribute `dc` is missing or is not a set of integers.

    Examples
    --------
    >>> degree_constraint(mine_graph(Board.parse("#1#")), (0, 0))
    frozenset({0, 1})
    """
    value: Any = graph.nodes[vertex].get("dc")
    if value is None:
        raise GraphFormatError(f"vertex {vertex!r} has no attribute dc; give it its set of allowed degrees")
    return allowed_degrees(value, vertex, graph.degree[vertex])


def allowed_degrees(value: Any, vertex: Label, most: int) -> frozenset[int]:
    """Return what a vertex has as its `dc`, a number or several, as the set of its allowed degrees.

    Of a range only those from 0 to `most` are listed; it may be as long as it likes.

    Raises
    ------
    GraphFormatError
        If it is not a set of integers.

    Examples
    --------
    >>> allowed_degrees(2, "v", 3), allowed_degrees([1, 0], "v", 3), allowed_degrees(range(2, 10**12), "v", 3)
    (frozenset({2}), frozenset({0, 1}), frozenset({2, 3}))
    """
    try:
        allowed = list(clipped(value, 0, most) if isinstance(value, range) else value)
    except TypeError:
        allowed = [value]
    for degree in allowed:
        if not isinstance(degree, int | np.integer) or isinstance(degree, bool):
            raise GraphFormatError(f"vertex {vertex!r} has dc={shown(value)}; allowed degrees are integers")
        if not -_FAR <= degree < _FAR:
            raise GraphFormatError(
                f"vertex {vertex!r} allows the degree {shown(degree)}; no vertex has so many neighbours"
            )
    return frozenset(map(int, allowed))


def _overlap(shift: tuple[int, int], rows: int, cols: int) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Slices of the cells that have a neighbour in the direction `shift`, and of these neighbours."""
    (dr, dc) = shift
    here = slice(max(0, -dr), rows - max(0, dr)), slice(max(0, -dc), cols - max(0, dc))
    there = slice(max(0, dr), rows - max(0, -dr)), slice(max(0, dc), cols - max(0, -dc))
    return here, there


def _positions(mask: BoolArray) -> list[tuple[int, int]]:
    r, c = np.nonzero(mask)
    return list(zip(r.tolist(), c.tolist(), strict=True))


def _rows(rows: Iterable[Iterable[int]]) -> tuple[IntArray, IntArray]:
    lists = [list(row) for row in rows]
    start = np.zeros(len(lists) + 1, np.int32)
    np.cumsum([len(row) for row in lists], out=start[1:])
    return start, np.fromiter((x for row in lists for x in row), np.int32, start[-1])


def _split(start: IntArray, values: IntArray) -> list[list[int]]:
    bounds, flat = start.tolist(), values.tolist()
    return [flat[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]


def connected(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the connected components of some rows, as lists of their indices; rows that share a value are adjacent.

    Examples
    --------
    >>> connected([[0, 1], [2], [1, 3]])
    [[0, 2], [1]]
    """
    holders: dict[int, list[int]] = {}
    for i, row in enumerate(rows):
        for value in row:
            holders.setdefault(value, []).append(i)
    seen = [False] * len(rows)
    parts = []
    for first in range(len(rows)):
        if seen[first]:
            continue
        seen[first] = True
        part = [first]
        for i in part:  # grows while it is read
            for value in rows[i]:
                for other in holders.pop(value, ()):
                    if not seen[other]:
                        seen[other] = True
                        part.append(other)
        parts.append(sorted(part))
    return parts
