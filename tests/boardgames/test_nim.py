"""Nim as a formula, as a graph, and as Bouton proved."""

import pytest

from experiments import retrograde as experiment
from mines_dd.boardgames.nim import nim, nim_formula
from mines_dd.boardgames.retrograde import (
    LOSS,
    WIN,
    solve,
)
from mines_dd.boardgames.retrograde_symbolic import layers


@pytest.mark.parametrize("heaps", [2, 5])
def test_nim_as_a_formula_is_nim_as_a_graph_and_as_bouton_proved(heaps):
    game = nim(heaps)
    solution = solve(game)
    rounds = list(layers(nim_formula(heaps)))
    names = [f"x{heap}_{bit}" for heap in range(heaps) for bit in "10"]
    for value, sets in zip((WIN, LOSS), zip(*rounds, strict=True), strict=True):
        for distance, found in enumerate(sets):
            expected = ((solution.outcome == value) & (solution.distance == distance)).sum()
            assert found.count(len(names)) == expected
    assert experiment.run({"what": "nim", "heaps": heaps, "method": "explicit"})["bouton"]
    assert experiment.run({"what": "nim", "heaps": heaps, "method": "symbolic"})["bouton"]
