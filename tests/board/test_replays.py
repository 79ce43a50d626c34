"""Other programs' replays: played right, and refused with one clear sentence."""

import random
import re

import pytest
from boards import SEEDS, attempt, click, rawvf
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd import Board, solve
from mines_dd.base.errors import BoardFormatError
from mines_dd.board.files import read_board_file, to_mine
from mines_dd.board.replays import from_rawvf, replay_of, to_rawvf

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
        "-0.50 start\n3.123 won\nnonstandard\n\n1.0 sx 3 4\n4.0 mv 1 1 (3 3) (lr)\n"
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


def test_moves_are_the_clicks_that_open_something():
    flags = [("rc", 0, 0), ("rr", 0, 0), ("rc", 2, 2), ("rr", 2, 2)]
    chord = [("mc", 1, 1), ("mr", 1, 1)]
    replay = replay_of(rawvf(SQUARE, click((1, 1), (1, 1), (0, 0)) + chord + flags + chord))
    assert [move.cell for move in replay.moves] == [(1, 1), (0, 0)]
    assert replay.lost
    assert not replay.won
    replay = replay_of(rawvf(SQUARE, click((1, 1), (1, 1)) + chord + flags + chord, "Player: Ann"))
    first, second = replay.moves
    assert (first.cell, first.cells, first.chord) == ((1, 1), ((1, 1),), False)
    assert (first.before.grid, first.after.grid) == (("###", "###", "###"), ("###", "#2#", "###"))
    assert second.chord
    assert set(second.cells) == {(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)}
    assert (second.before.grid, second.after.grid) == (("F##", "#2#", "##F"), ("F10", "121", "01F"))
    assert (second.time, replay.won, replay.lost) == (11.1, True, False)
    assert replay.settings["player"] == "Ann"


def test_nothing_happens_after_a_win():
    replay = replay_of(rawvf(ROW, click((0, 0), (0, 1), (0, 6), (0, 2))))
    assert replay.won
    assert replay.board.grid == ("01#1000",)


def test_the_line_before_the_events_may_be_missing_and_flags_may_be_implied():
    text = rawvf(SQUARE, click((1, 1))).replace("Events:", "0.000 start") + "number2 2 2\nflag 3 3\n1.500 won\n"
    assert from_rawvf(text).grid == ("###", "#2#", "###")


def test_a_replay_of_clicks_is_read_back():
    layout = Board.random(6, 7, 6, 0, seed=4)
    clicks = [(r, c) for r in range(6) for c in range(7) if (r, c) not in layout.layout]
    replay = replay_of(to_rawvf(layout, clicks, Level="custom"))
    assert replay.won
    assert replay.board.layout == layout.layout
    assert [move.cell for move in replay.moves] == [
        cell for i, cell in enumerate(clicks) if layout.open_all(clicks[:i])[cell] == "#"
    ]
    assert replay.moves[3].after == layout.open_all([move.cell for move in replay.moves[:4]])
    with pytest.raises(BoardFormatError, match="not known"):
        to_rawvf(Board.parse("#1#"), [])


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
        (("*00", "*0x"), 7, "line 7, character 3: found 'x'"),
        (("*00", "*0"), 8, "3 cells where the first has 2"),
        (("Board:\n*00\n000\n00*\n", "Board:\n"), 7, "board is empty"),
        (("(19 31)", "19 31"), 11, "no place"),
        (("(19 31)", ""), 11, "no place"),
        (("0.000 lc", "0.000 xx"), 11, "no event"),
        (("0.000 lc", "zero lc"), 11, "no event"),
        (("0.000 lc 2 2 (19 31)", "Board:"), 11, "another game begins here"),
        (("0.000 lc 2 2 (19 31)", "RawVF_Version: Rev5"), 11, "another game begins here"),
        (("0.000 lc", "1.200 lc"), 12, "the time runs backwards, from 1.2 to 1.1 s"),
        (("Mines: 2", "Level: Marathon"), 5, "a marathon is several games"),
        (("0.000 lc 2 2 (19 31)", "reset 2 2"), 11, "no event"),
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


def test_a_time_beyond_all_clocks_is_refused():
    text = f"Board:\n00*\n000\nEvents:\n{'9' * 310}.0 lc 1 1 (5 5)\n"
    with pytest.raises(BoardFormatError, match=r"line 5: .*is no number of seconds up to 1e\+09"):
        from_rawvf(text)


def test_clicks_that_go_back_in_time_are_not_written():
    board = Board.from_layout(1, 4, [(0, 1)])
    with pytest.raises(BoardFormatError, match="a click at 3 s comes after one at 5 s"):
        to_rawvf(board, [(0, 3, "l", 5), (0, 2, "l", 3)])


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_lines_of_files_may_end_in_any_way(tmp_path, end):
    board = Board.from_layout(1, 4, [(0, 1)])
    for name, text in (("a.rawvf", to_rawvf(board, [(0, 3)])), ("a.mine", to_mine(board.open(0, 3)))):
        path = tmp_path / name
        path.write_bytes(text.replace("\n", end).encode())
        assert read_board_file(path).grid == ("##10",)
