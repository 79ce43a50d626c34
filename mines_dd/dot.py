"""Drawings of diagrams and circuits in the DOT language."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import groupby

from mines_dd.circuit import FALSE, TRUE, Circuit
from mines_dd.diagram import Diagram

__all__ = ["circuit_dot", "diagram_dot", "label_text"]


def label_text(label: Hashable) -> str:
    """Return a short name of a cell, hint or edge: `r,c` for a position."""
    if isinstance(label, tuple):
        parts = [label_text(part) for part in label]
        return ",".join(parts) if all(isinstance(part, int) for part in label) else " - ".join(parts)
    return str(label)


def diagram_dot(diagram: Diagram) -> str:
    """Return a decision diagram: 0-arcs dashed, 1-arcs solid, one rank a level (paper figures 6 to 8)."""
    level, low, high = (array.tolist() for array in (diagram.level, diagram.low, diagram.high))
    nodes = range(2, len(level))
    lines = [f"{i} [label={_quoted(label_text(diagram.items[level[i]]))}];" for i in nodes]
    for _, same in groupby(sorted(nodes, key=level.__getitem__), key=level.__getitem__):
        lines.append("{rank=same; " + " ".join(f"{i};" for i in same) + "}")
    for i in nodes:
        lines += [f"{i} -> {low[i]} [style=dashed];", f"{i} -> {high[i]};"]
    shown = {0, 1} & {diagram.root, *low[2:], *high[2:]}
    lines += [f'{i} [label="{i}", shape=box];' for i in sorted(shown)]
    return _digraph(diagram.kind, lines)


def circuit_dot(circuit: Circuit) -> str:
    """Return a circuit: a node is the sum of the terms under it, a filled point is a product."""
    start, left, right, leaf = circuit.terms
    lines = [f'{i} [label="+"];' for i in range(2, len(start) - 1)]
    for node in range(2, len(start) - 1):
        for t in range(start[node], start[node + 1]):
            lines += [f"t{t} [shape=point];", f"{node} -> t{t};"]
            lines += [f"t{t} -> {child};" for child in {left[t], right[t]} if child != TRUE]
            if leaf[t]:
                group, taken = circuit.leaves[leaf[t]]
                cells = " ".join(label_text(circuit.cells[cell]) for cell in circuit.groups[group])
                lines += [f"l{t} [shape=box, label={_quoted(f'{taken} of {cells}')}];", f"t{t} -> l{t};"]
    if circuit.root in (FALSE, TRUE):
        lines.append(f'{circuit.root} [label="{circuit.root}", shape=box];')
    return _digraph("circuit", lines)


def _digraph(name: str, lines: Iterable[str]) -> str:
    return f"digraph {name} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
