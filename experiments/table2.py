"""Table 2 of the paper: nodes, number of assignments and time to count, at 30% mines; two of its labels are swapped.

H. Suzuki, H. Sun, S. Minato, "Generating All Mine Assignments of Minesweeper Using BDD/ZDD", JSAI 2016, §5.  The
paper counts on one board for each of 10, 30 and 50% hints.  Here many boards are counted, so that each of its numbers
can be looked up in the distribution of what its label promises.  Counts and probabilities are timed on the diagrams
that are built: the paper says that both are linear in the nodes.

The size of the boards is inferred, 30x30; `--size` tries another.  At 24x24 no way to label the counts fits.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from statistics import mean, median, stdev
from typing import Any

import click
import networkx as nx

from experiments.boards import drawn, share
from experiments.clocks import clock
from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, option, picture
from experiments.paper import HINTS, SWAPPED, TABLE_2
from experiments.paper import TABLE_2_MINES as MINES
from experiments.shared import (
    BLUE,
    PERCENT_COLOURS,
    VERMILION,
    columns,
    crossed,
    curve,
    done,
    finish,
    number,
    of,
    power,
    same_counts,
    seconds,
    table,
    verdict,
)
from mines_dd import Assignments, Board, BudgetExceededError, mine_graph, solve
from mines_dd.board.board import Position

LARGE = 10_000  # nodes from which on a fixed cost shows little
BATCH = 100  # boards counted in one process
COUNTS = [(printed, count) for printed, (_, count, _) in TABLE_2.items()]

# The methods and cell orders whose nodes are counted; "component": component by component, row by row.
NODES = (("dc", "component"), ("dc", "greedy"), ("bdd", "greedy"), ("zdd", "greedy"))
QUESTIONS = {"count": Assignments.count, "probabilities": Assignments.approximate_probabilities}


def run(job: Job) -> Result:
    """Do the job, of either kind, after a first board: kernels compiled and libraries loaded."""
    for method in ("tree", "dc"):
        warm = solve(make(job, 0), method)  # type: ignore[arg-type]
        for question in QUESTIONS.values():
            question(warm)
    return count_many(job) if job["what"] == "counts" else build(job)


def make(job: Job, seed: int) -> Board:
    """The board of a seed."""
    return drawn(job | {"mines": MINES, "seed": seed})


def count_many(job: Job) -> Result:
    """Count a batch of boards by hint elimination."""
    boards = [make(job, seed) for seed in range(job["first"], job["first"] + job["boards"])]
    started = clock()
    log10 = [math.log10(solve(board, "tree").count()) for board in boards]
    return {"log10": log10, "seconds": clock() - started}


def build(job: Job) -> Result:
    """Build one board's diagrams, of the graph as it is, and count with each."""
    board = make(job, job["seed"])
    found: dict[str, Any] = {"log10": math.log10(solve(board, "tree").count())}
    for method, order in NODES:
        try:
            family = solve(
                board,
                method,  # type: ignore[arg-type]
                order=by_component(board) if order == "component" else order,
                simplify=False,
                max_nodes=job["max_nodes"],
                timeout=job["timeout"],
            )
        except BudgetExceededError:
            continue
        nodes = family.node_count  # the family is read out of its manager
        asked = {name: seconds_of(question, family) for name, question in QUESTIONS.items()}
        found[f"{method} {order}"] = {"nodes": nodes, **asked}
        found.setdefault("counts", []).append(str(family.count()))
    return found


def seconds_of(question: Callable[[Assignments], object], family: Assignments) -> float:
    """The median of three times to answer a question, each asked of a family that knows no answer yet."""
    times = []
    for _ in range(3):
        fresh = Assignments(family.circuit, family.method, family.node_count)
        started = clock()
        question(fresh)
        times.append(clock() - started)
    return median(times)


def by_component(board: Board) -> list[Position]:
    """Return the cells component by component, each row by row."""
    graph = mine_graph(board)
    components = sorted(nx.connected_components(graph), key=min)
    return [v for component in components for v in sorted(component) if graph.nodes[v]["bipartite"] == 0]


