"""Boards with probabilities as text: plain in files and pipes; on terminals with row and column numbers and colours."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mines_dd.board.cells import CLOSED, MINE
from mines_dd.board.look import fill, ink, percent

if TYPE_CHECKING:
    from mines_dd.board.board import Board, Position

__all__ = ["probability_text"]


_PLAIN, _BOLD, _DIM = "\x1b[0m", "\x1b[1m", "\x1b[2m"
# The 256 colours of practically every terminal: from number 16 on a cube of 6 x 6 x 6, then 24 greys.
_CUBE = (0, 95, 135, 175, 215, 255)
_PALETTE = [(r, g, b) for r in _CUBE for g in _CUBE for b in _CUBE] + [(grey,) * 3 for grey in range(8, 239, 10)]


def _has_colours() -> bool:
    """Tell whether a terminal has colours, and is to show them."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def probability_text(
    board: Board, shown: Mapping[Any, str], shares: Mapping[Any, Any], best: Position | None = None
) -> str:
    """Return the board in columns, with texts instead of some cells.

    On a terminal it has row and column numbers and a legend, and colours unless NO_COLOR is set; coloured
    probabilities are in percent if decimals do not fit.

    Parameters
    ----------
    board : Board
    shown : mapping
        Position -> text to print there.
    shares : mapping
        Position -> probability.
    best : (row, column), optional
        A cell to mark on a terminal.
    """
    rows, cols = board.size
    if not sys.stdout.isatty():
        table = [[shown.get((r, c), board[r, c]) for c in range(cols)] for r in range(rows)]
        width = max(len(text) for row in table for text in row)
        return "\n".join(" ".join(text.rjust(width) for text in row) for row in table)
    margin, unit, colours = len(str(rows - 1)) + 1, "", _has_colours()
    # without colours 1 may be a hint or percent
    if colours and margin + cols * (1 + max(map(len, shown.values()), default=1)) > shutil.get_terminal_size().columns:
        shown = {p: "**" if share == 1 else percent(share) for p, share in shares.items()}
        unit = " (in percent)"
    width = max([len(text) for text in shown.values()] + [len(str(cols - 1))])
    lines = [" " * margin + "".join(f"{c:>{width + 1}}" for c in range(cols))]
    cell = _coloured_cell if colours else _plain_cell
    for r in range(rows):
        cells = [cell(board[r, c], shown.get((r, c)), shares.get((r, c)), width, (r, c) == best) for c in range(cols)]
        lines.append(f"{r:>{margin - 1}} " + "".join(cells))
    if colours:
        entries = [(0, "safe"), (0.1, "unlikely"), (0.9, f"likely a mine{unit}"), (1, "mine")]
        legend = [f"{_painted('  ', share)} {meaning}" for share, meaning in entries]
        legend += ["underlined: best to open"] * (best is not None)
    else:
        legend = [">: best to open"] * (best is not None)
    return "\n".join([*lines, "", "   ".join(legend)]).rstrip("\n")


def _plain_cell(character: str, text: str | None, share: Any, width: int, marked: bool) -> str:
    return (">" if marked else " ") + f"{character if text is None else text:>{width}}"


def _coloured_cell(character: str, text: str | None, share: Any, width: int, underlined: bool) -> str:
    if share is None and character.isdigit():
        style, shown = (_DIM, "·") if character == "0" else (_BOLD, character)
        return f"{style}{shown:>{width + 1}}{_PLAIN}"
    known = 1 if character == MINE else share
    return " " + _painted(f"{character if text is None else text:>{width}}", known, underlined)


def _painted(text: str, share: Any, underlined: bool = False) -> str:
    shown = round(5 * share) / 5 if share is not None and 0 < share < 1 else share  # few shades are distinct
    paper = _nearest(fill(CLOSED, min(max(shown, 1e-9), 1 - 1e-9) if share not in (None, 0, 1) else share))
    text_colour = _nearest(ink("#" + "".join(f"{channel:02x}" for channel in _PALETTE[paper])))
    return f"\x1b[48;5;{paper + 16};38;5;{text_colour + 16}{';1;4' * underlined}m{text}{_PLAIN}"


@lru_cache
def _nearest(colour: str) -> int:
    """The index in `_PALETTE` of the colour nearest to #rrggbb."""
    wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return min(range(len(_PALETTE)), key=lambda i: sum((a - b) ** 2 for a, b in zip(_PALETTE[i], wanted, strict=True)))
