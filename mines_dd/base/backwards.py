"""The second process (`mines_dd.base.beside`): compile, from the last to the first, the kernels that a question needs.

Numba compiles for given types of arguments.  Which, an example says: a small question of the same kind, run interpreted
(some tenths of a second), with the arguments of every kernel noted as it begins, and of those that kernels call::

    simplify.propagate     by itself
    simplify.append        a part of it
    tree.eliminate         by itself
    tree.begin_step        a part of it
    tree.multiply          a part of it

The first process begins with propagate, and compiles its parts on the way.  The second one takes multiply, begin_step,
then what is left of eliminate.  A kernel that the first has begun is left to it, but not the parts: it loads those that
are there by the time it needs them.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TextIO

import numpy as np

from mines_dd.base.beside import MOST_SECONDS
from mines_dd.base.compiling import SAVING
from mines_dd.base.jit import Kernel

__all__ = ["Use", "compile_beside", "uses_of"]

_IDLE = 10.0  # seconds without a kernel to compile, after which the process ends


class Use(NamedTuple):
    """A kernel, and arguments like those that it is compiled for."""

    kernel: Kernel
    caller: Kernel | None
    """The kernel that Python called, if this is a part of that; else None."""
    args: tuple[Any, ...]


def uses_of(example: Callable[[], object]) -> list[Use]:
    """Run an example interpreted, and return its kernels, for each types of arguments once, as they begin.

    Kernels that this process has compiled, and used, before are left out.

    Examples
    --------
    >>> from mines_dd.base.jit import kernel
    >>> @kernel
    ... def total(values):
    ...     return sum(values)
    >>> [use.kernel.title for use in uses_of(lambda: total.run(10**9, np.array([1, 2])))] == [total.title]
    True
    """
    seen = _Seen()
    before, Kernel.observer = Kernel.observer, seen
    try:
        example()
    finally:
        Kernel.observer = before
    return list(seen.uses.values())


class _Seen:
    """The kernels that run."""

    def __init__(self) -> None:
        self.uses: dict[tuple[object, ...], Use] = {}
        self._caller: Kernel | None = None

    def entered(self, kernel: Kernel, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        self._note(kernel, None, args)
        return self._below(kernel, function, args)

    def called(self, kernel: Kernel, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        self._note(kernel, self._caller or kernel, args)  # an example that calls it like this wants it as a part
        return function(*args) if self._caller else self._below(kernel, function, args)

    def _note(self, kernel: Kernel, caller: Kernel | None, args: tuple[Any, ...]) -> None:
        self.uses.setdefault((kernel, caller, *map(_kind, args)), Use(kernel, caller, args))

    def _below(self, kernel: Kernel, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Run a kernel that Python calls."""
        before, self._caller = self._caller, kernel
        try:
            with np.errstate(over="ignore"):
                return function(*args)
        finally:
            self._caller = before


def _kind(value: Any) -> object:
    """What tells values apart that Numba gives other types; it finds the types themselves more slowly."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.c_contiguous, value.flags.writeable
    return (type(value), *map(_kind, value)) if isinstance(value, tuple) else type(value)


class _Begun:
    """The kernels that the first process has begun."""

    def __init__(self) -> None:
        self.titles: list[str] = []
        self._more = threading.Condition()

    def listen(self, asked: TextIO) -> None:
        """Note each line; at the end the first process is gone, and this one goes, too."""
        for line in asked:
            with self._more:
                self.titles.append(line.strip())
                self._more.notify_all()
        _end()

    def each(self) -> Iterator[str]:
        """Yield each title once, the latest of those that there are first; wait for more, but not long."""
        done: set[str] = set()
        while True:
            with self._more:
                if not self._more.wait_for(lambda: set(self.titles) > done, _IDLE):
                    return
                title = next(title for title in reversed(self.titles) if title not in done)
            done.add(title)
            yield title


def compile_beside(examples: Sequence[Callable[[], object]], asked: TextIO, said: TextIO) -> None:
    """Compile what is needed after the kernels that are asked for, one in a line, and say what is compiled.

    For each, that is the rest of the first of the examples that use it.  Only one process of a user does so at a time.
    """
    if not _is_alone():
        sys.exit(1)
    begun, remaining, known = _Begun(), iter(examples), list[list[Use]]()
    threading.Thread(target=begun.listen, args=(asked,), daemon=True).start()
    end = threading.Timer(MOST_SECONDS, _end)
    end.daemon = True
    end.start()
    for title in begun.each():
        for use in reversed(_rest(title, known, remaining)):
            _compile(use, begun, said)


def _rest(title: str, known: list[list[Use]], remaining: Iterator[Callable[[], object]]) -> list[Use]:
    """The uses of an example from a kernel on; of the first example that has it, or none."""
    for uses in _recorded(known, remaining):
        for i, use in enumerate(uses):
            if use.caller is None and use.kernel.title == title:
                return uses[i:]
    return []


def _recorded(known: list[list[Use]], remaining: Iterator[Callable[[], object]]) -> Iterator[list[Use]]:
    """The uses of each example; the example is run when it is its turn for the first time."""
    yield from known
    for example in remaining:
        known.append(uses_of(example))
        yield known[-1]


def _compile(use: Use, begun: _Begun, said: TextIO) -> None:
    with suppress(Exception):  # the first process will meet the same, and say so
        if use.caller is not None:
            use.kernel.prepare_as_part(use.caller, use.args)
        elif use.kernel.title not in begun.titles:
            print(f"begin {use.kernel.title}", file=said, flush=True)
            try:
                use.kernel.prepare(use.args)
            finally:
                print("end", file=said, flush=True)


def _is_alone() -> bool:
    """Take a lock that only one process of a user has; the system frees it with the process."""
    try:
        import fcntl

        name = os.path.join(tempfile.gettempdir(), f"mines-dd-{os.getuid()}.lock")
        file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)  # stays open
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return True  # a system without such locks
    except OSError:
        return False
    return True


def _end() -> None:
    with SAVING:
        os._exit(0)
