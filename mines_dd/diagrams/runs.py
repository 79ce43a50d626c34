"""Sets of integers as lists of runs: the numbers of mines that a part of a board can have.

A *run* (first, last) is all the numbers from the first to the last.  A set is a list of runs, ascending, with gaps
between them; of numbers of mines most sets are one run:

    0, 5 or 6 mines           [(0, 0), (5, 6)]
    with 1 or 2 more mines    [(1, 2), (6, 8)]
"""

from __future__ import annotations

from collections.abc import Sequence

from mines_dd.base.wording import listed

__all__ = ["Runs", "contains", "in_words", "intersect", "merged", "multiple", "reflected", "sums"]

Runs = list[tuple[int, int]]
"""A set of integers: (first, last) of each run, ascending, with gaps between them."""


def merged(runs: Sequence[tuple[int, int]]) -> Runs:
    """Return the set of the numbers in some runs, which may overlap and come in any order.

    Examples
    --------
    >>> merged([(5, 6), (0, 2), (2, 4)])
    [(0, 6)]
    """
    found: Runs = []
    for first, last in sorted(runs):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def in_words(numbers: Runs) -> str:
    """Return a set that is not empty as a list in a sentence.

    Examples
    --------
    >>> in_words([(3, 3), (5, 5)]), in_words([(0, 0), (5, 6)])
    ('3 and 5', '0 and 5 to 6')
    """
    return listed([f"{first:,} to {last:,}" if first < last else f"{first:,}" for first, last in numbers])


def sums(some: Runs, others: Runs) -> Runs:
    """Return the sums of a number of each set.

    Examples
    --------
    >>> sums([(0, 0), (5, 6)], [(1, 2)])
    [(1, 2), (6, 8)]
    """
    return merged([(a + c, b + d) for a, b in some for c, d in others])


def multiple(numbers: Runs, times: int) -> Runs:
    """Return the sums of `times` numbers of a set.

    Examples
    --------
    >>> multiple([(1, 1), (3, 3)], 3)
    [(3, 3), (5, 5), (7, 7), (9, 9)]
    """
    result, power = [(0, 0)], numbers
    while times:
        if times % 2:
            result = sums(result, power)
        times //= 2
        power = sums(power, power) if times else power
    return result


def reflected(numbers: Runs, total: int) -> Runs:
    """Return what each number of a set lacks of a total.

    Examples
    --------
    >>> reflected([(0, 0), (5, 6)], 10)
    [(4, 5), (10, 10)]
    """
    return [(total - last, total - first) for first, last in reversed(numbers)]


def intersect(some: Runs, others: Runs) -> Runs:
    """Return the numbers that both sets have.

    Examples
    --------
    >>> intersect([(0, 3), (5, 9)], [(2, 6)])
    [(2, 3), (5, 6)]
    """
    return [(max(a, c), min(b, d)) for a, b in some for c, d in others if max(a, c) <= min(b, d)]


def contains(numbers: Runs, number: int) -> bool:
    """Tell whether a set has a number.

    Examples
    --------
    >>> contains([(0, 0), (5, 6)], 3)
    False
    """
    return any(first <= number <= last for first, last in numbers)
