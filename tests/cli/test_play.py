"""The command play."""

import json

import pytest
from commands import FIGURE_9, on_terminal, rows, run

from mines_dd.play.games import LEVELS, Level


def test_games_come_as_csv_and_json():
    options = ("play", "--level", "beginner", "--policy", "safest", "--seed", "1")
    game = rows(run(*options, "--csv"))[0]
    assert (game["level"], game["won"]) == ("beginner", str(json.loads(run(*options, "--json"))["won"]))
    assert game["board"].count("/") == 8


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_of_a_lost_game_the_mine_that_was_opened_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(LEVELS, "beginner-8x8", Level(2, 4, 3))
    lost = 0
    for seed in ("3", "4", "5"):
        path = str(tmp_path / f"{seed}.rawvf")
        *grid, said = run("play", "--level", "beginner-8x8", "--seed", seed, "--record", path).splitlines()
        last = json.loads(run("coach", path, "--json"))[-1]
        row, column = last["cell"]
        assert said.startswith(f"lost: row {row}, column {column} was a mine, after ") is last["lost"]
        assert (grid[row][column] == "*") is last["lost"]
        lost += last["lost"]
    assert lost


def test_play_and_analyse_name_the_same_move():
    for board in (FIGURE_9, "mines: 2/#1###", "mines: 9/####/####/####/####", "#1#/###", "##1/221/000"):
        played, analysed = (json.loads(run(command, board, "--json")) for command in ("play", "analyse"))
        assert played["move"] == analysed["move"]
        assert played["reason"] == analysed["reason"]


def test_a_move_comes_with_its_reason_and_the_cells_compared():
    text = run("play", "mines: 2/#1###")
    assert text.startswith("open 0,2; searched: best play wins 50.0% (2 of 4 layouts)\n")
    assert text.splitlines()[-1].split() == ["0,4", "50.0%", "25.0%", "dead"]
    table = rows(run("play", "mines: 2/#1###", "--csv"))
    assert table[2] == {"row": "0", "column": "0", "risk": "0.5", "score": "0.25", "survival": "", "marks": "dead"}


def test_an_impossible_number_of_mines_is_refused_before_memory_is_asked_for():
    for mines in ("100000000", "1" + 19 * "0", "1" + 40 * "0"):
        assert "0 to 4 are possible" in run("play", "##/##", "--mines", mines, code=2)


def test_more_games_than_can_be_played_are_refused():
    said = run("play", "--level", "beginner", "--games", "9" * 30, code=2)
    assert "at least 1 and at most 1,000,000,000" in said


def test_of_games_that_were_all_won_the_share_is_not_said_to_be_certain():
    options = ("play", "--level", "beginner-8x8", "--games", "3", "--policy", "safest", "--seed", "0")
    found = json.loads(run(*options, "--json"))
    assert (found["games"], found["won"], found["high"]) == (3, 3, 1)
    assert 0.4 < found["low"] < 0.5
    assert "won 3 of 3 games: 100.00% (95% interval 43.85% to 100.00%)" in run(*options)


def test_an_option_that_would_change_nothing_is_refused():
    for option, value in (("--games", "3"), ("--seed", "0"), ("--record", "game.rawvf")):
        assert f"{option} is for random games" in run("play", "##/#1", option, value, code=2)
    for option, value in (("--mines", "40"), ("--timeout", "60")):
        assert f"{option} is for a board" in run("play", "--level", "beginner", option, value, code=2)


@pytest.mark.ci
def test_the_bar_counts_games_and_not_hundreds():
    bar = on_terminal("play", "--level", "beginner-8x8", "--games", "20", "--policy", "safest")
    assert "20/20" in bar
