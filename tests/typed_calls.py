# mypy: warn-unused-ignores
"""What type checkers have to refuse, and to allow: checked by mypy, which finds an ignored error that is none."""

import networkx as nx

from mines_dd import Board, analyse, mine_graph, solve, subgraphs


def refused() -> None:
    solve(3)  # type: ignore[arg-type]
    solve("#1#")  # type: ignore[arg-type]
    solve(Board.parse("#1#"), "bd")  # type: ignore[arg-type]
    subgraphs({"h": ("abc", 1)})  # type: ignore[arg-type]
    analyse(3)  # type: ignore[arg-type]
    mine_graph("#1#")  # type: ignore[arg-type]


def allowed() -> None:
    board = Board.parse("#1#")
    solve(board).count()
    solve(mine_graph(board), "dc", order=["a", "b"])
    subgraphs(nx.cycle_graph(4))
    mine_graph({"h": ("abc", 1), "i": ("bcd", {0, 2})})
    mine_graph({(0, 0): ([(0, 1)], 1)})
