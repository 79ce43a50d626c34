"""Predictions of how many states a search will make, and the refusals that rest on them."""

import random
from functools import partial
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

from experiments import predictions
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError
from mines_dd.diagrams import queries
from mines_dd.frontier import (
    DONE,
    GO,
    ConnectedSubgraphs,
    Cycles,
    Exactly,
    Forests,
    IndependentSets,
    Knapsack,
    Linear,
    Matchings,
    Paths,
    Plan,
    Spec,
    build,
    builder,
    count,
    plan,
    topdown,
    widths,
)
from mines_dd.frontier.builder import first_widths
from mines_dd.frontier.widths import predicted
from mines_dd.orders.edges import frontier_widths

pytestmark = pytest.mark.usefixtures("interpreted_unless_asked")

GRID, SMALL = nx.grid_2d_graph(6, 6), nx.grid_2d_graph(4, 5)
PROBLEMS = {
    "paths": Paths(GRID, (0, 0), (5, 5)),
    "cycles": Cycles(GRID),
    "forests": Forests(GRID),
    "connected": ConnectedSubgraphs(GRID, [(0, 0), (5, 5)]),
    "independent": IndependentSets(GRID),
    "matchings": Matchings(GRID),
    "snacks": Knapsack({i: 3 + i * i % 11 for i in range(40)}, 90),
    "both": Forests(SMALL) & Exactly(Forests(SMALL).items, 10),  # its kernel is made for this test alone
}


