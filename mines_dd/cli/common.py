"""What the commands share: reading a board, the options of solving, and printing results."""

from __future__ import annotations

import csv
import difflib
import io
import json
import math
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from mines_dd.base.errors import BoardFormatError, BudgetExceededError, MinesError
from mines_dd.base.wording import bounded, listed, meant, shown

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from mines_dd.answers.analysis import Analysis
    from mines_dd.base.budget import Budget
    from mines_dd.board.board import Board
    from mines_dd.diagrams.assignments import Assignments

__all__ = [
    "CELL_COLUMNS",
    "METHODS",
    "ORDERS",
    "ORDERS_OF_CELLS",
    "ORDERS_OF_HINTS",
    "Amount",
    "BoardArgument",
    "Choice",
    "InputFile",
    "Number",
    "OutputFile",
    "Subcommand",
    "Whole",
    "board_argument",
    "budget_advice",
    "budget_options",
    "emit",
    "examples",
    "first",
    "needs_total",
    "output_options",
    "picture_option",
    "positions_text",
    "print_csv",
    "refuse_options",
    "solve_board",
    "solving_options",
    "time_for",
    "timeout_option",
    "total_option",
]

Command = TypeVar("Command", bound=Callable[..., Any])
Item = TypeVar("Item")
_SILENT = 3.0  # seconds
_PICTURES = (".png", ".svg", ".pdf")
METHODS = ("bdd", "zdd", "zdd-span", "dc", "tree")
ORDERS_OF_CELLS = ("row", "column", "greedy", "tree")
ORDERS_OF_HINTS = ("min-fill", "min-degree")
ORDERS = ("auto", *ORDERS_OF_CELLS, *ORDERS_OF_HINTS)
# Options that do in some commands what others do elsewhere.
_ALIKE = {
    "--limit": ("--number", "--cheapest"),
    "--number": ("--limit", "--cheapest", "--games"),
    "--cheapest": ("--number",),
    "--format": ("--json", "--output"),
}
_ENDING = re.compile(r"\.[A-Za-z]{2,5}$")  # of a file's name
_ALMOST = re.compile(r"[#F*0-8 /]*[.?_][.?_#F*0-8 /]*")
_ONE_LINE = re.compile(r"mines\s*:.*|[F*0-8 ]*[F*][F*0-8 ]*|[#F*0-8 ]+(/[#F*0-8 ]+)+/?", re.IGNORECASE | re.DOTALL)


