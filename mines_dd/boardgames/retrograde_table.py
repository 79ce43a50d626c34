"""Retrograde analysis of games too large to list: positions in one table of keys, moves made and taken back by rules.

`retrograde` takes a list of all moves, 12 bytes a move and more.  Here a game is three functions, compiled into the
search, and a position takes 9 bytes a slot: its key, a number, and one byte for all that is known of it.

    moves(key, out)      write the keys after each move to `out`, return how many; asked of open positions alone
    unmoves(key, out)    write the keys from which a move leads here, return how many; keys never met do no harm
    ended(key)           WIN, LOSS or DRAW (of `retrograde`) for the player to move if the game is over there, else OPEN

A key too many or too few from `unmoves` can make outcomes wrong; `TableSolution.wrong` tells.

Keys are positive and less than 2**62.  One position should have one key: turn the board so that the player to move is
always below, and of mirror images take the smaller key.  Keys may be written twice; they count once.

First the search goes forward from the start, ply by ply, and notes how many moves of each position have to be refuted:

    start -> a -> b (lost)      start 1 move, a 2 moves, b lost in 0
             a -> start

Then it goes backward, distance by distance, as `retrograde` does: b is lost in 0, so `unmoves(b)` = a is won in 1; a is
a move of the start fewer to be refuted, none is left, so the start is lost in 2.  What is left undecided is drawn.

A move after which the opponent wins at once (`ended` is WIN) is no move: a position that has no others is lost in 0, as
a king is mated one move before it would be taken.  This also spares such positions a search of their own.

The byte of a slot (`_WAITING` and so on) is the ply to expand it in, or the distance, odd if won and even if lost, or
how many moves are not refuted.  A ply or a distance is one pass over the bytes, so no list of positions is kept.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.binding import bind, plain
from mines_dd.base.budget import PAUSED, Budget
from mines_dd.base.checks import require, require_function, require_whole
from mines_dd.base.errors import MinesError
from mines_dd.base.hashing import hash_word
from mines_dd.base.integers import whole
from mines_dd.base.jit import BoundKernel, kernel
from mines_dd.base.uncompilable import is_numbas, numba_reason, raised_in, require_kept
from mines_dd.base.wording import counted
from mines_dd.boardgames.retrograde import DRAW, LOSS, OPEN, WIN

__all__ = ["Rules", "TableSolution", "Tally", "solve_rules"]

# The byte of a slot.  Positions to expand in this ply and the next have _WAITING and _WAITING + 1, in turns.
# Of an end that is drawn it is _UNDECIDED, of an undecided position more than that.
_EMPTY, _WAITING, _TAKEN, _LOST, _UNDECIDED = 0, 1, 3, 4, 191
_LONGEST = _UNDECIDED - _LOST - 1
"""The greatest distance that a byte holds."""
_MOST_MOVES = 255 - _UNDECIDED

# The numbers in `_Table.state`: the slot to go on from, slots in use, positions found for the next ply or distance,
# positions expanded, their moves to different positions, positions whose value does not follow from their moves, and
# one that keeps reads ahead from being optimised away.
_AT, _USED, _FOUND, _EXPANDED, _MOVES, _WRONG, _STAMP = range(7)
_DONE, _FULL, _TOO_MANY, _NO_KEY, _NO_END, _NO_COUNT = range(6)
_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_LARGEST_KEY = 2**62 - 1
_FILL = 0.7
"""The share of slots in use from which a table is doubled."""

Progress = Callable[[str, int, int, int], object]


class Rules(NamedTuple):
    """A game, as functions that Numba can compile; see the module.

    On large games they are compiled.  They can use what `mines_dd.frontier.Spec.child` can, and so make no list, text
    or new array, as `np.zeros` does.  Whole numbers have 64 bits there: what needs more ends the search by an error.

    Attributes
    ----------
    moves, unmoves : function
        Of a key and an int64 array to write to; they return how many keys they wrote, each at least 1 and less than
        2**62.
    ended : function
        Of a key; it returns WIN, LOSS, DRAW or OPEN (of `mines_dd.boardgames.retrograde`).
    most : int
        The most keys that `moves` or `unmoves` writes, at least 1.  No more than 64 different ones may be moves of one
        position.
    name : str
    """

    moves: Callable[[Any, Any], int]
    unmoves: Callable[[Any, Any], int]
    ended: Callable[[Any], int]
    most: int
    name: str


class Tally(NamedTuple):
    """How many positions have each outcome.

    Attributes
    ----------
    taken : int
        Positions that end the game and are won by the player to move.
    lost, won : list of int
        By the distance halved: `lost[i]` positions are lost in 2i moves, `won[i]` are won in 2i + 1.
    drawn : int
    """

    taken: int
    lost: list[int]
    won: list[int]
    drawn: int


class _Table(NamedTuple):
    keys: npt.NDArray[np.int64]
    values: npt.NDArray[np.uint8]
    words: npt.NDArray[np.uint64]  # the same bytes, eight at a time
    out: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int64]
    state: npt.NDArray[np.int64]


class TableSolution:
    """The outcome of every position that can be reached from a start.

    Attributes
    ----------
    plies : list of int
        How many positions are first met after 0, 1, 2, ... moves; ended ones that are won at once are not among them.
    """

    def __init__(self, engine: _Engine, plies: list[int]) -> None:
        self._engine = engine
        self.plies = plies

    @property
    def _table(self) -> _Table:
        return self._engine.table

    def __len__(self) -> int:
        """The number of positions."""
        return int(self._table.state[_USED])

    @property
    def expanded(self) -> int:
        """The number of open positions."""
        return int(self._table.state[_EXPANDED])

    @property
    def moves(self) -> int:
        """The number of moves from open positions; those to the same position are one, and those into a loss count."""
        return int(self._table.state[_MOVES])

    def wrong(self) -> int:
        """Make all moves once more, and count the open positions whose outcome or distance does not follow from them.

        This uses `moves` and `ended` alone.  If it is 0 the solution is right, whatever `unmoves` does: by induction
        on the distance every win and loss is one, and from each draw there is a move to a draw and none that wins.
        """
        return self._engine.wrong()

    def verdict(self, key: int) -> tuple[int, int | None]:
        """Return the outcome for the player to move and the distance, None for a draw; the key has to be there.

        Raises
        ------
        KeyError
            If this position cannot be reached from the start.
        """
        slot = int(_find.run(1, self._table.keys, np.int64(_key(key))))
        value = int(self._table.values[slot])
        if value == _EMPTY:
            raise KeyError(key)
        if value == _TAKEN:
            return WIN, 0
        if value >= _UNDECIDED:
            return DRAW, None
        return (LOSS, WIN)[(value - _LOST) % 2], value - _LOST

    def tally(self) -> Tally:
        """Count the positions by outcome and distance."""
        counts = np.zeros(256, np.int64)
        for first in range(0, len(self._table.values), 2**22):  # bincount takes 8 bytes an item
            counts += np.bincount(self._table.values[first : first + 2**22], minlength=256)
        distances = np.trim_zeros(counts[_LOST:_UNDECIDED], "b").tolist()
        return Tally(int(counts[_TAKEN]), distances[::2], distances[1::2], int(counts[_UNDECIDED:].sum()))


def solve_rules(
    rules: Rules,
    start: int,
    capacity: int = 2**6,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> TableSolution:
    """Solve the positions that can be reached from a start.

    The distance to an end that `ended` calls WIN is one less than that of `retrograde`: the move there is no move.

    Parameters
    ----------
    rules : Rules
    start : int
        A key.  If the game is over there, it is the only position.
    capacity : int
        How many positions to expect.  The table is doubled when it gets full, which for a moment takes half as much
        memory again.
    budget : Budget, optional
        `max_nodes` are positions.
    progress : function, optional
        Called after each ply as `progress("ply", ply, found, positions)` and after each distance as
        `progress("distance", distance, found, positions)`; `found` are those of the next ply or distance.

    Raises
    ------
    BudgetExceededError
        If there are too many positions, or the memory or the time is not enough.
    MinesError
        If the start is no key, a function writes or returns something else than `Rules` says or cannot be compiled, a
        position has more than 64 different moves, or a distance is longer than 186.

    Examples
    --------
    Take one or two from a heap of 5; the key is the heap and one more, and whoever finds it empty has lost.

    >>> def moves(key, out):
    ...     for taken in range(1, 3):
    ...         out[taken - 1] = max(key - taken, 1)
    ...     return 2
    >>> def unmoves(key, out):
    ...     for taken in range(1, 3):
    ...         out[taken - 1] = key + taken
    ...     return 2
    >>> def ended(key):
    ...     return -1 if key == 1 else 2  # LOSS, OPEN
    >>> solution = solve_rules(Rules(moves, unmoves, ended, 2, "heap"), 6)
    >>> len(solution), solution.verdict(6), solution.verdict(4)
    (6, (1, 3), (-1, 2))
    >>> solution.wrong()  # all moves made again: `unmoves` named no key too many, and none too few
    0
    """
    require(rules, Rules, "a game as Rules", "dobutsu.RULES are some")
    start = _key(start)
    rules = rules._replace(most=require_whole(rules.most, "most of the rules", least=1, most=2**20))
    capacity = require_whole(capacity, "the number of positions to expect", least=1, most=_LARGEST_KEY)
    if progress is not None:
        require_function(progress, "a function for progress")
    budget = Budget.of(budget)
    engine = _Engine(rules, start, capacity, budget)
    plies = [1]
    while plies[-1]:
        found = engine.expand(len(plies) - 1)
        if progress:
            progress("ply", len(plies) - 1, found, engine.positions)
        plies.append(found)
    distance, found = 0, 1
    while found:
        found = engine.spread(distance)
        if progress:
            progress("distance", distance, found, engine.positions)
        distance += 1
    return TableSolution(engine, plies[:-1])


def _key(key: object) -> int:
    return require_whole(key, "the key of the position", least=1, most=_LARGEST_KEY)


class _Engine:
    """A table, and the kernels of one game."""

    def __init__(self, rules: Rules, start: int, capacity: int, budget: Budget) -> None:
        self._bind(rules, budget)
        slots = 2 ** max(4, int(np.ceil(np.log2(max(capacity, 2 * rules.most) / _FILL))))
        self.table = self._new(slots)
        slot = int(_find.run(1, self.table.keys, np.int64(start)))
        self.table.keys[slot], self.table.values[slot] = start, self._begin(start)
        self.table.state[_USED] = 1

    def _bind(self, rules: Rules, budget: Budget) -> None:
        self.rules, self.budget, self.most = rules, budget, rules.most
        require_function(rules.ended, f"a function for ended of {rules.name}")
        for which, function in (("moves", rules.moves), ("unmoves", rules.unmoves)):
            require_function(function, f"a function for {which} of {rules.name}")
            require_kept(plain(function), 1, f"{which} of {rules.name}", "out[0] = key")
        bound = {"_moves": rules.moves, "_unmoves": rules.unmoves, "_ended": rules.ended}
        self._expand = BoundKernel(_expand, bound, rules.name)
        self._spread = BoundKernel(_spread, bound, rules.name)
        self._check = BoundKernel(_check, bound, rules.name)

    def _begin(self, start: int) -> int:
        """The byte of the start."""
        try:
            end = self.budget.of_user(bind(self.rules.ended, {}), np.int64(start))
            ends = {WIN: _TAKEN, LOSS: _LOST, DRAW: _UNDECIDED, OPEN: _WAITING}
            begins = None if isinstance(end, bool | np.bool_) else ends.get(end)  # True would be a win
        except TypeError as error:
            if not raised_in(error, "mines_dd."):
                raise
            raise MinesError(
                f"ended of {self.rules.name} takes a key, and returns WIN, LOSS, DRAW or OPEN; {error}"
            ) from error
        if begins is None:
            raise self._no_end()
        return begins

    def __getstate__(self) -> tuple[Rules, Budget, _Table]:
        """What is pickled: kernels cannot be, and `words` is a view."""
        return self.rules, self.budget, self.table._replace(words=self.table.words[:0])

    def __setstate__(self, state: tuple[Rules, Budget, _Table]) -> None:
        rules, budget, table = state
        self._bind(rules, budget)
        self.table = table._replace(words=table.values.view(np.uint64))

    @property
    def positions(self) -> int:
        return int(self.table.state[_USED])

    @property
    def _work(self) -> int:
        """The work of a pass: all bytes are looked at, eight at a time."""
        return 10 * self.positions + len(self.table.words)

    def _new(self, slots: int) -> _Table:
        self.budget.reserve(9 * slots)
        keys, values = np.zeros(slots, np.int64), np.zeros(slots, np.uint8)
        return _Table(keys, values, values.view(np.uint64), *(np.zeros(n, np.int64) for n in (self.most, self.most, 7)))

    def expand(self, ply: int) -> int:
        """Make the moves of all positions of a ply; return how many open or lost positions were new."""
        self.table.state[_AT] = self.table.state[_FOUND] = 0
        if self._expand.pays(self._work, self.budget.seconds_left):
            with self._explained(self._spread):  # what cannot be compiled is said now, not after the last ply
                self._spread.make_ready(self.table, 0, 0)
        while True:
            full = int(_FILL * len(self.table.keys)) - self.most
            status = self._run(self._expand, ply % 2, full)
            self.budget.check(self.positions)
            if status == _TOO_MANY:
                raise MinesError(f"a position has more than {_MOST_MOVES} moves, and its byte cannot count them")
            if status == _NO_KEY:
                raise MinesError(
                    f"the moves of {self.rules.name} write a key that is none: keys are at least 1 and less than 2**62"
                )
            if status == _NO_END:
                raise self._no_end()
            if status == _NO_COUNT:
                raise self._no_count("moves")
            if status == _DONE:
                return int(self.table.state[_FOUND])
            self._double()

    def spread(self, distance: int) -> int:
        """Take back the moves to all positions of a distance; return how many are thereby decided."""
        self.table.state[_AT] = self.table.state[_FOUND] = 0
        if self._run(self._spread, distance) == _NO_COUNT:
            raise self._no_count("unmoves")
        found = int(self.table.state[_FOUND])
        if found and distance == _LONGEST:
            raise MinesError(f"a position is more than {_LONGEST} moves from the end, and its byte cannot say so")
        return found

    def wrong(self) -> int:
        shared = self.table  # by threads that ask the same
        table = shared._replace(**{name: getattr(shared, name).copy() for name in ("out", "slots", "state")})
        table.state[_AT] = table.state[_WRONG] = 0
        with self._explained(self._check):
            self.budget.renewed().run(self._check, self._work, table)
        return int(table.state[_WRONG])

    def _no_end(self) -> MinesError:
        return MinesError(f"ended of {self.rules.name} returns something else than WIN, LOSS, DRAW or OPEN")

    def _no_count(self, function: str) -> MinesError:
        return MinesError(
            f"{function} of {self.rules.name} returns something else than how many keys it wrote, 0 to {self.most}"
        )

    def _run(self, kernel: BoundKernel, *args: int) -> Any:
        with self._explained(kernel):
            return self.budget.run(kernel, self._work, self.table, *args)

    @contextmanager
    def _explained(self, kernel: BoundKernel) -> Iterator[None]:
        """Say of errors in the rules what is wrong with them."""
        try:
            yield
        except IndexError as error:
            raise MinesError(
                f"the rules of {self.rules.name} write more than {counted(self.most, 'key')}, which is their most, "
                f"or look up what is not there: {error}"
            ) from error
        except Exception as error:
            if is_numbas(error):
                reason = f"{numba_reason(error)}; Rules says what they can use"
                raise MinesError(f"the rules of {self.rules.name} cannot be compiled: {reason}") from None
            if isinstance(error, TypeError) and raised_in(error, "mines_dd."):
                function = "unmoves" if kernel is self._spread else "moves"
                raise MinesError(
                    f"{function} of {self.rules.name} takes a key and an array, and returns how many keys it wrote "
                    f"there; {error}"
                ) from error
            if isinstance(error, MinesError | MemoryError) or self._is_seen_in(error):
                raise
            raise MinesError(f"the rules of {self.rules.name} fail compiled: {error}") from error

    def _is_seen_in(self, error: Exception) -> bool:
        """Whether an error's traceback leads through the rules, as it does if they ran interpreted."""
        codes = {plain(function).__code__ for function in (self.rules.moves, self.rules.unmoves, self.rules.ended)}
        return any(frame.f_code in codes for frame, _ in traceback.walk_tb(error.__traceback__))

    def _double(self) -> None:
        old, new = self.table, self._new(2 * len(self.table.keys))
        _copy.run(len(new.keys), old.keys, old.values, new.keys, new.values)
        new.state[_USED:] = old.state[_USED:]
        self.table = new


