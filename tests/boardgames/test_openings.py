"""Openings as players meet them: which moves are followed, every position's number, derivations, lines, pictures."""

import functools
import json
import random
from itertools import accumulate, product

import networkx as nx
import pytest
from commands import DATA, rows, run
from position_graphs import WORKED, book_moves, csv_of, graph_of, layered_graph, random_graph

from experiments.umigame import TRAP
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError, GraphFormatError, MinesError
from mines_dd.boardgames import openings
from mines_dd.boardgames.book_adviser import parse_book_adviser
from mines_dd.boardgames.edax_book import EdaxBook, Link, Record
from mines_dd.boardgames.edax_making import mobility_book
from mines_dd.boardgames.openings import learned, lines_to_learn, named, named_othello, save_opening
from mines_dd.boardgames.othello import PASS, Othello, Position, Solver
from mines_dd.boardgames.othello_graphs import Tolerance, best_play, scored_graph
from mines_dd.boardgames.umigame import position_numbers, repertoire, tree_lines, umigame_numbers
from mines_dd.boardgames.umigame_checks import lines_by_leaf_sets
from mines_dd.boardgames.umigame_derivation import derivation

TREE = str(DATA / "umigame_tree.csv")


@pytest.mark.ci
def test_every_position_has_the_number_of_the_graph_below_it():
    rng = random.Random(1)
    for _ in range(300):
        graph = random_graph(rng)
        for own in (True, False):
            expected = [repertoire(graph.below(v), own).lines for v in range(len(graph))]
            assert position_numbers(graph, own) == expected


def test_the_worked_examples_numbers():
    numbers = dict(zip((graph := graph_of(WORKED)).labels, position_numbers(graph), strict=True))
    assert (numbers["r"], numbers["W1"], numbers["W2"], numbers["p3"], numbers["p4"], numbers["B"]) == (
        3,
        4,
        3,
        3,
        1,
        3,
    )


def test_the_derivation_is_the_articles():
    steps = derivation(graph_of(WORKED)).steps
    assert steps[-3:] == (
        "depth 1: r = min(1 + b, a + b)",
        "         with b = 2 + a: min(1 + 2 + a, a + 2 + a) = min(3 + a, 2 + a), as a + a = a",
        "         with a = 1: min(3 + 1, 2 + 1) = min(4, 3) = 3",
    )
    assert "depth 4: B = b, where b = 1 + 1 + a = 2 + a" in steps


def test_a_derivation_calls_positions_as_it_is_told_and_keeps_to_its_budget():
    graph = graph_of(WORKED)
    names = [f"<{label}>" for label in graph.labels]
    assert any(step.startswith("depth 1: <r> = ") for step in derivation(graph, names=names).steps)
    with pytest.raises(MinesError, match="1 name for "):
        derivation(graph, names=["r"])
    with pytest.raises(BudgetExceededError, match="more than 1 term at '<"):
        derivation(graph, names=names, budget=Budget(max_nodes=1))
    with pytest.raises(BudgetExceededError, match="not done after 0 seconds"):
        derivation(graph, budget=Budget(timeout=0))


def test_derivations_end_with_the_number():
    rng = random.Random(2)
    for graph in [*(random_graph(rng) for _ in range(500)), *(layered_graph(rng) for _ in range(20))]:
        for own in (True, False):
            try:
                found = derivation(graph, own)
            except BudgetExceededError:
                continue
            assert found.lines == repertoire(graph, own).lines
            assert found.steps[-1].endswith(str(found.lines))


def test_leaf_sets_are_an_upper_bound_and_no_more():
    rng = random.Random(3)
    differ = 0
    for _ in range(300):
        graph = random_graph(rng)
        for own in (True, False):
            found = lines_by_leaf_sets(graph, own)
            assert repertoire(graph, own).lines <= found <= tree_lines(graph, own)
            differ += found > repertoire(graph, own).lines
    assert differ > 5
    assert (lines_by_leaf_sets(graph_of(WORKED)), lines_by_leaf_sets(graph_of(WORKED), False)) == (3, 2)
    trap = graph_of({v: below.split() for v, below in TRAP.items()})
    assert (lines_by_leaf_sets(trap), repertoire(trap).lines) == (3, 2)


