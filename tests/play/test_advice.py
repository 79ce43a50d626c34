"""Advice: the same everywhere, for every board, and as good as its reasons say."""

import itertools
import json
import random
import time
from fractions import Fraction

import numpy as np
import pytest
from positions import all_layouts, around, plainly_won, small_end

from mines_dd import Board, analyse
from mines_dd.answers import whole_board
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BoardFormatError, InconsistentBoardError
from mines_dd.base.jit import Kernel
from mines_dd.play import ranking
from mines_dd.play.advice import advice_of, advise
from mines_dd.play.border import MOST_STATES, weigh
from mines_dd.play.field import CLOSED, KNOWN_MINE, make_field
from mines_dd.play.games import LEVELS, Level
from mines_dd.play.player import POLICIES

# Interpreted kernels hash with integers that wrap around.
pytestmark = [
    pytest.mark.filterwarnings("ignore:overflow encountered"),
    pytest.mark.usefixtures("interpreted_unless_asked"),
]


def test_advice_is_a_safe_cell_where_there_is_one():
    advice = advise(Board.parse("mines: 2\n##1\n##1\n111"))
    assert advice.safe == ((0, 1), (1, 0))
    assert advice.mines == ((0, 0), (1, 1))
    assert (advice.cell, advice.risk, advice.wins) == ((0, 1), 0.0, 1)


def test_advice_for_an_even_guess_says_what_it_wins():
    advice = advise(Board.parse("mines: 1\n1#\n1#"))
    assert advice.cell in {(0, 1), (1, 1)}
    assert (advice.risk, advice.wins, advice.kind) == (0.5, Fraction(1, 2), "searched")


def test_a_reason_counts_its_cells():
    assert advise(Board.parse("*1#/#10")).reason == "certain: safe in every assignment, as is 1 more"
    assert advise(Board.parse("*1#/#1#")).reason == "certain: safe in every assignment, as are 2 more"
    assert advise(Board.parse("1*/11")).reason == "no cell is closed"


def test_advice_needs_a_possible_board():
    with pytest.raises(InconsistentBoardError):
        advise(Board.parse("1#\n1#"), 2)


def board_of(field, seen, mines, cols):
    """A position of the kernels as a board."""
    signs = ["#" if value == CLOSED else "*" if value == KNOWN_MINE else str(value) for value in seen.tolist()]
    grid = tuple("".join(signs[i : i + cols]) for i in range(0, len(signs), cols))
    return Board(grid, mines + sum(row.count("*") for row in grid))


def wins_from(field, seen, layouts, cell):
    """In how many of the layouts the best play wins that opens a cell first."""
    parts = {}
    for layout in layouts:
        if cell not in layout:
            number = sum(x in layout or seen[x] == KNOWN_MINE for x in around(field, cell))
            parts.setdefault(number, []).append(layout)
    total = 0
    for number, part in parts.items():
        after = seen.copy()
        after[cell] = number
        total += plainly_won(field, after, part)
    return total


@pytest.mark.parametrize("seed", range(40))
def test_a_searched_move_and_all_it_is_compared_with_win_as_often_as_is_said(seed):
    field, seen, mines = small_end(f"advice {seed}")
    cols = int(field.neighbours[0, 1])
    layouts = list(all_layouts(field, seen, mines))
    advice = advise(board_of(field, seen, mines, cols), rule="none")
    if advice.kind == "done":
        return
    assert advice.wins == Fraction(plainly_won(field, seen, layouts), len(layouts))
    assert advice.kind in ("certain", "searched")
    if advice.kind == "searched":
        assert advice.ranking[0] == (advice.cell, advice.risk, float(advice.wins))
        for (row, column), _, score in advice.ranking:
            assert score == wins_from(field, seen, layouts, row * cols + column) / len(layouts)


