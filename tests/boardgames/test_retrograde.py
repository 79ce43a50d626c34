"""Retrograde analysis against a naive fixpoint, the task's samples, and an endgame of chess."""

import json
import random
from collections import defaultdict
from functools import cache

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments import retrograde as experiment
from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.boardgames import chess
from mines_dd.boardgames.nim import nim, nim_formula
from mines_dd.boardgames.retrograde import (
    DRAW,
    LOSS,
    OPEN,
    WIN,
    Game,
    Verdict,
    layers,
    solve,
    solve_graph,
    solve_symbolically,
)
from mines_dd.boardgames.shiritori import WordListError, parse_words, read_words, solve_shiritori
from mines_dd.cli.shiritori import shiritori

SAMPLES = {
    "abcd bcda ada": "Aoki Takahashi Draw",
    "ABC": "Draw",
    "eaaaabaa eaaaacaa daaaaaaa eaaaadaa daaaafaa": "Takahashi Takahashi Takahashi Aoki Takahashi",
    "fffccc aaabbb bbbccc cccaaa aaaeee": "Takahashi Aoki Takahashi Aoki Takahashi",
}


def naive(given, moves):
    """Outcome and distance of each position, by rounds over everything until nothing changes."""
    after = [[t for s, t in moves if s == v] for v in range(len(given))]
    value = {v: (outcome, 0) for v, outcome in enumerate(given) if outcome in (WIN, LOSS)}
    value |= {v: (LOSS, 0) for v, outcome in enumerate(given) if outcome == OPEN and not after[v]}
    while True:
        new = {}
        for v, outcome in enumerate(given):
            if outcome != OPEN or v in value:
                continue
            lost = [value[t][1] for t in after[v] if value.get(t, (DRAW,))[0] == LOSS]
            if lost:
                new[v] = (WIN, 1 + min(lost))
            elif all(value.get(t, (DRAW,))[0] == WIN for t in after[v]):
                new[v] = (LOSS, 1 + max(value[t][1] for t in after[v]))
        if not new:
            return [value.get(v, (DRAW, -1)) for v in range(len(given))]
        value |= new


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


@settings(max_examples=2000)
@given(games())
def test_outcomes_and_distances_are_those_of_a_naive_fixpoint(game):
    assert values(solve(game_of(*game))) == naive(*game)


@settings(max_examples=150)
@given(games())
def test_the_symbolic_fixpoint_finds_the_same(game):
    assert values(solve_symbolically(game_of(*game))) == naive(*game)


@settings(max_examples=300)
@given(games())
def test_the_best_move_is_the_first_that_keeps_outcome_and_distance(game):
    outcomes, moves = game
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


