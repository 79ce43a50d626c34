"""Diagrams and circuits of families that are known as lists of sets: made once, asked often."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from itertools import chain, combinations, product
from typing import NamedTuple

import numpy as np
import pytest

from mines_dd.diagrams.circuit import TRUE, Circuit
from mines_dd.diagrams.diagram import Diagram


class Known(NamedTuple):
    """A circuit and the family it stands for."""

    name: str
    circuit: Circuit
    sets: set[frozenset]


def reduced(kind: str, items: int, family: frozenset) -> Diagram:
    """The reduced diagram of a family of subsets of range(items), by dividing it item by item."""
    nodes: dict = {}
    level, low, high = [items, items], [0, 1], [0, 1]

    def node(i: int, sets: frozenset) -> int:
        if not sets:
            return 0
        if i == items:
            return 1
        without = node(i + 1, frozenset(s for s in sets if i not in s))
        with_it = node(i + 1, frozenset(s - {i} for s in sets if i in s))
        if (without == with_it) if kind == "bdd" else with_it == 0:
            return without
        key = (i, without, with_it)
        if key not in nodes:
            nodes[key] = len(level)
            level.append(i)
            low.append(without)
            high.append(with_it)
        return nodes[key]

    root = node(0, family)
    return Diagram(kind, range(items), *(np.array(a, np.int32) for a in (level, low, high)), root)


def random_family(seed: int) -> tuple[int, frozenset]:
    """A number of items, and some of their subsets."""
    rng = random.Random(seed)
    items = rng.randint(0, 6)
    subsets = [frozenset(s) for k in range(items + 1) for s in combinations(range(items), k)]
    shape = rng.random()
    if shape < 0.5:
        return items, frozenset(rng.sample(subsets, rng.randint(0, len(subsets))))
    # few variables matter: a BDD then skips many levels
    matter = set(rng.sample(range(items), min(items, rng.randint(0, 2))))
    kept = {frozenset(s & matter): rng.random() < 0.5 for s in subsets}
    return items, frozenset(s for s in subsets if kept[frozenset(s & matter)])


@cache
def of_diagrams(kind: str) -> list[Known]:
    """Circuits of random diagrams, whose levels decide the cells in random orders."""
    found = []
    for seed in range(60):
        items, family = random_family(seed)
        labels = "abcdef"[:items]
        order = random.Random(seed).sample(range(items), items)  # level i decides cell order[i]
        moved = frozenset(frozenset(order.index(i) for i in s) for s in family)
        circuit = reduced(kind, items, moved).to_circuit(labels, order)
        found.append(Known(f"random_family({seed})", circuit, {frozenset(labels[i] for i in s) for s in family}))
    return found


def of_groups(sizes: list[int], terms: list[list[int]]) -> Known:
    """One node, a term for each row: how many mines each group takes; and the family it stands for."""
    bounds = np.cumsum([0, *sizes])
    leaves = [(g, t) for g, size in enumerate(sizes) for t in range(1, size + 1)]
    nodes: list[list[tuple[int, int, int]]] = []  # after FALSE and TRUE; a term each, but for the last
    last = []
    for row in terms:
        below = TRUE
        for leaf, (g, t) in enumerate(leaves, start=1):
            if row[g] == t:
                nodes.append([(below, TRUE, leaf)])
                below = len(nodes) + 1
        last.append((below, TRUE, 0))
    nodes.append(last)
    left, right, leaf = np.array([term for node in nodes for term in node], np.int32).T
    circuit = Circuit(
        "abcdefghij"[: bounds[-1]],
        bounds.astype(np.int32),
        np.arange(bounds[-1], dtype=np.int32),
        np.array([-1, *(g for g, _ in leaves)], np.int32),
        np.array([0, *(t for _, t in leaves)], np.int32),
        np.cumsum([0, 0, 0, *map(len, nodes)]),
        left,
        right,
        leaf,
        len(nodes) + 1,
    )
    labels = [circuit.cells[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]
    family = {
        frozenset(chain.from_iterable(chosen))
        for row in terms
        for chosen in product(*(combinations(group, t) for group, t in zip(labels, row, strict=True)))
    }
    return Known(f"of_groups({sizes}, {terms})", circuit, family)


@cache
def by_hand() -> list[Known]:
    """Groups of several cells that take their mines in every way, certain mines, and no set at all."""
    groups = [
        of_groups([5], [[2]]),
        of_groups([6], [[3], [1], [6]]),
        of_groups([4, 3], [[2, 1], [1, 2], [3, 0]]),
        of_groups([1, 5, 2], [[1, 2, 0], [0, 3, 2], [0, 0, 1]]),
    ]
    _, circuit, sets = of_groups([2, 2], [[1, 0], [0, 2]])
    certain = replace(circuit, cells="abcdef").with_mines([5, 4])
    return [
        *groups,
        Known("with_mines", certain, {s | {"e", "f"} for s in sets}),
        Known("Circuit.empty", Circuit.empty("ab"), set()),
    ]


every_family = pytest.mark.parametrize(
    "families",
    [lambda: of_diagrams("bdd"), lambda: of_diagrams("zdd"), by_hand],
    ids=["bdd", "zdd", "by hand"],
)
