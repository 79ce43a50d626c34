"""Replays of games in RAWVF, a text format: what the player saw, click by click.

Converters of the project minesweeper-rawvf write it from the replays of Arbiter (.avf), Clone (.mvf), Vienna
MineSweeper (.rmv, .umf) and FreeSweeper; other games write it themselves, and `videos` converts some of the former.  A
file has lines `Key: value`, then a line `Board:` and the mines (`*` a mine, `0` none), then a line `Events:` (which
FreeSweeper leaves out) and what the mouse did.  For example, `1.25 lc 3 2 (40 25)` is the left button pressed after
1.25 s on column 3 and row 2, 40 pixels from the left and 25 from the top.  Only the pixels are used, as in the
project's own parser: some programs count columns from 0, others from 1.  Unlike in that parser, but as in the games,
the cascade of an opening stops at a flag.

References
----------
Cryslon, "Open, human-readable minesweeper video format", revision 5 (the grammar).
M. Bashov, Zhou Ke, D. Moore (thefinerminer) and E. Hu, minesweeper-rawvf, `parser_raw.c` (what buttons do, chords and
slides among them).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mines_dd.base.checks import require, require_choice, require_number
from mines_dd.base.errors import BoardFormatError
from mines_dd.base.wording import counted, place, shown
from mines_dd.board.board import Board, Position, require_board, require_position

__all__ = ["LONGEST", "Move", "Replay", "from_rawvf", "replay_of", "to_rawvf"]

LONGEST = 1e9
"""The most seconds between the first click of a game and another one."""

_TIMED = re.compile(r"(-?[0-9]+\.[0-9]+)\s+(\S+)(.*)")
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


class Move(NamedTuple):
    """A click that opened a cell.

    Attributes
    ----------
    time : float
        Seconds since the game began.
    cell : (row, column)
        Where the button came up.
    cells : tuple of (row, column)
        The cells that it opened itself, those of a cascade left out: `cell`, or those around it, which is a chord.
    before, after : Board
        What the player saw.
    """

    time: float
    cell: Position
    cells: tuple[Position, ...]
    before: Board
    after: Board

    @property
    def chord(self) -> bool:
        """Whether it opened the cells around a number."""
        return self.cell not in self.cells

    @property
    def lost(self) -> bool:
        """Whether a mine was among the cells."""
        return any(self.after[cell] == "*" for cell in self.cells)


@dataclass(frozen=True)
class Replay:
    """A game that was played.

    Attributes
    ----------
    board : Board
        What the player saw at the end, with the layout.
    moves : tuple of Move
        The clicks that opened something, in their order.
    settings : dict
        Key, in small letters -> value, from the lines before the board.

    Examples
    --------
    >>> replay = replay_of(to_rawvf(Board.from_layout(1, 4, [(0, 1)]), [(0, 3), (0, 1)]))
    >>> [(move.cell, move.lost) for move in replay.moves], replay.won, replay.lost
    ([((0, 3), False), ((0, 1), True)], False, True)
    """

    board: Board
    moves: tuple[Move, ...]
    settings: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def lost(self) -> bool:
        """Whether a mine was opened."""
        return bool(self.moves) and self.moves[-1].lost

    @property
    def won(self) -> bool:
        """Whether all cells without a mine were opened."""
        return not self.lost and len(self.board.closed()) == self.board.mines


def from_rawvf(text: str) -> Board:
    r"""Return the board that the player saw at the end of a replay in RAWVF, with its layout.

    Raises
    ------
    BoardFormatError
        As `replay_of`.

    Examples
    --------
    >>> print(from_rawvf("Board:\n00*\n000\nEvents:\n0.50 lc 1 2 (5 20)\n0.61 lr 1 2 (5 20)"))
    mines: 1
    01#
    01#
    """
    return _followed(text, recorded=False)[0].board()


def replay_of(text: str) -> Replay:
    r"""Read a replay in RAWVF.

    Raises
    ------
    BoardFormatError
        Naming the line, if the file is incomplete or malformed or has several games, if its time runs backwards, or if
        a setting changes what the buttons do.

    Examples
    --------
    >>> replay = replay_of("Board:\n00*\n000\nEvents:\n0.50 lc 1 2 (5 20)\n0.61 lr 1 2 (5 20)")
    >>> replay.moves[0].time, replay.moves[0].cell
    (0.61, (1, 0))
    """
    game, settings = _followed(text, recorded=True)
    return Replay(game.board(), tuple(game.moves), settings)


def to_rawvf(layout: Board, clicks: Iterable[Position | tuple[int, int, str, float]], **settings: str) -> str:
    """Return a game as RAWVF, click by click.

    Parameters
    ----------
    layout : Board
        Its layout is that of the game.
    clicks : iterable of (row, column) or (row, column, button, seconds)
        The button is "l" or "r", the left or the right one; if left out, it is the left one, once a second.
    settings : str
        More lines `Key: value`.

    Raises
    ------
    BoardFormatError
        If the layout is not known, a click is none on this board, or the clicks are not in the order of their times.

    Examples
    --------
    >>> text = to_rawvf(Board.from_layout(1, 4, [(0, 1)]), [(0, 3)], Program="mines_dd")
    >>> text.splitlines()[:2], text.splitlines()[-2:]
    (['RawVF_Version: Rev5', 'Program: mines_dd'], ['0.000 lc 4 1 (56 8)', '0.000 lr 4 1 (56 8)'])
    >>> print(from_rawvf(text))
    mines: 1
    ##10
    """
    require_board(layout, error=BoardFormatError)
    if layout.layout is None:
        raise BoardFormatError("a replay says where the mines are, which is not known of this board")
    require(clicks, Iterable, "a list of clicks, each a (row, column),", error=BoardFormatError)
    rows, cols = layout.size
    lines = ["RawVF_Version: Rev5", *(f"{key}: {value}" for key, value in settings.items())]
    lines += [f"Width: {cols}", f"Height: {rows}", f"Mines: {len(layout.layout)}", "SquareSize: 16", "Board:"]
    lines += ["".join("*" if (r, c) in layout.layout else "0" for c in range(cols)) for r in range(rows)]
    lines.append("Events:")
    before = -LONGEST
    for second, click in enumerate(clicks):
        r, c, button, time = _click(click, second)
        if time < before:
            raise BoardFormatError(f"a click at {time:g} s comes after one at {before:g} s; order the clicks by time")
        before = time
        if not (0 <= r < rows and 0 <= c < cols):
            raise BoardFormatError(f"there is no cell at {place((r, c))} of {rows}x{cols}")
        where = f"{c + 1} {r + 1} ({16 * c + 8} {16 * r + 8})"
        lines += [f"{time:.3f} {button}{what} {where}" for what in "cr"]
    return "\n".join(lines) + "\n"


def _click(click: Any, second: int) -> tuple[int, int, str, float]:
    """A click as a row, a column, a button and seconds; the left button, in this second, if it is a cell alone."""
    try:
        cell, rest = click[:2], tuple(click[2:])
        button, time = rest or ("l", second)
    except (TypeError, ValueError, LookupError):
        what = "write (row, column), or (row, column, 'l', seconds)"
        raise BoardFormatError(f"{shown(click)} is no click; {what}") from None
    r, c = require_position(cell)
    button = require_choice(button, ("l", "r"), "button", BoardFormatError)
    seconds = require_number(time, "the time of a click", BoardFormatError)
    if abs(seconds) > LONGEST:
        raise BoardFormatError(f"the time of a click is {shown(time)}; give seconds since the first one")
    return r, c, button, float(seconds)


@dataclass
class _Game:
    """A game in progress: what is open, what is marked, and which buttons are down."""

    layout: Board
    superclick: bool
    marks: bool
    recorded: bool
    opened: set[Position] = field(default_factory=set)
    flags: set[Position] = field(default_factory=set)
    questions: set[Position] = field(default_factory=set)
    left: bool = False
    right: bool = False
    middle: bool = False
    shift: bool = False
    chorded: bool = False
    lost: bool = False
    time: float = float("-inf")
    moves: list[Move] = field(default_factory=list)
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

    @property
    def over(self) -> bool:
        """Whether a mine is open, or every other cell."""
        rows, cols = self.layout.size
        return self.lost or len(self.opened) + (self.layout.mines or 0) == rows * cols

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
            self._open(at, [at])

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
            self._open(at, around)

    def _open(self, at: Position, cells: Iterable[Position]) -> None:
        """Open cells with a click, and from empty ones those around them and so on, as far as the flags."""
        chosen = tuple(cell for cell in cells if cell not in self.opened and cell not in self.flags)
        if not chosen:
            return
        before = self.board() if self.recorded else None
        stack = list(chosen)
        while stack:
            position = stack.pop()
            if position in self.opened or position in self.flags:
                continue
            self.opened.add(position)
            shown = self.truth[position[0]][position[1]]
            self.lost |= shown == "*"
            if shown == "0":
                stack += self.layout.neighbours(position)
        if before is not None:
            self.moves.append(Move(self.time, at, chosen, before, self.board()))


def _followed(text: str, recorded: bool) -> tuple[_Game, dict[str, str]]:
    """The game at the end of a replay, and the settings; its moves are kept if they are to be `recorded`."""
    lines = require(text, str, "the text of a replay", "read_replay reads a file", BoardFormatError).split("\n")
    settings, first = _settings(lines)
    last = next((i for i in range(first, len(lines)) if _begins_events(lines[i].strip())), None)
    if last is None:
        raise _error(len(lines), "the file ends before the line Events:")
    layout = _layout(lines[first:last], first + 1, settings)
    game = _Game(layout, _is_on(settings, "superclick"), _is_on(settings, "marks"), recorded)
    square = _number(settings, "squaresize")
    events = last + (lines[last].strip().lower() == "events:")
    for number, line in enumerate(lines[events:], start=events + 1):
        _replay(game, line.strip(), number, 16 if square is None else square)
    return game, {key: value for key, (value, _) in settings.items()}


def _begins_events(line: str) -> bool:
    """Whether the board's rows end here: at the line `Events:`, or at the first event where that is left out."""
    return line.lower() == "events:" or _TIMED.fullmatch(line) is not None


