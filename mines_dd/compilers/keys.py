"""The keys of `tree`'s entries: sums of mines in bit fields, which two additions check all at once.

The sums of an entry are packed into its *key*, 62 bits to a word.  A hint whose largest allowed count is `most` has a
field of as many bits as `most` needs and a *guard* bit above them, which is 0 in the key of every entry.  The hints of
`tree`'s example are p = 1 of {a b}, q = 1 of {c d} and r = 2 of {b c e}:

    bit      4 3     2 1 0
             g s     g s s
             p or q    r        no table holds both p and q, so they share bits

    a=1      0 1     0 0 0
    b=1    + 0 1     0 0 1      a product adds keys
           = 1 0     0 0 1      p = 2, r = 1
    over   + 0 0     0 0 1      for each field its guard - 1 - most
           = 1 0     0 1 0      the guard of p is set: p overshoots

*Where the fields lie.*  Hints get fields from the last eliminated to the first.  Each takes the first place that is
free of the hints which its own step's table remembers, in a new word if there is none.  This is enough to keep any two
hints x and y of one table apart, x eliminated first.  That table goes to the step of the first hint in it, whose own
table remembers all the others, and so on up to the step of x, whose table remembers y.  So y had its field when x got
one, and x avoided it.  (In other words, the elimination is a perfect elimination order of the graph that joins hints
in a common table, and first fit colours such a graph from the back.)

*One addition tells every overshoot.*  The factors of a product hold at most `most` in each field, so their sum holds at
most 2 most, which is less than 2 guard.  Adding guard - 1 - most gives guard or more exactly if the field is above
`most`, and still less than 2 guard: it sets the field's own guard and carries nothing into the next.  *Another tells
every sum too small.*  With less than `fewest` now, a hint cannot be completed by its cells still to come.  If no field
overshoots, adding guard - fewest gives at most guard + most, less than 2 guard, and sets the guard exactly if the field
is at least `fewest`.  If one overshoots, its carry may spoil this second check of its word, but the first has failed.

*Why 62 bits of 64.*  One bit above the last field catches that carry, and the sign stays clear: no sum wraps around.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mines_dd.base.arrays import IntArray, LongArray
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance
from mines_dd.frontier.fields import first_fit
from mines_dd.orders.elimination import Steps

__all__ = ["Check", "Fields", "fits", "set_check"]


class Fields(NamedTuple):
    """Where a key holds the sum of each hint, and what that may be."""

    word: LongArray  # the word of the field
    shift: LongArray  # its lowest bit
    mask: LongArray  # its bits, guard included, moved down to bit 0
    guard: LongArray  # its guard bit, in place
    over: LongArray  # guard - 1 - most, in place
    most: LongArray  # the largest allowed count, but no more than its cells
    safe_at_most: LongArray  # how many of the cells can be safe: all but the smallest allowed count
    count_start: IntArray  # the allowed counts
    counts: IntArray

    @classmethod
    def of(cls, instance: Instance, size: LongArray, order: IntArray, steps: Steps) -> Fields:
        """Return the fields of an instance's hints, for keys of as few words as first fit takes."""
        cells = instance.hint_sizes(size)
        least, most = (counts.astype(np.int64) for counts in instance.count_range)
        most = np.minimum(most, cells)
        bits = np.array([count.bit_length() + 1 for count in np.maximum(most, 0).tolist()], np.int64)
        place = np.zeros(len(order), np.int64)
        _lay_out.run(20 * len(steps.hint), order, steps.start, steps.hint, bits, place)
        word, shift = place >> 6, place & 63
        guard = np.int64(1) << (bits - 1)
        return cls(
            word=word,
            shift=shift,
            mask=2 * guard - 1,
            guard=guard << shift,
            over=(guard - 1 - most) << shift,
            most=most,
            safe_at_most=cells - least,
            count_start=instance.count_start,
            counts=instance.count,
        )

    @property
    def words(self) -> int:
        """The words of a key."""
        return int(self.word.max(initial=0)) + 1


class Check(NamedTuple):
    """What a product is checked with."""

    key: LongArray  # its key
    over: LongArray  # the words that, added to a key, set the guard of a sum too large
    under: LongArray  # and of a sum large enough
    guards: LongArray  # all guards
    whole: LongArray  # the fields of the hints whose cells are all in, and which so have one sum left
    wanted: LongArray  # and these sums

    @classmethod
    def of(cls, words: int) -> Check:
        """Return the check of keys of some words, for no hint yet."""
        return cls(*(np.zeros(words, np.int64) for _ in cls._fields))


@kernel
def _lay_out(order, start, hint, bits, place):
    """Give every hint the first place that the hints in a table with it leave (see `mines_dd.frontier.fields`)."""
    taken = np.zeros(len(order), np.int64)
    for k in range(len(order) - 1, -1, -1):
        for i in range(start[k], start[k + 1]):
            x = hint[i]
            taken[place[x] >> 6] |= ((np.int64(1) << bits[x]) - 1) << (place[x] & 63)
        place[order[k]] = first_fit(taken, bits[order[k]])
        for i in range(start[k], start[k + 1]):
            taken[place[hint[i]] >> 6] = 0


@kernel
def set_check(fields, check, scope, cells_in, size):
    """Make the check of the first `size` hints in scope; return False if no sum would do.

    `cells_in` has for each hint the number of its cells that the product holds.
    """
    for w in range(len(check.guards)):
        check.over[w] = 0
        check.under[w] = 0
        check.guards[w] = 0
        check.whole[w] = 0
        check.wanted[w] = 0
    for i in range(size):
        h = scope[i]
        w = fields.word[h]
        fewest = max(np.int64(0), cells_in[h] - fields.safe_at_most[h])
        if fewest > fields.most[h]:
            return False
        check.over[w] += fields.over[h]
        check.under[w] += fields.guard[h] - (fewest << fields.shift[h])
        check.guards[w] += fields.guard[h]
        if fewest == fields.most[h]:
            check.whole[w] += fields.mask[h] << fields.shift[h]
            check.wanted[w] += fewest << fields.shift[h]
    return True


@kernel
def fits(key, over, under, guards):
    """Tell whether no sum of a key overshoots and none is too small to be completed."""
    for w in range(len(key)):
        if (key[w] + over[w]) & guards[w] != 0 or (key[w] + under[w]) & guards[w] != guards[w]:
            return False
    return True
