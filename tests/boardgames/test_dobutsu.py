"""Dōbutsu shōgi: its rules against a slow second program, and small endings against the explicit solver."""

import pickle
import random

import numpy as np
import pytest

from mines_dd.base.errors import GraphFormatError
from mines_dd.boardgames.dobutsu import RULES, START, best_line, diagram, key_of, moves_from, read_position
from mines_dd.boardgames.retrograde import LOSS, OPEN, WIN, Game, solve
from mines_dd.boardgames.retrograde_table import solve_rules

# The second program.  A position is a dict from (file, rank) to a letter, rank 0 above, capitals move upwards; the
# hands, a sorted string of letters; and who moves.

NAIVE_STEPS = {
    "l": "NSEWnesw",
    "g": "NSEW",
    "e": "nesw",
    "c": "N",
    "h": "NSEWne",
}
COMPASS = {
    "N": (0, -1), "S": (0, 1), "E": (1, 0), "W": (-1, 0),
    "n": (1, -1), "e": (-1, -1), "s": (1, 1), "w": (-1, 1),
}  # fmt: skip


def naive_position(text, hands="", capitals=True):
    ranks = text.split()
    board = {(x, y): ranks[y][x] for y in range(4) for x in range(3) if ranks[y][x] != "."}
    return board, "".join(sorted(hands)), capitals


def naive_targets(board, place, letter):
    for step in NAIVE_STEPS[letter.lower()]:
        x, y = COMPASS[step]
        to = place[0] + x, place[1] + (y if letter.isupper() else -y)
        if to[0] in range(3) and to[1] in range(4) and not (to in board and board[to].isupper() == letter.isupper()):
            yield to


def naive_moves(position):
    """The positions after each move, those that take the lion too."""
    board, hands, capitals = position
    for place, letter in board.items():
        if letter.isupper() == capitals:
            for to in naive_targets(board, place, letter):
                far = 0 if capitals else 3
                landed = letter
                if letter.lower() == "c" and to[1] == far:
                    landed = "H" if capitals else "h"
                after = {at: what for at, what in board.items() if at != place} | {to: landed}
                won = board.get(to, "").lower().replace("h", "c")
                yield after, "".join(sorted(hands + (won.upper() if capitals else won))), not capitals
    for letter in set(hands):
        if letter.isupper() == capitals:
            for x in range(3):
                for y in range(4):
                    if (x, y) not in board:
                        yield board | {(x, y): letter}, hands.replace(letter, "", 1), not capitals


def naive_end(position):
    board, _, capitals = position
    theirs = "l" if capitals else "L"
    if any(theirs not in after.values() for after, _, _ in naive_moves(position)):
        return WIN
    home = 3 if capitals else 0
    return LOSS if any(what == theirs and place[1] == home for place, what in board.items()) else OPEN


def naive_key(position):
    """The same for a position turned or mirrored."""
    board, hands, capitals = position
    if not capitals:
        board = {(2 - x, 3 - y): what.swapcase() for (x, y), what in board.items()}
        hands = hands.swapcase()
    mirrored = {(2 - x, y): what for (x, y), what in board.items()}
    return min(str(sorted(b.items())) for b in (board, mirrored)) + "".join(sorted(hands))


def text_of(position):
    """What `read_position` takes, as the player to move sees it."""
    board, hands, capitals = position
    if not capitals:
        board = {(2 - x, 3 - y): what.swapcase() for (x, y), what in board.items()}
        hands = hands.swapcase()
    return " ".join("".join(board.get((x, y), ".") for x in range(3)) for y in range(4)), hands


def our_key(position):
    return key_of(read_position(*text_of(position)))


def our_moves(key):
    return written(RULES.moves, key)


def written(function, key):
    out = np.zeros(RULES.most, np.int64)
    return out[: function(key, out)].tolist()


FIRST = naive_position("gle .c. .C. ELG")


def random_positions(count, seed):
    """Positions of random games; from some in the middle with much in hand, too."""
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        position = FIRST
        for _ in range(rng.randrange(60)):
            if naive_end(position) != OPEN:
                break
            position = rng.choice(list(naive_moves(position)))
        found.append(position)
    return found


def names(text, hands=""):
    return {name for name, _ in moves_from(read_position(text, hands))}


# Rules


