"""What each method will need for a board, before anything is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mines_dd.base.arrays import IntArray
from mines_dd.base.budget import Budget
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import Simplified
from mines_dd.orders.cells import cell_order
from mines_dd.orders.cost import Cost, linear_cost
from mines_dd.orders.elimination import Elimination, Steps, best_elimination

__all__ = ["LINEAR", "Order", "Plan", "least_linear_seconds", "linear_plans", "tree_plan"]

Order = str | Sequence[Any]
"""A name of an order, or the labels in order."""

LINEAR = ("bdd", "zdd", "zdd-span", "dc")


@dataclass(frozen=True)
class _Rate:
    """What an entry and a cell take: seconds and bytes."""

    seconds_an_entry: float
    seconds_a_cell: float
    bytes_an_entry: float


# Measured warm on 84 boards of 20x20 to 200x200, 10-30% mines, hints on 20-50% of the safe cells, the lesser of two
# runs on one core of a 2024 server processor; a guide for choosing, not a promise.
# "tree": CPU seconds, the least of three runs, of 84 boards of 100x100 to 500x500, 10-35% mines, hints on 10-60% of the
# safe cells, nine of them with the hints that a tightened board would lose.  83 took half to twice the predicted time;
# of 133 others, 132 did.
_RATES = {
    "bdd": _Rate(5e-7, 1.4e-5, 120),
    "zdd": _Rate(5e-6, 1.8e-4, 120),
    "zdd-span": _Rate(2e-6, 7e-5, 120),
    "dc": _Rate(1.2e-7, 1.1e-5, 80),
    "tree": _Rate(4.5e-7, 2.5e-6, 350),
}

# Predictions of linear orders may be a hundred times too high, as sums are counted, too, that cannot come together.
# What exceeds a limit by less is tried, and stops there.
_EXCESS_LINEAR = 100

# Nor were graphs measured that are no boards: for Latin squares of 6x6 the prediction is nine thousand times too high.
_EXCESS_OF_GRAPHS = 100


@dataclass(frozen=True)
class Plan:
    """A method with an order, and what it is predicted to need.

    Attributes
    ----------
    method : str
    order : int32 array
        Of the reduced instance's cells, or hints for "tree".
    cost : Cost
    seconds : float
    bytes : float
    steps : Steps, optional
        What each step of the elimination remembers, for "tree".
    """

    method: str
    order: IntArray
    cost: Cost
    seconds: float
    bytes: float
    steps: Steps | None = None

    @classmethod
    def of(cls, method: str, order: IntArray, cost: Cost, cells: int, steps: Steps | None = None) -> Plan:
        """Make a plan from its predicted entries."""
        rate = _RATES[method]
        seconds = rate.seconds_an_entry * cost.entries + rate.seconds_a_cell * cells
        return cls(method, order, cost, seconds, rate.bytes_an_entry * cost.entries, steps)

    def require(self, budget: Budget, of_board: bool = True) -> None:
        """Raise `BudgetExceededError` if the budget is out of reach; of another graph only if its memory is, by far."""
        if of_board:
            budget.refuse(self.cost.entries, self.seconds, self.bytes, _EXCESS_LINEAR if self.method in LINEAR else 2)
        else:
            budget.refuse(0, 0, self.bytes, of_memory=_EXCESS_OF_GRAPHS)


def least_linear_seconds(cells: int) -> float:
    """Return the fewest seconds that any plan of a linear order predicts for this many cells.

    Examples
    --------
    >>> least_linear_seconds(10**6) > 10
    True
    """
    return min(_RATES[method].seconds_a_cell for method in LINEAR) * cells


def tree_plan(
    reduced: Simplified, order: Order = "auto", budget: Budget | None = None, first: Elimination | None = None
) -> Plan:
    """Return the plan of hint elimination, priced with the sizes of the groups; parameters as `best_elimination`."""
    best = best_elimination(reduced.instance, order, reduced.size, budget, first)
    return Plan.of("tree", best.order, best.cost, len(reduced.instance.cells), best.steps)


def linear_plans(
    methods: Sequence[str], instance: Instance, order: Order = "auto", budget: Budget | None = None
) -> list[Plan]:
    """Return the plans of methods that follow one linear order of an instance's cells."""
    cells = cell_order(instance, order, budget)
    cost = linear_cost(instance, cells)
    return [Plan.of(method, cells, cost, len(cells)) for method in methods]
