"""Families as nodes of dd managers."""

import networkx as nx
import pytest

from mines_dd import solve
from mines_dd.base.errors import MinesError


def test_two_cells_of_one_name_are_refused():
    from dd.autoref import BDD

    graph = nx.Graph()
    graph.add_nodes_from([(0, 1), "0_1"], bipartite=0, dc={0, 1})
    graph.add_node("h", bipartite=1, dc={1})
    graph.add_edges_from([((0, 1), "h"), ("0_1", "h")])
    with pytest.raises(MinesError, match="would both be the variable x0_1"):
        solve(graph).to_dd(BDD())
