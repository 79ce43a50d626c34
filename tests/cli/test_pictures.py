"""Boards on terminals, in pipes, and where no colours are wanted; and files beside the answer."""

import errno
import os
import re

import pytest
from boards import DATA
from commands import FIGURE_9, POSITIONS, ended_with, on_terminal, run

from mines_dd.base import writing


@pytest.mark.ci
def test_terminals_get_colours_rulers_and_a_legend():
    text = on_terminal("analyse", FIGURE_9)
    assert "\x1b[" in text
    assert re.sub("\x1b\\[[0-9;]*m", "", text).splitlines()[:2] == ["      0    1    2", "0  0.67    3 0.67"]
    assert "likely" in text
    wide = on_terminal("analyse", str(DATA / "expert_16x30_99.txt"), COLUMNS="100")
    assert max(len(re.sub("\x1b\\[[0-9;]*m", "", line)) for line in wide.splitlines()[:17]) <= 100
    assert "percent" in wide


@pytest.mark.ci
def test_no_color_and_dumb_terminals_get_plain_text_and_pipes_no_rulers():
    plain = run("analyse", FIGURE_9)
    assert "\x1b" not in plain
    assert plain.startswith("0.67    3 0.67\n")
    ruled = on_terminal("analyse", FIGURE_9, NO_COLOR="1")
    assert "\x1b" not in ruled
    assert ruled.splitlines()[:2] == ["      0    1    2", "0  0.67    3 0.67"]
    assert ">0.00" in ruled
    assert ">: best to open" in ruled
    assert on_terminal("analyse", FIGURE_9, TERM="dumb") == ruled
    assert ruled.splitlines()[-1] == plain.splitlines()[-1]


@pytest.mark.parametrize(
    "asked",
    [
        ("retrograde", str(DATA / "game.csv"), "--grundy", "-o", "a.svg"),
        ("shiritori", str(DATA / "words.txt"), "--play", "none", "-o", "a.svg"),
    ],
)
def test_no_picture_is_left_of_what_is_refused(asked, monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    run(*asked, code=2)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "asked",
    [
        ("strings", "3", "--sgf", "a.sgf"),
        ("strings", "3", "-o", "a.svg"),
        ("analyse", FIGURE_9, "-o", "a.svg"),
        ("analyse", FIGURE_9, "--totals", "game", "-o", "a.svg"),
        ("prob", FIGURE_9, "-o", "a.svg"),
        ("umigame", POSITIONS, "--lines", "own", "-o", "a.svg"),
        ("retrograde", str(DATA / "game.csv"), "-o", "a.svg"),
        ("retrograde", str(DATA / "game.csv"), "--play", "a", "-o", "a.svg"),
        ("shiritori", str(DATA / "words.txt"), "-o", "a.svg"),
        ("play", "--level", "beginner-8x8", "--policy", "safest", "--record", "a.rawvf"),
    ],
)
def test_an_answer_is_printed_where_the_file_beside_it_cannot_be_written(asked, monkeypatch, tmp_path):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    answer = run(*asked[:-2])
    monkeypatch.setattr(writing, "_write", full)
    assert ended_with(*asked) == (2, answer, f"mines-dd: cannot write '{asked[-1]}': No space left on device\n")
