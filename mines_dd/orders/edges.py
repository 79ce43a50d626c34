"""Orders of edges for frontier-based search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mines_dd.constraints.graph import Instance, IntArray

__all__ = ["edge_order"]


def edge_order(instance: Instance, cells: npt.ArrayLike) -> IntArray:
    """Return all edges of the mine graph as (cell, hint) indices, a cell's edges one after the other.

    Of a cell's hints those come first that close first, so that they leave the frontier early.
    """
    cells = np.asarray(cells, np.int32)
    place = np.empty(len(cells), np.int64)
    place[cells] = np.arange(len(cells))
    hint = np.repeat(np.arange(len(instance.hints)), np.diff(instance.start))
    closes = np.zeros(len(instance.hints), np.int64)
    np.maximum.at(closes, hint, place[instance.member])
    at = np.lexsort((hint, closes[hint], place[instance.member]))
    return np.stack([instance.member[at], hint[at]], axis=1).astype(np.int32)
