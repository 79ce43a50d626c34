"""A Minesweeper board: what a player sees and, if it is known, where the mines are."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

from mines_dd.base.checks import file_name, generator, plain_number, require, require_flag, require_list, require_whole
from mines_dd.base.errors import BoardFormatError, MinesError
from mines_dd.base.reading import of_file, text_of_file
from mines_dd.base.wording import are, counted, figures, place, shown
from mines_dd.board.cells import CHARACTERS, CLOSED, DIGITS, FLAG, MINE, Position
from mines_dd.board.html import board_html
from mines_dd.board.text import CELL_HELP, parse

if TYPE_CHECKING:
    import random

    import numpy as np
    import numpy.typing as npt

__all__ = ["TOTAL", "Board", "Position", "require_board", "require_position", "require_size"]

TOTAL = "the total number of mines"
_CELLS = "a list of cells, each a (row, column),"

_LARGEST = 64 * 2**20  # cells of a board, and bytes of a file


@dataclass(frozen=True, repr=False)
class Board:
    """What a player sees of a board.

    Attributes
    ----------
    grid : tuple of str
        One string a row, one character a cell: `#`, `F`, `0`-`8`, `*`.
    mines : int or None
        The total number of mines, if known.
    layout : frozenset of (row, column) or None
        Where all mines are, if known; needed to open cells.  It is not compared: boards are equal if they look
        the same to the player.

    Examples
    --------
    >>> board = Board.parse("#1#")
    >>> board.size, board[0, 1], board.hints()
    ((1, 3), '1', {(0, 1): 1})
    """

    grid: tuple[str, ...]
    mines: int | None = None
    layout: frozenset[Position] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Check that the attributes belong together."""
        how = "Board.parse reads a whole board"
        if isinstance(self.grid, str):
            raise BoardFormatError(f"a tuple of rows is needed, not a text; {how}")
        object.__setattr__(self, "grid", tuple(require_list(self.grid, "a tuple of rows", BoardFormatError)))
        if not all(isinstance(row, str) for row in self.grid):
            raise BoardFormatError(f"a row of a board is a string; {how}")
        widths = {len(row) for row in self.grid}
        if len(widths) != 1 or widths == {0}:
            raise BoardFormatError("a board needs at least one row, one cell a row, and rows of one length")
        if not all(map(CHARACTERS.issuperset, self.grid)):
            raise BoardFormatError(f"the grid has a character that is no cell; {CELL_HELP}")
        if self.layout is not None:
            height, width = self.size
            try:
                if not isinstance(self.layout, frozenset):
                    object.__setattr__(self, "layout", frozenset(map(require_position, self.layout)))
                outside = [p for p in self.layout if not (0 <= p[0] < height and 0 <= p[1] < width)]
            except (TypeError, IndexError, MinesError):
                raise BoardFormatError("the layout is a set of mines, each a (row, column)") from None
            if outside:
                raise BoardFormatError(f"the layout has a mine at {min(outside)}, outside the {height}x{width} board")
        if self.mines is not None:
            object.__setattr__(self, "mines", require_whole(self.mines, TOTAL, BoardFormatError))
            known = self._tally(MINE)
            places = known + self._tally(CLOSED + FLAG)
            if not known <= self.mines <= places:
                raise BoardFormatError(
                    f"mines: {shown(self.mines)} is impossible; the board has {counted(known, 'known mine')} "
                    f"and {counted(places - known, 'closed cell')}"
                )

    # Reading and writing

    @classmethod
    def parse(cls, text: str) -> Board:
        """Read a board from its text or JSON form (see `mines_dd.board.text`).

        Raises
        ------
        BoardFormatError
            Naming line and column, what was found and what was expected.

        Examples
        --------
        >>> board = Board.parse("mines: 2/#1#/#2#")
        >>> board.mines, board.hints()
        (2, {(0, 1): 1, (1, 1): 2})
        """
        found = parse(require(text, str, "the text of a board", "Board.read reads a file", BoardFormatError))
        try:
            board = cls(found.grid, found.mines, found.layout)
        except BoardFormatError as error:
            if found.mines_line is None:
                raise
            raise BoardFormatError(f"line {found.mines_line}: {error}", line=found.mines_line) from None
        if board.layout is not None:
            _check_layout(board, board.layout)
        return board

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Board:
        r"""Read a board as text or JSON from a file, or from standard input for `-`.

        Files of other programs are read by `mines_dd.board.files.read_board_file`.

        Raises
        ------
        BoardFormatError
            If it cannot be read or is not a board; the error names the file.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        ...     print("#1#\n###", file=file, flush=True)
        ...     Board.read(file.name)
        <Board: 2x3, 1 hint>
        """
        name = file_name(path, BoardFormatError)
        text = text_of_file(name, "a board file", _LARGEST, BoardFormatError, advice=CELL_HELP)
        with of_file(name):
            return cls.parse(text)

    def to_text(self, spaces: bool = False) -> str:
        """Return the text form (without the layout); `spaces` puts a space between cells.

        Examples
        --------
        >>> print(Board.parse("mines: 2/#1#/#2#").to_text(spaces=True), end="")
        mines: 2
        # 1 #
        # 2 #
        """
        header = "" if self.mines is None else f"mines: {self.mines}\n"
        between = " " if require_flag(spaces, "spaces") else ""
        return header + "".join(between.join(row) + "\n" for row in self.grid)

    def to_json(self) -> str:
        """Return the JSON form, layout included.

        Examples
        --------
        >>> print(Board.from_layout(1, 3, [(0, 2)]).open(0, 0).to_json())
        {"board": ["01#"], "mines": 1, "layout": [[0, 2]]}
        """
        value: dict[str, Any] = {"board": list(self.grid)}
        if self.mines is not None:
            value["mines"] = self.mines
        if self.layout is not None:
            value["layout"] = sorted(map(list, self.layout))
        return json.dumps(value)

    def __str__(self) -> str:
        """The text form."""
        return self.to_text().rstrip("\n")

    def __repr__(self) -> str:
        """Size and numbers."""
        rows, cols = self.size
        total = "" if self.mines is None else f", {counted(self.mines, 'mine')}"
        return f"<Board: {rows}x{cols}, {counted(self._tally(DIGITS), 'hint')}{total}>"

    def _repr_html_(self) -> str:
        """The board as a table, for notebooks."""
        return board_html(self.grid, caption="" if self.mines is None else counted(self.mines, "mine"))

    # Making

    @classmethod
    def from_layout(cls, rows: int, cols: int, mines: Iterable[Position]) -> Board:
        """Return an unopened board whose mines are known.

        Raises
        ------
        BoardFormatError
            For an impossible size or a mine outside.

        Examples
        --------
        >>> print(Board.from_layout(2, 3, [(1, 2)]).open(0, 0))
        mines: 1
        01#
        01#
        """
        rows, cols = require_size(rows, cols)
        layout = frozenset(map(require_position, require(mines, Iterable, "a list of mines")))
        return cls((CLOSED * cols,) * rows, len(layout), layout)

    @classmethod
    def random(cls, rows: int, cols: int, mines: float, hints: float = 0, seed: float | str | None = None) -> Board:
        """Return a random board in the manner of the paper's instances (§5).

        Mines are placed uniformly at random.  Then safe cells are chosen uniformly and opened one by one: an
        empty cell does not open its neighbours.  The same seed gives the same board on every machine and with
        every Python, because the only random numbers are those of `random.Random(seed).random()`, one for each
        step of a Fisher-Yates shuffle.

        Parameters
        ----------
        rows, cols : int
        mines : int or float
            A number (int), or a share of all cells (float, 0 to 1), rounded to a number as `round` does.
        hints : int or float
            A number (int), or a share of the safe cells (float).
        seed : int, float, str or None
            None gives another board each time.

        Raises
        ------
        BoardFormatError
            If the size is impossible, or there are more mines or hints than cells for them.

        Examples
        --------
        >>> print(Board.random(3, 5, mines=3, hints=0.5, seed=1))
        mines: 3
        #1##0
        #33#0
        ###1#
        """
        import numpy as np

        rows, cols = require_size(rows, cols)
        rng = generator(seed, BoardFormatError)
        cells = list(range(rows * cols))
        n_mines = _amount(mines, len(cells), "mines", "cell")
        n_hints = _amount(hints, len(cells) - n_mines, "hints", "safe cell")
        _shuffle_front(cells, n_mines, rng)
        mined = np.zeros(rows * cols, bool)
        mined[cells[:n_mines]] = True
        safe = np.flatnonzero(~mined).tolist()
        _shuffle_front(safe, n_hints, rng)
        seen = np.full(rows * cols, ord(CLOSED), np.uint8)
        seen[safe[:n_hints]] = _all_open(mined.reshape(rows, cols)).ravel()[safe[:n_hints]]
        text = seen.tobytes().decode("ascii")
        grid = tuple(text[i : i + cols] for i in range(0, rows * cols, cols))
        return cls(grid, n_mines, frozenset(divmod(i, cols) for i in cells[:n_mines]))

    # Looking

    @property
    def size(self) -> tuple[int, int]:
        """(rows, columns)."""
        return len(self.grid), len(self.grid[0])

    @cached_property
    def array(self) -> npt.NDArray[np.uint8]:
        """The ASCII codes of the grid's characters, as a rows x columns matrix."""
        import numpy as np

        return np.frombuffer("".join(self.grid).encode("ascii"), np.uint8).reshape(self.size)

    def __getitem__(self, position: Position) -> str:
        """The character at (row, column)."""
        r, c = self._check(position)
        return self.grid[r][c]

    def closed(self) -> list[Position]:
        """Return the closed cells, flagged or not, row by row.

        Examples
        --------
        >>> Board.parse("#1F/000").closed()
        [(0, 0), (0, 2)]
        """
        return list(self._positions(CLOSED + FLAG))

    def flags(self) -> list[Position]:
        """Return the closed cells the player has flagged.

        Examples
        --------
        >>> Board.parse("#1F/000").flags()
        [(0, 2)]
        """
        return list(self._positions(FLAG))

    def known_mines(self) -> list[Position]:
        """Return the mines known for certain.

        Examples
        --------
        >>> Board.parse("#1*/000").known_mines()
        [(0, 2)]
        """
        return list(self._positions(MINE))

    def hints(self) -> dict[Position, int]:
        """Return the count of each opened cell, zeros included.

        Examples
        --------
        >>> Board.parse("#1#/#10").hints()
        {(0, 1): 1, (1, 1): 1, (1, 2): 0}
        """
        return {p: int(self.grid[p[0]][p[1]]) for p in self._positions(DIGITS)}

    def neighbours(self, position: Position) -> list[Position]:
        """Return the cells around a cell, at most eight.

        Examples
        --------
        >>> Board.parse("###/###").neighbours((0, 0))
        [(0, 1), (1, 0), (1, 1)]
        """
        rows, cols = self.size
        r, c = self._check(position)
        return [
            (i, j)
            for i in range(max(0, r - 1), min(rows, r + 2))
            for j in range(max(0, c - 1), min(cols, c + 2))
            if (i, j) != (r, c)
        ]

    def count_around(self, position: Position) -> int:
        """Return the number of mines around a cell, from the layout.

        Raises
        ------
        MinesError
            If the layout is not known.

        Examples
        --------
        >>> Board.from_layout(2, 2, [(0, 0), (1, 1)]).count_around((0, 1))
        2
        """
        layout = self._known_layout("count mines")
        return sum(p in layout for p in self.neighbours(position))

    # Playing

    def open(self, row: int | Position, col: int | None = None) -> Board:
        """Return the board after opening a cell, given as its row and its column, or as (row, column).

        A cell with count 0 opens its neighbours, too, and so on: the usual cascade.  A mine shows as `*`: the
        game is lost.  An open cell stays as it is.

        Raises
        ------
        MinesError
            If the layout is not known, or there is no such cell.

        Examples
        --------
        >>> print(Board.from_layout(2, 4, [(0, 3)]).open(0, 0))
        mines: 1
        001#
        001#
        """
        return self.open_all([require_position(row if col is None else (row, col))])

    def open_all(self, positions: Iterable[Position]) -> Board:
        """Return the board after opening several cells; their order makes no difference.

        Raises
        ------
        MinesError
            As `open`.

        Examples
        --------
        >>> print(Board.from_layout(1, 5, [(0, 2)]).open_all([(0, 1), (0, 4)]))
        mines: 1
        #1#10
        """
        layout = self._known_layout("open a cell")
        opened: dict[Position, str] = {}
        stack = [self._check(position) for position in _cells(positions)]
        while stack:
            position = stack.pop()
            if position in opened or self.grid[position[0]][position[1]] not in (CLOSED, FLAG):
                continue
            if position in layout:
                opened[position] = MINE
                continue
            around = self.neighbours(position)
            count = sum(p in layout for p in around)
            opened[position] = DIGITS[count]
            if count == 0:
                stack += [p for p in around if p not in opened]
        return self._with(opened)

    def reveal(self, counts: Mapping[Position, int]) -> Board:
        """Return the board after cells were opened that show these counts; no layout is needed.

        Raises
        ------
        MinesError
            If there is no such cell.
        BoardFormatError
            For a count other than 0 to 8.

        Examples
        --------
        >>> print(Board.parse("###/###").reveal({(0, 0): 1, (1, 2): 2}))
        1##
        ##2
        """
        opened = {}
        for position, count in require(counts, Mapping, "a dict of counts, (row, column) -> count,").items():
            cell = self._check(position)
            if not isinstance(count, Integral) or int(count) not in range(9):
                raise BoardFormatError(f"the count {shown(count)} at {place(cell)} is not 0 to 8")
            opened[cell] = DIGITS[int(count)]
        return self._with(opened)

    def flag(self, positions: Collection[Position]) -> Board:
        """Return the board with flags on the closed cells among `positions`.

        Examples
        --------
        >>> print(Board.parse("#1#").flag([(0, 0)]))
        F1#
        """
        chosen = map(self._check, _cells(positions))
        return self._with({p: FLAG for p in chosen if self[p] == CLOSED})

    def mark(self, positions: Collection[Position]) -> Board:
        """Return the board with `*`, a mine known for certain, on the closed cells among `positions`.

        Examples
        --------
        >>> print(Board.parse("#1#").mark([(0, 0)]))
        *1#
        """
        chosen = map(self._check, _cells(positions))
        return self._with({p: MINE for p in chosen if self[p] in (CLOSED, FLAG)})

    def _with(self, changes: Mapping[Position, str]) -> Board:
        changed: dict[int, list[str]] = {}
        for (r, c), character in changes.items():
            if r not in changed:
                changed[r] = list(self.grid[r])
            changed[r][c] = character
        return replace(
            self, grid=tuple("".join(changed[r]) if r in changed else row for r, row in enumerate(self.grid))
        )

    def _positions(self, characters: str) -> Iterator[Position]:
        for r, row in enumerate(self.grid):
            yield from [(r, c) for c, character in enumerate(row) if character in characters]

    def _tally(self, characters: str) -> int:
        return sum(row.count(character) for row in self.grid for character in characters)

    def _known_layout(self, purpose: str) -> frozenset[Position]:
        if self.layout is None:
            raise MinesError(f"cannot {purpose}: where the mines are is not known (the board has no layout)")
        return self.layout

    def _check(self, position: Position) -> Position:
        rows, cols = self.size
        r, c = cell = require_position(position)
        if not (0 <= r < rows and 0 <= c < cols):
            raise MinesError(
                f"there is no cell at {place(cell)}; rows go from 0 to {rows - 1}, columns from 0 to {cols - 1}"
            )
        return cell


