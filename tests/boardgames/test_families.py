"""The budget of operations on families; the families themselves are tested with the umigame numbers."""

from types import SimpleNamespace

import pytest

from mines_dd import Budget, BudgetExceededError
from mines_dd.boardgames import families


def test_nodes_are_counted_at_once_and_then_for_a_tenth_of_the_time(monkeypatch):
    clock, counted = 0, []

    def live():
        nonlocal clock
        counted.append(clock)
        clock += 1
        return 7

    monkeypatch.setattr(families, "time", SimpleNamespace(perf_counter=lambda: clock))
    watch = families._Watch(Budget(max_nodes=7), live)
    while clock < 35:
        watch.check()
        clock += 1
    assert counted == [0, 10, 20, 30]
    with pytest.raises(BudgetExceededError, match="7 nodes"):
        families._Watch(Budget(max_nodes=6), live).check()
    unlimited = families._Watch(Budget(), live)
    unlimited.check()
    unlimited.count()
    assert len(counted) == 5
