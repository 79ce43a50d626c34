"""Pictures of boards, drawn by matplotlib (the extra `plot`) without a window or any change of its settings."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any
from warnings import catch_warnings, simplefilter

from mines_dd.base.checks import file_name, require, require_number, require_whole
from mines_dd.base.errors import MinesError
from mines_dd.base.wording import listed, shown
from mines_dd.base.writing import write_file
from mines_dd.board.board import require_position
from mines_dd.board.cells import CHARACTERS, CLOSED, FLAG, MINE, Position
from mines_dd.board.look import FLAG_SIGN, GRID_LINE, look
from mines_dd.board.text import CELL_HELP

__all__ = ["NO_MATPLOTLIB", "check_size", "draw_board", "save_board", "save_totals", "saved_axes"]

NO_MATPLOTLIB = 'pictures need matplotlib: pip install "mines-dd[plot]"'
"""The error where matplotlib is not installed."""

_CELL = 0.36  # inches
_LARGEST = 10_000  # cells of a picture
_ROUNDING = 1e-9  # by which a probability may be beyond 0 or 1
_NEAR = -12.0  # logarithms of likelihoods, compared with the greatest, that are drawn


def draw_board(
    axes: Any, grid: Sequence[str], probabilities: Mapping[Position, Any], best: Position | None = None
) -> None:
    """Draw a board with its closed cells shaded by their mine probabilities, in percent.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    grid : sequence of str
        A board's rows, one character a cell.
    probabilities : mapping
        Position -> probability; closed cells that are not in it stay grey.
    best : (row, column), optional
        A cell to frame.

    Examples
    --------
    >>> from matplotlib.figure import Figure  # doctest: +SKIP
    >>> axes = Figure().subplots()  # doctest: +SKIP
    >>> draw_board(axes, ("#1#",), {(0, 0): 0.5, (0, 2): 0.5}, best=(0, 0))  # doctest: +SKIP
    """
    _check(grid, probabilities, best)
    rows, cols = len(grid), len(grid[0])
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    _draw_cells(axes, [(grid[r][c], probabilities.get((r, c)), r, c) for r, c in cells])
    if best is not None:
        _frame(axes, *best)
    axes.set(xlim=(0, cols), ylim=(rows, 0), aspect="equal")
    axes.set_xticks([c + 0.5 for c in range(cols)], [str(c) for c in range(cols)], fontsize=6)
    axes.set_yticks([r + 0.5 for r in range(rows)], [str(r) for r in range(rows)], fontsize=6)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _check(grid: Any, probabilities: Any, best: Any) -> None:
    """Refuse what cannot be drawn."""
    for row in require(grid, Sequence, "the grid of a board, its rows,"):
        require(row, str, "a row of a board, a string,")
    if not grid or not grid[0] or len(set(map(len, grid))) > 1:
        raise MinesError("the grid of a board has rows of the same length, none empty; a Board has one as .grid")
    if not all(map(CHARACTERS.issuperset, grid)):
        raise MinesError(f"the grid has a character that is no cell; {CELL_HELP}")
    require(probabilities, Mapping, "a dict of probabilities", "such as analyse(board).risk")
    for cell, share in probabilities.items():
        if not -_ROUNDING <= require_number(share, f"the probability of {shown(cell)}") <= 1 + _ROUNDING:
            raise MinesError(f"the probability of {shown(cell)} is {shown(share)}; give a number from 0 to 1")
    if best is not None:
        require_position(best)


def _draw_cells(axes: Any, cells: Sequence[tuple[str, Any, float, float]]) -> None:
    """Draw cells, each a character, a probability, and its row and column.

    Their squares are one collection, and their signs are not measured for the layout, in which they change nothing:
    matplotlib takes much longer otherwise.
    """
    from matplotlib.collections import PolyCollection

    looks = [look(character, share) for character, share, *_ in cells]
    squares = [((c, r), (c + 1, r), (c + 1, r + 1), (c, r + 1)) for *_, r, c in cells]
    papers = [paper for _, paper, *_ in looks]
    axes.add_collection(PolyCollection(squares, facecolors=papers, edgecolors=GRID_LINE, linewidths=0.6))
    for (_, share, r, c), (text, _, colour, bold, pennant) in zip(cells, looks, strict=True):
        style: Any = {"ha": "center", "color": colour, "in_layout": False}
        if pennant:
            axes.text(c + 0.83, r + 0.22, FLAG_SIGN, va="center", fontsize=5.5, **style)
        size, weight = 11 if bold or share in (0, 1) else 8, "bold" if bold else "normal"
        axes.text(c + 0.5, r + 0.5, text, va="center_baseline", fontsize=size, weight=weight, **style)


_Entry = tuple[str, Any, str, float, float]
"""An entry of a legend: a cell's character and probability, what it means, and its place (column, row)."""


