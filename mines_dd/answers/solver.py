"""From a board or a mine graph to all its mine assignments, by any of the methods."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import networkx as nx
import numpy as np

from mines_dd.base.budget import Budget, memory_errors
from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.board.board import Board
from mines_dd.compilers.dc import degree_constrained, frontier_diagram
from mines_dd.compilers.plan import LINEAR, Order, Plan, linear_plan, tree_plan
from mines_dd.constraints.graph import Instance, IntArray, degree_constraint
from mines_dd.constraints.simplify import Simplified, unsimplified
from mines_dd.constraints.simplify import simplify as reduce
from mines_dd.diagrams.assignments import Assignments
from mines_dd.diagrams.circuit import Circuit
from mines_dd.diagrams.diagram import Diagram
from mines_dd.order import cell_order, edge_order

__all__ = ["METHODS", "Method", "Order", "plans", "solve", "subgraphs"]

Method = Literal["auto", "bdd", "zdd", "dc", "tree"]

# Below this many seconds it does not pay to look for a method better than "tree".
_QUICK = 0.2

_ADVICE = "use another order or method (mines-dd compare --plan shows what each needs), or a smaller board"

_FRONTIER = "frontier-based search (own kernel)"


def solve(
    source: Board | nx.Graph,
    method: Method = "auto",
    order: Order = "auto",
    simplify: bool | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    backend: str = "auto",
) -> Assignments:
    """Return all mine assignments of a board.

    Parameters
    ----------
    source : Board or networkx.Graph
        A board, or a mine graph (see `mine_graph`) of any shape.
    method : {"auto", "bdd", "zdd", "dc", "tree"}
        Conjunction of BDDs (paper §4.1), intersection of ZDDs (§4.2), frontier-based search for degree-constrained
        subgraphs (§4.3), or hint elimination along a tree decomposition (ours); "auto" is the cheapest predicted.
    order : str or sequence
        "auto" (the best predicted), "row", "column", "greedy" or "tree", or the cells in order; for "tree" "auto",
        "min-fill", "min-degree", or the hints in order.
    simplify : bool, optional
        Whether to reduce the board first (forced cells, equal hints); the answer is the same. By default, yes.
    max_nodes, timeout : optional
        Limits on nodes (states, table entries) and seconds.
    backend : str
        The decision diagram package for "bdd" ("dd.cudd", "dd.autoref") or "zdd" ("dd.cudd_zdd", "oxidd"), or "auto".

    Returns
    -------
    Assignments
        An empty family if the board is inconsistent.

    Raises
    ------
    BudgetExceededError
        If a limit is exceeded.
    GraphFormatError
        If `source` is a graph of another form, or `order` does not fit it.
    MinesError
        If there is no such method, or one without packages to choose from is given a `backend`.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> board = Board.parse("##1/221/000")
    >>> [solve(board, method).count() for method in ("bdd", "zdd", "dc", "tree")]
    [1, 1, 1, 1]
    """
    if method != "auto" and method not in METHODS:
        raise MinesError(f"there is no method {method!r}; the methods are auto, {', '.join(METHODS)}")
    if backend != "auto" and method in ("dc", "tree"):
        raise MinesError(f"the method {method} has no backend to choose; leave out {backend!r}, or use bdd or zdd")
    budget = Budget(max_nodes, timeout, advice=_ADVICE)
    started = time.perf_counter()
    instance = Instance.of(source)
    wanted = "tree" if method == "auto" else method
    reduced = unsimplified(instance) if simplify is False else reduce(instance, twins=wanted == "tree")
    with memory_errors(budget.advice):
        if not reduced.consistent:
            result = Assignments(Circuit.empty(instance.cells), wanted, 0)
        else:
            job = _Job(instance, reduced, order, budget, backend)
            if method == "auto":
                job = job.cheapest()
            result = METHODS[job.plan.method if job.plan else wanted](job)
    result.details["order"] = order if isinstance(order, str) else "given"
    result.details["seconds"] = time.perf_counter() - started
    return result


def plans(source: Board | nx.Graph, order: Order = "auto") -> list[Plan]:
    """Return what each method is predicted to need after reduction, the cheapest first; none if inconsistent."""
    instance = Instance.of(source)
    grouped = reduce(instance)
    if not grouped.consistent:
        return []
    job = _Job(instance, reduce(instance, twins=False), order, Budget(), "auto")
    linear = [job.linear_plan(method) for method in LINEAR]
    return sorted([tree_plan(grouped), *linear], key=lambda plan: plan.seconds)


def subgraphs(
    graph: nx.Graph,
    order: Order = "auto",
    max_nodes: int | None = None,
    timeout: float | None = None,
) -> Assignments:
    """Return all degree-constrained subgraphs of any graph (definition 2), by frontier-based search.

    Perfect matchings have dc = {1} everywhere, k-factors dc = {k}.

    Parameters
    ----------
    graph : networkx.Graph
        Every vertex has the attribute `dc`, its set of allowed degrees.
    order : str or sequence of edges
        As for the cells of `solve`: the edges take the cells' place and the vertices that of the hints.
    max_nodes, timeout : optional
        Limits on states and seconds.

    Returns
    -------
    Assignments
        A family of sets of edges: its `cells` are the edges of the graph.

    Raises
    ------
    GraphFormatError
        If a vertex has no `dc`, the graph is of another kind, or `order` does not fit it.
    BudgetExceededError
        If a limit is exceeded.

    Examples
    --------
    >>> import networkx as nx
    >>> square = nx.cycle_graph(4)
    >>> nx.set_node_attributes(square, {1}, "dc")
    >>> sorted(map(sorted, subgraphs(square)))
    [[(0, 1), (2, 3)], [(0, 3), (1, 2)]]
    """
    budget = Budget(max_nodes, timeout, advice="use another order, or a smaller graph")
    edges = list(graph.edges)
    incident: dict[Any, list[int]] = {vertex: [] for vertex in graph}
    for i, edge in enumerate(edges):
        for vertex in edge:
            incident[vertex].append(i)
    allowed = [sorted(degree_constraint(graph, vertex)) for vertex in graph]
    instance = Instance.build(edges, list(graph), incident.values(), allowed)
    chosen = cell_order(instance, order)
    found = frontier_diagram(graph, [edges[i] for i in chosen.tolist()], budget=budget)
    details = {"backend": _FRONTIER, "states": found.states, "dead_states": found.dead_states}
    circuit = found.diagram.to_circuit(edges, chosen)
    return Assignments(circuit, "dc", found.diagram.node_count, details, found.diagram)


@dataclass(frozen=True)
class _Job:
    """What a method gets: the instance as it came and reduced, and how to go about it."""

    instance: Instance
    reduced: Simplified
    order: Order
    budget: Budget
    backend: str
    plan: Plan | None = None

    def cheapest(self) -> _Job:
        """The job with the plan of the method that is predicted to be the quickest, of those that the order is for."""
        of_hints = ("auto", "min-fill", "min-degree")
        for_tree = (
            self.order in of_hints if isinstance(self.order, str) else set(self.order) == set(self.instance.hints)
        )
        plans = [self.tree_plan()] if for_tree else []
        single = self
        if not plans or (plans[0].seconds > _QUICK and self.order == "auto"):
            if self.reduced.is_reduced:
                single = replace(self, reduced=reduce(self.instance, twins=False))
            plans += [single.linear_plan(method) for method in LINEAR]
        best = min(plans, key=lambda plan: plan.seconds)
        return replace(self if best.method == "tree" else single, plan=best)

    def tree_plan(self) -> Plan:
        """The plan of hint elimination."""
        return tree_plan(self.reduced, self.order_for(self.instance.hints, self.reduced.instance.hints, "hint"))

    def linear_plan(self, method: str) -> Plan:
        """The plan of a method that follows a linear order of cells."""
        labels = self.order_for(self.instance.cells, self.kept.cells, "closed cell next to a hint")
        return linear_plan(method, self.kept, labels)

    @cached_property
    def kept(self) -> Instance:
        """The reduced instance, of single cells under their own labels."""
        return replace(self.reduced.instance, cells=[self.instance.cells[i] for i in self.reduced.group_cell.tolist()])

    def order_for(self, labels: Sequence[Any], kept: Sequence[Any], what: str) -> Order:
        """The order asked for, a given one without what the reduction has decided."""
        if isinstance(self.order, str):
            return self.order
        given = list(self.order)
        if sorted(map(repr, given)) != sorted(map(repr, labels)):
            raise GraphFormatError(f"an order names each {what} of the board once; this one does not")
        still_there = set(kept)
        return [label for label in given if label in still_there]

    def cell_order(self, method: str) -> IntArray:
        """The decision order of the kept cells, for a method that can afford it."""
        plan = self.plan or self.linear_plan(method)
        if self.reduced.is_reduced:
            plan.require(self.budget)
        return plan.order

    def assignments(self, method: str, diagram: Diagram, cell_of_item: IntArray, **details: Any) -> Assignments:
        """The family that a diagram over the kept cells describes."""
        original = np.append(self.reduced.group_cell, -1)[cell_of_item]
        circuit = diagram.to_circuit(self.instance.cells, original).with_mines(self.reduced.mines.tolist())
        return Assignments(circuit, method, diagram.node_count, details, diagram)


def _labelled(diagram: Diagram, instance: Instance, order: IntArray) -> Diagram:
    """The diagram with the cells' labels as its items."""
    return replace(diagram, items=[instance.cells[i] for i in order.tolist()])


