"""Kernels: small functions over arrays, compiled by Numba where that pays.

A kernel is ordinary Python over NumPy arrays.  It is interpreted until that has taken a third of the time that it takes
to get machine code.  So nobody waits seconds for the compiler where plain Python has the answer in a moment; and who
does wait, waits a third longer than necessary.

    total.run(work, values)      interpreted or compiled, as `work` says, which is roughly the number of inner steps
    total.attempt(values)        interpreted, but not for long; then once more from the start, compiled
    total.pays(work)             whether so much work is worth it to compile
    total(values)                interpreted, as one kernel calls another
    total.compiled(values)       compiled

To get machine code takes some tenths of a second if it is on disk, and up to half a minute if it is not.  It is kept
there under a name with a fingerprint (`mines_dd.base.binding`), so that it is never stale; a torn file is made anew.
What takes long to compile is announced on standard error, and timed (`compile_seconds`); what takes long to interpret
is announced on terminals.  A second process compiles beside this one (`mines_dd.base.beside`).
"""

from __future__ import annotations

import functools
import math
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from mines_dd.base.announcing import announced, shown, undisturbed
from mines_dd.base.beside import Beside
from mines_dd.base.binding import bind, copied, fingerprint, plain, reached
from mines_dd.base.compiling import (
    give_environments,
    inner_pipeline,
    kept,
    numba_error,
    numba_njit,
    preparing,
    progress,
    spent,
    types_of,
    users_cache,
)
from mines_dd.base.patience import OutOfPatienceError, within
from mines_dd.base.uncompilable import require_compilable

__all__ = [
    "BoundKernel",
    "Kernel",
    "Observer",
    "all_compiled",
    "always_compiled",
    "compile_seconds",
    "interpreted_seconds",
    "kernel",
]

# Seconds: of an interpreted inner step, at most; and a third of what it takes to import Numba, to load a kernel, and to
# compile a function.
_STEP = 1e-6
_IMPORT, _LOAD, _COMPILE = 0.3, 0.02, 0.05
_LOOK_AGAIN = 1.0  # seconds between two looks at the disk
_ALONE = 1.0  # seconds of interpreting before a second process begins to compile
_NO_CALLBACK = {"no_cfunc_wrapper": True}  # no kernel is called from C, and it compiles sooner without that entry
# Without reference counts of arrays (Numba's NRT) it compiles sooner, too; what makes an array needs them.
_UNCOUNTED = {"_nrt": False}
_BOUND = _NO_CALLBACK | _UNCOUNTED
_BOUND_HELPER: dict[str, Any] = {**_BOUND, "forceinline": True, "no_cpython_wrapper": True}
_MAKES_ARRAYS = {"append", "arange", "argsort", "array", "astype", "concatenate", "copy", "linspace", "repeat", "sort"}
_MAKES_ARRAYS |= {f"{kind}{like}" for kind in ("empty", "full", "ones", "zeros") for like in ("", "_like")}


