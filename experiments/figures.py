"""Figures 1 to 10 of the paper as pictures, with the numbers printed in them beside ours.

H. Suzuki, H. Sun, S. Minato, "Generating All Mine Assignments of Minesweeper Using BDD/ZDD", JSAI 2016.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import networkx as nx
import numpy as np

from experiments.drawings import draw
from experiments.harness import Options, Report, experiment, picture, text_file
from experiments.shared import VERMILION, table, verdict
from mines_dd import Board, mine_graph, solve
from mines_dd.answers.conflict import minimal_conflict
from mines_dd.board.board import Position
from mines_dd.board.picture import draw_board
from mines_dd.constraints.graph import Instance
from mines_dd.diagrams import queries
from mines_dd.diagrams.diagram import Diagram
from mines_dd.diagrams.drawing import label_text
from mines_dd.frontier import DegreeConstrained, TopDownDiagram, build

METHODS = ("bdd", "zdd", "dc", "tree")

# The picture of figure 4 is lost.  This is figure 10's board, chosen because it has the 66 assignments of figure 4.
FIGURE_4 = Board.parse("####\n#22#\n#22#\n####")
FIGURE_9 = Board.parse("#3#\n###\n1#2")

# Figures 1 to 3 are lost; here is a game of our own.
GAME = Board.random(8, 8, 10, 0, seed=4)
FIRST_CLICK = (7, 7)

# Figure 8 is lost; its method on a board of our own.
FIGURE_8 = Board.parse("1##\n##1")

# What figures 9 and 10 print in the closed cells, row by row.
PRINTED_9 = ("0.333", "1.0", "0.667", "0", "0.667", "0.667")
_CORNER_EDGE, _EDGES = ("0.424", "0.394", "0.394", "0.424"), ("0.394", "0.394")
PRINTED_10 = (*_CORNER_EDGE, *_EDGES, *_EDGES, *_CORNER_EDGE)

# Figures 6 and 7, by the sets of variables that are true and by the sets themselves.
ITEMS_6, ITEMS_7 = ("x1", "x2", "x3"), ("a", "b", "c")
FAMILY_7 = frozenset(map(frozenset, ("ac", "bc", "b", "c")))


# The numbers


def boards_with(assignments: int) -> list[Board]:
    """Return the boards of figure 4's shape, whatever their four hints, that have so many assignments.

    Each of the 2^12 layouts of the closed cells shows four hints; a board has as many assignments as layouts show its
    hints.

    Examples
    --------
    >>> [board.grid[1] for board in boards_with(66)]
    ['#22#', '#33#']
    """
    closed, hints = FIGURE_4.closed(), FIGURE_4.hints()
    around = [[closed.index(cell) for cell in FIGURE_4.neighbours(hint) if cell in closed] for hint in hints]
    shown = Counter(
        tuple(sum(layout[i] for i in cells) for cells in around)
        for layout in itertools.product((0, 1), repeat=len(closed))
    )
    found = sorted(numbers for numbers, layouts in shown.items() if layouts == assignments)
    closed_hints = Board(tuple("#" * len(row) for row in FIGURE_4.grid))
    return [closed_hints.reveal(dict(zip(hints, numbers, strict=True))) for numbers in found]


def values_table() -> str:
    """Return the published values beside ours."""
    families = [solve(FIGURE_4, method) for method in METHODS]  # type: ignore[arg-type]
    counts = {family.count() for family in families}
    one_list = len({frozenset(family) for family in families}) == 1
    six, seven = figure_6(), figure_7()
    nine, ten = solve(FIGURE_9).probabilities(), solve(FIGURE_4).probabilities()
    alike = boards_with(66)
    probable = [b for b in alike if in_a_row(PRINTED_10, solve(b).probabilities())[-1] == "agrees"]
    rows = [
        *game_rows(),
        [4, "mine assignments", "66", *sorted(counts), "chosen for it" if counts == {66} else verdict(False)],
        [4, "boards of this shape with 66, whatever the hints", "", len(alike), ""],
        [4, "those that also have figure 10's probabilities", "", len(probable), verdict(FIGURE_4 in probable)],
        [4, f"the same ones by {', '.join(METHODS)}", "", 66 if one_list else "", verdict(one_list)],
        [5, "one of the assignments", "", "one drawn", "the printed one is lost"],
        [6, "satisfying assignments", "", len(sets(six)), verdict(sets(six) == models_6())],
        [6, "nodes of the BDD", "", six.node_count, "the picture is lost"],
        [7, "sets", "4", len(sets(seven)), verdict(sets(seven) == FAMILY_7)],
        [7, "nodes of the ZDD", "", seven.node_count, "the picture is lost"],
        *frontier_rows(),
        [9, "mine assignments", "", solve(FIGURE_9).count(), "not given"],
        [9, "probabilities, as printed", *in_a_row(PRINTED_9, nine)],
        [9, "the print read backwards", *in_a_row(PRINTED_9[::-1], nine)],
        [
            10,
            "probability of a corner",
            "0.424",
            f"{ten[0, 0]} = {float(ten[0, 0]):.3f}",
            in_a_row(PRINTED_10, ten)[-1],
        ],
        [10, "probability of another cell", "0.394", f"{ten[0, 1]} = {float(ten[0, 1]):.3f}", "(all 12 cells)"],
    ]
    return table(rows, ["figure", "what", "paper", "ours", "agreement"])


def in_a_row(printed: Sequence[str], ours: Mapping[Any, Fraction]) -> tuple[str, str, str]:
    """Return what is printed, ours, and whether they agree to three digits."""
    exact = [f"{float(share):.3f}" for share in ours.values()]
    return " ".join(printed), " ".join(exact), verdict(exact == [f"{float(x):.3f}" for x in printed])


def notes() -> str:
    """Explain what does not agree."""
    zero = FIGURE_9.reveal({(1, 1): 0})
    conflict = " and ".join(f"the {zero[p]} at {p}" for p in minimal_conflict(Instance.from_board(zero)))
    return "\n".join(
        [
            "Figure 9: the probabilities around a hint add up to its count, whatever the mines.  As printed they give",
            f"{sums(PRINTED_9)}: no board has them.  Read backwards they give",
            f"{sums(PRINTED_9[::-1])}, and are ours: the six were printed in reverse order.",
            f"Nor is the 0 in the middle a hint: {conflict} exclude each other.",
            "The picture of figure 4 is lost.  Its board is taken to be figure 10's because that has 66 assignments;",
            f"so its 66 is no test.  With four hints in the middle of 4x4 cells {len(boards_with(66))} boards have 66;",
            "the table says how many of them have figure 10's probabilities.",
            "On it a corner holds a mine in 28 of the 66, another closed cell in 26.",
        ]
    )


def sums(printed: Sequence[str]) -> str:
    """Say what the numbers around each hint of figure 9 add up to."""
    values = dict(zip(FIGURE_9.closed(), map(float, printed), strict=True))
    return ", ".join(
        f"{sum(values.get(cell, 0) for cell in FIGURE_9.neighbours(hint)):.2f} around the {count}"
        for hint, count in FIGURE_9.hints().items()
    )


def listing() -> str:
    """Return all assignments of figure 4, eleven boards a line, mines as *."""
    boards = assignments()
    lines = [boards[i : i + 11] for i in range(0, len(boards), 11)]
    return "\n\n".join("\n".join("  ".join(board.grid[r] for board in line) for r in range(4)) for line in lines)


def assignments() -> list[Board]:
    """Return figure 4's board with each of its assignments put in, those with fewest mines first."""
    families = sorted(solve(FIGURE_4), key=lambda mines: (len(mines), sorted(mines)))
    return [with_mines(FIGURE_4, mines) for mines in families]


