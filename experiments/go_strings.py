"""The Maximum String Problem of Go: the published figures beside ours.

R. Miyashiro, Y. Yano, M. Muramatsu, 囲碁における連数最大化問題, RIMS Kôkyûroku 1584, 2008: MSP(2) to MSP(19), table 1
(seconds of the 0-1 programs of sections 2 and 3, CPLEX 10.1 on a Pentium 4) and table 2 (numbers of boards).

`python -m experiments.go_strings` ends within some minutes; the 0-1 programs need SciPy (the extra boardgames).
"""

from __future__ import annotations

import time
from typing import Any

from experiments.harness import File, Job, Limits, Options, Report, Result, Results, experiment, option, picture
from experiments.shared import BLUE, GREEN, VERMILION, done, of, seconds, table
from mines_dd.base.budget import Budget
from mines_dd.boardgames.go_strings import GoBoard, boards, maximum_strings, save_picture, solve_program

MAXIMA = dict(enumerate((2, 6, 12, 18, 26, 37, 48, 61, 76, 92, 109, 129, 149, 172, 196, 221, 248, 277), 2))
# Seconds by section.  Our copy of the table has lost most decimal points; they are set so that the text's "a whole
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


def run(job: Job) -> Result:
    """Do one job: "search", "count" or "program"."""
    n = job["n"]
    maximum_strings(12)  # kernels compiled
    if job["what"] == "program":
        solve_program(4)  # SciPy loaded
    started = time.perf_counter()
    if job["what"] == "count":
        family = boards(n, job["fewer"], with_cuts=job["cuts"], budget=Budget(timeout=job["timeout"]))
        result = {"count": str(family.count()), "nodes": family.node_count, "states": family.details["states"]}
    elif job["what"] == "program":
        best = solve_program(n, job["section"], timeout=job["timeout"])
        result = {"strings": best.strings, "nodes": best.details["nodes"], "board": best.board.to_text()}
    else:
        best = maximum_strings(n, budget=Budget(timeout=job["timeout"]))
        result = {"strings": best.strings, "states": best.details["states"], "board": best.board.to_text()}
    return result | {"seconds": time.perf_counter() - started}


def jobs(options: Options) -> list[Job]:
    """Searches, counts with the cuts of sections 2 and 3, and the programs of both sections."""
    largest, common = options.count, {"timeout": options.timeout}
    searches: list[Job] = [{"what": "search", "n": n} for n in range(2, options.search + 1)]
    counts: list[Job] = [
        {"what": "count", "n": n, "fewer": fewer, "cuts": with_cuts}
        for with_cuts in (False, True)
        for fewer in (0, 1)
        for n in range(2, largest + 1 - 2 * fewer)
        if not with_cuts or n <= 8
    ]
    programs: list[Job] = [
        {"what": "program", "n": n, "section": s} for n in range(2, options.program + 1) for s in (2, 3)
    ]
    return [job | common for job in [*searches, *counts, *programs]]


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
    yield table_1(searches, programs)
    yield table_2(counts)
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
        elif int(r["count"]) != BOARDS.get((job["n"], job["fewer"], job["cuts"]), int(r["count"])):
            raise SystemExit(f"{job}: {r['count']} boards, published otherwise")


def maxima(searches: Results) -> str:
    """Return MSP(n) beside the published values."""
    rows = []
    for r in searches:
        n, ended = r["job"]["n"], r["status"] == "done"
        found = [r["strings"], MAXIMA.get(n, ""), seconds(r["seconds"]), f"{r['states']:,}"] if ended else [r["status"]]
        rows.append([n, *found])
    return table(rows, ["n", "MSP(n)", "published", "search [s]", "states"], "r")


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
    return f"Table 1\n{table(rows, headers, 'r')}"


def table_2(counts: Results) -> str:
    """Return the numbers of boards beside the published ones."""
    rows = []
    for r in counts:
        job, ended = r["job"], r["status"] == "done"
        row = [job["n"], job["fewer"], "§3" if job["cuts"] else "§2", r["count"] if ended else r["status"]]
        row += [BOARDS.get((job["n"], job["fewer"], job["cuts"]), "")]
        rows.append(row + ([f"{r['nodes']:,}", f"{r['states']:,}", seconds(r["seconds"])] if ended else []))
    headers = ["n", "strings fewer", "program", "boards", "published", "ZDD nodes", "states", "seconds"]
    return f"Table 2\n{table(rows, headers, 'r')}"


def times(results: Results) -> tuple[list[int], list[float]]:
    """Return the n and the seconds of the runs that came to their end."""
    ended = done(results)
    return [r["job"]["n"] for r in ended], [r["seconds"] for r in ended]


def plot(figure: Any, searches: Results, programs: Results) -> None:
    """Draw the seconds to prove MSP(n): the paper's programs, the same with HiGHS, the search."""
    from matplotlib.ticker import MultipleLocator

    axes = figure.subplots()
    for section, colour in ((2, VERMILION), (3, BLUE)):
        published = {n: value for (n, s), value in SECONDS.items() if s == section}
        ours = times(of(programs, section=section))
        axes.plot(list(published), list(published.values()), "o-", color=colour, label=f"§{section}, CPLEX (paper)")
        axes.plot(*ours, "o--", mfc="white", color=colour, label=f"§{section}, HiGHS (ours)")
    axes.plot(*times(searches), "s-", color=GREEN, label="search (ours)")
    for value, said in ((60, "a minute"), (3600, "an hour"), (86400, "a day")):
        axes.axhline(value, color="0.8", lw=0.8, zorder=0)
        axes.text(2, value * 1.15, said, color="0.4", fontsize=8)
    axes.set(yscale="log", xlabel="n", ylabel="seconds", title="Proving the most strings on an n x n board")
    axes.xaxis.set_major_locator(MultipleLocator(2))
    axes.legend(fontsize=8)


if __name__ == "__main__":
    main.start()
