"""One game, played to its end by a policy; compiled.

Where single hints or the probabilities (`border`) make cells certain, every policy opens them or marks them as mines.
Where nothing is certain the policy chooses.  A policy is a few numbers, so a new one is one line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.checks import require, require_flag, require_number, require_whole
from mines_dd.base.errors import MinesError
from mines_dd.base.jit import kernel
from mines_dd.play.ahead import look_ahead, ranked
from mines_dd.play.border import MOST_STATES, weigh
from mines_dd.play.endgame import most_wins
from mines_dd.play.field import CLOSED, KNOWN_MINE, LEFT_OUT, Field, around
from mines_dd.play.layouts import MINE, layouts_of

__all__ = ["POLICIES", "Policy", "best_in_region", "choose", "play_game", "require_policy"]


class Policy(NamedTuple):
    """How to choose where nothing is certain.

    Attributes
    ----------
    opening : float
        Cells are ranked by P(safe) * (1 + opening * P(shows 0)), the second taken as if neighbours were independent.
    breadth, sea : int
        How many cells of highest rank are looked at, and how many of them may be away from all hints.  The one with
        the best prospects is opened (`ahead`); with a breadth of 0, the one of highest rank.
    doubt : float
        The chance that a cell opened next does not help; see `ahead`.
    rare : float
        A 50/50 is not looked at where it seems no likelier than this (as if cells were independent).
    states : int
        It looks no further when the positions weighed have had more states than this.
    layouts, positions : int
        A position with no more layouts than this is searched to its end, if that takes no more positions than this.
    region : int
        A region with no more cells than this that the rest of the board does not depend on is searched by itself.
    guesses : bool
        Without guesses a game is given up where nothing is certain.
    """

    opening: float = 1e-9
    breadth: int = 0
    sea: int = 1
    doubt: float = 0.5  # found by trial
    rare: float = 0.005  # found by trial
    states: int = 1_000_000
    layouts: int = 0
    positions: int = 0
    region: int = 0
    guesses: bool = True


POLICIES = {
    "safest": Policy(),
    "endgame": Policy(layouts=400, positions=50_000, region=40),
    "ahead": Policy(opening=0.03, breadth=12),
    "best": Policy(opening=0.03, breadth=12, layouts=8000, positions=1_000_000, region=40),
}
"""`safest`: the safest cell, of equal ones the likeliest opening; `endgame`: the same and a search at the end;
`ahead`: the best prospects after it; `best`: the same and a search of longer ends.

