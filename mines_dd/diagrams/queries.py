"""The questions about a family of mine assignments, written once for all methods, as passes over its circuit.

Answers are exact, integers and fractions of any size, except for `approximate_probabilities`.  How a pass works stands
in `passes`; the examples use the board a1b1c, whose assignments are {b} and {a, c}.

Every question but `iterate`, `contains` and `same` takes a budget, and raises `BudgetExceededError` when its seconds
are over, or if it would need more memory than there is.
"""

from __future__ import annotations

import heapq
import itertools
import random
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from math import comb
from operator import itemgetter
from typing import Any

import numpy as np

from mines_dd.base.budget import Budget
from mines_dd.base.checks import generator
from mines_dd.diagrams.circuit import FALSE, TRUE, Circuit
from mines_dd.diagrams.lifetimes import BITS_A_BYTE, Lifetimes, last_uses
from mines_dd.diagrams.mine_counts import polynomial
from mines_dd.diagrams.modular import bits
from mines_dd.diagrams.passes import (
    children_first,
    factors,
    leaf_counts,
    leaf_flows,
    root_counts,
    upward,
)
from mines_dd.diagrams.polynomials import product
from mines_dd.diagrams.tilting import Forest

__all__ = [
    "approximate_probabilities",
    "cheapest",
    "contains",
    "count",
    "counts_by_mines",
    "given",
    "iterate",
    "probabilities",
    "same",
    "samples",
    "settled",
    "value_at",
]

Cost = Any
"""An int, float or Fraction."""

_FEW_TERMS = 20_000  # what fewer need is not worth predicting
_FEW_ANSWERS = 1000  # sorted between two looks at the clock
_PRIME = 2**127 - 1
_BYTES_KEPT = 160  # of `cheapest` for each assignment of a node that it keeps


def count(circuit: Circuit, budget: Budget | None = None) -> int:
    """Return the number of assignments: the product of the root's independent factors, each counted by itself.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> count(circuit)
    2
    """
    parts = factors(circuit)
    ways = leaf_counts(circuit)
    return product([*root_counts(circuit, parts.roots, budget), *(ways[leaf] for leaf in parts.leaves)])


def probabilities(circuit: Circuit, budget: Budget | None = None) -> list[Fraction]:
    """Return for each cell the fraction of the assignments in which it holds a mine.

    Raises
    ------
    ZeroDivisionError
        If there is no assignment.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> probabilities(circuit)
    [Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)]
    """
    budget = Budget.of(budget)
    result = [Fraction(0)] * len(circuit.cells)
    for cells, (mines, of) in budget.each(
        zip(circuit.groups, _mines_in_groups(circuit, budget), strict=True), every=100
    ):
        if mines:
            share = Fraction(mines, of)
            for cell in cells:
                result[cell] = share
    return result


def settled(circuit: Circuit, budget: Budget | None = None) -> tuple[list[int], list[int]]:
    """Return the indices of the cells that never hold a mine, and of those that always do.

    Raises
    ------
    ZeroDivisionError
        If there is no assignment.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("##1/221/###"), "zdd").circuit
    >>> [[circuit.cells[i] for i in some] for some in settled(circuit)]
    [[(2, 1), (2, 2)], [(0, 1)]]
    """
    safe, certain = set(range(len(circuit.cells))), []
    for cells, (mines, of) in zip(circuit.groups, _mines_in_groups(circuit, Budget.of(budget)), strict=True):
        if mines:
            safe.difference_update(cells)
        if mines == of:
            certain += cells
    return sorted(safe), sorted(certain)


def _mines_in_groups(circuit: Circuit, budget: Budget) -> list[tuple[int, int]]:
    """For each group the mines in it, summed over all assignments of its factor, and what that sum is at most."""
    parts = factors(circuit)
    flows = leaf_flows(circuit, parts, budget)
    if not all(flows.totals):
        raise ZeroDivisionError("an empty family has no probabilities")
    mines = [0] * len(circuit.groups)
    total = [1] * len(circuit.groups)
    for (group, taken), flow, owner in zip(circuit.leaves, flows.flow, flows.owner, strict=True):
        if owner >= 0:
            mines[group] += taken * flow
            total[group] = flows.totals[owner]
    for leaf in parts.leaves:
        group, taken = circuit.leaves[leaf]
        mines[group] = taken
    sizes = np.diff(circuit.group_start).tolist()
    return [(n, size * every) for n, size, every in zip(mines, sizes, total, strict=True)]


