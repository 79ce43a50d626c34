"""What the commands share: how a board is given, how to solve it, and how results are printed."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mines_dd.errors import BoardFormatError, MinesError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from mines_dd.assignments import Assignments
    from mines_dd.board import Board

__all__ = [
    "METHODS",
    "BoardArgument",
    "board_argument",
    "budget_options",
    "emit",
    "examples",
    "output_options",
    "picture_option",
    "positions_text",
    "print_csv",
    "solve_board",
    "solving_options",
    "write_file",
]

Command = TypeVar("Command", bound=Callable[..., Any])
METHODS = ("bdd", "zdd", "dc", "tree")
_ORDERS = "auto, row, column, greedy or tree; for the method tree auto, min-fill or min-degree."
_ONE_LINE = re.compile(r"mines\s*:.*|[#F*0-8 ]+(/[#F*0-8 ]+)+/?", re.IGNORECASE | re.DOTALL)


class BoardArgument(click.ParamType):  # type: ignore[type-arg]
    """A board file, `-` for standard input, or the board itself."""

    name = "board"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Board:
        """Read the board; a file that is there comes before a board of that spelling."""
        from mines_dd.board import Board
        from mines_dd.boardfiles import read_board_file

        if isinstance(value, Board):
            return value
        if value == "-" and sys.stdin.isatty():
            click.echo("mines-dd: type the board, one line a row, then Ctrl-D", err=True)
        if value == "-" or os.path.exists(value):
            return read_board_file(value)
        if _is_board_text(value):
            return Board.parse(value)
        raise BoardFormatError(
            f"cannot read {value!r}: there is no such file; give a board file, - for standard input, or the board "
            "itself in quotes, such as '##1/221/000' (a cell is #, 0-8, F or *)"
        )

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete names of files."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


def _is_board_text(value: str) -> bool:
    return value[:1] in ("{", "[") or "#" in value or "\n" in value or _ONE_LINE.fullmatch(value) is not None


def board_argument(command: Command) -> Command:
    """Take a board as the argument."""
    return click.argument("board", type=BoardArgument())(command)


def output_options(*, rows: str = "") -> Callable[[Command], Command]:
    """Take `--json`, and `--csv` if the result has `rows`, as the parameter `form`: "text", "json" or "csv"."""

    def add(command: Command) -> Command:
        if rows:
            text = f"Print CSV: a header, then one row {rows}."
            command = click.option("--csv", "form", flag_value="csv", help=text)(command)
        return click.option("--json", "form", flag_value="json", default="text", help="Print JSON.")(command)

    return add


def budget_options(timeout: float | None = None) -> Callable[[Command], Command]:
    """Take `--max-nodes` and `--timeout`, with so many seconds by default."""

    def add(command: Command) -> Command:
        command = click.option(
            "--timeout",
            type=click.FloatRange(min=0),
            default=timeout,
            show_default=True,
            metavar="SECONDS",
            help="Give up after so many seconds.",
        )(command)
        nodes = "Give up beyond so many nodes."
        return click.option("--max-nodes", type=click.IntRange(min=1), metavar="NODES", help=nodes)(command)

    return add


def solving_options(command: Command) -> Command:
    """Say how to solve."""
    for option in (
        budget_options(),
        click.option("--simplify/--no-simplify", default=True, show_default=True, help="Reduce the board first."),
        click.option("--order", default="auto", show_default=True, help=_ORDERS),
        click.option(
            "--method",
            type=click.Choice(("auto", *METHODS)),
            default="auto",
            show_default=True,
            help="What compiles; all give the same answers.",
        ),
    ):
        command = option(command)
    return command


def picture_option(command: Command) -> Command:
    """Take `-o FILE` for a picture of the board."""
    text = "Save a picture too: a .png, .svg or .pdf file."
    return click.option("-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help=text)(command)


def examples(*lines: str) -> str:
    """Return the epilogue of a command: commands to try."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def solve_board(board: Board, how: dict[str, Any]) -> Assignments:
    """Solve with what `solving_options` gave."""
    from mines_dd.solver import solve

    return solve(board, **how)


def emit(form: str, value: Any, text: str, rows: Iterable[Mapping[str, Any]] = ()) -> None:
    """Print a result in the form that was asked for."""
    if form == "csv":
        print_csv(rows)
    else:
        click.echo(json.dumps(value, default=str) if form == "json" else text)


def print_csv(rows: Iterable[Mapping[str, Any]], header: Iterable[str] = ()) -> None:
    """Print records as CSV as they come; without a `header` the first one's keys are it."""
    names = list(header)
    if names:
        _print_row(names)
    for row in rows:
        if not names:
            names = list(row)
            _print_row(names)
        _print_row([row[name] for name in names])


def _print_row(values: list[Any]) -> None:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    click.echo(line.getvalue(), nl=False)


def positions_text(positions: Iterable[tuple[int, int]]) -> str:
    """Positions as row,column; a dash for none."""
    return " ".join(f"{r},{c}" for r, c in sorted(positions)) or "-"


def write_file(path: str, data: str | bytes) -> None:
    """Write a file.

    Raises
    ------
    MinesError
        If it cannot be written.
    """
    try:
        with open(path, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
    except OSError as error:
        raise MinesError(f"cannot write {path!r}: {error.strerror}") from error
