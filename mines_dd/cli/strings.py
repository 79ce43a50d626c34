"""`mines-dd strings N` and `mines-dd strings FILE`: the Maximum String Problem of Go on the command line."""

from __future__ import annotations

from typing import Any

import click

from mines_dd.base.wording import counted, listed
from mines_dd.base.writing import write_file
from mines_dd.cli.common import (
    InputFile,
    OutputFile,
    Subcommand,
    Whole,
    budget_advice,
    budget_options,
    emit,
    examples,
    output_options,
    picture_option,
    writing,
)

__all__ = ["strings"]


class SizeOrFile(InputFile):
    """A number of rows, or the name of a file."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return an int for a number."""
        if value == "-" or not value.lstrip("-").isdecimal():
            return super().convert(value, param, ctx)
        if int(value) < 1:
            self.fail(f"a board has 1 row or more, not {value}", param, ctx)
        return int(value)


@click.command(
    cls=Subcommand,
    notice=True,
    epilog=examples(
        "mines-dd strings 9",
        "mines-dd strings 6 --count 0 --json",
        "mines-dd example go | mines-dd strings - -o go.png",
    ),
)
@click.argument("board", type=SizeOrFile("a number of rows, the file of a Go board"), metavar="N|FILE")
@click.option(
    "--count",
    "fewer",
    type=Whole(0),
    metavar="FEWER",
    help="Count the boards with FEWER strings less than the most.",
)
@click.option(
    "--cuts", "with_cuts", is_flag=True, help="Count only boards that satisfy the paper's conditions (section 3)."
)
@click.option("--sgf", type=OutputFile(), metavar="FILE", help="Save the board as a game record in SGF.")
@picture_option
@budget_options()
@output_options(rows="for the board")
def strings(
    board: int | str,
    form: str,
    fewer: int | None,
    with_cuts: bool,
    sgf: str | None,
    output: str | None,
    max_nodes: int | None,
    timeout: float | None,
) -> None:
    """Say how many strings fit on a Go board, or how many a board has.

    For N, prints the greatest number of strings on a board of N x N points, and a board that has it: # is an empty
    point, X a black stone, O a white stone.

    For FILE (- is standard input), a game record (.sgf) or such a board as text, prints how many strings stand on it,
    the board, and whether it is legal: every string needs a liberty.

    With --count FEWER, the last line is the number of boards with exactly FEWER strings less, among those whose stones
    have the colours of the paper's theorem 1: white where row + column is even, black where it is odd.
    The paper is that of Miyashiro, Yano and Muramatsu, 2008, on the Maximum String Problem.
    """
    from mines_dd.base.budget import Budget
    from mines_dd.boardgames.go_board import read_go_board, save_picture

    if with_cuts and fewer is None:
        raise click.UsageError("--cuts is for --count; give --count FEWER, too")
    if isinstance(board, str):
        if fewer is not None or with_cuts:
            raise click.UsageError("--count and --cuts are for a number of rows, not for a board")
        found = read_go_board(board)
        value, lines = _described(found)
    else:
        from mines_dd.boardgames.go_strings import boards, maximum_strings

        budget = Budget(max_nodes, timeout)
        with budget_advice("take a smaller board"):
            best = maximum_strings(board, budget=budget)
            count = None if fewer is None else boards(board, fewer, with_cuts=with_cuts, budget=budget).count()
        found = best.board
        value = {"n": board, "strings": best.strings, "board": list(found.rows), **best.details}
        lines = [str(best.strings), *found.rows]
        if count is not None:
            value |= {"fewer": fewer, "boards": count}
            lines.append(str(count))
    flat = {key: " ".join(map(str, item)) if isinstance(item, list) else item for key, item in value.items()}
    with (
        writing(sgf, lambda file: write_file(file, found.to_sgf())),
        writing(output, lambda file: save_picture(file, found)),
    ):
        emit(form, value, "\n".join(lines), [flat | {"board": "/".join(found.rows)}])


def _described(board: Any) -> tuple[dict[str, Any], list[str]]:
    """What there is to say of a board: as a record, and as lines of text."""
    from mines_dd.boardgames.go_board import BLACK

    found, captured = board.strings(), [min(string.stones) for string in board.captured()]
    black = sum(string.colour == BLACK for string in found)
    value = {
        "n": len(board.rows),
        "strings": len(found),
        "black": black,
        "white": len(found) - black,
        "legal": not captured,
        "without liberty": [f"{r},{c}" for r, c in sorted(captured)],
        "board": list(board.rows),
    }
    places = listed([f"({place})" for place in value["without liberty"]])
    legal = f"illegal: no liberty for the {'string' if len(captured) == 1 else 'strings'} at {places}"
    legal = legal if captured else "legal"
    return value, [f"{counted(len(found), 'string')}, {black} black and {len(found) - black} white", *board.rows, legal]
