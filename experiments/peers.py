"""The same job, by us and by others: represent all assignments of a board and count them; or all probabilities.

Peers come from the package index (extra `peers`); one that is missing is skipped by name.  Every measurement runs in a
process of its own, peers in turn on each board, and takes the median of several runs after a first one.

\b
- d4 (`d4solver`) compiles clauses to d-DNNF; Ganak (`pyganak`) counts the
  models of clauses.
- Graphillion searches degree-constrained subgraphs in its own order of edges
  and in ours, and one isolated edge a cell under linear constraints, its
  better way to do this job.
- CUDD (`dd.cudd`) conjoins exactly-k BDDs row by row, as a first program would.
- ms-toollib computes probabilities for players, with the total number of mines.
"""  # noqa: D301 (click reads the character \b as "leave these lines alone")

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

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
from experiments.shared import done, milliseconds, of, table
from mines_dd import Board, solve
from mines_dd.constraints.cnf_opb import clauses
from mines_dd.constraints.graph import Instance
from mines_dd.orders.cells import cell_order
from mines_dd.orders.edges import edge_order

COUNT, PROBABILITIES = "count", "probabilities"
NEEDS = {"d4": "py_d4", "ganak": "pyganak", "graphillion": "graphillion", "cudd": "dd.cudd", "ms-toollib": "ms_toollib"}


def tree_count(board: Board) -> int:
    """Our own: hint elimination."""
    return solve(board, "tree").count()


def dc_count(board: Board) -> int:
    """Our frontier-based search on the reduced board."""
    return solve(board, "dc").count()


def d4_count(board: Board) -> int:
    """Compile to d-DNNF and count."""
    import py_d4

    instance = Instance.from_board(board)
    compiled = py_d4.Solver(clauses(instance), len(instance.cells)).compile()
    return int(compiled.count([]))


def ganak_count(board: Board) -> int:
    """Count models; nothing is kept."""
    import pyganak

    instance = Instance.from_board(board)
    counter = pyganak.Counter()
    for clause in clauses(instance):
        counter.add_clause(clause)
    mentioned = {abs(x) for clause in clauses(instance) for x in clause}
    return int(counter.count()) << (len(instance.cells) - len(mentioned))


def cudd_count(board: Board) -> int:
    """Conjoin exactly-k BDDs row by row."""
    return solve(board, "bdd", "row", simplify=False, backend="dd.cudd").count()


def graphillion_search(board: Board, ours: bool) -> int:
    """Degree-constrained subgraphs of the mine graph."""
    from graphillion import GraphSet

    instance = Instance.from_board(board)
    edges = [(f"c{cell}", f"h{hint}") for cell, hint in edge_order(instance, cell_order(instance)).tolist()]
    GraphSet.set_universe(edges, traversal="as-is" if ours else "bfs")
    degree: dict[str, int] = {}
    for cell, _ in edges:
        degree[cell] = degree.get(cell, 0) + 1
    constraints: dict[str, Any] = {cell: range(0, d + 1, d) for cell, d in degree.items()}
    for h, (allowed, cells) in enumerate(zip(instance.allowed, instance.members, strict=True)):
        if cells:
            constraints[f"h{h}"] = allowed[0]
    return int(GraphSet.graphs(degree_constraints=constraints).len())


def graphillion_own_order(board: Board) -> int:
    """Its own order of edges."""
    return graphillion_search(board, ours=False)


def graphillion_our_order(board: Board) -> int:
    """Our order of edges."""
    return graphillion_search(board, ours=True)


def graphillion_linear(board: Board) -> int:
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
    return int(GraphSet.graphs(linear_constraints=constraints).len())


def tree_probabilities(board: Board) -> str:
    """All exact probabilities by our own."""
    return digest(solve(board, "tree").probabilities())


def toollib_probabilities(board: Board) -> str:
    """Doubles, with the total number of mines (its question has one); not comparable digit by digit."""
    import ms_toollib

    codes = {"#": 10, "F": 10, "*": 11, **{str(k): k for k in range(9)}}
    grid = [[codes[character] for character in row] for row in board.grid]
    found, _ = ms_toollib.cal_probability_onboard(grid, board.mines or 0)
    return f"sum {sum(map(sum, found)):.1f}"


def digest(share: dict[Any, Any]) -> str:
    """The expected number of mines: enough to notice a difference."""
    return f"{float(sum(share.values())):.9f}"


