import contextlib
import functools
import random
import struct

import numpy as np
import pytest
from click.testing import CliRunner

from experiments.umigame import perft
from experiments.umigame_graphs import random_position
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BoardFormatError, BudgetExceededError, GraphFormatError, MinesError
from mines_dd.boardgames.edax_book import EdaxBook, Link, Record
from mines_dd.boardgames.othello import PASS, Othello, Position, Solver
from mines_dd.boardgames.othello_graphs import Tolerance, best_play, play_graph, transcripts
from mines_dd.boardgames.umigame import repertoire, tree_lines, umigame_numbers
from mines_dd.boardgames.umigame_checks import repertoire_by_program
from mines_dd.cli.umigame import umigame

GAME = Othello()


def test_the_numbers_of_games_are_the_published_ones():
    assert [perft(GAME, GAME.start, depth) for depth in range(1, 8)] == [4, 12, 56, 244, 1396, 8200, 55092]


def slow_play(n, board, colour, r, c):
    """The board after a move, square by square, or None."""
    if board[r][c]:
        return None
    turned = []
    for dr, dc in [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]:
        line = []
        y, x = r + dr, c + dc
        while 0 <= y < n and 0 <= x < n and board[y][x] == -colour:
            line.append((y, x))
            y, x = y + dr, x + dc
        if line and 0 <= y < n and 0 <= x < n and board[y][x] == colour:
            turned += line
    if not turned:
        return None
    after = [list(row) for row in board]
    for y, x in [*turned, (r, c)]:
        after[y][x] = colour
    return after


def squares_of(n, position):
    return [
        [(position.player >> r * n + c & 1) - (position.opponent >> r * n + c & 1) for c in range(n)] for r in range(n)
    ]


@pytest.mark.parametrize("n", [4, 6, 8])
def test_moves_are_those_of_a_slow_generator(n):
    game = Othello(n)
    rng = random.Random(n)
    for _ in range(10):
        position = game.start
        while turns := game.turns(position):
            board = squares_of(n, position)
            slow = {r * n + c: slow_play(n, board, 1, r, c) for r in range(n) for c in range(n)}
            legal = [square for square, after in slow.items() if after is not None]
            assert [square for square in range(-1, n * n) if game.flips(position, square)] == legal
            assert turns == (legal or [PASS])
            for square in legal:
                mine = squares_of(n, game.play(position, square))
                assert [[-x for x in row] for row in mine] == slow[square]
            position = game.play(position, rng.choice(turns))


def test_what_is_no_move_is_not_played():
    game = Othello(4)
    for square in ("a1", "b2", "c2"):
        with pytest.raises(BoardFormatError, match=f"{square} is no move"):
            game.play(game.start, game.square(square))
    for square in ("b1", game.square("a9"), -2, 16, 1.5):
        for door in (game.play, game.flips):
            with pytest.raises(BoardFormatError, match="number of the square"):
                door(game.start, square)
    assert game.flips(game.start, np.int64(1)) == game.flips(game.start, 1) > 0
    played = Othello(np.uint8(4)).play(game.start, np.int64(1))
    assert played == game.play(game.start, 1)
    assert {type(discs) for discs in played} == {int}


@pytest.mark.parametrize("n", [4, 6, 8])
def test_symmetries_are_the_eight_of_the_square(n):
    game = Othello(n)
    rng = random.Random(n)
    player = rng.getrandbits(n * n)
    position = Position(player, rng.getrandbits(n * n) & ~player)
    board = squares_of(n, position)
    expected = []
    for _ in range(4):
        board = [list(row) for row in zip(*board[::-1], strict=True)]
        expected += [board, [row[::-1] for row in board]]
    seen = [squares_of(n, image) for image in game.symmetries(position)]
    assert seen[0] == squares_of(n, position)
    assert sorted(seen) == sorted(expected)
    assert len({game.folded(image) for image in game.symmetries(position)}) == 1


