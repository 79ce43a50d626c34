"""The tree of products that hint elimination made, read off its circuit, and the same tree for other programs.

The entries of one product are nodes of the circuit that belong together, a *place*.  All left factors of a place's
terms are entries of one other place, all right factors of one more, and all leaves are of one group.  So from the root
down, where the root is a place by itself, the circuit says what its places are.  On the board #1# the place of the root
multiplies the place {a = 0, a = 1} by the group b:

    >>> from mines_dd import Board, solve
    >>> for place in places(solve(Board.parse("#1#"), "tree", simplify=False).circuit):
    ...     print(len(place.nodes), place.group, place.parts)
    1 1 [1]
    2 0 []
"""

from __future__ import annotations

from typing import Any, NamedTuple

from mines_dd.diagrams.circuit import TRUE, Circuit

__all__ = ["Place", "places", "vtree"]


class Place(NamedTuple):
    """Nodes of a circuit that are entries of one product.

    Attributes
    ----------
    nodes : list of int
    group : int, optional
        The group that is multiplied in; None if there is none, or it never has a mine.
    parts : list of int
        The places, by number, whose nodes are the other factors; at most two.
    """

    nodes: list[int]
    group: int | None
    parts: list[int]


def places(circuit: Circuit) -> list[Place]:
    """Return the places of a circuit of the method "tree", the root's first, each before its parts."""
    found: list[Place] = []
    waiting = [{circuit.root}] if circuit.root > TRUE else []
    for nodes in waiting:  # which grows meanwhile
        terms = [term for node in nodes for term in circuit.terms_of(node)]
        groups = {int(circuit.leaf_group[leaf]) for _, _, leaf in terms if leaf}
        assert len(groups) <= 1, "the circuit of another method"
        factors = [{term[side] for term in terms if term[side] > TRUE} for side in (0, 1)]
        parts = [part for part in factors if part]
        found.append(
            Place(sorted(nodes), next(iter(groups), None), list(range(len(waiting), len(waiting) + len(parts))))
        )
        waiting += parts
    return found


def vtree(circuit: Circuit, join: Any, leaf: Any) -> tuple[Any, int]:
    """Return the same tree over variables 1, 2, ..., one a cell, and the nodes of places that split their variables.

    The circuit's groups are single cells.  A place that multiplies nothing has the tree of its only part.  Cells that
    never have a mine are joined to the whole at the end, each with one node.

    Parameters
    ----------
    circuit : Circuit
    join, leaf : function
        (left, right) -> tree;  (variable) -> tree.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#"), "tree", simplify=False).circuit
    >>> vtree(circuit, lambda left, right: (left, right), lambda variable: variable)
    ((1, 2), 1)
    """
    found = places(circuit)
    trees: list[Any] = [None] * len(found)
    nodes = 0
    missing = set(range(len(circuit.cells)))
    for i in range(len(found) - 1, -1, -1):
        below = [trees[part] for part in found[i].parts if trees[part] is not None]
        group = found[i].group
        if group is not None:
            [cell] = circuit.groups[group]
            missing.discard(cell)
            below.append(leaf(cell + 1))
        if below:
            trees[i] = below[0]
            for other in below[1:]:
                trees[i] = join(trees[i], other)
        nodes += len(found[i].nodes) if len(below) > 1 else 0
    whole = trees[0] if found else None
    for cell in sorted(missing):
        whole = leaf(cell + 1) if whole is None else join(whole, leaf(cell + 1))
    return whole, nodes + len(missing)
