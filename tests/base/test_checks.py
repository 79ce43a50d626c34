"""What the public names say to values of a wrong kind: one sentence, no error from deep inside."""

import networkx as nx
import numpy as np
import pytest

import mines_dd
from mines_dd import Assignments, Board, MinesError, Session, advise, analyse, explain, mine_graph, solve, subgraphs
from mines_dd.answers.interop import from_dd, from_graphillion, records, to_array
from mines_dd.base.budget import Budget
from mines_dd.board.examples import example
from mines_dd.board.files import board_or_replay, from_mbf, from_mine, read_board_file, to_mbf, to_mine
from mines_dd.board.picture import draw_board, save_board, save_totals
from mines_dd.board.replays import Move, replay_of, to_rawvf
from mines_dd.constraints.cnf_opb import clauses, from_opb
from mines_dd.constraints.shapes import box, hexagons, mine_graph_on, random_hints, torus
from mines_dd.frontier import (
    AllDegrees,
    ConnectedSubgraphs,
    Cycles,
    DegreeConstrained,
    Exactly,
    Forests,
    IndependentSets,
    Knapsack,
    Linear,
    Matchings,
    Paths,
    SpanningTrees,
    Spec,
    build,
    count,
    plan,
)
from mines_dd.play.coach import coach, risk_of
from mines_dd.play.coach_report import html_report, text_report
from mines_dd.play.field import make_field
from mines_dd.play.games import LEVELS, Level, deal, play_games
from mines_dd.play.no_guess import difficulty_of, grade, no_guess_board
from mines_dd.play.player import POLICIES, Policy

BEGINNER = LEVELS["beginner"]
BOARD = Board.parse("##1/221/000")
LAYOUT = Board.from_layout(2, 2, [(0, 0)])
REPLAY = replay_of(to_rawvf(LAYOUT, [(1, 1)]))
GRID = nx.grid_2d_graph(2, 3)
SNACKS = Knapsack({"crisps": 120, "gum": 50}, 150)
DEGREES = nx.Graph([(0, 1)])
nx.set_node_attributes(DEGREES, {0, 1}, "dc")
STREETS = Paths(GRID, (0, 0), (1, 2))


def with_dc(dc, **attributes):
    """A path of three vertices whose first has other degrees."""
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0, 1}, "dc")
    graph.nodes[0].update(attributes, dc=dc)
    return graph


class Empty(Spec):
    """A spec that sets nothing."""


class Childless(Spec):
    """A spec that does not say what follows."""

    def __init__(self, items):
        self.items, self.root = items, (0,)


class Silent(Childless):
    """A spec whose child returns nothing."""

    @staticmethod
    def child(state, level, taken, tables):
        state[0] += taken


class Rooted(Childless):
    """A spec that says wrongly where it begins, or how many items it skips."""

    def __init__(self, root, skips=0):
        super().__init__("ab")
        self.root, self.skips = root, skips

    child = staticmethod(lambda state, level, taken, tables: 1)


class Meeting(Childless):
    """A spec that says wrongly where its states meet."""

    def __init__(self, items, meets):
        super().__init__(items)
        self.meets = meets

    child = staticmethod(lambda state, level, taken, tables: 0)


