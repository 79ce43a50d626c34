"""Every closed cell's probability, and of the numbers it may show, with the total number of mines or their density.

How layouts are counted stands in `whole_board`, what a component of the border contributes in `component`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from mines_dd.answers.border import Border
from mines_dd.answers.conflict import conflict_error
from mines_dd.answers.whole_board import WholeBoard, require_affordable
from mines_dd.base.budget import Budget, memory_errors
from mines_dd.base.errors import BoardFormatError, InconsistentBoardError, MinesError
from mines_dd.board.board import Board, Position
from mines_dd.board.html import board_html
from mines_dd.board.look import short_number

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Analysis", "analyse", "analysis_of"]


@dataclass(frozen=True)
class Analysis:
    """What is known of a board.  Analyses of equal boards that say the same are equal.

    Attributes
    ----------
    board : Board
    total : int or None
        The number of mines of the whole board that was assumed.
    count : int
        The number of mine layouts of the whole board with that total; without one, of assignments to the cells next to
        hints.
    exact : dict
        Closed cell -> probability of a mine as a Fraction; cells away from all hints only with a total or a density.
    safe, mines : frozenset of cells
        Closed cells that are certain.

    Examples
    --------
    >>> from mines_dd import Board, analyse
    >>> found = analyse(Board.parse("#1#/###"))
    >>> found.count, found.safest, found.probability.tolist()[0]
    (5, (0, 0), [0.2, nan, 0.2])
    """

    board: Board
    total: int | None
    count: int
    exact: dict[Position, Fraction] = field(hash=False)
    safe: frozenset[Position]
    mines: frozenset[Position]
    _whole: WholeBoard = field(compare=False)

    @cached_property
    def probability(self) -> npt.NDArray[np.float64]:
        """The probabilities as a rows x columns matrix of doubles; nan where open or unknown, 1 on known mines."""
        import numpy as np

        grid = np.full(self.board.size, np.nan)
        for position in self.board.known_mines():
            grid[position] = 1.0
        for position, share in self.exact.items():
            grid[position] = float(share)
        return grid

    @property
    def safest(self) -> Position | None:
        """A cell of least probability; of these one with most opened neighbours, then the first.

        None if nothing is known of any closed cell, or all that are known hold a mine.  The best move is not always the
        safest one: `mines_dd.play.advice.advise` names it.
        """
        least = min(self.exact.values(), default=Fraction(1))
        if least == 1:
            return None

        def known_around(position: Position) -> int:
            return sum(self.board[p] in "012345678" for p in self.board.neighbours(position))

        return min((p for p, share in self.exact.items() if share == least), key=lambda p: (-known_around(p), p))

    @cached_property
    def by_total(self) -> dict[int, int]:
        """For every possible total number of mines, the number of layouts of the whole board that have it."""
        first, last = self._whole.possible
        return {total: self._whole.layouts_with(total) for total in range(first, last + 1)}

    def numbers(self, cell: Position) -> dict[int, Fraction]:
        """Return for each number that a closed cell can show the probability that it is safe and shows it, ascending.

        They add up to the probability that the cell is safe.

        Raises
        ------
        MinesError
            If the cell is not closed; or if without a total or a density nothing is known of it or of a neighbour.
        """
        r, c = cell
        if self.board[cell] not in "#F":
            raise MinesError(f"the cell at row {r}, column {c} is not closed")
        if not self._knows(cell):
            raise MinesError(
                f"what the cell at row {r}, column {c} may show is not known: it or a neighbour touches no hint, and "
                "no total number of mines is given"
            )
        return dict(self._whole.shown(cell))

    @cached_property
    def openings(self) -> dict[Position, Fraction]:
        """For each closed cell the probability that it shows 0 and so opens an area; only for those `numbers` knows."""
        return {p: self._whole.shown(p).get(0, Fraction(0)) for p in self.exact if self._knows(p)}

    @cached_property
    def dead(self) -> frozenset[Position]:
        """The closed cells, certain mines aside, that show the same number in all layouts in which they are safe.

        Opening them tells nothing but that they are safe.
        """
        return frozenset(p for p in self.board.closed() if len(self._whole.shown(p)) == 1)

    def _knows(self, cell: Position) -> bool:
        around = [cell, *(p for p in self.board.neighbours(cell) if self.board[p] in "#F")]
        return all(p in self.exact for p in around)

    def __repr__(self) -> str:
        """Say the main things."""
        return f"<Analysis: {self._counted()}, {len(self.safe)} safe cells, {len(self.mines)} certain mines>"

    def _repr_html_(self) -> str:
        """The board shaded by the probabilities, for notebooks."""
        caption = f"{self._counted()}; {len(self.safe)} safe, {len(self.mines)} certain mines"
        if self.safest is not None:
            caption += f"; safest to open (framed): row {self.safest[0]}, column {self.safest[1]}"
        return board_html(self.board.grid, self.exact, self.safest, caption)

    def _counted(self) -> str:
        what = "assignments" if self.total is None else f"layouts of {self.total} mines"
        return f"{short_number(self.count)} {what}"


@memory_errors()
def analyse(
    board: Board,
    mines: int | None = None,
    density: float | Fraction | None = None,
    *,
    budget: Budget | None = None,
) -> Analysis:
    """Return every closed cell's probability of a mine, exactly.

    Parameters
    ----------
    board : Board
    mines : int, optional
        The total number of mines, those known for certain (`*`) included; by default the board's own, if it says.
        All layouts with this total are equally likely.
    density : float or Fraction, optional
        In place of a total: each cell holds a mine independently with this probability, before the hints are looked at.
    budget : Budget, optional
        Limits on nodes and seconds; only memory by default.

    Raises
    ------
    InconsistentBoardError
        If there is no layout; `hints` is then a minimal set of hints in conflict (empty if only the total is to blame).
    BoardFormatError
        If both a total and a density are given, or a density is not between 0 and 1.
    BudgetExceededError
        If it needs more than the budget, or more memory than there is.

    Examples
    --------
    >>> from mines_dd import Board, analyse
    >>> found = analyse(Board.parse("#1##/11##/####"), mines=3)
    >>> found.count, found.exact[0, 0], found.exact[1, 2]
    (3, Fraction(1, 1), Fraction(0, 1))
    """
    budget = budget or Budget()
    if mines is not None and density is not None:
        raise BoardFormatError("give the total number of mines or their density, not both")
    share = None if density is None else _as_share(density)
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
    """Return the analysis of a board with this border; arguments and errors as for `analyse`."""
    budget = budget or Budget()
    if total is not None or density is not None:
        for part in border.parts:
            require_affordable(part.component, 1, budget)
    whole = WholeBoard(board, border, total, density)
    if not whole.layouts:
        first, last = whole.possible
        possible = f"{first} to {last} are" if first < last else f"only {first} is"
        raise InconsistentBoardError(f"{total} mines are impossible on this board; {possible} possible")
    exact: dict[Position, Fraction] = {}
    safe: list[Position] = []
    mines: list[Position] = []
    for cells, share in whole.probabilities(budget):
        exact.update(dict.fromkeys(cells, share))
        if share.denominator == 1:
            (mines if share else safe).extend(cells)
    exact = dict(sorted(exact.items()))
    return Analysis(board, total, whole.layouts, exact, frozenset(safe), frozenset(mines), whole)


def _as_share(density: float | Fraction) -> Fraction:
    share = Fraction(str(density)) if isinstance(density, float) else Fraction(density)
    if not 0 < share < 1:
        raise BoardFormatError(f"a density of {density} is impossible; write a number between 0 and 1")
    return share
