"""Analyses: what they say of a board, its best cell, and boards that are refused."""

import math
from fractions import Fraction
from itertools import accumulate

import naive
import numpy as np
import pytest
from boards import FIGURE_10, independent_hints

from mines_dd import Board, BudgetExceededError, InconsistentBoardError, MinesError, analyse, explain, solve
from mines_dd.answers.analysis import analysis_of
from mines_dd.answers.border import Border
from mines_dd.answers.component import Component
from mines_dd.answers.whole_board import WholeBoard
from mines_dd.base.budget import Budget
from mines_dd.diagrams.runs import contains


def test_without_a_total_it_is_what_solve_says():
    for _, board in naive.small_boards(30):
        family = solve(board)
        if family:
            found = analyse(board)
            assert found.exact == family.probabilities()
            assert found.count == family.count()


def test_analyses_of_equal_boards_are_equal():
    board = Board.parse("mines: 2\n#1##")
    assert analyse(board) == analyse(Board.parse("mines: 2\n#1##"))
    assert hash(analyse(board)) == hash(analyse(board))
    assert analyse(board) != analyse(board, 1)
    assert analyse(board) != analyse(board.flag([(0, 3)]))


def test_numbers_of_an_open_cell_are_refused():
    with pytest.raises(MinesError, match="not closed"):
        analyse(Board.parse("#1#"), 1).numbers((0, 1))


def test_the_grid_is_nan_on_open_cells_and_one_on_known_mines():
    found = analyse(Board.parse("mines: 3\n*2###\n##1##"))
    grid = found.probability
    assert np.isnan(grid[0, 1])
    assert np.isnan(grid[1, 2])
    assert grid[0, 0] == 1.0
    assert found.total == 3
    assert np.nansum(grid) == pytest.approx(3)


def test_the_board_knows_its_total():
    assert analyse(Board.parse("mines: 2\n###")).count == 3
    assert analyse(Board.parse("###")).exact == {}
    assert analyse(Board.parse("mines: 2\n###"), density=0.5).exact == dict.fromkeys(
        [(0, 0), (0, 1), (0, 2)], Fraction(1, 2)
    )
    assert analyse(Board.parse("mines: 2\n###"), density=0.5).total is None
    with pytest.raises(InconsistentBoardError, match="0 to 3 are possible"):
        analyse(Board.parse("###"), 4)
    with pytest.raises(MinesError, match="not both"):
        analyse(Board.parse("###"), 1, 0.5)
    with pytest.raises(MinesError, match="between 0 and 1"):
        analyse(Board.parse("###"), density=1.5)


@pytest.mark.parametrize("share", [Fraction(1, 10**400), 1 - Fraction(1, 10**400)])
def test_densities_beyond_doubles_are_taken_on_large_boards_too(share):
    board = Board.random(40, 40, 0.2, 0.3, seed=1)
    found, family = analyse(board, density=share), solve(board)
    assert found.error > 0  # in doubles
    assert (found.safe, found.mines) == (family.safe_cells(), family.certain_mines())
    apart = min if share < 0.5 else max  # as few mines as can be are all that counts, or as many
    assert sum(found.risk[cell] for cell in family.cells) == pytest.approx(apart(family.counts_by_mines()))


def test_an_isolated_hint_and_one_larger_than_its_neighbours_are_refused():
    for text, hints in [("1", {(0, 0)}), ("#3#", {(0, 1)}), ("#1#\n000", {(0, 1)})]:
        with pytest.raises(InconsistentBoardError) as error:
            analyse(Board.parse(text))
        assert (0, 1) in error.value.hints or error.value.hints == tuple(hints)


def test_the_best_cell_is_the_likeliest_safe_then_the_one_with_most_opened_neighbours_then_the_first():
    assert analyse(Board.parse("mines: 0\n##0")).safest == (0, 1)
    assert analyse(Board.parse("mines: 0\n#0#")).safest == (0, 0)
    assert analyse(Board.parse("mines: 1\n#1##")).safest == (0, 3)
    assert analyse(Board.parse("00\n00")).safest is None


def test_a_certain_mine_is_never_the_best_cell():
    found = analyse(Board.parse("##1/221/000"))
    assert (found.safest, found.mines) == (None, {(0, 0), (0, 1)})
    assert "safest to open" not in found._repr_html_()
    assert analyse(Board.parse("#1/11")).safest is None
    assert analyse(Board.parse("mines: 2\n##")).safest is None


