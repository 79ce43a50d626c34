"""Reading a file, or standard input, up to a limit: what every reader of the package begins with."""

from __future__ import annotations

import io
import os
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from mines_dd.base.checks import file_name
from mines_dd.base.errors import MinesError, reason
from mines_dd.base.wording import shown

__all__ = ["decoded", "of_file", "read_bytes", "text_of", "text_of_file"]


_PART = 2**20  # bytes read at once

# What files begin with that people give by mistake, and what those are.
_NO_TEXT = {
    b"PK\x03\x04": "as a zip file does, or a saved family, which Assignments.load reads",
    b"XADEKOOB": "as an opening book of Edax does, which mines-dd umigame reads",
    b"\x89PNG": "as a picture does",
    b"\xff\xd8\xff": "as a picture does",
    b"%PDF": "as a PDF does",
}


def read_bytes(
    path: str | os.PathLike[str],
    wanted: str,
    most: int,
    error: type[MinesError] = MinesError,
    *,
    begins: bytes = b"",
    most_of_others: int = 0,
) -> bytes:
    """Return the bytes of a file, or of standard input for `-`.

    Parameters
    ----------
    path : path
    wanted : str
        What the file should hold, such as "a board file".
    most : int
        The most bytes; no more are read, so that a device without an end is refused too.
    error : type
        What is raised if the file cannot be read, or is larger.
    begins : bytes
        What such a file begins with; of another one only the first part is read, for the error of its reader.
    most_of_others : int
        The most bytes of a file that begins otherwise, if such a one is to be read, too.

    Examples
    --------
    >>> try:
    ...     read_bytes("no such file", "a board file", 100)
    ... except MinesError as error:
    ...     print(error)
    cannot read 'no such file': No such file or directory; give a board file, or - for standard input
    """
    name = file_name(path, error)
    try:
        if name == "-":
            if sys.stdin is None:
                raise error(f"standard input is closed; give {wanted}")
            data = _read(sys.stdin.buffer, most, begins, most_of_others)
        else:
            with open(name, "rb") as file:
                data = _read(file, most, begins, most_of_others)
    except (OSError, ValueError) as fault:
        what = f"cannot read {shown(name, 300)}: {reason(fault)}"
        raise error(f"{what}; give {wanted}, or - for standard input") from None
    if most_of_others and not data.startswith(begins):
        most = most_of_others
    if len(data) > most:
        raise error(f"{name!r} is larger than {most // 2**20} MiB; give {wanted}")
    return data


def _read(file: BinaryIO, most: int, begins: bytes, most_of_others: int) -> bytes:
    """What a file holds, and of one with more than `most` bytes so much more that this can be seen."""
    found = io.BytesIO()  # gives its bytes without a copy
    # On a terminal `read` has met Ctrl-D when it returns some lines, and would wait for another one.
    read = file.read1 if file.isatty() and isinstance(file, io.BufferedReader) else file.read
    while found.tell() <= most and (part := read(_PART)):
        if not found.tell() and not part.startswith(begins):
            most = most_of_others
        found.write(part)
    return found.getvalue()


def text_of_file(
    path: str | os.PathLike[str],
    wanted: str,
    most: int,
    error: type[MinesError] = MinesError,
    *,
    advice: str = "save it as UTF-8",
) -> str:
    r"""Return the text of a file, or of standard input for `-`, in UTF-8 with or without a byte order mark.

    Parameters
    ----------
    path, wanted, most, error
        As for `read_bytes`.  An error that has a `line` is given the one that is no text.
    advice : str
        What the user can do about a file that is no text.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("wb", suffix=".txt") as file:
    ...     _ = file.write(b"one\ntwo") + file.seek(0)
    ...     text_of_file(file.name, "a list of words", 100)
    'one\ntwo'
    """
    return text_of(path, read_bytes(path, wanted, most, error), error, advice)


def text_of(path: str | os.PathLike[str], data: bytes, error: type[MinesError], advice: str) -> str:
    """Return the text that was read from a file, as `text_of_file` does; `path` is for its errors alone."""
    name = file_name(path, error)
    try:
        return decoded(data)
    except UnicodeDecodeError as fault:
        # `start` counts from behind a byte order mark
        at = len(data) - len(fault.object) + fault.start
        line = data.count(b"\n", 0, at) + 1
        what = next((f"it begins {kind}" for begins, kind in _NO_TEXT.items() if data.startswith(begins)), None)
        found = error(f"{name!r} is not text: {what or f'line {line} has the byte 0x{data[at]:02x}; {advice}'}")
    if hasattr(found, "line"):
        found.line = line
    raise found


def decoded(data: bytes, errors: str = "strict") -> str:
    """Return text in UTF-8, with or without a byte order mark, or in UTF-16 with one, as Windows writes both.

    However its lines end there, they end in a line feed here.

    Examples
    --------
    >>> decoded("#1#".encode("utf-16")), decoded(b"#1" + bytes([255, 13, 10]), "replace").splitlines()
    ('#1#', ['#1\ufffd'])
    """
    text = data.decode("utf-16" if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig", errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def of_file(path: str | os.PathLike[str]) -> Iterator[None]:
    """Within this context, put the name of a file before what an error says of its content.

    Examples
    --------
    >>> try:
    ...     with of_file("words.txt"):
    ...         raise MinesError("line 1: a word is one line")
    ... except MinesError as error:
    ...     print(error)
    'words.txt': line 1: a word is one line
    """
    try:
        yield
    except MinesError as error:
        error.args = (f"{os.fspath(path)!r}: {error}",)
        raise
