"""The paper's third method: degree-constrained subgraphs by frontier-based search (§3.3, §4.3), of any graph.

The problem is a spec, `mines_dd.frontier.degrees`; here is what the search for it took.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import IntArray, LongArray
from mines_dd.base.budget import Budget
from mines_dd.base.errors import GraphFormatError
from mines_dd.diagrams.diagram import Diagram
from mines_dd.frontier.builder import search
from mines_dd.frontier.degrees import DegreeConstrained
from mines_dd.frontier.reduce import reduce_layers

__all__ = ["FrontierResult", "degree_constrained"]


@dataclass(frozen=True, eq=False)
class FrontierResult:
    """What a search found, and what it took.

    Attributes
    ----------
    diagram : Diagram
        The canonical ZDD of the edge sets; item i is edge i.
    layers : int64 array
        The number of states before each edge.
    states : int
        All states.
    dead_states : int
        The states that no solution passes through.
    """

    diagram: Diagram
    layers: LongArray
    states: int
    dead_states: int


def degree_constrained(
    edges: npt.ArrayLike, allowed: Sequence[Iterable[int]], *, budget: Budget | None = None
) -> FrontierResult:
    """Return all sets of edges in which every vertex has an allowed degree.

    Parameters
    ----------
    edges : (E, 2) array of int
        The end points of each edge, in the order of decision.  A loop is refused.
    allowed : sequence of iterables of int
        The allowed degrees of each vertex.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If there are more states than allowed, or it takes too long.
    GraphFormatError
        For a loop, or an end point that is not a number of a vertex.
    """
    ends = _end_points(edges, len(allowed))
    if (ends[:, 0] == ends[:, 1]).any():
        raise GraphFormatError(f"vertex {int(ends[ends[:, 0] == ends[:, 1]][0, 0])} has an edge to itself")
    budget = Budget.of(budget)
    spec = DegreeConstrained.of_edges(ends.tolist(), allowed, budget=budget)
    layers = search(spec, budget=budget)
    diagram, alive = reduce_layers(spec.items, layers.pieces, layers.root, layers.first_free, budget)
    states = int(layers.widths.sum())
    return FrontierResult(diagram, layers.widths, states, states - alive)


def _end_points(edges: npt.ArrayLike, vertices: int) -> IntArray:
    given = np.asarray(edges)
    if given.size == 0:
        return np.zeros((0, 2), np.int32)
    if given.ndim != 2 or given.shape[1] != 2 or not np.issubdtype(given.dtype, np.integer):
        raise GraphFormatError("edges are pairs of vertex numbers, an integer array of two columns")
    if given.min() < 0 or given.max() >= vertices:
        e, k = np.argwhere((given < 0) | (given >= vertices))[0].tolist()
        raise GraphFormatError(f"edge {e} ends at vertex {given[e, k]}; the vertices are 0 to {vertices - 1}")
    return given.astype(np.int32)
