"""Budgets, and the memory there is."""

import subprocess
import sys

import pytest
from boards import ROOT

from mines_dd import Board, analyse, explain, mine_graph, solve, subgraphs
from mines_dd.base.budget import Budget, available_memory, memory_errors
from mines_dd.base.errors import BudgetExceededError
from mines_dd.constraints.simplify import unsimplified

GIB = 2**30


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


HARD = Board.random(30, 30, 0.3, 0.3, 0)


def test_what_to_do_about_a_budget_is_what_the_caller_can_do(monkeypatch):
    large, less = Board.random(60, 60, 0.3, 0.3, 0), {"max_nodes": 3}
    for question, advice in [
        (lambda: solve(HARD, "dc", **less), "allow more, or use another order or method"),
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

    monkeypatch.setattr("mines_dd.answers.solver.reduce", lambda instance: unsimplified(instance))
    monkeypatch.setattr("mines_dd.answers.solver.cell_order", no_room)
    monkeypatch.setattr("mines_dd.compilers.plan.cell_order", no_room)
    with pytest.raises(BudgetExceededError, match="may use; use another order or method") as caught:
        solve(HARD, "dc")
    assert caught.value.unit == "bytes"
