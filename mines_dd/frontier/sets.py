"""Matchings and independent sets: no two that touch."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from heapq import heappop, heappush
from math import prod
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from mines_dd.base.arrays import LongArray
from mines_dd.base.checks import require_flag, require_labels
from mines_dd.base.errors import GraphFormatError
from mines_dd.frontier.degrees import DegreeConstrained
from mines_dd.frontier.edges import EdgeOrder, numbered_edges, plain_graph
from mines_dd.frontier.fields import get, places, words_for
from mines_dd.frontier.spec import DEAD, DONE, GO, End, Spec
from mines_dd.orders.edges import graph_vertex_order

__all__ = ["IndependentSets", "Matchings"]


class Matchings(DegreeConstrained):
    """The sets of edges of which no two meet; the empty set is one.

    Parameters
    ----------
    graph : networkx.Graph
    perfect : bool
        Whether every vertex has an edge.
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
    >>> count(Matchings(nx.cycle_graph(6))), count(Matchings(nx.cycle_graph(6), perfect=True))
    (18, 2)
    """

    def __init__(self, graph: nx.Graph, perfect: bool = False, order: EdgeOrder = None) -> None:
        items, ends = numbered_edges(graph, order)
        self._set(items, ends, [{1} if require_flag(perfect, "perfect") else {0, 1}] * len(graph), True, list(graph))


class _Tables(NamedTuple):
    """For each vertex the place of its bit, and for each integer of a state the bits of its later neighbours."""

    own: LongArray
    later: LongArray
    last: int


class IndependentSets(Spec):
    """The sets of vertices of which no two are neighbours; the empty set is one.

    The state has a bit for each undecided vertex with a decided neighbour: whether one of those is in.

    Parameters
    ----------
    graph : networkx.Graph
    order : sequence of vertices or str, optional
        All vertices in the order of decision, or the name of an order, such as "auto"
        (`mines_dd.orders.edges.graph_vertex_order`); as the graph lists them if not given.

    Raises
    ------
    GraphFormatError
        If the graph is of another kind, or `order` is not all vertices once.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import count
    >>> count(IndependentSets(nx.grid_2d_graph(5, 5)))
    55447
    >>> count(IndependentSets(nx.ladder_graph(50), order="auto"))
    16616132878186749607
    """

    mixes = False  # a graph with many edges has few of them

    def __init__(self, graph: nx.Graph, order: Sequence[Hashable] | str | None = None) -> None:
        plain_graph(graph)
        if isinstance(order, str):
            order = graph_vertex_order(graph, order)
        what = "the name of an order, or a list of all vertices,"
        self.items = tuple(graph if order is None else require_labels(order, what))
        if len(self.items) != len(graph) or set(self.items) != set(graph):
            raise GraphFormatError("an order of vertices names each vertex of the graph once; this one does not")
        number = {vertex: i for i, vertex in enumerate(self.items)}
        later = [sorted(number[x] for x in graph[vertex] if number[x] > i) for vertex, i in number.items()]
        self._later = later
        bit: dict[int, int] = {}  # of the undecided vertices with a decided neighbour
        own, masks = [-1] * len(number), [dict[int, int]() for _ in number]
        free: list[int] = []  # a heap
        slots = 0
        self._waiting: list[int] = []
        for i, neighbours in enumerate(later):
            self._waiting.append(len(bit))
            if i in bit:
                own[i] = bit.pop(i)
                heappush(free, own[i])
            for x in neighbours:
                if x not in bit:
                    bit[x] = heappop(free) if free else slots
                    slots = max(slots, bit[x] + 1)
            masks[i] = {bit[x]: 1 for x in neighbours}
        words = words_for(slots, 1)
        place = places(slots, 1)
        table = np.zeros((len(number), words), np.int64)
        for i, mask in enumerate(masks):
            for slot in mask:
                table[i, place[slot] >> 6] |= 1 << (place[slot] & 63)
        self.tables = _Tables(
            np.array([place[slot] if slot >= 0 else -1 for slot in own], np.int64), table, len(number) - 1
        )
        self.root = (0,) * words if self.items else End.DONE

    def full_widths(self) -> Sequence[int] | None:
        """Return how many sets the undecided vertices have that have a decided neighbour, or a closer bound.

        Which of them have a neighbour that is in, is told by the decided vertices with a neighbour to come.  Of each of
        their cliques at most one is in.
        """
        near = [set(neighbours) for neighbours in self._later]
        for i, neighbours in enumerate(self._later):
            for x in neighbours:
                near[x].add(i)
        cliques: list[set[int]] = []
        through = [list[int]() for _ in near]  # the vertices whose last neighbour this is
        widths = []
        for i, neighbours in enumerate(self._later):
            widths.append(min(1 << self._waiting[i], prod(1 + len(clique) for clique in cliques)))
            for clique in cliques:
                clique.difference_update(through[i])
            cliques = [clique for clique in cliques if clique]
            if neighbours:
                through[neighbours[-1]].append(i)
                fitting = next((clique for clique in cliques if clique <= near[i]), None)
                if fitting is None:
                    cliques.append({i})
                else:
                    fitting.add(i)
        return widths

    @staticmethod
    def child(state: Any, level: int, taken: int, tables: Any) -> int:
        """Take a vertex that no neighbour of is in, and mark those to come."""
        own = tables.own[level]
        if own >= 0:
            if taken and get(state, own, 1):
                return DEAD
            state[own >> 6] &= ~(1 << (own & 63))
        if taken:
            for w in range(len(state)):
                state[w] |= tables.later[level, w]
        return DONE if level == tables.last else GO
