"""A graph's edges as the items of a problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import networkx as nx

from mines_dd.base.errors import GraphFormatError

__all__ = ["Edge", "last_edges", "numbered_edges"]

Edge = tuple[Any, Any]


def numbered_edges(graph: nx.Graph, order: Sequence[Edge] | None) -> tuple[tuple[Edge, ...], list[tuple[int, int]]]:
    """All edges in the order of decision, and their end points by number."""
    if graph.is_directed() or graph.is_multigraph():
        raise GraphFormatError("top-down construction takes an undirected networkx.Graph without parallel edges")
    edges = tuple(graph.edges if order is None else order)
    if Counter(map(frozenset, edges)) != Counter(map(frozenset, graph.edges)):
        raise GraphFormatError("an order of edges names each edge of the graph once; this one does not")
    number = {vertex: i for i, vertex in enumerate(graph)}
    ends = [(number[u], number[v]) for u, v in edges]
    for (u, v), edge in zip(ends, edges, strict=True):
        if u == v:
            raise GraphFormatError(f"vertex {edge[0]!r} has an edge to itself; leave it out")
    return edges, ends


def last_edges(ends: Iterable[tuple[int, int]], vertices: int) -> list[int]:
    """For each vertex the place of its last edge, -1 if it has none."""
    last = [-1] * vertices
    for i, (u, v) in enumerate(ends):
        last[u] = last[v] = i
    return last
