"""Dōbutsu shōgi, "Let's catch the lion": a game of shogi on 3 x 4 squares, as rules for `retrograde_table`.

    g l e    Each player has a lion (one step in any direction), a giraffe (straight), an elephant (diagonally) and a
    . c .    chick (one step forward).  A chick that moves to the far rank becomes a hen (as the gold of shogi: not
    . C .    diagonally backward).  What is taken goes to the hand, a hen as a chick, and can be dropped on any empty
    E L G    square instead of a move; a chick dropped on the far rank stays a chick.

Whoever takes the lion wins.  So does a lion that reaches the far rank and cannot be taken there at once (a try).  Two
chicks in a file and mate by dropping a chick are allowed.  A position that comes back is drawn.

A position is seen by the player to move, below, whose pieces have capital letters.  Squares count from the lower left,
0 to 11, and four bits each say what stands there: 0 nothing, 1 to 5 a lion, giraffe, elephant, chick or hen of the
player to move, and 8 more for the opponent's.  Above these 48 bits stand the hands, two bits a kind:

    bits 0-47       48-49   50-51      52-53   54-55   56-57      58-59
    squares 0-11    G       E          C       g       e          c        in hand

A player may leave the lion to be taken, but is mated as well by that; distances count to the mate or the try, as in
shogi.  M. Kitao designed the game in 2008; T. Tanaka solved it (An analysis of a board game "Doubutsu Shogi", in
Japanese, IPSJ SIG Technical Report on Game Informatics, 2009).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mines_dd.base.checks import require, require_flag, require_whole
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.jit import kernel
from mines_dd.base.wording import shown
from mines_dd.boardgames.retrograde import LOSS, OPEN, WIN
from mines_dd.boardgames.retrograde_table import Rules, TableSolution

__all__ = ["RULES", "START", "best_line", "diagram", "key_of", "moves_from", "read_position"]

LION, GIRAFFE, ELEPHANT, CHICK, HEN = 1, 2, 3, 4, 5
_THEIRS = 8
_LETTERS = ".LGECH..." + "lgech"
_SQUARES, _FAR, _HOME = 12, 9, 3  # the far rank is squares 9 to 11, the home rank 0 to 2
_HANDS = 48
_MOST = 512
"""Over 7 pieces on 8 squares with one of 4 pieces taken or none, and 7 drops."""

_STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, -1), (-1, 1))
_STEPS = {
    LION: _STRAIGHT + _DIAGONAL,
    GIRAFFE: _STRAIGHT,
    ELEPHANT: _DIAGONAL,
    CHICK: ((0, 1),),
    HEN: (*_STRAIGHT, (1, 1), (-1, 1)),
}


def _reached(sign: int) -> Any:
    """For each piece and square the squares that its steps reach, or with -1 those they come from; then -1."""
    table = np.full((6, _SQUARES, 9), -1, np.int64)
    for piece, steps in _STEPS.items():
        for square in range(_SQUARES):
            places = [(square % 3 + sign * x, square // 3 + sign * y) for x, y in steps]
            inside = [3 * y + x for x, y in places if 0 <= x < 3 and 0 <= y < 4]
            table[piece, square, : len(inside)] = inside
    return table


_TO, _FROM = _reached(1), _reached(-1)

_BOARD = 2**48 - 1
_LOW_4, _LOW_8, _LOW_16, _MIDDLE_16 = 0x0F0F0F0F0F0F, 0x00FF00FF00FF, 0xFFFF, 0xFFFF0000
_UNITS, _FILE_A, _FILE_B = 0x111111111111, 0x00F00F00F00F, 0x0F00F00F00F0


@kernel
def _flip(word: Any) -> Any:
    """The same position seen by the other player."""
    board = word & _BOARD
    board = (board & _LOW_4) << 4 | board >> 4 & _LOW_4
    board = (board & _LOW_8) << 8 | board >> 8 & _LOW_8
    board = (board & _LOW_16) << 32 | board & _MIDDLE_16 | board >> 32
    occupied = (board | board >> 1 | board >> 2) & _UNITS
    hands = word >> _HANDS
    return board ^ occupied << 3 | ((hands & 63) << 6 | hands >> 6) << _HANDS


@kernel
def _least(word: Any) -> Any:
    """The smaller of a position and its mirror image."""
    mirrored = word & _FILE_B | (word & _FILE_A) << 8 | word >> 8 & _FILE_A | word >> _HANDS << _HANDS
    return min(word, mirrored)


@kernel
def _after(word: Any, out: Any) -> Any:
    """Write the positions after each move, seen by the player who moved; return how many."""
    count = 0
    for square in range(_SQUARES):
        piece = word >> 4 * square & 15
        if piece == 0:
            for kind in range(3):
                if word >> (_HANDS + 2 * kind) & 3:
                    out[count] = word - (1 << (_HANDS + 2 * kind)) + (kind + GIRAFFE << 4 * square)
                    count += 1
        elif piece < _THEIRS:
            for i in range(8):
                to = _TO[piece, square, i]
                if to < 0:
                    break
                taken = word >> 4 * to & 15
                if taken and taken < _THEIRS:
                    continue
                moved = HEN if piece == CHICK and to >= _FAR else piece
                after = word - (piece << 4 * square) + (moved - taken << 4 * to)
                if taken:
                    after += 1 << (_HANDS + 2 * (min(taken - _THEIRS, CHICK) - GIRAFFE))
                out[count] = after
                count += 1
    return count


def _moves(key: Any, out: Any) -> Any:
    count = _after(key, out)
    for i in range(count):
        out[i] = _least(_flip(out[i]))
    return count


def _step_back(word: Any, square: Any, origin: Any, piece: Any, out: Any, count: Any) -> Any:
    """Write the positions from which a piece came from an empty square, taking nothing or any piece in hand."""
    moved = word >> 4 * square & 15
    before = word - (moved << 4 * square) + (piece << 4 * origin)
    out[count] = _least(before)
    count += 1
    for kind in range(3):
        if word >> (_HANDS + 2 * kind) & 3:
            held = before - (1 << (_HANDS + 2 * kind))
            out[count] = _least(held + (kind + GIRAFFE + _THEIRS << 4 * square))
            count += 1
            if kind + GIRAFFE == CHICK:
                out[count] = _least(held + (HEN + _THEIRS << 4 * square))
                count += 1
    return count


def _unmoves(key: Any, out: Any) -> Any:
    word = _flip(key)
    count = 0
    for square in range(_SQUARES):
        piece = word >> 4 * square & 15
        if piece == 0 or piece > _THEIRS:
            continue
        if GIRAFFE <= piece <= CHICK:
            out[count] = _least(word - (piece << 4 * square) + (1 << (_HANDS + 2 * (piece - GIRAFFE))))
            count += 1
        if piece == HEN and square >= _FAR and word >> 4 * (square - 3) & 15 == 0:
            count = _step_back(word, square, square - 3, CHICK, out, count)
        if piece == CHICK and square >= _FAR:
            continue  # it was dropped: one that moved there is a hen
        for i in range(8):
            origin = _FROM[piece, square, i]
            if origin < 0:
                break
            if word >> 4 * origin & 15 == 0:
                count = _step_back(word, square, origin, piece, out, count)
    return count


def _ended(key: Any) -> Any:
    lion = 0
    while lion < _SQUARES - 1 and key >> 4 * lion & 15 != LION + _THEIRS:  # a key of no position has none
        lion += 1
    for piece in range(LION, HEN + 1):
        for i in range(8):
            origin = _FROM[piece, lion, i]
            if origin < 0:
                break
            if key >> 4 * origin & 15 == piece:
                return WIN
    return LOSS if lion < _HOME else OPEN


RULES = Rules(_moves, _unmoves, _ended, _MOST, "dobutsu")


def read_position(text: str, hands: str = "") -> int:
    """Return the position of a text: four ranks from the far one on, and the letters of what is in hand.

    Raises
    ------
    GraphFormatError
        If there are not four ranks of three squares, one lion each, and at most two pieces a kind besides.

    Examples
    --------
    >>> read_position("gle .c. .C. ELG") == START
    True
    """
    for given in (text, hands):
        require(given, str, "the text of a position", error=GraphFormatError)
    ranks = text.replace("/", " ").split()
    if [len(rank) for rank in ranks] != [3, 3, 3, 3] or not set("".join(ranks)) <= set(_LETTERS):
        raise GraphFormatError(f"a position has four ranks of three squares, letters of .LGECHlgech, not {shown(text)}")
    if not set(hands) <= set("GECgec"):
        raise GraphFormatError(f"in hand are giraffes, elephants and chicks, the letters GECgec, not {shown(hands)}")
    squares = "".join(reversed(ranks))
    pieces = (squares + hands).replace("H", "C").replace("h", "c")
    if pieces.count("L") != 1 or pieces.count("l") != 1 or any(pieces.upper().count(kind) > 2 for kind in "GEC"):
        found = f"{shown(text)} {shown(hands)}"
        raise GraphFormatError(f"a position has a lion each and at most two of each other kind, not {found}")
    word = sum(_LETTERS.index(letter) << 4 * square for square, letter in enumerate(squares))
    return word + sum(1 << (_HANDS + 2 * "GECgec".index(letter)) for letter in hands)


START = read_position("gle/.c./.C./ELG")
"""The first position, as the first player sees it."""


def key_of(word: int) -> int:
    """Return the key of a position, which it shares with its mirror image.

    Examples
    --------
    >>> key_of(START) == key_of(read_position("elg .c. .C. GLE"))
    True
    """
    return int(_least(_position(word)))


def diagram(word: int) -> str:
    """Return a position as text, with what is in hand behind the upper and the lower rank.

    Examples
    --------
    >>> print(diagram(read_position("gle ... .E. .LG", "CC")))
    g l e
    . . .
    . E .
    . L G  CC
    """
    word = _position(word)
    letters = [_LETTERS[word >> 4 * square & 15] for square in range(_SQUARES)]
    ranks = [" ".join(letters[first : first + 3]) for first in (9, 6, 3, 0)]
    held = [letter * (word >> (_HANDS + 2 * kind) & 3) for kind, letter in enumerate("GECgec")]
    ranks[0] += "  " + "".join(held[3:])
    ranks[3] += "  " + "".join(held[:3])
    return "\n".join(rank.rstrip() for rank in ranks)


def moves_from(word: int, first: bool = True) -> list[tuple[str, int]]:
    """Return the moves of a position: each with its name, and the position after it as the opponent sees it.

    Files are A to C from the left and ranks 1 to 4 from above, as the first player sees them; `first` says whether
    that is who moves.  There are no moves once the game is over (`RULES.ended`): the opponent's lion can be taken, or
    stands on the home rank.

    Examples
    --------
    >>> [name for name, _ in moves_from(START)]
    ['LB4-C3', 'LB4-A3', 'GC4-C3', 'CB3xB2']
    >>> won = read_position(".l. .G. ... ..L")
    >>> RULES.ended(won) == WIN, moves_from(won)
    (True, [])
    """
    word, first = _position(word), require_flag(first, "first")
    if _ended(word) != OPEN:
        return []
    out = np.zeros(_MOST, np.int64)
    count = _after(word, out)
    return [(_name(word, after, first), int(_flip(after))) for after in map(int, out[:count])]


def _position(word: object) -> int:
    """A position's number, if it has a lion each, and nothing but pieces stands on its squares."""
    known = require_whole(word, "the number of the position", GraphFormatError, least=0, most=2**60 - 1)
    found = [known >> 4 * square & 15 for square in range(_SQUARES)]
    lions = [found.count(lion) for lion in (LION, LION + _THEIRS)]
    if lions != [1, 1] or any(piece == _THEIRS or piece % _THEIRS > HEN for piece in found):
        raise GraphFormatError(f"{known} is no position; read_position returns one")
    return known


