"""The ways to solve a board, and what each of them gives for many small boards and graphs: solved once, asked often."""

from __future__ import annotations

import random
from functools import cache, partial
from itertools import combinations
from typing import Any, NamedTuple

import naive
import networkx as nx
import pytest

from mines_dd import Assignments, Board, solve, subgraphs
from mines_dd.constraints.graph import Instance

# A new method or backend is one line here: every test of the contract then asks it too.
WAYS = [
    {"method": "bdd", "backend": "dd.autoref"},
    {"method": "bdd", "backend": "auto"},
    {"method": "zdd", "backend": "oxidd"},
    {"method": "zdd", "backend": "auto"},
    {"method": "zdd-span", "backend": "oxidd"},
    {"method": "zdd-span", "backend": "auto"},
    {"method": "dc"},
    {"method": "tree"},
]
METHODS = tuple(dict.fromkeys(how["method"] for how in WAYS))
SIMPLIFY = {"raw": False, "simplified": True}


def name_of(how: dict[str, str]) -> str:
    return "-".join(how.values())


every_way = pytest.mark.parametrize("how", WAYS, ids=name_of)
every_method = pytest.mark.parametrize("method", METHODS)
every_simplify = pytest.mark.parametrize("simplify", SIMPLIFY.values(), ids=SIMPLIFY)


class Solved(NamedTuple):
    """A family by one of the ways, with all its sets by brute force."""

    name: str
    seed: int
    family: Assignments
    cells: tuple
    expected: set[frozenset]


@cache
def problems() -> list[tuple[str, int, Board | nx.Graph, Instance, set[frozenset]]]:
    """Boards, and graphs of any shape whose hints may allow several counts, with their assignments by brute force."""
    boards = [(f"random_board({seed})", seed, naive.random_board(seed)) for seed in range(20)]
    found: list[Any] = [(*board, Instance.from_board(board[2])) for board in boards]
    graphs = [(f"random_instance({seed})", seed, naive.random_instance(seed)) for seed in range(28)]
    found += [(name, seed, instance.to_graph(), instance) for name, seed, instance in graphs]
    return [(*problem, naive.assignments(problem[3])) for problem in found]


@cache
def solved(way: int, simplify: bool) -> list[Solved]:
    """All problems, solved by one of the ways."""
    return [
        Solved(name, seed, solve(source, **WAYS[way], simplify=simplify), tuple(instance.cells), expected)
        for name, seed, source, instance, expected in problems()
    ]


@cache
def solved_subgraphs() -> list[Solved]:
    """Families of subgraphs of small random graphs, in three orders of edges each."""
    found = []
    for n, seed in [(5, 1), (6, 2), (7, 3)]:
        graph = nx.gnp_random_graph(n, 0.5, seed=seed)
        rng = random.Random(seed)
        for vertex in graph:
            graph.nodes[vertex]["dc"] = set(rng.sample(range(4), 2))
        edges = list(graph.edges)
        expected = {
            frozenset(chosen)
            for size in range(len(edges) + 1)
            for chosen in combinations(edges, size)
            if all(sum(v in e for e in chosen) in graph.nodes[v]["dc"] for v in graph)
        }
        for order in ("auto", "row", edges[::-1]):
            name = (
                f"gnp_random_graph({n}, 0.5, {seed}) by {order if isinstance(order, str) else 'its edges in reverse'}"
            )
            found.append(Solved(name, seed, subgraphs(graph, order), tuple(edges), expected))
    return found


_families = {
    f"{name_of(how)}-{name}": partial(solved, way, simplify)
    for way, how in enumerate(WAYS)
    for name, simplify in SIMPLIFY.items()
} | {"subgraphs": solved_subgraphs}

every_family = pytest.mark.parametrize("solved", _families.values(), ids=_families)
