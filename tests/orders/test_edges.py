"""Orders of edges."""

import numpy as np

from mines_dd.board.board import Board
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order
from mines_dd.orders.edges import edge_order

BOARD = Instance.from_board(Board.random(20, 20, 0.3, 0.3, 1))


def test_edge_orders_keep_a_cells_edges_together():
    cells = cell_order(BOARD)
    edges = edge_order(BOARD, cells)
    assert len(edges) == len(BOARD.member)
    assert len({tuple(e) for e in edges.tolist()}) == len(edges)
    assert list(dict.fromkeys(edges[:, 0].tolist())) == cells.tolist()
    assert np.count_nonzero(np.diff(edges[:, 0])) == len(cells) - 1
