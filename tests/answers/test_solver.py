"""One contract that every method and backend keeps: the same exact answers as brute force, a test a question.

The families come from `ways`, each solved once; the answers of brute force from `naive`.
"""

import random
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb

import naive
import networkx as nx
import numpy as np
import pytest
from boards import FIGURE_9, FIGURE_10, SEEDS
from hypothesis import given, settings
from hypothesis import strategies as st
from ways import WAYS, every_family, every_method, every_simplify, every_way

from mines_dd import (
    Assignments,
    Board,
    BudgetExceededError,
    GraphFormatError,
    InconsistentBoardError,
    MinesError,
    mine_graph,
    solve,
    subgraphs,
)
from mines_dd.answers import solver
from mines_dd.answers.solver import plans
from mines_dd.base.budget import Budget
from mines_dd.constraints.graph import Instance

HARD = Board.random(30, 30, 0.3, 0.3, 0)

# The questions, each over all boards and graphs of `ways`


@every_family
def test_cells(solved):
    for name, _, family, cells, _ in solved():
        assert family.cells == cells, name


@every_family
def test_count(solved):
    for name, _, family, _, expected in solved():
        assert family.count() == len(expected), name


@every_family
def test_whether_there_is_one_at_all(solved):
    for name, _, family, _, expected in solved():
        assert bool(family) == bool(expected), name


@every_family
def test_iteration(solved):
    for name, _, family, _, expected in solved():
        listed = list(family)
        assert len(listed) == len(set(listed)), name
        assert set(listed) == expected, name


@every_family
def test_membership(solved):
    for name, seed, family, cells, expected in solved():
        rng = random.Random(seed)
        assert all(mines in family for mines in expected), name
        for _ in range(5):
            mines = frozenset(cell for cell in cells if rng.random() < 0.4)
            assert (mines in family) == (mines in expected), name


@every_family
def test_counts_by_mines(solved):
    for name, _, family, _, expected in solved():
        assert family.counts_by_mines() == naive.counts_by_mines(expected), name
        assert sum(family.counts_by_mines().values()) == len(expected), name


@every_family
def test_probabilities(solved):
    for name, _, family, cells, expected in solved():
        if expected:
            assert family.probabilities() == naive.probabilities(cells, expected), name


@every_family
def test_approximate_probabilities(solved):
    for name, _, family, cells, expected in solved():
        if expected:
            share = {cell: float(p) for cell, p in naive.probabilities(cells, expected).items()}
            assert family.approximate_probabilities() == pytest.approx(share, abs=1e-9), name


@every_family
def test_safe_cells(solved):
    for name, _, family, cells, expected in solved():
        if expected:
            assert family.safe_cells() == set(cells).difference(*expected), name


@every_family
def test_certain_mines(solved):
    for name, _, family, _, expected in solved():
        if expected:
            assert family.certain_mines() == frozenset.intersection(*expected), name


@every_family
def test_sample(solved):
    for name, seed, family, _, expected in solved():
        if expected:
            assert set(family.sample(10, seed=seed)) <= expected, name


@every_family
@pytest.mark.parametrize(
    "question", [Assignments.probabilities, Assignments.sample, Assignments.safe_cells, Assignments.certain_mines]
)
def test_without_an_assignment_there_is_no_answer(solved, question):
    for name, _, family, _, expected in solved():
        if not expected:
            with pytest.raises(InconsistentBoardError):
                pytest.fail(f"{name}: {question(family)}")


@every_family
def test_cheapest(solved):
    for name, seed, family, cells, expected in solved():
        rng = random.Random(seed)
        costs = {cell: Fraction(rng.randint(-9, 9), 4) for cell in cells}
        ranked = sorted(sum(costs[cell] for cell in mines) for mines in expected)
        assert [cost for cost, _ in family.cheapest(costs, 4)] == ranked[:4], name


@every_family
def test_given(solved):
    for name, _, family, cells, expected in solved():
        if not expected:
            continue
        for cell in cells:
            with_mine, without = family.given(mines=[cell]), family.given(safe=[cell])
            assert with_mine.count() + without.count() == len(expected), name
            assert set(with_mine) == {mines for mines in expected if cell in mines}, name
            assert set(without) == {mines for mines in expected if cell not in mines}, name


