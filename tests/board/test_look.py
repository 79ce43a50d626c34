"""Boards, analyses and diagrams as they are shown: short texts, notebook displays, SVG, pictures."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd import Board, analyse, solve
from mines_dd.base.errors import MinesError
from mines_dd.board.html import board_html
from mines_dd.board.look import fill, ink, short_number
from mines_dd.board.picture import save_board
from mines_dd.diagrams.circuit import Circuit
from mines_dd.diagrams.diagram import Diagram
from mines_dd.diagrams.svg import LARGEST
from mines_dd.frontier import Knapsack, build

SQUARE = Board.parse("####/#22#/#22#/####")
SVG = "{http://www.w3.org/2000/svg}"


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


def boxes(picture):
    """The nodes of a picture: left, top, width, height, text."""
    found = []
    for rect, text in pairwise(picture.iter()):
        if rect.tag == f"{SVG}rect" and text.tag == f"{SVG}text":
            found.append((*(float(rect.attrib[name]) for name in ("x", "y", "width", "height")), text.text))
    return found


def test_short_texts_say_what_a_thing_is():
    family = solve(SQUARE, "zdd", simplify=False)
    assert repr(SQUARE) == "<Board: 4x4, 4 hints>"
    assert repr(family) == f"<Assignments: 12 cells, {family.node_count} nodes, method 'zdd'>"
    assert repr(family.diagram) == f"<Diagram: zdd, 12 items, {family.node_count} nodes>"
    assert re.fullmatch(r"<Circuit: 12 cells, \d+ nodes, \d+ terms>", repr(family.circuit))
    assert repr(analyse(SQUARE)) == "<Analysis: 66 assignments, 0 safe cells, 0 certain mines>"
    assert repr(analyse(SQUARE, 5)) == "<Analysis: 40 layouts of 5 mines, 0 safe cells, 0 certain mines>"


def test_numbers_too_long_to_read_are_shortened_however_long_they_are():
    assert short_number(10**29) == "1" + "0" * 29
    assert short_number(10**30) == "1.00000000e+30"
    assert short_number(3 * 10**20_000) == "3.00000000e+20000"  # Python's own limit is 4300 digits


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


def test_text_from_outside_is_escaped():
    assert "<script>" not in board_html(SQUARE.grid, caption="<script>")
    labels = nx.Graph([("<b>&", "hint")])
    nx.set_node_attributes(labels, {"<b>&": {0, 1}, "hint": {1}}, "dc")
    nx.set_node_attributes(labels, {"<b>&": 0, "hint": 1}, "bipartite")
    family = solve(labels, "dc")
    assert "<b>" not in family._repr_html_()
    ElementTree.fromstring(family.to_svg())


def test_a_huge_board_is_one_line():
    assert len(Board.random(80, 80, 0.2, 0.2, 1)._repr_html_()) < 200


@given(st.fractions(0, 1))
def test_text_stands_out_from_every_shade(share):
    def luminance(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    paper = fill("#", share)
    light, dark = sorted([luminance(paper), luminance(ink(paper))], reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5  # WCAG 2.1, level AA


@pytest.mark.parametrize("method", ["bdd", "zdd", "dc", "tree"])
def test_a_drawing_has_every_node_and_arc(method):
    family = solve(SQUARE, method, simplify=False)
    text = family.to_svg()
    drawing = (family.circuit if family.diagram is None else family.diagram).drawing()
    picture = ElementTree.fromstring(text)
    [legend] = picture.iterfind(f"{SVG}g[@class='legend']")
    explained = [element.text for element in legend.iter(f"{SVG}text") if "start" in element.attrib.values()]
    assert explained == [drawing.caption, *(meaning for _, meaning in drawing.legend)]
    picture.remove(legend)
    shown = sorted(element.text or "" for element in picture.iter(f"{SVG}text"))
    assert shown == sorted(node.label for node in drawing.nodes.values() if node.shape != "point")
    points = [node for node in drawing.nodes.values() if node.shape == "point"]
    assert len(list(picture.iter(f"{SVG}circle"))) == len(points)
    if family.diagram is not None:
        assert sum(node.shape == "oval" for node in drawing.nodes.values()) == family.node_count
        assert len(drawing.arcs) == 2 * family.node_count
        assert "stroke-dasharray" in text
    assert all(drawing.nodes[a].rank < drawing.nodes[b].rank for a, b, _ in drawing.arcs)


@given(
    st.integers(2, 4).flatmap(lambda c: st.lists(st.text("##12", min_size=c, max_size=c), min_size=2, max_size=4)),
    st.sampled_from(["dc", "tree"]),
)
@settings(max_examples=25)
def test_nodes_of_a_drawing_do_not_overlap_and_stay_inside(grid, method):
    picture = ElementTree.fromstring(solve(Board(tuple(grid)), method, simplify=False).to_svg())
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    nodes = [box for *box, _ in boxes(picture)]
    for i, (x, y, w, h) in enumerate(nodes):
        assert x >= 0
        assert x + w <= width
        assert y >= 0
        assert y + h <= height
        assert all(x + w <= a + 0.2 or a + c <= x + 0.2 for a, b, c, _ in nodes[:i] if b == y)


@pytest.mark.parametrize(
    ("label", "pixels"),
    [("8,1,2,3,4,5,6,7,0", 17 * 6.6), ("WWWWMMMM", 8 * 6.6), ("ポテトチップス（うすしお味）", 14 * 11), ("e\u0301", 6)],
)
def test_a_node_is_as_wide_as_its_text_in_a_monospaced_font(label, pixels):
    picture = ElementTree.fromstring(Diagram.build("zdd", [label], [1, 1, 0], [0, 1, 0], [0, 1, 1], 2).to_svg())
    assert picture.attrib["font-family"] == "monospace"
    [width] = [w for _, _, w, _, text in boxes(picture) if text == label]
    assert pixels < width < 1.3 * pixels + 20


def test_labels_of_ranks_stand_at_the_left_beside_their_nodes_without_touching_them():
    items = ["チョコレート", "a long label of many characters", "ガム"]
    picture = ElementTree.fromstring(build(Knapsack(dict.fromkeys(items, 1), 1)).to_svg())
    [group] = [g for g in picture.iter(f"{SVG}g") if g.attrib.get("text-anchor") == "end"]
    picture.remove(picture[-1])  # the legend
    assert [text.text for text in group] == items
    right = {float(text.attrib["x"]) for text in group}
    assert len(right) == 1
    assert max(right) > 6.6 * max(map(len, items))
    assert all(x > max(right) for x, *_ in boxes(picture))
    tops = sorted({y for _, y, *_ in boxes(picture)})
    assert [float(text.attrib["y"]) for text in group][:2] == [top + 15 for top in tops[:2]]  # none decides the third


def test_two_arcs_between_the_same_nodes_are_both_seen():
    free = Diagram.build("zdd", ["a"], [1, 1, 0], [0, 1, 1], [0, 1, 1], 2)
    solid, dashed = (
        {path.attrib["d"] for path in ElementTree.fromstring(free.to_svg()).iter(f"{SVG}path") if with_dashes(path)}
        for with_dashes in (lambda p: "stroke-dasharray" not in p.attrib, lambda p: "stroke-dasharray" in p.attrib)
    )
    assert len(solid) == len(dashed) == 1
    assert solid != dashed


def test_families_without_or_with_only_the_empty_set_are_drawn():
    assert ">0</text>" in solve(Board.parse("#3#"), "zdd").to_svg()
    assert ">0</text>" in Circuit.empty([(0, 0)]).to_svg()
    assert ">1</text>" in Diagram.build("zdd", [], [0, 0], [0, 1], [0, 1], 1).to_svg()


def test_a_large_drawing_is_refused_and_not_shown_unasked():
    n = LARGEST + 1
    chain = Diagram.build(
        "zdd", list(range(n)), [n, n, *range(n - 1, -1, -1)], [0, 1, *[0] * n], [0, 1, *range(1, n + 1)], n + 1
    )
    with pytest.raises(MinesError, match="Graphviz"):
        chain.to_svg()
    assert chain._repr_svg_() is None
    assert solve(SQUARE, "zdd").diagram._repr_svg_().startswith("<svg")


def graphviz(text):
    """What Graphviz makes of a text in DOT: the places of its nodes from the top, and its arcs."""
    done = subprocess.run(["dot", "-Tplain", "-y"], input=text, capture_output=True, text=True, timeout=60, check=True)
    assert not done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    return {w[1]: float(w[3]) for w in lines if w[0] == "node"}, [(w[1], w[2]) for w in lines if w[0] == "edge"]


@pytest.mark.skipif(not shutil.which("dot"), reason="needs Graphviz")
@pytest.mark.parametrize("method", ["bdd", "zdd", "dc", "tree", "top-down"])
def test_graphviz_draws_every_node_and_arc_one_rank_below_the_other(method):
    if method == "top-down":
        baskets = build(Knapsack({"a": 1, "b": 2, "c": 3, "d": 1}, 4))
        drawing, text = baskets.drawing(false_arcs=True), baskets.to_dot(false_arcs=True)
    else:
        family = solve(SQUARE, method, simplify=False)
        drawing = (family.circuit if family.diagram is None else family.diagram).drawing()
        text = family.to_dot()
    places, arcs = graphviz(text)
    assert {name for name in places if not name.startswith("level")} == set(drawing.nodes)
    assert sorted(arc for arc in arcs if not arc[0].startswith("level")) == sorted((a, b) for a, b, _ in drawing.arcs)
    assert all(places[a] < places[b] for a, b in arcs)
    rows = {node.rank: places[name] for name, node in drawing.nodes.items()}
    assert len({*places.values()}) == len(drawing.ranks) + 1 or not drawing.ranks
    assert all(places[f"level{rank}"] == rows.get(rank, places[f"level{rank}"]) for rank in range(len(drawing.ranks)))


@pytest.mark.skipif(not shutil.which("dot"), reason="needs Graphviz")
def test_graphviz_reads_labels_of_any_kind():
    labels = ['a "quoted" \\ name', "two\nlines", "連 <b>&amp;", "node", "\\N", ""]
    n = len(labels)
    chain = Diagram.build(
        "zdd", labels, [n, n, *range(n)[::-1]], [0, 1, 0, *range(2, n + 1)], [0, *[1] * (n + 1)], n + 1
    )
    assert len(graphviz(chain.to_dot())[0]) == n + 2


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_pictures_of_boards_are_saved_with_a_legend(kind, tmp_path):
    pytest.importorskip("matplotlib")
    found = analyse(Board.parse("mines: 3/1###/1F##"))
    save_board(tmp_path / f"board.{kind}", found.board.grid, found.exact, found.safest)
    assert (tmp_path / f"board.{kind}").stat().st_size > 1000


def test_a_picture_of_too_many_cells_is_refused(tmp_path):
    with pytest.raises(MinesError, match="too large"):
        save_board(tmp_path / "board.png", Board.random(101, 100, 10, 10, 1).grid, {})
