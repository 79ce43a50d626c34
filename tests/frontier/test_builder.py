"""The top-down builder and its problems, against brute force and against the other methods."""

import itertools
import random
import re
import time
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from xml.etree import ElementTree

import naive
import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

from experiments import ablation, frontier, topdown
from experiments.ablation import hint_by_hint
from experiments.topdown import stand_in
from mines_dd import Board, mine_graph, solve, subgraphs
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError, GraphFormatError, MinesError
from mines_dd.compilers.dc import degree_constrained
from mines_dd.constraints.graph import Instance, degree_constraint
from mines_dd.frontier import (
    DEAD,
    DONE,
    FREE,
    GO,
    AllDegrees,
    DegreeConstrained,
    End,
    Forests,
    Knapsack,
    Linear,
    Matchings,
    Paths,
    Spec,
    build,
    builder,
    count,
)
from mines_dd.frontier.edges import numbered_edges
from mines_dd.orders.edges import edge_order

pytestmark = pytest.mark.usefixtures("interpreted_unless_asked")

SVG = "{http://www.w3.org/2000/svg}"

SWITCHES = list(itertools.product((False, True), repeat=2))


def subsets(items):
    return itertools.chain.from_iterable(itertools.combinations(items, k) for k in range(len(items) + 1))


def family(problem, **switches):
    """All sets of a problem, each seen once."""
    found = list(build(problem, **switches).to_assignments())
    assert len(found) == len(set(found))
    return set(found)


def affordable(weights, capacity):
    return {frozenset(s) for s in subsets(weights) if sum(map(weights.get, s)) <= capacity}


def degree_constrained_sets(graph):
    """By trying every set of edges."""
    return {
        frozenset(edges)
        for edges in subsets(graph.edges)
        if all(sum(v in e for e in edges) in graph.nodes[v]["dc"] for v in graph)
    }


def random_graph(seed, most_edges=9):
    """A random graph with random constraints, some of which cannot be met."""
    rng = random.Random(seed)
    graph = nx.gnm_random_graph(rng.randint(1, 6), rng.randint(0, most_edges), seed)
    for v in graph:
        n = graph.degree(v)
        graph.nodes[v]["dc"] = {0, n} if rng.random() < 0.3 else set(rng.sample(range(n + 2), rng.randint(1, n + 1)))
    return graph


def naive_frontier(graph, order, share):
    """The sizes of the layers when the state is the degrees of the vertices on the frontier, in plain Python."""

    def possible(x, degree, coming):
        return any(degree <= k <= degree + coming for k in graph.nodes[x]["dc"])

    coming = dict(graph.degree)
    states = [()] if all(possible(x, 0, coming[x]) for x in graph) else []
    sizes = []
    for edge in order:
        sizes.append(len(states))
        for x in edge:
            coming[x] -= 1
        after = []
        for state, taken in itertools.product(states, (0, 1)):
            degrees = dict(state)
            for x in edge:
                degrees[x] = degrees.get(x, 0) + taken
            if all(possible(x, degrees[x], coming[x]) for x in edge):
                after.append(tuple(sorted((x, d) for x, d in degrees.items() if coming[x])))
        states = list(dict.fromkeys(after)) if share else after
    return sizes


def shuffled_edges(graph, seed):
    edges = list(graph.edges)
    random.Random(seed).shuffle(edges)
    return edges


# Knapsacks


@given(st.lists(st.integers(0, 9), max_size=8), st.integers(-1, 40))
def test_a_knapsack_is_the_sets_that_weigh_no_more_than_allowed_however_it_is_built(weights, capacity):
    weights = dict(enumerate(weights))
    wanted = affordable(weights, capacity)
    for share, prune in SWITCHES:
        assert family(Knapsack(weights, capacity), share=share, prune=prune) == wanted


def test_the_articles_overweight_basket_is_pruned_to_false():
    assert Knapsack({"bought": 270, "wanted": 40}, 300).step((270,), 1, True) is End.DEAD


def test_the_articles_rest_that_fits_in_is_pruned_to_true_with_every_item_free():
    problem = Knapsack(dict.fromkeys(range(1, 6), 100), 300)
    assert problem.step((100,), 2, False) is End.FREE
    assert problem.step((100,), 1, False) == (100,)
    taken = build(problem).to_assignments().given(mines=[1], safe=[2, 3])
    assert set(taken) == {frozenset(s) for s in ({1}, {1, 4}, {1, 5}, {1, 4, 5})}


