"""A coach: how good and how lucky each click of a game was.

A click is judged by what could be known before it, all layouts with this number of mines being equally likely:

- *first*: the first click, where the rules of the game promise that it is safe;
- *certain*: no mine was possible in any cell that it opened;
- *guess*: a mine was possible.  The guess was *forced* if no other cell was safe.

The risk of a click is the probability that a cell which it opens itself is a mine.  Where it opens the cells around a
number with as many flags, that is the probability that some flag is wrong:

    risk = 1 - layouts with mines under all flags around the number / layouts

The *luck* of a game is the chance to survive its guesses, the product of 1 - risk over the guesses survived.  Its
*excess* is the risk taken beyond the least there was, summed over all guesses; a player who always opens a safest cell
has 0.  That cell is not always the best one, so the adviser's move stands beside each click (`mines_dd.advise`).

In the row `###1` with 1 mine, the mine is next to the 1, and cells 0 and 1 are safe.  The first click opens cell 3,
which shows 1.  To open cell 2 then is a guess of risk 1 where the least risk is 0; so excess 1, and no luck involved.

>>> from mines_dd.board.board import Board
>>> from mines_dd.board.replays import replay_of, to_rawvf
>>> judged = coach(replay_of(to_rawvf(Board.from_layout(1, 4, [(0, 2)]), [(0, 3), (0, 2)])))
>>> [(click.verdict, click.risk, click.least, click.forced) for click in judged.clicks]
[('first', None, None, False), ('guess', 1.0, 0.0, False)]
>>> judged.luck, judged.excess
(1.0, 1.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mines_dd.answers.analysis import Analysis, analyse
from mines_dd.base.budget import Budget
from mines_dd.base.checks import require, require_function
from mines_dd.base.errors import BoardFormatError, BudgetExceededError, InconsistentBoardError, MinesError
from mines_dd.base.wording import place
from mines_dd.board.board import Board
from mines_dd.board.replays import Move, Replay
from mines_dd.play.advice import Advice, advice_of
from mines_dd.play.games import PROMISES, check_rule

__all__ = ["Click", "Judgement", "coach", "risk_of"]

_SAME = 1e-9  # risks that differ by less are equal: they are right to this


@dataclass(frozen=True)
class Click:
    """A click, judged.

    Attributes
    ----------
    number : int
        From 1.
    move : Move
        The click itself.
    verdict : str
        "first", "certain", "guess", or "unknown" where the position could not be analysed within the limits.
    forced : bool
        Whether it was a guess where no cell was safe.
    risk, least : float or None
        The probability that it opens a mine, and the least probability of a mine in a closed cell; None for the first
        click and where the position could not be analysed.
    advice : Advice or None
        What the adviser says of the position; None where that takes more than the limits.
    wins_before, wins_after : Fraction or None
        The share of the layouts that the best play wins, before and after the click, where it could be searched; not
        before the first click.
    """

    number: int
    move: Move
    verdict: str
    forced: bool
    risk: float | None
    least: float | None
    advice: Advice | None
    wins_before: Fraction | None
    wins_after: Fraction | None

    @property
    def excess(self) -> float:
        """The risk taken beyond the least there was; 0.0 unless it is a guess."""
        if self.verdict != "guess" or self.risk is None or self.least is None:
            return 0.0
        return self.risk - self.least

    def record(self) -> dict[str, Any]:
        """Return it as JSON values; positions are [row, column], and what is not known is None."""
        advice = self.advice
        return {
            "click": self.number,
            "time": self.move.time,
            "cell": list(self.move.cell),
            "opens": [list(cell) for cell in self.move.cells],
            "chord": self.move.chord,
            "verdict": self.verdict,
            "forced": self.forced,
            "risk": self.risk,
            "least_risk": self.least,
            "advice": None if advice is None or advice.cell is None else list(advice.cell),
            "advice_kind": None if advice is None else advice.kind,
            "advice_reason": None if advice is None else advice.reason,
            "wins_before": None if self.wins_before is None else float(self.wins_before),
            "wins_after": None if self.wins_after is None else float(self.wins_after),
            "lost": self.move.lost,
        }


@dataclass(frozen=True)
class Judgement:
    """A game, judged click by click."""

    replay: Replay
    clicks: tuple[Click, ...]

    @property
    def guesses(self) -> list[Click]:
        """The clicks that were guesses."""
        return [click for click in self.clicks if click.verdict == "guess"]

    @property
    def luck(self) -> float:
        """The chance to get this far by these guesses: 1 - risk over those survived, multiplied."""
        return _survival(self.guesses)

    @property
    def excess(self) -> float:
        """The risk taken beyond the least there was, summed over the guesses."""
        return math.fsum(click.excess for click in self.guesses)

    @property
    def outcome(self) -> str:
        """Return "won", "lost" or "unfinished"."""
        return "won" if self.replay.won else "lost" if self.replay.lost else "unfinished"

    def record(self) -> dict[str, Any]:
        """Return the summary as JSON values."""
        forced = [click for click in self.guesses if click.forced]
        rows, columns = self.replay.board.size
        return {
            "outcome": self.outcome,
            "rows": rows,
            "columns": columns,
            "mines": self.replay.board.mines,
            "clicks": len(self.clicks),
            "guesses": len(self.guesses),
            "forced": len(forced),
            "luck": self.luck,
            "luck_forced": _survival(forced),
            "excess": self.excess,
            "excess_forced": math.fsum(click.excess for click in forced),
            "unknown": sum(click.verdict == "unknown" for click in self.clicks),
        }


def coach(
    replay: Replay,
    rule: str = "safe",
    timeout: float | None = 10.0,
    progress: Callable[[], object] | None = None,
) -> Judgement:
    """Judge a game click by click.

    Parameters
    ----------
    replay : Replay
    rule : "safe", "zero" or "none"
        What the rules promise of the first click.  If it opens a mine all the same, it is judged as a guess.
    timeout : float, optional
        Seconds for each position; one that takes longer is left unjudged.
    progress : function, optional
        Called after each click.

    Raises
    ------
    BoardFormatError
        If there is no such rule.

    Examples
    --------
    The middle of a square shows 2: each cell around it is a mine in a quarter of the 28 layouts.  The cell above it
    shows 1, which leaves one mine among four cells and one among three.

    >>> from mines_dd.board.replays import replay_of, to_rawvf
    >>> layout = Board.from_layout(3, 3, [(0, 0), (2, 2)])
    >>> judged = coach(replay_of(to_rawvf(layout, [(1, 1), (0, 1), (0, 2)])))
    >>> [(click.verdict, click.forced, click.risk) for click in judged.clicks][1:]
    [('guess', True, 0.25), ('guess', True, 0.25)]
    >>> judged.luck
    0.5625
    """
    require(replay, Replay, "a Replay", "read_replay reads one", BoardFormatError)
    check_rule(rule, PROMISES)
    if progress is not None:
        require_function(progress, "a function for progress", BoardFormatError)
    clicks: list[Click] = []
    for number, move in enumerate(replay.moves, start=1):
        budget = Budget(timeout=timeout)
        promised = rule != "none" and number == 1 and not move.lost and not move.chord
        try:
            found = analyse(move.before, budget=budget)
            advice = advice_of(found, budget, rule=_kept(rule, move) if promised else "none")
            judged = _judged(number, move, found, advice, budget)
        except BudgetExceededError:
            judged = Click(number, move, "unknown", False, None, None, None, None, None)
        if promised:
            judged = replace(judged, verdict="first", forced=False, risk=None, least=None, wins_before=None)
        clicks.append(judged)
        if progress is not None:
            progress()
    return Judgement(replay, tuple(_with_wins_after(clicks, replay, timeout)))


def risk_of(found: Analysis, move: Move, budget: Budget | None = None) -> float:
    """Return the probability that a click opens a mine, from the analysis of the position before it.

    Raises
    ------
    BudgetExceededError
        As `analyse`.

    Examples
    --------
    One of three cells around the 1 is a mine, with equal chances; the player has flagged the one in the corner.

    >>> before = Board.parse("mines: 1/F#/#1")
    >>> chord = Move(0.0, (1, 1), ((0, 1), (1, 0)), before, before)
    >>> round(risk_of(analyse(before), chord), 9)
    0.666666667
    """
    require(found, Analysis, "an Analysis", "analyse returns one")
    require(move, Move, "a Move", "a Replay has them")
    if found.safe.issuperset(move.cells):
        return 0.0
    if not found.mines.isdisjoint(move.cells):
        return 1.0
    if not found.risk.keys() >= set(move.cells):
        raise MinesError(f"nothing is known of the cells opened at {place(move.cell)}; analyse the position before it")
    if len(move.cells) == 1:
        return float(found.risk[move.cells[0]])
    flags = [cell for cell in move.before.neighbours(move.cell) if move.before[cell] == "F"]
    try:
        right = analyse(move.before.mark(flags), found.total, budget=budget)
    except InconsistentBoardError:
        return 1.0
    if not found.error and not right.error:
        return float(1 - Fraction(right.count, found.count))
    return min(1.0, max(0.0, 1 - 10 ** (right.log10_count - found.log10_count)))


def _kept(rule: str, move: Move) -> str:
    """What the rules promise of the first cell, as far as that has come true."""
    return "safe" if rule == "zero" and move.after[move.cell] != "0" else rule


def _survival(guesses: list[Click]) -> float:
    """The chance to survive those of the guesses that were survived."""
    return math.prod((1 - (click.risk or 0.0) for click in guesses if not click.move.lost), start=1.0)


def _judged(number: int, move: Move, found: Analysis, advice: Advice, budget: Budget) -> Click:
    risk = risk_of(found, move, budget)
    least = 0.0 if found.safe else float(min(found.risk.values()))
    if risk - least < _SAME:
        risk = least
    verdict = "certain" if risk == 0 else "guess"
    forced = verdict == "guess" and not found.safe
    return Click(number, move, verdict, forced, risk, least, advice, advice.wins, None)


def _with_wins_after(clicks: list[Click], replay: Replay, timeout: float | None) -> list[Click]:
    """The clicks with the chance to win after each: the one before the next click, and at the end the outcome."""
    after: list[Fraction | None] = [click.wins_before for click in clicks[1:]]
    if clicks:
        after.append(Fraction(replay.won) if replay.won or replay.lost else _wins(clicks[-1].move.after, timeout))
    return [replace(click, wins_after=wins) for click, wins in zip(clicks, after, strict=True)]


def _wins(board: Board, timeout: float | None) -> Fraction | None:
    budget = Budget(timeout=timeout)
    try:
        return advice_of(analyse(board, budget=budget), budget).wins
    except BudgetExceededError:
        return None
