"""The command generate."""

import json

from click.testing import CliRunner
from commands import run

from mines_dd import Board
from mines_dd.cli.generate import generate


def test_generated_boards_can_be_read_and_repeat():
    board = run("generate", "9", "9", "--mines", "10", "--hints", "20", "--seed", "7")
    assert board == run("generate", "9", "9", "--mines", "10", "--hints", "20", "--seed", "7")
    assert board.startswith("mines: 10\n")
    assert int(run("count", "-", text=board)) >= 1
    assert "impossible" in run("generate", "3", "3", "--mines", "10", code=2)
    assert "neither a number" in run("generate", "3", "3", "--mines", "many", code=2)


def test_boards_without_guesses_come_with_their_grade():
    options = ["9", "9", "--mines", "10", "--no-guess", "--difficulty", "medium", "--seed", "2"]
    done = CliRunner().invoke(generate, options)
    assert done.exit_code == 0
    assert done.stderr.startswith("difficulty: medium\nits hardest step: row ")
    assert "because of the hint at" in done.stderr
    assert len(done.stderr.splitlines()) == 3 + 9
    value = json.loads(run("generate", *options, "--json"))
    assert value["grade"]["difficulty"] == "medium"
    assert len(value["grade"]["hardest"]["hints"]) == 2
    board = Board.parse(json.dumps(value))
    assert board == Board.parse(done.stdout)
    assert len(board.layout) == 10
    assert "give --no-guess, too" in run("generate", "9", "9", "--difficulty", "easy", code=2)


def test_boards_drawn_in_vain_are_counted_by_a_bar(monkeypatch):
    counted = []
    monkeypatch.setattr("tqdm.tqdm.update", lambda bar: counted.append(bar))
    monkeypatch.setattr("mines_dd.cli.generate._MOST_TRIED", 30)
    said = run("generate", "9", "9", "--mines", "40", "--no-guess", code=3)
    assert "none of 30 boards can be won without a guess; take fewer mines" in said
    assert len(counted) == 30


def test_a_search_for_a_board_without_guesses_ends_in_time():
    said = run("generate", "9", "9", "--mines", "40", "--no-guess", "--difficulty", "easy", "--timeout", "0.3", code=3)
    assert "allow more with --timeout, or take fewer mines or another --difficulty" in said
    assert "--timeout is for boards without guesses" in run("generate", "9", "9", "--timeout", "3", code=2)


def test_hints_are_not_for_boards_without_guesses():
    assert "leave out --hints" in run("generate", "9", "9", "--no-guess", "--hints", "10", code=2)


def test_sizes_and_levels_in_another_way_are_refused_with_the_right_one():
    assert "as two numbers: 9 12" in run("generate", "9x12", code=2)
    assert "write --level expert" in run("generate", "Expert", code=2)
    assert "give a whole number of at least 1, not 'nine'" in run("generate", "nine", "9", code=2)
