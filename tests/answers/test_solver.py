"""One contract that every method and backend keeps: the same exact answers as brute force."""

import random
from fractions import Fraction
from itertools import combinations
from math import comb

import naive
import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd import (
    Assignments,
    Board,
    BudgetExceededError,
    InconsistentBoardError,
    MinesError,
    mine_graph,
    solve,
    subgraphs,
)
from mines_dd.answers.solver import plans
from mines_dd.constraints.graph import Instance

WAYS = [
    {"method": "bdd", "backend": "dd.autoref"},
    {"method": "bdd", "backend": "auto"},
    {"method": "zdd", "backend": "oxidd"},
    {"method": "zdd", "backend": "auto"},
    {"method": "dc"},
    {"method": "tree"},
]
every_way = pytest.mark.parametrize("how", WAYS, ids=lambda how: "-".join(how.values()))
every_simplify = pytest.mark.parametrize("simplify", [False, True], ids=["raw", "simplified"])

FIGURE_10 = "####\n#22#\n#22#\n####"
FIGURE_9 = "#3#\n###\n1#2"


@every_way
@every_simplify
def test_every_answer_is_that_of_brute_force(how, simplify):
    for seed in range(25):
        board = naive.random_board(seed)
        instance = Instance.from_board(board)
        expected = naive.assignments(instance)
        family = solve(board, **how, simplify=simplify)
        assert family.cells == tuple(instance.cells)
        check(family, expected, seed)


@every_way
@every_simplify
def test_graphs_of_any_shape_and_hints_with_several_counts(how, simplify):
    for seed in range(40):
        instance = naive.random_instance(seed)
        expected = naive.assignments(instance)
        check(solve(instance.to_graph(), **how, simplify=simplify), expected, seed)


def check(family: Assignments, expected: set, seed: int) -> None:
    listed = list(family)
    assert len(listed) == len(set(listed)) == family.count() == len(expected)
    assert set(listed) == expected
    assert family.counts_by_mines() == naive.counts_by_mines(expected)
    assert sum(family.counts_by_mines().values()) == len(expected)
    assert bool(family) == bool(expected)
    if not expected:
        for question in (family.probabilities, family.sample, family.safe_cells, family.certain_mines):
            with pytest.raises(InconsistentBoardError):
                question()
        return
    share = naive.probabilities(family.cells, expected)
    assert family.probabilities() == share
    assert family.approximate_probabilities() == pytest.approx({c: float(p) for c, p in share.items()}, abs=1e-9)
    assert family.safe_cells() == {c for c, p in share.items() if p == 0}
    assert family.certain_mines() == {c for c, p in share.items() if p == 1}
    assert set(family.sample(10, seed=seed)) <= expected
    rng = random.Random(seed)
    costs = {c: Fraction(rng.randint(-9, 9), 4) for c in family.cells}
    assert [c for c, _ in family.cheapest(costs, 4)] == sorted(sum(costs[c] for c in s) for s in expected)[:4]
    for cell in family.cells:
        with_mine, without = family.given(mines=[cell]), family.given(safe=[cell])
        assert with_mine.count() + without.count() == len(expected)
        assert set(with_mine) == {s for s in expected if cell in s}
        assert set(without) == {s for s in expected if cell not in s}
    assert all(s in family for s in listed[:5])


@every_way
@pytest.mark.parametrize("order", ["auto", "row", "column", "greedy", "tree"])
def test_the_published_4x4_board_has_66_assignments(how, order):
    if how["method"] == "tree":
        order = {"row": "min-fill", "column": "min-degree"}.get(order, "auto")
    family = solve(Board.parse(FIGURE_10), **how, order=order, simplify=False)
    assert family.count() == 66
    corners = [(0, 0), (0, 3), (3, 0), (3, 3)]
    for cell, p in family.probabilities().items():
        assert p == (Fraction(28, 66) if cell in corners else Fraction(26, 66))


