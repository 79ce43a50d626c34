import json
import random
import re
import sys
from fractions import Fraction
from itertools import product

import pytest

from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.boardgames import program
from mines_dd.boardgames.program import cheapest_choice, relaxed_cost


def brute_force(costs, rows):
    feasible = (
        x
        for x in product((0, 1), repeat=len(costs))
        if all(sum(weight * x[i] for i, weight in weights.items()) >= least for weights, least in rows)
    )
    return min((sum(c * v for c, v in zip(costs, x, strict=True)) for x in feasible), default=None)


@pytest.mark.parametrize("seed", range(20))
def test_the_cheapest_choice_is_found_or_there_is_none(seed):
    pytest.importorskip("highspy")
    rng = random.Random(seed)
    costs = [rng.randint(0, 5) for _ in range(6)]
    rows = [({i: rng.choice((-1, 1, 2)) for i in rng.sample(range(6), 3)}, rng.randint(-1, 3)) for _ in range(5)]
    least = brute_force(costs, rows)
    if least is None:
        with pytest.raises(MinesError, match="no optimum"):
            cheapest_choice(costs, rows)
        return
    chosen, _ = cheapest_choice(costs, rows)
    assert sum(costs[i] for i in chosen) == least
    assert all(sum(weights.get(i, 0) for i in chosen) >= bound for weights, bound in rows)


def test_costs_and_rows_may_come_once():
    pytest.importorskip("highspy")
    rows = [({0: 1, 1: 1}, 1), ({1: 1, 2: 1}, 1)]
    assert cheapest_choice(iter([3, 1, 3]), iter(rows)) == ([1], 0)
    assert relaxed_cost(iter([3, 1, 3]), zip([{0: 1}], [1], strict=True)) == 3


def test_without_highspy_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(MinesError, match="pip install"):
        cheapest_choice([1], [({0: 1}, 1)])


def test_the_limit_on_time_is_a_budget():
    pytest.importorskip("highspy")
    rng = random.Random(0)
    rows = [({i: rng.randint(1, 99) for i in rng.sample(range(80), 40)}, 900) for _ in range(60)]
    with pytest.raises(BudgetExceededError, match=r"0\.05 seconds; .* none costs less than .*; allow") as caught:
        cheapest_choice([rng.randint(50, 99) for _ in range(80)], rows, budget=Budget(timeout=0.05))
    assert (caught.value.unit, caught.value.allowed) == ("seconds", 0.05)
    assert caught.value.needed >= 0.05
    assert cheapest_choice([1], [({0: 1}, 1)], budget=Budget(timeout=60))[0] == [0]


def test_the_solver_says_nothing_on_standard_output(capfd):
    pytest.importorskip("highspy")
    costs, rows = [3, 2, 2], [({0: 1, 1: 1}, 1), ({0: 1, 2: 1}, 1)]
    assert cheapest_choice(costs, rows, budget=Budget(timeout=60))[0] == [0]
    assert relaxed_cost(costs, rows) == 3
    weights = dict(enumerate([5, 9, 2, 8, 5, 2, 1, 5]))  # HiGHS prints a line here, whatever it is told
    exactly = [(weights, 18), ({i: -weight for i, weight in weights.items()}, -18)]
    assert cheapest_choice([4, -4, -6, 5, -4, -2, -4, -6], exactly)[0] == [1, 2, 5, 7]
    assert capfd.readouterr() == ("", "")
    with pytest.raises(MinesError, match="no optimum"):
        cheapest_choice([1], [({0: 1}, 2)])


def test_a_choice_that_breaks_a_row_is_an_error():
    pytest.importorskip("highspy")
    rows = [({0: 10**9 + 1, 2: 1, 1: 10**9, 3: 1}, 10**9), ({2: 1, 3: 10**9, 1: -(10**9)}, 1)]
    with pytest.raises(MinesError, match="misses the least sum of row 1 by 1; keep the weights"):
        cheapest_choice([1000, 3, 1000, 3], rows)
    assert cheapest_choice([1, 1], [({0: 0.1, 1: 0.2}, 0.3)])[0] == [0, 1]


