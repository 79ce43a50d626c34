"""The methods "zdd" and "zdd-span": an intersection of exactly-k ZDDs (paper §4.2).

S_MB is the intersection over the hints i of S(m, A_i, c_i), the family of all sets with exactly c_i of the cells A_i
and any of the others.  On the board a1b1c

    S_1 = {{a}, {b}, {a, c}, {b, c}}    S_2 = {{b}, {c}, {a, b}, {a, c}}    S_1 & S_2 = {{b}, {a, c}}

A ZDD has a node even for an item that is free; so S_i has a chain of nodes above the hint's first cell and below its
last one.  "zdd" is the paper's method to the letter: each S_i ranges over all m items.  "zdd-span" builds S_i only from
the first cell of the hints so far, and puts the chain above it on top of the intersection when a hint begins higher up.
With the order of cells a, b, c, and S_2 taken first,

    zdd        S_2 = a?(b1 | c1)    S_1 = (a1 | b1)c?    S_1 & S_2           a? is a node whose arcs meet again
    zdd-span   S_2 =    (b1 | c1)   S_1 = (a1 | b1)c?    S_1 & a?S_2

The result is the same ZDD.  `dd` has ZDDs only if it is built with CUDD; otherwise those of `oxidd` are used.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from mines_dd.base.arrays import IntArray
from mines_dd.base.budget import Budget, available_addresses
from mines_dd.compilers.exactly import allowed_counts, exactly_table
from mines_dd.compilers.packages import (
    Compiled,
    Growth,
    cudd_manager,
    exported,
    first_installed,
    limited,
    memory_limit,
    version,
)
from mines_dd.compilers.schedule import Conjoin, HintSpan, schedule
from mines_dd.constraints.graph import Instance
from mines_dd.diagrams.diagram import Diagram

__all__ = ["BACKENDS", "Package", "compile_zdd", "exactly", "installed"]

BACKENDS = ("dd.cudd_zdd", "oxidd")

_OXIDD_CACHE = 1 << 20  # entries; unlike the nodes, they are written when the manager is created
_OXIDD_STACK = 1 << 26  # bytes that a manager's thread reserves, instead of 1 GiB; operations run in our thread
_OXIDD_LEAST = 1 << 28  # bytes for the rest of a manager, at least


class Package(Protocol):
    """What the method needs from a ZDD package: operations on families of sets of levels 0, 1, ..."""

    empty: Any
    base: Any

    def node(self, level: int, low: Any, high: Any) -> Any:
        """The family of the sets of `low`, and of those of `high` with the item of `level` added."""

    def nodes(self) -> int:
        """The number of nodes alive."""

    def size(self, family: Any) -> int:
        """The number of nodes of a family."""

    def identity(self, family: Any) -> Any:
        """A key that equal families share, and no others."""

    def children(self, family: Any) -> tuple[int, Any, Any]:
        """(level, low, high) of a family that is not a terminal."""


class Cudd:
    """`dd.cudd_zdd`."""

    def __init__(self, levels: int, budget: Budget, memory: int) -> None:
        module = import_module("dd.cudd_zdd")
        zdd = cudd_manager(module.ZDD, levels, memory)
        self.names = [f"x{i}" for i in range(levels)]
        # For each variable CUDD walks through all above it, and whenever there is one more through all.  The last one
        # first, and there are at once as many as there will be: that takes a third of the time.
        for level in range(levels - 1, -1, -1):
            zdd.add_var(self.names[level], level)
            budget.check(0)
        self.manager = zdd
        self.no_node = module.CouldNotCreateNode
        self.empty, self.base = zdd.false, zdd.true_node

    def node(self, level: int, low: Any, high: Any) -> Any:
        """See `Package`."""
        try:
            return self.manager.find_or_add(self.names[level], low, high)
        except self.no_node:  # not a MemoryError, but without reordering it means one
            raise MemoryError from None

    def nodes(self) -> int:
        """See `Package`."""
        return len(self.manager)

    def size(self, family: Any) -> int:
        """See `Package`."""
        return int(family.dag_size)

    def identity(self, family: Any) -> Any:
        """See `Package`."""
        return int(family)

    def children(self, family: Any) -> tuple[int, Any, Any]:
        """See `Package`."""
        level, low, high = self.manager.succ(family)
        return level, low, high


class Oxidd:
    """`oxidd`'s ZBDD; its tables are reserved when the manager is created, and take memory as they fill."""

    def __init__(self, levels: int, budget: Budget, memory: int) -> None:
        module = import_module("oxidd.zbdd")
        addresses = available_addresses()
        nodes = min(memory // 64, 1 << 31)  # of 16 bytes, beside their hash tables and the cache
        # otherwise `add_vars`, or a thread that cannot be started, would end the process
        if nodes < levels or (addresses is not None and addresses < _OXIDD_STACK + _OXIDD_LEAST):
            raise MemoryError
        os.environ.setdefault("OXIDD_STACK_SIZE", str(_OXIDD_STACK))  # read when a manager is created
        self.manager = module.ZBDDManager(nodes, min(nodes, _OXIDD_CACHE), 1)
        self.limit = budget.max_nodes or 0
        if levels:
            self.manager.add_vars(levels)
        self.singletons = [self.manager.singleton(level) for level in range(levels)]
        self.empty, self.base = self.manager.empty(), self.manager.base()

    def node(self, level: int, low: Any, high: Any) -> Any:
        """See `Package`."""
        return low if high == self.empty else self.singletons[level].make_node(high, low)

    def nodes(self) -> int:
        """See `Package`."""
        if self.manager.num_inner_nodes() > self.limit:
            self.manager.gc()  # by itself it collects only when it needs room
        return int(self.manager.num_inner_nodes())

    def size(self, family: Any) -> int:
        """See `Package`."""
        return int(family.node_count())

    def identity(self, family: Any) -> Any:
        """See `Package`."""
        return family

    def children(self, family: Any) -> tuple[int, Any, Any]:
        """See `Package`."""
        high, low = family.cofactors()
        return family.node_level(), low, high


def exactly(manager: Any, variables: Collection[str], k: int | Collection[int]) -> Any:
    """Return the family of all sets with exactly `k` of the variables (paper §4.2).

    The manager's other variables may be in a set or not: the paper's don't-care chains.

    Parameters
    ----------
    manager : dd.cudd_zdd.ZDD
        The variables are declared in it.
    variables : collection of str
    k : int or collection of int
        A number, or several numbers, of which any is allowed.

    Examples
    --------
    >>> from dd.cudd_zdd import ZDD  # doctest: +SKIP
    >>> manager = ZDD()  # doctest: +SKIP
    >>> manager.declare("a", "b", "c")  # doctest: +SKIP
    >>> manager.count(exactly(manager, ["a", "b"], 1), 3)  # {a}, {a, c}, {b}, {b, c}  # doctest: +SKIP
    4
    """
    settings = manager.configure(reordering=False)  # nodes are built by level, so levels must not change
    try:
        names = sorted(manager.vars, key=manager.level_of_var)
        members = {manager.level_of_var(name) for name in variables}

        def node(level: int, low: Any, high: Any) -> Any:
            return manager.find_or_add(names[level], low, high)

        return exactly_table(range(len(names)), members, allowed_counts(k), node, manager.true_node, manager.false)
    finally:
        manager.configure(reordering=settings["reordering"])


def compile_zdd(
    instance: Instance,
    order: IntArray,
    *,
    backend: str = "auto",
    budget: Budget | None = None,
    spans: bool = False,
    conjoin: Conjoin = "deepest",
) -> Compiled:
    """Return the ZDD of all assignments.

    Parameters
    ----------
    instance : Instance
    order : int32 array
        All cells; the first is the top item.
    backend : {"auto", "dd.cudd_zdd", "oxidd"}
        "auto" takes CUDD where it is installed.
    budget : Budget, optional
        Its nodes are those of the intersection so far.
    spans : bool
        Whether a hint's family ranges only over the items from its first cell on ("zdd-span"), or over all ("zdd").
    conjoin : {"deepest", "given"}
        In which order the hints are intersected (see `schedule`).

    Raises
    ------
    BudgetExceededError
        If there are more nodes than allowed, it takes too long, or it needs more than half of the free memory.
        Nodes and time are checked between intersections.
    MinesError
        If the backend is not installed.

    Examples
    --------
    >>> from mines_dd import Board
    >>> instance = Instance.of(Board.parse("#1#1#"))
    >>> import numpy as np
    >>> order = np.arange(3, dtype=np.int32)
    >>> compile_zdd(instance, order).diagram, compile_zdd(instance, order, spans=True).diagram
    (<Diagram: zdd, 3 items, 3 nodes>, <Diagram: zdd, 3 items, 3 nodes>)
    """
    name, package = installed(backend)
    memory = memory_limit()
    budget = Budget.of(budget)
    with limited("ZDD", memory, budget.advice):
        hints = schedule(instance, order, conjoin)
        # no name for the package here: this frame stays alive in an error that is kept, and the package holds nodes
        return _intersection(package(len(order), budget, memory), version(name), hints, order, budget, spans)


def _intersection(
    package: Package, backend: str, hints: list[HintSpan], order: IntArray, budget: Budget, spans: bool
) -> Compiled:
    """Return the intersection of all hints."""
    everything = [package.base]  # all subsets of the last 0, 1, ... items
    for level in reversed(range(len(order))):
        everything.append(package.node(level, everything[-1], everything[-1]))
    top = len(order) if spans else 0  # the family ranges over the items from here on
    family = everything[len(order) - top]
    growth = Growth(budget, package.size)
    for span in hints:
        if spans and span.levels and span.levels[0] < top:
            family = _over(package, family, top, span.levels[0])
            top = span.levels[0]
        # the chain below the hint's last cell is the same for all hints, and there already
        end = span.levels[-1] + 1 if span.levels else top
        below = everything[len(order) - end]
        family &= exactly_table(range(top, end), set(span.levels), span.allowed, package.node, below, package.empty)
        growth.check(family)
    return Compiled(backend, _over(package, family, top, 0), _Reader(package, order.tolist()), growth.most)


def _over(package: Package, family: Any, top: int, first: int) -> Any:
    """Return the family over the items from `first` on that leaves those above `top` free."""
    for level in range(top - 1, first - 1, -1):
        family = package.node(level, family, family)
    return family


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads a family out of a package; `cells` are those of the items 0, 1, ..."""

    package: Package
    cells: list[int]

    def __call__(self, family: Any, budget: Budget) -> Diagram:
        package = self.package
        terminals = (package.empty, package.base)
        return exported("zdd", self.cells, family, terminals, package.identity, package.children, budget)


def installed(backend: str) -> tuple[str, Callable[[int, Budget, int], Package]]:
    """Return the name of the backend, or for "auto" of the first that is installed, and its `Package` class.

    Raises
    ------
    MinesError
        If it is not installed.

    Examples
    --------
    >>> installed("auto")[0] in BACKENDS
    True
    """
    name = first_installed("ZDD", BACKENDS, backend)
    return name, Cudd if name == "dd.cudd_zdd" else Oxidd
