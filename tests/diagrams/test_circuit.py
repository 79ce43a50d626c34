"""Circuits: the empty one, certain mines added, and what they say of themselves."""

import re
from dataclasses import replace

from boards import FIGURE_10
from families import of_groups

from mines_dd import solve
from mines_dd.diagrams.circuit import FALSE, Circuit
from mines_dd.diagrams.queries import count, iterate


def test_the_empty_circuit_has_no_group_and_the_empty_leaf_alone():
    empty = Circuit.empty("ab")
    assert (empty.groups, empty.leaves, empty.root) == ([], [(-1, 0)], FALSE)
    assert empty.node_count == empty.term_count == 0
    assert empty.start.tolist() == [0, 0, 0]
    assert (count(empty), list(iterate(empty))) == (0, [])


def test_mines_that_are_certain_are_added_to_every_assignment_there_is():
    _, circuit, family = of_groups([2, 2], [[1, 0], [0, 2]])
    wider = replace(circuit, cells="abcdef")
    assert wider.with_mines([]) is wider
    assert set(iterate(wider.with_mines([5, 4]))) == {s | {"e", "f"} for s in family}
    empty = Circuit.empty("ab")
    assert empty.with_mines([0]) is empty


def test_a_circuit_says_in_short_what_it_is():
    circuit = solve(FIGURE_10, "zdd", simplify=False).circuit
    assert re.fullmatch(r"<Circuit: 12 cells, \d+ nodes, \d+ terms>", repr(circuit))
