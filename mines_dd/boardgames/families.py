"""Families of minimal sets as ZDDs, with union and join (D. E. Knuth, TAOCP 4A, section 7.1.4: the family algebra).

No set of such a family contains another one.  For the families {{a}, {b, c}} and {{a, b}}

    union    {{a}, {b, c}, {a, b}}, of which {a, b} is dropped, as it contains {a}
    join     {{a} | {a, b}, {b, c} | {a, b}} = {{a, b}, {a, b, c}}, of which {a, b, c} is dropped

The operations are recursions on the nodes and unions of `dd` or `oxidd`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from mines_dd.base.budget import Budget
from mines_dd.compilers.packages import exported, limited, memory_limit
from mines_dd.compilers.zdd import Package, installed
from mines_dd.diagrams.diagram import Diagram

__all__ = ["Families"]

Task = Generator[Any, Any, Any]


class Families:
    """Operations on families of minimal sets of the items 0, 1, ...; created by `Families.of`.

    Parameters
    ----------
    package : Package
    items : int
    budget : Budget
        Its nodes are those alive in the manager, which are counted now and then.

    Examples
    --------
    >>> with Families.of(2, "auto", Budget()) as families:
    ...     families.exported(families.minimal_union(families.singleton(0), families.singleton(1)))
    <Diagram: zdd, 2 items, 2 nodes>
    """

    def __init__(self, package: Package, items: int, budget: Budget) -> None:
        self._package, self._items, self._budget = package, items, budget
        self._watch = _Watch(budget, package.nodes)
        # results and their operands: an operand that stays alive keeps its identity
        self._known: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    @staticmethod
    @contextmanager
    def of(items: int, backend: str, budget: Budget) -> Iterator[Families]:
        """Give operations on families, with the ZDD package `backend` ("auto": the first that is installed).

        Raises
        ------
        BudgetExceededError
            In the context, if there are more nodes than allowed, it takes too long, or memory runs out.
        MinesError
            If the backend is not installed.

        Examples
        --------
        >>> with Families.of(1, "auto", Budget()) as families:
        ...     families.exported(families.singleton(0))
        <Diagram: zdd, 1 item, 1 node>
        """
        memory = memory_limit()
        _, package = installed(backend)
        with limited("ZDD", memory, budget.advice):
            families = Families(package(items, budget, memory), items, budget)
            try:
                yield families
            finally:
                families._known.clear()  # CUDD's nodes must not outlive their manager

    def singleton(self, item: int) -> Any:
        """Return the family {{item}}.

        Examples
        --------
        >>> with Families.of(2, "auto", Budget()) as families:
        ...     families.exported(families.singleton(1)).level[2:]
        array([1], dtype=int32)
        """
        return self._package.node(item, self._package.empty, self._package.base)

    def minimal_union(self, f: Any, g: Any) -> Any:
        """Return the minimal sets among those of `f` and `g`.

        Examples
        --------
        >>> with Families.of(2, "auto", Budget()) as families:
        ...     families.exported(families.minimal_union(families.singleton(0), families.singleton(1))).node_count
        2
        """
        return self._run(self._minimal(f | g))

    def minimal_join(self, f: Any, g: Any) -> Any:
        """Return the minimal sets among the unions of a set of `f` with a set of `g`.

        Examples
        --------
        >>> with Families.of(2, "auto", Budget()) as families:
        ...     families.minimal_join(families.singleton(0), families.singleton(0)) == families.singleton(0)
        True
        """
        return self._run(self._join(f, g))

    def exported(self, f: Any) -> Diagram:
        """Return a family as a `Diagram`, which is independent of the package.

        Examples
        --------
        >>> with Families.of(3, "auto", Budget()) as families:
        ...     families.exported(families.minimal_join(families.singleton(0), families.singleton(2)))
        <Diagram: zdd, 3 items, 2 nodes>
        """
        package = self._package
        return exported("zdd", range(self._items), f, (package.empty, package.base), package.identity, package.children)

    def _run(self, task: Task) -> Any:
        """Run a recursion, written as generators, on an explicit stack: it can be as deep as there are items."""
        stack, value = [task], None
        while stack:
            try:
                stack.append(stack[-1].send(value))
                value = None
            except StopIteration as end:
                stack.pop()
                value = end.value
        self._watch.count()
        return value

    def _level(self, f: Any) -> int:
        """The first item of a family; the number of items for {} and {{}}."""
        if f == self._package.empty or f == self._package.base:
            return self._items
        return self._package.children(f)[0]

    def _split(self, f: Any, item: int) -> tuple[Any, Any]:
        """The sets without an item, and the sets with it, from which it is removed."""
        if self._level(f) != item:
            return f, self._package.empty
        return self._package.children(f)[1:]

    def _remembered(self, name: str, *operands: Any) -> tuple[Any, ...]:
        return name, *(self._package.identity(f) for f in operands)

    def _minimal(self, f: Any) -> Task:
        item = self._level(f)
        if item == self._items:
            return f
        key = self._remembered("minimal", f)
        if key not in self._known:
            without, with_ = self._split(f, item)
            without = yield self._minimal(without)
            with_ = yield self._minimal(with_)
            with_ = yield self._beyond(with_, without)
            self._known[key] = self._package.node(item, without, with_), f
        return self._known[key][0]

    def _beyond(self, f: Any, g: Any) -> Task:
        """The sets of `f` that contain no set of `g`."""
        package = self._package
        if g == package.empty or f == package.empty:
            return f
        if g == package.base:
            return package.empty
        if f == package.base:
            return f  # `g` is minimal and not {{}}, so the empty set is not in it
        key = self._remembered("beyond", f, g)
        if key not in self._known:
            self._budget.check(0)
            item = min(self._level(f), self._level(g))
            (f0, f1), (g0, g1) = self._split(f, item), self._split(g, item)
            without = yield self._beyond(f0, g0)
            with_ = yield self._beyond(f1, g0)
            with_ = yield self._beyond(with_, g1)
            self._known[key] = package.node(item, without, with_), f, g
        return self._known[key][0]

    def _join(self, f: Any, g: Any) -> Task:
        package = self._package
        if f == package.empty or g == package.empty:
            return package.empty
        if f == package.base:
            return g
        if g == package.base:
            return f
        key = self._remembered("join", f, g)
        if key not in self._known:
            self._watch.check()
            item = min(self._level(f), self._level(g))
            (f0, f1), (g0, g1) = self._split(f, item), self._split(g, item)
            without = yield self._join(f0, g0)
            one = yield self._join(f1, g0 | g1)
            other = yield self._join(f0, g1)
            with_ = yield self._minimal(one | other)
            with_ = yield self._beyond(with_, without)
            self._known[key] = package.node(item, without, with_), f, g
        return self._known[key][0]


class _Watch:
    """Checks a budget between operations.

    Counting the live nodes is a walk through all tables of CUDD.  So they are counted only if there is a limit on
    them, and so rarely that it takes at most a tenth of the time.
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
