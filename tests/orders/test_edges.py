"""Orders of edges."""

import networkx as nx
import numpy as np

from mines_dd.board.board import Board
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order
from mines_dd.orders.edges import PASSED, edge_order, graph_edge_order

BOARD = Instance.from_board(Board.random(20, 20, 0.3, 0.3, 1))


def test_edge_orders_keep_a_cells_edges_together():
    cells = cell_order(BOARD)
    edges = edge_order(BOARD, cells)
    assert len(edges) == len(BOARD.member)
    assert len({tuple(e) for e in edges.tolist()}) == len(edges)
    assert list(dict.fromkeys(edges[:, 0].tolist())) == cells.tolist()
    assert np.count_nonzero(np.diff(edges[:, 0])) == len(cells) - 1


def test_auto_goes_row_by_row_where_passed_vertices_weigh_more_and_else_from_corner_to_corner():
    grid = nx.grid_2d_graph(7, 7)
    assert graph_edge_order(grid, "auto", PASSED) == graph_edge_order(grid, "rows")
    assert graph_edge_order(grid) == graph_edge_order(grid, "breadth-first")
