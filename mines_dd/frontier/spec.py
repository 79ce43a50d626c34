"""What a problem says to the builder: its items, the state it starts from, and what a decision makes of a state.

A *spec* asks for some of the subsets of its items.  It decides them one after the other and remembers of the decisions
made so far only a *state* of a few integers: as much as it takes to tell which continuations are solutions.  The whole
problem is in `child`, a function over integers and arrays.  It runs interpreted, to be debugged and tested, and
compiled into the builder.

No two neighbours of a row, for instance.  The state is one integer: whether the last item is in.

>>> class NoTwoNeighbours(Spec):
...     def __init__(self, n):
...         self.items = range(n)
...         self.root = (0,)
...         self.tables = (n - 1,)
...
...     @staticmethod
...     def child(state, level, taken, tables):
...         if taken and state[0]:
...             return DEAD
...         state[0] = taken
...         return FREE if level == tables[0] else GO
>>> NoTwoNeighbours(4).step((1,), 2, True)
<End.DEAD: 0>
>>> from mines_dd.frontier import build, count
>>> build(NoTwoNeighbours(4)).to_assignments().count(), count(NoTwoNeighbours(80))
(8, 61305790721611591)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set, Sized
from copy import copy
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np

from mines_dd.base.binding import bind, fingerprint, fits, is_foreign, is_function, plain, wide
from mines_dd.base.budget import Budget, memory_errors
from mines_dd.base.checks import require, require_distinct, require_flag, require_labels, require_whole
from mines_dd.base.errors import MinesError
from mines_dd.base.integers import whole
from mines_dd.base.uncompilable import require_kept
from mines_dd.base.wording import counted, shown
from mines_dd.frontier.fields import in_one_integer

__all__ = ["DEAD", "DONE", "FREE", "GO", "MOST_SKIPPED", "Both", "End", "Spec", "require_spec"]

DEAD, DONE, FREE, GO = range(4)
"""What `Spec.child` returns: no solution; one solution, which takes no further item; solutions with all subsets of the
items to come; or go on from the state that it has written.  `GO + k` goes on k items later: none of those between is
taken."""

MOST_SKIPPED = 4
"""How many items `child` may skip at once."""

_BYTES_A_LABEL = 64  # of a list and a set of the items


class End(IntEnum):
    """Where an arc ends."""

    DEAD = DEAD
    """⊥: no continuation is a solution."""
    DONE = DONE
    """⊤ read as in a ZDD: the one solution from here takes no further item."""
    FREE = FREE
    """⊤ read as in a BDD: every further item is free."""

    @property
    def sign(self) -> str:
        """How it is written in drawings and tables."""
        return ("⊥", "⊤ ZDD", "⊤ BDD")[self]


class Spec:
    """A family of sets of items, by what has to be remembered while they are decided one after the other.

    Attributes
    ----------
    items : sequence of labels
        In the order of decision; level i decides item i.
    root : tuple of int, or End
        The state before the first decision, of at least one integer of 64 bits; an `End` if nothing is left to decide.
    tables : tuple of integers and NumPy arrays
        What `child` looks up; a NamedTuple if it reads better.  Arrays of other numbers than whole ones, True and
        False are given as doubles; a single such number is an array, too, `np.array([0.5])`.  True and False looked up
        are the numbers 1 and 0: `not` inverts them, and `~` does not.
    meets : bool array, optional
        For each level whether two of the states it leads to can be equal.  Where none can, none are compared.
    skips : int
        How many items `child` skips at most; up to `MOST_SKIPPED` (4).  As many more layers of states are kept.
    mixes : bool
        Whether nearly all of `full_widths` occur.  Only then is a search refused that is predicted to be far too large.
    """

    items: Sequence[Hashable]
    root: tuple[int, ...] | End
    tables: Any = ()
    meets: Any = None
    skips: int = 0
    mixes: bool = True

    def __repr__(self) -> str:
        """Return its name and how many items it has."""
        items = getattr(self, "items", None)
        return f"<{name_of(self)}: {counted(len(items), 'item') if isinstance(items, Sized) else 'no items'}>"

    @staticmethod
    def child(state: Any, level: int, taken: int, tables: Any) -> int:
        """Decide item `level` (`taken` is 0 or 1): change `state`, an int64 array, to the next one, and nothing else.

        Return `GO`, or `DEAD`, `DONE` or `FREE` to end the arc; after the last item it has to end.  Return `GO + k` if
        the next k items, at most `skips`, cannot be taken, with the state after them.  Equal states of a level have to
        have the same continuations.

        On large problems it is compiled by Numba.  So it uses numbers, tuples, arrays (those of `state` and `tables`,
        and global ones), loops and plain functions, and makes no list, set, dict, text or new array.  `state[:-1] =
        state[1:]` moves a part of an array; `state + 1` or `state > 1` would be a new one, and for `state[1:] +=
        state[:-1]`, which overwrites what it reads, write a loop.  Whole numbers have 64 bits there: what needs more
        fails, but for abs, pow, sum and NumPy's functions.  So does a float with a fraction that is put into the state,
        an integer beyond 2**53 that is compared with a float, and what has no finite result in `math`.  Not all that
        runs is compiled: `state.sum()` is, but for `state.max()`, `any(... for ...)` or `math.comb` write a loop or a
        table, and round to whole numbers; a function made inside `child` is called by position; a variable gets a value
        on every way to its use.  `print` prints numbers.
        """
        raise NotImplementedError

    def unpruned(self) -> Spec:
        """Return a spec of the same family whose arcs end as late as can be, for comparisons; itself if it has none."""
        return self

    def full_widths(self) -> Sequence[int] | None:
        """Return for each layer about how many states it may have, however many items come before; None if not known.

        Predictions rest on it (`mines_dd.frontier.widths`), and nothing else.
        """
        return None

    def frontier_widths(self) -> Sequence[int] | None:
        """Return for each layer how many vertices are on the frontier; None if the items are no edges.

        Predictions rest on it where `full_widths` is None, and nothing else.
        """
        return None

    def label(self, state: tuple[int, ...], level: int) -> Any:
        """Return what a state means, for `show`; another spec may say it in its own terms."""
        return state[0] if len(state) == 1 else state

    def show(self, state: Sequence[int], level: int) -> Any:
        """Return what a drawing writes into a node: a state that decides item `level`.

        Raises
        ------
        MinesError
            If there is no such item, or no such state.
        """
        words = _checked_state(self, state, level)
        try:
            return self.label(words, level)
        except Exception as fault:
            raise _failed(self, "label", words, level, fault) from fault

    def step(self, state: Sequence[int], level: int, taken: bool) -> tuple[int, ...] | End:
        """Return what `child` makes of a state, run interpreted.

        Where `child` returns `GO + k`, it is the state in which item `level + 1 + k` is decided; a spec whose `skips`
        is above 0 says that k by `child` alone.

        Raises
        ------
        MinesError
            If there is no such item or state, or `child` fails, or returns anything else than it may.
        """
        words, skips = _checked_state(self, state, level), checked_skips(self)
        taken = require_flag(taken, "taken")
        after = np.array(words, np.int64)
        try:
            with np.errstate(over="ignore", divide="raise"):
                code = child_of(self)(after, level, int(taken), checked_tables(self))
        except MinesError:
            raise
        except Exception as fault:
            raise _failed(self, "child", words, level, fault, f", taken={int(taken)}") from fault
        whole = isinstance(code, int | np.integer) and not isinstance(code, bool)
        if whole and GO <= code <= GO + skips:
            return tuple(after.tolist())
        if whole and code in tuple(End):
            return End(code)
        raise wrong_code(self, code, where(self, words, level))

    def __and__(self, other: Spec) -> Both:
        """Return the sets of both; the items are the same in the same order."""
        return Both(self, other)


def require_spec(spec: object) -> Spec:
    """Return what is a spec with items and a root.

    Raises
    ------
    MinesError
    BudgetExceededError
        If there are more items than the memory holds.
    """
    checked: Spec = require(spec, Spec, "a spec such as Paths(graph, source, target)")
    _require_parts(checked)
    Budget().reserve(_BYTES_A_LABEL * len(checked.items))
    with memory_errors("take fewer items"):
        labels = require_labels(checked.items, f"a sequence of items, {name_of(checked)}.items,", MinesError)
        require_distinct(labels, f"{name_of(checked)}.items", MinesError, "give each item a name of its own")
    if checked.child is Spec.child:
        raise MinesError(f"{name_of(checked)} has no child; define it, with @staticmethod above it")
    return checked


def _require_parts(spec: Spec) -> None:
    """Refuse a spec that has not set what it is made of."""
    for name in ("items", "root"):
        if not hasattr(spec, name):
            raise MinesError(f"{name_of(spec)} has no {name}; its __init__ sets that")
    by_number = isinstance(spec.items, Sized) and hasattr(spec.items, "__getitem__")
    if not by_number or isinstance(spec.items, Mapping | Set):  # networkx calls g.nodes and g.edges both
        kind = type(spec.items).__name__
        raise MinesError(f"{name_of(spec)}.items is of type {kind}; it is a sequence of items, such as tuple(items)")


def name_of(spec: Spec) -> str:
    """Return how errors call a spec."""
    if not isinstance(spec, Both):
        return type(spec).__name__
    names = [type(part).__name__ for part in _parts(spec)]
    return f"({' & '.join(names if len(names) < 5 else [*names[:3], f'{len(names) - 3} more'])})"


def _checked_state(spec: Spec, state: Any, level: int) -> tuple[int, ...]:
    """A state of as many integers as the root's, before an item that there is."""
    _require_parts(spec)
    require_whole(level, "the number of an item", least=0, most=len(spec.items) - 1)
    if isinstance(spec.root, End):
        raise MinesError(f"{name_of(spec)} has no states: nothing is left to decide")
    root = checked_root(spec)
    given = state.tolist() if isinstance(state, np.ndarray) else state
    words = tuple(given) if isinstance(given, Sequence) else ()
    if len(words) != len(root) or not all(isinstance(word, (int, np.integer)) for word in words):
        raise MinesError(f"{shown(state)} is no state of {name_of(spec)}; it has {counted(len(root), 'integer')}")
    if not all(map(fits, words)):
        raise MinesError(f"{shown(state)} has an integer of more than 64 bits")
    return tuple(map(int, words))


