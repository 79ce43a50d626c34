"""The parsers: how each reads an input, valid inputs to begin with, and the words of its format."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import struct
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from mines_dd.answers import interop
from mines_dd.answers.solver import solve
from mines_dd.base.errors import MinesError
from mines_dd.board import files, replays
from mines_dd.board.board import Board
from mines_dd.boardgames import edax_book, go_board, othello, othello_graphs, position_graph, shiritori
from mines_dd.cli.common import BoardArgument
from mines_dd.constraints import cnf_opb
from mines_dd.diagrams import storage
from mines_dd.serve import answers

__all__ = ["MEMORY_FILES", "TARGETS", "Target", "scratch"]

MEMORY_FILES = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""A folder for files of a moment, which need no disk."""


@dataclass(frozen=True)
class Target:
    """A parser.

    Attributes
    ----------
    read : function
        Reads an input, or raises `MinesError`; an `AssertionError` says that what it read is wrong.
    seeds : function
        Valid inputs.
    words : tuple of bytes
        What the format is made of.
    """

    read: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    words: tuple[bytes, ...] = ()


# Parsers: each reads, and writes and reads again where there is a writer


def text_of(data: bytes) -> str:
    """The text, in which bytes that are no UTF-8 are lone surrogates: no text is out of reach."""
    return data.decode("utf-8", "surrogateescape")


@contextlib.contextmanager
def file_of(data: bytes) -> Iterator[str]:
    """A file that holds the data."""
    path = os.path.join(scratch(), "input")
    with open(path, "wb") as file:
        file.write(data)
    yield path


@cache
def scratch() -> str:
    """A folder that goes with the process, or with the one that started it."""
    made = tempfile.TemporaryDirectory(prefix="fuzz", dir=tempfile.tempdir or MEMORY_FILES)
    _kept.append(made)
    return made.name


_kept: list[Any] = []


def read_board(data: bytes) -> None:
    same_board(Board.parse(text_of(data)))


def same_board(board: Board) -> None:
    again = Board.parse(board.to_json())
    assert Board.parse(board.to_text(spaces=True)) == board == again, "another board when written and read again"
    assert again.layout == board.layout, "another layout when written and read again"


def read_argument(data: bytes) -> None:
    """A board as the command line takes it, such as '##1/221/000'."""
    text = text_of(data)
    if text == "-":
        raise MinesError("standard input")
    board = BoardArgument().convert(text, None, None)
    same_board(board)
    total = [] if board.mines is None else [f"mines: {board.mines}"]
    assert BoardArgument().convert("/".join([*total, *board.grid, ""]), None, None) == board, (
        "another board in one line"
    )
    if "/" in text and not os.path.exists(text) and text.isascii() and text.isprintable() and text[0] not in "{[":
        assert Board.parse(re.sub(" */ *", "\n", text.strip(" "))) == board, "another board in several lines"


def read_array(data: bytes) -> None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise MinesError("no JSON") from None
    board = interop.from_array(value)
    assert interop.from_array(interop.to_array(board)) == board, "another board from its own array"


def read_mbf(data: bytes) -> None:
    board = files.from_mbf(data)
    assert files.from_mbf(files.to_mbf(board)).layout == board.layout, "another layout when written"


def read_mine(data: bytes) -> None:
    board = files.from_mine(text_of(data))
    assert files.from_mine(files.to_mine(board)) == board, "another board when written"


def read_rawvf(data: bytes) -> None:
    same_board(replays.from_rawvf(text_of(data)))


def read_any_board(data: bytes) -> None:
    with file_of(data) as path:
        same_board(files.read_board_file(path))


def read_opb(data: bytes) -> None:
    graph = cnf_opb.from_opb(text_of(data))
    if len(graph) < 100:
        cnf_opb.from_opb(cnf_opb.to_opb(graph))
        cnf_opb.to_cnf(graph)


