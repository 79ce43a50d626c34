"""Files are written whole or not at all."""

import os
import resource
import stat
import subprocess
import sys
import threading

import pytest

from mines_dd.base.errors import MinesError
from mines_dd.base.writing import write_file


def test_a_file_is_replaced_by_a_whole_one_with_the_same_rights(tmp_path):
    path = tmp_path / "board.txt"
    write_file(path, "#1#")
    path.chmod(0o640)
    write_file(path, b"new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode), os.listdir(tmp_path)) == ("new", 0o640, ["board.txt"])


def test_what_cannot_be_written_leaves_the_old_file(tmp_path):
    path = tmp_path / "board.txt"
    path.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(MinesError, match=r"cannot write '.*board.txt': File too large"):
            write_file(path, b"x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (path.read_text(), os.listdir(tmp_path)) == ("old", ["board.txt"])


def test_links_stay_and_pipes_are_written_to(tmp_path):
    link, pipe, found = tmp_path / "link", tmp_path / "pipe", []
    link.symlink_to(tmp_path / "file")
    write_file(link, "a")
    assert link.is_symlink()
    assert (tmp_path / "file").read_text() == "a"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    write_file(pipe, "b")
    reader.join(10)
    assert found == ["b"]
    read, write = os.pipe()  # its link in /proc names no path
    write_file(f"/dev/fd/{write}", "c")
    os.close(write)
    assert os.read(read, 9) == b"c"
    os.close(read)


@pytest.mark.parametrize("how", ["w", "a"])
def test_what_standard_output_goes_to_keeps_all_that_is_written_to_it(how, tmp_path):
    log = tmp_path / "log.txt"
    log.write_text("older\n")
    code = (
        "from mines_dd.base.writing import write_file; print('before');"
        "write_file('/dev/stdout', b'whole\\n'); print('after')"
    )
    with log.open(how) as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
        subprocess.run(["echo", "later"], stdout=file, check=True)
    assert log.read_text() == "older\n" * (how == "a") + "before\nwhole\nafter\nlater\n"
    assert os.listdir(tmp_path) == ["log.txt"]


def test_a_link_to_itself_stays_one(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(MinesError, match="Too many levels of symbolic links"):
        write_file(loop, "a")
    assert loop.is_symlink()
