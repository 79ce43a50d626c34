"""The examples that `mines-dd warm-up` compiles are those that the second process goes by, too."""

import os
import subprocess
import sys
from collections.abc import Iterator

import commands
import pytest
from boards import ROOT

from mines_dd.base import compiling
from mines_dd.base.backwards import uses_of
from mines_dd.base.binding import plain
from mines_dd.base.jit import Kernel
from mines_dd.cli import warm_up as warm_up_module
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
import signal, sys
import numpy as np
from llvmlite.binding.executionengine import ExecutionEngine
from mines_dd.base import compiling, jit

@jit.kernel
def first(values):
    return values[0]

def find(self, module, find=ExecutionEngine._find_module_ptr):
    signal.raise_signal(signal.SIGINT)
    return find(self, module)

signal.signal(signal.SIGINT, compiling.interrupt)
if sys.argv[1] == "interrupted":
    ExecutionEngine._find_module_ptr = find
try:
    print(first.compiled(np.array([4])), "went on")
except KeyboardInterrupt:
    print("stopped", compiling.spent.depth)
"""


def run(command, cache):
    return subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache), "MINES_DD_JIT": "always"},
        capture_output=True,
        text=True,
        timeout=TIME,
        check=False,
    )


def test_machine_code_that_cannot_be_kept_is_a_failure(monkeypatch):
    monkeypatch.setattr(compiling.progress, "kept", "not kept: No space left on device; set NUMBA_CACHE_DIR")
    monkeypatch.setattr(warm_up_module, "_uses", list)
    assert "the machine code is not kept: No space left" in commands.run("warm-up", code=2)


@pytest.mark.ci
def test_ctrl_c_ends_a_command_at_once_while_it_compiles(tmp_path):
    found = run([sys.executable, "-c", INTERRUPTED, "count", "#1#/###"], tmp_path)
    said = [line for line in found.stderr.split("\n") if line and not line.startswith("mines-dd: compiling")]
    assert (found.returncode, found.stdout, said) == (130, "", ["mines-dd: interrupted"])


@pytest.mark.slow
def test_ctrl_c_is_neither_lost_nor_fatal_where_llvm_calls_python(tmp_path):
    program = tmp_path / "called_by_llvm.py"
    program.write_text(CALLED_BY_LLVM)
    said = [run([sys.executable, str(program), how], tmp_path).stdout for how in ("interrupted", "not", "interrupted")]
    assert said == ["stopped 0\n", "4 went on\n", "stopped 0\n"]  # compiled, and at last loaded from disk
