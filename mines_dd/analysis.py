"""Every closed cell's probability, with the total number of mines or their density.

Components of the board meet only in the total: each gives a polynomial, its assignments by number of mines; cells away
from all hints (the *sea*) give binomials.  Everything is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING

from mines_dd.assignments import Assignments
from mines_dd.board import Board, Position
from mines_dd.conflict import minimal_conflict
from mines_dd.counting import Flows, factors, leaf_counts, product, weighted_flows
from mines_dd.errors import BoardFormatError, InconsistentBoardError
from mines_dd.graph import Instance
from mines_dd.queries import count
from mines_dd.solver import solve

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Analysis", "analyse"]


@dataclass(frozen=True, eq=False)
class Analysis:
    """What is known of a board.

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
    """

    board: Board
    total: int | None
    count: int
    exact: dict[Position, Fraction]
    safe: frozenset[Position]
    mines: frozenset[Position]
    _layouts: _Layouts

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
    def best(self) -> Position | None:
        """A cell to open: of least probability, of these one with most opened neighbours, then the first; or None."""
        if not self.exact:
            return None
        least = min(self.exact.values())

        def known_around(position: Position) -> int:
            return sum(self.board[p] in "012345678" for p in self.board.neighbours(position))

        return min((p for p, share in self.exact.items() if share == least), key=lambda p: (-known_around(p), p))

    @cached_property
    def by_total(self) -> dict[int, int]:
        """For every possible total number of mines, the number of layouts of the whole board that have it."""
        first, last = self._layouts.possible
        return {total: self._layouts.count(total) for total in range(first, last + 1)}

    def __repr__(self) -> str:
        """Say the main things."""
        return f"<Analysis: {self.count} layouts, {len(self.safe)} safe cells, {len(self.mines)} certain mines>"


def analyse(board: Board, mines: int | None = None, density: float | Fraction | None = None) -> Analysis:
    """Return every closed cell's probability of a mine, exactly.

    Parameters
    ----------
    board : Board
    mines : int, optional
        The total number of mines, those known for certain (`*`) included; by default the board's own, if it says.
        All layouts with this total are equally likely.
    density : float or Fraction, optional
        In place of a total: each cell holds a mine independently with this probability, before the hints are looked at.

    Raises
    ------
    InconsistentBoardError
        If there is no layout; `hints` is then a minimal set of hints in conflict (empty if only the total is to blame).
    BoardFormatError
        If both a total and a density are given, or a density is not between 0 and 1.
    """
    if mines is not None and density is not None:
        raise BoardFormatError("give the total number of mines or their density, not both")
    family = solve(board, "tree")
    if not family:
        hints = minimal_conflict(Instance.from_board(board))
        where = ", ".join(f"{board[r, c]} at row {r}, column {c}" for r, c in hints)
        raise InconsistentBoardError(f"no mine assignment satisfies these hints together: {where}", hints)
    layouts = _Layouts(board, family)
    total = board.mines if mines is None and density is None else mines
    if density is not None:
        exact = layouts.probabilities_by_density(_as_share(density))
        number = count(family.circuit)
    elif total is None:
        exact = {cell: share for cell, share in family.probabilities().items() if isinstance(cell, tuple)}
        number = family.count()
    else:
        number = layouts.count(total)
        if number == 0:
            first, last = layouts.possible
            raise InconsistentBoardError(f"{total} mines are impossible on this board; {first} to {last} are possible")
        exact = layouts.probabilities(total, number)
    exact = dict(sorted(exact.items()))
    safe = frozenset(cell for cell, share in exact.items() if share == 0)
    certain = frozenset(cell for cell, share in exact.items() if share == 1)
    return Analysis(board, total, number, exact, safe, certain, layouts)


def _as_share(density: float | Fraction) -> Fraction:
    share = Fraction(str(density)) if isinstance(density, float) else Fraction(density)
    if not 0 < share < 1:
        raise BoardFormatError(f"a density of {density} is impossible; write a number between 0 and 1")
    return share


class _Layouts:
    """The layouts of a whole board: components and sea."""

    def __init__(self, board: Board, family: Assignments) -> None:
        self.family = family
        self.sea = sorted(set(board.closed()).difference(family.cells))
        circuit = family.circuit
        self.parts = factors(circuit)
        ways = leaf_counts(circuit)
        taken = [mines for _, mines in circuit.leaves]
        # mines that are there in any case: known ones, and those of leaves that always hold
        self.ways = product(ways[leaf] for leaf in self.parts.leaves)
        self.certain = len(board.known_mines()) + sum(taken[leaf] for leaf in self.parts.leaves)
        plain = weighted_flows(circuit, self.parts, ways)
        bits = max((n.bit_length() for n in plain.totals), default=0) + 1
        packed = weighted_flows(
            circuit, self.parts, [way << (bits * mines) for way, mines in zip(ways, taken, strict=True)]
        )
        self.flows: Flows = packed
        self.bits = bits
        self.components = [_unpacked(value, bits) for value in packed.totals]

    @cached_property
    def border(self) -> list[int]:
        """The assignments of all components by their number of mines."""
        return _product(self.components)

    @property
    def possible(self) -> tuple[int, int]:
        """The least and the greatest total."""
        numbers = [k for k, n in enumerate(self.border) if n]
        return self.certain + numbers[0], self.certain + numbers[-1] + len(self.sea)

    def count(self, total: int) -> int:
        """The number of layouts with so many mines."""
        return self.ways * _paired(self.border, self._in_sea(total, len(self.border)))

    def _in_sea(self, total: int, numbers: int) -> list[int]:
        """For 0, 1, ... mines in the components the number of ways to put the others into the sea."""
        rest = total - self.certain
        return [comb(len(self.sea), rest - k) if rest >= k else 0 for k in range(numbers)]

    def probabilities(self, total: int, number: int) -> dict[Position, Fraction]:
        """Every closed cell's probability with a total that has `number` layouts."""
        in_sea = self._in_sea(total, len(self.border))
        weights = []
        for others, component in zip(_products_of_others(self.components), self.components, strict=True):
            weights.append([_paired(others, in_sea[k:]) for k in range(len(component))])
        layouts = number // self.ways
        exact = self._of_border(weights, [layouts] * len(weights))
        if self.sea:
            rest = total - self.certain
            one_fixed = [comb(len(self.sea) - 1, rest - k - 1) if rest > k else 0 for k in range(len(self.border))]
            exact.update(dict.fromkeys(self.sea, Fraction(_paired(self.border, one_fixed), layouts)))
        return exact

    def probabilities_by_density(self, share: Fraction) -> dict[Position, Fraction]:
        """Every closed cell's probability if mines fall independently with this density."""
        mine, free = share.numerator, share.denominator - share.numerator
        weights = [[mine**k * free ** (len(c) - 1 - k) for k in range(len(c))] for c in self.components]
        totals = [_paired(component, weight) for component, weight in zip(self.components, weights, strict=True)]
        return {**self._of_border(weights, totals), **dict.fromkeys(self.sea, share)}

    def _of_border(self, weights: Sequence[Sequence[int]], totals: Sequence[int]) -> dict[Position, Fraction]:
        """The probabilities of the components' cells; one of component i with k mines weighs weights[i][k]."""
        circuit = self.family.circuit
        mines = [0] * len(circuit.groups)
        among = [1] * len(circuit.groups)
        for (group, taken), flow, owner in zip(circuit.leaves, self.flows.flow, self.flows.owner, strict=True):
            if owner >= 0:
                mines[group] += taken * _paired(_unpacked(flow, self.bits), weights[owner])
                among[group] = totals[owner]
        for leaf in self.parts.leaves:
            group, taken = circuit.leaves[leaf]
            mines[group] = taken
        exact: dict[Position, Fraction] = dict.fromkeys(self.family.cells, Fraction(0))  # type: ignore[arg-type]
        for group, cells in enumerate(circuit.groups):
            if mines[group]:
                share = Fraction(mines[group], among[group] * len(cells))
                exact.update((self.family.cells[cell], share) for cell in cells)  # type: ignore[misc]
        return exact


