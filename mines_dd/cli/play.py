"""`mines-dd play`: the move to make, or whole games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mines_dd.cli.common import BoardArgument, emit, examples, output_options, total_option

if TYPE_CHECKING:
    from mines_dd.board.board import Board

__all__ = ["play"]

LEVELS = ("beginner", "beginner-8x8", "intermediate", "expert")
POLICIES = ("safest", "endgame", "ahead", "best")


@click.command(
    epilog=examples(
        "mines-dd play data/fifty_fifty_9x9_10.txt",
        "mines-dd play --level expert --seed 3",
        "mines-dd play --level beginner --rule zero --games 200 --csv",
    )
)
@click.argument("board", type=BoardArgument(), required=False)
@total_option
@click.option(
    "--policy",
    type=click.Choice(POLICIES),
    default="best",
    show_default=True,
    help="How to choose a cell if none is safe.",
)
@click.option("--level", type=click.Choice(LEVELS), help="Play a random game of this level instead.")
@click.option(
    "--rule", type=click.Choice(("safe", "zero")), default="safe", show_default=True, help="The first cell: see above."
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Play N games; of several, print how many are won.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="The same seed gives the same games.",
)
@output_options(rows="for each cell to open, or for the games played")
def play(
    board: Board | None,
    mines: int | None,
    policy: str,
    level: str | None,
    rule: str,
    games: int,
    seed: int,
    form: str,
) -> None:
    """Print the best move on a board, or play random games.

    The total number of mines must be known: from BOARD (a line such as mines: 10) or from --mines.  With --level, the
    first cell of a game is safe (--rule safe), or also has no mine around it (--rule zero).
    """
    if (board is None) == (level is None):
        raise click.UsageError("give either a board, or --level for a random game")
    if board is not None:
        if mines is None and board.mines is None:
            raise click.UsageError("say how many mines the board has: --mines TOTAL, or a line such as mines: 10 in it")
        value, text = _move(board, mines, policy)
        cells = value["safe"] or ([] if value["open"] is None else [value["open"]])
        rows = [{"row": r, "column": c, "chance": 0.0 if value["safe"] else value["chance"]} for r, c in cells]
    else:
        about = {"level": level, "rule": rule, "policy": policy, "seed": seed}
        played = _game if games == 1 else _games
        value, text = played(str(level), rule, policy, seed, games)
        rows = [about | {key: "/".join(x) if key == "board" else x for key, x in value.items()}]
    emit(form, value, text, rows)


def _move(board: Board, mines: int | None, policy: str) -> tuple[dict[str, Any], str]:
    from mines_dd.play.advice import advise
    from mines_dd.play.player import POLICIES as KNOWN

    advice = advise(board, mines, KNOWN[policy])
    lines = []
    if advice.safe:
        lines.append("open " + ", ".join(f"{r},{c}" for r, c in advice.safe) + ": safe")
    elif advice.cell is not None:
        row, column = advice.cell
        lines.append(f"open {row},{column}: a mine with probability {advice.chance:.4g}; nothing is certain")
    else:
        lines.append("nothing is left to open")
    if advice.wins is not None:
        lines.append(f"the best play wins {advice.wins} = {float(advice.wins):.4g} of {advice.layouts:.0f} layouts")
    value = {
        "safe": advice.safe,
        "mines": advice.mines,
        "open": advice.cell,
        "chance": advice.chance,
        "wins": None if advice.wins is None else str(advice.wins),
    }
    return value, "\n".join(lines)


def _game(level: str, rule: str, policy: str, seed: int, _: int) -> tuple[dict[str, Any], str]:
    import numpy as np

    from mines_dd.play.border import KNOWN_MINE, make_field
    from mines_dd.play.games import LEVELS as SIZES
    from mines_dd.play.games import deal
    from mines_dd.play.player import POLICIES as KNOWN
    from mines_dd.play.player import play_game

    rows, columns, mines = SIZES[level]
    field = make_field(rows, columns, mines)
    row, column = SIZES[level].first(rule)
    cell = row * columns + column
    mine = deal(field, mines, cell, rule, seed)
    won, guesses, seen = play_game(field, mine, cell, KNOWN[policy])
    shown = np.where(seen >= 0, seen.astype("<U1"), np.where(seen == KNOWN_MINE, "F", np.where(mine, "*", "#")))
    grid = ["".join(row) for row in shown.reshape(rows, columns)]
    outcome = "won" if won else "lost"
    text = "\n".join([*grid, f"{outcome} after {guesses} guess{'' if guesses == 1 else 'es'} (F: flagged, *: a mine)"])
    return {"won": won, "guesses": guesses, "board": grid}, text


def _games(level: str, rule: str, policy: str, seed: int, games: int) -> tuple[dict[str, Any], str]:
    from tqdm import tqdm

    from mines_dd.play.games import LEVELS as SIZES
    from mines_dd.play.games import play_games
    from mines_dd.play.player import POLICIES as KNOWN

    won = played = guesses = 0
    try:
        for start in tqdm(range(0, games, 100), unit="00 games", disable=None):
            block = range(start, min(start + 100, games))
            tally = play_games(SIZES[level], rule, KNOWN[policy], block, seed=seed)
            won, played, guesses = won + tally.won, played + tally.games, guesses + tally.guesses
    except KeyboardInterrupt:
        if not played:
            raise
        click.echo(f"stopped after {played} games", err=True)
    reach = 1.96 * (won / played * (1 - won / played) / played) ** 0.5
    text = f"won {won} of {played} games: {won / played:.2%} +- {reach:.2%}; {guesses / played:.2f} guesses a game"
    return {"games": played, "won": won, "guesses": guesses}, text
