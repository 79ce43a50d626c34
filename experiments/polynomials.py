"""Counts by number of mines, and exact chances with a total: polynomials as long integers beside interpolated ones.

The boards are `Board.random(side, side, 0.3, 0.3, seed)`, compiled by `tree`.  *Packed* polynomials are long integers,
as in `mines_dd.diagrams.polynomials`; *chosen* is what a user gets: interpolation (`mines_dd.diagrams.interpolation`)
wherever that is predicted to be quicker.  Seconds are of the processor, with kernels compiled, from the circuit on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from math import inf
from statistics import median
from typing import Any, NamedTuple

from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, numbers_of, option, picture
from experiments.shared import BLUE, VERMILION, columns, crossed, finish, groups, same_counts, seconds
from mines_dd import Board, analyse, solve
from mines_dd.answers import component
from mines_dd.diagrams import mine_counts
from mines_dd.diagrams.interpolation import WORTH

WAYS = {"packed": inf, "chosen": WORTH}
"""For each way how many seconds interpolation has to save."""


def counts(board: Board) -> Callable[[], Any]:
    """Compile a board; return the question for its assignments by their number of mines."""
    family = solve(board, "tree")
    return family.counts_by_mines


def chances(board: Board) -> Callable[[], Any]:
    """Analyse a board; return the question for the exact chances of its cells with its total."""
    found = analyse(board)
    return lambda: sorted(found.exact.items())


QUESTIONS = {"counts by mines": counts, "exact chances": chances}


def jobs(options: Options) -> list[Job]:
    """Each question of each board, both ways."""
    return crossed(side=options.sides, seed=range(options.boards), question=QUESTIONS, way=WAYS)


def run(job: Job) -> Result:
    """The seconds of a question, and a digest of its answer."""
    asked = QUESTIONS[job["question"]]
    _interpolate_if_it_saves(-inf)  # on a small board, to compile
    asked(Board.random(20, 20, 0.3, 0.3, 1))()
    _interpolate_if_it_saves(WAYS[job["way"]])
    question = asked(Board.random(job["side"], job["side"], 0.3, 0.3, job["seed"]))
    started = time.process_time()
    answer = question()
    return {"seconds": time.process_time() - started, "answer": sha256(repr(answer).encode()).hexdigest()[:16]}


def _interpolate_if_it_saves(seconds: float) -> None:
    for module in (mine_counts, component):
        vars(module).update(WORTH=seconds)


class Row(NamedTuple):
    """The seconds of the boards of a side, packed and as chosen; of a run that was stopped, infinite."""

    question: str
    side: int
    packed: list[float]
    chosen: list[float]


def rows(results: Results) -> Iterator[Row]:
    """Yield a row for each question and side."""
    for (question, side), here in sorted(groups(results, "question", "side").items(), key=lambda one: one[0]):
        packed, chosen = (
            [r["seconds"] if r["status"] == "done" else inf for r in here if r["job"]["way"] == way] for way in WAYS
        )
        yield Row(question, side, packed, chosen)


def shown(times: Sequence[float], limit: float) -> str:
    """Return the median of some seconds."""
    middle = median(times)
    return f">{limit:g}" if middle == inf else seconds(middle, 2)


@experiment(
    option("--sides", "40,60,80,100", "Of the square boards.", numbers_of()),
    option("--boards", 3, "Boards of each side."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=150, memory=4, more=30),
    minutes=25,
    quick="--sides 30,40 --boards 1",
)
def main(results: Results, options: Options) -> Report:
    """Seconds of both ways, board by board the same answers, and a plot."""
    ended = [r for r in results if r["status"] == "done"]
    what = "question", "side", "seed"
    same_counts((str([r["job"][name] for name in what]), r["job"]["way"], r["answer"]) for r in ended)
    found = list(rows(results))
    cells: dict[str, Callable[[Row], Any]] = {
        "question": lambda row: row.question,
        "cells": lambda row: f"{row.side}x{row.side}",
        "packed [s]": lambda row: shown(row.packed, options.timeout),
        "chosen [s]": lambda row: shown(row.chosen, options.timeout),
        "least and most": lambda row: " to ".join(shown([some(row.chosen)], options.timeout) for some in (min, max)),
        "stopped": lambda row: sum(time == inf for time in row.packed + row.chosen) or "",
    }
    yield f"Boards a row: {options.boards}; medians, with the same answers both ways"
    yield columns(found, cells, "llrrrr")
    yield picture("polynomials.png", (9, 4), lambda figure: plot(figure, found, options.timeout))


def plot(figure: Any, found: Sequence[Row], limit: float) -> None:
    """Draw the seconds of every board over its side, a panel for each question; those of a stopped run are a bound."""
    panels = figure.subplots(1, len(QUESTIONS), sharey=True)
    for axes, question in zip(panels, QUESTIONS, strict=True):
        here = [row for row in found if row.question == question]
        for way, colour, marker in (("packed", VERMILION, "s"), ("chosen", BLUE, "o")):
            points = [(row.side, time) for row in here for time in getattr(row, way) if time < inf]
            if points:
                axes.plot(*zip(*points, strict=True), marker, ms=4, alpha=0.7, color=colour, label=way)
            stopped = [row.side for row in here if inf in getattr(row, way)]
            axes.plot(stopped, [limit] * len(stopped), "^", ms=7, mfc="none", color=colour)
        finish(axes, "y", legend=False, title=question, xlabel="cells in a row")
    panels[0].set_ylabel("seconds of the processor (triangle: stopped)")
    panels[0].legend(frameon=False)


if __name__ == "__main__":
    main.start()
