"""Other programs' boards and replays: read right, written right, and refused with one clear sentence."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd import Board, solve
from mines_dd.base.errors import BoardFormatError, MinesError
from mines_dd.board.files import from_mbf, from_mine, read_board_file, to_mbf, to_mine
from mines_dd.board.replays import from_rawvf

SEEDS = st.integers(0, 10**6)


@st.composite
def layouts(draw) -> Board:
    """An unopened board whose mines are known."""
    rows, cols = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    return Board.from_layout(rows, cols, draw(st.sets(st.sampled_from(cells))))


@st.composite
def positions(draw) -> Board:
    """What a player may see, with the total of mines."""
    cols = draw(st.integers(1, 7))
    grid = tuple(draw(st.lists(st.text("#F*012345678", min_size=cols, max_size=cols), min_size=1, max_size=7)))
    text = "".join(grid)
    known = text.count("*")
    return Board(grid, draw(st.integers(known, known + text.count("#") + text.count("F"))))


def attempt(read, what):
    """What a parser makes of its input: (board, None), or (None, the one kind of error that it documents)."""
    try:
        return read(what), None
    except BoardFormatError as error:
        return None, error


# Board files of mines


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
    with pytest.raises(BoardFormatError, match="10 mines are announced, which takes 24 bytes, but the file has 25"):
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


# Positions


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
    text = to_mine(Board.parse("mines: 12\n####\n#22#\n#22#\n####"))
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
        ("2x2x1\nHH\n", 2, None, "1 rows where line 1 says 2"),
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


# Replays


def rawvf(board: Board, events: list[tuple[str, int, int]], *settings: str, square: int = 16) -> str:
    """A replay of events at (kind, row, column)."""
    rows, cols = board.size
    lines = ["RawVF_Version: Rev6", "Player: a: b", f"Width: {cols}", f"Height: {rows}", f"Mines: {board.mines}"]
    lines += [*settings, "Board:"]
    lines += ["".join("*" if (r, c) in board.layout else "0" for c in range(cols)) for r in range(rows)]
    lines.append("Events:")
    for i, (kind, r, c) in enumerate(events):
        lines.append(f"{i}.{i % 10}00 {kind} {c + 1} {r + 1} ({c * square + 3} {r * square + square - 1})")
    return "\n".join(lines) + "\n"


def click(*cells: tuple[int, int]) -> list[tuple[str, int, int]]:
    return [(kind, r, c) for r, c in cells for kind in ("lc", "lr")]


ROW = Board.from_layout(1, 7, [(0, 2)])  # shows 0 1 * 1 0 0 0
SQUARE = Board.from_layout(3, 3, [(0, 0), (2, 2)])  # shows *10, 121, 01*


def test_a_click_opens_when_the_button_comes_up():
    assert from_rawvf(rawvf(ROW, [("lc", 0, 3), ("mv", 0, 1), ("lr", 0, 1)])).grid == ("#1#####",)
    assert from_rawvf(rawvf(ROW, [("lc", 0, 3)])).grid == ("#######",)
    board = from_rawvf(rawvf(ROW, click((0, 6))))
    assert board.grid == ("###1000",)
    assert board.layout == {(0, 2)}
    assert board.mines == 1
    assert solve(board).certain_mines() == {(0, 2)}


def test_a_flag_stays_closed_and_stops_an_opening():
    flag = [("rc", 0, 5), ("rr", 0, 5)]
    assert from_rawvf(rawvf(ROW, flag + click((0, 5)))).grid == ("#####F#",)
    assert from_rawvf(rawvf(ROW, flag + click((0, 6)))).grid == ("#####F0",)
    assert from_rawvf(rawvf(ROW, flag + flag + click((0, 6)))).grid == ("###1000",)


def test_question_marks_come_between_if_the_game_has_them():
    press = [("rc", 0, 5), ("rr", 0, 5)]
    for times, cell in enumerate("#F##F#"):
        assert from_rawvf(rawvf(ROW, press * times, "Marks: On")).grid[0][5] == cell
        assert from_rawvf(rawvf(ROW, [("mt", 0, 0), *press * times])).grid[0][5] == cell
    for times, cell in enumerate("#F#F#F"):
        assert from_rawvf(rawvf(ROW, press * times, "Marks: off")).grid[0][5] == cell


@pytest.mark.parametrize(
    "chord",
    [
        [("lc", 1, 1), ("rc", 1, 1), ("rr", 1, 1), ("lr", 1, 1)],
        [("rc", 1, 1), ("lc", 1, 1), ("lr", 1, 1), ("rr", 1, 1)],
        [("mc", 0, 1), ("mv", 1, 1), ("mr", 1, 1)],
        [("sc", 1, 1), ("lr", 1, 1)],
    ],
)
def test_a_chord_opens_around_a_number_with_as_many_flags(chord):
    flags = [("rc", 0, 0), ("rr", 0, 0), ("rc", 2, 2), ("rr", 2, 2)]
    start = click((1, 1))
    assert from_rawvf(rawvf(SQUARE, start + chord)).grid == ("###", "#2#", "###")
    assert from_rawvf(rawvf(SQUARE, start + flags + chord)).grid == ("F10", "121", "01F")
    wrong = [("rc", 0, 0), ("rr", 0, 0), ("rc", 2, 1), ("rr", 2, 1)]
    lost = from_rawvf(rawvf(SQUARE, start + wrong + chord + click((2, 1))))
    assert lost.grid == ("F10", "121", "0F*")


def test_a_slide_from_a_flag_onto_a_number_is_a_chord():
    start = [*click((1, 1)), ("rc", 0, 0), ("rr", 0, 0)]
    slide = [("rc", 2, 2), ("lc", 2, 2), ("mv", 1, 1), ("lr", 1, 1), ("rr", 1, 1)]
    assert from_rawvf(rawvf(SQUARE, start + slide)).grid == ("F10", "121", "01F")


def test_left_buttons_chord_with_superclick():
    flags = [("rc", 0, 0), ("rr", 0, 0), ("rc", 2, 2), ("rr", 2, 2)]
    events = click((1, 1)) + flags + click((1, 1))
    assert from_rawvf(rawvf(SQUARE, events, "SuperClick: On")).grid == ("F10", "121", "01F")
    assert from_rawvf(rawvf(SQUARE, events)).grid == ("F##", "#2#", "##F")


def test_the_second_button_of_a_chord_opens_nothing():
    chord = [("lc", 0, 4), ("rc", 0, 4), ("rr", 0, 4), ("lr", 0, 4)]
    assert from_rawvf(rawvf(ROW, chord)).grid == ("#######",)
    assert from_rawvf(rawvf(ROW, chord + click((0, 3)))).grid == ("###1###",)
    onto_open = [*click((0, 1)), *chord[:3], ("lr", 0, 1)]
    for setting in ("SuperClick: On", "SuperClick: Off"):
        assert from_rawvf(rawvf(ROW, onto_open + click((0, 3)), setting)).grid == ("#1#1###",)


def test_nothing_happens_after_a_mine():
    assert from_rawvf(rawvf(ROW, click((0, 2), (0, 6)))).grid == ("##*####",)


def test_events_outside_of_the_board_open_nothing():
    text = rawvf(ROW, []) + "1.000 lc 1 1 (3 3)\n1.100 lr 0 1 (-5 3)\n1.2 lc (3 16)\n1.3 lr (112 3)\n"
    assert from_rawvf(text).grid == ("#######",)


def test_squares_have_their_size():
    assert from_rawvf(rawvf(ROW, click((0, 6)), "SquareSize: 64", square=64)).grid == ("###1000",)


def test_what_the_mouse_implies_is_passed_over():
    text = rawvf(ROW, click((0, 1))) + (
        "number1 2 1\nclosed 3 1\nCell opened (Number 1) 2 1\nFlag removed 1 1\n0.000 Solved 3BV: 1 of 2\n"
        "-0.50 start\n3.123 won\nnonstandard\n\n1.0 sx 3 4\n1.0 mv 1 1 (3 3) (lr)\n"
    )
    assert from_rawvf(text).grid == ("#1#####",)


@given(SEEDS)
@settings(max_examples=150)
def test_replays_end_as_in_ms_toollib(seed):
    """An independent engine agrees, once the game has begun (before that it treats flags in its own way)."""
    toollib = pytest.importorskip("ms_toollib")
    rng = random.Random(seed)
    rows, cols = rng.randint(2, 6), rng.randint(2, 6)
    board = Board.random(rows, cols, rng.randint(1, 4) if rows * cols > 4 else 1, 0, seed)
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    shown = board.open_all(cells)
    engine = toollib.MinesweeperBoard([[-1 if x == "*" else int(x) for x in row] for row in shown.grid])
    events = click(rng.choice([cell for cell in cells if cell not in board.layout]))
    down = {"l": False, "r": False}
    for _ in range(rng.randint(0, 40)):
        button = rng.choice("lr")
        events.append((button + ("r" if down[button] else "c"), *rng.choice(cells)))
        down[button] = not down[button]
    won, lost = 3, 4
    done = []
    for kind, r, c in events:
        if engine.game_board_state in (won, lost):
            break
        engine.step(kind, (r, c))
        done.append((kind, r, c))
    ours = from_rawvf(rawvf(board, done)).grid
    theirs = engine.game_board
    for r, c in cells:
        if theirs[r][c] <= 8 or ours[r][c] in "012345678":
            assert ours[r][c] == str(theirs[r][c])
        elif engine.game_board_state not in (won, lost):  # an ended game shows the mines as it likes
            assert ours[r][c] == {10: "#", 11: "F"}[theirs[r][c]]


def test_a_replay_cut_before_its_events_is_refused():
    text = rawvf(SQUARE, click((1, 1)))
    events = text.index("Events:") + len("Events:")
    for end in range(len(text)):
        board, error = attempt(from_rawvf, text[:end])
        if error is not None:
            assert re.match(r"line \d+: ", str(error))
            assert error.line is not None
        else:
            assert end >= events
            assert text[end - 1] in "\n):" or text[end] == "\n"
            assert board.layout == SQUARE.layout


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("Width: 3", "Width: 4"), 7, "width 3, but line 3 says 4"),
        (("Height: 3", "Height: 2"), 7, "height 3, but line 4 says 2"),
        (("Mines: 2", "Mines: 9"), 7, "mines 2, but line 5 says 9"),
        (("Mines: 2", "Mines: two"), 5, "whole number"),
        (("Mines: 2", "Mines"), 5, "Key: value"),
        (("Mines: 2", "SquareSize: 0"), 5, "whole number"),
        (("Mines: 2", "SuperFlag: On"), 5, "SuperFlag is On"),
        (("Mines: 2", "Lives: 3"), 5, "Lives is 3"),
        (("Mines: 2", "NonoMouse: on"), 5, "NonoMouse is on"),
        (("*00", "*0x"), 7, "column 3: found 'x'"),
        (("*00", "*0"), 8, "3 cells where the first has 2"),
        (("Board:\n*00\n000\n00*\n", "Board:\n"), 7, "board is empty"),
        (("(19 31)", "19 31"), 11, "no place"),
        (("(19 31)", ""), 11, "no place"),
        (("0.000 lc", "0.000 xx"), 11, "no event"),
        (("0.000 lc", "zero lc"), 11, "no event"),
        (("0.000 lc 2 2 (19 31)", "Board:"), 11, "no event"),
        (("0.000 lc 2 2 (19 31)", "reset 2 2"), 11, "no event"),
        (("Events:", ""), 13, "before the line Events:"),
        (("Board:", "Bord:"), 7, "Key: value"),
    ],
)
def test_a_malformed_replay_is_refused_by_line(change, line, words):
    text = rawvf(SQUARE, click((1, 1)))
    assert change[0] in text
    with pytest.raises(BoardFormatError, match=words) as raised:
        from_rawvf(text.replace(*change, 1))
    assert raised.value.line == line


@given(SEEDS, st.data())
@settings(max_examples=200)
def test_a_damaged_replay_is_a_board_or_an_error(seed, data):
    text = rawvf(SQUARE, click((1, 1)), "Marks: On")
    rng = random.Random(seed)
    damaged = list(text)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[rng.randrange(len(damaged))] = rng.choice("\n :*0(-lcx9\ud7ff")
    _, error = attempt(from_rawvf, "".join(damaged))
    assert error is None or str(error).startswith("line ")


# Files


def test_each_form_is_told_by_its_content(tmp_path):
    board = Board.from_layout(4, 5, [(0, 0), (3, 4)]).open(1, 0)
    contents = {
        "text": (board.to_text().encode(), board.grid),
        "json": (board.to_json().encode(), board.grid),
        "mine": (b"\xef\xbb\xbf" + to_mine(board).encode(), board.grid),
        "rawvf": (rawvf(board, click((1, 0))).encode() + b"0.5 mv (1 1)", board.grid),
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


def test_players_names_may_be_in_any_encoding(tmp_path):
    path = tmp_path / "game.rawvf"
    path.write_bytes(rawvf(ROW, click((0, 1))).encode().replace(b"a: b", b"\xce\xe2\xff"))
    assert read_board_file(path).grid == ("#1#####",)


def test_the_name_decides_where_the_content_does_not(tmp_path):
    for name, words in (
        ("a.mine", "line 1: found '#1#'"),
        ("a.rawvf", "line 1: found '#1#'"),
        ("a.mbf", "announced|ends at byte"),
        ("a.avf", "convert it to RAWVF"),
        ("a.rmv", "convert it to RAWVF"),
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
