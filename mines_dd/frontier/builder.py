"""Top-down construction: a spec's states, layer after layer; equal states are one.

Simple paths between the corners 0 and 3 of a square.  A state is the mate of every vertex on the frontier
(`mines_dd.frontier.paths`): `1:end` ends the fragment from 0 or 3; `0:in` takes no more edges, because it is within a
fragment or could only become a dead end.

    0 -- 1      edge 01    s0                   low s1      high s2
    |    |      edge 02    s1  0:end  1:in      low dead    high s3        0 may not be left alone
    2 -- 3                 s2  0:in   1:end     low s4      high dead      0 has its edge
                edge 13    s3  1:in   2:end     low s5      high dead      1 would end where no edge goes on
                           s4  1:end  2:in      low dead    high done      0 - 1 - 3
                edge 23    s5  2:end  3:end     low dead    high done      0 - 2 - 3

An edge that cannot be taken is skipped, unless `prune=False`: s0 leads to s4 and s1 to s5; s2 and s3 are never made.

>>> import networkx as nx
>>> from mines_dd.frontier import Paths, build
>>> square = Paths(nx.Graph([(0, 1), (0, 2), (1, 3), (2, 3)]), 0, 3)
>>> build(square, prune=False).layer_sizes, build(square).layer_sizes
([1, 2, 2, 1], [1, 1, 1, 1])

The builder knows nothing of what a state means.  It keeps two layers of states, and of all others their arcs alone.
Where a spec skips items, as many layers more are kept: an arc may lead past them.  Each layer has an open-addressing
table of its states.  Many small layers are one call of the kernel; large ones are cut into blocks, between which limits
are looked at.  Small problems run interpreted, without Numba.

States are expanded some at a time: first all their children are made, then what those need of the tables is loaded, and
only then are they put in.  A table of some 100,000 states is beyond the processor's nearest caches; so the loads are
under way together, not one after the other.

Counting needs no arcs.  Every state carries the number of ways to it, in limbs of 62 bits; a limb is added when the
largest number, times the ways of two arcs from every state, would no longer fit.

References
----------
決定図を用いたマインスイーパー攻略 (Minesweeper by decision diagrams), Qiita, 16 May 2024.
H. Iwashita, S. Minato, "Efficient top-down ZDD construction techniques using recursive specifications", TCS-TR-A-13-69,
Hokkaido University, 2013.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mines_dd.base.arrays import IntArray, LongArray
from mines_dd.base.budget import SMALLER, Budget, Pace, memory_errors
from mines_dd.base.errors import MinesError
from mines_dd.base.hashing import hash_words
from mines_dd.base.integers import whole
from mines_dd.base.jit import BoundKernel
from mines_dd.base.uncompilable import is_numbas, numba_reason
from mines_dd.frontier.reduce import Piece, jump_bits
from mines_dd.frontier.spec import (
    DEAD,
    DONE,
    FREE,
    GO,
    End,
    Spec,
    checked_meets,
    checked_root,
    checked_skips,
    checked_tables,
    child_of,
    name_of,
    require_spec,
    where,
    wrong_code,
)
from mines_dd.frontier.widths import refuse_too_large

__all__ = ["Layers", "count", "first_widths", "search"]


# States expanded by one call of the kernel: at most, compiled (see `Pace`), and interpreted; and those that there is
# room for at first, so that small problems take little memory.
_BLOCK, _INTERPRETED, _FIRST_BLOCK = 1 << 17, 1 << 7, 1 << 9

_LOOK_AHEAD = 1 << 24  # states after which a search looks whether there will be far too many for the memory

_LIMB = 62
_LIMB_MASK = (1 << _LIMB) - 1
_ENDED = 256  # levels whose numbers of ways that ended are held as limbs

# States that are expanded together, so that what their children need of the tables is loaded at once.
_TOGETHER = 64

# The slots that a layer's table begins with: a power of two, as its length always is.
_FEWEST_SLOTS = 32

# Places in `_Search.cursor`.
_LEVEL, _AT, _ARCS, _LAYERS, _LEFT, _TOTAL, _FREE_FROM, _CODE, _PART, _ENDED_FROM = range(10)
# Columns of `_Search.layers`.
_WIDTH, _MEETS = range(2)
# Rows of `_Search.notes`.
_PARENT, _SKIPPED, _ROW, _HASH, _SEEN = range(5)
# Why the kernel stopped.
_FINISHED, _BLOCK_DONE, _STATES_FULL, _SLOTS_FULL, _ARCS_FULL, _LIMBS_FULL, _ENDED_FULL = range(7)
_WRONG_CODE, _OPEN_END = 7, 8


class _Rows(NamedTuple):
    """The layers that are open and the tables of their states: layer i in row i modulo their number.

    A layer and those that its arcs may lead to are open.  Row r holds `made[r]` states, its table the first
    `mask[r] + 1` slots.  A state that is counted is followed by the limbs of the number of ways to it, in the same line
    of the processor's cache.
    """

    states: LongArray
    slots: IntArray
    made: LongArray
    mask: LongArray


class _Search(NamedTuple):
    """The layers that are open, and the arcs of the piece that is made.

    `children` holds the children of the states that are expanded together, `notes` for each its parent and the
    decision, the layers it skips, its row, its hash, and what was loaded for it.  `ended` holds the numbers of ways
    that ended after each of some levels, in `DONE` and in `FREE`, laid out as in `_Rows.states`.  `layers` holds the
    number of states of each layer that is through, and whether two states after it can be equal.

    Compiling a call takes the longer the more arrays go into it: helpers are given those that they use.
    """

    rows: _Rows
    children: LongArray
    notes: LongArray
    ended: LongArray
    arcs: IntArray
    layers: LongArray
    cursor: LongArray


class Layers(NamedTuple):
    """What a search made: the arcs of all layers.

    Attributes
    ----------
    pieces : list of Piece
    widths : int64 array
        The number of states of each layer.
    root : int
        0, or the arc that everything ends in.
    first_free : int
        The first layer that an arc to `FREE` leads to.
    skips : int
        How many layers an arc may skip.
    """

    pieces: list[Piece]
    widths: LongArray
    root: int
    first_free: int
    skips: int


@memory_errors()
def search(spec: Spec, *, share: bool = True, budget: Budget | None = None) -> Layers:
    """Return the layers of a spec's states.

    Parameters
    ----------
    spec : Spec
    share : bool
        Whether equal states of a layer are one.  Without it the search is a tree; for comparisons only.
    budget : Budget, optional
        Nodes are states, of all layers together.

    Raises
    ------
    BudgetExceededError
        If there are more states than allowed, or it takes too long.
    MinesError
        If the spec is wrong, or leaves a state undecided after the last item.
    """
    items = len(require_spec(spec).items)
    if isinstance(spec.root, End):
        first_free = 0 if spec.root == End.FREE else items + 1
        empty = [Piece(0, np.zeros(items, np.int32), np.zeros((0, 2), np.int32))] if items else []
        return Layers(empty, np.zeros(items, np.int64), -1 - spec.root, first_free, 0)
    driver = _Driver(spec, share=share, keep=True, limbs=0, budget=_with_advice(budget))
    driver.run()
    return Layers(driver.pieces, driver.widths, 0, int(driver.cursor[_FREE_FROM]), spec.skips)


@memory_errors()
def count(spec: Spec, budget: Budget | None = None) -> int:
    """Return how many sets a spec has, exactly, without its diagram: only the layers are kept that arcs still lead to.

    Parameters
    ----------
    spec : Spec
    budget : Budget, optional
        Nodes are states, of all layers together.

    Raises
    ------
    BudgetExceededError
        If there are more states than allowed, it takes too long, or the first layers of a search say that it will need
        far more memory than there is (see `Spec.mixes`).
    MinesError
        If the spec is wrong.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import Paths
    >>> count(Paths(nx.grid_2d_graph(5, 5), (0, 0), (4, 4)))
    8512
    """
    items = len(require_spec(spec).items)
    if isinstance(spec.root, End):
        ways: int = (0, 1, 1 << items)[spec.root]
        return ways
    driver = _Driver(spec, share=True, keep=False, limbs=1, budget=_with_advice(budget))
    driver.run()
    driver.gather()
    return driver.ways


@memory_errors()
def first_widths(spec: Spec, most: int, budget: Budget | None = None) -> list[int]:
    """Return the number of states of each layer, until they are more than `most`; of all layers if they never are.

    Raises
    ------
    BudgetExceededError
        If there are more states than allowed, or it takes too long.
    MinesError
        If the spec is wrong.

    Examples
    --------
    >>> from mines_dd.frontier import Exactly
    >>> first_widths(Exactly(range(6), 3), 1000)
    [1, 2, 3, 3, 2, 1]
    """
    if isinstance(require_spec(spec).root, End):
        return [0] * len(spec.items)
    driver = _Driver(spec, share=True, keep=False, limbs=0, budget=Budget.of(budget))
    driver.run(most)
    widths: list[int] = driver.widths.tolist()
    enough = int(np.searchsorted(np.cumsum(widths), most, "right")) + 1
    return widths[:enough]  # compiled, it goes on to the end of a block


def _with_advice(budget: Budget | None) -> Budget:
    """A budget whose errors name the order, unless they have advice of their own."""
    budget = Budget.of(budget)
    advice = f'put the items in another order (specs of graphs take order="auto"), or {SMALLER}'
    return replace(budget, advice=advice) if budget.advice == SMALLER else budget


class _Driver:
    """Runs the kernel until it is through, and gives it the room it asks for."""

    def __init__(self, spec: Spec, *, share: bool, keep: bool, limbs: int, budget: Budget) -> None:
        self.spec, self.budget, self.keep = spec, budget, keep
        self.items = len(spec.items)
        self.tables = checked_tables(spec)
        root = checked_root(spec)
        self.pieces: list[Piece] = []
        self.first_level = self.ways = 0
        self.kernel = _bound(child_of(spec), _kernel_name(spec))
        block = min(_BLOCK, _FIRST_BLOCK)
        rows, length = 2 + checked_skips(spec), len(root) + limbs
        states = np.zeros((rows, block, length), np.int64)
        states[0, 0] = root + (1,) * limbs
        layers = np.zeros((self.items, 2), np.int64)
        if share:
            layers[:, _MEETS] = checked_meets(spec)
        self.arrays = _Search(
            rows=_Rows(
                states=states,
                slots=np.full((rows, max(_FEWEST_SLOTS, 1 << (4 * block - 1).bit_length())), -1, np.int32),
                made=np.zeros(rows, np.int64),
                mask=np.full(rows, _FEWEST_SLOTS - 1, np.int64),
            ),
            children=np.zeros((2 * _TOGETHER, len(root)), np.int64),
            notes=np.zeros((_SEEN + 1, 2 * _TOGETHER), np.int64),
            ended=np.zeros((2, _ENDED, length), np.int64),
            arcs=np.empty((block if self.keep else 0, 2), np.int32),
            layers=layers,
            cursor=np.zeros(_ENDED_FROM + 1, np.int64),
        )
        self.arrays.rows.made[0] = 1
        self.cursor = self.arrays.cursor
        self.cursor[[_AT, _FREE_FROM]] = -1, self.items + 1

    def run(self, most: int | None = None) -> None:
        """Go through all layers, or those before there are more than `most` states."""
        cursor, made = self.cursor, self.arrays.rows.made
        look_ahead, pace = _LOOK_AHEAD, Pace(_BLOCK)
        while most is None or cursor[_TOTAL] <= most:
            least = min(_BLOCK, _INTERPRETED)
            expand, steps = self.kernel.block(0, self.budget.seconds_left, least, pace.steps)
            cursor[_LEFT] = steps
            try:
                with np.errstate(divide="raise"):
                    given = self.arrays, self.tables, self.items, self.keep
                    status = pace.run(steps, self.budget.in_time, self.kernel, expand, *given)
            except Exception as error:
                self._explain(error)
                raise
            if most is None and cursor[_TOTAL] > look_ahead and status != _FINISHED:
                look_ahead = sys.maxsize
                refuse_too_large(self.spec, self.widths.tolist(), self.keep, self.budget.advice)
            self.budget.check(int(cursor[_TOTAL] + made.sum()))
            if status == _FINISHED:
                break
            if status == _STATES_FULL:
                self._more_states()
            elif status == _SLOTS_FULL:
                self._more_slots()
            elif status == _ARCS_FULL:
                self._flush()
            elif status == _LIMBS_FULL:
                self._another_limb()
            elif status == _ENDED_FULL:
                self.gather()
            elif status != _BLOCK_DONE:
                self._refuse(status)
        if self.keep and cursor[_LAYERS]:
            self._flush()

    @property
    def widths(self) -> LongArray:
        """The number of states of each layer that is through."""
        return self.arrays.layers[: self.cursor[_LEVEL], _WIDTH].copy()

    def _replace_rows(self, **arrays: Any) -> None:
        self.arrays = self.arrays._replace(rows=self.arrays.rows._replace(**arrays))

    def _more_states(self) -> None:
        """Make the rows of states longer."""
        rows = self.arrays.rows
        self._replace_rows(states=self._longer(rows.states, rows.made))

    def _more_slots(self) -> None:
        """Make the rows of slots longer; the kernel fills the tables that need it again."""
        rows = self.arrays.rows
        self._replace_rows(slots=self._longer(rows.slots, rows.mask + 1))

    def _longer(self, old: Any, used: LongArray) -> Any:
        """Rows twice as long, with what is used of them."""
        self.budget.reserve(2 * old.nbytes)
        new = np.empty((len(old), 2 * old.shape[1], *old.shape[2:]), old.dtype)
        for row, end in enumerate(used.tolist()):
            for first in range(0, end, _BLOCK):
                self.budget.check()
                part = slice(first, min(first + _BLOCK, end))
                new[row, part] = old[row, part]
        return new

    def _flush(self) -> None:
        """Put the arcs away as a piece."""
        cursor, arcs = self.cursor, self.arrays.arcs
        used, layers = int(cursor[_ARCS]), int(cursor[_LAYERS])
        if layers == 0:  # in the middle of a layer
            sizes = np.array([used], np.int32)
            cursor[_PART] = cursor[_AT]
        else:
            sizes = self.widths[self.first_level :].astype(np.int32)
            sizes[0] -= cursor[_PART]
            cursor[_PART] = 0
        self.pieces.append(Piece(self.first_level, sizes, arcs[:used] if 2 * used > len(arcs) else arcs[:used].copy()))
        self.first_level += layers
        cursor[[_ARCS, _LAYERS]] = 0
        length = min(_BLOCK, 2 * len(arcs))
        self.budget.reserve(8 * length)
        self.arrays = self.arrays._replace(arcs=np.empty((length, 2), np.int32))

    def _another_limb(self) -> None:
        """Add a limb to all numbers of ways."""
        self.gather()
        old, ended = self.arrays.rows.states, self.arrays.ended
        self.budget.reserve(old.nbytes + old.nbytes // old.shape[-1])
        self._replace_rows(states=np.pad(old, ((0, 0), (0, 0), (0, 1))))
        self.arrays = self.arrays._replace(ended=np.zeros((*ended.shape[:2], ended.shape[2] + 1), np.int64))

    def gather(self) -> None:
        """Add the numbers of ways that ended to `ways`."""
        ended, first = self.arrays.ended, int(self.cursor[_ENDED_FROM])
        for end, at in np.argwhere(ended.any(axis=2)).tolist():
            number = _joined(ended[end, at, self.arrays.children.shape[1] :])
            self.ways += number << (self.items - first - at - 1 if DONE + end == FREE else 0)
        ended[:] = 0
        self.cursor[_ENDED_FROM] = self.cursor[_LEVEL]

    def _stopped(self) -> tuple[tuple[int, ...], int]:
        """The state that the kernel stopped at, and its level."""
        states, words, level = self.arrays.rows.states, self.arrays.children.shape[1], int(self.cursor[_LEVEL])
        return tuple(states[level % len(states), self.cursor[_AT], :words].tolist()), level

    def _explain(self, error: Exception) -> None:
        """Raise what is wrong with the spec if that is what stopped the kernel."""
        if is_numbas(error):
            reason = f"{numba_reason(error)}; Spec.child says what it can use"
            raise MinesError(f"{name_of(self.spec)}.child cannot be compiled: {reason}") from None
        if isinstance(error, MinesError) or self.cursor[_AT] < 0:
            return
        self._step_again()
        if isinstance(error, ArithmeticError | ValueError):  # only there are integers on the way bounded, say
            place = where(self.spec, *self._stopped())
            raise MinesError(f"{name_of(self.spec)}.child fails compiled, {place}: {error}") from error

    def _step_again(self) -> None:
        """Raise what the spec itself says of the step that stopped the kernel."""
        for taken in (False, True):
            try:
                self.spec.step(*self._stopped(), taken)
            except MinesError as found:
                raise found from found.__cause__

    def _refuse(self, status: int) -> None:
        place = where(self.spec, *self._stopped())
        if status == _OPEN_END:
            raise MinesError(f"{name_of(self.spec)}.child does not say where it ends after the last item, {place}")
        self._step_again()
        raise wrong_code(self.spec, int(self.cursor[_CODE]), place)


def _joined(limbs: LongArray) -> int:
    """The number with these limbs: its bytes are those of words of 64 bits, each of them of one limb or two."""
    place, shift = np.divmod(_LIMB * np.arange(len(limbs)), 64)
    low, high = limbs << shift, limbs >> np.minimum(64 - shift, 63)
    words = np.zeros(len(limbs) + 1, np.int64)
    for at, part in ((place, low), (place + 1, high)):
        np.bitwise_or.at(words, at, part)
    return int.from_bytes(words.astype("<i8").tobytes(), "little")


def _kernel_name(spec: Spec) -> str:
    """The class that `child` stands in: specs that inherit it share one kernel."""
    if "child" in vars(spec):
        return name_of(spec)
    owner = next(kind for kind in type(spec).__mro__ if "child" in vars(kind))
    return owner.__name__.lstrip("_")


@lru_cache(256)
def _bound(child: Callable[..., int], name: str) -> BoundKernel:
    """The kernel of a spec."""
    return BoundKernel(_expand, {"_child": child}, name)


_child: Any = None  # bound to the spec's


def _expand(search, tables, items, keep):
    """Expand states until all layers are through, `cursor[_LEFT]` states are, or there is no room; return which."""
    rows, cursor, arcs, words = search.rows, search.cursor, search.arcs, search.children.shape[1]
    while cursor[_LEVEL] < items:
        level, first = int(cursor[_LEVEL]), cursor[_AT]  # interpreted, too, `child` is given a whole number of Python
        size = rows.made[level % len(rows.made)]
        if first < 0:
            if keep and cursor[_LAYERS] > 0 and cursor[_ARCS] + size > len(arcs):
                return _ARCS_FULL
            if not keep and _nearly_full(rows.states, rows.made, size, words):
                return _LIMBS_FULL
            if not keep and level - cursor[_ENDED_FROM] == search.ended.shape[1]:
                return _ENDED_FULL
            cursor[_AT] = 0
        elif first < size:
            if cursor[_LEFT] == 0:
                return _BLOCK_DONE
            some = _at_most(_at_most(size - first, cursor[_LEFT]), _TOGETHER)
            if keep:
                some = _at_most(some, len(arcs) - cursor[_ARCS])
            if some == 0:
                return _ARCS_FULL
            meets = search.layers[level, _MEETS]
            room = _room(rows, level, meets, words, 2 * some)
            if room != _FINISHED:
                return room
            live = _children(search, tables, level, items, keep, some)
            if live < 0:
                return -live
            if meets:
                _fetch(rows, search.notes, level, live)
            _merge(rows, search.children, search.notes, arcs, cursor[_ARCS] - first, level, live, meets)
            cursor[_AT] = first + some
            cursor[_LEFT] -= some
            cursor[_ARCS] += some if keep else 0
        else:
            search.layers[level, _WIDTH] = size
            cursor[_LAYERS] += 1 if keep else 0
            cursor[_TOTAL] += size
            cursor[_LEVEL] += 1
            cursor[_AT] = -1
            _clear(rows, level)
            if cursor[_PART] > 0:
                return _ARCS_FULL
    return _FINISHED


def _at_most(value, most):
    """The smaller one; Numba's own `min` is compiled again for each kind of number."""
    return value if value < most else most


