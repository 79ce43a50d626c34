"""From a board or a mine graph to all its mine assignments, by any of the methods.

The way has stages, each with its seconds in `Assignments.details`:

    read      the hints of the board, simplified
    order     in which order to take its cells or hints, and what that will need
    build     the method itself, in that order
    export    the diagram, read out of its package's manager, as a circuit: when a question first needs it
    compile   Numba, and the kernels of all these stages; none of it is in their seconds
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from mines_dd.base.arrays import IntArray
from mines_dd.base.budget import Budget, memory_errors
from mines_dd.base.checks import require, require_choice, require_flag, require_labels
from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.base.jit import compile_seconds, interpreted_seconds
from mines_dd.base.wording import shown
from mines_dd.board.board import Board
from mines_dd.compilers.dc import degree_constrained
from mines_dd.compilers.packages import Compiled
from mines_dd.compilers.plan import LINEAR, Order, Plan, least_linear_seconds, linear_plans, tree_plan
from mines_dd.compilers.relaxation import Tightened, tightened
from mines_dd.compilers.schedule import Conjoin
from mines_dd.compilers.tree import compile_tree
from mines_dd.constraints.graph import GraphLike, Instance, degree_constraint
from mines_dd.constraints.simplify import Simplified, unsimplified
from mines_dd.constraints.simplify import simplify as reduce
from mines_dd.diagrams.assignments import Assignments
from mines_dd.diagrams.circuit import Circuit
from mines_dd.diagrams.diagram import Diagram
from mines_dd.frontier.edges import numbered_edges, plain_graph
from mines_dd.orders.cells import cell_order
from mines_dd.orders.edges import edge_order
from mines_dd.orders.elimination import Elimination

__all__ = ["CONJOINING", "METHODS", "Method", "Order", "plans", "solve", "subgraphs"]

Method = Literal["auto", "bdd", "zdd", "zdd-span", "dc", "tree"]

CONJOINING = ("bdd", "zdd", "zdd-span")
"""The methods that conjoin hints one by one."""

# Below this many seconds it does not pay to look for a method better than "tree".
_QUICK = 0.2

_ADVICE = "use another order or method (mines-dd compare --plan shows what each needs), or a smaller board"
_OF_GRAPHS = "use another order or method, or a smaller graph"

_FRONTIER = "frontier-based search (own kernel)"


def solve(
    source: Board | GraphLike,
    method: Method = "auto",
    order: Order = "auto",
    simplify: bool | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    backend: str = "auto",
    conjoin: Conjoin = "deepest",
) -> Assignments:
    """Return all mine assignments of a board: of its closed cells next to hints.

    The total number of mines is not used; `analyse` uses it.

    Parameters
    ----------
    source : Board or networkx.Graph
        A board, or a mine graph (see `mine_graph`) of any shape.
    method : {"auto", "bdd", "zdd", "zdd-span", "dc", "tree"}
        Conjunction of BDDs (paper §4.1), intersection of ZDDs (§4.2; "zdd-span" builds them only where the hints so far
        lie), frontier-based search for degree-constrained subgraphs (§4.3), or hint elimination along a tree
        decomposition (ours); "auto" is "tree" if that looks quick, otherwise the cheapest predicted.
    order : str or sequence
        "auto" (the best predicted), "row", "column", "greedy" or "tree", or the cells in order; for "tree" "auto",
        "min-fill", "min-degree", or the hints in order.
    simplify : bool, optional
        Whether to reduce the board first (forced cells, equal hints, on hard boards what many hints decide together);
        the answer is the same. By default, yes.
    max_nodes, timeout : optional
        Limits on nodes and seconds: on the nodes of the diagram after each hint, on the states of "dc" after each edge,
        and on all that "tree" makes.  Predictions count fewer: about a half to a fifth of the states, and about a half
        to a quarter of what "tree" makes.  A board that is predicted to exceed a limit, or the memory, by far is
        refused at once, a graph only for its memory; not so with `simplify=False`.  But after many states "dc" itself
        predicts how its search goes on, and stops if that needs far more memory than there is.
    backend : str
        The decision diagram package for "bdd" ("dd.cudd", "dd.autoref"), for "zdd" and "zdd-span" ("dd.cudd_zdd",
        "oxidd"), or "auto".
    conjoin : {"deepest", "given"}
        In which order "bdd", "zdd" and "zdd-span" take the hints: first the one whose first cell comes last in `order`;
        or as they are read, row by row (of a graph as it lists them), which is slower, and only for comparisons.

    Returns
    -------
    Assignments
        An empty family if the board is inconsistent.  Its `details` have the "backend", the name of the order
        ("order_name"), where a method makes them "states" and "dead_states", or "entries" of the tables that its steps
        leave, "peak" (the most nodes after any hint, of a package only if `max_nodes` has them counted; of "tree" the
        entries of the largest table, as all its nodes stay), and the seconds of each stage: "read", "order", "build",
        "export" (None until a question needs the circuit; 0.0 for "tree", which makes one) and "compile" (0.0 if all
        kernels were ready); "interpreted" are those of all stages in which kernels ran as plain Python, which
        `MINES_DD_JIT=always` in the environment prevents; "seconds" are those of the whole call.

    Raises
    ------
    BudgetExceededError
        If a limit is exceeded.
    GraphFormatError
        If `source` is a graph of another form, or `order` does not fit it.
    MinesError
        If there is no such method, or one that conjoins no hints is given a `backend`, or a way to conjoin them.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> board = Board.parse("##1/221/000")
    >>> [solve(board, method).count() for method in ("bdd", "zdd", "dc", "tree")]
    [1, 1, 1, 1]
    >>> print(*sorted(solve(board, "dc").details))
    backend build compile dead_states export interpreted order order_name read seconds states
    """
    require_choice(method, ("auto", *METHODS), "method")
    require(backend, str, "the name of a backend, or auto,")
    use = f"use {' or '.join(CONJOINING)}"
    if backend != "auto" and method not in CONJOINING:
        raise MinesError(f"the method {method} has no backend to choose; leave out {shown(backend)}, or {use}")
    order = _checked_order(order)
    require_choice(conjoin, ("deepest", "given"), "way to conjoin hints")
    if conjoin != "deepest" and method not in CONJOINING:
        raise MinesError(f"the method {method} conjoins no hints; leave out conjoin={conjoin!r}, or {use}")
    plain = simplify is not None and not require_flag(simplify, "simplify")
    is_board = isinstance(source, Board)
    advice = "leave out simplify=False, or " * plain + (_ADVICE if is_board else _OF_GRAPHS)
    budget = Budget(max_nodes, timeout, advice=advice)
    watch = _Stopwatch()
    with watch.stage("read"):
        instance = Instance.of(source, budget)
        reduced, first = (unsimplified(instance), None) if plain else _reduced(instance, budget)
    with memory_errors(budget.advice):
        if not reduced.consistent:
            result = Assignments(Circuit.empty(instance.cells), "tree" if method == "auto" else method, 0)
        else:
            request = Request(instance, reduced, order, budget, backend, first, conjoin)
            with watch.stage("order"):
                plan = request.plan(method)
                if reduced.is_reduced:
                    how = budget.advice if is_board else f"have it tried with simplify=False, or {_OF_GRAPHS}"
                    plan.require(replace(budget, advice=how), is_board)
            with watch.stage("build"):
                result = METHODS[plan.method](request, plan)
    result.details["order_name"] = order if isinstance(order, str) else "given"
    result.details.update(watch.seconds, compile=watch.compile, interpreted=watch.interpreted)
    result.details["seconds"] = time.perf_counter() - watch.started
    result.details.setdefault("export", 0.0)
    return result


def _reduced(instance: Instance, budget: Budget) -> Tightened:
    """The instance reduced, and its first elimination if that was made."""
    return tightened(instance, reduce(instance, budget), budget)


class _Stopwatch:
    """The seconds of each stage, without those that kernels took to compile, which are counted apart."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.seconds = {"read": 0.0, "order": 0.0, "build": 0.0}
        self.compile = self.interpreted = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what is done meanwhile."""
        started, compiled, interpreted = time.perf_counter(), compile_seconds(), interpreted_seconds()
        yield
        preparing = compile_seconds() - compiled
        self.seconds[name] = time.perf_counter() - started - preparing
        self.compile += preparing
        self.interpreted += interpreted_seconds() - interpreted


def plans(source: Board | GraphLike, order: Order = "auto") -> list[Plan]:
    """Return what each method is predicted to need after reduction, the cheapest first; none if inconsistent."""
    order = _checked_order(order)
    instance = Instance.of(source)
    reduced, first = _reduced(instance, Budget())
    if not reduced.consistent:
        return []
    request = Request(instance, reduced, order, Budget(), "auto", first)
    return sorted([tree_plan(reduced, first=first), *request.linear_plans(LINEAR)], key=lambda plan: plan.seconds)


def _checked_order(order: Order) -> Order:
    if isinstance(order, str):
        return order
    return require_labels(order, "the name of an order, or a list of all cells or hints,")


def subgraphs(
    graph: GraphLike,
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
    plain_graph(graph, budget)
    edges, ends = numbered_edges(graph, list(budget.each(graph.edges)), budget=budget)
    incident: list[list[int]] = [[] for _ in graph]
    for i, pair in enumerate(budget.each(ends)):
        for vertex in pair:
            incident[vertex].append(i)
    allowed = [sorted(degree_constraint(graph, vertex)) for vertex in budget.each(graph)]
    instance = Instance.build(edges, list(graph), incident, allowed)
    if isinstance(order, str):
        chosen = cell_order(instance, order, budget)
    else:  # an edge may be written from either end
        given = numbered_edges(graph, order, budget=budget)[0]
        place = {frozenset(edge): i for i, edge in enumerate(budget.each(edges))}
        chosen = np.array([place[frozenset(edge)] for edge in budget.each(given)], np.int32)
    found = degree_constrained([ends[i] for i in chosen.tolist()], allowed, budget=budget)
    diagram = replace(found.diagram, items=[edges[i] for i in chosen.tolist()])
    details = {"backend": _FRONTIER, "states": found.states, "dead_states": found.dead_states}
    return Assignments(diagram.to_circuit(edges, chosen, budget), "dc", diagram.node_count, details, diagram)


@dataclass(frozen=True)
class Request:
    """What a method gets: the instance as it came and reduced, what was asked, and a first elimination if known."""

    instance: Instance
    reduced: Simplified
    order: Order
    budget: Budget
    backend: str
    first: Elimination | None
    conjoin: Conjoin = "deepest"

    @cached_property
    def single(self) -> Simplified:
        """The reduced instance with every cell by itself, as the methods with a linear order take it."""
        return self.reduced.ungrouped()

    @cached_property
    def kept(self) -> Instance:
        """The reduced instance of single cells, under their own labels."""
        return replace(self.single.instance, cells=[self.instance.cells[i] for i in self.single.group_cell.tolist()])

    @property
    def decided(self) -> tuple[list[Any], list[Any]]:
        """The cells that the reduction has found to be mines, and safe, under their own labels."""
        mines, safe = (sorted(part.tolist()) for part in (self.reduced.mines, self.reduced.safe))
        return [self.instance.cells[i] for i in mines], [self.instance.cells[i] for i in safe]

    def plan(self, method: str) -> Plan:
        """Return the plan of a method; for "auto" of the one that is predicted to be the quickest."""
        if method == "tree":
            return self.tree_plan()
        if method != "auto":
            return self.linear_plans([method])[0]
        plans = [self.tree_plan()] if self._is_order_of_hints() else []
        worth_it = max(_QUICK, least_linear_seconds(len(self.reduced.group_cell)))
        if not plans or (plans[0].seconds > worth_it and self.order == "auto"):
            plans += self.linear_plans(LINEAR)
        return min(plans, key=lambda plan: plan.seconds)

    def _is_order_of_hints(self) -> bool:
        if isinstance(self.order, str):
            return self.order in ("auto", "min-fill", "min-degree")
        return set(self.order) == set(self.instance.hints)

    def tree_plan(self) -> Plan:
        """Return the plan of hint elimination."""
        order = self._order_for(self.instance.hints, self.reduced.instance.hints, "hint")
        return tree_plan(self.reduced, order, self.budget, self.first)

    def linear_plans(self, methods: Sequence[str]) -> list[Plan]:
        """Return the plans of methods that follow a linear order of cells."""
        labels = self._order_for(self.instance.cells, self.kept.cells, "closed cell next to a hint")
        return linear_plans(methods, self.kept, labels, self.budget)

    def _order_for(self, labels: Sequence[Any], kept: Sequence[Any], what: str) -> Order:
        """The order asked for, a given one without what the reduction has decided."""
        if isinstance(self.order, str):
            return self.order
        given = list(self.order)
        if sorted(map(repr, given)) != sorted(map(repr, labels)):
            raise GraphFormatError(f"an order names each {what} of the board once; this one does not")
        still_there = set(kept)
        return [label for label in given if label in still_there]

    def circuit(self, diagram: Diagram, cell_of_item: IntArray, budget: Budget) -> Circuit:
        """Return the family that a diagram over the kept cells describes."""
        original = np.append(self.single.group_cell, -1)[cell_of_item]
        return diagram.to_circuit(self.instance.cells, original, budget).with_mines(self.reduced.mines.tolist())


class Deferred(Assignments):
    """A family whose circuit is made when a question first needs it; until then it may lie in a package's manager.

    Every question is asked of the circuit: counts in a manager of CUDD are doubles.

    Parameters
    ----------
    request, plan
        What was compiled.
    details : dict
        As in `Assignments`.
    read : function
        A budget -> the diagram over the kept cells.
    cell_of_item : array of int
        As in `Diagram.to_circuit`.
    """

    _export: _Once

    def __init__(
        self,
        request: Request,
        plan: Plan,
        details: dict[str, Any],
        read: Callable[[Budget], Diagram],
        cell_of_item: IntArray,
    ) -> None:
        details["export"] = None

        def export(budget: Budget) -> tuple[Circuit, Diagram]:
            watch = _Stopwatch()
            with memory_errors(request.budget.advice), watch.stage("export"):
                diagram = replace(read(budget), decided=request.decided)
                circuit = request.circuit(diagram, cell_of_item, budget)
            details["export"] = watch.seconds["export"]
            return circuit, diagram

        vars(self).update(method=plan.method, details=details, _export=_Once(export))

    @cached_property
    def circuit(self) -> Circuit:  # type: ignore[override]
        """The compiled form."""
        return self._within(None)

    def _within(self, budget: Budget | None) -> Circuit:
        return self._export(Budget.of(budget))[0]

    @cached_property
    def diagram(self) -> Diagram:  # type: ignore[override]
        """The reduced diagram."""
        return self._export(Budget())[1]

    @cached_property
    def node_count(self) -> int:  # type: ignore[override]
        """The nodes of the reduced diagram."""
        return self.diagram.node_count

    def __reduce__(self) -> Any:
        """A copy, or what is sent to another process, is an ordinary family."""
        return Assignments, (self.circuit, self.method, self.node_count, self.details, self.diagram)


class _Once:
    """Calls a function at the first call, of whatever thread, and keeps its result in its place."""

    def __init__(self, make: Callable[[Budget], tuple[Circuit, Diagram]]) -> None:
        self._make: Callable[[Budget], tuple[Circuit, Diagram]] | None = make
        self._lock = threading.Lock()

    def __call__(self, budget: Budget) -> tuple[Circuit, Diagram]:
        with self._lock:
            if self._make is not None:
                self._result = self._make(budget)
                self._make = None
        return self._result


def _bdd(request: Request, plan: Plan) -> Assignments:
    from mines_dd.compilers.bdd import compile_bdd

    return _by_cells(request, plan, compile_bdd)


def _zdd(request: Request, plan: Plan) -> Assignments:
    from mines_dd.compilers.zdd import compile_zdd

    return _by_cells(request, plan, partial(compile_zdd, spans=plan.method == "zdd-span"))


def _by_cells(request: Request, plan: Plan, compile_: Callable[..., Compiled]) -> Assignments:
    """The family of a diagram whose items are the cells in the plan's order."""
    backend, conjoin = request.backend, request.conjoin
    compiled = compile_(request.kept, plan.order, backend=backend, budget=request.budget, conjoin=conjoin)

    def read(budget: Budget) -> Diagram:
        return replace(compiled.within(budget), items=[request.kept.cells[i] for i in plan.order.tolist()])

    details = {"backend": compiled.backend} | ({} if compiled.peak is None else {"peak": compiled.peak})
    return Deferred(request, plan, details, read, plan.order)


