"""Graphs of positions for the tests of umigame numbers: the worked example, random ones, and the moves of a book."""

from itertools import pairwise

from mines_dd.boardgames.othello import Othello
from mines_dd.boardgames.position_graph import PositionGraph

# The article's worked example, rebuilt: own to move at r, p1 to p4.
WORKED = {
    "r": ["W1", "W2"], "W1": ["p1", "p2"], "W2": ["p3", "p4"], "p1": ["q1"], "p2": ["B"], "p3": ["B"],
    "p4": ["q4"], "B": ["l1", "l2", "A"], "q4": ["A"],
}  # fmt: skip


def graph_of(moves, own=None):
    return PositionGraph.build(next(iter(moves)), lambda v: moves.get(v, ()), own)


def random_graph(rng, most=14):
    """A graph of positions with many transpositions, whose sides need not alternate."""
    size = rng.randint(1, most)
    reach = rng.randint(2, 6)
    moves = {
        v: rng.sample(range(v + 1, min(v + reach, size) + 1), rng.randint(1, min(3, min(v + reach, size) - v)))
        for v in range(size)
        if rng.random() < 0.75 or v == 0
    }
    own = [rng.random() < 0.5 for _ in range(size + 1)]
    return graph_of(moves, own.__getitem__)


def layered_graph(rng):
    """Layers in which much meets, so that values have many terms."""
    width, depth = rng.randint(3, 7), rng.randint(2, 5)
    layers = [["r"], *([f"{i}.{k}" for k in range(width)] for i in range(depth))]
    moves = {v: rng.sample(below, rng.randint(1, 3)) for above, below in pairwise(layers) for v in above}
    own = {v: rng.random() < 0.5 for v in moves}
    return graph_of(moves, lambda v: own.get(v, True))


def csv_of(moves):
    return "".join(f"{v},{to}\n" for v, nexts in moves.items() for to in nexts)


def book_moves(book, position):
    """The moves that an Edax book has for a folded position: their scores and the positions after them."""
    record = book.records.get(position)
    links = [*record.links, *filter(None, [record.leaf])] if record else []
    return [(link.score, Othello().play(record.position, link.move)) for link in links]
