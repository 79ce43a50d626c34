"""Circuits in files.

The format, version 2: a NumPy `.npz` archive (a ZIP file of `.npy` arrays, never pickled) with the arrays
`group_start`, `group_cell`, `leaf_group`, `leaf_taken`, `left`, `right`, `leaf` (int32) and `start` (int64),
little-endian, as `mines_dd.diagrams.circuit.Circuit` describes them, and `header`, UTF-8 JSON as uint8: `format`
("mines_dd circuit"), `version`, `root`, `cells` (a list; a tuple is written as a list) and `about` (what the caller
adds).  The archive's comment, its last 64 bytes, is the SHA-256 of all bytes before it in hexadecimal digits; so no
changed byte goes unnoticed, not even in a field that is not read, such as a date.

`load` checks the checksum, the sizes and the structure before it uses anything.  It cannot check that a circuit is
deterministic and decomposable, only that no node counts more than its cells allow, and a forger can compute the
checksum.  So a file from someone you do not trust may give wrong answers.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.base.budget import Budget
from mines_dd.base.checks import file_name, plain_number
from mines_dd.base.errors import MinesError, reason
from mines_dd.base.jit import kernel
from mines_dd.base.writing import write_file
from mines_dd.diagrams.circuit import Circuit
from mines_dd.diagrams.tilting import Forest

__all__ = ["load", "save"]

_FORMAT, _VERSION = "mines_dd circuit", 2
_ARRAYS = {
    **dict.fromkeys(("group_start", "group_cell", "leaf_group", "leaf_taken", "left", "right", "leaf"), "<i4"),
    "start": "<i8",
}
_ZIP = b"PK\x03\x04"
_SEAL = 64  # hexadecimal digits of a SHA-256
_NPY = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(<i4|<i8|\|u1)', 'fortran_order': False, 'shape': \(([0-9]{1,18}),\), \} *\n",
    re.DOTALL,
)
# Deflate compresses up to a thousandfold, circuits only about fourfold.  A file that unpacks to more than 16 MiB and to
# more than 200 times its size is an attack.
_FREE, _GROWTH = 2**24, 200
_DAMAGE = (
    ValueError,
    LookupError,
    OverflowError,
    TypeError,
    EOFError,
    RuntimeError,  # encrypted, or compressed in a way that is not known; and nested too deeply
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)


def save(path: str | os.PathLike[str], circuit: Circuit, about: dict[str, Any]) -> None:
    """Write a circuit and what `about` says of it; the file appears only when it is complete.

    Raises
    ------
    MinesError
        If a cell's label contains anything but numbers, strings, True, False, None and tuples, or the file cannot be
        written.

    Examples
    --------
    >>> import tempfile
    >>> from mines_dd import Board, solve
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     save(file.name, solve(Board.parse("#1#")).circuit, {"author": "me"})
    ...     load(file.name)
    (<Circuit: 2 cells, 1 node, 1 term>, {'author': 'me'})
    """
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "root": circuit.root,
        "cells": [_plain(cell) for cell in circuit.cells],
        "about": about,
    }
    arrays = {name: np.asarray(getattr(circuit, name), kind) for name, kind in _ARRAYS.items()}
    archive = io.BytesIO()
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez_compressed(archive, header=text, **arrays)  # type: ignore[arg-type]
    write_file(path, _sealed(archive.getbuffer()))


def load(path: str | os.PathLike[str]) -> tuple[Circuit, dict[str, Any]]:
    """Return the circuit in a file, and the `about` that it was saved with.

    Raises
    ------
    MinesError
        If the file is missing or damaged, or is not a saved circuit.
    BudgetExceededError
        If it is larger than the free memory.

    Examples
    --------
    >>> try:
    ...     load("no such file")
    ... except MinesError as error:
    ...     print(error)
    cannot read 'no such file': No such file or directory
    """
    name = file_name(path)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a device or a pipe may have no end
            raise MinesError(f"{name!r} is no file with a saved family of assignments")
        with open(path, "rb") as file:
            data = file.read(len(_ZIP))
            if data == _ZIP:
                Budget().reserve(2 * os.fstat(file.fileno()).st_size)  # read, and unpacked
                file.seek(0)
                data = file.read()
    except (OSError, ValueError) as error:
        raise MinesError(f"cannot read {name!r}: {reason(error)}") from error
    if not data.startswith(_ZIP):
        raise MinesError(f"{name!r} is not a saved family of assignments")
    if _digest(data[:-_SEAL]) != data[-_SEAL:]:
        raise MinesError(
            f"{name!r} is not a saved family of assignments of version {_VERSION}, or is damaged: "
            "its contents do not agree with its checksum; save the family again"
        )
    try:
        circuit, about = _read(data)
    except _DAMAGE as error:
        raise MinesError(f"{name!r} is not a saved family of assignments, or is damaged ({error})") from error
    except MinesError as error:
        raise MinesError(f"{name!r} {error}") from None
    return circuit, about


def _sealed(archive: memoryview) -> bytes:
    """The archive with its digest as its comment; an archive ends with the two bytes of its comment's length."""
    body = bytes(archive[:-2]) + struct.pack("<H", _SEAL)
    return body + _digest(body)


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode("ascii")


