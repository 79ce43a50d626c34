"""Drawings in DOT, as Graphviz reads them."""

import shutil
import subprocess
from xml.etree import ElementTree

import pytest
from boards import FIGURE_10
from ways import METHODS

from mines_dd import solve
from mines_dd.diagrams.diagram import Diagram
from mines_dd.frontier import Knapsack, build


def graphviz(text):
    """What Graphviz makes of a text in DOT: the places of its nodes from the top, and its arcs."""
    done = subprocess.run(["dot", "-Tplain", "-y"], input=text, capture_output=True, text=True, timeout=60, check=True)
    assert not done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    return {w[1]: float(w[3]) for w in lines if w[0] == "node"}, [(w[1], w[2]) for w in lines if w[0] == "edge"]


@pytest.mark.skipif(not shutil.which("dot"), reason="needs Graphviz")
@pytest.mark.parametrize("method", [*METHODS, "top-down"])
def test_graphviz_draws_every_node_and_arc_one_rank_below_the_other(method):
    if method == "top-down":
        baskets = build(Knapsack({"a": 1, "b": 2, "c": 3, "d": 1}, 4))
        drawing, text = baskets.drawing(false_arcs=True), baskets.to_dot(false_arcs=True)
    else:
        family = solve(FIGURE_10, method, simplify=False)
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
def test_the_caption_and_the_legend_are_seen_in_the_picture():
    text = build(Knapsack({"a": 1, "b": 2}, 2)).to_dot(title='snacks "\\N" <b>')
    done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, timeout=60, check=True)
    shown = [element.text for element in ElementTree.fromstring(done.stdout).iter("{http://www.w3.org/2000/svg}text")]
    assert shown[0].startswith('snacks "\\N" <b>')
    assert [line.replace("\xa0", " ") for line in shown[1:6]] == [
        "(φ)  a node and its state",
        "———  1-arc: the item is in",
        "- - -  0-arc: it is not in",
        "[⊤ ZDD]  a solution, no further item is in",
        "[⊤ BDD]  solutions, further items are free",
    ]


@pytest.mark.skipif(not shutil.which("dot"), reason="needs Graphviz")
def test_graphviz_reads_labels_of_any_kind():
    labels = ['a "quoted" \\ name', "two\nlines", "連 <b>&amp;", "node", "\\N", ""]
    n = len(labels)
    chain = Diagram.build(
        "zdd", labels, [n, n, *range(n)[::-1]], [0, 1, 0, *range(2, n + 1)], [0, *[1] * (n + 1)], n + 1
    )
    assert len(graphviz(chain.to_dot())[0]) == n + 2