def _name(word: int, after: int, first: bool) -> str:
    """The name of a move: drops have a star, captures a cross, promotions a plus."""
    before_at, after_at = ([w >> 4 * square & 15 for square in range(_SQUARES)] for w in (word, after))
    changed = [square for square in range(_SQUARES) if before_at[square] != after_at[square]]
    to = next(square for square in changed if 0 < after_at[square] < _THEIRS)
    names = {square: _square_name(square if first else 11 - square) for square in changed}
    if len(changed) == 1:
        return f"{_LETTERS[after_at[to]]}*{names[to]}"
    origin = next(square for square in changed if square != to)
    promoted = "+" if after_at[to] != before_at[origin] else ""
    return f"{_LETTERS[before_at[origin]]}{names[origin]}{'x' if before_at[to] else '-'}{names[to]}{promoted}"


def _square_name(square: int) -> str:
    return "ABC"[square % 3] + str(4 - square // 3)


def best_line(solution: TableSolution, word: int, first: bool = True) -> list[str]:
    """Return the names of best moves of both sides to the end, in a decided position; none in a drawn one.

    The winner takes the shortest way, the loser the longest; of equal moves it is the first.

    Raises
    ------
    KeyError
        If the position cannot be reached from the start of the solution.
    """
    require(solution, TableSolution, "a TableSolution", "solve_rules returns one")
    line: list[str] = []
    outcome, distance = solution.verdict(key_of(word))
    while distance:
        outcome, distance = -outcome, distance - 1
        moves = moves_from(word, first)
        name, word = next(move for move in moves if solution.verdict(key_of(move[1])) == (outcome, distance))
        line.append(name)
        first = not first
    return line
