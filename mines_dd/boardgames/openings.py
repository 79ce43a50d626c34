"""Openings in words and pictures: what each position and move is called, the lines to learn, and the graph drawn."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import Any, NamedTuple

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require, require_list
from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.base.wording import counted, shown
from mines_dd.boardgames.graph_picture import LARGEST, Look, Panel, places, save_graph
from mines_dd.boardgames.othello import Othello, Position
from mines_dd.boardgames.othello_graphs import played_on, transcripts
from mines_dd.boardgames.position_graph import PositionGraph, require_graph
from mines_dd.boardgames.umigame import Repertoire

__all__ = ["Line", "Opening", "learned", "lines_to_learn", "named", "named_othello", "save_opening"]

_MOVES_AT_ONCE, _BYTES_A_MOVE = 2**20, 64  # of lines: what they take when they are printed, too


@dataclass(frozen=True, eq=False)
class Opening:
    """A graph of positions and what they are called.

    Attributes
    ----------
    graph : PositionGraph
    naming : function
        Returns `names` and `moves`; called when one of them is first asked for, as a large graph has many.
    board : object
        How the root lies on the board.
    played_on : function
        (position, how it lies on the board) -> {next position: (name of the move, how that lies on the board)}.

    Examples
    --------
    >>> graph = PositionGraph(["start", "a"], (True, False), [(1,), ()])
    >>> named(graph).names, named(graph).moves, named(graph).played_on(0, None)
    (('start', 'a'), {(0, 1): 'a'}, {1: ('a', None)})
    """

    graph: PositionGraph
    naming: Callable[[], tuple[tuple[str, ...], dict[tuple[int, int], str]]]
    board: Any
    played_on: Callable[[int, Any], Mapping[int, tuple[str, Any]]]

    @cached_property
    def _called(self) -> tuple[tuple[str, ...], dict[tuple[int, int], str]]:
        return self.naming()

    @property
    def names(self) -> tuple[str, ...]:
        """What the positions are called."""
        return self._called[0]

    @property
    def moves(self) -> dict[tuple[int, int], str]:
        """What the moves are called: (position, next position) -> name, after the way that names the position."""
        return self._called[1]


def named(graph: PositionGraph) -> Opening:
    """Return a graph whose positions are called by their labels, and moves by where they lead.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_csv
    >>> named(parse_csv("start,a")).moves
    {(0, 1): 'a'}
    """
    require_graph(graph)

    def naming() -> tuple[tuple[str, ...], dict[tuple[int, int], str]]:
        names = tuple(map(str, graph.labels))
        return names, {(v, to): names[to] for v, below in enumerate(graph.children) for to in below}

    return Opening(graph, naming, None, lambda v, _: {to: (str(graph.labels[to]), None) for to in graph.children[v]})


def named_othello(
    game: Othello,
    start: str,
    root: Position,
    graph: PositionGraph,
    *,
    mirrors: bool = False,
    budget: Budget | None = None,
) -> Opening:
    """Return a graph of Othello positions, called by the moves of one of the ways to them, such as `f5d6c3`.

    Parameters
    ----------
    game : Othello
    start : str
        The moves from the start of the game to `root`.
    root, graph, mirrors
        As for `transcripts`.
    budget : Budget, optional
        Its seconds are for the names, which raise `BudgetExceededError` when they are over.

    Examples
    --------
    >>> from mines_dd.boardgames.othello_graphs import best_play
    >>> game = Othello(4)
    >>> root = game.parse("b1a1a2")
    >>> opening = named_othello(game, "b1a1a2", root, best_play(game, root, depth=2))
    >>> opening.names, opening.moves
    (('b1a1a2', 'b1a1a2c1', 'b1a1a2c1d4'), {(0, 1): 'c1', (1, 2): 'd4'})
    """
    limits = Budget.of(budget)

    def naming() -> tuple[tuple[str, ...], dict[tuple[int, int], str]]:
        names = [""] * len(graph)
        names[0] = start or "start"
        moves = {}
        for v, played, child, move in limits.each(transcripts(game, root, graph, mirrors=mirrors)):
            moves[v, child] = move
            names[child] = names[child] or start + played + move
        return tuple(names), moves

    return Opening(graph, naming, root, partial(played_on, game, graph, mirrors=mirrors))


def learned(graph: PositionGraph, moves: Mapping[Hashable, Hashable]) -> dict[int, tuple[int, ...]]:
    """Return for each position that a repertoire reaches the positions that its moves lead to.

    Raises
    ------
    GraphFormatError
        If the moves are of another graph.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_csv
    >>> graph = parse_csv("start,a;start,b;a,c".replace(";", chr(10)))
    >>> learned(graph, {"start": "a"})
    {0: (2,), 2: (3,), 3: ()}
    """
    require(moves, Mapping, "a dict of moves, position -> position,", "repertoire(graph).moves is one")
    number = {label: v for v, label in enumerate(require_graph(graph).labels)}
    _require_positions(number, chain(moves, moves.values()))
    reached = {0}
    found = {}
    for v, (label, children) in enumerate(zip(graph.labels, graph.children, strict=True)):
        if v not in reached:
            continue
        found[v] = (number[moves[label]],) if label in moves else children
        if label in moves and found[v][0] not in children:
            move = f"move from {shown(label)} to {shown(moves[label])}"
            raise GraphFormatError(f"the repertoire is of another graph: this one has no {move}")
        reached.update(found[v])
    return found


def _require_positions(labels: Container[Hashable], positions: Iterable[Hashable]) -> None:
    """Refuse what a repertoire has where a graph of these labels has no such positions."""
    for label in positions:
        if label not in labels:
            raise GraphFormatError(f"the repertoire is of another graph: this one has no position {shown(label)}")


def _require(opening: Opening, repertoire: Repertoire) -> PositionGraph:
    """Refuse what is no opening, or no repertoire; return the opening's graph."""
    graph: PositionGraph = require(opening, Opening, "an Opening", "named(graph) makes one").graph
    require(repertoire, Repertoire, "a Repertoire", "repertoire(graph) makes one")
    _require_positions(set(graph.labels), repertoire.leaves)  # learned looks at its moves
    return graph


