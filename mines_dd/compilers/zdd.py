"""Intersection of exactly-k ZDDs (paper §4.2): S_MB is the intersection over the hints i of S(m, A_i, c_i).

`dd` has ZDDs only with CUDD; where it was installed without, `oxidd`'s take their place.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib import import_module, metadata
from typing import Any, Protocol

from mines_dd.budget import Budget
from mines_dd.compilers.exactly import Compiled, exactly_table, schedule
from mines_dd.diagram import Diagram
from mines_dd.errors import BudgetExceededError, MinesError
from mines_dd.graph import Instance, IntArray

__all__ = ["BACKENDS", "compile_zdd", "exactly"]

BACKENDS = ("dd.cudd_zdd", "oxidd")


class Package(Protocol):
    """What the method needs of a ZDD package: families over levels 0, 1, ..."""

    empty: Any
    base: Any

    def node(self, level: int, low: Any, high: Any) -> Any:
        """The reduced node: the sets of `low`, and those of `high` with the item of `level` added."""

    def intersection(self, one: Any, other: Any) -> Any:
        """The sets that are in both."""

    def nodes(self) -> int:
        """The number of nodes alive."""

    def identity(self, family: Any) -> Any:
        """What equal families, and only they, share."""

    def children(self, family: Any) -> tuple[int, Any, Any]:
        """(level, low, high) of a family that is not a terminal."""


class Cudd:
    """`dd.cudd_zdd`."""

    def __init__(self, levels: int) -> None:
        zdd = import_module("dd.cudd_zdd").ZDD()
        zdd.configure(reordering=False)
        self.names = [f"x{i}" for i in range(levels)]
        if self.names:
            zdd.declare(*self.names)
        self.manager = zdd
        self.empty, self.base = zdd.false, zdd.true_node

    def node(self, level: int, low: Any, high: Any) -> Any:
        """See `Package`."""
        return low if high == self.empty else self.manager.find_or_add(self.names[level], low, high)

    def intersection(self, one: Any, other: Any) -> Any:
        """See `Package`."""
        return one & other

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
    """`oxidd`'s ZBDD; its memory is set aside when the manager is made."""

    def __init__(self, levels: int, nodes: int = 1 << 22) -> None:
        self.module = import_module("oxidd.zbdd")
        self.error = import_module("oxidd.util").DDMemoryError
        self.manager = self.module.ZBDDManager(nodes, nodes // 2, 1)
        self.capacity = nodes
        if levels:
            self.manager.add_vars(levels)
        self.singletons = [self.manager.singleton(i) for i in range(levels)]
        self.empty, self.base = self.manager.empty(), self.manager.base()

    def node(self, level: int, low: Any, high: Any) -> Any:
        """See `Package`."""
        return low if high == self.empty else self.singletons[level].make_node(high, low)

    def intersection(self, one: Any, other: Any) -> Any:
        """See `Package`."""
        try:
            return one & other
        except self.error:
            raise BudgetExceededError(
                f"the ZDD needs more than the {self.capacity:,} nodes of oxidd's manager; use another order or method",
                needed=self.capacity,
                allowed=self.capacity,
                unit="nodes",
            ) from None

    def nodes(self) -> int:
        """See `Package`."""
        return int(self.manager.num_inner_nodes())

    def identity(self, family: Any) -> Any:
        """See `Package`."""
        return family

    def children(self, family: Any) -> tuple[int, Any, Any]:
        """See `Package`."""
        high, low = family.cofactors()
        return family.node_level(), low, high


def exactly(manager: Any, variables: Sequence[str], k: int | Collection[int]) -> Any:
    """Return the family of all sets with exactly `k` of the variables (paper §4.2).

    The manager's other variables may be in or out: don't-care chains.

    Parameters
    ----------
    manager : dd.cudd_zdd.ZDD
        With the variables declared.
    variables : sequence of str
    k : int or collection of int
        A number, or several of which any will do.
    """
    allowed = {k} if isinstance(k, int) else set(k)
    names = sorted(manager.vars, key=manager.level_of_var)
    members = {manager.level_of_var(name) for name in variables}

    def node(level: int, low: Any, high: Any) -> Any:
        return low if high == manager.false else manager.find_or_add(names[level], low, high)

    return exactly_table(range(len(names)), members, allowed, node, manager.true_node, manager.false)


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
        If there are more nodes than allowed, or it takes too long; the time is looked at between intersections.
    MinesError
        If the backend is not installed.
    """
    budget = budget or Budget()
    package, name = _package(backend, len(order))
    everything = [package.base]  # all subsets of the last 0, 1, ... items
    for level in reversed(range(len(order))):
        everything.append(package.node(level, everything[-1], everything[-1]))
    top = len(order)
    family = hint = below = package.base
    try:
        for span in schedule(instance, order):
            first, last = (span.levels[0], span.levels[-1]) if span.levels else (top, top - 1)
            for level in range(top - 1, first - 1, -1):
                family = package.node(level, family, family)
            top = min(top, first)
            below = everything[len(order) - last - 1]
            hint = exactly_table(
                range(first, last + 1), set(span.levels), span.allowed, package.node, below, package.empty
            )
            family = package.intersection(family, hint)
            budget.check(package.nodes())
        return Compiled(_exported(package, family, order.tolist()), name)
    finally:
        # an error's traceback may keep this frame, and a manager must not go before its nodes
        del package, family, hint, below, everything


def _package(backend: str, levels: int) -> tuple[Package, str]:
    names = BACKENDS if backend == "auto" else (backend,)
    if names[0] not in BACKENDS:
        raise MinesError(f"there is no ZDD backend {backend!r}; choose auto, {' or '.join(BACKENDS)}")
    for name in names:
        try:
            package = Cudd(levels) if name == "dd.cudd_zdd" else Oxidd(levels)
        except ImportError:
            continue
        return package, f"{name} {metadata.version(name.partition('.')[0])}"
    raise MinesError(f"the ZDD backend {names[-1]} is not installed here; install oxidd, or use the backend auto")


def _exported(package: Package, root: Any, items: list[int]) -> Diagram:
    """Read the diagram out of the manager."""
    number = {package.identity(package.empty): 0, package.identity(package.base): 1}
    level, low, high = [len(items), len(items)], [0, 1], [0, 1]
    stack = [root]
    while stack:
        u = stack[-1]
        key = package.identity(u)
        if key in number:
            stack.pop()
            continue
        at, v, w = package.children(u)
        first, second = number.get(package.identity(v)), number.get(package.identity(w))
        if first is None:
            stack.append(v)
        if second is None:
            stack.append(w)
        if first is not None and second is not None:
            stack.pop()
            number[key] = len(level)
            level.append(at)
            low.append(first)
            high.append(second)
    return Diagram.build("zdd", items, level, low, high, number[package.identity(root)])
