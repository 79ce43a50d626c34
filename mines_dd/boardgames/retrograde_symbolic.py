"""Retrograde analysis of sets of positions, as BDDs: the least fixpoint of two preimages.

A position is won if a move leads to a lost one, and lost if no move leads to one that is not won.  `layers` does so for
a game given as a formula, with too many positions to list; `solve_symbolically` for a graph, to compare with `solve`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.base.checks import require, require_labels
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.wording import shown
from mines_dd.boardgames.retrograde import DRAW, LOSS, OPEN, WIN, Game, Solution, require_game

__all__ = ["SymbolicGame", "encode", "layers", "solve_symbolically"]


@dataclass(frozen=True, eq=False)
class SymbolicGame:
    """A game as formulas: its moves and its sets of positions are BDDs.

    Attributes
    ----------
    manager : dd.cudd.BDD or dd.autoref.BDD
    here, there : tuple of str
        The variables of a position before and after a move.
    moves : BDD over here and there
    playing : BDD over here
        The positions where the game goes on.  Every move starts at one of them.
    won, lost : BDD over here
        The positions where the game is over and won or lost; it is a draw at those in none of these sets.

    Raises
    ------
    GraphFormatError
        If the variables of positions do not pair up, or a set is no BDD of this manager over its variables, or if two
        of playing, won and lost have positions in common.

    Examples
    --------
    >>> game = Game.from_moves(4, source=[1, 2, 2, 3], target=[0, 1, 3, 2])
    >>> encode(game).here
    ('x0', 'x1')
    """

    manager: Any
    here: tuple[str, ...]
    there: tuple[str, ...]
    moves: Any
    playing: Any
    won: Any
    lost: Any

    def __post_init__(self) -> None:
        here, there = (
            require_labels(names, f"the variables of a position {when} a move")
            for names, when in ((self.here, "before"), (self.there, "after"))
        )
        if len(here) != len(there) or len({*here, *there}) < 2 * len(here):
            raise GraphFormatError(
                "each variable of a position before a move needs one after it, all different; "
                f"given are {shown(self.here)} and {shown(self.there)}"
            )
        over = {"moves": {*here, *there}, "playing": {*here}, "won": {*here}, "lost": {*here}}
        for what, names in over.items():
            family = getattr(self, what)
            if not hasattr(family, "bdd") or family.bdd is not self.manager:
                raise GraphFormatError(f"{what!r} has to be a BDD of the game's manager, not {shown(family)}")
            for name in sorted(self.manager.support(family) - names):
                raise GraphFormatError(f"{what!r} depends on {name!r}, which is not among {shown(sorted(names))}")
        for name in (*here, *there):
            if name not in self.manager.vars:
                raise GraphFormatError(f"the manager has no variable {shown(name)}; declare it")
        for one, other in combinations(("playing", "won", "lost"), 2):
            if getattr(self, one) & getattr(self, other) != self.manager.false:
                raise GraphFormatError(
                    f"{one!r} and {other!r} have positions in common; each is in one of them at most"
                )

    def leads_to(self, goal: Any) -> Any:
        """Return the preimage of a set: the positions with a move into it.

        Examples
        --------
        >>> game = Game.from_moves(4, source=[1, 2, 2, 3], target=[0, 1, 3, 2])
        >>> symbolic = encode(game)
        >>> int(symbolic.manager.count(symbolic.leads_to(symbolic.manager.true), 2))  # positions with a move
        3
        """
        after = self.manager.let(dict(zip(self.here, self.there, strict=True)), goal)
        return self.manager.exist(self.there, self.moves & after)


def layers(game: SymbolicGame) -> Iterator[tuple[Any, Any]]:
    """Yield for k = 0, 1, ... the BDDs of the positions that are won, and of those that are lost, in exactly k moves.

    A position is won if a move leads to a lost one, and lost if no move leads to one that is not won.

    Examples
    --------
    >>> game = Game.from_moves(4, source=[1, 2, 2, 3], target=[0, 1, 3, 2])
    >>> symbolic = encode(game)
    >>> [[int(symbolic.manager.count(found, 2)) for found in layer] for layer in layers(symbolic)]
    [[0, 1], [1, 0]]
    """
    game = require(game, SymbolicGame, "a SymbolicGame", "encode makes one of a Game")
    won, lost = game.won, game.lost | (game.playing & ~game.leads_to(game.manager.true))
    newly_won, newly_lost = won, lost
    while True:
        yield newly_won, newly_lost
        # Both are computed from the sets of the last round, so a round is a move.
        newly_won, newly_lost = (
            game.playing & game.leads_to(newly_lost) & ~won,
            game.playing & ~game.leads_to(~won) & ~lost,
        )
        if game.manager.false == newly_won == newly_lost:
            return
        won |= newly_won
        lost |= newly_lost


def solve_symbolically(game: Game) -> Solution:
    """Return the same as `solve`, by the fixpoint of `layers`: for comparisons on small graphs.

    Examples
    --------
    >>> game = Game.from_moves(4, source=[1, 2, 2, 3], target=[0, 1, 3, 2])
    >>> solve_symbolically(game).outcome.tolist()
    [-1, 1, 0, 0]
    """
    symbolic = encode(game)
    outcome = np.where(game.given == OPEN, DRAW, game.given).astype(np.int8)
    distance = np.full(len(outcome), -1, np.int32)
    for moves, sets in enumerate(layers(symbolic)):
        for value, found in zip((WIN, LOSS), sets, strict=True):
            members = _members(symbolic.manager, symbolic.here, found)
            outcome[members] = value
            distance[members] = moves
    return Solution(game, outcome, distance)


def encode(game: Game) -> SymbolicGame:
    """Return a game as formulas over the bits of a position's number, the highest first: x before a move, y after it.

    Examples
    --------
    >>> game = Game.from_moves(4, source=[1, 2, 2, 3], target=[0, 1, 3, 2])
    >>> symbolic = encode(game)
    >>> symbolic.here, symbolic.there
    (('x0', 'x1'), ('y0', 'y1'))
    """
    from mines_dd.compilers.bdd import new_manager  # imported here because it takes long to load

    bits = max(1, (len(require_game(game).given) - 1).bit_length())
    here, there = (tuple(f"{name}{i}" for i in range(bits)) for name in "xy")
    names = [name for pair in zip(here, there, strict=True) for name in pair]
    manager = new_manager(len(names))
    manager.declare(*names)
    plays = game.given[game.source] == OPEN
    source, target = game.source[plays].astype(np.int64), game.target[plays].astype(np.int64)
    code = np.zeros(len(source), np.int64)
    for bit in reversed(range(bits)):
        code = (code << 2) | ((source >> bit & 1) << 1) | (target >> bit & 1)
    return SymbolicGame(
        manager,
        here,
        there,
        _set_of(manager, names, code),
        *(_set_of(manager, here, np.flatnonzero(game.given == value)) for value in (OPEN, WIN, LOSS)),
    )


def _set_of(manager: Any, names: tuple[str, ...] | list[str], codes: npt.NDArray[np.int64]) -> Any:
    """The BDD of a set of numbers, built level by level from the last bit up."""
    codes = np.sort(codes)
    if not len(codes):
        return manager.false
    nodes, node = [manager.false, manager.true], np.ones(len(codes), np.int64)
    for name in reversed(names):
        last_bit, codes = codes & 1, codes >> 1
        first = np.diff(codes, prepend=-1) > 0  # the codes stay sorted
        codes = codes[first]
        children = np.zeros((2, len(codes)), np.int64)
        children[last_bit, np.cumsum(first) - 1] = node
        pairs, node = _ranked(children[0] * len(nodes) + children[1], len(nodes) ** 2)
        node += 1
        variable = manager.var(name)
        lows, highs = (array.tolist() for array in np.divmod(pairs, len(nodes)))
        nodes = [manager.false] + [
            manager.ite(variable, nodes[high], nodes[low]) for low, high in zip(lows, highs, strict=True)
        ]
    return nodes[1]


def _ranked(values: npt.NDArray[np.int64], bound: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The distinct values among some in [0, bound), sorted, and the rank of each value."""
    if bound > 4 * len(values):
        different, rank = np.unique(values, return_inverse=True)
    else:  # far faster than sorting
        present = np.zeros(bound, bool)
        present[values] = True
        different, rank = np.flatnonzero(present), (np.cumsum(present) - 1)[values]
    return different, rank


def _members(manager: Any, names: tuple[str, ...], family: Any) -> npt.NDArray[np.int64]:
    """The numbers in a set that is a BDD."""
    prefixes = {family: np.zeros(1, np.int64)}
    for name in names:
        longer = defaultdict(list)
        for node, prefix in prefixes.items():
            for bit in (0, 1):
                longer[manager.let({name: bool(bit)}, node)].append(2 * prefix + bit)
        longer.pop(manager.false, None)
        prefixes = {node: np.concatenate(parts) for node, parts in longer.items()}
    return prefixes.get(manager.true, np.zeros(0, np.int64))
