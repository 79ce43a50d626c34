"""Elimination orders by least fill or least degree.

References
----------
H. L. Bodlaender, A. M. C. A. Koster, "Treewidth computations I. Upper bounds", Information and Computation 208, 2010
(min-fill).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.graph import Instance, IntArray
from mines_dd.jit import kernel

__all__ = ["eliminated", "neighbours"]


def neighbours(instance: Instance) -> tuple[npt.NDArray[np.int64], IntArray]:
    """The hint graph in compressed rows: hints are adjacent if they share a cell."""
    n = len(instance.hints)
    cell_start, cell_hint = instance.cell_rows
    owner = np.repeat(np.arange(n), np.diff(instance.start))
    counts = np.diff(cell_start)[instance.member]
    first = np.repeat(cell_start[instance.member], counts) + _ramps(counts)
    pairs = np.unique(np.repeat(owner, counts) * n + cell_hint[first])
    one, other = pairs // n, pairs % n
    different = one != other
    start = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(one[different], minlength=n), out=start[1:])
    return start, other[different].astype(np.int32)


def _ramps(counts: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """0, 1, ..., c - 1 for each count c, one after the other."""
    ends = np.cumsum(counts)
    ramps: npt.NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    return ramps


def eliminated(
    instance: Instance, rows: tuple[npt.NDArray[np.int64], IntArray], by_degree: bool, seed: int
) -> IntArray:
    """Return the hints in the order of elimination by least fill or degree, ties broken by the seed."""
    start, neighbour = rows
    n = len(start) - 1
    order = np.zeros(n, np.int32)
    if seed == 0:  # of hints with equal fill first the one that remembers least
        least, most = instance.count_range
        ties = np.clip(most - least + np.diff(instance.start), 0, 1023).astype(np.int64)
    else:
        ties = np.random.Generator(np.random.PCG64(seed)).integers(0, 1024, n)
    _min_fill.run(60 * len(neighbour), start, neighbour, ties, by_degree, order)
    return order


@kernel
def _slot(pairs, key):
    """Where a pair is, or should go, in the hash set."""
    last = len(pairs) - 1
    h = key * 6364136223846793005
    h = (h ^ (h >> 32)) * 2862933555777941757
    slot = ((h ^ (h >> 29)) & 0x7FFFFFFFFFFFFFFF) & last
    while pairs[slot] >= 0 and pairs[slot] != key:
        slot = (slot + 1) & last
    return slot


@kernel
def _adjacent(pairs, n, a, b):
    return pairs[_slot(pairs, min(a, b) * n + max(a, b))] >= 0


@kernel
def _set_key(tree, leaves, v, key):
    """Change a priority; the root of the tree holds the least."""
    i = leaves + v
    tree[i] = key
    i >>= 1
    while i >= 1:
        least = min(tree[2 * i], tree[2 * i + 1])
        if tree[i] == least:
            break
        tree[i] = least
        i >>= 1


@kernel
def _min_fill(start, neighbour, ties, by_degree, order):
    """Eliminate greedily.

    The fill of a vertex, the number of pairs of its neighbours that are not adjacent, is kept up to date: a new edge
    (a, b) takes one from each common neighbour and gives a one for each neighbour that b lacks; a vertex that goes
    takes from each neighbour what that pair lacked.
    """
    n = len(start) - 1
    far = np.int64(1) << 62
    size = 64
    while size < 4 * len(neighbour) + 64:
        size *= 2
    pairs = np.full(size, np.int64(-1))
    n_pairs = 0
    first = np.zeros(n, np.int64)
    degree = np.zeros(n, np.int64)
    room = np.zeros(n, np.int64)
    pool = np.zeros(2 * len(neighbour) + 8 * n + 64, np.int64)
    used = 0
    for v in range(n):
        first[v] = used
        degree[v] = start[v + 1] - start[v]
        room[v] = degree[v] + 4
        for i in range(degree[v]):
            w = np.int64(neighbour[start[v] + i])
            pool[used + i] = w
            if v < w:
                key = v * np.int64(n) + w
                pairs[_slot(pairs, key)] = key
                n_pairs += 1
        used += room[v]
    fill = np.zeros(n, np.int64)
    leaves = 1
    while leaves < n:
        leaves *= 2
    tree = np.full(2 * leaves, far)
    for v in range(n):
        if not by_degree:
            for i in range(degree[v]):
                for j in range(i):
                    if not _adjacent(pairs, n, pool[first[v] + i], pool[first[v] + j]):
                        fill[v] += 1
        tree[leaves + v] = ((degree[v] if by_degree else fill[v]) << 10) + ties[v]
    for i in range(leaves - 1, 0, -1):
        tree[i] = min(tree[2 * i], tree[2 * i + 1])
    for step in range(n):
        i = 1
        while i < leaves:
            i = 2 * i if tree[2 * i] == tree[i] else 2 * i + 1
        v = i - leaves
        order[step] = v
        _set_key(tree, leaves, v, far)
        # v leaves its neighbours
        for i in range(degree[v]):
            a = pool[first[v] + i]
            place = 0
            for j in range(degree[a]):
                w = pool[first[a] + j]
                if w == v:
                    place = j
                elif not by_degree and not _adjacent(pairs, n, v, w):
                    fill[a] -= 1
            degree[a] -= 1
            pool[first[a] + place] = pool[first[a] + degree[a]]
        # its neighbours become a clique
        for i in range(degree[v]):
            a = pool[first[v] + i]
            for j in range(i):
                b = pool[first[v] + j]
                if _adjacent(pairs, n, a, b):
                    continue
                if not by_degree:
                    for k in range(degree[a]):
                        w = pool[first[a] + k]
                        if _adjacent(pairs, n, b, w):
                            fill[w] -= 1
                            _set_key(tree, leaves, w, (fill[w] << 10) + ties[w])
                        else:
                            fill[a] += 1
                    for k in range(degree[b]):
                        if not _adjacent(pairs, n, a, pool[first[b] + k]):
                            fill[b] += 1
                for x, y in ((a, b), (b, a)):
                    if degree[x] == room[x]:
                        if used + 2 * room[x] > len(pool):
                            longer = np.zeros(2 * len(pool) + 2 * room[x], np.int64)
                            longer[:used] = pool[:used]
                            pool = longer
                        for k in range(degree[x]):
                            pool[used + k] = pool[first[x] + k]
                        first[x] = used
                        room[x] *= 2
                        used += room[x]
                    pool[first[x] + degree[x]] = y
                    degree[x] += 1
                if 2 * n_pairs > len(pairs):
                    old = pairs
                    pairs = np.full(2 * len(old), np.int64(-1))
                    for k in range(len(old)):
                        if old[k] >= 0:
                            pairs[_slot(pairs, old[k])] = old[k]
                key = min(a, b) * np.int64(n) + max(a, b)
                pairs[_slot(pairs, key)] = key
                n_pairs += 1
        for i in range(degree[v]):
            a = pool[first[v] + i]
            _set_key(tree, leaves, a, ((degree[a] if by_degree else fill[a]) << 10) + ties[a])
