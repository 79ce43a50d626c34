"""Exactly-k functions as diagrams: how a hint becomes a BDD (paper §4.1) or a ZDD (§4.2).

Exactly 2 of the cells a, b, c.  Entry j of a level's row is the diagram of what may follow when j cells above it are
mines; it is filled in like Pascal's triangle, from the last level up, each entry from two of the row below:

    after c       ⊥      ⊥      ⊤      (⊥: three are too many)
    c             ⊥    (c,⊥,⊤)  (c,⊤,⊥)         (level, what follows 0, what follows 1)
    b           (b, c0, c1)  (b, c1, c2)
    a                 (a, b0, b1)               the function
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from numbers import Integral
from typing import TypeVar

__all__ = ["allowed_counts", "exactly_table"]

Node = TypeVar("Node")


def allowed_counts(k: int | Collection[int]) -> set[int]:
    """Return the set of counts that `k`, one or several, stands for.

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
    """Return the diagram that lets as many of `members` be true as `allowed` says.

    Parameters
    ----------
    levels : sequence of int
        The levels to decide, ascending; those that are no members are don't-care.
    members : collection of int
        A subset of the levels.
    allowed : collection of int
        The allowed numbers of true members.
    node : function
        (level, low, high) -> the reduced node.
    true, false
        What follows the last level.

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
        # loops, not comprehensions: a closure over nodes would keep them from being let go (see `packages.limited`)
        made = []
        if level in members:
            above -= 1
            row.append(false)  # more than the most that are allowed
            for j in range(min(above, most) + 1):
                made.append(node(level, row[j], row[j + 1]))
        else:
            for follows in row:
                made.append(node(level, follows, follows))
        row = made
    return row[0]
