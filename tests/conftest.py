"""Settings of all tests, and what several need."""

import gc
import os
import signal
import sys
import time
from types import SimpleNamespace

import pytest
from hypothesis import settings

from mines_dd.base import compiling, jit

# The tests start many short processes: each would compile the package, and each worker all tests, anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

os.environ.setdefault("MINES_DD_BESIDE", "off")  # nothing compiles beside the tests, and on after them

ALWAYS = jit.always_compiled()  # asked of the whole run

# How long an example takes says more of the machine than of the code.  The same examples are tried everywhere;
# experiments.soak and experiments.fuzz look for new ones.
settings.register_profile("mines_dd", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("mines_dd")


@pytest.fixture(autouse=True)
def interpreted_until_machine_code_pays(monkeypatch):
    """Each test begins as a new process does; but what kernels have cost is counted over all tests of a process."""
    if not ALWAYS:
        monkeypatch.delenv("MINES_DD_JIT", raising=False)  # which a command may have set


@pytest.fixture
def interpreted_unless_asked(monkeypatch):
    """Kernels run interpreted, however much work it is, but for where MINES_DD_JIT says `always`.

    What that costs is not counted: another test would compile them for it.
    """

    def uncounted(kernel, *args):
        before = kernel._seconds
        try:
            return interpreted(kernel, *args)
        finally:
            kernel._seconds = before

    interpreted = jit.Kernel.interpreted
    monkeypatch.setattr(jit.Kernel, "interpreted", uncounted)
    monkeypatch.setattr(jit.Kernel, "pays", lambda kernel, work=0, left=0.0: jit.always_compiled())
    monkeypatch.setattr(jit.Kernel, "_price", lambda kernel: 3600.0)


def pytest_collection_finish(session):
    """Nothing may be compiled while the tests are collected, which each process does; and what is there then stays."""
    assert ALWAYS or not compiling.progress.done, "a module of tests compiles when it is imported"
    gc.freeze()  # no collection, and no test that looks at all objects, goes through it
    gc.set_threshold(20_000, 20, 100)  # the default ones take a fifth of the time of some rooms


class Clock:
    """A clock on which a second passes each time it is looked at, and none else but those put `ahead`."""

    def __init__(self) -> None:
        self.first: float | None = None
        self.looks = self.ahead = 0

    def monotonic(self) -> float:
        if self.first is None:
            self.first = time.monotonic()
        self.looks += 1
        return self.first + self.looks + self.ahead


@pytest.fixture
def clock(monkeypatch):
    """The clock of all budgets made meanwhile: tests count looks at it and wait for nothing."""
    made = Clock()
    monkeypatch.setattr(
        "mines_dd.base.budget.time", SimpleNamespace(monotonic=made.monotonic, perf_counter=time.perf_counter)
    )
    return made


@pytest.fixture
def interrupts():
    """Processes started meanwhile heed Ctrl-C, which those of a shell's background job inherit to ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