def _settings(lines: list[str]) -> tuple[dict[str, tuple[str, int]], int]:
    """The settings (key -> value and its line), and the index of the board's first row."""
    settings: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(lines, start=1):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon and key:
            raise _error(number, f"found {key[:40]!r}; a replay begins with lines Key: value, up to the line Board:")
        if key.lower() == "board":
            return settings, number
        settings[key.lower()] = value, number
        if key.lower() in _UNKNOWN_PLAY and value.lower() not in ("", "off", "0", "1"):
            raise _error(number, f"{key} is {value[:20]}, which changes the game; such a replay cannot be followed")
        if key.lower() == "level" and value.lower() == "marathon":
            raise _error(number, "a marathon is several games; give a replay of one")
    raise _error(len(lines), "the file ends before the line Board:, which every replay has")


def _is_on(settings: dict[str, tuple[str, int]], key: str) -> bool:
    return settings.get(key, ("off", 0))[0].lower() == "on"


def _number(settings: dict[str, tuple[str, int]], key: str) -> int | None:
    """The number that a setting gives; None if the setting is missing."""
    if key not in settings:
        return None
    value, line = settings[key]
    if not re.fullmatch("[0-9]{1,9}", value) or (key == "squaresize" and int(value) == 0):
        raise _error(line, f"{key} is {value[:40]!r}; write a whole number of at most nine digits")
    return int(value)


