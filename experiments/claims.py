"""Claims of the paper without figures: naive search finds one but not all, and what an operation on diagrams costs.

H. Suzuki, H. Sun, S. Minato, BDD/ZDD を用いたマインスイーパーの爆弾配置パタンの列挙, JSAI 2016.

§1: "To find one of the possible assignments, a naive search such as backtracking is enough; to enumerate all is
difficult for it."  `naive_search` says how the
search here goes.

Also §1: "The best assignment can be computed by an ordinary solver."  Here that is HiGHS, by 0-1 programming (the
extra boardgames); mines cost 1 to 9, drawn at random.

§3.1 and §3.2: "The time of an operation is proportional to the product of the nodes" of its two diagrams.  This is a
bound.  Counters reach it, but for a factor, the number of items: of two sums of weights, one modulo p and one modulo q,
a conjunction has to remember both remainders.  The two halves of a board's hints are what the paper's methods conjoin.

How measured: processor time in one process, and for the solver, which has a process of its own, also the seconds by
its own clock.  Searches are compiled, and stop after `--nodes` nodes.  An operation is done three times in managers of
their own and the median counts; the diagrams are made before.  Nodes are those that the package says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import and_
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from experiments.clocks import timed
from experiments.harness import Options, Report, experiment, option, picture
from experiments.naive_search import search
from experiments.shared import (
    BLUE,
    GREEN,
    VERMILION,
    columns,
    curve,
    finish,
    milliseconds,
    number,
    power,
    table,
    verdict,
)
from mines_dd import Board, solve
from mines_dd.base.budget import Budget
from mines_dd.base.jit import all_compiled
from mines_dd.boardgames.program import best_choice
from mines_dd.compilers.bdd import new_manager
from mines_dd.compilers.exactly import exactly_table
from mines_dd.compilers.packages import memory_limit
from mines_dd.compilers.schedule import HintSpan, schedule
from mines_dd.compilers.zdd import installed
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order

MINES, HINTS, SEED = 0.2, 0.3, 1
"""Shares of mines and of hints among the safe cells."""
PERCENT = ((0.1, 0.2, 0.3), (0.1, 0.3, 0.5))
"""The paper's mines and hints."""
YEAR = 365.25 * 24 * 3600
ITEMS = 50
"""Of the counters."""
PRIMES = ((3, 5), (5, 7), (7, 11), (11, 13), (17, 19), (23, 29), (41, 43), (61, 67))
"""p and q."""


def naive(sizes: Sequence[int], most: int) -> str:
    """Return a row a board: how long the first assignment takes, all by search, and the diagram of all."""
    *smaller, largest = sizes
    boards = [(size, MINES, HINTS) for size in smaller]
    boards += [(largest, mines, hints) for hints in PERCENT[1] for mines in PERCENT[0]]
    search(Board.parse("#1#1#"), most)  # loads the kernel
    rows = []
    for size, mines, hints in boards:
        board = Board.random(size, size, mines, hints, SEED)
        search(board, most, 1)  # loads what orders such a board, as the next line does for tree
        solve(board, "tree").count()
        one, first_seconds = timed(partial(search, board, most, 1))
        every, every_seconds = timed(partial(search, board, most))
        count, tree_seconds = timed(lambda: solve(board, "tree").count())  # noqa: B023 (called at once)
        if every.ended and every.assignments != count:
            raise SystemExit(f"{size}x{size}: the search finds {every.assignments} assignments, tree {count}")
        row = [f"{size} x {size}, {hints:.0%}, {mines:.0%}", len(Instance.of(board).cells)]
        row += [f"{one.first:,}", milliseconds(first_seconds)] if one.assignments else [f"> {most:,}", ""]
        row.append(f"{count:,}" if count < 10**9 else f"{count:.1e}")
        if every.ended:
            row.append(lasting(every_seconds))
        else:
            row.append(f"about {lasting(count * every_seconds / every.assignments)}" if every.assignments else "?")
        rows.append([*row, milliseconds(tree_seconds)])
    headers = ["board, hints, mines", "cells", "nodes to the first", "[ms]", "assignments", "all by search"]
    title = f"Naive search finds one assignment, but not all (§1); at most {most:,} nodes, longer ones at that rate"
    return f"{title}\n\n{table(rows, [*headers, 'all by tree [ms]'], 'lr')}"


