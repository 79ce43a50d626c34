"""Orders given as lists of labels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from mines_dd.base.arrays import IntArray
from mines_dd.base.checks import require_labels
from mines_dd.base.errors import GraphFormatError

__all__ = ["given_order"]


def given_order(order: Sequence[Any], labels: Sequence[Hashable], what: str) -> IntArray:
    """Return the indices of the labels that an order lists, which has to hold each once."""
    index = {label: i for i, label in enumerate(labels)}
    listed = require_labels(order, f"the name of an order, or a list of each {what},")
    for label in listed:
        if label not in index:
            raise GraphFormatError(f"the order has {label!r}, which is not a {what} of this board")
    if len(set(listed)) != len(listed):
        raise GraphFormatError(f"the order has a {what} twice")
    if len(listed) != len(labels):
        missing = next(label for label in labels if label not in set(listed))
        raise GraphFormatError(f"the order lacks the {what} {missing!r}")
    return np.array([index[label] for label in listed], np.int32)