def test_the_articles_rest_that_is_too_dear_is_pruned_to_true_without_any_item():
    problem = Knapsack(dict.fromkeys(range(1, 6), 200), 300)
    assert problem.step((0,), 0, True) is End.DONE
    assert problem.step((0,), 0, False) == (0,)
    assert set(build(problem).to_assignments().given(mines=[1])) == {frozenset({1})}


def test_both_kinds_of_true_are_read_as_they_are_meant_in_one_diagram():
    diagram = build(Knapsack(dict.fromkeys("abcde", 100), 300))
    assert diagram.node_count == 6
    assert diagram.layer_sizes == [1, 2, 2, 1, 0]
    assert diagram.ends == {End.DEAD: 0, End.FREE: 3, End.DONE: 2}
    assert diagram.to_assignments().counts_by_mines() == {0: 1, 1: 5, 2: 10, 3: 10}


def test_an_unpruned_tree_has_a_node_for_every_set_of_the_items_before():
    diagram = build(Knapsack(dict.fromkeys("abcde", 100), 300), share=False, prune=False)
    assert diagram.layer_sizes == [1, 2, 4, 8, 16]
    assert diagram.ends.total() == 32


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-5, 9)), min_size=1, max_size=8), st.integers(0, 30))
def test_the_best_basket_is_the_cheapest_set(snacks, capacity):
    weights = {i: weight for i, (weight, _) in enumerate(snacks)}
    costs = {i: -pleasure for i, (_, pleasure) in enumerate(snacks)}
    ranking = build(Knapsack(weights, capacity)).to_assignments().cheapest(costs, 3)
    wanted = sorted(sum(map(costs.get, basket)) for basket in affordable(weights, capacity))
    assert [cost for cost, _ in ranking] == wanted[:3]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(0, 30), st.integers(0, 99))
def test_samples_counts_and_probabilities_work_on_a_top_down_diagram(weights, capacity, seed):
    weights = dict(enumerate(weights))
    wanted = affordable(weights, capacity)
    baskets = build(Knapsack(weights, capacity)).to_assignments()
    assert baskets.count() == len(wanted)
    assert baskets.counts_by_mines() == naive.counts_by_mines(wanted)
    assert baskets.probabilities() == naive.probabilities(list(weights), wanted)
    assert set(baskets.sample(5, seed)) <= wanted
    assert all(basket in baskets for basket in wanted)


def test_the_items_of_a_list_of_weights_are_its_places():
    assert family(Knapsack([3, 1, 2], 3)) == family(Knapsack({0: 3, 1: 1, 2: 2}, 3))


def test_a_negative_weight_is_refused():
    with pytest.raises(MinesError, match="'gum' weighs -1"):
        Knapsack({"gum": -1}, 300)


@pytest.mark.parametrize(("capacity", "count"), [(-1, 0), (0, 1)])
def test_a_knapsack_without_items_takes_nothing_or_does_not_exist(capacity, count):
    assert build(Knapsack({}, capacity)).to_assignments().count() == count


# Degree-constrained subgraphs


@given(st.integers(0, 10**6))
def test_degree_constrained_subgraphs_are_those_of_brute_force_however_they_are_built(seed):
    graph = random_graph(seed)
    order = shuffled_edges(graph, seed)
    as_listed = {frozenset(e): e for e in order}
    wanted = {frozenset(as_listed[frozenset(e)] for e in edges) for edges in degree_constrained_sets(graph)}
    specs = AllDegrees(graph, order), DegreeConstrained(graph, order)
    graph.clear()  # a spec stays as it was made
    order.clear()
    for spec in specs:
        for share, prune in SWITCHES:
            assert family(spec, share=share, prune=prune) == wanted