@functools.cache
def small():
    """A small game, and its solver, which remembers what it has solved."""
    game = Othello(4)
    return game, Solver(game)


def lines_of(game, moves, position, depth, tolerance, own=True, lost=0):
    """All lines of some length, by trying every move: the folded positions, and who is to move at the leaf."""
    here = game.folded(position)
    choice = list(moves(here)) if depth else []
    lines = set()
    for score, after in choice:
        less = max(choice)[0] - score
        seen = score if own else -score
        total = tolerance.total is None or lost + less <= tolerance.total
        if less <= tolerance.loss and total and tolerance.low <= seen <= tolerance.high:
            left = depth - ((after.player | after.opponent) != (here.player | here.opponent))  # a pass is none
            lines |= {(here, *line) for line in lines_of(game, moves, after, left, tolerance, not own, lost + less)}
    return lines or {(here, own)}


def lines_in(graph, v=0):
    """The same of a graph."""
    label = graph.labels[v]
    if not graph.children[v]:
        return {(label.position, label.own)}
    return {(label.position, *line) for child in graph.children[v] for line in lines_in(graph, child)}


def scored(game, position, score):
    """The moves of a position."""
    return [(score(after), after) for after in (game.play(position, turn) for turn in game.turns(position))]


@pytest.mark.parametrize(
    "tolerance", [Tolerance(), Tolerance(4), Tolerance(6, 6), Tolerance(2, 4), Tolerance(8, low=-8, high=-4)]
)
def test_the_leaves_are_those_of_all_lines_that_lose_little(tolerance):
    game, solver = small()
    graph = best_play(game, tolerance=tolerance, depth=6, solver=solver)
    leaves = {(graph.labels[v].position, graph.labels[v].own) for v in graph.leaves}
    lines = lines_of(game, lambda p: scored(game, p, lambda after: -solver.value(after)), game.start, 6, tolerance)
    assert lines_in(graph) == lines
    assert leaves == {line[-2:] for line in lines}
    assert len(graph.leaves) == len(leaves)  # a leaf is one, whatever was lost before


def test_a_line_that_may_lose_no_more_ends_where_the_best_move_is_out_of_range():
    game = Othello()
    book = EdaxBook.parse(mobility_book(5, loss=4))

    for total, low, high in product((1, 2, 3, 4), (-4, -1), (0, 2)):
        tolerance = Tolerance(total, total, low, high)
        graph = book.graph(tolerance=tolerance)
        assert lines_in(graph) == lines_of(game, lambda p: book_moves(book, p), game.start, 60, tolerance)
        leaves = [graph.labels[v][:2] for v in graph.leaves]
        assert len(set(leaves)) == len(leaves)


def test_a_line_that_has_lost_enough_goes_on_with_best_moves():
    game, solver = small()
    sizes = [len(best_play(game, tolerance=Tolerance(8, total), solver=solver)) for total in (0, 2, 4, 8)]
    assert sizes[0] == len(best_play(game, solver=solver))
    assert sizes == sorted(sizes)


def test_mirrored_moves_are_counted_one_by_one_as_libedax_does():
    game = Othello()
    start, f5 = game.folded(game.start), game.parse("f5")
    f6 = game.square("f6")
    after = game.parse("f5f6")
    two = Record(after, tuple(Link(0, square) for square in game.turns(after)[:2]))  # two of Black's moves
    book = EdaxBook(
        {
            start: Record(game.start, (Link(0, 37),)),
            game.folded(f5): Record(f5, (Link(0, f6),)),
            game.folded(after): two,
        }
    )
    graph = book.graph(mirrors=True)
    assert umigame_numbers(book.graph()) == (1, 2)
    assert umigame_numbers(graph) == (1, 8)  # four images of f5, two lines each, for White to know
    assert len(graph.leaves) == 8


