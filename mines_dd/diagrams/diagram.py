"""A reduced decision diagram as arrays: what the three methods of the paper end in (§3.1, §3.2).

A `Diagram` is immutable and knows nothing of the method that built it; `to_circuit` reads it as a family of sets.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from mines_dd.diagrams.circuit import FALSE, TRUE, Circuit
from mines_dd.diagrams.drawable import Drawable
from mines_dd.diagrams.drawing import Drawing, Node, counted, label_text

__all__ = ["Diagram"]

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Diagram(Drawable):
    """A binary decision diagram, in the reading of a BDD or of a ZDD.

    Attributes
    ----------
    kind : "bdd" or "zdd"
        What a level that an arc skips means: in a BDD the item is free, in a ZDD it is absent.
    items : sequence of labels
        The decision variables in their order; level i decides item i.
    level, low, high : int32 arrays
        Node 0 is the 0-terminal, node 1 the 1-terminal (both at level `len(items)`), children come before parents.
    root : int
    """

    kind: Literal["bdd", "zdd"]
    items: Sequence[Hashable]
    level: IntArray
    low: IntArray
    high: IntArray
    root: int

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
        """Make a diagram from lists."""
        return cls(kind, items, np.array(level, np.int32), np.array(low, np.int32), np.array(high, np.int32), root)

    @property
    def node_count(self) -> int:
        """The number of nodes that decide an item (terminals are not counted)."""
        return len(self.level) - 2

    def __repr__(self) -> str:
        """Kind and size."""
        return f"<Diagram: {self.kind}, {len(self.items)} items, {self.node_count} nodes>"

    @property
    def drawn_size(self) -> int:
        """The number of nodes."""
        return self.node_count

    def drawing(self) -> Drawing:
        """Return its drawing: 0-arcs dashed, 1-arcs solid, one rank a level (paper figures 6 to 8)."""
        level, low, high = (array.tolist() for array in (self.level, self.low, self.high))
        drawing = Drawing(self.kind)
        ranks = {used: rank for rank, used in enumerate(sorted(set(level[2:])))}
        for i in range(len(level) - 1, 1, -1):
            drawing.nodes[str(i)] = Node(label_text(self.items[level[i]]), "oval", ranks[level[i]])
            drawing.arcs += [(str(i), str(low[i]), True), (str(i), str(high[i]), False)]
        for terminal in sorted({FALSE, TRUE} & {self.root, *low[2:], *high[2:]}):
            drawing.nodes[str(terminal)] = Node(str(terminal), "box", len(ranks))
        passed = "not in" if self.kind == "zdd" else "free"
        drawing.caption = f"{self.kind.upper()}, {counted(self.node_count)}; items that an arc passes are {passed}"
        drawing.explain({"1": "a solution", "0": "no solution"})
        return drawing

    def to_circuit(self, cells: Sequence[Hashable], cell_of_item: npt.ArrayLike) -> Circuit:
        """Return the family of sets of `cells` that the diagram describes.

        Parameters
        ----------
        cells : sequence of labels
        cell_of_item : array of int
            The index of the cell that taking each item puts into the set, or -1 for an item that follows from
            those above it (theorem 1: one edge of a cell says whether the cell holds a mine).
        """
        item_cell = np.append(np.asarray(cell_of_item, np.int32), -1)
        silent = item_cell[self.level] < 0
        silent[:2] = False
        # Such an item has one possible value, so its node has one arc and stands for its child.
        alias = np.where(silent, np.where(self.high == FALSE, self.low, self.high), np.arange(len(self.level)))
        while (alias[alias] != alias).any():
            alias = alias[alias]
        kept = ~silent
        number = np.cumsum(kept, dtype=np.int32) - 1
        child = np.stack([number[alias[self.low]], number[alias[self.high]]], axis=1)[kept][2:]
        cell = item_cell[self.level[kept][2:]]
        used = np.flatnonzero(np.bincount(item_cell[item_cell >= 0], minlength=len(cells)) > 0)
        leaf_of_cell = np.zeros(len(cells), np.int32)
        leaf_of_cell[used] = np.arange(1, len(used) + 1)
        leaf = np.stack([np.zeros_like(cell), leaf_of_cell[cell]], axis=1)
        root = int(number[alias[self.root]])
        free = np.full_like(child, TRUE)
        if self.kind == "bdd" and root != FALSE:
            child, free, leaf, root = self._smoothed(child, free, leaf, root, leaf_of_cell[item_cell[:-1]])
        exists = child != FALSE
        start = np.zeros(len(child) + 3, np.int64)
        np.cumsum(exists.sum(axis=1), out=start[3:])
        return Circuit(
            cells,
            np.arange(len(used) + 1, dtype=np.int32),
            used.astype(np.int32),
            np.arange(-1, len(used), dtype=np.int32),
            np.append(0, np.ones(len(used), np.int32)).astype(np.int32),
            start,
            child[exists].astype(np.int32),
            free[exists].astype(np.int32),
            leaf[exists].astype(np.int32),
            root,
        )

    def _smoothed(
        self, child: IntArray, free: IntArray, leaf: IntArray, root: int, leaf_of_item: IntArray
    ) -> tuple[IntArray, IntArray, IntArray, int]:
        """Multiply every arc that skips levels by a chain of nodes, one a level, in which the items are free.

        While they are made the chains have negative numbers; in the end they come before all other nodes.
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
        for node, side in np.argwhere((self.level[child] > top) & (child != FALSE)).tolist():
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
