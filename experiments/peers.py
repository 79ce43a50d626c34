"""The same job, by us and by others: represent all assignments of a board and count them; or all probabilities.

Peers come from the package index (extra `peers`); one that is missing is skipped by name.

\b
- d4 (`d4solver`) compiles clauses to d-DNNF; Ganak (`pyganak`) and tididi-cnf
  count the models of clauses; PySDD compiles them to a sentential decision
  diagram, and counts in doubles.
- tididi conjoins the hints as tree decision diagrams, over a balanced tree of
  our order of cells, and over the tree of products of our own method "tree",
  along that tree; OxiDD as BDDs and as ZBDDs, CUDD (`dd.cudd`) as BDDs, in
  our order and, as a first program would, row by row.
- pyzdd (TdZdd) restricts the ZDD of all sets by one hint after the other.
- Graphillion searches degree-constrained subgraphs in our order of edges, and
  one isolated edge a cell under linear constraints, its better way.
- ms-toollib computes probabilities for players, with the total number of mines;
  beside it stands `analyse` with the same total.

How measured.  All are called from Python, within one process for a peer and board: starting the process, importing the
package and loading kernels are outside for all; making the input (clauses, edges, constraints) from the board and
reading the count are inside for all.  After a first run, which does not count, the median of up to `--runs` runs
counts; no further run begins after `--long` seconds of processor time.  A first run that takes longer than that counts
alone, as cold: the package has then done a small board and no other.  Processor time, of all threads and children,
stands beside the time of the clock.  Every process, ours too, is bound to one core, its thread pools to one thread.
Memory is what is resident: the peak of the first run less what the process held before.  A watcher ends a process tree
that holds more than `--resident` GiB.  Nodes are counted after the clock has stopped.  The load of the machine is
recorded; `--idle` refuses to start while others are busy, and a table taken on a busy machine says so.  A run that was
stopped counts as longer than all others.

Clauses are the binomial encoding, which adds no variable (see `mines_dd.constraints.cnf_opb`): the kinder one, as d4
with sequential counters beside it shows.

Nodes are those of the package's own count, and no two kinds mean the same, with one exception: on the tree of products
of "tree" on the board as it is, tididi's minimised diagram has a node for each that our circuit has in a place which
splits its cells ("ours: tree, unreduced" counts these), as `compilers.tree` proves; the table says so, or shows that it
is wrong.
"""  # noqa: D301 (click reads the character \b as "leave these lines alone")

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import os
import resource
import signal
import time
from collections.abc import Callable, Sequence
from importlib import metadata
from itertools import product
from statistics import median
from typing import Any, NamedTuple

import click

from experiments.harness import (
    Job,
    Limits,
    Options,
    Report,
    Result,
    Results,
    experiment,
    names_of,
    numbers,
    numbers_of,
    option,
)
from experiments.memory import GIB, MIB, held, resident
from experiments.products import vtree
from experiments.shared import done, milliseconds, of, plural, table
from experiments.sweeps import die_with
from mines_dd import Board, analyse, solve
from mines_dd.compilers import bdd
from mines_dd.compilers.exactly import exactly_table
from mines_dd.compilers.plan import tree_plan
from mines_dd.compilers.schedule import schedule
from mines_dd.compilers.tree import compile_tree
from mines_dd.constraints.cnf_opb import clauses, to_cnf
from mines_dd.constraints.graph import Instance, IntArray
from mines_dd.constraints.simplify import unsimplified
from mines_dd.orders.cells import cell_order
from mines_dd.orders.edges import edge_order

