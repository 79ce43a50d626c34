"""0-1 programs by SciPy's `milp` (HiGHS): the cheapest choice of variables that satisfies some inequalities."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from mines_dd.base.errors import BudgetExceededError, MinesError

__all__ = ["cheapest_choice"]

_AT_LIMIT = 1  # milp's status when its only limit, that on time, is reached


def cheapest_choice(
    costs: Sequence[int], rows: Sequence[tuple[Mapping[int, int], int]], *, timeout: float | None = None
) -> tuple[list[int], int]:
    """Return the variables of value 1 in an optimum, ascending, and the nodes of the solver's search tree.

    The optimum is only as exact as the solver's tolerances.

    Parameters
    ----------
    costs : sequence of int
        What each variable costs.
    rows : sequence of (mapping of variable to weight, least)
        The weights of the chosen variables sum to `least` or more.
    timeout : float, optional
        Seconds.

    Raises
    ------
    BudgetExceededError
        If it takes longer than `timeout`.
    MinesError
        If SciPy is not installed, or there is no optimum.
    """
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import coo_array
    except ImportError:
        raise MinesError("0-1 programs need SciPy; install mines-dd with the extra boardgames") from None
    entries = [(i, variable, weight) for i, (weights, _) in enumerate(rows) for variable, weight in weights.items()]
    row, column, weight = np.array(entries).T
    matrix = coo_array((weight, (row, column)), shape=(len(rows), len(costs))).tocsr()
    started = time.monotonic()
    result = milp(
        np.array(costs, float),
        integrality=np.ones(len(costs)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, np.array([least for _, least in rows], float)),
        options={} if timeout is None else {"time_limit": timeout},
    )
    if timeout is not None and result.status == _AT_LIMIT:
        raise BudgetExceededError(
            f"the 0-1 program was not solved after {timeout:g} seconds",
            needed=time.monotonic() - started,
            allowed=timeout,
            unit="seconds",
            advice="allow more time, or take a smaller problem",
        )
    if result.status != 0:
        raise MinesError(f"the solver found no optimum: {result.message}")
    return np.flatnonzero(result.x > 0.5).tolist(), int(result.mip_node_count)
