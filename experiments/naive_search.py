"""All mine assignments by backtracking, as one would first write it.

The search decides cell after cell, first no mine, then a mine, and turns back as soon as a hint has too many mines or
too few cells left.  It takes the cells in the order that our diagrams use, which is kind to it: on the board #1#1# it
decides a, b, c, one node for each value that it tries:

    a = 0   b = 0   the first hint has no cell left: back
            b = 1   c = 0   the first assignment, after 4 nodes
                    c = 1   the second hint has too many mines: back
    a = 1   b = 0   ...
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mines_dd import Board
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order

__all__ = ["Search", "search"]


class Search(NamedTuple):
    """What a search found: assignments, nodes until the first one and in all, and whether it came to its end."""

    assignments: int
    first: int
    nodes: int
    ended: bool


@kernel
def backtrack(start, hints, left, room, most_nodes, most_found):  # type: ignore[no-untyped-def]
    """Count assignments by naive search; `start` and `hints` list each cell's hints.

    Returns the assignments, the nodes when the first was found (-1: none), the nodes, and whether it ended.
    """
    cells = len(start) - 1
    tried = np.full(cells + 1, -1, np.int64)  # the value that each cell has
    found, first, nodes, cell = 0, -1, 0, 0
    while cell >= 0:
        if cell == cells:
            found += 1
            if first < 0:
                first = nodes
            if found == most_found:
                return found, first, nodes, False
            cell -= 1
            continue
        value = tried[cell]
        for at in range(start[cell], start[cell + 1]):  # take the last value back
            if value >= 0:
                room[hints[at]] += 1
                left[hints[at]] += value
        if value == 1:
            tried[cell] = -1
            cell -= 1
            continue
        if nodes == most_nodes:
            return found, first, nodes, False
        nodes += 1
        value += 1
        tried[cell] = value
        possible = True
        for at in range(start[cell], start[cell + 1]):
            h = hints[at]
            room[h] -= 1
            left[h] -= value
            if left[h] < 0 or left[h] > room[h]:
                possible = False
        if possible:
            cell += 1
            tried[cell] = -1
    return found, first, nodes, True


def search(board: Board, most_nodes: int, most_found: int = -1) -> Search:
    """Search a board's assignments, at most so many nodes and assignments (-1: all).

    Examples
    --------
    >>> search(Board.parse("#1#1#"), 100)
    Search(assignments=2, first=4, nodes=10, ended=True)
    """
    instance = Instance.of(board)
    order = cell_order(instance, "greedy").tolist()
    touching: list[list[int]] = [[] for _ in order]
    for hint, cells in enumerate(instance.members):
        for cell in cells:
            touching[cell].append(hint)
    start = np.cumsum([0, *(len(touching[cell]) for cell in order)])
    hints = np.array([hint for cell in order for hint in touching[cell]], np.int64)
    left = np.array([allowed[0] for allowed in instance.allowed], np.int64)
    room = np.array([len(cells) for cells in instance.members], np.int64)
    return Search(*backtrack.run(most_nodes, start, hints, left, room, most_nodes, most_found))
