"""Budgets, and the memory there is."""

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from boards import ROOT

from mines_dd import Board, analyse, explain, mine_graph, solve, subgraphs
from mines_dd.base.budget import Budget, available_memory, memory_errors
from mines_dd.base.errors import BudgetExceededError
from mines_dd.base.jit import kernel
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import simplify, unsimplified
from mines_dd.orders.cells import cell_order
from mines_dd.orders.elimination import elimination_steps
from mines_dd.orders.min_fill import hint_graph, min_fill_order

GIB = 2**30


def test_a_limit_of_nodes_is_written_in_full():
    with pytest.raises(BudgetExceededError, match="need 6,973 nodes and 1,000 are allowed"):
        Budget(max_nodes=1000).refuse(6973, 0, 0)


def test_a_budget_refuses_what_no_machine_has():
    with pytest.raises(BudgetExceededError, match=r"GiB more memory and .* GiB are free"):
        Budget().reserve(2**60)
    with pytest.raises(BudgetExceededError, match=r"bytes and .* are allowed"):
        Budget().refuse(0, 0, 2.0**60)
    Budget().reserve(2**10)


def test_the_memory_there_is_keeps_to_the_limit_on_the_address_space():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        "from mines_dd.base.budget import available_memory\nprint(available_memory())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert 0 < int(done.stdout) < GIB
    assert available_memory() is None or available_memory() > 0


def test_a_memory_error_becomes_one_of_ours():
    with pytest.raises(BudgetExceededError, match="memory") as caught, memory_errors():
        bytearray(2**62)
    assert caught.value.unit == "bytes"


def test_a_thread_that_cannot_be_started_is_a_limit_and_other_errors_stay():
    with pytest.raises(BudgetExceededError, match="needs more threads, or memory for them"), memory_errors():
        raise RuntimeError("can't start new thread")
    with pytest.raises(RuntimeError, match=r"^something else$"), memory_errors():
        raise RuntimeError("something else")


HARD = Board.random(30, 30, 0.3, 0.3, 0)


def test_what_to_do_about_a_budget_is_what_the_caller_can_do(monkeypatch):
    large, less = Board.random(60, 60, 0.3, 0.3, 0), {"max_nodes": 3}
    for question, advice in [
        (lambda: solve(HARD, "dc", **less), "allow more, or use another order or method"),
        (lambda: solve(HARD, "dc", simplify=False, **less), "allow more, or leave out simplify=False, or use another"),
        (lambda: subgraphs(mine_graph(HARD), **less), "allow more, or use another order, or a smaller graph"),
        (lambda: analyse(large, budget=Budget(**less)), "allow more, or take a smaller problem"),
        (lambda: analyse(HARD, budget=Budget(timeout=0)), "allow more time, or take a smaller problem"),
        (lambda: explain(HARD, HARD.closed()[0], budget=Budget(**less, advice="rest")), "allow more, or rest"),
        (lambda: Budget().reserve(2**60), "take a smaller problem"),
    ]:
        with pytest.raises(BudgetExceededError) as caught:
            question()
        assert caught.value.advice.startswith(advice)
        assert str(caught.value) == f"{caught.value.fact}; {caught.value.advice}"
        assert "method" not in caught.value.fact

    def no_room(*_, **__):
        raise MemoryError

    monkeypatch.setattr("mines_dd.answers.solver.reduce", lambda instance, _: unsimplified(instance))
    monkeypatch.setattr("mines_dd.answers.solver.cell_order", no_room)
    monkeypatch.setattr("mines_dd.compilers.plan.cell_order", no_room)
    with pytest.raises(BudgetExceededError, match="may use; use another order or method") as caught:
        solve(HARD, "dc")
    assert caught.value.unit == "bytes"


@pytest.mark.parametrize("kind", [np.int64, np.float32, Fraction, Decimal])
def test_limits_are_numbers_of_any_kind(kind):
    assert 8 < Budget(timeout=kind(9)).seconds_left <= 9
    with pytest.raises(BudgetExceededError, match="not done after 0 seconds"):
        Budget(timeout=kind(0)).check()
    assert Budget(timeout=10**400).seconds_left > 2**61
    assert solve(Board.parse("#1#"), "tree", max_nodes=np.uint8(200), timeout=kind(99)).count() == 2
    assert Budget().repeated(np.uint8(200), lambda: "a") == ["a"] * 200


@kernel
def fill(values):
    while True:
        values[0] += 1


def test_an_interpreted_kernel_is_stopped_when_the_time_is_over(monkeypatch):
    monkeypatch.setattr(fill, "pays", lambda left: False)
    monkeypatch.setattr(fill, "_price", lambda: 1000.0)
    values = np.array([7])
    with pytest.raises(BudgetExceededError, match=r"not done after 0\.1 seconds"):
        Budget(timeout=0.1).attempt(fill, values)
    assert values.tolist() == [7]


