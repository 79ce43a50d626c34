"""Cubes: the products of literals along the paths of a diagram from its root to the 1-terminal.

A path mentions the items that it decides.  What of the others?  In a BDD they are free, so a cube with two of them
stands for four sets; in a ZDD they are absent, so every cube is one set.  The cubes of the family {{b}, {b, c}} over
a, b, c:

    BDD   -a b       c is free             {b}, {b, c}
    ZDD   b -c       a is absent           {b}
          b  c       a is absent           {b, c}

No two cubes of a diagram have a set in common, as their paths part at some item.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from mines_dd.diagrams.circuit import FALSE, TRUE
from mines_dd.diagrams.diagram import Diagram

__all__ = ["Cube", "cubes"]


class Cube(NamedTuple):
    """What one path says.

    Attributes
    ----------
    inside, outside : tuple of labels
        The items whose 1-arc and whose 0-arc the path takes, from the root down.
    free, absent : tuple of labels
        The items that it does not mention: those of a BDD are free, those of a ZDD absent.
    """

    inside: tuple[Hashable, ...]
    outside: tuple[Hashable, ...]
    free: tuple[Hashable, ...]
    absent: tuple[Hashable, ...]

    @property
    def size(self) -> int:
        """The number of sets that it stands for."""
        return 1 << len(self.free)

    def sets(self) -> Iterator[frozenset[Hashable]]:
        """Yield the sets that it stands for.

        Examples
        --------
        >>> [sorted(one) for one in Cube(("b",), ("a",), ("c",), ()).sets()]
        [['b'], ['b', 'c']]
        """
        for chosen in range(self.size):
            yield frozenset([*self.inside, *(item for i, item in enumerate(self.free) if chosen >> i & 1)])


def cubes(diagram: Diagram) -> Iterator[Cube]:
    """Yield the cubes of a diagram, 0-arcs first.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> for method in ("bdd", "zdd"):
    ...     for cube in cubes(solve(Board.parse("##/2#"), method, simplify=False).diagram):
    ...         print(method, cube.inside, cube.outside, cube.absent)
    bdd ((0, 1), (1, 1)) ((0, 0),) ()
    bdd ((0, 0), (1, 1)) ((0, 1),) ()
    bdd ((0, 0), (0, 1)) ((1, 1),) ()
    zdd ((0, 1), (1, 1)) ((0, 0),) ()
    zdd ((0, 0), (1, 1)) ((0, 1),) ()
    zdd ((0, 0), (0, 1)) () ((1, 1),)
    """
    level, low, high = (array.tolist() for array in (diagram.level, diagram.low, diagram.high))
    stack: list[tuple[int, tuple[tuple[int, bool], ...]]] = [(diagram.root, ())]
    while stack:
        node, path = stack.pop()
        if node == TRUE:
            mentioned = {i for i, _ in path}
            passed = tuple(item for i, item in enumerate(diagram.items) if i not in mentioned)
            inside, outside = (tuple(diagram.items[i] for i, taken in path if taken is side) for side in (True, False))
            yield Cube(inside, outside, *((passed, ()) if diagram.kind == "bdd" else ((), passed)))
        elif node != FALSE:
            stack.append((high[node], (*path, (level[node], True))))
            stack.append((low[node], (*path, (level[node], False))))