@pytest.mark.parametrize("seed", range(4))
def test_compiled_and_interpreted_agree(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n, m = 300, 500
    game = Game(rng.choice([OPEN] * 12 + [WIN, DRAW, LOSS], n), *rng.integers(0, n, (2, m)))
    monkeypatch.setenv("MINES_DD_JIT", "always")
    expected = naive(game.given.tolist(), list(zip(game.source.tolist(), game.target.tolist(), strict=True)))
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


@pytest.mark.parametrize(("words", "winners"), SAMPLES.items())
def test_the_samples_of_the_task(words, winners):
    assert solve_shiritori(words.split()).winners() == winners.split()


@settings(max_examples=300)
@given(st.lists(st.text("aAb", min_size=3, max_size=6), max_size=14))
def test_random_words_with_their_own_rules(words):
    """Each word a position: words may repeat in the list, and case counts."""
    after = [(i, j) for i, word in enumerate(words) for j, other in enumerate(words) if other[:3] == word[-3:]]
    expected = naive([OPEN] * len(words), after)
    game = solve_shiritori(words)
    assert game.winners() == [{LOSS: "Takahashi", WIN: "Aoki", DRAW: "Draw"}[outcome] for outcome, _ in expected]
    assert game.lengths() == [None if distance < 0 else distance + 1 for _, distance in expected]
    for i, (outcome, distance) in enumerate(expected):
        said = game.play(words[i])
        assert all(b[:3] == a[-3:] for a, b in zip(said, said[1:], strict=False))
        assert outcome == DRAW or len(said) == distance + 1


def test_other_scripts_are_words_too():
    assert solve_shiritori(["しりとり", "りとりす"]).winners() == ["Aoki", "Takahashi"]


def test_two_hundred_thousand_words():
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefghijKLMNOPQRST", k=rng.randint(3, 8))) for _ in range(200_000)]
    game = solve_shiritori(words)
    saying = defaultdict(set)  # who wins by saying a word with this beginning; "Takahashi" is who says it
    for word, winner in zip(words, game.winners(), strict=True):
        saying[word[:3]].add(winner)
    for word, winner in zip(words, game.winners(), strict=True):
        replies = saying[word[-3:]]
        assert winner == ("Aoki" if "Takahashi" in replies else "Draw" if "Draw" in replies else "Takahashi")


def test_words_are_read_with_and_without_their_number():
    assert parse_words("3\nabcd\r\nbcda\n\n ada\n") == ("abcd", "bcda", "ada")
    assert parse_words("abcd\nbcda") == ("abcd", "bcda")
    assert parse_words("") == parse_words("0\n") == ()
    assert parse_words("abcd\nab\n\nx y z\nbcda", skip=True) == ("abcd", "bcda")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("abcd\n\nab\n", 3, "'ab' is shorter than 3 letters"),
        ("4\nabcd\nbcda\nada\n", 1, "says that there are 4 words, but 3 follow"),
        ("\n1\nabcd\nbcda\n", 2, "1 words, but 2 follow"),
        ("abcd\nice cream\n", 2, "blank"),
        ("abcd\nabc\x00d\n", 2, "control"),
        ("abcd\n12\n", 2, "shorter"),
    ],
)
def test_a_malformed_list_is_refused_with_its_line(text, line, what):
    with pytest.raises(WordListError, match=what) as caught:
        parse_words(text)
    assert caught.value.line == line
    assert f"line {line}" in str(caught.value)


def test_a_file_that_is_no_list_is_refused_with_its_name(tmp_path):
    path = tmp_path / "words"
    path.write_bytes(b"abcd\nbc\xffda\n")
    with pytest.raises(WordListError, match=r"words' is not text: line 2 has the byte 0xff"):
        read_words(path)
    with pytest.raises(WordListError, match="cannot read"):
        read_words(tmp_path / "none")
    with pytest.raises(WordListError, match="word 2"):
        solve_shiritori(["abcd", "a"])
    with pytest.raises(WordListError, match="not in the list"):
        solve_shiritori(["abcd"]).play("bcda")


def run(*args, text=None):
    result = CliRunner().invoke(shiritori, args, input=text)
    if result.exception is not None:
        raise result.exception
    return result.output


def test_the_command_prints_the_answer_of_the_task():
    for words, winners in SAMPLES.items():
        listed = words.split()
        assert run("-", text="\n".join([str(len(listed)), *listed])).split() == winners.split()
        assert run("-", text="\n".join(listed)).split() == winners.split()


def test_the_command_prints_json_and_games():
    text = "abcd\nbcda\nada\n"
    assert json.loads(run("-", "--json", text=text)) == [
        {"word": "abcd", "winner": "Aoki", "length": 2, "reply": "bcda"},
        {"word": "bcda", "winner": "Takahashi", "length": 1, "reply": None},
        {"word": "ada", "winner": "Draw", "length": None, "reply": "ada"},
    ]
    assert run("-", "--play", "abcd", text=text) == "Takahashi  abcd\nAoki       bcda\nAoki wins\n"
    assert run("-", "--play", "ada", text=text).endswith("Draw: and so on for ever\n")
    assert json.loads(run("-", "--play", "abcd", "--json", text=text)) == {"winner": "Aoki", "words": ["abcd", "bcda"]}
    with pytest.raises(MinesError, match="line 2"):
        run("-", text="abcd\nab\n")
    assert run("-", "--skip", text="abcd\nab\n") == "Takahashi\n"


