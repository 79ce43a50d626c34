"""The passes of `passes`, compiled, for circuits of many terms; and one in doubles, which is not exact.

Counts below 2**62 are computed in 64-bit integers.  Larger ones are computed modulo many primes and put together by the
Chinese remainder theorem.  Residues are held as doubles: primes are below 2**26, so a product plus a residue is
below 2**53 and exact, and the compiler turns the loop over primes into vector instructions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import prod
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.base.budget import Budget
from mines_dd.base.jit import kernel
from mines_dd.diagrams.circuit import TRUE, Circuit

__all__ = ["bits", "flows", "owners", "shares", "totals"]

FloatArray = npt.NDArray[np.float64]
_WORD = 62.0
_PRIME_BITS = 25.99
_BATCH = 8


@kernel
def _log2_counts(start, left, right, leaf, log2_ways, value):
    for node in range(2, len(start) - 1):
        top = -1.0
        for t in range(start[node], start[node + 1]):
            top = max(top, value[left[t]] + value[right[t]] + log2_ways[leaf[t]])
        total = 0.0
        for t in range(start[node], start[node + 1]):
            total += 2.0 ** (value[left[t]] + value[right[t]] + log2_ways[leaf[t]] - top)
        value[node] = top + np.log2(total) if total > 0.0 else 0.0


@kernel
def _own(start, left, right, leaf, owner, leaf_owner):
    for node in range(len(start) - 2, 1, -1):
        if owner[node] >= 0:
            for t in range(start[node], start[node + 1]):
                owner[left[t]] = owner[node]
                owner[right[t]] = owner[node]
                leaf_owner[leaf[t]] = owner[node]


@kernel
def _up(start, left, right, leaf, ways, skip, value):
    for node in range(2, len(start) - 1):
        if skip[node]:
            continue
        total = 0
        for t in range(start[node], start[node + 1]):
            total += value[left[t]] * value[right[t]] * ways[leaf[t]]
        value[node] = total


@kernel
def _down(start, left, right, leaf, ways, skip, value, derivative, flow):
    for node in range(len(start) - 2, 1, -1):
        if skip[node]:
            continue
        for t in range(start[node], start[node + 1]):
            down = derivative[node] * ways[leaf[t]]
            a = left[t]
            b = right[t]
            derivative[a] += down * value[b]
            if b != 1:
                derivative[b] += down * value[a]
            flow[leaf[t]] += down * value[a] * value[b]


@kernel
def _up_mod(start, left, right, leaf, ways, skip, prime, inverse, value):
    k = len(prime)
    for node in range(2, len(start) - 1):
        if skip[node]:
            continue
        for t in range(start[node], start[node + 1]):
            a = left[t]
            b = right[t]
            x = leaf[t]
            if b == 1 and x == 0:
                for i in range(k):
                    y = value[node, i] + value[a, i]
                    value[node, i] = y - prime[i] if y >= prime[i] else y
                continue
            for i in range(k):
                y = value[a, i]
                if b != 1:
                    y = y * value[b, i]
                    y -= np.floor(y * inverse[i]) * prime[i]
                if x != 0:
                    # a quotient one too large or too small leaves a residue one prime off, still exact
                    y = y * ways[x, i]
                    y -= np.floor(y * inverse[i]) * prime[i]
                y += value[node, i]
                y = y - prime[i] if y >= prime[i] else y
                value[node, i] = y + prime[i] if y < 0.0 else y


@kernel
def _down_mod(start, left, right, leaf, ways, skip, prime, inverse, value, derivative, flow):
    k = len(prime)
    for node in range(len(start) - 2, 1, -1):
        if skip[node]:
            continue
        for t in range(start[node], start[node + 1]):
            a = left[t]
            b = right[t]
            x = leaf[t]
            for i in range(k):
                p = prime[i]
                q = inverse[i]
                d = derivative[node, i]
                if x != 0:
                    d = d * ways[x, i]
                    d -= np.floor(d * q) * p
                below = d * value[a, i]
                below -= np.floor(below * q) * p
                if b != 1:
                    y = derivative[b, i] + below
                    y -= np.floor(y * q) * p
                    derivative[b, i] = y
                    d = d * value[b, i]
                    d -= np.floor(d * q) * p
                    if x != 0:
                        below = below * value[b, i]
                        below -= np.floor(below * q) * p
                y = derivative[a, i] + d
                y -= np.floor(y * q) * p
                derivative[a, i] = y
                if x != 0:
                    y = flow[x, i] + below
                    y -= np.floor(y * q) * p
                    flow[x, i] = y


@kernel
def _shares(start, left, right, leaf, log2_ways, value, share, leaf_share):
    for node in range(len(start) - 2, 1, -1):
        if share[node] == 0.0:
            continue
        for t in range(start[node], start[node + 1]):
            a = left[t]
            b = right[t]
            x = leaf[t]
            part = share[node] * 2.0 ** (value[a] + value[b] + log2_ways[x] - value[node])
            share[a] += part
            share[b] += part
            leaf_share[x] += part


def bits(circuit: Circuit, ways: Sequence[int]) -> FloatArray:
    """Return the binary logarithm of every node's count, nearly (0 for FALSE)."""
    value = np.zeros(len(circuit.start) - 1)
    log2_ways = np.array([_log2(way) for way in ways])
    _log2_counts.run(circuit.term_count, *_rows(circuit), log2_ways, value)
    return value


