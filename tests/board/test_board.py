"""Boards: what they show, random ones, opening cells, and every way to get one wrong."""

import io
import itertools
import pickle
import random
import sys

import numpy as np
import pytest
from boards import FIGURE_10
from hypothesis import given
from hypothesis import strategies as st

from mines_dd.base.errors import BoardFormatError, MinesError
from mines_dd.board.board import Board


def test_a_board_tells_its_cells():
    board = Board.parse("mines: 3\n#1F\n0*2")
    assert board.size == (2, 3)
    assert board.mines == 3
    assert board.closed() == [(0, 0), (0, 2)]
    assert board.flags() == [(0, 2)]
    assert board.known_mines() == [(1, 1)]
    assert board.hints() == {(0, 1): 1, (1, 0): 0, (1, 2): 2}
    assert [board[r, c] for r in range(2) for c in range(3)] == list("#1F0*2")
    assert board.layout is None


def test_the_array_holds_the_characters():
    board = Board.parse("#1F\n0*2")
    assert board.array.dtype == np.uint8
    assert board.array.tolist() == [[ord(c) for c in row] for row in ("#1F", "0*2")]
    with pytest.raises(ValueError, match="read-only"):
        board.array[0, 0] = 0


def test_a_cell_has_the_neighbours_a_king_can_reach():
    board = Board.from_layout(3, 4, [])
    assert board.neighbours((0, 0)) == [(0, 1), (1, 0), (1, 1)]
    assert board.neighbours((1, 3)) == [(0, 2), (0, 3), (1, 2), (2, 2), (2, 3)]
    assert len(board.neighbours((1, 1))) == 8
    assert Board.parse("#").neighbours((0, 0)) == []


def test_printing_a_board_shows_it_and_its_repr_is_short():
    assert repr(FIGURE_10) == "<Board: 4x4, 4 hints>"
    board = Board.random(30, 30, 0.3, 0.5, seed=0)
    assert str(board).splitlines()[-30:] == list(board.grid)
    assert len(repr(board)) < 60
    assert "30x30" in repr(board)


def test_rows_may_be_a_list():
    board = Board(["#1#"])
    assert board == Board(("#1#",))
    assert hash(board) == hash(Board(("#1#",)))


def test_a_board_can_be_pickled():
    board = Board.random(5, 5, 5, 5, seed=1)
    assert board.array.shape == (5, 5)
    again = pickle.loads(pickle.dumps(board))
    assert (again, again.layout) == (board, board.layout)


@pytest.mark.parametrize("grid", [(), ("",), ("##", "#"), ("", "")])
def test_a_board_is_a_rectangle(grid):
    with pytest.raises(BoardFormatError, match="rows of one length"):
        Board(grid)


@pytest.mark.parametrize("grid", [("#x#",), ("# #",), ("#9#",)])
def test_a_grid_holds_cells_only(grid):
    with pytest.raises(BoardFormatError, match="no cell"):
        Board(grid)


def test_a_board_is_read_from_a_file_or_standard_input(tmp_path, monkeypatch):
    path = tmp_path / "board.txt"
    path.write_bytes(b"\xef\xbb\xbfmines: 1\r\n#1#\r\n")
    assert Board.read(path) == Board.read(str(path)) == Board(("#1#",), mines=1)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"#2#\n")))
    assert Board.read("-") == Board(("#2#",))


def test_a_file_that_is_no_board_is_refused(tmp_path):
    (tmp_path / "binary").write_bytes(b"#1#\n\x89PNG\xff\x00")
    (tmp_path / "zeros").write_bytes(bytes(1000))
    (tmp_path / "empty").write_bytes(b"")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(2**31)  # sparse: takes no space
    with pytest.raises(BoardFormatError, match="line 2 has the byte 0x89") as caught:
        Board.read(tmp_path / "binary")
    assert caught.value.line == 2
    (tmp_path / "dot").write_text("#1#\n#.#\n")
    with pytest.raises(BoardFormatError, match=r"dot.*line 2, character 2") as caught:
        Board.read(tmp_path / "dot")
    assert (caught.value.line, caught.value.column) == (2, 2)
    for name, words in [
        ("zeros", "x00"),
        ("empty", "empty"),
        ("huge", "larger than 64 MiB"),
        ("missing", "missing': No such file or directory; give a board file, or - for standard input"),
        ("", "directory"),
        ("a\0b", "null"),
        ("a" * 5000, "name too long"),
    ]:
        with pytest.raises(BoardFormatError, match=words):
            Board.read(tmp_path / name)


