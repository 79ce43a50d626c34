"""Games without circles: Grundy numbers, sums of games, and games for points.

The Grundy number of a position is the least number that no position after a move has.  For example, if one may take 1
or 2 stones, the numbers of 0, 1, 2, 3, ... stones are

    stones  0  1  2  3  4  5
    after   -  0  0  1  2  3
                  1  2  3  4
    Grundy  0  1  2  0  1  2       2 stones lead to the numbers 1 and 0, so theirs is 2

A position is lost exactly if its number is 0; and if a move is a move in one of several games, the number of all games
together is the exclusive or of their numbers (R. P. Sprague 1935, P. M. Grundy 1939).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.base.binding import wide
from mines_dd.base.budget import Budget
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.jit import kernel
from mines_dd.base.wording import counted, shown
from mines_dd.boardgames.retrograde import DRAW, OPEN, WIN, Game, require_game

__all__ = ["best_scores", "grundy_numbers", "is_acyclic", "sum_of"]

Numbers = npt.NDArray[np.int64]

_MOVE = 40  # bytes that a move of a sum takes while it is made


def grundy_numbers(game: Game, names: Sequence[str] | None = None) -> Numbers:
    """Return the Grundy number of every position.

    Parameters
    ----------
    game : Game
    names : sequence of str, optional
        What errors call the positions.

    Raises
    ------
    GraphFormatError
        If moves lead in a circle, or a position without a move is given as won or drawn.

    Examples
    --------
    >>> take_one_or_two = Game.from_moves(6, [1, 2, 2, 3, 3, 4, 4, 5, 5], [0, 1, 0, 2, 1, 3, 2, 4, 3])
    >>> grundy_numbers(take_one_or_two).tolist()
    [0, 1, 2, 0, 1, 2]
    """
    other = np.flatnonzero(np.isin(require_game(game).given, (WIN, DRAW)))
    if other.size:
        name = _named(int(other[0]), names)
        raise GraphFormatError(
            f"Grundy numbers are of games that end with a loss, and position {name} is given otherwise"
        )
    order, first, moves = _ordered(game, names)
    values = np.zeros(len(game.given), np.int64)
    seen = np.full(int(np.diff(first).max(initial=0)) + 2, -1, np.int64)
    _mexes.run(4 * len(moves) + len(values), order, first, moves, game.target, seen, values)
    return values


def best_scores(game: Game, gains: npt.ArrayLike) -> Numbers:
    """Return for every position the points of the player to move less the opponent's, if both play best.

    Parameters
    ----------
    game : Game
        A position without moves is worth 0, and so is one whose outcome is given.
    gains : array of int
        The points that each move brings the player who makes it.

    Raises
    ------
    GraphFormatError
        If moves lead in a circle, or the gains are not a whole number for each move, or too large.

    Examples
    --------
    >>> game = Game.from_moves(3, [2, 2, 1], [1, 0, 0])
    >>> best_scores(game, [5, 1, 3]).tolist()  # 5 - 3 is more than 1
    [0, 3, 2]
    """
    points = _whole_numbers(gains)
    if points.shape != require_game(game).source.shape:
        raise GraphFormatError(
            f"each move needs a gain; given are {counted(len(game.source), 'move')} and {counted(points.size, 'gain')}"
        )
    order, first, moves = _ordered(game)
    values = np.zeros(len(game.given), np.int64)
    if not _minimaxes.run(4 * len(moves) + len(values), order, first, moves, game.target, points, values):
        raise GraphFormatError("a position is worth more than 64 bits hold; give smaller gains")
    return values


def is_acyclic(game: Game) -> bool:
    """Tell whether no moves lead in a circle.

    Examples
    --------
    >>> is_acyclic(Game.from_moves(2, [0], [1])), is_acyclic(Game.from_moves(2, [0, 1], [1, 0]))
    (True, False)
    """
    return len(_children_first(require_game(game))[0]) == len(game.given)


def sum_of(one: Game, other: Game) -> Game:
    """Return the sum of two games: a move is a move in one of them; who has none in both loses.

    Position (i, j) has the number i n + j, n being the number of positions of the second game.

    Raises
    ------
    GraphFormatError
        If a game has given outcomes.
    BudgetExceededError
        If the moves of the sum do not fit into memory.

    Examples
    --------
    >>> heap = Game.from_moves(3, [1, 2, 2], [0, 1, 0])  # Nim with one heap of up to 2
    >>> grundy_numbers(sum_of(heap, heap)).tolist()
    [0, 1, 2, 1, 0, 3, 2, 3, 0]
    """
    if any((require_game(game).given != OPEN).any() for game in (one, other)):
        raise GraphFormatError("a sum is of games whose positions are all open")
    m, n = len(one.given), len(other.given)
    Budget(advice="add smaller games").reserve(m * n + _MOVE * (len(one.source) * n + len(other.source) * m))
    here, there = np.arange(m), np.arange(n)
    ends = [
        np.concatenate([(first[:, None] * n + there).ravel(), (here[:, None] * n + second).ravel()])
        for first, second in ((one.source, other.source), (one.target, other.target))
    ]
    return Game.from_moves(m * n, *ends)


def _children_first(game: Game) -> tuple[Any, Any, Any]:
    """The positions that are on no way to a circle, each after those it leads to; first[v] and the moves from v on."""
    plays = np.flatnonzero(game.given[game.source] == OPEN)
    positions = len(game.given)
    counts = np.bincount(game.source[plays], minlength=positions)
    first = np.append(0, np.cumsum(counts))
    moves = plays[np.argsort(game.source[plays], kind="stable")]
    back = np.append(0, np.cumsum(np.bincount(game.target[plays], minlength=positions)))
    before = game.source[plays[np.argsort(game.target[plays], kind="stable")]]
    order = np.empty(positions, np.int64)
    made = _peel.run(2 * len(plays) + positions, counts.copy(), back, before, order)
    return order[:made], first, moves


def _ordered(game: Game, names: Sequence[str] | None = None) -> tuple[Any, Any, Any]:
    order, first, moves = _children_first(game)
    if len(order) < len(game.given):
        name = _named(int(np.flatnonzero(~np.isin(np.arange(len(game.given)), order))[0]), names)
        raise GraphFormatError(
            f"position {name} leads into a circle of moves; this question is for games that always end"
        )
    return order, first, moves


def _named(position: int, names: Sequence[str] | None) -> str:
    return shown(position if names is None else names[position])


def _whole_numbers(values: npt.ArrayLike) -> Numbers:
    try:
        numbers = np.asarray(values)
    except ValueError:  # of lists of different lengths
        raise GraphFormatError("the gains have to be one flat list of whole numbers") from None
    if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
        raise GraphFormatError(f"the gains have to be whole numbers of 64 bits, not {numbers.dtype}")
    whole: Numbers = wide(np.ascontiguousarray(numbers), "the list of gains")
    return whole.astype(np.int64)  # of none at all it is one of doubles


@kernel
def _peel(left: Any, back: Any, before: Any, order: Any) -> Any:
    """Fill `order` with the positions all of whose moves lead to positions in it; return how many they are."""
    made = 0
    for v in range(len(left)):
        if left[v] == 0:
            order[made] = v
            made += 1
    done = 0
    while done < made:
        v = order[done]
        done += 1
        for i in range(back[v], back[v + 1]):
            u = before[i]
            left[u] -= 1
            if left[u] == 0:
                order[made] = u
                made += 1
    return made


@kernel
def _mexes(order: Any, first: Any, moves: Any, target: Any, seen: Any, values: Any) -> None:
    """Set each value to the least number that is not the value of a position after a move."""
    for v in order:
        for i in range(first[v], first[v + 1]):
            value = values[target[moves[i]]]
            if value < len(seen):
                seen[value] = v
        mex = 0
        while seen[mex] == v:
            mex += 1
        values[v] = mex


@kernel
def _minimaxes(order: Any, first: Any, moves: Any, target: Any, gains: Any, values: Any) -> Any:
    """Set each value to the best gain less the value after it; return whether all have 64 bits."""
    for v in order:
        for i in range(first[v], first[v + 1]):
            gain, after = gains[moves[i]], values[target[moves[i]]]
            value = gain - after
            if (gain < 0) != (after < 0) and (value < 0) != (gain < 0):
                return False
            if i == first[v] or value > values[v]:
                values[v] = value
    return True
