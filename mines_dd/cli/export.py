"""`mines-dd export BOARD`: the board in the formats of other programs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from mines_dd.base.writing import write_file
from mines_dd.cli.common import Choice, OutputFile, Subcommand, board_argument, examples

if TYPE_CHECKING:
    from mines_dd.board.board import Board

__all__ = ["export"]


def _cnf(board: Board) -> bytes:
    from mines_dd.constraints.cnf_opb import to_cnf

    return to_cnf(board).encode()


def _opb(board: Board) -> bytes:
    from mines_dd.constraints.cnf_opb import to_opb

    return to_opb(board).encode()


def _npy(board: Board) -> bytes:
    from io import BytesIO

    import numpy as np

    from mines_dd.answers.interop import to_array

    file = BytesIO()
    np.save(file, to_array(board))
    return file.getvalue()


def _mbf(board: Board) -> bytes:
    from mines_dd.board.files import to_mbf

    return to_mbf(board)


def _mine(board: Board) -> bytes:
    from mines_dd.board.files import to_mine

    return to_mine(board).encode()


_FORMATS: dict[str, Callable[[Board], bytes]] = {
    "text": lambda board: board.to_text().encode(),
    "json": lambda board: f"{board.to_json()}\n".encode(),
    "cnf": _cnf,
    "opb": _opb,
    "npy": _npy,
    "mine": _mine,
    "mbf": _mbf,
}


def _known_endings() -> set[str]:
    """The endings of files that say what is in them."""
    from mines_dd.board.videos import VIDEOS

    return {*_FORMATS, "rawvf", *(ending.lstrip(".") for ending in VIDEOS)}


@click.command(
    cls=Subcommand,
    notice=True,
    more="write a board as one word in quotes, and a format as -f {}",
    epilog=examples("mines-dd example figure10 | mines-dd export - -f cnf", 'mines-dd export "##1/221/000" -f json'),
)
@board_argument
@click.option("-f", "--format", "form", type=Choice(tuple(_FORMATS)), help="The format; by default the ending of FILE.")
@click.option("-o", "--output", type=OutputFile(), metavar="FILE", help="Write to FILE instead of standard output.")
def export(board: Board, form: str | None, output: str | None) -> None:
    """Write a board for other programs.

    \b
    text  the text form of mines-dd, one line for each row
    json  the JSON form of mines-dd, with the layout if it is known
    cnf   DIMACS CNF for SAT solvers and model counters
    opb   pseudo-Boolean constraints (in both, models are mine assignments;
          the total number of mines is no constraint)
    npy   a NumPy array: 0 to 8 a count, -1 closed, -2 flagged, 9 a known mine
    mine  a position for JSMinesweeper
    mbf   the layout of the mines, for Clone and Arbiter
    """  # noqa: D301 (click reads the character \b as "leave these lines alone")
    if form is None:
        ending = os.path.splitext(output or "")[1].lstrip(".").lower()
        form = "text" if ending == "txt" else ending
        if form not in _FORMATS:
            raise click.UsageError(f"say what to write: -f {', '.join(_FORMATS)}; or -o FILE with such an ending")
    elif (ending := os.path.splitext(output or "")[1].lstrip(".").lower()) in _known_endings() and ending != form:
        raise click.UsageError(f"FILE ends in .{ending}, which is another format than -f {form}")
    data = _FORMATS[form](board)
    if output is None:
        click.echo(data, nl=False)
    else:
        write_file(output, data)
