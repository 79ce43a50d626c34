"""Helpers for specs: small numbers packed into a state's integers.

A *place* is where a field begins: 64 times the integer's index plus the lowest bit.  `places(5, 3)` puts five fields of
three bits side by side.  A field never crosses from one integer to the next, and the sign bit stays free:

    integer 0     ... | field 2 | field 1 | field 0 |
    place                  6         3         0

Fields of unequal width that come and go take the first place that is free (`first_fit`).

The functions that take a state run interpreted and compiled.  Compiled, an index that may be negative costs a
comparison, so theirs are unsigned.  Most states are one integer, and its index is a constant then (`in_one_integer`):
the integer stays in a register from the first field to the last, where one in memory is stored and loaded for each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from mines_dd.base.arrays import LongArray
from mines_dd.base.binding import bind
from mines_dd.base.jit import kernel

__all__ = ["bits_for", "first_fit", "get", "in_one_integer", "places", "put", "replace", "toggle", "units", "words_for"]

_WORD_BITS = 62


def bits_for(largest: int) -> int:
    """Return the bits of a field that holds 0 to `largest`."""
    return max(1, int(largest).bit_length())


def places(count: int, bits: int) -> LongArray:
    """Return the places of `count` fields of equal width."""
    each = _WORD_BITS // bits
    return np.array([64 * (i // each) + bits * (i % each) for i in range(count)], np.int64)


def words_for(count: int, bits: int) -> int:
    """Return how many integers `count` fields take, at least one."""
    return max(1, -(-count // (_WORD_BITS // bits)))


@kernel
def first_fit(taken, bits):
    """Return the first place from which this many bits of an integer are free.

    Parameters
    ----------
    taken : int64 array
        The bits in use; there is always one more integer than is needed.
    bits : int

    Examples
    --------
    >>> int(first_fit(np.array([0b1011, 0]), 1)), int(first_fit(np.array([0b1011, 0]), 2))
    (2, 4)
    >>> int(first_fit(np.array([0b1011, 0]), 59))  # only 58 are free behind it: in the next integer
    64
    """
    field = (np.int64(1) << bits) - 1
    word = 0
    while True:
        for shift in range(_WORD_BITS - bits + 1):
            if taken[word] & (field << shift) == 0:
                return 64 * word + shift
        word += 1


def get(state: Any, place: int, mask: int) -> int:
    """Return a field of a state; `mask` is its largest number, all bits set.

    It is for the state that `child` is given, not for arrays of the tables: how many integers a state has is known when
    it is compiled.
    """
    return (state[_integer_of_field(place)] >> (place & 63)) & mask  # type: ignore[no-any-return]


def put(state: Any, place: int, mask: int, value: int) -> None:
    """Set a field."""
    word, shift = _integer_of_field(place), place & 63
    state[word] = (state[word] & ~(mask << shift)) | (value << shift)


def toggle(state: Any, place: int, bits: int) -> None:
    """Turn bits of a field over: `old ^ new` makes it `new` where it was `old`."""
    state[_integer_of_field(place)] ^= bits << (place & 63)


@lru_cache(256)
def in_one_integer(child: Callable[..., int]) -> Callable[..., int]:
    """Return a spec's `child` for states of one integer: all its fields are in that."""
    return bind(child, {"_integer_of_field": _the_only_integer})


def _integer_of_field(place):
    return np.uint64(place >> 6)


def _the_only_integer(place):
    return 0


def units(bits: int) -> int:
    """Return an integer in which every field of `bits` bits is 1.

    Examples
    --------
    >>> bin(units(20))
    '0b10000000000000000000100000000000000000001'
    """
    return sum(1 << bits * i for i in range(_WORD_BITS // bits))


def replace(state: Any, units: int, bits: int, old: int, new: int) -> None:
    """Give all fields that hold `old`, which is not 0, the value `new`; `units` is 1 in every field.

    All fields of an integer are looked at together: `old` is taken from each by XOR, and those that are 0 then are
    found.  Adding all bits of a field but the highest sets the highest bit unless the others are 0.  With fields of
    three bits, 2 -> 5:

        fields        3    2    1    2
        XOR 2        001  000  011  000
        + 011        100  011  110  011      of the lower two bits
        highest       1    0    1    0       the second and the fourth held 2
    """
    low = units * ((1 << (bits - 1)) - 1)
    for w in range(len(state)):
        differs = state[w] ^ (units * old)
        others = ((differs & low) + low) | differs
        state[w] ^= (~(others >> (bits - 1)) & units) * (old ^ new)
