"""Graphs of Othello positions for umigame numbers: which moves are followed, and which positions are the same.

A line is followed as long as its moves are good enough.  For example, with the moves of a position scored +2, 0 and -4
by the player to move, `Tolerance()` follows the first alone, `Tolerance(loss=2)` the first two, and
`Tolerance(loss=6, total=6)` all three, but after the third only best moves, because the line has lost its 6 discs.

Symmetric positions are one position unless `mirrors` counts them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require, require_flag, require_function, require_list, require_whole
from mines_dd.base.errors import MinesError
from mines_dd.base.wording import shown
from mines_dd.boardgames.othello import Othello, Position, Solver, require_game, require_position
from mines_dd.boardgames.position_graph import PositionGraph, require_graph

__all__ = ["Tolerance", "Turn", "best_play", "limits_of", "play_graph", "played_on", "scored_graph", "transcripts"]


class Turn(NamedTuple):
    """A position, whether the side to move is the one to move at the root, and the discs lost on the way, if limited.

    A leaf, which is one whatever was lost on the way, has the limit.

    Examples
    --------
    >>> game = Othello(4)
    >>> Turn(game.start, own=True).own
    True
    """

    position: Position
    own: bool
    lost: int = 0


class Tolerance(NamedTuple):
    """Which scored moves are followed.

    Attributes
    ----------
    loss : int
        The most discs that a move may score below the best of its position.
    total : int, optional
        The most discs that a line may lose, by the moves of both sides together.
    low, high : int
        The least and greatest score of a move that is followed, for the side to move at the root.

    Examples
    --------
    >>> Tolerance(loss=2).followed([2, 0, -4], own=True, lost=0)
    [(0, 0), (1, 2)]
    >>> Tolerance(loss=6, total=6).followed([2, 0, -4], own=True, lost=4)
    [(0, 4), (1, 6)]
    >>> Tolerance(loss=6, low=0).followed([2, 0, -4], own=True, lost=0)
    [(0, 0), (1, 2)]
    """

    loss: int = 0
    total: int | None = None
    low: int = -64
    high: int = 64

    def followed(self, scores: list[int], own: bool, lost: int) -> list[tuple[int, int]]:
        """Return the moves to follow, each as its index and the discs that the line has lost after it.

        Parameters
        ----------
        scores : list of int
            Of all moves of a position, for the player to move.
        own : bool
            Whether that is the side to move at the root.
        lost : int
            The discs that the line has lost before.
        """
        found = []
        for i, score in enumerate(scores):
            less = max(scores) - score
            seen = score if own else -score
            if (
                less <= self.loss
                and self.low <= seen <= self.high
                and (self.total is None or lost + less <= self.total)
            ):
                found.append((i, lost + less))
        return found


def limits_of(tolerance: Tolerance | None, depth: int | None) -> Tolerance:
    """Return which moves a graph follows, by default only best ones; it and the depth are checked.

    Raises
    ------
    MinesError
        If one of the numbers is none.

    Examples
    --------
    >>> limits_of(None, 3)
    Tolerance(loss=0, total=None, low=-64, high=64)
    """
    if depth is not None:
        require_whole(depth, "the depth", least=0)
    given = Tolerance() if tolerance is None else tolerance
    limits: Tolerance = require(given, Tolerance, "a Tolerance", "Tolerance(loss=2) is one")
    return Tolerance(
        require_whole(limits.loss, "the loss of a move", least=0),
        None if limits.total is None else require_whole(limits.total, "the loss of a line", least=0),
        require_whole(limits.low, "the least score"),
        require_whole(limits.high, "the greatest score"),
    )


def best_play(
    game: Othello,
    root: Position | None = None,
    *,
    tolerance: Tolerance | None = None,
    depth: int | None = None,
    solver: Solver | None = None,
    mirrors: bool = False,
    budget: Budget | None = None,
) -> PositionGraph:
    """Return the graph of positions that arise from `root` when both sides play best, by exhaustive search.

    Parameters
    ----------
    game : Othello
    root : Position, optional
        The start by default.
    tolerance : Tolerance, optional
        By default only best moves are followed.
    depth, mirrors
        As for `scored_graph`.
    solver : Solver, optional
        A solver of this game to use, with the values that it knows.
    budget : Budget, optional
        Its seconds are a limit for all, the search included.

    Raises
    ------
    BudgetExceededError
        As for `Solver.value`; or if the time is over.
    MinesError
        If the solver is that of another game, or the root no position of this one.

    Examples
    --------
    >>> game = Othello(4)
    >>> solver = Solver(game)
    >>> best_play(game, depth=2, solver=solver).leaves
    (2,)
    >>> len(best_play(game, depth=2, solver=solver, mirrors=True).leaves)  # each move has four images
    4
    """
    game = require_game(game)
    solver = Solver(game) if solver is None else require(solver, Solver, "a Solver", "Solver(game) makes one")
    if solver.game != game:
        raise MinesError(f"the solver is for boards of {solver.game.n} rows, not of {game.n}; take Solver(game)")

    def moves(position: Position) -> list[tuple[int, Position]]:
        following = [game.play(position, turn) for turn in game.turns(position)]
        return [(-solver.value(after, budget=budget), after) for after in following]

    return scored_graph(
        game, game.start if root is None else root, moves, tolerance, depth, mirrors=mirrors, budget=budget
    )


def play_graph(
    game: Othello, root: Position, following: Callable[[Position], Iterable[Position]], depth: int | None = None
) -> PositionGraph:
    """Return the graph of positions that arise from `root` by moves that `following` chooses.

    Symmetric positions are one position; labels are `Turn`s.

    Parameters
    ----------
    game : Othello
    root : Position
    following : function
        Folded position -> the positions after its chosen moves.
    depth : int, optional
        How many moves to follow; passes do not count, and none is made after the last.

    Examples
    --------
    >>> game = Othello(4)
    >>> def all_moves(position):
    ...     return [game.play(position, turn) for turn in game.turns(position)]
    >>> len(play_graph(game, game.start, all_moves, depth=3))
    16
    """
    require_function(following, "a function from a position to the chosen next ones")
    return scored_graph(game, root, lambda position: [(0, after) for after in following(position)], depth=depth)


def scored_graph(
    game: Othello,
    root: Position,
    moves: Callable[[Position], Iterable[tuple[int, Position]]],
    tolerance: Tolerance | None = None,
    depth: int | None = None,
    *,
    mirrors: bool = False,
    budget: Budget | None = None,
) -> PositionGraph:
    """Return the graph of positions that arise from `root` by moves that score well enough; labels are `Turn`s.

    Where the loss of a line is limited, a position with moves is one for each loss before it; a leaf is always one.

    Parameters
    ----------
    game : Othello
    root : Position
    moves : function
        Folded position -> (score for the player to move, position after it) of each move to choose from.  Scores are
        whole discs; a finer scale needs a `Tolerance` with a wider range of scores than -64 to 64.
    tolerance : Tolerance, optional
        By default only best moves are followed.
    depth : int, optional
        How many moves to follow; passes do not count, and none is made after the last.
    mirrors : bool
        Whether symmetric positions are different ones.
    budget : Budget, optional
        Its seconds are looked at before each position.

    Raises
    ------
    BudgetExceededError
        If the time is over.
    MinesError
        If `moves` returns anything else, or the root has discs where the game has no square.

    Examples
    --------
    >>> game = Othello(4)
    >>> def all_moves(position):
    ...     return [(0, game.play(position, turn)) for turn in game.turns(position)]
    >>> [len(scored_graph(game, game.start, all_moves, depth=1, mirrors=mirrors)) for mirrors in (False, True)]
    [2, 5]
    """
    game, root, mirrors = require_game(game), require_position(root), require_flag(mirrors, "mirrors")
    require_function(moves, "a function from a position to its moves, each a score and the position after it,")
    tolerance, limits = limits_of(tolerance, depth), Budget.of(budget)
    if (root.player | root.opponent) & ~game.full:
        raise MinesError(f"the root has discs where a board of {game.n} rows has no square")
    discs = (root.player | root.opponent).bit_count()
    known: dict[Turn, list[Turn]] = {}

    def images(position: Position, folded: set[Position]) -> Iterator[Position]:
        for turn in game.turns(position):
            after = game.play(position, turn)
            if game.folded(after) in folded:
                yield after

    def following(turn: Turn) -> list[Turn]:
        limits.check()
        position = turn.position
        if depth is not None and (position.player | position.opponent).bit_count() - discs >= depth:
            return []
        found_moves = moves(game.folded(position) if mirrors else position)
        choice = [_scored(move) for move in require_list(found_moves, "a list of moves", MinesError)]
        chosen = tolerance.followed([score for score, _ in choice], turn.own, turn.lost)
        lost: dict[Position, int] = {}
        for i, after_all in chosen:
            after = game.folded(choice[i][1])
            lost[after] = min(after_all, lost.get(after, after_all))
        found = images(position, set(lost)) if mirrors else lost
        limited = tolerance.total is not None
        return [Turn(after, not turn.own, lost[game.folded(after)] if limited else 0) for after in found]

    def successors(turn: Turn) -> list[Turn]:
        if turn not in known:
            known[turn] = following(turn)
        return known[turn]

    def merged(turn: Turn) -> list[Turn]:
        after = successors(turn)
        if tolerance.total is None:
            return after
        # Who has lost more follows no more moves: a leaf for some loss is one for the greatest.
        return [t if successors(t) else t._replace(lost=tolerance.total) for t in after]

    start = root if mirrors else game.folded(root)
    return PositionGraph.build(Turn(start, True), merged, lambda turn: turn.own)


def _scored(move: object) -> tuple[int, Position]:
    """Return what is a move's score and the position after it."""
    if not (isinstance(move, tuple) and len(move) == 2 and isinstance(move[1], Position)):
        raise MinesError(f"a move is its score and the position after it, such as (0, position), not {shown(move)}")
    return require_whole(move[0], "the score of a move"), move[1]


