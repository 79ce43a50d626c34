"""The command coach, and games recorded by play."""

import csv
import io
import json
import os
from pathlib import Path

import pytest
from commands import rows, run

from mines_dd import Board
from mines_dd.board.files import read_board_file
from mines_dd.board.replays import to_rawvf
from mines_dd.play.games import LEVELS, Level


@pytest.fixture
def game(tmp_path) -> str:
    """A game with one forced guess, that won."""
    path = tmp_path / "game.rawvf"
    path.write_text(to_rawvf(Board.from_layout(2, 3, [(0, 2)]), [(0, 0), (1, 2)]))
    return str(path)


def test_json_has_one_record_a_click(game):
    records = json.loads(run("coach", game, "--json"))
    assert [record["click"] for record in records] == [1, 2]
    assert records[0]["verdict"] == "first"
    guess = records[1]
    assert (guess["verdict"], guess["forced"], guess["cell"], guess["opens"]) == ("guess", True, [1, 2], [[1, 2]])
    assert (guess["risk"], guess["least_risk"], guess["wins_before"], guess["wins_after"]) == (0.5, 0.5, 0.5, 1)
    assert guess["advice"] in ([0, 2], [1, 2])
    table = rows(run("coach", game, "--csv"))
    assert [row["cell"] for row in table] == ["0,0", "1,2"]
    assert list(table[0]) == list(guess)


def test_text_says_luck_and_skill(game):
    text = run("coach", game)
    assert "won after 2 clicks; 1 guess: 1 forced, 0 where a cell was safe" in text
    assert "luck: the chance to get this far by these guesses was 50.0%" in text
    assert "skill: 0% of risk beyond the least there was, all guesses added up (0%" in text
    assert text.splitlines()[2].split()[3:5] == ["forced", "guess"]


def test_of_positions_left_out_a_table_says_how_many(game):
    assert "left out" not in run("coach", game, game)
    table = run("coach", game, game, "--timeout", "1e-9").splitlines()
    assert table[0].endswith("left out")
    assert [line.split()[-1] for line in table[2:]] == ["1", "1", "2"]
    assert "no guess in the others\nleft out: 1 position" in run("coach", game, "--timeout", "1e-9")


def test_a_folder_is_a_table_and_what_cannot_be_read_is_said(game, tmp_path):
    other = tmp_path / "deeper" / "lost.RAWVF"
    other.parent.mkdir()
    other.write_text(to_rawvf(Board.from_layout(2, 3, [(0, 2)]), [(0, 0), (0, 2)]))
    (tmp_path / "notes.txt").write_text("no replay")
    table = list(csv.DictReader(io.StringIO(run("coach", str(tmp_path), "--csv"))))
    assert [(row["outcome"], row["guesses"], row["luck"]) for row in table] == [
        ("lost", "1", "1.0"),
        ("won", "1", "0.5"),
    ]
    records = json.loads(run("coach", str(tmp_path), "--json"))
    assert [len(record["moves"]) for record in records] == [2, 2]
    assert [line.split()[:3] for line in run("coach", str(tmp_path)).splitlines()[2:]] == [
        ["lost.RAWVF", "lost", "2"],
        ["game.rawvf", "won", "2"],
        ["all", "2", "1"],  # won
    ]
    other.write_text("Board:\n0*\nEvents:\n1.0 lc (1 1)\n0.5 lr (1 1)\n")
    assert "line 5: the time runs backwards" in run("coach", str(tmp_path), code=2)
    (tmp_path / "empty").mkdir()
    assert "there is no replay" in run("coach", str(tmp_path / "empty"), code=2)
    assert "line 1: found 'no replay'; a replay begins with" in run("coach", str(tmp_path / "notes.txt"), code=2)


def test_the_page_is_written(game, tmp_path):
    page = tmp_path / "report.html"
    run("coach", game, "-o", str(page))
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "ends in .html" in run("coach", game, "-o", str(tmp_path / "report.pdf"), code=2)


def test_several_games_in_a_file_are_refused(game):
    with open(game, "a+") as file:
        file.seek(0)
        file.write(file.read())
    assert "another game begins here" in run("coach", game, code=2)


@pytest.mark.ci
def test_a_game_that_play_records_is_read_back(tmp_path, monkeypatch):
    monkeypatch.setitem(LEVELS, "beginner-8x8", Level(3, 3, 3))  # its ends are searched in no time
    outcomes = set()
    for seed in (3, 4, 5):
        path = str(tmp_path / f"{seed}.rawvf")
        played = json.loads(run("play", "--level", "beginner-8x8", "--seed", str(seed), "--record", path, "--json"))
        board = read_board_file(path)
        for row, shown in zip(board.grid, played["board"], strict=True):
            assert row == shown.replace("F", "#") if played["won"] else row.count("#") >= shown.count("#")
        record = json.loads(run("coach", path, "--json"))
        assert record[-1]["lost"] != played["won"]
        assert sum(move["verdict"] == "guess" for move in record) == played["guesses"]
        assert all(move["forced"] for move in record if move["verdict"] == "guess")
        outcomes.add(played["won"])
    assert outcomes == {True, False}
    assert "--record is for random games" in run("play", "##", "--record", path, code=2)
    assert "leave out --games" in run("play", "--level", "beginner", "--games", "2", "--record", path, code=2)


def test_a_folder_may_have_pipes_and_names_that_are_no_text(tmp_path, game):
    os.mkfifo(tmp_path / "pipe.rawvf")
    (tmp_path / os.fsdecode(b"\xff.rawvf")).write_bytes(Path(game).read_bytes())
    page = tmp_path / "page.html"
    assert "all 2" in run("coach", str(tmp_path), "-o", str(page))
    assert "?.rawvf" in page.read_text()


def test_games_of_one_name_are_told_apart_by_their_paths(tmp_path, game):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "game.rawvf").write_bytes(Path(game).read_bytes())
    assert os.path.join("sub", "game.rawvf") in run("coach", str(tmp_path))
