"""The method "bdd": a conjunction of exactly-k BDDs (paper §4.1), with the package `dd`.

F_MB is the conjunction over the hints i of F(m, A_i, c_i), the function "exactly c_i of the cells A_i are mines".  On
the board a1b1c it is (a xor b) and (b xor c).  The module `exactly` explains how one hint becomes a BDD, `schedule` in
which order the hints are conjoined.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import Any

from mines_dd.base.arrays import IntArray
from mines_dd.base.budget import Budget
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
from mines_dd.diagrams.dd_nodes import allow_recursion
from mines_dd.diagrams.diagram import Diagram

__all__ = ["BACKENDS", "compile_bdd", "exactly", "new_manager"]

BACKENDS = ("dd.cudd", "dd.autoref")

_GARBAGE = 1 << 20  # nodes at which dd.autoref, which never collects garbage by itself, is told to


def exactly(manager: Any, variables: Collection[str], k: int | Collection[int]) -> Any:
    """Return the function "exactly `k` of the variables are true" (paper §4.1).

    Parameters
    ----------
    manager : dd.cudd.BDD or dd.autoref.BDD
        The variables are declared in it.
    variables : collection of str
    k : int or collection of int
        A number, or several numbers, of which any is allowed.

    Examples
    --------
    >>> from dd.autoref import BDD
    >>> manager = BDD()
    >>> manager.declare("a", "b", "c")
    >>> exactly(manager, ["a", "b", "c"], 2).count()
    3
    """
    by_level = {manager.level_of_var(name): name for name in variables}

    def node(level: int, low: Any, high: Any) -> Any:
        # not find_or_add: in dd.cudd it accepts a complemented 1-arc, and the node that it makes crashes CUDD later
        return manager.ite(manager.var(by_level[level]), high, low)

    return exactly_table(sorted(by_level), by_level, allowed_counts(k), node, manager.true, manager.false)


def compile_bdd(
    instance: Instance,
    order: IntArray,
    *,
    backend: str = "auto",
    budget: Budget | None = None,
    conjoin: Conjoin = "deepest",
) -> Compiled:
    """Return the BDD of all assignments.

    Parameters
    ----------
    instance : Instance
    order : int32 array
        All cells; the first is the top variable.
    backend : {"auto", "dd.cudd", "dd.autoref"}
        "auto" takes CUDD where it is installed.
    budget : Budget, optional
        Its nodes are those of the conjunction so far.
    conjoin : {"deepest", "given"}
        In which order the hints are conjoined (see `schedule`).

    Raises
    ------
    BudgetExceededError
        If there are more nodes than allowed, it takes too long, or CUDD needs more than half of the free memory.
        Nodes and time are checked between conjunctions.
    MinesError
        If the backend is not installed.

    Examples
    --------
    >>> from mines_dd import Board
    >>> instance = Instance.of(Board.parse("#1#1#"))
    >>> import numpy as np
    >>> compile_bdd(instance, np.arange(3, dtype=np.int32)).diagram
    <Diagram: bdd, 3 items, 5 nodes>
    """
    name = first_installed("BDD", BACKENDS, backend)
    budget = Budget.of(budget)
    with limited("BDD", memory_limit(), budget.advice):
        hints = schedule(instance, order, conjoin)
        return _conjunction(new_manager(len(order), name), version(name), hints, order, budget)


def new_manager(variables: int, backend: str = "auto") -> Any:
    """Return an empty BDD manager for this many variables, without reordering.

    A manager of CUDD may use at most half of the free memory.

    Raises
    ------
    MinesError
        If the backend is not installed.
    MemoryError
        If there are more variables than fit into memory.

    Examples
    --------
    >>> manager = new_manager(2)
    >>> manager.declare("a", "b")
    >>> exactly(manager, ["a", "b"], 1) == manager.add_expr("a ^ b")
    True
    """
    name = first_installed("BDD", BACKENDS, backend)
    module = import_module(name)
    if name == "dd.cudd":
        return cudd_manager(module.BDD, variables, memory_limit())
    allow_recursion(variables)
    manager = module.BDD()
    manager.configure(reordering=False)
    return manager


def _conjunction(manager: Any, backend: str, hints: list[HintSpan], order: IntArray, budget: Budget) -> Compiled:
    """Return the conjunction of all hints."""
    names = [f"x{level}" for level in range(len(order))]
    if names:
        manager.declare(*names)
    positive = [manager.var(name) for name in names]
    collect = getattr(manager, "collect_garbage", None)
    ceiling = _GARBAGE
    family = manager.true
    growth = Growth(budget, attrgetter("dag_size"))
    for span in hints:
        node = _Node(manager.ite, positive)
        family &= exactly_table(span.levels, span.levels, span.allowed, node, manager.true, manager.false)
        if collect and len(manager) > ceiling:
            collect()
            ceiling = max(ceiling, 2 * len(manager))
        growth.check(family)
    return Compiled(backend, family, _Reader(manager, order.tolist()), growth.most)


@dataclass(frozen=True, eq=False)
class _Node:
    """Makes nodes.  It holds some, and so is no closure (see `packages.limited`)."""

    ite: Callable[[Any, Any, Any], Any]
    positive: list[Any]

    def __call__(self, level: int, low: Any, high: Any) -> Any:
        return self.ite(self.positive[level], high, low)


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads a function out of a manager; `cells` are those of levels 0, 1, ..."""

    manager: Any
    cells: list[int]

    def __call__(self, family: Any, budget: Budget) -> Diagram:
        manager = self.manager
        return exported("bdd", self.cells, family, (manager.false, manager.true), int, self.children, budget)

    def children(self, u: Any) -> tuple[int, Any, Any]:
        """Return (level, low, high); a complemented arc stands for the complement, which becomes a node of its own."""
        level, low, high = self.manager.succ(u)
        return (level, ~low, ~high) if u.negated else (level, low, high)
