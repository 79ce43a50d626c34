"""Families as nodes of dd managers."""

import networkx as nx
import pytest

from mines_dd import mine_graph, solve
from mines_dd.base.errors import MinesError


def test_two_cells_of_one_name_are_refused():
    from dd.autoref import BDD

    graph = nx.Graph()
    graph.add_nodes_from([(0, 1), "0_1"], bipartite=0, dc={0, 1})
    graph.add_node("h", bipartite=1, dc={1})
    graph.add_edges_from([((0, 1), "h"), ("0_1", "h")])
    with pytest.raises(MinesError, match="would both be the variable x0_1"):
        solve(graph).to_dd(BDD())


def test_a_new_zdd_manager_takes_many_cells_and_keeps_its_settings():
    manager = pytest.importorskip("dd.cudd_zdd").ZDD()
    node = solve(mine_graph({"h": (range(120), 1)})).to_dd(manager)
    assert manager.count(node) == 120
    assert manager.configure()["reordering"]
    del node, manager  # CUDD wants its nodes back before the manager
