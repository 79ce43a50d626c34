"""For each closed cell the probability of a mine and of each number it may show, given the total number of mines.

Small boards are analysed in Fractions: `whole_board` explains how the layouts of a whole board are counted, `component`
what each component of the border contributes.  Large ones are analysed in doubles, which `tilted` explains; what is
certain is exact there, too, and Fractions are computed when they are asked for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from mines_dd.answers.border import Border
from mines_dd.answers.conflict import conflict_error
from mines_dd.answers.tilted import Marginals, TiltedBoard, log_binomial
from mines_dd.answers.whole_board import WholeBoard
from mines_dd.base.arrays import FloatArray
from mines_dd.base.budget import Budget, memory_errors
from mines_dd.base.checks import as_written, require_choice, require_whole
from mines_dd.base.errors import BoardFormatError, InconsistentBoardError, MinesError
from mines_dd.base.wording import are, counted, place, shown
from mines_dd.board.board import TOTAL, Board, Position, require_board, require_position
from mines_dd.board.html import board_html
from mines_dd.board.look import power_of_ten, short_number
from mines_dd.diagrams.assignments import OfCells
from mines_dd.diagrams.runs import Runs, contains, in_words, sums

__all__ = ["Analysis", "analyse", "analysis_of", "opened_around"]

# The layouts with each total are counted exactly on a board with no more closed cells.
_FEW_CELLS = 1000
# Logarithms of likelihoods that differ by less, for each cell of a board, are equal: they are doubles.
_EQUAL = 1e-12
# Doubles whose estimated error is larger are not given.
_RIGHT = 1e-9
_TINY, _EPSILON = 1e-300, 2.0**-53
_LN10 = math.log(10)


@dataclass(frozen=True)
class Analysis:
    """What is known about the closed cells of a board.

    Analyses are equal if their boards, totals and densities are.

    Attributes
    ----------
    board : Board
        With the total, if one was given.
    total : int or None
        The number of mines on the whole board, as it was given.
    density : Fraction or None
        The density, as it was given.
    risk : dict
        Closed cell -> probability of a mine: a Fraction if the board is small, otherwise a double.  Cells that touch no
        hint are in it only with a total or a density.
    safe, mines : frozenset of cells
        The closed cells that are certainly safe, and those that are certainly mines; exactly, on boards of any size.
    log10_count : float
        The decimal logarithm of `count`.
    error : float
        What is estimated to be the largest error of a probability in `risk`; 0.0 if they are Fractions.

    Examples
    --------
    >>> from mines_dd import Board, analyse
    >>> found = analyse(Board.parse("#1#/###"))
    >>> found.count, found.safest, found.probability.tolist()[0]
    (5, (0, 0), [0.2, nan, 0.2])
    """

    board: Board
    total: int | None
    density: Fraction | None
    risk: dict[Position, Any] = field(compare=False)
    safe: frozenset[Position] = field(compare=False)
    mines: frozenset[Position] = field(compare=False)
    log10_count: float = field(compare=False)
    error: float = field(compare=False)
    _whole: WholeBoard = field(compare=False)
    _tilted: TiltedBoard | None = field(compare=False)
    _budget: Budget = field(compare=False)

    @cached_property
    def exact(self) -> dict[Position, Fraction]:
        """`risk` as Fractions; computed when they are first asked for.

        Raises
        ------
        BudgetExceededError
            If that needs more than the budget of the analysis; its seconds count from now.
        """
        return self.risk if self._tilted is None else _fractions(self._whole, self._budget.renewed())

    @cached_property
    def count(self) -> int:
        """The number of layouts of the whole board with that total; without, of assignments to the cells next to hints.

        It is computed when it is first asked for.

        Raises
        ------
        BudgetExceededError
            If that needs more than the budget of the analysis; its seconds count from now.
        """
        if self._tilted is not None:
            self._budget.renewed().refuse(0, *self._whole.predicted_layouts())
        return self._whole.layouts

    @cached_property
    def probability(self) -> FloatArray:
        """The probabilities as a rows x columns matrix: nan where open or unknown, 1 on known mines."""
        grid = np.full(self.board.size, np.nan)
        for position in self.board.known_mines():
            grid[position] = 1.0
        for position, share in self.risk.items():
            grid[position] = float(share)
        return grid

    @property
    def safest(self) -> Position | None:
        """The closed cell with the least probability; ties go to the most opened neighbours, then to the first cell.

        None if nothing is known, or every cell about which something is known is a mine.  The safest move is not always
        the best one; `mines_dd.advise` returns the best one.
        """
        least = min(self.risk.values(), default=1)
        if least == 1:
            return None
        if self.error:
            least *= 1 + 1e-9  # of doubles, nearly equal ones are ties

        around = opened_around(self.board)
        return min((p for p, share in self.risk.items() if share <= least), key=lambda p: (-around[p], p))

    @cached_property
    def by_total(self) -> dict[int, int]:
        """For each possible total number of mines, the number of layouts of the whole board with it.

        Raises
        ------
        BudgetExceededError
            If that needs more than the budget of the analysis; its seconds count from now.

        Examples
        --------
        >>> from mines_dd import Board, analyse
        >>> analyse(Board.parse("#1###")).by_total
        {1: 2, 2: 4, 3: 2}
        """
        return self._whole.by_total(self._budget.renewed())

    @cached_property
    def log10_by_total(self) -> dict[int, float]:
        """For each possible total number of mines, the decimal logarithm of the number of layouts with it.

        Unlike `by_total` it is quick on boards of any size; the logarithms are right to about nine digits.

        Raises
        ------
        BudgetExceededError
            If the time of the analysis' budget, counted from now, is over.

        Examples
        --------
        >>> from mines_dd import Board, analyse
        >>> analyse(Board.parse("#1###")).log10_by_total[2]  # 4 layouts
        0.6020599913279624
        """
        if self._tilted is None and len(self.board.closed()) <= _FEW_CELLS:
            return {total: math.log10(n) for total, n in self.by_total.items()}
        counts = self._in_any_case.log_counts()
        return {total + self._whole.decided: log / _LN10 for total, log in counts.items()}

    def log_likelihood(self, kind: str = "game") -> dict[int, float]:
        """Return for each possible total the natural logarithm of the probability of what the board shows.

        `likeliest` says where it is greatest.

        Parameters
        ----------
        kind : str
            "game": somebody opened cells without knowing the mines, and none was a mine.  "puzzle": hints were put into
            cells drawn among the safe ones, as `Board.random` does.

        Notes
        -----
        All sets of M of the n cells are equally likely to be the mines.  So in a game it is the number of layouts as a
        share of C(n, M).  In a puzzle of h hints, each layout shows these hints with the probability 1 / C(n - M, h).

        Examples
        --------
        >>> from mines_dd import Board, analyse
        >>> likely = analyse(Board.parse("#1###")).log_likelihood()
        >>> {total: round(math.exp(log), 6) for total, log in likely.items()}  # 2 of 5 layouts of 1 mine are possible
        {1: 0.4, 2: 0.4, 3: 0.2}
        """
        require_choice(kind, ("game", "puzzle"), "kind of board")
        cells = self.board.size[0] * self.board.size[1]
        drawn = len(self.board.hints()) if kind == "puzzle" else 0
        return {
            total: log * _LN10 - log_binomial(cells, total) - log_binomial(cells - total, drawn)
            for total, log in self.log10_by_total.items()
        }

    def likeliest(self, kind: str = "game") -> list[int]:
        """Return the totals that explain the board best, ascending: those of the greatest `log_likelihood`.

        Likelihoods are doubles; those that do not differ by more than rounding may are taken as equal.

        Examples
        --------
        >>> from mines_dd import Board, analyse
        >>> analyse(Board.parse("#1###")).likeliest(), analyse(Board.parse("#1###")).likeliest("puzzle")
        ([1, 2], [2])
        """
        likelihood = self.log_likelihood(kind)
        least = max(likelihood.values()) - _EQUAL * (10 + self.board.size[0] * self.board.size[1])
        return [total for total, log in likelihood.items() if log >= least]

    def numbers(self, cell: Position) -> dict[int, Any]:
        """Return for each number that a closed cell may show, ascending, the probability that it is safe and shows it.

        The sum is the probability that the cell is safe.  Like `risk` these are Fractions or doubles; of doubles below
        1e-13 nothing is said.

        Raises
        ------
        MinesError
            If the cell is not closed; or if nothing is known about it or one of its neighbours, because it touches no
            hint and neither a total nor a density is given.
        BudgetExceededError
            If the time of the analysis' budget, counted from now, is over.

        Examples
        --------
        >>> from mines_dd import Board, analyse
        >>> analyse(Board.parse("#1###"), mines=2).numbers((0, 3))  # a mine with probability 1/2
        {1: Fraction(1, 4), 2: Fraction(1, 4)}
        """
        cell = require_position(cell)
        if self.board[cell] not in "#F":
            raise MinesError(f"the cell at {place(cell)} is not closed")
        if not self._knows(cell):
            raise MinesError(
                f"what the cell at {place(cell)} may show is not known: it or a neighbour touches no hint, and "
                "no total number of mines is given"
            )
        return dict(self._whole.shown(cell, self._doubles, self._budget.renewed()))

    @cached_property
    def openings(self) -> dict[Position, Any]:
        """For each closed cell the probability that it shows 0 and opens an area; only for cells that `numbers` knows.

        Raises
        ------
        BudgetExceededError
            If the time of the analysis' budget, counted from now, is over.  What was found is kept: asked again, it
            goes on.

        Examples
        --------
        >>> from mines_dd import Board, analyse
        >>> analyse(Board.parse("1###"), mines=1).openings
        {(0, 1): Fraction(0, 1), (0, 2): Fraction(0, 1), (0, 3): Fraction(1, 1)}
        """
        budget = self._budget.renewed()
        tilted = None if self._tilted is None else self._tilted.renewed(budget)
        cells = budget.each(p for p in self.risk if self._knows(p))
        return _OfClosed((p, self._whole.shown(p, tilted, budget).get(0, Fraction(0))) for p in cells)

    def sample(self, n: int = 1, seed: int | None = None) -> list[frozenset[Position]]:
        """Return `n` layouts with the total, each as its mines in closed cells, drawn independently.

        All layouts are equally likely, up to the rounding of doubles; with a density a layout is drawn by its
        probability; with neither, the assignments to the cells next to hints are.  The same seed gives the same ones.

        Raises
        ------
        MinesError
            If `n` is negative.
        BudgetExceededError
            If the time of the analysis' budget, counted from now, is over; or if there is not enough memory.

        Examples
        --------
        >>> from mines_dd import Board, analyse
        >>> [sorted(mines) for mines in analyse(Board.parse("#1#1##"), mines=3).sample(2, seed=1)]
        [[(0, 0), (0, 4), (0, 5)], [(0, 0), (0, 4), (0, 5)]]
        """
        import numpy as np

        n = require_whole(n, "the number of layouts to return", least=0)
        seed = None if seed is None else require_whole(seed, "the seed", least=0)
        tilted = self._in_any_case
        rng = np.random.default_rng(seed)
        return self._budget.renewed().repeated(n, lambda: self._whole.drawn(tilted, rng))

    @property
    def _doubles(self) -> TiltedBoard | None:
        """The parts in doubles, with the seconds of the budget counted from now."""
        return None if self._tilted is None else self._in_any_case

    @property
    def _in_any_case(self) -> TiltedBoard:
        """The parts in doubles, also of a board that is analysed in Fractions."""
        tilted = self._tilted or TiltedBoard(self._whole.components, len(self._whole.sea))
        return tilted.renewed(self._budget.renewed())

    @cached_property
    def dead(self) -> frozenset[Position]:
        """The closed cells, other than certain mines, that show the same number in every layout where they are safe.

        Opening such a cell gives no information but that it is safe.

        Raises
        ------
        BudgetExceededError
            If that needs more than the budget of the analysis; its seconds count from now.

        Examples
        --------
        >>> from mines_dd import Board, analyse
        >>> sorted(analyse(Board.parse("1##"), mines=1).dead)
        [(0, 2)]
        """
        budget = self._budget.renewed()
        if self._tilted is not None:
            budget.refuse(0, *self._whole.predicted())
        return frozenset(p for p in budget.each(self.board.closed()) if len(self._whole.shown(p, None, budget)) == 1)

    def _knows(self, cell: Position) -> bool:
        around = [cell, *(p for p in self.board.neighbours(cell) if self.board[p] in "#F")]
        return all(p in self.risk for p in around)

    def __repr__(self) -> str:
        """Say the main things."""
        certain = f"{counted(len(self.safe), 'safe cell')}, {counted(len(self.mines), 'certain mine')}"
        return f"<Analysis: {self._counted()}, {certain}>"

    def _repr_html_(self) -> str:
        """The board shaded by the probabilities, for notebooks."""
        caption = f"{self._counted()}; {len(self.safe)} safe, {len(self.mines)} certain mines"
        if self.safest is not None:
            caption += f"; safest to open (framed): {place(self.safest)}"
        return board_html(self.board.grid, self.risk, self.safest, caption)

    def _counted(self) -> str:
        what = "assignment" if self.total is None else "layout"
        what += "s" * (self.short_count != "1") + ("" if self.total is None else f" of {counted(self.total, 'mine')}")
        return f"{self.short_count} {what}"

    @property
    def short_count(self) -> str:
        """`count` for people: nine significant digits, or all if they are few; it costs nothing.

        Examples
        --------
        >>> from mines_dd import Board, analyse
        >>> analyse(Board.parse("###/#2#/###")).short_count
        '28'
        """
        return short_number(self.count) if self._tilted is None else power_of_ten(self.log10_count)


@memory_errors()
def analyse(
    board: Board,
    mines: int | None = None,
    density: float | Fraction | None = None,
    *,
    budget: Budget | None = None,
) -> Analysis:
    """Return the probability of a mine for each closed cell.

    On small boards it is a Fraction, on large ones a double with an estimate of its error, which is at most 1e-9.

    Parameters
    ----------
    board : Board
    mines : int, optional
        The total number of mines, known ones (`*`) included; by default that of the board, if it has one.  All
        layouts with this total are equally likely.
    density : float or Fraction, optional
        Used instead of a total: before any hint is known, each cell is a mine with this probability, independently.
    budget : Budget, optional
        Limits on nodes and seconds; by default only memory is limited.

    Raises
    ------
    InconsistentBoardError
        If there is no layout.  Its `hints` are a minimal set of hints that contradict each other, or empty if only
        the total is impossible.
    BoardFormatError
        If both a total and a density are given, or a density is not between 0 and 1.
    BudgetExceededError
        If more than the budget, or more memory than there is, would be needed.

    Examples
    --------
    >>> from mines_dd import Board, analyse
    >>> found = analyse(Board.parse("#1##/11##/####"), mines=3)
    >>> found.count, found.exact[0, 0], found.exact[1, 2]
    (3, Fraction(1, 1), Fraction(0, 1))
    """
    require_board(board)
    budget = Budget.of(budget)
    share = None if density is None else _as_share(density)
    if mines is not None and density is not None:
        raise BoardFormatError("give the total number of mines or their density, not both")
    if mines is not None:
        mines = require_whole(mines, TOTAL, BoardFormatError)
    border = Border.of(board, budget)
    if border is None:
        raise conflict_error(board, budget)
    total = board.mines if mines is None and density is None else mines
    return analysis_of(board, border, total, share, budget=budget)


def analysis_of(
    board: Board,
    border: Border,
    total: int | None = None,
    density: Fraction | None = None,
    *,
    budget: Budget | None = None,
) -> Analysis:
    """Return the analysis of a board with this border; arguments and errors as for `analyse`.

    Examples
    --------
    >>> from mines_dd import Board
    >>> board = Board.parse("#1#")
    >>> analysis_of(board, Border.of(board), total=1).exact
    {(0, 0): Fraction(1, 2), (0, 2): Fraction(1, 2)}
    """
    budget = Budget.of(budget)
    budget.check(0)
    whole = WholeBoard(board, border, total, density)
    budget.check(0)
    if whole.is_small:
        return _exactly(whole, budget)
    tilted = TiltedBoard(whole.components, len(whole.sea), budget)
    if total is not None and not contains(tilted.totals, total - whole.decided):
        raise _impossible(total, sums(tilted.totals, [(whole.decided, whole.decided)]))
    if total is not None:
        marginals = tilted.given(total - whole.decided)
    else:
        marginals = tilted.free(whole.tilt)
    if marginals.error > _RIGHT:
        return _exactly(whole, budget)
    risk, safe, mines = _in_doubles(whole, tilted, marginals, budget)
    log_count = marginals.log_count if total is not None else tilted.log_assignments
    return Analysis(
        board=_with_total(whole),
        total=total,
        density=density,
        risk=risk,
        safe=safe,
        mines=mines,
        log10_count=log_count / _LN10,
        error=marginals.error,
        _whole=whole,
        _tilted=tilted,
        _budget=budget,
    )


def _with_total(whole: WholeBoard) -> Board:
    """The board with the total that was asked about."""
    board, total = whole.board, whole.total
    return board if total in (None, board.mines) else replace(board, mines=total)


def _exactly(whole: WholeBoard, budget: Budget) -> Analysis:
    """The analysis in Fractions."""
    exact = _fractions(whole, budget)
    safe = frozenset(cell for cell, share in budget.each(exact.items()) if share == 0)
    mines = frozenset(cell for cell, share in budget.each(exact.items()) if share == 1)
    return Analysis(
        board=_with_total(whole),
        total=whole.total,
        density=whole.density,
        risk=exact,
        safe=safe,
        mines=mines,
        log10_count=math.log10(whole.layouts),
        error=0.0,
        _whole=whole,
        _tilted=None,
        _budget=budget,
    )


class _OfClosed(OfCells):
    why = (
        "is open, off the board, a mine that the board gives, or nothing is known of it: it touches no hint, and "
        "neither a number of mines nor a density is given"
    )


def _fractions(whole: WholeBoard, budget: Budget) -> dict[Position, Fraction]:
    """The probability of a mine in each closed cell of which something is known, exactly."""
    budget.refuse(0, *whole.predicted())
    if whole.total is not None and not contains(whole.totals, whole.total):
        raise _impossible(whole.total, whole.totals)
    exact: dict[Position, Fraction] = {}
    for cells, share in whole.probabilities(budget):
        exact.update(dict.fromkeys(cells, share))
    return _OfClosed(_row_by_row(exact, whole, budget))


def _row_by_row(shares: dict[Position, Any], whole: WholeBoard, budget: Budget) -> Iterator[tuple[Position, Any]]:
    return ((cell, shares[cell]) for cell in budget.each(whole.board.closed()) if cell in shares)


def _in_doubles(
    whole: WholeBoard, tilted: TiltedBoard, marginals: Marginals, budget: Budget
) -> tuple[dict[Position, float], frozenset[Position], frozenset[Position]]:
    """The probabilities in doubles, the safe cells and the mines; only of these is the probability 0 or 1."""
    rest = None if whole.total is None else whole.total - whole.decided
    safe_groups, full_groups, sea_is_safe, sea_is_mines = tilted.certain(rest, marginals)
    risk: dict[Position, float] = {}
    for part, shares in zip(whole.border.parts, marginals.groups, strict=True):
        for cells, share in zip(part.groups, shares.tolist(), strict=True):
            risk.update(dict.fromkeys(cells, min(max(share, _TINY), 1 - _EPSILON)))
    if whole.sea and (whole.total is not None or whole.density is not None):
        risk.update(dict.fromkeys(whole.sea, min(max(marginals.sea, _TINY), 1 - _EPSILON)))
    safe, mines = set(whole.border.safe), set(whole.border.mines)
    for found, groups in ((safe, safe_groups), (mines, full_groups)):
        for part, some in zip(whole.border.parts, groups, strict=True):
            for group in some:
                found.update(part.groups[group])
    if sea_is_safe or sea_is_mines:
        (safe if sea_is_safe else mines).update(whole.sea)
    risk.update(dict.fromkeys(safe, 0.0))
    risk.update(dict.fromkeys(mines, 1.0))
    return _OfClosed(_row_by_row(risk, whole, budget)), frozenset(safe), frozenset(mines)


def _impossible(total: int, totals: Runs) -> InconsistentBoardError:
    (least, _), (_, most) = totals[0], totals[-1]
    possible = f"only {in_words(totals)} {are(least)}" if least == most else f"{in_words(totals)} are"
    return InconsistentBoardError(
        f"{counted(total, 'mine')} {are(total)} impossible on this board; {possible} possible"
    )


def opened_around(board: Board) -> Counter[Position]:
    """Return for each cell how many opened ones are around it.

    Examples
    --------
    >>> opened_around(Board.parse("#1#/##1"))[1, 1]
    2
    """
    return Counter(cell for hint in board.hints() for cell in board.neighbours(hint))


def _as_share(density: float | Fraction) -> Fraction:
    try:
        share = as_written(density)
    except (TypeError, ValueError):  # nan is no fraction, nor are texts
        share = Fraction(0)
    if not 0 < share < 1:
        wrong = f"a density of {shown(density)} is impossible"
        raise BoardFormatError(f"{wrong}; write a number between 0 and 1, such as 0.2")
    return share
