"""The diagram that a spec is built into: layers of nodes, none of them reduced, and both kinds of ⊤."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from mines_dd.base.arrays import LongArray
from mines_dd.base.budget import Budget, memory_errors
from mines_dd.base.checks import require, require_flag, require_whole
from mines_dd.base.errors import MinesError
from mines_dd.base.wording import counted
from mines_dd.diagrams.assignments import Assignments
from mines_dd.diagrams.diagram import Diagram
from mines_dd.diagrams.drawable import Drawable
from mines_dd.diagrams.drawing import Drawing, Node, label_text
from mines_dd.frontier.builder import Layers, first_widths, search
from mines_dd.frontier.reduce import Piece, jump_bits, reduce_layers
from mines_dd.frontier.spec import End, Spec, name_of, require_spec
from mines_dd.frontier.widths import Plan, predicted

__all__ = ["TopDownDiagram", "build", "plan"]


def build(spec: Spec, budget: Budget | None = None, *, share: bool = True, prune: bool = True) -> TopDownDiagram:
    """Return the diagram of a spec, built layer by layer.

    Parameters
    ----------
    spec : Spec
    budget : Budget, optional
        Nodes are those of all layers together.
    share : bool
        Whether nodes of a layer with equal states are one.  Without it the diagram is a tree; for comparisons.
    prune : bool
        Whether arcs may end early, if the spec has a form in which they do not (`Spec.unpruned`); for comparisons.

    Raises
    ------
    BudgetExceededError
        If there are more nodes than allowed, it takes too long, or the first layers of a search say that it will need
        far more memory than there is (see `Spec.mixes`).
    MinesError
        If the spec is wrong, or leaves a state undecided after the last item.

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
    budget = Budget.of(budget)
    share = require_flag(share, "share")
    if not require_flag(prune, "prune"):
        spec = require_spec(spec).unpruned()
    layers = search(spec, share=share, budget=budget)
    return TopDownDiagram(copy(spec), layers, share, budget)  # the user's may be given another root or other tables


def plan(spec: Spec, most: int = 1_000_000, budget: Budget | None = None) -> Plan | None:
    """Return how many states a spec will have, layer by layer, without building it; None if that cannot be said.

    The first layers are made, and their numbers are exact; the others are predicted from them.

    Parameters
    ----------
    spec : Spec
    most : int
        Layers are made until they have more states than this; if they never have, nothing is predicted.
    budget : Budget, optional
        For these layers; nodes are their states.

    Raises
    ------
    BudgetExceededError
        If there are more states than allowed, or it takes too long.
    MinesError
        If the spec is wrong.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import Forests
    >>> forests = Forests(nx.grid_2d_graph(6, 6))
    >>> plan(forests)
    Plan(made=60, states=5156, widest=132)
    >>> plan(Forests(nx.grid_2d_graph(20, 20)), most=1000)  # some 10^12
    Plan(made=14, states=4533604936673, widest=6564120420)
    """
    most = require_whole(most, "the number of states to make", least=1)
    return predicted(spec, first_widths(spec, most, budget))