COUNT, PROBABILITIES = "count", "probabilities"
NEEDS = {
    "d4": "py_d4",
    "ganak": "pyganak",
    "graphillion": "graphillion",
    "cudd": "dd.cudd",
    "ms-toollib": "ms_toollib",
    "oxidd": "oxidd",
    "pysdd": "pysdd",
    "pyzdd": "pyzdd",
    "tididi": "tididi",
    "tididi-cnf": "tididi_cnf",
}
PACKAGES = {"d4": "d4solver", "ganak": "pyganak", "cudd": "dd"}
"""The names of packages where they are others."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")
BUSY = 0.5
"""Load a core from which on the machine counts as busy."""


class Found(NamedTuple):
    """What a peer found: the number of assignments, or another that tells answers apart; and a way to count nodes."""

    answer: int | float
    nodes: Callable[[], int] | None = None


def tree_count(board: Board) -> Found:
    """Our own: hint elimination."""
    family = solve(board, "tree")
    return Found(family.count(), lambda: family.node_count)


def unreduced_count(board: Board) -> Found:
    """The same on the board as it is; its nodes are those that tididi has on the same tree."""
    family = solve(board, "tree", simplify=False)
    return Found(family.count(), lambda: vtree(family.circuit, lambda left, right: (), lambda variable: ())[1])


def dc_count(board: Board) -> Found:
    """Our frontier-based search on the reduced board."""
    family = solve(board, "dc")
    return Found(family.count(), lambda: family.node_count)


def d4_count(board: Board) -> Found:
    """Compile to d-DNNF and count."""
    import py_d4

    instance = Instance.from_board(board)
    compiled = py_d4.Solver(clauses(instance), len(instance.cells)).compile()
    return Found(int(compiled.count([])), compiled.getNbNodes)


def d4_sequential(board: Board) -> Found:
    """The same, from sequential counters: more variables, which the cells decide, and fewer clauses for large hints."""
    import py_d4

    instance = Instance.from_board(board)
    formula, variables = sequential_clauses(instance)
    compiled = py_d4.Solver(formula, variables).compile()
    return Found(int(compiled.count([])), compiled.getNbNodes)


def sequential_clauses(instance: Instance) -> tuple[list[list[int]], int]:
    """Clauses with variables "at least j of the first i cells of this hint are mines", and the number of variables.

    Each is equivalent to: at least j of the first i - 1 are, or cell i is one and at least j - 1 of those before.
    """
    formula: list[list[int]] = []
    used = len(instance.cells)
    for cells, allowed in zip(instance.members, instance.allowed, strict=True):
        [number] = allowed
        before: list[int | bool] = [True, *([False] * (number + 1))]  # at least 0, 1, ... of none
        for cell in cells:
            x, after = cell + 1, list(before)
            for j in range(1, number + 2):
                if before[j - 1] is False:
                    continue
                used += 1
                after[j] = used
                # used <-> before[j] or (x and before[j - 1])
                formula += clause_of(-used, before[j], x)
                formula += clause_of(-used, before[j], before[j - 1])
                formula += clause_of(used, opposite(before[j]))
                formula += clause_of(used, -x, opposite(before[j - 1]))
            before = after
        formula += clause_of(before[number]) + clause_of(opposite(before[number + 1]))
    return formula, used


def opposite(literal: int | bool) -> int | bool:
    """The other truth value."""
    return not literal if isinstance(literal, bool) else -literal


def clause_of(*literals: int | bool) -> list[list[int]]:
    """A clause without constants; none if it is true."""
    if any(literal is True for literal in literals):
        return []
    return [[int(literal) for literal in literals if literal is not False]]


def ganak_count(board: Board) -> Found:
    """Count models; nothing is kept."""
    import pyganak

    instance = Instance.from_board(board)
    counter = pyganak.Counter()
    for clause in clauses(instance):
        counter.add_clause(clause)
    mentioned = {abs(x) for clause in clauses(instance) for x in clause}
    return Found(int(counter.count()) << (len(instance.cells) - len(mentioned)))


def tididi_cnf_count(board: Board) -> Found:
    """Count models, by a tree that it chooses itself."""
    import tididi_cnf

    instance = Instance.from_board(board)
    answer = tididi_cnf.count(list(clauses(instance)), num_vars=len(instance.cells))
    return Found(int(answer.count), lambda: int(answer.stats["tdd_nodes"]))


def tididi_count(board: Board) -> Found:
    """Conjoin the hints, two neighbours in our order at a time, over a balanced tree of the cells in our order."""
    import tididi

    instance = Instance.from_board(board)
    order = cell_order(instance)
    tree = tididi.Vtree.balanced_over([int(cell) + 1 for cell in order])
    parts = []
    for span in schedule(instance, order):
        cells = [int(order[level]) + 1 for level in span.levels]
        rows = [row for row in product((False, True), repeat=len(cells)) if sum(row) in span.allowed]
        parts.append(tididi.from_models(tree, cells, rows))
    while len(parts) > 1:
        pairs = [parts[i] & parts[i + 1] for i in range(0, len(parts) - 1, 2)]
        parts = pairs + parts[2 * len(pairs) :]
    if not parts:
        return Found(1)
    return Found(int(parts[0].model_count()), lambda: int(parts[0].minimize().node_count()))


def tididi_our_tree(board: Board) -> Found:
    """Conjoin along our elimination, over its tree of products: each hint with what the steps below it left."""
    import tididi

    instance = Instance.from_board(board)
    plan = tree_plan(unsimplified(instance))
    compiled = compile_tree(unsimplified(instance), instance.cells, plan)
    tree, _ = vtree(compiled.circuit, tididi.Vtree.join, tididi.Vtree.leaf)
    assert plan.steps is not None
    waiting: dict[int, list[Any]] = {}
    for step, hint in enumerate(plan.order.tolist()):
        cells = instance.members[hint]
        if cells:
            rows = [row for row in product((False, True), repeat=len(cells)) if sum(row) in instance.allowed[hint]]
            part = tididi.from_models(tree, [cell + 1 for cell in cells], rows)
            for below in waiting.pop(step, []):
                part = part & below
            waiting.setdefault(int(plan.steps.parent[step]), []).append(part.minimize())
    parts = waiting.pop(-1, [])
    while len(parts) > 1:
        parts = [parts[i] & parts[i + 1] for i in range(0, len(parts) - 1, 2)] + parts[len(parts) - len(parts) % 2 :]
    if not parts:
        return Found(1)
    whole = parts[0].minimize()
    return Found(int(whole.model_count()), lambda: int(whole.node_count()))


def pysdd_count(board: Board) -> Found:
    """Compile clauses as its program does; its exact counts end at 64 bits, so it counts in logarithms."""
    from pysdd.sdd import SddManager

    _, root = SddManager.from_cnf_string(to_cnf(board))
    return Found(float(root.wmc(log_mode=True).propagate()) / math.log(10), root.count)


def oxidd_bdd_count(board: Board) -> Found:
    """Conjoin exactly-k BDDs from the last hint to the first, in our order."""
    from oxidd.bdd import BDDManager

    instance = Instance.from_board(board)
    order = cell_order(instance)
    manager = BDDManager(1 << 24, 1 << 20, 1)
    manager.add_vars(len(order))
    variables = [manager.var(level) for level in range(len(order))]
    family = manager.true()
    for span in schedule(instance, order):
        family &= exactly_table(
            span.levels,
            span.levels,
            span.allowed,
            lambda level, low, high: variables[level].ite(high, low),
            manager.true(),
            manager.false(),
        )
    return Found(int(family.sat_count(len(order))), family.node_count)


def oxidd_zbdd_count(board: Board) -> Found:
    """Intersect exactly-k ZBDDs over all cells from the last hint to the first, in our order."""
    from oxidd.zbdd import ZBDDManager

    instance = Instance.from_board(board)
    order = cell_order(instance)
    manager = ZBDDManager(1 << 24, 1 << 20, 1)
    manager.add_vars(len(order))
    items = [manager.singleton(level) for level in range(len(order))]
    none, nothing = manager.empty(), manager.base()

    def node(level: int, low: Any, high: Any) -> Any:
        return low if high == none else items[level].make_node(high, low)

    family = exactly_table(range(len(order)), set(), {0}, node, nothing, none)
    for span in schedule(instance, order):
        family &= exactly_table(range(len(order)), set(span.levels), span.allowed, node, nothing, none)
    return Found(int(family.sat_count(len(order))), family.node_count)


def pyzdd_count(board: Board) -> Found:
    """Restrict the ZDD of all sets by each hint from the last to the first, in our order."""
    import pyzdd

    instance = Instance.from_board(board)
    order = cell_order(instance)
    universe = pyzdd.Universe(len(order))
    for span in schedule(instance, order):
        universe.zddSubset(pyzdd.Choice(len(order), min(span.allowed), list(span.levels), False))
        universe.zddReduce()  # without it a board takes some ten times as long
    return Found(int(universe.cardinality()), lambda: int(universe.size()))


def cudd_conjunction(instance: Instance, order: IntArray) -> Found:
    """Conjoin exactly-k BDDs from the last hint to the first; `dd` counts in doubles, so the logarithm comes back."""
    from dd.cudd import BDD

    manager = BDD()
    manager.configure(reordering=False)
    names = [f"x{level}" for level in range(len(order))]
    manager.declare(*names)
    family = manager.true
    for span in schedule(instance, order):
        family &= bdd.exactly(manager, [names[level] for level in span.levels], span.allowed)
    return Found(math.log10(manager.count(family, nvars=len(order))), family.__len__)


def cudd_row_by_row(board: Board) -> Found:
    """As a first program would."""
    instance = Instance.from_board(board)
    return cudd_conjunction(instance, cell_order(instance, "row"))


def cudd_our_order(board: Board) -> Found:
    """In our order."""
    instance = Instance.from_board(board)
    return cudd_conjunction(instance, cell_order(instance))


def graphillion_search(board: Board) -> Found:
    """Degree-constrained subgraphs of the mine graph."""
    from graphillion import GraphSet

    instance = Instance.from_board(board)
    edges = [(f"c{cell}", f"h{hint}") for cell, hint in edge_order(instance, cell_order(instance)).tolist()]
    GraphSet.set_universe(edges, traversal="as-is")
    degree: dict[str, int] = {}
    for cell, _ in edges:
        degree[cell] = degree.get(cell, 0) + 1
    constraints: dict[str, Any] = {cell: range(0, d + 1, d) for cell, d in degree.items()}
    for h, (allowed, cells) in enumerate(zip(instance.allowed, instance.members, strict=True)):
        if cells:
            constraints[f"h{h}"] = allowed[0]
    return Found(int(GraphSet.graphs(degree_constraints=constraints).len()))


def graphillion_our_order(board: Board) -> Found:
    """Our order of edges."""
    return graphillion_search(board)


def graphillion_linear(board: Board) -> Found:
    """One isolated edge a cell, the hints as linear constraints, in our order of cells."""
    from graphillion import GraphSet

    instance = Instance.from_board(board)
    edge = [(f"a{i}", f"b{i}") for i in range(len(instance.cells))]
    GraphSet.set_universe([edge[i] for i in cell_order(instance).tolist()], traversal="as-is")
    constraints = [
        ([(*edge[i], 1) for i in cells], (allowed[0], allowed[0]))
        for cells, allowed in zip(instance.members, instance.allowed, strict=True)
        if cells
    ]
    return Found(int(GraphSet.graphs(linear_constraints=constraints).len()))


def analyse_probabilities(board: Board) -> Found:
    """Doubles, by our analysis with the total number of mines; the sum of their squares, which tells answers apart."""
    risk = analyse(board).risk
    return Found(float(sum(share**2 for share in risk.values())))


def toollib_probabilities(board: Board) -> Found:
    """Doubles, with the total number of mines; the sum of their squares."""
    import ms_toollib

    codes = {"#": 10, "F": 10, "*": 11, **{str(k): k for k in range(9)}}
    grid = [[codes[character] for character in row] for row in board.grid]
    found, _ = ms_toollib.cal_probability_onboard(grid, board.mines or 0)
    return Found(float(sum(share**2 for row in found for share in row)))


PEERS: dict[str, tuple[str, Callable[[Board], Found], str | None]] = {
    "ours: tree": (COUNT, tree_count, None),
    "ours: tree, unreduced": (COUNT, unreduced_count, None),
    "ours: dc": (COUNT, dc_count, None),
    "d4": (COUNT, d4_count, "d4"),
    "d4, sequential counters": (COUNT, d4_sequential, "d4"),
    "ganak": (COUNT, ganak_count, "ganak"),
    "tididi-cnf": (COUNT, tididi_cnf_count, "tididi-cnf"),
    "tididi, our order": (COUNT, tididi_count, "tididi"),
    "tididi, our tree": (COUNT, tididi_our_tree, "tididi"),
    "pysdd": (COUNT, pysdd_count, "pysdd"),
    "oxidd BDD, our order": (COUNT, oxidd_bdd_count, "oxidd"),
    "oxidd ZBDD, our order": (COUNT, oxidd_zbdd_count, "oxidd"),
    "pyzdd, our order": (COUNT, pyzdd_count, "pyzdd"),
    "graphillion, our order": (COUNT, graphillion_our_order, "graphillion"),
    "graphillion, linear": (COUNT, graphillion_linear, "graphillion"),
    "cudd, our order": (COUNT, cudd_our_order, "cudd"),
    "cudd, row by row": (COUNT, cudd_row_by_row, "cudd"),
    "ours: analyse": (PROBABILITIES, analyse_probabilities, None),
    "ms-toollib": (PROBABILITIES, toollib_probabilities, "ms-toollib"),
}


def run(job: Job) -> Result:
    """Measure one peer on one board in a process of its own, whose resident memory is watched."""
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        die_with(parent)
        os.close(reading)
        try:
            answer: Result = measured(job)
        except MemoryError:
            answer = {"status": "memory", "message": "out of memory"}
        except Exception as error:
            answer = {"status": "failed", "message": f"{type(error).__name__}: {error}"}
        os.write(writing, json.dumps(answer).encode())
        os._exit(0)
    os.close(writing)
    over = watched(child, int(job["resident"] * GIB))
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    if over:
        return {"status": "memory", "message": f"more than {job['resident']:g} GiB resident"}
    return json.loads(text) if text else {"status": "failed", "message": "the process ended without an answer"}


def watched(child: int, limit: int) -> bool:
    """Wait for a process; end it, and return True, if it and its children ever hold more than `limit` bytes."""
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if resident(child) > limit:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return True
        time.sleep(0.02)
    return False


def measured(job: Job) -> Result:
    """Run one peer until the median is known."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    board = Board.random(job["size"], job["size"], job["mines"] / 100, job["hints"] / 100, job["seed"])
    function = PEERS[job["peer"]][1]
    function(Board.random(8, 8, 0.2, 0.4, 0))  # package imported, kernels loaded
    load, before = os.getloadavg()[0], held("VmRSS")
    wall: list[float] = []
    cpu: list[float] = []
    answer: int | float = 0
    nodes, most = None, 0
    while not cpu or goes_on(cpu, job):
        started, busy = time.perf_counter(), processor()
        found = function(board)
        wall.append(time.perf_counter() - started)
        cpu.append(processor() - busy)
        answer = found.answer
        if len(wall) == 1:
            most = held("VmHWM")
            nodes = found.nodes() if found.nodes else None
        del found
    cold = len(wall) == 1
    return {
        "seconds": median(cpu if cold else cpu[1:]),
        "wall": median(wall if cold else wall[1:]),
        "first": cpu[0],
        "cold": cold,
        "runs": len(wall) - (not cold),
        "mib": max(0, most - before) / MIB,
        "nodes": nodes,
        "load": load,
        "answer": str(answer) if isinstance(answer, int) else None,
        "log10": math.log10(answer) if isinstance(answer, int) and answer else answer,
    }


