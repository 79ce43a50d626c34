"""The layouts of a whole board: the components of its border, and the *sea*, the closed cells that touch no hint.

They share only the total number of mines.  The border's polynomial, the product of those of its components, tells how
many of its assignments have k mines.  If M mines are on the board, the sea, of n cells, holds the other M - k in
C(n, M - k) ways.  For components with the polynomials z + z^2 and 2z, a sea of 3 cells, and 4 mines in all:

    border     (z + z^2) * 2z = 2z^2 + 2z^3: 2 assignments with 2 mines, 2 with 3
    sea        C(3, 2) = 3 ways with 2 mines, C(3, 1) = 3 with 1
    layouts    2 * 3 + 2 * 3 = 12
    a cell of the sea is a mine in 2 * C(2, 1) + 2 * C(2, 0) = 6 of these 12

The *weight* of an assignment is the number of ways to fill the rest of the board.  For the border as a whole the rest
is the sea; for one component it is the sea and all other components.  With a density instead of a total, a weight is
the assignment's probability up to a constant factor, and the sea cancels out.  With neither, every assignment of the
border has weight 1.  All numbers are exact.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

import numpy as np

from mines_dd.answers.border import Border
from mines_dd.answers.tilted import TiltedBoard
from mines_dd.base.budget import Budget
from mines_dd.board.board import Board
from mines_dd.board.cells import CLOSED, FLAG, MINE, Position
from mines_dd.diagrams.polynomials import (
    coefficient_bits,
    functionals_of_factors,
    inner_product,
    pack,
    product,
    tree_seconds,
    unpack,
)
from mines_dd.diagrams.runs import Runs, merged

__all__ = ["WholeBoard"]

# Exact fractions that are predicted to take this many seconds are worth having at once.
_AT_ONCE = 0.1
# Circuits of this many terms in all may be that quick.
_FEW_TERMS = 20_000
_TINY = 1000
_BITS_OF_A_QUOTIENT = 1000  # that a double holds, or has room for below 1
# Measured: seconds for a term, and for a binomial coefficient of so many bits; and how many products as those up a tree
# all those up and down it are.
_SECONDS_A_TERM = 2e-5
_SECONDS_A_BINOMIAL = 1.3e-9
_SECONDS_A_BIT = 2e-10  # of a binomial coefficient, from the one before
_UP_AND_DOWN = 4.0
_TIMES_FILLED = 3.0  # that the sea is filled: with no cell of it settled, twice, and with one
# Doubles this small are what rounding leaves of 0.
_NOTHING = 1e-13

_Place = tuple[int, int]
"""The place of a cell of the border: its component and group, or one of the two below if it is decided."""

_DECIDED_MINE, _DECIDED_SAFE = (-1, 0), (-2, 0)


class WholeBoard:
    """All layouts of a board, with a total number of mines, a density, or neither.

    Parameters
    ----------
    board : Board
    border : Border
        The border of that board.
    total : int or None
        The number of mines on the whole board.
    density : Fraction or None
        Used instead of a total: before any hint is known, each cell is a mine with this probability, independently.

    Examples
    --------
    >>> board = Board.parse("#1###")
    >>> whole = WholeBoard(board, Border.of(board), total=2, density=None)
    >>> whole.layouts, whole.totals
    (4, [(1, 3)])
    """

    def __init__(self, board: Board, border: Border, total: int | None, density: Fraction | None) -> None:
        self.board, self.border = board, border
        self.sea = set(board.closed()).difference(border.mines, border.safe, *(part.cells for part in border.parts))
        self.components = [part.component for part in border.parts]
        self.total, self.density = total, density
        self.decided = len(board.known_mines()) + len(border.mines)
        # Without a total or a density all assignments of the border weigh the same, as with a density of 1/2.
        share = Fraction(1, 2) if density is None else density
        self._odds = share.numerator, share.denominator - share.numerator

    @cached_property
    def layouts(self) -> int:
        """The number of layouts with the total; without a total, the number of assignments of the border."""
        return self._of_border if self.total is None else self.layouts_with(self.total)

    @cached_property
    def totals(self) -> Runs:
        """The possible totals."""
        least, sea = self._least, len(self.sea)
        return merged([(least + k, least + k + sea) for k, ways in enumerate(self._polynomial) if ways])

    def by_total(self, budget: Budget | None = None) -> dict[int, int]:
        """Return for each possible total, ascending, the number of layouts with it.

        The polynomial of the sea has the binomial coefficients; that of the board is its product with the border's.

        Raises
        ------
        BudgetExceededError
            If it is predicted to take too long, or more memory than there is, or if the time is over.

        Examples
        --------
        >>> board = Board.parse("#1###")
        >>> WholeBoard(board, Border.of(board), total=None, density=None).by_total()
        {1: 2, 2: 4, 3: 2}
        """
        limits = Budget.of(budget)
        limits.refuse(0, *self.predicted_by_total(), excess=1, of_memory=1)
        sea, binomials = len(self.sea), [1]
        for mines in limits.each(range(1, len(self.sea) + 1), 10):
            binomials.append(binomials[-1] * (sea - mines + 1) // mines)
        bits = coefficient_bits(self._of_border << sea)
        everything = unpack(product([pack(self._polynomial, bits), pack(binomials, bits)], limits), bits)
        return {self._least + k: layouts for k, layouts in enumerate(everything) if layouts}

    def layouts_with(self, total: int) -> int:
        """Return the number of layouts with a total number of mines.

        Examples
        --------
        >>> board = Board.parse("#1###")
        >>> whole = WholeBoard(board, Border.of(board), total=2, density=None)
        >>> [whole.layouts_with(total) for total in (1, 2, 3)]
        [2, 4, 2]
        """
        return inner_product(self._polynomial, self._fillings(total, len(self.sea)))

    # What exact numbers cost

    def predicted(self) -> tuple[float, float]:
        """Return roughly the seconds and the bytes that `probabilities` needs.

        Examples
        --------
        >>> board = Board.parse("#1###")
        >>> seconds, _ = WholeBoard(board, Border.of(board), total=2, density=None).predicted()
        >>> seconds < 0.01
        True
        """
        terms = sum(component.circuit.term_count for component in self.components)
        if terms <= _TINY and len(self.sea) <= _TINY:
            return _SECONDS_A_TERM * terms, 0.0  # not worth a closer look
        if self.total is None and self.density is None:
            costs = [component.predicted() for component in self.components]
            return sum((seconds for seconds, _ in costs), 0.0), sum((size for _, size in costs), 0.0)
        lengths = [component.length for component in self.components]
        shared = size = 0.0
        if self.density is not None:
            of_weights = [sum(self._odds).bit_length() * length for length in lengths]
        else:
            bits = self._border_bits + len(self.sea)
            of_weights = [bits - component.count_bits for component in self.components]
            # the product of the polynomials, up and down a binary tree
            shared = _UP_AND_DOWN * tree_seconds(bits, lengths) + _TIMES_FILLED * self._predicted_fillings()
            size = len(lengths).bit_length() * bits * self._length / 4
        costs = [part.predicted(bits) for part, bits in zip(self.components, of_weights, strict=True)]
        return sum((seconds for seconds, _ in costs), shared), sum((each for _, each in costs), size)

    def predicted_layouts(self) -> tuple[float, float]:
        """Return roughly the seconds and the bytes that `layouts` needs.

        Examples
        --------
        >>> board = Board.parse("#1###")
        >>> WholeBoard(board, Border.of(board), total=2, density=None).predicted_layouts()[0] < 0.01
        True
        """
        if self.total is None:
            return self.predicted()  # a pass, of those that fractions take
        seconds, size = self._predicted_polynomial()
        return seconds + self._predicted_fillings(), size

    def predicted_by_total(self) -> tuple[float, float]:
        """Return roughly the seconds and the bytes that `by_total` needs.

        Examples
        --------
        >>> board = Board.parse("#1###")
        >>> WholeBoard(board, Border.of(board), total=2, density=None).predicted_by_total()[0] < 0.01
        True
        """
        seconds, size = self._predicted_polynomial()
        bits, sea = self._border_bits + len(self.sea), len(self.sea)
        seconds += tree_seconds(bits, [self._length, sea + 1]) + _SECONDS_A_BIT * sea * sea
        return seconds, size + bits * (self._length + sea) / 2

    def _predicted_polynomial(self) -> tuple[float, float]:
        """Roughly the seconds and bytes of the border's polynomial."""
        bits, lengths = self._border_bits, [component.length for component in self.components]
        seconds = sum((part.ways_seconds for part in self.components), tree_seconds(bits, lengths))
        return seconds, bits * self._length / 2

    def _predicted_fillings(self) -> float:
        """Roughly the seconds of a binomial coefficient of the sea for each coefficient of the border."""
        sea = len(self.sea)
        return float(_SECONDS_A_BINOMIAL * sea**1.585) + _SECONDS_A_BIT * sea * self._length

    @property
    def _border_bits(self) -> int:
        """The bits of the number of assignments of the border, nearly."""
        return sum(component.count_bits for component in self.components)

    @property
    def _length(self) -> int:
        """The most coefficients that the border's polynomial can have."""
        return sum(component.length - 1 for component in self.components) + 1

    @property
    def tilt(self) -> float:
        """The natural logarithm of the odds of a mine where the total is free: 0.0 without a density."""
        mine, free = self._odds
        if abs(mine.bit_length() - free.bit_length()) > _BITS_OF_A_QUOTIENT:
            return math.log(mine) - math.log(free)  # less exact, where that is no matter
        return math.log(mine / free)

    @property
    def is_small(self) -> bool:
        """Whether exact numbers are worth having at once."""
        terms = sum(component.circuit.term_count for component in self.components)
        return terms <= _FEW_TERMS and self.predicted()[0] <= _AT_ONCE

    # The polynomial of the border, and the weights of its numbers of mines

    @cached_property
    def _of_border(self) -> int:
        """The number of assignments of the border."""
        return product(component.count for component in self.components)

    @cached_property
    def _least(self) -> int:
        """The fewest mines that the board can have."""
        return self.decided + sum(component.least for component in self.components)

    @cached_property
    def _bits(self) -> int:
        """The bits of a coefficient of a packed product of components."""
        return coefficient_bits(self._of_border)

    @cached_property
    def _packed(self) -> list[int]:
        """The packed polynomials of the components."""
        return [pack(component.ways, self._bits) for component in self.components]

    @cached_property
    def _polynomial(self) -> list[int]:
        """The number of assignments of the border with `_least`, `_least` + 1, ... mines on the board."""
        return unpack(product(self._packed), self._bits)

    def _fillings(self, total: int, cells: int) -> list[int]:
        """For each coefficient of the border the number of ways to put the remaining mines into some cells."""
        rest, ways = total - self._least, 0
        found = []
        for mines in range(rest, rest - len(self._polynomial), -1):
            if not 0 <= mines <= cells:
                ways = 0
            elif ways:  # from the one before: they are long
                ways = ways * (mines + 1) // (cells - mines)
            else:
                ways = comb(cells, mines)
            found.append(ways)
        return found

    def _weights(self, settled: int, mines: int) -> list[int]:
        """For each coefficient of the border its weight, if `settled` cells of the sea hold exactly `mines` mines.

        With a total, it is the number of ways to fill the other cells of the sea.  With a density a / (a + b), it is
        proportional to the probability of the assignment and the settled cells: a to the number of mines that may vary
        times b to the number of other cells.
        """
        if self.total is not None:
            return self._fillings(self.total - mines, len(self.sea) - settled)
        mine, free = self._odds
        last = len(self._polynomial) - 1
        return [mine ** (k + mines) * free ** (last - k + settled - mines) for k in range(last + 1)]

    @cached_property
    def _everything(self) -> int:
        """The sum of the weights of all layouts, with no cell of the sea settled."""
        return inner_product(self._polynomial, self._weights(0, 0))

    # Probabilities

    def probabilities(self, budget: Budget) -> Iterator[tuple[Collection[Position], Fraction]]:
        """Yield sets of closed cells, each with the probability of a mine that its cells have in common.

        Raises
        ------
        BudgetExceededError
            If more than the budget would be needed.

        Examples
        --------
        >>> board = Board.parse("#1###")
        >>> whole = WholeBoard(board, Border.of(board), total=2, density=None)
        >>> [(sorted(cells), share) for cells, share in whole.probabilities(Budget()) if cells]
        [([(0, 0), (0, 2)], Fraction(1, 2)), ([(0, 3), (0, 4)], Fraction(1, 2))]
        """
        yield self.border.mines, Fraction(1)
        yield self.border.safe, Fraction(0)
        for part, weights in zip(self.border.parts, self._weights_of_components(budget), strict=True):
            component = part.component
            budget.check(0)
            everything = component.count if weights is None else inner_product(component.ways, weights)
            for cells, mines in zip(part.groups, component.mines_in(weights, budget), strict=True):
                yield cells, Fraction(mines, everything * len(cells))
        if self.sea and self.density is not None:
            yield self.sea, self.density
        elif self.sea and self.total is not None:
            yield self.sea, Fraction(inner_product(self._polynomial, self._weights(1, 1)), self._everything)

    def _weights_of_components(self, budget: Budget) -> list[list[int]] | list[None]:
        """For each component the weights of its numbers of mines; None if all are 1."""
        if self.total is not None:
            ways = [component.ways for component in self.components]
            return functionals_of_factors(ways, self._fillings(self.total, len(self.sea)), budget)
        if self.density is None:
            return [None] * len(self.components)
        mine, free = self._odds
        lasts = [len(component.ways) - 1 for component in self.components]
        return [[mine**k * free ** (last - k) for k in range(last + 1)] for last in lasts]

    # The numbers that cells may show

    @cached_property
    def _place(self) -> dict[Position, _Place]:
        """The place of each cell of the border."""
        place = dict.fromkeys(self.border.mines, _DECIDED_MINE) | dict.fromkeys(self.border.safe, _DECIDED_SAFE)
        for i, part in enumerate(self.border.parts):
            for group, cells in enumerate(part.groups):
                place.update(dict.fromkeys(cells, (i, group)))
        return place

    @cached_property
    def _found(self) -> dict[tuple[object, ...], dict[int, Any]]:
        """The results of `shown`."""
        return {}

    def shown(self, cell: Position, tilted: TiltedBoard | None = None, budget: Budget | None = None) -> dict[int, Any]:
        """Return for each number that a closed cell may show, ascending, the probability that it is safe and shows it.

        Parameters
        ----------
        cell : (row, column)
        tilted : TiltedBoard, optional
            The parts of this board; with it the probabilities are doubles, otherwise Fractions.
        budget : Budget, optional
            Its seconds limit the Fractions; doubles keep to the budget of `tilted`.

        Examples
        --------
        >>> board = Board.parse("#1###")
        >>> whole = WholeBoard(board, Border.of(board), total=2, density=None)
        >>> whole.shown((0, 3))
        {1: Fraction(1, 4), 2: Fraction(1, 4)}
        """
        grid = self.board.grid
        near = self.board.neighbours(cell)
        known = sum(grid[r][c] == MINE for r, c in near)
        around = Counter(self._place.get(p) for p in near if grid[p[0]][p[1]] in CLOSED + FLAG)
        in_sea = around.pop(None, 0)
        known += around.pop(_DECIDED_MINE, 0)
        around.pop(_DECIDED_SAFE, 0)
        # all that the result depends on: most cells of the sea have the same key
        key = tilted is None, self._place.get(cell), known, in_sea, frozenset(around.items())
        if key not in self._found:
            self._found[key] = self._joint(self._place.get(cell), known, in_sea, around, tilted, Budget.of(budget))
        return self._found[key]

    def drawn(self, tilted: TiltedBoard, rng: np.random.Generator) -> frozenset[Position]:
        """Return a layout, drawn as `TiltedBoard.draw` says: its mines in closed cells.

        Without a total and a density, the sea has none: nothing is known of it.

        Examples
        --------
        >>> board = Board.parse("#1#1##")
        >>> whole = WholeBoard(board, Border.of(board), total=3, density=None)
        >>> tilted = TiltedBoard(whole.components, len(whole.sea))
        >>> sorted(whole.drawn(tilted, np.random.default_rng(1)))
        [(0, 0), (0, 4), (0, 5)]
        """
        rest = None if self.total is None else self.total - self.decided
        taken, sea = tilted.draw(rest, self.tilt, rng)
        mines = set(self.border.mines)
        for part, group, count in taken:
            cells = self.border.parts[part].groups[group]
            mines.update(cells[i] for i in rng.choice(len(cells), count, replace=False).tolist())
        if self.total is not None or self.density is not None:
            cells = sorted(self.sea)
            mines.update(cells[i] for i in rng.choice(len(cells), sea, replace=False).tolist())
        return frozenset(mines)

    def _joint(
        self,
        place: _Place | None,
        known: int,
        in_sea: int,
        around: Counter[_Place | None],
        tilted: TiltedBoard | None,
        budget: Budget,
    ) -> dict[int, Any]:
        """The result of `shown` for a cell in `place`, with known mines, cells of the sea and groups around it."""
        if place == _DECIDED_MINE:
            return {}
        chosen: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
        for found in {*around, place} - {None, _DECIDED_SAFE}:
            i, group = found  # type: ignore[misc]
            chosen[i][group] = around[found], int(found == place)
        if tilted is not None:
            rest = None if self.total is None else self.total - self.decided
            ways_of_sea = in_sea, int(place is None)
            shares = tilted.shown(rest, self.tilt, list(chosen.items()), ways_of_sea)
            return {known + n: share for n, share in enumerate(shares) if share > _NOTHING}
        stride = len(self._polynomial)
        packed = product(
            part.component.by_mines_among(chosen[i], self._bits, stride, budget) if i in chosen else self._packed[i]
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
        # with a density each settled cell multiplies the denominator
        everything = self._everything * (1 if self.total is not None else sum(self._odds) ** settled)
        return {number: Fraction(n, everything) for number, n in sorted(ways.items()) if n}