def best(size: int) -> str:
    """Return the cost of a best assignment by an ordinary solver and by `cheapest`, for the paper's nine settings."""
    rows = []
    for hints in PERCENT[1]:
        for mines in PERCENT[0]:
            board = Board.random(size, size, mines, hints, SEED)
            instance = Instance.of(board)
            costs = np.random.default_rng(SEED).integers(1, 10, len(instance.cells)).tolist()
            solver_best(instance, costs)  # starts the solver's process
            solve(board, "tree").cheapest({})
            (cost, by_its_clock), ours = timed(partial(solver_best, instance, costs))
            priced = dict(zip(instance.cells, costs, strict=True))
            found, tree_seconds = timed(lambda: solve(board, "tree").cheapest(priced)[0][0])  # noqa: B023 (called at once)
            row = [f"{size} x {size}, {hints:.0%}, {mines:.0%}", str(cost), str(found), verdict(cost == found)]
            rows.append([*row, milliseconds(ours + by_its_clock), milliseconds(tree_seconds)])
    headers = ["board, hints, mines", "solver", "tree", "", "solver [ms]", "tree [ms]"]
    title = "An ordinary solver finds the best assignment (§1)"
    return f"{title}\n\n{table(rows, headers, 'lrrlr')}"


def solver_best(instance: Instance, costs: Sequence[int]) -> tuple[int, float]:
    """Return the least cost of an assignment by 0-1 programming, and the solver's seconds by its own clock.

    Examples
    --------
    >>> solver_best(Instance.of(Board.parse("#1#1#")), [5, 7, 4])[0]  # doctest: +SKIP
    7
    """
    rows = []
    for cells, allowed in zip(instance.members, instance.allowed, strict=True):
        rows += [(dict.fromkeys(cells, sign), sign * allowed[0]) for sign in (1, -1)]
    best = best_choice(costs, rows)
    return sum(costs[cell] for cell in best.chosen), best.seconds


def lasting(seconds: float) -> str:
    """Return a time in seconds or years.

    Examples
    --------
    >>> lasting(0.25), lasting(7e9)
    ('0.25 s', '2.2e+02 years')
    """
    return f"{seconds:.2g} s" if seconds < 1e6 else f"{seconds / YEAR:.1e} years"


class Operation(NamedTuple):
    """A conjunction or intersection: what of, the nodes of both diagrams and of the result, and its seconds."""

    what: str
    kind: str
    one: int
    other: int
    result: int
    seconds: float

    @property
    def product(self) -> int:
        """The product of the nodes."""
        return self.one * self.other


def operation(what: str, kind: str, items: int, make: Callable[[Any], tuple[Any, Any]]) -> Operation:
    """Measure the conjunction (BDD) or intersection (ZDD) of two diagrams, made anew three times."""
    sizes, times = (0, 0, 0), []
    for _ in range(3):
        package: Any = Functions(items) if kind == "bdd" else installed("auto")[1](items, Budget(), memory_limit())
        both = make(package)
        together, seconds = timed(partial(and_, *both))
        times.append(seconds)
        sizes = size_of(both[0]), size_of(both[1]), size_of(together)
        del together, both, package  # before the next manager
    return Operation(what, kind, *sizes, median(times))


class Functions:
    """BDDs as a `Package`, as far as it is needed here."""

    def __init__(self, items: int) -> None:
        self.manager = new_manager(items)
        names = [f"x{level}" for level in range(items)]
        self.manager.declare(*names)
        self.variables = [self.manager.var(name) for name in names]
        self.empty, self.base = self.manager.false, self.manager.true

    def node(self, level: int, low: Any, high: Any) -> Any:
        """See `Package`."""
        return self.manager.ite(self.variables[level], high, low)


def weights(items: int, modulus: int, seed: int) -> list[int]:
    """Return the items' weights, from 1 to the modulus."""
    return np.random.default_rng(seed).integers(1, modulus, items, endpoint=True).tolist()  # type: ignore[no-any-return]


def remainder(package: Any, items: int, modulus: int, seed: int) -> Any:
    """Return the diagram of the sets whose weights, drawn at random, add up to a multiple of `modulus`.

    Examples
    --------
    >>> family = remainder(Functions(4), 4, 1, seed=0)
    >>> int(family.count(4))  # every number is a multiple of 1
    16
    """
    drawn = weights(items, modulus, seed)
    row = [package.base] + [package.empty] * (modulus - 1)
    for level in reversed(range(items)):
        row = [package.node(level, row[r], row[(r + drawn[level]) % modulus]) for r in range(modulus)]
    return row[0]


