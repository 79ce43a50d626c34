"""Slow, obvious versions of everything: what the tests compare with."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from mines_dd.board.board import Board
from mines_dd.boardgames.retrograde import DRAW, LOSS, OPEN, WIN
from mines_dd.constraints.graph import Instance


def assignments(instance: Instance) -> set[frozenset]:
    """All mine assignments, by trying every set of cells."""
    return {members(instance.cells, mines) for mines in choices(instance)}


def is_consistent(instance: Instance) -> bool:
    """Whether there is an assignment."""
    return any(True for _ in choices(instance))


def choices(instance: Instance) -> Iterator[int]:
    """The sets of cells that satisfy all hints, as bits."""
    m = len(instance.cells)
    assert m <= 18
    hints = [(mask(cells), set(allowed)) for cells, allowed in zip(instance.members, instance.allowed, strict=True)]
    for mines in range(2**m):
        if all((mines & cells).bit_count() in allowed for cells, allowed in hints):
            yield mines


def members(labels, bits: int) -> frozenset:
    return frozenset(label for i, label in enumerate(labels) if bits >> i & 1)


def mask(cells) -> int:
    """A set of small numbers as bits."""
    return sum(1 << int(i) for i in cells)


def probabilities(cells, family) -> dict:
    return {cell: Fraction(sum(cell in mines for mines in family), len(family)) for cell in cells}


def counts_by_mines(family) -> dict[int, int]:
    return dict(sorted(Counter(map(len, family)).items()))


def random_board(seed: int, most_closed: int = 14) -> Board:
    """A small board of a random shape with few enough closed cells next to hints."""
    rng = random.Random(seed)
    while True:
        rows, cols = rng.randint(1, 6), rng.randint(1, 6)
        board = Board.random(
            rows, cols, rng.choice([0.1, 0.2, 0.3, 0.5]), rng.choice([0.1, 0.3, 0.5, 0.8]), rng.random()
        )
        if rng.random() < 0.2:  # perhaps inconsistent
            hints = board.hints()
            if hints:
                board = board.reveal({rng.choice(sorted(hints)): rng.randint(0, 8)})
        if rng.random() < 0.2:  # a mine known for certain
            board = Board(board.grid)
            closed = board.closed()
            if closed:
                r, c = rng.choice(closed)
                rows_ = [list(row) for row in board.grid]
                rows_[r][c] = "*"
                board = Board(tuple("".join(row) for row in rows_))
        if len(Instance.from_board(board).cells) <= most_closed:
            return board


def random_instance(seed: int) -> Instance:
    """A random hypergraph of hints, some of which allow several counts."""
    rng = random.Random(seed)
    m = rng.randint(0, 10)
    hints = []
    for _ in range(rng.randint(0, 6)):
        cells = sorted(rng.sample(range(m), rng.randint(0, m)))
        if rng.random() < 0.7:
            allowed = [rng.randint(0, len(cells))]
        else:
            allowed = sorted(rng.sample(range(len(cells) + 2), rng.randint(0, min(3, len(cells) + 2))))
        hints.append((cells, allowed))
    touched = sorted({i for cells, _ in hints for i in cells})
    hints = [([touched.index(i) for i in cells], allowed) for cells, allowed in hints]
    labels = [f"c{i}" for i in touched]
    return Instance.build(labels, [f"h{j}" for j in range(len(hints))], [c for c, _ in hints], [a for _, a in hints])


def shuffled(instance: Instance, rng: random.Random) -> Instance:
    """The same instance with its cells and hints in another order."""
    cells, hints = list(range(len(instance.cells))), list(range(len(instance.hints)))
    rng.shuffle(cells)
    rng.shuffle(hints)
    position = {cell: i for i, cell in enumerate(cells)}
    return Instance.build(
        [instance.cells[i] for i in cells],
        [instance.hints[j] for j in hints],
        [sorted(position[i] for i in instance.members[j]) for j in hints],
        [instance.allowed[j] for j in hints],
    )


def layouts(board: Board) -> list[frozenset]:
    """All sets of closed cells of the whole board that satisfy all hints."""
    closed = board.closed()
    hints = []
    for p, count in board.hints().items():
        around = board.neighbours(p)
        known = sum(board[q] == "*" for q in around)
        hints.append((mask(i for i, q in enumerate(closed) if q in around), count - known))
    return [
        members(closed, mines)
        for mines in range(2 ** len(closed))
        if all((mines & around).bit_count() == count for around, count in hints)
    ]


def weighed_boards(n: int) -> Iterator[tuple[Board, Fraction, dict]]:
    """Consistent small boards, each with a density and the probability of a mine in each closed cell under it."""
    for seed, board in small_boards(n):
        everything = layouts(board)
        if not everything:
            continue
        share = Fraction(random.Random(seed).randint(1, 9), 10)
        weight = {m: share ** len(m) * (1 - share) ** (len(board.closed()) - len(m)) for m in everything}
        total = sum(weight.values())
        yield board, share, {p: sum(w for m, w in weight.items() if p in m) / total for p in board.closed()}


def small_boards(n: int) -> Iterator[tuple[int, Board]]:
    """Boards of at most eleven closed cells, with a seed each, whose totals are not known."""
    seed = 0
    while n:
        board = random_board(seed)
        seed += 1
        if len(board.closed()) <= 11:
            n -= 1
            yield seed, Board(board.grid)


def outcomes(given, moves) -> list[tuple[int, int]]:
    """Outcome and distance of each position of a game, by rounds over everything until nothing changes."""
    after = [[t for s, t in moves if s == v] for v in range(len(given))]
    value = {v: (outcome, 0) for v, outcome in enumerate(given) if outcome in (WIN, LOSS)}
    value |= {v: (LOSS, 0) for v, outcome in enumerate(given) if outcome == OPEN and not after[v]}
    while True:
        new = {}
        for v, outcome in enumerate(given):
            if outcome != OPEN or v in value:
                continue
            lost = [value[t][1] for t in after[v] if value.get(t, (DRAW,))[0] == LOSS]
            if lost:
                new[v] = (WIN, 1 + min(lost))
            elif all(value.get(t, (DRAW,))[0] == WIN for t in after[v]):
                new[v] = (LOSS, 1 + max(value[t][1] for t in after[v]))
        if not new:
            return [value.get(v, (DRAW, -1)) for v in range(len(given))]
        value |= new
