"""Boards as mine graphs and as instances."""

import naive
import networkx as nx
import numpy as np
import pytest
from boards import FIGURE_9, FIGURE_10
from ways import METHODS

from mines_dd import Board, GraphFormatError, MinesError, mine_graph, solve
from mines_dd.constraints.graph import Instance


def naive_instance(board: Board) -> tuple[list, dict]:
    """The cells next to a hint, and for each hint its closed neighbours and its count less the known mines."""
    hints = {}
    for position, count in board.hints().items():
        around = board.neighbours(position)
        closed = [p for p in around if board[p] in "#F"]
        hints[position] = closed, count - sum(board[p] == "*" for p in around)
    cells = sorted({p for closed, _ in hints.values() for p in closed})
    return cells, hints


def test_an_instance_is_what_the_definition_says():
    for seed in range(80):
        board = naive.random_board(seed)
        instance = Instance.from_board(board)
        cells, hints = naive_instance(board)
        assert list(instance.cells) == cells
        assert list(instance.hints) == sorted(hints)
        for hint, row, allowed in zip(instance.hints, instance.members, instance.allowed, strict=True):
            closed, count = hints[hint]
            assert [instance.cells[i] for i in row] == sorted(closed)
            assert allowed == [count]


def test_graphs_and_instances_turn_into_each_other():
    for seed in range(60):
        instance = naive.random_instance(seed) if seed % 2 else Instance.from_board(naive.random_board(seed))
        graph = instance.to_graph()
        again = Instance.from_graph(graph)
        assert (list(again.cells), list(again.hints)) == (list(instance.cells), list(instance.hints))
        assert (again.members, again.allowed) == (instance.members, instance.allowed)
        start, hint = instance.cell_rows
        for i, cell in enumerate(instance.cells):
            assert {instance.hints[j] for j in hint[start[i] : start[i + 1]]} == set(graph[cell])


def test_the_mine_graph_carries_equation_1():
    graph = mine_graph(Board.parse("#1#\n#2*"))
    assert nx.is_bipartite(graph)
    assert graph.nodes[0, 0] == {"bipartite": 0, "dc": {0, 2}}
    assert graph.nodes[0, 1] == {"bipartite": 1, "dc": {0}}
    assert graph.nodes[1, 1] == {"bipartite": 1, "dc": {1}}
    assert set(graph[1, 1]) == {(0, 0), (0, 2), (1, 0)}


def test_ones_own_hints_become_a_graph():
    graph = mine_graph({"h": ("abc", 1), ("i", 2): ({"b", "c", "d"}, {0, 2})})
    assert graph.nodes["b"] == {"bipartite": 0, "dc": {0, 2}}
    assert graph.nodes["i", 2] == {"bipartite": 1, "dc": {0, 2}}
    for method in METHODS:
        assert set(solve(graph, method=method)) == naive.assignments(Instance.from_graph(graph))


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        ({"h": ("aba", 1)}, "hint 'h' has 'a' twice"),
        ({"h": ("ab", 1), "a": ("b", 1)}, "'h' counts 'a', which is a hint itself"),
        ({"h": ("ab", 1.5)}, "allowed degrees are integers"),
        ({"h": 3}, r"'h' is 3; write \(cells, number of mines\)"),
    ],
)
def test_malformed_hints_are_refused_by_name(hints, message):
    with pytest.raises(GraphFormatError, match=message):
        mine_graph(hints)


def test_what_is_no_board_and_no_hints_is_refused():
    with pytest.raises(MinesError, match="a Board, or a dict of hints"):
        mine_graph([1, 2])


def test_sides_and_degrees_of_cells_are_inferred():
    graph = Instance.build("abc", "hi", [[0, 1], [1, 2]], [[1], [0, 2]]).to_graph()
    expected = Instance.from_graph(graph)
    for cell in "abc":
        del graph.nodes[cell]["dc"]
    for vertex in "abchi":
        del graph.nodes[vertex]["bipartite"]
    again = Instance.from_graph(graph)
    assert (again.cells, again.members, again.allowed) == (expected.cells, expected.members, expected.allowed)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: g.nodes["h"].update(bipartite=2), "bipartite=2"),
        (lambda g: g.nodes["h"].pop("dc"), "no attribute dc"),
        (lambda g: g.nodes["h"].update(dc={"one"}), "allowed degrees are integers"),
        (lambda g: g.nodes["a"].update(dc={0, 5}), "write {0, 1}"),
        (
            lambda g: g.add_edge("a", "b") or g.nodes["a"].update(dc={0, 2}) or g.nodes["b"].update(dc={0, 2}),
            "two cells",
        ),
        (lambda g: g.add_node("i", bipartite=1, dc={1}) or g.add_edge("h", "i"), "two hints"),
        (lambda g: g.add_node("c", bipartite=0, dc={0}), "touches no hint"),
    ],
)
def test_malformed_graphs_are_refused_by_name(change, message):
    graph = Instance.build("ab", "h", [[0, 1]], [[1]]).to_graph()
    change(graph)
    with pytest.raises(GraphFormatError, match=message):
        solve(graph)


def test_directed_and_multigraphs_are_refused():
    graph = Instance.build("ab", "h", [[0, 1]], [[1]]).to_graph()
    for kind in (nx.DiGraph, nx.MultiGraph):
        with pytest.raises(GraphFormatError, match="undirected"):
            solve(kind(graph))


def test_a_single_number_will_do_for_a_constraint():
    graph = Instance.build("ab", "h", [[0, 1]], [[1]]).to_graph()
    graph.nodes["h"]["dc"] = 1
    assert solve(graph).count() == 2


def test_the_mine_graphs_of_the_published_boards_have_their_edges():
    assert mine_graph(FIGURE_10).number_of_edges() == 20
    assert mine_graph(FIGURE_9).number_of_edges() == 11


def test_the_degrees_of_a_cell_may_be_an_array():
    graph = nx.Graph([("a", "h"), ("b", "h")])
    graph.nodes["h"]["dc"] = np.array([1])
    graph.nodes["a"].update(bipartite=0, dc=np.array([0, 1]))
    assert solve(graph).count() == 2
    graph.nodes["a"]["dc"] = np.array([0, 2])
    with pytest.raises(GraphFormatError, match=r"cell 'a' has dc=\[0, 2\]; .* write \{0, 1\}"):
        solve(graph)
