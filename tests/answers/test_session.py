"""Sessions against analyses from scratch over random games."""

import random
from copy import copy

import naive
import pytest

from mines_dd import Board, BoardFormatError, InconsistentBoardError, MinesError, advise, analyse, solve
from mines_dd.answers import border
from mines_dd.answers.session import Session


def random_game(seed: int):
    """Yield a session after every move of a random game, in which a mine that is opened is left closed instead."""
    rng = random.Random(seed)
    rows, cols = rng.randint(1, 9), rng.randint(1, 9)
    total = round(rng.choice([0.1, 0.15, 0.2, 0.3]) * rows * cols)
    known = rng.random() < 0.8
    board = Board.random(rows, cols, total, 0, seed)
    session = Session.start(rows, cols, total if known else None)
    yield session
    for _ in range(rng.randint(1, 12)):
        closed = [p for p in session.board.closed() if p not in board.layout]
        if not closed:
            return
        exact = session.analysis.exact
        cell = min(closed, key=lambda p: exact.get(p, 0.2)) if rng.random() < 0.7 else rng.choice(closed)
        opened = Board(session.board.grid, None, board.layout).open(*cell)
        new = {p: n for p, n in opened.hints().items() if session.board[p] in "#F"}
        if rng.random() < 0.2:
            new = {cell: new[cell]}
        session.reveal(new)
        yield session


def check_games(seeds) -> int:
    moves = 0
    for seed in seeds:
        for session in random_game(seed):
            moves += 1
            fresh = analyse(session.board)
            assert session.analysis == fresh
            assert session.analysis.safe == fresh.safe
            assert session.analysis.mines == fresh.mines
            if seed % 10 == 0:
                assert session.analysis.dead == fresh.dead
                assert session.analysis.openings == fresh.openings
                assert session.analysis.by_total == fresh.by_total
    return moves


@pytest.mark.ci
def test_a_session_says_after_each_move_what_a_fresh_analysis_says():
    assert check_games(range(50)) > 250


@pytest.mark.slow
def test_thousands_of_games_agree_with_fresh_analyses():
    assert check_games(range(100, 5000)) > 21_000


@pytest.mark.ci
def test_a_session_may_begin_with_any_board():
    for seed in range(150):
        board = naive.random_board(seed)
        if solve(board):
            assert Session(board).analysis == analyse(board)
            continue
        with pytest.raises(InconsistentBoardError) as fresh:
            analyse(board)
        with pytest.raises(InconsistentBoardError) as found:
            Session(board)
        assert found.value.hints == fresh.value.hints
    board = Board.parse("#2##")
    assert Session(board, 2).analysis == analyse(board, 2)


def test_a_total_that_is_given_is_on_the_board_from_then_on():
    session = Session(Board.parse("mines: 3\n#1##"), mines=1)
    assert session.board.mines == 1
    assert advise(session.board).cell == (0, 3)
    session.open((0, 3), 0)
    assert session.board == Board.parse("mines: 1\n#1#0")
    assert analyse(Board.parse("#1##"), 1).board.mines == 1
    assert analyse(Board.parse("mines: 3\n#1##"), density=0.2).board.mines == 3


def far_apart() -> Session:
    """Three components: on the left, in the middle and on the right."""
    return Session(Board.parse("mines: 7\n#####1####1##\n#1###########\n#############"))


def test_what_a_move_does_not_touch_is_not_solved_again(monkeypatch):
    session = far_apart()
    left, middle, right = sorted(session.border.parts, key=lambda part: min(cell[1] for cell in part.cells))
    asked = []
    reduce = border.simplify
    monkeypatch.setattr(border, "simplify", lambda instance, *_: asked.append(set(instance.cells)) or reduce(instance))
    session.open((0, 6), 1)
    assert asked == [middle.cells - {(0, 6)} | {(0, 7), (1, 7)}]
    assert left in session.border.parts
    assert right in session.border.parts
    assert middle not in session.border.parts
    session.flag((2, 0))
    assert len(asked) == 1
    session.open((0, 8), 1)  # joins the middle and the right
    assert len(asked) == 2
    assert left in session.border.parts
    assert len(session.border.parts) == 2
    session.undo()
    session.undo()
    session.undo()
    assert len(asked) == 2
    assert set(session.border.parts) == {left, middle, right}


