"""Retrograde analysis: published answers beside ours, and how long they take.

ももも, 限界！アルゴリズム 後退解析, slides, 2023, and what they name: AtCoder Beginner Contest 209, E, Shiritori, with
its four samples, 200,000 random words, a real dictionary if there is one; the Educational DP Contest's K, Stones, and
L, Deque, with their samples; Grundy numbers, of Nim and of Kayles (R. K. Guy, C. A. B. Smith, The G-values of various
games, 1956).  Chess: king and rook, queen or pawn against king; the numbers of positions by moves to mate of M. Bain
and A. van Hoff, Chess (King-Rook vs. King) data set, UCI Machine Learning Repository, 1994; the longest mates and how
many there are by guido, "Longest mate in kqk", Kirill Kryukov's discussion board.  Nim: C. L. Bouton, Nim, a game with
a complete mathematical theory, Annals of Mathematics 3, 1901.  Random graphs with two moves a position.

How measured: seconds of processor time, the median of five runs after one that does not count; of runs over two
seconds the first alone.  Making a graph is timed apart.  `python -m experiments.retrograde` ends within two minutes.
"""

from __future__ import annotations

import random
import string
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from experiments import small_games
from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, option, picture
from experiments.shared import (
    BLUE,
    ORANGE,
    VERMILION,
    columns,
    crossed,
    curve,
    done,
    finish,
    groups,
    number,
    of,
    same_counts,
    seconds,
    table,
)
from mines_dd.base.wording import counted
from mines_dd.boardgames import chess
from mines_dd.boardgames.nim import nim, nim_formula
from mines_dd.boardgames.retrograde import LOSS, Game, Solution, solve
from mines_dd.boardgames.retrograde_symbolic import layers, solve_symbolically
from mines_dd.boardgames.shiritori import read_words, solve_shiritori

SAMPLES = {
    "abcd bcda ada": "Aoki Takahashi Draw",
    "ABC": "Draw",
    "eaaaabaa eaaaacaa daaaaaaa eaaaadaa daaaafaa": "Takahashi Takahashi Takahashi Aoki Takahashi",
    "fffccc aaabbb bbbccc cccaaa aaaeee": "Takahashi Aoki Takahashi Aoki Takahashi",
}
# Black to move, by White's moves to mate; up to symmetry.
KRK = dict(enumerate((27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390)))
KRK_DRAWS = 2796
# Moves of the longest mate and the number of positions that have it, White and Black to move; up to symmetry.
LONGEST = {"R": (16, 121, 390), "Q": (10, 1, 8)}
DICTIONARY = Path("/usr/share/dict/words")
WORDS = Path("data/words.txt")


def run(job: Job) -> Result:
    """Do one job."""
    solve_symbolically(solve(Game.from_moves(2, [1], [0])).game)  # kernels compiled, dd loaded
    work = {
        "random": run_random,
        "pawn": small_games.run_pawn,
        "tasks": small_games.run_tasks,
        "grundy": small_games.run_grundy,
        "chess": run_chess,
        "nim": run_nim,
        "words": run_words,
        "samples": run_samples,
    }
    return work[job["what"]](job)


def run_random(job: Job) -> Result:
    """Solve a random graph with two moves a position."""
    rng = np.random.default_rng(job["seed"])
    positions = job["edges"] // 2
    game = Game.from_moves(positions, *rng.integers(0, positions, (2, job["edges"])))
    solution, seconds = timed(game, job["method"])
    return {"seconds": seconds, **summary(solution, np.arange(positions))}


