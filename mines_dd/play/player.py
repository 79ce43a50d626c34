"""One game, played to its end by a policy; compiled.

Where single hints or the probabilities (`border`) make cells certain, every policy opens and flags them.  Where nothing
is certain a policy chooses; the policies are these few numbers, so that a new one is one line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.jit import kernel
from mines_dd.play.ahead import look_ahead, ranked
from mines_dd.play.border import CLOSED, KNOWN_MINE, LEFT_OUT, Field, around, weigh
from mines_dd.play.endgame import MINE, layouts_of, most_wins

__all__ = ["POLICIES", "Policy", "choose", "deduce", "open_cells", "play", "play_game"]


class Policy(NamedTuple):
    """How to choose where nothing is certain.

    Attributes
    ----------
    opening : float
        Cells are ranked by P(safe) * (1 + opening * P(shows 0)), the second taken as if neighbours were independent.
    breadth, sea : int
        So many cells of highest rank are looked at, among them so many away from all hints: the one with the best
        prospects is opened (`ahead`).  With a breadth of 0 the cell of highest rank is.
    doubt : float
        The chance that a cell opened next does not help; see `ahead`.
    rare : float
        A 50/50 is not looked at where it seems no likelier than this (as if cells were independent).
    states : int
        When the positions weighed have had so many states, it looks no further.
    layouts, positions : int
        A position with no more layouts than this is searched to its end, if that takes no more positions than this.
    region : int
        A region with no more cells than this that the rest of the board does not depend on is searched by itself.
    """

    opening: float = 1e-9
    breadth: int = 0
    sea: int = 1
    doubt: float = 0.5
    rare: float = 0.005
    states: int = 1_000_000
    layouts: int = 0
    positions: int = 0
    region: int = 0


POLICIES = {
    "safest": Policy(),
    "endgame": Policy(layouts=400, positions=50_000, region=40),
    "ahead": Policy(opening=0.03, breadth=12),
    "best": Policy(opening=0.03, breadth=12, layouts=8000, positions=1_000_000, region=40),
}
"""`safest`: the safest cell, of equal ones the likeliest opening; `endgame`: the same and a search at the end;
`ahead`: the best prospects after it; `best`: the same and a search of longer ends."""


def play_game(field: Field, mine: npt.NDArray[np.bool_], first: int, policy: Policy) -> tuple[bool, int, Any]:
    """Play one game.

    Parameters
    ----------
    field : Field
    mine : bool[N]
        The layout, without a mine at `first`.
    first : int
        The cell opened first.
    policy : Policy

    Returns
    -------
    won : bool
    guesses : int
        How often nothing was certain, the first cell not counted.
    seen : int64[N]
        The last position; the mine that ended a lost game is `CLOSED`.
    """
    seen = np.full(mine.size, CLOSED)
    won, guesses = play.run(1_000_000, field, mine, first, policy, np.empty(mine.size), seen)
    return bool(won), int(guesses), seen


@kernel
def open_cells(field, mine, seen, queue, length):
    """Open the cells of `queue[:length]`, around a 0 all others too; return how many were opened, -1 at a mine."""
    opened = 0
    while length:
        length -= 1
        cell = queue[length]
        if seen[cell] >= 0:
            continue
        if mine[cell]:
            return -1
        around = 0
        for i in range(field.degree[cell]):
            if mine[field.neighbours[cell, i]]:
                around += 1
        seen[cell] = around
        opened += 1
        if around == 0:
            for i in range(field.degree[cell]):
                other = field.neighbours[cell, i]
                if seen[other] == CLOSED:
                    queue[length] = other
                    length += 1
    return opened


@kernel
def deduce(field, mine, seen, queue):
    """Open and flag what single hints make certain until nothing is left; return the cells opened."""
    opened = 0
    changed = True
    while changed:
        changed = False
        for cell in range(seen.size):
            if seen[cell] <= 0:
                continue
            closed, flagged = around(field, seen, cell)
            rest = seen[cell] - flagged
            if closed == 0:
                continue
            if rest == closed:
                for i in range(field.degree[cell]):
                    if seen[field.neighbours[cell, i]] == CLOSED:
                        seen[field.neighbours[cell, i]] = KNOWN_MINE
                changed = True
            elif rest == 0:
                for i in range(field.degree[cell]):
                    if seen[field.neighbours[cell, i]] == CLOSED:
                        queue[0] = field.neighbours[cell, i]
                        opened += open_cells(field, mine, seen, queue, 1)
                changed = True
    return opened


@kernel
def play(field, mine, first, policy, chance, seen):
    """Play one game in the arrays `chance` and `seen`: (1 if it is won or else 0, guesses); see `play_game`."""
    cells = mine.size
    mines = 0
    for cell in range(cells):
        mines += mine[cell]
        seen[cell] = CLOSED
    queue = np.empty(8 * cells + 1, np.int64)
    queue[0] = first
    left = cells - mines - open_cells(field, mine, seen, queue, 1)
    guesses = 0
    while True:
        left -= deduce(field, mine, seen, queue)
        if left == 0:
            return 1, guesses
        flagged = 0
        for cell in range(cells):
            if seen[cell] == KNOWN_MINE:
                flagged += 1
        total, _ = weigh(field, seen, mines - flagged, chance)
        if total <= 0.0:
            return 0, guesses
        certain = False
        for cell in range(cells):
            if chance[cell] == 1.0:
                seen[cell] = KNOWN_MINE
                certain = True
        for cell in range(cells):
            if chance[cell] == 0.0:
                queue[0] = cell
                left -= open_cells(field, mine, seen, queue, 1)
                certain = True
        if certain:
            continue
        guesses += 1
        queue[0] = choose(field, seen, mines - flagged, chance, total, policy)
        opened = open_cells(field, mine, seen, queue, 1)
        if opened < 0:
            return 0, guesses
        left -= opened


@kernel
def choose(field, seen, mines, chance, total, policy):
    """The cell that a policy opens where nothing is certain."""
    cells = seen.size
    if policy.region:
        best = _separate(field, seen, policy)
        if best >= 0:
            return best
    if total <= policy.layouts:
        closed, shown = layouts_of(field, seen, mines, policy.layouts)
        if shown.shape[1]:
            wins, best = most_wins(shown, policy.positions)
            if wins >= 0:
                return closed[max(best, 0)]
    if policy.breadth == 0 or (seen == CLOSED).sum() - mines == 1:  # with the last safe cell the game is won
        return ranked(field, seen, chance, policy.opening, np.empty(cells))
    return look_ahead(field, seen.copy(), mines, chance, total, policy)


@kernel
def _separate(field, seen, policy):
    """A cell of a region that the rest does not depend on, by a search of the region alone; -1 if there is none.

    A region is closed cells that hints or neighbourhood connect.  If its mines number the same in all its assignments,
    the rest learns nothing from it and it nothing from the rest: the chances to win multiply, in any order of play.
    """
    part = np.full(seen.size, -1, np.int64)
    queue = np.empty(seen.size, np.int64)
    for root in range(seen.size):
        if seen[root] != CLOSED or part[root] >= 0:
            continue
        part[root] = root
        queue[0] = root
        n = 1
        at = 0
        while at < n:
            cell = queue[at]
            at += 1
            for i in range(field.degree[cell]):
                near = field.neighbours[cell, i]
                if seen[near] == CLOSED and part[near] < 0:
                    part[near] = root
                    queue[n] = near
                    n += 1
                elif seen[near] > 0:
                    for j in range(field.degree[near]):
                        other = field.neighbours[near, j]
                        if seen[other] == CLOSED and part[other] < 0:
                            part[other] = root
                            queue[n] = other
                            n += 1
        if n > policy.region:
            continue
        alone = seen.copy()
        for cell in range(seen.size):
            if seen[cell] == CLOSED and part[cell] != root:
                alone[cell] = LEFT_OUT
        closed, shown = layouts_of(field, alone, -1, policy.layouts)
        if shown.shape[1] == 0:
            continue
        fixed = True
        first = (shown[:, 0] == MINE).sum()
        for i in range(1, shown.shape[1]):
            if (shown[:, i] == MINE).sum() != first:
                fixed = False
                break
        if fixed:
            wins, best = most_wins(shown, policy.positions)
            if wins >= 0:
                return closed[max(best, 0)]
    return -1
