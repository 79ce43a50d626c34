"""Games as rules of keys: starts that are ends, the longest distance, rules that break their own limits."""

import networkx as nx
import pytest

from mines_dd.base import jit
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.boardgames.retrograde import DRAW, LOSS, OPEN, WIN, solve_graph
from mines_dd.boardgames.retrograde_table import Rules, solve_rules

pytestmark = pytest.mark.usefixtures("interpreted_unless_asked")


def take_one_or_two(key, out):
    for taken in range(1, 3):
        out[taken - 1] = max(key - taken, 1)
    return 2


def put_one_or_two(key, out):
    for taken in range(1, 3):
        out[taken - 1] = key + taken
    return 2


def heap(end: int, most: int = 2) -> Rules:
    return Rules(take_one_or_two, put_one_or_two, lambda key: end if key == 1 else OPEN, most, "heap")


@pytest.mark.parametrize("stones", range(12))
def test_a_heap_of_any_size_is_solved_the_empty_one_too(stones):
    solution = solve_rules(heap(LOSS), stones + 1)
    assert [solution.verdict(key + 1)[0] for key in range(stones + 1)] == [
        WIN if key % 3 else LOSS for key in range(stones + 1)
    ]
    assert len(solution) == stones + 1
    assert solution.wrong() == 0


def test_a_start_that_is_won_at_once_is_the_only_position():
    solution = solve_rules(heap(WIN), 1)
    assert solution.verdict(1) == (WIN, 0)
    assert (len(solution), solution.tally().taken) == (1, 1)


@pytest.mark.parametrize("start", range(1, 12))
def test_ends_may_be_drawn(start):
    """A heap of which one or two are taken, drawn if it is empty, lost if one is left."""
    rules = Rules(take_one_or_two, put_one_or_two, lambda key: (OPEN, DRAW, LOSS)[key if key < 3 else 0], 2, "heap")
    solution = solve_rules(rules, start)
    heaps = nx.DiGraph([(key, max(key - taken, 1)) for key in range(3, start + 1) for taken in (1, 2)])
    heaps.add_node(start)
    expected = solve_graph(heaps, {key: end for key, end in {1: DRAW, 2: LOSS}.items() if key in heaps})
    for key in heaps:
        assert solution.verdict(key)[0] == expected[key].outcome
    assert solution.tally().drawn == sum(verdict.outcome == DRAW for verdict in expected.values())
    assert solution.wrong() == 0


@pytest.mark.parametrize("start", [1, 5])
def test_what_is_no_outcome_is_told(start):
    with pytest.raises(MinesError, match="ended of heap returns something else than WIN, LOSS, DRAW or OPEN"):
        solve_rules(heap(5), start)


@pytest.mark.parametrize("key", [0, -1, 2**62])
def test_what_is_no_key_is_told(key):
    def to_no_key(_, out):
        out[0] = key
        return 1

    rules = heap(LOSS)._replace(moves=to_no_key)
    with pytest.raises(MinesError, match="moves of heap write a key that is none: keys are at least 1"):
        solve_rules(rules, 5)


def test_the_longest_distance_is_the_greatest_that_a_byte_holds():
    def one_down(key, out):
        out[0] = key - 1
        return 1

    def one_up(key, out):
        out[0] = key + 1
        return 1

    chain = Rules(one_down, one_up, heap(LOSS).ended, 1, "chain")
    assert solve_rules(chain, 187).verdict(187) == (LOSS, 186)
    with pytest.raises(MinesError, match="more than 186 moves from the end"):
        solve_rules(chain, 188)


def test_rules_that_write_more_than_they_say_are_told_so():
    with pytest.raises(MinesError, match="rules of heap write more than 1 key, which is their most"):
        solve_rules(heap(LOSS, most=1), 5)


def forgets(key, out):
    out[0] = key - 1


def forgets_sometimes(key, out):
    out[0] = key + 1
    if key < 2:
        return 1


def takes_a_key(key):
    return key


def returns_minus_one(key, out):
    return -1


def returns_true(key, out):
    return True


def returns_an_array(key, out):
    return out[:1]


