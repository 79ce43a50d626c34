"""The command line: `mines-dd COMMAND BOARD`.

Exit codes: 0 fine, 1 a negative answer or a disagreement, 2 bad input, 3 over budget, 130 interrupted.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mines_dd import __version__
from mines_dd.cli.export import export
from mines_dd.cli.play import LEVELS, play
from mines_dd.cli.serve import serve
from mines_dd.cli.shiritori import shiritori
from mines_dd.cli.strings import strings
from mines_dd.cli.umigame import umigame
from mines_dd.errors import BudgetExceededError, MinesError

if TYPE_CHECKING:
    from mines_dd.assignments import Assignments
    from mines_dd.board import Board

__all__ = ["main"]

Command = TypeVar("Command", bound=Callable[..., Any])
METHODS = ("bdd", "zdd", "dc", "tree")
ORDERS = "auto, row, column, greedy or tree; for the method tree auto, min-fill or min-degree."


class BoardArgument(click.ParamType):  # type: ignore[type-arg]
    """A board file, or `-` for standard input."""

    name = "board"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Board:
        """Read the board."""
        from mines_dd.board import Board
        from mines_dd.boardfiles import read_board_file

        return value if isinstance(value, Board) else read_board_file(value)


class Amount(click.ParamType):  # type: ignore[type-arg]
    """A whole number, or a share such as 0.3 or 30%."""

    name = "number or share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return an int for a number and a float for a share."""
        if not isinstance(value, str):
            return float(value)
        try:
            if value.endswith("%"):
                return float(value[:-1]) / 100
            return float(value) if "." in value or "e" in value.lower() else int(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number such as 40 nor a share such as 0.3 or 30%", param, ctx)


def board_argument(command: Command) -> Command:
    """Take a board as the argument, and `--json`."""
    command = click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)
    return click.argument("board", type=BoardArgument())(command)


def solving_options(command: Command) -> Command:
    """Say how to solve."""
    for option in reversed(
        [
            click.option("--method", type=click.Choice(("auto", *METHODS)), default="auto", show_default=True),
            click.option("--order", default="auto", show_default=True, help=ORDERS),
            click.option("--simplify/--no-simplify", default=True, show_default=True, help="Reduce the board first."),
            click.option("--max-nodes", type=click.IntRange(min=1), help="Give up beyond so many nodes."),
            click.option("--timeout", type=click.FloatRange(min=0), help="Give up after so many seconds."),
        ]
    ):
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mines-dd")
def cli() -> None:
    """All mine assignments of a Minesweeper board: counted, listed, sampled, drawn.

    BOARD is a file, or - for standard input: one line a row, # for a closed cell, 0-8 for a count, F for a flag, *
    for a known mine.  Files of other programs are read too: .mbf, .mine and .rawvf.

    \b
    Examples:
      mines-dd count data/figure10.txt
      mines-dd prob data/figure9.txt
      mines-dd generate 9 9 --mines 10 --hints 20 --seed 1 | mines-dd compare -
    """  # noqa: D301 (click reads the character \b)


cli.add_command(export)
cli.add_command(play)
cli.add_command(serve)
cli.add_command(shiritori)
cli.add_command(strings)
cli.add_command(umigame)


@cli.command()
@board_argument
@solving_options
def count(board: Board, as_json: bool, **how: Any) -> None:
    """Print the exact number of mine assignments."""
    family = _solve(board, how)
    emit({"count": family.count(), "cells": len(family.cells)}, str(family.count()), as_json)


