"""Damaged and malicious input for every parser: read, or refused with a documented error, in bounded time and memory.

An input is refused with a `MinesError`; any other exception is a finding, as is more than two seconds of computing,
more than a gigabyte of memory, the end of the process, and a value that does not survive being written and read again.
Each parser runs in a process of its own under these limits.  A finding is reduced to a short input, printed and saved,
and `tests/experiments/test_fuzz.py` tries it again for ever.

Two engines: `atheris` (libFuzzer; inputs that reach new code are kept and changed further), if it is installed, and
`random`, which changes valid inputs at random: bits, bytes, cuts, repetitions, splices, words of the format, numbers
made large.  With the latter the same seed tries the same inputs.

`python -m experiments.fuzz --minutes 5 --seed 0`, `python -m experiments.fuzz --replay FILE`.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.util
import io
import json
import mmap
import os
import random
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, Literal, NamedTuple

import click
import numpy as np
from tabulate import tabulate
from tqdm import tqdm

from experiments import harness
from mines_dd.answers import interop
from mines_dd.answers.solver import solve
from mines_dd.base.errors import MinesError
from mines_dd.board import files, replays
from mines_dd.board.board import Board
from mines_dd.boardgames import edax_book, go_strings, othello, position_graph, shiritori
from mines_dd.cli.common import BoardArgument
from mines_dd.constraints import cnf_opb
from mines_dd.diagrams import storage
from mines_dd.serve import answers

__all__ = ["TARGETS", "Finding", "Outcome", "Target", "attempt", "mutated", "reduced", "replay", "search"]

Engine = Literal["atheris", "random"]

SECONDS = 2.0
"""Of computing that an input may take."""
MEMORY = 2**30
"""Bytes of address space that a process may take beyond what it has when it is ready."""
_MEMORY_FILES = "/dev/shm" if os.path.isdir("/dev/shm") else None  # files of a moment need no disk
_PATIENCE = 30.0  # wall-clock seconds after which a process that reports nothing is ended
_LARGEST = 2**16  # bytes of an input
_RESTARTS = 3  # of a process that ended, per parser


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


class Outcome(NamedTuple):
    """What became of an input: "read", "refused" or "fault"; and the error with the place that raised it."""

    kind: Literal["read", "refused", "fault"]
    where: str = ""


class Finding(NamedTuple):
    """An input that is a fault, and what is wrong."""

    target: str
    wrong: str
    data: bytes


# Parsers: each reads, and writes and reads again where there is a writer


def text_of(data: bytes) -> str:
    """The text, in which bytes that are no UTF-8 are lone surrogates: no text is out of reach."""
    return data.decode("utf-8", "surrogateescape")


@contextlib.contextmanager
def file_of(data: bytes) -> Iterator[str]:
    """A file that holds the data."""
    path = os.path.join(_folder(), "input")
    with open(path, "wb") as file:
        file.write(data)
    yield path


@cache
def _folder() -> str:
    """A folder that goes with the process, or with the one that started it."""
    folder = tempfile.TemporaryDirectory(prefix="fuzz", dir=tempfile.tempdir or _MEMORY_FILES)
    _kept.append(folder)
    return folder.name


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
        book.graph(loss=2, depth=4)


def read_moves(data: bytes) -> None:
    position = othello.Othello(8).parse(text_of(data))
    assert not position.player & position.opponent, "two discs on a square"


def read_go(data: bytes) -> None:
    board = go_strings.GoBoard.parse(text_of(data))
    assert go_strings.GoBoard.parse(board.to_text()) == board, "another board when written"
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


# Changing inputs

_NUMBER = re.compile(rb"-?[0-9]+")
_NUMBERS = [b"%d" % n for n in (0, -1, 1, 9, 255, 256, 65536, 2**31 - 1, 2**31, 2**32, 2**63, 2**64, 10**12, 10**18)]
_NUMBERS += [b"9" * 4301, b"1.5", b"1e9", b"007", "²".encode(), "٣".encode()]


def mutated(rng: random.Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Return one of the seeds after a few changes."""
    data = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 2, 3, 5))):
        data = rng.choice(_CHANGES)(rng, data, seeds, words)
    return data[:_LARGEST]


def _flip(rng: random.Random, data: bytes, *_: object) -> bytes:
    at = rng.randrange(len(data) or 1)
    return data[:at] + bytes(byte ^ 1 << rng.randrange(8) for byte in data[at : at + 1]) + data[at + 1 :]


