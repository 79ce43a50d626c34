"""Layers of states to the canonical ZDD: both rules of reduction, from the last layer to the first.

A search from the top down makes layers: layer i holds the states before item i is decided, and each state has two arcs,
without and with the item.  Of two items a and b, exactly one:

    layer 0 (a)   s0: low t0, high t1
    layer 1 (b)   t0: low dead, high done       t1: low done, high dead

    layer 1       t0 = node 2: (b, low 0, high 1)       t1 = node 1, as its 1-arc is dead
    layer 0       s0 = node 3: (a, low 2, high 1)

Nodes 0 and 1 are the terminals.  A state whose 1-arc ends in node 0 is its 0-arc's node (zero-suppression); states of a
layer with the same two nodes below are one node (sharing).  What comes out depends on the family of sets and the order
of the items alone (R. E. Bryant 1986; S. Minato 1993).

An arc that ends in `FREE` leads to every subset of the items to come.  Their nodes are a chain, one a level, each with
both arcs to the next; the chain's node goes into the table of its level before all others.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from mines_dd.base.arrays import IntArray, LongArray
from mines_dd.base.budget import Budget
from mines_dd.base.hashing import hash_pair
from mines_dd.base.jit import kernel
from mines_dd.diagrams.diagram import Diagram

__all__ = ["DEAD_ARC", "DONE_ARC", "FREE_ARC", "Piece", "jump_bits", "reduce_layers"]


DEAD_ARC, DONE_ARC, FREE_ARC = -1, -2, -3
"""Arcs that end: no solution; the one that takes no further item; all that take any of the items to come."""

_MADE, _ALIVE, _FREE, _NEXT_FREE, _DONE = range(5)


class Piece(NamedTuple):
    """The arcs of some whole layers, or of a part of one layer.

    Attributes
    ----------
    level : int
        The first layer.
    sizes : int32 array
        How many states of each layer are here; of one layer only if it is spread over several pieces.
    arcs : (states, 2) int32 array
        For each state where its 0-arc and its 1-arc lead: the place of a state in the next layer, or `DEAD_ARC`,
        `DONE_ARC`, `FREE_ARC`.  Where arcs may skip layers, the last bits say how many, and the place is above them.
    """

    level: int
    sizes: IntArray
    arcs: IntArray


class _Nodes(NamedTuple):
    """The nodes so far, and the table of the layer.

    `node` holds the nodes of the states of the last layers, those of layer i in row i modulo the number of rows.
    `counters` holds the numbers of nodes and of states that lead somewhere, the chain's nodes below and at this layer,
    and how many states of this layer are done.
    """

    low: IntArray
    high: IntArray
    node: IntArray
    slots: IntArray
    begin: LongArray
    counters: LongArray


@kernel
def jump_bits(skips):
    """How many bits of an arc say how many layers it skips, from 0 to `skips`."""
    bits = 0
    while skips >> bits:
        bits += 1
    return bits


def reduce_layers(
    items: Sequence[Hashable], pieces: list[Piece], root: int, first_free: int, budget: Budget, skips: int = 0
) -> tuple[Diagram, int]:
    """Return the canonical ZDD of a search's layers, and how many of the states lead to a solution.

    Parameters
    ----------
    items : sequence of labels
        Item i is decided in layer i.
    pieces : list of Piece
        All layers from the first to the last; a layer may be empty.  The list is emptied as the arcs are used up.
    root : int
        0, or where everything ends if that is known before the first item: an arc.
    first_free : int
        Below this layer no arc is `FREE_ARC`: the first layer such an arc leads to, `len(items) + 1` without any.
    budget : Budget
    skips : int
        How many layers an arc may skip.

    Raises
    ------
    BudgetExceededError
        If there are more nodes than allowed, or it takes too long.
    """
    count = len(items)
    widths = np.zeros(count, np.int64)
    for level, sizes, _ in pieces:
        widths[level : level + len(sizes)] += sizes
    nodes = _terminals(widths, skips, budget)
    after = -1  # the level of the piece behind
    while pieces:
        last = pieces.pop()
        parts = [last]  # of one layer, or one piece
        while pieces and pieces[-1].level == last.level:
            parts.append(pieces.pop())
        while parts:
            piece = parts.pop()
            closes = not parts
            _reduce_piece.run(
                4 * len(piece.arcs) + len(piece.sizes), nodes, *piece, widths, piece.level != after, closes, first_free
            )
            after = piece.level
            budget.check(int(nodes.counters[_MADE]) - 2)  # without terminals
    made, alive, free = nodes.counters[:3].tolist()
    ends = {DEAD_ARC: 0, DONE_ARC: 1, FREE_ARC: free}
    found = ends[root] if root < 0 else int(nodes.node[0, 0])
    levels = np.full(made, count, np.int32)
    levels[2:] = np.repeat(np.arange(count - 1, -1, -1, dtype=np.int32), np.diff(nodes.begin[::-1]))
    for array in (nodes.low, nodes.high):
        array.resize(made, refcheck=False)  # in place, where a copy would take the memory twice
    return Diagram("zdd", items, levels, nodes.low, nodes.high, found), alive


def _terminals(widths: LongArray, skips: int, budget: Budget) -> _Nodes:
    """The terminals, with room for the nodes of layers of these widths."""
    count, widest = len(widths), int(widths.max(initial=1))
    budget.reserve(4 * (2 + skips) * widest + 4 * _slots_of(widest))
    # Room for a node a state and a level's chain.  Memory is taken when it is written to: what the nodes of a piece
    # take is no more than what its arcs gave back.
    most = int(widths.sum()) + count + 2
    nodes = _Nodes(
        low=np.empty(most, np.int32),
        high=np.empty(most, np.int32),
        node=np.zeros((2 + skips, widest), np.int32),
        slots=np.empty(_slots_of(widest), np.int32),
        begin=np.full(count + 1, 2, np.int64),
        counters=np.array([2, 0, 1, 1, 0], np.int64),
    )
    nodes.low[:2] = nodes.high[:2] = 0, 1
    return nodes


@kernel
def _reduce_piece(nodes, level, sizes, arcs, widths, opens, closes, first_free):
    """Reduce the layers of a piece; `opens` and `closes` say whether it is the first and the last part of a layer."""
    end = len(arcs)
    for layer in range(len(sizes) - 1, -1, -1):
        at = level + layer
        if opens:
            _open_layer(nodes, widths[at], at >= first_free)
        begin = end - sizes[layer]
        _reduce_states(nodes, arcs, begin, end, widths[at], at)
        end = begin
        if closes:
            nodes.begin[at] = nodes.counters[_MADE]
            nodes.counters[_FREE] = nodes.counters[_NEXT_FREE]


@kernel
def _slots_of(width):
    """The slots of a layer's table: a power of two, at least twice the nodes that so wide a layer can have."""
    slots = 8
    while slots <= 2 * width + 1:
        slots *= 2
    return slots


