"""Passes over a circuit: up from the leaves in any semiring, down from the root, and the exact counts they give.

An *upward* pass gives every node a value: of a term the product of its factors' values, of a node the sum of its terms.
What sum and product are is a commutative semiring's to say.  Of two hints of one mine each that share a cell b,

    #1#        node 4 = node 2 * leaf "1 of c"  +  node 3            upward in (+, *):  1, 1, then 1 * 1 + 1 = 2
    -2-        node 3 = leaf "1 of b"                                in (min, +) with costs a 5, b 7, c 4:  5, 7, then 7

it counts assignments, finds the cheapest, or holds polynomials.  A *downward* pass goes the other way: the derivative
of the root's count by a node's is what flows into the node, and what flows through a leaf is the number of assignments
in which it holds (A. Darwiche, "A differential approach to inference in Bayesian networks", JACM 50, 2003).

Questions that are no semiring's take the nodes from `children_first` or `parents_first`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import comb
from typing import TypeVar

import numpy as np

from mines_dd.diagrams import modular
from mines_dd.diagrams.circuit import TRUE, Circuit

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
    "weighted_flows",
]

T = TypeVar("T")

# From this many terms on, compiled passes are faster even if Numba has yet to be imported.
_LARGE = 100_000


@dataclass(frozen=True)
class Factors:
    """A root that is a plain product, taken apart: the factors share no cell and vary independently.

    Attributes
    ----------
    roots : list of int
        Nodes with several terms, or none.
    leaves : list of int
        Leaves that hold in every assignment.
    """

    roots: list[int]
    leaves: list[int]


@dataclass(frozen=True)
class Flows:
    """In how many assignments each leaf holds.

    Attributes
    ----------
    totals : list of int
        The number of assignments of each factor's root.
    owner : list of int
        The factor that each leaf belongs to, -1 for none.
    flow : list of int
        The number of its factor's assignments in which the leaf holds.
    """

    totals: list[int]
    owner: list[int]
    flow: list[int]


def children_first(circuit: Circuit) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
    """Yield every node with its terms (left factor, right factor, leaf), after all nodes under it.

    FALSE and TRUE, which have no terms, are left out.
    """
    start, left, right, leaf = circuit.terms
    terms = zip(left, right, leaf, strict=True)
    for node in range(2, len(start) - 1):
        yield node, list(islice(terms, start[node + 1] - start[node]))


def parents_first(circuit: Circuit) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
    """Yield every node with its terms, last term first, before all nodes under it."""
    start, left, right, leaf = circuit.terms
    terms = zip(reversed(left), reversed(right), reversed(leaf), strict=True)
    for node in range(len(start) - 2, TRUE, -1):
        yield node, list(islice(terms, start[node + 1] - start[node]))


def upward(
    circuit: Circuit,
    leaf_values: Sequence[T],
    zero: T,
    one: T,
    plus: Callable[[T, T], T] = operator.add,
    times: Callable[[T, T], T] = operator.mul,
) -> list[T]:
    """Return the value of every node in a commutative semiring; the empty leaf (index 0) counts as `one`.

    Parameters
    ----------
    circuit : Circuit
    leaf_values : sequence
        The value of each leaf.
    zero, one
        The values of FALSE and TRUE: neutral to `plus` and `times`.
    plus, times : callable

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#")).circuit
    >>> upward(circuit, leaf_counts(circuit), 0, 1)[circuit.root]
    2
    """
    start, left, right, leaf = circuit.terms  # by index: a quarter faster than `children_first`
    values = [zero] * (len(start) - 1)
    values[TRUE] = one
    for node in range(2, len(values)):
        total = zero
        for t in range(start[node], start[node + 1]):
            term = values[left[t]]
            if right[t] != TRUE:
                term = times(term, values[right[t]])
            if leaf[t]:
                term = times(term, leaf_values[leaf[t]])
            total = plus(total, term)
        values[node] = total
    return values


def leaf_counts(circuit: Circuit) -> list[int]:
    """Return for each leaf "group g takes t mines" the number of ways, C(|g|, t); 1 for the empty leaf."""
    sizes = np.diff(circuit.group_start).tolist()
    return [1] + [comb(sizes[group], taken) for group, taken in circuit.leaves[1:]]


def factors(circuit: Circuit) -> Factors:
    """Take the root apart into independent factors: the components of the board, each with small numbers of its own."""
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


def root_counts(circuit: Circuit, roots: Sequence[int]) -> list[int]:
    """Return the number of assignments of each root."""
    if circuit.term_count > _LARGE:
        return modular.totals(circuit, roots, leaf_counts(circuit))
    values = upward(circuit, leaf_counts(circuit), 0, 1)
    return [values[root] for root in roots]


def leaf_flows(circuit: Circuit, parts: Factors) -> Flows:
    """Return in how many assignments each leaf holds, factor by factor."""
    ways = leaf_counts(circuit)
    if circuit.term_count > _LARGE:
        return Flows(*modular.flows(circuit, parts.roots, ways))
    return weighted_flows(circuit, parts, ways)


def weighted_flows(circuit: Circuit, parts: Factors, weights: Sequence[int]) -> Flows:
    """Return `leaf_flows` with a weight for each leaf in place of its number of ways.

    A power of two to the number of mines makes each total and flow a polynomial by number of mines, in one integer.
    """
    start, left, right, leaf = circuit.terms
    values = upward(circuit, weights, 0, 1)
    derivative = [0] * len(values)
    owner_of_node = [-1] * len(values)
    flow, owner = [0] * len(weights), [-1] * len(weights)
    for index, root in enumerate(parts.roots):
        derivative[root], owner_of_node[root] = 1, index
    for node in range(len(values) - 1, TRUE, -1):
        above = derivative[node]
        if not above:
            continue
        for t in range(start[node], start[node + 1]):
            a, b, x = left[t], right[t], leaf[t]
            down = above * weights[x]
            owner_of_node[a] = owner_of_node[b] = owner_of_node[node]
            derivative[a] += down * values[b]
            if b != TRUE:
                derivative[b] += down * values[a]
            if x:
                owner[x] = owner_of_node[node]
                flow[x] += down * values[a] * values[b]
    return Flows([values[root] for root in parts.roots], owner, flow)
