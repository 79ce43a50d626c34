"""The records of an Edax book as they stand in its file, found by position: about 100 bytes each.

A book of some hundred megabytes has millions of records, too many for an object each.  Here the file's bytes stay as
they are.  Of each record two more things are kept: where it begins, and its position folded by the symmetries of the
board, in an open-addressing table:

    bytes     head | record 0: 40 bytes, links, leaf | record 1: ... | ...
    offset    42     88 ...                            where each record begins
    player, opponent                                   its folded position
    slots     -1 1 -1 -1 0 ...                         the record whose hash leads here
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.errors import GraphFormatError
from mines_dd.base.hashing import hash_pair
from mines_dd.base.jit import kernel
from mines_dd.base.wording import counted
from mines_dd.boardgames.othello import PASS, Position
from mines_dd.boardgames.othello_bits import folded

__all__ = ["LINK", "NO_MOVE", "PASSED", "RECORD", "Link", "PackedRecords", "Record", "Table", "find", "word"]

RECORD, LINK = struct.Struct("<2Q4I3hBB"), struct.Struct("<bB")
PASSED, NO_MOVE = 64, 65
"""Edax's numbers for a pass and for no move."""
_WORK = 1000  # inner steps of a record, about


class Link(NamedTuple):
    """The score of a move, and the move: a square or `PASS`."""

    score: int
    move: int


@dataclass(frozen=True)
class Record:
    """An entry of a book: a position and its moves.

    Attributes
    ----------
    position : Position
    links : tuple of Link
    leaf : Link or None
    counts : tuple of int
        The numbers of games won, drawn and lost, and of lines without an end.
    scores : tuple of int
        The position's score, its lower bound and its upper bound.
    level : int
        The level of Edax's search.
    """

    position: Position
    links: tuple[Link, ...]
    leaf: Link | None = None
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)
    scores: tuple[int, int, int] = (0, 0, 0)
    level: int = 0


class Table(NamedTuple):
    """The folded positions of records, and an open-addressing table of their numbers, at most half full."""

    slots: npt.NDArray[np.int32]
    player: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]


class PackedRecords(Mapping[Position, Record]):
    """The records in the bytes of a file, by folded position; each is unpacked when it is asked for.

    Attributes
    ----------
    data : uint8 array
        The file.
    offset : int64 array
        Where each record begins.
    table : Table

    Raises
    ------
    GraphFormatError
        If a record is damaged, or there twice, or the file goes on after the last one; the error names the offset.

    Examples
    --------
    >>> from mines_dd.boardgames.othello import Othello
    >>> start = Othello().start
    >>> data = RECORD.pack(*start, 0, 0, 0, 1, 0, 0, 0, 0, 21) + LINK.pack(2, 37)
    >>> records = PackedRecords(data, at=0, size=1)
    >>> records[Othello().folded(start)].leaf, len(records)
    (Link(score=2, move=37), 1)
    """

    def __init__(self, data: bytes, at: int, size: int) -> None:
        self.data = np.frombuffer(data, np.uint8)
        room = min(size, (len(data) - at) // (RECORD.size + LINK.size) + 1)  # a damaged file may promise more
        self.offset = np.empty(room, np.int64)
        slots = np.full(1 << (2 * room + 1).bit_length(), -1, np.int32)
        self.table = Table(slots, np.empty(room, np.uint64), np.empty(room, np.uint64))
        read, at = _index.run(_WORK * room, self.data, at, self.offset, self.table)
        if read < size:
            name = f"position {read + 1} of {size}"
            _unpacked(data, at, name)
            raise GraphFormatError(f"byte {at}: {name} is there already, or one symmetric to it")
        if at < len(data):
            raise GraphFormatError(f"byte {at}: the file goes on after its {counted(size, 'position')}")

    def __getitem__(self, position: Position) -> Record:
        if not isinstance(position, Position) or position.player >> 64 or position.opponent >> 64:
            raise KeyError(position)
        _, i = find.run(8, self.table, np.uint64(position.player), np.uint64(position.opponent))
        if i < 0:
            raise KeyError(position)
        at = int(self.offset[i])
        most = RECORD.size + LINK.size * 256
        return _unpacked(self.data[at : at + most].tobytes(), 0, "")

    def __iter__(self) -> Iterator[Position]:
        for player, opponent in zip(self.table.player, self.table.opponent, strict=True):
            yield Position(int(player), int(opponent))

    def __len__(self) -> int:
        return len(self.offset)


def _unpacked(data: bytes, at: int, name: str) -> Record:
    """The record at an offset."""
    links_at = at + RECORD.size
    if len(data) >= links_at:
        player, opponent, *numbers, count, level = RECORD.unpack_from(data, at)
        end = links_at + (count + 1) * LINK.size
    if len(data) < links_at or len(data) < end:
        raise GraphFormatError(f"byte {len(data)}: the file ends within {name}, which begins at byte {at}")
    if player & opponent:
        raise GraphFormatError(f"byte {at}: {name} has two discs on one square")
    links = []
    for i, (score, move) in enumerate(LINK.iter_unpack(data[links_at:end])):
        if move > NO_MOVE or (move < PASSED and (player | opponent) >> move & 1) or (move == NO_MOVE and i < count):
            raise GraphFormatError(f"byte {links_at + i * LINK.size + 1}: {name} has the impossible move {move}")
        links.append(None if move == NO_MOVE else Link(score, PASS if move == PASSED else move))
    *known, leaf = links
    return Record(
        Position(player, opponent),
        tuple(link for link in known if link is not None),
        leaf,
        (numbers[0], numbers[1], numbers[2], numbers[3]),
        (numbers[4], numbers[5], numbers[6]),
        level,
    )


@kernel
def word(data, at):
    """Return the unsigned number of eight bytes, the least one first."""
    value = np.uint64(0)
    for k in range(7, -1, -1):
        value = (value << np.uint64(8)) | np.uint64(data[at + k])
    return value


@kernel
def find(table, player, opponent):
    """Return the slot of a folded position, and its record; -1 if there is none."""
    last = len(table.slots) - 1
    slot = hash_pair(player, opponent) & last
    while True:
        i = table.slots[slot]
        if i < 0 or (table.player[i] == player and table.opponent[i] == opponent):
            return slot, i
        slot = (slot + 1) & last


@kernel
def _index(data, at, offset, table):
    """Fill the table; return how many records are sound and new, and where the next one begins."""
    for i in range(len(offset)):
        if at + 40 > len(data):
            return i, at
        end = at + 42 + 2 * np.int64(data[at + 38])
        if end > len(data):
            return i, at
        player, opponent = word(data, at), word(data, at + 8)
        discs = player | opponent
        if player & opponent:
            return i, at
        for place in range(at + 41, end, 2):
            move = data[place]
            if move > 65 or (move == 65 and place < end - 1):
                return i, at
            if move < 64 and (discs >> np.uint64(move)) & np.uint64(1):
                return i, at
        one, other = folded(player, opponent)
        slot, known = find(table, one, other)
        if known >= 0:
            return i, at
        table.slots[slot], table.player[i], table.opponent[i], offset[i] = i, one, other, at
        at = end
    return len(offset), at
