"""Sections 4.1 and 4.2: every package against brute force, each other, and its limits."""

import gc
import os
import subprocess
import sys
from importlib import import_module
from math import comb

import networkx as nx
import numpy as np
import pytest
from backends import NAMES, Backend, assert_reduced, count, family
from boards import FIGURE_9, FIGURE_10
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import assignments, random_board, random_instance

from mines_dd.base.budget import Budget, available_memory
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.board.board import Board
from mines_dd.compilers import bdd, exactly, packages, zdd
from mines_dd.compilers.schedule import schedule
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order

# a manager that goes before its nodes says so in a warning, if it does not crash
pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
WIDE = Instance.build(range(400), "h", [range(400)], [[200]])  # 40,200 nodes for one hint


@pytest.fixture(params=NAMES)
def backend(request):
    return Backend(request.param)


def shuffled(m, seed):
    return np.random.default_rng(seed).permutation(m).astype(np.int32)


def board_instance(size, mines, hints, seed):
    return Instance.from_board(Board.random(size, size, mines, hints, seed))


def assert_brute_force(backend, instance, order):
    diagram = backend.diagram(instance, order)
    expected = assignments(instance)
    found = family(diagram)
    assert diagram.kind == backend.kind
    assert list(diagram.items) == order.tolist()
    assert len(found) == len(expected) == count(diagram)
    assert {frozenset(instance.cells[i] for i in mines) for mines in found} == expected
    assert_reduced(diagram)


@pytest.mark.parametrize("seed", range(0, 240, 40))
def test_random_hypergraphs_of_hints_agree_with_brute_force(backend, seed):
    for s in range(seed, seed + 40):
        instance = random_instance(s)
        assert_brute_force(backend, instance, shuffled(len(instance.cells), s))


def test_random_boards_agree_with_brute_force(backend):
    for seed in range(40):
        instance = Instance.from_board(random_board(seed, most_closed=10))
        assert_brute_force(backend, instance, cell_order(instance, ("row", "greedy")[seed % 2]))


@settings(max_examples=60)
@given(st.data())
def test_any_instance_agrees_with_brute_force(data):
    m = data.draw(st.integers(1, 7))
    hint = st.tuples(st.sets(st.integers(0, m - 1)), st.sets(st.integers(-1, m + 1), max_size=3))
    hints = data.draw(st.lists(hint, max_size=6))
    members = [sorted(cells) for cells, _ in hints]
    instance = Instance.build(range(m), range(len(hints)), members, [sorted(allowed) for _, allowed in hints])
    order = np.array(data.draw(st.permutations(range(m))), np.int32)
    for name in NAMES:
        assert_brute_force(Backend(name), instance, order)


def test_the_circuit_of_a_diagram_counts_the_same_sets(backend):
    for seed in range(60):
        instance = random_instance(seed)
        order = shuffled(len(instance.cells), seed)
        circuit = backend.diagram(instance, order).to_circuit(instance.cells, order)
        assert circuit_count(circuit) == len(assignments(instance)), seed


def circuit_count(circuit):
    start, left, right, leaf = circuit.terms
    weight = [comb(len(circuit.groups[group]), taken) if i else 1 for i, (group, taken) in enumerate(circuit.leaves)]
    value = [0, 1]
    for node in range(2, len(start) - 1):
        terms = range(start[node], start[node + 1])
        value.append(sum(value[left[t]] * value[right[t]] * weight[leaf[t]] for t in terms))
    return value[circuit.root]


@pytest.mark.parametrize("kind", ["bdd", "zdd"])
def test_all_backends_make_the_same_canonical_diagram(kind):
    names = [name for name in NAMES if Backend(name).kind == kind]
    for seed, order_name in [(1, "greedy"), (2, "greedy"), (3, "row"), (4, "column")]:
        instance = board_instance(12, 0.2, 0.4, seed)
        order = cell_order(instance, order_name)
        diagrams = [Backend(name).diagram(instance, order) for name in names]
        assert len({diagram.node_count for diagram in diagrams}) == 1
        assert len({count(diagram) for diagram in diagrams}) == 1


