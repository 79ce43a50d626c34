"""Drawings as SVG: every node and arc is there, nothing overlaps, large ones are refused."""

import re
from itertools import pairwise
from operator import mul
from xml.etree import ElementTree

import networkx as nx
import pytest
from boards import FIGURE_10
from hypothesis import given, settings
from hypothesis import strategies as st
from ways import every_method

from mines_dd import Board, solve
from mines_dd.base.errors import MinesError
from mines_dd.diagrams.circuit import Circuit
from mines_dd.diagrams.diagram import Diagram
from mines_dd.diagrams.svg import LARGEST
from mines_dd.frontier import Knapsack, Matchings, Paths, build

SVG = "{http://www.w3.org/2000/svg}"


def boxes(picture):
    """The nodes of a picture: left, top, width, height, text."""
    found = []
    for rect, text in pairwise(picture.iter()):
        if rect.tag == f"{SVG}rect" and text.tag == f"{SVG}text":
            found.append((*(float(rect.attrib[name]) for name in ("x", "y", "width", "height")), text.text))
    return found


@every_method
def test_a_drawing_has_every_node_and_arc(method):
    family = solve(FIGURE_10, method, simplify=False)
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
    assert ("stroke-dasharray" in text) == (family.diagram is not None)


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


def points(path):
    """The ends, and places in between, of the parts of a path: `M x y V y C x y x y x y V y`."""
    numbers = [list(map(float, part.split())) for part in re.split("[MVC]", path)[1:]]
    (x, top), (start,), curve, (bottom,) = numbers
    (a, p), (b, q), (c, end) = zip(curve[::2], curve[1::2], strict=True)
    yield from [(x, top), (x, start), (c, end), (c, bottom)]
    for i in range(1, 40):
        t = i / 40
        weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
        yield tuple(sum(map(mul, weights, values)) for values in ((x, a, b, c), (start, p, q, end)))


@given(st.lists(st.text("ab", min_size=1, max_size=40), min_size=9, max_size=9, unique=True), st.booleans())
@settings(max_examples=25)
def test_no_arc_passes_behind_a_node(names, is_matching):
    graph = nx.relabel_nodes(nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 3)), dict(enumerate(names)))
    spec = Matchings(graph) if is_matching else Paths(graph, names[0], names[-1])
    picture = ElementTree.fromstring(build(spec).to_svg())
    picture.remove(picture[-1])  # the legend
    nodes = [(x + w / 2, y + h / 2, w / 2 - 1, h / 2 - 1) for x, y, w, h, _ in boxes(picture)]
    for arc in picture.iter(f"{SVG}path"):
        places = list(points(arc.attrib["d"]))
        ends = {places[0], places[3]}
        for x, y, half_width, half_height in nodes:
            if not any(abs(x - a) < 0.2 and abs(y - b) < 0.2 for a, b in ends):
                assert not any(abs(x - a) < half_width and abs(y - b) < half_height for a, b in places)


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
    assert solve(FIGURE_10, "zdd").diagram._repr_svg_().startswith("<svg")