def _layout(rows: list[str], first: int, settings: dict[str, tuple[str, int]]) -> Board:
    """The unopened board."""
    grid = [row.strip() for row in rows]
    while grid and not grid[-1]:
        grid.pop()
    for line, row in enumerate(grid, start=first):
        wrong = next((i for i, character in enumerate(row) if character not in "*0"), None)
        if wrong is not None:
            what = f"line {line}, character {wrong + 1}: found {row[wrong]!r}; a mine is *, another cell 0"
            raise BoardFormatError(what, line=line, column=wrong + 1)
        if len(row) != len(grid[0]):
            raise _error(line, f"a row of {counted(len(row), 'cell')} where the first has {len(grid[0])}", len(row) + 1)
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
    kind = timed[2] if timed else ""
    if kind in _MOUSE and timed:
        place = _PIXELS.fullmatch(timed[3])
        if place is None:
            raise _error(number, f"{line[:60]!r} has no place; write an event such as 1.25 lc 3 2 (40 25)")
        seconds = float(timed[1])
        if abs(seconds) > LONGEST:
            raise _error(number, f"the time {shown(timed[1], 40)} is no number of seconds up to {LONGEST:g}")
        if seconds < game.time:
            raise _error(
                number, f"the time runs backwards, from {game.time:g} to {seconds:g} s; order the events by time"
            )
        game.time = max(game.time, seconds)
        c, r = int(place[1]) // square, int(place[2]) // square
        rows, cols = game.layout.size
        if not game.over:
            game.event(kind, (r, c) if 0 <= r < rows and 0 <= c < cols else None)
    elif line and not _IMPLIED.match(kind or line):
        if line.lower().startswith(("rawvf_version", "board:")):
            raise _error(number, "another game begins here; put each game into a file of its own")
        raise _error(number, f"{line[:60]!r} is no event of one game; write an event such as 1.25 lc 3 2 (40 25)")


def _error(line: int, what: str, column: int | None = None) -> BoardFormatError:
    return BoardFormatError(f"line {line}: {what}", line=line, column=column)
