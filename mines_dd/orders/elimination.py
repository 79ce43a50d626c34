"""Orders of hints for elimination, and what each step of an elimination remembers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.errors import GraphFormatError
from mines_dd.graph import Instance, IntArray
from mines_dd.jit import kernel
from mines_dd.orders.cost import Cost, arrays, cost_of, log2_sums
from mines_dd.orders.given import given_order
from mines_dd.orders.min_fill import eliminated, neighbours

__all__ = ["Steps", "elimination_cost", "elimination_order", "elimination_steps"]


def elimination_order(instance: Instance, order: str | Sequence[Any] = "auto") -> IntArray:
    """Return the hints' indices in the order of elimination.

    Parameters
    ----------
    instance : Instance
        Its cells may be groups of twins.
    order : str or sequence of labels
        "min-fill" (next the hint whose neighbours lack fewest edges), "min-degree", "auto" (the cheapest predicted
        of several min-fill orders with ties broken differently), or all hints.

    Raises
    ------
    GraphFormatError
        If `order` is unknown or not all hints once.
    """
    if not isinstance(order, str):
        return given_order(order, instance.hints, "hint")
    if order not in ("auto", "min-fill", "min-degree"):
        raise GraphFormatError(
            f"there is no order {order!r} of hints; choose auto, min-fill or min-degree "
            "(or, in Python, a list of all hints)"
        )
    n = len(instance.hints)
    if n == 0:
        return np.zeros(0, np.int32)
    rows = neighbours(instance)
    if order != "auto":
        return eliminated(instance, rows, order == "min-degree", 0)
    tries = max(1, min(6, 1 + 4000 // n))
    candidates = [eliminated(instance, rows, False, seed) for seed in range(tries)]
    if tries == 1:
        return candidates[0]
    return min(candidates, key=lambda hints: elimination_cost(instance, hints).entries)


def elimination_cost(instance: Instance, hints: npt.ArrayLike, sizes: npt.ArrayLike | None = None) -> Cost:
    """Return a bound on the table entries of an elimination in this order.

    The table that a step leaves has at most as many entries as combinations of possible partial sums of the hints
    still in it.

    Parameters
    ----------
    instance : Instance
    hints : array of int
        The elimination order.
    sizes : array of int, optional
        The number of cells in each group if the instance's cells are groups; by default 1.
    """
    steps = elimination_steps(instance, hints, sizes)
    return cost_of(steps.log2_entries, np.diff(steps.start))


@dataclass(frozen=True, eq=False)
class Steps:
    """An elimination, without its tables' contents.

    Attributes
    ----------
    parent : int32 array
        The step that takes each step's table, -1 for the last of a component.
    start, hint, below : int64 arrays
        In compressed rows the hints that each step's table remembers, and how many of the cells of each are already in.
    log2_entries : float array
        A bound on each table's entries.
    """

    parent: IntArray
    start: npt.NDArray[np.int64]
    hint: npt.NDArray[np.int64]
    below: npt.NDArray[np.int64]
    log2_entries: npt.NDArray[np.float64]


def elimination_steps(instance: Instance, hints: npt.ArrayLike, sizes: npt.ArrayLike | None = None) -> Steps:
    """Return what each step of an elimination remembers and hands on; parameters as for `elimination_cost`."""
    order = np.asarray(hints, np.int32)
    weight = np.ones(len(instance.cells), np.int64) if sizes is None else np.asarray(sizes, np.int64)
    log2_entries = np.zeros(len(order))
    parent = np.full(len(order), -1, np.int32)
    start, hint, below = _tables.run(60 * len(instance.member), *arrays(instance), weight, order, log2_entries, parent)
    return Steps(parent, start, hint, below, log2_entries)


@kernel
def _tables(start, member, cell_start, cell_hint, least, most, weight, hints, log2_sizes, parent):
    n = len(hints)
    place = np.zeros(n, np.int64)
    total = np.zeros(n, np.int64)
    for k in range(n):
        place[hints[k]] = k
    for h in range(n):
        for i in range(start[h], start[h + 1]):
            total[h] += weight[member[i]]
    below = np.zeros(n, np.int64)
    scope = np.zeros(n, np.int64)
    # The tables made so far: hints and how many cells of each are in, one after the other.
    pool_hint = np.zeros(16 * n + 16, np.int64)
    pool_below = np.zeros(16 * n + 16, np.int64)
    first = np.zeros(n + 1, np.int64)
    head = np.full(n, -1, np.int64)
    following = np.full(n, -1, np.int64)
    used = 0
    for k in range(n):
        h = hints[k]
        size = 0
        for i in range(start[h], start[h + 1]):
            cell = member[i]
            comes_first = True
            for j in range(cell_start[cell], cell_start[cell + 1]):
                if place[cell_hint[j]] < k:
                    comes_first = False
            if comes_first:
                for j in range(cell_start[cell], cell_start[cell + 1]):
                    x = cell_hint[j]
                    if below[x] == 0:
                        scope[size] = x
                        size += 1
                    below[x] += weight[cell]
        child = head[k]
        while child >= 0:
            for i in range(first[child], first[child + 1]):
                x = pool_hint[i]
                if below[x] == 0:
                    scope[size] = x
                    size += 1
                below[x] += pool_below[i]
            child = following[child]
        if used + size > len(pool_hint):
            longer_hint = np.zeros(2 * len(pool_hint) + size, np.int64)
            longer_below = np.zeros(2 * len(pool_hint) + size, np.int64)
            longer_hint[:used] = pool_hint[:used]
            longer_below[:used] = pool_below[:used]
            pool_hint = longer_hint
            pool_below = longer_below
        taker = n
        for i in range(size):
            x = scope[i]
            if x != h:
                pool_hint[used] = x
                pool_below[used] = below[x]
                used += 1
                log2_sizes[k] += log2_sums(below[x], total[x] - below[x], least[x], most[x])
                taker = min(taker, place[x])
            below[x] = 0
        first[k + 1] = used
        if taker < n:
            parent[k] = taker
            following[k] = head[taker]
            head[taker] = k
    return first, pool_hint[:used].copy(), pool_below[:used].copy()