def _unpacked(packed: int, bits: int) -> list[int]:
    """The coefficients of a polynomial, given its value at 2 ** bits."""
    mask = (1 << bits) - 1
    coefficients = []
    while packed:
        coefficients.append(packed & mask)
        packed >>= bits
    return coefficients


def _paired(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=False) if x and y)


def _product(polynomials: Sequence[Sequence[int]]) -> list[int]:
    """The product of polynomials, as one multiplication of integers after the other (Kronecker substitution)."""
    bits = sum(sum(p).bit_length() for p in polynomials) + 1
    return _unpacked(product(_packed(p, bits) for p in polynomials), bits)


def _products_of_others(polynomials: Sequence[Sequence[int]]) -> list[list[int]]:
    """For each polynomial the product of all the others."""
    bits = sum(sum(p).bit_length() for p in polynomials) + 1
    values = [_packed(p, bits) for p in polynomials]
    after = [1]
    for value in reversed(values[1:]):
        after.append(after[-1] * value)
    before, result = 1, []
    for value, rest in zip(values, reversed(after), strict=False):
        result.append(_unpacked(before * rest, bits))
        before *= value
    return result


def _packed(coefficients: Sequence[int], bits: int) -> int:
    value = 0
    for coefficient in reversed(coefficients):
        value = value << bits | coefficient
    return value
