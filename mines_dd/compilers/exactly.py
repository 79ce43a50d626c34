"""Exactly-k functions as diagrams: how a hint becomes a BDD (paper §4.1) or a ZDD (§4.2).

Take exactly 2 of the cells a, b, c.  Each level has a row of nodes; node j is the diagram of the remaining cells when j
cells above are mines.  The rows are filled from the last level up, like Pascal's triangle upside down: node j of a row
is (cell, node j of the row below, node j + 1 of the row below), for a safe cell and for a mine.

    j             0            1            2            3
    after c       ⊥            ⊥            ⊤            ⊥ (too many)
    c             ⊥        (c, ⊥, ⊤)    (c, ⊤, ⊥)
    b        (b, c0, c1)  (b, c1, c2)                        c1 is node 1 of the row c, and so on
    a        (a, b0, b1)                                     the function
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from numbers import Integral
from typing import TypeVar

__all__ = ["allowed_counts", "exactly_table"]

Node = TypeVar("Node")


def allowed_counts(k: int | Collection[int]) -> set[int]:
    """Return the set of counts that `k`, a number or several numbers, stands for.

    Examples
    --------
    >>> allowed_counts(2), sorted(allowed_counts([3, 1]))
    ({2}, [1, 3])
    """
    return {int(k)} if isinstance(k, Integral) else set(k)  # type: ignore[arg-type]


def exactly_table(
    levels: Sequence[int],
    members: Collection[int],
    allowed: Collection[int],
    node: Callable[[int, Node, Node], Node],
    true: Node,
    false: Node,
) -> Node:
    """Return the diagram of "the number of true `members` is in `allowed`".

    Parameters
    ----------
    levels : sequence of int
        The levels to decide, ascending; those that are not members are don't-care.
    members : collection of int
        A subset of the levels.
    allowed : collection of int
        The allowed numbers of true members.
    node : function
        (level, low, high) -> the reduced node.
    true, false
        The diagrams below the last level.

    Examples
    --------
    >>> def node(level, low, high):
    ...     return low if low == high else f"({level} {low} {high})"
    >>> exactly_table([0, 1], {0, 1}, {1}, node, "T", "F")
    '(0 (1 F T) (1 T F))'
    """
    above = sum(level in members for level in levels)
    most = max([0, *allowed])
    row = [true if j in allowed else false for j in range(min(above, most) + 1)]
    for level in reversed(levels):
        # loops, not comprehensions: a closure would keep nodes alive after an error (see `packages.limited`)
        made = []
        if level in members:
            above -= 1
            row.append(false)  # more than the largest allowed number
            for j in range(min(above, most) + 1):
                made.append(node(level, row[j], row[j + 1]))
        else:
            for follows in row:
                made.append(node(level, follows, follows))
        row = made
    return row[0]
