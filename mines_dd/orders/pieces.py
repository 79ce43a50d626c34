r"""Orders of elimination that are mended piece by piece.

The steps of an elimination form a tree.  A *piece* is a connected part of it.  Whatever the order of the hints within a
piece, its steps take tables of the same hints from the pieces below and leave a table of the same hints to the piece
above.  So if two orders agree on the pieces, we can take the better of the two for each piece separately.

An example: seven steps, each with the step that takes its table, in pieces of at least three.

    step      0 1 2 3 4 5 6                  6
    parent    2 2 6 5 5 6 -                /   \
                                          2     5        pieces   0 1 2    3 4 5    6
                                         / \   / \      stages     0        0      1
                                        0   1 3   4

A piece is cut off from below as soon as it has enough steps.  It goes at a *stage*: after all pieces below it.  Orders
that take the stages one after the other agree on the pieces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mines_dd.base.arrays import FloatArray, IntArray, LongArray
from mines_dd.base.jit import kernel

__all__ = ["Pieces", "better_of", "cut"]


class Pieces(NamedTuple):
    """For each hint its piece, a number below that of hints, and the stage at which the piece goes."""

    piece: LongArray
    stage: LongArray


def cut(order: IntArray, parent: IntArray, least: int) -> Pieces:
    """Cut an elimination's tree of steps into pieces.

    Parameters
    ----------
    order : int array
        The hints in the order of elimination.
    parent : int array
        For each step the one that takes its table, -1 for none.
    least : int
        The steps that each piece has at least; a last one, at the top of its tree, may have fewer.

    Examples
    --------
    >>> order, parent = np.arange(7, dtype=np.int32), np.array([2, 2, 6, 5, 5, 6, -1], np.int32)
    >>> pieces = cut(order, parent, 3)
    >>> pieces.piece.tolist(), pieces.stage.tolist()
    ([2, 2, 2, 5, 5, 5, 6], [0, 0, 0, 0, 0, 0, 1])
    """
    n = len(order)
    piece, stage = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    _cut.run(10 * n, parent, least, piece, stage)
    of_hint = Pieces(np.empty(n, np.int64), np.empty(n, np.int64))
    of_hint.piece[order], of_hint.stage[order] = piece, stage
    return of_hint


@kernel
def _cut(parent, least, piece, stage):
    """Name each step's piece by its last step."""
    n = len(parent)
    size = np.ones(n, np.int64)
    for i in range(n):
        if parent[i] < 0 or size[i] >= least:
            piece[i] = i
        else:
            size[parent[i]] += size[i]
    for i in range(n - 1, -1, -1):
        if piece[i] < 0:
            piece[i] = piece[parent[i]]
    for i in range(n):
        if piece[i] == i and parent[i] >= 0:
            above = piece[parent[i]]
            stage[above] = max(stage[above], stage[i] + 1)
    for i in range(n):
        stage[i] = stage[piece[i]]


def better_of(pieces: Pieces, one: tuple[IntArray, FloatArray], other: tuple[IntArray, FloatArray]) -> IntArray:
    """Return an order that goes through each piece as the cheaper of two orders does.

    Parameters
    ----------
    pieces : Pieces
    one, other : pairs of arrays
        The hints in an order that the pieces were cut from, or that takes their stages one after the other; and what
        each step costs.

    Examples
    --------
    >>> pieces = cut(np.arange(7, dtype=np.int32), np.array([2, 2, 6, 5, 5, 6, -1], np.int32), 3)
    >>> cheap_first = np.arange(7), np.array([1.0, 1, 1, 9, 9, 9, 1])
    >>> cheap_last = np.array([1, 0, 2, 4, 3, 5, 6]), np.array([5.0, 5, 5, 1, 1, 1, 1])
    >>> better_of(pieces, cheap_first, cheap_last).tolist()  # 0 and 1 as in the one, 4 and 3 as in the other
    [0, 1, 2, 4, 3, 5, 6]
    """
    n = len(pieces.piece)
    place = np.empty((2, n), np.int64)
    cost = np.zeros((2, n))
    for k, (order, costs) in enumerate((one, other)):
        place[k][order] = np.arange(n)
        np.add.at(cost[k], pieces.piece[order], costs)
    chosen = np.where((cost[1] < cost[0])[pieces.piece], place[1], place[0])
    found: IntArray = np.lexsort((chosen, pieces.stage)).astype(np.int32)
    return found
