"""`mines-dd coach`: a game that was played, judged click by click."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from mines_dd.base.errors import MinesError
from mines_dd.base.writing import write_file
from mines_dd.cli.common import (
    Choice,
    InputFile,
    OutputFile,
    Subcommand,
    emit,
    examples,
    output_options,
    timeout_option,
    writing,
)

if TYPE_CHECKING:
    from mines_dd.play.coach import Judgement

__all__ = ["coach"]


@click.command(
    cls=Subcommand,
    epilog=examples(
        "mines-dd play --level beginner --seed 2 --record game.rawvf",
        "mines-dd coach game.rawvf -o report.html",
        "mines-dd coach . --csv",
    ),
)
@click.argument("games", nargs=-1, required=True, type=InputFile("a file or a folder", folder=True), metavar="GAME...")
@click.option(
    "--rule",
    type=Choice(("safe", "zero", "none")),
    default="safe",
    show_default=True,
    help="The first click: sure to be safe, to show 0, or neither.",
)
@timeout_option(10, "Leave a position out that takes more than SECONDS seconds.")
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE",
    help="Also write a page (.html) with the board at each guess.",
)
@output_options(rows="for each click of one game, or for each of several games")
def coach(games: tuple[str, ...], rule: str, timeout: float, output: str | None, form: str) -> None:
    """Judge games that were played, click by click.

    GAME is a replay, or a folder of them: RAWVF (- is one on standard input) or, with the package ms-toollib (pip
    install 'mines-dd[replays]'), .avf, .evf, .mvf or .rmv.

    For each click: certain or a guess, its risk of a mine, the least risk there was, the adviser's move, and the share
    of layouts that the best play wins before and after, where it can be searched.  At the end: luck, the chance to
    get as far by the guesses; and skill, the risk taken beyond the least.  A guess is forced if no cell was safe.
    Positions that take too long are left out of both.

    Of one game, --json prints a list with one record a click.  Of several games or a folder a table is printed, a row a
    game and one for all; --json then prints a list with one record a game, whose key "moves" has the records of its
    clicks.  A page of several games begins with that table.
    """
    if output is not None and not output.lower().endswith((".html", ".htm")):
        raise MinesError(f"cannot write {output!r}; the name of a page ends in .html")
    from mines_dd.play.coach_report import html_report

    files = [file for game in games for file in _files(game)]
    alone = len(files) == 1 and not os.path.isdir(games[0])
    judged = [(files[0], _judged(files[0], rule, timeout, alone=True))] if alone else _judged_all(files, rule, timeout)
    with writing(output if judged else None, lambda page: write_file(page, html_report(_named(judged)))):
        if alone:
            _print_one(judged[0][1], form)
        elif judged:
            _print_table(judged, form)
    if len(judged) < len(files):
        click.get_current_context().exit(2)


def _named(judged: list[tuple[str, Judgement]]) -> list[tuple[str, Judgement]]:
    """The games by the names of their files; by their paths where two have the same name."""
    alone = len({os.path.basename(file) for file, _ in judged}) == len(judged)
    shown = [os.path.basename(file) if alone else file for file, _ in judged]
    return [(name.encode(errors="replace").decode(), game) for name, (_, game) in zip(shown, judged, strict=True)]


def _files(game: str) -> list[str]:
    """The replays of a folder, by name; another path is a replay itself."""
    from mines_dd.board.videos import VIDEOS

    if not os.path.isdir(game):
        return [game]
    found = [
        path
        for folder, _, names in os.walk(game)
        for path in (os.path.join(folder, name) for name in names)
        if os.path.splitext(path)[1].lower() in (".rawvf", *VIDEOS)
        and (os.path.isfile(path) or os.path.islink(path))  # no pipe, which might never end
    ]
    if not found:
        raise MinesError(f"there is no replay in {game!r}; its name ends in .rawvf, {', '.join(VIDEOS)}")
    return sorted(found)


def _judged(file: str, rule: str, timeout: float, alone: bool) -> Judgement:
    from tqdm import tqdm

    from mines_dd.board.files import read_replay
    from mines_dd.play.coach import coach as judge

    replay = read_replay(file)
    with tqdm(total=len(replay.moves), unit=" clicks", disable=None if alone else True, leave=False) as bar:
        return judge(replay, rule, timeout, lambda: bar.update())


def _judged_all(files: list[str], rule: str, timeout: float) -> list[tuple[str, Judgement]]:
    """The games that can be read; of the others an error is printed."""
    from tqdm import tqdm

    judged = []
    bar = tqdm(files, unit=" games", disable=None, leave=False)
    for file in bar:
        try:
            judged.append((file, _judged(file, rule, timeout, alone=False)))
        except MinesError as error:
            bar.clear()
            click.echo(f"mines-dd: {error}", err=True)
    return judged


def _print_one(judged: Judgement, form: str) -> None:
    from mines_dd.play.coach_report import text_report

    records = [click.record() for click in judged.clicks]
    emit(form, records, text_report(judged) if form == "text" else "", [_flat(record) for record in records])


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """A record as a row of CSV: positions as row,column."""
    cells = {key: ",".join(map(str, record[key] or [])) for key in ("cell", "advice")}
    return record | cells | {"opens": " ".join(f"{r},{c}" for r, c in record["opens"])}


def _print_table(judged: list[tuple[str, Judgement]], form: str) -> None:
    from tabulate import tabulate

    from mines_dd.play.coach_report import overview

    records = [{"file": file, **game.record()} for file, game in judged]
    if form == "json":
        moves = ([click.record() for click in game.clicks] for _, game in judged)
        emit(form, [record | {"moves": clicks} for record, clicks in zip(records, moves, strict=True)], "")
        return
    table = overview(_named(judged))
    emit(form, None, tabulate(table, headers="keys", disable_numparse=True), records)
