"""The 0-1 programs of sections 2 and 3 of the paper on the Maximum String Problem of Go (see `go_strings`).

A variable of 1 is an empty point.  Section 2: every point is empty or next to an empty point; as few as possible are
empty.  Section 3 adds `cuts`, which some best board satisfies.  They raise the optimum of the linear relaxation, the
bound with which a solver begins: for n = 5 from 6.273 to 6.5 empty points, of 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require_whole
from mines_dd.boardgames.go_board import GoBoard, Optimum, Point, points, require_rows
from mines_dd.boardgames.program import best_choice, relaxed_cost

__all__ = ["Cut", "centre_patterns", "cuts", "fewest_empty_relaxed", "solve_program"]


@dataclass(frozen=True)
class Cut:
    """An inequality over the empty points: the sum of `weights` over them is at least `least`."""

    weights: dict[Point, int]
    least: int


def cuts(n: int) -> list[Cut]:
    """Return the inequalities of section 3, which some best board satisfies: theorem 2's corners, figure 4's centre."""
    n = require_rows(n)
    if n < 3:
        return []
    corner = ((0, 2), (1, 1), (1, 2), (2, 0), (2, 1))
    last = n - 1
    found = [
        Cut({(last - r if down else r, last - c if right else c): 1 for r, c in corner}, 1)
        for down in (False, True)
        for right in (False, True)
    ]
    c = (n - 1) // 2
    if n % 2 == 0:
        pairs = [
            ((c, c), (c, c + 1)),
            ((c, c), (c + 1, c)),
            ((c, c), (c + 1, c + 1)),
            ((c + 1, c), (c, c + 1)),
            ((c + 1, c + 1), (c, c + 1)),
        ]
    else:
        pairs = [
            ((c, c - 1), (c - 1, c)),
            ((c, c - 1), (c, c + 1)),
            ((c, c - 1), (c + 1, c)),
            ((c + 1, c), (c - 1, c)),
            ((c, c + 1), (c - 1, c)),
        ]
        found.append(Cut({(c, c): 1, (c - 1, c): 1}, 1))
    return found + [Cut({larger: 1, smaller: -1}, 0) for smaller, larger in pairs]


def solve_program(n: int, formulation: Literal[2, 3] = 3, *, budget: Budget | None = None) -> Optimum:
    """Solve the paper's 0-1 program of section 2 or 3 with HiGHS.

    The optimum is only as exact as the solver's tolerances; its board is exact.  Its `details` are the "nodes" of the
    search tree, and the seconds by the solver's clock after which it had that board ("found") and its proof
    ("seconds").

    Parameters
    ----------
    n : int
        Rows and columns, 1 to 52.
    formulation : 2 or 3
        The section: 3 has the `cuts` too.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If it takes longer.
    MinesError
        If `n` is out of range, highspy is not installed, or the solver stopped without an optimum.
    """
    n = require_rows(n)
    best = best_choice([1] * (n * n), _rows(n, formulation), budget=budget)
    details = {"nodes": best.nodes, "found": best.found, "seconds": best.seconds}
    return Optimum(n * n - len(best.chosen), GoBoard.alternating(n, [divmod(i, n) for i in best.chosen]), details)


def fewest_empty_relaxed(n: int, formulation: Literal[2, 3] = 3) -> float:
    """Return the optimum of the linear relaxation: no board has fewer empty points.

    Raises
    ------
    MinesError
        If `n` is out of range, or highspy is not installed.

    Examples
    --------
    >>> [round(fewest_empty_relaxed(5, section), 3) for section in (2, 3)]  # doctest: +SKIP
    [6.273, 6.5]
    """
    n = require_rows(n)
    return relaxed_cost([1] * (n * n), _rows(n, formulation))


def centre_patterns() -> list[tuple[int, int, int, int]]:
    """Return figure 4: of the 16 patterns of the four central points of an even board those that the cuts leave.

    A pattern has 1 for an empty point, at upper left, upper right, lower left and lower right.

    Examples
    --------
    >>> centre_patterns()
    [(0, 0, 0, 0), (0, 1, 0, 0), (0, 1, 0, 1), (0, 1, 1, 0), (0, 1, 1, 1), (1, 1, 1, 1)]
    """
    n = 4
    centre = [(1, 1), (1, 2), (2, 1), (2, 2)]
    inside = [cut for cut in cuts(n) if set(cut.weights) <= set(centre)]
    found = []
    for pattern in product((0, 1), repeat=4):
        empty = dict(zip(centre, pattern, strict=True))
        if all(sum(weight * empty[point] for point, weight in cut.weights.items()) >= cut.least for cut in inside):
            found.append((pattern[0], pattern[1], pattern[2], pattern[3]))
    return found


def _rows(n: int, formulation: int) -> list[tuple[dict[int, int], int]]:
    """The inequalities of a section, over the points row by row."""
    section = require_whole(formulation, "the section of the paper", least=2, most=3)
    inequalities = _domination(n) + (cuts(n) if section == 3 else [])
    return [({r * n + c: weight for (r, c), weight in cut.weights.items()}, cut.least) for cut in inequalities]


def _domination(n: int) -> list[Cut]:
    """Section 2's inequalities: every point is empty or next to an empty point."""
    return [
        Cut(
            {
                (i, j): 1
                for i, j in ((r, c), (r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))
                if 0 <= i < n and 0 <= j < n
            },
            1,
        )
        for r, c in points(n)
    ]
