"""Objects of other packages: nodes of `dd`, Graphillion's sets of graphs, NumPy arrays, records for data frames.

Texts for solvers are in `mines_dd.constraints.cnf_opb`, files of other games in `mines_dd.board.files`.

References
----------
T. Inoue, H. Iwashita, J. Kawahara, S. Minato, "Graphillion: software library for very large sets of labeled graphs",
STTT 18, 2016.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from itertools import accumulate
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from mines_dd.answers.analysis import Analysis
from mines_dd.base.checks import require
from mines_dd.base.errors import BoardFormatError, MinesError
from mines_dd.base.wording import place
from mines_dd.board.board import Board, require_board
from mines_dd.compilers.packages import exported
from mines_dd.diagrams.assignments import Assignments
from mines_dd.diagrams.dd_nodes import chosen, variables
from mines_dd.diagrams.diagram import Diagram
from mines_dd.diagrams.passes import upward

__all__ = [
    "from_array",
    "from_dd",
    "from_graphillion",
    "records",
    "to_array",
    "to_graphillion",
]

# The numbers that stand for cells; a count is itself.
_CODES = {"#": -1, "F": -2, "*": 9, **{str(count): count for count in range(9)}}


def from_dd(node: Any, cells: Sequence[Hashable] | Mapping[str, Hashable]) -> Assignments:
    """Return the family that a node of a `dd` manager (`dd.cudd`, `dd.autoref`, `dd.cudd_zdd`) describes.

    Parameters
    ----------
    node
        A function of the cells' variables that is true for the sets of the family.
    cells : sequence of labels, or mapping
        The cells, whose variables have the names that `to_dd` gives them (`mines_dd.diagrams.dd_nodes.variable_name`);
        or a mapping from variables' names to cells.

    Raises
    ------
    MinesError
        If `node` is not a node, the manager lacks a variable, or the function depends on a variable of no cell.  In a
        ZDD such a variable may be in no set at all, as is one that was declared later.

    Examples
    --------
    >>> from dd.autoref import BDD
    >>> manager = BDD()
    >>> manager.declare("a", "b", "c")
    >>> family = from_dd(manager.add_expr("(a ^ b) & ~c"), {"a": (0, 0), "b": (0, 1), "c": (0, 2)})
    >>> family.count(), family.probabilities()[0, 0]
    (2, Fraction(1, 2))
    """
    manager = getattr(node, "bdd", None)
    if manager is None:
        raise MinesError(
            f"a node of a dd manager, then the cells, is needed, not a value of type {type(node).__name__}"
        )
    require(cells, (Mapping, Sequence), "a list of cells, or a dict from variables to cells,")
    named = cells if isinstance(cells, Mapping) else variables(cells)
    there = set(manager.vars)
    for name in named:
        if name not in there:
            raise MinesError(f"the manager has no variable {name!r}; declare it, or name each cell's variable")
    if len(set(named.values())) < len(named):
        raise MinesError("two variables stand for the same cell; give each cell one")
    order = sorted(named, key=manager.level_of_var)
    item = {manager.level_of_var(name): i for i, name in enumerate(order)}
    kind: Literal["bdd", "zdd"] = "zdd" if type(manager).__name__ == "ZDD" else "bdd"
    terminals = (manager.false, manager.true_node if kind == "zdd" else manager.true)
    if len(named) < len(there):
        for name in sorted(_depends_on(node) - named.keys()):
            raise MinesError(f"the function depends on the variable {name!r}, which is no cell's; quantify it")

    def on_cells(u: Any) -> Any:
        """Skip the nodes of variables that belong to no cell; a ZDD has a node for each of them if it is free."""
        while u not in terminals and u.level not in item:
            _, u, _ = manager.succ(u)
        return u

    def children(u: Any) -> tuple[int, Any, Any]:
        level, low, high = manager.succ(u)
        if kind == "bdd" and u.negated:  # a complemented arc stands for the complement of its child
            low, high = ~low, ~high
        return item[level], on_cells(low), on_cells(high)

    diagram = exported(kind, range(len(order)), on_cells(node), terminals, int, children)
    return _family(diagram, list(named.values()), [named[name] for name in order])


def _depends_on(node: Any) -> set[str]:
    """The variables that a function depends on; in a ZDD but for those that are in no set at all."""
    manager = node.bdd
    # In a ZDD a variable is free if all paths to the set {} have a node of it with equal arcs: none may pass it by.
    last = len(manager.vars)
    free, decided, seen = set[int](), set[int](), set[int]()
    passing = [0] * (last + 1)  # how many arcs begin to pass by a level, less those that no longer do
    stack: list[Any] = []

    def follow(level: int, child: Any) -> None:
        if child != manager.false:
            end = min(child.level, last)
            passing[level + 1] += 1
            passing[end] -= 1
            if end < last and int(child) not in seen:
                seen.add(int(child))
                stack.append(child)

    follow(-1, node)
    while stack:
        level, *children = manager.succ(stack.pop())
        (free if children[0] == children[1] else decided).add(level)
        for child in children:
            follow(level, child)
    passed = {level for level, arcs in enumerate(accumulate(passing)) if arcs}
    return {manager.var_at_level(level) for level in decided | free & passed}


def to_graphillion(family: Assignments, edges: Mapping[Any, Collection[Any]] | None = None) -> Any:
    """Return the family as Graphillion's set of graphs.

    Parameters
    ----------
    family : Assignments
    edges : mapping, optional
        Cell -> the edges that stand for a mine there; in theorem 1 these are all edges of the cell in the mine graph.
        By default each cell is an edge itself, as in the families that `subgraphs` returns.

    Raises
    ------
    MinesError
        If Graphillion is not installed, or its universe lacks an edge.

    Examples
    --------
    >>> from graphillion import GraphSet  # doctest: +SKIP
    >>> from mines_dd import Board, mine_graph, solve  # doctest: +SKIP
    >>> board = Board.parse("#1#")  # doctest: +SKIP
    >>> graph = mine_graph(board)  # doctest: +SKIP
    >>> GraphSet.set_universe(list(graph.edges))  # doctest: +SKIP
    >>> family = solve(board)  # doctest: +SKIP
    >>> graphs = to_graphillion(family, {cell: graph.edges(cell) for cell in family.cells})  # doctest: +SKIP
    >>> sorted(graphs)  # doctest: +SKIP
    [[((0, 0), (0, 1))], [((0, 2), (0, 1))]]
    """
    require(family, Assignments, "a family of solve or subgraphs")
    graphs, circuit = _graphillion().GraphSet, family.circuit
    universe = {frozenset(edge[:2]): edge for edge in graphs.universe()}
    single: list[Any] = []
    for cell in family.cells:
        try:
            standing: Collection[Any] = [cell] if edges is None else edges[cell]
            taken = [universe[frozenset(edge)] for edge in standing]
        except (KeyError, TypeError):
            raise MinesError(
                f"cell {cell!r} has no edges in Graphillion's universe; call GraphSet.set_universe with all edges first"
            ) from None
        single.append(graphs([taken]))
    none, nothing = graphs([]), graphs([[]])

    def joined(one: Any, other: Any) -> Any:
        return one.join(other)

    picks = [nothing]
    for group, number in circuit.leaves[1:]:
        cells = [single[cell] for cell in circuit.groups[group]]
        picks.append(chosen(number, cells, nothing, lambda some, _: some, joined, operator.or_))
    families = upward(circuit, picks, none, nothing, operator.or_, joined)
    return families[circuit.root]


def from_graphillion(graphs: Any) -> Assignments:
    """Return the family of edge sets that a Graphillion set of graphs (or `setset`) holds; its `cells` are the edges.

    An edge has the direction that it has in Graphillion's universe, and `==` of two families takes (1, 0) for another
    edge than (0, 1): so give `GraphSet.set_universe` the `list(graph.edges)` of the graph.

    Raises
    ------
    MinesError
        If it is not a set of graphs, or does not write a ZDD of its universe.

    Examples
    --------
    >>> from graphillion import GraphSet  # doctest: +SKIP
    >>> GraphSet.set_universe([(1, 2), (2, 3), (3, 4), (1, 4)])  # doctest: +SKIP
    >>> matchings = from_graphillion(GraphSet.perfect_matchings())  # doctest: +SKIP
    >>> matchings.count()  # doctest: +SKIP
    2
    """
    try:
        universe, text = list(graphs.universe()), graphs.dumps()
    except AttributeError:
        raise MinesError(f"a GraphSet of Graphillion is needed, not a value of type {type(graphs).__name__}") from None
    diagram = _dumped(text, len(universe))
    return _family(diagram, universe, universe)


def _dumped(text: str, items: int) -> Diagram:
    """The ZDD in Graphillion's text: a line `id level low high` for each node, children first; levels count from 1."""
    lines = [line.split() for line in text.split("\n") if line.strip(" .")]
    number = {"B": 0, "T": 1}
    level, low, high = [items] * 2, [0, 1], [0, 1]
    try:
        for name, at, *arcs in (line for line in lines if len(line) > 1):
            zero, one = (number[arc] for arc in arcs)
            if not 1 <= int(at) <= min(level[zero], level[one]):
                raise ValueError
            number[name] = len(level)
            level.append(int(at) - 1)
            low.append(zero)
            high.append(one)
        root = number[lines[-1][0]]
    except (ValueError, LookupError):
        raise MinesError("the set of graphs does not write a ZDD of its universe; build it again") from None
    return Diagram.build("zdd", range(items), level, low, high, root)


