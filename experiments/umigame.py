"""Umigame numbers: the article's figures beside ours, Othello's graphs, and what transpositions cost.

Uenon, 合流を考慮した海亀数, 2022: two worked examples (2:2; and 13 positions, 4 leaves, 2 with several parents: 3
lines, 4 in the tree), an algorithm by sets of leaves in O(L²), the article's own in O((C + 1) L), and an aim, that
merging transpositions should take at most ten times as long as the plain recursion.

The graphs: Othello on 4x4 squares solved exactly, all moves within some discs of the best; endgames on 6x6 squares
likewise; openings on 6x6 and 8x8 squares in which each side makes the moves that leave it most more moves than the
opponent, an opening book's shape without its knowledge; random graphs; and chains, in which each of the opponent's
moves ends or goes on, the worst case of sets.  Graphs of up to 2,000 positions are checked by 0-1 programming, which
needs the extra boardgames.  And books in Edax's format of up to two million positions (--long), from making the
file to the numbers.

How measured: processor time for both sides' numbers, the graph made before, the least of up to 9 runs in one process.
The plain recursion is a loop of eight lines of Python; of the algebra, what needs no letters is compiled.  `python -m
experiments.umigame` ends within three minutes, with --long within ten.
"""

from __future__ import annotations

import random
import resource
import tempfile
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

from experiments.clocks import repeated, timed
from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, option, picture
from experiments.memory import held
from experiments.shared import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    VERMILION,
    columns,
    curve,
    done,
    finish,
    milliseconds,
    number,
    of,
    power,
    seconds,
    table,
)
from experiments.umigame_graphs import chain, mobility, random_graph, random_position
from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError
from mines_dd.boardgames.edax_book import EdaxBook
from mines_dd.boardgames.edax_making import mobility_book
from mines_dd.boardgames.othello import Othello, Position, Solver
from mines_dd.boardgames.othello_graphs import Tolerance, best_play, play_graph
from mines_dd.boardgames.position_graph import PositionGraph
from mines_dd.boardgames.umigame import repertoire, tree_lines, umigame_numbers
from mines_dd.boardgames.umigame_checks import lines_by_leaf_sets, repertoire_by_program
from mines_dd.boardgames.umigame_derivation import derivation

T = TypeVar("T")
# Own to move at r and p1 to p4.
WORKED: dict[Hashable, str] = {
    "r": "W1 W2", "W1": "p1 p2", "W2": "p3 p4", "p1": "q1", "p2": "B", "p3": "B", "p4": "q4",
    "B": "l1 l2 A", "q4": "A",
}  # fmt: skip
# A trap: a smallest set for each position makes 3 lines.
TRAP: dict[Hashable, str] = {"r": "o", "o": "B1 B2", "B1": "x C", "B2": "D", "C": "c d", "D": "c d"}
PERFT = (4, 12, 56, 244, 1396, 8200, 55092)
# The first worked example, without transpositions, with its openings' names.
TREE: dict[Hashable, str] = {"tiger": "Stephenson many", "Stephenson": "compoth no-kung", "many": "FJT x y"}
KINDS = ("4x4", "6x6 endgame", "6x6 opening", "8x8 opening", "random", "chain")
CHECKED = 2000


def make(job: Job) -> PositionGraph:
    """The graph of a job."""
    kind, loss = job["kind"], job.get("loss", 0)
    if kind == "chain":
        return chain(job["positions"])
    if kind == "random":
        return random_graph(job["positions"], job["meeting"] / 100, job["seed"])
    game = Othello(int(kind[0]))
    if kind == "4x4":
        return best_play(game, tolerance=Tolerance(loss))
    if kind == "6x6 endgame":
        return best_play(
            game, random_position(game, job["empty"], random.Random(job["seed"])), tolerance=Tolerance(loss)
        )
    return play_graph(game, game.start, mobility(game, loss), job["depth"])


