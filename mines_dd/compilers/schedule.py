"""The order in which hints are conjoined (method "bdd") or intersected ("zdd").

The paper does not give one.  "given" takes the hints as the board, row by row, or the graph gives them.  "deepest",
ours, follows the order of cells.  On the board a1b1c2d, with the order of cells a, b, c, d, the hints span the levels
0-1, 1-2 and 2-3, and "deepest" takes them in the order 2-3, 1-2, 0-1.  Each then adds to the top of the diagram and
leaves the rest as it is:

    2-3    c                1-2    b               0-1    a
           d                       c                      b
                                   d                      c
                                                          d
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from mines_dd.base.arrays import IntArray
from mines_dd.constraints.graph import Instance

__all__ = ["Conjoin", "HintSpan", "schedule"]

Conjoin = Literal["deepest", "given"]
"""In which order the hints are conjoined."""


@dataclass(frozen=True)
class HintSpan:
    """A hint, seen from an order of cells.

    Attributes
    ----------
    levels : list of int
        The levels of its cells, ascending.
    allowed : list of int
        The counts that it allows.
    """

    levels: list[int]
    allowed: list[int]


def schedule(instance: Instance, order: IntArray, conjoin: Conjoin = "deepest") -> list[HintSpan]:
    """Return the hints in the order of conjunction.

    With "deepest" a conjunction changes only the top of the diagram; what is below the hint's last cell stays as it is.
    Measured alternative: a balanced tree of conjunctions is often a little faster, but sometimes creates 100 times more
    nodes.

    Parameters
    ----------
    instance : Instance
    order : int32 array
        All cells, the first at the top.
    conjoin : {"deepest", "given"}
        First the hint whose first cell is deepest in the order of cells; or the hints in the order of the instance.

    Examples
    --------
    >>> from mines_dd import Board
    >>> instance = Instance.of(Board.parse("#1#1#"))
    >>> [span.levels for span in schedule(instance, np.arange(3, dtype=np.int32))]
    [[1, 2], [0, 1]]
    >>> [span.levels for span in schedule(instance, np.arange(3, dtype=np.int32), "given")]
    [[0, 1], [1, 2]]
    """
    level = np.empty(len(order), np.int64)
    level[order] = np.arange(len(order))
    spans = [
        HintSpan(sorted(level[cells].tolist()), allowed)
        for cells, allowed in zip(instance.members, instance.allowed, strict=True)
    ]
    if conjoin == "given":
        return spans
    return sorted(spans, key=lambda span: span.levels[:1] or [len(order)], reverse=True)
