r"""The border of a position: every closed cell's probability in double precision, compiled, in tens of microseconds.

The *border* is the closed cells next to hints; the other closed cells are the *sea*.  Cells with the same hints form a
*group*: only the number of mines in it matters, and t mines in n cells have C(n, t) places.  A frontier search goes
through the groups of each component of the border; then the components and the sea are put together.

**An example.**  Two rows of eight, three hints P, Q, R of 1 each, 3 mines::

    # 1 # 1 # 1 # #         A P B Q D R E s         groups A (3 cells; hint P), B (2; P and Q), C (1; Q),
    # # # # # # # #         A A B C D E E s         D (2; Q and R), E (3; R); the sea s has 2 cells

The order of the groups is D, E, B, C, A.  A hint is *open* from its first group to its last one.  A state is what the
open hints still need and the mines so far; equal states are merged, and their ways added::

    start      D              E            B               C            A            ways on
    0m   1     Q1R1 0m  1     Q1  1m  3    P1Q1 1m  3      P1  2m  3    3m    9      C(2,0) = 1
               Q0R0 1m  2     Q0  1m  2    P0Q0 2m  6      P0  2m  6    2m   12      C(2,1) = 2
                                           P1Q0 1m  2      P1  1m  2

So ``Q1R1 0m 1`` says: Q and R need 1 more each, 0 mines so far, 1 way.  D without a mine leads there in 1 way, with a
mine to ``Q0R0 1m`` in 2.  From P1 2m, group A takes 1 mine in 3 ways: 9 ways to 3m.  There are 9 * 1 + 12 * 2 = 33
layouts.  The pass back gives the *value* of each state, its ways on to the end: 1 and 2 after A; before A, P1 2m has
3 * 1, P0 2m 1 * 2, and P1 1m 3 * 2.  In every layer the sum of ways * value is 33, here 3 * 3 + 6 * 2 + 2 * 6.  The
sum over transitions, ways * C(3, t) * value, weighted with t is 3 * 3 * 1 + 2 * 3 * 2 = 21, the layouts with a mine
in A: each of its cells is a mine with probability 21 / 33 / 3 = 7/33.

>>> from mines_dd.play.field import make_field
>>> board = "# 1 # 1 # 1 # #" + " #" * 8
>>> seen = np.array([CLOSED if sign == "#" else int(sign) for sign in board.split()])
>>> chance = np.empty(16)
>>> layouts, states = weigh.run(1000, make_field(2, 8, 3), seen, 3, chance, MOST_STATES)
>>> float(layouts), int(states)
(33.0, 13)
>>> [round(33 * x) for x in chance if x <= 1]    # A, B, D, E, s; A, A, B, C, D, E, E, s
[7, 6, 6, 7, 12, 7, 7, 6, 9, 6, 7, 7, 12]

**The key of a state** is two words.  An open hint has a *slot*, 4 bits for its need (0 to 8)::

    word 1   | mines so far |  slot 27  |    ...    |  slot 17  |  slot 16  |
              63          48 47       44             7         4 3         0
    word 0   |  slot 15  |  slot 14  |     ...      |  slot 1   |  slot 0   |
              63       60 59       56                7         4 3         0

In the example Q gets slot 0, R slot 1; E closes R, and P, which B begins, gets slot 1 after it.  Each mine of D takes
1 from slots 0 and 1 and adds 1 to the mines, so the states after D are (word 1, word 0)::

    Q1R1 0m    0x0000_0000_0000_0000   0x0000_0000_0000_0011
    Q0R0 1m    0x0001_0000_0000_0000   0x0000_0000_0000_0000

**Two engines.**  `analyse` solves the same border along a tree, exactly, for any board and with proofs; it takes
milliseconds.  A policy weighs hundreds of positions a game, most with a handful of hints that changed, so here
everything is doubles, one line of groups, and no object is made.  They agree to 12 digits (tests/play/test_border.py).
What they share is the order: a first one is found at once, and where it has too many open hints or states, the orders
of the compilers' room are tried (`mines_dd.orders.cells.greedy_order`).  Beyond `MOST_STATES` this search is given
up, and `mines_dd.play.advice` goes by the tree's probabilities.

**Why it is right.**

- Merged states have the same open hints, needs and mines, so the same groups may take the same mines from there on.
- A group takes no more mines than any of its hints needs, and at least what the cells to come could not make up for.
  So a slot never falls below 0 (no borrow reaches the slot above), and a hint's need is 0 when its last group is
  placed: its slot is 0 then and can be given to another hint, even to one that the same group begins.
- The mines are at most 1,000 (`LARGEST`) and fit their 16 bits.
- The hash table holds numbers of states.  Those of older layers are below the first of this layer and count as empty,
  so the table is never cleared.
- All values are sums of positive terms, integers of fewer than 1,000 bits rounded to doubles.  So "safe" and "certain
  mine" are exact, a number of layouts below 2**53 is exact, and probabilities are right to about 12 digits.
  `mines_dd.analyse` gives them exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.hashing import hash_two
from mines_dd.base.jit import kernel
from mines_dd.orders.cells import greedy_order
from mines_dd.orders.sums import HintRows
from mines_dd.play.field import CLOSED, around

__all__ = ["MOST_STATES", "weigh"]

MOST_STATES = 2**22
"""A search with more states is given up: it would take seconds and half a gigabyte."""

_FEW_STATES = 20_000
"""With more states in the first order found, a better one is looked for; that takes about as long as these."""


@kernel
def weigh(field, seen, mines, chance, most):
    """Weigh a position: count its layouts, and fill in every closed cell's probability.

    Parameters
    ----------
    field : Field
    seen : int64[N]
        The position: 0 to 8, `CLOSED`, `KNOWN_MINE` or `LEFT_OUT`.
    mines : int
        Mines among the closed cells; known ones are not counted.
    chance : float64[N]
        Filled in: the probability of a mine where closed, 0.0 exactly if safe and 1.0 exactly if a mine; 2.0 elsewhere.
    most : int
        States; the search is given up when it has more, in whatever order.

    Returns
    -------
    layouts : float
        Their number; 0.0 if there is none (`chance` is then void), -1.0 if there are too many states.
    states : int
        The states of the search: the measure of its work.

    Examples
    --------
    A row of three cells with the hint 1 in the middle: the mine is left or right of it.

    >>> seen, chance = np.array([CLOSED, 1, CLOSED]), np.empty(3)
    >>> from mines_dd.play.field import make_field
    >>> layouts, _ = weigh.run(100, make_field(1, 3, 1), seen, 1, chance, MOST_STATES)
    >>> float(layouts)
    2.0
    >>> chance.tolist()
    [0.5, 2.0, 0.5]
    """
    closed = 0
    for cell in range(seen.size):
        chance[cell] = 2.0
        closed += seen[cell] == CLOSED
    hints = _hints(field, seen)
    if hints.n < 0 or mines < 0 or mines > closed:
        return 0.0, 0
    border = _grouped(field, seen, hints)
    order = _ordered(border)
    states, n_states, verdict = _forward(field.binomial, border, order, mines, min(most, _FEW_STATES))
    if verdict < 0.0 and most > _FEW_STATES:
        order = _better_ordered(border)
        states, n_states, verdict = _forward(field.binomial, border, order, mines, most)
    if verdict <= 0.0:
        return verdict, n_states
    beyond = _beyond(field.binomial, border.sea, order, states, mines)
    layouts = beyond[0, mines]
    if layouts > 0.0:
        before = _backward(field, border, order, states, beyond, chance)
        if border.sea:
            share = _share_of_sea(field.binomial, border.sea, before)
            for cell in range(seen.size):
                if seen[cell] == CLOSED and border.group_of[cell] < 0:
                    chance[cell] = share
    return layouts, n_states


# The key of a state: the only functions that know which bits mean what.  The module's docstring draws them.

_SLOTS, _SLOTS_OF_WORD, _MINES_SHIFT = 28, 16, 48


@kernel
def _need(key_0, key_1, slot):
    """The mines that the hint in a slot still needs."""
    word = key_0 if slot < _SLOTS_OF_WORD else key_1
    return (word >> (4 * (slot & 15))) & 15


@kernel
def _unit(slot):
    """What to add to each word so that the need in a slot grows by one."""
    unit = 1 << (4 * (slot & 15))
    if slot < _SLOTS_OF_WORD:
        return unit, 0
    return 0, unit


@kernel
def _mines(key_1):
    """The mines placed so far."""
    return key_1 >> _MINES_SHIFT


_ONE_MINE = 1 << _MINES_SHIFT
"""What to add to word 1 for a mine."""


# The border: hints and groups.


class _Hints(NamedTuple):
    """The hints that have closed neighbours.

    `n` is their number, or -1 if one of them cannot be met.  Hint h is at cell `cell[h]` and needs `need[h]` mines
    more; `at` is h again at that cell and -1 elsewhere.  `key` of a closed cell is equal where its hints are.
    """

    n: int
    cell: npt.NDArray[np.int64]
    need: npt.NDArray[np.int64]
    at: npt.NDArray[np.int64]
    key: npt.NDArray[np.int64]


class _Border(NamedTuple):
    """Hints and groups, a graph with two kinds of vertices.

    Hint h, at cell `hint_cell[h]`, needs `need[h]` mines and is next to the groups `groups_of[h, :n_groups_of[h]]`.
    Group g, of `size[g]` cells, is next to the hints `hints_of[g, :n_hints_of[g]]`.  A cell belongs to the group
    `group_of[cell]`, or -1; `sea` closed cells belong to none.
    """

    n_hints: int
    hint_cell: npt.NDArray[np.int64]
    need: npt.NDArray[np.int64]
    groups_of: npt.NDArray[np.int64]
    n_groups_of: npt.NDArray[np.int64]
    n_groups: int
    size: npt.NDArray[np.int64]
    hints_of: npt.NDArray[np.int64]
    n_hints_of: npt.NDArray[np.int64]
    group_of: npt.NDArray[np.int64]
    sea: int


@kernel
def _hints(field, seen):
    """Find the hints that matter."""
    cells = seen.size
    cell_of = np.empty(cells, np.int64)
    need = np.empty(cells, np.int64)
    at = np.full(cells, -1, np.int64)
    key = np.zeros(cells, np.int64)
    n = 0
    for cell in range(cells):
        if seen[cell] < 0:
            continue
        closed, known = around(field, seen, cell)
        needed = seen[cell] - known
        if needed < 0 or needed > closed:
            return _Hints(-1, cell_of, need, at, key)
        if closed:
            at[cell] = n
            cell_of[n] = cell
            need[n] = needed
            n += 1
            for i in range(field.degree[cell]):
                if seen[field.neighbours[cell, i]] == CLOSED:
                    key[field.neighbours[cell, i]] ^= field.zobrist[cell]
    return _Hints(n, cell_of, need, at, key)


@kernel
def _grouped(field, seen, hints):
    """Put closed cells with the same hints into groups."""
    n = hints.n
    size = np.zeros(8 * n + 1, np.int64)
    hints_of = np.empty((8 * n + 1, 8), np.int64)
    n_hints_of = np.zeros(8 * n + 1, np.int64)
    groups_of = np.empty((n + 1, 8), np.int64)
    n_groups_of = np.zeros(n + 1, np.int64)
    group_of = np.full(seen.size, -1, np.int64)
    n_groups = 0
    sea = 0
    for cell in range(seen.size):
        if seen[cell] == CLOSED:
            sea += 1
    for h in range(n):
        hint = hints.cell[h]
        for i in range(field.degree[hint]):
            cell = field.neighbours[hint, i]
            if seen[cell] != CLOSED or group_of[cell] >= 0:
                continue
            sea -= 1
            # A cell with the same hints is a neighbour of this hint too, and came before.
            group = -1
            for j in range(i):
                other = field.neighbours[hint, j]
                if seen[other] == CLOSED and hints.key[other] == hints.key[cell]:
                    group = group_of[other]
                    break
            if group < 0:
                group = n_groups
                n_groups += 1
                for j in range(field.degree[cell]):
                    other = hints.at[field.neighbours[cell, j]]
                    if other >= 0:
                        hints_of[group, n_hints_of[group]] = other
                        n_hints_of[group] += 1
                        groups_of[other, n_groups_of[other]] = group
                        n_groups_of[other] += 1
            group_of[cell] = group
            size[group] += 1
    return _Border(
        n, hints.cell, hints.need, groups_of, n_groups_of, n_groups, size, hints_of, n_hints_of, group_of, sea
    )


# The order of the groups.


class _Order(NamedTuple):
    """The groups in the order of the search; those of component i are `group[start[i]:start[i + 1]]`."""

    group: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    n_parts: int


_UNSEEN, _REACHED, _BEGUN = 0, 1, 2


@kernel
def _ordered(border):
    """Order the groups component by component so that few hints are open at a time.

    From one end of the component: of the hints begun, take the one with the fewest groups still to come, the oldest of
    equals, and place all these.
    """
    n_hints = border.n_hints
    group = np.empty(border.n_groups, np.int64)
    start = np.zeros(n_hints + 1, np.int64)
    placed = np.zeros(border.n_groups, np.bool_)
    status = np.zeros(n_hints, np.int64)
    to_place = np.empty(n_hints, np.int64)
    hints = np.empty(n_hints, np.int64)  # a queue, then the hints begun and not closed, oldest first
    for h in range(n_hints):
        to_place[h] = border.n_groups_of[h]
    n = 0
    n_parts = 0
    for root in range(n_hints):
        if status[root] != _UNSEEN:
            continue
        hint = _far_end(border, root, status, hints)
        begun = np.int64(0)
        while hint >= 0:
            for i in range(border.n_groups_of[hint]):
                g = border.groups_of[hint, i]
                if not placed[g]:
                    placed[g] = True
                    group[n] = g
                    n += 1
                    begun = _begin_hints(border, g, status, to_place, hints, begun)
            hint, begun = _next_hint(to_place, hints, begun)
        n_parts += 1
        start[n_parts] = n
    return _Order(group, start, n_parts)


@kernel
def _far_end(border, root, status, queue):
    """The last hint that a breadth-first search from a hint reaches: it lies at an end of the component."""
    queue[0] = root
    status[root] = _REACHED
    length = 1
    at = 0
    while at < length:
        hint = queue[at]
        at += 1
        for i in range(border.n_groups_of[hint]):
            group = border.groups_of[hint, i]
            for j in range(border.n_hints_of[group]):
                other = border.hints_of[group, j]
                if status[other] == _UNSEEN:
                    status[other] = _REACHED
                    queue[length] = other
                    length += 1
    return queue[length - 1]


@kernel
def _begin_hints(border, group, status, to_place, hints, begun):
    """Count a group as placed at its hints, and add those that it begins to `hints[:begun]`; return their number."""
    for j in range(border.n_hints_of[group]):
        hint = border.hints_of[group, j]
        if status[hint] != _BEGUN:
            status[hint] = _BEGUN
            hints[begun] = hint
            begun += 1
        to_place[hint] -= 1
    return begun


@kernel
def _next_hint(to_place, hints, begun):
    """Drop the closed hints from `hints[:begun]`; return the one with the fewest groups to place, and how many stay.

    The hint is -1 if none stays.
    """
    best = -1
    kept = 0
    for i in range(begun):
        hint = hints[i]
        if to_place[hint]:
            hints[kept] = hint
            kept += 1
            if best < 0 or to_place[hint] < to_place[best]:
                best = hint
    return best, kept


_TRIES = 6
"""Greedy orders of each component that are compared."""


@kernel
def _better_ordered(border):
    """Order the groups as the compilers order cells: the cheapest of several greedy orders."""
    rows, group_of = _as_rows(border)
    cells = greedy_order(rows, _TRIES)
    group = np.empty(border.n_groups, np.int64)
    start = np.zeros(border.n_hints + 1, np.int64)
    placed = np.zeros(border.n_groups, np.bool_)
    to_place = border.n_groups_of.copy()
    open_hints = 0
    n = 0
    n_parts = 0
    for i in range(cells.size):
        g = group_of[cells[i]]
        if placed[g]:
            continue
        placed[g] = True
        group[n] = g
        n += 1
        for j in range(border.n_hints_of[g]):
            hint = border.hints_of[g, j]
            open_hints += to_place[hint] == border.n_groups_of[hint]
            to_place[hint] -= 1
            open_hints -= to_place[hint] == 0
        if open_hints == 0:  # what comes now is independent of what came before
            n_parts += 1
            start[n_parts] = n
    return _Order(group, start, n_parts)


@kernel
def _as_rows(border):
    """The border as the orders see it, cell by cell, and the group of each cell."""
    cells = 0
    members = 0
    for g in range(border.n_groups):
        cells += border.size[g]
        members += border.size[g] * border.n_hints_of[g]
    start = np.zeros(border.n_hints + 1, np.int32)
    member = np.empty(members, np.int32)
    cell_start = np.zeros(cells + 1, np.int32)
    cell_hint = np.empty(members, np.int32)
    group_of = np.empty(cells, np.int64)
    first = np.empty(border.n_groups, np.int64)
    n = 0
    for g in range(border.n_groups):
        first[g] = n
        for _ in range(border.size[g]):
            group_of[n] = g
            cell_start[n + 1] = cell_start[n] + border.n_hints_of[g]
            for j in range(border.n_hints_of[g]):
                cell_hint[cell_start[n] + j] = border.hints_of[g, j]
            n += 1
    need = np.empty(border.n_hints, np.int32)
    filled = 0
    for h in range(border.n_hints):
        need[h] = border.need[h]
        for i in range(border.n_groups_of[h]):
            g = border.groups_of[h, i]
            for k in range(border.size[g]):
                member[filled] = first[g] + k
                filled += 1
        start[h + 1] = filled
    return HintRows(start, member, cell_start, cell_hint, need, need), group_of


# Forward: the states and the ways to each.


class _States(NamedTuple):
    """The states of all layers, one layer after the other.

    Layer l is the states from `layer[l]` to `layer[l + 1]`.  State s has the key `key[s]` and `ways[s]` ways from the
    start of its component.  It has a child for `least[s]` mines in the next group, for one more, and so on: the states
    `child[edge[s]:edge[s + 1]]`.  `table` finds the states of the newest layer by their keys.
    """

    key: npt.NDArray[np.int64]
    ways: npt.NDArray[np.float64]
    least: npt.NDArray[np.int64]
    edge: npt.NDArray[np.int64]
    child: npt.NDArray[np.int64]
    table: npt.NDArray[np.int64]
    layer: npt.NDArray[np.int64]


class _Frontier(NamedTuple):
    """The slot of each hint (-1 before it has one), its cells to come, and the free slots: `free[1:free[0] + 1]`.

    `step` is room for the hints of a `_Step`: slots, cells to come, needs.
    """

    slot: npt.NDArray[np.int64]
    to_come: npt.NDArray[np.int64]
    free: npt.NDArray[np.int64]
    step: npt.NDArray[np.int64]


class _Step(NamedTuple):
    """What the next group does to a key.

    It has `cells` cells and `n` hints (-1: there is no slot for one).  Hint i is in slot `slot[i]` and has `to_come[i]`
    cells after the group; `need[i]` is its need if the group begins it, otherwise -1.  `base_0` and `base_1` add the
    needs of the hints that begin.  `mine_0` and `mine_1` are what a mine adds: 1 less in each slot, 1 more in all.
    """

    cells: int
    n: int
    slot: npt.NDArray[np.int64]
    to_come: npt.NDArray[np.int64]
    need: npt.NDArray[np.int64]
    base_0: int
    base_1: int
    mine_0: int
    mine_1: int


_MOST_CHILDREN = 9
"""A group has at most 8 cells, which hold 0 to 8 mines."""


@kernel
def _forward(binomial, border, order, mines, most):
    """Make the states of all layers; return them, their number, and 1.0, or what `weigh` returns at once."""
    states = _States(
        np.empty((1024, 2), np.int64),
        np.empty(1024),
        np.empty(1024, np.int64),
        np.empty(1025, np.int64),
        np.empty(4096, np.int64),
        np.full(2048, -1, np.int64),
        np.empty(border.n_groups + order.n_parts + 1, np.int64),
    )
    frontier = _no_frontier(border)
    n_states = np.int64(0)
    n_edges = np.int64(0)
    for part in range(order.n_parts):
        states.layer[order.start[part] + part] = n_states
        states.key[n_states, 0] = 0
        states.key[n_states, 1] = 0
        states.ways[n_states] = 1.0
        n_states += 1
        for place in range(order.start[part], order.start[part + 1]):
            step = _step(border, frontier, order.group[place])
            if step.n < 0:
                return states, n_states, -1.0
            first = n_states
            states.layer[place + part + 1] = first
            state = states.layer[place + part]
            while True:
                state, n_states, n_edges = _expanded(states, state, step, binomial, mines, first, n_states, n_edges)
                if n_states > most:
                    return states, most, -1.0
                if state == first:
                    break
                states = _grown(states, n_states, n_edges, first)
            if n_states == first:
                return states, n_states, 0.0
        for state in range(states.layer[order.start[part + 1] + part], n_states + 1):
            states.edge[state] = n_edges
    states.layer[border.n_groups + order.n_parts] = n_states
    return states, n_states, 1.0


@kernel
def _no_frontier(border):
    """The frontier before the first group."""
    slot = np.full(border.n_hints, -1, np.int64)
    to_come = np.zeros(border.n_hints, np.int64)
    for h in range(border.n_hints):
        for i in range(border.n_groups_of[h]):
            to_come[h] += border.size[border.groups_of[h, i]]
    free = np.empty(_SLOTS + 1, np.int64)
    free[0] = _SLOTS
    for i in range(_SLOTS):
        free[i + 1] = _SLOTS - 1 - i
    return _Frontier(slot, to_come, free, np.empty((3, 8), np.int64))


@kernel
def _step(border, frontier, group):
    """Move the frontier past a group: its new hints get slots, those that it closes give theirs back."""
    cells = border.size[group]
    n = border.n_hints_of[group]
    base_0 = 0
    base_1 = 0
    mine_0 = 0
    mine_1 = _ONE_MINE
    free = frontier.free
    slot = frontier.step[0]
    to_come = frontier.step[1]
    need = frontier.step[2]
    for i in range(n):
        hint = border.hints_of[group, i]
        need[i] = -1
        if frontier.slot[hint] < 0:
            if free[0] == 0:
                return _Step(cells, -1, slot, to_come, need, 0, 0, 0, 0)
            frontier.slot[hint] = free[free[0]]
            free[0] -= 1
            need[i] = border.need[hint]
        frontier.to_come[hint] -= cells
        slot[i] = frontier.slot[hint]
        to_come[i] = frontier.to_come[hint]
        unit_0, unit_1 = _unit(slot[i])
        mine_0 -= unit_0
        mine_1 -= unit_1
        if need[i] >= 0:
            base_0 += need[i] * unit_0
            base_1 += need[i] * unit_1
        if to_come[i] == 0:
            free[0] += 1
            free[free[0]] = slot[i]
    return _Step(cells, n, slot, to_come, need, base_0, base_1, mine_0, mine_1)


@kernel
def _expanded(states, state, step, binomial, mines, first, n_states, n_edges):
    """Give each state of a layer its children, from `state` to the last (`first` - 1) or until there is no more room.

    Returns the next state and the numbers of states and edges.
    """
    most_states = min(states.ways.size, first + states.table.size // 2) - _MOST_CHILDREN - 1
    most_edges = states.child.size - _MOST_CHILDREN
    while state < first and n_states <= most_states and n_edges <= most_edges:
        key_0 = states.key[state, 0]
        key_1 = states.key[state, 1]
        low = 0
        high = min(step.cells, mines - _mines(key_1))
        for i in range(step.n):
            need = step.need[i]
            if need < 0:
                need = _need(key_0, key_1, step.slot[i])
            low = max(low, need - step.to_come[i])
            high = min(high, need)
        states.least[state] = low
        states.edge[state] = n_edges
        key_0 += step.base_0
        key_1 += step.base_1
        for taken in range(low, high + 1):
            child = _found(states, key_0 + taken * step.mine_0, key_1 + taken * step.mine_1, first, n_states)
            n_states = max(n_states, child + 1)
            states.ways[child] += states.ways[state] * binomial[step.cells, taken]
            states.child[n_edges] = child
            n_edges += 1
        state += 1
    return state, n_states, n_edges


@kernel
def _found(states, key_0, key_1, first, n_states):
    """The state of the layer from `first` to `n_states` with this key; if there is none, it is made."""
    last = states.table.size - 1
    spot = hash_two(key_0, key_1) & last
    state = states.table[spot]
    while state >= first:
        if states.key[state, 0] == key_0 and states.key[state, 1] == key_1:
            return state
        spot = (spot + 1) & last
        state = states.table[spot]
    states.table[spot] = n_states
    states.key[n_states, 0] = key_0
    states.key[n_states, 1] = key_1
    states.ways[n_states] = 0.0
    return n_states


@kernel
def _grown(states, n_states, n_edges, first):
    """The same states, with room for the children of one more in the layer that begins at state `first`."""
    key, ways, least, edge, child, table, layer = states
    if n_states + _MOST_CHILDREN + 1 > ways.size:
        size = 2 * ways.size
        key = _longer_keys(key, size)
        ways = _longer(ways, size)
        least = _longer(least, size)
        edge = _longer(edge, size + 1)
    if n_edges + _MOST_CHILDREN > child.size:
        child = _longer(child, 2 * child.size)
    if 2 * (n_states + _MOST_CHILDREN + 1 - first) > table.size:
        table = _rehashed(key, first, n_states, 2 * table.size)
    return _States(key, ways, least, edge, child, table, layer)


@kernel
def _longer(array, size):
    """A longer array that begins like this one."""
    longer = np.empty(size, array.dtype)
    for i in range(array.size):
        longer[i] = array[i]
    return longer


@kernel
def _longer_keys(key, size):
    """A longer array of keys that begins like this one."""
    longer = np.empty((size, 2), np.int64)
    for i in range(key.shape[0]):
        longer[i, 0] = key[i, 0]
        longer[i, 1] = key[i, 1]
    return longer


@kernel
def _rehashed(key, first, n_states, size):
    """A table of the states from `first` to `n_states`."""
    table = np.full(size, -1, np.int64)
    for state in range(first, n_states):
        spot = hash_two(key[state, 0], key[state, 1]) & (size - 1)
        while table[spot] >= first:
            spot = (spot + 1) & (size - 1)
        table[spot] = state
    return table


# Backward: what is beyond each state, and the share of mines in each group.


@kernel
def _beyond(binomial, sea, order, states, mines):
    """Row i: the layouts of components i, i + 1, ... and the sea, by their mines."""
    beyond = np.zeros((order.n_parts + 1, mines + 1))
    for k in range(min(sea, mines) + 1):
        beyond[order.n_parts, k] = binomial[sea, k]
    for part in range(order.n_parts - 1, -1, -1):
        _add_part(states, order.start[part + 1] + part, beyond[part + 1], beyond[part])
    return beyond


@kernel
def _add_part(states, last, numbers, sums):
    """Add to `sums` the layouts of a component, whose last layer is `last`, and of others, by their mines."""
    for state in range(states.layer[last], states.layer[last + 1]):
        k = _mines(states.key[state, 1])
        for j in range(k, sums.size):
            sums[j] += states.ways[state] * numbers[j - k]


@kernel
def _backward(field, border, order, states, beyond, chance):
    """Fill in the chances of all groups; return the layouts of all components by their mines (if there is a sea)."""
    value = np.zeros(states.layer[order.group.size + order.n_parts])  # the layouts from each state to the end
    before = np.zeros(beyond.shape[1])  # the layouts of the components before, by their mines
    before[0] = 1.0
    for part in range(order.n_parts):
        last = order.start[part + 1] + part
        for state in range(states.layer[last], states.layer[last + 1]):
            left = before.size - 1 - _mines(states.key[state, 1])
            for j in range(left + 1):
                value[state] += before[j] * beyond[part + 1, left - j]
        for place in range(order.start[part + 1] - 1, order.start[part] - 1, -1):
            group = order.group[place]
            share = _share(states, place + part, field.binomial, border.size[group], value)
            hint = border.hint_cell[border.hints_of[group, 0]]
            for i in range(field.degree[hint]):
                cell = field.neighbours[hint, i]
                if border.group_of[cell] == group:
                    chance[cell] = share
        if part + 1 < order.n_parts or border.sea:
            after = np.zeros(before.size)
            _add_part(states, last, before, after)
            before = after
    return before


@kernel
def _share(states, layer, binomial, cells, value):
    """Fill in the values of a layer; return the share of mines in its group, of so many cells."""
    with_mine = 0.0
    without = 0.0
    for state in range(states.layer[layer], states.layer[layer + 1]):
        taken = states.least[state]
        for edge in range(states.edge[state], states.edge[state + 1]):
            weight = binomial[cells, taken] * value[states.child[edge]]
            value[state] += weight
            with_mine += states.ways[state] * weight * taken
            without += states.ways[state] * weight * (cells - taken)
            taken += 1
    return with_mine / (with_mine + without)


@kernel
def _share_of_sea(binomial, sea, before):
    """The share of mines in the sea, from the layouts of all components by their mines."""
    with_mine = 0.0
    without = 0.0
    for k in range(before.size):
        left = before.size - 1 - k
        if 0 < left <= sea:
            with_mine += before[k] * binomial[sea - 1, left - 1]
        if left < sea:
            without += before[k] * binomial[sea - 1, left]
    return with_mine / (with_mine + without)