def with_mines(board: Board, mines: Collection[Position]) -> Board:
    """Return a board with some closed cells shown as mines."""
    rows = [
        "".join("*" if (r, c) in mines else character for c, character in enumerate(row))
        for r, row in enumerate(board.grid)
    ]
    return Board(tuple(rows))


# Figures 1 to 3: a game


def game() -> dict[str, tuple[Board, Position | None]]:
    """Return the boards of figures 1 to 3 by what they show, and the mine that was opened in the last one."""
    assert GAME.layout is not None
    begun = GAME.open(*FIRST_CLICK)
    hit = min(mine for mine in GAME.layout if any(begun[near] in "12345678" for near in begun.neighbours(mine)))
    return {
        "Figure 1: before the first move": (GAME, None),
        "Figure 2: won": (GAME.open_all([cell for cell in GAME.closed() if cell not in GAME.layout]), None),
        "Figure 3: lost, in the framed cell": (with_mines(begun, GAME.layout), hit),
    }


def game_rows() -> list[list[Any]]:
    """Return what the paper says of the three states beside ours."""
    (first, _), (won, _), (lost, hit) = game().values()
    assert GAME.layout is not None
    return [
        [1, "open cells", "none", len(first.hints()) or "none", verdict(not first.hints())],
        [2, "closed cells, all mines", "", len(won.closed()), verdict(set(won.closed()) == set(GAME.layout))],
        [
            3,
            "the cell opened last",
            "a mine",
            "a mine" if hit in lost.known_mines() else "",
            verdict(hit in GAME.layout),
        ],
    ]


