"""The command play."""

import json

from commands import FIGURE_9, rows, run


def test_games_come_as_csv_and_json():
    options = ("play", "--level", "beginner", "--seed", "1")
    game = rows(run(*options, "--csv"))[0]
    assert (game["level"], game["won"]) == ("beginner", str(json.loads(run(*options, "--json"))["won"]))
    assert game["board"].count("/") == 8


def test_a_board_without_a_total_is_not_played():
    assert "--mines TOTAL" in run("play", FIGURE_9, code=2)