GOLDEN_0 = """mines: 10
0#####00
##3##2##
##3#3###
##4#2##3
##21#111
"""
GOLDEN_2016 = """mines: 5
####
1###
0#3#
###2
"""


def test_random_boards_stay_the_same_forever():
    assert Board.random(5, 8, 0.25, 0.5, seed=0).to_text() == GOLDEN_0
    board = Board.random(4, 4, 5, 4, seed=2016)
    assert (board.to_text(), sorted(board.layout)) == (
        GOLDEN_2016,
        [(0, 1), (0, 2), (1, 3), (2, 3), (3, 2)],
    )


@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_a_random_board_has_the_numbers_asked_for(rows, cols, data):
    cells = rows * cols
    mines = data.draw(st.integers(0, cells))
    hints = data.draw(st.integers(0, cells - mines))
    board = Board.random(rows, cols, mines, hints, seed=data.draw(st.integers(0, 99)))
    assert board.size == (rows, cols)
    assert board.mines == len(board.layout) == mines
    assert len(board.closed()) == cells - hints
    assert len(board.hints()) == hints
    for (r, c), count in board.hints().items():
        square = itertools.product(range(r - 1, r + 2), range(c - 1, c + 2))
        assert (r, c) not in board.layout
        assert count == sum(p in board.layout for p in square)


def test_floats_are_shares_of_all_cells_and_of_the_safe_cells():
    board = Board.random(30, 30, 0.3, 0.5, seed=7)
    assert board.mines == 270
    assert len(board.hints()) == 315
    assert len(Board.random(3, 3, 1.0, 0.0, seed=7).layout) == 9
    assert len(Board.random(3, 3, 1, 0, seed=7).layout) == 1
    assert len(Board.random(3, 3, 0, 1.0, seed=7).hints()) == 9


def test_other_seeds_give_other_boards_and_every_cell_is_used():
    made = [Board.random(4, 4, 4, 4, seed) for seed in range(200)]
    assert len({board.grid for board in made}) > 190
    mined = [sum(p in board.layout for board in made) for p in itertools.product(range(4), repeat=2)]
    opened = [sum(p in board.hints() for board in made) for p in itertools.product(range(4), repeat=2)]
    assert min(mined) > 25  # 50 expected, six standard deviations of 6.1 below: 13
    assert min(opened) > 25


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "hints"),
    [
        (0, 3, 0, 0),
        (10**6, 10**6, 0, 0),
        (3, 0, 0, 0),
        (-3, -3, 0, 0),
        (3, 3, 10, 0),
        (3, 3, -1, 0),
        (3, 3, 1.01, 0),
        (3, 3, -0.1, 0),
        (3, 3, float("nan"), 0),
        (3, 3, float("inf"), 0),
        (3, 3, 1, 9),
        (3, 3, 1, -1),
        (3, 3, 1, 1.5),
        (3, 3, 9, 1),
    ],
)
def test_impossible_random_boards_are_refused(rows, cols, mines, hints):
    with pytest.raises(BoardFormatError):
        Board.random(rows, cols, mines, hints, seed=0)


def test_numbers_may_come_from_numpy():
    board = Board.random(np.int64(4), np.int64(4), np.int64(5), np.float64(0.4), seed=np.int64(3))
    assert board.to_json() == Board.random(4, 4, 5, 0.4, seed=3).to_json()
    assert Board.random(20, 20, np.float32(0.25), seed=1).mines == 100
    layout = np.argwhere(np.eye(2))
    assert Board(("##", "##"), np.int64(2), layout).to_json() == Board.from_layout(2, 2, [(0, 0), (1, 1)]).to_json()


def test_a_layout_is_read_once():
    assert Board(("##",), layout=(place for place in [(0, 0)])).open(0, 1).grid == ("#1",)


def flood(rows, cols, layout, start):
    """The cells that opening `start` opens, by repeating until nothing changes."""

    def around(cell):
        square = itertools.product(*(range(x - 1, x + 2) for x in cell))
        return {(r, c) for r, c in square if 0 <= r < rows and 0 <= c < cols}

    opened = {start}
    while True:
        more = opened.union(*(around(cell) for cell in opened if not around(cell) & layout))
        if more == opened:
            return {cell: len(around(cell) & layout) for cell in opened}
        opened = more


