"""Retrograde analysis: published answers beside ours, and how long they take.

The task: AtCoder Beginner Contest 209, E, Shiritori; its four samples, 200,000 random words, a real dictionary if there
is one.  Chess: king and rook, and king and queen, against king; the numbers of positions by moves to mate of M. Bain
and A. van Hoff, Chess (King-Rook vs. King) data set, UCI Machine Learning Repository, 1994; the longest mates and how
many there are by guido, "Longest mate in kqk", Kirill Kryukov's discussion board.  Nim: C. L. Bouton, Nim, a game with
a complete mathematical theory, Annals of Mathematics 3, 1901.  Random graphs with two moves a position.

`python -m experiments.retrograde` ends within a minute or so.
"""

from __future__ import annotations

import random
import string
import time
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
from tabulate import tabulate

from experiments import harness
from mines_dd.boardgames.retrograde import (
    DRAW,
    LOSS,
    OPEN,
    Game,
    Solution,
    SymbolicGame,
    layers,
    new_manager,
    solve,
    solve_symbolically,
)
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

Squares = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, -1), (-1, 1))
_RAYS = {"R": _STRAIGHT, "Q": _STRAIGHT + _DIAGONAL}
# A position of the endgame is side << 18 | white king << 12 | piece << 6 | black king, squares a1 = 0, b1 = 1, ...;
# one more is "the piece has been captured".
_WHITE, _BLACK = 0, 1
_POSITIONS = 2**19


def endgame(piece: str) -> tuple[Game, Mask]:
    """Return the game of king and "R" or "Q" against king, and which of its positions are legal."""
    side, king, slider, black = _squares(np.arange(_POSITIONS))
    near, attacked = _near(), _attacked(piece)
    check = attacked[king, slider, black]
    legal = (king != slider) & (slider != black) & ~near[king, black] & ((side == _BLACK) | ~check)
    moves: list[tuple[Squares, Squares]] = []

    def add(mask: Mask, before: Squares, side: int, king: Squares, slider: Squares, black: Squares) -> None:
        after = np.broadcast_to(side << 18 | king << 12 | slider << 6 | black, mask.shape)
        moves.append((before[mask], after[mask]))

    white = np.flatnonzero(legal & (side == _WHITE))
    k, s, b = king[white], slider[white], black[white]
    for direction in _RAYS["Q"]:
        to, on_board = _step(k, direction, 1)
        add(on_board & (to != s) & ~near[to, b], white, _BLACK, to, s, b)
    for direction in _RAYS[piece]:
        free = np.ones(len(white), bool)
        for distance in range(1, 8):
            to, on_board = _step(s, direction, distance)
            free &= on_board & (to != k)  # the black king is never in the way: it is not in check
            add(free, white, _BLACK, k, to, b)
    turn = np.flatnonzero(legal & (side == _BLACK))
    k, s, b = king[turn], slider[turn], black[turn]
    for direction in _RAYS["Q"]:
        to, on_board = _step(b, direction, 1)
        allowed = on_board & ~near[to, k]
        add(allowed & (to != s) & ~attacked[k, s, to], turn, _WHITE, k, s, to)
        captures = turn[allowed & (to == s)]
        moves.append((captures, np.full(len(captures), _POSITIONS)))
    source, target = (np.concatenate(ends) for ends in zip(*moves, strict=True))
    stuck = np.bincount(source, minlength=_POSITIONS) == 0
    given = np.full(_POSITIONS + 1, OPEN, np.int8)
    given[:-1][~legal | (stuck & ~check)] = DRAW  # stalemate; without a move in check it is mate, a loss
    given[-1] = DRAW
    return Game(given, source, target), legal


def distinct() -> Mask:
    """Return for each position of an endgame whether it is the first of those that are the same up to symmetry."""
    _, *squares = _squares(np.arange(_POSITIONS))
    codes = []
    for flips in range(8):
        turned = []
        for square in squares:
            file, rank = square % 8, square // 8
            file, rank = (7 - file if flips & 1 else file), (7 - rank if flips & 2 else rank)
            turned.append(8 * file + rank if flips & 4 else 8 * rank + file)
        codes.append(turned[0] << 12 | turned[1] << 6 | turned[2])
    first: Mask = np.minimum.reduce(codes) == codes[0]
    return first


