"""Sets of items that weigh no more than allowed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from mines_dd.base.errors import MinesError
from mines_dd.frontier.spec import End

__all__ = ["Knapsack"]


class Knapsack:
    """The sets of items that weigh no more than allowed: "snacks for up to 300 yen".  φ is the weight so far.

    Parameters
    ----------
    weights : mapping
        Item -> weight (price), in the order of decision; integers or Fractions, none negative.
    capacity : number

    Raises
    ------
    MinesError
        For a negative weight.

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

    def __init__(self, weights: Mapping[Any, Any], capacity: Any) -> None:
        for item, weight in weights.items():
            if weight < 0:
                raise MinesError(f"item {item!r} weighs {weight}; weights may not be negative")
        self.items = tuple(weights)
        self.root: Any = 0
        self._weights = tuple(weights.values())
        self._capacity = capacity
        backwards = self._weights[::-1]
        self._sum_of_rest = list(accumulate(backwards, initial=0))[::-1]
        self._least_of_rest = [*list(accumulate(backwards, min))[::-1], float("inf")]

    def child(self, configuration: Any, level: int, taken: bool) -> Any:
        """Add the item's weight if it is taken."""
        return configuration + self._weights[level] if taken else configuration

    def prune(self, configuration: Any, level: int) -> End | None:
        """⊥ if overweight, ⊤ (BDD) if all the rest fits in, ⊤ (ZDD) if not even the lightest of it does."""
        room = self._capacity - configuration
        if room < 0:
            return End.F
        if room >= self._sum_of_rest[level]:
            return End.T_BDD
        if room < self._least_of_rest[level]:
            return End.T_ZDD
        return None
