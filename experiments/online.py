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
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, Protocol

from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, names_of, option, picture
from experiments.shared import GREY, METHOD_COLOURS, done, milliseconds, of, plural, same_counts, seconds, table
from mines_dd import Assignments, Board, solve
from mines_dd.answers.analysis import Analysis, analysis_of
from mines_dd.answers.border import Border
from mines_dd.base.budget import Budget
from mines_dd.board.board import Position
from mines_dd.compilers import bdd, zdd
from mines_dd.compilers.exactly import exactly_table
from mines_dd.compilers.packages import exported, memory_limit
from mines_dd.diagrams import queries
from mines_dd.diagrams.circuit import Circuit


class Kept(Protocol):
    """What is kept from hint to hint."""

    def prepare(self, board: Board, hint: Position) -> None:
        """Make what the new hint alone says: its chain."""

    def add(self) -> None:
        """Put it to what is kept."""

    def ask(self) -> None:
        """Find the chance of a mine in every cell next to a hint."""

    def count(self, board: Board) -> int:
        """The assignments to all closed cells."""

    def nodes(self) -> int:
        """The nodes kept."""


def run(job: Job) -> Result:
    """Play one game with one method: processor seconds and counts of each step, kept and built again in every way."""
    rows, cols = job["rows"], job["cols"]
    keep, ways = METHODS[job["method"]]
    for _ in play(6, 6, 6, 0, keep, ways):  # kernels loaded, packages imported
        pass
    steps: dict[str, Any] = {key: [] for key in ("chain", "add", "ask", "count", "nodes")}
    steps["again"] = {name: {"build": [], "ask": [], "count": []} for name in ways}
    for kept, again in play(rows, cols, job["mines"], job["seed"], keep, ways):
        for key, value in kept.items():
            steps[key].append(value)
        for name, values in again.items():
            for key, value in values.items():
                steps["again"][name][key].append(value)
    return steps


def play(
    rows: int, cols: int, mines: int, seed: int, keep: Callable[[Board], Any], ways: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], dict[str, dict[str, Any]]]]:
    """Yield for each hint of a game what keeping and each way of building again took, and what they count."""
    board = Board(("#" * cols,) * rows)
    kept = keep(board)
    for hint, count in game(rows, cols, mines, seed):
        board = board.reveal({hint: count})
        found: dict[str, Any] = {
            "chain": spent(kept.prepare, board, hint)[0],
            "add": spent(kept.add)[0],
            "ask": spent(kept.ask)[0],
        }
        again = {name: way(kept, board, found) for name, way in ways.items()}
        yield {**found, "count": str(kept.count(board)), "nodes": kept.nodes()}, again


