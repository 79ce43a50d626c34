"""Boards as HTML tables with inline styles, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from mines_dd.base.wording import place
from mines_dd.board.cells import FLAG, Position
from mines_dd.board.look import FLAG_SIGN, GRID_LINE, look

__all__ = ["board_html"]

_LARGEST = 5000  # cells of a table


def board_html(
    grid: Sequence[str],
    probabilities: Mapping[Position, Any] | None = None,
    best: Position | None = None,
    caption: str = "",
    other: Position | None = None,
) -> str:
    """Return a board as an HTML table with inline styles.

    Parameters
    ----------
    grid : sequence of str
        A board's rows, one character a cell.  Instead of a board of more than 5000 cells a sentence is returned.
    probabilities : mapping, optional
        Closed cell -> mine probability.  It shades the cell, and its exact value is the tooltip; a legend explains
        the shades.
    best : (row, column), optional
        A cell to frame.
    caption : str
        Text under the table.
    other : (row, column), optional
        Another cell to frame, with dashes.

    Examples
    --------
    >>> board_html(("#1#",), caption="one hint").count("<td")
    3
    """
    rows, cols = len(grid), len(grid[0])
    if rows * cols > _LARGEST:
        return f"<div>{escape(f'A board of {rows}x{cols} cells, too many to show. {caption}')}</div>"
    shares = probabilities or {}
    frames = {other: "dashed", best: "solid"}
    lines = [
        "<tr>"
        + "".join(_cell(grid[r][c], shares.get((r, c)), (r, c), frames.get((r, c))) for c in range(cols))
        + "</tr>"
        for r in range(rows)
    ]
    below = [f"<div>{text}</div>" for text in (escape(caption), _legend(grid) if shares else "") if text]
    return (
        '<div style="font:12px sans-serif;line-height:1.8"><div style="overflow-x:auto"><table style="border-collapse:'
        'collapse;border:0;margin:0;line-height:1">' + "\n".join(lines) + f"</table></div>{''.join(below)}</div>"
    )


def _legend(grid: Sequence[str]) -> str:
    entries = [_swatch("#", 0, "safe"), _swatch("#", 1, "mine"), _swatch("#", 0.2, "chance of a mine in percent")]
    if any(FLAG in row for row in grid):
        entries.append(_swatch(FLAG, None, "flagged"))
    return " &nbsp; ".join(entries)


def _swatch(character: str, share: Any, meaning: str) -> str:
    shown = look(character, share)
    style = f"display:inline-block;padding:0 5px;background:{shown.paper};color:{shown.ink}"
    return f'<span style="{style}">{shown.text}</span> {meaning}'


def _cell(character: str, share: Any, position: Position, frame: str | None) -> str:
    text, paper, colour, bold, pennant = look(character, share)
    text = escape(text)
    if pennant:
        text += f'<sup style="font-size:8px;line-height:0">{FLAG_SIGN}</sup>'
    title = place(position) + (", flagged" if character == FLAG else "")
    if share is not None and len(str(share)) <= 80:
        title += f": {share}"
    outline = f"outline:2px {frame} #000;outline-offset:-2px;" if frame else ""
    return (
        f'<td title="{escape(title)}" style="width:24px;min-width:24px;height:24px;padding:0;border:1px solid '
        f"{GRID_LINE};text-align:center;vertical-align:middle;font:{'bold' if bold else 'normal'} 12px sans-serif;"
        f'{outline}background:{paper};color:{colour}">{text}</td>'
    )
