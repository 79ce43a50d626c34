"""Linear orders of cells for diagrams.

The order matters most.  A diagram in a linear order of cells has to remember the partial sums of all *open*
hints, those with some but not all cells decided: few if hints are closed one after the other, many row by row.
Elimination remembers the sums of the hints in a *bag* of a tree decomposition, which are fewer still.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.errors import GraphFormatError
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance, IntArray
from mines_dd.orders.cost import linear_cost
from mines_dd.orders.elimination import best_elimination
from mines_dd.orders.given import given_order
from mines_dd.orders.sums import hint_rows, log2_sums

__all__ = ["cell_order", "greedy_order"]

LongArray = npt.NDArray[np.int64]

# Work that the search for an order may spend, in inner steps: about 0.1 s compiled.  Never the clock: same board,
# same order.
_EFFORT = 20_000_000
_MOST_TRIES = 24
# Inner steps of a try for each pair of hints: before each hint is closed, all open ones are looked at.
_STEPS_A_PAIR = 50
_SEED = 20160606
# Different random numbers that a change may get on top.
_NOISES = np.int64(1 << 16)
# A cell of a board touches at most eight hints; cells that open as many, or more on other graphs, come as they are.
_MANY_HINTS = 8
# Powers of two beyond this are cut, so that none overflows.
_MOST_BITS = 900.0


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


def _tree_order(instance: Instance) -> IntArray:
    """Lay the elimination tree out in a line, subtree by subtree, the largest first; close its hints in that order."""
    elimination = best_elimination(instance)
    hints, parent = elimination.order, elimination.steps.parent
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


def _greedy_order(instance: Instance, tries: int) -> IntArray:
    """The cheapest of some greedy orders, found for each component by itself."""
    order: IntArray = greedy_order.run(40 * len(instance.member) * tries, hint_rows(instance), tries)
    return order


@kernel
def greedy_order(rows, tries):
    """Return the cheapest of some greedy orders of cells, found for each component by itself; cells of no hint last.

    Parameters
    ----------
    rows : HintRows
    tries : int
        Orders of a component to compare; fewer of a large one.

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> greedy_order.run(1000, hint_rows(Instance.from_board(Board.parse("####/1111"))), 4).tolist()
    [0, 1, 2, 3]
    """
    n = len(rows.start) - 1
    cells = len(rows.cell_start) - 1
    hints, bounds = _by_component(_component(rows, np.full(n, np.int32(-1))))
    numbers = np.zeros(3, np.int64)
    numbers[_RANDOM] = _SEED
    search = _Search(
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
        np.zeros(cells, np.bool_),
        np.zeros(cells, np.int32),
        numbers,
        np.zeros(2),
    )
    order = np.full(cells, np.int32(-1))
    done = _greedy(rows, hints, bounds, tries, search, order)
    for cell in range(cells):
        search.placed[cell] = False
    for i in range(done):
        search.placed[order[i]] = True
    for cell in range(cells):
        if not search.placed[cell]:
            order[done] = cell
            done += 1
    return order


@kernel
def _by_component(component):
    """The hints component by component, and where each component begins."""
    n = len(component)
    count = 0
    for h in range(n):
        count = max(count, component[h] + 1)
    bounds = np.zeros(count + 1, np.int64)
    hints = np.zeros(n, np.int32)
    for h in range(n):
        bounds[component[h] + 1] += 1
    for i in range(count):
        bounds[i + 1] += bounds[i]
    filled = bounds.copy()
    for h in range(n):
        hints[filled[component[h]]] = h
        filled[component[h]] += 1
    return hints, bounds


@kernel
def _component(rows, component):
    """Number the components of the hints."""
    start, member, cell_start, cell_hint = rows.start, rows.member, rows.cell_start, rows.cell_hint
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


class _Search(NamedTuple):
    """A try at a greedy order of one component.

    Attributes
    ----------
    decided : array
        How many cells of each hint are placed.
    joining, touched : arrays
        For a hint looked at: how many cells it would add to each hint (0 between two looks), and which hints.
    opened : array
        The hints with some but not all cells placed, and perhaps some that are closed by now.
    placed : array
        Whether each cell is placed.
    trial : array
        The cells placed, in order.
    numbers : array
        How many are `opened`; how many are in `trial`; the state of the generator, which goes on from try to try.
    states : array
        A bound on the states after the last cell, in binary logarithms; and on all states so far.
    """

    decided: LongArray
    joining: LongArray
    touched: IntArray
    opened: IntArray
    placed: npt.NDArray[np.bool_]
    trial: IntArray
    numbers: LongArray
    states: npt.NDArray[np.float64]


_OPENED, _LENGTH, _RANDOM = range(3)
_LOG2_NOW, _ALL = range(2)


@kernel
def _greedy(rows, hints, bounds, tries, search, order):
    """Order the cells of one component after the other, each by the cheapest of several tries; return how many."""
    filled = 0
    for component in range(len(bounds) - 1):
        first, end = bounds[component], bounds[component + 1]
        work = (end - first) * (end - first) * _STEPS_A_PAIR
        best = np.inf
        best_length = 0
        for attempt in range(tries):
            if attempt > 1 and attempt * work > _EFFORT:
                break
            _start_over(rows.start, rows.member, hints, first, end, search)
            if attempt == 0:
                h = _smallest(rows.start, hints, first, end)
            else:
                h = hints[first + _draw(search.numbers, end - first)]
            _close_all(rows, search, h, best, attempt > 1)
            if search.states[_ALL] < best:
                best = search.states[_ALL]
                best_length = search.numbers[_LENGTH]
                for i in range(best_length):
                    order[filled + i] = search.trial[i]
        filled += best_length
    return filled


@kernel
def _start_over(start, member, hints, first, end, search):
    """Take back what was placed of a component."""
    search.numbers[_OPENED] = 0
    search.numbers[_LENGTH] = 0
    search.states[_LOG2_NOW] = 0.0
    search.states[_ALL] = 0.0
    for k in range(first, end):
        search.decided[hints[k]] = 0
        for i in range(start[hints[k]], start[hints[k] + 1]):
            search.placed[member[i]] = False


@kernel
def _smallest(start, hints, first, end):
    """The first of the component's hints with fewest cells."""
    best = hints[first]
    for k in range(first, end):
        h = hints[k]
        if start[h + 1] - start[h] < start[best + 1] - start[best]:
            best = h
    return best


