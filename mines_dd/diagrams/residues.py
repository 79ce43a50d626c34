"""Integers modulo many primes: passes over a circuit in residues, and back by the Chinese remainder theorem.

Long integers take long to multiply.  Their residues modulo primes below 2**26 are machine words, and a pass computes
those of many primes at a time.

An example
----------
A node has one term, of factors with 12 and 9 assignments, so it has 108.  Modulo 5, 7 and 11 the factors are (2, 5, 1)
and (4, 2, 9), their products (8, 10, 9), and those modulo the primes (3, 3, 9).  The product of the primes is 385.
Each prime p has a coefficient that is 1 modulo p and 0 modulo the others: 231 for 5, 330 for 7 and 210 for 11.

    3 * 231 + 3 * 330 + 9 * 210 = 3573 = 9 * 385 + 108

Why residues in doubles are exact
---------------------------------
Residues are held as doubles, for which the loop over primes becomes vector instructions.  A double holds every integer
up to 2**53 exactly.  For a prime p below 2**26, `_reduced` takes an integer y from 0 to p**2 to

    y - floor(y * (1 / p)) * p

- y is at most p**2 < 2**52, so it is exact.
- 1 / p and its product with y are each rounded by a relative 2**-53.  As y / p <= p, the quotient found is off by less
  than p * 2**-52 < 1 / p.  A y / p that is no integer is at least 1 / p away from the next one, so its floor is right.
  If p divides y, the floor is right or one too small.
- Either way the floor times p is an integer of at most p**2, so it is exact, and so is the difference.

The result is the residue, from 0 to p - 1, or p itself, which stands for 0: 103 * (1 / 103) is 0.9999999999999999 in
doubles, so 103 stays 103.  The next step copes with that.  A residue that may be p times one below p is at most
p**2 - p, and a sum of two that may be p is at most 2 p, so both can be reduced again.  `_up` makes values less than
p: the sum of a result and a value is less than 2 p, and p is subtracted where it is too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import prod
from operator import mul
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import BoolArray, FloatArray, LongArray
from mines_dd.base.budget import Budget
from mines_dd.base.jit import kernel
from mines_dd.diagrams.circuit import TRUE
from mines_dd.diagrams.tilting import Rows

__all__ = [
    "BITS_A_LIMB",
    "BITS_A_PRIME",
    "Integers",
    "Moduli",
    "batches",
    "column",
    "combined",
    "downward",
    "primes_for",
    "upward",
]

BITS_A_PRIME = 25.99
"""At least: the binary logarithm of the 25,000 largest primes below 2**26."""
BITS_A_LIMB = 24
"""Of integers that are reduced modulo primes."""


class Moduli(NamedTuple):
    """Some primes, not all different, and what the passes need modulo each.

    Attributes
    ----------
    prime, inverse : float arrays
        The primes, and 1 / prime.
    ways : float array of shape (leaves, primes)
        What each leaf counts modulo each prime.

    Examples
    --------
    >>> Moduli.of(np.array([5, 7]), np.array([[1, 1], [3, 3], [2, 10 % 7]])).inverse.tolist()
    [0.2, 0.14285714285714285]
    """

    prime: FloatArray
    inverse: FloatArray
    ways: FloatArray

    @classmethod
    def of(cls, primes: LongArray, ways: LongArray) -> Moduli:
        """Hold primes and residues as doubles."""
        return cls(primes.astype(float), 1.0 / primes, ways.astype(float))


class Integers(NamedTuple):
    """The values of some nodes, in limbs of 24 bits, the lowest first.

    Attributes
    ----------
    node, start : int64 arrays
        Node `node[k]` has the limbs from `start[k]` to `start[k + 1]`.
    limb : float array

    Examples
    --------
    >>> Integers.of(np.array([2, 3]), [5, 2**24 + 7]).limb.tolist()
    [5.0, 7.0, 1.0]
    """

    node: LongArray
    start: LongArray
    limb: FloatArray

    @classmethod
    def of(cls, nodes: LongArray, counts: Sequence[int]) -> Integers:
        """Cut integers into limbs."""
        lengths = [-(-count.bit_length() // BITS_A_LIMB) for count in counts]
        packed = b"".join(count.to_bytes(3 * n, "little") for count, n in zip(counts, lengths, strict=True))
        low, middle, high = np.frombuffer(packed, np.uint8).reshape(-1, 3).T.astype(float)
        return cls(nodes, np.append(0, np.cumsum(lengths, dtype=np.int64)), low + 256.0 * middle + 65536.0 * high)


_NONE = Integers(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0))


# The loops over nodes and their terms are those of `modular`, in another arithmetic.


@kernel
def _reduced(y, prime, inverse):
    """An integer from 0 to prime**2 as one from 0 to prime, equal modulo prime."""
    return y - np.floor(y * inverse) * prime


@kernel
def _reduce(integers, primes, value, first, end):
    """The residues of integers: from the highest limb on, 2**24 times what there is and the next limb."""
    node, start, limb = integers
    prime, inverse, _ = primes
    for k in range(first, end):
        at = node[k]
        for j in range(start[k + 1] - 1, start[k] - 1, -1):
            x = limb[j]
            for i in range(len(prime)):
                value[at, i] = _reduced(value[at, i] * 16777216.0 + x, prime[i], inverse[i])


@kernel
def _up(rows, primes, skip, value, first, end):
    start, left, right, leaf = rows
    prime, inverse, ways = primes
    for node in range(first, end):
        if skip[node]:
            continue
        for t in range(start[node], start[node + 1]):
            a = left[t]
            b = right[t]
            x = leaf[t]
            for i in range(len(prime)):
                y = value[a, i]
                if b != TRUE:
                    y = _reduced(y * value[b, i], prime[i], inverse[i])
                if x != 0:
                    y = _reduced(y * ways[x, i], prime[i], inverse[i])
                y += value[node, i]
                value[node, i] = y - prime[i] if y >= prime[i] else y


@kernel
def _down(rows, primes, skip, value, derivative, flow, first, end):
    start, left, right, leaf = rows
    prime, inverse, ways = primes
    for node in range(first, end, -1):
        if skip[node]:
            continue
        for t in range(start[node], start[node + 1]):
            a = left[t]
            b = right[t]
            x = leaf[t]
            for i in range(len(prime)):
                p = prime[i]
                q = inverse[i]
                down = derivative[node, i]
                if x != 0:
                    down = _reduced(down * ways[x, i], p, q)
                through = _reduced(down * value[a, i], p, q)
                if b != TRUE:
                    derivative[b, i] = _reduced(derivative[b, i] + through, p, q)
                    down = _reduced(down * value[b, i], p, q)
                    if x != 0:
                        through = _reduced(through * value[b, i], p, q)
                derivative[a, i] = _reduced(derivative[a, i] + down, p, q)
                if x != 0:
                    flow[x, i] = _reduced(flow[x, i] + through, p, q)


def column(numbers: Sequence[int]) -> npt.NDArray[Any]:
    """Return integers as a column of an array, of 64-bit ones if they are short enough.

    Examples
    --------
    >>> column([3, 2**70]).dtype
    dtype('O')
    """
    return np.array(numbers, np.int64 if max(numbers) < 2**62 else object)[:, np.newaxis]


def batches(ways: Sequence[int], primes: Sequence[int], width: int) -> Iterator[Moduli]:
    """Yield primes, so many at a time, with the residues of the number of sets that each leaf stands for.

    Examples
    --------
    >>> [some.ways.tolist() for some in batches([1, 12], [5, 7, 11], 2)]
    [[[1.0, 1.0], [2.0, 5.0]], [[1.0], [1.0]]]
    """
    of_leaf = column(ways)
    for first in range(0, len(primes), width):
        batch = np.array(primes[first : first + width])
        yield Moduli.of(batch, of_leaf % batch)


def upward(
    rows: Rows, batches: Iterable[Moduli], budget: Budget, known: Integers = _NONE, skip: BoolArray | None = None
) -> Iterator[tuple[Moduli, FloatArray]]:
    """Yield each batch of primes with the residues of every node's value, in rows.

    Parameters
    ----------
    rows : Rows
    batches : iterable of Moduli
        The primes, and the leaves' values.
    budget : Budget
    known : Integers, optional
        Nodes whose values are known; they have no terms here.
    skip : bool array, optional
        Nodes to leave out.

    Raises
    ------
    BudgetExceededError
        If the time is over.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> from mines_dd.diagrams.tilting import rows_of
    >>> rows = rows_of(solve(Board.parse("#1#1#"), "zdd").circuit)
    >>> [(_, residues)] = upward(rows, batches([1, 1, 1, 1], [5, 7], 2), Budget())
    >>> residues[-1].tolist()
    [2.0, 2.0]
    """
    nodes = len(rows.start) - 1
    skip = np.zeros(nodes, np.bool_) if skip is None else skip
    for some in batches:
        width = len(some.prime)
        budget.reserve(8 * width * nodes)
        value = np.zeros((nodes, width))
        value[TRUE] = 1.0
        budget.over(range(len(known.node)), _reduce, len(known.limb) * width, known, some, value)
        budget.over(rows.up, _up, len(rows.left) * width, rows, some, skip, value)
        yield some, value
        del value  # before the next


def downward(
    rows: Rows, some: Moduli, value: FloatArray, roots: Sequence[int], skip: BoolArray, budget: Budget
) -> FloatArray:
    """Return the residues of what flows through each leaf, in rows, from those of the nodes' values.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> from mines_dd.diagrams.tilting import rows_of
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> rows, skip, budget = rows_of(circuit), np.zeros(5, np.bool_), Budget()
    >>> [(some, value)] = upward(rows, batches([1, 1, 1, 1], [5], 1), budget)
    >>> downward(rows, some, value, [circuit.root], skip, budget).ravel().tolist()
    [0.0, 1.0, 1.0, 1.0]
    """
    derivative, flow = np.zeros_like(value), np.zeros_like(some.ways)
    derivative[list(roots)] = 1.0
    budget.over(rows.down, _down, len(rows.left) * len(some.prime), rows, some, skip, value, derivative, flow)
    return flow


def primes_for(size: float) -> list[int]:
    """Return enough primes to tell apart all numbers below 2 ** size, with a margin for the logarithm's rounding.

    Examples
    --------
    >>> primes_for(30.0)
    [67108859, 67108837]
    """
    return _primes(int((size * (1 + 1e-9) + 2) / BITS_A_PRIME) + 1)


@lru_cache
def _primes(n: int) -> list[int]:
    """The `n` largest primes below 2**26."""
    found: list[int] = []
    top, width = 2**26, 1 << 14
    small = _sieve(np.ones(2**13 + 1, np.bool_))
    while len(found) < n:
        is_prime = np.ones(width, np.bool_)
        for p in small:
            is_prime[(-(top - width)) % p :: p] = False
        found += (np.flatnonzero(is_prime)[::-1] + top - width).tolist()
        top -= width
    return found[:n]


def _sieve(is_prime: BoolArray) -> list[int]:
    """The primes below the length of an array of True."""
    is_prime[:2] = False
    for p in range(2, int(len(is_prime) ** 0.5) + 1):
        if is_prime[p]:
            is_prime[p * p :: p] = False
    found: list[int] = np.flatnonzero(is_prime).tolist()
    return found


def combined(residues: Sequence[float], size: float) -> int:
    """Return the number below about 2 ** size with these residues modulo `primes_for(size)`.

    Examples
    --------
    >>> combined([12345678 % p for p in primes_for(30.0)], 30.0)
    12345678
    """
    coefficients, modulus = _chinese(len(primes_for(size)))
    total: int = sum(map(mul, coefficients, map(int, residues)))
    return total % modulus


@lru_cache(maxsize=4096)
def _chinese(n: int) -> tuple[list[int], int]:
    """The coefficients of the `n` largest primes, and their product."""
    primes = _primes(n)
    modulus = prod(primes)
    return [(modulus // p) * pow(modulus // p, -1, p) for p in primes], modulus