PEERS: dict[str, tuple[str, Callable[[Board], Any], str | None]] = {
    "ours: tree": (COUNT, tree_count, None),
    "ours: dc": (COUNT, dc_count, None),
    "d4": (COUNT, d4_count, "d4"),
    "ganak": (COUNT, ganak_count, "ganak"),
    "graphillion, its order": (COUNT, graphillion_own_order, "graphillion"),
    "graphillion, our order": (COUNT, graphillion_our_order, "graphillion"),
    "graphillion, linear": (COUNT, graphillion_linear, "graphillion"),
    "cudd, row by row": (COUNT, cudd_count, "cudd"),
    "ours: tree, probabilities": (PROBABILITIES, tree_probabilities, None),
    "ms-toollib, probabilities": (PROBABILITIES, toollib_probabilities, "ms-toollib"),
}


def run(job: Job) -> Result:
    """Measure one peer on one board."""
    board = Board.random(job["size"], job["size"], job["mines"] / 100, job["hints"] / 100, job["seed"])
    function = PEERS[job["peer"]][1]
    if job["peer"].startswith("ours"):
        function(Board.random(30, 30, 0.1, 0.1, 0))  # kernels compiled
    times: list[float] = []
    answer = None
    while len(times) < job["runs"] and sum(times) < 10:
        started = time.perf_counter()
        answer = function(board)
        times.append(time.perf_counter() - started)
    return {"seconds": median(times[1:] or times), "runs": len(times), "answer": str(answer)}


def missing(peers: Sequence[str]) -> dict[str, str]:
    """Return the peers that are not installed, and the modules that they lack."""
    return {name: NEEDS[need] for name in peers if (need := PEERS[name][2]) and not installed(NEEDS[need])}


def jobs(options: Options) -> list[Job]:
    """The peers in turn on each board."""
    pairs = [numbers(setting, between="/", zero=True) for setting in options.settings.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        raise click.UsageError(f"{options.settings!r} is not a list of mines%/hints%, such as 20/30")
    how = {"runs": options.runs, "timeout": options.timeout}
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
    option("--settings", "10/10,20/30,30/30,30/50", "mines%/hints%, with commas."),
    option("--seeds", 1, "Boards a setting."),
    option("--peers", ";".join(PEERS), "Names, with ; between.", names_of(PEERS, between=";")),
    option("--runs", 5, "Runs a measurement."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=60, memory=12),
    minutes=3,
    quick="--sizes 12 --settings 10/10,30/30 --runs 3 --timeout 20",
)
def main(results: Results, options: Options) -> Report:
    """Who is missing, and a row a peer and board."""
    absent = missing(options.peers)
    if absent:
        yield "\n".join(f"skipped: {name} ({module} is not installed)" for name, module in absent.items())
    yield peers_table(results)


def installed(module: str) -> bool:
    """Tell whether a module can be imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


def peers_table(results: Results) -> str:
    """Return seconds and ratios to ours for the same job; counts that differ are pointed out."""
    rows = []
    boards = dict.fromkeys(tuple(r["job"][k] for k in ("size", "mines", "hints", "seed")) for r in results)
    for size, mines, hints, seed in boards:
        here = of(results, size=size, mines=mines, hints=hints, seed=seed)
        for job in (COUNT, PROBABILITIES):
            same = [r for r in here if PEERS[r["job"]["peer"]][0] == job]
            exact = [r for r in done(same) if "toollib" not in r["job"]["peer"]]
            ours = next((r["seconds"] for r in exact if r["job"]["peer"].startswith("ours: tree")), None)
            verdict = "equal" if len({r["answer"] for r in exact}) == 1 else "DIFFERS"
            for r in same:
                row = [f"{size}x{size}", f"{mines}%", f"{hints}%", seed, r["job"]["peer"]]
                if r["status"] == "done":
                    row += [milliseconds(r["seconds"]), f"{r['seconds'] / ours:.1f}" if ours else ""]
                    row += [verdict if r in exact else ""]
                else:
                    row += [f"{r['status']}: {r['message'][:48]}", "", ""]
                rows.append(row)
    return table(rows, ["board", "mines", "hints", "seed", "who", "median [ms]", "ratio to ours", "answer"])


if __name__ == "__main__":
    main.start()
