"""Drawings: nodes in ranks and arcs between them, plain data that `dot` and `svg` write and lay out.

Whatever can be drawn builds its own `Drawing`; see `Drawable`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Drawing", "Node", "counted", "label_text"]

_ARCS: tuple[tuple[bool, str], ...] = ((False, "1-arc: the item is in"), (True, "0-arc: it is not in"))


@dataclass(frozen=True)
class Node:
    """A node of a drawing: its text, its form, and how far down it stands (0 at the top)."""

    label: str
    shape: Literal["oval", "box", "point"]
    rank: int


@dataclass
class Drawing:
    """Nodes by name, and arcs (from, to, dashed), each to a node of a greater rank.

    `ranks` are texts at the left of the ranks, from the top; there may be none.  `caption` says what is drawn, and
    `legend` what its signs mean: a node stands for all that look like it, True for dashed arcs, False for solid ones.
    """

    title: str
    nodes: dict[str, Node] = field(default_factory=dict)
    arcs: list[tuple[str, str, bool]] = field(default_factory=list)
    ranks: list[str] = field(default_factory=list)
    caption: str = ""
    legend: list[tuple[Node | bool, str]] = field(default_factory=list)

    def explain(self, terminals: Mapping[str, str]) -> None:
        """Put the arcs, if there are any, and those terminals that are drawn into the legend."""
        drawn = {node.label: node for node in self.nodes.values() if node.shape == "box"}
        self.legend += [*_ARCS] * bool(self.arcs)
        self.legend += [(drawn[label], meaning) for label, meaning in terminals.items() if label in drawn]


def label_text(label: Hashable) -> str:
    """Return a short name of a cell, hint or edge: `r,c` for a position.

    Examples
    --------
    >>> label_text((0, 1)), label_text(((0, 1), (1, 1))), label_text("gum")
    ('0,1', '0,1 - 1,1', 'gum')
    """
    if isinstance(label, tuple):
        parts = [label_text(part) for part in label]
        return ",".join(parts) if all(isinstance(part, int) for part in label) else " - ".join(parts)
    return str(label)


def counted(nodes: int) -> str:
    """Return a number of nodes in words.

    Examples
    --------
    >>> counted(1), counted(1234)
    ('1 node', '1,234 nodes')
    """
    return f"{nodes:,} node{'s' * (nodes != 1)}"