@cli.command()
@board_argument
@solving_options
@click.option("--digits", type=click.IntRange(1, 15), default=3, show_default=True)
@click.option("--exact", is_flag=True, help="Print fractions.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Save a picture too: .png, .svg or .pdf.")
def prob(board: Board, as_json: bool, digits: int, exact: bool, output: str | None, **how: Any) -> None:
    """Print the board with each cell's mine probability in place.

    All assignments count the same; the total number of mines is not used.
    """
    share: dict[Any, Any] = _solve(board, how).probabilities()
    if output is not None:
        from mines_dd.plot import save_board

        save_board(output, board, share)
    records = [{"row": r, "column": c, "probability": float(p), "exact": str(p)} for (r, c), p in share.items()]
    shown = {p: str(x) if exact else f"{float(x):.{digits}f}" for p, x in share.items()}
    emit({"cells": records}, probability_text(board, shown), as_json)


@cli.command()
@board_argument
@click.option("--mines", type=click.IntRange(min=0), help="The total number of mines; by default the board's own.")
@click.option("--density", type=click.FloatRange(0, 1, True, True), help="The share of mines, in place of a total.")
@click.option("--digits", type=click.IntRange(1, 15), default=2, show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Save a picture too: .png, .svg or .pdf.")
def analyse(
    board: Board, as_json: bool, mines: int | None, density: float | None, digits: int, output: str | None
) -> None:
    """Print every closed cell's mine probability, with the total number of mines, and what is certain."""
    from mines_dd.analysis import analyse

    found = analyse(board, mines, density)
    if output is not None:
        from mines_dd.plot import save_board

        save_board(output, board, found.exact)
    value = {
        "count": found.count,
        "total": found.total,
        "safe": sorted(found.safe),
        "mines": sorted(found.mines),
        "best": found.best,
        "cells": [
            {"row": r, "column": c, "probability": float(p), "exact": str(p)} for (r, c), p in found.exact.items()
        ],
    }
    lines = [
        probability_text(board, {p: f"{float(share):.{digits}f}" for p, share in found.exact.items()}),
        "",
        f"layouts: {_short(found.count)}" if found.total is not None else f"assignments: {_short(found.count)}",
        f"safe: {positions_text(found.safe)}",
        f"mines: {positions_text(found.mines)}",
        f"best to open: {positions_text([found.best] if found.best else [])}",
    ]
    emit(value, "\n".join(lines), as_json)


@cli.command()
@board_argument
@click.argument("row", type=click.IntRange(min=0))
@click.argument("column", type=click.IntRange(min=0))
@click.option("--mines", type=click.IntRange(min=0), help="The total number of mines; by default the board's own.")
def explain(board: Board, as_json: bool, row: int, column: int, mines: int | None) -> None:
    """Say why a closed cell is safe or a mine (a minimal set of hints), or what its probability rests on.

    ROW and COLUMN count from 0.
    """
    from dataclasses import asdict

    from mines_dd.conflict import explain

    found = explain(board, (row, column), mines)
    emit(asdict(found), found.text(), as_json)


def positions_text(positions: Iterable[tuple[int, int]]) -> str:
    """Positions as row,column; a dash for none."""
    return " ".join(f"{r},{c}" for r, c in sorted(positions)) or "-"


def probability_text(board: Board, shown: dict[Any, str]) -> str:
    """The board with texts in place of some cells, in columns."""
    rows, cols = board.size
    table = [[shown.get((r, c), board[r, c]) for c in range(cols)] for r in range(rows)]
    width = max(len(text) for row in table for text in row)
    return "\n".join(" ".join(text.rjust(width) for text in row) for row in table)


@cli.command(name="list")
@board_argument
@solving_options
@click.option("--limit", type=click.IntRange(min=0), help="Print at most so many.")
@click.option("--boards", is_flag=True, help="Print each as a board.")
def list_(board: Board, as_json: bool, limit: int | None, boards: bool, **how: Any) -> None:
    """Print the mine assignments, one a line, as the positions row,column of the mines."""
    from itertools import islice

    print_assignments(board, islice(iter(_solve(board, how)), limit), as_json, boards)


@cli.command()
@board_argument
@solving_options
@click.option("-n", "number", type=click.IntRange(min=0), default=1, show_default=True)
@click.option("--seed", type=int, help="The same seed draws the same assignments.")
@click.option("--boards", is_flag=True, help="Print each as a board.")
def sample(board: Board, as_json: bool, number: int, seed: int | None, boards: bool, **how: Any) -> None:
    """Print assignments drawn uniformly at random."""
    print_assignments(board, _solve(board, how).sample(number, seed), as_json, boards)


@cli.command()
@board_argument
@click.option("--methods", default=",".join(METHODS), show_default=True, help="Methods, with commas between.")
@click.option("--orders", default="auto", show_default=True, help="Orders, with commas between.")
@click.option("--simplify/--no-simplify", default=False, show_default=True, help="Reduce the board first.")
@click.option("--max-nodes", type=click.IntRange(min=1), default=50_000_000, show_default=True)
@click.option("--timeout", type=click.FloatRange(min=0), default=60, show_default=True, help="Seconds a method.")
@click.option("--plan", is_flag=True, help="Only predict what each method needs on the reduced board; compile nothing.")
def compare(
    board: Board, as_json: bool, methods: str, orders: str, simplify: bool, max_nodes: int, timeout: float, plan: bool
) -> None:
    """Solve with several methods and print one table; exit code 1 if the counts differ."""
    if plan:
        print_plans(board, as_json)
        return
    import time

    from tabulate import tabulate

    from mines_dd.solver import solve

    records: list[dict[str, Any]] = []
    for method in methods.split(","):
        for order in orders.split(","):
            record: dict[str, Any] = {"method": method, "order": order}
            records.append(record)
            started = time.perf_counter()
            try:
                family = solve(board, method, order, simplify, max_nodes, timeout)  # type: ignore[arg-type]
            except BudgetExceededError as error:
                record |= {"build [s]": time.perf_counter() - started, "count": None, "error": str(error)}
                continue
            built = time.perf_counter()
            number = family.count()
            record |= {
                "backend": family.details.get("backend", ""),
                "nodes": family.node_count,
                "build [s]": built - started,
                "count [s]": time.perf_counter() - built,
                "count": number,
            }
    counts = {record["count"] for record in records} - {None}
    shown = [
        [
            record["method"],
            record.get("backend", ""),
            record["order"],
            record.get("nodes", ""),
            f"{record['build [s]']:.4f}",
            f"{record['count [s]']:.4f}" if "count [s]" in record else "",
            _short(record["count"]) if record["count"] is not None else "over budget",
        ]
        for record in records
    ]
    headers = ["method", "backend", "order", "nodes", "build [s]", "count [s]", "count"]
    emit({"runs": records, "agree": len(counts) <= 1}, tabulate(shown, headers, disable_numparse=True), as_json)
    if len(counts) > 1:
        click.echo("mines-dd: the methods disagree; please report this board", err=True)
        sys.exit(1)


def print_plans(board: Board, as_json: bool) -> None:
    """Print what each method is predicted to need."""
    from tabulate import tabulate

    from mines_dd.solver import plans

    records = [
        {
            "method": plan.method,
            "width": plan.cost.width,
            "log2 bound": plan.cost.log2_bound,
            "entries": plan.cost.entries,
            "peak": plan.cost.peak,
            "MiB": plan.bytes / 2**20,
            "seconds": plan.seconds,
        }
        for plan in plans(board)
    ]
    shown = [[r["method"], r["width"], *(f"{value:.3g}" for value in list(r.values())[2:])] for r in records]
    text = (
        tabulate(shown, list(records[0]), disable_numparse=True)
        if records
        else "the board is inconsistent: nothing to do"
    )
    emit({"plans": records}, text, as_json)


@cli.command()
@board_argument
@solving_options
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="A .dot file, or .svg, .png, .pdf by Graphviz.")
def draw(board: Board, as_json: bool, output: str | None, **how: Any) -> None:
    """Draw the compiled diagram (DOT): dashed arcs for no mine, solid arcs for a mine."""
    import shutil
    import subprocess

    family = _solve(board, how)
    text = family.to_dot()
    if output is None:
        emit({"dot": text, "nodes": family.node_count}, text.rstrip("\n"), as_json)
        return
    kind = os.path.splitext(output)[1].lstrip(".").lower()
    if kind in ("dot", "gv"):
        with open(output, "w", encoding="utf-8") as file:
            file.write(text)
    elif kind not in ("svg", "png", "pdf"):
        raise MinesError(f"cannot draw to {output!r}; its name ends in .dot, .svg, .png or .pdf")
    elif shutil.which("dot") is None:
        raise MinesError(f"drawing a .{kind} file needs Graphviz's program dot; install it, or write a .dot file")
    else:
        subprocess.run(["dot", f"-T{kind}", "-o", output], input=text, text=True, check=True)
    emit({"output": output, "nodes": family.node_count}, f"{output}: {family.node_count} nodes", as_json)


