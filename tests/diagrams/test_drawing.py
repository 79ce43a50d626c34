"""Drawings: every node and arc of a diagram or a circuit is there, a rank below the other."""

from boards import FIGURE_10
from ways import every_method

from mines_dd import mine_graph, solve


@every_method
def test_a_drawing_has_every_node_and_arc(method):
    family = solve(FIGURE_10, method, simplify=False)
    drawing = (family.circuit if family.diagram is None else family.diagram).drawing()
    if family.diagram is not None:
        assert sum(node.shape == "oval" for node in drawing.nodes.values()) == family.node_count
        assert len(drawing.arcs) == 2 * family.node_count
    assert all(drawing.nodes[a].rank < drawing.nodes[b].rank for a, b, _ in drawing.arcs)


def test_of_a_large_group_the_first_cells_are_named():
    drawn = solve(mine_graph({"h": (range(3000), 2)})).circuit.drawing()
    [label] = [node.label for node in drawn.nodes.values() if node.shape == "box"]
    assert label == f"2 of {' '.join(map(str, range(20)))} and 2,980 more"