def _read(data: bytes) -> tuple[Circuit, dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in archive.infolist()):
            raise ValueError("it is compressed in a way that is not NumPy's")
        if sum(entry.file_size for entry in archive.infolist()) > max(_FREE, _GROWTH * len(data)):
            raise ValueError("it announces far more than it holds")
        header = json.loads(_array(archive.read("header.npy"), "|u1").tobytes())
        if header["format"] != _FORMAT:
            raise ValueError("it is in another format")
        if header["version"] != _VERSION:
            raise MinesError(f"has format version {header['version']!r}; this program reads version {_VERSION}")
        arrays = {name: _array(archive.read(f"{name}.npy"), kind) for name, kind in _ARRAYS.items()}
    circuit = Circuit(cells=[_hashable(cell) for cell in header["cells"]], root=header["root"], **arrays)
    if not isinstance(header["about"], dict) or not _is_sound(circuit) or not _fits_its_cells(circuit):
        raise ValueError("it describes no circuit")
    return circuit, header["about"]


def _array(data: bytes, kind: str) -> npt.NDArray[Any]:
    """The array of an `.npy` file; it must have one dimension and as many bytes as its header says."""
    found = _NPY.match(data)
    if found is None or found[1].decode() != kind:
        raise ValueError(f"an array is not of the type {kind}")
    stored = np.dtype(kind)
    if len(data) - found.end() != int(found[2]) * stored.itemsize:
        raise ValueError("an array does not have the size that it announces")
    return np.frombuffer(data, stored, offset=found.end()).astype(stored.newbyteorder("="))


def _is_sound(circuit: Circuit) -> bool:
    """Tell whether the arrays have the right sizes and ranges, and children come before parents: all a pass needs."""
    nodes, terms, groups, leaves = (
        len(x) for x in (circuit.start[1:], circuit.left, circuit.group_start[1:], circuit.leaf_group)
    )
    if nodes < 2 or not _starts(circuit.start, terms):
        return False
    node = np.repeat(np.arange(nodes), np.diff(circuit.start))
    return bool(
        type(circuit.root) is int
        and 0 <= circuit.root < nodes
        and circuit.start[2] == 0
        and (np.diff(circuit.start)[2:] > 0).all()
        and _starts(circuit.group_start, len(circuit.group_cell))
        and len(circuit.right) == len(circuit.leaf) == terms
        and len(circuit.leaf_taken) == leaves >= 1
        and len(set(circuit.cells)) == len(circuit.cells)
        and _within(circuit.group_cell, 0, len(circuit.cells))
        and len(np.unique(circuit.group_cell)) == len(circuit.group_cell)
        and circuit.leaf_taken[0] == 0
        and _within(circuit.leaf_group[1:], 0, groups)
        and (circuit.leaf_taken[1:] >= 1).all()
        and (circuit.leaf_taken[1:] <= np.diff(circuit.group_start)[circuit.leaf_group[1:]]).all()
        and _within(circuit.leaf, 0, leaves)
        and _within(circuit.left, 1, nodes)
        and _within(circuit.right, 1, nodes)
        and (circuit.left < node).all()
        and (circuit.right < node).all()
    )


def _fits_its_cells(circuit: Circuit) -> bool:
    """Tell whether no node has more assignments, or on average more mines, than its cells allow: n bits, and n mines.

    A product with itself, again and again, would count to numbers without end, or be walked through without end.
    """
    n = len(circuit.cells) + 1  # as doubles are not exact
    most = n * (len(circuit.start) + 1)
    if not _derived.run(len(circuit.left), circuit.start, circuit.left, circuit.right, most):
        return False
    with np.errstate(all="ignore"):
        tilt = Forest.of([circuit]).tilted(0.0)
        return bool((tilt.exponent <= n).all() and (tilt.exponent >= 0).all() and (tilt.mean <= n).all())


@kernel
def _derived(start, left, right, most):
    """Whether no assignment is derived by more terms than this, whichever they are.

    A question that walks down to one assignment, such as a sample, takes as many steps.
    """
    terms = np.zeros(len(start) - 1, np.int64)
    for node in range(2, len(terms)):
        for t in range(start[node], start[node + 1]):
            terms[node] = max(terms[node], 1 + terms[left[t]] + terms[right[t]])
        if terms[node] > most:
            return False
    return True


def _starts(start: npt.NDArray[Any], total: int) -> bool:
    return len(start) > 0 and start[0] == 0 and start[-1] == total and bool((np.diff(start) >= 0).all())


def _within(values: npt.NDArray[Any], low: int, high: int) -> bool:
    return len(values) == 0 or (values.min() >= low and values.max() < high)


def _plain(label: Hashable) -> Any:
    if isinstance(label, tuple):
        return [_plain(part) for part in label]
    plain = plain_number(label)
    if plain is None or isinstance(plain, bool | int | float | str):
        return plain
    raise MinesError(
        f"cell {label!r} cannot be saved; a label is an int, a float, a bool, a string, None, or a tuple of them"
    )


def _hashable(value: Any) -> Hashable:
    if isinstance(value, dict):
        raise ValueError("a cell is a number, a string or a list of them")
    return tuple(_hashable(part) for part in value) if isinstance(value, list) else value
