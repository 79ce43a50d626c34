"""The coach: each click's risk against all layouts, luck and skill of games known by hand, the page."""

import itertools
import math
import random
import re
from fractions import Fraction

import pytest
from boards import SEEDS, click, rawvf
from hypothesis import given, settings

from mines_dd import Board
from mines_dd.base.errors import BoardFormatError, MinesError
from mines_dd.board.replays import replay_of, to_rawvf
from mines_dd.play.coach import coach
from mines_dd.play.coach_report import html_report, overview, summary_lines, text_report

pytestmark = pytest.mark.usefixtures("interpreted_unless_asked")


def layouts_left(board: Board) -> list[frozenset]:
    """All layouts with the board's number of mines that show its hints."""
    hints = board.hints()
    return [
        frozenset(mines)
        for mines in itertools.combinations(board.closed(), board.mines)
        if all(len(set(mines).intersection(board.neighbours(cell))) == number for cell, number in hints.items())
    ]


def random_game(seed: int) -> str:
    """A game on a small board: clicks, flags right and wrong, chords."""
    rng = random.Random(seed)
    rows, cols = rng.randint(2, 3), rng.randint(2, 3)
    board = Board.random(rows, cols, rng.randint(1, min(4, rows * cols - 1)), 0, seed)
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    safe = [cell for cell in cells if cell not in board.layout]
    events = click(rng.choice(safe))
    for _ in range(rng.randint(0, 12)):
        cell = rng.choice(cells if rng.random() < 0.3 else safe)
        kind = rng.random()
        if kind < 0.4:
            events += click(cell)
        elif kind < 0.7:
            events += [("rc", *rng.choice(sorted(board.layout) if rng.random() < 0.7 else cells)), ("rr", 0, 0)]
        else:
            events += [("mc", *cell), ("mr", *cell)]
    return rawvf(board, events)


@pytest.mark.ci
@given(SEEDS)
@settings(max_examples=30)
def test_risks_are_shares_of_the_layouts(seed):
    replay = replay_of(random_game(seed))
    judged = coach(replay, "none")
    assert len(judged.clicks) == len(replay.moves)
    for found, move in zip(judged.clicks, replay.moves, strict=True):
        layouts = layouts_left(move.before)
        risk = Fraction(sum(not mines.isdisjoint(move.cells) for mines in layouts), len(layouts))
        least = min(Fraction(sum(cell in mines for mines in layouts), len(layouts)) for cell in move.before.closed())
        assert found.risk == pytest.approx(float(risk), abs=1e-12)
        assert found.least == pytest.approx(float(least), abs=1e-12)
        assert found.verdict == ("guess" if risk else "certain")
        assert found.forced == (risk > 0 and least > 0)
        assert found.move is move
    guesses = judged.guesses
    assert judged.luck == pytest.approx(math.prod(1 - x.risk for x in guesses if not x.move.lost))
    assert judged.excess == pytest.approx(sum(x.risk - x.least for x in guesses))


def test_a_chord_on_wrong_flags_and_one_on_flags_that_are_certain():
    square = Board.from_layout(3, 3, [(0, 0), (2, 2)])
    flags = [("rc", 0, 0), ("rr", 0, 0), ("rc", 2, 2), ("rr", 2, 2)]
    chord = [("mc", 1, 1), ("mr", 1, 1)]
    judged = coach(replay_of(rawvf(square, click((1, 1)) + flags + chord)))
    assert [x.verdict for x in judged.clicks] == ["first", "guess"]
    assert judged.clicks[1].risk == pytest.approx(27 / 28)
    assert judged.outcome == "won"
    assert judged.luck == pytest.approx(1 / 28)
    row = Board.from_layout(2, 4, [(0, 0), (1, 3)])  # shows *111 over 111*
    start = click((0, 1), (1, 0), (1, 1))
    known = start + [("rc", 0, 0), ("rr", 0, 0), ("mc", 0, 1), ("mr", 0, 1)]
    judged = coach(replay_of(rawvf(row, known)))
    assert judged.clicks[-1].move.chord
    assert (judged.clicks[-1].verdict, judged.clicks[-1].risk) == ("certain", 0)
    impossible = start + [("rc", 1, 2), ("rr", 1, 2), ("mc", 1, 0), ("mr", 1, 0), ("mc", 0, 1), ("mr", 0, 1)]
    judged = coach(replay_of(rawvf(row, impossible)))
    assert judged.clicks[-1].risk == 1
    assert judged.outcome == "lost"


