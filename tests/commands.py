"""The command line as a user meets it: run here, in a process of its own, or on a terminal."""

import csv
import io
import os
import pty
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
    with pytest.MonkeyPatch.context() as patch, CliRunner().isolation(input=text) as streams:
        patch.setattr(sys, "argv", ["mines-dd", *args])
        limit = sys.get_int_max_str_digits()  # which the command lifts
        with pytest.raises(SystemExit) as end:
            main()
        sys.set_int_max_str_digits(limit)
    out, err = (stream.getvalue().decode().replace("\r\n", "\n") for stream in streams[:2])
    assert (end.value.code or 0) == code, err
    if code:
        assert len(err.strip().splitlines()[-1]) > 10
    return err if code else out


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def on_terminal(*args: str, **variables: str) -> str:
    """What a command prints to a terminal."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    environment = {k: v for k, v in ENVIRONMENT.items() if k != "NO_COLOR"} | {"TERM": "xterm", **variables}
    with subprocess.Popen([*COMMAND, *args], stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        written = b""
        try:
            while chunk := os.read(ours, 65536):
                written += chunk
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return written.decode().replace("\r\n", "\n")
