"""The command compare."""

import json

import pytest
from commands import FIGURE_10, ended_with, run

from mines_dd.base import jit
from mines_dd.base.compiling import spent
from mines_dd.base.errors import BudgetExceededError
from mines_dd.cli import compare as compare_module


def test_compare_prints_one_table_and_says_when_a_method_is_stopped():
    table = run("compare", FIGURE_10, "--methods", "bdd,dc", "--orders", "row,auto")
    assert [line.split()[-1] for line in table.splitlines()[2:]] == ["66"] * 4
    assert "dc" in table
    board = run("generate", "40", "40", "--mines", "30%", "--hints", "40%", "--seed", "2")
    stopped = run("compare", "-", "--methods", "dc,tree", "--max-nodes", "20000", text=board)
    assert [line.split()[-1] == "budget" for line in stopped.splitlines()[2:]] == [True, False]
    assert "no method was done" in run("compare", "-", "--methods", "dc,bdd", "--max-nodes", "10", text=board, code=3)
    few = ("compare", "-", "--methods", "dc", "--max-nodes", "10")
    assert "(--simplify)" in run(*few, text=board, code=3)
    assert "--simplify" not in run(*few, "--simplify", text=board, code=3)
    assert json.loads(ended_with(*few, "--json", text=board)[1])["agree"] is None
    stopped = ("count", "-", "--method", "dc", "--max-nodes", "10")
    assert "or leave out --no-simplify, or try another" in run(*stopped, "--no-simplify", text=board, code=3)
    assert "--no-simplify" not in run(*stopped, text=board, code=3)
    assert run("compare", "1#/8#", "--plan", "--csv") == "method,width,log2_bound,entries,peak,MiB,seconds\n"
    for option in (["--orders", "row"], ["--max-nodes", "10"], ["--simplify"]):
        refused = run("compare", FIGURE_10, "--plan", *option, code=2)
        assert f"{option[0]} is for a comparison; --plan predicts every method in its best order" in refused


def test_wrong_names_are_refused_before_any_work_and_large_letters_are_right(monkeypatch):
    assert "66" in run("compare", FIGURE_10, "--methods", "BDD", "--orders", "Row")
    monkeypatch.setattr(compare_module, "_run", lambda *_: pytest.fail("the work has begun"))
    for_tree = run("compare", FIGURE_10, "--methods", "tree", "--orders", "auto,row", code=2)
    assert "(for tree) 'row'; choose auto, min-fill or" in for_tree
    assert "did you mean 'dc'?" in run("compare", FIGURE_10, "--methods", "bdd,dcc", code=2)
    assert "choose deepest or given" in run("compare", FIGURE_10, "--conjoin", "last", code=2)
    assert "none of them is compared" in run("compare", "#1#", "--methods", "dc,tree", "--conjoin", "given", code=2)
    assert "did you mean" in run("compare", "#1#", "--methods", "dcc", "--conjoin", "given", code=2)


def test_each_method_is_run_with_the_orders_that_it_has():
    rows = json.loads(run("compare", FIGURE_10, "--methods", "dc,tree", "--orders", "row,auto,min-fill", "--json"))[
        "runs"
    ]
    assert [(row["method"], row["order"]) for row in rows] == [
        ("dc", "row"),
        ("dc", "auto"),
        ("tree", "auto"),
        ("tree", "min-fill"),
    ]


def test_compare_conjoins_hints_in_both_orders_and_runs_what_conjoins_none_once():
    options = ["--methods", "bdd,zdd,dc", "--conjoin", "deepest,given"]
    rows = json.loads(run("compare", FIGURE_10, *options, "--json"))["runs"]
    assert [(row["method"], row["conjoin"]) for row in rows] == [
        ("bdd", "deepest"),
        ("bdd", "given"),
        ("zdd", "deepest"),
        ("zdd", "given"),
        ("dc", ""),
    ]
    assert {row["count"] for row in rows} == {66}


def test_methods_that_disagree_are_exit_code_1(monkeypatch):
    records = iter([{"count": 1}, {"count": 2}])
    monkeypatch.setattr(
        compare_module, "_run", lambda *_: {"build_seconds": 0, "count_seconds": 0, "nodes": 1} | next(records)
    )
    monkeypatch.setattr(compare_module, "_table", lambda records: "")
    assert "disagree" in run("compare", "#1#", "--methods", "dc,tree", code=1)


def test_compare_times_each_stage_apart_and_makes_a_run_that_compiled_once_more(monkeypatch):
    stages = [f"{stage}_seconds" for stage in ("order", "build", "export", "count", "compile")]
    [record] = json.loads(run("compare", FIGURE_10, "--methods", "zdd", "--json"))["runs"]
    assert all(record[stage] >= 0 for stage in stages)
    readings = iter([0.0, 1.0, 1.0, 6.0])  # before the run, around its count, after it; then a warm one
    monkeypatch.setattr("mines_dd.base.jit.compile_seconds", lambda: next(readings, 6.0))
    [record] = json.loads(run("compare", FIGURE_10, "--methods", "zdd", "--json"))["runs"]
    assert next(readings, None) is None
    assert (record["compile_seconds"], record["count"]) == (6.0, 66)


def test_what_is_interpreted_each_time_is_tried_three_times(monkeypatch):
    runs = []
    monkeypatch.setattr("mines_dd.base.jit.interpreted_seconds", lambda: float(len(runs)))
    compare_module._warm(lambda: runs.append(1))
    assert len(runs) == 3


@pytest.mark.parametrize(("compiling", "runs"), [(5.0, 2), (0.0, 1)])
def test_a_limit_is_exceeded_only_where_no_kernel_was_compiled_meanwhile(compiling, runs, monkeypatch):
    made = []

    def once():
        made.append(jit.always_compiled())
        if len(made) < 2:
            monkeypatch.setattr(spent, "seconds", jit.compile_seconds() + compiling)
            raise BudgetExceededError("this was not done", needed=2, allowed=1, unit="seconds")
        return "done"

    run = compare_module._warm(once)
    assert made == [False, True][:runs]
    assert run.found == "done" or run.seconds < 1
    assert isinstance(run.found, BudgetExceededError) == (runs == 1)


def test_the_limit_of_seconds_holds_for_the_count_too(monkeypatch):
    def count(circuit, budget):
        if budget.timeout == 100:
            raise BudgetExceededError("counted too long", needed=101, allowed=100, unit="seconds")
        return 1

    monkeypatch.setattr("mines_dd.diagrams.queries.count", count)
    assert "no method was done" in run("compare", FIGURE_10, "--methods", "tree", "--timeout", "100", code=3)
