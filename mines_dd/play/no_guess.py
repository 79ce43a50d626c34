"""Boards that can be won without a guess, graded by the hardest step that they need.

A step makes cells certain, safe or mines, from what is open and the mines found so far.  Its size is the number of
constraints of a minimal proof: the hints, and the total number of mines if it takes part.  The easiest step is always
taken, so a board is

- *easy* if one hint at a time is enough (or the total alone: all mines are found, so the rest is safe),
- *medium* if it somewhere takes two hints at once,
- *hard* if it somewhere takes three or more, or the total together with a hint.

One hint decides where it has as many closed cells as mines are missing, or where none is missing.  Two hints with a and
b missing mines split their closed cells into those of the first only (p cells), of both (q) and of the second only (r).
If x mines are among the q, then

    max(0, a - p, b - r) <= x <= min(q, a, b)

and every x between can occur, as the cells of a part are alike.  So the hints decide a part whose least and largest
number of mines are both 0, or both all of it.  Steps of more hints are minimal proofs of `explain`.  On the board
below no hint decides alone.  The first two share their one mine (p = 0, q = 2, r = 1, a = b = 1), so x = 1, and the
third cell is safe:

>>> from mines_dd.board.board import Board
>>> board = Board.from_layout(3, 5, [(0, 1), (0, 3)]).open(2, 0)
>>> print(board)
mines: 2
#####
11211
00000
>>> found = grade(board)
>>> found.difficulty, found.hardest.cell, found.hardest.verdict, found.hardest.hints
('medium', (0, 2), 'safe', ((1, 0), (1, 1)))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mines_dd.answers.analysis import analyse
from mines_dd.answers.explain import Explanation, explain
from mines_dd.base.budget import Budget
from mines_dd.base.checks import require, require_choice, require_whole
from mines_dd.base.errors import BoardFormatError, BudgetExceededError, MinesError
from mines_dd.base.wording import counted, shown
from mines_dd.board.board import Board, Position, require_board
from mines_dd.play.field import LARGEST, make_field
from mines_dd.play.games import Level, deal, on_level, require_level
from mines_dd.play.player import POLICIES, play_game

__all__ = ["DIFFICULTIES", "Grade", "NoGuess", "difficulty_of", "grade", "no_guess_board", "no_guess_search"]

DIFFICULTIES = ("easy", "medium", "hard")
"""From the easiest."""


@dataclass(frozen=True)
class Grade:
    """How hard a board is.

    Attributes
    ----------
    difficulty : str
        One of `DIFFICULTIES`.
    hardest : Explanation or None
        The first of its hardest steps; None if nothing is left to open.
    position : Board
        The board before that step, with the mines found so far as known ones.
    """

    difficulty: str
    hardest: Explanation | None
    position: Board

    def record(self) -> dict[str, Any]:
        """Return it as JSON values; positions are [row, column].

        Examples
        --------
        >>> grade(Board.from_layout(1, 4, [(0, 3)]).open(0, 0)).record()["difficulty"]
        'easy'
        """
        step = self.hardest
        if step is None:
            return {"difficulty": self.difficulty, "hardest": None}
        return {
            "difficulty": self.difficulty,
            "hardest": {
                "cell": list(step.cell),
                "verdict": step.verdict,
                "hints": [list(hint) for hint in step.hints],
                "total": step.needs_total,
                "board": list(self.position.grid),
            },
        }

    def __str__(self) -> str:
        """Return the difficulty and, on lines of their own, its hardest step and the board before it."""
        if self.hardest is None:
            return f"difficulty: {self.difficulty}; nothing is left to open"
        grid = "\n".join(self.position.grid)
        return (
            f"difficulty: {self.difficulty}\nits hardest step: {self.hardest.text()}\n"
            f"the board before that step (*: a mine found):\n{grid}"
        )


class NoGuess(NamedTuple):
    """A board that can be won without a guess, how many boards were tried for it, and how hard it is."""

    board: Board
    tried: int
    grade: Grade


def difficulty_of(step: Explanation) -> str:
    """Return how hard a step is, one of `DIFFICULTIES`.

    Examples
    --------
    >>> difficulty_of(explain(Board.parse("#1#/#2#/#1#"), (1, 0)))
    'hard'
    """
    require(step, Explanation, "an Explanation", "explain returns one")
    size = len(step.hints) + step.needs_total
    return "easy" if size <= 1 else "medium" if size == 2 and not step.needs_total else "hard"


def grade(board: Board, most: str = "hard") -> Grade | None:
    """Return how hard it is to win a board from here; None if that takes a guess, or steps harder than `most`.

    Parameters
    ----------
    board : Board
        With its layout.
    most : str
        One of `DIFFICULTIES`.  Grading stops at the first step that is harder.

    Raises
    ------
    MinesError
        If the layout is not known.

    Examples
    --------
    >>> grade(Board.from_layout(1, 4, [(0, 3)]).open(0, 0)).difficulty
    'easy'
    >>> grade(Board.from_layout(2, 3, [(0, 2)]).open(0, 0)) is None
    True
    """
    require_choice(most, DIFFICULTIES, "difficulty", BoardFormatError)
    rows, cols = require_board(board).size
    if board.layout is None:
        raise MinesError("only a board whose layout is known can be graded, such as those of Board.from_layout")
    around = {(r, c): board.neighbours((r, c)) for r in range(rows) for c in range(cols)}
    worst = Grade("easy", None, board)
    position = board
    while len(position.closed()) + len(position.known_mines()) > (board.mines or 0):
        steps = _by_one(position, around) or _by_two(position, around)
        if not steps and most == "hard":
            steps = _by_more(position)
        if not steps:
            return None
        difficulty = difficulty_of(steps[0])
        if DIFFICULTIES.index(difficulty) > DIFFICULTIES.index(most):
            return None
        harder = DIFFICULTIES.index(difficulty) > DIFFICULTIES.index(worst.difficulty)
        if worst.hardest is None or harder:
            worst = Grade(difficulty, steps[0], position)
        position = position.mark([step.cell for step in steps if step.verdict == "mine"])
        position = position.open_all([step.cell for step in steps if step.verdict == "safe"])
    return worst


def no_guess_board(
    level: Level,
    first: Position | None = None,
    seed: int = 0,
    tries: int = 1_000_000,
    difficulty: str | None = None,
    budget: Budget | None = None,
) -> NoGuess:
    """Return a board that can be won without a guess, its first cell (which shows 0) opened, and its grade.

    It is the first that `no_guess_search` finds, which says what the arguments are and which errors are raised.

    Examples
    --------
    >>> from mines_dd.play.games import LEVELS
    >>> found = no_guess_board(LEVELS["beginner"], seed=1)
    >>> found.board.mines, found.board[4, 4], found.tried, found.grade.difficulty
    (10, '0', 1, 'medium')
    """
    search = no_guess_search(level, first, seed, tries, difficulty, budget=budget)
    return next(found for found in search if found is not None)


def no_guess_search(
    level: Level,
    first: Position | None = None,
    seed: int = 0,
    tries: int = 1_000_000,
    difficulty: str | None = None,
    start: int = 0,
    budget: Budget | None = None,
) -> Iterator[NoGuess | None]:
    """Draw board after board; yield None for each that takes a guess, or is of another difficulty, else the board.

    Boards are drawn uniformly, and solved by certain steps alone; certain is what holds in all layouts with this number
    of mines.  A board is dropped at the first guess that it forces.

    Parameters
    ----------
    level : Level
    first : position, optional
        The cell opened first; the middle by default.
    seed, tries : int
        The same seed gives the same boards, so many of them.
    difficulty : str, optional
        One of `DIFFICULTIES`; by default all boards without guesses will do.
    start : int
        The number of boards of this seed that are passed over, as they were tried before.
    budget : Budget, optional
        Its seconds limit the search; without it, it may take for ever where mines are dense.

    Raises
    ------
    BoardFormatError
        If the board has more than 1,000 cells or another shape than "box", the mines do not fit, or there is no such
        difficulty.
    BudgetExceededError
        After the last board, or if the seconds are over.

    Examples
    --------
    >>> search = no_guess_search(Level(9, 9, 10), seed=1, difficulty="hard")
    >>> [next(search) is not None for _ in range(4)]
    [False, False, False, True]
    """
    level = require_level(level)
    if level.shape != "box":
        raise BoardFormatError(
            f"boards without guesses are plain ones, a Level of the shape 'box', not {shown(level.shape)}"
        )
    if level.rows * level.columns > LARGEST:
        cells = f"{LARGEST:,} cells, not {level.rows * level.columns:,}"
        raise BoardFormatError(f"a board that needs no guess has at most {cells}; take fewer rows or columns")
    tries, start = require_whole(tries, "the number of tries", least=1), require_whole(start, "the start", least=0)
    row, column = on_level(level, (level.rows // 2, level.columns // 2) if first is None else first)
    if difficulty is not None:
        require_choice(difficulty, DIFFICULTIES, "difficulty", BoardFormatError)
    field = make_field(*level)
    cell = row * level.columns + column
    policy = POLICIES["safest"]._replace(guesses=False)
    for game in Budget.of(budget).each(range(start, tries), every=1):
        mine = deal(field, level.mines, cell, "zero", seed, game)
        if not play_game(field, mine, cell, policy)[0]:
            yield None
            continue
        mines = (divmod(int(x), level.columns) for x in np.flatnonzero(mine))
        board = Board.from_layout(level.rows, level.columns, mines).open(row, column)
        found = grade(board, difficulty or "hard")
        yield NoGuess(board, game + 1, found) if found and difficulty in (None, found.difficulty) else None
    what = "can be won without a guess" if difficulty is None else f"is without guesses and {difficulty}"
    raise BudgetExceededError(
        f"none of {counted(tries, 'board')} {what}",
        needed=tries + 1,
        allowed=tries,
        unit="boards",
        advice="take fewer mines" + " or another difficulty" * (difficulty is not None),
    )


Around = dict[Position, list[Position]]
"""Cell -> the cells around it."""


def _open_hints(board: Board, around: Around) -> dict[Position, tuple[frozenset[Position], int]]:
    """The hints that have closed cells: those cells, and how many mines are missing among them."""
    found = {}
    for hint, number in board.hints().items():
        closed = frozenset(p for p in around[hint] if board[p] in "#F")
        if closed:
            found[hint] = closed, number - sum(board[p] == "*" for p in around[hint])
    return found


def _by_one(board: Board, around: Around) -> list[Explanation]:
    """All cells that one hint decides, or the total alone."""
    if len(board.known_mines()) == board.mines:
        return [_step(cell, "safe", (), needs_total=True) for cell in board.closed()]
    steps: dict[Position, Explanation] = {}
    for hint, (closed, missing) in _open_hints(board, around).items():
        if missing in (0, len(closed)):
            verdict = "mine" if missing else "safe"
            steps |= {cell: _step(cell, verdict, (hint,)) for cell in sorted(closed) if cell not in steps}
    return list(steps.values())


def _by_two(board: Board, around: Around) -> list[Explanation]:
    """The cells that the first pair of hints decides that decides any."""
    hints = _open_hints(board, around)
    near: dict[Position, list[Position]] = {}
    for hint, (closed, _) in hints.items():
        for cell in closed:
            near.setdefault(cell, []).append(hint)
    for hint, (closed, _) in hints.items():
        for other in sorted({h for cell in closed for h in near[cell] if h > hint}):
            decided = [
                _step(cell, verdict, (hint, other))
                for part, verdict in _decided(hints[hint], hints[other])
                for cell in sorted(part)
            ]
            if decided:
                return decided
    return []


def _decided(
    first: tuple[frozenset[Position], int], second: tuple[frozenset[Position], int]
) -> Iterator[tuple[Iterable[Position], str]]:
    """The parts of the cells of two hints that they decide, with "safe" or "mine"; see the module."""
    (cells, a), (others, b) = first, second
    both = cells & others
    low = max(0, a - len(cells - both), b - len(others - both))
    high = min(len(both), a, b)
    for part, least, largest in (
        (both, low, high),
        (cells - both, a - high, a - low),
        (others - both, b - high, b - low),
    ):
        if part and largest == 0:
            yield part, "safe"
        elif part and least == len(part):
            yield part, "mine"


def _by_more(board: Board) -> list[Explanation]:
    """The certain cell with the smallest proof, one without the total first."""
    found = analyse(board)
    certain = sorted(found.safe | found.mines.difference(board.known_mines()))
    proofs = (explain(board, cell) for cell in certain)
    best = min(proofs, key=lambda proof: (proof.needs_total, len(proof.hints), proof.cell), default=None)
    return [] if best is None else [best]


def _step(cell: Position, verdict: str, hints: tuple[Position, ...], needs_total: bool = False) -> Explanation:
    return Explanation(cell, verdict, hints, needs_total, None, None, float(verdict == "mine"))
