"""Our methods and other programs as their users would call them: each a function from a board to its answer.

Those called reduced get the board as our reduction leaves it: so the table tells a method from the reduction before it.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from experiments.products import vtree
from mines_dd import Board, analyse, solve
from mines_dd.base.arrays import IntArray
from mines_dd.compilers import bdd
from mines_dd.compilers.exactly import exactly_table
from mines_dd.compilers.plan import tree_plan
from mines_dd.compilers.schedule import HintSpan, schedule
from mines_dd.compilers.tree import compile_tree, plan_and_compile
from mines_dd.constraints.cnf_opb import clauses, to_cnf
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import simplify, unsimplified
from mines_dd.diagrams.queries import count
from mines_dd.orders.cells import cell_order
from mines_dd.orders.edges import edge_order

__all__ = ["COUNT", "NEEDS", "PACKAGES", "PEERS", "PROBABILITIES", "Found", "Peer", "installed", "missing"]

COUNT, PROBABILITIES = "count", "probabilities"
NEEDS = {
    "d4": "py_d4",
    "ganak": "pyganak",
    "graphillion": "graphillion",
    "cudd": "dd.cudd",
    "ms-toollib": "ms_toollib",
    "oxidd": "oxidd",
    "pysdd": "pysdd",
    "pyzdd": "pyzdd",
    "tididi": "tididi",
    "tididi-cnf": "tididi_cnf",
}
PACKAGES = {"d4": "d4solver", "ganak": "pyganak", "cudd": "dd"}
"""The names of packages where they are others."""
OXIDD = 1 << 24, 1 << 20, 1
"""What OxiDD's managers are made with: room for nodes and cached results, and threads."""


class Found(NamedTuple):
    """What a peer found: the number of assignments, or another that tells answers apart; and a way to count nodes."""

    answer: int | float
    nodes: Callable[[], int] | None = None


class Peer(NamedTuple):
    """A program's answer to a board, the module that it needs, and what is made before its clock starts."""

    job: str
    answer: Callable[[Board], Found]
    needs: str | None = None
    before: Callable[[Board], object] = lambda board: None


@lru_cache(1)
def reduced(board: Board) -> Instance:
    """The board as our reduction leaves it, with cells that touch the same hints apart again."""
    return simplify(Instance.from_board(board)).ungrouped().instance


@lru_cache(1)
def our_order(board: Board, is_reduced: bool) -> IntArray:
    """Our order of the cells."""
    return cell_order(reduced(board) if is_reduced else Instance.from_board(board))


def tree_count(board: Board) -> Found:
    """Our own: hint elimination."""
    family = solve(board, "tree")
    return Found(family.count(), lambda: family.node_count)


def unreduced_count(board: Board) -> Found:
    """The same on the board as it is; its nodes are those that tididi has on the same tree."""
    family = solve(board, "tree", simplify=False)
    return Found(family.count(), lambda: vtree(family.circuit, lambda left, right: (), lambda variable: ())[1])


def reduced_count(instance: Instance) -> Found:
    """The same on a board that is reduced already."""
    made = plan_and_compile(simplify(instance), instance.cells)
    return Found(count(made.circuit), lambda: made.circuit.node_count)


def dc_count(board: Board) -> Found:
    """Our frontier-based search on the reduced board."""
    family = solve(board, "dc")
    return Found(family.count(), lambda: family.node_count)


def d4_count(instance: Instance) -> Found:
    """Compile to d-DNNF and count."""
    import py_d4

    compiled = py_d4.Solver(clauses(instance), len(instance.cells)).compile()
    return Found(int(compiled.count([])), compiled.getNbNodes)


def d4_sequential(instance: Instance) -> Found:
    """The same, from sequential counters: more variables, which the cells decide, and fewer clauses for large hints."""
    import py_d4

    formula, variables = sequential_clauses(instance)
    compiled = py_d4.Solver(formula, variables).compile()
    return Found(int(compiled.count([])), compiled.getNbNodes)


