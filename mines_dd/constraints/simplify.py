"""Exact reductions of an instance: less to compile, the same assignments.

Forced cells are decided by unit propagation (a hint that allows none or all of its cells).  A hint whose cells lie
inside another's is taken out of the other (B becomes B - A), which also removes equal hints; no hints become
adjacent by that, so the treewidth cannot grow.  Equal hints that allow several counts become one that allows what
both do.  Cells that touch the same hints are *twins*: a group of m of which t are mines in C(m, t) ways.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mines_dd.base.arrays import BoolArray, IntArray, LongArray
from mines_dd.base.budget import PAUSED, Budget
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance

__all__ = ["Simplified", "simplify", "unsimplified"]

_UNKNOWN, _SAFE, _MINE = 0, 1, 2


class _Rows(NamedTuple):
    """The cells of hints and the hints of cells that are left; rows get shorter in their place.

    Attributes
    ----------
    start, member, size : int32 arrays
        Hint h still has the cells `member[start[h]:start[h] + size[h]]`, ascending.
    cell_start, cell_hint, degree : int32 arrays
        Each cell's hints likewise.
    """

    start: IntArray
    member: IntArray
    size: IntArray
    cell_start: IntArray
    cell_hint: IntArray
    degree: IntArray


class _Counts(NamedTuple):
    """The counts that each hint allows, in compressed rows, and the `shift` to take off: mines taken out of it."""

    start: IntArray
    allowed: IntArray
    shift: IntArray


class _Queue(NamedTuple):
    """Hints to look at again, in a ring: the first is at `ends[0]`, and there are `ends[1]`.

    `ends[2]` counts the work of this call, in inner steps.
    """

    hint: IntArray
    waits: BoolArray
    ends: LongArray


@dataclass(frozen=True, eq=False)
class Simplified:
    """What is left of an instance after reduction.

    Attributes
    ----------
    consistent : bool
        False if some hint cannot be met; then the rest means nothing.
    mines, safe : int32 arrays
        The indices of the cells that are decided.
    group_start, group_cell : int32 arrays
        The undecided cells in groups, in compressed rows.
    instance : Instance
        The hints that are left, over the groups as cells (labels 0, 1, ...); a hint counts the mines of its groups.
    is_reduced : bool
        False for the form that `unsimplified` gives.
    """

    consistent: bool
    mines: IntArray
    safe: IntArray
    group_start: IntArray
    group_cell: IntArray
    instance: Instance
    is_reduced: bool = True

    @property
    def size(self) -> IntArray:
        """The number of cells in each group."""
        return np.diff(self.group_start)

    def ungrouped(self) -> Simplified:
        """Return the same with every undecided cell a group of its own, in the order of the cells' indices."""
        if len(self.group_cell) == len(self.instance.cells):
            return self
        groups = self.instance
        cells = np.sort(self.group_cell)
        number = np.searchsorted(cells, self.group_cell)
        size = self.size[groups.member]
        hint = np.repeat(groups.hint_of_member, size)
        first = self.group_start[groups.member] - (np.cumsum(size) - size)
        member = number[np.arange(len(hint)) + np.repeat(first, size)]
        member = member[np.lexsort((member, hint))].astype(np.int32)
        start = np.append(0, np.cumsum(np.bincount(hint, minlength=len(groups.hints)))).astype(np.int32)
        single = replace(groups, cells=range(len(cells)), start=start, member=member)
        return replace(self, group_start=np.arange(len(cells) + 1, dtype=np.int32), group_cell=cells, instance=single)


def unsimplified(instance: Instance) -> Simplified:
    """Return the instance as it is, in the form that `simplify` gives: every cell a group of its own."""
    n = len(instance.cells)
    none = np.zeros(0, np.int32)
    return Simplified(
        consistent=True,
        mines=none,
        safe=none,
        group_start=np.arange(n + 1, dtype=np.int32),
        group_cell=np.arange(n, dtype=np.int32),
        instance=replace(instance, cells=range(n)),
        is_reduced=False,
    )


