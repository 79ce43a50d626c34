"""Replays of games in RAWVF, a text format: what the player saw when the recording ends.

Converters of the project minesweeper-rawvf write it from the replays of Arbiter (.avf), Clone (.mvf), Vienna
MineSweeper (.rmv, .umf) and FreeSweeper; other games write it themselves.  A file has lines `Key: value`, then a line
`Board:` and the mines (`*` a mine, `0` none), then a line `Events:` and what the mouse did.  For example,
`1.25 lc 3 2 (40 25)` is the left button pressed after 1.25 s on column 3 and row 2, 40 pixels from the left and 25 from
the top.  Only the pixels are used, as in the project's own parser: some programs count columns from 0, others from 1.
Unlike in that parser, but as in the games, the cascade of an opening stops at a flag.

References
----------
Cryslon, "Open, human-readable minesweeper video format", revision 5 (the grammar).
D. Moore (thefinerminer), minesweeper-rawvf, `parser_raw.c` (what buttons do, chords and slides among them).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mines_dd.base.errors import BoardFormatError
from mines_dd.board.board import Board, Position

__all__ = ["from_rawvf"]

_TIMED = re.compile(r"-?[0-9]+\.[0-9]+\s+(\S+)(.*)")
_PIXELS = re.compile(
    r"\s*(?:-?[0-9]{1,9}\s+-?[0-9]{1,9}\s*)?\(\s*(-?[0-9]{1,9})\s+(-?[0-9]{1,9})\s*\)\s*(?:\([lrm]*\))?\s*"
)
_MOUSE = frozenset(("lc", "lr", "rc", "rr", "mc", "mr", "mv", "sc", "mt"))
# not needed: what follows from the mouse events, the end of the game, scrolling, and comments of the parser
_IMPLIED = re.compile(
    r"(number[0-8]|closed|flag|pressed|questionmark|pressedqm|cell|blast|boom|lost|won|start|nonstandard|sx|sy|solved)\b",
    re.IGNORECASE,
)
# settings with which a button does more, or a mine does not end the game
_UNKNOWN_PLAY = ("elmartechnique", "nonomouse", "superflag", "autoflag", "lawnmower", "lives")


def from_rawvf(text: str) -> Board:
    r"""Return the board that the player saw at the end of a replay in RAWVF, with its layout.

    Raises
    ------
    BoardFormatError
        Naming the line, if the file is incomplete or malformed, or a setting changes what the buttons do.

    Examples
    --------
    >>> print(from_rawvf("Board:\n00*\n000\nEvents:\n0.50 lc 1 2 (5 20)\n0.61 lr 1 2 (5 20)"))
    mines: 1
    01#
    01#
    """
    lines = text.split("\n")
    settings, first = _settings(lines)
    last = next((i for i in range(first, len(lines)) if lines[i].strip().lower() == "events:"), None)
    if last is None:
        raise _error(len(lines), "the file ends before the line Events:")
    layout = _layout(lines[first:last], first + 1, settings)
    game = _Game(layout, superclick=_is_on(settings, "superclick"), marks=_is_on(settings, "marks"))
    square = _number(settings, "squaresize")
    for number, line in enumerate(lines[last + 1 :], start=last + 2):
        _replay(game, line.strip(), number, 16 if square is None else square)
    return game.board()


@dataclass
class _Game:
    """A game in progress: what is open, what is marked, and which buttons are down."""

    layout: Board
    superclick: bool
    marks: bool
    opened: set[Position] = field(default_factory=set)
    flags: set[Position] = field(default_factory=set)
    questions: set[Position] = field(default_factory=set)
    left: bool = False
    right: bool = False
    middle: bool = False
    shift: bool = False
    chorded: bool = False
    lost: bool = False
    truth: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Look up what each cell shows once it is open."""
        rows, cols = self.layout.size
        self.truth = self.layout.open_all((r, c) for r in range(rows) for c in range(cols)).grid

    def board(self) -> Board:
        """What the player sees."""
        grid = [["#"] * len(row) for row in self.truth]
        for r, c in self.flags:
            grid[r][c] = "F"
        for r, c in self.opened:
            grid[r][c] = self.truth[r][c]
        return Board(tuple(map("".join, grid)), self.layout.mines, self.layout.layout)

    def event(self, kind: str, at: Position | None) -> None:
        """Follow one event of the mouse; `at` is None outside of the board."""
        if kind == "mt":
            self.marks = not self.marks
        elif kind in ("lc", "sc", "rc") and not self.middle:
            self._press(kind, at)
        elif kind == "mc":
            self.left = self.right = self.shift = self.chorded = False
            self.middle = True
        elif kind == "lr" and self.left:
            self._release_left(at)
        elif kind == "rr" and self.right:
            self.right = self.shift = False
            self.chorded = self.left
            if self.left and at is not None:
                self._chord(at)
        elif kind == "mr" and self.middle:
            self.middle = False
            if at is not None:
                self._chord(at)

    def _press(self, kind: str, at: Position | None) -> None:
        if kind != "rc":
            self.left, self.shift = True, kind == "sc"
            return
        self.right = True
        if at is not None and not self.left and at not in self.opened:
            self._mark(at)

    def _release_left(self, at: Position | None) -> None:
        second = self.chorded  # the other button of the chord was released before: this one opens nothing
        self.left = self.chorded = False
        if at is None:
            return
        if self.right or self.shift or (self.superclick and at in self.opened):
            self.shift = False
            self._chord(at)
        elif not second:
            self._open(at)

    def _mark(self, at: Position) -> None:
        """From nothing to a flag, to a question mark if the game has them, to nothing."""
        if at in self.flags:
            self.flags.remove(at)
            if self.marks:
                self.questions.add(at)
        elif at in self.questions:
            self.questions.remove(at)
        else:
            self.flags.add(at)

    def _chord(self, at: Position) -> None:
        """Open what is around a number that has as many flags around it."""
        around = self.layout.neighbours(at)
        if at in self.opened and self.truth[at[0]][at[1]] == str(sum(p in self.flags for p in around)):
            for position in around:
                self._open(position)

    def _open(self, at: Position) -> None:
        """Open a cell and, from an empty one, those around it and so on, as far as the flags."""
        stack = [at]
        while stack:
            position = stack.pop()
            if position in self.opened or position in self.flags:
                continue
            self.opened.add(position)
            shown = self.truth[position[0]][position[1]]
            self.lost |= shown == "*"
            if shown == "0":
                stack += self.layout.neighbours(position)


