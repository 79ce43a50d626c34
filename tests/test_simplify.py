"""Reductions against brute force."""

from math import comb

import naive
import numpy as np
import pytest

from mines_dd.board import Board
from mines_dd.graph import Instance
from mines_dd.simplify import simplify, unsimplified


def count(reduced) -> int:
    """The number of assignments of the reduced form, by trying all numbers of mines in each group."""
    if not reduced.consistent:
        return 0
    total = 0
    sizes = reduced.size.tolist()
    members, allowed = reduced.instance.members, reduced.instance.allowed
    for taken in np.ndindex(*(size + 1 for size in sizes)):
        if all(sum(taken[g] for g in row) in counts for row, counts in zip(members, allowed, strict=True)):
            ways = 1
            for size, t in zip(sizes, taken, strict=True):
                ways *= comb(size, t)
            total += ways
    return total


INSTANCES = [Instance.from_board(naive.random_board(seed)) for seed in range(60)]
INSTANCES += [naive.random_instance(seed) for seed in range(150)]


@pytest.mark.parametrize("twins", [True, False])
def test_the_reduced_form_has_as_many_assignments(twins):
    for instance in INSTANCES:
        expected = naive.assignments(instance)
        reduced = simplify(instance, twins=twins)
        assert count(reduced) == len(expected)
        if expected:
            mines = {instance.cells[i] for i in reduced.mines.tolist()}
            safe = {instance.cells[i] for i in reduced.safe.tolist()}
            assert all(mines <= s and not safe & s for s in expected)
        if reduced.consistent:
            together = np.concatenate([reduced.mines, reduced.safe, reduced.group_cell])
            assert sorted(together.tolist()) == list(range(len(instance.cells)))
        if not twins:
            assert (reduced.size == 1).all()


def test_twins_touch_the_same_hints():
    for instance in INSTANCES:
        reduced = simplify(instance)
        if reduced.consistent:
            start, hint = reduced.instance.cell_rows
            rows = [tuple(hint[a:b].tolist()) for a, b in zip(start, start[1:], strict=False)]
            assert len(set(rows)) == len(rows)
            assert all(rows)


def test_nothing_is_done_to_the_unsimplified():
    instance = INSTANCES[0]
    plain = unsimplified(instance)
    assert plain.consistent
    assert plain.instance.members == instance.members
    assert plain.instance.allowed == instance.allowed


def test_a_hint_inside_another_decides_cells():
    # 1 touches the left two cells, 2 all three: the third is a mine.
    instance = Instance.build("abc", "xy", [[0, 1], [0, 1, 2]], [[1], [2]])
    reduced = simplify(instance)
    assert reduced.mines.tolist() == [2]
    assert reduced.size.tolist() == [2]


def test_equal_hints_are_one_and_contradictory_ones_are_noticed():
    twice = Instance.build("abc", "xy", [[0, 1, 2], [0, 1, 2]], [[1], [1]])
    assert len(simplify(twice).instance.hints) == 1
    contradictory = Instance.build("abc", "xy", [[0, 1, 2], [0, 1, 2]], [[1], [2]])
    assert not simplify(contradictory).consistent


def test_hints_of_no_cells_are_checked():
    assert simplify(Instance.build("", "x", [[]], [[0]])).consistent
    assert not simplify(Instance.build("", "x", [[]], [[1]])).consistent
    assert not simplify(Instance.build("", "x", [[]], [[]])).consistent


def test_interpreted_and_compiled_reductions_are_the_same(monkeypatch):
    boards = [Board.random(12, 12, 0.25, 0.4, seed) for seed in range(5)]
    before = [simplify(Instance.from_board(board)) for board in boards]
    monkeypatch.setenv("MINES_DD_JIT", "always")
    for board, reduced in zip(boards, before, strict=True):
        again = simplify(Instance.from_board(board))
        assert again.instance.members == reduced.instance.members
        assert again.group_cell.tolist() == reduced.group_cell.tolist()
        assert again.mines.tolist() == reduced.mines.tolist()
