"""A game followed move by move; a move solves again only what it changes.

The border of a position, its closed cells next to hints, falls into connected components (see `border`).  Opening a
cell changes only the components that contain the cell or a neighbour of it.  Those are solved again; all others are
kept.  For example, opening the last cell of this board, which shows 0,

    columns   0 1 2 3 4 5 6
    before    # 1 # # # 1 #      components {0, 2} and {4, 6}; cell 3 touches no hint
    after     # 1 # # # 1 0      {0, 2} is kept; of {4, 6} the mine in 4 is certain now

>>> session = Session(Board.parse("#1###1#"))
>>> kept = session.border.parts[0]
>>> session.open((0, 6), 0)
>>> session.analysis.mines, session.border.parts[0] is kept
(frozenset({(0, 4)}), True)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mines_dd.answers.analysis import Analysis, analysis_of
from mines_dd.answers.border import Border
from mines_dd.answers.conflict import conflict_error
from mines_dd.base.checks import require, require_whole
from mines_dd.base.errors import BoardFormatError, InconsistentBoardError, MinesError
from mines_dd.base.wording import counted, place
from mines_dd.board.board import TOTAL, Board, Position, require_board, require_position, require_size

__all__ = ["Session"]


class Session:
    """A board that is opened move by move, and its analysis after each move.

    A move that raises an error leaves the session unchanged.  Moves are for one thread at a time.

    Parameters
    ----------
    board : Board
        The first position.
    mines : int, optional
        The total number of mines; by default that of the board, if it has one.

    Raises
    ------
    InconsistentBoardError
        If no layout satisfies the board's hints.

    Examples
    --------
    >>> session = Session.start(1, 4, mines=1)
    >>> session.open((0, 1), 1)
    >>> session.analysis.safe
    frozenset({(0, 3)})
    >>> session.open((0, 3), 0)
    >>> session.analysis.mines
    frozenset({(0, 0)})
    """

    def __init__(self, board: Board, mines: int | None = None) -> None:
        require_board(board)
        total = board.mines if mines is None else require_whole(mines, TOTAL, BoardFormatError)
        self._past: tuple[tuple[Border, Analysis], ...] = ()  # never changed, as a copy of the session has it, too
        self._now = _position(board, Border.of(board), total)

    @classmethod
    def start(cls, rows: int, columns: int, mines: int | None = None) -> Session:
        """Return the session of an unopened board.

        Raises
        ------
        BoardFormatError
            If the size is impossible, or there are more mines than cells.

        Examples
        --------
        >>> Session.start(2, 3, mines=1).analysis.exact[0, 0]
        Fraction(1, 6)
        """
        rows, columns = require_size(rows, columns)
        return cls(Board(("#" * columns,) * rows, mines))

    def __repr__(self) -> str:
        """The board, and how many positions it has left behind.

        Examples
        --------
        >>> session = Session.start(1, 4, mines=1)
        >>> session.open((0, 1), 1)
        >>> session
        <Session: 1x4, 1 hint, 1 mine; 1 move made>
        """
        board = repr(self.board).removeprefix("<Board: ").removesuffix(">")
        return f"<Session: {board}; {counted(len(self._past), 'move')} made>"

    @property
    def board(self) -> Board:
        """The current board, with the total number of mines if there is one."""
        return self.analysis.board

    @property
    def analysis(self) -> Analysis:
        """The analysis of the current board, as by `analyse`."""
        return self._now[1]

    @property
    def border(self) -> Border:
        """The border of the current board; components that a move keeps are the same objects as before."""
        return self._now[0]

    def open(self, cell: Position, number: int) -> None:
        """Open a cell that shows a number.

        Raises
        ------
        MinesError
            If the cell is not closed.
        BoardFormatError
            If the number is not 0 to 8.
        InconsistentBoardError
            If no layout is left; its `hints` are as for `analyse`.

        Examples
        --------
        >>> session = Session.start(1, 4, mines=1)
        >>> session.open((0, 1), 1)
        >>> print(session.board)
        mines: 1
        #1##
        """
        self.reveal({require_position(cell): number})

    def reveal(self, numbers: Mapping[Position, int]) -> None:
        """Open several cells in one move, as a cascade does; errors as for `open`.  To open none is no move.

        Examples
        --------
        >>> session = Session.start(1, 4, mines=1)
        >>> session.reveal({(0, 0): 0, (0, 1): 0, (0, 2): 1})
        >>> session.analysis.mines
        frozenset({(0, 3)})
        """
        require(numbers, Mapping, "a dict of counts, (row, column) -> count,")
        numbers = {require_position(cell): number for cell, number in numbers.items()}
        if not numbers:
            return
        for cell in numbers:
            if self.board[cell] not in "#F":
                raise MinesError(f"the cell at {place(cell)} is not closed, so it cannot be opened")
        places = sum(row.count(character) for row in self.board.grid for character in "#F*") - len(numbers)
        total = self.board.mines
        if total is not None and places < total:
            mines, cells = counted(total, "mine"), counted(places, "cell")
            raise InconsistentBoardError(f"no layout has {mines} where {cells} can hold one")
        board = self.board.reveal(numbers)
        self._move(_position(board, self.border.opened(board, numbers.keys()), total))

    def flag(self, cell: Position) -> None:
        """Put a flag on a closed cell; it is a note, and the analysis ignores it.

        Raises
        ------
        MinesError
            If the cell is not closed, or already has a flag.

        Examples
        --------
        >>> session = Session.start(1, 4)
        >>> session.flag((0, 0))
        >>> print(session.board)
        F###
        """
        self._note(cell, "#", "F")

    def unflag(self, cell: Position) -> None:
        """Remove a flag; raise `MinesError` if the cell has none.

        Examples
        --------
        >>> session = Session.start(1, 4)
        >>> session.flag((0, 0))
        >>> session.unflag((0, 0))
        >>> print(session.board)
        ####
        """
        self._note(cell, "F", "#")

    def undo(self) -> None:
        """Take the last move back (opening cells, or a flag); raise `MinesError` if there is none.

        Examples
        --------
        >>> session = Session.start(1, 4, mines=1)
        >>> session.open((0, 1), 1)
        >>> session.undo()
        >>> print(session.board)
        mines: 1
        ####
        """
        if not self._past:
            raise MinesError("there is no move to take back")
        *past, self._now = self._past
        self._past = tuple(past)

    def _note(self, cell: Position, before: str, after: str) -> None:
        r, c = cell = require_position(cell)
        if self.board[cell] != before:
            raise MinesError(f"the cell at {place(cell)} is {self.board[cell]!r}, where {before!r} is needed")
        grid = list(self.board.grid)
        grid[r] = grid[r][:c] + after + grid[r][c + 1 :]
        board = replace(self.board, grid=tuple(grid))
        self._move((self._now[0], replace(self.analysis, board=board)))

    def _move(self, position: tuple[Border, Analysis]) -> None:
        self._past = (*self._past, self._now)
        self._now = position


def _position(board: Board, border: Border | None, total: int | None) -> tuple[Border, Analysis]:
    if border is None:
        raise conflict_error(board)
    return border, analysis_of(board, border, total)
