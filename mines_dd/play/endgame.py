"""The end of a game, searched to its end: the greatest number of layouts that any play wins.

A position is the set of its layouts, all equally likely.  To open a cell loses the layouts with a mine there, and the
number that it shows tells in which part of the others the game goes on.

**An example.**  Four closed cells a b c d in a row, two mines.  What each cell shows in each of the 6 layouts (`*`: a
mine), named by their mines::

         ab  ac  ad  bc  bd  cd
    a     *   *   *   1   1   0        open a, safe in 3 layouts
    b     *   2   1   *   *   1          it shows 1: {bc, bd}: b is a mine in both; c and d are dead, so 1 is won
    c     1   *   1   *   2   *          it shows 0: {cd}: a single layout is won
    d     0   1   *   1   *   *        2 of the 6 layouts are won

In {bc, bd} cell c is a mine or shows 2: opening it tells nothing unless it loses, and so it is with d.  Next comes b,
safe in 3 layouts: it shows 2 in {ac} and 1 in {ad, cd}, where all cells are dead.  So b wins at most 1 + 1, no more
than a, and is given up before its parts are searched; so are c and d.

>>> from mines_dd.play.field import make_field
>>> cells, shown = layouts_of.run(1000, make_field(1, 4, 2), np.full(4, CLOSED), 2, 10)
>>> shown[0].tolist()                                  # in reverse order: cd, bd, bc, ad, ac, ab
[0, 1, 1, 9, 9, 9]
>>> wins, cell, _ = most_wins.run(1000, shown, 10)
>>> int(wins), int(cells[cell])
(2, 0)

**Why it is right.**

- All that a player learns is in which part the layout is.  So what can still be won depends on the set alone, and sets
  are looked up in a table.  (Cells opened before show the same number in all layouts of the set; they do not matter.)
- A single layout is won.
- A cell that is safe in all layouts and shows different numbers is opened at once: that costs nothing.
- A cell that shows the same number in all layouts in which it is safe is *dead*; the others are *live*.  To open a
  dead cell later wins as much, so only live cells are candidates.  If all cells are dead, nothing more can be learned,
  and of any set one layout is won.
- No play wins more layouts of a set than its safest live cell is safe in.  The sum of these bounds over the parts that
  a cell may lead to bounds its wins.  A cell is given up once the sum is no more than another cell wins.
- A set is also given up once it cannot win enough to make a difference to the set that it is part of.  Then the table
  holds an upper bound on its wins, marked as such.
- The key of a set is the sum of random words of its layouts, 128 bits.  Two of n sets share one with probability below
  n**2 / 2**129.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.jit import kernel
from mines_dd.play.field import CLOSED, around

__all__ = ["MINE", "layouts_of", "most_wins"]

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
    positions : int
        How many were looked at.

    Examples
    --------
    >>> wins, cell, _ = most_wins.run(100, np.array([[0, 1, 9], [9, 1, 1], [1, 9, 0]], np.int8), 10)
    >>> int(wins), int(cell)
    (2, 0)
    """
    layouts = _layouts(shown)
    stack = _stack(shown.shape[0], shown.shape[1])
    table = np.zeros((1024, 3), np.int64)
    known = 0
    positions = 0
    depth = np.int64(0)
    while True:
        _key(layouts, stack, depth)
        value = _recalled(table, stack, depth)
        if value < 0:
            positions += 1
            if positions > limit:
                return -1, -1, positions
            _scan(layouts, stack.low[depth], stack.high[depth])
            _begin(layouts, stack, depth)
        else:
            depth -= 1
            _credit(stack, depth, value)
        while True:
            value = _advance(stack, depth)
            while value == _TO_OPEN:
                cell = stack.cell[depth, stack.tried[depth]]
                _count_shown(layouts, cell, stack.low[depth], stack.high[depth])
                _part(layouts, stack, depth)
                _sort(layouts, cell, stack.low[depth], stack.high[depth])
                for i in range(stack.parts[depth]):
                    if _worth_bounding(stack, depth, i):
                        _scan(layouts, stack.end[depth, i], stack.end[depth, i + 1])
                        _bound(layouts, stack, depth, i)
                value = _advance(stack, depth)
            if value == _TO_DESCEND:
                break
            if 2 * known > table.shape[0]:
                table = _larger(table)
            known += _remember(table, stack, depth, value)
            if depth == 0:
                return value, stack.best_cell[0], positions
            depth -= 1
            _credit(stack, depth, value)
        depth += 1
        _enter_part(stack, depth)