def read_graphillion(data: bytes) -> None:
    """A set of graphs as Graphillion writes it, on four edges."""
    universe = [(1, 2), (2, 3), (3, 4), (1, 4)]
    interop.from_graphillion(SimpleNamespace(universe=lambda: universe, dumps=lambda: text_of(data))).count()


def read_positions(data: bytes, parse: Callable[[str], position_graph.PositionGraph]) -> None:
    graph = parse(text_of(data))
    ordered = all(child > v for v, children in enumerate(graph.children) for child in children)
    assert ordered, "a move to a lower number"
    assert len(graph.parents) == len(graph.own) == len(graph), "not one entry a position"


def read_edax(data: bytes) -> None:
    book = edax_book.EdaxBook.parse(data)
    assert edax_book.EdaxBook.parse(book.to_bytes()).records == book.records, "another book when written"
    if book.records:
        book.graph(tolerance=othello_graphs.Tolerance(2), depth=4)


def read_moves(data: bytes) -> None:
    position = othello.Othello(8).parse(text_of(data))
    assert not position.player & position.opponent, "two discs on a square"


def read_go(data: bytes) -> None:
    board = go_board.GoBoard.parse(text_of(data))
    assert go_board.GoBoard.parse(board.to_text()) == board, "another board when written"
    board.is_legal()
    board.to_sgf()


def read_words(data: bytes) -> None:
    shiritori.parse_words(text_of(data))
    shiritori.parse_words(text_of(data), skip=True)


def read_saved(data: bytes) -> None:
    """A file as it is, and with its checksum mended."""
    mended = data[:-64] + hashlib.sha256(data[:-64]).hexdigest().encode()
    with contextlib.suppress(MinesError), file_of(data) as path:
        storage.load(path)
        assert data == mended, "a wrong checksum is accepted"
    with file_of(mended) as path:
        storage.load(path)


