"""Dōbutsu shōgi solved: all positions that can arise beside the published counts, the value of the start, a best line.

T. Tanaka, An analysis of a board game "Doubutsu Shogi" (in Japanese), IPSJ SIG Technical Report on Game Informatics,
2009; his figures as listed in the notes of github.com/brianhliou/dobutsu-shogi.

`boardgames.retrograde_table` searches forward from the start, goes backward from the ends, and then makes all moves
once more to check every outcome and distance.  The table of the whole game takes 4.8 GB, asked of the free memory
before it is made.  What is found is kept in solution.json, from which the same command prints it again.  Ctrl-C ends
the run; it then begins anew.

How measured: seconds of processor time, one run, one thread; compiling is in them.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

from experiments.harness import Options, Report, experiment, option, picture, write_text
from experiments.shared import BLUE, VERMILION, finish, table
from mines_dd.base.budget import Budget
from mines_dd.boardgames.dobutsu import RULES, best_line, diagram, key_of, moves_from, read_position
from mines_dd.boardgames.retrograde import LOSS, WIN
from mines_dd.boardgames.retrograde_table import TableSolution, solve_rules

WHOLE = "gle/.c./.C./ELG"
POSITIONS = 246_803_167
PUBLISHED = {
    "positions that can be reached": POSITIONS,
    "open positions": 99_485_568,
    "won": 56_474_473,
    "lost": 40_328_395,
    "drawn": 2_682_700,
    "longest win": 173,
    "moves of an open position": "9.435",
    "the start": "lost in 78",
}
TWO_MORE = "Ours count the plies to the mate or the try; his count on to the taking of the lion, two after a mate."
# The first player's moves and the second player's winning replies.
OPENINGS = {"CB3xB2": "76", "GC4-C3": "78", "LB4-C3": "78", "LB4-A3": "78"}
OUTCOMES = {WIN: "won", LOSS: "lost", 0: "drawn"}


def solved(options: Options) -> dict[str, Any]:
    """Solve the game from a position, or read what was found."""
    path = options.output / "solution.json"
    asked = [options.start, options.hands]
    if path.exists() and (kept := json.loads(path.read_text()))["asked"] == asked:
        return dict(kept)
    word = read_position(*asked)
    capacity = POSITIONS if options.start == WHOLE else 2**6
    budget = Budget(timeout=options.timeout, advice="take a smaller ending (--start)")
    clock = Clock(capacity)
    solution = solve_rules(RULES, key_of(word), capacity, budget, clock.show)
    clock.lap("backward")
    wrong = solution.wrong()
    clock.lap("check")
    found = {"asked": asked, "wrong": wrong, "seconds": clock.seconds, "elapsed": time.monotonic() - clock.started}
    found |= facts_of(solution, word)
    options.output.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(found))
    return found


class Clock:
    """Says how far the solver is, and keeps the seconds of its parts."""

    def __init__(self, expected: int) -> None:
        self.expected, self.seconds = expected, dict[str, float]()
        self.started, self.last = time.monotonic(), time.process_time()
        self.left = 0

    def lap(self, part: str) -> None:
        """Give the seconds since the last time to a part."""
        now = time.process_time()
        self.seconds[part], self.last = now - self.last, now

    def show(self, stage: str, number: int, found: int, positions: int) -> None:
        """Print a line; the time to go is for positions as quick as those so far."""
        if stage == "distance" and number == 0:
            self.lap("forward")
            self.left = positions
        elapsed = time.monotonic() - self.started
        line = f"{elapsed:7.0f} s  {stage} {number}: {found:,} new, {positions:,} positions"
        if stage == "ply" and positions < self.expected:
            line += f", at most {elapsed * (self.expected / positions - 1):,.0f} s to go forward"
        if stage == "distance":
            self.left -= found
            line += f", {self.left:,} others"
        print(line, file=sys.stderr, flush=True)


def facts_of(solution: TableSolution, word: int) -> dict[str, Any]:
    """Return what the report says of a solution."""
    tally = solution.tally()
    first = []
    for name, after in moves_from(word):
        replies = [
            [reply, solution.verdict(key_of(then))[1]]
            for reply, then in moves_from(after, first=False)
            if solution.verdict(key_of(then))[0] == LOSS
        ]
        first.append([name, *solution.verdict(key_of(after)), replies])
    return {
        "positions": len(solution),
        "expanded": solution.expanded,
        "moves": solution.moves,
        "plies": solution.plies,
        "tally": tally._asdict(),
        "start": solution.verdict(key_of(word)),
        "line": best_line(solution, word),
        "first": first,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def counts(found: dict[str, Any]) -> str:
    """Return the numbers of positions beside the published ones, and what the run took."""
    tally = found["tally"]
    tries = found["positions"] - found["expanded"] - tally["taken"]
    won, lost = sum(tally["won"]), sum(tally["lost"]) - tries
    longest = max(2 * len(tally["won"]) - 1, 2 * len(tally["lost"]) - 2)
    ours = [found["positions"], found["expanded"], won, lost, tally["drawn"], longest]
    ours += [f"{found['moves'] / found['expanded']:.3f}", said(*found["start"])]
    published = PUBLISHED.values() if found["asked"] == [WHOLE, ""] else [""] * len(PUBLISHED)
    rows = [[what, spelt(theirs), spelt(own)] for what, theirs, own in zip(PUBLISHED, published, ours, strict=True)]
    rows += [
        ["the lion can be taken", "", spelt(tally["taken"])],
        ["a lion has reached the far rank", "", spelt(tries)],
    ]
    text = f"Positions\n{table(rows, ['', 'Tanaka (2009)', 'ours'], 'lr')}\n{TWO_MORE}"
    text += "\nMoves to the same position, as many of a symmetric one, count once in ours."
    parts = ", ".join(f"{part} {taken:,.0f} s" for part, taken in found["seconds"].items())
    text += f"\n{parts} of processor time; {found['elapsed'] / 60:,.0f} minutes by the clock, {memory(found)} GB"
    return f"{text}\nopen positions whose outcome or distance does not follow from their moves: {found['wrong']:,}"


def memory(found: dict[str, Any]) -> str:
    """Return the most memory that the run held, in GB."""
    return f"{found['memory'] / 1e9:.1f}"


def spelt(number: Any) -> str:
    """Return a number with commas between thousands."""
    return f"{number:,}" if isinstance(number, int) else str(number)


def said(outcome: int, distance: int | None) -> str:
    """Return an outcome and a distance in words."""
    return OUTCOMES[outcome] if distance is None else f"{OUTCOMES[outcome]} in {distance}"


def first_moves(found: dict[str, Any]) -> str:
    """Return what each first move leads to, and the replies that win, both with the plies of the whole game."""
    rows = []
    for name, outcome, distance, replies in found["first"]:
        winning = ", ".join(f"{reply} ({length + 2})" for reply, length in sorted(replies, key=lambda r: r[1]))
        published = OPENINGS.get(name, "") if found["asked"] == [WHOLE, ""] else ""
        rows.append([name, published, said(-outcome, distance and distance + 1), winning])
    headers = ["first move", "Tanaka: lost in", "ours", "replies that win (plies in all)"]
    return f"First moves\n{table(rows, headers, 'lrrl')}\n{TWO_MORE}"


def best(found: dict[str, Any]) -> str:
    """Return a best line and the positions where it begins and ends."""
    moves = found["line"]
    if not moves:
        return "The start is drawn: no best line ends."
    word, first = read_position(*found["asked"]), True
    text = f"A best line, {len(moves)} plies\n{diagram(word)}\n"
    for move in moves:
        word, first = dict(moves_from(word, first))[move], not first
    text += "\n".join(" ".join(moves[i : i + 10]) for i in range(0, len(moves), 10))
    return f"{text}\n{diagram(word)}\nwho is below is to move, and has lost"


def plot(figure: Any, found: dict[str, Any]) -> None:
    """Draw the positions met at each ply from the start, and those decided at each distance from the end."""
    left, right = figure.subplots(1, 2)
    left.plot(found["plies"], "o-", ms=3, color=BLUE)
    names = "Open and lost positions, forward"
    finish(left, "y", xlabel="plies from the start", ylabel="positions first met there", title=names)
    for key, first, colour in (("won", 1, BLUE), ("lost", 0, VERMILION)):
        here = found["tally"][key]
        right.plot(range(first, first + 2 * len(here), 2), here, "o-", ms=3, color=colour, label=key)
    names = "Won and lost positions, for the player to move"
    finish(right, "y", xlabel="plies to the end, best play", ylabel="positions", title=names)


@experiment(
    option("--start", WHOLE, "Another position: four ranks, capitals for who moves."),
    option("--hands", "", "What is in hand there, such as Gc."),
    option("--timeout", 4 * 3600.0, "Seconds it may take."),
    minutes=30,
    quick="--start gl./.../.../.LG",
)
def main(options: Options) -> Report:
    """The counts beside the published ones, the first moves, a best line, and positions by ply and distance."""
    found = solved(options)
    yield counts(found)
    yield first_moves(found)
    yield best(found)
    yield picture("dobutsu.png", (13, 4.6), lambda figure: plot(figure, found))
    if found["wrong"]:
        raise SystemExit(f"{found['wrong']:,} positions have an outcome that does not follow from their moves")


if __name__ == "__main__":
    main.start()
