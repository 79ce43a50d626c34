"""Simple paths and cycles by mates (Knuth's Simpath).

The edges taken so far are *fragments* of paths.  The state holds for each vertex on the frontier its *mate*:

    INSIDE     it is within a fragment
    ANCHOR     it ends the fragment that begins at `source` or at `target`
    a slot     it ends a fragment, whose other end is in that slot; its own slot if it is on none

Paths from 0 to 3 on a square, edges 01, 02, 13, 23; slots 0 1 2 hold vertices 0 1 2; 3 takes slot 0 when 0 has left:

    0 -- 1      before 01      .  .  .
    |    |      01 taken       I  A  .      0 is inside, 1 ends the fragment that began at 0
    2 -- 3      02 left        .  A  I      0 leaves: it is inside, which is right; 2 could only become a dead end
                13 taken       done         1 and 3 both end fragments with an anchor: the path is complete

A vertex on no fragment counts as a fragment of its own.  An edge joins two fragments if its vertices are ends of
different ones.  When a vertex leaves the frontier it must be inside a fragment or on none; for a Hamiltonian path it
must be inside.

A vertex on no fragment with one edge left could only become a dead end.  So it takes no more edges and is stored as
INSIDE, which merges states.  (A Hamiltonian path is impossible then.)

An edge at a vertex inside a fragment cannot be taken, nor one that closes a path or cycle while there are other
fragments.  Such edges are skipped: no state is made for them.  At most three are skipped in a row, because each more
would keep one more layer of states (`Spec.skips`).

References
----------
D. E. Knuth, "The Art of Computer Programming", volume 4A, section 7.1.4, exercise 225 (Simpath).
J. Kawahara, T. Inoue, H. Iwashita, S. Minato, "Frontier-based search for enumerating all constrained subgraphs with
compressed representation", IEICE Transactions E100-A, 2017.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from mines_dd.base.arrays import LongArray
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.wording import shown
from mines_dd.frontier.edges import EdgeOrder, FrontierSlots, SkippingSpec, numbered_edges, plain_graph, skipping
from mines_dd.frontier.fields import bits_for, get, places, toggle, words_for
from mines_dd.frontier.spec import DEAD, DONE, GO, End
from mines_dd.orders.edges import PASSED, frontiers

__all__ = ["Cycles", "HamiltonianCycles", "HamiltonianPaths", "Paths"]

_INSIDE, _ANCHOR, _FIRST_SLOT = 0, 1, 2
# Columns of the table of edges, for the one end point and the other.
_PLACE, _OWN, _ENTERS, _ALONE, _ENDS, _COLUMNS = range(6)


class _Tables(NamedTuple):
    """What `child` looks up.

    `edge[e]` holds for both end points the place of the field; the mate that says "on none"; the mate it enters with (0
    if it is there already); the mate that becomes INSIDE, "on none" if at most one of its edges comes later, else -1;
    and all bits of a field if it leaves.  `place[mate]` is the field of the mate's slot.
    """

    edge: LongArray
    place: LongArray
    mask: int
    last: int
    covered: int  # from this edge on all vertices have entered; 0 if not all need to be on the path
    all_: int
    cycle: int
    skips: int


def _mates(state, level, tables):
    """The mates of an edge's end points; the field of a vertex that enters is 0."""
    edge, mask = tables.edge, tables.mask
    mate_u = get(state, edge[level, _PLACE], mask) | edge[level, _ENTERS]
    mate_v = get(state, edge[level, _COLUMNS + _PLACE], mask) | edge[level, _COLUMNS + _ENTERS]
    return mate_u, mate_v


def _taking(state, level, mate_u, mate_v, tables):
    """What comes of taking an edge: it joins two fragments (`GO`), completes what is asked for, or cannot be taken."""
    if mate_u == _INSIDE or mate_v == _INSIDE:
        return DEAD
    if mate_u == tables.edge[level, _COLUMNS + _OWN] or (mate_u == _ANCHOR and mate_v == _ANCHOR):
        return DONE if _completes(state, level, mate_u, tables) else DEAD
    return GO


def _completes(state, level, mate_u, tables):
    """Whether an edge that closes a path or cycle completes what is asked for: there is no other fragment."""
    edge = tables.edge
    u, v = edge[level, _PLACE], edge[level, _COLUMNS + _PLACE]
    if tables.cycle != (mate_u != _ANCHOR) or level < tables.covered:
        return False
    for slot in range(_FIRST_SLOT, len(tables.place)):
        place = tables.place[slot]
        mate = get(state, place, tables.mask)
        if place != u and place != v and mate != _INSIDE and (mate != slot or tables.all_):
            return False
    return True


