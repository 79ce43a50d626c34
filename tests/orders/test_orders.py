"""Orders and what they cost."""

import random

import naive
import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.approximation import treewidth_min_fill_in

from mines_dd.base.errors import GraphFormatError
from mines_dd.board.board import Board
from mines_dd.constraints.graph import Instance
from mines_dd.order import (
    cell_order,
    edge_order,
    elimination_cost,
    elimination_order,
    elimination_steps,
    linear_cost,
)

LINEAR = ["row", "column", "greedy", "tree", "auto"]
ELIMINATION = ["min-fill", "min-degree", "auto"]
INSTANCES = [naive.random_instance(seed) for seed in range(40)]
INSTANCES += [Instance.from_board(naive.random_board(seed)) for seed in range(20)]
BOARD = Instance.from_board(Board.random(20, 20, 0.3, 0.3, 1))


def pairs(edges, n) -> Instance:
    """An instance whose hint graph has these edges: one cell for each."""
    return Instance.build(
        range(len(edges)), range(n), [[i for i, e in enumerate(edges) if h in e] for h in range(n)], [[1]] * n
    )


def hint_graph(instance: Instance) -> nx.Graph:
    graph = nx.empty_graph(len(instance.hints))
    for row, h in zip(instance.members, range(len(instance.hints)), strict=True):
        for other in range(h):
            if set(row) & set(instance.members[other]):
                graph.add_edge(h, other)
    return graph


def naive_width(graph: nx.Graph, order) -> int:
    graph, width = graph.copy(), 0
    for v in order:
        around = list(graph[v])
        width = max(width, len(around))
        graph.add_edges_from((a, b) for a in around for b in around if a != b)
        graph.remove_node(v)
    return width


@pytest.mark.parametrize("order", LINEAR)
def test_linear_orders_hold_every_cell_once(order):
    for instance in [*INSTANCES, BOARD]:
        cells = cell_order(instance, order)
        assert sorted(cells.tolist()) == list(range(len(instance.cells)))
        assert cell_order(instance, order).tolist() == cells.tolist()


@pytest.mark.parametrize("order", ELIMINATION)
def test_eliminations_hold_every_hint_once(order):
    for instance in [*INSTANCES, BOARD]:
        hints = elimination_order(instance, order)
        assert sorted(hints.tolist()) == list(range(len(instance.hints)))
        steps = elimination_steps(instance, hints)
        assert int(np.diff(steps.start).max(initial=0)) == naive_width(hint_graph(instance), hints.tolist())


def test_row_and_column_orders_follow_the_positions():
    cells = [BOARD.cells[i] for i in cell_order(BOARD, "row")]
    assert cells == sorted(cells)
    cells = [BOARD.cells[i] for i in cell_order(BOARD, "column")]
    assert cells == sorted(cells, key=lambda p: (p[1], p[0]))


def test_greedy_orders_go_component_by_component():
    instance = Instance.from_board(Board.random(30, 30, 0.2, 0.1, 1))
    graph = instance.to_graph()
    component = {v: i for i, part in enumerate(nx.connected_components(graph)) for v in part}
    runs = [component[instance.cells[i]] for i in cell_order(instance, "greedy")]
    changes = sum(a != b for a, b in zip(runs, runs[1:], strict=False))
    assert changes == len(set(runs)) - 1


def test_closing_hints_beats_row_by_row():
    row, greedy, auto = (linear_cost(BOARD, cell_order(BOARD, o)).log2_bound for o in ("row", "greedy", "auto"))
    assert auto <= greedy < row - 5


@pytest.mark.parametrize(
    ("graph", "width"),
    [
        (nx.path_graph(20), 1),
        (nx.balanced_tree(2, 5), 1),
        (nx.cycle_graph(12), 2),
        (nx.complete_graph(7), 6),
        (nx.convert_node_labels_to_integers(nx.grid_2d_graph(5, 5)), 5),
    ],
)
def test_the_width_of_known_graphs(graph, width):
    instance = pairs([set(e) for e in graph.edges], graph.number_of_nodes())
    assert elimination_cost(instance, elimination_order(instance)).width == width


def test_min_fill_is_as_good_as_that_of_networkx():
    ours = theirs = 0
    for seed in range(12):
        graph = nx.gnp_random_graph(40, 0.12, seed=seed)
        instance = pairs([set(e) for e in graph.edges], 40)
        ours += elimination_cost(instance, elimination_order(instance, "min-fill")).width
        theirs += treewidth_min_fill_in(graph)[0]
    assert ours <= theirs + 4


def test_the_bound_on_states_is_one():
    """Count the distinct partial sums of the open hints that can still come out right, after each cell."""
    for instance in INSTANCES:
        rng = random.Random(1)
        cells = rng.sample(range(len(instance.cells)), len(instance.cells))
        members = [set(row) for row in instance.members]
        solutions = [{instance.cells.index(c) for c in s} for s in naive.assignments(instance)]
        total = 0
        for k in range(len(cells) + 1):
            before = set(cells[:k])
            open_hints = [row for row in members if row & before and row - before]
            total += len({tuple(len(s & row & before) for row in open_hints) for s in solutions})
        if solutions:
            assert total <= 2 ** linear_cost(instance, cells).log2_bound + 1e-6


def test_edge_orders_keep_a_cells_edges_together():
    cells = cell_order(BOARD)
    edges = edge_order(BOARD, cells)
    assert len(edges) == len(BOARD.member)
    assert len({tuple(e) for e in edges.tolist()}) == len(edges)
    assert list(dict.fromkeys(edges[:, 0].tolist())) == cells.tolist()
    assert np.count_nonzero(np.diff(edges[:, 0])) == len(cells) - 1


def test_given_orders_are_checked():
    instance = Instance.build("abc", "xy", [[0, 1], [1, 2]], [[1], [1]])
    assert cell_order(instance, ["c", "a", "b"]).tolist() == [2, 0, 1]
    assert elimination_order(instance, ["y", "x"]).tolist() == [1, 0]
    for wrong, message in [
        (["c", "a"], "lacks the cell 'b'"),
        (["c", "a", "a"], "twice"),
        (["c", "a", "d"], "'d', which is not a cell"),
    ]:
        with pytest.raises(GraphFormatError, match=message):
            cell_order(instance, wrong)
    with pytest.raises(GraphFormatError, match="no order 'best'"):
        cell_order(instance, "best")
    with pytest.raises(GraphFormatError, match="no order 'best'"):
        elimination_order(instance, "best")


def test_interpreted_and_compiled_orders_are_the_same(monkeypatch):
    small = Instance.from_board(Board.random(8, 8, 0.2, 0.3, 1))
    before = [cell_order(small, o).tolist() for o in LINEAR] + [
        elimination_order(small, o).tolist() for o in ELIMINATION
    ]
    monkeypatch.setenv("MINES_DD_JIT", "always")
    after = [cell_order(small, o).tolist() for o in LINEAR] + [
        elimination_order(small, o).tolist() for o in ELIMINATION
    ]
    assert before == after
