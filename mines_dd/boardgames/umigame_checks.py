"""Umigame numbers computed in other ways: ZDDs of all repertoires, 0-1 programs, and the article's sets of leaves."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from functools import reduce
from typing import Any

from mines_dd.base.budget import Budget
from mines_dd.boardgames.families import Families
from mines_dd.boardgames.position_graph import PositionGraph, require_side
from mines_dd.boardgames.program import cheapest_choice
from mines_dd.boardgames.umigame import Repertoire
from mines_dd.diagrams.assignments import Assignments

__all__ = ["lines_by_leaf_sets", "minimal_repertoires", "repertoire_by_families", "repertoire_by_program"]


def minimal_repertoires(
    graph: PositionGraph, own: bool = True, *, backend: str = "auto", budget: Budget | None = None
) -> Assignments:
    """Return the minimal sets of leaves that suffice for a side: without any one leaf they would not suffice.

    The family of a position is the union of its children's families where the side is to move, and their join
    elsewhere; only minimal sets are kept.

    Parameters
    ----------
    graph : PositionGraph
    own : bool
        Whether it is the graph's own side, or the opponent.
    backend : {"auto", "dd.cudd_zdd", "oxidd"}
        As in `compile_zdd`.
    budget : Budget, optional
        Its nodes are those alive in the manager.

    Returns
    -------
    Assignments
        The sets, of labels.

    Raises
    ------
    BudgetExceededError
        If a limit is exceeded.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
    >>> sorted(map(sorted, minimal_repertoires(graph, own=False)))
    [['d', 'f'], ['e', 'f']]
    """
    graph, own = require_side(graph, own)
    budget = Budget.of(budget)
    item = {v: i for i, v in enumerate(graph.leaves)}
    with Families.of(len(item), backend, budget) as families:
        family: list[Any] = [None] * len(graph)
        for v in range(len(graph) - 1, -1, -1):
            if v in item:
                family[v] = families.singleton(item[v])
                continue
            combine = families.minimal_union if graph.own[v] == own else families.minimal_join
            family[v] = reduce(combine, map(family.__getitem__, graph.children[v]))
        diagram = families.exported(family[0])
        family.clear()
    labels = [graph.labels[v] for v in item]
    circuit = diagram.to_circuit(labels, range(len(labels)), budget)
    return Assignments(circuit, "zdd", diagram.node_count, {}, diagram)


def repertoire_by_families(
    graph: PositionGraph, own: bool = True, *, backend: str = "auto", budget: Budget | None = None
) -> Repertoire:
    """Return a smallest repertoire: the smallest of `minimal_repertoires`, with the same parameters and errors.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
    >>> repertoire_by_families(graph, own=False).lines
    2
    """
    family = minimal_repertoires(graph, own, backend=backend, budget=budget)
    [(_, leaves)] = family.cheapest(dict.fromkeys(family.cells, 1))
    return _within(graph, own, leaves, {"nodes": family.node_count})


def repertoire_by_program(graph: PositionGraph, own: bool = True, *, budget: Budget | None = None) -> Repertoire:
    """Return a smallest repertoire by HiGHS; it is exact up to the solver's tolerances.

    The 0-1 program has a variable for each position, 1 if it is reached.  The root is reached.  From a reached
    position at least one child is reached where the side is to move, and all children elsewhere.  The number of reached
    leaves is minimal.

    Parameters
    ----------
    graph : PositionGraph
    own : bool
        Whether it is the graph's own side, or the opponent.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If it takes longer.
    MinesError
        If highspy is not installed, or the solver stopped without an optimum.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
    >>> repertoire_by_program(graph, own=False).lines  # doctest: +SKIP
    """
    graph, own = require_side(graph, own)
    rows: list[tuple[dict[int, int], int]] = [({0: 1}, 1)]  # the root is reached
    for v, children in enumerate(graph.children):
        groups = [children] if graph.own[v] == own else [(child,) for child in children]
        rows += [({v: -1} | dict.fromkeys(group, 1), 0) for group in groups if group]
    reached, nodes = cheapest_choice([not children for children in graph.children], rows, budget=budget)
    leaves = {graph.labels[v] for v in reached if not graph.children[v]}
    return _within(graph, own, leaves, {"nodes": nodes})


def lines_by_leaf_sets(graph: PositionGraph, own: bool = True) -> int:
    """Return the lines that the article's first algorithm finds: one set of leaves a position, in time O(L²).

    A position keeps the set of the leaves to memorise: the smallest of its children's where the side is to move, their
    union elsewhere.  The article calls the result right; it is an upper bound.  Where a larger set of one child shares
    more with another position, the smallest sets cost too much.

    Parameters
    ----------
    graph : PositionGraph
    own : bool
        Whether it is the graph's own side, or the opponent.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
    >>> lines_by_leaf_sets(graph, own=False)  # a takes d, b takes e, c takes f; with a -> e it would be 2
    3
    """
    graph, own = require_side(graph, own)
    wanted = list(graph.parents)
    leaves: list[frozenset[int]] = [frozenset()] * len(graph)
    for v in range(len(graph) - 1, -1, -1):
        children = graph.children[v]
        below = [leaves[child] for child in children]
        if not children:
            leaves[v] = frozenset((v,))
        elif graph.own[v] == own or len(below) == 1:
            leaves[v] = min(below, key=len)
        else:
            leaves[v] = frozenset().union(*below)
        for child in children:
            wanted[child] -= 1
            if not wanted[child]:
                leaves[child] = frozenset()  # all parents have used it
    return len(leaves[0])


def _within(graph: PositionGraph, own: bool, leaves: Collection[Hashable], details: dict[str, int]) -> Repertoire:
    """A repertoire whose leaves are among those given."""
    safe = [False] * len(graph)
    for v in range(len(graph) - 1, -1, -1):
        children = graph.children[v]
        if not children:
            safe[v] = graph.labels[v] in leaves
        else:
            safe[v] = (any if graph.own[v] == own else all)(safe[child] for child in children)
    return Repertoire.following(
        graph, own, lambda v: next(child for child in graph.children[v] if safe[child]), details
    )
