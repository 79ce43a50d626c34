"""`mines-dd draw`: a picture of the compiled diagram."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from mines_dd.base.errors import MinesError
from mines_dd.cli.common import (
    board_argument,
    emit,
    examples,
    output_options,
    solve_board,
    solving_options,
    write_file,
)

if TYPE_CHECKING:
    from mines_dd.board.board import Board
    from mines_dd.diagrams.assignments import Assignments

__all__ = ["draw"]


@click.command(epilog=examples("mines-dd draw data/figure9.txt --method zdd -o figure9.svg", "mines-dd draw '##/2#'"))
@board_argument
@solving_options
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Save a .svg, .dot, .png or .pdf file."
)
@output_options()
def draw(board: Board, form: str, output: str | None, **how: Any) -> None:
    """Draw the compiled diagram.

    A dashed arc means that the cell is safe, a solid one that it is a mine.  Without -o the diagram is printed in the
    DOT language.  A large .svg file and any .png or .pdf file need Graphviz's program dot.
    """
    kind = os.path.splitext("drawing.dot" if output is None else output)[1].lstrip(".").lower()
    if kind not in ("dot", "gv", "svg", "png", "pdf"):
        raise MinesError(f"cannot draw to {output!r}; its name ends in .svg, .dot, .png or .pdf")
    family = solve_board(board, how)
    if output is None:
        text = family.to_dot()
        emit(form, {"dot": text, "nodes": family.node_count}, text.rstrip("\n"))
        return
    write_file(output, _picture(family, kind))
    emit(form, {"output": output, "nodes": family.node_count}, f"{output}: {family.node_count} nodes")


def _picture(family: Assignments, kind: str) -> str | bytes:
    import shutil
    import subprocess

    if kind in ("dot", "gv"):
        return family.to_dot()
    program = shutil.which("dot")
    if kind == "svg":
        try:
            return family.to_svg()
        except MinesError:
            if program is None:
                raise
    if program is None:
        raise MinesError(f"drawing a .{kind} file needs Graphviz's program dot; install it, or write .svg or .dot")
    done = subprocess.run([program, f"-T{kind}"], input=family.to_dot().encode(), capture_output=True)
    if done.returncode:
        raise MinesError(f"Graphviz could not draw it: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
