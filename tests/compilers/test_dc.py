"""Frontier-based search on graphs of any kind."""

import random
from itertools import combinations, product
from math import comb

import networkx as nx
import numpy as np
import pytest

from mines_dd import subgraphs
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError, GraphFormatError
from mines_dd.compilers.dc import degree_constrained
from mines_dd.diagrams.diagram import Diagram
from mines_dd.frontier import DegreeConstrained, build, builder


def count(diagram: Diagram) -> int:
    below = [0, 1]
    for low, high in zip(diagram.low[2:].tolist(), diagram.high[2:].tolist(), strict=True):
        below.append(below[low] + below[high])
    return below[diagram.root]


def sets(diagram: Diagram) -> set[frozenset]:
    below: list[set[frozenset]] = [set(), {frozenset()}]
    for i in range(2, len(diagram.level)):
        item = diagram.items[diagram.level[i]]
        below.append(below[diagram.low[i]] | {s | {item} for s in below[diagram.high[i]]})
    return below[diagram.root]


def grid(rows: int, cols: int, degrees: set[int]) -> tuple[nx.Graph, list]:
    graph = nx.grid_2d_graph(rows, cols)
    nx.set_node_attributes(graph, degrees, "dc")
    return graph, sorted(tuple(sorted(edge)) for edge in graph.edges)


def random_case(seed: int) -> tuple[list, list]:
    rng = random.Random(seed)
    while True:
        n = rng.randint(0, 7)
        edges = list(nx.gnp_random_graph(n, rng.random(), seed=rng.randint(0, 10**9)).edges)
        if len(edges) <= 10:
            rng.shuffle(edges)
            return edges, [rng.sample(range(n + 1), rng.randint(0, min(n + 1, 4))) for _ in range(n)]


@pytest.mark.usefixtures("interpreted_unless_asked")
@pytest.mark.parametrize("compiled", [False, True])
def test_all_options_find_what_brute_force_finds(compiled, monkeypatch):
    if compiled:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    for seed in range(150):
        edges, allowed = random_case(seed)
        expected = {
            frozenset(chosen)
            for size in range(len(edges) + 1)
            for chosen in combinations(range(len(edges)), size)
            if all(sum(v in edges[e] for e in chosen) in allowed[v] for v in range(len(allowed)))
        }
        nodes = set()
        for share in (True, False):
            for prune in (True, False):
                found = build(DegreeConstrained.of_edges(edges, allowed, prune=prune), share=share).reduced()
                assert sets(found) == expected
                nodes.add(found.node_count)
        found = degree_constrained(edges, allowed)
        assert sets(found.diagram) == expected
        assert found.states >= found.dead_states >= 0
        nodes.add(found.diagram.node_count)
        assert len(nodes) == 1  # the reduced diagram does not depend on how it was found


@pytest.mark.parametrize(("n", "tilings"), [(2, 2), (4, 36), (6, 6728), (8, 12988816)])
def test_domino_tilings_of_a_square(n, tilings):
    graph, order = grid(n, n, {1})
    assert subgraphs(graph, order).count() == tilings
    shuffled = random.Random(n).sample(order, len(order)) if n <= 6 else order[::-1]
    assert subgraphs(graph, shuffled).count() == tilings


def naive_factors(n: int, degree: int) -> int:
    """The spanning subgraphs of the n x n grid with one degree everywhere, row by row."""
    rows = {(0,) * n: 1}  # which vertical edges come down
    for r in range(n):
        below: dict[tuple, int] = {}
        for down, ways in rows.items():
            for right in product((0, 1), repeat=n - 1):
                here = [down[c] + (0, *right)[c] + (*right, 0)[c] for c in range(n)]
                next_down = tuple(degree - d for d in here)
                if all(d in (0, 1) for d in next_down) and (r < n - 1 or not any(next_down)):
                    below[next_down] = below.get(next_down, 0) + ways
        rows = below
    return sum(rows.values())


@pytest.mark.parametrize("n", [2, 4, 5, 6, 7, 8])
def test_two_factors_and_matchings_of_a_square_grid(n):
    for degree in (1, 2, 3):
        graph, order = grid(n, n, {degree})
        assert subgraphs(graph, order).count() == naive_factors(n, degree)
    assert naive_factors(4, 2) == 18


def test_matchings_of_complete_graphs():
    for n, perfect in [(2, 1), (4, 3), (6, 15), (8, 105)]:
        graph = nx.complete_graph(n)
        nx.set_node_attributes(graph, {1}, "dc")
        assert subgraphs(graph).count() == perfect


@pytest.mark.parametrize(("a", "k"), [(5, 2), (40, 20), (1000, 3)])
def test_a_star_chooses(a, k):
    edges = [(0, i + 1) for i in range(a)]
    assert count(degree_constrained(edges, [[k]] + [[0, 1]] * a).diagram) == comb(a, k)


def test_a_frontier_of_many_words():
    # a complete bipartite graph whose right side is open all the time, and few states
    n = 90
    edges = [(u, n + v) for u in range(2) for v in range(n)]
    found = degree_constrained(edges, [[n], [0, n]] + [[]] * (n - 2) + [[0, 1, 2]] * n)
    assert count(found.diagram) == 0  # vertices 2, 3, ... have no allowed degree
    edges = [(u, 2 + v) for u in range(2) for v in range(n)]
    assert count(degree_constrained(edges, [[n], [0, n]] + [[1, 2]] * n).diagram) == 2
    # each right vertex: 0 or 2 edges, the left ones alike
    assert count(degree_constrained(edges, [[3], [3]] + [[0, 2]] * n).diagram) == comb(n, 3)