def owners(circuit: Circuit, roots: Sequence[int]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return for every node and every leaf the index of the root it belongs to, -1 for none."""
    owner = np.full(len(circuit.start) - 1, -1, np.int32)
    leaf_owner = np.full(len(circuit.leaf_group), -1, np.int32)
    owner[list(roots)] = np.arange(len(roots))
    _own.run(circuit.term_count, *_rows(circuit), owner, leaf_owner)
    leaf_owner[0] = -1
    return owner, leaf_owner


def shares(circuit: Circuit, roots: Sequence[int], ways: Sequence[int]) -> FloatArray:
    """Return the share of assignments in which each leaf holds, as doubles.

    What flows into a node is divided among its terms in proportion to their counts, whose logarithms are enough.
    """
    value = bits(circuit, ways)
    share = np.zeros(len(value))
    share[list(roots)] = 1.0
    leaf_share = np.zeros(len(ways))
    log2_ways = np.array([_log2(way) for way in ways])
    _shares.run(2 * circuit.term_count, *_rows(circuit), log2_ways, value, share, leaf_share)
    return leaf_share


def totals(circuit: Circuit, roots: Sequence[int], ways: Sequence[int]) -> list[int]:
    """Return the exact number of assignments of each root."""
    size = bits(circuit, ways)[list(roots)]
    skip = np.zeros(len(circuit.start) - 1, np.bool_)
    value = np.zeros(len(skip), np.int64)
    value[TRUE] = 1
    _up.run(circuit.term_count, *_rows(circuit), _words(ways), skip, value)
    counts: list[int] = value[list(roots)].tolist()
    large = np.flatnonzero(size >= _WORD).tolist()
    if large:
        owner, _ = owners(circuit, roots)
        skip = ~np.isin(owner, large)
        residues = [
            table[[roots[i] for i in large]]
            for _, table in _upward_modulo(circuit, ways, skip, _primes_for(size.max()))
        ]
        for i, row in zip(large, np.concatenate(residues, axis=1).tolist(), strict=True):
            counts[i] = _combined(row, size[i])
    return counts


def flows(circuit: Circuit, roots: Sequence[int], ways: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """Return, exactly, the totals of the roots, the owner of each leaf and the flow through each leaf.

    They are the fields of `mines_dd.diagrams.passes.Flows`.
    """
    size = bits(circuit, ways)[list(roots)]
    owner, leaf_owner = owners(circuit, roots)
    is_large = size >= _WORD
    large = np.flatnonzero(is_large).tolist()
    skip = (owner < 0) | is_large[owner]
    value = np.zeros(len(skip), np.int64)
    value[TRUE] = 1
    rows = _rows(circuit)
    _up.run(circuit.term_count, *rows, _words(ways), skip, value)
    derivative = np.zeros_like(value)
    derivative[list(roots)] = 1
    flow = np.zeros(len(leaf_owner), np.int64)
    _down.run(circuit.term_count, *rows, _words(ways), skip, value, derivative, flow)
    counts: list[int] = value[list(roots)].tolist()
    flow[0] = 0
    through: list[int] = flow.tolist()
    if large:
        all_primes = _primes_for(size.max())
        of_large = np.flatnonzero((leaf_owner >= 0) & is_large[leaf_owner])
        Budget().reserve(4 * len(of_large) * len(all_primes) + 16 * _BATCH * len(skip))
        flow_modulo = np.zeros((len(of_large), len(all_primes)), np.uint32)
        residues: list[FloatArray] = []
        done = 0
        in_small = ~np.isin(owner, large)
        for primes, table in _upward_modulo(circuit, ways, in_small, all_primes):
            down = np.zeros_like(table)
            down[list(roots)] = 1.0
            passed = np.zeros((len(through), len(primes)))
            prime = np.array(primes, float)
            work = circuit.term_count * len(primes)
            _down_mod.run(work, *rows, _modulo(ways, primes), in_small, prime, 1.0 / prime, table, down, passed)
            residues.append(table[[roots[i] for i in large]])
            flow_modulo[:, done : done + len(primes)] = passed[of_large]
            done += len(primes)
        for i, row in zip(large, np.concatenate(residues, axis=1).tolist(), strict=True):
            counts[i] = _combined(row, size[i])
        for x, i, found in zip(of_large.tolist(), leaf_owner[of_large].tolist(), flow_modulo, strict=True):
            through[x] = _combined(found.tolist(), size[i])
    return counts, leaf_owner.tolist(), through


def _upward_modulo(
    circuit: Circuit, ways: Sequence[int], skip: npt.NDArray[np.bool_], primes: Sequence[int]
) -> Iterator[tuple[Sequence[int], FloatArray]]:
    """Yield, some primes at a time, the residues of every node's count."""
    for first in range(0, len(primes), _BATCH):
        batch = primes[first : first + _BATCH]
        value = np.zeros((len(skip), len(batch)))
        value[TRUE] = 1.0
        prime = np.array(batch, float)
        _up_mod.run(
            circuit.term_count * len(batch),
            *_rows(circuit),
            _modulo(ways, batch),
            skip,
            prime,
            1.0 / prime,
            value,
        )
        yield batch, value


def _rows(circuit: Circuit) -> tuple[npt.NDArray[Any], ...]:
    return circuit.start, circuit.left, circuit.right, circuit.leaf


def _words(ways: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.array([way if way < 2**_WORD else 0 for way in ways], np.int64)


def _modulo(ways: Sequence[int], primes: Sequence[int]) -> FloatArray:
    return np.array([[way % p for p in primes] for way in ways], float)


def _log2(number: int) -> float:
    shift = max(0, number.bit_length() - 60)
    return float(np.log2(number >> shift)) + shift


def _primes_for(size: float) -> list[int]:
    """Enough primes to tell apart all numbers below 2 ** size, with a margin for the logarithm's rounding."""
    return _primes(int((size * (1 + 1e-9) + 2) / _PRIME_BITS) + 1)


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


def _sieve(is_prime: npt.NDArray[np.bool_]) -> list[int]:
    is_prime[:2] = False
    for p in range(2, int(len(is_prime) ** 0.5) + 1):
        if is_prime[p]:
            is_prime[p * p :: p] = False
    found: list[int] = np.flatnonzero(is_prime).tolist()
    return found


def _combined(residues: list[float], size: float) -> int:
    """The number below about 2 ** size with these residues."""
    coefficients, modulus = _chinese(len(_primes_for(size)))
    total: int = sum(map(mul, coefficients, map(int, residues)))
    return total % modulus


@lru_cache(maxsize=4096)
def _chinese(n: int) -> tuple[list[int], int]:
    primes = _primes(n)
    modulus = prod(primes)
    return [(modulus // p) * pow(modulus // p, -1, p) for p in primes], modulus