@every_way
@every_simplify
def test_the_published_3x3_board_has_3_assignments(how, simplify):
    family = solve(Board.parse(FIGURE_9), **how, simplify=simplify)
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


def test_the_mine_graphs_of_the_published_boards_have_their_edges():
    assert mine_graph(Board.parse(FIGURE_10)).number_of_edges() == 20
    assert mine_graph(Board.parse(FIGURE_9)).number_of_edges() == 11


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
@given(st.integers(0, 10**6), st.sampled_from(WAYS))
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
@given(st.integers(0, 10**6), st.sampled_from(WAYS))
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


@every_way
def test_a_given_order_is_followed_and_checked(how):
    board = Board.parse(FIGURE_10)
    instance = Instance.from_board(board)
    labels = instance.hints if how["method"] == "tree" else instance.cells
    shuffled = list(labels)
    random.Random(1).shuffle(shuffled)
    assert solve(board, **how, order=shuffled).count() == 66
    for wrong in (shuffled[1:], [*shuffled, shuffled[0]], [*shuffled[1:], (9, 9)]):
        with pytest.raises(MinesError):
            solve(board, **how, order=wrong)


@every_way
def test_limits_end_a_compilation_cleanly(how):
    board = Board.random(30, 30, 0.3, 0.5, seed=1)
    with pytest.raises(BudgetExceededError) as error:
        solve(board, **how, simplify=False, max_nodes=50)
    assert error.value.unit == "nodes"
    assert error.value.allowed == 50
    with pytest.raises(BudgetExceededError) as error:
        solve(board, **how, simplify=False, timeout=1e-6)
    assert error.value.unit == "seconds"
    assert solve(Board.parse(FIGURE_10), **how).count() == 66


@pytest.mark.parametrize("method", ["dc", "tree"])
def test_a_backend_is_refused_where_the_method_has_none(method):
    with pytest.raises(MinesError, match=f"the method {method} has no backend to choose; leave out 'dd.cudd'"):
        solve(Board.parse("#1#"), method, backend="dd.cudd")
    assert solve(Board.parse("#1#"), method, backend="auto").count() == 2
    assert solve(Board.parse("#1#"), backend="dd.cudd").count() == 2


@pytest.mark.parametrize("n", [-1, -100])
def test_fewer_than_no_assignments_are_refused(n):
    for source in ("#1#", "#3#"):
        family = solve(Board.parse(source))
        with pytest.raises(MinesError, match=f"{n} assignments"):
            family.sample(n)
        with pytest.raises(MinesError, match=f"{n} assignments"):
            family.cheapest({}, n)
    assert solve(Board.parse("#1#")).sample(0) == solve(Board.parse("#1#")).cheapest({}, 0) == []


def test_unknown_methods_and_sources_are_refused():
    with pytest.raises(MinesError, match="no method 'sat'"):
        solve(Board.parse("#1#"), method="sat")
    with pytest.raises(MinesError, match="give a Board"):
        solve("#1#")


