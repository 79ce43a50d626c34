"""`mines-dd example NAME`: a board to try things on."""

from __future__ import annotations

import click

from mines_dd.cli.common import examples, output_options

__all__ = ["example"]


@click.command(epilog=examples("mines-dd example expert | mines-dd analyse -"))
@click.argument("name", required=False)
@output_options()
def example(name: str | None, form: str) -> None:
    """Print a board to try things on; without NAME list them."""
    from mines_dd.board.board import Board
    from mines_dd.board.examples import EXAMPLES
    from mines_dd.board.examples import example as text_of

    if name is not None:
        click.echo(Board.parse(text_of(name)).to_json() if form == "json" else text_of(name), nl=form == "json")
    elif form == "json":
        import json

        click.echo(json.dumps({name: about for name, (_, about) in EXAMPLES.items()}))
    else:
        for name, (_, about) in EXAMPLES.items():
            click.echo(f"{name:<14}{about}")
