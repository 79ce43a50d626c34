"""Simple paths between two vertices (Knuth's Simpath)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx

from mines_dd.base.errors import GraphFormatError
from mines_dd.frontier.edges import Edge, last_edges, numbered_edges
from mines_dd.frontier.spec import End

__all__ = ["Paths"]

Mates = tuple[int, ...]


class Paths:
    """The sets of edges that are a simple path from one vertex to another (Knuth's Simpath).

    φ is the *mate* of every vertex on the frontier: the other end of the fragment of path that it is an end of, itself
    if it is on none, -1 inside a fragment.  `source` and `target` start as the ends of a fragment of their own, so that
    the path is what closes it to a cycle; then φ is (), no edge may follow, and the arc ends in ⊤ (ZDD).  φ is None
    once there can be no path.

    Parameters
    ----------
    graph : networkx.Graph
    source, target : vertices
    order : sequence of edges, optional
        All edges in the order of decision; as the graph lists them if not given.

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

    def __init__(self, graph: nx.Graph, source: Any, target: Any, order: Sequence[Edge] | None = None) -> None:
        if source == target or source not in graph or target not in graph:
            raise GraphFormatError(f"a path joins two vertices of the graph; {source!r} and {target!r} are not")
        self.items, self._ends = numbered_edges(graph, order)
        self._last = last_edges(self._ends, len(graph))
        number = {vertex: i for i, vertex in enumerate(graph)}
        mates = list(range(len(graph)))
        mates[number[source]], mates[number[target]] = number[target], number[source]
        self.root: Mates | None = tuple(mates)

    def child(self, configuration: Mates | None, level: int, taken: bool) -> Mates | None:
        """Join two fragments if the edge is taken, and let the vertices go that have no further edge."""
        if not configuration:
            return None if taken else configuration
        mates = list(configuration)
        u, v = self._ends[level]
        if taken:
            a, b = mates[u], mates[v]
            if a == v:
                closed = all(mate in (x, -1) for x, mate in enumerate(mates) if x not in (u, v))
                return () if closed else None
            if a == -1 or b == -1:
                return None
            mates[u] = mates[v] = -1
            mates[a], mates[b] = b, a
        for x in (u, v):
            if self._last[x] == level:
                if mates[x] not in (x, -1):
                    return None
                mates[x] = x
        return tuple(mates)

    def prune(self, configuration: Mates | None, level: int) -> End | None:
        """⊤ (ZDD) if the path is complete, ⊥ if there can be none."""
        if configuration == ():
            return End.T_ZDD
        return End.F if configuration is None or level == len(self.items) else None