@pytest.mark.ci
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_prediction_from_a_part_of_the_layers_is_near_the_real_number_of_states(name):
    spec = PROBLEMS[name]
    full = build(spec).layer_sizes
    for made in range(len(full) // 3, len(full)):
        found = predicted(spec, full[:made])
        assert 1 / 5 < found.states / sum(full) < 5
        assert found.made == made


def test_the_experiment_compares_predictions_of_grids_networks_and_trees_with_all_states():
    forests = Forests(nx.grid_2d_graph(5, 6), "listed")
    one = ["forests", "listed", 1000, plan(forests, 1000).states, build(forests).node_count]
    found = predictions.run({"kind": "grids", "graph": "5 x 6", "most": 10_000})["found"]
    assert [each for each in found if each[0] == "forests"] == [one]
    graphs = predictions.jobs(SimpleNamespace(vertices=4, trees=1, most=1))
    assert [job["graph"] for job in graphs if job["kind"] != "networks"] == ["2 x 2", "50, 0", "100, 0", "200, 0"]
    assert nx.is_tree(predictions.graph_for("trees", "50, 0"))


@pytest.mark.ci
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_plan_that_makes_all_states_is_exact(name):
    diagram = build(PROBLEMS[name])
    sizes = diagram.layer_sizes
    assert plan(PROBLEMS[name]) == Plan(len(sizes), diagram.node_count, max(sizes))
    with pytest.raises(BudgetExceededError, match="1 is allowed"):
        plan(PROBLEMS[name], budget=Budget(max_nodes=1))
    assert first_widths(PROBLEMS[name], 10**6) == sizes


@pytest.mark.parametrize("name", ["paths", "cycles", "forests"])
def test_layers_of_a_grid_come_near_what_is_full_and_do_not_exceed_it(name):
    full, real = PROBLEMS[name].full_widths(), build(PROBLEMS[name]).layer_sizes
    assert all(r <= 1.5 * f for r, f in zip(real, full, strict=True))
    assert sum(real) > 0.5 * sum(full)


class Unknown(Spec):
    """All sets; nothing is known of its states."""

    items = range(30)
    root = (0,)

    @staticmethod
    def child(state, level, taken, tables):
        state[0] += taken
        return 2 if level == 29 else 3


@pytest.mark.ci
def test_sums_of_which_few_are_open_are_predicted_as_few():
    rng = random.Random(1)
    for _ in range(200):
        weights = {i: rng.randint(-5, 9) for i in range(rng.randint(1, 9))}
        for spec in (
            Linear(weights, {rng.randint(-9, 30) for _ in range(3)}),
            Linear(weights, least=rng.randint(-9, 5), most=rng.randint(0, 30)),
        ):
            full = spec.full_widths()
            assert full is None or all(a <= b for a, b in zip(first_widths(spec, 10**6), full, strict=True))
    weights = [k * 37 % 101 + 1 for k in range(400)]
    nearly_all = Knapsack(dict(enumerate(weights)), sum(weights) - 50)
    assert sum(nearly_all.full_widths()) < 1.1 * plan(nearly_all).states
    assert count(nearly_all, Budget(max_nodes=20_000)) == count(nearly_all)


def test_nothing_is_predicted_of_an_unknown_spec_without_edges():
    assert plan(Unknown(), most=10) is None
    cells = Unknown()
    cells.items = [(i // 6, i % 6) for i in range(30)]  # pairs, too
    assert plan(cells, most=10) is None
    cells.frontier_widths = lambda: np.full(30, 2)  # of an array, too
    assert plan(cells, most=10).states > 10
    others = Unknown()
    others.items = cells.items
    assert list((cells & others).frontier_widths()) == list((others & cells).frontier_widths()) == [2] * 30
    assert plan(Unknown()).states == 30 * 31 // 2


def test_a_problem_that_is_decided_at_once_has_a_plan_without_states():
    assert plan(Exactly([], 0)) == Plan(0, 0, 0)


@pytest.mark.ci
@pytest.mark.parametrize("function", [build, count])
@pytest.mark.parametrize("seed", [18, pytest.param(23, marks=pytest.mark.slow)])
def test_a_search_that_fits_its_limit_is_done_whatever_is_predicted(function, seed):
    """On trees in a bad order predictions are far too large."""
    tree = nx.random_labeled_tree(60 + seed, seed=seed)
    paths = Paths(tree, 0, 59 + seed)
    sizes = build(paths).layer_sizes
    nodes = sum(sizes)
    assert max(predicted(paths, sizes[:made]).states for made in range(10, len(sizes))) > 10 * nodes
    assert function(paths, Budget(max_nodes=nodes))
    with pytest.raises(BudgetExceededError, match=f"{nodes - 1:,} are allowed") as caught:
        function(paths, Budget(max_nodes=nodes - 1))
    assert caught.value.unit == "nodes"


class EverySecond(Spec):
    """All sets of every second edge of a path; each has a state of its own, and the others have none."""

    items = tuple(nx.path_graph(21).edges)
    root = (0,)
    skips = 1

    def frontier_widths(self):
        return frontier_widths(self.items)

    @staticmethod
    def child(state, level, taken, tables):
        state[0] = 2 * state[0] + taken
        return DONE if level >= 18 else GO + 1


def test_layers_that_are_skipped_are_no_sign_that_a_search_ends():
    full = build(EverySecond()).layer_sizes
    assert full[:5] == [1, 0, 2, 0, 4]
    for made in range(1, len(full) - 4):
        assert predicted(EverySecond(), full[:made]).states > sum(full[:made])
        assert predicted(EverySecond(), [*full[:made], 0, 0]).states == sum(full[:made])


@pytest.mark.ci
def test_paths_of_a_tree_that_skip_whole_layers_are_predicted():
    paths = Paths(nx.balanced_tree(2, 6), 0, 126, order="near")
    sizes = first_widths(paths, 100_000)
    assert 0 in sizes[:20]
    for made in range(1, len(sizes)):
        assert predicted(paths, sizes[:made]).made == made


@pytest.mark.ci
@pytest.mark.parametrize("function", [build, count])
def test_a_search_that_memory_cannot_hold_is_refused_before_it_is_taken(function, monkeypatch):
    monkeypatch.setattr(builder, "_LOOK_AHEAD", 1 << 12)
    with pytest.raises(BudgetExceededError, match=r"states, which take [0-9,.e+]+ GiB, and .* GiB are free") as caught:
        function(Forests(nx.grid_2d_graph(60, 60)))
    assert caught.value.unit == "bytes"


def test_a_lack_of_memory_is_an_error_like_the_others(monkeypatch):
    def full(*_, **__):
        raise MemoryError

    diagram = build(PROBLEMS["paths"])
    family = build(PROBLEMS["matchings"]).to_assignments()
    monkeypatch.setattr(builder, "_Driver", full)
    monkeypatch.setattr(topdown, "reduce_layers", full)
    for query in ("count", "given", "cheapest", "counts_by_mines"):
        monkeypatch.setattr(queries, query, full)
    for ask in (
        *(partial(run, PROBLEMS["forests"]) for run in (build, count, plan)),
        *(diagram.reduced, diagram.to_assignments, family.count, family.given, family.counts_by_mines),
        partial(family.cheapest, {}),
    ):
        with pytest.raises(BudgetExceededError, match="more memory than the process may use"):
            ask()


@pytest.mark.slow
def test_a_search_that_fits_is_not_refused(monkeypatch):
    monkeypatch.setattr(builder, "_LOOK_AHEAD", 100)  # of the memory
    for spec in PROBLEMS.values():
        assert count(spec, Budget(max_nodes=100_000)) == build(spec).to_assignments().count()


@pytest.mark.ci
def test_joined_specs_are_not_refused_by_what_is_predicted_of_all_pairs():
    grid = nx.grid_2d_graph(5, 5)
    joined = ConnectedSubgraphs(grid, [(0, 0), (4, 4)]) & Forests(grid) & Forests(grid)
    nodes = build(joined).node_count
    assert build(joined, Budget(max_nodes=nodes)).node_count == nodes


def test_independent_sets_of_a_graph_with_many_edges_are_not_refused_by_a_prediction(monkeypatch):
    monkeypatch.setattr(widths, "available_memory", lambda: 1)
    spec = IndependentSets(nx.complement(nx.gnp_random_graph(100, 0.1, seed=1)))
    widths.refuse_too_large(spec, [1, 2], True, "")
    assert max(spec.full_widths()) < 2**40


def test_predictions_beyond_all_doubles_are_cut():
    found = plan(Forests(nx.wheel_graph(1000)), most=100)
    assert 10**299 < found.widest < found.states < 10**305
