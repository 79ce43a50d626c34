"""Why a cell is safe or a mine: minimal proofs, each a set of hints of which none can be left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mines_dd.answers.analysis import analyse
from mines_dd.answers.conflict import assignments_of, minimal_subset, restricted
from mines_dd.base.budget import Budget, memory_errors
from mines_dd.base.errors import MinesError
from mines_dd.base.wording import listed, place, rounded
from mines_dd.board.board import Board, Position, require_board, require_position
from mines_dd.board.look import short_number
from mines_dd.constraints.graph import Instance
from mines_dd.diagrams.possible import Possible
from mines_dd.diagrams.runs import contains, sums
from mines_dd.diagrams.tilting import Forest

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a cell is safe or a mine, or what its probability rests on.

    Attributes
    ----------
    cell : position
    verdict : "safe", "mine" or "open question"
    hints : tuple of positions
        A minimal set of hints that proves it; empty for an open question.
    needs_total : bool
        Whether the total number of mines is part of the proof.
    with_mine, without : int or None
        The number of assignments (with a total: of layouts) with a mine in the cell, and without; None on boards so
        large that these numbers would take long.
    probability : float
        Of a mine in the cell.
    """

    cell: Position
    verdict: str
    hints: tuple[Position, ...]
    needs_total: bool
    with_mine: int | None
    without: int | None
    probability: float

    def __repr__(self) -> str:
        """Say the main things; Python itself writes out no number of more than 4,300 digits."""
        return f"<Explanation: {self.text()}>"

    def text(self) -> str:
        """Return a sentence or two."""
        where = place(self.cell)
        if self.verdict == "open question":
            if self.with_mine is None or self.without is None:
                return f"{where} is not certain: a mine with probability {self.probability:.6g}."
            share = f"{short_number(self.with_mine)} of {short_number(self.with_mine + self.without)}"
            return (
                f"{where} is not certain: a mine in {share} ways to place the mines ({rounded(self.probability, 3)})."
            )
        reasons = [f"the hint at {place(hint)}" for hint in self.hints]
        if self.needs_total:
            reasons.append("the total number of mines")
        verdict = "safe" if self.verdict == "safe" else "a mine"
        minimal = "; none of them can be left out" if len(reasons) > 1 else ""
        return f"{where} is {verdict} because of {listed(reasons)}{minimal}."


@memory_errors()
def explain(board: Board, cell: Position, mines: int | None = None, *, budget: Budget | None = None) -> Explanation:
    """Return a minimal proof that a closed cell is safe or a mine, or the counts behind its probability.

    Without the total, a proof of one or two hints is found if there is one; of a longer one none can be left out, but
    there may be a shorter one elsewhere.

    Parameters
    ----------
    board : Board
    cell : (row, column)
    mines : int, optional
        The total number of mines; by default the board's own, if it says.
    budget : Budget, optional
        Limits on the nodes of each step and on the seconds of all; only memory by default.

    Raises
    ------
    MinesError
        If the cell is not closed; or if nothing is known of it, as it touches no hint and there is no total.
    InconsistentBoardError
        If the board has no assignment.
    BudgetExceededError
        If it needs more than the budget, or more memory than there is.

    Examples
    --------
    >>> from mines_dd import Board, explain
    >>> found = explain(Board.parse("#1#/#2#/#1#"), (1, 0))
    >>> found.verdict, found.hints
    ('safe', ((0, 1), (1, 1), (2, 1)))
    """
    require_board(board)
    budget, cell = Budget.of(budget), require_position(cell)
    if board[cell] not in "#F":
        raise MinesError(f"the cell at {place(cell)} is not closed")
    total = board.mines if mines is None else mines
    found = analyse(board, total, budget=budget)
    share = found.risk.get(cell)
    if share is None:
        raise MinesError(
            f"nothing is known of the cell at {place(cell)}: it touches no hint, and no total number of mines is given"
        )
    with_mine = without = None
    if not found.error:
        with_mine = int(share * found.count)
        without = found.count - with_mine
    if 0 < share < 1:
        return Explanation(cell, "open question", (), False, with_mine, without, float(share))
    instance = Instance.from_board(board)
    contrary = 1 if share == 0 else 0
    everything = list(range(len(instance.hints)))
    proves = _refuter(board, instance, cell, contrary, None, budget)
    needs_total = not proves(everything)
    if needs_total:
        proves = _refuter(board, instance, cell, contrary, total, budget)
    few = None if needs_total else next(filter(proves, _one_or_two(instance, cell)), None)
    chosen = minimal_subset(everything, proves) if few is None else few
    hints = tuple(instance.hints[h] for h in chosen)
    verdict = "safe" if share == 0 else "mine"
    return Explanation(cell, verdict, hints, needs_total, with_mine, without, float(share))  # type: ignore[arg-type]


def _one_or_two(instance: Instance, cell: Position) -> Iterator[list[int]]:
    """The hints of a cell one by one, then in pairs with those that share cells with them; no other pair is a proof."""
    of_cell: dict[int, list[int]] = defaultdict(list)
    for hint, cells in enumerate(instance.members):
        for one in cells:
            of_cell[one].append(hint)
    beside = of_cell[instance.cells.index(cell)]
    yield from ([hint] for hint in beside)
    pairs = {(min(a, b), max(a, b)) for a in beside for one in instance.members[a] for b in of_cell[one] if a != b}
    yield from map(list, sorted(pairs))


def _refuter(
    board: Board, instance: Instance, cell: Position, value: int, total: int | None, budget: Budget
) -> Callable[[Sequence[int]], bool]:
    """A test whether some hints (and the total) leave no room for the cell having this value."""
    closed = set(board.closed())
    known = len(board.known_mines())
    index = {label: i for i, label in enumerate(instance.cells)}

    def refutes(kept: Sequence[int]) -> bool:
        rows = [[*instance.members[h]] for h in kept] + ([[index[cell]]] if cell in index else [])
        counts = [[*instance.allowed[h]] for h in kept] + ([[value]] if cell in index else [])
        family = assignments_of(restricted(instance, rows, counts), budget)
        if family is None:
            return True
        if total is None:
            return False
        sea = len(closed) - len(family.cells)
        extra = 0
        if cell not in index:
            sea, extra = sea - 1, value
        rest = total - known - extra
        [numbers] = Possible(Forest.of([family])).of_roots
        return not contains(sums(numbers, [(0, sea)]), rest)

    return refutes