@every_way
def test_save_and_load(how, tmp_path):
    family = solve(Board.random(12, 12, 0.2, 0.3, seed=2), **how)
    path = tmp_path / "family.npz"
    family.save(path)
    again = Assignments.load(path)
    assert again.cells == family.cells
    assert again.method == family.method
    assert again.node_count == family.node_count
    assert again.probabilities() == family.probabilities()
    assert again.sample(3, seed=1) == family.sample(3, seed=1)


@every_way
def test_to_dd(how):
    from dd import autoref

    family = solve(FIGURE_9, **how)
    manager = autoref.BDD()
    node = family.to_dd(manager)
    assert manager.count(node, nvars=6) == 3
    for mines in family:
        assert manager.let({f"x{r}_{c}": (r, c) in mines for r, c in family.cells}, node) == manager.true


@every_way
def test_to_dot(how):
    text = solve(FIGURE_9, **how, simplify=False).to_dot()
    assert text.startswith("digraph")
    assert "0,0" in text
    assert ("dashed" in text) == (how["method"] != "tree")


# Boards whose answers are known


@every_way
@pytest.mark.parametrize("order", ["auto", "row", "column", "greedy", "tree"])
def test_the_published_4x4_board_has_66_assignments(how, order):
    if how["method"] == "tree":
        order = {"row": "min-fill", "column": "min-degree"}.get(order, "auto")
    family = solve(FIGURE_10, **how, order=order, simplify=False)
    assert family.count() == 66
    corners = [(0, 0), (0, 3), (3, 0), (3, 3)]
    for cell, p in family.probabilities().items():
        assert p == (Fraction(28, 66) if cell in corners else Fraction(26, 66))


@every_way
@every_simplify
def test_the_published_3x3_board_has_3_assignments(how, simplify):
    family = solve(FIGURE_9, **how, simplify=simplify)
    assert family.count() == 3
    third = Fraction(1, 3)
    assert family.probabilities() == {
        (0, 0): 2 * third,
        (0, 2): 2 * third,
        (1, 0): 0,
        (1, 1): 2 * third,
        (1, 2): 1,
        (2, 1): third,
    }


@every_way
def test_a_single_hint_has_binomially_many_assignments(how):
    for a, k in [(0, 0), (1, 0), (1, 1), (8, 3), (60, 29)]:
        instance = Instance.build(range(a), ["h"], [range(a)], [[k]])
        assert solve(instance.to_graph(), **how).count() == comb(a, k)


@every_way
def test_boards_without_hints_or_cells(how):
    for text in ["#", "0", "##\n##", "00\n00", "F", "*"]:
        family = solve(Board.parse(text), **how)
        assert family.count() == 1
        assert list(family) == [frozenset()]
        assert family.probabilities() == {}


@every_way
def test_known_mines_are_subtracted_from_the_hints(how):
    assert solve(Board.parse("*1#"), **how).probabilities() == {(0, 2): 0}
    assert solve(Board.parse("*2#"), **how).probabilities() == {(0, 2): 1}
    assert solve(Board.parse("*0#"), **how).count() == 0
    assert solve(Board.parse("*0"), **how).count() == 0


@every_way
def test_an_inconsistent_board_has_an_empty_family(how):
    for text in ["1", "#3#", "2#2\n###\n000"]:
        family = solve(Board.parse(text), **how)
        assert family.count() == 0
        assert list(family) == []
        with pytest.raises(InconsistentBoardError):
            family.probabilities()


# Methods, symmetries and orders against each other


@every_way
def test_all_methods_agree_on_larger_boards(how):
    for mines in (0.1, 0.2, 0.3):
        for hints in (0.1, 0.3, 0.5):
            board = Board.random(16, 16, mines, hints, seed=3)
            reference = solve(board)
            family = solve(board, **how, simplify=False)
            assert family.count() == reference.count()
            assert family.probabilities() == reference.probabilities()
            assert board.layout is not None
            truth = board.layout.intersection(family.cells)
            assert truth in family
            assert family.sample(1, seed=5)[0] in reference


