"""Frontier-based search on grids and networks: our specs beside Graphillion, pyzdd and TdZdd, the edges in one order.

Every run has a process of its own, which counts the solutions after a smaller problem of the same kind, so that nothing
is loaded or compiled meanwhile: ours by a diagram (`build`), or without one (`count`).  Graphillion and pyzdd come from
the package index; without them their columns are missing.  pyzdd is TdZdd for Python with fixed questions, of which it
has perfect matchings alone: one restriction a vertex.  TdZdd is C++: `--tdzdd` names the folder of its headers, and
`--compiler` a compiler.  Seconds are the processor's, for search and reduction, without counting (`count` counts);
memory is what the process's largest size grew by.  "x" is how many times as much as `build`.  With `--rounds` the
programs run in turns, and medians count.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

import click
import networkx as nx
import numpy as np

from experiments import tdzdd
from experiments.clocks import timed
from experiments.harness import (
    Job,
    Limits,
    Options,
    Report,
    Result,
    Results,
    experiment,
    names_of,
    option,
    picture,
    without_failed,
)
from experiments.memory import MIB, grown
from experiments.shared import (
    BLUE,
    GREEN,
    PURPLE,
    SKY,
    VERMILION,
    crossed,
    curve,
    done,
    finish,
    groups,
    number,
    of,
    same_counts,
    seconds,
    table,
    verdict,
)
from mines_dd.base.budget import Budget
from mines_dd.base.jit import compile_seconds
from mines_dd.diagrams.diagram import Diagram
from mines_dd.frontier import (
    Cycles,
    DegreeConstrained,
    Forests,
    HamiltonianCycles,
    Matchings,
    Paths,
    SpanningTrees,
    Spec,
    TopDownDiagram,
    build,
    count,
)
from mines_dd.orders.edges import frontier_widths, graph_edge_order

PROGRAMS = OURS, COUNT, GRAPHILLION, PYZDD, TDZDD = "build", "count", "Graphillion", "pyzdd", "TdZdd"

NETWORKS: dict[str, Callable[[], nx.Graph]] = {
    "Petersen": nx.petersen_graph,
    "Heawood": nx.heawood_graph,
    "icosahedron": nx.icosahedral_graph,
    "Pappus": nx.pappus_graph,
    "Desargues": nx.desargues_graph,
    "dodecahedron": nx.dodecahedral_graph,
    "Florentine families": nx.florentine_families_graph,
    "Krackhardt's kite": nx.krackhardt_kite_graph,
    "Tutte": nx.tutte_graph,
    "a power grid": lambda: nx.connected_watts_strogatz_graph(60, 4, 0.08, seed=4),
    "a road network": lambda: nx.convert_node_labels_to_integers(_roads(9, 9)),
    "karate club": nx.karate_club_graph,
    "Davis' women": nx.davis_southern_women_graph,
    "Les Misérables": nx.les_miserables_graph,
}

PROBLEMS: dict[str, Callable[[nx.Graph, list[Any]], Spec]] = {
    "paths": lambda graph, order: Paths(graph, *_far_ends(graph), order),
    "cycles": Cycles,
    "Hamiltonian": HamiltonianCycles,
    "forests": Forests,
    "trees": SpanningTrees,
    "matchings": lambda graph, order: Matchings(graph, perfect=True, order=order),
    "even": DegreeConstrained,
}

# Of grids of n x n vertices.
PUBLISHED: dict[str, tuple[str, dict[int, int]]] = {
    "paths": (
        "A007764",
        {
            6: 1262816,
            8: 789360053252,
            10: 41044208702632496804,
            12: 182413291514248049241470885236,
            14: 69450664761521361664274701548907358996488,
            16: 2266745568862672746374567396713098934866324885408319028,
        },
    ),
    "Hamiltonian": (
        "A003763",
        {
            4: 6,
            6: 1072,
            8: 4638576,
            10: 467260456608,
            12: 1076226888605605706,
            14: 56126499620491437281263608,
            16: 65882516522625836326159786165530572,
        },
    ),
    "matchings": ("A004003", {6: 6728, 8: 12988816, 10: 258584046368, 12: 53060477521960000}),
}


def _roads(rows: int, columns: int) -> nx.Graph:
    """A grid with some of its streets closed, but connected."""
    graph = nx.grid_2d_graph(rows, columns)
    for i, edge in enumerate(sorted(graph.edges)):
        if i % 4 == 0:
            graph.remove_edge(*edge)
            if not nx.is_connected(graph):
                graph.add_edge(*edge)
    return graph


def _far_ends(graph: nx.Graph) -> tuple[Any, Any]:
    """The first vertex and the one farthest from it."""
    first = next(iter(graph))
    return first, list(nx.bfs_tree(graph, first))[-1]


def graph_of(name: str) -> nx.Graph:
    """Return a grid "n x n", its vertices numbered row by row, or a network."""
    if name in NETWORKS:
        graph = nx.Graph(NETWORKS[name]().edges)
    else:
        graph = nx.grid_2d_graph(*map(int, name.split(" x ")))
    graph = nx.convert_node_labels_to_integers(graph)
    nx.set_node_attributes(graph, {0, 2}, "dc")
    return graph


def jobs(options: Options) -> list[Job]:
    """Return every program on every problem and graph."""
    graphs = [*(f"{n} x {n}" for n in range(6, options.grid + 1, 2)), *options.networks]
    package = {GRAPHILLION: "graphillion", PYZDD: "pyzdd"}
    there = {program: bool(importlib.util.find_spec(name)) for program, name in package.items()}
    there[TDZDD] = bool(options.tdzdd)
    programs = [program for program in options.programs if there.get(program, True)]
    fixed = {"tdzdd": str(options.tdzdd or ""), "compiler": options.compiler, "timeout": options.timeout}
    every = crossed(graph=graphs, problem=options.problems, round=range(options.rounds), program=programs)
    return [fixed | job for job in every if job["program"] != PYZDD or job["problem"] == "matchings"]


def run(job: Job) -> Result:
    """Run one program on one problem."""
    graph = graph_of(job["graph"])
    order = graph_edge_order(graph, "listed" if " x " in job["graph"] else "auto")
    facts = {"edges": len(order), "width": max(frontier_widths(order))}
    if job["program"] == TDZDD:
        return {**facts, **_tdzdd(job, graph, order)}
    measure = {OURS: _built, COUNT: _counted, GRAPHILLION: _graphillion, PYZDD: _pyzdd}[job["program"]]
    return {**facts, **measure(job, graph, order)}


def _timed(
    work: Callable[[], Any], number: Callable[[Any], int] = int, states: Callable[[Any], int] = lambda made: 0
) -> Result:
    """The processor time, and what the process grew by; then, untimed, the number of solutions and of states.

    Work that had to load kernels, as states of several words do after those of one, is done again.
    """
    before = compile_seconds()
    (made, used), most = grown(lambda: timed(work))
    if compile_seconds() > before:
        del made
        (made, used), most = grown(lambda: timed(work))
    return {"seconds": used, "mebibytes": most / MIB, "count": str(number(made)), "states": states(made)}


def _built(job: Job, graph: nx.Graph, order: list[Any]) -> Result:
    spec = PROBLEMS[job["problem"]](graph, order)
    _warm(job["problem"], build)

    def work() -> tuple[TopDownDiagram, Diagram]:
        diagram = build(spec, Budget(timeout=job["timeout"]))
        return diagram, diagram.reduced()

    return _timed(work, lambda made: made[0].to_assignments().count(), lambda made: made[0].node_count)


def _counted(job: Job, graph: nx.Graph, order: list[Any]) -> Result:
    spec = PROBLEMS[job["problem"]](graph, order)
    _warm(job["problem"], count)
    return _timed(lambda: count(spec, Budget(timeout=job["timeout"])))


def _warm(problem: str, function: Callable[..., Any]) -> None:
    """Load the kernels."""
    grid = graph_of("8 x 8")
    found = function(PROBLEMS[problem](grid, list(grid.edges)))
    if function is build:
        found.to_assignments().count()


def _graphillion(job: Job, graph: nx.Graph, order: list[Any]) -> Result:
    os.environ["OMP_NUM_THREADS"] = "1"  # as all others; read when the package is loaded
    from graphillion import GraphSet

    def work(graph: nx.Graph, order: list[Any]) -> Callable[[], Any]:
        GraphSet.set_universe(order, traversal="as-is")
        source, target = _far_ends(graph)
        family: dict[str, Callable[[], Any]] = {
            "paths": lambda: GraphSet.paths(source, target),
            "cycles": GraphSet.cycles,
            "Hamiltonian": lambda: GraphSet.cycles(is_hamilton=True),
            "forests": lambda: GraphSet.forests(roots=[]),
            "trees": lambda: GraphSet.trees(is_spanning=True),
            "matchings": GraphSet.perfect_matchings,
            "even": lambda: GraphSet.graphs(degree_constraints=dict.fromkeys(graph, range(0, 3, 2))),
        }
        return family[job["problem"]]

    grid = graph_of("3 x 3")
    work(grid, list(grid.edges))()
    return _timed(work(graph, order), lambda family: int(family.len()))


def _pyzdd(job: Job, graph: nx.Graph, order: list[Any]) -> Result:
    import pyzdd

    def work(graph: nx.Graph, order: list[Any]) -> Any:
        last = {x: i for i, edge in enumerate(order) for x in edge}
        universe = pyzdd.Universe(len(order))
        for x in sorted(graph, key=lambda x: -last[x]):
            edges = [i for i, edge in enumerate(order) if x in edge]
            universe.zddSubset(pyzdd.Choice(len(order), 1, edges, False))
            universe.zddReduce()
        return universe

    grid = graph_of("3 x 3")
    work(grid, list(grid.edges))
    return _timed(lambda: work(graph, order), lambda universe: int(universe.cardinality()))


def _tdzdd(job: Job, graph: nx.Graph, order: list[Any]) -> Result:
    used, states, most, count = tdzdd.run(job["compiler"], job["tdzdd"], job["problem"], _far_ends(graph), order)
    return {"seconds": used, "mebibytes": most, "count": count, "states": states}


# The report


def kirchhoff(graph: nx.Graph) -> int:
    """Return the number of spanning trees: a minor of the Laplacian, by Bareiss's elimination without fractions."""
    adjacent = nx.to_numpy_array(graph, dtype=np.int64)
    rows = (np.diag(adjacent.sum(0)) - adjacent)[1:, 1:].tolist()
    before = 1
    for k in range(len(rows) - 1):  # minors of a connected graph's Laplacian are positive: no row is exchanged
        for i in range(k + 1, len(rows)):
            for j in range(k + 1, len(rows)):
                rows[i][j] = (rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]) // before
        before = rows[k][k]
    return int(rows[-1][-1])


