"""Kernels: small functions over arrays, compiled by Numba where that pays.

A kernel is ordinary Python over NumPy arrays.  Small inputs run it interpreted, so that a small board never waits for
Numba to be imported; large inputs run it compiled.

    total.run(work, values)      interpreted or compiled, as `work` says
    total(values)                interpreted
    total.compiled(values)       compiled

Machine code is kept on disk, under a name with a fingerprint (`mines_dd.base.binding`), so that it is never stale; a
torn file is made anew.  What takes long to compile is announced on standard error, and timed (`compile_seconds`); a
second process compiles beside this one (`mines_dd.base.beside`).
"""

from __future__ import annotations

import functools
import gc
import os
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from mines_dd.base.beside import Beside
from mines_dd.base.binding import bind, copied, fingerprint, plain, reached
from mines_dd.base.wording import counted

__all__ = ["SAVING", "BoundKernel", "Kernel", "Observer", "always_compiled", "compile_seconds", "kernel"]

SAVING = threading.Lock()
"""Held while machine code is written to disk."""

# In the time that it takes to import Numba and load a cached kernel, about _SMALL steps run interpreted;
# in the time that it takes to load a kernel alone, about _SMALL_WITH_NUMBA.
_SMALL, _SMALL_WITH_NUMBA = 20_000, 1_000
_ANNOUNCE_AFTER = 1.5  # seconds of compiling
_NO_CALLBACK = {"no_cfunc_wrapper": True}  # no kernel is called from C, and it compiles sooner without that entry
# Without reference counts of arrays (Numba's NRT) it compiles sooner, too; what makes an array needs them.
_UNCOUNTED = {"_nrt": False}
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

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.title = f"{function.__module__.rpartition('.')[2]}.{function.__name__.strip('_')}"
        self._function = function
        self._entry: Any = None  # callable from Python
        # Callable from compiled code alone, which is quicker to compile: with and without reference counts.
        self._helpers: dict[bool, Any] = {}
        self._ready = False

    def __call__(self, *args: Any) -> Any:
        """Run interpreted: an interpreted kernel calls other kernels this way."""
        if Kernel.observer:
            return Kernel.observer.called(self, self._function, args)
        return self._function(*args)

    def run(self, work: int, *args: Any) -> Any:
        """Run on `args`, interpreted or compiled; `work`, roughly the number of inner steps, decides which."""
        if not self._ready and not Kernel.observer and not always_compiled() and self._stays_interpreted(work):
            Kernel._interpreted += work
            with np.errstate(over="ignore"):
                return self._function(*args)
        return self.compiled(*args)

    def compiled(self, *args: Any) -> Any:
        """Run compiled; the first time compile, or load from disk."""
        if self._ready:
            return self._entry(*args)
        if Kernel.observer:
            return Kernel.observer.entered(self, self._function, args)
        if "numba" not in sys.modules and self._is_missing():
            _beside.has_made(self.title)  # starts the second process while this one imports Numba
        with _announced(self), _uninterrupted(self):
            self.prepare(args)
        self._ready = True
        return self._entry(*args)

    def prepare(self, args: tuple[Any, ...]) -> None:
        """Compile what would run on arguments like these, or load it from disk."""
        with _uncollected():
            counted = self._counts(set())
            if self._entry is None:
                self._entry = self._dispatcher(True, counted)
            try:
                self._entry.compile(_types(args))
            except _numba_error():
                if counted:
                    raise
                self._entry = self._dispatcher(True, True)  # an array that is one of two, say, has to be counted
                self._entry.compile(_types(args))

    def prepare_as_part(self, caller: Kernel, args: tuple[Any, ...]) -> None:
        """Compile what another kernel would call with arguments like these, or load it from disk."""
        with _uncollected():
            self._as_helper(caller._counts(set())).compile(_types(args))

    # Interpreted steps so far, of all kernels: many small boards in a row are worth compiling, too.
    _interpreted = 0

    @staticmethod
    def _stays_interpreted(work: int) -> bool:
        if "numba" in sys.modules:
            return work <= _SMALL_WITH_NUMBA and Kernel._interpreted <= 5 * _SMALL
        return work <= _SMALL and Kernel._interpreted <= 5 * _SMALL

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

    def _is_missing(self) -> bool:
        """Whether it is certain, without Numba, that no machine code of this kernel is on disk."""
        folder = Path(self._function.__code__.co_filename).parent
        chosen = os.environ.get("NUMBA_CACHE_DIR")
        if not chosen and not os.access(folder, os.W_OK):
            return False  # Numba takes another
        place, above = (Path(chosen), "*/") if chosen else (folder / "__pycache__", "")
        titles = (self._title_on_disk(self._options(True, counted)) for counted in (True, False))
        return not any(any(place.glob(f"{above}*.{title}-*.nbi")) for title in titles)

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
        how = {} if entry else {"pipeline_class": _inner_pipeline()}
        made_meanwhile = functools.partial(_made_beside, self.title) if entry else None
        return _kept(copy, self._title_on_disk(options), {**options, **how}, made_meanwhile)


