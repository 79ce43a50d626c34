"""0-1 programs, solved by SciPy's `milp` (HiGHS): the cheapest set of variables that satisfies linear inequalities."""

from __future__ import annotations

import importlib.util
import io
import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.apart import answer, apart
from mines_dd.base.budget import Budget
from mines_dd.base.checks import plain_number, require_flag, require_number, require_whole
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.base.wording import counted, shown

__all__ = ["cheapest_choice", "relaxed_cost"]

_FORM = (
    "a 0-1 program has a cost for each variable and an inequality or more, each the weights of variables by their "
    "numbers and their least sum: [3, 2] and [({0: 1, 1: 1}, 1)]"
)
_TOLERANCE = 1e-6  # of the solver
_AT_LIMIT = 1  # milp's status when a limit is reached; only time is limited here
_SMALL, _MOMENT = 5_000, 0.5  # weights of a program that is solved in this process if it takes so many seconds
_GRACE = 0.2  # seconds before and after the limit, for the other process to end by itself


class _Solved(NamedTuple):
    """What the solver says: milp's status and message, the variables that are 1 if it knows a choice, their cost."""

    status: int
    message: str = ""
    chosen: list[int] | None = None
    cost: float = 0.0
    nodes: int = 0
    bound: float = 0.0


def cheapest_choice(
    costs: Sequence[int],
    rows: Sequence[tuple[Mapping[int, int], int]],
    *,
    budget: Budget | None = None,
    talk: bool = False,
) -> tuple[list[int], int]:
    """Return the variables that are 1 in an optimum, ascending, and the number of nodes of the solver's search tree.

    The solver computes with doubles, and takes a sum or a variable for whole that is so to a millionth.  So the weights
    of a row should differ by a factor of less than 10^5.  Otherwise it may miss the optimum, or say that there is none.
    That the choice satisfies all rows is checked.

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
        If the program is malformed, SciPy is not installed, there is no optimum, the program is too large for the
        solver, or its choice does not satisfy a row.

    Examples
    --------
    >>> costs = [3, 2, 2]
    >>> cheapest_choice(costs, [({0: 1, 1: 1}, 1), ({0: 1, 2: 1}, 1)])[0]  # doctest: +SKIP
    [0]
    """
    budget = Budget.of(budget)
    budget.check()
    talk = require_flag(talk, "talk")
    found = _solved(costs, rows, budget=budget, talk=talk)
    if budget.timeout is not None and found.status == _AT_LIMIT:
        best = "no choice is known" if found.chosen is None else f"the best choice known costs {found.cost:g}"
        raise BudgetExceededError(
            f"the 0-1 program was not solved after {counted(budget.timeout, 'second')}; {best}, and none costs less "
            f"than {found.bound:.6g}",
            needed=budget.timeout - budget.seconds_left,
            allowed=budget.timeout,
            unit="seconds",
            advice=f"allow more time, or {budget.advice}",
        )
    if found.status != 0:
        raise MinesError(f"the solver found no optimum: {found.message}")
    chosen = set(found.chosen or [])
    for i, (weights, least) in enumerate(rows):
        short = plain_number(least) - sum(plain_number(weight) for v, weight in weights.items() if v in chosen)
        if short > (0 if isinstance(short, int) else _TOLERANCE):
            raise MinesError(
                f"the solver computes with doubles, and its choice misses the least sum of row {i} by {shown(short)}; "
                "keep the weights of a row within a factor of 100,000"
            )
    return sorted(chosen), found.nodes


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
    found = _solved(costs, rows, whole=False)
    if found.status != 0:
        raise MinesError(f"the solver found no optimum: {found.message}")
    return found.cost


