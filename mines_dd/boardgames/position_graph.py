"""Positions of a game and the moves between them, an acyclic graph: the input of umigame numbers.

A `PositionGraph` is built from a function that returns the successors of a position (`PositionGraph.build`), from a
`networkx.DiGraph`, or from a file (`read_graph`):

- CSV: a line `position,next position` for each move; a third column may say who is to move at the first, `own` or
  `opponent`.  The first line may be a heading, `position,next,mover` or `from,to`.
- JSON: `{"moves": {position: [next position, ...]}, "own": [position, ...], "root": position}`, where `own`, the
  positions where that side is to move, and `root` may be left out.

Unless the input says who is to move, own is the side to move at the root, and the sides alternate.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.base.checks import file_name, require, require_flag, require_function, require_labels, require_whole
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.reading import of_file
from mines_dd.base.wording import shown
from mines_dd.boardgames.move_files import csv_lines, is_json, is_list_of_text, json_moves, read_text
from mines_dd.boardgames.retrograde import directed

__all__ = [
    "PositionGraph",
    "Rows",
    "parse_csv",
    "parse_file",
    "parse_json",
    "read_graph",
    "require_graph",
    "require_side",
]

_MOVERS = {"own": True, "opponent": False}
_HEADING = ["position", "next", "mover"]


class Rows(Sequence[tuple[int, ...]]):
    """The successors of all positions in compressed rows: of v, `child[start[v]:start[v + 1]]`.

    Examples
    --------
    >>> Rows(np.array([0, 2, 2, 2]), np.array([1, 2], np.int32))[0]
    (1, 2)
    """

    def __init__(self, start: npt.NDArray[np.int64], child: npt.NDArray[np.int32]) -> None:
        self.start, self.child = start, child

    def __getitem__(self, v: Any) -> Any:
        return tuple(self.child[self.start[v] : self.start[v + 1]].tolist())

    def __len__(self) -> int:
        return len(self.start) - 1


@dataclass(frozen=True, eq=False)
class PositionGraph:
    """The positions that moves reach from a root.  The root is position 0, and moves lead to higher numbers.

    Attributes
    ----------
    labels : sequence
        The names of the positions.
    own : tuple of bool
        For each position, whether the side called own is to move.
    children : sequence of tuple of int
        For each position, the positions that its moves lead to, each once; none at a leaf.

    Examples
    --------
    >>> graph = PositionGraph.build(0, lambda n: [m for m in (n + 1, n + 2) if m <= 3], own=lambda n: n % 2 == 0)
    >>> graph.labels, graph.children
    ((0, 1, 2, 3), ((1, 2), (2, 3), (3,), ()))
    """

    labels: Sequence[Hashable]
    own: tuple[bool, ...]
    children: Sequence[tuple[int, ...]]

    def __post_init__(self) -> None:
        """Check that the attributes belong together."""
        n = len(require(self.labels, Sequence, "a tuple of labels", error=GraphFormatError))
        for part in (self.own, self.children):
            require(part, Collection, "a tuple with an entry for each position", error=GraphFormatError)
        if not n or len(self.own) != n or len(self.children) != n:
            raise GraphFormatError("a graph has one position or more, each with a label, its side, and its children")
        if not set(map(type, self.own)) <= {bool}:
            own = tuple(require_flag(side, "own", GraphFormatError) for side in self.own)
            object.__setattr__(self, "own", own)
        try:
            rows = self.rows
        except (TypeError, ValueError, OverflowError):
            raise GraphFormatError("the children of a position are the numbers of positions, in a tuple") from None
        source = np.repeat(np.arange(n), np.diff(rows.start))
        wrong = np.flatnonzero((rows.child <= source) | (rows.child >= n))
        if wrong.size:
            v, child = int(source[wrong[0]]), int(rows.child[wrong[0]])
            raise GraphFormatError(
                f"a move leads from position {v} to {child}; moves lead to higher numbers, and the last is {n - 1}"
            )

    @classmethod
    def build(
        cls,
        root: Hashable,
        moves: Callable[[Any], Iterable[Hashable]],
        own: Callable[[Any], bool] | None = None,
    ) -> PositionGraph:
        """Return all positions reachable from `root`.

        Parameters
        ----------
        root : label
        moves : function
            Label of a position -> the labels that its moves lead to; empty at a leaf.  Called once for each position.
        own : function, optional
            Label of a position -> whether own is to move.  By default own is at the root, and the sides alternate.

        Raises
        ------
        GraphFormatError
            If moves lead in a circle, or if the sides alternate and both would have to move at the same position.

        Examples
        --------
        >>> moves = {"start": ["a", "b"], "a": ["c"], "b": ["c"]}
        >>> graph = PositionGraph.build("start", lambda position: moves.get(position, []))
        >>> graph.labels, graph.own
        (('start', 'b', 'a', 'c'), (True, False, False, True))
        """
        if own is not None:
            require_function(own, "a function that says of a position whether own is to move")
        successors, finished = _postorder(root, require_function(moves, "a function from a position to the next ones"))
        finished.reverse()
        number = {label: i for i, label in enumerate(finished)}
        children = tuple(tuple(number[label] for label in successors[position]) for position in finished)
        movers = _alternate(finished, children) if own is None else tuple(map(own, finished))
        return cls(tuple(finished), movers, children)

    @classmethod
    def from_networkx(cls, graph: Any, root: Hashable | None = None) -> PositionGraph:
        """Return the positions of a `networkx.DiGraph` reachable from `root`.

        Parameters
        ----------
        graph : networkx.DiGraph
            Its edges are the moves.  If the root has the node attribute `own`, all nodes need it: whether own is to
            move.  Otherwise own is at the root, and the sides alternate.
        root : node, optional
            By default the only node without a predecessor.

        Raises
        ------
        GraphFormatError
            As for `build`, or if the graph is not directed, there is no such root, or a node lacks the attribute.

        Examples
        --------
        >>> import networkx as nx
        >>> len(PositionGraph.from_networkx(nx.DiGraph([("start", "a"), ("start", "b"), ("a", "c")])))
        4
        """
        ends = {edge[1] for edge in directed(graph).edges}
        start = _only_source(graph.nodes, ends) if root is None else root
        if start not in graph:
            raise GraphFormatError(f"there is no position {shown(start)} in the graph")
        if "own" not in graph.nodes[start]:
            return cls.build(start, graph.successors)

        def own(node: Hashable) -> bool:
            if "own" not in graph.nodes[node]:
                raise GraphFormatError(
                    f"position {shown(node)} does not say who is to move; give it the attribute own, as the root has it"
                )
            return require_flag(graph.nodes[node]["own"], f"own of position {shown(node)}", GraphFormatError)

        return cls.build(start, graph.successors, own)

    @cached_property
    def rows(self) -> Rows:
        """The children in compressed rows, for kernels."""
        if isinstance(self.children, Rows):
            return self.children
        start = np.cumsum([0, *map(len, self.children)])
        child = np.fromiter((child for children in self.children for child in children), np.int32, int(start[-1]))
        return Rows(start, child)

    @cached_property
    def parents(self) -> npt.NDArray[np.int64]:
        """For each position, the number of positions with a move to it."""
        return np.bincount(self.rows.child, minlength=len(self))

    @property
    def leaves(self) -> tuple[int, ...]:
        """The positions without a move (the set L of the article)."""
        return tuple(np.flatnonzero(np.diff(self.rows.start) == 0).tolist())

    @property
    def confluences(self) -> tuple[int, ...]:
        r"""The positions reached from several others (the set C of the article).

        Examples
        --------
        >>> graph = parse_csv("start,a;start,b;a,c;b,c".replace(";", "\n"))
        >>> [graph.labels[v] for v in graph.confluences]
        ['c']
        """
        return tuple(np.flatnonzero(self.parents > 1).tolist())

    def below(self, position: int) -> PositionGraph:
        """Return the positions that moves reach from one of them; `own` is the same side as before.

        Examples
        --------
        >>> graph = PositionGraph.build(0, lambda n: [m for m in (n + 1, n + 2) if m <= 3], own=lambda n: n % 2 == 0)
        >>> graph.below(1).labels, graph.below(1).own
        ((1, 2, 3), (False, True, False))
        """
        position = require_whole(position, "the number of the position", GraphFormatError, least=0, most=len(self) - 1)
        reached, stack = {position}, [position]
        while stack:
            for child in self.children[stack.pop()]:
                if child not in reached:
                    reached.add(child)
                    stack.append(child)
        kept = sorted(reached)
        number = {v: i for i, v in enumerate(kept)}
        return PositionGraph(
            tuple(self.labels[v] for v in kept),
            tuple(self.own[v] for v in kept),
            tuple(tuple(number[child] for child in self.children[v]) for v in kept),
        )

    def __len__(self) -> int:
        return len(self.labels)


def parse_csv(text: str, root: str | None = None) -> PositionGraph:
    r"""Read a graph of positions from lines `position,next position[,own or opponent]`.

    Raises
    ------
    GraphFormatError
        If a line is malformed; the error names it.

    Examples
    --------
    >>> graph = parse_csv("start,a,own;start,b,own;a,c,opponent;b,c,opponent".replace(";", "\n"))
    >>> graph.labels, graph.own
    (('start', 'b', 'a', 'c'), (True, False, False, False))
    """
    moves: dict[str, list[str]] = {}
    movers: dict[str, bool] = {}
    for at, line, fields in csv_lines(text, _HEADING):
        if len(fields) not in (2, 3) or not all(fields):
            raise GraphFormatError(
                f"line {at}: a move is written as position,next or position,next,mover, not {shown(line)}"
            )
        position, following, *mover = fields
        moves.setdefault(position, []).append(following)
        if mover:
            if mover[0] not in _MOVERS:
                raise GraphFormatError(f"line {at}: the mover is own or opponent, not {shown(mover[0])}")
            if movers.setdefault(position, _MOVERS[mover[0]]) is not _MOVERS[mover[0]]:
                raise GraphFormatError(f"line {at}: position {shown(position)} had the other side to move before")
    missing = sorted(moves.keys() - movers.keys()) if movers else []
    if missing:
        raise GraphFormatError(f"position {shown(missing[0])} has no mover, others have; give it to all or to none")
    return _from_mapping(moves, {v for v, own in movers.items() if own} if movers else None, root)


def parse_json(text: str, root: str | None = None) -> PositionGraph:
    """Read a graph of positions from `{"moves": {position: [next, ...]}, "own": [position, ...], "root": position}`.

    Raises
    ------
    GraphFormatError
        If it is not JSON (the error names line and column) or not of this form.

    Examples
    --------
    >>> parse_json('{"moves": {"start": ["a", "b"], "a": ["c"]}}').labels
    ('start', 'b', 'a', 'c')
    """
    moves, value = json_moves(text, "own", "root")
    own = value.get("own")
    if own is not None and not is_list_of_text(own):
        raise GraphFormatError('"own" has to be the list of the positions at which own is to move')
    start = root if root is not None else value.get("root")
    return _from_mapping(moves, None if own is None else set(own), start)


def read_graph(path: str | os.PathLike[str], root: str | None = None) -> PositionGraph:
    """Read a graph of positions from a file, or from standard input for `-`, as `parse_file` does.

    Raises
    ------
    MinesError
        If the file cannot be read.
    GraphFormatError
        If it does not hold such a graph.

    Examples
    --------
    >>> graph = read_graph("opening.csv")  # doctest: +SKIP
    """
    return parse_file(path, read_text(path), root)


def parse_file(path: str | os.PathLike[str], text: str, root: str | None = None) -> PositionGraph:
    r"""Return the graph in the text of a file: JSON if it begins with a brace or its name ends in .json, or CSV.

    Raises
    ------
    GraphFormatError
        If it does not hold such a graph.

    Examples
    --------
    >>> len(parse_file("opening.csv", "a,b\nb,c"))
    3
    """
    with of_file(file_name(path, GraphFormatError)):
        return (parse_json if is_json(path, text) else parse_csv)(text, root)


def require_graph(graph: object) -> PositionGraph:
    """Return a value if it is a `PositionGraph`.

    Examples
    --------
    >>> try:
    ...     require_graph(3)
    ... except GraphFormatError as error:
    ...     print(error)
    a PositionGraph is needed, not a value of type int; read_graph reads one, PositionGraph.from_networkx makes one
    """
    how = "read_graph reads one, PositionGraph.from_networkx makes one"
    found: PositionGraph = require(graph, PositionGraph, "a PositionGraph", how, GraphFormatError)
    return found


def require_side(graph: object, own: object) -> tuple[PositionGraph, bool]:
    """Return a graph, and whether a side is its own or the opponent, if they are that.

    Examples
    --------
    >>> require_side(parse_csv("start,a"), True)[1]
    True
    """
    return require_graph(graph), require_flag(own, "own")


def _from_mapping(moves: Mapping[str, Iterable[str]], own: set[str] | None, root: str | None) -> PositionGraph:
    reached = {following for nexts in moves.values() for following in nexts}
    if unknown := sorted((own or set()) - moves.keys() - reached):
        raise GraphFormatError(f'position {shown(unknown[0])} of "own" is in no move')
    start = _only_source(moves, reached) if root is None else root
    if not isinstance(start, str):
        raise GraphFormatError('"root" has to be the name of a position')
    if start not in moves and start not in reached:
        raise GraphFormatError(f"there is no position {shown(start)}")
    return PositionGraph.build(
        start, lambda position: moves.get(position, ()), None if own is None else own.__contains__
    )


def _only_source(nodes: Iterable[Hashable], reached: set[Any]) -> Hashable:
    sources = [node for node in nodes if node not in reached]
    if not sources and not reached:
        raise GraphFormatError("there are no moves; write a move a line, as position,next position")
    if not sources:
        raise GraphFormatError(
            "every position has a move that leads to it, so none is the root; name it (root, or --root)"
        )
    if len(sources) > 1:
        found = ", ".join(map(shown, sources[:5])) + (", ..." if len(sources) > 5 else "")
        raise GraphFormatError(
            f"{len(sources)} positions have no move that leads to them ({found}); there has to be one, the root, or "
            "name it (root, or --root)"
        )
    return sources[0]


def _postorder(
    root: Hashable, moves: Callable[[Any], Iterable[Hashable]]
) -> tuple[dict[Hashable, tuple[Hashable, ...]], list[Hashable]]:
    """The successors of every position, and the positions in postorder: each after its successors."""
    [root] = require_labels([root], "a graph of labels")
    successors = {root: _different(moves(root), root)}
    finished: list[Hashable] = []
    open_ = {root}
    stack = [(root, iter(successors[root]))]
    while stack:
        position, rest = stack[-1]
        for following in rest:
            if following not in successors:
                successors[following] = _different(moves(following), following)
                stack.append((following, iter(successors[following])))
                open_.add(following)
                break
            if following in open_:
                name = shown(following)
                raise GraphFormatError(f"the moves lead in a circle: position {name} is reached from itself")
        else:
            stack.pop()
            open_.remove(position)
            finished.append(position)
    return successors, finished


def _different(following: Iterable[Hashable], position: Hashable) -> tuple[Hashable, ...]:
    """The next positions, each once."""
    return tuple(dict.fromkeys(require_labels(following, f"a list of the positions after {shown(position)}")))


def _alternate(labels: list[Hashable], children: tuple[tuple[int, ...], ...]) -> tuple[bool, ...]:
    own: list[bool | None] = [None] * len(labels)
    own[0] = True
    for v, nexts in enumerate(children):
        for child in nexts:
            # nobody is to move at a leaf
            if own[child] is own[v] and children[child]:
                name = shown(labels[child])
                raise GraphFormatError(
                    f"position {name} is reached after even and odd numbers of moves; say who is to move: CSV by a "
                    'third column, own or opponent, JSON by "own": [the positions of the first to move], Python by own'
                )
            own[child] = not own[v]
    return tuple(map(bool, own))
