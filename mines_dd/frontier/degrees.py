"""Degree-constrained subgraphs (paper, definition 2; §3.3, §4.3).

A state holds, for the vertices on the frontier only (some but not all of their edges decided), what still matters of
their degrees.  What matters is which numbers of further edges lead into the constraint: degrees that agree in it have
one *rank*.  A vertex with three edges, allowed degrees 0 and 3, after two of them:

    degree  further edges that end well   rank
      0                0                   0
      1              none                  dead
      2                1                   1

So a closed cell of a Minesweeper board, dc = {0, deg}, needs one bit.  Ranks are packed into bit fields that are reused
when a vertex leaves the frontier; a table for each edge and end point says what a decision makes of a rank.

References
----------
ERATO Minato Project, "Super-high-speed graph enumeration algorithms" (in Japanese), Morikita, 2015.
H. Iwashita, S. Minato, "Efficient top-down ZDD construction techniques using recursive specifications", TCS-TR-A-13-69,
Hokkaido University, 2013.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from mines_dd.base.arrays import BoolArray, LongArray
from mines_dd.base.budget import Budget
from mines_dd.base.checks import require, require_flag
from mines_dd.base.errors import MinesError
from mines_dd.base.jit import kernel
from mines_dd.base.wording import shown
from mines_dd.constraints.graph import allowed_degrees, degree_constraint
from mines_dd.frontier.edges import EdgeOrder, numbered_edges, plain_graph
from mines_dd.frontier.fields import first_fit
from mines_dd.frontier.spec import DEAD, DONE, GO, End, Spec
from mines_dd.orders.edges import PASSED, frontier_widths

__all__ = ["DegreeConstrained"]


class _Tables(NamedTuple):
    """Per edge, for both end points: word, shift, mask and where its table begins.

    `table[begin + 2 * rank + taken]` is the new rank, -1 for a dead end.
    """

    fields: LongArray
    table: LongArray
    last: int


class DegreeConstrained(Spec):
    """The sets of edges in which every vertex v has a degree in its set dc(v) (Definition 2 of the JSAI paper).

    Parameters
    ----------
    graph : networkx.Graph
        Every vertex has the attribute `dc`, its set of allowed degrees.
    order : sequence of edges or str, optional
        All edges in the order of decision, or the name of an order, such as "auto"; vertex by vertex if not given, for
        a mine graph cell by cell.

    Raises
    ------
    GraphFormatError
        If a vertex has no `dc`, the graph is of another kind, or `order` is not all edges once.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import count
    >>> grid = nx.grid_2d_graph(4, 4)
    >>> nx.set_node_attributes(grid, {1}, "dc")
    >>> count(DegreeConstrained(grid))  # domino tilings
    36
    """

    def __init__(self, graph: nx.Graph, order: EdgeOrder = None) -> None:
        plain_graph(graph)
        allowed = [degree_constraint(graph, vertex) for vertex in graph]
        items, ends = numbered_edges(graph, order, _weight_of_passed(allowed, [n for _, n in graph.degree]))
        self._set(items, ends, allowed, True, list(graph))

    @classmethod
    def of_edges(
        cls,
        ends: Sequence[tuple[int, int]],
        allowed: Sequence[Iterable[int]],
        *,
        prune: bool = True,
        budget: Budget | None = None,
    ) -> DegreeConstrained:
        """Return the spec of a graph given by the end points of its edges and each vertex's allowed degrees.

        Without `prune` a degree that can no longer be completed ends a state only when the vertex's last edge is
        decided; for comparisons.
        """
        require(allowed, Sequence, "a list of each vertex's degrees")
        require(ends, Sequence, "a list of pairs of numbers of vertices")
        budget = Budget.of(budget)
        pairs = [_pair(edge, len(allowed)) for edge in budget.each(ends)]
        degrees = [
            allowed_degrees(require(some, Iterable, "a set of degrees for each vertex"), vertex, len(ends))
            for vertex, some in enumerate(budget.each(allowed))
        ]
        spec = cls.__new__(cls)
        spec._set(range(len(ends)), pairs, degrees, require_flag(prune, "prune"), range(len(degrees)))
        return spec

    def _set(
        self,
        items: Sequence[Hashable],
        ends: Sequence[tuple[int, int]],
        allowed: Sequence[Iterable[int]],
        prune: bool,
        vertices: Sequence[Hashable],
    ) -> None:
        self.items, self._vertices, self._prune = items, vertices, prune
        self._ends, self._allowed = ends, [sorted(set(degrees)) for degrees in allowed]
        self._total = total = [0] * len(self._allowed)
        for edge in ends:
            for x in edge:
                total[x] += 1
        if not all(any(0 <= d <= n for d in degrees) for degrees, n in zip(self._allowed, total, strict=True)):
            self.root = End.DEAD
        elif not ends:
            self.root = End.DONE
        else:
            self._plan(total, prune)

    def unpruned(self) -> DegreeConstrained:
        """Return the spec that finds a wrong degree only after the vertex's last edge."""
        spec = self.of_edges(self._ends, self._allowed, prune=False)
        spec.items, spec._vertices = self.items, self._vertices
        return spec

    def frontier_widths(self) -> Sequence[int]:
        """Return for each layer how many vertices are on the frontier."""
        return frontier_widths(self._ends)

    def _plan(self, total: list[int], prune: bool) -> None:
        """Lay out the bit fields and fill the tables."""
        kinds = _kinds(self._allowed, total, prune)
        ends = np.array(self._ends, np.int64)
        fields, self.meets = np.zeros((len(ends), 8), np.int64), np.zeros(len(ends), np.bool_)
        words = _lay_out.run(8 * len(ends), ends, np.array(total, np.int64), kinds, fields, self.meets)
        self.root = (0,) * words
        self.tables = _Tables(fields, kinds.table, len(fields) - 1)

    @staticmethod
    def child(state: Any, level: int, taken: int, tables: Any) -> int:
        """Look the new ranks of both end points up."""
        fields, table = tables.fields, tables.table
        u, shift = fields[level, 0], fields[level, 1]
        rank = (state[u] >> shift) & fields[level, 2]
        after = table[fields[level, 3] + 2 * rank + taken]
        if after < 0:
            return DEAD
        state[u] += (after - rank) << shift
        v, shift = fields[level, 4], fields[level, 5]
        rank = (state[v] >> shift) & fields[level, 6]
        after = table[fields[level, 7] + 2 * rank + taken]
        if after < 0:
            return DEAD
        state[v] += (after - rank) << shift
        return DONE if level == tables.last else GO

    def label(self, state: tuple[int, ...], level: int) -> str:
        """Return the degree of each vertex on the frontier, or those that have its rank: `u:1 v:0/2`."""
        decided, coming = Counter(chain(*self._ends[:level])), set(chain(*self._ends[level:]))
        shown = []
        for x in sorted(decided.keys() & coming):
            e, edge = next((e, edge) for e, edge in enumerate(self._ends[level:], level) if x in edge)
            word, shift, mask, _ = self.tables.fields[e, 4 * edge.index(x) :][:4].tolist()
            rank, total = (state[word] >> shift) & mask, self._total[x]
            ranks = _ranks(_mask(self._allowed[x], total), decided[x], total, self._prune)
            degrees = "/".join(str(d) for d, one in enumerate(ranks) if one == rank)
            shown.append(f"{self._vertices[x]}:{degrees}")
        return " ".join(shown)


