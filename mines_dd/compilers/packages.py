"""Decision diagram packages: which is installed, what memory it may use, how its diagrams are read out."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from mines_dd.base.budget import SMALLER, Budget, available_memory
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.diagrams.diagram import Diagram

__all__ = [
    "CUDD_ESTIMATE",
    "Compiled",
    "Watch",
    "cudd_settings",
    "exported",
    "first_installed",
    "limited",
    "memory_limit",
]

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


def first_installed(kind: str, names: tuple[str, ...], backend: str) -> str:
    """Return the name of the backend asked for, or for "auto" of the first of `names` that is installed.

    Raises
    ------
    MinesError
        If there is no such backend, or none is installed.

    Examples
    --------
    >>> first_installed("BDD", ("dd.nothing", "dd.autoref"), "auto")
    'dd.autoref'
    """
    wanted = names if backend == "auto" else (backend,)
    if wanted[0] not in names:
        raise MinesError(f"there is no {kind} backend {backend!r}; choose auto, {' or '.join(names)}")
    for name in wanted:
        try:
            import_module(name)
        except ImportError:
            continue
        return name
    raise MinesError(f"{wanted[-1]} is not installed here; install {_SOURCES[wanted[-1]]}, or use the backend auto")


_SOURCES = {
    "dd.cudd": "a build of dd that has CUDD",
    "dd.cudd_zdd": "a build of dd that has CUDD",
    "dd.autoref": "dd",
    "oxidd": "oxidd",
}


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