def sequential_clauses(instance: Instance) -> tuple[list[list[int]], int]:
    """Clauses with variables "at least j of the first i cells of this hint are mines", and the number of variables.

    Each is equivalent to: at least j of the first i - 1 are, or cell i is one and at least j - 1 of those before.
    """
    formula: list[list[int]] = []
    used = len(instance.cells)
    for cells, allowed in zip(instance.members, instance.allowed, strict=True):
        [number] = allowed
        before: list[int | bool] = [True, *([False] * (number + 1))]  # at least 0, 1, ... of none
        for cell in cells:
            x, after = cell + 1, list(before)
            for j in range(1, number + 2):
                if before[j - 1] is False:
                    continue
                used += 1
                after[j] = used
                # used <-> before[j] or (x and before[j - 1])
                formula += clause_of(-used, before[j], x)
                formula += clause_of(-used, before[j], before[j - 1])
                formula += clause_of(used, opposite(before[j]))
                formula += clause_of(used, -x, opposite(before[j - 1]))
            before = after
        formula += clause_of(before[number]) + clause_of(opposite(before[number + 1]))
    return formula, used


def opposite(literal: int | bool) -> int | bool:
    """The other truth value."""
    return not literal if isinstance(literal, bool) else -literal


def clause_of(*literals: int | bool) -> list[list[int]]:
    """A clause without constants; none if it is true."""
    if any(literal is True for literal in literals):
        return []
    return [[int(literal) for literal in literals if literal is not False]]


def ganak_count(instance: Instance) -> Found:
    """Count models; nothing is kept."""
    import pyganak

    counter = pyganak.Counter()
    for clause in clauses(instance):
        counter.add_clause(clause)
    mentioned = {abs(x) for clause in clauses(instance) for x in clause}
    return Found(int(counter.count()) << (len(instance.cells) - len(mentioned)))


def tididi_cnf_count(instance: Instance) -> Found:
    """Count models, by a tree that it chooses itself."""
    import tididi_cnf

    answer = tididi_cnf.count(list(clauses(instance)), num_vars=len(instance.cells))
    return Found(int(answer.count), lambda: int(answer.stats["tdd_nodes"]))


def tididi_count(instance: Instance, order: IntArray) -> Found:
    """Conjoin the hints, two neighbours in our order at a time, over a balanced tree of the cells in our order."""
    import tididi

    tree = tididi.Vtree.balanced_over([int(cell) + 1 for cell in order])
    parts = []
    for span in schedule(instance, order):
        cells = [int(order[level]) + 1 for level in span.levels]
        rows = [row for row in product((False, True), repeat=len(cells)) if sum(row) in span.allowed]
        parts.append(tididi.from_models(tree, cells, rows))
    return in_pairs(parts)


def tididi_our_tree(instance: Instance) -> Found:
    """Conjoin along our elimination, over its tree of products: each hint with what the steps below it left."""
    import tididi

    plan = tree_plan(unsimplified(instance))
    compiled = compile_tree(unsimplified(instance), instance.cells, plan)
    tree, _ = vtree(compiled.circuit, tididi.Vtree.join, tididi.Vtree.leaf)
    assert plan.steps is not None
    waiting: dict[int, list[Any]] = {}
    for step, hint in enumerate(plan.order.tolist()):
        cells = instance.members[hint]
        if cells:
            rows = [row for row in product((False, True), repeat=len(cells)) if sum(row) in instance.allowed[hint]]
            part = tididi.from_models(tree, [cell + 1 for cell in cells], rows)
            for below in waiting.pop(step, []):
                part = part & below
            waiting.setdefault(int(plan.steps.parent[step]), []).append(part.minimize())
    return in_pairs(waiting.pop(-1, []))


def in_pairs(parts: list[Any]) -> Found:
    """Conjoin tididi's diagrams two neighbours at a time."""
    while len(parts) > 1:
        pairs = [parts[i] & parts[i + 1] for i in range(0, len(parts) - 1, 2)]
        parts = pairs + parts[2 * len(pairs) :]
    if not parts:
        return Found(1)
    return Found(int(parts[0].model_count()), lambda: int(parts[0].minimize().node_count()))


def pysdd_count(board: Board) -> Found:
    """Compile clauses as its program does; its exact counts end at 64 bits, so it counts in logarithms."""
    from pysdd.sdd import SddManager

    _, root = SddManager.from_cnf_string(to_cnf(board))
    return Found(float(root.wmc(log_mode=True).propagate()) / math.log(10), root.count)


def in_oxidd(instance: Instance, order: IntArray, manager: Any) -> tuple[list[HintSpan], range]:
    """Add the cells to a manager of OxiDD, in an order; return the hints, the last one first, and the levels."""
    manager.add_vars(len(order))
    return schedule(instance, order), range(len(order))


