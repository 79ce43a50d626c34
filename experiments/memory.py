"""Resident memory of this process and of others, as Linux counts it."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from experiments.sweeps import die_with

__all__ = ["GIB", "MIB", "forked", "grown", "held", "resident"]

T = TypeVar("T")
MIB, GIB = 1 << 20, 1 << 30


def resident(process: int) -> int:
    """The resident bytes of a process and its descendants."""
    found = 0
    try:
        found = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except (OSError, IndexError):
        return found
    return found + sum(resident(int(child)) for child in children)


def held(what: str) -> int:
    """Bytes that this process holds (VmRSS), or has held at most (VmHWM)."""
    with contextlib.suppress(OSError):  # there is none but on Linux
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(what):
                return int(line.split()[1]) * 1024
    return 0


def grown(work: Callable[[], T]) -> tuple[T, int]:
    """Do some work; return what comes out, and by how many bytes this process grew at most.

    What earlier work gave back is returned to the system first, so that it counts if it is taken again; the C library
    may keep some of it.

    Examples
    --------
    >>> size, most = grown(lambda: len(bytes(range(256)) * (1 << 18)))
    >>> size, 63 <= most / MIB < 68
    (67108864, True)
    """
    with contextlib.suppress(AttributeError, OSError):  # neither is there but on Linux
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # the peak is what is held now
    before = held("VmRSS")
    value = work()
    return value, max(0, held("VmHWM") - before)


def forked(work: Callable[[], Any], limit: float = inf) -> Any:
    """Do some work in a copy of this process; return what comes out (JSON), None if the copy ends early.

    Raises
    ------
    MemoryError
        If the copy and its children ever hold more than `limit` bytes.  They are looked at every 20 ms, and once
        more at the end, at what the copy or a child that has ended held at most.

    Examples
    --------
    >>> forked(lambda: [1, 2]), forked(lambda: 1 / 0)
    ([1, 2], None)
    """
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        die_with(parent)
        answer = b""
        with contextlib.suppress(BaseException):
            os.close(reading)
            answer = json.dumps(work()).encode()
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writing)
    text, over = b"", False
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while not over:
            if select.select([pipe], [], [], 0.02)[0]:
                if not (part := pipe.read(1 << 16)):
                    break
                text += part
            over = limit < inf and resident(child) > limit
    if over:
        os.kill(child, signal.SIGKILL)
    usage = os.wait4(child, 0)[2]
    if over or usage.ru_maxrss * 1024 > limit:  # short work ends before it is looked at
        raise MemoryError
    return json.loads(text) if text else None