def _joined(state, level, mate_u, mate_v, tables):
    """Make the far ends of two fragments mates; return the new mates of the edge's end points."""
    own_u, own_v = tables.edge[level, _OWN], tables.edge[level, _COLUMNS + _OWN]
    if mate_u != own_u and mate_u != _ANCHOR:
        toggle(state, tables.place[mate_u], own_u ^ mate_v)
    if mate_v != own_v and mate_v != _ANCHOR:
        toggle(state, tables.place[mate_v], own_v ^ mate_u)
    return mate_v if mate_u == own_u else _INSIDE, mate_u if mate_v == own_v else _INSIDE


def _passed(state, level, mate_u, mate_v, after_u, after_v, tables):
    """Give the end points of a decided edge their new mates; return whether what leaves the frontier may."""
    edge = tables.edge
    alone_u, alone_v = after_u == edge[level, _ALONE], after_v == edge[level, _COLUMNS + _ALONE]
    if tables.all_ and (alone_u or alone_v):
        return False
    after_u = _INSIDE if alone_u else after_u
    after_v = _INSIDE if alone_v else after_v
    if (after_u & edge[level, _ENDS]) | (after_v & edge[level, _COLUMNS + _ENDS]) or level == tables.last:
        return False
    toggle(state, edge[level, _PLACE], after_u ^ mate_u ^ edge[level, _ENTERS])
    toggle(state, edge[level, _COLUMNS + _PLACE], after_v ^ mate_v ^ edge[level, _COLUMNS + _ENTERS])
    return True


def _decided(state, level, taken, tables):
    """Take an edge, or leave it."""
    mate_u, mate_v = _mates(state, level, tables)
    after_u, after_v = mate_u, mate_v
    if taken:
        code = _taking(state, level, mate_u, mate_v, tables)
        if code != GO:
            return code
        after_u, after_v = _joined(state, level, mate_u, mate_v, tables)
    return GO if _passed(state, level, mate_u, mate_v, after_u, after_v, tables) else DEAD


def _barred(state, level, tables):
    """Whether an edge cannot be taken."""
    mate_u, mate_v = _mates(state, level, tables)
    return _taking(state, level, mate_u, mate_v, tables) == DEAD


class _Mates(SkippingSpec):
    """Paths between two anchors, or cycles."""

    skips = 3

    def __init__(self, graph: nx.Graph, anchors: Sequence[Any], order: EdgeOrder, all_: bool) -> None:
        self.items, ends = numbered_edges(graph, order, PASSED)
        number = {vertex: i for i, vertex in enumerate(graph)}
        starts = {number[vertex] for vertex in anchors}
        self._vertices, self._starts = list(graph), starts
        alone = {number[vertex] for vertex, degree in graph.degree if degree == 0}
        if not ends or (alone if all_ else alone & starts):
            self.root = End.DEAD
            return
        self._slots = slots = FrontierSlots(ends)
        starting = np.isin(ends, sorted(starts))
        loose = slots.enters & (slots.coming == 0) & ~starting  # on no path, with a single edge
        if all_ and loose.any():
            self.root = End.DEAD
            return
        bits = bits_for(slots.count - 1 + _FIRST_SLOT)
        place = places(slots.count, bits)
        edge = np.zeros((len(ends), 2, _COLUMNS), np.int64)
        edge[:, :, _PLACE] = place[slots.slot]
        edge[:, :, _OWN] = slots.slot + _FIRST_SLOT
        edge[:, :, _ENTERS] = np.select([~slots.enters, starting, loose], [0, _ANCHOR, _INSIDE], edge[:, :, _OWN])
        edge[:, :, _ALONE] = np.where(slots.coming < 2, edge[:, :, _OWN], -1)
        edge[:, :, _ENDS] = np.where(slots.coming == 0, (1 << bits) - 1, 0)
        self.tables = _Tables(
            edge=edge.reshape(len(ends), 2 * _COLUMNS),
            place=np.append(np.zeros(_FIRST_SLOT, np.int64), place),
            mask=(1 << bits) - 1,
            last=len(ends) - 1,
            covered=slots.all_entered if all_ else 0,
            all_=int(all_),
            cycle=int(not anchors),
            skips=self.skips,
        )
        self.root = (0,) * words_for(slots.count, bits)

    child = staticmethod(skipping(_decided, _barred))

    def full_widths(self) -> Sequence[int] | None:
        """Return how many ways the vertices on a frontier can be joined in pairs that do not cross, or to an anchor.

        A vertex may also be on no fragment or, with two decided edges, inside one; with one edge to come that is the
        same.  Of a graph that is not planar, or in an order that jumps around, fragments may cross, but few
        frontiers have met all ways.
        """
        if isinstance(self.root, End):
            return None
        found = []
        degree = Counter(x for edge in self._slots.ends for x in edge)
        entered: set[int] = set()
        for on in frontiers(self._slots.ends):
            entered.update(self._starts.intersection(on))
            lone = sum(n == 1 or n == degree[x] - 1 for x, n in on.items())
            found.append(_pairings(lone, len(on) - lone, len(entered)))
        return found

    def label(self, state: tuple[int, ...], level: int) -> str:
        """Return the mate of each vertex on the frontier: `1:2`, `1:in` within a fragment, `1:end` with an anchor."""
        slots = self._slots.at(level)
        vertex = {slot: x for x, slot in slots.items()}
        shown = []
        for x, slot in slots.items():
            mate = get(state, int(self.tables.place[slot + _FIRST_SLOT]), self.tables.mask)
            name = ("in", "end")[mate] if mate < _FIRST_SLOT else self._vertices[vertex[mate - _FIRST_SLOT]]
            shown.append(f"{self._vertices[x]}:{name}")
        return " ".join(shown)


