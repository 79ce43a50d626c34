"""Minimal conflicts: hints that cannot hold together, while without any one of them they can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mines_dd.base.budget import Budget, memory_errors
from mines_dd.base.errors import InconsistentBoardError
from mines_dd.base.wording import place
from mines_dd.board.board import Board, Position
from mines_dd.compilers.tree import plan_and_compile
from mines_dd.constraints.graph import Instance, connected
from mines_dd.constraints.simplify import simplify
from mines_dd.diagrams.circuit import FALSE, Circuit

__all__ = ["assignments_of", "conflict_error", "minimal_conflict", "minimal_subset", "restricted"]


@memory_errors()
def minimal_conflict(instance: Instance, budget: Budget | None = None) -> tuple[Any, ...]:
    """Return hints that cannot hold together, while without any one of them they can; empty if consistent.

    Raises
    ------
    BudgetExceededError
        If it needs more than the budget, or more memory than there is.
    """
    limits = Budget.of(budget)

    def is_consistent(kept: Sequence[int]) -> bool:
        part = restricted(instance, [instance.members[h] for h in kept], [instance.allowed[h] for h in kept])
        return assignments_of(part, limits) is not None

    if is_consistent(range(len(instance.hints))):
        return ()
    for component in connected(instance.members):
        if not is_consistent(component):
            return tuple(instance.hints[h] for h in minimal_subset(component, lambda kept: not is_consistent(kept)))
    raise AssertionError("one component of an inconsistent instance is inconsistent")


def conflict_error(board: Board, budget: Budget | None = None) -> InconsistentBoardError:
    """Return the error that tells which hints of an inconsistent board, and known mines, are in conflict."""
    hints = minimal_conflict(Instance.from_board(board), budget)
    mines = _mines_in_conflict(board, hints, Budget.of(budget))
    text = "; ".join(f"{board[hint]} at {place(hint)}" for hint in hints)
    if mines:
        text += f"; with the known mine{'s' * (len(mines) > 1)} at {'; '.join(map(place, mines))}"
    what = "this hint" if len(hints) == 1 else "these hints together"
    return InconsistentBoardError(f"no mine assignment satisfies {what}: {text}", hints, mines)


def _mines_in_conflict(board: Board, hints: Sequence[Position], budget: Budget) -> list[Position]:
    """The known mines without any one of which, were that cell only closed, the hints could hold together."""
    around = [[cell for cell in board.neighbours(hint) if board[cell] in "#F*"] for hint in hints]
    cells = sorted({cell for row in around for cell in row})
    known = [i for i, cell in enumerate(cells) if board[cell] == "*"]
    rows = [[cells.index(cell) for cell in row] for row in around]

    def is_inconsistent(kept: Sequence[int]) -> bool:
        members, counts = [*rows, *([i] for i in kept)], [*(int(board[hint]) for hint in hints), *(1 for _ in kept)]
        allowed = [[count] if count <= len(row) else [] for row, count in zip(members, counts, strict=True)]
        instance = Instance.build(cells, range(len(members)), members, allowed)
        return assignments_of(instance, budget) is None

    return [cells[i] for i in minimal_subset(known, is_inconsistent)]


def minimal_subset(hints: Sequence[int], bad: Callable[[Sequence[int]], bool]) -> list[int]:
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


def restricted(instance: Instance, members: Sequence[Sequence[int]], counts: Sequence[Sequence[int]]) -> Instance:
    """An instance of some hints, over the cells that they touch."""
    cells = sorted({cell for row in members for cell in row})
    number = {cell: i for i, cell in enumerate(cells)}
    rows = [[number[cell] for cell in row] for row in members]
    return Instance.build([instance.cells[cell] for cell in cells], range(len(rows)), rows, counts)


def assignments_of(instance: Instance, budget: Budget) -> Circuit | None:
    """Return the circuit of an instance, or None if it has no assignment; one quick order is enough."""
    circuit = plan_and_compile(simplify(instance, budget), instance.cells, "min-fill", budget=budget).circuit
    return None if circuit.root == FALSE else circuit
