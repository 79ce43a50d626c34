"""The paper's last claim: constraints are easily added, so a game's hints can be taken as they come.

H. Suzuki, H. Sun, S. Minato, "Generating All Mine Assignments of Minesweeper Using BDD/ZDD", JSAI 2016, §6.  A game is
played to its end, and after each new hint all mine assignments are there again: by one more conjunction with the kept
BDD, one more intersection with the kept ZDD, or elimination of the components that the hint touches; against building
all of it again.  All counts have to agree at every step.

The player opens an empty cell first, then always a safe cell next to an open one, at random; a cascade gives its hints
one by one.  The kept diagrams decide all cells of the board row by row, as nobody knows which of them will matter.
"""

from __future__ import annotations

import random
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from math import prod
from statistics import median
from typing import Any

import networkx as nx

from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, names_of, option, picture
from experiments.shared import GREY, METHOD_COLOURS, done, milliseconds, of, plural, same_counts, seconds, table
from mines_dd import Board, solve
from mines_dd.base.budget import Budget
from mines_dd.board.board import Position
from mines_dd.compilers import bdd, tree, zdd
from mines_dd.compilers.exactly import exactly_table
from mines_dd.compilers.packages import exported, memory_limit
from mines_dd.compilers.schedule import HintSpan, schedule
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import simplify
from mines_dd.diagrams import queries
from mines_dd.diagrams.circuit import Circuit
from mines_dd.orders.cells import cell_order


def run(job: Job) -> Result:
    """Play one game with one method: seconds and counts of each step, kept and rebuilt."""
    rows, cols = job["rows"], job["cols"]
    solve(Board.random(rows, cols, job["mines"], 0.3, 0), "tree").count()  # kernels compiled
    keep, rebuild = WAYS[job["method"]]
    board = Board(("#" * cols,) * rows)
    kept = keep(board)
    keys = ("kept", "rebuilt", "compiled", "count", "rebuilt_count", "nodes")
    steps: dict[str, list[Any]] = {key: [] for key in keys}
    for hint, count in game(rows, cols, job["mines"], job["seed"]):
        board = board.reveal({hint: count})
        started = time.process_time()
        kept.add(board, hint)
        steps["kept"].append(time.process_time() - started)
        number, nodes = kept.measure(board)
        seconds, again = rebuild(board)
        steps["compiled"] += compiled(board, job["method"])
        steps["rebuilt"].append(seconds)
        steps["count"].append(str(number))
        steps["rebuilt_count"].append(str(again))
        steps["nodes"].append(nodes)
    return steps


def compiled(board: Board, method: str) -> list[float]:
    """The seconds that the package's own compiler takes: a manager, all hints, the diagram read out as arrays."""
    if method == "tree":
        return []  # which is what rebuilding it is
    instance = Instance.from_board(board)
    order = cell_order(instance, "row")
    started = time.process_time()
    (bdd.compile_bdd if method == "bdd" else zdd.compile_zdd)(instance, order)
    return [time.process_time() - started]


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


# BDD: one more conjunction


class KeptBdd:
    """F_MB over all cells of a board (§4.1)."""

    def __init__(self, board: Board) -> None:
        rows, cols = board.size
        self.manager = bdd_manager(rows * cols)
        self.family = self.manager.true

    def add(self, board: Board, hint: Position) -> None:
        """Conjoin that the hint's cell holds no mine, and that as many of its neighbours do as it says."""
        index = board.size[1]
        around = [f"x{r * index + c}" for r, c in board.neighbours(hint)]
        self.family &= bdd.exactly(self.manager, [f"x{hint[0] * index + hint[1]}"], 0)
        self.family &= bdd.exactly(self.manager, around, int(board[hint]))

    def measure(self, board: Board) -> tuple[int, int]:
        """Return the number of assignments to all cells, and the nodes."""
        return measured_bdd(self.manager, self.family, len(self.manager.vars))


