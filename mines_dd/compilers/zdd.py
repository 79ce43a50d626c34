"""The method "zdd": an intersection of exactly-k ZDDs (paper §4.2).

S_MB is the intersection over the hints i of S(m, A_i, c_i), the family of all sets with exactly c_i of the cells A_i
and any of the others.  On the board a1b1c

    S_1 = {{a}, {b}, {a, c}, {b, c}}    S_2 = {{b}, {c}, {a, b}, {a, c}}    S_1 & S_2 = {{b}, {a, c}}

`dd` has ZDDs only if it is built with CUDD; otherwise those of `oxidd` are used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from importlib import import_module, metadata
from typing import Any, Protocol

from mines_dd.base.budget import Budget
from mines_dd.compilers.exactly import allowed_counts, exactly_table
from mines_dd.compilers.packages import (
    CUDD_ESTIMATE,
    Compiled,
    Watch,
    cudd_settings,
    exported,
    first_installed,
    limited,
    memory_limit,
)
from mines_dd.compilers.schedule import schedule
from mines_dd.constraints.graph import Instance, IntArray
from mines_dd.diagrams.diagram import Diagram

__all__ = ["BACKENDS", "Package", "compile_zdd", "exactly", "installed"]

BACKENDS = ("dd.cudd_zdd", "oxidd")

_OXIDD_CACHE = 1 << 20  # entries; unlike the nodes, they are written when the manager is created


class Package(Protocol):
    """What the method needs from a ZDD package: operations on families of sets of levels 0, 1, ..."""

    empty: Any
    base: Any

    def node(self, level: int, low: Any, high: Any) -> Any:
        """The family of the sets of `low`, and of those of `high` with the item of `level` added."""

    def nodes(self) -> int:
        """The number of nodes alive."""

    def identity(self, family: Any) -> Any:
        """A key that equal families share, and no others."""

    def children(self, family: Any) -> tuple[int, Any, Any]:
        """(level, low, high) of a family that is not a terminal."""


class Cudd:
    """`dd.cudd_zdd`."""

    def __init__(self, levels: int, budget: Budget, memory: int) -> None:
        module = import_module("dd.cudd_zdd")
        zdd = module.ZDD(memory_estimate=min(memory, CUDD_ESTIMATE))
        zdd.configure(reordering=False, **cudd_settings(memory))
        self.names = [f"x{i}" for i in range(levels)]
        for name in self.names:  # CUDD walks through all variables before each
            zdd.add_var(name)
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
        nodes = min(memory // 64, 1 << 31)  # of 16 bytes, beside their hash tables and the cache
        if nodes < levels:
            raise MemoryError  # `add_vars` would end the process
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
    instance: Instance, order: IntArray, *, backend: str = "auto", budget: Budget | None = None
) -> Compiled:
    """Return the ZDD of all assignments.

    Hints are taken from the last in the order to the first (see `schedule`).  The family ranges only over the items
    from the first cell of the hints so far; don't-care nodes are added on top when a hint begins above it.

    Parameters
    ----------
    instance : Instance
    order : int32 array
        All cells; the first is the top item.
    backend : {"auto", "dd.cudd_zdd", "oxidd"}
        "auto" takes CUDD where it is installed.
    budget : Budget, optional
        Its nodes are those alive in the manager.

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
    >>> compile_zdd(instance, np.arange(3, dtype=np.int32)).diagram
    <Diagram: zdd, 3 items, 3 nodes>
    """
    name, package = installed(backend)
    memory = memory_limit()
    budget = budget or Budget()
    with limited("ZDD", memory, budget.advice):
        diagram = _intersection(package(len(order), budget, memory), instance, order, budget)
    return Compiled(diagram, f"{name} {metadata.version(name.partition('.')[0])}")


def _intersection(package: Package, instance: Instance, order: IntArray, budget: Budget) -> Diagram:
    everything = [package.base]  # all subsets of the last 0, 1, ... items
    for level in reversed(range(len(order))):
        everything.append(package.node(level, everything[-1], everything[-1]))
    top = len(order)
    family = package.base
    watch = Watch(budget, package.nodes)
    for span in schedule(instance, order):
        first, last = (span.levels[0], span.levels[-1]) if span.levels else (top, top - 1)
        for level in range(top - 1, first - 1, -1):
            family = package.node(level, family, family)
        top = first
        below = everything[len(order) - last - 1]
        family &= exactly_table(
            range(first, last + 1), set(span.levels), span.allowed, package.node, below, package.empty
        )
        watch.check()
    watch.count()
    for level in range(top - 1, -1, -1):
        family = package.node(level, family, family)
    return exported("zdd", order.tolist(), family, (package.empty, package.base), package.identity, package.children)


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
