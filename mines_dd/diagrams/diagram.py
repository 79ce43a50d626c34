r"""A reduced decision diagram as arrays: what the three methods of the paper produce (§3.1, §3.2).

A `Diagram` is immutable and does not depend on the method that built it; `to_circuit` turns it into a circuit.  For two
hints of 1 on the board a1b1c, the assignments are {b} and {a, c} (arcs to the 0-terminal are left out):

    ZDD    a           level 0       BDD    a
         0/ \1                            0/ \1
         b   |         level 1            b   b
        1|   c         level 2           1|   |0
         |   |1                           c   c
         ⊤   ⊤                           0|   |1
                                          ⊤   ⊤

An arc that passes a level of a ZDD leaves its item out; so the arc from a to c says that b is safe.  An arc that passes
a level of a BDD leaves its item free; so the BDD needs a node to say the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import IntArray
from mines_dd.base.budget import Budget
from mines_dd.base.wording import counted
from mines_dd.diagrams.circuit import FALSE, TRUE, Circuit
from mines_dd.diagrams.drawable import Drawable
from mines_dd.diagrams.drawing import Drawing, Node, label_text

__all__ = ["Diagram"]


_NAMED = 5  # decided labels that a drawing names


@dataclass(frozen=True, eq=False)
class Diagram(Drawable):
    """A reduced BDD or ZDD.

    Attributes
    ----------
    kind : "bdd" or "zdd"
        The meaning of an arc that passes a level: in a BDD the item is free, in a ZDD it is not in the set.
    items : sequence of labels
        The decision variables in their order; level i decides item i.
    level, low, high : int32 arrays
        Of each node.  Node 0 is the 0-terminal and node 1 the 1-terminal, both at level `len(items)`; children come
        before parents.
    root : int
    decided : (sequence of labels, sequence of labels)
        What is in every set of the family, and what is in none, where that is no item: it was decided before.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> [solve(Board.parse("#1#1#"), method).diagram for method in ("zdd", "bdd")]
    [<Diagram: zdd, 3 items, 3 nodes>, <Diagram: bdd, 3 items, 5 nodes>]
    """

    kind: Literal["bdd", "zdd"]
    items: Sequence[Hashable]
    level: IntArray
    low: IntArray
    high: IntArray
    root: int
    decided: tuple[Sequence[Hashable], Sequence[Hashable]] = ((), ())

    @classmethod
    def build(
        cls,
        kind: Literal["bdd", "zdd"],
        items: Sequence[Hashable],
        level: Sequence[int],
        low: Sequence[int],
        high: Sequence[int],
        root: int,
    ) -> Diagram:
        """Make a diagram from lists.

        Examples
        --------
        >>> diagram = Diagram.build("zdd", "ab", level=[2, 2, 1, 0], low=[0, 1, 0, 2], high=[0, 1, 1, 1], root=3)
        >>> diagram.node_count
        2
        """
        return cls(kind, items, np.array(level, np.int32), np.array(low, np.int32), np.array(high, np.int32), root)

    @property
    def node_count(self) -> int:
        """The number of nodes that decide an item (terminals are not counted)."""
        return len(self.level) - 2

    def __repr__(self) -> str:
        """Kind and size."""
        return f"<Diagram: {self.kind}, {counted(len(self.items), 'item')}, {counted(self.node_count, 'node')}>"

    @property
    def drawn_size(self) -> int:
        """The number of nodes."""
        return self.node_count

    def drawing(self) -> Drawing:
        """Return its drawing, one rank a level: 0-arcs are dashed, 1-arcs solid (paper, figures 6 to 8).

        Examples
        --------
        >>> diagram = Diagram.build("zdd", "ab", level=[2, 2, 1, 0], low=[0, 1, 0, 2], high=[0, 1, 1, 1], root=3)
        >>> diagram.drawing().caption
        'ZDD, 2 nodes; items that an arc passes are not in'
        """
        level, low, high = (array.tolist() for array in (self.level, self.low, self.high))
        drawing = Drawing(self.kind)
        ranks = {used: rank for rank, used in enumerate(sorted(set(level[2:])))}
        for i in range(len(level) - 1, 1, -1):
            drawing.nodes[str(i)] = Node(label_text(self.items[level[i]]), "oval", ranks[level[i]])
            drawing.arcs += [(str(i), str(low[i]), True), (str(i), str(high[i]), False)]
        for terminal in sorted({FALSE, TRUE} & {self.root, *low[2:], *high[2:]}):
            drawing.nodes[str(terminal)] = Node(str(terminal), "box", len(ranks))
        passed = "not in" if self.kind == "zdd" else "free"
        drawing.caption = (
            f"{self.kind.upper()}, {counted(self.node_count, 'node')}; items that an arc passes are {passed}"
        )
        for meaning, labels in zip(("in every set", "in none"), self.decided, strict=True):
            if labels:
                more = f" and {len(labels) - _NAMED} more" * (len(labels) > _NAMED)
                drawing.caption += f"; not drawn, as {meaning}: {' '.join(map(label_text, labels[:_NAMED]))}{more}"
        drawing.explain({"1": "a solution", "0": "no solution"})
        return drawing

    def to_circuit(
        self, cells: Sequence[Hashable], cell_of_item: npt.ArrayLike, budget: Budget | None = None
    ) -> Circuit:
        """Return the family that the diagram describes, as a circuit over cells.

        Parameters
        ----------
        cells : sequence of labels
        cell_of_item : array of int
            For each item the index of the cell that is a mine if the item is taken; -1 for an item that the items
            above it determine.  (By theorem 1 the edges of a cell are all taken or none is: the first one decides.)
        budget : Budget, optional
            For its seconds.

        Raises
        ------
        BudgetExceededError
            If the time is over.

        Examples
        --------
        >>> diagram = Diagram.build("zdd", "ab", level=[2, 2, 1, 0], low=[0, 1, 0, 2], high=[0, 1, 1, 1], root=3)
        >>> circuit = diagram.to_circuit(["a", "b"], [0, 1])
        >>> circuit.terms_of(circuit.root)
        [(2, 1, 0), (1, 1, 1)]
        """
        budget = Budget.of(budget)
        item_cell = np.append(np.asarray(cell_of_item, np.int32), -1)
        silent = item_cell[self.level] < 0
        silent[:2] = False
        # Such an item has one possible value, so its node has one arc and is replaced by its child.
        alias = np.where(silent, np.where(self.high == FALSE, self.low, self.high), np.arange(len(self.level)))
        while (alias[alias] != alias).any():
            alias = alias[alias]
        budget.check()  # here and below: between steps that take tenths of a second if there are millions of nodes
        kept = ~silent
        number = np.cumsum(kept, dtype=np.int32) - 1
        child = np.stack([number[alias[self.low]], number[alias[self.high]]], axis=1)[kept][2:]
        budget.check()
        cell = item_cell[self.level[kept][2:]]
        used = np.flatnonzero(np.bincount(item_cell[item_cell >= 0], minlength=len(cells)) > 0)
        leaf_of_cell = np.zeros(len(cells), np.int32)
        leaf_of_cell[used] = np.arange(1, len(used) + 1)
        leaf = np.stack([np.zeros_like(cell), leaf_of_cell[cell]], axis=1)
        root = int(number[alias[self.root]])
        budget.check()
        free = np.full_like(child, TRUE)
        if self.kind == "bdd" and root != FALSE:
            child, free, leaf, root = self._smoothed(child, free, leaf, root, leaf_of_cell[item_cell[:-1]], budget)
        exists = child != FALSE
        start = np.zeros(len(child) + 3, np.int64)
        np.cumsum(exists.sum(axis=1), out=start[3:])
        budget.check()
        circuit = Circuit(
            cells=cells,
            group_start=np.arange(len(used) + 1, dtype=np.int32),  # each cell is a group
            group_cell=used.astype(np.int32),
            leaf_group=np.arange(-1, len(used), dtype=np.int32),
            leaf_taken=np.append(0, np.ones(len(used), np.int32)).astype(np.int32),
            start=start,
            left=child[exists].astype(np.int32),
            right=free[exists].astype(np.int32),
            leaf=leaf[exists].astype(np.int32),
            root=root,
        )
        budget.check()
        return circuit

    def _smoothed(
        self, child: IntArray, free: IntArray, leaf: IntArray, root: int, leaf_of_item: IntArray, budget: Budget
    ) -> tuple[IntArray, IntArray, IntArray, int]:
        """Multiply every arc that passes levels by a chain of nodes, one a level, in which the items are free.

        A circuit is zero-suppressed, so free items have to be spelled out (A. Darwiche calls this smoothing).  While
        the chains are built their nodes have negative numbers; at the end they are put before all other nodes.
        """
        chains: list[tuple[int, int]] = []
        known: dict[tuple[int, int], int] = {}

        def chain(begin: int, end: int) -> int:
            node = TRUE
            for i in range(end - 1, begin - 1, -1):
                if (i, end) not in known:
                    chains.append((node, int(leaf_of_item[i])))
                    known[i, end] = -len(chains)
                node = known[i, end]
            return node

        top = self.level[2:, None] + 1
        for node, side in budget.each(np.argwhere((self.level[child] > top) & (child != FALSE)).tolist()):
            free[node, side] = chain(int(top[node, 0]), int(self.level[child[node, side]]))
        above = chain(0, int(self.level[root]))
        if above != TRUE:
            child = np.append(child, [[root, FALSE]], axis=0)
            free = np.append(free, [[above, TRUE]], axis=0)
            leaf = np.append(leaf, [[0, 0]], axis=0)
            root = len(child) + 1
        count = len(chains)

        def final(ids: IntArray) -> IntArray:
            return np.where(ids < 0, 1 - ids, np.where(ids < 2, ids, ids + count))

        chain_child = np.array([[c, c] for c, _ in chains], np.int32).reshape(-1, 2)
        chain_leaf = np.array([[0, x] for _, x in chains], np.int32).reshape(-1, 2)
        return (
            final(np.append(chain_child, child, axis=0)),
            final(np.append(np.full_like(chain_child, TRUE), free, axis=0)),
            np.append(chain_leaf, leaf, axis=0),
            int(final(np.array(root))),
        )
