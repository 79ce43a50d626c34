"""Families of assignments: what they say of themselves, and questions that are refused."""

from xml.etree import ElementTree

import networkx as nx
import pytest
from boards import FIGURE_10, independent_hints
from ways import METHODS

from mines_dd import Board, BudgetExceededError, MinesError, mine_graph, solve
from mines_dd.base.budget import Budget
from mines_dd.diagrams import mine_counts, modular, passes, queries
from mines_dd.frontier import Paths, build


@pytest.mark.parametrize("n", [-1, -100])
def test_fewer_than_no_assignments_are_refused(n):
    for source in ("#1#", "#3#"):
        family = solve(Board.parse(source))
        with pytest.raises(MinesError, match=f"{n} assignments"):
            family.sample(n)
        with pytest.raises(MinesError, match=f"{n} assignments"):
            family.cheapest({}, n)
    assert solve(Board.parse("#1#")).sample(0) == solve(Board.parse("#1#")).cheapest({}, 0) == []


def test_families_say_in_short_what_they_are():
    family = solve(FIGURE_10, "zdd", simplify=False)
    assert repr(family) == f"<Assignments: 12 cells, {family.node_count} nodes, method 'zdd'>"
    assert len(repr(solve(independent_hints(2_500)))) < 200


def test_labels_are_escaped_in_notebooks_and_drawings():
    labels = nx.Graph([("<b>&", "hint")])
    nx.set_node_attributes(labels, {"<b>&": {0, 1}, "hint": {1}}, "dc")
    nx.set_node_attributes(labels, {"<b>&": 0, "hint": 1}, "bipartite")
    family = solve(labels, "dc")
    assert "<b>" not in family._repr_html_()
    ElementTree.fromstring(family.to_svg())


@pytest.fixture(scope="module")
def large():
    return solve(Board.random(40, 40, 0.3, 0.3, 0))