The numbers were found by trial.  Longer ends than 8,000 layouts are not worth it: with 20,000, 4 of 3,000 Expert games
with a safe start end otherwise, two each way, in twice the time (experiments/README.md)."""


def require_policy(policy: object, error: type[MinesError] = MinesError) -> Policy:
    """Return what is a policy, with numbers that kernels take; refuse anything else.

    Examples
    --------
    >>> try:
    ...     require_policy(Policy(breadth="wide"))
    ... except MinesError as error:
    ...     print(error)
    breadth of the policy is 'wide'; give a whole number of at least 0 and at most 9,223,372,036,854,775,807
    """
    given = require(policy, Policy, 'a Policy, such as mines_dd.play.player.POLICIES["best"],', error=error)
    numbers: dict[str, Any] = {}
    for name, usual in Policy()._asdict().items():
        value, what = getattr(given, name), f"{name} of the policy"
        if isinstance(usual, bool):
            numbers[name] = require_flag(value, what, error)
        elif isinstance(usual, int):
            numbers[name] = require_whole(value, what, error, least=0, most=2**63 - 1)
        else:
            numbers[name] = float(require_number(value, what, error))
    return Policy(**numbers)


def play_game(
    field: Field,
    mine: npt.NDArray[np.bool_],
    first: int,
    policy: Policy,
    clicks: npt.NDArray[np.int64] | None = None,
) -> tuple[bool, int, Any]:
    """Play one game.

    A game counts as lost where a position would take more than `mines_dd.play.border.MOST_STATES` states to weigh, so
    win rates are never too high.

    Parameters
    ----------
    field : Field
    mine : bool[N]
        The layout, without a mine at `first`.
    first : int
        The cell opened first.
    policy : Policy
    clicks : int64[N + 1], optional
        Filled in: how many cells were opened by hand, and those cells in their order.

    Returns
    -------
    won : bool
    guesses : int
        How often nothing was certain, the first cell not counted.
    seen : int64[N]
        The last position; the mine that ended a lost game is `CLOSED`.

    Examples
    --------
    >>> from mines_dd.play.field import make_field
    >>> mine = np.array([False, False, False, True])
    >>> clicks = np.empty(5, np.int64)
    >>> won, guesses, seen = play_game(make_field(1, 4, 1), mine, 0, POLICIES["safest"], clicks)
    >>> won, guesses, seen.tolist(), clicks[1 : 1 + clicks[0]].tolist()
    (True, 0, [0, 0, 1, -2], [0])
    """
    seen = np.full(mine.size, CLOSED)
    clicks = np.empty(mine.size + 1, np.int64) if clicks is None else clicks
    won, guesses = _play.attempt(field, mine, first, policy, np.empty(mine.size), seen, clicks)
    return bool(won), int(guesses), seen


@kernel
def _open_cell(field, mine, seen, cell, queue, clicks):
    """Open a cell, around a 0 all others too, and note it in `clicks`; return how many were opened, -1 at a mine."""
    opened = 0
    if seen[cell] < 0:
        clicks[0] += 1
        clicks[clicks[0]] = cell
    queue[0] = cell
    length = 1
    while length:
        length -= 1
        cell = queue[length]
        if seen[cell] >= 0:
            continue
        if mine[cell]:
            return -1
        number = 0
        for i in range(field.degree[cell]):
            if mine[field.neighbours[cell, i]]:
                number += 1
        seen[cell] = number
        opened += 1
        if number == 0:
            for i in range(field.degree[cell]):
                other = field.neighbours[cell, i]
                if seen[other] == CLOSED:
                    queue[length] = other
                    length += 1
    return opened


@kernel
def _deduce(field, mine, seen, queue, clicks):
    """Open and mark what single hints make certain until nothing is left; return the cells opened."""
    opened = 0
    changed = True
    while changed:
        changed = False
        for cell in range(seen.size):
            if seen[cell] <= 0:
                continue
            closed, known = around(field, seen, cell)
            need = seen[cell] - known
            if closed == 0:
                continue
            if need == closed:
                for i in range(field.degree[cell]):
                    if seen[field.neighbours[cell, i]] == CLOSED:
                        seen[field.neighbours[cell, i]] = KNOWN_MINE
                changed = True
            elif need == 0:
                for i in range(field.degree[cell]):
                    other = field.neighbours[cell, i]
                    if seen[other] == CLOSED:
                        opened += _open_cell(field, mine, seen, other, queue, clicks)
                changed = True
    return opened


@kernel
def _play(field, mine, first, policy, chance, seen, clicks):
    """Play one game in the arrays `chance`, `seen`, `clicks`: (1 if it is won or else 0, guesses); see `play_game`."""
    cells = mine.size
    mines = 0
    clicks[0] = 0
    for cell in range(cells):
        mines += mine[cell]
        seen[cell] = CLOSED
    queue = np.empty(8 * cells + 1, np.int64)
    to_open = cells - mines - _open_cell(field, mine, seen, first, queue, clicks)
    guesses = 0
    while True:
        to_open -= _deduce(field, mine, seen, queue, clicks)
        if to_open == 0:
            return 1, guesses
        unknown = mines - _count(seen, KNOWN_MINE)
        layouts, _ = weigh(field, seen, unknown, chance, np.int64(MOST_STATES))  # not compiled for a constant
        if layouts <= 0.0:
            return 0, guesses
        certain, opened = _do_what_is_certain(field, mine, seen, chance, queue, clicks)
        if not certain:
            guesses += 1
            if not policy.guesses:
                return 0, guesses
            cell = choose(field, seen, unknown, chance, layouts, policy)
            opened = _open_cell(field, mine, seen, cell, queue, clicks)
            if opened < 0:
                return 0, guesses
        to_open -= opened


@kernel
def _count(seen, value):
    """How many cells have a value."""
    n = 0
    for cell in range(seen.size):
        if seen[cell] == value:
            n += 1
    return n


@kernel
def _do_what_is_certain(field, mine, seen, chance, queue, clicks):
    """Mark certain mines and open safe cells; return whether there were any, and the number of cells opened."""
    certain = False
    opened = 0
    for cell in range(seen.size):
        if chance[cell] == 1.0:
            seen[cell] = KNOWN_MINE
            certain = True
    for cell in range(seen.size):
        if chance[cell] == 0.0:
            opened += _open_cell(field, mine, seen, cell, queue, clicks)
            certain = True
    return certain, opened


@kernel
def choose(field, seen, mines, chance, layouts, policy):
    """Return the cell that a policy opens where nothing is certain.

    Parameters
    ----------
    field, seen, mines, chance
        As in `mines_dd.play.border.weigh`, which fills in `chance`.
    layouts : float
        The number of layouts, which `weigh` returns.
    policy : Policy

    Examples
    --------
    One of two cells is a mine, and the first of equals is opened.

    >>> from mines_dd.play.field import make_field
    >>> field, seen = make_field(1, 3, 1), np.array([CLOSED, 1, CLOSED])
    >>> int(choose.run(1000, field, seen, 1, np.array([0.5, 2.0, 0.5]), 2.0, POLICIES["safest"]))
    0
    """
    if policy.region:
        wins, best, closed, _ = best_in_region(field, seen, policy)
        if wins >= 0:
            return closed[max(best, 0)]
    if layouts <= policy.layouts:
        closed, shown = layouts_of(field, seen, mines, policy.layouts)
        wins, best = _searched(shown, policy)
        if wins >= 0:
            return closed[max(best, 0)]
    if policy.breadth == 0 or _count(seen, CLOSED) - mines == 1:  # with the last safe cell the game is won
        return ranked(field, seen, chance, policy.opening, np.empty(seen.size))
    return look_ahead(field, seen.copy(), mines, chance, layouts, policy)


@kernel
def _searched(shown, policy):
    """What the best play wins and the cell that it opens, as `most_wins` says; no wins, -1, if there are no layouts."""
    if shown.shape[1] == 0:
        return -1, -1
    wins, best, _ = most_wins(shown, policy.positions)
    return wins, best


@kernel
def best_in_region(field, seen, policy):
    """Find a region that the rest does not depend on, and the cell that the best play opens in it.

    A region is closed cells that hints or neighbourhood connect.  If all its assignments have the same number of mines,
    the rest learns nothing from it and it nothing from the rest: the chances to win multiply, in any order of play.

    Returns
    -------
    wins, best : int
        In how many of the assignments the best play wins, and the index of the cell that it opens first, as
        `mines_dd.play.endgame.most_wins` says; -1 and -1 if there is no such region.
    closed, shown : int64[n], int8[n, assignments]
        The region's cells and what each shows; see `mines_dd.play.layouts.layouts_of`.

    Examples
    --------
    >>> from mines_dd.play.field import make_field
    >>> seen = np.array([CLOSED, 1, 0, 0, CLOSED, 1, 0, 0])  # twice the row # 1 0 0
    >>> wins, best, closed, shown = best_in_region.run(1000, make_field(2, 4, 1), seen, POLICIES["best"])
    >>> int(wins), int(best), closed.tolist(), shown.tolist()
    (1, -1, [0, 4], [[1, 9], [9, 1]])
    """
    region = np.full(seen.size, -1, np.int64)
    queue = np.empty(seen.size, np.int64)
    wins = best = -1
    closed = queue[:0]
    shown = np.empty((0, 0), np.int8)
    for root in range(seen.size):
        if wins >= 0 or seen[root] != CLOSED or region[root] >= 0:
            continue
        if _fill(field, seen, root, region, queue) <= policy.region:
            alone = seen.copy()
            for other in range(seen.size):
                if seen[other] == CLOSED and region[other] != root:
                    alone[other] = LEFT_OUT
            closed, shown = layouts_of(field, alone, -1, policy.layouts)
            if _same_mines(shown):
                wins, best = _searched(shown, policy)
    return wins, best, closed, shown


@kernel
def _fill(field, seen, root, region, queue):
    """Note the region of a closed cell: `region` is `root` at its cells; return their number."""
    region[root] = root
    queue[0] = root
    n = 1
    at = 0
    while at < n:
        cell = queue[at]
        at += 1
        for i in range(field.degree[cell]):
            other = field.neighbours[cell, i]
            n = _joined(seen, other, root, region, queue, n)
            if seen[other] > 0:
                for j in range(field.degree[other]):
                    n = _joined(seen, field.neighbours[other, j], root, region, queue, n)
    return n


@kernel
def _joined(seen, cell, root, region, queue, n):
    """Add a cell to the region and to `queue[:n]` if it is closed and new; return their number."""
    if seen[cell] == CLOSED and region[cell] < 0:
        region[cell] = root
        queue[n] = cell
        n += 1
    return n


@kernel
def _same_mines(shown):
    """Whether all layouts have the same number of mines."""
    first = 0
    for layout in range(shown.shape[1]):
        mines = 0
        for cell in range(shown.shape[0]):
            mines += shown[cell, layout] == MINE
        if layout == 0:
            first = mines
        if mines != first:
            return False
    return True
