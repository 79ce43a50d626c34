"""`mines-dd compare`: several methods and orders on one board."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mines_dd.base.checks import require_choice
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.cli.common import (
    METHODS,
    ORDERS,
    ORDERS_OF_CELLS,
    ORDERS_OF_HINTS,
    Subcommand,
    board_argument,
    budget_options,
    emit,
    examples,
    output_options,
    refuse_options,
)

if TYPE_CHECKING:
    from mines_dd.board.board import Board

__all__ = ["compare"]

_STAGES = ("order", "build", "export", "count", "compile")
_CONJOINING = ("bdd", "zdd", "zdd-span")  # as in the solver, which takes long to import


def _some_of(names: Iterable[str]) -> Callable[..., list[str]]:
    """What completes a list of some of these names in a shell."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + name for name in names if name.startswith(last.lower())]

    return complete


@click.command(
    cls=Subcommand,
    notice=True,
    epilog=examples(
        "mines-dd example figure10 | mines-dd compare -",
        "mines-dd example paper-10x10 | mines-dd compare - --methods zdd,dc --orders row,auto --csv",
        "mines-dd example paper-10x10 | mines-dd compare - --methods bdd,zdd --conjoin deepest,given",
        "mines-dd generate 9 9 --mines 10 --hints 20 | mines-dd compare - --plan",
    ),
)
@board_argument
@click.option(
    "--methods",
    default=",".join(METHODS),
    show_default=True,
    metavar="NAMES",
    shell_complete=_some_of(METHODS),
    help="Methods, separated by commas.",
)
@click.option(
    "--orders",
    default="auto",
    show_default=True,
    metavar="NAMES",
    shell_complete=_some_of(ORDERS),
    help=f"Orders, separated by commas, of {', '.join(ORDERS)}; each method is run with those that it has, "
    "and one that no method has is refused.",
)
@click.option(
    "--conjoin",
    default="deepest",
    show_default=True,
    metavar="NAMES",
    shell_complete=_some_of(("deepest", "given")),
    help="How bdd, zdd and zdd-span take the hints: deepest in the order of cells first, or given, as they are read.",
)
@click.option("--simplify/--no-simplify", default=False, show_default=True, help="Simplify the board first.")
@budget_options(timeout=60, max_nodes=50_000_000)
@click.option(
    "--plan", is_flag=True, help="Only predict what every method needs on the simplified board, in its best order."
)
@output_options(rows="for each method and order")
def compare(
    board: Board,
    form: str,
    methods: str,
    orders: str,
    conjoin: str,
    simplify: bool,
    max_nodes: int,
    timeout: float,
    plan: bool,
) -> None:
    """Solve a board with several methods and compare them in a table.

    Seconds are those of each stage: to find an order, to build in it, to read the result out, to count; and to compile
    kernels, which only the first use takes: those that several methods need are counted with the first.  A method runs
    with warm kernels, or interpreted if that takes less than 0.05 s.  One that exceeds the budget is marked in the
    table.  The exit code is 1 if the counts differ, and 3 if no method was done.

    With --plan: width, the most hints remembered at once; log2_bound, the binary logarithm of a bound on all entries
    (table entries, or states after each cell); entries, how many are predicted; peak, the largest layer or table;
    memory in MiB, and seconds.  What --max-nodes counts is more: of dc states after each edge, about two to five times
    as many; of tree about two to four times as many.
    """
    if plan:
        refuse_options(
            "a comparison; --plan predicts every method in its best order",
            *("methods", "orders", "conjoin", "simplify", "max_nodes", "timeout"),
        )
        _print_plans(board, form)
        return
    if set(METHODS).difference(_CONJOINING).issuperset(_names(methods)):
        refuse_options("bdd, zdd and zdd-span, and none of them is compared", "conjoin")
    named = product(_names(methods), _names(orders), _names(conjoin))
    for order in _names(orders):
        require_choice(order, ORDERS, "order")
    # a method that conjoins nothing runs once
    tried = dict.fromkeys((m, order, how if m in _CONJOINING else "deepest") for m, order, how in named)
    fitting = {names: None for names in tried if _fits(*names[:2])}
    if {order for _, order, _ in fitting} == {order for _, order, _ in tried}:  # others are refused below
        tried = fitting
    if not tried:
        raise MinesError("there is nothing to compare; name at least one method, one order and one way to conjoin")
    limits = {"simplify": simplify, "max_nodes": max_nodes, "timeout": timeout}
    # all small boards first: a wrong name is refused before the long work begins
    prepared = [_prepare(*names, simplify) for names in tried]
    records = [_run(board, *names, limits, seconds) for names, seconds in zip(tried, prepared, strict=True)]
    counts = {record["count"] for record in records} - {None}
    emit(form, {"runs": records, "agree": len(counts) == 1 if counts else None}, _table(records), records)
    if len(counts) > 1:
        click.echo("mines-dd: the methods disagree; please report this board", err=True)
        sys.exit(1)
    if not counts:
        more = "" if simplify else ", or have the board simplified first (--simplify)"
        click.echo(f"mines-dd: no method was done; allow more with --timeout or --max-nodes{more}", err=True)
        sys.exit(3)


