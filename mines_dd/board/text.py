"""The text and JSON forms of a board.

The text form has one row a line, after lines `key: value`.  The cells of a row are written without blanks between them,
or with the same number of blanks between all of them; so a blank is never taken for a cell.  A cell is

- `#`, closed, or `F`, closed and flagged by the player (a note, which constrains nothing),
- `0` to `8`, opened, with its count, or
- `*`, a mine known for certain.

The only key is `mines`: the line `mines: 99` gives the total number of mines.  A board may also be written in one line,
with `/` for the ends of lines: `#1#/#2#/###` or `mines: 3/#1#/#2#/###`.

The JSON form is `{"board": ["#1#", ...], "mines": 3, "layout": [[0, 2], ...]}`, where `mines` and `layout` may be left
out.  A key `grade`, a remark on how hard the board is, is passed over.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import partial
from typing import Any

from mines_dd.base.checks import object_of
from mines_dd.base.errors import BoardFormatError
from mines_dd.base.wording import counted
from mines_dd.board.cells import CHARACTERS, Position

__all__ = ["CELL_HELP", "Parsed", "parse"]

CELL_HELP = "a cell is # (closed), F (flagged), 0-8 (a count) or * (a known mine)"
"""The advice for a text that has another character."""

_ROW_HELP = "a row ends with / or a new line"
_FILE_NAME = re.compile(r"[^/]*\.[A-Za-z]{1,5}")
_TOTAL_HELP = "a line such as mines: 99, before the grid, gives the total number of mines"
_BLANK_HELP = "write # for a closed cell and 0 for an open empty one"


@dataclass(frozen=True)
class Parsed:
    """What a board's text says, before it is checked.

    Attributes
    ----------
    grid : tuple of str
        One string a row, all of one length, one character a cell.
    mines : int or None
        The total number of mines, if it is given.
    layout : frozenset of (row, column) or None
        Where the mines are, if it is given.
    mines_line : int or None
        The line, from 1, that gives the total, if it is in a header.

    Examples
    --------
    >>> parse('{"board": ["#1#"], "layout": [[0, 2]]}')
    Parsed(grid=('#1#',), mines=None, layout=frozenset({(0, 2)}), mines_line=None)
    """

    grid: tuple[str, ...]
    mines: int | None = None
    layout: frozenset[Position] | None = None
    mines_line: int | None = None


def parse(text: str) -> Parsed:
    """Read a board's text or JSON form.

    Raises
    ------
    BoardFormatError
        Naming line and character, what was found and what was expected.

    Examples
    --------
    >>> parse("mines: 3/#1#/#2#").grid
    ('#1#', '#2#')
    """
    text = text.removeprefix("\ufeff")
    return _parse_json(text) if text.lstrip()[:1] in ("{", "[") else _parse_text(text)


def _parse_text(text: str) -> Parsed:
    header: dict[str, int] = {}
    lines = re.split("\r\n|\r|\n", text.replace("\t", " ").rstrip("\r\n "))
    one = len(lines) == 1 and "/" in lines[0]
    if one:
        lines = [part.strip(" ") for part in lines[0].split("/")]
    while lines and not lines[-1].strip(" "):
        lines.pop()
    for start, line in enumerate(lines):
        if ":" in line:
            _parse_header(line, start + 1, header)
        elif line.strip(" "):
            grid = _parse_grid(lines[start:], 1 if one else start + 1)
            mines_line = next((i for i, line in enumerate(lines, start=1) if ":" in line), None)
            return Parsed(grid, header.get("mines"), mines_line=mines_line)
    raise BoardFormatError(f"the board is empty; write one line a row: {CELL_HELP}", line=1)


def _parse_grid(lines: list[str], first: int) -> tuple[str, ...]:
    indent = len(lines[0]) - len(lines[0].lstrip(" "))
    grid: list[str] = []
    for number, line in enumerate(lines, start=first):
        row = line.rstrip(" ")
        if not row:
            raise BoardFormatError(
                f"line {number} is empty inside the grid; leave it out, or write 0 for each open empty cell",
                line=number,
            )
        grid.append(_parse_row(row, indent, number, alone=len(lines) == 1))
        if len(grid[-1]) != len(grid[0]):
            advice = "all rows have the same length"
            if " " in (row + lines[0]).strip(" "):
                advice += f", and a blank is no cell: {_BLANK_HELP}"
            elif len(grid) == 2 and lines[0].strip(" ").isdecimal():
                advice += f"; {_TOTAL_HELP}"
            found = f"a row of {counted(len(grid[-1]), 'cell')} where line {first} has {len(grid[0])}"
            raise BoardFormatError(
                f"line {number}: {found}; {advice}",
                line=number,
                column=len(row) + 1,
            )
    return tuple(grid)


def _parse_header(line: str, number: int, header: dict[str, int]) -> None:
    key, _, value = (part.strip() for part in line.partition(":"))
    if key.lower() != "mines":
        raise BoardFormatError(
            f"line {number}: unknown key {key[:40]!r}; the one known key is mines", line=number, column=1
        )
    if "mines" in header:
        raise BoardFormatError(f"line {number}: mines is given twice", line=number, column=1)
    if not (value.isascii() and value.isdigit() and len(value) <= 40):
        raise BoardFormatError(
            f"line {number}: mines is {value[:40]!r}; write a number such as mines: 99",
            line=number,
            column=line.index(":") + 2,
        )
    header["mines"] = int(value)


def _parse_row(line: str, indent: int, number: int, *, alone: bool) -> str:
    """The cells of a row; `alone` says that it is the only one, so that other rows may be meant to be in it."""
    row = line[indent:]
    step = max(1, len(row) - len(row[1:].lstrip(" ")))  # from one cell to the next
    cells = row[::step]
    if not line[:indent].strip(" ") and CHARACTERS.issuperset(cells) and (" " * (step - 1)).join(cells) == row:
        return cells
    wrong = (i for i, c in enumerate(line) if c not in CHARACTERS and c != " ")
    column = next(wrong, None)
    if column is None:  # only cells and blanks: a blank is where a cell should be, or the reverse
        expected = (i >= indent and (i - indent) % step == 0 for i in range(len(line)))
        column = next(i for i, cell in enumerate(expected) if cell != (line[i] != " "))
    character = line[column]
    if character == ".":
        advice = _BLANK_HELP
    elif character == "9":
        advice = "a count is 0 to 8" + f", and {_TOTAL_HELP}" * line.strip().isdecimal()
    elif re.match(r"\s*(\d+\s*)?mines?\b", line, re.IGNORECASE):
        advice = _TOTAL_HELP
    elif character in ",;|\\":
        advice = f"{_ROW_HELP}, and nothing but blanks may stand between its cells"
    elif ":" in line:
        advice = "lines key: value come before the grid"
    elif character in CHARACTERS or character == " ":
        blanks = "cells stand all together or all equally far apart, and a blank is no cell"
        advice = f"{blanks}: {_BLANK_HELP}" if not alone else f"{blanks}; {_ROW_HELP}"
    else:
        advice = CELL_HELP + "; Board.read reads a file" * bool(alone and _FILE_NAME.fullmatch(line))
    raise BoardFormatError(
        f"line {number}, character {column + 1}: found {character!r}; {advice}", line=number, column=column + 1
    )


def _parse_json(text: str) -> Parsed:
    try:
        value = json.loads(text, object_pairs_hook=partial(object_of, error=BoardFormatError))
    except RecursionError:
        raise BoardFormatError("this starts like JSON but is nested too deeply for a board") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, character {error.colno}"
        message = f"{where}: this starts like JSON but is not ({error})"
        raise BoardFormatError(message, line=error.lineno, column=error.colno) from None
    except ValueError:  # Python reads no more than 4,300 digits
        raise BoardFormatError("this JSON has a number of far too many digits for a board") from None
    if not isinstance(value, dict) or "board" not in value:
        raise BoardFormatError('a JSON board is an object with the key "board", a list of rows')
    unknown = sorted(value.keys() - {"board", "mines", "layout", "grade"})
    if unknown:
        raise BoardFormatError(f'unknown key {unknown[0][:40]!r}; the known keys are "board", "mines" and "layout"')
    rows = value["board"]
    if not isinstance(rows, list) or not rows or not all(isinstance(row, str) and row for row in rows):
        raise BoardFormatError('"board" is a list of rows, each a string such as "#1#"')
    grid = _parse_grid(rows, 1)
    mines, layout = value.get("mines"), value.get("layout")
    if mines is not None and (not isinstance(mines, int) or isinstance(mines, bool)):
        raise BoardFormatError(f'"mines" is {repr(mines)[:40]}; write a number')
    if layout is not None:
        layout = frozenset(_parse_position(item) for item in _list(layout))
    return Parsed(grid, mines, layout)


def _list(layout: Any) -> list[Any]:
    if not isinstance(layout, list):
        raise BoardFormatError('"layout" is a list of positions such as [[0, 2], [3, 1]]')
    return layout


def _parse_position(item: Any) -> Position:
    if isinstance(item, list) and len(item) == 2 and all(isinstance(x, int) and not isinstance(x, bool) for x in item):
        return item[0], item[1]
    raise BoardFormatError(f'"layout" has {str(item)[:40]}; a position is [row, column], counted from 0')