class BoundKernel(Kernel):
    """A function with some global names bound to other functions, compiled as one piece.

    Indices are checked in functions from outside this package, and in what they call.  Arrays are passed around without
    reference counts (Numba's NRT), which took five sixths of the time; so no function may make an array.
    """

    def __init__(self, function: Callable[..., Any], bound: Mapping[str, Any], title: str) -> None:
        super().__init__(bind(function, bound))
        self._source, self._bound, self.title = plain(function), bound, title

    def _counts(self, seen: set[Kernel]) -> bool:
        return True  # though they are not: so nothing is tried a second time

    def _is_missing(self) -> bool:
        return False  # nobody else would compile it

    def _dispatcher(self, entry: bool, counted: bool) -> Any:
        options = _NO_CALLBACK | _UNCOUNTED
        helper_options = {**options, "forceinline": True, "no_cpython_wrapper": True}

        def finished(copy: types.FunctionType, foreign: bool) -> Any:
            if copy.__code__ is not self._source.__code__:
                njit, inner = _numba_njit(), _inner_pipeline()
                return njit(nogil=True, boundscheck=foreign, pipeline_class=inner, **helper_options)(copy)
            print_ = fingerprint(self._function, options, helper_options)
            return _kept(copy, f"{self._source.__name__}_{self.title}_{print_}", options)

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
    return _spent.seconds


def _kept(
    copy: types.FunctionType,
    title: str,
    options: Mapping[str, Any],
    made_meanwhile: Callable[[], bool] | None = None,
) -> Any:
    """The dispatcher of a function, whose machine code is kept on disk under a title with its fingerprint.

    `made_meanwhile` is called where it is not there, and returns whether it may be there after all.
    """
    njit = _numba_njit()
    from numba.core.caching import FunctionCache

    copy.__name__ = copy.__qualname__ = title
    dispatcher = njit(nogil=True, **options)(copy)
    try:
        dispatcher._cache = cache = _healing(FunctionCache)(copy)
        cache.made_meanwhile = made_meanwhile
        if "pipeline_class" in options:
            cache.library = _part()
    except RuntimeError:  # Numba finds no folder that it may write
        _progress.kept = "not kept: set NUMBA_CACHE_DIR to a folder that can be written"
    return dispatcher


@functools.cache
def _healing(base: type) -> type:
    """A cache on disk that takes what it cannot read, or write, for what is not there."""
    from numba.core import runtime

    references: Any = runtime.rtsys  # type: ignore[attr-defined]

    class Healing(base):  # type: ignore[misc]
        library: type | None = None  # what to load code as, if not as Numba's own class
        made_meanwhile: Callable[[], bool] | None = None

        def load_overload(self, signature: Any, target: Any) -> Any:
            found = self._read(signature, target)
            if found is None and self.made_meanwhile and self.made_meanwhile():
                return self._read(signature, target)
            return found

        def _read(self, signature: Any, target: Any) -> Any:
            try:
                references.initialize(target)
                # Numba's own `load_overload` calls this after it has imported all that it needs to compile.
                load: Any = getattr(self, "_load_overload", super().load_overload)
                with _libraries(target, self.library):
                    found = load(signature, target)
                # Two processes that wrote at the same time may have put one's code under the other's types.
                return found if found is None or tuple(found.signature.args) == tuple(signature) else None
            except Exception:  # torn files raise whatever unpickling meets first
                self.flush()
                return None

        def save_overload(self, signature: Any, data: Any) -> None:
            with suppress(OSError), SAVING:  # a full disk, a folder that is gone
                super().save_overload(signature, data)

        def flush(self) -> None:
            with suppress(OSError):
                super().flush()

    return Healing


