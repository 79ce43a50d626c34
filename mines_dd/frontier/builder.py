"""Decision diagrams built from the top down: configuration, sharing, F-pruning and T-pruning.

A *problem* asks for some of the subsets of its items.  It decides them one after the other and remembers of the
decisions made so far only a *configuration* φ: as much as it takes to tell which continuations are solutions.  The
builder makes one layer of nodes an item and knows nothing of what a configuration means.  Nodes of a layer with equal
configurations are *shared*.  An arc ends early where the problem says so: *F-pruning* where no continuation is a
solution, *T-pruning* where it is known which are, either all (⊤ read as in a BDD: every item to come is free) or the
one that takes nothing (⊤ read as in a ZDD: no item to come is in).  The result mixes both readings.

A new problem is a short class: see `Knapsack`, `DegreeConstrained` and `Paths`.  For large degree-constrained problems
there is a compiled kernel, `mines_dd.compilers.dc`; this is the general method, in plain Python.

References
----------
決定図を用いたマインスイーパー攻略 (Minesweeper by decision diagrams), Qiita, 16 May 2024.
D. E. Knuth, "The Art of Computer Programming", volume 4A, section 7.1.4, exercise 225 (Simpath).
H. Iwashita, S. Minato, "Efficient top-down ZDD construction techniques using recursive specifications", TCS-TR-A-13-69,
Hokkaido University, 2013.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from mines_dd.base.budget import Budget
from mines_dd.base.errors import MinesError
from mines_dd.diagrams.assignments import Assignments
from mines_dd.diagrams.diagram import Diagram
from mines_dd.diagrams.drawable import Drawable
from mines_dd.diagrams.drawing import Drawing, Node, counted, label_text
from mines_dd.frontier.reduce import Piece, reduce_layers
from mines_dd.frontier.spec import End, Problem

__all__ = ["TopDownDiagram", "build"]

C = TypeVar("C", bound=Hashable)


@dataclass(frozen=True, eq=False)
class TopDownDiagram(Drawable):
    """What the builder makes: layers of nodes, none of them reduced yet.

    An arc from layer i ends in a node of layer i + 1 or in a terminal; ⊤ says of the items i + 1, ... that they are
    free or absent.

    Attributes
    ----------
    items : sequence of labels
    start : list of int
        Layer i holds the nodes `start[i]` to `start[i + 1]`.  Numbers below `len(End)` are the terminals.
    low, high : list of int
        Where the 0-arc and the 1-arc of node `len(End) + k` end, at place k.
    configurations : list
        φ of node `len(End) + k`, at place k.
    root : int
        A node, or a terminal if the problem was decided before its first item.
    """

    items: Sequence[Hashable]
    start: list[int]
    low: list[int]
    high: list[int]
    configurations: list[Any]
    root: int

    @property
    def node_count(self) -> int:
        """The number of nodes that decide an item; terminals are not counted."""
        return len(self.low)

    def __repr__(self) -> str:
        """Its sizes."""
        return f"<TopDownDiagram: {len(self.items)} items, {self.node_count} nodes>"

    @property
    def layer_sizes(self) -> list[int]:
        """The number of nodes that decide each item."""
        return [end - begin for begin, end in zip(self.start, self.start[1:], strict=False)]

    @cached_property
    def ends(self) -> Counter[End]:
        """How many arcs end in each terminal."""
        arcs = Counter([*self.low, *self.high])
        return Counter({end: arcs[end] for end in End})

    def reduced(self) -> Diagram:
        """Return the canonical ZDD of the same family: both rules of reduction, from the last layer to the first."""
        n = len(self.items)
        pieces, first_free = [], 0 if self.root == End.T_BDD else n + 1
        for level, (begin, end) in enumerate(pairwise(self.start)):
            arcs = np.array([self.low[begin - 3 : end - 3], self.high[begin - 3 : end - 3]], np.int32).T
            if (arcs == End.T_BDD).any():
                first_free = min(first_free, level + 1)
            arcs = np.where(arcs < len(End), -1 - arcs, arcs - end)
            pieces.append(Piece(level, np.array([end - begin], np.int32), arcs.astype(np.int32)))
        root = -1 - self.root if self.root < len(End) else 0
        return reduce_layers(self.items, pieces, root, first_free, Budget())[0]

    def to_assignments(self) -> Assignments:
        """Return the family of sets of items, for counts, samples, cheapest sets and all other queries.

        Its `node_count` is that of the reduced diagram; `details["nodes"]` is that of this one.
        """
        diagram = self.reduced()
        circuit = diagram.to_circuit(self.items, range(len(self.items)))
        return Assignments(circuit, "top-down", diagram.node_count, {"nodes": self.node_count}, diagram)

    @property
    def drawn_size(self) -> int:
        """The number of nodes and items."""
        return self.node_count + len(self.items)

    def drawing(self, false_arcs: bool = False, title: str = "") -> Drawing:
        """Return a self as it was built: every node with its φ, the items at the left, both kinds of ⊤; ⊥ if wanted."""
        drawing = Drawing("topdown", ranks=[label_text(item) for item in self.items])
        configurations, low, high = iter(self.configurations), iter(self.low), iter(self.high)
        for rank, (begin, end) in enumerate(pairwise(self.start)):
            for node in range(begin, end):
                drawing.nodes[str(node)] = Node(label_text(next(configurations)), "oval", rank)
                drawing.arcs += [(str(node), str(next(low)), True), (str(node), str(next(high)), False)]
        for terminal, arcs in self.ends.items():
            if terminal == self.root or (arcs and (terminal != End.F or false_arcs)):
                drawing.nodes[str(terminal)] = Node(terminal.sign, "box", len(self.items))
        shown = [arc for arc in drawing.arcs if arc[1] in drawing.nodes]
        hidden = ", without the arcs to ⊥" * (len(shown) < len(drawing.arcs))
        drawing.arcs = shown
        drawing.caption = f"{title or 'Top-down self'}: {counted(self.node_count)}{hidden}"
        if self.node_count:
            drawing.legend.append((Node("φ", "oval", 0), "a node and its configuration"))
        drawing.explain(
            {
                "⊤ ZDD": "a solution, no further item is in",
                "⊤ BDD": "solutions, further items are free",
                "⊥": "no solution",
            },
        )
        return drawing


def build(
    problem: Problem[C], *, share: bool = True, prune: bool = True, budget: Budget | None = None
) -> TopDownDiagram:
    """Return the diagram of a problem, built layer by layer.

    Parameters
    ----------
    problem : Problem
    share : bool
        Whether nodes of a layer with equal configurations are one.  Without it the diagram is a tree.
    prune : bool
        Whether arcs may end before the last item is decided.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If there are more nodes than allowed, or it takes too long.
    MinesError
        If the problem leaves a configuration undecided after the last item.

    Examples
    --------
    Five snacks of 100 yen each, for at most 300 yen: 6 nodes, where a binary tree has 31.

    >>> from mines_dd.frontier import Knapsack
    >>> snacks = Knapsack(dict.fromkeys("abcde", 100), 300)
    >>> diagram = build(snacks)
    >>> diagram.node_count, build(snacks, share=False, prune=False).node_count
    (6, 31)
    >>> diagram.to_assignments().count()
    26
    """
    budget = budget or Budget()
    n = len(problem.items)
    configurations: list[C] = []
    low: list[int] = []
    high: list[int] = []
    known: dict[C, int] = {}  # the nodes of the layer that is being made

    def end_of_arc(configuration: C, level: int) -> int:
        if prune or level == n:
            end = problem.prune(configuration, level)
            if end is not None:
                return end
            if level == n:
                raise MinesError(f"the problem does not say where {configuration!r} ends after the last item")
        node = known.get(configuration) if share else None
        if node is None:
            node = len(End) + len(configurations)
            configurations.append(configuration)
            if share:
                known[configuration] = node
        return node

    root = end_of_arc(problem.root, 0)
    start = [len(End)]
    for level in range(n):
        begin, end = len(low), len(configurations)
        known.clear()
        for configuration in configurations[begin:end]:
            low.append(end_of_arc(problem.child(configuration, level, False), level + 1))
            high.append(end_of_arc(problem.child(configuration, level, True), level + 1))
            budget.check(len(configurations))
        start.append(len(End) + end)
    return TopDownDiagram(problem.items, start, low, high, configurations, int(root))
