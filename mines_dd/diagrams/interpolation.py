"""Polynomials in the number of mines, from their values at many points.

Packed polynomials (see `polynomials`) may be long integers, which take long to multiply.  Instead of them, a pass can
compute the value of the root's polynomial at a point z: in place of the number of sets that a leaf with t mines stands
for, it takes that number times z**t.  A polynomial of degree n is determined by its values at n + 1 points.  All is
done modulo many primes (see `residues`), and coefficients are recovered by the Chinese remainder theorem.

An example
----------
The assignments {b} and {a, c} have the polynomial z + z^2.  Divided by z, as there is always a mine, it has degree 1.
At the points 1 and 2 its values are 2 / 1 and 6 / 2.  Newton's divided differences are

    2 and (3 - 2) / 1 = 1, so it is 2 + 1 * (z - 1) = 1 + z

If coefficients count with weights, the values themselves can be given weights instead: this is a sum for each leaf that
a pass down takes along.  With the weights 3 for 1 and 5 for z, for any values f(1) and f(2),

    f(z) = f(1) * (2 - z) + f(2) * (z - 1), so f counts f(1) * (2 * 3 - 5) + f(2) * (5 - 3) = 1 f(1) + 2 f(2)

which for 1 + z is 2 + 2 * 3 = 3 + 5.

The largest component of `Board.random(100, 100, 0.3, 0.3, seed=2)` has 554 possible numbers of mines and a count of
1,702 bits: 554 points and 66 primes, for each of which a term takes two nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import FloatArray, LongArray
from mines_dd.base.budget import Budget
from mines_dd.diagrams import residues
from mines_dd.diagrams.circuit import Circuit
from mines_dd.diagrams.residues import BITS_A_PRIME, Moduli, column, combined, primes_for
from mines_dd.diagrams.tilting import Rows, rows_of

__all__ = ["WORTH", "interpolated", "interpolated_seconds", "weighted_flows", "weighted_flows_seconds"]

WORTH = 0.5
"""Seconds that interpolation must be predicted to save, as it may have to be compiled."""
_COLUMNS = 32  # points at a time
# Seconds, measured: of a term for a prime and a point, up, and up and down; of a pair of points for a prime; and of an
# integer for a pair of primes.
_SECONDS_A_VALUE, _SECONDS_A_FLOW, _SECONDS_A_DIFFERENCE, _SECONDS_RECOVERED = 2e-9, 1e-8, 2e-8, 1e-9


def interpolated_seconds(terms: npt.ArrayLike, degree: npt.ArrayLike, size: npt.ArrayLike) -> FloatArray:
    """Return roughly the seconds that `interpolated` needs.

    Parameters
    ----------
    terms : arrays
        The terms beneath a root.
    degree, size : arrays
        As for `interpolated`.

    Examples
    --------
    >>> 1 < float(interpolated_seconds(31_000, 553, 1702.0)) < 10
    True
    """
    points, primes = np.asarray(degree) + 1.0, np.asarray(size) / BITS_A_PRIME + 1.0
    each = _SECONDS_A_VALUE * np.asarray(terms) + _SECONDS_A_DIFFERENCE * points + _SECONDS_RECOVERED * primes
    seconds: FloatArray = points * primes * each
    return seconds


def interpolated(
    circuit: Circuit, ways: Sequence[int], least: int, degree: int, size: float, budget: Budget | None = None
) -> list[int]:
    """Return how many assignments have `least`, `least` + 1, ..., `least` + `degree` mines.

    Parameters
    ----------
    circuit : Circuit
    ways : sequence of int
        The number of sets that each leaf stands for.
    least, degree : int
        The fewest mines of an assignment, and how many more the most are.
    size : float
        The binary logarithm of the number of assignments, nearly.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If the time is over.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> interpolated(solve(Board.parse("#1#1#"), "zdd").circuit, [1, 1, 1, 1], least=1, degree=1, size=1.0)
    [1, 1]
    """
    limits, primes, points = Budget.of(budget), np.array(primes_for(size)), np.arange(1, degree + 2)
    rows, kinds = _alike(circuit, ways)
    values = np.zeros((len(points), len(primes)), np.int64)
    for i, some, moduli in _at_points(kinds, primes, points):
        [(_, value)] = residues.upward(rows, [moduli], limits)
        values[some, i] = value[circuit.root]
    values = values * _power(points[:, np.newaxis], (-least) % (primes - 1), primes) % primes  # divided by z**least
    return [combined(of_one, size) for of_one in limits.each(_coefficients(values, primes, limits).tolist(), 10)]


def weighted_flows_seconds(circuit: Circuit, points: int, size: float) -> float:
    """Return roughly the seconds that `weighted_flows` needs with so many weights.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> weighted_flows_seconds(solve(Board.parse("#1#1#"), "zdd").circuit, points=100, size=1000.0) < 0.1
    True
    """
    primes = size / BITS_A_PRIME + 1.0
    each = _SECONDS_A_FLOW * circuit.term_count + _SECONDS_A_DIFFERENCE * points
    return primes * (points * each + _SECONDS_RECOVERED * primes * len(circuit.leaf_group))


def weighted_flows(
    circuit: Circuit,
    ways: Sequence[int],
    least: int,
    weights: Sequence[int],
    size: float,
    budget: Budget | None = None,
) -> list[int]:
    """Return for each leaf the assignments in which it holds, summed with the weights of their numbers of mines.

    Parameters
    ----------
    circuit : Circuit
    ways : sequence of int
        The number of sets that each leaf stands for.
    least : int
        The fewest mines of an assignment.
    weights : sequence of int
        That of an assignment with `least`, `least` + 1, ... mines, up to the most that there are.
    size : float
        The binary logarithm of the largest sum, nearly.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If the time is over.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> weighted_flows(circuit, [1, 1, 1, 1], 1, [3, 5], 3.0)[1:]  # a, b and c in {b}, of weight 3, and {a, c}, of 5
    [5, 3, 5]
    """
    limits, primes, points = Budget.of(budget), np.array(primes_for(size)), np.arange(1, len(weights) + 1)
    rows, kinds = rows_of(circuit), list(zip(ways, circuit.leaf_taken.tolist(), strict=True))
    of_points = _weights_of_points(weights, primes, limits)
    of_points = of_points * _power(points[:, np.newaxis], (-least) % (primes - 1), primes) % primes
    limits.reserve(8 * len(kinds) * len(primes))
    sums = np.zeros((len(kinds), len(primes)), np.int64)
    none = np.zeros(len(rows.start) - 1, np.bool_)
    for i, some, moduli in _at_points(kinds, primes, points):
        [(_, value)] = residues.upward(rows, [moduli], limits)
        flow = residues.downward(rows, moduli, value, [circuit.root], none, limits).astype(np.int64)
        sums[:, i] += (flow * of_points[some, i] % primes[i]).sum(axis=1)
    return [combined(of_one, size) for of_one in limits.each((sums % primes).tolist(), 10)]


def _alike(circuit: Circuit, ways: Sequence[int]) -> tuple[Rows, list[tuple[int, int]]]:
    """The terms with leaves that are alike, which many are, in one, and the ways and mines of each."""
    kinds: dict[tuple[int, int], int] = {}
    kind = [kinds.setdefault(leaf, len(kinds)) for leaf in zip(ways, circuit.leaf_taken.tolist(), strict=True)]
    return rows_of(circuit)._replace(leaf=np.array(kind, np.int32)[circuit.leaf]), list(kinds)


def _at_points(
    kinds: Sequence[tuple[int, int]], primes: LongArray, points: LongArray
) -> Iterator[tuple[int, slice, Moduli]]:
    """Each prime, by index, with some points at a time, and the values there of leaves with so many ways and mines."""
    ways, mines = zip(*kinds, strict=True)
    taken, which = np.unique(mines, return_inverse=True)
    of_leaf = column(ways)
    for i, p in enumerate(primes):
        residue = (of_leaf % p).astype(np.int64)
        for first in range(0, len(points), _COLUMNS):
            some = slice(first, first + _COLUMNS)
            prime = np.full(len(points[some]), p)
            power = _power(points[some], taken[:, np.newaxis], prime)
            yield i, some, Moduli.of(prime, residue * power[which] % prime)


def _weights_of_points(weights: Sequence[int], primes: LongArray, budget: Budget) -> LongArray:
    """The weights of a polynomial's values at 1, 2, ..., from those of its coefficients, a column for each prime.

    They are the weights of Lagrange's polynomials, M(z) / (z - point) over its value at the point, where M(z) is the
    product of all z - point.
    """
    n, point = len(weights), np.arange(1, len(weights) + 1)[:, np.newaxis]
    master = np.zeros((n + 1, len(primes)), np.int64)
    master[0] = 1
    for i in budget.each(range(n), 1):
        _multiply(master[: i + 2], i + 1, primes)
    of_coefficient = column(weights) % primes
    quotient, total = np.zeros((n, len(primes)), np.int64), np.zeros((n, len(primes)), np.int64)
    for k in budget.each(range(n - 1, -1, -1), 1):  # the division of M(z) by each z - point, the highest power first
        quotient = (master[k + 1] + point * quotient) % primes
        total = (total + of_coefficient[k].astype(np.int64) * quotient) % primes
    below = np.ones_like(total)  # (point - 1)!
    for i in range(1, n):
        below[i] = below[i - 1] * i % primes
    at_point = below * below[::-1] % primes * np.where((n - point) % 2, -1, 1) % primes
    return total * _power(at_point, primes - 2, primes) % primes


def _multiply(coefficients: LongArray, point: int, prime: LongArray) -> None:
    """Multiply a polynomial by z - point, modulo each prime; its highest coefficient is 0 before."""
    before = coefficients[:-1].copy()
    coefficients *= -point
    coefficients[1:] += before
    coefficients %= prime


def _coefficients(values: LongArray, prime: LongArray, budget: Budget) -> LongArray:
    """The coefficients of a polynomial modulo each prime, in columns, from its values at 1, 2, ..., used up."""
    n = len(values)
    for step in budget.each(range(1, n), 1):
        inverse = _power(np.full(1, step), prime - 2, prime)
        values[step:] = (values[step:] - values[step - 1 : -1]) % prime * inverse % prime
    found = np.zeros_like(values)
    for i in budget.each(range(n - 1, -1, -1), 1):  # times z - (i + 1), plus the next difference
        _multiply(found[: n - i], i + 1, prime)
        found[0] = (found[0] + values[i]) % prime
    return found


def _power(base: LongArray, exponent: LongArray, prime: LongArray) -> LongArray:
    """Powers modulo primes, by repeated squaring."""
    result: LongArray = np.ones(np.broadcast_shapes(base.shape, exponent.shape, prime.shape), np.int64)
    while exponent.any():
        result = np.where(exponent & 1, result * base % prime, result)
        base, exponent = base * base % prime, exponent >> 1
    return result
