"""What the conjunction of BDDs and the intersection of ZDDs share: exactly-k functions, schedule, limits, export."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from numbers import Integral
from typing import Any, Literal, TypeVar

import numpy as np

from mines_dd.base.budget import SMALLER, Budget, available_memory
from mines_dd.base.errors import BudgetExceededError
from mines_dd.constraints.graph import Instance, IntArray
from mines_dd.diagrams.diagram import Diagram

__all__ = [
    "CUDD_ESTIMATE",
    "Compiled",
    "HintSpan",
    "Watch",
    "allowed_counts",
    "cudd_settings",
    "exactly_table",
    "exported",
    "limited",
    "memory_limit",
    "schedule",
]

Node = TypeVar("Node")

CUDD_ESTIMATE = 1 << 30
"""Bytes that CUDD is told to expect: its first tables grow with them, and to clear larger ones takes a while."""


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
    A balanced tree of conjunctions is often a little faster, but now and then makes a hundred times the nodes.
    """
    level = np.empty(len(order), np.int64)
    level[order] = np.arange(len(order))
    spans = [
        HintSpan(sorted(level[cells].tolist()), allowed)
        for cells, allowed in zip(instance.members, instance.allowed, strict=True)
    ]
    return sorted(spans, key=lambda span: span.levels[:1] or [len(order)], reverse=True)


def allowed_counts(k: int | Collection[int]) -> set[int]:
    """Return the set of counts that `k`, one or several, stands for."""
    return {int(k)} if isinstance(k, Integral) else set(k)  # type: ignore[arg-type]


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
    is the diagram of what may follow when j members above it are true; beyond the greatest allowed number, nothing may.

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
    most = max(allowed, default=0)
    row = [true if j in allowed else false for j in range(max(min(above, most), 0) + 1)]
    for level in reversed(levels):
        if level in members:
            above -= 1
            row = list(map(node, repeat(level), row, [*row[1:], false] if above >= most else row[1:]))
        else:
            row = list(map(node, repeat(level), row, row))
    return row[0]


def memory_limit() -> int:
    """Return how many bytes a package may use: half of what the process may still take, 1 GiB where that is not known.

    CUDD ends the process where it is refused memory that it counts on, so it is not told of any that is taken already.
    """
    available = available_memory()
    if available is not None:
        return available // 2
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return 1 << 30


def cudd_settings(memory: int) -> dict[str, int]:
    """Return what `configure` of a CUDD manager takes so that it uses at most `memory` bytes."""
    # a cache of at most a quarter of the memory, at 32 bytes an entry, is CUDD's own rule, which dd lifts
    return {"max_memory": memory, "max_cache_hard": memory // 4 // 32}


@contextmanager
def limited(kind: str, memory: int, advice: str = SMALLER) -> Iterator[None]:
    """Run the operations of a package that may use `memory` bytes; `advice` is for who needs more.

    A failure leaves no node behind: CUDD crashes if a manager goes before its nodes, and what a traceback keeps alive
    is let go in any order.  So the frames are cleared; and as that does not reach what a function has closed over, no
    function and no comprehension here may close over a node.

    Raises
    ------
    BudgetExceededError
        If the package runs out of memory.
    """
    try:
        yield
    except BaseException as error:
        traceback.clear_frames(error.__traceback__)
        if not _out_of_memory(error):
            raise
    else:
        return
    raise BudgetExceededError(
        f"the {kind} needs more than the {memory:,} bytes it may use",
        needed=memory,
        allowed=memory,
        unit="bytes",
        advice=advice,
    )


def _out_of_memory(error: BaseException) -> bool:
    """Whether the error is one of those in which dd reports that CUDD gave no node; it has no type for them."""
    return isinstance(error, MemoryError) or (
        isinstance(error, ValueError | RuntimeError) and ("NULL" in str(error) or "out of memory" in str(error))
    )


class Watch:
    """Checks a budget between operations.

    To count nodes is a walk through all tables of CUDD.  So they are counted only if they are limited, and not before
    nine times as long as it took has passed since.
    """

    def __init__(self, budget: Budget, live: Callable[[], int]) -> None:
        self.budget, self.live = budget, live
        self._next = 0.0

    def check(self) -> None:
        """Raise `BudgetExceededError` if the budget is found to be exceeded."""
        self.budget.check(0)
        if time.perf_counter() >= self._next:
            self.count()

    def count(self) -> None:
        """The same, with the nodes counted in any case."""
        started = time.perf_counter()
        self.budget.check(0 if self.budget.max_nodes is None else self.live())
        self._next = started + 10 * (time.perf_counter() - started)


def exported(
    kind: Literal["bdd", "zdd"],
    items: Sequence[int],
    root: Any,
    terminals: tuple[Any, Any],
    identity: Callable[[Any], Any],
    children: Callable[[Any], tuple[int, Any, Any]],
) -> Diagram:
    """Read a diagram out of a package, children before parents.

    Parameters
    ----------
    kind, items
        As in `Diagram`.
    root
    terminals : pair
        False and true, or the empty family and {{}}.
    identity : function
        What equal nodes, and only they, share.
    children : function
        (level, low, high) of a node that is no terminal.
    """
    false, true = terminals
    number = {identity(false): 0, identity(true): 1}
    level, low, high = [len(items), len(items)], [0, 1], [0, 1]
    top = identity(root)
    stack = [] if top in number else [(top, *children(root))]
    while stack:
        key, at, u, v = stack[-1]
        first, second = identity(u), identity(v)
        # a key that waits on the stack is that of an ancestor, so neither child can be there already
        if first not in number:
            stack.append((first, *children(u)))
        elif second not in number:
            stack.append((second, *children(v)))
        else:
            stack.pop()
            number[key] = len(level)
            level.append(at)
            low.append(number[first])
            high.append(number[second])
    return Diagram.build(kind, items, level, low, high, number[top])
