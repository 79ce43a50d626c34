"""The guess with the best prospects, by a look at each position that it may lead to.

Each candidate is opened in thought, and each number that it may show weighed: by its chance, and by that of surviving
what comes next.  To open the safest cell next may not help, and then the second safest has to be opened, and so on; so
they are all counted in, each with less weight.  (Counting the safest alone, as is usual, wins fewer games.)
"""

from __future__ import annotations

import numpy as np

from mines_dd.jit import kernel
from mines_dd.play.border import CLOSED, FLAGGED, around, weigh

__all__ = ["look_ahead", "ranked"]

_NEXT = 8  # so many of the safest cells are weighed by `_prospect`


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
def look_ahead(field, seen, mines, chance, total, policy):
    """The guess with the best prospects, where no cell is safe.  `seen` is changed and put back."""
    found = np.empty(policy.breadth, np.int64)
    n = _candidates(field, seen, chance, policy, found)
    then = np.empty(seen.size)
    best = 0.0
    best_cell = np.argmin(chance)
    room = policy.states
    for i in range(n):
        cell = found[i]
        closed, flagged = around(field, seen, cell)
        value = total * (1 - chance[cell])  # an upper bound that shrinks
        for number in range(flagged, flagged + closed + 1):
            if value <= best or room <= 0:
                break
            seen[cell] = number
            layouts, states = weigh(field, seen, mines, then)
            room -= states
            if layouts > 0.0:
                value -= layouts * (1 - _prospect(field, then, policy.doubt))
        seen[cell] = CLOSED
        if room <= 0:
            break
        if value > best:
            best = value
            best_cell = cell
    return best_cell


@kernel
def _prospect(field, chance, doubt):
    """The chance to survive the opening that helps: the safest cell's, by chance `doubt` the next one's, and so on.

    Cells with nothing uncertain next to them are passed over, if there are others: they tell nothing.
    """
    low = np.empty(_NEXT)
    n = 0
    for cell in range(chance.size):
        if chance[cell] > 1.0 or (n == _NEXT and chance[cell] >= low[n - 1]):
            continue
        tells = False
        for i in range(field.degree[cell]):
            tells |= 0.0 < chance[field.near[cell, i]] < 1.0
        if not tells:
            continue
        n = min(n + 1, _NEXT)
        place = n - 1
        while place and low[place - 1] > chance[cell]:
            low[place] = low[place - 1]
            place -= 1
        low[place] = chance[cell]
    if n == 0:
        return 1 - chance.min()
    risk = low[n - 1]
    for i in range(n - 2, -1, -1):
        risk = (1 - doubt) * low[i] + doubt * risk
    return 1 - risk
