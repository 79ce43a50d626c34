"""`mines-dd play`: the move to make, or whole games."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from mines_dd.base.errors import MinesError
from mines_dd.base.wording import counted, place
from mines_dd.base.writing import write_file
from mines_dd.cli.common import (
    BoardArgument,
    Choice,
    OutputFile,
    Subcommand,
    Whole,
    budget_advice,
    emit,
    examples,
    needs_total,
    output_options,
    refuse_options,
    timeout_option,
    total_option,
    writing,
)

if TYPE_CHECKING:
    from mines_dd.board.board import Board

__all__ = ["play"]

LEVELS = ("beginner", "beginner-8x8", "intermediate", "expert", "evil", "evil-16x30")
POLICIES = ("safest", "endgame", "ahead", "best")
_MOST_GAMES = 10**9


@click.command(
    cls=Subcommand,
    epilog=examples(
        "mines-dd example fifty-fifty | mines-dd play -",
        "mines-dd play --level expert --seed 3",
        "mines-dd play --level beginner --rule zero --games 100 --csv",
        "mines-dd play --level expert --record game.rawvf",
    ),
)
@click.argument("board", type=BoardArgument(), required=False)
@total_option
@click.option(
    "--policy",
    type=Choice(POLICIES),
    default="best",
    show_default=True,
    help="How to choose a cell if none is safe.",
)
@click.option("--level", type=Choice(LEVELS), help="Play a random game of this level instead.")
@click.option(
    "--rule",
    type=Choice(("safe", "zero")),
    help="The first cell: see above.  [default: safe; nothing for a file that says where the mines are]",
)
@click.option(
    "--games",
    type=Whole(1, _MOST_GAMES),
    default=1,
    show_default=True,
    metavar="N",
    help="Play N games; of several, print how many are won.",
)
@click.option(
    "--seed",
    type=Whole(0),
    default=0,
    show_default=True,
    metavar="N",
    help="The same seed gives the same games.",
)
@timeout_option(60, "Look no further at a board after SECONDS seconds.")
@click.option(
    "--record",
    type=OutputFile(),
    metavar="FILE",
    help="Write the game played as a replay in RAWVF, which mines-dd coach reads.",
)
@output_options(rows="for each cell compared, or for the games played")
def play(
    board: Board | None,
    mines: int | None,
    policy: str,
    level: str | None,
    rule: str | None,
    games: int,
    seed: int,
    timeout: float,
    record: str | None,
    form: str,
) -> None:
    """Print the best move on a board, and why, or play random games.

    Below the move are the cells that were compared: dead is one whose number tells nothing, 50/50 one of two
    neighbours that no number decides between.  They are compared by wins, the share of the layouts that the best play
    wins; by prospects, the chance to survive the cell and the openings after it; or by rank, the chance that it is
    safe, raised a little by the chance that it opens an area.  In CSV and JSON this is the score.

    The total number of mines is the board's own, from a line such as mines: 10, or --mines; without one only risks are
    compared.  The first cell of a game is safe (--rule safe), or also has no mine around it (--rule zero).

    Ctrl-C ends --games with the score of those played so far, and exit code 130.
    """
    if (board is None) == (level is None):
        raise click.UsageError(
            'give a board (a file, - for standard input, or its rows in quotes, such as "##1/221/000") or --level for '
            "random games" + (", not both" if board is not None else "")
        )
    if record is not None and games > 1:
        raise click.UsageError("--record writes one random game; leave out --games")
    if record is not None and os.path.splitext(record)[1].lower() not in ("", ".rawvf", ".txt"):
        raise MinesError(f"{record!r} would be a replay in RAWVF named like another file; let the name end in .rawvf")
    if board is not None:
        refuse_options("random games; give --level, and no board", "games", "seed", "record")
    else:
        refuse_options("a board; leave it out with --level", "mines", "timeout")
    header: tuple[str, ...] = ()
    replay = ""
    if board is not None:
        value, text = _move(board, mines, rule, policy, timeout)
        rows, header = [_row(**candidate) for candidate in value["ranking"]], _COMPARED
    else:
        about = {"level": level, "rule": rule or "safe", "policy": policy, "seed": seed}
        if games == 1:
            value, text, replay = _game(str(level), rule or "safe", policy, seed)
        else:
            value, text = _games(str(level), rule or "safe", policy, seed, games)
        rows = [about | {key: "/".join(x) if key == "board" else x for key, x in value.items()}]
    with writing(record, lambda file: write_file(file, replay)):
        emit(form, value, text, rows, header)
    if value.get("games", games) < games:
        sys.exit(130)


def _move(board: Board, mines: int | None, rule: str | None, policy: str, timeout: float) -> tuple[dict[str, Any], str]:
    from mines_dd.base.budget import Budget
    from mines_dd.play.advice import advise
    from mines_dd.play.player import POLICIES as KNOWN

    with budget_advice("ask about a part of the board"):
        advice = advise(board, mines, Budget(timeout=timeout), rule=rule, policy=KNOWN[policy])
    text = str(advice)
    if needs_total(advice.analysis):
        text += "\nno total number of mines: all assignments weigh the same; give --mines for a better move"
    return {**advice.record(), "safe": advice.safe, "mines": advice.mines}, text


_COMPARED = ("row", "column", "risk", "score", "survival", "marks")


def _row(cell: list[int], marks: list[str], **numbers: float | None) -> dict[str, Any]:
    """A candidate as a row of CSV."""
    return {"row": cell[0], "column": cell[1], **numbers, "marks": " ".join(marks)}


def _game(level: str, rule: str, policy: str, seed: int) -> tuple[dict[str, Any], str, str]:
    """A random game as data, as text and as a replay."""
    import numpy as np

    from mines_dd.play.field import KNOWN_MINE, make_field
    from mines_dd.play.games import LEVELS as SIZES
    from mines_dd.play.games import deal
    from mines_dd.play.player import POLICIES as KNOWN
    from mines_dd.play.player import play_game

    rows, columns, mines, shape = SIZES[level]
    field = make_field(rows, columns, mines, shape)
    row, column = SIZES[level].first(rule)
    cell = row * columns + column
    mine = deal(field, mines, cell, rule, seed)
    clicks = np.empty(mine.size + 1, np.int64)
    won, guesses, seen = play_game(field, mine, cell, KNOWN[policy], clicks)
    replay = _replay(level, mine, clicks[1 : 1 + clicks[0]].tolist())
    shown = np.where(seen >= 0, seen.astype("<U1"), np.where(seen == KNOWN_MINE, "F", np.where(mine, "*", "#")))
    grid = ["".join(row) for row in shown.reshape(rows, columns)]
    last = divmod(int(clicks[clicks[0]]), columns)
    outcome = "won" if won else f"lost: {place(last)} was a mine,"
    text = "\n".join([*grid, f"{outcome} after {guesses} guess{'' if guesses == 1 else 'es'} (F: flagged, *: a mine)"])
    return {"won": won, "guesses": guesses, "board": grid}, text, replay


def _replay(level: str, mine: Any, clicks: list[int]) -> str:
    """The game in RAWVF; cells are numbered row by row."""
    from mines_dd.board.board import Board
    from mines_dd.board.replays import to_rawvf
    from mines_dd.play.games import LEVELS as SIZES

    rows, columns = SIZES[level][:2]
    layout = Board.from_layout(rows, columns, (divmod(cell, columns) for cell in mine.nonzero()[0].tolist()))
    return to_rawvf(layout, (divmod(cell, columns) for cell in clicks), Program="mines_dd", Level=level)


def _games(level: str, rule: str, policy: str, seed: int, games: int) -> tuple[dict[str, Any], str]:
    from tqdm import tqdm

    from mines_dd.play.games import LEVELS as SIZES
    from mines_dd.play.games import outcomes, wilson
    from mines_dd.play.player import POLICIES as KNOWN

    won = played = guesses = 0
    try:
        all_games = outcomes(SIZES[level], rule, KNOWN[policy], range(games), seed=seed)
        for outcome in tqdm(all_games, total=games, unit=" games", disable=None):
            won, guesses, played = won + outcome[0], guesses + outcome[1], played + 1
    except KeyboardInterrupt:
        if not played:
            raise
        click.echo(f"stopped after {counted(played, 'game')}", err=True)
    low, high = wilson(won, played)
    text = (
        f"won {won} of {counted(played, 'game')}: {won / played:.2%} (95% interval {low:.2%} to {high:.2%}); "
        f"{guesses / played:.2f} guesses a game"
    )
    return {"games": played, "won": won, "guesses": guesses, "low": low, "high": high}, text
