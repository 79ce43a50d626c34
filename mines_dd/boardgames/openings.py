"""Openings in words and pictures: what each position and move is called, the lines to learn, and the graph drawn."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require
from mines_dd.base.errors import MinesError
from mines_dd.boardgames.graph_picture import LARGEST, Look, Panel, places, save_graph
from mines_dd.boardgames.othello import Othello, Position
from mines_dd.boardgames.othello_graphs import transcripts
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

    Examples
    --------
    >>> graph = PositionGraph(["start", "a"], (True, False), [(1,), ()])
    >>> named(graph).names, named(graph).moves
    (('start', 'a'), {(0, 1): 'a'})
    """

    graph: PositionGraph
    naming: Callable[[], tuple[tuple[str, ...], dict[tuple[int, int], str]]]

    @cached_property
    def _called(self) -> tuple[tuple[str, ...], dict[tuple[int, int], str]]:
        return self.naming()

    @property
    def names(self) -> tuple[str, ...]:
        """What the positions are called."""
        return self._called[0]

    @property
    def moves(self) -> dict[tuple[int, int], str]:
        """What the moves are called: (position, next position) -> name."""
        return self._called[1]


def named(graph: PositionGraph) -> Opening:
    """Return a graph whose positions are called by their labels, and moves by where they lead.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_csv
    >>> named(parse_csv("start,a")).moves
    {(0, 1): 'a'}
    """

    def naming() -> tuple[tuple[str, ...], dict[tuple[int, int], str]]:
        names = tuple(map(str, graph.labels))
        return names, {(v, to): names[to] for v, below in enumerate(graph.children) for to in below}

    return Opening(graph, naming)


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

    return Opening(graph, naming)


def learned(graph: PositionGraph, moves: Mapping[Hashable, Hashable]) -> dict[int, tuple[int, ...]]:
    """Return for each position that a repertoire reaches the positions that its moves lead to.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_csv
    >>> graph = parse_csv("start,a;start,b;a,c".replace(";", chr(10)))
    >>> learned(graph, {"start": "a"})
    {0: (2,), 2: (3,), 3: ()}
    """
    require(moves, Mapping, "a dict of moves, position -> position,", "repertoire(graph).moves is one")
    graph = require_graph(graph)
    number = {label: v for v, label in enumerate(graph.labels)}
    reached = {0}
    found = {}
    for v, children in enumerate(graph.children):
        if v in reached:
            move = moves.get(graph.labels[v])
            found[v] = children if move is None else (number[move],)
            reached.update(found[v])
    return found


class Line(NamedTuple):
    """A line to learn: its number and its moves; or moves that lead into another line, and the number of that."""

    line: int | None
    moves: tuple[str, ...]
    joins: int | None = None

    def __str__(self) -> str:
        number = f"{self.line or '':3}  {_numbered(self.moves)}"
        return number if self.joins is None else f"{number}: line {self.joins}"


def lines_to_learn(opening: Opening, repertoire: Repertoire, budget: Budget | None = None) -> list[Line]:
    """Return the lines of a repertoire, one a leaf, and where other lines meet them.

    Raises
    ------
    BudgetExceededError
        If the time is over, or the lines would not fit into memory: there may be many, each of many moves.

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
    require(opening, Opening, "an Opening", "named(graph) makes one")
    require(repertoire, Repertoire, "a Repertoire", "repertoire(graph) makes one")
    limits, room = Budget.of(budget), 0  # how many more moves memory was asked for
    following = learned(opening.graph, repertoire.moves)
    into: dict[int, tuple[int, tuple[str, ...], int]] = {}  # position -> its line, moves into that, how many to here
    above: list[tuple[int, int]] = []  # positions whose first move is followed just now, and how deep they are
    said: list[Line] = []
    lines = 0
    path: list[str] = []
    stack: list[tuple[int, int, str]] = [(0, 0, "")]
    while stack:
        v, depth, move = stack.pop()
        path[depth:] = [move]  # that leads to v
        above.append((v, depth))
        if v not in into and following[v]:
            stack += [(child, depth + 1, opening.moves[v, child]) for child in reversed(following[v])]
            continue
        joins = v in into
        line, rest, since = into[v] if joins else (lines + 1, (), 0)
        lines = max(lines, line)
        played = (*path[1:], *rest[since:])
        said.append(Line(None, played, line) if joins else Line(line, played))
        into |= {w: (line, played, at if joins else depth) for w, at in above if w not in into}
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
        If it is still too large, matplotlib is not installed, or the file cannot be written.

    Examples
    --------
    >>> save_opening("opening.png", opening, numbers, found, own=True)  # doctest: +SKIP
    """
    graph, following = opening.graph, learned(opening.graph, repertoire.moves)
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
    called = {0: opening.names[0]} | {to: move for (_, to), move in opening.moves.items()}
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
    if len(kept) < len(graph):
        title += f"\nonly these of {len(graph):,} positions are drawn"
    save_graph(path, places([rank[v] for v in kept], ends), ends, [Panel(title, looks, marked)])


def _numbered(moves: Sequence[str]) -> str:
    """Moves in pairs, each with its number: `1. f5 d6 2. c3`."""
    return " ".join(f"{i // 2 + 1}. {move}" if i % 2 == 0 else move for i, move in enumerate(moves)) or "the root"