def _dc(request: Request, plan: Plan) -> Assignments:
    kept = request.kept
    edges = edge_order(kept, plan.order)
    degree = np.bincount(edges[:, 0], minlength=len(kept.cells)).tolist()
    first_of_cell = np.append(True, edges[1:, 0] != edges[:-1, 0])[: len(edges)]
    vertices = edges + [0, len(kept.cells)]
    found = degree_constrained(vertices, [*((0, d) for d in degree), *kept.allowed], budget=request.budget)
    details = {"backend": _FRONTIER, "states": found.states, "dead_states": found.dead_states}

    def read(_: Budget) -> Diagram:
        return replace(found.diagram, items=[(kept.cells[cell], kept.hints[hint]) for cell, hint in edges.tolist()])

    return Deferred(request, plan, details, read, np.where(first_of_cell, edges[:, 0], -1))


def _tree(request: Request, plan: Plan) -> Assignments:
    found = compile_tree(request.reduced, request.instance.cells, plan, budget=request.budget)
    details = {"backend": "hint elimination (own kernel)", "entries": found.entries, "peak": found.peak}
    return Assignments(found.circuit, "tree", found.circuit.node_count, details)


METHODS: dict[str, Callable[[Request, Plan], Assignments]] = {
    "bdd": _bdd,
    "zdd": _zdd,
    "zdd-span": _zdd,
    "dc": _dc,
    "tree": _tree,
}
"""The methods by name."""
