"""Drawings in the DOT language, for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from mines_dd.diagrams.drawing import Drawing

__all__ = ["to_dot"]


def to_dot(drawing: Drawing) -> str:
    """Return a drawing in the DOT language: 0-arcs dashed, 1-arcs solid (paper, figures 6 to 8), one row a rank.

    Examples
    --------
    >>> from mines_dd.diagrams.drawing import Node
    >>> nodes = {"2": Node("a", "oval", 0), "1": Node("1", "box", 1)}
    >>> print(to_dot(Drawing("zdd", nodes, [("2", "1", False)])), end="")
    digraph zdd {
      2 [label="a"];
      1 [label="1", shape=box];
      2 -> 1;
      {rank=same; 2;}
      {rank=same; 1;}
    }
    """
    lines = [*_lines(drawing), *_ranks(drawing)]
    return f"digraph {drawing.title} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _lines(drawing: Drawing) -> Iterator[str]:
    for name, node in drawing.nodes.items():
        shape = "" if node.shape == "oval" else f", shape={node.shape}"
        yield f"{name} [label={_quoted(node.label)}{shape}];"
    for above, below, dashed in drawing.arcs:
        yield f"{above} -> {below}{' [style=dashed]' if dashed else ''};"


def _ranks(drawing: Drawing) -> Iterator[str]:
    rows: dict[int, list[str]] = {}
    labels = [*drawing.ranks, ""] if drawing.ranks else []  # the last row is that of the terminals
    for rank, label in enumerate(labels):
        rows[rank] = [f"level{rank}"]
        yield f"level{rank} [label={_quoted(label)}, shape=plaintext];"
    for above, below in pairwise(range(len(labels))):
        yield f"level{above} -> level{below} [style=invis, weight=99];"
    for name, node in drawing.nodes.items():
        rows.setdefault(node.rank, []).append(name)
    for _, row in sorted(rows.items()):
        yield "{rank=same; " + " ".join(f"{name};" for name in row) + "}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
