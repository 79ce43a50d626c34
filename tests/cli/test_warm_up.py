"""The examples that `mines-dd warm-up` compiles are those that the second process goes by, too."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from boards import ROOT

from mines_dd.base.backwards import uses_of
from mines_dd.base.binding import plain
from mines_dd.base.jit import Kernel
from mines_dd.cli.warm_up import _uses
from mines_dd.compilers import tree
from mines_dd.play import border, player

TIME = 120  # seconds after which a process that hangs is given up


def calls(kernel: Kernel, seen: set[Kernel]) -> Iterator[Kernel]:
    """A kernel, and all that it calls."""
    if kernel in seen:
        return
    seen.add(kernel)
    yield kernel
    function = plain(kernel)
    for name in function.__code__.co_names:
        if isinstance(function.__globals__.get(name), Kernel):
            yield from calls(function.__globals__[name], seen)


@pytest.mark.parametrize(
    ("title", "kernel", "most"),
    [("the method tree", tree._eliminate, 0), ("weighing positions", border.weigh, 3), ("games", player._play, 4)],
)
def test_an_example_runs_almost_all_that_its_largest_kernel_calls(monkeypatch, title, kernel, most):
    for each in calls(kernel, set()):
        monkeypatch.setattr(each, "_ready", False)  # as in a new process
    example = dict(_uses())[title]
    missing = set(calls(kernel, set())) - {use.kernel for use in uses_of(example)}
    assert len(missing) <= most, sorted(kernel.title for kernel in missing)


INTERRUPTED = """
import signal, sys
import mines_dd.base.compiling as compiling
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell has it ignored
compiling.numba_njit()
from numba.core import event

class Interrupt(event.Listener):
    def on_start(self, event): signal.raise_signal(signal.SIGINT)
    def on_end(self, event): ...

event.register("numba:compile", Interrupt())
from mines_dd.cli.main import main
main()
"""


def test_ctrl_c_ends_a_command_at_once_while_it_compiles(tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "count", "#1#/###"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path), "MINES_DD_JIT": "always"},
        capture_output=True,
        text=True,
        timeout=TIME,
        check=False,
    )
    assert (found.returncode, found.stdout, found.stderr.strip()) == (130, "", "mines-dd: interrupted")
