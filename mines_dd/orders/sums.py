"""What all orders are judged by: the number of partial sums that a hint can have while some of its cells are decided.

A hint of three cells that allows one mine, with two of its cells decided, has the partial sums 0 and 1: two mines are
too many.  With two mines allowed they are 1 and 2: with none so far, the last cell could not make up for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mines_dd.base.arrays import IntArray
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance

__all__ = ["HintRows", "hint_rows", "log2_sums"]


class HintRows(NamedTuple):
    """An instance as the kernels read it.

    Attributes
    ----------
    start, member : int32 arrays
        Each hint's cells, in compressed rows.
    cell_start, cell_hint : int32 arrays
        Each cell's hints, in compressed rows.
    least, most : int32 arrays
        The least and the greatest count that each hint allows.
    """

    start: IntArray
    member: IntArray
    cell_start: IntArray
    cell_hint: IntArray
    least: IntArray
    most: IntArray


def hint_rows(instance: Instance) -> HintRows:
    """Return the arrays of an instance that the kernels read."""
    return HintRows(instance.start, instance.member, *instance.cell_rows, *instance.count_range)


@kernel
def log2_sums(decided, left, least, most):
    """Return the binary logarithm of the number of partial sums of a hint that can still come out right.

    Parameters
    ----------
    decided, left : int
        How many of the hint's cells are decided, and how many are left.
    least, most : int
        The counts that the hint allows.

    Examples
    --------
    >>> float(log2_sums(2, 1, 1, 1))
    1.0
    """
    sums = min(most, decided) - max(0, least - left) + 1
    return np.log2(sums) if sums > 1 else 0.0
