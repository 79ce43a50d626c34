"""The cells of a position that may be opened where none is safe, compared: by a search, by prospects, or by risk.

`advice` asks the first of these functions that can answer.  All take a `View`, the position as the kernels see it.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.answers.analysis import Analysis
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError
from mines_dd.board.board import Board
from mines_dd.play.ahead import candidates, lost_anyway, ranked, worth_of
from mines_dd.play.endgame import most_wins
from mines_dd.play.field import CLOSED, KNOWN_MINE, LARGEST, Field, make_field
from mines_dd.play.layouts import MINE, layouts_of
from mines_dd.play.player import Policy, best_in_region

__all__ = [
    "End",
    "Prospects",
    "Start",
    "View",
    "by_risk",
    "lost_shares",
    "position_of",
    "prospects",
    "searched_end",
    "searched_region",
    "searched_start",
    "view_of",
]


class View(NamedTuple):
    """A position as the kernels see it; certain mines are known ones.

    Attributes
    ----------
    field : Field
    seen : int64[N]
    mines : int
        Those not known.
    chance : float64[N]
    layouts : float
    """

    field: Field
    seen: npt.NDArray[np.int64]
    mines: int
    chance: npt.NDArray[np.float64]
    layouts: float


class End(NamedTuple):
    """What the search of an end, or of a region, has found.

    Attributes
    ----------
    layouts, won : int
        The layouts, and those that the best play wins.
    cells : list of int
        The cells compared, the best first.
    wins : list of int
        In how many layouts the best play wins that opens each of them first.
    dead : list of bool
        Whether each shows the same number wherever it is safe.
    """

    layouts: int
    won: int
    cells: list[int]
    wins: list[int]
    dead: list[bool]


class Start(NamedTuple):
    """A first cell: how many of the layouts in which it shows 0 the best play wins, and how many these are."""

    cell: int
    won: int
    layouts: int


class Prospects(NamedTuple):
    """What a look ahead has found of some cells, those with the best prospects first; all but `cells` are shares.

    Attributes
    ----------
    cells : list of int
    value, survival, opening : list of float
        See `mines_dd.play.ahead.Worth`.
    dead : list of bool
    complete : bool
        Whether all candidates were looked at.
    """

    cells: list[int]
    value: list[float]
    survival: list[float]
    opening: list[float]
    dead: list[bool]
    complete: bool


def position_of(board: Board) -> npt.NDArray[np.int64]:
    r"""Return a board as the compiled player sees it: 0 to 8, `CLOSED` or `KNOWN_MINE` (a `*`), row by row.

    Examples
    --------
    >>> position_of(Board.parse("#1\n*2")).tolist()
    [-1, 1, -2, 2]
    """
    codes = np.full(256, CLOSED)
    for number in range(9):
        codes[ord(str(number))] = number
    codes[ord("*")] = KNOWN_MINE
    return codes[board.array.ravel()]


def view_of(found: Analysis) -> View | None:
    """Return the position that was analysed, in double precision.

    None if the total is not known, or the board is too large for the kernels.

    Examples
    --------
    >>> from mines_dd import analyse
    >>> view = view_of(analyse(Board.parse("#1#"), mines=1))
    >>> view.layouts, view.chance.tolist()
    (2.0, [0.5, 2.0, 0.5])
    """
    rows, cols = found.board.size
    if found.total is None or rows * cols > LARGEST:
        return None
    seen = position_of(found.board)
    for r, c in found.mines:
        seen[r * cols + c] = KNOWN_MINE
    mines = found.total - int((seen == KNOWN_MINE).sum())
    chance = np.where(seen == CLOSED, found.probability.ravel(), 2.0)
    layouts = 10.0**found.log10_count
    if layouts < 2**53:
        layouts = float(round(layouts))
    return View(make_field(rows, cols, mines), seen, mines, chance, layouts)


def searched_end(view: View, policy: Policy, budget: Budget) -> End | None:
    """Search the rest of the game to its end, if it has few enough layouts; otherwise None.

    Examples
    --------
    >>> from mines_dd import analyse
    >>> from mines_dd.play.player import POLICIES
    >>> end = searched_end(view_of(analyse(Board.parse("####"), mines=2)), POLICIES["best"], Budget())
    >>> end.won, end.layouts, end.cells, end.wins
    (2, 6, [0, 1, 2, 3], [2, 2, 2, 2])
    """
    if view.layouts > policy.layouts:
        return None
    with suppress(BudgetExceededError):
        closed, shown = budget.attempt(layouts_of, view.field, view.seen, view.mines, policy.layouts)
        if shown.shape[1]:
            wins, best, _ = budget.attempt(most_wins, shown, _positions(policy, budget))
            return _compared(wins, best, closed, shown, policy, budget)
    return None


def searched_start(view: View, size: tuple[int, int], policy: Policy, budget: Budget) -> list[Start] | None:
    """Search a small board of which nothing is open and whose first cell will show 0, for every first cell.

    Of cells that mirror each other only the one nearest to the upper left corner is returned; the best come first.
    None if there are too many layouts.

    Examples
    --------
    >>> from mines_dd import analyse
    >>> from mines_dd.play.player import POLICIES
    >>> view = view_of(analyse(Board.parse("#######"), mines=2))
    >>> [tuple(start) for start in searched_start(view, (1, 7), POLICIES["best"], Budget())]
    [(3, 6, 6), (2, 5, 6), (0, 7, 10), (1, 4, 6)]
    """
    rows, cols = size
    if view.layouts > policy.layouts or rows * cols > _SMALL:
        return None
    found, left = [], _positions(policy, budget)
    with suppress(BudgetExceededError):
        closed, shown = budget.attempt(layouts_of, view.field, view.seen, view.mines, policy.layouts)
        for cell, here in zip(closed.tolist(), shown, strict=True):
            part = np.ascontiguousarray(shown[:, here == 0])
            if part.shape[1] and cell // cols <= (rows - 1) // 2 and cell % cols <= (cols - 1) // 2:
                wins, looked = _won(part, left, budget)
                left -= looked
                if wins < 0:
                    return None
                found.append(Start(cell, wins, part.shape[1]))
        return sorted(found, key=lambda start: (-Fraction(start.won, start.layouts), start.cell))
    return None


def searched_region(view: View, policy: Policy, budget: Budget) -> End | None:
    """Search a region that the rest of the board does not depend on; None if there is none.

    Examples
    --------
    >>> from mines_dd import analyse
    >>> from mines_dd.play.player import POLICIES
    >>> end = searched_region(view_of(analyse(Board.parse("#1001#/#1001#"), mines=2)), POLICIES["best"], Budget())
    >>> end.won, end.layouts, end.cells
    (1, 2, [0, 6])
    """
    if not policy.region:
        return None
    policy = policy._replace(positions=_positions(policy, budget))
    with suppress(BudgetExceededError):
        won, best, closed, shown = budget.attempt(best_in_region, view.field, view.seen, policy)
        return _compared(won, best, closed, shown, policy, budget)
    return None


_POSITIONS, _COMPARED = 200_000, 50_000
"""The positions of a search, and of those that compare other cells with the best one: about two seconds at most.

