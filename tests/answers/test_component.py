"""Components: their polynomial and where their mines are, against all their assignments."""

import functools
import math
from collections import Counter

import naive
import pytest

from mines_dd import Board, Budget
from mines_dd.answers.border import Border
from mines_dd.answers.component import Component
from mines_dd.diagrams.interpolation import weighted_flows
from mines_dd.diagrams.passes import leaf_counts


@functools.cache
def parts():
    """The components of small boards, with the sets of mines that satisfy their hints."""
    found = []
    for seed in range(200):
        border = Border.of(Board(naive.random_board(seed).grid))
        for part in border.parts if border else ():
            cells = sorted(part.cells)
            hints = [(naive.mask(map(cells.index, around)), set(allowed)) for allowed, around in part.rows()]
            family = [
                naive.members(cells, mines)
                for mines in range(2 ** len(cells))
                if all((mines & around).bit_count() in allowed for around, allowed in hints)
            ]
            found.append((part.component, part.groups, family))
    return found


def test_there_are_components_of_several_groups():
    assert sum(len(groups) > 2 for _, groups, _ in parts()) > 15


def test_the_polynomial_counts_assignments_by_mines():
    for component, _, family in parts():
        numbers = Counter(map(len, family))
        assert component.count == len(family)
        assert component.least == min(numbers)
        assert component.ways == [numbers[k] for k in range(min(numbers), max(numbers) + 1)]


@pytest.mark.parametrize("worth", [math.inf, -math.inf], ids=["packed", "interpolated"])
@pytest.mark.parametrize("weigh", [None, lambda k: 1, lambda k: 3**k, lambda k: k % 2], ids=["no", "1", "3^k", "odd"])
def test_mines_in_groups_are_weighted_by_the_number_of_all_mines(weigh, worth, monkeypatch):
    monkeypatch.setattr("mines_dd.answers.component.WORTH", worth)
    for one, groups, family in parts():
        weights = weigh and [weigh(k) for k in range(len(one.ways))]
        if weights and not any(weights):
            continue
        of = [1] * len(one.ways) if weights is None else weights
        expected = [
            sum(len(mines.intersection(cells)) * of[len(mines) - one.least] for mines in family) for cells in groups
        ]
        assert one.mines_in(weights) == expected


@pytest.mark.parametrize("power", [0, 50])
def test_large_components_have_the_same_weighted_flows_either_way(power):
    """Also with weights that are longer than words."""
    for seed in range(3):
        for part in Border.of(Board.random(20, 20, 0.3, 0.3, seed)).parts:
            one = part.component
            weights = [(k * k + 1) ** power for k in range(len(one.ways))]
            bits = one._bits(max(weights))
            packed = one._packed_flows(weights, bits, Budget())
            ways = leaf_counts(one.circuit)
            assert weighted_flows(one.circuit, ways, one.least, weights, bits)[1:] == packed[1:]


def test_mines_among_some_cells_of_a_group_are_counted_beside_all_mines():
    bits, stride = 32, 32
    for component, groups, family in parts():
        for group, cells in enumerate(groups):
            safe, among = cells[:1], cells[1:]
            table = component.by_mines_among({group: (len(among), len(safe))}, bits, stride)
            expected = Counter(
                len(mines) - component.least + stride * len(mines.intersection(among))
                for mines in family
                if mines.isdisjoint(safe)
            )
            assert table == sum(n << bits * at for at, n in expected.items())


def test_equal_shapes_are_one_component():
    border = Border.of(Board.parse("#1#*#1#"))
    one, other = border.parts
    assert isinstance(one.component, Component)
    assert one.component is other.component
    assert one.cells.isdisjoint(other.cells)
