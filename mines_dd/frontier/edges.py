"""A graph's edges as the items of a spec, its vertices in the slots of a state.

A vertex is on the *frontier* while some but not all of its edges are decided.  It enters with its first edge, takes the
lowest free slot, and leaves it with its last edge to another.  A path 0 - 1 - 2 - 3:

    edge    enter    slots of the ends    leave
    01      0 and 1       0, 1              0
    12      2             1, 0              1
    23      3             0, 1              2 and 3
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import networkx as nx
import numpy as np

from mines_dd.base.arrays import BoolArray, LongArray
from mines_dd.base.binding import bind
from mines_dd.base.budget import Budget
from mines_dd.base.checks import require, require_labels
from mines_dd.base.errors import GraphFormatError
from mines_dd.frontier.spec import GO, End, Spec
from mines_dd.orders.edges import frontier_widths, graph_edge_order

__all__ = ["Edge", "EdgeOrder", "FrontierSlots", "SkippingSpec", "numbered_edges", "plain_graph", "skipping"]

Edge = tuple[Any, Any]

EdgeOrder = Sequence[Edge] | str | None
"""All edges in the order of decision, or the name of an order (`mines_dd.orders.edges.graph_edge_order`)."""


def plain_graph(graph: nx.Graph, budget: Budget | None = None) -> None:
    """Refuse directed graphs, parallel edges and loops.

    Raises
    ------
    GraphFormatError
    BudgetExceededError
        If it takes too long.
    """
    require(graph, nx.Graph, "a networkx.Graph", error=GraphFormatError)
    if graph.is_directed() or graph.is_multigraph():
        raise GraphFormatError("top-down construction takes an undirected networkx.Graph without parallel edges")
    for u, v in Budget.of(budget).each(graph.edges):
        if u == v:
            raise GraphFormatError(f"vertex {u!r} has an edge to itself; leave it out")


def numbered_edges(
    graph: nx.Graph, order: EdgeOrder, passed: float = 1.0, budget: Budget | None = None
) -> tuple[tuple[Edge, ...], list[tuple[int, int]]]:
    """All edges in the order of decision, and their end points by number.

    Without an order they come vertex by vertex: an edge with the first of its ends, by the other one.  `passed` is for
    the order "auto" (`mines_dd.orders.edges.graph_edge_order`).
    """
    budget = Budget.of(budget)
    plain_graph(graph, budget)
    number = {vertex: i for i, vertex in enumerate(graph)}
    if isinstance(order, str):
        order = graph_edge_order(graph, order, passed)
    elif order is None:
        order = sorted(graph.edges, key=lambda edge: sorted(number[x] for x in edge))
    edges = tuple(require_labels(order, "the name of an order, or a list of all edges,"))
    if not all(isinstance(edge, tuple | frozenset) and len(edge) == 2 for edge in budget.each(edges)):
        raise GraphFormatError("an order of edges is a list of pairs of vertices; this one is not")
    there = Counter(map(frozenset, budget.each(graph.edges)))
    if Counter(map(frozenset, budget.each(edges))) != there:
        raise GraphFormatError("an order of edges names each edge of the graph once; this one does not")
    return edges, [(number[u], number[v]) for u, v in budget.each(edges)]


class SkippingSpec(Spec):
    """A spec whose `child` passes over edges that cannot be taken, at most `tables.skips` in a row.

    No state is made for them.  `skipping` makes such a `child`.
    """

    def frontier_widths(self) -> Sequence[int]:
        """Return for each layer how many vertices are on the frontier."""
        return frontier_widths(self.items)  # type: ignore[arg-type]

    def unpruned(self) -> Spec:
        """Return the spec that makes a state for every edge."""
        spec = copy(self)
        if not isinstance(self.root, End):
            spec.tables = self.tables._replace(skips=0)
        return spec


def skipping(decide: Callable[..., int], barred: Callable[..., bool]) -> Callable[..., int]:
    """Return the `child` that decides an edge, and then leaves those after it that cannot be taken.

    Parameters
    ----------
    decide : function
        What `child` is of a spec that skips nothing.
    barred : function
        (state, level, tables) -> whether the edge cannot be taken.
    """
    return bind(_child_that_skips, {"_decide": decide, "_barred": barred})


_decide: Any = None  # bound to the functions of a spec
_barred: Any = None


def _child_that_skips(state, level, taken, tables):
    """Decide the edge, and leave those after it that cannot be taken."""
    skipped = 0
    while True:
        code = _decide(state, level + skipped, taken, tables)
        if code != GO:
            return code
        if skipped == tables.skips or not _barred(state, level + skipped + 1, tables):
            return GO + skipped
        skipped += 1
        taken = 0


class FrontierSlots:
    """The slot of each vertex while it is on the frontier.

    Attributes
    ----------
    ends : sequence of (int, int)
        The end points of each edge.
    count : int
        How many slots there are: the most vertices that are on the frontier at an edge.
    slot : (edges, 2) int array
        The slots of both end points of each edge.
    enters : (edges, 2) bool array
        Whether it is the end point's first edge.
    coming : (edges, 2) int array
        How many edges of the end point come after it; with the last one it leaves the frontier.
    all_entered : int
        The first edge after which every vertex with an edge has entered.
    """

    ends: Sequence[tuple[int, int]]
    count: int
    slot: LongArray
    enters: BoolArray
    coming: LongArray
    all_entered: int

    def __init__(self, ends: Sequence[tuple[int, int]]) -> None:
        left = Counter(x for edge in ends for x in edge)
        self.slot, self.coming = np.zeros((2, len(ends), 2), np.int64)
        self.enters = np.zeros((len(ends), 2), np.bool_)
        taken: dict[int, int] = {}
        self.count = self.all_entered = 0
        self.ends = ends
        for e, edge in enumerate(ends):
            for k, x in enumerate(edge):
                if x not in taken:
                    used = set(taken.values())
                    taken[x] = next(s for s in range(len(used) + 1) if s not in used)
                    self.enters[e, k] = True
                    self.all_entered = e
                self.slot[e, k] = taken[x]
            self.count = max(self.count, 1 + max(taken.values()))
            for k, x in enumerate(edge):
                left[x] -= 1
                self.coming[e, k] = left[x]
                if left[x] == 0:
                    del taken[x]

    def at(self, level: int) -> dict[int, int]:
        """Return the vertices on the frontier before an edge, with their slots."""
        found: dict[int, int] = {}
        for edge, slots, coming in zip(self.ends[:level], self.slot.tolist(), self.coming.tolist(), strict=False):
            for x, slot, left in zip(edge, slots, coming, strict=True):
                found[x] = slot
                if left == 0:
                    del found[x]
        return dict(sorted(found.items()))
