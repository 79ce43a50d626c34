"""Go boards: strings and liberties, legality, text, game records in SGF, and pictures.

A string (連) is a maximal set of adjacent stones of one colour; its liberties are the empty points next to it.  A board
is legal if every string has a liberty.  On the left, Black and White have two strings each, as in figure 1 of the paper
that `go_strings` is about; on the right the white stones have no liberty:

    X # O        O X #
    # X #        X # X
    O # #        # X O
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mines_dd.base.checks import require, require_labels, require_whole
from mines_dd.base.errors import BoardFormatError, MinesError
from mines_dd.base.reading import decoded, of_file, read_bytes, text_of
from mines_dd.base.wording import counted, shown
from mines_dd.boardgames.move_files import is_of_kind

__all__ = [
    "BLACK",
    "EMPTY",
    "WHITE",
    "GoBoard",
    "GoString",
    "Optimum",
    "Point",
    "points",
    "read_go_board",
    "require_rows",
    "save_picture",
]

Point = tuple[int, int]

EMPTY, BLACK, WHITE = "#", "X", "O"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# What a game record consists of; nothing is tried twice, so that a broken one takes no longer than a whole one.
_TOKEN = re.compile(
    r"(?P<name>[A-Z]++)|\[(?P<value>(?:\\.|[^\]\\])*+)(?P<end>\]?)|(?P<close>\))|\s++|(?P<other>[^A-Z\s\[)]++)",
    re.DOTALL,
)
_STONES = {"AB": BLACK, "AW": WHITE, "AE": EMPTY, "B": BLACK, "W": WHITE}
_LARGEST = 2**24  # characters of a game record


class GoString(NamedTuple):
    """A maximal set of adjacent stones of one colour, and its liberties, the empty points next to it."""

    colour: str
    stones: frozenset[Point]
    liberties: frozenset[Point]


@dataclass(frozen=True)
class GoBoard:
    """A square Go board: one string a row, `#` an empty point, `X` a black stone, `O` a white one.

    Raises
    ------
    BoardFormatError
        If there is no row, or the rows are not a square of these characters.
    """

    rows: tuple[str, ...]

    def __post_init__(self) -> None:
        rows = require(self.rows, Sequence, "a tuple of rows", "GoBoard.parse reads a text", BoardFormatError)
        if not rows:
            raise BoardFormatError("there is no board; write one line a row, # an empty point, X black, O white")
        for r, row in enumerate(rows, 1):
            for c, point in enumerate(require(row, str, f"line {r}: a text", error=BoardFormatError), 1):
                if point not in (EMPTY, BLACK, WHITE):
                    raise BoardFormatError(
                        f"line {r}, character {c}: {point!r} is none of # (empty), X (black) and O (white)",
                        line=r,
                        column=c,
                    )
            if len(row) != len(rows):
                raise BoardFormatError(
                    f"line {r}: a Go board of {counted(len(self.rows), 'row')} needs as many points in each; "
                    f"this has {len(row)}",
                    line=r,
                )

    @classmethod
    def parse(cls, text: str) -> GoBoard:
        r"""Read a board from text, one line a row; `.` and `+` are empty points, too, and blanks may separate points.

        Examples
        --------
        >>> GoBoard.parse("X . O\n. X .\nO . .").rows
        ('X#O', '#X#', 'O##')
        """
        text = require(text, str, "the text of a Go board", "read_go_board reads a file", BoardFormatError)
        lines = ["".join(line.split()) for line in text.splitlines()]
        return cls(tuple(re.sub(r"[.+]", EMPTY, line) for line in lines if line))

    @classmethod
    def parse_sgf(cls, text: str) -> GoBoard:
        """Return the last position of a game record's main line, without the stones that were captured.

        A move that takes the last liberty of its own string has that removed (suicide), as SGF FF[4] says.

        Raises
        ------
        BoardFormatError
            If it is no record of Go on a square board, ends early, or has a stone off the board.

        Examples
        --------
        >>> GoBoard.parse_sgf("(;GM[1]SZ[3]AW[aa];B[ba];W[cc];B[ab])").rows  # the corner is captured
        ('#X#', 'X##', '##O')
        """
        text = require(text, str, "the text of a game record", "read_go_board reads a file", BoardFormatError)
        return cls(tuple(map("".join, _replayed(text[:_LARGEST]))))

    @classmethod
    def alternating(cls, n: int, empty: Collection[Point]) -> GoBoard:
        """Return theorem 1's board: stones on all points but `empty`, white where row + column is even, else black.

        Raises
        ------
        MinesError
            If the board has not 1 to 52 rows, as one in SGF, or an empty point is off it.
        """
        n, kept = require_rows(n), set(require_labels(empty, "a list of points (row, column)", MinesError))
        if off := kept - set(points(n)):
            raise MinesError(f"{min(map(shown, off))} is no point (row, column) of a board of {counted(n, 'row')}")
        return cls(
            tuple(
                "".join(EMPTY if (r, c) in kept else WHITE if (r + c) % 2 == 0 else BLACK for c in range(n))
                for r in range(n)
            )
        )

    def strings(self) -> list[GoString]:
        """Return all strings, in the order of their first stones."""
        found, seen = [], set[Point]()
        n = len(self.rows)
        for start in points(n):
            colour = self.rows[start[0]][start[1]]
            if colour == EMPTY or start in seen:
                continue
            stones, liberties, stack = set[Point]([start]), set[Point](), [start]
            while stack:
                for r, c in self._neighbours(*stack.pop()):
                    if self.rows[r][c] == EMPTY:
                        liberties.add((r, c))
                    elif self.rows[r][c] == colour and (r, c) not in stones:
                        stones.add((r, c))
                        stack.append((r, c))
            seen |= stones
            found.append(GoString(colour, frozenset(stones), frozenset(liberties)))
        return found

    def is_legal(self) -> bool:
        """Tell whether every string has a liberty."""
        return not self.captured()

    def captured(self) -> list[GoString]:
        """Return the strings without a liberty, which make the board illegal.

        Examples
        --------
        >>> [sorted(string.stones) for string in GoBoard.parse("OX#/X#X/#XO".replace("/", chr(10))).captured()]
        [[(0, 0)], [(2, 2)]]
        """
        return [string for string in self.strings() if not string.liberties]

    def to_text(self) -> str:
        """Return one line a row, each ended."""
        return "".join(row + "\n" for row in self.rows)

    def to_sgf(self) -> str:
        """Return the position as a game record (SGF, FF[4]) with the stones set up and Black to play.

        Raises
        ------
        MinesError
            If the board has more than the 52 columns that SGF has letters for.
        """
        n = len(self.rows)
        if n > len(_LETTERS):
            raise MinesError(f"SGF has letters for {len(_LETTERS)} columns, and the board has {n}; save it as text")
        placed = [
            name
            + "".join(f"[{_LETTERS[c]}{_LETTERS[r]}]" for r in range(n) for c in range(n) if self.rows[r][c] == colour)
            for name, colour in (("AB", BLACK), ("AW", WHITE))
            if any(colour in row for row in self.rows)
        ]
        return f"(;FF[4]GM[1]CA[UTF-8]AP[mines-dd]SZ[{n}]PL[B]\n" + "\n".join(placed) + ")\n"

    def _neighbours(self, r: int, c: int) -> Iterator[Point]:
        n = len(self.rows)
        for row, col in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)):
            if 0 <= row < n and 0 <= col < n:
                yield row, col


@dataclass(frozen=True)
class Optimum:
    """The answer to MSP(n).

    Attributes
    ----------
    strings : int
        MSP(n).
    board : GoBoard
        A board with so many strings.
    details : dict
        How much was looked at.  Of `maximum_strings`: "refuted" (the larger numbers of strings that were shown
        impossible by a search), "states", "largest_layer"; of `solve_program` see there.
    """

    strings: int
    board: GoBoard
    details: dict[str, Any] = field(default_factory=dict)


def require_rows(n: object) -> int:
    """Return a number of rows if a board may have it: 1 to 52.

    Examples
    --------
    >>> try:
    ...     require_rows(53)
    ... except MinesError as error:
    ...     print(error)
    the number of rows is 53; give a whole number of at least 1 and at most 52
    """
    return require_whole(n, "the number of rows", least=1, most=len(_LETTERS))


def points(n: int) -> Iterator[Point]:
    """Yield the points of a board row by row.

    Examples
    --------
    >>> list(points(2))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    side = range(require_whole(n, "the number of rows"))
    return ((r, c) for r in side for c in side)


