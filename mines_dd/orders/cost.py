"""What a compilation in some order will cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.graph import Instance
from mines_dd.jit import kernel

__all__ = ["Cost", "arrays", "cost_of", "linear_cost", "log2_sums"]

# What is really there against the bound, in binary logarithms: partial sums of hints that share cells move together.
# Fitted on 255 boards of 20x20 to 100x100, mines 10-30%, hints 10-50% of the safe cells, after reduction.
_CORRELATION = 0.64


@dataclass(frozen=True)
class Cost:
    """What a compilation in some order will cost.

    Attributes
    ----------
    width : int
        The most hints remembered at once: open hints of a linear order, a bag without its own hint of an elimination.
    log2_bound : float
        The binary logarithm of a bound on all states or table entries together.
    entries : float
        The predicted number of states or table entries.
    peak : float
        The predicted size of the largest layer or table.
    """

    width: int
    log2_bound: float
    entries: float
    peak: float


def linear_cost(instance: Instance, cells: npt.ArrayLike) -> Cost:
    """Return a bound on the states of a diagram in this order of cells.

    After each cell there are at most as many states as combinations of possible partial sums of the open hints.
    """
    cells = np.asarray(cells, np.int32)
    width = np.zeros(len(cells) + 1)
    opened = np.zeros(len(cells) + 1, np.int64)
    _cuts.run(8 * len(instance.member), *arrays(instance), cells, width, opened)
    return cost_of(width, opened)


def cost_of(log2_sizes: npt.NDArray[np.float64], widths: npt.NDArray[np.int64]) -> Cost:
    """Return the cost of layers or tables with these bounds and numbers of hints."""
    if len(log2_sizes) == 0:
        return Cost(0, 0.0, 0.0, 0.0)
    peak = float(log2_sizes.max())
    bound = peak + float(np.log2(np.exp2(log2_sizes - peak).sum()))
    predicted = np.exp2(np.minimum(_CORRELATION * log2_sizes, 1000.0))
    return Cost(int(widths.max()), bound, float(predicted.sum()), float(predicted.max()))


def arrays(instance: Instance) -> tuple[npt.NDArray[Any], ...]:
    """The instance's rows, its columns, and each hint's least and greatest count."""
    cell_start, cell_hint = instance.cell_rows
    least, most = instance.count_range
    return instance.start, instance.member, cell_start, cell_hint, least, most


@kernel
def log2_sums(decided, left, least, most):
    """The binary logarithm of the number of partial sums of a hint that can still come out right."""
    sums = min(most, decided) - max(0, least - left) + 1
    return np.log2(sums) if sums > 1 else 0.0


@kernel
def _cuts(start, member, cell_start, cell_hint, least, most, cells, width, opened):
    decided = np.zeros(len(start), np.int64)
    now = 0.0
    frontier = 0
    for i in range(len(cells)):
        cell = cells[i]
        for j in range(cell_start[cell], cell_start[cell + 1]):
            h = cell_hint[j]
            size = start[h + 1] - start[h]
            d = decided[h]
            now -= log2_sums(d, size - d, least[h], most[h]) if d > 0 else 0.0
            decided[h] = d + 1
            if d == 0:
                frontier += 1
            if d + 1 < size:
                now += log2_sums(d + 1, size - d - 1, least[h], most[h])
            else:
                frontier -= 1
        width[i + 1] = now
        opened[i + 1] = frontier
