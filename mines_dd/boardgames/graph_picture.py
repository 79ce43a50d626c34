"""Pictures of game graphs: positions as coloured circles in layers, moves as arrows, several panels side by side."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from mines_dd.base.arrays import FloatArray
from mines_dd.base.errors import MinesError
from mines_dd.board.picture import saved_axes
from mines_dd.diagrams.drawing import Drawing, Node
from mines_dd.diagrams.svg import layout

__all__ = ["LARGEST", "Look", "Panel", "places", "save_graph"]

LARGEST = 400
"""The most positions of a picture."""

_UNIT = 0.55  # inches between two positions of a layer; twice that between two layers
_FITTING = 22  # characters of a name
_CLEAR = 0.45  # from an arrow to the centre of a circle that it passes
_NAME = 0.47  # from the centre of a circle up to that of its name


class Look(NamedTuple):
    """How a position is drawn: the text in its circle, the circle's colours, and the position's name above it.

    Of a long name the beginning and the end are shown; where those are alike, a part that tells it from the others.
    """

    text: str
    fill: str = "white"
    edge: str = "black"
    ink: str = "black"
    name: str = ""


class Panel(NamedTuple):
    """A drawing of the graph: its title, the looks of its positions, and the colours of marked moves."""

    title: str
    looks: Sequence[Look]
    marked: Mapping[tuple[int, int], str]


def places(ranks: Sequence[int], moves: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    """Return where positions are drawn, as (rank, place within the rank), with few crossings of moves.

    Parameters
    ----------
    ranks : sequence of int
        The layer of each position, from 0.
    moves : sequence of (from, to)

    Examples
    --------
    >>> places([0, 1, 1], [(0, 1), (0, 2)])
    [(0, 0.5), (1, 0.0), (1, 1.0)]
    """
    if len(ranks) > LARGEST:
        raise MinesError(f"a picture of {len(ranks):,} positions would be too large; at most {LARGEST} are drawn")
    drawing = Drawing("game", {str(v): Node("x", "oval", rank) for v, rank in enumerate(ranks)})
    for one, other in moves:
        above, below = sorted((one, other), key=ranks.__getitem__)
        if ranks[above] < ranks[below]:
            drawing.arcs.append((str(above), str(below), False))
    across = layout(drawing)
    least = min(across.values())
    return [(rank, (across[str(v)] - least) / 34) for v, rank in enumerate(ranks)]


def save_graph(
    path: str | os.PathLike[str],
    at: Sequence[tuple[float, float]],
    moves: Sequence[tuple[int, int]],
    panels: Sequence[Panel],
    *,
    columns: int = 1,
) -> None:
    """Save a picture of a game graph; the ending of `path` is the format.

    Parameters
    ----------
    path : path
    at : sequence of (float, float)
        What `places` returns.
    moves : sequence of (from, to)
    panels : sequence of Panel
    columns : int
        Panels in a row.

    Raises
    ------
    MinesError
        If matplotlib is not installed, or the file cannot be written.

    Examples
    --------
    >>> panel = Panel("a game", [Look("1"), Look("0")], {(0, 1): "red"})
    >>> save_graph("game.png", places([0, 1], [(0, 1)]), [(0, 1)], [panel])  # doctest: +SKIP
    """
    head = 0.4 * max(panel.title.count("\n") for panel in panels)
    words = max(len(line) for panel in panels for line in panel.title.split("\n"))
    wide, high = max(max(x for x, _ in at) + 2.0, 0.06 * words + 0.5), max(y for _, y in at) + 2.2 + head
    rows = -(-len(panels) // columns)
    width, height = wide * min(columns, len(panels)), high * rows
    with saved_axes(path, max(2 * _UNIT * width, 2.5), max(_UNIT * height, 1.5)) as axes:
        for i, panel in enumerate(panels):
            left, top = i % columns * wide, i // columns * high
            _draw(axes, [(2 * (left + x), top + head + y) for x, y in at], moves, panel)
            axes.text(2 * left - 0.8, top - 1.05, panel.title, fontsize=8, ha="left", va="top", parse_math=False)
        axes.set(xlim=(-1.2, 2 * width - 1.4), ylim=(height - 1.2, -1.3), aspect="equal")
        axes.set_axis_off()


def _fitting(names: Sequence[str]) -> list[str]:
    """The names that are shown: of those that would look alike, what fits from where they begin to differ."""
    shown = {name: name for name in names}

    def shorten(long: Iterable[str], start: int) -> None:
        alike = defaultdict(list)
        for name in long:
            shown[name] = _part(name, start)
            alike[shown[name]].append(name)
        for group in alike.values():
            first, last = min(group), max(group)
            differ = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
            if len(group) > 1 and differ > start:
                shorten(group, differ)

    shorten([name for name in shown if len(name) > _FITTING], -1)
    return [shown[name] for name in names]


def _part(name: str, start: int) -> str:
    """What fits of a long name from a character on, or up to its end; its beginning and end from -1."""
    half = _FITTING // 2
    if start < 0:
        return f"{name[: half - 1]}…{name[-half:]}"
    if len(name) - start < _FITTING:
        return "…" + name[1 - _FITTING :]
    return f"…{name[start : start + _FITTING - 2]}…"


def _clear(start: tuple[float, float], end: tuple[float, float], others: FloatArray, bends: Sequence[float]) -> float:
    """The first of some bends with which an arrow meets no other position; that which leaves most room, if all do.

    An arrow is a parabola; its control point is beside the middle, by the bend times its length.  Each of `others` is
    the centre of a circle, or of a name, and how far arrows keep from it.  The title is above, the next panel below.
    """
    top = min(start[1], end[1], others[:, 1].min(initial=np.inf)) - _CLEAR
    bottom = max(start[1], end[1], others[:, 1].max(initial=-np.inf)) + 2 * _CLEAR
    one, other = np.array(start), np.array(end)
    along = np.linspace(0.0, 1.0, 33)[1:-1, np.newaxis]
    room = {}
    for bend in bends:
        control = (one + other) / 2 + bend * np.array([start[1] - end[1], end[0] - start[0]])
        arrow = (1 - along) ** 2 * one + 2 * along * (1 - along) * control + along**2 * other
        gaps = np.hypot(arrow[:, :1] - others[:, 0], arrow[:, 1:] - others[:, 1]) - others[:, 2]
        room[bend] = float(min(gaps.min(initial=np.inf), arrow[:, 1].min() - top, bottom - arrow[:, 1].max()))
        if room[bend] > 0:
            return bend
    return max(bends, key=room.__getitem__)


def _draw(axes: Any, at: Sequence[tuple[float, float]], moves: Sequence[tuple[int, int]], panel: Panel) -> None:
    from matplotlib.patches import Circle, FancyArrowPatch

    both = set(moves)
    around = np.array([[(x, y, _CLEAR) for x, y in at], [(x, y - _NAME, _CLEAR / 2) for x, y in at]])
    for one, other in dict.fromkeys(moves):
        colour = panel.marked.get((one, other))
        between = around[:, [i for i in range(len(at)) if i not in (one, other)]].reshape(-1, 3)
        start, end, gap = at[one], at[other], 14.0
        if one == other:  # below the position, as its name is above
            (x, y), bend, gap = at[one], -2.2, 0.0
            start, end = (x + 0.36, y + 0.05), (x + 0.05, y + 0.36)
        elif at[one][0] == at[other][0]:
            bend = 0.9 / max(abs(at[one][1] - at[other][1]), 1.0)  # around the name of the lower one
            bend = _clear(start, end, between, [bend, 1.6 * bend, -bend, -1.6 * bend])
        elif (other, one) in both:
            bend = _clear(start, end, between, [0.2, 0.35, 0.5, 0.1])  # on the other side than the move back
        else:
            bend = _clear(start, end, between, [0.0, 0.15, -0.15, 0.22, -0.22, 0.3, -0.3, 0.45, -0.45])
        axes.add_patch(
            FancyArrowPatch(
                start,
                end,
                arrowstyle="-|>",
                mutation_scale=7,
                shrinkA=gap,
                shrinkB=gap,
                zorder=1,
                color=colour or "0.7",
                linewidth=1.8 if colour else 0.8,
                connectionstyle=f"arc3,rad={bend}",
            )
        )
    middle = {"ha": "center", "va": "center", "zorder": 3, "parse_math": False}
    names = _fitting([look.name for look in panel.looks])
    for (x, y), look, name in zip(at, panel.looks, names, strict=True):
        axes.add_patch(Circle((x, y), 0.34, facecolor=look.fill, edgecolor=look.edge, linewidth=1.4, zorder=2))
        axes.text(x, y, look.text, fontsize=7, color=look.ink, **middle)
        if name:
            axes.text(x, y - _NAME, name, fontsize=5.5, color="0.3", **middle)
