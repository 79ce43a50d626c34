"""Many games: levels, start rules, layouts from a seed, and how a policy fares."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.checks import require, require_choice, require_whole
from mines_dd.base.errors import BoardFormatError
from mines_dd.base.jit import kernel
from mines_dd.base.wording import are, counted, place
from mines_dd.board.board import require_position
from mines_dd.play.field import SHAPES, Field, make_field
from mines_dd.play.player import Policy, play_game, require_policy

__all__ = [
    "LEVELS",
    "PROMISES",
    "RULES",
    "Level",
    "Tally",
    "barred",
    "check_rule",
    "deal",
    "on_level",
    "outcomes",
    "play_games",
    "require_level",
    "require_room",
    "wilson",
]


class Level(NamedTuple):
    """The size of a board, its number of mines, and its shape: one of `mines_dd.play.field.SHAPES`."""

    rows: int
    columns: int
    mines: int
    shape: str = "box"

    def first(self, rule: str) -> tuple[int, int]:
        """Return a good first cell: a corner if it only has to be safe, one near it if it is sure to open an area.

        A corner opens an area most often, but a small one.  Found by playing from several.  Where the mines do not fit
        around the other cell, it is the corner, too.

        Examples
        --------
        >>> LEVELS["expert"].first("safe"), LEVELS["expert"].first("zero")
        ((0, 0), (3, 3))
        """
        check_rule(rule)
        if rule == "safe":
            return 0, 0
        rows, columns, mines, _ = require_level(self)
        near = 3 if columns >= 30 else 2
        row, column = min(near, (rows - 1) // 2), min(near, (columns - 1) // 2)
        empty = (min(row + 2, rows) - max(row - 1, 0)) * (min(column + 2, columns) - max(column - 1, 0))
        return (row, column) if mines <= rows * columns - empty else (0, 0)


LEVELS = {
    "beginner-8x8": Level(8, 8, 10),
    "beginner": Level(9, 9, 10),
    "intermediate": Level(16, 16, 40),
    "expert": Level(16, 30, 99),
    "evil": Level(20, 30, 130),
    "evil-16x30": Level(16, 30, 130),
    "expert-torus": Level(16, 30, 99, "torus"),
    "expert-hexagons": Level(16, 30, 99, "hexagons"),
}
"""The usual sizes, by name; denser ones; and Expert on other shapes."""

RULES = ("safe", "zero")
"""`safe`: the first cell holds no mine; `zero`: neither it nor its neighbours do, so that it opens an area."""

PROMISES = (*RULES, "none")
"""What a game may promise of the first cell: as `RULES`, or nothing."""


def require_level(level: object) -> Level:
    """Return what is a level; refuse anything else.

    Examples
    --------
    >>> require_level(LEVELS["beginner"]).mines
    10
    """
    found: Level = require(level, Level, "a Level", "one of LEVELS, or Level(9, 9, 10)", BoardFormatError)
    return found._replace(
        rows=require_whole(found.rows, "the number of rows", BoardFormatError, least=1),
        columns=require_whole(found.columns, "the number of columns", BoardFormatError, least=1),
        mines=require_whole(found.mines, "the number of mines", BoardFormatError, least=0),
        shape=require_choice(found.shape, SHAPES, "shape", BoardFormatError),
    )


def on_level(level: Level, position: tuple[int, int]) -> tuple[int, int]:
    """Return a position if it is on boards of a level.

    Raises
    ------
    BoardFormatError
        If it is not.

    Examples
    --------
    >>> on_level(LEVELS["beginner"], (8, 0))
    (8, 0)
    """
    row, column = cell = require_position(position)
    if not (0 <= row < level.rows and 0 <= column < level.columns):
        raise BoardFormatError(f"there is no cell at {place(cell)} of {level.rows}x{level.columns}")
    return cell


def check_rule(rule: str, rules: Sequence[str] = RULES) -> None:
    """Raise `BoardFormatError` if there is no such start rule.

    Examples
    --------
    >>> try:
    ...     check_rule("none")
    ... except BoardFormatError as error:
    ...     print(error)
    there is no start rule 'none'; choose safe or zero
    """
    require_choice(rule, rules, "start rule", BoardFormatError)


class Tally(NamedTuple):
    """The outcome of some games.

    Attributes
    ----------
    games, won, guesses : int
        Sums over the games.
    seconds : float
        Processor time, with that of kernels that were compiled meanwhile.
    """

    games: int
    won: int
    guesses: int
    seconds: float


def barred(field: Field, first: int, rule: str) -> list[int]:
    """Return the cells that hold no mine by the start rule.

    Raises
    ------
    BoardFormatError
        If there is no such rule.

    Examples
    --------
    >>> barred(make_field(2, 3, 1), 0, "zero")
    [0, 1, 3, 4]
    """
    check_rule(rule)
    size, first = field.degree.size, require_whole(first, "the first cell", BoardFormatError)
    if not 0 <= first < size:
        raise BoardFormatError(f"there is no cell {first}; {counted(size, 'cell')} {are(size)} numbered from 0")
    return [first, *field.neighbours[first, : field.degree[first]].tolist()] if rule == "zero" else [first]


def require_room(mines: int, free: int, cells: int, rule: str) -> None:
    """Raise `BoardFormatError` if there are more mines than cells that may hold one by the start rule.

    Examples
    --------
    >>> try:
    ...     require_room(7, 5, 9, "zero")
    ... except BoardFormatError as error:
    ...     print(error)
    7 mines cannot be placed: the first cell and those around it hold none, which leaves 5 of 9 cells
    """
    if mines > free:
        empty = "the first cell and those around it hold" if rule == "zero" else "the first cell holds"
        left = f"which leaves {free} of {counted(cells, 'cell')}"
        raise BoardFormatError(f"{counted(mines, 'mine')} cannot be placed: {empty} none, {left}")


def deal(
    field: Field, mines: int, first: int, rule: str = "safe", seed: int = 0, game: int = 0
) -> npt.NDArray[np.bool_]:
    """Return the layout of a game: the same for the same seed and number on every machine, uniform by the start rule.

    Raises
    ------
    BoardFormatError
        If the mines do not fit, or there is no such rule.

    Examples
    --------
    >>> deal(make_field(2, 3, 2), mines=2, first=0, seed=1).nonzero()[0].tolist()
    [4, 5]
    """
    require(field, Field, "a Field", "make_field(9, 9) makes one", BoardFormatError)
    mines = require_whole(mines, "the number of mines", BoardFormatError, least=0)
    seed = require_whole(seed, "the seed", BoardFormatError, least=0)
    if seed >= 2**128:
        raise BoardFormatError("a seed has at most 128 bits; give a smaller one")
    game = require_whole(game, "the number of the game", BoardFormatError, least=0, most=2**63 - 1)
    free = np.setdiff1d(np.arange(field.degree.size), barred(field, first, rule))
    require_room(mines, free.size, field.degree.size, rule)
    # The raw words of a counter-based generator, which no version of NumPy changes.
    words = np.random.Philox(key=seed, counter=[0, 0, 0, game]).random_raw(mines) >> np.uint64(1)
    _shuffle.run(mines, free, words.astype(np.int64))
    mine = np.zeros(field.degree.size, np.bool_)
    mine[free[:mines]] = True
    return mine


@kernel
def _shuffle(cells, words):
    """A Fisher-Yates shuffle, stopped after as many places as there are words."""
    for i in range(words.size):
        j = i + words[i] % (cells.size - i)
        swapped = cells[i]
        cells[i] = cells[j]
        cells[j] = swapped


def play_games(
    level: Level, rule: str, policy: Policy, games: range, *, first: tuple[int, int] | None = None, seed: int = 0
) -> Tally:
    """Play the games with these numbers, each from the cell `first` (`level.first(rule)`), and return the sums.

    Examples
    --------
    >>> from mines_dd.play.player import POLICIES
    >>> tally = play_games(Level(5, 5, 4), "zero", POLICIES["safest"], range(20))
    >>> tally.games, tally.won, tally.guesses
    (20, 15, 8)
    """
    started = time.process_time()
    won = guesses = 0
    for outcome in outcomes(level, rule, policy, games, first=first, seed=seed):
        won += outcome[0]
        guesses += outcome[1]
    return Tally(len(games), won, guesses, time.process_time() - started)


def outcomes(
    level: Level, rule: str, policy: Policy, games: range, *, first: tuple[int, int] | None = None, seed: int = 0
) -> Iterator[tuple[bool, int]]:
    """Play games as `play_games` does, and yield of each as it ends whether it was won, and the number of guesses.

    Examples
    --------
    >>> from mines_dd.play.player import POLICIES
    >>> list(outcomes(Level(5, 5, 4), "zero", POLICIES["safest"], range(4)))
    [(True, 1), (True, 0), (False, 1), (True, 0)]
    """
    level = require_level(level)
    policy = require_policy(policy, BoardFormatError)
    require(games, range, "a range of games, such as range(100),", error=BoardFormatError)
    field = make_field(*level)
    row, column = on_level(level, level.first(rule) if first is None else first)
    cell = row * level.columns + column
    for game in games:
        yield play_game(field, deal(field, level.mines, cell, rule, seed, game), cell, policy)[:2]


def wilson(won: int, games: int, z: float = 1.959964) -> tuple[float, float]:
    """Return Wilson's interval for a share, of 95% by default: unlike share +- error it never leaves 0 to 1.

    Of no games it is all from 0 to 1.

    Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927.

    Raises
    ------
    MinesError
        If more games are won than played.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(5, 5)], [round(end, 3) for end in wilson(50, 100)]
    ([0.566, 1.0], [0.404, 0.596])
    """
    games = require_whole(games, "the number of games", least=0)
    won = require_whole(won, "the number of games won", least=0, most=games)
    if not games:
        return 0.0, 1.0
    share = won / games
    middle = share + z * z / (2 * games)
    reach = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    return (middle - reach) / scale if won else 0.0, (middle + reach) / scale if won < games else 1.0
