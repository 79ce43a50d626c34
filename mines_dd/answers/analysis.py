"""Every closed cell's probability, and of the numbers it may show, with the total number of mines or their density.

Components of the border meet only in the total: each gives a polynomial, its assignments by number of mines; cells
away from all hints (the *sea*) give binomials.  Everything is exact.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING

from mines_dd.answers.border import Border, Component
from mines_dd.answers.conflict import conflict_error
from mines_dd.base.budget import Budget, memory_errors
from mines_dd.base.errors import BoardFormatError, InconsistentBoardError, MinesError
from mines_dd.board.board import Board, Position
from mines_dd.board.html import board_html
from mines_dd.board.look import short_number
from mines_dd.diagrams.polynomials import coefficient_bits, inner_product, pack, product, transposed, unpack

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Analysis", "analyse", "analysis_of"]


@dataclass(frozen=True)
class Analysis:
    """What is known of a board.  Analyses of equal boards that say the same are equal.

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

    Examples
    --------
    >>> from mines_dd import Board, analyse
    >>> found = analyse(Board.parse("#1#/###"))
    >>> found.count, found.best, found.probability.tolist()[0]
    (5, (0, 0), [0.2, nan, 0.2])
    """

    board: Board
    total: int | None
    count: int
    exact: dict[Position, Fraction] = field(hash=False)
    safe: frozenset[Position]
    mines: frozenset[Position]
    _layouts: _Layouts = field(compare=False)

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
        """A cell to open: of least probability, of these one with most opened neighbours, then the first.

        None if nothing is known of any closed cell, or all that are known hold a mine.
        """
        least = min(self.exact.values(), default=Fraction(1))
        if least == 1:
            return None

        def known_around(position: Position) -> int:
            return sum(self.board[p] in "012345678" for p in self.board.neighbours(position))

        return min((p for p, share in self.exact.items() if share == least), key=lambda p: (-known_around(p), p))

    @cached_property
    def by_total(self) -> dict[int, int]:
        """For every possible total number of mines, the number of layouts of the whole board that have it."""
        first, last = self._layouts.possible
        return {total: self._layouts.count(total) for total in range(first, last + 1)}

    def numbers(self, cell: Position) -> dict[int, Fraction]:
        """Return for each number that a closed cell can show the probability that it is safe and shows it, ascending.

        They add up to the probability that the cell is safe.

        Raises
        ------
        MinesError
            If the cell is not closed; or if without a total or a density nothing is known of it or of a neighbour.
        """
        r, c = cell
        if self.board[cell] not in "#F":
            raise MinesError(f"the cell at row {r}, column {c} is not closed")
        if not self._knows(cell):
            raise MinesError(
                f"what the cell at row {r}, column {c} may show is not known: it or a neighbour touches no hint, and "
                "no total number of mines is given"
            )
        return dict(self._layouts.numbers(cell))

    @cached_property
    def openings(self) -> dict[Position, Fraction]:
        """For each closed cell the probability that it shows 0 and so opens an area; only for those `numbers` knows."""
        return {p: self._layouts.numbers(p).get(0, Fraction(0)) for p in self.exact if self._knows(p)}

    @cached_property
    def dead(self) -> frozenset[Position]:
        """The closed cells, certain mines aside, that show the same number in all layouts in which they are safe.

        Opening them tells nothing but that they are safe.
        """
        return frozenset(p for p in self.board.closed() if len(self._layouts.numbers(p)) == 1)

    def _knows(self, cell: Position) -> bool:
        around = [cell, *(p for p in self.board.neighbours(cell) if self.board[p] in "#F")]
        return all(p in self.exact for p in around)

    def __repr__(self) -> str:
        """Say the main things."""
        return f"<Analysis: {self._counted()}, {len(self.safe)} safe cells, {len(self.mines)} certain mines>"

    def _repr_html_(self) -> str:
        """The board shaded by the probabilities, for notebooks."""
        caption = f"{self._counted()}; {len(self.safe)} safe, {len(self.mines)} certain mines"
        if self.best is not None:
            caption += f"; best to open (framed): row {self.best[0]}, column {self.best[1]}"
        return board_html(self.board.grid, self.exact, self.best, caption)

    def _counted(self) -> str:
        what = "assignments" if self.total is None else f"layouts of {self.total} mines"
        return f"{short_number(self.count)} {what}"


@memory_errors()
def analyse(
    board: Board,
    mines: int | None = None,
    density: float | Fraction | None = None,
    *,
    budget: Budget | None = None,
) -> Analysis:
    """Return every closed cell's probability of a mine, exactly.

    Parameters
    ----------
    board : Board
    mines : int, optional
        The total number of mines, those known for certain (`*`) included; by default the board's own, if it says.
        All layouts with this total are equally likely.
    density : float or Fraction, optional
        In place of a total: each cell holds a mine independently with this probability, before the hints are looked at.
    budget : Budget, optional
        Limits on nodes and seconds; only memory by default.

    Raises
    ------
    InconsistentBoardError
        If there is no layout; `hints` is then a minimal set of hints in conflict (empty if only the total is to blame).
    BoardFormatError
        If both a total and a density are given, or a density is not between 0 and 1.
    BudgetExceededError
        If it needs more than the budget, or more memory than there is.

    Examples
    --------
    >>> from mines_dd import Board, analyse
    >>> found = analyse(Board.parse("#1##/11##/####"), mines=3)
    >>> found.count, found.exact[0, 0], found.exact[1, 2]
    (3, Fraction(1, 1), Fraction(0, 1))
    """
    budget = budget or Budget()
    if mines is not None and density is not None:
        raise BoardFormatError("give the total number of mines or their density, not both")
    share = None if density is None else _as_share(density)
    border = Border.of(board, budget)
    if border is None:
        raise conflict_error(board, budget)
    total = board.mines if mines is None and density is None else mines
    return analysis_of(board, border, total, share, budget=budget)


def analysis_of(
    board: Board,
    border: Border,
    total: int | None = None,
    density: Fraction | None = None,
    *,
    budget: Budget | None = None,
) -> Analysis:
    """Return the analysis of a board with this border; arguments and errors as for `analyse`."""
    budget = budget or Budget()
    if total is not None or density is not None:
        for part in border.parts:
            _require(part.component, 1, budget)
    layouts = _Layouts(board, border, total, density)
    if not layouts.number:
        first, last = layouts.possible
        possible = f"{first} to {last} are" if first < last else f"only {first} is"
        raise InconsistentBoardError(f"{total} mines are impossible on this board; {possible} possible")
    exact: dict[Position, Fraction] = {}
    safe: list[Position] = []
    mines: list[Position] = []
    for cells, share in layouts.probabilities(budget):
        exact.update(dict.fromkeys(cells, share))
        if share.denominator == 1:
            (mines if share else safe).extend(cells)
    exact = dict(sorted(exact.items()))
    return Analysis(board, total, layouts.number, exact, frozenset(safe), frozenset(mines), layouts)


def _as_share(density: float | Fraction) -> Fraction:
    share = Fraction(str(density)) if isinstance(density, float) else Fraction(density)
    if not 0 < share < 1:
        raise BoardFormatError(f"a density of {density} is impossible; write a number between 0 and 1")
    return share


# Circuits of so few terms take less time than a prediction is worth.
_FEW_TERMS = 1000

_MINE, _SAFE = -1, -2
"""In place of a component: cells that reduction decided."""


class _Layouts:
    """The layouts of a whole board: components and sea.

    Without a total or a density all assignments of the border weigh the same, as with a density of 1/2.
    """

    def __init__(self, board: Board, border: Border, total: int | None, density: Fraction | None) -> None:
        self.board, self.border = board, border
        self.sea = set(board.closed()).difference(border.mines, border.safe, *(part.cells for part in border.parts))
        self.components = [part.component for part in border.parts]
        self.total, self.density = total, density
        share = Fraction(1, 2) if density is None else density
        self.mine, self.free = share.numerator, share.denominator - share.numerator
        self.number = self._of_border if total is None else self.count(total)

    @cached_property
    def _of_border(self) -> int:
        """The number of assignments of the border."""
        return product(component.number for component in self.components)

    @cached_property
    def certain(self) -> int:
        """How many mines are there in any case."""
        known = sum(row.count("*") for row in self.board.grid) + len(self.border.mines)
        return known + sum(component.least for component in self.components)

    @cached_property
    def by_mines(self) -> list[int]:
        """The assignments of all components by their number of mines, from the least on."""
        return unpack(product(self._packed), self._bits)

    @cached_property
    def _bits(self) -> int:
        """Bits for a coefficient of products of components."""
        return coefficient_bits(self._of_border)

    @cached_property
    def _packed(self) -> list[int]:
        return [pack(component.ways, self._bits) for component in self.components]

    @property
    def possible(self) -> tuple[int, int]:
        """The least and the greatest total."""
        return self.certain, self.certain + len(self.by_mines) - 1 + len(self.sea)

    def count(self, total: int) -> int:
        """The number of layouts with so many mines."""
        return inner_product(self.by_mines, self._in_sea(total, len(self.sea)))

    def _in_sea(self, total: int, cells: int) -> list[int]:
        """For each place in `by_mines` the number of ways to put the mines left of a total into cells of the sea."""
        rest = total - self.certain
        return [comb(cells, rest - k) if rest >= k else 0 for k in range(len(self.by_mines))]

    def _weights(self, settled: int, mines: int) -> list[int]:
        """For each place in `by_mines` its weight if some cells of the sea are settled and hold so many mines.

        With a total it is the number of ways to fill the others; with a density it is that of the settled cells too,
        as a whole number that grows with `settled` like its denominator.
        """
        if self.total is not None:
            return self._in_sea(self.total - mines, len(self.sea) - settled)
        last = len(self.by_mines) - 1
        return [self.mine ** (k + mines) * self.free ** (last - k + settled - mines) for k in range(last + 1)]

    def _all_weights(self, settled: int) -> int:
        """What the weights that settle cells of the sea in all ways come to."""
        known = 1 if self.total is not None else (self.mine + self.free) ** settled
        return self._weight * known

    @cached_property
    def _weight(self) -> int:
        return inner_product(self.by_mines, self._weights(0, 0))

    def probabilities(self, budget: Budget) -> Iterator[tuple[Collection[Position], Fraction]]:
        """Closed cells, and the probability that each of them has."""
        yield self.border.mines, Fraction(1)
        yield self.border.safe, Fraction(0)
        for part, weights in zip(self.border.parts, self._weights_of_parts(), strict=True):
            component = part.component
            budget.check(0)
            if weights is not None:
                _require(component, max(weights), budget)
            everything = component.number if weights is None else inner_product(component.ways, weights)
            for cells, mines in zip(part.groups, component.mines_in(weights, budget), strict=True):
                yield cells, Fraction(mines, everything * len(cells))
        if self.sea and self.density is not None:
            yield self.sea, self.density
        elif self.sea and self.total is not None:
            yield self.sea, Fraction(inner_product(self.by_mines, self._weights(1, 1)), self._weight)

    def _weights_of_parts(self) -> Iterator[list[int] | None]:
        """For each component the weights of its assignments by mines, from everything around it; None for all 1."""
        if self.total is not None:
            yield from self._weights_with_total(self.total)
        elif self.density is None:
            yield from [None] * len(self.components)
        else:
            for component in self.components:
                last = len(component.ways) - 1
                yield [self.mine**k * self.free ** (last - k) for k in range(last + 1)]

    def _weights_with_total(self, total: int) -> Iterator[list[int]]:
        """The weights that the other components and the sea give to each: down a balanced tree of products."""
        in_sea = self._in_sea(total, len(self.sea))
        bits = coefficient_bits(self._of_border * max(in_sea))
        levels = [[(pack(component.ways, bits), len(component.ways) - 1) for component in self.components]]
        while len(levels[-1]) > 1:
            row = levels[-1]
            levels.append(
                [(a * b, m + n) for (a, m), (b, n) in zip(row[::2], row[1::2], strict=False)] + row[len(row) & ~1 :]
            )
        weights = [pack(reversed(in_sea), bits)]
        for row in reversed(levels[:-1]):
            pairs = zip(weights, row[::2], row[1::2], strict=False)
            alone = weights[len(row) // 2 :]
            weights = []
            for above, (a, m), (b, n) in pairs:
                weights += [transposed(above, bits, m, b, n), transposed(above, bits, n, a, m)]
            weights += alone
        for packed, (_, span) in zip(weights, levels[0], strict=False):
            found = unpack(packed, bits)
            yield (found + [0] * (span + 1 - len(found)))[::-1]

    # The numbers that cells show

    @cached_property
    def _place(self) -> dict[Position, tuple[int, int]]:
        """For each cell of the border its component and group."""
        place = dict.fromkeys(self.border.mines, (_MINE, 0)) | dict.fromkeys(self.border.safe, (_SAFE, 0))
        for i, part in enumerate(self.border.parts):
            for group, cells in enumerate(part.groups):
                place.update(dict.fromkeys(cells, (i, group)))
        return place

    @cached_property
    def _numbers(self) -> dict[tuple[object, ...], dict[int, Fraction]]:
        """What `numbers` has found."""
        return {}

    def numbers(self, cell: Position) -> dict[int, Fraction]:
        """For each number that a closed cell can show, ascending, the probability of it."""
        grid = self.board.grid
        near = self.board.neighbours(cell)
        known = sum(grid[r][c] == "*" for r, c in near)
        around = Counter(self._place.get(p) for p in near if grid[p[0]][p[1]] in "#F")
        in_sea = around.pop(None, 0)
        known += around.pop((_MINE, 0), 0)
        around.pop((_SAFE, 0), 0)
        # all that matters, so that most cells of the sea are looked at once
        key = self._place.get(cell), known, in_sea, frozenset(around.items())
        if key not in self._numbers:
            self._numbers[key] = self._joint(self._place.get(cell), known, in_sea, around)
        return self._numbers[key]

    def _joint(
        self, place: tuple[int, int] | None, known: int, in_sea: int, around: Counter[tuple[int, int] | None]
    ) -> dict[int, Fraction]:
        """The probabilities of numbers: a cell's place, and the mines, cells of the sea and groups around it."""
        if place == (_MINE, 0):
            return {}
        chosen: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
        for found in {*around, place} - {None, (_SAFE, 0)}:
            i, group = found  # type: ignore[misc]
            chosen[i][group] = around[found], int(found == place)
        stride = len(self.by_mines)
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
                number = comb(in_sea, mines) * inner_product(table[i : i + stride], weights)
                ways[known + mines + i // stride] += number
        everything = self._all_weights(settled)
        return {number: Fraction(n, everything) for number, n in sorted(ways.items()) if n}


def _require(component: Component, largest: int, budget: Budget) -> None:
    """Raise `BudgetExceededError` if weights up to `largest` make a component exceed the budget."""
    if component.circuit.term_count > _FEW_TERMS:
        budget.refuse(0, *component.predicted(largest))
