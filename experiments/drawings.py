"""Drawings of diagrams with matplotlib, for pictures of several panels; `mines_dd.diagrams.svg` lays them out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from experiments.shared import GREY, VERMILION
from mines_dd.diagrams.drawing import Drawing
from mines_dd.diagrams.svg import layout

__all__ = ["draw"]

_RANK = 46.0  # the distance of two ranks, in the units of `layout`
_NEAR = 15.0  # an arc that passes so near to a node is bent


def draw(
    axes: Any, drawing: Drawing, *, up_to: int | None = None, marked: Collection[str] = (), size: float = 8
) -> None:
    """Draw a drawing: 0-arcs dashed, 1-arcs solid.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    drawing : Drawing
    up_to : int, optional
        The last rank to draw; the room of the ranks below stays empty.
    marked : collection of str
        The names of nodes to be coloured.
    size : float
        The size of the texts, in points.
    """
    place = {name: (x, -_RANK * drawing.nodes[name].rank) for name, x in layout(drawing).items()}
    last = max(node.rank for node in drawing.nodes.values())
    shown = {name for name, node in drawing.nodes.items() if up_to is None or node.rank <= up_to}
    both = {(a, b) for a, b, dashed in drawing.arcs if dashed} & {(a, b) for a, b, dashed in drawing.arcs if not dashed}
    for above, below, dashed in drawing.arcs:
        if above in shown and below in shown:
            bend = (0.15 if dashed else -0.15) * ((above, below) in both) or _around(place, above, below)
            arrow = {"arrowstyle": "-|>", "ls": "--" if dashed else "-", "shrinkA": size, "shrinkB": size, "lw": 0.9}
            arrow |= {"color": "#333333", "connectionstyle": f"arc3,rad={bend}"}
            axes.annotate("", place[below], place[above], arrowprops=arrow)
    for name in shown:
        node = drawing.nodes[name]
        style = "square,pad=0.35" if node.shape == "box" else "round,pad=0.35,rounding_size=0.8"
        paper = "#f6c9ae" if name in marked else "#e8e8e8" if node.shape == "box" else "white"
        box = {"boxstyle": style, "fc": paper, "ec": VERMILION if name in marked else "#333333", "lw": 0.9}
        axes.text(*place[name], node.label or " ", ha="center", va="center", fontsize=size, bbox=box)
    left, right = min(x for x, _ in place.values()), max(x for x, _ in place.values())
    for rank, label in enumerate(drawing.ranks):
        if up_to is None or rank <= up_to:
            axes.text(left - 24, -_RANK * rank, label, ha="right", va="center", fontsize=size, color=GREY)
    axes.set(xlim=(left - 24 - 22 * bool(drawing.ranks), right + 24), ylim=(-_RANK * (last + 0.45), 0.45 * _RANK))
    axes.set_axis_off()


def _around(place: Mapping[str, tuple[float, float]], above: str, below: str) -> float:
    """How far to bend an arc so that it passes the nodes that lie on the straight line: positive is to the left."""
    (x, top), (end, bottom) = place[above], place[below]
    for middle, y in place.values():
        line = x + (end - x) * (top - y) / (top - bottom)
        if bottom < y < top and abs(middle - line) < _NEAR:
            return -0.3 if middle <= line + 1 else 0.3
    return 0.0