@pytest.mark.parametrize(
    ("rows", "cols", "mines"),
    [(1, 7, 2), (7, 1, 3), (2, 5, 2), (3, 3, 1), pytest.param(3, 4, 1, marks=pytest.mark.slow)],
)
def test_the_first_cell_of_a_small_board_that_shows_0_is_the_best_of_all(rows, cols, mines):
    field = make_field(rows, cols)
    seen = np.full(rows * cols, CLOSED)
    layouts = [frozenset(layout) for layout in itertools.combinations(range(rows * cols), mines)]
    shares = {}
    for cell in range(rows * cols):
        part = [layout for layout in layouts if not layout & {cell, *around(field, cell)}]
        if part:
            after = seen.copy()
            after[cell] = 0
            shares[divmod(cell, cols)] = Fraction(plainly_won(field, after, part), len(part))
    advice = advise(Board(("#" * cols,) * rows, mines), rule="zero")
    assert advice.wins == max(shares.values()) == shares[advice.cell]
    assert "as the first cell shows 0" in advice.reason
    for cell, _, score in advice.ranking:
        assert score == float(shares[cell])


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "share"),
    [(3, 5, 3, 1), (2, 7, 3, Fraction(16, 56)), pytest.param(3, 6, 4, Fraction(112, 126), marks=pytest.mark.slow)],
)
def test_a_board_of_which_few_cells_may_show_0_is_searched_too(rows, cols, mines, share):
    """The shares are those of a search of the game tree outside of this package."""
    assert advise(Board(("#" * cols,) * rows, mines), rule="zero").wins == share


def test_a_board_of_which_no_cell_may_show_0_is_refused():
    with pytest.raises(BoardFormatError):
        advise(Board(("##",) * 2, 1), rule="zero")


def test_where_no_first_cell_is_searched_it_is_away_from_the_borders():
    for rows, cols, cell in ((9, 9, (2, 2)), (16, 30, (3, 3)), (3, 30, (1, 3)), (1, 30, (0, 3)), (4, 4, (1, 1))):
        assert Level(rows, cols, 1).first("zero") == cell
    assert advise(Board(("#" * 9,) * 9, 10), rule="zero").kind == "book"


def openings(level, game, step):
    """Positions of a game whose safe cells are opened one by one in random order: every so many of them."""
    rng = random.Random(game)
    cells = list(itertools.product(range(level.rows), range(level.columns)))
    mines = set(rng.sample(cells, level.mines))
    safe = [cell for cell in cells if cell not in mines]
    rng.shuffle(safe)
    board = Board.from_layout(level.rows, level.columns, mines)
    for i, cell in enumerate(safe):
        board = board.reveal({cell: sum(p in mines for p in board.neighbours(cell))})
        if (i + game) % step == 0:
            yield board


def check_advice(board, mines=None):
    """Whether a board gets advice, of the same numbers as `analyse`."""
    found, advice = analyse(board, mines), advise(board, mines)
    if advice.kind == "done":
        assert set(board.closed()) == found.mines
        return
    assert advice.cell in set(board.closed()) - found.mines
    assert advice.ranking[0].cell == advice.cell
    assert len({cell for cell, _, _ in advice.ranking}) == len(advice.ranking)
    for cell, risk, _ in advice.ranking:
        assert risk == found.probability[cell]
    scores = [score for _, _, score in advice.ranking]
    assert scores == sorted(scores, reverse=True)
    assert (advice.cell in found.safe) == bool(found.safe)
    json.dumps(advice.record(), allow_nan=False)
    assert advice.reason in str(advice)
    assert advice.reason.split(":")[0] in advice._repr_html_()