def test_each_piece_moves_as_it_should():
    assert names("l.. ... .E. ..L") == {"EB3-A2", "EB3-C2", "EB3-A4", "LC4-C3", "LC4-B4"}
    assert {name for name in names("l.. ... .G. L..") if name[0] == "G"} == {"GB3-B2", "GB3-B4", "GB3-A3", "GB3-C3"}
    assert {name for name in names("l.. ... .H. L..") if name[0] == "H"} == {
        "HB3-B2", "HB3-B4", "HB3-A3", "HB3-C3", "HB3-A2", "HB3-C2",
    }  # fmt: skip
    assert {name for name in names("l.. ... .C. L..") if name[0] == "C"} == {"CB3-B2"}


def test_a_chick_that_moves_to_the_far_rank_becomes_a_hen_and_one_dropped_there_does_not():
    assert {"CB2-B1+", "C*B1", "C*C1"} <= names("l.. .C. ... ..L", "C")
    after = dict(moves_from(read_position("l.. .C. ... ..L", "C")))
    assert "h" in diagram(after["CB2-B1+"])
    assert "c" in diagram(after["C*C1"])
    assert "h" not in diagram(after["C*C1"])


def test_a_hen_goes_to_the_hand_as_a_chick():
    after = dict(moves_from(read_position("l.. .h. .G. ..L")))
    assert diagram(after["GB3xB2"]).splitlines()[0].endswith("c")  # the opponent sees it above


def test_a_game_goes_on_with_all_eight_pieces_until_it_is_over():
    rng = random.Random(5)
    for _ in range(100):
        word, first = START, True
        for _ in range(60):
            moves = moves_from(word, first)
            assert bool(moves) == (RULES.ended(key_of(word)) == OPEN)
            if not moves:
                break
            word, first = rng.choice(moves)[1], not first
            assert sum(letter.isalpha() for letter in diagram(word)) == 8


@pytest.mark.parametrize("word", [0, 0x1, 0x9, 0x991, 0x891, 0x691])
def test_a_number_without_a_lion_each_or_with_another_piece_is_no_position(word):
    with pytest.raises(GraphFormatError, match="is no position"):
        moves_from(word)


@pytest.mark.parametrize(
    ("text", "hands", "end"),
    [
        ("l.. L.. ... ...", "", WIN),
        ("... .L. ... .l.", "", LOSS),  # it has reached our home rank, and nothing takes it
        ("... ... .L. .l.", "", WIN),  # it has, and our lion takes it
        ("... .L. .G. ..l", "", LOSS),  # a giraffe does not move diagonally
        ("... .L. .E. ..l", "", WIN),
        ("... .L. .C. .l.", "", LOSS),  # a chick does not move back
        (".l. .C. ... .L.", "", WIN),
        ("l.. .H. ... .L.", "", WIN),
        ("... .L. .H. l..", "", LOSS),  # nor a hen diagonally back
        ("l.. ... ... L..", "GGEECC", OPEN),
    ],
)
def test_the_lion_taken_and_the_try_end_the_game(text, hands, end):
    assert RULES.ended(key_of(read_position(text, hands))) == end
    assert naive_end(naive_position(text, hands)) == end


def test_the_number_of_lines_of_each_length_is_that_of_the_second_program():
    def ours(word, depth):
        if depth == 0 or RULES.ended(key_of(word)) != OPEN:
            return 1
        return sum(ours(after, depth - 1) for _, after in moves_from(word))

    def naive(position, depth):
        if depth == 0 or naive_end(position) != OPEN:
            return 1
        return sum(naive(after, depth - 1) for after in naive_moves(position))

    assert [ours(START, depth) for depth in range(5)] == [naive(FIRST, depth) for depth in range(5)]


@pytest.mark.ci
def test_as_many_positions_can_be_reached_in_few_moves_as_by_the_second_program():
    ours, naive = {key_of(START)}, {naive_key(FIRST): FIRST}
    layer, naive_layer = set(ours), dict(naive)
    for _ in range(6):
        layer = {after for key in layer if RULES.ended(key) == OPEN for after in our_moves(key)} - ours
        reached = [after for p in naive_layer.values() if naive_end(p) == OPEN for after in naive_moves(p)]
        naive_layer = {key: p for p in reached if (key := naive_key(p)) not in naive}
        ours |= layer
        naive |= naive_layer
        assert layer == {our_key(p) for p in naive_layer.values()}
        assert len(layer) == len(naive_layer)