def test_moves_are_read_and_written():
    expected = ["--------"] * 2 + ["--O-----", "---OO---", "---XOO--", "---X----"] + ["--------"] * 2
    assert GAME.to_text(GAME.parse("f5D6c3")).splitlines() == expected
    assert GAME.parse("") == GAME.start
    assert [GAME.name(square) for square in GAME.turns(GAME.start)] == ["d3", "c4", "f5", "e6"]
    with pytest.raises(BoardFormatError, match="character 3: 'z9' is no square") as error:
        GAME.parse("f5z9")
    assert error.value.column == 3
    with pytest.raises(BoardFormatError, match="character 3: f5 is no move"):
        GAME.parse("f5f5")
    with pytest.raises(BoardFormatError, match="no square"):
        GAME.parse("f5d")
    with pytest.raises(BoardFormatError, match="4, 6 or 8"):
        Othello(5)


@functools.cache
def small():
    game = Othello(4)
    return game, Solver(game)


@pytest.mark.ci
def test_the_second_player_wins_4x4_by_11_to_3():
    game, solver = small()
    assert solver.value(game.start) == -8
    graph = best_play(game, solver=solver)
    ends = [graph.labels[v] for v in graph.leaves]
    assert {tuple(sorted(map(int.bit_count, end.position))) for end in ends} == {(3, 11)}
    assert umigame_numbers(graph) == (1, 1)


def test_values_are_those_of_a_search_without_memory():
    game = Othello(6)
    rng = random.Random(1)

    def minimax(position):
        turns = game.turns(position)
        if not turns:
            return position.player.bit_count() - position.opponent.bit_count()
        return max(-minimax(game.play(position, turn)) for turn in turns)

    for _ in range(5):
        position = random_position(game, 6, rng)
        assert Solver(game).value(position) == minimax(position)


def test_solving_is_limited(monkeypatch):
    with pytest.raises(BudgetExceededError):
        Solver(Othello(6), Budget(1000)).value(Othello(6).start)
    soon = Budget(timeout=0.05)
    for search in (
        lambda: Solver(Othello(6)).value(Othello(6).start, budget=soon),
        lambda: best_play(Othello(6), budget=soon),
        lambda: best_play(Othello(6), solver=Solver(Othello(6)), budget=soon),
    ):
        with pytest.raises(BudgetExceededError, match=r"not done after 0\.05 seconds"):
            search()
    monkeypatch.setattr("mines_dd.base.budget.available_memory", lambda: 2**26)
    monkeypatch.setattr("mines_dd.boardgames.othello._BYTES", 2**30)
    with pytest.raises(BudgetExceededError, match="GiB more memory"):
        Solver(Othello(6)).value(Othello(6).start)


@pytest.mark.parametrize(
    ("loss", "sizes", "merged", "trees"),
    [
        (4, (208, 38, 17), (3, 4), (6, 4)),
        (6, (698, 95, 104), (4, 5), (6, 7)),
        pytest.param(8, (1389, 178, 264), (4, 5), (7, 8), marks=pytest.mark.slow),
    ],
)
def test_umigame_numbers_of_4x4_within_some_discs_of_the_best(loss, sizes, merged, trees):
    game, solver = small()
    graph = best_play(game, tolerance=Tolerance(loss), solver=solver)
    assert (len(graph), len(graph.leaves), len(graph.confluences)) == sizes
    assert umigame_numbers(graph) == merged
    assert umigame_numbers(graph, transpositions=False) == trees
    assert tuple(repertoire_by_program(graph, own).lines for own in (True, False)) == merged


def test_repertoires_are_written_as_games_that_can_be_played():
    game, solver = small()
    graph = best_play(game, tolerance=Tolerance(6), solver=solver)
    for own in (True, False):
        found = repertoire(graph, own)
        written = list(transcripts(game, game.start, graph, found.moves))
        assert len({v for v, *_ in written if graph.labels[v] in found.moves}) == len(found.moves)
        for _, played, _, move in written:
            moves = [(played + move)[i : i + 2] for i in range(0, len(played + move), 2)]
            position = game.start
            for name in moves:
                square = PASS if name == "--" else game.square(name)
                assert square in game.turns(position)
                position = game.play(position, square)


def mobility(game, loss):
    """Moves that leave the opponent few."""

    def following(position):
        after = [game.play(position, turn) for turn in game.turns(position)]
        left = [game.moves(p).bit_count() for p in after]
        return [p for p, moves in zip(after, left, strict=True) if moves <= min(left) + loss]

    return following


