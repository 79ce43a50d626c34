"""Win rates of the policies: the usual levels, both start rules, many games, beside what others published.

`safe`: the first cell opened holds no mine; `zero`: neither it nor its neighbours hold one.  Layouts are uniform among
those the rule allows and come from the seed and the number of the game, so that all policies play the same games and
the outcome does not depend on how the work is spread.  Games go in blocks; a run that was stopped goes on with the
blocks that are left.

`python -m experiments.win_rates` plays 2,000 games of each kind; `--games 100000` gives intervals that can be cited.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import sqrt

from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, names_of, option
from experiments.shared import done, milliseconds, of, table
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


def run(job: Job) -> Result:
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


def kinds(options: Options) -> list[tuple[str, str, str]]:
    """Levels, rules and policies."""
    return list(product(options.levels, options.rules, options.policies))


def jobs(options: Options) -> list[Job]:
    """Blocks of games of every kind."""
    return [
        {
            "level": level,
            "rule": rule,
            "policy": policy,
            "numbers": list(POLICIES[policy]),  # a policy that was changed plays again
            "first": list(LEVELS[level].first(rule)),
            "seed": options.seed,
            "start": start,
            "games": min(options.block, options.games - start),
        }
        for start in range(0, options.games, options.block)
        for level, rule, policy in kinds(options)
    ]


@experiment(
    option("--levels", "beginner-8x8,beginner,intermediate,expert", kind=names_of(LEVELS)),
    option("--rules", "safe,zero", kind=names_of(RULES)),
    option("--policies", ",".join(POLICIES), kind=names_of(POLICIES)),
    option("--games", 2000, "Games of each kind."),
    option("--block", 10_000, "Games of one run."),
    option("--seed", 1),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=3600, memory=4, workers=2),
    minutes=4,
    quick="--games 50 --policies best,safest",
)
def main(results: Results, options: Options) -> Report:
    """One row a kind of game."""
    yield f"Games won, percent, with 95% intervals (Wilson); seed {options.seed}"
    yield games_table(results, kinds(options))


def games_table(results: Results, kinds: Sequence[tuple[str, str, str]]) -> str:
    """Return one row a kind of game."""
    rows = []
    for level, rule, policy in kinds:
        ended = done(of(results, level=level, rule=rule, policy=policy))
        row = [level, rule, policy]
        if played := sum(r["games"] for r in ended):
            won, cpu = sum(r["won"] for r in ended), sum(r["seconds"] for r in ended)
            low, high = wilson(won, played)
            row += [f"{played:,}", f"{100 * won / played:.2f}", f"{100 * low:.2f}-{100 * high:.2f}"]
            row += [PUBLISHED[level, rule], f"{sum(r['guesses'] for r in ended) / played:.2f}"]
            row += [milliseconds(cpu / played), f"{played / cpu:,.0f}"]
        rows.append(row if played else [*row, "0"])
    headers = ["level", "rule", "policy", "games", "won", "interval", "published", "guesses", "CPU ms/game", "games/s"]
    return table(rows, headers)


if __name__ == "__main__":
    main.start()
