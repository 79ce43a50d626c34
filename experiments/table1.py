"""Table 1 of the paper: seconds of the three methods against mine and hint ratios, row by row and in our order.

H. Suzuki, H. Sun, S. Minato, "Generating All Mine Assignments of Minesweeper Using BDD/ZDD", JSAI 2016, §5.  The
paper does not say how large its boards are; 30x30 fits what it reports, with hints a share of the safe cells
(inferred).  Nor does it say in which order its methods decide; row by row is the plainest.  "zdd" is its §4.2 to the
letter, "zdd-span" the same with shorter chains of don't-care nodes.  Nor does it say in which order hints are
conjoined: ours takes the one whose first cell is deepest first, "bdd-given" and the like take them as the board gives
them, row by row.  "tree" is ours; it follows no order of cells, and stands with our order.  The paper says that boards
late in a game give the same picture: `--late` adds boards with hints on 90% of the safe cells, and boards opened by
clicks with the usual cascade.

What is timed is building in a given order, as the paper does; finding an order, reading the result out of the package,
counting and compiling kernels have columns of their own.

`python -m experiments.table1` ends within two minutes; `--late --instances 10 --timeout 10 --workers 1` is the
full table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from statistics import mean, median
from typing import Any, NamedTuple

from experiments.boards import CASCADE, closed_board, drawn, share
from experiments.clocks import clock
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
from experiments.hint_nodes import hint_nodes
from experiments.memory import MIB, forked, grown
from experiments.paper import MINES, SETTINGS, TABLE_1
from experiments.shared import (
    METHOD_COLOURS,
    columns,
    crossed,
    done,
    finish,
    groups,
    number,
    of,
    same_counts,
    seconds,
    table,
)
from mines_dd import Board, BudgetExceededError, solve
from mines_dd.answers.solver import CONJOINING
from mines_dd.base.jit import compile_seconds
from mines_dd.base.wording import counted

METHODS = ("bdd", "zdd", "zdd-span", "dc")
GIVEN = {f"{method}-given": method for method in CONJOINING}
COLOURS = METHOD_COLOURS | {variant: METHOD_COLOURS[method] for variant, method in GIVEN.items()}
ORDERS = ("row", "auto", "column", "greedy", "tree")
LATE: list[tuple[Any, int]] = [(hints, mines) for hints in (90, CASCADE) for mines in MINES]
OPEN_LATE = 0.9  # of the safe cells, on boards opened by clicks
RUNS = 3
STAGES = ("order", "build", "export", "count")
_COUNTED = 10**12  # a limit that no run reaches, so that nodes alive are counted


def jobs(options: Options) -> list[Job]:
    """The boards of every setting, in every order; a job builds its board with all methods, in turns."""
    fixed = {"size": options.size, "timeout": options.timeout}
    return [
        {**fixed, "mines": mines, "hints": hints, "methods": methods_in(job["order"], options), **job}
        for hints, mines in SETTINGS + (LATE if options.late else [])
        for job in crossed(seed=range(options.instances), order=options.orders)
    ]


def methods_in(order: str, options: Options) -> list[str]:
    """Return the methods that an order of cells is for: "tree" follows none, and stands with our order, or the last."""
    home = "auto" if "auto" in options.orders else options.orders[-1]
    return [method for method in options.methods if method != "tree" or order == home]


def way(method: str, order: str) -> dict[str, Any]:
    """Return what to pass to `solve`.

    Examples
    --------
    >>> way("zdd-given", "row")
    {'method': 'zdd', 'order': 'row', 'simplify': False, 'conjoin': 'given'}
    >>> way("tree", "row")
    {'method': 'tree', 'order': 'auto', 'simplify': False}
    """
    if method in GIVEN:
        return {"method": GIVEN[method], "order": order, "simplify": False, "conjoin": "given"}
    return {"method": method, "order": "auto" if method == "tree" else order, "simplify": False}


def make(job: Job) -> Board:
    """The board of a job: hints drawn one by one, or opened by clicks until most safe cells are open."""
    if job["hints"] != CASCADE:
        return drawn(job)
    board, safe, rng = closed_board(job)
    rng.shuffle(safe)
    for cell in safe:
        if len(board.hints()) >= OPEN_LATE * len(safe):
            break
        board = board.open(*cell)
    return board


def run(job: Job) -> Result:
    """Build one board with every method up to three times, in turns, and count; the first turn warms up elsewhere.

    A run that exceeds the limit is not made again, nor one whose runs so far have taken as long as the limit.
    """
    size, methods = job["size"], job["methods"]
    compiling = {}
    for method in methods:
        before = compile_seconds()
        solve(Board.random(size, size, 0.1, 0.1, 0), **way(method, "auto")).count()
        compiling[method] = compile_seconds() - before
    board = make(job)
    times: dict[str, dict[str, list[float]]] = {method: {stage: [] for stage in STAGES} for method in methods}
    found: dict[str, Any] = {"nodes": {}, "peak": {}, "mib": {}, "states": {}, "count": {}, "stopped": {}}
    for method in list(methods) * RUNS:
        if method not in found["stopped"] and sum(times[method]["build"]) < job["timeout"]:
            build(board, job, method, times[method], found)
    for method in methods:
        if method not in found["stopped"]:
            found["peak"][method], found["mib"][method] = once_more(board, job, method)
        found["peak"][method] = found["states"].get(method, found["peak"].get(method))
    taken = {
        method: {"compile": compiling[method], **{stage: median(x) for stage, x in times[method].items() if x}}
        for method in methods
    }
    return {"seconds": taken, "hint_nodes": hint_nodes(board, job["order"]), **found}


def build(board: Board, job: Job, method: Any, times: dict[str, list[float]], found: dict[str, Any]) -> None:
    """Build and count once, and note the seconds of the stages and what came out."""
    try:
        family = solve(board, **way(method, job["order"]), timeout=job["timeout"])
    except BudgetExceededError as error:
        found["stopped"][method] = str(error)
        return
    nodes = family.node_count  # the family leaves its manager
    started = clock()
    count = family.count()
    counting = clock() - started
    for stage in STAGES:
        times[stage].append(counting if stage == "count" else family.details[stage])
    found["nodes"][method], found["count"][method] = nodes, str(count)
    if "states" in family.details:
        found["states"][method] = family.details["states"]


def once_more(board: Board, job: Job, method: str) -> tuple[int | None, float | None]:
    """Return the most nodes alive at once (of "tree" the largest table), and the MiB that building took at most.

    The run is one of its own, untimed, in a process that has built the board before: kernels and packages are in memory
    and not counted, nor is what earlier runs gave back.
    """

    def peak() -> Any:
        try:
            how = way(method, job["order"]) | {"timeout": 2 * job["timeout"]}
            if how["method"] in CONJOINING:
                how["max_nodes"] = _COUNTED
            return [solve(board, **how).details.get("peak")]
        except BudgetExceededError:
            return None

    nodes, most = forked(lambda: grown(peak)) or (None, 0)
    return (nodes[0], most / MIB) if nodes else (None, None)


@experiment(
    option("--size", 30, "Rows and columns."),
    option("--instances", 1, "Boards for each setting."),
    option(
        "--methods", ",".join(METHODS), f"Names, with commas between; also tree, {', '.join(GIVEN)}.", names_of(COLOURS)
    ),
    option("--orders", "row,auto", f"The same, of {', '.join(ORDERS)}; auto is ours.", names_of(ORDERS)),
    option("--late/--no-late", False, "Whether to build boards late in a game too."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=2, memory=8, workers=2, times=60, more=60),
    minutes=2,
    quick="--size 10",
)
def main(results: Results, options: Options) -> Report:
    """The table in the paper's layout, what makes a ZDD slow, and the same as a plot."""
    results, failed = without_failed(results)
    results = by_method(results)
    same_boards(results)
    boards = f"{options.size}x{options.size}, {counted(options.instances, 'board')} a setting"
    yield (
        f"Table 1 at {boards}: seconds to build in a given order, limit {options.timeout:g} s; * fastest of its order\n"
        "paper: its ten boards a setting, by C++ on a Core i7-3930K; their size is not given, 30x30 is inferred"
    )
    yield seconds_table(results, options) + failed
    yield NOTES
    yield hints_table(results, options)
    yield picture("table1.png", (14, 6), lambda figure: plot(figure, results, options, boards))


