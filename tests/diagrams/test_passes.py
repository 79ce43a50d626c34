"""Exact counting: interpreted, in words, and modulo primes."""

import tracemalloc
from math import comb

import numpy as np
import pytest

from mines_dd import Budget, BudgetExceededError, mine_graph
from mines_dd.answers.solver import solve
from mines_dd.base import budget
from mines_dd.board.board import Board
from mines_dd.diagrams import modular, passes, polynomials, residues
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


@pytest.fixture(scope="module")
def circuits() -> list[Circuit]:
    return [
        layered(40, 4),
        layered(70, 5),
        layered(300, 7),
        solve(Board.random(20, 20, 0.3, 0.3, 1)).circuit,
        solve(Board.random(20, 20, 0.3, 0.1, 1)).circuit,
        solve(Board.random(24, 24, 0.2, 0.3, 2), "dc").circuit,
    ]


@pytest.mark.usefixtures("interpreted_unless_asked")
@pytest.mark.parametrize("compiled", [False, True])
def test_compiled_passes_give_the_same_integers(circuits, compiled, monkeypatch):
    if compiled:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    for circuit in circuits:
        ways = passes.leaf_counts(circuit)
        parts = passes.factors(circuit)
        plain = passes.leaf_flows(circuit, parts)
        assert modular.flows(circuit, parts.roots, ways) == (plain.totals, plain.owner, plain.flow)
        assert modular.totals(circuit, parts.roots, ways) == plain.totals == passes.root_counts(circuit, parts.roots)


def test_large_circuits_are_counted_by_residues(monkeypatch):
    circuit = layered(300, 7)
    before = passes.root_counts(circuit, [circuit.root])
    monkeypatch.setattr(passes, "_LARGE", 0)
    assert passes.root_counts(circuit, [circuit.root]) == before
    assert before[0].bit_length() > 200


@pytest.mark.usefixtures("interpreted_unless_asked")
@pytest.mark.parametrize("limits", [(), (62.0,), (100.0,), (150.0, 1e9), (62.0, 250.0)])
@pytest.mark.parametrize("compiled", [False, True])
def test_large_counts_are_the_same_whatever_is_counted_in_integers(circuits, limits, compiled, monkeypatch):
    """The nodes up to a limit in integers, those above it modulo primes."""
    monkeypatch.setattr(modular, "_LOOK_EVERY", 1)  # so integers are forgotten as soon as they may be
    if compiled:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    monkeypatch.setattr(modular, "_SECONDS_IN_INTEGERS", 1.0)  # so residues are taken as soon as they may be
    monkeypatch.setattr(modular, "_LIMITS", limits)
    monkeypatch.setattr(modular, "_QUICK", 0.0)
    used = []
    by_residues = modular._by_residues
    monkeypatch.setattr(modular, "_by_residues", lambda *args: used.append(args) or by_residues(*args))
    for circuit in circuits:
        ways, parts = passes.leaf_counts(circuit), passes.factors(circuit)
        plain = passes.leaf_flows(circuit, parts)
        assert modular.totals(circuit, parts.roots, ways) == plain.totals
        largest = max(plain.totals).bit_length()
        assert bool(used) == any(largest > limit + 1 for limit in limits if largest > 63)
        used.clear()


def test_a_long_count_is_forgotten_after_its_last_use(monkeypatch):
    circuit = layered(12000, 2)
    ways, roots = passes.leaf_counts(circuit), [circuit.root // 2, circuit.root]
    expected = passes.upward(circuit, ways, 0, 1)
    whole = sum(count.bit_length() for count in expected) / 8
    reserved = []
    monkeypatch.setattr(Budget, "reserve", lambda self, size: reserved.append(size))
    tracemalloc.start()
    assert modular.totals(circuit, roots, ways) == [expected[root] for root in roots]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert reserved[-1] < whole / 1000
    assert peak < whole / 2


def test_a_count_too_long_for_the_memory_is_refused(monkeypatch):
    circuit = layered(100, 7)
    monkeypatch.setattr(budget, "available_memory", lambda: 2**20)
    monkeypatch.setattr(budget, "_SMALL_ALLOCATION", 1)
    monkeypatch.setattr(modular, "most_alive", lambda *_: 2.0**30)
    with pytest.raises(BudgetExceededError, match="more memory"):
        modular.totals(circuit, [circuit.root], passes.leaf_counts(circuit))


def test_integers_are_cut_into_limbs_and_reduced():
    counts = [2**62, 2**24 - 1, 2**240 + 2**72 + 5]
    known = residues.Integers.of(np.array([2, 3, 5]), counts)
    assert known.limb[:3].tolist() == [0, 0, 2**14]
    primes = residues._primes(40)
    prime = np.array(primes, float)
    value = np.zeros((6, len(primes)))
    for run in (residues._reduce, residues._reduce.compiled):
        value[:] = 0
        run(known, residues.Moduli(prime, 1 / prime, prime[None, :]), value, 0, 3)
        found = [value[node].astype(int) % prime.astype(int) for node in (2, 3, 5)]
        assert [row.tolist() for row in found] == [[count % p for p in primes] for count in counts]


@pytest.mark.parametrize("quick", [0.0, 1.0])
def test_flows_are_the_same_in_integers_and_by_residues(circuits, quick, monkeypatch):
    monkeypatch.setattr(modular, "_FLOW_IN_INTEGERS", quick)
    monkeypatch.setattr(modular, "_FLOW_A_BIT", 0.0)
    for circuit in circuits:
        parts = passes.factors(circuit)
        monkeypatch.setattr(passes, "_LARGE", circuit.term_count)
        plain = passes.leaf_flows(circuit, parts)
        is_large = max(plain.totals).bit_length() > 63
        assert modular.flows_pay(circuit, parts.roots) == (quick > 0 or not is_large)
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
    for p in (2, 3, 103, *residues._primes(200)):
        quotient = np.concatenate([np.arange(2), rng.integers(0, p, 200), [p - 1]])
        y = np.concatenate([quotient * p, quotient * p + 1, quotient * p + p - 1])
        found = residues._reduced(y.astype(float), float(p), 1.0 / p)
        assert np.all((found == y % p) | ((found == p) & (y % p == 0)))
    assert residues._reduced(103.0, 103.0, 1 / 103) == 103.0


def test_the_example_of_the_chinese_remainder_theorem():
    assert 3 * 231 + 3 * 330 + 9 * 210 == 9 * 385 + 12 * 9
    primes = residues._primes(3)
    coefficients, modulus = residues._chinese(3)
    assert modulus == primes[0] * primes[1] * primes[2]
    assert all(c % p == int(p == q) for c, q in zip(coefficients, primes, strict=True) for p in primes)
    number = 2**70 + 12345
    assert residues.combined([float(number % p) for p in primes], 71.0) == number


@pytest.mark.parametrize("size", [5, 100, 400])
def test_the_ways_of_a_leaf_are_binomial_coefficients(size):
    circuit = solve(mine_graph({"h": (range(size), set(range(0, size, 3)))})).circuit
    assert circuit.groups == [list(range(size))]
    assert passes.leaf_counts(circuit) == [1, *(comb(size, taken) for _, taken in circuit.leaves[1:])]


def test_the_cheapest_of_a_wide_hint_are_looked_for_in_time():
    family = solve(mine_graph({"h": (range(3000), {1500})}))
    with pytest.raises(BudgetExceededError, match="not done after"):
        family.cheapest({i: i % 97 for i in range(3000)}, n=10**6, budget=Budget(timeout=0.2))
