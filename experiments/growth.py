"""Graphs 1 to 3 of the Qiita article's appendix with its axes, and its claim about time tested by fits.

決定図を用いたマインスイーパー攻略 (Minesweeper by decision diagrams), Qiita, 16 May 2024.  "With pruning, shared or
not, the time roughly draws a logarithm; with sharing alone, or neither, a straight line."  The horizontal axis is the
number of nodes, which the article does not define further: here it is that of the binary tree, as only that is the same
for all.  Its boards are lost; ours have as many edges.  All runs are compiled, as the article's program was; the least
of up to twenty times counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.ablation import ARTICLE_EDGES, VARIANTS, Run, boards_with_edges, chosen_graphs, measure
from experiments.harness import Options, Report, experiment, picture
from experiments.shared import seconds, table
from mines_dd.base.jit import all_compiled

EDGES = (3, 5, 8, 11, 13, 16)
"""The article's graphs."""
LARGER = (20, 70)
"""Graphs that only a pruned diagram has room for."""

BOTH, ONLY_SHARING, ONLY_PRUNING, NEITHER = "both", "sharing", "pruning", "neither"
GRAPHS = {
    "Graph 1: share of the binary tree's nodes": (BOTH, ONLY_SHARING, ONLY_PRUNING),
    "Graph 2: seconds without pruning": (NEITHER, ONLY_SHARING),
    "Graph 3: seconds with pruning": (BOTH, ONLY_PRUNING),
    "Not in the article: nodes with pruning": (BOTH, ONLY_PRUNING),
}


CONCLUSION = """\
Without pruning the claim holds: time is a straight line in the nodes of the binary tree, as most of them are made.
With pruning our six graphs are too small to tell by their seconds, as setting up takes longer than 6 to 73 nodes.
Their nodes do grow like a logarithm; but it does not go on: larger graphs have far more nodes than it says.
A node is a way to decide the edges so far that no hint rules out yet (see ablation): how many there are depends on the
hints, not on the size of the binary tree."""


class Fit(NamedTuple):
    """A curve through the times, least squares: its name, how much it explains, and what it says of other sizes."""

    name: str
    r_squared: float
    predict: Callable[[float], float]


def fits(trees: Sequence[float], times: Sequence[float]) -> list[Fit]:
    """Return the fits of a + b log N, a + b N and a N^b to the times of trees with N nodes.

    The shares explained are of the variance of the times, also for the power, which is fitted to their logarithms.

    Examples
    --------
    >>> [round(fit.r_squared, 3) for fit in fits([1, 10, 100, 1000], [0.1, 1.1, 2.1, 3.1])]
    [1.0, 0.679, 0.336]
    """
    n, t = np.array(trees, float), np.array(times, float)
    slope, start = np.polyfit(np.log(n), t, 1)
    rise, base = np.polyfit(n, t, 1)
    power, factor = np.polyfit(np.log(n), np.log(t), 1)
    curves: dict[str, Callable[[Any], Any]] = {
        "logarithm": lambda x: start + slope * np.log(x),
        "straight line": lambda x: base + rise * x,
        f"N^{power:.2f}": lambda x: np.exp(factor) * x**power,
    }
    spread = ((t - t.mean()) ** 2).sum()
    return [Fit(name, float(1 - ((t - curve(n)) ** 2).sum() / spread), curve) for name, curve in curves.items()]


def tree_nodes(edges: int) -> float:
    """Return the nodes of the binary tree over so many edges."""
    return 2.0**edges - 1


def measured() -> dict[str, list[Run]]:
    """Return the runs of each variant, by size; those that take too many nodes are left out."""
    graphs = list(chosen_graphs(boards_with_edges(ARTICLE_EDGES, 1)[0]).values())
    runs: dict[str, list[Run]] = {}
    with all_compiled():
        for variant in VARIANTS:
            if variant.title in (BOTH, ONLY_SHARING, ONLY_PRUNING, NEITHER):
                measure(graphs[0], variant, 200_000)  # loads the kernels
                wanted = EDGES + LARGER if variant.prune else EDGES
                found = [measure(g, variant, 200_000) for g in graphs if g.number_of_edges() in wanted]
                runs[variant.title] = [run for run in found if run.nodes is not None]
    return runs


def claim(runs: Mapping[str, Sequence[Run]]) -> str:
    """Return how well each curve fits seconds and nodes, and what the fits to the nodes say of larger graphs."""
    explained: list[list[Any]] = []
    beyond: list[list[Any]] = []
    for title, here in runs.items():
        small = [run for run in here if run.edges in EDGES]
        trees = [tree_nodes(run.edges) for run in small]
        for what, values in (
            ("seconds", [run.seconds for run in small]),
            ("nodes", [float(run.nodes or 0) for run in small]),
        ):
            curves = fits(trees, values)
            best = max(curves, key=lambda fit: fit.r_squared).name
            explained.append([title, what, *(f"{fit.r_squared:.3f}" for fit in curves), curves[2].name, best])
        for run in here:  # `curves` are those of the nodes
            if run.edges in LARGER:
                guesses = [f"{fit.predict(tree_nodes(run.edges)):,.0f}" for fit in curves]
                beyond.append([title, run.edges, f"{run.nodes:,}", guesses[0], guesses[2]])
    head = ["R² of", "", "logarithm", "straight line", "power", "which is", "best"]
    later = ["larger graphs", "edges", "nodes", "the logarithm says", "the power says"]
    return f"{table(explained, head, 'llrrrl')}\n\n{table(beyond, later, 'lr')}"


def draw(figure: Any, runs: Mapping[str, Sequence[Run]]) -> None:
    """Draw the three graphs with linear axes, as in the article, and with logarithmic ones below."""
    look = {variant.title: variant for variant in VARIANTS}
    panels = figure.subplots(2, len(GRAPHS))
    for row, scale in zip(panels, ("linear", "log"), strict=True):
        for axes, (title, shown) in zip(row, GRAPHS.items(), strict=True):
            for which in shown:
                small = [run for run in runs[which] if run.edges in EDGES]
                trees = [tree_nodes(run.edges) for run in small]
                nodes = [float(run.nodes or 0) for run in small]
                values = [run.seconds for run in small] if "seconds" in title else nodes
                if "share" in title:
                    values = [made / tree for made, tree in zip(nodes, trees, strict=True)]
                style = {"color": look[which].colour, "marker": look[which].marker}
                axes.plot(trees, values, label=which, **style)
            axes.set(xlabel="nodes of the binary tree", xscale=scale, yscale=scale)
            axes.set_title(title, fontsize=10)
            axes.legend(frameon=False, fontsize=8)


@experiment(minutes=0.5)
def main(options: Options) -> Report:
    """How well logarithms and straight lines fit, and the three graphs."""
    runs = measured()
    rows = [
        [edges, f"{tree_nodes(edges):,.0f}", *(cell(runs[title], edges) for title in runs)] for edges in EDGES + LARGER
    ]
    yield f"Nodes and seconds\n\n{table(rows, ['edges', 'binary tree', *runs], 'r')}"
    yield f"Logarithm or straight line?\n\n{claim(runs)}\n\n{CONCLUSION}"
    yield picture("graphs1_3.png", (18, 8), lambda figure: draw(figure, runs))


def cell(runs: Sequence[Run], edges: int) -> str:
    """Return the nodes and the seconds of the graph with so many edges."""
    return next((f"{run.nodes:,} in {seconds(run.seconds, 6)}" for run in runs if run.edges == edges), "")


if __name__ == "__main__":
    main.start()
