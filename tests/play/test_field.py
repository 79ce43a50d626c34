"""Fields of all shapes against the graphs of `mines_dd.constraints.shapes`."""

import networkx as nx
import numpy as np
import pytest

from mines_dd import solve
from mines_dd.base.errors import BoardFormatError, BudgetExceededError
from mines_dd.constraints.shapes import box, hexagons, mine_graph_on, torus
from mines_dd.play.border import MOST_STATES, weigh
from mines_dd.play.field import CLOSED, make_field
from mines_dd.play.games import deal
from mines_dd.play.player import POLICIES, play_game

# Interpreted kernels hash with integers that wrap around.
pytestmark = [
    pytest.mark.filterwarnings("ignore:overflow encountered"),
    pytest.mark.usefixtures("interpreted_unless_asked"),
]

GRAPHS = {"box": box, "torus": torus, "hexagons": hexagons}


def neighbours(field, cell):
    return field.neighbours[cell, : field.degree[cell]].tolist()


@pytest.mark.parametrize(
    ("shape", "rows", "columns"),
    [
        ("box", 1, 1),
        ("box", 1, 5),
        ("box", 4, 7),
        ("torus", 5, 5),
        ("torus", 6, 9),
        ("hexagons", 1, 4),
        ("hexagons", 5, 6),
    ],
)
def test_neighbours_are_those_of_the_graph(shape, rows, columns):
    field, graph = make_field(rows, columns, 1, shape), GRAPHS[shape](rows, columns)
    for cell in range(rows * columns):
        assert sorted(neighbours(field, cell)) == sorted(r * columns + c for r, c in graph[divmod(cell, columns)])
        assert (field.neighbours[cell, field.degree[cell] :] == -1).all()


@pytest.mark.parametrize(("shape", "rows", "columns"), [("box", 4, 5), ("torus", 6, 7), ("hexagons", 4, 5)])
def test_only_the_cells_that_tell_see_a_fifty_fifty_change(shape, rows, columns):
    field = make_field(rows, columns, 1, shape)
    found = set()
    for row in field.fifty_fifties.tolist():
        one, other, telling = ([cell for cell in part if cell >= 0] for part in (row[:2], row[2:4], row[4:]))
        seen_from = {
            cell: sum(x in one for x in neighbours(field, cell)) - sum(x in other for x in neighbours(field, cell))
            for cell in range(rows * columns)
            if cell not in one + other
        }
        assert sorted(telling) == [cell for cell, difference in seen_from.items() if difference]
        found.add((frozenset(one), frozenset(other)))
    assert len(found) == len(field.fifty_fifties)
    pairs = {frozenset((next(iter(one)), next(iter(other)))) for one, other in found if len(one) == 1}
    graph = nx.Graph((cell, x) for cell in range(rows * columns) for x in neighbours(field, cell))
    if shape == "hexagons":
        assert pairs == set(map(frozenset, graph.edges))
    else:
        assert len(pairs) == (2 * rows * columns if shape == "torus" else 2 * rows * columns - rows - columns)
        assert len(found) - len(pairs) == (rows * columns if shape == "torus" else (rows - 1) * (columns - 1))


@pytest.mark.parametrize("shape", GRAPHS)
def test_positions_of_every_shape_are_weighed_as_their_graph_is_solved(shape):
    rows, columns, mines = 5, 6, 7
    field, graph = make_field(rows, columns, mines, shape), GRAPHS[shape](rows, columns)
    for game in range(6):
        mine = deal(field, mines, 0, "safe", 5, game)
        opened = np.random.default_rng(game).choice(np.flatnonzero(~mine), 9, replace=False)
        seen = np.full(mine.size, CLOSED)
        seen[opened] = [sum(mine[x] for x in neighbours(field, cell)) for cell in opened.tolist()]
        chance = np.empty(mine.size)
        layouts, _ = weigh.run(1, field, seen, mines, chance, MOST_STATES)
        hints = {divmod(cell, columns): int(seen[cell]) for cell in opened.tolist()}
        family = solve(mine_graph_on(graph, hints))
        ways = family.counts_by_mines()
        sea = [cell for cell in range(mine.size) if seen[cell] == CLOSED and divmod(cell, columns) not in family.cells]
        binomial = [field.binomial[len(sea), t] if t <= len(sea) else 0 for t in range(mines + 1)]
        assert layouts == sum(n * binomial[mines - t] for t, n in ways.items() if t <= mines)
        assert all(chance[r * columns + c] == 0 for r, c in family.safe_cells())


@pytest.mark.parametrize("shape", ["torus", "hexagons"])
def test_games_of_other_shapes_end_won_or_lost(shape):
    field = make_field(8, 9, 10, shape)
    mine = deal(field, 10, 0, "zero", 1)
    won, guesses, seen = play_game(field, mine, 0, POLICIES["safest"])
    assert won == (seen[~mine] >= 0).all()
    for cell in np.flatnonzero(seen >= 0).tolist():
        assert seen[cell] == sum(mine[x] for x in neighbours(field, cell))
    assert won or guesses


def test_fields_that_cannot_be_are_refused_in_a_sentence():
    with pytest.raises(BoardFormatError, match="torus of 4x9 is too small; take at least 5"):
        make_field(4, 9, 3, "torus")
    with pytest.raises(BudgetExceededError, match="up to 1,000 cells, not 1,024"):
        make_field(32, 32, 3)


def test_an_unknown_shape_is_said_with_those_there_are():
    with pytest.raises(BoardFormatError, match="no shape 'cylinder'; choose box, torus or hexagons"):
        make_field(4, 9, 3, "cylinder")
