"""The command line as a user meets it: run here, in a process of its own, or on a terminal."""

import csv
import io
import os
import pty
import select
import subprocess
import sys
import termios

import pytest
from boards import DATA
from click.testing import CliRunner

from mines_dd.cli.main import main

POSITIONS = str(DATA / "umigame.csv")
FIGURE_10, FIGURE_9 = str(DATA / "figure10.txt"), str(DATA / "figure9.txt")
COMMAND = [sys.executable, "-m", "mines_dd"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(DATA.parent)}


def run(*args: str, text: str | None = None, code: int = 0) -> str:
    """What a command prints: on standard output, or on standard error if it fails."""
    ended, out, err = ended_with(*args, text=text)
    assert ended == code, err
    if code:
        assert len(err.strip().splitlines()[-1]) > 10
    return err if code else out


def ended_with(*args: str, text: str | None = None) -> tuple[int, str, str]:
    """The exit code of a command, and what it prints on standard output and on standard error."""
    with pytest.MonkeyPatch.context() as patch, CliRunner().isolation(input=text) as streams:
        patch.setattr(sys, "argv", ["mines-dd", *args])
        limit = sys.get_int_max_str_digits()  # which the command lifts
        try:
            with pytest.raises(SystemExit) as end:
                main()
        finally:
            sys.set_int_max_str_digits(limit)
    out, err = (stream.getvalue().decode().replace("\r\n", "\n") for stream in streams[:2])
    return int(end.value.code or 0), out, err


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def on_terminal(*args: str, typed: str = "", **variables: str) -> str:
    """What a command prints to a terminal, with what is typed there once it asks for that, and one Ctrl-D.

    Left out is what it says only on a slow machine.
    """
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    environment = {k: v for k, v in ENVIRONMENT.items() if k != "NO_COLOR"} | {"TERM": "xterm", **variables}
    stdin = theirs if typed else None
    with subprocess.Popen([*COMMAND, *args], stdin=stdin, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        written = b""
        try:
            while chunk := os.read(ours, 65536):
                written += chunk
                if typed and b"then Ctrl-D" in written:
                    os.write(ours, f"{typed}\x04".encode())
                    typed = ""
                if not select.select([ours], [], [], 30)[0]:
                    process.kill()
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return written.decode().replace("\r\n", "\n").replace("mines-dd: still at work; Ctrl-C ends it\n", "")
