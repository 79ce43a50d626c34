"""Small games for `retrograde` and `acyclic`: Stones, Deque, Kayles.

Stones and Deque are tasks K and L of AtCoder's Educational DP Contest, to which ももも's slides refer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.base.checks import require, require_whole
from mines_dd.base.errors import MinesError
from mines_dd.base.wording import counted
from mines_dd.boardgames.retrograde import Game

__all__ = ["deque", "kayles", "stones"]

_LARGEST = 2**24  # positions, and moves, of a game
_LONGEST = 4000  # numbers of a row, which has 16,008,001 positions
_PINS = 40  # 215,308 positions and 5 million moves
_GAIN = 10**15  # the sum over the longest row fits into 64 bits


def stones(most: int, takes: Sequence[int]) -> Game:
    """Return the game of taking from a heap as many stones as one of `takes` says; position i has i stones (EDPC, K).

    Raises
    ------
    MinesError
        If there are more than 16,777,216 stones, or moves of the game.

    Examples
    --------
    >>> from mines_dd.boardgames.retrograde import solve
    >>> solve(stones(5, [2, 3])).outcome.tolist()  # 4 are won, 5 are lost
    [-1, -1, 1, 1, 1, -1]
    """
    most = require_whole(most, "the number of stones", least=0, most=_LARGEST)
    allowed = {require_whole(take, "a number of stones to take", least=1) for take in _listed(takes)}
    possible = [take for take in allowed if take <= most]
    if (moves := sum(most + 1 - take for take in possible)) > _LARGEST:
        raise MinesError(f"this heap has {counted(moves, 'move')}, and at most {_LARGEST:,} are listed; take less")
    source = np.concatenate([np.arange(take, most + 1) for take in (most + 1, *possible)])
    target = source - np.repeat(possible, [most + 1 - take for take in possible]).astype(np.int64)
    return Game.from_moves(most + 1, source, target)


def deque(numbers: Sequence[int]) -> tuple[Game, npt.NDArray[np.int64], int]:
    """Return the game of taking the first or the last of a row of numbers, the moves' gains, and the start (EDPC, L).

    Position i (n + 1) + j is the row from number i up to, without, number j.

    Raises
    ------
    MinesError
        If there are more than 4000 numbers, or one is beyond 10^15.

    Examples
    --------
    >>> from mines_dd.boardgames.acyclic import best_scores
    >>> game, gains, start = deque([10, 80, 90, 30])
    >>> int(best_scores(game, gains)[start])
    10
    """
    row = [require_whole(number, "a number of the row", least=-_GAIN, most=_GAIN) for number in _listed(numbers)]
    n = require_whole(len(row), "the length of the row", least=0, most=_LONGEST)
    values = np.array(row, np.int64)
    i, j = np.triu_indices(n + 1, 1)
    at = i * (n + 1) + j
    source = np.concatenate([at, at])
    target = np.concatenate([at + n + 1, at - 1])
    gains = np.concatenate([values[i], values[j - 1]])
    return Game.from_moves((n + 1) ** 2, source, target), gains, n


def kayles(pins: int) -> tuple[Game, list[tuple[int, ...]]]:
    """Return Kayles with up to so many pins, and the rows that each position has, longest first.

    A ball knocks down one pin or two neighbours, and so cuts a row in two (H. E. Dudeney 1907).

    Raises
    ------
    MinesError
        If there are more than 40 pins.

    Examples
    --------
    >>> from mines_dd.boardgames.acyclic import grundy_numbers
    >>> game, rows = kayles(4)
    >>> numbers = dict(zip(rows, grundy_numbers(game).tolist()))
    >>> [numbers[(n,)] for n in (1, 2, 3, 4)], numbers[3, 1]  # 3 xor 1
    ([1, 2, 3, 1], 2)
    """
    pins = require_whole(pins, "the number of pins", least=0, most=_PINS)
    rows = [row for total in range(pins + 1) for row in _partitions(total, total)]
    number = {row: v for v, row in enumerate(rows)}
    moves = set()
    for row, v in number.items():
        for at, length in enumerate(row):
            rest = row[:at] + row[at + 1 :]
            for gone in (1, 2):
                for left in range(length - gone + 1):
                    parts = (*rest, left, length - gone - left)
                    moves.add((v, number[tuple(sorted(filter(None, parts), reverse=True))]))
    source, target = np.array(sorted(moves), np.int64).reshape(-1, 2).T
    return Game.from_moves(len(rows), source, target), rows


def _listed(numbers: object) -> Any:
    return require(numbers, Iterable, "a list of numbers")


def _partitions(total: int, largest: int) -> list[tuple[int, ...]]:
    """The ways to write a number as a sum of numbers up to `largest`, which do not increase."""
    if total == 0:
        return [()]
    return [(part, *rest) for part in range(min(total, largest), 0, -1) for rest in _partitions(total - part, part)]
