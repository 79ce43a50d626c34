"""Orders of edges."""

import networkx as nx
import numpy as np

from mines_dd.board.board import Board
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order
from mines_dd.orders.edges import PASSED, edge_order, frontier_widths, frontiers, graph_edge_order

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


def test_a_vertex_is_on_the_frontier_while_some_but_not_all_of_its_edges_are_decided():
    edges = graph_edge_order(nx.gnm_random_graph(12, 30, seed=5))
    for i, (on, width) in enumerate(zip(frontiers(edges), frontier_widths(edges), strict=True)):
        decided, coming = [[x for edge in part for x in edge] for part in (edges[:i], edges[i:])]
        assert on == {x: decided.count(x) for x in decided if x in coming}
        assert width == len({*on, *edges[i]})