def read_contents(data: bytes) -> None:
    """A file with these contents (JSON) in arrays of the right types, and with the right checksum."""
    try:
        header, arrays = json.loads(data)
        members: dict[str, Any] = {
            name: np.array(values, np.int64 if name == "start" else np.int32) for name, values in arrays.items()
        }
        archive = io.BytesIO()
        members["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
        np.savez(archive, **members)  # type: ignore[arg-type]
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise MinesError("no contents of a file") from None
    body = archive.getvalue()[:-2] + struct.pack("<H", 64)
    with file_of(body + hashlib.sha256(body).hexdigest().encode()) as path:
        circuit, _ = storage.load(path)
    with file_of(b"") as path:
        storage.save(path, circuit, {})
        assert storage.load(path)[0].cells == circuit.cells, "other cells when saved"


def read_request(data: bytes, question: str) -> None:
    """The body of a request to the analyser."""
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        raise MinesError("no JSON") from None
    if not isinstance(values, dict):
        raise MinesError("no JSON object")
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        status, value = answers.answer(question, values, answers.Limits(side=12, nodes=20_000, seconds=1.0))
    json.dumps(value)
    assert status in (200, 400, 422), "\n".join(errors.getvalue().strip().splitlines()[-3:])
    if status != 200:
        raise MinesError(value["kind"])


# Valid inputs to begin with

_REPLAY = b"""RawVF_Version: Rev5
Program: Example
Width: 4
Height: 3
Mines: 2
Marks: On
Board:
0000
00*0
*000
Events:
0.00 start
0.10 lc 1 1 (8 8)
0.20 lr 1 1 (8 8)
1.25 rc 3 2 (40 25)
1.30 rr 3 2 (40 25)
1.50 mc 2 1 (24 8)
1.60 mr 2 1 (24 8)
2.00 won
"""
_CSV = b"position,next,mover\nstart,a,own\nstart,b,own\na,c,opponent\nb,c,opponent\nc,end,own\n"
_POSITIONS = b'{"moves": {"start": ["a", "b"], "a": ["c"], "b": ["c"]}, "own": ["start"], "root": "start"}'
_DUMP = b"14 4 B T\n12 3 B 14\n13 3 14 B\n8 2 12 13\n.\n"
_ANSWER = b'{"board": "mines: 3\\n####\\n#12#\\n####", "cell": [0, 1]}'


def board_texts() -> list[bytes]:
    boards = [Board.random(5, 6, 0.2, 0.4, seed) for seed in range(3)]
    texts = [board.to_text(spaces=seed > 0) for seed, board in enumerate(boards)]
    return [text.encode() for text in [*texts, "\ufeffmines: 1\r\n#F*\r\n012\r\n", "#1#", "mines: 2/#1#/#2#"]]


def board_arguments() -> list[bytes]:
    lines = [f"mines: {board.mines}/" + "/".join(board.grid) for board in [Board.random(3, 4, 3, 5, 1)]]
    return [line.encode() for line in [*lines, "##1/221/000", "#1#/", "# 1 #/F * 3", "mines: 2/#1#/#2#"]]


def board_jsons() -> list[bytes]:
    return [Board.random(3, 4, 0.2, 0.4, seed).to_json().encode() for seed in range(2)] + [b'{"board": ["#1#"]}']


def mbf_files() -> list[bytes]:
    return [files.to_mbf(Board.random(6, 9, mines, 0, 1)) for mines in (0, 1, 8)]


def mine_files() -> list[bytes]:
    return [files.to_mine(Board.random(4, 5, 3, hints, 1)).encode() for hints in (0, 5)] + [b"3x2x2\nH1F\n?20\n"]


def opb_files() -> list[bytes]:
    boards = [Board.parse("#1#"), Board.random(4, 4, 3, 5, 1)]
    return [cnf_opb.to_opb(board).encode() for board in boards] + [b"+1 x1\n+1 x2 >= 1 ;\n-1 x1 <= 0;"]


def edax_files() -> list[bytes]:
    game = othello.Othello(8)
    records, open_ = {}, [game.folded(game.start)]
    for position in open_:
        turns = game.turns(position)
        links = tuple(edax_book.Link(2 - i, move) for i, move in enumerate(turns[:2]))
        records[position] = edax_book.Record(position, links, edax_book.Link(-3, turns[-1]))
        if len(open_) < 4:
            after = {game.folded(game.play(position, link.move)) for link in links}
            open_ += sorted(after - records.keys() - set(open_))
    one = {position: records[position] for position in open_[:1]}
    return [
        edax_book.EdaxBook(records).to_bytes(),
        edax_book.EdaxBook(one).to_bytes(),
        edax_book.EdaxBook({}).to_bytes(),
    ]


def saved_files() -> list[bytes]:
    files = []
    for board in (Board.parse("#1#"), Board.random(6, 6, 0.2, 0.4, 1)):
        with file_of(b"") as path:
            solve(board, "tree").save(path)
            files.append(Path(path).read_bytes())
    return files


def saved_contents() -> list[bytes]:
    contents = []
    for data in saved_files():
        with np.load(io.BytesIO(data)) as archive:
            header = json.loads(archive["header"].tobytes())
            arrays = {name: archive[name].tolist() for name in archive.files if name != "header"}
        contents.append(json.dumps([header, arrays]).encode())
    return contents


_JSON = (b"null", b"true", b"-1", b"1e999", b"NaN", b"[]", b"{}", b'""', b'"\\ud800"', b"[[", b"[" * 2000, b"9" * 4301)
_BLANKS = (b" ", b"\t", b"\r", b"\n", b"\n\n", b"\0", b"\x0b", b"\xc2\x85", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xff")

TARGETS: dict[str, Target] = {
    "board-text": Target(
        read_board, board_texts, (*_BLANKS, b"mines: 3\n", b":", b"/", b"#", b"F", b"*", b"8", b"9", b".")
    ),
    "board-argument": Target(
        read_argument,
        board_arguments,
        (*_BLANKS, b"mines: 3/", b"/", b"//", b" / ", b":", b"#", b"F", b"*", b"8", b"9"),
    ),
    "board-json": Target(read_board, board_jsons, (*_JSON, b'"mines": 1,', b'"layout": [[0, 1]],', b'"#1#",')),
    "array": Target(read_array, lambda: [b"[[-1, 1, -2], [9, 2, 0]]", b"[[0]]"], _JSON),
    "mbf": Target(read_mbf, mbf_files),
    "mine": Target(read_mine, mine_files, (*_BLANKS, b"3x2x2", b"H", b"F", b"?", b"M", b"8")),
    "rawvf": Target(
        read_rawvf,
        lambda: [_REPLAY],
        (
            *_BLANKS,
            b"Board:\n",
            b"Events:\n",
            b"Squaresize: 9\n",
            b"Superclick: On\n",
            b"0.1 mt 1 1 (1 1)\n",
            b"sc",
            b"mc",
        ),
    ),
    "any-board-file": Target(
        read_any_board,
        lambda: [*board_texts(), *board_jsons(), *mbf_files(), *mine_files(), _REPLAY],
        (*_BLANKS, b"rawvf", b"3x2x2\n", b"{"),
    ),
    "opb": Target(
        read_opb,
        opb_files,
        (
            *_BLANKS,
            b"* #variable= 1000000 #constraint= 1\n",
            b"+1 x1 ",
            b"-1",
            b"~x1",
            b"min:",
            b">=",
            b"<=",
            b"=",
            b";",
            b"<",
        ),
    ),
    "graphillion": Target(
        read_graphillion, lambda: [_DUMP, b"B\n.\n", b"T\n.\n"], (b"B", b"T", b".", b"\n", b" 14", b"1 ")
    ),
    "positions-csv": Target(
        lambda data: read_positions(data, position_graph.parse_csv),
        lambda: [_CSV, b"a,b\na,c\nb,d\n"],
        (*_BLANKS, b'"', b",", b",own", b",opponent", b"a,b\n", b"b,a\n"),
    ),
    "positions-json": Target(
        lambda data: read_positions(data, position_graph.parse_json),
        lambda: [_POSITIONS, b'{"moves": {"a": []}}'],
        (*_JSON, b'"own"', b'"root"', b'"a": ["start"],'),
    ),
    "edax": Target(read_edax, edax_files, (b"\xff\xff\xff\x7f", b"\xff" * 8, b"\0" * 8, b"\x40", b"\x41", b"\x80")),
    "othello-moves": Target(
        read_moves, lambda: [b"f5d6c3d3c4", b"f5f6e6f4"], (b"a1", b"h8", b"e6", b"--", b"\xc2\xb2")
    ),
    "go": Target(read_go, lambda: [b"#XO\nX#O\nOX#\n", b"#"], (*_BLANKS, b"#", b"X", b"O")),
    "words": Target(
        read_words, lambda: [b"3\nabcd\nbcda\nada\n", b"abc\n"], (*_BLANKS, b"\xc2\xb2", b"\xd9\xa3", b"abc\n")
    ),
    "saved": Target(read_saved, saved_files, (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\xff" * 8, b"\x93NUMPY")),
    "saved-contents": Target(read_contents, saved_contents, (*_JSON, b'"version"', b'"cells"', b'"root"', b'"start"')),
    "request-read": Target(lambda data: read_request(data, "read"), lambda: [_ANSWER], _JSON),
    "request-analyse": Target(
        lambda data: read_request(data, "analyse"), lambda: [_ANSWER], (*_JSON, b"#", b"1", b"\\n")
    ),
    "request-explain": Target(
        lambda data: read_request(data, "explain"), lambda: [_ANSWER], (*_JSON, b"#", b"1", b"\\n")
    ),
}
"""Every parser by its name."""
