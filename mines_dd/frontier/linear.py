"""Sets of items by the sum of their weights: linear constraints, numbers of items, knapsacks.

The state is the sum so far.  What decides is how it lies to the allowed sums, for a knapsack of 300 yen:

    3 items of 100 yen to come, 250 spent      done     none fits in: the one solution takes no further item
    2 items of 100 yen to come, 100 spent      free     all fit in
    2 items of 100 yen to come, 310 spent      dead

Several constraints are a product: `Linear(...) & Linear(...)`.

References
----------
決定図を用いたマインスイーパー攻略 (Minesweeper by decision diagrams), Qiita, 16 May 2024: the snacks.
H. Iwashita, S. Minato, "Efficient top-down ZDD construction techniques using recursive specifications", TCS-TR-A-13-69,
Hokkaido University, 2013: linear constraints as a spec.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from fractions import Fraction
from itertools import accumulate
from math import ceil, copysign, floor, gcd, inf, isinf, lcm
from typing import Any, NamedTuple

import numpy as np

from mines_dd.base.arrays import LongArray
from mines_dd.base.checks import (
    as_written,
    clipped,
    require,
    require_distinct,
    require_labels,
    require_list,
    require_number,
)
from mines_dd.base.errors import MinesError
from mines_dd.base.wording import shown
from mines_dd.frontier.spec import DEAD, DONE, FREE, GO, End, Spec

__all__ = ["Exactly", "Knapsack", "Linear"]

_LARGEST = (1 << 62) - 1


class _Tables(NamedTuple):
    """Weights; of the items from each level on the least and the largest sum, and the least weight.

    That is 0 if one of them is not positive.  `first[j]` to `last[j]` are the allowed sums.
    """

    weight: LongArray
    low: LongArray
    high: LongArray
    least: LongArray
    first: LongArray
    last: LongArray
    pruned_from: int


class Linear(Spec):
    """The sets of items whose weights add up to an allowed sum.

    Parameters
    ----------
    weights : mapping
        Item -> weight, in the order of decision; integers, Fractions or floats, also negative.  A float is taken as
        the decimal number that it is written as: 0.1 is a tenth.  Items of weight 0 are free.
    allowed : number or collection of numbers, optional
        The allowed sums; a number is the only one.
    least, most : number, optional
        The least and the largest allowed sum, instead of `allowed`.

    Raises
    ------
    MinesError
        If `allowed` is given with `least` or `most`; for weights that are no numbers, or whose sum without the signs
        does not fit into 62 bits when they are brought to a common denominator.

    Examples
    --------
    >>> from mines_dd.frontier import build
    >>> coins = {"penny": 1, "nickel": 5, "dime": 10, "quarter": 25}
    >>> [sorted(coins) for coins in build(Linear(coins, 15)).to_assignments()]
    [['dime', 'nickel']]
    >>> build(Linear(coins, least=26)).to_assignments().count()
    7

    Loops in a grid with three sides of its first square:

    >>> import networkx as nx
    >>> from mines_dd.frontier import Cycles, count
    >>> loops, square = Cycles(nx.grid_2d_graph(3, 3)), {(0, 0), (0, 1), (1, 0), (1, 1)}
    >>> count(loops & Linear({edge: int(square.issuperset(edge)) for edge in loops.items}, 3))
    4
    """

    def __init__(
        self,
        weights: Mapping[Any, Any],
        allowed: Any | Collection[Any] | None = None,
        *,
        least: Any = -inf,
        most: Any = inf,
    ) -> None:
        require(weights, Mapping, "a dict of weights, item -> weight,")
        limits = [_limit(x) for x in (least, most)]
        if allowed is not None and limits != [-inf, inf]:
            raise MinesError("give the allowed sums, or the least and the most, not both")
        exact = [_exactly(weight) for weight in weights.values()]
        self.items = tuple(weights)
        self._scale = scale = lcm(*(weight.denominator for weight in exact))
        scaled = [int(weight * scale) for weight in exact]
        reach = sum(map(abs, scaled))
        if reach > _LARGEST:
            total = f"{reach / scale:.3g}" if reach < 10**300 else shown(reach // scale)
            raise MinesError(f"the weights add up to {total} in steps of 1/{shown(scale)}; more than 62 bits hold")
        if allowed is None:
            # Beyond the reach every limit is the same, an infinite one too.
            near = [min(max(limit, -reach - 1), reach + 1) * scale for limit in limits]
            low, high = max(ceil(near[0]), -reach - 1), min(floor(near[1]), reach + 1)
            runs = [(low, high)] if low <= high else []
        else:
            runs = _allowed_runs(allowed, scale, reach)
        self._plan(scaled, runs)

    def _plan(self, weights: list[int], runs: list[tuple[int, int]]) -> None:
        back = weights[::-1]
        self.tables = _Tables(
            weight=np.array(weights, np.int64),
            low=_from_the_end(accumulate((min(w, 0) for w in back), initial=0)),
            high=_from_the_end(accumulate((max(w, 0) for w in back), initial=0)),
            least=_from_the_end(accumulate((max(w, 0) for w in back), min, initial=_LARGEST)),
            first=np.array([first for first, _ in runs], np.int64),
            last=np.array([last for _, last in runs], np.int64),
            pruned_from=0,
        )
        code = _end(0, 0, self.tables)
        self.root = (0,) if code == GO else End(code)

    def unpruned(self) -> Spec:
        """Return the spec that looks at the sum after the last item only."""
        spec = Linear.__new__(type(self))
        spec.items, spec._scale = self.items, self._scale
        spec.tables = self.tables._replace(pruned_from=len(self.items))
        spec.root = (0,) if self.items else self.root
        return spec

    @staticmethod
    def child(state: Any, level: int, taken: int, tables: Any) -> int:
        """Add the item's weight if it is taken, and look where that leads."""
        if taken:
            state[0] += tables.weight[level]
        code: int = _end(state[0], level + 1, tables) if level + 1 >= tables.pruned_from else GO
        return code

    def full_widths(self) -> Sequence[int] | None:
        """Return how many sums can still become an allowed one, and may still become another one.

        With all that is to come, a sum stays within the longest range of allowed ones, or leaves all of them.
        """
        tables = self.tables
        if not len(tables.first):
            return None
        weights = tables.weight.tolist()
        step = max(1, gcd(*weights))
        low = accumulate((min(w, 0) for w in weights[:-1]), initial=0)
        high = accumulate((max(w, 0) for w in weights[:-1]), initial=0)
        first, last = int(tables.first[0]), int(tables.last[-1])
        longest = int((tables.last - tables.first).argmax())
        begin, end = int(tables.first[longest]), int(tables.last[longest])
        found = []
        for least, most, less, more in zip(low, high, tables.low.tolist(), tables.high.tolist(), strict=False):
            lowest, highest = max(least, first - more), min(most, last - less)
            certain = min(highest, end - more) - max(lowest, begin - less)
            found.append(max(1, 1 + (highest - lowest) // step - max(0, 1 + certain // step)))
        return found

    def label(self, state: tuple[int, ...], level: int) -> Any:
        """Return the sum so far."""
        weight = Fraction(state[0], self._scale)
        return weight.numerator if weight.denominator == 1 else weight


class Exactly(Linear):
    """The sets with an allowed number of the items.

    Parameters
    ----------
    items : iterable
        In the order of decision.  For a number of some of the items there is `Linear`.
    counts : int or collection of int
        The allowed numbers of items.

    Examples
    --------
    >>> import networkx as nx
    >>> from mines_dd.frontier import Forests, count
    >>> count(Exactly(range(20), 10))
    184756
    >>> forests = Forests(nx.complete_graph(4))
    >>> count(forests & Exactly(forests.items, 3)), count(forests & Exactly(forests.items, range(2)))
    (16, 7)
    """

    def __init__(self, items: Iterable[Any], counts: int | Collection[int]) -> None:
        labels = require_labels(items, "a list of items", MinesError)
        require_distinct(labels, "the list of items", MinesError, "give each item a name of its own")
        if counts is None:
            raise MinesError("the allowed number of items is missing; give one, or a collection of them")
        super().__init__(dict.fromkeys(labels, 1), counts)


class Knapsack(Linear):
    """The sets of items that weigh no more than allowed: "snacks for up to 300 yen".

    Parameters
    ----------
    weights : mapping or list
        Item -> weight (price), in the order of decision, none negative, as in `Linear`.  Of a list, the items are 0, 1
        and so on.
    capacity : number

    Raises
    ------
    MinesError
        For a negative weight, or weights whose sum does not fit into 62 bits when they are brought to a common
        denominator.

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

    def __init__(self, weights: Mapping[Any, Any] | Iterable[Any], capacity: Any) -> None:
        if isinstance(weights, Set):
            raise MinesError("weights in a set have no order, and equal ones count once; give a list, or a dict")
        if not isinstance(weights, Mapping):
            needed = "a dict of weights, item -> weight, or a list of them,"
            weights = dict(enumerate(require_list(weights, needed, MinesError)))
        for item, weight in weights.items():
            if require_number(weight, f"the weight of {item!r}") < 0:
                raise MinesError(f"item {item!r} weighs {weight}; weights may not be negative")
        super().__init__(weights, most=require_number(capacity, "the capacity"))


def _exactly(value: Any) -> Fraction:
    """A weight or a sum as a fraction."""
    try:
        return as_written(value)
    except (TypeError, ValueError, ArithmeticError):
        raise MinesError(f"weights, sums and counts are finite numbers, not {shown(value)}") from None


def _limit(value: Any) -> Any:
    """A least or a largest sum, which may be infinite."""
    with suppress(TypeError, ValueError, OverflowError):
        if isinf(value):
            return copysign(inf, value)
    return _exactly(value)


def _allowed_runs(allowed: Any, scale: int, reach: int) -> list[tuple[int, int]]:
    """The allowed sums that the weights can add up to, times the common denominator, as runs."""
    if isinstance(allowed, range):
        allowed = clipped(allowed, -reach // scale, reach // scale)
        if allowed.step == scale == 1:
            return [(allowed[0], allowed[-1])] if allowed else []
    return _runs(sorted(set(_scaled_sums(allowed, scale, reach))))


def _scaled_sums(allowed: Any, scale: int, reach: int) -> Iterator[int]:
    one = not isinstance(allowed, Iterable) or getattr(allowed, "ndim", 1) == 0
    for value in [allowed] if one else allowed:
        scaled = _exactly(value) * scale
        if scaled.denominator == 1 and abs(scaled) <= reach:
            yield int(scaled)


def _runs(values: list[int]) -> list[tuple[int, int]]:
    """Ascending numbers as runs of consecutive ones, each by its first and its last."""
    runs: list[tuple[int, int]] = []
    for value in values:
        if runs and value == runs[-1][1] + 1:
            runs[-1] = runs[-1][0], value
        else:
            runs.append((value, value))
    return runs


def _from_the_end(values: Iterable[int]) -> LongArray:
    return np.array(list(values)[::-1], np.int64)


def _end(total, level, tables):
    """Where a sum ends that is known to decide item `level` next, or GO."""
    low, high = total + tables.low[level], total + tables.high[level]
    more = total + tables.least[level]  # the next sum above, if all weights are positive
    reached, beyond, here = False, False, False
    for j in range(len(tables.first)):
        first, last = tables.first[j], tables.last[j]
        if first <= low and high <= last:
            return FREE
        reached = reached or (first <= high and low <= last)
        beyond = beyond or (first <= high and more <= last)
        here = here or (first <= total and total <= last)
    if not reached:
        return DEAD
    if here and not beyond and more > total:
        return DONE
    return GO