class Subcommand(click.Command):
    """A command that is given more words than it takes says which it takes.

    Parameters
    ----------
    more : str
        What the user can do, with {} for the first word too many.
    notice : bool
        Whether it tells on a terminal that it is still at work, as one does that shows no progress.
    """

    allow_extra_args = True

    def __init__(self, *args: Any, more: str = "", notice: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.more, self.notice = more, notice

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        timer = threading.Timer(_SILENT, click.echo, ["mines-dd: still at work; Ctrl-C ends it"], {"err": True})
        timer.daemon = True
        if self.notice and sys.stderr.isatty() and not _is_typed(ctx):
            timer.start()
        try:
            return super().invoke(ctx)
        finally:
            timer.cancel()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the words too many: there are none, unless a shell completes them."""
        try:
            *_, given = self.make_parser(ctx).parse_args(list(args))
            extra = super().parse_args(ctx, args)
        except click.BadOptionUsage as error:
            raise _with_choices(self, error, ctx) from None
        except click.NoSuchOption as error:
            raise _with_commands(self, error, ctx) from None
        _refuse_rivals(given, ctx)
        if extra and not ctx.resilient_parsing:
            arguments = [param for param in self.params if isinstance(param, click.Argument)]
            takes = listed([param.human_readable_name for param in arguments]) if arguments else "only options"
            boards = any(isinstance(param.type, BoardArgument) for param in arguments)
            more = self.more or (
                'write a board as one word in quotes, such as "##1/221/000"' if boards else "leave it out"
            )
            if _ENDING.search(extra[0]) and any("-o" in param.opts for param in self.params):
                more = "write the file to save as -o {}"
            ctx.fail(f"{self.name} takes {takes}; {extra[0]!r} is one word too many: {more.format(extra[0])}")
        return extra


def _refuse_rivals(given: list[click.Parameter], ctx: click.Context) -> None:
    """Refuse two options that answer the same question, such as --json and --csv: one would be forgotten."""
    answers: dict[str | None, click.Parameter] = {}
    for param in given:
        other = answers.setdefault(param.name, param)
        if other is not param:
            ctx.fail(f"give {other.opts[0]} or {param.opts[0]}, not both")


def _with_choices(command: click.Command, error: click.BadOptionUsage, ctx: click.Context) -> click.BadOptionUsage:
    """The error for an option without its value, with the values that there are."""
    option = next((param for param in command.params if error.option_name in param.opts), None)
    choices = f": {', '.join(option.type.choices)}" if option and isinstance(option.type, click.Choice) else ""
    return click.BadOptionUsage(error.option_name, error.message.removesuffix(".") + choices, ctx)


def _with_commands(command: click.Command, error: click.NoSuchOption, ctx: click.Context) -> click.UsageError:
    """The error for an option that only other commands have, with their names; and with the one that is meant here.

    That is one that does the same here under another name, or several times.
    """
    group = ctx.find_root().command
    names = [
        name
        for name, other in getattr(group, "commands", {}).items()
        if any(error.option_name in param.opts for param in other.params)
    ]
    if not names:
        return error
    has = "has" if len(names) == 1 else "have"
    here = [name for param in command.params for name in param.opts if isinstance(param, click.Option)]
    alike = [*_ALIKE.get(error.option_name, ()), f"{error.option_name}s"]
    likely = " or ".join(repr(name) for name in alike if name in here)
    advice = f"; did you mean {likely}?" if likely else ""
    return click.UsageError(f"{command.name} has no {error.option_name}; {listed(names)} {has} it{advice}", ctx)


class BoardArgument(click.ParamType):  # type: ignore[type-arg]
    """A board file, `-` for standard input, or the board itself."""

    name = "board"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Board:
        """Return the board; a file of this name is preferred to a board written like it."""
        from mines_dd.board.board import Board
        from mines_dd.board.files import read_board_file

        if isinstance(value, Board):
            return value
        if value == "":
            raise BoardFormatError("the board is empty; give a board file, - for standard input, or the board itself")
        if value == "-":
            _claim_standard_input(param, ctx)
            _say_what_to_type("the board, one line a row")
        if value == "-" or os.path.exists(value):
            return read_board_file(value)
        if _is_board_text(value):
            return Board.parse(value)
        raise BoardFormatError(
            f"cannot read {shown(value, 300)}: there is no such file{_suggestion(value)}; give a board file, - for "
            'standard input, or the board itself in quotes, such as "##1/221/000" (a cell is #, 0-8, F or *)'
        )

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Say what a board is: a shell takes one without quotes for a comment."""
        return 'Give a board file, - for standard input, or the board itself in quotes, such as "##1/221/000".'

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete file names."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class Choice(click.Choice):  # type: ignore[type-arg]
    """One of some words, in small letters or large; the error for another one suggests the nearest."""

    def __init__(self, choices: Sequence[str]) -> None:
        """Make the type."""
        super().__init__(choices, case_sensitive=False)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Say what there is, and what may have been meant."""
        words = list(map(str, self.choices))
        return f"{value!r} is none of {', '.join(words)}{meant(str(value), words)}"


_STANDARD_INPUT = f"{__name__}.standard_input"


def _is_typed(ctx: click.Context) -> bool:
    """Whether a command is going to read a file from a terminal; boards are read already."""
    param = ctx.meta.get(_STANDARD_INPUT)
    return param is not None and isinstance(param.type, InputFile) and _reads_terminal()


def _reads_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _claim_standard_input(param: click.Parameter | None, ctx: click.Context | None) -> None:
    """Refuse a second `-` in a command."""
    if param is None or ctx is None:
        return
    if _STANDARD_INPUT in ctx.meta:
        first = ctx.meta[_STANDARD_INPUT]
        one, other = (f.make_metavar(ctx) if isinstance(f, click.Argument) else f.opts[0] for f in (first, param))
        both = f"{one} is - twice" if first is param else f"{one} and {other} are both -"
        raise MinesError(f"{both}; standard input can be read once, so give a file for one of them")
    ctx.meta[_STANDARD_INPUT] = param


def _say_what_to_type(what: str) -> None:
    """Tell who starts a command that reads a terminal that it waits for them."""
    if _reads_terminal():
        click.echo(f"mines-dd: type {what}, then Ctrl-D", err=True)


class InputFile(click.Path):
    """A file that is there, or `-` for standard input."""

    def __init__(self, wanted: str = "a file", *, folder: bool = False) -> None:
        """Make the type; `wanted` is what may be given, and a `folder` whether one of files will do, too."""
        super().__init__(allow_dash=True)
        self.wanted, self.folder = wanted, folder

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the file's name.

        Raises
        ------
        MinesError
            If there is no such file, for which the error suggests one, or it cannot be read.
        """
        wrong = ""
        if value == "-":
            _claim_standard_input(param, ctx)
            _say_what_to_type("the lines of the file")
        elif not os.path.exists(value):
            wrong = f"there is no such file{_suggestion(value)}"
        elif os.path.isdir(value) and not self.folder:
            wrong = "it is a folder"
        elif not os.access(value, os.R_OK):
            wrong = "there is no right to read it"
        if wrong:
            raise MinesError(f"cannot read {shown(value, 300)}: {wrong}; give {self.wanted}, or - for standard input")
        return value


class OutputFile(click.Path):
    """A file to write, refused before any work is done if it cannot be written."""

    def __init__(self, *, picture: bool = False) -> None:
        """Make the type; a `picture` is one that matplotlib draws."""
        super().__init__()
        self.picture = picture

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the file's name.

        Raises
        ------
        MinesError
            If the file cannot be written; if it is no picture, or matplotlib is not there to draw it.
        """
        name = str(super().convert(value, param, ctx))
        if name == "-":
            raise MinesError("this option writes a file: give its name instead of -, such as /dev/stdout")
        folder = os.path.dirname(name) or "."
        if self.picture and not name.lower().endswith(_PICTURES):
            raise MinesError(f"cannot draw to {name!r}; the name of a picture ends in {', '.join(_PICTURES)}")
        if not os.path.isdir(folder):
            raise MinesError(f"cannot write {name!r}: there is no folder {folder!r}")
        if os.path.isdir(name):
            raise MinesError(f"cannot write {name!r}: it is a folder; name a file in it")
        target, where = (name, "it") if os.path.exists(name) else (folder, "there")
        if not os.access(target, os.W_OK):
            raise MinesError(f"cannot write {name!r}: there is no right to write {where}")
        if self.picture and find_spec("matplotlib") is None:
            from mines_dd.board.picture import NO_MATPLOTLIB

            raise MinesError(NO_MATPLOTLIB)
        return name


class Amount(click.ParamType):  # type: ignore[type-arg]
    """A whole number, or a share such as 0.3 or 30%."""

    name = "number or share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return an int for a number and a float for a share."""
        if not isinstance(value, str):
            return float(value)
        try:
            number = float(value.removesuffix("%"))
            if math.isfinite(number):
                if value.endswith("%") and not 0 <= number <= 100:
                    self.fail(f"{value!r} is no share; write 0% to 100%", param, ctx)
                return number / 100 if value.endswith("%") else number if {".", "e"} & {*value.lower()} else int(value)
        except ValueError:
            pass
        self.fail(f"{value!r} is neither a number such as 40 nor a share such as 0.3 or 30%", param, ctx)


class Number(click.ParamType):  # type: ignore[type-arg]
    """A number within bounds."""

    name = "number"
    kind: type[int | float] = float

    def __init__(self, least: float | None = None, most: float | None = None, *, above: float | None = None) -> None:
        """Make the type; the number is at least `least`, at most `most`, and greater than `above`."""
        self.least, self.most, self.above = least, most, above

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        with suppress(ValueError):
            number = self.kind(str(value).replace("_", "?"))  # Python takes 1_0 for 10
            enough = (self.least is None or number >= self.least) and (self.above is None or number > self.above)
            if enough and (self.most is None or number <= self.most):
                return number
        self.fail(f"give a {self.name}{bounded(self.least, self.most, self.above)}, not {value!r}", param, ctx)


class Whole(Number):
    """A whole number within bounds."""

    name = "whole number"
    kind = int


def _is_board_text(value: str) -> bool:
    """Whether a text is meant as a board, if with wrong cells; `..` and the like are paths."""
    if value[:1] in ("{", "[") or "#" in value or "\n" in value or _ONE_LINE.fullmatch(value):
        return True
    rows = value.strip("/").split("/")
    return len(value) > 2 and _ALMOST.fullmatch(value) is not None and len({*map(len, rows)}) == 1


def _suggestion(value: str) -> str:
    """What may have been meant by the name of a file that is not there."""
    from mines_dd.board.examples import EXAMPLES, OTHER_EXAMPLES

    if value in EXAMPLES | OTHER_EXAMPLES:
        return f" (mines-dd example {value} prints the example of that name)"
    if os.path.islink(value):
        return " (it is a link that leads nowhere)"
    folder, name = os.path.split(value)
    try:
        near = difflib.get_close_matches(name, os.listdir(folder or "."), 1, 0.75)
    except (OSError, ValueError):  # no such folder, or no such name is possible
        return ""
    return f" (did you mean {os.path.join(folder, near[0])!r}?)" if near else ""


def board_argument(command: Command) -> Command:
    """Add the argument BOARD to a command."""
    return click.argument("board", type=BoardArgument())(command)


def output_options(*, rows: str = "") -> Callable[[Command], Command]:
    """Add `--json` and, if `rows` says what a row is, `--csv`; the parameter `form` is "text", "json" or "csv"."""

    def add(command: Command) -> Command:
        if rows:
            text = f"Print CSV: a header, then one row {rows}."
            command = click.option("--csv", "form", flag_value="csv", help=text)(command)
        return click.option("--json", "form", flag_value="json", default="text", help="Print JSON.")(command)

    return add


def timeout_option(default: float, text: str, most: float | None = None) -> Callable[[Command], Command]:
    """Add `--timeout` with this default, of more than 0 seconds; `text` is its help."""
    return click.option(
        "--timeout",
        type=Number(above=0, most=most),
        default=default,
        show_default=True,
        metavar="SECONDS",
        help=text,
    )


def budget_options(
    timeout: float | None = None, max_nodes: int | None = None, *, nodes: str = "nodes"
) -> Callable[[Command], Command]:
    """Add `--max-nodes` and `--timeout` with these defaults; `nodes` names what is counted."""

    def add(command: Command) -> Command:
        command = click.option(
            "--timeout",
            type=Number(0),
            default=timeout,
            show_default=True,
            metavar="SECONDS",
            help="Stop with an error after SECONDS seconds.",
        )(command)
        return click.option(
            "--max-nodes",
            type=Whole(1),
            default=max_nodes,
            show_default=True,
            metavar="NODES",
            help=f"Stop with an error at more than NODES {nodes}.",
        )(command)

    return add


def solving_options(command: Command) -> Command:
    """Add the options of `solve`: method, order, simplification and budget."""
    for option in (
        budget_options(),
        click.option("--simplify/--no-simplify", default=True, show_default=True, help="Simplify the board first."),
        click.option(
            "--order",
            type=Choice(ORDERS),
            default="auto",
            show_default=True,
            help="The order of cells; for the method tree auto, min-fill or min-degree.",
        ),
        click.option(
            "--method",
            type=Choice(("auto", *METHODS)),
            default="auto",
            show_default=True,
            help="The algorithm; all find the same assignments.",
        ),
    ):
        command = option(command)
    return command


def total_option(command: Command) -> Command:
    """Add `--mines`, the total number of mines if it is not the board's own."""
    text = "The total number of mines; by default the board's own."
    return click.option("--mines", type=Whole(0), metavar="TOTAL", help=text)(command)


def picture_option(command: Command) -> Command:
    """Add `-o FILE` for a picture of the board."""
    text = "Also save a picture: a .png, .svg or .pdf file."
    return click.option("-o", "--output", type=OutputFile(picture=True), metavar="FILE", help=text)(command)


def examples(*lines: str) -> str:
    """Return the epilogue of a command's help: examples to try."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def solve_board(board: Board, how: dict[str, Any]) -> Assignments:
    """Solve a board with the values of `solving_options`."""
    from mines_dd.answers.solver import solve

    simplified = "" if how["simplify"] else "leave out --no-simplify, or "
    with budget_advice(simplified + "try another --method or --order (mines-dd compare --plan says what each needs)"):
        return solve(board, **how)


def time_for(how: dict[str, Any]) -> Budget:
    """The `--timeout` of `solving_options`, from now on: for solving a board and for what it is asked then."""
    from mines_dd.base.budget import Budget

    return Budget(timeout=how["timeout"])


@contextmanager
def budget_advice(otherwise: str) -> Iterator[None]:
    """Make budget errors name the option of `budget_options` to raise, and what to do `otherwise`."""
    try:
        yield
    except BudgetExceededError as error:
        options = {"nodes": "--max-nodes", "terms": "--max-nodes", "seconds": "--timeout"}
        more = f"allow more with {options[error.unit]}, or " if error.unit in options else ""
        raise BudgetExceededError(
            error.fact, needed=error.needed, allowed=error.allowed, unit=error.unit, advice=more + otherwise
        ) from error


def first(items: Iterable[Item], number: int | None) -> Iterator[Item]:
    """Return the first items, so many, however large that number is; all of them for None."""
    return islice(items, None if number is None else min(number, sys.maxsize))


CELL_COLUMNS = ("row", "column", "probability", "exact")
"""The header of the CSV of probabilities."""


def emit(
    form: str, value: Any, text: str, rows: Iterable[Mapping[str, Any]] | None = None, header: Iterable[str] = ()
) -> None:
    """Print a result in the form that the user chose; without `rows` the value is the only row of the CSV.

    A `header` is for rows of which there may be none.
    """
    if form == "csv":
        print_csv([value] if rows is None else rows, header)
    else:
        click.echo(json.dumps(value, default=str) if form == "json" else text)


@contextmanager
def writing(file: str | None, write: Callable[[str], object]) -> Iterator[None]:
    """Write a file, if one is asked for, then print the answer in the context; what went wrong with it is said last."""
    wrong = None
    if file is not None:
        try:
            write(file)
        except MinesError as error:
            wrong = error
    yield
    if wrong is not None:
        raise wrong


def refuse_options(what: str, *names: str) -> None:
    """Refuse options that were given, and would change nothing; `what` says what they are for."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} is for {what}")


def needs_total(found: Analysis) -> bool:
    """Whether a total number of mines would tell more: there is none, and not every closed cell is certain."""
    return found.total is None and len(found.safe) + len(found.mines) < len(found.board.closed())


def print_csv(rows: Iterable[Mapping[str, Any]], header: Iterable[str] = ()) -> None:
    """Print records as CSV, each at once; without a `header` the keys of the first record are the header."""
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
    """Return positions as `row,column` with blanks between; a dash if there is none."""
    return " ".join(f"{r},{c}" for r, c in sorted(positions)) or "-"
