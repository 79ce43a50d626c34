"""Table 1 of the paper: seconds of the three methods against mine and hint ratios.

H. Suzuki, H. Sun, S. Minato, "Generating All Mine Assignments of Minesweeper Using BDD/ZDD", JSAI 2016, §5.  The
paper does not say how large its boards are; 30x30 fits what it reports, with hints a share of the safe cells
(inferred).

`python -m experiments.table1` ends within two minutes; `--size 30 --instances 10` is the paper's setting.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import click
from tabulate import tabulate

from experiments import harness
from mines_dd import Board, BudgetExceededError, solve

MINES = (10, 20, 30)
HINTS = (10, 30, 50)
METHODS = ("bdd", "zdd", "dc")
COLOURS = {"bdd": "#0072B2", "zdd": "#D55E00", "dc": "#009E73", "tree": "#CC79A7"}
ORDERS = ("auto", "row", "column", "greedy", "tree")

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


def run(job: harness.Job) -> harness.Result:
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


@click.command(help=__doc__)
@click.option("--size", default=20, show_default=True, help="Rows and columns.")
@click.option("--instances", default=2, show_default=True, help="Boards for each of the nine settings.")
@click.option("--methods", default=",".join(METHODS), show_default=True, help="Names, with commas between; also tree.")
@click.option("--orders", default="auto", show_default=True, help=f"The same, of {', '.join(ORDERS)}.")
@click.option("--timeout", default=60.0, show_default=True, help="Seconds a run may take.")
@click.option("--max-nodes", default=60_000_000, show_default=True, help="Nodes or states a run may make.")
@click.option("--memory", default=8.0, show_default=True, help="GiB a run may use.")
@harness.where(workers=2)
@harness.output("table1")
def main(
    size: int,
    instances: int,
    methods: str,
    orders: str,
    timeout: float,
    max_nodes: int,
    memory: float,
    workers: int,
    scheduler: str | None,
    output: Path,
) -> None:
    columns = [
        (method, order) for order in harness.chosen(orders, ORDERS) for method in harness.chosen(methods, COLOURS)
    ]
    jobs = [
        {
            "size": size,
            "mines": mines,
            "hints": hints,
            "seed": seed,
            "method": method,
            "order": order,
            "timeout": timeout,
            "max_nodes": max_nodes,
        }
        for hints in HINTS
        for mines in MINES
        for seed in range(instances)
        for method, order in columns
    ]
    results = harness.sweep(
        run,
        jobs,
        output / "runs.jsonl",
        timeout=timeout * 1.1 + 30,
        memory=int(memory * 2**30),
        workers=workers,
        scheduler=scheduler,
    )
    results, failed = harness.without_failed(results)
    text = table(results, columns) + failed
    boards = f"{size}x{size}, {instances} board{'s' if instances != 1 else ''} a setting"
    text = (
        f"Table 1 at {boards}: seconds to build; * fastest\n"
        "paper: its ten boards a setting, by C++ on a Core i7-3930K; their size is not given, 30x30 is inferred\n\n"
    ) + text
    harness.write_text(output / "table.txt", f"{text}\n\n{harness.facts()}\n")
    print(text)
    plot(results, columns, output / "table1.png", boards)
    print(f"\n{output / 'table.txt'}, {output / 'table1.png'}, {output / 'runs.jsonl'}")


def table(results: Sequence[harness.Result], columns: Sequence[tuple[str, str]]) -> str:
    """Return the table in the paper's layout; a mean over runs that were stopped is a lower bound, marked >."""
    rows = []
    for hints in HINTS:
        for mines in MINES:
            here = [r for r in results if (r["job"]["hints"], r["job"]["mines"]) == (hints, mines)]
            check_counts(here)
            ran = [column for column in columns if any(of(r, column) for r in here)]
            means = {column: mean(seconds(r) for r in here if of(r, column)) for column in ran}
            for method, order in ran:
                runs = [r for r in here if of(r, (method, order))]
                times = [seconds(r) for r in runs]
                stopped = [r["status"] for r in runs if r["status"] != "done"]
                nodes = [r["nodes"] for r in runs if r["status"] == "done"]
                best = means[method, order] == min(means.values())
                published = PAPER.get((hints, mines, method))
                rows.append(
                    [
                        f"{hints}%",
                        f"{mines}%",
                        method,
                        order,
                        f"{'>' if stopped else ''}{mean(times):.4f}{' *' if best else ''}",
                        f"{min(times):.4f}",
                        f"{'>' if stopped else ''}{max(times):.4f}",
                        f"{mean(nodes):,.0f}" if nodes else "",
                        f"{len(stopped)} {stopped[0]}" if stopped else "",
                        *(f"{x:.4f}" for x in published or ()),
                    ]
                )
    headers = [
        "hints",
        "mines",
        "method",
        "order",
        "mean",
        "min",
        "max",
        "nodes",
        "stopped",
        "paper",
        "min",
        "max",
    ]
    text: str = tabulate(rows, headers, disable_numparse=True, stralign="right")
    return text


