"""Sweeps that are killed at random moments and started again, until they are done: is every result there, once, right?

A short sweep is started, and after a random time its whole process group is killed (SIGKILL: nothing can be caught or
cleaned up).  Every second time the clock starts with the program, which often dies before it has a result; the other
times it starts with the first result that this start has added.  After one kill in four half a line is added to the
results too, as a power cut may leave it.  The same command goes on until it ends by itself.  Then every line that was
ever whole has to be there, no job twice, and all results have to be those of a run that nobody disturbed, times and
memory aside.

`python -m experiments.faults --kills 100 --seed 0` saves a table; exit code 1 if anything was lost, doubled or unequal.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from experiments.harness import RUNS, Options, Report, experiment, names_of, option
from experiments.shared import table
from experiments.sweeps import die_with

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Sweep:
    """A sweep to disturb.

    Attributes
    ----------
    arguments : tuple of str
        The experiment's name and options.
    times : frozenset of str
        What of its results differs from run to run: times, memory, load.
    """

    arguments: tuple[str, ...]
    times: frozenset[str]

    @classmethod
    def of(cls, command: str, *times: str) -> Sweep:
        """Make one from a command as it would be typed."""
        return cls(tuple(command.split()), frozenset(times))

    def start(self, output: Path) -> subprocess.Popen[bytes]:
        """Start it as the leader of a process group."""
        command = [sys.executable, "-m", f"experiments.{self.arguments[0]}", *self.arguments[1:]]
        return subprocess.Popen(
            [*command, "--output", str(output)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=partial(die_with, os.getpid()),
        )

    def untimed(self, line: str) -> dict[str, Any]:
        """Return a result without what differs, however deep."""
        kept: dict[str, Any] = json.loads(
            line, object_pairs_hook=lambda pairs: {key: value for key, value in pairs if key not in self.times}
        )
        return kept


SWEEPS = {
    "table1": Sweep.of("table1 --size 8 --instances 1 --methods dc --orders row --no-late", "seconds", "mib"),
    "win_rates": Sweep.of(
        "win_rates --levels beginner-8x8 --rules safe --policies safest --games 160 --block 20", "seconds"
    ),
    "peers": Sweep.of("peers --sizes 8 --settings 20/30 --runs 2", "seconds", "wall", "first", "mib", "load"),
    "online": Sweep.of(
        "online --rows 6 --cols 6 --mines 6 --games 2 --methods tree,zdd", "chain", "add", "ask", "build", "mib"
    ),
}


@dataclass
class Tally:
    """What became of a sweep.

    Attributes
    ----------
    results, ends : int
        Results of a whole run; runs that came to their end.
    kills, late, torn : int
        Kills, those of them after a new result, and half lines left behind.
    lost, doubled, unequal, failed : int
        Whole lines that were gone later; jobs found twice; results that differ from the undisturbed run's; starts that
        ended by themselves with an error.
    """

    results: int = 0
    ends: int = 0
    kills: int = 0
    late: int = 0
    torn: int = 0
    lost: int = 0
    doubled: int = 0
    unequal: int = 0
    failed: int = 0

    @property
    def faults(self) -> int:
        """How many things went wrong."""
        return self.lost + self.doubled + self.unequal + self.failed


def whole_lines(path: Path) -> list[str]:
    """Return the lines of a file that end."""
    data = path.read_bytes().decode() if path.exists() else ""
    return data[: data.rfind("\n") + 1].splitlines()


def disturb(name: str, kills: int, rng: random.Random, folder: Path) -> Tally:
    """Kill a sweep so many times, and let it come to its end."""
    sweep, tally = SWEEPS[name], Tally()
    started = time.monotonic()
    undisturbed = finish(sweep, folder / "undisturbed")
    longest = time.monotonic() - started
    expected = keyed(sweep, undisturbed)
    tally.results = len(expected)
    with tqdm(total=kills, desc=name, unit="kill", disable=None) as bar:
        while tally.kills < kills:
            output = folder / f"run{tally.ends}"
            seen: list[str] = []
            while tally.kills < kills:
                waits = tally.kills % 2 == 1
                if not killed(sweep, output, rng.uniform(0, longest / (8 if waits else 2)), tally, waits):
                    break
                lines = whole_lines(output / RUNS)
                tally.lost += len(set(seen) - set(lines))
                tally.late += len(lines) > len(seen)
                seen = lines
                tally.kills += 1
                bar.update()
                if lines and rng.random() < 0.25:
                    tear(output / RUNS, rng.choice(lines), rng)
                    tally.torn += 1
            found = finish(sweep, output)
            tally.ends += 1
            tally.lost += len(set(seen) - set(found))
            got = keyed(sweep, found)
            tally.doubled += len(found) - len(got)
            tally.unequal += sum(got.get(key) != value for key, value in expected.items())
            tally.unequal += len(got.keys() - expected.keys())
            shutil.rmtree(output)
    return tally


def killed(sweep: Sweep, output: Path, after: float, tally: Tally, waits: bool = False) -> bool:
    """Start the sweep and kill it after some seconds, counted from its first result if it `waits` for that.

    Returns False if it had ended by then.
    """
    before = len(whole_lines(output / RUNS))
    process = sweep.start(output)
    try:
        while waits and process.poll() is None and len(whole_lines(output / RUNS)) <= before:
            time.sleep(0.01)
        _, errors = process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True
    if process.returncode:
        tally.failed += 1
        tqdm.write(errors.decode()[-300:])
    return False


def finish(sweep: Sweep, output: Path) -> list[str]:
    """Let the sweep come to its end, and return its lines."""
    process = sweep.start(output)
    try:
        _, errors = process.communicate(timeout=300)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.returncode:
        raise click.ClickException(f"{' '.join(sweep.arguments)} ended with {process.returncode}: {errors.decode()}")
    return whole_lines(output / RUNS)


def keyed(sweep: Sweep, lines: list[str]) -> dict[str, dict[str, Any]]:
    """Return the results by their jobs."""
    results = map(sweep.untimed, lines)
    return {json.dumps(result["job"], sort_keys=True): result for result in results}


def tear(path: Path, line: str, rng: random.Random) -> None:
    """Leave the beginning of a line."""
    with open(path, "ab") as file:
        file.write(line[: rng.randrange(1, len(line))].encode())


@experiment(
    option("--sweeps", ",".join(SWEEPS), "Names, with commas between.", names_of(SWEEPS)),
    option("--kills", 20, "Of all sweeps together.", click.IntRange(1)),
    option("--seed", 0, "Of the moments."),
    minutes=10,
    quick="--sweeps table1 --kills 2",
)
def main(options: Options) -> Report:
    """What became of each sweep; anything lost, doubled or unequal ends it with 1."""
    tallies = {}
    for i, name in enumerate(options.sweeps):
        share = options.kills * (i + 1) // len(options.sweeps) - options.kills * i // len(options.sweeps)
        if share:
            with tempfile.TemporaryDirectory() as folder:
                tallies[name] = disturb(name, share, random.Random(f"{options.seed}/{name}"), Path(folder))
    yield f"{options.kills} kills, seed {options.seed}"
    yield tallies_table(tallies)
    if any(tally.faults for tally in tallies.values()):
        sys.exit(1)


def tallies_table(tallies: dict[str, Tally]) -> str:
    """Return a row a sweep, and their sum."""
    names = list(Tally.__dataclass_fields__)
    rows = [[sweep, *(getattr(tally, name) for name in names)] for sweep, tally in tallies.items()]
    if len(rows) > 1:
        rows.append(["all", *(sum(column) for column in list(zip(*rows, strict=True))[1:])])
    return table(rows, ["sweep", *names], "lr")


if __name__ == "__main__":
    main.start()
