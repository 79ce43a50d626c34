"""`mines-dd umigame FILE`: how many lines of an opening have to be memorised, on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.cli.common import budget_advice, budget_options, emit, examples, output_options

if TYPE_CHECKING:
    from mines_dd.boardgames.position_graph import PositionGraph
    from mines_dd.boardgames.umigame import Repertoire

__all__ = ["umigame"]

SIDES = {"own": True, "opponent": False}


@click.command(
    epilog=examples(
        "mines-dd umigame data/umigame.csv --moves own",
        "mines-dd umigame book.dat --start f5d6c3            # an opening book of Edax",
    )
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--start", default="", metavar="MOVES", help="Begin after these Othello moves, such as f5d6c3.")
@click.option(
    "--loss",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="DISCS",
    help="Also follow moves of a book that are up to DISCS discs worse than the best.",
)
@click.option("--depth", type=click.IntRange(min=0), metavar="MOVES", help="Follow a book for at most MOVES moves.")
@click.option("--root", metavar="POSITION", help="Begin from this position of a CSV or JSON file.")
@click.option("--moves", type=click.Choice(tuple(SIDES)), help="Also print the moves that this side has to play.")
@click.option(
    "--method",
    type=click.Choice(("algebra", "zdd", "program")),
    default="algebra",
    show_default=True,
    help="The algorithm.",
)
@budget_options(nodes="terms of a value, or nodes of a ZDD")
@output_options(rows="for each side, or with --moves for each move to play")
def umigame(
    file: str,
    form: str,
    start: str,
    loss: int,
    depth: int | None,
    root: str | None,
    moves: str | None,
    method: str,
    max_nodes: int | None,
    timeout: float | None,
) -> None:
    """Say how many lines of an opening to memorise.

    Prints the umigame numbers: for the side to move first, and, after a colon, for its opponent.

    FILE is an opening book of the Othello program Edax, a CSV file of moves (position,next position), or a JSON file of
    a graph.
    """
    from mines_dd.boardgames.umigame import umigame_numbers

    graph, written = _read(file, start, loss, depth, root)
    with budget_advice("try another --method"):
        found = {side: _solve(graph, own, method, max_nodes, timeout) for side, own in SIDES.items()}
    merged = [found[side].lines for side in SIDES]
    trees = umigame_numbers(graph, transpositions=False)
    answers = written(found[moves]) if moves else []
    sizes = {"positions": len(graph), "leaves": len(graph.leaves), "confluences": len(graph.confluences)}
    value: dict[str, Any] = {"lines": merged, "lines without transpositions": trees, **sizes}
    lines = [
        f"{merged[0]}:{merged[1]}",
        f"without transpositions {trees[0]}:{trees[1]}",
        ", ".join(f"{name} {size}" for name, size in sizes.items()),
        *(f"{position} -> {move}" for position, move in answers),
    ]
    rows = [
        {"side": side, "lines": numbers[0], "without transpositions": numbers[1], **sizes}
        for side, *numbers in zip(SIDES, merged, trees, strict=True)
    ]
    if moves:
        value |= {"moves": answers}
        rows = [{"position": position, "move": move} for position, move in answers]
    emit(form, value, "\n".join(lines), rows)


def _read(file: str, start: str, loss: int, depth: int | None, root: str | None) -> tuple[PositionGraph, Any]:
    """The graph in a file, and a function from a repertoire to pairs of texts: what was played, and the answer."""
    if file.lower().endswith((".csv", ".json")):
        from mines_dd.boardgames.position_graph import read_graph

        if start or loss or depth is not None:
            raise MinesError("--start, --loss and --depth are for books; for a CSV or JSON file there is --root")
        graph = read_graph(file, root)
        return graph, lambda found: [(str(v), str(to)) for v, to in found.moves.items()]
    from mines_dd.boardgames.edax_book import EdaxBook
    from mines_dd.boardgames.othello import Othello, transcripts

    if root is not None:
        raise MinesError("--root is for CSV and JSON files; for a book there is --start")
    game = Othello()
    position = game.parse(start)
    try:
        book = EdaxBook.read(file)
    except GraphFormatError as error:
        raise GraphFormatError(
            f"{file!r}: {error}; besides such books, files that end with .csv or .json are read"
        ) from None
    graph = book.graph(position, loss=loss, depth=depth)
    return graph, lambda found: [
        (start + played or "start", move) for played, move in transcripts(game, position, graph, found.moves)
    ]


def _solve(graph: PositionGraph, own: bool, method: str, max_nodes: int | None, timeout: float | None) -> Repertoire:
    from mines_dd.base.budget import Budget
    from mines_dd.boardgames.umigame import repertoire
    from mines_dd.boardgames.umigame_checks import repertoire_by_families, repertoire_by_program

    if method == "program":
        return repertoire_by_program(graph, own, timeout=timeout)
    return (repertoire if method == "algebra" else repertoire_by_families)(
        graph, own, budget=Budget(max_nodes, timeout)
    )
