"""`mines-dd count`, `prob`, `list` and `sample`: questions about all mine assignments."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from mines_dd.cli.common import (
    CELL_COLUMNS,
    Subcommand,
    Whole,
    board_argument,
    budget_advice,
    emit,
    examples,
    first,
    output_options,
    picture_option,
    print_csv,
    solve_board,
    solving_options,
    time_for,
    writing,
)

if TYPE_CHECKING:
    from mines_dd.base.budget import Budget
    from mines_dd.board.board import Board
    from mines_dd.diagrams.assignments import Assignments

__all__ = ["count", "list_assignments", "prob", "sample"]


@click.command(
    cls=Subcommand,
    notice=True,
    epilog=examples(
        "mines-dd example figure10 | mines-dd count - --method zdd", 'mines-dd count "####/#22#/#22#/####"'
    ),
)
@board_argument
@click.option(
    "--mines",
    type=Whole(0),
    metavar="TOTAL",
    help="Count the layouts of the whole board with TOTAL mines.",
)
@solving_options
@output_options(rows="with the number")
def count(board: Board, mines: int | None, form: str, **how: Any) -> None:
    """Count the mine assignments, exactly.

    Prints one number: how many ways there are to place mines in the closed cells next to hints, or, with --mines, in
    all closed cells.  The board's own total is not used here; analyse uses it.
    """
    budget = time_for(how)
    family = solve_board(board, how)
    with budget_advice("count a smaller board"):
        number = family.count(budget=budget) if mines is None else _layouts(board, family, mines, budget)
    cells = len(family.cells if mines is None else board.closed())
    emit(form, {"count": number, "log10_count": _log10(number), "cells": cells}, str(number))


def _log10(number: int) -> float | None:
    """For readers whose integers are small; of 0 there is none."""
    from math import log10

    return log10(number) if number else None


def _layouts(board: Board, family: Assignments, mines: int, budget: Budget) -> int:
    """The number of layouts of the whole board with this number of mines, known ones included."""
    from math import comb

    sea, left = len(board.closed()) - len(family.cells), mines - len(board.known_mines())
    return sum(n * comb(sea, left - k) for k, n in family.counts_by_mines(budget=budget).items() if left >= k)


@click.command(
    cls=Subcommand,
    notice=True,
    epilog=examples("mines-dd example figure9 | mines-dd prob -", 'mines-dd prob "####/#22#/#22#/####" --exact --csv'),
)
@board_argument
@solving_options
@click.option(
    "--digits", type=Whole(1, 15), default=3, show_default=True, metavar="N", help="Decimals in the text, up to 15."
)
@click.option("--exact", is_flag=True, help="Print exact fractions.")
@picture_option
@output_options(rows="for each cell")
def prob(board: Board, form: str, digits: int, exact: bool, output: str | None, **how: Any) -> None:
    """Print mine probabilities if all assignments are equally likely.

    Each closed cell next to a hint shows the fraction of the assignments in which it is a mine.  The total number of
    mines is ignored; analyse takes it into account.
    """
    from mines_dd.base.wording import rounded
    from mines_dd.board.picture import check_size, save_board
    from mines_dd.cli.pictures import probability_text

    if output is not None:
        check_size(*board.size)
    budget = time_for(how)
    family = solve_board(board, how)
    with budget_advice("take a smaller board; mines-dd analyse needs less time for large ones"):
        share: dict[Any, Any] = family.probabilities(budget=budget)
    records = [{"row": r, "column": c, "probability": float(p), "exact": str(p)} for (r, c), p in share.items()]
    shown = {  # 1/1 and not 1, which would look like a hint
        p: f"{x.numerator}/{x.denominator}" if exact else rounded(float(x), digits) for p, x in share.items()
    }
    with writing(output, lambda file: save_board(file, board.grid, share)):
        emit(form, {"cells": records}, probability_text(board, shown, share), records, CELL_COLUMNS)


@click.command(
    "list",
    cls=Subcommand,
    epilog=examples("mines-dd example figure9 | mines-dd list - --boards", 'mines-dd list "##/2#" --csv'),
)
@board_argument
@solving_options
@click.option("-n", "--limit", type=Whole(0), metavar="N", help="Print at most N assignments.")
@click.option("--boards", is_flag=True, help="Print each assignment as a board.")
@click.option("--cubes", is_flag=True, help="With --method bdd or zdd, print the products along the diagram's paths.")
@output_options(rows="for each assignment with 1 for a mine")
def list_assignments(board: Board, form: str, limit: int | None, boards: bool, cubes: bool, **how: Any) -> None:
    """List the mine assignments, one on each line.

    A line has the positions of the mines as row,column, counted from 0.  With --json each line is a JSON list of
    positions (JSON Lines).  The exit code is 1 if there is no assignment.  The board's own total is not used here;
    analyse uses it.

    With --cubes a line has the literals of a path, -row,column for a safe cell.  Other cells are free in a BDD, shown
    after a star, and safe in a ZDD.
    """
    if cubes:
        _print_cubes(board, form, limit, boards, how)
        return
    _require_text(form, boards)
    budget = time_for(how)
    family = solve_board(board, how)
    with budget_advice("ask for fewer with --limit"):
        _print_assignments(board, family, budget.each(first(family, limit), every=1), form, boards)
    if not family:
        click.echo("mines-dd: the board has no mine assignment; mines-dd analyse says which hints disagree", err=True)
        sys.exit(1)


def _print_cubes(board: Board, form: str, limit: int | None, boards: bool, how: dict[str, Any]) -> None:
    """Print the products along the paths of the board's diagram, not simplified, as the paths are over its cells."""
    from mines_dd.diagrams.cubes import cubes

    if how["method"] not in ("bdd", "zdd", "zdd-span") or boards or form == "csv":
        raise click.UsageError("--cubes needs --method bdd or zdd, and prints lines or --json")
    budget = time_for(how)
    diagram = solve_board(board, {**how, "simplify": False}).diagram
    with budget_advice("ask for fewer with --limit"):
        for cube in budget.each(first(() if diagram is None else cubes(diagram), limit), every=1):
            parts: Any = {"mines": cube.inside, "safe": cube.outside, "free": cube.free, "absent": cube.absent}
            signs = [*((p, "") for p in parts["mines"]), *((p, "-") for p in parts["safe"])]
            text = [f"{sign}{r},{c}" for (r, c), sign in sorted(signs)]
            text += [f"*{r},{c}" for r, c in sorted(parts["free"])]
            click.echo(json.dumps(parts) if form == "json" else " ".join(text) or "1")


