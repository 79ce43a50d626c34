"""Decision diagram packages: which one is installed, how much memory it may use, how its diagrams are copied out."""

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
"""Bytes that CUDD is told to expect.  Its first tables have a size in proportion, and clearing them takes time."""


@dataclass(frozen=True, eq=False)
class Compiled:
    """A compiled diagram.

    Attributes
    ----------
    diagram : Diagram
        Its items are the cells' indices, in the order of the variables.
    backend : str
        The package and its version.

    Examples
    --------
    >>> Compiled(Diagram.build("bdd", [], [0, 0], [0, 1], [0, 1], 1), "dd.autoref 0.6").backend
    'dd.autoref 0.6'
    """

    diagram: Diagram
    backend: str


def first_installed(kind: str, names: tuple[str, ...], backend: str) -> str:
    """Return `backend`, if it is installed, or for "auto" the first of `names` that is.

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
    """Return how many bytes a package may use: half of what is free for the process; 1 GiB if that is unknown.

    Only free memory counts, because CUDD ends the process if the system refuses memory that CUDD was told to expect.

    Examples
    --------
    >>> memory_limit() > 0
    True
    """
    available = available_memory()
    if available is not None:
        return available // 2
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return 1 << 30


def cudd_settings(memory: int) -> dict[str, int]:
    """Return the arguments of `configure` with which a CUDD manager uses at most `memory` bytes.

    Examples
    --------
    >>> cudd_settings(2**30)
    {'max_memory': 1073741824, 'max_cache_hard': 8388608}
    """
    # CUDD's own rule, which dd switches off: a cache of at most a quarter of the memory, at 32 bytes an entry
    return {"max_memory": memory, "max_cache_hard": memory // 4 // 32}


@contextmanager
def limited(kind: str, memory: int, advice: str = SMALLER) -> Iterator[None]:
    """Within this context, report that a package has run out of its `memory` bytes as a `BudgetExceededError`.

    After an error no node may stay alive: CUDD crashes if a manager is freed before its nodes, and what a traceback
    keeps alive is freed in any order.  So the traceback's frames are cleared.  That does not reach variables in
    closures; therefore no function and no comprehension of the compilers may close over a node.

    Raises
    ------
    BudgetExceededError
        If the package runs out of memory.

    Examples
    --------
    >>> try:
    ...     with limited("BDD", memory=2**20):
    ...         raise MemoryError
    ... except BudgetExceededError as error:
    ...     print(error.fact)
    the BDD needs more than the 1,048,576 bytes it may use
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
    """Whether the error says that CUDD returned no node; dd has no type for such errors."""
    return isinstance(error, MemoryError) or (
        isinstance(error, ValueError | RuntimeError) and ("NULL" in str(error) or "out of memory" in str(error))
    )


class Watch:
    """Checks a budget between operations.

    Counting the live nodes is a walk through all tables of CUDD.  So they are counted only if there is a limit on
    them, and so rarely that it takes at most a tenth of the time.

    Parameters
    ----------
    budget : Budget
    live : function
        Returns the number of live nodes.

    Examples
    --------
    >>> watch = Watch(Budget(max_nodes=100), live=lambda: 50)
    >>> watch.check()
    """

    def __init__(self, budget: Budget, live: Callable[[], int]) -> None:
        self.budget, self.live = budget, live
        self._next = 0.0

    def check(self) -> None:
        """Raise `BudgetExceededError` if the time is over, or if a count is due and finds too many nodes."""
        self.budget.check(0)
        if time.perf_counter() >= self._next:
            self.count()

    def count(self) -> None:
        """Do the same, but count the nodes now."""
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
    """Copy a diagram out of a package, children before parents.

    Parameters
    ----------
    kind, items
        As in `Diagram`.
    root
    terminals : pair
        False and true, or the empty family and {{}}.
    identity : function
        Node -> a key that equal nodes share, and no others.
    children : function
        Node that is not a terminal -> (level, low, high).

    Examples
    --------
    >>> from dd.autoref import BDD
    >>> manager = BDD()
    >>> manager.declare("a", "b")
    >>> root = manager.add_expr("a & b")
    >>> exported("bdd", [0, 1], root, (manager.false, manager.true), int, manager.succ)
    <Diagram: bdd, 2 items, 2 nodes>
    """
    false, true = terminals
    number = {identity(false): 0, identity(true): 1}
    level, low, high = [len(items), len(items)], [0, 1], [0, 1]
    top = identity(root)
    stack = [] if top in number else [(top, *children(root))]
    while stack:
        key, at, u, v = stack[-1]
        first, second = identity(u), identity(v)
        # keys on the stack belong to ancestors, so no child is on the stack already
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