@contextmanager
def _libraries(target: Any, library: type | None) -> Iterator[None]:
    """Make Numba's code generator put what it loads into a class of ours meanwhile; its lock is held."""
    generator = target.codegen()
    if library:
        generator._library_class = library  # hides the attribute of the class
    try:
        yield
    finally:
        generator.__dict__.pop("_library_class", None)


@functools.cache
def _part() -> type:
    """Numba's library of code, for functions that are only ever part of another.

    They are optimized there, and become machine code there.  By itself Numba would do both for each function with all
    that it calls, so that the innermost is compiled once for each of those around it.
    """
    from numba.core.codegen import JITCodeLibrary

    base: Any = JITCodeLibrary

    class Nowhere:
        def set_env(self, name: str, environment: Any) -> None:
            """There is no machine code that would have to know its environment."""

    class Part(base):  # type: ignore[misc]
        codegen = Nowhere()
        serialize_using_object_code = base.serialize_using_bitcode

        def _optimize_final_module(self) -> None: ...

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

    return Part


@functools.cache
def _inner_pipeline() -> type:
    """Numba's compiler for such functions."""
    from numba.core import compiler, compiler_machinery, typed_passes

    machinery: Any = compiler_machinery
    builder: Any = compiler.DefaultPassBuilder

    @machinery.register_pass(mutates_CFG=False, analysis_only=True)  # type: ignore[untyped-decorator]
    class AsPart(machinery.AnalysisPass):  # type: ignore[misc]
        _name = "mines_dd_as_part"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            state.library = _part()(state.targetctx.codegen(), state.func_id.func_qualname)
            return False

    class Inner(compiler.CompilerBase):  # type: ignore[misc]
        def define_pipelines(self) -> list[Any]:
            passes = builder.define_nopython_pipeline(self.state)
            passes.add_pass_after(AsPart, typed_passes.AnnotateTypes)
            passes.finalize()
            return [passes]

    return Inner


class _Spent(threading.local):
    """The seconds that a thread has spent on Numba, and since when it has held the compiler's lock."""

    seconds, depth, since = 0.0, 0, 0.0


class _Progress:
    """How many functions all threads have compiled, and are compiling; and whether they are kept."""

    done, running = 0, 0
    kept = "kept on disk from then on"


_spent, _progress, _beside = _Spent(), _Progress(), Beside()


def _numba_error() -> type[Exception]:
    """What Numba raises for what it cannot compile."""
    from numba.core.errors import NumbaError

    error: type[Exception] = NumbaError
    return error


