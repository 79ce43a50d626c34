"""Other packages' objects: what goes out comes back, and counts stay the same."""

import doctest

import naive
import networkx as nx
import numpy as np
import pytest
from boards import FIGURE_10, GRIDS, SEEDS
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd import Board, analyse, mine_graph, solve, subgraphs
from mines_dd.answers import interop
from mines_dd.base.errors import BoardFormatError, InconsistentBoardError, MinesError
from mines_dd.constraints import cnf_opb
from mines_dd.constraints.cnf_opb import from_opb
from mines_dd.diagrams.dd_nodes import variable_name


@given(
    SEEDS,
    st.sampled_from(["bdd", "zdd", "dc", "tree"]),
    st.sampled_from(["autoref", "cudd", "cudd_zdd"]),
    st.sampled_from([0, 1, 2]),
)
@settings(max_examples=60)
def test_families_go_to_a_dd_manager_and_come_back(seed, method, backend, declared):
    module = pytest.importorskip(f"dd.{backend}")
    manager = module.ZDD() if backend == "cudd_zdd" else module.BDD()
    manager.declare("before")
    family = solve(naive.random_board(seed, 9), method)
    names = [variable_name(cell) for cell in family.cells]
    if declared and names:
        manager.declare(*names[::-declared])  # in another order, all or some of them
    node = family.to_dd(manager)
    manager.declare("after")
    returned = interop.from_dd(node, family.cells)
    assert set(returned) == set(family)
    assert returned.cells == family.cells
    if family:
        assert returned.probabilities() == family.probabilities()
    assert returned.to_dot().startswith("digraph")
    del node, manager  # CUDD wants its nodes back before the manager


def test_what_is_no_node_of_dd_is_refused_in_a_sentence():
    manager = pytest.importorskip("dd.autoref").BDD()
    manager.declare("x0_0")
    for wrong in (manager, None, 5, [(0, 0)]):
        with pytest.raises(MinesError, match=f"a node of a dd manager, .* not a value of type {type(wrong).__name__}"):
            interop.from_dd(wrong, manager.var("x0_0"))


def test_a_free_variable_of_a_dd_function_is_free():
    from dd.autoref import BDD

    manager = BDD()
    manager.declare("a", "b", "c")
    family = interop.from_dd(manager.add_expr("a"), {"a": "A", "b": "B", "c": "C"})
    assert family.counts_by_mines() == {1: 1, 2: 2, 3: 1}
    assert interop.from_dd(manager.true, {"b": 1}).count() == 2
    assert interop.from_dd(manager.false, {"b": 1}).count() == 0
    assert interop.from_dd(~manager.add_expr("a & b"), {"c": 3, "a": 1, "b": 2}).count() == 6


def test_a_dd_function_of_other_variables_is_refused():
    from dd.autoref import BDD

    manager = BDD()
    manager.declare("a", "b")
    with pytest.raises(MinesError, match="'b', which is no cell's"):
        interop.from_dd(manager.add_expr("a & b"), {"a": 1})
    with pytest.raises(MinesError, match="no variable 'x0_7'"):
        interop.from_dd(manager.true, [(0, 7)])
    with pytest.raises(MinesError, match="same cell"):
        interop.from_dd(manager.true, {"a": 1, "b": 1})


def test_a_dd_function_of_other_variables_is_refused_as_a_zdd_too():
    manager = pytest.importorskip("dd.cudd_zdd").ZDD()
    manager.declare("a", "b", "c")
    for depends in ("(a & ~c) | b", "a & c", "a & b & ~c | ~a & ~b", "c"):
        with pytest.raises(MinesError, match="'c', which is no cell's"):
            interop.from_dd(manager.add_expr(depends), {"a": 1, "b": 2})
    for does_not, count in (("a | b", 3), ("(a | b) & ~c", 3), ("~c", 4), ("a & ~a", 0)):  # c is free, or in no set
        assert interop.from_dd(manager.add_expr(does_not), {"a": 1, "b": 2}).count() == count
    del manager


@given(SEEDS)
@settings(max_examples=25)
def test_mine_assignments_are_the_degree_constrained_subgraphs_of_graphillion(seed):
    graphillion = pytest.importorskip("graphillion")
    board = naive.random_board(seed, 9)
    graph = mine_graph(board)
    family = solve(board)
    if not graph.edges:
        return
    graphillion.GraphSet.set_universe(list(graph.edges))
    graphs = interop.to_graphillion(family, {cell: graph.edges(cell) for cell in family.cells})
    assert graphs.len() == family.count()
    edges = {frozenset(map(frozenset, chosen)) for chosen in graphs}
    assert edges == {frozenset(frozenset(e) for cell in mines for e in graph.edges(cell)) for mines in family}
    returned = interop.from_graphillion(graphs)
    assert returned.count() == family.count()
    assert {frozenset(map(frozenset, chosen)) for chosen in returned} == edges


