"""What to do in a position, and boards that need no luck."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mines_dd.base.errors import BoardFormatError, BudgetExceededError, InconsistentBoardError
from mines_dd.board.board import Board, Position
from mines_dd.play.border import CLOSED, KNOWN_MINE, make_field, weigh
from mines_dd.play.endgame import layouts_of, most_wins
from mines_dd.play.games import Level, deal
from mines_dd.play.player import POLICIES, Policy, choose, play_game

__all__ = ["Advice", "advise", "no_guess_board", "position_of"]


@dataclass(frozen=True)
class Advice:
    """What to do.

    Attributes
    ----------
    safe, mines : tuple of positions
        Cells that are certain.
    cell : position or None
        The cell to open: a safe one if there is one, otherwise the policy's guess; None if all safe cells are open.
    chance : float
        Its probability of a mine; 0.0 exactly if it is safe.
    layouts : float
        The number of layouts of the position; exact below 2**53.
    wins : Fraction or None
        The share of the layouts that the best play wins, if the position was searched to its end.
    """

    safe: tuple[Position, ...]
    mines: tuple[Position, ...]
    cell: Position | None
    chance: float
    layouts: float
    wins: Fraction | None


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


def advise(board: Board, mines: int | None = None, policy: Policy | None = None) -> Advice:
    r"""Return what to do in a position.

    Parameters
    ----------
    board : Board
    mines : int, optional
        The total number of mines; by default the board's own.
    policy : Policy, optional
        By default `POLICIES["best"]`.

    Raises
    ------
    BoardFormatError
        If nobody says how many mines there are.
    InconsistentBoardError
        If there is no layout.
    BudgetExceededError
        If the board has more than 1,000 cells, or its border is too entangled.

    Examples
    --------
    >>> advise(Board.parse('mines: 2\n##1\n##1\n111')).wins
    Fraction(1, 1)
    """
    total = board.mines if mines is None else mines
    if total is None:
        raise BoardFormatError("to play one has to know how many mines there are: write a line such as mines: 10")
    policy = policy or POLICIES["best"]
    rows, cols = board.size
    seen = position_of(board)
    unknown = total - int((seen == KNOWN_MINE).sum())
    field = make_field(rows, cols, max(total, 0))
    chance = np.empty(seen.size)
    layouts = float(weigh.run(50 * seen.size, field, seen, unknown, chance)[0])
    if layouts < 0:
        raise BudgetExceededError("the border has too many states", needed=4_000_000, allowed=4_000_000, unit="states")
    if layouts == 0:
        raise InconsistentBoardError(f"no layout of {total} mines satisfies the hints; analyse() says which conflict")
    safe, certain = np.flatnonzero(chance == 0), np.flatnonzero(chance == 1)
    wins = None
    if layouts <= policy.layouts:
        _, shown = layouts_of.run(10_000, field, seen, unknown, policy.layouts)
        most = most_wins.run(1_000_000, shown, policy.positions)[0] if shown.shape[1] else -1
        wins = Fraction(int(most), shown.shape[1]) if most >= 0 else None
    cell = None
    if safe.size:
        cell = int(safe[0])
    elif certain.size < (seen == CLOSED).sum():
        known = seen.copy()
        known[certain] = KNOWN_MINE
        cell = int(choose.run(10**6, field, known, unknown - certain.size, chance, layouts, policy))
    return Advice(
        tuple(divmod(int(x), cols) for x in safe),
        tuple(divmod(int(x), cols) for x in certain),
        None if cell is None else divmod(cell, cols),
        0.0 if cell is None else float(chance[cell]),
        layouts,
        wins,
    )


def no_guess_board(
    level: Level, first: Position | None = None, seed: int = 0, tries: int = 1_000_000
) -> tuple[Board, int]:
    """Return a board that can be won without a guess, its first cell (which shows 0) opened, and how many were tried.

    Boards are drawn uniformly until one is solved by certain steps alone; certain is what holds in all layouts with
    this number of mines.

    Parameters
    ----------
    level : Level
    first : position, optional
        The cell opened first; the middle by default.
    seed, tries : int
        The same seed gives the same board; no more boards than `tries` are drawn.

    Raises
    ------
    BoardFormatError
        If the mines do not fit.
    BudgetExceededError
        If none of the boards drawn will do.

    Examples
    --------
    >>> from mines_dd.play.games import LEVELS
    >>> board, tried = no_guess_board(LEVELS["beginner"], seed=1)
    >>> board.mines, board[4, 4], tried
    (10, '0', 1)
    """
    row, column = first if first is not None else (level.rows // 2, level.columns // 2)
    if not (0 <= row < level.rows and 0 <= column < level.columns):
        raise BoardFormatError(f"there is no cell at row {row}, column {column} of {level.rows}x{level.columns}")
    field = make_field(*level)
    cell = row * level.columns + column
    for game in range(tries):
        mine = deal(field, level.mines, cell, "zero", seed, game)
        won, guesses, _ = play_game(field, mine, cell, POLICIES["safest"])
        if won and not guesses:
            board = Board.from_layout(
                level.rows, level.columns, (divmod(int(x), level.columns) for x in np.flatnonzero(mine))
            )
            return board.open(row, column), game + 1
    raise BudgetExceededError(
        f"none of {tries:,} boards can be won without a guess; take fewer mines",
        needed=tries + 1,
        allowed=tries,
        unit="boards",
    )
