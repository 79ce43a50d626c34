"""Othello on boards of 4x4, 6x6 and 8x8 squares: moves by bit operations, exact values, and the graph of best play.

A position is two integers, the discs of the player to move and those of the opponent; bit r * n + c is row r, column c,
so that a1 is bit 0 and b1 bit 1.  Values are differences of discs at the end of the game, for the player to move, where
squares left empty count for nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from mines_dd.base.budget import Budget
from mines_dd.base.errors import BoardFormatError
from mines_dd.boardgames.position_graph import PositionGraph

__all__ = ["PASS", "Othello", "Position", "Solver", "Turn", "best_play", "play_graph", "transcripts"]

PASS = -1
_COLUMNS = "abcdefgh"


class Position(NamedTuple):
    """The discs of the player to move, and those of the opponent."""

    player: int
    opponent: int


class Turn(NamedTuple):
    """A position, and whether it is the side that moved first at the root that is to move."""

    position: Position
    own: bool


@dataclass(frozen=True)
class Othello:
    """The rules on a board of n x n squares; n is 4, 6 or 8.

    Raises
    ------
    BoardFormatError
        For another size.
    """

    n: int = 8

    def __post_init__(self) -> None:
        if self.n not in (4, 6, 8):
            raise BoardFormatError(f"Othello is played here on boards of 4, 6 or 8 rows, not of {self.n}")

    @property
    def start(self) -> Position:
        """The position before the first move: black, to move, holds the centre's upper right and lower left squares."""
        square = self.n // 2 * (self.n + 1)
        return Position(1 << square - self.n | 1 << square - 1, 1 << square - self.n - 1 | 1 << square)

    @cached_property
    def full(self) -> int:
        """All squares."""
        return (1 << self.n * self.n) - 1

    @cached_property
    def _lines(self) -> tuple[tuple[int, int], ...]:
        """For each line through a square the step along it, and the squares on which a disc can be between others.

        That mask keeps lines from going on beyond an edge.
        """
        n = self.n
        edges = sum(1 << r * n | 1 << r * n + n - 1 for r in range(n))
        inner = self.full & ~edges
        return (1, inner), (n, self.full), (n + 1, inner), (n - 1, inner)

    @cached_property
    def _mirrored(self) -> tuple[int, ...]:
        """Each row of squares from right to left."""
        n = self.n
        return tuple(sum((row >> c & 1) << n - 1 - c for c in range(n)) for row in range(1 << n))

    @cached_property
    def _upright(self) -> tuple[int, ...]:
        """Each row of squares as the board's first column."""
        n = self.n
        return tuple(sum((row >> c & 1) << c * n for c in range(n)) for row in range(1 << n))

    def moves(self, position: Position) -> int:
        """Return the squares where the player to move may put a disc, as bits."""
        player, opponent = position
        found = 0
        for step, between in self._lines:
            enclosed = opponent & between
            up, down = player << step & enclosed, player >> step & enclosed
            for _ in range(self.n - 3):
                up |= up << step & enclosed
                down |= down >> step & enclosed
            found |= up << step | down >> step
        return found & ~(player | opponent) & self.full

    def flips(self, position: Position, square: int) -> int:
        """Return the discs that a disc on `square` turns over; none if it is no move."""
        player, opponent = position
        found = 0
        for step, between in self._lines:
            enclosed = opponent & between
            line, at = 0, 1 << square + step
            while at & enclosed:
                line |= at
                at <<= step
            if at & player:
                found |= line
            line, at = 0, 1 << square >> step
            while at & enclosed:
                line |= at
                at >>= step
            if at & player:
                found |= line
        return found

    def play(self, position: Position, square: int) -> Position:
        """Return the position after a move, or after a pass (`PASS`); the other player is to move in it."""
        player, opponent = position
        if square == PASS:
            return Position(opponent, player)
        turned = self.flips(position, square)
        return Position(opponent & ~turned, player | turned | 1 << square)

    def turns(self, position: Position) -> list[int]:
        """Return the squares to move to, or `PASS` where only the opponent can move; none at the end of the game."""
        moves = self.moves(position)
        if not moves:
            return [PASS] if self.moves(Position(position.opponent, position.player)) else []
        return list(_bits(moves))

    def symmetries(self, position: Position) -> Iterator[Position]:
        """Yield the position as seen in the 8 symmetries of the square, itself first."""
        for seen in zip(self._symmetries(position.player), self._symmetries(position.opponent), strict=True):
            yield Position(*seen)

    def folded(self, position: Position) -> Position:
        """Return the least of the position's symmetries: one for all of them."""
        return min(self.symmetries(position))

    def _symmetries(self, squares: int) -> Iterator[int]:
        n, low = self.n, (1 << self.n) - 1
        rows = [squares >> r * n & low for r in range(n)]
        for _ in range(2):
            mirrored = [self._mirrored[row] for row in rows]
            for image in (rows, rows[::-1], mirrored, mirrored[::-1]):
                yield sum(row << r * n for r, row in enumerate(image))
            columns = sum(self._upright[row] << r for r, row in enumerate(rows))
            rows = [columns >> r * n & low for r in range(n)]

    def parse(self, transcript: str) -> Position:
        """Return the position after moves such as `f5d6c3`; passes are not written.

        Raises
        ------
        BoardFormatError
            If there is something else than squares, or a move that the rules do not allow; the column is named.
        """
        position = self.start
        for at in range(0, len(transcript), 2):
            name = transcript[at : at + 2].lower()
            square = self.square(name)
            if square is None:
                raise BoardFormatError(
                    f"column {at + 1}: {name!r} is no square of a board of {self.n} rows; write moves as in f5d6c3",
                    column=at + 1,
                )
            if self.turns(position) == [PASS]:
                position = self.play(position, PASS)
            if not self.moves(position) >> square & 1:
                raise BoardFormatError(f"column {at + 1}: {name} is no move there", column=at + 1)
            position = self.play(position, square)
        return self.play(position, PASS) if self.turns(position) == [PASS] else position

    def square(self, name: str) -> int | None:
        """Return the square that a name such as `f5` stands for, if it does."""
        column = _COLUMNS[: self.n].find(name[:1])
        row = int(name[1:]) - 1 if name[1:].isascii() and name[1:].isdigit() else -1
        return row * self.n + column if name and column >= 0 and 0 <= row < self.n else None

    def name(self, square: int) -> str:
        """Return the name of a square, `f5`, or `--` for a pass."""
        return "--" if square == PASS else f"{_COLUMNS[square % self.n]}{square // self.n + 1}"

    def to_text(self, position: Position) -> str:
        """Return one line a row: `X` the player to move, `O` the opponent, `-` empty."""
        squares = [
            "X" if position.player >> i & 1 else "O" if position.opponent >> i & 1 else "-" for i in range(self.n**2)
        ]
        return "\n".join("".join(squares[r * self.n : (r + 1) * self.n]) for r in range(self.n))


