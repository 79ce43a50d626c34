"""A component of the border: its assignments by number of mines, and where those mines are.

Components meet only in the total number of mines.  So all that one has to say of itself is a polynomial, the number of
its assignments with each number of mines; and the rest of the board says to it only a weight for each of these numbers,
with which it finds the mines of each of its groups.  For hints a + b = 1 and b + c = 1 (each of one cell):

    assignments       {b}, {a, c}         polynomial       z + z^2, held from its fewest mines on: least 1, ways [1, 1]
    weights [2, 1]    2 * z + 1 * z^2     everything 3     mines of a: 1, of b: 2, of c: 1

Polynomials are packed into integers, and weights are a functional on them: see `diagrams.polynomials`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from mines_dd.base.budget import Budget
from mines_dd.diagrams.circuit import TRUE, Circuit
from mines_dd.diagrams.passes import Factors, leaf_counts, leaf_flows, parents_first, upward
from mines_dd.diagrams.polynomials import coefficient_bits, evaluate, ones, pack, transposed, unpack

__all__ = ["Component", "Hints"]

Hints = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
"""For each hint the counts it allows and its groups."""

# Measured: seconds of a term of a circuit, and of a step of the multiplication of long integers (Karatsuba's), which
# takes the shorter to the power of 1.585 for each piece of that length of the longer.
_SECONDS_A_TERM = 1e-5
_SECONDS_A_DIGIT = 1.3e-10

_FAR = 1 << 62
"""More mines than any component has."""


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
    count : int
        Of assignments.
    """

    sizes: Sequence[int]
    hints: Hints
    circuit: Circuit
    count: int

    @cached_property
    def least(self) -> int:
        """The fewest mines."""
        return self._least[self.circuit.root]

    @cached_property
    def ways(self) -> list[int]:
        """The number of assignments with `least`, `least` + 1, ... mines."""
        bits = coefficient_bits(self.count)
        return unpack(self._polynomials(bits)[self.circuit.root], bits)

    @cached_property
    def _taken(self) -> list[int]:
        """The mines of each leaf."""
        return [taken for _, taken in self.circuit.leaves]

    @cached_property
    def _least(self) -> list[int]:
        """The fewest mines of every node."""
        return upward(self.circuit, self._taken, _FAR, 0, min, operator.add)

    @cached_property
    def _degree(self) -> list[int]:
        """How many more mines than its fewest every node may have: the degree of its polynomial."""
        most = upward(self.circuit, self._taken, -_FAR, 0, max, operator.add)
        return [high - low if high >= low else 0 for low, high in zip(self._least, most, strict=True)]

    def _polynomials(self, bits: int) -> list[int]:
        """Every node's assignments by number of mines, from its fewest on, packed."""

        def plus(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
            (low, p), (least, q) = one, other
            return (low, p + (q << bits * (least - low))) if low <= least else (least, q + (p << bits * (low - least)))

        def times(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
            return one[0] + other[0], one[1] * other[1]

        leaves = list(zip(self._taken, leaf_counts(self.circuit), strict=True))
        return [p for _, p in upward(self.circuit, leaves, (_FAR, 0), (0, 1), plus, times)]

    def predicted(self, largest: int) -> tuple[float, float]:
        """Return about how many seconds and bytes `mines_in` takes with weights up to `largest`."""
        bits = self._bits(largest)
        length = np.array(self._degree) + 1.0
        a, b = length[self.circuit.left], length[self.circuit.right]
        is_product = self.circuit.right != TRUE
        digits = (bits**1.585 * np.minimum(a, b) ** 0.585 * (a + b))[is_product].sum()
        seconds = _SECONDS_A_TERM * self.circuit.term_count + _SECONDS_A_DIGIT * digits
        return float(seconds), float(length.sum() * bits / 4)

    def _bits(self, largest: int) -> int:
        """Bits with room for every sum of assignments with weights up to `largest`."""
        return coefficient_bits(self.count * max(largest, 1) * max(self.sizes))

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
        flows = self._flows_with(weights, budget or Budget()) if weights else self._flows()
        result = [0] * len(self.sizes)
        for (group, taken), flow in zip(self.circuit.leaves[1:], flows[1:], strict=True):
            result[group] += taken * flow
        return result

    def _flows(self) -> list[int]:
        """The number of assignments in which each leaf holds."""
        return leaf_flows(self.circuit, Factors([self.circuit.root], [])).flow

    def _flows_with(self, weights: Sequence[int], budget: Budget) -> list[int]:
        """What the assignments in which each leaf holds weigh together: a pass down of functionals.

        A functional on a node's polynomial holds the weights of its numbers of mines in reverse.  A term covers a part
        of these numbers; the functional's part for it is cut out and goes down to its factors.
        """
        ways = leaf_counts(self.circuit)
        bits = self._bits(max(weights))
        least, degree, values = self._least, self._degree, self._polynomials(bits)
        functional = [0] * len(values)
        functional[self.circuit.root] = pack(reversed(weights), bits)
        flow = [0] * len(ways)
        for node, terms in parents_first(self.circuit):
            above, functional[node] = functional[node], 0  # of no use below: it makes room
            if not above:
                continue
            if not node % 64:
                budget.check(0)
            for a, b, leaf in terms:
                first = least[a] + least[b] + self._taken[leaf] - least[node]
                beyond = degree[node] - degree[a] - degree[b] - first
                of_term = ways[leaf] * (above >> bits * beyond & ones(bits * (degree[a] + degree[b] + 1)))
                of_a = transposed(of_term, bits, degree[a], values[b], degree[b])
                functional[a] += of_a
                if b != TRUE:
                    functional[b] += transposed(of_term, bits, degree[b], values[a], degree[a])
                if leaf:
                    flow[leaf] += evaluate(of_a, bits, degree[a], values[a])
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
