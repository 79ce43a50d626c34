"""Pieces of an elimination, and orders that are mended piece by piece."""

import numpy as np
import pytest

from mines_dd.board.board import Board
from mines_dd.constraints.graph import Instance
from mines_dd.orders import elimination
from mines_dd.orders.elimination import Elimination, best_elimination
from mines_dd.orders.min_fill import hint_graph, min_fill_order
from mines_dd.orders.pieces import better_of, cut


def made(size: int, seed: int) -> tuple[Instance, Elimination]:
    instance = Instance.from_board(Board.random(size, size, 0.3, 0.4, seed))
    return instance, Elimination.of(instance, min_fill_order(instance, hint_graph(instance)))


def of_steps(best: Elimination, pieces) -> tuple[list[int], list[int]]:
    """The piece and the stage of each step."""
    return pieces.piece[best.order].tolist(), pieces.stage[best.order].tolist()


@pytest.mark.parametrize("least", [1, 2, 7, 30, 10_000])
def test_pieces_are_connected_large_enough_and_go_after_those_below(least):
    for seed in range(5):
        _, best = made(16, seed)
        piece, stage = of_steps(best, cut(best.order, best.steps.parent, least))
        parent = best.steps.parent.tolist()
        for i, above in enumerate(parent):
            if above >= 0 and piece[i] == piece[above]:
                assert stage[i] == stage[above]
            else:  # the last step of its piece, which has its name
                assert piece[i] == i
                assert above < 0 or stage[i] < stage[above]
                assert above < 0 or piece.count(i) >= least


def tables_between(best: Elimination, pieces) -> dict[int, set[int]]:
    """The hints of the table that each piece leaves."""
    piece, steps = pieces.piece[best.order].tolist(), best.steps
    last = {p: i for i, p in enumerate(piece)}
    return {p: set(steps.hint[steps.start[i] : steps.start[i + 1]].tolist()) for p, i in last.items()}


def test_each_piece_takes_the_cheaper_order_and_leaves_the_same_table():
    gained = 0
    for seed in range(10):
        instance, best = made(20, seed)
        graph = hint_graph(instance)
        for k, least in enumerate((5, 20, 60), 1):
            pieces = cut(best.order, best.steps.parent, least)
            other = Elimination.of(instance, min_fill_order(instance, graph, k, stages=pieces.stage))
            mended = Elimination.of(instance, better_of(pieces, best.priced, other.priced))
            assert tables_between(best, pieces) == tables_between(other, pieces) == tables_between(mended, pieces)
            cost = np.zeros((3, len(best.order)))
            for row, one in zip(cost, (best, other, mended), strict=True):
                np.add.at(row, pieces.piece[one.order], one.priced[1])
            # not quite equal: the entries of tables from below bound those above
            assert cost[2].sum() == pytest.approx(cost[:2].min(axis=0).sum(), rel=0.1)
            gained += mended.cost.entries < min(best.cost.entries, other.cost.entries)
            best = mended
    assert gained > 10


def test_stages_go_one_after_the_other():
    instance, _ = made(12, 0)
    stages = np.random.default_rng(0).integers(0, 5, len(instance.hints))
    for seed in range(3):
        order = min_fill_order(instance, hint_graph(instance), seed, stages=stages)
        assert sorted(order.tolist()) == list(range(len(order)))
        assert (np.diff(stages[order]) >= 0).all()


def test_a_large_board_is_mended_in_pieces_and_gets_cheaper(monkeypatch):
    instance = Instance.from_board(Board.random(40, 40, 0.3, 0.4, 0))
    monkeypatch.setattr(elimination, "_ENTRIES_A_HINT", 0.5)  # more tries
    whole = best_elimination(instance).cost.entries
    monkeypatch.setattr(elimination, "_IN_PIECES", 100)
    assert best_elimination(instance).cost.entries < whole


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_interpreted_and_compiled_pieces_are_the_same(monkeypatch):
    _, best = made(12, 3)
    found = cut(best.order, best.steps.parent, 5)
    monkeypatch.setenv("MINES_DD_JIT", "always")
    compiled = cut(best.order, best.steps.parent, 5)
    assert [a.tolist() for a in found] == [a.tolist() for a in compiled]
