"""Hints in conflict, against all layouts of small boards."""

import random
from itertools import combinations

import naive
import pytest

from mines_dd import Board, BudgetExceededError, InconsistentBoardError, analyse
from mines_dd.answers.conflict import conflict_error, minimal_conflict
from mines_dd.base.budget import Budget
from mines_dd.constraints.graph import Instance


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
            return naive.is_consistent(part)

        if not hints:
            assert satisfiable(instance.hints)
            continue
        met += 1
        assert not satisfiable(hints)
        assert all(satisfiable([h for h in hints if h != left_out]) for left_out in hints)
    assert met > 30


@pytest.mark.ci
def test_the_known_mines_in_a_conflict_are_named_and_minimal():
    met = 0
    for seed in range(300):
        rng = random.Random(seed)
        board = naive.random_board(seed, most_closed=10)
        grid = ["".join("*" if cell == "#" and rng.random() < 0.4 else cell for cell in row) for row in board.grid]
        board = Board(tuple(grid))
        if naive.is_consistent(Instance.from_board(board)):
            continue
        error = conflict_error(board)
        met += len(error.mines) > 0

        def fits(mines, hints=error.hints, board=board):
            """Whether so many mines can be around each hint, if only these are known."""
            closed = {p for hint in hints for p in board.neighbours(hint) if board[p] in "#*"}
            return any(
                all(len(layout.intersection(board.neighbours(hint))) == int(board[hint]) for hint in hints)
                for size in range(len(closed) + 1)
                for layout in map(set, combinations(closed, size))
                if layout.issuperset(mines)
            )

        assert all(board[mine] == "*" for mine in error.mines)
        assert not fits(error.mines)
        assert all(fits(set(error.mines) - {mine}) for mine in error.mines)
    assert met > 30


def test_a_wrong_known_mine_is_said():
    with pytest.raises(InconsistentBoardError, match=r"together: 2 at .*; with the known mine at row 3, column 4$"):
        analyse(Board.parse("0001#####/0001#####/11211####/####*####"))


def test_the_search_keeps_to_its_budget():
    with pytest.raises(BudgetExceededError):
        minimal_conflict(Instance.from_board(Board.random(30, 30, 0.3, 0.3, 0)), Budget(max_nodes=3))
