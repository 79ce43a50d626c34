"""Pictures of boards, saved by matplotlib."""

import re
from dataclasses import replace

import pytest

from mines_dd import Board, analyse
from mines_dd.base.errors import MinesError
from mines_dd.board.picture import draw_board, save_board, save_totals, saved_axes


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_pictures_of_boards_are_saved_with_a_legend(kind, tmp_path):
    pytest.importorskip("matplotlib")
    found = analyse(Board.parse("mines: 3/1###/1F##"))
    save_board(tmp_path / f"board.{kind}", found.board.grid, found.exact, found.safest)
    assert (tmp_path / f"board.{kind}").stat().st_size > 1000


def test_a_picture_of_too_many_cells_is_refused(tmp_path):
    with pytest.raises(MinesError, match="too large"):
        save_board(tmp_path / "board.png", Board.random(101, 100, 10, 10, 1).grid, {})


def test_a_picture_of_what_is_no_board_is_refused(tmp_path):
    with pytest.raises(MinesError, match="a character that is no cell"):
        save_board(tmp_path / "board.svg", ("99",), {(0, 0): 0.5})


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


def saved(path, text):
    with saved_axes(path, 2, 1) as axes:
        axes.text(0, 0.5, text)
    return path.read_bytes().decode(errors="replace")


def test_letters_are_drawn_in_a_font_that_has_them(tmp_path, monkeypatch, recwarn):
    fonts = pytest.importorskip("matplotlib.font_manager")
    bundled = [font for font in fonts.fontManager.ttflist if "matplotlib" in font.fname]  # none has kana
    monkeypatch.setattr(fonts.fontManager, "ttflist", [replace(bundled[0], fname="gone.ttf"), *bundled])
    files = [fonts.findfont(name) for name in ("STIXGeneral", fonts.FontProperties())]
    other, usual = (set(fonts.get_font(file).get_charmap()) for file in files)
    letter = min(other - usual)
    drawn = saved(tmp_path / "a.svg", f"a{chr(letter)}b")
    families = {name.partition("-")[0] for name in re.findall('id="([A-Z][^"]*)"', drawn)}  # of the letters' shapes
    assert len(families) == 2
    assert "DejaVuSans" in families
    with pytest.raises(
        MinesError, match=r"no font here has all letters .* 'あ' and 'い'; save an .svg, or install a font"
    ):
        saved(tmp_path / "a.png", "aあい")
    assert "あい" in saved(tmp_path / "b.svg", "あい")
    assert [one for one in recwarn if not issubclass(one.category, DeprecationWarning)] == []  # those are Matplotlib's
    with pytest.warns(UserWarning, match="missing"):
        assert saved(tmp_path / "c.png", "a\tb")