def approximate_probabilities(circuit: Circuit, budget: Budget | None = None) -> list[float]:
    """Return `probabilities` as doubles, right to about 9 digits.

    Raises
    ------
    ZeroDivisionError
        If there is no assignment.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> approximate_probabilities(circuit)
    [0.5, 0.5, 0.5]
    """
    if circuit.root == FALSE:
        raise ZeroDivisionError("an empty family has no probabilities")
    forest = Forest.of([circuit], budget)
    waves = forest.waves(forest.tilted(0.0, budget), np.zeros(1), budget=budget)
    flow = waves.flows(np.ones((1, 1), complex))
    sizes = np.diff(circuit.group_start)
    mines = forest.mines_by_group(flow)
    result = np.zeros(len(circuit.cells))
    result[circuit.group_cell] = np.minimum(np.repeat(mines / np.maximum(sizes, 1), sizes), 1.0)
    answer: list[float] = result.tolist()
    return answer


def counts_by_mines(circuit: Circuit, budget: Budget | None = None) -> dict[int, int]:
    """Return for each possible number of mines, ascending, the number of assignments that have it.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> counts_by_mines(circuit)
    {1: 1, 2: 1}
    """
    least, ways = polynomial(circuit, budget)
    return {least + more: n for more, n in enumerate(ways) if n}


def iterate(circuit: Circuit) -> Iterator[frozenset[Any]]:
    """Yield every assignment once, as the set of its mines; the first takes one walk from the root.

    This is a depth-first search with an explicit stack, not a pass.  What remains to be expanded is an immutable linked
    list, so going back to the last choice costs nothing.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> [sorted(mines) for mines in iterate(circuit)]
    [[(0, 2)], [(0, 0), (0, 4)]]
    """
    if circuit.root == FALSE:
        return
    chosen: list[tuple[int, ...]] = []
    # Choices to come back to: the remaining ways, and the length of `chosen` before the choice.
    choices: list[tuple[Iterator[_Way], int]] = []
    agenda: _Agenda = (circuit.root, None)
    while True:
        while agenda is not None:
            task, rest = agenda
            if task == TRUE:
                agenda = rest
                continue
            ways = _ways(circuit, task, rest)
            choices.append((ways, len(chosen)))
            agenda, cells = next(ways)
            chosen.append(cells)
        yield frozenset(circuit.cells[cell] for cells in chosen for cell in cells)
        while choices:
            ways, before = choices[-1]
            following = next(ways, None)
            if following is not None:
                break
            choices.pop()
        else:
            return
        agenda, cells = following
        chosen[before:] = [cells]


_Agenda = Any
"""A linked list of tasks, (task, rest) or None; a task is a node to expand, or -leaf for a leaf to choose cells for."""

_Way = tuple[_Agenda, tuple[int, ...]]
"""One way to do a task: the agenda after it, and the mines that it places."""


def _ways(circuit: Circuit, task: int, rest: _Agenda) -> Iterator[_Way]:
    """Yield all ways to do a task that is followed by `rest`: a node's terms, or a leaf's choices of cells."""
    if task < 0:
        group, taken = circuit.leaves[-task]
        for cells in itertools.combinations(circuit.groups[group], taken):
            yield rest, cells
        return
    for left, right, leaf in circuit.terms_of(task):
        agenda = (-leaf, rest) if leaf else rest
        agenda = (right, agenda) if right != TRUE else agenda
        yield (left, agenda), ()


