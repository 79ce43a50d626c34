"""Pictures of boards (matplotlib, installed with the extra `plot`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from mines_dd.board import FLAG, MINE, Board, Position
from mines_dd.errors import MinesError

__all__ = ["draw_board", "save_board"]

# The usual colours of the digits, darkened where they were too light to read.
_DIGITS = ("", "#0000d0", "#007a00", "#d00000", "#000080", "#800000", "#007a7a", "#000000", "#606060")


def draw_board(axes: Any, board: Board, probabilities: Mapping[Position, Any]) -> None:
    """Draw a board with its closed cells shaded by their mine probabilities.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    board : Board
    probabilities : mapping
        Position -> probability; closed cells that are not in it stay grey.
    """
    import matplotlib as mpl
    from matplotlib.patches import Rectangle

    rows, cols = board.size
    shades = mpl.colormaps["cividis_r"]
    for r in range(rows):
        for c in range(cols):
            share = probabilities.get((r, c))
            character = board[r, c]
            fill: Any
            fill, text, colour = "#f4f4f2", character.replace("0", ""), "black"
            if share is not None:
                fill = shades(float(share))
                text = "0" if share == 0 else "1" if share == 1 else f"{float(share):.2f}".lstrip("0")
                colour = "white" if float(share) > 0.5 else "black"
            elif character.isdigit():
                colour = _DIGITS[int(character)] or "black"
            elif character != MINE:
                fill, text = "#b8b8b8", ""
            axes.add_patch(Rectangle((c, r), 1, 1, facecolor=fill, edgecolor="white", linewidth=0.8))
            size, weight = (7, "normal") if share is not None else (11, "bold")
            axes.text(c + 0.5, r + 0.53, text, ha="center", va="center", fontsize=size, color=colour, weight=weight)
            if character == FLAG:
                axes.text(c + 0.84, r + 0.24, "⚑", ha="center", va="center", fontsize=7, color="#d00000")
    axes.set(xlim=(0, cols), ylim=(rows, 0), aspect="equal")
    axes.set_xticks([c + 0.5 for c in range(cols)], [str(c) for c in range(cols)], fontsize=6)
    axes.set_yticks([r + 0.5 for r in range(rows)], [str(r) for r in range(rows)], fontsize=6)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def save_board(path: str | os.PathLike[str], board: Board, probabilities: Mapping[Position, Any]) -> None:
    """Save the picture of a board; the file's ending says the format (.png, .svg, .pdf).

    Raises
    ------
    MinesError
        If matplotlib is not installed, or the file cannot be written.
    """
    try:
        import matplotlib
    except ImportError:
        raise MinesError("pictures need matplotlib; install mines-dd with the extra plot") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows, cols = board.size
    figure, axes = plt.subplots(figsize=(0.36 * cols + 0.5, 0.36 * rows + 0.5), layout="constrained")
    try:
        draw_board(axes, board, probabilities)
        figure.savefig(path, dpi=130)
    except (OSError, ValueError) as error:
        raise MinesError(f"cannot save {os.fspath(path)!r}: {error}") from error
    finally:
        plt.close(figure)
