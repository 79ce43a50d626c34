"""Boards with probabilities as text: plain for files and pipes, coloured on terminals."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mines_dd.board import MINE
from mines_dd.display import percent

if TYPE_CHECKING:
    from mines_dd.board import Board, Position

__all__ = ["coloured", "probability_text"]


_PLAIN, _BOLD, _DIM = "\x1b[0m", "\x1b[1m", "\x1b[2m"
# The colours of `display`, as far as the 256 that practically every terminal has come near them.
_SAFE, _MINE, _CLOSED, _BLACK, _WHITE, _BLUES = 36, 166, 249, 16, 231, (153, 111, 75, 26, 18)


def coloured() -> bool:
    """Tell whether to print in colour: to a terminal that has some, unless NO_COLOR is set to anything."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def probability_text(
    board: Board, shown: Mapping[Any, str], shares: Mapping[Any, Any], best: Position | None = None
) -> str:
    """Return the board with texts in place of some cells, in columns.

    On a terminal it comes with rulers, colours and a legend, and in percent if decimals do not fit.

    Parameters
    ----------
    board : Board
    shown : mapping
        Position -> what to print there.
    shares : mapping
        Position -> probability.
    best : (row, column), optional
        A cell to underline.
    """
    rows, cols = board.size
    if not coloured():
        table = [[shown.get((r, c), board[r, c]) for c in range(cols)] for r in range(rows)]
        width = max(len(text) for row in table for text in row)
        return "\n".join(" ".join(text.rjust(width) for text in row) for row in table)
    margin, unit = len(str(rows - 1)) + 1, ""
    if margin + cols * (1 + max(map(len, shown.values()), default=1)) > shutil.get_terminal_size().columns:
        shown = {p: "**" if share == 1 else percent(share) for p, share in shares.items()}
        unit = " (in percent)"
    width = max([len(text) for text in shown.values()] + [len(str(cols - 1))])
    lines = [" " * margin + "".join(f"{c:>{width + 1}}" for c in range(cols))]
    for r in range(rows):
        cells = [_cell(board[r, c], shown.get((r, c)), shares.get((r, c)), width, (r, c) == best) for c in range(cols)]
        lines.append(f"{r:>{margin - 1}} " + "".join(cells))
    entries = [(0, "safe"), (0.1, "unlikely"), (0.9, f"likely a mine{unit}"), (1, "mine")]
    legend = [f"{_painted('  ', share)} {meaning}" for share, meaning in entries]
    legend += ["underlined: best to open"] * (best is not None)
    return "\n".join([*lines, "", "   ".join(legend)])


def _cell(character: str, text: str | None, share: Any, width: int, underlined: bool) -> str:
    if share is None and character.isdigit():
        style, shown = (_DIM, "·") if character == "0" else (_BOLD, character)
        return f"{style}{shown:>{width + 1}}{_PLAIN}"
    known = 1 if character == MINE else share
    return " " + _painted(f"{character if text is None else text:>{width}}", known, underlined)


def _painted(text: str, share: Any, underlined: bool = False) -> str:
    paper = _CLOSED if share is None else _SAFE if share == 0 else _MINE if share == 1 else _BLUES[int(5 * share)]
    return f"\x1b[48;5;{paper};38;5;{_WHITE if paper in _BLUES[3:] else _BLACK}{';1;4' * underlined}m{text}{_PLAIN}"