@settings(max_examples=40)
@given(SEEDS, st.sampled_from(WAYS))
def test_symmetries_of_the_board_are_symmetries_of_the_answer(seed, how):
    board = naive.random_board(seed)
    mirrored = Board(tuple(row[::-1] for row in board.grid))
    turned = Board(tuple("".join(column) for column in zip(*board.grid, strict=True)))
    cols = board.size[1]
    family = solve(board, **how)
    assert family.count() == solve(mirrored, **how).count() == solve(turned, **how).count()
    if family:
        share = family.probabilities()
        assert solve(mirrored, **how).probabilities() == {(r, cols - 1 - c): p for (r, c), p in share.items()}
        assert solve(turned, **how).probabilities() == {(c, r): p for (r, c), p in share.items()}


@settings(max_examples=40)
@given(SEEDS, st.sampled_from(WAYS))
def test_opening_a_cell_splits_the_family(seed, how):
    instance = naive.random_instance(seed)
    graph = instance.to_graph()
    family = solve(graph, **how)
    if not instance.cells:
        return
    shuffled = list(instance.cells)
    random.Random(seed).shuffle(shuffled)
    renamed = nx.relabel_nodes(graph, dict(zip(instance.cells, shuffled, strict=True)))
    assert solve(renamed, **how).counts_by_mines() == family.counts_by_mines()
    # a new hint that sees all cells splits the family by its number of mines
    total = 0
    for k, n in family.counts_by_mines().items():
        watched = graph.copy()
        watched.add_node("watcher", bipartite=1, dc={k})
        watched.add_edges_from((cell, "watcher") for cell in instance.cells)
        for cell in instance.cells:
            watched.nodes[cell]["dc"] = {0, watched.degree[cell]}
        assert solve(watched, **how).count() == n
        total += n
    assert total == family.count()


def test_automatic_choice_never_changes_an_answer():
    for seed in range(30):
        board = naive.random_board(seed)
        expected = naive.assignments(Instance.from_board(board))
        for order in ("auto", "row", "min-fill"):
            assert set(solve(board, order=order)) == expected


@every_way
def test_a_given_order_is_followed_and_checked(how):
    board = FIGURE_10
    instance = Instance.from_board(board)
    labels = instance.hints if how["method"] == "tree" else instance.cells
    shuffled = list(labels)
    random.Random(1).shuffle(shuffled)
    assert solve(board, **how, order=shuffled).count() == 66
    for wrong in (shuffled[1:], [*shuffled, shuffled[0]], [*shuffled[1:], (9, 9)]):
        with pytest.raises(MinesError):
            solve(board, **how, order=wrong)


# Limits and depth


@every_way
@every_simplify
@pytest.mark.parametrize(
    ("limits", "unit"),
    [
        ({"max_nodes": 20}, "nodes"),
        ({"max_nodes": 50}, "nodes"),
        ({"timeout": 0}, "seconds"),
        ({"timeout": 1e-6}, "seconds"),
    ],
)
def test_a_limit_ends_a_compilation_cleanly(how, simplify, limits, unit):
    with pytest.raises(BudgetExceededError) as caught:
        solve(HARD, **how, simplify=simplify, **limits)
    assert caught.value.unit == unit
    assert caught.value.allowed == next(iter(limits.values()))
    assert caught.value.needed >= caught.value.allowed
    assert solve(FIGURE_10, **how).count() == 66


def test_the_clock_is_looked_at_while_a_graph_is_read(clock, monkeypatch):
    def found(*args, **named):
        raise AssertionError

    monkeypatch.setattr(solver, "degree_constrained", found)
    graph = nx.grid_2d_graph(40, 40)
    nx.set_node_attributes(graph, {1}, "dc")
    for order in (list(graph.edges), "row"):
        with pytest.raises(BudgetExceededError, match="second"):
            subgraphs(graph, order, timeout=9)  # a second each