def jobs(options: Options) -> list[Job]:
    """Batches of boards to count, and boards to build, for each share of hints."""
    counts = [
        {"what": "counts", "boards": min(BATCH, options.boards - job["first"]), **job}
        for job in crossed(size=[options.size], hints=HINTS, first=range(0, options.boards, BATCH))
    ]
    limits = {"what": "nodes", "timeout": options.timeout, "max_nodes": options.max_nodes}
    boards = crossed(size=[options.size], hints=HINTS, seed=range(options.instances))
    return counts + [limits | job for job in boards]


@experiment(
    option("--size", 30, "Rows and columns; the paper does not give them."),
    option("--boards", 500, "Boards counted for each share of hints.", click.IntRange(2)),
    option("--instances", 10, "Boards whose nodes are counted, for each share."),
    option("--max-nodes", 40_000_000, "Nodes or states a diagram may make."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=20, memory=8, workers=2, times=4, more=60),
    minutes=2,
    quick="--size 20 --boards 100 --instances 2 --timeout 5",
)
def main(results: Results, options: Options) -> Report:
    """The published counts among ours, the six ways to label them, the nodes, and all that as a plot."""
    built = of(results, what="nodes")
    same_counts((str(r["job"]), "the methods", count) for r in built for count in r.get("counts", []))
    log10 = {h: [x for r in done(of(results, what="counts", hints=h)) for x in r["log10"]] for h in HINTS}
    if not all(log10.values()):
        raise SystemExit("the boards of a share of hints were not counted; allow more with --timeout or --memory")
    where = f"{options.size}x{options.size} (inferred), {MINES}% mines"
    yield f"Table 2 at {where}; {options.boards} boards a share of hints counted, {options.instances} built"
    yield from report(log10, built)
    yield picture("linear.png", (7, 5), lambda figure: plot_linear(figure, built))
    yield picture("table2.png", (13, 5), lambda figure: plot(figure, log10, built, where))


def report(log10: dict[int, list[float]], built: Results) -> list[str]:
    """Return all tables, each with what it says."""
    outside = {
        name: sum(not within(math.log10(count), log10[labels.get(printed, printed)]) for printed, count in COUNTS)
        for name, labels in (("printed", {}), ("swapped", SWAPPED))
    }
    fewest = min(map(len, log10.values()))
    fits = labellings(log10)
    possible = sum(fit > fits[0][0] - 5 for fit, _, _ in fits)
    edge_zdds = [f"{method} {order}" for method, order in NODES if method == "dc"]
    few = {r["job"]["hints"] for r in built for key in edge_zdds if key in r and r[key]["nodes"] <= TABLE_2[50][0]}
    return [
        counts_table(log10),
        "z: standard deviations from the mean of our boards with that share of hints.  A count agrees if it is\n"
        f"less than three of them away and in the range of the {fewest:,} boards drawn.  That of few boards is\n"
        "narrow: a count may be out of it by chance, under the right label too.  Out of reach of our boards are\n"
        f"{outside['printed']} of the 3 counts as they are labelled, {outside['swapped']} with the labels 10% and "
        "50% swapped.",
        labellings_table(fits),
        f"By the counts alone {possible} of 6 labellings come into question{likelier(fits)}.\n"
        "The text of §5 decides: it confirms the 30% of its row (686989 nodes, more than 50 digits), which leaves\n"
        "the swap.  As few nodes as the 1216 that are\n"
        f"labelled 50% have some of our boards with {' and '.join(f'{h}%' for h in sorted(few))} hints.",
        nodes_table(built),
        "Nodes depend on the order of the edges, which the paper does not give; component by component, row by\n"
        "row, is the nearest of ours (boards not done exceeded the limits).  zdd has the nodes of the ZDD over the\n"
        "cells, which are the same however it is built.",
        linear(built),
    ]


def within(value: float, sample: Sequence[float]) -> bool:
    """Whether a value is inside a sample's range, and within three standard deviations of its mean."""
    return min(sample) <= value <= max(sample) and abs(standardised(value, sample)) < 3