def goes_on(cpu: list[float], job: Job) -> bool:
    """Whether another run begins after these: not after a long first one, and else until enough were warm."""
    if cpu[0] >= job["long"] > 0:
        return False
    return len(cpu) == 1 or (len(cpu) <= job["runs"] and sum(cpu) < job["long"])


def processor() -> float:
    """Seconds of processor time of this process, all its threads and its ended children."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def missing(peers: Sequence[str]) -> dict[str, str]:
    """Return the peers that are not installed, and the modules that they lack."""
    return {name: NEEDS[need] for name in peers if (need := PEERS[name][2]) and not installed(NEEDS[need])}


def jobs(options: Options) -> list[Job]:
    """The peers in turn on each board."""
    pairs = [numbers(setting, between="/", zero=True) for setting in options.settings.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        raise click.UsageError(f"{options.settings!r} is not a list of mines%/hints%, such as 20/30")
    if options.idle and os.getloadavg()[0] > BUSY * (os.cpu_count() or 1):
        raise click.UsageError(f"the machine is busy (load {os.getloadavg()[0]:.1f}); wait, or leave out --idle")
    how = {"runs": options.runs, "long": options.long, "resident": options.resident}
    absent = missing(options.peers)
    return [
        {"size": size, "mines": mines, "hints": hints, "seed": seed, "peer": name, **how}
        for size in options.sizes
        for mines, hints in pairs
        for seed in range(options.seeds)
        for name in options.peers
        if name not in absent
    ]


@experiment(
    option("--sizes", "30", "Rows and columns, with commas between.", numbers_of()),
    option("--settings", "30/50", "mines%/hints%, with commas."),
    option("--seeds", 5, "Boards a setting."),
    option("--peers", ";".join(PEERS), "Names, with ; between.", names_of(PEERS, between=";")),
    option("--runs", 5, "Runs a measurement."),
    option("--long", 5.0, "Seconds of processor time after which no further run of a measurement begins."),
    option("--resident", 4.0, "GiB of resident memory a peer may use."),
    option("--idle/--busy", False, "Refuse to start while the machine is busy; or go on and say so."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=60, memory=1024),
    minutes=15,
    quick="--sizes 12 --settings 10/10,30/30 --seeds 1 --runs 3 --timeout 20",
)
def main(results: Results, options: Options) -> Report:
    """Who is missing, a row a peer and setting, and a row a peer and board."""
    absent = missing(options.peers)
    if absent:
        yield "\n".join(f"skipped: {name} ({module} is not installed)" for name, module in absent.items())
    yield summary_table(results)
    yield notes(results)
    yield same_tree(results)
    yield boards_table(results)
    yield "\n".join(f"{name}: {version}" for name, version in versions().items())


def versions() -> dict[str, str]:
    """The peers' versions."""
    found = {}
    for need in NEEDS:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[need] = metadata.version(PACKAGES.get(need, need))
    return found


