"""The border in components that vary independently, each solved exactly and, if its shape comes again, once.

The border is the closed cells next to hints.  Reduction (`simplify`) decides some of its cells and leaves components:
hints that share no cell, directly or through others, with the rest.  What a component has to say is a polynomial, its
assignments by number of mines, and one such polynomial for the mines of each of its groups of equal cells.

A polynomial is often held as one integer, its value at a power of two above all its coefficients (Kronecker
substitution): then sums and products are those of integers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

import numpy as np

from mines_dd.board import Board, Position
from mines_dd.budget import Budget
from mines_dd.circuit import FALSE, Circuit
from mines_dd.compilers.tree import compile_tree
from mines_dd.counting import Factors, leaf_counts, root_counts, upward, weighted_flows
from mines_dd.graph import Instance, connected
from mines_dd.order import elimination_order
from mines_dd.plan import tree_plan
from mines_dd.simplify import Simplified, simplify

__all__ = ["Border", "Component", "Part", "pack", "unpack", "whole_bytes"]

Hints = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
"""For each hint the counts it allows and its groups."""

# Components of more hints are planned (which takes longer than to compile a small one), and not remembered.
_LARGE = 200


@dataclass(frozen=True, eq=False)
class Component:
    """Groups of cells under hints, wherever on the board they are.

    Attributes
    ----------
    sizes : sequence of int
        The number of cells in each group.
    hints : sequence of (counts, groups)
        For each hint the counts it allows and its groups.
    least : int
        The fewest mines.
    ways : list of int
        The number of assignments with `least`, `least` + 1, ... mines.
    circuit : Circuit
        All assignments.
    bits : int
        Of a coefficient in `flows`.
    flows : list of int
        For each group, packed: the number of mines it has in all assignments together, by number of mines.
    """

    sizes: Sequence[int]
    hints: Hints
    least: int
    ways: list[int]
    circuit: Circuit
    bits: int
    flows: list[int]

    def mines_in(self, group: int) -> list[int]:
        """Return the mines of a group in all assignments with `least`, `least` + 1, ... mines together."""
        return unpack(self.flows[group] >> self.bits * self.least, self.bits)

    def by_mines_among(self, chosen: Mapping[int, tuple[int, int]], bits: int, stride: int) -> int:
        """Return the assignments by number of mines (less `least`) and of mines among some cells, packed.

        Parameters
        ----------
        chosen : mapping
            Group -> how many of its cells are among them, and how many others are known to be safe.
        bits, stride : int
            The coefficient of m mines, j of them among the cells, is at bit `bits` * (m + `stride` * j).
        """
        weights = []
        for group, taken in self.circuit.leaves:
            among, safe = chosen.get(group, (0, 0))
            rest = self.sizes[group] - among - safe if group >= 0 else 0
            splits = (
                comb(among, j) * comb(rest, taken - j) << bits * (taken + stride * j)
                for j in range(min(among, taken) + 1)
            )
            weights.append(sum(splits))
        return upward(self.circuit, weights, 0, 1)[self.circuit.root] >> bits * self.least


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
    def of(cls, board: Board) -> Border | None:
        """Return the border of a board, or None if its hints are inconsistent.

        Raises
        ------
        BudgetExceededError
            If a component needs more memory than there is.
        """
        return _reduced(Instance.from_board(board))

    def opened(self, board: Board, opened: Collection[Position]) -> Border | None:
        """Return the border after some cells were opened, or None if the hints have become inconsistent.

        Only the components that hold one of the cells, or a neighbour of one, are put together anew.

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
        found = _reduced(Instance.build(labels, range(len(rows)), members, [allowed for allowed, _ in rows]))
        if found is None:
            return None
        kept = tuple(part for part in self.parts if near.isdisjoint(part.cells))
        return Border(self.mines | found.mines, (self.safe | found.safe).difference(opened), kept + found.parts)

    def _row(self, board: Board, hint: Position) -> tuple[Sequence[int], list[Position]]:
        """What an open cell asks of the cells around it that are not decided."""
        need = int(board[hint])
        cells = []
        for r, c in board.neighbours(hint):
            if board.grid[r][c] == "*" or (r, c) in self.mines:
                need -= 1
            elif board.grid[r][c] in "#F" and (r, c) not in self.safe:
                cells.append((r, c))
        return (need,), cells


