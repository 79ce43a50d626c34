"""Retrograde analysis: every position of a finite two-player game is a win, a loss or a draw for the player to move.

Positions are vertices and moves are edges.  A position is won if some move leads to a lost position, and lost if all
its moves lead to won positions; so a position without moves is lost.  A draw is a position for which neither follows
(ももも: 限界！アルゴリズム 後退解析, slides, 2023).  For example, in the game

    0 <- 1 <- 2      0 has no move and is lost; 1 is won; 2 may move to 1, which is won, or to 3
              ⇅      3 may only move to 2
              3      neither 2 nor 3 can be shown to be won or lost: both are draws

`solve` works backwards from the ends, in O(V + E): it counts for each position the moves that do not lead to a won
position yet, and the position is lost when the count is 0.  `retrograde_symbolic` computes the same sets with BDDs.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from mines_dd.base.checks import require, require_whole
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.jit import kernel
from mines_dd.base.wording import shown

__all__ = [
    "DRAW",
    "LOSS",
    "OPEN",
    "WIN",
    "Game",
    "Solution",
    "Verdict",
    "directed",
    "require_game",
    "solve",
    "solve_graph",
]

Indices = npt.NDArray[np.int32]
Outcomes = npt.NDArray[np.int8]

# The outcome for the player to move; at an open position it follows from the moves.
WIN, DRAW, LOSS, OPEN = 1, 0, -1, 2

_MOST = 2**31 - 1  # positions


@dataclass(frozen=True, eq=False)
class Game:
    """The graph of a game.

    Attributes
    ----------
    given : int8 array
        For each position `WIN`, `DRAW` or `LOSS`, for the player to move, if the game is over there (its moves are
        then ignored), else `OPEN`.  An open position without moves is lost.
    source, target : int32 arrays
        For each move the positions before and after it.  A move may occur several times.

    Arrays of these kinds are kept, not copied: they have to stay as they are.

    Raises
    ------
    GraphFormatError
        If the arrays have different lengths or contain anything else.

    Examples
    --------
    >>> Game(given=[DRAW, OPEN], source=[1], target=[0]).given.tolist()
    [0, 2]
    """

    given: Outcomes
    source: Indices
    target: Indices

    def __post_init__(self) -> None:
        try:
            given, source, target = (np.asarray(array) for array in (self.given, self.source, self.target))
        except ValueError:
            raise GraphFormatError("a game is made of three flat arrays, and a list of lists is none") from None
        if given.ndim != 1 or source.ndim != 1 or source.shape != target.shape:
            raise GraphFormatError(
                f"a game needs an outcome for each position and a source and a target for each move, three flat arrays;"
                f" these have the shapes {given.shape}, {source.shape} and {target.shape}"
            )
        positions = len(given)
        if not np.isin(given, (WIN, DRAW, LOSS, OPEN)).all():
            raise GraphFormatError("a given outcome has to be WIN (1), DRAW (0), LOSS (-1) or OPEN (2)")
        ends: Any
        for ends in (source, target):
            if len(ends) and not np.issubdtype(ends.dtype, np.integer):
                raise GraphFormatError(f"the ends of the moves have to be whole numbers, not {ends.dtype}")
            if len(ends) and (ends.min() < 0 or ends.max() >= positions):
                e = int(np.argmax((ends < 0) | (ends >= positions)))
                raise GraphFormatError(
                    f"move {e} goes from {source[e]} to {target[e]}; the positions are 0 to {positions - 1}"
                )
        object.__setattr__(self, "given", given.astype(np.int8, copy=False))
        object.__setattr__(self, "source", np.ascontiguousarray(source, np.int32))
        object.__setattr__(self, "target", np.ascontiguousarray(target, np.int32))

    @classmethod
    def from_moves(cls, positions: int, source: npt.ArrayLike, target: npt.ArrayLike) -> Game:
        """Return the game of this number of open positions with these moves.

        Examples
        --------
        >>> game = Game.from_moves(4, source=[1, 2, 2, 3], target=[0, 1, 3, 2])
        >>> game.given.tolist()  # all open
        [2, 2, 2, 2]
        """
        n = require_whole(positions, "the number of positions", GraphFormatError, least=0, most=_MOST)
        return cls(np.full(n, OPEN, np.int8), cast(Indices, source), cast(Indices, target))

    @classmethod
    def from_graph(cls, graph: Any, given: Mapping[Any, int] | None = None) -> Game:
        """Return the game of a networkx DiGraph or MultiDiGraph; position i is its i-th node.

        Raises
        ------
        GraphFormatError
            If the graph is not directed, or an outcome is given for something that is not a node.

        Examples
        --------
        >>> import networkx as nx
        >>> Game.from_graph(nx.DiGraph([("a", "b"), ("b", "c")]), given={"c": WIN}).given.tolist()
        [2, 2, 1]
        """
        index = {node: i for i, node in enumerate(directed(graph))}
        outcomes = {} if given is None else require(given, Mapping, "a dict of outcomes", error=GraphFormatError)
        for node in outcomes:
            if node not in index:
                raise GraphFormatError(f"an outcome is given for {shown(node)}, which is no node of the graph")
        ends = np.array([(index[u], index[v]) for u, v in graph.edges()], np.int32).reshape(-1, 2)
        return cls(cast(Outcomes, [outcomes.get(node, OPEN) for node in index]), ends[:, 0], ends[:, 1])


def require_game(game: object) -> Game:
    """Return a value if it is a `Game`.

    Examples
    --------
    >>> try:
    ...     require_game(3)
    ... except GraphFormatError as error:
    ...     print(error)
    a Game is needed, not a value of type int; Game.from_graph and Game.from_moves make one
    """
    how = "Game.from_graph and Game.from_moves make one"
    found: Game = require(game, Game, "a Game", how, GraphFormatError)
    return found


def directed(graph: Any) -> Any:
    """Return a graph of networkx if it is directed.

    Examples
    --------
    >>> import networkx as nx
    >>> try:
    ...     directed(nx.path_graph(2))
    ... except GraphFormatError as error:
    ...     print(error)
    the graph of a game has to be directed; write an undirected move as two edges
    """
    if isinstance(graph, type) or not hasattr(graph, "is_directed"):
        raise GraphFormatError(f"a networkx.DiGraph is needed, not a value of type {type(graph).__name__}")
    if not graph.is_directed():
        raise GraphFormatError("the graph of a game has to be directed; write an undirected move as two edges")
    return graph


@dataclass(frozen=True, eq=False)
class Solution:
    """The outcome of every position of a game under best play.

    Attributes
    ----------
    game : Game
    outcome : int8 array
        `WIN`, `DRAW` or `LOSS` for the player to move.
    distance : int32 array
        The number of moves to the end if the winner takes the shortest way and the loser the longest; -1 for a draw.

    Examples
    --------
    >>> game = Game.from_moves(4, source=[1, 2, 2, 3], target=[0, 1, 3, 2])
    >>> solution = solve(game)
    >>> solution.outcome.tolist(), solution.distance.tolist()
    ([-1, 1, 0, 0], [0, 1, -1, -1])
    """

    game: Game
    outcome: Outcomes
    distance: Indices

    @cached_property
    def best(self) -> npt.NDArray[np.int64]:
        """For each position the first best move, in the game's order; -1 where the game is over.

        A best move is the quickest one to win, the slowest one to lose, or a move to a draw from a draw.

        Examples
        --------
        >>> game = Game.from_moves(4, source=[1, 2, 2, 3], target=[0, 1, 3, 2])
        >>> solve(game).best.tolist()
        [-1, 0, 2, 3]
        """
        source, target = self.game.source, self.game.target
        keeps = self.outcome[source] == -self.outcome[target]
        decided = self.distance[source] >= 0
        keeps &= ~decided | (self.distance[source] == self.distance[target] + 1)
        keeps &= self.game.given[source] == OPEN
        moves = np.flatnonzero(keeps)[::-1]
        first = np.full(len(self.outcome), -1, np.int64)
        first[source[moves]] = moves  # numpy keeps the last of several, which is the first move
        return first

    def line(self, position: int) -> list[int]:
        """Return the best moves of both sides from a position to the end; for a draw, until a position repeats.

        Examples
        --------
        >>> game = Game.from_moves(4, source=[3, 2, 1], target=[2, 1, 0])
        >>> solve(game).line(3)  # moves 0, 1, 2
        [0, 1, 2]
        """
        most = len(self.outcome) - 1
        position = require_whole(position, "the number of the position", GraphFormatError, least=0, most=most)
        moves, seen = [], set[int]()
        while position not in seen and self.best[position] >= 0:
            seen.add(position)
            moves.append(int(self.best[position]))
            position = int(self.game.target[moves[-1]])
        return moves


def solve(game: Game) -> Solution:
    """Return the outcomes and distances of all positions, by backward propagation in O(V + E).

    Examples
    --------
    >>> game = Game.from_moves(4, source=[1, 2, 2, 3], target=[0, 1, 3, 2])
    >>> solve(game).outcome.tolist()  # LOSS, WIN, DRAW, DRAW
    [-1, 1, 0, 0]
    """
    outcome = require_game(game).given.copy()
    distance = np.full(len(outcome), -1, np.int32)
    _propagate.run(4 * len(game.source) + len(outcome), game.source, game.target, outcome, distance)
    outcome[outcome == OPEN] = DRAW
    return Solution(game, outcome, distance)


class Verdict(NamedTuple):
    """The outcome for the player to move, the moves to the end (None: a draw), the node to move to (None: the end)."""

    outcome: int
    distance: int | None
    move: Hashable | None


def solve_graph(graph: Any, given: Mapping[Any, int] | None = None) -> dict[Any, Verdict]:
    """Solve a game given as a networkx DiGraph or MultiDiGraph.

    Parameters
    ----------
    graph : networkx.DiGraph or networkx.MultiDiGraph
    given : mapping from node to WIN, DRAW or LOSS, optional
        The nodes where the game is over; every other node, or one that is OPEN here, is lost if it has no successor.

    Raises
    ------
    GraphFormatError
        If the graph is undirected, or `given` names no node of it, or another outcome.

    Examples
    --------
    >>> import networkx as nx
    >>> take_one_or_two = nx.DiGraph([(n, n - k) for n in range(5) for k in (1, 2) if k <= n])
    >>> solve_graph(take_one_or_two)[4]
    Verdict(outcome=1, distance=3, move=3)
    """
    solution = solve(Game.from_graph(graph, given))
    nodes = list(graph)
    moves = [None if e < 0 else nodes[solution.game.target[e]] for e in solution.best.tolist()]
    distances = [None if d < 0 else d for d in solution.distance.tolist()]
    return dict(zip(nodes, map(Verdict, solution.outcome.tolist(), distances, moves), strict=True))


@kernel
def _propagate(source: Any, target: Any, outcome: Any, distance: Any) -> None:
    """Replace OPEN by WIN and LOSS wherever one follows, breadth first, and set the distances."""
    positions = len(outcome)
    unrefuted = np.zeros(positions, np.int32)
    first = np.zeros(positions + 1, np.int64)
    for e in range(len(source)):
        unrefuted[source[e]] += 1
        first[target[e]] += 1
    # The predecessors of v become before[first[v]:first[v + 1]], filled from the back.
    for v in range(positions):
        first[v + 1] += first[v]
    before = np.empty(len(source), np.int32)
    for e in range(len(source)):
        v = target[e]
        first[v] -= 1
        before[first[v]] = source[e]
    queue = np.empty(positions, np.int32)
    head = tail = 0
    for v in range(positions):
        if outcome[v] == OPEN and unrefuted[v] == 0:
            outcome[v] = LOSS
        if outcome[v] == WIN or outcome[v] == LOSS:
            distance[v] = 0
            queue[tail] = v
            tail += 1
    while head < tail:
        v = queue[head]
        head += 1
        for i in range(first[v], first[v + 1]):
            u = before[i]
            if outcome[u] != OPEN:
                continue
            if outcome[v] == WIN:
                unrefuted[u] -= 1
                if unrefuted[u] > 0:
                    continue
            # Breadth first, so the last move to be refuted delays longest, and the first move found to win is quickest.
            outcome[u] = -outcome[v]
            distance[u] = distance[v] + 1
            queue[tail] = u
            tail += 1