def simplify(instance: Instance, budget: Budget | None = None) -> Simplified:
    """Return the instance reduced, twins grouped; the assignments are the same in number and, mapped back, in kind.

    Raises
    ------
    BudgetExceededError
        If the budget's time runs out.

    Examples
    --------
    >>> from mines_dd import Board
    >>> reduced = simplify(Instance.of(Board.parse("##1/221/###")))
    >>> reduced.mines.tolist(), reduced.safe.tolist(), reduced.size.tolist()
    ([1], [3, 4], [2])
    """
    budget = Budget.of(budget)
    n, m = len(instance.hints), len(instance.cells)
    cell_start, cell_hint = instance.cell_rows
    rows = _Rows(
        start=instance.start,
        member=instance.member.copy(),
        size=np.diff(instance.start),
        cell_start=cell_start,
        cell_hint=cell_hint.copy(),
        degree=np.diff(cell_start),
    )
    counts = _Counts(instance.count_start, instance.count.copy(), np.zeros(n, np.int32))
    queue = _Queue(np.arange(n, dtype=np.int32), np.ones(n, np.bool_), np.array([0, n, 0], np.int64))
    value = np.zeros(m, np.int8)
    twin_of = np.arange(m, dtype=np.int32)
    work = 30 * len(rows.member)
    consistent = budget.run(_propagate, work, rows, counts, value, queue)
    if consistent:
        budget.run(_find_twins, work, rows, value, twin_of, np.zeros(1, np.int64))
    unknown = np.flatnonzero(value == _UNKNOWN).astype(np.int32)
    leader = twin_of[unknown]
    leaders, group_of_unknown = np.unique(leader, return_inverse=True)
    group_cell = unknown[np.argsort(group_of_unknown, kind="stable")]
    group_start = np.append(0, np.cumsum(np.bincount(group_of_unknown, minlength=len(leaders)))).astype(np.int32)
    return Simplified(
        consistent=bool(consistent),
        mines=np.flatnonzero(value == _MINE).astype(np.int32),
        safe=np.flatnonzero(value == _SAFE).astype(np.int32),
        group_start=group_start,
        group_cell=group_cell,
        instance=_remaining(instance, rows, counts, leaders),
    )


def _remaining(instance: Instance, rows: _Rows, counts: _Counts, leaders: IntArray) -> Instance:
    """The hints that still have cells, over the groups."""
    size = rows.size
    kept = np.flatnonzero(size > 0)
    group_of_cell = np.full(len(instance.cells), -1, np.int32)
    group_of_cell[leaders] = np.arange(len(leaders))
    groups = group_of_cell[rows.member]
    # A group stands in a hint's row once, where its leader is.
    start, cells = _selected_rows(instance.start[kept], size[kept], groups, groups >= 0)
    counts_of_hint = np.diff(instance.count_start)
    values = counts.allowed - np.repeat(counts.shift, counts_of_hint)
    possible = (values >= 0) & (values <= np.repeat(size, counts_of_hint))
    count_start, count = _selected_rows(instance.count_start[kept], counts_of_hint[kept], values, possible)
    hints = [instance.hints[i] for i in kept.tolist()]
    return Instance(range(len(leaders)), hints, start, cells, count_start, count)


def _selected_rows(first: Any, length: Any, values: Any, stays: Any) -> tuple[IntArray, IntArray]:
    """Compressed rows of those of the first `length` values of some rows that stay."""
    row = np.repeat(np.arange(len(length)), length)
    at = np.arange(len(row)) + np.repeat(first - (np.cumsum(length) - length), length)
    chosen = stays[at]
    start = np.append(0, np.cumsum(np.bincount(row[chosen], minlength=len(length)))).astype(np.int32)
    return start, values[at[chosen]].astype(np.int32)


@kernel
def _remove(first, size, values, row, value):
    """Take a value that is there out of a row, keeping the order of the others; quick near the end of the row."""
    size[row] -= 1
    i = first[row] + size[row]
    carried = values[i]
    while carried != value:
        i -= 1
        following = carried
        carried = values[i]
        values[i] = following


@kernel
def _contains(first, size, values, inner, outer):
    """Whether the (ascending) row `inner` lies inside the row `outer`."""
    i = first[inner]
    end = first[inner] + size[inner]
    j = first[outer]
    last = first[outer] + size[outer]
    while i < end and j < last:
        if values[j] == values[i]:
            i += 1
        j += 1
    return i == end


@kernel
def _meet(counts, kept, other):
    """Let `kept` allow what both of two equal hints allow, and `other`, now without cells, ask for nothing."""
    count_start, count, shift = counts.start, counts.allowed, counts.shift
    for i in range(count_start[kept], count_start[kept + 1]):
        in_both = False
        for j in range(count_start[other], count_start[other + 1]):
            if count[i] - shift[kept] == count[j] - shift[other]:
                in_both = True
        if not in_both:
            count[i] = shift[kept] - 1  # below zero for good, as shifts only grow
    for j in range(count_start[other], count_start[other + 1]):
        count[j] = shift[other]


@kernel
def _append(queue, h):
    """Let a hint wait, unless it does already."""
    if not queue.waits[h]:
        queue.waits[h] = True
        place = queue.ends[0] + queue.ends[1]
        queue.hint[place if place < len(queue.hint) else place - len(queue.hint)] = h
        queue.ends[1] += 1


