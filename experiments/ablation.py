"""Sharing and pruning switched on and off: the appendix of the Qiita article, and an answer to its open question.

決定図を用いたマインスイーパー攻略 (Minesweeper by decision diagrams), Qiita, 16 May 2024, compares nodes and seconds on
graphs of 3, 5, 8, 11, 13 and 16 edges, and asks why sharing does nothing once pruning is on.  Its graphs are lost; ours
have as many edges.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
import networkx as nx
import numpy as np

from experiments.clocks import clock
from experiments.harness import Options, Report, experiment, option, picture
from experiments.shared import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    SKY,
    VERMILION,
    finish,
    power,
    seconds,
    table,
)
from experiments.topdown import stand_in
from mines_dd import Board, mine_graph
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError
from mines_dd.base.jit import all_compiled
from mines_dd.frontier import AllDegrees, DegreeConstrained, Spec, build

SMALL = (
    "#1\n##",
    "1##\n12#",
    "##\n22\n##",
    "#2#\n##1\n#2#",
    "1##3#\n2###2\n###21",
    "####\n#22#\n#22#\n####",
)

ARTICLE_NODES = 260  # of a board with 46 edges
ARTICLE_EDGES = 46


@dataclass(frozen=True)
class Variant:
    """A way to build: the names and colours of what is switched on."""

    title: str
    share: bool
    prune: bool
    frontier: bool
    colour: str
    marker: str


VARIANTS = (
    Variant("neither", False, False, False, GREY, "o"),
    Variant("sharing", True, False, False, ORANGE, "s"),
    Variant("sharing, frontier", True, False, True, VERMILION, "D"),
    Variant("pruning", False, True, False, SKY, "o"),
    Variant("both", True, True, False, BLUE, "x"),
    Variant("both, frontier", True, True, True, GREEN, "^"),
)


@dataclass(frozen=True)
class Run:
    """Nodes and seconds of a variant on a graph; None where there would be too many nodes."""

    edges: int
    nodes: int | None
    seconds: float


# Graphs


def chosen_graphs(board_46: Board) -> dict[str, nx.Graph]:
    """Return the graphs to compare on, by name, the smallest first: small boards, the stand-in, larger boards."""
    boards = [*map(Board.parse, SMALL), board_46]
    boards += [Board.random(8, 8, 0.2, 0.3, seed=1), Board.random(10, 10, 0.2, 0.3, seed=1)]
    graphs = [mine_graph(board) for board in boards]
    names = [f"board {rows} x {cols}" for rows, cols in (board.size for board in boards)]
    together = [*zip(names, graphs, strict=True), ("stand-in", stand_in())]
    together.sort(key=lambda pair: pair[1].number_of_edges())
    return {f"{name}, {graph.number_of_edges()} edges": graph for name, graph in together}


def boards_with_edges(edges: int, count: int) -> list[Board]:
    """Return boards of 9 x 9 cells and 10 mines, opened by one to four clicks, whose mine graphs have so many edges."""
    found: list[Board] = []
    seed = 0
    while len(found) < count:
        rng = random.Random(seed)
        board = Board.random(9, 9, 10, 0, seed)
        assert board.layout is not None
        safe = sorted(set(board.closed()) - board.layout)
        board = board.open_all(rng.sample(safe, rng.randint(1, 4)))
        if mine_graph(board).number_of_edges() == edges:
            found.append(board)
        seed += 1
    return found


# Nodes and seconds


def measure(graph: nx.Graph, variant: Variant, max_nodes: int) -> Run:
    """Build once and count, then again for the time if that was quick."""
    edges = graph.number_of_edges()
    if not variant.share and not variant.prune and 2**edges - 1 > max_nodes:
        return Run(edges, None, 0.0)  # the whole binary tree
    problem = degrees(graph, variant.frontier)
    times: list[float] = []
    while not times or (sum(times) < 0.1 and len(times) < 20):
        started = clock()
        try:
            diagram = build(problem, share=variant.share, prune=variant.prune, budget=Budget(max_nodes))
        except BudgetExceededError:
            return Run(edges, None, 0.0)
        times.append(clock() - started)
    return Run(edges, diagram.node_count, min(times))


def degrees(graph: nx.Graph, frontier: bool) -> Spec:
    """Return the spec whose state is the degrees on the frontier, or all degrees."""
    return DegreeConstrained(graph) if frontier else AllDegrees(graph)


def nodes_with_pruning(graph: nx.Graph, frontier: bool, max_nodes: int) -> int | None:
    """Return the nodes of a diagram with sharing and pruning."""
    try:
        return build(degrees(graph, frontier), Budget(max_nodes)).node_count
    except BudgetExceededError:
        return None


def nodes_table(graphs: Mapping[str, nx.Graph], runs: Mapping[tuple[str, str], Run], max_nodes: int) -> str:
    """Return the nodes of each graph in each variant, and whether sharing changes anything."""
    rows = []
    for title, graph in graphs.items():
        nodes = {variant.title: runs[title, variant.title].nodes for variant in VARIANTS}
        rows.append(
            [
                title,
                f"{2 ** graph.number_of_edges() - 1:.3g}",
                *(f"> {max_nodes:,}" if n is None else f"{n:,}" for n in nodes.values()),
                same(nodes["neither"], nodes["sharing"]),
                same(nodes["pruning"], nodes["both"]),
            ]
        )
    headers = ["graph", "binary tree", *(variant.title for variant in VARIANTS)]
    headers += ["sharing alone helps", "sharing helps pruning"]
    return table(rows, headers, "r")


def same(without: int | None, with_it: int | None) -> str:
    """Say whether sharing makes fewer nodes."""
    return "?" if without is None or with_it is None else "no" if without == with_it else "yes"


def seconds_table(graphs: Mapping[str, nx.Graph], runs: Mapping[tuple[str, str], Run]) -> str:
    """Return the seconds of each graph in each variant."""
    here = {title: [runs[title, v.title] for v in VARIANTS] for title in graphs}
    rows = [
        [title, *("" if r.nodes is None else seconds(r.seconds, 6) for r in found)] for title, found in here.items()
    ]
    return table(rows, ["graph", *(v.title for v in VARIANTS)], "r")


def growth(graphs: Mapping[str, nx.Graph], runs: Mapping[tuple[str, str], Run]) -> str:
    """Return what becomes of the article's two remarks on shares of nodes and on time per node."""
    rows = []
    for title, graph in graphs.items():
        tree = 2 ** graph.number_of_edges() - 1
        counts = (runs[title, which].nodes for which in ("sharing", "both", "both, frontier"))
        rows.append([title, *("" if n is None else f"{n / tree:.2g}" for n in counts)])
    shares = table(rows, ["nodes / binary tree", "sharing", "both", "both, frontier"], "r")
    done = [(run.nodes, run.seconds) for run in runs.values() if run.nodes is not None and run.nodes >= 1000]
    slope = power(*zip(*done, strict=True))
    return (
        f"{shares}\n\n"
        '"The share of deleted nodes is almost constant from 10,000 on": with pruning it tends to 1, and a plot on a\n'
        "linear scale shows no more of it; with sharing alone it depends on the cycles of the graph.\n"
        f'"Time is proportional to nodes": time ~ nodes^{slope:.2f} (least squares, {len(done)} runs of 1,000 nodes\n'
        "or more; below that a fixed cost counts for more than the nodes)."
    )


