"""Tilted weights and characteristic functions, against all sets of small families."""

import cmath
import math

import naive
import numpy as np
import pytest

from mines_dd import solve
from mines_dd.diagrams import queries
from mines_dd.diagrams.tilting import Forest


@pytest.fixture(scope="module")
def families():
    """Sixty families or fewer, each with its sets."""
    made = (solve(naive.random_instance(seed).to_graph()) for seed in range(60))
    return [(family, [frozenset(mines) for mines in family]) for family in made if family]


@pytest.mark.parametrize("s", [-3.0, 0.0, 0.7])
def test_weights_means_variances_and_waves_are_those_of_all_sets(families, s):
    forest = Forest.of([family.circuit for family, _ in families])
    tilt = forest.tilted(s)
    angles = np.array([0.0, 0.3, 2.0, math.pi])
    waves = forest.waves(tilt, angles)
    flows = waves.flows(np.exp(-1j * np.outer(np.arange(len(families)), angles)))
    mines_in = forest.mines_by_group(flows)
    for i, (family, sets) in enumerate(families):
        root = forest.roots[i]
        weights = [math.exp(s * len(mines)) for mines in sets]
        total = sum(weights)
        share = [w / total for w in weights]
        mean = sum(p * len(mines) for p, mines in zip(share, sets, strict=True))
        assert math.ldexp(tilt.mantissa[root], int(tilt.exponent[root])) == pytest.approx(total, rel=1e-13)
        assert tilt.mean[root] == pytest.approx(mean, abs=1e-13)
        assert tilt.variance[root] == pytest.approx(
            sum(p * (len(mines) - mean) ** 2 for p, mines in zip(share, sets, strict=True)), abs=1e-12
        )
        for j, angle in enumerate(angles):
            expected = sum(p * cmath.exp(1j * angle * len(mines)) for p, mines in zip(share, sets, strict=True))
            assert waves.of_roots[i, j] == pytest.approx(expected, abs=1e-13)
        for group, cells in enumerate(family.circuit.groups):
            names = {family.circuit.cells[cell] for cell in cells}
            expected = sum(
                p * len(mines & names) * cmath.exp(1j * angle * (len(mines) - i)).real
                for p, mines in zip(share, sets, strict=True)
                for angle in angles
            )
            assert mines_in[forest.first_group[i] + group] == pytest.approx(expected, abs=1e-12)


def test_weights_beyond_all_doubles_keep_their_digits():
    family = solve(naive.Instance.build(range(5000), ["h"], [range(5000)], [[2500]]).to_graph())
    forest = Forest.of([family.circuit])
    for s in (-2000.0, 0.0, 2000.0):
        tilt = forest.tilted(s)
        root = forest.roots[0]
        log2 = math.log2(math.comb(5000, 2500)) + s * 2500 / math.log(2)
        assert math.log2(tilt.mantissa[root]) + tilt.exponent[root] == pytest.approx(log2, rel=1e-14)


def test_doubles_are_right_to_twelve_digits(families):
    for family, _ in families:
        exact = queries.probabilities(family.circuit)
        assert queries.approximate_probabilities(family.circuit) == pytest.approx([float(p) for p in exact], abs=1e-13)
