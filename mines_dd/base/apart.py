"""Work in a process of its own, for libraries that may end the process they run in, or do not stop when they should.

A module does such work as the program `python -m MODULE`, whose last line is `answer(work)`.  The two processes talk
through a pair of pipes; a piece of work may have several answers, each in place of the one before::

    apart("mines_dd.board.videos", ".avf", given=data)   ->   work(data, tell)
                                            the answers  <-   tell(...)

The other process is kept for the next piece of work, also one that was not ready in time.  It ends when this one does,
however that ends, and when those have ended that were forked from this one meanwhile.
"""

from __future__ import annotations

import atexit
import math
import os
import queue
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator

from mines_dd.base.errors import MinesError, reason

__all__ = ["answer", "apart"]

_LENGTH = struct.Struct("<q")  # goes before what is sent
_READY = -1  # in place of a length: there are no more answers, and the next piece of work may come
_LONGEST = 100_000.0  # seconds of one wait; some systems cannot wait for more


def apart(module: str, *args: str, given: bytes, seconds: float = math.inf) -> Iterator[bytes]:
    """Yield what a module finds that runs as a program in a process of its own; what it prints is thrown away.

    If no more answers are taken, its process is ended.

    Parameters
    ----------
    module : str
        Its last line is `answer(work)`.
    args : str
        Its arguments.
    given : bytes
        What its work is given.
    seconds : float
        After this time it is ended.

    Raises
    ------
    TimeoutError
        If it takes longer.
    ChildProcessError
        If its process ends before the work does.
    MinesError
        If no process can be started, or there is no room for its folder.

    Examples
    --------
    >>> try:
    ...     list(apart("mines_dd.board.videos", ".avf", given=b"no video"))
    ... except ChildProcessError:
    ...     print("it broke off")
    it broke off
    """
    until = time.monotonic() + seconds
    process = _process(module, *args)
    idle = False
    try:
        try:
            process.require_ready(until)
        except TimeoutError:
            idle = True
            raise
        process.send(given)
        while (found := process.heard(until)) is not None:
            yield found
        idle = True
    finally:
        if idle:
            _idle.append(process)
        else:
            process.end()


def answer(work: Callable[[bytes, Callable[[bytes], None]], None]) -> None:
    """Do the work of a program that `apart` runs, whenever there is some: `work` gets it, and what tells an answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process handles Ctrl-C, and ends this one
    to = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no answer
    given: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen_to_the_first_process, args=(given,), daemon=True).start()
    while True:
        _write(to, _LENGTH.pack(_READY))
        work(given.get(), lambda found: _write(to, _LENGTH.pack(len(found)) + found))


def _listen_to_the_first_process(given: queue.SimpleQueue[bytes]) -> None:
    # not through sys.stdin, which has a lock that the end of the process takes, too
    while (head := _read(0, _LENGTH.size)) is not None and (data := _read(0, *_LENGTH.unpack(head))) is not None:
        given.put(data)
    os._exit(1)


class _Process:
    """The other process, as the first one sees it."""

    def __init__(self, command: list[str], path: str) -> None:
        self.kind = command, path
        # its folder is gone at once, so that a library that writes a log there leaves none
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            self.popen = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": path},
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        self._said: queue.SimpleQueue[bytes | ChildProcessError | None] = queue.SimpleQueue()
        self._ready = False
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.popen.stdout
        with self.popen.stdout as pipe:
            while (head := _read(pipe.fileno(), _LENGTH.size)) is not None:
                (length,) = _LENGTH.unpack(head)
                if length == _READY:
                    self._said.put(None)
                elif (found := _read(pipe.fileno(), length)) is not None:
                    self._said.put(found)
        self._said.put(ChildProcessError("the process has ended"))

    def require_ready(self, until: float) -> None:
        """Wait until it has begun."""
        while not self._ready:
            self._ready = self.heard(until) is None

    def send(self, data: bytes) -> None:
        """Send what its work is given."""
        assert self.popen.stdin
        try:
            _write(self.popen.stdin.fileno(), _LENGTH.pack(len(data)) + data)
        except OSError:
            raise ChildProcessError("the process has ended") from None

    def heard(self, until: float) -> bytes | None:
        """Return its next answer; None if there are no more, and it is ready."""
        while True:
            try:
                found = self._said.get(timeout=min(max(until - time.monotonic(), 0.0), _LONGEST))
            except queue.Empty:
                if time.monotonic() >= until:
                    raise TimeoutError from None
            else:
                if isinstance(found, ChildProcessError):
                    raise found
                return found

    def end(self) -> None:
        """End the process."""
        self.popen.kill()
        self.popen.wait()
        assert self.popen.stdin
        self.popen.stdin.close()


_idle: list[_Process] = []


@atexit.register
def _end_all() -> None:
    while _idle:
        _idle.pop().end()


if hasattr(os, "register_at_fork"):  # a forked process leaves them to the one that has started them
    os.register_at_fork(after_in_child=_idle.clear)


def _process(module: str, *args: str) -> _Process:
    """An idle process for the work, or a new one."""
    command = [sys.executable, "-P", "-m", module, *args]
    path = os.pathsep.join(map(os.path.abspath, sys.path))
    for process in _idle[:]:
        if process.kind == (command, path):
            try:
                _idle.remove(process)
            except ValueError:  # another thread has taken it
                continue
            if process.popen.poll() is None:
                return process
            process.end()
    try:
        return _Process(command, path)
    except OSError as error:
        raise MinesError(f"a process of its own is needed, and a folder for temporary files: {reason(error)}") from None


def _read(file: int, length: int) -> bytes | None:
    """So many bytes from a pipe; None if it ends before."""
    found = bytearray()
    while len(found) < length:
        piece = os.read(file, min(length - len(found), 1 << 20))
        if not piece:
            return None
        found += piece
    return bytes(found)


def _write(file: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]