@click.command(
    cls=Subcommand,
    epilog=examples("mines-dd example figure10 | mines-dd sample - -n 3 --seed 1", 'mines-dd sample "##/2#" --boards'),
)
@board_argument
@solving_options
@click.option(
    "-n",
    "--number",
    type=Whole(0),
    default=1,
    show_default=True,
    metavar="N",
    help="How many assignments to draw.",
)
@click.option("--seed", type=Whole(), metavar="N", help="The same seed draws the same assignments, by the same method.")
@click.option("--boards", is_flag=True, help="Print each assignment as a board.")
@output_options(rows="for each assignment with 1 for a mine")
def sample(board: Board, form: str, number: int, seed: int | None, boards: bool, **how: Any) -> None:
    """Draw assignments uniformly at random.

    They are printed as by list.  Draws are independent, so an assignment may come more than once.  The board's own
    total is not used here; analyse uses it.
    """
    _require_text(form, boards)
    budget = time_for(how)
    family = solve_board(board, how)
    with budget_advice("ask for fewer"):
        _print_assignments(board, family, first(family.samples(seed, budget=budget), number), form, boards)


def _require_text(form: str, boards: bool) -> None:
    if boards and form != "text":
        raise click.UsageError(f"--boards prints text; leave out --{form}")


def _print_assignments(
    board: Board, family: Assignments, drawn: Iterable[frozenset[Any]], form: str, boards: bool
) -> None:
    """Print assignments, each as soon as it is there."""
    if form == "csv":
        cells: Any = family.cells
        names = {(r, c): f"x{r}_{c}" for r, c in cells}
        print_csv(({name: int(cell in mines) for cell, name in names.items()} for mines in drawn), names.values())
        return
    for mines in drawn:
        if form == "json":
            click.echo(json.dumps(sorted(mines)))
        elif boards:
            rows, cols = board.size
            text = ["".join("*" if (r, c) in mines else board[r, c] for c in range(cols)) for r in range(rows)]
            click.echo("\n".join(text) + "\n")
        else:
            click.echo(" ".join(f"{r},{c}" for r, c in sorted(mines)))