def test_moves_of_random_positions_are_those_of_the_second_program():
    for position in random_positions(300, seed=1):
        key = our_key(position)
        assert RULES.ended(key) == naive_end(position)
        if naive_end(position) == OPEN:
            assert set(our_moves(key)) == {our_key(after) for after in naive_moves(position)}


def test_taking_moves_back_finds_the_positions_before():
    taking = [("l.. .h. .G. ..L", ""), ("l.. .c. .G. ..L", "Cg"), ("l.. c.. C.. ..L", "GGee"), (".ge .Cl ..h L..", "E")]
    for position in random_positions(150, seed=2) + [naive_position(*one) for one in taking]:
        key = our_key(position)
        if RULES.ended(key) == OPEN:
            assert all(key in written(RULES.unmoves, after) for after in our_moves(key))
        for before in written(RULES.unmoves, key):
            if RULES.ended(before) == OPEN:
                assert key in our_moves(before)


# Solutions


def explicit(start):
    """The positions that can be reached, and the game as `retrograde` takes it: no moves that leave the lion."""
    keys, index, moves = [start], {start: 0}, []
    for key in keys:
        if RULES.ended(key) != OPEN:
            continue
        for after in sorted(set(our_moves(key))):
            if after not in index:
                index[after] = len(keys)
                keys.append(after)
            if RULES.ended(after) != WIN:
                moves.append((index[key], index[after]))
    given = [RULES.ended(key) for key in keys]
    ends = np.array(moves, np.int32).reshape(-1, 2)
    return keys, solve(Game(np.array(given, np.int8), ends[:, 0], ends[:, 1]))


# The others have so many positions that their kernels are compiled.
ENDINGS = [
    (".l. ... ... .L.", ""),
    *(
        pytest.param(*ending, marks=pytest.mark.slow)
        for ending in [("l.. ... .C. ..L", ""), (".l. ... ... .L.", "G"), ("gl. ... ... .LG", "")]
    ),
]


@pytest.mark.parametrize(("text", "hands"), ENDINGS)
def test_small_endings_have_the_outcomes_and_distances_of_the_explicit_solver(text, hands):
    start = key_of(read_position(text, hands))
    keys, expected = explicit(start)
    found = solve_rules(RULES, start)
    assert found.wrong() == 0
    assert len(found) == len(keys)
    for i, key in enumerate(keys):
        outcome, distance = found.verdict(key)
        assert (outcome, -1 if distance is None else distance) == (expected.outcome[i], expected.distance[i])


@pytest.mark.parametrize(("text", "hands"), ENDINGS)
def test_the_tally_counts_each_position_once(text, hands):
    start = key_of(read_position(text, hands))
    solution = solve_rules(RULES, start)
    keys, expected = explicit(start)
    taken, lost, won, drawn = solution.tally()
    ended = np.array([RULES.ended(key) == WIN for key in keys])
    assert taken == ended.sum()
    assert drawn == (expected.outcome == 0).sum()
    assert (sum(won), sum(lost)) == (((expected.outcome == 1) & ~ended).sum(), (expected.outcome == -1).sum())
    assert sum(solution.plies) + taken == len(keys)


@pytest.mark.ci
def test_a_best_line_ends_where_every_move_leaves_the_lion():
    word = read_position("l.. ... .G. L..", "G")
    solution = solve_rules(RULES, key_of(word))
    outcome, distance = solution.verdict(key_of(word))
    line = best_line(solution, word)
    assert outcome == WIN
    assert len(line) == distance
    first = True
    for name in line:
        word = dict(moves_from(word, first))[name]
        first = not first
    if RULES.ended(key_of(word)) == OPEN:
        assert all(RULES.ended(key_of(after)) == WIN for _, after in moves_from(word))


@pytest.mark.parametrize(
    ("text", "hands", "said"),
    [
        ("gle .c. .C.", "", "four ranks of three squares"),
        ("gle .x. .C. ELG", "", "four ranks of three squares"),
        ("gle .c. .C. E.G", "", "a lion each"),
        ("gle .c. .C. ELG", "C", "at most two"),
        ("gle ... .C. ELG", "L", "in hand are"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, hands, said):
    with pytest.raises(GraphFormatError, match=said):
        read_position(text, hands)


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_a_solution_can_be_pickled():
    start = key_of(read_position(*ENDINGS[0]))
    solution = solve_rules(RULES, start)
    known = pickle.loads(pickle.dumps(solution))
    assert known.tally() == solution.tally()
    assert known.verdict(start) == solution.verdict(start)
    assert known.wrong() == 0