@given(st.integers(0, 10**6))
def test_the_frontier_builds_the_states_and_the_diagram_of_the_compiled_kernel(seed):
    graph = random_graph(seed, most_edges=14)
    order = shuffled_edges(graph, seed)
    ends = [(u, v) for u, v in order]  # vertices are numbers
    allowed = [graph.nodes[v]["dc"] for v in graph]
    shared, tree = (build(DegreeConstrained(graph, order), share=share) for share in (True, False))
    assert tree.layer_sizes == naive_frontier(graph, order, share=False)
    # equal states are merged, and degrees that have the same future
    plain = naive_frontier(graph, order, share=True)
    assert all(n <= m for n, m in zip(shared.layer_sizes, plain, strict=True))
    found = degree_constrained(ends, allowed)
    assert shared.layer_sizes == found.layers.tolist()
    assert shared.reduced().node_count == tree.reduced().node_count == found.diagram.node_count
    assert shared.to_assignments().count() == tree.to_assignments().count() == subgraphs(graph).count()


@given(st.integers(0, 10**6))
def test_a_boards_edge_sets_are_its_mine_assignments(seed):
    board = naive.random_board(seed, most_closed=9)
    graph = mine_graph(board)
    assume(graph.number_of_edges() <= 40)
    diagram = build(DegreeConstrained(graph))
    if graph.number_of_edges():
        allowed = [degree_constraint(graph, vertex) for vertex in graph]
        by_number = degree_constrained(numbered_edges(graph, diagram.spec.items)[1], allowed)
        assert diagram.layer_sizes == by_number.layers.tolist()
    found = diagram.to_assignments()
    as_cells = [frozenset(cell for cell, _ in edges) for edges in found]
    assert len(as_cells) == len(set(as_cells))
    assert set(as_cells) == set(solve(board)) == naive.assignments(Instance.from_board(board))


def test_the_stand_in_has_the_articles_numbers():
    graph = stand_in()
    full, tree = (build(AllDegrees(graph), share=on, prune=on) for on in (True, False))
    assert full.node_count + 1 == 56
    assert tree.node_count == 8191
    assert build(DegreeConstrained(graph)).node_count == 35
    assignments = full.to_assignments()
    assert assignments.count() == 6
    marginals = {cell: str(p) for (cell, _), p in assignments.probabilities().items()}
    assert marginals == {"v1": "1/2", "v2": "2/3", "v3": "1/2", "v4": "2/3", "v5": "2/3"}


@given(st.integers(0, 10**6))
def test_sharing_does_nothing_on_a_pruned_mine_graph_in_any_order_of_edges(seed):
    graph = mine_graph(naive.random_board(seed, most_closed=8))
    problem = AllDegrees(graph, shuffled_edges(graph, seed))
    assert build(problem).layer_sizes == build(problem, share=False).layer_sizes


@pytest.mark.ci
@given(st.integers(0, 10**6))
def test_sharing_alone_does_something_if_the_edges_but_the_last_close_a_cycle(seed):
    graph = mine_graph(naive.random_board(seed, most_closed=5))
    assume(1 < graph.number_of_edges() <= 12)
    order = shuffled_edges(graph, seed)
    problem = AllDegrees(graph, order)
    shared, tree = (build(problem, share=share, prune=False).node_count for share in (True, False))
    assert (shared < tree) == (not nx.is_forest(nx.Graph(order[:-1])))


@given(st.integers(0, 10**6))
def test_later_pruning_leaves_sharing_nothing_either_if_the_edges_come_cell_by_cell(seed):
    graph = mine_graph(naive.random_board(seed, most_closed=8))
    problem = AllDegrees(graph, tests="last edge")
    assert build(problem).layer_sizes == build(problem, share=False).layer_sizes
    assert build(problem).to_assignments().count() == solve(graph).count()


def test_later_pruning_leaves_sharing_something_if_the_edges_come_hint_by_hint():
    problem = AllDegrees(stand_in(), hint_by_hint(stand_in()), tests="last edge")
    assert build(problem).node_count < build(problem, share=False).node_count


def test_sharing_does_something_once_finished_vertices_are_forgotten():
    board = Board.parse("####\n#22#\n#22#\n####")
    instance = Instance.from_board(board)
    cells = edge_order(instance, range(12)).tolist()
    order = [(instance.cells[cell], instance.hints[hint]) for cell, hint in cells]
    graph = mine_graph(board)
    with_all, with_frontier = (build(kind(graph, order)) for kind in (AllDegrees, DegreeConstrained))
    assert with_frontier.node_count < with_all.node_count
    assert set(with_frontier.to_assignments()) == set(with_all.to_assignments())


