"""Boards without guesses: won by certain steps alone, graded as plain enumeration of hints grades them."""

import itertools

import pytest
from boards import SEEDS
from hypothesis import given, settings

from mines_dd import Board, analyse, explain
from mines_dd.base.errors import BoardFormatError, BudgetExceededError, MinesError
from mines_dd.play.games import LEVELS, Level
from mines_dd.play.no_guess import DIFFICULTIES, difficulty_of, grade, no_guess_board, no_guess_search


@pytest.mark.parametrize("seed", range(6))
def test_a_no_guess_board_is_won_by_certain_cells_alone(seed):
    board = no_guess_board(LEVELS["beginner"], seed=seed).board
    assert board[4, 4] == "0"
    while True:
        result = analyse(board)
        cells = board.closed()
        if len(cells) == board.mines:
            break
        assert result.safe
        board = board.open_all(result.safe)


def test_a_level_without_any_board_to_win_by_certain_cells_is_given_up():
    with pytest.raises(BudgetExceededError, match="none of 1 board can"):
        no_guess_board(Level(1, 9, 5), (0, 0), seed=1, tries=1)
    with pytest.raises(BudgetExceededError, match="none of 3 boards is without guesses and hard"):
        no_guess_board(Level(2, 2, 0), difficulty="hard", tries=3)
    with pytest.raises(BudgetExceededError, match="none of 3 boards"):
        next(no_guess_search(Level(2, 2, 0), difficulty="hard", start=3, tries=3))
    with pytest.raises(BoardFormatError, match="choose easy, medium or hard"):
        no_guess_board(LEVELS["beginner"], difficulty="mild")


def decided(board: Board, hints) -> dict:
    """What some hints alone decide: cell -> "safe" or "mine", by all assignments of the cells they touch."""
    cells = sorted({p for h in hints for p in board.neighbours(h) if board[p] == "#"})
    missing = [int(board[h]) - sum(board[p] == "*" for p in board.neighbours(h)) for h in hints]
    touched = [[i for i, p in enumerate(cells) if p in board.neighbours(h)] for h in hints]
    found = [
        values
        for values in itertools.product((0, 1), repeat=len(cells))
        if all(sum(values[i] for i in row) == n for row, n in zip(touched, missing, strict=True))
    ]
    return {
        cell: "mine" if values.pop() else "safe"
        for cell, values in ((cell, {x[i] for x in found}) for i, cell in enumerate(cells))
        if len(values) == 1
    }


def naive_difficulty(board: Board) -> str | None:
    """The grade by trying all hints, all pairs, then everything; None if it takes a guess."""
    worst = 0
    while len(board.closed()) + len(board.known_mines()) > board.mines:
        hints = [h for h in board.hints() if any(board[p] == "#" for p in board.neighbours(h))]
        if len(board.known_mines()) == board.mines:
            known, level = dict.fromkeys(board.closed(), "safe"), 0
        else:
            for size in (1, 2):
                known, level = {}, size - 1
                for some in itertools.combinations(hints, size):
                    known = known or decided(board, some)
                if known:
                    break
        if not known:
            found, level = analyse(board), 2
            new = found.mines.difference(board.known_mines())
            known = dict.fromkeys(found.safe, "safe") | dict.fromkeys(new, "mine")
        if not known:
            return None
        worst = max(worst, level)
        board = board.mark([cell for cell, verdict in known.items() if verdict == "mine"])
        board = board.open_all([cell for cell, verdict in known.items() if verdict == "safe"])
    return DIFFICULTIES[worst]


@pytest.mark.ci
@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_the_grade_is_that_of_trying_all_hints_and_pairs(seed):
    board = Board.random(4, 5, 2 + seed % 5, 0, seed)
    first = min(cell for cell in board.closed() if cell not in board.layout)
    board = board.open(*first)
    expected = naive_difficulty(board)
    found = grade(board)
    assert (None if found is None else found.difficulty) == expected
    for most in DIFFICULTIES:
        limited = grade(board, most)
        harder = expected is None or DIFFICULTIES.index(expected) > DIFFICULTIES.index(most)
        assert (limited is None) == harder


@pytest.mark.ci
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_hardest_step_is_a_minimal_proof_of_that_size(difficulty):
    for seed in range(3):
        board, tried, found = no_guess_board(Level(6, 7, 8), seed=seed, difficulty=difficulty)
        assert (board, tried, found) == no_guess_board(Level(6, 7, 8), seed=seed, difficulty=difficulty)
        assert found.difficulty == difficulty_of(found.hardest) == difficulty
        step, position = found.hardest, found.position
        if not step.needs_total:
            assert decided(position, step.hints)[step.cell] == step.verdict
            for fewer in itertools.combinations(step.hints, len(step.hints) - 1):
                assert step.cell not in decided(position, fewer)
        assert explain(position, step.cell).verdict == step.verdict
        assert (step.cell in board.layout) == (step.verdict == "mine")


def test_the_total_counts_as_hard_unless_all_mines_are_found():
    walled = Board.from_layout(2, 3, [(0, 1), (1, 1)]).open_all([(0, 2), (1, 2)])
    assert grade(walled).difficulty == "easy"  # both mines are found, so the two cells behind them are safe
    row = Board.from_layout(1, 5, [(0, 0)]).open(0, 1)  # the 1 has the one mine, so cells 3 and 4 are safe
    found = grade(row)
    assert (found.difficulty, found.hardest.needs_total, found.hardest.hints) == ("hard", True, ((0, 1),))
    assert grade(row, "medium") is None
    for unknown in ("mines: 1/#1#", "mines: 1/#1/11"):
        with pytest.raises(MinesError, match="whose layout is known"):
            grade(Board.parse(unknown))