def test_large_costs_are_no_reason_to_stop_early():
    """HiGHS stops at a gap of 0.01% if it is not told otherwise."""
    pytest.importorskip("highspy")
    rows = [
        ({0: 3, 4: 3, 5: 1, 6: 2, 7: 3}, 3),
        ({0: 3, 2: 3, 3: 1, 4: 3, 5: 3, 6: 1, 7: 3, 8: 1}, 3),
        ({0: 1, 2: 1, 3: 3, 6: 1}, 2),
        ({0: 1, 1: 2, 3: 2, 4: 3, 7: 3}, 2),
        ({2: 1, 3: 1, 4: 3, 5: 2, 8: 1}, 2),
        ({0: 2, 3: 1, 6: 2, 7: 1}, 2),
    ]
    costs = [10**9 + more for more in (10, 18, 0, 424897978, 3, 710728, 35, 4547070, 4)]
    assert sum(costs[i] for i in cheapest_choice(costs, rows)[0]) == brute_force(costs, rows) == 3 * 10**9 + 13


def knapsacks(items, rows):
    """Choices that are soon found, and an optimum that is not."""
    rng = random.Random(0)
    weights = [[rng.randint(1, 99) for _ in range(items)] for _ in range(rows)]
    costs = [-rng.randint(1, 99) for _ in range(items)]
    return costs, [({i: -weight for i, weight in enumerate(row)}, -20 * items) for row in weights]


def test_a_program_that_is_not_solved_has_a_best_choice_and_a_bound_that_is_true():
    pytest.importorskip("highspy")
    costs, rows = knapsacks(400, 30)
    lower = relaxed_cost(costs, rows)
    with pytest.raises(BudgetExceededError, match=r"known costs -[\d,]+, and none costs less than -[\d,]+;") as caught:
        cheapest_choice(costs, rows, budget=Budget(timeout=2))
    said = re.findall(r"costs? (?:less than )?(-[\d,]*\d)", str(caught.value))
    known, bound = (int(text.replace(",", "")) for text in said)
    assert lower - 1 < bound <= known < 0


class Solver:
    """In place of the other process: what it says, and how it ends."""

    def __init__(self, monkeypatch, *said, error=None):
        self.said, self.error = said, error
        monkeypatch.setattr(program, "apart", self)

    def __call__(self, *args, given, seconds, **named):
        assert seconds > 60
        yield from (json.dumps(found._asdict()).encode() for found in self.said)
        if self.error:
            raise self.error


def test_a_solver_that_does_not_stop_loses_nothing_that_it_has_said(monkeypatch):
    pytest.importorskip("highspy")
    rows, budget = [({0: 1, 1: 1}, 1)], Budget(timeout=60)
    Solver(monkeypatch, error=TimeoutError)
    with pytest.raises(BudgetExceededError, match="60 seconds; no choice is known, and none costs less than -3;"):
        cheapest_choice([5, -3], rows, budget=budget)
    with pytest.raises(BudgetExceededError, match=r"the linear relaxation .* was not solved after 60 seconds;"):
        relaxed_cost([5, -3], rows, budget=budget)
    soon = program._Known(chosen=[0], cost=5.0, bound=-2.00000001)
    for said in ([soon._replace(bound=-3), soon], [soon._replace(end="Time limit reached")]):
        Solver(monkeypatch, *said, error=TimeoutError)
        with pytest.raises(BudgetExceededError, match="the best choice known costs 5, and none costs less than -2;"):
            cheapest_choice([5, -3], rows, budget=budget)
    Solver(monkeypatch, soon, error=TimeoutError)
    with pytest.raises(BudgetExceededError, match=r"known costs 1\.5, and none costs less than -2\.00000201;"):
        cheapest_choice([Fraction(3, 2), Fraction(-3)], rows, budget=budget)
    Solver(monkeypatch, soon._replace(chosen=[]), error=TimeoutError)
    with pytest.raises(BudgetExceededError, match="no choice is known, and none costs less than -2;"):
        cheapest_choice([5, -3], rows, budget=budget)


def test_a_solver_that_ends_its_process_is_an_error(monkeypatch):
    pytest.importorskip("highspy")
    for said, error in (((), ChildProcessError), ([program._Known("Solve error")], None)):
        Solver(monkeypatch, *said, error=error)
        with pytest.raises(MinesError, match="the solver broke off: a 0-1 program of 1 variable is too large"):
            cheapest_choice([1], [({0: 1}, 1)], budget=Budget(timeout=60))
