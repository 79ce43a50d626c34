"""Messages while the user waits for a kernel; Ctrl-C and alarms wait until it is compiled."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from mines_dd.base.binding import reached
from mines_dd.base.compiling import interrupt, progress
from mines_dd.base.wording import counted

__all__ = ["announced", "saying", "shown", "undisturbed"]

_ANNOUNCE_AFTER = 1.5  # seconds of compiling or interpreting, one kernel or several in a row
_PAUSE = 0.5  # seconds between two things said of it
_MOMENT = 0.2  # of what takes less than these seconds nothing is said, or lines would only flicker


@contextmanager
def announced(title: str, kernel: Callable[..., Any]) -> Iterator[None]:
    """Say on standard error that a kernel is being compiled, if the user may notice the wait."""
    before = progress.done

    def line(seconds: float) -> str:
        if not progress.running:
            return ""
        functions = reached(kernel)
        number = min(progress.done - before, functions)  # Numba's own are counted, too
        how_far = counted(functions, "function")
        if _on_terminal():
            how_far = f"{number} of {how_far}, {seconds:.0f} s"
        return f"mines-dd: compiling {title} ({how_far}; {progress.kept}) ..."

    with saying(line, f"mines-dd: compiling {title} took"):
        yield


@contextmanager
def shown(title: str, patience: float) -> Iterator[None]:
    """Say on a terminal that a kernel is being interpreted, if the user may notice the wait."""
    if not _on_terminal():
        yield
        return

    def line(seconds: float) -> str:
        return f"mines-dd: running {title} in Python ({seconds:.0f} s; compiled if it takes {patience:.0f} s) ..."

    with saying(line):
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
def saying(line: Callable[[float], str], end: str = "") -> Iterator[None]:
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
        last = "\r" + " " * 100 + "\r" if terminal else f"{end} {time.monotonic() - started:.1f} s\n"
        print(last, end="", file=sys.stderr, flush=True)


@contextmanager
def undisturbed(title: str, done: str = "compiled") -> Iterator[None]:
    """Let Ctrl-C, and an alarm that a program has set, wait until a kernel is compiled, or a package imported.

    Numba is left with half a function otherwise, and cannot compile that one again in this process; so it is with the
    modules of a package that import each other.  Where a program handles Ctrl-C itself, that is left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def note(times: int) -> None:
        if times > 1:
            interrupt()
        if sys.stderr:
            stops = f"mines-dd: stops when {title} is {done}; once more stops now, and leaves it broken"
            print(stops, file=sys.stderr, flush=True)

    with ExitStack() as stack:
        alarm = signal.getsignal(signal.SIGALRM) if hasattr(signal, "SIGALRM") else None
        if callable(alarm):
            stack.enter_context(_later(signal.SIGALRM))
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            stack.enter_context(_later(signal.SIGINT, note))
        yield


@contextmanager
def _later(number: int, note: Callable[[int], None] | None = None) -> Iterator[None]:
    """Let a signal come once the context is left; `note` is told each time how often it has come."""
    handler, times = signal.getsignal(number), 0

    def count(*_: object) -> None:
        nonlocal times
        times += 1
        if note:
            note(times)

    signal.signal(number, count)
    try:
        yield
    finally:
        signal.signal(number, handler)
        if times:
            signal.raise_signal(number)
