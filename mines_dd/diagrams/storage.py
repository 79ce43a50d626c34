"""Circuits in files.

The format, version 2: a NumPy `.npz` archive (a ZIP file of `.npy` arrays, never pickled) with the arrays
`group_start`, `group_cell`, `leaf_group`, `leaf_taken`, `left`, `right`, `leaf` (int32) and `start` (int64), little
end first, as `mines_dd.diagrams.circuit.Circuit` describes them, and `header`, UTF-8 JSON as uint8: `format` ("mines_dd
circuit"), `version`, `root`, `cells` (a list; a tuple is written as a list) and `about` (what the writer adds).  The
archive's comment, the last 64 bytes, is the SHA-256 of all bytes before it in hexadecimal digits, so that not even a
byte that says nothing (a date in the archive) can change unnoticed.

A reader checks all of it before it takes memory for it.  What it cannot see is whether a circuit made on purpose, with
its checksum, is deterministic and decomposable: take families only from where you would take programs.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.base.errors import MinesError, reason
from mines_dd.diagrams.circuit import Circuit

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
# Deflate shrinks up to a thousandfold, but circuits about fourfold: a file that grows much more is a trap.
_FREE, _GROWTH = 2**24, 200
_DAMAGE = (
    ValueError,
    LookupError,
    TypeError,
    EOFError,
    RuntimeError,  # encrypted, or compressed in a way that is not known; and nested too deeply
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)


def save(path: str | os.PathLike[str], circuit: Circuit, about: dict[str, Any]) -> None:
    """Write a circuit; the file appears only when it is complete.

    Raises
    ------
    MinesError
        If a cell's label is not made of numbers, strings and tuples, or the file cannot be written.
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
    partial = f"{os.fspath(path)}.{os.getpid()}.part"
    try:
        with open(partial, "wb") as file:
            file.write(_sealed(archive.getbuffer()))
        os.replace(partial, path)
    except OSError as error:
        raise MinesError(f"cannot write {os.fspath(path)!r}: {error.strerror}") from error
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def load(path: str | os.PathLike[str]) -> tuple[Circuit, dict[str, Any]]:
    """Read a circuit and what its writer said about it.

    Raises
    ------
    MinesError
        If the file is missing, is damaged, or is something else.
    """
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
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
    """The archive with its digest as its comment, whose length is what an archive without one ends with."""
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
    if not isinstance(header["about"], dict) or not _is_sound(circuit):
        raise ValueError("it describes no circuit")
    return circuit, header["about"]


def _array(data: bytes, kind: str) -> npt.NDArray[Any]:
    """The array of an `.npy` file, which has to have one dimension and the number of bytes that it announces."""
    found = _NPY.match(data)
    if found is None or found[1].decode() != kind:
        raise ValueError(f"an array is not of the type {kind}")
    stored = np.dtype(kind)
    if len(data) - found.end() != int(found[2]) * stored.itemsize:
        raise ValueError("an array does not have the size that it announces")
    return np.frombuffer(data, stored, offset=found.end()).astype(stored.newbyteorder("="))


def _is_sound(circuit: Circuit) -> bool:
    """Check everything that a pass relies on: sizes, and that children come before parents."""
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
        and _starts(circuit.group_start, len(circuit.group_cell))
        and len(circuit.right) == len(circuit.leaf) == terms
        and len(circuit.leaf_taken) == leaves >= 1
        and len(set(circuit.cells)) == len(circuit.cells)
        and _within(circuit.group_cell, 0, len(circuit.cells))
        and len(np.unique(circuit.group_cell)) == len(circuit.group_cell)
        and circuit.leaf_taken[0] == 0
        and _within(circuit.leaf_group[1:], 0, groups)
        and (circuit.leaf_taken[1:] >= 1).all()
        and _within(circuit.leaf, 0, leaves)
        and _within(circuit.left, 1, nodes)
        and _within(circuit.right, 1, nodes)
        and (circuit.left < node).all()
        and (circuit.right < node).all()
    )


def _starts(start: npt.NDArray[Any], total: int) -> bool:
    return len(start) > 0 and start[0] == 0 and start[-1] == total and bool((np.diff(start) >= 0).all())


def _within(values: npt.NDArray[Any], low: int, high: int) -> bool:
    return len(values) == 0 or (values.min() >= low and values.max() < high)


def _plain(label: Hashable) -> Any:
    if isinstance(label, tuple):
        return [_plain(part) for part in label]
    if label is None or isinstance(label, bool | int | float | str):
        return label
    raise MinesError(f"cell {label!r} cannot be saved; a label is a number, a string or a tuple of them")


def _hashable(value: Any) -> Hashable:
    if isinstance(value, dict):
        raise ValueError("a cell is a number, a string or a list of them")
    return tuple(_hashable(part) for part in value) if isinstance(value, list) else value
