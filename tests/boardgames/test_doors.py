"""What the games' public functions say of values of the wrong kind."""

import pytest

from mines_dd.base.errors import MinesError
from mines_dd.boardgames.classics import deque, kayles, stones
from mines_dd.boardgames.dobutsu import read_position
from mines_dd.boardgames.edax_book import EdaxBook
from mines_dd.boardgames.edax_making import mobility_book
from mines_dd.boardgames.go_board import GoBoard
from mines_dd.boardgames.go_strings import boards, maximum_strings
from mines_dd.boardgames.othello import Othello
from mines_dd.boardgames.othello_graphs import Tolerance, best_play
from mines_dd.boardgames.position_graph import PositionGraph
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
    "a heap below 0": (lambda: stones(-1, [1]), "the number of stones is -1; give a whole number of at least 0"),
    "a move that takes nothing": (
        lambda: stones(3, [0]),
        "a number of stones to take is 0; give a whole number of at least 1",
    ),
    "takes 3": (lambda: stones(3, 3), "a list of numbers is needed"),
    "a row in words": (lambda: deque(["a"]), "a number of the row is 'a'; give a whole number"),
    "a row of 3": (lambda: deque(3), "a list of numbers is needed"),
    "pins in words": (lambda: kayles("x"), "the number of pins is 'x'"),
    "a shogi position of 3": (lambda: read_position(3), "the text of a position is needed, not a value of type int"),
    "hands of 3": (lambda: read_position("gle .c. .C. ELG", 3), "the text of a position is needed"),
    "a tolerance of 2": (lambda: EdaxBook({}).graph(tolerance=2), "a Tolerance is needed, not a value of type int"),
    "a loss in words": (lambda: best_play(Othello(4), tolerance=Tolerance("x")), "the loss of a move is 'x'"),
    "a loss below 0": (
        lambda: best_play(Othello(4), tolerance=Tolerance(total=-1)),
        "the loss of a line is -1; give a",
    ),
    "a depth below 0": (lambda: best_play(Othello(4), depth=-1), "the depth is -1; give a whole number of at least 0"),
    "a depth of a book": (lambda: EdaxBook({}).graph(depth=1.5), "the depth is 1.5; give a whole number"),
    "a root in words": (lambda: EdaxBook({}).graph("f5"), r"a Position is needed.*Othello\(\).parse returns one"),
    "no child": (lambda: PositionGraph((0, 1), (True, False), ((7,), ())), "from position 0 to 7; .* the last is 1"),
    "a child above": (lambda: PositionGraph((0, 1), (True, False), ((1,), (0,))), "a move leads from position 1 to 0"),
    "a child in words": (lambda: PositionGraph((0, 1), (True, False), (("a",), ())), "the numbers of positions"),
    "sides for some": (lambda: PositionGraph((0, 1), (True,), ((1,), ())), "each with a label, its side"),
    "no position": (lambda: PositionGraph((), (), ()), "one position or more"),
    "moves in a dict": (
        lambda: PositionGraph.build(0, {0: [1]}),
        "a function from a position to the next ones is needed",
    ),
    "a book in words": (lambda: mobility_book("x"), "the number of moves is 'x'"),
}


@pytest.mark.parametrize(("call", "said"), WRONG.values(), ids=WRONG)
def test_a_value_of_the_wrong_kind_gets_one_sentence(call, said):
    with pytest.raises(MinesError, match=said):
        call()
