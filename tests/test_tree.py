"""Hint elimination beyond what the common contract checks."""

import random
from math import comb

import naive
import pytest

from mines_dd import Board, BudgetExceededError, solve
from mines_dd.budget import Budget
from mines_dd.compilers.tree import compile_tree
from mines_dd.graph import Instance
from mines_dd.order import elimination_order
from mines_dd.queries import count, counts_by_mines, iterate
from mines_dd.simplify import simplify, unsimplified


def compiled(instance: Instance, reduced, order=None):
    order = elimination_order(reduced.instance) if order is None else order
    return compile_tree(reduced, instance.cells, order)


def test_every_elimination_order_gives_the_same_family():
    for seed in range(40):
        instance = naive.random_instance(seed)
        expected = naive.assignments(instance)
        for trial in range(4):
            order = list(instance.hints)
            random.Random(trial).shuffle(order)
            family = solve(instance.to_graph(), order=order, simplify=bool(trial % 2))
            assert set(family) == expected


@pytest.mark.parametrize("compile_always", [False, True])
def test_interpreted_and_compiled_eliminations_are_the_same(compile_always, monkeypatch):
    boards = [Board.random(7, 7, 0.3, 0.4, seed) for seed in range(6)]
    if compile_always:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    for board in boards:
        instance = Instance.from_board(board)
        circuit = compiled(instance, unsimplified(instance)).circuit
        assert count(circuit) == solve(board, "dc").count()


def test_sums_of_many_words():
    """Forty hints of large counts around common cells do not fit into one word."""
    hints = 40
    members = [[0, 1, *range(2 + 6 * h, 8 + 6 * h)] for h in range(hints)]
    instance = Instance.build(range(2 + 6 * hints), range(hints), members, [[4]] * hints)
    result = compiled(instance, unsimplified(instance), order=None)
    # by the number of mines in the two common cells
    expected = comb(6, 4) ** hints + 2 * comb(6, 3) ** hints + comb(6, 2) ** hints
    assert count(result.circuit) == expected
    assert count(compiled(instance, simplify(instance)).circuit) == expected


def test_hints_of_large_counts():
    instance = Instance.build(range(300), "xy", [range(200), range(100, 300)], [[90], [80]])
    expected = sum(comb(100, t) * comb(100, 90 - t) * comb(100, 80 - t) for t in range(81))
    assert count(compiled(instance, simplify(instance)).circuit) == expected
    assert count(compiled(instance, unsimplified(instance)).circuit) == expected


def test_groups_of_twins_are_expanded():
    instance = Instance.build("abcdef", "xy", [[0, 1, 2, 3], [2, 3, 4, 5]], [[2], [3]])
    circuit = compiled(instance, simplify(instance)).circuit
    assert set(iterate(circuit)) == naive.assignments(instance)
    assert counts_by_mines(circuit) == naive.counts_by_mines(naive.assignments(instance))


def test_entries_are_reported():
    instance = Instance.from_board(Board.random(20, 20, 0.3, 0.3, 1))
    result = compiled(instance, simplify(instance))
    assert 0 < result.peak <= result.entries
    assert result.circuit.node_count > 0
    assert result.width >= 1


def test_a_limit_on_nodes_is_kept():
    instance = Instance.from_board(Board.random(60, 60, 0.3, 0.3, 1))
    reduced = simplify(instance)
    order = elimination_order(reduced.instance)
    whole = compile_tree(reduced, instance.cells, order)
    for limit in (10, 1000, 5000):
        with pytest.raises(BudgetExceededError) as error:
            compile_tree(reduced, instance.cells, order, budget=Budget(max_nodes=limit))
        assert error.value.needed <= 1.1 * limit + 100
    again = compile_tree(reduced, instance.cells, order, budget=Budget(max_nodes=10 * whole.circuit.node_count))
    assert count(again.circuit) == count(whole.circuit)


def test_a_limit_on_time_is_kept():
    import time

    instance = Instance.from_board(Board.random(150, 150, 0.3, 0.3, 3))
    order = elimination_order(instance, "min-degree")
    started = time.monotonic()
    with pytest.raises(BudgetExceededError):
        compile_tree(unsimplified(instance), instance.cells, order, budget=Budget(timeout=0.01))
    assert time.monotonic() - started < 5