@kernel
def _find(keys: Any, key: Any) -> Any:
    """The slot of a key, or the free one where it would go."""
    return _find_from(keys, key, hash_word(key) & (len(keys) - 1))


@kernel
def _find_from(keys: Any, key: Any, slot: Any) -> Any:
    """The same, from the first slot that it may have."""
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & (len(keys) - 1)
    return slot


@kernel
def _copy(old_keys: Any, old_values: Any, keys: Any, values: Any) -> Any:
    """Put what one table holds into a larger one."""
    for old in range(len(old_keys)):
        if old_keys[old] != 0:
            slot = _find(keys, old_keys[old])
            keys[slot] = old_keys[old]
            values[slot] = old_values[old]


# Bound to the rules' functions.
_moves: Any = None
_unmoves: Any = None
_ended: Any = None


def _seek(table: Any, slot: Any, value: Any) -> Any:
    """The next slot from this one on that has this byte, or the number of slots."""
    pattern = np.uint64(value) * _ONES
    while slot < len(table.values):
        if slot & 7 == 0:
            word = table.words[slot >> 3] ^ pattern
            if (word - _ONES) & ~word & _HIGHS == 0:  # none of its bytes is 0
                slot += 8
                continue
        if table.values[slot] == value:
            return slot
        slot += 1
    return slot


