"""`mines-dd retrograde FILE`: who wins from each position of a game, on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from mines_dd.base.errors import MinesError
from mines_dd.cli.common import (
    InputFile,
    Subcommand,
    emit,
    examples,
    output_options,
    picture_option,
    refuse_options,
    writing,
)

if TYPE_CHECKING:
    from mines_dd.boardgames.retrograde import Solution

__all__ = ["retrograde"]


@click.command(
    cls=Subcommand,
    notice=True,
    epilog=examples(
        "mines-dd example game | mines-dd retrograde -",
        "mines-dd example game > game.csv",
        "mines-dd retrograde game.csv -o game.png",
        "mines-dd retrograde game.csv --play a",
    ),
)
@click.argument("file", type=InputFile())
@click.option("--play", "start", metavar="POSITION", help="Print the best moves of both sides from POSITION.")
@click.option("--grundy", is_flag=True, help="Print Grundy numbers too; the game must have no circle and no draw.")
@picture_option
@output_options(rows="for each position, or with --play for each move")
def retrograde(file: str, form: str, start: str | None, grundy: bool, output: str | None) -> None:
    """Say who wins from each position of a game.

    For each position a line says whether the player to move wins, loses or draws, after how many moves if the winner
    hurries and the loser delays, and which move is best.  A player who cannot move has lost.

    FILE, or - for standard input, is a CSV file of moves (position,next position) or JSON: {"moves": {"a": ["b",
    "c"]}}.  A heading position,next or from,to may come first.  Where the game is over otherwise, CSV says
    position,,win (or draw, or loss), and JSON has "outcomes": {"b": "draw"}.

    -o draws the graph, a small one step by step: won positions blue, lost ones red, drawn ones grey.
    """
    from mines_dd.boardgames.game_files import read_game, save_steps
    from mines_dd.boardgames.retrograde import solve

    game, names = read_game(file)
    solution = solve(game)
    if start is not None:
        refuse_options("all positions; leave out --play", "grundy")
        if start not in names:
            raise MinesError(f"there is no position {start!r} in {file!r}")
    answer = _all(names, solution, grundy) if start is None else _line(names, solution, names.index(start))
    with writing(output, lambda picture: save_steps(picture, names, solution)):
        emit(form, *answer)


_Answer = tuple[Any, str, Sequence[Mapping[str, Any]], Sequence[str]]
"""For `emit`: a value for JSON, a text, and rows with their columns."""


def _line(names: Sequence[str], solution: Solution, v: int) -> _Answer:
    """The best moves from a position."""
    from mines_dd.boardgames.game_files import OUTCOMES

    game, line = solution.game, solution.line(v)
    moves = [(names[game.source[e]], names[game.target[e]]) for e in line]
    outcome = OUTCOMES[int(solution.outcome[v])]
    goes_on = outcome == "draw" and (game.target[line[-1]] if moves else v) in game.source
    lines = [*(f"{one} -> {other}" for one, other in moves), outcome + ", and so on" * goes_on]
    taken = [{"from": a, "to": b} for a, b in moves]
    return {"outcome": outcome, "moves": moves}, "\n".join(lines), taken, ("from", "to")


def _all(names: Sequence[str], solution: Solution, grundy: bool) -> _Answer:
    """A row for each position."""
    from mines_dd.boardgames.game_files import OUTCOMES

    game = solution.game
    best = [None if e < 0 else names[game.target[e]] for e in solution.best.tolist()]
    rows: list[dict[str, Any]] = [
        {"position": name, "outcome": OUTCOMES[outcome], "distance": None if distance < 0 else distance, "best": move}
        for name, outcome, distance, move in zip(
            names, solution.outcome.tolist(), solution.distance.tolist(), best, strict=True
        )
    ]
    if grundy:
        from mines_dd.boardgames.acyclic import grundy_numbers

        for row, number in zip(rows, grundy_numbers(game, names).tolist(), strict=True):
            row["grundy"] = number
    return rows, _table(rows), rows, ()


def _table(rows: list[dict[str, Any]]) -> str:
    from tabulate import tabulate

    shown = [["-" if value is None else value for value in row.values()] for row in rows]
    return str(tabulate(shown, list(rows[0]), disable_numparse=True))
