"""What the order of the cells does: states, nodes and seconds of the paper's methods in four orders.

H. Suzuki, H. Sun, S. Minato, "Generating All Mine Assignments of Minesweeper Using BDD/ZDD", JSAI 2016, says what the
methods cost (table 1), not in which order they decide.  The same boards, unreduced, are built here row by row, column
by column, greedily (component by component, closing next the hint that leaves fewest states) and along the tree of an
elimination order.  "zdd" is the paper's §4.2 to the letter, "zdd-span" has shorter chains of don't-care nodes.  Seconds
are those to build in the given order, warm.

The default, one board a setting, ends within about two minutes; `--instances 10 --timeout 60` takes an hour or so.
"""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable
from statistics import geometric_mean
from typing import Any

from experiments import table2
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
from experiments.shared import ORDER_COLOURS, done, of, plural, seconds, table
from experiments.table1 import METHODS, PAPER, SETTINGS, same_boards
from mines_dd import Board, BudgetExceededError, solve
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order
from mines_dd.orders.cost import linear_cost

ORDERS = ("row", "column", "greedy", "tree")
PAPER_SIZE = 30  # inferred

# Nodes of dc in the paper's table 2, with its labels 10% and 50% swapped.
PAPER_NODES = {(table2.SWAPPED[printed], table2.MINES): nodes for printed, (nodes, _, _) in table2.PAPER.items()}


def run(job: Job) -> Result:
    """Build one board with one method in one order, and count; a run that is stopped says how far it came."""
    board = Board.random(job["size"], job["size"], job["mines"] / 100, job["hints"] / 100, job["seed"])
    how: dict[str, Any] = {"method": job["method"], "order": job["order"], "simplify": False}
    solve(Board.random(10, 10, 0.1, 0.1, 0), **how).count()  # kernels compiled and libraries loaded
    instance = Instance.from_board(board)
    cost = linear_cost(instance, cell_order(instance, job["order"]))
    about = {"width": cost.width, "predicted": cost.entries}
    started = time.perf_counter()
    try:
        family = solve(board, **how, timeout=job["timeout"], max_nodes=job["max_nodes"])
    except BudgetExceededError as error:
        states = error.needed if error.unit == "nodes" else None
        return {"status": "budget", "build": time.perf_counter() - started, "states": states, **about}
    states, dead = family.details.get("states"), family.details.get("dead_states")
    count = str(family.count())
    built = family.details["build"]
    return {"build": built, "nodes": family.node_count, "states": states, "dead": dead, "count": count, **about}


def jobs(options: Options) -> list[Job]:
    """The boards of table 1, by every method in every order.

    Only dc is stopped by its states: to count the living nodes takes CUDD a walk through its tables.
    """
    return [
        {
            "size": options.size,
            "mines": mines,
            "hints": hints,
            "seed": seed,
            "method": method,
            "order": order,
            "timeout": options.timeout,
            "max_nodes": options.max_nodes if method == "dc" else None,
        }
        for hints, mines in SETTINGS
        for seed in range(options.instances)
        for order in options.orders
        for method in options.methods
    ]


@experiment(
    option("--size", 30, "Rows and columns."),
    option("--instances", 1, "Boards for each of the nine settings."),
    option("--methods", ",".join(METHODS), kind=names_of(METHODS)),
    option("--orders", ",".join(ORDERS), kind=names_of(ORDERS)),
    option("--max-nodes", 30_000_000, "States that dc may make."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=3, memory=8, workers=2, times=2, more=10),
    minutes=4,
    quick="--size 12 --orders row,greedy --timeout 1",
)
def main(results: Results, options: Options) -> Report:
    """A row a setting and order, what that says in numbers, and a plot."""
    results, failed = without_failed(results)
    same_boards(results)
    size, boards = options.size, plural(options.instances, "board")
    title = f"{size}x{size}, {boards} a setting (geometric means), not reduced"
    yield f"Orders of the cells: {title}; > stopped, a lower bound"
    yield orders_table(results)
    yield notes(results) + failed
    yield picture("ordering.png", (20, 8.5), lambda figure: plot(figure, results, title))


def chosen(results: Results, setting: tuple[int, int], method: str = "", order: str = "") -> list[Result]:
    """The results of a setting, of one method or order if named."""
    named = {key: value for key, value in {"method": method, "order": order}.items() if value}
    return of(results, hints=setting[0], mines=setting[1], **named)


def building(result: Result) -> float:
    """The time to build, or until the run was stopped."""
    return float(result.get("build", result["job"]["timeout"]))


def states(result: Result) -> float | None:
    """The states that were made, until the run was stopped if it was."""
    return result.get("states")


