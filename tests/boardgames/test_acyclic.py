"""Grundy numbers, sums, games for points, and games read from files."""

import json
import random
import re
from functools import cache

import networkx as nx
import numpy as np
import pytest
from commands import DATA, rows, run

from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.boardgames import game_files
from mines_dd.boardgames.acyclic import best_scores, grundy_numbers, is_acyclic, sum_of
from mines_dd.boardgames.classics import deque, kayles, stones
from mines_dd.boardgames.game_files import parse_game_csv, parse_game_json, read_game, save_steps
from mines_dd.boardgames.nim import nim
from mines_dd.boardgames.position_graph import parse_json
from mines_dd.boardgames.retrograde import DRAW, LOSS, OPEN, WIN, Game, solve

GAME = str(DATA / "game.csv")


def random_acyclic(rng, most=12):
    n = rng.randint(1, most)
    moves = [(v, rng.randrange(v)) for v in range(1, n) for _ in range(rng.randint(0, 3))]
    numbers = list(range(n))
    rng.shuffle(numbers)
    source, target = np.array([(numbers[v], numbers[to]) for v, to in moves], np.int64).reshape(-1, 2).T
    return Game.from_moves(n, source, target)


def naive_grundy(game):
    after = [set() for _ in game.given]
    for v, to in zip(game.source.tolist(), game.target.tolist(), strict=True):
        after[v].add(to)

    @cache
    def number(v):
        seen = {number(to) for to in after[v]}
        return next(k for k in range(len(seen) + 1) if k not in seen)

    return [number(v) for v in range(len(after))]


def test_grundy_numbers_are_those_of_the_definition():
    rng = random.Random(1)
    for _ in range(300):
        game = random_acyclic(rng)
        assert grundy_numbers(game).tolist() == naive_grundy(game)
        assert ((grundy_numbers(game) == 0) == (solve(game).outcome == LOSS)).all()


def test_the_number_of_a_sum_is_the_exclusive_or():
    rng = random.Random(2)
    for _ in range(60):
        one, other = random_acyclic(rng), random_acyclic(rng)
        both = grundy_numbers(sum_of(one, other)).reshape(len(one.given), -1)
        assert (both == grundy_numbers(one)[:, None] ^ grundy_numbers(other)).all()