FILES, STRAIGHT = range(8), [(1, 0), (0, 1), (-1, 0), (0, -1)]
AROUND = [*STRAIGHT, (1, 1), (1, -1), (-1, 1), (-1, -1)]


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
def test_endgames_have_the_published_longest_mates_and_the_values_of_a_forward_search(piece, moves, white, black):
    game, legal = chess.endgame(piece)
    solution = solve(game)
    outcome, distance = solution.outcome[:-1], solution.distance[:-1]
    side, kept = np.arange(2**19) >> 18, legal & chess.distinct()
    assert distance.max() == 2 * moves
    assert (kept & (distance == 2 * moves - 1)).sum() == white
    assert (kept & (distance == 2 * moves)).sum() == black
    assert (outcome[legal & (side == 0)] == WIN).all()
    assert not (outcome[side == 1] == WIN).any()

    search, rng = Search(piece), np.random.default_rng(2)
    for depth in (0, 1, 2, 3, 4, 20 if piece == "R" else 9):
        for position in rng.choice(np.flatnonzero(legal & (distance == depth)), 40).tolist():
            squares = [(position >> shift & 7, position >> shift + 3 & 7) for shift in (12, 6, 0)]
            assert search.mates(position < 2**18, *squares, 4) == (depth <= 4)
            if 2 <= depth <= 4:
                assert not search.mates(position < 2**18, *squares, depth - 2)


def test_endgames_have_the_published_numbers_of_positions():
    game, legal = chess.endgame("R")
    solution = solve(game)
    kept = legal & chess.distinct() & (np.arange(2**19) >= 2**18)
    distance = solution.distance[:-1][kept]
    assert np.bincount(distance[distance >= 0])[::2].tolist() == list(experiment.KRK.values())
    assert (solution.outcome[:-1][kept] == DRAW).sum() == experiment.KRK_DRAWS
    line = chess.line(solution, int(np.argmax(np.where(legal, solution.distance[:-1], -1))), "R")
    assert line.endswith("#")


def test_lines_of_an_endgame_end_with_a_mate_or_a_capture():
    solution = solve(chess.endgame("Q")[0])
    mated = chess.position(chess.BLACK, "f6", "a7", "h8")
    assert chess.line(solution, mated, "Q") == "1... Kg8 2. Qg7#"
    taken = chess.position(chess.BLACK, "a1", "g7", "h8")
    assert chess.line(solution, taken, "Q") == "1... Kxg7"
    assert chess.diagram(taken, "Q").splitlines()[:2] == [". . . . . . . k", ". . . . . . Q ."]
    with pytest.raises(MinesError, match="'B'"):
        chess.endgame("B")
    with pytest.raises(MinesError, match="'i9'"):
        chess.position(chess.WHITE, "a1", "i9", "h8")


@pytest.mark.parametrize("heaps", [2, 5])
def test_nim_as_a_formula_is_nim_as_a_graph_and_as_bouton_proved(heaps):
    game = nim(heaps)
    solution = solve(game)
    rounds = list(layers(nim_formula(heaps)))
    names = [f"x{heap}_{bit}" for heap in range(heaps) for bit in "10"]
    for value, sets in zip((WIN, LOSS), zip(*rounds, strict=True), strict=True):
        for distance, found in enumerate(sets):
            expected = ((solution.outcome == value) & (solution.distance == distance)).sum()
            assert found.count(len(names)) == expected
    assert experiment.run({"what": "nim", "heaps": heaps, "method": "explicit"})["bouton"]
    assert experiment.run({"what": "nim", "heaps": heaps, "method": "symbolic"})["bouton"]
