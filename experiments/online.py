"""The paper's last claim: constraints are easily added, so a game's hints can be taken as they come.

H. Suzuki, H. Sun, S. Minato, "Generating All Mine Assignments of Minesweeper Using BDD/ZDD", JSAI 2016, §6.  A game is
played to its end.  After each new hint all mine assignments are there again, by the best increment that we know against
the best of several ways to build all of it again:

- `bdd`, `zdd`: one conjunction with the kept diagram of the whole board; against all conjunctions again with the same
  chains, each of which was made once, when its hint came; and against `solve` with the same method (for `zdd` also
  "zdd-span"), row by row and in the order that it chooses itself, which reduces the board first.
- `tree`: the two steps of `Session.open`, which solves again only the components that the hint touches; against the two
  steps of a new `Session`; and against `solve`.

All counts have to agree at every step.  Then the question of a game, the chance of a mine in each cell, is asked of
both, and timed apart: a claim about constraints is one without it, a claim about a game one with it.

The player opens an empty cell first, then always a safe cell next to an open one, at random; a cascade gives its hints
one by one.  The kept diagrams decide all cells of the board row by row, as nobody knows which of them will matter.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Iterator
from functools import partial
from statistics import median
from typing import Any

from experiments.clocks import timed
from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, names_of, option, picture
from experiments.kept import METHODS
from experiments.memory import MIB, forked, grown
from experiments.shared import (
    GREY,
    METHOD_COLOURS,
    crossed,
    done,
    finish,
    groups,
    milliseconds,
    of,
    same_counts,
    seconds,
    table,
)
from mines_dd import Board
from mines_dd.base.wording import counted
from mines_dd.board.board import Position

KEPT = "kept"


def run(job: Job) -> Result:
    """Play one game with one method: processor seconds and counts of each step, kept and built again in every way.

    Then play it once more for each, untimed and in a copy of this process, for the MiB that it takes.
    """
    play({"rows": 6, "cols": 6, "mines": 6, "seed": 0, "method": job["method"]})  # kernels loaded, packages imported
    mib = {name: forked(partial(memory, job, name)) for name in (KEPT, *METHODS[job["method"]][1])}
    return {**play(job), "mib": mib}


def play(job: Job) -> Result:
    """Note for each hint of a game what keeping and each way of building again took, and what they count."""
    keep, ways = METHODS[job["method"]]
    found: Result = {what: [] for what in ("chain", "add", "ask", "count", "nodes")}
    found["again"] = {name: {what: [] for what in ("build", "ask", "count")} for name in ways}
    kept = keep(closed(job))
    for hint, board in boards(job):
        chain = timed(lambda: kept.prepare(board, hint))[1]  # noqa: B023 (called at once)
        add, ask = timed(kept.add)[1], timed(kept.ask)[1]
        count = kept.count(board)
        note(found, chain=chain, add=add, ask=ask, count=str(count), nodes=kept.nodes())
        for name, way in ways.items():
            family, build = timed(partial(way.build, kept, board))
            if way.ask is None:  # what is built again is the diagram that is kept
                answer, asked, build = kept, ask, chain + build
            else:
                answer, asked = timed(partial(way.ask, family, board))
            note(found["again"][name], build=build, ask=asked, count=str(way.assignments(family, answer, board)))
    return found


def note(lists: Result, **values: Any) -> None:
    """Add a value to each list."""
    for name, value in values.items():
        lists[name].append(value)


def memory(job: Job, name: str) -> float:
    """The MiB that a whole game takes if the diagrams are kept, or built again in one way alone."""
    keep, ways = METHODS[job["method"]]
    way = ways.get(name)

    def whole() -> None:
        kept = keep(closed(job))
        for hint, board in boards(job):
            if way is None or way.ask is None:
                kept.prepare(board, hint)
            if way is None:
                kept.add()
                kept.ask()
            else:
                family = way.build(kept, board)
                if way.ask is not None:
                    way.ask(family, board)

    return grown(whole)[1] / MIB


def closed(job: Job) -> Board:
    """The board before the first click."""
    return Board(("#" * job["cols"],) * job["rows"])


def boards(job: Job) -> Iterator[tuple[Position, Board]]:
    """Yield each hint of a game with the board that shows it and those before."""
    board = closed(job)
    for hint, count in game(job["rows"], job["cols"], job["mines"], job["seed"]):
        board = board.reveal({hint: count})
        yield hint, board


def game(rows: int, cols: int, mines: int, seed: int) -> Iterator[tuple[Position, int]]:
    """Yield all hints of a game, (position, count), in the order in which they are opened."""
    board = Board.random(rows, cols, mines, 0, seed)
    rng = random.Random(seed)
    safe = [cell for cell in board.closed() if cell not in (board.layout or ())]
    choices = [cell for cell in safe if board.count_around(cell) == 0] or safe
    seen: set[Position] = set()
    while choices:
        board = board.open(*choices[int(rng.random() * len(choices))])
        hints = board.hints()
        yield from ((cell, hints[cell]) for cell in sorted(hints.keys() - seen))
        seen = set(hints)
        left = [cell for cell in safe if cell not in seen]
        choices = [cell for cell in left if not seen.isdisjoint(board.neighbours(cell))] or left


def jobs(options: Options) -> list[Job]:
    """The games, by every method."""
    fixed = {"rows": options.rows, "cols": options.cols, "mines": options.mines}
    return [fixed | job for job in crossed(seed=range(options.games), method=options.methods)]


@experiment(
    option("--rows", 16),
    option("--cols", 16),
    option("--mines", 40),
    option("--methods", ",".join(METHODS), kind=names_of(METHODS)),
    option("--games", 7),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=120, memory=8),
    minutes=8,
    quick="--rows 8 --cols 8 --mines 10 --games 2 --workers 2",
)
def main(results: Results, options: Options) -> Report:
    """The milliseconds of a hint by each method and way, what they mean, and a plot of all hints."""
    ended = done(results)
    steps = check_counts(ended)
    size = f"{options.rows}x{options.cols}, {options.mines} mines"
    title = f"{size}, {counted(options.games, 'game')}, {steps:,} hints in all"
    yield f"Hints one by one: {title}; milliseconds of processor time a hint, without and with the question"
    yield steps_table(results)
    yield notes(ended, steps)
    yield picture("online.png", (17, 4.6), lambda figure: plot(figure, ended, title))


def check_counts(ended: Results) -> int:
    """Require that all ways count the same at every step; return the number of steps of all games."""
    counts = [
        (r["job"]["seed"], f"{r['job']['method']}, {name}", tuple(steps))
        for r in ended
        for name, steps in (("kept", r["count"]), *((name, way["count"]) for name, way in r["again"].items()))
    ]
    same_counts((f"game {seed}", who, steps) for seed, who, steps in counts)
    return sum(len(steps) for steps in {seed: steps for seed, _, steps in counts}.values())


def kept_seconds(r: Result, asked: bool) -> list[float]:
    """The seconds of each hint of a game if what is there is kept."""
    return [sum(step) for step in zip(r["chain"], r["add"], *([r["ask"]] if asked else []), strict=True)]


def again_seconds(r: Result, way: str, asked: bool) -> list[float]:
    """The seconds of each hint if all is built again."""
    steps = r["again"][way]
    return [sum(step) for step in zip(steps["build"], *([steps["ask"]] if asked else []), strict=True)]


def best_way(ended: Results, asked: bool) -> str:
    """The way to build again that takes the least time over all games."""
    ways: list[str] = list(ended[0]["again"])
    return min(ways, key=lambda way: sum(sum(again_seconds(r, way, asked)) for r in ended))


def gain(ended: Results, method: str, asked: bool) -> float:
    """How many times quicker a method's games are if what is there is kept, than by the best way to build again."""
    runs = of(ended, method=method)
    best = best_way(runs, asked)
    return sum(sum(again_seconds(r, best, asked)) for r in runs) / sum(sum(kept_seconds(r, asked)) for r in runs)