HARD = Board.random(30, 30, 0.3, 0.3, 0)


@pytest.mark.parametrize("mines", [None, 270])
def test_analyse_keeps_to_its_budget(mines):
    with pytest.raises(BudgetExceededError, match="second"):
        analyse(Board(HARD.grid), mines, budget=Budget(timeout=0))
    enough = analyse(Board(HARD.grid), mines, budget=Budget(timeout=100))
    assert enough == analyse(Board(HARD.grid), mines)


def test_analyse_stops_when_time_runs_out_on_the_way(clock, monkeypatch):
    found = Border.of(HARD)

    def slow(*_):
        clock.ahead += 60
        return found

    monkeypatch.setattr("mines_dd.answers.analysis.Border.of", slow)
    with pytest.raises(BudgetExceededError, match="second"):
        analyse(HARD, budget=Budget(timeout=30))
    assert clock.looks < 10


@pytest.mark.parametrize("total", [None, 100])
def test_the_analysis_of_many_small_parts_keeps_to_its_budget(total):
    board = Board(("#1#*" * 50,))
    border = Border.of(board)
    with pytest.raises(BudgetExceededError, match="second"):
        analysis_of(board, border, total, budget=Budget(timeout=0))


@pytest.mark.ci
def test_a_hard_total_is_answered_in_doubles_and_its_fractions_are_refused_before_anything_is_weighed(monkeypatch):
    board = Board.random(80, 80, 0.3, 0.3, 2)
    weighed = []
    mines_in = Component.mines_in
    monkeypatch.setattr(Component, "mines_in", lambda part, *how: weighed.append(part) or mines_in(part, *how))
    analyse(board)  # kernels are there from now on
    weighed.clear()
    monkeypatch.setattr("mines_dd.answers.component._PRODUCTS", 100.0)
    monkeypatch.setattr("mines_dd.diagrams.interpolation._SECONDS_A_FLOW", 1e-6)
    found = analyse(board, budget=Budget(timeout=5))
    assert 0 < found.error < 1e-9
    assert np.nansum(found.probability) == pytest.approx(board.mines, rel=1e-12)
    with pytest.raises(BudgetExceededError, match=r"is predicted to need .* seconds and 5 are allowed"):
        _ = found.exact
    assert not weighed


@pytest.mark.ci
@pytest.mark.parametrize("total", [None, 1350])
def test_openings_and_numbers_of_a_large_board_keep_to_the_budget_and_go_on_where_they_were(total, clock):
    """A second passes at each look at the clock; all openings need thousands."""
    board = Board.random(80, 80, 0.3, 0.3, 2)
    found = analyse(Board(board.grid), total and board.mines, budget=Budget(timeout=1000))
    for _ in range(2):
        looks, known = clock.looks, len(found._whole._found)
        with pytest.raises(BudgetExceededError, match="not done after 1,000 seconds"):
            found.openings  # noqa: B018
        assert clock.looks - looks <= 1010
        assert len(found._whole._found) > known


@pytest.mark.parametrize("density", [None, 0.3])
def test_openings_in_fractions_keep_to_the_budget(density, clock):
    board = Board(Board.random(16, 16, 0.2, 0.3, 1).grid)
    found = analyse(board, density=density, budget=Budget(timeout=100))
    assert found.error == 0.0
    with pytest.raises(BudgetExceededError, match="not done after 100 seconds"):
        found.openings  # noqa: B018
    assert len(found._whole._found) > 10


def test_more_layouts_than_memory_can_hold_are_refused_at_once():
    for board in (Board.parse("#1#1##"), Board.random(80, 80, 0.3, 0.3, 2)):
        with pytest.raises(BudgetExceededError, match=r"GiB are free; ask for fewer at a time$"):
            analyse(board).sample(10**12)


def test_the_search_for_the_conflict_of_a_board_keeps_to_the_budget():
    with pytest.raises(BudgetExceededError, match="second"):
        analyse(Board(("#1#", "1#1", "#8#")), budget=Budget(timeout=0))


def test_thousands_of_components_with_a_total():
    with pytest.raises(InconsistentBoardError, match="only 5,000 are possible"):
        analyse(Board(("#1#*" * 2_500,)), 3)
    assert analyse(Board(("#1#*" * 2_500,)), 5000).exact[0, 0] == Fraction(1, 2)