@pytest.mark.parametrize("order", [[(0, 1)], [(0, 1), (1, 0)], [(0, 1), (0, 2)]])
def test_an_order_that_is_not_all_edges_once_is_refused(order):
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {1}, "dc")
    with pytest.raises(GraphFormatError, match="each edge of the graph once"):
        DegreeConstrained(graph, order)


@pytest.mark.parametrize(
    ("graph", "said"),
    [(nx.DiGraph([(0, 1)]), "undirected"), (nx.MultiGraph([(0, 1)]), "parallel"), (nx.Graph([(0, 0)]), "itself")],
)
def test_graphs_of_other_kinds_are_refused(graph, said):
    nx.set_node_attributes(graph, {1}, "dc")
    graph.add_node(1)
    for problem in (lambda: DegreeConstrained(graph), lambda: Paths(graph, 0, 1)):
        with pytest.raises(GraphFormatError, match=said):
            problem()


def test_a_vertex_without_a_constraint_is_refused():
    with pytest.raises(GraphFormatError, match="no attribute dc"):
        DegreeConstrained(nx.path_graph(2))


# Paths


@given(st.integers(0, 10**6))
def test_paths_are_those_of_networkx_however_they_are_built(seed):
    rng = random.Random(seed)
    n = rng.randint(2, 6)
    graph = nx.gnm_random_graph(n, rng.randint(0, 9), seed)
    source, target = rng.sample(range(n), 2)
    order = shuffled_edges(graph, seed)
    as_listed = {frozenset(e): e for e in order}
    wanted = {
        frozenset(as_listed[frozenset(e)] for e in path) for path in nx.all_simple_edge_paths(graph, source, target)
    }
    for share, prune in SWITCHES:
        assert family(Paths(graph, source, target, order), share=share, prune=prune) == wanted


@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 12), (3, 184), (4, 8512), (5, 1262816), (6, 575780564)])
def test_paths_across_a_grid_are_as_many_as_known(n, count):
    grid = nx.grid_2d_graph(n + 1, n + 1)
    assert build(Paths(grid, (0, 0), (n, n))).to_assignments().count() == count


def test_the_shortest_path_is_the_cheapest():
    grid = nx.grid_2d_graph(4, 5)
    rng = random.Random(1)
    for *_, data in grid.edges(data=True):
        data["weight"] = rng.randint(1, 20)
    paths = build(Paths(grid, (0, 0), (3, 4))).to_assignments()
    cost, _ = paths.cheapest(nx.get_edge_attributes(grid, "weight"))[0]
    assert cost == nx.shortest_path_length(grid, (0, 0), (3, 4), weight="weight")


@pytest.mark.parametrize(("source", "target"), [(0, 0), (0, 7), (7, 0)])
def test_a_path_needs_two_vertices_of_the_graph(source, target):
    with pytest.raises(GraphFormatError, match="two different vertices"):
        Paths(nx.path_graph(3), source, target)


# The builder


class NoTwoNeighbours(Spec):
    """A spec of our own: no two neighbours of a row; the state says whether the last one is taken."""

    items = range(10)
    root = (0,)

    @staticmethod
    def child(state, level, taken, tables):
        if state[0] and taken:
            return DEAD
        state[0] = taken
        return FREE if level == 9 else GO


def test_a_new_problem_is_a_short_class():
    diagram = build(NoTwoNeighbours())
    assert diagram.node_count == 1 + 2 * 9
    assert diagram.to_assignments().count() == 144  # Fibonacci


def test_a_problem_that_leaves_its_end_open_is_refused():
    class Open(NoTwoNeighbours):
        @staticmethod
        def child(state, level, taken, tables):
            return GO

    with pytest.raises(MinesError, match="after the last item"):
        build(Open())


@pytest.mark.parametrize(
    ("kind", "args"),
    [
        (Knapsack, ([1] * 600, 5)),
        (partial(Linear, least=4), ({i: i % 3 for i in range(600)},)),  # free after any of the items
        (Paths, (nx.grid_2d_graph(150, 2), (0, 0), (149, 1))),  # done after any of the last edges
        (Forests, (nx.grid_2d_graph(100, 2),)),
        (Matchings, (nx.path_graph(700),)),
    ],
    ids=["Knapsack", "Linear", "Paths", "Forests", "Matchings"],
)
@pytest.mark.parametrize("together", [1, 256])
def test_counts_of_many_layers_are_those_of_the_diagram(kind, args, together, monkeypatch):
    monkeypatch.setattr(builder, "_ENDED", together)
    spec = kind(*args)
    assert count(spec) == build(spec).to_assignments().count()


