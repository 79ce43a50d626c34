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


CALLED_BY_LLVM = """
import signal
from llvmlite.binding.executionengine import ExecutionEngine
signal.signal(signal.SIGINT, signal.default_int_handler)
find = ExecutionEngine._find_module_ptr

def interrupted(self, module):
    signal.raise_signal(signal.SIGINT)
    return find(self, module)

if not COLD:
    ExecutionEngine._find_module_ptr = interrupted
from mines_dd.cli.main import main
main()
"""


def count(code, cache):
    """What becomes of a count whose kernels are compiled, or loaded, in a process that begins with this code."""
    found = subprocess.run(
        [sys.executable, "-c", code, "count", "#1#/###"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache), "MINES_DD_JIT": "always"},
        capture_output=True,
        text=True,
        timeout=TIME,
        check=False,
    )
    return found.returncode, found.stdout, found.stderr.strip()


STOPPED = 130, "", "mines-dd: interrupted"


def test_ctrl_c_ends_a_command_at_once_while_it_compiles(tmp_path):
    assert count(INTERRUPTED, tmp_path) == STOPPED


def test_ctrl_c_is_neither_lost_nor_fatal_where_llvm_calls_python(tmp_path):
    assert count(CALLED_BY_LLVM.replace("COLD", "False"), tmp_path) == STOPPED
    assert count(CALLED_BY_LLVM.replace("COLD", "True"), tmp_path)[0] == 0
    assert count(CALLED_BY_LLVM.replace("COLD", "False"), tmp_path) == STOPPED  # what is on disk is loaded
