import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mines_dd.base.apart import apart
from mines_dd.base.errors import MinesError

PROGRAM = """
import os, sys, time
from mines_dd.base.apart import answer

def work(data):
    if data == b"end":
        os.abort()
    if data == b"wait":
        time.sleep(60)
    return b" ".join([data, *map(str.encode, sys.argv[1:])])

answer(work)
"""
CALLER = """
from mines_dd.base.apart import apart
print("now", flush=True)
apart("on_its_own", given=b"wait")
"""


@pytest.fixture
def path(tmp_path, monkeypatch):
    (tmp_path / "on_its_own.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_work_is_given_bytes_and_arguments(path):
    assert apart("on_its_own", "a", "b", given=b"\0x") == b"\0x a b"


def test_a_process_that_ends_early_has_found_nothing(path):
    assert apart("on_its_own", given=b"end") is None


def test_a_process_is_ended_at_the_limit(path):
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        apart("on_its_own", given=b"wait", seconds=0.1)
    assert time.monotonic() - started < 30


def test_without_a_folder_for_files_it_says_so(path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(path / "gone"))
    with pytest.raises(MinesError, match="a folder for temporary files: No such file"):
        apart("on_its_own", given=b"")


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="processes are looked up in /proc")
def test_the_process_ends_with_the_one_that_started_it(path):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", CALLER], env=env, stdout=subprocess.PIPE) as caller:
        assert caller.stdout.readline() == b"now\n"
        children = f"/proc/{caller.pid}/task/{caller.pid}/children"
        until = time.monotonic() + 30
        while not (found := Path(children).read_text().split()) and time.monotonic() < until:
            time.sleep(0.02)
        caller.kill()
    while os.path.exists(f"/proc/{found[0]}") and time.monotonic() < until:
        time.sleep(0.02)
    assert not os.path.exists(f"/proc/{found[0]}")