def save_picture(path: str | os.PathLike[str], board: GoBoard) -> None:
    """Save a picture of the board in the manner of the paper's figure 2; the ending says the format.

    Raises
    ------
    MinesError
        If matplotlib is not installed, or the file cannot be written.
    """
    from mines_dd.board.picture import saved_axes

    n = len(require(board, GoBoard, "a GoBoard", "GoBoard.parse reads one").rows)
    with saved_axes(path, 0.3 * n + 0.4, 0.3 * n + 0.4) as axes:
        from matplotlib.patches import Circle

        axes.hlines(range(n), 0, n - 1, color="#404040", linewidth=0.8)
        axes.vlines(range(n), 0, n - 1, color="#404040", linewidth=0.8)
        for r, c in points(n):
            if board.rows[r][c] != EMPTY:
                fill = "black" if board.rows[r][c] == BLACK else "white"
                axes.add_patch(Circle((c, r), 0.47, facecolor=fill, edgecolor="black", linewidth=0.8, zorder=2))
        axes.set(xlim=(-0.6, n - 0.4), ylim=(n - 0.4, -0.6), aspect="equal")
        axes.set_axis_off()


def read_go_board(path: str | os.PathLike[str]) -> GoBoard:
    """Read a board from a file: a game record if it begins with ( or its name ends in .sgf, otherwise text.

    `-` is standard input.

    Raises
    ------
    MinesError
        If the file cannot be read.
    BoardFormatError
        If it holds no board.

    Examples
    --------
    >>> read_go_board("game.sgf").is_legal()  # doctest: +SKIP
    True
    """
    data = read_bytes(path, "a Go board", _LARGEST)
    record = _record(data)
    if is_of_kind(path, record, ".sgf", "("):
        with of_file(path):
            return GoBoard.parse_sgf(record)
    text = text_of(path, data, BoardFormatError, "save it as UTF-8")
    with of_file(path):
        return GoBoard.parse(text)


