"""The layouts of a whole board: the components of its border, and the *sea*, the cells away from all hints.

They meet only in the number of mines.  The border's polynomial, the product of its components', tells how many of its
assignments have k mines; the sea has C(n, M - k) ways to take the rest of a total M.  So with a border of two
components z + z^2 and 2z, a sea of 3 cells and 4 mines in all:

    border    (z + z^2) * 2z = 2z^2 + 2z^3        sea    C(3, 2) = 3 for k = 2, C(3, 1) = 3 for k = 3
    layouts   2 * 3 + 2 * 3 = 12                  a cell of the sea holds a mine in (2 * C(2, 1) + 2 * C(2, 0)) / 12

A *weight* is what the rest of the board multiplies an assignment by: the sea weighs the border's numbers of mines, and
the sea and the other components together weigh those of one component.  With a density each cell of the sea is worth 1
and the weights are powers; without a total or a density all assignments of the border weigh 1.  Everything is exact.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from fractions import Fraction
from functools import cached_property
from math import comb

from mines_dd.answers.border import Border
from mines_dd.answers.component import Component
from mines_dd.base.budget import Budget
from mines_dd.board.board import Board
from mines_dd.board.cells import CLOSED, FLAG, MINE, Position
from mines_dd.diagrams.polynomials import coefficient_bits, functionals_of_factors, inner_product, pack, product, unpack

__all__ = ["WholeBoard", "require_affordable"]

# Circuits of so few terms take less time than a prediction is worth.
_FEW_TERMS = 1000

_Place = tuple[int, int]
"""Where a cell of the border is: its component and group, or one of these."""

_DECIDED_MINE, _DECIDED_SAFE = (-1, 0), (-2, 0)


class WholeBoard:
    """All layouts of a board, with a total number of mines, a density, or neither.

    Parameters
    ----------
    board : Board
    border : Border
        Of that board.
    total : int or None
        The number of mines of the whole board.
    density : Fraction or None
        In place of a total: every cell holds a mine with this probability, independently, before the hints.
    """

    def __init__(self, board: Board, border: Border, total: int | None, density: Fraction | None) -> None:
        self.board, self.border = board, border
        self.sea = set(board.closed()).difference(border.mines, border.safe, *(part.cells for part in border.parts))
        self.components = [part.component for part in border.parts]
        self.total, self.density = total, density
        # Without a total or a density all assignments of the border weigh the same, as with a density of 1/2.
        share = Fraction(1, 2) if density is None else density
        self._odds = share.numerator, share.denominator - share.numerator

    @cached_property
    def layouts(self) -> int:
        """The number of layouts with the total; without one, of assignments of the border."""
        return self._of_border if self.total is None else self.layouts_with(self.total)

    @cached_property
    def possible(self) -> tuple[int, int]:
        """The least and the greatest total."""
        return self._least, self._least + len(self._polynomial) - 1 + len(self.sea)

    def layouts_with(self, total: int) -> int:
        """Return the number of layouts with a total number of mines."""
        return inner_product(self._polynomial, self._fillings(total, len(self.sea)))

    # The border as one polynomial, and what its numbers of mines weigh

    @cached_property
    def _of_border(self) -> int:
        """The number of assignments of the border."""
        return product(component.count for component in self.components)

    @cached_property
    def _least(self) -> int:
        """How many mines are there in any case."""
        known = sum(row.count(MINE) for row in self.board.grid) + len(self.border.mines)
        return known + sum(component.least for component in self.components)

    @cached_property
    def _bits(self) -> int:
        """Bits for a coefficient of products of components."""
        return coefficient_bits(self._of_border)

    @cached_property
    def _packed(self) -> list[int]:
        """The components' polynomials."""
        return [pack(component.ways, self._bits) for component in self.components]

    @cached_property
    def _polynomial(self) -> list[int]:
        """The assignments of the border by their number of mines, from the least on."""
        return unpack(product(self._packed), self._bits)

    def _fillings(self, total: int, cells: int) -> list[int]:
        """For each coefficient of the border the number of ways to put the mines left of a total into some cells."""
        rest = total - self._least
        return [comb(cells, rest - k) if rest >= k else 0 for k in range(len(self._polynomial))]

    def _weights(self, settled: int, mines: int) -> list[int]:
        """For each coefficient of the border its weight if some cells of the sea are settled and hold so many mines.

        With a total it is the number of ways to fill the others; with a density it is that of the settled cells too,
        as a whole number that grows with `settled` like its denominator.
        """
        if self.total is not None:
            return self._fillings(self.total - mines, len(self.sea) - settled)
        mine, free = self._odds
        last = len(self._polynomial) - 1
        return [mine ** (k + mines) * free ** (last - k + settled - mines) for k in range(last + 1)]

    @cached_property
    def _everything(self) -> int:
        """What all layouts weigh together, with no cell of the sea settled."""
        return inner_product(self._polynomial, self._weights(0, 0))

    # Probabilities

    def probabilities(self, budget: Budget) -> Iterator[tuple[Collection[Position], Fraction]]:
        """Yield closed cells, and the probability that each of them has.

        Raises
        ------
        BudgetExceededError
            If it needs more than the budget.
        """
        yield self.border.mines, Fraction(1)
        yield self.border.safe, Fraction(0)
        for part, weights in zip(self.border.parts, self._weights_of_components(), strict=True):
            component = part.component
            budget.check(0)
            if weights is not None:
                require_affordable(component, max(weights), budget)
            everything = component.count if weights is None else inner_product(component.ways, weights)
            for cells, mines in zip(part.groups, component.mines_in(weights, budget), strict=True):
                yield cells, Fraction(mines, everything * len(cells))
        if self.sea and self.density is not None:
            yield self.sea, self.density
        elif self.sea and self.total is not None:
            yield self.sea, Fraction(inner_product(self._polynomial, self._weights(1, 1)), self._everything)

    def _weights_of_components(self) -> list[list[int]] | list[None]:
        """For each component the weights of its numbers of mines, from everything around it; None if all are 1."""
        if self.total is not None:
            ways = [component.ways for component in self.components]
            return functionals_of_factors(ways, self._fillings(self.total, len(self.sea)))
        if self.density is None:
            return [None] * len(self.components)
        mine, free = self._odds
        lasts = [len(component.ways) - 1 for component in self.components]
        return [[mine**k * free ** (last - k) for k in range(last + 1)] for last in lasts]

    # What cells may show

    @cached_property
    def _place(self) -> dict[Position, _Place]:
        """For each cell of the border where it is."""
        place = dict.fromkeys(self.border.mines, _DECIDED_MINE) | dict.fromkeys(self.border.safe, _DECIDED_SAFE)
        for i, part in enumerate(self.border.parts):
            for group, cells in enumerate(part.groups):
                place.update(dict.fromkeys(cells, (i, group)))
        return place

    @cached_property
    def _found(self) -> dict[tuple[object, ...], dict[int, Fraction]]:
        """What `shown` has found."""
        return {}

    def shown(self, cell: Position) -> dict[int, Fraction]:
        """Return for each number that a closed cell can show, ascending, the probability of it."""
        grid = self.board.grid
        near = self.board.neighbours(cell)
        known = sum(grid[r][c] == MINE for r, c in near)
        around = Counter(self._place.get(p) for p in near if grid[p[0]][p[1]] in CLOSED + FLAG)
        in_sea = around.pop(None, 0)
        known += around.pop(_DECIDED_MINE, 0)
        around.pop(_DECIDED_SAFE, 0)
        # all that matters, so that most cells of the sea are looked at once
        key = self._place.get(cell), known, in_sea, frozenset(around.items())
        if key not in self._found:
            self._found[key] = self._joint(self._place.get(cell), known, in_sea, around)
        return self._found[key]

    def _joint(
        self, place: _Place | None, known: int, in_sea: int, around: Counter[_Place | None]
    ) -> dict[int, Fraction]:
        """The probabilities of numbers: a cell's place, and the mines, cells of the sea and groups around it."""
        if place == _DECIDED_MINE:
            return {}
        chosen: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
        for found in {*around, place} - {None, _DECIDED_SAFE}:
            i, group = found  # type: ignore[misc]
            chosen[i][group] = around[found], int(found == place)
        stride = len(self._polynomial)
        packed = product(
            part.component.by_mines_among(chosen[i], self._bits, stride) if i in chosen else self._packed[i]
            for i, part in enumerate(self.border.parts)
        )
        table = unpack(packed, self._bits)
        settled = in_sea + (place is None)
        ways: Counter[int] = Counter()
        for mines in range(in_sea + 1):
            weights = self._weights(settled, mines)
            for i in range(0, len(table), stride):
                layouts = comb(in_sea, mines) * inner_product(table[i : i + stride], weights)
                ways[known + mines + i // stride] += layouts
        # with a density the weights contain the settled cells' own, which grow with their number
        everything = self._everything * (1 if self.total is not None else sum(self._odds) ** settled)
        return {number: Fraction(n, everything) for number, n in sorted(ways.items()) if n}


def require_affordable(component: Component, largest: int, budget: Budget) -> None:
    """Raise `BudgetExceededError` if weights up to `largest` make a component exceed the budget."""
    if component.circuit.term_count > _FEW_TERMS:
        budget.refuse(0, *component.predicted(largest))