def oxidd_bdd_count(instance: Instance, order: IntArray) -> Found:
    """Conjoin exactly-k BDDs from the last hint to the first, in our order."""
    from oxidd.bdd import BDDManager

    manager = BDDManager(*OXIDD)
    hints, levels = in_oxidd(instance, order, manager)
    variables = [manager.var(level) for level in levels]
    family = manager.true()
    for span in hints:
        family &= exactly_table(
            span.levels,
            span.levels,
            span.allowed,
            lambda level, low, high: variables[level].ite(high, low),
            manager.true(),
            manager.false(),
        )
    return Found(int(family.sat_count(len(levels))), family.node_count)


def oxidd_zbdd_count(instance: Instance, order: IntArray) -> Found:
    """Intersect exactly-k ZBDDs over all cells from the last hint to the first, in our order."""
    from oxidd.zbdd import ZBDDManager

    manager = ZBDDManager(*OXIDD)
    hints, levels = in_oxidd(instance, order, manager)
    items = [manager.singleton(level) for level in levels]
    none, nothing = manager.empty(), manager.base()

    def node(level: int, low: Any, high: Any) -> Any:
        return low if high == none else items[level].make_node(high, low)

    family = exactly_table(levels, set(), {0}, node, nothing, none)
    for span in hints:
        family &= exactly_table(levels, set(span.levels), span.allowed, node, nothing, none)
    return Found(int(family.sat_count(len(levels))), family.node_count)


def pyzdd_count(instance: Instance, order: IntArray) -> Found:
    """Restrict the ZDD of all sets by each hint from the last to the first, in our order."""
    import pyzdd

    universe = pyzdd.Universe(len(order))
    for span in schedule(instance, order):
        universe.zddSubset(pyzdd.Choice(len(order), min(span.allowed), list(span.levels), False))
        universe.zddReduce()  # without it a board takes some ten times as long
    return Found(int(universe.cardinality()), lambda: int(universe.size()))


def cudd_count(instance: Instance, order: IntArray) -> Found:
    """Conjoin exactly-k BDDs from the last hint to the first; `dd` counts in doubles, so the logarithm comes back."""
    from dd.cudd import BDD

    manager = BDD()
    manager.configure(reordering=False)
    names = [f"x{level}" for level in range(len(order))]
    manager.declare(*names)
    family = manager.true
    for span in schedule(instance, order):
        family &= bdd.exactly(manager, [names[level] for level in span.levels], span.allowed)
    return Found(math.log10(manager.count(family, nvars=len(order))), family.__len__)


def cudd_row_by_row(instance: Instance) -> Found:
    """As a first program would."""
    return cudd_count(instance, cell_order(instance, "row"))


def graphillion_search(instance: Instance, order: IntArray) -> Found:
    """Degree-constrained subgraphs of the mine graph, in our order of edges."""
    from graphillion import GraphSet

    edges = [(f"c{cell}", f"h{hint}") for cell, hint in edge_order(instance, order).tolist()]
    GraphSet.set_universe(edges, traversal="as-is")
    degree: dict[str, int] = {}
    for cell, _ in edges:
        degree[cell] = degree.get(cell, 0) + 1
    constraints: dict[str, Any] = {cell: range(0, d + 1, d) for cell, d in degree.items()}
    for h, (allowed, cells) in enumerate(zip(instance.allowed, instance.members, strict=True)):
        if cells:
            constraints[f"h{h}"] = allowed[0]
    return Found(int(GraphSet.graphs(degree_constraints=constraints).len()))


def graphillion_linear(instance: Instance, order: IntArray) -> Found:
    """One isolated edge a cell, the hints as linear constraints, in our order of cells."""
    from graphillion import GraphSet

    edge = [(f"a{i}", f"b{i}") for i in range(len(instance.cells))]
    GraphSet.set_universe([edge[i] for i in order.tolist()], traversal="as-is")
    constraints = [
        ([(*edge[i], 1) for i in cells], (allowed[0], allowed[0]))
        for cells, allowed in zip(instance.members, instance.allowed, strict=True)
        if cells
    ]
    return Found(int(GraphSet.graphs(linear_constraints=constraints).len()))