def _nearly_full(states, made, size, words):
    """Whether a number of ways may not fit into the limbs once a layer of this size is expanded."""
    top = states.shape[2] - 1
    if top < words:
        return False
    most = (1 << (_LIMB - 1)) // (2 * size + 1)
    for r in range(len(made)):
        for i in range(made[r]):
            if states[r, i, top] >= most:
                return True
    return False


def _clear(rows, level):
    """Empty a layer's row for the layer to come, with as much of the table as it is likely to need."""
    made, slots = rows.made, rows.slots
    row = level % len(made)
    made[row] = 0
    size = made[(level + 1) % len(made)]
    used = _FEWEST_SLOTS
    while used <= 2 * size and used < slots.shape[1]:
        used *= 2
    rows.mask[row] = used - 1
    for slot in range(used):
        slots[row, slot] = -1


def _room(rows, level, meets, words, more):
    """Whether every open layer has room for `more` states: `_FINISHED`, or what is full."""
    here = level % len(rows.made)
    for row in range(len(rows.made)):
        if row != here:
            if rows.made[row] + more > rows.states.shape[1]:
                return _STATES_FULL
            if meets and _crowded(rows, row, words, more):
                return _SLOTS_FULL
    return _FINISHED


def _children(search, tables, level, items, keep, some):
    """Decide the item in some states, and note the children that go on; return their number, or minus what is wrong."""
    cursor, children, states, words = search.cursor, search.children, search.rows.states, search.children.shape[1]
    parents, skips, hashes = search.notes[_PARENT], search.notes[_SKIPPED], search.notes[_HASH]
    rows, here, meets = len(states), level % len(states), search.layers[level, _MEETS]
    expanded, furthest = states[here], GO + _at_most(rows - 2, items - 2 - level)
    first, live = cursor[_AT], np.uint64(0)
    for i in range(first, first + some):
        cursor[_AT] = i
        state = expanded[np.uint64(i)]
        for taken in range(2):
            work = children[live]
            work[0] = state[0]
            for w in range(1, words):  # most states are one word, which needs no loop
                work[w] = state[w]
            code = whole(_child(work, level, taken, tables))
            if GO <= code <= furthest:
                parents[live] = 2 * i + taken
                skips[live] = code - GO
                if meets:
                    hashes[live] = hash_words(work, words)
                live += np.uint64(1)
                continue
            if code < 0 or code >= GO:
                cursor[_CODE] = code
                return -_OPEN_END if GO <= code < GO + rows - 1 else -_WRONG_CODE
            if code == FREE:
                cursor[_FREE_FROM] = _at_most(cursor[_FREE_FROM], level + 1)
            if keep:
                search.arcs[cursor[_ARCS] + i - first, taken] = -1 - code
            elif code != DEAD:
                _count(states, here, i, words, search.ended, code - DONE, level - cursor[_ENDED_FROM], False)
    return np.int64(live)