QUESTIONS = {
    "count": lambda family, budget: family.count(budget=budget),
    "probabilities": lambda family, budget: family.probabilities(budget=budget),
    "approximate probabilities": lambda family, budget: family.approximate_probabilities(budget=budget),
    "counts by mines": lambda family, budget: family.counts_by_mines(budget=budget),
    "a sample": lambda family, budget: family.sample(seed=1, budget=budget),
    "many samples": lambda family, budget: family.sample(10**6, seed=1, budget=budget),
    "the cheapest": lambda family, budget: family.cheapest({family.cells[0]: 1}, budget=budget),
    "the 10 cheapest": lambda family, budget: family.cheapest({family.cells[0]: 1}, 10, budget=budget),
    "a restriction": lambda family, budget: family.given(mines=family.cells[:1], budget=budget),
    "safe cells": lambda family, budget: family.safe_cells(budget=budget),
    "certain mines": lambda family, budget: family.certain_mines(budget=budget),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_question_looks_at_the_clock_again_and_again(large, question, clock):
    """A second passes at each look: the first is in time, the third is not."""
    family = large.given()  # of which nothing is known yet
    with pytest.raises(BudgetExceededError, match="not done after 2 seconds"):
        QUESTIONS[question](family, Budget(timeout=2))
    assert clock.looks <= 6


@pytest.mark.parametrize("question", [name for name in QUESTIONS if name != "many samples"])
def test_a_question_within_its_budget_has_the_same_answer(large, question):
    known = QUESTIONS[question](large, None)
    found = QUESTIONS[question](large.given(), Budget(max_nodes=1, timeout=1000))
    assert (found.count() == known.count()) if question == "a restriction" else (found == known)


@pytest.mark.ci
@pytest.mark.parametrize("question", ["count", "probabilities", "approximate probabilities"])
def test_compiled_passes_run_in_blocks_and_look_at_the_clock_before_each(large, question, clock, monkeypatch):
    monkeypatch.setattr(passes, "_LARGE", 0)
    monkeypatch.setattr(modular, "_LIMITS", (62.0,))
    monkeypatch.setattr(modular, "_SECONDS_IN_INTEGERS", 1.0)
    known = QUESTIONS[question](large.given(), None)
    looks = clock.looks
    assert QUESTIONS[question](large.given(), Budget(timeout=10**6)) == known
    in_one, looks = clock.looks - looks, clock.looks
    monkeypatch.setattr("mines_dd.base.budget._COMPILED", 1000)
    monkeypatch.setattr("mines_dd.base.budget._INTERPRETED", 1000)
    assert QUESTIONS[question](large.given(), Budget(timeout=10**6)) == known
    assert clock.looks - looks > 2 * in_one


@pytest.mark.parametrize("n", [10**12, 10**30])
def test_more_answers_than_memory_can_hold_are_refused_at_once(large, n, monkeypatch):
    drawn = []
    draw = queries._draw
    monkeypatch.setattr(queries, "_draw", lambda *how: drawn.append(how) or draw(*how))
    with pytest.raises(BudgetExceededError, match=r"GiB are free; ask for fewer at a time$"):
        large.sample(n)
    assert len(drawn) == 1
    with pytest.raises(BudgetExceededError, match=r"GiB are free"):
        large.cheapest({}, n)
    assert len(solve(Board.parse("#1#")).cheapest({}, n)) == 2


def test_polynomials_that_would_take_days_are_refused_before_they_are_made(large, monkeypatch):
    monkeypatch.setattr(mine_counts, "_SMALL", 0)
    monkeypatch.setattr("mines_dd.diagrams.polynomials._SECONDS_A_STEP", 1.0)
    monkeypatch.setattr("mines_dd.diagrams.interpolation._SECONDS_A_VALUE", 1.0)
    with pytest.raises(BudgetExceededError, match=r"is predicted to need .* seconds and 100 are allowed"):
        large.counts_by_mines(budget=Budget(timeout=100))


def test_polynomials_too_long_for_the_memory_are_refused_before_they_are_made(large, monkeypatch):
    monkeypatch.setattr(mine_counts, "_SMALL", 0)
    monkeypatch.setattr("mines_dd.base.budget.available_memory", lambda: 1000)
    with pytest.raises(BudgetExceededError, match=r"is predicted to need .* bytes and 900 are allowed"):
        large.counts_by_mines()


def test_families_are_equal_if_they_have_the_same_assignments():
    family = solve(FIGURE_10, "tree")
    for method in METHODS:
        another = solve(FIGURE_10, method, simplify=False)
        assert family == another
        assert hash(family) == hash(another)
        assert family != another.given(mines=[(0, 0)])
    assert family != set(family)  # a set of assignments is no family


def test_cells_without_a_mine_make_no_difference_to_a_family():
    one, other = solve(mine_graph({"h": ("ab", 1)})), solve(mine_graph({"h": ("ba", 1), "i": ("c", 0)}))
    assert one == other
    assert len({one, other, other.given(mines="a")}) == 2
    assert solve(mine_graph({"h": ("a", 0)})) != solve(mine_graph({"h": ("a", 2)}))  # the empty set, and none
    assert solve(mine_graph({"h": ("a", 2)})) == solve(mine_graph({"h": ("b", 2)}))


def test_an_edge_the_other_way_round_is_named_as_the_graph_has_it():
    paths = build(Paths(nx.path_graph(3), 0, 2)).to_assignments()
    with pytest.raises(MinesError, match=r"^\(1, 0\) is not one of \.cells, .*; did you mean \(0, 1\)\?$"):
        paths.given(mines=[(1, 0)])
    with pytest.raises(KeyError, match="is no item of the graph or spec"):
        paths.probabilities()[1, 0]


@pytest.mark.ci
def test_large_families_are_compared_in_seconds():
    board = Board.random(200, 200, 0.4, 0.2, seed=1)
    family = solve(board)
    assert family == family.given()
    assert family != family.given(mines=[family.cells[0]])


def test_costs_that_have_no_sum_are_refused():
    family = solve(Board.parse("####/#22#/#22#/####"))
    with pytest.raises(MinesError, match="have no sum"):
        family.cheapest({(0, 0): float("inf"), (0, 1): float("-inf")})
    cost, mines = family.cheapest({(0, 0): float("inf")})[0]
    assert cost == 0
    assert (0, 0) not in mines


def test_whether_a_pass_modulo_primes_pays_is_found_within_the_budget(large, clock, monkeypatch):
    """On millions of nodes that is a pass of seconds itself."""
    monkeypatch.setattr(passes, "_LARGE", 0)
    monkeypatch.setattr(modular, "flows", None)  # never come to
    with pytest.raises(BudgetExceededError, match="not done after 2 seconds"):
        large.given().probabilities(budget=Budget(timeout=2))
