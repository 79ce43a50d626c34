"""Diagrams: what they are read as, and what they say of themselves."""

import numpy as np
import pytest
from backends import count, family
from boards import FIGURE_10
from families import of_diagrams, random_family, reduced

from mines_dd import solve
from mines_dd.diagrams import queries


@pytest.mark.parametrize("kind", ["bdd", "zdd"])
def test_the_circuit_of_a_diagram_describes_its_family(kind):
    for name, circuit, sets in of_diagrams(kind):
        listed = list(queries.iterate(circuit))
        assert len(listed) == len(sets), name
        assert set(listed) == sets, name


@pytest.mark.parametrize("kind", ["bdd", "zdd"])
def test_a_diagram_read_path_by_path_is_its_family(kind):
    for seed in range(60):
        items, sets = random_family(seed)
        diagram = reduced(kind, items, sets)
        found = family(diagram)
        assert len(found) == len(sets) == count(diagram), seed
        assert set(found) == sets, seed


def test_a_zdd_and_its_circuit_have_as_many_nodes():
    for seed in range(30):
        items, sets = random_family(seed)
        diagram = reduced("zdd", items, sets)
        circuit = diagram.to_circuit("abcdef"[:items], range(items))
        assert circuit.node_count == diagram.node_count == len(diagram.level) - 2
        assert circuit.term_count == np.count_nonzero(diagram.low[2:]) + np.count_nonzero(diagram.high[2:])


def test_a_diagram_says_in_short_what_it_is():
    found = solve(FIGURE_10, "zdd", simplify=False)
    assert repr(found.diagram) == f"<Diagram: zdd, 12 items, {found.node_count} nodes>"
