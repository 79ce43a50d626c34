"""Problems as texts: what they state, and what is said of a damaged one."""

from itertools import combinations
from random import Random

import networkx as nx
import pytest
from boards import DATA
from hypothesis import given
from hypothesis import strategies as st

from mines_dd.base.errors import MinesError
from mines_dd.frontier import AllDegrees, build
from mines_dd.frontier.text import PROBLEMS, read_problem

SQUARE = "from a\nto d\nedge a b 1\nedge a c 2.5\nedge b d\nedge c d 0.5\n"


def family(kind, text, **options):
    return build(read_problem(kind, text, **options).spec).to_assignments()


def test_a_knapsack_has_the_sets_that_fit_and_the_most_valuable_one_is_the_cheapest():
    text = (DATA / "snacks.txt").read_text()
    snacks = {name: (int(price), int(value)) for name, price, value in map(str.split, text.splitlines()[2:])}
    fitting = {
        frozenset(chosen)
        for size in range(len(snacks) + 1)
        for chosen in combinations(snacks, size)
        if sum(snacks[name][0] for name in chosen) <= 300
    }
    problem = read_problem("knapsack", text)
    found = build(problem.spec).to_assignments()
    assert set(found) == fitting
    most = max(sum(snacks[name][1] for name in chosen) for chosen in fitting)
    assert found.cheapest(problem.costs)[0][0] == -most == -22


def test_degrees_are_those_of_the_lines_in_any_order_and_with_any_states():
    text = (DATA / "degrees.txt").read_text()
    degrees, edges = {}, []
    for word, *rest in (line.split() for line in text.splitlines()[1:]):
        if word == "edge":
            edges.append(tuple(rest))
        else:
            degrees[rest[0]] = rest[1:]
    graph = nx.Graph(edges)
    allowed = {v: {graph.degree(v) if d == "all" else int(d) for d in found} for v, found in degrees.items()}
    wanted = {
        frozenset(taken)
        for size in range(len(edges) + 1)
        for taken in combinations(edges, size)
        if all(sum(v in edge for edge in taken) in allowed[v] for v in allowed)
    }
    assert len(wanted) == 6
    assert set(family("degrees", text)) == set(family("degrees", text, all_degrees=True)) == wanted
    assert {frozenset(map(frozenset, one)) for one in family("degrees", text, order="auto", all_degrees=True)} == {
        frozenset(map(frozenset, one)) for one in wanted
    }
    assert isinstance(read_problem("degrees", text, all_degrees=True).spec, AllDegrees)
    assert build(read_problem("degrees", text, all_degrees=True).spec).node_count == 55


def test_paths_are_all_simple_paths_and_costs_are_exact():
    problem = read_problem("paths", SQUARE)
    assert problem.spec.items == (("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"))
    found = build(problem.spec).to_assignments()
    assert [(cost, sorted(path)) for cost, path in found.cheapest(problem.costs, 5)] == [
        (1, [("a", "b"), ("b", "d")]),
        (3, [("a", "c"), ("c", "d")]),
    ]
    assert family("paths", (DATA / "streets.txt").read_text()).count() == 12


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("knapsack", "", "capacity NUMBER"),
        ("knapsack", "gum 3", "line 1, character 1: 'gum' stands where the first line should be"),
        ("knapsack", "capacity many", "line 1, character 10: 'many' is no number"),
        ("knapsack", "capacity 9\ngum", "line 2, character 1: the line ends too soon after 'gum'"),
        ("knapsack", "capacity 9\ngum 1 2 3", "line 2, character 9: '3' is too much"),
        ("knapsack", "capacity 9\ngum 1,5", "line 2, character 5: 1,5 may be one number or two; write a point"),
        ("knapsack", "capacity 9\ngum -1", "line 2, character 5: item 'gum' weighs -1"),
        ("knapsack", "capacity 9\ngum 1\n\n# again\ngum 1", "line 5, character 1: item 'gum' has a line already"),
        ("knapsack", "capacity 1e9999999", "is no number"),
        ("knapsack", "capacity 9\ngum 1\ncapacity 6", "line 3, character 1: there is a line with 'capacity' already"),
        ("degrees", "vertex a 1\nedge a a", "line 2, character 8: the edge begins and ends in 'a'"),
        ("degrees", "vertex a 1\nedge a b", "a line is missing: vertex NAME DEGREES, for the name 'b'"),
        ("degrees", "vertex Vega 1\nvertex b 1\nedge Vegas b", "for the name 'Vegas'; did you mean 'Vega'?"),
        ("degrees", "vertex a x\nedge a b", "line 1, character 10: 'x' is no degree"),
        ("degrees", "vertex a\nedge a b", "line 1, character 8: the degrees"),
        ("degrees", "vertex a 1\nvertex a 1", "line 2, character 8: vertex 'a' has a line already"),
        ("degrees", "edge a b\nedge b a", "line 2, character 1: the edge from 'b' to 'a' has a line already"),
        ("degrees", "node a 1", "line 1, character 1: a line begins with vertex or edge, not with 'node'"),
        ("paths", "from a\nedge a b", "a line is missing: to NAME"),
        ("paths", "", "a line is missing: from NAME"),
        ("paths", "from a\nto a\nedge a b", "line 2, character 4: the path begins and ends in the same vertex"),
        ("paths", "from a\nto z\nedge a b", "line 2, character 4: 'z' is on no edge"),
        ("paths", "from a\nfrom b\nedge a b", "line 2, character 1: there is a line with 'from' already"),
        ("paths", "from a b\nto c", "line 1, character 8: 'b' is too much"),
    ],
)
def test_a_damaged_text_is_refused_where_it_is_damaged(kind, text, said):
    with pytest.raises(MinesError) as error:
        read_problem(kind, text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@given(
    st.sampled_from(PROBLEMS),
    st.lists(
        st.lists(st.sampled_from(["capacity", "vertex", "edge", "from", "to", "a", "b", "all", "2", "-1", ".5", "#"]))
    ),
)
def test_any_text_is_read_or_refused(kind, lines):
    try:
        problem = read_problem(kind, "\n".join(map(" ".join, lines)))
    except MinesError:
        return
    assert len(set(problem.spec.items)) == len(problem.spec.items)
    assert set(problem.costs) <= set(problem.spec.items)


@pytest.mark.parametrize("seed", range(6))
def test_named_orders_keep_the_edges_as_they_are_written(seed):
    """And so have their costs, from whichever end an edge is written."""
    rng = Random(seed)
    pairs = [rng.sample(pair, 2) for pair in combinations("abcde", 2)]
    edges = "".join(f"edge {u} {v} {rng.randint(1, 9)}\n" for u, v in rng.sample(pairs, 7))
    vertices = "".join(f"vertex {v} 0 1 2\n" for v in sorted(set(edges.split()) & set("abcde")))
    for kind, text in (
        ("paths", f"from {edges.split()[1]}\nto {edges.split()[2]}\n{edges}"),
        ("degrees", vertices + edges),
    ):
        written = read_problem(kind, text)
        best = build(written.spec).to_assignments().cheapest(written.costs, 3)
        for order in ("auto", "breadth-first", "elimination"):
            ordered = read_problem(kind, text, order=order)
            assert set(ordered.spec.items) == set(written.spec.items)
            found = build(ordered.spec).to_assignments().cheapest(ordered.costs, 3)
            assert [cost for cost, _ in found] == [cost for cost, _ in best]
