"""Sets of integers as runs, against Python's sets."""

from hypothesis import given
from hypothesis import strategies as st

from mines_dd.diagrams.runs import contains, intersect, merged, multiple, reflected, sums

numbers = st.sets(st.integers(0, 40), min_size=1, max_size=12)


def runs(some) -> list[tuple[int, int]]:
    return merged([(x, x) for x in some])


def members(some) -> set[int]:
    return {x for first, last in some for x in range(first, last + 1)}


@given(numbers, numbers, st.integers(0, 4), st.integers(-50, 50))
def test_runs_are_sets_of_integers(some, others, times, total):
    assert members(runs(some)) == some
    assert all(later[0] > earlier[1] + 1 for earlier, later in zip(runs(some), runs(some)[1:], strict=False))
    assert members(sums(runs(some), runs(others))) == {x + y for x in some for y in others}
    assert members(intersect(runs(some), runs(others))) == some & others
    assert reflected(runs(some), total) == runs({total - x for x in some})
    assert contains(runs(some), total) == (total in some)
    expected = {0}
    for _ in range(times):
        expected = {x + y for x in expected for y in some}
    assert multiple(runs(some), times) == runs(expected)