def _look_ahead(table: Any, count: Any) -> Any:
    """Note the first slot of each key and read them all: the processor then waits for memory once, not each time."""
    stamp = np.int64(0)
    for i in range(count):
        table.slots[i] = hash_word(table.out[i]) & (len(table.keys) - 1)
        stamp ^= table.keys[table.slots[i]]
    table.state[_STAMP] ^= stamp


def _is_met(slots: Any, count: Any, slot: Any) -> Any:
    """Tell whether a slot is among the first of a list."""
    i = 0
    while i < count and slots[i] != slot:
        i += 1
    return i < count


def _enter(table: Any, count: Any, after: Any) -> Any:
    """Put the positions after each move into the table; return how many moves have to be refuted, or minus a status."""
    keys, values, slots, state = table.keys, table.values, table.slots, table.state
    unrefuted = 0
    for i in range(count):
        key = table.out[i]
        if not 0 < key <= _LARGEST_KEY:
            return -_NO_KEY
        slot = _find_from(keys, key, slots[i])
        slots[i] = slot
        if _is_met(slots, i, slot):
            continue
        state[_MOVES] += 1
        end = _ended(key)
        if end != WIN and end != LOSS and end != DRAW and end != OPEN:
            return -_NO_END
        if end != WIN:
            unrefuted += 1
        if keys[slot] == 0:
            keys[slot] = key
            values[slot] = _TAKEN if end == WIN else _LOST if end == LOSS else _UNDECIDED if end == DRAW else after
            state[_USED] += 1
            if end != WIN:
                state[_FOUND] += 1
    return unrefuted