def test_limbs_of_a_number_are_put_together():
    rng = random.Random(1)
    for bits in (*range(200), 61 * 62, 62 * 62, 64 * 62):
        number = rng.getrandbits(bits + 1) | 1 << bits
        limbs = [number >> at & 2**62 - 1 for at in range(0, bits + 1, 62)]
        assert builder._joined(np.array(limbs)) == number


@pytest.mark.parametrize("end", End)
def test_a_problem_that_is_decided_at_once_has_no_nodes(end):
    class Decided(NoTwoNeighbours):
        root = end

    diagram = build(Decided())
    assert diagram.node_count == 0
    assert diagram.to_assignments().count() == {End.DEAD: 0, End.DONE: 1, End.FREE: 2**10}[end]


def test_the_reduction_gives_the_arcs_up_and_they_are_searched_again_when_asked_for():
    spec = Paths(nx.grid_2d_graph(4, 4), (0, 0), (3, 3))
    diagram = build(spec)
    arcs, ends = build(spec).arcs, build(spec).ends
    reduced = diagram.reduced()
    assert diagram.layers.pieces == []
    assert diagram.reduced() is reduced
    assert (diagram.arcs == arcs).all()
    assert diagram.ends == ends


def test_a_diagram_stays_as_it_was_built_whatever_is_assigned_to_its_spec():
    spec = Knapsack(dict.fromkeys("abcde", 1), 2)
    drawn, diagram = build(spec).to_dot(), build(spec)
    other = Knapsack(dict.fromkeys("abcde", 1), 3)
    spec.root, spec.tables = other.root, other.tables
    assert diagram.to_assignments().count() == 1 + 5 + 10
    assert build(spec).to_assignments().count() == 1 + 5 + 10 + 10
    assert diagram.to_dot() == drawn


def test_that_something_else_is_looked_up_than_when_a_diagram_was_built_is_said():
    most = np.array([2])

    class AtMost(Spec):
        items, root, tables = range(5), (0,), (most,)

        @staticmethod
        def child(state, level, taken, tables):
            state[0] += taken
            return DEAD if state[0] > tables[0][0] else DONE if level == 4 else GO

    diagram = build(AtMost())
    diagram.reduced()
    most[0] = 3
    with pytest.raises(MinesError, match=r"AtMost.child looks up has changed since the diagram was built; build it"):
        diagram.to_svg()
    most[0] = 2
    assert diagram.arcs.shape == (12, 2)
    most[0] = 0
    with pytest.raises(MinesError, match="has changed"):
        list(diagram.states())


def test_a_limit_on_nodes_is_kept():
    weights = {i: 2**i for i in range(30)}
    with pytest.raises(BudgetExceededError) as caught:
        build(Knapsack(weights, 2**29), prune=False, budget=Budget(max_nodes=1000))
    assert caught.value.unit == "nodes"


def test_a_limit_on_time_is_kept():
    with pytest.raises(BudgetExceededError) as caught:
        build(Knapsack({1: 1, 2: 2}, 2), budget=Budget(timeout=0))
    assert caught.value.unit == "seconds"


def test_what_was_built_in_time_is_reduced_whenever_it_is_asked_for():
    grid = nx.grid_2d_graph(3, 3)
    budget = Budget(max_nodes=39, timeout=20)
    diagram = build(Forests(grid), budget)
    late = replace(diagram, budget=replace(budget, started=budget.started - 60))
    assert late.to_assignments().node_count == 39  # terminals are not counted
    diagram = build(Forests(grid))
    with pytest.raises(BudgetExceededError, match="38 are allowed"):
        diagram.to_assignments(Budget(max_nodes=38))
    assert diagram.to_assignments(Budget(max_nodes=39)).count() == 3102
    with pytest.raises(BudgetExceededError, match="0 seconds"):  # it is reduced already; what is left has a limit, too
        diagram.to_assignments(Budget(timeout=0))


def test_a_long_row_of_items_needs_no_recursion():
    long = build(Knapsack(dict.fromkeys(range(3000), 1), 1))
    assert long.to_assignments().count() == 3001


