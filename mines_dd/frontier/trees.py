"""Forests, spanning trees, and connected subgraphs with given terminals, by component labels.

The state holds for each vertex on the frontier its component: the first slot of one of the component's vertices,
counted from 1.  So two states that join the same vertices are the same.  0 is an empty slot, or a vertex that belongs
to the subgraph only if one of its edges is taken.  A triangle 0 1 2, edges 01, 02, 12, and the trees that contain all
three vertices:

    before 01      0 0 0
    01 taken       1 1 0
    02 left        0 2 3      0 leaves, and its component is now that of slot 2; 2 enters on its own
    12 taken       done       both leave as one component: a spanning tree
    12 left        dead       the component of 1 would be left alone

A component whose last vertex leaves has to be all there is.  In a tree, an edge within a component would close a cycle;
it is skipped, up to three in a row, and no state is made for it.

References
----------
K. Sekine, H. Imai, S. Tani, "Computing the Tutte polynomial of a graph of moderate size", ISAAC 1995.
J. Kawahara, T. Inoue, H. Iwashita, S. Minato, "Frontier-based search for enumerating all constrained subgraphs with
compressed representation", IEICE Transactions E100-A, 2017.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import comb
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from mines_dd.base.arrays import LongArray
from mines_dd.base.checks import require_labels
from mines_dd.base.errors import GraphFormatError
from mines_dd.frontier.edges import EdgeOrder, FrontierSlots, SkippingSpec, numbered_edges, plain_graph, skipping
from mines_dd.frontier.fields import bits_for, get, places, put, replace, units, words_for
from mines_dd.frontier.spec import DEAD, DONE, GO, End
from mines_dd.orders.edges import frontiers

__all__ = ["ConnectedSubgraphs", "Forests", "SpanningTrees", "SteinerTrees"]

# Columns of the table of edges, for the one end point and the other.
_PLACE, _OWN, _ENTERS, _LEAVES, _COLUMNS = range(5)


class _Tables(NamedTuple):
    """What `child` looks up.

    `edge[e]` holds for both end points the place of the label, the label of a component whose first slot it is, whether
    it enters as a component of its own, and whether it leaves.  From edge `entered` on all terminals are there.
    """

    edge: LongArray
    places: LongArray
    mask: int
    bits: int
    units: int
    last: int
    entered: int
    connected: int
    acyclic: int
    skips: int


def _decided(state, level, taken, tables):
    """Join two components if the edge is taken, and let the vertices go that have no further edge."""
    edge, mask = tables.edge, tables.mask
    for k in range(0, 2 * _COLUMNS, _COLUMNS):
        enters = edge[level, k + _ENTERS] or taken
        if enters and get(state, edge[level, k + _PLACE], mask) == 0:
            put(state, edge[level, k + _PLACE], mask, edge[level, k + _OWN])
    if taken:
        one, other = get(state, edge[level, _PLACE], mask), get(state, edge[level, _COLUMNS + _PLACE], mask)
        if one == other and tables.acyclic:
            return DEAD
        replace(state, tables.units, tables.bits, max(one, other), min(one, other))
    for k in range(0, 2 * _COLUMNS, _COLUMNS):
        if edge[level, k + _LEAVES]:
            label = get(state, edge[level, k + _PLACE], mask)
            put(state, edge[level, k + _PLACE], mask, 0)
            if label == edge[level, k + _OWN] and not _inherited(state, label, tables) and tables.connected:
                return DONE if level >= tables.entered and _is_empty(state) else DEAD
    return DONE if level == tables.last else GO


def _within(state, level, tables):
    """Whether an edge is within a component."""
    edge = tables.edge
    one = get(state, edge[level, _PLACE], tables.mask)
    return one > 0 and one == get(state, edge[level, _COLUMNS + _PLACE], tables.mask)


def _inherited(state, label, tables):
    """Give a component whose first vertex has left the label of its next one; return whether there is one."""
    for slot in range(label, len(tables.places)):  # slot `label` - 1 was the first
        if get(state, tables.places[slot], tables.mask) == label:
            replace(state, tables.units, tables.bits, label, slot + 1)
            return True
    return False


def _is_empty(state):
    bits = 0
    for w in range(len(state)):
        bits |= state[w]
    return bits == 0


class _Components(SkippingSpec):
    """Sets of edges by the components they make."""

    _connected = True
    _acyclic = True

    def _plan(self, graph: nx.Graph, order: EdgeOrder, terminals: Collection[Any], isolated: int | None) -> None:
        """Lay the labels out; `isolated` of the terminals have no edge at all (None: it does not matter)."""
        self.items, ends = numbered_edges(graph, order)
        if isolated is not None and isolated and len(terminals) > 1:
            self.root = End.DEAD
        elif not ends or isolated:
            self.root = End.DONE
        else:
            self._vertices = vertices = list(graph)
            self._slots = slots = FrontierSlots(ends)
            bits = bits_for(slots.count)
            place = places(slots.count, bits)
            is_terminal = np.array([vertex in terminals for vertex in vertices])[np.array(ends)]
            self._labelled = {i for i, vertex in enumerate(vertices) if vertex in terminals}
            enters = slots.enters & is_terminal
            edge = np.stack([place[slots.slot], slots.slot + 1, enters, slots.coming == 0], axis=2).astype(np.int64)
            entered = int(np.flatnonzero(enters.any(axis=1))[-1])
            self.skips = 3 if self._acyclic else 0
            self.tables = _Tables(
                edge=edge.reshape(len(ends), 2 * _COLUMNS),
                places=place,
                mask=(1 << bits) - 1,
                bits=bits,
                units=units(bits),
                last=len(ends) - 1,
                entered=entered,
                connected=int(self._connected),
                acyclic=int(self._acyclic),
                skips=self.skips,
            )
            self.root = (0,) * words_for(slots.count, bits)

    child = staticmethod(skipping(_decided, _within))

    def full_widths(self) -> Sequence[int] | None:
        """Return how many partitions the vertices on a frontier have that do not cross, some perhaps without a label.

        Of a graph that is not planar, or in an order that jumps around, components may cross, but few frontiers
        have met all ways.
        """
        if isinstance(self.root, End):
            return None
        found = []
        for on in frontiers(self._slots.ends):
            sure = sum(x in self._labelled for x in on)
            found.append(sum(comb(len(on) - sure, k - sure) * _catalan(k) for k in range(sure, len(on) + 1)))
        return found

    def label(self, state: tuple[int, ...], level: int) -> str:
        """Return the component of each vertex on the frontier."""
        tables = self.tables
        found = {x: get(state, int(tables.places[slot]), tables.mask) for x, slot in self._slots.at(level).items()}
        return " ".join(f"{self._vertices[x]}:{label}" for x, label in found.items())


class Forests(_Components):
    """The sets of edges without a cycle; the empty set is one.

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
    >>> count(Forests(nx.complete_graph(4)))
    38
    """

    _connected = False

    def __init__(self, graph: nx.Graph, order: EdgeOrder = None) -> None:
        plain_graph(graph)
        self._plan(graph, order, set(graph), None)


class ConnectedSubgraphs(_Components):
    """The sets of edges that are one connected subgraph which contains given vertices.

    The subgraph consists of the edges, their end points and the terminals.  It is connected, and may have cycles and
    other vertices.  With one terminal the empty set is one.

    Parameters
    ----------
    graph : networkx.Graph
    terminals : iterable of vertices
        At least one.
    order : sequence of edges or str, optional
        All edges in the order of decision, or the name of an order, such as "auto"; vertex by vertex if not given.

    Raises
    ------
    GraphFormatError
        If the graph is of another kind, `order` is not all edges once, or there are no terminals or unknown ones.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import count
    >>> count(ConnectedSubgraphs(nx.cycle_graph(4), [0, 2]))  # 2 paths between them, 4 with an edge more, the cycle
    7
    """

    _acyclic = False

    def __init__(self, graph: nx.Graph, terminals: Iterable[Any], order: EdgeOrder = None) -> None:
        plain_graph(graph)
        given = set(require_labels(terminals, "a list of terminals"))
        unknown = [vertex for vertex in given if vertex not in graph]
        if unknown or not given:
            fault = f"{unknown[0]!r} is no vertex of the graph" if unknown else "there is no terminal"
            raise GraphFormatError(f"terminals are one or more vertices of the graph; {fault}")
        self._plan(graph, order, given, sum(degree == 0 for _, degree in graph.degree(given)))


class SteinerTrees(ConnectedSubgraphs):
    """The sets of edges that are a tree which contains given vertices.

    The tree may have other vertices, also as leaves: the cheapest tree for positive costs has none of those.

    Parameters and errors are those of `ConnectedSubgraphs`.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import build
    >>> trees = build(SteinerTrees(nx.star_graph(3), [1, 2])).to_assignments()
    >>> sorted(sorted(tree) for tree in trees)
    [[(0, 1), (0, 2)], [(0, 1), (0, 2), (0, 3)]]
    """

    _acyclic = True


class SpanningTrees(_Components):
    """The sets of edges that are a tree on all vertices; none if the graph is not connected.

    Parameters and errors are those of `Forests`.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import count
    >>> count(SpanningTrees(nx.complete_graph(5)))  # Cayley: n^(n - 2)
    125
    """

    def __init__(self, graph: nx.Graph, order: EdgeOrder = None) -> None:
        plain_graph(graph)
        self._plan(graph, order, set(graph), sum(degree == 0 for _, degree in graph.degree))
        if len(graph) == 0:
            self.root = End.DEAD


def _catalan(k: int) -> int:
    return comb(2 * k, k) // (k + 1)
