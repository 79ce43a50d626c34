"""Degree-constrained subgraphs (paper, definition 2)."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx

from mines_dd.constraints.graph import degree_constraint
from mines_dd.frontier.edges import Edge, last_edges, numbered_edges
from mines_dd.frontier.spec import End

__all__ = ["DegreeConstrained"]


class DegreeConstrained:
    """The sets of edges in which every vertex v has a degree in its set dc(v) (Definition 2 of the JSAI paper).

    φ is the degree of every vertex so far.  With `frontier`, only of those vertices that have edges both decided and
    to come: a vertex that is finished counts as one with an allowed degree, and φ is None if it has none.

    Parameters
    ----------
    graph : networkx.Graph
        Every vertex has the attribute `dc`, its set of allowed degrees.
    order : sequence of edges, optional
        All edges in the order of decision; as the graph lists them if not given, for a mine graph cell by cell.
    frontier : bool

    Raises
    ------
    GraphFormatError
        If a vertex has no `dc`, the graph is of another kind, or `order` is not all edges once.
    """

    def __init__(self, graph: nx.Graph, order: Sequence[Edge] | None = None, *, frontier: bool = False) -> None:
        self.items, self._ends = numbered_edges(graph, order)
        self.root: tuple[int, ...] | None = (0,) * len(graph)
        self._frontier = frontier
        self._allowed = [degree_constraint(graph, vertex) for vertex in graph]
        self._last = last_edges(self._ends, len(graph))
        # For each vertex and number of its edges decided: the degrees from which an allowed one can be reached.
        self._possible = [
            [{d for d in range(done + 1) if any(d <= k <= d + n - done for k in allowed)} for done in range(n + 1)]
            for allowed, n in zip(self._allowed, dict(graph.degree).values(), strict=True)
        ]
        # For each level, the vertices to look at and how many of their edges are decided.
        done = [0] * len(graph)
        self._checks: list[list[tuple[int, int]]] = [list(enumerate(done))]
        for ends in self._ends:
            for x in ends:
                done[x] += 1
            self._checks.append([(x, done[x]) for x in ends])
        self._checks[-1] = list(enumerate(done))

    def child(self, configuration: tuple[int, ...] | None, level: int, taken: bool) -> tuple[int, ...] | None:
        """Add one to the degrees of the edge's end points if it is taken."""
        if configuration is None or not (taken or self._frontier):
            return configuration
        degrees = list(configuration)
        for x in self._ends[level]:
            degrees[x] += taken
            if self._frontier and self._last[x] == level:
                if degrees[x] not in self._allowed[x]:
                    return None
                degrees[x] = min(self._allowed[x])
        return tuple(degrees)

    def prune(self, configuration: tuple[int, ...] | None, level: int) -> End | None:
        """⊥ if no element of dc(v) lies in [φ_v, φ_v + edges of v to come] for an end point v of the last edge.

        All vertices are looked at before the first edge and after the last.
        """
        if configuration is None:
            return End.F
        if any(configuration[x] not in self._possible[x][done] for x, done in self._checks[level]):
            return End.F
        return End.T_ZDD if level == len(self.items) else None