def spent(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Seconds of processor time, and what comes back."""
    started = time.process_time()
    result = work(*arguments)
    return time.process_time() - started, result


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


def around(board: Board, hint: Position) -> list[int]:
    """The levels of the closed cells next to a hint; a cell's level is its number, row by row."""
    return sorted(r * board.size[1] + c for r, c in board.neighbours(hint) if board[r, c] == "#")


# Diagrams: one more conjunction


class KeptDiagram:
    """The family of all assignments to the cells of a board, and the chain of each hint."""

    family: Any
    start: Any
    """The family before the first hint."""

    def __init__(self) -> None:
        self.chains: dict[Position, Any] = {}
        self.newest: Position = (0, 0)

    def add(self) -> None:
        """See `Kept`."""
        self.family &= self.chains[self.newest]

    def again(self) -> Any:
        """The conjunction of all chains, from the last hint on the board to the first."""
        family = self.start
        for hint in sorted(self.chains, reverse=True):
            family &= self.chains[hint]
        return family

    def circuit(self) -> Circuit:
        """The family, read out of its manager."""
        raise NotImplementedError

    def count(self, board: Board) -> int:
        """See `Kept`."""
        return queries.count(self.circuit())

    def ask(self) -> None:
        """See `Kept`."""
        queries.approximate_probabilities(self.circuit())


class KeptBdd(KeptDiagram):
    """F_MB over all cells of a board (§4.1); a cell that is opened is set to 0, also in the chains."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self.levels = board.size[0] * board.size[1]
        self.manager = bdd.new_manager(self.levels)
        self.names = [f"x{level}" for level in range(self.levels)]
        self.manager.declare(*self.names)
        self.variables = [self.manager.var(name) for name in self.names]
        self.family = self.start = self.manager.true

    def prepare(self, board: Board, hint: Position) -> None:
        """See `Kept`."""
        cells = around(board, hint)
        ends = (self.manager.true, self.manager.false)
        self.open = {self.names[hint[0] * board.size[1] + hint[1]]: False}
        for near in board.neighbours(hint):
            if near in self.chains:
                self.chains[near] = self.manager.let(self.open, self.chains[near])
        self.chains[hint] = exactly_table(cells, cells, {int(board[hint])}, self.node, *ends)
        self.newest = hint

    def add(self) -> None:
        """See `Kept`."""
        self.family = self.manager.let(self.open, self.family) & self.chains[self.newest]

    def node(self, level: int, low: Any, high: Any) -> Any:
        """A node of a chain."""
        return self.manager.ite(self.variables[level], high, low)

    def circuit(self) -> Circuit:
        """See `KeptDiagram`."""
        ends = (self.manager.false, self.manager.true)
        diagram = exported("bdd", range(self.levels), self.family, ends, int, self.children)
        return diagram.to_circuit(range(self.levels), range(self.levels))

    def children(self, u: Any) -> tuple[int, Any, Any]:
        """Level, low and high of a node; a complemented arc stands for the complement."""
        level, low, high = self.manager.succ(u)
        return (level, ~low, ~high) if u.negated else (level, low, high)

    def count(self, board: Board) -> int:
        """See `Kept`."""
        return queries.count(self.circuit()) >> len(self.chains)  # an open cell is free

    def nodes(self) -> int:
        """See `Kept`."""
        return len(self.family)


class KeptZdd(KeptDiagram):
    """S_MB over all cells of a board (§4.2); a chain has no level for a cell that is open, so its sets lack it."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self.levels = board.size[0] * board.size[1]
        try:
            self.package: zdd.Package = zdd.Cudd(self.levels, Budget(), memory_limit())
        except ImportError:
            self.package = zdd.Oxidd(self.levels, Budget(), memory_limit())
        self.family = self.start = self.chain(range(self.levels), [], 0)

    def chain(self, levels: Any, members: list[int], number: int) -> Any:
        """The sets with so many of the members, all other levels in or out."""
        package = self.package
        return exactly_table(levels, set(members), {number}, package.node, package.base, package.empty)

    def prepare(self, board: Board, hint: Position) -> None:
        """See `Kept`."""
        cells, columns = around(board, hint), board.size[1]
        closed = [r * columns + c for r, c in board.closed()]
        self.chains[hint] = self.chain(closed, cells, int(board[hint]))
        self.newest = hint

    def circuit(self) -> Circuit:
        """See `KeptDiagram`."""
        package = self.package
        ends = (package.empty, package.base)
        diagram = exported("zdd", range(self.levels), self.family, ends, package.identity, package.children)
        return diagram.to_circuit(range(self.levels), range(self.levels))

    def nodes(self) -> int:
        """See `Kept`."""
        package = self.package
        ends = (package.empty, package.base)
        return exported("zdd", range(self.levels), self.family, ends, package.identity, package.children).node_count


# Tree: the touched components once more


class KeptTree:
    """The border in components: what a `Session` keeps."""

    analysis: Analysis

    def __init__(self, board: Board) -> None:
        self.border = border_of(board)

    def prepare(self, board: Board, hint: Position) -> None:
        """See `Kept`."""
        self.board, self.hint = board, hint

    def add(self) -> None:
        """See `Kept`."""
        border = self.border.opened(self.board, {self.hint})
        assert border is not None
        self.border = border

    def ask(self) -> None:
        """See `Kept`."""
        self.analysis = analysis_of(self.board, self.border)

    def count(self, board: Board) -> int:
        """See `Kept`."""
        return counted(self.analysis)

    def nodes(self) -> int:
        """See `Kept`: of the components' circuits."""
        return sum(part.component.circuit.node_count for part in self.border.parts)


def border_of(board: Board) -> Border:
    """The border of a board that is consistent."""
    border = Border.of(board)
    assert border is not None
    return border


def counted(analysis: Analysis) -> int:
    """The assignments to all closed cells of a board."""
    hints = set(analysis.board.hints())
    closed = analysis.board.closed()
    return analysis.count << sum(hints.isdisjoint(analysis.board.neighbours(cell)) for cell in closed)


# All of it again

Way = Callable[[Any, Board, dict[str, Any]], dict[str, Any]]


def by_chains(kept: KeptDiagram, board: Board, found: dict[str, Any]) -> dict[str, Any]:
    """All conjunctions again in the same manager.  The diagram is the kept one, so the question takes as long."""
    seconds, family = spent(kept.again)
    assert family == kept.family
    return {"build": found["chain"] + seconds, "ask": found["ask"], "count": str(kept.count(board))}


def by_solve(method: str, order: str) -> Way:
    """`solve`, with the diagram left in its manager until it is asked."""

    def way(kept: Any, board: Board, found: dict[str, Any]) -> dict[str, Any]:
        building, family = spent(lambda: solve(board, method, order=order))  # type: ignore[arg-type]
        asking, _ = spent(Assignments.approximate_probabilities, family)
        free = len(board.closed()) - len(family.cells)
        return {"build": building, "ask": asking, "count": str(family.count() << free)}

    return way


def by_session(kept: Any, board: Board, found: dict[str, Any]) -> dict[str, Any]:
    """The border anew; components whose shape was solved before are remembered, as in every session."""
    building, border = spent(border_of, board)
    asking, analysis = spent(analysis_of, board, border)
    return {"build": building, "ask": asking, "count": str(counted(analysis))}


def diagram_ways(*methods: str) -> dict[str, Way]:
    """All conjunctions again, and `solve` with these methods in two orders."""
    orders = {"row by row": "row", "its order": "auto"}
    calls = {f"{m}, {name}": by_solve(m, order) for m in methods for name, order in orders.items()}
    return {"same chains": by_chains, **calls}


METHODS: dict[str, tuple[Callable[[Board], Any], dict[str, Way]]] = {
    "bdd": (KeptBdd, diagram_ways("bdd")),
    "zdd": (KeptZdd, diagram_ways("zdd", "zdd-span")),
    "tree": (KeptTree, {"new session": by_session, "solve": by_solve("tree", "auto")}),
}


def jobs(options: Options) -> list[Job]:
    """The games, by every method."""
    board = {"rows": options.rows, "cols": options.cols, "mines": options.mines}
    return [{**board, "seed": seed, "method": method} for seed in range(options.games) for method in options.methods]


@experiment(
    option("--rows", 16),
    option("--cols", 16),
    option("--mines", 40),
    option("--methods", ",".join(METHODS), kind=names_of(METHODS)),
    option("--games", 7),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=120, memory=8),
    minutes=4,
    quick="--rows 8 --cols 8 --mines 10 --games 2 --workers 2",
)
def main(results: Results, options: Options) -> Report:
    """The milliseconds of a hint by each method and way, what they mean, and a plot of all hints."""
    ended = done(results)
    steps = check_counts(ended)
    size = f"{options.rows}x{options.cols}, {options.mines} mines"
    title = f"{size}, {plural(options.games, 'game')}, {steps:,} hints in all"
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
    for method, (_, ways) in METHODS.items():
        runs = of(results, method=method)
        ended = done(runs)
        if not ended:
            continue
        best = {asked: best_way(ended, asked) for asked in (False, True)}
        alone, asked = ([x for r in ended for x in kept_seconds(r, asked)] for asked in (False, True))
        chains = milliseconds(median(x for r in ended for x in r["chain"]))
        games = f"{len(ended)} of {len(runs)}"
        nodes = f"{max(max(r['nodes']) for r in ended):,}"
        row = [method, "kept", games, chains if method != "tree" else "", *times(alone, len(ended)), ""]
        rows.append([*row, *times(asked, len(ended)), "", nodes])
        for way in ways:
            row = ["", f"again: {way}", "", ""]
            for question, kept in ((False, alone), (True, asked)):
                found = [x for r in ended for x in again_seconds(r, way, question)]
                star = "*" if way == best[question] else ""
                row += [*times(found, len(ended)), f"{sum(found) / sum(kept):.1f}{star}"]
            rows.append([*row, ""])
    hint = ["median", "worst", "a game [s]", "ratio"]
    return table(rows, ["method", "way", "games", "chain", *hint, *(f"asked: {name}" for name in hint), "most nodes"])


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
        "kept manager, whose cache remembers conjunctions of earlier steps: that is in its favour."
    ]
    for method in dict.fromkeys(r["job"]["method"] for r in ended):
        without, asked = (gain(ended, method, asked) for asked in (False, True))
        lines.append(f"{method}: keeping is {without:.1f} times as fast as the best way, with the question {asked:.1f}")
    return "\n".join(textwrap.fill(line, 110) for line in lines)


