"""Polynomials with non-negative integer coefficients, each packed into one integer.

A *packed* polynomial is its value at 2**bits, where 2**bits exceeds all coefficients that occur (Kronecker
substitution).  Polynomials are then added and multiplied as integers, and Python multiplies long integers in less than
quadratic time.  With 8 bits, 3 + 2z and 1 + 5z are

    0x02_03 and 0x05_01, and 0x02_03 * 0x05_01 = 0x0a_11_03: the product is 3 + 17z + 10z^2

A *functional* on polynomials of degree n is a weight for each power; it maps a polynomial to the sum of its
coefficients times their weights.  With the weights 1, 0, 2 the product above gives 3 * 1 + 17 * 0 + 10 * 2 = 23.  If
the factor 1 + 5z is fixed, this is a functional on the other factor; its weights are the *transposed product* (A.
Bostan, G. Lecerf, E. Schost, "Tellegen's principle into practice", ISSAC 2003):

    of 1:  1 * 1 + 5 * 0 = 1        of z:  1 * 0 + 5 * 2 = 10        and 3 * 1 + 2 * 10 = 23

Functionals are packed with their weights reversed, that of z^n first; then a transposed product is a slice of a product
of integers.  So a downward pass, which takes weights through products, costs about as much as an upward pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import prod

import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import FloatArray
from mines_dd.base.budget import Budget

__all__ = [
    "coefficient_bits",
    "evaluate",
    "functionals_of_factors",
    "inner_product",
    "ones",
    "pack",
    "product",
    "product_seconds",
    "transposed",
    "tree_seconds",
    "unpack",
]

_SECONDS_A_STEP = 2.5e-11  # measured: of a multiplication of long integers


def coefficient_bits(largest: int) -> int:
    """Return how many bits a coefficient up to `largest` needs: a multiple of 8, as for `pack`.

    Examples
    --------
    >>> coefficient_bits(17), coefficient_bits(300)
    (8, 16)
    """
    return (largest.bit_length() + 8) // 8 * 8


def pack(coefficients: Iterable[int], bits: int) -> int:
    """Return the packed polynomial of some coefficients, the constant one first.

    Examples
    --------
    >>> hex(pack([3, 2], 8) * pack([1, 5], 8))
    '0xa1103'
    """
    return int.from_bytes(b"".join(n.to_bytes(bits // 8, "little") for n in coefficients), "little")


def unpack(packed: int, bits: int) -> list[int]:
    """Return the coefficients of a packed polynomial, the constant one first, without zeros at the end.

    Examples
    --------
    >>> unpack(0xA1103, 8)
    [3, 17, 10]
    """
    width = bits // 8
    data = packed.to_bytes((packed.bit_length() + 7) // 8, "little")
    return [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]


def product(numbers: Iterable[int], budget: Budget | None = None) -> int:
    """Return the product of integers or packed polynomials, by a balanced tree: fastest for long ones.

    Raises
    ------
    BudgetExceededError
        If the time is over.

    Examples
    --------
    >>> product([2, 3, 7]), product([])
    (42, 1)
    """
    level, limits = list(numbers) or [1], Budget.of(budget)
    while len(level) > 1:
        level = [prod(level[i : i + 2]) for i in limits.each(range(0, len(level), 2), every=1)]
    return level[0]


def inner_product(coefficients: Sequence[int], weights: Sequence[int]) -> int:
    """Return the sum of coefficients times weights; both begin with the constant.

    Examples
    --------
    >>> inner_product([3, 17, 10], [1, 0, 2])
    23
    """
    return sum(n * weight for n, weight in zip(coefficients, weights, strict=False) if n and weight)


def product_seconds(bits: npt.ArrayLike, one: npt.ArrayLike, other: npt.ArrayLike) -> FloatArray:
    """Return roughly the seconds that it takes to multiply packed polynomials.

    By Karatsuba's method integers of m <= n bits take n / m multiplications of m by m bits, each of m**1.585 steps.

    Parameters
    ----------
    bits, one, other : arrays
        The bits of a coefficient, and the numbers of coefficients of the factors.

    Examples
    --------
    >>> bool(0.001 < product_seconds(1000, 100, 100) < 0.01)
    True
    """
    a, b = np.asarray(one, float), np.asarray(other, float)
    seconds: FloatArray = _SECONDS_A_STEP * np.asarray(bits) ** 1.585 * np.minimum(a, b) ** 0.585 * (a + b)
    return seconds


def tree_seconds(bits: int, lengths: npt.ArrayLike) -> float:
    """Return roughly the seconds that `product` takes for packed polynomials of so many coefficients.

    Examples
    --------
    >>> 0.001 < tree_seconds(1000, [100, 50, 50]) < 0.01
    True
    """
    level, seconds = np.asarray(lengths, float), 0.0
    while len(level) > 1:
        last = level[len(level) // 2 * 2 :]
        one, other = level[: len(level) // 2 * 2].reshape(-1, 2).T
        seconds += float(product_seconds(bits, one, other).sum())
        level = np.append(one + other, last)
    return seconds


def evaluate(functional: int, bits: int, degree: int, polynomial: int) -> int:
    """Return the value of a packed functional, on polynomials of this degree, for a packed polynomial.

    Examples
    --------
    >>> evaluate(pack([2, 0, 1], 8), 8, 2, pack([3, 17, 10], 8))  # the weights 1, 0, 2 in reverse
    23
    """
    if not degree:
        return functional * polynomial
    weights, coefficients = unpack(functional, bits), unpack(polynomial, bits)
    first = max(0, degree + 1 - len(weights))
    return sum(n * weights[degree - i] for i, n in enumerate(coefficients[first:], first) if n)


def transposed(functional: int, bits: int, degree: int, factor: int, factor_degree: int) -> int:
    """Return the functional that maps a polynomial to the value of `functional` for its product with a factor.

    Parameters
    ----------
    functional : int
        Packed, on polynomials of degree `degree` + `factor_degree`.
    bits : int
        The bits of a coefficient; every sum of products has to fit.
    degree, factor_degree : int
        The degrees of the polynomial and of the factor.
    factor : int
        A packed polynomial.

    Examples
    --------
    >>> weights, factor = pack([2, 0, 1], 8), pack([1, 5], 8)
    >>> evaluate(transposed(weights, 8, 1, factor, 1), 8, 1, pack([3, 2], 8))
    23
    """
    return (functional * factor >> bits * factor_degree) & ones(bits * (degree + 1))


def functionals_of_factors(
    factors: Sequence[Sequence[int]], weights: Sequence[int], budget: Budget | None = None
) -> list[list[int]]:
    """Return for each factor of a product its weights: those of a functional on the product, the others being fixed.

    The products are computed up a balanced binary tree, and the functionals down it: the functional of a child is that
    of its parent, transposed by the other child.

    Parameters
    ----------
    factors : sequence of sequences of int
        The coefficients of each factor, the constant one first.
    weights : sequence of int
        The weights of the powers of the product.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If the time is over.

    Examples
    --------
    >>> functionals_of_factors([[3, 2], [1, 5]], [1, 0, 2])  # 3 * 1 + 2 * 10 = 1 * 3 + 5 * 4 = 23
    [[1, 10], [3, 4]]
    """
    limits = Budget.of(budget)
    everything = product((sum(coefficients) for coefficients in factors), limits)
    bits = coefficient_bits(everything * max(weights))
    levels = [[(pack(coefficients, bits), len(coefficients) - 1) for coefficients in factors]]
    while len(levels[-1]) > 1:
        row = levels[-1]
        pairs = limits.each(zip(row[::2], row[1::2], strict=False), 1)
        levels.append([(p * q, m + n) for (p, m), (q, n) in pairs] + row[len(row) & ~1 :])
    functionals = [pack(reversed(weights), bits)]
    for row in reversed(levels[:-1]):
        alone = functionals[len(row) // 2 :]
        below = []
        for above, (p, m), (q, n) in limits.each(zip(functionals, row[::2], row[1::2], strict=False), 1):
            below += [transposed(above, bits, m, q, n), transposed(above, bits, n, p, m)]
        functionals = below + alone
    found = [(unpack(packed, bits), degree) for packed, (_, degree) in zip(functionals, levels[0], strict=False)]
    return [(in_reverse + [0] * (degree + 1 - len(in_reverse)))[::-1] for in_reverse, degree in found]


@lru_cache(maxsize=256)
def ones(bits: int) -> int:
    """Return the mask of the `bits` lowest bits.

    Examples
    --------
    >>> bin(ones(5))
    '0b11111'
    """
    return (1 << bits) - 1
