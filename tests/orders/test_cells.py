"""Linear orders of cells."""

import naive
import networkx as nx
import pytest

from mines_dd.base.errors import GraphFormatError
from mines_dd.board.board import Board
from mines_dd.constraints.graph import Instance, mine_graph
from mines_dd.orders.cells import cell_order
from mines_dd.orders.cost import linear_cost

LINEAR = ["row", "column", "greedy", "tree", "auto"]
INSTANCES = [naive.random_instance(seed) for seed in range(40)]
INSTANCES += [Instance.from_board(naive.random_board(seed)) for seed in range(20)]
BOARD = Instance.from_board(Board.random(20, 20, 0.3, 0.3, 1))


@pytest.mark.parametrize("order", LINEAR)
def test_linear_orders_hold_every_cell_once(order):
    for instance in [*INSTANCES, BOARD]:
        cells = cell_order(instance, order)
        assert sorted(cells.tolist()) == list(range(len(instance.cells)))
        assert cell_order(instance, order).tolist() == cells.tolist()


def test_row_and_column_orders_follow_the_positions():
    cells = [BOARD.cells[i] for i in cell_order(BOARD, "row")]
    assert cells == sorted(cells)
    cells = [BOARD.cells[i] for i in cell_order(BOARD, "column")]
    assert cells == sorted(cells, key=lambda p: (p[1], p[0]))
    far = [(2**70, 0), (-(2**70), 1)]  # of a graph of one's own
    wide = Instance.of(mine_graph({"hint": (far, 1)}))
    assert [[wide.cells[i] for i in cell_order(wide, order)] for order in ("row", "column")] == [far[::-1], far]


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


def test_given_orders_are_checked():
    instance = Instance.build("abc", "xy", [[0, 1], [1, 2]], [[1], [1]])
    assert cell_order(instance, ["c", "a", "b"]).tolist() == [2, 0, 1]
    for wrong, message in [
        (["c", "a"], "lacks the cell 'b'"),
        (["c", "a", "a"], "the order has 'a' twice"),
        (["c", "a", "d"], "'d', which is not a cell"),
    ]:
        with pytest.raises(GraphFormatError, match=message):
            cell_order(instance, wrong)
    with pytest.raises(GraphFormatError, match=r"no order of cells .* 'best'; choose auto, row"):
        cell_order(instance, "best")


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_interpreted_and_compiled_orders_are_the_same(monkeypatch):
    small = Instance.from_board(Board.random(8, 8, 0.2, 0.3, 1))
    before = [cell_order(small, order).tolist() for order in LINEAR]
    monkeypatch.setenv("MINES_DD_JIT", "always")
    assert [cell_order(small, order).tolist() for order in LINEAR] == before
