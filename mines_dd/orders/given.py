"""Orders given as lists of labels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import IntArray, LongArray
from mines_dd.base.checks import require_distinct, require_labels
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.wording import counted

__all__ = ["given_order", "given_permutation", "given_sizes"]


def given_order(order: Sequence[Any], labels: Sequence[Hashable], what: str) -> IntArray:
    """Return the indices of the labels that an order lists, which has to hold each once."""
    index = {label: i for i, label in enumerate(labels)}
    listed = require_labels(order, f"the name of an order, or a list of each {what},")
    for label in listed:
        if label not in index:
            raise GraphFormatError(f"the order has {label!r}, which is not a {what} of this board")
    require_distinct(listed, "the order")
    if len(listed) != len(labels):
        missing = next(label for label in labels if label not in set(listed))
        raise GraphFormatError(f"the order lacks the {what} {missing!r}")
    return np.array([index[label] for label in listed], np.int32)


def given_permutation(order: npt.ArrayLike, n: int, what: str) -> IntArray:
    """Return an order of the numbers 0 to n - 1, which has to hold each once."""
    given = _whole(order)
    if given.dtype.kind not in "iu" or given.shape != (n,) or not np.array_equal(np.sort(given), np.arange(n)):
        raise GraphFormatError(f"an order of {what} has the numbers 0 to {n - 1}, each once")
    return given.astype(np.int32)


def given_sizes(sizes: npt.ArrayLike | None, n: int) -> LongArray:
    """Return how many cells each of n groups has, by default 1."""
    given = np.ones(n, np.int64) if sizes is None else _whole(sizes)
    if given.shape != (n,) or given.dtype.kind not in "iu" or (given < 1).any():
        raise GraphFormatError(f"the sizes of the groups are {counted(n, 'whole number')} of at least 1")
    return given.astype(np.int64)


def _whole(numbers: npt.ArrayLike) -> npt.NDArray[Any]:
    """An array of what is given; of nothing at all NumPy makes one of doubles."""
    given = np.asarray(numbers)
    return given if given.size else given.astype(np.int64)