@pytest.mark.parametrize("question", [analyse, lambda board: explain(board, (0, 0))])
def test_analyse_and_explain_out_of_memory_are_over_budget(monkeypatch, question):
    def no_room(*_):
        raise MemoryError

    monkeypatch.setattr("mines_dd.answers.analysis.Border.of", no_room)
    with pytest.raises(BudgetExceededError, match="memory"):
        question(Board(("#1#",)))


def test_analyses_say_in_short_what_they_are():
    assert repr(analyse(FIGURE_10)) == "<Analysis: 66 assignments, 0 safe cells, 0 certain mines>"
    assert repr(analyse(FIGURE_10, 5)) == "<Analysis: 40 layouts of 5 mines, 0 safe cells, 0 certain mines>"
    assert len(repr(analyse(independent_hints(2_500)))) < 200


def test_the_logarithms_of_all_totals_of_a_large_unopened_board_take_no_exact_numbers(monkeypatch):
    board = Board.parse("1" + "#" * 99 + ("/" + "#" * 100) * 99)
    monkeypatch.setattr(WholeBoard, "layouts_with", pytest.fail)
    likelihood, logarithms = analyse(board).log_likelihood(), analyse(board).log10_by_total
    assert list(logarithms) == list(likelihood) == list(range(1, 9998))
    # one mine in the 3 cells next to the hint, the others in 9996
    ways = accumulate(range(1, 9997), lambda ways, mines: ways * (9997 - mines) // mines, initial=3)
    assert list(logarithms.values()) == pytest.approx([math.log10(number) for number in ways], abs=1e-7)


def test_an_impossible_total_is_told_without_counting_layouts(monkeypatch):
    monkeypatch.setattr(WholeBoard, "_fillings", pytest.fail)
    board = Board(("1" + "#" * 99, *("#" * 100,) * 99))
    with pytest.raises(InconsistentBoardError, match="9,998 mines are impossible on this board; 1 to 9,997 are"):
        analyse(board, mines=9998)


def test_an_unopened_board_of_many_cells_is_taken_in_doubles():
    found = analyse(Board(("#" * 400,) * 400, mines=32_000))
    assert isinstance(found.risk[0, 0], float)
    assert found.risk[0, 0] == pytest.approx(0.2, rel=1e-12)
    assert found.log10_count == pytest.approx(
        (math.lgamma(160_001) - math.lgamma(32_001) - math.lgamma(128_001)) / math.log(10), rel=1e-12
    )


def test_the_layouts_with_all_totals_keep_to_the_budget(clock):
    with pytest.raises(BudgetExceededError, match="not done after 20 seconds"):
        _ = analyse(Board.parse("#" * 1000), budget=Budget(timeout=20)).by_total


def test_openings_say_why_a_cell_is_not_among_them():
    with pytest.raises(
        KeyError, match="is open, off the board, a mine that the board gives, or nothing is known of it"
    ):
        analyse(Board.parse("#1#"), mines=1).openings[0, 1]


@pytest.mark.parametrize("density", [0.1, 0.3])
def test_layouts_by_total_are_those_of_each_total(density):
    for seed in range(4):
        board = Board.random(12, 12, density, 0.2, seed)
        border = Border.of(board)
        for total, layouts in analyse(Board(board.grid)).by_total.items():
            whole = WholeBoard(board, border, total, None)
            assert whole.layouts == layouts
            assert contains(whole.totals, total)


def test_a_count_is_refused_by_what_it_needs_and_not_by_what_fractions_need(monkeypatch):
    board = Board.random(40, 40, 0.3, 0.3, 1)
    monkeypatch.setattr("mines_dd.answers.component._PRODUCTS", 10.0**9)
    monkeypatch.setattr("mines_dd.diagrams.interpolation._SECONDS_A_FLOW", 1.0)
    found = analyse(board, budget=Budget(timeout=100))
    with pytest.raises(BudgetExceededError, match=r"is predicted to need .* seconds and 100 are allowed"):
        found.exact  # noqa: B018
    assert found.count == found.by_total[board.mines]


def test_layouts_by_total_are_refused_by_what_their_product_needs():
    board = Board.random(400, 400, 0.05, 0.01, 1)
    found = analyse(Board(board.grid), budget=Budget(timeout=20))
    with pytest.raises(BudgetExceededError, match=r"is predicted to need .* seconds and 20 are allowed"):
        found.by_total  # noqa: B018
