"""A few openings ahead: the guess after which most layouts survive.

The measure is the number of layouts that survive so many more openings by the best play, safe openings counted too.
A safe cell, if there is one, is opened first: that loses nothing.  Otherwise each candidate is opened in thought, and
each number that it may show weighed.  One opening less deep gives an upper bound, by which most of them need no look.
"""

from __future__ import annotations

import numpy as np

from mines_dd.jit import kernel
from mines_dd.play.border import CLOSED, FLAGGED, around, weigh

__all__ = ["ranked", "surviving"]


@kernel
def ranked(field, seen, chance, opening, rank):
    """Fill in the rank of every closed cell, and return the first of the highest."""
    best = -1
    for cell in range(seen.size):
        rank[cell] = 0.0
        if seen[cell] != CLOSED:
            continue
        safe = 1 - chance[cell]
        empty = 1.0
        for i in range(field.degree[cell]):
            other = field.near[cell, i]
            if seen[other] == FLAGGED:
                empty = 0.0
            elif seen[other] == CLOSED:
                empty *= 1 - chance[other]
        rank[cell] = safe * (1 + opening * empty)
        if best < 0 or rank[cell] > rank[best]:
            best = cell
    return best


@kernel
def _candidates(field, seen, chance, policy, found):
    """Fill in the cells to look at, those of highest rank first, and return their number."""
    rank = np.empty(seen.size)
    ranked(field, seen, chance, policy.opening, rank)
    away = np.zeros(seen.size)
    for cell in range(seen.size):
        if rank[cell] > 0:
            hints = 0
            for i in range(field.degree[cell]):
                hints += seen[field.near[cell, i]] >= 0
            if hints == 0:
                away[cell] = rank[cell]
                rank[cell] = 0.0
    for _ in range(policy.sea):
        best = np.argmax(away)
        rank[best] = max(rank[best], away[best])
        away[best] = 0.0
    n = 0
    while n < policy.breadth:
        best = np.argmax(rank)
        if rank[best] <= 0:
            break
        rank[best] = 0.0
        found[n] = best
        n += 1
    return n


@kernel
def surviving(field, seen, mines, chance, total, policy, depth, need, room):
    """The layouts that survive so many more openings by the best play, and the cell opened first.

    What is no more than `need` is not told from it.  When `room[0]` states are used up, it looks no further.  `seen`
    is changed and put back.
    """
    first = np.argmin(chance)
    safe = (chance == 0.0).sum()
    if safe >= depth:
        return total, first
    if depth == 1 or room[0] <= 0:
        return total * (1 - chance[first]), first
    found = np.empty(policy.breadth, np.int64)
    found[0] = first
    n = 1
    if safe == 0:
        n = _candidates(field, seen, chance, policy, found)
    # First one opening less deep: an upper bound for each candidate, from the safety of each position it leads to.
    lowest = np.zeros(n, np.int64)
    weight = np.zeros((n, 9))
    bound = np.zeros((n, 9))
    bounds = np.zeros(n)
    then = np.empty(seen.size)
    best = need
    best_cell = found[0]
    for c in range(n):
        if room[0] <= 0 and c:
            break
        cell = found[c]
        closed, lowest[c] = around(field, seen, cell)
        bounds[c] = total * (1 - chance[cell])
        for k in range(closed + 1):
            if bounds[c] <= best:
                break
            seen[cell] = lowest[c] + k
            weight[c, k], states = weigh(field, seen, mines, then)
            room[0] -= states
            if weight[c, k] > 0.0:
                bound[c, k] = weight[c, k] * (1 - then.min())
                bounds[c] -= weight[c, k] - bound[c, k]
        seen[cell] = CLOSED
        if depth == 2 and bounds[c] > best:
            best = bounds[c]
            best_cell = cell
    if depth == 2:
        return best, best_cell
    for _ in range(n):
        at = np.argmax(bounds)
        value = bounds[at]
        if value <= best:
            break
        bounds[at] = need
        cell = found[at]
        for k in range(9):
            if weight[at, k] <= 0.0:
                continue
            seen[cell] = lowest[at] + k
            # Weighed again, as few are looked at so closely that to keep all their probabilities would pay.
            here, states = weigh(field, seen, mines, then)
            room[0] -= states
            value -= bound[at, k]
            got, _ = surviving(field, seen, mines, then, here, policy, depth - 1, best - value, room)
            value += got
            seen[cell] = CLOSED
            if value <= best:
                break
        if value > best:
            best = value
            best_cell = cell
    return best, best_cell
