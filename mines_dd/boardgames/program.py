"""0-1 programs, solved by HiGHS: the cheapest set of variables that satisfies linear inequalities."""

from __future__ import annotations

import importlib.util
import json
import math
import pickle
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.apart import answer, apart
from mines_dd.base.budget import Budget
from mines_dd.base.checks import plain_number, require_list, require_number, require_whole
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.base.wording import counted, figures, shown

__all__ = ["Choice", "best_choice", "cheapest_choice", "relaxed_cost"]

Row = tuple[Mapping[int, int], int]
"""An inequality: the weights of the chosen variables, by their numbers, have a sum of at least so much."""

_FORM = (
    "a 0-1 program has a cost for each variable and an inequality or more, each the weights of variables by their "
    "numbers and their least sum: [3, 2] and [({0: 1, 1: 1}, 1)]"
)
_TOLERANCE = 1e-6  # of the solver
_LARGEST = 10**15  # it takes no larger numbers
_GRACE = 0.1, 0.3  # at most so many seconds before, and after the limit, for the solver to end by itself
_BETWEEN = 0.1  # seconds between two bounds that it tells


class Choice(NamedTuple):
    """An optimum, and what it took.

    Attributes
    ----------
    chosen : list of int
        The variables that are 1, ascending.
    nodes : int
        The nodes of the solver's search tree.
    found, seconds : float
        The seconds by the solver's clock after which it had the choice, and after which it had proved it.
    """

    chosen: list[int]
    nodes: int
    found: float
    seconds: float


class _Known(NamedTuple):
    """What the solver knows: how it ended, its best choice with its cost, and what none costs less than."""

    end: str = ""  # while it is at work, or if it does not end
    chosen: list[int] | None = None
    cost: float = math.inf
    bound: float = -math.inf
    nodes: int = 0
    found: float = 0.0
    seconds: float = 0.0


_OPTIMAL, _TIME_LIMIT, _BROKEN = "Optimal", "Time limit reached", "Solve error"  # ends, in HiGHS's own words


def cheapest_choice(
    costs: Sequence[int], rows: Sequence[Row], *, budget: Budget | None = None
) -> tuple[list[int], int]:
    """Return the variables that are 1 in an optimum, ascending, and the number of nodes of the solver's search tree.

    The solver computes with doubles, and takes a sum or a variable for whole that is so to a millionth.  So the weights
    of a row should differ by a factor of less than 10^5, and sums of costs by more than a millionth.  Otherwise it may
    miss the optimum, or say that there is none.
    That the choice satisfies all rows is checked.

    Parameters
    ----------
    costs : sequence of int
        The cost of each variable.
    rows : sequence of (mapping of variable to weight, least)
        Inequalities: the weights of the chosen variables have a sum of at least `least`.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If it takes longer; it names the cost of the best choice known, and a cost below which there is none.
    MinesError
        If the program is malformed, highspy is not installed, there is no optimum, the program is too large for the
        solver, or its choice does not satisfy a row.

    Examples
    --------
    >>> costs = [3, 2, 2]
    >>> cheapest_choice(costs, [({0: 1, 1: 1}, 1), ({0: 1, 2: 1}, 1)])[0]  # doctest: +SKIP
    [0]
    """
    found = best_choice(costs, rows, budget=budget)
    return found.chosen, found.nodes


def best_choice(costs: Sequence[int], rows: Sequence[Row], *, budget: Budget | None = None) -> Choice:
    """Return what `cheapest_choice` returns, with the seconds that it took; it raises the same errors.

    Examples
    --------
    >>> best_choice([3, 2, 2], [({0: 1, 1: 1}, 1), ({0: 1, 2: 1}, 1)]).chosen  # doctest: +SKIP
    [0]
    """
    costs, rows = _listed(costs, rows)
    budget = Budget.of(budget)
    found = _solved(costs, rows, budget)
    missed = None if found.chosen is None else _missed(rows, found.chosen)
    if found.end == _TIME_LIMIT:
        best = "no choice is known"
        if found.chosen is not None and not missed:
            best = f"the best choice known costs {_figures(sum(plain_number(costs[i]) for i in found.chosen))}"
        bound = _figures(_lower_bound(costs, found.bound))
        raise _too_long("the 0-1 program", budget, f"; {best}, and none costs less than {bound}")
    if found.chosen is None or found.end != _OPTIMAL:
        raise MinesError(f"the solver found no optimum: {found.end}")
    if missed:
        raise missed
    return Choice(found.chosen, found.nodes, found.found, found.seconds)


