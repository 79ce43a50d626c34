"""Drawings of diagrams and circuits in the DOT language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from mines_dd.circuit import Circuit
from mines_dd.diagram import Diagram
from mines_dd.drawing import Drawing, circuit_drawing, diagram_drawing, label_text

__all__ = ["circuit_dot", "diagram_dot", "label_text"]


def diagram_dot(diagram: Diagram) -> str:
    """Return a decision diagram: 0-arcs dashed, 1-arcs solid, one rank a level (paper figures 6 to 8)."""
    drawing = diagram_drawing(diagram)
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
    def rank(name: str) -> int:
        return drawing.nodes[name].rank

    for _, same in groupby(sorted(drawing.nodes, key=rank), key=rank):
        yield "{rank=same; " + " ".join(f"{name};" for name in same) + "}"


def _digraph(drawing: Drawing, lines: Iterator[str] | list[str]) -> str:
    return f"digraph {drawing.title} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
