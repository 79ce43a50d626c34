"""The border of a position: every closed cell's probability in double precision, compiled, in tens of microseconds.

What a player in the middle of a game asks a hundred times: the hints that still matter, cells with equal hints as one
group, and for each component of the border a frontier search over its groups.  A state is what the hints on the
frontier still need and the mines so far, packed into two words; its value is the number of ways to it.  A pass back
gives the expected mines of each group under all the other components and the sea (cells away from all hints).

All values are sums of positive terms, integers of fewer than 1,000 bits rounded to doubles: so "safe" and "certain
mine" are exact, a number of layouts below 2**53 is exact, and probabilities are right to about 12 digits.
`mines_dd.analyse` gives them exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.errors import BudgetExceededError
from mines_dd.base.jit import kernel

__all__ = ["CLOSED", "FLAGGED", "LARGEST", "LEFT_OUT", "Field", "around", "make_field", "weigh"]

CLOSED, FLAGGED, LEFT_OUT = -1, -2, -3
"""What `seen` holds of a cell that is not open: closed, a mine known for certain, or no mine and no hint either."""

LARGEST = 1000
"""Cells of the largest board: numbers of layouts have to fit a double."""

_SLOTS, _SLOTS_OF_WORD = 28, 16
_MINES_SHIFT = 48


class Field(NamedTuple):
    """What stays the same during a game.

    Attributes
    ----------
    near : int64[N, 8]
        The neighbours of each cell, then -1.
    degree : int64[N]
        Their number.
    mark : int64[N]
        A random word for each cell.
    choose : float64[N + 1, max(mines, 8) + 1]
        Binomial coefficients.
    fifty : int64[sets, 10]
        Where a 50/50 may arise: the cells with a mine (2) and without (2), or the other way round, and the only other
        cells whose numbers tell which (6); -1 where there are fewer.  See `mines_dd.play.ahead`.
    """

    near: npt.NDArray[np.int64]
    degree: npt.NDArray[np.int64]
    mark: npt.NDArray[np.int64]
    choose: npt.NDArray[np.float64]
    fifty: npt.NDArray[np.int64]


def make_field(rows: int, columns: int, mines: int) -> Field:
    """Return the field of a board.

    Raises
    ------
    BudgetExceededError
        If the board has more than 1,000 cells.
    """
    cells = rows * columns
    if cells > LARGEST:
        raise BudgetExceededError(
            f"play in double precision takes boards of up to {LARGEST:,} cells, not {cells:,}; analyse() takes any",
            needed=cells,
            allowed=LARGEST,
            unit="cells",
        )
    near = np.full((cells, 8), -1, np.int64)
    degree = np.zeros(cells, np.int64)
    for cell in range(cells):
        row, column = divmod(cell, columns)
        for r in range(max(row - 1, 0), min(row + 2, rows)):
            for c in range(max(column - 1, 0), min(column + 2, columns)):
                if (r, c) != (row, column):
                    near[cell, degree[cell]] = r * columns + c
                    degree[cell] += 1
    choose = np.zeros((cells + 1, max(mines, 8) + 1))
    choose[:, 0] = 1
    for n in range(1, cells + 1):
        choose[n, 1:] = choose[n - 1, 1:] + choose[n - 1, :-1]
    mark = np.random.default_rng(20160606).integers(1, 2**62, cells)
    return Field(near, degree, mark, choose, _fifty(rows, columns))


def _fifty(rows: int, columns: int) -> npt.NDArray[np.int64]:
    """Two neighbours in a row or a column, and four cells in a square, of which those in one diagonal are mines.

    An Expert board is expected to have 0.68 of these, and 0.20 of all other shapes of up to 4 cells in 3 by 5 (cells
    taken as independent).
    """
    cells = np.full((rows + 4, columns + 4), -1)
    cells[2:-2, 2:-2] = np.arange(rows * columns).reshape(rows, columns)
    found = []
    for one, other in ([(0, 0)], [(0, 1)]), ([(0, 0)], [(1, 0)]), ([(0, 0), (1, 1)], [(0, 1), (1, 0)]):
        tells = [
            (r, c)
            for r in range(-1, 3)
            for c in range(-1, 3)
            if (r, c) not in one + other
            and sum(max(abs(r - x), abs(c - y)) == 1 for x, y in one)
            != sum(max(abs(r - x), abs(c - y)) == 1 for x, y in other)
        ]
        height, width = np.max(one + other, axis=0)
        sets = np.full(((rows - height) * (columns - width), 10), -1)
        for start, part in (0, one), (2, other), (4, tells):
            for i, (r, c) in enumerate(part, start):
                sets[:, i] = cells[2 + r : 2 + r + rows - height, 2 + c : 2 + c + columns - width].ravel()
        found.append(sets)
    return np.concatenate(found)


@kernel
def weigh(field, seen, mines, chance):
    """Weigh a position: count its layouts, and fill in every closed cell's probability.

    Parameters
    ----------
    field : Field
    seen : int64[N]
        The position: 0 to 8, `CLOSED` or `FLAGGED`.
    mines : int
        Mines not flagged.
    chance : float64[N]
        Filled in: the probability of a mine where closed, 0.0 exactly if safe and 1.0 exactly if a mine; 2.0 elsewhere.

    Returns
    -------
    layouts : float
        Their number; 0.0 if there is none (`chance` is then void), -1.0 if there are too many states.
    states : int
        The states of the search: what it took.
    """
    chance[:] = 2.0
    # Hints that matter and their closed cells, cells with equal hints as one group.
    hint_of, need, group_of, size, hints_of, groups_of, n_hints, n_groups, sea = _grouped(field, seen)
    if n_hints < 0 or mines < 0:
        return 0.0, 0
    order, starts, n_parts = _ordered(hints_of, groups_of, n_hints, n_groups)
    # Forward: the states of every layer, component after component.
    layer = np.zeros(n_groups + n_parts + 1, np.int64)
    key = np.empty((1024, 2), np.int64)
    ways = np.empty(1024)
    least = np.empty(1024, np.int64)
    edge = np.empty(1025, np.int64)
    child = np.empty(4096, np.int64)
    table = np.full(2048, -1, np.int64)
    slot = np.full(n_hints, -1, np.int64)
    left = np.zeros(n_hints, np.int64)
    free = np.empty(_SLOTS, np.int64)
    now = np.empty(8, np.int64)  # of the group at hand: each hint's slot, whether it is new, its cells still to come
    new = np.empty(8, np.int64)
    later = np.empty(8, np.int64)
    for h in range(n_hints):
        for i in range(8):
            if groups_of[h, i] < 0:
                break
            left[h] += size[groups_of[h, i]]
    n_states = 0
    n_edges = 0
    n_layers = 0
    for part in range(n_parts):
        n_free = _SLOTS
        for i in range(_SLOTS):
            free[i] = _SLOTS - 1 - i
        if n_states + 1 > ways.size:
            key, ways, least, edge = _grown(key, ways, least, edge)
        key[n_states, 0] = 0
        key[n_states, 1] = 0
        ways[n_states] = 1.0
        layer[n_layers] = n_states
        n_states += 1
        for place in range(starts[part], starts[part + 1]):
            group = order[place]
            cells = size[group]
            base_0 = 0
            base_1 = 0
            step_0 = 0
            step_1 = 1 << _MINES_SHIFT
            n = 0
            while n < 8 and hints_of[group, n] >= 0:
                h = hints_of[group, n]
                left[h] -= cells
                new[n] = -1
                if slot[h] < 0:
                    if n_free == 0:
                        return -1.0, n_states
                    n_free -= 1
                    slot[h] = free[n_free]
                    new[n] = need[h]
                now[n] = slot[h]
                later[n] = left[h]
                if slot[h] < _SLOTS_OF_WORD:
                    unit = 1 << (4 * slot[h])
                    step_0 -= unit
                    if new[n] >= 0:
                        base_0 += need[h] * unit
                else:
                    unit = 1 << (4 * (slot[h] - _SLOTS_OF_WORD))
                    step_1 -= unit
                    if new[n] >= 0:
                        base_1 += need[h] * unit
                if left[h] == 0:
                    free[n_free] = slot[h]
                    n_free += 1
                n += 1
            first = layer[n_layers]
            following = n_states
            n_layers += 1
            layer[n_layers] = following
            for state in range(first, following):
                low = 0
                high = min(cells, mines - (key[state, 1] >> _MINES_SHIFT))
                for i in range(n):
                    rest = new[i]
                    if rest < 0:
                        if now[i] < _SLOTS_OF_WORD:
                            rest = (key[state, 0] >> (4 * now[i])) & 15
                        else:
                            rest = (key[state, 1] >> (4 * (now[i] - _SLOTS_OF_WORD))) & 15
                    low = max(low, rest - later[i])
                    high = min(high, rest)
                least[state] = low
                edge[state] = n_edges
                if n_edges + 9 > child.size:
                    child = np.concatenate((child, np.empty_like(child)))
                for taken in range(low, high + 1):
                    key_0 = key[state, 0] + base_0 + taken * step_0
                    key_1 = key[state, 1] + base_1 + taken * step_1
                    mask = table.size - 1
                    at = (key_0 * 0x9E3779B97F4A7C1 + key_1) * 0x2545F4914F6CDD1D
                    at = (at ^ (at >> 32)) & mask
                    found = table[at]
                    while found >= following and (key[found, 0] != key_0 or key[found, 1] != key_1):
                        at = (at + 1) & mask
                        found = table[at]
                    if found < following:
                        found = n_states
                        table[at] = found
                        if n_states == ways.size:
                            if n_states > 4_000_000:
                                return -1.0, n_states
                            key, ways, least, edge = _grown(key, ways, least, edge)
                        key[found, 0] = key_0
                        key[found, 1] = key_1
                        ways[found] = 0.0
                        n_states += 1
                        if 2 * (n_states - following) > table.size:
                            table = _rehashed(key, following, n_states, 2 * table.size)
                    ways[found] += ways[state] * field.choose[cells, taken]
                    child[n_edges] = found
                    n_edges += 1
            if n_states == following:
                return 0.0, n_states
        for state in range(layer[n_layers], n_states):
            edge[state] = n_edges
        edge[n_states] = n_edges
        n_layers += 1
    layer[n_layers] = n_states
    # Together: numbers of layouts by mines; `rest[i]` of components i, i + 1, ... and the sea.
    rest = np.zeros((n_parts + 1, mines + 1))
    for k in range(mines + 1):
        rest[n_parts, k] = field.choose[sea, k] if k <= sea else 0.0
    end = n_layers
    for part in range(n_parts - 1, -1, -1):
        last = end - 1
        for state in range(layer[last], layer[end]):
            k = key[state, 1] >> _MINES_SHIFT
            for j in range(k, mines + 1):
                rest[part, j] += ways[state] * rest[part + 1, j - k]
        end -= starts[part + 1] - starts[part] + 1
    total = rest[0, mines]
    if total == 0.0:
        return 0.0, n_states
    # Backward: the layouts that go through each state, and each group's mines.
    before = np.zeros(mines + 1)
    before[0] = 1.0
    value = np.zeros(n_states)
    base = 0
    for part in range(n_parts):
        n = starts[part + 1] - starts[part]
        last = base + n
        for state in range(layer[last], layer[last + 1]):
            k = key[state, 1] >> _MINES_SHIFT
            for j in range(mines - k + 1):
                value[state] += before[j] * rest[part + 1, mines - k - j]
        for i in range(n - 1, -1, -1):
            group = order[starts[part] + i]
            cells = size[group]
            with_mine = 0.0
            without = 0.0
            for state in range(layer[base + i], layer[base + i + 1]):
                low = least[state]
                for e in range(edge[state], edge[state + 1]):
                    taken = low + e - edge[state]
                    weight = field.choose[cells, taken] * value[child[e]]
                    value[state] += weight
                    with_mine += ways[state] * weight * taken
                    without += ways[state] * weight * (cells - taken)
            share = with_mine / (with_mine + without)
            hint = hint_of[hints_of[group, 0]]
            for i_near in range(field.degree[hint]):
                cell = field.near[hint, i_near]
                if group_of[cell] == group:
                    chance[cell] = share
        if part + 1 < n_parts or sea:
            after = np.zeros(mines + 1)
            for state in range(layer[last], layer[last + 1]):
                k = key[state, 1] >> _MINES_SHIFT
                for j in range(k, mines + 1):
                    after[j] += ways[state] * before[j - k]
            before = after
        base = last + 1
    if sea:
        with_mine = 0.0
        without = 0.0
        for k in range(mines + 1):
            if mines - k > 0 and mines - k <= sea:
                with_mine += before[k] * field.choose[sea - 1, mines - k - 1]
            if mines - k < sea:
                without += before[k] * field.choose[sea - 1, mines - k]
        share = with_mine / (with_mine + without)
        for cell in range(seen.size):
            if seen[cell] == CLOSED and group_of[cell] < 0:
                chance[cell] = share
    return total, n_states


@kernel
def around(field, seen, cell):
    """The closed and the flagged neighbours of a cell, counted."""
    closed = 0
    flagged = 0
    for i in range(field.degree[cell]):
        other = seen[field.near[cell, i]]
        if other == CLOSED:
            closed += 1
        elif other == FLAGGED:
            flagged += 1
    return closed, flagged


@kernel
def _grouped(field, seen):
    """The hints with closed neighbours, their cells in groups; the number of hints is -1 if one cannot be met."""
    cells = seen.size
    hint_at = np.full(cells, -1, np.int64)
    hint_of = np.empty(cells, np.int64)
    need = np.empty(cells, np.int64)
    mark = np.zeros(cells, np.int64)
    group_of = np.full(cells, -1, np.int64)
    n_hints = 0
    sea = 0
    for cell in range(cells):
        if seen[cell] == CLOSED:
            sea += 1
        if seen[cell] < 0:
            continue
        closed, flagged = around(field, seen, cell)
        rest = seen[cell] - flagged
        if rest < 0 or rest > closed:
            n_hints = -1
            break
        if closed:
            hint_at[cell] = n_hints
            hint_of[n_hints] = cell
            need[n_hints] = rest
            n_hints += 1
            for i in range(field.degree[cell]):
                if seen[field.near[cell, i]] == CLOSED:
                    mark[field.near[cell, i]] ^= field.mark[cell]
    n = max(n_hints, 0)
    size = np.zeros(8 * n + 1, np.int64)
    hints_of = np.full((8 * n + 1, 8), -1, np.int64)
    groups_of = np.full((n + 1, 8), -1, np.int64)
    degree = np.zeros(n + 1, np.int64)
    n_groups = 0
    for h in range(n):
        hint = hint_of[h]
        for i in range(field.degree[hint]):
            cell = field.near[hint, i]
            if seen[cell] != CLOSED or group_of[cell] >= 0:
                continue
            sea -= 1
            # A cell with the same hints is a neighbour of this hint too, and came before.
            for j in range(i):
                other = field.near[hint, j]
                if seen[other] == CLOSED and mark[other] == mark[cell]:
                    group_of[cell] = group_of[other]
                    break
            if group_of[cell] < 0:
                group_of[cell] = n_groups
                k = 0
                for j in range(field.degree[cell]):
                    g = hint_at[field.near[cell, j]]
                    if g >= 0:
                        hints_of[n_groups, k] = g
                        groups_of[g, degree[g]] = n_groups
                        degree[g] += 1
                        k += 1
                n_groups += 1
            size[group_of[cell]] += 1
    return hint_of, need, group_of, size, hints_of, groups_of, n_hints, n_groups, sea


@kernel
def _ordered(hints_of, groups_of, n_hints, n_groups):
    """Order the groups component by component, closing hints early; component i is order[starts[i]:starts[i + 1]]."""
    order = np.empty(n_groups, np.int64)
    starts = np.zeros(n_hints + 1, np.int64)
    placed = np.zeros(n_groups, np.bool_)
    distance = np.full(n_hints, -1, np.int64)
    queue = np.empty(n_hints, np.int64)
    degree = np.zeros(n_hints, np.int64)
    active = np.empty(n_hints, np.int64)
    for h in range(n_hints):
        while degree[h] < 8 and groups_of[h, degree[h]] >= 0:
            degree[h] += 1
    n = 0
    n_parts = 0
    for root in range(n_hints):
        if distance[root] >= 0:
            continue
        # The last hint that a search in breadth reaches lies at an end of the component.
        queue[0] = root
        distance[root] = 0
        length = 1
        at = 0
        while at < length:
            h = queue[at]
            at += 1
            for i in range(degree[h]):
                group = groups_of[h, i]
                for j in range(8):
                    other = hints_of[group, j]
                    if other < 0:
                        break
                    if distance[other] < 0:
                        distance[other] = distance[h] + 1
                        queue[length] = other
                        length += 1
        left = 0  # of `active`, the hints begun and not closed, oldest first
        following = queue[length - 1]
        while following >= 0:
            for i in range(8):
                group = groups_of[following, i]
                if group < 0:
                    break
                if placed[group]:
                    continue
                placed[group] = True
                order[n] = group
                n += 1
                for j in range(8):
                    other = hints_of[group, j]
                    if other < 0:
                        break
                    if distance[other] >= 0:
                        distance[other] = -2
                        active[left] = other
                        left += 1
                    degree[other] -= 1
            following = -1
            kept = 0
            for i in range(left):
                if degree[active[i]]:
                    active[kept] = active[i]
                    if following < 0 or degree[active[i]] < degree[following]:
                        following = active[i]
                    kept += 1
            left = kept
        n_parts += 1
        starts[n_parts] = n
        for i in range(length):
            distance[queue[i]] = 0
    return order, starts, n_parts


@kernel
def _grown(key, ways, least, edge):
    """The arrays of the states at twice the size."""
    n = ways.size
    larger = np.empty((2 * n, 2), np.int64)
    larger[:n] = key
    return (
        larger,
        np.concatenate((ways, np.empty(n))),
        np.concatenate((least, np.empty(n, np.int64))),
        np.concatenate((edge, np.empty(n, np.int64))),
    )


@kernel
def _rehashed(key, first, last, size):
    """A larger table of the states of a layer."""
    table = np.full(size, -1, np.int64)
    for state in range(first, last):
        at = (key[state, 0] * 0x9E3779B97F4A7C1 + key[state, 1]) * 0x2545F4914F6CDD1D
        at = (at ^ (at >> 32)) & (size - 1)
        while table[at] >= first:
            at = (at + 1) & (size - 1)
        table[at] = state
    return table
