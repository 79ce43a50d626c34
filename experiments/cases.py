"""Random hints on boards and graphs of many shapes: what `experiments.soak` tries."""

from __future__ import annotations

import random
from collections.abc import Callable

from mines_dd import Board
from mines_dd.constraints.graph import Instance

__all__ = ["Case", "instance_of", "random_case"]

Case = list[tuple[list[int], list[int]]]
"""For each hint its cells, numbered from 0, and the counts it allows."""


def instance_of(case: Case) -> Instance:
    """Return the case with its cells in the order of their numbers."""
    used = sorted({cell for cells, _ in case for cell in cells})
    place = {cell: i for i, cell in enumerate(used)}
    return Instance.build(
        [(0, cell) for cell in used],
        [(1, j) for j in range(len(case))],
        [[place[cell] for cell in cells] for cells, _ in case],
        [allowed for _, allowed in case],
    )


def board_case(board: Board) -> Case:
    """Return the hints of a board."""
    instance = Instance.from_board(board)
    return [(list(map(int, c)), sorted(a)) for c, a in zip(instance.members, instance.allowed, strict=True)]


def grid_case(rng: random.Random, around: Callable[[int, int, int, int], set[tuple[int, int]]]) -> Case:
    """Return hints on a random layout of a grid with neighbourhoods of its own."""
    rows, columns = rng.randint(2, 9), rng.randint(2, 9)
    places = [(r, c) for r in range(rows) for c in range(columns)]
    mines = {place for place in places if rng.random() < 0.25}
    hints = [place for place in places if place not in mines and rng.random() < rng.choice((0.2, 0.5, 0.9))]
    closed = [place for place in places if place not in hints]
    case: Case = []
    for r, c in hints:
        near = sorted(around(r, c, rows, columns) - {(r, c)})
        cells = [closed.index(place) for place in near if place in closed]
        if cells:
            case.append((cells, [sum(place in mines for place in near)]))
    return case


def torus(r: int, c: int, rows: int, columns: int) -> set[tuple[int, int]]:
    """The eight neighbours of a cell of a torus."""
    return {((r + i) % rows, (c + j) % columns) for i in (-1, 0, 1) for j in (-1, 0, 1)}


def hexagons(r: int, c: int, rows: int, columns: int) -> set[tuple[int, int]]:
    """The six neighbours of a hexagon, odd rows shifted."""
    side = 1 if r % 2 else -1
    near = {(r, c - 1), (r, c + 1), *((r + i, c + j) for i in (-1, 1) for j in (0, side))}
    return {(a, b) for a, b in near if 0 <= a < rows and 0 <= b < columns}


def hypergraph(rng: random.Random) -> Case:
    """Return any sets of cells with any allowed counts, some impossible."""
    cells = rng.randint(1, 12)
    case: Case = []
    for _ in range(rng.randint(1, 7)):
        chosen = sorted(rng.sample(range(cells), rng.randint(1, cells)))
        counts = sorted(rng.sample(range(len(chosen) + 2), rng.randint(1, min(3, len(chosen) + 1))))
        case.append((chosen, counts))
    return case


def random_case(rng: random.Random) -> tuple[str, Case]:
    """Return a random case and the name of its shape."""
    shape = rng.choice(("paper", "paper", "cascade", "one row", "dense", "spoilt", "torus", "hexagons", "any"))
    seed = rng.random()
    if shape == "torus":
        return shape, grid_case(rng, torus)
    if shape == "hexagons":
        return shape, grid_case(rng, hexagons)
    if shape == "any":
        return shape, hypergraph(rng)
    rows, columns = rng.choice(((3, 4), (5, 5), (8, 8), (10, 14), (16, 16)))
    if shape == "one row":
        rows, columns = 1, rng.randint(2, 60)
    share = rng.choice((0.5, 0.7)) if shape == "dense" else rng.choice((0.1, 0.2, 0.3))
    board = Board.random(rows, columns, share, 0 if shape == "cascade" else rng.choice((0.1, 0.3, 0.5, 0.9)), seed)
    if shape == "cascade":
        board = board.open_all(rng.choices([(r, c) for r in range(rows) for c in range(columns)], k=4))
        board = Board(tuple(row.replace("*", "#") for row in board.grid))
    case = board_case(board)
    if shape == "spoilt" and case:
        j = rng.randrange(len(case))
        case[j] = (case[j][0], [rng.randint(0, 8)])
    return shape, case