# Figure 8: the frontier method


def figure_8() -> TopDownDiagram:
    """Return what the frontier method builds for figure 8's board."""
    return build(DegreeConstrained(mine_graph(FIGURE_8)))


def frontier_rows() -> list[list[Any]]:
    """Return the sizes of figure 8's diagram, and whether it holds all assignments (theorem 1)."""
    diagram, graph = figure_8(), mine_graph(FIGURE_8)
    subgraphs: Any = diagram.to_assignments()
    by_theorem_1 = {
        frozenset(v for edge in edges for v in edge if graph.nodes[v]["bipartite"] == 0) for edges in subgraphs
    }
    return [
        [8, "edges, nodes as built", "", f"{len(diagram.spec.items)}, {diagram.node_count}", "the picture is lost"],
        [8, "subgraphs", "", subgraphs.count(), verdict(by_theorem_1 == set(solve(FIGURE_8)))],
    ]


# Figures 6 and 7: a decision tree and the rules that reduce it


def figure_6() -> Diagram:
    """Return the BDD of (x1 or not x2) and x3."""
    return reduced("bdd", ITEMS_6, models_6())


def models_6() -> frozenset[frozenset[str]]:
    """Return the sets of variables that make (x1 or not x2) and x3 true."""
    every = itertools.chain.from_iterable(itertools.combinations(ITEMS_6, k) for k in range(4))
    return frozenset(frozenset(true) for true in every if ("x1" in true or "x2" not in true) and "x3" in true)


def figure_7() -> Diagram:
    """Return the ZDD of {{a, c}, {b, c}, {b}, {c}}."""
    return reduced("zdd", ITEMS_7, FAMILY_7)


def reduced(kind: Literal["bdd", "zdd"], items: Sequence[str], family: Collection[frozenset[str]]) -> Diagram:
    """Return a family's decision tree, reduced by the sharing and the deletion rule of its kind (paper §3.1, §3.2)."""
    level, low, high = [len(items)] * 2, [0, 1], [0, 1]
    known: dict[tuple[int, int, int], int] = {}

    def node(i: int, rest: Collection[frozenset[str]]) -> int:
        if i == len(items):
            return int(bool(rest))
        zero = node(i + 1, [s for s in rest if items[i] not in s])
        one = node(i + 1, [s for s in rest if items[i] in s])
        if one == (zero if kind == "bdd" else 0):  # the deletion rule
            return zero
        if (i, zero, one) not in known:  # the sharing rule
            known[i, zero, one] = len(level)
            level.append(i)
            low.append(zero)
            high.append(one)
        return known[i, zero, one]

    root = node(0, family)
    return Diagram.build(kind, items, level, low, high, root)


def sets(diagram: Diagram) -> frozenset[frozenset[Any]]:
    """Return the family of sets that a diagram describes."""
    return frozenset(queries.iterate(diagram.to_circuit(diagram.items, range(len(diagram.items)))))


# The pictures


