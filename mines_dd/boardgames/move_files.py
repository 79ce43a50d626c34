"""Files of moves, for all games given as graphs: texts, lines of CSV, and the JSON object {"moves": {...}, ...}."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from functools import partial
from typing import Any

from mines_dd.base.checks import file_name, object_of, require
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.reading import text_of_file
from mines_dd.base.wording import listed, shown

__all__ = ["LARGEST", "csv_lines", "is_json", "is_list_of_text", "is_of_kind", "json_moves", "read_text"]

LARGEST = 2**28
"""The most bytes of a file of text."""


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file in UTF-8, or of standard input for `-`.

    Raises
    ------
    GraphFormatError
        If the file cannot be read, is no text, or has more than 256 MiB.

    Examples
    --------
    >>> text = read_text("moves.csv")  # doctest: +SKIP
    """
    return text_of_file(path, "a file of text", LARGEST, GraphFormatError)


def is_of_kind(path: str | os.PathLike[str], text: str, ending: str, first: str) -> bool:
    """Tell whether a file is of a kind: by the ending of its name, or by its first character.

    Examples
    --------
    >>> is_of_kind("game.sgf", "", ".sgf", "("), is_of_kind("-", " (;", ".sgf", "("), is_of_kind("a", "X", ".sgf", "(")
    (True, True, False)
    """
    return file_name(path).lower().endswith(ending) or _moves_in(text).lstrip().startswith(first)


def is_json(path: str | os.PathLike[str], text: str) -> bool:
    """Tell whether a file holds JSON and not CSV.

    Examples
    --------
    >>> is_json("game.json", ""), is_json("game", ' {"moves": {}}'), is_json("-", "a,b")
    (True, True, False)
    """
    return is_of_kind(path, text, ".json", "{")


def csv_lines(text: str, heading: list[str]) -> Iterator[tuple[int, str, list[str]]]:
    r"""Yield each line as its number, the line, and its fields; blank lines and a heading are left out.

    It may also begin with from,to, or say next position for next.  Empty fields at the end, from the third on, are left
    out, too.

    Raises
    ------
    GraphFormatError
        If a line is no CSV; the error names it.

    Examples
    --------
    >>> list(csv_lines("position,next position\n\na, b", ["position", "next", "mover"]))
    [(3, 'a, b', ['a', 'b'])]
    """
    is_first = True
    for at, line in enumerate(_moves_in(text).splitlines(), 1):
        try:
            fields = [field.strip() for field in next(csv.reader([line]), [])]
        except csv.Error as error:
            raise GraphFormatError(f"line {at}: no CSV: {error}") from None
        if not any(fields):
            continue
        while len(fields) > 2 and not fields[-1]:  # as programs that fill up all lines write
            fields.pop()
        names = [field.lower().removesuffix(" position") for field in fields]
        if not (is_first and names in (heading[: len(fields)], ["from", "to", *heading[2 : len(fields)]])):
            yield at, line, fields
        is_first = False


def json_moves(text: str, *more: str) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """Return the moves, and the whole object, of the JSON text `{"moves": {position: [next, ...]}, ...}`.

    Parameters
    ----------
    text : str
    more : str
        The other keys that it may have.

    Raises
    ------
    GraphFormatError
        If it is not JSON (the error names line and column), has no such moves, has an unknown key, or a name that is no
        text.

    Examples
    --------
    >>> json_moves('{"moves": {"a": ["b"]}, "root": "a"}', "root")[0]
    {'a': ['b']}
    """
    try:
        value = json.loads(_moves_in(text), object_pairs_hook=partial(object_of, error=GraphFormatError))
    except json.JSONDecodeError as error:
        raise GraphFormatError(f"line {error.lineno}, character {error.colno}: no JSON: {error.msg}") from None
    except (ValueError, RecursionError):  # a number of many thousand digits, or lists in lists
        raise GraphFormatError(
            "the JSON has too long a number, or is nested too deeply, for a graph of positions"
        ) from None
    moves = value.get("moves") if isinstance(value, dict) else None
    if not isinstance(moves, dict) or not all(map(is_list_of_text, moves.values())):
        raise GraphFormatError('the JSON has to be {"moves": {"a": ["b", "c"], ...}}, with a list of texts a position')
    unknown = sorted(value.keys() - {"moves", *more})
    if unknown:
        raise GraphFormatError(f"unknown key {shown(unknown[0])}; the known keys are {listed(['moves', *more])}")
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        what = shown(error.object[error.start : error.end])
        raise GraphFormatError(
            f"the JSON has a name with {what}, half of a character, which cannot be written"
        ) from None
    return moves, value


def _moves_in(text: object) -> str:
    found: str = require(text, str, "the text of a file of moves", error=GraphFormatError)
    return found


def is_list_of_text(value: object) -> bool:
    """Tell whether a value is a list of texts.

    Examples
    --------
    >>> is_list_of_text(["a"]), is_list_of_text([1])
    (True, False)
    """
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)