def notes(results: Results) -> str:
    """Say how to read the tables, and how busy the machine was."""
    loads = [r["load"] for r in done(results)]
    cores = os.cpu_count() or 1
    load = f"{min(loads):.1f} to {max(loads):.1f} on {cores} cores" if loads else "unknown"
    busy = "\nBUSY: other programs ran beside; compare processor times, not those of the clock." if loads else ""
    return (
        "CPU: processor time of a warm run, median over the boards of the median of its runs; stopped runs count as\n"
        "longer than all others.  ratio: to ours for the same job.  memory: largest peak beyond what the process held\n"
        "before.  nodes: in the package's own sense, median.  cold: a first run that took long counts, alone.\n"
        f"One core and thread for each process.  Load when a measurement began: {load}."
        f"{busy if loads and max(loads) > BUSY * cores + 1 else ''}"
    )


def same_tree(results: Results) -> str:
    """Say on how many boards tididi has the same number of nodes as we on the same tree."""
    pairs = [
        (ours["nodes"], r["nodes"])
        for r in done(results)
        if r["job"]["peer"] == "tididi, our tree"
        for ours in of(done(results), **r["job"] | {"peer": "ours: tree, unreduced"})
    ]
    if not pairs:
        return "Nodes on the same tree: not compared."
    equal = sum(ours == theirs for ours, theirs in pairs)
    return f"Nodes on the same tree, ours and tididi's minimised: equal on {equal} of {plural(len(pairs), 'board')}."


