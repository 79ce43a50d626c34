"""Limits on a compilation or a question: nodes, seconds, and the machine's memory."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from mines_dd.base.checks import require, require_function, require_number, require_whole
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.base.wording import are, counted, gibibytes

if TYPE_CHECKING:
    from mines_dd.base.jit import Kernel

__all__ = ["PAUSED", "SMALLER", "Budget", "Pace", "available_memory", "memory_errors"]

SMALLER = "take a smaller problem"
"""The advice of an error when there is no better one."""

T = TypeVar("T")

PAUSED = -1
"""What a kernel returns that is out of patience; see `Budget.run`."""

# Inner steps of a kernel between two looks at the clock: some hundredths of a second.
_INTERPRETED, _COMPILED = 5_000, 5_000_000
_FIRST = 8  # steps of users' code, of which nobody knows how long they take, before the first look
_BLINK = 0.05  # seconds between two looks, where steps were measured
_GRACE = 0.05  # seconds beyond the limit, after which users' code is ended that runs interpreted
_LOOK_EVERY = 1_000  # items of a Python loop between two looks

_SMALL_ALLOCATION = 64 * 2**20  # bytes; for less, the free memory is not looked up
_SHARE = 0.9  # of the free memory may be used


@dataclass(frozen=True)
class Budget:
    """How many nodes a compilation may make, and how long it, or the answer to a question, may take.

    Attributes
    ----------
    max_nodes : int, optional
        Nodes (states, table entries) alive or kept at any moment.
    timeout : float, optional
        Seconds, counted from when this object is created.
    advice : str
        What the user can do other than allow more: the end of the error's text.

    Examples
    --------
    >>> try:
    ...     Budget(max_nodes=100).check(nodes=101)
    ... except BudgetExceededError as error:
    ...     print(error)
    this needs at least 101 nodes and 100 are allowed; allow more, or take a smaller problem
    """

    max_nodes: int | None = None
    timeout: float | None = None
    started: float = field(default_factory=time.monotonic)
    advice: str = SMALLER

    def __post_init__(self) -> None:
        if self.max_nodes is not None:
            object.__setattr__(self, "max_nodes", require_whole(self.max_nodes, "the limit of nodes", least=0))
        if self.timeout is not None:
            object.__setattr__(self, "timeout", _double(require_number(self.timeout, "the limit of seconds")))
            if self.timeout < 0:
                raise MinesError(f"the limit of seconds is {self.timeout:g}; give 0 or more, or None for no limit")

    @classmethod
    def of(cls, budget: Budget | None) -> Budget:
        """Return a budget as it is, and one without limits for None.

        Raises
        ------
        MinesError
            For anything else.

        Examples
        --------
        >>> Budget.of(None).timeout is None
        True
        """
        if budget is None:
            return cls()
        given: Budget = require(budget, Budget, "a Budget", "write mines_dd.Budget(timeout=60)")
        return given

    def renewed(self) -> Budget:
        """Return the same limits, with the seconds counted from now.

        Examples
        --------
        >>> Budget(max_nodes=100).renewed().max_nodes
        100
        """
        return replace(self, started=time.monotonic())

    def once(self) -> Budget:
        """Return a budget whose seconds are not counted anew, however often it is `renewed`: that of a command.

        Examples
        --------
        >>> budget = Budget(timeout=60).once()
        >>> budget.renewed() is budget
        True
        """
        return _Once(self.max_nodes, self.timeout, self.started, self.advice)

    def reserve(self, size: int) -> None:
        """Raise `BudgetExceededError` if `size` more bytes do not fit into memory: the machine would start to swap.

        Examples
        --------
        >>> Budget().reserve(2**20)  # a mebibyte is never refused
        """
        if require_number(size, "the number of bytes") < _SMALL_ALLOCATION:
            return
        available = available_memory()
        if available is not None and size > _SHARE * available:
            allowed = _SHARE * available
            fact = (
                f"this needs {gibibytes(size)} more memory and {gibibytes(allowed)} are allowed, "
                f"as {gibibytes(available)} are free"
            )
            raise self._exceeded(fact, size, allowed, "bytes")

    def refuse(self, nodes: float, seconds: float, size: float, excess: float = 2, of_memory: float = 2) -> None:
        """Raise `BudgetExceededError` if the predicted cost is more than so many times what is allowed.

        Why twice: nine predictions in ten are right within a factor of 2.  Worse ones give their own `excess`, and
        one `of_memory`, which is less: work that runs out of memory cannot always be stopped in time.

        Examples
        --------
        >>> try:
        ...     Budget(timeout=10).refuse(nodes=1e6, seconds=60, size=1e6)
        ... except BudgetExceededError as error:
        ...     print(error.fact)
        this is predicted to need 60 seconds and 10 are allowed
        """
        available = available_memory()
        for needed, allowed, unit, times in (
            (nodes, self.max_nodes, "nodes", excess),
            (seconds, self.timeout, "seconds", excess),
            (size, None if available is None else _SHARE * available, "bytes", of_memory),
        ):
            require_number(needed, f"the number of {unit}")
            if allowed is not None and needed > times * allowed:
                about = f"{math.ceil(needed):,}" if unit == "nodes" and needed < 1e6 else _three_figures(needed)
                limit = f"{allowed:,}" if unit == "nodes" else _three_figures(allowed)
                fact = f"this is predicted to need {about} {unit} and {limit} {are(allowed)} allowed"
                raise self._exceeded(fact, needed, allowed, unit)

    @property
    def seconds_gone(self) -> float:
        """Seconds since this object was created."""
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float:
        """Seconds until the limit; infinite without one."""
        return float("inf") if self.timeout is None else self.started + self.timeout - time.monotonic()

    @property
    def share_left(self) -> float:
        """Which share of the time is left; 1 without a limit."""
        return self.seconds_left / self.timeout if self.timeout else 1.0

    def check(self, nodes: int = 0) -> None:
        """Raise `BudgetExceededError` if there are too many nodes or the time is over.

        Examples
        --------
        >>> budget = Budget(max_nodes=100, timeout=60)
        >>> budget.check(nodes=100)
        """
        require_number(nodes, "the number of nodes")
        if self.max_nodes is not None and nodes > self.max_nodes:
            fact = f"this needs at least {nodes:,} nodes and {self.max_nodes:,} {are(self.max_nodes)} allowed"
            raise self._exceeded(fact, nodes, self.max_nodes, "nodes")
        if self.seconds_left < 0:
            fact = f"this was not done after {counted(self.timeout or 0, 'second')}"
            raise self._exceeded(fact, self.seconds_gone, self.timeout, "seconds")

    def each(self, items: Iterable[T], every: int = _LOOK_EVERY) -> Iterator[T]:
        """Return the items one by one, with a look at the clock before each thousandth, or so many.

        Examples
        --------
        >>> sum(Budget(timeout=60).each(range(10)))
        45
        """
        for i, item in enumerate(require(items, Iterable, "a list of items")):
            if i % every == 0:
                self.check()
            yield item

    def blocks(self, items: range, size: int = _LOOK_EVERY) -> Iterator[range]:
        """Return a range in blocks, with a look at the clock before each.

        A block has one item at first, then more, up to so many, while they take a blink.

        Examples
        --------
        >>> list(Budget(timeout=60).blocks(range(9, 1, -1), 5))
        [range(9, 8, -1), range(8, 6, -1), range(6, 2, -1), range(2, 1, -1)]
        """
        pace = Pace(require_whole(size, "the size of a block", least=1), first=1)
        at, end = 0, len(require(items, range, "a range"))
        while at < end:
            self.check()
            block, started = items[at : at + pace.steps], time.perf_counter()
            yield block
            pace.note(len(block), time.perf_counter() - started)
            at += len(block)

    def attempt(self, kernel: Kernel, *args: Any) -> Any:
        """Run a kernel as `Kernel.attempt` does, with a look at the clock before it and while it is interpreted.

        Examples
        --------
        >>> from mines_dd.base.jit import kernel
        >>> @kernel
        ... def square(x):
        ...     return x * x
        >>> Budget(timeout=60).attempt(square, 3)
        9
        """
        from mines_dd.base.patience import OutOfPatienceError

        self.check()
        try:
            return kernel.attempt(*args, most=self.seconds_left)
        except OutOfPatienceError:
            self.check()
            raise

    def over(self, items: range, kernel: Kernel, work: int, *args: Any) -> None:
        """Run a kernel over a range of items, in blocks, with a look at the clock before each.

        Parameters
        ----------
        items : range
        kernel : Kernel
            Its last two arguments are the first item and the end, as those of `range`.
        work : int
            Roughly all its inner steps, as for `Kernel.run`.

        Examples
        --------
        >>> from mines_dd.base.jit import kernel
        >>> @kernel
        ... def double(values, first, end):
        ...     for i in range(first, end):
        ...         values[i] *= 2
        >>> values = [1, 2, 3]
        >>> Budget(timeout=60).over(range(1, 3), double, 2, values)
        >>> values
        [1, 4, 6]
        """
        each = max(work, 1) / max(len(items), 1)  # steps
        at = 0
        while at < len(items):
            self.check()
            run, steps = kernel.block(int(each * (len(items) - at)), self.seconds_left, _INTERPRETED, _COMPILED)
            block = items[at : at + max(1, int(steps / each))]
            run(*args, block.start, block.stop)
            at += len(block)

    def repeated(self, n: int, call: Callable[[], T]) -> list[T]:
        """Return what `n` calls return, with a look at the clock before each; the first shows what memory all take.

        Examples
        --------
        >>> Budget(timeout=60).repeated(3, lambda: "a")
        ['a', 'a', 'a']
        """
        found: list[T] = []
        require_function(call, "a function to call")
        n = require_whole(n, "the number of calls")
        for i in range(n):
            self.check()
            found.append(call())
            if i == 0:
                replace(self, advice="ask for fewer at a time").reserve(n * (sys.getsizeof(found[0]) + 8))
        return found

    def run(self, kernel: Kernel, work: int, *args: Any) -> Any:
        """Run a kernel in blocks, with a look at the clock before each, and return its result.

        Parameters
        ----------
        kernel : Kernel
            Its last argument is its patience, in inner steps.  Once that is used up it returns `PAUSED`; called
            again with the same arrays, it goes on where it was.
        work : int
            Roughly all its inner steps, as for `Kernel.run`.

        Examples
        --------
        >>> from mines_dd.base.jit import kernel
        >>> @kernel
        ... def count_to(goal, at, patience):
        ...     while at[0] < goal:
        ...         if patience == 0:
        ...             return -1  # PAUSED
        ...         patience -= 1
        ...         at[0] += 1
        ...     return at[0]
        >>> import numpy as np
        >>> int(Budget().run(count_to, 6000, 6000, np.zeros(1, np.int64)))
        6000
        """
        pace = Pace(_COMPILED, _FIRST if kernel.may_never_end else _COMPILED)
        while True:
            self.check()
            run, patience = kernel.block(work, self.seconds_left, _INTERPRETED, pace.steps)
            result = pace.run(patience, self.in_time, kernel, run, *args, patience)
            if result != PAUSED:
                return result
            work = max(0, work - patience)

    def in_time(self, kernel: Kernel, run: Callable[..., Any], *args: Any) -> Any:
        """Run what `kernel.block` returned: users' code, if it is interpreted, as `of_user`."""
        of_user = kernel.may_never_end and run == kernel.interpreted
        return self.of_user(run, *args) if of_user else run(*args)

    def of_user(self, run: Callable[..., Any], *args: Any) -> Any:
        """Run a user's function, which may never end, in Python, and not for much longer than allowed.

        Raises
        ------
        BudgetExceededError
            If it did not end.

        Examples
        --------
        >>> def forever():
        ...     while True:
        ...         pass
        >>> try:
        ...     Budget(timeout=0.1).of_user(forever)
        ... except BudgetExceededError as error:
        ...     print(error)
        this was not done after 0.1 seconds; allow more time, or take a smaller problem
        """
        if self.timeout is None:
            return run(*args)
        from mines_dd.base.patience import OutOfPatienceError, within

        try:
            return within(max(0.0, self.seconds_left) + _GRACE, lambda: run(*args))
        except OutOfPatienceError:
            self.check()
            raise

    def _exceeded(self, fact: str, needed: float, allowed: float | None, unit: str) -> BudgetExceededError:
        more = {"nodes": "allow more, or ", "seconds": "allow more time, or "}.get(unit, "")
        return BudgetExceededError(fact, needed=needed, allowed=allowed, unit=unit, advice=more + self.advice)


