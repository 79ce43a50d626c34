"""Min-fill orders: their widths, which hint is next, and how ties are broken."""

import networkx as nx
import pytest
from networkx.algorithms.approximation import treewidth_min_fill_in

from mines_dd.constraints.graph import Instance
from mines_dd.orders.elimination import best_elimination
from mines_dd.orders.min_fill import _ties, hint_graph, min_fill_order


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
    assert best_elimination(instance).cost.width == width


def test_min_fill_is_as_good_as_that_of_networkx():
    ours = theirs = 0
    for seed in range(12):
        graph = nx.gnp_random_graph(40, 0.12, seed=seed)
        instance = pairs([set(e) for e in graph.edges], 40)
        ours += best_elimination(instance, "min-fill").cost.width
        theirs += treewidth_min_fill_in(graph)[0]
    assert ours <= theirs + 4


def naive_min_fill(graph: nx.Graph, ties, by_degree: bool) -> list[int]:
    graph, order = graph.copy(), []
    while graph:

        def score(v):
            around = list(graph[v])
            lacking = sum(not graph.has_edge(a, b) for i, a in enumerate(around) for b in around[:i])
            return len(around) if by_degree else lacking

        v = min(graph, key=lambda v: (score(v), ties[v], v))
        around = list(graph[v])
        graph.add_edges_from((a, b) for i, a in enumerate(around) for b in around[:i])
        graph.remove_node(v)
        order.append(v)
    return order


@pytest.mark.parametrize("by_degree", [False, True])
@pytest.mark.parametrize("density", [0.05, 0.15, 0.4])
def test_next_is_the_vertex_of_least_fill_or_degree(density, by_degree):
    """Dense graphs fill up, so that the rows and the set of edges have to grow."""
    for seed in range(4):
        graph = nx.gnp_random_graph(45, density, seed=seed)
        instance = pairs([set(e) for e in graph.edges], 45)
        ties = _ties(instance, 0)
        found = min_fill_order(instance, hint_graph(instance), by_degree=by_degree)
        assert found.tolist() == naive_min_fill(graph, ties, by_degree)


def test_the_first_try_breaks_ties_by_cells_and_spread_and_others_at_random():
    instance = Instance.build("abcd", "hijk", [[0, 1], [1, 2, 3], [0], []], [[1], [2], [0, 1], []])
    assert _ties(instance, 0).tolist() == [2, 3, 2, 0]
    assert _ties(instance, 1).tolist() == _ties(instance, 1).tolist() != _ties(instance, 2).tolist()
