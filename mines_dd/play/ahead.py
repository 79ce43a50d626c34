"""The guess with the best prospects, by a look at each position that it may lead to.

Each candidate is opened in thought, and each number that it may show weighed: by its chance, and by that of surviving
what comes next.  To open the safest cell next may not help, and then the second safest has to be opened, and so on; so
they are all counted in, each with less weight.  (Counting the safest alone, as is usual, wins fewer games.)

A 50/50 is a set of cells whose mines may change places with its other cells without any number outside changing, as all
cells that could tell are mines or off the board.  Of two such layouts no play wins both.  So to die in a 50/50 loses
nothing that would not be lost later: the layouts in which a cell is a mine of a 50/50 count as if they survived.  That
is so long before it is certain that there is one; how many layouts have one is counted.  (D. Hill's solver does alike.)
"""

from __future__ import annotations

import numpy as np

from mines_dd.base.jit import kernel
from mines_dd.play.border import CLOSED, KNOWN_MINE, LEFT_OUT, around, weigh

__all__ = ["look_ahead", "lost_anyway", "ranked"]

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
            other = field.neighbours[cell, i]
            if seen[other] == KNOWN_MINE:
                empty = 0.0
            elif seen[other] == CLOSED:
                empty *= 1 - chance[other]
        rank[cell] = safe * (1 + opening * empty)
        if best < 0 or rank[cell] > rank[best]:
            best = cell
    return best


@kernel
def lost_anyway(field, seen, mines, chance, total, policy):
    """For each cell the share of the layouts with a mine there that is half of a 50/50's: lost by any play."""
    share = np.zeros(seen.size)
    room = policy.states
    with_set = seen.copy()
    then = np.empty(seen.size)
    for i in range(field.fifty_fifties.shape[0]):
        cells = field.fifty_fifties[i]
        one = 1.0
        other = 1.0
        rest = 1.0
        for j in range(cells.size):
            if cells[j] < 0:
                continue
            if seen[cells[j]] != CLOSED:
                if j < 4 or seen[cells[j]] != KNOWN_MINE:
                    rest = 0.0
                    break
            elif j < 2:
                one *= chance[cells[j]]
            elif j < 4:
                other *= chance[cells[j]]
            else:
                rest *= chance[cells[j]]
        if min(one, other) * rest <= policy.rare or room <= 0:
            continue
        left = mines
        for j in range(cells.size):
            if cells[j] >= 0 and seen[cells[j]] == CLOSED:
                with_set[cells[j]] = LEFT_OUT if 2 <= j < 4 else KNOWN_MINE
                left -= with_set[cells[j]] == KNOWN_MINE
        layouts, states = weigh(field, with_set, left, then)
        room -= states
        for j in range(cells.size):
            if cells[j] >= 0:
                with_set[cells[j]] = seen[cells[j]]
                if j < 4 and layouts > 0.0:
                    share[cells[j]] += layouts / total
    return np.minimum(share, chance)


@kernel
def _candidates(field, seen, chance, lost, policy, found):
    """Fill in the cells to look at, those of highest rank first, and return their number."""
    rank = np.empty(seen.size)
    ranked(field, seen, chance, policy.opening, rank)
    rank += lost
    away = np.zeros(seen.size)
    for cell in range(seen.size):
        if rank[cell] > 0:
            hints = 0
            for i in range(field.degree[cell]):
                hints += seen[field.neighbours[cell, i]] >= 0
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
    lost = lost_anyway(field, seen, mines, chance, total, policy)
    n = _candidates(field, seen, chance, lost, policy, found)
    then = np.empty(seen.size)
    best = 0.0
    best_cell = np.argmin(chance)
    room = policy.states
    for i in range(n):
        cell = found[i]
        closed, flagged = around(field, seen, cell)
        safe = 1 - chance[cell]
        at_no_cost = (safe + lost[cell]) / safe
        value = total * safe * at_no_cost  # an upper bound that shrinks
        for number in range(flagged, flagged + closed + 1):
            if value <= best or room <= 0:
                break
            seen[cell] = number
            layouts, states = weigh(field, seen, mines, then)
            room -= states
            if layouts > 0.0:
                value -= layouts * at_no_cost * (1 - _prospect(field, then, policy.doubt))
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
            tells |= 0.0 < chance[field.neighbours[cell, i]] < 1.0
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
