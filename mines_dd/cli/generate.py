"""`mines-dd generate`: random boards."""

from __future__ import annotations

import click

from mines_dd.cli.common import Amount, Choice, examples, output_options
from mines_dd.cli.play import LEVELS

__all__ = ["generate"]


@click.command(
    epilog=examples(
        "mines-dd generate 30 30 --mines 30% --hints 50% --seed 1",
        "mines-dd generate --level expert --no-guess --seed 3",
    )
)
@click.argument("rows", type=click.IntRange(min=1), required=False)
@click.argument("cols", type=click.IntRange(min=1), required=False)
@click.option("--level", type=Choice(LEVELS), help="A standard size and number of mines, instead of ROWS and COLS.")
@click.option(
    "--mines", type=Amount(), metavar="AMOUNT", help="Mines: a number, or a share of all cells.  [default: 20%]"
)
@click.option(
    "--hints",
    type=Amount(),
    metavar="AMOUNT",
    default="30%",
    show_default=True,
    help="Opened cells: a number, or a share of the safe cells.",
)
@click.option("--no-guess", is_flag=True, help="A board that can be won without a guess, with one opening.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="The same seed gives the same board.")
@output_options()
def generate(
    rows: int | None,
    cols: int | None,
    level: str | None,
    mines: float | None,
    hints: float,
    no_guess: bool,
    seed: int,
    form: str,
) -> None:
    """Make a random board.

    Mines are placed at random; then random safe cells are opened one by one, as for the paper's instances.  With
    --no-guess the cell in the middle is opened with its area instead, and the board can be won without a guess.  With
    --json the layout of the mines is printed, too.
    """
    from mines_dd.board.board import Board

    if (level is None) == (cols is None):
        raise click.UsageError("give either ROWS and COLS, or --level")
    if level is not None:
        from mines_dd.play.games import LEVELS as SIZES

        rows, cols, usual = SIZES[level]
        mines = usual if mines is None else mines
    elif mines is None:
        mines = 0.2
    assert rows is not None
    assert cols is not None
    assert mines is not None
    if no_guess:
        from mines_dd.play.advice import no_guess_board
        from mines_dd.play.games import Level

        number = mines if isinstance(mines, int) else round(mines * rows * cols)
        board, _ = no_guess_board(Level(rows, cols, number), seed=seed)
    else:
        board = Board.random(rows, cols, mines, hints, seed)
    if form == "json":
        click.echo(board.to_json())
    else:
        click.echo(board.to_text(), nl=False)
