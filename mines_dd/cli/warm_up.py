"""`mines-dd warm-up`: compile the kernels of boards and games now, so that no later command has to."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mines_dd.base.errors import MinesError
from mines_dd.cli.common import Subcommand, examples

if TYPE_CHECKING:
    from mines_dd.board.board import Board

__all__ = ["warm_up"]

_ONE_HINT = "mines: 10/" + "/".join(["#########"] * 4 + ["####1####"] + ["#########"] * 4)
_ENTANGLED = "/".join(["########", "#2#2#2##"] * 4)


@click.command("warm-up", cls=Subcommand, epilog=examples("mines-dd warm-up"))
@click.option("--beside", is_flag=True, hidden=True, help="Compile what another process asks for on standard input.")
def warm_up(beside: bool) -> None:
    """Compile the kernels for Minesweeper, and keep them on disk.

    Commands compile what they need when they first need it, which takes some seconds.  What was compiled stays until
    the package, or one that it uses, changes.  The kernels of `build` and of the commands for other games are not among
    them.
    """
    if beside:
        _help_another_process()
        return
    from tqdm import tqdm

    from mines_dd.base.compiling import progress
    from mines_dd.base.jit import all_compiled, compile_seconds

    started = time.monotonic()
    with all_compiled():
        for title, use in tqdm(list(_uses()), unit="part", leave=False, disable=None):
            use()
            tqdm.write(f"{time.monotonic() - started:5.0f} s  {title}")
    if progress.kept.startswith("not kept"):
        raise MinesError(f"the machine code is {progress.kept}")
    click.echo(f"Compiled in {compile_seconds():.0f} s.")


def _help_another_process() -> None:
    """Compile what another process will need, from the end of the list; only that process handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from mines_dd.base.backwards import compile_beside

    compile_beside([use for _, use in _uses()], sys.stdin, sys.stdout)


def _uses() -> Iterator[tuple[str, Callable[[], object]]]:
    """A use of every kernel, with what it is for; each takes some tenths of a second interpreted."""
    from mines_dd.answers.analysis import analyse
    from mines_dd.answers.solver import solve
    from mines_dd.board.board import Board
    from mines_dd.board.examples import example
    from mines_dd.play.advice import advise
    from mines_dd.play.games import Level
    from mines_dd.play.no_guess import no_guess_board

    board = Board.parse(example("beginner"))
    random = Board.random(12, 12, 0.2, 0.3, seed=1)
    yield "the method tree", partial(_probabilities, random, "tree")
    yield "weighing positions", _weigh
    yield "games", _play
    for method in ("dc", "bdd", "zdd", "zdd-span"):  # dc has all kernels of the others, for who compares them
        yield f"the method {method}", partial(_probabilities, random, method)
    yield "orders", lambda: [solve(random, "tree", order).count() for order in ("min-fill", "min-degree")]
    yield "approximate probabilities", lambda: solve(random).approximate_probabilities()
    yield "large boards", lambda: analyse(Board.random(40, 40, 0.2, 0.3, seed=1), 320)
    yield "samples", lambda: solve(random).sample(3, seed=1)
    yield "the analysis with a total", lambda: analyse(board)
    yield "advice", lambda: advise(board)
    yield "guesses", lambda: advise(Board.parse(_ONE_HINT))
    yield "boards without guesses", lambda: no_guess_board(Level(9, 9, 10), seed=1)


def _weigh(as_part: bool = False) -> None:
    """Weigh a position with some thousand states, and look for a better order, as with more it would."""
    import numpy as np

    from mines_dd.board.board import Board
    from mines_dd.constraints.graph import Instance
    from mines_dd.orders.cells import greedy_order
    from mines_dd.orders.sums import hint_rows
    from mines_dd.play.border import MOST_STATES, weigh
    from mines_dd.play.field import make_field
    from mines_dd.play.ranking import position_of

    board = Board.parse(_ENTANGLED)
    seen = position_of(board)
    arguments = make_field(*board.size, 12), seen, 12, np.empty(seen.size), MOST_STATES
    if not as_part:
        weigh.attempt(*arguments)
    with np.errstate(over="ignore"):  # of random numbers
        if as_part:
            weigh(*arguments)
        greedy_order(hint_rows(Instance.from_board(board)), 2)


def _play() -> None:
    """Play games that have to guess, look ahead, and search an end and a region."""
    from mines_dd.play.field import make_field
    from mines_dd.play.games import deal
    from mines_dd.play.player import POLICIES, play_game

    policy = POLICIES["best"]._replace(layouts=30, positions=300, region=8, breadth=3, states=2000)
    for rows, cols, mines, seed in [(5, 5, 6, 0), (6, 6, 9, 1), (6, 6, 9, 2), (5, 8, 9, 2)]:
        field = make_field(rows, cols, mines)
        play_game(field, deal(field, mines, 0, seed=seed), 0, policy)
    _weigh(as_part=True)


def _probabilities(board: Board, method: Any) -> None:
    from mines_dd.answers.solver import solve

    solve(board, method).probabilities()
