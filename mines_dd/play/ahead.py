"""The guess with the best prospects, by a look at each position that it may lead to.

Each candidate is opened in thought.  Each number that it may show is weighed by its chance and by the chance to survive
what comes next.  Next comes the safest cell; where it does not help the second safest has to be opened, and so on.  All
of them count, each with less weight.  (Counting the safest alone, as is usual, wins fewer games.)

A 50/50 is a set of cells, some with mines and some without, that can be swapped without changing any number outside::

    * n n |      The open cells n touch both unknown cells of the last row, so they count one mine either way.  Cells
    * ? ? |      that touch just one of them could tell: here these are mines or off the board.  So of each two layouts
    ------+      that differ in nothing else, no play wins both.

Who dies in a 50/50 loses nothing that would not be lost later.  So the layouts in which a cell is a mine of a 50/50
count as if its opening survived.  It need not be certain that there is a 50/50: the layouts with one are counted.
(D. Hill's solver does the same.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mines_dd.base.jit import kernel
from mines_dd.play.border import weigh
from mines_dd.play.field import CLOSED, KNOWN_MINE, LEFT_OUT, around

__all__ = ["Worth", "candidates", "look_ahead", "lost_anyway", "ranked", "worth_of"]

_NEXT = 8  # how many of the safest cells `_prospect` weighs; with a doubt of 0.5 the last has the weight 1/128


@kernel
def ranked(field, seen, chance, opening, rank):
    """Fill in the rank of every closed cell, and return the first of the highest.

    The rank is the chance to be safe, times 1 + `opening` times the chance to show 0 (as if cells were independent).

    Examples
    --------
    >>> from mines_dd.play.field import make_field
    >>> rank = np.empty(3)
    >>> int(ranked.run(100, make_field(1, 3, 1), np.array([CLOSED, CLOSED, 0]), np.array([0.75, 0.25, 2.0]), 0.0, rank))
    1
    >>> rank.tolist()
    [0.25, 0.75, 0.0]
    """
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
def lost_anyway(field, seen, mines, chance, layouts, policy):
    """Return for each cell the share of the layouts with a mine there that is half of a 50/50: lost by any play.

    The first row has the shares of all its 50/50s added up, at most the chance of a mine: a layout may be in several.
    The second has the greatest share of a single one.

    Examples
    --------
    Of two neighbours one is a mine, and no number tells which.

    >>> from mines_dd.play.field import make_field
    >>> from mines_dd.play.player import Policy
    >>> seen = np.array([CLOSED, CLOSED])
    >>> lost_anyway.run(1000, make_field(1, 2, 1), seen, 1, np.array([0.5, 0.5]), 2.0, Policy()).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    share = np.zeros((2, seen.size))
    budget = policy.states
    supposed = seen.copy()
    then = np.empty(seen.size)
    for i in range(field.fifty_fifties.shape[0]):
        if budget <= 0 or _likelihood(field, i, seen, chance) <= policy.rare:
            continue
        cells = field.fifty_fifties[i]
        unknown = mines
        for j in range(cells.size):
            if cells[j] >= 0 and seen[cells[j]] == CLOSED:
                supposed[cells[j]] = LEFT_OUT if _ONE <= j < _OTHER else KNOWN_MINE
                unknown -= supposed[cells[j]] == KNOWN_MINE
        lost, states = weigh(field, supposed, unknown, then, budget)
        budget -= states
        for j in range(cells.size):
            if cells[j] >= 0:
                supposed[cells[j]] = seen[cells[j]]
                if j < _OTHER and lost > 0.0:
                    share[0, cells[j]] += lost / layouts
                    share[1, cells[j]] = max(share[1, cells[j]], lost / layouts)
    for cell in range(seen.size):
        share[0, cell] = min(share[0, cell], chance[cell])
    return share


# In a row of `fifty_fifties`: where the cells with a mine end, and those without one.
_ONE, _OTHER = 2, 4


@kernel
def _likelihood(field, i, seen, chance):
    """How likely 50/50 number i seems, as if cells were independent; 0.0 if an open cell or known mine rules it out."""
    one = 1.0
    other = 1.0
    telling = 1.0
    for j in range(field.fifty_fifties.shape[1]):
        cell = field.fifty_fifties[i, j]
        if cell < 0:
            continue
        if seen[cell] != CLOSED:
            if j < _OTHER or seen[cell] != KNOWN_MINE:
                telling = 0.0
        elif j < _ONE:
            one *= chance[cell]
        elif j < _OTHER:
            other *= chance[cell]
        else:
            telling *= chance[cell]
    return min(one, other) * telling


