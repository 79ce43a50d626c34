"""Totals and densities in doubles, against all layouts of small boards and the fractions of larger ones."""

import math
from fractions import Fraction

import naive
import pytest
from boards import positions
from hypothesis import assume, given, settings

from mines_dd import Board, InconsistentBoardError, Session, analyse
from mines_dd.answers import tilted, whole_board
from mines_dd.answers.analysis import analysis_of
from mines_dd.answers.border import Border
from mines_dd.answers.tilted import TiltedBoard
from mines_dd.answers.whole_board import WholeBoard


@pytest.fixture(autouse=True)
def _doubles_for_every_board(monkeypatch):
    monkeypatch.setattr(whole_board, "_AT_ONCE", -1.0)


def check(board: Board, total: int | None, layouts) -> None:
    """Compare the analysis in doubles with some layouts, all that have the total."""
    found = analyse(board, total)
    assert 0 < found.error < 1e-9
    expected = naive.probabilities(board.closed(), layouts)
    assert found.risk == pytest.approx({p: float(expected[p]) for p in found.risk}, abs=1e-12)
    assert found.safe == {p for p in found.risk if expected[p] == 0}
    assert found.mines == {p for p in found.risk if expected[p] == 1}
    assert found.safe == {p for p, share in found.risk.items() if share == 0}
    assert found.mines == {p for p, share in found.risk.items() if share == 1}
    if total is not None:
        assert found.log10_count == pytest.approx(math.log10(len(layouts)), abs=1e-11)
        assert found.risk.keys() == set(board.closed())
    assert found.count == pytest.approx(10**found.log10_count, rel=1e-9)
    assert found.exact == {p: expected[p] for p in found.risk}


def test_every_total_of_small_boards_gives_what_brute_force_gives():
    for _, board in naive.small_boards(60):
        everything = naive.layouts(board)
        known = len(board.known_mines())
        totals = {len(m) + known for m in everything}
        if everything:
            check(Board(board.grid), None, everything)
        for total in range(len(board.closed()) + known + 2):
            if total not in totals:
                with pytest.raises(InconsistentBoardError):
                    analyse(board, total)
            else:
                check(board, total, [m for m in everything if len(m) + known == total])


@given(positions())
@settings(max_examples=60, deadline=None)
def test_a_board_of_any_kind_gives_what_brute_force_gives(board):
    assume(len(board.closed()) <= 11)
    everything = naive.layouts(board)
    if board.mines is not None:
        everything = [m for m in everything if len(m) + len(board.known_mines()) == board.mines]
    if everything:
        check(board, board.mines, everything)
    else:
        with pytest.raises(InconsistentBoardError):
            analyse(board)


# The cell in the middle is a mine, or the three others are: 1 mine or 3, beside 18 known ones.
GAP = ("#***#", "*7*7*", "**#**", "**7**", "**#**")


def test_totals_may_have_gaps():
    with pytest.raises(InconsistentBoardError, match="20 mines are impossible on this board; 19 and 21 are possible"):
        analyse(Board(GAP), 20)
    assert (analyse(Board(GAP), 19).mines, len(analyse(Board(GAP), 19).safe)) == ({(2, 2)}, 3)
    assert (analyse(Board(GAP), 21).safe, len(analyse(Board(GAP), 21).mines)) == ({(2, 2)}, 3)
    three = Board(tuple(f"{row}*{row}*{row}" for row in GAP))  # 18 * 3 + 10 known mines
    for total, layouts in ((67, 1), (69, 3), (71, 3), (73, 1)):
        found = analyse(three, total)
        assert found.log10_count == pytest.approx(math.log10(layouts), abs=1e-12)
        assert found.risk[2, 2] == pytest.approx((73 - total) / 6, abs=1e-12)
        assert len(found.mines) == {67: 3, 73: 9}.get(total, 0)
    with pytest.raises(InconsistentBoardError, match="67, 69, 71 and 73 are possible"):
        analyse(three, 70)


def test_densities_weigh_layouts():
    for board, share, expected in naive.weighed_boards(40):
        found = analyse(board, density=share)
        assert found.risk == pytest.approx({p: float(p_mine) for p, p_mine in expected.items()}, abs=1e-12)
        assert found.safe == {p for p in board.closed() if expected[p] == 0}


@pytest.mark.parametrize("seed", range(3))
def test_doubles_agree_with_fractions_on_a_larger_board_and_with_other_angles(seed, monkeypatch):
    board = Board.random(20, 20, 0.3, 0.3, seed)
    border = Border.of(board)
    whole = WholeBoard(board, border, board.mines, None)
    (first, _), (_, last) = whole.totals[0], whole.totals[-1]
    for total in (first, first + 1, board.mines, last - 1, last):
        found = analysis_of(board, border, total)
        assert max(abs(float(share) - found.risk[p]) for p, share in found.exact.items()) < 1e-13
        assert found.safe == {p for p, share in found.exact.items() if share == 0}
        assert found.mines == {p for p, share in found.exact.items() if share == 1}
        assert found.log10_count == pytest.approx(math.log10(found.count), abs=1e-10)
    with monkeypatch.context() as patch:
        patch.setattr(tilted, "_SIGMAS", 13.0)
        other = analyse(board)
    assert analyse(board).risk == pytest.approx(other.risk, abs=1e-13)
    assert analyse(board).risk != other.risk


