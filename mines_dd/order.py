"""Orders: of cells for diagrams, of edges for frontier-based search, of hints for elimination; and what each will cost.

The order decides everything.  A diagram in a linear order of cells has to remember the partial sums of all *open*
hints, those with some but not all cells decided: few if hints are closed one after the other, many row by row.
Elimination remembers the sums of the hints in a *bag* of a tree decomposition, which are fewer still.

References
----------
H. L. Bodlaender, A. M. C. A. Koster, "Treewidth computations I. Upper bounds", Information and Computation 208, 2010
(min-fill).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.base.errors import GraphFormatError
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance

__all__ = [
    "Cost",
    "Steps",
    "cell_order",
    "edge_order",
    "elimination_cost",
    "elimination_order",
    "elimination_steps",
    "linear_cost",
]

IntArray = npt.NDArray[np.int32]

# Work that the search for an order may spend, in inner steps: about 0.1 s compiled.  Never the clock: same board,
# same order.
_EFFORT = 20_000_000
_MOST_TRIES = 24


# What is really there against the bound, in binary logarithms: partial sums of hints that share cells move together.
# Fitted on 255 boards of 20x20 to 100x100, mines 10-30%, hints 10-50% of the safe cells, after reduction.
_CORRELATION = 0.64


@dataclass(frozen=True)
class Cost:
    """What a compilation in some order will cost.

    Attributes
    ----------
    width : int
        The most hints remembered at once: open hints of a linear order, a bag without its own hint of an elimination.
    log2_bound : float
        The binary logarithm of a bound on all states or table entries together.
    entries : float
        The predicted number of states or table entries.
    peak : float
        The predicted size of the largest layer or table.
    """

    width: int
    log2_bound: float
    entries: float
    peak: float


# Linear orders


def cell_order(instance: Instance, order: str | Sequence[Any] = "auto") -> IntArray:
    """Return the cells' indices in the order of decision.

    Parameters
    ----------
    instance : Instance
    order : str or sequence of labels
        "row" and "column" (positions row by row or column by column; for other labels as they come), "greedy"
        (component by component, closing next the hint that leaves fewest states), "tree" (along the elimination
        order's tree), "auto" (the cheapest predicted of several greedy orders and the tree's), or all cells.

    Raises
    ------
    GraphFormatError
        If `order` is unknown or not all cells once.
    """
    if not isinstance(order, str):
        return _given(order, instance.cells, "cell")
    if order in ("row", "column"):
        return _by_position(instance.cells, order == "column")
    if order == "greedy":
        return _greedy_order(instance, tries=1)
    if order == "tree":
        return _tree_order(instance)
    if order != "auto":
        raise GraphFormatError(
            f"there is no order {order!r} of cells; choose auto, row, column, greedy or tree "
            "(or, in Python, a list of all cells)"
        )
    candidates = [_greedy_order(instance, tries=_MOST_TRIES), _tree_order(instance)]
    return min(candidates, key=lambda cells: linear_cost(instance, cells).entries)


def edge_order(instance: Instance, cells: npt.ArrayLike) -> IntArray:
    """Return all edges of the mine graph as (cell, hint) indices, a cell's edges one after the other.

    Of a cell's hints those come first that close first, so that they leave the frontier early.
    """
    cells = np.asarray(cells, np.int32)
    place = np.empty(len(cells), np.int64)
    place[cells] = np.arange(len(cells))
    hint = np.repeat(np.arange(len(instance.hints)), np.diff(instance.start))
    closes = np.zeros(len(instance.hints), np.int64)
    np.maximum.at(closes, hint, place[instance.member])
    at = np.lexsort((hint, closes[hint], place[instance.member]))
    return np.stack([instance.member[at], hint[at]], axis=1).astype(np.int32)


def linear_cost(instance: Instance, cells: npt.ArrayLike) -> Cost:
    """Return a bound on the states of a diagram in this order of cells.

    After each cell there are at most as many states as combinations of possible partial sums of the open hints.
    """
    cells = np.asarray(cells, np.int32)
    width = np.zeros(len(cells) + 1)
    opened = np.zeros(len(cells) + 1, np.int64)
    _cuts.run(8 * len(instance.member), *_arrays(instance), cells, width, opened)
    return _cost(width, opened)


def _cost(log2_sizes: npt.NDArray[np.float64], widths: npt.NDArray[np.int64]) -> Cost:
    if len(log2_sizes) == 0:
        return Cost(0, 0.0, 0.0, 0.0)
    peak = float(log2_sizes.max())
    bound = peak + float(np.log2(np.exp2(log2_sizes - peak).sum()))
    predicted = np.exp2(np.minimum(_CORRELATION * log2_sizes, 1000.0))
    return Cost(int(widths.max()), bound, float(predicted.sum()), float(predicted.max()))


def _given(order: Sequence[Any], labels: Sequence[Hashable], what: str) -> IntArray:
    index = {label: i for i, label in enumerate(labels)}
    listed = list(order)
    for label in listed:
        if label not in index:
            raise GraphFormatError(f"the order has {label!r}, which is not a {what} of this board")
    if len(set(listed)) != len(listed):
        raise GraphFormatError(f"the order has a {what} twice")
    if len(listed) != len(labels):
        missing = next(label for label in labels if label not in set(listed))
        raise GraphFormatError(f"the order lacks the {what} {missing!r}")
    return np.array([index[label] for label in listed], np.int32)


def _by_position(labels: Sequence[Any], by_column: bool) -> IntArray:
    if not all(isinstance(x, tuple) and len(x) == 2 and all(isinstance(i, int) for i in x) for x in labels):
        return np.arange(len(labels), dtype=np.int32)
    positions = np.array(labels, np.int64).reshape(-1, 2)
    major, minor = (1, 0) if by_column else (0, 1)
    return np.lexsort((positions[:, minor], positions[:, major])).astype(np.int32)


def _arrays(instance: Instance) -> tuple[npt.NDArray[Any], ...]:
    """The instance's rows, its columns, and each hint's least and greatest count."""
    cell_start, cell_hint = instance.cell_rows
    least, most = instance.count_range
    return instance.start, instance.member, cell_start, cell_hint, least, most


def _greedy_order(instance: Instance, tries: int) -> IntArray:
    """The cheapest of some greedy orders, found for each component by itself."""
    order = np.full(len(instance.cells), -1, np.int32)
    arrays = _arrays(instance)
    n = len(instance.hints)
    component = _component.run(4 * len(instance.member), *arrays, np.full(n, -1, np.int32))
    by_component = np.argsort(component, kind="stable").astype(np.int32)
    bounds = np.append(0, np.cumsum(np.bincount(component))).astype(np.int64) if n else np.zeros(1, np.int64)
    work = 40 * len(instance.member) * tries
    done = _greedy.run(work, *arrays, by_component, bounds, tries, _EFFORT, order)
    # cells of no hint come last
    placed = np.zeros(len(order), np.bool_)
    placed[order[:done]] = True
    order[done:] = np.flatnonzero(~placed)
    return order


@kernel
def _component(start, member, cell_start, cell_hint, least, most, component):
    n = len(component)
    stack = np.zeros(n + 1, np.int32)
    count = 0
    for first in range(n):
        if component[first] >= 0:
            continue
        component[first] = count
        stack[0] = first
        top = 1
        while top > 0:
            top -= 1
            h = stack[top]
            for i in range(start[h], start[h + 1]):
                cell = member[i]
                for j in range(cell_start[cell], cell_start[cell + 1]):
                    other = cell_hint[j]
                    if component[other] < 0:
                        component[other] = count
                        stack[top] = other
                        top += 1
        count += 1
    return component


@kernel
def _log2_sums(decided, left, least, most):
    """The binary logarithm of the number of partial sums of a hint that can still come out right."""
    sums = min(most, decided) - max(0, least - left) + 1
    return np.log2(sums) if sums > 1 else 0.0


@kernel
def _cuts(start, member, cell_start, cell_hint, least, most, cells, width, opened):
    decided = np.zeros(len(start), np.int64)
    now = 0.0
    frontier = 0
    for i in range(len(cells)):
        cell = cells[i]
        for j in range(cell_start[cell], cell_start[cell + 1]):
            h = cell_hint[j]
            size = start[h + 1] - start[h]
            d = decided[h]
            now -= _log2_sums(d, size - d, least[h], most[h]) if d > 0 else 0.0
            decided[h] = d + 1
            if d == 0:
                frontier += 1
            if d + 1 < size:
                now += _log2_sums(d + 1, size - d - 1, least[h], most[h])
            else:
                frontier -= 1
        width[i + 1] = now
        opened[i + 1] = frontier


@kernel
def _random(state):
    """The next number of a generator (D. E. Knuth's MMIX constants)."""
    return state * 6364136223846793005 + 1442695040888963407


@kernel
def _greedy(start, member, cell_start, cell_hint, least, most, hints, bounds, tries, effort, order):
    """Order the cells of one component after the other; of several tries each takes the cheapest."""
    n = len(start) - 1
    decided = np.zeros(n + 1, np.int64)
    extra = np.zeros(n + 1, np.int64)
    touched = np.zeros(n + 1, np.int32)
    open_hints = np.zeros(n + 1, np.int32)
    placed = np.zeros(len(order) + 1, np.bool_)
    trial = np.zeros(len(order) + 1, np.int32)
    filled = 0
    state = np.int64(20160606)
    for c in range(len(bounds) - 1):
        size = bounds[c + 1] - bounds[c]
        best = 1e300
        best_length = 0
        work = size * size * 50
        for attempt in range(tries):
            if attempt > 1 and attempt * work > effort:
                break
            length = 0
            cost = 0.0
            now = 0.0
            n_open = 0
            for k in range(bounds[c], bounds[c + 1]):
                decided[hints[k]] = 0
                for i in range(start[hints[k]], start[hints[k] + 1]):
                    placed[member[i]] = False
            # start at the hint with fewest cells, later anywhere
            current = hints[bounds[c]]
            if attempt == 0:
                for k in range(bounds[c], bounds[c + 1]):
                    h = hints[k]
                    if start[h + 1] - start[h] < start[current + 1] - start[current]:
                        current = h
            else:
                state = _random(state)
                current = hints[bounds[c] + ((state >> 33) & 0x3FFFFFFF) % size]
            while current >= 0 and cost < best:
                # place the cells of the current hint, those that open fewest hints first
                for new in range(9):
                    for i in range(start[current], start[current + 1]):
                        cell = member[i]
                        if placed[cell]:
                            continue
                        fresh = 0
                        for j in range(cell_start[cell], cell_start[cell + 1]):
                            if decided[cell_hint[j]] == 0:
                                fresh += 1
                        if fresh > new and new < 8:
                            continue
                        placed[cell] = True
                        trial[length] = cell
                        length += 1
                        for j in range(cell_start[cell], cell_start[cell + 1]):
                            h = cell_hint[j]
                            total = start[h + 1] - start[h]
                            d = decided[h]
                            if d == 0:
                                open_hints[n_open] = h
                                n_open += 1
                            else:
                                now -= _log2_sums(d, total - d, least[h], most[h])
                            decided[h] = d + 1
                            if d + 1 < total:
                                now += _log2_sums(d + 1, total - d - 1, least[h], most[h])
                        cost += 2.0 ** min(now, 900.0)
                # forget the closed ones, then take the open hint that leaves fewest states
                kept = 0
                for i in range(n_open):
                    h = open_hints[i]
                    if decided[h] < start[h + 1] - start[h]:
                        open_hints[kept] = h
                        kept += 1
                n_open = kept
                current = -1
                least_change = 1e300
                for i in range(n_open):
                    h = open_hints[i]
                    n_touched = 0
                    new_cells = 0
                    for p in range(start[h], start[h + 1]):
                        cell = member[p]
                        if placed[cell]:
                            continue
                        new_cells += 1
                        for j in range(cell_start[cell], cell_start[cell + 1]):
                            other = cell_hint[j]
                            if extra[other] == 0:
                                touched[n_touched] = other
                                n_touched += 1
                            extra[other] += 1
                    change = 0.01 * new_cells
                    for q in range(n_touched):
                        other = touched[q]
                        total = start[other + 1] - start[other]
                        d = decided[other]
                        if d > 0:
                            change -= _log2_sums(d, total - d, least[other], most[other])
                        d += extra[other]
                        extra[other] = 0
                        if d < total:
                            change += _log2_sums(d, total - d, least[other], most[other])
                    if attempt > 1:
                        state = _random(state)
                        change += 0.5 * ((state >> 33) & 0xFFFF) / 65536.0
                    if change < least_change:
                        least_change = change
                        current = h
            if cost < best:
                best = cost
                best_length = length
                for i in range(length):
                    order[filled + i] = trial[i]
        filled += best_length
    return filled


# Elimination orders


def elimination_order(instance: Instance, order: str | Sequence[Any] = "auto") -> IntArray:
    """Return the hints' indices in the order of elimination.

    Parameters
    ----------
    instance : Instance
        Its cells may be groups of twins.
    order : str or sequence of labels
        "min-fill" (next the hint whose neighbours lack fewest edges), "min-degree", "auto" (the cheapest predicted
        of several min-fill orders with ties broken differently), or all hints.

    Raises
    ------
    GraphFormatError
        If `order` is unknown or not all hints once.
    """
    if not isinstance(order, str):
        return _given(order, instance.hints, "hint")
    if order not in ("auto", "min-fill", "min-degree"):
        raise GraphFormatError(
            f"there is no order {order!r} of hints; choose auto, min-fill or min-degree "
            "(or, in Python, a list of all hints)"
        )
    n = len(instance.hints)
    if n == 0:
        return np.zeros(0, np.int32)
    rows = _neighbours(instance)
    if order != "auto":
        return _eliminated(instance, rows, order == "min-degree", 0)
    tries = max(1, min(6, 1 + 4000 // n))
    candidates = [_eliminated(instance, rows, False, seed) for seed in range(tries)]
    if tries == 1:
        return candidates[0]
    return min(candidates, key=lambda hints: elimination_cost(instance, hints).entries)


def _neighbours(instance: Instance) -> tuple[npt.NDArray[np.int64], IntArray]:
    """The hint graph in compressed rows: hints are adjacent if they share a cell."""
    n = len(instance.hints)
    cell_start, cell_hint = instance.cell_rows
    owner = np.repeat(np.arange(n), np.diff(instance.start))
    counts = np.diff(cell_start)[instance.member]
    first = np.repeat(cell_start[instance.member], counts) + _ramps(counts)
    pairs = np.unique(np.repeat(owner, counts) * n + cell_hint[first])
    one, other = pairs // n, pairs % n
    different = one != other
    start = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(one[different], minlength=n), out=start[1:])
    return start, other[different].astype(np.int32)


def _ramps(counts: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """0, 1, ..., c - 1 for each count c, one after the other."""
    ends = np.cumsum(counts)
    ramps: npt.NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    return ramps


def _eliminated(
    instance: Instance, rows: tuple[npt.NDArray[np.int64], IntArray], by_degree: bool, seed: int
) -> IntArray:
    start, neighbour = rows
    n = len(start) - 1
    order = np.zeros(n, np.int32)
    if seed == 0:  # of hints with equal fill first the one that remembers least
        least, most = instance.count_range
        ties = np.clip(most - least + np.diff(instance.start), 0, 1023).astype(np.int64)
    else:
        ties = np.random.Generator(np.random.PCG64(seed)).integers(0, 1024, n)
    _min_fill.run(60 * len(neighbour), start, neighbour, ties, by_degree, order)
    return order


@kernel
def _slot(pairs, key):
    """Where a pair is, or should go, in the hash set."""
    last = len(pairs) - 1
    h = key * 6364136223846793005
    h = (h ^ (h >> 32)) * 2862933555777941757
    slot = ((h ^ (h >> 29)) & 0x7FFFFFFFFFFFFFFF) & last
    while pairs[slot] >= 0 and pairs[slot] != key:
        slot = (slot + 1) & last
    return slot


@kernel
def _adjacent(pairs, n, a, b):
    return pairs[_slot(pairs, min(a, b) * n + max(a, b))] >= 0


@kernel
def _set_key(tree, leaves, v, key):
    """Change a priority; the root of the tree holds the least."""
    i = leaves + v
    tree[i] = key
    i >>= 1
    while i >= 1:
        least = min(tree[2 * i], tree[2 * i + 1])
        if tree[i] == least:
            break
        tree[i] = least
        i >>= 1


@kernel
def _min_fill(start, neighbour, ties, by_degree, order):
    """Eliminate greedily.

    The fill of a vertex, the number of pairs of its neighbours that are not adjacent, is kept up to date: a new edge
    (a, b) takes one from each common neighbour and gives a one for each neighbour that b lacks; a vertex that goes
    takes from each neighbour what that pair lacked.
    """
    n = len(start) - 1
    far = np.int64(1) << 62
    size = 64
    while size < 4 * len(neighbour) + 64:
        size *= 2
    pairs = np.full(size, np.int64(-1))
    n_pairs = 0
    first = np.zeros(n, np.int64)
    degree = np.zeros(n, np.int64)
    room = np.zeros(n, np.int64)
    pool = np.zeros(2 * len(neighbour) + 8 * n + 64, np.int64)
    used = 0
    for v in range(n):
        first[v] = used
        degree[v] = start[v + 1] - start[v]
        room[v] = degree[v] + 4
        for i in range(degree[v]):
            w = np.int64(neighbour[start[v] + i])
            pool[used + i] = w
            if v < w:
                key = v * np.int64(n) + w
                pairs[_slot(pairs, key)] = key
                n_pairs += 1
        used += room[v]
    fill = np.zeros(n, np.int64)
    leaves = 1
    while leaves < n:
        leaves *= 2
    tree = np.full(2 * leaves, far)
    for v in range(n):
        if not by_degree:
            for i in range(degree[v]):
                for j in range(i):
                    if not _adjacent(pairs, n, pool[first[v] + i], pool[first[v] + j]):
                        fill[v] += 1
        tree[leaves + v] = ((degree[v] if by_degree else fill[v]) << 10) + ties[v]
    for i in range(leaves - 1, 0, -1):
        tree[i] = min(tree[2 * i], tree[2 * i + 1])
    for step in range(n):
        i = 1
        while i < leaves:
            i = 2 * i if tree[2 * i] == tree[i] else 2 * i + 1
        v = i - leaves
        order[step] = v
        _set_key(tree, leaves, v, far)
        # v leaves its neighbours
        for i in range(degree[v]):
            a = pool[first[v] + i]
            place = 0
            for j in range(degree[a]):
                w = pool[first[a] + j]
                if w == v:
                    place = j
                elif not by_degree and not _adjacent(pairs, n, v, w):
                    fill[a] -= 1
            degree[a] -= 1
            pool[first[a] + place] = pool[first[a] + degree[a]]
        # its neighbours become a clique
        for i in range(degree[v]):
            a = pool[first[v] + i]
            for j in range(i):
                b = pool[first[v] + j]
                if _adjacent(pairs, n, a, b):
                    continue
                if not by_degree:
                    for k in range(degree[a]):
                        w = pool[first[a] + k]
                        if _adjacent(pairs, n, b, w):
                            fill[w] -= 1
                            _set_key(tree, leaves, w, (fill[w] << 10) + ties[w])
                        else:
                            fill[a] += 1
                    for k in range(degree[b]):
                        if not _adjacent(pairs, n, a, pool[first[b] + k]):
                            fill[b] += 1
                for x, y in ((a, b), (b, a)):
                    if degree[x] == room[x]:
                        if used + 2 * room[x] > len(pool):
                            longer = np.zeros(2 * len(pool) + 2 * room[x], np.int64)
                            longer[:used] = pool[:used]
                            pool = longer
                        for k in range(degree[x]):
                            pool[used + k] = pool[first[x] + k]
                        first[x] = used
                        room[x] *= 2
                        used += room[x]
                    pool[first[x] + degree[x]] = y
                    degree[x] += 1
                if 2 * n_pairs > len(pairs):
                    old = pairs
                    pairs = np.full(2 * len(old), np.int64(-1))
                    for k in range(len(old)):
                        if old[k] >= 0:
                            pairs[_slot(pairs, old[k])] = old[k]
                key = min(a, b) * np.int64(n) + max(a, b)
                pairs[_slot(pairs, key)] = key
                n_pairs += 1
        for i in range(degree[v]):
            a = pool[first[v] + i]
            _set_key(tree, leaves, a, ((degree[a] if by_degree else fill[a]) << 10) + ties[a])


def elimination_cost(instance: Instance, hints: npt.ArrayLike, sizes: npt.ArrayLike | None = None) -> Cost:
    """Return a bound on the table entries of an elimination in this order.

    The table that a step leaves has at most as many entries as combinations of possible partial sums of the hints
    still in it.

    Parameters
    ----------
    instance : Instance
    hints : array of int
        The elimination order.
    sizes : array of int, optional
        The number of cells in each group if the instance's cells are groups; by default 1.
    """
    steps = elimination_steps(instance, hints, sizes)
    return _cost(steps.log2_entries, np.diff(steps.start))


@dataclass(frozen=True, eq=False)
class Steps:
    """An elimination, without its tables' contents.

    Attributes
    ----------
    parent : int32 array
        The step that takes each step's table, -1 for the last of a component.
    start, hint, below : int64 arrays
        In compressed rows the hints that each step's table remembers, and how many of the cells of each are already in.
    log2_entries : float array
        A bound on each table's entries.
    """

    parent: IntArray
    start: npt.NDArray[np.int64]
    hint: npt.NDArray[np.int64]
    below: npt.NDArray[np.int64]
    log2_entries: npt.NDArray[np.float64]


def elimination_steps(instance: Instance, hints: npt.ArrayLike, sizes: npt.ArrayLike | None = None) -> Steps:
    """Return what each step of an elimination remembers and hands on; parameters as for `elimination_cost`."""
    order = np.asarray(hints, np.int32)
    weight = np.ones(len(instance.cells), np.int64) if sizes is None else np.asarray(sizes, np.int64)
    log2_entries = np.zeros(len(order))
    parent = np.full(len(order), -1, np.int32)
    start, hint, below = _tables.run(60 * len(instance.member), *_arrays(instance), weight, order, log2_entries, parent)
    return Steps(parent, start, hint, below, log2_entries)


@kernel
def _tables(start, member, cell_start, cell_hint, least, most, weight, hints, log2_sizes, parent):
    n = len(hints)
    place = np.zeros(n, np.int64)
    total = np.zeros(n, np.int64)
    for k in range(n):
        place[hints[k]] = k
    for h in range(n):
        for i in range(start[h], start[h + 1]):
            total[h] += weight[member[i]]
    below = np.zeros(n, np.int64)
    scope = np.zeros(n, np.int64)
    # The tables made so far: hints and how many cells of each are in, one after the other.
    pool_hint = np.zeros(16 * n + 16, np.int64)
    pool_below = np.zeros(16 * n + 16, np.int64)
    first = np.zeros(n + 1, np.int64)
    head = np.full(n, -1, np.int64)
    following = np.full(n, -1, np.int64)
    used = 0
    for k in range(n):
        h = hints[k]
        size = 0
        for i in range(start[h], start[h + 1]):
            cell = member[i]
            comes_first = True
            for j in range(cell_start[cell], cell_start[cell + 1]):
                if place[cell_hint[j]] < k:
                    comes_first = False
            if comes_first:
                for j in range(cell_start[cell], cell_start[cell + 1]):
                    x = cell_hint[j]
                    if below[x] == 0:
                        scope[size] = x
                        size += 1
                    below[x] += weight[cell]
        child = head[k]
        while child >= 0:
            for i in range(first[child], first[child + 1]):
                x = pool_hint[i]
                if below[x] == 0:
                    scope[size] = x
                    size += 1
                below[x] += pool_below[i]
            child = following[child]
        if used + size > len(pool_hint):
            longer_hint = np.zeros(2 * len(pool_hint) + size, np.int64)
            longer_below = np.zeros(2 * len(pool_hint) + size, np.int64)
            longer_hint[:used] = pool_hint[:used]
            longer_below[:used] = pool_below[:used]
            pool_hint = longer_hint
            pool_below = longer_below
        taker = n
        for i in range(size):
            x = scope[i]
            if x != h:
                pool_hint[used] = x
                pool_below[used] = below[x]
                used += 1
                log2_sizes[k] += _log2_sums(below[x], total[x] - below[x], least[x], most[x])
                taker = min(taker, place[x])
            below[x] = 0
        first[k + 1] = used
        if taker < n:
            parent[k] = taker
            following[k] = head[taker]
            head[taker] = k
    return first, pool_hint[:used].copy(), pool_below[:used].copy()


def _tree_order(instance: Instance) -> IntArray:
    """Lay the elimination tree out in a line, subtree by subtree, the largest first; close its hints in that order."""
    hints = elimination_order(instance)
    parent = elimination_steps(instance, hints).parent
    n = len(hints)
    children: list[list[int]] = [[] for _ in range(n)]
    size = np.ones(n, np.int64)
    roots = []
    for k, taker in enumerate(parent.tolist()):
        if taker >= 0:
            children[taker].append(k)
            size[taker] += size[k]
        else:
            roots.append(k)
    # Each step comes after the steps under it; written from the back.
    backwards, stack = [], roots
    while stack:
        k = stack.pop()
        backwards.append(k)
        stack += sorted(children[k], key=size.__getitem__, reverse=True)
    rank = np.zeros(n, np.int64)
    rank[hints[backwards[::-1]]] = np.arange(n)
    first = np.full(len(instance.cells), n, np.int64)
    np.minimum.at(first, instance.member, np.repeat(rank, np.diff(instance.start)))
    return np.argsort(first, kind="stable").astype(np.int32)
