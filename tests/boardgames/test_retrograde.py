"""Retrograde analysis against a naive fixpoint."""

import random

import naive
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd.base.errors import GraphFormatError
from mines_dd.boardgames.game_files import parse_game_csv
from mines_dd.boardgames.retrograde import (
    DRAW,
    LOSS,
    OPEN,
    WIN,
    Game,
    Verdict,
    solve,
    solve_graph,
)
from mines_dd.boardgames.retrograde_symbolic import solve_symbolically


def values(solution):
    return list(zip(solution.outcome.tolist(), solution.distance.tolist(), strict=True))


def game_of(given, moves):
    ends = np.array(moves, np.int32).reshape(-1, 2)
    return Game(np.array(given, np.int8), ends[:, 0], ends[:, 1])


@st.composite
def games(draw, most=9):
    """Graphs with loops, repeated edges and given outcomes, about one move or two a position."""
    n = draw(st.integers(1, most))
    vertex = st.integers(0, n - 1)
    moves = draw(st.lists(st.tuples(vertex, vertex), max_size=2 * n))
    outcomes = draw(st.lists(st.sampled_from([OPEN, OPEN, OPEN, OPEN, WIN, DRAW, LOSS]), min_size=n, max_size=n))
    return outcomes, moves


def random_game(seed: int):
    """As `games`, many a second."""
    rng = random.Random(seed)
    n = rng.randint(1, 9)
    moves = [(rng.randrange(n), rng.randrange(n)) for _ in range(rng.randint(0, 2 * n))]
    return rng.choices([OPEN, OPEN, OPEN, OPEN, WIN, DRAW, LOSS], k=n), moves


@settings(max_examples=100)
@given(games())
def test_outcomes_and_distances_are_those_of_a_naive_fixpoint(game):
    assert values(solve(game_of(*game))) == naive.outcomes(*game)


def test_two_thousand_games_have_the_outcomes_and_distances_of_a_naive_fixpoint():
    for seed in range(2000):
        game = random_game(seed)
        assert values(solve(game_of(*game))) == naive.outcomes(*game), seed


@pytest.mark.parametrize("seeds", [range(50), pytest.param(range(50, 1000), marks=pytest.mark.slow)], ids=len)
def test_the_symbolic_fixpoint_finds_the_same(seeds):
    for seed in seeds:
        game = random_game(seed)
        assert values(solve_symbolically(game_of(*game))) == naive.outcomes(*game), seed


def test_the_best_move_is_the_first_that_keeps_outcome_and_distance():
    for seed in range(1000):
        check_best_moves(*random_game(seed))


@settings(max_examples=50)
@given(games())
def test_the_best_move_of_any_game_is_the_first_that_keeps_outcome_and_distance(game):
    check_best_moves(*game)


def check_best_moves(outcomes, moves) -> None:
    game = outcomes, moves
    solution = solve(game_of(*game))
    value = values(solution)
    for v, best in enumerate(solution.best.tolist()):
        keeping = [
            e
            for e, (s, t) in enumerate(moves)
            if s == v
            and outcomes[v] == OPEN
            and value[v][0] == -value[t][0]
            and (value[v][0] == DRAW or value[v][1] == value[t][1] + 1)
        ]
        assert best == (keeping[0] if keeping else -1)
        over = outcomes[v] != OPEN or all(s != v for s, _ in moves)
        assert over == (best == -1)


