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

Ties.  Numbers decide them that are fixed before the elimination begins.  Of hints with equal fill the first try takes
the one with the least sum of its cells and the spread of the counts it allows (the greatest less the least), then the
first one; further tries break ties at random.

References
----------
H. L. Bodlaender, A. M. C. A. Koster, "Treewidth computations I. Upper bounds", Information and Computation 208, 2010
(min-fill, min-degree).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.hashing import hash_word
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance, IntArray

__all__ = ["hint_graph", "min_fill_order"]

LongArray = npt.NDArray[np.int64]

# A priority is a fill (or degree) and below it, in the last ten bits, what breaks a tie.
_TIE_BITS = 10
_MOST_TIE = (1 << _TIE_BITS) - 1
# The priority of a vertex that is gone, greater than any other.
_GONE = np.int64(1 << 62)
# A place of the hash set that holds no edge.
_EMPTY = -1


def hint_graph(instance: Instance) -> tuple[LongArray, IntArray]:
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


def _ramps(counts: npt.NDArray[Any]) -> LongArray:
    """0, 1, ..., c - 1 for each count c, one after the other."""
    ends = np.cumsum(counts)
    ramps: LongArray = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    return ramps


def min_fill_order(
    instance: Instance, graph: tuple[LongArray, IntArray], seed: int = 0, by_degree: bool = False
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

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> instance = Instance.from_board(Board.parse("#####/11111"))
    >>> min_fill_order(instance, hint_graph(instance)).tolist()
    [0, 4, 1, 2, 3]
    """
    start, neighbour = graph
    order = np.zeros(len(start) - 1, np.int32)
    _eliminate.run(60 * len(neighbour), start, neighbour, _ties(instance, seed), by_degree, order)
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


@kernel
def _eliminate(start, neighbour, ties, by_degree, order):
    """Eliminate one vertex after the other, next the one of least fill or degree."""
    n = len(order)
    graph = _opened(start, neighbour)
    fill = np.zeros(n, np.int64)
    if not by_degree:
        _count_fill(graph, fill)
    tree = _tournament(graph.degree if by_degree else fill, ties)
    done = np.int64(0)
    while done < n:
        done = _go_on(graph, fill, tree, ties, by_degree, order, done)
        if done < n:
            graph = _enlarged(graph)


@kernel
def _go_on(graph, fill, tree, ties, by_degree, order, done):
    """Eliminate until all are gone or the graph needs more room; return how many are gone."""
    first, degree, pool = graph.first, graph.degree, graph.pool
    score = degree if by_degree else fill
    while done < len(order):
        v = _winner(tree)
        if _lacks_room(graph, v):
            break
        order[done] = v
        done += 1
        _enter(tree, v, _GONE)
        _detach(graph, fill, v, by_degree)
        _join_neighbours(graph, fill, tree, ties, v, by_degree)
        for i in range(first[v], first[v] + degree[v]):
            a = pool[i]
            _enter(tree, a, _priority(score[a], ties[a]))
    return done


@kernel
def _count_fill(graph, fill):
    """Count the pairs of each vertex's neighbours that are without an edge."""
    first, degree, pool, edges, n = graph.first, graph.degree, graph.pool, graph.edges, len(fill)
    for v in range(n):
        for i in range(first[v], first[v] + degree[v]):
            for j in range(first[v], i):
                if not _adjacent(edges, n, pool[i], pool[j]):
                    fill[v] += 1


@kernel
def _detach(graph, fill, v, by_degree):
    """Take v out of its neighbours' rows, and out of their fill what v lacked."""
    first, degree, pool, edges, n = graph.first, graph.degree, graph.pool, graph.edges, len(fill)
    for i in range(first[v], first[v] + degree[v]):
        a = pool[i]
        place = 0
        for j in range(degree[a]):
            w = pool[first[a] + j]
            if w == v:
                place = j
            elif not by_degree and not _adjacent(edges, n, v, w):
                fill[a] -= 1
        degree[a] -= 1
        pool[first[a] + place] = pool[first[a] + degree[a]]


@kernel
def _join_neighbours(graph, fill, tree, ties, v, by_degree):
    """Add the edges that the neighbours of v lack."""
    first, degree, room, pool, edges, used = graph
    n = len(fill)
    for i in range(first[v], first[v] + degree[v]):
        a = pool[i]
        for j in range(first[v], i):
            b = pool[j]
            if _adjacent(edges, n, a, b):
                continue
            if not by_degree:
                _expect_edge(graph, fill, tree, ties, a, b)
            if degree[a] == room[a]:
                _move_row(graph, a)
            if degree[b] == room[b]:
                _move_row(graph, b)
            pool[first[a] + degree[a]] = b
            pool[first[b] + degree[b]] = a
            degree[a] += 1
            degree[b] += 1
            _insert(edges, min(a, b) * n + max(a, b))
            used[1] += 1


@kernel
def _expect_edge(graph, fill, tree, ties, a, b):
    """Bring the fill up to date with an edge ab that is about to be added."""
    first, degree, pool, edges, n = graph.first, graph.degree, graph.pool, graph.edges, len(fill)
    for i in range(first[a], first[a] + degree[a]):
        w = pool[i]
        if _adjacent(edges, n, b, w):
            fill[w] -= 1
            _enter(tree, w, _priority(fill[w], ties[w]))
        else:
            fill[a] += 1
    for i in range(first[b], first[b] + degree[b]):
        if not _adjacent(edges, n, a, pool[i]):
            fill[b] += 1


# Room for the graph


@kernel
def _opened(start, neighbour):
    """The graph, with room for four more neighbours in each row."""
    n = len(start) - 1
    first, degree, room = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    pool = np.zeros(2 * len(neighbour) + 8 * n + 64, np.int64)
    places = 64
    while places < 4 * len(neighbour) + 64:
        places *= 2
    edges = _no_edges(places)
    used = np.zeros(2, np.int64)
    for v in range(n):
        first[v] = used[0]
        degree[v] = start[v + 1] - start[v]
        room[v] = degree[v] + 4
        for i in range(degree[v]):
            w = np.int64(neighbour[start[v] + i])
            pool[first[v] + i] = w
            if v < w:
                _insert(edges, v * n + w)
        used[0] += room[v]
    used[1] = len(neighbour) // 2
    return _Graph(first, degree, room, pool, edges, used)


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


@kernel
def _enlarged(graph):
    """The graph with twice the room in pool and set."""
    pool = np.zeros(2 * len(graph.pool), np.int64)
    for i in range(graph.used[0]):
        pool[i] = graph.pool[i]
    edges = _no_edges(2 * len(graph.edges))
    for i in range(len(graph.edges)):
        if graph.edges[i] >= 0:
            _insert(edges, graph.edges[i])
    return _Graph(graph.first, graph.degree, graph.room, pool, edges, graph.used)


# The hash set of edges: open addressing, at most half full, a power of two of places.  The edge between the vertices
# a < b of n is the number a n + b.


@kernel
def _no_edges(places):
    edges = np.zeros(places, np.int64)
    for i in range(places):
        edges[i] = _EMPTY
    return edges


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
def _adjacent(edges, n, a, b):
    return edges[_place(edges, min(a, b) * n + max(a, b))] >= 0


# The tournament of priorities


@kernel
def _priority(score, tie):
    """What a vertex enters the tournament with; ties are at most `_MOST_TIE`."""
    return (score << _TIE_BITS) + tie


@kernel
def _tournament(score, ties):
    """A tree in which every place holds the less of the two below it, and the root the least priority of all.

    Three vertices with the priorities 5, 3 and 7; the two places under place i are 2i and 2i + 1:

        place 1               3
        places 2, 3       3       7
        places 4 to 7   5   3   7  gone        vertex v is at place 4 + v, the half of the array and v
    """
    half = 1
    while half < len(score):
        half *= 2
    tree = np.zeros(2 * half, np.int64)
    for v in range(half):
        tree[half + v] = _priority(score[v], ties[v]) if v < len(score) else _GONE
    for i in range(half - 1, 0, -1):
        tree[i] = min(tree[2 * i], tree[2 * i + 1])
    return tree


@kernel
def _enter(tree, v, priority):
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
