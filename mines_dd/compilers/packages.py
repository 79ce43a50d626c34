"""Decision diagram packages: which one is installed, how much memory it may use, how its diagrams are copied out."""

from __future__ import annotations

import os
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib import import_module, metadata
from typing import Any, Literal

import numpy as np

from mines_dd.base.announcing import undisturbed
from mines_dd.base.budget import SMALLER, Budget, available_memory
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.base.wording import shown
from mines_dd.diagrams.diagram import Diagram

__all__ = [
    "Compiled",
    "Growth",
    "cudd_manager",
    "exported",
    "first_installed",
    "limited",
    "memory_limit",
    "version",
]

# What a manager of CUDD is told to expect.  Of much more it first clears tables for milliseconds; with much less large
# boards took a fifth longer.
_ESTIMATE = 1 << 27
_TO_BEGIN = 1 << 26  # bytes that it needs to begin
_VARIABLE = 2_300  # bytes that CUDD takes for a variable, beside its nodes; without them it crashes
_EXPECTED = 1 << 30  # bytes; up to a fifth of it CUDD lets its tables grow before it collects garbage
_LOOK_EVERY = 1_000  # nodes read out between two looks at the clock
_IMPORTING = threading.RLock()  # modules of dd import one another: two threads that begin at once would wait for ever


class Compiled:
    """A compiled diagram, which stays in its package's manager until it is asked for.

    Parameters
    ----------
    backend : str
        The package and its version.
    root
        The diagram in the manager.
    read : function
        The root and a budget -> a `Diagram`; it refers to the manager, and to no node.
    peak : int, optional
        The most nodes that the diagram had while it was built, if they were counted.

    Examples
    --------
    >>> from dd.autoref import BDD
    >>> manager = BDD()
    >>> manager.declare("a")
    >>> def read(root, budget):
    ...     return exported("bdd", [0], root, (manager.false, manager.true), int, manager.succ, budget)
    >>> compiled = Compiled("dd.autoref 0.6", manager.var("a"), read)
    >>> compiled.diagram
    <Diagram: bdd, 1 item, 1 node>
    """

    def __init__(
        self, backend: str, root: Any, read: Callable[[Any, Budget], Diagram], peak: int | None = None
    ) -> None:
        self.backend, self.peak = backend, peak
        self._diagram: Diagram | None = None
        self._lock = threading.Lock()
        self._held = [root, read]
        # CUDD's nodes must not outlive their manager, but a cycle's members, and modules at the exit of Python, are
        # freed in any order.  The finalizer holds the list, so what is in it is freed first and in order.
        self._release = weakref.finalize(self, self._held.clear)

    @property
    def diagram(self) -> Diagram:
        """The diagram, read out of the manager, which is then given up."""
        return self.within(Budget())

    def within(self, budget: Budget) -> Diagram:
        """Return the diagram; raise `BudgetExceededError` if it cannot be read out within the budget, but later."""
        with self._lock:
            if self._diagram is None:
                root, read = self._held
                self._diagram = read(root, budget)
                del root, read
                self._release()
            return self._diagram


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
        raise MinesError(f"there is no {kind} backend {shown(backend)}; choose auto, {' or '.join(names)}")
    for name in wanted:
        try:
            with _IMPORTING, nullcontext() if name in sys.modules else undisturbed(name, "imported"):
                import_module(name)
        except ImportError:
            continue
        return name
    raise MinesError(f"{wanted[-1]} is not installed here; install {_SOURCES[wanted[-1]]}, or use the backend auto")


@cache
def version(name: str) -> str:
    """Return a backend's name with the version of its package.

    Examples
    --------
    >>> version("dd.autoref").split()[0]
    'dd.autoref'
    """
    return f"{name} {metadata.version(name.partition('.')[0])}"


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