def draw_figures_1_to_3(figure: Any) -> None:
    """Draw a game before its first move, won, and lost."""
    for axes, (title, (board, hit)) in zip(figure.subplots(1, 3), game().items(), strict=True):
        draw_board(axes, board.grid, {}, best=hit)
        axes.set_title(title, fontsize=10)


def draw_figure_8(figure: Any) -> None:
    """Draw the frontier method edge by edge: above the graph with its frontier, below the layers that are there."""
    diagram = figure_8()
    graph = mine_graph(FIGURE_8)
    edges: Any = diagram.spec.items
    drawing = diagram.drawing()
    drawing.ranks = []
    figure.suptitle(
        f"{drawing.caption}. Dashed: the edge is left out. Coloured: the frontier, and the states with its degrees.",
        fontsize=11,
    )
    panels = figure.subplots(2, len(edges) + 1, height_ratios=(1, 3.2))
    for step, (above, below) in enumerate(panels.T):
        decided, coming = ({x for edge in part for x in edge} for part in (edges[:step], edges[step:]))
        draw_frontier(above, graph, edges[:step], decided & coming)
        draw(below, drawing, up_to=step, marked=[name for name, node in drawing.nodes.items() if node.rank == step])
        what = "no edge decided" if step == 0 else f"after edge {step}: {label_text(edges[step - 1])}"
        above.set_title(what, fontsize=9)


def draw_frontier(axes: Any, graph: nx.Graph, decided: Sequence[Any], frontier: Collection[Any]) -> None:
    """Draw a mine graph, the decided edges dotted and the frontier coloured."""
    place = {(r, c): (c, -r) for r, c in graph}
    coming = [edge for edge in graph.edges if edge not in decided]
    nx.draw_networkx_edges(graph, place, decided, ax=axes, style=":", edge_color="#999999")
    nx.draw_networkx_edges(graph, place, coming, ax=axes)
    for side, shape in ((0, "o"), (1, "s")):
        vertices = [v for v, kind in graph.nodes(data="bipartite") if kind == side]
        fill = ["#f6c9ae" if v in frontier else "white" for v in vertices]
        nx.draw_networkx_nodes(
            graph, place, vertices, ax=axes, node_color=fill, edgecolors="black", node_shape=shape, node_size=330
        )
    names = {v: "{" + ",".join(map(str, sorted(dc))) + "}" for v, dc in graph.nodes(data="dc")}
    nx.draw_networkx_labels(graph, place, names, ax=axes, font_size=6)
    axes.margins(0.2)
    axes.set_axis_off()


def draw_figures_4_and_5(figure: Any) -> None:
    """Draw figure 4's board, one assignment (figure 5), and that assignment as a subgraph of MG."""
    left, middle, right = figure.subplots(1, 3)
    mines = solve(FIGURE_4).sample(1, seed=0)[0]
    draw_board(left, FIGURE_4.grid, {})
    left.set_title("Figure 4: a board", fontsize=10)
    draw_board(middle, with_mines(FIGURE_4, mines).grid, {})
    middle.set_title("Figure 5: one of its 66 mine assignments", fontsize=10)
    draw_mine_graph(right, mine_graph(FIGURE_4), mines)
    right.set_title("The same in MG; vertices show dc", fontsize=10)


def draw_mine_graph(axes: Any, graph: nx.Graph, mines: Collection[Position]) -> None:
    """Draw a mine graph in the plane of its board, the edges of an assignment thick."""
    place = {(r, c): (c, -r) for r, c in graph}
    cells = [v for v, side in graph.nodes(data="bipartite") if side == 0]
    hints = [v for v, side in graph.nodes(data="bipartite") if side == 1]
    taken = [edge for edge in graph.edges if not mines.isdisjoint(edge)]  # type: ignore[attr-defined]
    nx.draw_networkx_edges(graph, place, ax=axes, edge_color="#bbbbbb")
    nx.draw_networkx_edges(graph, place, edgelist=taken, ax=axes, width=2.5, edge_color=VERMILION)
    fill = ["#f0a868" if cell in mines else "white" for cell in cells]
    nx.draw_networkx_nodes(graph, place, cells, ax=axes, node_color=fill, edgecolors="black", node_size=620)
    nx.draw_networkx_nodes(
        graph, place, hints, ax=axes, node_color="#cfe3f2", edgecolors="black", node_shape="s", node_size=620
    )
    names = {v: "{" + ",".join(map(str, sorted(dc))) + "}" for v, dc in graph.nodes(data="dc")}
    nx.draw_networkx_labels(graph, place, names, ax=axes, font_size=8)
    axes.set_axis_off()
    axes.set(aspect="equal")


