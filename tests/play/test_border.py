"""Weighed positions against `analyse`."""

import itertools
import random

import numpy as np
import pytest

from mines_dd import Board, analyse
from mines_dd.base.errors import BudgetExceededError
from mines_dd.play.border import MOST_STATES, weigh
from mines_dd.play.field import make_field
from mines_dd.play.ranking import position_of

# Interpreted kernels hash with integers that wrap around.
pytestmark = [
    pytest.mark.filterwarnings("ignore:overflow encountered"),
    pytest.mark.usefixtures("interpreted_unless_asked"),
]


def small_board(seed):
    rng = random.Random(seed)
    rows, cols = rng.choice([(1, 7), (3, 4), (5, 5), (6, 6), (9, 9), (12, 12)])
    return Board.random(rows, cols, rng.choice([0.1, 0.2, 0.3]), rng.choice([0.1, 0.2, 0.4, 0.6]), seed)


@pytest.mark.parametrize("seed", range(40))
def test_a_weighed_position_agrees_with_the_exact_analysis(seed):
    board = small_board(seed)
    exact = analyse(board)
    field = make_field(*board.size, board.mines)
    seen = position_of(board)
    chance = np.empty(seen.size)
    total, states = weigh.run(1, field, seen, board.mines, chance, MOST_STATES)
    assert states >= (total > 0)
    assert total == pytest.approx(exact.count, rel=1e-9)
    cols = board.size[1]
    for (row, column), share in exact.exact.items():
        assert chance[row * cols + column] == pytest.approx(float(share), abs=1e-9)
        assert (chance[row * cols + column] == 0) == (share == 0)
        assert (chance[row * cols + column] == 1) == (share == 1)
    assert all(chance[seen >= 0] == 2)


@pytest.mark.slow
def test_interpreted_and_compiled_weighing_agree():
    board = Board.parse("mines: 5\n####\n#22#\n#22#\n####")
    field = make_field(4, 4, 5)
    seen = position_of(board)
    one, two = np.empty(16), np.empty(16)
    assert weigh(field, seen, 5, one, MOST_STATES) == weigh.run(10**9, field, seen, 5, two, MOST_STATES)
    np.testing.assert_allclose(one, two, rtol=1e-14)


def test_an_impossible_position_weighs_nothing():
    for text, mines in (("1#1\n3##", 3), ("2#", 1), ("##\n##", 5), ("*0#", 0), ("*0#", 1)):
        board = Board.parse(text)
        field = make_field(*board.size, mines)
        assert weigh(field, position_of(board), mines, np.empty(board.size[0] * board.size[1]), MOST_STATES)[0] == 0.0


def lattice(n, seed):
    """A hint on every second cell of every second row, all else closed: whatever the order, many hints are open."""
    size = 2 * n + 1
    hints = list(itertools.product(range(1, size, 2), repeat=2))
    free = [cell for cell in itertools.product(range(size), repeat=2) if cell not in hints]
    layout = random.Random(seed).sample(free, 2 * len(free) // 5)
    board = Board.from_layout(size, size, layout)
    return board.reveal({cell: sum(p in board.layout for p in board.neighbours(cell)) for cell in hints})


@pytest.mark.slow
def test_a_border_of_many_states_is_weighed_or_given_up():
    board = lattice(5, seed=1)
    field = make_field(*board.size, board.mines)
    seen = position_of(board)
    chance = np.empty(seen.size)
    exact = analyse(board)
    assert weigh.run(10**9, field, seen, board.mines, chance, MOST_STATES)[0] == pytest.approx(exact.count, rel=1e-9)
    for (row, column), share in exact.exact.items():
        assert chance[row * board.size[1] + column] == pytest.approx(float(share), abs=1e-9)
    for board, most in (lattice(5, seed=1), 1000), (lattice(12, seed=1), 100_000):
        field = make_field(*board.size, board.mines)
        assert weigh.run(10**9, field, position_of(board), board.mines, np.empty(field.degree.size), most)[0] == -1.0


@pytest.mark.slow
def test_a_border_with_too_many_open_hints_in_the_first_order_is_weighed_in_a_better_one(monkeypatch):
    board = lattice(7, seed=1)
    field = make_field(*board.size, board.mines)
    chance = np.empty(field.degree.size)
    layouts, states = weigh.run(10**9, field, position_of(board), board.mines, chance, MOST_STATES)
    exact = analyse(board)
    assert states > 10**6
    assert layouts == pytest.approx(exact.count, rel=1e-9)
    np.testing.assert_allclose(np.minimum(chance, 1), np.nan_to_num(exact.probability.ravel(), nan=1.0), atol=1e-9)


def test_a_board_too_large_for_doubles_is_refused():
    with pytest.raises(BudgetExceededError, match="1,000 cells"):
        make_field(40, 40, 100)
