"""Passes over a circuit: up from the leaves in any semiring, down from the root, and exact counts.

An *upward* pass computes a value for each node, children first: a term's value is the product of its factors' values, a
node's value the sum of its terms' values.  A commutative semiring says what sum and product are.  In (+, *) the pass
counts; in (min, +) it finds the cheapest assignment; polynomials count by number of mines.  For two hints of 1 on the
board a1b1c, whose assignments are {b} and {a, c}:

                                      (+, *)               (min, +), costs a 5, b 7, c 4
    node 2 = [1 of b]                 1                    7
    node 3 = [1 of c]                 1                    4
    node 4 = 2 + 3 * [1 of a]         1 + 1 * 1 = 2        min(7, 4 + 5) = 7

A *downward* pass computes derivatives of the root's count, parents first.  The derivative by a node or a leaf, times
its value, is the number of assignments that use it.  The derivative by node 3 is the value of [1 of a], which is 1; so
1 * 1 of the 2 assignments uses node 3 and has its mine in c (A. Darwiche, "A differential approach to inference in
Bayesian networks", JACM 50, 2003).

Questions that are not a semiring's loop over the nodes with `children_first` or `parents_first`.

A pass takes a budget and keeps to its seconds: it looks at the clock every hundred nodes, compiled every few million
steps.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import comb
from typing import NamedTuple, TypeVar

import numpy as np

from mines_dd.base.budget import Budget
from mines_dd.diagrams import modular
from mines_dd.diagrams.circuit import TRUE, Circuit
from mines_dd.diagrams.lifetimes import Lifetimes, last_uses

__all__ = [
    "Factors",
    "Flows",
    "children_first",
    "factors",
    "leaf_counts",
    "leaf_flows",
    "parents_first",
    "root_counts",
    "upward",
]

T = TypeVar("T")

# From this many terms on, compiled passes are faster even if Numba has to be imported first.
_LARGE = 100_000
_WIDE = 100  # cells of a large group, and leaves of such groups that are many
_LOOK_EVERY = 100  # nodes in Python between two looks at the clock


@dataclass(frozen=True)
class Factors:
    """The independent factors of a circuit's root: a product of nodes and leaves that share no cell.

    Attributes
    ----------
    roots : list of int
        Nodes with several terms, or without any (`FALSE`).
    leaves : list of int
        Leaves that hold in every assignment.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> factors(solve(Board.parse("#1#1#"), "zdd").circuit)
    Factors(roots=[4], leaves=[])
    """

    roots: list[int]
    leaves: list[int]


@dataclass(frozen=True)
class Flows:
    """For each leaf, the number of assignments in which it holds, counted within its factor of the root.

    Attributes
    ----------
    totals : list of int
        The number of assignments of each factor.
    owner : list of int
        The factor that each leaf belongs to; -1 for none.
    flow : list of int
        The number of that factor's assignments in which the leaf holds.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> leaf_flows(circuit, factors(circuit))
    Flows(totals=[2], owner=[-1, 0, 0, 0], flow=[0, 1, 1, 1])
    """

    totals: list[int]
    owner: list[int]
    flow: list[int]


class _Block(NamedTuple):
    """Some nodes, and their terms as lists; those of the node i places after `first` begin at `start[i]`."""

    nodes: range
    first: int
    start: list[int]
    left: list[int]
    right: list[int]
    leaf: list[int]


def _in_blocks(circuit: Circuit, nodes: range, budget: Budget | None) -> Iterator[_Block]:
    """Yield a range of nodes in blocks, for passes in plain Python, with a look at the clock before each."""
    for some in Budget.of(budget).blocks(nodes, _LOOK_EVERY):
        first, last = sorted((some[0], some[-1]))
        start = circuit.start[first : last + 2]
        columns = (column[start[0] : start[-1]].tolist() for column in (circuit.left, circuit.right, circuit.leaf))
        yield _Block(some, first, (start - start[0]).tolist(), *columns)


def children_first(circuit: Circuit, budget: Budget | None = None) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
    """Yield every node with its terms (left factor, right factor, leaf), children before parents.

    FALSE and TRUE, which have no terms, are left out.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> dict(children_first(circuit))
    {2: [(1, 1, 3)], 3: [(1, 1, 2)], 4: [(3, 1, 0), (2, 1, 1)]}
    """
    for nodes, _, start, *columns in _in_blocks(circuit, range(2, len(circuit.start) - 1), budget):
        terms = zip(*columns, strict=True)
        for node, begin, end in zip(nodes, start, start[1:], strict=False):
            yield node, list(islice(terms, end - begin))


def parents_first(circuit: Circuit, budget: Budget | None = None) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
    """Yield every node with its terms, the last term first, parents before children.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> [node for node, _ in parents_first(circuit)]
    [4, 3, 2]
    """
    for nodes, _, start, *columns in _in_blocks(circuit, range(len(circuit.start) - 2, TRUE, -1), budget):
        terms = zip(*map(reversed, columns), strict=True)
        for node, end, begin in zip(nodes, start[::-1], start[-2::-1], strict=False):
            yield node, list(islice(terms, end - begin))


def upward(
    circuit: Circuit,
    leaf_values: Sequence[T],
    zero: T,
    one: T,
    plus: Callable[[T, T], T] = operator.add,
    times: Callable[[T, T], T] = operator.mul,
    budget: Budget | None = None,
    roots: Sequence[int] | None = None,
) -> list[T]:
    """Return the value of every node in a commutative semiring; the value of leaf 0, the empty leaf, is `one`.

    Parameters
    ----------
    circuit : Circuit
    leaf_values : sequence
        The value of each leaf.  Cells without a mine have none, and so count as `one`: where a mine in a cell has the
        probability p, its leaf has the odds p / (1 - p), and the result is to be multiplied by all 1 - p.  A leaf "t
        mines in group g" has the sum over all its sets of t cells, each the product of their odds.
    zero, one
        The values of FALSE and TRUE: neutral to `plus` and `times`.
    plus, times : callable
    budget : Budget, optional
    roots : sequence of int, optional
        The nodes whose values are asked for, if not all: others may be `zero`, as they are forgotten when they are
        used for the last time.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#")).circuit
    >>> upward(circuit, leaf_counts(circuit), 0, 1)[circuit.root]
    2
    """
    values = [zero] * (len(circuit.start) - 1)
    values[TRUE] = one
    alive = None if roots is None else Lifetimes(np.arange(len(values)), last_uses(circuit, roots))
    # by index: a quarter faster than `children_first`
    for nodes, first, start, left, right, leaf in _in_blocks(circuit, range(2, len(values)), budget):
        for node in nodes:
            total = zero
            for t in range(start[node - first], start[node - first + 1]):
                term = values[left[t]]
                if right[t] != TRUE:
                    term = times(term, values[right[t]])
                if leaf[t]:
                    term = times(term, leaf_values[leaf[t]])
                total = plus(total, term)
            values[node] = total
            for ended in alive.ended_by(node) if alive else ():
                values[ended] = zero
    return values


def leaf_counts(circuit: Circuit) -> list[int]:
    """Return for each leaf "group g takes t mines" the number C(|g|, t) of sets of cells; 1 for the empty leaf.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> leaf_counts(solve(Board.parse("#1#/###/#1#")).circuit)  # 1 of a b, 1 of c d e, 1 of f g
    [1, 2, 3, 2]
    """
    sizes = np.diff(circuit.group_start)[circuit.leaf_group[1:]]
    leaves = list(zip(sizes.tolist(), circuit.leaf_taken[1:].tolist(), strict=True))
    if (sizes >= _WIDE).sum() < _WIDE:
        return [1, *(comb(size, taken) for size, taken in leaves)]
    wanted: dict[int, set[int]] = {}
    for size, taken in leaves:
        wanted.setdefault(size, set()).add(taken)
    ways = {size: _choices(size, some) for size, some in wanted.items()}
    return [1, *(ways[size][taken] for size, taken in leaves)]


def _choices(size: int, some: set[int]) -> dict[int, int]:
    """For some numbers t the number of ways to take t of so many, each from the one before: they are long."""
    found, ways = {}, 1
    for t in range(max(some) + 1):
        if t in some:
            found[t] = ways
        ways = ways * (size - t) // (t + 1)
    return found


def factors(circuit: Circuit) -> Factors:
    """Return the independent factors of the root: the components of the board, whose counts are far smaller.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> factors(solve(Board.parse("#1####1#")).circuit)  # two leaves of two cells each
    Factors(roots=[], leaves=[2, 1])
    """
    start = circuit.start
    roots, leaves, stack = [], [], [circuit.root]
    while stack:
        node = stack.pop()
        if node == TRUE:
            continue
        first = int(start[node])
        if start[node + 1] - first != 1:
            roots.append(node)
            continue
        stack += (int(circuit.left[first]), int(circuit.right[first]))
        if circuit.leaf[first]:
            leaves.append(int(circuit.leaf[first]))
    return Factors(roots, leaves)


def root_counts(circuit: Circuit, roots: Sequence[int], budget: Budget | None = None) -> list[int]:
    """Return the number of assignments of each root.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> root_counts(circuit, [2, circuit.root])
    [1, 2]
    """
    if circuit.term_count > _LARGE:
        return modular.totals(circuit, roots, leaf_counts(circuit), budget)
    values = upward(circuit, leaf_counts(circuit), 0, 1, budget=budget)
    return [values[root] for root in roots]


def leaf_flows(circuit: Circuit, parts: Factors, budget: Budget | None = None) -> Flows:
    """Return for each leaf the number of assignments in which it holds, factor by factor.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> leaf_flows(circuit, factors(circuit)).flow
    [0, 1, 1, 1]
    """
    ways = leaf_counts(circuit)
    if circuit.term_count > _LARGE and modular.flows_pay(circuit, parts.roots, budget):
        return Flows(*modular.flows(circuit, parts.roots, ways, budget))
    values = upward(circuit, ways, 0, 1, budget=budget)
    derivative = [0] * len(values)
    owner_of_node = [-1] * len(values)
    flow, owner = [0] * len(ways), [-1] * len(ways)
    for index, root in enumerate(parts.roots):
        derivative[root], owner_of_node[root] = 1, index
    for nodes, first, start, left, right, leaf in _in_blocks(circuit, range(len(values) - 1, TRUE, -1), budget):
        for node in nodes:
            above, derivative[node] = derivative[node], 0  # not needed any more: frees memory
            if not above:
                continue
            for t in range(start[node - first], start[node - first + 1]):
                a, b, x = left[t], right[t], leaf[t]
                down = above * ways[x]
                owner_of_node[a] = owner_of_node[b] = owner_of_node[node]
                derivative[a] += down * values[b]
                if b != TRUE:
                    derivative[b] += down * values[a]
                if x:
                    owner[x] = owner_of_node[node]
                    flow[x] += down * values[a] * values[b]
    return Flows([values[root] for root in parts.roots], owner, flow)