def counts_table(log10: dict[int, list[float]]) -> str:
    """Return each published count against our boards, with the label as printed and swapped."""
    cells: dict[str, Callable[[tuple[int, float, str, int]], Any]] = {
        "printed label": lambda one: share(one[0]),
        "log10(count)": lambda one: f"{one[1]:.2f}",
        "read": lambda one: one[2],
        "hints": lambda one: share(one[3]),
        "ours": lambda one: f"{mean(log10[one[3]]):.1f} ± {stdev(log10[one[3]]):.1f}",
        "range": lambda one: f"{min(log10[one[3]]):.1f} to {max(log10[one[3]]):.1f}",
        "ours below": lambda one: f"{mean(x <= one[1] for x in log10[one[3]]):.1%}",
        "z": lambda one: f"{standardised(one[1], log10[one[3]]):+.1f}",
        "agreement": lambda one: verdict(within(one[1], log10[one[3]])),
    }
    readings = [
        (printed, math.log10(count), read, hints)
        for printed, count in COUNTS
        for read, hints in (("as printed", printed), ("swapped", SWAPPED[printed]))
    ]
    return columns(readings, cells)


def labellings(log10: dict[int, list[float]]) -> list[tuple[float, tuple[int, ...], list[float]]]:
    """Return every way to label the three published counts: (log likelihood, labels, z of each), best first."""
    found = []
    for labels in itertools.permutations(HINTS):
        z = [standardised(math.log10(n), log10[hints]) for (_, n), hints in zip(COUNTS, labels, strict=True)]
        found.append((-sum(x * x for x in z) / 2, labels, z))
    return sorted(found, reverse=True)


def labellings_table(fits: Sequence[tuple[float, tuple[int, ...], list[float]]]) -> str:
    """Return how well each labelling fits, by normal distributions with our means and deviations."""
    rows = []
    for fit, labels, z in fits:
        name = "as printed" if labels == HINTS else "swapped" if labels == tuple(SWAPPED.values()) else ""
        rows.append([*(f"{h}%" for h in labels), *(f"{x:+.1f}" for x in z), f"{fit - fits[0][0]:.1f}", name])
    headers = [*(f"printed {h}% is" for h in HINTS), *(f"z of {h}%" for h in HINTS), "log likelihood - best", ""]
    return table(rows, headers)


def likelier(fits: Sequence[tuple[float, tuple[int, ...], list[float]]]) -> str:
    """Say whether another labelling is likelier than the swap."""
    best = fits[0][1]
    if best == tuple(SWAPPED.values()):
        return ", the swap the likeliest"
    pairs = ", ".join(f"{label}% for the printed {h}%" for label, h in zip(best, HINTS, strict=True))
    return f", the likeliest\nof them {pairs}"


