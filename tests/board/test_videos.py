"""Replays that ms-toollib reads: a video written by it comes back; a damaged one is one sentence."""

import os
import random
import sys

import pytest
from boards import click

from mines_dd import Board, MinesError
from mines_dd.base.errors import BoardFormatError
from mines_dd.board.files import read_board_file, read_replay
from mines_dd.board.videos import VIDEOS, mouse_lines, rawvf_of_video


def evf(layout: Board, events) -> bytes:
    """A game as an .evf file, written by ms-toollib from events at (kind, row, column)."""
    toollib = pytest.importorskip("ms_toollib")
    rows, cols = layout.size
    shown = layout.open_all([(r, c) for r in range(rows) for c in range(cols)])
    video = toollib.BaseVideo([[-1 if x == "*" else int(x) for x in row] for row in shown.grid], 20)
    for kind, r, c in events:
        video.step(kind, (20 * r + 5, 20 * c + 5))
    video.generate_evf_v4_raw_data()
    return bytes(video.raw_data)


def test_a_video_is_the_game_that_was_played(tmp_path):
    layout = Board.random(5, 8, 6, 0, seed=3)
    cells = [(r, c) for r in range(5) for c in range(8) if (r, c) not in layout.layout]
    random.Random(1).shuffle(cells)
    path = tmp_path / "game.evf"
    path.write_bytes(evf(layout, click(*cells)))
    replay = read_replay(path)
    assert replay.won
    assert replay.board.layout == layout.layout
    assert replay.settings["squaresize"] == "20"
    opened = [cell for i, cell in enumerate(cells) if layout.open_all(cells[:i])[cell] == "#"]
    assert [move.cell for move in replay.moves] == opened
    assert read_board_file(path) == replay.board


@pytest.mark.parametrize("suffix", VIDEOS)
def test_a_damaged_video_is_one_sentence_and_leaves_no_file(tmp_path, monkeypatch, suffix):
    pytest.importorskip("ms_toollib")
    path = tmp_path / f"game{suffix}"
    path.write_bytes(b"#1#\n")
    monkeypatch.chdir(tmp_path)
    for read in (read_replay, read_board_file):
        with pytest.raises(BoardFormatError, match=f"game{suffix}.*ms-toollib") as raised:
            read(path)
        assert "\n" not in str(raised.value)
    assert os.listdir(tmp_path) == [path.name]


def test_what_to_install_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "ms_toollib", None)
    with pytest.raises(MinesError, match=r'pip install "mines-dd\[replays\]"'):
        rawvf_of_video(b"", ".avf")


def test_events_without_a_name_in_rawvf_become_buttons():
    events = [("lc", 1), ("cc", 1), ("lr", 1), ("rr", 1), ("rc", 1), ("cc", 1)]
    lines = mouse_lines((float(i), kind, x, 2) for i, (kind, x) in enumerate(events))
    assert [line.split()[1] for line in lines] == ["lc", "rc", "lr", "rr", "rc", "lc"]
