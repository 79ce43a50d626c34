"""Cubes: the products along the paths of a BDD and of a ZDD."""

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.figures import reduced
from mines_dd import solve
from mines_dd.constraints.graph import Instance
from mines_dd.diagrams.cubes import Cube, cubes

FAMILIES = st.sets(st.frozensets(st.sampled_from("abcd")))


@given(st.sampled_from(["bdd", "zdd"]), FAMILIES)
def test_cubes_stand_for_every_set_once(kind, family):
    found = list(cubes(reduced(kind, "abcd", family)))
    together = [one for cube in found for one in cube.sets()]
    assert len(together) == len(family) == sum(cube.size for cube in found)
    assert set(together) == family
    for cube in found:
        assert sorted([*cube.inside, *cube.outside, *cube.free, *cube.absent]) == list("abcd")
        assert not (cube.absent if kind == "bdd" else cube.free)


def test_an_item_that_is_not_mentioned_is_free_in_a_bdd_and_absent_in_a_zdd():
    family = {frozenset("b"), frozenset("bc")}
    assert list(cubes(reduced("bdd", "abc", family))) == [Cube(("b",), ("a",), ("c",), ())]
    assert [(cube.inside, cube.absent) for cube in cubes(reduced("zdd", "abc", family))] == [
        (("b",), ("a",)),
        (("b", "c"), ("a",)),
    ]


@pytest.mark.parametrize("method", ["bdd", "zdd"])
def test_cubes_of_boards_are_their_assignments(method):
    for seed in range(5):
        board = naive.random_board(seed)
        diagram = solve(board, method, simplify=False).diagram
        found = {one for cube in cubes(diagram) for one in cube.sets()}
        assert found == naive.assignments(Instance.of(board))
