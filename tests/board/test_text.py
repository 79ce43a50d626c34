"""Boards as text and JSON: what people type is read, and what is malformed is refused with its place."""

import json

import pytest
from boards import SEEDS, positions
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd.base.errors import BoardFormatError
from mines_dd.board.board import Board


@pytest.mark.parametrize(
    "text",
    [
        "#1#\n2F*\n",
        "#1#\n2F*",
        "# 1 #\n2 F *\n",
        "#\t1\t#\n2\tF\t*\n",
        "#1#\r\n2F*\r\n",
        "\ufeff#1#\n2F*\n",
        "#1#   \n2F* \n\n  \n",
        "\n\n#1#\n2F*\n",
        "    #1#\n    2F*\n",
        '{"board": ["#1#", "2F*"]}',
        ' {"board": ["#1#", "2F*"], "mines": null}\n',
        '{"board": ["# 1 #", "2 F *"]}',
    ],
)
def test_a_board_is_read_from_what_people_type(text):
    assert Board.parse(text).grid == ("#1#", "2F*")


@pytest.mark.parametrize(
    "text", ["mines: 2\n#1#", "mines:2\n#1#", "\nMines :  2 \n\n#1#", '{"board":["#1#"],"mines":2}']
)
def test_the_total_number_of_mines_stands_before_the_grid(text):
    assert Board.parse(text) == Board(("#1#",), mines=2)


@given(positions(total=lambda least, most: st.none() | st.integers(least, most)))
def test_a_board_survives_its_text_and_json_forms(board):
    assert Board.parse(board.to_text()) == board
    assert Board.parse(board.to_text(spaces=True)) == board
    assert Board.parse(str(board)) == board
    assert Board.parse(board.to_json()) == board


@given(st.integers(1, 9), st.integers(1, 9), st.floats(0, 1), st.floats(0, 1), SEEDS)
def test_a_board_with_a_layout_survives_json(rows, cols, mines, hints, seed):
    board = Board.random(rows, cols, mines, hints, seed)
    assert Board.parse(board.to_text()) == board  # what the player sees
    again = Board.parse(board.to_json())
    assert (again.grid, again.mines, again.layout) == (board.grid, board.mines, board.layout)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, None, "empty"),
        ("\n \n", 1, None, "empty"),
        ("mines: 3\n", 1, None, "empty"),
        ("#1#\n#.#", 2, 2, "write # for a closed cell and 0 for an open empty"),
        ("#1#\n# #", 2, None, "blank"),
        ("#1#\n###\n##", 3, 3, "2 cells"),
        ("#1#\n####", 2, None, "4 cells"),
        ("#1#\n\n#1#", 2, None, "empty"),
        ("#1 1#\n#2 2#", 1, 3, "a blank is no cell: write #"),
        ("# 1   1 #\n# 1   1 #", 1, 5, "a blank is no cell: write #"),
        ("# 11\n# 11", 1, 4, "equally far apart"),
        (" 1#\n#1 ", 2, 1, "a blank is no cell"),
        ("#1 \n 1#", 2, 1, "a blank is no cell"),
        ("#1#\v#1#", 1, 4, "x0b"),
        ("mines: 4\n#1#", 1, None, "mines: 4 is impossible"),
        ("mines: 1\n**#", 1, None, "2 known mines"),
        ("#1#\n#9#", 2, 2, "0 to 8"),
        ("#1#\n#x#", 2, 2, "'x'"),
        ("#1#\n#f#", 2, 2, "'f'"),
        ("#1#\n#１#", 2, 2, "'１'"),
        ("#1#\nmines: 3", 2, 1, "before the grid"),
        ("mines=3\n#1#", 1, 1, "a line such as mines: 99, before the grid"),
        ("#1#\n\n#1#", 2, None, "leave it out, or write 0"),
        ("#1#,###", 1, 4, "found ','; a row ends with / or a new line"),
        ("#1#|###", 1, 4, "a row ends with"),
        ("#1# ###", 1, 4, "a blank is no cell; a row ends with / or"),
        ("width: 3\n#1#", 1, 1, "unknown key 'width'.*mines"),
        ("mines: 1\nmines: 1\n#1#", 2, 1, "twice"),
        ("mines: x\n#1#", 1, 7, "'x'"),
        ("mines: -1\n#1#", 1, 7, "'-1'"),
        ("mines: 1.5\n#1#", 1, 7, "'1.5'"),
        ("mines:\n#1#", 1, 7, "number"),
        ("mines: " + "9" * 5000 + "\n#1#", 1, 7, "number"),
        ("\x00", 1, 1, "x00"),
    ],
)
def test_a_malformed_board_is_refused_with_the_place(text, line, column, words):
    with pytest.raises(BoardFormatError, match=words) as caught:
        Board.parse(text)
    assert caught.value.line == line
    assert column is None or caught.value.column == column
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "line 1, character 2"),
        ('{"board": ["#1#"]', "JSON"),
        ("[1]", "board"),
        ("{}", "board"),
        ('{"board": []}', "rows"),
        ('{"board": "#1#"}', "rows"),
        ('{"board": [""]}', "rows"),
        ('{"board": [1]}', "rows"),
        ('{"board": ["#1#", "#1"]}', "line 2"),
        ('{"board": ["#1#", "#.#"]}', "line 2, character 2"),
        ('{"board": ["#1#\\n#1#"]}', "line 1"),
        ('{"board": ["#1#"], "size": 3}', "'size'"),
        ('{"board": ["#1#"], "mines": "2"}', "mines"),
        ('{"board": ["#1#"], "mines": 2.0}', "mines"),
        ('{"board": ["#1#"], "mines": true}', "mines"),
        ('{"board": ["#1#"], "mines": 3}', "mines: 3 is impossible"),
        ('{"board": ["#1#"], "mines": -1}', "mines: -1 is impossible"),
        ('{"board": ["#1#"], "mines": %s}' % ("9" * 5000), "JSON"),
        ('{"board": ["#1#"], "layout": 3}', "layout"),
        ('{"board": ["###"], "layout": [[0, 0]], "mines": 2}', "2, but .* has 1"),
        ('{"board": ["#1#"], "layout": []}', "1 at row 0, column 1, where .* makes it 0"),
        ('{"board": ["#1#"], "layout": [[0, 1]]}', r"makes it \*"),
        ('{"board": ["*1#"], "layout": [[0, 2]]}', r"\* at row 0, column 0, where .* makes it 0"),
        ('{"board": ["#1#"], "layout": [3]}', "layout"),
        ('{"board": ["#1#"], "layout": [[0, 0, 0]]}', "layout"),
        ('{"board": ["#1#"], "layout": [[0, 3]]}', "outside"),
        ('{"board": %s' % ("[" * 100_000), "JSON"),
        ('{"board": ["#1#"], "mines": 1, "mines": 2}', "the key 'mines' is there twice; write each once"),
    ],
)
def test_a_malformed_json_board_is_refused(text, words):
    with pytest.raises(BoardFormatError, match=words):
        Board.parse(text)


