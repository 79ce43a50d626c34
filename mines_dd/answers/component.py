"""A component of the border: its assignments by number of mines, and the mines of each of its cells.

The components of a border share only the total number of mines.  So the rest of the board needs to know only one
polynomial of a component: how many of its assignments have k mines, for each k.  And the component needs only one
weight for each k from the rest of the board: in how many ways the rest can be filled then.  For two hints of 1 on the
board a1b1c:

    assignments      {b} and {a, c}
    polynomial       z + z^2: at least 1 mine (`least`), and 1 way each with 1 and with 2 mines (`ways`)
    weights [2, 1]   {b} counts twice, {a, c} once: 3 in all; a is a mine in 1 of them, b in 2, c in 1 (`mines_in`)

Polynomials are packed into integers, and weights are a functional on them: see `diagrams.polynomials`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from mines_dd.base.budget import Budget
from mines_dd.diagrams import modular
from mines_dd.diagrams.circuit import TRUE, Circuit
from mines_dd.diagrams.interpolation import WORTH, weighted_flows, weighted_flows_seconds
from mines_dd.diagrams.mine_counts import by_mines, mines_range, predicted_seconds, root_polynomials
from mines_dd.diagrams.passes import (
    Factors,
    leaf_counts,
    leaf_flows,
    parents_first,
    root_counts,
    upward,
)
from mines_dd.diagrams.polynomials import coefficient_bits, evaluate, ones, pack, product_seconds, transposed

__all__ = ["Component", "Hints"]

Hints = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
"""For each hint the counts that it allows, and the indices of its groups."""

# Measured: seconds for a term of a circuit.
_SECONDS_A_TERM = 1e-5
# Measured: this many products of polynomials take as long as the passes up and down do for a term of two factors.
_PRODUCTS = 5.2
# Without weights, passes in plain Python are for this many terms at most; the others are modulo primes of 26 bits.
_FEW_TERMS = 100_000
_SECONDS_A_BIT = 4e-10


@dataclass(frozen=True, eq=False)
class Component:
    """Groups of cells and the hints on them, wherever they are on the board.

    Attributes
    ----------
    sizes : sequence of int
        The number of cells in each group.
    hints : sequence of (counts, groups)
        For each hint the counts it allows and its groups.
    circuit : Circuit
        All assignments.

    Examples
    --------
    >>> from mines_dd import Board
    >>> from mines_dd.answers.border import Border
    >>> [part] = Border.of(Board.parse("#1#1#")).parts
    >>> part.component.count, part.component.least, part.component.ways
    (2, 1, [1, 1])
    """

    sizes: Sequence[int]
    hints: Hints
    circuit: Circuit

    @cached_property
    def count(self) -> int:
        """The number of assignments."""
        return root_counts(self.circuit, [self.circuit.root])[0]

    @property
    def least(self) -> int:
        """The fewest mines of an assignment."""
        return self._by_mines[0]

    @property
    def ways(self) -> list[int]:
        """The number of assignments with `least`, `least` + 1, ... mines."""
        return self._by_mines[1]

    @cached_property
    def _by_mines(self) -> tuple[int, list[int]]:
        """`least` and `ways`."""
        return root_polynomials(self.circuit, [self.circuit.root])[0]

    @property
    def length(self) -> int:
        """How many numbers of mines there are from the fewest to the most."""
        return self._range[1][self.circuit.root] + 1

    @cached_property
    def _range(self) -> tuple[list[int], list[int]]:
        """The fewest mines of every node, and how many more the most are: its polynomial's degree."""
        return mines_range(self.circuit)

    def predicted(self, weight_bits: int | None = None) -> tuple[float, float]:
        """Return roughly the seconds and the bytes that `mines_in` needs with weights of so many bits, or without any.

        Examples
        --------
        >>> from mines_dd import Board
        >>> from mines_dd.answers.border import Border
        >>> [part] = Border.of(Board.parse("#1#1#")).parts
        >>> seconds, size = part.component.predicted(weight_bits=1000)
        >>> seconds < 0.01, size
        (True, 2006.0)
        """
        terms = self.circuit.term_count
        if weight_bits is None:
            passes = _SECONDS_A_TERM * min(terms, _FEW_TERMS) + _SECONDS_A_BIT * terms * self.log2_count
            return passes, len(self.circuit.leaf_group) * self.log2_count / 8
        packed, by_points = self._costs_with(self.count_bits + weight_bits + max(self.sizes).bit_length())
        return by_points if by_points[0] + WORTH < packed[0] else packed

    @property
    def ways_seconds(self) -> float:
        """Roughly the seconds that `ways` takes, the first time."""
        seconds = predicted_seconds(self.circuit, self._range[1], self.count_bits)
        return _SECONDS_A_TERM * self.circuit.term_count / 2 + seconds

    def _costs_with(self, bits: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """The seconds and bytes of weighted flows of so many bits, with packed polynomials and by interpolation."""
        circuit, length = self.circuit, np.array(self._range[1]) + 1.0
        products = product_seconds(bits, length[circuit.left], length[circuit.right])
        seconds = _SECONDS_A_TERM * circuit.term_count + _PRODUCTS * products[circuit.right != TRUE].sum()
        by_points = weighted_flows_seconds(circuit, int(length[circuit.root]), bits)
        return (float(seconds), float(length.sum() * bits / 4)), (by_points, len(circuit.leaf_group) * bits / 3)

    @cached_property
    def log2_count(self) -> float:
        """The binary logarithm of the number of assignments, nearly."""
        return float(modular.bits(self.circuit)[self.circuit.root])

    @property
    def count_bits(self) -> int:
        """The bits of the number of assignments, nearly."""
        return int(self.log2_count) + 1

    def _bits(self, largest: int) -> int:
        """The bits of a coefficient that can hold every sum of assignments with weights up to `largest`."""
        return coefficient_bits(self.count * max(largest, 1) * max(self.sizes))

    def mines_in(self, weights: Sequence[int] | None = None, budget: Budget | None = None) -> list[int]:
        """Return for each group the number of its mines, summed over all assignments with their weights.

        Parameters
        ----------
        weights : sequence of int, optional
            The weight of an assignment with `least`, `least` + 1, ... mines; by default 1.
        budget : Budget, optional

        Raises
        ------
        BudgetExceededError
            If the time is over.

        Examples
        --------
        >>> from mines_dd import Board
        >>> from mines_dd.answers.border import Border
        >>> [part] = Border.of(Board.parse("#1#1#")).parts
        >>> part.component.mines_in(), part.component.mines_in([2, 1])
        ([1, 1, 1], [1, 2, 1])
        """
        limits = Budget.of(budget)
        flows = self._flows_with(weights, limits) if weights else self._flows(limits)
        result = [0] * len(self.sizes)
        for (group, taken), flow in zip(self.circuit.leaves[1:], flows[1:], strict=True):
            result[group] += taken * flow
        return result

    def _flows(self, budget: Budget) -> list[int]:
        """The number of assignments in which each leaf holds."""
        return leaf_flows(self.circuit, Factors([self.circuit.root], []), budget).flow

    def _flows_with(self, weights: Sequence[int], budget: Budget) -> list[int]:
        """What the assignments in which each leaf holds weigh together, in the way that is predicted to be quicker."""
        bits = self._bits(max(weights))
        (packed, _), (by_points, _) = self._costs_with(bits)
        if packed <= by_points + WORTH:
            return self._packed_flows(weights, bits, budget)
        return weighted_flows(self.circuit, leaf_counts(self.circuit), self.least, weights, bits, budget)

    def _packed_flows(self, weights: Sequence[int], bits: int, budget: Budget) -> list[int]:
        """The same by a pass down of functionals.

        A functional on a node's polynomial holds the weights of its numbers of mines in reverse.  A term covers a part
        of these numbers; the functional's part for it is cut out and goes down to its factors.
        """
        ways = leaf_counts(self.circuit)
        least, degree = self._range
        values = [p for _, p in by_mines(self.circuit, bits, budget)]
        taken = self.circuit.leaf_taken.tolist()
        functional = [0] * len(values)
        functional[self.circuit.root] = pack(reversed(weights), bits)
        flow = [0] * len(ways)
        for node, terms in parents_first(self.circuit, budget):
            above, functional[node] = functional[node], 0  # not needed any more: frees memory
            if not above:
                continue
            for a, b, leaf in terms:
                first = least[a] + least[b] + taken[leaf] - least[node]
                beyond = degree[node] - degree[a] - degree[b] - first
                of_term = ways[leaf] * (above >> bits * beyond & ones(bits * (degree[a] + degree[b] + 1)))
                of_a = transposed(of_term, bits, degree[a], values[b], degree[b])
                functional[a] += of_a
                if b != TRUE:
                    functional[b] += transposed(of_term, bits, degree[b], values[a], degree[a])
                if leaf:
                    flow[leaf] += evaluate(of_a, bits, degree[a], values[a])
        return flow

    def by_mines_among(
        self, chosen: Mapping[int, tuple[int, int]], bits: int, stride: int, budget: Budget | None = None
    ) -> int:
        """Return the numbers of assignments with m + `least` mines, j of them among some cells, packed for all m and j.

        Parameters
        ----------
        chosen : mapping
            Group -> how many of its cells are among them, and how many of its other cells are to be safe.
        bits, stride : int
            The coefficient of m mines, j of them among the cells, is at bit `bits` * (m + `stride` * j).
        budget : Budget, optional

        Examples
        --------
        >>> from mines_dd import Board
        >>> from mines_dd.answers.border import Border
        >>> [part] = Border.of(Board.parse("#1#1#")).parts
        >>> hex(part.component.by_mines_among({0: (1, 0)}, bits=8, stride=2))  # {b}: m = j = 0; {a, c}: m = j = 1
        '0x1000001'
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
        return upward(self.circuit, weights, 0, 1, budget=budget)[self.circuit.root] >> bits * self.least