def conjoined(package: Any, items: int, spans: Sequence[HintSpan]) -> Any:
    """Return the diagram of some hints (§4.1, §4.2)."""
    family = None
    zdd = not isinstance(package, Functions)
    for span in spans:
        levels = range(items) if zdd else span.levels
        hint = exactly_table(levels, set(span.levels), span.allowed, package.node, package.base, package.empty)
        family = hint if family is None else family & hint
    return family


def size_of(diagram: Any) -> int:
    """Return the nodes of a diagram, as its package counts them."""
    return int(diagram.dag_size if hasattr(diagram, "dag_size") else diagram.node_count())


def counters() -> list[Operation]:
    """Return the operations on counters modulo p and q."""

    def make(package: Any, p: int, q: int) -> tuple[Any, Any]:
        return remainder(package, ITEMS, p, 1), remainder(package, ITEMS, q, 2)

    return [
        operation(f"counters modulo {p} and {q}", kind, ITEMS, partial(make, p=p, q=q))
        for kind in ("bdd", "zdd")
        for p, q in PRIMES
    ]


def halves(sizes: Sequence[int]) -> list[Operation]:
    """Return the operations on boards: hints whose cells come late in the order, and those whose come early."""

    def make(items: int, spans: Sequence[HintSpan], middle: int, package: Any) -> tuple[Any, Any]:
        return conjoined(package, items, spans[:middle]), conjoined(package, items, spans[middle:])

    found = []
    for size in sizes:
        instance = Instance.of(Board.random(size, size, MINES, HINTS, SEED))
        spans = schedule(instance, cell_order(instance, "greedy"))
        items, middle = len(instance.cells), len(spans) // 2
        for kind in ("bdd", "zdd"):
            found.append(operation(f"board {size} x {size}", kind, items, partial(make, items, spans, middle)))
    return found


SERIES = [(what, kind) for what in ("counters", "board") for kind in ("bdd", "zdd")]


def of_kind(operations: Sequence[Operation], what: str, kind: str) -> list[tuple[float, float]]:
    """Return the products of the nodes with the seconds."""
    return [(o.product, max(o.seconds, 1e-6)) for o in operations if o.what.startswith(what) and o.kind == kind]


def costs(operations: Sequence[Operation]) -> str:
    """Return a row an operation, and what the product of the nodes says of its seconds."""
    cells: dict[str, Callable[[Operation], str]] = {
        "of": lambda o: o.what,
        "kind": lambda o: o.kind,
        "n": lambda o: number(o.one),
        "m": lambda o: number(o.other),
        "n m": lambda o: number(o.product),
        "result": lambda o: number(o.result),
        "[ms]": lambda o: milliseconds(o.seconds),
        "ns / n m": lambda o: f"{1e9 * o.seconds / o.product:.3g}",
    }
    said = [
        f"{what}, {kind}: seconds ~ (n m)^{power(*zip(*here, strict=True)):.2f}"
        for what, kind in SERIES
        if len(here := of_kind(operations, what, kind)) > 1
    ]
    title = "What an operation on diagrams of n and m nodes costs (§3.1, §3.2: proportional to n m)"
    return "\n".join([title, "", columns(operations, cells, "llr"), "", *said])


def plot(figure: Any, operations: Sequence[Operation]) -> None:
    """Draw the seconds of the operations against the product of the nodes."""
    axes = figure.subplots()
    for what, kind in SERIES:
        style, name = ("o-", "counters") if what == "counters" else ("s--", "halves of a board")
        colour = BLUE if kind == "bdd" else VERMILION
        curve(axes, of_kind(operations, what, kind), style, color=colour, label=f"{name}, {kind}")
    worst = max(operations, key=lambda o: o.seconds / o.product)
    ends = [edge(o.product for o in operations) for edge in (min, max)]
    line = [(end, end * worst.seconds / worst.product) for end in ends]
    curve(axes, line, ":", color=GREEN, label="proportional to the product")
    finish(axes, "xy", xlabel="product of the nodes", ylabel="seconds")


@experiment(
    option("--largest", 30, "Largest board, in rows."),
    option("--nodes", 50_000_000, "The most nodes of a search."),
    minutes=0.5,
    quick="--largest 12 --nodes 1000000",
)
def main(options: Options) -> Report:
    """The claims as tables, the last as a plot too."""
    sizes = [size for size in (6, 8, 10, 12, 16, 20, 30) if size <= options.largest]
    with all_compiled():  # seconds are compared
        yield naive(sizes, options.nodes)
        yield best(sizes[-1])
    operations = counters() + halves([size for size in sizes if size >= 8])
    yield costs(operations)
    yield picture("operations.png", (7.5, 4.6), lambda figure: plot(figure, operations))


if __name__ == "__main__":
    main.start()
