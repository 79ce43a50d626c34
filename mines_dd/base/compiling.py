"""How Numba compiles a kernel, and keeps its machine code on disk; nothing here imports Numba before it has to.

An entry is called from Python.  What only other kernels call is a part: it is typed and translated by itself, but
optimized, and made machine code, as a piece of each entry that calls it::

    kept(copy, "_eliminate_3f09...", options)                                   an entry, on disk under this title
    kept(copy, "_multiply_77ab...", options | {"pipeline_class": ...})          a part, as LLVM's bitcode
"""

from __future__ import annotations

import _thread
import functools
import gc
import hashlib
import math
import os
import pickle
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mines_dd.base.errors import MinesError, reason

__all__ = [
    "SAVING",
    "give_environments",
    "inner_pipeline",
    "interrupt",
    "kept",
    "numba_error",
    "numba_njit",
    "preparing",
    "progress",
    "spent",
    "types_of",
    "users_cache",
]

SAVING = threading.Lock()
"""Held while machine code is written to disk."""

_PREPARING = threading.RLock()  # held while a thread uses Numba
_IMPORT = "<frozen importlib._bootstrap>"  # the file of Python's own import, as its frames name it
_CHECKSUM = 16  # bytes at the end of a file of machine code
_MOMENT, _IMPORTS_TAKE = 0.02, 5.0  # seconds between two looks whether an import is done, and at most until that


def users_cache() -> Path:
    """Where programs keep what they can make anew, for this user."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@contextmanager
def preparing() -> Iterator[None]:
    """Have one thread at a time import Numba, load and compile, and note how long it waits for that and takes.

    Two threads that import Numba at once may each find half of it.  Circular garbage lies meanwhile: a compiler makes
    little of it, and much that lives long, which is not looked through afterwards either.
    """
    with spent.preparing(), _PREPARING:
        collected = gc.isenabled()
        gc.disable()
        try:
            numba_njit()
            yield
        finally:
            if collected:
                if not gc.get_freeze_count():
                    gc.freeze()
                    gc.unfreeze()  # all that lives is old now
                gc.enable()


def kept(
    copy: types.FunctionType,
    title: str,
    options: Mapping[str, Any],
    made_meanwhile: Callable[[], bool] | None = None,
) -> Any:
    """The dispatcher of a function, whose machine code is kept on disk under a title with its fingerprint.

    `made_meanwhile` is called where it is not there, and returns whether it may be there after all.
    """
    njit = numba_njit()
    from numba.core.caching import FunctionCache

    copy.__name__ = copy.__qualname__ = title
    dispatcher = njit(nogil=True, **options)(copy)
    try:
        dispatcher._cache = cache = _healing(FunctionCache)(copy)
        cache.made_meanwhile = made_meanwhile
        if "pipeline_class" in options:
            cache.library = _part()
    except RuntimeError:  # Numba finds no folder that it may write
        progress.kept = "not kept: set NUMBA_CACHE_DIR to a folder that can be written"
    return dispatcher


@functools.cache
def _healing(base: type) -> type:
    """A cache on disk that takes what it cannot read, or write, for what is not there."""
    from numba.core import runtime

    references: Any = runtime.rtsys  # type: ignore[attr-defined]

    class Healing(base):  # type: ignore[misc]
        library: type | None = None  # what to load code as, if not as Numba's own class
        made_meanwhile: Callable[[], bool] | None = None

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self._cache_file.__class__ = _checked()

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
            if data.library.has_dynamic_globals:
                _say_that_it_is_not_kept()
                return
            try:
                with SAVING:
                    super().save_overload(signature, data)
            except (OSError, EOFError, pickle.UnpicklingError) as error:  # a full disk, an index damaged meanwhile
                why = reason(error) if isinstance(error, OSError) else "its index is damaged"
                progress.kept = f"not kept: {why}; set NUMBA_CACHE_DIR to another folder"

        def flush(self) -> None:
            with suppress(OSError):
                super().flush()

    return Healing


@functools.cache
def _checked() -> type:
    """The files of a function, each with a checksum; what is damaged is not loaded, as LLVM would end the process."""
    from numba.core.caching import IndexDataCacheFile

    base: Any = IndexDataCacheFile

    class Checked(base):  # type: ignore[misc]
        def _dump(self, value: Any) -> bytes:
            data: bytes = super()._dump(value)
            return data + _checksum(data)  # what unpickles it looks no further than its end

        def _load_data(self, name: str) -> Any:
            data = Path(self._data_path(name)).read_bytes()
            if not data.endswith(_checksum(data[:-_CHECKSUM])):
                raise ValueError(f"{name} is damaged")
            return pickle.loads(data)

    return Checked


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECKSUM).digest()


@functools.cache
def _say_that_it_is_not_kept() -> None:
    """Say it once of all machine code that refers to an array by its address."""
    if sys.stderr:
        said = "it refers to a global array of more than 1 MB; a Spec may have such an array in its tables"
        print(f"mines-dd: this machine code is not kept on disk: {said}", file=sys.stderr, flush=True)


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
            """There is no machine code yet that would have to know its environment: `give_environments`."""

    class Part(base):  # type: ignore[misc]
        codegen = Nowhere()
        serialize_using_object_code = base.serialize_using_bitcode

        def _optimize_final_module(self) -> None: ...

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

    return Part


def give_environments(entry: Any) -> None:
    """Tell the machine code of an entry where its parts' environments are, as Numba does when it loads some from disk.

    A function needs its environment to call Python: without it `print` takes Python's lock and never gives it back.
    """
    for made in entry.overloads.values():
        for environment in made._find_referenced_environments():
            made.library.codegen.set_env(environment.env_name, environment)


@functools.cache
def inner_pipeline(checked: bool = False) -> type:
    """Numba's compiler for such functions; what is `checked` has the integers of Python, or fails."""
    from numba.core import compiler, compiler_machinery, typed_passes, untyped_passes

    from mines_dd.base.integers import checked_lowering
    from mines_dd.base.uncompilable import checked_calls, checked_values

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
            if checked:
                passes.add_pass_after(checked_calls(), untyped_passes.IRProcessing)
                passes.add_pass_after(checked_values(), untyped_passes.ReconstructSSA)
                lowering = typed_passes.NativeLowering
                passes.passes = [(checked_lowering() if one is lowering else one, why) for one, why in passes.passes]
            passes.finalize()
            return [passes]

    return Inner


