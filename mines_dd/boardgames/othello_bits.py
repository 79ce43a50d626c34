"""Othello on 8x8 squares, compiled: moves, discs turned over, and symmetric positions folded into one.

The same rules as `othello.Othello(8)`, for graphs of millions of positions.  A position is two unsigned numbers of 64
bits.  Each shift of all bits is a step on the board; a mask keeps lines from running over the edge.  Discs that a line
encloses are found for all squares at once:

    player   X . . . . . . .       enclosed by the player, one step to the right and on: . 1 1 . . . . .
    opponent . O O . . . . .       one step further, where the square is empty, is a move: . . . 1 . . . .
"""

from __future__ import annotations

import numpy as np

from mines_dd.base.jit import kernel

__all__ = ["discs", "folded", "mobility", "turned"]

_INNER, _NONE = np.uint64(0x7E7E7E7E7E7E7E7E), np.uint64(0)
_ONE, _SEVEN, _EIGHT, _NINE = np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)
_2, _4, _14, _16, _28, _32 = (np.uint64(n) for n in (2, 4, 14, 16, 28, 32))
_ROWS_1, _ROWS_2 = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
_COLUMNS_1, _COLUMNS_2 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_COLUMNS_4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_CORNERS_1, _CORNERS_2 = np.uint64(0x00AA00AA00AA00AA), np.uint64(0x0000CCCC0000CCCC)
_CORNERS_4 = np.uint64(0x00000000F0F0F0F0)


@kernel
def mobility(player, opponent):
    """Return the squares where the player to move may put a disc, as bits.

    Examples
    --------
    >>> from mines_dd.boardgames.othello import Othello
    >>> start = Othello().start
    >>> int(mobility(np.uint64(start.player), np.uint64(start.opponent))) == Othello().moves(start)
    True
    """
    inner = opponent & _INNER
    found = _targets(player, inner, _ONE) | _targets(player, opponent, _EIGHT)
    found |= _targets(player, inner, _NINE) | _targets(player, inner, _SEVEN)
    return found & ~(player | opponent)


@kernel
def _targets(player, enclosed, step):
    """The squares behind lines of enclosed discs that begin at the player's, in both directions of a step."""
    up, down = (player << step) & enclosed, (player >> step) & enclosed
    for _ in range(5):
        up |= (up << step) & enclosed
        down |= (down >> step) & enclosed
    return (up << step) | (down >> step)


@kernel
def turned(player, opponent, square):
    """Return the discs that a disc on a square turns over, as bits."""
    disc = _ONE << np.uint64(square)
    inner = opponent & _INNER
    found = _line(disc, player, inner, _ONE) | _line(disc, player, opponent, _EIGHT)
    return found | _line(disc, player, inner, _NINE) | _line(disc, player, inner, _SEVEN)


@kernel
def _line(disc, player, enclosed, step):
    """The enclosed discs between a disc and the player's, in both directions of a step."""
    up, down = (disc << step) & enclosed, (disc >> step) & enclosed
    for _ in range(5):
        up |= (up << step) & enclosed
        down |= (down >> step) & enclosed
    found = _NONE
    if (up << step) & player:
        found |= up
    if (down >> step) & player:
        found |= down
    return found


@kernel
def discs(squares):
    """Return how many bits are 1."""
    found = 0
    while squares:
        squares &= squares - _ONE
        found += 1
    return found


@kernel
def folded(player, opponent):
    """Return the least of the 8 images of a position, as `Othello.folded`.

    Examples
    --------
    >>> from mines_dd.boardgames.othello import Othello
    >>> position = Othello().parse("f5d6c3")
    >>> tuple(map(int, folded(*map(np.uint64, position)))) == Othello().folded(position)
    True
    """
    best, other = player, opponent
    for step in range(1, 8):
        if step == 4:
            player, opponent = _across(player), _across(opponent)
        elif step & 1:
            player, opponent = _upside_down(player), _upside_down(opponent)
        else:
            player, opponent = _mirrored(player), _mirrored(opponent)
        if player < best or (player == best and opponent < other):
            best, other = player, opponent
    return best, other


@kernel
def _upside_down(x):
    x = ((x >> _EIGHT) & _ROWS_1) | ((x & _ROWS_1) << _EIGHT)
    x = ((x >> _16) & _ROWS_2) | ((x & _ROWS_2) << _16)
    return (x >> _32) | (x << _32)


@kernel
def _mirrored(x):
    x = ((x >> _ONE) & _COLUMNS_1) | ((x & _COLUMNS_1) << _ONE)
    x = ((x >> _2) & _COLUMNS_2) | ((x & _COLUMNS_2) << _2)
    return ((x >> _4) & _COLUMNS_4) | ((x & _COLUMNS_4) << _4)


@kernel
def _across(x):
    """Rows become columns: squares change places in blocks of 1, 2 and 4."""
    t = (x ^ (x >> _SEVEN)) & _CORNERS_1
    x ^= t ^ (t << _SEVEN)
    t = (x ^ (x >> _14)) & _CORNERS_2
    x ^= t ^ (t << _14)
    t = (x ^ (x >> _28)) & _CORNERS_4
    return x ^ t ^ (t << _28)
