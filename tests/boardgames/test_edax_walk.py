"""Books of Edax, compiled: the rules as bits, records found by position, and the graph of a book's moves."""

import random

import numpy as np
import pytest
from position_graphs import book_moves

from mines_dd.base.errors import BudgetExceededError, GraphFormatError
from mines_dd.boardgames.edax_book import EdaxBook, Link, Record
from mines_dd.boardgames.edax_making import mobility_book
from mines_dd.boardgames.edax_records import PackedRecords
from mines_dd.boardgames.edax_walk import walk_book
from mines_dd.boardgames.othello import PASS, Othello, Position
from mines_dd.boardgames.othello_bits import folded, mobility, turned
from mines_dd.boardgames.othello_graphs import Tolerance, scored_graph
from mines_dd.boardgames.position_graph import PositionGraph
from mines_dd.boardgames.umigame import tree_lines

GAME = Othello(8)


def games(number, seed):
    """Positions of random games, from the start to the end."""
    rng = random.Random(seed)
    for _ in range(number):
        position = GAME.start
        while turns := GAME.turns(position):
            yield position
            position = GAME.play(position, rng.choice(turns))
        yield position


def test_the_rules_as_bits_are_the_rules():
    for position in games(3, 5):
        player, opponent = map(np.uint64, position)
        with np.errstate(over="ignore"):
            assert int(mobility(player, opponent)) == GAME.moves(position)
            assert tuple(map(int, folded(player, opponent))) == GAME.folded(position)
            for square in GAME.turns(position):
                if square != PASS:
                    assert int(turned(player, opponent, square)) == GAME.flips(position, square)


def endgame_book(seed):
    """A book of all that can follow a late position, each record written as some image of its position."""
    rng = random.Random(seed)
    late = [p for p in games(1, seed) if (p.player | p.opponent).bit_count() == 57]
    records, stack = {}, [GAME.folded(late[0])]
    while stack:
        position = stack.pop()
        if position in records or not GAME.turns(position):
            continue
        image = rng.choice(list(GAME.symmetries(position)))
        links = [Link(rng.randint(-3, 3), turn) for turn in GAME.turns(image)]
        leaf = links.pop() if rng.random() < 0.3 else None
        records[position] = Record(image, tuple(links), leaf)
        stack += [GAME.folded(GAME.play(image, link.move)) for link in links]
    return EdaxBook(records), late[0]


def by_definition(book, root, tolerance, depth):
    return scored_graph(GAME, root, lambda position: book_moves(book, position), tolerance, depth)


@pytest.mark.usefixtures("interpreted_unless_asked")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tolerance", [None, Tolerance(3), Tolerance(9), Tolerance(9, low=-1, high=2)])
def test_a_walk_finds_the_graph_that_the_moves_say(seed, tolerance):
    book, root = endgame_book(seed)
    for depth in (None, 0, 2):
        found = EdaxBook.parse(book.to_bytes()).graph(root, tolerance=tolerance, depth=depth)
        wanted = by_definition(book, root, tolerance, depth)
        assert list(found.labels) == list(wanted.labels)
        assert found.own == wanted.own
        assert list(found.children) == list(wanted.children)


def test_passes_are_among_the_moves_walked():
    books = [endgame_book(seed)[0] for seed in range(6)]
    assert any(link.move == PASS for book in books for record in book.records.values() for link in record.links)


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_a_walk_makes_room_as_it_needs_it(monkeypatch):
    monkeypatch.setattr("mines_dd.boardgames.edax_walk._FIRST_ROOM", 64)
    book, root = endgame_book(1)
    assert len(book.graph(root, tolerance=Tolerance(9))) > 64
    assert list(book.graph(root, tolerance=Tolerance(9)).children) == list(
        by_definition(book, root, Tolerance(9), None).children
    )


def test_a_move_that_is_none_is_named():
    for move, name in ((0, "a1"), (PASS, "--")):
        book = EdaxBook({GAME.folded(GAME.start): Record(GAME.start, (Link(0, move),))})
        with pytest.raises(GraphFormatError, match=f"gives {name} in a position where it is no move"):
            book.graph()


def test_packed_records_are_a_mapping():
    book, _ = endgame_book(2)
    packed = EdaxBook.parse(book.to_bytes()).records
    assert isinstance(packed, PackedRecords)
    assert packed == book.records
    assert Position(1, 2) not in packed
    assert Position(1 << 70, 2) not in packed
    assert len(walk_book(packed, GAME.start)) == 1  # the root alone: it has no record


def test_numbers_of_more_than_64_bits_are_exact():
    # two ways at each of 80 positions of the opponent, which meet again
    moves = {}
    for i in range(80):
        moves |= {3 * i: [3 * i + 1, 3 * i + 2], 3 * i + 1: [3 * i + 3], 3 * i + 2: [3 * i + 3]}
    graph = PositionGraph.build(0, lambda v: moves.get(v, ()), lambda v: v % 3 != 0)
    assert tree_lines(graph, own=True) == 2**80
    assert tree_lines(graph, own=False) == 1


@pytest.mark.usefixtures("interpreted_unless_asked")
@pytest.mark.parametrize("loss", [0, 2])
def test_a_book_by_mobility_holds_the_positions_that_good_moves_reach(loss):
    depth = 6
    book = EdaxBook.parse(mobility_book(depth, loss))
    layer, wanted = {GAME.folded(GAME.start)}, set()
    for _ in range(depth):
        wanted |= layer
        below = set()
        for position in layer:
            record = book.records[position]
            scores = {}
            for turn in GAME.turns(position):
                after = GAME.play(position, turn)
                free, answers = (GAME.moves(Position(*side)).bit_count() for side in (after[::-1], after))
                scores[turn] = free - answers
            good = {turn: score for turn, score in scores.items() if score >= max(scores.values()) - loss}
            listed = [*record.links, *filter(None, [record.leaf])]
            assert {link.move: link.score for link in listed}.items() <= good.items()
            reached = {GAME.folded(GAME.play(position, turn)) for turn in good}
            assert record.leaf or reached == {GAME.folded(GAME.play(position, link.move)) for link in record.links}
            below |= reached
        layer = below
    assert set(book.records) == wanted
    assert all(record.leaf and not record.links for record in (book.records[p] for p in wanted if discs_of(p) == 10))


def discs_of(position):
    return (position.player | position.opponent).bit_count()


@pytest.mark.ci
@pytest.mark.usefixtures("interpreted_unless_asked")
def test_a_book_that_would_be_too_large_is_refused():
    with pytest.raises(BudgetExceededError, match="more than 5,000 positions"):
        mobility_book(18, 2, most=5000)
