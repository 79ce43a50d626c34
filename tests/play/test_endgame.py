"""Searched ends against a plain search."""

import random

import numpy as np
import pytest
from positions import all_layouts, around, plainly_won, small_end

from experiments import optimal
from mines_dd import Board
from mines_dd.play.endgame import most_wins
from mines_dd.play.field import CLOSED, make_field
from mines_dd.play.layouts import layouts_of
from mines_dd.play.ranking import position_of

# The boards are small.  Interpreted kernels hash with integers that wrap around.
pytestmark = [
    pytest.mark.usefixtures("interpreted_unless_asked"),
    pytest.mark.filterwarnings("ignore:overflow encountered"),
]


@pytest.mark.parametrize("seed", range(120))
def test_the_end_of_a_game_is_won_as_often_as_any_play_can(seed):
    field, seen, mines = small_end(seed)
    layouts = list(all_layouts(field, seen, mines))
    cells, shown = layouts_of.run(1, field, seen, mines, 10**5)
    listed = {frozenset(cells[np.flatnonzero(shown[:, i] == 9)].tolist()) for i in range(shown.shape[1])}
    assert listed == set(layouts)
    assert shown.shape[1] == len(layouts)
    wins = most_wins.run(1, shown, 10**6)[0]
    assert wins == plainly_won(field, seen, layouts)


@pytest.mark.ci
def test_the_safest_cell_is_not_always_the_best():
    """A guess at the end where another cell than the safest wins more layouts: found by full search of small boards."""
    found = 0
    for seed in range(400):
        rng = random.Random(seed)
        field = make_field(4, 5, 6)
        mine = rng.sample(range(20), 6)
        seen = np.full(20, CLOSED)
        for cell in rng.sample([cell for cell in range(20) if cell not in mine], 6):
            seen[cell] = sum(x in mine for x in around(field, cell))
        _, shown = layouts_of.run(1, field, seen, 6, 60)
        if shown.shape[1] < 2 or (shown != 9).all(axis=1).any():
            continue
        wins, best, _ = most_wins.run(1, shown, 10**5)
        safest = (shown != 9).sum(axis=1).max()
        if best < 0 or (shown[best] != 9).sum() == safest:
            continue
        # No safest cell wins as much: search each position after one.
        after = []
        for cell in np.flatnonzero((shown != 9).sum(axis=1) == safest):
            parts = [np.ascontiguousarray(shown[:, shown[cell] == number]) for number in range(9)]
            after.append(sum(most_wins.run(1, part, 10**5)[0] for part in parts if part.shape[1]))
        found += max(after) < wins
        if found == 3:
            return
    pytest.fail(f"only {found} of such boards")


def test_a_search_that_is_too_long_is_given_up():
    field = make_field(4, 4, 3)
    _, shown = layouts_of.run(1, field, np.full(16, CLOSED), 3, 10**4)
    assert shown.shape == (16, 560)
    assert most_wins.run(1, shown, 10)[:2] == (-1, -1)
    assert layouts_of.run(1, field, np.full(16, CLOSED), 3, 100)[1].shape == (16, 0)


def test_a_search_for_layouts_that_finds_none_for_too_long_is_given_up():
    board = Board.parse("mines: 33\n" + "#1#" * 30 + "3#")  # two ways for each but the last, which has none
    cells, shown = layouts_of.run(1, make_field(*board.size, 33), position_of(board), -1, 1)
    assert shown.shape == (61, 0)
    assert sorted(cells) == np.flatnonzero(position_of(board) == CLOSED).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("mines", "wins"), [(1, 15), (2, 102), (3, 400), (4, 961), (15, 1)])
def test_the_optimal_play_of_4x4_boards(mines, wins):
    """As the table in data/ has it, and the two that can be seen: one mine; all cells but one mines."""
    limits = {"layouts": 10**4, "positions": 10**6, "games": 0}
    assert optimal.run({"rows": 4, "columns": 4, "mines": mines, **limits})["wins"] == wins


def test_the_optimal_play_of_a_small_board():
    field = make_field(3, 3, 2)
    layouts = list(all_layouts(field, np.full(9, CLOSED), 2))
    job = {"rows": 3, "columns": 3, "mines": 2, "layouts": 100, "positions": 10**4}
    result = optimal.run({**job, "games": 100})
    assert result["wins"] == plainly_won(field, np.full(9, CLOSED), layouts) == 24
    assert (result["games"], result["won"]["ahead"]) == (28, 24)
    assert optimal.run({**job, "games": 10})["games"] == 10


def test_the_safest_cell_loses_a_third_of_the_wins_of_a_small_board():
    """2x4 with 2 mines: of the 21 layouts with a safe corner the best play wins 9, the policy that plays safest 6."""
    result = optimal.run({"rows": 2, "columns": 4, "mines": 2, "layouts": 100, "positions": 10**4, "games": 100})
    assert (result["games"], result["won"]) == (21, {"safest": 6, "ahead": 9})
    assert optimal.lost({"job": {"rows": 2, "columns": 4, "mines": 2}, **result}, "safest") == pytest.approx(1 / 3)
