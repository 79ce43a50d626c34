"""How many layouts of a set any play can win at most: layouts that exclude each other.

Two layouts *exclude each other* if no cell is safe in both and shows different numbers in them.  No play wins both: it
would have to tell them apart, by a cell that it opens in either.  So a play wins at most one layout of each *clique*,
a set of layouts all of which exclude each other.

**An example.**  Four closed cells a b c d in a row, two mines.  What each cell shows in each of the 6 layouts (`*`: a
mine), named by their mines::

         ab  ac  ad  bc  bd  cd
    a     *   *   *   1   1   0
    b     *   2   1   *   *   1
    c     1   *   1   *   2   *
    d     0   1   *   1   *   *

ab and ad exclude each other: only c is safe in both, and it shows 1 in both.  So do ab and cd, ad and cd: one clique.
ac, bc and bd are another.  So any play wins at most 2 of the 6 layouts.

>>> shown = [[9, 9, 9, 1, 1, 0], [9, 2, 1, 9, 9, 1], [1, 9, 1, 9, 2, 9], [0, 1, 9, 1, 9, 9]]
>>> layouts = layouts_as_bits(np.array(shown))
>>> room = room_for(layouts)
>>> cover(layouts, room, 0, 0, 6)
>>> layouts.member[0].tolist(), layouts.clique[0].tolist()  # cd, ad, ab; bd, bc, ac
([5, 2, 0, 4, 3, 1], [0, 0, 0, 3, 3, 3])
>>> int(most_with_one_cell(layouts, room, 0, 0, 6))
2

**The bound.**  A set is covered by cliques, greedily.  A play that opens cell c first wins at most as many layouts as
there are cliques with a layout in which c is safe.  The most of that, over the cells, bounds the wins of the set: the
*clique cover* bounds the *independent set* of layouts that a play wins.

**Only what has changed is tried again.**  Opening a cell loses the layouts with a mine there, and splits the others by
what it shows.  A clique stays together, as nothing tells its layouts apart.  No two cliques can be merged, or they
would have been before, unless one of them has lost a layout.  So only cliques that are smaller than when they were
made are compared with all others.

**A set of cells is a word.**  A layout is five words for each 64 cells: where it is safe, and the ones, twos, fours and
eights of the numbers shown.  A few operations compare two layouts in all cells.  The counts of all cells are kept as
words, too: word k holds bit k of each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.jit import kernel
from mines_dd.play.layouts import MINE

__all__ = ["Layouts", "Room", "cells_worth_opening", "cover", "layouts_as_bits", "most_with_one_cell", "room_for"]


class Layouts(NamedTuple):
    """The layouts, and the sets of them at each depth of a search.

    Attributes
    ----------
    shown : int8[cells, layouts]
        What each cell shows in each layout, 0 to 8 or `MINE`.
    bits : int64[words, layouts, 5]
        Of 64 cells a word: those safe in the layout; and the ones, twos, fours and eights of what they show.
    member : int32[depths, layouts]
        A set is a segment of `member[depth]`, clique after clique.
    clique, size : int32[depths, layouts]
        The clique of each member, a number of its own in the segment; and how many layouts it had when it was made.
    """

    shown: npt.NDArray[np.int8]
    bits: npt.NDArray[np.int64]
    member: npt.NDArray[np.int32]
    clique: npt.NDArray[np.int32]
    size: npt.NDArray[np.int32]


class Room(NamedTuple):
    """Room to work in.

    Attributes
    ----------
    live, mined : int64[words]
        The cells that show different numbers, and those that have a mine, in some layouts of the set counted last.
    tally : int64[words, 64]
        Bit k of the cliques with a layout in which each cell is safe, at k.
    run : int64[layouts, 2]
        Where each clique of a set begins and ends.
    heads : int64[words, 5, layouts]
        The bits of the first layout of each.
    apart : int64[layouts]
        Whether a cell tells that layout and the one at hand apart.
    covered : int32[3, layouts]
        Members, their cliques and sizes, as they will be.
    """

    live: npt.NDArray[np.int64]
    mined: npt.NDArray[np.int64]
    tally: npt.NDArray[np.int64]
    run: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    apart: npt.NDArray[np.int64]
    covered: npt.NDArray[np.int32]


@kernel
def layouts_as_bits(shown):
    """The layouts, with the set of all at depth 0, each a clique.

    Each depth opens one more cell, so `cells` + 2 depths are enough.
    """
    cells, layouts = shown.shape
    bits = np.zeros(((cells + 63) // 64, layouts, 5), np.int64)
    for cell in range(cells):
        bit = np.int64(1) << (cell & 63)
        for layout in range(layouts):
            value = shown[cell, layout]
            if value != MINE:
                bits[cell >> 6, layout, 0] |= bit
                for k in range(4):
                    if (value >> k) & 1:
                        bits[cell >> 6, layout, k + 1] |= bit
    member = np.empty((cells + 2, layouts), np.int32)
    clique = np.empty((cells + 2, layouts), np.int32)
    size = np.empty((cells + 2, layouts), np.int32)
    for layout in range(layouts):
        member[0, layout] = layout
        clique[0, layout] = layout
        size[0, layout] = 2  # as if it had lost one: it has to be compared
    return Layouts(shown, bits, member, clique, size)


@kernel
def room_for(layouts):
    """Room to work on these layouts."""
    words, n, _ = layouts.bits.shape
    return Room(
        np.empty(words, np.int64),
        np.empty(words, np.int64),
        np.zeros((words, 64), np.int64),
        np.empty((n, 2), np.int64),
        np.empty((words, 5, n), np.int64),
        np.empty(n, np.int64),
        np.empty((3, n), np.int32),
    )


@kernel
def cover(layouts, room, depth, low, high):
    """Merge the cliques of a set, `member[depth, low:high]`, where some have lost layouts since they were made."""
    n, whole = _cliques(layouts, room, depth, low, high)
    if n == whole:
        return
    _note_heads(layouts, room, depth, n)
    run, covered = room.run, room.covered
    end = low
    for at in range(n - 1, -1, -1):
        if run[at, 1] < 0:
            continue  # merged
        begin = end
        end = _append(layouts, room, depth, at, end)
        if at >= whole:
            _tell_apart(room.heads, room.apart, at)
            for other in range(at - 1, -1, -1):
                if room.apart[other] == 0 and run[other, 1] >= 0 and _exclude(layouts, room, depth, begin, end, other):
                    end = _append(layouts, room, depth, other, end)
                    run[other, 1] = -1
        for i in range(begin, end):
            covered[1, i] = begin
            covered[2, i] = end - begin
    for i in range(low, high):
        layouts.member[depth, i] = covered[0, i]
        layouts.clique[depth, i] = covered[1, i]
        layouts.size[depth, i] = covered[2, i]


@kernel
def _cliques(layouts, room, depth, low, high):
    """Find the cliques of a set, those that have lost no layout first: the number of all, and of those."""
    clique, size = layouts.clique, layouts.size
    n = 0
    whole = 0
    for lost in range(2):
        begin = low
        for i in range(low, high):
            if i + 1 == high or clique[depth, i] != clique[depth, i + 1]:
                if (size[depth, i] > i + 1 - begin) == (lost == 1):
                    room.run[n, 0] = begin
                    room.run[n, 1] = i + 1
                    n += 1
                begin = i + 1
        if lost == 0:
            whole = n
    return n, whole


@kernel
def _note_heads(layouts, room, depth, n):
    """Note the bits of the first layout of each clique."""
    for word in range(room.heads.shape[0]):
        for i in range(n):
            for k in range(5):
                room.heads[word, k, i] = layouts.bits[word, layouts.member[depth, room.run[i, 0]], k]


@kernel
def _append(layouts, room, depth, at, end):
    """Append the members of a clique to those covered; return the end of those."""
    for i in range(room.run[at, 0], room.run[at, 1]):
        room.covered[0, end] = layouts.member[depth, i]
        end += 1
    return end


@kernel
def _tell_apart(heads, apart, at):
    """Note which of the heads before it a cell tells apart from this one."""
    for i in range(at):  # from 0 on, so that several at a time are compared
        apart[i] = 0
    for word in range(heads.shape[0]):
        safe = heads[word, 0, at]
        ones = heads[word, 1, at]
        twos = heads[word, 2, at]
        fours = heads[word, 3, at]
        eights = heads[word, 4, at]
        for i in range(at):
            differ = (heads[word, 1, i] ^ ones) | (heads[word, 2, i] ^ twos)
            differ |= (heads[word, 3, i] ^ fours) | (heads[word, 4, i] ^ eights)
            apart[i] |= differ & safe & heads[word, 0, i]


@kernel
def _exclude(layouts, room, depth, begin, end, at):
    """Whether all of `covered[begin:end]` and all layouts of a clique exclude each other."""
    bits = layouts.bits
    for i in range(begin, end):
        one = room.covered[0, i]
        for j in range(room.run[at, 0], room.run[at, 1]):
            other = layouts.member[depth, j]
            for word in range(bits.shape[0]):
                differ = np.int64(0)
                for k in range(1, 5):
                    differ |= bits[word, one, k] ^ bits[word, other, k]
                if differ & bits[word, one, 0] & bits[word, other, 0]:
                    return False
    return True


@kernel
def most_with_one_cell(layouts, room, depth, low, high):
    """Count for each cell the cliques of a set with a layout in which it is safe: the most of a live cell, or 0.

    `room` has the counts, and which cells are live, or mines in some layouts.
    """
    most = np.int64(0)
    for word in range(layouts.bits.shape[0]):
        planes = 0
        while (high - low) >> planes:
            room.tally[word, planes] = 0
            planes += 1
        _count_cliques(layouts, room, depth, low, high, word)
        live = room.live[word]
        of_word = np.int64(0)
        for k in range(planes - 1, -1, -1):
            if live & room.tally[word, k]:
                live &= room.tally[word, k]
                of_word += np.int64(1) << k
        most = max(most, of_word)
    return most


@kernel
def _count_cliques(layouts, room, depth, low, high, word):
    """Do so for the cells of a word."""
    bits, member, clique, tally = layouts.bits, layouts.member, layouts.clique, room.tally
    always = np.int64(-1)  # safe in all layouts
    alive = np.int64(0)  # safe in a layout of the clique at hand
    ones = twos = fours = eights = np.int64(0)  # shown somewhere with this bit
    no_ones = no_twos = no_fours = no_eights = np.int64(0)  # shown somewhere without it
    for i in range(low, high):
        layout = member[depth, i]
        safe = bits[word, layout, 0]
        always &= safe
        alive |= safe
        ones |= bits[word, layout, 1]
        no_ones |= bits[word, layout, 1] ^ safe
        twos |= bits[word, layout, 2]
        no_twos |= bits[word, layout, 2] ^ safe
        fours |= bits[word, layout, 3]
        no_fours |= bits[word, layout, 3] ^ safe
        eights |= bits[word, layout, 4]
        no_eights |= bits[word, layout, 4] ^ safe
        if i + 1 == high or clique[depth, i + 1] != clique[depth, i]:
            k = 0
            while alive:  # one more for each of these cells
                carried = tally[word, k] & alive
                tally[word, k] ^= alive
                alive = carried
                k += 1
    room.live[word] = (ones & no_ones) | (twos & no_twos) | (fours & no_fours) | (eights & no_eights)
    room.mined[word] = ~always


@kernel
def cells_worth_opening(room, size, cells, most):
    """List the cells worth opening in a set of this size, counted before, with a bound on the wins of each.

    A live cell that is safe in all layouts is the only one.

    Returns
    -------
    int
        How many, in `cells`; and in `most` the most layouts that a play wins which begins with it, in falling order.
    """
    n = 0
    for word in range(room.live.size):
        certain = room.live[word] & ~room.mined[word]
        if certain:
            bit = _first(certain)
            cells[0] = 64 * word + bit
            most[0] = _counted(room, word, bit, size)
            return 1
    for word in range(room.live.size):
        live = room.live[word]
        while live:
            bit = _first(live)
            live &= live - 1
            bound = _counted(room, word, bit, size)
            place = n
            while place and most[place - 1] < bound:
                most[place] = most[place - 1]
                cells[place] = cells[place - 1]
                place -= 1
            most[place] = bound
            cells[place] = 64 * word + bit
            n += 1
    return n


@kernel
def _counted(room, word, bit, size):
    """The cliques counted for a cell of a set of this size."""
    n = 0
    k = 0
    while size >> k:
        n += ((room.tally[word, k] >> bit) & 1) << k
        k += 1
    return n


@kernel
def _first(word):
    """The place of the lowest bit of a word that is set."""
    bit = 0
    while not (word >> bit) & 1:
        bit += 1
    return bit
