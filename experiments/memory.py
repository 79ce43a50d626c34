"""Resident memory of this process and of others, as Linux counts it."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.sweeps import die_with

__all__ = ["GIB", "MIB", "grown", "held", "resident"]

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


def grown(work: Callable[[], Any]) -> tuple[Any, int]:
    """Do some work in a copy of this process; return what comes out (JSON), and by how many bytes the copy grew.

    Nothing comes out if the copy ends early.  It begins with a copy of this process's memory, which the peak does not
    count.  What earlier work gave back is returned to the system first, so that it counts if it is taken again.

    Examples
    --------
    >>> size, most = grown(lambda: len(bytes(range(256)) * (1 << 16)))
    >>> size, 16 <= most / MIB < 20
    (16777216, True)
    """
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        die_with(parent)
        answer = b""
        with contextlib.suppress(BaseException):
            os.close(reading)
            with contextlib.suppress(AttributeError, OSError):  # neither is there but on Linux
                ctypes.CDLL(None).malloc_trim(0)
                Path("/proc/self/clear_refs").write_text("5")  # the peak is what is held now
            before = held("VmRSS")
            out = work()
            answer = json.dumps([out, max(0, held("VmHWM") - before)]).encode()
        os.write(writing, answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    out, most = json.loads(text) if text else (None, 0)
    return out, most