def steps_table(results: Results) -> str:
    """Return a row for each method's kept diagram, and one for each way to build it again."""
    rows = []
    for method, runs in groups(results, "method").items():
        if not (ended := done(runs)):
            continue
        kept = {asked: [x for r in ended for x in kept_seconds(r, asked)] for asked in (False, True)}
        chains = milliseconds(median(x for r in ended for x in r["chain"])) if method != "tree" else ""
        row = [method, KEPT, f"{len(ended)} of {len(runs)}", chains]
        for asked in (False, True):
            row += [*times(kept[asked], len(ended)), ""]
        rows.append([*row, f"{max(max(r['nodes']) for r in ended):,}", most_memory(ended, KEPT)])
        for way in ended[0]["again"]:
            row = ["", f"again: {way}", "", ""]
            for asked in (False, True):
                found = [x for r in ended for x in again_seconds(r, way, asked)]
                star = "*" if way == best_way(ended, asked) else ""
                row += [*times(found, len(ended)), f"{sum(found) / sum(kept[asked]):.1f}{star}"]
            rows.append([*row, "", most_memory(ended, way)])
    hint = ["median", "worst", "a game [s]", "ratio"]
    headers = ["method", "way", "games", "chain", *hint, *(f"asked: {name}" for name in hint), "most nodes", "MiB"]
    return table(rows, headers)


