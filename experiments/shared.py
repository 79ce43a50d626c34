"""What all experiments share: jobs of every combination, groups of results, tables, axes, colours, equal counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from tabulate import tabulate

from experiments.sweeps import Job, Result

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "METHOD_COLOURS",
    "ORANGE",
    "ORDER_COLOURS",
    "PERCENT_COLOURS",
    "PURPLE",
    "SKY",
    "VERMILION",
    "columns",
    "crossed",
    "curve",
    "done",
    "finish",
    "groups",
    "milliseconds",
    "number",
    "of",
    "power",
    "same_counts",
    "seconds",
    "table",
    "verdict",
]

# Colours that the colour-blind can tell apart (M. Okabe, K. Ito: Color Universal Design, 2008).
BLUE, SKY, GREEN = "#0072B2", "#56B4E9", "#009E73"
ORANGE, VERMILION, PURPLE, GREY = "#E69F00", "#D55E00", "#CC79A7", "#999999"
METHOD_COLOURS = {"bdd": BLUE, "zdd": VERMILION, "zdd-span": ORANGE, "dc": GREEN, "tree": PURPLE}
ORDER_COLOURS = {"row": VERMILION, "column": ORANGE, "greedy": GREEN, "tree": BLUE}
PERCENT_COLOURS = {10: BLUE, 20: ORANGE, 30: VERMILION, 50: GREEN}
"""Of a share of mines or hints."""


# Jobs and results


def crossed(**values: Iterable[Any]) -> list[Job]:
    """Return a job for every combination of values, those of the last name changing fastest.

    Examples
    --------
    >>> crossed(size=[8, 16], method=["bdd", "dc"])[1:3]
    [{'size': 8, 'method': 'dc'}, {'size': 16, 'method': 'bdd'}]
    """
    return [dict(zip(values, one, strict=True)) for one in product(*values.values())]


def done(results: Iterable[Result]) -> list[Result]:
    """Return the results of the runs that came to their end."""
    return [r for r in results if r["status"] == "done"]


def of(results: Iterable[Result], **job: Any) -> list[Result]:
    """Return the results whose jobs have these values.

    Examples
    --------
    >>> of([{"job": {"method": "dc", "seed": 1}}, {"job": {"method": "bdd", "seed": 1}}], method="dc")
    [{'job': {'method': 'dc', 'seed': 1}}]
    """
    return [r for r in results if job.items() <= r["job"].items()]


def groups(results: Iterable[Result], *names: str) -> dict[Any, list[Result]]:
    """Return the results by a value of their jobs, or by several, in the order in which these first come.

    Examples
    --------
    >>> results = [{"job": {"n": 2, "who": "a"}}, {"job": {"n": 1, "who": "a"}}, {"job": {"n": 2, "who": "b"}}]
    >>> {n: [r["job"]["who"] for r in here] for n, here in groups(results, "n").items()}
    {2: ['a', 'b'], 1: ['a']}
    >>> list(groups(results, "n", "who"))
    [(2, 'a'), (1, 'a'), (2, 'b')]
    """
    found: dict[Any, list[Result]] = {}
    for r in results:
        values = tuple(r["job"][name] for name in names)
        found.setdefault(values if len(names) > 1 else values[0], []).append(r)
    return found


def same_counts(counts: Iterable[tuple[str, str, Hashable]]) -> None:
    """Require that whoever counts the same board finds the same.

    Parameters
    ----------
    counts : iterable of (board, who, count)

    Raises
    ------
    SystemExit
        If two counts of a board differ.
    """
    first: dict[str, Hashable] = {}
    for board, who, count in counts:
        if first.setdefault(board, count) != count:
            raise SystemExit(f"the counts of {board} disagree: {who}")


def power(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the exponent of the power of the sizes that fits the values best, by least squares of logarithms.

    Examples
    --------
    >>> round(power([10, 20, 40], [3, 12, 48]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


# Tables


def table(rows: Sequence[Sequence[Any]], headers: Sequence[str], align: str = "l") -> str:
    """Lay out a table of texts.

    Parameters
    ----------
    rows, headers : sequence
    align : str
        "l" or "r" for each column; the last one also stands for all columns after it.

    Examples
    --------
    >>> print(table([["dc", "0.5"], ["bdd", "12.25"]], ["method", "seconds"], "lr"))
    method      seconds
    --------  ---------
    dc              0.5
    bdd           12.25
    """
    sides = [{"l": "left", "r": "right"}[align[min(i, len(align) - 1)]] for i in range(len(headers))]
    text: str = tabulate(rows, headers, disable_numparse=True, colalign=sides if rows else None)
    return text


def columns(things: Iterable[Any], cells: Mapping[str, Callable[[Any], Any]], align: str = "l") -> str:
    """Lay out a table of things, a row each: below each header what its function says of the thing.

    Examples
    --------
    >>> print(columns([3, 12], {"n": str, "squared": lambda n: n * n}, "r"))
      n    squared
    ---  ---------
      3          9
     12        144
    """
    return table([[cell(thing) for cell in cells.values()] for thing in things], list(cells), align)


def number(value: float | None) -> str:
    """Return a whole number with commas, or nothing.

    Examples
    --------
    >>> number(12345), number(None)
    ('12,345', '')
    """
    return "" if value is None else f"{value:,.0f}"


def seconds(value: float, decimals: int = 4) -> str:
    """Return seconds, with four decimals as in the paper.

    Examples
    --------
    >>> seconds(12.5), seconds(0.0000123, 6)
    ('12.5000', '0.000012')
    """
    return f"{value:.{decimals}f}"


def milliseconds(value: float) -> str:
    """Return seconds as milliseconds with two decimals.

    Examples
    --------
    >>> milliseconds(0.01234)
    '12.34'
    """
    return f"{1000 * value:.2f}"


def verdict(agrees: bool) -> str:
    """Say whether two values agree."""
    return "agrees" if agrees else "DISAGREES"


# Pictures


def curve(axes: Any, points: Iterable[tuple[float, float]], style: str = "o-", **look: Any) -> None:
    """Draw points from left to right; where there are none, nothing, so that the legend does not name them."""
    if points := sorted(points):
        axes.plot(*zip(*points, strict=True), style, **look)


def finish(axes: Any, log: str = "", legend: bool = True, **names: Any) -> None:
    """Give axes their names and title, and a grid; make those logarithmic that `log` names ("x", "y", "xy")."""
    axes.set(**{f"{axis}scale": "log" for axis in log}, **names)
    axes.grid(alpha=0.3)
    if legend and axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8)
