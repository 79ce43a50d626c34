"""How far each method goes: time against the size of the board, each to its limit; predicted against real entries.

Boards of the paper's kind, also with hints on 35% and 40% of the safe cells, where elimination meets its wall, and
boards opened by clicks with the usual cascade.  Saves a table, two plots and the exponents of the growth (least squares
on logarithms).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from experiments.boards import CASCADE, closed_board, drawn, share
from experiments.clocks import clock, repeated
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
from experiments.shared import (
    PERCENT_COLOURS,
    columns,
    crossed,
    curve,
    done,
    finish,
    groups,
    number,
    of,
    power,
    seconds,
)
from mines_dd import Board, BudgetExceededError, solve
from mines_dd.base.budget import Budget
from mines_dd.compilers.plan import linear_plans, tree_plan
from mines_dd.compilers.relaxation import tightened
from mines_dd.compilers.tree import compile_tree
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import simplify

# Seconds from which on a prediction of the time to build is of use.
LONG = 0.02


def make(job: Job) -> Board:
    """The board of a job: hints opened one by one, or by one click for every twenty cells, with the cascade."""
    if job["hints"] != CASCADE:
        return drawn(job)
    board, safe, rng = closed_board(job)
    size = job["size"]
    clicks = [(int(rng.random() * size), int(rng.random() * size)) for _ in range(size * size // 20)]
    may_open = set(safe)
    return board.open_all(cell for cell in clicks if cell in may_open)


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
    digits = len(str(family.count())) if job["size"] <= job["count_up_to"] else None
    counted = clock()
    tables = family.details["build"]
    if method == "tree":  # by the clock, other work on the machine would count
        tables = min(repeated(lambda: compile_tree(reduced, instance.cells, plan), 3, inf)[1])
    return {
        "stopped": False,
        **result,
        "build": built - planned,
        "probabilities": shared - built,
        "count": counted - shared,
        "digits": digits,
        "hints": len(board.hints()) if job["size"] <= 300 else None,
        "tables": tables,
        "entries": family.details.get("entries", family.details.get("states", 0)),
        "nodes": family.node_count,
    }


def jobs(options: Options) -> list[Job]:
    """Boards of every setting and size."""
    fixed = {"timeout": options.timeout, "count_up_to": options.count_up_to}
    every = crossed(
        method=options.methods.split(","),
        hints=[h if h == CASCADE else numbers(h, zero=True)[0] for h in options.hints.split(",")],
        mines=options.mines,
        size=options.sizes,
        seed=range(options.seeds),
    )
    return [fixed | job for job in every]


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
    minutes=70,
    quick="--sizes 20,40 --mines 10,30 --hints 10,40 --timeout 5 --workers 2",
)
def main(results: Results, options: Options) -> Report:
    """A row a board, how good the predictions are, the exponents, and two plots."""
    known = [r for r in done(results) if not r["stopped"]]
    trees = [r for r in of(known, method="tree") if r["entries"]]
    yield columns(results, COLUMNS)
    if trees:
        yield f"tree: predicted within 2x of the real entries: {close(trees, 'predicted', 'entries')} that were done"
        slow = [r for r in trees if r["tables"] > LONG]
        good = close(slow, "predicted_seconds", "tables")
        yield f"and of the CPU seconds to build (the least of three), if more than {LONG}: {good}"
        yield exponents(trees)
    height = 2 + 2.5 * len(groups(known, "method"))
    yield picture("scaling.png", (13, height), lambda figure: plot_times(figure, results))
    if trees:
        yield picture("scaling_predictions.png", (8, 4.5), lambda figure: plot_errors(figure, done(results)))


def close(results: Results, predicted: str, real: str) -> str:
    """Return how many predictions are within a factor of 2, of how many boards."""
    ratio = np.array([r[predicted] / r[real] for r in results])
    return f"{np.sum((ratio >= 0.5) & (ratio <= 2))} of {len(ratio)} boards"


def after(key: str, show: Callable[[Any], str] = seconds) -> Callable[[Result], str]:
    """What a run says if it came to its end."""
    return lambda r: show(r[key]) if not r.get("stopped", True) and r.get(key) is not None else ""


COLUMNS: dict[str, Callable[[Result], Any]] = {
    "method": lambda r: r["job"]["method"],
    "mines": lambda r: share(r["job"]["mines"]),
    "hints": lambda r: share(r["job"]["hints"]),
    "size": lambda r: r["job"]["size"],
    "seed": lambda r: r["job"]["seed"],
    "width": after("width", str),
    "predicted": lambda r: after("predicted", number)(r) or f"{r.get('predicted', 0):,.3g}",
    "entries": lambda r: after("entries", number)(r) or "stopped",
    "plan [s]": after("plan"),
    "solve [s]": after("build"),
    "probabilities [s]": after("probabilities"),
    "count [s]": lambda r: after("count")(r) if r.get("digits") else "",
    "digits": after("digits", str),
}


def exponents(trees: Results) -> str:
    """Return the exponents of time and entries in the side of the board."""
    settings = [here for here in groups(trees, "mines", "hints").values() if len(groups(here, "size")) > 1]

    def of_side(key: str) -> Callable[[Results], str]:
        return lambda here: f"{power([r['job']['size'] for r in here], [r[key] for r in here]):.2f}"

    cells: dict[str, Callable[[Results], str]] = {
        "mines": lambda here: share(here[0]["job"]["mines"]),
        "hints": lambda here: share(here[0]["job"]["hints"]),
        "time ~ side^": of_side("build"),
        "entries ~ side^": of_side("entries"),
    }
    return columns(settings, cells)


def plot_times(figure: Any, results: Results) -> None:
    """Draw time against size: a frame for each way to open a board and method, a line for each share of mines."""
    known = [r for r in done(results) if not r["stopped"]]
    ways, methods = groups(results, "hints"), groups(known, "method")
    frames = figure.subplots(len(methods), len(ways), sharex=True, sharey=True, squeeze=False)
    for row, method in zip(frames, methods, strict=True):
        for axes, hints in zip(row, ways, strict=True):
            for mines in groups(results, "mines"):
                here = of(known, method=method, mines=mines, hints=hints)
                points = [(r["job"]["size"], r["build"] + r["probabilities"]) for r in here]
                curve(axes, points, lw=1, ms=3, label=f"{mines}% mines", color=PERCENT_COLOURS.get(mines, "black"))
            finish(axes, "xy", legend=axes is frames[0][0])
            axes.minorticks_off()
            axes.set_xticks(*[sorted(groups(known, "size"))] * 2, rotation=60, fontsize=8)
            axes.set_title(f"{method}, {share(hints)}" + ("" if hints == CASCADE else " hints"), fontsize=9)
    figure.supxlabel("rows and columns; a line ends where the method was stopped", fontsize=10)
    figure.supylabel("seconds, board to probabilities", fontsize=10)


def plot_errors(figure: Any, results: Results) -> None:
    """Draw predicted by real entries of the tree against the predicted entries; stopped runs on the upper edge."""
    axes = figure.subplots()
    trees = [r for r in of(results, method="tree") if r["predicted"]]
    for mines, here in groups(trees, "mines").items():
        ended = [r for r in here if not r["stopped"] and r["entries"]]
        points = [(r["predicted"], r["predicted"] / r["entries"]) for r in ended]
        curve(axes, points, "o", ms=4, color=PERCENT_COLOURS.get(mines, "black"), label=f"{mines}% mines")
    curve(axes, [(r["predicted"], 4.0) for r in trees if r["stopped"]], "x", color="black", label="stopped")
    axes.axhspan(0.5, 2, color="grey", alpha=0.15, label="within a factor of 2")
    finish(axes, "xy", xlabel="predicted table entries", ylabel="predicted by real entries")
    axes.minorticks_off()
    axes.set_yticks(*[(0.5, 1, 2)] * 2)


if __name__ == "__main__":
    main.start()