CALLS = {
    "count 3": (lambda: count(3), "a spec such as Paths"),
    "build a graph": (lambda: build(GRID), "not a value of type Graph"),
    "build an empty spec": (lambda: build(Empty()), "Empty has no items; its __init__ sets that"),
    "build within 3": (lambda: build(SNACKS, 3), "a Budget is needed"),
    "build without child": (lambda: build(Childless("ab")), "Childless has no child; define it, with @staticmethod"),
    "build an item twice": (lambda: build(Childless("aa")), "Childless.items has 'a' twice; give each item a name"),
    "build lists": (lambda: build(Childless([["a"]])), r"\['a'\] is a list, which cannot be in it"),
    "a child that says nothing": (lambda: build(Silent("ab")), "Silent.child returned None.*at item 0"),
    "a step from nowhere": (lambda: SNACKS.step((), 0, True), r"\(\) is no state of Knapsack; it has 1 integer"),
    "a step from a text": (lambda: SNACKS.step("a", 0, True), "'a' is no state of Knapsack"),
    "a step of an empty spec": (lambda: Empty().step((0,), 0, True), "Empty has no items; its __init__ sets that"),
    "a step from lists": (lambda: SNACKS.step([[1], [1, 2]], 0, True), r"\[\[1\], \[1, 2\]\] is no state"),
    "a step from half": (lambda: SNACKS.step((0.5,), 0, True), r"\(0.5,\) is no state of Knapsack"),
    "a step from far": (lambda: SNACKS.step((2**63,), 0, True), "has an integer of more than 64 bits"),
    "a step from a root of 0": (lambda: Rooted(0).step((0,), 0, True), "Rooted.root is 0; it is a tuple"),
    "a step that skips texts": (
        lambda: Rooted((0,), "1").step((0,), 0, True),
        "Rooted.skips is '1'; it is a whole number",
    ),
    "a step at item 2": (lambda: SNACKS.step((0,), 2, True), "the number of an item is 2; .* at least 0 and at most 1"),
    "a step of maybe": (lambda: SNACKS.step((0,), 0, "x"), "True or False for taken is needed"),
    "a step to no edge": (lambda: STREETS.step((-1,), 0, True), r"Paths.child fails at item 0 .*, taken=1: IndexError"),
    "a step of what is decided": (lambda: Matchings(nx.Graph(), perfect=True).show((0,), 0), "the number of an item"),
    "a state of no path": (lambda: Paths(nx.empty_graph(2), 0, 1).step((0,), 0, True), "the number of an item is 0"),
    "a step of an array": (lambda: SNACKS.step((0,), 0, np.zeros(2)), "True or False for taken is needed"),
    "an order for perfect": (lambda: Matchings(GRID, list(GRID.edges)), "True or False for perfect is needed, not a"),
    "sharing an array": (lambda: build(SNACKS, share=np.zeros(2)), "True or False for share is needed"),
    "pruning a text": (lambda: build(SNACKS, prune="no"), "True or False for prune is needed"),
    "pruning edges by an array": (
        lambda: DegreeConstrained.of_edges([(0, 1)], [{1}, {1}], prune=np.zeros(2)),
        "True or False for prune is needed",
    ),
    "false arcs in an array": (lambda: build(SNACKS).drawing(np.zeros(2)), "True or False for false_arcs is needed"),
    "a title of an array": (lambda: build(SNACKS).drawing(title=np.zeros(2)), "the title of the drawing, a text, is"),
    "hexagons wrap an array": (lambda: hexagons(4, 4, wraps=np.zeros(2)), "True or False for wraps is needed"),
    "spaces in an array": (lambda: BOARD.to_text(np.zeros(2)), "True or False for spaces is needed"),
    "simplify by a word": (lambda: solve(BOARD, simplify="no"), "True or False for simplify is needed"),
    "tests when in doubt": (lambda: AllDegrees(DEGREES, tests="last edges"), "no time of tests .* mean 'last edge'"),
    "a click of one number": (lambda: to_rawvf(LAYOUT, [3]), "3 is no click; write .row, column.*, or .* seconds"),
    "a click without seconds": (lambda: to_rawvf(LAYOUT, [(0, 1, "l")]), "is no click; write"),
    "a click on a half": (lambda: to_rawvf(LAYOUT, [(0.5, 1)]), "is no cell; write"),
    "a click with the wheel": (lambda: to_rawvf(LAYOUT, [(0, 1, "x", 1)]), "there is no button 'x'; choose l or r"),
    "a click at noon": (
        lambda: to_rawvf(LAYOUT, [(0, 1, "l", "noon")]),
        "the time of a click is 'noon'; give a number",
    ),
    "a click outside": (lambda: to_rawvf(LAYOUT, [(5, 1)]), "there is no cell at row 5, column 1 of 2x2"),
    "a breadth of an array": (
        lambda: play_games(BEGINNER, "safe", Policy(breadth=np.zeros(2)), range(1)),
        "breadth of the policy is array.*; give a whole number of at least 0",
    ),
    "an opening in words": (lambda: advise(BOARD, policy=Policy(opening="x")), "opening of the policy is 'x'; give a"),
    "a doubt of nan": (lambda: advise(BOARD, policy=Policy(doubt=float("nan"))), "doubt of the policy is nan; give a"),
    "guesses in words": (lambda: advise(BOARD, policy=Policy(guesses="no")), "True or False for guesses of the policy"),
    "a level of x rows": (lambda: no_guess_board(Level("x", 9, 10)), "the number of rows is 'x'; give a whole number"),
    "a level of an array": (lambda: Level(9, np.zeros(2), 10).first("zero"), "the number of columns is array"),
    "progress in words": (lambda: coach(REPLAY, progress="x"), "a function for progress is needed, not a value of"),
    "calls of 3": (lambda: Budget().repeated(2, 3), "a function to call is needed"),
    "a picture called 3": (lambda: save_board(3, BOARD.grid, {}), "the name of a file is needed"),
    "a picture of no rows": (lambda: save_board("x.png", (), {}), "rows of the same length, none empty"),
    "a picture of a frame 3": (lambda: save_board("x.png", BOARD.grid, {}, 3), "3 is no cell"),
    "a picture of 17 percent": (
        lambda: save_board("x.png", BOARD.grid, {(0, 0): 17}),
        r"the probability of \(0, 0\) is 17; give a number from 0 to 1",
    ),
    "a picture of chances": (
        lambda: save_board("x.png", BOARD.grid, {(0, 0): np.zeros(2)}),
        r"the probability of \(0, 0\) is array",
    ),
    "a picture drawn of no dict": (lambda: draw_board(None, BOARD.grid, 3), "a dict of probabilities is needed"),
    "totals called 3": (lambda: save_totals(3, {1: 0.0}), "the name of a file is needed"),
    "a total in words": (lambda: save_totals("x.png", {"x": 0.0}), "a total number of mines is 'x'; give a whole"),
    "a total of an array": (lambda: save_totals("x.png", {1: 0.0}, np.zeros(2)), "the total number of mines is array"),
    "show None": (lambda: SNACKS.show(None, 0), "None is no state of Knapsack"),
    "show item x": (lambda: STREETS.show((0,), "x"), "the number of an item is 'x'"),
    "show nowhere": (lambda: STREETS.show((12345,), 3), r"Paths.label fails at item 3 .*: KeyError"),
    "bytes in words": (lambda: Budget().reserve("x"), "the number of bytes is 'x'; give a number"),
    "nodes of an array": (lambda: Budget().refuse(np.zeros(2), 1, 1), "the number of nodes is array"),
    "seconds that are nan": (lambda: Budget().refuse(1, float("nan"), 1), "the number of seconds is nan"),
    "nodes that are none": (lambda: Budget().check(None), "the number of nodes is None"),
    "each of 3": (lambda: list(Budget().each(3)), "a list of items is needed"),
    "blocks of a list": (lambda: list(Budget().blocks([1])), "a range is needed"),
    "the method of an array": (lambda: solve(BOARD, method=np.array([])), r"there is no method array\(\[\]"),
    "an order without axes": (lambda: solve(BOARD, "bdd", order=np.array(3)), "is needed, not a value of type ndarray"),
    "mines without axes": (lambda: Board.from_layout(3, 3, np.array(3)), "a list of mines is needed, not a value"),
    "a rule in an array": (lambda: advise(BOARD, rule=np.array([1, 2])), "there is no start rule array"),
    "a hint None": (lambda: mine_graph({None: ("ab", 1)}), "a hint is called None, which is no name of a hint"),
    "meetings of one item": (
        lambda: count(Meeting("ab", [True])),
        r"Meeting.meets is \[True\]; it has True or False",
    ),
    "the method BDD": (lambda: solve(BOARD, method="BDD"), "no method 'BDD'; choose .* or tree; did you mean 'bdd'"),
    "the order Row": (lambda: solve(BOARD, "bdd", order="Row"), "no order of cells .* 'Row'; .*did you mean 'row'"),
    "an order of hints": (lambda: solve(BOARD, "tree", order="minfill"), "did you mean 'min-fill'"),
    "an array to conjoin": (
        lambda: solve(BOARD, "bdd", conjoin=np.array([])),
        "there is no way to conjoin hints array",
    ),
    "a path from an array": (lambda: Paths(GRID, np.array([]), (1, 2)), "joins two different vertices"),
    "the grade of an array": (lambda: grade(LAYOUT, np.array([])), r"there is no difficulty array\(\[\]"),
    "the shape Torus": (lambda: make_field(5, 5, 3, "Torus"), "choose box, torus or hexagons; did you mean 'torus'"),
    "a backend in an array": (lambda: solve(BOARD, "bdd", backend=np.array([])), "the name of a backend, or auto, is"),
    "a kind in an array": (lambda: analyse(BOARD).log_likelihood(np.array([])), "there is no kind of board array"),
    "a number beyond print": (lambda: Board(("#",), 10**5000), r"mines: about 10\^5000 is impossible"),
    "a size beyond print": (lambda: Board.from_layout(10**5000, 3, []), r"a board of about 10\^5000x3 cells"),
    "a total beyond print": (lambda: analyse(BOARD, 10**5000), r"about 10\^5000 mines are impossible"),
    "a place beyond print": (lambda: explain(BOARD, (10**5000, 0)), r"no cell at row about 10\^5000, column 0"),
    "samples beyond memory": (lambda: solve(BOARD).sample(10**400), "needs .* GiB more memory"),
    "a long name": (lambda: Board.read("x" * 9000), r"^cannot read 'x{296}\.\.\.: File name too long; give"),
    "a path between long names": (lambda: Paths(GRID, "x" * 999, (0, 0)), r"'x+\.\.\. and \(0, 0\) are not$"),
    "a loop in subgraphs": (lambda: subgraphs(nx.Graph([("u", "u")])), "vertex 'u' has an edge to itself"),
    "a path to its start": (lambda: Paths(GRID, (0, 0), (0, 0)), "joins two different vertices"),
    "opb of bytes": (lambda: from_opb(b""), "the text of an OPB file is needed"),
    "a layout that is no set": (lambda: Board(("##1",), 1, 3), "the layout is a set of mines, each a"),
    "cells next to 3": (lambda: BOARD.neighbours(3), "3 is no cell; write"),
    "cells next to none": (lambda: BOARD.neighbours((9, 9)), "there is no cell at row 9, column 9"),
    "open 3": (lambda: LAYOUT.open_all(3), "a list of cells, each a .row, column., is needed"),
    "mark None": (lambda: BOARD.mark(None), "a list of cells, each a .row, column., is needed"),
    "a count of 9": (lambda: BOARD.reveal({(0, 0): 9}), "the count 9 at row 0, column 0 is not 0 to 8"),
    "a count in an array": (lambda: BOARD.reveal({(0, 0): np.zeros(2)}), r"the count array\(\[0., 0.\]\) at row 0"),
    "a session of 10**30 rows": (lambda: Session.start(10**30, 3), "a board of 10{30}x3 cells is impossible"),
    "numbers of 3": (lambda: analyse(BOARD).numbers(3), "3 is no cell"),
    "layouts in words": (lambda: analyse(BOARD).sample("x"), "the number of layouts to return is 'x'; give a whole"),
    "a seed of layouts": (lambda: analyse(BOARD).sample(1, -1), "the seed is -1; give a whole number of at least 0"),
    "a seed in a list": (lambda: solve(BOARD).sample(1, [1]), r"the seed is \[1\]; give a whole number or a text"),
    "nodes in parts": (lambda: Budget(max_nodes=2.5), "the limit of nodes is 2.5; give a whole number"),
    "seconds in an array": (lambda: Budget(timeout=np.zeros((2, 2))), r"array\(\[\[0., 0.\], \[0., 0.\]\]\); give"),
    "degrees in lists": (lambda: mine_graph({"h": ("ab", [[1]])}), r"dc=\[\[1\]\]; allowed degrees are integers"),
    "a long text for a number": (lambda: Budget(timeout="x" * 10**6), "^.{60,140}$"),
    "forests of 3": (lambda: Forests(3), "a networkx.Graph is needed"),
    "edges of 3": (
        lambda: DegreeConstrained.of_edges(3, [{1}, {1}]),
        "a list of pairs of numbers of vertices",
    ),
    "an edge to nowhere": (lambda: DegreeConstrained.of_edges([(0, 2)], [{1}, {1}]), r"\(0, 2\) is no edge; .* 0 to 1"),
    "an edge of arrays": (
        lambda: DegreeConstrained.of_edges([(0, np.zeros(2))], [{1}, {1}]),
        r"\(0, array\(\[0., 0.\]\)\) is no edge; write a pair of numbers",
    ),
    "degrees in words": (
        lambda: DegreeConstrained.of_edges([(0, 1)], [["x"], {1}]),
        r"vertex 0 has dc=\['x'\]; allowed",
    ),
    "a degree in a tuple": (lambda: subgraphs(with_dc(([1], 0))), r"dc=\(\[1\], 0\); allowed degrees are integers"),
    "a side in an array": (
        lambda: solve(with_dc({1}, bipartite=np.zeros(2))),
        r"vertex 0 has bipartite=array\(\[0., 0.\]\); write 0 for a cell",
    ),
    "degrees 3": (lambda: DegreeConstrained.of_edges([(0, 1)], [1, 1]), "a set of degrees for each vertex is needed"),
    "a family as mines": (lambda: solve(BOARD).given(mines=solve(BOARD)), "a list of cells is needed, not a whole"),
    "an item twice": (lambda: Exactly("aab", 2), "the list of items has 'a' twice; give each item a name of its own"),
    "a plan of no states": (lambda: plan(SNACKS, 0), "the number of states to make is 0; give a whole number of at"),
    "a box of 10**400": (lambda: box(10**400, 2), r"a board with about 10\^400 cells is too large"),
    "a box of 10**30": (lambda: box(10**30), "a board with 1e.30 cells is too large; at most 10,000,000 are made"),
    "clauses of a board": (lambda: clauses(BOARD), "an Instance is needed"),
    "marks of a list": (lambda: advise(BOARD).marks([[]]), "is no cell"),
    "a shape in a list": (lambda: make_field(5, 5, 3, []), r"there is no shape \[\]"),
    "a click at a text": (lambda: to_rawvf(LAYOUT, [("a", 1)]), r"\('a', 1\) is no cell; write"),
    "clicks 3": (lambda: to_rawvf(LAYOUT, 3), "a list of clicks, each a .row, column., is needed"),
    "the example 3": (lambda: example(3), "there is no example 3; choose figure9"),
    "join with 3": (lambda: SNACKS & 3, "a spec such as Paths"),
    "paths of 3": (lambda: Paths(3, 1, 2), "a networkx.Graph is needed, not a value of type int"),
    "cycles of None": (lambda: Cycles(None), "a networkx.Graph is needed"),
    "trees of a list": (lambda: SpanningTrees([1, 2]), "a networkx.Graph is needed"),
    "edges in the order 5": (lambda: Matchings(GRID, order=5), "a list of all edges"),
    "edges in an order of numbers": (lambda: Matchings(GRID, order=[1, 2]), "a list of pairs of vertices"),
    "vertices in the order 5": (lambda: IndependentSets(GRID, order=5), "a list of all vertices"),
    "terminals 3": (lambda: ConnectedSubgraphs(GRID, 3), "a list of terminals"),
    "weights 3": (lambda: Knapsack(3, 3), "a dict of weights"),
    "a name among weights": (lambda: Knapsack([1, "a"], 3), "the weight of 1 "),
    "a weight in words": (lambda: Knapsack({"gum": "light"}, 3), "the weight of 'gum' is 'light'; give a number"),
    "a weight of nan": (lambda: Knapsack({"gum": float("nan")}, 3), "the weight of 'gum' is nan; give a number"),
    "a capacity of None": (lambda: Knapsack({"gum": 1}, None), "the capacity is None; give a number"),
    "no number of items": (lambda: Exactly("abc", None), "the allowed number of items is missing"),
    "an infinite weight": (
        lambda: Knapsack([1, float("inf")], 5),
        "weights, sums and counts are finite numbers, not inf",
    ),
    "two cells joined": (
        lambda: solve(nx.compose(mine_graph({"h": ("abc", 1)}), nx.Graph([("a", "b")]))),
        "edge 'a' - 'b' joins two cells",
    ),
    "a sum in words": (lambda: Linear({"gum": 1}, least="x"), "weights, sums and counts are finite numbers"),
    "items 3": (lambda: Exactly(3, 3), "a list of items"),
    "seconds in words": (lambda: solve(BOARD, timeout="x"), "the limit of seconds is 'x'; give a number"),
    "seconds below 0": (lambda: Budget(timeout=-1), "the limit of seconds is -1; give 0 or more, or None for no limit"),
    "seconds nan": (lambda: solve(BOARD, timeout=float("nan")), "the limit of seconds is nan"),
    "nodes in words": (lambda: Budget(max_nodes="x"), "the limit of nodes is 'x'"),
    "cells in the order 5": (lambda: solve(BOARD, order=5), "the name of an order, or a list of all cells or hints,"),
    "cells that are lists": (lambda: solve(BOARD, order=[[0, 0]]), r"\[0, 0\] is a list.*a tuple can"),
    "methods in a list": (lambda: solve(BOARD, method=["tree"]), "there is no method"),
    "subgraphs of 3": (lambda: subgraphs(3), "a networkx.Graph is needed"),
    "a text for a board": (lambda: advise("##1"), "Board.parse reads a text"),
    "analyse within 3": (lambda: analyse(BOARD, budget=3), "write mines_dd.Budget"),
    "a share of a mine": (lambda: analyse(BOARD, mines=2.5), "the total number of mines is 2.5; give a whole number"),
    "a policy by name": (lambda: advise(BOARD, policy="best"), "a Policy, such as .*is needed"),
    "explain a row": (lambda: explain(BOARD, 0), "0 is no cell"),
    "a session of 3": (lambda: Session(3), "a Board is needed"),
    "a session of x mines": (lambda: Session(BOARD, "x"), "the total number of mines is 'x'"),
    "a session of x rows": (lambda: Session.start("x", 3), "the number of rows is 'x'"),
    "reveal in a session": (lambda: Session(BOARD).reveal(3), "a dict of counts"),
    "open in a session": (lambda: Session(BOARD).open(3, 1), "3 is no cell"),
    "flag in a session": (lambda: Session(BOARD).flag(3), "3 is no cell"),
    "parse 3": (lambda: Board.parse(3), "the text of a board is needed"),
    "read 3": (lambda: Board.read(3), "the name of a file is needed"),
    "rows in a text": (lambda: Board("###"), "a tuple of rows is needed, not a text; Board.parse reads a whole board"),
    "rows 3": (lambda: Board(3), "a tuple of rows"),
    "rows of numbers": (lambda: Board((1, 2)), "a row of a board is a string"),
    "x mines": (lambda: Board(("##",), "x"), "the total number of mines is 'x'"),
    "a random board of x rows": (lambda: Board.random("x", 3, 2), "the number of rows is 'x'"),
    "a random board of x mines": (lambda: Board.random(3, 3, "x"), "the number of mines is 'x'"),
    "a random board with a list for a seed": (lambda: Board.random(3, 3, 2, seed=[1]), r"the seed is \[1\]"),
    "a layout of numbers": (lambda: Board.from_layout(1, 5, [3]), "3 is no cell"),
    "a layout of 3": (lambda: Board.from_layout(1, 5, 3), "a list of mines is needed"),
    "open a half": (lambda: LAYOUT.open(0.5, 0), "is no cell"),
    "reveal a list": (lambda: BOARD.reveal([(0, 0)]), "a dict of counts"),
    "a replay of 3": (lambda: replay_of(3), "the text of a replay is needed, not a value of type int; read_replay"),
    "a replay of a text": (lambda: to_rawvf("##1", []), "a Board is needed"),
    "the bytes of a text": (
        lambda: board_or_replay("a.txt", "##1"),
        "the content of a file, bytes, is needed, not a value of type str; Board.parse",
    ),
    "a folder for a board": (lambda: read_board_file(3), "the name of a file is needed"),
    "an mbf of text": (lambda: from_mbf("abc"), "the content of a file, bytes, is needed"),
    "a mine of bytes": (lambda: from_mine(b"abc"), "the text of a file is needed, not a value of type bytes"),
    "an mbf for a text": (lambda: to_mbf("##1"), "a Board is needed"),
    "a mine for a text": (lambda: to_mine("##1"), "a Board is needed"),
    "a side in words": (lambda: torus("x", 3), "a side of a board is 'x'; give a whole number"),
    "a shape of 3": (lambda: mine_graph_on(3, {}), "a networkx.Graph of cells"),
    "hints in a list": (lambda: mine_graph_on(GRID, [(0, 0)]), "a dict of hints"),
    "mines in words": (lambda: random_hints(GRID, "x", 1, 1), "the number of mines is 'x'; give a whole number of at"),
    "hints below 0": (lambda: random_hints(GRID, 1, -1, 1), "the number of hints is -1; give a whole number of at"),
    "coach a text": (lambda: coach("Board:"), "a Replay is needed, not a value of type str; read_replay reads one"),
    "a page of texts": (lambda: html_report(["x"]), "'x' is no name with its Judgement"),
    "a picture of nan": (lambda: save_board("x.png", ("#1",), {(0, 0): float("nan")}), "is nan; give a number"),
    "a picture of no totals": (lambda: save_totals("x.png", {}), "there is no total to draw"),
    "a picture for no name": (lambda: save_totals(None, {1: 0.0}), "the name of a file is needed"),
    "a total in a list": (lambda: save_totals("x.png", {1: 0.0}, [1]), r"the total number of mines is \[1\]; give"),
    "a click elsewhere": (
        lambda: risk_of(analyse(BOARD), Move(0.0, (0, 2), ((0, 2),), BOARD, BOARD)),
        "nothing is known of the cells opened at row 0, column 2; analyse the position before it",
    ),
    "a picture of texts": (lambda: save_totals("x.png", {1: "a"}), "a likelihood is 'a'; give a number"),
    "a report of 3": (lambda: text_report(3), "a Judgement is needed"),
    "a level by name": (lambda: no_guess_board("beginner"), "a Level is needed.*one of LEVELS, or Level"),
    "a large level": (lambda: no_guess_board(Level(30, 34, 10)), "has at most 1,000 cells, not 1,020; take fewer rows"),
    "a level of shapes": (lambda: no_guess_board(Level(9, 9, 10, np.zeros(2))), "there is no shape array"),
    "a torus without guesses": (
        lambda: no_guess_board(LEVELS["expert-torus"]),
        "a Level of the shape 'box', not 'torus'",
    ),
    "a first cell 3": (lambda: no_guess_board(BEGINNER, 3), "3 is no cell; write"),
    "a first cell outside": (lambda: no_guess_board(BEGINNER, (9, 0)), "no cell at row 9, column 0 of 9x9"),
    "a hard grade": (lambda: grade(LAYOUT, "Hard"), "no difficulty 'Hard'; choose easy, medium or hard; did"),
    "grade a text": (lambda: grade("##1"), "a Board is needed"),
    "the step 3": (lambda: difficulty_of(3), "an Explanation is needed"),
    "games in words": (
        lambda: play_games(BEGINNER, "safe", POLICIES["safest"], 10),
        "a range of games, such as range.100., is needed",
    ),
    "a policy in games": (lambda: play_games(BEGINNER, "safe", "best", range(1)), "a Policy, such as .*is needed"),
    "a field of x rows": (lambda: make_field("x", 3), "the number of rows is 'x'; give a whole number of at least 1"),
    "deal on 3": (lambda: deal(3, 1, 0), "a Field is needed"),
    "deal from cell 9": (lambda: deal(make_field(3, 3), 1, 9), "there is no cell 9; 9 cells are numbered from 0"),
    "deal with a seed below 0": (
        lambda: deal(make_field(3, 3), 1, 0, seed=-1),
        "the seed is -1; give a whole",
    ),
    "deal with a long seed": (lambda: deal(make_field(3, 3), 1, 0, seed=2**128), "a seed has at most 128 bits"),
    "an array of a text": (lambda: to_array("##1"), "a Board is needed"),
    "records of a board": (lambda: records(BOARD), "what solve or analyse returns is needed"),
    "a picture of a board": (
        lambda: save_board("x.png", BOARD, {}),
        "the grid of a board, its rows, is needed",
    ),
    "hints 3": (lambda: mine_graph(3), "a Board, or a dict of hints"),
    "cells that are no labels": (lambda: mine_graph({"h": ([["a"]], 1)}), "which cannot be in it"),
    "a cell with its data": (lambda: mine_graph({"h": ([(0, {})], 1)}), "what is in it can change, so it cannot name"),
    "a cell None": (lambda: mine_graph({"h": ([None], 1)}), "no name of a cell"),
    "costs 3": (lambda: solve(BOARD).cheapest(3), "a dict of costs"),
    "a cost in words": (lambda: solve(BOARD).cheapest({(0, 0): "x"}), r"the cost of \(0, 0\) is 'x'"),
    "given 3": (lambda: solve(BOARD).given(mines=3), "a list of cells is needed"),
    "given lists": (lambda: solve(BOARD).given(mines=[[0, 0]]), "which cannot be in it"),
    "save as 3": (lambda: solve(BOARD).save(3), "the name of a file is needed"),
    "save as no name": (lambda: solve(BOARD).save("a\0b"), "cannot write .*: embedded null"),
    "no graph set": (lambda: from_graphillion(3), "a GraphSet of Graphillion is needed, not a value of type int"),
    "no node": (lambda: from_dd(3, []), "a node of a dd manager, then the cells, is needed, not a value of type int"),
    "load 3": (lambda: Assignments.load(3), "the name of a file is needed"),
    "a manager 3": (lambda: solve(BOARD).to_dd(3), "a manager such as dd.autoref.BDD()"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_value_of_a_wrong_kind_gets_one_sentence(name):
    call, sentence = CALLS[name]
    with pytest.raises(MinesError, match=sentence) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_what_cannot_be_an_assignment_is_none():
    assert [[1]] not in solve(BOARD)
    assert 3 not in solve(BOARD)


def test_a_budget_is_a_public_name():
    assert mines_dd.Budget is Budget
    assert "Budget" in dir(mines_dd)


def test_any_number_of_the_cheapest_may_be_asked_for():
    assert len(solve(Board.parse(example("figure10"))).cheapest({}, 10**30)) == 66


def test_sums_of_at_least_infinity_are_none():
    assert count(Linear({"gum": 1}, least=float("inf"))) == 0
    assert count(Linear({"gum": 1}, most=float("inf"))) == 2


@pytest.mark.parametrize("false", [False, 0, np.False_])
def test_false_is_false_however_it_is_written(false):
    assert solve(BOARD, "dc", simplify=false).node_count == solve(BOARD, "dc", simplify=False).node_count == 6