def rebuilt_bdd(board: Board) -> tuple[float, int]:
    """Return the seconds to build the BDD of the closed cells from all hints, and the number of assignments."""
    spans, levels, doubled = instance_of(board)
    manager = bdd_manager(levels)
    started = time.process_time()
    family = manager.true
    for span in spans:
        family &= bdd.exactly(manager, [f"x{level}" for level in span.levels], span.allowed)
    seconds = time.process_time() - started
    return seconds, measured_bdd(manager, family, levels)[0] << doubled


def bdd_manager(levels: int) -> Any:
    """A manager with so many variables in a fixed order: of CUDD if it is installed."""
    try:
        manager = import_module("dd.cudd").BDD()
    except ImportError:
        sys.setrecursionlimit(8 * levels + 1200)  # dd.autoref recurs once a level
        manager = import_module("dd.autoref").BDD()
    manager.configure(reordering=False)
    manager.declare(*(f"x{level}" for level in range(levels)))
    return manager


def measured_bdd(manager: Any, family: Any, levels: int) -> tuple[int, int]:
    """Return the exact number of models, and of nodes."""

    def children(u: Any) -> tuple[int, Any, Any]:
        level, low, high = manager.succ(u)
        return (level, ~low, ~high) if u.negated else (level, low, high)

    diagram = exported("bdd", range(levels), family, (manager.false, manager.true), int, children)
    return queries.count(diagram.to_circuit(range(levels), range(levels))), diagram.node_count


def instance_of(board: Board) -> tuple[list[HintSpan], int, int]:
    """Return the hints of a board in the order of conjunction, its cells' number, and how many more are closed: each
    doubles the number of assignments.
    """
    instance = Instance.from_board(board)
    spans = schedule(instance, cell_order(instance, "row"))
    return spans, len(instance.cells), len(board.closed()) - len(instance.cells)


# ZDD: one more intersection


class KeptZdd:
    """S_MB over all cells of a board (§4.2)."""

    def __init__(self, board: Board) -> None:
        rows, cols = board.size
        self.levels = rows * cols
        self.package = zdd_package(self.levels)
        self.family = zdd_exactly(self.package, self.levels, [], [0])  # all sets

    def add(self, board: Board, hint: Position) -> None:
        """Intersect with the sets without the hint's cell that have as many of its neighbours as it says."""
        index = board.size[1]
        around = [r * index + c for r, c in board.neighbours(hint)]
        self.family &= zdd_exactly(self.package, self.levels, [hint[0] * index + hint[1]], [0])
        self.family &= zdd_exactly(self.package, self.levels, around, [int(board[hint])])

    def measure(self, board: Board) -> tuple[int, int]:
        """Return the number of assignments to all cells, and the nodes."""
        return measured_zdd(self.package, self.family, self.levels)


def rebuilt_zdd(board: Board) -> tuple[float, int]:
    """Return the seconds to build the ZDD of the closed cells from all hints, and the number of assignments."""
    spans, levels, doubled = instance_of(board)
    package = zdd_package(levels)
    started = time.process_time()
    family = zdd_exactly(package, levels, [], [0])
    for span in spans:
        family &= zdd_exactly(package, levels, span.levels, span.allowed)
    seconds = time.process_time() - started
    return seconds, measured_zdd(package, family, levels)[0] << doubled


def zdd_package(levels: int) -> zdd.Package:
    """The items of CUDD if it is installed, else of OxiDD."""
    try:
        return zdd.Cudd(levels, Budget(), memory_limit())
    except ImportError:
        return zdd.Oxidd(levels, Budget(), memory_limit())


def zdd_exactly(package: zdd.Package, levels: int, members: Sequence[int], allowed: Sequence[int]) -> Any:
    """The sets with an allowed number of the members, all other items in or out."""
    return exactly_table(range(levels), set(members), allowed, package.node, package.base, package.empty)