def most_memory(ended: Results, way: str) -> str:
    """The most MiB that a game took, played in this way alone."""
    known = [mib for r in ended if (mib := r.get("mib", {}).get(way)) is not None]
    return f"{max(known):.1f}" if known else ""


def times(found: list[float], games: int) -> list[str]:
    """The median and the worst hint, and the mean of a game."""
    return [milliseconds(median(found)), milliseconds(max(found)), seconds(sum(found) / games, 2)]


def notes(ended: Results, steps: int) -> str:
    """Say what the times mean."""
    lines = [
        f"Published is the claim alone, no figure.  At each of the {steps:,} steps all ways count the same.  'ratio': "
        "seconds of that way over those of what is kept; * the best way to build again, which is what counts.  The "
        "columns 'asked' have the chance of a mine in every cell too, in doubles, after each hint.  Both 'kept' and "
        "'same chains' include making the new hint's chain, in Python (column 'chain').  'same chains' works in the "
        "kept manager, whose cache remembers conjunctions of earlier steps: that is in its favour.  MiB: the "
        "most that a game took, played once more in this way alone, with the question; 'same chains' without."
    ]
    for method in groups(ended, "method"):
        without, asked = (gain(ended, method, asked) for asked in (False, True))
        lines.append(f"{method}: keeping is {without:.1f} times as fast as the best way, with the question {asked:.1f}")
    return "\n".join(textwrap.fill(line, 110) for line in lines)


def plot(figure: Any, ended: Results, title: str) -> None:
    """Draw the time of every step with the question, kept and built again in the best way, and the nodes kept."""
    *axes, last = figure.subplots(1, 4)
    for ax, method in zip(axes, METHODS, strict=True):
        colour = METHOD_COLOURS[method]
        runs = of(ended, method=method)
        for r in runs:
            again = again_seconds(r, best_way(runs, asked=True), asked=True)
            for found, shade in ((again, GREY), (kept_seconds(r, asked=True), colour)):
                ax.plot([1000 * x for x in found], ".", ms=2, color=shade, alpha=0.3)
            last.plot(r["nodes"], lw=0.6, alpha=0.5, color=colour)
        ax.plot([], [], "o", color=GREY, label="all again, the best way")
        ax.plot([], [], "o", color=colour, label="kept, one hint added")
        finish(ax, "y", title=method, xlabel="hints so far", ylabel="milliseconds a hint, with the question")
        last.plot([], [], color=colour, label=method)
    low, high = min(ax.get_ylim()[0] for ax in axes), max(ax.get_ylim()[1] for ax in axes)
    for ax in axes:
        ax.set_ylim(low, high)
    finish(last, "y", title="nodes kept", xlabel="hints so far")
    figure.suptitle(f"Hints one by one: {title}")


if __name__ == "__main__":
    main.start()