def played_on(
    game: Othello, graph: PositionGraph, v: int, board: Position, *, mirrors: bool = False
) -> dict[int, tuple[str, Position]]:
    """Return the moves of a graph's position on a board: position moved to -> name of the move, board after it.

    Where symmetric positions are one, every way there has a board of its own, and the names of the moves depend on it.

    Parameters
    ----------
    game : Othello
    graph : PositionGraph
        The result of `best_play`, `play_graph` or `scored_graph`.
    v : int
        The number of the position.
    board : Position
        An image of the position, as it lies after the moves that led there.
    mirrors : bool
        As for `scored_graph`.

    Examples
    --------
    >>> game = Othello(4)
    >>> graph = best_play(game, depth=1)
    >>> {child: name for child, (name, _) in played_on(game, graph, 0, game.start).items()}  # of four images the first
    {1: 'b1'}
    """
    wanted = {graph.labels[child].position: child for child in graph.children[v]}  # type: ignore[attr-defined]
    found = {}
    for turn in game.turns(board):
        if not wanted:
            break
        after = game.play(board, turn)
        child = wanted.pop(after if mirrors else game.folded(after), None)
        if child is not None:
            found[child] = (game.name(turn), after)
    return found


def transcripts(
    game: Othello,
    root: Position,
    graph: PositionGraph,
    moves: Mapping[Hashable, Hashable] | None = None,
    *,
    mirrors: bool = False,
) -> Iterator[tuple[int, str, int, str]]:
    """Yield the moves of a graph as (position, moves played since `root`, position moved to, the move).

    Each position's moves are yielded once, after one of the ways that lead to it.

    Parameters
    ----------
    game : Othello
    root : Position
        The root from which `graph` was built.
    graph : PositionGraph
        The result of `best_play`, `play_graph` or `scored_graph`.
    moves : mapping, optional
        The `moves` of a `Repertoire` of that graph: where that side is to move, no others are followed.
    mirrors : bool
        As for `scored_graph`.

    Examples
    --------
    >>> from mines_dd.boardgames.umigame import repertoire
    >>> game = Othello(4)
    >>> root = game.parse("b1a1a2")
    >>> graph = best_play(game, root, depth=3)
    >>> for _, played, _, move in transcripts(game, root, graph, repertoire(graph).moves):
    ...     print(f"{played:4} {move}")
         c1
    c1   d4
    c1d4 a3
    """
    game, graph, mirrors = require_game(game), require_graph(graph), require_flag(mirrors, "mirrors")
    chosen = {} if moves is None else require(moves, Mapping, "a dict of moves, as a Repertoire has,")
    seen = {0}
    stack = [(0, require_position(root), "")]
    while stack:
        v, board, played = stack.pop()
        label = graph.labels[v]
        found = []
        for child, (move, after) in played_on(game, graph, v, board, mirrors=mirrors).items():
            if label in chosen and graph.labels[child] != chosen[label]:
                continue
            yield v, played, child, move
            if child not in seen:
                seen.add(child)
                found.append((child, after, played + move))
        stack += reversed(found)