def nodes_table(built: Results) -> str:
    """Return nodes and counting times of our diagrams beside the published ones with swapped labels."""
    rows = []
    for hints in HINTS:
        here = of(built, hints=hints)
        nodes, _, spent = TABLE_2[SWAPPED[hints]]
        rows.append([share(hints), "paper, swapped", "", "1", "", number(nodes), ""])
        rows[-1] += [seconds(spent), f"{1e9 * spent / nodes:.0f}", "", ""]
        for method, order in NODES:
            runs = [r[f"{method} {order}"] for r in here if f"{method} {order}" in r]
            sizes = sorted(x["nodes"] for x in runs)
            rows.append(["", method, order, f"{len(runs)} of {len(here)}"])
            if runs:
                middle = sizes[len(sizes) // 2] if 2 * len(sizes) > len(here) else None
                rows[-1] += map(number, (sizes[0], middle, sizes[-1]))
                for question in QUESTIONS:
                    total = sum(x[question] for x in runs)
                    rows[-1] += [seconds(total / len(runs)), f"{1e9 * total / max(sum(sizes), 1):.0f}"]
    headers = ["hints", "method", "order", "boards done", "nodes: least", "median", "most"]
    headers += ["count [s]", "ns a node", "probabilities [s]", "ns a node"]
    return table(rows, headers)


def points(built: Results, question: str) -> list[tuple[float, float]]:
    """The nodes of all diagrams, with the seconds to answer a question."""
    names = [f"{method} {order}" for method, order in NODES]
    return [(r[name]["nodes"], r[name][question]) for r in built for name in names if name in r]


def linear(built: Results) -> str:
    """Say how the seconds of each question grow with the nodes: as what power, by least squares on logarithms."""
    lines = []
    for question in QUESTIONS:
        large = [(n, s) for n, s in points(built, question) if n >= LARGE]
        if len({n for n, _ in large}) >= 3:
            said = f"{power(*zip(*large, strict=True)):.2f} ({len(large)} diagrams)"
            lines.append(f"{question}: nodes to the power {said}")
    if not lines:
        return f"There are too few diagrams of {LARGE:,} nodes or more to say how time grows with the nodes."
    return (
        f"The paper: both are linear in the nodes.  Over our diagrams of {LARGE:,} nodes or more the seconds grow as\n"
        + ";  ".join(lines)
        + ".\nThese diagrams differ in their layers too, and their counts in digits; probabilities are doubles."
    )


def plot_linear(figure: Any, built: Results) -> None:
    """Draw the seconds of both questions against the nodes, and a line of slope 1 through the largest of each."""
    ax = figure.subplots()
    for question, colour in zip(QUESTIONS, (BLUE, VERMILION), strict=True):
        found = [(n, s) for n, s in points(built, question) if n]
        curve(ax, found, ".", color=colour, label=question)
        if found:
            most, longest = max(found)
            line = [(n, longest * n / most) for n in (min(found)[0], most)]
            curve(ax, line, ":", color=colour, lw=0.8)
    published = [(nodes, spent) for nodes, _, spent in TABLE_2.values()]
    curve(ax, published, "*", color="black", ms=9, label="count, the paper's")
    finish(ax, "xy", xlabel="nodes", ylabel="seconds", title="Dotted: linear in the nodes")


def standardised(value: float, sample: Sequence[float]) -> float:
    """The distance of a value from a sample's mean, in standard deviations."""
    return (value - mean(sample)) / stdev(sample)


def plot(figure: Any, log10: dict[int, list[float]], built: Results, title: str) -> None:
    """Draw the distributions of the counts with the published values, and nodes against counts."""
    colours = PERCENT_COLOURS
    left, right = figure.subplots(1, 2)
    for hints in HINTS:
        left.hist(log10[hints], bins=30, density=True, color=colours[hints], alpha=0.5, label=f"{hints}% hints, ours")
    top = left.get_ylim()[1]
    for printed, (nodes, count, _) in TABLE_2.items():
        value = math.log10(count)
        left.axvline(value, color=colours[printed], lw=2, ls="--")
        left.text(value - 0.3, top, f"printed as {printed}%", rotation=90, ha="right", va="top", fontsize=9)
        right.plot(value, nodes, "*", ms=16, color=colours[printed], mec="black")
        right.annotate(f"printed as {printed}%", (value, nodes), (8, 8), textcoords="offset points", fontsize=8)
    finish(left, legend=False, xlabel="log10 of the number of assignments", ylabel="density", ylim=(0, top * 1.04))
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12), "fontsize": 8}  # beside no data, whatever they are
    left.legend(**below, ncols=3)
    for order, marker, name in (("component", "o", "by component"), ("greedy", "+", "greedy")):
        for hints in HINTS:
            points = [(r["log10"], r[f"dc {order}"]["nodes"]) for r in of(built, hints=hints) if f"dc {order}" in r]
            curve(right, points, marker, color=colours[hints], ms=6, alpha=0.7, label=f"{hints}% hints, {name}")
    finish(right, "y", legend=False, xlabel="log10 of the number of assignments")
    right.set_ylabel("nodes of the ZDD over the edges")
    right.margins(0.28, 0.1)  # room for a label beside the last star
    right.legend(**below, ncols=2, title="ours, by order of the edges")
    figure.suptitle(f"Table 2 (dashed lines, stars) among our boards of {title}")


if __name__ == "__main__":
    main.start()
