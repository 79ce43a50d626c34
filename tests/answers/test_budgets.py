"""Budgets: an answer or `BudgetExceededError`, under little memory too; numbers of any length; no deep recursion."""

import json
import os
import resource
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from experiments import limits
from mines_dd import Board, analyse, mine_graph, solve, subgraphs
from mines_dd.answers.analysis import analysis_of
from mines_dd.answers.border import Border
from mines_dd.answers.conflict import minimal_conflict
from mines_dd.answers.explain import explain
from mines_dd.base.budget import Budget, available_memory, memory_errors
from mines_dd.base.errors import BudgetExceededError, InconsistentBoardError
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import unsimplified

ROOT = Path(__file__).parents[2]
GIB = 2**30
HARD = Board.random(30, 30, 0.3, 0.3, 0)


def command(*arguments, text, gib=4.0, timeout=100):
    """What `mines-dd` does with so much address space: exit code, output, errors but for the notice of compilation."""
    memory = int(gib * GIB)
    done = subprocess.run(
        [sys.executable, "-m", "mines_dd", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
    )
    return done.returncode, done.stdout, [x for x in done.stderr.splitlines() if "compiling kernels" not in x]


def blocks(n):
    """A board of n independent hints, each with 4 mines on 8 cells: 70 ** n assignments."""
    return Board(("###*" * n, "#4#*" * n, "###*" * n))


def chain(n):
    """One row of cells and hints by turns, all in one component: 2 assignments."""
    return Board(("#1" * n + "#",))


# Budgets


@pytest.mark.parametrize("method", ["bdd", "zdd", "dc", "tree"])
@pytest.mark.parametrize("limits_", [{"max_nodes": 20}, {"timeout": 0}])
def test_every_method_keeps_to_its_budget_and_says_so(method, limits_):
    with pytest.raises(BudgetExceededError) as caught:
        solve(HARD, method, **limits_)
    unit = {"max_nodes": "nodes", "timeout": "seconds"}[next(iter(limits_))]
    assert caught.value.unit == unit
    assert caught.value.needed >= caught.value.allowed


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


@pytest.mark.parametrize("mines", [None, 270])
def test_analyse_keeps_to_its_budget(mines):
    with pytest.raises(BudgetExceededError, match="seconds"):
        analyse(Board(HARD.grid), mines, budget=Budget(timeout=0))
    enough = analyse(Board(HARD.grid), mines, budget=Budget(timeout=100))
    assert enough == analyse(Board(HARD.grid), mines)


def test_analyse_stops_when_time_runs_out_on_the_way(monkeypatch):
    found = Border.of(HARD)

    def slow(*_):
        time.sleep(0.3)
        return found

    monkeypatch.setattr("mines_dd.answers.analysis.Border.of", slow)
    with pytest.raises(BudgetExceededError, match="seconds"):
        analyse(HARD, budget=Budget(timeout=0.2))


@pytest.mark.parametrize("total", [None, 100])
def test_the_analysis_of_many_small_parts_keeps_to_its_budget(total):
    board = Board(("#1#*" * 50,))
    border = Border.of(board)
    with pytest.raises(BudgetExceededError, match="seconds"):
        analysis_of(board, border, total, budget=Budget(timeout=-1))


def test_explain_and_the_search_for_a_conflict_keep_to_their_budgets():
    with pytest.raises(BudgetExceededError, match="seconds"):
        explain(HARD, HARD.closed()[0], budget=Budget(timeout=0))
    board = Board(("#1#2#1#",))
    assert explain(board, (0, 0), budget=Budget(max_nodes=1000, timeout=100)) == explain(board, (0, 0))
    with pytest.raises(BudgetExceededError):
        minimal_conflict(Instance.from_board(HARD), Budget(max_nodes=3))
    with pytest.raises(BudgetExceededError, match="seconds"):
        analyse(Board(("#1#", "1#1", "#8#")), budget=Budget(timeout=0))


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


# Memory


def test_a_memory_error_becomes_one_of_ours():
    with pytest.raises(BudgetExceededError, match="memory") as caught, memory_errors():
        bytearray(2**62)
    assert caught.value.unit == "bytes"


@pytest.mark.parametrize("question", [analyse, lambda board: explain(board, (0, 0))])
def test_analyse_and_explain_out_of_memory_are_over_budget(monkeypatch, question):
    def no_room(*_):
        raise MemoryError

    monkeypatch.setattr("mines_dd.answers.analysis.Border.of", no_room)
    with pytest.raises(BudgetExceededError, match="memory"):
        question(Board(("#1#",)))


def test_the_commands_answer_or_say_in_a_sentence_that_memory_is_short():
    code, output, errors = command("count", "--method", "tree", "-", text=HARD.to_text(), gib=2)
    assert (limits.judged(code, output, errors), output) == (limits.ANSWER, f"{solve(HARD).count()}\n")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dc", "bdd", "zdd"])
def test_row_by_row_without_reduction_ends_over_budget_and_never_aborts(method):
    text = Board.random(60, 60, 0.3, 0.3, 0).to_text()
    how = ("count", "--method", method, "--order", "row", "--no-simplify", "-")
    code, output, errors = command(*how, text=text, gib=1, timeout=600)
    assert limits.judged(code, output, errors) == limits.OVER, errors


def test_an_abort_a_traceback_and_a_second_sentence_are_faults():
    sentence = "mines-dd: too much"
    assert limits.judged(0, "5\n", []) == limits.ANSWER
    assert limits.judged(3, "", [sentence]) == limits.OVER
    for code, output, errors in [
        (-6, "", []),
        (-9, "", []),
        (0, "", []),
        (0, "5\n", ["Error in __del__"]),
        (1, "", ["Traceback (most recent call last):", "MemoryError"]),
        (3, "", [sentence, sentence]),
        (3, "5\n", [sentence]),
        (2, "", [sentence]),
    ]:
        assert limits.judged(code, output, errors) == limits.FAULT


# Long numbers


def test_counts_of_ten_thousand_digits_are_printed_whole_and_read_back():
    n = 5_500
    text = blocks(n).to_text()
    code, output, errors = command("count", "-", text=text)
    assert (code, errors) == (0, [])
    assert len(output.strip()) > 10_000
    digits = output.strip()
    code, output, errors = command("count", "--json", "-", text=text)
    assert (code, errors) == (0, [])
    assert json.loads(output, parse_int=str) == {"count": digits, "cells": str(8 * n)}
    before = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(0)
        assert int(digits) == 70**n
    finally:
        sys.set_int_max_str_digits(before)


def test_analyse_writes_long_numbers_too():
    code, output, errors = command("analyse", "--json", "-", text=blocks(2_500).to_text())
    assert (code, errors) == (0, [])
    assert json.loads(output, parse_int=len)["count"] > 4_300


def test_a_family_of_long_numbers_has_a_short_name():
    board = blocks(2_500)
    assert len(repr(analyse(board))) < 200
    assert len(repr(solve(board))) < 200


# Depth


@pytest.mark.parametrize("method", ["bdd", "zdd", "dc", "tree"])
def test_a_board_deeper_than_the_stack_is_counted_sampled_and_listed(method, tmp_path):
    board = chain(1_500)
    how = {"method": method, "simplify": False}
    family = solve(board, **how)
    assert family.count() == 2
    assert sum(1 for _ in family) == 2
    assert family.sample(1, seed=1)[0] in family
    assert set(family.probabilities().values()) == {1 / 2}
    assert set(family.counts_by_mines().values()) <= {1, 2}
    assert family.given(mines=[(0, 0)]).count() == 1
    family.save(tmp_path / "family")
    assert type(family).load(tmp_path / "family").count() == 2
    assert len(family.to_dot()) > 1_500
    assert len(family.cheapest({(0, 0): 1}, 2)) == 2


def test_a_timeout_is_kept_within_a_second_or_two():
    board = Board.random(60, 60, 0.3, 0.3, 0)
    started = time.monotonic()
    with pytest.raises(BudgetExceededError):
        solve(board, "dc", "row", simplify=False, timeout=1)
    assert time.monotonic() - started < 20


def test_analyse_of_a_hard_board_stops_in_time_or_at_once():
    board = Board.random(80, 80, 0.3, 0.3, 2)
    started = time.monotonic()
    with pytest.raises(BudgetExceededError, match="seconds"):
        analyse(board, budget=Budget(timeout=2))
    assert time.monotonic() - started < 15
    assert analyse(Board(board.grid), budget=Budget(timeout=100)).count  # without a total no polynomials are needed


def test_thousands_of_components_with_a_total():
    with pytest.raises(InconsistentBoardError, match="only 5000 is possible"):
        analyse(Board(("#1#*" * 2_500,)), 3)
    assert analyse(Board(("#1#*" * 2_500,)), 5000).exact[0, 0] == Fraction(1, 2)
