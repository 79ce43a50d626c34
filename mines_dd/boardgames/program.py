"""0-1 programs, solved by SciPy's `milp` (HiGHS): the cheapest set of variables that satisfies linear inequalities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.base.wording import counted

__all__ = ["cheapest_choice", "relaxed_cost"]

_FORM = (
    "a 0-1 program has a cost for each variable and an inequality or more, each the weights of variables by their "
    "numbers and their least sum: [3, 2] and [({0: 1, 1: 1}, 1)]"
)
_AT_LIMIT = 1  # milp's status when a limit is reached; only time is limited here


def cheapest_choice(
    costs: Sequence[int],
    rows: Sequence[tuple[Mapping[int, int], int]],
    *,
    budget: Budget | None = None,
    talk: bool = False,
) -> tuple[list[int], int]:
    """Return the variables that are 1 in an optimum, ascending, and the number of nodes of the solver's search tree.

    The solver computes with floating point numbers: the optimum is exact up to its tolerances.

    Parameters
    ----------
    costs : sequence of int
        The cost of each variable.
    rows : sequence of (mapping of variable to weight, least)
        Inequalities: the weights of the chosen variables have a sum of at least `least`.
    budget : Budget, optional
    talk : bool
        Whether the solver prints what it does.

    Raises
    ------
    BudgetExceededError
        If it takes longer.
    MinesError
        If the program is malformed, SciPy is not installed, or there is no optimum.

    Examples
    --------
    >>> costs = [3, 2, 2]
    >>> cheapest_choice(costs, [({0: 1, 1: 1}, 1), ({0: 1, 2: 1}, 1)])[0]  # doctest: +SKIP
    [0]
    """
    budget = Budget.of(budget)
    budget.check()
    timeout = budget.timeout
    options = {"disp": talk} if timeout is None else {"disp": talk, "time_limit": budget.seconds_left}
    result = _solved(costs, rows, True, options)
    if timeout is not None and result.status == _AT_LIMIT:
        best = "no choice is known" if result.x is None else f"the best choice known costs {result.fun:g}"
        bound = result.mip_dual_bound
        raise BudgetExceededError(
            f"the 0-1 program was not solved after {counted(timeout, 'second')}; {best}, and none costs less than "
            f"{0 if bound is None else bound:.6g}",
            needed=timeout - budget.seconds_left,
            allowed=timeout,
            unit="seconds",
            advice=f"allow more time, or {budget.advice}",
        )
    if result.status != 0:
        raise MinesError(f"the solver found no optimum: {result.message}")
    return np.flatnonzero(result.x > 0.5).tolist(), int(result.mip_node_count)


def relaxed_cost(costs: Sequence[int], rows: Sequence[tuple[Mapping[int, int], int]]) -> float:
    """Return the optimum of the linear relaxation, whose variables lie between 0 and 1: a lower bound of the cost.

    Raises
    ------
    MinesError
        If the program is malformed, SciPy is not installed, or there is no optimum.

    Examples
    --------
    >>> relaxed_cost([1, 1, 1], [({0: 1, 1: 1}, 1), ({1: 1, 2: 1}, 1), ({0: 1, 2: 1}, 1)])  # doctest: +SKIP
    1.5
    """
    result = _solved(costs, rows, False, {})
    if result.status != 0:
        raise MinesError(f"the solver found no optimum: {result.message}")
    return float(result.fun)


def _solved(
    costs: Sequence[int], rows: Sequence[tuple[Mapping[int, int], int]], whole: bool, options: dict[str, Any]
) -> Any:
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import coo_array
    except ImportError:
        raise MinesError('0-1 programs need SciPy: pip install "mines-dd[boardgames]"') from None
    try:
        entries = [(i, variable, weight) for i, (weights, _) in enumerate(rows) for variable, weight in weights.items()]
        row, column, weight = np.array(entries).T
        matrix = coo_array((weight, (row, column)), shape=(len(rows), len(costs))).tocsr()
        constraints = LinearConstraint(matrix, np.array([least for _, least in rows], float))
        cost = np.array(costs, float)
        if cost.ndim != 1 or not np.isfinite(cost).all():
            raise ValueError("the costs are no numbers")
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise MinesError(_FORM) from None
    return milp(
        cost, integrality=np.full(len(cost), int(whole)), bounds=Bounds(0, 1), constraints=constraints, options=options
    )