def _solved(
    costs: Sequence[int],
    rows: Sequence[tuple[Mapping[int, int], int]],
    *,
    whole: bool = True,
    budget: Budget | None = None,
    talk: bool = False,
) -> _Solved:
    """Have the solver find an optimum, but of programs that are solved at once in another process.

    HiGHS may end its process, or go on after its limit, and does not hear Ctrl-C.
    """
    if importlib.util.find_spec("scipy") is None:
        raise MinesError('0-1 programs need SciPy: pip install "mines-dd[boardgames]"')
    try:
        entries = [(i, variable, weight) for i, (weights, _) in enumerate(rows) for variable, weight in weights.items()]
        row, column, weight = np.array(entries).T
        least, cost = _doubles([least for _, least in rows]), _doubles(costs)
        numbered = column.size and np.isin(column, np.arange(len(cost))).all()
        if not (numbered and np.isfinite(cost).all()):
            raise ValueError("the costs are no numbers, or a variable has none")
        weight = _doubles(weight)
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise _fault(costs, rows) from None
    numbers = {"row": row.astype(np.int64), "column": column.astype(np.int64), "weight": weight}
    program: dict[str, Any] = {"cost": cost, "least": least, "whole": whole} | numbers
    budget = Budget.of(budget)
    if len(weight) <= _SMALL and not talk:
        at_once = _milp(program, min(budget.seconds_left, _MOMENT), False)
        if at_once.status != _AT_LIMIT or budget.seconds_left <= 0:
            return at_once
    seconds = budget.seconds_left
    given = io.BytesIO()
    np.savez(given, until=time.time() + seconds - _GRACE, talk=talk, **program)
    try:
        found = apart(
            "mines_dd.boardgames.program",
            given=given.getvalue(),
            seconds=None if math.isinf(seconds) else seconds + _GRACE,
            quiet=not talk,
        )
    except TimeoutError:
        return _Solved(_AT_LIMIT)
    if found is None:
        raise MinesError(
            f"a 0-1 program of {counted(len(cost), 'variable')} is too large for the solver, which broke off; "
            "take a smaller one"
        )
    return _Solved(**json.loads(found))


def _doubles(numbers: Any) -> npt.NDArray[np.float64]:
    given = np.array(numbers)
    if given.dtype.kind in "USc" or given.ndim != 1:
        raise TypeError("a text is no number")
    found = given.astype(float)
    if np.isnan(found).any():  # of None, too
        raise TypeError("nan is no number")
    return found


def _fault(costs: Any, rows: Any) -> MinesError:
    """The error for a malformed program, which says where it is wrong."""
    try:
        for i, cost in enumerate(costs):
            require_number(cost, f"the cost of variable {i}")
        for i, row in enumerate(rows):
            try:
                weights, least = row
                items = list(weights.items())
            except (TypeError, ValueError, AttributeError):
                form = "the weights of variables and their least sum, such as ({0: 1, 1: 1}, 1)"
                return MinesError(f"row {i} of the 0-1 program is {shown(row)}; write {form}")
            require_number(least, f"the least sum of row {i}")
            for variable, weight in items:
                require_whole(variable, f"a variable of row {i}", least=0, most=len(costs) - 1)
                require_number(weight, f"the weight of variable {variable} in row {i}")
    except MinesError as error:
        return error
    except TypeError:  # no list
        pass
    return MinesError(_FORM)


def _milp(program: Mapping[str, Any], seconds: float, talk: bool) -> _Solved:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    cost, least = program["cost"], program["least"]
    matrix = coo_array((program["weight"], (program["row"], program["column"])), shape=(len(least), len(cost)))
    result = milp(
        cost,
        integrality=np.full(len(cost), int(program["whole"])),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix.tocsr(), least),
        options={"disp": talk, "mip_rel_gap": 0.0} | ({} if math.isinf(seconds) else {"time_limit": max(seconds, 0.0)}),
    )
    found = _Solved(int(result.status), str(result.message))
    if result.x is not None:
        found = found._replace(chosen=np.flatnonzero(result.x > 0.5).tolist(), cost=float(result.fun))
    return found._replace(nodes=int(result.mip_node_count or 0), bound=float(result.mip_dual_bound or 0))


def _answer(given: bytes) -> bytes:
    with np.load(io.BytesIO(given)) as program:
        found = _milp(program, float(program["until"]) - time.time(), bool(program["talk"]))
    return json.dumps(found._asdict()).encode()


if __name__ == "__main__":
    answer(_answer)