def _reduced(instance: Instance) -> Border | None:
    """What follows from the hints of an instance, or None if they are inconsistent."""
    simple = simplify(instance)
    if not simple.consistent:
        return None
    cells: Sequence[Position] = instance.cells  # type: ignore[assignment]
    sizes = simple.size.tolist()
    bounds, member = simple.group_start.tolist(), simple.group_cell.tolist()
    rows, allowed = simple.instance.members, simple.instance.allowed
    parts = []
    for hints in connected(rows):
        number: dict[int, int] = {}
        shape_of_hints = tuple(
            (tuple(allowed[i]), tuple(number.setdefault(group, len(number)) for group in rows[i])) for i in hints
        )
        shape = tuple(sizes[group] for group in number), shape_of_hints
        component = _remembered(*shape) if len(hints) <= _LARGE else _solved(*shape)
        if component is None:
            return None
        parts.append(Part(component, [[cells[i] for i in member[bounds[g] : bounds[g + 1]]] for g in number]))
    mines, safe = (frozenset(cells[i] for i in some.tolist()) for some in (simple.mines, simple.safe))
    return Border(mines, safe, tuple(parts))


def _solved(sizes: tuple[int, ...], hints: Hints) -> Component | None:
    """A component, or None if it has no assignment."""
    circuit = _compiled(sizes, hints)
    if circuit.root == FALSE:
        return None
    ways = leaf_counts(circuit)
    number = root_counts(circuit, [circuit.root])[0]
    bits = whole_bytes(number * max(sizes))
    packed = [n << bits * taken for n, (_, taken) in zip(ways, circuit.leaves, strict=True)]
    found = weighted_flows(circuit, Factors([circuit.root], []), packed)
    flows = [0] * len(sizes)
    for (group, taken), flow in zip(circuit.leaves[1:], found.flow[1:], strict=True):
        flows[group] += taken * flow
    by_mines = unpack(found.totals[0], bits)
    least = next(mines for mines, n in enumerate(by_mines) if n)
    return Component(sizes, hints, least, by_mines[least:], circuit, bits, flows)


_remembered = lru_cache(maxsize=4096)(_solved)


def _compiled(sizes: tuple[int, ...], hints: Hints) -> Circuit:
    none = np.zeros(0, np.int32)
    start = np.append(0, np.cumsum(sizes)).astype(np.int32)
    cells = range(int(start[-1]))
    rows = Instance.build(range(len(sizes)), range(len(hints)), [row for _, row in hints], [n for n, _ in hints])
    simple = Simplified(True, none, none, start, np.arange(start[-1], dtype=np.int32), rows)
    if len(hints) <= _LARGE:
        return compile_tree(simple, cells, elimination_order(rows, "min-fill")).circuit
    plan = tree_plan(simple)
    plan.require(Budget())
    return compile_tree(simple, cells, plan.order).circuit


def whole_bytes(largest: int) -> int:
    """Return a number of bits that holds `largest`, in whole bytes as `pack` needs it."""
    return (largest.bit_length() + 8) // 8 * 8


def pack(coefficients: Iterable[int], bits: int) -> int:
    """Return a polynomial's value at 2 ** bits."""
    return int.from_bytes(b"".join(n.to_bytes(bits // 8, "little") for n in coefficients), "little")


def unpack(packed: int, bits: int) -> list[int]:
    """Return the coefficients of a polynomial, given its value at 2 ** bits, up to the last that is not 0."""
    width = bits // 8
    data = packed.to_bytes((packed.bit_length() + 7) // 8, "little")
    return [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]
