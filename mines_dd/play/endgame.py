"""The end of a game, searched to its end: the greatest number of layouts that any play wins.

A position is a set of layouts, all equally likely.  Opening a cell loses those with a mine there and parts the others
by the number seen; that number of mines is all a player learns, so what can still be won depends on the set alone, and
sets are remembered.  (Cells opened before show the same number in all layouts of the set, and so do not matter.)

- One layout left is won.
- A cell that is safe in all layouts and shows different numbers is opened at once: that costs nothing.
- A cell that shows the same number in all layouts in which it is safe is *dead*: opening it later wins as much, so it
  is no candidate.  If all cells are dead, nothing more can be learned, and of any set one layout is won.
- A cell that is safe in no more layouts than the best cell wins need not be tried.
"""

from __future__ import annotations

import numpy as np

from mines_dd.jit import kernel
from mines_dd.play.border import CLOSED, FLAGGED

__all__ = ["MINE", "layouts_of", "most_wins"]

MINE = 9
"""What a cell shows where there is a mine."""


@kernel
def layouts_of(field, seen, mines, limit):
    """List the layouts of a position with so many mines (any number if `mines` is -1).

    Returns
    -------
    cells : int64[n]
        The closed cells, those next to hints first.
    shown : int8[n, layouts]
        What each would show in each layout, 0 to 8 or `MINE`; no layouts if there are more than `limit`.
    """
    closed = np.empty(seen.size, np.int64)
    index = np.full(seen.size, -1, np.int64)
    n = 0
    # Neighbours of hints first, hint by hint, so that a wrong choice shows early.
    for hint in range(seen.size):
        if seen[hint] > 0:
            for i in range(field.degree[hint]):
                cell = field.near[hint, i]
                if seen[cell] == CLOSED and index[cell] < 0:
                    index[cell] = n
                    closed[n] = cell
                    n += 1
    for cell in range(seen.size):
        if seen[cell] == CLOSED and index[cell] < 0:
            index[cell] = n
            closed[n] = cell
            n += 1
    rest = np.zeros(seen.size, np.int64)
    left = np.zeros(seen.size, np.int64)
    for hint in range(seen.size):
        if seen[hint] >= 0:
            rest[hint] = seen[hint]
            for i in range(field.degree[hint]):
                if seen[field.near[hint, i]] == FLAGGED:
                    rest[hint] -= 1
                elif seen[field.near[hint, i]] == CLOSED:
                    left[hint] += 1
    found = np.empty((16, n), np.bool_)
    n_found = 0
    steps = 0
    chosen = np.full(n + 1, -1, np.int64)  # what was tried last: 0 or 1
    used = 0
    at = 0
    while at >= 0:
        steps += 1
        if steps > 1000 * limit + 10_000:
            n_found = 0
            break
        if at == n:
            if n_found == limit:
                n_found = 0
                break
            if n_found == found.shape[0]:
                larger = np.empty((2 * n_found, n), np.bool_)
                larger[:n_found] = found
                found = larger
            for i in range(n):
                found[n_found, i] = chosen[i] == 1
            n_found += 1
            at -= 1
            continue
        cell = closed[at]
        before = chosen[at]
        if before >= 0:  # take back
            used -= before
            for i in range(field.degree[cell]):
                rest[field.near[cell, i]] += before
                left[field.near[cell, i]] += 1
        if before == 1:
            chosen[at] = -1
            at -= 1
            continue
        chosen[at] = before + 1
        used += chosen[at]
        fits = mines < 0 or (used <= mines and mines - used <= n - at - 1)
        for i in range(field.degree[cell]):
            other = field.near[cell, i]
            rest[other] -= chosen[at]
            left[other] -= 1
            if seen[other] >= 0 and (rest[other] < 0 or rest[other] > left[other]):
                fits = False
        if fits:
            at += 1
            chosen[at] = -1
    shown = np.zeros((n, n_found), np.int8)
    for i in range(n):
        cell = closed[i]
        for k in range(field.degree[cell]):
            other = field.near[cell, k]
            if seen[other] == FLAGGED:
                shown[i] += 1
            elif seen[other] == CLOSED:
                for layout in range(n_found):
                    shown[i, layout] += found[layout, index[other]]
        for layout in range(n_found):
            if found[layout, i]:
                shown[i, layout] = MINE
    return closed[:n], shown


