"""The same job, by us and by others: represent all assignments of a board and count them; or all probabilities.

Peers come from the package index (extra `peers`); one that is missing is skipped by name.

\b
- d4 (`d4solver`) compiles clauses to d-DNNF; Ganak (`pyganak`) and tididi-cnf
  count the models of clauses; PySDD compiles them to a sentential decision
  diagram, and counts in doubles.
- tididi conjoins the hints as tree decision diagrams, over a balanced tree of
  our order of cells, and over the tree of products of our own method "tree",
  along that tree; OxiDD as BDDs and as ZBDDs, CUDD (`dd.cudd`) as BDDs, in
  our order and, as a first program would, row by row.
- pyzdd (TdZdd) restricts the ZDD of all sets by one hint after the other.
- Graphillion searches degree-constrained subgraphs in our order of edges, and
  one isolated edge a cell under linear constraints, its better way.
- ms-toollib computes probabilities for players, with the total number of mines;
  beside it stands `analyse` with the same total.

How measured.  All are called from Python, within one process for a peer and board: starting the process, importing the
package and loading kernels are outside for all; making the input (clauses, edges, constraints) from the board and
reading the count are inside for all.  Our order of the cells is found before the clock of those that are given it
starts; our own methods find theirs inside, and "tididi, our tree" has "tree" make its tree inside.  Those called
"reduced" get the board as our reduction leaves it, made before their clock starts; our own methods reduce it inside.
After a first run, which does not count, the median of up to `--runs` runs counts; no further run begins after `--long`
seconds of processor time.  A first run that takes longer than that counts alone, as cold: the package has then done a
small board and no other.  Processor time, of all threads and children, stands beside the time of the clock.  Every
process, ours too, is bound to one core, its thread pools to one thread.  Memory is what is resident: the peak of the
first run less what the process held before.  A watcher ends a process tree that holds more than `--resident` GiB.
Nodes are counted after the clock has stopped.  The load of the machine is recorded; `--idle` refuses to start while
others are busy, and a table taken on a busy machine says so.  A run that was stopped counts as longer than all others.

Clauses are the binomial encoding, which adds no variable (see `mines_dd.constraints.cnf_opb`): the kinder one, as d4
with sequential counters beside it shows.

Nodes are those of the package's own count, and no two kinds mean the same, with one exception: on the tree of products
of "tree" on the board as it is, tididi's minimised diagram has a node for each that our circuit has in a place which
splits its cells ("ours: tree, unreduced" counts these), as `compilers.tree` proves; the table says so, or shows that it
is wrong.
"""  # noqa: D301 (click reads the character \b as "leave these lines alone")

from __future__ import annotations

import contextlib
import math
import os
import resource
import time
from collections.abc import Callable
from importlib import metadata
from statistics import median
from typing import Any, NamedTuple

import click

from experiments.adapters import NEEDS, PACKAGES, PEERS, missing
from experiments.boards import drawn, share
from experiments.harness import (
    Job,
    Limits,
    Options,
    Report,
    Result,
    Results,
    experiment,
    names_of,
    numbers,
    numbers_of,
    option,
)
from experiments.memory import GIB, MIB, forked, held
from experiments.shared import columns, crossed, done, groups, milliseconds, number, of
from mines_dd import Board
from mines_dd.base.wording import counted

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")
BUSY = 0.5
"""Load a core from which on the machine counts as busy."""


def run(job: Job) -> Result:
    """Measure one peer on one board in a copy of this process, whose resident memory is watched."""
    try:
        answer = forked(lambda: outcome(job), job["resident"] * GIB)
    except MemoryError:
        return {"status": "memory", "message": f"more than {job['resident']:g} GiB resident"}
    return answer or {"status": "failed", "message": "the process ended without an answer"}


def outcome(job: Job) -> Result:
    """Measure one peer, or say why it cannot be."""
    try:
        return measured(job)
    except MemoryError:
        return {"status": "memory", "message": "out of memory"}
    except Exception as error:
        return {"status": "failed", "message": f"{type(error).__name__}: {error}"}


