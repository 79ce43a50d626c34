"""Drawings of diagrams and circuits in the DOT language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from mines_dd.circuit import Circuit
from mines_dd.diagram import Diagram
from mines_dd.drawing import Drawing, circuit_drawing, diagram_drawing, topdown_drawing

if TYPE_CHECKING:
    from mines_dd.topdown import TopDownDiagram

__all__ = ["circuit_dot", "diagram_dot", "topdown_dot"]


def diagram_dot(diagram: Diagram) -> str:
    """Return a decision diagram: 0-arcs dashed, 1-arcs solid, one rank a level (paper figures 6 to 8)."""
    drawing = diagram_drawing(diagram)
    return _digraph(drawing, [*_lines(drawing), *_ranks(drawing)])


def topdown_dot(diagram: TopDownDiagram, false_arcs: bool) -> str:
    """Return a diagram built from the top down: nodes with their φ, the items in a column, ⊥ only if wanted."""
    drawing = topdown_drawing(diagram, false_arcs)
    return _digraph(drawing, [*_lines(drawing), *_ranks(drawing)])


def circuit_dot(circuit: Circuit) -> str:
    """Return a circuit: a node is the sum of the terms under it, a filled point is a product."""
    drawing = circuit_drawing(circuit)
    return _digraph(drawing, _lines(drawing))


def _lines(drawing: Drawing) -> Iterator[str]:
    for name, node in drawing.nodes.items():
        shape = "" if node.shape == "oval" else f", shape={node.shape}"
        yield f"{name} [label={_quoted(node.label)}{shape}];"
    for above, below, dashed in drawing.arcs:
        yield f"{above} -> {below}{' [style=dashed]' if dashed else ''};"


def _ranks(drawing: Drawing) -> Iterator[str]:
    rows: dict[int, list[str]] = {}
    labels = [*drawing.ranks, ""] if drawing.ranks else []  # the last is the terminals' row, below all items
    for rank, label in enumerate(labels):
        rows[rank] = [f"level{rank}"]
        yield f"level{rank} [label={_quoted(label)}, shape=plaintext];"
    for above, below in pairwise(range(len(labels))):
        yield f"level{above} -> level{below} [style=invis, weight=99];"
    for name, node in drawing.nodes.items():
        rows.setdefault(node.rank, []).append(name)
    for _, row in sorted(rows.items()):
        yield "{rank=same; " + " ".join(f"{name};" for name in row) + "}"


def _digraph(drawing: Drawing, lines: Iterator[str] | list[str]) -> str:
    return f"digraph {drawing.title} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
