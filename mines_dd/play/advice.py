r"""What to do in a position: the move, why, and how the other cells compare.  Every surface asks here.

The first of these that applies names the move:

1. *book*: nothing is open yet.  A corner has three neighbours, so it shows 0 most often.  Where the first cell always
   shows 0, one a little away from the corners opens a larger area; on small boards every first cell is searched then.
2. *certain*: a cell is safe in every layout.
3. *searched*: so few layouts are left that the rest of the game is searched to its end, or a region on which the rest
   does not depend (`endgame`).
4. *weighed*: a look at what each of the likeliest guesses may show (`ahead`).
5. *risk*: the chance to be safe and to open an area, where nobody says how many mines there are, or where the board is
   too large or too entangled to look ahead.

Probabilities are those of `mines_dd.analyse`, so whatever it answers gets advice.  In the row
`#1###` with 2 mines, 4 layouts are left.  To open cell 2 or 3 wins half of them, to open an end cell only a quarter:
whatever it shows is known before.

>>> from mines_dd import Board, advise
>>> print(advise(Board.parse("mines: 2/#1###")))
open 0,2; searched: best play wins 50.0% (2 of 4 layouts)
<BLANKLINE>
   cell   a mine       wins
    0,2    50.0%      50.0%
    0,3    50.0%      50.0%
    0,0    50.0%      25.0%  dead
    0,4    50.0%      25.0%  dead
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import comb, isnan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.answers.analysis import Analysis, analyse, opened_around
from mines_dd.base.budget import Budget
from mines_dd.base.wording import are, counted, place, rounded
from mines_dd.board.board import Board, Position, require_position
from mines_dd.board.html import board_html
from mines_dd.play.games import PROMISES, Level, check_rule, require_room
from mines_dd.play.player import POLICIES, Policy, require_policy
from mines_dd.play.ranking import (
    End,
    Prospects,
    Start,
    by_risk,
    lost_shares,
    prospects,
    searched_end,
    searched_region,
    searched_start,
    view_of,
)

__all__ = ["Advice", "Candidate", "advice_of", "advise", "share_text"]


class Candidate(NamedTuple):
    """A cell that may be opened.

    Attributes
    ----------
    cell : (row, column)
    risk : float
        The probability of a mine; nan if nothing is known of it.
    score : float
        What the ranking goes by; `Advice.kind` says what it is.
    """

    cell: Position
    risk: float
    score: float


@dataclass(frozen=True, repr=False)
class Advice:
    """What to do.

    Attributes
    ----------
    analysis : Analysis
        What is known of the position.
    cell : (row, column) or None
        The move, a cell to open; None if nothing is left to open.
    kind : str
        How it was found, and so what a score is:

        - "book": the move of the opening book.  The chance that the cell shows 0, if it is safe.
        - "certain": safe in every layout.  1.
        - "searched": the share of the layouts (or of the assignments of an independent region) that the best play wins
          which opens the cell first.
        - "weighed": the chance to survive the cell and the openings after it, where layouts that are lost anyway count
          as survived.
        - "risk": the chance that the cell is safe, raised a little by the chance that it opens an area.
        - "done": there is no cell to open.
    reason : str
        Why, in one sentence.
    ranking : list of (cell, risk, score)
        The cells that were compared, the best first; `Candidate`.
    wins : Fraction or None
        The share of the layouts that the best play wins, if the rest of the game was searched; before the first
        click, of those in which the cell is safe, unless nothing is promised of it.
    survival : dict
        Cell -> the chance to survive it and then the safest cell, where that was computed.
    dead : frozenset of cells
        Those compared that show the same number wherever they are safe: they tell nothing.
    fifty_fifties : frozenset of cells
        Those compared that are half of a 50/50: neighbours, or the pairs of a 2x2 block, of which one side has the mine
        in half of the layouts, and no number will tell.

    Examples
    --------
    >>> from mines_dd import Board, advise
    >>> advice = advise(Board.parse("mines: 1/1#/1#"))
    >>> advice.cell, advice.wins, advice.ranking[0]
    ((0, 1), Fraction(1, 2), Candidate(cell=(0, 1), risk=0.5, score=0.5))
    >>> sorted(advice.fifty_fifties)
    [(0, 1), (1, 1)]
    """

    analysis: Analysis
    cell: Position | None
    kind: str
    reason: str
    ranking: list[Candidate] = field(default_factory=list, hash=False)
    wins: Fraction | None = None
    survival: dict[Position, float] = field(default_factory=dict, hash=False)
    dead: frozenset[Position] = frozenset()
    fifty_fifties: frozenset[Position] = frozenset()

    @property
    def risk(self) -> float:
        """The move's probability of a mine; 0.0 exactly if it is safe, nan if nothing is known or to be opened."""
        return self.ranking[0].risk if self.ranking else float("nan")

    @property
    def safe(self) -> tuple[Position, ...]:
        """All cells that are certainly safe, in order."""
        return tuple(sorted(self.analysis.safe))

    @property
    def mines(self) -> tuple[Position, ...]:
        """All closed cells that are certainly mines, in order."""
        return tuple(sorted(self.analysis.mines))

    def marks(self, cell: Position) -> list[str]:
        """Return what is marked of a cell: "50/50", "dead".

        Examples
        --------
        >>> from mines_dd import Board
        >>> advise(Board.parse("mines: 1/1#/1#")).marks((0, 1))
        ['50/50', 'dead']
        """
        cell = require_position(cell)
        marked = (("50/50", self.fifty_fifties), ("dead", self.dead))
        return [mark for mark, cells in marked if cell in cells]

    def record(self) -> dict[str, Any]:
        """Return the advice as JSON values; positions are [row, column], and what is not known is None.

        Examples
        --------
        >>> from mines_dd import Board
        >>> record = advise(Board.parse("mines: 1/1#/1#")).record()
        >>> record["move"], record["wins"], record["ranking"][0]["marks"]
        ([0, 1], '1/2', ['50/50', 'dead'])
        """
        rows = [
            {
                "cell": list(cell),
                "risk": None if isnan(risk) else risk,
                "score": None if isnan(score) else score,
                "survival": self.survival.get(cell),
                "marks": self.marks(cell),
            }
            for cell, risk, score in self.ranking
        ]
        return {
            "move": None if self.cell is None else list(self.cell),
            "kind": self.kind,
            "reason": self.reason,
            "wins": None if self.wins is None else str(self.wins),
            "ranking": rows,
        }

    def __repr__(self) -> str:
        """Return the move and the reason; `str` has the cells compared, too."""
        return f"<Advice: {str(self).partition(chr(10))[0]}>"

    def __str__(self) -> str:
        """Return the move and the reason, and below them the cells compared, one a line."""
        move = "nothing to open" if self.cell is None else f"open {self.cell[0]},{self.cell[1]}"
        lines = [f"{move}; {self.reason}"]
        if self.kind in _SCORES and len(self.ranking) > 1:
            lines += [
                "",
                f"{'cell':>7} {'a mine':>8} {_SCORES[self.kind]:>10}" + f" {'survived':>10}" * bool(self.survival),
            ]
            for (r, c), risk, score in self.ranking:
                put = f"{score:.3f}" if self.kind == "risk" else share_text(score)
                line = f"{f'{r},{c}':>7} {share_text(risk):>8} {put:>10}"
                if self.survival:
                    line += f" {share_text(self.survival.get((r, c), float('nan'))):>10}"
                lines.append("  ".join([line, *self.marks((r, c))]))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The board shaded by the probabilities with the move framed, for notebooks."""
        move = "Nothing to open" if self.cell is None else f"Open {place(self.cell)} (framed)"
        return board_html(self.analysis.board.grid, self.analysis.risk, self.cell, f"{move}; {self.reason}")


_SCORES = {"searched": "wins", "weighed": "prospects", "risk": "rank"}
"""The heading of the scores in a table; other kinds have none."""


def advise(
    board: Board,
    mines: int | None = None,
    budget: Budget | None = None,
    *,
    rule: str | None = None,
    policy: Policy | None = None,
) -> Advice:
    r"""Return what to do in a position: the move, why, and how the other cells compare.

    Every board that `analyse` answers gets advice.

    Parameters
    ----------
    board : Board
    mines : int, optional
        The total number of mines; by default the board's own.  Without one all assignments weigh the same.
    budget : Budget, optional
        Limits for the analysis.  Its seconds also bound the search; when they are over, the ranking so far counts.
    rule : "safe", "zero" or "none", optional
        What is certain of the first cell, for a board of which nothing is open; see `mines_dd.play.games.RULES`.  By
        default "none" if the board has a layout, as its mines lie already, otherwise "safe".
    policy : Policy, optional
        By default `POLICIES["best"]`.

    Raises
    ------
    BoardFormatError
        If there is no such rule, or no cell can show 0 though the first one shall.
    InconsistentBoardError, BudgetExceededError
        As `analyse`.

    Examples
    --------
    >>> from mines_dd import Board, advise
    >>> advice = advise(Board.parse("mines: 2/##1/##1/111"))
    >>> advice.cell, advice.wins
    ((0, 1), Fraction(1, 1))
    >>> advise(Board.parse("/".join(["#" * 9] * 9)), mines=10).reason
    'opening book: the first cell is safe, and a corner has the fewest neighbours, so it shows 0 most often (66.6%)'
    """
    budget = Budget.of(budget)
    return advice_of(analyse(board, mines, budget=budget), budget, rule=rule, policy=policy)


def advice_of(
    found: Analysis, budget: Budget | None = None, *, rule: str | None = None, policy: Policy | None = None
) -> Advice:
    """Return what to do in a position that has been analysed; see `advise`.

    Examples
    --------
    >>> from mines_dd import Board, analyse
    >>> advice_of(analyse(Board.parse("#1#/#10"))).reason
    'certain: safe in every assignment'
    """
    if rule is None:
        rule = "safe" if found.board.layout is None else "none"
    check_rule(rule, PROMISES)
    budget = Budget.of(budget)
    policy = POLICIES["best"] if policy is None else require_policy(policy)
    closed = set(found.board.closed()) - found.mines
    if not closed:
        return Advice(found, None, "done", "every closed cell is a mine" if found.mines else "no cell is closed")
    new = not (found.safe or found.board.hints() or found.board.known_mines())
    promised = new and rule != "none"  # no mine in the first cell
    view = view_of(found)
    if new and rule == "zero":
        starts = None if view is None else searched_start(view, found.board.size, policy, budget)
        return _to_show_0(found, starts) if starts else _from_book(found, rule)
    end = None if view is None else searched_end(view, policy, budget)
    if end is not None and promised:
        end = end._replace(layouts=comb(len(closed) - 1, found.total or 0))
    wins = None if end is None else Fraction(end.won, end.layouts)
    if found.safe:
        return _certain(found, end, wins)
    if new and end is None:
        return _from_book(found, rule)
    if view is not None:
        lost = lost_shares(view, policy, budget)
        region = None if end else searched_region(view, policy, budget)
        if end or region:
            return _searched(found, lost, end, region, promised)
        looked = None if lost is None else prospects(view, policy, lost[0], budget)
        if lost is not None and looked is not None:
            return _weighed(found, lost, looked)
    return _by_risk(found, policy, closed)


# How each kind of advice is put.


def share_text(share: float) -> str:
    """Return a share in percent with one decimal; only what is certain is 0% or 100%, and a dash stands for nan.

    Examples
    --------
    >>> [share_text(x) for x in (0, 1e-9, 9 / 80, 7 / 12, 0.99999, 1.0, float("nan"))]
    ['0%', '<0.1%', '11.3%', '58.3%', '>99.9%', '100%', '-']
    """
    if isnan(share):
        return "-"
    if share in (0, 1):
        return f"{int(share)}00%"[-4 if share else -2 :]
    return "<0.1%" if share < 0.0005 else ">99.9%" if share > 0.9995 else f"{rounded(100 * share, 1)}%"


def _best_play(won: int, layouts: int) -> str:
    """As a clause: what the best play wins."""
    return f"best play wins {share_text(won / layouts)} ({won:,} of {counted(layouts, 'layout')})"


def _from_book(found: Analysis, rule: str) -> Advice:
    """The first move; its score is the chance that it shows 0."""
    rows, cols = found.board.size
    cell = Level(rows, cols, found.total or 0).first("zero" if rule == "zero" else "safe")
    near = len(found.board.neighbours(cell))
    if rule == "zero":
        require_room(found.total or 0, rows * cols - 1 - near, rows * cols, rule)
        away = near > len(found.board.neighbours((0, 0)))
        reason = "the first cell shows 0" + ", and a little away from the corners it opens more" * away
        opening = 1.0
    else:
        promise = "the first cell is safe, and " * (rule == "safe")
        reason = f"{promise}a corner has the fewest neighbours, so it shows 0 most often"
        others = rows * cols - 1
        total = found.total
        opening = float("nan") if total is None else comb(others - near, total) / max(comb(others, total), 1)
        reason += "" if total is None else f" ({share_text(opening)}{' if it is safe' * (rule == 'none')})"
    risk = _risk(found, cell) if rule == "none" else 0.0
    return Advice(found, cell, "book", f"opening book: {reason}", [Candidate(cell, risk, opening)])


def _to_show_0(found: Analysis, starts: list[Start]) -> Advice:
    """The first move where every one was searched; its score is what the best play wins after it."""
    best = starts[0]
    ranking = [Candidate(_cell(found, start.cell), 0.0, start.won / start.layouts) for start in starts]
    reason = f"searched: {_best_play(best.won, best.layouts)}, as the first cell shows 0"
    return Advice(found, ranking[0].cell, "searched", reason, ranking, Fraction(best.won, best.layouts))


def _certain(found: Analysis, end: End | None, wins: Fraction | None) -> Advice:
    """Safe cells, those first that most opened cells are next to."""
    around = opened_around(found.board)
    cells = sorted(found.safe, key=lambda cell: (-around[cell], cell))
    what = "safe in every layout" if found.total is not None else "safe in every assignment"
    reason = f"certain: {what}" + (f", as {are(len(cells) - 1)} {len(cells) - 1} more" if len(cells) > 1 else "")
    if end is not None and wins != 1:
        reason += f"; {_best_play(end.won, end.layouts)}"
    return Advice(found, cells[0], "certain", reason, [Candidate(cell, 0.0, 1.0) for cell in cells], wins)


def _searched(
    found: Analysis, lost: npt.NDArray[np.float64] | None, end: End | None, region: End | None, promised: bool
) -> Advice:
    """The move of the best play, in the whole rest of the game or in a region; the first cell may be promised safe."""
    best = end or region
    assert best is not None
    cells = [_cell(found, i) for i in best.cells]
    risks = [0.0 if promised else _risk(found, cell) for cell in cells]
    reason = f"searched: {_best_play(best.won, best.layouts)}"
    if promised:
        reason += ", as the first cell is safe"
    if end is None:
        reason = f"searched: a region on which the rest does not depend; there {_best_play(best.won, best.layouts)}"
    return Advice(
        found,
        cells[0],
        "searched",
        reason,
        [Candidate(*row) for row in zip(cells, risks, (wins / best.layouts for wins in best.wins), strict=True)],
        None if end is None else Fraction(end.won, end.layouts),
        dead=frozenset(cell for cell, dead in zip(cells, best.dead, strict=True) if dead),
        fifty_fifties=frozenset() if promised else _fifty_fifties(found, lost, best.cells),
    )


def _weighed(found: Analysis, lost: npt.NDArray[np.float64], looked: Prospects) -> Advice:
    """The guess with the best prospects."""
    cells = [_cell(found, i) for i in looked.cells]
    risks = [_risk(found, cell) for cell in cells]
    reason = (
        f"weighed: a mine with {share_text(risks[0])}, shows 0 with {share_text(looked.opening[0])}; this and the "
        f"safest cell after it are survived with {share_text(looked.survival[0])}"
    )
    if not looked.complete:
        reason += "; not all candidates could be looked at"
    return Advice(
        found,
        cells[0],
        "weighed",
        reason,
        [Candidate(*row) for row in zip(cells, risks, looked.value, strict=True)],
        survival=dict(zip(cells, looked.survival, strict=True)),
        dead=frozenset(cell for cell, dead in zip(cells, looked.dead, strict=True) if dead),
        fifty_fifties=_fifty_fifties(found, lost, looked.cells),
    )


def _by_risk(found: Analysis, policy: Policy, closed: set[Position]) -> Advice:
    """The cell of highest rank."""
    rank = [Candidate(_cell(found, i), _risk(found, _cell(found, i)), score) for i, score in by_risk(found, policy)]
    if not rank:  # cells away from all hints, of which nothing is known
        cell = min(closed, key=lambda p: (sum(q in closed for q in found.board.neighbours(p)), p))
        reason = "nothing is known: give the total number of mines"
        return Advice(found, cell, "risk", reason, [Candidate(cell, float("nan"), float("nan"))])
    least = all(rank[0].risk <= other.risk for other in rank)
    reason = f"by risk: a mine with {share_text(rank[0].risk)}, " + (
        "the least risk" if least else "a small risk and a better chance to open an area"
    )
    if found.total is None and found.density is None:
        reason += "; a total number of mines would tell more"
    return Advice(found, rank[0].cell, "risk", reason, rank)


def _cell(found: Analysis, index: int) -> Position:
    """The position of a cell numbered row by row."""
    return divmod(index, found.board.size[1])


def _risk(found: Analysis, cell: Position) -> float:
    """The probability of a mine; nan if nothing is known."""
    return float(found.probability[cell])


def _fifty_fifties(found: Analysis, lost: npt.NDArray[np.float64] | None, cells: list[int]) -> frozenset[Position]:
    """Those of the cells where half of the layouts have a mine, each half of one 50/50, so far as that is known."""
    if lost is None:
        return frozenset()
    at = {i: _cell(found, i) for i in cells if abs(lost[1, i] - 0.5) < 1e-9}
    return frozenset(cell for cell in at.values() if _risk(found, cell) == 0.5)
