"""The worked examples of the Qiita article on top-down decision diagrams, its numbers beside ours.

決定図を用いたマインスイーパー攻略 (Minesweeper by decision diagrams), Qiita, 16 May 2024.  Its pictures and input files
are lost; where we had to put something in their place, the table says so.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import click
import networkx as nx
import numpy as np
import numpy.typing as npt

from experiments.clocks import clock
from experiments.harness import Options, Report, experiment, option, picture, text_file
from experiments.shared import seconds, table, verdict
from mines_dd import Board, mine_graph, solve
from mines_dd.base.jit import all_compiled
from mines_dd.board.picture import draw_board
from mines_dd.frontier import (
    DEAD,
    DONE,
    FREE,
    GO,
    AllDegrees,
    DegreeConstrained,
    End,
    Knapsack,
    Paths,
    Spec,
    TopDownDiagram,
    build,
    count,
)

BUDGET_YEN = 300
FIVE_AT_100 = Knapsack(dict.fromkeys(range(1, 6), 100), BUDGET_YEN)
FIVE_AT_200 = Knapsack(dict.fromkeys(range(1, 6), 200), BUDGET_YEN)

# Snacks of our own: price in yen and satisfaction.
SNACKS = {
    "chocolate": (120, 9),
    "crisps": (110, 8),
    "jelly": (70, 5),
    "cola gum": (20, 1),
    "caramel": (60, 4),
    "rice cracker": (80, 6),
    "ramune": (40, 3),
    "squid": (30, 2),
    "biscuits": (100, 7),
    "sherbet": (50, 3),
}

# Simple paths between opposite corners of a grid of n x n squares (OEIS A007764).
GRID_PATHS = (
    *(2, 12, 184, 8512, 1262816, 575780564, 789360053252, 3266598486981642, 41044208702632496804),
    *(1568758030464750013214100, 182413291514248049241470885236),
)
BUILT_GRID = 7
"""The largest grid whose diagram is kept; of larger ones the paths are counted alone."""

# A board of our own in place of the article's figure 2, which has 16 edges, too.
FIGURE_2 = Board.parse("1###\n#23#\n##2#")

MARGINALS = {"v1": "1/2", "v2": "2/3", "v3": "1/2", "v4": "2/3", "v5": "2/3"}


def stand_in() -> nx.Graph:
    """Return a mine graph in place of the article's figure 1, which is lost.

    It was chosen to have the 13 edges, the five cells, the six assignments and the probabilities that the article
    gives.  These allow one family only, v1 + v3 = 1 and v2 + v4 + v5 = 2; which hints say so is a guess, and two of
    ours are the same.  Its nodes were not part of the choice.
    """
    hints = {"u1": (1, "13"), "u2": (2, "245"), "u3": (2, "245"), "u4": (3, "12345")}
    graph = nx.Graph()
    graph.add_nodes_from([f"v{i}" for i in "12345"], bipartite=0)
    for hint, (mines, cells) in hints.items():
        graph.add_node(hint, bipartite=1, dc=frozenset({mines}))
        graph.add_edges_from((f"v{i}", hint) for i in cells)
    for i in "12345":
        graph.nodes[f"v{i}"]["dc"] = frozenset({0, graph.degree(f"v{i}")})
    return graph


# The numbers


def published() -> str:
    """Return the article's numbers beside ours."""
    return table([*knapsack_rows(), *minesweeper_rows()], ["what", "article", "ours", "agreement"])


def knapsack_rows() -> list[list[Any]]:
    """The snacks for up to 300 yen."""
    over = Knapsack({"bought": 270, "wanted": 40}, BUDGET_YEN).step((270,), 1, True)
    free, none = FIVE_AT_100.step((100,), 2, False), FIVE_AT_200.step((0,), 0, True)
    after_free = set(build(FIVE_AT_100).to_assignments().given(mines=[1], safe=[2, 3]))
    after_none = set(build(FIVE_AT_200).to_assignments().given(mines=[1]))
    pruned, unpruned = build(FIVE_AT_100), build(FIVE_AT_100, prune=False)
    tree = build(FIVE_AT_100, share=False, prune=False)
    leaves = tree.ends.total()
    return [
        ["φ = 270, then 40 yen", "⊥", name(over), verdict(over is End.DEAD)],
        ["5 at 100: item 1, not 2, 3", "⊤ BDD", name(free), verdict(free is End.FREE)],
        ["5 at 100: its sets", "1, 14, 15, 145", listed(after_free), verdict(listed(after_free) == "1, 14, 15, 145")],
        ["5 at 200: item 1", "⊤ ZDD", name(none), verdict(none is End.DONE)],
        ["5 at 200: its sets", "1", listed(after_none), verdict(listed(after_none) == "1")],
        ["nodes, 5 snacks", "6", pruned.node_count, "fits 5 at 100 yen; the input is lost"],
        ["nodes without pruning", "", unpruned.node_count, "the picture is lost"],
        [
            "nodes of a binary tree",
            "1+2+4+16+32=55",
            f"{'+'.join(map(str, [*tree.layer_sizes, leaves]))}={tree.node_count + leaves}",
            "the article's sum leaves out the 8",
        ],
    ]


