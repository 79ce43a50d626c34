"""Levels, start rules, and games from seeds."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

from mines_dd.base.errors import BoardFormatError, MinesError
from mines_dd.play.field import make_field
from mines_dd.play.games import LEVELS, Level, deal, play_games, wilson
from mines_dd.play.no_guess import no_guess_board
from mines_dd.play.player import POLICIES

# Interpreted kernels hash with integers that wrap around.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


def test_the_same_seed_gives_the_same_games_however_they_are_split():
    level = LEVELS["beginner-8x8"]
    whole = play_games(level, "safe", POLICIES["safest"], range(20), seed=3)
    parts = [play_games(level, "safe", POLICIES["safest"], range(i, i + 10), seed=3) for i in (0, 10)]
    assert whole[:3] == tuple(sum(numbers) for numbers in zip(*(part[:3] for part in parts), strict=True))
    field = make_field(*level)
    assert np.flatnonzero(deal(field, 10, 0, "zero", 3, 5)).tolist() == [13, 19, 30, 41, 47, 49, 51, 53, 54, 57]


def test_a_level_of_numpy_does_not_overflow():
    level, games = Level(20, 20, 60), range(3)
    small = Level(*np.array(level[:3], np.uint8))
    played = [play_games(each, "zero", POLICIES["safest"], games, first=(15, 5)) for each in (level, small)]
    assert played[0][:3] == played[1][:3]
    assert no_guess_board(small, (15, 5)).board.to_json() == no_guess_board(level, (15, 5)).board.to_json()


def test_layouts_are_uniform_among_those_the_rule_allows():
    field = make_field(2, 3, 2)
    seen = {}
    for game in range(6000):
        key = tuple(np.flatnonzero(deal(field, 2, 0, "safe", 1, game)).tolist())
        seen[key] = seen.get(key, 0) + 1
    assert set(seen) == set(itertools.combinations(range(1, 6), 2))
    assert all(480 < n < 720 for n in seen.values())


def test_a_start_that_leaves_too_few_cells_is_refused():
    with pytest.raises(BoardFormatError, match="the first cell and those around it hold none, which leaves 0 of 6"):
        deal(make_field(2, 3, 2), 2, 1, "zero")
    with pytest.raises(BoardFormatError, match="the first cell holds none, which leaves 5 of 6 cells"):
        deal(make_field(2, 3, 2), 6, 1, "safe")
    with pytest.raises(BoardFormatError, match="no start rule"):
        deal(make_field(2, 3, 2), 2, 1, "corner")


@pytest.mark.slow
def test_policies_win_as_often_as_is_published():
    """PSEQ-D256 (Tu et al. 2017) wins 91.69% of beginner games from a safe first cell, 81.77% on 8x8."""
    for level, share in (("beginner", 0.917), ("beginner-8x8", 0.818)):
        tally = play_games(LEVELS[level], "safe", POLICIES["best"], range(4000))
        assert abs(tally.won / tally.games - share) < 0.03


def test_importing_the_games_does_not_compile_anything():
    code = "import sys, mines_dd.play.games; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_interval_of_a_share_is_where_the_share_is_that_far_away():
    for won, games in ((0, 1), (5, 5), (3, 10), (40_957, 100_000)):
        share = won / games
        for end in wilson(won, games, z=2):  # Wilson's: the true shares from which the seen one is two errors away
            assert (share - end) ** 2 == pytest.approx(2**2 * end * (1 - end) / games, abs=1e-12)
    assert (wilson(0, 9)[0], wilson(9, 9)[1], wilson(0, 0)) == (0, 1, (0, 1))
    with pytest.raises(MinesError, match="games won"):
        wilson(5, 3)