@kernel
def _open_layer(nodes, width, chain):
    """Clear the table; the chain's node comes first."""
    slots = _slots_of(width)
    for slot in range(slots):
        nodes.slots[slot] = -1
    nodes.counters[_DONE] = 0
    if chain:
        free = nodes.counters[_FREE]
        nodes.counters[_NEXT_FREE] = _node(nodes, free, free, slots - 1)


@kernel
def _reduce_states(nodes, arcs, begin, end, width, level):
    last = _slots_of(width) - 1
    bits = jump_bits(len(nodes.node) - 2)
    here = level % len(nodes.node)
    done = nodes.counters[_DONE]
    free = nodes.counters[_FREE]
    alive = 0
    for i in range(begin, end):
        lo = _end_of_arc(nodes, arcs[i, 0], here, bits, free)
        hi = _end_of_arc(nodes, arcs[i, 1], here, bits, free)
        found = lo
        if hi != 0:
            found = _node(nodes, lo, hi, last)
        nodes.node[here, done] = found
        done += 1
        if found != 0:
            alive += 1
    nodes.counters[_DONE] = done
    nodes.counters[_ALIVE] += alive


@kernel
def _end_of_arc(nodes, arc, here, bits, free):
    """The node that an arc from the layer in this row leads to."""
    if arc >= 0:
        place = arc >> bits
        row = here + 1 + arc - (place << bits)
        if row >= len(nodes.node):
            row -= len(nodes.node)
        return np.int64(nodes.node[row, place])
    if arc == DONE_ARC:
        return np.int64(1)
    return free if arc == FREE_ARC else np.int64(0)


@kernel
def _node(nodes, lo, hi, last):
    """The layer's node with these arcs, a new one if there is none."""
    slot = hash_pair(lo, hi) & last
    while True:
        known = np.int64(nodes.slots[slot])
        if known < 0:
            break
        if nodes.low[known] == lo and nodes.high[known] == hi:
            return known
        slot = (slot + 1) & last
    made = nodes.counters[_MADE]
    nodes.slots[slot] = made
    nodes.low[made] = lo
    nodes.high[made] = hi
    nodes.counters[_MADE] = made + 1
    return made
