"""Probabilities with totals and densities, conflicts and explanations, against all layouts of small boards."""

import random
from fractions import Fraction
from itertools import combinations
from math import comb

import naive
import numpy as np
import pytest

from mines_dd import Board, InconsistentBoardError, MinesError, analyse, explain, solve
from mines_dd.answers.conflict import minimal_conflict
from mines_dd.constraints.graph import Instance


def layouts(board: Board) -> list[frozenset]:
    """All sets of closed cells that satisfy all hints."""
    closed = board.closed()
    hints = {
        p: (set(board.neighbours(p)), count - sum(board[q] == "*" for q in board.neighbours(p)))
        for p, count in board.hints().items()
    }
    return [
        frozenset(mines)
        for size in range(len(closed) + 1)
        for mines in combinations(closed, size)
        if all(len(around.intersection(mines)) == count for around, count in hints.values())
    ]


def small_boards(n: int):
    seed = 0
    while n:
        board = naive.random_board(seed)
        seed += 1
        if len(board.closed()) <= 11:
            n -= 1
            yield seed, Board(board.grid)


def test_every_total_gives_what_brute_force_gives():
    for _, board in small_boards(60):
        everything = layouts(board)
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
            assert found.by_total == {t: sum(len(m) + known == t for m in everything) for t in found.by_total}
            assert set(found.by_total) >= totals
            assert found.safe == {p for p, share in found.exact.items() if share == 0}
            assert found.mines == {p for p, share in found.exact.items() if share == 1}
            least = min(found.exact.values(), default=1)
            assert (found.safest is None) == (least == 1)
            assert found.safest is None or found.exact[found.safest] == least


def test_densities_weigh_layouts():
    for seed, board in small_boards(40):
        everything = layouts(board)
        if not everything:
            continue
        share = Fraction(random.Random(seed).randint(1, 9), 10)
        weight = {m: share ** len(m) * (1 - share) ** (len(board.closed()) - len(m)) for m in everything}
        expected = {p: sum(w for m, w in weight.items() if p in m) / sum(weight.values()) for p in board.closed()}
        assert analyse(board, density=share).exact == expected
        assert analyse(board, density=float(share)).exact == expected


def test_without_a_total_it_is_what_solve_says():
    for _, board in small_boards(30):
        family = solve(board)
        if family:
            found = analyse(board)
            assert found.exact == family.probabilities()
            assert found.count == family.count()


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


def test_the_numbers_that_cells_show_and_dead_cells_are_those_of_all_layouts():
    tally = []
    for seed, board in small_boards(150):
        everything = layouts(board)
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
    assert min(dead, alive) > 500


def test_cells_next_to_all_that_is_left_are_dead():
    assert analyse(Board.parse("#1#")).dead == {(0, 0), (0, 2)}
    corner = analyse(Board.parse("1####\n#####"), 2)
    # one mine is next to the hint, the other in the sea: (1, 0) sees the first, (0, 3) and (1, 3) all of the sea
    assert corner.dead == {(1, 0), (0, 3), (1, 3)}
    assert corner.numbers((1, 4)) == {0: Fraction(1, 3), 1: Fraction(1, 2)}
    assert corner.openings[1, 4] == Fraction(1, 3)


def test_analyses_of_equal_boards_are_equal():
    board = Board.parse("mines: 2\n#1##")
    assert analyse(board) == analyse(Board.parse("mines: 2\n#1##"))
    assert hash(analyse(board)) == hash(analyse(board))
    assert analyse(board) != analyse(board, 1)
    assert analyse(board) != analyse(board.flag([(0, 3)]))


def test_numbers_of_an_open_cell_are_refused():
    with pytest.raises(MinesError, match="not closed"):
        analyse(Board.parse("#1#"), 1).numbers((0, 1))


def test_several_parts_and_the_sea_share_one_total():
    board = Board.random(8, 8, 10, 14, 5)
    found = analyse(board)
    assert len(found.exact) == 50
    assert sum(found.exact.values()) == 10
    for cell in board.closed():
        assert sum(found.numbers(cell).values()) == 1 - found.exact[cell]
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
    with pytest.raises(InconsistentBoardError, match="0 to 3 are possible"):
        analyse(Board.parse("###"), 4)
    with pytest.raises(MinesError, match="not both"):
        analyse(Board.parse("###"), 1, 0.5)
    with pytest.raises(MinesError, match="between 0 and 1"):
        analyse(Board.parse("###"), density=1.5)


def test_an_isolated_hint_and_one_larger_than_its_neighbours_are_refused():
    for text, hints in [("1", {(0, 0)}), ("#3#", {(0, 1)}), ("#1#\n000", {(0, 1)})]:
        with pytest.raises(InconsistentBoardError) as error:
            analyse(Board.parse(text))
        assert (0, 1) in error.value.hints or error.value.hints == tuple(hints)


def test_conflicts_are_minimal():
    met = 0
    for seed in range(400):
        instance = Instance.from_board(naive.random_board(seed)) if seed % 2 else naive.random_instance(seed)
        hints = minimal_conflict(instance)
        rows = {h: (m, c) for h, m, c in zip(instance.hints, instance.members, instance.allowed, strict=True)}

        def satisfiable(chosen, instance=instance, rows=rows):
            part = Instance.build(
                instance.cells, range(len(chosen)), [rows[h][0] for h in chosen], [rows[h][1] for h in chosen]
            )
            return bool(naive.assignments(part))

        if not hints:
            assert satisfiable(instance.hints)
            continue
        met += 1
        assert not satisfiable(hints)
        assert all(satisfiable([h for h in hints if h != left_out]) for left_out in hints)
    assert met > 30


def test_explanations_are_sufficient_and_minimal():
    proved = 0
    for _, board in small_boards(50):
        everything = layouts(board)
        if not everything:
            continue
        known = len(board.known_mines())
        total = len(everything[0]) + known
        for use_total in (None, total):
            for cell in board.closed():
                some = [m for m in everything if use_total is None or len(m) + known == total]
                if use_total is None and cell not in solve(board).cells:
                    with pytest.raises(MinesError, match="nothing is known"):
                        explain(board, cell)
                    continue
                found = explain(board, cell, use_total)
                sides = {cell in m for m in some}
                if len(sides) == 2:
                    assert found.verdict == "open question"
                    if use_total is not None:
                        assert found.with_mine == sum(cell in m for m in some)
                        assert found.without == sum(cell not in m for m in some)
                    continue
                proved += 1
                assert found.verdict == ("mine" if True in sides else "safe")
                check_proof(board, cell, found, total if found.needs_total else None)
                assert "row" in found.text()
    assert proved > 50


def check_proof(board: Board, cell, found, total) -> None:
    def possible(hints) -> set:
        kept = {p: c for p, c in board.hints().items() if p in hints}
        blank = Board(tuple("".join(ch if ch in "#F*" else "0" for ch in row) for row in board.grid))
        closed, known = blank.closed(), set(board.known_mines())
        return {
            cell in mines
            for size in range(len(closed) + 1)
            for mines in combinations(closed, size)
            if (total is None or size + len(known) == total)
            and all(len((set(mines) | known).intersection(board.neighbours(p))) == c for p, c in kept.items())
        }

    assert len(possible(found.hints)) == 1
    for left_out in found.hints:
        assert len(possible([h for h in found.hints if h != left_out])) == 2


def test_explaining_an_open_cell_is_refused():
    with pytest.raises(MinesError, match="not closed"):
        explain(Board.parse("#1#"), (0, 1))


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