def _overwrite(rng: random.Random, data: bytes, *_: object) -> bytes:
    at, size = rng.randrange(len(data) + 1), rng.choice((1, 1, 2, 4, 8))
    new = rng.choice((b"\xff" * size, bytes(size), rng.randbytes(size)))
    return data[:at] + new + data[at + size :]


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    """A part, mostly short."""
    at = rng.randrange(len(data) + 1)
    return at, min(len(data), at + rng.choice((1, 2, 4, rng.randrange(len(data) + 1))))


def _cut(rng: random.Random, data: bytes, *_: object) -> bytes:
    begin, end = _span(rng, data)
    return data[:begin] if rng.random() < 0.2 else data[:begin] + data[end:]


def _repeat(rng: random.Random, data: bytes, *_: object) -> bytes:
    begin, end = _span(rng, data)
    part = data[begin:end]
    times = min(rng.choice((1, 1, 1, 2, 10, 1000)), _LARGEST // (len(part) or 1))
    return data[:begin] + part * times + data[begin:]


def _insert(rng: random.Random, data: bytes, _: object, words: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data) + 1)
    new = rng.choice(words) if words and rng.random() < 0.8 else rng.randbytes(rng.choice((1, 1, 4)))
    return data[:at] + new + data[at + (len(new) if rng.random() < 0.3 else 0) :]


def _splice(rng: random.Random, data: bytes, seeds: Sequence[bytes], _: object) -> bytes:
    begin, end = _span(rng, other := rng.choice(seeds))
    at = rng.randrange(len(data) + 1)
    return data[:at] + other[begin:] if rng.random() < 0.5 else data[:at] + other[begin:end] + data[at:]


def _renumber(rng: random.Random, data: bytes, *_: object) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    begin, end = rng.choice(found).span()
    near = b"%d" % (int(data[begin:end][:18]) + rng.choice((-1, 1)))
    return data[:begin] + rng.choice((near, rng.choice(_NUMBERS))) + data[end:]


_CHANGES = (_flip, _overwrite, _cut, _repeat, _insert, _insert, _splice, _renumber, _renumber)


# Trying an input


class _TooLongError(BaseException):
    """Passes every `except Exception` on its way."""


def _stop(*_: object) -> None:
    raise _TooLongError


def attempt(read: Callable[[bytes], object], data: bytes, seconds: float = SECONDS) -> Outcome:
    """Try one input; in the main thread only, for the sake of the time limit (seconds of computing)."""
    signal.signal(signal.SIGPROF, _stop)
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            read(data)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except MinesError as error:
        return Outcome("refused", f"{type(error).__name__} {_place(error)}")
    except _TooLongError:
        return Outcome("fault", f"takes longer than {seconds:g} seconds")
    except MemoryError as error:
        return Outcome("fault", f"takes too much memory {_place(error)}")
    except Exception as error:
        return Outcome("fault", f"{type(error).__name__} {_place(error)}: {str(error)[:200]}")
    return Outcome("read")


def _place(error: BaseException) -> str:
    """The innermost line of ours that the error passed."""
    found = "nowhere"
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if "mines_dd" in name or name == __file__:
            found = f"{os.path.basename(name)}:{line}"
    return found


