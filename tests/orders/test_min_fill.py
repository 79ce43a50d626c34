"""Widths of min-fill orders."""

import networkx as nx
import pytest
from networkx.algorithms.approximation import treewidth_min_fill_in

from mines_dd.graph import Instance
from mines_dd.orders.elimination import elimination_cost, elimination_order


def pairs(edges, n) -> Instance:
    """An instance whose hint graph has these edges: one cell for each."""
    return Instance.build(
        range(len(edges)), range(n), [[i for i, e in enumerate(edges) if h in e] for h in range(n)], [[1]] * n
    )


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
