"""The hardest boards under little memory: an answer or one sentence (exit code 3), never an abort or a traceback.

Each command of `mines-dd` runs under a limit on its address space (`ulimit -v`), on boards that are far beyond some of
the methods.  What comes out is an *answer* (exit code 0), *over budget* (exit code 3 and one sentence), *slow* (stopped
after `--timeout`), or a *fault*: another exit code, a signal, a traceback, or several sentences.

`python -m experiments.limits`; exit code 1 if there is a fault.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, names_of, numbers_of, option
from experiments.shared import columns, crossed, groups, of, seconds
from experiments.sweeps import die_with
from mines_dd import Board

COMMANDS = {
    "count dc, row": ("count", "--method", "dc", "--order", "row", "--no-simplify"),
    "count bdd, row": ("count", "--method", "bdd", "--order", "row", "--no-simplify"),
    "count zdd, row": ("count", "--method", "zdd", "--order", "row", "--no-simplify"),
    "count dc": ("count", "--method", "dc"),
    "count bdd": ("count", "--method", "bdd"),
    "count zdd": ("count", "--method", "zdd"),
    "count tree": ("count", "--method", "tree"),
    "prob dc": ("prob", "--method", "dc"),
    "prob tree": ("prob", "--method", "tree"),
    "analyse": ("analyse",),
}
BOARDS = {
    "30x30 30/30": (30, 0.3, 0.3),
    "30x30 30/50": (30, 0.3, 0.5),
    "100x100 30/30": (100, 0.3, 0.3),
    "200x200 30/30": (200, 0.3, 0.3),
}
ANSWER, OVER, SLOW, FAULT = "answer", "over budget", "slow", "fault"


def run(job: Job) -> Result:
    """Run one command under its limit."""
    size, mines, hints = BOARDS[job["board"]]
    board = Board.random(size, size, mines, hints, job["seed"])
    if not job["total"]:
        board = Board(board.grid)
    limit = int(job["gib"] * 2**30)
    this = os.getpid()

    def limited() -> None:
        die_with(this)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "mines_dd", *COMMANDS[job["command"]], "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={key: value for key, value in os.environ.items() if key != "MINES_DD_JIT"},
        preexec_fn=limited,
    )
    try:
        output, errors = process.communicate(board.to_text(), timeout=job["timeout"])
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {"outcome": SLOW, "seconds": time.monotonic() - started, "said": ""}
    took = time.monotonic() - started
    said = [line for line in errors.splitlines() if "mines-dd: compiling" not in line]
    outcome = judged(process.returncode, output, said)
    return {"outcome": outcome, "code": process.returncode, "seconds": took, "said": "\n".join(said)[-300:]}


def judged(code: int, output: str, said: Sequence[str]) -> str:
    """Return what a command's end amounts to."""
    if code == 0 and output.strip() and not said:
        return ANSWER
    if code == 3 and len(said) == 1 and said[0].startswith("mines-dd: ") and not output:
        return OVER
    return FAULT


def last_words(result: Result) -> str:
    """Return how a fault ended."""
    if result["status"] != "done":
        return f"{result['status']}: {result['message']}"
    code = result["code"]
    name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"{name}: {result['said'].splitlines()[-1] if result['said'] else 'nothing said'}"


def jobs(options: Options) -> list[Job]:
    """Every command on every board under every limit."""
    fixed = {"total": options.total, "timeout": options.timeout}
    every = crossed(board=options.boards, command=options.commands, gib=options.gib, seed=range(options.seeds))
    return [fixed | job for job in every]


@experiment(
    option("--commands", ";".join(COMMANDS), "Names, with ; between.", names_of(COMMANDS, between=";")),
    option("--boards", ",".join(BOARDS), "Names, with commas between.", names_of(BOARDS)),
    option("--gib", "1,2,4,8", "Limits on the address space, in GiB.", numbers_of(float)),
    option("--seeds", 1, "Boards of each kind."),
    option("--total/--no-total", True, "Whether boards say their number of mines."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=60, memory=64, more=60),
    minutes=60,
    quick="--boards '30x30 30/30' --gib 1 --timeout 10 --workers 2",
)
def main(results: Results, options: Options) -> Report:
    """What became of each command, the sums, and the faults, which end it with 1."""
    yield outcomes_table(results)
    counts = Counter(r.get("outcome", FAULT) for r in results)
    faults = [r for r in results if r.get("outcome", FAULT) == FAULT]
    text = ", ".join(f"{counts[outcome]} {outcome}" for outcome in (ANSWER, OVER, SLOW, FAULT))
    yield text + "".join(f"\n{r['job']}: {last_words(r)}" for r in faults)
    if faults:
        sys.exit(1)


def outcomes_table(results: Results) -> str:
    """Return a row a board and command, a column a limit: the outcomes and the longest time."""
    cells: dict[str, Callable[[Results], str]] = {
        "board": lambda here: here[0]["job"]["board"],
        "command": lambda here: here[0]["job"]["command"],
    }
    for limit in groups(results, "gib"):
        cells[f"{limit:g} GiB"] = partial(outcomes_under, limit=limit)
    return columns(groups(results, "board", "command").values(), cells)


def outcomes_under(results: Results, limit: float) -> str:
    """Return the outcomes under a limit, and the longest time."""
    here = of(results, gib=limit)
    outcomes = "/".join(dict.fromkeys(r.get("outcome", FAULT) for r in here))
    return f"{outcomes} {seconds(max(r.get('seconds', 0) for r in here), 1)} s"


if __name__ == "__main__":
    main.start()
