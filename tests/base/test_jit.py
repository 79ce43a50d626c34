"""Kernels are compiled wherever they may be: by threads and processes at once, without a cache, with a torn one."""

import gc
import importlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from boards import ROOT
from numba.core import caching
from ways import METHODS

from mines_dd.base import announcing, compiling, jit
from mines_dd.base.jit import kernel
from mines_dd.base.patience import OutOfPatienceError
from mines_dd.compilers.packages import first_installed

TIME = 120  # seconds after which a process that hangs is given up


def run(program: str, *arguments: str, folder: Path = ROOT, **variables: str) -> subprocess.CompletedProcess:
    """Run Python with this package, which it takes from `folder`."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "MINES_DD"))}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env={**kept, "MINES_DD_BESIDE": "off", "PYTHONPATH": str(folder), **variables},
        capture_output=True,
        text=True,
        timeout=TIME,
        check=False,
    )


ONE_KERNEL = """
import sys, threading
import numpy as np
from concurrent.futures import ThreadPoolExecutor
import mines_dd
from mines_dd.base.hashing import hash_words
row = np.arange(1, 6)
threads = int(sys.argv[1])
ready = threading.Barrier(threads)
def first(words):
    ready.wait()
    return int(hash_words.run(10**9, row, words))
with ThreadPoolExecutor(threads) as pool:
    found = list(pool.map(first, [5] * threads))
with np.errstate(over="ignore"):
    assert found == [int(hash_words(row, 5))] * threads, found
print(mines_dd.__file__, mines_dd.base.compiling.progress.kept)
"""


SOLVES = """
import json, sys, threading
from concurrent.futures import ThreadPoolExecutor
from mines_dd import Board, solve
methods = sys.argv[1:]
ready = threading.Barrier(len(methods))
def first(method):
    ready.wait()
    family = solve(Board.random(9, 9, 0.2, 0.3, 1), method)
    return [family.count(), sorted(map(sorted, family.sample(2, seed=3)))]
with ThreadPoolExecutor(len(methods)) as pool:
    print(json.dumps(list(pool.map(first, methods))))
"""


def check_quiet(found: subprocess.CompletedProcess) -> None:
    """It went well, and nothing was said but that something is being compiled."""
    said = [line for line in found.stderr.splitlines() if line and not line.startswith("mines-dd: compiling ")]
    assert (found.returncode, said) == (0, [])


@pytest.fixture
def started(tmp_path, monkeypatch, capfd):
    """Run a module as a new process does, with a cache of its own; return how many functions were compiled."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "cache"))

    def start(name: str, **sources: str) -> int:
        for file, source in sources.items():
            (tmp_path / f"{file}.py").write_text(source)
        for file in tmp_path.glob("*.py"):
            sys.modules.pop(file.stem, None)
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
        importlib.invalidate_caches()
        before = compiling.progress.done
        importlib.import_module(name)
        said = [line for line in capfd.readouterr().err.splitlines() if not line.startswith("mines-dd: compiling ")]
        assert said == []
        return compiling.progress.done - before

    return start


@pytest.mark.slow
def test_two_threads_may_be_the_first_to_compile_a_kernel(tmp_path):
    found = run(ONE_KERNEL, "2", NUMBA_CACHE_DIR=str(tmp_path))
    check_quiet(found)
    assert "kept on disk from then on" in found.stdout  # as is announced
    assert list(tmp_path.rglob("*.nbi"))


OUTER_AND_INNER = """
import sys, threading
import numpy as np
from concurrent.futures import ThreadPoolExecutor
from mines_dd.base import jit

@jit.kernel
def inner(values):
    return values[0]

@jit.kernel
def outer(values):
    return inner(values) + 1
"""

TWO_KERNELS = f"""{OUTER_AND_INNER}
ready = threading.Barrier(2)

@jit.kernel
def other(values):
    return values[0]

def first(kernel):
    ready.wait()
    return kernel.run(10**9, np.array([4]))

def both():
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(first, [outer, other])) == [5, 4]
"""


