"""The graph of positions that an Edax book's moves reach from one position, compiled: for books of millions.

A walk goes depth first.  A position gets a number when a move to it is first seen, and is *open* until all that its
moves lead to is finished; read backwards, the order in which positions are finished puts each before its successors:

    numbers when seen     0 -> 1, 2     1 -> 3     2 -> 3        finished: 3, 1, 2, 0      order: 0, 2, 1, 3
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.checks import require
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.hashing import hash_pair
from mines_dd.base.jit import kernel
from mines_dd.boardgames.edax_records import PackedRecords, find, word
from mines_dd.boardgames.othello import PASS, Othello, Position, require_position
from mines_dd.boardgames.othello_bits import discs, folded, mobility, turned
from mines_dd.boardgames.othello_graphs import Tolerance, Turn, limits_of
from mines_dd.boardgames.position_graph import PositionGraph, Rows

__all__ = ["walk_book"]

_FIRST_ROOM = 1 << 12  # positions
_MOVES = 64  # of a position, at most: different positions after a disc on one of 60 squares
_DEEPEST = 128  # positions on a line: 60 moves, and no two passes in a row
_SCORES = 1000  # scores of a book have one byte, and differ by less
_WORK = 2000  # inner steps of a position, about
_DONE, _NO_ROOM, _NO_MOVE = 0, 1, 2


class _Made(NamedTuple):
    """The graph so far: a table of positions, positions by number, moves, the order of finishing, the line walked."""

    slots: npt.NDArray[np.int32]
    player: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]
    own: npt.NDArray[np.int8]
    start: npt.NDArray[np.int64]
    stop: npt.NDArray[np.int64]
    child: npt.NDArray[np.int32]
    finished: npt.NDArray[np.int32]
    stack: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]


class _Turns(Sequence[Turn]):
    """The positions of a graph as `Turn`s, each made when it is asked for."""

    def __init__(self, player: Any, opponent: Any, own: Any) -> None:
        self.player, self.opponent, self.own = player, opponent, own

    def __getitem__(self, v: Any) -> Any:
        return Turn(Position(int(self.player[v]), int(self.opponent[v])), bool(self.own[v]))

    def __len__(self) -> int:
        return len(self.player)


def walk_book(
    records: PackedRecords, root: Position, tolerance: Tolerance | None = None, depth: int | None = None
) -> PositionGraph:
    """Return the graph of positions that arise from `root`; the same as `scored_graph` of the book's moves.

    Parameters
    ----------
    records : PackedRecords
    root : Position
    tolerance : Tolerance, optional
        Which moves to follow, without a limit for whole lines; only best ones by default.
    depth : int, optional
        How many moves to follow; passes do not count, and none is made after the last.

    Raises
    ------
    GraphFormatError
        If the book gives a move that the rules do not allow.
    """
    records = require(records, PackedRecords, "a book as PackedRecords", "EdaxBook.read reads them")
    game, root, limits = Othello(8), require_position(root), limits_of(tolerance, depth)
    deepest = 65 if depth is None else (root.player | root.opponent).bit_count() + depth
    numbers = (limits.loss, limits.low, limits.high, deepest)
    asked = np.array([max(-_SCORES, min(number, _SCORES)) for number in numbers], np.int64)
    first = np.array(game.folded(root), np.uint64)
    room = _FIRST_ROOM
    while True:
        made = _Made(
            np.full(4 * room, -1, np.int32),
            np.empty(room, np.uint64),
            np.empty(room, np.uint64),
            np.empty(room, np.int8),
            np.full(room, -1, np.int64),
            np.empty(room, np.int64),
            np.empty(3 * room, np.int32),
            np.empty(room, np.int32),
            np.empty(_DEEPEST, np.int32),
            np.empty(_DEEPEST, np.int64),
        )
        work = _WORK * min(len(records), room)
        status, positions, moves = _walk.run(work, records.data, records.offset, records.table, asked, first, made)
        if status == _DONE:
            return _graph(made, positions)
        if status == _NO_MOVE:
            record = records[Position(int(made.player[positions]), int(made.opponent[positions]))]
            square = PASS if moves == 64 else moves
            raise GraphFormatError(
                f"the book gives {game.name(square)} in a position where it is no move, "
                f"{record.position.player:#x} to move against {record.position.opponent:#x}"
            )
        del made
        room *= 4


def _graph(made: _Made, positions: int) -> PositionGraph:
    """The positions in the order that the walk found, parents first."""
    order = made.finished[:positions][::-1]
    number = np.empty(positions, np.int32)
    number[order] = np.arange(positions, dtype=np.int32)
    lengths = (made.stop[:positions] - made.start[:positions])[order]
    start = np.append(0, np.cumsum(lengths))
    child = np.empty(int(start[-1]), np.int32)
    _renumber.run(positions + len(child), order, number, made.start, made.child, start, child)
    own = made.own[:positions][order] == 1
    labels = _Turns(made.player[:positions][order], made.opponent[:positions][order], own)
    return PositionGraph(labels, tuple(own.tolist()), Rows(start, child))


@kernel
def _renumber(order, number, old_start, old_child, start, child):
    for v in range(len(order)):
        before = old_start[order[v]]
        for k in range(start[v + 1] - start[v]):
            child[start[v] + k] = number[old_child[before + k]]


@kernel
def _walk(data, offset, table, asked, first, made):
    """Walk from `first`; `asked` has loss, low, high and the least discs of a position that is not followed.

    Returns (_DONE, positions, moves), (_NO_ROOM, ...), or (_NO_MOVE, position, the move that is none).
    """
    positions, moves, finished, height = 1, 0, 0, 1
    made.player[0], made.opponent[0], made.own[0] = first[0], first[1], 1
    made.slots[_number(made, first[0], first[1], 1)[0]] = 0
    made.stack[0] = 0
    while height > 0:
        v = made.stack[height - 1]
        if made.start[v] < 0:
            if positions + _MOVES > len(made.player) or moves + _MOVES > len(made.child):
                return _NO_ROOM, positions, moves
            made.start[v] = made.stop[v] = made.place[height - 1] = moves
            if discs(made.player[v] | made.opponent[v]) < asked[3]:
                _, i = find(table, made.player[v], made.opponent[v])
                if i >= 0:
                    wrong, positions = _follow(data, offset[i], asked, v, positions, made)
                    if wrong >= 0:
                        return _NO_MOVE, v, wrong
                    moves = made.stop[v]
        deeper = False
        while made.place[height - 1] < made.stop[v] and not deeper:
            below = made.child[made.place[height - 1]]
            made.place[height - 1] += 1
            deeper = made.start[below] < 0
            if deeper:
                made.stack[height] = below
                height += 1
        if not deeper:
            made.finished[finished] = v
            finished += 1
            height -= 1
    return _DONE, positions, moves


@kernel
def _follow(data, at, asked, v, positions, made):
    """List the moves of a record that are good enough; return a move that is none (-1), and the positions so far."""
    player, opponent = word(data, at), word(data, at + 8)
    end = at + 42 + 2 * np.int64(data[at + 38])
    free = mobility(player, opponent)
    passes = not free and mobility(opponent, player) != 0
    best = -1000
    for place in range(at + 40, end, 2):
        move = np.int64(data[place + 1])
        if move > 64:
            continue
        if (move == 64 and not passes) or (move < 64 and not (free >> np.uint64(move)) & np.uint64(1)):
            return move, positions
        best = max(best, _score(data[place]))
    for place in range(at + 40, end, 2):
        move, score = np.int64(data[place + 1]), _score(data[place])
        seen = score if made.own[v] == 1 else -score
        if move > 64 or best - score > asked[0] or seen < asked[1] or seen > asked[2]:
            continue
        one, other = opponent, player
        if move < 64:
            lines = turned(player, opponent, move)
            one, other = opponent & ~lines, player | lines | np.uint64(1) << np.uint64(move)
        one, other = folded(one, other)
        slot, below = _number(made, one, other, 1 - made.own[v])
        if below < 0:
            below = positions
            made.slots[slot] = below
            made.player[below], made.opponent[below], made.own[below] = one, other, 1 - made.own[v]
            positions += 1
        known = False
        for k in range(made.start[v], made.stop[v]):
            known = known or made.child[k] == below
        if not known:
            made.child[made.stop[v]] = below
            made.stop[v] += 1
    return -1, positions


@kernel
def _number(made, player, opponent, own):
    """Return the slot of a position with a side to move, and its number; -1 if it has none."""
    last = len(made.slots) - 1
    slot = (hash_pair(player, opponent) + own) & last
    while True:
        v = made.slots[slot]
        if v < 0 or (made.player[v] == player and made.opponent[v] == opponent and made.own[v] == own):
            return slot, v
        slot = (slot + 1) & last


@kernel
def _score(byte):
    return np.int64(byte) - 256 if byte > 127 else np.int64(byte)