@kernel
def most_wins(shown, limit):
    """Search a position to its end.

    Parameters
    ----------
    shown : int8[cells, layouts]
        What each cell shows in each layout; the layouts differ.
    limit : int
        Positions to look at.

    Returns
    -------
    wins : int
        In how many of the layouts the best play wins; -1 if the search was given up.
    cell : int
        The cell it opens first; -1 if every cell that may be opened is equally good.
    """
    cells, layouts = shown.shape
    member = np.arange(layouts)  # every position is a segment of this
    room = np.empty(layouts, np.int64)
    word = np.empty((layouts, 2), np.int64)
    state = 88172645463325252
    for i in range(2 * layouts):  # two random words a layout: a set is known by their sums
        state ^= state << 13
        state ^= (state >> 7) & 0x1FFFFFFFFFFFFFF
        state ^= state << 17
        word[i // 2, i % 2] = state
    table = np.zeros((1024, 3), np.int64)  # sums of the words of a set, wins
    known = 0
    depth = 0
    low = np.zeros(cells + 2, np.int64)
    high = np.zeros(cells + 2, np.int64)
    key = np.zeros((cells + 2, 2), np.int64)
    best = np.zeros(cells + 2, np.int64)
    best_cell = np.full(cells + 2, -1, np.int64)
    candidates = np.empty((cells + 2, cells), np.int64)
    n_candidates = np.zeros(cells + 2, np.int64)
    tried = np.zeros(cells + 2, np.int64)
    wins = np.zeros(cells + 2, np.int64)  # of the candidate at hand, so far
    at = np.zeros(cells + 2, np.int64)  # where its next part begins
    end = np.zeros(cells + 2, np.int64)  # where the layouts with a mine begin
    safe = np.empty(cells, np.int64)
    positions = 0
    high[0] = layouts
    result = -1  # wins of the set looked at last; -1: a set to begin with
    while True:
        if result >= 0:  # back to the set it is part of
            if depth == 0:
                return result, best_cell[0]
            depth -= 1
            wins[depth] += result
            result = -1
        else:
            positions += 1
            if positions > limit:
                return -1, -1
            key[depth] = 0
            for i in range(low[depth], high[depth]):
                key[depth, 0] += word[member[i], 0]
                key[depth, 1] += word[member[i], 1]
            spot = _spot(table, key[depth])
            if high[depth] - low[depth] == 1:
                result = 1
            elif table[spot, 2]:
                result = table[spot, 2]
            else:
                n_candidates[depth] = _candidates(shown, member, low[depth], high[depth], candidates[depth], safe)
                best[depth] = 1 if n_candidates[depth] == 0 else 0
                best_cell[depth] = -1
                tried[depth] = -1
                at[depth] = 0
                end[depth] = 0
            if result >= 0:
                continue
        # The next part of the candidate, the next candidate, or the end.
        if wins[depth] + end[depth] - at[depth] <= best[depth]:
            at[depth] = end[depth]
        elif at[depth] == end[depth] and tried[depth] >= 0:
            best[depth] = wins[depth]
            best_cell[depth] = candidates[depth, tried[depth]]
        if at[depth] == end[depth]:
            tried[depth] += 1
            wins[depth] = 0
            if tried[depth] < n_candidates[depth]:
                column = shown[candidates[depth, tried[depth]]]
                at[depth] = low[depth]
                end[depth] = _parted(column, member, low[depth], high[depth], room)
            if end[depth] - at[depth] <= best[depth]:  # the candidates after it are no safer
                result = best[depth]
                if 2 * known > table.shape[0]:
                    table = _larger(table)
                spot = _spot(table, key[depth])
                table[spot, :2] = key[depth]
                table[spot, 2] = result
                known += 1
                continue
        column = shown[candidates[depth, tried[depth]]]
        low[depth + 1] = at[depth]
        at[depth] += 1
        while at[depth] < end[depth] and column[member[at[depth]]] == column[member[at[depth] - 1]]:
            at[depth] += 1
        high[depth + 1] = at[depth]
        depth += 1
        wins[depth] = 0


@kernel
def _spot(table, key):
    """The row of a key, or the empty row where it belongs."""
    spot = (key[0] ^ (key[0] >> 32)) & (table.shape[0] - 1)
    while table[spot, 2] and (table[spot, 0] != key[0] or table[spot, 1] != key[1]):
        spot = (spot + 1) & (table.shape[0] - 1)
    return spot


@kernel
def _candidates(shown, member, low, high, found, safe):
    """Fill in the cells worth opening, the safest first, and return their number."""
    n = 0
    for cell in range(shown.shape[0]):
        column = shown[cell]
        count = 0
        value = -1
        alive = False
        for i in range(low, high):
            here = column[member[i]]
            if here != MINE:
                count += 1
                if value < 0:
                    value = here
                elif here != value:
                    alive = True
        if not alive:
            continue
        if count == high - low:
            found[0] = cell
            return 1
        place = n
        while place and safe[place - 1] < count:
            safe[place] = safe[place - 1]
            found[place] = found[place - 1]
            place -= 1
        safe[place] = count
        found[place] = cell
        n += 1
    return n


@kernel
def _parted(column, member, low, high, room):
    """Sort a segment's layouts by what a cell shows; return where those with a mine begin."""
    start = np.zeros(MINE + 2, np.int64)
    for i in range(low, high):
        start[column[member[i]] + 1] += 1
    start[0] = low
    for value in range(MINE + 1):
        start[value + 1] += start[value]
    end = start[MINE]
    for i in range(low, high):
        value = column[member[i]]
        room[start[value]] = member[i]
        start[value] += 1
    member[low:high] = room[low:high]
    return end


@kernel
def _larger(table):
    larger = np.zeros((4 * table.shape[0], 3), np.int64)
    for i in range(table.shape[0]):
        if table[i, 2]:
            larger[_spot(larger, table[i])] = table[i]
    return larger
