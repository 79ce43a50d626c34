"""Work in a process of its own, for libraries that may end the process they run in, or do not stop when they should.

A module does such work as the program `python -m MODULE`, whose last line is `answer(work)`.  The two processes share a
new folder, in which `given` is the input and `found` the output::

    apart("mines_dd.board.videos", ".avf", given=data)   ->   work(data)   ->   what it returns

The other process ends when this one does, however that ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from mines_dd.base.errors import MinesError, reason

__all__ = ["answer", "apart"]

_GIVEN, _UNDER_WAY, _FOUND = "given", "under_way", "found"


def apart(module: str, *args: str, given: bytes, seconds: float | None = None, quiet: bool = True) -> bytes | None:
    """Run a module as a program in a process of its own; return what it found, or None if it ended without.

    Parameters
    ----------
    module : str
        Its last line is `answer(work)`.
    args : str
        Its arguments.
    given : bytes
        What its work is given.
    seconds : float, optional
        After this time it is ended.
    quiet : bool
        Whether what it prints is thrown away.

    Raises
    ------
    TimeoutError
        If it takes longer to find something.
    MinesError
        If no process can be started, or there is no room for files.

    Examples
    --------
    >>> apart("mines_dd.board.videos", ".avf", given=b"no video") is None
    True
    """
    to = subprocess.DEVNULL if quiet else None
    try:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, _GIVEN).write_bytes(given)
            with subprocess.Popen(
                [sys.executable, "-m", module, *args],
                stdin=subprocess.PIPE,  # it ends at the end of that
                stdout=to,
                stderr=to,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            ) as process:
                late = False
                try:
                    process.wait(seconds)
                except subprocess.TimeoutExpired:
                    late = True
                finally:
                    process.kill()
            found = Path(folder, _FOUND)
            if found.exists():  # it may have taken long to end after that
                return found.read_bytes()
    except OSError as error:
        raise MinesError(f"a process of its own is needed, and a folder for temporary files: {reason(error)}") from None
    if late:
        raise TimeoutError
    return None


def answer(work: Callable[[bytes], bytes]) -> None:
    """Do the work of a program that `apart` runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process handles Ctrl-C, and ends this one
    threading.Thread(target=_end_with_the_first_process, daemon=True).start()
    Path(_UNDER_WAY).write_bytes(work(Path(_GIVEN).read_bytes()))
    os.replace(_UNDER_WAY, _FOUND)  # it is there when it is complete


def _end_with_the_first_process() -> None:
    while os.read(0, 1):  # not sys.stdin, which has a lock that the end of the process takes, too
        pass
    os._exit(1)
