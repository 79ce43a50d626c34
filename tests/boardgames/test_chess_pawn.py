"""King and pawn against king, against a search that moves men on a board of its own."""

import functools
import random

import numpy as np
import pytest

from mines_dd.boardgames.chess import BLACK, POSITIONS, WHITE, position, squares_of
from mines_dd.boardgames.chess_pawn import pawn_endgame
from mines_dd.boardgames.retrograde import DRAW, LOSS, WIN, solve

KING = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
LINES = {"R": [(0, 1), (1, 0), (0, -1), (-1, 0)], "Q": KING}


ending = functools.cache(pawn_endgame)


@functools.cache
def solved():
    game, legal = ending()
    return solve(game), legal


def attacked(square, king, man, at):
    """Whether White attacks a square, with a king and a man on the board."""
    if max(abs(square[0] - king[0]), abs(square[1] - king[1])) == 1:
        return True
    if man == "P":
        return square[1] == at[1] + 1 and abs(square[0] - at[0]) == 1
    for i, j in LINES.get(man, []):
        x, y = at[0] + i, at[1] + j
        while 0 <= x < 8 and 0 <= y < 8 and (x, y) != king:
            if (x, y) == square:
                return True
            x, y = x + i, y + j
    return False


def after(state):
    """All positions after a legal move; a man that has been captured is None."""
    white, king, man, at, black = state
    board = [(x, y) for x in range(8) for y in range(8)]
    found = []
    if not white:
        for i, j in KING:
            to = black[0] + i, black[1] + j
            left = None if to == at else man
            if to in board and to != king and not attacked(to, king, left, at):
                found.append((True, king, left, at, to))
        return found
    for i, j in KING:
        to = king[0] + i, king[1] + j
        if to in board and to != at and max(abs(to[0] - black[0]), abs(to[1] - black[1])) > 1:
            found.append((False, to, man, at, black))
    if man == "P":
        ahead = at[0], at[1] + 1
        if ahead not in (king, black):
            promoted = "QRBN" if ahead[1] == 7 else "P"
            found += [(False, king, new, ahead, black) for new in promoted]
            twice = at[0], at[1] + 2
            if at[1] == 1 and twice not in (king, black):
                found.append((False, king, "P", twice, black))
    for i, j in LINES.get(man, []):
        x, y = at[0] + i, at[1] + j
        while 0 <= x < 8 and 0 <= y < 8 and (x, y) not in (king, black):
            found.append((False, king, man, (x, y), black))
            x, y = x + i, y + j
    return found


@functools.cache
def mate_within(state, plies):
    """Whether White, to move or not, mates in so many moves of both sides together."""
    white, king, man, at, black = state
    if man is None or man in "BN":
        return False
    moves = after(state)
    if white:
        return plies > 0 and any(mate_within(move, plies - 1) for move in moves)
    if not moves:
        return attacked(black, king, man, at)
    return plies > 1 and all(mate_within(move, plies - 1) for move in moves)


def state_of(number):
    side, king, pawn, black = map(int, squares_of(number))
    at = [(square % 8, square // 8) for square in (king, pawn, black)]
    return (side == WHITE, at[0], "P", at[1], at[2])


@pytest.mark.ci
@pytest.mark.parametrize("plies", range(6))
def test_distances_are_those_of_a_search_of_its_own(plies):
    solution, legal = solved()
    distance = solution.distance[:POSITIONS]
    rng = random.Random(plies)
    there = np.flatnonzero(legal & (distance == plies)).tolist()
    for number in rng.sample(there, min(len(there), 12 if plies < 4 else 5)):
        state = state_of(number)
        assert mate_within(state, plies)
        assert not plies or not mate_within(state, plies - 1)


@pytest.mark.ci
def test_no_mate_is_found_where_the_distance_is_longer_or_the_game_is_drawn():
    solution, legal = solved()
    distance = solution.distance[:POSITIONS]
    rng = random.Random(1)
    for number in rng.sample(np.flatnonzero(legal & ((distance < 0) | (distance > 4))).tolist(), 40):
        assert not mate_within(state_of(number), 4)


def test_moves_are_those_of_the_search():
    game, legal = ending()
    rng = random.Random(2)
    counts = np.bincount(game.source, minlength=POSITIONS)
    for number in rng.sample(np.flatnonzero(legal & (game.given[:POSITIONS] != DRAW)).tolist(), 500):
        minor = sum(move[2] in ("B", "N") for move in after(state_of(number)))
        assert counts[number] == len(after(state_of(number))) - minor


def test_known_endings():
    solution, _ = solved()
    known = [
        (WHITE, "e6", "e5", "e8", WIN),  # the king in front of its pawn, on the sixth rank
        (BLACK, "e6", "e5", "e8", LOSS),
        (WHITE, "e4", "e3", "e6", DRAW),  # White to move has not the opposition
        (BLACK, "e4", "e3", "e6", LOSS),
        (BLACK, "b6", "a6", "a8", DRAW),  # a rook's pawn
        (BLACK, "f6", "f7", "f8", DRAW),  # stalemate
    ]
    assert [int(solution.outcome[position(*where)]) for *where, _ in known] == [outcome for *_, outcome in known]


def test_the_longest_mate_takes_28_moves():
    solution, legal = solved()
    white = legal & (np.arange(POSITIONS) >> 18 == WHITE)
    assert (int(solution.distance[:POSITIONS][white].max()) + 1) // 2 == 28
