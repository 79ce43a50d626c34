"""Explanations, against all layouts of small boards."""

import itertools

import naive
import numpy as np
import pytest

from mines_dd import Board, BudgetExceededError, MinesError, analyse, explain, solve
from mines_dd.answers.conflict import restricted
from mines_dd.base.budget import Budget
from mines_dd.constraints.graph import Instance


@pytest.mark.ci
def test_explanations_are_sufficient_and_minimal():
    proved = 0
    for _, board in naive.small_boards(50):
        everything = naive.layouts(board)
        if not everything:
            continue
        known = len(board.known_mines())
        total = len(everything[0]) + known
        touched = solve(board).cells
        for use_total in (None, total):
            for cell in board.closed():
                some = [m for m in everything if use_total is None or len(m) + known == total]
                if use_total is None and cell not in touched:
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
    closed, known = board.closed(), set(board.known_mines())

    def possible(hints) -> set:
        """What the cell may hold if these are the hints."""
        counts = []
        for p in hints:
            around = set(board.neighbours(p))
            cells = naive.mask(i for i, q in enumerate(closed) if q in around)
            counts.append((cells, int(board[p]) - len(known & around)))
        return {
            bool(mines >> closed.index(cell) & 1)
            for mines in range(2 ** len(closed))
            if (total is None or mines.bit_count() + len(known) == total)
            and all((mines & cells).bit_count() == count for cells, count in counts)
        }

    assert len(possible(found.hints)) == 1
    for left_out in found.hints:
        assert len(possible([h for h in found.hints if h != left_out])) == 2


def test_a_sentence_fits_what_it_says():
    said = explain(Board.parse("#1"), (0, 0)).text()
    assert said == "row 0, column 0 is a mine because of the hint at row 0, column 1."
    assert (
        "and the total number of mines; none of them can be left out."
        in explain(Board.parse("1#1/###"), (1, 0), 1).text()
    )
    assert "a mine in 1 of 2 ways to place the mines (0.500)" in explain(Board.parse("#1#"), (0, 0), 1).text()


def test_explaining_an_open_cell_is_refused():
    with pytest.raises(MinesError, match="not closed"):
        explain(Board.parse("#1#"), (0, 1))


def test_explanations_keep_to_their_budget():
    hard = Board.random(30, 30, 0.3, 0.3, 0)
    with pytest.raises(BudgetExceededError, match="second"):
        explain(hard, hard.closed()[0], budget=Budget(timeout=0))
    board = Board(("#1#2#1#",))
    assert explain(board, (0, 0), budget=Budget(max_nodes=1000, timeout=100)) == explain(board, (0, 0))


def test_a_cell_may_be_a_list_or_come_from_numpy():
    board = Board.parse("#1#/#2#/#1#")
    assert explain(board, np.array([1, 0])) == explain(board, [1, 0]) == explain(board, (1, 0))


def test_an_explanation_of_more_layouts_than_python_writes_out_shows_itself():
    found = explain(Board.parse("/".join(["#" * 150] * 150)), (0, 0), 4000)
    assert repr(found).endswith("a mine in 1.91412493e+4570 of 1.07669528e+4571 ways to place the mines (0.178).>")


@pytest.mark.parametrize(
    ("text", "cell", "hints"), [("12#111/1#2#1#", (0, 2), ((0, 1),)), ("#1#/110", (0, 0), ((1, 0),))]
)
def test_one_hint_is_named_where_one_will_do(text, cell, hints):
    assert explain(Board.parse(text), cell).hints == hints


@pytest.mark.parametrize("seed", range(12))
def test_no_proof_of_one_or_two_hints_is_missed(seed):
    board = Board.random(4, 5, 0.3, 0.6, seed)
    instance = Instance.from_board(board)
    for cell, share in analyse(board).risk.items():
        proof = explain(board, cell).hints if share in (0, 1) else ()
        if len(proof) > 2:
            for few in itertools.combinations(range(len(instance.hints)), 2):
                members, allowed = zip(*((instance.members[h], instance.allowed[h]) for h in few), strict=True)
                part = restricted(instance, members, allowed)
                assert cell not in part.cells or 0 < solve_part(part, cell) < 1


def solve_part(part, cell):
    """The probability of a cell by trying all assignments of a few hints."""
    at, found = list(part.cells).index(cell), []
    for mines in itertools.product((0, 1), repeat=len(part.cells)):
        if all(sum(mines[c] for c in row) in dc for row, dc in zip(part.members, part.allowed, strict=True)):
            found.append(mines[at])
    return sum(found) / len(found)
