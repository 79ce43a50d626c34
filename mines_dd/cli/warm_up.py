"""`mines-dd warm-up`: compile every kernel now, so that no later command has to."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mines_dd.cli.common import METHODS, Subcommand, examples

if TYPE_CHECKING:
    from mines_dd.board.board import Board

__all__ = ["warm_up"]


@click.command("warm-up", cls=Subcommand, epilog=examples("mines-dd warm-up"))
def warm_up() -> None:
    """Compile all kernels and keep them on disk.

    Other commands compile what they need when they first need it, which takes some seconds.  The compiled kernels stay
    until the package, or one that it uses, changes.
    """
    from tqdm import tqdm

    from mines_dd.base.jit import compile_seconds

    os.environ["MINES_DD_JIT"] = "always"
    started = time.monotonic()
    for title, use in tqdm(list(_uses()), unit="part", leave=False):
        use()
        tqdm.write(f"{time.monotonic() - started:5.0f} s  {title}")
    click.echo(f"All is compiled: {compile_seconds():.0f} s.")


def _uses() -> Iterator[tuple[str, Callable[[], object]]]:
    """A use of every kernel, with what it is for."""
    from mines_dd.answers.analysis import analyse
    from mines_dd.answers.solver import solve
    from mines_dd.board.board import Board
    from mines_dd.board.examples import example
    from mines_dd.play.advice import advise
    from mines_dd.play.games import Level
    from mines_dd.play.no_guess import no_guess_board

    board = Board.parse(example("beginner"))
    random = Board.random(12, 12, 0.2, 0.3, seed=1)
    for method in METHODS:
        yield f"the method {method}", partial(_probabilities, random, method)
    yield "orders", lambda: [solve(random, "tree", order).count() for order in ("min-fill", "min-degree")]
    yield "approximate probabilities", lambda: solve(random).approximate_probabilities()
    yield "samples", lambda: solve(random).sample(3, seed=1)
    yield "the analysis with a total", lambda: analyse(board)
    yield "advice", lambda: advise(board)
    yield "boards without guesses", lambda: no_guess_board(Level(9, 9, 10), seed=1)


def _probabilities(board: Board, method: Any) -> None:
    from mines_dd.answers.solver import solve

    solve(board, method).probabilities()
