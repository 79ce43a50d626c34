"""The face of the package: what is said when a function gets something that is no board or graph."""

import networkx as nx
import pytest

import mines_dd
from mines_dd import Board, MinesError, mine_graph


@pytest.mark.parametrize("name", ["solve", "analyse", "advise", "explain", "Session", "mine_graph", "subgraphs"])
@pytest.mark.parametrize("value", [3, None, "#1#", [["#"]]])
def test_what_is_no_board_is_refused_by_name(name, value):
    arguments = (value, (0, 0)) if name == "explain" else (value,)
    with pytest.raises(MinesError, match=f"not a value of type {type(value).__name__}"):
        getattr(mines_dd, name)(*arguments)


@pytest.mark.parametrize("name", ["solve", "analyse"])
def test_a_text_where_a_board_belongs_is_told_how_to_become_one(name):
    with pytest.raises(MinesError, match=r"Board\.parse reads a text"):
        getattr(mines_dd, name)("#1#")


def test_an_analysis_is_of_a_board_alone():
    with pytest.raises(MinesError, match="a Board is needed, not a value of type Graph"):
        mines_dd.analyse(mine_graph(Board.parse("#1#")))


def test_an_open_cell_is_told_that_it_is_open():
    board = Board.parse("#1#/###")
    for shares in (mines_dd.analyse(board).risk, mines_dd.analyse(board).exact, mines_dd.solve(board).probabilities()):
        with pytest.raises(KeyError, match=r"\(0, 1\) is open"):
            shares[0, 1]


def test_a_cell_is_a_row_and_a_column():
    with pytest.raises(MinesError, match=r"3 is no cell; write \(row, column\)"):
        mines_dd.explain(Board.parse("#1#"), 3)


def test_a_cost_is_a_number():
    with pytest.raises(MinesError, match=r"the cost of \(0, 0\) is nan"):
        mines_dd.solve(Board.parse("#1#")).cheapest({(0, 0): float("nan")})


def test_a_graph_of_edges_alone_is_told_what_makes_a_hint():
    with pytest.raises(MinesError, match="a hint, which has the attribute dc"):
        mines_dd.solve(nx.Graph([("a", "h"), ("b", "h")]))
