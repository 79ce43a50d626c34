"""Drawings: nodes in ranks and the arcs between them, as plain data that `dot` writes and `svg` lays out.

Everything that can be drawn builds its own `Drawing`; see `drawable`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Literal

__all__ = ["Drawing", "Node", "label_text"]

_ARCS: tuple[tuple[bool, str], ...] = ((False, "1-arc: the item is in"), (True, "0-arc: it is not in"))


@dataclass(frozen=True)
class Node:
    """A node of a drawing: its text, its shape, and its rank (0 is the top)."""

    label: str
    shape: Literal["oval", "box", "point"]
    rank: int


@dataclass
class Drawing:
    """A layered drawing.

    Attributes
    ----------
    title : str
    nodes : dict
        Name -> `Node`.
    arcs : list of (from, to, dashed)
        Names of two nodes, of which the second has the greater rank, and whether the arc is dashed.
    ranks : list of str
        Texts at the left of the ranks, from the top; may be empty.
    caption : str
        What is drawn.
    legend : list of (sign, meaning)
        The sign is a node that stands for all that look like it, True for dashed arcs, or False for solid ones.

    Examples
    --------
    >>> drawing = Drawing("zdd", {"2": Node("a", "oval", 0), "1": Node("1", "box", 1)}, [("2", "1", False)])
    >>> drawing.explain({"1": "a solution"})
    >>> [meaning for _, meaning in drawing.legend]
    ['1-arc: the item is in', '0-arc: it is not in', 'a solution']
    """

    title: str
    nodes: dict[str, Node] = field(default_factory=dict)
    arcs: list[tuple[str, str, bool]] = field(default_factory=list)
    ranks: list[str] = field(default_factory=list)
    caption: str = ""
    legend: list[tuple[Node | bool, str]] = field(default_factory=list)

    def explain(self, terminals: Mapping[str, str]) -> None:
        """Add to the legend the two kinds of arcs, if there are arcs, and the terminals that are drawn."""
        drawn = {node.label: node for node in self.nodes.values() if node.shape == "box"}
        self.legend += [*_ARCS] * bool(self.arcs)
        self.legend += [(drawn[label], meaning) for label, meaning in terminals.items() if label in drawn]


def label_text(label: Hashable) -> str:
    """Return a short text for a cell, hint or edge; a position is `r,c`.

    Examples
    --------
    >>> label_text((0, 1)), label_text(((0, 1), (1, 1))), label_text("gum")
    ('0,1', '0,1 - 1,1', 'gum')
    """
    if isinstance(label, tuple):
        parts = [label_text(part) for part in label]
        return ",".join(parts) if all(isinstance(part, Integral) for part in label) else " - ".join(parts)
    return str(label)