class _Once(Budget):
    """A budget whose seconds are counted from its own start alone."""

    def renewed(self) -> Budget:
        """Return the budget itself."""
        return self


class Pace:
    """How many steps are made between two looks at the clock: at first few, then twice as many while they take a blink.

    Parameters
    ----------
    most : int
    first : int

    Examples
    --------
    >>> pace = Pace(1000, first=8)
    >>> pace.run(pace.steps, print, "quick"), pace.steps
    quick
    (None, 16)
    >>> pace.run(100, time.sleep, 0.5), pace.steps < 100
    (None, True)
    """

    def __init__(self, most: int, first: int = _FIRST) -> None:
        self._most = most
        self.steps = min(first, most)

    def run(self, steps: int, work: Callable[..., T], *args: Any) -> T:
        """Return what some work returns that makes so many steps, and note how long it takes."""
        started = time.perf_counter()
        try:
            return work(*args)
        finally:
            self.note(steps, time.perf_counter() - started)

    def note(self, steps: int, seconds: float) -> None:
        """Note how long so many steps took."""
        self.steps = max(1, min(self._most, int(steps * _BLINK / max(seconds, _BLINK / 2))))


def _double(number: Any) -> float:
    """A number as a double, an infinite one if it is beyond all others."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def available_memory() -> int | None:
    """Return how many bytes this process can allocate without swapping; None where the system does not say.

    Examples
    --------
    >>> memory = available_memory()
    >>> memory is None or memory >= 0
    True
    """
    limits = []
    with suppress(OSError, ValueError), open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                limits.append(1024 * int(line.split()[1]))
    if (addresses := available_addresses()) is not None:
        limits.append(addresses)
    return min(limits, default=None)


def available_addresses() -> int | None:
    """Return how many bytes this process can reserve, used or not; None without such a limit (`ulimit -v`).

    Examples
    --------
    >>> addresses = available_addresses()
    >>> addresses is None or addresses >= available_memory()
    True
    """
    try:
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft == resource.RLIM_INFINITY:
            return None
        with open("/proc/self/statm", encoding="ascii") as file:
            return max(0, soft - resource.getpagesize() * int(file.read().split()[0]))
    except (OSError, ImportError, ValueError):
        return None


def _three_figures(number: float) -> str:
    return format(float(f"{number:.3g}"), ",.0f" if 100 <= number < 1e15 else "g")


@contextmanager
def memory_errors(advice: str = SMALLER) -> Iterator[None]:
    """Within this context, turn a `MemoryError`, or that no thread can be started, into a `BudgetExceededError`.

    Examples
    --------
    >>> try:
    ...     with memory_errors("solve a part of the board"):
    ...         raise MemoryError
    ... except BudgetExceededError as error:
    ...     print(error)
    this needs more memory than the process may use; solve a part of the board
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        no_thread = "start new thread" in str(error)
        if isinstance(error, RuntimeError) and not no_thread:
            raise
        raise BudgetExceededError(
            f"this needs more {'threads, or memory for them,' if no_thread else 'memory'} than the process may use",
            needed=math.inf,
            allowed=available_memory(),
            unit="bytes",
            advice=advice,
        ) from None
