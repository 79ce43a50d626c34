"""The Maximum String Problem of Go: the published figures beside ours.

R. Miyashiro, Y. Yano, M. Muramatsu, 囲碁における連数最大化問題, RIMS Kôkyûroku 1584, 2008: MSP(2) to MSP(19), table 1
(seconds of the 0-1 programs of sections 2 and 3, CPLEX 10.1 on a Pentium 4) and table 2 (numbers of boards).

`python -m experiments.go_strings` ends within some minutes; the 0-1 programs need SciPy (the extra boardgames).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click
from tabulate import tabulate

from experiments import harness
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


def run(job: harness.Job) -> harness.Result:
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


@click.command(help=__doc__)
@click.option("--search", default=20, show_default=True, help="Largest n for the search.")
@click.option(
    "--count", default=16, show_default=True, help="Largest n for the optimal boards; two less for one short."
)
@click.option("--program", default=12, show_default=True, help="Largest n for the 0-1 programs; 0 leaves them out.")
@click.option("--timeout", default=60.0, show_default=True, help="Seconds a run may take.")
@click.option("--memory", default=4.0, show_default=True, help="GiB a run may use.")
@harness.output("go_strings")
def main(search: int, count: int, program: int, timeout: float, memory: float, output: Path) -> None:
    common = {"timeout": timeout}
    jobs = [{"what": "search", "n": n, **common} for n in range(2, search + 1)]
    jobs += [
        {"what": "count", "n": n, "fewer": fewer, "cuts": with_cuts, **common}
        for with_cuts in (False, True)
        for fewer in (0, 1)
        for n in range(2, count + 1 - 2 * fewer)
        if not with_cuts or n <= 8
    ]
    jobs += [{"what": "program", "n": n, "section": s, **common} for n in range(2, program + 1) for s in (2, 3)]
    results = harness.sweep(
        run, jobs, output / "runs.jsonl", timeout=timeout * 1.1 + 30, memory=int(memory * 2**30), workers=1
    )
    check(results)
    text = "\n\n".join([maxima(results), table_1(results), table_2(results), harness.facts()])
    harness.write_text(output / "tables.txt", text + "\n")
    print(text)
    best = max((r for r in results if of(r, "search") and done(r)), key=lambda r: r["job"]["n"])
    save_picture(output / "board.png", GoBoard.parse(best["board"]))
    plot(results, output / "seconds.png")
    print(f"\n{', '.join(str(output / name) for name in ('tables.txt', 'board.png', 'seconds.png', 'runs.jsonl'))}")


def of(result: harness.Result, what: str) -> bool:
    """Tell whether a result is of a kind."""
    return bool(result["job"]["what"] == what)


def done(result: harness.Result) -> bool:
    """Tell whether a run came to its end."""
    return bool(result["status"] == "done")


def check(results: Sequence[harness.Result]) -> None:
    """Every board must be legal and have its strings; every number must be the published one."""
    for r in filter(done, results):
        job = r["job"]
        if "board" in r:
            board = GoBoard.parse(r["board"])
            if not board.is_legal() or len(board.strings()) != r["strings"]:
                raise SystemExit(f"the board for {job} does not have its {r['strings']} strings")
            if r["strings"] != MAXIMA.get(job["n"], r["strings"]):
                raise SystemExit(f"{job}: {r['strings']} strings, published {MAXIMA[job['n']]}")
        elif int(r["count"]) != BOARDS.get((job["n"], job["fewer"], job["cuts"]), int(r["count"])):
            raise SystemExit(f"{job}: {r['count']} boards, published otherwise")


def maxima(results: Sequence[harness.Result]) -> str:
    """Return MSP(n) beside the published values."""
    rows = [
        [
            r["job"]["n"],
            r["strings"] if done(r) else r["status"],
            MAXIMA.get(r["job"]["n"], ""),
            f"{r['seconds']:.2f}" if done(r) else "",
            f"{r['states']:,}" if done(r) else "",
        ]
        for r in results
        if of(r, "search")
    ]
    text: str = tabulate(
        rows, ["n", "MSP(n)", "published", "search [s]", "states"], disable_numparse=True, stralign="right"
    )
    return text


def table_1(results: Sequence[harness.Result]) -> str:
    """Return the seconds of both formulations with HiGHS, beside CPLEX's and the search's."""
    search = {r["job"]["n"]: f"{r['seconds']:.2f}" for r in results if of(r, "search") and done(r)}
    ours = {
        (r["job"]["n"], r["job"]["section"]): f"{r['seconds']:.2f}" if done(r) else f"> {r['job']['timeout']:g}"
        for r in results
        if of(r, "program")
    }
    rows = [
        [n, *(ours.get((n, s), "") for s in (2, 3)), *(SECONDS.get((n, s), "") for s in (2, 3)), search.get(n, "")]
        for n in range(5, 20)
    ]
    headers = ["n", "§2 HiGHS [s]", "§3 HiGHS [s]", "§2 paper [s]", "§3 paper [s]", "search [s]"]
    text: str = tabulate(rows, headers, disable_numparse=True, stralign="right")
    return f"Table 1\n{text}"


def table_2(results: Sequence[harness.Result]) -> str:
    """Return the numbers of boards beside the published ones."""
    rows = [
        [
            r["job"]["n"],
            r["job"]["fewer"],
            "§3" if r["job"]["cuts"] else "§2",
            r["count"] if done(r) else r["status"],
            BOARDS.get((r["job"]["n"], r["job"]["fewer"], r["job"]["cuts"]), ""),
            *((f"{r['nodes']:,}", f"{r['states']:,}", f"{r['seconds']:.2f}") if done(r) else ()),
        ]
        for r in results
        if of(r, "count")
    ]
    headers = ["n", "strings fewer", "program", "boards", "published", "ZDD nodes", "states", "seconds"]
    text: str = tabulate(rows, headers, disable_numparse=True, stralign="right")
    return f"Table 2\n{text}"


def times(results: Sequence[harness.Result]) -> tuple[list[int], list[float]]:
    """Return the n and the seconds of the runs that came to their end."""
    ended = list(filter(done, results))
    return [r["job"]["n"] for r in ended], [r["seconds"] for r in ended]


def plot(results: Sequence[harness.Result], path: Path) -> None:
    """Save the seconds to prove MSP(n): the paper's programs, the same with HiGHS, the search."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MultipleLocator

    fig = Figure(figsize=(7.5, 4.6), layout="constrained")
    axes = fig.subplots()
    for section, colour in ((2, "#D55E00"), (3, "#0072B2")):
        published = {n: seconds for (n, s), seconds in SECONDS.items() if s == section}
        ours = times([r for r in results if of(r, "program") and r["job"]["section"] == section])
        axes.plot(list(published), list(published.values()), "o-", color=colour, label=f"§{section}, CPLEX (paper)")
        axes.plot(*ours, "o--", mfc="white", color=colour, label=f"§{section}, HiGHS (ours)")
    axes.plot(*times([r for r in results if of(r, "search")]), "s-", color="#009E73", label="search (ours)")
    for seconds, said in ((60, "a minute"), (3600, "an hour"), (86400, "a day")):
        axes.axhline(seconds, color="0.8", lw=0.8, zorder=0)
        axes.text(2, seconds * 1.15, said, color="0.4", fontsize=8)
    axes.set(yscale="log", xlabel="n", ylabel="seconds", title="Proving the most strings on an n x n board")
    axes.xaxis.set_major_locator(MultipleLocator(2))
    axes.legend(fontsize=8)
    fig.savefig(path, dpi=130)


if __name__ == "__main__":
    harness.command(lambda: main.main(standalone_mode=False))