def _pair(edge: Any, vertices: int) -> tuple[int, int]:
    """An edge by the numbers of its end points."""
    with suppress(TypeError, ValueError):
        u, v = map(operator.index, edge)
        if min(u, v) >= 0 and max(u, v) < vertices:
            return u, v
    raise MinesError(f"{shown(edge)} is no edge; write a pair of numbers of vertices, from 0 to {vertices - 1}")


class _Kinds(NamedTuple):
    """The vertices by kind: their allowed degrees and their number of edges.

    `kind` has the kind of each vertex, `bits` the bits of its field.  Row `first[kind] + j` is about its edge j:
    where its table begins, and whether the new rank tells the old one and the decision, or the old one if the edge is
    left out, or if it is taken.
    """

    kind: LongArray
    bits: LongArray
    first: LongArray
    begin: LongArray
    tells: BoolArray
    table: LongArray


def _kinds(allowed: list[list[int]], total: list[int], prune: bool) -> _Kinds:
    """Fill the tables of each kind of vertex."""
    kinds: dict[tuple[int, ...], int] = {}
    kind = [kinds.setdefault((n, *degrees), len(kinds)) for degrees, n in zip(allowed, total, strict=True)]
    bits: list[int] = []
    first: list[int] = []
    begin: list[int] = []
    tells: list[tuple[bool, bool, bool]] = []
    table: list[int] = []
    for n, *degrees in kinds:
        after = [_ranks(_mask(degrees, n), j, n, prune) for j in range(n + 1)]
        bits.append(max(max(map(max, after)), 1).bit_length())
        first.append(len(begin))
        for j in range(n):
            step = _transitions(after[j], after[j + 1])
            begin.append(len(table))
            tells.append((_distinct(step), _distinct(step[0::2]), _distinct(step[1::2])))
            table += step
    k, b, f, at, t = (np.array(values, np.int64) for values in (kind, bits, first, begin, table))
    return _Kinds(kind=k, bits=b, first=f, begin=at, tells=np.array(tells, np.bool_), table=t)