def cudd_manager(kind: Any, variables: int, memory: int) -> Any:
    """Return an empty manager of CUDD without reordering, which uses at most `memory` bytes.

    Parameters
    ----------
    kind : class
        dd.cudd.BDD or dd.cudd_zdd.ZDD.
    variables : int
        How many it will have.
    memory : int

    Raises
    ------
    MemoryError
        If there is too little memory for that many variables, or to begin at all: CUDD would end the process.

    Examples
    --------
    >>> from dd.cudd import BDD  # doctest: +SKIP
    >>> len(cudd_manager(BDD, 10, 2**30).vars)  # doctest: +SKIP
    0
    """
    free = available_memory()
    if _VARIABLE * variables > memory or (free is not None and free < _TO_BEGIN):
        raise MemoryError
    manager = kind(memory_estimate=_ESTIMATE)
    # CUDD's own rules, which dd or the estimate switch off, at 32 bytes an entry and a node: a cache of at most a
    # quarter of the memory; tables that grow freely up to a fifth of what was expected
    freely = min(memory, _EXPECTED) // 32 // 5
    manager.configure(reordering=False, max_memory=memory, max_cache_hard=memory // 4 // 32, loose_up_to=freely)
    return manager


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
    """Whether the error says that CUDD returned no node, or no variable; dd has no type for such errors."""
    said = ("NULL", "out of memory", "failed to add var")
    return isinstance(error, MemoryError) or (
        isinstance(error, ValueError | RuntimeError) and any(what in str(error) for what in said)
    )


class Growth:
    """Checks a budget between operations, and notes the most nodes that the diagram had so far.

    They are counted only if there is a limit on them: a walk through the diagram takes up to a sixth of the time.

    Parameters
    ----------
    budget : Budget
    size : function
        Diagram -> its number of nodes.

    Examples
    --------
    >>> growth = Growth(Budget(max_nodes=100), size=len)
    >>> growth.check("a diagram")
    >>> growth.most
    9
    """

    def __init__(self, budget: Budget, size: Callable[[Any], int]) -> None:
        self.budget, self.size = budget, size
        self.most: int | None = None

    def check(self, family: Any) -> None:
        """Raise `BudgetExceededError` if the time is over or the diagram has too many nodes."""
        nodes = 0
        if self.budget.max_nodes is not None:
            nodes = self.size(family)
            self.most = max(nodes, self.most or 0)
        self.budget.check(nodes)


def exported(
    kind: Literal["bdd", "zdd"],
    items: Sequence[int],
    root: Any,
    terminals: tuple[Any, Any],
    identity: Callable[[Any], Any],
    children: Callable[[Any], tuple[int, Any, Any]],
    budget: Budget | None = None,
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
    budget : Budget, optional
        For its seconds.

    Raises
    ------
    BudgetExceededError
        If the time is over.

    Examples
    --------
    >>> from dd.autoref import BDD
    >>> manager = BDD()
    >>> manager.declare("a", "b")
    >>> root = manager.add_expr("a & b")
    >>> exported("bdd", [0, 1], root, (manager.false, manager.true), int, manager.succ)
    <Diagram: bdd, 2 items, 2 nodes>
    """
    budget = Budget.of(budget)
    number = {identity(terminal): i for i, terminal in enumerate(terminals)}
    top = identity(root)
    stack = []
    if top not in number:
        number[top] = 2
        stack.append((2, root))
    rows = [(0, len(items), 0, 0), (1, len(items), 1, 1)]
    while stack:
        i, node = stack.pop()
        if not i % _LOOK_EVERY:
            budget.check()
        level, low, high = children(node)
        key = identity(low)
        first = number.get(key)
        if first is None:
            first = number[key] = len(number)
            stack.append((first, low))
        key = identity(high)
        second = number.get(key)
        if second is None:
            second = number[key] = len(number)
            stack.append((second, high))
        rows.append((i, level, first, second))
    found, levels, lows, highs = np.array(sorted(rows), np.int32).T
    deepest_first = np.argsort(-levels, kind="stable")  # so children come before parents
    place = np.empty_like(found)
    place[deepest_first] = found
    return Diagram(
        kind,
        items,
        levels[deepest_first],
        place[lows[deepest_first]],
        place[highs[deepest_first]],
        int(place[number[top]]),
    )
