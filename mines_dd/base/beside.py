"""A second process that compiles kernels beside this one, from the other end of the list.

Numba compiles in one thread.  Where a machine has no kernels yet, a second process takes the list of those that a
question needs from its end, and this one loads from disk what it finds there::

    this process      propagate, find_twins, eliminate, ...  ->
    the second one                                    <-  tree.eliminate, lay_out, take_steps

The two talk through a pair of pipes, one line for each kernel (not for the functions inside)::

    to the second     simplify.propagate         this process compiles it now
    from it           begin tree.eliminate       it compiles this one, so this process waits for it
                      end

The second process is `mines-dd warm-up --beside`.  It ends when this one does, however that ends; when it has had
nothing to do for a while; and after `MOST_SECONDS` in any case.  It says nothing.  The environment variable
`MINES_DD_BESIDE` is `off` where it is not wanted; processes of `multiprocessing`, and any while all cores are at work,
start one only if it is `on`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

__all__ = ["MOST_SECONDS", "Beside"]

MOST_SECONDS = 120
"""A second process ends after this time, whatever it does."""

_SETTING = "MINES_DD_BESIDE"
_COMMAND = ["-P", "-m", "mines_dd", "warm-up", "--beside"]
_ROOT = str(Path(__file__).parents[2])


class Beside:
    """The second process, if there is one; there is never more than one at a time.

    Parameters
    ----------
    command : list of str, optional
        What is run in place of `mines-dd warm-up --beside`.

    Examples
    --------
    >>> beside = Beside([sys.executable, "-c", "print('begin tree.eliminate', flush=True); input(); print('end')"])
    >>> beside.started()
    True
    >>> beside.has_made("min_fill.eliminate")  # it does not compile that one, and is told that this process does
    False
    """

    def __init__(self, command: list[str] | None = None) -> None:
        self._command = command
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0  # the process that started it; one forked from that leaves it alone
        self._failed = False
        self._at = ""  # the kernel that it compiles
        self._changed = threading.Condition()

    def started(self) -> bool:
        """Start the process if there is none, and if one is wanted; tell whether there is one now."""
        with self._changed:
            if self._process is not None:
                return self._owner == os.getpid()
            if self._failed or not (self._command or _wanted()):
                return False
            try:
                self._process = process = _start(self._command or [sys.executable, *_COMMAND])
            except OSError:
                self._failed = True
                return False
            try:
                threading.Thread(target=self._listen, args=(process,), daemon=True).start()
            except RuntimeError:  # no memory for a thread
                process.kill()
                process.communicate()
                self._process, self._failed = None, True
                return False
            self._owner = os.getpid()
            return True

    def has_made(self, title: str) -> bool:
        """Say that this process is about to compile a kernel; if the other compiles it, wait, and return True then."""
        if not self.started():
            return False
        with self._changed:
            if self._at == title:
                self._changed.wait_for(lambda: self._at != title, MOST_SECONDS)
                return True
            if self._process is not None and self._process.stdin:
                with suppress(OSError, ValueError):  # it has just ended
                    self._process.stdin.write(f"{title}\n")
                    self._process.stdin.flush()
            return False

    def _listen(self, process: subprocess.Popen[str]) -> None:
        for line in process.stdout or ():
            self._set(line.removeprefix("begin").strip() if line.startswith("begin") else "")
        self._failed = process.wait() != 0
        with suppress(OSError, ValueError):
            process.communicate()  # closes the pipes
        self._process = None
        self._set("")

    def _set(self, title: str) -> None:
        with self._changed:
            self._at = title
            self._changed.notify_all()


def _wanted() -> bool:
    """Whether a second process may be started: it takes an idle core, and a Python to be started by its name.

    Where all cores are at work it would take from this process what it gives, and more.
    """
    setting = os.environ.get(_SETTING, "")
    if setting == "off" or not sys.executable or getattr(sys, "frozen", False):
        return False
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    processes = sys.modules.get("multiprocessing.process")
    first = processes is None or processes.parent_process() is None
    return cores > 1 and (setting == "on" or (first and _load() < cores - 0.5))


def _load() -> float:
    """How many processes wanted a core during the last minute, where that can be told."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return 0.0


def _start(command: list[str]) -> subprocess.Popen[str]:
    """Start the process, with this package, wherever this one has found it, and without a window."""
    path = os.pathsep.join(filter(None, [_ROOT, os.environ.get("PYTHONPATH", "")]))
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": path, _SETTING: "off"},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