@pytest.mark.slow
def test_two_threads_may_be_the_first_to_import_numba(tmp_path):
    (tmp_path / "two_kernels.py").write_text(TWO_KERNELS)
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    check_quiet(run("import two_kernels; two_kernels.both()", PYTHONPATH=path, NUMBA_CACHE_DIR=str(tmp_path)))


NESTED = f"""{OUTER_AND_INNER}
assert outer.run(10**9, np.array([4])) == 5
assert inner.run(10**9, np.array([4])) == 4
"""


def one_bit_flipped(data: bytes) -> bytes:
    quarter = len(data) // 4  # there is machine code
    return data[:quarter] + bytes([data[quarter] ^ 1]) + data[quarter + 1 :]


@pytest.mark.ci
def test_a_torn_cache_does_no_harm_and_heals(started, tmp_path):
    assert started("nested", nested=NESTED) == 3  # inner by itself, and as a part of outer
    assert started("nested") == 0
    tears = [
        ("*.nbi", lambda data: b""),
        ("*.nbi", lambda data: data[: len(data) // 2]),
        ("*.nbc", lambda data: bytes(len(data))),
        ("*.nbc", one_bit_flipped),  # LLVM may end the process
    ]
    for kind, tear in tears:
        files = list((tmp_path / "cache").rglob(kind))
        assert len(files) == 3
        for file in files:
            file.write_bytes(tear(file.read_bytes()))
        assert started("nested") > 0
    assert started("nested") == 0


STALE = """
import numpy as np
from mines_dd.base.jit import kernel
from stale_parts import inner

@kernel
def outer(values):
    return inner(values) + 1

found = outer.run(10**9, np.array([4]))
"""
STALE_PARTS = """
from mines_dd.base.jit import kernel
FACTOR = 1

@kernel
def inner(values):
    return FACTOR * values[0]
"""


def test_a_constant_changed_in_another_file_is_seen(started):
    again = 0 if hasattr(caching, "_hash_source_file") else 2  # an older Numba asks when the file was written
    for factor, outcome, functions in [(1, 5, 2), (2, 9, 2), (1, 5, again)]:
        parts = STALE_PARTS.replace("FACTOR = 1", f"FACTOR = {factor}")
        assert started("stale", stale=STALE, stale_parts=parts) == functions
        assert sys.modules["stale"].found == outcome


def test_a_kernel_compiled_as_a_part_of_one_is_there_for_another_in_a_later_process(started):
    assert started("first", first=STALE, stale_parts=STALE_PARTS) == 2
    assert started("second", second=STALE.replace("+ 1", "+ 2")) == 1
    assert sys.modules["second"].found == 6
    assert started("second") == 0


BOUND = """
import numpy as np
from bound_parts import child
from mines_dd.base.jit import BoundKernel

_child = None

def add_up(values):
    total = 0
    for value in values:
        total += _child(value)
    return total

found = BoundKernel(add_up, {"_child": child}, "Child").compiled(np.array([1, 2, 3]))
"""
BOUND_PARTS = """
MOST = 2

def too_many(k):
    return k > MOST

def child(k):
    return 0 if too_many(k) else k
"""


ELSEWHERE = """
import even_further

def longer(k):
    return k + even_further.inner.MORE[0]
"""
DECORATED_PARTS = """
import elsewhere

def twice(function):
    def around(k):
        return 2 * function(k)
    return around

@twice
def child(k):
    return elsewhere.longer(k)
"""


def test_functions_of_modules_and_closures_are_compiled_too(started):
    for more, outcome in [(2, 24), (250, 1512)]:
        sources = {"elsewhere": ELSEWHERE, "even_further": "import further as inner\n", "bound": BOUND}
        further = f"import numpy as np\nMORE = np.array([{more}], np.uint8)\n"
        assert started("bound", bound_parts=DECORATED_PARTS, further=further, **sources) > 0
        assert sys.modules["bound"].found == outcome
        assert started("bound") == 0


PRINTING = """
import numpy as np
from printing_parts import child
from mines_dd.base.jit import BoundKernel

_child = None

def call_all(values):
    for value in values:
        _child(value)

BoundKernel(call_all, {"_child": child}, "Printing").compiled(np.array([1, 2]))
"""
PRINTING_PARTS = """
def child(k):
    print("child", k)
"""


def test_what_is_called_prints_freshly_compiled_and_loaded(started, monkeypatch):
    """It has Python's lock meanwhile, and gives it back."""
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert started("printing", printing=PRINTING, printing_parts=PRINTING_PARTS) > 0
    assert started("printing") == 0
    assert sys.stdout.getvalue().splitlines() == 2 * ["child 1", "child 2"]


def test_a_bound_function_is_loaded_and_compiled_anew_if_a_constant_that_it_reaches_is_changed(started):
    for most, outcome in [(2, 3), (3, 6)]:
        parts = BOUND_PARTS.replace("MOST = 2", f"MOST = {most}")
        assert started("bound", bound=BOUND, bound_parts=parts) > 0
        assert started("bound") == 0
        assert sys.modules["bound"].found == outcome


@pytest.mark.ci
def test_a_kernel_loads_from_disk_without_what_numba_needs_to_compile(tmp_path):
    program = """
import sys
import numpy as np
from mines_dd.base.hashing import hash_words
print(not hash_words._is_on_disk())
hash_words.run(10**9, np.arange(1, 6), 5)
print("numba.np.arraymath" in sys.modules)
"""
    for missing in ("True", "False"):
        found = run(program, NUMBA_CACHE_DIR=str(tmp_path))
        check_quiet(found)
        assert found.stdout.split() == [missing, missing]


NAMED_STATE = """
from typing import NamedTuple

import numpy as np
from mines_dd.base.jit import kernel

class NAME(NamedTuple):
    values: np.ndarray

@kernel
def inner(state):
    return state.values[0]

@kernel
def outer(state):
    return inner(state) + 1

assert outer.run(10**9, NAME(np.array([4]))) == 5
"""


def test_a_cache_made_before_a_class_was_renamed_does_no_harm(started, tmp_path):
    for name in ("Before", "After"):
        assert started("renamed", renamed=NAMED_STATE.replace("NAME", name)) > 0
    assert list((tmp_path / "cache").rglob("*.nbi"))


@pytest.mark.slow
def test_two_processes_may_be_the_first_to_compile_a_kernel(tmp_path):
    with ThreadPoolExecutor(2) as pool:
        for found in [pool.submit(run, ONE_KERNEL, "1", NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)]:
            check_quiet(found.result())


@pytest.fixture(scope="module")
def sealed(tmp_path_factory) -> Path:
    """A copy of the package next to which nobody can write: where folders for caches would be there are files.

    Permissions would not do: they do not bind the root user, whom tests often run as.
    """
    folder = tmp_path_factory.mktemp("installation")
    shutil.copytree(ROOT / "mines_dd", folder / "mines_dd", ignore=shutil.ignore_patterns("__pycache__"))
    for place in [folder / "mines_dd", *filter(Path.is_dir, (folder / "mines_dd").rglob("*"))]:
        (place / "__pycache__").touch()
    (folder / "file").touch()
    return folder


def check_without_cache(sealed: Path, program: str, *arguments: str, **variables: str) -> str:
    nowhere = str(sealed / "file" / "below")
    found = run(program, *arguments, folder=sealed, HOME=nowhere, XDG_CACHE_HOME=nowhere, **variables)
    check_quiet(found)
    assert all(path.stat().st_size == 0 for path in sealed.rglob("__pycache__"))
    assert not list(sealed.rglob("*.nbi"))
    return found.stdout


@pytest.mark.slow
def test_a_kernel_is_compiled_in_an_installation_that_cannot_be_written(sealed):
    printed = check_without_cache(sealed, ONE_KERNEL, "1")
    assert printed.startswith(str(sealed))
    assert "not kept: set NUMBA_CACHE_DIR" in printed  # as is announced


@pytest.mark.slow
def test_a_kernel_is_compiled_though_the_folder_for_caches_cannot_be_made(sealed):
    nowhere = str(sealed / "file" / "caches")
    assert check_without_cache(sealed, ONE_KERNEL, "2", NUMBA_CACHE_DIR=nowhere).startswith(str(sealed))


@pytest.mark.slow
def test_all_methods_solve_in_an_installation_that_cannot_be_written(sealed):
    found = json.loads(check_without_cache(sealed, SOLVES, *METHODS, MINES_DD_JIT="always"))
    assert found == json.loads(run(SOLVES, *METHODS).stdout)
    assert len({count for count, _ in found}) == 1


@pytest.mark.slow
def test_threads_may_be_the_first_to_compile_all_kernels(tmp_path):
    found = run(SOLVES, *METHODS, *METHODS, NUMBA_CACHE_DIR=str(tmp_path), MINES_DD_JIT="always")
    check_quiet(found)
    assert json.loads(found.stdout) == json.loads(run(SOLVES, *METHODS, *METHODS).stdout)


def test_seconds_of_compilation_are_counted_once_and_only_while_compiling(monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")

    @jit.kernel
    def triple(x):
        return 3 * x

    before = jit.compile_seconds()
    started = time.perf_counter()
    assert triple.run(1, 2) == 6
    spent = jit.compile_seconds() - before
    assert 0 < spent <= time.perf_counter() - started
    assert triple.run(1, 3) == 9
    assert jit.compile_seconds() - before == spent


def test_seconds_of_compilation_have_all_that_a_kernel_waits_for(monkeypatch):
    prepared, dispatcher = jit.kernel(lambda x: x), jit.Kernel._dispatcher

    def slow(*args):
        time.sleep(0.2)
        return dispatcher(*args)

    monkeypatch.setattr(jit.Kernel, "_dispatcher", slow)
    before = jit.compile_seconds()
    prepared.prepare((1,))
    assert jit.compile_seconds() - before > 0.2


@kernel
def larger(a, b):
    return a if a[0] > b[0] else b


@kernel
def first(a):
    return a[0]


@kernel
def top(a, b):  # makes no array
    return max(first(a), first(b))


@kernel
def top_with_new(a, b):
    return first(larger(np.zeros(3), larger(a, b))) + first(larger(b, np.ones(3)))


@kernel
def top_of_larger(a, b):  # makes none, but has one that may be either
    return larger(a, b)[0]


@pytest.mark.slow
def test_kernels_with_and_without_reference_counts_share_helpers():
    a, b = np.full(3, 5.0), np.full(3, 7.0)

    def references():
        assert (top.compiled(a, b), top_with_new.compiled(a, b), top_of_larger.compiled(a, b)) == (7, 14, 7)
        return sys.getrefcount(a), sys.getrefcount(b)

    before = references()
    for _ in range(1000):
        after = references()
    assert after == before


def test_numbas_flags_are_still_equal_when_all_their_values_are():
    assert kernel(lambda: 7).compiled() == 7
    flags = pytest.importorskip("numba.core.compiler").Flags
    one, same, explicit, other = flags(), flags(), flags(), flags()
    one.nrt = same.nrt = True
    explicit.nrt = flags().nrt
    other.boundscheck = True
    assert one == same
    assert hash(one) == hash(same)
    assert explicit == flags()
    assert hash(explicit) == hash(flags())
    assert one not in (other, 3)
    assert one in {same: 1}
    assert one not in {other: 1}


TWO_TYPES = """
import numpy as np
from mines_dd.base.jit import kernel

@kernel
def half(values):
    return values[0] / 2

assert half.run(10**9, np.array([5])) == 2.5
assert half.run(10**9, np.array([0.5])) == 0.25
"""


def test_code_that_lies_under_the_types_of_other_code_is_not_taken(started, tmp_path):
    assert started("two_types", two_types=TWO_TYPES) == 2
    assert started("two_types") == 0
    one, other = (tmp_path / "cache").rglob("*.nbc")
    data = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(data)
    assert started("two_types") == 2


@pytest.fixture
def ctrl_c(monkeypatch):
    """Make a kernel that is compiled while Ctrl-C comes, which raises KeyboardInterrupt, as in a notebook."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def compiled_meanwhile(times: int, steps: list[str]) -> jit.Kernel:
        interrupted = jit.kernel(lambda: 7)

        def prepare(_):
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
                steps.append("goes on")
            interrupted._entry = lambda: 7

        monkeypatch.setattr(interrupted, "prepare", prepare)
        return interrupted

    yield compiled_meanwhile
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_waits_until_a_kernel_is_compiled(ctrl_c, capsys):
    steps = []
    with pytest.raises(KeyboardInterrupt):
        ctrl_c(1, steps).compiled()
    assert steps == ["goes on"]
    assert "stops when" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_ctrl_c_stops_at_once(ctrl_c):
    steps = []
    with pytest.raises(KeyboardInterrupt):
        ctrl_c(2, steps).compiled()
    assert steps == ["goes on"]


def test_ctrl_c_is_left_to_programs_that_handle_it_and_threads_are_not_asked(ctrl_c):
    heard, steps = [], []
    signal.signal(signal.SIGINT, lambda *_: heard.append(len(steps)))
    assert ctrl_c(1, steps).compiled() == 7
    assert heard == [0]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ctrl_c(0, steps).compiled).result() == 7


INTERRUPTED = """
import os, signal
import numpy as np
from mines_dd.base.jit import kernel
import mines_dd.base.compiling as compiling

def ring(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell has it ignored
signal.signal(signal.SIGALRM, ring)
compiling.numba_njit()
from numba.core import event

class Interrupt(event.Listener):
    sent = False
    def on_start(self, event): ...
    def on_end(self, event):
        if not self.sent:  # while the inner function is done, and the outer is not
            self.sent = True
            signal.raise_signal(getattr(signal, os.environ["SENT"]))

@kernel
def inner(values):
    return values[0]

@kernel
def outer(values):
    return inner(values) + 1

listener = Interrupt()
event.register("numba:compile", listener)
try:
    outer.compiled(np.array([4]))
except KeyboardInterrupt:
    print("interrupted")
print(outer.compiled(np.array([4])), inner.compiled(np.array([4])), compiling.spent.depth)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarms here")
@pytest.mark.ci
@pytest.mark.parametrize("sent", ["SIGINT", "SIGALRM"])
def test_numba_is_whole_after_ctrl_c_and_after_an_alarm(sent, tmp_path):
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    folders = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "NUMBA_CACHE_DIR": str(tmp_path)}
    found = run("import interrupted", SENT=sent, **folders)
    assert found.stdout.split() == ["interrupted", "5", "4", "0"]
    assert ("mines-dd: stops when interrupted.outer is compiled" in found.stderr) == (sent == "SIGINT")


def test_garbage_is_collected_again_once_a_kernel_is_compiled():
    with compiling.preparing():
        with compiling.preparing():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


# Interpreted or compiled


@pytest.mark.ci
@pytest.mark.parametrize("setting", ["", "always"])
def test_where_numba_may_not_compile_kernels_are_interpreted(setting):
    program = """
import math
from mines_dd import Board, advise, solve
from mines_dd.base.patience import within
print(solve(Board.parse("###/#2#/###")).count(), advise(Board.parse("mines: 2/#1###")).wins, within(math.inf, int))
"""
    found = run(program, NUMBA_DISABLE_JIT="1", MINES_DD_JIT=setting)
    check_quiet(found)
    assert found.stdout.split() == ["28", "1/2", "0"]


@kernel
def sleep_each(seconds, rest, done):
    """Use up some numbers, and note them; interpreted it waits for each, or for ever."""
    for i in range(rest.size):
        done[0] += rest[i]
        rest[i] = 0
        wait(seconds)


def wait(seconds):
    time.sleep(seconds)


@pytest.fixture
def compiled_calls(monkeypatch):
    """The arguments with which a kernel was run compiled; that is only pretended, and takes no time."""
    calls = []

    def compiled(self, _, rest, done):
        calls.append((rest.tolist(), done.tolist()))
        return self._function(0, rest, done)

    monkeypatch.setattr(jit.Kernel, "compiled", compiled)
    return calls


def fresh(monkeypatch, price):
    """A kernel that has not run yet, for whose machine code one waits so long."""
    made = kernel(sleep_each.__wrapped__)
    monkeypatch.setattr(made, "_price", lambda: price)
    return made


def test_an_attempt_that_takes_too_long_begins_again_with_what_there_was(compiled_calls, monkeypatch):
    rest, done = np.array([1, 2, 3]), np.zeros(1, np.int64)
    fresh(monkeypatch, 0.3).attempt(0.2, rest, done)
    assert compiled_calls == [([1, 2, 3], [0])]
    assert (rest.tolist(), done.tolist()) == ([0, 0, 0], [6])


def test_numpys_errors_are_as_before_though_an_attempt_ends_as_they_are_set_back(compiled_calls, monkeypatch):
    class Interrupted(np.errstate):
        depth = 0

        def __enter__(self):
            Interrupted.depth += 1
            return super().__enter__()

        def __exit__(self, *error):
            Interrupted.depth -= 1
            if Interrupted.depth:
                raise OutOfPatienceError
            return super().__exit__(*error)

    monkeypatch.setattr(np, "errstate", Interrupted)
    before = np.geterr()
    fresh(monkeypatch, 60).attempt(0, np.array([1, 2, 3]), np.zeros(1, np.int64))
    assert compiled_calls == [([1, 2, 3], [0])]
    assert np.geterr() == before


def test_a_short_attempt_is_interpreted(compiled_calls, monkeypatch):
    done = np.zeros(1, np.int64)
    fresh(monkeypatch, 60).attempt(0, np.array([1, 2, 3]), done)
    assert (compiled_calls, done.tolist()) == ([], [6])


def test_many_short_attempts_leave_no_threads_and_need_none(monkeypatch):
    made, done = fresh(monkeypatch, 60), np.zeros(1, np.int64)
    threads = threading.active_count()
    for _ in range(50):
        made.attempt(0, np.array([1]), done)
    assert threading.active_count() == threads

    def no_room(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_room)
    made.attempt(0, np.array([1]), done)
    assert done.tolist() == [51]


def test_a_kernel_is_compiled_once_it_has_been_interpreted_for_as_long_as_that_is_worth(monkeypatch):
    made, done = fresh(monkeypatch, 0.1), np.zeros(1, np.int64)
    before = jit.interpreted_seconds()
    pays = []
    for _ in range(4):
        pays.append(made.pays())
        made.interpreted(0.04, np.array([1]), done)
    assert (pays[0], pays[-1], pays) == (False, True, sorted(pays))
    assert 0.16 <= jit.interpreted_seconds() - before < 5


def test_where_no_time_is_left_to_compile_it_has_to_be_worth_three_times_as_much(monkeypatch):
    made = fresh(monkeypatch, 1.0)
    steps = 2_000_000
    assert [made.pays(steps, left) for left in (60, 3.1, 2.9)] == [True, True, False]
    assert made.pays(2 * steps, left=2.9)


def test_what_is_much_work_is_compiled_at_once(monkeypatch):
    made = fresh(monkeypatch, 1.0)
    assert (made.pays(10_000), made.pays(10_000_000)) == (False, True)


def test_machine_code_that_another_process_has_made_meanwhile_is_cheap(monkeypatch):
    made = kernel(sleep_each.__wrapped__)
    on_disk = [False]
    monkeypatch.setattr(made, "_is_on_disk", lambda: on_disk[0])
    monkeypatch.setattr(jit, "_LOOK_AGAIN", 0)
    dear = made._price()
    on_disk[0] = True
    assert made._price() < dear


@pytest.mark.slow
def test_a_kernel_in_an_installation_that_cannot_be_written_is_looked_for_where_numba_puts_it(sealed, tmp_path):
    program = """
import numpy as np
from mines_dd.base.hashing import hash_words
print(hash_words._is_on_disk())
hash_words.compiled(np.arange(1, 6), 5)
print(hash_words._is_on_disk())
"""
    found = run(program, folder=sealed, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "caches"))
    check_quiet(found)
    assert found.stdout.split() == ["False", "True"]


class Screen(io.StringIO):
    """Standard error on a terminal."""

    def isatty(self) -> bool:
        return True


@kernel
def sleep_a_while():
    time.sleep(0.8)
    return 7


@pytest.mark.ci
def test_a_kernel_that_is_interpreted_for_long_says_so_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sleep_a_while, "_price", lambda: 60.0)
    monkeypatch.setattr(announcing, "_ANNOUNCE_AFTER", 0.1)
    for screen, said in ((Screen(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", screen)
        assert sleep_a_while.attempt() == 7
        line = "running test_jit.sleep_a_while in Python (0 s; compiled if it takes 60 s) ..."
        assert (line in screen.getvalue()) is said


def test_a_kernel_runs_where_standard_error_is_closed_or_missing(monkeypatch):
    (closed := io.StringIO()).close()
    for screen in (closed, None):
        monkeypatch.setattr(sys, "stderr", screen)
        assert kernel(lambda: 7).attempt() == 7


@pytest.mark.ci
def test_many_short_waits_after_one_another_are_one_long_wait(monkeypatch):
    monkeypatch.setattr(announcing, "_ANNOUNCE_AFTER", 0.3)
    monkeypatch.setattr(announcing, "_PAUSE", 0.1)
    monkeypatch.setattr(announcing, "_MOMENT", 30)
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    time.sleep(0.2)  # whatever was said before is long ago
    for number in range(8):
        with announcing.saying(lambda _, number=number: f"wait {number}"):
            time.sleep(0.1)
    assert screen.getvalue() == ""  # each is over in a moment
    monkeypatch.setattr(announcing, "_MOMENT", 0.01)
    time.sleep(0.2)
    for number in range(8):
        with announcing.saying(lambda _, number=number: f"wait {number}"):
            time.sleep(0.1)
    said = screen.getvalue()
    assert "wait 0" not in said
    assert "wait " in said
    assert said.endswith("\r")  # and the line is cleared


def test_what_a_handler_raises_while_numba_makes_a_result_comes_as_it_is(monkeypatch):
    @kernel
    def nothing():
        return 0

    def entry():
        raise SystemError("unpickle returned a result with an exception set") from KeyboardInterrupt()

    def around():
        try:
            entry()
        except SystemError as error:
            raise SystemError("a dispatcher returned a result with an exception set") from error

    for handled in (entry, around):
        monkeypatch.setattr(nothing, "_ready", True)
        monkeypatch.setattr(nothing, "_entry", handled)
        with pytest.raises(KeyboardInterrupt):
            nothing.compiled()


def test_a_package_is_imported_whole_before_ctrl_c(monkeypatch, tmp_path):
    (tmp_path / "half_imported.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        first_installed("BDD", ("half_imported",), "auto")
    assert sys.modules.pop("half_imported").whole


def test_a_cache_that_cannot_be_written_is_said_not_to_be_kept(monkeypatch):
    from numba.core.caching import FunctionCache

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FunctionCache, "save_overload", full)
    monkeypatch.setattr(compiling.progress, "kept", "kept on disk from then on")

    @kernel
    def one():
        return 1

    assert one.compiled() == 1
    assert compiling.progress.kept.startswith("not kept: No space left on device; set NUMBA_CACHE_DIR")
