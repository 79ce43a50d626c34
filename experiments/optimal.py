"""Exact optimal win probabilities of small boards, for every number of mines, by full search.

All layouts are listed, and for every first cell (up to symmetry) the search of `mines_dd.play.endgame` counts those
that the best play wins.  Two figures come of it: the chance to win if the first cell may hold a mine, and if it never
does (the same wins, among the layouts with no mine there).  The best first cell is the same for both only if all cells
are alike; the table gives it for the first cell that is always safe, and both figures for that rule's best cell.

A set of layouts is known by two 64-bit sums, so a chance collision could spoil a figure; with 10**7 sets its
probability is below 10**-23.

`python -m experiments.optimal` takes some minutes; the table of `--cells 20` is kept in data/optimal.csv.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb, prod
from typing import Any

import numpy as np

from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, option, text_file
from experiments.shared import columns, done, groups
from mines_dd.base.errors import BudgetExceededError
from mines_dd.play.endgame import MINE, layouts_of, most_wins
from mines_dd.play.field import CLOSED, make_field


def run(job: Job) -> Result:
    """Find the best first cell of a board and in how many layouts the best play wins from there."""
    started = time.process_time()
    rows, columns, mines = job["rows"], job["columns"], job["mines"]
    field = make_field(rows, columns, mines)
    cells, shown = layouts_of.run(10**9, field, np.full(rows * columns, CLOSED), mines, job["layouts"])
    if shown.shape[1] == 0:
        raise _too_many("layouts", job["layouts"])
    wins = {}
    for first in first_cells(rows, columns):
        place = int(np.flatnonzero(cells == first[0] * columns + first[1])[0])
        safe = np.ascontiguousarray(shown[:, shown[place] != MINE])
        wins[first] = int(most_wins.run(10**9, safe, job["positions"])[0])
        if wins[first] < 0:
            raise _too_many("positions", job["positions"])
    best = max(wins, key=lambda first: wins[first])
    return {"first": list(best), "wins": wins[best], "seconds": time.process_time() - started}


def _too_many(what: str, allowed: int) -> BudgetExceededError:
    return BudgetExceededError(f"more than {allowed:,} {what}", needed=allowed + 1, allowed=allowed, unit=what)


def first_cells(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """One cell of each class under the symmetries of the board."""
    for row in range(rows):
        for column in range(columns):
            images = {(r, c) for r in (row, rows - 1 - row) for c in (column, columns - 1 - column)}
            if rows == columns:
                images |= {(c, r) for r, c in images}
            if (row, column) == min(images):
                yield row, column


def jobs(options: Options) -> list[Job]:
    """Every number of mines on every board of at least two rows and columns that has few enough layouts."""
    sizes = [(r, c) for r in range(2, options.cells + 1) for c in range(r, options.cells // r + 1)]
    return [
        {"rows": r, "columns": c, "mines": m, "layouts": options.layouts, "positions": options.positions}
        for r, c in sorted(sizes, key=lambda size: (size[0] * size[1], size))
        for m in range(1, r * c)
        if comb(r * c, m) <= options.layouts
    ]


@experiment(
    option("--cells", 18, "Cells of the largest board."),
    option("--layouts", 4_000_000, "Layouts to list at most."),
    option("--positions", 40_000_000, "Positions to search at most."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=600, memory=8, workers=2),
    minutes=10,
    quick="--cells 9",
)
def main(results: Results, options: Options) -> Report:
    """The chances to win in a table, and all figures in a file."""
    found = done(results)
    yield square_table(found)
    yield f"{len(found)} boards, {len(results) - len(found)} stopped by a limit"
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([RECORD, *([cell(r) for cell in RECORD.values()] for r in found)])
    yield text_file("optimal.csv", file.getvalue())


def layouts(result: Result, safe: bool) -> int:
    """The layouts of a board, or those with no mine in the first cell."""
    return comb(result["job"]["rows"] * result["job"]["columns"] - safe, result["job"]["mines"])


def chance(result: Result, safe: bool) -> float:
    """The chance to win, if the first cell may hold a mine or never does."""
    return float(Fraction(result["wins"], layouts(result, safe)))


RECORD: dict[str, Callable[[Result], Any]] = {
    "rows": lambda r: r["job"]["rows"],
    "columns": lambda r: r["job"]["columns"],
    "mines": lambda r: r["job"]["mines"],
    "first": lambda r: f"{r['first'][0]} {r['first'][1]}",
    "wins": lambda r: r["wins"],
    "layouts": lambda r: layouts(r, safe=False),
    "layouts with a safe first cell": lambda r: layouts(r, safe=True),
    "any first cell": lambda r: f"{chance(r, safe=False):.6f}",
    "safe first cell": lambda r: f"{chance(r, safe=True):.6f}",
}


def square_table(found: Results) -> str:
    """The chance to win with a safe first cell, percent: one row a number of mines, one column a size."""
    here = [r for r in found if r["job"]["rows"] >= 3]
    cells: dict[str, Callable[[int], Any]] = {"mines": lambda mines: mines}
    for (rows, width), one in sorted(
        groups(here, "rows", "columns").items(), key=lambda size: (prod(size[0]), size[0])
    ):
        shown = {r["job"]["mines"]: f"{100 * chance(r, safe=True):.2f}" for r in one}
        cells[f"{rows}x{width}"] = shown.get
    return columns(sorted(groups(found, "mines")), cells, "r")


if __name__ == "__main__":
    main.start()