class Line(NamedTuple):
    """A line to learn: its number and its moves; or moves that lead into another line, and the number of that.

    Where that line is `mirrored`, it goes on from there on a board that is mirrored or turned.
    """

    line: int | None
    moves: tuple[str, ...]
    joins: int | None = None
    mirrored: bool = False

    def __str__(self) -> str:
        number = f"{self.line or '':3}  {_numbered(self.moves)}"
        return number if self.joins is None else f"{number}: line {self.joins}{', mirrored' * self.mirrored}"


def lines_to_learn(opening: Opening, repertoire: Repertoire, budget: Budget | None = None) -> list[Line]:
    """Return the lines of a repertoire, one a leaf, and where other lines meet them.

    All moves of a line are those of one game.  Where symmetric positions of Othello are one, a line may come to the
    mirror image of a position of another line; it says so, and the moves of that line are to be mirrored from there on.

    Raises
    ------
    BudgetExceededError
        If the time is over, or the lines would not fit into memory: there may be many, each of many moves.
    GraphFormatError
        If the repertoire is of another graph.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> from mines_dd.boardgames.umigame import repertoire
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
    >>> print(*lines_to_learn(named(graph), repertoire(graph, own=False)), sep=chr(10))
      1  1. a e
         1. b e: line 1
      2  1. c f
    """
    _require(opening, repertoire)
    limits, room = Budget.of(budget), 0  # how many more moves memory was asked for
    following = learned(opening.graph, repertoire.moves)
    into: dict[int, tuple[int, tuple[int, ...], int]] = {}  # position -> its line, the way into that, where it is on it
    boards: dict[int, Any] = {}  # how positions lie in the line that comes to them first
    above: list[tuple[int, int]] = []  # positions whose first move is followed just now, and how deep they are
    said: list[Line] = []
    lines = 0
    way: list[int] = []
    moves: list[str] = []
    stack: list[tuple[int, int, str, Any]] = [(0, 0, "", opening.board)]
    while stack:
        v, depth, move, board = stack.pop()
        way[depth:], moves[depth:] = [v], [move]  # that leads to v
        above.append((v, depth))
        boards.setdefault(v, board)
        if v not in into and following[v]:
            moved = opening.played_on(v, board)
            stack += [(child, depth + 1, *moved[child]) for child in reversed(following[v])]
            continue
        joins = v in into
        line, known, since = into[v] if joins else (lines + 1, (), 0)
        lines = max(lines, line)
        rest = known[since + 1 :]
        for here, child in pairwise((v, *rest)):
            move, board = opening.played_on(here, board)[child]
            moves.append(move)
        played, whole = tuple(moves[1:]), (*way, *rest)
        said.append(Line(None, played, line, board != boards[whole[-1]]) if joins else Line(line, played))
        into |= {w: (line, whole, at if joins else depth) for w, at in above if w not in into}
        above.clear()
        limits.check()
        room -= len(played)
        if room < 0:
            room = _MOVES_AT_ONCE
            limits.reserve(room * _BYTES_A_MOVE)
    return said