@pytest.mark.parametrize("level", [Level(3, 4, 3), pytest.param(Level(4, 5, 4), marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", range(4))
def test_every_position_of_cells_opened_in_random_order_gets_advice(level, game):
    for board in openings(level, game, 1):
        check_advice(board)


@pytest.mark.slow
def test_thousands_of_positions_of_cells_opened_in_random_order_get_advice():
    for game in range(60):
        for board in openings(LEVELS["expert"], game, 9):
            check_advice(board)


@pytest.mark.parametrize("seed", range(12))
def test_with_and_without_a_total_whatever_is_analysed_gets_advice(seed, monkeypatch):
    monkeypatch.setattr(ranking, "LARGEST", 40)
    board = Board.random(*random.Random(seed).choice([(3, 4), (4, 5), (6, 7)]), 0.2, 0.3, seed)
    check_advice(board)
    check_advice(Board(board.grid))


def test_a_board_too_entangled_to_look_ahead_is_weighed_by_risk(monkeypatch):
    board = Board.parse("mines: 4/####/####/##2#")
    assert advise(board, policy=POLICIES["ahead"]).kind == "weighed"
    monkeypatch.setattr(ranking, "LARGEST", 11)
    advice = advise(board, policy=POLICIES["ahead"])
    assert advice.kind == "risk"
    assert advice.risk == float(min(analyse(board).exact.values()))


def test_a_search_that_is_too_long_leaves_what_can_be_said_sooner(monkeypatch):
    board = Board.parse("mines: 3/###/##2/###")
    assert advise(board).kind == "searched"
    monkeypatch.setattr(ranking, "_COMPARED", 0)
    assert advise(board).kind == "searched"
    assert len(advise(board).ranking) == 1
    monkeypatch.setattr(ranking, "_POSITIONS", 3)
    assert advise(board).kind == "weighed"
    assert advise(board).wins is None


@pytest.mark.parametrize("size", [(4, 5), (6, 7), pytest.param((16, 30), marks=pytest.mark.slow)])
def test_what_was_analysed_is_what_the_kernels_would_weigh(size, monkeypatch):
    for seed, least in itertools.product(range(4 if size[0] < 10 else 2), (0, 10**9)):
        monkeypatch.setattr(whole_board.WholeBoard, "is_small", least == 0)  # in fractions, and in doubles
        found = analyse(Board.random(*size, 0.2, 0.3, seed))
        view, chance = ranking.view_of(found), np.empty(size[0] * size[1])
        layouts, _ = weigh.run(1, view.field, view.seen, view.mines, chance, MOST_STATES)
        assert view.layouts == pytest.approx(layouts, rel=1e-9)
        assert view.chance == pytest.approx(chance, abs=1e-9)


def test_when_the_time_is_over_after_the_analysis_there_is_still_a_move(clock):
    budget = Budget(timeout=10**6)
    found = analyse(Board.parse("mines: 3/###/##2/###"), budget=budget)
    clock.ahead = 10**7
    advice = advice_of(found, budget)
    assert advice.kind == "risk"
    assert advice.cell is not None


def test_a_search_in_plain_python_ends_with_its_time(interpreted_unless_asked, monkeypatch):
    monkeypatch.setattr(Kernel, "_price", lambda _: 1000.0)
    monkeypatch.setattr(ranking, "_POSITIONS_A_SECOND", 10**6)  # not so many, interpreted
    board = Board.parse("#####2##/01###2#1/########/##22##3#/#######1/#####110/#0###000/########")
    found, started = analyse(board, mines=12), time.monotonic()
    assert advice_of(found, Budget(timeout=0.1)).kind == "certain"
    assert time.monotonic() - started < 1.5


def test_scores_are_plain_numbers_where_kernels_are_interpreted(interpreted_unless_asked):
    board = Board.parse("mines: 4/####/####/##2#")
    advice = advise(board, policy=POLICIES["ahead"])
    assert advice.kind == "weighed"
    assert {type(other.score) for other in advice.ranking} == {float}


def test_nothing_is_promised_of_the_first_cell_if_the_mines_lie_already():
    board = Board.from_layout(9, 9, [(0, 0), (0, 1), (4, 4)])
    found = advise(board)
    assert found.reason.startswith("opening book: a corner has the fewest neighbours")
    assert found.ranking[0].risk == 3 / 81
    assert advise(board, rule="safe").reason.startswith("opening book: the first cell is safe")


def test_the_first_move_is_of_the_book_and_not_the_first_by_index():
    board = Board(("#" * 30,) * 16, 99)
    assert (advise(board).kind, advise(board).cell) == ("book", (0, 0))
    assert advise(board, rule="zero").cell == (3, 3)
    assert (advise(board).risk, advise(board, rule="none").risk) == (0, pytest.approx(99 / 480))
    assert "corner" not in advise(Board(("###",) * 2, 1), rule="zero").reason  # there is nothing inside
    assert "corner" in advise(board).reason
    assert "corner" in advise(Board(board.grid)).reason  # without a total, too
    with pytest.raises(BoardFormatError, match="no start rule"):
        advise(board, rule="corner")
    # the chance that a corner shows 0, if it is safe: none of 99 mines among 3 of the 479 other cells
    assert advise(board).ranking[0].score == pytest.approx(380 * 379 * 378 / (479 * 478 * 477))
    assert advise(board).reason.endswith("shows 0 most often (49.8%)")
    assert advise(board, rule="none").reason.endswith("shows 0 most often (49.8% if it is safe)")


@pytest.mark.parametrize(("rows", "cols", "mines"), [(2, 3, 2), (1, 5, 2), (3, 3, 3), (2, 2, 1)])
def test_a_promised_first_cell_is_no_mine_and_best_play_wins_a_share_of_the_layouts_where_it_is_safe(rows, cols, mines):
    field, seen = make_field(rows, cols, mines), np.full(rows * cols, CLOSED)
    layouts = list(all_layouts(field, seen, mines))
    board = Board(("#" * cols,) * rows, mines)
    advice, plain = advise(board), advise(board, rule="none")
    assert advice.kind == "searched"
    for (row, column), risk, score in advice.ranking:
        cell = row * cols + column
        safe = sum(cell not in layout for layout in layouts)
        assert (risk, score) == (0, wins_from(field, seen, layouts, cell) / safe)
    assert advice.cell == plain.cell
    assert plain.risk == pytest.approx(mines / (rows * cols))
    assert (plain.wins, advice.wins) == (advice.wins * (1 - Fraction(mines, rows * cols)), max(advice.wins, plain.wins))
    assert not advice.fifty_fifties


@pytest.mark.ci
def test_the_first_cell_can_show_0_if_any_can():
    for side, mines, cell in ((4, 3, (1, 1)), (5, 16, (2, 2)), (5, 17, (0, 0)), (5, 21, (0, 0))):
        assert advise(Board(("#" * side,) * side, mines), rule="zero").cell == cell
    with pytest.raises(BoardFormatError, match=r"22 mines cannot be placed: .* which leaves 21 of 25 cells"):
        advise(Board(("#####",) * 5, 22), rule="zero")


def test_of_cells_that_win_as_much_the_safest_is_named_first():
    advice = advise(Board.parse("mines: 5/#####/#212#/#101#/#211#/#####"))
    best = [other for other in advice.ranking if other.score == advice.ranking[0].score]
    assert len({other.risk for other in best}) > 1
    assert [other.risk for other in best] == sorted(other.risk for other in best)


def test_dead_cells_and_fifty_fifties_are_marked():
    advice = advise(Board.parse("mines: 2/#1###"))
    assert advice.dead == {(0, 0), (0, 4)}
    assert not advice.fifty_fifties
    advice = advise(Board.read("data/fifty_fifty_9x9_10.txt"))
    assert advice.fifty_fifties == {(0, 0), (0, 1)}
    assert advice.marks((0, 0)) == ["50/50", "dead"]
    # three columns of which one is settled by numbers: several 50/50s in half of the layouts together, none in all
    assert not advise(Board.parse("mines: 3/####/1###")).fifty_fifties


def test_without_a_total_nothing_is_searched_and_cells_of_which_nothing_is_known_come_last():
    advice = advise(Board.parse("#1#/###"))
    assert (advice.kind, advice.wins) == ("risk", None)
    assert "total number of mines" in advice.reason
    nothing = advise(Board.parse("*####"))
    assert nothing.cell == (0, 1)
    assert nothing.record()["ranking"][0]["risk"] is None