def measured_zdd(package: zdd.Package, family: Any, levels: int) -> tuple[int, int]:
    """Return the number of sets, and of nodes."""
    terminals = (package.empty, package.base)
    diagram = exported("zdd", range(levels), family, terminals, package.identity, package.children)
    return queries.count(diagram.to_circuit(range(levels), range(levels))), diagram.node_count


# Tree: the touched components once more


class KeptTree:
    """The mine graph, with the circuit of its component for every vertex."""

    def __init__(self, board: Board) -> None:
        self.graph = nx.Graph()
        self.hints: dict[Position, int] = {}
        self.circuit: dict[Position, Circuit] = {}

    def add(self, board: Board, hint: Position) -> None:
        """Put the hint in the place of its cell, and eliminate the components of all that it touches."""
        touched = {hint, *self.graph.adj.get(hint, ())}  # its cell's other hints: without the cell they may fall apart
        if hint in self.graph:
            self.graph.remove_node(hint)
        self.graph.add_node(hint)
        self.hints[hint] = int(board[hint])
        closed = [cell for cell in board.neighbours(hint) if board[cell] == "#"]
        self.graph.add_edges_from((hint, cell) for cell in closed)
        touched.update(closed)
        while touched:
            component = nx.node_connected_component(self.graph, touched.pop())
            touched -= component
            self.circuit.update(dict.fromkeys(component, self.eliminated(component)))

    def eliminated(self, component: set[Position]) -> Circuit:
        """The circuit of a component's assignments."""
        cells = sorted(component - self.hints.keys())
        hints = sorted(component & self.hints.keys())
        index = {cell: i for i, cell in enumerate(cells)}
        members = (sorted(index[cell] for cell in self.graph.adj[hint]) for hint in hints)
        reduced = simplify(Instance.build(cells, hints, members, ([self.hints[hint]] for hint in hints)))
        return tree.plan_and_compile(reduced, cells).circuit

    def measure(self, board: Board) -> tuple[int, int]:
        """Return the number of assignments to all cells, and the nodes."""
        circuits = {id(circuit): circuit for circuit in self.circuit.values()}.values()
        free = len(board.closed()) - (len(self.graph) - len(self.hints))
        return prod(map(queries.count, circuits)) << free, sum(circuit.node_count for circuit in circuits)


def rebuilt_tree(board: Board) -> tuple[float, int]:
    """Return the seconds to eliminate all hints, and the number of assignments."""
    started = time.process_time()
    family = solve(board, "tree")
    seconds = time.process_time() - started
    return seconds, family.count() << (len(board.closed()) - len(family.cells))


WAYS: dict[str, tuple[Callable[[Board], Any], Callable[[Board], tuple[float, int]]]] = {
    "bdd": (KeptBdd, rebuilt_bdd),
    "zdd": (KeptZdd, rebuilt_zdd),
    "tree": (KeptTree, rebuilt_tree),
}


def jobs(options: Options) -> list[Job]:
    """The games, by every method."""
    board = {"rows": options.rows, "cols": options.cols, "mines": options.mines}
    return [{**board, "seed": seed, "method": method} for seed in range(options.games) for method in options.methods]


@experiment(
    option("--rows", 16),
    option("--cols", 16),
    option("--mines", 40),
    option("--methods", ",".join(WAYS), kind=names_of(WAYS)),
    option("--games", 3),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=120, memory=8, workers=2),
    minutes=2,
    quick="--rows 8 --cols 8 --mines 10 --games 2",
)
def main(results: Results, options: Options) -> Report:
    """The milliseconds of a step by each method, what they mean, and a plot of all steps."""
    ended = done(results)
    steps = check_counts(ended)
    games = plural(options.games, "game")
    title = f"{options.rows}x{options.cols}, {options.mines} mines, {games} of {steps:,} hints in all"
    yield f"Hints one by one: {title}"
    yield steps_table(results)
    yield notes(ended, steps)
    yield picture("online.png", (17, 4.6), lambda figure: plot(figure, ended, title))


