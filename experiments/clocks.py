"""How experiments take the time of some work in their own process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from mines_dd.base.jit import compile_seconds

__all__ = ["clock", "repeated", "timed"]

T = TypeVar("T")


def clock() -> float:
    """Seconds of the clock, those of compiling and loading kernels left out."""
    return time.perf_counter() - compile_seconds()


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what some work returns, and its seconds of processor time."""
    started = time.process_time()
    value = work()
    return value, time.process_time() - started


def repeated(work: Callable[[], T], runs: int, long: float) -> tuple[T, list[float]]:
    """Do some work up to so many times, but not again after a run of more than `long` seconds of processor time.

    Returns
    -------
    value
        Of the last run.
    list of float
        The seconds of each run.

    Examples
    --------
    >>> value, seconds = repeated(lambda: "done", 3, long=60)
    >>> value, len(seconds)
    ('done', 3)
    """
    value, seconds = timed(work)
    times = [seconds]
    while len(times) < runs and times[-1] <= long:
        value, seconds = timed(work)
        times.append(seconds)
    return value, times
