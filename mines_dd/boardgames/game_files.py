"""Game graphs in files, for `mines-dd retrograde`, and their pictures, coloured step by step.

- CSV: a line `position,next position` for each move.  A line `position,,win` (or `draw`, or `loss`) says that the game
  is over there, and how for the player to move.  The first line may be a heading, `position,next,outcome` or `from,to`.
- JSON: `{"moves": {position: [next position, ...]}, "outcomes": {position: "win", ...}}`; outcomes may be left out.

Moves may lead in circles; a position that is no game's end and has no move is lost.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mines_dd.base.checks import require
from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.base.reading import of_file
from mines_dd.base.wording import shown
from mines_dd.boardgames.graph_picture import LARGEST, Look, Panel, places, save_graph
from mines_dd.boardgames.move_files import csv_lines, is_json, json_moves, read_text
from mines_dd.boardgames.retrograde import DRAW, LOSS, OPEN, WIN, Game, Solution

__all__ = ["OUTCOMES", "NamedGame", "parse_game_csv", "parse_game_json", "read_game", "save_steps"]

OUTCOMES = {WIN: "win", DRAW: "draw", LOSS: "loss"}
_OUTCOMES = {name: outcome for outcome, name in OUTCOMES.items()}
_HEADING = ["position", "next", "outcome"]
_FILLS = {WIN: "#0072B2", LOSS: "#D55E00", DRAW: "#BBBBBB"}
_COLOURS = {WIN: "blue: won", LOSS: "red: lost", DRAW: "grey: a draw"}
_PANELS = 12
_DRAWN = 800  # positions in all panels; a picture of more takes long, and viewers refuse it


class NamedGame(NamedTuple):
    """A game, and the names of its positions."""

    game: Game
    names: tuple[str, ...]


def parse_game_csv(text: str) -> NamedGame:
    r"""Read a game from lines `position,next` and `position,,outcome`.

    Raises
    ------
    GraphFormatError
        If a line is malformed; the error names it.

    Examples
    --------
    >>> parse_game_csv("a,b\nb,,win").game.given.tolist()
    [2, 1]
    """
    moves: dict[str, list[str]] = {}
    outcomes: dict[str, str] = {}
    for at, line, fields in csv_lines(text, _HEADING):
        if len(fields) == 2 and all(fields):
            moves.setdefault(fields[0], []).append(fields[1])
        elif len(fields) == 3 and fields[0] and not fields[1] and fields[2] in _OUTCOMES:
            if outcomes.setdefault(fields[0], fields[2]) != fields[2]:
                raise GraphFormatError(
                    f"line {at}: position {shown(fields[0])} had the outcome {outcomes[fields[0]]} before"
                )
        else:
            raise GraphFormatError(
                f"line {at}: a move is written as position,next, an end as position,,win (or draw, or loss), "
                f"not {shown(line)}"
            )
    return _game(moves, outcomes)


def parse_game_json(text: str) -> NamedGame:
    """Read a game from `{"moves": {position: [next, ...]}, "outcomes": {position: "win", ...}}`.

    Raises
    ------
    GraphFormatError
        If it is not JSON (the error names line and column) or not of this form.

    Examples
    --------
    >>> parse_game_json('{"moves": {"a": ["b"], "b": ["a"]}}').names
    ('a', 'b')
    """
    moves, value = json_moves(text, "outcomes")
    outcomes = value.get("outcomes", {})
    if not isinstance(outcomes, dict) or not all(isinstance(x, str) and x in _OUTCOMES for x in outcomes.values()):
        raise GraphFormatError('"outcomes" has to be {"a": "win", ...}, with win, draw or loss for the player to move')
    return _game(moves, outcomes)


def read_game(path: str | os.PathLike[str]) -> NamedGame:
    """Read a game from a file: JSON if it begins with a brace or its name ends in .json, otherwise CSV.

    `-` is standard input.

    Raises
    ------
    MinesError
        If the file cannot be read.
    GraphFormatError
        If it does not hold a game.

    Examples
    --------
    >>> game = read_game("game.csv")  # doctest: +SKIP
    """
    text = read_text(path)
    with of_file(path):
        return (parse_game_json if is_json(path, text) else parse_game_csv)(text)


def _game(moves: dict[str, list[str]], outcomes: dict[str, str]) -> NamedGame:
    number: dict[str, int] = {}
    for name in (name for v, below in moves.items() for name in (v, *below)):
        number.setdefault(name, len(number))
    for name in outcomes:
        if name not in number:
            raise GraphFormatError(f"position {shown(name)} has an outcome but is in no move")
        if moves.get(name):
            raise GraphFormatError(f"position {shown(name)} has an outcome, where the game is over, and a move")
    if not number:
        raise GraphFormatError("the file holds no move")
    given = np.full(len(number), OPEN, np.int8)
    for name, outcome in outcomes.items():
        given[number[name]] = _OUTCOMES[outcome]
    ends = [(number[v], number[to]) for v, below in moves.items() for to in below]
    source, target = np.array(ends, np.int32).reshape(-1, 2).T
    return NamedGame(Game(given, source, target), tuple(number))


def save_steps(path: str | os.PathLike[str], names: Sequence[Any], solution: Solution) -> None:
    """Save pictures of a game graph: what is known after 0, 1, 2, ... steps, and at last the draws.

    Where these would be more than 12 pictures, or have more than 800 positions in all, the last stands alone.

    Won positions are blue and lost ones red, for the player to move; the number is the distance to the end, and the
    best moves have the colour of their position.  In a white position, the number is that of its moves that do not lead
    to a won position yet: at 0 it is lost.  Draws are grey, those that end the game from the first picture on.

    Parameters
    ----------
    path : path
        Its ending is the format.
    names : sequence
        What the positions are called, such as the nodes of a graph; shown as texts.
    solution : Solution

    Raises
    ------
    MinesError
        If there are no positions, or too many, or not a name for each; if matplotlib is not installed, or the file
        cannot be written.

    Examples
    --------
    >>> save_steps("game.png", names, solution)  # doctest: +SKIP
    """
    solution = require(solution, Solution, "a Solution", "retrograde.solve returns one")
    game, distance = solution.game, solution.distance.tolist()
    if len(require(names, Sequence, "a list of names")) != len(distance):
        raise MinesError(f"each position needs a name; given are {len(names):,} for {len(distance):,} positions")
    if not len(names):
        raise MinesError("a game without positions has no picture")
    if len(names) > LARGEST:
        raise MinesError(f"a picture of {len(names):,} positions would be too large; at most {LARGEST} are drawn")
    names = list(map(str, names))
    ends = list(zip(game.source.tolist(), game.target.tolist(), strict=True))
    moves = [ends[e] for e in np.flatnonzero(game.given[game.source] == OPEN)]  # elsewhere the game is over
    at = places(_ranks(len(names), moves), moves)
    best = {ends[e] for e in solution.best.tolist() if e >= 0}
    longest = max(distance)
    drawn = (game.given == DRAW).tolist()
    few = longest < _PANELS - 1 and len(names) * (longest + 2) <= _DRAWN
    steps = [*range(longest + 1)] if few else []
    met = [said for outcome, said in _COLOURS.items() if outcome in solution.outcome]
    end = "; ".join(["the end", *met])
    panels = []
    for step in [*steps, None]:
        known = [step is None or 0 <= d <= step or given for d, given in zip(distance, drawn, strict=True)]
        left = Counter(v for v, to in moves if not (known[to] and solution.outcome[to] == WIN))
        looks = [
            Look("" if d < 0 else str(d), _FILLS[solution.outcome[v]], ink="white", name=names[v])
            if known[v]
            else Look(str(left[v]), name=names[v])
            for v, d in enumerate(distance)
        ]
        marked = {(v, to): _FILLS[solution.outcome[v]] for v, to in best if known[v]}
        title = end if step is None else f"step {step}; in white: moves not refuted yet"
        panels.append(Panel(title, looks, marked))
    save_graph(path, at, moves, panels, columns=2)


def _ranks(positions: int, moves: Sequence[tuple[int, int]]) -> list[int]:
    """A layer for each position: how many moves it is from those that no move, or only a circle, leads to."""
    after: list[list[int]] = [[] for _ in range(positions)]
    reached = [False] * positions
    for v, to in moves:
        after[v].append(to)
        reached[to] = reached[to] or v != to
    rank = [-1] * positions
    for start in sorted(range(positions), key=reached.__getitem__):
        layer = [start] if rank[start] < 0 else []
        depth = 0
        while layer:
            for v in layer:
                rank[v] = depth
            layer = [to for to in dict.fromkeys(to for v in layer for to in after[v]) if rank[to] < 0]
            depth += 1
    return rank