@kernel
def candidates(field, seen, chance, lost, policy, found):
    """Fill in the cells to look at, those of highest rank first, and return their number.

    Examples
    --------
    Of two neighbours next to no hint as many are looked at as the policy says of the sea.

    >>> from mines_dd.play.field import make_field
    >>> from mines_dd.play.player import Policy
    >>> field, seen, found = make_field(1, 2, 1), np.full(2, CLOSED), np.empty(9, np.int64)
    >>> int(candidates.run(100, field, seen, np.full(2, 0.5), np.zeros(2), Policy(breadth=9, sea=1), found))
    1
    """
    rank = np.empty(seen.size)
    ranked(field, seen, chance, policy.opening, rank)
    rank += lost
    of_sea = np.zeros(seen.size)
    for cell in range(seen.size):
        if rank[cell] > 0:
            hints = 0
            for i in range(field.degree[cell]):
                hints += seen[field.neighbours[cell, i]] >= 0
            if hints == 0:
                of_sea[cell] = rank[cell]
                rank[cell] = 0.0
    for _ in range(policy.sea):
        best = np.argmax(of_sea)
        rank[best] = max(rank[best], of_sea[best])
        of_sea[best] = 0.0
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
def look_ahead(field, seen, mines, chance, layouts, policy):
    """Return the guess with the best prospects, where no cell is safe.  `seen` is changed and put back.

    Examples
    --------
    Of three cells in a row one is a mine: the outer ones tell more.

    >>> from mines_dd.play.field import make_field
    >>> from mines_dd.play.player import POLICIES
    >>> field, seen, chance = make_field(1, 3, 1), np.full(3, CLOSED), np.full(3, 1 / 3)
    >>> int(look_ahead.run(1000, field, seen, 1, chance, 3.0, POLICIES["ahead"]))
    0
    """
    found = np.empty(policy.breadth, np.int64)
    lost = lost_anyway(field, seen, mines, chance, layouts, policy)[0]
    n = candidates(field, seen, chance, lost, policy, found)
    best = 0.0
    best_cell = np.argmin(chance)
    budget = policy.states
    for i in range(n):
        cell = found[i]
        worth = worth_of(field, seen, mines, chance, layouts, lost, cell, best, policy.doubt, budget)
        budget -= worth.states
        if budget <= 0:
            break
        if worth.value > best:
            best = worth.value
            best_cell = cell
    return best_cell


class Worth(NamedTuple):
    """What is known of a guess after a look at what it may show.

    Attributes
    ----------
    value : float
        Layouts: those that survive the guess or are lost anyway, each weighed by its prospects afterwards.
    survival : float
        Layouts that survive the guess and then the opening of the safest cell.
    opening : float
        Layouts in which it shows 0.
    numbers : int
        How many different numbers it may show.
    states : int
        The states of the search.
    """

    value: float
    survival: float
    opening: float
    numbers: int
    states: int


@kernel
def worth_of(field, seen, mines, chance, layouts, lost, cell, least, doubt, states):
    """Look at what a guess may show, until its value turns out to be at most `least` or the `states` are used up.

    Then `value` is an upper bound, or more `states` are returned than were allowed.  Other arguments as for
    `look_ahead`; `lost` is the first row of what `lost_anyway` returns.

    Examples
    --------
    Of three cells in a row one is a mine.  The middle one shows 1 in both other layouts, an even guess.

    >>> from mines_dd.play.field import make_field
    >>> field, seen, chance = make_field(1, 3, 1), np.full(3, CLOSED), np.full(3, 1 / 3)
    >>> worth = worth_of.run(1000, field, seen, 1, chance, 3.0, np.zeros(3), 1, 0.0, 0.5, 1000)
    >>> float(worth.value), float(worth.survival), float(worth.opening), int(worth.numbers)
    (1.0, 1.0, 0.0, 1)
    """
    then = np.empty(seen.size)
    closed, known = around(field, seen, cell)
    safe = 1 - chance[cell]
    at_no_cost = (safe + lost[cell]) / safe
    value = layouts * safe * at_no_cost  # an upper bound that shrinks
    survival = 0.0
    opening = 0.0
    numbers = 0
    used = 0
    for number in range(known, known + closed + 1):
        if value <= least or used >= states:
            break
        seen[cell] = number
        possible, of_number = weigh(field, seen, mines, then, states - used)
        used += of_number if possible >= 0.0 else states  # given up
        if possible > 0.0:
            numbers += 1
            value -= possible * at_no_cost * (1 - _prospect(field, then, doubt))
            survival += possible * (1 - then.min())
            if number == 0:
                opening = possible
    seen[cell] = CLOSED
    return Worth(value, survival, opening, numbers, used)


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
        live = False
        for i in range(field.degree[cell]):
            live |= 0.0 < chance[field.neighbours[cell, i]] < 1.0
        if not live:
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