WIDE = Instance.of(Board.random(150, 150, 0.3, 0.4, 0))
STAGES = {
    "a graph is read": lambda budget, graph: Instance.of(mine_graph(HARD), budget),
    "hints are simplified": lambda budget, graph: simplify(WIDE, budget),
    "the hint graph is made": lambda budget, graph: hint_graph(WIDE, budget),
    "fill is least": lambda budget, graph: min_fill_order(WIDE, graph, budget=budget),
    "steps are worked out": lambda budget, graph: elimination_steps(WIDE, range(len(WIDE.hints)), budget=budget),
    "an order of cells is greedy": lambda budget, graph: cell_order(WIDE, "greedy", budget),
    "an order of cells follows the tree": lambda budget, graph: cell_order(WIDE, "tree", budget),
    "the best order of cells is looked for": lambda budget, graph: cell_order(WIDE, "auto", budget),
}


@pytest.fixture(scope="module")
def graph():
    return hint_graph(WIDE)


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_looks_at_the_clock_more_than_once(stage, graph, clock):
    """A second passes at each look: the first is in time, the second is not."""
    with pytest.raises(BudgetExceededError, match="not done after 1 second;"):
        STAGES[stage](Budget(timeout=1), graph)
    assert clock.looks <= 5


@pytest.mark.parametrize("timeout", [1, 4, 9])
@pytest.mark.parametrize("method", ["auto", "bdd", "zdd", "dc", "tree"])
def test_one_clock_runs_through_all_stages_of_solve(method, timeout, clock):
    """Were one of them given a clock of its own, there would be more looks than seconds."""
    with pytest.raises(BudgetExceededError, match="second"):
        solve(Board.random(150, 150, 0.3, 0.4, 0), method, timeout=timeout)
    assert clock.looks <= timeout + 4


@pytest.mark.ci
def test_one_clock_runs_through_an_explanation(clock):
    board = Board.random(60, 60, 0.2, 0.3, 0)
    (cell, *_) = sorted(analyse(board).safe)
    looks = clock.looks
    for timeout in (3, 30):
        with pytest.raises(BudgetExceededError, match="second"):
            explain(board, cell, budget=Budget(timeout=timeout))
        assert clock.looks - looks <= timeout + 4
        looks = clock.looks


@pytest.mark.ci
def test_a_kernel_in_blocks_goes_on_where_it_was_and_an_order_is_the_same_whatever_the_blocks(graph, monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    whole = [simplify(WIDE).instance.member, *graph, min_fill_order(WIDE, graph), cell_order(WIDE, "greedy")]
    monkeypatch.setattr("mines_dd.base.budget._COMPILED", 1000)
    again = hint_graph(WIDE)
    cut = [simplify(WIDE).instance.member, *again, min_fill_order(WIDE, again), cell_order(WIDE, "greedy")]
    assert [array.tolist() for array in cut] == [array.tolist() for array in whole]


def test_predicted_nodes_are_a_whole_number():
    with pytest.raises(BudgetExceededError, match=r"is predicted to need 3 nodes and 1 is allowed"):
        Budget(max_nodes=1).refuse(2.59, 0, 0)


@pytest.mark.parametrize("limit", [np.int64(10**6), np.uint8(200)])
@pytest.mark.parametrize("method", ["dc", "tree"])
def test_a_limit_of_nodes_may_be_a_number_of_numpy(limit, method):
    assert solve(Board.parse("####/#22#/#22#/####"), method, max_nodes=limit).count() == 66
    Budget(max_nodes=limit).refuse(201, 0, 0)  # twice a limit of 8 bits has more


@pytest.mark.parametrize(
    "limit", [Decimal(60), Fraction(121, 2), np.float32(60), pytest.param(10**400, id="huge"), Decimal("Infinity")]
)
def test_a_limit_of_seconds_may_be_any_number(limit):
    assert solve(Board.parse("####/#22#/#22#/####"), timeout=limit).count() == 66


def test_blocks_are_short_while_items_take_long(monkeypatch):
    """At first a block has one item, then more while items are quick, and one again when they take long."""
    now = 0.0
    monkeypatch.setattr("mines_dd.base.budget.time", SimpleNamespace(monotonic=lambda: now, perf_counter=lambda: now))
    sizes = []
    for block in Budget(timeout=10**6).blocks(range(1000), 100):
        sizes.append(len(block))
        now += sum(1.0 if item > 400 else 0.0 for item in block)
    assert sizes[:9] == [1, 2, 4, 8, 16, 32, 64, 100, 100]
    assert set(sizes[10:]) == {1}
    assert sum(sizes) == 1000
