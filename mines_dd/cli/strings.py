"""`mines-dd strings N`: the Maximum String Problem of Go on the command line."""

from __future__ import annotations

import json

import click

from mines_dd.errors import MinesError

__all__ = ["strings"]


@click.command()
@click.argument("n", type=click.IntRange(min=1))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--count", "fewer", type=click.IntRange(min=0), help="Count the boards with so many strings fewer.")
@click.option("--cuts", "with_cuts", is_flag=True, help="Count only boards that satisfy the paper's section 3.")
@click.option("--sgf", type=click.Path(dir_okay=False), help="Save the board as a game record.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Save a picture: .png, .svg or .pdf.")
@click.option("--max-nodes", type=click.IntRange(min=1), help="Give up beyond so many states.")
@click.option("--timeout", type=click.FloatRange(min=0), help="Give up after so many seconds.")
def strings(
    n: int,
    as_json: bool,
    fewer: int | None,
    with_cuts: bool,
    sgf: str | None,
    output: str | None,
    max_nodes: int | None,
    timeout: float | None,
) -> None:
    """Print how many strings a Go board of N rows can hold at most, then a board that has them.

    # is an empty point, X a black stone, O a white one.  With --count the last line is the number of boards, stones
    standing as in theorem 1 (white where row + column is even, black where it is odd), with exactly so many strings
    fewer than the most.
    """
    from mines_dd.boardgames.go_strings import boards, maximum_strings, save_picture
    from mines_dd.budget import Budget

    budget = Budget(max_nodes, timeout)
    best = maximum_strings(n, budget=budget)
    count = None if fewer is None else boards(n, fewer, with_cuts=with_cuts, budget=budget).count()
    if sgf is not None:
        try:
            with open(sgf, "w", encoding="utf-8") as file:
                file.write(best.board.to_sgf())
        except OSError as error:
            raise MinesError(f"cannot save {sgf!r}: {error.strerror}") from error
    if output is not None:
        save_picture(output, best.board)
    if as_json:
        value = {"n": n, "strings": best.strings, "board": list(best.board.rows), **best.details}
        click.echo(json.dumps(value if count is None else value | {"fewer": fewer, "boards": count}))
        return
    click.echo(best.strings)
    click.echo(best.board.to_text(), nl=False)
    if count is not None:
        click.echo(count)