def test_hints_taken_as_given_make_the_same_diagram_in_another_way(backend):
    options = [{}] if backend.kind == "bdd" else [{"spans": False}, {"spans": True}]
    for seed, order_name in [(1, "greedy"), (2, "row")]:
        instance = board_instance(8, 0.2, 0.4, seed)
        order = cell_order(instance, order_name)
        deepest, as_read = ([span.levels for span in schedule(instance, order, how)] for how in ("deepest", "given"))
        assert deepest != as_read
        assert sorted(deepest) == sorted(as_read)
        rank = {cell: level for level, cell in enumerate(order.tolist())}
        assert as_read == [sorted(rank[cell] for cell in cells) for cells in instance.members]
        for how in options:
            one, other = (backend.diagram(instance, order, conjoin=c, **how) for c in ("deepest", "given"))
            assert (one.node_count, count(one)) == (other.node_count, count(other))


def test_a_bdd_and_a_zdd_of_a_board_count_the_same():
    instance = board_instance(30, 0.3, 0.5, 0)
    order = cell_order(instance, "greedy")
    counts = {name: count(Backend(name).diagram(instance, order)) for name in NAMES if name != "dd.autoref"}
    assert len(set(counts.values())) == 1
    assert counts.popitem()[1] > 10**12


def test_figure_10_has_66_assignments_and_figure_9_has_3(backend):
    for board, expected in [(FIGURE_10, 66), (FIGURE_9, 3)]:
        assert count(backend.diagram(Instance.from_board(board))) == expected


def test_no_cells_and_no_hints_leave_the_empty_assignment(backend):
    diagram = backend.diagram(Instance.build([], [], [], []))
    assert (family(diagram), diagram.node_count, diagram.root) == ([frozenset()], 0, 1)


def test_cells_without_hints_are_free(backend):
    diagram = backend.diagram(Instance.build("abc", [], [], []))
    assert count(diagram) == 8
    assert diagram.node_count == (0 if backend.kind == "bdd" else 3)
    last = backend.diagram(Instance.build("abc", ["h"], [[2]], [[1]]))
    assert sorted(map(sorted, family(last))) == [[0, 1, 2], [0, 2], [1, 2], [2]]


def test_a_hint_without_cells_is_met_by_zero_only(backend):
    touching = Instance.build("ab", ["empty", "h"], [[], [0, 1]], [[0], [1]])
    assert count(backend.diagram(touching)) == 2
    for allowed in ([1], []):
        diagram = backend.diagram(Instance.build("ab", ["empty", "h"], [[], [0, 1]], [allowed, [1]]))
        assert (diagram.root, diagram.node_count) == (0, 0)
    assert backend.diagram(Instance.build([], ["empty"], [[]], [[1]])).root == 0


def test_hints_that_contradict_each_other_leave_nothing(backend):
    diagram = backend.diagram(Instance.build("abc", "gh", [[0, 1], [0, 1]], [[0], [2]]))
    assert (diagram.root, diagram.node_count, count(diagram)) == (0, 0, 0)
    assert backend.diagram(Instance.build("abc", "g", [[0, 1, 2]], [[4]])).root == 0


def test_any_of_several_counts_will_do(backend):
    instance = Instance.build("abcd", "h", [[0, 1, 2, 3]], [[0, 3, 9]])
    assert count(backend.diagram(instance)) == 1 + 4


def test_the_backend_that_ran_is_named_with_its_version(backend):
    name, version = backend.compile(Instance.build("a", "h", [[0]], [[1]])).backend.split()
    assert name == backend.name
    assert version[0].isdigit()


def test_no_other_backend_does_the_work_of_the_one_that_is_named(backend, monkeypatch):
    own = {backend.name, "oxidd.zbdd"} if backend.name == "oxidd" else {backend.name}
    for name in own:
        import_module(name)
    for other in {*bdd.BACKENDS, *zdd.BACKENDS, "oxidd.zbdd"} - own:
        monkeypatch.setitem(sys.modules, other, None)  # importing it fails
    assert count(backend.diagram(Instance.build("ab", "h", [[0, 1]], [[1]]))) == 2


