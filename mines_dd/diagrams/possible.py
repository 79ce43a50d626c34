"""Possible numbers of mines: what is certain when the total is known, exactly.

An upward pass computes the numbers of mines that each node can have: the union, over its terms, of the sums of its
factors' numbers.  A downward pass computes for each node the *wanted* numbers, with which the rest of the board can
reach the total.  A term is possible if one of its numbers is wanted.  (Sets of numbers are lists of runs, see `runs`.)
For two hints of 1 on the board a1b1c, and 2 mines in all:

    possible    node 2 = [1 of b]: 1      node 3 = [1 of c]: 1      node 4 = 2 + 3 * [1 of a]: 1 to 2
    wanted      node 4: 2                 node 3: 2 - 1 = 1         node 2: 2, which it cannot have
    so          [1 of b] is impossible: b is safe; the term without [1 of a] is impossible: a is a mine

A group is safe if none of its leaves is in a possible term.

A term *omits* a group that it does not have, neither in its leaf nor below its factors, while another term of the same
node does.  A group that the root has is full of mines if all its leaves in possible terms take all its cells, and no
possible term omits it.  The condition is necessary: every possible term is in an assignment with the total, and the
group has no mine there if the term omits it.  The condition is also sufficient.  An assignment with some mines in the
group, but not in all its cells, takes a leaf that the condition rules out.  So take one in which the group has no mine,
and follow it from the root down, always into the factor that has the group.  It cannot end at a leaf of the group,
because a leaf takes at least one mine.  So it comes to a possible term that omits the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mines_dd.base.arrays import BoolArray, LongArray
from mines_dd.base.jit import kernel
from mines_dd.diagrams.circuit import TRUE
from mines_dd.diagrams.runs import Runs
from mines_dd.diagrams.tilting import Forest

__all__ = ["Possible"]


_WORD = 64  # groups that one pass over masks looks at


class _Sets(NamedTuple):
    """Node i has the runs first[j] to last[j] for j from begin[i] to end[i]."""

    begin: LongArray
    end: LongArray
    first: LongArray
    last: LongArray


@kernel
def _insert(first, last, count, a, b):
    """Add the run a to b to `count` runs; return how many runs there are then."""
    high = count
    while high > 0 and first[high - 1] > b + 1:
        high -= 1
    low = high
    while low > 0 and last[low - 1] >= a - 1:
        low -= 1
        a = min(a, first[low])
        b = max(b, last[low])
    if low == high:
        for i in range(count, low, -1):
            first[i] = first[i - 1]
            last[i] = last[i - 1]
        count += 1
    elif high - low > 1:
        for i in range(high, count):
            first[i - high + low + 1] = first[i]
            last[i - high + low + 1] = last[i]
        count -= high - low - 1
    first[low] = a
    last[low] = b
    return count


@kernel
def _append(first, last, used, low, high, count):
    """Put `count` runs behind the `used` ones; return how many there are then."""
    for i in range(count):
        first[used + i] = low[i]
        last[used + i] = high[i]
    return used + count


@kernel
def _numbers(rows, taken, sets, from_node, used, low, high):
    """Compute the numbers of each node from `from_node` on; return the first node for which there is no room."""
    start, left, right, leaf = rows
    begin, end, first, last = sets
    for node in range(from_node, len(start) - 1):
        count = 0
        for t in range(start[node], start[node + 1]):
            k = taken[leaf[t]]
            for i in range(begin[left[t]], end[left[t]]):
                for j in range(begin[right[t]], end[right[t]]):
                    count = _insert(low, high, count, first[i] + first[j] + k, last[i] + last[j] + k)
                    if count + 1 >= len(low):
                        return node, used
        if used + count > len(first):
            return node, used
        begin[node] = used
        used = _append(first, last, used, low, high, count)
        end[node] = used
    return len(start) - 1, used


@kernel
def _occurrences(rows, begin, term, parent):
    """List for each node the terms that it is a factor of, with their nodes."""
    start, left, right, _ = rows
    for t in range(len(left)):
        begin[left[t] + 2] += 1
        begin[right[t] + 2] += 1
    for node in range(2, len(begin)):
        begin[node] += begin[node - 1]
    for node in range(2, len(start) - 1):
        for t in range(start[node], start[node + 1]):
            for factor in (left[t], right[t]):
                at = begin[factor + 1]
                term[at] = t
                parent[at] = node
                begin[factor + 1] += 1


@kernel
def _wanted(rows, taken, numbers, occurrences, wanted, is_root, from_node, used, low, high):
    """Compute the wanted numbers of each node from `from_node` down; return the first node without room."""
    _, left, right, leaf = rows
    begin, end, first, last = numbers
    at, term, parent = occurrences
    begin_wanted, end_wanted, first_wanted, last_wanted = wanted
    for node in range(from_node, TRUE, -1):
        if is_root[node] or begin[node] == end[node]:
            continue
        least = first[begin[node]]
        most = last[end[node] - 1]
        count = 0
        for i in range(at[node], at[node + 1]):
            t = term[i]
            above = parent[i]
            other = right[t] if left[t] == node else left[t]
            k = taken[leaf[t]]
            for w in range(begin_wanted[above], end_wanted[above]):
                for j in range(begin[other], end[other]):
                    a = max(least, first_wanted[w] - k - last[j])
                    b = min(most, last_wanted[w] - k - first[j])
                    if a <= b:
                        count = _insert(low, high, count, a, b)
                        if count + 1 >= len(low):
                            return node, used
        if used + count > len(first_wanted):
            return node, used
        begin_wanted[node] = used
        used = _append(first_wanted, last_wanted, used, low, high, count)
        end_wanted[node] = used
    return TRUE, used


@kernel
def _possible(rows, taken, numbers, wanted, possible):
    """Mark the terms that have a wanted number."""
    start, left, right, leaf = rows
    begin, end, first, last = numbers
    begin_wanted, end_wanted, first_wanted, last_wanted = wanted
    for node in range(2, len(start) - 1):
        for t in range(start[node], start[node + 1]):
            k = taken[leaf[t]]
            for i in range(begin[left[t]], end[left[t]]):
                for j in range(begin[right[t]], end[right[t]]):
                    for w in range(begin_wanted[node], end_wanted[node]):
                        if first[i] + first[j] + k <= last_wanted[w] and last[i] + last[j] + k >= first_wanted[w]:
                            possible[t] = True


@kernel
def _omitted(rows, possible, bit, mask):
    """Return the bits of the groups that a possible term omits."""
    start, left, right, leaf = rows
    omitted = bit[0]
    for node in range(2, len(start) - 1):
        whole = bit[0]
        for t in range(start[node], start[node + 1]):
            whole |= mask[left[t]] | mask[right[t]] | bit[leaf[t]]
        mask[node] = whole
        for t in range(start[node], start[node + 1]):
            if possible[t]:
                omitted |= whole & ~(mask[left[t]] | mask[right[t]] | bit[leaf[t]])
    return omitted


class Possible:
    """The numbers of mines that the nodes of a forest can have.

    Attributes
    ----------
    of_roots : list of Runs
        The possible numbers of mines of each circuit.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> possible = Possible(Forest.of([solve(Board.parse("#1#1#"), "zdd").circuit]))
    >>> possible.of_roots
    [[(1, 2)]]
    >>> terms = possible.terms([[(2, 2)]])
    >>> possible.safe_groups(terms).tolist(), possible.full_groups(terms, [0, 1, 2], [1, 1, 1])
    ([False, True, False], [0, 2])
    """

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        nodes = len(forest.rows.start) - 1
        self._numbers = _no_sets(nodes, 2 * nodes + 8)
        self._numbers.end[TRUE] = 1  # the run 0 to 0
        scratch, node, used = 64, 2, 1
        while node < nodes:
            low, high = np.zeros(scratch, np.int64), np.zeros(scratch, np.int64)
            node, used = _numbers.run(
                3 * len(forest.rows.left), forest.rows, forest.leaf_taken, self._numbers, node, used, low, high
            )
            if node < nodes:
                scratch *= 2
                self._numbers = _with_more_room(self._numbers)
        begin, end, first, last = self._numbers
        self.of_roots: list[Runs] = [
            list(zip(first[begin[r] : end[r]].tolist(), last[begin[r] : end[r]].tolist(), strict=True))
            for r in forest.roots.tolist()
        ]

    def terms(self, wanted: Sequence[Runs]) -> BoolArray:
        """Return which terms are possible.

        Parameters
        ----------
        wanted : sequence of Runs
            For each circuit the numbers of mines with which the rest of the board can reach the total.
        """
        forest = self._forest
        rows, nodes = forest.rows, len(forest.rows.start) - 1
        work = 3 * len(rows.left)
        begin, term, parent = np.zeros(nodes + 2, np.int64), *np.zeros((2, 2 * len(rows.left)), np.int64)
        _occurrences.run(work, rows, begin, term, parent)
        sets = _no_sets(nodes, 2 * nodes + 8 + sum(map(len, wanted)))
        is_root = np.zeros(nodes, np.bool_)
        used = 0
        for root, runs in zip(forest.roots.tolist(), wanted, strict=True):
            is_root[root] = True
            sets.begin[root] = used
            for sets.first[used], sets.last[used] in runs:  # type: ignore[misc]
                used += 1
            sets.end[root] = used
        scratch, node = 64, nodes - 1
        while node > TRUE:
            low, high = np.zeros(scratch, np.int64), np.zeros(scratch, np.int64)
            occurrences = begin, term, parent
            node, used = _wanted.run(
                work, rows, forest.leaf_taken, self._numbers, occurrences, sets, is_root, node, used, low, high
            )
            if node > TRUE:
                scratch *= 2
                sets = _with_more_room(sets)
        possible = np.zeros(len(rows.left), np.bool_)
        _possible.run(work, rows, forest.leaf_taken, self._numbers, sets, possible)
        return possible

    def safe_groups(self, terms: BoolArray) -> BoolArray:
        """Return for each group whether no possible term has a mine in it."""
        safe = np.ones(self._forest.first_group[-1], np.bool_)
        leaves = np.unique(self._forest.rows.leaf[terms])
        safe[self._forest.leaf_group[leaves[leaves > 0]]] = False
        return safe

    def full_groups(self, terms: BoolArray, groups: Sequence[int], sizes: Sequence[int]) -> list[int]:
        """Return those of some groups, of these sizes, that consist of mines whatever possible terms are chosen."""
        forest = self._forest
        size = np.zeros(forest.first_group[-1] + 1, np.int64)
        size[list(groups)] = sizes
        leaves = np.unique(forest.rows.leaf[terms])
        less = leaves[forest.leaf_taken[leaves] < size[forest.leaf_group[leaves]]]
        partly = set(forest.leaf_group[less].tolist())
        chosen = [group for group in groups if group not in partly]
        found: list[int] = []
        for at in range(0, len(chosen), _WORD):
            some = chosen[at : at + _WORD]
            bit_of_group = np.zeros(forest.first_group[-1] + 1, np.uint64)  # the last one is that of the empty leaf, -1
            bit_of_group[some] = np.uint64(1) << np.arange(len(some), dtype=np.uint64)
            mask = np.zeros(len(forest.rows.start) - 1, np.uint64)
            bit = bit_of_group[forest.leaf_group]
            omitted = int(_omitted.run(2 * len(terms), forest.rows, terms, bit, mask))
            mentioned = int(np.bitwise_or.reduce(mask[forest.roots]))
            found += [g for i, g in enumerate(some) if mentioned >> i & 1 and not omitted >> i & 1]
        return found


def _no_sets(nodes: int, runs: int) -> _Sets:
    return _Sets(*np.zeros((2, nodes), np.int64), *np.zeros((2, runs), np.int64))


def _with_more_room(sets: _Sets) -> _Sets:
    more = np.zeros(len(sets.first), np.int64)
    return sets._replace(first=np.append(sets.first, more), last=np.append(sets.last, more))