# In the kernels below arrays are last used in one place, so that Numba drops the counting of references, which would
# take as long as the work.

_TO_DESCEND, _TO_OPEN = -1, -2


class _Layouts(NamedTuple):
    """The layouts, and room to work on sets of them.

    `shown` is as in `most_wins`, `rows` the same layout by layout.  Every set is a segment of `member`, sorted with the
    help of `sorted` and `start`.  `word` holds two random words for each layout; the key of a set is their sums.
    `scan` is what `_scan` finds of each cell.
    """

    shown: npt.NDArray[np.int8]
    rows: npt.NDArray[np.int8]
    member: npt.NDArray[np.int64]
    sorted: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    word: npt.NDArray[np.int64]
    scan: npt.NDArray[np.int32]


class _Stack(NamedTuple):
    """The set at each depth of the search: the set at depth d + 1 is part of that at depth d.

    Attributes
    ----------
    low, high : int64[depths]
        The set is `member[low:high]`.
    floor : int64[depths]
        Only more wins than this matter to the set above.
    key : int64[depths, 2]
        The set's key.
    best, best_cell : int64[depths]
        The most wins of a cell so far, and the cell.
    bound : int64[depths]
        The most wins that a cell tried so far could have.
    cell, safe : int64[depths, cells]
        The candidates, and the layouts in which each is safe: the safest first.
    candidates, tried : int64[depths]
        The number of candidates, and which of them is at hand.
    end, most : int64[depths, 10], int64[depths, 9]
        The parts of the candidate at hand: where each begins and ends in `member`, and its wins, or a bound on them.
    parts, part, wins : int64[depths]
        The number of parts, which of them is at hand, and the sum of `most`.
    """

    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]
    floor: npt.NDArray[np.int64]
    key: npt.NDArray[np.int64]
    best: npt.NDArray[np.int64]
    best_cell: npt.NDArray[np.int64]
    bound: npt.NDArray[np.int64]
    cell: npt.NDArray[np.int64]
    safe: npt.NDArray[np.int64]
    candidates: npt.NDArray[np.int64]
    tried: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    most: npt.NDArray[np.int64]
    parts: npt.NDArray[np.int64]
    part: npt.NDArray[np.int64]
    wins: npt.NDArray[np.int64]


_REGISTER = 32
"""Rows are filled up with mines to a multiple of this many bytes, so that whole registers are compared."""