def reduced(data: bytes, fails: Callable[[bytes], bool], seconds: float = 10.0) -> bytes:
    """Return a shorter input that still fails: parts dropped, ever smaller ones, as long as there is time."""
    end = time.monotonic() + seconds
    size = len(data)
    while (size := size // 2) and time.monotonic() < end:
        at = 0
        while at < len(data) and time.monotonic() < end:
            shorter = data[:at] + data[at + size :]
            if fails(shorter):
                data = shorter
            else:
                at += size
    return data


def replay(path: Path) -> Outcome:
    """Try a saved finding again."""
    _, target, _ = path.stem.split("_")
    return attempt(TARGETS[target].read, path.read_bytes())


# The process that tries one parser's inputs


@dataclass
class _Reporter:
    """Tries inputs and says, a JSON object a line, what became of them."""

    job: dict[str, Any]
    shared: mmap.mmap
    output: IO[str]
    inputs: int = 0
    accepted: int = 0
    errors: set[str] = field(default_factory=set)
    faults: set[str] = field(default_factory=set)
    said: float = 0.0

    def __post_init__(self) -> None:
        self.target = TARGETS[self.job["target"]]
        self.end = time.monotonic() + self.job["seconds"]

    def try_one(self, data: bytes) -> None:
        # where the parent finds it if this process ends
        data = data[:_LARGEST]
        self.shared[:8] = struct.pack("<Q", len(data))
        self.shared[8 : 8 + len(data)] = data
        outcome = attempt(self.target.read, data)
        if outcome.kind == "fault":  # twice: the first time may have loaded a module
            outcome = attempt(self.target.read, data)
        self.inputs += 1
        if outcome.kind == "read":
            self.accepted += 1
        elif outcome.kind == "refused":
            self.errors.add(outcome.where)
        elif (key := outcome.where.partition(": ")[0]) not in self.faults:
            self.faults.add(key)
            small = reduced(data, lambda d: attempt(self.target.read, d).where.startswith(key))
            self.say(wrong=outcome.where, data=base64.b64encode(small).decode())
        if time.monotonic() - self.said > 0.2:
            self.say()

    def is_done(self) -> bool:
        return self.inputs >= int(self.job["inputs"]) or time.monotonic() > self.end

    def say(self, **more: str) -> None:
        self.said = time.monotonic()
        state = {"inputs": self.inputs, "accepted": self.accepted, "errors": sorted(self.errors), **more}
        self.output.write(json.dumps(state) + "\n")
        self.output.flush()


def serve(job: dict[str, Any]) -> None:
    """Try inputs on one parser until time or their number is up: what a child process does."""
    import resource

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program that started this one answers Ctrl-C for both
    tempfile.tempdir = job["folder"]  # and removes what is left if this one is ended
    reporter = _Reporter(job, mmap.mmap(job["shared"], 8 + _LARGEST), os.fdopen(job["report"], "w"))
    seeds = reporter.target.seeds()
    for seed in seeds:
        reporter.try_one(seed)
    with open("/proc/self/statm", encoding="ascii") as file:
        limit = resource.getpagesize() * int(file.read().split()[0]) + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    {"random": _at_random, "atheris": _guided}[job["engine"]](reporter, seeds)
    reporter.say()


def _at_random(reporter: _Reporter, seeds: list[bytes]) -> None:
    job = reporter.job
    number = job["first"]
    while not reporter.is_done():
        rng = random.Random(f"{job['seed']}/{job['target']}/{number}")
        reporter.try_one(mutated(rng, seeds, reporter.target.words))
        number += 1


def _guided(reporter: _Reporter, seeds: list[bytes]) -> None:
    """Let libFuzzer choose the inputs; it never returns, so the process is ended from within."""
    import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]

    def try_one(data: bytes) -> None:
        reporter.try_one(data)
        if reporter.is_done():
            reporter.say()
            os._exit(0)

    folder = Path(_folder())
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(seeds):
        (corpus / str(number)).write_bytes(seed)
    words = [word for word in (*reporter.target.words, *_NUMBERS) if len(word) <= 64]
    dictionary = folder / "words"
    dictionary.write_text("".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in words))
    seed = reporter.job["seed"] + reporter.job["first"] + 1  # 0 would stand for the time of day
    options = {"seed": seed, "dict": dictionary, "max_len": _LARGEST, "artifact_prefix": f"{folder}/"}
    # the limits are ours
    options |= {"timeout": 10 * int(_PATIENCE), "rss_limit_mb": 0}
    atheris.Setup([sys.argv[0], *(f"-{name}={value}" for name, value in options.items()), str(corpus)], try_one)
    atheris.Fuzz()


# The program


@dataclass
class _Tally:
    """What is known of one parser."""

    inputs: int = 0
    accepted: int = 0
    errors: set[str] = field(default_factory=set)
    findings: dict[str, bytes] = field(default_factory=dict)


BOOT = {
    "random": "from experiments.fuzz import serve",
    "atheris": """import atheris
with atheris.instrument_imports(include=["mines_dd"]):
    from experiments.fuzz import serve""",
}
"""How a process gets its function `serve`."""