def _record(data: bytes) -> str:
    """The text of a game record in the encoding that it names: a byte of a letter might look like a backslash."""
    text = decoded(data, "replace")
    named = re.search(r"\bCA\[([-\w]+)\]", text[:2000])
    with suppress(LookupError):
        return data.decode(named[1], "replace") if named and "\ufffd" in text else text
    return text


def _replayed(text: str) -> list[list[str]]:
    """The points after all that the main line of a game record sets up and plays."""
    if not text.lstrip().startswith("(") or ";" not in text:
        raise BoardFormatError("this is no game record; SGF begins with a bracket and a node: (;GM[1]SZ[19]AB[dd])")
    size, points = 19, [[""]]
    names = set()
    for name, values in _main_line(text):
        names.add(name)
        if name == "GM" and values[0].strip() != "1":
            raise BoardFormatError(f"this is a record of another game than Go: GM[{shown(values[0])}]")
        if name == "SZ":
            if not values[0].strip().isdecimal() or not 1 <= int(values[0][:9]) <= len(_LETTERS):
                raise BoardFormatError(f"SZ[{shown(values[0])}] is no square board of 1 to {len(_LETTERS)} rows")
            size = int(values[0])
        if name not in _STONES:
            continue
        points = points if len(points) == size and points[0][0] else [[EMPTY] * size for _ in range(size)]
        for value in values:
            for r, c in _named_points(value.strip(), size):
                points[r][c] = _STONES[name]
                if name in ("B", "W"):
                    _capture(points, r, c)
    if names.isdisjoint({"GM", "FF", "SZ", *_STONES}):
        raise BoardFormatError("the record has no property of a Go game, such as GM[1], SZ[19], AB[dd] or B[dd]")
    return points if points[0][0] else [[EMPTY] * size for _ in range(size)]


def _main_line(text: str) -> Iterator[tuple[str, list[str]]]:
    """The properties up to the first closing bracket that is not inside a value."""
    name: str | None = None
    values: list[str] = []
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "end" and token["end"]:
            values.append(token["value"])
        elif kind is not None:
            if name and values:
                yield name, values
            if kind == "close":
                return
            name, values = token["name"], []
    if name and values:
        yield name, values
    raise BoardFormatError("the record ends before its closing bracket; a part of the file is missing")


def _named_points(value: str, size: int) -> Iterator[Point]:
    """The points of a value: `dd`, a rectangle `aa:cc`, or nothing for a pass."""
    if not value or (value == "tt" and size <= 19):
        return
    corners = [(_LETTERS.find(part[1:2]), _LETTERS.find(part[:1])) for part in value.split(":") if len(part) == 2]
    if len(corners) != value.count(":") + 1 or not all(0 <= x < size for corner in corners for x in corner):
        raise BoardFormatError(f"{shown(value)} is no point of a board of {counted(size, 'row')}")
    (top, left), (bottom, right) = corners[0], corners[-1]
    if bottom < top or right < left:
        raise BoardFormatError(f"{shown(value)} is no rectangle: its upper left corner comes first")
    yield from ((r, c) for r in range(top, bottom + 1) for c in range(left, right + 1))


def _capture(points: list[list[str]], r: int, c: int) -> None:
    """Take the strings that a move leaves without a liberty, as SGF FF[4] says: the other colour's next to it first."""
    for colour in ({BLACK, WHITE} - {points[r][c]}, {points[r][c]}):
        for string in GoBoard(tuple(map("".join, points))).captured():
            if string.colour in colour and any(abs(r - i) + abs(c - j) <= 1 for i, j in string.stones):
                for i, j in string.stones:
                    points[i][j] = EMPTY
