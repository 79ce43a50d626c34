"""The opening files of BookAdviser (github.com/umigamep/BookAdviser): graphs of Othello openings with their numbers.

A file is CSV.  Its first line begins with `,num4black,num4white`.  A line is a position: the moves from the start, such
as `F5D6C3`, the umigame numbers of Black and of White from there on, and the numbers of the lines that its moves lead
to; the first position is line 0.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import NamedTuple

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require
from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.base.wording import shown
from mines_dd.boardgames.othello import PASS, Othello, Position
from mines_dd.boardgames.othello_graphs import scored_graph
from mines_dd.boardgames.position_graph import PositionGraph

__all__ = ["AdviserOpening", "is_book_adviser", "parse_book_adviser"]

_HEADING = ",num4black,num4white"
_GAME = Othello()


class AdviserOpening(NamedTuple):
    """An opening.

    Attributes
    ----------
    moves : str
        From the start of the game to the root, such as `F5D6`.
    numbers : tuple of int
        The published umigame numbers of the side to move at the root and of its opponent.
    played : dict
        Folded position -> the positions after its moves.
    """

    moves: str
    numbers: tuple[int, int]
    played: dict[Position, list[Position]]

    def graph(
        self,
        root: Position | None = None,
        *,
        depth: int | None = None,
        mirrors: bool = False,
        budget: Budget | None = None,
    ) -> PositionGraph:
        r"""Return the graph of positions; the parameters are those of `EdaxBook.graph`.

        Examples
        --------
        >>> text = ",num4black,num4white,0,1\nF5,2.0,1.0,1.0,2.0\nF5D6,1.0,1.0,,\nF5F6,1.0,1.0,,"
        >>> len(parse_book_adviser(text).graph())
        3
        """
        start = _GAME.parse(self.moves) if root is None else root

        def moves(position: Position) -> list[tuple[int, Position]]:
            return [(0, after) for after in self.played.get(position, ())]

        return scored_graph(_GAME, start, moves, depth=depth, mirrors=mirrors, budget=budget)


def is_book_adviser(text: str) -> bool:
    """Tell whether a text is such a file.

    Examples
    --------
    >>> is_book_adviser(",num4black,num4white,0"), is_book_adviser("start,a")
    (True, False)
    """
    return _text(text).startswith(_HEADING)


def parse_book_adviser(text: str) -> AdviserOpening:
    r"""Read such a file.

    Raises
    ------
    GraphFormatError
        If a line is malformed; the error names it.

    Examples
    --------
    >>> text = ",num4black,num4white,0,1\nF5,2.0,1.0,1.0,2.0\nF5D6,1.0,1.0,,\nF5F6,1.0,1.0,,"
    >>> parse_book_adviser(text).numbers  # White is to move after F5
    (1, 2)
    """
    names: list[str] = []
    numbers: list[list[int]] = []
    for at, fields in enumerate(_lines(text), 2):
        try:
            name, *counts = fields
            numbers.append([int(float(count)) for count in counts if count])
        except (ValueError, OverflowError):
            raise GraphFormatError(f"line {at}: a position is written as moves,number,number,line,...") from None
        if len(numbers[-1]) < 2:
            raise GraphFormatError(f"line {at}: a position needs its moves and two umigame numbers")
        names.append(name)
    if not names:
        raise GraphFormatError("line 2: the file holds no position")
    positions = _positions(names)
    played: dict[Position, list[Position]] = {}
    for at, (position, (_, _, *children)) in enumerate(zip(positions, numbers, strict=True), 2):
        ready = _ready(position)
        if ready != position:
            played[_GAME.folded(position)] = [ready]
        for child in children:
            if not 0 <= child < len(names):
                raise GraphFormatError(
                    f"line {at}: there is no position {shown(child)}; the file has 0 to {len(names) - 1}"
                )
            if len(names[child]) <= len(names[at - 2]):
                raise GraphFormatError(f"line {at}: the moves of position {child} are not longer than its own")
            played.setdefault(_GAME.folded(ready), []).append(positions[child])
    black, white, *_ = numbers[0]
    return AdviserOpening(names[0], (black, white) if _black_moves(names[0]) else (white, black), played)


def _lines(text: str) -> Iterator[list[str]]:
    """The fields of each line after the first."""
    reader = csv.reader(_text(text).splitlines()[1:])
    try:
        yield from reader
    except csv.Error as error:
        raise GraphFormatError(f"line {reader.line_num + 1}: no CSV: {error}") from None


def _text(text: object) -> str:
    found: str = require(text, str, "the text of an opening file of BookAdviser", error=GraphFormatError)
    return found


def _positions(names: list[str]) -> list[Position]:
    """The positions after these moves, before any pass; most continue another one of the file."""
    known: dict[str, Position] = {}
    found = []
    for at, name in enumerate(names, 2):
        try:
            before = known[name[:-2]] if name[:-2] in known else _GAME.parse(name[:-2])
            square = _GAME.square(name[-2:].lower())
            if square is None or not _GAME.moves(before) >> square & 1:
                raise GraphFormatError(f"{name[-2:]!r} is no move there")
        except MinesError as error:
            raise GraphFormatError(f"line {at}: {error}") from None
        found.append(_GAME.play(before, square))
        known[name] = _ready(found[-1])
    return found


def _ready(position: Position) -> Position:
    """The position after a pass, if the player to move has to pass."""
    return _GAME.play(position, PASS) if _GAME.turns(position) == [PASS] else position


def _black_moves(moves: str) -> bool:
    """Whether Black is to move after some legal moves."""
    position, black = _GAME.start, True
    for at in range(0, len(moves), 2):
        square = _GAME.square(moves[at : at + 2].lower())
        assert square is not None
        after = _GAME.play(position, square)
        position = _ready(after)
        black = not black if position == after else black
    return black