def require_board(value: object, needed: str = "a Board", error: type[MinesError] = MinesError) -> Board:
    """Return what is a board; refuse anything else, and say how to make a board of it.

    Raises
    ------
    MinesError

    Examples
    --------
    >>> require_board("#1#")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    mines_dd.base.errors.MinesError: a Board is needed, not a value of type str; Board.parse reads ...
    """
    how = "Board.parse reads a text, Board.read a file" if isinstance(value, str | os.PathLike) else ""
    if hasattr(value, "nodes"):
        how = "solve takes a graph, too, and has its probabilities"
    board: Board = require(value, Board, needed, how, error)
    return board


def _check_layout(board: Board, layout: frozenset[Position]) -> None:
    import numpy as np

    if board.mines not in (None, len(layout)):
        raise BoardFormatError(f'"mines" is {board.mines}, but "layout" has {counted(len(layout), "mine")}')
    mined = np.zeros(board.size, bool)
    mined[tuple(np.array([*layout], int).reshape(-1, 2).T)] = True
    truth = _all_open(mined)
    for r, c in np.argwhere((board.array != truth) & ~np.isin(board.array, [ord(CLOSED), ord(FLAG)]))[:1]:
        raise BoardFormatError(
            f'"board" has {board[r, c]} at {place((r, c))}, where "layout" makes it {chr(truth[r, c])}'
        )


