r"""Elimination orders by least fill or least degree.

Eliminating a vertex joins all its neighbours with each other: the hints of a table stay together until they are
eliminated themselves.  The *fill* of a vertex is the number of edges that this adds.  Min-fill eliminates next the
vertex of least fill, and so keeps the tables of the steps to come small.

An example: five hints in a row below five closed cells.  Hints that share a cell are neighbours.

    cells   a b c d e        p: ab   q: abc   r: bcd   s: cde   t: de         q --- s
    hints   p q r s t                                                        / \   / \
                                                                            p --- r --- t

    hint   neighbours   pairs without an edge   fill   cells
    p      q r          -                          0       2
    q      p r s        ps                         1       3
    r      p q s t      ps pt qt                   3       3
    s      q r t        qt                         1       3
    t      r s          -                          0       2

The fill of p and t is least, and so is their number of cells; p is numbered first and goes.  Then t goes; the three
that are left are neighbours of each other and go as they are numbered: p, t, q, r, s, and no edge was ever added.
Had q been first, p and s would have become neighbours.

The fill is kept up to date and never counted again:

- A new edge ab takes one from each common neighbour of a and b, which lacked it; and a now lacks an edge for each
  of its neighbours that is not one of b's, and b the other way round.
- A vertex v that goes takes from its neighbour a one for each neighbour of a, other than v, that is not one of v's.

Ties are broken by numbers fixed beforehand.  The first try takes the hint for which

    (number of cells) + (greatest allowed count - least allowed count)

is least, then the first such hint; further tries take random numbers.

Loads.  A table's size depends on the hints it remembers, not on edges that were missing.  So fill is mixed with the
*load*.  Each hint weighs the bits that its sum takes.  The load of a hint is what its neighbours weigh together, the
table that it would leave.  The hint of least

    priority = fills * fill + load

goes next.  Tries with loads take `fills` from `_FILLS` in `elimination`, and a weight is in units of 1/8 bit.

What it gains, by the predicted number of table entries: on boards with 30% mines and hints on 30, 35 and 40% of the
safe cells (seed 0), least fill alone has 1.1 to 1.2 times as many as the best of three tries (fills of 16, 32, 8) on
30x30 cells, 1.3 to 1.6 times as many on 100x100, and 1.4 to 7.1 times on 300x300.

References
----------
H. L. Bodlaender, A. M. C. A. Koster, "Treewidth computations I. Upper bounds", Information and Computation 208, 2010
(min-fill, min-degree).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mines_dd.base.arrays import IntArray, LongArray
from mines_dd.base.budget import PAUSED, Budget
from mines_dd.base.hashing import hash_word
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance

__all__ = ["Loads", "hint_graph", "min_fill_order"]


# A priority is a stage, below it a fill (or degree), and below that, in the last ten bits, what breaks a tie.
_TIE_BITS = 10
_MOST_TIE = (1 << _TIE_BITS) - 1
_STAGE = 46  # the first bit of the stage
# The priority of a vertex that is gone, greater than any other.
_GONE = np.int64(1 << 62)
# A place of the hash set that holds no edge.
_EMPTY = -1


def hint_graph(instance: Instance, budget: Budget | None = None) -> tuple[LongArray, IntArray]:
    """Return the hint graph in compressed rows: hints are neighbours if they share a cell.

    Returns
    -------
    start : int64 array
    neighbour : int32 array
        Hint h has the neighbours `neighbour[start[h]:start[h + 1]]`, ascending.

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> start, neighbour = hint_graph(Instance.from_board(Board.parse("#####/11111")))
    >>> [neighbour[a:b].tolist() for a, b in zip(start, start[1:])]
    [[1, 2], [0, 2, 3], [0, 1, 3, 4], [1, 2, 4], [2, 3]]
    """
    budget = Budget.of(budget)
    n = len(instance.hints)
    rows = (instance.start, instance.member, *instance.cell_rows)
    work = 10 * len(instance.member)
    start = np.zeros(n + 1, np.int64)
    budget.run(
        _list_neighbours, work, rows, start[1:], np.zeros(0, np.int32), np.full(n, -1, np.int32), np.zeros(1, np.int64)
    )
    np.cumsum(start, out=start)
    neighbour = np.zeros(start[-1], np.int32)
    at = start[:-1].copy()
    budget.run(_list_neighbours, work, rows, at, neighbour, np.full(n, -1, np.int32), np.zeros(1, np.int64))
    return start, neighbour


@kernel
def _list_neighbours(rows, at, neighbour, seen, done, patience):
    """Write each hint into the rows of its neighbours, which get ascending so; count them only if there is no room.

    `at` says where each row goes on; `seen` has for each hint the last one that had it for a neighbour.
    """
    start, member, cell_start, cell_hint = rows
    work = 0
    while done[0] < len(at):
        if work > patience:
            return PAUSED
        h = done[0]
        done[0] += 1
        seen[h] = h
        for i in range(start[h], start[h + 1]):
            cell = member[i]
            work += 1 + cell_start[cell + 1] - cell_start[cell]
            for j in range(cell_start[cell], cell_start[cell + 1]):
                other = cell_hint[j]
                if seen[other] != h:
                    seen[other] = h
                    if len(neighbour) > 0:
                        neighbour[at[other]] = h
                    at[other] += 1
    return 0


class Loads(NamedTuple):
    """What min-fill is mixed with: next comes the hint with the least sum of load and some times its fill.

    Attributes
    ----------
    weight : int64 array
        Of each hint.  The load of a hint is the weights of its neighbours, summed up.
    fills : int
        How many times the fill counts.
    """

    weight: LongArray
    fills: int


def min_fill_order(
    instance: Instance,
    graph: tuple[LongArray, IntArray],
    seed: int = 0,
    by_degree: bool = False,
    loads: Loads | None = None,
    stages: LongArray | None = None,
    budget: Budget | None = None,
) -> IntArray:
    """Return the hints' indices in the order of elimination, next always the one of least fill.

    Parameters
    ----------
    instance : Instance
    graph : pair of arrays
        Its `hint_graph`.
    seed : int
        How ties are broken: 0 by the numbers of cells and counts, others at random.
    by_degree : bool
        Whether to take the hint of least degree instead (min-degree).
    loads : Loads, optional
        What is added to the fill.
    stages : int64 array, optional
        A stage of each hint, at most 65,535: all hints of a stage go before those of the next.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If the budget's time runs out.

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> instance = Instance.from_board(Board.parse("#####/11111"))
    >>> min_fill_order(instance, hint_graph(instance)).tolist()
    [0, 4, 1, 2, 3]
    """
    budget = Budget.of(budget)
    start, neighbour = graph
    n = len(start) - 1
    order, tree, done = np.zeros(n, np.int32), _no_tournament(n), np.zeros(3, np.int64)
    left = _graph_of(start, neighbour)
    weight = np.ones(n, np.int64) if loads is None else loads.weight
    of_fill = 0 if by_degree else 1 if loads is None else loads.fills
    of_load = 0 if loads is None and not by_degree else 1
    ties = _ties(instance, seed) + (0 if stages is None else stages << _STAGE)
    score = _Score(np.zeros(n, np.int64), np.zeros(n, np.int64), weight, ties, of_fill, of_load)
    work = 60 * len(neighbour)
    while budget.run(_eliminate, work, left, score, tree, order, done) == _MORE_ROOM:
        budget.reserve(16 * (len(left.pool) + len(left.edges)))
        left = _enlarged(left)
    return order


def _ties(instance: Instance, seed: int) -> LongArray:
    """What decides between hints of equal fill, the least first: at most `_MOST_TIE`."""
    if seed == 0:
        least, most = instance.count_range
        slack: LongArray = (most - least + np.diff(instance.start)).astype(np.int64)
        return np.clip(slack, 0, _MOST_TIE)
    return np.random.Generator(np.random.PCG64(seed)).integers(0, _MOST_TIE + 1, len(instance.hints))


class _Graph(NamedTuple):
    """The graph that is left, twice: as rows of neighbours in a pool, and as a hash set of edges.

    A row that is full moves to the end of what is used of the pool and gets twice the room.

        pool    1 2 . . . . | 0 2 3 . . . . | 0 1 3 4 . . . . | ...            first   0 6 13 ...
                row of 0      row of 1        row of 2                         degree  2 3 4  ...
                                                                               room    6 7 8  ...

    The row of a vertex that is gone stays as it was, and so do its edges in the set.
    """

    first: LongArray
    degree: LongArray
    room: LongArray
    pool: LongArray
    edges: LongArray
    used: LongArray  # places of the pool, edges in the set


class _Score(NamedTuple):
    """What decides which vertex goes next: the least `of_fill` * `fill` + `of_load` * `load`, then ties.

    `ties` has a vertex's stage, too, which comes before all.
    """

    fill: LongArray
    load: LongArray  # the weights of its neighbours, summed up
    weight: LongArray
    ties: LongArray
    of_fill: int
    of_load: int


# What `_eliminate` has done: edges that are in the set, vertices whose fill is counted, vertices eliminated.
_IN_SET, _COUNTED, _ELIMINATED = range(3)
_DONE, _MORE_ROOM = range(2)


@kernel
def _eliminate(graph, score, tree, order, done, patience):
    """Eliminate one vertex after the other, next the one of least fill or degree, until it needs more room."""
    first, degree, pool = graph.first, graph.degree, graph.pool
    n = len(order)
    work = np.int64(0)
    while done[_IN_SET] < n:
        if work > patience:
            return PAUSED
        work += _list_edges(graph, done[_IN_SET])
        done[_IN_SET] += 1
    while done[_COUNTED] < n:
        if work > patience:
            return PAUSED
        work += _count_score(graph, score, done[_COUNTED])
        done[_COUNTED] += 1
        if done[_COUNTED] == n:
            _fill_tournament(tree, score)
    while done[_ELIMINATED] < n:
        if work > patience:
            return PAUSED
        v = _winner(tree)
        if _lacks_room(graph, v):
            return _MORE_ROOM
        order[done[_ELIMINATED]] = v
        done[_ELIMINATED] += 1
        _set_priority(tree, v, _GONE)
        _detach(graph, score, v)
        work += degree[v] * degree[v] + 20
        work += _join_neighbours(graph, score, tree, v)
        for i in range(first[v], first[v] + degree[v]):
            a = pool[i]
            _set_priority(tree, a, _priority(score, a))
    return _DONE


@kernel
def _list_edges(graph, v):
    """Put the edges from v to vertices after it into the set; return the work."""
    first, degree, pool, edges = graph.first, graph.degree, graph.pool, graph.edges
    n = len(first)
    for i in range(first[v], first[v] + degree[v]):
        if v < pool[i]:
            _insert(edges, v * n + pool[i])
    return degree[v]


@kernel
def _count_score(graph, score, v):
    """Sum up the weight of v's neighbours, and count their pairs that are without an edge; return the work."""
    first, degree, pool, edges, n = graph.first, graph.degree, graph.pool, graph.edges, len(score.fill)
    for i in range(first[v], first[v] + degree[v]):
        score.load[v] += score.weight[pool[i]]
    if score.of_fill == 0:
        return degree[v]
    for i in range(first[v], first[v] + degree[v]):
        for j in range(first[v], i):
            if not _adjacent(edges, n, pool[i], pool[j]):
                score.fill[v] += 1
    return degree[v] * degree[v]


