"""Table 1 of the paper: seconds of the three methods against mine and hint ratios.

H. Suzuki, H. Sun, S. Minato, "Generating All Mine Assignments of Minesweeper Using BDD/ZDD", JSAI 2016, §5.  The
paper does not say how large its boards are; 30x30 fits what it reports, with hints a share of the safe cells
(inferred).

`python -m experiments.table1` ends within two minutes; `--size 30 --instances 10` is the paper's setting.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import mean
from typing import Any

from experiments.harness import (
    Job,
    Limits,
    Options,
    Report,
    Result,
    Results,
    experiment,
    names_of,
    option,
    picture,
    without_failed,
)
from experiments.shared import METHOD_COLOURS, done, of, plural, same_counts, seconds, table
from mines_dd import Board, BudgetExceededError, solve

MINES = (10, 20, 30)
HINTS = (10, 30, 50)
METHODS = ("bdd", "zdd", "dc")
ORDERS = ("auto", "row", "column", "greedy", "tree")
SETTINGS = [(hints, mines) for hints in HINTS for mines in MINES]

# Seconds, mean / min / max of ten boards (C++, Core i7-3930K), by hint and mine percentage.
PAPER: dict[tuple[int, int, str], tuple[float, float, float]] = {
    (10, 10, "bdd"): (0.0898, 0.0724, 0.1082),
    (10, 10, "zdd"): (3.2197, 2.6686, 3.6271),
    (10, 10, "dc"): (0.0061, 0.0054, 0.0068),
    (10, 20, "bdd"): (0.1415, 0.0828, 0.2779),
    (10, 20, "zdd"): (2.9522, 2.4270, 3.4220),
    (10, 20, "dc"): (0.0056, 0.0051, 0.0064),
    (10, 30, "bdd"): (0.2015, 0.1202, 0.2766),
    (10, 30, "zdd"): (2.6064, 2.2604, 2.9293),
    (10, 30, "dc"): (0.0051, 0.0047, 0.0063),
    (30, 10, "bdd"): (0.3087, 0.2676, 0.3541),
    (30, 10, "zdd"): (21.7822, 19.8257, 23.4192),
    (30, 10, "dc"): (0.0963, 0.0571, 0.1718),
    (30, 20, "bdd"): (3.3373, 0.6909, 14.3177),
    (30, 20, "zdd"): (29.5592, 22.1323, 40.2097),
    (30, 20, "dc"): (5.5909, 0.1563, 32.4244),
    (30, 30, "bdd"): (19.7889, 2.2616, 60.7200),
    (30, 30, "zdd"): (42.8664, 22.4692, 77.6534),
    (30, 30, "dc"): (1.5040, 0.0693, 4.4572),
    (50, 10, "bdd"): (0.2748, 0.2619, 0.2921),
    (50, 10, "zdd"): (23.1147, 22.0187, 24.2032),
    (50, 10, "dc"): (0.0349, 0.0270, 0.0426),
    (50, 20, "bdd"): (0.4428, 0.3472, 1.0526),
    (50, 20, "zdd"): (34.9944, 33.6787, 36.9539),
    (50, 20, "dc"): (0.8787, 0.0568, 3.2996),
    (50, 30, "bdd"): (1.4812, 0.4979, 5.7594),
    (50, 30, "zdd"): (37.8803, 35.7802, 43.1102),
    (50, 30, "dc"): (290.3275, 0.2947, 2239.0358),
}


def jobs(options: Options) -> list[Job]:
    """The boards of every setting, by every method in every order."""
    return [
        {
            "size": options.size,
            "mines": mines,
            "hints": hints,
            "seed": seed,
            "method": method,
            "order": order,
            "timeout": options.timeout,
            "max_nodes": options.max_nodes,
        }
        for hints, mines in SETTINGS
        for seed in range(options.instances)
        for order in options.orders
        for method in options.methods
    ]


def run(job: Job) -> Result:
    """Build and count one board with one method; reading its constraints is part of the time, as in the paper."""
    board = Board.random(job["size"], job["size"], job["mines"] / 100, job["hints"] / 100, job["seed"])
    how: dict[str, Any] = {"method": job["method"], "order": job["order"], "simplify": False}
    solve(Board.random(30, 30, 0.1, 0.1, 0), **how)  # kernels compiled and libraries loaded
    started = time.perf_counter()
    try:
        family = solve(board, **how, timeout=job["timeout"], max_nodes=job["max_nodes"])
    except BudgetExceededError as error:
        return {"status": "budget", "build": time.perf_counter() - started, "message": str(error)}
    built = time.perf_counter()
    count = family.count()
    return {
        "build": built - started,
        "count_seconds": time.perf_counter() - built,
        "nodes": family.node_count,
        "states": family.details.get("states"),
        "backend": family.details["backend"],
        "count": str(count),
    }


@experiment(
    option("--size", 20, "Rows and columns."),
    option("--instances", 2, "Boards for each of the nine settings."),
    option("--methods", ",".join(METHODS), "Names, with commas between; also tree.", names_of(METHOD_COLOURS)),
    option("--orders", "auto", f"The same, of {', '.join(ORDERS)}.", names_of(ORDERS)),
    option("--max-nodes", 60_000_000, "Nodes or states a run may make."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=60, memory=8, workers=2, times=1.1, more=30),
    minutes=2,
    quick="--size 10 --instances 1",
)
def main(results: Results, options: Options) -> Report:
    """The table in the paper's layout, and the same as a plot."""
    results, failed = without_failed(results)
    same_boards(results)
    columns = [(method, order) for order in options.orders for method in options.methods]
    boards = f"{options.size}x{options.size}, {plural(options.instances, 'board')} a setting"
    yield (
        f"Table 1 at {boards}: seconds to build; * fastest\n"
        "paper: its ten boards a setting, by C++ on a Core i7-3930K; their size is not given, 30x30 is inferred"
    )
    yield seconds_table(results, columns) + failed
    yield picture("table1.png", (11, 5), lambda figure: plot(figure, results, columns, boards))