def minesweeper_rows() -> list[list[Any]]:
    """The degree-constrained subgraphs of the stand-in."""
    graph = stand_in()
    diagram = build(AllDegrees(graph))
    tree = build(AllDegrees(graph), share=False, prune=False).node_count
    frontier = build(DegreeConstrained(graph)).node_count
    family = diagram.to_assignments()
    probabilities: Mapping[Any, Fraction] = family.probabilities()
    ours = {cell: str(p) for (cell, _), p in probabilities.items()}  # any edge of a cell says whether it is a mine
    least = min(probabilities.values())
    safest = ", ".join(sorted({cell for (cell, _), p in probabilities.items() if p == least}))
    together = diagram.node_count + 1
    return [
        ["stand-in: edges", "13", graph.number_of_edges(), chosen(graph.number_of_edges() == 13)],
        ["stand-in: assignments", "6", family.count(), chosen(family.count() == 6)],
        ["stand-in: p(v1), ..., p(v5)", *(" ".join(p.values()) for p in (MARGINALS, ours)), chosen(ours == MARGINALS)],
        ["stand-in: best cells to open", "v1, v3", safest, verdict(safest == "v1, v3")],
        ["stand-in: nodes", "56", f"{diagram.node_count} and ⊤: {together}", verdict(together == 56)],
        ["stand-in: nodes of a binary tree", "8191", tree, verdict(tree == 8191)],
        ["stand-in: nodes, frontier in φ", "", frontier, "not in the article"],
        ["stand-in: nodes that a T-prune.ZDD saves", "none found", saved(diagram), "⊤ once all hints are met"],
        ["stand-in: nodes of the reduced ZDD", "", family.node_count, "not in the article"],
        ["46 edges: binary tree", "about 7e13", f"{2**46 - 1:,}", verdict(f"{2**46 - 1:.0e}" == "7e+13")],
    ]


def saved(diagram: TopDownDiagram) -> int:
    """Return the nodes that a T-prune of the second kind would save: no further item is in, in the one solution below.

    The article found no T-prune of use for degrees.  There is one: an arc may end in ⊤ as soon as every hint has its
    count and no cell is taken in part, as all edges to come are out then.
    """
    absent: set[int] = {-1 - End.DONE}
    for node, (low, high) in reversed(list(enumerate(diagram.arcs.tolist()))):
        if low in absent and high == -1 - End.DEAD:
            absent.add(node)
    return len(absent) - 1


def chosen(agrees: bool) -> str:
    """Say whether the stand-in has what it was chosen to have."""
    return "chosen so" if agrees else "DISAGREES"


def name(end: object) -> str:
    """Return where an arc ends, as the article writes it."""
    return end.sign if isinstance(end, End) else "a node"


def listed(family: set[frozenset[int]]) -> str:
    """Return the sets with their items side by side."""
    texts = ("".join(map(str, sorted(items))) for items in family)
    return ", ".join(sorted(texts, key=lambda text: (len(text), text)))


