"""Other programs' boards: read right, written right, and refused with one clear sentence."""

import io
import re
import sys

import pytest
from boards import FIGURE_10, attempt, click, positions, rawvf
from commands import run
from hypothesis import given
from hypothesis import strategies as st

from mines_dd import Board
from mines_dd.base.errors import BoardFormatError, MinesError
from mines_dd.board.files import board_or_replay, from_mbf, from_mine, read_board_file, to_mbf, to_mine


@st.composite
def layouts(draw) -> Board:
    """An unopened board whose mines are known."""
    rows, cols = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    return Board.from_layout(rows, cols, draw(st.sets(st.sampled_from(cells))))


@given(layouts())
def test_layouts_go_to_mbf_and_come_back(board):
    data = to_mbf(board)
    assert len(data) == 4 + 2 * board.mines
    read = from_mbf(data)
    assert read == board
    assert read.layout == board.layout


def test_mbf_has_the_width_first_and_the_column_first():
    assert from_mbf(bytes([3, 2, 0, 1, 2, 0])).layout == {(0, 2)}
    assert from_mbf(bytes([3, 2, 0, 1, 2, 0])).size == (2, 3)
    many = Board.from_layout(30, 40, [divmod(i, 40) for i in range(600)])
    assert to_mbf(many)[:4] == bytes([40, 30, 2, 88])
    assert from_mbf(to_mbf(many)).layout == many.layout


def test_an_mbf_file_cut_anywhere_is_refused():
    data = to_mbf(Board.random(9, 9, 10, seed=1))
    for end in range(len(data)):
        with pytest.raises(BoardFormatError, match="byte"):
            from_mbf(data[:end])
    with pytest.raises(BoardFormatError, match="announces 10 mines, for 24 bytes, but the file has 25"):
        from_mbf(data + b"\n")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([0, 3, 0, 0], "byte 0: a board of 3 rows and 0 columns"),
        ([3, 0, 0, 0], "byte 1: "),
        ([3, 3, 0, 1, 3, 0], "byte 4: a mine at row 0, column 3 is outside"),
        ([3, 3, 0, 2, 0, 0, 0, 3], "byte 6: a mine at row 3, column 0 is outside"),
        ([3, 3, 0, 2, 1, 2, 1, 2], "byte 6: the mine at row 2, column 1 stands there twice"),
    ],
)
def test_a_malformed_mbf_file_is_refused_by_byte(data, words):
    with pytest.raises(BoardFormatError, match=words):
        from_mbf(bytes(data))


@given(st.binary(max_size=40))
def test_any_bytes_are_an_mbf_board_or_an_error(data):
    board, error = attempt(from_mbf, data)
    assert error is not None or sorted(to_mbf(board)) == sorted(data)


def test_a_board_that_mbf_cannot_hold_is_refused():
    with pytest.raises(BoardFormatError, match="not known"):
        to_mbf(Board.parse("#1#"))
    with pytest.raises(BoardFormatError, match="at most 255"):
        to_mbf(Board.from_layout(1, 256, []))


@given(positions())
def test_positions_go_to_mine_files_and_come_back(board):
    assert from_mine(to_mine(board)) == board
    assert from_mine(to_mine(board).replace("\n", "\r\n") + "\r\n") == board


def test_a_position_of_jsminesweeper():
    board = from_mine("4x2x3\nHF2?\n01M8\n")
    assert board.grid == ("#F2*", "01*8")
    assert board.mines == 3


def test_a_known_mine_is_written_as_a_question_mark_and_read_from_that_or_an_m():
    board = Board.parse("mines: 2\n*1F\n#20")
    assert to_mine(board).splitlines() == ["3x2x2", "?1F", "H20"]
    assert from_mine("3x2x2\nM1F\nH20") == from_mine("3x2x2\n?1F\nH20") == board


def test_a_mine_file_cut_anywhere_is_refused():
    text = to_mine(Board(FIGURE_10.grid, mines=12))
    for end in range(len(text) - 1):
        with pytest.raises(BoardFormatError, match=r"^line") as raised:
            from_mine(text[:end])
        assert raised.value.line is not None


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, None, "30x16x99"),
        ("3x3\n", 1, None, "30x16x99"),
        ("H" * 50, 1, None, "found 'H{40}';"),
        ("0x0x0\n", 1, None, "0 rows"),
        ("2x2x1\nHH\nHX\n", 3, 2, "found 'X'"),
        ("2x2x1\nH#\nHH\n", 2, 2, "found '#'"),
        ("2x2x1\nHHH\nHH\n", 2, 4, "3 cells where line 1 says 2"),
        ("2x2x1\nHH\n", 2, None, "1 row where line 1 says 2"),
        ("2x2x1\nHH\nHH\nHH\n", 4, None, "3 rows"),
        ("2x2x1\n\nHH\n", 2, 1, "0 cells"),
        ("2x1x3\nHH\n", 1, None, "impossible"),
        ("2x1x0\nH?\n", 1, None, "impossible"),
        ("999999999x999999999x1\nHH\n", 2, 3, "999999999"),
    ],
)
def test_a_malformed_mine_file_is_refused_by_line_and_column(text, line, column, words):
    with pytest.raises(BoardFormatError, match=words) as raised:
        from_mine(text)
    assert str(raised.value).startswith(f"line {line}")
    assert (raised.value.line, raised.value.column) == (line, column)


