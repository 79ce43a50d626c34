"""`mines-dd analyse` and `explain`: what is known about a position."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import click

from mines_dd.base.errors import MinesError
from mines_dd.cli.common import (
    CELL_COLUMNS,
    Amount,
    Choice,
    Subcommand,
    Whole,
    board_argument,
    budget_advice,
    budget_options,
    emit,
    examples,
    needs_total,
    output_options,
    picture_option,
    positions_text,
    refuse_options,
    total_option,
    writing,
)

if TYPE_CHECKING:
    from mines_dd.answers.analysis import Analysis
    from mines_dd.board.board import Board
    from mines_dd.play.advice import Advice

__all__ = ["analyse", "explain"]

_SMALLER = "ask about a part of the board"
_LIKELY = 0.001  # of the greatest likelihood: totals that are printed as text


@click.command(
    cls=Subcommand,
    notice=True,
    epilog=examples(
        "mines-dd example expert | mines-dd analyse - -o expert.png",
        'mines-dd analyse "####/#2##/####" --mines 3',
        "mines-dd example beginner | mines-dd analyse - --csv",
        'mines-dd analyse "#1###/#####" --totals game -o totals.svg',
    ),
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
    "--digits", type=Whole(1, 15), default=2, show_default=True, metavar="N", help="Decimals in the text, up to 15."
)
@click.option(
    "--totals",
    type=Choice(["game", "puzzle"]),
    help="Compare all totals by layouts and likelihood: of cells opened in a game, or of hints drawn among safe cells.",
)
@budget_options(timeout=60)
@picture_option
@output_options(rows="for each cell, or total")
def analyse(
    board: Board,
    form: str,
    mines: int | None,
    density: float | None,
    digits: int,
    totals: str | None,
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
    from mines_dd.board.picture import check_size, save_board
    from mines_dd.play.advice import advice_of

    if totals:
        refuse_options("probabilities; leave it out with --totals", "mines", "density", "digits")
    elif output is not None:
        check_size(*board.size)
    budget = Budget(max_nodes, timeout).once()  # what is asked after the analysis is part of the command
    with budget_advice(_SMALLER):
        found = analyse(board, mines, density, budget=budget)
        if totals:
            _print_totals(found, totals, form, output)
            return
    advice = advice_of(found, budget)
    with writing(output, lambda file: save_board(file, board.grid, found.risk, advice.cell)):
        if form != "text":
            value = _record(found, advice)
            emit(form, value, "", value["cells"], CELL_COLUMNS)
            return
        text = _text(board, found, advice, digits)
        if density is None and needs_total(found):
            away = len(found.risk) < len(board.closed())
            more = "to learn of the cells away from all hints" if away else "to weigh them"
            text += f"\nno total number of mines: all assignments weigh the same; give --mines {more}"
        click.echo(text)


def _record(found: Analysis, advice: Advice) -> dict[str, Any]:
    """What is printed as JSON."""
    return {
        "count": None if found.error else found.count,
        "log10_count": found.log10_count,
        "error": found.error,
        "total": found.total,
        "safe": sorted(found.safe),
        "mines": sorted(found.mines),
        "safest": found.safest,
        "move": advice.cell,
        "reason": advice.reason,
        "cells": [
            {"row": r, "column": c, "probability": float(p), "exact": None if found.error else str(p)}
            for (r, c), p in found.risk.items()
        ],
    }


def _text(board: Board, found: Analysis, advice: Advice, digits: int) -> str:
    """The board with its probabilities, and what is known below it."""
    from mines_dd.base.wording import rounded
    from mines_dd.cli.pictures import probability_text

    shown = {p: rounded(float(share), digits) for p, share in found.risk.items()}
    move = "-" if advice.cell is None else positions_text([advice.cell])
    lines = [
        probability_text(board, shown, found.risk, advice.cell),
        "",
        f"{'assignments' if found.total is None else 'layouts'}: {found.short_count}",
        f"safe: {positions_text(found.safe)}",
        f"mines: {positions_text(found.mines)}",
        f"best to open: {move}; {advice.reason}",
    ]
    if found.error:
        lines.append(f"computed in doubles; the largest error is about {found.error:.0e}")
    return "\n".join(lines)


def _print_totals(found: Analysis, kind: str, form: str, output: str | None) -> None:
    """Print the layouts and the likelihood of every total, as text of the likely ones only; save their curve."""
    from mines_dd.base.wording import listed
    from mines_dd.board.look import power_of_ten
    from mines_dd.board.picture import save_totals
    from mines_dd.diagrams.runs import in_words, merged

    likelihood = found.log_likelihood(kind)
    records = [
        {"total": total, "log10_layouts": log, "log_likelihood": likelihood[total]}
        for total, log in found.log10_by_total.items()
    ]
    best = found.likeliest(kind)
    lines = [f"{'total':>7}  {'layouts':<18}  likelihood, compared with the greatest"]
    for total, log in found.log10_by_total.items():
        share = math.exp(likelihood[total] - likelihood[best[0]])
        if share > _LIKELY:
            lines.append(f"{total:>7}  {power_of_ten(log):<18}  {share:.4f} {'#' * round(30 * share)}")
    left_out = len(records) - (len(lines) - 1)
    if left_out:
        lines.append(f"{left_out:>7} {'other total' if left_out == 1 else 'other totals'}: at most {_LIKELY} each")
    likely = f"likeliest total: {best[0]}"
    if len(best) > 1:
        likely = f"equally likely totals: {'all' if len(best) == len(likelihood) else listed(list(map(str, best)))}"
    lines.append(f"{likely}; possible: {in_words(merged([(total, total) for total in likelihood]))}")
    with writing(output, lambda file: save_totals(file, likelihood, found.total)):
        emit(form, {"likeliest": best, "totals": records}, "\n".join(lines), records)


@click.command(
    cls=Subcommand,
    notice=True,
    epilog=examples("mines-dd example beginner | mines-dd explain - 3 0", 'mines-dd explain "#1#/#2#/###" 0,2'),
)
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

    Prints a minimal set of hints that proves it.  If the cell is not certain, prints in how many of the ways to place
    the mines it is one.  ROW and COLUMN count from 0; ROW,COLUMN works, too.
    """
    from dataclasses import asdict

    from mines_dd.answers.explain import explain
    from mines_dd.base.budget import Budget

    place = re.fullmatch(r"\s*([0-9]{1,9})\s*[, ]\s*([0-9]{1,9})\s*", " ".join(cell))
    if place is None:
        raise MinesError(f"{' '.join(cell)!r} is no cell; write its row and column, counted from 0, such as 3 0")
    with budget_advice(_SMALLER):
        found = explain(board, (int(place[1]), int(place[2])), mines, budget=Budget(max_nodes, timeout))
    value = asdict(found)
    row, column = value.pop("cell")
    record = {"row": row, "column": column, **value, "hints": positions_text(found.hints)}
    emit(form, asdict(found), found.text(), [record])
