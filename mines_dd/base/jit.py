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
import gc
import math
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
import numpy.typing as npt

from mines_dd.base.beside import Beside
from mines_dd.base.binding import bind, copied, fingerprint, plain, reached
from mines_dd.base.patience import OutOfPatienceError, within
from mines_dd.base.wording import counted

__all__ = [
    "SAVING",
    "BoundKernel",
    "Kernel",
    "Observer",
    "all_compiled",
    "always_compiled",
    "compile_seconds",
    "interpreted_seconds",
    "kernel",
]

SAVING = threading.Lock()
"""Held while machine code is written to disk."""

_PREPARING = threading.RLock()  # held while a thread uses Numba

# Seconds: of an interpreted inner step, at most; and a third of what it takes to import Numba, to load a kernel, and to
# compile a function.
_STEP = 1e-6
_IMPORT, _LOAD, _COMPILE = 0.3, 0.02, 0.05
_LOOK_AGAIN = 1.0  # seconds between two looks at the disk
_ALONE = 1.0  # seconds of interpreting before a second process begins to compile
_ANNOUNCE_AFTER = 1.5  # seconds of compiling or interpreting, one kernel or several in a row
_PAUSE = 0.5  # seconds between two things said of it
_MOMENT = 0.2  # of what takes less than these seconds nothing is said, or lines would only flicker
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
    _shared: ClassVar[bool] = True  # with the second process, which may compile it, too

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
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
        if self.pays():
            return self.compiled(*args)
        held, patience = _held(args), min(self._price() - self._seconds, most)
        try:
            # One more context for NumPy's errors: the exception may come in the midst of that of `interpreted`.
            with self._prepared_beside(patience), _shown(self, patience), np.errstate(over="ignore"):
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
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def pays(self, work: int = 0) -> bool:
        """Tell whether so much work, in inner steps, is worth it to get machine code; always true where it is there."""
        if _disabled():
            return False
        if self._ready or Kernel.observer or always_compiled():
            return True
        seconds = self._seconds + work * _STEP
        return seconds > _LOAD and seconds > self._price()

    def interpreted(self, *args: Any) -> Any:
        """Run interpreted, and note how long it takes."""
        started = time.perf_counter()
        try:
            with np.errstate(over="ignore"):
                return self._function(*args)
        finally:
            seconds = time.perf_counter() - started
            self._seconds += seconds
            _spent.interpreted += seconds

    def _price(self) -> float:
        """After how many seconds of interpreting machine code is wanted."""
        if _disabled():
            return math.inf
        now = time.monotonic()
        if self._missing and now > self._looked + _LOOK_AGAIN:  # another process may have made it meanwhile
            self._missing, self._looked = 0 if self._is_on_disk() else reached(self), now
        price = _LOAD + Kernel.patience * _COMPILE * self._missing
        return price if "numba" in sys.modules else price + _IMPORT

    def compiled(self, *args: Any) -> Any:
        """Run compiled; the first time compile, or load from disk."""
        if self._ready:
            return self._entry(*args)
        if _disabled():
            return self.interpreted(*args)
        if Kernel.observer:
            return Kernel.observer.entered(self, self._function, args)
        if self._shared and "numba" not in sys.modules and not self._is_on_disk():
            _beside.has_made(self.title)  # starts the second process while this one imports Numba
        with _announced(self), _uninterrupted(self):
            self.prepare(args)
        self._ready = True
        return self._entry(*args)

    def prepare(self, args: tuple[Any, ...]) -> None:
        """Compile what would run on arguments like these, or load it from disk."""
        with _preparing():
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
        with _preparing():
            self._as_helper(caller._counts(set())).compile(_types(args))

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
        above = Path(chosen) if chosen else _users_cache() / "numba"
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
        how = {} if entry else {"pipeline_class": _inner_pipeline()}
        made_meanwhile = functools.partial(_made_beside, self.title) if entry else None
        return _kept(copy, self._title_on_disk(options), {**options, **how}, made_meanwhile)


class BoundKernel(Kernel):
    """A function with some global names bound to other functions, compiled as one piece.

    Indices are checked in functions from outside this package, and in what they call.  Arrays are passed around without
    reference counts (Numba's NRT), which took five sixths of the time; so no function may make an array.
    """

    _shared = False

    def __init__(self, function: Callable[..., Any], bound: Mapping[str, Any], title: str) -> None:
        super().__init__(bind(function, bound))
        self._source, self._bound, self.title = plain(function), bound, title

    def _counts(self, seen: set[Kernel]) -> bool:
        return True  # though they are not: so nothing is tried a second time

    def _titles_on_disk(self) -> Iterator[str]:
        yield self._title_on_disk(_BOUND)

    def _title_on_disk(self, options: Mapping[str, Any]) -> str:
        print_ = fingerprint(self._function, options, _BOUND_HELPER)
        return f"{self._source.__name__}_{self.title}_{print_}"

    def _dispatcher(self, entry: bool, counted: bool) -> Any:

        def finished(copy: types.FunctionType, foreign: bool) -> Any:
            if copy.__code__ is not self._source.__code__:
                njit, inner = _numba_njit(), _inner_pipeline()
                return njit(nogil=True, boundscheck=foreign, pipeline_class=inner, **_BOUND_HELPER)(copy)
            return _kept(copy, self._title_on_disk(_BOUND), _BOUND)

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


