"""How all experiments show their results: tables, seconds, verdicts, colours; and counts that have to agree."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tabulate import tabulate

from experiments.sweeps import Result

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
    "compiled_kernels",
    "done",
    "milliseconds",
    "of",
    "plural",
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


def plural(number: int, thing: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> plural(1, "board"), plural(20, "board")
    ('1 board', '20 boards')
    """
    return f"{number} {thing}{'' if number == 1 else 's'}"


def verdict(agrees: bool) -> str:
    """Say whether two values agree."""
    return "agrees" if agrees else "DISAGREES"


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


@contextmanager
def compiled_kernels() -> Iterator[None]:
    """Have everything compiled: otherwise the smallest graphs run interpreted, and times do not compare."""
    before = os.environ.get("MINES_DD_JIT")
    os.environ["MINES_DD_JIT"] = "always"
    try:
        yield
    finally:
        if before is None:
            del os.environ["MINES_DD_JIT"]
        else:
            os.environ["MINES_DD_JIT"] = before
