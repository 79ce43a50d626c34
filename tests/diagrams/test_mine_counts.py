"""Assignments by their number of mines: packed and interpolated polynomials, against lists of sets and each other."""

import math
from types import SimpleNamespace

import naive
import numpy as np
import pytest
from families import every_family
from hypothesis import given
from hypothesis import strategies as st

from mines_dd import Board, Budget, BudgetExceededError, mine_graph, solve
from mines_dd.diagrams import interpolation, mine_counts
from mines_dd.diagrams.mine_counts import polynomial
from mines_dd.diagrams.passes import factors, root_counts


@pytest.fixture
def by_points(monkeypatch):
    """Every polynomial is interpolated; tells how often."""
    made = SimpleNamespace(calls=0)

    def counted(*how):
        made.calls += 1
        return interpolation.interpolated(*how)

    monkeypatch.setattr(mine_counts, "_SMALL", -1)
    monkeypatch.setattr(mine_counts, "WORTH", -math.inf)
    monkeypatch.setattr(mine_counts, "interpolated", counted)
    return made


@every_family
def test_interpolated_polynomials_count_by_mines(families, by_points):
    for name, circuit, sets in families():
        least, ways = polynomial(circuit)
        assert {least + more: n for more, n in enumerate(ways) if n} == naive.counts_by_mines(sets), name
    assert by_points.calls >= 5


@given(seed=st.integers(0, 2**32), density=st.floats(0.05, 0.95), share=st.floats(0.05, 0.5))
def test_random_boards_have_the_same_polynomial_either_way(seed, density, share):
    circuit = solve(Board.random(10, 10, density, share, seed)).circuit
    packed = polynomial(circuit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mine_counts, "_SMALL", -1)
        patch.setattr(mine_counts, "WORTH", -math.inf)
        assert polynomial(circuit) == packed


def test_a_leaf_of_many_cells_has_more_ways_than_a_word_holds(by_points):
    circuit = solve(mine_graph({"a": (range(300), {0, 100, 150}), "b": (range(299, 400), {1, 50})})).circuit
    least, ways = polynomial(circuit)
    expected = {}
    for taken in (0, 100, 150):
        for other in (1, 50):
            for shared in (0, 1):
                if taken >= shared:
                    n = math.comb(299, taken - shared) * math.comb(100, other - shared)
                    expected[taken + other - shared] = expected.get(taken + other - shared, 0) + n
    assert {least + more: n for more, n in enumerate(ways) if n} == {k: n for k, n in sorted(expected.items()) if n}
    assert by_points.calls == 1


def test_some_components_are_packed_and_some_interpolated(monkeypatch):
    circuit = solve(Board.random(24, 24, 0.2, 0.2, 3)).circuit
    roots = factors(circuit).roots
    plain = mine_counts.root_polynomials(circuit, roots)
    chosen = np.arange(len(roots)) % 2 == 0
    assert len(roots) > 5
    monkeypatch.setattr(mine_counts, "_SMALL", -1)
    monkeypatch.setattr(mine_counts, "_quicker_by_points", lambda *_: chosen)
    assert mine_counts.root_polynomials(circuit, roots) == plain
    assert [sum(ways) for _, ways in plain] == root_counts(circuit, roots)


def test_what_is_quicker_is_chosen_component_by_component(monkeypatch):
    """Long polynomials are interpolated, and short ones beside them are not."""
    made = []
    monkeypatch.setattr(
        mine_counts, "interpolated", lambda *how: made.append(how[0]) or interpolation.interpolated(*how)
    )
    monkeypatch.setattr(mine_counts, "WORTH", 0.0)
    circuit = solve(Board.random(70, 70, 0.3, 0.3, 2)).circuit
    least, ways = polynomial(circuit)
    assert sum(ways) == root_counts(circuit, [circuit.root])[0]
    assert 1 <= len(made) < len(factors(circuit).roots)
    assert all(part.term_count > 1000 for part in made)
    made.clear()
    monkeypatch.setattr(mine_counts, "WORTH", math.inf)
    assert polynomial(circuit) == (least, ways)
    assert not made


@pytest.mark.parametrize("long", [0, 1 << 15])
def test_a_packed_pass_looks_at_the_clock_before_each_long_product(long, clock, monkeypatch):
    circuit = solve(Board.random(20, 20, 0.3, 0.3, 1)).circuit
    monkeypatch.setattr(mine_counts, "_LONG", long)
    mine_counts.by_mines(circuit, 512, Budget(timeout=10**6), [circuit.root])
    assert (clock.looks > circuit.term_count / 2) == (long == 0)


def test_interpolation_looks_at_the_clock_again_and_again(clock, by_points):
    circuit = solve(Board.random(20, 20, 0.3, 0.3, 1)).circuit
    polynomial(circuit, Budget(timeout=10**5))
    looks, calls = clock.looks, by_points.calls
    assert looks > 10 * calls
    with pytest.raises(BudgetExceededError, match="not done after 100 seconds"):
        polynomial(circuit, Budget(timeout=100))
    assert clock.looks - looks < 110


def test_the_last_product_is_refused_if_the_time_left_is_too_short_for_it(clock, monkeypatch):
    circuit = solve(Board.random(24, 24, 0.2, 0.2, 3)).circuit
    monkeypatch.setattr(mine_counts, "tree_seconds", lambda *_: 10**5)
    with pytest.raises(BudgetExceededError, match=r"is predicted to need 100,\d+ seconds and 100,000 are allowed"):
        polynomial(circuit, Budget(timeout=10**5))
