"""The end of a game, searched to its end: the greatest number of layouts that any play wins.

A position is a set of layouts, all equally likely.  Opening a cell loses those with a mine there and parts the others
by the number seen; that number of mines is all a player learns, so what can still be won depends on the set alone, and
sets are remembered.  (Cells opened before show the same number in all layouts of the set, and so do not matter.)

- One layout left is won.
- A cell that is safe in all layouts and shows different numbers is opened at once: that costs nothing.
- A cell that shows the same number in all layouts in which it is safe is *dead*: opening it later wins as much, so it
  is no candidate.  If all cells are dead, nothing more can be learned, and of any set one layout is won.
- No play wins more layouts of a set than its safest live cell is safe in.  A cell is given up as soon as these bounds,
  summed over the parts it may lead to, are no more than another cell wins or than would matter to the set above; what
  is remembered of a set may then be a bound alone.
"""

from __future__ import annotations

import numpy as np

from mines_dd.base.jit import kernel
from mines_dd.play.border import CLOSED, KNOWN_MINE

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
    rest = np.zeros(seen.size, np.int64)
    left = np.zeros(seen.size, np.int64)
    for hint in range(seen.size):
        if seen[hint] >= 0:
            rest[hint] = seen[hint]
            for i in range(field.degree[hint]):
                if seen[field.neighbours[hint, i]] == KNOWN_MINE:
                    rest[hint] -= 1
                elif seen[field.neighbours[hint, i]] == CLOSED:
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
                rest[field.neighbours[cell, i]] += before
                left[field.neighbours[cell, i]] += 1
        if before == 1:
            chosen[at] = -1
            at -= 1
            continue
        chosen[at] = before + 1
        used += chosen[at]
        fits = mines < 0 or (used <= mines and mines - used <= n - at - 1)
        for i in range(field.degree[cell]):
            other = field.neighbours[cell, i]
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
            other = field.neighbours[cell, k]
            if seen[other] == KNOWN_MINE:
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
    rows = np.full((layouts, (cells + 31) // 32 * 32), np.int8(MINE))  # so wide that whole registers are compared
    for cell in range(cells):
        for layout in range(layouts):
            rows[layout, cell] = shown[cell, layout]
    member = np.arange(layouts)  # every position is a segment of this
    room = np.empty(layouts, np.int64)
    word = np.empty((layouts, 2), np.int64)
    state = 88172645463325252
    for i in range(2 * layouts):  # two random words a layout: a set is known by their sums
        state ^= state << 13
        state ^= (state >> 7) & 0x1FFFFFFFFFFFFFF
        state ^= state << 17
        word[i // 2, i % 2] = state
    table = np.zeros((1024, 3), np.int64)  # sums of the words of a set; twice its wins, and 1 if they are no mere bound
    known = 0
    # Of the set at hand and of those that it is part of:
    depth = 0
    low = np.zeros(cells + 2, np.int64)
    high = np.zeros(cells + 2, np.int64)
    need = np.zeros(cells + 2, np.int64)
    key = np.zeros((cells + 2, 2), np.int64)
    best = np.zeros(cells + 2, np.int64)
    best_cell = np.full(cells + 2, -1, np.int64)
    bound = np.zeros(cells + 2, np.int64)
    candidates = np.empty((cells + 2, cells), np.int64)
    safe = np.empty((cells + 2, cells), np.int64)
    n_candidates = np.zeros(cells + 2, np.int64)
    tried = np.zeros(cells + 2, np.int64)
    # Of the candidate at hand: where its parts end, how many they win at most, the sum, and the part at hand.
    end = np.zeros((cells + 2, MINE + 1), np.int64)
    most = np.zeros((cells + 2, MINE), np.int64)
    n_parts = np.zeros(cells + 2, np.int64)
    wins = np.zeros(cells + 2, np.int64)
    turn = np.zeros(cells + 2, np.int64)
    scan = np.empty((3, rows.shape[1]), np.int32)
    positions = 0
    high[0] = layouts
    result = -1  # of the set looked at last; -1: a set to begin with
    while True:
        if result >= 0:  # back to the set it is part of
            if depth == 0:
                return result, best_cell[0]
            depth -= 1
            wins[depth] += result - most[depth, turn[depth]]
            turn[depth] += 1
            result = -1
        else:
            key[depth] = 0
            for i in range(low[depth], high[depth]):
                key[depth, 0] += word[member[i], 0]
                key[depth, 1] += word[member[i], 1]
            found = table[_spot(table, key[depth]), 2]
            if found and (found & 1 or found >> 1 <= need[depth]):
                result = found >> 1
                continue
            positions += 1
            if positions > limit:
                return -1, -1
            _scan(rows, member, low[depth], high[depth], scan)
            n_candidates[depth] = _candidates(scan, high[depth] - low[depth], candidates[depth], safe[depth])
            best[depth] = 1 if n_candidates[depth] == 0 else 0
            best_cell[depth] = -1
            bound[depth] = best[depth]
            tried[depth] = -1
            n_parts[depth] = 0
            wins[depth] = 0
            turn[depth] = 0
        # The next part of the candidate, the next candidate, or the end.
        while True:
            goal = max(best[depth], need[depth])
            if wins[depth] > goal and turn[depth] < n_parts[depth]:
                if end[depth, turn[depth] + 1] - end[depth, turn[depth]] > 1:
                    break
                turn[depth] += 1
                continue
            bound[depth] = max(bound[depth], wins[depth])
            if wins[depth] > goal:
                best[depth] = wins[depth]
                best_cell[depth] = candidates[depth, tried[depth]]
                goal = wins[depth]
            tried[depth] += 1
            n = tried[depth]
            if n == n_candidates[depth] or safe[depth, n] <= goal:  # the candidates after it are no safer
                if n < n_candidates[depth]:
                    bound[depth] = max(bound[depth], safe[depth, n])
                result = best[depth] if best[depth] > need[depth] else bound[depth]
                break
            n_parts[depth] = _parted(shown[candidates[depth, n]], member, low[depth], high[depth], room, end[depth])
            wins[depth] = safe[depth, n]
            turn[depth] = 0
            for i in range(n_parts[depth]):
                first = end[depth, i]
                most[depth, i] = end[depth, i + 1] - first
                if most[depth, i] > 1 and wins[depth] > goal:
                    _scan(rows, member, first, end[depth, i + 1], scan)
                    wins[depth] -= most[depth, i]
                    most[depth, i] = _at_most(scan, most[depth, i])
                    wins[depth] += most[depth, i]
        if result >= 0:
            if 2 * known > table.shape[0]:
                table = _larger(table)
            spot = _spot(table, key[depth])
            known += table[spot, 2] == 0
            table[spot, :2] = key[depth]
            table[spot, 2] = 2 * result + (best[depth] > need[depth])
        else:
            low[depth + 1] = end[depth, turn[depth]]
            high[depth + 1] = end[depth, turn[depth] + 1]
            need[depth + 1] = goal - wins[depth] + most[depth, turn[depth]]
            depth += 1


@kernel
def _spot(table, key):
    """The row of a key, or the empty row where it belongs."""
    spot = (key[0] ^ (key[0] >> 32)) & (table.shape[0] - 1)
    while table[spot, 2] and (table[spot, 0] != key[0] or table[spot, 1] != key[1]):
        spot = (spot + 1) & (table.shape[0] - 1)
    return spot


@kernel
def _scan(rows, member, low, high, scan):
    """Fill in for each cell: mines in a segment's layouts, the least and the greatest number it shows."""
    scan[0] = 0
    scan[1] = MINE
    scan[2] = -1
    for i in range(low, high):
        layout = member[i]
        for cell in range(rows.shape[1]):
            value = rows[layout, cell]
            mine = value == MINE
            scan[0, cell] += mine
            scan[1, cell] = min(scan[1, cell], value)
            scan[2, cell] = max(scan[2, cell], -1 if mine else value)


@kernel
def _candidates(scan, layouts, found, safe):
    """Fill in the cells worth opening, the safest first, and in how many layouts; return their number."""
    n = 0
    for cell in range(scan.shape[1]):
        if scan[1, cell] >= scan[2, cell]:
            continue
        count = layouts - scan[0, cell]
        if count == layouts:
            found[0] = cell
            safe[0] = count
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
def _at_most(scan, layouts):
    """The layouts in which the safest cell worth opening is safe: no play wins more."""
    most = 1
    for cell in range(scan.shape[1]):
        if scan[1, cell] < scan[2, cell]:
            most = max(most, layouts - scan[0, cell])
    return most


@kernel
def _parted(column, member, low, high, room, end):
    """Sort a segment's layouts by what a cell shows, and return how many parts there are without a mine.

    Part i is from `end[i]` to `end[i + 1]`.
    """
    start = np.zeros(MINE + 2, np.int64)
    for i in range(low, high):
        start[column[member[i]] + 1] += 1
    start[0] = low
    for value in range(MINE + 1):
        start[value + 1] += start[value]
    parts = 0
    end[0] = low
    for value in range(MINE):
        if start[value + 1] > start[value]:
            parts += 1
            end[parts] = start[value + 1]
    for i in range(low, high):
        value = column[member[i]]
        room[start[value]] = member[i]
        start[value] += 1
    member[low:high] = room[low:high]
    return parts


@kernel
def _larger(table):
    larger = np.zeros((4 * table.shape[0], 3), np.int64)
    for i in range(table.shape[0]):
        if table[i, 2]:
            larger[_spot(larger, table[i])] = table[i]
    return larger
