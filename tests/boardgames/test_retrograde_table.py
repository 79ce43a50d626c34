"""Games as rules of keys: starts that are ends, the longest distance, rules that break their own limits."""

import networkx as nx
import pytest

from mines_dd.base.errors import MinesError
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
