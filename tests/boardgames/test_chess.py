"""Endgames of chess: published numbers, and a forward search with a board of its own."""

from functools import cache

import numpy as np
import pytest

from experiments import retrograde as experiment
from mines_dd.base.errors import MinesError
from mines_dd.boardgames import chess
from mines_dd.boardgames.retrograde import (
    DRAW,
    WIN,
    solve,
)

FILES, STRAIGHT = range(8), [(1, 0), (0, 1), (-1, 0), (0, -1)]
AROUND = [*STRAIGHT, (1, 1), (1, -1), (-1, 1), (-1, -1)]


@cache
def solved(piece):
    """An endgame, its legal positions, and its solution."""
    game, legal = chess.endgame(piece)
    return game, legal, solve(game)


class Search:
    """Mates by forward search, with a board of its own: squares are pairs, rays are walked one step at a time."""

    def __init__(self, piece):
        self.rays = STRAIGHT if piece == "R" else AROUND
        self.mates = cache(self.mates)

    def walk(self, start, direction, stops):
        square = (start[0] + direction[0], start[1] + direction[1])
        while square[0] in FILES and square[1] in FILES and square not in stops:
            yield square
            square = (square[0] + direction[0], square[1] + direction[1])

    def attacked(self, square, king, piece):
        if max(abs(square[0] - king[0]), abs(square[1] - king[1])) <= 1:
            return True
        return piece is not None and any(square in self.walk(piece, ray, [king]) for ray in self.rays)

    def replies(self, king, piece, black):
        for square in (next(self.walk(black, ray, []), None) for ray in AROUND):
            taken = None if square == piece else piece
            if square is not None and not self.attacked(square, king, taken):
                yield square, taken

    def attacks(self, king, piece, black):
        for ray in AROUND:
            square = next(self.walk(king, ray, [piece]), None)
            if square is not None and max(abs(square[0] - black[0]), abs(square[1] - black[1])) > 1:
                yield square, piece
        for ray in self.rays:
            for square in self.walk(piece, ray, [king, black]):
                yield king, square

    def mates(self, white, king, piece, black, plies):
        """Whether White mates within so many plies."""
        if white:
            after = self.attacks(king, piece, black)
            return plies > 0 and any(self.mates(False, *position, black, plies - 1) for position in after)
        replies = list(self.replies(king, piece, black))
        if not replies:
            return self.attacked(black, king, piece)
        return plies > 0 and all(
            taken is not None and self.mates(True, king, taken, square, plies - 1) for square, taken in replies
        )


@pytest.mark.parametrize(("piece", "moves", "white", "black"), [("R", 16, 121, 390), ("Q", 10, 1, 8)])
def test_endgames_have_the_published_longest_mates(piece, moves, white, black):
    _, legal, solution = solved(piece)
    outcome, distance = solution.outcome[:-1], solution.distance[:-1]
    side, kept = np.arange(2**19) >> 18, legal & chess.distinct()
    assert distance.max() == 2 * moves
    assert (kept & (distance == 2 * moves - 1)).sum() == white
    assert (kept & (distance == 2 * moves)).sum() == black
    assert (outcome[legal & (side == 0)] == WIN).all()
    assert not (outcome[side == 1] == WIN).any()


@pytest.mark.ci
@pytest.mark.parametrize("positions", [12, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("piece", ["R", "Q"])
def test_mates_of_four_plies_are_those_of_a_forward_search(piece, positions):
    _, legal, solution = solved(piece)
    distance = solution.distance[:-1]
    search, rng = Search(piece), np.random.default_rng(2)
    for depth in (0, 1, 2, 3, 4, 20 if piece == "R" else 9):
        for position in rng.choice(np.flatnonzero(legal & (distance == depth)), positions).tolist():
            squares = [(position >> shift & 7, position >> shift + 3 & 7) for shift in (12, 6, 0)]
            assert search.mates(position < 2**18, *squares, 4) == (depth <= 4)
            if 2 <= depth <= 4:
                assert not search.mates(position < 2**18, *squares, depth - 2)


def test_endgames_have_the_published_numbers_of_positions():
    _, legal, solution = solved("R")
    kept = legal & chess.distinct() & (np.arange(2**19) >= 2**18)
    distance = solution.distance[:-1][kept]
    assert np.bincount(distance[distance >= 0])[::2].tolist() == list(experiment.KRK.values())
    assert (solution.outcome[:-1][kept] == DRAW).sum() == experiment.KRK_DRAWS
    line = chess.line(solution, int(np.argmax(np.where(legal, solution.distance[:-1], -1))), "R")
    assert line.endswith("#")


def test_lines_of_an_endgame_end_with_a_mate_or_a_capture():
    _, _, solution = solved("Q")
    mated = chess.position(chess.BLACK, "f6", "a7", "h8")
    assert chess.line(solution, mated, "Q") == "1... Kg8 2. Qg7#"
    taken = chess.position(chess.BLACK, "a1", "g7", "h8")
    assert chess.line(solution, taken, "Q") == "1... Kxg7"
    assert chess.diagram(taken, "Q").splitlines()[:2] == [". . . . . . . k", ". . . . . . Q ."]
    with pytest.raises(MinesError, match="'B'"):
        chess.endgame("B")
    with pytest.raises(MinesError, match="'i9'"):
        chess.position(chess.WHITE, "a1", "i9", "h8")
