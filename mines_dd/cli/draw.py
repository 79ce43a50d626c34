"""`mines-dd draw`: a picture of the compiled diagram."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.base.wording import counted
from mines_dd.base.writing import write_file
from mines_dd.cli.common import (
    OutputFile,
    Subcommand,
    board_argument,
    emit,
    examples,
    output_options,
    solve_board,
    solving_options,
    time_for,
)

if TYPE_CHECKING:
    from mines_dd.base.budget import Budget
    from mines_dd.board.board import Board
    from mines_dd.diagrams.assignments import Assignments
    from mines_dd.frontier.topdown import TopDownDiagram

__all__ = ["draw", "kind_of", "picture"]

_MOST = 20_000  # nodes of a drawing: nobody sees more


@click.command(
    cls=Subcommand,
    notice=True,
    epilog=examples("mines-dd example figure9 | mines-dd draw - --method zdd -o figure9.svg", 'mines-dd draw "##/2#"'),
)
@board_argument
@solving_options
@click.option("-o", "--output", type=OutputFile(), metavar="FILE", help="Save a .svg, .dot, .png or .pdf file.")
@output_options()
def draw(board: Board, form: str, output: str | None, **how: Any) -> None:
    """Draw the compiled diagram.

    Of bdd, zdd and dc a dashed arc means that the cell is safe, a solid one that it is a mine; cells that were decided
    before are left out, unless --no-simplify is given.  A node of dc is a cell and one of its hints.  Of tree, which
    auto mostly takes, it is a circuit: + adds, a point multiplies, a box says how many of some equal cells are mines.
    The board's own total is not used.  Without -o the diagram is printed in the DOT language.  A large .svg file and
    any .png or .pdf file need Graphviz's program dot.  At most 20,000 nodes are drawn.
    """
    kind = kind_of("drawing.dot" if output is None else output)
    budget = time_for(how)
    family = solve_board(board, how)
    if output is None:
        text = str(picture(family, kind, budget))
        emit(form, {"dot": text, "nodes": family.node_count}, text.rstrip("\n"))
        return
    write_file(output, picture(family, kind, budget))
    emit(form, {"output": output, "nodes": family.node_count}, f"{output}: {counted(family.node_count, 'node')}")


def kind_of(output: str) -> str:
    """Return the kind of picture that a file's name asks for: its ending.

    Raises
    ------
    MinesError
        If no drawing is saved in such a file.
    """
    kind = os.path.splitext(output)[1].lstrip(".").lower()
    if kind not in ("dot", "gv", "svg", "png", "pdf"):
        raise MinesError(f"cannot draw to {output!r}; its name ends in .svg, .dot, .png or .pdf")
    return kind


def picture(drawn: Assignments | TopDownDiagram, kind: str, budget: Budget) -> str | bytes:
    """Return a picture as a file of this kind holds it; Graphviz draws what we do not.

    Raises
    ------
    MinesError
        If there are too many nodes, or it needs Graphviz, and that is not there or fails.
    BudgetExceededError
        If the time is over before Graphviz has drawn it.
    """
    import shutil
    import subprocess

    if drawn.node_count > _MOST:
        raise MinesError(
            f"a drawing of {counted(drawn.node_count, 'node')} would be too large; at most {_MOST:,} are drawn "
            "(in Python, to_dot writes any number)"
        )
    if kind in ("dot", "gv"):
        return drawn.to_dot()
    program = shutil.which("dot")
    if kind == "svg":
        try:
            return drawn.to_svg()
        except MinesError:
            if program is None:
                raise
    if program is None:
        raise MinesError(f"drawing a .{kind} file needs Graphviz's program dot; install it, or write .svg or .dot")
    text = drawn.to_dot().encode()
    seconds = None if budget.timeout is None else max(0.0, budget.seconds_left)
    try:
        done = subprocess.run([program, f"-T{kind}"], input=text, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise BudgetExceededError(
            f"Graphviz had not drawn it after {counted(budget.timeout or 0, 'second')}",
            needed=budget.timeout or 0,
            allowed=budget.timeout or 0,
            unit="seconds",
            advice="allow more with --timeout, or write a .dot file",
        ) from error
    if done.returncode:
        raise MinesError(f"Graphviz could not draw it: {' '.join(done.stderr.decode(errors='replace').split())}")
    return done.stdout
