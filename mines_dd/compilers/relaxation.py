"""Cells that many hints decide together: reduction beyond single hints, where it pays.

`simplify` decides what follows from one hint, or from two of which one contains the other.  On large boards with many
hints there are many more decided cells, which follow from several hints together; a compiler that does not know them
makes tables many times too large.  To find them, some hints are *left out*, so that the rest is quickly compiled.
Every assignment of all hints is an assignment of the rest.  So a cell that is safe, or a mine, in all assignments of
the rest is so in all assignments.  What is found is simplified with the hints, and may be looked at again.

An example: no hint decides a cell by itself, and none contains another.

    cells   a b c d        p = 1: a b c     q = 2: b c d     r = 2: d and others
    hints   p q r

Leave out r.  The rest has the assignments {b, d} and {c, d}: a is safe, and d is a mine.  With that p and q are the
same hint, and r has to find one mine among its other cells.

How much that gives, on a board of 300x300 with 30% mines and hints on 40% of the safe cells: 8,032 cells are decided
that `simplify` leaves open.  With 248 of 18,904 hints left out, tables of up to 1,024 entries find 7,769 of them.  Then
the board is compiled with 115,000 entries, where it took 6 million.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mines_dd.base.arrays import IntArray
from mines_dd.base.budget import Budget
from mines_dd.compilers.tree import possible_mines
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import Simplified, simplify
from mines_dd.orders.elimination import Elimination, best_elimination
from mines_dd.orders.lightened import lightened

__all__ = ["Tightened", "tightened"]

# Instances of fewer hints are left as they are, and those that are predicted to need few entries, in all or a hint.
_LEAST_HINTS = 200
_FEW_ENTRIES, _FEW_A_HINT = 20_000, 8
# The binary logarithms of a table's most entries: the next if one decides no more cells.
_BITS = (10, 13, 16)
# A part is compiled if all hints are predicted to take at least this many times its entries.
_GAIN = 2
_NONE = np.zeros(0, np.int32)


class Tightened(NamedTuple):
    """A reduced instance, and its elimination of least fill if there was one to be made.

    Attributes
    ----------
    reduced : Simplified
    first : Elimination or None
    """

    reduced: Simplified
    first: Elimination | None


def tightened(instance: Instance, reduced: Simplified, budget: Budget | None = None) -> Tightened:
    """Return an instance reduced further by the cells that parts of the hints decide, if it needs that.

    Parameters
    ----------
    instance : Instance
        As it came.
    reduced : Simplified
        What `simplify` made of it.
    budget : Budget, optional
        Its seconds count here; its nodes do not, as all tables stay small.

    Raises
    ------
    BudgetExceededError
        If it takes too long.

    Examples
    --------
    >>> from mines_dd import Board
    >>> instance = Instance.of(Board.random(60, 60, 0.3, 0.5, 6))
    >>> reduced = simplify(instance)
    >>> reduced.instance == tightened(instance, reduced).reduced.instance  # quickly compiled as it is
    True
    """
    limits = replace(Budget.of(budget), max_nodes=None)
    while reduced.consistent and len(reduced.instance.hints) >= _LEAST_HINTS:
        first = best_elimination(reduced.instance, "min-fill", reduced.size, limits)
        if first.cost.entries <= max(_FEW_ENTRIES, _FEW_A_HINT * len(reduced.instance.hints)):
            return Tightened(reduced, first)
        decided = _decided(reduced, first, limits)
        if decided is None:
            return Tightened(replace(reduced, consistent=False), None)
        if len(decided[0]) == 0:
            return Tightened(reduced, first)
        instance = _with_facts(instance, reduced, *decided)
        reduced = simplify(instance, limits)
    return Tightened(reduced, None)


def _decided(reduced: Simplified, first: Elimination, budget: Budget) -> tuple[IntArray, IntArray] | None:
    """The groups that are all safe or all mines, and the mines of each; None if there is no assignment."""
    for bits in _BITS:
        light, elimination = lightened(reduced.instance, first, reduced.size, bits, budget)
        if first.cost.entries < _GAIN * elimination.cost.entries:
            return _NONE, _NONE
        found = possible_mines(replace(reduced, instance=light), elimination, budget)
        if found is None:
            return None
        least, most = found
        groups = np.flatnonzero((most == 0) | (least == reduced.size)).astype(np.int32)
        if len(groups):
            return groups, least[groups].astype(np.int32)
    return _NONE, _NONE


def _with_facts(instance: Instance, reduced: Simplified, groups: IntArray, mines: IntArray) -> Instance:
    """The instance with one more hint for each of some groups, which says how many mines it has."""
    first, size = reduced.group_start[groups], reduced.size[groups]
    start = np.append(0, np.cumsum(size))
    cells = reduced.group_cell[np.repeat(first - start[:-1], size) + np.arange(start[-1])]
    known = len(instance.member)
    return replace(
        instance,
        hints=[*instance.hints, *(("group", cell) for cell in reduced.group_cell[first].tolist())],
        start=np.append(instance.start, known + start[1:]).astype(np.int32),
        member=np.append(instance.member, cells).astype(np.int32),
        count_start=np.append(instance.count_start, len(instance.count) + 1 + np.arange(len(groups))).astype(np.int32),
        count=np.append(instance.count, mines).astype(np.int32),
    )
