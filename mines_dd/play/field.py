"""The field of a game: which cells are neighbours, where a 50/50 may arise, and what stays the same while it is played.

Every shape of board is cells on a sheet of squared paper and the steps from a cell to its neighbours::

    box, torus                      hexagons: every second place, each second row shifted by one

    *  *  *      steps to *             0  .  1  .  2  .           *     *        steps to *
    *  o  *                             .  3  .  4  .  5        *     o     *
    *  *  *                             6  .  7  .  8  .           *     *

On a torus the sheet goes on with the cells of the opposite side.  So one function finds neighbours, and one the
50/50s, on every shape.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.checks import require_choice, require_whole
from mines_dd.base.errors import BoardFormatError, BudgetExceededError
from mines_dd.base.jit import kernel

__all__ = ["CLOSED", "KNOWN_MINE", "LARGEST", "LEFT_OUT", "SHAPES", "Field", "around", "make_field"]

CLOSED, KNOWN_MINE, LEFT_OUT = -1, -2, -3
"""What `seen` holds of a cell that is not open: closed, a mine known for certain, or no mine and no hint either."""

LARGEST = 1000
"""Cells of the largest board: numbers of layouts have to fit a double."""

Step = tuple[int, int]

_KING = tuple((r, c) for r, c in itertools.product((-1, 0, 1), repeat=2) if r or c)

SHAPES: dict[str, tuple[Step, ...]] = {
    "box": _KING,
    "torus": _KING,
    "hexagons": ((-1, -1), (-1, 1), (0, -2), (0, 2), (1, -1), (1, 1)),
}
"""The steps to the neighbours, as (rows, columns) on the sheet: of a plain board, one whose opposite sides are joined,
and one of hexagons as in `mines_dd.constraints.shapes`."""

_MARGIN = 4
"""Places around the sheet: from a cell of a 50/50 to its other cells, and on to those that tell."""


class Field(NamedTuple):
    """What stays the same during a game.

    Attributes
    ----------
    neighbours : int64[N, 8], of hexagons int64[N, 6]
        The neighbours of each cell, then -1.
    degree : int64[N]
        Their number.
    zobrist : int64[N]
        A random word for each cell; the XOR of some of them is the key of that set of cells (Zobrist 1970).
    binomial : float64[N + 1, at least 9]
        Binomial coefficients.
    fifty_fifties : int64[sets, 10]
        Where a 50/50 may arise: the cells with a mine (2) and without (2), or the other way round, and the only other
        cells whose numbers tell which (6); -1 where there are fewer.  See `mines_dd.play.ahead`.
    """

    neighbours: npt.NDArray[np.int64]
    degree: npt.NDArray[np.int64]
    zobrist: npt.NDArray[np.int64]
    binomial: npt.NDArray[np.float64]
    fifty_fifties: npt.NDArray[np.int64]


def make_field(rows: int, columns: int, mines: int | None = None, shape: str = "box") -> Field:
    """Return the field of a board; one without `mines` only tells neighbours.

    Raises
    ------
    BudgetExceededError
        If the number of mines is given and the board has more than 1,000 cells.
    BoardFormatError
        If the shape is unknown, or a torus has fewer than 5 rows or columns.

    Examples
    --------
    >>> field = make_field(2, 3, 1)
    >>> field.neighbours[0, : field.degree[0]].tolist()
    [1, 3, 4]
    >>> field = make_field(3, 3, 1, "hexagons")
    >>> field.neighbours[4, : field.degree[4]].tolist()
    [1, 2, 3, 5, 7, 8]
    """
    require_choice(shape, SHAPES, "shape", BoardFormatError)
    rows = require_whole(rows, "the number of rows", BoardFormatError, least=1)
    columns = require_whole(columns, "the number of columns", BoardFormatError, least=1)
    if mines is not None:
        mines = require_whole(mines, "the number of mines", BoardFormatError, least=0)
    cells = rows * columns
    if mines is not None and cells > LARGEST:
        raise BudgetExceededError(
            f"play in double precision takes boards of up to {LARGEST:,} cells, not {cells:,}; analyse() takes any",
            needed=cells,
            allowed=LARGEST,
            unit="cells",
        )
    sheet = _sheet(rows, columns, shape)
    neighbours, degree = _neighbours(sheet, SHAPES[shape])
    zobrist = np.random.default_rng(20160606).integers(1, 2**62, cells)
    if mines is None:
        return Field(neighbours, degree, zobrist, np.ones((1, 1)), np.empty((0, 10), np.int64))
    binomial = np.zeros((cells + 1, max(min(mines, cells), 8) + 1))
    binomial[:, 0] = 1
    for n in range(1, cells + 1):
        binomial[n, 1:] = binomial[n - 1, 1:] + binomial[n - 1, :-1]
    return Field(neighbours, degree, zobrist, binomial, _fifty_fifties(sheet, shape))


def _sheet(rows: int, columns: int, shape: str) -> npt.NDArray[np.int64]:
    """The number of the cell at each place, -1 where there is none, with a margin on all sides."""
    numbers = np.arange(rows * columns).reshape(rows, columns)
    if shape == "torus":
        if min(rows, columns) < 5:
            raise BoardFormatError(f"a torus of {rows}x{columns} is too small; take at least 5 rows and columns")
        return np.pad(numbers, _MARGIN, mode="wrap")
    if shape == "hexagons":
        places = np.full((rows, 2 * columns), -1)
        for row in range(rows):
            places[row, row % 2 :: 2] = numbers[row]
        numbers = places
    return np.pad(numbers, _MARGIN, constant_values=-1)


def _at(sheet: npt.NDArray[np.int64], step: Step) -> npt.NDArray[np.int64]:
    """The number of the cell that many rows and columns away from each cell, row by row."""
    inner = sheet[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
    rows, columns = np.nonzero(inner >= 0)
    found: npt.NDArray[np.int64] = sheet[rows + _MARGIN + step[0], columns + _MARGIN + step[1]]
    return found


def _neighbours(
    sheet: npt.NDArray[np.int64], steps: tuple[Step, ...]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The neighbours of each cell, row by row, then -1; and their number."""
    near = np.stack([_at(sheet, step) for step in steps], axis=1)
    outside = near < 0
    first = np.argsort(outside, axis=1, kind="stable")
    return np.take_along_axis(near, first, axis=1), len(steps) - outside.sum(axis=1)


