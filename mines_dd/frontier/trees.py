"""Forests and spanning trees by component labels.

The state holds for each vertex on the frontier the number of its component, and vertices of one component have one
number, given by first appearance; 0 is an empty slot.  A triangle 0 1 2, edges 01, 02, 12:

    before 01      0 0 0
    01 taken       1 1 0
    02 left        0 1 2      0 leaves, 2 enters on its own; 1 and 2 are renumbered
    12 taken       done       both leave as one component: a spanning tree
    12 left        dead       the component of 1 would be left alone

An edge within a component would close a cycle.

References
----------
K. Sekine, H. Imai, S. Tani, "Computing the Tutte polynomial of a graph of moderate size", ISAAC 1995.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import numpy.typing as npt

from mines_dd.frontier.edges import Edge, FrontierSlots, numbered_edges
from mines_dd.frontier.fields import bits_for, get, join_components, places, put, words_for
from mines_dd.frontier.spec import DEAD, DONE, GO, End, Spec

__all__ = ["Forests", "SpanningTrees"]


class _Tables(NamedTuple):
    """What `child` looks up: for each edge the places of both end points, and whether they enter and leave."""

    edge: npt.NDArray[np.int64]
    places: npt.NDArray[np.int64]
    mask: int
    last: int
    all_entered: int
    connected: int


class Forests(Spec):
    """The sets of edges without a cycle; the empty set is one.

    Parameters
    ----------
    graph : networkx.Graph
    order : sequence of edges, optional
        All edges in the order of decision; vertex by vertex if not given.

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

    def __init__(self, graph: nx.Graph, order: Sequence[Edge] | None = None) -> None:
        self.items, ends = numbered_edges(graph, order)
        alone = any(degree == 0 for _, degree in graph.degree)
        if self._connected and (len(graph) == 0 or (alone and len(graph) > 1)):
            self.root = End.DEAD
        elif not ends:
            self.root = End.DONE
        else:
            self._plan(ends, list(graph))

    def _plan(self, ends: Sequence[tuple[int, int]], vertices: list[Any]) -> None:
        self._vertices = vertices
        self._slots = slots = FrontierSlots(ends, len(vertices))
        bits = bits_for(slots.count + 2)
        place = places(slots.count, bits)
        edge = np.hstack([place[slots.slot], slots.enters, slots.leaves]).astype(np.int64)
        self.tables = _Tables(edge, place, (1 << bits) - 1, len(ends) - 1, slots.all_entered, int(self._connected))
        self.root = (0,) * words_for(slots.count, bits)

    @staticmethod
    def child(state: Any, level: int, taken: int, tables: Any) -> int:
        """Join two components if the edge is taken, and let the vertices go that have no further edge."""
        edge, place, mask = tables.edge, tables.places, tables.mask
        u, v = edge[level, 0], edge[level, 1]
        if edge[level, 2]:
            put(state, u, mask, len(place) + 1)
        if edge[level, 3]:
            put(state, v, mask, len(place) + 2)
        one, other = get(state, u, mask), get(state, v, mask)
        if taken:
            if one == other:
                return DEAD
            join_components(state, place, mask, one, other)
        for k in range(2):
            if edge[level, 4 + k]:
                x = edge[level, k]
                label = get(state, x, mask)
                put(state, x, mask, 0)
                if tables.connected and _is_last(state, place, mask, label):
                    return DONE if level >= tables.all_entered and _is_empty(state) else DEAD
        join_components(state, place, mask, 0, 0)
        if level == tables.last:
            return DONE
        return GO

    def show(self, state: tuple[int, ...], level: int) -> str:
        """Return the component of each vertex on the frontier."""
        tables = self.tables
        found = {x: get(state, int(tables.places[slot]), tables.mask) for x, slot in self._slots.at(level).items()}
        return " ".join(f"{self._vertices[x]}:{label}" for x, label in found.items())


class SpanningTrees(Forests):
    """The sets of edges that are a tree on all vertices; none if the graph is not connected.

    Parameters and errors are those of `Forests`.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import count
    >>> count(SpanningTrees(nx.complete_graph(5)))  # Cayley: n^(n - 2)
    125
    """

    _connected = True


def _is_last(state, places, mask, label):
    """Whether no vertex on the frontier has this label."""
    found = 0
    for i in range(len(places)):
        if get(state, places[i], mask) == label:
            found += 1
    return found == 0


def _is_empty(state):
    bits = 0
    for w in range(len(state)):
        bits |= state[w]
    return bits == 0