def test_the_drawing_has_both_kinds_of_true_and_false_if_asked_for():
    diagram = build(Knapsack({"a": 100, '"d"': 200, "b": 100, "c": 100}, 250))
    text = diagram.to_dot()
    assert 'label="⊤ BDD"' in text
    assert 'label="⊤ ZDD"' in text
    assert 'label="⊥"' not in text
    assert 'level1 [label="\\"d\\""' in text
    arcs = [line for line in text.splitlines() if "->" in line and "invis" not in line]
    assert len(arcs) == 2 * diagram.node_count - diagram.ends[End.DEAD]
    assert sum("dashed" in arc for arc in arcs) == diagram.node_count
    with_false = diagram.to_dot(false_arcs=True)
    assert 'label="⊥"' in with_false
    assert with_false.count("-> 0") == diagram.ends[End.DEAD]


def test_the_items_stand_one_below_the_other_at_their_nodes():
    text = build(Knapsack(dict.fromkeys("abcde", 100), 300)).to_dot()
    assert "{rank=same; level1; 4; 5;}" in text
    assert "{rank=same; level4;}" in text  # no arc gets as far as the last item
    assert [line for line in text.splitlines() if "invis" in line] == [
        f"  level{i} -> level{i + 1} [style=invis, weight=99];" for i in range(5)
    ]


@given(st.lists(st.integers(1, 9), max_size=7), st.integers(-1, 30), st.booleans(), st.booleans())
def test_the_picture_has_what_the_dot_text_has(weights, capacity, prune, false_arcs):
    diagram = build(Knapsack({f"item {i}": w for i, w in enumerate(weights)}, capacity), prune=prune)
    dot = diagram.to_dot(false_arcs=false_arcs)
    picture = ElementTree.fromstring(diagram.to_svg(false_arcs=false_arcs, title="Baskets"))
    [legend] = picture.iterfind(f"{SVG}g[@class='legend']")
    caption = legend[0].text or ""
    assert caption.startswith("Baskets: ")
    assert ("without the arcs to ⊥" in caption) == (diagram.ends[End.DEAD] > 0 and not false_arcs)
    picture.remove(legend)
    shown = sorted(element.text or "" for element in picture.iter(f"{SVG}text"))
    assert shown == sorted(re.findall(r'\[label="([^"]+)"', dot))
    assert len(shown) == len(weights) + diagram.node_count + sum(sign in shown for sign in ("⊥", "⊤ ZDD", "⊤ BDD"))


@pytest.mark.parametrize("problem", [Knapsack(dict.fromkeys("abc", 2), 3), Knapsack(dict.fromkeys("abc", 2), 99)])
def test_the_legend_explains_the_signs_that_are_drawn_and_no_others(problem):
    diagram = build(problem)
    [legend] = ElementTree.fromstring(diagram.to_svg()).iterfind(f"{SVG}g[@class='legend']")
    text = "".join(legend.itertext())
    for end in End:
        assert (end.sign in text) == (end != End.DEAD and diagram.ends[end] + (diagram.root == -1 - end) > 0)
    assert ("0-arc" in text) == ("φ" in text) == (diagram.node_count > 0)


@pytest.mark.parametrize("end", End)
def test_a_diagram_that_is_a_terminal_is_drawn_whichever_it_is(end):
    class Decided(NoTwoNeighbours):
        root = end

    diagram = build(Decided())
    assert f">{end.sign}</text>" in diagram.to_svg()
    assert f'label="{end.sign}"' in diagram.to_dot()


def test_a_small_diagram_is_shown_unasked_and_a_large_one_refused():
    small, large = (build(Knapsack(dict.fromkeys(range(n), 1), 1)) for n in (5, 300))
    assert small._repr_svg_() == small.to_svg()
    assert repr(small) == "<TopDownDiagram: 5 items, 4 nodes>"
    assert large._repr_svg_() is None
    with pytest.raises(MinesError, match="Graphviz"):
        large.to_svg()
    many_items = build(Knapsack(dict.fromkeys(range(3000), 1), 3000))
    assert many_items.node_count == 0
    assert many_items._repr_svg_() is None


# The experiments