def _legend(grid: Sequence[str], probabilities: Mapping[Position, Any], best: Position | None) -> list[_Entry]:
    """What the shades and signs mean, in rows as wide as the board or, if that is wider, the longest entry."""
    shares = set(probabilities.values())
    known = [
        (1 in shares or _has(grid, MINE), "#", 1, "mine"),
        (0 in shares, "#", 0, "safe"),
        (bool(shares - {0, 1}), "#", 0.2, "chance of a mine in %"),
        (_has(grid, FLAG), "F", None, "flagged"),
        (best is not None, "#", None, "framed: best to open"),
        (_is_any_unknown(grid, probabilities), "#", None, "closed"),
    ]
    entries: list[_Entry] = []
    x, y = 0.0, len(grid) + 0.5
    for there, character, share, text in known:
        if there and x and x + _width(text) > len(grid[0]):
            x, y = 0.0, y + 1.2
        if there:
            entries.append((character, share, text, x, y))
            x += _width(text) + 0.5
    return entries


def _has(grid: Sequence[str], character: str) -> bool:
    return any(character in row for row in grid)


def _is_any_unknown(grid: Sequence[str], probabilities: Mapping[Position, Any]) -> bool:
    """Whether a closed cell has no probability."""
    closed = ((r, c) for r, row in enumerate(grid) for c, character in enumerate(row) if character in CLOSED + FLAG)
    return any(position not in probabilities for position in closed)


def _width(text: str) -> float:
    """The width of a legend's entry, in cells: its sample cell, a gap, and about 0.17 cells a character."""
    return 1.3 + 0.17 * len(text)


def _draw_legend(axes: Any, entries: list[_Entry]) -> None:
    for character, share, text, x, y in entries:
        _draw_cells(axes, [(character, share, y, x)])
        if text.startswith("framed"):
            _frame(axes, y, x)
        axes.text(x + 1.25, y + 0.5, text, va="center_baseline", fontsize=8)


def _frame(axes: Any, row: float, column: float) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((column + 0.06, row + 0.06), 0.88, 0.88, fill=False, edgecolor="black", linewidth=1.8))


def check_size(rows: int, cols: int) -> None:
    """Raise `MinesError` if a board of this size is too large to be drawn.

    Examples
    --------
    >>> check_size(100, 100)
    >>> try:
    ...     check_size(101, 100)
    ... except MinesError as error:
    ...     print(error)
    a picture of 10,100 cells is too large; at most 10,000 are drawn
    """
    if rows * cols > _LARGEST:
        raise MinesError(f"a picture of {rows * cols:,} cells is too large; at most {_LARGEST:,} are drawn")


def save_board(
    path: str | os.PathLike[str],
    grid: Sequence[str],
    probabilities: Mapping[Position, Any],
    best: Position | None = None,
) -> None:
    """Save the picture of a board with a legend; the file name's ending is the format (.png, .svg, .pdf).

    Raises
    ------
    MinesError
        If matplotlib is not installed, the board has more than 10,000 cells, or the file cannot be written.

    Examples
    --------
    >>> save_board("board.png", ("#1#",), {(0, 0): 0.5, (0, 2): 0.5})  # doctest: +SKIP
    """
    _check(grid, probabilities, best)
    rows, cols = len(grid), len(grid[0])
    check_size(rows, cols)
    entries = _legend(grid, probabilities, best)
    width = max([float(cols)] + [x + _width(text) for _, _, text, x, _ in entries])
    height = max([float(rows)] + [y + 1.1 for *_, y in entries])
    with saved_axes(path, _CELL * width + 0.5, _CELL * height + 0.5) as axes:
        draw_board(axes, grid, probabilities, best)
        _draw_legend(axes, entries)
        axes.set(xlim=(0, width + 0.05), ylim=(height, 0), anchor="W")
        axes.xaxis.tick_top()
        axes.tick_params(length=0)


