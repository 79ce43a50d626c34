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

import importlib.util
import time
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from experiments.fuzz.engine import BOOT, Engine, Finding, Outcome, attempt, reduced, replay, saved, search, serve
from experiments.fuzz.mutations import mutated
from experiments.fuzz.targets import TARGETS, Target
from experiments.harness import Options, Report, experiment, option
from experiments.shared import table

__all__ = [
    "BOOT",
    "TARGETS",
    "Finding",
    "Outcome",
    "Target",
    "attempt",
    "main",
    "mutated",
    "reduced",
    "replay",
    "saved",
    "search",
    "serve",
]


@experiment(
    option("--minutes", 5.0, "For all parsers together."),
    option("--inputs", 10**9, "After how many inputs to go on to the next parser.", show_default=False),
    option("--seed", 0),
    option("--only", None, "A parser; may be repeated.", click.Choice(list(TARGETS)), multiple=True),
    option("--engine", None, "By default atheris, where it is installed.", click.Choice(["atheris", "random"])),
    option("--replay", None, "Only try this file.", click.Path(exists=True, dir_okay=False, path_type=Path)),
    minutes=5,
    quick="--minutes 1.5",
    output="tests/failures",
)
def main(options: Options) -> Report:
    """Findings as they come, and a row a parser; findings end it with 1."""
    if options.replay is not None:
        yield " ".join(replay(options.replay))
        return
    engine: Engine = options.engine or ("atheris" if importlib.util.find_spec("atheris") else "random")
    if engine == "atheris" and not importlib.util.find_spec("atheris"):
        raise OSError("the package atheris is not installed; install it, or use --engine random")
    end = time.monotonic() + 60 * options.minutes
    names = options.only or tuple(TARGETS)
    rows: list[list[Any]] = []
    for i, name in enumerate(names):
        with tqdm(unit="input", desc=name, disable=None, leave=False) as bar:
            share = (end - time.monotonic()) / (len(names) - i)
            tally = search(name, engine, options.seed, share, options.inputs, bar)
        rows.append([name, tally.inputs, tally.accepted, len(tally.errors), len(tally.findings)])
        for wrong, data in tally.findings.items():
            path = saved(Finding(name, wrong, data), options.output)
            yield f"{name}: {wrong}\n  reduced: {data[:200]!r}\n  saved: {path}"
    yield f"engine: {engine}"
    yield table(rows, ["target", "inputs", "read", "distinct errors", "findings"], "lr")
    if any(row[-1] for row in rows):
        raise SystemExit(1)