def best_baskets() -> str:
    """Return the three baskets that satisfy most; the first is checked against all sets of snacks."""
    diagram = build(Knapsack({snack: price for snack, (price, _) in SNACKS.items()}, BUDGET_YEN))
    family = diagram.to_assignments()
    baskets = family.cheapest({snack: -pleasure for snack, (_, pleasure) in SNACKS.items()}, 3)
    affordable = [
        snacks
        for size in range(len(SNACKS) + 1)
        for snacks in combinations(SNACKS.values(), size)
        if sum(price for price, _ in snacks) <= BUDGET_YEN
    ]
    most = max(sum(pleasure for _, pleasure in snacks) for snacks in affordable)
    agrees = (len(affordable), most) == (family.count(), -baskets[0][0])
    rows = [[-cost, sum(SNACKS[x][0] for x in basket), ", ".join(sorted(basket))] for cost, basket in baskets]
    ranking = table(rows, ["satisfaction", "yen", "basket"], "rrl")
    return (
        f"{ranking}\n\n{family.count()} of the {2 ** len(SNACKS):,} baskets are affordable; "
        f"{diagram.node_count} nodes hold them.  Trying all of them {verdict(agrees)}."
    )


def path_counts(grid: int) -> str:
    """Return the numbers of paths with the nodes and seconds they took; no diagram is kept of the larger grids."""
    rows = []
    for n in range(1, grid + 1):
        graph = nx.grid_2d_graph(n + 1, n + 1)
        spec = Paths(graph, (0, 0), (n, n))
        nodes = reduced = ""
        started = clock()
        if n <= BUILT_GRID:
            diagram = build(spec)
            took = clock() - started
            family = diagram.to_assignments()
            number, nodes, reduced = family.count(), f"{diagram.node_count:,}", f"{family.node_count:,}"
        else:
            number = count(spec)
            took = clock() - started
        agreement = verdict(GRID_PATHS[n - 1] == number) if n <= len(GRID_PATHS) else ""
        edges = graph.number_of_edges()
        rows.append([f"{n} x {n}", edges, f"{number:,}", agreement, nodes, reduced, seconds(took)])
    headers = ["squares", "edges", "paths", "published", "nodes", "reduced ZDD", "seconds"]
    return table(rows, headers, "r")


# Looser pruning


class _Bounds(NamedTuple):
    """Prices, and from each snack on their sum and the least; the budget, and how much looser each rule is."""

    price: npt.NDArray[np.int64]
    rest: npt.NDArray[np.int64]
    least: npt.NDArray[np.int64]
    budget: int
    over: int
    more: int
    less: int


class LooseSnacks(Spec):
    """Snacks for up to so many yen, with pruning that waits longer than it needs.

    Parameters
    ----------
    prices : mapping
        Snack -> whole yen.
    budget : int
    over : int
        F-prune iff more than `budget + over` is spent.
    more : int
        T-prune.BDD iff what is left is at least the sum of the rest and `more`.
    less : int
        T-prune.ZDD iff what is left, which may not be negative, is less than the least price minus `less`.
    """

    def __init__(self, prices: Mapping[Any, int], budget: int, over: int = 0, more: int = 0, less: int = 0) -> None:
        self.items, self.root = tuple(prices), (0,)
        price = np.array(list(prices.values()), np.int64)
        rest = np.append(np.cumsum(price[::-1])[::-1], 0)
        least = np.append(np.minimum.accumulate(price[::-1])[::-1], 0)
        self.tables = _Bounds(price, rest, least, budget, over, more, less)

    @staticmethod
    def child(state: Any, level: int, taken: int, tables: Any) -> int:
        """Pay, and prune as far as the rules go; after the last snack the budget decides."""
        if taken:
            state[0] += tables.price[level]
        left = tables.budget - state[0]
        if level + 1 == len(tables.price):
            return DONE if left >= 0 else DEAD
        if -left > tables.over:
            return DEAD
        if left >= tables.rest[level + 1] + tables.more:
            return FREE
        if 0 <= left < tables.least[level + 1] - tables.less:
            return DONE
        return GO


