r"""The compiled form that all methods produce: a deterministic, decomposable circuit (d-DNNF).

A *node* is a sum (a disjunction) of *terms*.  A term is the product (the conjunction) of at most two nodes and a
*leaf*.  A leaf says "group g takes t mines", which C(|g|, t) sets of cells do.  A group is a set of cells that no hint
tells apart; most groups have one cell.  The reading is zero-suppressed: a group that a term does not mention has no
mine.  A hint with 1 touches the cells a, b, c, d, e, another with 1 touches c, d, e, f, g:

    a 1 b                         +               node 6
    c d e                       /   \
    f 1 g                      .     .            its two terms
                              /     / \
                             4     5   [1 of f g]
                             |     |
                  [1 of c d e]     [1 of a b]     leaves, of the groups {a, b}, {c, d, e}, {f, g}

Node 6 is 4 + 5 * [1 of f g]: either a mine in the middle row (3 ways), or one above and one below (2 * 2 = 4 ways).

Determinism: no two terms of a node describe the same assignment, so counts add up.  Decomposability: the factors of a
term share no group, so counts multiply.  Hence one pass up and one pass down answer every question (A. Darwiche,
P. Marquis, "A knowledge compilation map", JAIR 17, 2002; see `passes`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import IntArray, LongArray
from mines_dd.base.jit import kernel
from mines_dd.base.wording import counted
from mines_dd.diagrams.drawable import Drawable
from mines_dd.diagrams.drawing import Drawing, Node, label_text

__all__ = ["FALSE", "TRUE", "Circuit", "mark_reached"]


_NAMED = 20  # cells of a group that a drawing names; Graphviz takes no text of more than 16,384 characters
FALSE = 0
"""The node of no assignment: the empty family."""
TRUE = 1
"""The node of one assignment, the empty set."""


@dataclass(frozen=True, eq=False)
class Circuit(Drawable):
    """A family of sets of cells, as a circuit in arrays.

    Attributes
    ----------
    cells : sequence of labels
        All m cells of the board or graph.
    group_start, group_cell : int32 arrays
        Group g holds the cells `cells[i]` for i in `group_cell[group_start[g]:group_start[g + 1]]`; groups are
        disjoint.  A cell in no group is never a mine.
    leaf_group, leaf_taken : int32 arrays
        Leaf l says that group `leaf_group[l]` takes `leaf_taken[l]` >= 1 mines; leaf 0 is the empty leaf (group -1,
        0 mines).
    start : int64 array
        Node i is the sum of the terms `start[i]` to `start[i + 1]`; nodes 0 and 1 are `FALSE` and `TRUE`, without
        terms.
    left, right, leaf : int32 arrays
        The factors of each term: two nodes (`TRUE` where there is none), whose numbers are smaller than that of the
        term's own node, and a leaf.
    root : int

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#/###/#1#")).circuit
    >>> circuit.root, circuit.terms_of(circuit.root), circuit.groups
    (6, [(4, 1, 0), (5, 1, 3)], [[0, 1], [2, 3, 4], [5, 6]])
    """

    cells: Sequence[Hashable]
    group_start: IntArray
    group_cell: IntArray
    leaf_group: IntArray
    leaf_taken: IntArray
    start: LongArray
    left: IntArray
    right: IntArray
    leaf: IntArray
    root: int

    @classmethod
    def empty(cls, cells: Sequence[Hashable]) -> Circuit:
        """Return the circuit of the empty family.

        Examples
        --------
        >>> Circuit.empty(["a", "b"])
        <Circuit: 2 cells, 0 nodes, 0 terms>
        """
        none, zero = np.zeros(0, np.int32), np.zeros(1, np.int32)
        return cls(
            cells=cells,
            group_start=zero,
            group_cell=none,
            leaf_group=zero - 1,
            leaf_taken=zero,
            start=np.zeros(3, np.int64),
            left=none,
            right=none,
            leaf=none,
            root=FALSE,
        )

    @property
    def node_count(self) -> int:
        """The number of nodes, without FALSE and TRUE."""
        return len(self.start) - 3

    @property
    def term_count(self) -> int:
        """The number of terms: the circuit's size, and what a pass over it costs."""
        return len(self.left)

    def __repr__(self) -> str:
        """Its sizes."""
        sizes = (len(self.cells), "cell"), (self.node_count, "node"), (self.term_count, "term")
        return f"<Circuit: {', '.join(counted(size, thing) for size, thing in sizes)}>"

    @property
    def drawn_size(self) -> int:
        """The number of nodes and terms."""
        return self.node_count + self.term_count

    def drawing(self) -> Drawing:
        """Return its drawing: `+` is a node, the point under it is a term, and a box is a leaf.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
        >>> print(circuit.drawing().caption)
        Circuit, 3 nodes
        """
        drawing = Drawing("circuit")
        if self.root in (FALSE, TRUE):
            drawing.nodes[str(self.root)] = Node(str(self.root), "box", 0)
            return drawing
        rank = {self.root: 0}
        for node in range(self.root, TRUE, -1):  # children come before parents: each rank is known when it is used
            if node not in rank:
                continue
            drawing.nodes[str(node)] = Node("+", "oval", rank[node])
            for t, (left, right, leaf) in enumerate(self.terms_of(node), int(self.start[node])):
                drawing.nodes[f"t{t}"] = Node("", "point", rank[node] + 1)
                drawing.arcs.append((str(node), f"t{t}", False))
                for child in {left, right} - {TRUE}:
                    rank[child] = max(rank.get(child, 0), rank[node] + 2)
                    drawing.arcs.append((f"t{t}", str(child), False))
                if leaf:
                    group, taken = self.leaves[leaf]
                    cells = self._group_text(self.groups[group])
                    drawing.nodes[f"l{t}"] = Node(f"{taken} of {cells}", "box", rank[node] + 2)
                    drawing.arcs.append((f"t{t}", f"l{t}", False))
        sums = sum(node.shape == "oval" for node in drawing.nodes.values())
        drawing.caption = f"Circuit, {counted(sums, 'node')}"
        drawing.legend = [
            (Node("+", "oval", 0), "a node: one of its terms"),
            (Node("", "point", 0), "a term: all that is below; no mine if that is nothing"),
            (Node("2 of a b", "box", 0), "this many mines in these cells"),
        ]
        return drawing

    def _group_text(self, group: list[int]) -> str:
        """The cells of a group for a drawing, of a large one the first."""
        names = [label_text(self.cells[cell]) for cell in group[:_NAMED]]
        return " ".join([*names, f"and {len(group) - _NAMED:,} more"] if len(group) > _NAMED else names)

    @cached_property
    def groups(self) -> list[list[int]]:
        """For each group the indices of its cells."""
        bounds, flat = self.group_start.tolist(), self.group_cell.tolist()
        return [flat[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]

    @cached_property
    def leaves(self) -> list[tuple[int, int]]:
        """For each leaf its (group, mines taken)."""
        return list(zip(self.leaf_group.tolist(), self.leaf_taken.tolist(), strict=True))

    def terms_of(self, node: int) -> list[tuple[int, int, int]]:
        """Return a node's terms, each as its left factor, its right factor and its leaf.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
        >>> circuit.terms_of(circuit.root)
        [(3, 1, 0), (2, 1, 1)]
        """
        start, left, right, leaf = self.terms
        return [(left[t], right[t], leaf[t]) for t in range(start[node], start[node + 1])]

    @cached_property
    def terms(self) -> tuple[list[int], list[int], list[int], list[int]]:
        """`start`, `left`, `right` and `leaf` as lists, for walks from node to node; passes read in blocks."""
        return self.start.tolist(), self.left.tolist(), self.right.tolist(), self.leaf.tolist()

    def restricted(
        self,
        kept: npt.ArrayLike,
        root: int,
        groups: Sequence[Sequence[int]] | None = None,
        taken: Sequence[int] | None = None,
    ) -> Circuit:
        """Return the part of the circuit that `root` reaches through some of its terms.

        Parameters
        ----------
        kept : array of int
            The terms to keep, ascending.
        root : int
            The new root.
        groups : sequence of sequences of int, optional
            The new cells of each group.
        taken : sequence of int, optional
            The new number of mines of each leaf.  A leaf that takes 0 becomes the empty leaf.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
        >>> circuit.restricted([0], 2)  # node 2 and its one term
        <Circuit: 3 cells, 1 node, 1 term>
        """
        groups = self.groups if groups is None else groups
        leaf_taken = self.leaf_taken if taken is None else np.asarray(taken, np.int32)
        terms = np.asarray(kept, np.int64)
        left, right = self.left[terms], self.right[terms]
        leaf = np.where(leaf_taken[self.leaf[terms]] == 0, 0, self.leaf[terms])
        start = np.searchsorted(terms, self.start)
        reached = np.zeros(len(start) - 1, np.bool_)
        reached[[FALSE, TRUE, root]] = True
        mark_reached.run(len(left), start, left, right, reached)
        of_reached = reached[np.repeat(np.arange(len(start) - 1), np.diff(start))]
        left, right, leaf = left[of_reached], right[of_reached], leaf[of_reached]
        number = (np.cumsum(reached) - 1).astype(np.int32)
        used = np.union1d([0], leaf)
        return Circuit(
            cells=self.cells,
            group_start=np.append(0, np.cumsum([len(group) for group in groups])).astype(np.int32),
            group_cell=np.fromiter(chain.from_iterable(groups), np.int32),
            leaf_group=self.leaf_group[used],
            leaf_taken=leaf_taken[used],
            start=np.append(0, np.cumsum(np.diff(start)[reached])),
            left=number[left],
            right=number[right],
            leaf=np.searchsorted(used, leaf).astype(np.int32),
            root=int(number[root]),
        )

    def with_mines(self, mines: Sequence[int]) -> Circuit:
        """Return the circuit with mines added to every assignment, in cells (by index) that are in no group.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> circuit = solve(Board.parse("#1#/##1")).circuit
        >>> circuit.groups, circuit.with_mines([0]).groups
        ([[1, 3]], [[1, 3], [0]])
        """
        if not mines or self.root == FALSE:
            return self
        return replace(
            self,
            group_start=np.append(self.group_start, self.group_start[-1] + len(mines)).astype(np.int32),
            group_cell=np.append(self.group_cell, mines).astype(np.int32),
            leaf_group=np.append(self.leaf_group, len(self.group_start) - 1).astype(np.int32),
            leaf_taken=np.append(self.leaf_taken, len(mines)).astype(np.int32),
            start=np.append(self.start, self.start[-1] + 1),
            left=np.append(self.left, self.root).astype(np.int32),
            right=np.append(self.right, TRUE).astype(np.int32),
            leaf=np.append(self.leaf, len(self.leaf_group)).astype(np.int32),
            root=len(self.start) - 1,
        )


@kernel
def mark_reached(start, left, right, reached):
    """Mark in `reached` all nodes that the marked ones reach.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> reached = np.arange(5) == circuit.root
    >>> mark_reached(circuit.start, circuit.left, circuit.right, reached)
    >>> np.flatnonzero(reached).tolist()
    [1, 2, 3, 4]
    """
    for node in range(len(start) - 2, 1, -1):
        if reached[node]:
            for t in range(start[node], start[node + 1]):
                reached[left[t]] = True
                reached[right[t]] = True
