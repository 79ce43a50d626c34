"""Nim with heaps of 0 to 3, as a graph and as a formula.

A move takes one or more objects from one heap; who takes the last object wins.  A position is lost if and only if the
exclusive or of its heaps is 0: 2 and 2 are lost, but from 2 and 3 one takes 1 and leaves 2 and 2 (C. L. Bouton, Nim, a
game with a complete mathematical theory, Annals of Mathematics 3, 1901).
"""

from __future__ import annotations

import numpy as np

from mines_dd.base.checks import require_whole
from mines_dd.boardgames.retrograde import Game
from mines_dd.boardgames.retrograde_symbolic import SymbolicGame

__all__ = ["nim", "nim_formula"]

_LISTED, _WRITTEN = 10, 1000  # the most heaps as a graph, of 15.7 million moves, and as a formula


def nim(heaps: int) -> Game:
    """Return the game as a graph; the heaps of position i are its digits in base 4.

    Raises
    ------
    MinesError
        If there are not 1 to 10 heaps.

    Examples
    --------
    >>> from mines_dd.boardgames.retrograde import solve
    >>> solve(nim(2)).outcome[[0b1010, 0b1011]].tolist()  # two heaps of 2: lost; one of 2 and one of 3: won
    [-1, 1]
    """
    heaps = require_whole(heaps, "the number of heaps", least=1, most=_LISTED)
    positions = np.arange(4**heaps)
    sources, targets = [], []
    for unit in 4 ** np.arange(heaps):
        for taken in (1, 2, 3):
            source = positions[positions // unit % 4 >= taken]
            sources.append(source)
            targets.append(source - taken * unit)
    return Game.from_moves(len(positions), np.concatenate(sources), np.concatenate(targets))


def nim_formula(heaps: int) -> SymbolicGame:
    """Return the game as a formula over two bits for each heap: one heap becomes smaller, the others stay.

    Raises
    ------
    MinesError
        If there are not 1 to 1000 heaps.

    Examples
    --------
    >>> from mines_dd.boardgames.retrograde_symbolic import layers
    >>> game = nim_formula(2)
    >>> [int(game.manager.count(lost, 4)) for _, lost in layers(game)]  # lost in 0, 1, 2, ... moves
    [1, 0, 1, 0, 1, 0, 1]
    """
    from mines_dd.compilers.bdd import new_manager  # imported here because it takes long to load

    heaps = require_whole(heaps, "the number of heaps", least=1, most=_WRITTEN)
    pairs = [[(f"x{heap}_{bit}", f"y{heap}_{bit}") for bit in "10"] for heap in range(heaps)]
    manager = new_manager(4 * heaps)
    manager.declare(*(name for heap in pairs for pair in heap for name in pair))
    one, none = manager.false, manager.true  # of the heaps so far, one has become smaller; none has changed
    for heap in reversed(pairs):
        less, same = manager.false, manager.true
        for here, there in heap:
            before, after = manager.var(here), manager.var(there)
            less |= same & before & ~after
            same &= before.equiv(after)
        one, none = (one & same) | (none & less), none & same
    before_move, after_move = (tuple(pair[end] for heap in pairs for pair in heap) for end in (0, 1))
    return SymbolicGame(manager, before_move, after_move, one, manager.true, manager.false, manager.false)