@pytest.mark.ci
def test_layers_of_several_blocks_give_the_same_diagram(monkeypatch):
    edges = list(nx.complete_graph(6).edges)
    for allowed in ([[2]] * 6, [[1, 3]] * 6, [[0, 1, 2]] * 6):
        whole = degree_constrained(edges, allowed)
        for block in (1, 3, 16):
            with monkeypatch.context() as patch:
                patch.setattr(builder, "_BLOCK", block)
                parts = degree_constrained(edges, allowed)
                tree = build(DegreeConstrained.of_edges(edges, allowed), share=False)
            assert parts.layers.tolist() == whole.layers.tolist()
            assert (parts.states, parts.dead_states) == (whole.states, whole.dead_states)
            assert sets(parts.diagram) == sets(tree.reduced()) == sets(whole.diagram)


def test_a_limit_on_nodes_is_kept_within_a_layer(monkeypatch):
    monkeypatch.setattr(builder, "_BLOCK", 8)
    edges = [(i, j) for i, j in np.random.default_rng(1).permutation(list(nx.complete_graph(30).edges))]
    for limit in (500, 700, 1000, 1500, 3000):
        with pytest.raises(BudgetExceededError) as error:
            degree_constrained(edges, [[5]] * 30, budget=Budget(max_nodes=limit))
        assert limit < error.value.needed <= limit + 2 * 8


def test_isolated_vertices_need_degree_0():
    assert sets(degree_constrained([], [[0], [0, 3]]).diagram) == {frozenset()}
    assert sets(degree_constrained([], [[0], [1]]).diagram) == set()
    assert sets(degree_constrained([], []).diagram) == {frozenset()}


def test_a_vertex_without_a_possible_degree_ends_the_search_before_it_begins():
    for allowed in ([[0, 1], [], [0, 1]], [[0, 1], [3], [0, 1]]):
        found = degree_constrained([(0, 1), (1, 2)], allowed)
        assert sets(found.diagram) == set()
        assert found.layers.tolist() == [0, 0]
        assert (found.states, found.dead_states) == (0, 0)


def test_dead_states_are_counted():
    # a path of two edges whose ends want 0 and 1: the first edge's decision is forced only by the middle
    found = degree_constrained([(0, 1), (1, 2)], [[0, 1], [2], [0, 1]])
    assert sets(found.diagram) == {frozenset({0, 1})}
    assert found.dead_states == 0
    found = degree_constrained([(0, 1), (2, 3), (1, 2)], [[0, 1], [0, 2], [0, 2], [0]])
    assert sets(found.diagram) == {frozenset()}
    assert found.dead_states > 0


def test_limits_are_kept():
    graph, order = grid(8, 8, {0, 1, 2, 3, 4})
    edges = [(i, j) for i, j in np.random.default_rng(1).permutation(list(nx.complete_graph(30).edges))]
    with pytest.raises(BudgetExceededError) as error:
        degree_constrained(edges, [[5]] * 30, budget=Budget(max_nodes=100_000))
    assert 100_000 < error.value.needed < 500_000
    with pytest.raises(BudgetExceededError):
        degree_constrained(edges, [[5]] * 30, budget=Budget(timeout=0.2))
    assert subgraphs(graph, order, max_nodes=10**6).count() == 2 ** len(order)


def test_malformed_graphs_are_refused():
    graph, order = grid(2, 2, {1})
    with pytest.raises(GraphFormatError, match="each edge"):
        subgraphs(graph, order[1:])
    with pytest.raises(GraphFormatError, match="each edge"):
        subgraphs(graph, [*order[1:], order[1]])
    with pytest.raises(GraphFormatError, match="undirected"):
        subgraphs(nx.DiGraph(graph), order)
    del graph.nodes[0, 0]["dc"]
    with pytest.raises(GraphFormatError, match="no attribute dc"):
        subgraphs(graph, order)
    with pytest.raises(GraphFormatError, match="itself"):
        degree_constrained([(0, 0)], [[1]])


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 3)], "edge 0 ends at vertex 3; the vertices are 0 to 2"),
        ([(0, 1), (-1, 2)], "edge 1 ends at vertex -1"),
        ([(0.0, 1.0)], "an integer array of two columns"),
        ([(0, 1, 2)], "an integer array of two columns"),
    ],
)
def test_edges_that_are_no_pairs_of_vertices_are_refused(edges, message):
    with pytest.raises(GraphFormatError, match=message):
        degree_constrained(edges, [{0, 1}] * 3)


def test_degrees_with_the_same_future_are_one_state():
    """The centre of a star is free: nothing has to be remembered of it."""
    n = 300
    found = degree_constrained([(0, i) for i in range(1, n + 1)], [range(n + 1), *[{0, 1}] * n])
    assert found.states == n
    even = degree_constrained([(0, i) for i in range(1, n + 1)], [range(0, n + 1, 2), *[{0, 1}] * n])
    assert even.states == 2 * n - 1