def test_too_few_angles_are_noticed_and_doubled(monkeypatch):
    board = Board.random(20, 20, 0.3, 0.3, 1)
    expected = analyse(board).risk
    monkeypatch.setattr(tilted, "_SIGMAS", 0.5)
    monkeypatch.setattr(tilted, "_ANGLES", 2)
    assert analyse(board).risk == pytest.approx(expected, abs=1e-12)
    monkeypatch.setattr(tilted, "_DOUBLINGS", 1)
    whole = WholeBoard(board, Border.of(board), board.mines, None)
    assert TiltedBoard(whole.components, len(whole.sea)).given(board.mines - whole.decided).error > 1e-6
    assert analyse(board).error == 0.0  # doubles that are not right are not given


def test_equal_components_are_computed_once_and_all_share_the_total():
    """Each of n rows #1#1# has a mine in the middle or two at its ends."""
    n, sea, left = 12, 200, 20
    board = Board(("#1#1#*" * n + "#" * sea,))
    found = analyse(board, n + left)
    layouts = sum(math.comb(n, k) * math.comb(sea, left - n - k) for k in range(left - n + 1))
    at_ends = sum(math.comb(n - 1, k - 1) * math.comb(sea, left - n - k) for k in range(1, left - n + 1))
    assert found.log10_count == pytest.approx(math.log10(layouts), abs=1e-12)
    assert found.risk[0, 6] == pytest.approx(at_ends / layouts, abs=1e-14)
    assert sum(found.risk.values()) == pytest.approx(left, abs=1e-11)


def test_a_wide_sea_settles_no_border():
    found = analyse(Board(("#1#1#" + "#" * 100_000,)), 30_000)
    assert found.risk[0, 0] == pytest.approx(float(Fraction(29_999 - 1, 100_000 - 1)), rel=1e-2)
    assert not found.safe
    assert not found.mines


@pytest.mark.parametrize("seed", range(4))
def test_the_curve_over_all_totals_has_every_possible_total(seed):
    board = Board(Board.random(12, 12, 0.25, 0.3, seed).grid)
    found = analyse(board)
    exact = found.by_total
    assert list(found.log10_by_total) == list(exact)
    assert found.log10_by_total == pytest.approx({t: math.log10(n) for t, n in exact.items()}, abs=1e-8)
    likelihood = {t: math.log(Fraction(n, math.comb(144, t))) for t, n in exact.items()}
    assert found.log_likelihood() == pytest.approx(likelihood, abs=1e-7)
    three = Board(tuple(f"{row}*{row}*{row}" for row in GAP))
    assert analyse(three).log10_by_total == pytest.approx(
        {67: 0, 69: math.log10(3), 71: math.log10(3), 73: 0}, abs=1e-9
    )


@pytest.mark.ci
def test_the_numbers_that_cells_show_are_those_in_fractions(monkeypatch):
    compared = 0
    for seed, board in naive.small_boards(60):
        layouts = naive.layouts(board)
        totals = {len(mines) + len(board.known_mines()) for mines in layouts}
        asked = [{"mines": total} for total in totals] + [{}, {"density": 0.3}] * bool(layouts)
        for how in asked:
            found = analyse(board, **how)
            with monkeypatch.context() as patch:
                patch.setattr(whole_board, "_AT_ONCE", 9e9)
                exact = analyse(board, **how)
            assert exact.error == 0 < found.error
            for cell in exact.openings:
                assert found.numbers(cell) == pytest.approx(
                    {n: float(p) for n, p in exact.numbers(cell).items()}, abs=1e-12
                )
                compared += 1
            assert found.openings.keys() == exact.openings.keys(), seed
    assert compared > 500


def test_samples_have_the_total_and_are_uniform():
    tested = 0
    for _, board in naive.small_boards(25):
        known = len(board.known_mines())
        layouts = naive.layouts(board)
        total = sorted(len(mines) for mines in layouts)[len(layouts) // 2] + known if layouts else 0
        some = [mines for mines in layouts if len(mines) + known == total]
        if not 2 <= len(some) <= 30:
            continue
        drawn = analyse(board, total).sample(40 * len(some), seed=1)
        assert drawn[:5] == analyse(board, total).sample(5, seed=1)
        counts = [drawn.count(mines) for mines in some]
        assert sum(counts) == len(drawn)
        # chi-squared: its mean is len(some) - 1, its variance twice that
        chi = sum((n - 40) ** 2 / 40 for n in counts)
        assert abs(chi - (len(some) - 1)) < 5 * math.sqrt(2 * (len(some) - 1))
        tested += 1
    assert tested > 5
    board = Board.random(40, 40, 0.3, 0.3, 1)
    for mines in analyse(board).sample(3, seed=2):
        full = Board.from_layout(40, 40, mines | set(board.known_mines()))
        assert len(full.layout) == board.mines
        assert all(sum(p in mines for p in board.neighbours(cell)) == n for cell, n in board.hints().items())


def test_a_session_follows_a_game_in_doubles():
    session = Session(Board.random(20, 20, 0.2, 0.3, 4))
    cell = min(session.analysis.safe)
    session.open(cell, session.board.neighbours(cell) and min(session.analysis.numbers(cell)))
    fresh = analyse(session.board)
    assert session.analysis.risk == pytest.approx(fresh.risk, abs=1e-13)
    assert session.analysis.safe == fresh.safe