def known(problem: str, name: str) -> int | None:
    """Return a count that does not come from us, if there is one."""
    if problem == "trees":
        return kirchhoff(graph_of(name))
    size = 0 if name in NETWORKS else int(name.split(" x ")[0])
    return PUBLISHED.get(problem, ("", {}))[1].get(size)


def middle(results: Sequence[Result]) -> list[Result]:
    """Return one result for each program on each problem: the medians of its rounds, or one that was stopped.

    Examples
    --------
    >>> job = {"graph": "6 x 6", "problem": "paths", "program": "build", "round": 0}
    >>> runs = [{"job": job, "status": "done", "seconds": x, "mebibytes": x, "count": "5"} for x in (1, 2, 9)]
    >>> middle(runs)[0]["seconds"]
    2
    """
    found = []
    for (graph, problem, program), runs in groups(results, "graph", "problem", "program").items():
        same_counts((f"{problem} on {graph}", f"{program}, round {r['job']['round']}", r["count"]) for r in done(runs))
        stopped = [r for r in runs if r["status"] != "done"]
        medians = {name: median(r[name] for r in done(runs)) for name in ("seconds", "mebibytes") if not stopped}
        found.append({**(stopped or runs)[0], **medians})
    return found


def rows_of(results: Sequence[Result], programs: Sequence[str]) -> Iterator[list[Any]]:
    """Yield a row for each problem and graph: seconds and MiB of each program, ratios, and whether the counts agree."""
    for (graph, problem), here in groups(results, "graph", "problem").items():
        found = {r["job"]["program"]: r for r in here}
        counts = {int(r["count"]) for r in done(found.values())}
        given = known(problem, graph)
        agreement = verdict(len(counts | ({given} if given is not None else set())) == 1) if counts else ""
        ours = found.get(OURS, {})
        row = [problem, graph, ours.get("edges"), ours.get("width"), number(ours.get("states"))]
        for program in programs:
            row += _measured(found.get(program, {}), None if program == OURS else ours)
        yield [*row, "" if given is None else f"{given:.4g}", f"{min(counts):.4g}" if counts else "", agreement]


