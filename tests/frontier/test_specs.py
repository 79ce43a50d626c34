"""Every spec against brute force, compiled against interpreted, and what is said of a wrong spec."""

import inspect
import itertools
import os
import pickle
import random
import subprocess
import sys
import time
import traceback
from collections import Counter
from fractions import Fraction
from functools import partial, reduce
from math import comb
from operator import and_

import networkx as nx
import numpy as np
import pytest

from mines_dd import mine_graph, solve, subgraphs
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError, GraphFormatError, MinesError
from mines_dd.base.jit import compile_seconds
from mines_dd.frontier import (
    DEAD,
    DONE,
    FREE,
    GO,
    ConnectedSubgraphs,
    Cycles,
    DegreeConstrained,
    End,
    Exactly,
    Forests,
    HamiltonianCycles,
    HamiltonianPaths,
    IndependentSets,
    Knapsack,
    Linear,
    Matchings,
    Paths,
    SpanningTrees,
    Spec,
    SteinerTrees,
    build,
    builder,
    count,
    fields,
    plan,
)
from mines_dd.frontier.spec import Both
from mines_dd.orders.edges import EDGE_ORDERS, frontier_widths, graph_edge_order

pytestmark = pytest.mark.usefixtures("interpreted_unless_asked")


def subsets(items):
    return itertools.chain.from_iterable(itertools.combinations(items, k) for k in range(len(items) + 1))


def subgraph(graph, edges):
    """All vertices, and these edges."""
    found = nx.create_empty_copy(graph)
    found.add_edges_from(edges)
    return found


def touched(edges):
    return nx.Graph(edges)


def is_cycle(edges):
    graph = touched(edges)
    return len(edges) > 0 and nx.is_connected(graph) and all(degree == 2 for _, degree in graph.degree)


def is_path(edges, source, target):
    graph = touched(edges)
    ends = {x for x, degree in graph.degree if degree == 1}
    return ends == {source, target} and nx.is_connected(graph) and max(d for _, d in graph.degree) <= 2


def connects(edges, terminals):
    graph = touched(edges)
    graph.add_nodes_from(terminals)
    return nx.is_connected(graph)


def is_matching(edges):
    return all(degree <= 1 for _, degree in touched(edges).degree)


ci = partial(pytest.param, marks=pytest.mark.ci)
SLOW = pytest.param(True, marks=pytest.mark.slow)
"""Compiled, which takes some seconds for each spec."""

EDGE_SPECS = {
    "paths": (lambda g, o: Paths(g, 0, 1, o), lambda g, e: is_path(e, 0, 1)),
    "hamiltonian paths": (
        lambda g, o: HamiltonianPaths(g, 0, 1, o),
        lambda g, e: is_path(e, 0, 1) and len(e) == len(g) - 1,
    ),
    "cycles": (Cycles, lambda g, e: is_cycle(e)),
    "hamiltonian cycles": (HamiltonianCycles, lambda g, e: is_cycle(e) and len(e) == len(g)),
    "forests": (Forests, lambda g, e: not e or nx.is_forest(touched(e))),
    "spanning trees": (SpanningTrees, lambda g, e: nx.is_tree(subgraph(g, e))),
    "connected subgraphs": (
        lambda g, o: ConnectedSubgraphs(g, [0, 1], o),
        lambda g, e: connects(e, {0, 1}),
    ),
    "steiner trees": (
        lambda g, o: SteinerTrees(g, list(g)[:3], o),
        lambda g, e: connects(e, set(list(g)[:3])) and (not e or nx.is_tree(touched(e))),
    ),
    "matchings": (lambda g, o: Matchings(g, order=o), lambda g, e: is_matching(e)),
    "perfect matchings": (
        lambda g, o: Matchings(g, perfect=True, order=o),
        lambda g, e: is_matching(e) and 2 * len(e) == len(g),
    ),
    "degrees": (
        DegreeConstrained,
        lambda g, e: all(degree in g.nodes[x]["dc"] for x, degree in subgraph(g, e).degree),
    ),
}


def random_graphs(number, most_edges, seed, least_vertices=2):
    """Random graphs, some of them not connected, with vertices that have no edge; with their edges in random order."""
    rng = random.Random(seed)
    for i in range(number):
        n = rng.randint(least_vertices, 7)
        graph = nx.gnm_random_graph(n, rng.randint(0, most_edges), rng.randint(0, 10**9))
        if i % 3 and graph.number_of_edges() and n > 2:  # mostly connected ones
            graph = nx.Graph(graph.subgraph(max(nx.connected_components(graph), key=len)))
            graph = nx.convert_node_labels_to_integers(graph)
        for x, degree in graph.degree:
            graph.nodes[x]["dc"] = set(rng.sample(range(degree + 1), rng.randint(1, degree + 1)))
        order = [edge if rng.random() < 0.5 else edge[::-1] for edge in graph.edges]
        rng.shuffle(order)
        yield graph, order


def by_edges(family):
    return {frozenset(map(frozenset, edges)) for edges in family}


def check(spec, wanted):
    """The sets are these, each once, however they are counted."""
    found = list(build(spec).to_assignments())
    assert len(found) == len(set(found)) == count(spec)
    assert by_edges(found) == by_edges(wanted)


@pytest.mark.parametrize("name", EDGE_SPECS)
def test_an_interpreted_specs_sets_are_those_of_brute_force(name):
    make, holds = EDGE_SPECS[name]
    for graph, order in random_graphs(40, 11, 5):
        if len(graph) >= 2:
            check(make(graph, order), [edges for edges in subsets(list(graph.edges)) if holds(graph, edges)])