ADVISER = ",num4black,num4white,0,1\nF5,1.0,2.0,1.0,2.0\nF5D6,1.0,1.0,3.0,\nF5F6,1.0,1.0,,\nF5D6C3,1.0,1.0,,"


def test_a_file_of_book_adviser_is_read(tmp_path):
    opening = parse_book_adviser(ADVISER)
    graph = opening.graph()
    assert (len(graph), umigame_numbers(graph, transpositions=False), opening.numbers) == (4, (1, 2), (2, 1))
    path = tmp_path / "opening.csv"
    path.write_text(ADVISER)
    lines = run("umigame", str(path), "--lines", "opponent").splitlines()
    assert lines[:3] == ["1:2", "without transpositions 1:2", "published 2:1"]
    assert [line.split(maxsplit=1)[1] for line in lines[5:]] == ["1. d6 c3", "1. f6"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ADVISER.replace("F5F6", "F5F5"), "line 4: 'F5' is no move"),
        (ADVISER.replace("2.0\n", "9.0\n", 1), "line 2: there is no position 9"),
        (ADVISER.replace("3.0,", "0.0,"), "line 3: the moves of position 0 are not longer"),
        (ADVISER.replace("1.0,2.0,1.0", "one,2.0,1.0"), "line 2: a position is written as"),
        (ADVISER.splitlines()[0], "line 2: the file holds no position"),
        (ADVISER + "\nF5D6C3,1", "line 6: a position needs"),
    ],
)
def test_a_bad_file_of_book_adviser_names_the_line(text, message):
    with pytest.raises(GraphFormatError, match=message):
        parse_book_adviser(text)


def positions(graph, moves):
    """The numbers of the positions on the way from the root; each move is the label of where it leads."""
    at = [0]
    for move in moves:
        at.append(next(child for child in graph.children[at[-1]] if str(graph.labels[child]) == move))
    return at


def test_lines_to_learn_are_one_a_leaf_and_join_lines_that_are_there():
    rng = random.Random(4)
    for _ in range(200):
        graph = random_graph(rng)
        for own in (True, False):
            found = repertoire(graph, own)
            said = lines_to_learn(named(graph), found)
            assert [line.line for line in said if line.line] == list(range(1, found.lines + 1))
            through = {line.line: set(positions(graph, line.moves)) for line in said if line.line}
            assert all(positions(graph, line.moves)[-1] in through[line.joins] for line in said if not line.line)
            assert set(learned(graph, found.moves)) >= {
                v for v, label in enumerate(graph.labels) if label in found.leaves or label in found.moves
            }


def games(loss, size, book):
    """Graphs of Othello in which ways meet, some of them on a mirrored board."""
    game = Othello(size)
    if book:
        return game, EdaxBook.parse(mobility_book(book, loss=loss)).graph(tolerance=Tolerance(loss))
    return game, best_play(game, tolerance=Tolerance(loss))


@pytest.mark.parametrize(("loss", "size", "book", "mirrored"), [(4, 4, 0, 0), (8, 8, 6, 1), (6, 8, 6, 1)])
def test_lines_to_learn_of_othello_can_be_played_and_say_where_they_join_a_mirrored_one(loss, size, book, mirrored):
    game, graph = games(loss, size, book)
    joins = []
    for own in (True, False):
        said = lines_to_learn(named_othello(game, "", game.start, graph), repertoire(graph, own))
        boards = {line.line: set(accumulate(line.moves, after(game), initial=game.start)) for line in said if line.line}
        for line in said:
            *_, end = accumulate(line.moves, after(game), initial=game.start)
            if not line.line:
                joins.append(line.mirrored)
                assert line.mirrored == (end not in boards[line.joins])
                assert game.folded(end) in map(game.folded, boards[line.joins])
            assert str(line).endswith(", mirrored") == line.mirrored
    assert sum(joins) == mirrored < len(joins)


def after(game):
    """Plays a move by its name, which is an error if it cannot be played."""
    return lambda board, name: game.play(board, PASS if name == "--" else game.square(name))


