"""The Maximum String Problem of Go: the published figures beside ours.

R. Miyashiro, Y. Yano, M. Muramatsu, 囲碁における連数最大化問題, RIMS Kôkyûroku 1584, 2008: MSP(2) to MSP(19), figures
1, 2 and 4, table 1 (seconds of the 0-1 programs of sections 2 and 3, CPLEX 10.1 on a Pentium 4), table 2 (numbers of
boards), and the claim that section 3 raises the optimum of the linear relaxation.

How measured: seconds of processor time in one process a run, kernels loaded before.  HiGHS's seconds, and when it has
its best board, are by its own clock.  `python -m experiments.go_strings` ends within some minutes; the 0-1 programs
need the extra boardgames.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import mean
from typing import Any, Literal

from experiments.harness import File, Job, Limits, Options, Report, Result, Results, experiment, option, picture
from experiments.shared import BLUE, GREEN, VERMILION, columns, crossed, curve, done, finish, number, of, seconds, table
from mines_dd.base.budget import Budget
from mines_dd.boardgames.go_board import GoBoard, save_picture
from mines_dd.boardgames.go_program import centre_patterns, fewest_empty_relaxed, solve_program
from mines_dd.boardgames.go_strings import boards, maximum_strings

SECTIONS: tuple[Literal[2], Literal[3]] = (2, 3)
MAXIMA = dict(enumerate((2, 6, 12, 18, 26, 37, 48, 61, 76, 92, 109, 129, 149, 172, 196, 221, 248, 277), 2))
# Seconds by section.  Our copy of the table has lost most decimal points (all but those of 7.3 and 34.0, and of
# n = 19); they are set so that the text's "a whole
# day", "nearly ten days", "about 40 days" and "35% less on average" come out.
SECONDS = {
    (n, section): seconds
    for section, column in (
        (2, (7.3, 15.5, 53.5, 387.4, 516.3, 1269.6, 86461.1, 823326.1)),
        (3, (7.3, 11.4, 34.0, 155.2, 186.9, 1494.7, 46765.9, 306715.2, 3440752.8)),
    )
    for n, seconds in enumerate(column, 11)
}
# Boards by (n, strings fewer, with section 3's cuts).
BOARDS = {
    (5, 0, False): 22,
    (5, 1, False): 1545,
    (5, 0, True): 7,
    (5, 1, True): 437,
    (6, 0, False): 288,
    (6, 1, False): 20896,
    (6, 0, True): 64,
    (6, 1, True): 4745,
}


# Figure 1 is lost; these boards are as its caption and the text say: two strings each, and a board not allowed.
FEASIBLE, INFEASIBLE = "X#O\n#X#\nO##", "OX#\nX#X\n#XO"


def run(job: Job) -> Result:
    """Do one job: "search", "count", "program" or "relaxation"."""
    n = job["n"]
    maximum_strings(12)  # kernels compiled
    if job["what"] in ("program", "relaxation"):
        solve_program(4)  # the solver's process started
    started = time.process_time()
    if job["what"] == "count":
        family = boards(n, job["fewer"], with_cuts=job["cuts"], budget=Budget(timeout=job["timeout"]))
        result = {"count": str(family.count()), "nodes": family.node_count, "states": family.details["states"]}
    elif job["what"] == "program":
        best = solve_program(n, job["section"], budget=Budget(timeout=job["timeout"]))
        result = {"strings": best.strings, "board": best.board.to_text()} | best.details
    elif job["what"] == "relaxation":
        result = {str(section): fewest_empty_relaxed(n, section) for section in SECTIONS}
    else:
        best = maximum_strings(n, budget=Budget(timeout=job["timeout"]))
        result = {"strings": best.strings, "states": best.details["states"], "board": best.board.to_text()}
        result["refuted"] = len(best.details["refuted"])
    return {"seconds": time.process_time() - started} | result


def jobs(options: Options) -> list[Job]:
    """Searches, counts with the cuts of sections 2 and 3, and the programs of both sections."""
    counts = [
        job
        for job in crossed(what=["count"], cuts=(False, True), fewer=(0, 1), n=range(2, options.count + 1))
        if job["n"] <= options.count - 2 * job["fewer"] and (job["n"] <= 8 or not job["cuts"])
    ]
    found = crossed(what=["search"], n=range(2, options.search + 1)) + counts
    found += crossed(what=["program"], n=range(2, options.program + 1), section=SECTIONS)
    found += crossed(what=["relaxation"], n=range(2, options.search + 1)) if options.program else []
    return [job | {"timeout": options.timeout} for job in found]


@experiment(
    option("--search", 20, "Largest n for the search."),
    option("--count", 16, "Largest n for the optimal boards; two less for one short."),
    option("--program", 12, "Largest n for the 0-1 programs; 0 leaves them out."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=60, memory=4, times=1.1, more=30),
    minutes=8,
    quick="--search 12 --count 7 --program 5 --workers 2",
)
def main(results: Results, options: Options) -> Report:
    """MSP(n) and both tables beside the published ones, the largest board, and the seconds as a plot."""
    check(results)
    searches, counts, programs = (of(results, what=what) for what in ("search", "count", "program"))
    yield maxima(searches)
    yield figures()
    yield table_1(searches, programs)
    yield proofs(programs)
    yield relaxations(of(results, what="relaxation"))
    yield table_2(counts)
    yield quarters(counts)
    best = max(done(searches), key=lambda r: r["job"]["n"])
    yield File("board.png", lambda path: save_picture(path, GoBoard.parse(best["board"])))
    yield picture("seconds.png", (7.5, 4.6), lambda figure: plot(figure, searches, programs))


def check(results: Results) -> None:
    """Every board must be legal and have its strings; every number must be the published one."""
    for r in done(results):
        job = r["job"]
        if "board" in r:
            board = GoBoard.parse(r["board"])
            if not board.is_legal() or len(board.strings()) != r["strings"]:
                raise SystemExit(f"the board for {job} does not have its {r['strings']} strings")
            if r["strings"] != MAXIMA.get(job["n"], r["strings"]):
                raise SystemExit(f"{job}: {r['strings']} strings, published {MAXIMA[job['n']]}")
        elif "count" in r and int(r["count"]) != BOARDS.get((job["n"], job["fewer"], job["cuts"]), int(r["count"])):
            raise SystemExit(f"{job}: {r['count']} boards, published otherwise")


def ended(cell: Callable[[Result], Any], status: bool = False) -> Callable[[Result], Any]:
    """What a run says that came to its end; `status`: of another how it ended."""
    return lambda r: cell(r) if r["status"] == "done" else r["status"] if status else ""


def maxima(searches: Results) -> str:
    """Return MSP(n) beside the published values."""
    cells: dict[str, Callable[[Result], Any]] = {
        "n": lambda r: r["job"]["n"],
        "MSP(n)": ended(lambda r: r["strings"], status=True),
        "published": ended(lambda r: MAXIMA.get(r["job"]["n"], "")),
        "search [s]": ended(lambda r: seconds(r["seconds"])),
        "states": ended(lambda r: number(r["states"])),
    }
    return columns(searches, cells, "r")


def figures() -> str:
    """Return figures 1 and 4."""
    said = []
    for text in (FEASIBLE, INFEASIBLE):
        board = GoBoard.parse(text)
        black = sum(string.colour == "X" for string in board.strings())
        said.append(
            [
                text.replace("\n", "/"),
                f"{black} black, {len(board.strings()) - black} white",
                "allowed" if board.is_legal() else "not allowed",
            ]
        )
    patterns = " ".join("".join("#O"[1 - empty] for empty in pattern) for pattern in centre_patterns())
    return (
        f"Figure 1 (lost; boards as its text describes)\n{table(said, ['board', 'strings', 'by the rules'])}\n\n"
        "Figure 4: of 16 patterns of the four central points (# empty, O a stone; upper left, upper right, lower left, "
        f"lower right) the conditions leave {len(centre_patterns())}, published 6\n{patterns}"
    )


def proofs(programs: Results) -> str:
    """Return when HiGHS has a best board and how long its proof takes after that."""
    cells: dict[str, Callable[[Result], Any]] = {
        "n": lambda r: r["job"]["n"],
        "program": lambda r: f"§{r['job']['section']}",
        "found [s]": lambda r: "" if r["found"] is None else f"{r['found']:.1f}",
        "proof after [s]": lambda r: "" if r["found"] is None else f"{max(0, r['seconds'] - r['found']):.1f}",
        "nodes": lambda r: number(r["nodes"]),
    }
    title = "When a best board is found (paper: after ten minutes, at 17 and 19, and then a day and forty)"
    return f"{title}\n{columns([r for r in done(programs) if r['job']['n'] >= 8], cells, 'r')}"


def relaxations(results: Results) -> str:
    """Return the optima of the linear relaxations beside the fewest empty points."""
    cells: dict[str, Callable[[Result], Any]] = {
        "n": lambda r: r["job"]["n"],
        "§2": lambda r: f"{r['2']:.3f}",
        "§3": lambda r: f"{r['3']:.3f}",
        "more": lambda r: f"{r['3'] - r['2']:.3f}",
        "whole": lambda r: r["job"]["n"] ** 2 - MAXIMA[r["job"]["n"]] if r["job"]["n"] in MAXIMA else "",
    }
    title = "Least empty points: optima of the linear relaxations (paper: section 3 raises them, without figures)"
    return f"{title}\n{columns(done(results), cells, 'r')}"


def quarters(counts: Results) -> str:
    """Return the shares of boards that section 3 leaves; the paper says about a quarter for n = 5 and 6."""
    found = {(r["job"]["n"], r["job"]["fewer"], r["job"]["cuts"]): int(r["count"]) for r in done(counts)}
    rows = [
        [n, fewer, f"{found[n, fewer, True]:,} of {count:,}", f"{found[n, fewer, True] / count:.3f}"]
        for (n, fewer, with_cuts), count in sorted(found.items())
        if not with_cuts and (n, fewer, True) in found
    ]
    title = "Boards that section 3 leaves (paper: about a quarter for n = 5 and 6)"
    return f"{title}\n{table(rows, ['n', 'strings fewer', 'boards', 'share'], 'r')}"


def table_1(searches: Results, programs: Results) -> str:
    """Return the seconds of both formulations with HiGHS, beside CPLEX's and the search's."""
    search = {r["job"]["n"]: seconds(r["seconds"]) for r in done(searches)}
    ours = {
        (r["job"]["n"], r["job"]["section"]): seconds(r["seconds"])
        if r["status"] == "done"
        else f"> {r['job']['timeout']:g}"
        for r in programs
    }
    rows = [
        [n, *(ours.get((n, s), "") for s in (2, 3)), *(SECONDS.get((n, s), "") for s in (2, 3)), search.get(n, "")]
        for n in range(5, 20)
    ]
    headers = ["n", "§2 HiGHS [s]", "§3 HiGHS [s]", "§2 paper [s]", "§3 paper [s]", "search [s]"]
    both = [n for n in range(11, 20) if all(ours.get((n, s), ">")[0] != ">" for s in SECTIONS)]
    ratios = [float(ours[n, 3]) / float(ours[n, 2]) for n in both]
    said = (
        f"HiGHS: §3 takes {mean(ratios):.2f} times as long as §2, on average of n = {both[0]} to {both[-1]}"
        if both
        else ""
    )
    paper = [SECONDS[n, 3] / SECONDS[n, 2] for n in range(11, 19)]
    said += f"\npaper, decimal points as restored by us: {mean(paper):.2f} times, of n = 11 to 18 (text: 35% less)"
    return f"Table 1 (most of the paper's decimal points are restored by us)\n{table(rows, headers, 'r')}\n{said}"


def table_2(counts: Results) -> str:
    """Return the numbers of boards beside the published ones."""
    cells: dict[str, Callable[[Result], Any]] = {
        "n": lambda r: r["job"]["n"],
        "strings fewer": lambda r: r["job"]["fewer"],
        "program": lambda r: "§3" if r["job"]["cuts"] else "§2",
        "boards": ended(lambda r: r["count"], status=True),
        "published": lambda r: BOARDS.get((r["job"]["n"], r["job"]["fewer"], r["job"]["cuts"]), ""),
        "ZDD nodes": ended(lambda r: number(r["nodes"])),
        "states": ended(lambda r: number(r["states"])),
        "seconds": ended(lambda r: seconds(r["seconds"])),
    }
    return f"Table 2\n{columns(counts, cells, 'r')}"


def times(results: Results) -> list[tuple[int, float]]:
    """Return the n and the seconds of the runs that came to their end."""
    return [(r["job"]["n"], r["seconds"]) for r in done(results)]


def plot(figure: Any, searches: Results, programs: Results) -> None:
    """Draw the seconds to prove MSP(n): the paper's programs, the same with HiGHS, the search."""
    from matplotlib.ticker import MultipleLocator

    axes = figure.subplots()
    for section, colour in ((2, VERMILION), (3, BLUE)):
        published = [(n, value) for (n, s), value in SECONDS.items() if s == section]
        curve(axes, published, color=colour, label=f"§{section}, CPLEX (paper)")
        ours = times(of(programs, section=section))
        curve(axes, ours, "o--", mfc="white", color=colour, label=f"§{section}, HiGHS (ours)")
    curve(axes, times(searches), "s-", color=GREEN, label="search (ours)")
    for value, said in ((60, "a minute"), (3600, "an hour"), (86400, "a day")):
        axes.axhline(value, color="0.8", lw=0.8, zorder=0)
        axes.text(2, value * 1.15, said, color="0.4", fontsize=8)
    finish(axes, "y", xlabel="n", ylabel="seconds", title="Proving the most strings on an n x n board")
    axes.xaxis.set_major_locator(MultipleLocator(2))


if __name__ == "__main__":
    main.start()