@pytest.mark.ci
def test_every_number_that_the_article_gives_is_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(topdown, "all_compiled", nullcontext)
    done = CliRunner().invoke(topdown.main, ["--grid", "3", "--output", str(tmp_path)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "DISAGREES" not in done.stdout
    assert done.stdout.count("agrees") >= 11
    for title in ("knapsack", "knapsack_unpruned", "stand_in", "stand_in_frontier", "paths_3x3"):
        assert (tmp_path / f"{title}.dot").read_text().startswith("digraph topdown {")
        assert (tmp_path / f"{title}.svg").read_text().startswith("<svg")


@pytest.mark.slow
def test_the_ablation_compares_graphs_with_the_articles_numbers_of_edges(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(ablation, "all_compiled", nullcontext)
    options = ["--max-nodes", "3000", "--boards", "3", "--output", str(tmp_path)]
    done = CliRunner().invoke(ablation.main, options, catch_exceptions=False)
    assert done.exit_code == 0
    for edges in (3, 5, 8, 11, 13, 16, 46):
        assert f", {edges} edges" in done.stdout
    assert (tmp_path / "ablation.png").read_bytes().startswith(b"\x89PNG")
    assert "Boards with 46 edges" in (tmp_path / "table.txt").read_text()


@pytest.mark.parametrize("program", ["build", "count"])
def test_the_experiments_counts_are_those_published(program, monkeypatch):
    monkeypatch.setattr(frontier, "_warm", lambda *_: None)  # nor are four specs compiled beforehand

    def job(graph, problem):
        return {"graph": graph, "problem": problem, "program": program, "timeout": 60}

    jobs = [job("6 x 6", "paths"), job("6 x 6", "matchings"), job("Petersen", "trees"), job("Petersen", "even")]
    results = [{"job": job, "status": "done", **frontier.run(job)} for job in jobs]
    rows = list(frontier.rows_of(results, [program]))
    assert [row[-2:] for row in rows[:3]] == [["1.263e+06", "agrees"], ["6728", "agrees"], ["2000", "agrees"]]
    assert results[3]["count"] == "64"  # the even subgraphs of degree at most 2 in a cubic graph: 2 ** (15 - 10 + 1)
    results[0]["count"] = "1"
    assert next(frontier.rows_of(results, [program]))[-1] == "DISAGREES"


class Slow(Spec):
    """Each step takes long, and returns; nearly all states meet."""

    def __init__(self, loops):
        self.items, self.root, self.tables = range(30), (0,), (loops,)

    @staticmethod
    def child(state, level, taken, tables):
        """Count to what `tables` holds."""
        found = 0
        for i in range(tables[0]):
            found += (i * i) & 3
        state[0] = (state[0] + taken * found) % 97
        return DONE if level == 29 else GO


@pytest.mark.ci
def test_limits_hold_where_a_step_of_users_code_takes_long(monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    assert count(Slow(10)) == 2**30
    started = time.monotonic()
    with pytest.raises(BudgetExceededError, match="second"):
        count(Slow(10**8), budget=Budget(timeout=0.5))
    assert time.monotonic() - started < 30  # in all it takes minutes


def test_a_drawing_of_degrees_names_vertices_and_their_degrees():
    graph = nx.Graph([("hub", "p"), ("hub", "q"), ("hub", "r"), ("p", "q")])
    nx.set_node_attributes(graph, {"hub": {2}, "p": {0, 1}, "q": {0, 1}, "r": {0, 1}}, "dc")
    for spec in (DegreeConstrained(graph, list(graph.edges)), DegreeConstrained(graph, list(graph.edges)).unpruned()):
        labels = {
            spec.label(state, 2)
            for p in (0, 1)
            for q in (0, 1)
            if spec.child(state := list(spec.root), 0, p, spec.tables) == GO
            and spec.child(state, 1, q, spec.tables) == GO
        }
        assert labels - {"hub:0 p:0 q:0"} == {"hub:1 p:0 q:1", "hub:1 p:1 q:0", "hub:2 p:1 q:1"}
    four = DegreeConstrained.of_edges([(0, 1), (0, 2), (0, 3), (0, 4)], [{0, 2, 4}] + [{0, 1}] * 4)
    assert [four.label(four.root, 0), four.label((1,), 2)] == ["", "0:1"]
    assert four.label((0,), 2) == "0:0/2"