@kernel
def _layouts(shown):
    """The layouts as `most_wins` works on them."""
    cells, layouts = shown.shape
    width = (cells + _REGISTER - 1) // _REGISTER * _REGISTER
    rows = np.full((layouts, width), np.int8(MINE))
    for cell in range(cells):
        for layout in range(layouts):
            rows[layout, cell] = shown[cell, layout]
    word = np.empty((layouts, 2), np.int64)
    state = np.int64(88172645463325252)
    for i in range(2 * layouts):  # Marsaglia's xorshift generator
        state ^= state << 13
        state ^= (state >> 7) & 0x1FFFFFFFFFFFFFF
        state ^= state << 17
        word[i // 2, i % 2] = state
    member = np.empty(layouts, np.int64)
    for layout in range(layouts):
        member[layout] = layout
    ordered = np.empty(layouts, np.int64)
    return _Layouts(shown, rows, member, ordered, np.empty(MINE + 2, np.int64), word, np.empty((3, width), np.int32))


@kernel
def _stack(cells, layouts):
    """A stack with the set of all layouts.  Each depth opens one more cell, so `cells` + 2 depths are enough."""
    n = cells + 2
    high = np.zeros(n, np.int64)
    high[0] = layouts
    return _Stack(
        np.zeros(n, np.int64),
        high,
        np.zeros(n, np.int64),
        np.zeros((n, 2), np.int64),
        np.zeros(n, np.int64),
        np.full(n, -1, np.int64),
        np.zeros(n, np.int64),
        np.empty((n, cells), np.int64),
        np.empty((n, cells), np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros((n, MINE + 1), np.int64),
        np.zeros((n, MINE), np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
    )


@kernel
def _key(layouts, stack, depth):
    """Fill in the key of a set."""
    key_0 = 0
    key_1 = 0
    for i in range(stack.low[depth], stack.high[depth]):
        key_0 += layouts.word[layouts.member[i], 0]
        key_1 += layouts.word[layouts.member[i], 1]
    stack.key[depth, 0] = key_0
    stack.key[depth, 1] = key_1


@kernel
def _begin(layouts, stack, depth):
    """Begin with a scanned set: find the cells worth opening, the safest first."""
    scan = layouts.scan
    size = stack.high[depth] - stack.low[depth]
    n = 0
    certain = False  # a cell is safe in all layouts: it is opened at once
    for cell in range(scan.shape[1]):
        if scan[1, cell] < scan[2, cell] and not certain:
            safe = size - scan[0, cell]
            place = n
            while place and stack.safe[depth, place - 1] < safe:
                stack.safe[depth, place] = stack.safe[depth, place - 1]
                stack.cell[depth, place] = stack.cell[depth, place - 1]
                place -= 1
            stack.safe[depth, place] = safe
            stack.cell[depth, place] = cell
            certain = safe == size
            n = 1 if certain else n + 1
    best = 0 if n else 1
    stack.best[depth] = best
    stack.best_cell[depth] = -1
    stack.bound[depth] = best
    stack.candidates[depth] = n
    stack.tried[depth] = -1
    stack.parts[depth] = 0
    stack.part[depth] = 0
    stack.wins[depth] = 0


@kernel
def _advance(stack, depth):
    """Go on with a set: what comes next, `_TO_DESCEND` to the part at hand or `_TO_OPEN` the candidate at hand.

    If the set is done, its wins, or a bound on them.
    """
    best = stack.best[depth]
    goal = max(best, stack.floor[depth])
    wins = stack.wins[depth]
    part = stack.part[depth]
    parts = stack.parts[depth]
    tried = stack.tried[depth]
    bound = stack.bound[depth]
    while wins > goal and part < parts and stack.end[depth, part + 1] - stack.end[depth, part] == 1:
        part += 1  # a single layout is won
    value = _TO_DESCEND
    if wins <= goal or part == parts:  # done with the candidate
        bound = max(bound, wins)
        if wins > goal:
            goal = best = wins
            stack.best_cell[depth] = stack.cell[depth, tried]
        tried += 1
        value = _TO_OPEN
        if tried == stack.candidates[depth]:
            value = best if best > stack.floor[depth] else bound
        elif stack.safe[depth, tried] <= goal:  # and the candidates after it are no safer
            bound = max(bound, stack.safe[depth, tried])
            value = best if best > stack.floor[depth] else bound
    stack.best[depth] = best
    stack.part[depth] = part
    stack.tried[depth] = tried
    stack.bound[depth] = bound
    return value


@kernel
def _count_shown(layouts, cell, low, high):
    """Count what a cell shows in the layouts of a set: `start[v + 1]` is how often it shows v."""
    start = layouts.start
    for value in range(MINE + 2):
        start[value] = 0
    for i in range(low, high):
        start[layouts.shown[cell, layouts.member[i]] + 1] += 1


@kernel
def _part(layouts, stack, depth):
    """Open the candidate at hand: note where each part begins and ends; now `start[v]` is where v begins."""
    start = layouts.start
    start[0] = stack.low[depth]
    for value in range(MINE + 1):
        start[value + 1] += start[value]
    stack.end[depth, 0] = start[0]
    parts = 0
    for value in range(MINE):
        size = start[value + 1] - start[value]
        if size:
            stack.most[depth, parts] = size
            parts += 1
            stack.end[depth, parts] = start[value + 1]
    stack.wins[depth] = stack.safe[depth, stack.tried[depth]]
    stack.parts[depth] = parts
    stack.part[depth] = 0


@kernel
def _sort(layouts, cell, low, high):
    """Sort a set by what a cell shows, from the places `start` on; the layouts with a mine there come last."""
    for i in range(low, high):
        layout = layouts.member[i]
        value = layouts.shown[cell, layout]
        layouts.sorted[layouts.start[value]] = layout
        layouts.start[value] += 1
    for i in range(low, high):
        layouts.member[i] = layouts.sorted[i]


@kernel
def _worth_bounding(stack, depth, i):
    """Whether the wins of part i can be less than its layouts, and the candidate may still beat the best one."""
    goal = max(stack.best[depth], stack.floor[depth])
    return (stack.most[depth, i] > 1) & (stack.wins[depth] > goal)


@kernel
def _bound(layouts, stack, depth, i):
    """Bound the wins of part i, which is scanned: no play wins more layouts than its safest live cell is safe in."""
    scan = layouts.scan
    most = 1
    for cell in range(scan.shape[1]):
        if scan[1, cell] < scan[2, cell]:
            most = max(most, stack.most[depth, i] - scan[0, cell])
    stack.wins[depth] += most - stack.most[depth, i]
    stack.most[depth, i] = most


@kernel
def _enter_part(stack, depth):
    """Put the part at hand of the set above on the stack."""
    above = depth - 1
    part = stack.part[above]
    stack.low[depth] = stack.end[above, part]
    stack.high[depth] = stack.end[above, part + 1]
    goal = max(stack.best[above], stack.floor[above])
    stack.floor[depth] = goal - (stack.wins[above] - stack.most[above, part])


@kernel
def _credit(stack, depth, value):
    """Replace the bound of the part at hand by what its search found, and go on to the next part."""
    stack.wins[depth] += value - stack.most[depth, stack.part[depth]]
    stack.part[depth] += 1


# The table of sets: their keys, and 2 * wins + 1, or 2 * a bound on the wins; 0 in empty rows.


@kernel
def _recalled(table, stack, depth):
    """What is known of a set, if that is its wins or a bound low enough; otherwise -1."""
    floor = stack.floor[depth]
    value = table[_spot(table, stack.key[depth, 0], stack.key[depth, 1]), 2]
    return value >> 1 if value and (value & 1 or value >> 1 <= floor) else -1


@kernel
def _remember(table, stack, depth, value):
    """Note the value of a set; return whether the set is new."""
    spot = _spot(table, stack.key[depth, 0], stack.key[depth, 1])
    new = table[spot, 2] == 0
    table[spot, 0] = stack.key[depth, 0]
    table[spot, 1] = stack.key[depth, 1]
    table[spot, 2] = 2 * value + (stack.best[depth] > stack.floor[depth])
    return new


@kernel
def _spot(table, key_0, key_1):
    """The row of a key, or the empty row where it belongs.  A key is a random number and needs no other hash."""
    spot = (key_0 ^ (key_0 >> 32)) & (table.shape[0] - 1)
    while table[spot, 2] and (table[spot, 0] != key_0 or table[spot, 1] != key_1):
        spot = (spot + 1) & (table.shape[0] - 1)
    return spot


@kernel
def _larger(table):
    """The same table with four times the rows."""
    larger = np.zeros((4 * table.shape[0], 3), np.int64)
    for i in range(table.shape[0]):
        if table[i, 2]:
            spot = _spot(larger, table[i, 0], table[i, 1])
            for j in range(3):
                larger[spot, j] = table[i, j]
    return larger


@kernel
def _scan(layouts, low, high):
    """Find for each cell of `member[low:high]`: the layouts with a mine there, the least and greatest number it shows.

    The least is `MINE` and the greatest -1 where there is a mine in all layouts.
    """
    rows = layouts.rows
    scan = layouts.scan
    for cell in range(rows.shape[1]):
        scan[0, cell] = 0
        scan[1, cell] = MINE
        scan[2, cell] = -1
    for i in range(low, high):
        layout = layouts.member[i]
        for cell in range(rows.shape[1]):
            value = rows[layout, cell]
            mine = value == MINE
            scan[0, cell] += mine
            scan[1, cell] = min(scan[1, cell], value)
            scan[2, cell] = max(scan[2, cell], -1 if mine else value)
