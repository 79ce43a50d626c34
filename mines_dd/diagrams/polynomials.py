"""Polynomials with whole coefficients, each packed into one integer.

A *packed* polynomial is its value at 2**bits, a power of two above all its coefficients (Kronecker substitution).  Then
sums and products of polynomials are those of integers, which Python multiplies in less than quadratic time.  With 8
bits, p = 3 + 2z and q = 1 + 5z:

    p = 0x02_03,  q = 0x05_01,  p * q = 0x0a_11_03:  3 + 17z + 10z^2

A *functional* on polynomials of degree n gives each power a weight: what a polynomial comes to is the sum of its
coefficients times their weights, an inner product.  It is held packed too, the weights in reverse (that of z^n first),
because then applying it to a product with a fixed factor, seen as a functional on the other factor, is a slice of a
product of integers (the transposed product; A. Bostan, G. Lecerf, E. Schost, "Tellegen's principle into practice",
ISSAC 2003).  So weights pass down a product as cheaply as values pass up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

__all__ = [
    "coefficient_bits",
    "evaluate",
    "functionals_of_factors",
    "inner_product",
    "ones",
    "pack",
    "product",
    "transposed",
    "unpack",
]


def coefficient_bits(largest: int) -> int:
    """Return a number of bits that holds `largest`, in whole bytes as `pack` needs it.

    Examples
    --------
    >>> coefficient_bits(17), coefficient_bits(300)
    (8, 16)
    """
    return (largest.bit_length() + 8) // 8 * 8


def pack(coefficients: Iterable[int], bits: int) -> int:
    """Return a polynomial's value at 2**bits, from its coefficients, the constant one first.

    Examples
    --------
    >>> hex(pack([3, 2], 8) * pack([1, 5], 8))
    '0xa1103'
    """
    return int.from_bytes(b"".join(n.to_bytes(bits // 8, "little") for n in coefficients), "little")


def unpack(packed: int, bits: int) -> list[int]:
    """Return the coefficients of a packed polynomial, up to the last that is not 0.

    Examples
    --------
    >>> unpack(0xA1103, 8)
    [3, 17, 10]
    """
    width = bits // 8
    data = packed.to_bytes((packed.bit_length() + 7) // 8, "little")
    return [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]


def product(numbers: Iterable[int]) -> int:
    """Return the product of integers, packed or not; large ones meet others of their own size.

    Examples
    --------
    >>> product([2, 3, 7]), product([])
    (42, 1)
    """
    level = list(numbers) or [1]
    while len(level) > 1:
        level = [level[i] * level[i + 1] if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    return level[0]


def inner_product(coefficients: Sequence[int], weights: Sequence[int]) -> int:
    """Return what a polynomial comes to if each power has a weight; both begin with the constant.

    Examples
    --------
    >>> inner_product([3, 17, 10], [1, 0, 2])
    23
    """
    return sum(n * weight for n, weight in zip(coefficients, weights, strict=False) if n and weight)


def evaluate(functional: int, bits: int, degree: int, polynomial: int) -> int:
    """Return what a packed functional on polynomials of a degree gives for a packed polynomial.

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
    """Return the functional that gives for a polynomial what `functional` gives for its product with a factor.

    Parameters
    ----------
    functional : int
        On polynomials of degree `degree` + `factor_degree`, packed in reverse.
    bits : int
        Of a coefficient, with room for all sums.
    degree, factor_degree : int
        Of the polynomial and of the factor.
    factor : int
        Packed.

    Examples
    --------
    >>> weights, factor = pack([2, 0, 1], 8), pack([1, 5], 8)
    >>> evaluate(transposed(weights, 8, 1, factor, 1), 8, 1, pack([3, 2], 8))
    23
    """
    return (functional * factor >> bits * factor_degree) & ones(bits * (degree + 1))


def functionals_of_factors(factors: Sequence[Sequence[int]], weights: Sequence[int]) -> list[list[int]]:
    """Return for each factor of a product the weights that the product's weights and the other factors give it.

    Products go up a balanced tree of pairs, and transposed products come down it: at each node the one child's
    functional is the node's, transposed by the other child.

    Parameters
    ----------
    factors : sequence of coefficients
        The constant one first.
    weights : sequence of int
        Of the powers of the product.

    Examples
    --------
    >>> functionals_of_factors([[3, 2], [1, 5]], [1, 0, 2])  # 3 * 1 + 2 * 10 = 1 * 3 + 5 * 4 = 23
    [[1, 10], [3, 4]]
    """
    everything = product(sum(coefficients) for coefficients in factors)
    bits = coefficient_bits(everything * max(weights))
    levels = [[(pack(coefficients, bits), len(coefficients) - 1) for coefficients in factors]]
    while len(levels[-1]) > 1:
        row = levels[-1]
        pairs = zip(row[::2], row[1::2], strict=False)
        levels.append([(p * q, m + n) for (p, m), (q, n) in pairs] + row[len(row) & ~1 :])
    functionals = [pack(reversed(weights), bits)]
    for row in reversed(levels[:-1]):
        alone = functionals[len(row) // 2 :]
        below = []
        for above, (p, m), (q, n) in zip(functionals, row[::2], row[1::2], strict=False):
            below += [transposed(above, bits, m, q, n), transposed(above, bits, n, p, m)]
        functionals = below + alone
    found = [(unpack(packed, bits), degree) for packed, (_, degree) in zip(functionals, levels[0], strict=False)]
    return [(in_reverse + [0] * (degree + 1 - len(in_reverse)))[::-1] for in_reverse, degree in found]


@lru_cache(maxsize=256)
def ones(bits: int) -> int:
    """Return the number whose `bits` lowest bits are 1, a mask."""
    return (1 << bits) - 1