def test_what_is_no_json_is_refused_with_the_place():
    with pytest.raises(BoardFormatError, match="line 2, character 11") as caught:
        Board.parse('{"board": ["#1#"],\n "mines": }')
    assert (caught.value.line, caught.value.column) == (2, 11)


def test_json_without_end_is_refused():
    with pytest.raises(BoardFormatError, match="nested too deeply for a board"):
        Board.parse("[" * 100_000)


def test_a_board_cannot_have_more_mines_than_places_for_them():
    assert Board.parse("mines: 3\n#1F*").mines == 3
    with pytest.raises(BoardFormatError, match="mines: 4 is impossible"):
        Board.parse("mines: 4\n#1F*")


@settings(max_examples=100)
@given(
    st.text()
    | st.text('#F*01289. \n\r\t:mines{}[]"board,', max_size=40)
    | st.text("#1 \n", max_size=20)
    | st.builds("mines:{}\n{}".format, st.text(max_size=4), st.text("#1\n", max_size=9))
)
def test_any_text_is_a_board_or_a_format_error(text):
    try:
        board = Board.parse(text)
    except BoardFormatError:
        return
    assert Board.parse(board.to_text()) == board


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text("#F*0189", max_size=3),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["board", "mines", "layout", "size"]), json_values))
def test_any_json_object_is_a_board_or_a_format_error(value):
    try:
        board = Board.parse(json.dumps(value))
    except BoardFormatError:
        return
    assert list(board.grid) == [row.strip() for row in value["board"]]


def test_a_number_with_more_digits_than_python_reads_is_refused_in_words_about_the_board():
    with pytest.raises(BoardFormatError, match="this JSON has a number of far too many digits"):
        Board.parse('{"board": ["#1#"], "mines": ' + "1" * 5000 + "}")


@pytest.mark.parametrize("text", ["10\n#########\n#########", "99\n###", "10 mines\n###", "mines 10\n###"])
def test_a_total_without_its_key_is_told_how_it_is_written(text):
    with pytest.raises(BoardFormatError, match="a line such as mines: 99, before the grid, gives the total"):
        Board.parse(text)