def _bdd(job: _Job) -> Assignments:
    from mines_dd.compilers.bdd import compile_bdd

    order = job.cell_order("bdd")
    compiled = compile_bdd(job.kept, order, backend=job.backend, budget=job.budget)
    return job.assignments("bdd", _labelled(compiled.diagram, job.kept, order), order, backend=compiled.backend)


def _zdd(job: _Job) -> Assignments:
    from mines_dd.compilers.zdd import compile_zdd

    order = job.cell_order("zdd")
    compiled = compile_zdd(job.kept, order, backend=job.backend, budget=job.budget)
    return job.assignments("zdd", _labelled(compiled.diagram, job.kept, order), order, backend=compiled.backend)


def _dc(job: _Job) -> Assignments:
    kept = job.kept
    edges = edge_order(kept, job.cell_order("dc"))
    degree = np.bincount(edges[:, 0], minlength=len(kept.cells)).tolist()
    first_of_cell = np.append(True, edges[1:, 0] != edges[:-1, 0])[: len(edges)]
    vertices = edges + [0, len(kept.cells)]
    found = degree_constrained(vertices, [*((0, d) for d in degree), *kept.allowed], budget=job.budget)
    names = [(kept.cells[cell], kept.hints[hint]) for cell, hint in edges.tolist()]
    return job.assignments(
        "dc",
        replace(found.diagram, items=names),
        np.where(first_of_cell, edges[:, 0], -1),
        backend=_FRONTIER,
        states=found.states,
        dead_states=found.dead_states,
    )


def _tree(job: _Job) -> Assignments:
    from mines_dd.compilers.tree import compile_tree

    reduced = job.reduced
    plan = job.plan or job.tree_plan()
    if reduced.is_reduced:
        plan.require(job.budget)
    compiled = compile_tree(reduced, job.instance.cells, plan.order, budget=job.budget)
    details = {"backend": "hint elimination (own kernel)", "entries": compiled.entries, "peak": compiled.peak}
    return Assignments(compiled.circuit, "tree", compiled.circuit.node_count, details)


METHODS: dict[str, Callable[[_Job], Assignments]] = {"bdd": _bdd, "zdd": _zdd, "dc": _dc, "tree": _tree}
"""The methods by name."""
