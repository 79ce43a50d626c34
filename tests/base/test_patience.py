"""An exception ends a function that takes too long, comes once, and never later."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from mines_dd.base.patience import OutOfPatienceError, within


def wait():
    while True:
        time.sleep(0.001)


def test_a_function_that_takes_too_long_is_ended_where_it_is():
    came_to_an_end = []

    def tidy():
        try:
            wait()
        finally:
            came_to_an_end.append(True)

    started = time.monotonic()
    with pytest.raises(OutOfPatienceError):
        within(0.05, tidy)
    assert came_to_an_end == [True]
    assert 0.05 <= time.monotonic() - started < 5


def test_what_catches_all_errors_does_not_catch_it():
    def stubborn():
        try:
            wait()
        except Exception:
            return "caught"

    with pytest.raises(OutOfPatienceError):
        within(0.02, stubborn)


def test_what_a_function_raises_itself_is_raised():
    with pytest.raises(ZeroDivisionError):
        within(60, lambda: 1 // 0)


def test_ctrl_c_is_not_lost():
    def interrupted():
        try:
            raise KeyboardInterrupt
        finally:
            wait()

    with pytest.raises(KeyboardInterrupt):
        within(0.02, interrupted)


def work(steps):
    total = 0
    for i in range(steps):
        total += i
    return total


def outcomes(seed):
    """How often a time that is about as long as the work was enough, and was not; what comes later fails the test."""
    enough = 0
    for i in range(300):
        try:
            assert within((i * seed % 17) * 2e-5, lambda: work(3000)) == work(3000)
            enough += 1
        except OutOfPatienceError:
            pass
        work(100)
    return enough


def test_the_exception_never_comes_after_the_end_in_any_thread():
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(outcomes, (1, 2, 3)))
    assert all(0 < enough < 300 for enough in found)
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer) and thread.is_alive()]
