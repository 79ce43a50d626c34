"""Games: weighed positions against `analyse`, searched ends against a plain search, policies on games won and lost."""

import functools
import itertools
import random
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from experiments import optimal
from mines_dd import Board, analyse
from mines_dd.base.errors import BoardFormatError, BudgetExceededError, InconsistentBoardError
from mines_dd.play.advice import advise, no_guess_board
from mines_dd.play.ahead import look_ahead, lost_anyway
from mines_dd.play.border import CLOSED, KNOWN_MINE, make_field, weigh
from mines_dd.play.endgame import layouts_of, most_wins
from mines_dd.play.games import LEVELS, RULES, Level, barred, deal, play_games
from mines_dd.play.player import POLICIES, Policy, play_game

# Interpreted kernels hash with integers that wrap around.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


def seen_of(board):
    """A board as the kernels see it."""
    codes = {"*": KNOWN_MINE, **{str(n): n for n in range(9)}}
    rows, cols = board.size
    return np.array([codes.get(board[r, c], CLOSED) for r in range(rows) for c in range(cols)])


def small_board(seed):
    rng = random.Random(seed)
    rows, cols = rng.choice([(1, 7), (3, 4), (5, 5), (6, 6), (9, 9), (16, 16)])
    return Board.random(rows, cols, rng.choice([0.1, 0.2, 0.3]), rng.choice([0.1, 0.2, 0.4, 0.6]), seed)


@pytest.mark.parametrize("seed", range(40))
def test_a_weighed_position_agrees_with_the_exact_analysis(seed):
    board = small_board(seed)
    exact = analyse(board)
    field = make_field(*board.size, board.mines)
    seen = seen_of(board)
    chance = np.empty(seen.size)
    total, states = weigh.run(10**6, field, seen, board.mines, chance)
    assert states >= (total > 0)
    assert total == pytest.approx(exact.count, rel=1e-9)
    cols = board.size[1]
    for (row, column), share in exact.exact.items():
        assert chance[row * cols + column] == pytest.approx(float(share), abs=1e-9)
        assert (chance[row * cols + column] == 0) == (share == 0)
        assert (chance[row * cols + column] == 1) == (share == 1)
    assert all(chance[seen >= 0] == 2)


def test_interpreted_and_compiled_weighing_agree():
    board = Board.parse("mines: 5\n####\n#22#\n#22#\n####")
    field = make_field(4, 4, 5)
    seen = seen_of(board)
    one, two = np.empty(16), np.empty(16)
    assert weigh(field, seen, 5, one) == weigh.run(10**9, field, seen, 5, two)
    np.testing.assert_allclose(one, two, rtol=1e-14)


def test_an_impossible_position_weighs_nothing():
    for text, mines in (("1#1\n3##", 3), ("2#", 1), ("##\n##", 5), ("*0#", 0), ("*0#", 1)):
        board = Board.parse(text)
        field = make_field(*board.size, mines)
        assert weigh(field, seen_of(board), mines, np.empty(board.size[0] * board.size[1]))[0] == 0.0


