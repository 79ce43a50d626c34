"""An exception ends a function that takes too long, comes once, and never later."""

import _thread
import random
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

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


CALLS = 60


def outcomes(seed):
    """How often a time that is about as long as the work was enough, and was not; what comes later fails the test."""
    enough = 0
    steps = 200_000  # for some milliseconds, as long as a thread keeps the interpreter to itself
    for i in range(CALLS):
        try:
            seconds = i * seed % 17 * 1e-3 or 60
            assert within(seconds, lambda: work(steps)) == steps * (steps - 1) // 2
            enough += 1
        except OutOfPatienceError:
            pass
        work(100)
    return enough


@pytest.fixture
def switches():
    """Threads take turns so often that a time of some hundred microseconds is kept."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.ci
@pytest.mark.usefixtures("switches")
def test_the_exception_never_comes_after_the_end_in_any_thread():
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(outcomes, (1, 2, 3)))
    assert 0 < sum(found) < 3 * CALLS


def pressed_after(seconds, come):
    """A thread that presses Ctrl-C so many seconds after it has begun, and again: Python drops one in a finalizer."""

    def press():
        time.sleep(seconds)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        while not come.wait(5):
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    return threading.Thread(target=press)


def begun_within(thread, seconds, steps):
    thread.start()
    with suppress(OutOfPatienceError):
        within(seconds, lambda: work(steps))
    wait()


@pytest.mark.ci
@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs Ctrl-C from a thread")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of a thread that has not begun
@pytest.mark.usefixtures("interrupts", "switches")
def test_nothing_comes_later_though_ctrl_c_came_at_any_moment():
    rng, threads = random.Random(1), _thread._count()
    for _ in range(300):
        come = threading.Event()
        pressed = pressed_after(rng.random() * 5e-4, come)
        with pytest.raises(KeyboardInterrupt):
            begun_within(pressed, rng.random() * 5e-4, rng.randrange(8000))
        come.set()
        pressed.join()
        work(1000)
    end = time.monotonic() + 5
    while _thread._count() > threads and time.monotonic() < end:
        time.sleep(0.05)
    assert _thread._count() <= threads


def test_ctrl_c_that_the_caller_has_handled_is_over():
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        with pytest.raises(OutOfPatienceError):
            within(0.02, wait)


class Finalizer:
    def __del__(self):
        time.sleep(0.1)
        work(100)


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_exception_that_python_swallows_in_a_finalizer_comes_again():
    def swallow():
        unused = Finalizer()
        del unused
        wait()

    with ThreadPoolExecutor(1) as pool, pytest.raises(OutOfPatienceError):
        pool.submit(within, 0.02, swallow).result()