def nodes(result: Result) -> float | None:
    """The nodes of the reduced diagram, if it was done."""
    return result.get("nodes")


def alive(result: Result) -> float | None:
    """The states that lead to a solution."""
    return result["states"] - result["dead"] if result["status"] == "done" and result["dead"] is not None else None


def typical(runs: Results, value: Callable[[Result], float | None]) -> float | None:
    """The geometric mean over the runs that have the value; a stopped run counts with what it had."""
    known = [x for r in runs if (x := value(r)) is not None]
    return geometric_mean([max(x, 1e-4) for x in known]) if known else None


def is_bound(runs: Results) -> bool:
    """Whether a run was stopped."""
    return any(r["status"] != "done" for r in runs)


def orders_table(results: Results) -> str:
    """Return one row a setting and order, and the paper's seconds."""
    rows = []
    for hints, mines in SETTINGS:
        for order in ORDERS:
            if not (here := chosen(results, (hints, mines), order=order)):
                continue
            dc = chosen(here, (hints, mines), "dc")
            ended = done(dc)
            row = [f"{hints}%", f"{mines}%", order, number(typical(here, lambda r: r.get("width")))]
            row += [bound(dc, number(typical(dc, states)))]
            row += [share(sum(r["dead"] for r in ended) / sum(r["states"] for r in ended)) if ended else ""]
            for method in METHODS:
                runs = chosen(here, (hints, mines), method)
                row += ["" if is_bound(runs) else number(typical(runs, nodes))]
                row += [bound(runs, seconds(typical(runs, building) or 0)) if runs else ""]
            rows.append(row)
        published = {"dc": number(PAPER_NODES.get((hints, mines)))}
        paper = [
            (published.get(method, ""), seconds(PAPER[hints, mines, method][0]) if method != "zdd-span" else "")
            for method in METHODS
        ]
        rows.append([f"{hints}%", f"{mines}%", "paper", "", "", "", *(x for pair in paper for x in pair)])
    headers = ["hints", "mines", "order", "width", "dc states", "dead"]
    headers += [f"{method} {what}" for method in METHODS for what in ("nodes", "[s]")]
    return table(rows, headers, "r")


def bound(runs: Results, text: str) -> str:
    """Mark what is a lower bound."""
    return f">{text}" if is_bound(runs) and text else text


def number(value: float | None) -> str:
    """A whole number, or nothing."""
    return "" if value is None else f"{value:,.0f}"


def share(value: float) -> str:
    """A percentage."""
    return f"{value:.1%}"


def notes(results: Results) -> str:
    """Say in numbers what the order does."""
    ratios, stopped = [], 0
    for setting in SETTINGS:
        row, greedy = chosen(results, setting, "dc", "row"), chosen(results, setting, "dc", "greedy")
        before, after = typical(row, states), typical(greedy, states)
        if before and after and not is_bound(greedy):
            ratios.append(before / after)
            stopped += is_bound(row)
    lines = []
    if ratios:
        lines.append(
            f"Row by row dc makes {min(ratios):,.0f} to {max(ratios):,.0f} times as many states as greedily"
            + (f" (at least: runs were stopped in {stopped} of {len(ratios)} settings).  " if stopped else ".  ")
            + "A row-major frontier cuts through many components at once and multiplies their states; greedily one "
            "ends before the next begins.  Dead states cannot be completed any more, but no vertex by itself shows it."
        )
    if all(r["job"]["size"] == PAPER_SIZE for r in results):
        lines += beside_the_paper(results)
    return "\n".join(textwrap.fill(line, 110) for line in lines)


def beside_the_paper(results: Results) -> list[str]:
    """Say what the paper's figures tell of its orders."""
    lines = []
    setting = (10, 30)
    ours = [(order, typical(chosen(results, setting, "dc", order), nodes)) for order in ORDERS]
    if all(known for _, known in ours):
        lines.append(
            f"The paper does not give its orders.  At 10% hints and 30% mines its dc has {PAPER_NODES[setting]:,} "
            "nodes (table 2, labels swapped), ours "
            + ", ".join(f"{known:,.0f} ({order})" for order, known in ours)
            + "."
        )
    parts = [
        f"its {method} takes " + " and ".join(f"{slowness(results, method, order)} ({order})" for order in ORDERS[::2])
        for method in ("bdd", "zdd")
    ]
    lines.append(
        f"Against our seconds, over the settings, {', '.join(parts)} times as many.  Machines and programs differ; but "
        "the narrower a range, the more alike are the orders."
    )
    ratios = [f"{order} {ratio(results, 'zdd', order)}, {ratio(results, 'zdd-span', order)}" for order in ORDERS]
    paper = [PAPER[*setting, "zdd"][0] / PAPER[*setting, "bdd"][0] for setting in SETTINGS]
    lines.append(
        "Times as slow as bdd, over the settings where neither was stopped, are zdd and zdd-span: "
        f"{'; '.join(ratios)}.  The paper's zdd: {min(paper):.1f} to {max(paper):.1f}.  The chains of don't-care nodes "
        "make the difference between zdd and zdd-span."
    )
    return lines


