"""Run a Python function for a limited time.

An exception is raised inside the function when its time is over, whatever it is doing::

    within(0.5, lambda: 7)                  7
    within(0.5, search_all_games)           raises OutOfPatienceError after half a second

It is raised between two steps of the interpreter: what is written in C, such as sorting an array, is not interrupted.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["OutOfPatienceError", "within"]

T = TypeVar("T")


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
    end = _End()
    timer = threading.Timer(seconds, end.come)
    timer.daemon = True
    timer.start()
    try:
        try:
            return call()
        finally:
            timer.cancel()
            end.pass_by()
    except OutOfPatienceError as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None  # Ctrl-C at the same moment
        raise


class _End:
    """The end of the time of the thread that makes this object."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._missed = self._came = False

    def come(self) -> None:
        """Raise the exception in the thread, unless that is done already."""
        with self._lock:
            if not self._missed:
                self._came = True
                thread, kind = ctypes.c_ulong(self._thread), ctypes.py_object(OutOfPatienceError)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, kind)

    def pass_by(self) -> None:
        """Called in the thread: from here on no exception comes; one on its way comes now."""
        with self._lock:
            self._missed = True
        if self._came:
            for _ in range(100_000):  # it is raised in the first of these steps, if it was not before
                pass
