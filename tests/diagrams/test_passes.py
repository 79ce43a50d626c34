"""Exact counting: interpreted, in words, and modulo primes."""

import numpy as np
import pytest

from mines_dd.answers.solver import solve
from mines_dd.board.board import Board
from mines_dd.diagrams import modular, passes, polynomials
from mines_dd.diagrams.circuit import Circuit
from mines_dd.diagrams.diagram import Diagram


def layered(items: int, width: int, seed: int = 0) -> Circuit:
    """A random ZDD of many levels; its counts need about `items` bits."""
    rng = np.random.default_rng(seed)
    level, low, high = [np.array([items, items])], [np.array([0, 1])], [np.array([0, 1])]
    below, made = np.array([1]), 2
    for i in range(items - 1, -1, -1):
        n = width if i else 1
        level.append(np.full(n, i))
        low.append(rng.choice(below, n))
        high.append(rng.choice(below, n))
        below = np.arange(made, made + n)
        made += n
    arrays = (np.concatenate(a).astype(np.int32) for a in (level, low, high))
    return Diagram("zdd", range(items), *arrays, made - 1).to_circuit(range(items), range(items))


CIRCUITS = [
    layered(40, 4),
    layered(70, 5),
    layered(300, 7),
    solve(Board.random(20, 20, 0.3, 0.3, 1)).circuit,
    solve(Board.random(20, 20, 0.3, 0.1, 1)).circuit,
    solve(Board.random(24, 24, 0.2, 0.3, 2), "dc").circuit,
]


@pytest.mark.parametrize("compiled", [False, True])
def test_compiled_passes_give_the_same_integers(compiled, monkeypatch):
    if compiled:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    for circuit in CIRCUITS:
        ways = passes.leaf_counts(circuit)
        parts = passes.factors(circuit)
        plain = passes.leaf_flows(circuit, parts)
        assert modular.flows(circuit, parts.roots, ways) == (plain.totals, plain.owner, plain.flow)
        assert modular.totals(circuit, parts.roots, ways) == plain.totals == passes.root_counts(circuit, parts.roots)


def test_large_circuits_are_counted_by_residues(monkeypatch):
    circuit = CIRCUITS[2]
    before = passes.root_counts(circuit, [circuit.root])
    monkeypatch.setattr(passes, "_LARGE", 0)
    assert passes.root_counts(circuit, [circuit.root]) == before
    assert before[0].bit_length() > 200


@pytest.mark.parametrize("quick", [0.0, 1.0])
def test_large_counts_are_the_same_in_integers_and_by_residues(quick, monkeypatch):
    monkeypatch.setattr(modular, "_SECONDS_IN_INTEGERS", quick)
    monkeypatch.setattr(modular, "_FLOW_IN_INTEGERS", quick)
    monkeypatch.setattr(modular, "_FLOW_A_BIT", 0.0)
    used = []
    in_integers = modular._in_integers
    monkeypatch.setattr(modular, "_in_integers", lambda *args: used.append(args) or in_integers(*args))
    for circuit in CIRCUITS:
        ways, parts = passes.leaf_counts(circuit), passes.factors(circuit)
        plain = passes.weighted_flows(circuit, parts, ways)
        assert modular.totals(circuit, parts.roots, ways) == plain.totals
        is_large = max(plain.totals).bit_length() > 63
        assert modular.flows_pay(circuit, parts.roots) == (quick > 0 or not is_large)
        assert bool(used) == (is_large and quick == 0)
        used.clear()
        monkeypatch.setattr(passes, "_LARGE", 0)
        assert passes.leaf_flows(circuit, parts) == plain


def test_components_are_factors():
    circuit = solve(Board.random(30, 30, 0.2, 0.1, 1)).circuit
    parts = passes.factors(circuit)
    assert len(parts.roots) > 5
    total = polynomials.product([1, *passes.root_counts(circuit, parts.roots)])
    ways = passes.leaf_counts(circuit)
    total *= polynomials.product(ways[leaf] for leaf in parts.leaves)
    assert total == passes.root_counts(circuit, [circuit.root])[0]


def test_products_of_residues_are_reduced_exactly():
    """To the residue, or to the prime in place of 0, also where the rounded quotient is next to an integer."""
    rng = np.random.default_rng(1)
    for p in (2, 3, 103, *modular._primes(200)):
        quotient = np.concatenate([np.arange(2), rng.integers(0, p, 200), [p - 1]])
        y = np.concatenate([quotient * p, quotient * p + 1, quotient * p + p - 1])
        found = modular._reduced(y.astype(float), float(p), 1.0 / p)
        assert np.all((found == y % p) | ((found == p) & (y % p == 0)))
    assert modular._reduced(103.0, 103.0, 1 / 103) == 103.0


def test_the_example_of_the_chinese_remainder_theorem():
    assert 3 * 231 + 3 * 330 + 9 * 210 == 9 * 385 + 12 * 9
    primes = modular._primes(3)
    coefficients, modulus = modular._chinese(3)
    assert modulus == primes[0] * primes[1] * primes[2]
    assert all(c % p == int(p == q) for c, q in zip(coefficients, primes, strict=True) for p in primes)
    number = 2**70 + 12345
    assert modular._combined([float(number % p) for p in primes], 71.0) == number
