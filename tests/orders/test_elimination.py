"""Orders of hints, and what each step of an elimination remembers."""

import naive
import networkx as nx
import numpy as np
import pytest

from mines_dd.board import Board
from mines_dd.errors import GraphFormatError
from mines_dd.graph import Instance
from mines_dd.orders.elimination import elimination_order, elimination_steps

ELIMINATION = ["min-fill", "min-degree", "auto"]
INSTANCES = [naive.random_instance(seed) for seed in range(40)]
INSTANCES += [Instance.from_board(naive.random_board(seed)) for seed in range(20)]
BOARD = Instance.from_board(Board.random(20, 20, 0.3, 0.3, 1))


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


@pytest.mark.parametrize("order", ELIMINATION)
def test_eliminations_hold_every_hint_once(order):
    for instance in [*INSTANCES, BOARD]:
        hints = elimination_order(instance, order)
        assert sorted(hints.tolist()) == list(range(len(instance.hints)))
        steps = elimination_steps(instance, hints)
        assert int(np.diff(steps.start).max(initial=0)) == naive_width(hint_graph(instance), hints.tolist())


def test_given_orders_are_checked():
    instance = Instance.build("abc", "xy", [[0, 1], [1, 2]], [[1], [1]])
    assert elimination_order(instance, ["y", "x"]).tolist() == [1, 0]
    with pytest.raises(GraphFormatError, match="no order 'best'"):
        elimination_order(instance, "best")


def test_interpreted_and_compiled_orders_are_the_same(monkeypatch):
    small = Instance.from_board(Board.random(8, 8, 0.2, 0.3, 1))
    before = [elimination_order(small, order).tolist() for order in ELIMINATION]
    monkeypatch.setenv("MINES_DD_JIT", "always")
    assert [elimination_order(small, order).tolist() for order in ELIMINATION] == before