@kernel
def _draw(numbers, n):
    """A random number below n, from D. E. Knuth's generator MMIX; its high bits are the better ones."""
    numbers[_RANDOM] = numbers[_RANDOM] * 6364136223846793005 + 1442695040888963407
    return ((numbers[_RANDOM] >> 33) & 0x3FFFFFFF) % n


@kernel
def _close_all(rows, search, h, best, at_random):
    """Close hint after hint, from h on, until all are closed or the states are as many as the best try has.

    Next comes the open hint whose closing leaves fewest states, with a random half bit at most on top if wanted.
    """
    start, member, cell_start, cell_hint = rows.start, rows.member, rows.cell_start, rows.cell_hint
    placed, opened = search.placed, search.opened
    while h >= 0 and search.states[_ALL] < best:
        # place its cells that are left, those that open fewest hints first
        for most in range(_MANY_HINTS + 1):
            for i in range(start[h], start[h + 1]):
                cell = member[i]
                if not placed[cell] and (
                    most == _MANY_HINTS or _opens(cell_start, cell_hint, search.decided, cell) <= most
                ):
                    _add(rows, search, cell)
        _drop_closed(start, search)
        h = -1
        least_change = np.inf
        for i in range(search.numbers[_OPENED]):
            change = _change(rows, search, opened[i])
            if at_random:
                change += 0.5 * _draw(search.numbers, _NOISES) / _NOISES
            if change < least_change:
                least_change = change
                h = opened[i]


@kernel
def _opens(cell_start, cell_hint, decided, cell):
    """How many hints a cell would open."""
    fresh = 0
    for j in range(cell_start[cell], cell_start[cell + 1]):
        if decided[cell_hint[j]] == 0:
            fresh += 1
    return fresh


@kernel
def _add(rows, search, cell):
    """Place a cell next."""
    start, cell_start, cell_hint, least, most = rows.start, rows.cell_start, rows.cell_hint, rows.least, rows.most
    decided, opened, numbers = search.decided, search.opened, search.numbers
    search.placed[cell] = True
    search.trial[search.numbers[_LENGTH]] = cell
    search.numbers[_LENGTH] += 1
    log2_states = search.states[_LOG2_NOW]
    for j in range(cell_start[cell], cell_start[cell + 1]):
        h = cell_hint[j]
        total = start[h + 1] - start[h]
        d = decided[h]
        if d == 0:
            opened[numbers[_OPENED]] = h
            numbers[_OPENED] += 1
        else:
            log2_states -= log2_sums(d, total - d, least[h], most[h])
        decided[h] = d + 1
        if d + 1 < total:
            log2_states += log2_sums(d + 1, total - d - 1, least[h], most[h])
    search.states[_LOG2_NOW] = log2_states
    search.states[_ALL] += 2.0 ** min(log2_states, _MOST_BITS)


@kernel
def _drop_closed(start, search):
    """Keep only the open hints among those that were opened."""
    decided, opened = search.decided, search.opened
    kept = 0
    for i in range(search.numbers[_OPENED]):
        h = opened[i]
        if decided[h] < start[h + 1] - start[h]:
            opened[kept] = h
            kept += 1
    search.numbers[_OPENED] = kept


@kernel
def _change(rows, search, h):
    """By how many bits the bound on states changes if a hint is closed; a little more for each cell that it takes."""
    start, member, cell_start, cell_hint, least, most = rows
    decided, joining, touched = search.decided, search.joining, search.touched
    touched_count = 0
    new_cells = 0
    for p in range(start[h], start[h + 1]):
        cell = member[p]
        if search.placed[cell]:
            continue
        new_cells += 1
        for j in range(cell_start[cell], cell_start[cell + 1]):
            other = cell_hint[j]
            if joining[other] == 0:
                touched[touched_count] = other
                touched_count += 1
            joining[other] += 1
    change = 0.01 * new_cells
    for q in range(touched_count):
        other = touched[q]
        total = start[other + 1] - start[other]
        d = decided[other]
        if d > 0:
            change -= log2_sums(d, total - d, least[other], most[other])
        d += joining[other]
        joining[other] = 0
        if d < total:
            change += log2_sums(d, total - d, least[other], most[other])
    return change