def plot(figure: Any, ended: Results, title: str) -> None:
    """Draw the time of every step with the question, kept and built again in the best way, and the nodes kept."""
    axes = figure.subplots(1, 4)
    for ax, method in zip(axes, METHODS, strict=False):
        colour = METHOD_COLOURS[method]
        for r in (runs := of(ended, method=method)):
            for found, shade in (
                (again_seconds(r, best_way(runs, asked=True), asked=True), GREY),
                (kept_seconds(r, asked=True), colour),
            ):
                ax.plot([1000 * x for x in found], ".", ms=2, color=shade, alpha=0.3)
            axes[3].plot(r["nodes"], lw=0.6, alpha=0.5, color=colour)
        ax.plot([], [], "o", color=GREY, label="all again, the best way")
        ax.plot([], [], "o", color=colour, label="kept, one hint added")
        ax.set(title=method, yscale="log", xlabel="hints so far", ylabel="milliseconds a hint, with the question")
        ax.legend()
        axes[3].plot([], [], color=colour, label=method)
    low = min(ax.get_ylim()[0] for ax in axes[:3])
    high = max(ax.get_ylim()[1] for ax in axes[:3])
    for ax in axes:
        ax.grid(alpha=0.3)
    for ax in axes[:3]:
        ax.set_ylim(low, high)
    axes[3].set(title="nodes kept", yscale="log", xlabel="hints so far")
    axes[3].legend()
    figure.suptitle(f"Hints one by one: {title}")


if __name__ == "__main__":
    main.start()
