"""Linear orders of cells for diagrams.

The order matters most.  A diagram in a linear order of cells has to remember the partial sums of all *open*
hints, those with some but not all cells decided: few if hints are closed one after the other, many row by row.
Elimination remembers the sums of the hints in a *bag* of a tree decomposition, which are usually fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mines_dd.base.arrays import BoolArray, FloatArray, IntArray, LongArray
from mines_dd.base.budget import PAUSED, Budget
from mines_dd.base.checks import require_choice
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cost import linear_cost
from mines_dd.orders.elimination import best_elimination
from mines_dd.orders.given import given_order
from mines_dd.orders.sums import hint_rows, log2_sums

__all__ = ["cell_order", "greedy_order"]


# Work that the search for an order may spend, in inner steps: about 0.1 s compiled.  Never the clock: same board,
# same order.
_EFFORT = 20_000_000
_MOST_TRIES = 24
# Inner steps of a try for each pair of hints: before each hint is closed, all open ones are looked at.
_STEPS_A_PAIR = 50
_SEED = 20160606
_NO_END = np.int64(1 << 62)  # patience without a limit
# Different random numbers that a change may get on top.
_NOISES = np.int64(1 << 16)
# A cell of a board touches at most eight hints; cells that open as many, or more on other graphs, come as they are.
_MANY_HINTS = 8
# Powers of two beyond this are cut, so that none overflows.
_MOST_BITS = 900.0


def cell_order(instance: Instance, order: str | Sequence[Any] = "auto", budget: Budget | None = None) -> IntArray:
    """Return the cells' indices in the order of decision.

    Parameters
    ----------
    instance : Instance
    order : str or sequence of labels
        "row" and "column" (positions row by row or column by column; for other labels as they come), "greedy"
        (component by component, closing next the hint that leaves fewest states), "tree" (along the elimination
        order's tree), "auto" (the cheapest predicted of several greedy orders and the tree's), or all cells.
    budget : Budget, optional

    Raises
    ------
    GraphFormatError
        If `order` is unknown or not all cells once.
    BudgetExceededError
        If the budget's time runs out.
    """
    budget = Budget.of(budget)
    if not isinstance(order, str):
        return given_order(order, instance.cells, "cell")
    if order in ("row", "column"):
        return _by_position(instance.cells, order == "column")
    if order == "greedy":
        return _greedy_order(instance, 1, budget)
    if order == "tree":
        return _tree_order(instance, budget)
    known = ("auto", "row", "column", "greedy", "tree")
    require_choice(
        order,
        known,
        "order of cells (for bdd, zdd and dc)",
        GraphFormatError,
        otherwise=" (or, in Python, a list of all cells)",
    )
    candidates = [_greedy_order(instance, _MOST_TRIES, budget), _tree_order(instance, budget)]
    return min(candidates, key=lambda cells: linear_cost(instance, cells).entries)


def _by_position(labels: Sequence[Any], by_column: bool) -> IntArray:
    if not all(isinstance(x, tuple) and len(x) == 2 and all(isinstance(i, int) for i in x) for x in labels):
        return np.arange(len(labels), dtype=np.int32)
    place = (lambda i: labels[i][::-1]) if by_column else labels.__getitem__
    return np.array(sorted(range(len(labels)), key=place), np.int32)


def _tree_order(instance: Instance, budget: Budget) -> IntArray:
    """Lay the elimination tree out in a line, subtree by subtree, the largest first; close its hints in that order."""
    elimination = best_elimination(instance, budget=budget)
    hints, parent = elimination.order, elimination.steps.parent
    n = len(hints)
    children: list[list[int]] = [[] for _ in range(n)]
    size = np.ones(n, np.int64)
    roots = []
    for k, taker in enumerate(budget.each(parent.tolist())):
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


def _greedy_order(instance: Instance, tries: int, budget: Budget) -> IntArray:
    """The cheapest of some greedy orders, found for each component by itself."""
    cells, n = len(instance.cells), len(instance.hints)
    rows = hint_rows(instance)
    component = _component.run(4 * len(instance.member), rows, np.full(n, -1, np.int32))
    hints, bounds = _by_component.run(4 * n, component)
    search, order = _new_search(n, cells), np.full(cells, -1, np.int32)
    done = budget.run(_greedy, 40 * len(instance.member) * tries, rows, hints, bounds, tries, search, order)
    _append_others.run(2 * cells, order, done, search.placed)
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
    search = _new_search(n, cells)
    order = np.full(cells, np.int32(-1))
    done = _greedy(rows, hints, bounds, tries, search, order, np.int64(_NO_END))
    _append_others(order, done, search.placed)
    return order


@kernel
def _append_others(order, done, placed):
    """Put the cells of no hint, which are not placed, behind the `done` ones."""
    for cell in range(len(order)):
        placed[cell] = False
    for i in range(done):
        placed[order[i]] = True
    for cell in range(len(order)):
        if not placed[cell]:
            order[done] = cell
            done += 1


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
    counters : array
        How many are `opened`; how many are in `trial`; the state of the generator, which goes on from try to try; the
        component at work; its try; the hint to close next, -1 before a try begins; how many cells the components
        before it have, and how many its best try has.
    states : array
        A bound on the states after the last cell, in binary logarithms; on all states so far; on those of the best
        try.
    """

    decided: LongArray
    joining: LongArray
    touched: IntArray
    opened: IntArray
    placed: BoolArray
    trial: IntArray
    counters: LongArray
    states: FloatArray


