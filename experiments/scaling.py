"""How far each method goes: time against the size of the board, each to its limit; predicted against real entries.

Boards of the paper's kind, also with hints on 35% and 40% of the safe cells, where elimination meets its wall, and
boards opened by clicks with the usual cascade.  Saves a table, two plots and the exponents of the growth (least squares
on logarithms).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
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
from mines_dd import Board, BudgetExceededError, solve
from mines_dd.base.budget import Budget
from mines_dd.base.jit import compile_seconds
from mines_dd.compilers.plan import linear_plans, tree_plan
from mines_dd.compilers.relaxation import tightened
from mines_dd.compilers.tree import compile_tree
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import simplify

CASCADE = "cascade"
# Seconds from which on a prediction of the time to build is of use.
LONG = 0.02


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
    method = job["method"]
    for size in (20, 100) if method == "tree" else (20,):
        solve(Board.random(size, size, 0.3, 0.3, 0), method).approximate_probabilities()
    board = make(job)
    started = clock()
    budget = Budget(timeout=job["timeout"])
    try:
        instance = Instance.from_board(board)
        reduced, first = tightened(instance, simplify(instance, budget), budget)
        if method == "tree":
            plan = tree_plan(reduced, budget=budget, first=first)
        else:
            (plan,) = linear_plans([method], reduced.ungrouped().instance, budget=budget)
    except BudgetExceededError:
        return {"stopped": True, "predicted": 0.0}
    planned = clock()
    result = {"plan": planned - started, "width": plan.cost.width, "predicted": plan.cost.entries}
    result["predicted_seconds"] = plan.seconds
    try:
        family = solve(board, method, timeout=job["timeout"])
    except BudgetExceededError:
        return {"stopped": True, **result}
    built = clock()
    family.approximate_probabilities()
    shared = clock()
    tables = family.details["build"]
    if method == "tree":
        tables = min(cpu_seconds(lambda: compile_tree(reduced, instance.cells, plan)) for _ in range(3))
    rebuilt = clock()
    digits = len(str(family.count())) if job["size"] <= job["count_up_to"] else None
    counted = clock()
    return {
        "stopped": False,
        **result,
        "build": built - planned,
        "probabilities": shared - built,
        "count": counted - rebuilt,
        "digits": digits,
        "hints": len(board.hints()) if job["size"] <= 300 else None,
        "tables": tables,
        "entries": family.details.get("entries", family.details.get("states", 0)),
        "nodes": family.node_count,
    }


def clock() -> float:
    """Seconds, those of compiling and loading kernels left out."""
    return time.perf_counter() - compile_seconds()


def cpu_seconds(build: Callable[[], object]) -> float:
    """The CPU seconds of a call: by the clock, other work on the machine would count."""
    started = time.process_time()
    build()
    return time.process_time() - started


def settings(options: Options) -> list[tuple[int, Any]]:
    """Shares of mines with shares of hints, or the cascade."""
    shares = [h if h == CASCADE else numbers(h, zero=True)[0] for h in options.hints.split(",")]
    return [(mines, hints) for hints in shares for mines in options.mines]


def jobs(options: Options) -> list[Job]:
    """Boards of every setting and size."""
    more = {"timeout": options.timeout, "count_up_to": options.count_up_to}
    return [
        {"method": method, "size": size, "mines": mines, "hints": hints, "seed": seed, **more}
        for method in options.methods.split(",")
        for mines, hints in settings(options)
        for size in options.sizes
        for seed in range(options.seeds)
    ]


@experiment(
    option("--sizes", "30,50,100,200", "Rows and columns, with commas between.", numbers_of()),
    option("--mines", "10,20,30", "Percentages.", numbers_of(zero=True)),
    option("--hints", f"10,30,35,40,50,{CASCADE}", "Percentages of the safe cells, or cascade."),
    option("--methods", "tree,dc,bdd,zdd", "Methods, with commas between."),
    option("--seeds", 1, "Boards a setting and size."),
    option("--count-up-to", 200, "Size to which the exact count is taken."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=60, memory=12, times=3, more=60),
    minutes=2,
    quick="--sizes 20,40 --mines 10,30 --hints 10,40 --timeout 5 --workers 2",
)
def main(results: Results, options: Options) -> Report:
    """A row a board, how good the predictions are, the exponents, and two plots."""
    known = [r for r in done(results) if not r["stopped"]]
    trees = [r for r in known if r["job"]["method"] == "tree" and r["entries"]]
    yield boards_table(results)
    if trees:
        yield f"tree: predicted within 2x of the real entries: {close(trees, 'predicted', 'entries')} that were done"
        slow = [r for r in trees if r["tables"] > LONG]
        good = close(slow, "predicted_seconds", "tables")
        yield f"and of the CPU seconds to build (the least of three), if more than {LONG}: {good}"
        yield exponents(trees, settings(options))
    height = 2 + 2.5 * len({r["job"]["method"] for r in known})
    yield picture("scaling.png", (13, height), lambda figure: plot_times(figure, known, settings(options)))
    if trees:
        yield picture("scaling_predictions.png", (8, 4.5), lambda figure: plot_errors(figure, done(results)))


def close(results: Results, predicted: str, real: str) -> str:
    """Return how many predictions are within a factor of 2, of how many boards."""
    ratio = np.array([r[predicted] / r[real] for r in results])
    return f"{np.sum((ratio >= 0.5) & (ratio <= 2))} of {len(ratio)} boards"


def boards_table(results: Results) -> str:
    """Return one row a board."""
    rows = []
    for r in results:
        job = r["job"]
        row = [job["method"], f"{job['mines']}%", setting_name(job["hints"]), job["size"], job["seed"]]
        if r["status"] == "done" and not r["stopped"]:
            row += [r["width"], f"{r['predicted']:,.0f}", f"{r['entries']:,}", seconds(r["plan"]), seconds(r["build"])]
            row += [seconds(r["probabilities"]), seconds(r["count"]) if r["digits"] else "", r["digits"] or ""]
        else:
            row += ["", f"{r.get('predicted', 0):,.3g}", "stopped"]
        rows.append(row)
    headers = ["method", "mines", "hints", "size", "seed", "width", "predicted", "entries", "plan [s]", "solve [s]"]
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


def plot_times(figure: Any, known: Results, settings: Sequence[tuple[int, Any]]) -> None:
    """Draw time against size: a frame for each way to open a board and method, a line for each share of mines."""
    ways = list(dict.fromkeys(hints for _, hints in settings))
    methods = list(dict.fromkeys(r["job"]["method"] for r in known))
    frames = figure.subplots(len(methods), len(ways), sharex=True, sharey=True, squeeze=False)
    for row, method in zip(frames, methods, strict=True):
        for axes, hints in zip(row, ways, strict=True):
            for mines in dict.fromkeys(mines for mines, _ in settings):
                here = of(known, method=method, mines=mines, hints=hints)
                by_size = sorted((r["job"]["size"], r["build"] + r["probabilities"]) for r in here)
                if by_size:
                    colour = PERCENT_COLOURS.get(mines, "black")
                    axes.plot(
                        *zip(*by_size, strict=True), lw=1, marker="o", ms=3, label=f"{mines}% mines", color=colour
                    )
            axes.set(xscale="log", yscale="log")
            axes.minorticks_off()
            axes.set_xticks(*[sorted({r["job"]["size"] for r in known})] * 2)
            axes.grid(alpha=0.3)
            axes.set_title(f"{method}, {setting_name(hints)}" + ("" if hints == CASCADE else " hints"), fontsize=9)
    frames[0][0].legend(fontsize=7)
    figure.supxlabel("rows and columns; a line ends where the method was stopped", fontsize=10)
    figure.supylabel("seconds, board to probabilities", fontsize=10)


def plot_errors(figure: Any, results: Results) -> None:
    """Draw predicted by real entries of the tree against the predicted entries; stopped runs on the upper edge."""
    axes = figure.subplots()
    trees = [r for r in results if r["job"]["method"] == "tree" and r["predicted"]]
    for mines in dict.fromkeys(r["job"]["mines"] for r in trees):
        here = [r for r in trees if r["job"]["mines"] == mines and not r["stopped"] and r["entries"]]
        ratio = [r["predicted"] / r["entries"] for r in here]
        colour = PERCENT_COLOURS.get(mines, "black")
        axes.plot([r["predicted"] for r in here], ratio, "o", ms=4, color=colour, label=f"{mines}% mines")
    stopped = [r["predicted"] for r in trees if r["stopped"]]
    if stopped:
        axes.plot(stopped, [4.0] * len(stopped), "x", color="black", label="stopped")
    axes.axhspan(0.5, 2, color="grey", alpha=0.15, label="within a factor of 2")
    axes.set(xscale="log", yscale="log", xlabel="predicted table entries", ylabel="predicted by real entries")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)


if __name__ == "__main__":
    main.start()