def samples(circuit: Circuit, seed: int | None = None, budget: Budget | None = None) -> Iterator[frozenset[Any]]:
    """Return assignments without end, drawn uniformly and independently; the same seed gives the same ones.

    Raises
    ------
    ZeroDivisionError
        If there is no assignment.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> sorted(next(samples(circuit, seed=1)))
    [(0, 2)]
    """
    if circuit.root == FALSE:
        raise ZeroDivisionError("an empty family has nothing to draw from")
    budget = Budget.of(budget)
    ways = leaf_counts(circuit)
    if circuit.term_count > _FEW_TERMS:
        budget.reserve(int(bits(circuit, budget).sum() / BITS_A_BYTE))
    values = upward(circuit, ways, 0, 1, budget=budget)
    rng = generator(seed)
    return (_draw(circuit, values, ways, rng) for _ in budget.each(itertools.repeat(None), every=1))


def _draw(circuit: Circuit, values: list[int], ways: list[int], rng: random.Random) -> frozenset[Any]:
    mines: list[Any] = []
    stack = [circuit.root]
    while stack:
        node = stack.pop()
        if node == TRUE:
            continue
        ticket = rng.randrange(values[node])
        for left, right, leaf in circuit.terms_of(node):
            ticket -= values[left] * values[right] * ways[leaf]
            if ticket < 0:
                break
        stack += (right, left)
        if leaf:
            group, taken = circuit.leaves[leaf]
            mines += rng.sample(circuit.groups[group], taken)
    return frozenset(circuit.cells[cell] for cell in mines)


def contains(circuit: Circuit, mines: Collection[Any]) -> bool:
    """Tell whether `mines` is one of the assignments.

    This is a pass in the semiring (max, +).  A leaf that agrees with `mines` has its number of mines as its value, any
    other leaf is forbidden.  The set is an assignment if and only if the root's value is the size of the set.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> contains(circuit, {(0, 2)}), contains(circuit, {(0, 0)})
    (True, False)
    """
    wanted = frozenset(mines)
    hit = [sum(circuit.cells[cell] in wanted for cell in cells) for cells in circuit.groups]
    never = -len(circuit.cells) - 1
    scores = [0] + [taken if hit[group] == taken else 2 * never for group, taken in circuit.leaves[1:]]
    values = upward(circuit, scores, never, 0, max, lambda a, b: max(a + b, never))
    return values[circuit.root] == len(wanted)


def same(one: Circuit, other: Circuit) -> bool:
    """Tell whether two circuits have the same assignments, whatever their shapes and the order of their cells.

    A family is a polynomial: the sum, over its sets, of the product of a variable for each cell in the set.  Different
    families are different polynomials, and those of n cells agree at a random place modulo a prime p with a probability
    of at most n/p: here less than 10^-31, for a million cells.  So both are evaluated at one random place (M. Blum,
    A. K. Chandra, M. N. Wegman, "Equivalence of free Boolean graphs can be decided probabilistically in polynomial
    time", Information Processing Letters 10, 1980).

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> board = Board.parse("#1#1#")
    >>> same(solve(board, "zdd").circuit, solve(board, "tree").circuit)
    True
    """
    chance = random.Random()
    place = {cell: chance.randrange(_PRIME) for cell in itertools.chain(one.cells, other.cells)}
    return value_at(one, place) == value_at(other, place)


def value_at(circuit: Circuit, place: Mapping[Any, int]) -> int:
    """Return the value of a family's polynomial (see `same`) modulo 2^127 - 1, where the cells have these values.

    A leaf "group g takes t mines" is the elementary symmetric polynomial of degree t in the group's cells.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> value_at(circuit, {(0, 0): 10, (0, 2): 5, (0, 4): 7})  # {(0, 2)} and {(0, 0), (0, 4)}
    75
    """
    groups = circuit.groups
    most = [0] * len(groups)  # of all cells of a group, which may be tens of thousands, there is but one product
    for group, taken in circuit.leaves[1:]:
        if taken < len(groups[group]):
            most[group] = max(most[group], taken)
    symmetric = [_symmetric([place[circuit.cells[i]] for i in some], d) for some, d in zip(groups, most, strict=True)]
    leaves = [1] + [symmetric[group][taken if taken <= most[group] else -1] for group, taken in circuit.leaves[1:]]
    return upward(circuit, leaves, 0, 1, _plus, _times)[circuit.root]


