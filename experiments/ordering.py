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
from functools import partial
from itertools import product
from statistics import geometric_mean
from typing import Any, NamedTuple

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
    option,
    picture,
    without_failed,
)
from experiments.memory import MIB, grown
from experiments.paper import SETTINGS, SIZE, SWAPPED, TABLE_1, TABLE_2, TABLE_2_MINES
from experiments.shared import (
    ORDER_COLOURS,
    columns,
    crossed,
    done,
    finish,
    groups,
    number,
    of,
    seconds,
)
from experiments.table1 import METHODS, same_boards
from mines_dd import Board, BudgetExceededError, solve
from mines_dd.base.wording import counted
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order
from mines_dd.orders.cost import linear_cost

ORDERS = ("row", "column", "greedy", "tree")

# Nodes of dc in the paper's table 2, with its labels 10% and 50% swapped.
PAPER_NODES = {(SWAPPED[printed], TABLE_2_MINES): nodes for printed, (nodes, _, _) in TABLE_2.items()}


def run(job: Job) -> Result:
    """Build one board with one method in one order, and count; a run that is stopped says how far it came."""
    how: dict[str, Any] = {"method": job["method"], "order": job["order"], "simplify": False}
    limits = {"timeout": job["timeout"], "max_nodes": job["max_nodes"]}
    solve(Board.random(10, 10, 0.1, 0.1, 0), **how).count()  # kernels compiled and libraries loaded
    board = drawn(job)
    instance = Instance.from_board(board)
    cost = linear_cost(instance, cell_order(instance, job["order"]))
    found: Result = {"width": cost.width, "predicted": cost.entries}

    def build() -> Any:
        started = time.perf_counter()
        try:
            return solve(board, **how, **limits)
        except BudgetExceededError as error:
            found["build"] = time.perf_counter() - started
            found["states"] = error.needed if error.unit == "nodes" else None
            return None

    family, most = grown(build)
    found["mib"] = most / MIB
    if family is None:
        return {"status": "budget", **found}
    details = family.details
    found |= {"build": details["build"], "states": details.get("states"), "dead": details.get("dead_states")}
    return {"count": str(family.count()), "nodes": family.node_count, **found}


def jobs(options: Options) -> list[Job]:
    """The boards of table 1, by every method in every order.

    Only dc is stopped by its states: to count the living nodes takes CUDD a walk through its tables.
    """
    states = {"dc": options.max_nodes}
    fixed = {"size": options.size, "timeout": options.timeout}
    return [
        {**fixed, "mines": mines, "hints": hints, "max_nodes": states.get(job["method"]), **job}
        for hints, mines in SETTINGS
        for job in crossed(seed=range(options.instances), order=options.orders, method=options.methods)
    ]


@experiment(
    option("--size", 30, "Rows and columns."),
    option("--instances", 1, "Boards for each of the nine settings."),
    option("--methods", ",".join(METHODS), kind=names_of(METHODS)),
    option("--orders", ",".join(ORDERS), kind=names_of(ORDERS)),
    option("--max-nodes", 30_000_000, "States that dc may make."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=3, memory=8, workers=2, times=2, more=60),
    minutes=4,
    quick="--size 12 --orders row,greedy --timeout 1",
)
def main(results: Results, options: Options) -> Report:
    """A row a setting and order, what that says in numbers, and a plot."""
    results, failed = without_failed(results)
    same_boards(results)
    size, boards = options.size, counted(options.instances, "board")
    title = f"{size}x{size}, {boards} a setting (geometric means), not reduced"
    yield f"Orders of the cells: {title}; > stopped, a lower bound"
    yield orders_table(results)
    yield notes(results) + failed
    yield picture("ordering.png", (20, 8.5), lambda figure: plot(figure, results, title))


def chosen(results: Results, setting: tuple[int, int], method: str, order: str) -> list[Result]:
    """The results of a setting, method and order."""
    return of(results, hints=setting[0], mines=setting[1], method=method, order=order)