def relaxed_cost(costs: Sequence[int], rows: Sequence[Row], *, budget: Budget | None = None) -> float:
    """Return the optimum of the linear relaxation, whose variables lie between 0 and 1: a lower bound of the cost.

    Raises
    ------
    BudgetExceededError
        If it takes longer.
    MinesError
        If the program is malformed, highspy is not installed, or there is no optimum.

    Examples
    --------
    >>> relaxed_cost([1, 1, 1], [({0: 1, 1: 1}, 1), ({1: 1, 2: 1}, 1), ({0: 1, 2: 1}, 1)])  # doctest: +SKIP
    1.5
    """
    budget = Budget.of(budget)
    found = _solved(*_listed(costs, rows), budget, whole=False)
    if found.end == _TIME_LIMIT:
        raise _too_long("the linear relaxation of the 0-1 program", budget)
    if found.end != _OPTIMAL:
        raise MinesError(f"the solver found no optimum: {found.end}")
    return found.cost


def _listed(costs: Any, rows: Any) -> tuple[list[int], list[Row]]:
    for value in (costs, rows):
        if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping | Set):
            raise MinesError(_FORM)
    return require_list(costs, "a list of costs", MinesError), require_list(rows, "a list of rows", MinesError)


def _missed(rows: Sequence[Row], chosen: Sequence[int]) -> MinesError | None:
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


def _lower_bound(costs: Sequence[Any], proved: float) -> Any:
    """What no choice costs less than: what the solver has proved, less its tolerance, or all costs below 0 together."""
    plain = [plain_number(cost) for cost in costs]
    sure = sum(cost for cost in plain if cost < 0)
    if math.isinf(proved):
        return sure
    proved -= _TOLERANCE * max(1.0, abs(proved))
    return max(sure, math.ceil(proved) if all(isinstance(cost, int) for cost in plain) else proved)


def _figures(number: Any) -> str:
    return figures(number, ",") if isinstance(number, int) else figures(float(number), ",.10g")


def _too_long(what: str, budget: Budget, known: str = "") -> BudgetExceededError:
    allowed = budget.timeout or 0.0
    return BudgetExceededError(
        f"{what} was not solved after {counted(allowed, 'second')}{known}",
        needed=max(allowed, allowed - budget.seconds_left),
        allowed=allowed,
        unit="seconds",
        advice=f"allow more time, or {budget.advice}",
    )


def _solved(costs: list[int], rows: list[Row], budget: Budget, whole: bool = True) -> _Known:
    """Have the solver find an optimum, in another process.

    HiGHS may end its process, or go on after its limit, does not hear Ctrl-C, and prints what it was told not to.
    """
    if importlib.util.find_spec("highspy") is None:
        raise MinesError('0-1 programs need highspy: pip install "mines-dd[boardgames]"')
    budget.check()
    given = _arrays(costs, rows)
    seconds = budget.seconds_left
    until = time.time() + seconds - min(_GRACE[0], seconds / 10)
    work = pickle.dumps((given, whole, until))
    known = _Known()
    try:
        for said in apart("mines_dd.boardgames.program", given=work, seconds=seconds + min(_GRACE[1], seconds)):
            known = _Known(**json.loads(said))
    except TimeoutError:
        return known._replace(end=_TIME_LIMIT)
    except ChildProcessError:
        known = known._replace(end=_BROKEN)
    if known.end == _BROKEN:
        raise MinesError(
            f"the solver broke off: a 0-1 program of {counted(len(costs), 'variable')} is too large for it, or its "
            "numbers are, or its process was ended; take a smaller one, or try again"
        )
    return known


class _Arrays(NamedTuple):
    """A program: the costs, the least sums, and the weights row by row, with their variables."""

    cost: npt.NDArray[np.float64]
    least: npt.NDArray[np.float64]
    first: npt.NDArray[np.int32]
    variable: npt.NDArray[np.int32]
    weight: npt.NDArray[np.float64]


def _arrays(costs: list[int], rows: list[Row]) -> _Arrays:
    try:
        variable = np.array([v for weights, _ in rows for v in weights])
        weight = _doubles([w for weights, _ in rows for w in weights.values()])
        cost, least = _doubles(costs), _doubles([least for _, least in rows])
        if (
            not variable.size
            or variable.ndim != 1
            or variable.dtype.kind not in "iu"
            or not np.isin(variable, np.arange(len(cost))).all()
        ):
            raise ValueError("there is no weight, or a variable that has no cost")
        first = np.cumsum([0, *(len(weights) for weights, _ in rows)])
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise _fault(costs, rows) from None
    return _Arrays(cost, least, first.astype(np.int32), variable.astype(np.int32), weight)