@pytest.mark.parametrize(
    ("function", "said", "compiled"),
    [
        (forgets, "takes a key and an array, and returns how many keys it wrote there; ", "returns no whole number"),
        (forgets_sometimes, "takes a key and an array, and returns how many .*None", "returns no whole number"),
        (takes_a_key, "takes a key and an array.* takes 1 positional argument", "cannot be compiled: Cannot bind"),
        (returns_true, "takes a key and an array, .*; True and False are no whole numbers", "returns no whole number"),
        (returns_an_array, "takes a key and an array, ", "cannot be compiled: "),
        (returns_minus_one, "returns something else than how many keys it wrote, 0 to 2", "0 to 2"),
    ],
)
@pytest.mark.parametrize("which", ["moves", "unmoves"])
def test_what_is_no_number_of_keys_is_told(which, function, said, compiled):
    with pytest.raises(MinesError, match=compiled if jit.always_compiled() else f"{which} of heap {said}"):
        solve_rules(heap(LOSS)._replace(**{which: function}), 6)


@pytest.mark.parametrize("ended", [lambda: 2, lambda key: [2]])
def test_an_ended_that_takes_or_returns_something_else_is_told(ended):
    with pytest.raises(MinesError, match="ended of heap takes a key, and returns WIN, LOSS, DRAW or OPEN; "):
        solve_rules(heap(LOSS)._replace(ended=ended), 6)


def test_an_ended_that_says_yes_or_no_is_told():
    with pytest.raises(MinesError, match="ended of heap returns something else than WIN, LOSS, DRAW or OPEN"):
        solve_rules(heap(LOSS)._replace(ended=lambda key: key == 1), 6)


def turns_round(key, out):
    out[0], out[1] = max(key - 2, 1), key - 1
    out[:2] = out[1::-1]
    return 2


def divides_by_zero(key, out):
    out[0] = key - 1 + 1 // (key - 6)
    return 1


@pytest.mark.ci
@pytest.mark.parametrize(
    ("moves", "said"),
    [
        (turns_round, "put into itself in another order"),
        (divides_by_zero, "division by zero"),
    ],
)
def test_rules_that_fail_compiled_are_named(moves, said, monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    with pytest.raises(MinesError, match=f"rules of heap fail compiled: .*{said}"):
        solve_rules(heap(LOSS)._replace(moves=moves), 6)


def never_ends(*_):
    while True:
        pass


@pytest.mark.parametrize("which", ["moves", "unmoves", "ended"])
def test_a_rule_that_never_ends_is_stopped_in_time(which):
    with pytest.raises(BudgetExceededError, match=r"not done after 0\.2 seconds"):
        solve_rules(heap(LOSS)._replace(**{which: never_ends}), 6, budget=Budget(timeout=0.2))


KNOWN = {6: 0}


def asks_a_dict(key, out):
    return KNOWN.get(key, 0)


@pytest.mark.ci
def test_an_unmoves_that_cannot_be_compiled_is_told_before_the_first_ply(monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    plies = []
    with pytest.raises(MinesError, match="rules of heap cannot be compiled: KNOWN, a dict, cannot be used there"):
        solve_rules(heap(LOSS)._replace(unmoves=asks_a_dict), 6, progress=lambda *ply: plies.append(ply))
    assert plies == []


@pytest.mark.parametrize("most", [0, -1, 1.5, None])
def test_the_most_keys_that_rules_write_is_a_whole_number(most):
    with pytest.raises(MinesError, match=f"most of the rules is {most}; give a whole number of at least 1"):
        solve_rules(heap(LOSS)._replace(most=most), 6)


@pytest.mark.parametrize("which", ["moves", "ended"])
def test_what_rules_themselves_raise_stays_as_it_is(which):
    if which == "moves" and jit.always_compiled():
        pytest.skip("compiled, nobody knows who has raised it")

    def fails(*_):
        raise TypeError("of their own")

    with pytest.raises(TypeError, match="of their own"):
        solve_rules(heap(LOSS)._replace(**{which: fails}), 6)


def test_a_check_has_the_time_of_the_search_anew(clock):
    solution = solve_rules(heap(LOSS), 50, budget=Budget(timeout=10**4))
    clock.ahead = 10**5
    assert solution.wrong() == 0


def test_moves_that_give_their_array_another_value_are_refused():
    def moves(key, out):
        out = out + key
        return 1

    with pytest.raises(MinesError, match="moves of lost gives out another value, which is lost"):
        solve_rules(Rules(moves, lambda key, out: 0, lambda key: OPEN, 1, "lost"), 1)