def test_auto_takes_cudd_and_else_the_other_package(monkeypatch):
    instance = Instance.build("ab", "h", [[0, 1]], [[1]])
    order = np.arange(2, dtype=np.int32)
    for function, (first, second) in [(bdd.compile_bdd, bdd.BACKENDS), (zdd.compile_zdd, zdd.BACKENDS)]:
        if first in NAMES:
            assert function(instance, order).backend.startswith(first + " ")
        monkeypatch.setitem(sys.modules, first, None)  # importing it fails
        compiled = function(instance, order)
        assert compiled.backend.startswith(second + " ")
        assert count(compiled.diagram) == 2
        with pytest.raises(MinesError, match=f"{first} is not installed here; install"):
            function(instance, order, backend=first)
        with pytest.raises(MinesError, match="backend 'buddy'; choose auto"):
            function(instance, order, backend="buddy")


@pytest.mark.parametrize(("name", "make"), [("dd.autoref", "BDD"), ("dd.cudd", "BDD"), ("dd.cudd_zdd", "ZDD")])
def test_exactly_k_on_a_manager_of_ones_own_has_binomially_many_sets(name, make):
    module = pytest.importorskip(name)
    exactly = (zdd if make == "ZDD" else bdd).exactly
    manager = getattr(module, make)()
    names = [f"v{i}" for i in range(8)]
    manager.declare("above", *names[:4], "between", *reversed(names[4:]), "below")
    for n in range(9):
        for k in range(-1, n + 2):
            expected = comb(n, k) if k >= 0 else 0
            assert manager.count(exactly(manager, names[:n], k), nvars=11) == expected << (11 - n)
    some = exactly(manager, names, {0, np.int64(2), 9})
    assert manager.count(some, nvars=11) == (1 + comb(8, 2)) << 3
    assert manager.count(exactly(manager, names, {1, 7}), nvars=11) == 16 << 3
    assert exactly(manager, names, np.int64(2)) | exactly(manager, names, 0) == some
    assert manager.configure()["reordering"] is (name != "dd.autoref")  # as it was
    del some, manager


def test_more_cells_than_the_recursion_limit(backend):
    instance = board_instance(46, 0.1, 0.12, 5)
    assert len(instance.cells) > 1000
    order = cell_order(instance, "greedy")
    assert count(backend.diagram(instance, order)) == count(Backend(NAMES[0]).diagram(instance, order)) > 10**30


@pytest.mark.ci
def test_a_hint_as_wide_as_the_order_is_no_deeper_than_python_can_go(backend):
    pairs = [[i, i + 1] for i in range(1099)] + [[0, 1099]]  # every second cell is a mine
    ring = Instance.build(range(1100), range(1100), pairs, [[1]] * 1100)
    assert count(backend.diagram(ring)) == 2


def test_too_many_nodes_are_refused_with_what_was_needed_and_allowed(backend):
    instance = board_instance(12, 0.3, 0.3, 1)
    order = cell_order(instance, "row")
    nodes = backend.diagram(instance, order).node_count
    with pytest.raises(BudgetExceededError, match="300 are allowed") as caught:
        backend.diagram(instance, order, budget=Budget(max_nodes=300))
    assert (caught.value.allowed, caught.value.unit) == (300, "nodes")
    assert caught.value.needed > 300
    assert backend.diagram(instance, order, budget=Budget(max_nodes=100 * nodes)).node_count == nodes


def test_the_same_limit_of_nodes_is_always_kept_or_always_exceeded(backend):
    instance = Instance.from_board(Board.random(6, 6, 0.3, 0.4, seed=1))
    order = cell_order(instance, "row")

    def peak(limit):
        return backend.compile(instance, order, budget=Budget(max_nodes=limit)).peak

    most = peak(10**6)
    assert [peak(most) for _ in range(20)] == [most] * 20
    for _ in range(20):
        with pytest.raises(BudgetExceededError, match=f"needs at least [0-9]+ nodes and {most - 1} are"):
            peak(most - 1)


def test_allowed_numbers_beyond_the_members_cost_no_nodes():
    made = []

    def node(level, low, high):
        made.append(level)
        return level, low, high

    _, _, (_, _, bottom) = exactly.exactly_table(range(3), {0, 1, 2}, {3, 1000}, node, True, False)
    assert bottom == (2, False, True)
    assert made == [2, 2, 2, 1, 1, 0]
    assert exactly.exactly_table(range(0), set(), {1000}, node, True, False) is False


