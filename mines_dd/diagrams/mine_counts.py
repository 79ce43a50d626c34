"""Assignments by their number of mines: for each node a polynomial, whose coefficient of z^t counts those with t mines.

A leaf with t mines has the polynomial C(n, t) z^t, a term the product of its factors' and a node the sum of its terms':
a pass, as in `passes`.  In it polynomials are packed, each into one integer (see `polynomials`).  Where integers would
be long, and only a root's polynomial is wanted, it is interpolated instead (see `interpolation`).
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mines_dd.base.arrays import BoolArray, FloatArray, IntArray, LongArray
from mines_dd.base.budget import Budget
from mines_dd.diagrams.circuit import TRUE, Circuit
from mines_dd.diagrams.interpolation import WORTH, interpolated, interpolated_seconds
from mines_dd.diagrams.lifetimes import BITS_A_BYTE, last_uses, most_alive
from mines_dd.diagrams.modular import owners
from mines_dd.diagrams.passes import factors, leaf_counts, root_counts, upward
from mines_dd.diagrams.polynomials import coefficient_bits, pack, product, product_seconds, tree_seconds, unpack

__all__ = ["by_mines", "mines_range", "polynomial", "predicted_seconds", "root_polynomials"]

_FAR = 1 << 62  # more mines than there are
_SMALL = 1 << 30  # bits of packed polynomials, at most, whose cost is not worth predicting
_LONG = 1 << 15  # bits of a polynomial that is multiplied in a time worth a look at the clock
_SECONDS_A_BIT = 5e-11  # of a polynomial that is multiplied by a number, shifted and added to another


def by_mines(
    circuit: Circuit, bits: int, budget: Budget | None = None, roots: Sequence[int] | None = None
) -> list[tuple[int, int]]:
    """Return for each node its fewest mines, and its polynomial in their number divided by z to that power, packed.

    Parameters
    ----------
    circuit : Circuit
    bits : int
        The bits of a coefficient (see `mines_dd.diagrams.polynomials`).
    budget : Budget, optional
    roots : sequence of int, optional
        The nodes asked for, if not all.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> low, packed = by_mines(circuit, 8)[circuit.root]
    >>> low, hex(packed)  # {b}, and {a, c} with one mine more: z (1 + z)
    (1, '0x101')
    """

    def plus(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        (low, p), (least, q) = one, other
        return (low, p + (q << bits * (least - low))) if low <= least else (least, q + (p << bits * (low - least)))

    def times(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        if one[1].bit_length() > _LONG:
            limits.check()
        return one[0] + other[0], one[1] * other[1]

    limits = Budget.of(budget)
    leaves = list(zip(circuit.leaf_taken.tolist(), leaf_counts(circuit), strict=True))
    return upward(circuit, leaves, (_FAR, 0), (0, 1), plus, times, limits, roots)


def mines_range(circuit: Circuit, budget: Budget | None = None) -> tuple[list[int], list[int]]:
    """Return for each node the fewest mines of its assignments, and how many more the most are.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> least, more = mines_range(circuit)
    >>> least[circuit.root], more[circuit.root]
    (1, 1)
    """
    taken = circuit.leaf_taken.tolist()
    least = upward(circuit, taken, _FAR, 0, min, operator.add, budget)
    most = upward(circuit, taken, -_FAR, 0, max, operator.add, budget)
    return least, [max(high - low, 0) for low, high in zip(least, most, strict=True)]


def root_polynomials(
    circuit: Circuit, roots: Sequence[int], budget: Budget | None = None
) -> list[tuple[int, list[int]]]:
    """Return for each root its fewest mines, and the numbers of its assignments with so many, one more, and so on.

    Parameters
    ----------
    circuit : Circuit
    roots : sequence of int
        Nodes that share no others.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If it is predicted to take too long, or more memory than there is, or if the time is over.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> root_polynomials(circuit, [circuit.root])
    [(1, [1, 1])]
    """
    limits = Budget.of(budget)
    sizes = np.array([count.bit_length() for count in root_counts(circuit, roots, limits)], np.int64)
    if circuit.node_count * len(circuit.cells) * sizes.max(initial=0) <= _SMALL:
        return _packed(circuit, roots, sizes, limits)
    least, degree = mines_range(circuit, limits)
    owner = owners(circuit, roots, limits)[0]
    of_term = np.repeat(owner, np.diff(circuit.start))
    by_points = _quicker_by_points(circuit, roots, owner, of_term, np.array(degree), sizes, limits)
    rest = _with_terms(circuit, ~np.isin(of_term, np.flatnonzero(by_points)))
    found = _packed(rest, roots, np.where(by_points, 0, sizes), limits)
    for i in np.flatnonzero(by_points).tolist():
        root = roots[i]
        part = circuit.restricted(np.flatnonzero(of_term == i), root)
        ways = interpolated(part, leaf_counts(part), least[root], degree[root], int(sizes[i]), limits)
        found[i] = least[root], ways
    return found


def polynomial(circuit: Circuit, budget: Budget | None = None) -> tuple[int, list[int]]:
    """Return the fewest mines of an assignment, and how many assignments have so many, one more, and so on.

    Raises
    ------
    BudgetExceededError
        As `root_polynomials`.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> polynomial(solve(Board.parse("#1####1#")).circuit)  # 1 of 2 cells, twice
    (2, [4])
    """
    limits, parts = Budget.of(budget), factors(circuit)
    of_roots = root_polynomials(circuit, parts.roots, limits)
    ways_of_leaf = leaf_counts(circuit)
    of_leaves = [ways_of_leaf[leaf] for leaf in parts.leaves]
    least = sum(fewest for fewest, _ in of_roots) + sum(int(circuit.leaf_taken[leaf]) for leaf in parts.leaves)
    bits = coefficient_bits(product([*(sum(ways) for _, ways in of_roots), *of_leaves], limits))
    lengths = [len(ways) for _, ways in of_roots]
    seconds, size = limits.seconds_gone + tree_seconds(bits, lengths), 2 * bits * sum(lengths) / BITS_A_BYTE
    limits.refuse(0, seconds, size, excess=1, of_memory=1)  # no clock ends the last product
    packed = product([*(pack(ways, bits) for _, ways in of_roots), *of_leaves], limits)
    return least, unpack(packed, bits)


def _packed(circuit: Circuit, roots: Sequence[int], sizes: LongArray, budget: Budget) -> list[tuple[int, list[int]]]:
    """The polynomials of roots with counts of so many bits, by a pass with packed ones."""
    bits = coefficient_bits(1 << int(sizes.max(initial=0)))
    values = by_mines(circuit, bits, budget, roots)
    return [(least, unpack(packed, bits)) for least, packed in (values[root] for root in roots)]


def _with_terms(circuit: Circuit, kept: BoolArray) -> Circuit:
    """The same nodes with some of their terms."""
    start = np.append(0, np.cumsum(kept))[circuit.start]
    return replace(circuit, start=start, left=circuit.left[kept], right=circuit.right[kept], leaf=circuit.leaf[kept])


def _quicker_by_points(
    circuit: Circuit,
    roots: Sequence[int],
    owner: IntArray,
    of_term: IntArray,
    degree: LongArray,
    sizes: LongArray,
    budget: Budget,
) -> BoolArray:
    """Tell for each root whether its polynomial is best interpolated; refuse what is predicted to take too much."""
    terms = np.bincount(of_term[of_term >= 0], minlength=len(roots))
    by_points = interpolated_seconds(terms, degree[list(roots)], sizes)
    packed = _seconds_packed(circuit, of_term, degree, sizes)
    is_quicker: BoolArray = by_points + WORTH < packed
    width = sizes[~is_quicker].max(initial=0)
    packed = _seconds_packed(circuit, of_term, degree, np.where(is_quicker, 0, width))
    seconds = float(by_points[is_quicker].sum() + packed.sum())
    length = np.where(np.append(is_quicker, True)[owner], 0.0, degree + 1.0)  # none of nodes of no root, -1
    alive = most_alive(length, np.arange(len(length)), last_uses(circuit, roots)) + 3 * length.max()
    budget.refuse(0, seconds, alive * width / BITS_A_BYTE, of_memory=1)
    return is_quicker


def predicted_seconds(circuit: Circuit, degree: Sequence[int], size: int) -> float:
    """Return roughly the seconds that `root_polynomials` takes for one root, of which the circuit is.

    Parameters
    ----------
    circuit : Circuit
    degree : sequence of int
        For each node how many more mines the most are than the fewest.
    size : int
        The bits of the number of assignments, nearly.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> predicted_seconds(circuit, mines_range(circuit)[1], 1) < 0.001
    True
    """
    all_terms = np.zeros(circuit.term_count, np.int32)
    packed = float(_seconds_packed(circuit, all_terms, np.array(degree), np.array([size]))[0])
    return min(packed, float(interpolated_seconds(circuit.term_count, degree[circuit.root], size)) + WORTH)


def _seconds_packed(circuit: Circuit, of_term: IntArray, degree: LongArray, sizes: LongArray) -> FloatArray:
    """Roughly the seconds that a packed pass takes for the terms of each root."""
    left, right = degree[circuit.left] + 1.0, degree[circuit.right] + 1.0
    bits = np.append(sizes, 0)[of_term] + 8.0
    seconds = np.where(circuit.right != TRUE, product_seconds(bits, left, right), 0.0)
    seconds += _SECONDS_A_BIT * bits * (left + right)
    return np.bincount(of_term[of_term >= 0], seconds[of_term >= 0], len(sizes)).astype(float)
