"""The stages of `solve`: told apart, and a family that stays in its package's manager until it is read out."""

import gc
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from boards import DATA, FIGURE_10
from ways import WAYS, every_way

from mines_dd import Assignments, Board, BudgetExceededError, solve
from mines_dd.answers import solver
from mines_dd.base.budget import Budget
from mines_dd.compilers import packages

STAGES = ("read", "order", "build", "export", "compile")
IN_A_PACKAGE = [how for how in WAYS if "backend" in how]


@every_way
def test_all_stages_have_their_seconds(how):
    family = solve(FIGURE_10, **how, simplify=False)
    assert family.details["export"] == (0.0 if how["method"] == "tree" else None)
    assert family.count() == 66
    assert all(family.details[stage] >= 0 for stage in STAGES)
    assert family.details["seconds"] >= sum(family.details[stage] for stage in ("read", "order", "build"))
    assert family.details["order_name"] == "auto"


def test_the_seconds_of_a_stage_are_without_those_of_compilation(monkeypatch):
    spent, now = [0.0], [0.0]
    monkeypatch.setattr(solver, "compile_seconds", lambda: spent[0])
    monkeypatch.setattr(solver.time, "perf_counter", lambda: now[0])

    def build(request, plan):
        now[0] += 5
        spent[0] += 3  # of the five seconds
        return Assignments(solve_as_before(request, plan).circuit, "tree", 1)

    solve_as_before = solver.METHODS["tree"]
    monkeypatch.setitem(solver.METHODS, "tree", build)
    details = solve(FIGURE_10, "tree").details
    assert (details["build"], details["compile"], details["seconds"]) == (2.0, 3.0, 5.0)


@pytest.mark.parametrize("how", IN_A_PACKAGE, ids="-".join)
def test_a_family_is_read_out_once_and_then_leaves_its_manager(how, monkeypatch):
    made = []
    exported = packages.exported
    for module in ("bdd", "zdd"):
        monkeypatch.setattr(f"mines_dd.compilers.{module}.exported", lambda *a: made.append(1) or exported(*a))
    family = solve(Board.random(8, 8, 0.2, 0.3, 1), **how)
    assert made == []
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(lambda _: family.count(), range(8)))) == 1
    assert made == [1]
    gc.collect()
    held = [x for x in gc.get_objects() if type(x) is packages.Compiled]
    assert not any("diagram" in vars(x) and x._held for x in held)


@pytest.mark.parametrize("how", IN_A_PACKAGE, ids="-".join)
def test_a_family_that_cannot_be_read_out_in_time_is_read_out_later(how, clock):
    family = solve(Board.random(14, 14, 0.3, 0.3, 1), simplify=False, order="row", **how)  # some 3,000 nodes
    budget = Budget(timeout=900)
    clock.ahead = 1000
    with pytest.raises(BudgetExceededError, match="not done after 900 seconds"):
        family.count(budget=budget)
    assert family.details["export"] is None
    assert family.count() > 10**6


def test_a_copy_is_an_ordinary_family():
    family = solve(FIGURE_10, "bdd")
    copy = pickle.loads(pickle.dumps(family))
    assert type(copy) is Assignments
    assert set(copy) == set(family)
    with pytest.raises(AttributeError, match="no attribute 'counts'"):
        family.counts  # noqa: B018


@pytest.mark.ci
@pytest.mark.parametrize("backend", ["dd.cudd", "dd.cudd_zdd"])
def test_families_still_in_their_managers_when_python_ends_or_in_a_cycle_do_no_harm(backend):
    pytest.importorskip(backend)
    code = f"""
import gc
from mines_dd import Board, solve
method = "bdd" if {backend!r} == "dd.cudd" else "zdd"
kept = [solve(Board.random(5, 5, 0.2, 0.3, seed), method) for seed in range(3)]
kept.append(kept)
for seed in range(3):
    cycle = [solve(Board.random(5, 5, 0.2, 0.3, seed), method)]
    cycle.append(cycle)
    cycle[0].details["cycle"] = cycle
del cycle
gc.collect()
print(kept[0].count() > 0)
"""
    ended = subprocess.run([sys.executable, "-c", code], cwd=DATA.parent, capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("True\n", "", 0)
