"""Degree-constrained subgraphs by the degrees of all vertices, as in the Qiita article; for comparisons.

The state has the degree of every vertex, also of those whose edges are all decided.  So more states differ than with
`mines_dd.frontier.degrees`, which forgets them.  A path 0 - 1 - 2 - 3, its vertices with the degrees 0 or 1, before the
edge 23, when vertex 2 alone is on the frontier:

    edges taken     degrees of 0 1 2 3     of vertex 2
    none            0 0 0 0                0
    01              1 1 0 0                0
    12              0 1 1 0                1
                    three states           two

>>> import networkx as nx
>>> from mines_dd.frontier import DegreeConstrained, build
>>> path = nx.path_graph(4)
>>> nx.set_node_attributes(path, {0, 1}, "dc")
>>> build(AllDegrees(path)).layer_sizes, build(DegreeConstrained(path)).layer_sizes
([1, 2, 3], [1, 2, 2])

References
----------
決定図を用いたマインスイーパー攻略 (Minesweeper by decision diagrams), Qiita, 16 May 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Literal, NamedTuple

import networkx as nx
import numpy as np

from mines_dd.base.arrays import LongArray
from mines_dd.base.checks import require_choice
from mines_dd.base.errors import GraphFormatError
from mines_dd.constraints.graph import degree_constraint
from mines_dd.frontier.edges import EdgeOrder, numbered_edges
from mines_dd.frontier.fields import bits_for, get, places, put, words_for
from mines_dd.frontier.spec import DEAD, DONE, GO, End, Spec
from mines_dd.orders.edges import frontier_widths

__all__ = ["AllDegrees"]


class _Tables(NamedTuple):
    """Per edge the places of both end points, and the tests after it.

    After edge e come the tests `begin[e]` to `begin[e + 1]`: a field and where in `possible` its row of degrees begins.
    """

    edge: LongArray
    begin: LongArray
    test: LongArray
    possible: LongArray
    mask: int
    last: int


class AllDegrees(Spec):
    """The sets of `DegreeConstrained`, with the degrees of *all* vertices as the state; for comparisons.

    Parameters
    ----------
    graph : networkx.Graph
    order : sequence of edges, optional
    tests : "both ends", "last edge" or "end"
        When a degree is tested: of both end points after every edge, of a vertex after its last edge, or of all
        vertices after the last edge of all.
    """

    def __init__(
        self,
        graph: nx.Graph,
        order: EdgeOrder = None,
        tests: Literal["both ends", "last edge", "end"] = "both ends",
    ) -> None:
        require_choice(tests, ("both ends", "last edge", "end"), "time of tests", GraphFormatError)
        self.items, self._ends = numbered_edges(graph, order)
        allowed = [degree_constraint(graph, vertex) for vertex in graph]
        # For each vertex and number of its edges decided: the degrees from which an allowed one can be reached.
        self._possible = [
            [[int(any(d <= a <= d + n - done for a in degrees)) for d in range(n + 1)] for done in range(n + 1)]
            for degrees, (_, n) in zip(allowed, graph.degree, strict=True)
        ]
        self._plan(tests)

    def _plan(self, tests: str) -> None:
        ends, possible = self._ends, self._possible
        if (tests != "end" or not ends) and not all(rows[0][0] for rows in possible):
            self.root = End.DEAD
            return
        if not ends:
            self.root = End.DONE
            return
        bits = bits_for(max(map(len, possible)) - 1)
        place = places(len(possible), bits)
        rows: list[int] = []
        test: list[tuple[int, int]] = []
        begin = [0]
        done = [0] * len(possible)
        for e, edge in enumerate(ends):
            for x in edge:
                done[x] += 1
            tested = [
                x for x in edge if tests == "both ends" or (tests == "last edge" and done[x] == len(possible[x]) - 1)
            ]
            for x in range(len(possible)) if e == len(ends) - 1 else tested:
                test.append((place[x], len(rows)))
                rows += possible[x][done[x]]
            begin.append(len(test))
        self.tables = _Tables(
            edge=place[np.array(ends)],
            begin=np.array(begin, np.int64),
            test=np.array(test, np.int64).reshape(-1, 2),
            possible=np.array(rows, np.int64),
            mask=(1 << bits) - 1,
            last=len(ends) - 1,
        )
        self._places = place.tolist()
        self.root = (0,) * words_for(len(possible), bits)

    def frontier_widths(self) -> Sequence[int]:
        """Return for each layer how many vertices are on the frontier."""
        return frontier_widths(self.items)  # type: ignore[arg-type]

    @staticmethod
    def child(state: Any, level: int, taken: int, tables: Any) -> int:
        """Add one to the degrees of the edge's end points if it is taken, and make the tests."""
        mask = tables.mask
        if taken:
            for k in range(2):
                place = tables.edge[level, k]
                put(state, place, mask, get(state, place, mask) + 1)
        for i in range(tables.begin[level], tables.begin[level + 1]):
            degree = get(state, tables.test[i, 0], mask)
            if tables.possible[tables.test[i, 1] + degree] == 0:
                return DEAD
        return DONE if level == tables.last else GO

    def unpruned(self) -> AllDegrees:
        """Return the spec that tests all degrees after the last edge."""
        spec = copy(self)
        spec._plan("end")
        return spec

    def label(self, state: tuple[int, ...], level: int) -> tuple[int, ...]:
        """Return the degrees of all vertices."""
        return tuple(get(state, place, self.tables.mask) for place in self._places)