@dataclass(frozen=True, eq=False)
class TopDownDiagram(Drawable):
    """What the builder makes: layers of nodes, none of them reduced yet.

    An arc from layer i ends in a node of layer i + 1 or in a terminal; ⊤ says of the items i + 1, ... that they are
    free or absent.  Where the spec says so an arc skips layers: their items are absent.  Nodes are numbered layer by
    layer from 0, and terminal `end` is -1 - `end`.

    Attributes
    ----------
    spec : Spec
        A copy, so that what is assigned to the spec later changes nothing here.  Its arrays and what `child` refers to
        are not copied: while the diagram is used they have to stay as they are.
    layers : Layers
    share : bool
        Whether equal states are one node.
    budget : Budget
        That of `build`.  The reduction has it too, with its seconds counted anew.
    """

    spec: Spec
    layers: Layers
    share: bool
    budget: Budget

    @property
    def node_count(self) -> int:
        """The number of nodes that decide an item; terminals are not counted."""
        return int(self.layers.widths.sum())

    def __repr__(self) -> str:
        """Its sizes."""
        return f"<TopDownDiagram: {counted(len(self.spec.items), 'item')}, {counted(self.node_count, 'node')}>"

    @property
    def layer_sizes(self) -> list[int]:
        """The number of nodes that decide each item."""
        sizes: list[int] = self.layers.widths.tolist()
        return sizes

    @property
    def root(self) -> int:
        """Node 0, or a terminal if everything was decided before the first item."""
        return self.layers.root

    @cached_property
    def start(self) -> list[int]:
        """Layer i holds the nodes `start[i]` to `start[i + 1]`."""
        return [0, *np.cumsum(self.layers.widths).tolist()]

    @cached_property
    def arcs(self) -> LongArray:
        """For each node where its 0-arc and its 1-arc end, (nodes, 2): a node, or a terminal, which is negative."""
        parts = [piece.arcs for piece in self._pieces()]
        arcs = np.concatenate([np.zeros((0, 2), np.int32), *parts]).astype(np.int64)
        level = np.repeat(np.arange(len(self.layers.widths)), self.layers.widths)[:, None]
        place = arcs >> jump_bits(self.layers.skips)
        skipped = arcs - (place << jump_bits(self.layers.skips))
        start = np.array(self.start)
        return np.where(arcs >= 0, place + start[np.where(arcs >= 0, level + 1 + skipped, 0)], arcs)

    @cached_property
    def ends(self) -> Counter[End]:
        """How many arcs end in each terminal."""
        return Counter({end: sum(int((p.arcs == -1 - end).sum()) for p in self._pieces()) for end in End})

    def states(self) -> Iterator[list[tuple[int, ...]]]:
        """Yield for each layer the states of its nodes, recomputed from the root."""
        if isinstance(self.spec.root, End):
            return
        known = {0: self.spec.root}
        for level, (begin, end) in enumerate(pairwise(self.start)):
            here = [known.pop(node) for node in range(begin, end)]
            yield here
            for state, arcs in zip(here, self.arcs[begin:end].tolist(), strict=True):
                for taken, node in enumerate(arcs):
                    if node >= 0 and node not in known:
                        child = self.spec.step(state, level, bool(taken))
                        if isinstance(child, End):
                            raise _changed(self.spec)
                        known[node] = child

    def _pieces(self) -> list[Piece]:
        """All arcs, searched again if the reduction has used them up; in a list that no other thread has."""
        pieces = list(self.layers.pieces)
        if not pieces and self.node_count:
            again = search(self.spec, share=self.share, budget=self.budget.renewed())
            if not np.array_equal(again.widths, self.layers.widths):
                raise _changed(self.spec)
            pieces = again.pieces
            self.layers.pieces[:] = pieces
        return pieces

    @memory_errors()
    def reduced(self, budget: Budget | None = None) -> Diagram:
        """Return the canonical ZDD of the same family: both rules of reduction, from the last layer to the first.

        The arcs are given up on the way, so that both diagrams together take little more memory than one.  Whoever
        asks for `arcs` or a drawing later has them searched again.

        Parameters
        ----------
        budget : Budget, optional
            By default that of `build`, with its seconds counted anew.

        Raises
        ------
        BudgetExceededError
            If there are more nodes than allowed, or it takes too long.
        """
        if self._zdd:
            return self._zdd[0]
        layers, pieces = self.layers, self._pieces()
        limits = self.budget.renewed() if budget is None else Budget.of(budget)
        layers.pieces.clear()
        found, _ = reduce_layers(self.spec.items, pieces, layers.root, layers.first_free, limits, layers.skips)
        self._zdd.append(found)
        return found

    @cached_property
    def _zdd(self) -> list[Diagram]:
        """The reduced diagram, once it was asked for."""
        return []

    @memory_errors()
    def to_assignments(self, budget: Budget | None = None) -> Assignments:
        """Return the family of sets of items, for counts, samples, cheapest sets and all other queries.

        Its `node_count` is that of the reduced diagram; `details["nodes"]` is that of this one.  The budget, and the
        error, are as for `reduced`.
        """
        budget = self.budget.renewed() if budget is None else Budget.of(budget)
        diagram = self.reduced(budget)
        circuit = diagram.to_circuit(self.spec.items, range(len(self.spec.items)), budget)
        return Assignments(circuit, "top-down", diagram.node_count, {"nodes": self.node_count}, diagram)

    @property
    def drawn_size(self) -> int:
        """The number of nodes and items."""
        return self.node_count + len(self.spec.items)

    def drawing(self, false_arcs: bool = False, title: str = "") -> Drawing:
        """Return it as it was built: every node with its state, the items at the left, both kinds of ⊤; ⊥ if wanted."""
        false_arcs = require_flag(false_arcs, "false_arcs")
        title = require(title, str, "the title of the drawing, a text,")
        drawing = Drawing("topdown", ranks=[label_text(item) for item in self.spec.items])
        node = 0
        for rank, states in enumerate(self.states() if self.node_count else ()):
            for state in states:
                drawing.nodes[_name(node)] = Node(label_text(self.spec.show(state, rank)), "oval", rank)
                low, high = self.arcs[node].tolist()
                drawing.arcs += [(_name(node), _name(low), True), (_name(node), _name(high), False)]
                node += 1
        for terminal, arcs in self.ends.items():
            if self.root == -1 - terminal or (arcs and (terminal != End.DEAD or false_arcs)):
                drawing.nodes[_name(-1 - terminal)] = Node(terminal.sign, "box", len(self.spec.items))
        shown = [arc for arc in drawing.arcs if arc[1] in drawing.nodes]
        hidden = ", without the arcs to ⊥" * (len(shown) < len(drawing.arcs))
        drawing.arcs = shown
        drawing.caption = f"{title or 'Top-down diagram'}: {counted(self.node_count, 'node')}{hidden}"
        if self.node_count:
            drawing.legend.append((Node("φ", "oval", 0), "a node and its state"))
        drawing.explain(
            {
                "⊤ ZDD": "a solution, no further item is in",
                "⊤ BDD": "solutions, further items are free",
                "⊥": "no solution",
            },
        )
        return drawing


def _changed(spec: Spec) -> MinesError:
    return MinesError(f"what {name_of(spec)}.child looks up has changed since the diagram was built; build it again")


def _name(node: int) -> str:
    """The name in a drawing: terminals 0, 1 and 2, nodes from 3 on."""
    return str(node + len(End) if node >= 0 else -1 - node)
