"""Orders of hints, and what each step of an elimination remembers."""

import random

import naive
import networkx as nx
import numpy as np
import pytest

from mines_dd.base.errors import GraphFormatError
from mines_dd.board.board import Board
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import simplify
from mines_dd.orders import min_fill
from mines_dd.orders.cost import linear_cost
from mines_dd.orders.elimination import Elimination, best_elimination, elimination_steps

ELIMINATION = ["min-fill", "min-degree", "auto"]
INSTANCES = [naive.random_instance(seed) for seed in range(40)]
INSTANCES += [Instance.from_board(naive.random_board(seed)) for seed in range(20)]
BOARD = Instance.from_board(Board.random(20, 20, 0.3, 0.3, 1))


def hint_graph(instance: Instance) -> nx.Graph:
    graph = nx.empty_graph(len(instance.hints))
    for row, h in zip(instance.members, range(len(instance.hints)), strict=True):
        for other in range(h):
            if set(row) & set(instance.members[other]):
                graph.add_edge(h, other)
    return graph


def naive_width(graph: nx.Graph, order) -> int:
    graph, width = graph.copy(), 0
    for v in order:
        around = list(graph[v])
        width = max(width, len(around))
        graph.add_edges_from((a, b) for a in around for b in around if a != b)
        graph.remove_node(v)
    return width


@pytest.mark.parametrize("order", ELIMINATION)
def test_eliminations_hold_every_hint_once(order):
    for instance in [*INSTANCES, BOARD]:
        hints = best_elimination(instance, order).order
        assert sorted(hints.tolist()) == list(range(len(instance.hints)))
        steps = elimination_steps(instance, hints)
        assert int(np.diff(steps.start).max(initial=0)) == naive_width(hint_graph(instance), hints.tolist())


def naive_tables(instance: Instance, order: list[int], sizes: list[int]) -> list[dict[int, int]]:
    """For each step the hints that its table remembers, and how many cells of each are in it."""
    cells, tables, left = set(range(len(instance.cells))), [], []
    for h in order:
        now = {cell for cell in cells if cell in instance.members[h]}
        cells -= now
        taken = [part for part in left if any(cell in instance.members[h] for cell in part)]
        left = [part for part in left if part not in taken]
        scope = now.union(*taken)
        left.append(scope)
        gone = set(order[: order.index(h) + 1])
        tables.append(
            {
                x: sum(sizes[cell] for cell in scope if cell in row)
                for x, row in enumerate(instance.members)
                if x not in gone and scope & set(row)
            }
        )
    return tables


def test_each_step_remembers_the_hints_still_to_come_of_its_cells():
    rng = random.Random(1)
    for instance in INSTANCES:
        order = rng.sample(range(len(instance.hints)), len(instance.hints))
        sizes = [rng.randint(1, 3) for _ in instance.cells]
        steps = elimination_steps(instance, order, sizes)
        found = [
            dict(zip(steps.hint[a:b].tolist(), steps.covered[a:b].tolist(), strict=True))
            for a, b in zip(steps.start, steps.start[1:], strict=False)
        ]
        assert found == naive_tables(instance, order, sizes)
        for table, parent in zip(found, steps.parent.tolist(), strict=True):
            assert parent == min((order.index(x) for x in table), default=-1)


def test_tables_may_remember_very_many_hints():
    """One cell joins all hints: the tables need more room than they are given at first."""
    n = 60
    instance = Instance.build(range(1), range(n), [[0]] * n, [[0, 1]] * n)
    assert np.diff(elimination_steps(instance, range(n)).start).tolist() == list(range(n - 1, -1, -1))


def test_auto_is_never_dearer_than_min_fill_and_often_cheaper():
    cheaper = 0
    for seed in range(30):
        reduced = simplify(Instance.from_board(Board.random(25, 25, 0.3, 0.3, seed)))
        instance, sizes = reduced.instance, reduced.size
        graph = min_fill.hint_graph(instance)
        first = Elimination.of(instance, min_fill.min_fill_order(instance, graph), sizes)
        best = best_elimination(instance, sizes=sizes)
        assert best.cost.entries <= first.cost.entries
        assert best.order.tolist() == best_elimination(instance, sizes=sizes).order.tolist()
        cheaper += best.cost.entries < first.cost.entries
    assert cheaper > 10


def test_more_orders_are_tried_the_dearer_the_best_is(monkeypatch):
    tried = []
    order = min_fill.min_fill_order
    monkeypatch.setattr(
        "mines_dd.orders.elimination.min_fill_order", lambda *args, **how: tried.append(args) or order(*args, **how)
    )
    counts = []
    for hints in (0.1, 0.4):
        tried.clear()
        reduced = simplify(Instance.from_board(Board.random(200, 200, 0.3, hints, 0)))
        best_elimination(reduced.instance, sizes=reduced.size)
        counts.append(len(tried))
    assert 1 <= counts[0] < counts[1] < 100


def test_a_table_has_no_more_entries_than_the_factors_have_products():
    """One cell opens a hundred hints: they all remember it, and nothing else."""
    hints = range(100)
    star = Instance.build(range(101), hints, [[0, i + 1] for i in hints], [[1]] * 100)
    bounds = elimination_steps(star, hints, [1] + [2] * 100).log2_entries
    assert bounds.tolist() == [1.0] * 99 + [0.0]


def test_given_orders_are_checked():
    instance = Instance.build("abc", "xy", [[0, 1], [1, 2]], [[1], [1]])
    assert best_elimination(instance, ["y", "x"]).order.tolist() == [1, 0]
    with pytest.raises(GraphFormatError, match=r"no order of hints .* 'best'"):
        best_elimination(instance, "best")


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_interpreted_and_compiled_orders_are_the_same(monkeypatch):
    small = Instance.from_board(Board.random(8, 8, 0.2, 0.3, 1))
    before = [best_elimination(small, order).order.tolist() for order in ELIMINATION]
    monkeypatch.setenv("MINES_DD_JIT", "always")
    assert [best_elimination(small, order).order.tolist() for order in ELIMINATION] == before


@pytest.mark.parametrize(
    "hints", [[0, 1], [0, 0, 0, 0], [0, 1, 2, 4], [0.0, 1.0, 2.0, 3.0], [[0, 1, 2, 3]], [], "0123"]
)
def test_only_all_hints_once_and_sizes_of_all_groups_are_taken(hints):
    instance = Instance.from_board(Board.parse("####/#22#/#22#/####"))
    with pytest.raises(GraphFormatError, match="order of hints has the numbers 0 to 3, each once"):
        elimination_steps(instance, hints)
    with pytest.raises(GraphFormatError, match="order of cells has the numbers 0 to 11, each once"):
        linear_cost(instance, hints)
    for sizes in ([1], [0] * 12, [1.5] * 12):
        with pytest.raises(GraphFormatError, match="12 whole numbers of at least 1"):
            best_elimination(instance, sizes=sizes)