@functools.cache
def _numba_njit() -> Any:
    """Import Numba, have its times and functions counted, and return its decorator `njit`."""
    started = time.perf_counter()
    from numba import njit
    from numba.core import event

    class Lock(event.Listener):  # type: ignore[misc]
        """Times how long a thread holds the compiler's lock, to compile or to load from disk."""

        def on_start(self, event: Any) -> None:
            if _spent.depth == 0:
                _spent.since = time.perf_counter()
            _spent.depth += 1

        def on_end(self, event: Any) -> None:
            _spent.depth = max(0, _spent.depth - 1)
            if _spent.depth == 0:
                _spent.seconds += time.perf_counter() - _spent.since

    class Function(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            _progress.running += 1

        def on_end(self, event: Any) -> None:
            _progress.running -= 1
            _progress.done += 1

    _compare_flags_quickly()
    register: Any = event.register
    register("numba:compiler_lock", Lock())
    register("numba:compile", Function())
    _spent.seconds += time.perf_counter() - started
    return njit


def _compare_flags_quickly() -> None:
    """Let Numba compare sets of compiler flags by what was set in them, not by all fifty options.

    It does so for every call that it types, in Python: a tenth of the time that a kernel takes to compile.
    """
    with suppress(ImportError, AttributeError):
        from numba.core import targetconfig

        flags: Any = targetconfig.TargetConfig
        in_full = flags.__eq__
        if "_values" not in flags.__slots__:
            return  # a version of Numba that keeps them otherwise

        def equal(one: Any, other: Any) -> Any:
            if type(one) is not type(other):
                return in_full(one, other)
            given = one._values.keys() | other._values.keys()  # all others have the same default in both
            return one._values == other._values or all(getattr(one, name) == getattr(other, name) for name in given)

        flags.__eq__ = equal
        flags.__hash__ = lambda _: hash(flags)  # equal ones have equal hashes, whatever was set in them


def _made_beside(title: str) -> bool:
    """Whether the second process has just compiled a kernel; while it does, that is said as if this one did."""
    _progress.running += 1
    try:
        return _beside.has_made(title)
    finally:
        _progress.running -= 1


def _types(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types that Numba gives to arguments."""
    from numba.core.typing.typeof import Purpose, typeof

    return tuple(typeof(value, Purpose.argument) for value in args)  # type: ignore[no-untyped-call]


class _Collections:
    """How many threads compile now, with Python's collector of circular garbage switched off; and whether it was on."""

    lock, paused, on = threading.Lock(), 0, False


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let circular garbage lie meanwhile: a compiler makes little of it, and much that lives long."""
    with _Collections.lock:
        if _Collections.paused == 0:
            _Collections.on = gc.isenabled()
            gc.disable()
        _Collections.paused += 1
    try:
        yield
    finally:
        with _Collections.lock:
            _Collections.paused -= 1
            if _Collections.paused == 0 and _Collections.on:
                gc.enable()


@contextmanager
def _uninterrupted(kernel: Kernel) -> Iterator[None]:
    """Let Ctrl-C wait until a kernel is compiled; where a program handles it itself, leave that alone.

    Numba is left with half a function otherwise, and cannot compile that one again in this process.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or handler is not signal.default_int_handler:
        yield
        return
    asked = False

    def note(*_: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        if sys.stderr:
            stops = f"mines-dd: stops when {kernel.title} is compiled; once more stops now, and leaves it broken"
            print(stops, file=sys.stderr, flush=True)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if asked:
            raise KeyboardInterrupt


@contextmanager
def _announced(kernel: Kernel) -> Iterator[None]:
    """Say on standard error that a kernel is being compiled, if the user may notice the wait."""
    done = threading.Event()
    threading.Thread(target=_announce, args=(kernel, done), daemon=True).start()
    try:
        yield
    finally:
        done.set()


def _announce(kernel: Kernel, done: threading.Event) -> None:
    """Say after a while what is being compiled: in a line that changes on terminals, elsewhere at the end again."""
    started, before, said = time.monotonic(), _progress.done, False
    pause = _ANNOUNCE_AFTER
    while not done.wait(pause) and sys.stderr:
        pause = 0.5
        terminal = sys.stderr.isatty()
        if not _progress.running or (said and not terminal):
            continue
        functions, seconds = reached(kernel), time.monotonic() - started
        number = min(_progress.done - before, functions)  # Numba's own are counted, too
        progress = counted(functions, "function")
        if terminal:
            progress = f"{number} of {progress}, {seconds:.0f} s"
        line = f"mines-dd: compiling {kernel.title} ({progress}; {_progress.kept}) ..."
        print(f"\r{line}" if terminal else line, end="" if terminal else "\n", file=sys.stderr, flush=True)
        said = True
    if said and sys.stderr:
        end = f"mines-dd: compiling {kernel.title} took {time.monotonic() - started:.0f} s"
        terminal = sys.stderr.isatty()
        print("\r" + " " * 100 + "\r" if terminal else end, end="" if terminal else "\n", file=sys.stderr, flush=True)
