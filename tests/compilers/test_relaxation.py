"""Cells that parts of the hints decide: the same as all hints decide, and no assignment is lost."""

import naive
import numpy as np
import pytest

from mines_dd import Board, BudgetExceededError, solve
from mines_dd.base.budget import Budget
from mines_dd.compilers import relaxation
from mines_dd.compilers.relaxation import tightened
from mines_dd.compilers.tree import possible_mines
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import simplify, unsimplified
from mines_dd.orders.elimination import Elimination, best_elimination
from mines_dd.orders.lightened import lightened


@pytest.fixture
def always(monkeypatch):
    """Every instance is worth it, and one hint more or less decides whether a table fits."""
    monkeypatch.setattr(relaxation, "_LEAST_HINTS", 1)
    monkeypatch.setattr(relaxation, "_FEW_ENTRIES", -1)
    monkeypatch.setattr(relaxation, "_FEW_A_HINT", 0)
    monkeypatch.setattr(relaxation, "_GAIN", 0)
    monkeypatch.setattr(relaxation, "_BITS", (1, 2))


@pytest.mark.parametrize("seed", range(60))
def test_the_mines_of_a_group_range_as_in_all_assignments(seed):
    instance = naive.random_instance(seed)
    reduced = unsimplified(instance)
    elimination = Elimination.of(instance, best_elimination(instance).order)
    found = possible_mines(reduced, elimination)
    assignments = naive.assignments(instance)
    if not assignments:
        assert found is None
        return
    least, most = found
    touched = np.bincount(instance.member, minlength=len(instance.cells)) > 0
    for cell, a, b in zip(np.flatnonzero(touched), least[touched], most[touched], strict=True):
        held = {instance.cells[cell] in mines for mines in assignments}
        assert (min(held), max(held)) == (a, b)


@pytest.mark.parametrize("seed", range(60))
def test_no_assignment_is_lost_and_none_gained(seed, always):
    instance = naive.random_instance(seed)
    found, _ = tightened(instance, simplify(instance))
    assignments = naive.assignments(instance)
    if not assignments:  # which may still be open, as hints were left out
        return
    assert found.consistent
    mines, safe = ({instance.cells[i] for i in some.tolist()} for some in (found.mines, found.safe))
    assert all(mines <= chosen and safe.isdisjoint(chosen) for chosen in assignments)
    number = {cell: g for g, cells in enumerate(np.split(found.group_cell, found.group_start[1:-1])) for cell in cells}
    for row, allowed in zip(found.instance.members, found.instance.allowed, strict=True):
        for chosen in assignments:
            held = sum(number.get(i) in row for i, cell in enumerate(instance.cells) if cell in chosen)
            assert held in allowed


@pytest.mark.ci
def test_hints_that_decide_cells_together_do_so_on_a_large_board(always, monkeypatch):
    monkeypatch.setattr(relaxation, "_BITS", (10,))
    board = Board.random(60, 60, 0.3, 0.4, 1)
    instance = Instance.of(board)
    reduced = simplify(instance)
    family = solve(board, "tree", simplify=False, order="min-fill")
    found, _ = tightened(instance, reduced)
    assert len(found.safe) > len(reduced.safe)
    assert {instance.cells[i] for i in found.safe.tolist()} <= family.safe_cells()
    assert {instance.cells[i] for i in found.mines.tolist()} <= family.certain_mines()


@pytest.mark.ci
def test_the_answers_of_a_hard_board_stay_the_same(always, monkeypatch):
    monkeypatch.setattr(relaxation, "_BITS", (10,))
    board = Board.random(70, 70, 0.3, 0.4, 3)
    quick = solve(board)
    monkeypatch.setattr(relaxation, "_LEAST_HINTS", 10**9)
    slow = solve(board)
    assert quick.details["entries"] < 0.8 * slow.details["entries"]
    assert quick.count() == slow.count()
    assert quick.probabilities() == slow.probabilities()


def test_a_small_limit_leaves_hints_out_and_a_large_one_none():
    instance = Instance.of(Board.random(60, 60, 0.3, 0.4, 1))
    reduced = simplify(instance)
    first = best_elimination(reduced.instance, "min-fill", reduced.size)
    for bits, share in ((4, 0.8), (100, 1.0)):
        light, elimination = lightened(reduced.instance, first, reduced.size, bits, Budget())
        assert sorted(elimination.order) == list(range(len(light.hints)))
        assert elimination.steps.log2_entries.max() <= bits
        assert share * len(reduced.instance.hints) <= len(light.hints)
        assert (len(light.hints) == len(reduced.instance.hints)) == (bits == 100)


def test_a_contradiction_within_a_part_is_one_of_the_whole(always):
    instance = Instance.build("abcd", "pqr", [[0, 1, 2], [1, 2, 3], [0, 3]], [[1], [2], [0, 2]])
    reduced = simplify(instance)
    assert reduced.consistent
    assert not tightened(instance, reduced).reduced.consistent


def test_the_clock_is_looked_at(always, clock):
    instance = Instance.of(Board.random(30, 30, 0.3, 0.4, 1))
    reduced = simplify(instance)
    with pytest.raises(BudgetExceededError, match="second"):
        tightened(instance, reduced, Budget(timeout=3))
