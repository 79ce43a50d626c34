"""Large opening books in Edax's format, made without Edax: moves are scored by mobility, not by search.

A book of this kind has the shape and size of a player's, but not its knowledge.  A move scores the moves that the
player would then have less those of the opponent.  Moves up to some points worse than the best are followed.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.checks import require_whole
from mines_dd.base.errors import BudgetExceededError
from mines_dd.base.jit import kernel
from mines_dd.base.wording import counted
from mines_dd.boardgames.edax_book import EdaxBook
from mines_dd.boardgames.edax_records import Table, find
from mines_dd.boardgames.othello import Othello
from mines_dd.boardgames.othello_bits import discs, folded, mobility, turned

__all__ = ["mobility_book"]

_SQUARES = 60  # that are free at the start: so many moves, and a mobility of at most so many
_FIRST_ROOM = 1 << 12  # positions
_RECORD, _LINKS = 40, 34  # bytes of a record without links; the most links with the leaf
_WORK = 5000  # inner steps of a position, about


def mobility_book(depth: int, loss: int = 0, *, most: int = 20_000_000) -> bytes:
    """Return the bytes of a book with all positions that good moves reach from the start in fewer than `depth` moves.

    Parameters
    ----------
    depth : int
        The moves of its longest lines, 1 to 60; the last one is a leaf.
    loss : int
        How much worse than the best a move may score that is followed, 0 to 120.
    most : int
        The most positions of the book.

    Raises
    ------
    BudgetExceededError
        If it would have more positions.

    Examples
    --------
    >>> from mines_dd.boardgames.umigame import umigame_numbers
    >>> book = EdaxBook.parse(mobility_book(8, loss=1))
    >>> len(book.records), umigame_numbers(book.graph(depth=8))
    (46, (1, 4))
    """
    depth = require_whole(depth, "the number of moves", least=1, most=_SQUARES)
    loss = require_whole(loss, "the loss of a move", least=0, most=2 * _SQUARES)
    most = require_whole(most, "the limit of positions", least=1, most=2**31 - 1)
    room = _FIRST_ROOM
    while True:
        table = Table(np.full(4 * room, -1, np.int32), np.empty(room, np.uint64), np.empty(room, np.uint64))
        start = np.array(Othello(8).start, np.uint64)
        data = np.zeros(room * (_RECORD + 8) + _RECORD + 2 * _LINKS, np.uint8)
        made, end = _make.run(_WORK * room, start, np.int64(depth), np.int64(loss), table, data)
        if 0 <= made <= most:
            head: bytes = EdaxBook({}).to_bytes()[:-4] + struct.pack("<i", made)
            return head + data[:end].tobytes()
        if made > most or room > most:
            raise BudgetExceededError(
                f"a book of {counted(depth, 'move')} has more than {most:,} positions",
                needed=room,
                allowed=most,
                unit="positions",
                advice="take fewer moves, or follow only better ones",
            )
        room *= 4


class _Moves(NamedTuple):
    """The moves of a position: squares (64: a pass), scores, and the folded positions that they lead to."""

    square: npt.NDArray[np.int64]
    score: npt.NDArray[np.int64]
    player: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]


@kernel
def _make(start, depth, loss, table, data):
    """Write the records of all positions, those of fewer discs first; return their number (-1: no room) and the end."""
    moves = _Moves(
        np.empty(_LINKS, np.int64), np.empty(_LINKS, np.int64), np.empty(_LINKS, np.uint64), np.empty(_LINKS, np.uint64)
    )
    one, other = folded(start[0], start[1])
    table.slots[find(table, one, other)[0]] = 0
    table.player[0], table.opponent[0] = one, other
    least = discs(one | other)
    positions, end, v = 1, 0, 0
    while v < positions:
        if positions + _LINKS > len(table.player) or end + _RECORD + 2 * _LINKS > len(data):
            return -1, 0
        player, opponent = table.player[v], table.opponent[v]
        count = _list(player, opponent, moves)
        best = -1000
        for k in range(count):
            best = max(best, moves.score[k])
        inside = discs(player | opponent) + 1 - least < depth
        _put(data, end, player)
        _put(data, end + 8, opponent)
        data[end + _RECORD - 1] = 1  # a level
        links, leaf, at = 0, -1, end + _RECORD
        for k in range(count):
            if moves.score[k] < best - loss or _before(moves, k):
                continue
            after = moves.player[k], moves.opponent[k]
            if inside and (mobility(after[0], after[1]) or mobility(after[1], after[0])):
                data[at], data[at + 1] = np.uint8(moves.score[k]), moves.square[k]
                links, at = links + 1, at + 2
                slot, known = find(table, after[0], after[1])
                if known < 0:
                    table.slots[slot] = positions
                    table.player[positions], table.opponent[positions] = after
                    positions += 1
            elif leaf < 0 or moves.score[k] > moves.score[leaf]:
                leaf = k
        data[end + _RECORD - 2] = links
        data[at], data[at + 1] = 129, 65
        if leaf >= 0:
            data[at], data[at + 1] = np.uint8(moves.score[leaf]), moves.square[leaf]
        end = at + 2
        v += 1
    return positions, end


@kernel
def _list(player, opponent, moves):
    """List a position's moves; return how many."""
    free, count = mobility(player, opponent), 0
    if not free and mobility(opponent, player):
        moves.square[0], moves.score[0] = 64, 0
        moves.player[0], moves.opponent[0] = folded(opponent, player)
        return 1
    for square in range(64):
        if (free >> np.uint64(square)) & np.uint64(1):
            lines = turned(player, opponent, square)
            one, other = opponent & ~lines, player | lines | np.uint64(1) << np.uint64(square)
            moves.square[count] = square
            moves.score[count] = discs(mobility(other, one)) - discs(mobility(one, other))
            moves.player[count], moves.opponent[count] = folded(one, other)
            count += 1
    return count


@kernel
def _before(moves, k):
    """Whether an earlier move leads to the same position, but for a symmetry."""
    for earlier in range(k):
        if moves.player[earlier] == moves.player[k] and moves.opponent[earlier] == moves.opponent[k]:
            return True
    return False


@kernel
def _put(data, at, value):
    """Write eight bytes, the least one first."""
    for k in range(8):
        data[at + k] = np.uint8((value >> np.uint64(8 * k)) & np.uint64(255))