def _cells(given: Any) -> Iterable[Any]:
    """What is a list of cells; one cell is refused as such, and not for its numbers."""
    if isinstance(given, tuple | list) and given and all(isinstance(part, int) for part in given):
        raise MinesError(f"{shown(given)} is no list of cells; for one cell write [(row, column)]")
    cells: Iterable[Any] = require(given, Iterable, _CELLS)
    return cells


def require_position(given: Any) -> Position:
    """Return what is a position, (row, column); refuse anything else.

    Examples
    --------
    >>> require_position([2, 3])
    (2, 3)
    """
    try:
        r, c = map(operator.index, given)
    except (TypeError, ValueError):
        raise MinesError(f"{shown(given)} is no cell; write (row, column)") from None
    return r, c


def require_size(rows: int, cols: int) -> tuple[int, int]:
    """Return the numbers of rows and columns if there can be such a board.

    Examples
    --------
    >>> require_size(16, 30)
    (16, 30)
    """
    rows = require_whole(rows, "the number of rows", BoardFormatError)
    cols = require_whole(cols, "the number of columns", BoardFormatError)
    if min(rows, cols) < 1 or rows * cols > _LARGEST:
        raise BoardFormatError(
            f"a board of {figures(rows)}x{figures(cols)} cells is impossible; it has at least one row and one column, "
            f"and at most {_LARGEST:,} cells"
        )
    return rows, cols


def _amount(value: float, available: int, what: str, of: str) -> int:
    value = plain_number(value)
    if isinstance(value, float):
        if not 0 <= value <= 1:
            raise BoardFormatError(f"{what}: {value} is no share; write 0.0 to 1.0, or a whole number of {what}")
        return round(value * available)
    value = require_whole(value, f"the number of {what}", BoardFormatError)
    if not 0 <= value <= available:
        raise BoardFormatError(
            f"{what}: {figures(value)} is impossible; there {are(available)} {counted(available, of)}"
        )
    return value


def _shuffle_front(items: list[int], k: int, rng: random.Random) -> None:
    """Draw `k` items uniformly and move them to the front."""
    for i in range(k):
        j = i + int(rng.random() * (len(items) - i))
        items[i], items[j] = items[j], items[i]


def _all_open(mined: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Return `Board.array` of the board with every cell open."""
    import numpy as np

    rows, cols = mined.shape
    padded = np.pad(mined, 1).astype(np.uint8)
    codes = np.full((rows, cols), ord("0"), np.uint8)
    for r in range(3):
        for c in range(3):
            codes += padded[r : r + rows, c : c + cols]
    codes[mined] = ord(MINE)
    return codes