def _measured(result: Result, ours: Result | None) -> list[str]:
    """The cells of a program; the ratio to ours where both numbers say something: 1 ms and 1 MiB at least."""
    if result and result["status"] != "done":
        cells = [f">{result['job']['timeout']:g}" if result["status"] in ("timeout", "budget") else "memory", ""]
    else:
        cells = [seconds(result["seconds"]), f"{result['mebibytes']:.0f}"] if result else ["", ""]
    if ours is None:
        return cells
    ratios = []
    for name, least in (("seconds", 1e-3), ("mebibytes", 1.0)):
        pair = [r.get(name, 0.0) for r in (result, ours)]
        ratios.append(f"{pair[0] / pair[1]:.2g}" if min(pair) >= least else "")
    return [cells[0], ratios[0], cells[1], ratios[1]]


def plot(figure: Any, results: Sequence[Result], programs: Sequence[str]) -> None:
    """Draw seconds against our states, a mark a run."""
    axes = figure.subplots()
    for program, mark, colour in zip(programs, "o^sDx", (BLUE, SKY, GREEN, VERMILION, PURPLE), strict=False):
        points = []
        for ours in of(results, program=OURS):
            same = of(results, program=program, graph=ours["job"]["graph"], problem=ours["job"]["problem"])
            points += [(ours["states"], max(r["seconds"], 1e-5)) for r in same]
        curve(axes, points, mark, color=colour, label=program, alpha=0.7)
    finish(axes, "xy", xlabel="states of our search", ylabel="seconds")


