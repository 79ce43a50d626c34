"""What is drawn of diagrams and circuits: nodes in ranks and arcs between them, for `dot` and `svg` alike."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from mines_dd.circuit import FALSE, TRUE, Circuit
from mines_dd.diagram import Diagram

if TYPE_CHECKING:  # it ends in assignments, and these are drawn
    from mines_dd.topdown import TopDownDiagram

__all__ = ["Drawing", "Node", "circuit_drawing", "diagram_drawing", "label_text", "topdown_drawing"]

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


def label_text(label: Hashable) -> str:
    """Return a short name of a cell, hint or edge: `r,c` for a position."""
    if isinstance(label, tuple):
        parts = [label_text(part) for part in label]
        return ",".join(parts) if all(isinstance(part, int) for part in label) else " - ".join(parts)
    return str(label)


def diagram_drawing(diagram: Diagram) -> Drawing:
    """Return a decision diagram: 0-arcs dashed, 1-arcs solid, one rank a level (paper figures 6 to 8)."""
    level, low, high = (array.tolist() for array in (diagram.level, diagram.low, diagram.high))
    drawing = Drawing(diagram.kind)
    ranks = {used: rank for rank, used in enumerate(sorted(set(level[2:])))}
    for i in range(len(level) - 1, 1, -1):
        drawing.nodes[str(i)] = Node(label_text(diagram.items[level[i]]), "oval", ranks[level[i]])
        drawing.arcs += [(str(i), str(low[i]), True), (str(i), str(high[i]), False)]
    for terminal in sorted({FALSE, TRUE} & {diagram.root, *low[2:], *high[2:]}):
        drawing.nodes[str(terminal)] = Node(str(terminal), "box", len(ranks))
    passed = "not in" if diagram.kind == "zdd" else "free"
    drawing.caption = f"{diagram.kind.upper()}, {_nodes(diagram.node_count)}; items that an arc passes are {passed}"
    _explain(drawing, {"1": "a solution", "0": "no solution"})
    return drawing


def topdown_drawing(diagram: TopDownDiagram, false_arcs: bool, title: str = "") -> Drawing:
    """Return a diagram as it was built: every node with its φ, the items at the left, both kinds of ⊤; ⊥ if wanted."""
    drawing = Drawing("topdown", ranks=[label_text(item) for item in diagram.items])
    configurations, low, high = iter(diagram.configurations), iter(diagram.low), iter(diagram.high)
    for rank, (begin, end) in enumerate(pairwise(diagram.start)):
        for node in range(begin, end):
            drawing.nodes[str(node)] = Node(label_text(next(configurations)), "oval", rank)
            drawing.arcs += [(str(node), str(next(low)), True), (str(node), str(next(high)), False)]
    for terminal, arcs in diagram.ends.items():
        if terminal == diagram.root or (arcs and (terminal != FALSE or false_arcs)):
            drawing.nodes[str(terminal)] = Node(terminal.sign, "box", len(diagram.items))
    shown = [arc for arc in drawing.arcs if arc[1] in drawing.nodes]
    hidden = ", without the arcs to ⊥" * (len(shown) < len(drawing.arcs))
    drawing.arcs = shown
    drawing.caption = f"{title or 'Top-down diagram'}: {_nodes(diagram.node_count)}{hidden}"
    if diagram.node_count:
        drawing.legend.append((Node("φ", "oval", 0), "a node and its configuration"))
    _explain(
        drawing,
        {
            "⊤ ZDD": "a solution, no further item is in",
            "⊤ BDD": "solutions, further items are free",
            "⊥": "no solution",
        },
    )
    return drawing


def circuit_drawing(circuit: Circuit) -> Drawing:
    """Return a circuit: a node `+` is the sum of the terms under it, a point is a product, a box takes mines."""
    start, left, right, leaf = circuit.terms
    drawing = Drawing("circuit")
    if circuit.root in (FALSE, TRUE):
        drawing.nodes[str(circuit.root)] = Node(str(circuit.root), "box", 0)
        return drawing
    rank = {circuit.root: 0}
    for node in range(circuit.root, TRUE, -1):  # children come before parents: each rank is known when it is used
        if node not in rank:
            continue
        drawing.nodes[str(node)] = Node("+", "oval", rank[node])
        for t in range(start[node], start[node + 1]):
            drawing.nodes[f"t{t}"] = Node("", "point", rank[node] + 1)
            drawing.arcs.append((str(node), f"t{t}", False))
            for child in {left[t], right[t]} - {TRUE}:
                rank[child] = max(rank.get(child, 0), rank[node] + 2)
                drawing.arcs.append((f"t{t}", str(child), False))
            if leaf[t]:
                group, taken = circuit.leaves[leaf[t]]
                cells = " ".join(label_text(circuit.cells[cell]) for cell in circuit.groups[group])
                drawing.nodes[f"l{t}"] = Node(f"{taken} of {cells}", "box", rank[node] + 2)
                drawing.arcs.append((f"t{t}", f"l{t}", False))
    sums = sum(node.shape == "oval" for node in drawing.nodes.values())
    drawing.caption = f"Circuit, {_nodes(sums)}"
    drawing.legend = [
        (Node("+", "oval", 0), "a node: one of its terms"),
        (Node("", "point", 0), "a term: all that is below"),
        (Node("2 of a b", "box", 0), "so many mines on these cells"),
    ]
    return drawing


def _nodes(number: int) -> str:
    return f"{number:,} node{'s' * (number != 1)}"


def _explain(drawing: Drawing, terminals: Mapping[str, str]) -> None:
    """Put the arcs, if there are any, and those terminals that are drawn into the legend."""
    drawn = {node.label: node for node in drawing.nodes.values() if node.shape == "box"}
    drawing.legend += [*_ARCS] * bool(drawing.arcs)
    drawing.legend += [(drawn[label], meaning) for label, meaning in terminals.items() if label in drawn]