@lru_cache(10_000)
def _pairings(lone: int, others: int, anchors: int) -> int:
    """How many states a frontier has, of `lone` vertices with one choice on no fragment, and of others with two.

    With k pairs and the ends of `anchors` fragments, which no pair may enclose, a ballot number counts their sequences.
    """
    ways = 0
    for ends in range(anchors, lone + others + 1, 2):
        pairs = (ends - anchors) // 2
        sequences = comb(ends, pairs) * (anchors + 1) // (pairs + anchors + 1)
        ways += sequences * sum(
            comb(lone, ends - j) * comb(others, j) << others - j for j in range(min(ends, others) + 1)
        )
    return max(1, ways)


class Paths(_Mates):
    """The sets of edges that are a simple path from one vertex to another.

    Parameters
    ----------
    graph : networkx.Graph
    source, target : vertices
    order : sequence of edges or str, optional
        All edges in the order of decision, or the name of an order, such as "auto"; vertex by vertex if not given.

    Raises
    ------
    GraphFormatError
        If the graph is of another kind, `order` is not all edges once, or the vertices are not two of the graph's.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import build
    >>> family = build(Paths(nx.grid_2d_graph(3, 3), (0, 0), (2, 2))).to_assignments()
    >>> family.count(), min(map(len, family))
    (12, 4)
    """

    _all = False

    def __init__(self, graph: nx.Graph, source: Any, target: Any, order: EdgeOrder = None) -> None:
        plain_graph(graph)
        if source not in graph or target not in graph or source == target:
            raise GraphFormatError(
                f"a path joins two different vertices of the graph; {shown(source)} and {shown(target)} are not"
            )
        super().__init__(graph, (source, target), order, self._all)


class HamiltonianPaths(Paths):
    """The sets of edges that are a path from one vertex to another through all vertices.

    Parameters and errors are those of `Paths`.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import count
    >>> count(HamiltonianPaths(nx.grid_2d_graph(5, 5), (0, 0), (4, 4)))
    104
    """

    _all = True


class Cycles(_Mates):
    """The sets of edges that are one simple cycle.

    Parameters
    ----------
    graph : networkx.Graph
    order : sequence of edges or str, optional
        All edges in the order of decision, or the name of an order, such as "auto"; vertex by vertex if not given.

    Raises
    ------
    GraphFormatError
        If the graph is of another kind, or `order` is not all edges once.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import count
    >>> count(Cycles(nx.grid_2d_graph(4, 4)))
    213
    """

    _all = False

    def __init__(self, graph: nx.Graph, order: EdgeOrder = None) -> None:
        super().__init__(graph, (), order, self._all)


class HamiltonianCycles(Cycles):
    """The sets of edges that are one cycle through all vertices.

    Parameters and errors are those of `Cycles`.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import count
    >>> count(HamiltonianCycles(nx.grid_2d_graph(6, 6)))
    1072
    """

    _all = True