@experiment(
    option("--grid", 10, "Largest grid, in vertices a side; 6, 8, ... up to it.", click.IntRange(6)),
    option("--networks", ",".join(NETWORKS), "Which networks.", names_of(list(NETWORKS))),
    option("--problems", ",".join(PROBLEMS), "Which problems.", names_of(list(PROBLEMS))),
    option("--programs", ",".join(PROGRAMS), "Which; those that are not there are left out.", names_of(PROGRAMS)),
    option("--rounds", 1, "How often each program runs, in turns; the medians count."),
    option("--tdzdd", None, "The folder of TdZdd's headers.", click.Path(exists=True, file_okay=False)),
    option("--compiler", "g++", "A C++ compiler, for TdZdd."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=60, memory=8, times=3, more=60),
    minutes=20,
    quick="--grid 6 --networks Petersen --problems paths,matchings",
)
def main(results: Results, options: Options) -> Report:
    """Seconds, memory and counts of every program."""
    good, failed = without_failed(results)
    good = middle(good)
    programs = list(dict.fromkeys(r["job"]["program"] for r in good))
    headers = ["problem", "graph", "edges", "width", "states"]
    for program in programs:
        headers += [f"{program}, s", "MiB"] if program == OURS else [f"{program}, s", "x", "MiB", "x"]
    yield table(list(rows_of(good, programs)), [*headers, "published", "count", "agreement"], "llr") + failed
    yield picture("frontier.png", (8, 5), lambda figure: plot(figure, done(good), programs))


if __name__ == "__main__":
    main.start()
