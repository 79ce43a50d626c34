"""Possible numbers of mines, and what is certain with each total, against all sets of small systems."""

import random

from mines_dd import solve
from mines_dd.constraints.graph import Instance
from mines_dd.diagrams.possible import Possible
from mines_dd.diagrams.tilting import Forest


def members(some) -> set[int]:
    return {x for first, last in some for x in range(first, last + 1)}


def test_what_is_certain_with_each_total_is_what_all_sets_say():
    """Hints that allow any counts make gaps in the totals."""
    gaps = certain = 0
    for seed in range(150):
        rng = random.Random(seed)
        m, hints = rng.randint(2, 9), range(rng.randint(1, 4))
        around = [sorted(rng.sample(range(m), rng.randint(1, m))) for _ in hints]
        around.append([*range(m)])  # so that every cell is next to a hint
        allowed = [sorted(rng.sample(range(len(row) + 1), min(2, len(row)))) for row in around[:-1]] + [[*range(m + 1)]]
        family = solve(Instance.build([f"c{i}" for i in range(m)], range(len(around)), around, allowed).to_graph())
        sets = [frozenset(mines) for mines in family]
        if not sets:
            continue
        forest = Forest.of([family.circuit])
        possible = Possible(forest)
        assert members(possible.of_roots[0]) == {len(mines) for mines in sets}
        gaps += len(possible.of_roots[0]) > 1
        groups = family.circuit.groups
        for total in {len(mines) for mines in sets}:
            some = [mines for mines in sets if len(mines) == total]
            terms = possible.terms([[(total, total)]])
            full = possible.full_groups(terms, range(len(groups)), [len(group) for group in groups])
            for g, group in enumerate(groups):
                taken = {len(mines.intersection(family.circuit.cells[c] for c in group)) for mines in some}
                assert possible.safe_groups(terms)[g] == (taken == {0})
                assert (g in full) == (taken == {len(group)})
                certain += len(taken) == 1
    assert gaps > 20
    assert certain > 100


def test_hundreds_of_groups_and_of_gaps_fit():
    cells = [(i, j) for i in range(100) for j in range(5)]
    rows = [[5 * i + j for j in range(5)] for i in range(100)] + [[5 * i for i in range(100)]]
    allowed = [[0, 5]] * 100 + [[*range(101)]]
    family = solve(Instance.build(cells, range(101), rows, allowed).to_graph())
    possible = Possible(Forest.of([family.circuit]))
    assert possible.of_roots[0] == [(5 * k, 5 * k) for k in range(101)]
    terms = possible.terms([[(500, 500)]])
    sizes = [len(group) for group in family.circuit.groups]
    assert possible.full_groups(terms, range(len(sizes)), sizes) == list(range(len(sizes)))
