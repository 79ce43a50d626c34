"""What the paper claims without figures: naive search, and operations in the product of the nodes."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments import claims
from experiments.naive_search import Search, search
from mines_dd import Board, solve
from mines_dd.base.budget import Budget
from mines_dd.compilers.packages import memory_limit
from mines_dd.compilers.zdd import installed
from mines_dd.constraints.graph import Instance


@pytest.mark.ci
@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.3]), st.sampled_from([0.2, 0.5]))
def test_the_search_finds_as_many_assignments_as_tree(seed, mines, hints):
    board = Board.random(4, 4, mines, hints, seed)
    found = search(board, 200_000)
    assert found.ended
    assert found.assignments == solve(board, "tree").count()
    one = search(board, 10_000, 1)
    assert (one.assignments, one.first) == (1, found.first)


def test_a_search_stops_after_its_nodes_and_finds_nothing_where_there_is_nothing():
    board = Board.parse("#1#1#")
    assert search(board, 3) == Search(assignments=0, first=-1, nodes=3, ended=False)
    assert search(board, 4) == Search(assignments=1, first=4, nodes=4, ended=False)
    assert search(Board.parse("#1#3#"), 100).assignments == 0


def packages(items):
    return [claims.Functions(items), installed("auto")[1](items, Budget(), memory_limit())]


@pytest.mark.parametrize("kind", [0, 1])
def test_a_counter_holds_the_sets_whose_weights_are_a_multiple(kind):
    items, modulus = 5, 3
    package = packages(items)[kind]
    weights = claims.weights(items, modulus, 7)
    family = claims.remainder(package, items, modulus, 7)
    for chosen in product((0, 1), repeat=items):
        one = package.base
        for level in reversed(range(items)):
            parts = (package.empty, one) if chosen[level] else (one, package.empty)
            one = package.node(level, *parts)
        wanted = sum(w for w, c in zip(weights, chosen, strict=True) if c) % modulus == 0
        assert ((family & one) == one) == wanted


def test_a_conjunction_of_counters_has_nodes_for_pairs_of_remainders():
    for kind in ("bdd", "zdd"):
        found = claims.operation(
            "", kind, 40, lambda p: (claims.remainder(p, 40, 7, 1), claims.remainder(p, 40, 11, 2))
        )
        assert found.product / 80 < found.result < found.product


def test_both_halves_of_a_board_together_are_the_board():
    sizes = {o.kind: o.result for o in claims.halves([8])}
    board = Board.random(8, 8, claims.MINES, claims.HINTS, claims.SEED)
    nodes = solve(board, "zdd", order="greedy", simplify=False).node_count
    assert 0 <= sizes["zdd"] - nodes <= 2  # the terminals


def test_the_fit_of_a_power():
    operations = [claims.Operation("counters", "bdd", n, n, 0, 1e-3 * n) for n in (10, 100, 1000)]
    assert claims.costs(operations).endswith("counters, bdd: seconds ~ (n m)^0.50")


def test_a_solver_finds_the_cost_that_cheapest_finds():
    pytest.importorskip("highspy")
    assert claims.solver_best(Instance.of(Board.parse("#1#1#")), [5, 7, 4])[0] == 7
    said = claims.best(8)
    assert said.count("agrees") == 9