def test_what_is_no_longer_used_is_not_counted(backend):
    instance = board_instance(16, 0.3, 0.5, 3)
    order = cell_order(instance, "greedy")
    # the largest intermediate diagram, a node for each cell and don't-care chains: not all that was ever made
    assert backend.diagram(instance, order, budget=Budget(max_nodes=5000)).node_count < 2000


@pytest.mark.ci
def test_a_time_that_is_over_ends_the_compilation(backend, clock):
    instance = board_instance(30, 0.3, 0.3, 0)
    order = cell_order(instance, "row")
    with pytest.raises(BudgetExceededError) as caught:
        backend.diagram(instance, order, budget=Budget(timeout=20))  # looks at the clock
    assert caught.value.unit == "seconds"
    assert caught.value.needed < 25
    assert clock.looks < 25


@pytest.mark.ci
@pytest.mark.parametrize("name", [name for name in NAMES if name != "dd.autoref"])
def test_memory_that_runs_out_is_an_error_like_the_others(name, monkeypatch):
    backend = Backend(name)
    monkeypatch.setattr(backend.module, "memory_limit", lambda: 20_000_000)
    instance = board_instance(30, 0.3, 0.3, 0)
    with pytest.raises(BudgetExceededError, match="needs more than the 20,000,000 bytes") as caught:
        backend.diagram(instance, cell_order(instance, "row"))
    assert (caught.value.allowed, caught.value.unit) == (20_000_000, "bytes")


@pytest.mark.parametrize("memory", [1000, 500_000, 1_000_000])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "dd.autoref"])
def test_a_hint_too_wide_for_the_memory_is_an_error_like_the_others(name, memory, monkeypatch):
    """Memory runs out not in a conjunction but in making nodes, or, of 1000 bytes, in declaring variables."""
    backend = Backend(name)
    monkeypatch.setattr(backend.module, "memory_limit", lambda: memory)
    with pytest.raises(BudgetExceededError, match=f"needs more than the {memory:,} bytes") as caught:
        backend.diagram(WIDE)
    assert (caught.value.needed, caught.value.allowed, caught.value.unit) == (memory, memory, "bytes")


@pytest.mark.ci
@pytest.mark.parametrize("why", ["nodes", "bytes", "bytes for one hint"])
@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("dd.cudd")])
def test_an_error_that_is_kept_keeps_no_node_of_cudd(name, why, monkeypatch):
    def nodes():
        return sum(type(x).__module__ == name and type(x).__name__ == "Function" for x in gc.get_objects())

    unit, *wide = why.split(maxsplit=1)
    if unit == "bytes":
        monkeypatch.setattr(Backend(name).module, "memory_limit", lambda: 1_000_000 if wide else 20_000_000)
    instance = WIDE if wide else board_instance(30, 0.3, 0.3, 0)
    before = nodes()
    with pytest.raises(BudgetExceededError) as caught:
        Backend(name).diagram(
            instance, cell_order(instance, "row"), budget=Budget(max_nodes=500 if unit == "nodes" else None)
        )
    assert caught.value.unit == unit
    assert nodes() == before


@pytest.mark.parametrize(
    "error", [MemoryError(), ValueError("`DdNode *node` is `NULL` pointer."), RuntimeError("CUDD out of memory")]
)
def test_what_dd_raises_without_memory_is_over_budget_and_the_package_is_named(error):
    with (
        pytest.raises(BudgetExceededError, match=r"^the ZDD needs more than the 5,000 bytes it may use; "),
        packages.limited("ZDD", 5000),
    ):
        raise error


@pytest.mark.parametrize("error", [ValueError("no such variable"), KeyError("NULL"), KeyboardInterrupt()])
def test_another_error_of_a_package_stays_what_it_is(error):
    with pytest.raises(type(error)) as caught, packages.limited("ZDD", 5000):
        raise error
    assert caught.value is error