def _failed(spec: Spec, what: str, state: tuple[int, ...], level: int, fault: Exception, how: str = "") -> MinesError:
    """The error for a function of a spec that fails."""
    place = f"{where(spec, state, level)} of {counted(len(state), 'integer')}{how}"
    return MinesError(f"{name_of(spec)}.{what} fails {place}: {type(fault).__name__}: {fault}")


def where(spec: Spec, state: tuple[int, ...], level: int) -> str:
    """Return how errors call an item and the state before it is decided."""
    return f"at item {level} ({shown(spec.items[level])}), from the state {shown(state)}"


def wrong_code(spec: Spec, code: Any, place: str) -> MinesError:
    """The error for what `child` returned, at a place."""
    if isinstance(code, int | np.integer) and GO < code <= GO + MOST_SKIPPED:
        skips = f"skips, which is {spec.skips}, to {code - GO} or more"
        return MinesError(f"{name_of(spec)}.child returned GO + {code - GO}, {place}; for that set {skips}")
    said = "an array" if isinstance(code, np.ndarray) else shown(code)
    return MinesError(f"{name_of(spec)}.child returned {said}, {place}; it returns GO, DEAD, DONE or FREE")


def checked_root(spec: Spec) -> tuple[int, ...]:
    """Return the first state, of a spec that has an item to decide.

    Raises
    ------
    MinesError
    """
    root, name = spec.root, name_of(spec)
    if not (isinstance(root, tuple) and root and all(isinstance(word, (int, np.integer)) for word in root)):
        meant = (
            f"; did you mean ({root:d},), or End.{End(root).name}?"
            if isinstance(root, int) and root in tuple(End)
            else ""
        )
        raise MinesError(f"{name}.root is {root!r}; it is a tuple of one integer or more, or an End{meant}")
    if not all(map(fits, root)):
        raise MinesError(f"{name}.root has an integer of more than 64 bits; split it")
    if len(spec.items) == 0:
        raise MinesError(f"{name} does not say where it ends after the last item: it has none")
    return root