# The open question


def layers(graph: nx.Graph) -> str:
    """Return the nodes of each layer with pruning and without sharing, and how many different φ they have.

    The question.  Why are there no fewer nodes with sharing, once pruning is on?

    Setting.  A Minesweeper graph: every edge joins a closed cell b with dc(b) = {0, deg(b)} to a hint, whose dc may be
    anything.  The edges e_1, ..., e_m come in any order.  A node of layer i, without sharing, is a set S of edges among
    e_1, ..., e_i such that no arc on the way to it was F-pruned.  φ(S) is the degree in S of *every* vertex; t(v) is
    how many of e_1, ..., e_i end in v.

    Lemma.  In a node S of layer i a closed cell has none or all of its decided edges: φ(S)_b is 0 or t(b).

    Proof.  Nothing is to be shown if t(b) = 0.  Else let e_j be the last decided edge of b.  The arc that decided it
    was not pruned and b is one of its ends, so 0 or deg(b) lies in [φ_b, φ_b + deg(b) - t(b)]; neither bound has
    changed since, as no edge of b was decided after e_j.  If 0 does, φ_b = 0.  If deg(b) does, φ_b >= t(b); and a
    degree is at most the number of decided edges.  ∎

    Proposition 1.  Two nodes of one layer never have equal φ.  So sharing joins nothing, whatever the order of edges.

    Proof.  By the lemma, and as t(b) >= 1 makes 0 and t(b) different, φ(S)_b tells which decided edges of b are in S.
    The graph is bipartite: every edge has one closed end.  So the cells' part of φ(S) determines S.  ∎

    What it needs, and `premises` takes away in turn: (a) every edge has a closed end; (b) dc(b) = {0, deg(b)}; (c) both
    ends are tested after every edge, not only once a vertex has its last; (d) φ keeps the cells that are finished.

    Proposition 2.  Without pruning, the nodes of layer i all have different φ if and only if e_1, ..., e_i contain no
    cycle.  So sharing alone begins after the edge that closes the first one, two cells with two hints in common at the
    soonest, and does nothing on a forest.

    Proof.  In a forest some vertex has one edge; its degree tells whether that edge is in S; take the edge away and go
    on.  A cycle in a bipartite graph is even; its two halves of alternate edges give every vertex the same degree.  ∎

    Proposition 3.  If a degree is tested only at the vertex's last edge, Proposition 1 still holds in every layer in
    which the decided edges of the unfinished cells contain no cycle.  Here the order matters: one cell at most is
    unfinished if the edges come cell by cell, but many may be if they come hint by hint.

    Proof.  A finished cell has degree 0 or deg(b), which tells its edges.  Take them and what they add to the hints
    away; the rest is a forest, and Proposition 2's argument tells its edges.  ∎

    Proposition 4.  If φ keeps the frontier only (vertices with edges both decided and to come), two nodes of a layer
    become one if and only if they agree on the cells of the frontier and their finished cells put the same number of
    mines around each of its hints.  So there is nothing to share before a cell is finished: that is soon if the edges
    come cell by cell, late if they come hint by hint or in no order.

    Proof.  Equal frontier degrees: of the cells by the lemma the same decided edges; of a hint the same sum of the
    edges from the frontier's cells, which are the same, and from finished cells, one for each mine among them.  ∎
    """
    problem = AllDegrees(graph)
    tree = build(problem, share=False)
    frontier = build(DegreeConstrained(graph))
    cells = [i for i, (_, side) in enumerate(graph.nodes(data="bipartite")) if side == 0]
    rows: list[list[Any]] = []
    for (u, v), here, kept in zip(graph.edges, tree.states(), frontier.layer_sizes, strict=True):
        of_cells = {tuple(problem.show(phi, 0)[i] for i in cells) for phi in here}
        rows.append([f"{u} - {v}", len(here), len(set(here)), len(of_cells), kept])
    rows.append(["all", *(sum(row[i] for row in rows) for i in range(1, 5))])
    return table(rows, ["edge", "nodes", "different φ", "the cells' part alone", "frontier of φ"], "lr")