Not the clock: the same position gets the same answer everywhere, unless a budget is nearly used up.
"""

_SMALL = 64  # cells of a board whose first cells are all searched
_POSITIONS_A_SECOND = 100_000


def _positions(policy: Policy, budget: Budget) -> int:
    """How many positions a search may look at."""
    return int(min(policy.positions, _POSITIONS, _POSITIONS_A_SECOND * max(budget.seconds_left, 0.0)))


def _compared(
    won: int, best: int, closed: npt.NDArray[np.int64], shown: npt.NDArray[np.int8], policy: Policy, budget: Budget
) -> End | None:
    """What the best play wins, as `most_wins` has found, and what the safest cells win; None if that was given up."""
    if won < 0:
        return None
    mined = (shown == MINE).sum(axis=1)
    dead = shown.min(axis=1) >= np.where(shown == MINE, -1, shown).max(axis=1)
    order = [int(i) for i in np.argsort(mined, kind="stable") if mined[i] < shown.shape[1]]
    best = order[0] if best < 0 else int(best)  # where all are dead, the first of the safest
    found = [(best, int(won))]
    left = _COMPARED
    with suppress(BudgetExceededError):
        for i in order[: max(policy.breadth, 1)]:
            if i != best and left > 0:
                wins, looked = _wins_after(shown, i, left, budget)
                left -= looked
                found += [(i, wins)] * (wins >= 0)
    found.sort(key=lambda pair: (-pair[1], mined[pair[0]]))  # the safest of those that win as much
    cells = [i for i, _ in found]
    return End(shown.shape[1], int(won), closed[cells].tolist(), [wins for _, wins in found], dead[cells].tolist())


def _wins_after(shown: npt.NDArray[np.int8], i: int, limit: int, budget: Budget) -> tuple[int, int]:
    """The layouts won by the best play that opens cell i first, -1 if the search is given up; positions looked at."""
    total = looked = 0
    for number in np.unique(shown[i][shown[i] != MINE]):
        part = np.ascontiguousarray(shown[:, shown[i] == number])
        wins, positions = _won(part, limit - looked, budget)
        looked += positions
        if wins < 0:
            return -1, looked
        total += wins
    return total, looked


def _won(part: npt.NDArray[np.int8], limit: int, budget: Budget) -> tuple[int, int]:
    """Some layouts that the best play wins, -1 if the search is given up; and the positions looked at."""
    if part.shape[1] == 1:
        return 1, 0
    wins, _, positions = budget.attempt(most_wins, part, limit)
    return int(wins), int(positions)


def lost_shares(view: View, policy: Policy, budget: Budget) -> npt.NDArray[np.float64] | None:
    """Return for each cell the share of the layouts with a mine there that is half of a 50/50: of all, and of one.

    See `lost_anyway`.  None if there is no time left for that.

    Examples
    --------
    >>> from mines_dd import analyse
    >>> from mines_dd.play.player import POLICIES
    >>> lost_shares(view_of(analyse(Board.parse("##"), mines=1)), POLICIES["best"], Budget()).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    with suppress(BudgetExceededError):
        shares: npt.NDArray[np.float64] = budget.attempt(lost_anyway, *view, policy)
        return shares
    return None