class Observer(Protocol):
    """Runs all kernels in place of `Kernel`, and notes what it likes about them."""

    def entered(self, kernel: Kernel, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Run the function of a kernel that Python calls."""

    def called(self, kernel: Kernel, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Run the function of a kernel that another kernel calls."""


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

    observer: ClassVar[Observer | None] = None
    patience: ClassVar[float] = 1.0
    """How much longer kernels are interpreted: more than 1 where another process compiles them."""
    may_never_end: ClassVar[bool] = False
    _shared: ClassVar[bool] = True  # with the second process, which may compile it, too

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.title = f"{function.__module__.rpartition('.')[2]}.{function.__name__.strip('_')}"
        self._function = function
        self._entry: Any = None  # callable from Python
        # Callable from compiled code alone, which is quicker to compile: with and without reference counts.
        self._helpers: dict[bool, Any] = {}
        self._ready = False
        self._seconds = 0.0  # spent on interpreting it
        self._missing, self._looked = 1, -math.inf  # how many functions had to be compiled, and when that was
        self._asked = False  # whether the second process is at what it calls

    def __call__(self, *args: Any) -> Any:
        """Run interpreted: an interpreted kernel calls other kernels this way."""
        if Kernel.observer:
            return Kernel.observer.called(self, self._function, args)
        return self._function(*args)

    def run(self, work: int, *args: Any) -> Any:
        """Run on `args`, interpreted or compiled; `work`, roughly the number of inner steps, decides which."""
        return self.compiled(*args) if self.pays(work) else self.interpreted(*args)

    def attempt(self, *args: Any, most: float = math.inf) -> Any:
        """Run on `args`, interpreted; if that takes too long, once more from the start and compiled.

        For kernels whose work nobody can tell in advance.  Arrays are given back what they held at the start.

        Raises
        ------
        OutOfPatienceError
            If it was interpreted for `most` seconds, and is not worth it to compile.
        """
        if self.pays(left=most):
            return self.compiled(*args)
        held, patience = _held(args), min(self._worth(most) - self._seconds, most)
        try:
            # One more context for NumPy's errors: the exception may come in the midst of that of `interpreted`.
            with self._prepared_beside(patience), shown(self.title, patience), np.errstate(over="ignore"):
                return within(patience, lambda: self.interpreted(*args))
        except OutOfPatienceError:
            for array, values in held:
                array[...] = values
            if patience == most:
                raise
            return self.compiled(*args)

    @contextmanager
    def _prepared_beside(self, patience: float) -> Iterator[None]:
        """Have the second process begin to compile what this kernel calls, once it was interpreted for a while."""
        if patience < _ALONE or self._asked:
            yield
            return

        def ask() -> None:
            self._asked = True
            _beside.has_made(self.title)

        timer = threading.Timer(max(0.0, _ALONE - self._seconds), ask)
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError:  # no memory for a thread: this process compiles it, if need be
            yield
            return
        try:
            yield
        finally:
            timer.cancel()
            if not self._asked:
                timer.join()  # it ends at once; of many short calls the threads would pile up

    def pays(self, work: int = 0, left: float = math.inf) -> bool:
        """Tell whether so much work, in inner steps, is worth it to get machine code; always true where it is there.

        With too few seconds `left` to get it, it takes three times as much: as much as to get it would take.
        """
        if _disabled():
            return False
        if self._ready or Kernel.observer or always_compiled():
            return True
        seconds = self._seconds + work * _STEP
        return seconds > _LOAD and seconds > self._worth(left)

    def block(self, work: int, left: float, interpreted: int, compiled: int) -> tuple[Callable[..., Any], int]:
        """Return what runs the next block, and its size: one of two; `work` and `left` are as for `pays`."""
        return (self.compiled, compiled) if self.pays(work, left) else (self.interpreted, interpreted)

    def interpreted(self, *args: Any) -> Any:
        """Run interpreted, and note how long it takes."""
        started = time.perf_counter()
        try:
            with np.errstate(over="ignore"):
                return self._function(*args)
        finally:
            seconds = time.perf_counter() - started
            self._seconds += seconds
            spent.interpreted += seconds

    def _worth(self, left: float) -> float:
        """After how many seconds of interpreting machine code is wanted."""
        price = self._price()
        return price if left > 3 * price else 3 * price

    def _price(self) -> float:
        """A third of the seconds that it takes to get machine code."""
        if _disabled():
            return math.inf
        now = time.monotonic()
        if self._missing and now > self._looked + _LOOK_AGAIN:  # another process may have made it meanwhile
            self._missing, self._looked = 0 if self._is_on_disk() else reached(self), now
        price = _LOAD + Kernel.patience * _COMPILE * self._missing
        return price if "numba" in sys.modules else price + _IMPORT

    def compiled(self, *args: Any) -> Any:
        """Run compiled; the first time compile, or load from disk."""
        if not self._ready:
            if _disabled():
                return self.interpreted(*args)
            if Kernel.observer:
                return Kernel.observer.entered(self, self._function, args)
            self.make_ready(*args)
        return self._run(args)

    def make_ready(self, *args: Any) -> None:
        """Get machine code for arguments like these now, unless Numba is told to compile nothing."""
        if self._ready or _disabled() or Kernel.observer:
            return
        if self._shared and "numba" not in sys.modules and not self._is_on_disk():
            _beside.has_made(self.title)  # starts the second process while this one imports Numba
        with announced(self.title, self), undisturbed(self.title):
            self.prepare(args)
        self._ready = True

    def _run(self, args: tuple[Any, ...]) -> Any:
        try:
            return self._entry(*args)
        except SystemError as error:  # around what a handler of signals raised while Numba made the result
            cause: BaseException = error
            while isinstance(cause, SystemError) and cause.__cause__ is not None:
                cause = cause.__cause__
            raise cause from None

    def prepare(self, args: tuple[Any, ...]) -> None:
        """Compile what would run on arguments like these, or load it from disk."""
        with preparing():
            counted = self._counts(set())
            if self._entry is None:
                self._entry = self._dispatcher(True, counted)
            try:
                self._entry.compile(types_of(args))
            except numba_error():
                if counted:
                    raise
                self._entry = self._dispatcher(True, True)  # an array that is one of two, say, has to be counted
                self._entry.compile(types_of(args))
            give_environments(self._entry)

    def prepare_as_part(self, caller: Kernel, args: tuple[Any, ...]) -> None:
        """Compile what another kernel would call with arguments like these, or load it from disk."""
        with preparing():
            self._as_helper(caller._counts(set())).compile(types_of(args))

    def _calls(self) -> dict[str, Kernel]:
        """The kernels that this one calls, by name."""
        scope = self._function.__globals__
        return {name: scope[name] for name in self._function.__code__.co_names if isinstance(scope.get(name), Kernel)}

    def _counts(self, seen: set[Kernel]) -> bool:
        """Whether references to arrays are counted: if one is made here, or in a kernel that is called."""
        seen.add(self)
        others = [kernel for kernel in self._calls().values() if kernel not in seen]
        made_here = not _MAKES_ARRAYS.isdisjoint(self._function.__code__.co_names)
        return made_here or any(kernel._counts(seen) for kernel in others)

    def _is_on_disk(self) -> bool:
        """Whether machine code of this kernel is on disk, so far as can be told without Numba."""
        titles = [f"*.{title}-*.nbi" for title in self._titles_on_disk()]
        return any(any(folder.glob(title)) for folder in self._folders() for title in titles)

    def _folders(self) -> list[Path]:
        """The folders in which Numba may keep machine code; the user's if that beside the source cannot be written."""
        chosen = os.environ.get("NUMBA_CACHE_DIR")
        own = [] if chosen else [Path(self._function.__code__.co_filename).parent / "__pycache__"]
        above = Path(chosen) if chosen else users_cache() / "numba"
        return [folder for folder in [*own, *above.glob("*")] if folder.is_dir()]

    def _titles_on_disk(self) -> Iterator[str]:
        for references in (True, False):
            yield self._title_on_disk(self._options(True, references))

    def _title_on_disk(self, options: Mapping[str, Any]) -> str:
        return f"{self._function.__name__}_{fingerprint(self._function, options)}"

    @staticmethod
    def _options(entry: bool, counted: bool) -> dict[str, Any]:
        return _NO_CALLBACK | ({} if counted else _UNCOUNTED) | ({} if entry else {"no_cpython_wrapper": True})

    def _as_helper(self, counted: bool) -> Any:
        """What compiled code calls.

        All of a program counts references, or none: who counts would free what came from one who does not.
        """
        if counted not in self._helpers:
            self._helpers[counted] = self._dispatcher(False, counted)
        return self._helpers[counted]

    def _dispatcher(self, entry: bool, counted: bool) -> Any:
        source = self._function
        scope = dict(source.__globals__)
        for name, kernel in self._calls().items():
            scope[name] = kernel._as_helper(counted)
        # The same code, in a scope where the kernels it calls are compiled, too.
        copy = types.FunctionType(source.__code__, scope, source.__name__, source.__defaults__)
        copy.__module__ = source.__module__
        options = self._options(entry, counted)
        how = {} if entry else {"pipeline_class": inner_pipeline()}
        made_meanwhile = functools.partial(_made_beside, self.title) if entry else None
        return kept(copy, self._title_on_disk(options), {**options, **how}, made_meanwhile)


class BoundKernel(Kernel):
    """A function with some global names bound to other functions, compiled as one piece.

    Indices and integers are checked in functions from outside this package, and in what they call.  Arrays are passed
    around without reference counts (Numba's NRT), which took five sixths of the time; so no function may make an array.
    """

    may_never_end = True  # as it calls users' functions
    _shared = False

    def __init__(self, function: Callable[..., Any], bound: Mapping[str, Any], title: str) -> None:
        super().__init__(bind(function, bound))
        self._source, self._bound, self.title = plain(function), bound, title

    def _counts(self, seen: set[Kernel]) -> bool:
        return True  # though they are not: so nothing is tried a second time

    def _titles_on_disk(self) -> Iterator[str]:
        yield self._title_on_disk(_BOUND)

    def _title_on_disk(self, options: Mapping[str, Any]) -> str:
        return f"{self._source.__name__}_{self.title}_{fingerprint(self._function, options, _BOUND_HELPER)}"

    def _dispatcher(self, entry: bool, counted: bool) -> Any:

        def finished(copy: types.FunctionType, foreign: bool) -> Any:
            if copy.__code__ is not self._source.__code__:
                if foreign:
                    require_compilable(copy)
                njit, inner = numba_njit(), inner_pipeline(checked=foreign)
                return njit(nogil=True, boundscheck=foreign, pipeline_class=inner, **_BOUND_HELPER)(copy)
            return kept(copy, self._title_on_disk(_BOUND), _BOUND)

        return copied(self._source, self._bound, finished)


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


def _held(args: Any) -> list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """The arrays among arguments that a kernel may write to, each with a copy."""
    if isinstance(args, tuple):
        return [pair for part in args for pair in _held(part)]
    return [(args, args.copy())] if isinstance(args, np.ndarray) and args.flags.writeable else []


def _disabled() -> bool:
    """Whether Numba has been told to compile nothing, for a debugger say (NUMBA_DISABLE_JIT=1)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")


def always_compiled() -> bool:
    """Tell whether the environment asks for everything to be compiled at once (MINES_DD_JIT=always)."""
    return os.environ.get("MINES_DD_JIT", "") == "always"


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
    return spent.seconds


def interpreted_seconds() -> float:
    """Return the seconds that kernels called by this thread have run interpreted so far.

    Examples
    --------
    >>> interpreted_seconds() >= 0
    True
    """
    return spent.interpreted


@contextmanager
def all_compiled() -> Iterator[None]:
    """Have all kernels compiled meanwhile: otherwise what is quick runs interpreted, and times do not compare.

    This holds for the whole process, and is not for several threads at once.

    Examples
    --------
    >>> with all_compiled():
    ...     always_compiled()
    True
    """
    before = os.environ.get("MINES_DD_JIT")
    os.environ["MINES_DD_JIT"] = "always"
    try:
        yield
    finally:
        if before is None:
            del os.environ["MINES_DD_JIT"]
        else:
            os.environ["MINES_DD_JIT"] = before


_beside = Beside()


def _made_beside(title: str) -> bool:
    """Whether the second process has just compiled a kernel; while it does, that is said as if this one did."""
    progress.running += 1
    try:
        return _beside.has_made(title)
    finally:
        progress.running -= 1