def test_a_move_may_part_a_component():
    session = Session(Board.parse("##1#1##\n#######"))
    assert len(session.border.parts) == 1
    session.open((0, 3), 0)
    assert session.analysis == analyse(session.board)
    assert len(session.border.parts) == 2


def test_a_component_of_the_same_shape_is_solved_once(monkeypatch):
    solved = []
    plan_and_compile = border.plan_and_compile
    monkeypatch.setattr(
        border, "plan_and_compile", lambda *args, **how: solved.append(args) or plan_and_compile(*args, **how)
    )
    session = Session(Board.parse("\n".join(["#" * 20] * 7)))
    for cell in [(1, 1), (5, 5), (3, 15)]:
        session.open(cell, 3)
    assert len(solved) <= 1  # 0 if some board had the shape before
    assert len(session.border.parts) == 3


def test_moves_that_are_impossible_leave_the_session_as_it_was():
    session = far_apart()
    before, was = session.border, session.analysis
    for cell, number, error, text in [
        ((0, 5), 1, MinesError, "row 0, column 5 is not closed"),
        ((9, 9), 1, MinesError, "no cell"),
        ((0, 0), 9, BoardFormatError, "not 0 to 8"),
        ((2, 1), 5, InconsistentBoardError, "in|together"),
    ]:
        with pytest.raises(error, match=text):
            session.open(cell, number)
        assert session.analysis is was
        assert session.border is before
    with pytest.raises(InconsistentBoardError) as found:
        session.open((0, 6), 4)
    assert set(found.value.hints) == {(0, 5), (0, 6)}
    with pytest.raises(InconsistentBoardError, match="no layout has 3 mines where 2 cells can hold one") as found:
        Session.start(2, 2, 3).reveal({(0, 0): 2, (0, 1): 2})
    assert found.value.hints == ()
    with pytest.raises(InconsistentBoardError, match="2 mines are impossible"):
        Session(Board.parse("#1#"), 2)
    with pytest.raises(InconsistentBoardError, match="1 mine is impossible"):
        Session.start(2, 2, 1).open((0, 0), 2)


def test_to_open_no_cell_is_no_move():
    session = Session.start(2, 2, 1)
    session.open((0, 0), 1)
    session.reveal({})
    session.undo()
    assert session.board == Session.start(2, 2, 1).board


def test_a_certain_mine_cannot_be_opened():
    session = Session(Board.parse("##2##"))
    assert session.analysis.mines == {(0, 1), (0, 3)}
    with pytest.raises(InconsistentBoardError) as found:
        session.open((0, 1), 0)
    assert found.value.hints == ((0, 2),)
    assert session.board == Board.parse("##2##")


def test_flags_are_notes_and_can_be_taken_back():
    session = far_apart()
    was = session.analysis
    session.flag((0, 0))
    assert session.board[0, 0] == "F"
    assert session.analysis == analyse(session.board)
    with pytest.raises(MinesError, match="'#' is needed"):
        session.flag((0, 0))
    session.open((2, 5), 1)
    assert session.board[0, 0] == "F"
    session.unflag((0, 0))
    assert session.board[0, 0] == "#"
    with pytest.raises(MinesError, match="'F' is needed"):
        session.unflag((0, 0))
    for _ in range(3):
        session.undo()
    assert session.analysis is was
    with pytest.raises(MinesError, match="no move"):
        session.undo()


def test_cells_may_be_lists_as_in_json():
    session = Session.start(1, 4, mines=1)
    session.open([0, 1], 1)
    session.flag([0, 3])
    assert session.board.grid == ("#1#F",)
    assert session.analysis.numbers([0, 2]) == session.analysis.numbers((0, 2))


def test_a_copy_of_a_session_is_played_on_by_itself():
    session = Session.start(5, 5, mines=3)
    session.open((0, 0), 1)
    tried = copy(session)
    tried.open((4, 4), 0)
    session.undo()
    assert (repr(session)[-15:], repr(tried)[-15:]) == ("; 0 moves made>", "; 2 moves made>")
    tried.undo()
    assert str(tried.board).count("1") == 1
