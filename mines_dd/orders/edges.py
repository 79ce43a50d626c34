"""Orders of edges for frontier-based search, and the frontier they make.

A vertex is on the frontier from its first edge to its last one.  A search remembers something of each, so
its states grow exponentially with the frontier's width.  A ladder of n rungs, its vertices 0 to n - 1 and n to 2n - 1:

    side by side     01, 0n, 12, 1(n+1), ...       up to n + 1 vertices: those of the other side all wait
    rung by rung     0n, 01, n(n+1), 1(n+1), ...   up to 3

An order of the edges comes from one of the vertices: vertex by vertex, the edges to later ones, the nearest first; or
in "depth-first" the edges to earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Any, TypeVar

import networkx as nx
import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import IntArray
from mines_dd.base.checks import require_choice
from mines_dd.base.errors import GraphFormatError
from mines_dd.constraints.graph import Instance

__all__ = [
    "EDGE_ORDERS",
    "PASSED",
    "edge_order",
    "frontier_widths",
    "frontiers",
    "graph_edge_order",
    "graph_vertex_order",
]

Edge = tuple[Any, Any]
Vertex = TypeVar("Vertex", bound=Hashable)

# States grow by this factor with each vertex on the frontier, as paths on grids do.  It only weighs orders.
_GROWTH = 2.4
PASSED = 1.4
"""How much more a vertex with two decided edges or more weighs where a path may have passed through it already.