@given(st.integers(1, 9), st.integers(1, 9), st.floats(0, 0.4), st.integers(0, 10**6))
def test_opening_a_safe_cell_cascades_as_far_as_a_naive_flood_fill(rows, cols, share, seed):
    board = Board.random(rows, cols, share, 0, seed)
    rng = random.Random(seed)
    expected = {}
    for _ in range(3):
        cell = rng.randrange(rows), rng.randrange(cols)
        if cell not in board.layout:
            board = board.open(*cell)
            expected |= flood(rows, cols, board.layout, cell)
    assert board.hints() == expected


def test_a_whole_empty_board_opens_at_once():
    board = Board.from_layout(120, 120, []).open(60, 60)
    assert not board.closed()
    assert set(board.hints().values()) == {0}


def test_opening_a_mine_shows_it_and_nothing_else():
    board = Board.from_layout(2, 2, [(0, 0)]).open(0, 0)
    assert board.grid == ("*#", "##")


def test_opening_an_open_cell_changes_nothing():
    board = Board.from_layout(1, 4, [(0, 0)]).open(0, 1)
    assert board.grid == ("#1##",)
    assert board.open(0, 1) == board


def test_the_cascade_stops_at_open_cells_and_opens_flagged_ones():
    board = Board.from_layout(1, 5, []).flag([(0, 3)]).reveal({(0, 1): 0})
    assert board.grid == ("#0#F#",)
    assert board.open(0, 4).grid == ("#0000",)


def test_opening_needs_to_know_where_the_mines_are():
    with pytest.raises(MinesError, match="layout"):
        Board.parse("##").open(0, 0)


def test_a_player_who_only_sees_reveals_counts():
    board = Board.parse("mines: 1\n###").reveal({(0, 0): 0, (0, 1): 1})
    assert board == Board(("01#",), mines=1)
    with pytest.raises(MinesError, match="9"):
        board.reveal({(0, 2): 9})


def test_flags_are_put_on_closed_cells_only():
    assert Board.parse("#1#").flag([(0, 0), (0, 1)]).grid == ("F1#",)


@pytest.mark.parametrize("cell", [(2, 0), (0, 3), (-1, 0), (0, -1)])
def test_there_is_no_cell_outside(cell):
    board = Board.from_layout(2, 3, [])
    for use in (board.__getitem__, lambda p: board.open(*p), lambda p: board.reveal({p: 0})):
        with pytest.raises(MinesError, match=f"row {cell[0]}, column {cell[1]}"):
            use(cell)
    with pytest.raises(BoardFormatError, match="outside"):
        Board.from_layout(2, 3, [cell])


def test_a_layout_starts_closed_and_gives_the_total():
    board = Board.from_layout(2, 3, [(0, 0), (1, 2), (0, 0)])
    assert board.grid == ("###", "###")
    assert board.mines == 2
    assert board.layout == {(0, 0), (1, 2)}


def test_opening_cells_at_once_is_opening_them_one_by_one():
    for seed in range(20):
        board = Board.random(9, 9, 12, 0, seed)
        cells = [(seed % 9, 3), (4, seed % 7), (8, 8)]
        one_by_one = board
        for cell in cells:
            one_by_one = one_by_one.open(*cell)
        assert board.open_all(cells) == one_by_one


def test_the_name_of_a_file_is_no_board_and_told_how_it_is_read():
    with pytest.raises(BoardFormatError, match=r"found 'm'; .*; Board.read reads a file"):
        Board.parse("my_board.txt")


def test_one_cell_is_no_list_of_cells():
    board = Board.from_layout(2, 2, [(0, 0)])
    for act in (board.flag, board.mark, board.open_all):
        with pytest.raises(MinesError, match=r"\(0, 0\) is no list of cells; for one cell write \[\(row, column\)\]"):
            act((0, 0))


def test_a_cell_is_opened_by_two_numbers_or_by_its_position():
    board = Board.from_layout(2, 2, [(0, 0)])
    assert board.open(1, 1) == board.open((1, 1))
    with pytest.raises(MinesError, match=r"3 is no cell; write \(row, column\)"):
        board.open(3)
