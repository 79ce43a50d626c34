"""Circuits as functions of `dd`: one variable a cell, true for a mine."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from mines_dd.base.errors import MinesError
from mines_dd.diagrams.circuit import FALSE, Circuit

__all__ = ["to_dd", "variable_name", "variables"]


def variable_name(cell: Hashable) -> str:
    """Return the name of a cell's variable: `x{r}_{c}` for the position (r, c), `x{cell}` else."""
    return f"x{cell[0]}_{cell[1]}" if isinstance(cell, tuple) and len(cell) == 2 else f"x{cell}"


def to_dd(circuit: Circuit, manager: Any) -> Any:
    """Return the family as a node of a `dd` manager (`dd.cudd`, `dd.autoref`, `dd.cudd_zdd`).

    The node is true exactly for the assignments, as a function of the cells' variables, which are declared if missing.

    Raises
    ------
    MinesError
        If two cells have the same variable's name.
    """
    names = list(variables(circuit.cells))
    missing = [name for name in names if name not in manager.vars]
    if missing:
        manager.declare(*missing)
    positive = [manager.var(name) for name in names]
    scope = _scopes(circuit)
    picks = {
        leaf: _exactly([positive[cell] for cell in circuit.groups[group]], taken, manager)
        for leaf, (group, taken) in enumerate(circuit.leaves)
        if leaf
    }

    def absent(cells: int) -> Any:
        """The function that says no mine in the cells of a bit mask."""
        result = manager.true
        while cells:
            low = cells & -cells
            result &= ~positive[low.bit_length() - 1]
            cells ^= low
        return result

    start, left, right, leaf = circuit.terms
    functions = [manager.false, manager.true]
    for node in range(2, len(start) - 1):
        total = manager.false
        for t in range(start[node], start[node + 1]):
            mentioned = scope[left[t]] | scope[right[t]] | _leaf_scope(circuit, leaf[t])
            term = functions[left[t]] & functions[right[t]] & absent(scope[node] & ~mentioned)
            total |= term & picks[leaf[t]] if leaf[t] else term
        functions.append(total)
    everything = (1 << len(names)) - 1
    if circuit.root == FALSE:
        return manager.false
    return functions[circuit.root] & absent(everything & ~scope[circuit.root])


def variables(cells: Sequence[Hashable]) -> dict[str, Hashable]:
    """Return the cell of each variable's name.

    Raises
    ------
    MinesError
        If two cells would have the same one.

    Examples
    --------
    >>> variables([(0, 1), "a"])
    {'x0_1': (0, 1), 'xa': 'a'}
    """
    named = {variable_name(cell): cell for cell in cells}
    if len(named) < len(cells):
        one = next(cell for cell in cells if named[variable_name(cell)] != cell)
        name = variable_name(one)
        raise MinesError(f"the cells {one!r} and {named[name]!r} would both be the variable {name}; rename one")
    return named


def _leaf_scope(circuit: Circuit, leaf: int) -> int:
    """The cells of a leaf's group, as a bit mask."""
    return sum(1 << cell for cell in circuit.groups[circuit.leaves[leaf][0]]) if leaf else 0


def _scopes(circuit: Circuit) -> list[int]:
    """The cells that each node speaks of, as bit masks."""
    start, left, right, leaf = circuit.terms
    of_leaf = [_leaf_scope(circuit, x) for x in range(len(circuit.leaves))]
    scope = [0, 0]
    for node in range(2, len(start) - 1):
        cells = 0
        for t in range(start[node], start[node + 1]):
            cells |= scope[left[t]] | scope[right[t]] | of_leaf[leaf[t]]
        scope.append(cells)
    return scope


def _exactly(variables: list[Any], k: int, manager: Any) -> Any:
    """Exactly k of the variables, by the recursion of binomial coefficients (paper §4.1)."""
    row = [manager.true] + [manager.false] * k
    for variable in variables:
        row = [row[0] & ~variable] + [(row[i] & ~variable) | (row[i - 1] & variable) for i in range(1, k + 1)]
    return row[k]
