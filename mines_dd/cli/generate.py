"""`mines-dd generate`: random boards."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from mines_dd.cli.common import (
    Amount,
    Choice,
    Subcommand,
    Whole,
    budget_advice,
    examples,
    output_options,
    refuse_options,
    timeout_option,
)
from mines_dd.cli.play import LEVELS

if TYPE_CHECKING:
    from mines_dd.play.games import Level
    from mines_dd.play.no_guess import NoGuess

__all__ = ["generate"]

_MOST_TRIED = 1_000_000  # boards drawn


class _Size(Whole):
    """A number of rows or columns; the error for another word says how sizes and levels are written."""

    def __init__(self) -> None:
        super().__init__(1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        if isinstance(value, str):
            size = re.fullmatch(r"(\d+)\s*[xX*,]\s*(\d+)", value)
            if size is not None:
                self.fail(f"write {value!r} as two numbers: {size[1]} {size[2]}", param, ctx)
            if value.lower() in LEVELS:
                self.fail(f"write --level {value.lower()}", param, ctx)
        return super().convert(value, param, ctx)


@click.command(
    cls=Subcommand,
    more="write the number of mines as --mines {}",
    epilog=examples(
        "mines-dd generate 30 30 --mines 30% --hints 50% --seed 1",
        "mines-dd generate --level expert --no-guess --seed 3",
        "mines-dd generate --level beginner --no-guess --difficulty hard",
    ),
)
@click.argument("rows", type=_Size(), required=False)
@click.argument("cols", type=_Size(), required=False)
@click.option("--level", type=Choice(LEVELS), help="A standard size and number of mines, instead of ROWS and COLS.")
@click.option(
    "--mines", type=Amount(), metavar="AMOUNT", help="Mines: a number, or a share of all cells.  [default: 20%]"
)
@click.option(
    "--hints",
    type=Amount(),
    metavar="AMOUNT",
    help="Opened cells: a number, or a share of the safe cells.  [default: 30%]",
)
@click.option(
    "--no-guess",
    is_flag=True,
    help="A board of up to 1,000 cells, with one opening, that can be won without a guess.",
)
@click.option(
    "--difficulty",
    type=Choice(("easy", "medium", "hard")),
    help="With --no-guess: the hints that its hardest step takes at once: one, two, or more (or one and the total).",
)
@click.option(
    "--seed", type=Whole(), default=0, show_default=True, metavar="N", help="The same seed gives the same board."
)
@timeout_option(60, "With --no-guess: give up after SECONDS seconds; among many mines there may be no such board.")
@output_options()
def generate(
    rows: int | None,
    cols: int | None,
    level: str | None,
    mines: float | None,
    hints: float | None,
    no_guess: bool,
    difficulty: str | None,
    seed: int,
    timeout: float,
    form: str,
) -> None:
    """Make a random board.

    Mines are placed at random; then random safe cells are opened one by one, as for the paper's instances.  With
    --no-guess the cell in the middle is opened with its area instead, and the board can be won without a guess; how
    hard it is, and its hardest step, are printed on standard error.  With --json the layout of the mines is printed,
    too, and the grade is part of the JSON.
    """
    import json

    from mines_dd.board.board import Board

    if (level is None) == (rows is None) or (rows is None) != (cols is None):
        raise click.UsageError("give either ROWS and COLS, or --level")
    if hints is not None and no_guess:
        raise click.UsageError("--no-guess opens one area; leave out --hints")
    if difficulty is not None and not no_guess:
        raise click.UsageError("--difficulty grades boards without guesses; give --no-guess, too")
    if not no_guess:
        refuse_options("boards without guesses; give --no-guess, too", "timeout")
    if level is not None:
        from mines_dd.play.games import LEVELS as SIZES

        rows, cols, usual, _ = SIZES[level]
        mines = usual if mines is None else mines
    elif mines is None:
        mines = 0.2
    assert rows is not None
    assert cols is not None
    assert mines is not None
    if no_guess:
        from mines_dd.play.games import Level

        number = mines if isinstance(mines, int) else round(mines * rows * cols)
        board, _, grade = _without_guesses(Level(rows, cols, number), seed, difficulty, timeout)
    else:
        board, grade = Board.random(rows, cols, mines, 0.3 if hints is None else hints, seed), None
    if form == "json":
        graded = {} if grade is None else {"grade": grade.record()}
        click.echo(json.dumps(json.loads(board.to_json()) | graded))
        return
    click.echo(board.to_text(), nl=False)
    if grade is not None:
        click.echo(str(grade), err=True)


def _without_guesses(level: Level, seed: int, difficulty: str | None, timeout: float) -> NoGuess:
    """The first board that can be won without a guess; a bar counts those drawn in vain if that takes long."""
    from tqdm import tqdm

    from mines_dd.base.budget import Budget
    from mines_dd.play.no_guess import no_guess_search

    search = no_guess_search(level, None, seed, _MOST_TRIED, difficulty, budget=Budget(timeout=timeout))
    bar = tqdm(total=_MOST_TRIED, unit=" boards", disable=None, leave=False, delay=1)
    with bar, budget_advice("take fewer mines" + " or another --difficulty" * (difficulty is not None)):
        while (found := next(search)) is None:
            bar.update()
        return found
