"""Every query on circuits of diagrams and of groups, against lists of sets: a test a query."""

import math
import random
import tracemalloc
from itertools import islice

import naive
import numpy as np
import pytest
from families import by_hand, every_family, of_diagrams, reduced

from mines_dd import Board, BudgetExceededError, mine_graph, solve
from mines_dd.base.budget import Budget
from mines_dd.diagrams import queries
from mines_dd.diagrams.circuit import FALSE, TRUE
from mines_dd.diagrams.diagram import Diagram


@every_family
def test_count(families):
    for name, circuit, sets in families():
        assert queries.count(circuit) == len(sets), name


@every_family
def test_iterate(families):
    for name, circuit, sets in families():
        listed = list(queries.iterate(circuit))
        assert len(listed) == len(sets), name
        assert set(listed) == sets, name


@every_family
def test_counts_by_mines(families):
    for name, circuit, sets in families():
        assert queries.counts_by_mines(circuit) == naive.counts_by_mines(sets), name


def test_a_long_polynomial_is_forgotten_after_its_last_use():
    n = 400
    level = np.array([n, n, *range(n - 1, -1, -1)], np.int32)
    child = np.array([0, 1, *range(1, n + 1)], np.int32)
    circuit = Diagram("zdd", range(n), level, child, child, n + 1).to_circuit(range(n), range(n))  # all sets
    one = n * n / 8  # bytes
    tracemalloc.start()
    assert queries.counts_by_mines(circuit) == {k: math.comb(n, k) for k in range(n + 1)}
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 * one


@every_family
def test_settled(families):
    for name, circuit, sets in families():
        if sets:
            safe, mines = ({circuit.cells[i] for i in some} for some in queries.settled(circuit))
            assert safe == set(circuit.cells).difference(*sets), name
            assert mines == set.intersection(*map(set, sets)), name
        else:
            with pytest.raises(ZeroDivisionError):
                queries.settled(circuit)


def test_fractions_are_made_within_the_time(clock, monkeypatch):
    circuit, made = solve(Board.parse("#1#1#")).circuit, queries._mines_in_groups
    budget = Budget(timeout=10**4)

    def slowly(*how):
        clock.ahead = 10**5
        return made(*how)

    monkeypatch.setattr(queries, "_mines_in_groups", slowly)
    with pytest.raises(BudgetExceededError, match="not done after"):
        queries.probabilities(circuit, budget)


@every_family
def test_probabilities(families):
    for name, circuit, sets in families():
        if sets:
            shares = dict(zip(circuit.cells, queries.probabilities(circuit), strict=True))
            assert shares == naive.probabilities(circuit.cells, sets), name


@every_family
def test_approximate_probabilities(families):
    for name, circuit, sets in families():
        if sets:
            shares = dict(zip(circuit.cells, queries.approximate_probabilities(circuit), strict=True))
            exact = naive.probabilities(circuit.cells, sets)
            assert shares == pytest.approx({cell: float(p) for cell, p in exact.items()}, abs=1e-9), name


@every_family
def test_the_cheapest_of_many_are_the_same_as_of_few(families, monkeypatch):
    for name, circuit, sets in families():
        price = {cell: i % 3 for i, cell in enumerate(circuit.cells)}
        few = queries.cheapest(circuit, price, 30)
        assert [cost for cost, _ in few] == sorted(sum(map(price.get, mines)) for mines in sets)[:30], name
        with monkeypatch.context() as patch:
            patch.setattr(queries, "_FEW_ANSWERS", 0)
            assert queries.cheapest(circuit, price, 30) == few, name


@every_family
def test_sample(families):
    for name, circuit, sets in families():
        if sets:
            drawn = list(islice(queries.samples(circuit, seed=1), 20))
            assert set(drawn) <= sets, name
            assert drawn == list(islice(queries.samples(circuit, seed=1), 20)), name
        else:
            assert circuit.root == FALSE, name
            with pytest.raises(ZeroDivisionError):
                queries.samples(circuit)


