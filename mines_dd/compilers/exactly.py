"""What the conjunction of BDDs and the intersection of ZDDs share: exactly-k functions, and the hints' schedule."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from mines_dd.diagram import Diagram
from mines_dd.graph import Instance, IntArray

__all__ = ["Compiled", "HintSpan", "exactly_table", "schedule"]

Node = TypeVar("Node")


@dataclass(frozen=True, eq=False)
class Compiled:
    """A compiled diagram.

    Attributes
    ----------
    diagram : Diagram
        Its items are the cells' indices in the order of decision.
    backend : str
        The package that did the work, with its version.
    """

    diagram: Diagram
    backend: str


@dataclass(frozen=True)
class HintSpan:
    """A hint in an order of cells.

    Attributes
    ----------
    levels : list of int
        The levels of its cells, ascending.
    allowed : list of int
        Its counts.
    """

    levels: list[int]
    allowed: list[int]


def schedule(instance: Instance, order: IntArray) -> list[HintSpan]:
    """Return the hints in the order of conjunction: first the one whose first cell is deepest in the order.

    So each conjunction works on the top of the diagram only: what lies below the hint's last cell stays as it is.
    """
    level = np.empty(len(order), np.int64)
    level[order] = np.arange(len(order))
    spans = [
        HintSpan(sorted(level[cells].tolist()), allowed)
        for cells, allowed in zip(instance.members, instance.allowed, strict=True)
    ]
    return sorted(spans, key=lambda span: span.levels[:1] or [len(order)], reverse=True)


def exactly_table(
    levels: Sequence[int],
    members: Collection[int],
    allowed: Collection[int],
    node: Callable[[int, Node, Node], Node],
    true: Node,
    false: Node,
) -> Node:
    """Return the diagram that lets as many of `members` be true as `allowed` says (paper §4.1, §4.2).

    The memoised recursion is filled in like Pascal's triangle, from the last level up: entry j of the row of a level
    is the diagram of what may follow when j members above it are true.

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
    """
    above = sum(level in members for level in levels)
    row = [true if j in allowed else false for j in range(above + 1)]
    for level in reversed(levels):
        if level in members:
            row = [node(level, row[j], row[j + 1]) for j in range(len(row) - 1)]
        else:
            row = [node(level, entry, entry) for entry in row]
    return row[0]
