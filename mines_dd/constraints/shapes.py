"""Boards that are no plain rectangle: which cells are neighbours, as graphs.

A shape is a `networkx.Graph` of all cells; an edge joins neighbours.  `mine_graph_on` makes of a shape and the hints on
it the mine graph that every method solves.  Two hints on a ring of six cells:

    0 - 1 - 2        hints 0: 1 and 2: 2      closed cells next to 0: 1, 5; next to 2: 1, 3
    |       |        5 is no mine, 1 and 3 are
    5 - 4 - 3
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from math import prod

import networkx as nx

from mines_dd.base.checks import generator, require, require_flag, require_whole
from mines_dd.base.errors import MinesError
from mines_dd.base.wording import counted, figures
from mines_dd.constraints.graph import mine_graph

__all__ = ["box", "hexagons", "mine_graph_on", "random_hints", "torus"]

Label = Hashable

_LARGEST = 10_000_000  # cells


def box(*sides: int) -> nx.Graph:
    """Return a box of cells in any number of dimensions; cells that share a corner are neighbours.

    Two sides make an ordinary board, three a board in space, where a cell has up to 26 neighbours.

    Examples
    --------
    >>> box(3, 3, 3).degree[1, 1, 1], box(3, 3).degree[0, 0]
    (26, 3)
    """
    return _lattice(sides, wraps=False)


def torus(*sides: int) -> nx.Graph:
    """Return a box whose opposite sides are joined.

    Examples
    --------
    >>> torus(4, 5).degree[0, 0]
    8
    """
    return _lattice(sides, wraps=True)


def hexagons(rows: int, cols: int, *, wraps: bool = False) -> nx.Graph:
    """Return a board of hexagons, in rows of which every second one is shifted by half a cell to the right.

    Cells are (row, column).  With `wraps` opposite sides are joined, for which the number of rows must be even.

    Raises
    ------
    MinesError
        If a side is not positive, or the number of rows is odd and the board wraps.

    Examples
    --------
    >>> sorted(hexagons(3, 3)[1, 1])
    [(0, 1), (0, 2), (1, 0), (1, 2), (2, 1), (2, 2)]
    """
    rows, cols = _checked((rows, cols))
    wraps = require_flag(wraps, "wraps")
    if wraps and rows % 2:
        raise MinesError(f"a board of hexagons in {rows} rows cannot wrap; take an even number of rows")
    graph = nx.Graph()
    for r, c in itertools.product(range(rows), range(cols)):
        graph.add_node((r, c))
        for other in ((r, c + 1), (r + 1, c - 1 + r % 2), (r + 1, c + r % 2)):
            _join(graph, (r, c), other, (rows, cols), wraps)
    return graph


def mine_graph_on(shape: nx.Graph, hints: Mapping[Label, int | Iterable[int]]) -> nx.Graph:
    """Return the mine graph of hints on a shape: each counts the mines among its neighbours that are no hints.

    As for `mine_graph`, a hint says how many of them may be mines: a number or a set.

    Raises
    ------
    MinesError
        If a hint is no cell of the shape, or the shape is a directed graph.
    GraphFormatError
        If a number of mines is no integer.

    Examples
    --------
    >>> from mines_dd import solve
    >>> family = solve(mine_graph_on(hexagons(3, 3), {(1, 1): 2, (0, 0): 1}))
    >>> family.count(), family.cells[0]
    (8, (0, 1))
    """
    require(shape, nx.Graph, "a networkx.Graph of cells", "torus(4, 5) makes one")
    if shape.is_directed():
        raise MinesError("neighbours see each other, so the graph is undirected; shape.to_undirected() makes it so")
    for hint in require(hints, Mapping, "a dict of hints such as {(1, 1): 2}"):
        if hint not in shape:
            raise MinesError(f"hint {hint!r} is no cell of the board")
    return mine_graph({hint: ([c for c in shape[hint] if c not in hints], count) for hint, count in hints.items()})


def random_hints(shape: nx.Graph, mines: int, hints: int, seed: int) -> dict[Label, int]:
    """Return hints on a shape that has mines at random: `hints` of the other cells with their numbers of mines.

    Raises
    ------
    MinesError
        If the shape has too few cells.

    Examples
    --------
    >>> counts = random_hints(torus(6, 6), mines=8, hints=10, seed=1)
    >>> len(counts), max(counts.values())
    (10, 3)
    """
    cells = list(require(shape, nx.Graph, "a networkx.Graph of cells", "torus(4, 5) makes one"))
    with suppress(TypeError):  # cells that cannot be compared stay in the graph's order
        cells = sorted(cells)
    mines = require_whole(mines, "the number of mines", least=0)
    hints = require_whole(hints, "the number of hints", least=0)
    if mines + hints > len(cells):
        raise MinesError(
            f"{counted(mines, 'mine')} and {counted(hints, 'hint')} do not fit on {counted(len(cells), 'cell')}"
        )
    chosen = generator(seed).sample(cells, mines + hints)
    mined = set(chosen[:mines])
    return {hint: sum(cell in mined for cell in shape[hint]) for hint in chosen[mines:]}


def _lattice(sides: tuple[int, ...], wraps: bool) -> nx.Graph:
    sides = _checked(sides)
    steps = [step for step in itertools.product((-1, 0, 1), repeat=len(sides)) if any(step)]
    graph = nx.Graph()
    for cell in itertools.product(*map(range, sides)):
        graph.add_node(cell)
        for step in steps:
            _join(graph, cell, tuple(x + d for x, d in zip(cell, step, strict=True)), sides, wraps)
    return graph


def _join(graph: nx.Graph, cell: Label, other: tuple[int, ...], sides: tuple[int, ...], wraps: bool) -> None:
    """Make `other` a neighbour if it is on the board, or comes back on it from the other side."""
    if wraps:
        other = tuple(x % side for x, side in zip(other, sides, strict=True))
    if other != cell and all(0 <= x < side for x, side in zip(other, sides, strict=True)):
        graph.add_edge(cell, other)


def _checked(sides: tuple[int, ...]) -> tuple[int, ...]:
    sides = tuple(require_whole(side, "a side of a board") for side in sides)
    if not sides or min(sides) < 1:
        said = " x ".join(map(str, sides)) or "none"
        raise MinesError(f"a board with sides {said} has no cell; give at least one side, and at least 1 for each")
    if prod(sides) > _LARGEST:
        raise MinesError(
            f"a board with {figures(prod(sides), '.3g')} cells is too large; at most {_LARGEST:,} are made"
        )
    return sides
