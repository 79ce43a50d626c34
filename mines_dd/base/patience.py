"""Run a Python function for a limited time.

An exception is raised inside the function when its time is over, whatever it is doing::

    within(0.5, lambda: 7)                  7
    within(0.5, search_all_games)           raises OutOfPatienceError after half a second

It is raised between two steps of the interpreter: what is written in C, such as sorting an array, is not interrupted.
"""

from __future__ import annotations

import _thread
import ctypes
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["OutOfPatienceError", "within"]

T = TypeVar("T")

_AGAIN = 1.0  # seconds after which it comes once more: a finalizer that ran just then has swallowed it


class OutOfPatienceError(BaseException):
    """The time of a function is over; no `Exception`, so that what catches those does not catch it."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return what a call returns.

    Raises
    ------
    OutOfPatienceError
        If it takes longer than `seconds`.

    Examples
    --------
    >>> within(60, lambda: 7)
    7
    >>> def wait():
    ...     while True:
    ...         pass
    >>> try:
    ...     within(0.01, wait)
    ... except OutOfPatienceError:
    ...     print("enough")
    enough
    """
    handled = sys.exception()  # by the caller
    end = _End()
    try:
        try:
            end.come_in(seconds)
            return call()
        finally:
            end.missed = True  # before anything else, so that what interrupts the next line leaves nothing behind
            end.pass_by()
    except OutOfPatienceError as error:
        other = error.__context__
        if isinstance(other, KeyboardInterrupt) and other is not handled:
            raise other from None  # Ctrl-C at the same moment
        raise


class _End:
    """The end of the time of the thread that makes this object.

    The exception may come between any two steps, so nothing that it could interrupt is written in Python here, as
    `threading.Timer` is: that raises other errors then.
    """

    def __init__(self) -> None:
        self.missed = self._came = False
        self._thread = threading.get_ident()
        self._coming = threading.Lock()
        self._begun = threading.Lock()  # released once the waiting has begun
        self._waiting = threading.Lock()  # released once nobody has to wait any more
        self._begun.acquire()
        self._waiting.acquire()

    def come_in(self, seconds: float) -> None:
        """Let the exception come after some time."""
        _thread.start_new_thread(self._wait, (min(max(0.0, seconds), threading.TIMEOUT_MAX),))
        self._begun.acquire()  # in Python 3.11 a thread that has not begun gets what is raised in its maker

    def _wait(self, seconds: float) -> None:
        self._begun.release()
        while not self._waiting.acquire(timeout=seconds) and self._come():
            seconds = _AGAIN

    def _come(self) -> bool:
        """Raise the exception in the thread, unless what it would end is done already; tell which."""
        with self._coming:
            if not self.missed:
                self._came = True
                thread, kind = ctypes.c_ulong(self._thread), ctypes.py_object(OutOfPatienceError)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, kind)
            return not self.missed

    def pass_by(self) -> None:
        """Called in the thread once it was `missed`: no exception comes later; one on its way comes now."""
        try:
            if self._waiting.locked():
                self._waiting.release()
            with self._coming:
                came = self._came
            if came:
                for _ in range(100_000):  # it is raised in the first of these steps, if it was not before
                    pass
        except KeyboardInterrupt:
            self.pass_by()
            raise