@given(st.text("0123x\nHF?M\r ", max_size=40))
def test_any_text_is_a_position_or_an_error(text):
    board, error = attempt(from_mine, text)
    assert error is not None or from_mine(to_mine(board)) == board


def test_a_position_needs_the_total_of_mines():
    with pytest.raises(BoardFormatError, match="mines: 99"):
        to_mine(Board.parse("#1#"))


ROW = Board.from_layout(1, 7, [(0, 2)])  # shows 0 1 * 1 0 0 0


def test_each_form_is_told_by_its_content(tmp_path, monkeypatch):
    board = Board.from_layout(4, 5, [(0, 0), (3, 4)]).open(1, 0)
    contents = {
        "text": (board.to_text().encode(), board.grid),
        "json": (board.to_json().encode(), board.grid),
        "mine": (b"\xef\xbb\xbf" + to_mine(board).encode(), board.grid),
        "rawvf": (rawvf(board, click((1, 0))).encode() + b"2.5 mv (1 1)", board.grid),
        "mbf": (to_mbf(board), ("#####",) * 4),
    }
    for form, (data, grid) in contents.items():
        for suffix in ("", ".dat", f".{form}", f".{form.upper()}"):
            path = tmp_path / f"board{suffix}"
            path.write_bytes(data)
            read = read_board_file(path)
            assert read.grid == grid
            assert read == read_board_file(str(path))
            assert form == "text" or form == "mine" or read.layout == board.layout
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read_board_file("-") == read


def test_players_names_may_be_in_any_encoding(tmp_path):
    path = tmp_path / "game.rawvf"
    path.write_bytes(rawvf(ROW, click((0, 1))).encode().replace(b"a: b", b"\xce\xe2\xff"))
    assert read_board_file(path).grid == ("#1#####",)


def test_the_name_decides_where_the_content_does_not(tmp_path):
    for name, words in (
        ("a.mine", "line 1: found '#1#'"),
        ("a.rawvf", "line 1: found '#1#'"),
        ("a.mbf", "announces|ends at byte"),
        ("a.umf", "convert it to RAWVF"),
        ("a.mvr", "convert it to RAWVF"),
    ):
        path = tmp_path / name
        path.write_text("#1#\n")
        with pytest.raises(BoardFormatError, match=words) as raised:
            read_board_file(path)
        assert name in str(raised.value)


def test_what_cannot_be_read_is_said_as_by_board_read(tmp_path):
    path = tmp_path / "board"
    for data in (b"", b"\xff\xfe\x00#", b"#1.\n", bytes(range(256))):
        path.write_bytes(data)
        with pytest.raises(BoardFormatError) as expected:
            Board.read(path)
        with pytest.raises(BoardFormatError, match=re.escape(str(expected.value))):
            read_board_file(path)
    with pytest.raises(BoardFormatError, match=r"'board\.png' is not text: it begins as a picture does"):
        board_or_replay("board.png", b"\x89PNG\r\n")
    for bad in (tmp_path, tmp_path / "missing", "a\0b"):
        with pytest.raises(MinesError, match="cannot read"):
            read_board_file(bad)


def test_a_file_too_large_for_a_board_is_refused_unread(tmp_path):
    path = tmp_path / "board.mbf"
    with open(path, "wb") as file:
        file.truncate(2**26 + 1)
    with pytest.raises(BoardFormatError, match="larger than 64 MiB"):
        read_board_file(path)


def test_every_form_cut_anywhere_is_a_board_or_an_error_that_names_the_file(tmp_path):
    board = Board.from_layout(3, 3, [(0, 0), (2, 2)]).open(1, 1)
    for form, data in {
        "mbf": to_mbf(board),
        "mine": to_mine(board).encode(),
        "rawvf": rawvf(board, click((1, 1))).encode(),
        "dat": to_mbf(board),
        "txt": to_mine(board).encode(),
    }.items():
        path = tmp_path / f"board.{form}"
        for end in range(len(data)):
            path.write_bytes(data[:end])
            _, error = attempt(read_board_file, path)
            assert error is None or f"board.{form}" in str(error)


@pytest.mark.parametrize(
    ("form", "said"),
    [("cnf", "a formula for solvers"), ("opb", "a formula for solvers"), ("npy", "a NumPy array, .*from_array")],
)
def test_what_solvers_and_numpy_read_is_no_board(form, said, tmp_path):
    path = tmp_path / f"board.{form}"
    run("export", "#1#", "-o", str(path))
    with pytest.raises(BoardFormatError, match=said):
        read_board_file(path)
    with pytest.raises(BoardFormatError, match=said):
        board_or_replay(path.name, path.read_bytes())
