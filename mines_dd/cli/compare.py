"""`mines-dd compare`: several methods and orders on one board."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.cli.common import METHODS, board_argument, budget_options, emit, examples, output_options

if TYPE_CHECKING:
    from mines_dd.board.board import Board

__all__ = ["compare"]


@click.command(
    epilog=examples(
        "mines-dd compare data/figure10.txt",
        "mines-dd compare data/paper_10x10_30_50.txt --methods zdd,dc --orders row,auto --csv",
        "mines-dd generate 9 9 --mines 10 --hints 20 | mines-dd compare - --plan",
    )
)
@board_argument
@click.option(
    "--methods", default=",".join(METHODS), show_default=True, metavar="NAMES", help="Methods, separated by commas."
)
@click.option("--orders", default="auto", show_default=True, metavar="NAMES", help="Orders, separated by commas.")
@click.option("--simplify/--no-simplify", default=False, show_default=True, help="Simplify the board first.")
@budget_options(timeout=60, max_nodes=50_000_000)
@click.option("--plan", is_flag=True, help="Only predict what each method needs on the simplified board.")
@output_options(rows="for each method and order")
def compare(
    board: Board, form: str, methods: str, orders: str, simplify: bool, max_nodes: int, timeout: float, plan: bool
) -> None:
    """Solve a board with several methods and compare them in a table.

    A method that exceeds the budget is marked in the table.  The exit code is 1 if the counts differ.
    """
    if plan:
        _print_plans(board, form)
        return
    tried = list(product(_names(methods), _names(orders)))
    if not tried:
        raise MinesError("there is nothing to compare; name at least one method and one order")
    records = [_run(board, method, order, simplify, max_nodes, timeout) for method, order in tried]
    counts = {record["count"] for record in records} - {None}
    emit(form, {"runs": records, "agree": len(counts) <= 1}, _table(records), records)
    if len(counts) > 1:
        click.echo("mines-dd: the methods disagree; please report this board", err=True)
        sys.exit(1)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _run(board: Board, method: str, order: str, simplify: bool, max_nodes: int, timeout: float) -> dict[str, Any]:
    """The record of one method; times are in seconds."""
    from mines_dd.answers.solver import solve

    record: dict[str, Any] = {
        "method": method,
        "backend": "",
        "order": order,
        "nodes": None,
        "build_seconds": None,
        "count_seconds": None,
        "count": None,
        "error": "",
    }
    started = time.perf_counter()
    try:
        family = solve(board, method, order, simplify, max_nodes, timeout)  # type: ignore[arg-type]
    except BudgetExceededError as error:
        return record | {"build_seconds": time.perf_counter() - started, "error": str(error)}
    built = time.perf_counter()
    number = family.count()
    return record | {
        "backend": family.details.get("backend", ""),
        "nodes": family.node_count,
        "build_seconds": built - started,
        "count_seconds": time.perf_counter() - built,
        "count": number,
    }


def _table(records: Iterable[dict[str, Any]]) -> str:
    from tabulate import tabulate

    from mines_dd.board.look import short_number

    headers = ["method", "backend", "order", "nodes", "build [s]", "count [s]", "count"]
    shown = [
        [
            record["method"],
            record["backend"],
            record["order"],
            "" if record["nodes"] is None else record["nodes"],
            f"{record['build_seconds']:.4f}",
            "" if record["count_seconds"] is None else f"{record['count_seconds']:.4f}",
            "over budget" if record["count"] is None else short_number(record["count"]),
        ]
        for record in records
    ]
    return str(tabulate(shown, headers, disable_numparse=True))


def _print_plans(board: Board, form: str) -> None:
    """Print what each method is predicted to need."""
    from tabulate import tabulate

    from mines_dd.answers.solver import plans

    records = [
        {
            "method": plan.method,
            "width": plan.cost.width,
            "log2_bound": plan.cost.log2_bound,
            "entries": plan.cost.entries,
            "peak": plan.cost.peak,
            "MiB": plan.bytes / 2**20,
            "seconds": plan.seconds,
        }
        for plan in plans(board)
    ]
    shown = [[r["method"], r["width"], *(f"{value:.3g}" for value in list(r.values())[2:])] for r in records]
    text = (
        tabulate(shown, list(records[0]), disable_numparse=True)
        if records
        else "the board is inconsistent: nothing to do"
    )
    emit(form, {"plans": records}, text, records)
