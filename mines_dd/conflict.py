"""Minimal sets of hints: in conflict with each other, or enough to prove that a cell is safe or a mine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mines_dd.board import Board, Position
from mines_dd.budget import Budget, memory_errors
from mines_dd.circuit import FALSE
from mines_dd.compilers.tree import compile_tree
from mines_dd.errors import MinesError
from mines_dd.graph import Instance, connected
from mines_dd.orders.elimination import elimination_order
from mines_dd.queries import counts_by_mines
from mines_dd.simplify import simplify

__all__ = ["Explanation", "explain", "minimal_conflict"]


@memory_errors()
def minimal_conflict(instance: Instance, budget: Budget | None = None) -> tuple[Any, ...]:
    """Return hints that cannot hold together, while without any one of them they can; empty if consistent.

    Raises
    ------
    BudgetExceededError
        If it needs more than the budget, or more memory than there is.
    """
    limits = budget or Budget()

    def is_consistent(kept: Sequence[int]) -> bool:
        part = _restricted(instance, [instance.members[h] for h in kept], [instance.allowed[h] for h in kept])
        return _compiled(part, limits) is not None

    if is_consistent(range(len(instance.hints))):
        return ()
    for component in connected(instance.members):
        if not is_consistent(component):
            return tuple(instance.hints[h] for h in _minimal(component, lambda kept: not is_consistent(kept)))
    raise AssertionError("one component of an inconsistent instance is inconsistent")


@dataclass(frozen=True)
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
    with_mine, without : int
        The number of assignments (with a total: of layouts) with a mine in the cell, and without.
    """

    cell: Position
    verdict: str
    hints: tuple[Position, ...]
    needs_total: bool
    with_mine: int
    without: int

    def text(self) -> str:
        """Return a sentence or two."""
        r, c = self.cell
        place = f"row {r}, column {c}"
        if self.verdict == "open question":
            share = self.with_mine / (self.with_mine + self.without)
            return (
                f"{place} is not certain: a mine in {self.with_mine} of {self.with_mine + self.without} assignments "
                f"({share:.3f})."
            )
        reasons = [f"the hint at row {i}, column {j}" for i, j in self.hints]
        if self.needs_total:
            reasons.append("the total number of mines")
        because = " and ".join([", ".join(reasons[:-1]), reasons[-1]] if len(reasons) > 1 else reasons)
        verdict = "safe" if self.verdict == "safe" else "a mine"
        return f"{place} is {verdict} because of {because}; none of them can be left out."


@memory_errors()
def explain(board: Board, cell: Position, mines: int | None = None, *, budget: Budget | None = None) -> Explanation:
    """Return a minimal proof that a closed cell is safe or a mine, or the counts behind its probability.

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
        If the cell is not closed.
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
    from mines_dd.analysis import analyse

    budget = budget or Budget()
    if board[cell] not in "#F":
        raise MinesError(f"the cell at row {cell[0]}, column {cell[1]} is not closed")
    total = board.mines if mines is None else mines
    found = analyse(board, total, budget=budget)
    share = found.exact.get(cell)
    if share is None:
        raise MinesError(
            f"nothing is known of the cell at row {cell[0]}, column {cell[1]}: it touches no hint, and no total "
            "number of mines is given"
        )
    with_mine = int(share * found.count)
    if 0 < share < 1:
        return Explanation(cell, "open question", (), False, with_mine, found.count - with_mine)
    instance = Instance.from_board(board)
    contrary = 1 if share == 0 else 0
    everything = list(range(len(instance.hints)))
    proves = _refuter(board, instance, cell, contrary, None, budget)
    needs_total = not proves(everything)
    if needs_total:
        proves = _refuter(board, instance, cell, contrary, total, budget)
    hints = tuple(instance.hints[h] for h in _minimal(everything, proves))
    verdict = "safe" if share == 0 else "mine"
    return Explanation(cell, verdict, hints, needs_total, with_mine, found.count - with_mine)  # type: ignore[arg-type]


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
        family = _compiled(_restricted(instance, rows, counts), budget)
        if family is None:
            return True
        if total is None:
            return False
        sea = len(closed) - len(family.cells)
        extra = 0
        if cell not in index:
            sea, extra = sea - 1, value
        rest = total - known - extra
        return not any(k <= rest <= k + sea for k in counts_by_mines(family))

    return refutes


def _minimal(hints: Sequence[int], bad: Callable[[Sequence[int]], bool]) -> list[int]:
    """A subset that is still `bad` and would not be without any one of its hints; whole runs are tried first."""
    kept = list(hints)
    run = max(1, len(kept) // 2)
    while True:
        i = 0
        while i < len(kept):
            without = kept[:i] + kept[i + run :]
            if len(without) < len(kept) and bad(without):
                kept = without
            else:
                i += run
        if run == 1:
            return kept
        run //= 2


def _restricted(instance: Instance, members: Sequence[Sequence[int]], counts: Sequence[Sequence[int]]) -> Instance:
    """An instance of some hints, over the cells that they touch."""
    cells = sorted({cell for row in members for cell in row})
    number = {cell: i for i, cell in enumerate(cells)}
    rows = [[number[cell] for cell in row] for row in members]
    return Instance.build([instance.cells[cell] for cell in cells], range(len(rows)), rows, counts)


def _compiled(instance: Instance, budget: Budget) -> Any:
    """The circuit of an instance, or None if it is inconsistent."""
    reduced = simplify(instance)
    if not reduced.consistent:
        return None
    order = elimination_order(reduced.instance, "min-fill")
    circuit = compile_tree(reduced, instance.cells, order, budget=budget).circuit
    return None if circuit.root == FALSE else circuit