NOTES = """\
median: over all boards; one that was stopped counts as longer than all others, and > is the limit.  common: over the
boards that all methods solved in this order.  PAR-2: the mean, a stopped run counted as twice the limit.  A cell with
stopped runs has no star.  order, export, count, compile [s]: to find the order, to read the result out as a circuit,
to count, to prepare kernels before.  nodes: of the reduced diagram (dc decides edges, the others cells), of
tree's circuit.  peak: the most nodes counted; of dc its states, of tree the largest table.  MiB: the most memory
that building took.  All are medians over the boards solved.  -given: hints conjoined as the board gives them, row by
row; otherwise the one whose first cell is deepest first.  tree follows no order of cells and is ours."""


def by_method(results: Results) -> list[Result]:
    """Return a result for every method of every job."""
    found = []
    for r in results:
        for method in r["job"]["methods"]:
            one: Result = {"job": r["job"] | {"method": method}, "status": r["status"]}
            if r["status"] == "done":
                one |= {key: r.get(key, {}).get(method) for key in ("seconds", "nodes", "peak", "mib", "count")}
                one["hint_nodes"] = r["hint_nodes"]
                if method in r["stopped"]:
                    one["status"] = "budget"
            found.append(one)
    return found


def same_boards(results: Results) -> None:
    """Require that all methods and orders count the same on the same board."""
    same_counts((board_name(r["job"]), r["job"]["method"], r["count"]) for r in done(results))


