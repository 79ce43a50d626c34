"""Exact optimal win probabilities of small boards, for every number of mines, and how far from them policies stay.

All layouts are listed, and for every first cell (up to symmetry) the search of `mines_dd.play.endgame` counts those
that the best play wins.  Two figures come of it: the chance to win if the first cell may hold a mine, and if it never
does (the same wins, among the layouts with no mine there).  The best first cell is the same for both only if all cells
are alike; the table gives it for the first cell that is always safe, and both figures for that rule's best cell.

From that cell on policies play every layout, or so many drawn at random.  What they lose is the share of the wins of
the best play that they do not have.  The policy `best` is not among them: it searches positions of up to 8,000 layouts
to the end, just as is done here.

A set of layouts is known by two 64-bit sums, so a chance collision could spoil a figure; with 10**7 sets its
probability is below 10**-23.

`python -m experiments.optimal` takes some minutes.  What is kept in data/optimal.csv is of two runs that took an hour
together, the first with `--cells 25 --layouts 200000 --timeout 200`, the second, for boards that were still missing,
with `--cells 25 --layouts 500000 --timeout 150`.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb, nan, prod
from statistics import mean
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, option, picture, text_file
from experiments.shared import columns, curve, done, finish, groups
from mines_dd.base.errors import BudgetExceededError
from mines_dd.base.wording import counted
from mines_dd.play.endgame import most_wins
from mines_dd.play.field import CLOSED, Field, make_field
from mines_dd.play.layouts import MINE, layouts_of
from mines_dd.play.player import POLICIES, play_game

PLAYED = ("safest", "ahead")


def run(job: Job) -> Result:
    """Find the best first cell of a board, in how many layouts the best play wins from there, and what policies win."""
    started = time.process_time()
    rows, columns, mines = job["rows"], job["columns"], job["mines"]
    field = make_field(rows, columns, mines)
    _, shown = layouts_of.run(10**9, field, np.full(rows * columns, CLOSED), mines, job["layouts"])
    if shown.shape[1] == 0:
        raise _too_many("layouts", job["layouts"])
    wins = {}
    for first in first_cells(rows, columns):
        safe = shown[:, shown[first[0] * columns + first[1]] != MINE]
        wins[first] = int(most_wins.run(10**9, np.ascontiguousarray(safe), job["positions"])[0])
        if wins[first] < 0:
            raise _too_many("positions", job["positions"])
    best = max(wins, key=lambda first: wins[first])
    found = {"first": list(best), "wins": wins[best], "seconds": time.process_time() - started}
    return found | played(field, shown == MINE, best[0] * columns + best[1], job["games"])


def played(field: Field, mines: npt.NDArray[np.bool_], first: int, games: int) -> Result:
    """Play the layouts with no mine in the first cell, or `games` of them, with each policy: games and games won."""
    layouts = np.ascontiguousarray(mines[:, ~mines[first]].T)
    if len(layouts) > games:
        layouts = layouts[np.random.default_rng(0).choice(len(layouts), games, replace=False)]
    won = {name: sum(play_game(field, layout, first, POLICIES[name])[0] for layout in layouts) for name in PLAYED}
    return {"games": len(layouts), "won": won}


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
    limits = {"layouts": options.layouts, "positions": options.positions, "games": options.games}
    sizes = [(r, c) for r in range(2, options.cells + 1) for c in range(r, options.cells // r + 1)]
    return [
        {"rows": r, "columns": c, "mines": m, **limits}
        for r, c in sorted(sizes, key=lambda size: (size[0] * size[1], size))
        for m in range(1, r * c)
        if comb(r * c, m) <= options.layouts
    ]


@experiment(
    option("--cells", 18, "Cells of the largest board."),
    option("--layouts", 6_000_000, "Layouts to list at most."),
    option("--positions", 40_000_000, "Positions to search at most."),
    option("--games", 10_000, "Layouts that each policy plays at most."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=600, memory=8, workers=2),
    minutes=10,
    quick="--cells 9",
)
def main(results: Results, options: Options) -> Report:
    """The chances to win in a table, what the policies lose in a plot, and all figures in a file."""
    found = done(results)
    yield "The best play wins, percent, with a safe first cell\n\n" + square_table(found)
    yield "\n".join(losses(found, policy) for policy in PLAYED)
    yield f"{counted(len(found), 'board')}, {len(results) - len(found)} stopped by a limit"
    yield picture("optimal.png", (12, 5), lambda figure: plot(figure, found))
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
    "games": lambda r: r["games"],
    "won by safest": lambda r: r["won"]["safest"],
    "won by ahead": lambda r: r["won"]["ahead"],
}


def lost(result: Result, policy: str) -> float:
    """The share of the best play's wins that a policy does not have; of a sample, an estimate that may be below 0."""
    return 1 - float(result["won"][policy] / result["games"]) / chance(result, safe=True)


def whole(result: Result) -> bool:
    """Whether the policies have played all layouts."""
    return bool(result["games"] == layouts(result, safe=True))


def losses(found: Results, policy: str) -> str:
    """Say what a policy loses where it has played all layouts."""
    known = [r for r in found if whole(r)]
    shares = [lost(r, policy) for r in known]
    none = sum(share < 1e-9 for share in shares)
    said = f"{policy} loses nothing on {none} of the {len(known)} boards of which it has played all layouts"
    if none == len(known):
        return said
    most = max(known, key=lambda r: lost(r, policy))["job"]
    board = f"{most['rows']}x{most['columns']} with {counted(most['mines'], 'mine')}"
    return f"{said}, {mean(shares):.2%} of the wins in the mean, at most {max(shares):.2%} ({board})"


def by_size(found: Results) -> list[tuple[tuple[int, int], list[Result]]]:
    """The boards of at least three rows, size by size, the smallest first."""
    sizes = groups([r for r in found if r["job"]["rows"] >= 3], "rows", "columns")
    return sorted(sizes.items(), key=lambda size: (prod(size[0]), size[0]))


def plot(figure: Any, found: Results) -> None:
    """Draw what each policy loses against the share of mines, a line a size; hollow where layouts were drawn."""
    from matplotlib import colormaps

    panels = figure.subplots(1, len(PLAYED), sharey=True)
    sizes = by_size(found)
    for ax, policy in zip(panels, PLAYED, strict=True):
        for k, ((rows, width), here) in enumerate(sizes):
            cells, look = rows * width, {"color": colormaps["viridis"](k / len(sizes)), "ms": 4}
            all_played, some = (
                {r["job"]["mines"]: 100 * lost(r, policy) for r in here if whole(r) is full} for full in (True, False)
            )
            known = all_played | some
            curve(ax, [(mines / cells, known.get(mines, nan)) for mines in range(1, cells)], "-", lw=1, **look)
            curve(ax, [(mines / cells, y) for mines, y in all_played.items()], "o", label=f"{rows}x{width}", **look)
            curve(ax, [(mines / cells, y) for mines, y in some.items()], "o", mfc="white", **look)
        finish(ax, title=policy, xlabel="mines, share of the cells", legend=policy == "safest")
    panels[0].set_ylabel("wins of the best play that it loses [%]")


def square_table(found: Results) -> str:
    """One row a number of mines, one column a size."""
    cells: dict[str, Callable[[int], Any]] = {"mines": lambda mines: mines}
    for (rows, width), one in by_size(found):
        shown = {r["job"]["mines"]: f"{100 * chance(r, safe=True):.2f}" for r in one}
        cells[f"{rows}x{width}"] = shown.get
    return columns(sorted(groups(found, "mines")), cells, "r")


if __name__ == "__main__":
    main.start()
