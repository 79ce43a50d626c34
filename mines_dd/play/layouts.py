"""The layouts of a position: where the mines may be, and what each closed cell would show.

Cells get a mine or none one after another, those next to hints first, so that a wrong choice shows early.
"""

from __future__ import annotations

import numpy as np

from mines_dd.base.jit import kernel
from mines_dd.play.field import CLOSED, around

__all__ = ["MINE", "layouts_of"]

MINE = 9
"""What a cell shows where there is a mine."""


@kernel
def layouts_of(field, seen, mines, limit):
    """List the layouts of a position with this number of mines (any number if `mines` is -1).

    Parameters
    ----------
    field : Field
    seen : int64[N]
        The position, see `mines_dd.play.border.weigh`.
    mines : int
        Mines among the closed cells.
    limit : int
        Layouts to list at most; the search takes at most 1,000 * limit + 10,000 steps.

    Returns
    -------
    cells : int64[n]
        The closed cells, those next to hints first.
    shown : int8[n, layouts]
        What each would show in each layout, 0 to 8 or `MINE`; no layouts if there are more than `limit`.

    Examples
    --------
    >>> from mines_dd.play.field import make_field
    >>> seen = np.array([CLOSED, 1, CLOSED])
    >>> cells, shown = layouts_of.run(100, make_field(1, 3, 1), seen, 1, 10)
    >>> cells.tolist(), shown.tolist()
    ([0, 2], [[0, 9], [9, 0]])
    """
    closed, index = _closed_cells(field, seen)
    found = _found(field, seen, closed, mines, limit)
    return closed, _shown(field, seen, closed, index, found)


@kernel
def _closed_cells(field, seen):
    """The closed cells, and the place of each among them.

    Those next to a hint come first, hint by hint, so that a wrong choice shows early.
    """
    closed = np.empty(seen.size, np.int64)
    index = np.full(seen.size, -1, np.int64)
    n = 0
    for hint in range(seen.size):
        if seen[hint] > 0:
            for i in range(field.degree[hint]):
                cell = field.neighbours[hint, i]
                if seen[cell] == CLOSED and index[cell] < 0:
                    index[cell] = n
                    closed[n] = cell
                    n += 1
    for cell in range(seen.size):
        if seen[cell] == CLOSED and index[cell] < 0:
            index[cell] = n
            closed[n] = cell
            n += 1
    return closed[:n], index


@kernel
def _found(field, seen, closed, mines, limit):
    """Where the mines are in each layout, by backtracking: bool[layouts, n]; none if they are too many."""
    n = closed.size
    need, to_come = _needs(field, seen)
    found = np.empty((16, n), np.bool_)
    n_found = 0
    chosen = np.full(n + 1, -1, np.int64)  # mines tried last at each cell: 0 or 1, -1 if none
    used = 0
    at = 0
    steps = 0
    while at >= 0:
        steps += 1
        if steps > 1000 * limit + 10_000 or (at == n and n_found == limit):
            return found[:0]
        if at == n:
            if n_found == found.shape[0]:
                found = _twice_as_long(found)
            for i in range(n):
                found[n_found, i] = chosen[i] == 1
            n_found += 1
            at -= 1
            continue
        if chosen[at] >= 0:
            used -= chosen[at]
            _take_back(field, closed[at], chosen[at], need, to_come)
        if chosen[at] == 1:
            chosen[at] = -1
            at -= 1
            continue
        chosen[at] += 1
        used += chosen[at]
        fits = _put(field, seen, closed[at], chosen[at], need, to_come)
        if fits and (mines < 0 or (used <= mines and mines - used <= n - at - 1)):
            at += 1
            chosen[at] = -1
    return found[:n_found]


@kernel
def _needs(field, seen):
    """The mines that each hint still needs, and its closed cells."""
    need = np.zeros(seen.size, np.int64)
    to_come = np.zeros(seen.size, np.int64)
    for hint in range(seen.size):
        if seen[hint] >= 0:
            closed, known = around(field, seen, hint)
            need[hint] = seen[hint] - known
            to_come[hint] = closed
    return need, to_come


@kernel
def _put(field, seen, cell, mine, need, to_come):
    """Put a mine (1) or none (0) at a cell; return whether its hints can still be met."""
    fits = True
    for i in range(field.degree[cell]):
        other = field.neighbours[cell, i]
        need[other] -= mine
        to_come[other] -= 1
        if seen[other] >= 0 and (need[other] < 0 or need[other] > to_come[other]):
            fits = False
    return fits


@kernel
def _take_back(field, cell, mine, need, to_come):
    """Undo `_put`."""
    for i in range(field.degree[cell]):
        need[field.neighbours[cell, i]] += mine
        to_come[field.neighbours[cell, i]] += 1


@kernel
def _twice_as_long(found):
    """The same rows and room for as many more."""
    longer = np.empty((2 * found.shape[0], found.shape[1]), np.bool_)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            longer[i, j] = found[i, j]
    return longer


@kernel
def _shown(field, seen, closed, index, found):
    """What each closed cell shows in each layout."""
    layouts = found.shape[0]
    shown = np.zeros((closed.size, layouts), np.int8)
    for i in range(closed.size):
        cell = closed[i]
        _, known = around(field, seen, cell)
        for layout in range(layouts):
            shown[i, layout] = known
        for k in range(field.degree[cell]):
            j = index[field.neighbours[cell, k]]
            if j >= 0:
                for layout in range(layouts):
                    shown[i, layout] += found[layout, j]
        for layout in range(layouts):
            if found[layout, i]:
                shown[i, layout] = MINE
    return shown