def board_name(job: Job) -> str:
    """Return which board a job builds."""
    return f"seed {job['seed']} at {share(job['hints'])} hints and {job['mines']}% mines"


def building(run: Result) -> float:
    """The seconds to build; infinite if the run was stopped."""
    return float(run["seconds"]["build"]) if run["status"] == "done" else inf


def par2(runs: Results) -> float:
    """The mean of the seconds, a stopped run counted as twice its limit.

    Examples
    --------
    >>> job = {"timeout": 10}
    >>> par2([{"job": job, "status": "done", "seconds": {"build": 1.0}}, {"job": job, "status": "budget"}])
    10.5
    """
    return mean(min(building(r), 2 * float(r["job"]["timeout"])) for r in runs)


class Row(NamedTuple):
    """A method in an order and setting: its runs, those on boards that all methods solved, and if it is the fastest."""

    hints: Any
    mines: int
    order: str
    method: str
    runs: Results
    common: Results
    fastest: bool

    def middle(self, value: Callable[[Result], float | None], show: Callable[[float], str] = seconds) -> str:
        """The median over the boards solved where the value is known."""
        known = [x for r in done(self.runs) if (x := value(r)) is not None]
        return show(median(known)) if known else ""

    def time(self) -> str:
        """The median over all boards."""
        middle = median(map(building, self.runs))
        limit = f">{self.runs[0]['job']['timeout']:g}"
        return (limit if middle == inf else seconds(middle)) + " *" * self.fastest

    def paper(self, which: int) -> str:
        """The paper's mean, least or most."""
        published = TABLE_1.get((self.hints, self.mines, self.method))
        return seconds(published[which]) if published else ""


def stage(name: str) -> Callable[[Row], str]:
    """The seconds of a stage."""
    return lambda row: row.middle(lambda r: float(r["seconds"][name]))


COLUMNS: dict[str, Callable[[Row], str]] = {
    "hints": lambda row: share(row.hints),
    "mines": lambda row: share(row.mines),
    "order": lambda row: row.order,
    "method": lambda row: row.method,
    "solved": lambda row: f"{len(done(row.runs))}/{len(row.runs)}",
    "median": Row.time,
    "common": lambda row: seconds(median(map(building, row.common))) if row.common else "",
    "PAR-2": lambda row: seconds(par2(row.runs)),
    **{f"{name} [s]": stage(name) for name in ("order", "export", "count", "compile")},
    "nodes": lambda row: row.middle(lambda r: r["nodes"], number),
    "peak": lambda row: row.middle(lambda r: r["peak"], number),
    "MiB": lambda row: row.middle(lambda r: r["mib"], lambda mib: f"{mib:,.1f}"),
    "paper": lambda row: row.paper(0),
    "min": lambda row: row.paper(1),
    "max": lambda row: row.paper(2),
}


