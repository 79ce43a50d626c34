"""How a board looks wherever it is shown in colour: the terminal, a notebook, a picture.

Certain cells are green (safe) and vermilion (mines), which the colour-blind can tell apart (M. Okabe, K. Ito: Color
Universal Design, 2008), and carry a sign besides; the others go from light to dark blue.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from html import escape
from typing import Any

from mines_dd.board import CLOSED, FLAG, MINE, Board, Position

__all__ = [
    "DIGIT_COLOURS",
    "FLAG_SIGN",
    "MINE_SIGN",
    "RED",
    "SAFE_SIGN",
    "board_html",
    "fill",
    "ink",
    "percent",
    "short_number",
    "sign",
]

SAFE_SIGN, MINE_SIGN, FLAG_SIGN = "✓", "✱", "⚑"
# The usual colours of the digits, darkened where they were too light to read.
DIGIT_COLOURS = ("#b0b0b0", "#0000d0", "#007a00", "#d00000", "#000080", "#800000", "#007a7a", "#000000", "#606060")
RED = "#b00000"

_SAFE, _MINE, _OPEN, _CLOSED = "#2fb58c", "#d55e00", "#fafafa", "#b4b4b4"
_LIGHTEST, _DARKEST = (0xDE, 0xE9, 0xF7), (0x16, 0x35, 0x6B)
_LARGEST = 5000  # cells of a table


def fill(character: str, share: Any = None) -> str:
    """Return the background of a cell, as #rrggbb: of what it shows, and of its mine probability if there is one."""
    if character == MINE or share == 1:
        return _MINE
    if share is None:
        return _CLOSED if character in (CLOSED, FLAG) else _OPEN
    if share == 0:
        return _SAFE
    return "#" + "".join(f"{round(a + (b - a) * float(share)):02x}" for a, b in zip(_LIGHTEST, _DARKEST, strict=True))


def ink(background: str) -> str:
    """Return black or white, whichever stands out more (relative luminance of WCAG 2)."""
    channels = (int(background[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return "#000000" if 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.179 else "#ffffff"


def percent(share: Any) -> str:
    """Return a probability in whole percent, 0 and 100 for what is certain only.

    Examples
    --------
    >>> [percent(share) for share in (0, 0.001, 0.2345, 0.999, 1)]
    ['0', '<1', '23', '>99', '100']
    """
    if share in (0, 1):
        return str(100 * int(share))
    rounded = round(100 * float(share))
    return "<1" if rounded < 1 else ">99" if rounded > 99 else str(rounded)


def sign(character: str, share: Any = None) -> str:
    """Return what stands in a cell: a count, a sign, a probability in percent, or nothing."""
    if character == MINE or share == 1:
        return MINE_SIGN
    if share is not None:
        return SAFE_SIGN if share == 0 else percent(share)
    return {CLOSED: "", FLAG: FLAG_SIGN, "0": ""}.get(character, character)


def short_number(number: int) -> str:
    """Return all digits of a number if there are few.

    Examples
    --------
    >>> short_number(66), short_number(7**50)
    ('66', '1.79846504e+42')
    """
    return str(number) if abs(number) < 10**30 else f"{Decimal(number):.8e}"


def board_html(
    board: Board, probabilities: Mapping[Position, Any] | None = None, best: Position | None = None, caption: str = ""
) -> str:
    """Return a board as an HTML table, styles inline.

    Parameters
    ----------
    board : Board
        One of more than 5000 cells is not shown cell by cell.
    probabilities : mapping, optional
        Closed cell -> mine probability, which shades it; its exact value is the cell's tooltip.  A legend says what
        the shades mean.
    best : (row, column), optional
        A cell to frame.
    caption : str
        Text under the table.
    """
    rows, cols = board.size
    if rows * cols > _LARGEST:
        return f"<div>{escape(f'{board!r} {caption}')}</div>"
    shares = probabilities or {}
    lines = [
        "<tr>" + "".join(_cell(board[r, c], shares.get((r, c)), (r, c), best) for c in range(cols)) + "</tr>"
        for r in range(rows)
    ]
    below = [f"<div>{text}</div>" for text in (escape(caption), _legend(board) if shares else "") if text]
    return (
        '<div style="overflow-x:auto;font:12px sans-serif;line-height:1.8"><table style="border-collapse:collapse;'
        'border:0;margin:0;line-height:1">' + "\n".join(lines) + f"</table>{''.join(below)}</div>"
    )


def _legend(board: Board) -> str:
    entries = [_swatch("#", 0, "safe"), _swatch("#", 1, "mine"), _swatch("#", 0.2, "chance of a mine in percent")]
    if board.flags():
        entries.append(_swatch("F", None, "flagged"))
    return " &nbsp; ".join(entries)


def _swatch(character: str, share: Any, text: str) -> str:
    background = fill(character, share)
    return (
        f'<span style="display:inline-block;padding:0 5px;background:{background};color:{ink(background)}">'
        f"{sign(character, share)}</span> {text}"
    )


def _cell(character: str, share: Any, position: Position, framed: Position | None) -> str:
    background, text = fill(character, share), escape(sign(character, share))
    colour, weight = ink(background), "normal"
    if share is None:
        weight = "bold"
        colour = DIGIT_COLOURS[int(character)] if character.isdigit() else RED if character == FLAG else colour
    elif character == FLAG:
        text += f'<sup style="font-size:8px;line-height:0">{FLAG_SIGN}</sup>'
    title = f"row {position[0]}, column {position[1]}" + (", flagged" if character == FLAG else "")
    if share is not None and len(str(share)) <= 80:
        title += f": {share}"
    frame = "outline:2px solid #000;outline-offset:-2px;" if position == framed else ""
    return (
        f'<td title="{escape(title)}" style="width:24px;min-width:24px;height:24px;padding:0;border:1px solid #d4d4d4;'
        f"text-align:center;vertical-align:middle;font:{weight} 12px sans-serif;{frame}"
        f'background:{background};color:{colour}">{text}</td>'
    )
