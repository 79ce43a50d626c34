import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from mines_dd.base import apart as module
from mines_dd.base.apart import apart
from mines_dd.base.errors import MinesError

PROGRAM = """
import os, sys, time
from mines_dd.base.apart import answer

def work(data, tell):
    print("this is no answer", flush=True)
    tell(b" ".join([data, *map(str.encode, sys.argv[1:])]))
    if data == b"end":
        os.abort()
    if data == b"raise":
        raise ValueError
    if data == b"write":
        try:
            open("log", "w").close()
        except FileNotFoundError:
            tell(b"no room for a log")
    if data == b"wait":
        time.sleep(60)
    tell(str(os.getpid()).encode())

if "slowly" in sys.argv:
    time.sleep(0.5)
answer(work)
"""
CALLER = """
from mines_dd.base.apart import apart
for found in apart("on_its_own", given=b"wait"):
    print("now", flush=True)
"""


@pytest.fixture
def path(tmp_path, monkeypatch):
    (tmp_path / "on_its_own.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    module._end_all()


def test_work_is_given_bytes_and_arguments_and_may_have_several_answers(path, capfd):
    assert next(apart("on_its_own", "a", "b", given=b"\0x")) == b"\0x a b"
    large = bytes(range(256)) * 20_000
    found, pid = apart("on_its_own", given=large)
    assert found == large
    assert int(pid) != os.getpid()
    assert capfd.readouterr() == ("", "")


def test_what_a_library_writes_into_its_folder_is_lost(path, monkeypatch):
    monkeypatch.chdir(path)
    list(apart("on_its_own", given=b"write"))
    assert not os.path.exists(path / "log")


def test_a_process_is_kept_for_the_next_piece_of_work_of_its_kind(path):
    first = [list(apart("on_its_own", given=b"%d" % i))[1] for i in range(3)]
    assert len(set(first)) == 1
    assert list(apart("on_its_own", "other", given=b""))[1] not in first
    module._idle[0].popen.kill()
    module._idle[0].popen.wait()
    assert list(apart("on_its_own", given=b""))[1] not in first


def test_threads_have_processes_of_their_own(path):
    found = []
    threads = [
        threading.Thread(target=lambda i=i: found.extend((i, each) for each in apart("on_its_own", given=b"%d" % i)))
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert {each for each in found if each[1] == b"%d" % each[0]} == {(i, b"%d" % i) for i in range(4)}
    assert len(found) == 8


@pytest.mark.parametrize("given", [b"end", b"raise"])
def test_a_process_that_ends_early_is_an_error_after_its_answers(path, given):
    found = apart("on_its_own", given=given)
    assert next(found) == given
    with pytest.raises(ChildProcessError):
        next(found)
    assert len(list(apart("on_its_own", given=b""))) == 2


def test_a_program_that_is_none_is_an_error(path):
    with pytest.raises(ChildProcessError):
        next(apart("there_is_no_such_module", given=b""))


def test_a_process_is_ended_at_the_limit_but_not_while_it_begins(path):
    with pytest.raises(TimeoutError):
        next(apart("on_its_own", "slowly", given=b"", seconds=0.1))
    (begun,) = module._idle
    assert list(apart("on_its_own", "slowly", given=b"", seconds=60))[1] == b"%d" % begun.popen.pid
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        list(apart("on_its_own", "slowly", given=b"wait", seconds=0.2))
    assert time.monotonic() - started < 30
    assert not module._idle
    assert begun.popen.poll() is not None


def test_where_no_process_can_be_started_it_says_so(path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(path / "gone"))
        with pytest.raises(MinesError, match="a folder for temporary files: No such file"):
            next(apart("on_its_own", given=b""))
    monkeypatch.setattr(sys, "executable", str(path / "gone"))
    with pytest.raises(MinesError, match=r"a process of its own is needed.*: No such file"):
        next(apart("on_its_own", given=b""))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_process_starts_its_own(path):
    pid = list(apart("on_its_own", given=b""))[1]
    if (child := os.fork()) == 0:
        os._exit(list(apart("on_its_own", given=b""))[1] == pid)
    assert os.waitpid(child, 0)[1] == 0
    assert list(apart("on_its_own", given=b""))[1] == pid


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="processes are looked up in /proc")
@pytest.mark.parametrize("how", ["kill", "terminate"])
def test_the_process_ends_with_the_one_that_started_it(path, how):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", CALLER], env=env, stdout=subprocess.PIPE) as caller:
        assert caller.stdout.readline() == b"now\n"
        tasks = Path(f"/proc/{caller.pid}/task").iterdir()
        (found,) = (child for task in tasks for child in (task / "children").read_text().split())
        getattr(caller, how)()
    until = time.monotonic() + 30
    while os.path.exists(f"/proc/{found}") and time.monotonic() < until:
        time.sleep(0.02)
    assert not os.path.exists(f"/proc/{found}")