def seconds_table(results: Results, options: Options) -> str:
    """Return the table in the paper's layout, with the stages, nodes and peak nodes beside."""
    rows = []
    for (hints, mines, order), here in groups(results, "hints", "mines", "order").items():
        named = {m: runs for m in options.methods if (runs := of(here, method=m))}
        common = set.intersection(*({r["job"]["seed"] for r in done(runs)} for runs in named.values()))
        whole = [median(map(building, runs)) for runs in named.values() if len(done(runs)) == len(runs)]
        for method, runs in named.items():
            fastest = len(done(runs)) == len(runs) and median(map(building, runs)) == min(whole)
            shared = [r for r in runs if r["job"]["seed"] in common]
            rows.append(Row(hints, mines, order, method, runs, shared, fastest))
    return columns(rows, COLUMNS, "r")


def hints_table(results: Results, options: Options) -> str:
    """Return what the paper gives as the reason that zdd is slow: the nodes of one hint as a BDD and as a ZDD."""
    rows = []
    for (hints, mines), here in groups(results, "hints", "mines").items():
        row = [share(hints), share(mines)]
        for order in options.orders:
            found = [r["hint_nodes"] for r in of(here, order=order) if "hint_nodes" in r]
            row += [f"{mean(x[kind] for x in found):.1f}" if found else "" for kind in ("F", "S")]
        rows.append(row)
    headers = ["hints", "mines", *(f"{kind}, {order}" for order in options.orders for kind in ("F", "S"))]
    title = "Nodes of one hint, the mean over the hints: F(m, A, c) as a BDD, S(m, A, c) as a ZDD"
    return f"{title}\n\n{table(rows, headers, 'r')}"


def plot(figure: Any, results: Results, options: Options, title: str) -> None:
    """Draw the seconds on a logarithmic axis, a panel an order: a point the median, a line from least to most.

    Triangles stand at the limit for runs that were stopped; dashes are the paper's means, their lines its ranges.
    Hollow squares are methods that take the hints as given.
    """
    settings = list(groups(results, "hints", "mines"))
    shown: set[str] = set()
    panels = figure.subplots(1, len(options.orders), sharey=True, squeeze=False)[0]
    for ax, order in zip(panels, options.orders, strict=True):
        for k, method in enumerate(options.methods):
            for x, (hints, mines) in enumerate(settings):
                at = x + 0.14 * (k - (len(options.methods) - 1) / 2)
                runs = of(results, hints=hints, mines=mines, order=order, method=method)
                label = None if method in shown or not runs else method
                shown |= {method} if runs else set()
                mark(ax, at, [building(r) for r in runs], options.timeout, method, label)
                if (hints, mines, method) in TABLE_1:
                    middle, least, most = TABLE_1[hints, mines, method]
                    ax.plot([at + 0.05] * 2, [least, most], color=COLOURS[method], lw=0.8, alpha=0.7)
                    ax.plot(at + 0.05, middle, "_", color=COLOURS[method], ms=7, mew=1.5)
        ax.axhline(options.timeout, color="black", lw=0.6, ls=":")
        named = {"auto": "our order (auto)", "row": "row by row"}.get(order, order)
        finish(ax, "y", legend=False, title=named, xlabel="hints (cascade: opened by clicks), mines")
        ax.set_xticks(range(len(settings)), [f"{share(hints)}\n{mines}%" for hints, mines in settings], fontsize=6)
    panels[0].set_ylabel("seconds to build")
    panels[0].plot([], [], "^", color="black", mfc="none", label="stopped at the limit")
    panels[0].plot([], [], "_", color="black", ms=7, mew=1.5, label="the paper's mean and range (30x30 inferred)")
    figure.legend(loc="outside lower center", ncols=min(len(options.methods) + 2, 7), fontsize=8)
    figure.suptitle(f"All mine assignments: {title}")


def mark(ax: Any, at: float, times: Sequence[float], limit: float, method: str, label: str | None) -> None:
    """Draw one method's boards in one setting."""
    if not times:
        return
    colour = COLOURS[method]
    form: dict[str, Any] = {"marker": "s", "mfc": "white"} if method in GIVEN else {"marker": "o"}
    solved = [time for time in times if time < inf]
    ax.plot([], [], ls="", color=colour, label=label, **form)
    if len(solved) < len(times):
        ax.plot(at, limit, "^", color=colour, ms=6, mfc="none")
    if solved:
        ax.plot([at] * 2, [min(solved), max(solved)], color=colour, lw=1.5)
        ax.plot(at, median(solved), color=colour, ms=5, **form)


if __name__ == "__main__":
    main.start()
