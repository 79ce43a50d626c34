"""How many states a search will make, from those of its first layers.

A search mixes fast.  On a grid the layers grow with nearly each edge until, two or three rows on, they hold almost all
states that the vertices on the frontier can have; and that number is known (`Spec.full_widths`).  Forests on a grid of
4 x 4 vertices have as many states as a frontier has partitions without crossings, a Catalan number (`real` is with
`prune=False`):

    full    1  2  2  5  5  14  14  14  14  14  14  ...  14  5  2
    real    1  2  2  4  5  10  13  13  13  13  14  ...  14  5  2

So what is not made yet is taken to grow as it did in the last layers, but not beyond what is full.  Where a spec does
not know what is full, its last layers are taken to be; each vertex that joins the frontier later doubles them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, log
from typing import NamedTuple

from mines_dd.base.budget import available_memory
from mines_dd.base.errors import BudgetExceededError
from mines_dd.base.wording import gibibytes
from mines_dd.frontier.spec import End, Spec

__all__ = ["Plan", "predicted", "refuse_too_large"]

# The last layers that growth is taken from.
_LAST = 16
# A search is refused if it is predicted to need this many times the free memory.
_MARGIN = 100
_MOST = 1e300  # states of a layer that a prediction speaks of


class Plan(NamedTuple):
    """What a search will be like.

    Attributes
    ----------
    made : int
        How many layers are known exactly, from the first; all of them if nothing is predicted.
    states : int
        The states of all layers together.
    widest : int
        The states of the widest layer.
    """

    made: int
    states: int
    widest: int


def predicted(spec: Spec, first: Sequence[int]) -> Plan | None:
    """Return how many states a spec has if its first layers have these; None if that cannot be said.

    How good that is, `experiments.predictions` measures with 1,000 to 100,000 states made and 3 times as many or more
    in all.  On grids in the order "auto" 86% of the predictions are within a factor of 2, and all are 0.17 to 4.9 times
    the real number; in depth-first order they are up to 6,000 times too large.  On networks 63% are within a factor of
    2, and all are 0.026 to 44 times.  On random trees whose edges come in no useful order they can be too large by any
    factor.  So they can for joined specs, of which all pairs of states are predicted.

    Examples
    --------
    >>> from mines_dd.frontier import Exactly
    >>> predicted(Exactly(range(6), 3), [1, 2])  # 1 2 3 4 3 2; in fact 1 2 3 3 2 1
    Plan(made=2, states=15, widest=4)
    """
    if len(first) == len(spec.items):
        return Plan(len(first), sum(first), max(first, default=0))
    last, full = _smoothed(first, 1 + spec.skips)[-_LAST:], spec.full_widths()
    vertices = spec.frontier_widths() if full is None else None
    later: list[float] = []
    if not last[-1]:
        pass  # no state goes on
    elif full is not None:
        growth = (last[-1] / last[0]) ** (1 / max(1, len(last) - 1))
        for most in full[len(first) :]:
            later.append(min((later or last)[-1] * min(max(growth, 1.05), 2), most, _MOST))
    elif vertices is not None and len(vertices):
        near = vertices[len(first) - len(last) : len(first)]
        usual = fsum(log(n) - w * log(2) for n, w in zip(last, near, strict=True)) / len(last)
        later = [exp(min(usual + w * log(2), log(_MOST))) for w in vertices[len(first) :]]
    else:
        return None
    return Plan(len(first), round(sum(first) + fsum(later)), round(max(*first, *later)))


def _smoothed(sizes: Sequence[int], rows: int) -> list[float]:
    """The mean of each layer and of those before it, as many as have states at once: where some are skipped, any is 0.

    >>> _smoothed([1, 0, 4, 2], 2)
    [1.0, 0.5, 2.0, 3.0]
    """
    parts = [sizes[max(0, i - rows) : i] for i in range(1, len(sizes) + 1)]
    return [sum(part) / len(part) for part in parts]


def refuse_too_large(spec: Spec, first: Sequence[int], keep: bool, advice: str) -> None:
    """Raise `BudgetExceededError` if a search will need far more memory than there is.

    Parameters
    ----------
    spec : Spec
    first : sequence of int
        The states of the layers made so far.
    keep : bool
        Whether arcs are kept, 8 bytes a state; otherwise the states of a layer alone are.
    advice : str
        What the error says to do.
    """
    if not spec.mixes:
        return
    plan, free = predicted(spec, first), available_memory()
    if plan is None or free is None:
        return
    assert not isinstance(spec.root, End)
    size = 8 * plan.states if keep else 8 * (len(spec.root) + 1) * plan.widest
    if size > _MARGIN * free:
        raise BudgetExceededError(
            f"by its prediction the search makes about {plan.states:.2g} states, which take {gibibytes(size)}, "
            f"and {gibibytes(free)} are free",
            needed=size,
            allowed=free,
            unit="bytes",
            advice=advice,
        )
