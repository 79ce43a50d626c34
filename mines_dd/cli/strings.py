"""`mines-dd strings N`: the Maximum String Problem of Go on the command line."""

from __future__ import annotations

import click

from mines_dd.cli.common import (
    budget_advice,
    budget_options,
    emit,
    examples,
    output_options,
    picture_option,
    write_file,
)

__all__ = ["strings"]


@click.command(epilog=examples("mines-dd strings 9", "mines-dd strings 6 --count 0 --json"))
@click.argument("n", type=click.IntRange(min=1))
@click.option(
    "--count",
    "fewer",
    type=click.IntRange(min=0),
    metavar="FEWER",
    help="Count the boards with FEWER strings less than the most.",
)
@click.option(
    "--cuts", "with_cuts", is_flag=True, help="Count only boards that satisfy the conditions of section 3 of the paper."
)
@click.option("--sgf", type=click.Path(dir_okay=False), metavar="FILE", help="Save the board as a game record in SGF.")
@picture_option
@budget_options()
@output_options(rows="for N")
def strings(
    n: int,
    form: str,
    fewer: int | None,
    with_cuts: bool,
    sgf: str | None,
    output: str | None,
    max_nodes: int | None,
    timeout: float | None,
) -> None:
    """Say how many strings fit on a Go board.

    Prints the greatest number of strings on a board of N x N points, and a board that has it: # is an empty point, X a
    black stone, O a white stone.

    With --count FEWER, the last line is the number of boards with exactly FEWER strings less, among those whose stones
    have the colours of theorem 1: white where row + column is even, black where it is odd.
    """
    from mines_dd.base.budget import Budget
    from mines_dd.boardgames.go_strings import boards, maximum_strings, save_picture

    budget = Budget(max_nodes, timeout)
    with budget_advice("take a smaller board"):
        best = maximum_strings(n, budget=budget)
        count = None if fewer is None else boards(n, fewer, with_cuts=with_cuts, budget=budget).count()
    if sgf is not None:
        write_file(sgf, best.board.to_sgf())
    if output is not None:
        save_picture(output, best.board)
    value = {"n": n, "strings": best.strings, "board": list(best.board.rows), **best.details}
    text = f"{best.strings}\n{best.board.to_text().rstrip()}"
    if count is not None:
        value |= {"fewer": fewer, "boards": count}
        text += f"\n{count}"
    row = value | {"board": "/".join(best.board.rows), "refuted": " ".join(map(str, best.details["refuted"]))}
    emit(form, value, text, [row])