@pytest.mark.slow
def test_the_clock_is_looked_at_between_small_steps(clock, monkeypatch):
    """However slow the machine, a limit on time is exceeded by little: a step is some hundred thousand states."""
    monkeypatch.setenv("MINES_DD_JIT", "always")  # interpreted, steps are much smaller
    seen = []
    check = Budget.check
    monkeypatch.setattr(Budget, "check", lambda self, nodes=0: (nodes and seen.append(nodes)) or check(self, nodes))
    with pytest.raises(BudgetExceededError, match="second"):
        solve(Board.random(60, 60, 0.3, 0.3, 0), "dc", "row", simplify=False, timeout=140)
    assert clock.looks < 150  # a second each
    assert seen[-1] > 1_000_000
    assert max(later - earlier for earlier, later in pairwise(seen)) < 500_000


def chain(n):
    """One row of cells and hints by turns, all in one component: 2 assignments."""
    return Board(("#1" * n + "#",))


@pytest.mark.ci
@every_method
def test_a_board_deeper_than_the_stack_is_counted_sampled_and_listed(method, tmp_path):
    board = chain(1_100)
    how = {"method": method, "simplify": False}
    family = solve(board, **how)
    assert family.count() == 2
    assert sum(1 for _ in family) == 2
    assert family.sample(1, seed=1)[0] in family
    assert set(family.probabilities().values()) == {1 / 2}
    assert set(family.counts_by_mines().values()) <= {1, 2}
    assert family.given(mines=[(0, 0)]).count() == 1
    family.save(tmp_path / "family")
    assert type(family).load(tmp_path / "family").count() == 2
    assert len(family.to_dot()) > 1_100
    assert len(family.cheapest({(0, 0): 1}, 2)) == 2


# What is refused


@pytest.mark.parametrize("method", ["auto", "dc", "tree"])
def test_a_backend_is_refused_where_the_method_has_none(method):
    with pytest.raises(MinesError, match=f"the method {method} has no backend to choose; leave out 'dd.cudd'"):
        solve(Board.parse("#1#"), method, backend="dd.cudd")
    assert solve(Board.parse("#1#"), method, backend="auto").count() == 2


def test_an_order_of_conjunction_is_refused_where_nothing_is_conjoined_or_there_is_no_such_order():
    board = Board.parse("#1#")
    for method in ("auto", "dc", "tree"):
        with pytest.raises(
            MinesError,
            match=f"the method {method} conjoins no hints; leave out conjoin='given', or use bdd or zdd or zdd-span",
        ):
            solve(board, method, conjoin="given")
    with pytest.raises(MinesError, match="no way to conjoin hints 'last'; choose deepest or given"):
        solve(board, "bdd", conjoin="last")
    assert [solve(board, method, conjoin="given").count() for method in ("bdd", "zdd", "zdd-span")] == [2, 2, 2]


def test_unknown_methods_and_sources_are_refused():
    with pytest.raises(MinesError, match="no method 'sat'"):
        solve(Board.parse("#1#"), method="sat")
    with pytest.raises(MinesError, match=r"a Board, or a networkx\.Graph"):
        solve("#1#")


# Subgraphs


def test_the_domino_tilings_of_a_chessboard():
    chessboard = nx.grid_2d_graph(8, 8)
    nx.set_node_attributes(chessboard, {1}, "dc")
    family = subgraphs(chessboard)
    assert family.count() == 12988816
    assert all(len(tiling) == 32 for tiling in family.sample(5, seed=1))


