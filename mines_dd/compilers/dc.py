"""Frontier-based search for degree-constrained subgraphs (paper §3.3, §4.3), for any graph and any degree constraints.

The edges are decided one after the other, all partial solutions of a layer side by side.  A state holds, for the
vertices on the frontier only (some but not all of their edges decided), what still matters of their degrees; equal
states are one.

What matters of a degree is which numbers of further edges lead into the constraint: degrees that agree in it have one
rank, and a closed cell with dc = {0, deg} needs one bit.  Ranks are packed into 64-bit words, in bit fields that are
reused when a vertex leaves the frontier, and a table for each edge and end point says what a decision makes of a rank,
or that it is a dead end.

References
----------
ERATO Minato Project, "Super-high-speed graph enumeration algorithms" (in Japanese), Morikita, 2015.
H. Iwashita, S. Minato, "Efficient top-down ZDD construction techniques using recursive specifications", TCS-TR-A-13-69,
Hokkaido University, 2013.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
import numpy.typing as npt

from mines_dd.base.budget import Budget
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.hashing import hash_words
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import degree_constraint
from mines_dd.diagrams.diagram import Diagram
from mines_dd.frontier.reduce import DEAD_ARC, DONE_ARC, Piece, reduce_layers

__all__ = ["FrontierResult", "degree_constrained", "frontier_diagram"]

IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]

_WORD_BITS = 62
_BLOCK = 1 << 17


@dataclass(frozen=True, eq=False)
class FrontierResult:
    """What a search found, and what it took.

    Attributes
    ----------
    diagram : Diagram
        The canonical ZDD of the edge sets; item i is edge i.
    layers : int64 array
        The number of states before each edge.
    states : int
        All states.
    dead_states : int
        The states that no solution passes through.
    """

    diagram: Diagram
    layers: LongArray
    states: int
    dead_states: int


@dataclass(frozen=True, eq=False)
class _Plan:
    """For each edge what to do with a state: both end points' fields and tables.

    A table row of `table[first[e, k] + 2 * rank + take]` is the new rank of end point k, or -1 for a dead end.
    """

    words: int
    word: LongArray
    shift: LongArray
    width: LongArray
    first: LongArray
    table: LongArray
    merges: npt.NDArray[np.bool_]


def degree_constrained(
    edges: npt.ArrayLike,
    allowed: Sequence[Iterable[int]],
    *,
    share: bool = True,
    prune: bool = True,
    budget: Budget | None = None,
) -> FrontierResult:
    """Return all sets of edges in which every vertex has an allowed degree.

    Parameters
    ----------
    edges : (E, 2) array of int
        The end points of each edge, in the order of decision.  A loop is refused.
    allowed : sequence of iterables of int
        The allowed degrees of each vertex.
    share : bool
        Whether equal states are merged. Without it the search is a tree; for comparisons only.
    prune : bool
        Whether a degree that can no longer be completed ends a state at once; without it, only when the vertex's last
        edge is decided. For comparisons only.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If there are more states than allowed, or it takes too long.
    GraphFormatError
        For a loop, or an end point that is not a number of a vertex.
    """
    budget = budget or Budget()
    ends = _end_points(edges, len(allowed))
    if (ends[:, 0] == ends[:, 1]).any():
        raise GraphFormatError(f"vertex {int(ends[ends[:, 0] == ends[:, 1]][0, 0])} has an edge to itself")
    count = len(ends)
    touched = np.bincount(ends.ravel(), minlength=len(allowed))
    constraints = [sorted(set(degrees)) for degrees in allowed]
    if not all(_mask(c, n) for c, n in zip(constraints, touched.tolist(), strict=True)):
        return FrontierResult(_no_sets(count, budget), np.zeros(count, np.int64), 0, 0)
    plan = _planned(ends, constraints, prune)
    pieces, sizes = _search(plan, count, share, budget)
    diagram, alive = reduce_layers(range(count), pieces, 0 if count else DONE_ARC, count + 1, budget)
    states = int(sizes.sum())
    return FrontierResult(diagram, sizes, states, states - alive)


def _no_sets(count: int, budget: Budget) -> Diagram:
    return reduce_layers(range(count), [], DEAD_ARC, count + 1, budget)[0]


def frontier_diagram(
    graph: nx.Graph, order: Sequence[tuple[Hashable, Hashable]], *, budget: Budget | None = None
) -> FrontierResult:
    """Return all degree-constrained subgraphs of a graph whose vertices have the attribute `dc`.

    Parameters
    ----------
    graph : networkx.Graph
    order : sequence of edges
        All edges, in the order of decision; they are the items of the diagram.
    budget : Budget, optional

    Raises
    ------
    GraphFormatError
        If a vertex has no `dc`, or `order` is not all edges once.
    """
    if graph.is_directed() or graph.is_multigraph():
        raise GraphFormatError("frontier-based search takes an undirected networkx.Graph without parallel edges")
    listed = {frozenset(edge) for edge in order}
    if len(order) != graph.number_of_edges() or listed != {frozenset(edge) for edge in graph.edges}:
        raise GraphFormatError("an order of edges names each edge of the graph once; this one does not")
    number = {vertex: i for i, vertex in enumerate(graph)}
    found = degree_constrained(
        [(number[u], number[v]) for u, v in order],
        [degree_constraint(graph, vertex) for vertex in graph],
        budget=budget,
    )
    diagram = Diagram(
        "zdd", list(order), found.diagram.level, found.diagram.low, found.diagram.high, found.diagram.root
    )
    return FrontierResult(diagram, found.layers, found.states, found.dead_states)


def _end_points(edges: npt.ArrayLike, vertices: int) -> IntArray:
    given = np.asarray(edges)
    if given.size == 0:
        return np.zeros((0, 2), np.int32)
    if given.ndim != 2 or given.shape[1] != 2 or not np.issubdtype(given.dtype, np.integer):
        raise GraphFormatError("edges are pairs of vertex numbers, an integer array of two columns")
    if given.min() < 0 or given.max() >= vertices:
        e, k = np.argwhere((given < 0) | (given >= vertices))[0].tolist()
        raise GraphFormatError(f"edge {e} ends at vertex {given[e, k]}; the vertices are 0 to {vertices - 1}")
    return given.astype(np.int32)


def _planned(ends: IntArray, allowed: list[list[int]], prune: bool) -> _Plan:
    """Lay out the bit fields and fill the tables."""
    count = len(ends)
    total = np.bincount(ends.ravel(), minlength=len(allowed)).tolist()
    tables: dict[tuple[int, ...], tuple[int, list[list[int]]]] = {}
    ranks = []  # of each vertex: how many there are at most, and the tables of its edges
    for degrees, n in zip(allowed, total, strict=True):
        key = (n, *degrees)
        if key not in tables:
            mask = _mask(degrees, n)
            after = [_ranks(mask, j, n, prune) for j in range(n + 1)]
            tables[key] = max(map(max, after)) + 1, [_transitions(after[j], after[j + 1]) for j in range(n)]
        ranks.append(tables[key])
    done = [0] * len(allowed)
    field: dict[int, tuple[int, int, int]] = {}
    used = [0]  # taken bits of each word
    word, shift, width, first = (np.zeros((count, 2), np.int64) for _ in range(4))
    offsets: dict[int, int] = {}
    table: list[int] = []
    merges = np.zeros(count, np.bool_)
    for e, (u, v) in enumerate(ends.tolist()):
        taken_steps = []
        for k, x in enumerate((u, v)):
            most, steps = ranks[x]
            if x not in field:
                bits = max(most - 1, 1).bit_length()
                field[x] = _allocate(used, bits)
            word[e, k], shift[e, k], width[e, k] = field[x]
            step = steps[done[x]]
            if id(step) not in offsets:
                offsets[id(step)] = len(table)
                table += step
            first[e, k] = offsets[id(step)]
            done[x] += 1
            taken_steps.append(step)
        for x in (u, v):
            if done[x] == total[x]:
                w, s, b = field.pop(x)
                used[w] &= ~(((1 << b) - 1) << s)
        merges[e] = not (_tells(*taken_steps) or _tells(*reversed(taken_steps)))
    return _Plan(len(used), word, shift, width, first, np.array(table or [0], np.int64), merges)


def _mask(degrees: Iterable[int], total: int) -> int:
    """The degrees from 0 to `total` as a bit mask."""
    return sum(1 << d for d in set(degrees) if 0 <= d <= total)


def _ranks(allowed: int, decided: int, total: int, prune: bool) -> list[int]:
    """The rank of each degree 0, 1, ... after `decided` of `total` edges, -1 for a dead end.

    Degrees from which the same numbers of further edges lead to an allowed degree have one rank.  `allowed` is a bit
    mask, and so is what tells degrees apart.
    """
    if decided == total:
        return [0 if allowed >> d & 1 else -1 for d in range(total + 1)]
    if not prune:
        return list(range(decided + 1))
    coming = (1 << (total - decided + 1)) - 1
    rank: dict[int, int] = {}
    return [rank.setdefault(rest, len(rank)) if (rest := allowed >> d & coming) else -1 for d in range(decided + 1)]


def _transitions(before: list[int], after: list[int]) -> list[int]:
    """For each rank and decision the new rank."""
    table = [-1] * (2 * max(max(before) + 1, 1))
    for d, rank in enumerate(before):
        if rank >= 0:
            table[2 * rank : 2 * rank + 2] = after[d], after[d + 1]
    return table


def _tells(one: list[int], other: list[int]) -> bool:
    """Whether the new ranks of both end points tell what they were and what was decided: then no two states meet.

    The one's new rank tells its old rank and the decision; after that the other's new rank has to tell its old one.
    """
    return _distinct(one) and _distinct(other[0::2]) and _distinct(other[1::2])


def _distinct(ranks: list[int]) -> bool:
    alive = [rank for rank in ranks if rank >= 0]
    return len(set(alive)) == len(alive)


def _allocate(used: list[int], bits: int) -> tuple[int, int, int]:
    """The first free run of bits: (word, shift, width)."""
    mask = (1 << bits) - 1
    for w, taken in enumerate(used):
        for s in range(_WORD_BITS - bits + 1):
            if not taken & (mask << s):
                used[w] |= mask << s
                return w, s, bits
    used.append(mask)
    return len(used) - 1, 0, bits


def _search(plan: _Plan, count: int, share: bool, budget: Budget) -> tuple[list[Piece], LongArray]:
    """Go through the layers; return them and their sizes."""
    states = np.zeros((1, plan.words), np.int64)
    pieces: list[Piece] = []
    sizes = np.zeros(count, np.int64)
    total = 0
    spare = np.zeros((1024, plan.words), np.int64)
    for e in range(count):
        sizes[e] = len(states)
        total += len(states)
        budget.check(total)
        merges = bool(plan.merges[e]) and share
        budget.reserve(8 * len(states))
        arc = np.empty((len(states), 2), np.int32)
        slots = np.full(64, -1, np.int32)
        made = 0
        for begin in range(0, len(states), _BLOCK):
            end = min(begin + _BLOCK, len(states))
            room = made + 2 * (end - begin)
            if room > len(spare):
                budget.reserve(16 * plan.words * room)
                spare = np.concatenate(
                    [spare, np.zeros((max(room, 2 * len(spare)) - len(spare), plan.words), np.int64)]
                )
            if merges and 2 * room > len(slots):
                budget.reserve(16 * room)
                slots = np.full(1 << (4 * room - 1).bit_length(), -1, np.int32)
                _reinsert.run(4 * made, made, spare, slots)
            made = _step.run(
                (end - begin) * 8,
                states,
                begin,
                end,
                plan.word[e],
                plan.shift[e],
                plan.width[e],
                plan.first[e],
                plan.table,
                merges,
                slots,
                spare,
                made,
                arc,
            )
            budget.check(total + made)
        if e == count - 1:
            arc[arc >= 0] = DONE_ARC
        pieces.append(Piece(e, np.array([len(arc)], np.int32), arc))
        states, spare = spare[:made], states
    return pieces, sizes


@kernel
def _step(states, begin, end, word, shift, width, first, table, merges, slots, out, made, arc):
    words = states.shape[1]
    last = len(slots) - 1
    u, v = word[0], word[1]
    su, sv = shift[0], shift[1]
    mu, mv = (1 << width[0]) - 1, (1 << width[1]) - 1
    for i in range(begin, end):
        ru = (states[i, u] >> su) & mu
        rv = (states[i, v] >> sv) & mv
        for take in range(2):
            nu = table[first[0] + 2 * ru + take]
            nv = table[first[1] + 2 * rv + take]
            if nu < 0 or nv < 0:
                arc[i, take] = -1
                continue
            for w in range(words):
                out[made, w] = states[i, w]
            out[made, u] += (nu - ru) << su
            out[made, v] += (nv - rv) << sv
            if not merges:
                arc[i, take] = made
                made += 1
                continue
            slot = hash_words(out[made], words) & last
            while True:
                known = slots[slot]
                if known < 0:
                    slots[slot] = made
                    arc[i, take] = made
                    made += 1
                    break
                same = True
                for w in range(words):
                    if out[known, w] != out[made, w]:
                        same = False
                        break
                if same:
                    arc[i, take] = known
                    break
                slot = (slot + 1) & last
    return made


@kernel
def _reinsert(made, out, slots):
    words = out.shape[1]
    last = len(slots) - 1
    for i in range(made):
        slot = hash_words(out[i], words) & last
        while slots[slot] >= 0:
            slot = (slot + 1) & last
        slots[slot] = i
