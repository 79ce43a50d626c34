"""The Maximum String Problem of Go: how many strings (連) can stand on an n x n board?

R. Miyashiro, Y. Yano, M. Muramatsu: 囲碁における連数最大化問題. RIMS Kôkyûroku 1584, 2008, 225-229.  By theorem 1 some
best board has white stones only where row + column is even and black ones only where it is odd; then every stone is a
string of its own, and the board is legal exactly if every point is empty or next to an empty point.  So
MSP(n) = n² - γ, where γ is the least size of a dominating set of the n x n grid, the set of the empty points.

`maximum_strings` finds γ and a board, `boards` all boards with that many strings, or a number fewer.  `go_program`
repeats the paper's 0-1 programs, and `go_board` knows the rules of Go and nothing of the theorem.

The search decides the points one by one, row by row, and remembers one digit a column: undominated, dominated, empty.
A board with k empty points wastes 5k - n²: an empty point dominates 5 points, and wasted is what falls off the board
or on a point that is dominated already.  The waste grows as the search goes, and what the rest of the board will waste
at least is known: the board is cut into vertical strips, for each of which a search of its own has found the least
waste from every state to the end, the points beyond its sides being free.  The sum over the strips is a lower bound,
sharp enough to leave almost no state alive.  For one best board, a state is also dropped if another covers more with no
more empty points.

The search is no spec of `mines_dd.frontier`, whose builder merges equal states and drops none by its weight or for
another one: for n = 13 that makes 17,113,589 states, even without their weights, and the bounds leave 32,453.  With n
the former grow by 2.9, to some 10^10 for n = 19, where 14.8 million are left here.  The reduction is shared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require_flag, require_whole
from mines_dd.base.errors import MinesError
from mines_dd.base.hashing import hash_word
from mines_dd.base.jit import kernel
from mines_dd.base.wording import shown
from mines_dd.boardgames.go_board import GoBoard, Optimum, Point, points
from mines_dd.boardgames.go_program import Cut, cuts
from mines_dd.diagrams.assignments import Assignments
from mines_dd.diagrams.diagram import Diagram
from mines_dd.frontier.reduce import DEAD_ARC, DONE_ARC, Piece, reduce_layers

__all__ = ["boards", "maximum_strings"]

Entries = npt.NDArray[np.int64]
Arcs = npt.NDArray[np.int32]

# A state packs a digit a column in base 3 above the waste so far; 34 columns fill 62 bits.
_LARGEST = 34
_WASTE_BITS = 8
_WASTE = 2**_WASTE_BITS - 1
# The widest strip: 3^12 states, at each of 12 n points.
_STRIP = 12


def maximum_strings(n: int, *, budget: Budget | None = None) -> Optimum:
    """Return MSP(n), exactly, and a board that has so many strings.

    Parameters
    ----------
    n : int
        Rows and columns, 1 to 34.
    budget : Budget, optional
        Nodes are the states of a layer.

    Raises
    ------
    MinesError
        If `n` is out of range.
    BudgetExceededError
        If a limit is exceeded.
    """
    n, budget = _require_rows(n), Budget.of(budget)
    strips = _Strips.cut(n, budget)
    details: dict[str, Any] = {"refuted": [], "states": 0, "largest_layer": 0}
    empty = strips.fewest
    while True:
        rows = [strips.start]
        for position, (entries, _) in enumerate(_layers(strips, _waste(n, empty), False, budget), 1):
            details["states"] += len(entries)
            details["largest_layer"] = max(details["largest_layer"], len(entries))
            if position % n == 0:
                rows.append(entries)
        if len(rows[-1]):
            board = GoBoard.alternating(n, _backtracked(n, rows))
            return Optimum(n * n - empty, board, details)
        details["refuted"].append(n * n - empty)
        empty += 1


def boards(n: int, fewer: int = 0, *, with_cuts: bool = False, budget: Budget | None = None) -> Assignments:
    """Return all boards under theorem 1's parity with exactly MSP(n) - `fewer` strings, as sets of empty points.

    Parameters
    ----------
    n : int
        Rows and columns, 1 to 34.
    fewer : int
        How many strings short of the best.
    with_cuts : bool
        Only the boards that satisfy section 3's `cuts` (table 2).
    budget : Budget, optional
        Nodes are states, of all layers together.

    Returns
    -------
    Assignments
        Sets of empty points (row, column) from 0; `GoBoard.alternating` makes a board of one.

    Raises
    ------
    MinesError
        If `n` is out of range or `fewer` negative.
    BudgetExceededError
        If a limit is exceeded.
    """
    n, fewer = _require_rows(n), require_whole(fewer, "the number of strings fewer")
    if fewer < 0:
        raise MinesError(f"no board has more strings than the best; fewer={shown(fewer)} has to be 0 or more")
    with_cuts = require_flag(with_cuts, "with_cuts")
    budget = Budget.of(budget)
    most = maximum_strings(n, budget=budget).strings
    empty = n * n - most + fewer
    strips = _Strips.cut(n, budget)
    limit = _waste(n, empty)
    if limit > _WASTE - 8:
        if fewer > most:
            raise MinesError(f"the most strings on {n} x {n} points are {most}; no board has {shown(fewer)} fewer")
        raise MinesError(f"boards of {n} x {n} points with {fewer} strings fewer than the most are too many to count")
    states, ends, arcs = 0, strips.start, []
    for entries, arc in _layers(strips, limit, True, budget):
        ends = entries
        arcs.append(arc)
        states += len(arc)
        budget.check(states)
    diagram = _reduced(n, arcs, (ends & _WASTE) == limit, budget)
    for cut in cuts(n) if with_cuts else ():
        diagram = _restricted(diagram, cut, budget)
    circuit = diagram.to_circuit(diagram.items, range(n * n), budget)
    return Assignments(circuit, "zdd", diagram.node_count, {"order_name": "row", "states": states}, diagram)


def _require_rows(n: int) -> int:
    rows = require_whole(n, "the number of rows")
    if not 1 <= rows <= _LARGEST:
        raise MinesError(f"the search takes boards of 1 to {_LARGEST} rows, not {shown(n)}")
    return rows


class _Place(NamedTuple):
    """Point (r, c) of an n x n board."""

    n: int
    r: int
    c: int


def _waste(n: int, empty: int) -> int:
    return 5 * empty - n * n


@dataclass(frozen=True)
class _Strips:
    """Vertical strips of the board, and the least waste of each from every state on.

    The table of a strip of width w has, for each of its n w + 1 positions, 3^w bytes; `tables` has all of them.
    """

    n: int
    first: tuple[int, ...]
    width: tuple[int, ...]
    begin: tuple[int, ...]
    tables: npt.NDArray[np.uint8]

    @classmethod
    def cut(cls, n: int, budget: Budget) -> _Strips:
        """Cut an n x n board: two halves, or the two widest strips at the borders and what is between."""
        left, right = min(n // 2, _STRIP), min(n - n // 2, _STRIP)
        width = [w for w in (left, n - left - right, right) if w]
        first = [sum(width[:k]) for k in range(len(width))]
        sizes = [(n * w + 1) * 3**w for w in width]
        begin = [sum(sizes[:k]) for k in range(len(width))]
        budget.reserve(sum(sizes))
        tables = np.empty(sum(sizes), np.uint8)
        for f, w, b, size in zip(first, width, begin, sizes, strict=True):
            table = tables[b : b + size].reshape(-1, 3**w)
            table[-1] = 0
            for r in range(n - 1, -1, -1):
                budget.check(0)
                _least_waste.run(20 * 3**w * w, table, r, w, f > 0, f + w < n, r == n - 1)
        return cls(n, tuple(first), tuple(width), tuple(begin), tables)

    @property
    def start(self) -> Entries:
        """The state above the first row: a border of dominated points, nothing wasted."""
        return np.array([(3**self.n - 1) // 2 << _WASTE_BITS], np.int64)

    @property
    def fewest(self) -> int:
        """A lower bound on the number of empty points."""
        least = sum(int(self.tables[b + (3**w - 1) // 2]) for b, w in zip(self.begin, self.width, strict=True))
        return -(-(self.n**2 + least) // 5)

    def after(self, r: int, c: int) -> Entries:
        """Return for each strip, when point (r, c) has been decided: its table's begin, 3^(first column), 3^width."""
        return np.array(
            [
                (b + (r * w + min(max(c + 1 - f, 0), w)) * 3**w, 3**f, 3**w)
                for f, w, b in zip(self.first, self.width, self.begin, strict=True)
            ],
            np.int64,
        )


