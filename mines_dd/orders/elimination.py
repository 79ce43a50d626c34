"""Orders of hints for elimination, and what each step of an elimination remembers.

Eliminating a hint sums up the mines of its cells, and of the tables that hold it, keeps what makes up its count, and
leaves a *table*: what the partial sums of the other hints may be.  (`compilers.tree` does that.)  A table goes to the
step that next eliminates one of its hints, so the steps form a tree.  The hints of a step's table, together with the
eliminated hint, are a *bag* of a tree decomposition.

An example: five hints of one mine each in a row below five closed cells, in the order p, t, q, r, s.

    cells   a b c d e        p: ab   q: abc   r: bcd   s: cde   t: de
    hints   1 1 1 1 1
            p q r s t

    step   hint   cells summed up   table before          leaves, of cells     sums    goes to step
    0      p      a b               -                     q: ab    r: b        10 11   2
    1      t      d e               -                     r: d     s: de       01 11   3
    2      q      c                 of step 0             r: bc    s: c        00 10   3
    3      r      -                 of steps 1 and 2      s: cde               1       4
    4      s      -                 of step 3             -                    -       -

A cell is summed up once, when the first of its hints is eliminated.  How many cells of a hint are summed up in a table
(the row of step 0: 2 of q, 1 of r) is known before any sum is: that bounds the number of its sums, and with it the
cost (see `cost`).  A table has no more entries, either, than the step has products that come out right.  If the hint
allows one count, the largest group of the step has to make up what the other factors lack, so these alone bound it:

    a hundred hints of one mine each, h1 = x a1 b1, h2 = x a2 b2, ...: after h1, 99 hints remember whether x is a mine.
    That looks like 2^99 entries, but there are no more than x has choices: 2.

References
----------
H. L. Bodlaender, A. M. C. A. Koster, "Treewidth computations I. Upper bounds", Information and Computation 208, 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import FloatArray, IntArray, LongArray
from mines_dd.base.budget import PAUSED, Budget
from mines_dd.base.checks import require_choice
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cost import Cost, predicted_sizes
from mines_dd.orders.given import given_order, given_permutation, given_sizes
from mines_dd.orders.min_fill import Loads, hint_graph, min_fill_order
from mines_dd.orders.pieces import better_of, cut
from mines_dd.orders.sums import hint_rows, log2_sums

__all__ = ["Elimination", "Steps", "best_elimination", "elimination_steps"]


# Tries of "auto", whatever the cost: six for up to 800 hints, then fewer, from 4,001 hints on one.
_CERTAIN_TRIES = 6
_TRIED_HINTS = 4000
# More of them while all tries so far took less time than the best is predicted to take, if a try takes as long as this
# many entries a hint.
_MOST_TRIES = 100
_ENTRIES_A_HINT = 10
# With a limit of time, the share of it that has to be left for building.
_LEFT_TO_BUILD = 2 / 3
# From this many hints on, all but the first tries are made piece by piece, with pieces of 50 hints or more.
_IN_PIECES = 1000
_WHOLE_TRIES = 4
_LEAST_PIECE = 50
# How often the fill counts beside the load, try after try, and in which units; and how much the weights are varied.
_FILLS = (16, 32, 8, 1000)
_UNITS_A_BIT = 8
_NOISE = 0.3

_DONE, _MORE_ROOM = range(2)


@dataclass(frozen=True, eq=False)
class Steps:
    """An elimination, without its tables' contents.

    Attributes
    ----------
    parent : int32 array
        The step that takes each step's table, -1 for the last of a component.
    start, hint, covered : int64 arrays
        In compressed rows the hints that each step's table remembers, and of how many of the cells of each it has
        summed up the mines: those that come in at the step or at steps below it in the tree.
    log2_entries : float array
        The binary logarithm of a bound on each table's entries.
    """

    parent: IntArray
    start: LongArray
    hint: LongArray
    covered: LongArray
    log2_entries: FloatArray


@dataclass(frozen=True, eq=False)
class Elimination:
    """An order of elimination, its steps and what it will cost.

    Attributes
    ----------
    order : int32 array
        The hints' indices.
    steps : Steps
    cost : Cost
    """

    order: IntArray
    steps: Steps
    cost: Cost

    @classmethod
    def of(
        cls, instance: Instance, order: IntArray, sizes: npt.ArrayLike | None = None, budget: Budget | None = None
    ) -> Elimination:
        """Work out the steps of an order and their cost; parameters as for `elimination_steps`."""
        steps = elimination_steps(instance, order, sizes, budget)
        return cls(order, steps, Cost.of(steps.log2_entries, np.diff(steps.start)))

    @property
    def priced(self) -> tuple[IntArray, FloatArray]:
        """The order, and the predicted entries of each step's table."""
        return self.order, predicted_sizes(self.steps.log2_entries)