_OPENED, _LENGTH, _RANDOM, _COMPONENT, _TRY, _HINT, _FILLED, _BEST_LENGTH = range(8)
_LOG2_NOW, _STATES, _BEST = range(3)


@kernel
def _new_search(hints, cells):
    """The state of a search that has not begun."""
    counters = np.zeros(8, np.int64)
    counters[_RANDOM] = _SEED
    counters[_HINT] = -1
    states = np.zeros(3)
    states[_BEST] = np.inf
    return _Search(
        np.zeros(hints, np.int64),
        np.zeros(hints, np.int64),
        np.zeros(hints, np.int32),
        np.zeros(hints, np.int32),
        np.zeros(cells, np.bool_),
        np.zeros(cells, np.int32),
        counters,
        states,
    )


@kernel
def _greedy(rows, hints, bounds, tries, search, order, patience):
    """Order the cells of one component after the other, each by the cheapest of several tries; return how many."""
    counters, states = search.counters, search.states
    work = np.int64(0)
    while counters[_COMPONENT] < len(bounds) - 1:
        first, end = bounds[counters[_COMPONENT]], bounds[counters[_COMPONENT] + 1]
        pairs = (end - first) * (end - first)
        if counters[_TRY] == tries or (counters[_TRY] > 1 and counters[_TRY] * pairs * _STEPS_A_PAIR > _EFFORT):
            _begin_component(search)
            continue
        if counters[_HINT] < 0:
            _start_over(rows.start, rows.member, hints, first, end, search)
            if counters[_TRY] == 0:
                counters[_HINT] = _smallest(rows.start, hints, first, end)
            else:
                counters[_HINT] = hints[first + _draw(counters, end - first)]
        while counters[_HINT] >= 0 and states[_STATES] < states[_BEST]:
            if work > patience:
                return PAUSED
            _place_cells(rows, search, counters[_HINT])
            work += 1 + _STEPS_A_PAIR * counters[_OPENED]
            counters[_HINT] = _cheapest_to_close(rows, search, counters[_TRY] > 1)
        _keep_if_better(search, order)
        counters[_HINT] = -1
        counters[_TRY] += 1
    return counters[_FILLED]


@kernel
def _begin_component(search):
    """Turn to the next component."""
    counters = search.counters
    counters[_FILLED] += counters[_BEST_LENGTH]
    counters[_BEST_LENGTH] = 0
    counters[_COMPONENT] += 1
    counters[_TRY] = 0
    search.states[_BEST] = np.inf