def looser() -> str:
    """Return the nodes with looser rules of pruning, and whether the solutions are still the same."""
    rules: dict[str, dict[str, int]] = {
        "the article's rules": {},
        "F-prune above 301 yen": {"over": 1},
        "F-prune above 400 yen": {"over": 100},
        "T-prune.BDD from the sum of the rest + 1": {"more": 1},
        "T-prune.ZDD below the least price - 1": {"less": 1},
        "all three: 400, + 1, - 1": {"over": 100, "more": 1, "less": 1},
    }
    sets: dict[str, dict[Any, int]] = {
        "5 at 100": dict.fromkeys(range(5), 100),
        "5 at 200": dict.fromkeys(range(5), 200),
        "10 snacks": {snack: price for snack, (price, _) in SNACKS.items()},
    }
    rows = []
    for title, rule in rules.items():
        diagrams = [build(LooseSnacks(prices, BUDGET_YEN, **rule)) for prices in sets.values()]
        exact = [build(Knapsack(prices, BUDGET_YEN)) for prices in sets.values()]
        same = all(set(a.to_assignments()) == set(b.to_assignments()) for a, b in zip(diagrams, exact, strict=True))
        weaker = all(a.node_count >= b.node_count for a, b in zip(diagrams, exact, strict=True))
        rows.append([title, *(diagram.node_count for diagram in diagrams), verdict(same), verdict(weaker)])
    note = (
        "T-prune.ZDD asks here that nothing is overspent.  The article's rule does not: where F-prune waits for more\n"
        "than 400 yen, a basket of 310 has -10 yen left, less than any price, and would end in ⊤."
    )
    return f"{table(rows, ['nodes with', *sets, 'same sets', 'no fewer nodes'], 'lrrrl')}\n\n{note}"


def hundred_snacks() -> str:
    """Return what 100 snacks take, where a brute force has 2^100 baskets to try; checked by a table of sums."""
    rng = random.Random(0)
    prices = {f"snack {i}": rng.randint(10, 150) for i in range(1, 101)}
    started = clock()
    diagram = build(Knapsack(prices, BUDGET_YEN))
    family = diagram.to_assignments()
    took = clock() - started
    ways = [1] + [0] * BUDGET_YEN
    for price in prices.values():
        for total in range(BUDGET_YEN, price - 1, -1):
            ways[total] += ways[total - price]
    return (
        f"100 snacks of 10 to 150 yen: {family.count():,} of the {2**100:.1e} baskets are affordable "
        f"(dynamic programming {verdict(sum(ways) == family.count())});\n"
        f"{diagram.node_count:,} nodes, reduced {family.node_count:,}, {took:.2f} s."
    )


# The diagrams


def diagrams() -> dict[str, tuple[str, TopDownDiagram]]:
    """Return the diagrams to draw with their titles, by name."""
    graph = stand_in()
    snacks, board = "Five snacks of 100 yen, for up to 300", "A board's mine assignments by degrees"
    return {
        "knapsack": (snacks, build(FIVE_AT_100)),
        "knapsack_unpruned": (f"{snacks}, not pruned", build(FIVE_AT_100, prune=False)),
        "stand_in": (board, build(AllDegrees(graph))),
        "stand_in_frontier": (f"{board} of the frontier", build(DegreeConstrained(graph))),
        "paths_3x3": ("Paths between corners, 3 x 3", build(Paths(nx.grid_2d_graph(3, 3), (0, 0), (2, 2)))),
    }


def draw_figure_2(figure: Any) -> None:
    """Draw a board with 16 edges, and its probabilities."""
    left, right = figure.subplots(1, 2)
    family: Any = solve(FIGURE_2)
    shares = family.probabilities()
    draw_board(left, FIGURE_2.grid, {})
    left.set_title(f"In place of figure 2: {mine_graph(FIGURE_2).number_of_edges()} edges", fontsize=10)
    draw_board(right, FIGURE_2.grid, shares, best=min(shares, key=shares.__getitem__))
    right.set_title(f"Chance of a mine in %, of {family.count()} assignments;\nframed: best to open", fontsize=10)


@experiment(
    option("--grid", 11, "Largest grid of paths, in squares.", click.IntRange(1)),
    minutes=0.1,
    quick="--grid 5",
)
def main(options: Options) -> Report:
    """The article's numbers, the best baskets, the numbers of paths, and the diagrams (DOT and SVG)."""
    yield f"Published beside ours\n\n{published()}"
    yield f"The best baskets for 300 yen\n\n{best_baskets()}"
    yield f"Looser pruning is right, and weaker\n\n{looser()}"
    with all_compiled():  # seconds are compared
        yield f"A hundred snacks\n\n{hundred_snacks()}"
        yield f"Paths between opposite corners of a grid\n\n{path_counts(options.grid)}"
    yield picture("figure2.png", (8, 3.4), draw_figure_2)
    for name, (title, diagram) in diagrams().items():
        false_arcs = name.startswith("knapsack")  # as in the article's pictures
        yield text_file(f"{name}.dot", diagram.to_dot(false_arcs=false_arcs))
        yield text_file(f"{name}.svg", diagram.to_svg(false_arcs=false_arcs, title=title))


if __name__ == "__main__":
    main.start()