def run_chess(job: Job) -> Result:
    """Solve an endgame; count positions by moves to mate, up to symmetry."""
    (game, legal), made = small_games.measured(lambda: chess.endgame(job["piece"]))
    solution, seconds = timed(game, job["method"])
    result: Result = {
        "making": made,
        "seconds": seconds,
        "edges": len(game.source),
        "positions": int(legal.sum()),
    }
    side, kept = np.arange(chess.POSITIONS) >> 18, legal & chess.distinct()
    for colour, turn in (("white", chess.WHITE), ("black", chess.BLACK)):
        distance = solution.distance[:-1][kept & (side == turn)]
        mates = np.bincount((distance[distance >= 0] + 1) // 2).tolist()
        result[colour] = {"draws": int((distance < 0).sum()), "mates": mates}
    longest = int(np.argmax(np.where(legal & kept & (side == chess.WHITE), solution.distance[:-1], -1)))
    result |= {
        "line": chess.line(solution, longest, job["piece"]),
        "diagram": chess.diagram(longest, job["piece"]),
    }
    return result | summary(solution, np.flatnonzero(legal))


def run_nim(job: Job) -> Result:
    """Solve Nim, and compare with Bouton: lost exactly if the heaps' sum without carry is 0."""
    heaps = job["heaps"]
    if job["method"] == "explicit":
        game = nim(heaps)
        solution, seconds = timed(game, "explicit")
        nim_sum = np.bitwise_xor.reduce([np.arange(4**heaps) // 4**heap % 4 for heap in range(heaps)])
        agrees = bool(((solution.outcome == LOSS) == (nim_sum == 0)).all())
        return {"seconds": seconds, "edges": len(game.source), "rounds": int(solution.distance.max()), "bouton": agrees}

    def work() -> tuple[Any, Any, int]:
        symbolic = nim_formula(heaps)
        lost, rounds = symbolic.lost, -1
        for _, newly_lost in layers(symbolic):
            lost, rounds = lost | newly_lost, rounds + 1
        return symbolic, lost, rounds

    (symbolic, lost, rounds), seconds = small_games.measured(work)
    manager, zero = symbolic.manager, symbolic.manager.true
    for bit in "10":
        odd = manager.false
        for heap in range(heaps):
            odd = manager.apply("xor", odd, manager.var(f"x{heap}_{bit}"))
        zero &= ~odd
    return {"seconds": seconds, "nodes": len(symbolic.moves), "rounds": rounds, "bouton": bool(lost == zero)}


def run_words(job: Job) -> Result:
    """Play with a list of words, or with random ones of the task's largest size."""
    if job["path"] is None:
        rng = random.Random(job["seed"])
        words: Sequence[str] = [
            "".join(rng.choices(string.ascii_letters, k=rng.randint(3, 8))) for _ in range(job["count"])
        ]
    else:
        words = read_words(job["path"], skip=True)

    def work() -> tuple[Any, list[str], list[int | None]]:
        game = solve_shiritori(words)
        return game, game.winners(), game.lengths()

    (game, winners, lengths), seconds = small_games.measured(work)
    longest = max(range(len(words)), key=lambda i: lengths[i] or 0)
    return {
        "seconds": seconds,
        "words": len(words),
        "positions": len(game.solution.outcome),
        "winners": Counter(winners),
        "longest": game.play(words[longest]),
    }


def run_samples(job: Job) -> Result:
    """Answer the task's samples."""
    return {"answers": [" ".join(solve_shiritori(words.split()).winners()) for words in SAMPLES]}


def timed(game: Game, method: str) -> tuple[Solution, float]:
    """Solve a game and say how many seconds it took."""
    return small_games.measured(lambda: solve(game) if method == "explicit" else solve_symbolically(game))


def summary(solution: Solution, positions: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Return the numbers of outcomes of these positions, and a digest of all that two methods have to agree on."""
    losses, draws, wins = np.bincount(solution.outcome[positions] + 1, minlength=3).tolist()
    digest = zlib.crc32(solution.outcome.tobytes() + solution.distance.tobytes())
    return {"wins": wins, "draws": draws, "losses": losses, "longest": int(solution.distance.max()), "digest": digest}


def jobs(options: Options) -> list[Job]:
    """Samples, random graphs of growing size, Nim, the endgames, and lists of words."""
    edges, seed = options.symbolic_edges, options.seed
    sizes = {"explicit": range(3, options.edges + 1), "symbolic": np.arange(3, edges + 0.25, 0.5).tolist()}
    found: list[Job] = [{"what": "samples"}, {"what": "tasks"}, {"what": "grundy"}, {"what": "pawn"}]
    for method, powers in sizes.items():
        found += crossed(what=["random"], edges=[round(10**size) for size in powers], method=[method], seed=[seed])
    found += crossed(what=["nim"], heaps=(4, 7, 10), method=["explicit"])
    found += crossed(what=["nim"], heaps=(4, 7, 10, 20, 40), method=["symbolic"])
    found += crossed(what=["chess"], piece=LONGEST, method=["explicit"])
    found += crossed(what=["chess"], piece="R", method=["symbolic"]) * options.chess
    found += [{"what": "words", "path": None, "count": 200_000, "seed": seed}, {"what": "words", "path": options.words}]
    return found + [{"what": "words", "path": str(DICTIONARY)}] * DICTIONARY.exists()


@experiment(
    option("--edges", 7, "Random graphs of up to 10 to the power of this many moves, explicitly."),
    option("--symbolic-edges", 4.0, "The same, with BDDs."),
    option("--chess/--no-chess", True, "Solve KRK with BDDs too, the longest run."),
    option("--words", str(WORDS), "A list of words.", click.Path(dir_okay=False, exists=True)),
    option("--seed", 1),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=60, memory=4, more=60),
    minutes=2,
    quick="--edges 5 --symbolic-edges 3 --no-chess --workers 2",
)
def main(results: Results, options: Options) -> Report:
    """The published answers beside ours, the times, and plots of both."""
    check(results)
    yield samples(results)
    yield shiritori(results)
    yield mates(results)
    yield timings(results)
    yield nim_table(results)
    yield small_games.tasks(results)
    yield small_games.BEYOND
    yield picture("retrograde.png", (15, 4.6), lambda figure: plot(figure, results))


def ended(results: Results, what: str, **job: Any) -> list[Result]:
    """Return the results of a kind that came to their end."""
    return done(of(results, what=what, **job))


def check(results: Results) -> None:
    """Every published number has to come out, and both methods have to agree."""
    for r in ended(results, "samples"):
        if r["answers"] != list(SAMPLES.values()):
            raise SystemExit(f"the task's samples come out as {r['answers']}")
    for r in ended(results, "nim"):
        if not r["bouton"]:
            raise SystemExit(f"{r['job']}: not as Bouton proved")
    for r in ended(results, "chess"):
        piece = r["job"]["piece"]
        moves, white, black = LONGEST[piece]
        found = tuple((len(r[side]["mates"]) - 1, r[side]["mates"][-1]) for side in ("white", "black"))
        if found != ((moves, white), (moves, black)):
            raise SystemExit(f"{r['job']}: the longest mates come out as {found}")
        if piece == "R" and (r["black"]["mates"], r["black"]["draws"]) != (list(KRK.values()), KRK_DRAWS):
            raise SystemExit(f"{r['job']}: not the published numbers of positions: {r['black']}")
    small_games.check(results)
    for what in ("random", "chess"):
        same_counts((str(case(r)), r["job"]["method"], r["digest"]) for r in ended(results, what))


def case(result: Result) -> tuple[Any, ...]:
    """Return what was solved, by whichever method."""
    return tuple(sorted((key, value) for key, value in result["job"].items() if key != "method"))


def titled(title: str, text: str) -> str:
    """Return a table under its title."""
    return f"{title}\n{text}"


def samples(results: Results) -> str:
    """Return the task's samples beside our answers."""
    answers = [answer for r in ended(results, "samples") for answer in r["answers"]]
    rows = [[*case, ours] for case, ours in zip(SAMPLES.items(), answers, strict=True)] if answers else []
    return titled("The task's samples", table(rows, ["words", "published", "ours"], "lr"))


def shiritori(results: Results) -> str:
    """Return what lists of words give."""
    found = ended(results, "words")
    rows = [
        [r["job"]["path"] or "random", number(r["words"]), number(r["positions"])]
        + [number(r["winners"].get(who, 0)) for who in ("Takahashi", "Aoki", "Draw")]
        + [seconds(r["seconds"])]
        for r in found
    ]
    headers = ["list", "words", "positions", "Takahashi", "Aoki", "Draw", "seconds"]
    text = titled("Shiritori", table(rows, headers, "lr"))
    text += f"\nat most 52 x 52 x 52 = {small_games.SYLLABLES:,} strings of three letters can be positions (slides)"
    for r in found:
        if r["job"]["path"] is not None:
            text += f"\nlongest decided game of {r['job']['path']}: {' '.join(r['longest'])}"
    if not DICTIONARY.exists():
        text += f"\nno dictionary at {DICTIONARY} here (Debian's package wamerican has one)"
    return text


def mates(results: Results) -> str:
    """Return the endgames' positions by moves to mate."""
    found = {r["job"]["piece"]: r for r in ended(results, "chess", method="explicit")}
    columns = [
        [found[piece][side]["draws"], *found[piece][side]["mates"]] for piece in found for side in ("white", "black")
    ]
    headers = ["moves to mate", *(f"K{piece}K, {side}" for piece in found for side in ("White", "Black"))]
    rows = [
        ["draw" if i == 0 else i - 1, *(column[i] if i < len(column) else "" for column in columns)]
        for i in range(max(map(len, columns), default=0))
    ]
    for i, row in enumerate(rows):
        row.append(KRK_DRAWS if i == 0 else KRK.get(i - 1, ""))
    title = "Endgames of chess: positions up to symmetry, by the side to move"
    text = titled(title, table(rows, [*headers, "KRK, Black, published"], "lr"))
    for piece, r in found.items():
        moves, white, black = LONGEST[piece]
        made, solved = seconds(r["making"]), seconds(r["seconds"])
        text += (
            f"\n\nK{piece}K: {r['positions']:,} positions, {r['edges']:,} moves made in {made} s, solved in "
            f"{solved} s; published longest mate {moves} moves, {counted(white, 'position')} with White to move and "
            f"{black} with Black\n{r['diagram']}\n{r['line']}"
        )
    return text


METHODS = {"explicit": BLUE, "symbolic": VERMILION}
Solved = dict[str, Result]
"""A graph's results by the method that solved it."""


def said(key: str, method: str = "", show: Callable[[Any], str] = number) -> Callable[[Solved], str]:
    """What a method's result says, or that of the first one."""
    return lambda found: show(found[method or next(iter(found))][key]) if not method or method in found else ""


SECONDS = {f"{method} [s]": said("seconds", method, seconds) for method in METHODS}


def timings(results: Results) -> str:
    """Return seconds by number of moves, explicit beside symbolic."""
    graphs: dict[tuple[Any, ...], Solved] = {}
    for r in ended(results, "random") + ended(results, "chess"):
        what = {"graph": f"K{r['job']['piece']}K", "moves": r["edges"]} if "piece" in r["job"] else {"graph": "random"}
        graphs.setdefault(case(r), {})[r["job"]["method"]] = {"moves": r["job"].get("edges"), **r, **what}
    outcomes = {"won": "wins", "drawn": "draws", "lost": "losses", "longest": "longest"}
    cells = {"graph": said("graph", show=str), "moves": said("moves")}
    cells |= {header: said(key) for header, key in outcomes.items()} | SECONDS
    first = [next(iter(found.values())) for found in graphs.values()]
    places = sorted(range(len(first)), key=lambda i: (first[i]["graph"], first[i]["moves"]))
    rows = [list(graphs.values())[i] for i in places]
    return titled("Time", columns(rows, cells, "lr"))


def nim_table(results: Results) -> str:
    """Return Nim by number of heaps."""
    games = groups(ended(results, "nim"), "heaps")
    rows = [{"job": {"heaps": heaps}} | {r["job"]["method"]: r for r in here} for heaps, here in sorted(games.items())]
    cells: dict[str, Callable[[Solved], Any]] = {
        "heaps": said("heaps", "job"),
        "positions": said("heaps", "job", lambda heaps: f"{4**heaps:,}" if heaps <= 20 else f"{4.0**heaps:.1e}"),
        "moves": said("edges", "explicit"),
        "longest": lambda row: row.get("explicit", row.get("symbolic", {}))["rounds"],
        "as Bouton": lambda row: "yes" if all(row[m]["bouton"] for m in METHODS if m in row) else "no",
        **SECONDS,
        "relation's nodes": said("nodes", "symbolic"),
    }
    return titled("Nim with heaps of 0 to 3", columns(rows, cells, "lr"))


def plot(figure: Any, results: Results) -> None:
    """Draw time against size, for random graphs and for Nim, and the endgames' positions by moves to mate."""
    left, middle, right = figure.subplots(1, 3)
    for method, colour in METHODS.items():
        points = [(r["job"]["edges"], r["seconds"]) for r in ended(results, "random", method=method)]
        chess = [(r["edges"], r["seconds"]) for r in ended(results, "chess", method=method, piece="R")]
        heaps = [(4.0 ** r["job"]["heaps"], r["seconds"]) for r in ended(results, "nim", method=method)]
        curve(left, points, ms=5, color=colour, label=f"{method}, random graphs")
        curve(left, chess, "*", ms=12, color=colour, label=f"{method}, king and rook against king")
        curve(middle, heaps, ms=5, color=colour, label=method)
    styles = {"R": (BLUE, "king and rook"), "Q": (ORANGE, "king and queen")}
    for r in ended(results, "chess", method="explicit"):
        colour, label = styles[r["job"]["piece"]]
        curve(right, enumerate(r["black"]["mates"]), color=colour, label=f"{label} against king")
    curve(right, KRK.items(), "kx", ms=8, label="published (Bain, van Hoff)")
    finish(left, "xy", xlabel="moves in the graph", ylabel="seconds", title="Graphs given as lists")
    finish(middle, "xy", xlabel="positions", ylabel="seconds", title="Nim, 4 to 40 heaps of 0 to 3")
    finish(right, xlabel="White's moves to mate, Black to move", title="Endgames of chess")
    right.set_ylabel("positions up to symmetry")


if __name__ == "__main__":
    main.start()