def _layers(strips: _Strips, limit: int, all_: bool, budget: Budget) -> Iterator[tuple[Entries, Arcs]]:
    """Yield, point by point, the states that can end with a waste of `limit` or less, and the arcs to them.

    A state is kept once for each waste it can have (`all_`, with arcs as (states, 2): the next state without and with
    the point being empty, -1 for none), or with the least waste alone and unless another beats it (without arcs).
    """
    n = strips.n
    entries = strips.start
    for r, c in points(n):
        budget.check(len(entries))
        point, after = _Place(n, r, c), strips.after(r, c)
        arcs = np.full((len(entries) if all_ else 0, 2), -1, np.int32)
        size = 1 << max(4, (3 * len(entries)).bit_length())
        while True:
            slots, out = np.full(size, -1, np.int32), np.empty(size // 2 + 2, np.int64)
            made = _step.run(40 * len(entries), entries, point, after, strips.tables, limit, all_, arcs, slots, out)
            if made >= 0:
                break
            size *= 2
        if not all_:
            # The columns just decided beat most; all of them only once a row.
            first, last = (0, n) if c == n - 1 else (max(c - 1, 0), c + 1)
            made = _undominated.run(60 * (last - first) * made, made, first, last, slots, out, np.empty(made, np.bool_))
        entries = out[:made].copy()
        yield entries, arcs


def _backtracked(n: int, rows: list[Entries]) -> list[Point]:
    """Return the empty points of a board that ends in a state of the last row.

    A row's own empty points are the digits 2 of the state after it, so any state above that leads there will do.
    """
    state = int(rows[n][np.argmin(rows[n] & _WASTE)])
    empty: list[Point] = []
    for r in range(n - 1, -1, -1):
        empty += [(r, c) for c in range(n) if (state >> _WASTE_BITS) // 3**c % 3 == 2]
        above = rows[r]
        state = int(above[_leads_to.run(10 * n * len(above), above, n, r, state)])
    return sorted(empty)


def _reduced(n: int, arcs: list[Arcs], accepts: npt.NDArray[np.bool_], budget: Budget) -> Diagram:
    """Return the ZDD of the ways through the layers of states that end in an accepted one."""
    arcs[-1] = np.where(np.append(accepts, False)[arcs[-1]], DONE_ARC, DEAD_ARC).astype(np.int32)
    pieces = [Piece(at, np.array([len(arc)], np.int32), arc) for at, arc in enumerate(arcs)]
    arcs.clear()  # the pieces go as they are used
    return reduce_layers(list(points(n)), pieces, 0, n * n + 1, budget)[0]


def _restricted(diagram: Diagram, cut: Cut, budget: Budget) -> Diagram:
    """Return the ZDD of the sets that satisfy a cut: layers of nodes, each with the sum of the weights so far."""
    items = list(diagram.items)
    weight = [cut.weights.get(item, 0) for item in items]  # type: ignore[call-overload]
    last = max(i for i, w in enumerate(weight) if w)
    level, low, high = diagram.level.tolist(), diagram.low.tolist(), diagram.high.tolist()
    pieces: list[Piece] = []
    here = {(diagram.root, 0): 0}
    for at, more in enumerate(weight):
        after: dict[tuple[int, int], int] = {}

        def arc(node: int, total: int, at: int = at, after: dict[tuple[int, int], int] = after) -> int:
            if node == 0 or (total < cut.least and (node == 1 or at >= last)):
                return DEAD_ARC
            if node == 1:
                return DONE_ARC
            # After the last weight all that matters of the sum is that it is enough.
            return after.setdefault((node, total if at < last else cut.least), len(after))

        arcs = []
        for node, total in here:
            decides = level[node] == at  # else the item is in none of its sets
            zero = arc(low[node] if decides else node, total)
            arcs.append((zero, arc(high[node], total + more) if decides else DEAD_ARC))
        pieces.append(Piece(at, np.array([len(here)], np.int32), np.array(arcs, np.int32).reshape(-1, 2)))
        here = after
    return reduce_layers(items, pieces, 0, len(items) + 1, budget)[0]


@kernel
def _wasted(up, left, empty):
    """Waste of a point, by the digits of the points above and to its left; what it does beyond is not in it."""
    if empty:
        return int(up != 0) + int(left != 0) + int(up == 2) + int(left == 2)  # NumPy's own booleans add to a boolean
    return 1 if up == 2 and left == 2 else 0


@kernel
def _digit(up, left, empty):
    if empty:
        return 2
    return 1 if up == 2 or left == 2 else 0


@kernel
def _least_waste(table, r, width, open_left, open_right, bottom):
    """Fill a row's positions of a strip's table from the position after the row.

    Beyond an open side points may be empty for nothing, so that the column there may stay undominated.
    """
    for c in range(width - 1, -1, -1):
        unit = 3**c
        after = r * width + c + 1
        free = (c == 0 and open_left) or (c == width - 1 and open_right)
        for state in range(table.shape[1]):
            up = state // unit % 3
            if c > 0:
                left = state // (unit // 3) % 3
            else:
                left = 0 if open_left else 1
            best = 255
            stone = _digit(up, left, False)
            fits = up != 0 or free
            if bottom:
                fits = fits and (left != 0 or c == 0 or (c == 1 and open_left))
                fits = fits and (stone != 0 or c < width - 1 or free)
            if fits:
                rest = int(table[after, state + (stone - up) * unit])
                if rest != 255:
                    best = rest + _wasted(up, left, False)
            child = state + (2 - up) * unit
            if c > 0 and left == 0:
                child += unit // 3
            rest = int(table[after, child])
            if rest != 255:
                rest += _wasted(up, left, True)
                if c == width - 1 and not open_right:
                    rest += 1
                if bottom:
                    rest += 1
                best = min(best, rest)
            table[after - 1, state] = best


@kernel
def _child(entry, n, r, c, empty):
    """The state after point (r, c), or -1 if a point stays undominated."""
    unit = 3**c
    state = entry >> 8
    up = state // unit % 3
    left = state // (unit // 3) % 3 if c > 0 else 1
    digit = _digit(up, left, empty)
    waste = _wasted(up, left, empty)
    change = (digit - up) * unit
    if empty:
        if c > 0 and left == 0:
            change += unit // 3
        if c == n - 1:
            waste += 1
        if r == n - 1:
            waste += 1
    elif up == 0 or (r == n - 1 and (left == 0 or (c == n - 1 and digit == 0))):
        return -1
    return entry + (change << 8) + waste


@kernel
def _slot(key, slots, out, all_):
    """Where a state is, or where it belongs; its waste is part of the key if states are kept once for each."""
    last = len(slots) - 1
    slot = hash_word(key) & last
    while slots[slot] >= 0:
        known = out[slots[slot]]
        if (known if all_ else known >> 8) == key:
            break
        slot = (slot + 1) & last
    return slot


@kernel
def _step(entries, point, after, tables, limit, all_, arcs, slots, out):
    """Decide a point in all states; return how many states there are then, or -1 if `slots` are too few."""
    made = 0
    last = len(slots) - 1
    for i in range(len(entries)):
        for empty in range(2):
            entry = _child(entries[i], point.n, point.r, point.c, empty == 1)
            if entry < 0:
                continue
            state = entry >> 8
            bound = entry & 255
            for k in range(len(after)):
                bound += int(tables[after[k, 0] + state // after[k, 1] % after[k, 2]])
            if bound > limit:
                continue
            if 2 * made > last:
                return -1
            slot = _slot(entry if all_ else state, slots, out, all_)
            if slots[slot] < 0:
                slots[slot] = made
                out[made] = entry
                made += 1
            elif entry < out[slots[slot]]:
                out[slots[slot]] = entry
            if all_:
                arcs[i, empty] = slots[slot]
    return made


@kernel
def _undominated(made, first, last, slots, out, keep):
    """Drop the states that another state beats; return how many are left, moved to the front of `out`.

    A state is beaten by one that has a greater digit in some column and as many empty points or fewer: whatever
    completes the one completes the other.  Of two states that differ in one digit, the one with the greater digit has
    as many empty points or fewer exactly if it has wasted less, because what they have wasted differs, modulo 5, by
    what the greater digit has covered more.
    """
    for i in range(made):
        state, waste = out[i] >> 8, out[i] & 255
        keep[i] = True
        unit = 3**first
        for _ in range(first, last):
            for more in range(1, 3 - state // unit % 3):
                slot = _slot(state + more * unit, slots, out, False)
                if slots[slot] >= 0 and out[slots[slot]] & 255 < waste:
                    keep[i] = False
            if not keep[i]:
                break
            unit *= 3
    left = 0
    for i in range(made):
        if keep[i]:
            out[left] = out[i]
            left += 1
    return left


@kernel
def _leads_to(above, n, r, goal):
    """Return the first state before row r that becomes `goal` when the row is as in `goal`."""
    for i in range(len(above)):
        entry = above[i]
        unit = 1
        for c in range(n):
            entry = _child(entry, n, r, c, (goal >> 8) // unit % 3 == 2)
            if entry < 0:
                break
            unit *= 3
        if entry == goal:
            return i
    return -1
