"""What an order will cost, against what is counted."""

import random

import naive

from mines_dd.constraints.graph import Instance
from mines_dd.orders.cost import linear_cost

INSTANCES = [naive.random_instance(seed) for seed in range(40)]
INSTANCES += [Instance.from_board(naive.random_board(seed)) for seed in range(20)]


def test_the_bound_on_states_is_one():
    """Count the distinct partial sums of the open hints that can still come out right, after each cell."""
    for instance in INSTANCES:
        rng = random.Random(1)
        cells = rng.sample(range(len(instance.cells)), len(instance.cells))
        members = [set(row) for row in instance.members]
        solutions = [{instance.cells.index(c) for c in s} for s in naive.assignments(instance)]
        total = 0
        for k in range(len(cells) + 1):
            before = set(cells[:k])
            open_hints = [row for row in members if row & before and row - before]
            total += len({tuple(len(s & row & before) for row in open_hints) for s in solutions})
        if solutions:
            assert total <= 2 ** linear_cost(instance, cells).log2_bound + 1e-6
