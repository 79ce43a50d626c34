"""Cliques of layouts that exclude each other, against their definition, and the bounds against the optimal play."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mines_dd.play.cliques import cells_worth_opening, cover, layouts_as_bits, most_with_one_cell, room_for
from mines_dd.play.endgame import most_wins
from mines_dd.play.field import CLOSED, make_field
from mines_dd.play.layouts import MINE, layouts_of


@st.composite
def ends(draw):
    """What the cells of a small board without hints show, and some of its layouts."""
    rows, columns = draw(st.sampled_from([(1, 5), (2, 3), (2, 4), (3, 3)]))
    mines = draw(st.integers(1, rows * columns - 2))
    closed = np.full(rows * columns, CLOSED)
    _, shown = layouts_of.run(1000, make_field(rows, columns, mines), closed, mines, 10**4)
    chosen = draw(st.lists(st.integers(0, shown.shape[1] - 1), min_size=1, max_size=25, unique=True))
    return np.ascontiguousarray(shown[:, chosen])


@st.composite
def tables(draw):
    """Any numbers and mines: what layouts of no board may show."""
    cells, layouts = draw(st.integers(1, 5)), draw(st.integers(1, 12))
    values = st.sampled_from(draw(st.sampled_from([(0, 8, MINE), (1, 3, MINE), tuple(range(10))])))
    row = st.lists(values, min_size=layouts, max_size=layouts)
    return np.array(draw(st.lists(row, min_size=cells, max_size=cells)), np.int8)


def exclude(shown, one, other):
    told = (shown[:, one] != MINE) & (shown[:, other] != MINE) & (shown[:, one] != shown[:, other])
    return not told.any()


def sets_by_clique(layouts, depth, high):
    """The cliques of `member[depth, :high]`, from their numbers."""
    found = {}
    for member, clique in zip(
        layouts.member[depth, :high].tolist(), layouts.clique[depth, :high].tolist(), strict=True
    ):
        found.setdefault(clique, []).append(member)
    return list(found.values())


def part_of(layouts, cell):
    """Put the layouts in which a cell is safe on depth 1, in their order; return their number."""
    kept = [i for i, member in enumerate(layouts.member[0]) if layouts.shown[cell, member] != MINE]
    for each in (layouts.member, layouts.clique, layouts.size):
        each[1, : len(kept)] = each[0, kept]
    return len(kept)


@given(st.one_of(ends(), tables()))
@example(np.array([[0, 8, MINE]]))
def test_a_cover_is_of_cliques_no_two_of_which_could_be_merged(shown):
    layouts = layouts_as_bits(shown)
    room = room_for(layouts)
    cover(layouts, room, 0, 0, shown.shape[1])
    sizes = [shown.shape[1]]
    sizes += [part_of(layouts, cell) for cell in range(len(shown)) if (shown[cell] != MINE).any()][-1:]
    if len(sizes) == 2:
        cover(layouts, room, 1, 0, sizes[1])  # where cliques have lost layouts
    for depth, size in enumerate(sizes):
        cliques = sets_by_clique(layouts, depth, size)
        assert sum(map(len, cliques)) == size
        for clique in cliques:
            assert all(exclude(shown, one, other) for one, other in combinations(clique, 2))
        for clique, another in combinations(cliques, 2):
            assert not all(exclude(shown, one, other) for one in clique for other in another)


@given(ends())
def test_no_play_wins_more_than_the_bounds(shown):
    layouts = layouts_as_bits(shown)
    room = room_for(layouts)
    size = shown.shape[1]
    cover(layouts, room, 0, 0, size)
    most = most_with_one_cell(layouts, room, 0, 0, size)
    wins = most_wins.run(0, shown, 10**6)[0]
    assert wins <= max(most, 1)
    cells, bounds = np.empty(len(shown), np.int64), np.empty(len(shown), np.int64)
    n = cells_worth_opening(room, size, cells, bounds)
    assert all(bounds[:n] <= most)
    for cell, bound in zip(cells[:n], bounds[:n], strict=True):
        numbers = np.unique(shown[cell][shown[cell] != MINE])
        parts = [np.ascontiguousarray(shown[:, shown[cell] == number]) for number in numbers]
        assert sum(most_wins.run(0, part, 10**6)[0] for part in parts) <= bound


@given(tables())
@example(np.array([[0, 8]]))
def test_cells_worth_opening_show_different_numbers_and_need_no_risk_if_one_needs_none(shown):
    layouts = layouts_as_bits(shown)
    room = room_for(layouts)
    most_with_one_cell(layouts, room, 0, 0, shown.shape[1])
    cells = np.empty(len(shown), np.int64)
    n = cells_worth_opening(room, shown.shape[1], cells, np.empty(len(shown), np.int64))
    live = [cell for cell, row in enumerate(shown) if len(set(row.tolist()) - {MINE}) > 1]
    certain = [cell for cell in live if MINE not in shown[cell]]
    assert sorted(cells[:n].tolist()) == (certain[:1] or live)


@pytest.mark.slow
@given(ends(), st.randoms())
def test_cells_of_several_words_are_searched_as_well(shown, random):
    """The same cells again and again change nothing."""
    order = [i % len(shown) for i in range(150)]
    random.shuffle(order)
    again = np.ascontiguousarray(shown[order])
    assert most_wins.run(0, again, 10**6)[0] == most_wins.run(0, shown, 10**6)[0]