def lattice(n, seed):
    """A hint on every second cell of every second row, all else closed: whatever the order, many hints are open."""
    size = 2 * n + 1
    hints = list(itertools.product(range(1, size, 2), repeat=2))
    free = [cell for cell in itertools.product(range(size), repeat=2) if cell not in hints]
    layout = random.Random(seed).sample(free, 2 * len(free) // 5)
    board = Board.from_layout(size, size, layout)
    return board.reveal({cell: sum(p in board.layout for p in board.neighbours(cell)) for cell in hints})


def test_a_border_of_many_states_is_weighed_or_given_up():
    board = lattice(5, seed=1)
    field = make_field(*board.size, board.mines)
    seen = seen_of(board)
    chance = np.empty(seen.size)
    exact = analyse(board)
    assert weigh.run(10**9, field, seen, board.mines, chance)[0] == pytest.approx(exact.count, rel=1e-9)
    for (row, column), share in exact.exact.items():
        assert chance[row * board.size[1] + column] == pytest.approx(float(share), abs=1e-9)
    board = lattice(12, seed=1)
    field = make_field(*board.size, board.mines)
    assert weigh.run(10**9, field, seen_of(board), board.mines, np.empty(625))[0] == -1.0


def test_a_board_too_large_for_doubles_is_refused():
    with pytest.raises(BudgetExceededError, match="1,000 cells"):
        make_field(40, 40, 100)


def around(field, cell):
    return field.neighbours[cell, : field.degree[cell]].tolist()


def all_layouts(field, seen, mines):
    closed = [cell for cell in range(seen.size) if seen[cell] == CLOSED]
    for chosen in itertools.combinations(closed, mines):
        layout = frozenset(chosen)
        if all(
            sum(x in layout or seen[x] == KNOWN_MINE for x in around(field, cell)) == seen[cell]
            for cell in range(seen.size)
            if seen[cell] >= 0
        ):
            yield layout


def plainly_won(field, seen, layouts):
    """In how many of the layouts the best play wins: every cell tried everywhere."""
    flagged = {cell for cell in range(seen.size) if seen[cell] == KNOWN_MINE}
    closed = [cell for cell in range(seen.size) if seen[cell] == CLOSED]

    @functools.cache
    def won(opened, possible):
        if all(len(opened) + len(layout) == len(closed) for layout in possible):
            return len(possible)
        best = 0
        for cell in closed:
            if cell in opened:
                continue
            parts = {}
            for layout in possible:
                if cell not in layout:
                    number = sum(x in layout or x in flagged for x in around(field, cell))
                    parts.setdefault(number, set()).add(layout)
            best = max(best, sum(won(opened | {cell}, frozenset(part)) for part in parts.values()))
        return best

    return won(frozenset(), frozenset(layouts))


def small_end(seed):
    """A field, a position with few closed cells, and its mines not flagged."""
    rng = random.Random(seed)
    rows, cols = rng.choice([(2, 3), (3, 3), (2, 5), (3, 4), (4, 4)])
    mines = rng.randint(1, 5)
    field = make_field(rows, cols, mines)
    mine = rng.sample(range(rows * cols), mines)
    free = [cell for cell in range(rows * cols) if cell not in mine]
    seen = np.full(rows * cols, CLOSED)
    for cell in rng.sample(free, min(len(free), max(rows * cols - 8, 0) + rng.randint(0, 2))):
        seen[cell] = sum(x in mine for x in around(field, cell))
    if rng.random() < 0.3:
        seen[mine[0]] = KNOWN_MINE
        mines -= 1
    return field, seen, mines


@pytest.mark.parametrize("seed", range(120))
def test_the_end_of_a_game_is_won_as_often_as_any_play_can(seed):
    field, seen, mines = small_end(seed)
    layouts = list(all_layouts(field, seen, mines))
    cells, shown = layouts_of.run(10**6, field, seen, mines, 10**5)
    listed = {frozenset(cells[np.flatnonzero(shown[:, i] == 9)].tolist()) for i in range(shown.shape[1])}
    assert listed == set(layouts)
    assert shown.shape[1] == len(layouts)
    wins = most_wins.run(10**6, shown, 10**6)[0]
    assert wins == plainly_won(field, seen, layouts)


def prospect(field, chance, doubt):
    """As `ahead` defines it, in plain words."""
    risks = sorted(
        risk
        for cell, risk in enumerate(chance)
        if risk <= 1 and any(0 < chance[other] < 1 for other in around(field, cell))
    ) or [min(chance)]
    weights = [(1 - doubt) * doubt**i for i in range(len(risks[:8]))]
    weights[-1] = 1 - sum(weights[:-1])
    return sum(weight * (1 - risk) for weight, risk in zip(weights, risks, strict=False))


def fifty_fifties(field):
    """(Mines, the cells they change places with): neighbours in a row or a column, and both diagonals of a square."""
    cells, cols = len(field.degree), int(field.neighbours[0, 1])  # near the first corner: 1, one row on, and one more
    for cell in range(cells):
        right, below = (cell + 1) % cols > 0, cell + cols < cells
        pairs = [({cell}, {cell + 1})] * right + [({cell}, {cell + cols})] * below
        if right and below:
            pairs.append(({cell, cell + cols + 1}, {cell + 1, cell + cols}))
        yield from pairs


def lost_layouts(field, seen, layouts, one, other):
    """The layouts with mines at `one`, none at `other`, and at all other cells that are next to more of one of them."""
    if any(seen[x] != CLOSED for x in one | other):
        return []
    beside = {x for cell in one | other for x in around(field, cell)} - one - other
    tells = {x for x in beside if len(one.intersection(around(field, x))) != len(other.intersection(around(field, x)))}
    unflagged = {x for x in tells if seen[x] != KNOWN_MINE}
    return [layout for layout in layouts if one | unflagged <= layout and not other & layout]


def lost_of_cells(field, seen, layouts):
    """The layouts with a mine at each cell that are lost anyway."""
    lost = [0] * seen.size
    for one, other in fifty_fifties(field):
        for cell in one | other:
            lost[cell] += len(lost_layouts(field, seen, layouts, one, other))
    return [min(lost[cell], sum(cell in layout for layout in layouts)) for cell in range(seen.size)]


@pytest.mark.parametrize("seed", range(60))
def test_of_a_fifty_fifty_half_the_layouts_are_lost(seed):
    field, seen, mines = small_end(f"fifty {seed}")
    layouts = list(all_layouts(field, seen, mines))
    _, shown = layouts_of.run(10**6, field, seen, mines, 10**5)
    wins = most_wins.run(10**6, shown, 10**6)[0]
    for one, other in fifty_fifties(field):
        half = lost_layouts(field, seen, layouts, one, other)
        assert {layout - one | other for layout in half} == set(lost_layouts(field, seen, layouts, other, one))
        assert wins <= len(layouts) - len(half)
    chance = np.empty(seen.size)
    total, _ = weigh.run(10**6, field, seen, mines, chance)
    share = lost_anyway.run(10**6, field, seen, mines, chance, total, Policy(rare=0.0))
    assert share * total == pytest.approx(lost_of_cells(field, seen, layouts))
    for none in Policy(rare=1.0), Policy(states=0):
        assert not lost_anyway.run(10**6, field, seen, mines, chance, total, none).any()


def best_prospects(field, seen, mines, doubt):
    """The layouts that survive each cell's opening or are lost anyway, weighed by the prospects after it."""
    chance = np.empty(seen.size)
    layouts = list(all_layouts(field, seen, mines))
    lost = lost_of_cells(field, seen, layouts)
    value = {}
    for cell in np.flatnonzero(seen == CLOSED).tolist():
        parts = {}
        for layout in layouts:
            if cell not in layout:
                number = sum(x in layout or seen[x] == KNOWN_MINE for x in around(field, cell))
                parts.setdefault(number, []).append(layout)
        value[cell] = 0.0
        for number, part in parts.items():
            after = seen.copy()
            after[cell] = number
            for x in range(seen.size):
                chance[x] = sum(x in layout for layout in part) / len(part) if after[x] == CLOSED else 2.0
            value[cell] += len(part) * prospect(field, chance, doubt)
        safe = sum(map(len, parts.values()))
        value[cell] *= (safe + lost[cell]) / safe if safe else 0
    return value


@pytest.mark.parametrize("doubt", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(40))
def test_looking_ahead_finds_the_guess_with_the_best_prospects(seed, doubt):
    for attempt in itertools.count():
        field, seen, mines = small_end(f"{seed} {attempt}")
        chance = np.empty(seen.size)
        total, _ = weigh.run(10**6, field, seen, mines, chance)
        if 0 < chance.min() < 1:
            break
    before = seen.copy()
    value = best_prospects(field, seen, mines, doubt)
    policy = Policy(breadth=16, sea=16, doubt=doubt, rare=0.0)
    cell = look_ahead.run(10**6, field, seen, mines, chance, total, policy)
    assert value[cell] == pytest.approx(max(value.values()))
    assert seen[look_ahead.run(10**6, field, seen, mines, chance, total, policy._replace(states=3))] == CLOSED
    assert (seen == before).all()


def test_the_safest_cell_is_not_always_the_best():
    """A guess at the end where another cell than the safest wins more layouts: found by full search of small boards."""
    found = 0
    for seed in range(400):
        rng = random.Random(seed)
        field = make_field(4, 5, 6)
        mine = rng.sample(range(20), 6)
        seen = np.full(20, CLOSED)
        for cell in rng.sample([cell for cell in range(20) if cell not in mine], 6):
            seen[cell] = sum(x in mine for x in around(field, cell))
        _, shown = layouts_of.run(10**6, field, seen, 6, 60)
        if shown.shape[1] < 2 or (shown != 9).all(axis=1).any():
            continue
        wins, best, _ = most_wins.run(10**6, shown, 10**5)
        safest = (shown != 9).sum(axis=1).max()
        if best < 0 or (shown[best] != 9).sum() == safest:
            continue
        # No safest cell wins as much: search each position after one.
        after = []
        for cell in np.flatnonzero((shown != 9).sum(axis=1) == safest):
            parts = [shown[:, shown[cell] == number] for number in range(9)]
            after.append(sum(most_wins.run(10**6, part, 10**5)[0] for part in parts if part.shape[1]))
        found += max(after) < wins
    assert found >= 3


def test_a_search_that_is_too_long_is_given_up():
    field = make_field(4, 4, 5)
    _, shown = layouts_of.run(10**6, field, np.full(16, CLOSED), 5, 10**4)
    assert shown.shape == (16, 4368)
    assert most_wins.run(10**6, shown, 10)[:2] == (-1, -1)
    assert layouts_of.run(10**6, field, np.full(16, CLOSED), 5, 100)[1].shape == (16, 0)


def test_a_search_for_layouts_that_finds_none_for_too_long_is_given_up():
    board = Board.parse("mines: 33\n" + "#1#" * 30 + "3#")  # two ways for each but the last, which has none
    cells, shown = layouts_of.run(10**6, make_field(*board.size, 33), seen_of(board), -1, 1)
    assert shown.shape == (61, 0)
    assert sorted(cells) == np.flatnonzero(seen_of(board) == CLOSED).tolist()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rule", RULES)
def test_a_game_ends_with_all_safe_cells_open_or_with_a_mine(policy, rule):
    level = LEVELS["beginner"]
    field = make_field(*level)
    for game in range(30):
        mine = deal(field, level.mines, 40, rule, 7, game)
        won, guesses, seen = play_game(field, mine, 40, POLICIES[policy])
        assert not mine[barred(field, 40, rule)].any()
        assert mine.sum() == level.mines
        assert not mine[seen >= 0].any()
        assert mine[seen == KNOWN_MINE].all()
        assert won == (seen[~mine] >= 0).all()
        assert won or guesses


def test_the_same_seed_gives_the_same_games_however_they_are_split():
    level = LEVELS["beginner-8x8"]
    whole = play_games(level, "safe", POLICIES["safest"], range(40), seed=3)
    parts = [play_games(level, "safe", POLICIES["safest"], range(i, i + 20), seed=3) for i in (0, 20)]
    assert whole[:3] == tuple(sum(numbers) for numbers in zip(*(part[:3] for part in parts), strict=True))
    field = make_field(*level)
    assert np.flatnonzero(deal(field, 10, 0, "zero", 3, 5)).tolist() == [13, 19, 30, 41, 47, 49, 51, 53, 54, 57]


def test_layouts_are_uniform_among_those_the_rule_allows():
    field = make_field(2, 3, 2)
    seen = {}
    for game in range(6000):
        key = tuple(np.flatnonzero(deal(field, 2, 0, "safe", 1, game)).tolist())
        seen[key] = seen.get(key, 0) + 1
    assert set(seen) == set(itertools.combinations(range(1, 6), 2))
    assert all(480 < n < 720 for n in seen.values())


def test_a_start_that_leaves_too_few_cells_is_refused():
    with pytest.raises(BoardFormatError, match="leaves 0 of 6"):
        deal(make_field(2, 3, 2), 2, 1, "zero")
    with pytest.raises(BoardFormatError, match="no start rule"):
        deal(make_field(2, 3, 2), 2, 1, "corner")


@pytest.mark.slow
def test_policies_win_as_often_as_is_published():
    """PSEQ-D256 (Tu et al. 2017) wins 91.69% of beginner games from a safe first cell, 81.77% on 8x8."""
    for level, share in (("beginner", 0.917), ("beginner-8x8", 0.818)):
        tally = play_games(LEVELS[level], "safe", POLICIES["best"], range(4000))
        assert abs(tally.won / tally.games - share) < 0.03


def test_importing_the_games_does_not_compile_anything():
    code = "import sys, mines_dd.play.games; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_advice_is_a_safe_cell_where_there_is_one():
    advice = advise(Board.parse("mines: 2\n##1\n##1\n111"))
    assert advice.safe == ((0, 1), (1, 0))
    assert advice.mines == ((0, 0), (1, 1))
    assert (advice.cell, advice.risk, advice.wins) == ((0, 1), 0.0, 1)


def test_advice_for_an_even_guess_says_what_it_wins():
    advice = advise(Board.parse("mines: 1\n1#\n1#"))
    assert advice.cell in {(0, 1), (1, 1)}
    assert (advice.risk, advice.wins, advice.kind) == (0.5, Fraction(1, 2), "searched")


def test_advice_needs_a_possible_board():
    with pytest.raises(InconsistentBoardError):
        advise(Board.parse("1#\n1#"), 2)


@pytest.mark.parametrize("seed", range(6))
def test_a_no_guess_board_is_won_by_certain_cells_alone(seed):
    board, _ = no_guess_board(LEVELS["beginner"], seed=seed)
    assert board[4, 4] == "0"
    while True:
        result = analyse(board)
        cells = board.closed()
        if len(cells) == board.mines:
            break
        assert result.safe
        board = board.open_all(result.safe)


def test_a_level_without_any_board_to_win_by_certain_cells_is_given_up():
    with pytest.raises(BudgetExceededError, match="none of 1 boards"):
        no_guess_board(Level(1, 9, 5), (0, 0), seed=1, tries=1)


def test_the_optimal_play_of_small_boards():
    """4x4 as the table in data/ has it, and the two that can be seen: one mine; all cells but one mines."""
    for mines, wins in ((1, 15), (2, 102), (3, 400), (4, 961), (15, 1)):
        result = optimal.run({"rows": 4, "columns": 4, "mines": mines, "layouts": 10**4, "positions": 10**6})
        assert result["wins"] == wins
    field = make_field(3, 3, 2)
    layouts = list(all_layouts(field, np.full(9, CLOSED), 2))
    result = optimal.run({"rows": 3, "columns": 3, "mines": 2, "layouts": 100, "positions": 10**4})
    assert result["wins"] == plainly_won(field, np.full(9, CLOSED), layouts) == 24