def check_counts(ended: Results) -> int:
    """Require that all ways count the same at every step; return the number of steps of all games."""
    counts = [
        (r["job"]["seed"], r["job"]["method"], tuple(r[way])) for r in ended for way in ("count", "rebuilt_count")
    ]
    same_counts((f"game {seed}", method, steps) for seed, method, steps in counts)
    return sum(len(steps) for steps in {seed: steps for seed, _, steps in counts}.values())


def steps_table(results: Results) -> str:
    """Return for each method the milliseconds of a step, kept and rebuilt; of processor time."""
    rows = []
    for method in WAYS:
        if not (runs := of(results, method=method)):
            continue
        ended = done(runs)
        row = [method, f"{len(ended)} of {len(runs)}"]
        if ended:
            kept, rebuilt = ([x for r in ended for x in r[key]] for key in ("kept", "rebuilt"))
            row += [milliseconds(what(x)) for x in (kept, rebuilt) for what in (median, max)]
            row += [seconds(sum(x) / len(ended)) for x in (kept, rebuilt)]
            times = gain(ended, method)
            anew = [x for r in ended for x in r["compiled"]]
            row += [f"{times:.1f}", "agrees" if times > 1.2 else "no gain", milliseconds(median(anew)) if anew else ""]
            row += [f"{max(max(r['nodes']) for r in ended):,}"]
        rows.append(row)
    headers = ["method", "games", "kept: median [ms]", "worst", "rebuilt: median [ms]", "worst"]
    headers += ["kept: a game [s]", "rebuilt", "gain", "claim", "compiled: median [ms]", "most nodes"]
    return table(rows, headers)


def gain(ended: Results, method: str) -> float:
    """How many times quicker a method's games are if what is there is kept."""
    runs = of(ended, method=method)
    return sum(sum(r["rebuilt"]) for r in runs) / sum(sum(r["kept"]) for r in runs)


def notes(runs: Results, steps: int) -> str:
    """Say what the times mean."""
    methods = {r["job"]["method"] for r in runs}
    lines = [f"Published is the claim alone, no figure.  At each of the {steps:,} steps all ways count the same."]
    if {"bdd", "zdd"} <= methods:
        lines.append(
            f"BDD and ZDD: to add a hint is {gain(runs, 'bdd'):.1f} and {gain(runs, 'zdd'):.1f} times quicker than all "
            "conjunctions or intersections again in an empty manager.  'Compiled' is what the package's own "
            "compilers take, with a new manager, shorter chains of a ZDD and the diagram read out.  All cells of the "
            "board are levels; an open one costs a BDD a node and a ZDD none."
        )
    if "tree" in methods:
        lines.append(
            f"Elimination: {gain(runs, 'tree'):.1f} times, by keeping the components that a hint does not touch.  In a "
            "game its tables are so small that reduction and the choice of an order, once for each component touched, "
            "are nearly all of its time."
        )
    return "\n".join(textwrap.fill(line, 110) for line in lines)


def plot(figure: Any, ended: Results, title: str) -> None:
    """Draw the time of every step, kept and rebuilt, and the nodes that are kept."""
    axes = figure.subplots(1, 4)
    for ax, method in zip(axes, WAYS, strict=False):
        for r in of(ended, method=method):
            for key, colour in (("rebuilt", GREY), ("kept", METHOD_COLOURS[method])):
                ax.plot([1000 * x for x in r[key]], ".", ms=3, color=colour, alpha=0.6)
            axes[3].plot(r["nodes"], lw=1, color=METHOD_COLOURS[method])
        ax.plot([], [], "o", color=GREY, label="all hints again")
        ax.plot([], [], "o", color=METHOD_COLOURS[method], label="kept, one hint added")
        ax.set(title=method, yscale="log", xlabel="hints so far", ylabel="milliseconds a hint (processor)")
        ax.legend()
        axes[3].plot([], [], color=METHOD_COLOURS[method], label=method)
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
