"""Plans: what a method is predicted to need, and what no budget allows."""

import pytest
from ways import every_method

from mines_dd import Board, BudgetExceededError, mine_graph, solve
from mines_dd.answers import solver
from mines_dd.answers.solver import plans
from mines_dd.base.budget import Budget
from mines_dd.constraints.graph import Instance


def test_a_plan_says_what_each_method_needs_and_refuses_what_cannot_fit():
    board = Board.random(120, 120, 0.3, 0.3, 1)
    found = {plan.method: plan for plan in plans(board)}
    assert set(found) == {"bdd", "zdd", "zdd-span", "dc", "tree"}
    assert (
        found["tree"].seconds
        < found["dc"].seconds
        < found["bdd"].seconds
        < found["zdd-span"].seconds
        < found["zdd"].seconds
    )
    family = solve(board, "tree")
    assert 0.4 <= found["tree"].cost.entries / family.details["entries"] <= 2.5
    with pytest.raises(BudgetExceededError, match="compare --plan") as error:
        solve(board, "bdd", max_nodes=10**5)
    assert error.value.needed > 2 * 10**5
    assert plans(Board.parse("#3#")) == []


@every_method
def test_a_plan_is_refused_only_if_it_is_hopeless(method):
    """Predictions of eliminations are right within a factor of 2, those of linear orders may be far too high."""
    (plan,) = (plan for plan in plans(Board.random(30, 30, 0.3, 0.3, 1)) if plan.method == method)
    entries, excess = plan.cost.entries, 2 if method == "tree" else 100
    plan.require(Budget(max_nodes=int(entries / excess) + 1))
    plan.require(Budget(timeout=plan.seconds / excess / 0.95))
    with pytest.raises(BudgetExceededError) as caught:
        plan.require(Budget(max_nodes=int(entries / excess) - 1))
    assert (caught.value.unit, caught.value.needed) == ("nodes", entries)
    with pytest.raises(BudgetExceededError) as caught:
        plan.require(Budget(timeout=plan.seconds / excess / 1.05))
    assert (caught.value.unit, caught.value.needed) == ("seconds", plan.seconds)


@pytest.mark.ci
def test_what_is_predicted_far_too_high_is_tried_and_stopped():
    board = Board.random(30, 30, 0.3, 0.5, 0)
    request = {"method": "zdd", "order": "row"}
    (plan,) = (plan for plan in plans(board, "row") if plan.method == "zdd")
    assert plan.cost.entries > 4 * 10**5
    assert solve(board, **request, max_nodes=10**5).count() == solve(board).count()
    with pytest.raises(BudgetExceededError, match="needs at least"):
        solve(board, **request, max_nodes=5000)


def test_the_cheapest_plan_comes_first_and_is_what_auto_takes():
    for seed in range(5):
        board = Board.random(24, 24, 0.3, 0.3, seed)
        found = plans(board)
        assert [plan.seconds for plan in found] == sorted(plan.seconds for plan in found)
        assert solve(board).method == found[0].method


def test_no_tree_has_more_entries_than_the_bound_of_its_plan_whose_price_counts_the_cells_of_groups():
    """Two hints share a hundred cells that are one group: of how many of them are mines, 81 numbers are remembered."""
    wide = Instance.build(range(300), "xy", [range(200), range(100, 300)], [[90], [80]]).to_graph()
    for source in (wide, *(Board.random(30, 30, 0.3, hints, seed) for hints in (0.3, 0.5) for seed in range(3))):
        (cost,) = (plan.cost for plan in plans(source) if plan.method == "tree")
        entries = solve(source, "tree").details["entries"]
        assert entries <= 2**cost.log2_bound + 1e-6
        assert 0.2 <= cost.entries / entries <= 2.5


@every_method
def test_a_plan_that_does_not_fit_into_memory_is_refused(method, monkeypatch):
    (plan,) = (plan for plan in plans(Board.random(30, 30, 0.3, 0.3, 1)) if plan.method == method)
    assert plan.bytes > plan.cost.entries
    plan.require(Budget())
    monkeypatch.setattr("mines_dd.base.budget.available_memory", lambda: int(plan.bytes / 2))
    with pytest.raises(BudgetExceededError) as caught:
        plan.require(Budget())
    assert (caught.value.unit, caught.value.needed) == ("bytes", plan.bytes)


@every_method
def test_a_plan_refuses_nothing_small_where_one_cell_opens_many_hints(method):
    star = mine_graph({f"h{i}": (["x", f"a{i}", f"b{i}"], 1) for i in range(40)})
    assert solve(star, method).count() == 2**40 + 1
    assert all(plan.cost.entries < 10**4 for plan in plans(star))


def test_no_linear_order_is_made_where_none_could_be_quicker(monkeypatch):
    board = Board.random(300, 300, 0.3, 0.2, 1)
    made = []
    monkeypatch.setattr(solver.Request, "linear_plans", lambda self, methods: made.append(methods) or [])
    assert solve(board).method == "tree"
    assert not made
    monkeypatch.setattr(solver, "_QUICK", 0.0)
    monkeypatch.setattr(solver, "least_linear_seconds", lambda cells: 0.0)
    assert solve(board).method == "tree"
    assert made