def save_opening(
    path: str | os.PathLike[str], opening: Opening, numbers: Sequence[int], repertoire: Repertoire, own: bool
) -> None:
    """Save a picture of an opening from left to right, with the number at each position and the lines to learn in red.

    In dark circles the side to move first is to move, in grey ones nobody; positions with several parents have green
    frames.  Of a graph too large to draw, only the lines to learn are.

    Parameters
    ----------
    path : path
    opening : Opening
    numbers : sequence of int
        What `position_numbers` returns.
    repertoire : Repertoire
    own : bool
        Whose repertoire it is: that of the graph's own side, or of the opponent.

    Raises
    ------
    MinesError
        If there is not one number for each position, the repertoire is of another graph or the other side, the picture
        is still too large, matplotlib is not installed, or the file cannot be written.

    Examples
    --------
    >>> save_opening("opening.png", opening, numbers, found, own=True)  # doctest: +SKIP
    """
    graph = _require(opening, repertoire)
    if len(require_list(numbers, "a list of numbers, as position_numbers(graph) returns,", MinesError)) != len(graph):
        raise MinesError(
            f"a number for each of the {counted(len(graph), 'position')} is needed, not {len(numbers)}; "
            "position_numbers(graph) returns them"
        )
    if any(graph.labels[v] in repertoire.moves and graph.own[v] != own for v in range(len(graph))):
        raise MinesError(f"the repertoire has moves of the other side; give own={not own}, or that of this side")
    following = learned(graph, repertoire.moves)
    kept: Collection[int] = range(len(graph)) if len(graph) <= LARGEST else list(following)
    if len(kept) > LARGEST:
        raise MinesError(
            f"a picture of the {len(kept):,} positions to learn would be too large; follow fewer moves (at most "
            f"{LARGEST} positions are drawn)"
        )
    at = {v: i for i, v in enumerate(kept)}
    moves = [(v, child) for v in kept for child in graph.children[v] if child in at]
    rank = dict.fromkeys(kept, 0)
    for v, child in moves:
        rank[child] = max(rank[child], rank[v] + 1)
    first, several = graph.own[0], set(graph.confluences)
    called = _called(opening, [following, {v: [child for child in graph.children[v] if child in at] for v in kept}])
    looks = [
        Look(
            str(numbers[v]),
            "#cccccc" if not graph.children[v] else "#333333" if graph.own[v] == first else "white",
            "#009E73" if v in several else "black",
            "white" if graph.children[v] and graph.own[v] == first else "black",
            name=called[v],
        )
        for v in kept
    ]
    marked = {(at[v], at[child]): "#D55E00" for v, below in following.items() for child in below}
    ends = [(at[v], at[child]) for v, child in moves]
    side = "the side to move first" if own == first else "the side to move second"
    title = f"lines that {side} has to learn from each position on: {repertoire.lines} in all, in red"
    title += "\ndark: the side to move first is to move; grey: an end; green frame: several ways lead there"
    if opening.board is not None:
        title += "\neach position is named by the last move of one way to it, a red one if there is"
    if len(kept) < len(graph):
        title += f"\nonly these of {len(graph):,} positions are drawn"
    save_graph(path, places([rank[v] for v in kept], ends), ends, [Panel(title, looks, marked)])


def _called(opening: Opening, graphs: Sequence[Mapping[int, Sequence[int]]]) -> dict[int, str]:
    """Call each position by the last move of a way to it: the first in the first of these graphs that reaches it."""
    called, boards = {0: opening.names[0]}, {0: opening.board}
    for below in graphs:
        seen: set[int] = set()
        stack = [(v, called[v], boards[v]) for v in reversed(called)]
        while stack:
            v, move, board = stack.pop()
            if v not in seen:
                seen.add(v)
                called.setdefault(v, move)
                moved = opening.played_on(v, boards.setdefault(v, board))
                stack += [(child, *moved[child]) for child in reversed(below[v])]
    return called


def _numbered(moves: Sequence[str]) -> str:
    """Moves in pairs, each with its number: `1. f5 d6 2. c3`."""
    return " ".join(f"{i // 2 + 1}. {move}" if i % 2 == 0 else move for i, move in enumerate(moves)) or "the root"
