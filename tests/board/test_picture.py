"""Pictures of boards, saved by matplotlib."""

import re

import pytest

from mines_dd import Board, analyse
from mines_dd.base.errors import MinesError
from mines_dd.board.picture import draw_board, save_board, save_totals


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_pictures_of_boards_are_saved_with_a_legend(kind, tmp_path):
    pytest.importorskip("matplotlib")
    found = analyse(Board.parse("mines: 3/1###/1F##"))
    save_board(tmp_path / f"board.{kind}", found.board.grid, found.exact, found.safest)
    assert (tmp_path / f"board.{kind}").stat().st_size > 1000


def test_a_picture_of_too_many_cells_is_refused(tmp_path):
    with pytest.raises(MinesError, match="too large"):
        save_board(tmp_path / "board.png", Board.random(101, 100, 10, 10, 1).grid, {})


def test_the_squares_of_a_board_are_one_collection():
    figure = pytest.importorskip("matplotlib.figure")
    axes = figure.Figure().subplots()
    draw_board(axes, ("#1", "F*"), {(0, 0): 0.5})
    assert [len(squares.get_paths()) for squares in axes.collections] == [4]  # by itself each would take much longer
    assert not axes.patches
    assert not any(sign.get_in_layout() for sign in axes.texts)


def test_the_frame_is_called_as_the_command_line_calls_its_cell(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "board.svg"
    save_board(str(path), ("#1#",), {(0, 0): 0.5, (0, 2): 0.5}, (0, 0))
    assert "framed: best to open" in path.read_text()


def test_the_axis_of_the_totals_has_whole_mines(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "totals.svg"
    save_totals(path, {1: 0.0, 2: -0.1, 3: -0.7, 4: -1.6, 5: -3.2}, total=2)
    labels = re.findall("<!-- (.*) -->", path.read_text())
    assert labels[: labels.index("total number of mines")] == ["1", "2", "3", "4", "5"]
