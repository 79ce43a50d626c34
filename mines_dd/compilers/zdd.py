"""Intersection of exactly-k ZDDs (paper §4.2): S_MB is the intersection over the hints i of S(m, A_i, c_i).

`dd` has ZDDs only with CUDD; where it was installed without, `oxidd`'s take their place.
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

_OXIDD_CACHE = 1 << 20  # entries; unlike the nodes, they are touched when the manager is made


class Package(Protocol):
    """What the method needs of a ZDD package: families over levels 0, 1, ..."""

    empty: Any
    base: Any

    def node(self, level: int, low: Any, high: Any) -> Any:
        """The reduced node: the sets of `low`, and those of `high` with the item of `level` added."""

    def nodes(self) -> int:
        """The number of nodes alive."""

    def identity(self, family: Any) -> Any:
        """What equal families, and only they, share."""

    def children(self, family: Any) -> tuple[int, Any, Any]:
        """(level, low, high) of a family that is not a terminal."""


class Cudd:
    """`dd.cudd_zdd`."""

    def __init__(self, levels: int, budget: Budget, memory: int) -> None:
        module = import_module("dd.cudd_zdd")
        zdd = module.ZDD(memory_estimate=min(memory, CUDD_ESTIMATE))
        zdd.configure(reordering=False, **cudd_settings(memory))
        self.names = [f"x{i}" for i in range(levels)]
        for name in self.names:  # each takes CUDD a walk through all of those before
            zdd.add_var(name)
            budget.check(0)
        self.manager = zdd
        self.no_node = module.CouldNotCreateNode
        self.empty, self.base = zdd.false, zdd.true_node

    def node(self, level: int, low: Any, high: Any) -> Any:
        """See `Package`."""
        try:
            return self.manager.find_or_add(self.names[level], low, high)
        except self.no_node:  # which is no MemoryError, but without reordering means just that
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
    """`oxidd`'s ZBDD; its tables are set aside when the manager is made, and touched when used."""

    def __init__(self, levels: int, budget: Budget, memory: int) -> None:
        module = import_module("oxidd.zbdd")
        nodes = min(memory // 64, 1 << 31)  # of 16 bytes, beside their hash tables and the cache
        if nodes < levels:
            raise MemoryError  # where `add_vars` ends the process
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
            self.manager.gc()  # which it does only when it needs room
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

    The manager's other variables may be in or out: don't-care chains.

    Parameters
    ----------
    manager : dd.cudd_zdd.ZDD
        With the variables declared.
    variables : collection of str
    k : int or collection of int
        A number, or several of which any will do.
    """
    settings = manager.configure(reordering=False)  # nodes are made by their levels, which have to stay as they are
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

    The family is kept over the items from the current hint's first cell on, and lengthened as hints above are met.

    Parameters
    ----------
    instance : Instance
    order : int32 array
        All cells; the first is the top item.
    backend : {"auto", "dd.cudd_zdd", "oxidd"}
        "auto" takes CUDD where it is installed.
    budget : Budget, optional
        Nodes are those alive in the manager.

    Raises
    ------
    BudgetExceededError
        If there are more nodes than allowed, it takes too long, or it needs more than half of the free memory;
        nodes and time are looked at between intersections.
    MinesError
        If the backend is not installed.
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
    """Return the first of the backends asked for that is there: its name, and what makes its package.

    Raises
    ------
    MinesError
        If there is none.
    """
    name = first_installed("ZDD", BACKENDS, backend)
    return name, Cudd if name == "dd.cudd_zdd" else Oxidd