class _Spent(threading.local):
    """The seconds that a thread has spent on Numba, and on interpreting; since when it has been at Numba.

    It is left by a KeyboardInterrupt, as soon as that is safe, if it is `stopping`.
    """

    seconds, interpreted, depth, since, stopping = 0.0, 0.0, 0, 0.0, False

    def begin(self) -> None:
        if self.depth == 0:
            self.since = time.perf_counter()
        self.depth += 1

    def end(self) -> None:
        self.depth = max(0, self.depth - 1)
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.since
            self.stop_if_asked()

    def stop_if_asked(self) -> None:
        if self.stopping:
            self.stopping = False
            raise KeyboardInterrupt

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


class _Wait:
    """Since when Ctrl-C has waited for modules to be imported; 0.0 if it does not wait."""

    began = 0.0


def interrupt(*_: object) -> None:
    """Handle Ctrl-C: raise KeyboardInterrupt, at once or as soon as that is safe.

    Where Numba is at work that is before its next step: LLVM calls Python functions, and crashes where one of them
    raises.  Where a module is being imported it is when that is done, if it is soon: modules written in C, and Python's
    own import, call functions and drop what those raise.

    Raises
    ------
    KeyboardInterrupt
    """
    if spent.depth:
        spent.stopping, _Wait.began = True, 0.0
    elif not _is_importing() or time.monotonic() > (_Wait.began or math.inf) + _IMPORTS_TAKE:
        _Wait.began = 0.0
        raise KeyboardInterrupt
    elif not _Wait.began:
        _Wait.began = time.monotonic()
        _thread.start_new_thread(_interrupt_again, ())  # what `threading` has may be locked just now


def _is_importing() -> bool:
    """Whether the import of a module has called what called this."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame and frame.f_code.co_filename != _IMPORT:
        frame = frame.f_back
    return frame is not None


def _interrupt_again() -> None:
    """Have the main thread handle Ctrl-C anew until it no longer waits."""
    while _Wait.began:
        time.sleep(_MOMENT)
        if not _Wait.began:
            return
        if hasattr(signal, "pthread_kill") and callable(signal.getsignal(signal.SIGINT)):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # ends a sleep, too
        else:
            _thread.interrupt_main()


def numba_error() -> type[Exception]:
    """What Numba raises for what it cannot compile."""
    from numba.core.errors import NumbaError

    error: type[Exception] = NumbaError
    return error


@functools.cache
def numba_njit() -> Any:
    """Import Numba, have its times and functions counted, and return its decorator `njit`.

    Raises
    ------
    MinesError
        If it cannot be imported, which may be for too little memory.
    """
    try:
        from numba import njit
        from numba.core import event
    except (ImportError, OSError) as error:
        why = str(error).partition(". ")[0]
        raise MinesError(
            f"Numba cannot be loaded: {why}; allow the process more memory, install Numba anew, or set "
            "NUMBA_DISABLE_JIT=1 to do without it, which is slower"
        ) from error

    class Lock(event.Listener):  # type: ignore[misc]
        """Times what Numba compiles that no `prepare` has asked for."""

        def on_start(self, event: Any) -> None:
            spent.begin()

        def on_end(self, event: Any) -> None:
            spent.end()

    class Function(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            progress.running += 1

        def on_end(self, event: Any) -> None:
            progress.running -= 1
            progress.done += 1

    class Step(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            spent.stop_if_asked()

        def on_end(self, event: Any) -> None: ...

    _compare_flags_quickly()
    register: Any = event.register
    register("numba:compiler_lock", Lock())
    register("numba:compile", Function())
    register("numba:run_pass", Step())
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


def types_of(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types that Numba gives to arguments."""
    from numba.core.typing.typeof import Purpose, typeof

    return tuple(typeof(value, Purpose.argument) for value in args)  # type: ignore[no-untyped-call]


spent, progress = _Spent(), _Progress()