def _fifty_fifties(sheet: npt.NDArray[np.int64], shape: str) -> npt.NDArray[np.int64]:
    """The sets of `_swaps`, wherever all of their cells are on the board.

    An Expert board is expected to have 0.68 of these, and 0.20 of all other shapes of up to 4 cells in 3 by 5 (cells
    taken as independent).
    """
    found = []
    for one, other, telling in _swaps(shape):
        sets = np.full((int(sheet.max()) + 1, 10), -1)
        for start, part in (0, one), (2, other), (4, telling):
            for i, step in enumerate(part, start):
                sets[:, i] = _at(sheet, step)
        own = [*range(len(one)), *range(2, 2 + len(other))]
        found.append(sets[(sets[:, own] >= 0).all(axis=1)])
    return np.concatenate(found)


def _swaps(shape: str) -> Iterator[tuple[list[Step], list[Step], list[Step]]]:
    """Cells with a mine and cells without one that may change places, and the other cells whose numbers tell.

    Two neighbours, of squares those that share a side; and of squares the two diagonals of four.

    >>> for one, other, telling in _swaps("hexagons"):
    ...     print(one, other, len(telling))
    [(0, 0)] [(0, 2)] 6
    [(0, 0)] [(1, -1)] 6
    [(0, 0)] [(1, 1)] 6
    """
    steps = SHAPES[shape]
    pairs: list[tuple[list[Step], list[Step]]]
    if shape == "hexagons":
        pairs = [([(0, 0)], [step]) for step in steps if step > (0, 0)]
    else:
        pairs = [([(0, 0)], [(0, 1)]), ([(0, 0)], [(1, 0)]), ([(0, 0), (1, 1)], [(0, 1), (1, 0)])]

    def seen_from(place: Step, cells: list[Step]) -> int:
        return sum((place[0] - r, place[1] - c) in steps for r, c in cells)

    for one, other in pairs:
        places = {(r + x, c + y) for r, c in one + other for x, y in steps}.difference(one, other)
        yield one, other, sorted(place for place in places if seen_from(place, one) != seen_from(place, other))


@kernel
def around(field, seen, cell):
    """Return how many neighbours of a cell are closed and how many are known mines.

    Examples
    --------
    >>> around(make_field(1, 3, 1), np.array([CLOSED, 1, KNOWN_MINE]), 1)
    (1, 1)
    """
    closed = 0
    known = 0
    for i in range(field.degree[cell]):
        other = seen[field.neighbours[cell, i]]
        if other == CLOSED:
            closed += 1
        elif other == KNOWN_MINE:
            known += 1
    return closed, known
