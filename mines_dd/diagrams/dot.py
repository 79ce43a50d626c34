"""Drawings in the DOT language, for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from mines_dd.diagrams.drawing import Drawing, Node

__all__ = ["to_dot"]


def to_dot(drawing: Drawing) -> str:
    """Return a drawing in the DOT language: 0-arcs dashed, 1-arcs solid (paper, figures 6 to 8), one row a rank.

    Its caption and legend are the label below.

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
    lines = [*_label(drawing), *_lines(drawing), *_ranks(drawing)]
    return f"digraph {drawing.title} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _label(drawing: Drawing) -> Iterator[str]:
    lines = [drawing.caption, *(f"{_sign(sample)}  {meaning}" for sample, meaning in drawing.legend)]
    if any(lines):
        text = " +\n    ".join(f'"{_escaped(line)}\\l"' for line in lines)  # \l ends a line that begins at the left
        yield f"label={text};"
        yield "labeljust=l;"


def _sign(sample: Node | bool) -> str:
    """How a kind of nodes, or of arcs (dashed or not), is said in a line of text."""
    if isinstance(sample, Node):
        return {"oval": f"({sample.label})", "box": f"[{sample.label}]", "point": "•"}[sample.shape]
    return "- - -" if sample else "———"


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
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
