"""King and pawn against king (KPK): a game whose moves lead into two other games, by promotion.

The pawn is White's and moves up.  A position is numbered as in `chess`, with the pawn as the piece.  On the eighth rank
the pawn becomes a queen or a rook, and the game goes on in those endgames, whose positions follow:

    0 ...               POSITIONS - 1    king and pawn
    QUEEN + position                     king and queen, and QUEEN + POSITIONS: the queen has been captured
    ROOK + position                      king and rook, and ROOK + POSITIONS: the rook has been captured
    CAPTURED                             the pawn has been captured: a draw

A promotion to a bishop or a knight is left out: it can only draw, and White never has to do worse without it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mines_dd.boardgames.chess import BLACK, POSITIONS, RAYS, WHITE, endgame, near_squares, squares_of, step
from mines_dd.boardgames.retrograde import DRAW, OPEN, Game

__all__ = ["CAPTURED", "QUEEN", "ROOK", "pawn_endgame"]

Squares = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

QUEEN = POSITIONS
ROOK = QUEEN + POSITIONS + 1
CAPTURED = ROOK + POSITIONS + 1


def pawn_endgame() -> tuple[Game, Mask]:
    """Return the game, and a mask of which of the `POSITIONS` of king and pawn are legal.

    Illegal positions are in the game as draws without moves.  After the `POSITIONS` come the nodes of the endgames that
    promotions lead to; the mask leaves them out.

    Examples
    --------
    >>> from mines_dd.boardgames.chess import position
    >>> from mines_dd.boardgames.retrograde import solve
    >>> solution = solve(pawn_endgame()[0])  # doctest: +SKIP
    >>> int(solution.outcome[position(WHITE, "e6", "e5", "e8")])  # a won pawn ending  # doctest: +SKIP
    1
    """
    side, king, pawn, black = squares_of(np.arange(POSITIONS))
    near, check = near_squares(), _attacks(pawn, black)
    on_rank = (pawn >= 8) & (pawn < 56)
    legal = (king != pawn) & (pawn != black) & ~near[king, black] & on_rank & ((side == BLACK) | ~check)
    moves = [*_white_moves(legal & (side == WHITE)), *_black_moves(legal & (side == BLACK))]
    stuck = np.bincount(np.concatenate([source for source, _ in moves]), minlength=POSITIONS) == 0
    given = np.full(CAPTURED + 1, OPEN, np.int8)
    given[:POSITIONS][~legal | (stuck & ~(check & (side == BLACK)))] = DRAW
    given[CAPTURED] = DRAW
    for start, piece in ((QUEEN, "Q"), (ROOK, "R")):
        game, _ = endgame(piece)
        given[start : start + POSITIONS + 1] = game.given
        moves.append((game.source.astype(np.int64) + start, game.target.astype(np.int64) + start))
    source, target = (np.concatenate(ends) for ends in zip(*moves, strict=True))
    return Game(given, source, target), legal


def _white_moves(mask: Mask) -> list[tuple[Squares, Squares]]:
    """Moves of the king; one or two steps of the pawn, and its promotion."""
    before = np.flatnonzero(mask)
    _, king, pawn, black = squares_of(before)
    near, moves = near_squares(), []

    def add(mask: Mask, start: int, king: Squares, piece: Squares) -> None:
        after = start + (BLACK << 18 | king << 12 | piece << 6 | black)
        moves.append((before[mask], after[mask]))

    for direction in RAYS["Q"]:
        to, on_board = step(king, direction, 1)
        add(on_board & (to != pawn) & ~near[to, black], 0, to, pawn)
    to = pawn + 8
    free = (to != king) & (to != black)
    add(free & (to < 56), 0, king, to)
    for start in (QUEEN, ROOK):
        add(free & (to >= 56), start, king, to)
    twice = pawn + 16
    add(free & (pawn < 16) & (twice != king) & (twice != black), 0, king, twice)
    return moves


def _black_moves(mask: Mask) -> list[tuple[Squares, Squares]]:
    """Moves of the king to where neither king nor pawn attacks, and its capture of the pawn."""
    before = np.flatnonzero(mask)
    _, king, pawn, black = squares_of(before)
    near, moves = near_squares(), []
    for direction in RAYS["Q"]:
        to, on_board = step(black, direction, 1)
        allowed = on_board & ~near[to, king]
        goes = allowed & (to != pawn) & ~_attacks(pawn, to)
        moves.append((before[goes], (king << 12 | pawn << 6 | to)[goes]))
        takes = before[allowed & (to == pawn)]
        moves.append((takes, np.full(len(takes), CAPTURED)))
    return moves


def _attacks(pawn: Squares, square: Squares) -> Mask:
    """Whether a pawn attacks a square: one rank up, one file aside."""
    attacks: Mask = (square // 8 == pawn // 8 + 1) & (abs(square % 8 - pawn % 8) == 1)
    return attacks
