"""A second process compiles from the end of the list; where it fails, or is not wanted, nothing is lost but time."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from boards import ROOT

from mines_dd.base import beside as module
from mines_dd.base.backwards import Use, uses_of
from mines_dd.base.beside import Beside
from mines_dd.base.jit import kernel

TIME = 120  # seconds after which a process that hangs is given up


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def until(beside: Beside, title: str) -> None:
    """Wait until the other process has said that it compiles a kernel."""
    with beside._changed:
        assert beside._changed.wait_for(lambda: beside._at == title, TIME)


def test_a_kernel_that_the_other_process_compiles_is_waited_for():
    beside = Beside(python("print('begin outer', flush=True); print('begin' if input() == 'inner' else 'wrong')"))
    assert beside.started()
    until(beside, "outer")
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(beside.has_made, "outer")
        assert not beside.has_made("inner")  # which the other hears of, and goes on
        assert made.result(TIME)


def test_a_process_that_ends_is_not_waited_for_and_not_started_again_if_it_failed():
    beside = Beside(python("print('begin outer', flush=True); input(); raise SystemExit(1)"))
    assert beside.started()
    process = beside._process
    until(beside, "outer")
    assert not beside.has_made("inner")
    process.wait(TIME)
    until(beside, "")
    assert not beside.started()


def test_a_process_is_not_left_where_no_thread_can_listen_to_it(monkeypatch):
    def no_room(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(module.threading.Thread, "start", no_room)
    processes = []
    start = module._start
    monkeypatch.setattr(module, "_start", lambda command: processes.append(start(command)) or processes[-1])
    beside = Beside(python("input()"))
    assert not beside.has_made("outer")
    assert not beside.started()
    assert [process.returncode is not None for process in processes] == [True]


def test_a_command_that_does_not_exist_does_no_harm():
    assert not Beside(["/no/such/program"]).has_made("outer")


@pytest.mark.parametrize(
    ("setting", "cores", "load", "child", "wanted"),
    [
        ("", 2, 1.2, False, True),
        ("", 2, 1.8, False, False),
        ("", 1, 0.0, False, False),
        ("off", 2, 0.0, False, False),
        ("", 2, 0.0, True, False),
        ("on", 2, 1.8, True, True),
        ("on", 1, 0.0, False, False),
    ],
)
def test_a_process_is_started_only_where_it_is_wanted(monkeypatch, setting, cores, load, child, wanted):
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0), raising=False)
    monkeypatch.setenv("MINES_DD_BESIDE", setting)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    monkeypatch.setattr("multiprocessing.process.parent_process", lambda: object() if child else None)
    assert module._wanted() is wanted


def test_the_command_ends_when_its_input_does():
    command = [sys.executable, *module._COMMAND]
    found = subprocess.run(command, input="", capture_output=True, text=True, timeout=TIME, check=False, cwd=ROOT)
    assert (found.returncode in (0, 1), found.stdout, found.stderr) == (True, "", "")  # 1: another one is running


@kernel
def append(values, count, value):
    values[count] = value
    return count + 1


@kernel
def positive(values):
    kept = np.empty(values.size, np.int64)
    count = 0
    for value in values:
        if value > 0:
            count = append(kept, count, value)
    return count


@kernel
def total(values):
    result = 0
    for value in values:
        result += value
    return result


def test_the_uses_of_an_example_are_its_kernels_and_their_parts_as_they_begin():
    numbers, halves = np.array([3, -1, 4]), np.array([0.5])

    def example():
        assert positive.run(10**9, numbers) == 2
        assert total.run(10**9, numbers) == 6
        assert total.run(1, np.array([5])) == 5  # the same types
        assert total.run(1, halves) == 0.5

    uses = uses_of(example)
    assert [(use.kernel, use.caller) for use in uses] == [
        (positive, None),
        (append, positive),
        (total, None),
        (total, None),
    ]
    assert isinstance(uses[0], Use)
    assert (uses[2].args, uses[3].args) == ((numbers,), (halves,))


PARTS = """
import numpy as np
from mines_dd.base.jit import kernel

@kernel
def inner(values):
    return values[0] + 1

@kernel
def first(values):
    return inner(values) * 2

@kernel
def last(values):
    return inner(values) * 3

def example():
    values = np.array([4])
    return first.run(10**9, values), last.run(10**9, values)
"""

SECOND = """
import sys, parts
from mines_dd.base.backwards import compile_beside
compile_beside([lambda: None, parts.example], sys.stdin, sys.stdout)
"""

FIRST = """
import parts
from mines_dd.base import compiling
assert parts.example() == (10, 15)
print(compiling.progress.done)
"""


@pytest.mark.ci
def test_what_the_second_process_has_compiled_is_loaded_by_the_first(tmp_path):
    (tmp_path / "parts.py").write_text(PARTS)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "TMPDIR": str(tmp_path),  # the lock of this test's own
        "MINES_DD_JIT": "always",
    }
    command = python(SECOND)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as second:
        second.stdin.write("parts.first\n")
        second.stdin.flush()
        assert [second.stdout.readline() for _ in range(2)] == ["begin parts.last\n", "end\n"]
        another = subprocess.run(command, env=environment, input="", timeout=TIME, check=False)
        assert another.returncode == 1  # one at a time
        second.stdin.close()  # the first is gone
        assert second.wait(TIME) == 0
    found = subprocess.run(python(FIRST), env=environment, capture_output=True, text=True, timeout=TIME, check=False)
    assert (found.returncode, found.stdout) == (0, "1\n")  # parts.first, which was left to it
