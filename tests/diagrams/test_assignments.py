"""Families of assignments: what they say of themselves, and questions that are refused."""

from xml.etree import ElementTree

import networkx as nx
import pytest
from boards import FIGURE_10, independent_hints

from mines_dd import Board, MinesError, solve


@pytest.mark.parametrize("n", [-1, -100])
def test_fewer_than_no_assignments_are_refused(n):
    for source in ("#1#", "#3#"):
        family = solve(Board.parse(source))
        with pytest.raises(MinesError, match=f"{n} assignments"):
            family.sample(n)
        with pytest.raises(MinesError, match=f"{n} assignments"):
            family.cheapest({}, n)
    assert solve(Board.parse("#1#")).sample(0) == solve(Board.parse("#1#")).cheapest({}, 0) == []


def test_families_say_in_short_what_they_are():
    family = solve(FIGURE_10, "zdd", simplify=False)
    assert repr(family) == f"<Assignments: 12 cells, {family.node_count} nodes, method 'zdd'>"
    assert len(repr(solve(independent_hints(2_500)))) < 200


def test_labels_are_escaped_in_notebooks_and_drawings():
    labels = nx.Graph([("<b>&", "hint")])
    nx.set_node_attributes(labels, {"<b>&": {0, 1}, "hint": {1}}, "dc")
    nx.set_node_attributes(labels, {"<b>&": 0, "hint": 1}, "bipartite")
    family = solve(labels, "dc")
    assert "<b>" not in family._repr_html_()
    ElementTree.fromstring(family.to_svg())