def prospects(view: View, policy: Policy, lost: npt.NDArray[np.float64], budget: Budget) -> Prospects | None:
    """Look ahead from each of the cells of highest rank, as far as states and seconds allow; None if from no cell.

    Examples
    --------
    Of three cells in a row one is a mine: the outer ones tell more.

    >>> from mines_dd import analyse
    >>> from mines_dd.play.player import POLICIES
    >>> view, policy = view_of(analyse(Board.parse("###"), mines=1)), POLICIES["ahead"]._replace(sea=3)
    >>> prospects(view, policy, lost_shares(view, policy, Budget())[0], Budget()).cells
    [0, 2, 1]
    """
    if not policy.breadth or (view.seen == CLOSED).sum() - view.mines == 1:  # with the last safe cell the game is won
        return None
    seen, cells = view.seen.copy(), np.empty(policy.breadth, np.int64)
    found, n = [], 0
    states = policy.states
    shares = view.chance, view.layouts, lost
    with suppress(BudgetExceededError):
        n = budget.attempt(candidates, view.field, view.seen, view.chance, lost, policy, cells)
        for cell in cells[:n].tolist():
            worth = budget.attempt(worth_of, view.field, seen, view.mines, *shares, cell, 0.0, policy.doubt, states)
            states -= worth.states
            if states <= 0:
                break
            found.append((cell, worth))
    found.sort(key=lambda pair: -pair[1].value)
    if not found:
        return None
    return Prospects(
        [cell for cell, _ in found],
        [float(worth.value) / view.layouts for _, worth in found],
        [float(worth.survival) / view.layouts for _, worth in found],
        [float(worth.opening) / view.layouts for _, worth in found],
        [bool(worth.numbers == 1) for _, worth in found],
        len(found) == n,
    )


def by_risk(found: Analysis, policy: Policy) -> list[tuple[int, float]]:
    """Return the cells of highest rank and their ranks; see `mines_dd.play.ahead.ranked`.

    Cells of which nothing is known are left out, and taken for mines where their neighbours are ranked.

    Examples
    --------
    >>> from mines_dd import analyse
    >>> from mines_dd.play.player import POLICIES
    >>> [(cell, round(rank, 3)) for cell, rank in by_risk(analyse(Board.parse("#2#")), POLICIES["safest"])]
    []
    >>> [(cell, round(rank, 3)) for cell, rank in by_risk(analyse(Board.parse("##2#/####")), POLICIES["best"])]
    [(3, 0.606), (7, 0.606), (6, 0.602), (1, 0.6), (5, 0.6)]
    """
    rows, cols = found.board.size
    seen = position_of(found.board)
    chance = np.nan_to_num(found.probability.ravel(), nan=1.0)
    rank = np.empty(seen.size)
    ranked.attempt(make_field(rows, cols), seen, chance, policy.opening, rank)
    order = np.argsort(-rank, kind="stable")[: max(policy.breadth, 1)]
    return [(int(cell), float(rank[cell])) for cell in order if rank[cell] > 0]
