"""Kernels: small functions over arrays, compiled by Numba where that pays.

A kernel is ordinary Python over NumPy arrays.  Small inputs run it interpreted, so that a small board
never waits for Numba to be imported; large inputs run it compiled, and the machine code is cached on disk.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pickle import UnpicklingError
from typing import Any

import numpy as np

__all__ = ["UNREADABLE_CACHE", "Kernel", "always_compiled", "announced", "compile_seconds", "kernel", "numba_njit"]

# In the time that it takes to import Numba and load a cached kernel, about _SMALL steps run interpreted;
# in the time that it takes to load a kernel alone, about _SMALL_WITH_NUMBA.
_SMALL, _SMALL_WITH_NUMBA = 20_000, 1_000
_ANNOUNCE_AFTER = 1.5  # seconds of compiling


UNREADABLE_CACHE = (EOFError, UnpicklingError, AttributeError, ImportError)
"""What Numba raises for an index of its cache that is torn, or names a class that has been renamed or moved."""


class Kernel:
    """A function over arrays, runnable interpreted or compiled; both give the same results.

    Kernels that a kernel calls by name are compiled with it.

    Examples
    --------
    >>> @kernel
    ... def total(values):
    ...     result = 0
    ...     for value in values:
    ...         result += value
    ...     return result
    >>> int(total.run(3, np.array([1, 2, 3])))  # 3 steps: interpreted
    6
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._dispatcher: Any = None
        self._ready = False

    def __call__(self, *args: Any) -> Any:
        """Run interpreted: an interpreted kernel calls other kernels this way."""
        return self._function(*args)

    def run(self, work: int, *args: Any) -> Any:
        """Run on `args`, interpreted or compiled; `work`, roughly the number of inner steps, decides which."""
        if not self._ready and not always_compiled() and self._stays_interpreted(work):
            Kernel._interpreted += work
            with np.errstate(over="ignore"):
                return self._function(*args)
        if self._ready:
            return self._dispatcher(*args)
        with announced(_say_once):
            try:
                result = self.dispatcher(*args)
            except UNREADABLE_CACHE:
                self._dispatcher = self._compiler(cache=False)
                result = self._dispatcher(*args)
        self._ready = True
        return result

    # Interpreted steps so far, of all kernels: many small boards in a row are worth compiling, too.
    _interpreted = 0

    @staticmethod
    def _stays_interpreted(work: int) -> bool:
        if "numba" in sys.modules:
            return work <= _SMALL_WITH_NUMBA and Kernel._interpreted <= 5 * _SMALL
        return work <= _SMALL and Kernel._interpreted <= 5 * _SMALL

    @property
    def dispatcher(self) -> Any:
        """The function compiled by Numba, created on first use."""
        if self._dispatcher is None:
            try:
                self._dispatcher = self._compiler(cache=True)
            except RuntimeError:  # Numba finds no folder that it may write
                self._dispatcher = self._compiler(cache=False)
        return self._dispatcher

    def _compiler(self, cache: bool) -> Any:
        source = self._function
        scope = dict(source.__globals__)
        for name in source.__code__.co_names:
            if isinstance(scope.get(name), Kernel):
                scope[name] = scope[name].dispatcher if cache else scope[name]._compiler(cache=False)
        # The same code, in a scope where the kernels it calls are compiled, too.
        function = types.FunctionType(source.__code__, scope, source.__name__, source.__defaults__)
        function.__module__ = source.__module__
        function.__qualname__ = source.__qualname__
        return numba_njit()(cache=cache, nogil=True)(function)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Make `function` a `Kernel`.

    Examples
    --------
    >>> @kernel
    ... def square(x):
    ...     return x * x
    >>> square(3)  # interpreted; `square.run(work, 3)` may compile it
    9
    """
    return Kernel(function)


def always_compiled() -> bool:
    """Tell whether the environment asks for everything to be compiled at once (MINES_DD_JIT=always)."""
    return os.environ.get("MINES_DD_JIT", "") == "always"


class _Spent(threading.local):
    """What a thread has spent so far on Numba, in seconds, and since when it has held the compiler's lock."""

    seconds = 0.0
    depth = 0
    since = 0.0


_spent = _Spent()


def compile_seconds() -> float:
    """Return the seconds that this thread has spent so far on importing Numba and compiling or loading kernels.

    The difference of two readings is what the kernels took meanwhile; 0.0 if they were warm.

    Examples
    --------
    >>> @kernel
    ... def double(x):
    ...     return 2 * x
    >>> before = compile_seconds()
    >>> double(3), compile_seconds() - before  # interpreted
    (6, 0.0)
    """
    return _spent.seconds


@functools.cache
def numba_njit() -> Any:
    """Import Numba, have its compiler's times counted (see `compile_seconds`), and return its decorator `njit`."""
    started = time.perf_counter()
    from numba import njit
    from numba.core import event

    class Clock(event.Listener):
        """Counts the outermost times that a thread holds the compiler's lock: to compile, or to load from disk."""

        def on_start(self, event: Any) -> None:
            if _spent.depth == 0:
                _spent.since = time.perf_counter()
            _spent.depth += 1

        def on_end(self, event: Any) -> None:
            _spent.depth = max(0, _spent.depth - 1)
            if _spent.depth == 0:
                _spent.seconds += time.perf_counter() - _spent.since

    register: Any = event.register
    register("numba:compiler_lock", Clock())
    _spent.seconds += time.perf_counter() - started
    return njit


@contextmanager
def announced(say: Callable[[], None]) -> Iterator[None]:
    """Call `say` if what is done meanwhile takes so long that the user may notice the wait."""
    timer = threading.Timer(_ANNOUNCE_AFTER, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say_once() -> None:
    """Say on a terminal, once in a process, that kernels are being compiled or loaded."""
    if not _said and sys.stderr.isatty():
        _said.append(True)
        print("mines-dd: preparing kernels (up to half a minute; cached from then on) ...", file=sys.stderr)


_said: list[bool] = []
