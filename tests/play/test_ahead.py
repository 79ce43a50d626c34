"""Prospects and 50/50s against their definitions in plain words."""

import itertools

import numpy as np
import pytest
from positions import all_layouts, around, small_end

from mines_dd.play.ahead import look_ahead, lost_anyway
from mines_dd.play.border import MOST_STATES, weigh
from mines_dd.play.endgame import most_wins
from mines_dd.play.field import CLOSED, KNOWN_MINE
from mines_dd.play.layouts import layouts_of
from mines_dd.play.player import Policy

# Interpreted kernels hash with integers that wrap around.
pytestmark = [
    pytest.mark.filterwarnings("ignore:overflow encountered"),
    pytest.mark.usefixtures("interpreted_unless_asked"),
]


def prospect(field, chance, doubt):
    """As `ahead` defines it, in plain words."""
    risks = sorted(
        risk
        for cell, risk in enumerate(chance)
        if risk <= 1 and any(0 < chance[other] < 1 for other in around(field, cell))
    ) or [min(chance)]
    weights = [(1 - doubt) * doubt**i for i in range(len(risks[:8]))]
    weights[-1] = 1 - sum(weights[:-1])
    return sum(weight * (1 - risk) for weight, risk in zip(weights, risks, strict=False))


def fifty_fifties(field):
    """(Mines, the cells they change places with): neighbours in a row or a column, and both diagonals of a square."""
    cells, cols = len(field.degree), int(field.neighbours[0, 1])  # near the first corner: 1, one row on, and one more
    for cell in range(cells):
        right, below = (cell + 1) % cols > 0, cell + cols < cells
        pairs = [({cell}, {cell + 1})] * right + [({cell}, {cell + cols})] * below
        if right and below:
            pairs.append(({cell, cell + cols + 1}, {cell + 1, cell + cols}))
        yield from pairs


def lost_layouts(field, seen, layouts, one, other):
    """The layouts with mines at `one`, none at `other`, and at all other cells that are next to more of one of them."""
    if any(seen[x] != CLOSED for x in one | other):
        return []
    beside = {x for cell in one | other for x in around(field, cell)} - one - other
    tells = {x for x in beside if len(one.intersection(around(field, x))) != len(other.intersection(around(field, x)))}
    unflagged = {x for x in tells if seen[x] != KNOWN_MINE}
    return [layout for layout in layouts if one | unflagged <= layout and not other & layout]


def lost_of_cells(field, seen, layouts):
    """The layouts with a mine at each cell that are lost anyway."""
    lost = [0] * seen.size
    for one, other in fifty_fifties(field):
        for cell in one | other:
            lost[cell] += len(lost_layouts(field, seen, layouts, one, other))
    return [min(lost[cell], sum(cell in layout for layout in layouts)) for cell in range(seen.size)]


@pytest.mark.parametrize("seed", range(60))
def test_of_a_fifty_fifty_half_the_layouts_are_lost(seed):
    field, seen, mines = small_end(f"fifty {seed}")
    layouts = list(all_layouts(field, seen, mines))
    _, shown = layouts_of.run(1, field, seen, mines, 10**5)
    wins = most_wins.run(1, shown, 10**6)[0]
    for one, other in fifty_fifties(field):
        half = lost_layouts(field, seen, layouts, one, other)
        assert {layout - one | other for layout in half} == set(lost_layouts(field, seen, layouts, other, one))
        assert wins <= len(layouts) - len(half)
    chance = np.empty(seen.size)
    total, _ = weigh.run(1, field, seen, mines, chance, MOST_STATES)
    share = lost_anyway.run(1000, field, seen, mines, chance, total, Policy(rare=0.0))
    assert share[0] * total == pytest.approx(lost_of_cells(field, seen, layouts))
    for none in Policy(rare=1.0), Policy(states=0):
        assert not lost_anyway.run(1000, field, seen, mines, chance, total, none).any()


def best_prospects(field, seen, mines, doubt):
    """The layouts that survive each cell's opening or are lost anyway, weighed by the prospects after it."""
    chance = np.empty(seen.size)
    layouts = list(all_layouts(field, seen, mines))
    lost = lost_of_cells(field, seen, layouts)
    value = {}
    for cell in np.flatnonzero(seen == CLOSED).tolist():
        parts = {}
        for layout in layouts:
            if cell not in layout:
                number = sum(x in layout or seen[x] == KNOWN_MINE for x in around(field, cell))
                parts.setdefault(number, []).append(layout)
        value[cell] = 0.0
        for number, part in parts.items():
            after = seen.copy()
            after[cell] = number
            for x in range(seen.size):
                chance[x] = sum(x in layout for layout in part) / len(part) if after[x] == CLOSED else 2.0
            value[cell] += len(part) * prospect(field, chance, doubt)
        safe = sum(map(len, parts.values()))
        value[cell] *= (safe + lost[cell]) / safe if safe else 0
    return value


@pytest.mark.parametrize("doubt", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(40))
def test_looking_ahead_finds_the_guess_with_the_best_prospects(seed, doubt):
    for attempt in itertools.count():
        field, seen, mines = small_end(f"{seed} {attempt}")
        chance = np.empty(seen.size)
        total, _ = weigh.run(1, field, seen, mines, chance, MOST_STATES)
        if 0 < chance.min() < 1:
            break
    before = seen.copy()
    value = best_prospects(field, seen, mines, doubt)
    policy = Policy(breadth=16, sea=16, doubt=doubt, rare=0.0)
    cell = look_ahead.run(1000, field, seen, mines, chance, total, policy)
    assert value[cell] == pytest.approx(max(value.values()))
    assert seen[look_ahead.run(1000, field, seen, mines, chance, total, policy._replace(states=3))] == CLOSED
    assert (seen == before).all()