def test_a_limit_stops_a_graph_by_what_it_needs_and_not_by_what_is_predicted(monkeypatch):
    """Most sums of the hints of a Latin square cannot come together, which no prediction knows."""
    n, hints = 4, {}
    for i, j in product(range(n), repeat=2):
        hints["row and column", i, j] = [(i, j, k) for k in range(n)], 1
        hints["row and number", i, j] = [(i, k, j) for k in range(n)], 1
        hints["column and number", i, j] = [(k, i, j) for k in range(n)], 1
    graph = mine_graph(hints)
    assert solve(graph, max_nodes=1000).count() == 576
    assert next(plan.cost.entries for plan in plans(graph) if plan.method == "tree") > 5000
    with pytest.raises(BudgetExceededError, match=r"this needs at least .* nodes and 500 are allowed"):
        solve(graph, max_nodes=500)
    monkeypatch.setattr("mines_dd.base.budget.available_memory", lambda: 10**4)
    with pytest.raises(BudgetExceededError, match=r"predicted to need .* bytes .*; have it tried with simplify=False"):
        solve(graph)
    assert solve(graph, simplify=False).count() == 576


def test_an_order_of_edges_may_name_an_edge_from_either_end():
    path = nx.path_graph(4)
    nx.set_node_attributes(path, {0, 1}, "dc")
    assert subgraphs(path, [(3, 2), (1, 0), (1, 2)]).cells == tuple(path.edges)
    assert subgraphs(path, [(3, 2), (1, 0), (1, 2)]).count() == 5
    with pytest.raises(GraphFormatError, match="names each edge of the graph once; this one does not"):
        subgraphs(path, [(3, 2), (1, 0)])


@pytest.fixture(scope="module")
def eight():
    """The pairs of eight cells."""
    return solve(Board.parse("###/#2#/###"))


@pytest.mark.parametrize("kind", [np.uint8, np.int64])
def test_costs_of_numpy_do_not_overflow(eight, kind):
    dear = int(np.iinfo(kind).max)
    assert eight.cheapest(dict.fromkeys(eight.cells, kind(dear)))[0][0] == 2 * dear
    assert eight.cheapest(dict.fromkeys(eight.cells, kind(1)) | {eight.cells[0]: -(2**70)})[0][0] == 1 - 2**70


def test_costs_of_several_kinds_mix(eight):
    costs = dict.fromkeys(eight.cells, 0.5) | {eight.cells[0]: Decimal("0.25"), eight.cells[1]: Fraction(1, 8)}
    assert [cost for cost, _ in eight.cheapest(costs, 3)] == [0.375, 0.625, 0.625]


def test_a_great_cost_hides_no_small_one_and_an_infinite_one_is_no_nan(eight):
    costs = dict(zip(eight.cells, [-1e20, 1.0, 5.0, 7.0, 11.0, 13.0, 17.0, float("inf")], strict=True))
    ranked = sorted(a + b for a, b in combinations(costs.values(), 2))
    assert [cost for cost, _ in eight.cheapest(costs, 28)] == ranked


@pytest.mark.parametrize("large", [1e308, 10**400, Fraction(-(10**400))])
def test_floats_that_have_no_sum_are_refused_and_whole_numbers_of_any_size_are_not(eight, large):
    costs = dict.fromkeys(eight.cells, large)
    with pytest.raises(MinesError, match="all costs together are more than a float holds; give integers"):
        eight.cheapest(costs | {eight.cells[0]: 1.5})
    assert eight.cheapest(dict.fromkeys(eight.cells, 10**400))[0][0] == 2 * 10**400


def test_a_family_with_labels_of_numpy_can_be_saved(tmp_path):
    family = solve(mine_graph({"h": (np.array([2, 3]), 1), "i": ([(np.int64(0), np.float32(0.5)), 3], 1)}))
    family.save(tmp_path / "family")
    assert set(Assignments.load(tmp_path / "family")) == set(family)


def test_given_cells_may_come_once(eight):
    mines, safe = eight.cells[:1], eight.cells[1:3]
    assert eight.given(iter(mines), iter(safe)).count() == eight.given(mines, safe).count() == 5


def test_none_of_the_cheapest_are_none(eight):
    assert solve(Board.parse("#0")).cheapest({}, 0) == eight.cheapest({}, 0) == []


def test_the_probability_of_another_cell_is_refused_with_the_reason():
    family = solve(Board.parse("#1#"))
    for chances in (family.probabilities(), family.approximate_probabilities()):
        with pytest.raises(KeyError, match=r"\(0, 1\) is open, or touches no hint"):
            chances[0, 1]