def _symmetric(values: list[int], degree: int) -> list[int]:
    """The elementary symmetric polynomials of degree 0 to `degree`, then that of the highest: the product of all."""
    found = [1] + [0] * degree + [1]
    for x in values:
        for t in range(degree, 0, -1):
            found[t] = (found[t] + x * found[t - 1]) % _PRIME
        found[-1] = found[-1] * x % _PRIME
    return found


def _plus(a: int, b: int) -> int:
    return (a + b) % _PRIME


def _times(a: int, b: int) -> int:
    return a * b % _PRIME


def cheapest(
    circuit: Circuit, costs: Mapping[Any, Cost], n: int = 1, budget: Budget | None = None
) -> list[tuple[Cost, frozenset[Any]]]:
    """Return the `n` assignments of least total cost, cheapest first (fewer if there are fewer).

    Every node keeps up to `n` sums, so time and memory grow like `n` times the nodes.

    Parameters
    ----------
    circuit : Circuit
    costs : mapping
        Cell -> cost of a mine there, also a negative one; a missing cell costs 0.
    n : int
    budget : Budget, optional

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> [(cost, sorted(mines)) for cost, mines in cheapest(circuit, {(0, 0): 5, (0, 2): 7, (0, 4): 4}, n=2)]
    [(7, [(0, 2)]), (9, [(0, 0), (0, 4)])]
    """
    budget = Budget.of(budget)
    n = min(n, sys.maxsize)  # more than islice takes
    if n > 1:  # counts of at most n say how many a node keeps
        kept = upward(circuit, [min(n, way) for way in leaf_counts(circuit)], 0, 1, *_up_to(n), budget)
        replace(budget, advice=f"ask for fewer, or {budget.advice}").reserve(_BYTES_KEPT * sum(kept))
    price = [costs.get(label, 0) for label in circuit.cells]
    picks = [[(0, ())]] + [
        _cheapest_subsets(circuit.groups[group], price, taken, n, budget) for group, taken in circuit.leaves[1:]
    ]
    # The n cheapest of a node, ascending: (cost, term, rank of the left factor, of the right one, of the leaf).
    best: list[list[tuple[Any, ...]]] = [[], [(0,)]]
    for _, terms in children_first(circuit, budget):
        found = []
        for term in terms:
            left, right, leaf = term
            pairs = _least_sums(best[left], best[right], n, budget)
            found += [(cost, term, *pairs[p][1:], k) for cost, p, k in _least_sums(pairs, picks[leaf], n, budget)]
        found.sort(key=itemgetter(0))
        best.append(found[:n])
    result = []
    for rank, (cost, *_) in budget.each(enumerate(best[circuit.root][:n])):
        mines: list[int] = []
        stack = [(circuit.root, rank)]
        while stack:
            node, r = stack.pop()
            if node == TRUE:
                continue
            _, (left, right, leaf), i, j, k = best[node][r]
            stack += ((right, j), (left, i))
            mines += picks[leaf][k][1]
        result.append((cost, frozenset(circuit.cells[cell] for cell in mines)))
    return result


def _up_to(n: int) -> tuple[Callable[[int, int], int], Callable[[int, int], int]]:
    """Sum and product of counts, of which none is more than `n`."""
    return lambda a, b: min(n, a + b), lambda a, b: min(n, a * b)