@kernel
def _propagate(rows, counts, value, queue, patience):
    """Reduce until nothing changes; return whether every hint can still be met, 1 or 0."""
    size, allowed, shift = rows.size, counts.allowed, counts.shift
    n = len(size)
    queue.ends[2] = 0
    while queue.ends[1] > 0:
        if queue.ends[2] > patience:
            return PAUSED
        queue.ends[2] += 1 + counts.start[queue.hint[queue.ends[0]] + 1] - counts.start[queue.hint[queue.ends[0]]]
        h = queue.hint[queue.ends[0]]
        queue.ends[0] = queue.ends[0] + 1 if queue.ends[0] + 1 < n else 0
        queue.ends[1] -= 1
        queue.waits[h] = False
        # how many counts it allows that its cells can make up, the least and the greatest of them
        possible = 0
        least = size[h] + 1
        most = -1
        for i in range(counts.start[h], counts.start[h + 1]):
            c = allowed[i] - shift[h]
            if 0 <= c <= size[h]:
                possible += 1
                least = min(least, c)
                most = max(most, c)
        if possible == 0:
            return 0
        if most == 0 or least == size[h]:
            _decide(rows, shift, value, queue, h, 1 if most > 0 else 0)
        elif possible == 1:
            _take_out(rows, shift, queue, h, least)
        else:
            _join_equal(rows, counts, queue, h)
    return 1


@kernel
def _decide(rows, shift, value, queue, h, mine):
    """Make all cells of a hint mines, or all safe."""
    start, member, size, cell_start, cell_hint, degree = rows
    while size[h] > 0:
        cell = member[start[h] + size[h] - 1]
        value[cell] = _MINE if mine else _SAFE
        queue.ends[2] += degree[cell]
        for j in range(cell_start[cell], cell_start[cell] + degree[cell]):
            other = cell_hint[j]
            _remove(start, size, member, other, cell)
            shift[other] += mine
            _append(queue, other)


@kernel
def _take_out(rows, shift, queue, h, mines):
    """Take the cells of a hint, with their mines, out of all hints that hold them all."""
    start, member, size = rows.start, rows.member, rows.size
    cell = _rarest(rows, h)
    j = rows.cell_start[cell]
    while j < rows.cell_start[cell] + rows.degree[cell]:
        other = rows.cell_hint[j]
        j += 1
        queue.ends[2] += size[other]
        if other != h and size[other] >= size[h] and _contains(start, size, member, h, other):
            _remove_all(rows, h, other)
            shift[other] += mines
            _append(queue, other)
            j -= 1


@kernel
def _join_equal(rows, counts, queue, h):
    """Let a hint that allows several counts stand for all with the same cells."""
    start, member, size = rows.start, rows.member, rows.size
    cell = _rarest(rows, h)
    j = rows.cell_start[cell]
    while j < rows.cell_start[cell] + rows.degree[cell]:
        other = rows.cell_hint[j]
        j += 1
        queue.ends[2] += size[other]
        if other != h and size[other] == size[h] and _contains(start, size, member, h, other):
            _remove_all(rows, h, other)
            _meet(counts, h, other)
            _append(queue, h)
            j -= 1


@kernel
def _rarest(rows, h):
    """The hint's cell with fewest hints: whoever holds all cells of the hint is among them."""
    start, member, degree = rows.start, rows.member, rows.degree
    rarest = member[start[h]]
    for i in range(start[h], start[h] + rows.size[h]):
        if degree[member[i]] < degree[rarest]:
            rarest = member[i]
    return rarest


@kernel
def _remove_all(rows, h, other):
    """Take the cells of one hint out of another."""
    start, member, size = rows.start, rows.member, rows.size
    for i in range(start[h], start[h] + size[h]):
        cell = member[i]
        _remove(start, size, member, other, cell)
        _remove(rows.cell_start, rows.degree, rows.cell_hint, cell, other)


@kernel
def _find_twins(rows, value, twin_of, done, patience):
    """Write for each undecided cell the first cell with the same hints; `done` cells have it."""
    start, member, size, cell_start, cell_hint, degree = rows
    work = 0
    while done[0] < len(value):
        if work > patience:
            return PAUSED
        cell = done[0]
        done[0] += 1
        work += 1
        if value[cell] != _UNKNOWN:
            continue
        h = cell_hint[cell_start[cell]]
        for i in range(start[h], start[h] + size[h]):
            other = member[i]
            if other >= cell:
                break
            work += 1
            if degree[other] != degree[cell] or twin_of[other] != other:
                continue
            same = True
            for j in range(degree[cell]):
                if cell_hint[cell_start[cell] + j] != cell_hint[cell_start[other] + j]:
                    same = False
                    break
            if same:
                twin_of[cell] = other
                break
    return 0
