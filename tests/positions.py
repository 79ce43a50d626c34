"""Small positions for the tests of play, and all their layouts."""

import functools
import itertools
import random

import numpy as np

from mines_dd.play.field import CLOSED, KNOWN_MINE, make_field


def around(field, cell):
    return field.neighbours[cell, : field.degree[cell]].tolist()


def all_layouts(field, seen, mines):
    closed = [cell for cell in range(seen.size) if seen[cell] == CLOSED]
    for chosen in itertools.combinations(closed, mines):
        layout = frozenset(chosen)
        if all(
            sum(x in layout or seen[x] == KNOWN_MINE for x in around(field, cell)) == seen[cell]
            for cell in range(seen.size)
            if seen[cell] >= 0
        ):
            yield layout


def small_end(seed):
    """A field, a position with few closed cells, and its mines not flagged."""
    rng = random.Random(seed)
    rows, cols = rng.choice([(2, 3), (3, 3), (2, 5), (3, 4), (4, 4)])
    mines = rng.randint(1, 5)
    field = make_field(rows, cols, mines)
    mine = rng.sample(range(rows * cols), mines)
    free = [cell for cell in range(rows * cols) if cell not in mine]
    seen = np.full(rows * cols, CLOSED)
    for cell in rng.sample(free, min(len(free), max(rows * cols - 8, 0) + rng.randint(0, 2))):
        seen[cell] = sum(x in mine for x in around(field, cell))
    if rng.random() < 0.3:
        seen[mine[0]] = KNOWN_MINE
        mines -= 1
    return field, seen, mines


def plainly_won(field, seen, layouts):
    """In how many of the layouts the best play wins: every cell tried everywhere."""
    flagged = {cell for cell in range(seen.size) if seen[cell] == KNOWN_MINE}
    closed = [cell for cell in range(seen.size) if seen[cell] == CLOSED]

    @functools.cache
    def won(opened, possible):
        if all(len(opened) + len(layout) == len(closed) for layout in possible):
            return len(possible)
        best = 0
        for cell in closed:
            if cell in opened:
                continue
            parts = {}
            for layout in possible:
                if cell not in layout:
                    number = sum(x in layout or x in flagged for x in around(field, cell))
                    parts.setdefault(number, set()).add(layout)
            best = max(best, sum(won(opened | {cell}, frozenset(part)) for part in parts.values()))
        return best

    return won(frozenset(), frozenset(layouts))
