"""Boards in the files of other Minesweeper programs.

- `.mbf` (also `.abf`), the board files of Clone and Arbiter: where the mines are.  One byte each for width
  and height, two for the number of mines (the higher first), then column and row of each mine, from 0.
- `.mine`, the positions that JSMinesweeper saves: a line `WIDTHxHEIGHTxMINES`, then the rows; `H` is a hidden cell,
  `F` a flag, `?` or `M` a mine, `0` to `8` an open cell.
- `.rawvf`, replays, and `.avf`, `.evf`, `.mvf` and `.rmv`, which ms-toollib turns into it; see
  `mines_dd.board.replays` and `mines_dd.board.videos`.

References
----------
D. N. Hill, JSMinesweeper, `client/Board.js` (`getFormatMBF` and `getPositionData` write the first two) and
`client/main.js` (reads them).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from mines_dd.base.checks import file_name, require
from mines_dd.base.errors import BoardFormatError
from mines_dd.base.reading import decoded, of_file, read_bytes, text_of
from mines_dd.base.wording import counted, place
from mines_dd.board.board import Board, require_board
from mines_dd.board.replays import Replay, from_rawvf, replay_of
from mines_dd.board.text import CELL_HELP
from mines_dd.board.videos import VIDEOS, rawvf_of_video

__all__ = [
    "board_or_replay",
    "from_mbf",
    "from_mine",
    "read_board_file",
    "read_replay",
    "to_mbf",
    "to_mine",
]

_LARGEST = 64 * 2**20  # bytes of a file
_SIZE = re.compile(r"\s*([0-9]{1,9})x([0-9]{1,9})x([0-9]{1,9})\s*")
_READ = {"H": "#", "F": "F", "?": "*", "M": "*", **{digit: digit for digit in "012345678"}}
_WRITTEN = {ours: theirs for theirs, ours in _READ.items() if theirs != "M"}
_FORMULA = re.compile(r"c |p cnf |\* #variable")
_ARRAY = b"\x93NUMPY"
_BOARDS = (".mbf", ".abf")
_OTHER_REPLAYS = (".fsvf", ".mvr", ".umf")


def read_board_file(path: str | os.PathLike[str]) -> Board:
    r"""Read a board in any form: our text and JSON, `.mbf`, `.mine` or `.rawvf`; `-` is standard input.

    The content tells which form it is; where it does not, the file's name does.

    Raises
    ------
    BoardFormatError
        If it cannot be read or is not a board; the error names the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".mine") as file:
    ...     print("3x2x2\nH1F\n?20", file=file, flush=True)
    ...     read_board_file(file.name)
    <Board: 2x3, 3 hints, 2 mines>
    """
    name = file_name(path, BoardFormatError)
    data = read_bytes(name, "a board file", _LARGEST, BoardFormatError)
    reader = _reader(os.path.splitext(name)[1].lower(), data)
    text = text_of(name, data, BoardFormatError, CELL_HELP) if reader is None else ""
    with of_file(name):
        return Board.parse(text) if reader is None else reader(data)


def board_or_replay(name: str, data: bytes) -> Board | Replay:
    r"""Return what a file of this name and content holds: a replay, or a board in any form of `read_board_file`.

    Raises
    ------
    BoardFormatError
        If it is neither a board nor a replay.

    Examples
    --------
    >>> board_or_replay("game.mine", b"3x2x2\nH1F\n?20")
    <Board: 2x3, 3 hints, 2 mines>
    >>> replay = board_or_replay("game.rawvf", b"Board:\n00*\n000\nEvents:\n0.50 lc (5 20)\n0.61 lr (5 20)")
    >>> [move.cell for move in replay.moves]
    [(1, 0)]
    """
    data = require(data, bytes, "the content of a file, bytes,", "Board.parse reads a text", BoardFormatError)
    suffix = os.path.splitext(file_name(name, BoardFormatError))[1].lower()
    if _is_replay(suffix, data):
        return replay_of(_rawvf(suffix, data))
    reader = _reader(suffix, data)
    return Board.parse(text_of(name, data, BoardFormatError, CELL_HELP)) if reader is None else reader(data)


def read_replay(path: str | os.PathLike[str]) -> Replay:
    r"""Read a game that was played, in RAWVF or one of the `VIDEOS` that ms-toollib reads.

    `-` is standard input, for RAWVF alone.

    Raises
    ------
    BoardFormatError
        If it cannot be read or is no replay of one game; the error names the file.
    MinesError
        If ms-toollib is needed and not installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".rawvf") as file:
    ...     print("Board:\n0*\nEvents:\n0.5 lc (5 5)\n0.6 lr (5 5)", file=file, flush=True)
    ...     read_replay(file.name).won
    True
    """
    name = file_name(path, BoardFormatError)
    suffix = os.path.splitext(name)[1].lower()
    data = read_bytes(name, "a replay", _LARGEST, BoardFormatError)
    with of_file(name):
        if suffix in _OTHER_REPLAYS:
            _no_replay(data)
        return replay_of(_rawvf(suffix, data))


def from_mbf(data: bytes) -> Board:
    """Return the unopened board of an `.mbf` file, with its layout.

    Raises
    ------
    BoardFormatError
        Naming the byte, from 0.

    Examples
    --------
    >>> print(from_mbf(bytes([3, 2, 0, 1, 0, 1])).open(0, 2))
    mines: 1
    #10
    #10
    """
    if len(require(data, bytes, "the content of a file, bytes,", error=BoardFormatError)) < 4:
        raise BoardFormatError(f"the file ends at byte {len(data)}, inside the four bytes of width, height and mines")
    cols, rows, mines = data[0], data[1], 256 * data[2] + data[3]
    if not rows or not cols:
        raise BoardFormatError(
            f"byte {1 if cols else 0}: a board of {counted(rows, 'row')} and {counted(cols, 'column')} is impossible"
        )
    if len(data) != 4 + 2 * mines:
        raise BoardFormatError(
            f"byte 2: this announces {counted(mines, 'mine')}, for {4 + 2 * mines} bytes, but the file has {len(data)}"
        )
    layout = set()
    for offset in range(4, len(data), 2):
        c, r = data[offset : offset + 2]
        if c >= cols or r >= rows:
            raise BoardFormatError(f"byte {offset}: a mine at {place((r, c))} is outside of the {rows}x{cols} board")
        if (r, c) in layout:
            raise BoardFormatError(f"byte {offset}: the mine at {place((r, c))} stands there twice")
        layout.add((r, c))
    return Board.from_layout(rows, cols, layout)


def to_mbf(board: Board) -> bytes:
    """Return the layout of a board as an `.mbf` file, which does not tell which cells are open.

    Raises
    ------
    BoardFormatError
        If the layout is not known, or the board is too large.

    Examples
    --------
    >>> to_mbf(Board.from_layout(2, 3, [(1, 0)])).hex(" ")
    '03 02 00 01 00 01'
    """
    rows, cols = require_board(board, error=BoardFormatError).size
    if board.layout is None:
        raise BoardFormatError("an .mbf file says where the mines are, which is not known of this board; write .mine")
    if max(rows, cols) > 255:
        raise BoardFormatError(f"an .mbf file holds at most 255 rows and columns; this board has {rows} and {cols}")
    places = [x for r, c in sorted(board.layout) for x in (c, r)]
    return bytes([cols, rows, *divmod(len(board.layout), 256), *places])


def from_mine(text: str) -> Board:
    r"""Return the position of a `.mine` file.

    Raises
    ------
    BoardFormatError
        Naming line and column.

    Examples
    --------
    >>> print(from_mine("3x2x2\nH1F\n?20"))
    mines: 2
    #1F
    *20
    """
    text = require(text, str, "the text of a file", "read_board_file reads one", BoardFormatError)
    lines = text.removeprefix("\ufeff").split("\n")
    size = _SIZE.fullmatch(lines[0])
    if size is None:
        raise BoardFormatError(f"line 1: found {lines[0][:40]!r}; write the size such as 30x16x99", line=1)
    cols, rows, mines = map(int, size.groups())
    grid = [line.strip() for line in lines[1:]]
    while grid and not grid[-1]:
        grid.pop()
    for number, row in enumerate(grid, start=2):
        for column, cell in enumerate(row, start=1):
            if cell not in _READ:
                raise BoardFormatError(
                    f"line {number}, character {column}: found {cell!r}; a cell is H (hidden), F (flagged), "
                    "0-8 (a count) or ? (a mine)",
                    line=number,
                    column=column,
                )
        if len(row) != cols:
            raise BoardFormatError(
                f"line {number}: a row of {counted(len(row), 'cell')} where line 1 says {cols}",
                line=number,
                column=len(row) + 1,
            )
    if len(grid) != rows or not rows:
        found = counted(len(grid), "row")
        raise BoardFormatError(f"line {len(grid) + 1}: {found} where line 1 says {rows}", line=len(grid) + 1)
    try:
        return Board(tuple("".join(map(_READ.__getitem__, row)) for row in grid), mines)
    except BoardFormatError as error:  # the grid is sound, so the number of mines is wrong
        raise BoardFormatError(f"line 1: {error}", line=1) from None


def to_mine(board: Board) -> str:
    """Return the position as a `.mine` file.

    Raises
    ------
    BoardFormatError
        If the total number of mines is not known.

    Examples
    --------
    >>> print(to_mine(Board(("#1F", "*20"), mines=2)), end="")
    3x2x2
    H1F
    ?20
    """
    if require_board(board, error=BoardFormatError).mines is None:
        raise BoardFormatError("a .mine file says how many mines there are; put a line such as mines: 99 on the board")
    rows, cols = board.size
    lines = [f"{cols}x{rows}x{board.mines}", *("".join(map(_WRITTEN.__getitem__, row)) for row in board.grid)]
    return "\n".join(lines) + "\n"


def _reader(suffix: str, data: bytes) -> Callable[[bytes], Board] | None:
    """The function that reads a file with this suffix and content; None for our own forms."""
    if suffix in _BOARDS:
        return from_mbf
    if _is_replay(suffix, data):
        return lambda data: from_rawvf(_rawvf(suffix, data))
    if suffix in _OTHER_REPLAYS:
        return _no_replay
    if _FORMULA.match(_start(data)):
        return _no_board
    if data.startswith(_ARRAY):
        return _no_array
    if suffix == ".mine" or _SIZE.fullmatch(_start(data).split("\n")[0]):
        return lambda data: from_mine(_text(data))
    return from_mbf if _is_mbf(data) else None


def _is_replay(suffix: str, data: bytes) -> bool:
    if suffix in (*_BOARDS, *_OTHER_REPLAYS):
        return False
    return suffix in (*VIDEOS, ".rawvf") or _start(data).lower().startswith("rawvf")


def _rawvf(suffix: str, data: bytes) -> str:
    return rawvf_of_video(data, suffix) if suffix in VIDEOS else _text(data)


def _start(data: bytes) -> str:
    return _text(data[:200])


def _is_mbf(data: bytes) -> bool:
    """Tell whether bytes are an `.mbf` file.

    A board as text never is one: its third and fourth byte would announce thousands of different mines.
    """
    try:
        from_mbf(data)
    except BoardFormatError:
        return False
    return True


def _no_replay(data: bytes) -> Board:
    raise BoardFormatError(
        "this is a replay in a form that cannot be read; convert it to RAWVF, as the parsers of minesweeper-rawvf do"
    )


def _no_board(data: bytes) -> Board:
    raise BoardFormatError(
        "this is a formula for solvers, CNF or OPB, which is not read as a board; save it as text, JSON or .mine, too"
    )


def _no_array(data: bytes) -> Board:
    raise BoardFormatError(
        "this is a NumPy array, which is not read as a board; mines_dd.answers.interop.from_array makes one of it"
    )


def _text(data: bytes) -> str:
    """The text; bytes that are none are replaced, as players' names come in many encodings."""
    return decoded(data, "replace")
