"""Linear orders of cells for diagrams.

The order decides everything.  A diagram in a linear order of cells has to remember the partial sums of all *open*
hints, those with some but not all cells decided: few if hints are closed one after the other, many row by row.
Elimination remembers the sums of the hints in a *bag* of a tree decomposition, which are fewer still.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mines_dd.errors import GraphFormatError
from mines_dd.graph import Instance, IntArray
from mines_dd.jit import kernel
from mines_dd.orders.cost import arrays, linear_cost, log2_sums
from mines_dd.orders.elimination import elimination_order, elimination_steps
from mines_dd.orders.given import given_order

__all__ = ["cell_order"]

# Work that the search for an order may spend, in inner steps: about 0.1 s compiled.  Never the clock: same board,
# same order.
_EFFORT = 20_000_000
_MOST_TRIES = 24


def cell_order(instance: Instance, order: str | Sequence[Any] = "auto") -> IntArray:
    """Return the cells' indices in the order of decision.

    Parameters
    ----------
    instance : Instance
    order : str or sequence of labels
        "row" and "column" (positions row by row or column by column; for other labels as they come), "greedy"
        (component by component, closing next the hint that leaves fewest states), "tree" (along the elimination
        order's tree), "auto" (the cheapest predicted of several greedy orders and the tree's), or all cells.

    Raises
    ------
    GraphFormatError
        If `order` is unknown or not all cells once.
    """
    if not isinstance(order, str):
        return given_order(order, instance.cells, "cell")
    if order in ("row", "column"):
        return _by_position(instance.cells, order == "column")
    if order == "greedy":
        return _greedy_order(instance, tries=1)
    if order == "tree":
        return _tree_order(instance)
    if order != "auto":
        raise GraphFormatError(
            f"there is no order {order!r} of cells; choose auto, row, column, greedy or tree "
            "(or, in Python, a list of all cells)"
        )
    candidates = [_greedy_order(instance, tries=_MOST_TRIES), _tree_order(instance)]
    return min(candidates, key=lambda cells: linear_cost(instance, cells).entries)


def _by_position(labels: Sequence[Any], by_column: bool) -> IntArray:
    if not all(isinstance(x, tuple) and len(x) == 2 and all(isinstance(i, int) for i in x) for x in labels):
        return np.arange(len(labels), dtype=np.int32)
    positions = np.array(labels, np.int64).reshape(-1, 2)
    major, minor = (1, 0) if by_column else (0, 1)
    return np.lexsort((positions[:, minor], positions[:, major])).astype(np.int32)


def _greedy_order(instance: Instance, tries: int) -> IntArray:
    """The cheapest of some greedy orders, found for each component by itself."""
    order = np.full(len(instance.cells), -1, np.int32)
    rows = arrays(instance)
    n = len(instance.hints)
    component = _component.run(4 * len(instance.member), *rows, np.full(n, -1, np.int32))
    by_component = np.argsort(component, kind="stable").astype(np.int32)
    bounds = np.append(0, np.cumsum(np.bincount(component))).astype(np.int64) if n else np.zeros(1, np.int64)
    work = 40 * len(instance.member) * tries
    done = _greedy.run(work, *rows, by_component, bounds, tries, _EFFORT, order)
    # cells of no hint come last
    placed = np.zeros(len(order), np.bool_)
    placed[order[:done]] = True
    order[done:] = np.flatnonzero(~placed)
    return order


def _tree_order(instance: Instance) -> IntArray:
    """Lay the elimination tree out in a line, subtree by subtree, the largest first; close its hints in that order."""
    hints = elimination_order(instance)
    parent = elimination_steps(instance, hints).parent
    n = len(hints)
    children: list[list[int]] = [[] for _ in range(n)]
    size = np.ones(n, np.int64)
    roots = []
    for k, taker in enumerate(parent.tolist()):
        if taker >= 0:
            children[taker].append(k)
            size[taker] += size[k]
        else:
            roots.append(k)
    # Each step comes after the steps under it; written from the back.
    backwards, stack = [], roots
    while stack:
        k = stack.pop()
        backwards.append(k)
        stack += sorted(children[k], key=size.__getitem__, reverse=True)
    rank = np.zeros(n, np.int64)
    rank[hints[backwards[::-1]]] = np.arange(n)
    first = np.full(len(instance.cells), n, np.int64)
    np.minimum.at(first, instance.member, np.repeat(rank, np.diff(instance.start)))
    return np.argsort(first, kind="stable").astype(np.int32)


@kernel
def _component(start, member, cell_start, cell_hint, least, most, component):
    n = len(component)
    stack = np.zeros(n + 1, np.int32)
    count = 0
    for first in range(n):
        if component[first] >= 0:
            continue
        component[first] = count
        stack[0] = first
        top = 1
        while top > 0:
            top -= 1
            h = stack[top]
            for i in range(start[h], start[h + 1]):
                cell = member[i]
                for j in range(cell_start[cell], cell_start[cell + 1]):
                    other = cell_hint[j]
                    if component[other] < 0:
                        component[other] = count
                        stack[top] = other
                        top += 1
        count += 1
    return component


@kernel
def _random(state):
    """The next number of a generator (D. E. Knuth's MMIX constants)."""
    return state * 6364136223846793005 + 1442695040888963407


@kernel
def _greedy(start, member, cell_start, cell_hint, least, most, hints, bounds, tries, effort, order):
    """Order the cells of one component after the other; of several tries each takes the cheapest."""
    n = len(start) - 1
    decided = np.zeros(n + 1, np.int64)
    extra = np.zeros(n + 1, np.int64)
    touched = np.zeros(n + 1, np.int32)
    open_hints = np.zeros(n + 1, np.int32)
    placed = np.zeros(len(order) + 1, np.bool_)
    trial = np.zeros(len(order) + 1, np.int32)
    filled = 0
    state = np.int64(20160606)
    for c in range(len(bounds) - 1):
        size = bounds[c + 1] - bounds[c]
        best = 1e300
        best_length = 0
        work = size * size * 50
        for attempt in range(tries):
            if attempt > 1 and attempt * work > effort:
                break
            length = 0
            cost = 0.0
            now = 0.0
            n_open = 0
            for k in range(bounds[c], bounds[c + 1]):
                decided[hints[k]] = 0
                for i in range(start[hints[k]], start[hints[k] + 1]):
                    placed[member[i]] = False
            # start at the hint with fewest cells, later anywhere
            current = hints[bounds[c]]
            if attempt == 0:
                for k in range(bounds[c], bounds[c + 1]):
                    h = hints[k]
                    if start[h + 1] - start[h] < start[current + 1] - start[current]:
                        current = h
            else:
                state = _random(state)
                current = hints[bounds[c] + ((state >> 33) & 0x3FFFFFFF) % size]
            while current >= 0 and cost < best:
                # place the cells of the current hint, those that open fewest hints first
                for new in range(9):
                    for i in range(start[current], start[current + 1]):
                        cell = member[i]
                        if placed[cell]:
                            continue
                        fresh = 0
                        for j in range(cell_start[cell], cell_start[cell + 1]):
                            if decided[cell_hint[j]] == 0:
                                fresh += 1
                        if fresh > new and new < 8:
                            continue
                        placed[cell] = True
                        trial[length] = cell
                        length += 1
                        for j in range(cell_start[cell], cell_start[cell + 1]):
                            h = cell_hint[j]
                            total = start[h + 1] - start[h]
                            d = decided[h]
                            if d == 0:
                                open_hints[n_open] = h
                                n_open += 1
                            else:
                                now -= log2_sums(d, total - d, least[h], most[h])
                            decided[h] = d + 1
                            if d + 1 < total:
                                now += log2_sums(d + 1, total - d - 1, least[h], most[h])
                        cost += 2.0 ** min(now, 900.0)
                # forget the closed ones, then take the open hint that leaves fewest states
                kept = 0
                for i in range(n_open):
                    h = open_hints[i]
                    if decided[h] < start[h + 1] - start[h]:
                        open_hints[kept] = h
                        kept += 1
                n_open = kept
                current = -1
                least_change = 1e300
                for i in range(n_open):
                    h = open_hints[i]
                    n_touched = 0
                    new_cells = 0
                    for p in range(start[h], start[h + 1]):
                        cell = member[p]
                        if placed[cell]:
                            continue
                        new_cells += 1
                        for j in range(cell_start[cell], cell_start[cell + 1]):
                            other = cell_hint[j]
                            if extra[other] == 0:
                                touched[n_touched] = other
                                n_touched += 1
                            extra[other] += 1
                    change = 0.01 * new_cells
                    for q in range(n_touched):
                        other = touched[q]
                        total = start[other + 1] - start[other]
                        d = decided[other]
                        if d > 0:
                            change -= log2_sums(d, total - d, least[other], most[other])
                        d += extra[other]
                        extra[other] = 0
                        if d < total:
                            change += log2_sums(d, total - d, least[other], most[other])
                    if attempt > 1:
                        state = _random(state)
                        change += 0.5 * ((state >> 33) & 0xFFFF) / 65536.0
                    if change < least_change:
                        least_change = change
                        current = h
            if cost < best:
                best = cost
                best_length = length
                for i in range(length):
                    order[filled + i] = trial[i]
        filled += best_length
    return filled