def best_elimination(
    instance: Instance,
    order: str | Sequence[Any] = "auto",
    sizes: npt.ArrayLike | None = None,
    budget: Budget | None = None,
    first: Elimination | None = None,
) -> Elimination:
    """Return the elimination that is predicted to be cheapest of those that `order` allows.

    Parameters
    ----------
    instance : Instance
        Its cells may be groups of twins.
    order : str or sequence of labels
        "min-fill" (next the hint whose neighbours lack fewest edges), "min-degree" (next the one with fewest
        neighbours), "auto" (several orders of min-fill, with ties broken differently and mixed with the sizes of
        tables; the more, the dearer the best of them is), or all hints.
    sizes : array of int, optional
        The number of cells in each group if the instance's cells are groups; by default 1.
    budget : Budget, optional
    first : Elimination, optional
        That of "min-fill", if it is known.

    Raises
    ------
    GraphFormatError
        If `order` is unknown or not all hints once.
    BudgetExceededError
        If the budget's time runs out.

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> instance = Instance.from_board(Board.parse("#####/11111"))
    >>> best_elimination(instance, "min-fill").order.tolist()
    [0, 4, 1, 2, 3]
    >>> best_elimination(instance, [(1, c) for c in (1, 0, 2, 3, 4)]).cost.width
    3
    """
    budget = Budget.of(budget)
    if not isinstance(order, str):
        return Elimination.of(instance, given_order(order, instance.hints, "hint"), sizes, budget)
    known = ("auto", "min-fill", "min-degree")
    require_choice(
        order, known, "order of hints (for tree)", GraphFormatError, otherwise=" (or, in Python, a list of all hints)"
    )
    if len(instance.hints) == 0:
        return Elimination.of(instance, np.zeros(0, np.int32), sizes, budget)
    if first is not None and order == "min-fill":
        return first
    graph = hint_graph(instance, budget)
    if first is not None and order == "auto":
        best = first
    else:
        found = min_fill_order(instance, graph, by_degree=order == "min-degree", budget=budget)
        best = Elimination.of(instance, found, sizes, budget)
    return _best_of_tries(instance, graph, best, sizes, budget) if order == "auto" else best


