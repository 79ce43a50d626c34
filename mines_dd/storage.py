"""Circuits in files.

The format, version 1: a NumPy `.npz` archive (a ZIP file of `.npy` arrays, never pickled) with the arrays
`group_start`, `group_cell`, `leaf_group`, `leaf_taken`, `left`, `right`, `leaf` (int32) and `start` (int64) as
`mines_dd.circuit.Circuit` describes them, and `header`, UTF-8 JSON as uint8: `format` ("mines_dd circuit"),
`version`, `root`, `cells` (a list; a tuple is written as a list), `about` (what the writer adds) and `sha256`, the
digest of the arrays' bytes in the order above and then of the header without it.  A reader checks all of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.circuit import Circuit
from mines_dd.errors import MinesError

__all__ = ["load", "save"]

_FORMAT, _VERSION = "mines_dd circuit", 1
_ARRAYS = ("group_start", "group_cell", "leaf_group", "leaf_taken", "left", "right", "leaf", "start")


def save(path: str | os.PathLike[str], circuit: Circuit, about: dict[str, Any]) -> None:
    """Write a circuit; the file appears only when it is complete.

    Raises
    ------
    MinesError
        If a cell's label is not made of numbers, strings and tuples, or the file cannot be written.
    """
    arrays = {name: np.ascontiguousarray(getattr(circuit, name)) for name in _ARRAYS}
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "root": circuit.root,
        "cells": [_plain(cell) for cell in circuit.cells],
        "about": about,
    }
    header["sha256"] = _digest(arrays, header)
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    partial = f"{os.fspath(path)}.{os.getpid()}.part"
    try:
        with open(partial, "wb") as file:
            np.savez_compressed(file, header=text, **arrays)  # type: ignore[arg-type]
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
        with np.load(path, allow_pickle=False) as archive:
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise ValueError("not an archive")
            header = json.loads(archive["header"].tobytes())
            arrays = {key: archive[key] for key in _ARRAYS}
    except OSError as error:
        raise MinesError(f"cannot read {name!r}: {error.strerror or error}") from error
    except (
        ValueError,
        KeyError,
        EOFError,
        zipfile.BadZipFile,
        NotImplementedError,
        zlib.error,
    ) as error:
        raise MinesError(f"{name!r} is not a saved family of assignments, or is damaged ({error})") from error
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise MinesError(f"{name!r} is not a saved family of assignments")
    if header.get("version") != _VERSION:
        raise MinesError(
            f"{name!r} has format version {header.get('version')!r}; this program reads version {_VERSION}"
        )
    digest = header.pop("sha256", None)
    circuit = Circuit(cells=[_hashable(cell) for cell in header["cells"]], root=header["root"], **arrays)
    if digest != _digest(arrays, header) or not _is_sound(circuit):
        raise MinesError(f"{name!r} is damaged: its contents do not agree with its checksum")
    return circuit, header["about"]


def _digest(arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]) -> str:
    digest = hashlib.sha256()
    for name in _ARRAYS:
        digest.update(arrays[name].tobytes())
    digest.update(json.dumps(header, sort_keys=True).encode())
    return digest.hexdigest()


def _is_sound(circuit: Circuit) -> bool:
    """Check everything that a pass relies on: types, sizes, and that children come before parents."""
    if any(getattr(circuit, name).dtype != (np.int64 if name == "start" else np.int32) for name in _ARRAYS):
        return False
    nodes, terms, groups, leaves = (
        len(x) for x in (circuit.start[1:], circuit.left, circuit.group_start[1:], circuit.leaf_group)
    )
    node = np.repeat(np.arange(nodes), np.diff(circuit.start)) if (np.diff(circuit.start) >= 0).all() else np.empty(0)
    return bool(
        nodes >= 2
        and isinstance(circuit.root, int)
        and 0 <= circuit.root < nodes
        and _starts(circuit.start, terms)
        and circuit.start[2] == 0
        and _starts(circuit.group_start, len(circuit.group_cell))
        and len(circuit.right) == len(circuit.leaf) == terms
        and len(circuit.leaf_taken) == leaves >= 1
        and _within(circuit.group_cell, 0, len(circuit.cells))
        and len(np.unique(circuit.group_cell)) == len(circuit.group_cell)
        and _within(circuit.leaf_group[1:], 0, groups)
        and (circuit.leaf_taken[1:] >= 1).all()
        and _within(circuit.leaf, 0, leaves)
        and (circuit.left < node).all()
        and (circuit.right < node).all()
        and (circuit.left >= 1).all()
        and (circuit.right >= 1).all()
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
    return tuple(_hashable(part) for part in value) if isinstance(value, list) else value
