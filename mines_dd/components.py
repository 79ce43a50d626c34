"""The border in components that vary independently, each solved exactly and, if its shape comes again, once.

The border is the closed cells next to hints.  Reduction (`simplify`) decides some of its cells and leaves components:
hints that share no cell, directly or through others, with the rest.  What a component has to say is a polynomial, its
assignments by number of mines, and one such polynomial for the mines of each of its groups of equal cells.

A polynomial is often held as one integer, its value at a power of two above all its coefficients (Kronecker
substitution): then sums and products are those of integers.

What a node of a circuit contributes to the whole is a *functional* on its polynomial: a weight for each number of
mines.  It has as many numbers as the polynomial, where the derivative of the whole by the node has nearly as many as
the whole.  Functionals are passed down by the transposes of products, which are slices of products with the weights in
reverse (A. Bostan, G. Lecerf, E. Schost, "Tellegen's principle into practice", ISSAC 2003).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

import numpy as np

from mines_dd.board import Board, Position
from mines_dd.budget import Budget
from mines_dd.circuit import FALSE, TRUE, Circuit
from mines_dd.compilers.tree import compile_tree
from mines_dd.counting import Factors, leaf_counts, leaf_flows, root_counts, upward
from mines_dd.graph import Instance, connected
from mines_dd.orders.elimination import elimination_order
from mines_dd.plan import tree_plan
from mines_dd.simplify import Simplified, simplify

__all__ = ["Border", "Component", "Part", "applied", "pack", "transposed", "unpack", "whole_bytes"]

Hints = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
"""For each hint the counts it allows and its groups."""

# Components of more hints are planned (which takes longer than to compile a small one), and not remembered.
_LARGE = 200

# Measured: seconds of a term of a circuit, and of a step of the multiplication of long integers (Karatsuba's), which
# takes the shorter to the power of 1.585 for each piece of that length of the longer.
_SECONDS_A_TERM = 1e-5
_SECONDS_A_DIGIT = 1.3e-10


@dataclass(frozen=True, eq=False)
class Component:
    """Groups of cells under hints, wherever on the board they are.

    Attributes
    ----------
    sizes : sequence of int
        The number of cells in each group.
    hints : sequence of (counts, groups)
        For each hint the counts it allows and its groups.
    circuit : Circuit
        All assignments.
    number : int
        Of assignments.
    """

    sizes: Sequence[int]
    hints: Hints
    circuit: Circuit
    number: int

    @cached_property
    def least(self) -> int:
        """The fewest mines."""
        return self.ranges[0][self.circuit.root]

    @cached_property
    def ways(self) -> list[int]:
        """The number of assignments with `least`, `least` + 1, ... mines."""
        bits = whole_bytes(self.number)
        return unpack(self._values(bits)[self.circuit.root], bits)

    @cached_property
    def ranges(self) -> tuple[list[int], list[int]]:
        """The fewest mines of every node, and how many more it may have."""
        start, left, right, leaf = self.circuit.terms
        taken = [t for _, t in self.circuit.leaves]
        low, high = [0] * (len(start) - 1), [0] * (len(start) - 1)
        for node in range(2, len(low)):
            terms = [(left[t], right[t], taken[leaf[t]]) for t in range(start[node], start[node + 1])]
            low[node] = min((low[a] + low[b] + more for a, b, more in terms), default=0)
            high[node] = max((high[a] + high[b] + more for a, b, more in terms), default=0)
        return low, [most - least for least, most in zip(low, high, strict=True)]

    def _values(self, bits: int) -> list[int]:
        """Every node's polynomial from its fewest mines on, packed."""
        start, left, right, leaf = self.circuit.terms
        ways, taken = leaf_counts(self.circuit), [t for _, t in self.circuit.leaves]
        low, _ = self.ranges
        values = [0] * (len(start) - 1)
        values[TRUE] = 1
        for node in range(2, len(values)):
            total = 0
            for t in range(start[node], start[node + 1]):
                a, b, x = left[t], right[t], leaf[t]
                term = ways[x] * values[a] * values[b]
                total += term << bits * (low[a] + low[b] + taken[x] - low[node])
            values[node] = total
        return values

    def predicted(self, largest: int) -> tuple[float, float]:
        """Return about how many seconds and bytes `mines_in` takes with weights up to `largest`."""
        bits = self._bits(largest)
        length = np.array(self.ranges[1]) + 1.0
        a, b = length[self.circuit.left], length[self.circuit.right]
        is_product = self.circuit.right != TRUE
        digits = (bits**1.585 * np.minimum(a, b) ** 0.585 * (a + b))[is_product].sum()
        seconds = _SECONDS_A_TERM * self.circuit.term_count + _SECONDS_A_DIGIT * digits
        return float(seconds), float(length.sum() * bits / 4)

    def _bits(self, largest: int) -> int:
        return whole_bytes(self.number * max(largest, 1) * max(self.sizes))

    def mines_in(self, weights: Sequence[int] | None = None, budget: Budget | None = None) -> list[int]:
        """Return for each group the mines it has in all assignments together, weighted by their number of mines.

        Parameters
        ----------
        weights : sequence of int, optional
            For the assignments with `least`, `least` + 1, ... mines; by default they all count 1.
        budget : Budget, optional

        Raises
        ------
        BudgetExceededError
            If there is no time left.
        """
        flows = self._weighted_flows(weights, budget or Budget()) if weights else self._flows()
        result = [0] * len(self.sizes)
        for (group, taken), flow in zip(self.circuit.leaves[1:], flows[1:], strict=True):
            result[group] += taken * flow
        return result

    def _flows(self) -> list[int]:
        return leaf_flows(self.circuit, Factors([self.circuit.root], [])).flow

    def _weighted_flows(self, weights: Sequence[int], budget: Budget) -> list[int]:
        """What the assignments in which each leaf holds weigh together."""
        start, left, right, leaf = self.circuit.terms
        ways, taken = leaf_counts(self.circuit), [t for _, t in self.circuit.leaves]
        bits = self._bits(max(weights))
        low, span = self.ranges
        values = self._values(bits)
        functional = [0] * len(values)
        functional[self.circuit.root] = pack(reversed(weights), bits)
        flow = [0] * len(ways)
        for node in range(self.circuit.root, TRUE, -1):
            above, functional[node] = functional[node], 0  # of no use below: it makes room
            if not above:
                continue
            if not node % 64:
                budget.check(0)
            for t in range(start[node], start[node + 1]):
                a, b, x = left[t], right[t], leaf[t]
                # the weights, in reverse, that the numbers of mines of the term meet
                unmet = span[node] - span[a] - span[b] - (low[a] + low[b] + taken[x] - low[node])
                met = ways[x] * (above >> bits * unmet & _ones(bits * (span[a] + span[b] + 1)))
                of_a = transposed(met, bits, span[a], values[b], span[b])
                functional[a] += of_a
                if b != TRUE:
                    functional[b] += transposed(met, bits, span[b], values[a], span[a])
                if x:
                    flow[x] += applied(of_a, bits, span[a], values[a])
        return flow

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
    def of(cls, board: Board, budget: Budget | None = None) -> Border | None:
        """Return the border of a board, or None if its hints are inconsistent.

        Raises
        ------
        BudgetExceededError
            If a component needs more than the budget, or more memory than there is.
        """
        return _reduced(Instance.from_board(board), budget or Budget())

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
            if board.grid[r][c] == "*" or (r, c) in self.mines:
                need -= 1
            elif board.grid[r][c] in "#F" and (r, c) not in self.safe:
                cells.append((r, c))
        return (need,), cells