def _fits(method: str, order: str) -> bool:
    """Whether the order is of what the method orders: hints or cells."""
    return order not in (ORDERS_OF_CELLS if method == "tree" else ORDERS_OF_HINTS)


class _Run(NamedTuple):
    """What a run returned, or how it exceeded its budget; its seconds without those of compiling, and parts of them."""

    found: Any
    seconds: float
    compiling: float
    interpreting: float

    @property
    def is_cold(self) -> bool:
        """Whether kernels that were not ready can have changed it."""
        if isinstance(self.found, BudgetExceededError):
            return self.compiling + self.interpreting > (self.compiling + self.seconds) / 10
        return self.compiling > 0 or self.interpreting > _NOTICED


_NOTICED = 0.05
"""Seconds of interpreting from which a method is compiled: shorter times do not compare in any case."""


def _warm(once: Callable[[], Any]) -> _Run:
    """The first run that neither compiles kernels nor interprets them for long; the third if Numba is disabled."""
    from mines_dd.base.jit import all_compiled

    run = _timed(once)
    with all_compiled():
        for _ in range(2):
            if run.is_cold:
                run = _timed(once)
    return run


def _timed(once: Callable[[], Any]) -> _Run:
    from mines_dd.base.jit import compile_seconds, interpreted_seconds

    compiled, interpreted, started = compile_seconds(), interpreted_seconds(), time.perf_counter()
    found: Any
    try:
        found = once()
    except BudgetExceededError as error:
        found = error
    compiling = compile_seconds() - compiled
    seconds = time.perf_counter() - started - compiling
    return _Run(found, seconds, compiling, interpreted_seconds() - interpreted)


def _names(text: str) -> list[str]:
    return [name.strip().lower() for name in text.split(",") if name.strip()]


def _prepare(method: str, order: str, conjoin: str, simplify: bool) -> float:
    """Load what a method needs, with a small board, and return the seconds that kernels took."""
    from mines_dd.answers.solver import solve
    from mines_dd.base.jit import compile_seconds
    from mines_dd.board.board import Board

    began = compile_seconds()
    solve(Board.parse("#1#"), method, order, simplify, conjoin=conjoin).count()  # type: ignore[arg-type]
    return compile_seconds() - began


def _run(
    board: Board, method: str, order: str, conjoin: str, limits: dict[str, Any], prepared: float
) -> dict[str, Any]:
    """The record of one method; times are in seconds.

    What its kernels took to compile is told apart, with what they took before (`prepared`).
    """
    from mines_dd.answers.solver import solve
    from mines_dd.base.budget import Budget
    from mines_dd.base.jit import compile_seconds

    def once() -> tuple[Any, int, float]:
        budget = Budget(timeout=limits["timeout"])
        family = solve(board, conjoin=conjoin, **how, **limits)  # type: ignore[arg-type]
        _ = family.circuit
        started, compiled = time.perf_counter(), compile_seconds()
        count = family.count(budget=budget)
        return family, count, time.perf_counter() - started - (compile_seconds() - compiled)

    how: dict[str, Any] = {"method": method, "order": order}
    record = how | {"backend": "", "conjoin": conjoin if method in _CONJOINING else "", "nodes": None}
    record |= dict.fromkeys(f"{stage}_seconds" for stage in _STAGES) | {"count": None, "error": ""}
    began = compile_seconds()
    run = _warm(once)
    compiling = compile_seconds() - began
    if isinstance(run.found, BudgetExceededError):
        return record | {"build_seconds": run.seconds, "compile_seconds": prepared + compiling, "error": str(run.found)}
    family, count, counting = run.found
    details = family.details
    return record | {
        "backend": details.get("backend", ""),
        "nodes": family.node_count,
        "order_seconds": details["order"],
        "build_seconds": details["build"],
        "export_seconds": details["export"],
        "count_seconds": counting,
        "compile_seconds": prepared + compiling,
        "count": count,
    }


def _table(records: Iterable[dict[str, Any]]) -> str:
    from tabulate import tabulate

    from mines_dd.board.look import short_number

    headers = ["method", "backend", "order", "conjoin", "nodes", *(f"{stage} [s]" for stage in _STAGES), "count"]
    shown = [
        [
            record["method"],
            record["backend"],
            record["order"],
            record["conjoin"],
            "" if record["nodes"] is None else record["nodes"],
            *("" if record[f"{stage}_seconds"] is None else f"{record[f'{stage}_seconds']:.4f}" for stage in _STAGES),
            "over budget" if record["count"] is None else short_number(record["count"]),
        ]
        for record in records
    ]
    return str(tabulate(shown, headers, disable_numparse=True))


def _print_plans(board: Board, form: str) -> None:
    """Print what each method is predicted to need."""
    from tabulate import tabulate

    from mines_dd.answers.solver import plans

    columns = ("method", "width", "log2_bound", "entries", "peak", "MiB", "seconds")
    rows = [
        (plan.method, cost.width, cost.log2_bound, cost.entries, cost.peak, plan.bytes / 2**20, plan.seconds)
        for plan in plans(board)
        for cost in [plan.cost]
    ]
    shown = [[method, width, *(f"{value:.3g}" for value in rest)] for method, width, *rest in rows]
    text = tabulate(shown, columns, disable_numparse=True) if rows else "the board is inconsistent: nothing to do"
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    emit(form, {"plans": records}, text, records, columns)
