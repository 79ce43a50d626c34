"""Conjunction of exactly-k BDDs (paper §4.1): F_MB is the conjunction over the hints i of F(m, A_i, c_i), with `dd`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from importlib import import_module, metadata
from typing import Any

from mines_dd.budget import Budget
from mines_dd.compilers.exactly import Compiled, exactly_table, schedule
from mines_dd.diagram import Diagram
from mines_dd.errors import MinesError
from mines_dd.graph import Instance, IntArray

__all__ = ["BACKENDS", "compile_bdd", "exactly"]

BACKENDS = ("dd.cudd", "dd.autoref")


def exactly(manager: Any, variables: Sequence[str], k: int | Collection[int]) -> Any:
    """Return the function that is true if and only if exactly `k` of the variables are (paper §4.1).

    Parameters
    ----------
    manager : dd.cudd.BDD or dd.autoref.BDD
        With the variables declared.
    variables : sequence of str
    k : int or collection of int
        A number, or several of which any will do.
    """
    allowed = {k} if isinstance(k, int) else set(k)
    by_level = {manager.level_of_var(name): name for name in variables}
    variable = {level: manager.var(name) for level, name in by_level.items()}

    def node(level: int, low: Any, high: Any) -> Any:
        # not find_or_add: given a complemented 1-arc, that of dd.cudd makes a node that crashes CUDD later
        return manager.ite(variable[level], high, low)

    return exactly_table(sorted(by_level), by_level, allowed, node, manager.true, manager.false)


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
        If there are more nodes than allowed, or it takes too long; the time is looked at between conjunctions.
    MinesError
        If the backend is not installed.
    """
    budget = budget or Budget()
    manager, name = _manager(backend, len(order))
    manager.configure(reordering=reordering)
    names = [f"x{i}" for i in range(len(order))]
    if names:
        manager.declare(*names)
    family = manager.true
    try:
        for span in schedule(instance, order):
            family &= exactly(manager, [names[level] for level in span.levels], span.allowed)
            budget.check(len(manager))
        cells = order
        if reordering:
            cells = order[[int(manager.var_at_level(level)[1:]) for level in range(len(order))]]
        return Compiled(_exported(manager, family, cells.tolist()), name)
    finally:
        del family  # an error's traceback may keep this frame, and a manager must not go before its nodes


def _manager(backend: str, variables: int) -> tuple[Any, str]:
    names = BACKENDS if backend == "auto" else (backend,)
    if names[0] not in BACKENDS:
        raise MinesError(f"there is no BDD backend {backend!r}; choose auto, {' or '.join(BACKENDS)}")
    for name in names:
        try:
            module = import_module(name)
        except ImportError:
            continue
        # The operations of dd.autoref recurse once a level.  Frames of pure Python take no C stack; the limit is never
        # lowered again, as another thread may be relying on it.
        if name == "dd.autoref" and sys.getrecursionlimit() < 4 * variables + 600:
            sys.setrecursionlimit(8 * variables + 1200)
        return module.BDD(), f"{name} {metadata.version('dd')}"
    raise MinesError("dd was installed without CUDD on this machine; use the backend dd.autoref, or auto")


def _exported(manager: Any, root: Any, items: list[int]) -> Diagram:
    """Read the diagram out of the manager; a node and its complement become two nodes."""
    true = manager.true
    number = {int(manager.false): 0, int(true): 1}
    level, low, high = [len(items), len(items)], [0, 1], [0, 1]
    stack = [root]
    while stack:
        u = stack[-1]
        key = int(u)
        if key in number:
            stack.pop()
            continue
        at, v, w = manager.succ(u)
        if u.negated:
            v, w = ~v, ~w
        first, second = number.get(int(v)), number.get(int(w))
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
    return Diagram.build("bdd", items, level, low, high, number[int(root)])