def installed(module: str) -> bool:
    """Tell whether a module can be imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


def settings_of(results: Results) -> list[dict[str, Any]]:
    """The sizes and settings, in order."""
    keys = ("size", "mines", "hints")
    found = dict.fromkeys(tuple(r["job"][key] for key in keys) for r in results)
    return [dict(zip(keys, values, strict=True)) for values in found]


def verdicts(results: Results) -> dict[int, str]:
    """For the peers' results on one board, by their places: whether they agree with ours."""
    found = {}
    for i, r in enumerate(results):
        kind = PEERS[r["job"]["peer"]][0]
        ours = [x for x in done(results) if PEERS[x["job"]["peer"]][0] == kind and x["job"]["peer"].startswith("ours")]
        if r["status"] != "done" or not ours:
            continue
        if r["answer"] is not None and ours[0]["answer"] is not None:
            found[i] = "equal" if r["answer"] == ours[0]["answer"] else "DIFFERS"
        else:
            close = math.isclose(r["log10"], ours[0]["log10"], rel_tol=1e-6)
            found[i] = "equal to 6 digits" if close else "DIFFERS"
    return found


def summary_table(results: Results) -> str:
    """Return a row a setting and peer: boards solved, medians, ratio to ours, memory, agreement."""
    rows = []
    for setting in settings_of(results):
        here = of(results, **setting)
        seeds = dict.fromkeys(r["job"]["seed"] for r in here)
        agreed = {id(r): said for seed in seeds for r, said in said_on(of(here, seed=seed))}
        ours: dict[str, float] = {}
        for peer in dict.fromkeys(r["job"]["peer"] for r in here):
            runs = of(here, peer=peer)
            ended = done(runs)
            kind = PEERS[peer][0]
            middle = median([*(r["seconds"] for r in ended), *[math.inf] * (len(runs) - len(ended))])
            if peer.startswith("ours"):
                ours.setdefault(kind, middle)
            row = [f"{setting['size']}x{setting['size']}", f"{setting['mines']}%", f"{setting['hints']}%", kind, peer]
            cold = sum(r["cold"] for r in ended)
            row += [f"{len(ended)} of {len(runs)}" + (f", {cold} cold" if cold else "")]
            if middle < math.inf:
                wall = median([*(r["wall"] for r in ended), *[math.inf] * (len(runs) - len(ended))])
                ratio = f"{middle / ours[kind]:.1f}" if kind in ours else ""
                row += [milliseconds(middle), milliseconds(wall), ratio]
            else:
                row += ["stopped", "", ""]
            row += [f"{max(r['mib'] for r in ended):.0f}" if ended else ""]
            sizes = [r["nodes"] for r in ended if r["nodes"] is not None]
            row += [f"{median(sizes):,.0f}" if sizes else ""]
            row += [", ".join(dict.fromkeys(agreed[id(r)] for r in ended if id(r) in agreed))]
            rows.append(row)
    headers = ["board", "mines", "hints", "job", "who", "solved", "CPU [ms]", "clock [ms]", "ratio", "memory [MiB]"]
    return table(rows, [*headers, "nodes", "answer"])


def said_on(results: Results) -> list[tuple[Result, str]]:
    """The results on one board that were compared, and what came out."""
    return [(results[i], said) for i, said in verdicts(results).items()]


def boards_table(results: Results) -> str:
    """Return a row a board and peer, or why it was stopped."""
    rows = []
    for r in results:
        job = r["job"]
        row = [f"{job['size']}x{job['size']}", f"{job['mines']}%", f"{job['hints']}%", job["seed"], job["peer"]]
        if r["status"] == "done":
            row += [
                f"{r['runs']}{', cold' if r['cold'] else ''}",
                milliseconds(r["seconds"]),
                milliseconds(r["wall"]),
                milliseconds(r["first"]),
            ]
            row += [f"{r['mib']:.0f}", "" if r["nodes"] is None else f"{r['nodes']:,}", f"{r['load']:.1f}"]
        else:
            row += ["", f"{r['status']}: {r['message'][:60]}", "", "", "", "", ""]
        rows.append(row)
    headers = ["board", "mines", "hints", "seed", "who", "runs", "CPU [ms]", "clock [ms]", "first CPU [ms]"]
    return table(rows, [*headers, "memory [MiB]", "nodes", "load"])


if __name__ == "__main__":
    main.start()