Value = Callable[[Result], float | None]


def building(result: Result) -> float:
    """The time to build, or until the run was stopped."""
    return float(result.get("build", result["job"]["timeout"]))


def known(what: str) -> Value:
    """A number that a run has, unless it was stopped before that."""
    return lambda result: result.get(what)


def alive(result: Result) -> float | None:
    """The states that lead to a solution."""
    return result["states"] - result["dead"] if result.get("dead") is not None else None


def typical(runs: Results, value: Value) -> float | None:
    """The geometric mean over the runs that have the value; a stopped run counts with what it had."""
    found = [x for r in runs if (x := value(r)) is not None]
    return geometric_mean([max(x, 1e-4) for x in found]) if found else None


def is_bound(runs: Results) -> bool:
    """Whether a run was stopped."""
    return len(done(runs)) < len(runs)


def shown(runs: Results, value: Value, show: Callable[[float | None], str] = number) -> str:
    """The geometric mean of a value as a text, marked if it is a lower bound."""
    middle = typical(runs, value)
    return "" if middle is None else ">" * is_bound(runs) + show(middle)


class Row(NamedTuple):
    """An order of cells in a setting, or the paper, which has no runs."""

    hints: int
    mines: int
    order: str
    runs: Results = ()

    def dead(self) -> str:
        """The share of states that lead to no solution."""
        ended = done(of(self.runs, method="dc"))
        return f"{sum(r['dead'] for r in ended) / sum(r['states'] for r in ended):.1%}" if ended else ""

    def nodes(self, method: str) -> str:
        """The nodes of the diagrams, if all were done."""
        if not self.runs:
            return number(PAPER_NODES.get((self.hints, self.mines))) if method == "dc" else ""
        here = of(self.runs, method=method)
        return "" if is_bound(here) else shown(here, known("nodes"))

    def seconds(self, method: str) -> str:
        """The seconds to build; the paper's mean."""
        if not self.runs:
            published = TABLE_1.get((self.hints, self.mines, method))
            return seconds(published[0]) if published else ""
        return shown(of(self.runs, method=method), building, lambda x: seconds(x or 0))

    def memory(self, method: str) -> str:
        """The MiB that building took."""
        return shown(of(self.runs, method=method), known("mib"), lambda x: f"{x:,.1f}")


COLUMNS: dict[str, Callable[[Row], str]] = {
    "hints": lambda row: share(row.hints),
    "mines": lambda row: share(row.mines),
    "order": lambda row: row.order,
    "width": lambda row: number(typical(row.runs, known("width"))),
    "dc states": lambda row: shown(of(row.runs, method="dc"), known("states")),
    "dead": Row.dead,
}


def orders_table(results: Results) -> str:
    """Return one row a setting and order, and the paper's seconds."""
    rows = []
    for (hints, mines), here in groups(results, "hints", "mines").items():
        rows += [Row(hints, mines, order, runs) for order, runs in groups(here, "order").items()]
        rows.append(Row(hints, mines, "paper"))
    cells = dict(COLUMNS)
    for method in METHODS:
        cells |= {
            f"{method} nodes": partial(Row.nodes, method=method),
            f"{method} [s]": partial(Row.seconds, method=method),
        }
        if any("mib" in r for r in of(results, method=method)):
            cells[f"{method} [MiB]"] = partial(Row.memory, method=method)
    return columns(rows, cells, "r")


def notes(results: Results) -> str:
    """Say in numbers what the order does."""
    ratios, stopped = [], 0
    for setting in SETTINGS:
        row, greedy = chosen(results, setting, "dc", "row"), chosen(results, setting, "dc", "greedy")
        before, after = typical(row, known("states")), typical(greedy, known("states"))
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
    if all(r["job"]["size"] == SIZE for r in results):
        lines += beside_the_paper(results)
    return "\n".join(textwrap.fill(line, 110) for line in lines)