def premises() -> str:
    """Return nodes without and with sharing, pruned, when one premise of proposition 1 is taken away (see `layers`)."""
    graph = stand_in()
    by_cell, by_hint = list(graph.edges), hint_by_hint(graph)
    any_degree = graph.copy()
    for vertex, side in graph.nodes(data="bipartite"):
        if side == 0:
            any_degree.nodes[vertex]["dc"] = frozenset(range(graph.degree(vertex) + 1))
    kings = nx.strong_product(nx.path_graph(3), nx.path_graph(3))
    nx.set_node_attributes(kings, frozenset({2}), "dc")
    cases = {
        "all premises: the stand-in": AllDegrees(graph),
        "without (a): cycles through the 9 squares of a board, king's moves": AllDegrees(kings),
        "without (b): cells may have any degree": AllDegrees(any_degree),
        "without (c): tests at a vertex's last edge, cell by cell": AllDegrees(graph, by_cell, "last edge"),
        "without (c): tests at a vertex's last edge, hint by hint": AllDegrees(graph, by_hint, "last edge"),
        "without (d): φ is the frontier's": DegreeConstrained(graph),
    }
    rows = []
    for title, problem in cases.items():
        without, with_it = (build(problem, share=share).node_count for share in (False, True))
        rows.append([title, f"{without:,}", f"{with_it:,}", same(without, with_it)])
    return table(rows, ["premises", "not shared", "shared", "sharing helps"])


def hint_by_hint(graph: nx.Graph) -> list[Any]:
    """Return the edges of a mine graph, (cell, hint), sorted by their hints."""
    return sorted(graph.edges, key=lambda edge: edge[1])


def orders(*graphs: nx.Graph) -> str:
    """Return nodes in different orders of edges: with pruning, both, and both with the frontier."""
    rows = []
    for graph in graphs:
        by_cell = list(graph.edges)
        shuffled = random.Random(0).sample(by_cell, len(by_cell))
        for title, order in (("cell by cell", by_cell), ("hint by hint", hint_by_hint(graph)), ("shuffled", shuffled)):
            problem = AllDegrees(graph, order)
            pruned, both = (build(problem, share=share).node_count for share in (False, True))
            kept = build(DegreeConstrained(graph, order)).node_count
            rows.append([f"{len(by_cell)} edges, {title}", *(f"{n:,}" for n in (pruned, both, kept))])
    return table(rows, ["order", "pruning", "both", "both, frontier"], "lr")


# The claim about 46 edges