@pytest.mark.usefixtures("interpreted_unless_asked")
@pytest.mark.parametrize("seed", range(4))
def test_compiled_and_interpreted_agree(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n, m = 300, 500
    game = Game(rng.choice([OPEN] * 12 + [WIN, DRAW, LOSS], n), *rng.integers(0, n, (2, m)))
    monkeypatch.setenv("MINES_DD_JIT", "always")
    expected = naive.outcomes(game.given.tolist(), list(zip(game.source.tolist(), game.target.tolist(), strict=True)))
    assert values(solve(game)) == expected
    assert len({distance for _, distance in expected}) > 6


def test_a_large_random_graph_is_consistent_move_by_move():
    rng = np.random.default_rng(1)
    n, m = 300_000, 600_000
    game = Game.from_moves(n, *rng.integers(0, n, (2, m)))
    solution = solve(game)
    after_outcome, after_distance = solution.outcome[game.target], solution.distance[game.target]
    shortest = np.full(n, 2**30)
    np.minimum.at(shortest, game.source, np.where(after_outcome == LOSS, after_distance, 2**30))
    longest, refuted = np.full(n, -1), np.bincount(game.source, after_outcome == WIN, n)
    np.maximum.at(longest, game.source, after_distance)
    won, lost = shortest < 2**30, refuted == np.bincount(game.source, minlength=n)
    assert (solution.outcome == np.where(won, WIN, np.where(lost, LOSS, DRAW))).all()
    assert (solution.distance[won] == shortest[won] + 1).all()
    assert (solution.distance[lost] == longest[lost] + 1).all()


def test_a_path_of_a_million_positions_needs_no_recursion():
    n = 1_000_000
    solution = solve(Game.from_moves(n, np.arange(1, n), np.arange(n - 1)))
    assert solution.distance.tolist() == list(range(n))
    assert solution.outcome[:3].tolist() == [LOSS, WIN, LOSS]


def test_a_subtraction_game_of_networkx():
    graph = nx.DiGraph([(n, n - k) for n in range(40) for k in (1, 2, 3) if k <= n])
    solved = solve_graph(graph)
    assert [n for n in range(40) if solved[n].outcome == LOSS] == list(range(0, 40, 4))
    assert solved[7] == Verdict(WIN, 3, 4)
    assert solved[0] == Verdict(LOSS, 0, None)


def test_given_outcomes_end_the_game_whatever_moves_there_are():
    graph = nx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "c"), ("c", "a"), ("d", "d"), ("e", "d")])
    solved = solve_graph(graph, {"b": WIN})
    assert solved["b"] == Verdict(WIN, 0, None)
    assert solved["a"] == Verdict(LOSS, 1, "b")
    assert solved["c"] == Verdict(WIN, 2, "a")
    assert solved["d"] == Verdict(DRAW, None, "d")
    assert solve_graph(graph, {"b": DRAW})["a"] == Verdict(DRAW, None, "b")


def test_a_line_of_best_moves_ends_or_returns():
    solution = solve(Game.from_moves(6, [3, 2, 1, 4, 5], [2, 1, 0, 5, 4]))
    assert solution.line(3) == [0, 1, 2]
    assert solution.line(4) == [3, 4]
    assert solution.line(0) == []


def test_a_game_without_positions_or_moves():
    assert len(solve(Game.from_moves(0, [], [])).best) == 0
    assert values(solve(Game.from_moves(2, [], []))) == [(LOSS, 0)] * 2
    assert values(solve_symbolically(Game.from_moves(2, [], []))) == [(LOSS, 0)] * 2


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Game.from_moves(3, [0, 1], [1, 3]), "move 1 goes from 1 to 3; the positions are 0 to 2"),
        (lambda: Game.from_moves(3, [0], [-1]), "move 0 goes"),
        (lambda: Game.from_moves(3, [0, 1], [1]), "shapes"),
        (lambda: Game.from_moves(3, [0.5], [1.0]), "whole numbers"),
        (lambda: Game(np.array([7]), np.array([0]), np.array([0])), "WIN"),
        (lambda: solve_graph(nx.path_graph(3)), "directed"),
        (lambda: solve_graph(nx.DiGraph([(0, 1)]), {5: WIN}), "5"),
    ],
)
def test_a_malformed_game_is_refused(make, what):
    with pytest.raises(GraphFormatError, match=what):
        make()


def test_where_the_game_is_over_there_is_no_move():
    for text in ("a,b\nb,c\nb,,win", "b,,win\nb,c"):
        with pytest.raises(GraphFormatError, match="position 'b' has an outcome, where the game is over, and a move"):
            parse_game_csv(text)