def _expand(table: Any, parity: Any, full: Any, patience: Any) -> Any:
    """Expand the positions of a ply; return _DONE, PAUSED, _FULL or what is wrong."""
    values, state = table.values, table.state
    slot = _seek(table, state[_AT], _WAITING + parity)
    while slot < len(values):
        if state[_USED] > full or patience < 0:
            state[_AT] = slot if patience < 0 else 0
            return PAUSED if patience < 0 else _FULL
        count = whole(_moves(table.keys[slot], table.out))
        if not 0 <= count <= len(table.out):
            return _NO_COUNT
        _look_ahead(table, count)
        unrefuted = _enter(table, count, _WAITING + 1 - parity)
        if unrefuted < 0:
            return -unrefuted
        if unrefuted > _MOST_MOVES:
            return _TOO_MANY
        values[slot] = _UNDECIDED + unrefuted if unrefuted else _LOST
        state[_EXPANDED] += 1
        patience -= 10 + 5 * count
        slot = _seek(table, slot + 1, _WAITING + parity)
    return _DONE


def _spread(table: Any, distance: Any, patience: Any) -> Any:
    """Decide what follows from the positions of a distance; return _DONE, PAUSED or _NO_COUNT."""
    values, state = table.values, table.state
    slot = _seek(table, state[_AT], _LOST + distance)
    while slot < len(values):
        if patience < 0:
            state[_AT] = slot
            return PAUSED
        count = whole(_unmoves(table.keys[slot], table.out))
        if not 0 <= count <= len(table.out):
            return _NO_COUNT
        _look_ahead(table, count)
        _tell(table, count, distance)
        patience -= 10 + 5 * count
        slot = _seek(table, slot + 1, _LOST + distance)
    return _DONE