def to_array(board: Board) -> npt.NDArray[np.int8]:
    """Return a board as a rows x columns matrix of small integers.

    A count, 0 to 8, is itself; -1 is a closed cell, -2 a flagged one, and 9 a mine known for certain.  The total number
    of mines is not in it.

    Examples
    --------
    >>> to_array(Board(("#1F", "*20"))).tolist()
    [[-1, 1, -2], [9, 2, 0]]
    """
    codes = np.zeros(128, np.int8)
    codes[[ord(character) for character in _CODES]] = list(_CODES.values())
    return codes[require_board(board).array]


def from_array(array: npt.ArrayLike, mines: int | None = None) -> Board:
    """Return the board of a matrix of integers, coded as by `to_array`.

    Parameters
    ----------
    array : matrix of integers
    mines : int, optional
        The total number of mines, if known.

    Raises
    ------
    BoardFormatError
        If it is not a matrix of integers, or has another value; the error names its row and column.

    Examples
    --------
    >>> print(from_array([[-1, 1, -2], [9, 2, 0]], mines=2))
    mines: 2
    #1F
    *20
    """
    try:
        matrix = np.asarray(array)
    except ValueError:
        raise BoardFormatError("this is no matrix of integers; all rows have the same length") from None
    if matrix.ndim != 2 or not np.issubdtype(matrix.dtype, np.integer):
        raise BoardFormatError(
            f"a board is a matrix of integers; this is an array of {matrix.ndim} dimensions of {matrix.dtype}"
        )
    known = (matrix >= min(_CODES.values())) & (matrix <= max(_CODES.values()))  # the codes have no gap
    for wrong in np.argwhere(~known)[:1].tolist():
        raise BoardFormatError(
            f"{matrix[tuple(wrong)]} at {place(wrong)} is no cell; -1 is a closed cell, -2 a flagged one, "
            "0 to 8 a count, and 9 a known mine"
        )
    character = {value: character for character, value in _CODES.items()}
    return Board(tuple("".join(character[value] for value in row) for row in matrix.tolist()), mines)