def make_book(depth, loss=0):
    """A book of the openings that `mobility` plays, its links scored alike; every other position has a leaf."""
    graph = play_graph(GAME, GAME.start, mobility(GAME, loss), depth)
    inside = {graph.labels[v].position for v, children in enumerate(graph.children) if children}
    records = {}
    for i, position in enumerate(sorted(inside)):
        wanted = {GAME.folded(p) for p in mobility(GAME, loss)(position)}
        turns = {GAME.folded(GAME.play(position, turn)): turn for turn in GAME.turns(position)}
        links = tuple(Link(2, turns[p]) for p in sorted(wanted) if p in inside)
        outside = [Link(2, turns[p]) for p in sorted(wanted) if p not in inside]
        # a position may be written as any of its symmetries; a link may be worse
        records[position] = Record(position, links, outside[0] if outside else None, (i, 0, 1, 2), (2, -1, 3), 21)
    return EdaxBook(records, 4, b"\xe8\x07\x01\x02\x03\x04\x05\x00")


def test_books_come_back_as_they_were_written(tmp_path):
    book = make_book(8)
    data = book.to_bytes()
    assert data[:10] == b"XADEKOOB\x04\x04"
    assert len(data) == 42 + sum(40 + 2 * len(record.links) + 2 for record in book.records.values())
    assert EdaxBook.parse(data) == book
    (tmp_path / "book.dat").write_bytes(data)
    assert EdaxBook.read(tmp_path / "book.dat") == book
    with pytest.raises(MinesError, match="cannot read"):
        EdaxBook.read(tmp_path / "none.dat")


def test_a_book_is_read_as_documented():
    """Byte by byte, without the writer: the start, one link to f5's record, and a leaf there."""
    head = b"XADEKOOB" + bytes([4, 4]) + bytes(8) + struct.pack("<6i", 21, 24, 2, 1, 0, 2)
    start = struct.pack("<QQ4i3hBB", 0x0000000810000000, 0x0000001008000000, 1, 2, 3, 4, 0, -1, 1, 1, 21)
    start += struct.pack("<bBbB", 0, 37, -127, 65)  # f5; no leaf
    player, opponent = GAME.parse("f5")
    second = struct.pack("<QQ4i3hBB", player, opponent, 1, 2, 3, 4, 0, -1, 1, 0, 21) + struct.pack("<bB", 0, 43)  # d6
    book = EdaxBook.parse(head + start + second)
    first, answer = book.records[GAME.folded(GAME.start)], book.records[GAME.folded(GAME.parse("f5"))]
    assert (first.links, first.leaf, first.counts, first.scores, first.level) == (
        (Link(0, 37),),
        None,
        (1, 2, 3, 4),
        (0, -1, 1),
        21,
    )
    assert (answer.links, answer.leaf) == ((), Link(0, 43))
    graph = book.graph()
    assert [label.position for label in graph.labels] == [
        GAME.folded(GAME.parse(moves)) for moves in ("", "f5", "f5d6")
    ]
    assert umigame_numbers(graph) == (1, 1)


def test_the_graph_of_a_book_is_the_graph_it_was_made_of():
    graph = play_graph(GAME, GAME.start, mobility(GAME, 0), 6)
    book = make_book(6)
    read = EdaxBook.parse(book.to_bytes()).graph()
    # the book keeps one leaf a position only
    assert set(read.labels) <= set(graph.labels)
    assert {label for label, c in zip(read.labels, read.children, strict=True) if c} == {
        label for label, c in zip(graph.labels, graph.children, strict=True) if c
    }
    assert tree_lines(read) >= 1


def test_symmetric_records_make_the_same_graph():
    book = make_book(6)
    rng = random.Random(3)
    records = {}
    for key, record in book.records.items():
        k = rng.randrange(8)
        image = list(GAME.symmetries(record.position))[k]

        def seen(link, k=k):
            if link is None or link.move == PASS:
                return link
            square = list(GAME.symmetries(Position(1 << link.move, 0)))[k].player
            return Link(link.score, square.bit_length() - 1)

        records[key] = Record(image, tuple(map(seen, record.links)), seen(record.leaf))
    one, other = book.graph(), EdaxBook.parse(EdaxBook(records).to_bytes()).graph()
    assert set(one.labels) == set(other.labels)
    assert umigame_numbers(one) == umigame_numbers(other)