def test_nim_has_boutons_numbers():
    heaps = [np.arange(4**5) // 4**heap % 4 for heap in range(5)]
    assert (grundy_numbers(nim(5)) == np.bitwise_xor.reduce(heaps)).all()


def test_kayles_has_the_published_numbers():
    game, positions = kayles(14)
    numbers = dict(zip(positions, grundy_numbers(game).tolist(), strict=True))
    # R. K. Guy, C. A. B. Smith, The G-values of various games, 1956
    assert [numbers[(n,)] for n in range(1, 15)] == [1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2]
    for position, number in numbers.items():
        assert number == int(np.bitwise_xor.reduce([numbers[(row,)] for row in position] or [0]))


@pytest.mark.parametrize(
    ("most", "takes", "wins"),
    [(4, [2, 3], 1), (5, [2, 3], 0), (7, [2, 3], 1), (20, [1, 2, 3], 0), (21, [1, 2, 3], 1), (100_000, [1], 0)],
)
def test_the_samples_of_stones(most, takes, wins):
    assert (solve(stones(most, takes)).outcome[most] == WIN) == bool(wins)


LONG = [10**9, 1, 10**9, 1, 10**9, 1, 10**9, 1, 10**9, 1]


@pytest.mark.parametrize(
    ("numbers", "result"),
    [([10, 80, 90, 30], 10), ([10, 100, 10], -80), ([10], 10), (LONG, 4999999995), ([4, 2, 9, 7, 1, 5], 2)],
)
def test_the_samples_of_deque(numbers, result):
    game, gains, start = deque(numbers)
    assert best_scores(game, gains)[start] == result


def test_deque_is_played_best_on_random_rows():
    rng = random.Random(3)
    for _ in range(50):
        numbers = tuple(rng.randint(1, 9) for _ in range(rng.randint(1, 9)))

        @cache
        def best(row):
            return max(row[0] - best(row[1:]), row[-1] - best(row[:-1])) if row else 0

        game, gains, start = deque(numbers)
        assert best_scores(game, gains)[start] == best(numbers)


def test_circles_and_other_ends_are_refused():
    circle = Game.from_moves(3, [0, 1, 2], [1, 0, 0])
    assert not is_acyclic(circle)
    for ask in (grundy_numbers, lambda game: best_scores(game, [1, 1, 1])):
        with pytest.raises(GraphFormatError, match="leads into a circle"):
            ask(circle)
    with pytest.raises(GraphFormatError, match="position 1 is given otherwise"):
        grundy_numbers(Game([OPEN, DRAW], [0], [1]))
    with pytest.raises(GraphFormatError, match="each move needs a gain"):
        best_scores(circle, [1])
    for gains in ([2**62, -(2**62)], [2**63 - 1, 1 - 2**63]):
        with pytest.raises(GraphFormatError, match="more than 64 bits"):
            best_scores(Game.from_moves(3, [0, 1], [1, 2]), gains)
    assert best_scores(Game.from_moves(3, [0, 1], [1, 2]), [2**62 - 1, -(2**62)]).tolist() == [2**63 - 1, -(2**62), 0]
    with pytest.raises(GraphFormatError, match="open"):
        sum_of(Game([LOSS], [], np.zeros(0, int)), circle)
    assert grundy_numbers(Game([OPEN, LOSS, OPEN], [0, 1], [1, 2])).tolist() == [1, 0, 0]


def test_csv_and_json_hold_the_same_game(tmp_path):
    text = "position,next\na,b\nb,a\nb,c\nc,,draw\n"
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "a.json").write_text('{"moves": {"a": ["b"], "b": ["a", "c"]}, "outcomes": {"c": "draw"}}')
    one, other = read_game(tmp_path / "a.csv"), read_game(tmp_path / "a.json")
    assert one.names == other.names == ("a", "b", "c")
    for name in ("given", "source", "target"):
        assert getattr(one.game, name).tolist() == getattr(other.game, name).tolist()


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (parse_game_csv, "a\n", "line 1: a move is written as"),
        (parse_game_csv, "a,b\nb,,won\n", "line 2: a move is written as"),
        (parse_game_csv, "b,,win\nb,,loss\n", "line 2: position 'b' had the outcome win"),
        (parse_game_csv, "\n", "holds no move"),
        (parse_game_json, '{"moves": {"a": ["b"]}, "outcomes": {"b": 1}}', '"outcomes" has to be'),
        (parse_game_json, '{"moves": [', "line 1, character 12"),
        (
            parse_game_json,
            '{"moves": {"a": ["b"]}, "outcome": {}}',
            "unknown key 'outcome'; the known keys are moves and o",
        ),
        (parse_game_json, '{"moves": {"a": ["b"]}, "moves": {}}', "the key 'moves' is there twice"),
        (parse_game_csv, "a,b\nbb,,win\n", "position 'bb' has an outcome but is in no move"),
        (
            parse_json,
            '{"moves": {"a": ["b"]}, "start": "a"}',
            "unknown key 'start'; the known keys are moves, own and r",
        ),
    ],
)
def test_a_bad_file_is_refused(parse, text, message):
    with pytest.raises(GraphFormatError, match=message):
        parse(text)


def test_the_command_says_outcome_distance_and_best_move():
    found = {row["position"]: tuple(row.values())[1:] for row in rows(run("retrograde", GAME, "--csv"))}
    assert found["a"] == ("win", "3", "b")
    assert found["f"] == ("loss", "0", "")
    assert found["g"] == ("draw", "", "e")
    assert run("retrograde", GAME, "--play", "a").splitlines() == ["a -> b", "b -> d", "d -> f", "win"]
    assert run("retrograde", GAME, "--play", "g").splitlines()[-1] == "draw, and so on"
    assert "no position 'z'" in run("retrograde", GAME, "--play", "z", code=2)
    ended = "position,next,outcome\na,b,\nb,,draw\n"
    assert run("retrograde", "-", "--play", "a", text=ended).splitlines() == ["a -> b", "draw"]
    assert run("retrograde", "-", "--play", "b", text=ended) == "draw\n"
    assert "position 'a' leads into a circle" in run("retrograde", GAME, "--grundy", code=2)


