"""How many nodes one hint has as a BDD and as a ZDD: the paper's reason why its ZDDs are slow (§5)."""

from __future__ import annotations

from statistics import mean
from typing import Any

from mines_dd import Board
from mines_dd.compilers.exactly import exactly_table
from mines_dd.compilers.schedule import HintSpan, schedule
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order

__all__ = ["hint_nodes", "nodes_of"]


def hint_nodes(board: Board, order: str) -> dict[str, float]:
    """Return the mean number of nodes of F(m, A_i, c_i) as a BDD and of S(m, A_i, c_i) as a ZDD (§4.1, §4.2)."""
    instance = Instance.from_board(board)
    cells = cell_order(instance, order)
    spans = schedule(instance, cells)
    if not spans:
        return {"F": 0.0, "S": 0.0}
    return {kind: mean(nodes_of(span, len(cells), kind) for span in spans) for kind in ("F", "S")}


def nodes_of(span: HintSpan, items: int, kind: str) -> int:
    """Return the nodes of one hint's diagram.

    Examples
    --------
    >>> span = HintSpan([1, 2], [1])  # exactly one of the items 1 and 2, of four
    >>> nodes_of(span, 4, "F"), nodes_of(span, 4, "S")
    (3, 4)
    """
    if not span.levels:
        return items if kind == "S" else 0
    children: dict[Any, Any] = {}

    def node(level: int, low: Any, high: Any) -> Any:
        if (low == high) if kind == "F" else (high is False):
            return low
        return children.setdefault((level, low if isinstance(low, bool) else id(low), id(high)), [level, low, high])

    # of S only from its first cell to its last: above and below is a chain, a node a level
    levels = span.levels if kind == "F" else range(span.levels[0], span.levels[-1] + 1)
    root = exactly_table(levels, set(span.levels), span.allowed, node, True, False)
    chains = items - len(levels) if kind == "S" else 0
    seen: set[int] = set()
    stack = [root]
    while stack:
        one = stack.pop()
        if not isinstance(one, bool) and id(one) not in seen:
            seen.add(id(one))
            stack += one[1:]
    return len(seen) + chains
