"""Sets of items that weigh no more than allowed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from math import floor, lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.errors import MinesError
from mines_dd.frontier.spec import DEAD, DONE, FREE, GO, End, Spec

__all__ = ["Knapsack"]

_LARGEST = (1 << 62) - 1


class _Tables(NamedTuple):
    """Weights, and of the items from each level on the sum of weights and the least."""

    weight: npt.NDArray[np.int64]
    rest: npt.NDArray[np.int64]
    least: npt.NDArray[np.int64]
    capacity: int
    pruned_from: int


class Knapsack(Spec):
    """The sets of items that weigh no more than allowed: "snacks for up to 300 yen".  The state is the weight so far.

    Parameters
    ----------
    weights : mapping
        Item -> weight (price), in the order of decision; integers, Fractions or floats, none negative.
    capacity : number

    Raises
    ------
    MinesError
        For a negative weight, or weights that do not fit into 62 bits when they are brought to a common denominator.

    Examples
    --------
    The basket that pleases most is the cheapest one if pleasure is a negative cost.

    >>> from mines_dd.frontier import build
    >>> prices = {"chocolate": 150, "crisps": 120, "gum": 50, "cola": 140}
    >>> pleasure = {"chocolate": 8, "crisps": 6, "gum": 2, "cola": 7}
    >>> baskets = build(Knapsack(prices, 300)).to_assignments()
    >>> cost, basket = baskets.cheapest({item: -p for item, p in pleasure.items()})[0]
    >>> -cost, sorted(basket)
    (15, ['chocolate', 'cola'])
    """

    def __init__(self, weights: Mapping[Any, Any], capacity: Any, *, prune: bool = True) -> None:
        for item, weight in weights.items():
            if not weight >= 0:
                raise MinesError(f"item {item!r} weighs {weight}; weights may not be negative")
        try:
            exact = [Fraction(weight) for weight in weights.values()]
            limit = sum(exact) if capacity == float("inf") else Fraction(capacity)
        except (TypeError, ValueError, OverflowError) as error:
            raise MinesError(f"weights and the capacity are numbers: {error}") from None
        self._given = weights, capacity
        self._scale = lcm(*(weight.denominator for weight in exact))
        scaled = [int(weight * self._scale) for weight in exact]
        room = floor(limit * self._scale)
        if sum(scaled) > _LARGEST:
            raise MinesError(
                f"the weights add up to {float(sum(exact)):.3g} in steps of 1/{self._scale}; more than 62 bits hold"
            )
        self.items = tuple(weights)
        rest = list(accumulate(scaled[::-1], initial=0))[::-1]
        least = [*list(accumulate(scaled[::-1], min))[::-1], _LARGEST]
        self.tables = _Tables(
            np.array(scaled, np.int64),
            np.array(rest, np.int64),
            np.array(least, np.int64),
            max(-1, min(room, _LARGEST)),
            0 if prune else len(scaled),
        )
        self.root: tuple[int, ...] | End = (0,)
        if prune or not scaled:
            code = _end(0, 0, self.tables)
            self.root = (0,) if code == GO else End(code)

    @staticmethod
    def child(state: Any, level: int, taken: int, tables: Any) -> int:
        """Add the item's weight if it is taken; dead if overweight, free if all the rest fits in, done if nothing."""
        if taken:
            state[0] += tables.weight[level]
        code: int = _end(state[0], level + 1, tables) if level + 1 >= tables.pruned_from else GO
        return code

    def unpruned(self) -> Knapsack:
        """Return the spec that looks at the weight after the last item only."""
        return Knapsack(*self._given, prune=False)

    def show(self, state: tuple[int, ...], level: int) -> Any:
        """Return the weight so far."""
        weight = Fraction(state[0], self._scale)
        return weight.numerator if weight.denominator == 1 else weight


def _end(weight, level, tables):
    """Where a state ends that is known to decide item `level` next, or GO."""
    room = tables.capacity - weight
    if room < 0:
        return DEAD
    if room >= tables.rest[level]:
        return FREE
    if room < tables.least[level]:
        return DONE
    return GO