def test_the_command_prints_grundy_numbers(tmp_path):
    path = tmp_path / "heap.json"
    path.write_text(json.dumps({"moves": {"3": ["2", "1", "0"], "2": ["1", "0"], "1": ["0"]}}))
    value = json.loads(run("retrograde", str(path), "--grundy", "--json"))
    assert {row["position"]: row["grundy"] for row in value} == {"3": 3, "2": 2, "1": 1, "0": 0}


def test_the_picture_shows_every_step(tmp_path):
    pytest.importorskip("matplotlib")
    run("retrograde", GAME, "-o", str(tmp_path / "a.svg"))
    assert (tmp_path / "a.svg").stat().st_size > 10_000
    big = Game.from_moves(500, np.arange(499), np.arange(1, 500))
    with pytest.raises(MinesError, match="500 positions"):
        save_steps(tmp_path / "b.svg", [str(i) for i in range(500)], solve(big))


def test_a_game_of_many_positions_is_drawn_once_not_step_by_step(monkeypatch):
    drawn = []
    monkeypatch.setattr(game_files, "save_graph", lambda path, at, moves, panels, columns: drawn.append(len(panels)))
    for pairs in (100, 150):
        game = Game.from_moves(2 * pairs, np.arange(pairs), np.arange(pairs, 2 * pairs))
        save_steps("a.png", [str(v) for v in range(2 * pairs)], solve(game))
    assert drawn == [3, 1]


def test_a_draw_that_ends_the_game_is_grey_from_the_first_picture_on(monkeypatch):
    drawn = []
    monkeypatch.setattr(game_files, "save_graph", lambda path, at, moves, panels, columns: drawn.extend(panels))
    game, names = parse_game_csv("a,b\na,c\nb,a\nc,,draw\nb,d\n")
    save_steps("a.svg", names, solve(game))
    looks = [{look.name: (look.text, look.fill) for look in panel.looks} for panel in drawn]
    assert all(look["c"] == looks[-1]["c"] != ("0", "white") for look in looks)
    with pytest.raises(MinesError, match="without positions"):
        save_steps("a.svg", (), solve(Game.from_moves(0, [], [])))


def test_moves_from_where_the_game_is_over_are_not_drawn(monkeypatch):
    drawn = []
    monkeypatch.setattr(game_files, "save_graph", lambda path, at, moves, panels, columns: drawn.append(moves))
    save_steps("a.svg", "abc", solve(Game([OPEN, WIN, OPEN], [0, 1, 1], [1, 1, 2])))
    assert drawn == [[(0, 1)]]


def test_positions_may_be_called_by_the_nodes_of_a_graph(tmp_path):
    graph = nx.DiGraph([(2, 1), (1, (0, None))])
    save_steps(tmp_path / "a.svg", list(graph), solve(Game.from_graph(graph)))
    assert {"2", "1", "(0, None)"} <= set(re.findall("<!-- (.*) -->", (tmp_path / "a.svg").read_text()))


def test_the_picture_counts_the_moves_that_are_not_refuted_yet(monkeypatch):
    drawn = []
    monkeypatch.setattr(game_files, "save_graph", lambda path, at, moves, panels, columns: drawn.extend(panels))
    game, names = read_game(GAME)
    save_steps("a.svg", names, solve(game))
    # a -> b, c; b -> d; c -> d, e; d -> f; e and g -> one another; h -> a, g
    left = [{look.name: look.text for look in panel.looks if look.fill == "white"} for panel in drawn]
    assert left[0] == {"a": "2", "b": "1", "d": "1", "c": "2", "e": "1", "g": "1", "h": "2"}
    assert left[1] == {"a": "2", "b": "0", "c": "1", "e": "1", "g": "1", "h": "2"}
    assert left[3] == {"c": "1", "e": "1", "g": "1", "h": "1"}
    assert left[4] == {}
