"""Orders of edges."""

import math

import networkx as nx
import numpy as np
import pytest

from mines_dd.board.board import Board
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order
from mines_dd.orders.edges import PASSED, _elimination, edge_order, frontier_widths, frontiers, graph_edge_order

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


def test_hubs_are_left_until_few_vertices_are_new():
    for hubs in (2, 3):
        graph = nx.complete_bipartite_graph(hubs, 40)
        for name in ("elimination", "auto"):
            assert max(frontier_widths(graph_edge_order(graph, name))) == hubs + 1


@pytest.mark.parametrize("near", [False, True])
def test_the_next_vertex_is_the_one_with_the_fewest_new_ones(near):
    for seed in range(30):
        graph = nx.gnm_random_graph(seed, 2 * seed, seed=seed)
        on: set[int] = set()
        left = set(graph)
        for vertex in _elimination(graph, near):
            new = {x: len({x, *graph[x]} - on) for x in left}
            candidates = on & left if near and on & left else left
            assert new[vertex] == min(new[x] for x in candidates)
            on |= {vertex, *graph[vertex]}
            left.remove(vertex)
        assert not left


def test_trees_have_a_frontier_of_their_logarithm():
    for seed in range(5):
        forest = nx.disjoint_union(nx.random_labeled_tree(700, seed=seed), nx.star_graph(40))
        for name in ("depth-first", "auto"):
            assert max(frontier_widths(graph_edge_order(forest, name))) <= 1 + math.log2(700)
