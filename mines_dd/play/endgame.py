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

No play wins more than 2 of them (`cliques` says why), so b, c and d are given up before they are opened.

>>> from mines_dd.play.field import CLOSED, make_field
>>> from mines_dd.play.layouts import layouts_of
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
- A play that begins with a cell wins at most one layout of each clique of the set, see `cliques`.  The sum of such
  bounds over the parts that a cell leads to bounds its wins, too.  A cell is given up once its bound is no more than
  another cell wins.
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
from mines_dd.play.cliques import cells_worth_opening, cover, layouts_as_bits, most_with_one_cell, room_for
from mines_dd.play.layouts import MINE

__all__ = ["most_wins"]


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
    layouts = layouts_as_bits(shown)
    room = room_for(layouts)
    stack = _stack(shown.shape[0], shown.shape[1])
    word = _random_words(shown.shape[1])
    start = np.empty(MINE + 2, np.int64)
    table = np.zeros((1024, 3), np.int64)
    known = 0
    positions = 0
    depth = np.int64(0)
    while True:
        _key(layouts, word, stack, depth)
        value = _recalled(table, stack, depth)
        if value < 0:
            positions += 1
            if positions > limit:
                return -1, -1, positions
            cover(layouts, room, depth, stack.low[depth], stack.high[depth])
            most_with_one_cell(layouts, room, depth, stack.low[depth], stack.high[depth])
            _begin(room, stack, depth)
        else:
            depth -= 1
            _credit(stack, depth, value)
        while True:
            value = _advance(stack, depth)
            while value == _TO_OPEN:
                _open(layouts, room, stack, depth, start)
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


_TO_DESCEND, _TO_OPEN = -1, -2


class _Stack(NamedTuple):
    """The set at each depth of the search: the set at depth d + 1 is part of that at depth d.

    Attributes
    ----------
    low, high : int64[depths]
        The set is `member[depth, low:high]` of the layouts, see `cliques.Layouts`.
    floor : int64[depths]
        Only more wins than this matter to the set above.
    key : int64[depths, 2]
        The set's key.
    best, best_cell : int64[depths]
        The most wins of a cell so far, and the cell.
    bound : int64[depths]
        The most wins that a cell tried so far could have.
    cell, most_of : int64[depths, cells]
        The candidates, and a bound on the wins of each, in falling order.
    candidates, tried : int64[depths]
        The number of candidates, and which of them is at hand.
    end, most : int64[depths, 10], int64[depths, 9]
        The parts of the candidate at hand: where each begins and ends in the next depth, and its wins, or a bound.
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
    most_of: npt.NDArray[np.int64]
    candidates: npt.NDArray[np.int64]
    tried: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    most: npt.NDArray[np.int64]
    parts: npt.NDArray[np.int64]
    part: npt.NDArray[np.int64]
    wins: npt.NDArray[np.int64]


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
def _random_words(layouts):
    """Two random words for each layout."""
    word = np.empty((layouts, 2), np.int64)
    state = np.int64(88172645463325252)
    for i in range(2 * layouts):  # Marsaglia's xorshift generator
        state ^= state << 13
        state ^= (state >> 7) & 0x1FFFFFFFFFFFFFF
        state ^= state << 17
        word[i // 2, i % 2] = state
    return word


@kernel
def _key(layouts, word, stack, depth):
    """Fill in the key of a set: the sums of the words of its layouts."""
    key_0 = 0
    key_1 = 0
    for i in range(stack.low[depth], stack.high[depth]):
        key_0 += word[layouts.member[depth, i], 0]
        key_1 += word[layouts.member[depth, i], 1]
    stack.key[depth, 0] = key_0
    stack.key[depth, 1] = key_1


@kernel
def _begin(room, stack, depth):
    """Begin with a set, whose cells are counted."""
    n = cells_worth_opening(room, stack.high[depth] - stack.low[depth], stack.cell[depth], stack.most_of[depth])
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
    while wins > goal and part < parts and stack.most[depth, part] == 1:
        part += 1  # of any set one layout is won
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
        elif stack.most_of[depth, tried] <= goal:  # and so are those of the candidates after it
            bound = max(bound, stack.most_of[depth, tried])
            value = best if best > stack.floor[depth] else bound
    stack.best[depth] = best
    stack.part[depth] = part
    stack.tried[depth] = tried
    stack.bound[depth] = bound
    return value


@kernel
def _open(layouts, room, stack, depth, start):
    """Open the candidate at hand: part the set by what it shows, and bound the parts until it is known to be no better.

    `start` is room to count in.
    """
    cell = stack.cell[depth, stack.tried[depth]]
    _count_shown(layouts, cell, depth, stack.low[depth], stack.high[depth], start)
    _part(stack, depth, start)
    _sort(layouts, cell, depth, stack.low[depth], stack.high[depth], start)
    for i in range(stack.parts[depth]):
        if _worth_bounding(stack, depth, i):
            low, high = stack.end[depth, i], stack.end[depth, i + 1]
            _bound(stack, depth, i, most_with_one_cell(layouts, room, depth + 1, low, high))


@kernel
def _count_shown(layouts, cell, depth, low, high, start):
    """Count what a cell shows in the layouts of a set: `start[v + 1]` is how often it shows v."""
    for value in range(MINE + 2):
        start[value] = 0
    for i in range(low, high):
        start[layouts.shown[cell, layouts.member[depth, i]] + 1] += 1


@kernel
def _part(stack, depth, start):
    """Note where each part of the candidate at hand begins and ends; now `start[v]` is where v begins."""
    start[0] = stack.low[depth]
    for value in range(MINE + 1):
        start[value + 1] += start[value]
    stack.end[depth, 0] = start[0]
    parts = 0
    wins = 0
    for value in range(MINE):
        size = start[value + 1] - start[value]
        if size:
            stack.most[depth, parts] = size
            wins += size
            parts += 1
            stack.end[depth, parts] = start[value + 1]
    stack.wins[depth] = wins
    stack.parts[depth] = parts
    stack.part[depth] = 0


@kernel
def _sort(layouts, cell, depth, low, high, start):
    """Sort a set by what a cell shows, into the next depth from the places `start` on; those with a mine come last."""
    for i in range(low, high):
        value = layouts.shown[cell, layouts.member[depth, i]]
        place = start[value]
        layouts.member[depth + 1, place] = layouts.member[depth, i]
        layouts.clique[depth + 1, place] = layouts.clique[depth, i]
        layouts.size[depth + 1, place] = layouts.size[depth, i]
        start[value] = place + 1


@kernel
def _worth_bounding(stack, depth, i):
    """Whether the wins of part i can be less than its layouts, and the candidate may still beat the best one."""
    goal = max(stack.best[depth], stack.floor[depth])
    return (stack.most[depth, i] > 1) & (stack.wins[depth] > goal)


@kernel
def _bound(stack, depth, i, most):
    """Note a bound on the wins of part i; of any set one layout is won."""
    most = max(most, 1)
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
