"""Two endgames of chess as games for retrograde analysis: king and rook, or king and queen, against king.

`chess_pawn` has king and pawn against king.

White has the piece.  There is no castling, no rule of fifty moves and no draw by repetition.  Black loses when mated,
and draws by stalemate or by capturing the piece.

Squares are numbers, a1 = 0, b1 = 1, ..., h8 = 63.  A position is the number side << 18 | white king << 12 |
piece << 6 | black king.  The number `POSITIONS` stands for all positions in which the piece has been captured.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.base.checks import require, require_whole
from mines_dd.base.errors import MinesError
from mines_dd.base.wording import shown
from mines_dd.boardgames.retrograde import DRAW, OPEN, Game, Solution

__all__ = [
    *("BLACK", "NAMES", "POSITIONS", "RAYS", "WHITE"),
    *("diagram", "distinct", "endgame", "line", "near_squares", "position", "squares_of", "step"),
]

Squares = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

WHITE, BLACK = 0, 1
POSITIONS = 2**19

_STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, -1), (-1, 1))
RAYS = {"R": _STRAIGHT, "Q": _STRAIGHT + _DIAGONAL}
NAMES = [file + rank for rank in "12345678" for file in "abcdefgh"]


def position(side: int, king: str, piece: str, black: str) -> int:
    """Return the number of a position, from the side to move and the squares of white king, piece and black king.

    Examples
    --------
    >>> from mines_dd.boardgames.retrograde import solve
    >>> game, legal = endgame("R")
    >>> solution = solve(game)
    >>> start = position(WHITE, "g6", "a7", "h8")
    >>> bool(legal[start]), int(solution.outcome[start]), line(solution, start, "R")
    (True, 1, '1. Ra8#')

    Raises
    ------
    MinesError
        If there is no such side or square.
    """
    code = require_whole(side, "the side to move, WHITE (0) or BLACK (1),", least=WHITE, most=BLACK)
    for square in (king, piece, black):
        if not isinstance(square, str) or square not in NAMES:
            raise MinesError(f"there is no square {shown(square)}; squares are a1 to h8")
        code = code << 6 | NAMES.index(square)
    return code


def endgame(piece: str) -> tuple[Game, Mask]:
    """Return the game of king and "R" or "Q" against king, and a mask of which of the `POSITIONS` are legal.

    Illegal positions are in the game as draws without moves.  So is its last node, for a captured piece.  The mask and
    `distinct` leave it out: `solution.outcome[:POSITIONS][legal]` are the outcomes of the legal ones.

    Raises
    ------
    MinesError
        If the piece is neither.

    Examples
    --------
    >>> game, legal = endgame("R")
    >>> int(legal.sum())
    399112
    """
    if not isinstance(piece, str) or piece not in RAYS:
        raise MinesError(f"the piece of an endgame is R, a rook, or Q, a queen, not {shown(piece)}")
    side, king, slider, black = squares_of(np.arange(POSITIONS))
    near, attacked = near_squares(), _attacked(piece)
    check = attacked[king, slider, black]
    legal = (king != slider) & (slider != black) & ~near[king, black] & ((side == BLACK) | ~check)
    moves: list[tuple[Squares, Squares]] = []

    def add(mask: Mask, before: Squares, side: int, king: Squares, slider: Squares, black: Squares) -> None:
        after = np.broadcast_to(side << 18 | king << 12 | slider << 6 | black, mask.shape)
        moves.append((before[mask], after[mask]))

    white = np.flatnonzero(legal & (side == WHITE))
    k, s, b = king[white], slider[white], black[white]
    for direction in RAYS["Q"]:
        to, on_board = step(k, direction, 1)
        add(on_board & (to != s) & ~near[to, b], white, BLACK, to, s, b)
    for direction in RAYS[piece]:
        free = np.ones(len(white), bool)
        for distance in range(1, 8):
            to, on_board = step(s, direction, distance)
            free &= on_board & (to != k)  # the black king is never in the way: it is not in check
            add(free, white, BLACK, k, to, b)
    turn = np.flatnonzero(legal & (side == BLACK))
    k, s, b = king[turn], slider[turn], black[turn]
    for direction in RAYS["Q"]:
        to, on_board = step(b, direction, 1)
        allowed = on_board & ~near[to, k]
        add(allowed & (to != s) & ~attacked[k, s, to], turn, WHITE, k, s, to)
        captures = turn[allowed & (to == s)]
        moves.append((captures, np.full(len(captures), POSITIONS)))
    source, target = (np.concatenate(ends) for ends in zip(*moves, strict=True))
    stuck = np.bincount(source, minlength=POSITIONS) == 0
    given = np.full(POSITIONS + 1, OPEN, np.int8)
    given[:-1][~legal | (stuck & ~check)] = DRAW  # stalemate; without a move but in check it is mate, which is a loss
    given[-1] = DRAW
    return Game(given, source, target), legal


def distinct() -> Mask:
    """Return a mask of positions with one position of each class of symmetric ones, the one with the least number.

    Examples
    --------
    >>> _, legal = endgame("R")
    >>> int((distinct() & legal).sum())
    50015
    """
    _, *squares = squares_of(np.arange(POSITIONS))
    codes = []
    for flips in range(8):
        turned = []
        for square in squares:
            file, rank = square % 8, square // 8
            file, rank = (7 - file if flips & 1 else file), (7 - rank if flips & 2 else rank)
            turned.append(8 * file + rank if flips & 4 else 8 * rank + file)
        codes.append(turned[0] << 12 | turned[1] << 6 | turned[2])
    first: Mask = np.minimum.reduce(codes) == codes[0]
    return first


def line(solution: Solution, start: int, piece: str) -> str:
    """Return the game of best moves from a position in chess notation; for a draw, until a position repeats.

    Examples
    --------
    >>> from mines_dd.boardgames.retrograde import solve
    >>> solution = solve(endgame("Q")[0])
    >>> line(solution, position(WHITE, "f6", "b1", "h8"), "Q")
    '1. Kg6 Kg8 2. Qb8#'
    """
    require(solution, Solution, "a Solution", "retrograde.solve returns one")
    start, piece = _number(start), require(piece, str, "the letter of the piece")
    said: list[str] = []
    for ply, move in enumerate(solution.line(start), start >> 18):
        before, after = (int(ends[move]) for ends in (solution.game.source, solution.game.target))
        if after == POSITIONS:
            text = f"Kx{NAMES[squares_of(before)[2]]}"
        else:
            moved = next(i for i in (1, 2, 3) if squares_of(before)[i] != squares_of(after)[i])
            text = (piece if moved == 2 else "K") + NAMES[squares_of(after)[moved]]
        turn = f"{ply // 2 + 1}. " if ply % 2 == WHITE else "" if said else "1... "
        said.append(turn + text)
    return " ".join(said) + ("" if solution.outcome[start] == DRAW else "#")


def diagram(number: int, piece: str) -> str:
    """Return the board of a position as text; capitals are White's pieces.

    Examples
    --------
    >>> print(diagram(position(WHITE, "g6", "a7", "h8"), "R"))
    . . . . . . . k
    R . . . . . . .
    . . . . . . K .
    . . . . . . . .
    . . . . . . . .
    . . . . . . . .
    . . . . . . . .
    . . . . . . . .
    """
    _, king, slider, black = squares_of(_number(number))
    men = {king: "K", slider: require(piece, str, "the letter of the piece"), black: "k"}
    return "\n".join(" ".join(men.get(8 * rank + file, ".") for file in range(8)) for rank in range(7, -1, -1))


def _number(position: object) -> int:
    return require_whole(position, "the number of the position", least=0, most=POSITIONS - 1)


def squares_of(position: Any) -> tuple[Any, Any, Any, Any]:
    """Return the side to move, and the squares of white king, piece and black king, of a position or an array of them.

    Examples
    --------
    >>> squares_of(position(BLACK, "a1", "b1", "c1"))
    (1, 0, 1, 2)
    """
    return position >> 18, position >> 12 & 63, position >> 6 & 63, position & 63


def step(square: Squares, direction: tuple[int, int], distance: int) -> tuple[Squares, Mask]:
    """Return the squares `distance` steps away in a direction, and whether they are on the board.

    Examples
    --------
    >>> to, on_board = step(np.array([0, 7]), (1, 0), 1)
    >>> to.tolist(), on_board.tolist()
    ([1, 0], [True, False])
    """
    file, rank = square % 8 + direction[0] * distance, square // 8 + direction[1] * distance
    on_board = (file >= 0) & (file < 8) & (rank >= 0) & (rank < 8)
    return np.where(on_board, 8 * rank + file, 0), on_board


def near_squares() -> Mask:
    """Return the matrix that says whether two squares are the same or a king's move apart.

    Examples
    --------
    >>> near_squares()[0, [0, 1, 2, 9]].tolist()
    [True, True, False, True]
    """
    square = np.arange(64)
    files, ranks = (abs(x[:, None] - x) for x in (square % 8, square // 8))
    near: Mask = np.maximum(files, ranks) <= 1
    return near


def _attacked(piece: str) -> Mask:
    """[white king, piece, square]: whether the piece attacks the square."""
    attacked = np.zeros((64, 64, 64), bool)
    king, slider = (squares.ravel() for squares in np.indices((64, 64)))
    for direction in RAYS[piece]:
        free = king != slider
        for distance in range(1, 8):
            to, on_board = step(slider, direction, distance)
            free &= on_board & (to != king)
            attacked[king[free], slider[free], to[free]] = True
    return attacked