def measured(job: Job) -> Result:
    """Run one peer until the median is known."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    board = drawn(job)
    peer = PEERS[job["peer"]]
    peer.answer(Board.random(8, 8, 0.2, 0.3, 1))  # package imported, kernels loaded
    peer.before(board)
    load, before = os.getloadavg()[0], held("VmRSS")
    wall: list[float] = []
    cpu: list[float] = []
    answer: int | float = 0
    nodes, most = None, 0
    while not cpu or goes_on(cpu, job):
        started, busy = time.perf_counter(), processor()
        found = peer.answer(board)
        wall.append(time.perf_counter() - started)
        cpu.append(processor() - busy)
        answer = found.answer
        if len(wall) == 1:
            most = held("VmHWM")
            nodes = found.nodes() if found.nodes else None
        del found
    cold = len(wall) == 1
    return {
        "seconds": median(cpu if cold else cpu[1:]),
        "wall": median(wall if cold else wall[1:]),
        "first": cpu[0],
        "cold": cold,
        "runs": len(wall) - (not cold),
        "mib": max(0, most - before) / MIB,
        "nodes": nodes,
        "load": load,
        "answer": str(answer) if isinstance(answer, int) else None,
        "log10": math.log10(answer) if isinstance(answer, int) and answer else answer,
    }


def goes_on(cpu: list[float], job: Job) -> bool:
    """Whether another run begins after these: not after a long first one, and else until enough were warm."""
    if cpu[0] >= job["long"] > 0:
        return False
    return len(cpu) == 1 or (len(cpu) <= job["runs"] and sum(cpu) < job["long"])


def processor() -> float:
    """Seconds of processor time of this process, all its threads and its ended children."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def jobs(options: Options) -> list[Job]:
    """The peers in turn on each board."""
    pairs = [numbers(setting, between="/", zero=True) for setting in options.settings.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        raise click.UsageError(f"{options.settings!r} is not a list of mines%/hints%, such as 20/30")
    if options.idle and os.getloadavg()[0] > BUSY * (os.cpu_count() or 1):
        raise click.UsageError(f"the machine is busy (load {os.getloadavg()[0]:.1f}); wait, or leave out --idle")
    fixed = {"runs": options.runs, "long": options.long, "resident": options.resident}
    absent = missing(options.peers)
    peers = [name for name in options.peers if name not in absent]
    return [
        {**fixed, "size": size, "mines": mines, "hints": hints, **job}
        for size in options.sizes
        for mines, hints in pairs
        for job in crossed(seed=range(options.seeds), peer=peers)
    ]


@experiment(
    option("--sizes", "30", "Rows and columns, with commas between.", numbers_of()),
    option("--settings", "30/50", "mines%/hints%, with commas."),
    option("--seeds", 5, "Boards a setting."),
    option("--peers", ";".join(PEERS), "Names, with ; between.", names_of(PEERS, between=";")),
    option("--runs", 5, "Runs a measurement."),
    option("--long", 5.0, "Seconds of processor time after which no further run of a measurement begins."),
    option("--resident", 4.0, "GiB of resident memory a peer may use."),
    option("--idle/--busy", False, "Refuse to start while the machine is busy; or go on and say so."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=60, memory=1024),
    minutes=15,
    quick="--sizes 12 --settings 10/10,30/30 --seeds 1 --runs 3 --timeout 20",
)
def main(results: Results, options: Options) -> Report:
    """Who is missing, a row a peer and setting, and a row a peer and board."""
    absent = missing(options.peers)
    if absent:
        yield "\n".join(f"skipped: {name} ({module} is not installed)" for name, module in absent.items())
    yield summary_table(results)
    yield notes(results)
    yield same_tree(results)
    yield columns(results, BOARDS)
    yield "\n".join(f"{name}: {version}" for name, version in versions().items())


def versions() -> dict[str, str]:
    """The peers' versions."""
    found = {}
    for need in NEEDS:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[need] = metadata.version(PACKAGES.get(need, need))
    return found


def notes(results: Results) -> str:
    """Say how to read the tables, and how busy the machine was."""
    loads = [r["load"] for r in done(results)]
    cores = os.cpu_count() or 1
    load = f"{min(loads):.1f} to {max(loads):.1f} on {cores} cores" if loads else "unknown"
    busy = "\nBUSY: other programs ran beside; compare processor times, not those of the clock." if loads else ""
    return (
        "CPU: processor time of a warm run, median over the boards of the median of its runs; stopped runs count as\n"
        "longer than all others.  ratio: to ours for the same job.  memory: largest peak beyond what the process held\n"
        "before.  nodes: in the package's own sense, median.  cold: a first run that took long counts, alone.\n"
        f"One core and thread for each process.  Load when a measurement began: {load}."
        f"{busy if loads and max(loads) > BUSY * cores + 1 else ''}"
    )


def same_tree(results: Results) -> str:
    """Say on how many boards tididi has the same number of nodes as we on the same tree."""
    pairs = [
        (ours["nodes"], r["nodes"])
        for r in done(results)
        if r["job"]["peer"] == "tididi, our tree"
        for ours in of(done(results), **r["job"] | {"peer": "ours: tree, unreduced"})
    ]
    if not pairs:
        return "Nodes on the same tree: not compared."
    equal = sum(ours == theirs for ours, theirs in pairs)
    return f"Nodes on the same tree, ours and tididi's minimised: equal on {equal} of {counted(len(pairs), 'board')}."


def verdicts(results: Results) -> dict[int, str]:
    """For the peers' results on one board, by their places: whether they agree with ours."""
    found = {}
    for i, r in enumerate(results):
        kind = PEERS[r["job"]["peer"]].job
        ours = [x for x in done(results) if PEERS[x["job"]["peer"]].job == kind and x["job"]["peer"].startswith("ours")]
        if r["status"] != "done" or not ours:
            continue
        if r["answer"] is not None and ours[0]["answer"] is not None:
            found[i] = "equal" if r["answer"] == ours[0]["answer"] else "DIFFERS"
        else:
            close = math.isclose(r["log10"], ours[0]["log10"], rel_tol=1e-6)
            found[i] = "equal to 6 digits" if close else "DIFFERS"
    return found


class Row(NamedTuple):
    """A peer's runs in a setting, the median of ours for the same job, and what came of comparing the answers."""

    runs: Results
    ours: float
    agreed: dict[int, str]

    @property
    def solved(self) -> list[Result]:
        """The runs that came to their end."""
        return done(self.runs)

    def middle(self, what: str) -> float:
        """The median over all boards; a run that was stopped counts as longer than all others."""
        return median(r[what] if r["status"] == "done" else math.inf for r in self.runs)

    def boards(self) -> str:
        """How many boards were solved, and how many of them by one cold run."""
        cold = sum(r["cold"] for r in self.solved)
        return f"{len(self.solved)} of {len(self.runs)}" + (f", {cold} cold" if cold else "")

    def time(self, what: str) -> str:
        """A median as a text, if there is one."""
        return milliseconds(self.middle(what)) if self.middle("seconds") < math.inf else ""

    def ended(self) -> str:
        """How the runs ended that did not come to their end."""
        other = [r["status"] for r in self.runs if r["status"] != "done"]
        return ", ".join(dict.fromkeys("failed" if status == "failed" else "stopped" for status in other))

    def nodes(self) -> str:
        """The median of the nodes, where they are counted."""
        sizes = [r["nodes"] for r in self.solved if r["nodes"] is not None]
        return number(median(sizes)) if sizes else ""


def first(cell: Callable[[Result], Any]) -> Callable[[Row], Any]:
    """What all runs of a row have in common."""
    return lambda row: cell(row.runs[0])


SETTING: dict[str, Callable[[Result], Any]] = {
    "board": lambda r: f"{r['job']['size']}x{r['job']['size']}",
    "mines": lambda r: share(r["job"]["mines"]),
    "hints": lambda r: share(r["job"]["hints"]),
}
SUMMARY: dict[str, Callable[[Row], Any]] = {
    **{header: first(cell) for header, cell in SETTING.items()},
    "job": first(lambda r: PEERS[r["job"]["peer"]].job),
    "who": first(lambda r: r["job"]["peer"]),
    "solved": Row.boards,
    "CPU [ms]": lambda row: row.time("seconds") or row.ended(),
    "clock [ms]": lambda row: row.time("wall"),
    "ratio": lambda row: f"{row.middle('seconds') / row.ours:.1f}" if row.ours and row.time("seconds") else "",
    "memory [MiB]": lambda row: f"{max(r['mib'] for r in row.solved):.0f}" if row.solved else "",
    "nodes": Row.nodes,
    "answer": lambda row: ", ".join(dict.fromkeys(row.agreed[id(r)] for r in row.solved if id(r) in row.agreed)),
}


def summary_table(results: Results) -> str:
    """Return a row a setting and peer: boards solved, medians, ratio to ours, memory, agreement."""
    rows = []
    for here in groups(results, "size", "mines", "hints").values():
        agreed = {id(on[i]): said for on in groups(here, "seed").values() for i, said in verdicts(on).items()}
        ours: dict[str, float] = {}
        for peer, runs in groups(here, "peer").items():
            if peer.startswith("ours"):
                ours.setdefault(PEERS[peer].job, Row(runs, 0, agreed).middle("seconds"))
            rows.append(Row(runs, ours.get(PEERS[peer].job, 0), agreed))
    return columns(rows, SUMMARY)


def ended(cell: Callable[[Result], Any], else_: Callable[[Result], str] = lambda r: "") -> Callable[[Result], Any]:
    """What a run says that came to its end, and what is said of another."""
    return lambda r: (cell if r["status"] == "done" else else_)(r)


BOARDS: dict[str, Callable[[Result], Any]] = {
    **SETTING,
    "seed": lambda r: r["job"]["seed"],
    "who": lambda r: r["job"]["peer"],
    "runs": ended(lambda r: f"{r['runs']}{', cold' if r['cold'] else ''}"),
    "CPU [ms]": ended(lambda r: milliseconds(r["seconds"]), lambda r: f"{r['status']}: {r['message'][:60]}"),
    "clock [ms]": ended(lambda r: milliseconds(r["wall"])),
    "first CPU [ms]": ended(lambda r: milliseconds(r["first"])),
    "memory [MiB]": ended(lambda r: f"{r['mib']:.0f}"),
    "nodes": ended(lambda r: number(r["nodes"])),
    "load": ended(lambda r: f"{r['load']:.1f}"),
}


if __name__ == "__main__":
    main.start()