@kernel
def _detach(graph, score, v):
    """Take v out of its neighbours' rows, and out of their fill what v lacked."""
    first, degree, pool, edges, n = graph.first, graph.degree, graph.pool, graph.edges, len(score.fill)
    for i in range(first[v], first[v] + degree[v]):
        a = pool[i]
        place = 0
        for j in range(degree[a]):
            w = pool[first[a] + j]
            if w == v:
                place = j
            elif score.of_fill > 0 and not _adjacent(edges, n, v, w):
                score.fill[a] -= 1
        degree[a] -= 1
        score.load[a] -= score.weight[v]
        pool[first[a] + place] = pool[first[a] + degree[a]]


@kernel
def _join_neighbours(graph, score, tree, v):
    """Add the edges that the neighbours of v lack; return the work."""
    first, degree, room, pool, edges, used = graph
    n = len(score.fill)
    work = np.int64(0)
    for i in range(first[v], first[v] + degree[v]):
        a = pool[i]
        for j in range(first[v], i):
            b = pool[j]
            if _adjacent(edges, n, a, b):
                continue
            if score.of_fill > 0:
                _expect_edge(graph, score, tree, a, b)
                work += degree[a] + degree[b]
            if degree[a] == room[a]:
                _move_row(graph, a)
            if degree[b] == room[b]:
                _move_row(graph, b)
            pool[first[a] + degree[a]] = b
            pool[first[b] + degree[b]] = a
            degree[a] += 1
            degree[b] += 1
            score.load[a] += score.weight[b]
            score.load[b] += score.weight[a]
            _insert(edges, min(a, b) * n + max(a, b))
            used[1] += 1
    return work


