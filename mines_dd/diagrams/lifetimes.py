"""When a pass up a circuit uses each node's value for the last time, so that it can forget it.

Long values fill memory long before their nodes do.  If the root's value alone is wanted, those on the way live only
until the last node that they count in has its own.  On the board a1b1c, whose assignments are {b} and {a, c}:

    node 2 = [1 of b]                 last used by 4
    node 3 = [1 of c]                 last used by 4
    node 4 = 2 + 3 * [1 of a]         the root: kept
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mines_dd.base.arrays import FloatArray, LongArray
from mines_dd.diagrams.circuit import Circuit

__all__ = ["BITS_A_BYTE", "Lifetimes", "last_uses", "most_alive"]

BITS_A_BYTE = 7.5
"""Of Python's integers, which have 30 bits in each 4 bytes."""


def last_uses(circuit: Circuit, roots: Sequence[int], users: LongArray | None = None) -> LongArray:
    """Return for each node the last one that it is a factor in; the number of nodes, so never, for roots and for none.

    Parameters
    ----------
    circuit : Circuit
    roots : sequence of int
    users : int64 array, optional
        For each node when it uses its factors, if not in its turn: another node's number, or 0 for not at all.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> last_uses(circuit, [circuit.root]).tolist()[2:]
    [4, 4, 5]
    """
    never = len(circuit.start) - 1
    user = np.repeat(np.arange(never) if users is None else users, np.diff(circuit.start))
    last = np.zeros(never, np.int64)
    for used in (circuit.left, circuit.right):
        np.maximum.at(last, used, user)
    last[last == 0] = last[list(roots)] = never
    return last


def most_alive(size: FloatArray, nodes: LongArray, last: LongArray) -> float:
    """Return the greatest sum of sizes at a time, if each node's value is forgotten after its last use.

    Parameters
    ----------
    size : float array
        Of the value of each of `nodes`.
    nodes, last : int64 arrays
        Some nodes, ascending, and the last use of each.

    Examples
    --------
    >>> most_alive(np.array([1.0, 1.0, 5.0]), np.array([2, 3, 4]), np.array([3, 4, 5]))  # 3 and 4
    6.0
    """
    ended = np.bincount(np.searchsorted(nodes, last), size, len(nodes) + 1)[: len(nodes)]
    return float(np.max(np.cumsum(size) - np.append(0.0, np.cumsum(ended)[:-1]), initial=0.0))


class Lifetimes:
    """Tells a pass, as it goes on, which nodes' values it has used for the last time.

    Parameters
    ----------
    nodes, last : int64 arrays
        Some nodes, and the last use of each.

    Examples
    --------
    >>> alive = Lifetimes(np.array([2, 3, 4]), np.array([3, 4, 5]))
    >>> alive.ended_by(3), alive.ended_by(4)
    ([2], [3])
    """

    def __init__(self, nodes: LongArray, last: LongArray) -> None:
        order = np.argsort(last, kind="stable")
        self._nodes, self._ends = nodes[order].data, last[order].data  # quicker by index than arrays
        self._told = 0

    def ended_by(self, node: int) -> list[int]:
        """Return the nodes last used by `node` or before it, each once."""
        first = self._told
        while self._told < len(self._ends) and self._ends[self._told] <= node:
            self._told += 1
        ended: list[int] = self._nodes[first : self._told].tolist()
        return ended
