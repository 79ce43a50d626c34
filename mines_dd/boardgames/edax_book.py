"""Opening books of the Othello program Edax (R. Delorme): read, written, and converted to graphs of positions.

A book has one entry for each class of symmetric positions.  An entry has *links*, the moves to other positions of the
book, and at most one *leaf*, the best of all moves that leave the book.  Each link and leaf has Edax's score, in discs
for the player to move.  The file begins with `XADEKOOB`, version, release, date, five options and the number of
positions; all numbers are little-endian.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require, require_flag
from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.base.reading import read_bytes
from mines_dd.boardgames.edax_records import LINK, NO_MOVE, PASSED, RECORD, Link, PackedRecords, Record
from mines_dd.boardgames.edax_walk import walk_book
from mines_dd.boardgames.othello import PASS, Othello, Position, require_position
from mines_dd.boardgames.othello_graphs import Tolerance, limits_of, scored_graph
from mines_dd.boardgames.position_graph import PositionGraph

__all__ = ["LARGEST", "MAGIC", "EdaxBook", "Link", "Record"]

MAGIC = b"XADEKOOB"
"""What the file of a book begins with."""
LARGEST = 2**32
"""The most bytes of such a file."""
_BYTES = (bytes, bytearray, memoryview)
_VERSION = 4
_HEADER = struct.Struct("<8sBB8s5ii")
_GAME = Othello(8)


@dataclass(frozen=True)
class EdaxBook:
    """An opening book.

    Attributes
    ----------
    records : mapping
        Folded position -> `Record`; of a file that was read, `PackedRecords`.
    release : int
        The second part of the program's version.
    date : bytes
        The 8 bytes of the file: year (2 bytes), month, day, hour, minute, second, and an unused byte.
    options : tuple of int
        Level, number of empty squares, midgame error, endcut error, verbosity.

    Raises
    ------
    GraphFormatError
        If the records are no mapping, or a number does not fit into the file's head.

    Examples
    --------
    >>> from mines_dd.boardgames.othello import Othello
    >>> game = Othello()
    >>> start = game.folded(game.start)
    >>> links = (Link(0, game.turns(start)[0]),)
    >>> book = EdaxBook({start: Record(start, links)})
    >>> len(book.records), len(book.graph())
    (1, 2)
    """

    records: Mapping[Position, Record]
    release: int = 4
    date: bytes = bytes(8)
    options: tuple[int, ...] = (21, 24, 2, 1, 0)

    def __post_init__(self) -> None:
        require(self.records, Mapping, "a mapping of positions to records", error=GraphFormatError)
        try:
            self._head()
        except (struct.error, TypeError):
            raise GraphFormatError(
                "the head of a book has a release from 0 to 255, a date of 8 bytes and 5 options of 32 bits"
            ) from None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> EdaxBook:
        """Read a book from a file, or from standard input for `-`.

        Raises
        ------
        MinesError
            If the file cannot be read, or has more than 4 GiB.
        GraphFormatError
            As `parse`.

        Examples
        --------
        >>> book = EdaxBook.read("book.dat")  # doctest: +SKIP
        """
        return cls.parse(read_bytes(path, "an opening book", LARGEST, begins=MAGIC))

    @classmethod
    def parse(cls, data: bytes) -> EdaxBook:
        """Read a book from the bytes of its file.

        Raises
        ------
        GraphFormatError
            If it is not such a file, or is damaged; the error names the offset.

        Examples
        --------
        >>> EdaxBook.parse(EdaxBook({}).to_bytes()).options
        (21, 24, 2, 1, 0)
        """
        require(data, _BYTES, "an opening book in bytes", "EdaxBook.read reads a file", GraphFormatError)
        if data[: len(MAGIC)] != MAGIC[: len(data)] or not data:
            raise GraphFormatError("byte 0: this is no opening book of Edax, which begins with XADEKOOB")
        if len(data) < _HEADER.size:
            raise GraphFormatError(f"byte {len(data)}: the file ends within its head, which has {_HEADER.size} bytes")
        _, version, release, date, *options, size = _HEADER.unpack_from(data)
        if version != _VERSION:
            raise GraphFormatError(
                f"byte {len(MAGIC)}: version {version} of Edax's books is not known, only {_VERSION}"
            )
        if size < 0:
            raise GraphFormatError(f"byte {_HEADER.size - 4}: the number of positions is negative, {size}")
        records = PackedRecords(data, _HEADER.size, size)
        return cls(records, release, date, tuple(options))

    def to_bytes(self) -> bytes:
        """Return the bytes of the book's file.

        Examples
        --------
        >>> EdaxBook({}).to_bytes()[:8]
        b'XADEKOOB'
        """
        parts = [self._head()]
        for record in self.records.values():
            parts.append(RECORD.pack(*record.position, *record.counts, *record.scores, len(record.links), record.level))
            for link in (*record.links, record.leaf):
                # Edax writes the worst score if there is no move
                score, move = link or (-127, NO_MOVE)
                parts.append(LINK.pack(score, PASSED if move == PASS else move))
        return b"".join(parts)

    def graph(
        self,
        root: Position | None = None,
        *,
        tolerance: Tolerance | None = None,
        depth: int | None = None,
        mirrors: bool = False,
        budget: Budget | None = None,
    ) -> PositionGraph:
        """Return the graph of positions that arise from `root` when both sides play the book's moves.

        A leaf of the graph is a position that is not in the book, or for which the book has no move to follow.

        Parameters
        ----------
        root : Position, optional
            The start of the game by default.
        tolerance : Tolerance, optional
            Which moves to follow; only best ones by default.
        depth : int, optional
            How many moves to follow; passes do not count, and none is made after the last.
        mirrors : bool
            Whether symmetric positions are counted one by one.
        budget : Budget, optional
            Its seconds; they hold where symmetric positions are counted, or the loss of a line is limited.  Else it
            takes a second or two for millions of positions.

        Raises
        ------
        BudgetExceededError
            If the time is over.
        MinesError
            If the root is not in the book.
        GraphFormatError
            If the book gives a move that the rules do not allow.

        Examples
        --------
        >>> from mines_dd.boardgames.othello import Othello
        >>> game = Othello()
        >>> start = game.folded(game.start)
        >>> links = (Link(0, game.turns(start)[0]),)
        >>> book = EdaxBook({start: Record(start, links)})
        >>> book.graph().leaves, book.graph(mirrors=True).leaves
        ((1,), (1, 2, 3, 4))
        """
        limits, mirrors = limits_of(tolerance, depth), require_flag(mirrors, "mirrors")
        root = _GAME.start if root is None else require_position(root)
        if _GAME.folded(root) not in self.records:
            raise MinesError("the book does not hold the position to start from")
        if not mirrors and limits.total is None:
            return walk_book(self._packed(), root, limits, depth)

        def moves(position: Position) -> Iterator[tuple[int, Position]]:
            record = self.records.get(position)
            if record is None:
                return
            legal = _GAME.turns(record.position)
            for link in [*record.links, *filter(None, [record.leaf])]:
                if link.move not in legal:
                    raise GraphFormatError(
                        f"the book gives {_GAME.name(link.move)} in a position where it is no move, "
                        f"{record.position.player:#x} to move against {record.position.opponent:#x}"
                    )
                yield link.score, _GAME.play(record.position, link.move)

        return scored_graph(_GAME, root, moves, limits, depth, mirrors=mirrors, budget=budget)

    def _head(self) -> bytes:
        return _HEADER.pack(MAGIC, _VERSION, self.release, self.date, *self.options, len(self.records))

    def _packed(self) -> PackedRecords:
        if isinstance(self.records, PackedRecords):
            return self.records
        return PackedRecords(self.to_bytes(), _HEADER.size, len(self.records))