def records(source: Assignments | Analysis) -> list[dict[str, Any]]:
    """Return a record for each cell, as `pandas.DataFrame` takes them.

    The keys are `row` and `column` (or `cell`, if it is not a position), `probability`, that of a mine as a double, and
    `exact`, the same as a Fraction, or None if it is an analysis in doubles.

    Raises
    ------
    InconsistentBoardError
        If there is no assignment.

    Examples
    --------
    >>> from mines_dd import solve
    >>> records(solve(Board.parse("#1#")))[0]
    {'row': 0, 'column': 0, 'probability': 0.5, 'exact': Fraction(1, 2)}
    """
    require(source, (Assignments, Analysis), "what solve or analyse returns")
    shares: Mapping[Any, Any] = source.risk if isinstance(source, Analysis) else source.probabilities()
    return [
        _place(cell) | {"probability": float(share), "exact": share if isinstance(share, Fraction) else None}
        for cell, share in shares.items()
    ]


def _place(cell: Hashable) -> dict[str, Any]:
    if isinstance(cell, tuple) and len(cell) == 2 and all(isinstance(x, int) for x in cell):
        return {"row": cell[0], "column": cell[1]}
    return {"cell": cell}


def _family(diagram: Diagram, cells: Sequence[Hashable], items: Sequence[Hashable]) -> Assignments:
    """The family of a diagram whose item i is the cell `items[i]`."""
    index = {cell: i for i, cell in enumerate(cells)}
    circuit = diagram.to_circuit(cells, [index[cell] for cell in items])
    return Assignments(circuit, diagram.kind, diagram.node_count, diagram=replace(diagram, items=items))


def _graphillion() -> Any:
    try:
        return import_module("graphillion")
    except ImportError:
        raise MinesError("Graphillion is not installed here: pip install graphillion") from None
