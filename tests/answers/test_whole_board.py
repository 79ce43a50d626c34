"""Totals, densities and the numbers that cells show, against all layouts of small boards."""

import random
from collections import Counter
from fractions import Fraction
from math import comb

import naive
import pytest

from mines_dd import Board, InconsistentBoardError, MinesError, analyse


def test_every_total_gives_what_brute_force_gives():
    for _, board in naive.small_boards(60):
        everything = naive.layouts(board)
        known = len(board.known_mines())
        totals = {len(m) + known for m in everything}
        for total in range(len(board.closed()) + known + 1):
            if total not in totals:
                with pytest.raises(InconsistentBoardError):
                    analyse(board, total)
                continue
            some = [m for m in everything if len(m) + known == total]
            found = analyse(board, total)
            assert found.count == len(some)
            assert found.exact == naive.probabilities(board.closed(), some)
            assert sum(found.exact.values()) == total - known
            assert found.by_total == dict(Counter(len(m) + known for m in everything))
            assert found.safe == {p for p, share in found.exact.items() if share == 0}
            assert found.mines == {p for p, share in found.exact.items() if share == 1}
            least = min(found.exact.values(), default=1)
            assert (found.safest is None) == (least == 1)
            assert found.safest is None or found.exact[found.safest] == least


def test_densities_weigh_layouts():
    for board, share, expected in naive.weighed_boards(40):
        assert analyse(board, density=share).exact == expected
        assert analyse(board, density=float(share)).exact == expected


def shown(board: Board, cell, mines) -> int:
    return sum(p in mines or board[p] == "*" for p in board.neighbours(cell))


def check_numbers(board: Board, found, weight: dict) -> tuple[int, int]:
    """Compare what cells may show with layouts and their weights; return the numbers of cells that are dead and not."""
    total = sum(weight.values())
    dead = set()
    for cell in board.closed():
        ways: dict[int, Fraction] = {}
        for mines, w in weight.items():
            if cell not in mines:
                number = shown(board, cell, mines)
                ways[number] = ways.get(number, Fraction(0)) + w
        if len(ways) == 1:
            dead.add(cell)
        around = [cell, *(p for p in board.neighbours(cell) if p in board.closed())]
        if not found.exact.keys() >= set(around):
            assert cell not in found.openings
            with pytest.raises(MinesError, match="is not known"):
                found.numbers(cell)
            continue
        expected = {number: Fraction(n) / total for number, n in sorted(ways.items())}
        assert found.numbers(cell) == expected
        assert list(found.numbers(cell)) == list(expected)
        assert sum(expected.values()) == 1 - found.exact[cell]
        assert found.openings[cell] == expected.get(0, 0)
    assert found.dead == dead
    return len(dead), len(board.closed()) - len(dead)


@pytest.mark.ci
def test_the_numbers_that_cells_show_and_dead_cells_are_those_of_all_layouts():
    tally = []
    for seed, board in naive.small_boards(90):
        everything = naive.layouts(board)
        if not everything:
            continue
        known = len(board.known_mines())
        tally.append(check_numbers(board, analyse(board), dict.fromkeys(everything, 1)))
        for total in {len(mines) + known for mines in everything}:
            some = dict.fromkeys((m for m in everything if len(m) + known == total), 1)
            tally.append(check_numbers(board, analyse(board, total), some))
        share = Fraction(random.Random(seed).randint(1, 9), 10)
        weight = {m: share ** len(m) * (1 - share) ** (len(board.closed()) - len(m)) for m in everything}
        tally.append(check_numbers(board, analyse(board, density=share), weight))
    dead, alive = (sum(column) for column in zip(*tally, strict=True))
    assert min(dead, alive) > 300


def test_cells_next_to_all_that_is_left_are_dead():
    assert analyse(Board.parse("#1#")).dead == {(0, 0), (0, 2)}
    corner = analyse(Board.parse("1####\n#####"), 2)
    # one mine is next to the hint, the other in the sea: (1, 0) sees the first, (0, 3) and (1, 3) all of the sea
    assert corner.dead == {(1, 0), (0, 3), (1, 3)}
    assert corner.numbers((1, 4)) == {0: Fraction(1, 3), 1: Fraction(1, 2)}
    assert corner.openings[1, 4] == Fraction(1, 3)


@pytest.mark.ci
def test_several_parts_and_the_sea_share_one_total():
    board = Board.random(8, 8, 10, 14, 5)
    found = analyse(board)
    assert len(found.exact) == 50
    assert sum(found.exact.values()) == 10
    for cell in board.closed():
        assert sum(found.numbers(cell).values()) == 1 - found.exact[cell]
    for cell in board.closed()[::5]:
        for number in range(9):
            share = found.numbers(cell).get(number, 0)
            try:
                after = analyse(Board(board.reveal({cell: number}).grid), 10).count
            except InconsistentBoardError:
                after = 0
            assert share == Fraction(after, found.count)


def test_many_parts_before_a_wide_sea_are_weighed_exactly():
    """Weights of hundreds of bits, some of them 0: each of n rows #1#1# has a mine in the middle or two at its ends."""
    n, sea, left = 12, 200, 20
    board = Board(("#1#1#*" * n + "#" * sea,))
    found = analyse(board, n + left)
    layouts = sum(comb(n, k) * comb(sea, left - n - k) for k in range(left - n + 1))
    at_ends = sum(comb(n - 1, k - 1) * comb(sea, left - n - k) for k in range(1, left - n + 1))
    in_sea = sum(comb(n, k) * comb(sea - 1, left - n - k - 1) for k in range(left - n))
    assert found.count == layouts
    for i in range(n):
        assert found.exact[0, 6 * i] == found.exact[0, 6 * i + 4] == Fraction(at_ends, layouts)
        assert found.exact[0, 6 * i + 2] == 1 - Fraction(at_ends, layouts)
    assert found.exact[0, 6 * n] == Fraction(in_sea, layouts)
