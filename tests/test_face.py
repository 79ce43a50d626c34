"""The face of the package: what is said when a function gets something that is no board or graph."""

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
