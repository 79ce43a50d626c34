"""What the games' public functions say of values of the wrong kind."""

import pytest

from mines_dd.base.errors import MinesError
from mines_dd.boardgames.classics import stones
from mines_dd.boardgames.edax_making import mobility_book
from mines_dd.boardgames.go_board import GoBoard
from mines_dd.boardgames.go_strings import boards, maximum_strings
from mines_dd.boardgames.retrograde import solve_graph
from mines_dd.boardgames.shiritori import parse_words, solve_shiritori
from mines_dd.boardgames.umigame import repertoire, umigame_numbers

WRONG = {
    "rows": (lambda: maximum_strings(5.5), "the number of rows is 5.5; give a whole number"),
    "rows in words": (lambda: maximum_strings("5"), "the number of rows is '5'"),
    "fewer": (lambda: boards(4, 1.5), "the number of strings fewer is 1.5"),
    "a point off the board": (lambda: GoBoard.alternating(3, [(9, 9)]), r"\(9, 9\) is no point .* of 3 rows"),
    "no text": (lambda: GoBoard.parse(3), "the text of a Go board is needed, not a value of type int"),
    "no record": (lambda: GoBoard.parse_sgf(None), "the text of a game record is needed"),
    "a record of brackets": (lambda: GoBoard.parse_sgf("((("), "begins with a bracket and a node"),
    "words of numbers": (lambda: solve_shiritori([1, 2]), "word 1: a text is needed, not a value of type int"),
    "no words": (lambda: solve_shiritori(None), "a list of words is needed"),
    "bytes": (lambda: parse_words(b"abcd"), "not a value of type bytes"),
    "no graph": (lambda: umigame_numbers("x"), "a PositionGraph is needed, not a value of type str; read_graph reads"),
    "no graph, in the tree": (lambda: umigame_numbers(3, transpositions=False), "a PositionGraph is needed"),
    "no repertoire": (lambda: repertoire(None), "a PositionGraph is needed"),
    "no game graph": (lambda: solve_graph(3), "a networkx.DiGraph is needed, not a value of type int"),
    "a heap below 0": (lambda: stones(-1, [1]), "a heap has 0 stones or more, not -1"),
    "a move that takes nothing": (lambda: stones(3, [0]), "a move takes 1 stone or more, not 0"),
    "a book in words": (lambda: mobility_book("x"), "the number of moves is 'x'"),
}


@pytest.mark.parametrize(("call", "said"), WRONG.values(), ids=WRONG)
def test_a_value_of_the_wrong_kind_gets_one_sentence(call, said):
    with pytest.raises(MinesError, match=said):
        call()