def same_boards(results: Results) -> None:
    """Require that all methods and orders count the same on the same board."""
    same_counts((board_name(r["job"]), r["job"]["method"], r["count"]) for r in done(results))


def board_name(job: Job) -> str:
    """Return which board a job builds."""
    return f"seed {job['seed']} at {job['hints']}% hints and {job['mines']}% mines"


def seconds_table(results: Results, columns: Sequence[tuple[str, str]]) -> str:
    """Return the table in the paper's layout; a mean over runs that were stopped is a lower bound, marked >."""
    rows = []
    for hints, mines in SETTINGS:
        times = {column: times_of(results, hints, mines, *column) for column in columns}
        best = min((mean(x) for x in times.values() if x), default=0.0)
        for (method, order), here in times.items():
            if not here:
                continue
            runs = of(results, hints=hints, mines=mines, method=method, order=order)
            stopped = [r["status"] for r in runs if r["status"] != "done"]
            more, nodes = ">" if stopped else "", [r["nodes"] for r in done(runs)]
            row = [f"{hints}%", f"{mines}%", method, order]
            row += [f"{more}{seconds(mean(here))}{' *' if mean(here) == best else ''}"]
            row += [seconds(min(here)), f"{more}{seconds(max(here))}", f"{mean(nodes):,.0f}" if nodes else ""]
            row += [f"{len(stopped)} {stopped[0]}" if stopped else ""]
            rows.append(row + [seconds(x) for x in PAPER.get((hints, mines, method), ())])
    headers = ["hints", "mines", "method", "order", "mean", "min", "max", "nodes", "stopped", "paper", "min", "max"]
    return table(rows, headers, "r")


def times_of(results: Results, hints: int, mines: int, method: str, order: str) -> list[float]:
    """Return the seconds to build, or until a run was stopped."""
    runs = of(results, hints=hints, mines=mines, method=method, order=order)
    return [float(r.get("build", r["job"]["timeout"])) for r in runs]


def plot(figure: Any, results: Results, columns: Sequence[tuple[str, str]], title: str) -> None:
    """Draw the times on a logarithmic scale: every board a dot, its setting's mean a bar, the paper's mean a line."""
    ax = figure.subplots()
    width = 0.8 / len(columns)
    for k, (method, order) in enumerate(columns):
        usual = order == columns[0][1]
        for x, (hints, mines) in enumerate(SETTINGS):
            times = [max(time, 1e-4) for time in times_of(results, hints, mines, method, order)]
            if not times:
                continue
            at = x - 0.4 + width * (k + 0.5)
            style: dict[str, Any] = {"color": METHOD_COLOURS[method], "alpha": 0.55 if usual else 0.25}
            label = f"{method}, {order} order" if x == 0 else None
            ax.bar(at, mean(times), width * 0.9, hatch=None if usual else "//", label=label, **style)
            ax.plot([at] * len(times), times, ".", color="black", ms=3)
            if (hints, mines, method) in PAPER:
                ends, published = [at - width * 0.45, at + width * 0.45], [PAPER[hints, mines, method][0]] * 2
                label = "paper (mean; its own machine and size)" if x == k == 0 else None
                ax.plot(ends, published, color="black", lw=1.5, label=label)
    ax.set_yscale("log")
    ax.set_ylabel("seconds to build")
    ax.set_xticks(range(len(SETTINGS)), [f"{mines}% mines\n{hints}% hints" for hints, mines in SETTINGS])
    ax.set_title(f"All mine assignments: {title}")
    ax.legend(ncols=2)
    ax.grid(axis="y", alpha=0.3)


if __name__ == "__main__":
    main.start()