def _squares(position: Any) -> tuple[Any, Any, Any, Any]:
    """The side to move, and the squares of white king, piece and black king."""
    return position >> 18, position >> 12 & 63, position >> 6 & 63, position & 63


def _step(square: Squares, direction: tuple[int, int], distance: int) -> tuple[Squares, Mask]:
    """The square so many steps on, and whether there is one."""
    file, rank = square % 8 + direction[0] * distance, square // 8 + direction[1] * distance
    on_board = (file >= 0) & (file < 8) & (rank >= 0) & (rank < 8)
    return np.where(on_board, 8 * rank + file, 0), on_board


def _near() -> Mask:
    """Whether two squares are the same or a king's move apart."""
    square = np.arange(64)
    files, ranks = (abs(x[:, None] - x) for x in (square % 8, square // 8))
    near: Mask = np.maximum(files, ranks) <= 1
    return near


def _attacked(piece: str) -> Mask:
    """Whether, with the white king here, the piece there attacks a square."""
    attacked = np.zeros((64, 64, 64), bool)
    king, slider = (squares.ravel() for squares in np.indices((64, 64)))
    for direction in _RAYS[piece]:
        free = king != slider
        for distance in range(1, 8):
            to, on_board = _step(slider, direction, distance)
            free &= on_board & (to != king)
            attacked[king[free], slider[free], to[free]] = True
    return attacked


def nim(heaps: int) -> SymbolicGame:
    """Return Nim with heaps of 0 to 3, a heap two bits, as formulas: one heap becomes less, the others stay."""
    manager = new_manager()
    pairs = [[(f"x{heap}_{bit}", f"y{heap}_{bit}") for bit in "10"] for heap in range(heaps)]
    manager.declare(*(name for heap in pairs for pair in heap for name in pair))
    one, none = manager.false, manager.true  # of the heaps so far, one has become less, none has changed
    for heap in reversed(pairs):
        less, same = manager.false, manager.true
        for here, there in heap:
            before, after = manager.var(here), manager.var(there)
            less |= same & before & ~after
            same &= before.equiv(after)
        one, none = (one & same) | (none & less), none & same
    before_move, after_move = (tuple(pair[end] for heap in pairs for pair in heap) for end in (0, 1))
    return SymbolicGame(manager, before_move, after_move, one, manager.true, manager.false, manager.false)


def nim_graph(heaps: int) -> Game:
    """Return the same as a graph; position i's heaps are its digits in base 4."""
    positions = np.arange(4**heaps)
    sources, targets = [], []
    for unit in 4 ** np.arange(heaps):
        for taken in (1, 2, 3):
            source = positions[positions // unit % 4 >= taken]
            sources.append(source)
            targets.append(source - taken * unit)
    return Game.from_moves(len(positions), np.concatenate(sources), np.concatenate(targets))


def run(job: harness.Job) -> harness.Result:
    """Do one job."""
    solve_symbolically(solve(Game.from_moves(2, [1], [0])).game)  # kernels compiled, dd loaded
    work = {"random": run_random, "chess": run_chess, "nim": run_nim, "words": run_words, "samples": run_samples}
    return work[job["what"]](job)


def run_random(job: harness.Job) -> harness.Result:
    """Solve a random graph with two moves a position."""
    rng = np.random.default_rng(job["seed"])
    positions = job["edges"] // 2
    game = Game.from_moves(positions, *rng.integers(0, positions, (2, job["edges"])))
    solution, seconds = timed(game, job["method"])
    return {"seconds": seconds, **summary(solution, np.arange(positions))}


def run_chess(job: harness.Job) -> harness.Result:
    """Solve an endgame; count positions by moves to mate, up to symmetry."""
    started = time.perf_counter()
    game, legal = endgame(job["piece"])
    made = time.perf_counter() - started
    solution, seconds = timed(game, job["method"])
    result: harness.Result = {
        "making": made,
        "seconds": seconds,
        "edges": len(game.source),
        "positions": int(legal.sum()),
    }
    side, kept = np.arange(_POSITIONS) >> 18, legal & distinct()
    for colour, turn in (("white", _WHITE), ("black", _BLACK)):
        distance = solution.distance[:-1][kept & (side == turn)]
        mates = np.bincount((distance[distance >= 0] + 1) // 2).tolist()
        result[colour] = {"draws": int((distance < 0).sum()), "mates": mates}
    longest = int(np.argmax(np.where(legal & kept & (side == _WHITE), solution.distance[:-1], -1)))
    result |= {"line": line(solution, longest, job["piece"]), "diagram": diagram(longest, job["piece"])}
    return result | summary(solution, np.flatnonzero(legal))


def run_nim(job: harness.Job) -> harness.Result:
    """Solve Nim, and compare with Bouton: lost exactly if the heaps' sum without carry is 0."""
    heaps = job["heaps"]
    if job["method"] == "explicit":
        game = nim_graph(heaps)
        solution, seconds = timed(game, "explicit")
        nim_sum = np.bitwise_xor.reduce([np.arange(4**heaps) // 4**heap % 4 for heap in range(heaps)])
        agrees = bool(((solution.outcome == LOSS) == (nim_sum == 0)).all())
        return {"seconds": seconds, "edges": len(game.source), "rounds": int(solution.distance.max()), "bouton": agrees}
    started = time.perf_counter()
    symbolic = nim(heaps)
    lost, rounds = symbolic.lost, -1
    for _, newly_lost in layers(symbolic):
        lost, rounds = lost | newly_lost, rounds + 1
    seconds = time.perf_counter() - started
    manager, zero = symbolic.manager, symbolic.manager.true
    for bit in "10":
        odd = manager.false
        for heap in range(heaps):
            odd = manager.apply("xor", odd, manager.var(f"x{heap}_{bit}"))
        zero &= ~odd
    return {"seconds": seconds, "nodes": len(symbolic.moves), "rounds": rounds, "bouton": bool(lost == zero)}


def run_words(job: harness.Job) -> harness.Result:
    """Play with a list of words, or with random ones of the task's largest size."""
    if job["path"] is None:
        rng = random.Random(job["seed"])
        words: Sequence[str] = [
            "".join(rng.choices(string.ascii_letters, k=rng.randint(3, 8))) for _ in range(job["count"])
        ]
    else:
        words = read_words(job["path"], skip=True)
    started = time.perf_counter()
    game = solve_shiritori(words)
    winners, lengths = game.winners(), game.lengths()
    seconds = time.perf_counter() - started
    longest = max(range(len(words)), key=lambda i: lengths[i] or 0)
    return {
        "seconds": seconds,
        "words": len(words),
        "positions": len(game.solution.outcome),
        "winners": Counter(winners),
        "longest": game.play(words[longest]),
    }


def run_samples(job: harness.Job) -> harness.Result:
    """Answer the task's samples."""
    return {"answers": [" ".join(solve_shiritori(words.split()).winners()) for words in SAMPLES]}


def timed(game: Game, method: str) -> tuple[Solution, float]:
    """Solve a game and say how many seconds it took."""
    started = time.perf_counter()
    solution = solve(game) if method == "explicit" else solve_symbolically(game)
    return solution, time.perf_counter() - started


def summary(solution: Solution, positions: Squares) -> dict[str, Any]:
    """Return the numbers of outcomes of these positions, and a digest of all that two methods have to agree on."""
    losses, draws, wins = np.bincount(solution.outcome[positions] + 1, minlength=3).tolist()
    digest = zlib.crc32(solution.outcome.tobytes() + solution.distance.tobytes())
    return {"wins": wins, "draws": draws, "losses": losses, "longest": int(solution.distance.max()), "digest": digest}


def line(solution: Solution, position: int, piece: str) -> str:
    """Return a game of best moves in chess notation."""
    said = []
    for number, move in enumerate(solution.line(position)):
        before, after = (_squares(int(ends[move])) for ends in (solution.game.source, solution.game.target))
        moved = next(i for i in (1, 2, 3) if before[i] != after[i])
        to = after[moved]
        said.append(f"{number // 2 + 1}. " * (number % 2 == 0) + f"{'K' if moved != 2 else piece}{name(to)}")
    return " ".join(said) + "#"


def name(square: int) -> str:
    """Return a square's name."""
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


def diagram(position: int, piece: str) -> str:
    """Return the board: capitals are White's."""
    _, king, slider, black = _squares(position)
    men = {king: "K", slider: piece, black: "k"}
    return "\n".join(" ".join(men.get(8 * rank + file, ".") for file in range(8)) for rank in range(7, -1, -1))


@click.command(help=__doc__)
@click.option(
    "--edges",
    default=7,
    show_default=True,
    help="Random graphs of up to 10 to the power of this many moves, explicitly.",
)
@click.option("--symbolic-edges", default=4.0, show_default=True, help="The same, with BDDs.")
@click.option("--chess/--no-chess", default=True, show_default=True, help="Solve KRK with BDDs too, the longest run.")
@click.option(
    "--words",
    type=click.Path(dir_okay=False, exists=True),
    default=str(WORDS),
    show_default=True,
    help="A list of words.",
)
@click.option("--seed", default=1, show_default=True)
@click.option("--timeout", default=60.0, show_default=True, help="Seconds a run may take.")
@click.option("--memory", default=4.0, show_default=True, help="GiB a run may use.")
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), default=Path("results/retrograde"), show_default=True
)
def main(
    edges: int,
    symbolic_edges: float,
    chess: bool,
    words: str,
    seed: int,
    timeout: float,
    memory: float,
    output: Path,
) -> None:
    sizes = {"explicit": range(3, edges + 1), "symbolic": np.arange(3, symbolic_edges + 0.25, 0.5).tolist()}
    jobs: list[harness.Job] = [{"what": "samples"}]
    jobs += [
        {"what": "random", "edges": round(10**size), "method": method, "seed": seed}
        for method in sizes
        for size in sizes[method]
    ]
    jobs += [{"what": "nim", "heaps": heaps, "method": "explicit"} for heaps in (4, 7, 10)]
    jobs += [{"what": "nim", "heaps": heaps, "method": "symbolic"} for heaps in (4, 7, 10, 20, 40)]
    jobs += [{"what": "chess", "piece": piece, "method": "explicit"} for piece in LONGEST]
    jobs += [{"what": "chess", "piece": "R", "method": "symbolic"}] * chess
    jobs += [{"what": "words", "path": None, "count": 200_000, "seed": seed}, {"what": "words", "path": words}]
    jobs += [{"what": "words", "path": str(DICTIONARY)}] * DICTIONARY.exists()
    results = harness.sweep(run, jobs, output / "runs.jsonl", timeout=timeout, memory=int(memory * 2**30))
    check(results)
    facts = "\n".join(f"{key}: {value}" for key, value in harness.environment().items())
    text = "\n\n".join(
        [samples(results), shiritori(results), mates(results), timings(results), nim_table(results), facts]
    )
    harness.write_text(output / "tables.txt", text + "\n")
    print(text)
    plot(results, output / "retrograde.png")
    print(f"\n{output / 'tables.txt'}, {output / 'retrograde.png'}, {output / 'runs.jsonl'}")


def of(results: Sequence[harness.Result], what: str, **job: Any) -> list[harness.Result]:
    """Return the results of a kind that came to their end."""
    return [r for r in results if r["status"] == "done" and {"what": what, **job}.items() <= r["job"].items()]


def check(results: Sequence[harness.Result]) -> None:
    """Every published number has to come out, and both methods have to agree."""
    for r in of(results, "samples"):
        if r["answers"] != list(SAMPLES.values()):
            raise SystemExit(f"the task's samples come out as {r['answers']}")
    for r in of(results, "nim"):
        if not r["bouton"]:
            raise SystemExit(f"{r['job']}: not as Bouton proved")
    for r in of(results, "chess"):
        piece = r["job"]["piece"]
        moves, white, black = LONGEST[piece]
        found = tuple((len(r[side]["mates"]) - 1, r[side]["mates"][-1]) for side in ("white", "black"))
        if found != ((moves, white), (moves, black)):
            raise SystemExit(f"{r['job']}: the longest mates come out as {found}")
        if piece == "R" and (r["black"]["mates"], r["black"]["draws"]) != (list(KRK.values()), KRK_DRAWS):
            raise SystemExit(f"{r['job']}: not the published numbers of positions: {r['black']}")
    explicit = {case(r): r["digest"] for what in ("random", "chess") for r in of(results, what, method="explicit")}
    for what in ("random", "chess"):
        for r in of(results, what, method="symbolic"):
            if r["digest"] != explicit.get(case(r), r["digest"]):
                raise SystemExit(f"{r['job']}: the two methods do not agree")


def case(result: harness.Result) -> tuple[Any, ...]:
    """Return what was solved, by whichever method."""
    return tuple(sorted((key, value) for key, value in result["job"].items() if key != "method"))


def table(title: str, rows: Sequence[Sequence[Any]], headers: Sequence[str]) -> str:
    """Return a table under its title; the first column is text, the others are numbers already written."""
    text: str = tabulate(
        rows, headers, disable_numparse=True, colalign=("left", *["right"] * (len(headers) - 1)) if rows else None
    )
    return f"{title}\n{text}"


def samples(results: Sequence[harness.Result]) -> str:
    """Return the task's samples beside our answers."""
    answers = [answer for r in of(results, "samples") for answer in r["answers"]]
    rows = [[*case, ours] for case, ours in zip(SAMPLES.items(), answers, strict=True)] if answers else []
    return table("The task's samples", rows, ["words", "published", "ours"])


def shiritori(results: Sequence[harness.Result]) -> str:
    """Return what lists of words give."""
    rows = [
        [
            r["job"]["path"] or "random",
            f"{r['words']:,}",
            f"{r['positions']:,}",
            *(f"{r['winners'].get(who, 0):,}" for who in ("Takahashi", "Aoki", "Draw")),
            f"{r['seconds']:.3f}",
        ]
        for r in of(results, "words")
    ]
    text = table("Shiritori", rows, ["list", "words", "positions", "Takahashi", "Aoki", "Draw", "seconds"])
    for r in of(results, "words"):
        if r["job"]["path"] is not None:
            text += f"\nlongest decided game of {r['job']['path']}: {' '.join(r['longest'])}"
    if not DICTIONARY.exists():
        text += f"\nno dictionary at {DICTIONARY} here (Debian's package wamerican has one)"
    return text


def mates(results: Sequence[harness.Result]) -> str:
    """Return the endgames' positions by moves to mate."""
    found = {r["job"]["piece"]: r for r in of(results, "chess", method="explicit")}
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
    text = table(title, rows, [*headers, "KRK, Black, published"])
    for piece, r in found.items():
        moves, white, black = LONGEST[piece]
        text += (
            f"\n\nK{piece}K: {r['positions']:,} positions, {r['edges']:,} moves made in {r['making']:.2f} s, solved in "
            f"{r['seconds']:.2f} s; published longest mate {moves} moves, {white} positions with White to move and "
            f"{black} with Black\n{r['diagram']}\n{r['line']}"
        )
    return text


def timings(results: Sequence[harness.Result]) -> str:
    """Return seconds by number of moves, explicit beside symbolic."""
    graphs: dict[tuple[Any, ...], dict[str, Any]] = {}
    for what in ("random", "chess"):
        for r in of(results, what):
            label = "random" if what == "random" else f"K{r['job']['piece']}K"
            row = graphs.setdefault(
                case(r), {"graph": label, "edges": r["edges"] if what == "chess" else r["job"]["edges"]}
            )
            row.update({key: r[key] for key in ("wins", "draws", "losses", "longest")})
            row[r["job"]["method"]] = r["seconds"]
    rows = [
        [
            row["graph"],
            *(f"{row[key]:,}" for key in ("edges", "wins", "draws", "losses", "longest")),
            *(f"{row[method]:.4f}" if method in row else "" for method in ("explicit", "symbolic")),
        ]
        for row in sorted(graphs.values(), key=lambda row: (row["graph"], row["edges"]))
    ]
    headers = ["graph", "moves", "won", "drawn", "lost", "longest", "explicit [s]", "symbolic [s]"]
    return table("Time", rows, headers)


def nim_table(results: Sequence[harness.Result]) -> str:
    """Return Nim by number of heaps."""
    games: dict[int, dict[str, harness.Result]] = {}
    for r in of(results, "nim"):
        games.setdefault(r["job"]["heaps"], {})[r["job"]["method"]] = r
    rows = []
    for heaps, by_method in sorted(games.items()):
        explicit, symbolic = by_method.get("explicit"), by_method.get("symbolic")
        either = [r for r in (explicit, symbolic) if r]
        rows.append(
            [
                heaps,
                f"{4**heaps:,}" if heaps <= 20 else f"{4.0**heaps:.1e}",
                f"{explicit['edges']:,}" if explicit else "",
                either[0]["rounds"],
                "yes" if all(r["bouton"] for r in either) else "no",
                f"{explicit['seconds']:.4f}" if explicit else "",
                f"{symbolic['seconds']:.4f}" if symbolic else "",
                f"{symbolic['nodes']:,}" if symbolic else "",
            ]
        )
    headers = [
        "heaps",
        "positions",
        "moves",
        "longest",
        "as Bouton",
        "explicit [s]",
        "symbolic [s]",
        "relation's nodes",
    ]
    return table("Nim with heaps of 0 to 3", rows, headers)


def plot(results: Sequence[harness.Result], path: Path) -> None:
    """Save time against size, for random graphs and for Nim, and the endgames' positions by moves to mate."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
    colours = {"explicit": "#0072B2", "symbolic": "#D55E00"}
    for method, colour in colours.items():
        points = sorted((r["job"]["edges"], r["seconds"]) for r in of(results, "random", method=method))
        chess = [(r["edges"], r["seconds"]) for r in of(results, "chess", method=method, piece="R")]
        heaps = sorted((4.0 ** r["job"]["heaps"], r["seconds"]) for r in of(results, "nim", method=method))
        for axes, series, marker, label in (
            (left, points, "o-", f"{method}, random graphs"),
            (left, chess, "*", f"{method}, king and rook against king"),
            (middle, heaps, "o-", method),
        ):
            if series:
                axes.plot(*zip(*series, strict=True), marker, color=colour, label=label, ms=12 if marker == "*" else 5)
    left.set(xscale="log", yscale="log", xlabel="moves in the graph", ylabel="seconds", title="Graphs given as lists")
    middle.set(xscale="log", yscale="log", xlabel="positions", ylabel="seconds", title="Nim, 4 to 40 heaps of 0 to 3")
    styles = {"R": ("#0072B2", "king and rook"), "Q": ("#E69F00", "king and queen")}
    for r in of(results, "chess", method="explicit"):
        colour, label = styles[r["job"]["piece"]]
        counts = r["black"]["mates"]
        right.plot(range(len(counts)), counts, "o-", color=colour, label=f"{label} against king")
    right.plot(list(KRK), list(KRK.values()), "kx", ms=8, label="published (Bain, van Hoff)")
    right.set(
        xlabel="White's moves to mate, Black to move", ylabel="positions up to symmetry", title="Endgames of chess"
    )
    for axes in (left, middle, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    fig.savefig(path, dpi=110)
    plt.close(fig)


if __name__ == "__main__":
    harness.command(lambda: main.main(standalone_mode=False))
