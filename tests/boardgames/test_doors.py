"""What the games' public functions say of values of the wrong kind."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from mines_dd.base import budget
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.boardgames import chess, dobutsu, umigame_algebra, umigame_checks
from mines_dd.boardgames.acyclic import best_scores, grundy_numbers, is_acyclic, sum_of
from mines_dd.boardgames.book_adviser import is_book_adviser, parse_book_adviser
from mines_dd.boardgames.classics import deque, kayles, stones
from mines_dd.boardgames.dobutsu import read_position
from mines_dd.boardgames.edax_book import EdaxBook
from mines_dd.boardgames.edax_making import mobility_book
from mines_dd.boardgames.edax_walk import walk_book
from mines_dd.boardgames.game_files import parse_game_csv, parse_game_json, save_steps
from mines_dd.boardgames.go_board import GoBoard, points, read_go_board, save_picture
from mines_dd.boardgames.go_program import cuts, fewest_empty_relaxed, solve_program
from mines_dd.boardgames.go_strings import boards, maximum_strings
from mines_dd.boardgames.move_files import is_json, read_text
from mines_dd.boardgames.nim import nim, nim_formula
from mines_dd.boardgames.othello import Othello, Solver
from mines_dd.boardgames.othello_graphs import Tolerance, best_play, play_graph, scored_graph, transcripts
from mines_dd.boardgames.position_graph import PositionGraph, parse_csv, parse_file, parse_json, read_graph
from mines_dd.boardgames.program import cheapest_choice, relaxed_cost
from mines_dd.boardgames.retrograde import Game, solve, solve_graph
from mines_dd.boardgames.retrograde_symbolic import encode, layers, solve_symbolically
from mines_dd.boardgames.retrograde_table import Rules, solve_rules
from mines_dd.boardgames.shiritori import parse_words, read_words, solve_shiritori
from mines_dd.boardgames.umigame import Repertoire, position_numbers, repertoire, tree_lines, umigame_numbers
from mines_dd.boardgames.umigame_derivation import derivation

GAME = Game.from_moves(2, [0], [1])
GRAPH = parse_csv("start,a")
FORMULA = encode(GAME)
TRUE = FORMULA.manager.true
RULES = Rules(len, len, len, 2, "take two")
LONG = "\x1b[31m\x07" + "x" * 10_000

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
    "a book of all games": (lambda: mobility_book(10**30), "a whole number of at least 1 and at most 60"),
    "a loss of all discs": (lambda: mobility_book(3, 10**30), "at most 120"),
    "a book in a text": (lambda: EdaxBook.parse("x"), "an opening book in bytes is needed.*EdaxBook.read"),
    "a head of 2 options": (lambda: EdaxBook({}, options=(1, 2)), "5 options of 32 bits"),
    "a great board": (lambda: GoBoard.alternating(20_000, []), "the number of rows is 20000; .* at most 52"),
    "a great program": (lambda: solve_program(53), "the number of rows is 53; .* at most 52"),
    "section 4": (lambda: fewest_empty_relaxed(3, 4), "the section of the paper is 4"),
    "rows in a number": (lambda: GoBoard(3), "a tuple of rows is needed, not a value of type int; GoBoard.parse"),
    "points of 1.5 rows": (lambda: points(1.5), "the number of rows is 1.5"),
    "rows of numbers": (lambda: GoBoard((1, 2)), "line 1: a text is needed, not a value of type int"),
    "points in a list": (lambda: GoBoard.alternating(3, [[0, 0]]), r"\[0, 0\] is a list.* \(a tuple can\)"),
    "a great heap": (lambda: stones(10**30, [1]), "the number of stones is 10*; .* at most 16,777,216"),
    "a heap of many moves": (lambda: stones(10**7, [1, 2]), "19,999,999 moves, and at most 16,777,216"),
    "a great number": (lambda: deque([10**30, 0]), "a number of the row is 10*; .* at most 1,000,000,000,000,000"),
    "a great row": (lambda: deque([0] * 4001), "the length of the row is 4001; .* at most 4,000"),
    "many pins": (lambda: kayles(10**30), "the number of pins is 10*; .* at most 40"),
    "many heaps": (lambda: nim(11), "the number of heaps is 11; .* at most 10"),
    "gains in words": (lambda: best_scores(GAME, ["x"]), "gains have to be whole numbers"),
    "great gains": (lambda: best_scores(GAME, [10**30]), "gains have to be whole numbers of 64 bits"),
    "gains without a sign": (lambda: best_scores(GAME, [2**63]), "gains has an integer of more than 64 bits"),
    "lists of gains": (lambda: best_scores(GAME, [[1], [1, 2]]), "one flat list"),
    "many positions": (lambda: Game.from_moves(10**30, [], []), "the number of positions is 10*; .* at most 2,147"),
    "no array": (lambda: Game(3, [], []), "three flat arrays"),
    "an outcome in words": (lambda: solve_graph(nx.DiGraph([(0, 1)]), {1: "x"}), "has to be WIN"),
    "a line from 2": (lambda: solve(GAME).line(2), "the number of the position is 2; .* at most 1"),
    "moves both ways": (lambda: PositionGraph.from_networkx(nx.path_graph(2)), "has to be directed"),
    "a root in a list": (lambda: PositionGraph.build([], lambda _: []), r"\[\] is a list, which cannot be in it"),
    "moves to nothing": (lambda: PositionGraph.build(0, lambda _: None), "a list of the positions after 0 is needed"),
    "sides of 3": (lambda: PositionGraph((0,), 3, ((),)), "an entry for each position is needed"),
    "a position below": (lambda: GRAPH.below(2), "the number of the position is 2; .* at most 1"),
    "a side in words": (lambda: repertoire(GRAPH, "x"), "True or False for own is needed"),
    "a file without a name": (lambda: parse_file(None, "a,b"), "the name of a file is needed"),
    "a piece in a list": (lambda: chess.endgame([]), r"R, a rook, or Q, a queen, not \[\]"),
    "a third side": (lambda: chess.position(2, "a1", "b1", "c1"), "the side to move, .* is 2"),
    "an unknown piece": (lambda: dobutsu.diagram(7), "7 is no position; read_position returns one"),
    "a great position": (lambda: dobutsu.key_of(10**30), "the number of the position is 10*;"),
    "a word in an array": (lambda: solve_shiritori(["abc"]).play(np.array([1, 2])), "a word is needed"),
    "a key of 0": (lambda: solve_rules(dobutsu.RULES, 0), "the key of the position is 0; .* at least 1"),
    "costs without rows": (lambda: cheapest_choice([1], 3), "a 0-1 program has a cost for each variable"),
    "a text as a cost": (
        lambda: cheapest_choice([1, "9"], [({0: 1}, 1)]),
        "the cost of variable 1 is '9'; give a number",
    ),
    "a row of one": (lambda: cheapest_choice([1], [({0: 1}, 1), ({0: 1},)]), r"row 1 of the 0-1 program is .*; write"),
    "a list as weights": (lambda: cheapest_choice([1], [([0], 1)]), r"row 0 of the 0-1 program is \(\[0\], 1\); write"),
    "a text as a sum": (lambda: cheapest_choice([1], [({0: 1}, "1")]), "the least sum of row 0 is '1'; give a number"),
    "an array as a sum": (lambda: cheapest_choice([1], [({0: 1}, np.array([1]))]), "the least sum of row 0 is"),
    "a complex sum": (lambda: cheapest_choice([1], [({0: 1}, 1j)]), "the least sum of row 0 is 1j; give a number"),
    "half a variable": (
        lambda: cheapest_choice([1], [({0.5: 1}, 1)]),
        "a variable of row 0 is 0.5; give a whole number",
    ),
    "a name": (lambda: cheapest_choice([1], [({"a": 1}, 1)]), "a variable of row 0 is 'a'; give a whole number"),
    "a weight that is none": (lambda: cheapest_choice([1], [({0: None}, 1)]), "the weight of variable 0 in row 0 is"),
    "a great weight": (
        lambda: cheapest_choice([1], [({0: 10**400}, 1)]),
        "variable 0 in row 0 is 10.*; the solver",
    ),
    "a great cost": (
        lambda: cheapest_choice([1, 10**400], [({0: 1}, 1)]),
        "cost of variable 1 is 10.*; the solver",
    ),
    "no finite sum": (
        lambda: cheapest_choice([1], [({0: 1}, float("inf"))]),
        "least sum of row 0 is inf; the solver",
    ),
    "costs by name": (lambda: cheapest_choice({0: 30}, [({0: 1}, 1)]), "a 0-1 program has a cost for each variable"),
    "a cell": (lambda: relaxed_cost([1] * 4, [({(0, 1): 1}, 1)]), r"a variable of row 0 is \(0, 1\); give a whole"),
    "a number for rows": (lambda: cheapest_choice([1], 3), "a 0-1 program has a cost for each variable"),
    "a weight too many": (
        lambda: relaxed_cost([1], [({0: 1}, 1), ({1: 1}, 1)]),
        "a variable of row 1 is 1; .* at most 0",
    ),
    "moves of 3": (
        lambda: solve_rules(RULES._replace(moves=3), 1),
        "a function for moves of .* is needed, not a value of",
    ),
    "ended by 3": (
        lambda: solve_rules(RULES._replace(ended=3), 1),
        "a function for ended of .* is needed, not a value of",
    ),
    "variables too few": (
        lambda: replace(FORMULA, there=()),
        r"needs one after it, all different; given are \('x0',\) and",
    ),
    "variables twice": (lambda: replace(FORMULA, there=("x0",)), "needs one after it, all different"),
    "no variables": (lambda: replace(FORMULA, here=3), "the variables of a position before a move is needed"),
    "not declared": (lambda: replace(FORMULA, here=("z",), moves=TRUE, playing=TRUE), "no variable 'z'; declare it"),
    "won twice": (
        lambda: replace(FORMULA, won=TRUE, lost=TRUE),
        "'playing' and 'won' have positions in common; each is",
    ),
    "another solver": (
        lambda: best_play(Othello(6), solver=Solver(Othello(4))),
        r"the solver is for boards of 4 rows, not of 6; take Solver\(game\)",
    ),
    "a larger root": (
        lambda: best_play(Othello(4), Othello(6).start),
        "the root has discs where a board of 4 rows has",
    ),
    "no budget": (lambda: Solver(Othello(4)).value(Othello(4).start, budget=3), "a Budget is needed"),
    "no set": (lambda: replace(FORMULA, won=None), "'won' has to be a BDD of the game's manager, not None"),
    "another manager": (lambda: replace(FORMULA, won=encode(GAME).won), "'won' has to be a BDD of the game's manager"),
    "a set of moves": (lambda: replace(FORMULA, lost=FORMULA.moves), "'lost' depends on 'y0', which is not among "),
    "names too many": (lambda: save_steps("a.png", range(10**12), solve(GAME)), "given are 1,000,000,000,000 for 2"),
    "names too few": (lambda: save_steps("a.png", ["a"], solve(GAME)), "given are 1 for 2 positions"),
}
"""What is wrong: a call, and what its error says."""

OBJECTS = {
    "GoBoard.parse": GoBoard.parse,
    "GoBoard.parse_sgf": GoBoard.parse_sgf,
    "save_picture": lambda value: save_picture("a.png", value),
    "read_go_board": read_go_board,
    "grundy_numbers": grundy_numbers,
    "best_scores": lambda value: best_scores(value, [1]),
    "is_acyclic": is_acyclic,
    "sum_of": lambda value: sum_of(GAME, value),
    "solve": solve,
    "solve_graph": solve_graph,
    "encode": encode,
    "layers": lambda value: list(layers(value)),
    "solve_symbolically": solve_symbolically,
    "solve_rules": lambda value: solve_rules(value, 1),
    "chess.position": lambda value: chess.position(0, "a1", value, "c1"),
    "chess.endgame": chess.endgame,
    "chess.line": lambda value: chess.line(value, 0, "R"),
    "chess.diagram": lambda value: chess.diagram(0, value),
    "best_line": lambda value: dobutsu.best_line(value, dobutsu.START),
    "parse_words": parse_words,
    "read_words": read_words,
    "play": solve_shiritori(["abc"]).play,
    "parse_game_csv": parse_game_csv,
    "parse_game_json": parse_game_json,
    "save_steps": lambda value: save_steps("a.png", ["a", "b"], value),
    "names": lambda value: save_steps("a.png", value, solve(GAME)),
    "read_text": read_text,
    "is_json": lambda value: is_json(value, "{"),
    "parse_csv": parse_csv,
    "parse_csv, root": lambda value: parse_csv("a,b", [] if value is None else value),
    "parse_json": parse_json,
    "parse_file": lambda value: parse_file("a.csv", value),
    "read_graph": read_graph,
    "from_networkx": PositionGraph.from_networkx,
    "umigame_numbers": umigame_numbers,
    "tree_lines": tree_lines,
    "repertoire": repertoire,
    "position_numbers": position_numbers,
    "following": lambda value: Repertoire.following(value, True, max, {}),
    "allowances": lambda value: umigame_algebra.allowances(value, True, 1),
    "plain_positions": umigame_algebra.plain_positions,
    "dominators": umigame_algebra.dominators,
    "derivation": derivation,
    "minimal_repertoires": umigame_checks.minimal_repertoires,
    "repertoire_by_families": umigame_checks.repertoire_by_families,
    "repertoire_by_program": umigame_checks.repertoire_by_program,
    "lines_by_leaf_sets": umigame_checks.lines_by_leaf_sets,
    "EdaxBook": EdaxBook,
    "EdaxBook.parse": EdaxBook.parse,
    "EdaxBook.graph": lambda value: EdaxBook({}).graph(tolerance=[] if value is None else value),
    "walk_book": lambda value: walk_book(value, Othello().start),
    "is_book_adviser": is_book_adviser,
    "parse_book_adviser": parse_book_adviser,
    "Othello": lambda value: Othello([] if value is None else value),
    "Othello.parse": Othello().parse,
    "Solver": Solver,
    "Solver.value": Solver(Othello(4)).value,
    "best_play": best_play,
    "best_play, solver": lambda value: best_play(Othello(4), solver=[] if value is None else value),
    "play_graph": lambda value: play_graph(Othello(4), Othello(4).start, None if callable(value) else value),
    "scored_graph": lambda value: scored_graph(Othello(4), value, max),
    "transcripts": lambda value: list(transcripts(Othello(4), Othello(4).start, value)),
}
"""Functions of one thing that is neither a number, a function nor a list."""

NUMBERS = {
    "alternating": lambda value: GoBoard.alternating(value, []),
    "cuts": cuts,
    "solve_program": solve_program,
    "fewest_empty_relaxed": fewest_empty_relaxed,
    "maximum_strings": maximum_strings,
    "stones": lambda value: stones(value, [1]),
    "kayles": kayles,
    "nim": nim,
    "nim_formula": nim_formula,
    "from_moves": lambda value: Game.from_moves(value, [], []),
    "chess.diagram": lambda value: chess.diagram(value, "R"),
    "dobutsu.diagram": dobutsu.diagram,
    "dobutsu.moves_from": dobutsu.moves_from,
    "key_of": dobutsu.key_of,
    "start": lambda value: solve_rules(dobutsu.RULES, value),
    "mobility_book": mobility_book,
    "most": lambda value: mobility_book(1, most=value),
}
"""Functions of one whole number."""

ECHOES = {
    "a point": (GoBoard.parse_sgf, "(;SZ[9]B[{}])"),
    "a circle": (lambda text: grundy_numbers(Game.from_moves(2, [0, 1], [1, 0]), [text, text]), "{}"),
    "a line of moves": (parse_csv, "{}"),
    "a line of a game": (parse_game_csv, "{}"),
    "a mover": (parse_csv, "a,b,{}"),
    "two roots": (parse_csv, "{0},a\n{0}b,c"),
    "no root": (lambda text: parse_json('{"moves": {"a": ["b"]}}', text), "{}"),
    "a word": (solve_shiritori(["abc"]).play, "{}"),
    "a square": (lambda text: chess.position(0, text, "a1", "b1"), "{}"),
    "a field of CSV": (lambda text: parse_book_adviser(f",num4black,num4white\n{text * 20}"), "{}"),
}
"""What echoes a text, and the text around it."""


@pytest.mark.parametrize(("call", "said"), WRONG.values(), ids=WRONG)
def test_a_value_of_the_wrong_kind_gets_one_sentence(call, said):
    with pytest.raises(MinesError, match=said):
        call()


@pytest.mark.parametrize(
    ("door", "values"),
    [(door, (None, 3, 1.5, [], print)) for door in OBJECTS.values()]
    + [(door, (None, 1.5, "x", [], print, -1, 10**30)) for door in NUMBERS.values()],
    ids=[*OBJECTS, *(f"{name}, number" for name in NUMBERS)],
)
def test_every_door_is_guarded(door, values):
    for value in (*values, np.array([1, 2])):
        with pytest.raises(MinesError):
            door(value)


@pytest.mark.parametrize(("call", "around"), ECHOES.values(), ids=ECHOES)
def test_what_is_echoed_is_short_and_in_one_line(call, around):
    with pytest.raises(MinesError) as error:
        call(around.format(LONG))
    assert len(str(error.value)) < 400
    assert str(error.value).isprintable()


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint32, np.int64])
def test_numbers_of_numpy_are_as_good_as_others(kind):
    assert maximum_strings(kind(6)).strings == 26
    assert boards(kind(5), kind(1)).count() == boards(5, 1).count() > 0
    assert cuts(kind(5)) == cuts(5)
    loose = [best_play(Othello(4), tolerance=Tolerance(loss), depth=4).labels for loss in (kind(3), 3)]
    assert loose[0] == loose[1]


def test_a_sum_that_does_not_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr(budget, "available_memory", lambda: 2**30)
    heap = stones(10**6, [1])
    with pytest.raises(BudgetExceededError, match=r"GiB more memory .*; add smaller games"):
        sum_of(heap, heap)


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_an_unknown_position_is_in_no_book():
    book = EdaxBook.parse(mobility_book(2))
    assert "f5" not in book.records
    assert book.records.get(None) is None
    assert len(book.graph(depth=10**30, tolerance=Tolerance(10**30))) == len(book.graph())
