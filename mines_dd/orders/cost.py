"""What a compilation in some order will cost, before it is run.

A diagram in a linear order remembers after each cell the partial sums of its *open* hints, those with some but not
all cells decided.  An elimination keeps in each step's table the partial sums of the hints that are still to be
eliminated.  A layer, or a table, therefore has at most one state, or entry, for each combination of partial sums that
can still come out right: the product of their numbers (`sums.log2_sums`) bounds its size.

An example: five hints of one mine each in a row below five closed cells, which are decided from left to right.

    cells   a b c d e        p: ab   q: abc   r: bcd   s: cde   t: de
    hints   1 1 1 1 1
            p q r s t

    after          open hints and their sums           bound   states
    nothing                                               1        1
    a              p (of a): 0 1     q (of a): 0 1        2        2    00 11
    a b            q (of ab): 0 1    r (of b): 0 1        4        2    10 11
    a b c          r (of bc): 0 1    s (of c): 0 1        4        2    00 10
    a b c d        s (of cd): 0 1    t (of d): 0 1        4        2    00 11
    all                                                   1        1
                                                      16       10

A layer has no more states, either, than the decided cells of open hints have choices, which bounds it where one cell
opens many hints: after a, two choices and not four combinations.

The bound takes the sums for independent, but hints that share cells move together: later 4 combinations are possible,
and 2 are there.  So only a part of the bound's bits is needed: of b bits (0.66 + 0.008 b) b, the mean over many
boards, and never more than b.  For b = 1 that is 1.6 states, for b = 2 it is 2.55: 1 + 1.6 + 3 x 2.55 + 1 = 11.2 are
predicted for the 10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import FloatArray, LongArray
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance
from mines_dd.orders.given import given_permutation
from mines_dd.orders.sums import hint_rows, log2_sums

__all__ = ["Cost", "linear_cost", "predicted_sizes"]

# The share of a bound's bits that is really needed, and how much it grows with each bit.
_NEEDED, _NEEDED_MORE = 0.66, 0.008
# Powers of two beyond this are cut, so that none overflows.
_MOST_BITS = 1000.0


@dataclass(frozen=True)
class Cost:
    """What a compilation in some order will cost.

    States are counted after each cell.  The method "dc" decides the edges of a cell one by one and has states after
    each: about two to five times as many.

    Attributes
    ----------
    width : int
        The most hints remembered at once: the open hints of a linear order, the hints in a table of an elimination.
    log2_bound : float
        The binary logarithm of a bound on all states (after a cell) or table entries together.
    entries : float
        The predicted number of states (after a cell) or table entries.
    peak : float
        The predicted size of the largest layer or table.
    """

    width: int
    log2_bound: float
    entries: float
    peak: float

    @classmethod
    def of(cls, log2_sizes: FloatArray, widths: LongArray) -> Cost:
        """Return the cost of layers or tables.

        Parameters
        ----------
        log2_sizes : float array
            For each layer or table the binary logarithm of a bound on its size.
        widths : int array
            How many hints each remembers.

        Examples
        --------
        >>> Cost.of(np.array([2.0, 2.0]), np.array([2, 2])).log2_bound
        3.0
        """
        if len(log2_sizes) == 0:
            return cls(0, 0.0, 0.0, 0.0)
        peak = float(log2_sizes.max())
        bound = peak + float(np.log2(np.exp2(log2_sizes - peak).sum()))
        predicted = predicted_sizes(log2_sizes)
        return cls(int(widths.max()), bound, float(predicted.sum()), float(predicted.max()))


def predicted_sizes(log2_sizes: FloatArray) -> FloatArray:
    """Return the predicted size of each layer or table, from the binary logarithm of a bound on it.

    Examples
    --------
    >>> predicted_sizes(np.array([0.0, 2.0])).round(1).tolist()
    [1.0, 2.6]
    """
    needed = (_NEEDED + _NEEDED_MORE * log2_sizes) * log2_sizes
    sizes: FloatArray = np.exp2(np.minimum(np.minimum(needed, log2_sizes), _MOST_BITS))
    return sizes


def linear_cost(instance: Instance, cells: npt.ArrayLike) -> Cost:
    """Return what a diagram in this order of cells will cost: a state for each combination of open hints' sums.

    Parameters
    ----------
    instance : Instance
    cells : array of int
        The indices of all cells in the order of decision.

    Raises
    ------
    GraphFormatError
        If these are not all cells once.

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> instance = Instance.from_board(Board.parse("#####/11111"))
    >>> round(2 ** linear_cost(instance, range(5)).log2_bound)
    16
    >>> round(linear_cost(instance, range(5)).entries, 1)
    11.2
    """
    cells = given_permutation(cells, len(instance.cells), "cells")
    log2_states = np.zeros(len(cells) + 1)
    opened = np.zeros(len(cells) + 1, np.int64)
    _open_after_each_cell.run(8 * len(instance.member), hint_rows(instance), cells, log2_states, opened)
    return Cost.of(log2_states, opened)


@kernel
def _open_after_each_cell(rows, cells, log2_states, opened):
    """After each cell, the bound on states and the number of open hints."""
    start, cell_start, cell_hint, least, most = rows.start, rows.cell_start, rows.cell_hint, rows.least, rows.most
    member = rows.member
    decided = np.zeros(len(start), np.int64)
    open_hints = np.zeros(len(cell_start) - 1, np.int64)  # of each decided cell
    border = 0  # the decided cells with any
    now = 0.0
    frontier = 0
    for i in range(len(cells)):
        cell = cells[i]
        for j in range(cell_start[cell], cell_start[cell + 1]):
            h = cell_hint[j]
            size = start[h + 1] - start[h]
            d = decided[h]
            now -= log2_sums(d, size - d, least[h], most[h]) if d > 0 else 0.0
            decided[h] = d + 1
            if d == 0:
                frontier += 1
            if d + 1 < size:
                now += log2_sums(d + 1, size - d - 1, least[h], most[h])
            else:
                frontier -= 1
        for j in range(cell_start[cell], cell_start[cell + 1]):
            h = cell_hint[j]
            if decided[h] < start[h + 1] - start[h]:
                open_hints[cell] += 1
                continue
            for k in range(start[h], start[h + 1]):
                if member[k] != cell:
                    open_hints[member[k]] -= 1
                    border -= 1 if open_hints[member[k]] == 0 else 0
        border += 1 if open_hints[cell] > 0 else 0
        log2_states[i + 1] = min(now, border)
        opened[i + 1] = frontier