@kernel
def _expect_edge(graph, score, tree, a, b):
    """Bring the fill up to date with an edge ab that is about to be added."""
    first, degree, pool, edges, n = graph.first, graph.degree, graph.pool, graph.edges, len(score.fill)
    for i in range(first[a], first[a] + degree[a]):
        w = pool[i]
        if _adjacent(edges, n, b, w):
            score.fill[w] -= 1
            _set_priority(tree, w, _priority(score, w))
        else:
            score.fill[a] += 1
    for i in range(first[b], first[b] + degree[b]):
        if not _adjacent(edges, n, a, pool[i]):
            score.fill[b] += 1


# Room for the graph


def _graph_of(start: LongArray, neighbour: IntArray) -> _Graph:
    """The graph, with room for four more neighbours in each row, and its edges not in the set yet."""
    n = len(start) - 1
    degree = np.diff(start)
    room = degree + 4
    first = np.cumsum(room) - room
    pool = np.zeros(2 * len(neighbour) + 8 * n + 64, np.int64)
    pool[np.arange(len(neighbour)) + np.repeat(first - start[:-1], degree)] = neighbour
    places = 1 << (4 * len(neighbour) + 63).bit_length()
    used = np.array([room.sum(), len(neighbour) // 2], np.int64)
    return _Graph(first, degree, room, pool, np.full(places, _EMPTY, np.int64), used)


@kernel
def _lacks_room(graph, v):
    """Whether joining the neighbours of v may need more than what is left of the pool or than half of the set."""
    first, degree, room, pool, used = graph.first, graph.degree, graph.room, graph.pool, graph.used
    places = used[0]
    for i in range(first[v], first[v] + degree[v]):
        a = pool[i]
        if degree[a] + degree[v] > room[a]:
            places += 4 * (room[a] + degree[v])  # all places of a row that moves until it has room for degree[v] more
    edges = used[1] + degree[v] * degree[v] // 2
    return max(places - len(pool), 2 * edges - len(graph.edges)) > 0


@kernel
def _move_row(graph, v):
    """Give the row of v twice the room."""
    first, room, pool, used = graph.first, graph.room, graph.pool, graph.used
    for i in range(graph.degree[v]):
        pool[used[0] + i] = pool[first[v] + i]
    first[v] = used[0]
    room[v] *= 2
    used[0] += room[v]


def _enlarged(graph: _Graph) -> _Graph:
    """The graph with twice the room in pool and set."""
    pool = np.concatenate((graph.pool, np.zeros(len(graph.pool), np.int64)))
    edges = np.full(2 * len(graph.edges), _EMPTY, np.int64)
    known = graph.edges[graph.edges != _EMPTY]
    _insert_all.run(10 * len(known), edges, known)
    return graph._replace(pool=pool, edges=edges)


# The hash set of edges: open addressing, at most half full, a power of two of places.  The edge between the vertices
# a < b of n is the number a n + b.


@kernel
def _place(edges, edge):
    """Where an edge is in the set, or would go."""
    last = len(edges) - 1
    i = hash_word(edge) & last
    while edges[i] >= 0 and edges[i] != edge:
        i = (i + 1) & last
    return i


@kernel
def _insert(edges, edge):
    edges[_place(edges, edge)] = edge


@kernel
def _insert_all(edges, known):
    """Put all known edges into an empty set."""
    for i in range(len(known)):
        _insert(edges, known[i])


@kernel
def _adjacent(edges, n, a, b):
    return edges[_place(edges, min(a, b) * n + max(a, b))] >= 0


# The tournament of priorities


@kernel
def _priority(score, v):
    """What a vertex enters the tournament with."""
    return ((score.of_fill * score.fill[v] + score.of_load * score.load[v]) << _TIE_BITS) + score.ties[v]


def _no_tournament(n: int) -> LongArray:
    """Room for the tournament of n vertices."""
    return np.zeros(2 << max(0, n - 1).bit_length(), np.int64)


@kernel
def _fill_tournament(tree, score):
    """Make a tree in which every place holds the less of the two below it, and the root the least priority of all.

    Three vertices with the priorities 5, 3 and 7; the two places under place i are 2i and 2i + 1:

        place 1               3
        places 2, 3       3       7
        places 4 to 7   5   3   7  gone        vertex v is at place 4 + v, the half of the array and v
    """
    half = len(tree) >> 1
    for v in range(half):
        tree[half + v] = _priority(score, v) if v < len(score.fill) else _GONE
    for i in range(half - 1, 0, -1):
        tree[i] = min(tree[2 * i], tree[2 * i + 1])


@kernel
def _set_priority(tree, v, priority):
    """Give a vertex another priority."""
    i = (len(tree) >> 1) + v
    tree[i] = priority
    i >>= 1
    while i >= 1:
        least = min(tree[2 * i], tree[2 * i + 1])
        if tree[i] == least:
            break
        tree[i] = least
        i >>= 1


@kernel
def _winner(tree):
    """The vertex of least priority, of equal ones the first."""
    half = len(tree) >> 1
    i = 1
    while i < half:
        i = 2 * i if tree[2 * i] == tree[i] else 2 * i + 1
    return i - half
