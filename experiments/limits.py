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
from collections.abc import Sequence
from pathlib import Path

import click
from tabulate import tabulate

from experiments import harness
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


def run(job: harness.Job) -> harness.Result:
    """Run one command under its limit."""
    size, mines, hints = BOARDS[job["board"]]
    board = Board.random(size, size, mines, hints, job["seed"])
    if not job["total"]:
        board = Board(board.grid)
    limit = int(job["gib"] * 2**30)
    this = os.getpid()

    def limited() -> None:
        harness.die_with(this)
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
    seconds = time.monotonic() - started
    said = [line for line in errors.splitlines() if "compiling kernels" not in line]
    outcome = judged(process.returncode, output, said)
    return {"outcome": outcome, "code": process.returncode, "seconds": seconds, "said": "\n".join(said)[-300:]}


def judged(code: int, output: str, said: Sequence[str]) -> str:
    """Return what a command's end amounts to."""
    if code == 0 and output.strip() and not said:
        return ANSWER
    if code == 3 and len(said) == 1 and said[0].startswith("mines-dd: ") and not output:
        return OVER
    return FAULT


def last_words(result: harness.Result) -> str:
    """Return how a fault ended."""
    if result["status"] != "done":
        return f"{result['status']}: {result['message']}"
    code = result["code"]
    name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"{name}: {result['said'].splitlines()[-1] if result['said'] else 'nothing said'}"


@click.command(help=__doc__)
@click.option("--commands", default=";".join(COMMANDS), show_default=True, help="Names, with ; between.")
@click.option("--boards", default=",".join(BOARDS), show_default=True, help="Names, with commas between.")
@click.option("--gib", default="1,2,4,8", show_default=True, help="Limits on the address space, in GiB.")
@click.option("--seeds", default=1, show_default=True, help="Boards of each kind.")
@click.option("--total/--no-total", default=True, show_default=True, help="Whether boards say their number of mines.")
@click.option("--timeout", default=60.0, show_default=True, help="Seconds after which a command is slow.")
@harness.where(workers=1)
@harness.output("limits")
def main(
    commands: str,
    boards: str,
    gib: str,
    seeds: int,
    total: bool,
    timeout: float,
    workers: int,
    scheduler: str | None,
    output: Path,
) -> None:
    jobs = [
        {"command": command, "board": board, "gib": limit, "seed": seed, "total": total, "timeout": timeout}
        for board in harness.chosen(boards, BOARDS)
        for command in harness.chosen(commands, COMMANDS, between=";")
        for limit in harness.numbers(gib, kind=float)
        for seed in range(seeds)
    ]
    results = harness.sweep(
        run, jobs, output / "runs.jsonl", timeout=timeout + 60, memory=64 << 30, workers=workers, scheduler=scheduler
    )
    text = table(results)
    faults = [r for r in results if r.get("outcome", FAULT) == FAULT]
    counts = Counter(r.get("outcome", FAULT) for r in results)
    text += "\n\n" + ", ".join(f"{counts[outcome]} {outcome}" for outcome in (ANSWER, OVER, SLOW, FAULT))
    text += "".join(f"\n{r['job']}: {last_words(r)}" for r in faults)
    harness.write_text(output / "table.txt", f"{text}\n\n{harness.facts()}\n")
    print(f"{text}\n\n{output / 'table.txt'}, {output / 'runs.jsonl'}")
    if faults:
        sys.exit(1)


def table(results: Sequence[harness.Result]) -> str:
    """Return a row a board and command, a column a limit: the outcomes and the longest time."""
    limits = list(dict.fromkeys(r["job"]["gib"] for r in results))
    rows = []
    for board, command in dict.fromkeys((r["job"]["board"], r["job"]["command"]) for r in results):
        row = [board, command]
        for limit in limits:
            key = (board, command, limit)
            here = [r for r in results if tuple(r["job"][name] for name in ("board", "command", "gib")) == key]
            outcomes = "/".join(dict.fromkeys(r.get("outcome", FAULT) for r in here))
            row.append(f"{outcomes} {max(r.get('seconds', 0) for r in here):.1f} s")
        rows.append(row)
    text: str = tabulate(rows, ["board", "command", *(f"{limit:g} GiB" for limit in limits)], disable_numparse=True)
    return text


if __name__ == "__main__":
    harness.command(lambda: main.main(standalone_mode=False))