def _reduced(instance: Instance, budget: Budget) -> Border | None:
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
        budget.check(0)
        component = _remembered(*shape) if len(hints) <= _LARGE else _solved(*shape, budget)
        if component is None:
            return None
        parts.append(Part(component, [[cells[i] for i in member[bounds[g] : bounds[g + 1]]] for g in number]))
    mines, safe = (frozenset(cells[i] for i in some.tolist()) for some in (simple.mines, simple.safe))
    return Border(mines, safe, tuple(parts))


def _solved(sizes: tuple[int, ...], hints: Hints, budget: Budget | None = None) -> Component | None:
    """A component, or None if it has no assignment."""
    circuit = _compiled(sizes, hints, budget or Budget())
    if circuit.root == FALSE:
        return None
    return Component(sizes, hints, circuit, root_counts(circuit, [circuit.root])[0])


_remembered = lru_cache(maxsize=4096)(_solved)


def _compiled(sizes: tuple[int, ...], hints: Hints, budget: Budget) -> Circuit:
    none = np.zeros(0, np.int32)
    start = np.append(0, np.cumsum(sizes)).astype(np.int32)
    cells = range(int(start[-1]))
    rows = Instance.build(range(len(sizes)), range(len(hints)), [row for _, row in hints], [n for n, _ in hints])
    simple = Simplified(True, none, none, start, np.arange(start[-1], dtype=np.int32), rows)
    if len(hints) <= _LARGE:
        return compile_tree(simple, cells, elimination_order(rows, "min-fill")).circuit
    plan = tree_plan(simple)
    plan.require(budget)
    return compile_tree(simple, cells, plan.order, budget=budget, steps=plan.steps).circuit


def transposed(functional: int, bits: int, span: int, factor: int, factor_span: int) -> int:
    """Return the functional that gives for a polynomial what `functional` gives for its product with a factor.

    Parameters
    ----------
    functional : int
        The weights of the powers from `span` + `factor_span` down to 0, packed.
    bits : int
        Of each, with room for all sums.
    span, factor_span : int
        The degrees of the polynomial and of the factor.
    factor : int
        Packed.
    """
    return (functional * factor >> bits * factor_span) & _ones(bits * (span + 1))


def applied(functional: int, bits: int, span: int, polynomial: int) -> int:
    """Return what a functional gives for a polynomial of degree `span`; see `transposed`."""
    if not span:
        return functional * polynomial
    weights, coefficients = unpack(functional, bits), unpack(polynomial, bits)
    first = max(0, span + 1 - len(weights))
    return sum(n * weights[span - i] for i, n in enumerate(coefficients[first:], first) if n)


@lru_cache(maxsize=256)
def _ones(bits: int) -> int:
    return (1 << bits) - 1


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
