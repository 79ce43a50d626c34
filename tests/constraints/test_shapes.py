"""Boards of other shapes: their neighbours, and their assignments against brute force."""

import naive
import networkx as nx
import numpy as np
import pytest
from ways import METHODS

from mines_dd import Board, MinesError, mine_graph, solve
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.shapes import box, hexagons, mine_graph_on, random_hints, torus


def test_a_flat_box_is_an_ordinary_board():
    for seed in range(20):
        board = Board.random(5, 4, 0.2, 0.3, seed)
        graph = mine_graph_on(
            box(5, 4), {p: k - sum(board[q] == "*" for q in board.neighbours(p)) for p, k in board.hints().items()}
        )
        expected = mine_graph(board)
        assert {v: d["dc"] for v, d in graph.nodes(data=True)} == {v: d["dc"] for v, d in expected.nodes(data=True)}


@pytest.mark.parametrize(
    ("shape", "degree"), [(torus(5, 4), 8), (torus(3, 3, 3), 26), (hexagons(4, 5, wraps=True), 6), (torus(7), 2)]
)
def test_shapes_without_a_border_are_regular(shape, degree):
    assert {d for _, d in shape.degree} == {degree}


def test_hexagons_meet_as_on_a_honeycomb():
    """Two neighbours share exactly two neighbours inside, and the graph is planar."""
    shape = hexagons(7, 7)
    assert nx.check_planarity(shape)[0]
    inner = shape.subgraph([(r, c) for r in range(1, 6) for c in range(1, 6)])
    assert {len(set(shape[u]) & set(shape[v])) for u, v in inner.edges} == {2}


@pytest.mark.parametrize(
    "shape", [torus(4, 4), hexagons(4, 4), hexagons(4, 4, wraps=True), box(3, 3, 2), box(9), torus(2, 2)]
)
def test_every_method_solves_boards_of_every_shape(shape):
    cells = shape.number_of_nodes()
    for seed in range(4):
        graph = mine_graph_on(shape, random_hints(shape, cells // 4, cells // 3, seed))
        expected = naive.assignments(Instance.from_graph(graph))
        assert expected
        for method in METHODS:
            assert set(solve(graph, method=method)) == expected


def test_hints_that_touch_each_other_do_not_count_each_other():
    graph = mine_graph_on(nx.path_graph(4), {1: 1, 2: 0})
    assert list(solve(graph)) == [frozenset({0})]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: box(), "no cell"),
        (lambda: torus(3, 0), "3 x 0 has no cell"),
        (lambda: hexagons(3, 4, wraps=True), "even number of rows"),
        (lambda: mine_graph_on(box(2, 2), {(5, 5): 1}), r"\(5, 5\) is no cell"),
        (lambda: random_hints(box(2, 2), 3, 2, 1), "3 mines and 2 hints do not fit on 4 cells"),
    ],
)
def test_impossible_shapes_are_refused(make, message):
    with pytest.raises(MinesError, match=message):
        make()


@pytest.mark.parametrize("shape", [box, torus, hexagons])
def test_sides_may_come_from_numpy(shape):
    assert nx.utils.graphs_equal(shape(np.uint8(3), np.uint8(4)), shape(3, 4))
    with pytest.raises(MinesError, match=r"a board with 4\.29e\+09 cells is too large"):
        shape(np.int32(2**16), np.int32(2**16))
