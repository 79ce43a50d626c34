"""Which hints to leave out, so that all tables of an elimination stay small.

An elimination whose tables are too large becomes feasible if some hints are left out: no table remembers their sums.
The steps are looked at in their order.  At a step whose table would be too large, hints that it remembers are left out
until the rest fits, those first that would be remembered longest.  They are missing from all tables.

An example: five hints of one mine each in a row below five closed cells, in the order q, p, t, r, s.

    cells   a b c d e        p: ab   q: abc   r: bcd   s: cde   t: de
    hints   1 1 1 1 1
            p q r s t

Step 0 eliminates q and sums up a, b and c.  Its table remembers p, r and s.  Both cells of p are in, so its sum is 1; r
and s may have the sums 0 and 1: two bits.  If one bit is allowed, s is left out, which would be remembered longer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mines_dd.base.arrays import BoolArray, IntArray
from mines_dd.base.budget import Budget
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance
from mines_dd.orders.elimination import Elimination
from mines_dd.orders.sums import log2_sums

__all__ = ["lightened"]


def lightened(
    instance: Instance, elimination: Elimination, sizes: IntArray, bits: float, budget: Budget
) -> tuple[Instance, Elimination]:
    """Return an instance without some of its hints, over the same cells, and an elimination with small tables.

    Parameters
    ----------
    instance : Instance
    elimination : Elimination
        Of all its hints.
    sizes : int array
        The number of cells in each group, as the instance's cells are groups.
    bits : float
        The binary logarithm of the entries that a table may have, by the bound of `Steps.log2_entries`.
    budget : Budget

    Raises
    ------
    BudgetExceededError
        If the budget's time runs out.

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> instance = Instance.from_board(Board.parse("#####/11111"))
    >>> sizes = np.ones(5, np.int32)
    >>> elimination = Elimination.of(instance, np.array([1, 0, 4, 2, 3]))
    >>> light, elimination = lightened(instance, elimination, sizes, 1.0, Budget())
    >>> light.hints, elimination.order.tolist()
    ([(1, 0), (1, 1), (1, 2), (1, 4)], [1, 0, 3, 2])
    """
    n, steps = len(instance.hints), elimination.steps
    place = np.zeros(n, np.int64)
    place[elimination.order] = np.arange(n)
    stays = np.ones(n, np.bool_)
    tables = steps.start, steps.hint, steps.covered, steps.log2_entries
    of_hint = place, instance.hint_sizes(sizes), *instance.count_range
    _leave_out.run(20 * len(steps.hint), tables, of_hint, bits, stays)
    number = np.cumsum(stays) - 1
    order = elimination.order[stays[elimination.order]]
    light = _only(instance, stays)
    return light, Elimination.of(light, number[order].astype(np.int32), sizes, budget)


@kernel
def _leave_out(tables, of_hint, bits, stays):
    """Mark the hints that do not stay, so that no table's bound has more bits than allowed."""
    start, hint, covered, log2_entries = tables
    place, cells, least, most = of_hint
    for step in range(len(log2_entries)):
        if log2_entries[step] <= bits:
            continue
        while True:
            found = 0.0
            latest = -1
            for i in range(start[step], start[step + 1]):
                x = hint[i]
                needs = log2_sums(covered[i], cells[x] - covered[i], least[x], most[x]) if stays[x] else 0.0
                found += needs
                if needs > 0.0 and (latest < 0 or place[x] > place[latest]):
                    latest = x
            if found <= bits:
                break
            stays[latest] = False


def _only(instance: Instance, stays: BoolArray) -> Instance:
    """The instance of some of its hints, over all its cells."""
    rows, counts = (np.repeat(stays, np.diff(start)) for start in (instance.start, instance.count_start))
    start, count_start = (
        np.append(0, np.cumsum(np.diff(start)[stays])).astype(np.int32)
        for start in (instance.start, instance.count_start)
    )
    return replace(
        instance,
        hints=[instance.hints[h] for h in np.flatnonzero(stays).tolist()],
        start=start,
        member=instance.member[rows],
        count_start=count_start,
        count=instance.count[counts],
    )
