"""Reductions against brute force."""

import random
from dataclasses import replace
from itertools import combinations, permutations, product
from math import comb

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd.board.board import Board
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import simplify, unsimplified


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


def family(instance, reduced) -> set[frozenset]:
    """The assignments of the original cells that the reduced form stands for, each expected once."""
    found: list[frozenset] = []
    groups = np.split(reduced.group_cell, reduced.group_start[1:-1]) if len(reduced.size) else []
    for taken in np.ndindex(*(len(group) + 1 for group in groups)) if reduced.consistent else ():
        if all(
            sum(taken[g] for g in row) in counts
            for row, counts in zip(reduced.instance.members, reduced.instance.allowed, strict=True)
        ):
            for chosen in product(*(combinations(group.tolist(), t) for group, t in zip(groups, taken, strict=True))):
                mines = [*reduced.mines.tolist(), *(i for part in chosen for i in part)]
                found.append(frozenset(instance.cells[i] for i in mines))
    assert len(set(found)) == len(found)
    return set(found)


INSTANCES = [Instance.from_board(naive.random_board(seed)) for seed in range(60)]
INSTANCES += [naive.random_instance(seed) for seed in range(150)]


@pytest.mark.parametrize("twins", [True, False])
def test_the_reduced_form_has_as_many_assignments(twins):
    for instance in INSTANCES:
        expected = naive.assignments(instance)
        reduced = simplify(instance) if twins else simplify(instance).ungrouped()
        assert count(reduced) == len(expected)
        assert family(instance, reduced) == expected
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
    assert not plain.is_reduced
    assert simplify(instance).is_reduced
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


def test_equal_hints_of_several_counts_are_one_that_allows_what_both_do():
    both = Instance.build("abcd", "xyz", [[0, 1, 2, 3]] * 3, [[0, 1, 2, 3], [1, 2, 4], [1, 2, 3]])
    reduced = simplify(both)
    assert reduced.instance.allowed == [[1, 2]]
    assert family(both, reduced) == naive.assignments(both)
    neither = Instance.build("abc", "xy", [[0, 1, 2], [0, 1, 2]], [[0, 1], [2, 3]])
    assert not simplify(neither).consistent


@pytest.mark.parametrize("order", list(permutations("xyz")))
def test_equal_hints_of_several_counts_meet_after_a_mine_among_their_cells_is_found(order):
    hints = {"x": ([0, 1, 2, 3], [1, 2, 3]), "y": ([0, 1, 2, 3], [2, 3, 4]), "z": ([0], [1])}
    instance = Instance.build("mabc", order, [hints[h][0] for h in order], [hints[h][1] for h in order])
    reduced = simplify(instance)
    assert reduced.mines.tolist() == [0]
    assert reduced.instance.allowed == [[1, 2]]
    assert family(instance, reduced) == naive.assignments(instance)


def test_counts_that_cannot_be_are_dropped():
    instance = Instance.build("abcde", "xy", [[0, 1, 2], [2, 3, 4]], [[-1, 2, 9], [1, 2]])
    assert simplify(instance).instance.allowed == [[2], [1, 2]]


def test_propagation_reaches_its_end():
    """What is left has no hint that decides its cells and no hint inside another; doing it again changes nothing."""
    for seed in range(20):
        reduced = simplify(Instance.from_board(Board.random(15, 15, 0.25, 0.4, seed))).ungrouped()
        rows = [set(row) for row in reduced.instance.members]
        assert all(0 < c < len(row) for row, (c,) in zip(rows, reduced.instance.allowed, strict=True))
        assert not any(a <= b for a, b in product(rows, rows) if a is not b)
        again = simplify(reduced.instance).ungrouped()
        assert len(again.mines) == len(again.safe) == 0
        assert again.instance.members == reduced.instance.members


class Counting(np.ndarray):
    """An array that counts how often a single value is read."""

    reads = 0

    def __getitem__(self, key):
        if isinstance(key, int | np.integer):
            Counting.reads += 1
        return super().__getitem__(key)


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_a_hint_of_very_many_cells_takes_linear_time():
    reads = []
    for n in (200, 2000):
        instance = Instance.build(range(n), "xy", [range(n), range(n // 2)], [[0], [0]])
        instance = replace(instance, member=instance.member.view(Counting))
        Counting.reads = 0
        assert len(simplify(instance).safe) == n
        reads.append(Counting.reads)
    assert reads[0] > 200
    assert reads[1] <= 11 * reads[0]


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_names_of_cells_and_hints_do_not_matter(seed: int, rng: random.Random):
    instance = naive.random_instance(seed)
    renamed = naive.shuffled(instance, rng)
    # Which of two equal hints stays may differ, not what they say.
    assert family(renamed, simplify(renamed)) == family(instance, simplify(instance))


def test_hints_of_no_cells_are_checked():
    assert simplify(Instance.build("", "x", [[]], [[0]])).consistent
    assert not simplify(Instance.build("", "x", [[]], [[1]])).consistent
    assert not simplify(Instance.build("", "x", [[]], [[]])).consistent


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_interpreted_and_compiled_reductions_are_the_same(monkeypatch):
    boards = [Board.random(12, 12, 0.25, 0.4, seed) for seed in range(5)]
    before = [simplify(Instance.from_board(board)) for board in boards]
    monkeypatch.setenv("MINES_DD_JIT", "always")
    for board, reduced in zip(boards, before, strict=True):
        again = simplify(Instance.from_board(board))
        assert again.instance.members == reduced.instance.members
        assert again.group_cell.tolist() == reduced.group_cell.tolist()
        assert again.mines.tolist() == reduced.mines.tolist()
