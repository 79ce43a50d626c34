"""Boards and analyses in notebooks: tables of cells, shaded and escaped."""

from html.parser import HTMLParser

from boards import FIGURE_10

from mines_dd import Board, analyse
from mines_dd.board.html import board_html


def cells(text: str) -> list[str]:
    """What stands in the cells of an HTML table; refuses anything but styles inline."""
    found: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            assert tag in ("div", "table", "tr", "td", "sup", "span")
            assert {name for name, _ in attrs} <= {"style", "title"}
            if tag == "td":
                found.append("")

        def handle_data(self, data):
            if found and not data.isspace():
                found[-1] += data

        def handle_endtag(self, tag):
            if tag == "table":
                self.handle_data = lambda data: None

    Reader().feed(text)
    return found


def test_a_board_is_a_table_of_its_cells():
    text = Board.parse("mines: 2/#1F/*20")._repr_html_()
    assert cells(text) == ["", "1", "⚑", "✱", "2", ""]
    assert "2 mines" in text


def test_an_analysis_is_shaded_in_percent_with_a_legend():
    board = Board.parse("mines: 2/1###/1F##")
    found = analyse(board)
    text = found._repr_html_()
    assert len(cells(text)) == 8
    assert cells(text)[1] == "50"
    assert cells(text)[5] == "50⚑"
    assert "row 0, column 1: 1/2" in text
    assert "layouts of 2 mines" in text
    assert "chance of a mine" in text
    assert text.count("outline") == 2  # one frame: the best cell


def test_certain_cells_have_signs_of_their_own():
    text = analyse(Board.parse("#10/110"))._repr_html_()
    assert cells(text)[0] == "✱"
    assert "✓" in cells(analyse(Board.parse("#0/00"))._repr_html_())


def test_a_huge_board_is_one_line():
    assert len(Board.random(80, 80, 0.2, 0.2, 1)._repr_html_()) < 200


def test_captions_are_escaped():
    assert "<script>" not in board_html(FIGURE_10.grid, caption="<script>")