def checked_skips(spec: Spec) -> int:
    """Return how many items the spec skips at most.

    Raises
    ------
    MinesError
    """
    if isinstance(spec.skips, int | np.integer) and 0 <= spec.skips <= MOST_SKIPPED:
        return int(spec.skips)
    raise MinesError(f"{name_of(spec)}.skips is {spec.skips!r}; it is a whole number from 0 to {MOST_SKIPPED}")


def checked_meets(spec: Spec) -> Any:
    """Return for each level whether two of the states it leads to can be equal.

    Raises
    ------
    MinesError
    """
    if spec.meets is None:
        return True
    meets = np.asarray(spec.meets)
    if meets.shape != (len(spec.items),) or meets.dtype != np.bool_:
        raise MinesError(
            f"{name_of(spec)}.meets is {shown(spec.meets)}; it has True or False for each item, or is None"
        )
    return meets


def checked_tables(spec: Spec) -> tuple[Any, ...]:
    """Return the tables as a plain tuple of integers, C-contiguous arrays of numbers of 64 bits, and tuples of these.

    Raises
    ------
    MinesError
    """
    return tuple(_checked(spec.tables, f"{name_of(spec)}.tables"))


def _checked(tables: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(tables, tuple):
        raise MinesError(f"{name} is of type {type(tables).__name__}; it is a tuple of integers and arrays")
    checked: list[Any] = []
    for name_of_part, part in zip(getattr(tables, "_fields", range(len(tables))), tables, strict=True):
        inner = f"{name}.{name_of_part}"
        if isinstance(part, tuple):
            checked.append(_checked(part, inner))
        elif isinstance(part, np.ndarray) and part.dtype.kind in "biuf":
            checked.append(wide(part, inner))
        elif isinstance(part, (bool, int, np.integer)):
            checked.append(wide(int(part), inner))
        else:
            kind = f"an array of {part.dtype}" if isinstance(part, np.ndarray) else f"of type {type(part).__name__}"
            raise MinesError(
                f"{inner} is {kind}; give an integer of 64 bits, or an array of them or of doubles, such as "
                "np.array([0.5])"
            )
    fields: Any = type(tables)
    return tuple(checked) if fields is tuple else fields(*checked)


def child_of(spec: Spec) -> Callable[..., int]:
    """Return `spec.child` for tables that are a plain tuple, and for states of as many integers as the spec's."""
    child: Any = spec.child
    if not is_function(child):
        raise MinesError(f"{name_of(spec)}.child is a static method: put @staticmethod above a plain function")
    child = plain(child)  # it may have been made Numba's
    if isinstance(spec.root, End):
        return _without_states  # it is never called, and its tables may lack what it would look up
    if is_foreign(child):
        require_kept(child, 0, f"{name_of(spec)}.child", "state[0] += 1")
        child = _as_it_is_now(child, fingerprint(child))
    fields: Any = type(spec.tables)
    if len(spec.root) == 1:
        child = in_one_integer(child)
    return child if fields is tuple else _with_named_tables(child, fields)


@lru_cache(256)
def _as_it_is_now(child: Callable[..., int], fingerprint: str) -> Callable[..., int]:
    """A copy for what it refers to now: that is compiled into a kernel, and may change in a notebook."""
    return bind(child, {})


@lru_cache(256)
def _with_named_tables(child: Callable[..., int], fields: Callable[..., Any]) -> Callable[..., int]:
    return bind(_child_with_named_tables, {"_child": child, "_fields": fields})


class Both(Spec):
    """The sets of two specs at once: a state is one of the one spec beside one of the other.

    The first integer holds for each what its `child` returned, less the items decided since: whether it goes on, now or
    later, or has ended, and how.  A join of dozens takes up to a minute to compile where it pays.
    It stays as it was made, whatever is assigned to its parts later; their arrays are shared.

    Attributes
    ----------
    first, second : Spec

    Raises
    ------
    MinesError
        If one is no spec, or their items are not the same in the same order.
    """

    mixes = False  # few of all pairs of states may occur together

    def __init__(self, first: Spec, second: Spec) -> None:
        for spec in (first, second):
            if not isinstance(require_spec(spec).root, End):
                checked_root(spec)
            checked_skips(spec)
            checked_tables(spec)
        if list(first.items) != list(second.items):
            raise MinesError(
                "two specs that are joined by & need the same items in the same order; make the second one with "
                "order=first.items, or of first.items, such as Exactly(first.items, 3), or of some of them "
                "Linear({item: int(item in some) for item in first.items}, 3)"
            )
        self.items = first.items
        self.tables = (tuple(first.tables), tuple(second.tables))
        self.first, self.second = copy(first), copy(second)  # they may be given another root or other tables
        self.skips = max(first.skips, second.skips)
        roots = first.root, second.root
        self._words = [1 if isinstance(root, End) else len(root) for root in roots]
        ends = [root for root in roots if isinstance(root, End)]
        if End.DEAD in ends:
            self.root = End.DEAD
        elif len(ends) == 2:
            self.root = End.DONE if End.DONE in ends else End.FREE
        else:
            codes = [int(root) if isinstance(root, End) else GO for root in roots]
            words = [(0,) if isinstance(root, End) else root for root in roots]
            self.root = (codes[0] | codes[1] << _CODE_BITS, *words[0], *words[1])

    def __and__(self, other: Spec) -> Both:
        """Return the sets of all; a long chain becomes a balanced tree, whose levels share compiled code if alike."""
        if len(_parts(self.second)) < len(_parts(self.first)):
            return Both(self.first, self.second & other)
        return Both(self, other)

    @property
    def child(self) -> Callable[..., int]:  # type: ignore[override]
        """What decides an item in both."""
        furthest = tuple(GO + checked_skips(spec) for spec in (self.first, self.second))
        return _child_of_both(child_of(self.first), child_of(self.second), 1 + self._words[0], furthest)

    def step(self, state: Sequence[int], level: int, taken: bool) -> tuple[int, ...] | End:
        """Return what `child` makes of a state; what fails is told of the one of the two that does."""
        for spec, code, part in self._split(_checked_state(self, state, level)):
            if code == GO:
                spec.step(part, level, taken)
        return super().step(state, level, taken)

    def _split(self, state: tuple[int, ...]) -> Iterator[tuple[Spec, int, tuple[int, ...]]]:
        """Each spec with what it returned and its state."""
        split = 1 + self._words[0]
        return zip((self.first, self.second), _codes_of(state), (state[1:split], state[split:]), strict=True)

    def unpruned(self) -> Spec:
        """Return the product of the unpruned specs."""
        return Both(self.first.unpruned(), self.second.unpruned())

    def full_widths(self) -> Sequence[int] | None:
        """Return the products of the widths of both."""
        one, other = self.first.full_widths(), self.second.full_widths()
        return None if one is None or other is None else [a * b for a, b in zip(one, other, strict=True)]

    def frontier_widths(self) -> Sequence[int] | None:
        """Return those of one of them: the items are the same."""
        widths = self.first.frontier_widths()
        return self.second.frontier_widths() if widths is None else widths

    def label(self, state: tuple[int, ...], level: int) -> Any:
        """Return both states; the sign of one that has ended."""
        return tuple(
            spec.label(part, level + code - GO) if code >= GO else End(code).sign
            for spec, code, part in self._split(state)
        )


def _parts(spec: Spec) -> list[Spec]:
    """The specs that were joined, in their order."""
    return [*_parts(spec.first), *_parts(spec.second)] if isinstance(spec, Both) else [spec]


@lru_cache(256)
def _child_of_both(
    first: Callable[..., int], second: Callable[..., int], split: int, furthest: tuple[int, int]
) -> Callable[..., int]:
    return bind(_child_of_two, {"_first": first, "_second": second, "_SPLIT": split, "_FURTHEST": furthest})


# Bound when it is known which spec they are for.
_child: Any = None
_fields: Any = None
_first: Any = None
_second: Any = None
_SPLIT = 1
_FURTHEST = GO, GO
_WRONG = -1  # what no `child` may return
_CODE_BITS, _CODE_MASK = 3, GO + MOST_SKIPPED


def _without_states(state, level, taken, tables):
    return DEAD


def _child_with_named_tables(state, level, taken, tables):
    return _child(state, level, taken, _fields(*tables))


def _codes_of(state):
    return state[0] & _CODE_MASK, state[0] >> _CODE_BITS


def _child_of_two(state, level, taken, tables):
    one, other = _codes_of(state)
    if taken and (_takes_no_item(one) or _takes_no_item(other)):
        return DEAD
    if one == GO:
        one = whole(_first(state[1:_SPLIT], level, taken, tables[0]))
    elif one > GO:
        one -= 1
    if one == DEAD:
        return DEAD
    if other == GO:
        other = whole(_second(state[_SPLIT:], level, taken, tables[1]))
    elif other > GO:
        other -= 1
    if other == DEAD:
        return DEAD
    if not 0 <= one <= _FURTHEST[0] or not 0 <= other <= _FURTHEST[1]:
        return _WRONG  # the search asks each of the two again what it says, in its own terms
    if one < GO and other < GO:
        return FREE if one == FREE and other == FREE else DONE
    if one < GO:
        for w in range(1, _SPLIT):
            state[w] = 0
    if other < GO:
        for w in range(_SPLIT, len(state)):
            state[w] = 0
    return _later_of_two(state, one, other)


def _takes_no_item(code):
    return code == DONE or code > GO


def _later_of_two(state, one, other):
    """Skip the items that neither takes."""
    if one == FREE or other == FREE:
        skipped = 0
    elif one == DONE:
        skipped = other - GO
    elif other == DONE:
        skipped = one - GO
    else:
        skipped = min(one, other) - GO
    if one > GO:
        one -= skipped
    if other > GO:
        other -= skipped
    state[0] = one | other << _CODE_BITS
    return GO + skipped