def claim(sizes: Mapping[bool, Sequence[int | None]], board: Board, max_nodes: int) -> str:
    """Return how the article's 260 nodes lie among boards of our own with as many edges."""
    rows = []
    for frontier, counts in sizes.items():
        numbers = np.array([np.inf if n is None else n for n in counts])
        quantiles = np.quantile(numbers, (0, 0.25, 0.5, 0.75, 0.9, 1), method="lower")
        cells = [f"{q:,.0f}" if np.isfinite(q) else f"> {max_nodes:,}" for q in quantiles]
        rows.append(["both, frontier" if frontier else "both", *cells, f"{np.mean(numbers <= ARTICLE_NODES):.0%}"])
    headers = ["nodes", "least", "25%", "median", "75%", "90%", "most", f"boards of up to {ARTICLE_NODES}"]
    first = sizes[False][0]
    return (
        f"The article: {ARTICLE_NODES} nodes, where a binary tree has {2**ARTICLE_EDGES - 1:.0e}; its board is lost.\n"
        f"{len(sizes[False])} boards of 9 x 9 cells and 10 mines, opened by one to four clicks, edges cell by cell:\n\n"
        f"{table(rows, headers, 'r')}\n\nThe first of them, {first} nodes:\n\n{board}"
    )


# The picture


def plot(figure: Any, runs: Mapping[tuple[str, str], Run], sizes: Mapping[bool, Sequence[int | None]]) -> None:
    """Draw nodes against edges, time against nodes, and the sizes of the boards with 46 edges."""
    left, middle, right = figure.subplots(1, 3)
    for variant in VARIANTS:
        mine = [run for (_, title), run in runs.items() if title == variant.title and run.nodes is not None]
        style: dict[str, Any] = {"color": variant.colour, "marker": variant.marker, "markersize": 6}
        left.plot([r.edges for r in mine], [r.nodes for r in mine], label=variant.title, **style)
        middle.plot([r.nodes for r in mine], [r.seconds for r in mine], linestyle="", label=variant.title, **style)
    edges = np.array([run.edges for run in runs.values()])
    grid = np.arange(edges.min(), edges.max() + 1)
    left.plot(grid, 2.0**grid, color="#bbbbbb", linestyle=":", label="binary tree")
    top = max(run.nodes for run in runs.values() if run.nodes is not None)
    finish(left, "y", legend=False, ylim=(1, 30 * top), xlabel="edges", ylabel="nodes", title="Nodes")
    left.legend(fontsize=8, loc="lower right")
    finish(middle, "xy", legend=False, xlabel="nodes", ylabel="seconds", title="Time")
    for frontier, colour in ((False, BLUE), (True, GREEN)):
        counts = [n for n in sizes[frontier] if n is not None]
        label = "both, frontier" if frontier else "both"
        right.hist(counts, np.geomspace(40, 1.1 * top, 40), histtype="step", color=colour, label=label)
    right.axvline(ARTICLE_NODES, color="black", linestyle=":", label=f"the article's {ARTICLE_NODES}")
    finish(right, "x", xlabel="nodes", ylabel="boards", title=f"Boards with {ARTICLE_EDGES} edges")


@experiment(
    option("--max-nodes", 200_000, "Nodes a diagram may have.", click.IntRange(1)),
    option("--boards", 200, "Boards with 46 edges to try.", click.IntRange(1)),
    minutes=3,
    quick="--max-nodes 20000 --boards 20",
)
def main(options: Options) -> Report:
    """Nodes, seconds, the open question and the claim about 46 edges, each under its title, and a plot."""
    max_nodes = options.max_nodes
    with_46 = boards_with_edges(ARTICLE_EDGES, options.boards)
    graphs = chosen_graphs(with_46[0])
    with all_compiled():
        for variant in VARIANTS:
            measure(stand_in(), variant, max_nodes)  # loads them
        runs = {(title, v.title): measure(graph, v, max_nodes) for title, graph in graphs.items() for v in VARIANTS}
    sizes = {
        frontier: [nodes_with_pruning(mine_graph(board), frontier, max_nodes) for board in with_46]
        for frontier in (False, True)
    }
    parts = {
        "Nodes": nodes_table(graphs, runs, max_nodes),
        "Seconds": seconds_table(graphs, runs),
        "What the article reads from its plots": growth(graphs, runs),
        "Why sharing does nothing once pruning is on: the stand-in, layer by layer": layers(stand_in()),
        "... and what the proof needs: without sharing, with sharing": premises(),
        "... and the order of edges: pruning, both, both with the frontier": orders(stand_in(), mine_graph(with_46[0])),
        f"Boards with {ARTICLE_EDGES} edges": claim(sizes, with_46[0], max_nodes),
    }
    for title, part in parts.items():
        yield f"{title}\n\n{part}"
    yield picture("ablation.png", (15, 4.8), lambda figure: plot(figure, runs, sizes))


if __name__ == "__main__":
    main.start()
