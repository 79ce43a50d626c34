"""The order in which hints are conjoined (method "bdd") or intersected ("zdd").

On the board a1b1c2d, with the order of cells a, b, c, d, the hints span the levels 0-1, 1-2 and 2-3, and are taken in
the order 2-3, 1-2, 0-1.  Each then adds to the top of the diagram and leaves the rest as it is:

    2-3    c                1-2    b               0-1    a
           d                       c                      b
                                   d                      c
                                                          d
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mines_dd.constraints.graph import Instance, IntArray

__all__ = ["HintSpan", "schedule"]


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


def schedule(instance: Instance, order: IntArray) -> list[HintSpan]:
    """Return the hints in the order of conjunction: first the one whose first cell is deepest in the order of cells.

    A conjunction then changes only the top of the diagram; what is below the hint's last cell stays as it is.  Measured
    alternative: a balanced tree of conjunctions is often a little faster, but sometimes creates 100 times more nodes.

    Examples
    --------
    >>> from mines_dd import Board
    >>> instance = Instance.of(Board.parse("#1#1#"))
    >>> [span.levels for span in schedule(instance, np.arange(3, dtype=np.int32))]
    [[1, 2], [0, 1]]
    """
    level = np.empty(len(order), np.int64)
    level[order] = np.arange(len(order))
    spans = [
        HintSpan(sorted(level[cells].tolist()), allowed)
        for cells, allowed in zip(instance.members, instance.allowed, strict=True)
    ]
    return sorted(spans, key=lambda span: span.levels[:1] or [len(order)], reverse=True)