def ratio(results: Results, method: str, order: str) -> str:
    """Say how many times as long as bdd a method takes, in the settings where neither was stopped."""
    found = []
    for setting in SETTINGS:
        runs, others = chosen(results, setting, method, order), chosen(results, setting, "bdd", order)
        if runs and others and not is_bound(runs) and not is_bound(others):
            found.append((typical(runs, building) or 0) / (typical(others, building) or 1))
    return f"{min(found):.1f} to {max(found):.1f}" if found else "?"


def slowness(results: Results, method: str, order: str) -> str:
    """Say by how much the paper's mean seconds exceed ours, in the settings where no run was stopped."""
    runs = [(PAPER[*setting, method][0], chosen(results, setting, method, order)) for setting in SETTINGS]
    ratios = [paper / ours for paper, here in runs if not is_bound(here) and (ours := typical(here, building))]
    return f"{min(ratios):.1f} to {max(ratios):.1f}" if ratios else "?"


def plot(figure: Any, results: Results, title: str) -> None:
    """Draw for each method what it does (states of dc, seconds of bdd and zdd) and the nodes that it ends in."""
    axes = figure.subplots(2, 4, sharex=True)
    top: tuple[tuple[str, str, Callable[[Result], float | None]], ...] = (
        ("dc", "states (hollow: those that lead to a solution)", states),
        ("bdd", "seconds", building),
        ("zdd", "seconds", building),
        ("zdd-span", "seconds", building),
    )
    for column, (method, what, value) in enumerate(top):
        draw(axes[0, column], results, method, value, bounds=True)
        draw(axes[1, column], results, method, nodes, bounds=False)
        axes[0, column].set(title=f"{method}: {what}", yscale="log")
        axes[1, column].set(title=f"{method}: nodes of the reduced diagram", yscale="log")
    draw(axes[0, 0], results, "dc", alive, bounds=False, hollow=True)
    for ax in axes[1]:
        ax.set_xticks(range(len(SETTINGS)), [f"{hints}%\n{mines}%" for hints, mines in SETTINGS])
        ax.set_xlabel("hints, mines")
    for ax in axes.flat:
        ax.grid(alpha=0.3)
    for ax, method in zip(axes[0, 1:3], ("bdd", "zdd"), strict=True):
        ax.plot([PAPER[setting][0] for setting in ((*x, method) for x in SETTINGS)], "_", ms=18, mew=2, color="black")
    published = [(x, PAPER_NODES[setting]) for x, setting in enumerate(SETTINGS) if setting in PAPER_NODES]
    axes[1, 0].plot(*zip(*published, strict=True), "_", ms=18, mew=2, color="black", label="the paper's mean, or board")
    handles = [line for ax in axes.flat for line in ax.get_legend_handles_labels()[0]]
    by_name = {line.get_label(): line for line in handles}
    figure.legend(by_name.values(), by_name, loc="outside lower center", ncols=5, title="triangles: stopped, at least")
    for alike in (axes[0, 1:], axes[1]):
        low, high = min(ax.get_ylim()[0] for ax in alike), max(ax.get_ylim()[1] for ax in alike)
        for ax in alike:
            ax.set_ylim(low, high)
    figure.suptitle(f"The order of the cells: {title}")


def draw(
    axes: Any,
    results: Results,
    method: str,
    value: Callable[[Result], float | None],
    *,
    bounds: bool,
    hollow: bool = False,
) -> None:
    """Draw a value over the settings, one mark an order; with `bounds` also of stopped runs."""
    for k, order in enumerate(ORDERS):
        named = False
        for x, setting in enumerate(SETTINGS):
            runs = chosen(results, setting, method, order)
            stopped = is_bound(runs)
            y = typical(runs, value)
            if y is None or (stopped and not bounds):
                continue
            label = order if not named and not hollow else None
            named = True
            face = "none" if hollow else ORDER_COLOURS[order]
            at = x + 0.16 * (k - 1.5)
            axes.plot(at, y, "^" if stopped else "o", ms=7, mfc=face, mec=ORDER_COLOURS[order], ls="", label=label)


if __name__ == "__main__":
    main.start()
