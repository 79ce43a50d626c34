"""`mines-dd cheapest`: the assignments of least cost when mines have costs (paper, §1)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from mines_dd.cli.common import (
    InputFile,
    Number,
    Subcommand,
    Whole,
    board_argument,
    budget_advice,
    emit,
    examples,
    output_options,
    positions_text,
    solve_board,
    solving_options,
    time_for,
)

if TYPE_CHECKING:
    from mines_dd.board.board import Board, Position

__all__ = ["cheapest", "shown_number"]

_HEADING = ["row", "column", "cost"]


@click.command(
    cls=Subcommand,
    notice=True,
    epilog=examples(
        "mines-dd example costs > costs.csv",
        "mines-dd example figure10 | mines-dd cheapest - --costs costs.csv",
        'mines-dd cheapest "####/#22#/#22#/####" --costs costs.csv --default 1 -n 3 --csv',
    ),
)
@board_argument
@click.option(
    "--costs",
    type=InputFile(),
    required=True,
    metavar="FILE",
    help="A CSV file of row,column,cost, positions counted from 0; - is standard input.",
)
@click.option(
    "--default",
    type=Number(),
    default=0,
    show_default=True,
    metavar="COST",
    help="The cost of a mine in a cell without a line.",
)
@click.option(
    "-n",
    "--number",
    type=Whole(1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many assignments to print, the cheapest first.",
)
@solving_options
@output_options(rows="for each assignment with 1 for a mine")
def cheapest(board: Board, form: str, costs: str, default: float, number: int, **how: Any) -> None:
    """Print the cheapest mine assignments.

    Each mine costs what FILE says of its cell; costs may be negative.  A line of the output has the total cost and the
    positions of the mines.  Lines of FILE for open cells, or for cells next to no hint, change nothing.  The exit code
    is 1 if there is no assignment.  The board's own total number of mines is not used here; analyse uses it.
    """
    from fractions import Fraction
    from math import isfinite

    if not isfinite(default):
        raise click.BadParameter("it has to be a number such as 0 or 2.5", param_hint="--default")
    # As it was typed, not as the double nearest to it.
    other, known = Fraction(str(default)), _read_costs(costs, board)
    budget = time_for(how)
    family: Any = solve_board(board, how)
    given = {cell: known.get(cell, other) for cell in family.cells}
    with budget_advice("ask for fewer"):
        found = family.cheapest(given, number, budget=budget)
    records = [{"cost": shown_number(cost), "mines": sorted(mines)} for cost, mines in found]
    lines = [f"{record['cost']}: {positions_text(mines)}" for record, (_, mines) in zip(records, found, strict=True)]
    names = {cell: "x{}_{}".format(*cell) for cell in family.cells}
    rows = [
        {"cost": record["cost"], **{name: int(cell in mines) for cell, name in names.items()}}
        for record, (_, mines) in zip(records, found, strict=True)
    ]
    if found or form != "text":
        emit(form, {"default": shown_number(Fraction(str(default))), "assignments": records}, "\n".join(lines), rows)
    if not found:
        click.echo("mines-dd: the board has no mine assignment; mines-dd analyse says which hints disagree", err=True)
        sys.exit(1)


def shown_number(value: Any) -> int | float:
    """Return a cost as JSON and people write it: an int where it is one, else a float."""
    return int(value) if value == int(value) else float(value)


def _read_costs(path: str, board: Board) -> dict[Position, Any]:
    """The costs in a file of row, column and cost."""
    from mines_dd.base.reading import of_file
    from mines_dd.boardgames.move_files import read_text

    text = read_text(path)
    with of_file(path):
        return _costs_in(text, board)


def _costs_in(text: str, board: Board) -> dict[Position, Any]:
    from mines_dd.frontier.text import number_of, refuse, words

    found: dict[Position, Any] = {}
    for at, line in enumerate(words(text.replace('"', " "))):  # quoted as R does
        if at == 0 and [word.text.lower() for word in line] == _HEADING:
            continue
        if at == 0 and len(line) == 3 and line[0].text.isalpha():
            refuse(line[0], f"{line[0].text!r} is no number; the one heading that there may be is row,column,cost")
        if len(line) < 3:
            refuse(line[-1], f"the line ends too soon after {line[-1].text!r}; it should be: row,column,cost")
        if len(line) > 3:
            refuse(line[3], f"{line[3].text!r} is too much; the line should be: row,column,cost")
        place = []
        for word, what, size in zip(line, _HEADING, board.size, strict=False):
            if not word.text.isdecimal() or len(word.text) > 9 or int(word.text) >= size:
                refuse(word, f"{word.text!r} is no {what} of the board, which has {what}s 0 to {size - 1}")
            place.append(int(word.text))
        cell = place[0], place[1]
        if cell in found:
            refuse(line[0], f"the cell {cell[0]},{cell[1]} has a line already")
        found[cell] = number_of(line[2], "a cost")
    return found
