"""`mines-dd umigame FILE`: how many lines of an opening have to be memorised, on the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.cli.common import (
    Choice,
    InputFile,
    Subcommand,
    Whole,
    budget_advice,
    budget_options,
    emit,
    examples,
    output_options,
    picture_option,
    refuse_options,
    writing,
)

if TYPE_CHECKING:
    from mines_dd.base.budget import Budget
    from mines_dd.boardgames.openings import Opening
    from mines_dd.boardgames.othello_graphs import Tolerance
    from mines_dd.boardgames.position_graph import PositionGraph
    from mines_dd.boardgames.umigame import Repertoire

__all__ = ["umigame"]

SIDES = {"own": True, "opponent": False}
Command = TypeVar("Command", bound=Callable[..., Any])


class ScoreRange(click.ParamType):  # type: ignore[type-arg]
    """Two scores, such as -2:4."""

    name = "LOW:HIGH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return the two numbers."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"([+-]?\d{1,2}):([+-]?\d{1,2})", value)
        if match is None or int(match[1]) > int(match[2]):
            self.fail(f"{value!r} is no range of scores; write the least and the greatest, such as -2:4", param, ctx)
        return int(match[1]), int(match[2])


def reading_options(command: Command) -> Command:
    """Add what to read of a file: the root, and which moves of a book to follow."""
    discs = Whole(0)
    for add in (
        click.option(
            "--root",
            metavar="POSITION",
            help="Begin from this position of a CSV or JSON file, not from the only one that no move leads to.",
        ),
        click.option("--mirrors", is_flag=True, help="Count symmetric positions of Othello one by one."),
        click.option("--depth", type=discs, metavar="MOVES", help="Follow a book for at most MOVES moves."),
        click.option(
            "--scores",
            type=ScoreRange(),
            default=(-64, 64),
            help="Follow only moves of a book that score LOW to HIGH for the side to move first.",
        ),
        click.option(
            "--total-loss",
            "total",
            type=discs,
            metavar="DISCS",
            help="Follow lines of a book that lose up to DISCS discs in all, by any moves or those of --loss.",
        ),
        click.option(
            "--loss",
            type=discs,
            metavar="DISCS",
            help="Also follow moves of a book that are up to DISCS discs worse than the best.",
        ),
        click.option("--start", default="", metavar="MOVES", help="Begin after these Othello moves, such as f5d6c3."),
    ):
        command = add(command)
    return command


@click.command(
    cls=Subcommand,
    notice=True,
    epilog=examples(
        "mines-dd example umigame | mines-dd umigame -",
        "mines-dd example umigame > umigame.csv",
        "mines-dd umigame umigame.csv --lines own",
        "mines-dd umigame umigame.csv --explain",
        "mines-dd umigame book.dat --start f5d6c3 --table moves -o opening.png   # an opening book of Edax",
    ),
)
@click.argument("file", type=InputFile())
@reading_options
@click.option("--moves", type=Choice(tuple(SIDES)), help="Also print the moves that this side has to play.")
@click.option(
    "--lines",
    "learn",
    type=Choice(tuple(SIDES)),
    help="Print the lines that this side has to learn, each to its end or to where it joins another one (if mirrored, "
    "on a mirrored or turned board).",
)
@click.option(
    "--table",
    type=Choice(("positions", "moves")),
    help="Print both numbers of every position, or after every move.",
)
@click.option("--explain", is_flag=True, help="Print the algorithm of Uenon's article (2022), step by step.")
@click.option(
    "--method",
    type=Choice(("algebra", "zdd", "program")),
    default="algebra",
    show_default=True,
    help="The algorithm for the two numbers; --table, --explain and -o have their own.",
)
@picture_option
@budget_options(nodes="terms of a value (2,000 unless you say), or nodes of a ZDD")
@output_options(rows="for each side, or for each move, line, position or step asked for")
def umigame(
    file: str,
    form: str,
    moves: str | None,
    learn: str | None,
    table: str | None,
    explain: bool,
    output: str | None,
    method: str,
    **how: Any,
) -> None:
    """Say how many lines of an opening to memorise.

    Prints the umigame numbers: for the side to move first, and, after a colon, for the other one.

    FILE is an opening book of the Othello program Edax, a file of BookAdviser, a CSV file of moves (position,next
    position, and perhaps own or opponent, who moves; a heading position,next or from,to may come first), or a JSON file
    such as {"moves": {"a": ["b", "c"], "b": ["c"]}, "own": ["a"]}; - is such a file on standard input.  Unless a file
    says who moves, own is the side to move first, and the sides alternate.  -o draws the opening with the lines of
    --lines, or --moves, or own in red.
    """
    from mines_dd.base.budget import Budget

    alone = table or explain  # that is all that is printed
    if alone and output is None and (moves or learn):
        raise MinesError("--table and --explain print no --moves or --lines; ask for one of them")
    if moves and learn and form == "csv":
        raise MinesError("--csv prints one table, of --moves or of --lines; leave one of them out, or use --json")
    if table and explain:
        raise MinesError("--table and --explain print two different things; ask for one of them")
    if alone:
        refuse_options("the two numbers; leave it out with --table and --explain", "method")
    elif method == "program" and output is None:
        refuse_options("algebra and zdd; a 0-1 program has no nodes", "max_nodes")
    budget = Budget(how.pop("max_nodes"), how.pop("timeout"))
    with budget_advice("follow fewer moves"):
        opening, facts = _read(file, budget, **how)
    graph = opening.graph
    with budget_advice("try another --method"):
        found = {side: _solve(graph, own, method, budget) for side, own in SIDES.items() if output or not alone}
    with (
        budget_advice("explain a smaller part" if explain else "take a smaller part"),
        writing(output, lambda file: _draw(file, opening, learn or moves or "own", found, budget)),
    ):
        if explain:
            _explain(form, opening, budget)
        elif table:
            _table(form, opening, table, budget)
        else:
            _numbers(form, opening, found, moves, learn, facts, budget)


def _numbers(
    form: str,
    opening: Opening,
    found: dict[str, Repertoire],
    moves: str | None,
    learn: str | None,
    facts: dict[str, Any],
    budget: Budget,
) -> None:
    from mines_dd.boardgames.openings import Line, learned, lines_to_learn
    from mines_dd.boardgames.umigame import umigame_numbers

    graph = opening.graph
    sides = sorted(SIDES, key=lambda side: SIDES[side] != graph.own[0])  # the side to move first comes first
    merged = [found[side].lines for side in sides]
    trees = umigame_numbers(graph, transpositions=False)
    sizes = {"positions": len(graph), "leaves": len(graph.leaves), "confluences": len(graph.confluences)}
    value: dict[str, Any] = {"lines": merged, "lines without transpositions": trees, **facts, **sizes}
    lines = [
        f"{merged[0]}:{merged[1]}",
        f"without transpositions {trees[0]}:{trees[1]}",
        *(f"{name} {fact[0]}:{fact[1]}" for name, fact in facts.items()),
        ", ".join(f"{name} {size}" for name, size in sizes.items()),
    ]
    rows = [
        {"side": side, "lines": numbers[0], "without transpositions": numbers[1], **sizes}
        for side, *numbers in zip(sides, merged, trees, strict=True)
    ]
    header: tuple[str, ...] = ()
    if moves:
        answers = [
            (opening.names[v], opening.moves[v, below[0]])
            for v, below in learned(graph, found[moves].moves).items()
            if graph.labels[v] in found[moves].moves
        ]
        value |= {"moves": answers}
        lines += [f"{position} -> {move}" for position, move in answers]
        rows, header = [{"position": position, "move": move} for position, move in answers], ("position", "move")
    if learn:
        learnt = lines_to_learn(opening, found[learn], budget)
        value |= {"learn": [line._asdict() for line in learnt]}
        lines += [f"from {opening.names[0]}:", *map(str, learnt)]
        rows, header = [line._asdict() | {"moves": " ".join(line.moves)} for line in learnt], Line._fields
    emit(form, value, "\n".join(lines), rows, header)


def _table(form: str, opening: Opening, kind: str, budget: Budget) -> None:
    """Print a row for every position or every move."""
    from tabulate import tabulate

    from mines_dd.boardgames.umigame import position_numbers

    graph = opening.graph
    own, opponent = (position_numbers(graph, side, budget=budget) for side in (True, False))
    mover = ["own" if side else "opponent" for side in graph.own]
    if kind == "positions":
        rows: list[dict[str, Any]] = [
            {
                "position": name,
                "to move": mover[v] if graph.children[v] else "-",
                "own": own[v],
                "opponent": opponent[v],
            }
            for v, name in enumerate(opening.names)
        ]
    else:
        rows = [
            {"position": opening.names[v], "to move": mover[v], "move": move, "own": own[to], "opponent": opponent[to]}
            for (v, to), move in opening.moves.items()
        ]
    emit(
        form, rows, tabulate([row.values() for row in rows], list(rows[0]) if rows else (), disable_numparse=True), rows
    )


def _explain(form: str, opening: Opening, budget: Budget) -> None:
    from mines_dd.boardgames.umigame_derivation import derivation

    found = {side: derivation(opening.graph, own, opening.names, budget=budget) for side, own in SIDES.items()}
    lines = [line for side, one in found.items() for line in (f"{side}: {one.lines}", *one.steps, "")]
    value = {side: {"lines": one.lines, "steps": one.steps} for side, one in found.items()}
    rows = [{"side": side, "step": step} for side, one in found.items() for step in one.steps]
    emit(form, value, "\n".join(lines).rstrip(), rows)


def _draw(output: str, opening: Opening, side: str, found: dict[str, Repertoire], budget: Budget) -> None:
    from mines_dd.boardgames.openings import save_opening
    from mines_dd.boardgames.umigame import position_numbers

    own = SIDES[side]
    save_opening(output, opening, position_numbers(opening.graph, own, budget=budget), found[side], own)


def _read(file: str, budget: Budget, *, root: str | None, **book: Any) -> tuple[Opening, dict[str, Any]]:
    """The opening in a file, and what the file says of it."""
    from mines_dd.base.reading import of_file, read_bytes, text_of
    from mines_dd.boardgames import edax_book, move_files
    from mines_dd.boardgames.book_adviser import is_book_adviser, parse_book_adviser
    from mines_dd.boardgames.openings import named, named_othello
    from mines_dd.boardgames.othello import Othello
    from mines_dd.boardgames.position_graph import parse_file

    data = read_bytes(
        file,
        "an opening book, or a file of moves",
        edax_book.LARGEST,
        GraphFormatError,
        begins=edax_book.MAGIC,
        most_of_others=move_files.LARGEST,
    )
    if data.startswith(edax_book.MAGIC):
        return _read_edax(file, data, budget, root, **book), {}
    text = text_of(file, data, GraphFormatError, "save it as UTF-8; an opening book of Edax begins with XADEKOOB")
    scored = book["loss"] or book["total"] or book["scores"] != (-64, 64)
    if is_book_adviser(text):
        if root is not None or scored:
            raise MinesError("--root is for CSV and JSON files of moves, and --loss, --total-loss, --scores for books")
        with of_file(file):
            adviser, game = parse_book_adviser(text), Othello()
        start = book["start"] or adviser.moves.lower()
        position = game.parse(start)
        graph = adviser.graph(position, depth=book["depth"], mirrors=book["mirrors"], budget=budget)
        facts = {} if book["start"] or book["depth"] is not None else {"published": adviser.numbers}
        return named_othello(game, start, position, graph, mirrors=book["mirrors"], budget=budget), facts
    if scored or book["start"] or book["depth"] is not None or book["mirrors"]:
        raise MinesError(
            "--start, --loss, --total-loss, --scores, --depth and --mirrors are for books; for a CSV or JSON file "
            "there is --root"
        )
    return named(parse_file(file, text, root)), {}


def _read_edax(
    file: str,
    data: bytes,
    budget: Budget,
    root: str | None,
    *,
    start: str,
    depth: int | None,
    mirrors: bool,
    **scored: Any,
) -> Opening:
    from mines_dd.base.reading import of_file
    from mines_dd.boardgames.edax_book import EdaxBook
    from mines_dd.boardgames.openings import named_othello
    from mines_dd.boardgames.othello import Othello

    if root is not None:
        raise MinesError("--root is for CSV and JSON files; for a book there is --start")
    game = Othello()
    position = game.parse(start)
    with of_file(file):
        book = EdaxBook.parse(data)
    graph = book.graph(position, tolerance=_tolerance(**scored), depth=depth, mirrors=mirrors, budget=budget)
    return named_othello(game, start, position, graph, mirrors=mirrors, budget=budget)


def _tolerance(loss: int | None, total: int | None, scores: tuple[int, int]) -> Tolerance:
    """Which moves to follow; a limit for the line alone lets each move lose as much."""
    from mines_dd.boardgames.othello_graphs import Tolerance

    return Tolerance((total or 0) if loss is None else loss, total, *scores)


def _solve(graph: PositionGraph, own: bool, method: str, budget: Budget) -> Repertoire:
    from mines_dd.boardgames.umigame import repertoire
    from mines_dd.boardgames.umigame_checks import repertoire_by_families, repertoire_by_program

    ways = {"algebra": repertoire, "zdd": repertoire_by_families, "program": repertoire_by_program}
    return ways[method](graph, own, budget=budget)