def test_win_probabilities_follow_the_game_to_its_end():
    layout = Board.from_layout(2, 3, [(0, 2)])
    won = coach(replay_of(to_rawvf(layout, [(0, 0), (1, 2)])))
    assert [x.wins_before for x in won.clicks] == [None, Fraction(1, 2)]
    assert [x.wins_after for x in won.clicks] == [Fraction(1, 2), 1]
    lost = coach(replay_of(to_rawvf(layout, [(0, 0), (0, 2)])))
    assert [x.wins_after for x in lost.clicks] == [Fraction(1, 2), 0]
    assert lost.clicks[1].forced
    left = coach(replay_of(to_rawvf(layout, [(0, 0)])))
    assert left.outcome == "unfinished"
    assert left.clicks[0].wins_after == Fraction(1, 2)
    assert coach(replay_of(to_rawvf(layout, []))).clicks == ()


def test_the_first_click_is_a_guess_where_nothing_is_promised():
    layout = Board.from_layout(2, 3, [(0, 2)])
    replay = replay_of(to_rawvf(layout, [(0, 0)]))
    assert coach(replay).clicks[0].verdict == "first"
    assert coach(replay, "none").clicks[0].risk == pytest.approx(1 / 6)
    assert coach(replay_of(to_rawvf(layout, [(0, 2)]))).clicks[0].verdict == "guess"
    with pytest.raises(BoardFormatError, match="choose safe, zero or none"):
        coach(replay, "any")


def test_a_position_that_takes_too_long_is_left_out(clock):
    replay = replay_of(to_rawvf(Board.from_layout(2, 3, [(0, 2)]), [(0, 0), (1, 2)]))
    judged = coach(replay, timeout=1e-9)
    assert [x.verdict for x in judged.clicks] == ["first", "unknown"]
    assert judged.record()["unknown"] == 1
    assert judged.clicks[1].record()["risk"] is None
    assert summary_lines(judged)[-1] == "left out: 1 position that took too long"
    assert "unknown" in text_report(judged)


def test_the_page_has_a_board_for_each_guess_and_needs_nothing_else():
    layout = Board.from_layout(3, 3, [(0, 0), (2, 2)])
    judged = coach(replay_of(to_rawvf(layout, [(1, 1), (0, 1), (0, 2)])))
    page = html_report([("<game> & one", judged), ("another", judged)])
    assert page.count("<section>") == 2 * len(judged.guesses) == 4
    assert not re.search(r"src=|href=(?!\"#)|url\(", page)
    assert page.count("outline:2px solid") == page.count("outline:2px dashed") == 4
    assert 'name="viewport"' in page  # a phone shows it in letters that can be read
    for line in summary_lines(judged):
        assert line in page


def test_above_several_games_there_is_a_table_of_them():
    layout = Board.from_layout(3, 3, [(0, 0), (2, 2)])
    judged = coach(replay_of(to_rawvf(layout, [(1, 1), (0, 1), (0, 2)])))
    page = html_report([("<game> & one", judged), ("another", judged)])
    for number, name in enumerate(["&lt;game&gt; &amp; one", "another"]):
        assert f'<a href="#game-{number}">{name}</a></td><td>unfinished</td><td>3</td><td>2</td><td>2</td>' in page
        assert f'<h1 id="game-{number}">{name}</h1>' in page
    assert "<td>all 2</td><td>0 won</td><td>6</td><td>4</td><td>4</td><td>-</td>" in page
    assert "all 1" not in html_report([("one game", judged)])
    for report in (html_report, overview):
        with pytest.raises(MinesError, match="a list of names with their games is needed"):
            report(judged)
        with pytest.raises(MinesError, match="is no name with its Judgement"):
            report([judged])
    with pytest.raises(MinesError, match="a Judgement is needed"):
        summary_lines([judged])


def test_a_first_cell_that_does_not_show_0_though_it_should_is_judged_all_the_same():
    layout = Board.from_layout(3, 3, [(0, 1), (1, 0), (1, 1), (2, 1), (1, 2), (0, 2)])
    judged = coach(replay_of(to_rawvf(layout, [(0, 0)])), rule="zero")
    assert [click.verdict for click in judged.clicks] == ["first"]
    assert judged.clicks[0].advice.kind in ("searched", "book")
