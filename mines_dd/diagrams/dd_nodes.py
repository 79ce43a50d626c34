"""Circuits as nodes of the package `dd`, with one variable for each cell, true for a mine."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import count
from typing import Any

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require, require_distinct
from mines_dd.base.errors import MinesError
from mines_dd.base.wording import shown
from mines_dd.diagrams.circuit import TRUE, Circuit
from mines_dd.diagrams.passes import upward

__all__ = ["allow_recursion", "chosen", "to_dd", "variable_name", "variables"]


def variable_name(cell: Hashable) -> str:
    """Return the name of a cell's variable: `x{r}_{c}` for the position (r, c), or any pair, else `x{cell}`.

    Examples
    --------
    >>> variable_name((0, 1)), variable_name(("a", "b")), variable_name("gum")
    ('x0_1', 'xa_b', 'xgum')
    """
    return f"x{cell[0]}_{cell[1]}" if isinstance(cell, tuple) and len(cell) == 2 else f"x{cell}"


def to_dd(circuit: Circuit, manager: Any, budget: Budget | None = None) -> Any:
    """Return the family as a node of a `dd` manager (`dd.cudd`, `dd.autoref`, `dd.cudd_zdd`).

    The function is true for the assignments and for nothing else.  Variables that the manager lacks are declared, in
    the order of the diagram that the family was made from, or in one made from the circuit of `tree`; if it lacks all
    of them, or is a ZDD, it does not reorder meanwhile.  In a ZDD a variable that is declared later is false in the
    nodes that are there: declare those of all families first.  Of the budget only the seconds count, between the
    operations of `dd`.

    Raises
    ------
    MinesError
        If two cells would have the same variable.
    BudgetExceededError
        If the time is over.

    Examples
    --------
    >>> from dd.autoref import BDD
    >>> from mines_dd import Board, solve
    >>> manager = BDD()
    >>> to_dd(solve(Board.parse("#1#")).circuit, manager) == manager.add_expr("x0_0 ^ x0_2")
    True
    """
    require(circuit, Circuit, "the circuit of a family, such as solve(board).circuit,")
    if isinstance(manager, type) or not (hasattr(manager, "vars") and hasattr(manager, "declare")):
        raise MinesError(f"a manager such as dd.autoref.BDD() is needed, not {shown(manager)}")
    if isinstance(manager.true, int):  # dd.bdd, whose nodes are integers
        raise MinesError("the nodes of dd.bdd are plain integers; give a manager such as dd.autoref.BDD()")
    budget = Budget.of(budget)
    names, there = list(variables(circuit.cells)), set(manager.vars)
    missing = [names[cell] for cell in _top_down(circuit, budget) if names[cell] not in there]
    with _no_reordering(manager):
        for name in budget.each(missing, 1):
            manager.declare(name)
        autoref: Any = sys.modules.get("dd.autoref")
        if autoref is not None and isinstance(manager, autoref.BDD):
            allow_recursion(len(manager.vars))
        if len(missing) == len(names) or hasattr(manager, "true_node"):  # in our order; others are left to the manager
            return _converted(circuit, manager, names, budget)
    return _converted(circuit, manager, names, budget)


def _converted(circuit: Circuit, manager: Any, names: list[str], budget: Budget) -> Any:
    positive = [manager.var(name) for name in budget.each(names, 1)]
    depth = {cell: i for i, cell in enumerate(sorted(range(len(names)), key=lambda i: manager.level_of_var(names[i])))}
    by_depth = [positive[cell] for cell in depth]
    picks: list[_Scoped] = [(manager.true, 0)]
    for group, taken in circuit.leaves[1:]:
        places = sorted((depth[cell] for cell in circuit.groups[group]), reverse=True)
        deepest_first = [by_depth[place] for place in places]  # as nodes are made at the top at once
        picked = chosen(taken, deepest_first, manager.true, lambda f, x: ~x & f, operator.and_, operator.or_, budget)
        picks.append((picked, sum(1 << place for place in places)))
    known = {0: manager.true}

    def without(cells: int) -> Any:
        """The function "no mine in these cells", made from the deepest up, as nodes are made at the top at once."""
        rest, above = cells, []
        while rest not in known:
            above.append((rest & -rest).bit_length() - 1)
            rest &= rest - 1
        function = known[rest]
        for cell in reversed(above):
            function = ~by_depth[cell] & function
        known[cells] = function
        return function

    def conjoined(f: Any, g: Any) -> Any:
        budget.check()
        return f & g

    def either(one: _Scoped, other: _Scoped) -> _Scoped:
        (f, here), (g, there) = one, other
        f, g = conjoined(f, without(there & ~here)), conjoined(g, without(here & ~there))
        budget.check()
        return f | g, here | there

    def both(one: _Scoped, other: _Scoped) -> _Scoped:
        return conjoined(one[0], other[0]), one[1] | other[1]

    values = upward(circuit, picks, (manager.false, 0), (manager.true, 0), either, both, budget)
    function, mentioned = values[circuit.root]
    return conjoined(function, without(~mentioned & (1 << len(names)) - 1))


def _top_down(circuit: Circuit, budget: Budget) -> list[int]:
    """The cells in the order in which the circuit comes upon them for the last time: so the diagram stays small."""
    diagram = bool((circuit.right == TRUE).all())  # its nodes are numbered in the order of its own variables
    nodes = range(TRUE + 1, circuit.root + 1) if diagram else _children_first(circuit, budget)
    groups = (circuit.leaves[leaf][0] for node in budget.each(nodes) for *_, leaf in circuit.terms_of(node) if leaf)
    found = dict.fromkeys(cell for group in groups for cell in circuit.groups[group])
    return list(dict.fromkeys(reversed(found)) | dict.fromkeys(range(len(circuit.cells))))


def _children_first(circuit: Circuit, budget: Budget) -> list[int]:
    """The nodes as a search in depth leaves them: what belongs together stays together.

    Of two factors that of more cells comes first.  What a diagram has to remember of it while it decides the cells of
    the other one is then added only a few times, as the other one has at most half of the cells.
    """
    leaf_cells = [len(circuit.groups[group]) if taken else 0 for group, taken in circuit.leaves]
    cells = upward(circuit, leaf_cells, 0, 0, max, operator.add, budget)

    def factors(node: int) -> Iterator[int]:
        found = {factor for *both, _ in circuit.terms_of(node) for factor in both}
        return iter(sorted(found, key=lambda factor: (cells[factor], factor), reverse=True))

    left, reached, stack = [], {circuit.root}, [(circuit.root, factors(circuit.root))]
    steps = budget.each(count())
    while stack:
        next(steps)
        node, below = stack[-1]
        factor = next((one for one in below if one not in reached), None)
        if factor is None:
            left.append(node)
            stack.pop()
        else:
            reached.add(factor)
            stack.append((factor, factors(factor)))
    return left


def allow_recursion(variables: int) -> None:
    """Let `dd.autoref` work on this many variables: its operations recurse once a level.

    Frames of pure Python take no C stack.  The limit is never lowered again, because another thread may rely on it.
    """
    if sys.getrecursionlimit() < 4 * variables + 600:
        sys.setrecursionlimit(8 * variables + 1200)


@contextmanager
def _no_reordering(manager: Any) -> Iterator[None]:
    """Keep the order of variables meanwhile: a ZDD of `dd` that reorders cannot hold 89 new variables."""
    before = manager.configure(reordering=False).get("reordering", False) if hasattr(manager, "configure") else False
    try:
        yield
    finally:
        if before:
            manager.configure(reordering=True)


_Scoped = tuple[Any, int]
"""A function, and its cells as a bit mask, the uppermost first; by a circuit's zero-suppressed reading all others are
safe."""


def variables(cells: Sequence[Hashable]) -> dict[str, Hashable]:
    """Return a mapping from the name of each cell's variable to the cell.

    Raises
    ------
    MinesError
        If two cells would have the same variable, or are the same.

    Examples
    --------
    >>> variables([(0, 1), "a"])
    {'x0_1': (0, 1), 'xa': 'a'}
    """
    require_distinct(cells, "the list of cells", MinesError)
    named = {variable_name(cell): cell for cell in cells}
    if len(named) < len(cells):
        one = next(cell for cell in cells if named[variable_name(cell)] != cell)
        name = variable_name(one)
        raise MinesError(f"the cells {one!r} and {named[name]!r} would both be the variable {name}; rename one")
    return named


def chosen(
    k: int,
    things: Sequence[Any],
    none: Any,
    without: Callable[[Any, Any], Any],
    with_: Callable[[Any, Any], Any],
    either: Callable[[Any, Any], Any],
    budget: Budget | None = None,
) -> Any:
    """Return what stands for all choices of k of some things: row by row as in Pascal's triangle (paper §4.1).

    `without(some, thing)` and `with_(some, thing)` decide one more thing, `either` joins two.  Only those entries are
    made from which k can still be reached: of "all of them" one in each row.

    Examples
    --------
    >>> chosen(2, "abc", [""], lambda some, x: some, lambda some, x: [one + x for one in some], operator.add)
    ['bc', 'ac', 'ab']
    """
    row = {0: none}
    for number, thing in enumerate(things):
        if budget is not None:
            budget.check()
        above, row = row, {}
        for i in range(max(0, k - (len(things) - number - 1)), min(k, number + 1) + 1):
            left_out = [without(above[i], thing)] if i in above else []
            taken = [with_(above[i - 1], thing)] if i - 1 in above else []
            row[i] = reduce(either, taken + left_out)
    return row[k]