class Solver:
    """Exact values of positions, kept from one question to the next.

    Parameters
    ----------
    game : Othello
    budget : Budget, optional
        Nodes are the positions kept.
    """

    def __init__(self, game: Othello, budget: Budget | None = None) -> None:
        self.game = game
        self._budget = budget or Budget()
        self._known: dict[Position, int] = {}

    def value(self, position: Position) -> int:
        """Return the difference of discs at the end, for the player to move, when both play best.

        Raises
        ------
        BudgetExceededError
            If more positions have to be looked at than allowed, or it takes too long.
        """
        key = self.game.folded(position)
        known = self._known.get(key)
        if known is None:
            # no deeper than the board has empty squares and passes
            turns = self.game.turns(position)
            if turns:
                known = max(-self.value(self.game.play(position, turn)) for turn in turns)
            else:
                known = position.player.bit_count() - position.opponent.bit_count()
            self._known[key] = known
            self._budget.check(len(self._known))
        return known

    def __len__(self) -> int:
        return len(self._known)


def best_play(
    game: Othello,
    root: Position | None = None,
    *,
    loss: int = 0,
    depth: int | None = None,
    solver: Solver | None = None,
) -> PositionGraph:
    """Return the positions that arise from `root` when both sides play best, symmetric ones folded; labels are `Turn`s.

    Parameters
    ----------
    game : Othello
    root : Position, optional
        The start by default.
    loss : int
        How many discs worse than the best a move may be.
    depth : int, optional
        How many moves to follow, passes aside; to the end of the game by default.
    solver : Solver, optional
        One that may know values already.

    Raises
    ------
    BudgetExceededError
        As the solver.
    """
    root = game.start if root is None else root
    solver = solver or Solver(game)

    def best(position: Position) -> list[Position]:
        following = [game.play(position, turn) for turn in game.turns(position)]
        values = [-solver.value(after) for after in following]
        return [after for after, value in zip(following, values, strict=True) if value >= max(values) - loss]

    return play_graph(game, root, best, depth)


def play_graph(
    game: Othello, root: Position, following: Callable[[Position], Iterable[Position]], depth: int | None = None
) -> PositionGraph:
    """Return the positions that arise from `root` by some of the moves, symmetric ones folded; labels are `Turn`s.

    Parameters
    ----------
    game : Othello
    root : Position
    following : function
        The positions after the moves that a folded position allows.
    depth : int, optional
        How many moves to follow, passes aside.
    """
    discs = (root.player | root.opponent).bit_count()

    def moves(turn: Turn) -> Iterator[Turn]:
        position = turn.position
        if depth is None or (position.player | position.opponent).bit_count() - discs < depth:
            for after in following(position):
                yield Turn(game.folded(after), not turn.own)

    return PositionGraph.build(Turn(game.folded(root), True), moves, lambda turn: turn.own)


def transcripts(
    game: Othello, root: Position, graph: PositionGraph, moves: Mapping[Hashable, Hashable]
) -> Iterator[tuple[str, str]]:
    """Yield a repertoire as what has been played since `root` (`f5d6`), and the move to answer with (`c3`).

    Each position is shown once, as one of the ways to it, unfolded.

    Parameters
    ----------
    game : Othello
    root : Position
        From where `graph` was made.
    graph : PositionGraph
        Of `best_play` or `play_graph`.
    moves : mapping
        The `moves` of a `Repertoire` on it.
    """
    number = {label: v for v, label in enumerate(graph.labels)}
    seen = {0}
    stack = [(0, root, "")]
    while stack:
        v, position, played = stack.pop()
        label = graph.labels[v]
        wanted = {number[moves[label]]} if label in moves else set(graph.children[v])
        found = []
        for turn in game.turns(position):
            after = game.play(position, turn)
            child = number.get(Turn(game.folded(after), not graph.own[v]))
            if child in wanted:
                wanted.remove(child)
                if label in moves:
                    yield played, game.name(turn)
                if child not in seen:
                    seen.add(child)
                    found.append((child, after, played + game.name(turn)))
        stack += reversed(found)


def _bits(squares: int) -> Iterator[int]:
    while squares:
        yield (squares & -squares).bit_length() - 1
        squares &= squares - 1