def _settings(lines: list[str]) -> tuple[dict[str, tuple[str, int]], int]:
    """The settings (key -> value and its line), and the index of the board's first row."""
    settings: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(lines, start=1):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon and key:
            raise _error(number, f"found {key[:40]!r}; write lines Key: value before the line Board:")
        if key.lower() == "board":
            return settings, number
        settings[key.lower()] = value, number
        if key.lower() in _UNKNOWN_PLAY and value.lower() not in ("", "off", "0", "1"):
            raise _error(number, f"{key} is {value[:20]}, which changes the game; such a replay cannot be followed")
    raise _error(len(lines), "the file ends before the line Board:")


def _is_on(settings: dict[str, tuple[str, int]], key: str) -> bool:
    return settings.get(key, ("off", 0))[0].lower() == "on"


def _number(settings: dict[str, tuple[str, int]], key: str) -> int | None:
    """The number that a setting gives; None if the setting is missing."""
    if key not in settings:
        return None
    value, line = settings[key]
    if not re.fullmatch("[0-9]{1,9}", value) or (key == "squaresize" and int(value) == 0):
        raise _error(line, f"{key} is {value[:40]!r}; write a whole number")
    return int(value)


def _layout(rows: list[str], first: int, settings: dict[str, tuple[str, int]]) -> Board:
    """The unopened board."""
    grid = [row.strip() for row in rows]
    while grid and not grid[-1]:
        grid.pop()
    for line, row in enumerate(grid, start=first):
        wrong = next((i for i, character in enumerate(row) if character not in "*0"), None)
        if wrong is not None:
            raise _error(line, f"character {wrong + 1}: found {row[wrong]!r}; a mine is *, another cell 0", wrong + 1)
        if len(row) != len(grid[0]):
            raise _error(line, f"a row of {len(row)} cells where the first has {len(grid[0])}", len(row) + 1)
    if not grid:
        raise _error(first, "the board is empty; write its rows after the line Board:")
    mines = [(r, c) for r, row in enumerate(grid) for c, cell in enumerate(row) if cell == "*"]
    found = {"width": len(grid[0]), "height": len(grid), "mines": len(mines)}
    for key, number in found.items():
        if _number(settings, key) not in (None, number):
            raise _error(first, f"the board has {key} {number}, but line {settings[key][1]} says {settings[key][0]}")
    return Board.from_layout(len(grid), len(grid[0]), mines)


def _replay(game: _Game, line: str, number: int, square: int) -> None:
    """Follow one line after `Events:`."""
    timed = _TIMED.fullmatch(line)
    kind = timed[1] if timed else ""
    if kind in _MOUSE and timed:
        place = _PIXELS.fullmatch(timed[2])
        if place is None:
            raise _error(number, f"{line[:60]!r} has no place; write an event such as 1.25 lc 3 2 (40 25)")
        c, r = int(place[1]) // square, int(place[2]) // square
        rows, cols = game.layout.size
        if not game.lost:
            game.event(kind, (r, c) if 0 <= r < rows and 0 <= c < cols else None)
    elif line and not _IMPLIED.match(kind or line):
        raise _error(number, f"{line[:60]!r} is no event of one game; write an event such as 1.25 lc 3 2 (40 25)")


def _error(line: int, what: str, column: int | None = None) -> BoardFormatError:
    return BoardFormatError(f"line {line}: {what}", line=line, column=column)