def test_samples_are_uniform():
    family = frozenset(map(frozenset, [(), (0,), (1,), (0, 1, 2), (2, 3)]))
    circuit = reduced("zdd", 4, family).to_circuit("abcd", range(4))
    drawn = list(islice(queries.samples(circuit, seed=7), 5000))
    for s in set(drawn):
        assert abs(drawn.count(s) - 1000) < 120  # four standard deviations
    assert len(set(drawn)) == 5


@every_family
def test_cheapest(families):
    for name, circuit, sets in families():
        rng = random.Random(len(sets))
        costs = {cell: rng.randint(-5, 9) for cell in circuit.cells}
        ranked = sorted(sum(costs[c] for c in s) for s in sets)
        for n in (1, 3, len(sets) + 2):
            best = queries.cheapest(circuit, costs, n)
            assert [cost for cost, _ in best] == ranked[:n], name
            assert len({s for _, s in best}) == len(best), name
            assert all(s in sets and sum(costs[c] for c in s) == cost for cost, s in best), name


@every_family
def test_contains(families):
    for name, circuit, sets in families():
        rng = random.Random(len(sets))
        for _ in range(10):
            s = frozenset(c for c in circuit.cells if rng.random() < 0.5)
            assert queries.contains(circuit, s) == (s in sets), name
        for s in sets:
            assert queries.contains(circuit, s), name
            assert not queries.contains(circuit, s | {"not a cell"}), name


@every_family
def test_same(families):
    known = [*families(), *by_hand(), *of_diagrams("zdd")[:30]]
    for name, circuit, sets in families():
        for other, another, others in known:
            assert queries.same(circuit, another) == (sets == others), (name, other)


@every_family
def test_a_polynomial_has_a_term_for_each_set(families):
    for name, circuit, sets in families():
        place = dict(zip(circuit.cells, (2, 3, 5, 7, 11, 13, 17, 19, 23, 29), strict=False))
        assert queries.value_at(circuit, place) == sum(math.prod(map(place.get, mines)) for mines in sets), name


@every_family
def test_given(families):
    for name, circuit, sets in families():
        rng = random.Random(len(sets))
        cells = range(len(circuit.cells))
        for _ in range(10):
            mines = [i for i in cells if rng.random() < 0.3]
            safe = [i for i in cells if rng.random() < 0.3]
            left = queries.given(circuit, mines, safe)
            expected = {
                s
                for s in sets
                if all(circuit.cells[i] in s for i in mines) and not any(circuit.cells[i] in s for i in safe)
            }
            assert set(queries.iterate(left)) == expected, name
            assert queries.count(left) == len(expected), name
            used = {left.root, FALSE, TRUE}.union(left.left.tolist(), left.right.tolist())
            assert used == set(range(left.node_count + 2)), name  # nothing that the root does not need
            assert left.leaves[0] == (-1, 0), name
            assert all(taken >= 1 for _, taken in left.leaves[1:]), name


def test_the_first_of_very_many_assignments_comes_at_once():
    n = 400  # 2**400 sets
    level = np.array([n, n, *range(n - 1, -1, -1)], np.int32)
    child = np.array([0, 1, *range(1, n + 1)], np.int32)
    circuit = Diagram("zdd", range(n), level, child, child, n + 1).to_circuit(range(n), range(n))
    assert queries.count(circuit) == 2**n
    assert next(queries.iterate(circuit)) == frozenset()
    assert sum(queries.counts_by_mines(circuit).values()) == 2**n
    assert queries.cheapest(circuit, dict.fromkeys(range(n), -1)) == [(-n, frozenset(range(n)))]


def test_the_cheapest_of_many_certain_mines_does_not_take_the_square_of_their_number():
    family = solve(mine_graph({("h", i): ([i], 1) for i in range(100_000)}))  # it took minutes
    assert len(family.cheapest({}, budget=Budget(timeout=30))[0][1]) == 100_000
