"""Policies on games won and lost."""

import numpy as np
import pytest

from mines_dd.board.board import Board
from mines_dd.play.field import KNOWN_MINE, make_field
from mines_dd.play.games import LEVELS, RULES, Level, barred, deal
from mines_dd.play.player import POLICIES, play_game

# Interpreted kernels hash with integers that wrap around.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("level", [Level(3, 4, 2), pytest.param(LEVELS["beginner"], marks=pytest.mark.slow)])
def test_a_game_ends_with_all_safe_cells_open_or_with_a_mine(level, policy, rule):
    """On a tiny board interpreted, on Beginner compiled."""
    field = make_field(*level)
    first = level.columns * (level.rows // 2) + level.columns // 2
    for game in range(9 if level.rows < 9 else 30):
        mine = deal(field, level.mines, first, rule, 7, game)
        won, guesses, seen = play_game(field, mine, first, POLICIES[policy])
        assert not mine[barred(field, first, rule)].any()
        assert mine.sum() == level.mines
        assert not mine[seen >= 0].any()
        assert mine[seen == KNOWN_MINE].all()
        assert won == (seen[~mine] >= 0).all()
        assert won or guesses


@pytest.mark.parametrize("game", range(8))
def test_the_clicks_of_a_game_open_what_it_opened(game):
    rows, columns, mines, _ = LEVELS["beginner"]
    field = make_field(rows, columns, mines)
    mine = deal(field, mines, 0, "safe", 7, game)
    clicks = np.empty(mine.size + 1, np.int64)
    won, _, seen = play_game(field, mine, 0, POLICIES["safest"], clicks)
    board = Board.from_layout(rows, columns, (divmod(int(x), columns) for x in mine.nonzero()[0]))
    for click in clicks[1 : 1 + clicks[0]].tolist():
        assert board[divmod(click, columns)] == "#"
        board = board.open(*divmod(click, columns))
    assert bool(board.known_mines()) != won
    assert [x if x in "012345678" else "#" for row in board.grid for x in row] == [
        str(x) if x >= 0 else "#" for x in seen.tolist()
    ]


def test_without_guesses_a_game_ends_where_nothing_is_certain():
    field = make_field(*LEVELS["beginner"])
    outcomes = set()
    for game in range(14):  # few enough to stay interpreted
        mine = deal(field, 10, 40, "safe", 7, game)
        won, guesses, seen = play_game(field, mine, 40, POLICIES["safest"])
        sure, stops, reached = play_game(field, mine, 40, POLICIES["safest"]._replace(guesses=False))
        assert (sure, stops) == (guesses == 0, min(guesses, 1))
        assert ((reached >= 0) <= (seen >= 0)).all()
        outcomes.add((won, sure))
    assert (True, True) in outcomes
    assert len(outcomes) > 1