def _users_cache() -> Path:
    """Where programs keep what they can make anew, for this user."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


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
    return _spent.seconds


def interpreted_seconds() -> float:
    """Return the seconds that kernels called by this thread have run interpreted so far.

    Examples
    --------
    >>> interpreted_seconds() >= 0
    True
    """
    return _spent.interpreted


@contextmanager
def all_compiled() -> Iterator[None]:
    """Have all kernels compiled meanwhile: otherwise what is quick runs interpreted, and times do not compare.

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
    """The seconds that a thread has spent on Numba, and on interpreting; since when it has been at Numba."""

    seconds, interpreted, depth, since = 0.0, 0.0, 0, 0.0

    def begin(self) -> None:
        if self.depth == 0:
            self.since = time.perf_counter()
        self.depth += 1

    def end(self) -> None:
        self.depth = max(0, self.depth - 1)
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.since

    @contextmanager
    def preparing(self) -> Iterator[None]:
        self.begin()
        try:
            yield
        finally:
            self.end()


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
    from numba import njit
    from numba.core import event

    class Lock(event.Listener):  # type: ignore[misc]
        """Times what Numba compiles that no `prepare` has asked for."""

        def on_start(self, event: Any) -> None:
            _spent.begin()

        def on_end(self, event: Any) -> None:
            _spent.end()

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


@contextmanager
def _preparing() -> Iterator[None]:
    """Have one thread at a time import Numba, load and compile, and note how long it waits for that and takes.

    Two threads that import Numba at once may each find half of it.  Circular garbage lies meanwhile: a compiler makes
    little of it, and much that lives long.
    """
    with _spent.preparing(), _PREPARING:
        collected = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collected:
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
    before = _progress.done

    def line(seconds: float) -> str:
        if not _progress.running:
            return ""
        functions = reached(kernel)
        number = min(_progress.done - before, functions)  # Numba's own are counted, too
        progress = counted(functions, "function")
        if _on_terminal():
            progress = f"{number} of {progress}, {seconds:.0f} s"
        return f"mines-dd: compiling {kernel.title} ({progress}; {_progress.kept}) ..."

    with _said(line, f"mines-dd: compiling {kernel.title} took"):
        yield


@contextmanager
def _shown(kernel: Kernel, patience: float) -> Iterator[None]:
    """Say on a terminal that a kernel is being interpreted, if the user may notice the wait."""
    if not _on_terminal():
        yield
        return

    def line(seconds: float) -> str:
        return (
            f"mines-dd: running {kernel.title} in Python ({seconds:.0f} s; compiled if it takes {patience:.0f} s) ..."
        )

    with _said(line):
        yield


def _on_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


class _Wait:
    """When kernels began to run, or to be compiled, one soon after the other and with nothing said."""

    began = ended = -math.inf


@contextmanager
def _said(line: Callable[[float], str], end: str = "") -> Iterator[None]:
    """Say a line meanwhile if the user has waited for a while, for this or also for what came just before it."""
    now, done = time.monotonic(), threading.Event()
    if now > _Wait.ended + _PAUSE:
        _Wait.began = now
    thread = threading.Thread(target=_say, args=(line, end, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()  # it may have to clear its line first
        _Wait.ended = time.monotonic()


def _say(line: Callable[[float], str], end: str, done: threading.Event) -> None:
    """Say after a while what is being done: in a line that changes on terminals, elsewhere at the end again."""
    started, said, terminal = time.monotonic(), False, _on_terminal()
    pause = max(_MOMENT, _Wait.began + _ANNOUNCE_AFTER - started)
    while not done.wait(pause) and sys.stderr:
        pause = _PAUSE
        text = "" if said and not terminal else line(time.monotonic() - started)
        if not text:
            continue
        print(f"\r{text}" if terminal else text, end="" if terminal else "\n", file=sys.stderr, flush=True)
        said, _Wait.began = True, time.monotonic()
    if said and sys.stderr:
        last = "\r" + " " * 100 + "\r" if terminal else f"{end} {time.monotonic() - started:.0f} s\n"
        print(last, end="", file=sys.stderr, flush=True)