def save_totals(path: str | os.PathLike[str], log_likelihood: Mapping[int, float], total: int | None = None) -> None:
    """Save the curve of the likelihood of each total number of mines, near the greatest.

    Parameters
    ----------
    path : str
        A .png, .svg or .pdf file.
    log_likelihood : mapping
        Total -> natural logarithm of its likelihood.
    total : int, optional
        A total to mark.

    Raises
    ------
    MinesError
        If matplotlib is missing, or the file cannot be written.

    Examples
    --------
    >>> save_totals("totals.svg", {1: -0.9, 2: -0.9, 3: -1.6}, total=2)  # doctest: +SKIP
    """
    require(log_likelihood, Mapping, "a dict of likelihoods", "Analysis.log_likelihood() returns one")
    logs = {
        require_whole(number, "a total number of mines"): float(require_number(log, "a likelihood"))
        for number, log in log_likelihood.items()
    }
    if total is not None:
        total = require_whole(total, "the total number of mines")
    if not logs:
        raise MinesError("there is no total to draw")
    top = max(logs.values())
    near = {t: log - top for t, log in logs.items() if log - top > _NEAR}
    with saved_axes(path, 5.0, 3.0) as axes:
        axes.plot(list(near), list(near.values()), marker="." if len(near) < 60 else None, color="#2b6cb0")
        if total in near:
            axes.axvline(total, color="#c53030", linewidth=1)
            axes.annotate(f" {total}", (total, 0.03), xycoords=("data", "axes fraction"), color="#c53030")
        axes.set(xlabel="total number of mines", ylabel="log-likelihood, less the greatest")
        axes.xaxis.get_major_locator().set_params(integer=True)  # there are no halves of mines
        axes.grid(color="#dddddd", linewidth=0.6)


@contextmanager
def saved_axes(path: str | os.PathLike[str], width: float, height: float) -> Iterator[Any]:
    """Give the axes of an empty picture, and save it at the end of the context; the ending of `path` is the format.

    Parameters
    ----------
    path : path
    width, height : float
        Inches.

    Raises
    ------
    MinesError
        If matplotlib is not installed, the file cannot be written, or no font has all letters; an .svg needs none.

    Examples
    --------
    >>> with saved_axes("line.svg", 4, 3) as axes:  # doctest: +SKIP
    ...     axes.plot([0, 1], [0, 1])
    """
    name = file_name(path)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MinesError(NO_MATPLOTLIB) from None
    figure = Figure(figsize=(width, height), layout="constrained")
    yield figure.subplots()
    ending, drawn = os.path.splitext(name)[1], io.BytesIO()
    try:
        with nullcontext() if _given_fonts(figure, ending) else _as_letters():
            figure.savefig(drawn, format=ending[1:] or "png", dpi=130)
    except ValueError as error:  # there is no such format
        raise MinesError(f"cannot draw {name!r}: {error}") from error
    write_file(name if ending else f"{name}.png", drawn.getvalue())


def _given_fonts(figure: Any, ending: str) -> bool:
    """Have letters that matplotlib's font lacks drawn in others that have them; tell whether there are such."""
    from matplotlib import font_manager as fonts
    from matplotlib.text import Text

    def letters_of(file: str) -> set[int]:
        try:
            return set(fonts.get_font(file).get_charmap())
        except (OSError, RuntimeError):  # a font that is listed, and no longer there
            return set()

    texts = figure.findobj(Text)
    usual = fonts.FontProperties()
    families = usual.get_family()
    letters = {ord(c) for text in texts for c in text.get_text() if c.isprintable()}
    lacking = letters - letters_of(fonts.findfont(usual))
    if not lacking:
        return True
    for font in fonts.fontManager.ttflist:
        if not font.name.startswith("Last Resort") and (found := lacking & letters_of(font.fname)):
            families, lacking = [*families, font.name], lacking - found
    for text in texts:
        text.set_fontfamily(families)
    if not lacking:
        return True
    if ending.lower() == ".svg":
        return False
    some = listed([f"{chr(c)!r}" for c in sorted(lacking)[:3]])
    raise MinesError(f"no font here has all letters of the picture, such as {some}; save an .svg, or install a font")


@contextmanager
def _as_letters() -> Iterator[None]:
    """Keep the letters themselves in an .svg: who looks at it may have a font."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none"}), catch_warnings():
        simplefilter("ignore", UserWarning)  # of how large they are nobody knows
        yield
