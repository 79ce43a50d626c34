"""Conjunction of exactly-k BDDs (paper §4.1): F_MB is the conjunction over the hints i of F(m, A_i, c_i), with `dd`."""

from __future__ import annotations

import sys
from collections.abc import Collection
from importlib import import_module, metadata
from typing import Any

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

__all__ = ["BACKENDS", "compile_bdd", "exactly", "new_manager"]

BACKENDS = ("dd.cudd", "dd.autoref")

_GARBAGE = 1 << 20  # nodes at which dd.autoref, which never does it by itself, is told to drop those not in use


def exactly(manager: Any, variables: Collection[str], k: int | Collection[int]) -> Any:
    """Return the function that is true if and only if exactly `k` of the variables are (paper §4.1).

    Parameters
    ----------
    manager : dd.cudd.BDD or dd.autoref.BDD
        With the variables declared.
    variables : collection of str
    k : int or collection of int
        A number, or several of which any will do.

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
        # not find_or_add: given a complemented 1-arc, that of dd.cudd makes a node that crashes CUDD later
        return manager.ite(manager.var(by_level[level]), high, low)

    return exactly_table(sorted(by_level), by_level, allowed_counts(k), node, manager.true, manager.false)


def compile_bdd(
    instance: Instance,
    order: IntArray,
    *,
    backend: str = "auto",
    budget: Budget | None = None,
    reordering: bool = False,
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
        Nodes are those alive in the manager.
    reordering : bool
        Whether the package may change the order as it goes (CUDD does by default; for comparisons only).

    Raises
    ------
    BudgetExceededError
        If there are more nodes than allowed, it takes too long, or CUDD would need more than half of the memory
        that is free; nodes and time are looked at between conjunctions.
    MinesError
        If the backend is not installed.
    """
    name = first_installed("BDD", BACKENDS, backend)
    budget = budget or Budget()
    with limited("BDD", memory_limit(), budget.advice):
        diagram = _conjunction(new_manager(len(order), name), instance, order, budget, reordering)
    return Compiled(diagram, f"{name} {metadata.version('dd')}")


def new_manager(variables: int, backend: str = "auto") -> Any:
    """Return an empty BDD manager that keeps the order of its variables, of which there will be so many.

    CUDD's is told to use at most half of the memory that is free.

    Raises
    ------
    MinesError
        If the backend is not installed.
    """
    name = first_installed("BDD", BACKENDS, backend)
    module = import_module(name)
    if name == "dd.cudd":
        memory = memory_limit()
        manager = module.BDD(memory_estimate=min(memory, CUDD_ESTIMATE))
        manager.configure(reordering=False, **cudd_settings(memory))
        return manager
    # Its operations recurse once a level.  Frames of pure Python take no C stack; the limit is never lowered again, as
    # another thread may be relying on it.
    if sys.getrecursionlimit() < 4 * variables + 600:
        sys.setrecursionlimit(8 * variables + 1200)
    manager = module.BDD()
    manager.configure(reordering=False)
    return manager


def _conjunction(manager: Any, instance: Instance, order: IntArray, budget: Budget, reordering: bool) -> Diagram:
    manager.configure(reordering=reordering)
    names = [f"x{i}" for i in range(len(order))]
    if names:
        manager.declare(*names)
    collect = getattr(manager, "collect_garbage", None)
    ceiling = _GARBAGE if budget.max_nodes is None else min(_GARBAGE, budget.max_nodes)
    family = manager.true
    watch = Watch(budget, manager.__len__)
    for span in schedule(instance, order):
        family &= exactly(manager, [names[level] for level in span.levels], span.allowed)
        if collect and len(manager) > ceiling:
            collect()
            ceiling = max(ceiling, min(2 * len(manager), budget.max_nodes or sys.maxsize))
        watch.check()
    watch.count()
    cells = order.tolist()
    if reordering:
        cells = [cells[int(manager.var_at_level(level)[1:])] for level in range(len(cells))]

    def children(u: Any) -> tuple[int, Any, Any]:
        # a complemented arc complements all of its diagram: a node and its complement become two nodes
        level, low, high = manager.succ(u)
        return (level, ~low, ~high) if u.negated else (level, low, high)

    return exported("bdd", cells, family, (manager.false, manager.true), int, children)
