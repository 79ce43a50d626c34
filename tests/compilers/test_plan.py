"""Plans: what a method is predicted to need, and what no budget allows."""

import pytest

from mines_dd import Board, BudgetExceededError, solve
from mines_dd.answers.solver import plans


def test_a_plan_says_what_each_method_needs_and_refuses_what_cannot_fit():
    board = Board.random(120, 120, 0.3, 0.3, 1)
    found = {plan.method: plan for plan in plans(board)}
    assert set(found) == {"bdd", "zdd", "dc", "tree"}
    assert found["tree"].seconds < found["dc"].seconds < found["bdd"].seconds < found["zdd"].seconds
    family = solve(board, "tree")
    assert 0.4 <= found["tree"].cost.entries / family.details["entries"] <= 2.5
    with pytest.raises(BudgetExceededError, match="compare --plan") as error:
        solve(board, "bdd", max_nodes=10**6)
    assert error.value.needed > 2 * 10**6
    assert plans(Board.parse("#3#")) == []
