"""`mines-dd example NAME`: boards and other files to try things on."""

from __future__ import annotations

import json

import click

from mines_dd.cli.common import Subcommand, examples, output_options

__all__ = ["example"]


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The names that begin so, for shells."""
    from mines_dd.board.examples import EXAMPLES, OTHER_EXAMPLES

    return [name for name in (*EXAMPLES, *OTHER_EXAMPLES) if name.startswith(incomplete.lower())]


@click.command(
    cls=Subcommand,
    epilog=examples(
        "mines-dd example expert | mines-dd analyse -",
        "mines-dd example snacks | mines-dd build knapsack - --cheapest 3",
        "mines-dd example umigame > umigame.csv",
    ),
)
@click.argument("name", required=False, shell_complete=_names)
@output_options()
def example(name: str | None, form: str) -> None:
    """Print a board, or another file, to try things on.

    Without NAME list them.  --json gives a board as JSON, and of another file its text.
    """
    from mines_dd.board.board import Board
    from mines_dd.board.examples import EXAMPLES, OTHER_EXAMPLES
    from mines_dd.board.examples import example as text_of

    if name is not None:
        name = name.lower()
        text = text_of(name)
        if form == "json":
            click.echo(Board.parse(text).to_json() if name in EXAMPLES else json.dumps(text))
        else:
            click.echo(text, nl=False)
    elif form == "json":
        click.echo(json.dumps({name: about for name, (_, about) in (EXAMPLES | OTHER_EXAMPLES).items()}))
    else:
        for title, group in (("boards", EXAMPLES), ("other files", OTHER_EXAMPLES)):
            click.echo(f"{title}:")
            for name, (_, about) in group.items():
                click.echo(f"  {name:<14}{about}")
