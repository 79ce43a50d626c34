"""Hints in conflict, against all layouts of small boards."""

import naive
import pytest

from mines_dd import Board, BudgetExceededError
from mines_dd.answers.conflict import minimal_conflict
from mines_dd.base.budget import Budget
from mines_dd.constraints.graph import Instance


def test_conflicts_are_minimal():
    met = 0
    for seed in range(400):
        instance = Instance.from_board(naive.random_board(seed)) if seed % 2 else naive.random_instance(seed)
        hints = minimal_conflict(instance)
        rows = {h: (m, c) for h, m, c in zip(instance.hints, instance.members, instance.allowed, strict=True)}

        def satisfiable(chosen, instance=instance, rows=rows):
            part = Instance.build(
                instance.cells, range(len(chosen)), [rows[h][0] for h in chosen], [rows[h][1] for h in chosen]
            )
            return naive.is_consistent(part)

        if not hints:
            assert satisfiable(instance.hints)
            continue
        met += 1
        assert not satisfiable(hints)
        assert all(satisfiable([h for h in hints if h != left_out]) for left_out in hints)
    assert met > 30


def test_the_search_keeps_to_its_budget():
    with pytest.raises(BudgetExceededError):
        minimal_conflict(Instance.from_board(Board.random(30, 30, 0.3, 0.3, 0)), Budget(max_nodes=3))