def _fetch(rows, notes, level, live):
    """Load what `_merge` will look at.

    Large tables are not in the processor's caches.  Here no load waits for the one before it, so many are under way at
    once.
    """
    states, slots, mask, number = rows.states, rows.slots, rows.mask, len(rows.mask)
    skips, hashes, children_rows, seen = notes[_SKIPPED], notes[_HASH], notes[_ROW], notes[_SEEN]
    here = (level + 1) % number
    for k in range(np.uint64(live)):
        row = here + skips[k]
        row = np.uint64(row - number if row >= number else row)
        children_rows[k] = row
        seen[k] = slots[row, np.uint64(hashes[k] & mask[row])]
    for k in range(np.uint64(live)):
        place = np.uint64(seen[k] if seen[k] > 0 else 0)
        seen[k] = states[np.uint64(children_rows[k]), place, 0]


def _merge(rows, children, notes, arcs, arcs_from, level, live, meets):
    """Put the children into their layers, equal ones once, with their arcs, or numbers of ways if there are no arcs."""
    states, made, words, number = rows.states, rows.made, children.shape[1], len(rows.made)
    bits, here = jump_bits(number - 2), (level + 1) % number
    parents, skips, hashes = notes[_PARENT], notes[_SKIPPED], notes[_HASH]
    for k in range(np.uint64(live)):
        parent, skipped = parents[k], skips[k]
        row = here + skipped
        row = row - number if row >= number else row
        place = made[row]
        if meets:
            place = _placed(rows, row, children[k], hashes[k])
        new = place == made[row]
        if new:
            states[row, place, 0] = children[k, 0]
            for w in range(1, words):
                states[row, place, w] = children[k, w]
            made[row] = place + 1
        if len(arcs):
            arcs[arcs_from + (parent >> 1), parent & 1] = place << bits | skipped
        else:
            _count(states, level % number, parent >> 1, words, states, row, place, new)