def _least_sums(a: list[Any], b: list[Any], n: int, budget: Budget) -> list[tuple[Any, int, int]]:
    """The `n` least sums of a cost of `a` and one of `b` (both ascending), with their ranks."""
    if len(a) == 1 or len(b) == 1:
        return [(x[0] + y[0], i, j) for i, x in enumerate(a[:n]) for j, y in enumerate(b[:n])]

    # No dearer than the pair of ranks (i, j) are (i + 1) * (j + 1) - 1 others, so that product is at most n.
    if n <= _FEW_ANSWERS:
        pairs = ((x[0] + y[0], i, j) for i, x in enumerate(a[:n]) for j, y in enumerate(b[: n // (i + 1)]))
        return sorted(pairs, key=itemgetter(0))[:n]

    def row(i: int) -> Iterator[tuple[Any, int, int]]:
        return ((a[i][0] + y[0], i, j) for j, y in enumerate(islice(b, n // (i + 1))))

    rows = [row(i) for i in range(min(n, len(a)))]  # merged, they need no more room than the result
    return list(islice(budget.each(heapq.merge(*rows, key=itemgetter(0))), n))


def _cheapest_subsets(
    cells: list[int], price: list[Any], size: int, n: int, budget: Budget
) -> list[tuple[Any, tuple[int, ...]]]:
    """The `n` cheapest sets of `size` of the cells, cheapest first."""
    cells = sorted(cells, key=price.__getitem__)
    first = tuple(range(size))
    heap = [(sum(price[cells[i]] for i in first), first)]  # a difference of doubles would lose digits; inf - inf is nan
    seen = {first}
    result: list[tuple[Any, tuple[int, ...]]] = []
    n, some = min(n, comb(len(cells), size)), 1 + 1000 // (size + 1)
    for _ in budget.each(range(n), every=some):
        cost, picked = heapq.heappop(heap)
        result.append((cost, tuple(cells[i] for i in picked)))
        if len(result) == n:
            break
        free = [slot for slot, (i, j) in enumerate(itertools.pairwise((*picked, len(cells)))) if i + 1 < j]
        for slot in budget.each(free, every=some):
            moved = (*picked[:slot], picked[slot] + 1, *picked[slot + 1 :])
            if moved not in seen:
                seen.add(moved)
                heapq.heappush(heap, (sum(price[cells[i]] for i in moved), moved))
    return result


def given(
    circuit: Circuit, mines: Collection[int] = (), safe: Collection[int] = (), budget: Budget | None = None
) -> Circuit:
    """Return the circuit of the assignments that have mines in some cells and none in others.

    Parameters
    ----------
    circuit : Circuit
    mines, safe : collection of int
        Indices of cells.
    budget : Budget, optional

    Notes
    -----
    A group that a term does not mention has no mine there.  So a term is kept only if it mentions all those groups of
    `mines` that any term of its node mentions.  An upward pass computes these groups as bit masks.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> list(iterate(given(circuit, mines=[0])))[0] == {(0, 0), (0, 4)}
    True
    """
    mines, safe = set(mines), set(safe)
    # what is left of each group, and the mines that are placed in it
    groups = [[cell for cell in cells if cell not in mines and cell not in safe] for cells in circuit.groups]
    fixed = [len(mines.intersection(cells)) for cells in circuit.groups]
    if mines & safe or sum(fixed) < len(mines):  # a cell in no group is never a mine
        return circuit.restricted([], FALSE)
    # what each leaf takes of the rest, whether it can, and the bit of its group if a mine is placed there
    bit = {group: 1 << i for i, group in enumerate(np.flatnonzero(fixed).tolist())}
    taken = [0] + [t - fixed[group] for group, t in circuit.leaves[1:]]
    mask_of_leaf = [0] + [bit.get(group, 0) for group, _ in circuit.leaves[1:]]
    possible = [True] + [
        0 <= t <= len(groups[group]) for t, (group, _) in zip(taken[1:], circuit.leaves[1:], strict=True)
    ]
    masks: list[int | None] = [None, 0]  # the groups of placed mines that a node mentions; None without an assignment
    kept: list[int] = []
    number = itertools.count()
    budget = Budget.of(budget)
    budget.check()
    last = last_uses(circuit, [circuit.root])
    budget.check()
    alive = Lifetimes(np.arange(len(last)), last)
    for node, terms in children_first(circuit, budget):
        offers: list[tuple[int, int]] = []
        mentioned = 0
        for left, right, leaf in terms:
            t, a, b = next(number), masks[left], masks[right]
            if a is not None and b is not None and possible[leaf]:
                offers.append((t, a | b | mask_of_leaf[leaf]))
                mentioned |= offers[-1][1]
        staying = [t for t, mask in offers if mask == mentioned]
        kept += staying
        masks.append(mentioned if staying else None)
        for ended in alive.ended_by(node):  # a mask may be long
            masks[ended] = None
    if masks[circuit.root] != (1 << len(bit)) - 1:
        return circuit.restricted([], FALSE)
    return circuit.restricted(kept, circuit.root, groups, taken).with_mines(sorted(mines))