def _doubles(numbers: Any) -> npt.NDArray[np.float64]:
    given = np.array(numbers)
    if given.dtype.kind in "USc" or given.ndim != 1:
        raise TypeError("a text is no number")
    found = given.astype(float)
    if not (np.abs(found) < _LARGEST).all():  # None is nan
        raise ValueError("too large, or no number")
    return found


def _fault(costs: Any, rows: Any) -> MinesError:
    """The error for a malformed program, which says where it is wrong."""
    try:
        for i, cost in enumerate(costs):
            _require_moderate(cost, f"the cost of variable {i}")
        for i, row in enumerate(rows):
            try:
                weights, least = row
                items = list(weights.items())
            except (TypeError, ValueError, AttributeError):
                form = "the weights of variables and their least sum, such as ({0: 1, 1: 1}, 1)"
                return MinesError(f"row {i} of the 0-1 program is {shown(row)}; write {form}")
            _require_moderate(least, f"the least sum of row {i}")
            for variable, weight in items:
                require_whole(variable, f"a variable of row {i}", least=0, most=len(costs) - 1)
                _require_moderate(weight, f"the weight of variable {variable} in row {i}")
    except MinesError as error:
        return error
    return MinesError(_FORM)


def _require_moderate(value: Any, what: str) -> None:
    if abs(require_number(value, what)) >= _LARGEST:
        raise MinesError(f"{what} is {shown(value)}; the solver takes numbers of less than 10^15")


class _Solver:
    """HiGHS, in the other process, which tells what it knows as soon as it knows more."""

    def __init__(self, program: _Arrays, whole: bool, until: float, tell: Callable[[_Known], None]) -> None:
        from highspy import Highs, HighsLp, HighsVarType, MatrixFormat, kHighsInf

        self._tell, self._whole = tell, whole
        self._known, self._told = _Known(), 0.0
        self._highs = Highs()  # type: ignore[no-untyped-call]
        self._highs.silent()
        self._highs.setOptionValue("mip_rel_gap", 0.0)
        if not math.isinf(until):
            self._highs.setOptionValue("time_limit", max(until - time.time(), 0.0))
        model = HighsLp()
        model.num_col_, model.num_row_ = len(program.cost), len(program.least)
        model.col_cost_ = program.cost
        model.col_lower_, model.col_upper_ = np.zeros(len(program.cost)), np.ones(len(program.cost))
        model.row_lower_, model.row_upper_ = program.least, np.full(len(program.least), kHighsInf)
        matrix = model.a_matrix_
        matrix.format_ = MatrixFormat.kRowwise
        matrix.start_, matrix.index_, matrix.value_ = program.first, program.variable, program.weight
        if whole:
            model.integrality_ = [HighsVarType.kInteger] * len(program.cost)
        self._highs.passModel(model)
        self._highs.cbMipImprovingSolution.subscribe(self._improved)
        self._highs.cbMipInterrupt.subscribe(self._asked)

    def solve(self) -> None:
        """Solve the program, and tell how that ended."""
        self._highs.run()
        info, end = self._highs.getInfo(), self._highs.modelStatusToString(self._highs.getModelStatus())
        if self._whole:
            self._note_bound(info.mip_dual_bound)
        if info.primal_solution_status == 2:  # a choice that satisfies all rows
            self._note(self._highs.getSolution().col_value, info.objective_function_value, self._highs.getRunTime())
        self._tell(self._known._replace(end=end, nodes=int(info.mip_node_count), seconds=self._highs.getRunTime()))

    def _improved(self, event: Any) -> None:
        self._note(event.data_out.mip_solution, event.data_out.objective_function_value, event.data_out.running_time)
        self._note_bound(event.data_out.mip_dual_bound)
        self._tell(self._known)

    def _asked(self, event: Any) -> None:
        """The solver asks now and then whether it is to go on."""
        now = event.data_out.running_time
        if event.data_out.mip_dual_bound > self._known.bound and now > self._told + _BETWEEN:
            self._note_bound(event.data_out.mip_dual_bound)
            self._told = now
            self._tell(self._known)

    def _note(self, values: Any, cost: float, seconds: float) -> None:
        if cost < self._known.cost:
            chosen = np.flatnonzero(np.asarray(values) > 0.5).tolist()
            self._known = self._known._replace(chosen=chosen, cost=cost, found=seconds)

    def _note_bound(self, bound: float) -> None:
        self._known = self._known._replace(bound=max(self._known.bound, bound))


def _work(given: bytes, tell: Callable[[bytes], None]) -> None:
    program, whole, until = pickle.loads(given)
    _Solver(program, whole, until, lambda known: tell(json.dumps(known._asdict()).encode())).solve()


if __name__ == "__main__":
    import highspy  # noqa: F401  # now, and not only with the first program

    answer(_work)