Found by trial."""


def edge_order(instance: Instance, cells: npt.ArrayLike) -> IntArray:
    """Return all edges of the mine graph as (cell, hint) indices, a cell's edges one after the other.

    Of a cell's hints those come first that close first, so that they leave the frontier early.
    """
    cells = np.asarray(cells, np.int32)
    place = np.empty(len(cells), np.int64)
    place[cells] = np.arange(len(cells))
    hint = instance.hint_of_member
    closes = np.zeros(len(instance.hints), np.int64)
    np.maximum.at(closes, hint, place[instance.member])
    at = np.lexsort((hint, closes[hint], place[instance.member]))
    return np.stack([instance.member[at], hint[at]], axis=1).astype(np.int32)


def graph_edge_order(graph: nx.Graph, name: str = "auto", passed: float = 1.0) -> list[Edge]:
    """Return all edges of a graph in an order of decision.

    Parameters
    ----------
    graph : networkx.Graph
    name : str
        "listed": vertex by vertex, as the graph lists them.  "rows", "columns": vertices that are pairs, by the first
        or the second number.  "breadth-first": by the distance from an end of the graph.  "elimination": always the
        vertex that brings the fewest new ones to the frontier.  "near": the same, but of those on the frontier.
        "depth-first": by a search in depth, large subtrees last, with the edges to earlier vertices; best on trees.
        "auto": that of these with the least predicted states.
    passed : float
        For "auto": how much more a vertex on the frontier weighs when it has two decided edges or more.  With `PASSED`,
        for paths and cycles, a grid goes row by row, which makes 2.5 times fewer of their states on 10 x 10
        vertices; forests and matchings have 3.1 and 2.6 times fewer from corner to corner.

    Raises
    ------
    GraphFormatError
        For an unknown name, or rows and columns of vertices that are no pairs of numbers.

    Examples
    --------
    >>> ladder = nx.ladder_graph(9)
    >>> [max(frontier_widths(graph_edge_order(ladder, name))) for name in ("listed", "auto")]
    [10, 3]

    Between two hubs a vertex on the frontier may be the other hub, which "near" takes too early:

    >>> hubs = nx.complete_bipartite_graph(2, 10)
    >>> [max(frontier_widths(graph_edge_order(hubs, name))) for name in ("near", "elimination")]
    [11, 3]
    """
    if name == "auto":
        found = (graph_edge_order(graph, each) for each in _names(graph))
        return min(found, key=lambda edges: _predicted(edges, passed))
    place = {vertex: i for i, vertex in enumerate(_vertices(graph, name, "order of edges"))}
    return sorted(graph.edges, key=lambda edge: sorted((place[x] for x in edge), reverse=name in _BY_LATER))


def graph_vertex_order(graph: nx.Graph, name: str = "auto") -> list[Any]:
    """Return all vertices of a graph in an order of decision.

    Parameters
    ----------
    graph : networkx.Graph
    name : str
        The order of vertices behind that order of edges (`graph_edge_order`).  "auto": that of these, from its start or
        from its end, with the fewest undecided vertices that have a decided neighbour; 2 states are counted for each.

    Raises
    ------
    GraphFormatError
        For an unknown name, or rows and columns of vertices that are no pairs of numbers.

    Examples
    --------
    >>> graph_vertex_order(nx.ladder_graph(4))  # rung by rung
    [7, 3, 6, 2, 5, 1, 4, 0]
    """
    if name == "auto":
        found = [list(EDGE_ORDERS[each](graph)) for each in _names(graph)]
        return min([*found, *(each[::-1] for each in found)], key=lambda vertices: _predicted_waiting(graph, vertices))
    return _vertices(graph, name, "order of vertices")


def _names(graph: nx.Graph) -> list[str]:
    """The names of the orders that a graph has."""
    return [name for name in EDGE_ORDERS if name not in _BY_PLACE or _has_places(graph)]


def _vertices(graph: nx.Graph, name: str, what: str) -> list[Any]:
    require_choice(name, ("auto", *EDGE_ORDERS), what, GraphFormatError)
    if name not in _names(graph):
        raise GraphFormatError(f"only vertices that are pairs of numbers have {name}")
    return list(EDGE_ORDERS[name](graph))


def frontiers(edges: Sequence[tuple[Vertex, Vertex]]) -> Iterator[dict[Vertex, int]]:
    """Yield for each edge the vertices on the frontier before it, each with its number of decided edges.

    It is one dict, which changes from edge to edge.

    Examples
    --------
    >>> [dict(on) for on in frontiers([(0, 1), (0, 2), (1, 2)])]
    [{}, {0: 1, 1: 1}, {1: 1, 2: 1}]
    """
    last = {x: i for i, edge in enumerate(edges) for x in edge}
    on: dict[Vertex, int] = {}
    for i, edge in enumerate(edges):
        yield on
        for x in edge:
            on[x] = on.get(x, 0) + 1
            if last[x] == i:
                del on[x]


def frontier_widths(edges: Iterable[Edge]) -> list[int]:
    """Return for each edge how many vertices are on the frontier when it is decided, its ends included.

    Examples
    --------
    >>> frontier_widths([(0, 1), (1, 2), (2, 3)])
    [2, 2, 2]
    """
    order = list(edges)
    return [len(on) + (u not in on) + (v not in on) for (u, v), on in zip(order, frontiers(order), strict=True)]


def _predicted(edges: Sequence[Edge], passed: float) -> float:
    """A number that grows with the states of a search in this order."""
    total = 0.0
    for (u, v), on in zip(edges, frontiers(edges), strict=True):
        width = len(on) + (u not in on) + (v not in on)
        twice = sum(n > 1 for n in on.values()) + (on.get(u) == 1) + (on.get(v) == 1)
        total += _GROWTH ** min(width, 500) * passed ** min(twice, 500)
    return total


def _predicted_waiting(graph: nx.Graph, vertices: Iterable[Any]) -> float:
    """As many states as vertices may wait, decided neighbours of theirs being in or not."""
    total, decided, waiting = 0.0, set[Any](), set[Any]()
    for vertex in vertices:
        total += 2.0 ** min(len(waiting), 1000)
        decided.add(vertex)
        waiting |= set(graph[vertex])
        waiting -= decided
    return total


def _has_places(graph: nx.Graph) -> bool:
    return all(
        isinstance(x, tuple) and len(x) == 2 and all(isinstance(part, (int, float)) for part in x) for x in graph
    )


def _ends(graph: nx.Graph) -> list[Any]:
    """An end of each component: a vertex that is farthest from its first one."""
    firsts = [next(x for x in graph if x in component) for component in nx.connected_components(graph)]
    return [list(nx.bfs_tree(graph, first))[-1] for first in firsts]


def _breadth_first(graph: nx.Graph) -> list[Any]:
    """Each component from its end."""
    return [x for end in _ends(graph) for x in nx.bfs_tree(graph, end)]


def _depth_first(graph: nx.Graph) -> list[Any]:
    """Each component from its end, children before their larger siblings: trees have a frontier of log(n) vertices."""
    ends = _ends(graph)
    children: dict[Any, list[Any]] = {x: [] for x in graph}
    size = dict.fromkeys(graph, 1)
    edges = [edge for end in ends for edge in nx.dfs_edges(graph, end)]
    for parent, child in edges:
        children[parent].append(child)
    for parent, child in reversed(edges):
        size[parent] += size[child]
    found: list[Any] = []
    waiting = ends[::-1]
    while waiting:
        found.append(waiting.pop())
        waiting += sorted(children[found[-1]], key=lambda x: -size[x])
    return found


def _elimination(graph: nx.Graph, near: bool = False) -> list[Any]:
    """Next the vertex with the fewest neighbours that are not on the frontier; in doubt, of those that wait longest.

    `near` ones are on the frontier themselves, while there are any.
    """
    place = {x: i for i, x in enumerate(_breadth_first(graph))}
    found: list[Any] = []
    new = {x: set(graph[x]) | {x} for x in graph}  # what would enter
    since: dict[Any, int] = {}

    def rank(x: Any) -> tuple[int, int, int]:
        return len(new[x]), since.get(x, len(place)), place[x]

    waiting = [] if near else [(*rank(x), x) for x in new]  # also with ranks of before
    heapify(waiting)
    while new:
        best = None
        while waiting and best is None:
            *of, x = heappop(waiting)
            best = x if x in new and rank(x) == tuple(of) else None
        if best is None:  # no vertex is on the frontier
            best = min(new, key=rank)
        changed = set()
        for x in new.pop(best) | {best}:
            since.setdefault(x, len(found))
            for y in (x, *graph[x]):
                if y in new:
                    new[y].discard(x)
                    changed.add(y)
        found.append(best)
        for x in changed:
            if x in since or not near:
                heappush(waiting, (*rank(x), x))
    return found


EDGE_ORDERS: dict[str, Callable[[nx.Graph], Iterable[Any]]] = {
    "listed": list,
    "rows": sorted,
    "columns": lambda graph: sorted(graph, key=lambda x: (x[1], x[0])),
    "breadth-first": _breadth_first,
    "near": partial(_elimination, near=True),
    "elimination": _elimination,
    "depth-first": _depth_first,
}
"""The orders of vertices behind `graph_edge_order`, by name."""

_BY_PLACE = ("rows", "columns")
_BY_LATER = ("depth-first",)