def run_book(job: Job) -> Result:
    """Make a book, read it, follow its moves, and count both sides' lines; seconds of each."""
    EdaxBook.parse(mobility_book(8, 1)).graph()  # kernels loaded
    before = held("VmRSS")
    data, made = timed(lambda: mobility_book(job["depth"], job["loss"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "book.dat")
        path.write_bytes(data)
        size = len(data)
        del data
        book, reading = timed(lambda: EdaxBook.read(path))
    holds = held("VmRSS")
    graph, following = timed(lambda: book.graph(tolerance=Tolerance(job["loss"]), depth=job["depth"]))
    trees, plain = timed(lambda: [tree_lines(graph, own) for own in (True, False)])
    result: Result = {
        "records": len(book.records),
        "bytes": size,
        "held": holds - before,
        "positions": len(graph),
        "leaves": len(graph.leaves),
        "confluences": len(graph.confluences),
        "trees": [str(lines) for lines in trees],
        "times": {"make": made, "read": reading, "follow": following, "plain": plain},
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    try:
        budget = Budget(timeout=job["timeout"])
        result["merged"], result["times"]["merged"] = timed(lambda: umigame_numbers(graph, budget=budget))
    except BudgetExceededError as error:
        result["stopped"] = str(error)
    return result


def run(job: Job) -> Result:
    """Count both sides' lines, with transpositions and without."""
    if job["kind"] == "book":
        return run_book(job)
    repertoire(chain(30_000))  # kernels loaded
    graph = make(job)
    sides = (True, False)
    trees, tree_seconds = least(lambda: [recursion(graph, own) for own in sides], 9)
    sets, set_seconds = least(lambda: [lines_by_leaf_sets(graph, own) for own in sides], 3)
    found, seconds = least(lambda: [repertoire(graph, own, budget=Budget(timeout=job["timeout"])) for own in sides], 5)
    merged = [one.lines for one in found]
    if trees != [tree_lines(graph, own) for own in sides]:
        raise ValueError(f"the plain recursion finds {trees} lines, tree_lines others")
    if len(graph) <= CHECKED:
        program = [repertoire_by_program(graph, own, budget=Budget(timeout=job["timeout"])).lines for own in sides]
        if program != merged:
            raise ValueError(f"0-1 programming finds {program} lines, the algebra {merged}")
    return {
        "positions": len(graph),
        "leaves": len(graph.leaves),
        "confluences": len(graph.confluences),
        "trees": [str(lines) for lines in trees],
        "merged": merged,
        "terms": max(one.details["terms"] for one in found),
        "tree_seconds": tree_seconds,
        "sets": sets,
        "set_seconds": set_seconds,
        "seconds": seconds,
    }


def recursion(graph: PositionGraph, own: bool) -> int:
    """The plain recursion, without transpositions, as one writes it: what the article compares with."""
    values = [1] * len(graph)
    for v in range(len(graph) - 1, -1, -1):
        if children := graph.children[v]:
            below = [values[child] for child in children]
            values[v] = min(below) if graph.own[v] == own else sum(below)
    return values[0]


def least(work: Callable[[], T], runs: int) -> tuple[T, float]:
    """What some work returns, and the least processor seconds it took, which other programs disturb less."""
    value, times = repeated(work, runs, long=0.3)
    return value, min(times)


def jobs(options: Options) -> list[Job]:
    """Othello solved, endgames, openings (larger ones too if they may take long) and random graphs."""
    found: list[Job] = [{"kind": "4x4", "loss": loss} for loss in (0, 2, 4, 6, 7, 8)]
    found += [{"kind": "6x6 endgame", "empty": 8, "loss": loss, "seed": s} for s in range(3) for loss in (4, 8)]
    openings = [(6, 0, 20), (6, 0, 32), (6, 1, 12), (8, 0, 16), (8, 0, 24), (8, 0, 30), (8, 1, 12), (8, 1, 16)]
    openings += [(8, 2, 12), (6, 1, 18), (8, 0, 36), (8, 1, 20)] if options.long else []
    found += [{"kind": f"{n}x{n} opening", "loss": loss, "depth": depth} for n, loss, depth in openings]
    found += [
        {"kind": "random", "positions": positions, "meeting": meeting, "seed": 0}
        for positions, most in ((1000, 10), (3000, 10), (10_000, 10), (20_000, 5), *[(100_000, 0)] * options.long)
        for meeting in (0, 5, 10)
        if meeting <= most
    ]
    found += [{"kind": "chain", "positions": positions} for positions in (3000, 10_000, 30_000, 60_000)]
    found += [{"kind": "book", "depth": depth, "loss": 1} for depth in (16, 20, *[22, 24] * options.long)]
    return [job | {"timeout": options.timeout} for job in found]


def published() -> list[list[Any]]:
    """Return the published figures beside ours: what, published, ours."""
    worked = PositionGraph.build("r", lambda v: WORKED.get(v, "").split())
    tree = PositionGraph.build("tiger", lambda v: TREE.get(v, "").split())
    both = [derivation(tree, own) for own in (True, False)]
    trap = PositionGraph.build("r", lambda v: TRAP.get(v, "").split())
    sizes = f"{len(worked)}, {len(worked.leaves)}, {len(worked.confluences)}"
    game, small = Othello(8), Othello(4)
    games = [perft(game, game.start, moves) for moves in range(1, len(PERFT) + 1)]
    return [
        ["first example: lines of Black and of White", "2:2", ":".join(str(one.lines) for one in both)],
        ["first example: Black's number at the root", "min(2, 3)", both[0].steps[-1].split(" = ")[1]],
        ["first example: White's number at the root", "1 + 1", both[1].steps[-1].split(" = ")[1]],
        ["worked example: positions, leaves, with several parents", "13, 4, 2", sizes],
        ["worked example: lines with transpositions", "3", str(repertoire(worked).lines)],
        ["worked example: lines without", "4", str(tree_lines(worked))],
        ["where one smallest set a position makes 3: lines", "2", str(repertoire(trap).lines)],
        ["4x4: discs of the first player less the second's (3 to 11)", "-8", str(Solver(small).value(small.start))],
        ["8x8: games of 1 to 7 moves", " ".join(map(str, PERFT)), " ".join(map(str, games))],
    ]


def perft(game: Othello, position: Position, moves: int) -> int:
    """The number of games of so many moves."""
    if moves == 0:
        return 1
    return sum(perft(game, game.play(position, turn), moves - 1) for turn in game.turns(position)) or 1


@experiment(
    option("--long", False, "Larger graphs too: some minutes.", is_flag=True, show_default=False),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=20, memory=4, times=10, more=60),
    minutes=3,
    quick="--workers 2",
)
def main(results: Results, options: Options) -> Report:
    """The published figures beside ours, a row a graph, and what transpositions cost and save."""
    yield table(published(), ["", "published", "ours"])
    worked = PositionGraph.build("r", lambda v: WORKED.get(v, "").split())
    yield "The worked example by the article's algorithm\n" + "\n".join(derivation(worked).steps)
    yield graphs_table([r for r in results if r["job"]["kind"] != "book"])
    yield books_table(of(results, kind="book"))
    yield aim(done(results))
    yield growth(done(results))
    yield picture("cost.png", (11, 4.6), lambda figure: plot(figure, done(results)))
    yield picture("growth.png", (11, 4.6), lambda figure: plot_growth(figure, done(results)))


def books_table(results: Results) -> str:
    """Return one row a book of our own in Edax's format: its size, memory, and the seconds of each step."""

    def spent(step: str) -> Callable[[Result], str]:
        return lambda r: seconds(r["times"][step], 2) if step in r["times"] else f"> {r['job']['timeout']:g}"

    cells: dict[str, Callable[[Result], str]] = {
        "book": lambda r: f"{r['job']['depth']} moves",
        "records": lambda r: number(r["records"]),
        "MB": lambda r: f"{r['bytes'] / 1e6:.1f}",
        "held [MB]": lambda r: f"{r['held'] / 1e6:.0f}",
        **{name: counted(what) for name, what in SIZES.items()},
        "in the tree": lambda r: ":".join(r["trees"]),
        "merged": lambda r: ":".join(map(str, r["merged"])) if "merged" in r else "stopped",
        **{f"{step} [s]": spent(step) for step in ("make", "read", "follow", "plain", "merged")},
        "peak [MB]": lambda r: f"{r['peak'] / 1e6:,.0f}",
    }
    title = "Books in Edax's format, made by mobility; moves up to 1 worse are followed (the article: 200 MB, L = 10⁷)"
    return f"{title}\n{columns(done(results), cells, 'lr')}"


SIZES = {"positions": "positions", "leaves": "leaves", "met": "confluences"}
"""Of a graph, as the tables call them."""


def counted(what: str) -> Callable[[Result], str]:
    """A number that a run has if it came to its end."""
    return lambda r: number(r.get(what))


def aim(ended: Results) -> str:
    """Say where the article's aim holds."""
    said = []
    for kind in KINDS:
        if ratios := sorted(ratio(r) for r in of(ended, kind=kind)):
            kept = sum(ratio <= 10 for ratio in ratios)
            said.append([kind, len(ratios), kept, f"{ratios[0]:.1f}", f"{ratios[-1]:.1f}"])
    title = "The article's aim: merging takes at most 10 times as long as the plain recursion"
    return f"{title}\n{table(said, ['graphs', 'number', 'at most 10', 'least', 'most'], 'lr')}"


def ratio(result: Result) -> float:
    """The time with transpositions over that without."""
    return float(result["seconds"] / result["tree_seconds"])


def growth(ended: Results) -> str:
    """Fit powers of the size to the seconds: of L for all three, of (C + 1) L for the algebra."""
    rows = []
    for title, here in series(ended):
        leaves = [r["leaves"] for r in here]
        work = [(r["confluences"] + 1) * r["leaves"] for r in here]
        powers = [power(leaves, [r[key] for r in here]) for key in ("tree_seconds", "set_seconds", "seconds")]
        fit = power(work, [r["seconds"] for r in here])
        rows.append([title, f"{leaves[0]:,} to {leaves[-1]:,}", *(f"{p:.2f}" for p in (*powers, fit))])
    headers = ["graphs", "L", "plain ~ L^", "leaf sets ~ L^", "algebra ~ L^", "algebra ~ ((C + 1) L)^"]
    return f"Growth: exponents fitted by least squares of logarithms\n{table(rows, headers, 'lr')}"


def series(ended: Results) -> list[tuple[str, list[Result]]]:
    """Return the families of graphs that grow, each by its size."""
    families = [(f"random, {m}% meeting", of(ended, kind="random", meeting=m)) for m in (0, 5, 10)]
    families.append(("chain", of(ended, kind="chain")))
    return [(title, sorted(here, key=lambda r: r["leaves"])) for title, here in families if len(here) > 1]


def plot_growth(figure: Any, ended: Results) -> None:
    """Draw seconds against leaves: the plain recursion, sets of leaves, the algebra."""
    from matplotlib.ticker import NullFormatter

    families = series(ended)
    panels = figure.subplots(1, max(1, len(families)), sharey=True, squeeze=False)[0]
    styles = (("tree_seconds", "plain recursion", GREY), ("set_seconds", "sets of leaves", VERMILION))
    for axes, (title, here) in zip(panels, families, strict=False):
        for key, label, colour in (*styles, ("seconds", "algebra", BLUE)):
            curve(axes, [(r["leaves"], r[key]) for r in here], color=colour, label=label)
        finish(axes, "xy", legend=axes is panels[0], xlabel="leaves L", title=title)
        axes.xaxis.set_minor_formatter(NullFormatter())
    panels[0].set_ylabel("seconds for both sides")


def name(job: Job) -> str:
    """What a job's graph is."""
    details: dict[str, str] = {
        "positions": "about {:,} positions",
        "empty": "{} empty",
        "depth": "{} moves deep",
        "loss": "{} discs lost" if job["kind"] in ("4x4", "6x6 endgame") else "{} mobility lost",
        "meeting": "{}% meeting",
        "seed": "seed {}",
    }
    return ", ".join([str(job["kind"]), *(form.format(job[key]) for key, form in details.items() if key in job)])


def graphs_table(results: Results) -> str:
    """Return one row a graph; numbers are of the side to move at the root and of its opponent."""

    def merged(r: Result) -> str:
        text = ":".join(map(str, r.get("merged", ())))
        return text if r.get("sets") == r.get("merged") else f"{text} ({':'.join(map(str, r['sets']))})"

    def spent(key: str) -> Callable[[Result], str]:
        return lambda r: milliseconds(r[key]) if key in r else ""

    cells: dict[str, Callable[[Result], str]] = {
        "graph": lambda r: name(r["job"]),
        **{header: counted(what) for header, what in SIZES.items()},
        "in the tree": lambda r: ":".join(r.get("trees", ())),
        "merged": merged,
        "terms": lambda r: str(r.get("terms", "")),
        "plain [ms]": spent("tree_seconds"),
        "sets [ms]": spent("set_seconds"),
        "merged [ms]": spent("seconds"),
        "ratio": lambda r: f"{ratio(r):.1f}" if r["status"] == "done" else r["status"],
    }
    return f"In brackets: what sets of leaves find, where it is more\n{columns(results, cells)}"


def plot(figure: Any, ended: Results) -> None:
    """Draw the cost of transpositions against how many there are, and what merging them saves."""
    left, right = figure.subplots(1, 2)
    colours = (BLUE, ORANGE, GREEN, VERMILION, GREY, PURPLE)
    for kind, colour, marker in zip(KINDS, colours, "os^Dx+", strict=True):
        here = of(ended, kind=kind)
        curve(
            left, [(100 * r["confluences"] / r["positions"], ratio(r)) for r in here], marker, color=colour, label=kind
        )
        pairs = [(int(tree), merged) for r in here for tree, merged in zip(r["trees"], r["merged"], strict=True)]
        curve(right, pairs, marker, color=colour)
    left.axhline(10, color="grey", lw=1, ls="--", label="the article's aim")
    finish(left, "y", title="What transpositions cost", xlabel="positions with several parents [%]")
    left.set_ylabel("time with transpositions / without")
    top = max((int(tree) for r in ended for tree in r["trees"]), default=1)
    right.plot([1, top], [1, top], color="grey", lw=1)
    finish(right, "xy", title="What they save", xlabel="lines without transpositions")
    right.set_ylabel("lines with transpositions")


if __name__ == "__main__":
    main.start()
