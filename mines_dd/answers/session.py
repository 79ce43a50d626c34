"""A game seen move by move: what a move does not touch is kept.

The border of a position falls into components (`components`).  Opening cells changes only those that hold one of the
cells, or a neighbour of one; those are put together anew, all others stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mines_dd.answers.analysis import Analysis, analysis_of
from mines_dd.answers.border import Border
from mines_dd.answers.conflict import conflict_error
from mines_dd.base.errors import InconsistentBoardError, MinesError
from mines_dd.board.board import Board, Position

__all__ = ["Session"]


class Session:
    """A board that is opened move by move, and what is known of it after each move.

    A move that is refused leaves the session as it was.

    Parameters
    ----------
    board : Board
        The first position.
    mines : int, optional
        The total number of mines; by default the board's own, if it says.

    Raises
    ------
    InconsistentBoardError
        If the board has no layout.

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
        self._total = board.mines if mines is None else mines
        self._past: list[tuple[Border, Analysis]] = []
        self._now = self._position(board, Border.of(board))

    @classmethod
    def start(cls, rows: int, columns: int, mines: int | None = None) -> Session:
        """Return the session of an unopened board.

        Raises
        ------
        BoardFormatError
            If there is no such board.
        """
        return cls(Board(("#" * columns,) * rows, mines))

    @property
    def board(self) -> Board:
        """The board as it is now."""
        return self.analysis.board

    @property
    def analysis(self) -> Analysis:
        """What `analyse` says of the board as it is now."""
        return self._now[1]

    @property
    def border(self) -> Border:
        """The border in its components; those that a move keeps are the same objects."""
        return self._now[0]

    def open(self, cell: Position, number: int) -> None:
        """Open a cell, which shows a number.

        Raises
        ------
        MinesError
            If the cell is not closed.
        BoardFormatError
            If the number is not 0 to 8.
        InconsistentBoardError
            If no layout is left; `hints` is as for `analyse`.
        """
        self.reveal({cell: number})

    def reveal(self, numbers: Mapping[Position, int]) -> None:
        """Open cells that show these numbers, all in one move as after an opening; errors as for `open`."""
        for r, c in numbers:
            if self.board[r, c] not in "#F":
                raise MinesError(f"the cell at row {r}, column {c} is not closed, so it cannot be opened")
        places = sum(row.count(character) for row in self.board.grid for character in "#F*") - len(numbers)
        if self._total is not None and places < self._total:
            raise InconsistentBoardError(f"{self._total} mines are impossible with {places} cells left for them")
        board = self.board.reveal(numbers)
        self._move(self._position(board, self.border.opened(board, numbers.keys())))

    def flag(self, cell: Position) -> None:
        """Put a flag on a closed cell: a note, which changes nothing that is known.

        Raises
        ------
        MinesError
            If the cell is not closed, or has a flag.
        """
        self._note(cell, "#", "F")

    def unflag(self, cell: Position) -> None:
        """Take a flag away; raise `MinesError` if there is none."""
        self._note(cell, "F", "#")

    def undo(self) -> None:
        """Take the last move back, flags included; raise `MinesError` if there is none."""
        if not self._past:
            raise MinesError("there is no move to take back")
        self._now = self._past.pop()

    def _note(self, cell: Position, before: str, after: str) -> None:
        r, c = cell
        if self.board[cell] != before:
            raise MinesError(f"the cell at row {r}, column {c} is {self.board[cell]!r}, where {before!r} is needed")
        grid = list(self.board.grid)
        grid[r] = grid[r][:c] + after + grid[r][c + 1 :]
        board = replace(self.board, grid=tuple(grid))
        self._move((self._now[0], replace(self.analysis, board=board)))

    def _position(self, board: Board, border: Border | None) -> tuple[Border, Analysis]:
        if border is None:
            raise conflict_error(board)
        return border, analysis_of(board, border, self._total)

    def _move(self, position: tuple[Border, Analysis]) -> None:
        self._past.append(self._now)
        self._now = position