@kernel
def _keep_if_better(search, order):
    """Write the try down if it has fewer states than all before."""
    counters, states = search.counters, search.states
    if states[_STATES] < states[_BEST]:
        states[_BEST] = states[_STATES]
        counters[_BEST_LENGTH] = counters[_LENGTH]
        for i in range(counters[_LENGTH]):
            order[counters[_FILLED] + i] = search.trial[i]


@kernel
def _start_over(start, member, hints, first, end, search):
    """Take back what was placed of a component."""
    search.counters[_OPENED] = 0
    search.counters[_LENGTH] = 0
    search.states[_LOG2_NOW] = 0.0
    search.states[_STATES] = 0.0
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
def _draw(counters, n):
    """A random number below n, from D. E. Knuth's generator MMIX; its high bits are the better ones."""
    counters[_RANDOM] = counters[_RANDOM] * 6364136223846793005 + 1442695040888963407
    return ((counters[_RANDOM] >> 33) & 0x3FFFFFFF) % n


@kernel
def _place_cells(rows, search, h):
    """Place the cells of a hint that are left, those that open fewest hints first."""
    start, member = rows.start, rows.member
    for most in range(_MANY_HINTS + 1):
        for i in range(start[h], start[h + 1]):
            cell = member[i]
            if not search.placed[cell] and (
                most == _MANY_HINTS or _opens(rows.cell_start, rows.cell_hint, search.decided, cell) <= most
            ):
                _place(rows, search, cell)
    _drop_closed(start, search)


@kernel
def _cheapest_to_close(rows, search, at_random):
    """The open hint whose closing leaves fewest states, with a random half bit at most on top if wanted; -1 if none."""
    best = -1
    least_bits = np.inf
    for i in range(search.counters[_OPENED]):
        bits = _closing_bits(rows, search, search.opened[i])
        if at_random:
            bits += 0.5 * _draw(search.counters, _NOISES) / _NOISES
        if bits < least_bits:
            least_bits = bits
            best = search.opened[i]
    return best


@kernel
def _opens(cell_start, cell_hint, decided, cell):
    """How many hints a cell would open."""
    fresh = 0
    for j in range(cell_start[cell], cell_start[cell + 1]):
        if decided[cell_hint[j]] == 0:
            fresh += 1
    return fresh


@kernel
def _place(rows, search, cell):
    """Place a cell next."""
    start, cell_start, cell_hint, least, most = rows.start, rows.cell_start, rows.cell_hint, rows.least, rows.most
    decided, opened, counters = search.decided, search.opened, search.counters
    search.placed[cell] = True
    search.trial[search.counters[_LENGTH]] = cell
    search.counters[_LENGTH] += 1
    log2_states = search.states[_LOG2_NOW]
    for j in range(cell_start[cell], cell_start[cell + 1]):
        h = cell_hint[j]
        total = start[h + 1] - start[h]
        d = decided[h]
        if d == 0:
            opened[counters[_OPENED]] = h
            counters[_OPENED] += 1
        else:
            log2_states -= log2_sums(d, total - d, least[h], most[h])
        decided[h] = d + 1
        if d + 1 < total:
            log2_states += log2_sums(d + 1, total - d - 1, least[h], most[h])
    search.states[_LOG2_NOW] = log2_states
    search.states[_STATES] += 2.0 ** min(log2_states, _MOST_BITS)


@kernel
def _drop_closed(start, search):
    """Keep only the open hints among those that were opened."""
    decided, opened = search.decided, search.opened
    kept = 0
    for i in range(search.counters[_OPENED]):
        h = opened[i]
        if decided[h] < start[h + 1] - start[h]:
            opened[kept] = h
            kept += 1
    search.counters[_OPENED] = kept


@kernel
def _closing_bits(rows, search, h):
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