@every_way
def test_saved_families_come_back(how, tmp_path):
    family = solve(Board.random(12, 12, 0.2, 0.3, seed=2), **how)
    path = tmp_path / "family.npz"
    family.save(path)
    again = Assignments.load(path)
    assert again.cells == family.cells
    assert again.method == family.method
    assert again.node_count == family.node_count
    assert again.probabilities() == family.probabilities()
    assert again.sample(3, seed=1) == family.sample(3, seed=1)


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "family.npz"
    solve(Board.parse(FIGURE_10)).save(path)
    whole = path.read_bytes()
    for position in range(0, len(whole), 37):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0x55]) + whole[position + 1 :])
        with pytest.raises(MinesError):
            Assignments.load(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(MinesError):
        Assignments.load(path)
    path.write_text("not a family")
    with pytest.raises(MinesError, match="not a saved family"):
        Assignments.load(path)
    with pytest.raises(MinesError, match="cannot read"):
        Assignments.load(tmp_path / "missing.npz")


@every_way
def test_a_family_becomes_a_node_of_a_dd_manager(how):
    from dd import autoref

    family = solve(Board.parse(FIGURE_9), **how)
    manager = autoref.BDD()
    node = family.to_dd(manager)
    assert manager.count(node, nvars=6) == 3
    for mines in family:
        assert manager.let({f"x{r}_{c}": (r, c) in mines for r, c in family.cells}, node) == manager.true


@every_way
def test_dot_drawings_name_the_cells(how):
    text = solve(Board.parse(FIGURE_9), **how, simplify=False).to_dot()
    assert text.startswith("digraph")
    assert "0,0" in text
    assert ("dashed" in text) == (how["method"] != "tree")


def test_subgraphs_of_any_graph_answer_every_question():
    for n, seed in [(5, 1), (6, 2), (7, 3)]:
        graph = nx.gnp_random_graph(n, 0.5, seed=seed)
        rng = random.Random(seed)
        for vertex in graph:
            graph.nodes[vertex]["dc"] = set(rng.sample(range(4), 2))
        edges = list(graph.edges)
        expected = {
            frozenset(chosen)
            for size in range(len(edges) + 1)
            for chosen in combinations(edges, size)
            if all(sum(v in e for e in chosen) in graph.nodes[v]["dc"] for v in graph)
        }
        for order in ("auto", "row", edges[::-1]):
            family = subgraphs(graph, order)
            check(family, expected, seed)


def test_the_domino_tilings_of_a_chessboard():
    chessboard = nx.grid_2d_graph(8, 8)
    nx.set_node_attributes(chessboard, {1}, "dc")
    family = subgraphs(chessboard)
    assert family.count() == 12988816
    assert all(len(tiling) == 32 for tiling in family.sample(5, seed=1))


def test_exactly_k_on_managers_of_ones_own():
    from dd import autoref

    from mines_dd.compilers import bdd

    manager = autoref.BDD()
    names = [f"v{i}" for i in range(8)]
    manager.declare(*names, "other")
    for k in range(9):
        assert manager.count(bdd.exactly(manager, names, k), nvars=8) == comb(8, k)
    assert manager.count(bdd.exactly(manager, names, {1, 7}), nvars=8) == 16
    cudd_zdd = pytest.importorskip("dd.cudd_zdd")
    from mines_dd.compilers import zdd

    manager = cudd_zdd.ZDD()
    manager.declare(*names, "other")
    family = zdd.exactly(manager, names, 3)
    assert manager.count(family, nvars=9) == 2 * comb(8, 3)
    del family, manager


def test_clauses_have_the_assignments_as_their_models():
    from itertools import product

    from mines_dd.constraints.cnf_opb import clauses

    for seed in range(60):
        instance = naive.random_instance(seed) if seed % 2 else Instance.from_board(naive.random_board(seed, 10))
        n = len(instance.cells)
        models = sum(
            all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses(instance))
            for values in product((False, True), repeat=n)
        )
        assert models == len(naive.assignments(instance))


def test_automatic_choice_never_changes_an_answer():
    for seed in range(30):
        board = naive.random_board(seed)
        expected = naive.assignments(Instance.from_board(board))
        for order in ("auto", "row", "min-fill"):
            assert set(solve(board, order=order)) == expected


def test_a_plan_says_what_each_method_needs_and_refuses_what_cannot_fit():
    board = Board.random(120, 120, 0.3, 0.3, 1)
    found = {plan.method: plan for plan in plans(board)}
    assert set(found) == {"bdd", "zdd", "dc", "tree"}
    assert found["tree"].seconds < found["dc"].seconds < found["bdd"].seconds < found["zdd"].seconds
    family = solve(board, "tree")
    assert 0.4 <= found["tree"].cost.entries / family.details["entries"] <= 2.5
    with pytest.raises(BudgetExceededError, match="compare --plan") as error:
        solve(board, "bdd", max_nodes=10**6)
    assert error.value.needed > 2 * 10**6
    assert plans(Board.parse("#3#")) == []