def analyse_probabilities(board: Board) -> Found:
    """Doubles, by our analysis with the total number of mines; the sum of their squares, which tells answers apart."""
    risk = analyse(board).risk
    return Found(float(sum(share**2 for share in risk.values())))


def toollib_probabilities(board: Board) -> Found:
    """Doubles, with the total number of mines; the sum of their squares."""
    import ms_toollib

    codes = {"#": 10, "F": 10, "*": 11, **{str(k): k for k in range(9)}}
    grid = [[codes[character] for character in row] for row in board.grid]
    found, _ = ms_toollib.cal_probability_onboard(grid, board.mines or 0)
    return Found(float(sum(share**2 for row in found for share in row)))


def counts(
    program: Callable[..., Found], needs: str | None, *, ordered: bool = False, is_reduced: bool = False
) -> Peer:
    """A program that counts: given the constraints of a board, as it is or reduced, and our order if it is `ordered`.

    It makes the constraints of the board as it is on its own clock; the reduced ones and the order are there before.
    """

    def instance(board: Board) -> Instance:
        return reduced(board) if is_reduced else Instance.from_board(board)

    def order(board: Board) -> list[IntArray]:
        return [our_order(board, is_reduced)] if ordered else []

    def answer(board: Board) -> Found:
        system = instance(board)
        return program(system, *order(board)) if len(system.cells) else Found(1)

    return Peer(COUNT, answer, needs, before=lambda board: (instance(board), order(board)))


PEERS = {
    "ours: tree": Peer(COUNT, tree_count),
    "ours: tree, unreduced": Peer(COUNT, unreduced_count),
    "ours: tree, reduced": counts(reduced_count, None, is_reduced=True),
    "ours: dc": Peer(COUNT, dc_count),
    "d4": counts(d4_count, "d4"),
    "d4, reduced": counts(d4_count, "d4", is_reduced=True),
    "d4, sequential counters": counts(d4_sequential, "d4"),
    "ganak": counts(ganak_count, "ganak"),
    "ganak, reduced": counts(ganak_count, "ganak", is_reduced=True),
    "tididi-cnf": counts(tididi_cnf_count, "tididi-cnf"),
    "tididi-cnf, reduced": counts(tididi_cnf_count, "tididi-cnf", is_reduced=True),
    "tididi, our order": counts(tididi_count, "tididi", ordered=True),
    "tididi, our order, reduced": counts(tididi_count, "tididi", ordered=True, is_reduced=True),
    "tididi, our tree": counts(tididi_our_tree, "tididi"),
    "pysdd": Peer(COUNT, pysdd_count, "pysdd"),
    "oxidd BDD, our order": counts(oxidd_bdd_count, "oxidd", ordered=True),
    "oxidd BDD, our order, reduced": counts(oxidd_bdd_count, "oxidd", ordered=True, is_reduced=True),
    "oxidd ZBDD, our order": counts(oxidd_zbdd_count, "oxidd", ordered=True),
    "oxidd ZBDD, our order, reduced": counts(oxidd_zbdd_count, "oxidd", ordered=True, is_reduced=True),
    "pyzdd, our order": counts(pyzdd_count, "pyzdd", ordered=True),
    "pyzdd, our order, reduced": counts(pyzdd_count, "pyzdd", ordered=True, is_reduced=True),
    "graphillion, our order": counts(graphillion_search, "graphillion", ordered=True),
    "graphillion, linear": counts(graphillion_linear, "graphillion", ordered=True),
    "graphillion, linear, reduced": counts(graphillion_linear, "graphillion", ordered=True, is_reduced=True),
    "cudd, our order": counts(cudd_count, "cudd", ordered=True),
    "cudd, our order, reduced": counts(cudd_count, "cudd", ordered=True, is_reduced=True),
    "cudd, row by row": counts(cudd_row_by_row, "cudd"),
    "ours: analyse": Peer(PROBABILITIES, analyse_probabilities),
    "ms-toollib": Peer(PROBABILITIES, toollib_probabilities, "ms-toollib"),
}


def missing(peers: Iterable[str]) -> dict[str, str]:
    """Return the peers that are not installed, and the modules that they lack."""
    return {name: NEEDS[need] for name in peers if (need := PEERS[name].needs) and not installed(NEEDS[need])}


def installed(module: str) -> bool:
    """Tell whether a module can be imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False