def search(target: str, engine: Engine, seed: int, seconds: float, inputs: int, bar: Any = None) -> _Tally:
    """Try inputs on a parser, in processes of their own, and return what became of them.

    Parameters
    ----------
    target : str
        One of `TARGETS`.
    engine : {"atheris", "random"}
    seed : int
    seconds : float
        Of wall-clock time.
    inputs : int
        After how many to stop at the latest.
    bar : tqdm, optional
        To be told how many inputs were tried.
    """
    tally = _Tally()
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="fuzz", dir=_MEMORY_FILES) as folder, tempfile.TemporaryFile() as shared:
        shared.truncate(8 + _LARGEST)
        for _ in range(_RESTARTS):
            job = {
                "target": target,
                "engine": engine,
                "seed": seed,
                "first": tally.inputs,
                "inputs": inputs - tally.inputs,
                "seconds": end - time.monotonic(),
                "shared": shared.fileno(),
                "folder": folder,
            }
            code = _followed(job, tally, bar)
            if code == 0:
                break
            shared.seek(0)
            size = struct.unpack("<Q", shared.read(8))[0]
            wrong = f"no answer for {_PATIENCE:g} seconds" if code is None else f"the process ends with {code}"
            tally.findings.setdefault(wrong, shared.read(size))
    return tally


def _followed(job: dict[str, Any], tally: _Tally, bar: Any) -> int | None:
    """Run a child to its end; return its exit code, or None if it had to be ended."""
    program = f"import json, sys\n{BOOT[job['engine']]}\nserve(json.loads(sys.argv[1]))"
    before, accepted = tally.inputs, tally.accepted
    report, theirs = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", program, json.dumps(job | {"report": theirs})],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[job["shared"], theirs],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},  # compiling is not what the limits are about
        start_new_session=True,
    )
    os.close(theirs)
    try:
        for line in _lines(report):
            if line is None:
                return None
            state = json.loads(line)
            if bar is not None:
                bar.update(before + state["inputs"] - tally.inputs)
            tally.inputs, tally.accepted = before + state["inputs"], accepted + state["accepted"]
            tally.errors.update(state["errors"])
            if "wrong" in state:
                tally.findings[state["wrong"]] = base64.b64decode(state["data"])
        return process.wait()
    finally:
        process.kill()
        process.wait()
        os.close(report)


def _lines(stream: int) -> Iterator[bytes | None]:
    """Yield the lines that a process writes; None if it writes nothing for too long."""
    rest = b""
    while select.select([stream], [], [], _PATIENCE)[0]:
        part = os.read(stream, 2**16)
        if not part:
            return
        *whole, rest = (rest + part).split(b"\n")
        yield from whole
    yield None


def saved(finding: Finding, folder: Path) -> Path:
    """Save a finding's input, and return where; `replay` reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"fuzz_{finding.target}_{hashlib.sha256(finding.data).hexdigest()[:8]}.bin"
    path.write_bytes(finding.data)
    return path


@click.command(help=__doc__)
@click.option("--minutes", default=5.0, show_default=True, help="For all parsers together.")
@click.option("--inputs", default=10**9, help="After how many inputs to go on to the next parser.")
@click.option("--seed", default=0, show_default=True)
@click.option("--only", multiple=True, type=click.Choice(list(TARGETS)), help="A parser; may be repeated.")
@click.option("--engine", type=click.Choice(["atheris", "random"]), help="By default atheris, where it is installed.")
@harness.output("failures", "tests")
@click.option(
    "--replay", "again", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Only try this file."
)
def main(
    minutes: float,
    inputs: int,
    seed: int,
    only: tuple[str, ...],
    engine: Engine | None,
    output: Path,
    again: Path | None,
) -> None:
    if again is not None:
        print(" ".join(replay(again)))
        return
    if engine is None:
        engine = "atheris" if importlib.util.find_spec("atheris") else "random"
    elif engine == "atheris" and not importlib.util.find_spec("atheris"):
        raise OSError("the package atheris is not installed; install it, or use --engine random")
    end = time.monotonic() + 60 * minutes
    names = only or tuple(TARGETS)
    rows: list[list[Any]] = []
    for i, name in enumerate(names):
        with tqdm(unit="input", desc=name, disable=None, leave=False) as bar:
            tally = search(name, engine, seed, (end - time.monotonic()) / (len(names) - i), inputs, bar)
        rows.append([name, tally.inputs, tally.accepted, len(tally.errors), len(tally.findings)])
        for wrong, data in tally.findings.items():
            path = saved(Finding(name, wrong, data), output)
            print(f"{name}: {wrong}\n  reduced: {data[:200]!r}\n  saved: {path}", flush=True)
    print(f"engine: {engine}")
    print(tabulate(rows, ["target", "inputs", "read", "distinct errors", "findings"]))
    if any(row[-1] for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    harness.command(lambda: main.main(standalone_mode=False))