def test_subgraphs_go_to_graphillion_and_come_back():
    graphillion = pytest.importorskip("graphillion")
    grid = nx.grid_2d_graph(4, 4)
    nx.set_node_attributes(grid, {1}, "dc")
    family = subgraphs(grid)
    graphillion.GraphSet.set_universe(list(grid.edges))
    graphs = interop.to_graphillion(family)
    assert graphs == graphillion.GraphSet.perfect_matchings()
    returned = interop.from_graphillion(graphs)
    assert returned.count() == family.count() == 36
    assert {frozenset(map(frozenset, m)) for m in returned} == {frozenset(map(frozenset, m)) for m in family}
    for none in (graphillion.GraphSet([]), graphillion.GraphSet([[]])):
        assert interop.from_graphillion(none).count() == none.len()
    with pytest.raises(MinesError, match="universe"):
        interop.to_graphillion(solve(FIGURE_10))
    with pytest.raises(MinesError, match="a GraphSet of Graphillion is needed"):
        interop.from_graphillion([1])


def test_sets_of_anything_come_from_graphillion():
    graphillion = pytest.importorskip("graphillion")
    graphillion.setset.set_universe(["a", "b", "c"])
    family = interop.from_graphillion(graphillion.setset([{"a", "c"}, set(), {"b"}]))
    assert set(family) == {frozenset("ac"), frozenset(), frozenset("b")}
    assert set(family.cells) == set("abc")


@given(GRIDS)
def test_boards_go_to_arrays_and_come_back(grid):
    board = Board(tuple(grid))
    array = interop.to_array(board)
    assert array.dtype == np.int8
    assert array.shape == board.size
    assert interop.from_array(array) == board
    assert interop.from_array(array.astype(np.uint64 if (array >= 0).all() else int).tolist()) == board


def test_the_coding_of_arrays():
    assert interop.to_array(Board(("#F*", "048"))).tolist() == [[-1, -2, 9], [0, 4, 8]]
    assert interop.from_array([[-1, 1, -1]], mines=1).mines == 1


@pytest.mark.parametrize(
    ("array", "words"),
    [
        ([[0, 1], [10, 1]], "10 at row 1, column 0"),
        ([[0, -3]], "-3 at row 0, column 1"),
        ([[2**40]], "row 0, column 0"),
        ([[0.0, 1.0]], "matrix of integers"),
        ([[True]], "matrix of integers"),
        ([0, 1], "1 dimensions"),
        ([[0, 1], [2]], "same length"),
        ([["#"]], "matrix of integers"),
        (np.zeros((0, 0), int), "at least one row"),
        (np.zeros((2, 0), int), "at least one row"),
    ],
)
def test_arrays_that_are_no_board_are_refused(array, words):
    with pytest.raises(BoardFormatError, match=words):
        interop.from_array(array)


def test_records_of_assignments_and_of_an_analysis():
    family = solve(FIGURE_10)
    table = interop.records(family)
    assert {(r["row"], r["column"]): r["exact"] for r in table} == family.probabilities()
    assert all(r["probability"] == float(r["exact"]) for r in table)
    found = analyse(FIGURE_10, mines=4)
    assert {(r["row"], r["column"]): r["exact"] for r in interop.records(found)} == found.exact
    named = interop.records(solve(from_opb("+1 x1 +1 x2 = 1 ;")))
    assert [record["cell"] for record in named] == ["x1", "x2"]
    with pytest.raises(InconsistentBoardError):
        interop.records(solve(Board.parse("#3#")))


NEEDS = {
    "to_cnf": "pyganak",
    "to_graphillion": "graphillion",
    "from_graphillion": "graphillion",
}


@pytest.mark.parametrize("name", NEEDS)
def test_documented_examples_run_where_the_package_is_installed(name):
    pytest.importorskip(NEEDS[name])
    module = cnf_opb if hasattr(cnf_opb, name) and name in cnf_opb.__all__ else interop
    (test,) = doctest.DocTestFinder(recurse=False).find(getattr(module, name), name, module, vars(module).copy())
    assert any(example.options.pop(doctest.SKIP, False) for example in test.examples)
    for example in test.examples:
        example.options.pop(doctest.SKIP, None)
    assert doctest.DocTestRunner().run(test).failed == 0