@kernel
def _lay_out(ends, total, kinds, fields, meets):
    """Give each vertex on the frontier a field, and say at which edges states may meet; return the number of words.

    States cannot meet where the new ranks of both ends tell what they were and what was decided: one's new rank tells
    its old rank and the decision, and after that the other's new rank tells its old one.
    """
    done = np.zeros(len(total), np.int64)
    place = np.zeros(len(total), np.int64)
    taken = np.zeros(len(total), np.int64)  # bits of each word
    row = np.zeros(2, np.int64)
    words = 1
    for e in range(len(ends)):
        for k in range(2):
            x = ends[e, k]
            mask = (1 << kinds.bits[kinds.kind[x]]) - 1
            if done[x] == 0:
                place[x] = first_fit(taken, kinds.bits[kinds.kind[x]])
                taken[place[x] >> 6] |= mask << (place[x] & 63)
                words = max(words, (place[x] >> 6) + 1)
            row[k] = kinds.first[kinds.kind[x]] + done[x]
            fields[e, 4 * k] = place[x] >> 6
            fields[e, 4 * k + 1] = place[x] & 63
            fields[e, 4 * k + 2] = mask
            fields[e, 4 * k + 3] = kinds.begin[row[k]]
            done[x] += 1
        for k in range(2):
            x = ends[e, k]
            if done[x] == total[x]:
                taken[place[x] >> 6] &= ~(fields[e, 4 * k + 2] << (place[x] & 63))
        one, other = kinds.tells[row[0]], kinds.tells[row[1]]
        meets[e] = not ((one[0] and other[1] and other[2]) or (other[0] and one[1] and one[2]))
    return words


def _weight_of_passed(allowed: Sequence[Iterable[int]], total: Sequence[int]) -> float:
    """How much more a vertex with two decided edges or more weighs in an order of edges.

    Every order is right: it decides the number of states alone.  A vertex weighs more where it has more ranks than
    after one edge.  With four edges in all, the allowed degrees {0, 2} have 2, 3 and 2 ranks after one, two and three
    edges, and {1} has 2 throughout.  On grids of 8 x 8 vertices that chooses the better order for each of {0, 2}, {2},
    {1, 2}, {2, 3}, {0, 1, 2}, {0, 1, 3} (1.3 to 2.9 times fewer states than the other) and {1}, {0, 1}, {1, 3},
    {0, 2, 4} (1.9 to 2.1 times fewer).
    """
    for kind, n in {(_mask(degrees, n), n) for degrees, n in zip(allowed, total, strict=True)}:
        ranks = [max(_ranks(kind, decided, n, True)) for decided in range(1, n)]
        if ranks and max(ranks) > ranks[0]:
            return PASSED
    return 1.0


def _mask(degrees: Iterable[int], total: int) -> int:
    """The degrees from 0 to `total` as a bit mask."""
    return sum(1 << d for d in set(degrees) if 0 <= d <= total)


def _ranks(allowed: int, decided: int, total: int, prune: bool) -> list[int]:
    """The rank of each degree 0, 1, ... after `decided` of `total` edges, -1 for a dead end; those left out are, too.

    Degrees from which the same numbers of further edges lead to an allowed degree have one rank.  `allowed` is a bit
    mask, and so is what tells degrees apart.
    """
    most = max(allowed.bit_length() - 1, 0)
    if decided == total:
        return [0 if allowed >> d & 1 else -1 for d in range(most + 1)]
    if not prune:
        return list(range(decided + 1))
    coming = (1 << (total - decided + 1)) - 1
    rank: dict[int, int] = {}
    return [
        rank.setdefault(rest, len(rank)) if (rest := allowed >> d & coming) else -1
        for d in range(min(decided, most) + 1)
    ]


def _transitions(before: list[int], after: list[int]) -> list[int]:
    """For each rank and decision the new rank."""
    table = [-1] * (2 * max(max(before) + 1, 1))
    for d, rank in enumerate(before):
        if rank >= 0:
            for k, new in enumerate(after[d : d + 2]):
                table[2 * rank + k] = new
    return table


def _distinct(ranks: list[int]) -> bool:
    alive = [rank for rank in ranks if rank >= 0]
    return len(set(alive)) == len(alive)
