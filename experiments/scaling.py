"""How far elimination goes: time and table entries against the size of the board, predicted against real.

Boards of the paper's kind (nine settings) and boards opened by clicks with the usual cascade.  Saves a table, two plots
and the exponents of the growth (least squares on logarithms).
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from tabulate import tabulate

from experiments import harness
from mines_dd import Board, solve
from mines_dd.compilers.plan import tree_plan
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import simplify

CASCADE = "cascade"


def make(job: harness.Job) -> Board:
    """The board of a job: hints opened one by one, or by one click for every twenty cells, with the cascade."""
    size, mines, seed = job["size"], job["mines"] / 100, job["seed"]
    if job["hints"] != CASCADE:
        return Board.random(size, size, mines, job["hints"] / 100, seed)
    board = Board.random(size, size, mines, 0, seed)
    assert board.layout is not None
    rng = random.Random(seed)
    clicks = [(int(rng.random() * size), int(rng.random() * size)) for _ in range(size * size // 20)]
    return board.open_all(cell for cell in clicks if cell not in board.layout)


def run(job: harness.Job) -> harness.Result:
    """Solve one board: everything from the board to count and probabilities, after a first, smaller, board."""
    for warm in (Board.random(40, 40, 0.2, 0.3, 0), Board.random(100, 100, 0.3, 0.3, 0)):
        solve(warm, "tree").approximate_probabilities()
    board = make(job)
    started = time.perf_counter()
    plan = tree_plan(simplify(Instance.from_board(board)))
    planned = time.perf_counter()
    family = solve(board, "tree", timeout=job["timeout"])
    built = time.perf_counter()
    family.approximate_probabilities()
    shared = time.perf_counter()
    digits = len(str(family.count())) if job["size"] <= job["count_up_to"] else None
    counted = time.perf_counter()
    return {
        "plan": planned - started,
        "build": built - planned,
        "probabilities": shared - built,
        "count": counted - shared,
        "digits": digits,
        "hints": len(board.hints()) if job["size"] <= 300 else None,
        "width": plan.cost.width,
        "predicted": plan.cost.entries,
        "entries": family.details.get("entries", 0),
        "nodes": family.node_count,
    }


@click.command(help=__doc__)
@click.option("--sizes", default="30,50,100,200", show_default=True, help="Rows and columns, with commas between.")
@click.option("--mines", default="10,20,30", show_default=True, help="Percentages.")
@click.option(
    "--hints", default=f"10,30,50,{CASCADE}", show_default=True, help="Percentages of the safe cells, or cascade."
)
@click.option("--seeds", default=1, show_default=True, help="Boards a setting and size.")
@click.option("--count-up-to", default=200, show_default=True, help="Size to which the exact count is taken.")
@click.option("--timeout", default=60.0, show_default=True, help="Seconds a board may take.")
@click.option("--memory", default=12.0, show_default=True, help="GiB a board may use.")
@harness.where(workers=1)
@harness.output("scaling")
def main(
    sizes: str,
    mines: str,
    hints: str,
    seeds: int,
    count_up_to: int,
    timeout: float,
    memory: float,
    workers: int,
    scheduler: str | None,
    output: Path,
) -> None:
    settings: list[tuple[int, Any]] = [
        (m, h if h == CASCADE else harness.numbers(h, zero=True)[0])
        for h in hints.split(",")
        for m in harness.numbers(mines, zero=True)
    ]
    jobs = [
        {"size": size, "mines": m, "hints": h, "seed": seed, "timeout": timeout, "count_up_to": count_up_to}
        for m, h in settings
        for size in harness.numbers(sizes)
        for seed in range(seeds)
    ]
    results = harness.sweep(
        run,
        jobs,
        output / "runs.jsonl",
        timeout=3 * timeout + 60,
        memory=int(memory * 2**30),
        workers=workers,
        scheduler=scheduler,
    )
    done = [r for r in results if r["status"] == "done" and r["entries"]]
    ratio = np.array([r["predicted"] / r["entries"] for r in done])
    text = table(results)
    close = np.mean((ratio >= 0.5) & (ratio <= 2))
    text += f"\n\npredicted within 2x of the real entries: {close:.0%} of {len(done)} boards"
    text += f"\n\n{exponents(done, settings)}"
    harness.write_text(output / "table.txt", f"{text}\n\n{harness.facts()}\n")
    print(text)
    plot(done, settings, output / "scaling.png")
    print(f"\n{output / 'table.txt'}, {output / 'scaling.png'}, {output / 'runs.jsonl'}")


def table(results: Sequence[harness.Result]) -> str:
    """Return one row a board."""
    rows = []
    for r in results:
        job = r["job"]
        row = [f"{job['mines']}%", setting_name(job["hints"]), job["size"], job["seed"]]
        if r["status"] == "done":
            row += [r["width"], f"{r['predicted']:,.0f}", f"{r['entries']:,}", f"{r['plan']:.3f}", f"{r['build']:.3f}"]
            row += [f"{r['probabilities']:.3f}", f"{r['count']:.3f}" if r["digits"] else "", r["digits"] or ""]
        else:
            row += ["", "", f"stopped ({r['status']})"]
        rows.append(row)
    headers = ["mines", "hints", "size", "seed", "width", "predicted", "entries", "plan [s]", "solve [s]"]
    text: str = tabulate(rows, [*headers, "probabilities [s]", "count [s]", "digits"], disable_numparse=True)
    return text


def setting_name(hints: Any) -> str:
    """The name of a way to open a board."""
    return hints if hints == CASCADE else f"{hints}%"


def exponents(done: Sequence[harness.Result], settings: Sequence[tuple[int, Any]]) -> str:
    """Return the exponents of time and entries in the side of the board."""
    rows = []
    for mines, hints in settings:
        here = [r for r in done if (r["job"]["mines"], r["job"]["hints"]) == (mines, hints)]
        sizes = np.log([r["job"]["size"] for r in here])
        if len(set(sizes.tolist())) < 2:
            continue
        slopes = [np.polyfit(sizes, np.log([r[key] for r in here]), 1)[0] for key in ("build", "entries")]
        rows.append([f"{mines}%", setting_name(hints), *(f"{slope:.2f}" for slope in slopes)])
    text: str = tabulate(rows, ["mines", "hints", "time ~ side^", "entries ~ side^"], disable_numparse=True)
    return text


def plot(done: Sequence[harness.Result], settings: Sequence[tuple[int, Any]], path: Path) -> None:
    """Save time against size, and predicted against real entries."""
    from matplotlib.figure import Figure

    fig = Figure(figsize=(12, 5), layout="constrained")
    left, right = fig.subplots(1, 2)
    colours = {10: "#0072B2", 20: "#E69F00", 30: "#D55E00"}
    markers = {10: "o", 30: "s", 50: "^", CASCADE: "x"}
    for mines, hints in settings:
        here = [r for r in done if (r["job"]["mines"], r["job"]["hints"]) == (mines, hints)]
        style = {"color": colours.get(mines, "black"), "marker": markers.get(hints, "d"), "ms": 5}
        by_size = sorted((r["job"]["size"], r["build"] + r["probabilities"]) for r in here)
        name = f"{mines}% mines, " + ("cascade" if hints == CASCADE else f"{hints}% hints")
        left.plot(*zip(*by_size, strict=True), lw=1, label=name, **style) if by_size else None
        right.plot([r["predicted"] for r in here], [r["entries"] for r in here], ls="", **style)
    left.set(xscale="log", yscale="log", xlabel="rows and columns", ylabel="seconds, board to probabilities")
    left.set_title("Elimination along a tree decomposition")
    left.legend(fontsize=7, ncols=2)
    top = max((r["entries"] for r in done), default=10)
    right.plot([1, top], [1, top], color="grey", lw=1)
    right.fill_between([1, top], [0.5, top / 2], [2, 2 * top], color="grey", alpha=0.15, label="within a factor of 2")
    right.set(xscale="log", yscale="log", xlabel="predicted table entries", ylabel="real table entries")
    right.legend()
    for axes in (left, right):
        axes.grid(alpha=0.3)
    fig.savefig(path, dpi=120)


if __name__ == "__main__":
    harness.command(lambda: main.main(standalone_mode=False))