def _placed(rows, row, work, hash_):
    """Return the place of a child in its layer, the next free one if it is new."""
    states, slots, made, mask = rows.states[row], rows.slots[row], rows.made[row], rows.mask[row]
    slot = hash_ & mask
    while slots[np.uint64(slot)] >= 0:
        known = np.int64(slots[np.uint64(slot)])
        same = states[np.uint64(known), 0] == work[0]
        for w in range(1, len(work)):
            same = same and states[known, w] == work[w]
        if same:
            return known
        slot = (slot + 1) & mask
    slots[np.uint64(slot)] = made
    return made


def _crowded(rows, row, words, more):
    """Whether a row's table would be more than half full and there is no room for a longer one; else lengthen it."""
    states, slots, made, mask = rows.states, rows.slots, rows.made[row], rows.mask[row]
    if 2 * (made + more) <= mask:
        return False
    while 2 * (made + more) > mask:
        mask = 2 * mask + 1
    if mask >= slots.shape[1]:
        return True
    rows.mask[row] = mask
    for slot in range(mask + 1):
        slots[row, slot] = -1
    for i in range(made):
        slot = hash_words(states[row, i], words) & mask
        while slots[row, slot] >= 0:
            slot = (slot + 1) & mask
        slots[row, slot] = i
    return False


def _count(states, here, i, words, into, row, place, new):
    """Add the number of ways to state i to one of those in `into`; or put it there."""
    carry = 0
    for limb in range(words, states.shape[2]):
        carry += states[here, i, limb]
        carry += 0 if new else into[row, place, limb]
        into[row, place, limb] = carry & _LIMB_MASK
        carry >>= _LIMB
