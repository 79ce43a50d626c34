"""Helpers for specs: small numbers packed into a state's integers, and component labels in canonical numbers.

A *place* is where a field begins: 64 times the integer's index plus the lowest bit.  `places(5, 3)` puts five fields of
three bits side by side.  A field never crosses from one integer to the next, and the sign bit stays free:

    integer 0     ... | field 2 | field 1 | field 0 |
    place                  6         3         0

The functions that take a state run interpreted and compiled.  Compiled, an index that may be negative costs a
comparison, so theirs are unsigned.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["bits_for", "get", "join_components", "places", "put", "words_for"]

_WORD_BITS = 62


def bits_for(largest: int) -> int:
    """Return the bits of a field that holds 0 to `largest`."""
    return max(1, int(largest).bit_length())


def places(count: int, bits: int) -> npt.NDArray[np.int64]:
    """Return the places of so many fields of equal width."""
    each = _WORD_BITS // bits
    return np.array([64 * (i // each) + bits * (i % each) for i in range(count)], np.int64)


def words_for(count: int, bits: int) -> int:
    """Return how many integers so many fields take, at least one."""
    return max(1, -(-count // (_WORD_BITS // bits)))


def get(state: Any, place: int, mask: int) -> int:
    """Return a field; `mask` is its largest number, all bits set."""
    return (state[np.uint64(place >> 6)] >> (place & 63)) & mask  # type: ignore[no-any-return]


def put(state: Any, place: int, mask: int, value: int) -> None:
    """Set a field."""
    word, shift = np.uint64(place >> 6), place & 63
    state[word] = (state[word] & ~(mask << shift)) | (value << shift)


def join_components(state: Any, places: Any, mask: int, one: int, other: int) -> None:
    """Give the fields labelled `one` the label `other`, and number all labels anew by first appearance; 0 stays 0.

    Two states that join the same vertices have the same labels then.  With labels 1 2 1 3, joining 2 and 3:

        1 2 1 3  ->  1 3 1 3  ->  1 2 1 2
    """
    if one != other:
        for i in range(len(places)):
            if get(state, places[i], mask) == one:
                put(state, places[i], mask, other)
    seen = 0  # labels given so far
    for i in range(len(places)):
        label = get(state, places[i], mask)
        if label <= seen:
            continue
        seen += 1
        if label == seen:
            continue
        for j in range(i, len(places)):  # swap the labels `label` and `seen` in the fields to come
            there = get(state, places[j], mask)
            if there == label:
                put(state, places[j], mask, seen)
            elif there == seen:
                put(state, places[j], mask, label)