@pytest.mark.ci
@pytest.mark.parametrize("name", EDGE_SPECS)
def test_a_compiled_specs_sets_are_those_of_brute_force(name, monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    make, holds = EDGE_SPECS[name]
    for graph, order in random_graphs(40, 8, 6):
        if len(graph) >= 2:
            check(make(graph, order), [edges for edges in subsets(list(graph.edges)) if holds(graph, edges)])


@pytest.mark.slow
@pytest.mark.parametrize("name", EDGE_SPECS)
def test_a_compiled_specs_sets_are_those_of_brute_force_on_many_graphs(name, monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    make, holds = EDGE_SPECS[name]
    graphs = list(random_graphs(300, 11, 7))
    for graph in (nx.wheel_graph(8), nx.gnm_random_graph(8, 14, 3)):
        nx.set_node_attributes(graph, {1, 3}, "dc")
        graphs.append((graph, None))
    for graph, order in graphs:
        if len(graph) >= 2:
            check(make(graph, order), [edges for edges in subsets(list(graph.edges)) if holds(graph, edges)])


def test_independent_sets_are_those_of_brute_force():
    for graph, _ in random_graphs(60, 14, 3, least_vertices=1):
        order = random.Random(len(graph)).sample(list(graph), len(graph))
        wanted = {frozenset(s) for s in subsets(list(graph)) if not graph.subgraph(s).number_of_edges()}
        spec = IndependentSets(graph, order)
        assert set(build(spec).to_assignments()) == wanted
        assert count(spec) == len(wanted)


@pytest.mark.parametrize(
    "pair", list(itertools.combinations(["paths", "forests", "degrees", "connected subgraphs"], 2))
)
def test_a_product_has_the_sets_of_both(pair):
    makes, hold = zip(*(EDGE_SPECS[name] for name in pair), strict=True)
    for graph, order in random_graphs(12, 8, 11):
        if len(graph) < 2:
            continue
        wanted = [e for e in subsets(list(graph.edges)) if hold[0](graph, e) and hold[1](graph, e)]
        check(makes[0](graph, order) & makes[1](graph, order), wanted)


@pytest.mark.parametrize("compiled", [False, SLOW])
def test_a_product_of_specs_that_end_in_both_kinds_of_true(compiled, monkeypatch):
    if compiled:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    rng = random.Random(1)
    for _ in range(30):
        items = range(rng.randint(0, 7))
        weights = [{i: rng.randint(0, 5) for i in items} for _ in range(3)]
        limits = [rng.randint(-1, 20) for _ in range(3)]
        one, two, three = (Knapsack(w, limit) for w, limit in zip(weights, limits, strict=True))
        wanted = {
            frozenset(s)
            for s in subsets(items)
            if all(sum(map(w.get, s)) <= limit for w, limit in zip(weights, limits, strict=True))
        }
        product = one & two & three
        assert set(build(product).to_assignments()) == wanted
        assert count(product) == len(wanted)
        if not compiled:
            assert set(build(one & (two & three)).to_assignments()) == wanted
            assert set(build(product, prune=False).to_assignments()) == wanted


def sums_up(weights, allowed):
    return {frozenset(s) for s in subsets(weights) if sum(map(weights.get, s)) in allowed}


@pytest.mark.parametrize("compiled", [False, SLOW])
def test_linear_constraints_are_those_of_brute_force(compiled, monkeypatch):
    if compiled:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    rng = random.Random(9)
    for i in range(40):
        weights = {x: rng.randint(-4 if i % 2 else 0, 6) for x in range(rng.randint(0, 8))}
        allowed = {rng.randint(-8, 20) for _ in range(rng.randint(0, 5))}
        least, most = rng.randint(-9, 9), rng.randint(-2, 30)
        count_of = rng.randint(0, 9)
        cases = [
            (Linear(weights, allowed), sums_up(weights, allowed)),
            (Linear(weights, least=least, most=most), sums_up(weights, range(least, most + 1))),
            (Linear(weights, least), sums_up(weights, {least})),
            (Exactly(weights, count_of), {s for s in map(frozenset, subsets(weights)) if len(s) == count_of}),
        ]
        for spec, wanted in cases:
            assert set(build(spec).to_assignments()) == wanted
            assert count(spec) == len(wanted)
        for (one, sets), (other, more) in itertools.pairwise(cases):
            assert set(build(one & other).to_assignments()) == sets & more
            if not compiled:
                assert set(build(one, prune=False).to_assignments()) == sets


def test_linear_constraints_over_fractions_and_sums_out_of_reach():
    halves = dict.fromkeys("abc", Fraction(1, 2))
    assert count(Linear(halves, {1, Fraction(1, 3)})) == 3
    assert count(Linear(halves, 10**30)) == count(Linear(halves, least=10**30)) == 0
    assert count(Linear(halves, least=-(10**30), most=10**30)) == 8
    assert count(Linear(halves, least=Fraction(2, 3))) == 4
    for limits in ({"least": 2}, {"most": 0}):
        with pytest.raises(MinesError, match="not both"):
            Linear(halves, 1, **limits)
    for wrong in ("many", [None]):
        with pytest.raises(MinesError, match="weights, sums and counts are finite numbers"):
            Linear(halves, wrong)


def test_floats_of_numpy_are_the_decimals_that_they_are_written_as():
    for kind in (float, np.float64, np.float32, np.float16):
        assert count(Linear({"a": kind(0.1), "b": kind(0.2)}, kind(0.3))) == 1
        assert count(Knapsack(np.array([0.1, 0.2], kind), 0.3)) == 4


def test_ranges_of_sums_and_of_degrees_may_be_as_long_as_they_like():
    assert count(Exactly("abcd", range(1, 10**30))) == count(Exactly("abcd", range(10**30, 0, -1))) == 15
    assert count(Linear({"a": 1.5, "b": -0.5}, range(-(10**30), 10**30))) == 2  # nothing, and both
    assert count(Linear({"a": 2 * 10**9, "b": 1}, range(1, 10**30))) == 3
    assert count(Exactly("abcd", np.array(2))) == 6
    ring = nx.cycle_graph(6)
    nx.set_node_attributes(ring, range(1, 10**30), "dc")
    assert subgraphs(ring, max_nodes=100).count() == count(DegreeConstrained(ring)) == 18
    assert DegreeConstrained.of_edges([(0, 1), (1, 2)], [range(1, 10**30)] * 3).items
    assert solve(mine_graph({"h": ("abc", range(1, 10**30))})).count() == 7


@pytest.mark.parametrize("items", [{"a": 1, "b": 2}, nx.path_graph(2).nodes, nx.path_graph(3).edges, {1, 2}])
@pytest.mark.parametrize("run", [build, count, plan, lambda spec: spec & spec])
def test_items_that_have_no_numbers_are_refused(items, run):
    spec = FewByAGlobal(2)
    spec.items = items
    with pytest.raises(
        MinesError, match=r"FewByAGlobal.items is of type .*; it is a sequence of items, such as tuple\(items"
    ):
        run(spec)


def test_weights_of_numpy_do_not_overflow():
    weights = {"a": np.uint8(200), "b": np.float32(0.5), "c": np.int64(2**60)}
    assert [count(Linear(weights, least=least)) for least in (np.uint8(201), np.int64(2**60), 2**60 + 200)] == [4, 4, 2]


@pytest.mark.parametrize("terminals", [[], [0, 7]])
def test_terminals_are_vertices(terminals):
    for kind in (ConnectedSubgraphs, SteinerTrees):
        with pytest.raises(GraphFormatError, match="terminals are one or more vertices"):
            kind(nx.path_graph(3), terminals)


def test_the_cheapest_steiner_tree_is_that_of_brute_force():
    rng = random.Random(3)
    for seed in range(3):
        graph = nx.gnm_random_graph(6, 9, seed)
        cost = {edge: rng.randint(1, 9) for edge in graph.edges}
        wanted = min(sum(map(cost.get, e)) for e in subsets(list(graph.edges)) if connects(e, {0, 3, 5}))
        trees = build(SteinerTrees(graph, {0, 3, 5})).to_assignments()
        assert trees.cheapest(cost)[0][0] == wanted


def test_specs_of_other_items_have_no_product():
    with pytest.raises(MinesError, match="same items in the same order"):
        Knapsack({1: 1}, 1) & Knapsack({2: 1}, 1)


def test_relabelled_graphs_have_as_many_sets():
    graph = nx.petersen_graph()
    rng = random.Random(4)
    for make, _ in EDGE_SPECS.values():
        nx.set_node_attributes(graph, {0, 3}, "dc")
        wanted = count(make(graph, None))
        label = dict(zip(graph, rng.sample(range(10), 10), strict=True))
        relabelled = nx.relabel_nodes(graph, label)
        kind = type(make(graph, None))
        if issubclass(kind, ConnectedSubgraphs):
            assert count(kind(relabelled, [label[x] for x in list(graph)[: 2 + (kind is SteinerTrees)]])) == wanted
        elif issubclass(kind, Paths):
            assert count(kind(relabelled, label[0], label[1])) == wanted
        else:
            assert count(make(relabelled, None)) == wanted


def test_the_least_graphs():
    empty, one, two = nx.empty_graph(0), nx.empty_graph(1), nx.empty_graph(2)
    for graph in (empty, one, two):
        assert count(Forests(graph)) == count(Matchings(graph)) == 1
        assert count(Cycles(graph)) == count(HamiltonianCycles(graph)) == 0
        assert count(Matchings(graph, perfect=True)) == (len(graph) == 0)
        assert count(SpanningTrees(graph)) == (len(graph) == 1)
        assert count(IndependentSets(graph)) == 2 ** len(graph)
        for kind in (ConnectedSubgraphs, SteinerTrees):
            assert [count(kind(graph, [x])) for x in graph] == [1] * len(graph)
            assert len(graph) < 2 or count(kind(graph, graph)) == 0
        assert build(Forests(graph)).to_assignments().count() == 1
    assert count(Paths(two, 0, 1)) == 0
    assert set(build(Paths(nx.path_graph(2), 0, 1)).to_assignments()) == {frozenset({(0, 1)})}


@pytest.mark.parametrize("kind", [Cycles, HamiltonianCycles, Forests, SpanningTrees, Matchings, IndependentSets])
@pytest.mark.parametrize("graph", [nx.DiGraph([(0, 1)]), nx.MultiGraph([(0, 1), (0, 1)]), nx.Graph([(0, 1), (1, 1)])])
def test_graphs_of_other_kinds_are_refused(kind, graph):
    with pytest.raises(GraphFormatError):
        kind(graph)


def test_an_order_of_vertices_names_each_once():
    with pytest.raises(GraphFormatError, match="each vertex"):
        IndependentSets(nx.path_graph(3), [0, 1, 1])


@pytest.mark.parametrize("name", ["auto", "listed", "breadth-first", "near", "elimination", "depth-first"])
def test_an_order_by_name_changes_no_set(name):
    for graph, _ in random_graphs(12, 11, 21):
        wanted = count(Forests(graph))
        spec = Forests(graph, name)
        assert sorted(map(sorted, spec.items)) == sorted(map(sorted, graph.edges))
        assert count(spec) == wanted


def test_an_order_of_vertices_by_name_changes_no_set():
    for graph in (nx.ladder_graph(6), nx.grid_2d_graph(3, 4), nx.balanced_tree(3, 2), nx.gnm_random_graph(12, 14, 1)):
        names = ["auto", *EDGE_ORDERS]
        for name in names if nx.is_isomorphic(graph, nx.grid_2d_graph(3, 4)) else set(names) - {"rows", "columns"}:
            spec = IndependentSets(graph, name)
            assert set(spec.items) == set(graph)
            assert count(spec) == count(IndependentSets(graph))
    with pytest.raises(GraphFormatError, match="no order of vertices 'widest'"):
        IndependentSets(nx.path_graph(3), "widest")
    with pytest.raises(GraphFormatError, match="pairs of numbers have rows"):
        IndependentSets(nx.path_graph(3), "rows")


def test_the_chosen_order_of_vertices_keeps_few_waiting():
    for graph, most in [(nx.ladder_graph(40), 4), (nx.grid_2d_graph(4, 30), 16), (nx.balanced_tree(2, 6), 64)]:
        shuffled = nx.Graph()
        shuffled.add_nodes_from(random.Random(1).sample(list(graph), len(graph)))
        shuffled.add_edges_from(graph.edges)
        assert max(IndependentSets(shuffled, "auto").full_widths()) <= most


def test_the_chosen_order_has_the_narrowest_frontier():
    grid = nx.grid_2d_graph(4, 30)
    widths = {name: max(frontier_widths(graph_edge_order(grid, name))) for name in ("auto", "rows", "columns")}
    assert widths == {"auto": 5, "rows": 31, "columns": 5}
    shuffled = nx.Graph(random.Random(1).sample(list(nx.ladder_graph(40).edges), 118))
    assert max(frontier_widths(graph_edge_order(shuffled))) <= 4
    assert build(Paths(grid, (0, 0), (3, 29), "auto")).node_count < 20_000


def test_frontier_widths_are_those_counted_by_hand():
    assert frontier_widths([]) == []
    assert frontier_widths([(0, 1), (0, 2), (1, 3), (2, 3)]) == [2, 3, 3, 2]


def test_unknown_orders_are_refused():
    with pytest.raises(GraphFormatError, match="there is no order of edges 'best'; choose auto, listed"):
        Forests(nx.path_graph(3), "best")
    with pytest.raises(GraphFormatError, match="pairs of numbers have rows"):
        Forests(nx.path_graph(3), "rows")


# Known numbers


@pytest.mark.parametrize(
    ("spec", "known"),
    [
        ci(Paths(nx.grid_2d_graph(8, 8), (0, 0), (7, 7)), 789360053252),  # OEIS A007764
        (Cycles(nx.grid_2d_graph(6, 6)), 1222363),  # A140517
        ci(HamiltonianCycles(nx.grid_2d_graph(8, 8)), 4638576),  # A003763
        (HamiltonianPaths(nx.grid_2d_graph(7, 7), (0, 0), (6, 6)), 111712),  # A001184
        (SpanningTrees(nx.grid_2d_graph(6, 6)), 32565539635200),  # A007341
        (Matchings(nx.grid_2d_graph(6, 6), perfect=True), 6728),  # A004003
        (IndependentSets(nx.grid_2d_graph(5, 5)), 55447),  # A006506
    ],
)
def test_published_counts(spec, known):
    assert count(spec) == known


def test_spanning_trees_are_kirchhoffs_determinant():
    for seed in range(5):
        graph = nx.gnm_random_graph(9, 16, seed)
        adjacent = nx.to_numpy_array(graph)
        laplacian = np.diag(adjacent.sum(0)) - adjacent
        assert count(SpanningTrees(graph)) == round(np.linalg.det(laplacian[1:, 1:]))


@pytest.mark.ci
def test_counts_of_many_limbs_are_exact():
    assert count(Knapsack(dict.fromkeys(range(300), 1), 1000)) == 2**300
    free = nx.star_graph(400)
    nx.set_node_attributes(free, set(range(401)), "dc")
    assert count(DegreeConstrained(free)) == 2**400
    half = Knapsack(dict.fromkeys(range(200), 1), 100)
    assert count(half) == build(half).to_assignments().count()


def test_weights_may_be_fractions():
    weights = {"a": Fraction(1, 3), "b": Fraction(1, 2), "c": 0.25}
    family = set(build(Knapsack(weights, Fraction(5, 6))).to_assignments())
    assert family == {frozenset(s) for s in subsets("abc") if sum(map(weights.get, s)) <= Fraction(5, 6)}
    for weights in ({1: 2**70, 2: 1}, {1: Fraction(1, 2**40), 2: 2**40}, {1: 10**400}, {1: Fraction(1, 10**400), 2: 1}):
        with pytest.raises(MinesError, match="62 bits"):
            Knapsack(weights, 5)


# The builder


class Row(Spec):
    """All sets; a state of one integer, always 0."""

    def __init__(self, n=6, root=(0,), tables=()):
        self.items, self.root, self.tables = range(n), root, tables

    @staticmethod
    def child(state, level, taken, tables):
        return FREE if level == 5 else GO


def failing(child):
    return type("Failing", (Row,), {"child": staticmethod(child)})


def returns_nine(state, level, taken, tables):
    return 9 if level == 3 and taken else GO


def reads_beyond(state, level, taken, tables):
    if level == 4:
        state[2] = 1
    return FREE if level == 5 else GO


def makes_an_array(state, level, taken, tables):
    state[0] = np.zeros(3)[1] + len(str(level))
    return FREE if level == 5 else GO


def calls_by_keyword(state, level, taken, tables):
    def added(total, weight=1):
        return total + weight

    state[0] = added(state[0], weight=taken)
    return FREE if level == 5 else GO


def calls_by_keyword_further_inside(state, level, taken, tables):
    def added(total, weight=1):
        return total + weight

    def twice(total):
        return added(added(total), weight=taken)

    state[0] = twice(state[0])
    return FREE if level == 5 else GO


def _odd(number):
    return number % 2 == 1


def _more(number):
    return number + 3


def chooses_a_function(state, level, taken, tables):
    value = _more if taken else _odd
    state[0] += value(level)
    return FREE if level == 5 else GO


def goes_on_if_true(state, level, taken, tables):
    if level == 5:
        return FREE
    return GO if level < 2 else state[0] < 7


def asks_a_helper_with_truths(state, level, taken, tables):
    return _decides(level, state[0])


def _decides(level, number):
    code = GO
    if level == 5:
        code = number > 1
    return code


def inverts_a_comparison(state, level, taken, tables):
    return FREE if level == 5 and ~(state[0] > 1) else GO


def asks_all_at_once(state, level, taken, tables):
    return FREE if level == 5 and any(number > 1 for number in state) else GO


def assigns_on_its_way(state, level, taken, tables):
    return DEAD if (total := state[0] + taken) > 3 else FREE if level == 5 + 0 * total else GO


def compares_an_array(state, level, taken, tables):
    return FREE if level == 5 and (state > 1).any() else GO


def takes_the_greatest(state, level, taken, tables):
    return FREE if level == 5 and state.max() else GO


def rounds_to_digits(state, level, taken, tables):
    return FREE if level == 5 and round(level / 4, 1) == 1.2 else GO


def imports(state, level, taken, tables):
    import math

    return FREE if level == 5 else GO * math.gcd(1, 2)


def numbers_from_one(state, level, taken, tables):
    for i, number in enumerate(state, start=1):
        state[i - 1] = number + taken
    return FREE if level == 5 else GO


def uses_a_type(state, level, taken, tables):
    return FREE if level == 5 and list(reversed(range(3))) else GO


def uses_a_method(state, level, taken, tables):
    return FREE if level == 5 and state[0].bit_count() else GO


def may_lack_a_value(state, level, taken, tables):
    if level < 5:
        weight = 1
    state[0] = weight
    return FREE if level == 5 else GO


def wrapped(function):
    def around(*args, **named):
        return function(*args, **named)

    return around


@wrapped
def is_wrapped(state, level, taken, tables):
    return FREE if level == 5 else GO


def remainder(number, *, by=5):
    return number % by


def uses_a_name_only_argument(state, level, taken, tables):
    state[0] = remainder(state[0] + taken)
    return FREE if level == 5 else GO


FLAGS = np.array([[True, False, True]] * 6)


def takes_a_mask(state, level, taken, tables):
    if taken:
        state[FLAGS[level] & ~tables[0][level]] += 1
    return GO if level < 5 else (FREE if state[0] == 2 and state[1] == 0 and state[2] == 0 else DEAD)


def puts_by_a_mask(state, level, taken, tables):
    state[level % 3] += taken
    if level == 3:
        state[FLAGS[0]] = 0
    return GO if level < 5 else (FREE if state[1] == 1 and state[0] == 0 and state[2] == 1 else DEAD)


def looks_up_a_flag(state, level, taken, tables):
    if taken:
        state[tables[0][level, 2]] += tables[0][level, 2] + FLAGS[level, 0]
    return GO if level < 5 else (FREE if state[1] == 4 and state[0] == 0 else DEAD)


def inverts_a_flag(state, level, taken, tables):
    return DEAD if ~tables[0][level, 2] else GO


@pytest.mark.parametrize("how", ["", ci("always")])
def test_true_and_false_are_numbers_and_masks_as_in_numpy(how, monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", how)

    def spec(child):
        class Flags(Spec):
            items, root, tables = range(6), (0, 0, 0), (np.array([[False, False, True]] * 6),)

        Flags.child = staticmethod(child)
        return Flags()

    assert count(spec(looks_up_a_flag)) == 15
    if how:
        with pytest.raises(MinesError, match="it makes an object"):
            count(spec(takes_a_mask))
        with pytest.raises(MinesError, match="an array is an index: write a loop; in line"):
            count(spec(puts_by_a_mask))
    else:
        assert count(spec(takes_a_mask)) == 15
        assert count(spec(puts_by_a_mask)) == 16
        with pytest.raises(MinesError, match="~ of True is -2, and of False -1: use not"):
            count(spec(inverts_a_flag))


def prints_an_array(state, level, taken, tables):
    print(state)
    return FREE if level == 5 else GO


A_LIST = [1, 2]


def takes_a_remainder_of_a_text(state, level, taken, tables):
    name = (1, level) % level
    state[0] = len(name)
    return FREE if level == 5 else GO


def looks_up_a_list(state, level, taken, tables):
    state[0] += A_LIST[level % 2]
    return FREE if level == 5 else GO


def divides_by_zero(state, level, taken, tables):
    state[0] = 7 // state[0] if level == 5 else level - 4
    return FREE if level == 5 else GO


def has_a_function_that_calls_itself(state, level, taken, tables):
    def half(x):
        return half(x // 2) if x else FREE

    return half(7) if level == 5 else GO


def shifts_too_far(state, level, taken, tables):
    state[0] |= 1 << (64 if level == 3 else level)
    return FREE if level == 5 else GO


def adds_too_much(state, level, taken, tables):
    state[0] += 2**61
    return FREE if level == 5 else GO


def needs_more_bits_on_its_way(state, level, taken, tables):
    state[0] = (state[0] + level * 2**62) % 5
    return FREE if level == 5 else GO


def calls_itself(state, level, taken, tables):
    return calls_itself(state, level - 1, taken, tables) if level else GO


@pytest.mark.parametrize("compiled", [False, SLOW])
@pytest.mark.parametrize(
    ("child", "said"),
    [
        (returns_nine, r"Failing.child returned 9, at item 3 \(3\), from the state \(0,\); it returns GO, DEAD"),
        (reads_beyond, r"Failing.child fails at item 4 \(4\), from the state \(0,\) of 1 integer, .*index 2"),
        (divides_by_zero, r"Failing.child fails at item 5 \(5\), from the state \(0,\) of 1 integer, .*zero"),
        (lambda state, level, taken, tables: GO, "after the last item"),
        (lambda state, level, taken, tables: -1, "returned -1"),
        (lambda state, level, taken, tables: state[0] <= 4, "Failing.child (returned True|.*no whole number)"),
        (shifts_too_far, r"Failing.child fails at item 3 \(3\), .*: OverflowError: there is an integer of more"),
        (adds_too_much, r"Failing.child fails at item 3 \(3\), .*: OverflowError: there is an integer of more"),
    ],
)
def test_a_wrong_spec_is_told_in_its_own_terms(child, said, compiled, monkeypatch):
    if compiled:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    for run in (build, count):
        with pytest.raises(MinesError, match=said):
            run(failing(child)())


@pytest.mark.parametrize("code", [2.0, 1.5, -0.5, np.float64(1), None, True, False, np.True_, np.array([0])])
@pytest.mark.parametrize("run", [build, count, plan])
def test_what_is_no_whole_number_ends_no_arc(code, run):
    with pytest.raises(MinesError, match=r"Failing.child returned .*, at item 0 .*; it returns GO, DEAD, DONE or FREE"):
        run(failing(lambda state, level, taken, tables: code)())


@pytest.mark.slow
def test_integers_on_the_way_to_smaller_ones_have_64_bits_compiled(monkeypatch):
    assert count(failing(needs_more_bits_on_its_way)()) == 64
    monkeypatch.setenv("MINES_DD_JIT", "always")
    with pytest.raises(MinesError, match=r"Failing.child fails compiled, at item 2 \(2\), .* more than 64 bits"):
        count(failing(needs_more_bits_on_its_way)())


@pytest.mark.parametrize(
    ("child", "said"),
    [
        ci(makes_an_array, r"Failing.child cannot be compiled: zeros\(.*in line [0-9]+ of .*test_specs.py, 'sta"),
        ci(
            takes_a_remainder_of_a_text,
            "child cannot be compiled: mod\\(.*in line [0-9]+ of .*test_specs.py, 'name = .1, level. % l",
        ),
        ci(asks_all_at_once, r"a generator, such as any\(... for ...\), is not possible: write a loop; in line"),
        ci(assigns_on_its_way, "there is no type for a part of it; write := as a line of its own; in line"),
        ci(compares_an_array, "it makes an object, such as a list, a text or a new array .*; in line"),
        ci(takes_the_greatest, "max of an array is not possible: write a loop; in line"),
        ci(rounds_to_digits, "round to some digits is done otherwise than in Python: multiply, .*; in line"),
        ci(imports, "an import is not possible there: write it above the class; in line [0-9]+ of .*, 'import math'"),
        ci(uses_a_type, "reversed, a type, cannot be used there; in line"),
        ci(uses_a_method, "bit_count cannot be used there; in line"),
        ci(inverts_a_comparison, "~ of True is -2, and of False -1: use not; in line"),
        ci(may_lack_a_value, "weight may have no value; give it one first; in line [0-9]+ of .*, 'state.0. = weight'"),
        (is_wrapped, r"wrapped.<locals>.around takes \*\*named, which cannot be compiled: leave that out; in line"),
        (
            uses_a_name_only_argument,
            "remainder takes by by its name only, which cannot be .*: leave out the . before it",
        ),
        ci(calls_by_keyword, "inside another one is called by keyword: give all by position; in line .*weight=taken"),
        ci(numbers_from_one, "enumerate is called by keyword: give all by position, or .*; in line .*start=1"),
        ci(calls_by_keyword_further_inside, "called by keyword: give all by position; in line .*added.added.total"),
        ci(
            chooses_a_function,
            "a function is chosen here by a condition: .*; in line .*'value = _more if taken else _odd'",
        ),
        ci(goes_on_if_true, "True or False is returned here, and elsewhere a number: .*; in line [0-9]+ of .*< 7'"),
        ci(
            asks_a_helper_with_truths, "True or False is returned here, and .*; in line [0-9]+ of .*'code = number > 1'"
        ),
        ci(prints_an_array, "an array cannot be printed, but its numbers can; in line"),
        ci(
            looks_up_a_list,
            "A_LIST, a list, cannot be used there: make it a tuple or an array; in line .*'state.0. \\+= A_LIST",
        ),
        (calls_itself, "calls_itself calls itself"),
        ci(has_a_function_that_calls_itself, "Failing.child cannot be compiled: Unsupported use of cell variable"),
    ],
)
def test_what_cannot_be_compiled_is_told_in_a_line(child, said, monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    with pytest.raises(MinesError, match=said) as caught:
        build(failing(child)())
    assert len(str(caught.value)) < 500
    assert len("".join(traceback.format_exception(caught.value))) < 10_000  # without Numba's hundred lines


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (Row(root=0), "Row.root is 0; it is a tuple"),
        (Row(root=()), "Row.root is"),
        (Row(root=(1 << 64,)), "more than 64 bits"),
        (Row(0), "after the last item"),
        (Row(tables=[1]), "Row.tables is of type list"),
        (Row(tables=([1],)), r"Row.tables.0 is of type list; give an integer of 64 bits, or an array of them or of"),
        (Row(tables=(np.array([2**70]),)), r"Row.tables.0 is an array of object; give .* such as np.array\(\[0.5\]\)"),
        (Row(tables=(1, 1 << 63)), "Row.tables.1 has an integer of more than 64 bits"),
        (Row(tables=(np.array([1 << 63]),)), "Row.tables.0 has an integer of more than 64 bits"),
    ],
)
def test_a_wrong_root_and_wrong_tables_are_refused(spec, said):
    with pytest.raises(MinesError, match=said):
        build(spec)
    for join in (lambda: spec & Row(len(spec.items)), lambda: Row(len(spec.items)) & spec):
        with pytest.raises(MinesError, match=said):
            join()


@pytest.mark.parametrize(
    ("child", "said"),
    [
        (returns_nine, r"Failing.child returned 9, at item 3 \(3\), from the state \(0,\); it returns GO, DEAD"),
        (reads_beyond, r"Failing.child fails at item 4 \(4\), from the state \(0,\) of 1 integer, .*index 2"),
        (lambda state, level, taken, tables: state[0] <= 4, "Failing.child returned True, at item 0"),
        (lambda state, level, taken, tables: state, "Failing.child returned an array, at item 0"),
    ],
)
def test_errors_of_joined_specs_name_the_one_that_fails(child, said):
    for joined in (Row() & failing(child)(), failing(child)() & Row(), Row() & (Row() & failing(child)()) & Row()):
        with pytest.raises(MinesError, match=said):
            count(joined)


def test_a_part_of_a_join_skips_no_more_than_it_says():
    def skips_one(state, level, taken, tables):
        return DONE if level == 5 else GO + (level == 2)

    for joined in (Row() & failing(skips_one)(), failing(skips_one)() & Row(), Skips(6, 1) & failing(skips_one)()):
        with pytest.raises(MinesError, match=r"Failing.child returned GO \+ 1, at item 2 .*set skips, which is 0"):
            count(joined)


def test_errors_of_joined_specs_name_the_ones_that_were_joined():
    with pytest.raises(MinesError, match=r"3 is no state of \(Row & Row & Row & 2 more\)"):
        reduce(and_, [Row()] * 5).step(3, 0, True)
    with pytest.raises(MinesError, match="a spec such as Paths"):
        Row() & 3


@pytest.mark.ci
@pytest.mark.parametrize("compiled", [False, SLOW])
def test_a_long_chain_of_specs_is_a_balanced_tree(compiled, monkeypatch):
    """One of two items each; a nested chain of 60 cannot be compiled."""
    if compiled:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    n = 60
    chain = [Linear({i: int(i // 2 == k) for i in range(2 * n)}, 1) for k in range(n)]
    joined = reduce(and_, chain)

    def depth(spec):
        return 1 + max(depth(spec.first), depth(spec.second)) if isinstance(spec, Both) else 0

    assert depth(joined) == 6
    assert count(joined) == 2**n
    assert count(reduce(and_, chain[:7])) == 2**7 * 4**53


def test_a_child_is_a_static_method():
    class Method(Row):
        def child(self, state, level, taken, tables):
            return GO

    with pytest.raises(MinesError, match="@staticmethod"):
        build(Method())
    with pytest.raises(MinesError, match="put @staticmethod above a plain function"):
        build(failing(partial(Row.child))())


def test_a_child_may_have_been_made_numbas():
    numba = pytest.importorskip("numba")
    assert count(failing(numba.njit(Row.child))()) == count(Row())


def pieces(layers):
    return [(level, sizes.tolist(), arcs.tolist()) for level, sizes, arcs in layers.pieces]


@pytest.mark.ci
@pytest.mark.parametrize("name", EDGE_SPECS)
def test_compiled_and_interpreted_make_the_same_states(name, monkeypatch):
    make, _ = EDGE_SPECS[name]
    graph = nx.grid_2d_graph(3, 4)
    nx.set_node_attributes(graph, {0, 2}, "dc")
    graph = nx.convert_node_labels_to_integers(graph)
    interpreted = build(make(graph, None))
    monkeypatch.setenv("MINES_DD_JIT", "always")
    compiled = build(make(graph, None))
    assert interpreted.layer_sizes == compiled.layer_sizes
    assert (interpreted.arcs == compiled.arcs).all()
    assert list(interpreted.states()) == list(compiled.states())


class Pairs(Row):
    """The sums of an item's number and the one before, for all items taken, come to at most 4 times the largest."""

    def __init__(self, numbers):
        super().__init__(tables=(numbers, int(numbers.max())))

    @staticmethod
    def child(state, level, taken, tables):
        numbers, largest = tables
        state[0] += taken * (numbers[level] + numbers[level - 1])
        if state[0] > 4 * largest:
            return DEAD
        return DONE if level == 5 else GO


@pytest.mark.parametrize("compiled", [False, SLOW])
@pytest.mark.parametrize(("kind", "one"), [(np.bool_, 1), (np.int8, 100), (np.uint8, 200), (np.float32, 1)])
def test_numbers_of_tables_add_up_whatever_their_kind(kind, one, compiled, monkeypatch):
    if compiled:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    numbers = one * np.array([1, 1, 0, 1, 1, 1])
    spec, same = Pairs(numbers.astype(kind)), Pairs(numbers)
    assert count(spec) == count(same) == 26
    assert list(build(spec).states()) == list(build(same).states())


SMALL = np.array([100, 120, 90, 70], np.int8)
SMALL_TOO = np.int8(100)


@pytest.mark.parametrize("compiled", [False, SLOW])
def test_numbers_that_a_child_refers_to_add_up_whatever_their_kind(compiled, monkeypatch):
    if compiled:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    smaller = SMALL[::-1]

    def child(state, level, taken, tables):
        state[0] += taken * (SMALL[level % 4] + SMALL[0] + SMALL_TOO + smaller[0] + smaller[3])
        return GO if level < 5 else DONE if state[0] == tables[0] else DEAD

    largest = sum(int(SMALL[level % 4]) + 100 + 100 + 70 + 100 for level in range(6))
    spec = failing(child)(6, (0,), (largest,))
    assert count(spec) == build(spec).to_assignments().count() == 1
    assert spec.step((0,), 0, True) == (470,)


def minimum(one, other):
    return np.minimum(one, other)


def test_a_helper_may_have_the_name_of_what_it_calls():
    def child(state, level, taken, tables):
        state[0] = minimum(state[0] + taken, 2)
        return GO if level < 5 else FREE

    assert count(failing(child)()) == 64


@pytest.mark.parametrize("run", [count, build])
def test_a_child_that_never_ends_is_stopped_in_time(run):
    def child(state, level, taken, tables):
        while level == 3:
            state[0] += 1
        return GO

    with pytest.raises(BudgetExceededError, match=r"not done after 0\.2 seconds"):
        run(failing(child)(), Budget(timeout=0.2))


TOO_LARGE = np.array([1 << 63], np.uint64)


def test_what_a_child_refers_to_has_64_bits_with_its_sign():
    def child(state, level, taken, tables):
        return GO if level < 5 and TOO_LARGE[0] else DONE

    with pytest.raises(MinesError, match="child refers to TOO_LARGE, which has an integer of more than 64 bits"):
        count(failing(child)())


def test_the_number_of_an_item_is_a_whole_number_of_python():
    halves = failing(lambda state, level, taken, tables: GO if 2 ** (level - 3) < 1 else FREE)
    assert count(halves(6)) == 64


@pytest.mark.parametrize(
    "name", ["paths", "hamiltonian paths", "cycles", "hamiltonian cycles", "forests", "spanning trees", "steiner trees"]
)
def test_edges_that_cannot_be_taken_are_skipped(name):
    make, _ = EDGE_SPECS[name]
    side = 3 if name in ("forests", "spanning trees", "steiner trees") else 4  # there are 3 million forests of 4 x 4
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side))
    skipping, whole = build(make(graph, None)), build(make(graph, None), prune=False)
    assert skipping.node_count < whole.node_count
    assert set(skipping.to_assignments()) == set(whole.to_assignments())
    assert skipping.reduced().node_count == whole.reduced().node_count
    states = list(skipping.states())
    assert [len(layer) for layer in states] == skipping.layer_sizes


def test_a_vertex_on_no_path_with_one_edge_to_come_is_as_good_as_inside():
    spec = Paths(nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 5)), 0, 19)
    waiting = []
    for level, states in enumerate(build(spec).states()):
        coming = Counter(x for edge in spec.items[level:] for x in edge)
        for state in states:
            mates = [part.split(":") for part in spec.show(state, level).split()]
            waiting += [coming[int(x)] for x, mate in mates if x == mate]
    assert set(waiting) == {2, 3}


class Skips(Spec):
    """The sets with no two of `gap + 1` neighbours in a row; the state is always 0."""

    def __init__(self, n=9, gap=2):
        self.items, self.root, self.tables, self.skips = range(n), (0,), (n - 1, gap), gap

    @staticmethod
    def child(state, level, taken, tables):
        last, gap = tables
        skipped = min(gap, last - level) if taken else 0
        return DONE if level + skipped == last else GO + skipped


def test_products_of_specs_that_skip():
    for n, one, other in [(9, 2, 3), (9, 4, 1), (7, 0, 2), (8, 1, 1)]:
        wanted = {
            frozenset(s) for s in subsets(range(n)) if all(b - a > max(one, other) for a, b in itertools.pairwise(s))
        }
        for spec in (Skips(n, one) & Skips(n, other), Skips(n, other) & Skips(n, one)):
            assert set(build(spec).to_assignments()) == wanted
            assert count(spec) == len(wanted)
        few = {s for s in build(Skips(n, one)).to_assignments() if len(s) <= 2}
        light = Skips(n, one) & Knapsack(dict.fromkeys(range(n), 1), 2)
        assert set(build(light).to_assignments()) == few
        assert count(light) == len(few)


def test_a_spec_that_skips_more_than_it_says_is_told():
    spec = Skips(9, 2)
    spec.skips = 1
    with pytest.raises(
        MinesError, match=r"Skips.child returned GO \+ 2, at item 0 .*set skips, which is 1, to 2 or more"
    ):
        build(spec)
    for wrong in (9, 1.0):
        spec.skips = wrong
        with pytest.raises(MinesError, match=f"Skips.skips is {wrong}; it is a whole number from 0 to 4"):
            count(spec)
    spec.skips = np.int64(2)
    assert build(spec).to_assignments().count() == count(spec)


def test_an_end_written_as_a_number_is_told_from_a_state():
    spec = Skips()
    spec.root = DONE
    with pytest.raises(MinesError, match=r"Skips.root is 1; .* did you mean \(1,\), or End.DONE\?"):
        count(spec)


def test_an_edge_from_its_other_end_is_named_and_not_denied():
    matchings = build(Matchings(nx.cycle_graph(4))).to_assignments()
    assert {(0, 3), (1, 2)} in matchings
    with pytest.raises(MinesError, match=r"\(3, 0\) is not one of .cells.*did you mean \(0, 3\)"):
        assert {(3, 0), (1, 2)} in matchings
    assert {(3, 0), (0, 1)} not in matchings  # nor would it be one
    assert {(0, 2)} not in matchings


@pytest.mark.parametrize("block", [1, 3, 50])
def test_blocks_change_nothing(block, monkeypatch):
    spec = Paths(nx.grid_2d_graph(4, 4), (0, 0), (3, 3))
    whole = build(spec)
    monkeypatch.setattr(builder, "_BLOCK", block)
    parts = build(spec)
    assert (whole.arcs == parts.arcs).all()
    assert parts.layer_sizes == whole.layer_sizes
    assert parts.to_assignments().count() == whole.to_assignments().count() == count(spec) == 184


@pytest.mark.ci
@pytest.mark.parametrize("run", [build, count])
def test_limits_hold_for_specs(run, monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    spec = Paths(nx.grid_2d_graph(12, 12), (0, 0), (11, 11))
    with pytest.raises(BudgetExceededError) as caught:
        run(spec, Budget(max_nodes=1_000_000))
    assert 1_000_000 < caught.value.needed < 1_500_000
    started = time.monotonic() - compile_seconds()
    with pytest.raises(BudgetExceededError):
        run(Paths(nx.grid_2d_graph(16, 16), (0, 0), (15, 15)), Budget(timeout=0.5))
    assert time.monotonic() - compile_seconds() - started < 5


@pytest.mark.ci
def test_memory_is_asked_for_before_it_is_taken(monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    asked = []
    monkeypatch.setattr(Budget, "reserve", lambda self, size: asked.append(size))
    count(Paths(nx.grid_2d_graph(9, 9), (0, 0), (8, 8)))
    assert max(asked) >= 2**14


# What is kept on disk

OWN_SPEC = """
import sys, time
from typing import NamedTuple
import numpy as np
from mines_dd.frontier import DEAD, DONE, GO, Spec, count

MOST = {most}

def too_many(k):
    return k > MOST

class Tables(NamedTuple):
    weight: np.ndarray
    last: int

class AtMost(Spec):
    def __init__(self, n):
        self.items, self.root, self.tables = range(n), (0,), Tables(np.ones(n, np.int64), n - 1)

    @staticmethod
    def child(state, level, taken, tables):
        state[0] += taken * tables.weight[level]
        if too_many(state[0]):
            return DEAD
        return DONE if level == tables.last else GO

started = time.process_time()
import numba
imported = time.process_time()
print(count(AtMost(30)), time.process_time() - imported)
"""


def run_own_spec(path, most, cache):
    path.write_text(OWN_SPEC.format(most=most))
    env = {**os.environ, "MINES_DD_JIT": "always", "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": os.getcwd()}
    done = subprocess.run([sys.executable, path], env=env, capture_output=True, text=True, timeout=300, check=True)
    ways, seconds = done.stdout.split()
    return int(ways), float(seconds), len(list(cache.rglob("*.nbc"))), "compiling AtMost" in done.stderr


@pytest.mark.slow  # tests/base/test_jit.py has it of a small function
def test_a_second_process_loads_what_the_first_compiled_and_a_changed_constant_is_compiled_anew(tmp_path):
    cache, script = tmp_path / "cache", tmp_path / "own.py"
    ways, first, files, _ = run_own_spec(script, 2, cache)
    assert ways == 1 + 30 + 435
    again, second, files_then, announced = run_own_spec(script, 2, cache)
    assert (again, files_then, announced) == (ways, files, False)
    assert second < 0.5 * first
    changed, _, files_now, _ = run_own_spec(script, 3, cache)
    assert changed == ways + 4060
    assert files_now > files


def test_a_child_of_states_of_one_integer_does_the_same_with_its_index_known():
    spec = Paths(nx.grid_2d_graph(4, 3), (0, 0), (3, 2))
    child = fields.in_one_integer(spec.child)
    layers = [{spec.root}, *(set() for _ in spec.items)]
    for level in range(len(spec.items)):
        for state, taken in itertools.product(layers[level], range(2)):
            one, other = np.array(state), np.array(state)
            code = spec.child(one, level, taken, spec.tables)
            assert child(other, level, taken, spec.tables) == code
            if code >= GO:
                assert one.tolist() == other.tolist()
                layers[level + 1 + code - GO].add(tuple(one.tolist()))
    assert child is not spec.child
    assert sum(map(len, layers)) > 40


@pytest.mark.parametrize("bits", [1, 2, 3, 7, 31])
def test_fields_of_a_value_are_replaced_and_no_others(bits):
    mask, place = (1 << bits) - 1, fields.places(70, bits)
    rng = random.Random(bits)
    for _ in range(30):
        old, new = rng.randint(1, mask), rng.randint(0, mask)
        values = [rng.choice([0, old, new, rng.randint(0, mask)]) for _ in place]
        state = np.zeros(fields.words_for(len(place), bits), np.int64)
        for at, value in zip(place, values, strict=True):
            fields.put(state, at, mask, value)
        fields.replace(state, fields.units(bits), bits, old, new)
        assert [fields.get(state, at, mask) for at in place] == [new if value == old else value for value in values]


def test_degrees_get_an_automatic_order_that_suits_their_ranks():
    grid = nx.grid_2d_graph(6, 6)
    for allowed, order in [({0, 2}, "rows"), ({1, 2}, "rows"), ({1}, "breadth-first"), ({0, 2, 4}, "breadth-first")]:
        nx.set_node_attributes(grid, allowed, "dc")
        assert list(DegreeConstrained(grid, "auto").items) == graph_edge_order(grid, order)


def test_paths_and_forests_get_an_automatic_order_each_that_suits_their_states():
    grid = nx.grid_2d_graph(6, 6)
    for spec, better, worse in (
        (lambda order: Cycles(grid, order), "rows", "breadth-first"),
        (lambda order: Forests(grid, order), "breadth-first", "rows"),
    ):
        nodes = {order: build(spec(order)).node_count for order in ("auto", better, worse)}
        assert nodes["auto"] == nodes[better] < nodes[worse]


LIMIT = 3


class FewByAGlobal(Spec):
    """Subsets of at most `LIMIT` items; states enough to be compiled."""

    def __init__(self, n):
        self.items, self.root, self.tables = tuple(range(n)), (0, 0), (n,)

    @staticmethod
    def child(state, level, taken, tables):
        if taken:
            state[0] += 1
            state[1] = (state[1] * 7 + level) % 100003
            if state[0] > LIMIT:
                return DEAD
        return DONE if level == tables[0] - 1 else GO


@pytest.mark.ci
def test_what_a_spec_reads_outside_of_its_tables_may_change(monkeypatch):
    both = FewByAGlobal(10) & FewByAGlobal(10)
    for limit in (3, 2, 1):
        monkeypatch.setitem(globals(), "LIMIT", limit)
        for n in (10, 60):
            assert count(FewByAGlobal(n)) == sum(comb(n, k) for k in range(limit + 1))
        assert count(both) == count(FewByAGlobal(10))


def test_a_spec_may_be_made_by_code_without_a_module():
    source = inspect.getsource(FewByAGlobal) + "found = count(FewByAGlobal(10))"
    scope = {"Spec": Spec, "LIMIT": 2, "DEAD": DEAD, "DONE": DONE, "GO": GO, "count": count}
    exec(source, scope)
    assert scope["found"] == 56


class AtMost(Spec):
    """At most so many, which says nothing of any item where that is no bound."""

    def __init__(self, items, most):
        self.items, self.root, self.tables = tuple(items), End.FREE, ()
        if most < len(self.items):
            self.root, self.tables = (0, 0), (most, len(self.items) - 1)

    @staticmethod
    def child(state, level, taken, tables):
        most, last = tables
        state[0] += taken
        if state[0] > most:
            return DEAD
        return FREE if level == last else GO


@pytest.mark.parametrize("compiled", [False, SLOW])
def test_a_spec_with_nothing_to_decide_is_joined_to_others(compiled, monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always" if compiled else "")
    four = Exactly(range(4), 2)
    assert count(four & AtMost(range(4), 9)) == 6
    if not compiled:
        alone = nx.empty_graph(3)
        alone.add_edge(0, 1)
        assert count(AtMost(range(4), 9) & four) == 6
        assert count(ConnectedSubgraphs(alone, [2]) & Matchings(alone)) == 1


def test_joined_specs_can_be_sent_to_other_processes():
    forests = Forests(nx.grid_2d_graph(3, 3))
    both = forests & Exactly(forests.items, 3)
    assert count(pickle.loads(pickle.dumps(both))) == count(both) == 220
    assert pickle.loads(pickle.dumps(build(both))).to_assignments().count() == 220


def test_a_float_is_the_decimal_number_that_it_is_written_as():
    assert count(Knapsack([0.1] * 10, 0.3)) == sum(comb(10, k) for k in range(4))
    with pytest.raises(MinesError, match="weights in a set have no order"):
        Knapsack({1, 2, 3}, 3)
    assert count(Linear(dict.fromkeys("abcdefghij", 0.1), 0.3)) == comb(10, 3)


def test_joined_specs_stay_as_they_were_joined():
    part = AtMost(range(4), 2)
    joined = part & Exactly(range(4), [1, 2])
    part.root = End.FREE
    assert count(joined) == 10
    part.tables = ()
    assert count(joined) == 10


@pytest.mark.parametrize("k", [7, range(4)])
def test_where_nothing_is_left_to_decide_there_are_no_states(k):
    assert list(build(Exactly("abc", k)).states()) == []


def test_a_hub_decided_first_is_no_more_work_than_one_decided_last():
    star = nx.star_graph(2000)
    assert count(IndependentSets(star)) == count(IndependentSets(star, [*range(1, 2001), 0])) == 2**2000 + 1


@pytest.mark.parametrize("run", [build, count])
def test_a_child_that_gives_its_state_another_value_is_refused(run):
    class AtMostTwo(Spec):
        def __init__(self, items):
            self.items, self.root, self.tables = tuple(items), (0,), (len(items) - 1,)

    class Lost(AtMostTwo):
        @staticmethod
        def child(state, level, taken, tables):
            state = state + taken
            return DEAD if state[0] > 2 else DONE if level == tables[0] else GO

    class Kept(AtMostTwo):
        @staticmethod
        def child(state, level, taken, tables):
            state += taken
            return DEAD if state[0] > 2 else DONE if level == tables[0] else GO

    with pytest.raises(MinesError, match=r"Lost.child gives state another value, which is lost; .* in line \d+ of"):
        run(Lost("abcde"))
    assert count(Kept("abcde")) == 16


_forests_child = Forests.child


class FewForests(Forests):
    """Forests of at most so many edges: the state of a packaged spec, and one number more."""

    def __init__(self, graph, most):
        super().__init__(graph)
        self.root = (*self.root, 0)
        self.tables = self.tables, most

    @staticmethod
    def child(state, level, taken, tables):
        inner, most = tables
        state[-1] += taken
        return DEAD if state[-1] > most else _forests_child(state[:-1], level, taken, inner)


@pytest.mark.parametrize("setting", ["", "always"])
def test_a_users_child_calls_that_of_a_packaged_spec(setting, monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", setting)
    graph = nx.grid_2d_graph(3, 3)
    spec = Forests(graph)
    assert count(FewForests(graph, 6)) == count(spec & Exactly(spec.items, range(7))) > 1000
