"""Othello on boards of 4x4, 6x6 and 8x8 squares: moves by bit operations, and exact values.

A position is two integers, the discs of the player to move and those of the opponent.  Bit r * n + c is the square in
row r and column c, so a1 is bit 0 and b1 is bit 1.  The value of a position is the difference of discs at the end of
the game, for the player to move; empty squares count for nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require, require_whole
from mines_dd.base.errors import BoardFormatError
from mines_dd.base.wording import shown

__all__ = ["PASS", "Othello", "Position", "Solver", "require_game", "require_position"]

PASS = -1
_COLUMNS = "abcdefgh"
_BYTES = 400  # of a position whose value is known


class Position(NamedTuple):
    """The discs of the player to move and those of the opponent, as bits.

    Examples
    --------
    >>> Othello(4).start
    Position(player=576, opponent=1056)
    """

    player: int
    opponent: int


@dataclass(frozen=True)
class Othello:
    """The rules on a board of n x n squares; n is 4, 6 or 8.

    Raises
    ------
    BoardFormatError
        If n is another size.

    Examples
    --------
    >>> game = Othello(4)
    >>> [game.name(square) for square in game.turns(game.start)]
    ['b1', 'a2', 'd3', 'c4']
    """

    n: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", require_whole(self.n, "the number of rows", BoardFormatError))
        if self.n not in (4, 6, 8):
            raise BoardFormatError(f"Othello is played here on boards of 4, 6 or 8 rows, not of {shown(self.n)}")

    @property
    def start(self) -> Position:
        """The first position: black is to move and has the upper right and the lower left square of the centre."""
        square = self.n // 2 * (self.n + 1)
        return Position(1 << square - self.n | 1 << square - 1, 1 << square - self.n - 1 | 1 << square)

    @cached_property
    def full(self) -> int:
        """The mask of all squares."""
        return (1 << self.n * self.n) - 1

    @cached_property
    def _lines(self) -> tuple[tuple[int, int], ...]:
        """For each direction of a line: its step, and the mask of squares that can lie between two others on it.

        The mask stops lines at the edges of the board.
        """
        n = self.n
        edges = sum(1 << r * n | 1 << r * n + n - 1 for r in range(n))
        inner = self.full & ~edges
        return (1, inner), (n, self.full), (n + 1, inner), (n - 1, inner)

    @cached_property
    def _mirrored(self) -> tuple[int, ...]:
        """For each row of squares, as bits, the row from right to left."""
        n = self.n
        return tuple(sum((row >> c & 1) << n - 1 - c for c in range(n)) for row in range(1 << n))

    @cached_property
    def _upright(self) -> tuple[int, ...]:
        """For each row of squares, as bits, the same squares in the first column of a board."""
        n = self.n
        return tuple(sum((row >> c & 1) << c * n for c in range(n)) for row in range(1 << n))

    def moves(self, position: Position) -> int:
        """Return the squares where the player to move may put a disc, as bits.

        Examples
        --------
        >>> game = Othello(4)
        >>> bin(game.moves(game.start))
        '0b100100000010010'
        """
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
        """Return the discs that a disc on `square` turns over, as bits; 0 if it is not a move.

        Raises
        ------
        BoardFormatError
            If there is no such square.

        Examples
        --------
        >>> game = Othello(4)
        >>> bin(game.flips(game.start, game.square("b1")))  # b2
        '0b100000'
        """
        return self._flips(position, self._square(square))

    def _flips(self, position: Position, square: int) -> int:
        player, opponent = position
        found = 0
        if square == PASS or (player | opponent) >> square & 1:
            return 0
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
        """Return the position after a move or a pass (`PASS`), seen by the other player, who is then to move.

        Raises
        ------
        BoardFormatError
            If there is no such square, or a disc on it turns none over.

        Examples
        --------
        >>> game = Othello(4)
        >>> print(game.to_text(game.play(game.start, game.square("b1"))))
        -O--
        -OO-
        -OX-
        ----
        """
        player, opponent = position
        square = self._square(square)
        if square == PASS:
            return Position(opponent, player)
        turned = self._flips(position, square)
        if not turned:
            raise BoardFormatError(f"{self.name(square)} is no move in this position; turns returns the moves")
        return Position(opponent & ~turned, player | turned | 1 << square)

    def _square(self, square: object) -> int:
        what = 'the number of the square, which Othello.square("b1") returns,'
        return require_whole(square, what, BoardFormatError, least=PASS, most=self.n * self.n - 1)

    def turns(self, position: Position) -> list[int]:
        """Return the moves: squares, or only `PASS` if the opponent alone can move, or nothing at the end of the game.

        Examples
        --------
        >>> game = Othello(4)
        >>> game.turns(game.start)
        [1, 4, 11, 14]
        """
        moves = self.moves(position)
        if not moves:
            player, opponent = position
            return [PASS] if self.moves(Position(opponent, player)) else []
        return list(_bits(moves))

    def symmetries(self, position: Position) -> Iterator[Position]:
        """Yield the 8 images of a position under the symmetries of the board, the position itself first.

        Examples
        --------
        >>> game = Othello(4)
        >>> len(set(game.symmetries(game.start)))
        2
        """
        require_position(position)
        for seen in zip(self._symmetries(position.player), self._symmetries(position.opponent), strict=True):
            yield Position(*seen)

    def folded(self, position: Position) -> Position:
        """Return the least of the 8 images of a position: the same for all of them.

        Examples
        --------
        >>> game = Othello(4)
        >>> game.folded(game.parse("b1")) == game.folded(game.parse("d3"))
        True
        """
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
        """Return the position after moves such as `f5d6c3`; passes are implied.

        Raises
        ------
        BoardFormatError
            If there is anything but squares, or a move that the rules forbid; the error names the column.

        Examples
        --------
        >>> game = Othello(4)
        >>> print(game.to_text(game.parse("b1a1")))
        OX--
        -OX-
        -XO-
        ----
        """
        require(transcript, str, "a text of moves", "write them as in f5d6c3", BoardFormatError)
        position = self.start
        for at in range(0, len(transcript), 2):
            name = transcript[at : at + 2].lower()
            square = self.square(name)
            if square is None:
                raise BoardFormatError(
                    f"character {at + 1}: {name!r} is no square of a board of {self.n} rows; write moves as in f5d6c3",
                    column=at + 1,
                )
            if self.turns(position) == [PASS]:
                position = self.play(position, PASS)
            if not self.moves(position) >> square & 1:
                raise BoardFormatError(f"character {at + 1}: {name} is no move there", column=at + 1)
            position = self.play(position, square)
        return self.play(position, PASS) if self.turns(position) == [PASS] else position

    def square(self, name: str) -> int | None:
        """Return the square with a name such as `f5`; None if there is no such square.

        Examples
        --------
        >>> Othello().square("f5"), Othello().square("j1")
        (37, None)
        """
        require(name, str, "the name of a square")
        column = _COLUMNS[: self.n].find(name[:1])
        row = int(name[1:]) - 1 if name[1:].isascii() and name[1:].isdigit() else -1
        return row * self.n + column if name and column >= 0 and 0 <= row < self.n else None

    def name(self, square: int) -> str:
        """Return the name of a square, such as `f5`, or `--` for a pass.

        Examples
        --------
        >>> Othello().name(37), Othello().name(PASS)
        ('f5', '--')
        """
        return "--" if square == PASS else f"{_COLUMNS[square % self.n]}{square // self.n + 1}"

    def to_text(self, position: Position) -> str:
        """Return the board as text: `X` for the player to move, `O` for the opponent, `-` for an empty square.

        Examples
        --------
        >>> game = Othello(4)
        >>> print(game.to_text(game.start))
        ----
        -OX-
        -XO-
        ----
        """
        require_position(position)
        squares = [
            "X" if position.player >> i & 1 else "O" if position.opponent >> i & 1 else "-" for i in range(self.n**2)
        ]
        return "\n".join("".join(squares[r * self.n : (r + 1) * self.n]) for r in range(self.n))


class Solver:
    """Exact values of positions by exhaustive search; values are kept for later questions.

    Parameters
    ----------
    game : Othello
    budget : Budget, optional
        Its nodes are the positions kept.

    Examples
    --------
    >>> game = Othello(4)
    >>> solver = Solver(game)
    >>> solver.value(game.start), len(solver)  # the second player wins by 8
    (-8, 12351)
    """

    def __init__(self, game: Othello, budget: Budget | None = None) -> None:
        self.game = require_game(game)
        self._budget = Budget.of(budget)
        self._known: dict[Position, int] = {}

    def value(self, position: Position, *, budget: Budget | None = None) -> int:
        """Return the difference of discs at the end, for the player to move, if both play best.

        Parameters
        ----------
        position : Position
        budget : Budget, optional
            Its seconds are a limit for this question, beside those of the solver.

        Raises
        ------
        BudgetExceededError
            If more positions must be searched than allowed, or than there is memory for, or it takes too long.

        Examples
        --------
        >>> game = Othello(4)
        >>> Solver(game).value(game.parse("b1a1a2"))
        8
        """
        key = self.game.folded(position)
        known = self._known.get(key)
        if known is None:
            # the recursion is no deeper than the number of empty squares and passes
            turns = self.game.turns(position)
            if turns:
                known = max(-self.value(self.game.play(position, turn), budget=budget) for turn in turns)
            else:
                known = position.player.bit_count() - position.opponent.bit_count()
            self._known[key] = known
            self._check(budget)
        return known

    def _check(self, budget: Budget | None) -> None:
        size = len(self._known)
        self._budget.check(size)
        if budget is not None:
            Budget.of(budget).check()
        if size.bit_count() == 1:  # there may be as many again until the next look
            self._budget.reserve(size * _BYTES)

    def __len__(self) -> int:
        return len(self._known)


def require_game(game: object) -> Othello:
    """Return a value if it is a game of Othello.

    Examples
    --------
    >>> require_game(Othello(4))
    Othello(n=4)
    """
    found: Othello = require(game, Othello, "a game of Othello", "Othello(8) is one")
    return found


def require_position(position: object) -> Position:
    """Return a value if it is a `Position`.

    Examples
    --------
    >>> require_position(Othello(4).start)
    Position(player=576, opponent=1056)
    """
    found: Position = require(position, Position, "a Position", "Othello().parse returns one")
    return found


def _bits(squares: int) -> Iterator[int]:
    while squares:
        yield (squares & -squares).bit_length() - 1
        squares &= squares - 1
