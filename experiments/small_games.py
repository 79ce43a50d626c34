"""Stones, Deque, Grundy numbers and a pawn ending, for `experiments.retrograde`."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import TypeVar

import numpy as np

from experiments.clocks import repeated
from experiments.harness import Job, Result, Results
from experiments.shared import done, of, seconds, table
from mines_dd.boardgames import chess
from mines_dd.boardgames.acyclic import best_scores, grundy_numbers, sum_of
from mines_dd.boardgames.chess_pawn import pawn_endgame
from mines_dd.boardgames.classics import deque, kayles, stones
from mines_dd.boardgames.nim import nim
from mines_dd.boardgames.retrograde import WIN, solve

T = TypeVar("T")
# The longest mate of king and pawn, in White's moves, as endgame tables say; and the won positions with the pawn on
# the files a to d, whoever is to move, counted here.
PAWN = (28, 111_282)
STONES = {"4, {2, 3}": "First", "5, {2, 3}": "Second", "7, {2, 3}": "First", "20, {1, 2, 3}": "Second",
          "21, {1, 2, 3}": "First", "100000, {1}": "Second"}  # fmt: skip
DEQUE = {"10 80 90 30": 10, "10 100 10": -80, "10": 10, "1000000000 1 " * 5: 4_999_999_995, "4 2 9 7 1 5": 2}
KAYLES = (1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2)
SYLLABLES = 52**3
"""The slides' bound on the positions of shiritori."""
BEYOND = """Dobutsu shogi, which the slides name as solved by this method
The experiment `dobutsu` solves it: its moves are made and taken back by rules, since a list of them, 12 bytes each,
would fill over 12 GB.  The largest graph in this table has 12 million moves."""


def measured(work: Callable[[], T]) -> tuple[T, float]:
    """Return what some work returns, and its seconds: of a first run if it is long, else the median of five more."""
    value, times = repeated(work, 6, long=2)
    return value, median(times[1:] or times)


def run_pawn(job: Job) -> Result:
    """Solve king and pawn against king, with the endings that promotions lead to."""
    (game, legal), made = measured(pawn_endgame)
    solution, seconds = measured(lambda: solve(game))
    side, _, pawn, _ = chess.squares_of(np.arange(chess.POSITIONS))
    distance = solution.distance[: chess.POSITIONS]
    won = legal & (distance >= 0)
    return {
        "making": made,
        "seconds": seconds,
        "edges": len(game.source),
        "positions": int(legal.sum()),
        "longest": (int(distance[won & (side == chess.WHITE)].max()) + 1) // 2,
        "won": int((won & (pawn % 8 < 4)).sum()),
    }


def run_tasks(job: Job) -> Result:
    """Answer the samples of Stones and Deque, and their largest sizes."""
    answers = []
    for text in STONES:
        most, _, takes = text.partition(", ")
        found = solve(stones(int(most), [int(take) for take in takes.strip("{}").split(",")]))
        answers.append("First" if found.outcome[-1] == WIN else "Second")
    values = []
    for text in DEQUE:
        game, gains, start = deque([int(number) for number in text.split()])
        values.append(int(best_scores(game, gains)[start]))
    largest = stones(100_000, range(1, 101))
    row = np.random.default_rng(1).integers(1, 10**9, 3000).tolist()
    game, gains, _ = deque(row)
    _, stones_seconds = measured(lambda: solve(largest))
    _, deque_seconds = measured(lambda: best_scores(game, gains))
    sizes = {"stones_moves": len(largest.source), "deque_moves": len(game.source)}
    return {"stones": answers, "deque": values, "stones_s": stones_seconds, "deque_s": deque_seconds, **sizes}


def run_grundy(job: Job) -> Result:
    """Compare Grundy numbers of Nim, of Kayles and of a sum with what is known."""
    heaps = [np.arange(4**8) // 4**heap % 4 for heap in range(8)]
    is_bouton = bool((grundy_numbers(nim(8)) == np.bitwise_xor.reduce(heaps)).all())
    game, rows = kayles(20)
    numbers = dict(zip(rows, grundy_numbers(game).tolist(), strict=True))
    is_sum = all(n == int(np.bitwise_xor.reduce([numbers[(k,)] for k in row] or [0])) for row, n in numbers.items())
    one, other = nim(3), kayles(8)[0]
    both = grundy_numbers(sum_of(one, other)).reshape(len(one.given), -1)
    is_xor = bool((both == grundy_numbers(one)[:, None] ^ grundy_numbers(other)).all())
    known = [numbers[(n,)] for n in range(1, len(KAYLES) + 1)]
    return {"bouton": is_bouton, "kayles": known, "positions": len(rows), "rows": is_sum, "sum": is_xor}


def check(results: Results) -> None:
    """Every published number has to come out."""
    for r in of(done(results), what="pawn"):
        if (r["longest"], r["won"]) != PAWN:
            raise SystemExit(f"king and pawn: {r['longest']} moves and {r['won']} won positions")
    for r in of(done(results), what="tasks"):
        if (r["stones"], r["deque"]) != (list(STONES.values()), list(DEQUE.values())):
            raise SystemExit(f"the samples of Stones and Deque come out as {r['stones']}, {r['deque']}")
    for r in of(done(results), what="grundy"):
        if r["kayles"] != list(KAYLES) or not (r["bouton"] and r["rows"] and r["sum"]):
            raise SystemExit(f"Grundy numbers: {r}")


def tasks(results: Results) -> str:
    """Return the samples of Stones and Deque, Grundy numbers, and the pawn ending."""
    rows = []
    for r in of(done(results), what="tasks"):
        rows += [
            [f"Stones, {text}", answer, ours] for (text, answer), ours in zip(STONES.items(), r["stones"], strict=True)
        ]
        rows += [
            [f"Deque, {text[:24].strip()}", value, ours]
            for (text, value), ours in zip(DEQUE.items(), r["deque"], strict=True)
        ]
    for r in of(done(results), what="grundy"):
        rows.append(["Grundy numbers of Kayles, 1 to 14 pins", *(" ".join(map(str, x)) for x in (KAYLES, r["kayles"]))])
        rows.append(["  of all rows together: the exclusive or", "yes", "yes" if r["rows"] else "no"])
        rows.append(["  of Nim: the exclusive or of the heaps", "yes", "yes" if r["bouton"] else "no"])
        rows.append(["  of Nim and Kayles together: the exclusive or", "yes", "yes" if r["sum"] else "no"])
    for r in of(done(results), what="pawn"):
        rows.append(["king and pawn: moves of the longest mate", PAWN[0], r["longest"]])
        rows.append(["king and pawn: won positions, pawn on a to d", "", r["won"]])
    text = "Games that the slides point to, and a pawn ending\n" + table(rows, ["", "published", "ours"], "lr")
    for r in of(done(results), what="tasks"):
        text += f"\nStones with {r['stones_moves']:,} moves: {seconds(r['stones_s'])} s; "
        text += f"Deque with {r['deque_moves']:,}: {seconds(r['deque_s'])} s"
    for r in of(done(results), what="pawn"):
        text += f"\nKPK: {r['positions']:,} positions, {r['edges']:,} moves with KQK and KRK made in "
        text += f"{seconds(r['making'])} s, solved in {seconds(r['seconds'])} s"
    return text
