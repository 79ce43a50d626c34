"""Diagrams read as families of sets, and every query on them, against lists of sets."""

import random
from dataclasses import replace
from itertools import chain, combinations, product

import naive
import numpy as np
import pytest

from mines_dd.diagrams import queries
from mines_dd.diagrams.circuit import FALSE, TRUE, Circuit
from mines_dd.diagrams.diagram import Diagram


def build(kind: str, items: int, family: frozenset) -> Diagram:
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


@pytest.mark.parametrize("kind", ["bdd", "zdd"])
@pytest.mark.parametrize("seed", range(60))
def test_a_diagram_describes_its_family(kind, seed):
    items, family = random_family(seed)
    labels = "abcdef"[:items]
    order = random.Random(seed).sample(range(items), items)  # level i decides cell order[i]
    moved = frozenset(frozenset(order.index(i) for i in s) for s in family)
    circuit = build(kind, items, moved).to_circuit(labels, order)
    sets = {frozenset(labels[i] for i in s) for s in family}
    check(circuit, sets)


def check(circuit: Circuit, sets: set) -> None:
    """Every query on `circuit` against the list of its sets."""
    listed = list(queries.iterate(circuit))
    assert len(listed) == len(sets) == queries.count(circuit)
    assert set(listed) == sets
    assert queries.counts_by_mines(circuit) == naive.counts_by_mines(sets)
    if sets:
        assert dict(zip(circuit.cells, queries.probabilities(circuit), strict=True)) == naive.probabilities(
            circuit.cells, sets
        )
        drawn = queries.sample(circuit, 20, seed=1)
        assert set(drawn) <= sets
        assert drawn == queries.sample(circuit, 20, seed=1)
    else:
        assert circuit.root == FALSE
        with pytest.raises(ZeroDivisionError):
            queries.sample(circuit, 1)
    rng = random.Random(len(sets))
    costs = {cell: rng.randint(-5, 9) for cell in circuit.cells}
    ranked = sorted(sum(costs[c] for c in s) for s in sets)
    for n in (1, 3, len(sets) + 2):
        best = queries.cheapest(circuit, costs, n)
        assert [cost for cost, _ in best] == ranked[:n]
        assert len({s for _, s in best}) == len(best)
        assert all(s in sets and sum(costs[c] for c in s) == cost for cost, s in best)
    cells = range(len(circuit.cells))
    for _ in range(10):
        s = frozenset(c for c in circuit.cells if rng.random() < 0.5)
        assert queries.contains(circuit, s) == (s in sets)
        mines = [i for i in cells if rng.random() < 0.3]
        safe = [i for i in cells if rng.random() < 0.3]
        left = queries.given(circuit, mines, safe)
        expected = {
            t
            for t in sets
            if all(circuit.cells[i] in t for i in mines) and not any(circuit.cells[i] in t for i in safe)
        }
        assert set(queries.iterate(left)) == expected
        assert queries.count(left) == len(expected)
        used = {left.root, FALSE, TRUE}.union(left.left.tolist(), left.right.tolist())
        assert used == set(range(left.node_count + 2))  # nothing that the root does not need
        assert left.leaves[0] == (-1, 0)
        assert all(taken >= 1 for _, taken in left.leaves[1:])
    for s in list(sets)[:5]:
        assert queries.contains(circuit, s)
        assert not queries.contains(circuit, s | {"not a cell"})


def groups_circuit(sizes: list[int], terms: list[list[int]]) -> tuple[Circuit, set]:
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
    return circuit, family


@pytest.mark.parametrize(
    ("sizes", "terms"),
    [
        ([5], [[2]]),
        ([6], [[3], [1], [6]]),
        ([4, 3], [[2, 1], [1, 2], [3, 0]]),
        ([1, 5, 2], [[1, 2, 0], [0, 3, 2], [0, 0, 1]]),
    ],
)
def test_a_group_of_several_cells_takes_its_mines_in_every_way(sizes, terms):
    check(*groups_circuit(sizes, terms))


def test_a_zdd_and_its_circuit_have_as_many_nodes():
    for seed in range(30):
        items, family = random_family(seed)
        diagram = build("zdd", items, family)
        circuit = diagram.to_circuit("abcdef"[:items], range(items))
        assert circuit.node_count == diagram.node_count == len(diagram.level) - 2
        assert circuit.term_count == np.count_nonzero(diagram.low[2:]) + np.count_nonzero(diagram.high[2:])


def test_the_empty_circuit_has_no_group_and_the_empty_leaf_alone():
    empty = Circuit.empty("ab")
    assert (empty.groups, empty.leaves, empty.root) == ([], [(-1, 0)], FALSE)
    assert empty.node_count == empty.term_count == 0
    assert empty.start.tolist() == [0, 0, 0]
    check(empty, set())


def test_mines_that_are_certain_are_added_to_every_assignment_there_is():
    circuit, family = groups_circuit([2, 2], [[1, 0], [0, 2]])
    wider = replace(circuit, cells="abcdef")
    assert wider.with_mines([]) is wider
    check(wider.with_mines([5, 4]), {s | {"e", "f"} for s in family})
    empty = Circuit.empty("ab")
    assert empty.with_mines([0]) is empty


def test_samples_are_uniform():
    family = frozenset(map(frozenset, [(), (0,), (1,), (0, 1, 2), (2, 3)]))
    circuit = build("zdd", 4, family).to_circuit("abcd", range(4))
    drawn = queries.sample(circuit, 5000, seed=7)
    for s in set(drawn):
        assert abs(drawn.count(s) - 1000) < 120  # four standard deviations
    assert len(set(drawn)) == 5


def test_the_first_of_very_many_assignments_comes_at_once():
    n = 400  # 2**400 sets
    level = np.array([n, n, *range(n - 1, -1, -1)], np.int32)
    child = np.array([0, 1, *range(1, n + 1)], np.int32)
    circuit = Diagram("zdd", range(n), level, child, child, n + 1).to_circuit(range(n), range(n))
    assert queries.count(circuit) == 2**n
    assert next(queries.iterate(circuit)) == frozenset()
    assert sum(queries.counts_by_mines(circuit).values()) == 2**n
    assert queries.cheapest(circuit, dict.fromkeys(range(n), -1)) == [(-n, frozenset(range(n)))]