def test_worse_moves_are_left_out_unless_allowed():
    start = GAME.folded(GAME.start)
    after = GAME.folded(GAME.parse("f5"))
    d6, f6, f4 = (GAME.square(name) for name in ("d6", "f6", "f4"))
    position = GAME.parse("f5")
    record = Record(position, (), None)
    book = EdaxBook(
        {start: Record(GAME.start, (Link(1, 37),)), after: Record(position, (Link(2, d6), Link(1, f6)), Link(0, f4))}
    )
    assert record.leaf is None
    assert [umigame_numbers(book.graph(tolerance=Tolerance(loss)))[0] for loss in (0, 1, 2)] == [1, 2, 3]
    assert len(book.graph(tolerance=Tolerance(2), depth=1)) == 2
    assert len(book.graph(position)) == 2
    with pytest.raises(MinesError, match="does not hold the position"):
        book.graph(GAME.parse("f5d6"))


def test_a_file_cut_anywhere_is_refused_with_the_place():
    data = make_book(4).to_bytes()
    for size in range(len(data)):
        with pytest.raises(GraphFormatError, match=r"^byte (\d+): ") as error:
            EdaxBook.parse(data[:size])
        assert f"byte {size}:" in str(error.value)
    with pytest.raises(GraphFormatError, match=f"byte {len(data)}: .* goes on"):
        EdaxBook.parse(data + b"\0")


def test_foreign_and_damaged_files_are_refused_with_the_place():
    data = make_book(4).to_bytes()

    second = 42 + 40 + 2 * (data[42 + 38] + 1)

    def with_bytes(at, new):
        return data[:at] + new + data[at + len(new) :]

    for bad, message in [
        (b"PK\x03\x04 not a book", "byte 0: "),
        (with_bytes(8, b"\x03"), "byte 8: version 3"),
        (with_bytes(38, b"\xff\xff\xff\xff"), "byte 38: .* negative"),
        (with_bytes(42, bytes([255] * 16)), "byte 42: position 1 .* two discs"),
        (with_bytes(42 + 40 + 1, b"\x42"), "byte 83: .* impossible move 66"),
        (data[:38] + struct.pack("<i", 2) + 2 * data[42:second], f"byte {second}: .* is there already"),
    ]:
        with pytest.raises(GraphFormatError, match=message):
            EdaxBook.parse(bad)


def test_random_damage_gives_a_book_or_an_error():
    data = bytearray(make_book(4).to_bytes())
    rng = random.Random(0)
    for _ in range(500):
        bad = bytearray(data)
        bad[rng.randrange(len(bad))] = rng.randrange(256)
        with contextlib.suppress(MinesError):
            EdaxBook.parse(bytes(bad)).graph()


@pytest.mark.ci
def test_the_command_reads_books(tmp_path):
    path = tmp_path / "book.dat"
    path.write_bytes(make_book(7, 1).to_bytes())
    result = CliRunner().invoke(umigame, [str(path), "--moves", "own"])
    lines = result.stdout.splitlines()
    first = lines[0].split(":")
    graph = EdaxBook.read(path).graph()
    assert tuple(map(int, first)) == umigame_numbers(graph)
    assert lines[3].startswith("start -> ")
    for line in lines[3:]:
        played, move = line.removeprefix("start").split(" -> ")
        GAME.parse(played.strip() + move)
    assert isinstance(CliRunner().invoke(umigame, [str(path), "--root", "a"]).exception, MinesError)


def test_the_command_says_which_files_it_reads(tmp_path):
    path = tmp_path / "opening.txt"
    path.write_text("start\n")
    error = CliRunner().invoke(umigame, [str(path)]).exception
    assert isinstance(error, GraphFormatError)
    assert "opening.txt': line 1: a move is written as position,next" in str(error)