def of(result: harness.Result, column: tuple[str, str]) -> bool:
    """Tell whether a result belongs to a (method, order)."""
    return (result["job"]["method"], result["job"]["order"]) == column


def seconds(result: harness.Result) -> float:
    """The time to build, or until the run was stopped."""
    return float(result.get("build", result["job"]["timeout"]))


def check_counts(results: Sequence[harness.Result]) -> None:
    """All methods must count the same on the same board."""
    counts: dict[int, set[str]] = {}
    for r in results:
        if r["status"] == "done":
            counts.setdefault(r["job"]["seed"], set()).add(r["count"])
    for seed, different in counts.items():
        if len(different) > 1:
            raise SystemExit(f"the methods disagree on seed {seed}: {sorted(different)}")


def plot(results: Sequence[harness.Result], columns: Sequence[tuple[str, str]], path: Path, title: str) -> None:
    """Save the times on a logarithmic scale: every board a dot, its setting's mean a bar, the paper's mean a line."""
    from matplotlib.figure import Figure

    settings = [(hints, mines) for hints in HINTS for mines in MINES]
    fig = Figure(figsize=(11, 5), layout="constrained")
    ax = fig.subplots()
    width = 0.8 / len(columns)
    for k, (method, order) in enumerate(columns):
        for x, (hints, mines) in enumerate(settings):
            runs = [
                r
                for r in results
                if of(r, (method, order)) and (r["job"]["hints"], r["job"]["mines"]) == (hints, mines)
            ]
            times = [max(seconds(r), 1e-4) for r in runs]
            if not times:
                continue
            at = x - 0.4 + width * (k + 0.5)
            ax.bar(
                at,
                mean(times),
                width * 0.9,
                color=COLOURS[method],
                alpha=0.55 if order == columns[0][1] else 0.25,
                hatch=None if order == columns[0][1] else "//",
                label=f"{method}, {order} order" if x == 0 else None,
            )
            ax.plot([at] * len(times), times, ".", color="black", ms=3)
            if (hints, mines, method) in PAPER:
                ax.plot(
                    [at - width * 0.45, at + width * 0.45],
                    [PAPER[hints, mines, method][0]] * 2,
                    color="black",
                    lw=1.5,
                    label="paper (mean; its own machine and size)" if x == k == 0 else None,
                )
    ax.set_yscale("log")
    ax.set_ylabel("seconds to build")
    ax.set_xticks(range(len(settings)), [f"{mines}% mines\n{hints}% hints" for hints, mines in settings])
    ax.set_title(f"All mine assignments: {title}")
    ax.legend(ncols=2)
    ax.grid(axis="y", alpha=0.3)
    fig.savefig(path, dpi=120)


if __name__ == "__main__":
    harness.command(lambda: main.main(standalone_mode=False))
