"""0-1 programs, solved by SciPy's `milp` (HiGHS): the cheapest set of variables that satisfies linear inequalities."""

from __future__ import annotations

import importlib.util
import json
import math
import pickle
import time
from collections.abc import Iterator, Mapping, Sequence
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
_SOLVED, _AT_LIMIT = 0, 1  # milp's status; only time is limited here
_SOON = 0.5  # seconds after which the solver gives the best that it knows, before it begins anew and takes the rest
_GRACE = 0.1, 0.3  # at most so many seconds before, and after the limit, for the solver to end by itself


class _Solved(NamedTuple):
    """What the solver says: milp's status and message, the variables that are 1 if it knows a choice, their cost."""

    status: int
    message: str = ""
    chosen: list[int] | None = None
    cost: float = math.inf
    nodes: int = 0
    bound: float = -math.inf


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
        Whether the solver prints what it does, on standard error.

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
    wrong = None if found.chosen is None else _missed(rows, found.chosen)
    if found.status == _AT_LIMIT:
        best = "no choice is known"
        if found.chosen is not None and not wrong:
            best = f"the best choice known costs {sum(plain_number(costs[i]) for i in found.chosen):,}"
        raise _too_long("the 0-1 program", budget, f"; {best}, and none costs less than {found.bound:,}")
    if found.chosen is None or found.status != _SOLVED:
        raise MinesError(f"the solver found no optimum: {found.message}")
    if wrong:
        raise wrong
    return found.chosen, found.nodes


def relaxed_cost(
    costs: Sequence[int], rows: Sequence[tuple[Mapping[int, int], int]], *, budget: Budget | None = None
) -> float:
    """Return the optimum of the linear relaxation, whose variables lie between 0 and 1: a lower bound of the cost.

    Raises
    ------
    BudgetExceededError
        If it takes longer.
    MinesError
        If the program is malformed, SciPy is not installed, or there is no optimum.

    Examples
    --------
    >>> relaxed_cost([1, 1, 1], [({0: 1, 1: 1}, 1), ({1: 1, 2: 1}, 1), ({0: 1, 2: 1}, 1)])  # doctest: +SKIP
    1.5
    """
    budget = Budget.of(budget)
    budget.check()
    found = _solved(costs, rows, whole=False, budget=budget)
    if found.status == _AT_LIMIT:
        raise _too_long("the linear relaxation of the 0-1 program", budget)
    if found.status != _SOLVED:
        raise MinesError(f"the solver found no optimum: {found.message}")
    return found.cost


def _missed(rows: Sequence[tuple[Mapping[int, int], int]], chosen: Sequence[int]) -> MinesError | None:
    """The error for a choice that does not satisfy all rows, if it does not."""
    ones = set(chosen)
    for i, (weights, least) in enumerate(rows):
        short = plain_number(least) - sum(plain_number(weight) for v, weight in weights.items() if v in ones)
        if short > (0 if isinstance(short, int) else _TOLERANCE):
            return MinesError(
                f"the solver computes with doubles, and its choice misses the least sum of row {i} by {shown(short)}; "
                "keep the weights of a row within a factor of 100,000"
            )
    return None


def _too_long(what: str, budget: Budget, known: str = "") -> BudgetExceededError:
    allowed = budget.timeout or 0.0
    return BudgetExceededError(
        f"{what} was not solved after {counted(allowed, 'second')}{known}",
        needed=allowed - budget.seconds_left,
        allowed=allowed,
        unit="seconds",
        advice=f"allow more time, or {budget.advice}",
    )


def _solved(
    costs: Sequence[int],
    rows: Sequence[tuple[Mapping[int, int], int]],
    *,
    whole: bool = True,
    budget: Budget,
    talk: bool = False,
) -> _Solved:
    """Have the solver find an optimum, in another process.

    HiGHS may end its process, or go on after its limit, does not hear Ctrl-C, and prints what it was told not to.
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
    seconds = budget.seconds_left
    given = {
        "cost": cost,
        "least": least,
        "row": row.astype(np.int64),
        "column": column.astype(np.int64),
        "weight": weight,
        "whole": whole,
        "talk": talk,
        "until": time.time() + seconds - min(_GRACE[0], seconds / 10),
    }
    best = _Solved(_AT_LIMIT)
    try:
        for data in apart(
            "mines_dd.boardgames.program",
            given=pickle.dumps(given),
            seconds=seconds + min(_GRACE[1], seconds),
            quiet=not talk,
        ):
            found = _Solved(**json.loads(data))
            best = found._replace(bound=max(found.bound, best.bound)) if found.cost <= best.cost else best
    except TimeoutError:
        pass
    except ChildProcessError:
        raise MinesError(
            f"a 0-1 program of {counted(len(cost), 'variable')} is too large for the solver, which broke off; "
            "take a smaller one"
        ) from None
    return best._replace(bound=_lower_bound(costs, best.bound))


def _lower_bound(costs: Sequence[Any], proved: float) -> Any:
    """What no choice costs less than: what the solver has proved, less its tolerance, or all costs below 0 together."""
    plain = [plain_number(cost) for cost in costs]
    sure = sum(cost for cost in plain if cost < 0)
    if math.isinf(proved):
        return sure
    proved -= _TOLERANCE * max(1.0, abs(proved))
    return max(sure, math.ceil(proved) if all(isinstance(cost, int) for cost in plain) else proved)


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
            if math.isinf(require_number(cost, f"the cost of variable {i}")):
                return MinesError(f"the cost of variable {i} is {shown(cost)}; leave the variable out")
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


def _milp(program: Mapping[str, Any], until: float) -> _Solved:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    cost, least = program["cost"], program["least"]
    matrix = coo_array((program["weight"], (program["row"], program["column"])), shape=(len(least), len(cost)))
    limit = {} if math.isinf(until) else {"time_limit": max(until - time.time(), 0.0)}
    result = milp(
        cost,
        integrality=np.full(len(cost), int(program["whole"])),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix.tocsr(), least),
        options={"disp": program["talk"], "mip_rel_gap": 0.0} | limit,
    )
    found = _Solved(int(result.status), str(result.message), nodes=int(result.mip_node_count or 0))
    if program["whole"] and result.mip_dual_bound is not None:
        found = found._replace(bound=float(result.mip_dual_bound))
    if result.x is not None:
        found = found._replace(chosen=np.flatnonzero(result.x > 0.5).tolist(), cost=float(result.fun))
    return found


def _answers(given: bytes) -> Iterator[bytes]:
    """What the solver knows soon, so that it is not lost if it does not stop at its limit, and what it knows then."""
    program = pickle.loads(given)
    until, soon = program["until"], time.time() + _SOON
    for limit in [until] if math.isinf(until) or until < soon + _SOON else [soon, until]:
        found = _milp(program, limit)
        yield json.dumps(found._asdict()).encode()
        if found.status != _AT_LIMIT:
            break


if __name__ == "__main__":
    import scipy.optimize  # noqa: F401  # which takes up to a second

    answer(_answers)