def draw_all_of_figure_4(figure: Any) -> None:
    """Draw all assignments of figure 4's board, eleven a row, as one picture: 66 are slow."""
    boards = assignments()
    picture = np.zeros((6 * 5 - 1, 11 * 5 - 1))
    mines, twos = [], []
    for i, board in enumerate(boards):
        top, left = 5 * (i // 11), 5 * (i % 11)
        picture[top : top + 4, left : left + 4] = np.where(board.array == ord("2"), 0.15, 1)
        mines += [(left + c, top + r) for r, c in board.known_mines()]
        twos += [(left + c, top + r) for r, c in board.hints()]
    axes = figure.subplots()
    axes.imshow(picture, cmap="Greys", vmax=3)
    axes.scatter(*zip(*mines, strict=True), s=60, color="black")
    axes.scatter(*zip(*twos, strict=True), s=45, color="#007a00", marker="$2$")
    axes.set_axis_off()
    axes.set_title(f"All {len(boards)} mine assignments of figure 4, those with fewest mines first")


def draw_figures_6_and_7(figure: Any) -> None:
    """Draw the two example diagrams."""
    left, right = figure.subplots(1, 2)
    draw(left, figure_6().drawing(), size=11)
    left.set_title("Figure 6: BDD of (x1 or not x2) and x3")
    draw(right, figure_7().drawing(), size=11)
    right.set_title("Figure 7: ZDD of {{a, c}, {b, c}, {b}, {c}}")


def draw_figures_9_and_10(figure: Any) -> None:
    """Draw figure 9 as printed and as it should be, and figure 10."""
    left, middle, right = figure.subplots(1, 3)
    draw_numbers(left, FIGURE_9, PRINTED_9)
    left.set_title("Figure 9 as printed: impossible,\n" + sums(PRINTED_9).replace(" around the", " at"), fontsize=9)
    for axes, board, name in ((middle, FIGURE_9, "Figure 9"), (right, FIGURE_4, "Figure 10")):
        family = solve(board)
        draw_numbers(axes, board, [f"{float(share):.3f}" for share in family.probabilities().values()])
        axes.set_title(f"{name}, ours\n{family.count()} mine assignments", fontsize=9)


def draw_numbers(axes: Any, board: Board, numbers: Sequence[str]) -> None:
    """Draw a board with a number in each closed cell, as the paper does."""
    draw_board(axes, board.grid, {})
    for (r, c), number in zip(board.closed(), numbers, strict=True):
        axes.text(c + 0.5, r + 0.53, number, ha="center", va="center", fontsize=11)


@experiment(minutes=0.1)
def main(options: Options) -> Report:
    """The numbers, what does not agree, all assignments of figure 4, and the pictures."""
    yield f"Published beside ours\n\n{values_table()}\n\n{notes()}"
    yield f"The 66 mine assignments of figure 4\n\n{listing()}"
    yield text_file("figure6.dot", figure_6().to_dot())
    yield text_file("figure7.dot", figure_7().to_dot())
    yield picture("figure1_3.png", (11, 4.2), draw_figures_1_to_3)
    yield picture("figure4_5.png", (11, 4.2), draw_figures_4_and_5)
    yield picture("figure4_all.png", (11, 6.4), draw_all_of_figure_4)
    yield picture("figure6_7.png", (8, 4.6), draw_figures_6_and_7)
    yield picture("figure8.png", (17, 8), draw_figure_8)
    yield picture("figure9_10.png", (11, 4.4), draw_figures_9_and_10)


if __name__ == "__main__":
    main.start()
