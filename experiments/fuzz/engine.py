"""Inputs tried on a parser, in a process of its own under limits; what fails is reduced and kept."""

from __future__ import annotations

import base64
import hashlib
import json
import mmap
import os
import random
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from experiments.fuzz.mutations import LARGEST, NUMBERS, mutated
from experiments.fuzz.targets import MEMORY_FILES, TARGETS, scratch
from mines_dd.base.errors import MinesError

__all__ = ["BOOT", "Engine", "Finding", "Outcome", "attempt", "reduced", "replay", "saved", "search", "serve"]

Engine = Literal["atheris", "random"]

SECONDS = 2.0
"""Of computing that an input may take."""
MEMORY = 2**30
"""Bytes of address space that a process may take beyond what it has when it is ready."""
_PATIENCE = 30.0  # wall-clock seconds after which a process that reports nothing is ended
_RESTARTS = 3  # of a process that ended, per parser


class Outcome(NamedTuple):
    """What became of an input: "read", "refused" or "fault"; and the error with the place that raised it."""

    kind: Literal["read", "refused", "fault"]
    where: str = ""


class Finding(NamedTuple):
    """An input that is a fault, and what is wrong."""

    target: str
    wrong: str
    data: bytes


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
        if "mines_dd" in name or os.path.dirname(name) == os.path.dirname(__file__):
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
        data = data[:LARGEST]
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
    reporter = _Reporter(job, mmap.mmap(job["shared"], 8 + LARGEST), os.fdopen(job["report"], "w"))
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

    folder = Path(scratch())
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(seeds):
        (corpus / str(number)).write_bytes(seed)
    words = [word for word in (*reporter.target.words, *NUMBERS) if len(word) <= 64]
    dictionary = folder / "words"
    dictionary.write_text("".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in words))
    seed = reporter.job["seed"] + reporter.job["first"] + 1  # 0 would stand for the time of day
    options = {"seed": seed, "dict": dictionary, "max_len": LARGEST, "artifact_prefix": f"{folder}/"}
    # the limits are ours
    options |= {"timeout": 10 * int(_PATIENCE), "rss_limit_mb": 0}
    atheris.Setup([sys.argv[0], *(f"-{name}={value}" for name, value in options.items()), str(corpus)], try_one)
    atheris.Fuzz()


# The process that follows it


@dataclass
class _Tally:
    """What is known of one parser."""

    inputs: int = 0
    accepted: int = 0
    errors: set[str] = field(default_factory=set)
    findings: dict[str, bytes] = field(default_factory=dict)


BOOT = {
    "random": "from experiments.fuzz.engine import serve",
    "atheris": """import atheris
with atheris.instrument_imports(include=["mines_dd"]):
    from experiments.fuzz.engine import serve""",
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
    with tempfile.TemporaryDirectory(prefix="fuzz", dir=MEMORY_FILES) as folder, tempfile.TemporaryFile() as shared:
        shared.truncate(8 + LARGEST)
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
