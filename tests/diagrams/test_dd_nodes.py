"""Families as nodes of dd managers."""

import sys

import networkx as nx
import pytest

from mines_dd import Board, mine_graph, solve
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.diagrams.dd_nodes import chosen, variables


def test_two_cells_of_one_name_are_refused():
    from dd.autoref import BDD

    graph = nx.Graph()
    graph.add_nodes_from([(0, 1), "0_1"], bipartite=0, dc={0, 1})
    graph.add_node("h", bipartite=1, dc={1})
    graph.add_edges_from([((0, 1), "h"), ("0_1", "h")])
    with pytest.raises(MinesError, match="would both be the variable x0_1"):
        solve(graph).to_dd(BDD())


def test_a_cell_that_is_there_twice_is_refused():
    with pytest.raises(MinesError, match="the list of cells has 'a' twice"):
        variables(["a", "b", "a"])


def test_a_family_of_many_cells_is_small_in_a_manager_and_keeps_to_its_time():
    from dd.autoref import BDD

    manager = BDD()
    family = solve(mine_graph({"h": (range(200), 2)}), "zdd", simplify=False)
    assert len(family.to_dd(manager)) < 600  # three rows, as in Pascal's triangle
    with pytest.raises(BudgetExceededError, match="0 seconds"):
        family.to_dd(BDD(), Budget(timeout=0))


def test_a_time_limit_holds_while_variables_are_declared(clock):
    from dd.autoref import BDD

    class Slow(BDD):
        def declare(self, *names):
            clock.ahead += 1
            super().declare(*names)

    manager = Slow()
    with pytest.raises(BudgetExceededError, match="3 seconds"):
        solve(mine_graph({"h": (range(200), 2)})).to_dd(manager, Budget(timeout=3))
    assert len(manager.vars) < 6


def test_cells_that_are_all_mines_take_an_operation_each():
    asked = []
    both = chosen(300, range(300), 0, None, lambda some, cell: asked.append(cell) or some + 1, None)
    assert (both, asked) == (300, list(range(300)))


@pytest.mark.parametrize("method", ["bdd", "zdd", "dc", "tree"])
def test_new_variables_are_declared_in_an_order_that_keeps_the_diagram_small(method):
    from dd.autoref import BDD

    family = solve(Board.random(3, 40, 0.2, 0.35, seed=2), method)
    manager = BDD()
    assert family.to_dd(manager).dag_size < 200  # row by row there are 28,160 nodes
    assert len(manager.vars) == len(family.cells)


@pytest.mark.parametrize("seed", range(3))
def test_the_diagram_of_a_circuit_is_not_much_larger_than_that_of_bdd(seed):
    from dd.autoref import BDD

    board = Board.random(30, 30, 0.3, 0.5, seed=seed)
    from_circuit, from_bdd = (solve(board, method).to_dd(BDD()).dag_size for method in ("tree", "bdd"))
    assert from_circuit < 4 * from_bdd  # 100 times if cells come in the order of the circuit's nodes


def test_a_time_limit_holds_between_the_operations_of_dd(clock):
    class Function:
        def operation(self, other=None):
            clock.ahead += 60
            operations.append(other)
            return self

        __and__ = __or__ = __invert__ = operation

    class Manager:
        def __init__(self):
            self.vars = {}
            self.true = self.false = Function()

        def declare(self, name):
            self.vars[name] = len(self.vars)

        def level_of_var(self, name):
            return self.vars[name]

        def var(self, _):
            return self.true

    operations = []
    family = solve(Board.random(30, 30, 0.3, 0.5, seed=1))
    family.to_dd(Manager())
    in_all = len(operations)
    for most in range(1000, in_all, 1000):
        operations.clear()
        clock.ahead = 0
        with pytest.raises(BudgetExceededError):
            family.to_dd(Manager(), Budget(timeout=60 * most))
        assert 0.8 * most < len(operations) < most + 30


@pytest.mark.ci
def test_a_family_of_more_cells_than_python_recurses_is_a_node():
    from dd.autoref import BDD

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)  # as it is by default
    try:
        family = solve(Board.random(60, 60, 0.15, 0.3, seed=1))
        manager = BDD()
        assert manager.count(family.to_dd(manager), len(family.cells)) == family.count()
    finally:
        sys.setrecursionlimit(max(before, sys.getrecursionlimit()))


def test_a_new_zdd_manager_takes_many_cells_and_keeps_its_settings():
    manager = pytest.importorskip("dd.cudd_zdd").ZDD()
    node = solve(mine_graph({"h": (range(120), 1)})).to_dd(manager)
    assert manager.count(node) == 120
    assert manager.configure()["reordering"]
    del node, manager  # CUDD wants its nodes back before the manager


def test_a_zdd_manager_takes_more_families_though_it_reorders():
    manager = pytest.importorskip("dd.cudd_zdd").ZDD()
    cells = [f"c{i}" for i in range(100)]
    one, both = solve(mine_graph({"h": (cells[:5], 1)})), solve(mine_graph({"h": (cells, 2)}))
    first = one.to_dd(manager)
    nodes = [both.to_dd(manager), one.to_dd(manager)]
    assert [manager.count(node) for node in nodes] == [4950, 5]
    assert manager.configure()["reordering"]
    del first, nodes, manager


def test_what_is_no_manager_with_functions_is_refused():
    from dd import autoref, bdd

    family = solve(mine_graph({"h": ("ab", 1)}))
    with pytest.raises(MinesError, match=r"nodes of dd\.bdd are plain integers"):
        family.to_dd(bdd.BDD())
    with pytest.raises(MinesError, match=r"a manager such as dd\.autoref\.BDD\(\) is needed, not <class"):
        family.to_dd(autoref.BDD)
