"""Policies on games won and lost."""

import pytest

from mines_dd.play.border import KNOWN_MINE, make_field
from mines_dd.play.games import LEVELS, RULES, barred, deal
from mines_dd.play.player import POLICIES, play_game

# Interpreted kernels hash with integers that wrap around.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rule", RULES)
def test_a_game_ends_with_all_safe_cells_open_or_with_a_mine(policy, rule):
    level = LEVELS["beginner"]
    field = make_field(*level)
    for game in range(30):
        mine = deal(field, level.mines, 40, rule, 7, game)
        won, guesses, seen = play_game(field, mine, 40, POLICIES[policy])
        assert not mine[barred(field, 40, rule)].any()
        assert mine.sum() == level.mines
        assert not mine[seen >= 0].any()
        assert mine[seen == KNOWN_MINE].all()
        assert won == (seen[~mine] >= 0).all()
        assert won or guesses
