"""The graphs of `experiments.umigame`: random ones, chains, and positions and moves of Othello."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable

from mines_dd.boardgames.othello import Othello, Position
from mines_dd.boardgames.position_graph import PositionGraph

__all__ = ["chain", "mobility", "random_graph", "random_position"]


def random_graph(positions: int, meeting: float, seed: int) -> PositionGraph:
    """Two moves a position; with probability `meeting` a move leads to one of the last eight that were made."""
    rng = random.Random(seed)
    moves: dict[Hashable, list[int]] = {}
    layer, made = [0], 1
    while made < positions:
        below: list[int] = []
        for v in layer:
            for _ in range(2):
                if below and rng.random() < meeting:
                    moves.setdefault(v, []).append(rng.choice(below[-8:]))
                else:
                    below.append(made)
                    moves.setdefault(v, []).append(made)
                    made += 1
        layer = below
    return PositionGraph.build(0, lambda v: moves.get(v, ()))


def chain(positions: int) -> PositionGraph:
    """The opponent's moves from an even position: to a leaf of its own, or on to the next odd one."""
    last = positions // 3
    moves = {2 * i: [2 * i + 1, -i - 1] for i in range(last)} | {2 * i + 1: [2 * i + 2] for i in range(last)}
    return PositionGraph.build(0, lambda v: moves.get(v, ()), lambda v: v % 2 == 1)


def random_position(game: Othello, empty: int, rng: random.Random) -> Position:
    """A position of random play with so many empty squares."""
    position = game.start
    while (position.player | position.opponent).bit_count() < game.n**2 - empty:
        turns = game.turns(position)
        if not turns:
            return random_position(game, empty, rng)
        position = game.play(position, rng.choice(turns))
    return position


def mobility(game: Othello, loss: int) -> Callable[[Position], Iterable[Position]]:
    """The moves after which a side has, up to `loss`, the most more moves than its opponent."""

    def following(position: Position) -> list[Position]:
        after = [game.play(position, turn) for turn in game.turns(position)]
        more = [game.moves(Position(p.opponent, p.player)).bit_count() - game.moves(p).bit_count() for p in after]
        return [p for p, value in zip(after, more, strict=True) if value >= max(more) - loss]

    return following