def beside_the_paper(results: Results) -> list[str]:
    """Say what the paper's figures tell of its orders."""
    lines = []
    setting = (10, 30)
    ours = [(order, typical(chosen(results, setting, "dc", order), known("nodes"))) for order in ORDERS]
    if all(nodes for _, nodes in ours):
        lines.append(
            f"The paper does not give its orders.  At 10% hints and 30% mines its dc has {PAPER_NODES[setting]:,} "
            "nodes (table 2, labels swapped), ours "
            + ", ".join(f"{number(nodes)} ({order})" for order, nodes in ours)
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
    paper = [TABLE_1[*setting, "zdd"][0] / TABLE_1[*setting, "bdd"][0] for setting in SETTINGS]
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
    runs = [(TABLE_1[*setting, method][0], chosen(results, setting, method, order)) for setting in SETTINGS]
    ratios = [paper / ours for paper, here in runs if not is_bound(here) and (ours := typical(here, building))]
    return f"{min(ratios):.1f} to {max(ratios):.1f}" if ratios else "?"


def plot(figure: Any, results: Results, title: str) -> None:
    """Draw for each method what it does (states of dc, seconds of the others) and the nodes that it ends in."""
    axes = figure.subplots(2, 4, sharex=True)
    top: tuple[tuple[str, str, Value], ...] = (
        ("dc", "states (hollow: those that lead to a solution)", known("states")),
        *((method, "seconds", building) for method in METHODS[:3]),
    )
    for (above, below), (method, what, value) in zip(axes.T, top, strict=True):
        draw(above, results, method, value, bounds=True)
        draw(below, results, method, known("nodes"), bounds=False)
        finish(above, "y", legend=False, title=f"{method}: {what}")
        finish(below, "y", legend=False, title=f"{method}: nodes of the reduced diagram", xlabel="hints, mines")
        below.set_xticks(range(len(SETTINGS)), [f"{hints}%\n{mines}%" for hints, mines in SETTINGS])
    draw(axes[0, 0], results, "dc", alive, bounds=False, hollow=True)
    mark = {"marker": "_", "ls": "", "ms": 18, "mew": 2, "color": "black"}
    for ax, method in zip(axes[0, 1:3], METHODS, strict=False):
        ax.plot([TABLE_1[hints, mines, method][0] for hints, mines in SETTINGS], **mark)
    published = [(x, PAPER_NODES[setting]) for x, setting in enumerate(SETTINGS) if setting in PAPER_NODES]
    axes[1, 0].plot(*zip(*published, strict=True), label="the paper's mean, or board (30x30 inferred)", **mark)
    by_name = {line.get_label(): line for ax in axes.flat for line in ax.get_legend_handles_labels()[0]}
    figure.legend(by_name.values(), by_name, loc="outside lower center", ncols=5, title="triangles: stopped, at least")
    for alike in (axes[0, 1:], axes[1]):
        low, high = min(ax.get_ylim()[0] for ax in alike), max(ax.get_ylim()[1] for ax in alike)
        for ax in alike:
            ax.set_ylim(low, high)
    figure.suptitle(f"The order of the cells: {title}")


def draw(axes: Any, results: Results, method: str, value: Value, *, bounds: bool, hollow: bool = False) -> None:
    """Draw a value over the settings, one mark an order; with `bounds` also of stopped runs."""
    named = set()
    for (k, order), (x, setting) in product(enumerate(ORDERS), enumerate(SETTINGS)):
        runs = chosen(results, setting, method, order)
        y = typical(runs, value)
        if y is not None and (bounds or not is_bound(runs)):
            label = None if hollow or order in named else order
            named.add(order)
            colour = ORDER_COLOURS[order]
            look = {"ms": 7, "mec": colour, "mfc": "none" if hollow else colour, "label": label}
            axes.plot(x + 0.16 * (k - 1.5), y, "^" if is_bound(runs) else "o", **look)


if __name__ == "__main__":
    main.start()