def _tell(table: Any, count: Any, distance: Any) -> Any:
    """Tell the positions before one of this distance of it."""
    keys, values, slots, state = table.keys, table.values, table.slots, table.state
    known = 0
    for i in range(count):
        slot = _find_from(keys, table.out[i], slots[i])
        if values[slot] <= _UNDECIDED or _is_met(slots, known, slot):
            continue
        slots[known] = slot
        known += 1
        if distance % 2 and values[slot] > _UNDECIDED + 1:
            values[slot] -= 1
        else:
            values[slot] = _LOST + distance + 1
            state[_FOUND] += 1


def _follows(table: Any, count: Any) -> Any:
    """The byte that follows from those of a position's moves; _UNDECIDED for a draw."""
    keys, values = table.keys, table.values
    quickest: Any = _UNDECIDED
    slowest: Any = _LOST
    drawn = False
    for i in range(count):
        slot = _find_from(keys, table.out[i], table.slots[i])
        value = np.int64(values[slot])
        if value >= _UNDECIDED:
            drawn = True
        elif value >= _LOST and (value - _LOST) % 2 == 0:
            quickest = min(quickest, value + 1)
        elif value > _LOST:
            slowest = max(slowest, value + 1)
    if quickest < _UNDECIDED:
        return quickest
    return _UNDECIDED if drawn else slowest


def _check(table: Any, patience: Any) -> Any:
    """Count the open positions whose byte does not follow from their moves; return _DONE or PAUSED."""
    keys, values, state = table.keys, table.values, table.state
    at = state[_AT]
    while at < len(keys):
        patience -= 1
        if values[at] >= _LOST and _ended(keys[at]) == OPEN:
            if patience < 0:
                state[_AT] = at
                return PAUSED
            count = _moves(keys[at], table.out)
            _look_ahead(table, count)
            if _follows(table, count) != min(np.int64(values[at]), _UNDECIDED):
                state[_WRONG] += 1
            patience -= 5 * count
        at += 1
    return _DONE
