"""The border in components that vary independently, each solved exactly and, if its shape comes again, once.

The border is the closed cells next to hints.  Reduction (`simplify`) decides some of its cells and leaves components:
hints that share no cell, directly or through others, with the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from mines_dd.answers.component import Component, Hints
from mines_dd.base.budget import Budget
from mines_dd.board.board import Board
from mines_dd.board.cells import CLOSED, FLAG, MINE, Position
from mines_dd.compilers.relaxation import tightened
from mines_dd.compilers.tree import plan_and_compile
from mines_dd.constraints.graph import Instance, connected
from mines_dd.constraints.simplify import Simplified, simplify
from mines_dd.diagrams.circuit import FALSE

__all__ = ["Border", "Part"]

# Components of more hints are worth several tries for an order, and are not remembered.
_LARGE = 200


@dataclass(frozen=True, eq=False)
class Part:
    """A component at its place on the board.

    Attributes
    ----------
    component : Component
    groups : list of list of positions
        The cells of its groups.
    """

    component: Component
    groups: list[list[Position]]

    @cached_property
    def cells(self) -> frozenset[Position]:
        """All its cells."""
        return frozenset(cell for cells in self.groups for cell in cells)

    def rows(self) -> Iterator[tuple[Sequence[int], list[Position]]]:
        """Yield the counts that each of its hints allows, and the hint's cells."""
        for allowed, groups in self.component.hints:
            yield allowed, [cell for group in groups for cell in self.groups[group]]


@dataclass(frozen=True, eq=False)
class Border:
    """The closed cells next to hints: those that reduction decided, and the components of the others.

    Attributes
    ----------
    mines, safe : frozenset of positions
    parts : tuple of Part
    """

    mines: frozenset[Position]
    safe: frozenset[Position]
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, board: Board, budget: Budget | None = None) -> Border | None:
        """Return the border of a board, or None if its hints are inconsistent.

        Raises
        ------
        BudgetExceededError
            If a component needs more than the budget, or more memory than there is.
        """
        return _reduced(Instance.from_board(board), Budget.of(budget))

    def opened(self, board: Board, opened: Collection[Position]) -> Border | None:
        """Return the border after some cells were opened, or None if the hints have become inconsistent.

        Only the components that hold one of the cells, or a neighbour of one, are computed again.

        Parameters
        ----------
        board : Board
            The board on which they are open.
        opened : collection of positions

        Raises
        ------
        BudgetExceededError
            As `of`.
        """
        if not self.mines.isdisjoint(opened):
            return None
        near = set(opened).union(*map(board.neighbours, opened))
        stale = [part for part in self.parts if not near.isdisjoint(part.cells)]
        rows = [self._row(board, cell) for cell in opened]
        rows += [(n, [c for c in cells if c not in opened]) for part in stale for n, cells in part.rows()]
        labels = sorted({cell for _, cells in rows for cell in cells})
        index = {cell: i for i, cell in enumerate(labels)}
        members = (sorted(index[cell] for cell in cells) for _, cells in rows)
        found = _reduced(Instance.build(labels, range(len(rows)), members, [allowed for allowed, _ in rows]), Budget())
        if found is None:
            return None
        kept = tuple(part for part in self.parts if near.isdisjoint(part.cells))
        return Border(self.mines | found.mines, (self.safe | found.safe).difference(opened), kept + found.parts)

    def _row(self, board: Board, hint: Position) -> tuple[Sequence[int], list[Position]]:
        """What an open cell asks of the cells around it that are not decided."""
        need = int(board[hint])
        cells = []
        for r, c in board.neighbours(hint):
            if board.grid[r][c] == MINE or (r, c) in self.mines:
                need -= 1
            elif board.grid[r][c] in CLOSED + FLAG and (r, c) not in self.safe:
                cells.append((r, c))
        return (need,), cells


def _reduced(instance: Instance, budget: Budget) -> Border | None:
    """What follows from the hints of an instance, or None if they are inconsistent."""
    simple, _ = tightened(instance, simplify(instance, budget), budget)
    if not simple.consistent:
        return None
    cells: Sequence[Position] = instance.cells  # type: ignore[assignment]
    sizes = simple.size.tolist()
    bounds, member = simple.group_start.tolist(), simple.group_cell.tolist()
    rows, allowed = simple.instance.members, simple.instance.allowed
    parts, nodes = [], 0
    for hints in connected(rows):
        number: dict[int, int] = {}
        shape_of_hints = tuple(
            (tuple(allowed[i]), tuple(number.setdefault(group, len(number)) for group in rows[i])) for i in hints
        )
        shape = tuple(sizes[group] for group in number), shape_of_hints
        budget.check(nodes)
        component = _remembered(*shape) if len(hints) <= _LARGE else _solved(*shape, budget)
        if component is None:
            return None
        nodes += component.circuit.node_count
        parts.append(Part(component, [[cells[i] for i in member[bounds[g] : bounds[g + 1]]] for g in number]))
    budget.check(nodes)
    mines, safe = (frozenset(cells[i] for i in some.tolist()) for some in (simple.mines, simple.safe))
    return Border(mines, safe, tuple(parts))


def _solved(sizes: tuple[int, ...], hints: Hints, budget: Budget | None = None) -> Component | None:
    """A component, or None if it has no assignment."""
    none = np.zeros(0, np.int32)
    start = np.append(0, np.cumsum(sizes)).astype(np.int32)
    rows = Instance.build(range(len(sizes)), range(len(hints)), [row for _, row in hints], [n for n, _ in hints])
    reduced = Simplified(True, none, none, start, np.arange(start[-1], dtype=np.int32), rows)
    order = "min-fill" if len(hints) <= _LARGE else "auto"
    circuit = plan_and_compile(reduced, range(int(start[-1])), order, budget=budget).circuit
    if circuit.root == FALSE:
        return None
    return Component(sizes, hints, circuit)


_remembered = lru_cache(maxsize=4096)(_solved)