def test_lines_to_learn_end_with_their_time_and_a_long_one_takes_little_more_than_itself(clock, monkeypatch):
    chain = graph_of({str(i): [str(i + 1)] for i in range(20_000)})
    (line,) = lines_to_learn(named(chain), repertoire(chain))
    assert line.moves == tuple(str(i) for i in range(1, 20_001))  # two hundred million moves, if each step copied them
    replies = {f"o{i}": [f"b{i}", f"a{i + 1}"] for i in range(100)}
    comb = graph_of({f"a{i}": [f"o{i}"] for i in range(100)} | replies)
    found = repertoire(comb)
    assert found.lines == 101
    with pytest.raises(BudgetExceededError, match="not done after 50 seconds"):
        lines_to_learn(named(comb), found, Budget(timeout=50))
    monkeypatch.setattr("mines_dd.base.budget.available_memory", lambda: 2**20)
    with pytest.raises(BudgetExceededError, match="GiB more memory"):
        lines_to_learn(named(comb), found)


def test_openings_are_named_by_their_moves():
    game, solver = small()
    graph = best_play(game, tolerance=Tolerance(2), depth=4, solver=solver)
    opening = named_othello(game, "", game.start, graph)
    for v, name in enumerate(opening.names[1:], 1):
        assert graph.labels[v].position == game.folded(game.parse(name))
    assert set(opening.moves) == {(v, child) for v, below in enumerate(graph.children) for child in below}


def test_the_picture_is_saved_and_too_large_a_one_is_refused(tmp_path):
    pytest.importorskip("matplotlib")
    graph = graph_of(WORKED)
    save_opening(tmp_path / "a.svg", named(graph), position_numbers(graph), repertoire(graph), True)
    assert (tmp_path / "a.svg").read_text().count("#d55e00") >= 9  # the moves to learn
    wide = graph_of({"r": [str(i) for i in range(500)]})
    with pytest.raises(MinesError, match="501 positions to learn"):
        save_opening(tmp_path / "b.svg", named(wide), [1] * 501, repertoire(wide, False), False)
    save_opening(tmp_path / "c.svg", named(wide), [1] * 501, repertoire(wide, True), True)


def test_numbered_lines_of_othello_can_be_read_off_the_picture(monkeypatch):
    drawn = []
    monkeypatch.setattr(openings, "save_graph", lambda *args: drawn.append(args[-1][0].looks))
    game, graph = games(8, 8, 6)
    opening, found = named_othello(game, "", game.start, graph), repertoire(graph, True)
    kept = list(learned(graph, found.moves))  # the whole graph is too large to draw
    save_opening("opening.svg", opening, position_numbers(graph), found, True)
    name = dict(zip(kept, (look.name for look in drawn[0]), strict=True))
    for line in lines_to_learn(opening, found):
        v, board, read = 0, game.start, []
        for move in line.moves:
            board = after(game)(board, move)
            v = next(to for to in graph.children[v] if graph.labels[to].position == game.folded(board))
            read.append(name[v])
        assert not line.line or tuple(read) == line.moves


def test_a_picture_says_what_it_needs():
    graph = graph_of(WORKED)
    opening, numbers, found = named(graph), position_numbers(graph), repertoire(graph)
    for bad, what in (
        ((graph, numbers, found), "an Opening is needed"),
        ((opening, umigame_numbers(graph), found), f"a number for each of the {len(graph)} positions is needed, not 2"),
        ((opening, 3, found), "a list of numbers"),
        ((opening, numbers, found.moves), "a Repertoire is needed"),
        ((opening, numbers, repertoire(graph, own=False)), "has moves of the other side; give own=False"),
        ((opening, numbers, repertoire(graph_of({"x": ["y"]}))), "another graph: this one has no position '[xy]'"),
    ):
        with pytest.raises(MinesError, match=what):
            save_opening("a.svg", *bad, own=True)
    with pytest.raises(GraphFormatError, match="the repertoire is of another graph"):
        lines_to_learn(opening, repertoire(graph_of({"x": ["y"]})))
    for moves, what in (
        ({"r": "z"}, "no position 'z'"),
        ({"p": "a"}, "no position 'p'"),
        ({"r": "x"}, "no move from 'r' to 'x'"),
    ):
        with pytest.raises(GraphFormatError, match=f"the repertoire is of another graph: this one has {what}"):
            learned(graph_of({"r": ["a"], "a": ["x"]}), moves)
    with pytest.raises(GraphFormatError, match="a PositionGraph is needed"):
        named(nx.DiGraph([("r", "a")]))