@cli.command()
@click.argument("rows", type=click.IntRange(min=1), required=False)
@click.argument("cols", type=click.IntRange(min=1), required=False)
@click.option("--level", type=click.Choice(LEVELS), help="A usual size and number of mines, in place of ROWS and COLS.")
@click.option("--mines", type=Amount(), help="A number, or a share of all cells; 20% by default.")
@click.option(
    "--hints", type=Amount(), default="30%", show_default=True, help="A number, or a share of the safe cells."
)
@click.option("--no-guess", is_flag=True, help="A board that certain steps alone win, opened in the middle.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed makes the same board.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the layout.")
def generate(
    rows: int | None,
    cols: int | None,
    level: str | None,
    mines: float | None,
    hints: float,
    no_guess: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Print a random board: mines placed, then safe cells opened one by one (the paper's instances).

    With --no-guess, one cell opened with its area, on a board that is won without a guess.

    \b
    Examples:
      mines-dd generate 30 30 --mines 30% --hints 50% --seed 1
      mines-dd generate --level expert --no-guess --seed 3
    """  # noqa: D301 (click reads the character \b)
    from mines_dd.board import Board

    if (level is None) == (cols is None):
        raise click.UsageError("give ROWS and COLS, or --level")
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
    click.echo(board.to_json() if as_json else board.to_text(), nl=as_json)


def emit(value: Any, text: str, as_json: bool) -> None:
    """Print a result, as JSON or as text."""
    click.echo(json.dumps(value, default=str) if as_json else text)


def print_assignments(board: Board, family: Iterable[frozenset[Any]], as_json: bool, boards: bool) -> None:
    """Print assignments as they come: JSON lines, boards, or one line of positions each."""
    for mines in family:
        if as_json:
            click.echo(json.dumps(sorted(mines)))
        elif boards:
            rows, cols = board.size
            text = ["".join("*" if (r, c) in mines else board[r, c] for c in range(cols)) for r in range(rows)]
            click.echo("\n".join(text) + "\n")
        else:
            click.echo(" ".join(f"{r},{c}" for r, c in sorted(mines)))


def _short(number: int) -> str:
    """All digits of a number if there are few."""
    text = str(number)
    return text if len(text) <= 30 else f"{text[0]}.{text[1:9]}e+{len(text) - 1}"


def _solve(board: Board, how: dict[str, Any]) -> Assignments:
    from mines_dd.solver import solve

    return solve(board, **how)


def main() -> None:
    """Run the command line."""
    sys.set_int_max_str_digits(0)
    try:
        code = cli.main(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except BudgetExceededError as error:
        click.echo(f"mines-dd: {error}", err=True)
        sys.exit(3)
    except MinesError as error:
        click.echo(f"mines-dd: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader has had enough (`mines-dd list ... | head`).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (click.Abort, KeyboardInterrupt):
        click.echo("mines-dd: interrupted", err=True)
        sys.exit(130)