def test_a_package_may_use_half_of_what_the_process_may_still_take(monkeypatch):
    free = available_memory()
    if free is not None:
        assert packages.memory_limit() == pytest.approx(free // 2, rel=0.5)
    monkeypatch.setattr(packages, "available_memory", lambda: 2**28 + 1)
    assert packages.memory_limit() == 2**27


@pytest.mark.parametrize("error", [AttributeError, ValueError, OSError])
def test_a_package_may_use_half_of_the_machine_or_1_gib_where_the_free_memory_is_not_known(monkeypatch, error):
    monkeypatch.setattr(packages, "available_memory", lambda: None)
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 2**20, "SC_PAGE_SIZE": 2**12}.get, raising=False)
    assert packages.memory_limit() == 2**31

    def unknown(_):
        raise error

    monkeypatch.setattr(os, "sysconf", unknown, raising=False)
    assert packages.memory_limit() == 2**30


SCRIPT = """
import gc, sys
from mines_dd.board.board import Board
from mines_dd.base.budget import Budget
from mines_dd.compilers import bdd, exactly, packages, zdd
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order

class Interrupted(Budget):
    def check(self, nodes):
        raise KeyboardInterrupt

name, *ways = sys.argv[1:]
module = bdd if name in bdd.BACKENDS else zdd
run = getattr(module, "compile_" + module.__name__[-3:])
unlimited = module.memory_limit
kept = []
for how in ways:
    instance, limit = Instance.from_board(Board.random(12, 12, 0.3, 0.3, 1)), unlimited
    if how == "a wide hint":
        instance, limit = Instance.build(range(400), "h", [range(400)], [[200]]), lambda: 1_000_000
    elif how == "out of memory":
        instance, limit = Instance.from_board(Board.random(30, 30, 0.3, 0.3, 0)), lambda: 20_000_000
    module.memory_limit = limit
    budget = {"refused": Budget(max_nodes=500), "interrupted": Interrupted()}.get(how)
    try:
        kept.append(run(instance, cell_order(instance, "row"), backend=name, budget=budget))
    except BaseException as error:
        error.itself = error  # a cycle that holds the traceback's frames
        kept.append(error)
    assert (type(kept[-1]).__name__, getattr(kept[-1], "unit", "")) == {
        "finished": ("Compiled", ""),
        "refused": ("BudgetExceededError", "nodes"),
        "out of memory": ("BudgetExceededError", "bytes"),
        "a wide hint": ("BudgetExceededError", "bytes"),
        "interrupted": ("KeyboardInterrupt", ""),
    }[how], kept[-1]
    if how == "interrupted":
        kept.pop()
        gc.collect()
print("done")
"""


@pytest.mark.ci
def test_the_interpreter_exits_cleanly_whatever_came_before(backend):
    ways = ["finished", "refused", "interrupted"]
    if backend.name != "dd.autoref":  # which has no limit but the machine's
        ways += ["out of memory", "a wide hint"]
    ran = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", SCRIPT, backend.name, *ways],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "done\n", "")


@pytest.mark.ci
@pytest.mark.parametrize(("mebibytes", "outcome"), [(100, "BudgetExceededError"), (1000, "2")])
def test_a_manager_of_oxidd_is_refused_where_its_thread_could_not_start(mebibytes, outcome):
    code = f"""
import resource
import oxidd.zbdd
from mines_dd import Board, BudgetExceededError, solve
size = resource.getpagesize() * int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (size + {mebibytes} * 2**20,) * 2)
for _ in range(50):
    try:
        said = solve(Board.parse("#1#"), "zdd", backend="oxidd", simplify=False).count()
    except BudgetExceededError as error:
        said = type(error).__name__
print(said)
"""
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}  # on a slow machine it would pay to import Numba, too
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=plain)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{outcome}\n", "")


def test_an_order_of_edges_of_a_graph_of_ones_own(backend):
    """Perfect matchings of K6: the edges are cells, every vertex a hint 1."""
    complete = nx.complete_graph(6)
    edges = list(complete.edges)
    members = [[i for i, edge in enumerate(edges) if v in edge] for v in complete]
    instance = Instance.build(edges, list(complete), members, [[1]] * 6)
    assert count(backend.diagram(instance)) == 15
