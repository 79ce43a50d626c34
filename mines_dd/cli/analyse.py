"""`mines-dd analyse` and `explain`: what is known about a position."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from mines_dd.base.errors import MinesError
from mines_dd.cli.common import (
    Amount,
    board_argument,
    budget_advice,
    budget_options,
    emit,
    examples,
    output_options,
    picture_option,
    positions_text,
    total_option,
)

if TYPE_CHECKING:
    from mines_dd.board.board import Board

__all__ = ["analyse", "explain"]


@click.command(
    epilog=examples(
        "mines-dd analyse data/expert_16x30_99.txt",
        "mines-dd analyse '####/#2##/####' --mines 3",
        "mines-dd analyse data/beginner_9x9_10.txt --csv",
    )
)
@board_argument
@total_option
@click.option(
    "--density",
    type=Amount(),
    metavar="SHARE",
    help="Instead of a total: the probability of a mine, such as 0.2 or 20%.",
)
@click.option(
    "--digits", type=click.IntRange(1, 15), default=2, show_default=True, metavar="N", help="Decimals to print."
)
@budget_options(timeout=60)
@picture_option
@output_options(rows="for each cell")
def analyse(
    board: Board,
    form: str,
    mines: int | None,
    density: float | None,
    digits: int,
    max_nodes: int | None,
    timeout: float,
    output: str | None,
) -> None:
    """Print the probability of a mine for every closed cell.

    The total number of mines is taken into account if it is known.  Below the board are the cells that are certain and
    the best one to open, as row,column counted from 0.  On a terminal the board is coloured, unless NO_COLOR is set.
    """
    from mines_dd.answers.analysis import analyse
    from mines_dd.base.budget import Budget
    from mines_dd.board.look import short_number
    from mines_dd.cli.pictures import probability_text
    from mines_dd.play.advice import advice_of

    budget = Budget(max_nodes, timeout)
    with budget_advice(_cheaper(board, mines, density)):
        found = analyse(board, mines, density, budget=budget)
    advice = advice_of(found, budget)
    if output is not None:
        from mines_dd.board.picture import save_board

        save_board(output, board.grid, found.exact, advice.cell)
    records: list[dict[str, Any]] = [
        {"row": r, "column": c, "probability": float(p), "exact": str(p)} for (r, c), p in found.exact.items()
    ]
    value = {
        "count": found.count,
        "total": found.total,
        "safe": sorted(found.safe),
        "mines": sorted(found.mines),
        "safest": found.safest,
        "move": advice.cell,
        "reason": advice.reason,
        "cells": records,
    }
    shown = {p: f"{float(share):.{digits}f}" for p, share in found.exact.items()}
    move = "-" if advice.cell is None else positions_text([advice.cell])
    lines = [
        probability_text(board, shown, found.exact, advice.cell),
        "",
        f"{'assignments' if found.total is None else 'layouts'}: {short_number(found.count)}",
        f"safe: {positions_text(found.safe)}",
        f"mines: {positions_text(found.mines)}",
        f"best to open: {move}; {advice.reason}",
    ]
    if found.total is None and density is None:
        lines.append(
            "no total number of mines: all assignments weigh the same; give --mines to learn of the cells away from all"
            " hints"
        )
    emit(form, value, "\n".join(lines), records)


@click.command(epilog=examples("mines-dd explain data/beginner_9x9_10.txt 3 0", "mines-dd explain '#1#/#2#/###' 0,2"))
@board_argument
@click.argument("cell", nargs=-1, required=True, metavar="ROW COLUMN")
@total_option
@budget_options(timeout=60)
@output_options(rows="for the cell")
def explain(
    board: Board,
    form: str,
    cell: tuple[str, ...],
    mines: int | None,
    max_nodes: int | None,
    timeout: float,
) -> None:
    """Say why a closed cell is safe or a mine.

    Prints a minimal set of hints that proves it.  If the cell is not certain, prints what its probability depends on.
    ROW and COLUMN count from 0; ROW,COLUMN works, too.
    """
    from dataclasses import asdict

    from mines_dd.answers.explain import explain
    from mines_dd.base.budget import Budget

    place = re.fullmatch(r"\s*([0-9]{1,9})\s*[, ]\s*([0-9]{1,9})\s*", " ".join(cell))
    if place is None:
        raise MinesError(f"{' '.join(cell)!r} is no cell; write its row and column, counted from 0, such as 3 0")
    with budget_advice(_cheaper(board, mines)):
        found = explain(board, (int(place[1]), int(place[2])), mines, budget=Budget(max_nodes, timeout))
    value = asdict(found)
    row, column = value.pop("cell")
    record = {"row": row, "column": column, **value, "hints": positions_text(found.hints)}
    emit(form, asdict(found), found.text(), [record])


def _cheaper(board: Board, mines: int | None, density: float | None = None) -> str:
    """The advice for a question that exceeds the budget: a cheaper one."""
    if density is not None:
        return "ask without --density (mines-dd prob has neither density nor total), or about a part of the board"
    if mines is not None or board.mines is not None:
        return "ask without the total number of mines (mines-dd prob does not use it), or about a part of the board"
    return "ask about a part of the board"