@pytest.mark.parametrize("bad", [3, [Othello().start], [("x", Othello().start)], [(0.5, Othello().start)]])
def test_moves_are_scores_and_positions(bad):
    game = Othello()
    with pytest.raises(MinesError, match=r"a list of moves|a move is its score|the score of a move"):
        scored_graph(game, game.start, lambda _: bad)


@pytest.mark.parametrize("limits", [{"mirrors": True, "tolerance": Tolerance(4)}, {"tolerance": Tolerance(4, 8)}])
def test_the_graph_of_a_book_ends_with_its_time(clock, limits):
    book = EdaxBook.parse(mobility_book(6, loss=4))
    assert len(book.graph(**limits)) > 50
    with pytest.raises(BudgetExceededError, match="not done after 50 seconds"):
        book.graph(**limits, budget=Budget(timeout=50))


def test_the_command_explains_both_worked_examples(tmp_path):
    assert run("umigame", TREE).startswith("2:2\n")
    said = run("umigame", TREE, "--explain")
    assert "depth 1: tiger = min(2, 3) = 2" in said
    assert "depth 1: tiger = 1 + 1 = 2" in said
    path = tmp_path / "a.csv"
    path.write_text(csv_of(WORKED))
    value = json.loads(run("umigame", str(path), "--explain", "--json"))
    assert (value["own"]["lines"], value["opponent"]["lines"]) == (3, 1)


def test_the_command_prints_tables():
    positions = {row["position"]: row for row in rows(run("umigame", TREE, "--table", "positions", "--csv"))}
    assert (positions["many tigers"]["own"], positions["many tigers"]["opponent"]) == ("3", "1")
    moves = rows(run("umigame", TREE, "--table", "moves", "--csv"))
    assert [(m["move"], m["own"]) for m in moves if m["to move"] == "own"] == [
        ("Stephenson", "2"),
        ("many tigers", "3"),
    ]


def test_the_command_limits_losses_and_scores(tmp_path):
    game = Othello()
    start, f5 = game.folded(game.start), game.parse("f5")
    links = tuple(Link(score, game.square(name)) for score, name in ((0, "d6"), (-2, "f6"), (-6, "f4")))
    book = EdaxBook({start: Record(game.start, (Link(0, 37),)), game.folded(f5): Record(f5, links)})
    path = tmp_path / "book.dat"
    path.write_bytes(book.to_bytes())

    def first(*options):
        return run("umigame", str(path), *options).splitlines()[0]

    assert (first(), first("--loss", "2"), first("--total-loss", "6")) == ("1:1", "2:1", "3:1")
    assert first("--loss", "6", "--total-loss", "2") == "2:1"
    assert first("--loss", "6", "--scores", "-6:2") == "2:1"  # what the opponent loses, the first side scores
    assert "is no range" in run("umigame", str(path), "--scores", "4:2", code=2)
    assert "for books" in run("umigame", TREE, "--total-loss", "2", code=2)
    assert "--mirrors" in run("umigame", TREE, "--mirrors", code=2)


def test_depth_counts_no_passes_and_mirrors_keep_them():
    game = Othello(4)
    plain = scored_graph(game, game.start, lambda p: [(0, game.play(p, t)) for t in game.turns(p)], depth=4)
    apart = scored_graph(
        game, game.start, lambda p: [(0, game.play(p, t)) for t in game.turns(p)], depth=4, mirrors=True
    )
    assert {game.folded(label.position) for label in apart.labels} == {label.position for label in plain.labels}
    assert isinstance(plain.labels[0].position, Position)