def _best_of_tries(
    instance: Instance,
    graph: tuple[LongArray, IntArray],
    best: Elimination,
    sizes: npt.ArrayLike | None,
    budget: Budget,
) -> Elimination:
    """The cheapest of some more tries: as many as it takes a fraction of what the best of them will take to build.

    On large boards all but the first tries mend the best so far, piece by piece, in pieces of another size each time.
    """
    n = len(instance.hints)
    weight = _bits_of_sums(instance, sizes)
    certain = min(_CERTAIN_TRIES, 1 + _TRIED_HINTS // n)
    for k in range(1, _MOST_TRIES):
        if k >= certain and (k * n * _ENTRIES_A_HINT > best.cost.entries or budget.share_left < _LEFT_TO_BUILD):
            break
        chance = np.random.Generator(np.random.PCG64(k))
        loads = None
        if k % 2 or n > _TRIED_HINTS:
            noise = 1 + _NOISE * chance.random(n) * (k > len(_FILLS))
            loads = Loads(np.round(_UNITS_A_BIT * weight * noise).astype(np.int64), _FILLS[k % len(_FILLS)])
        whole = k < _WHOLE_TRIES or n <= _IN_PIECES
        least = max(_LEAST_PIECE, n >> 14)  # min-fill has no room for more stages
        pieces = None if whole else cut(best.order, best.steps.parent, int(least * (n / least) ** chance.random()))
        stages = None if pieces is None else pieces.stage
        order = min_fill_order(instance, graph, k, loads=loads, stages=stages, budget=budget)
        tried = Elimination.of(instance, order, sizes, budget)
        if pieces is not None:
            tried = Elimination.of(instance, better_of(pieces, best.priced, tried.priced), sizes, budget)
        best = min(best, tried, key=lambda one: one.cost.entries)
    return best


def _bits_of_sums(instance: Instance, sizes: npt.ArrayLike | None) -> FloatArray:
    """For each hint the binary logarithm of the most sums that a table can have of it."""
    least, most = instance.count_range
    safe_at_most = instance.hint_sizes(sizes) - least
    bits: FloatArray = np.log2(1 + np.maximum(0, np.minimum(most, safe_at_most)))
    return bits


def elimination_steps(
    instance: Instance, hints: npt.ArrayLike, sizes: npt.ArrayLike | None = None, budget: Budget | None = None
) -> Steps:
    """Return what each step of an elimination remembers and hands on.

    Parameters
    ----------
    instance : Instance
    hints : array of int
        The hints' indices in the order of elimination.
    sizes : array of int, optional
        The number of cells in each group if the instance's cells are groups; by default 1.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If the budget's time runs out.
    GraphFormatError
        If these are not all hints once, or the sizes not a whole number for each group.

    Examples
    --------
    >>> from mines_dd.board.board import Board
    >>> instance = Instance.from_board(Board.parse("#####/11111"))
    >>> steps = elimination_steps(instance, [0, 4, 1, 2, 3])
    >>> steps.parent.tolist()
    [2, 3, 3, 4, -1]
    >>> [steps.hint[a:b].tolist() for a, b in zip(steps.start, steps.start[1:])]
    [[1, 2], [2, 3], [2, 3], [3], []]
    >>> [steps.covered[a:b].tolist() for a, b in zip(steps.start, steps.start[1:])]
    [[2, 1], [1, 2], [2, 1], [3], []]
    """
    budget = Budget.of(budget)
    order = given_permutation(hints, len(instance.hints), "hints")
    weight = given_sizes(sizes, len(instance.cells))
    parent, log2_entries = np.full(len(order), -1, np.int32), np.zeros(len(order))
    work = 60 * len(instance.member)
    n, rows, done = len(order), hint_rows(instance), np.zeros(1, np.int64)
    scope = _scope(order, instance.hint_sizes(weight))
    tables = _nothing_yet(n)
    while budget.run(_take_steps, work, rows, weight, order, scope, tables, parent, log2_entries, done) == _MORE_ROOM:
        budget.reserve(32 * len(tables.hint))
        tables = _with_room(tables)
    last = tables.start[-1]
    return Steps(parent, tables.start, tables.hint[:last].copy(), tables.covered[:last].copy(), log2_entries)


def _scope(order: IntArray, cells: LongArray) -> _Scope:
    """What is known of the hints before the first step."""
    n = len(order)
    place = np.zeros(n, np.int64)
    place[order] = np.arange(n)
    return _Scope(place, cells, np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(2))


class _Scope(NamedTuple):
    """The hints of the table in hand, and what is known of each hint of the instance.

    Attributes
    ----------
    place : array
        When each hint is eliminated.
    cells : array
        How many cells each has.
    covered : array
        Of how many of them the table in hand has summed up the mines; 0 for a hint that is not in it.
    member : array
        The hints of the table in hand, as they came in.
    bits : float array
        Of its factors' sizes the binary logarithms, summed up; and that of the largest group.
    """

    place: LongArray
    cells: LongArray
    covered: LongArray
    member: LongArray
    bits: FloatArray


class _Tables(NamedTuple):
    """The tables made so far.

    Attributes
    ----------
    start, hint, covered : arrays
        What each remembers, as in `Steps`, with room for more.
    waiting, before : arrays
        Linked lists of the tables that wait for a step: the one made last, and for each table the one made before it.
    """

    start: LongArray
    hint: LongArray
    covered: LongArray
    waiting: LongArray
    before: LongArray


def _nothing_yet(n: int) -> _Tables:
    """Room for the tables of n steps."""
    room = 16 * n
    return _Tables(
        np.zeros(n + 1, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
    )


def _with_room(tables: _Tables) -> _Tables:
    """The tables with twice the room."""
    nothing = np.zeros(len(tables.hint), np.int64)
    hint, covered = (np.concatenate((array, nothing)) for array in (tables.hint, tables.covered))
    return tables._replace(hint=hint, covered=covered)


@kernel
def _take_steps(rows, sizes, order, scope, tables, parent, log2_entries, done, patience):
    """Write where each step's table goes and a bound on its entries, until there may be no room for the next."""
    n = len(order)
    work = np.int64(0)
    while done[0] < n:
        step = done[0]
        if work > patience:
            return PAUSED
        if tables.start[step] + n > len(tables.hint):
            return _MORE_ROOM
        size = _gather_cells(rows, sizes, scope, order[step], step)
        size = _gather_tables(scope, tables, log2_entries, step, size)
        work += 10 * size + 10
        taker = _leave_table(rows, scope, tables, log2_entries, order[step], step, size)
        if taker < n:
            parent[step] = taker
            tables.before[step] = tables.waiting[taker]
            tables.waiting[taker] = step
        done[0] += 1
    return _DONE


@kernel
def _gather_cells(rows, sizes, scope, h, step):
    """Sum up the cells of h that no step before had; return how many hints that touches."""
    start, member, cell_start, cell_hint = rows.start, rows.member, rows.cell_start, rows.cell_hint
    place, covered, hints = scope.place, scope.covered, scope.member
    size = 0
    for i in range(start[h], start[h + 1]):
        cell = member[i]
        is_new = True
        for j in range(cell_start[cell], cell_start[cell + 1]):
            if place[cell_hint[j]] < step:
                is_new = False
        if is_new:
            most = sizes[cell]
            for j in range(cell_start[cell], cell_start[cell + 1]):
                most = min(most, rows.most[cell_hint[j]])
            bits = np.log2(most + 1.0) if most > 0 else 0.0
            scope.bits[0] += bits
            scope.bits[1] = max(scope.bits[1], bits)
            for j in range(cell_start[cell], cell_start[cell + 1]):
                x = cell_hint[j]
                if covered[x] == 0:
                    hints[size] = x
                    size += 1
                covered[x] += sizes[cell]
    return size


@kernel
def _gather_tables(scope, tables, log2_entries, step, size):
    """Sum up the tables that wait for a step; return how many hints are in the scope then."""
    start, hint, table_covered, before = tables.start, tables.hint, tables.covered, tables.before
    covered, hints = scope.covered, scope.member
    table = tables.waiting[step]
    while table >= 0:
        for i in range(start[table], start[table + 1]):
            x = hint[i]
            if covered[x] == 0:
                hints[size] = x
                size += 1
            covered[x] += table_covered[i]
        scope.bits[0] += log2_entries[table]
        table = before[table]
    return size


@kernel
def _leave_table(rows, scope, tables, log2_entries, h, step, size):
    """Make the table of the scope without h and empty the scope; return the step that takes it, or one too many."""
    place, cells, covered, hints = scope.place, scope.cells, scope.covered, scope.member
    least, most = rows.least, rows.most
    taker = len(place)
    used = tables.start[step]
    for i in range(size):
        x = hints[i]
        if x != h:
            tables.hint[used] = x
            tables.covered[used] = covered[x]
            used += 1
            log2_entries[step] += log2_sums(covered[x], cells[x] - covered[x], least[x], most[x])
            taker = min(taker, place[x])
        covered[x] = 0
    # with one count allowed the largest group is what makes it up
    products = scope.bits[0] - max(0.0, scope.bits[1] - np.log2(max(1.0, most[h] - least[h] + 1.0)))
    log2_entries[step] = min(log2_entries[step], products)
    scope.bits[0] = 0.0
    scope.bits[1] = 0.0
    tables.start[step + 1] = used
    return taker
