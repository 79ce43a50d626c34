"""How good the predictions of frontier-based search are: states predicted from a part of them, and all states.

`mines_dd.frontier.plan` makes the first states of a search and predicts the others; the search refuses by the same rule
what would need far too much memory.  Here the problems of `experiments.frontier` on grids, networks and random trees
are predicted in each order of the edges after 1,000, 10,000 and 100,000 states, then searched to the end.  A prediction
counts if there are at least 3 times as many states in all, and no more than `--most`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from statistics import median
from typing import Any

import networkx as nx

from experiments.frontier import NETWORKS, PROBLEMS, graph_of
from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, option, picture
from experiments.shared import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, columns, done, finish
from mines_dd.frontier import plan
from mines_dd.frontier.builder import first_widths

MADE = 1_000, 10_000, 100_000
"""About how many states are made before the others are predicted."""
FACTOR = 3
"""How many times as many there are in all, at least."""

SIDES = 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 40
ORDERS = {
    "auto": BLUE,
    "near": SKY,
    "elimination": GREEN,
    "breadth-first": PURPLE,
    "depth-first": VERMILION,
    "listed": ORANGE,
}
"""Their colours.  Grids are listed row by row."""


def graph_for(kind: str, name: str) -> nx.Graph:
    """Return a grid "m x n" or a network, as `experiments.frontier` has them, or a random tree "n, seed"."""
    if kind != "trees":
        return graph_of(name)
    vertices, seed = map(int, name.split(", "))
    tree = nx.random_labeled_tree(vertices, seed=seed)
    nx.set_node_attributes(tree, {0, 2}, "dc")
    return tree


def jobs(options: Options) -> list[Job]:
    """Return every graph."""
    names = {
        "grids": [f"{m} x {n}" for m, n in product(SIDES, SIDES) if m * n <= options.vertices],
        "networks": list(NETWORKS),
        "trees": [f"{n}, {seed}" for n, seed in product((50, 100, 200), range(options.trees))],
    }
    return [{"kind": kind, "graph": name, "most": options.most} for kind in names for name in names[kind]]


def run(job: Job) -> Result:
    """Predict and search every problem on a graph in every order."""
    graph = graph_for(job["kind"], job["graph"])
    found = []
    for (problem, spec_of), order in product(PROBLEMS.items(), ORDERS):
        spec = spec_of(graph, order)
        widths = first_widths(spec, job["most"])
        real = sum(widths)
        if len(widths) == len(spec.items) and real <= job["most"]:
            plans = ((made, plan(spec, made)) for made in MADE if real >= FACTOR * made)
            found += [[problem, order, made, plan.states, real] for made, plan in plans if plan is not None]
    return {"found": found}


Found = tuple[str, str, float, float]
"""The kind of graph, the order, the states in all, and how many times as many were predicted."""


def predictions(results: Results) -> Iterator[Found]:
    """Yield each prediction."""
    for result in done(results):
        for _, order, _, predicted, real in result["found"]:
            yield result["job"]["kind"], order, real, predicted / real


COLUMNS: dict[str, Callable[[tuple[str, str, list[float]]], Any]] = {
    "graphs": lambda row: row[0],
    "order": lambda row: row[1],
    "predictions": lambda row: f"{len(row[2]):,}",
    "within 2x": lambda row: f"{sum(1 / 2 <= ratio <= 2 for ratio in row[2]) / len(row[2]):.1%}",
    "least": lambda row: f"{min(row[2]):.2g}",
    "median": lambda row: f"{median(row[2]):.2g}",
    "most": lambda row: f"{max(row[2]):.2g}" if not 100 <= max(row[2]) < 1e6 else f"{max(row[2]):,.0f}",
}


@experiment(
    option("--vertices", 160, "Of a grid, at most."),
    option("--trees", 10, "Random trees of 50, 100 and 200 vertices each."),
    option("--most", 1_000_000, "States of a search, at most."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=300, memory=4, workers=2),
    minutes=2,
    quick="--vertices 30 --trees 1",
)
def main(results: Results, options: Options) -> Report:
    """A row a kind of graph and order, and a plot."""
    found = list(predictions(results))
    rows = []
    for kind in dict.fromkeys(kind for kind, *_ in found):
        for name in ("all", *ORDERS):
            ratios = [ratio for k, order, _, ratio in found if k == kind and name in ("all", order)]
            rows += [(kind, name, ratios)] if ratios else []
    yield f"States predicted, as a multiple of the real ones, up to {options.most:,}"
    yield columns(rows, COLUMNS, "llr")
    yield picture("predictions.png", (12, 4.5), lambda figure: plot(figure, found))


def plot(figure: Any, found: Sequence[Found]) -> None:
    """Draw each prediction over the real number of states, a panel for each kind of graph."""
    kinds = list(dict.fromkeys(kind for kind, *_ in found))
    panels = figure.subplots(1, max(1, len(kinds)), sharex=True, sharey=True, squeeze=False)[0]
    for axes, kind in zip(panels, kinds, strict=False):
        for name, colour in ORDERS.items():
            points = [(real, ratio) for k, order, real, ratio in found if k == kind and order == name]
            if points:
                axes.plot(*zip(*points, strict=True), "o", ms=3, alpha=0.5, color=colour, label=name)
        axes.axhspan(1 / 2, 2, color="black", alpha=0.08)
        finish(axes, "xy", legend=False, title=kind, xlabel="states in all")
    panels[0].set_ylabel("predicted / real (grey: within a factor of 2)")
    by_name = {mark.get_label(): mark for axes in panels for mark in axes.get_legend_handles_labels()[0]}
    figure.legend(by_name.values(), by_name, loc="outside lower center", ncols=6)


if __name__ == "__main__":
    main.start()
