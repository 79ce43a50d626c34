"""Win rates of the policies: the usual levels, both start rules, many games, beside what others published.

`safe`: the first cell opened holds no mine; `zero`: nor do its neighbours.  Layouts are uniform among those the rule
allows and come from the seed and the number of the game, so that all policies play the same games and the outcome does
not depend on how the work is spread.  Games go in blocks; a run that was stopped goes on with the blocks that are left.

`python -m experiments.win_rates` plays 2,000 games of each kind; `--games 100000` gives intervals that can be cited.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from pathlib import Path

import click
from tabulate import tabulate

from experiments import harness
from mines_dd.play.games import LEVELS, RULES, play_games
from mines_dd.play.player import POLICIES

PUBLISHED = {
    ("beginner-8x8", "safe"): "81.77 PSEQ",
    ("beginner-8x8", "zero"): "90.34 PSEQ",
    ("beginner", "safe"): "91.69 PSEQ",
    ("beginner", "zero"): "97.17 PSEQ",
    ("intermediate", "safe"): "78.23 PSEQ",
    ("intermediate", "zero"): "89.08 PSEQ",
    ("expert", "safe"): "41.13 Hill, 40.80 minesolve, 40.05 PSEQ",
    ("expert", "zero"): "54.3 Hill, 53.45 PSEQ",
}
"""Percent.  PSEQ: J. Tu et al., "Exploring Efficient Strategies for Minesweeper", 2017 (PSEQ-D256); Hill: D. N. Hill's
Java solver; minesolve: the program of that name, searching four openings deep."""


def run(job: harness.Job) -> harness.Result:
    """Play a block of games."""
    games = range(job["start"], job["start"] + job["games"])
    tally = play_games(
        LEVELS[job["level"]],
        job["rule"],
        POLICIES[job["policy"]],
        games,
        first=(job["first"][0], job["first"][1]),
        seed=job["seed"],
    )
    return tally._asdict()


def wilson(won: int, games: int, z: float = 1.959964) -> tuple[float, float]:
    """Return Wilson's interval for a share (95% by default)."""
    share = won / games
    middle = share + z * z / (2 * games)
    reach = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    return (middle - reach) / scale, (middle + reach) / scale


@click.command(help=__doc__)
@click.option("--levels", default="beginner-8x8,beginner,intermediate,expert", show_default=True)
@click.option("--rules", default="safe,zero", show_default=True)
@click.option("--policies", default=",".join(POLICIES), show_default=True)
@click.option("--games", default=2000, show_default=True, help="Games of each kind.")
@click.option("--block", default=10_000, show_default=True, help="Games of one run.")
@click.option("--seed", default=1, show_default=True)
@click.option("--timeout", default=3600.0, show_default=True, help="Seconds a block may take.")
@click.option("--memory", default=4.0, show_default=True, help="GiB a block may use.")
@harness.where(workers=2)
@harness.output("win_rates")
def main(
    levels: str,
    rules: str,
    policies: str,
    games: int,
    block: int,
    seed: int,
    timeout: float,
    memory: float,
    workers: int,
    scheduler: str | None,
    output: Path,
) -> None:
    kinds = [
        (level, rule, policy)
        for level in harness.chosen(levels, LEVELS)
        for rule in harness.chosen(rules, RULES)
        for policy in harness.chosen(policies, POLICIES)
    ]
    jobs = [
        {
            "level": level,
            "rule": rule,
            "policy": policy,
            "numbers": list(POLICIES[policy]),  # a policy that was changed plays again
            "first": list(LEVELS[level].first(rule)),
            "seed": seed,
            "start": start,
            "games": min(block, games - start),
        }
        for start in range(0, games, block)
        for level, rule, policy in kinds
    ]
    results = harness.sweep(
        run,
        jobs,
        output / "runs.jsonl",
        timeout=timeout,
        memory=int(memory * 2**30),
        workers=workers,
        scheduler=scheduler,
    )
    text = table(results, kinds)
    title = f"Games won, percent, with 95% intervals (Wilson); seed {seed}\n\n"
    harness.write_text(output / "table.txt", f"{title}{text}\n\n{harness.facts()}\n")
    print(title + text)
    print(f"\n{output / 'table.txt'}, {output / 'runs.jsonl'}")


def table(results: Sequence[harness.Result], kinds: Sequence[tuple[str, str, str]]) -> str:
    """Return one row a kind of game."""
    rows = []
    for kind in kinds:
        here = [r for r in results if (r["job"]["level"], r["job"]["rule"], r["job"]["policy"]) == kind]
        done = [r for r in here if r["status"] == "done"]
        played = sum(r["games"] for r in done)
        if not played:
            rows.append([*kind, 0])
            continue
        won = sum(r["won"] for r in done)
        low, high = wilson(won, played)
        cpu = sum(r["seconds"] for r in done)
        rows.append(
            [
                *kind,
                f"{played:,}",
                f"{100 * won / played:.2f}",
                f"{100 * low:.2f}-{100 * high:.2f}",
                PUBLISHED[kind[:2]],
                f"{sum(r['guesses'] for r in done) / played:.2f}",
                f"{1000 * cpu / played:.2f}",
                f"{played / cpu:,.0f}",
            ]
        )
    headers = ["level", "rule", "policy", "games", "won", "interval", "published", "guesses", "CPU ms/game", "games/s"]
    text: str = tabulate(rows, headers, disable_numparse=True)
    return text


if __name__ == "__main__":
    harness.command(lambda: main.main(standalone_mode=False))
