"""How far elimination goes: time and table entries against the size of the board, predicted against real.

Boards of the paper's kind (nine settings) and boards opened by clicks with the usual cascade.  Saves a table, two plots
and the exponents of the growth (least squares on logarithms).
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.harness import (
    Job,
    Limits,
    Options,
    Report,
    Result,
    Results,
    experiment,
    numbers,
    numbers_of,
    option,
    picture,
)
from experiments.shared import PERCENT_COLOURS, done, of, seconds, table
from mines_dd import Board, solve
from mines_dd.compilers.plan import tree_plan
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import simplify

CASCADE = "cascade"


def make(job: Job) -> Board:
    """The board of a job: hints opened one by one, or by one click for every twenty cells, with the cascade."""
    size, mines, seed = job["size"], job["mines"] / 100, job["seed"]
    if job["hints"] != CASCADE:
        return Board.random(size, size, mines, job["hints"] / 100, seed)
    board = Board.random(size, size, mines, 0, seed)
    assert board.layout is not None
    rng = random.Random(seed)
    clicks = [(int(rng.random() * size), int(rng.random() * size)) for _ in range(size * size // 20)]
    return board.open_all(cell for cell in clicks if cell not in board.layout)


def run(job: Job) -> Result:
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


def settings(options: Options) -> list[tuple[int, Any]]:
    """Shares of mines with shares of hints, or the cascade."""
    shares = [h if h == CASCADE else numbers(h, zero=True)[0] for h in options.hints.split(",")]
    return [(mines, hints) for hints in shares for mines in options.mines]


def jobs(options: Options) -> list[Job]:
    """Boards of every setting and size."""
    more = {"timeout": options.timeout, "count_up_to": options.count_up_to}
    return [
        {"size": size, "mines": mines, "hints": hints, "seed": seed, **more}
        for mines, hints in settings(options)
        for size in options.sizes
        for seed in range(options.seeds)
    ]


@experiment(
    option("--sizes", "30,50,100,200", "Rows and columns, with commas between.", numbers_of()),
    option("--mines", "10,20,30", "Percentages.", numbers_of(zero=True)),
    option("--hints", f"10,30,50,{CASCADE}", "Percentages of the safe cells, or cascade."),
    option("--seeds", 1, "Boards a setting and size."),
    option("--count-up-to", 200, "Size to which the exact count is taken."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=60, memory=12, times=3, more=60),
    minutes=2,
    quick="--sizes 30,60 --mines 10,30 --workers 2",
)
def main(results: Results, options: Options) -> Report:
    """A row a board, how good the predictions are, the exponents, and a plot."""
    known = [r for r in done(results) if r["entries"]]
    ratio = np.array([r["predicted"] / r["entries"] for r in known])
    close = np.mean((ratio >= 0.5) & (ratio <= 2))
    yield boards_table(results)
    yield f"predicted within 2x of the real entries: {close:.0%} of {len(known)} boards"
    yield exponents(known, settings(options))
    yield picture("scaling.png", (12, 5), lambda figure: plot(figure, known, settings(options)))


def boards_table(results: Results) -> str:
    """Return one row a board."""
    rows = []
    for r in results:
        job = r["job"]
        row = [f"{job['mines']}%", setting_name(job["hints"]), job["size"], job["seed"]]
        if r["status"] == "done":
            row += [r["width"], f"{r['predicted']:,.0f}", f"{r['entries']:,}", seconds(r["plan"]), seconds(r["build"])]
            row += [seconds(r["probabilities"]), seconds(r["count"]) if r["digits"] else "", r["digits"] or ""]
        else:
            row += ["", "", f"stopped ({r['status']})"]
        rows.append(row)
    headers = ["mines", "hints", "size", "seed", "width", "predicted", "entries", "plan [s]", "solve [s]"]
    return table(rows, [*headers, "probabilities [s]", "count [s]", "digits"])


def setting_name(hints: Any) -> str:
    """The name of a way to open a board."""
    return hints if hints == CASCADE else f"{hints}%"


def exponents(known: Results, settings: Sequence[tuple[int, Any]]) -> str:
    """Return the exponents of time and entries in the side of the board."""
    rows = []
    for mines, hints in settings:
        here = of(known, mines=mines, hints=hints)
        sizes = np.log([r["job"]["size"] for r in here])
        if len(set(sizes.tolist())) < 2:
            continue
        slopes = [np.polyfit(sizes, np.log([r[key] for r in here]), 1)[0] for key in ("build", "entries")]
        rows.append([f"{mines}%", setting_name(hints), *(f"{slope:.2f}" for slope in slopes)])
    return table(rows, ["mines", "hints", "time ~ side^", "entries ~ side^"])


def plot(figure: Any, known: Results, settings: Sequence[tuple[int, Any]]) -> None:
    """Draw time against size, and predicted against real entries."""
    left, right = figure.subplots(1, 2)
    markers = {10: "o", 30: "s", 50: "^", CASCADE: "x"}
    for mines, hints in settings:
        here = of(known, mines=mines, hints=hints)
        style = {"color": PERCENT_COLOURS.get(mines, "black"), "marker": markers.get(hints, "d"), "ms": 5}
        by_size = sorted((r["job"]["size"], r["build"] + r["probabilities"]) for r in here)
        name = f"{mines}% mines, " + ("cascade" if hints == CASCADE else f"{hints}% hints")
        left.plot(*zip(*by_size, strict=True), lw=1, label=name, **style) if by_size else None
        right.plot([r["predicted"] for r in here], [r["entries"] for r in here], ls="", **style)
    left.set(xscale="log", yscale="log", xlabel="rows and columns", ylabel="seconds, board to probabilities")
    left.set_title("Elimination along a tree decomposition")
    left.legend(fontsize=7, ncols=2)
    top = max((r["entries"] for r in known), default=10)
    right.plot([1, top], [1, top], color="grey", lw=1)
    right.fill_between([1, top], [0.5, top / 2], [2, 2 * top], color="grey", alpha=0.15, label="within a factor of 2")
    right.set(xscale="log", yscale="log", xlabel="predicted table entries", ylabel="real table entries")
    right.legend()
    for axes in (left, right):
        axes.grid(alpha=0.3)


if __name__ == "__main__":
    main.start()
