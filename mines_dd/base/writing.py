"""Writing files: whole, or not at all."""

from __future__ import annotations

import os
import stat
import sys
import threading
from contextlib import suppress
from typing import TextIO

from mines_dd.base.checks import file_name
from mines_dd.base.errors import MinesError, reason
from mines_dd.base.wording import shown

__all__ = ["write_file"]


def write_file(path: str | os.PathLike[str], data: bytes | memoryview | str) -> None:
    """Write a file beside its place and move it there, so that an old one stays as it is until the new one is whole.

    Devices, pipes and files in a folder where none can be made are written directly; so is what standard output goes
    to, under any name such as /dev/stdout, after what was written there before.

    Raises
    ------
    MinesError
        If it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(folder + "/board.txt", "#1#")
    ...     print(open(folder + "/board.txt").read(), os.listdir(folder))
    #1# ['board.txt']
    """
    name = file_name(path)
    content = data.encode() if isinstance(data, str) else data
    try:
        _write(name, content)
    except (OSError, ValueError) as error:
        raise MinesError(f"cannot write {shown(name, 300)}: {reason(error)}") from error


def _stream(name: str) -> TextIO | None:
    """Standard output or error, if that is where what is written to a file of this name would go."""
    streams: tuple[TextIO | None, ...] = sys.stdout, sys.stderr
    for stream in streams:
        with suppress(OSError, ValueError):  # it may have no descriptor, or be closed
            if stream and os.path.samestat(os.stat(name), os.fstat(stream.fileno())):
                return stream
    return None


def _write(name: str, content: bytes | memoryview) -> None:
    stream = _stream(name)
    if stream is not None:
        stream.flush()
        with open(stream.fileno(), "wb", closefd=False) as file:
            file.write(content)
        return
    mode = None
    with suppress(FileNotFoundError):
        mode = os.stat(name).st_mode
    if mode is None or stat.S_ISREG(mode):  # /dev/stdout may be a link to what has no path, such as a pipe
        name = os.path.realpath(name)  # a link stays one
    if (mode is not None and not stat.S_ISREG(mode)) or not os.access(os.path.dirname(name), os.W_OK):
        with open(name, "wb") as file:
            file.write(content)
        return
    partial = f"{name}.{os.getpid()}.{threading.get_ident()}.part"
    try:
        with open(partial, "wb") as file:
            file.write(content)
        if mode is not None:
            os.chmod(partial, stat.S_IMODE(mode))
        os.replace(partial, name)
    finally:
        with suppress(FileNotFoundError):
            os.remove(partial)
