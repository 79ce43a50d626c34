"""Win rates of the policies: the usual levels, both start rules, many games, beside what others published.

`safe`: the first cell opened holds no mine; `zero`: neither it nor its neighbours hold one.  Layouts are uniform among
those the rule allows and come from the seed and the number of the game, so that all policies play the same games and
the outcome does not depend on how the work is spread.  Games go in blocks; a run that was stopped goes on with the
blocks that are left.

`python -m experiments.win_rates` plays 2,000 games of each kind; `--games 100000` gives intervals that can be cited.
A run that confirms is `--fresh`: a number of games fixed here before any of them was played, and a seed with which no
policy was tuned.  Its intervals may be cited as they stand; those of seed 1, with which the policies were made, and of
a run that was made longer after a look at its result, may not.

Also said are the difference to each published rate, with the errors of both where the other's is known, and whether it
is shown to be less than `MARGIN`: only then do two solvers count as level.  An interval that holds 0 shows nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import sqrt
from typing import NamedTuple

from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, names_of, option
from experiments.shared import done, milliseconds, of, table
from mines_dd.play.games import LEVELS, RULES, play_games, wilson
from mines_dd.play.player import POLICIES


class Rate(NamedTuple):
    """A published rate in percent, and its standard error where its number of games is known."""

    who: str
    percent: float
    error: float = 0.0

    def __str__(self) -> str:
        return f"{self.percent:.2f} {self.who}"


PSEQ = "PSEQ-D256"
PUBLISHED: dict[tuple[str, str], list[Rate]] = {
    ("beginner-8x8", "safe"): [Rate(PSEQ, 81.77)],
    ("beginner-8x8", "zero"): [Rate(PSEQ, 90.34)],
    ("beginner", "safe"): [Rate(PSEQ, 91.69)],
    ("beginner", "zero"): [Rate(PSEQ, 97.17)],
    ("intermediate", "safe"): [Rate(PSEQ, 78.23)],
    ("intermediate", "zero"): [Rate(PSEQ, 89.08)],
    ("expert", "safe"): [Rate("Hill", 41.13, 0.016), Rate("minesolve", 40.80, 0.05), Rate(PSEQ, 40.05)],
    ("expert", "zero"): [Rate("Hill", 54.30), Rate(PSEQ, 53.45)],
}
"""PSEQ-D256: the strongest variant in J. Tu et al., "Exploring Efficient Strategies for Minesweeper", 2017 (the paper's
abstract gives 39.616 on Expert).  Hill: D. N. Hill's Java solver, 10 million games (safe).  minesolve:
the program of that name, searching four openings deep, a million games."""

MARGIN = 0.5
"""Percentage points: solvers whose rates are shown to differ by less count as level."""

FRESH_SEED, FRESH_GAMES = 20_261_122, 1_000_000
"""Of the run that confirms, fixed in advance.  With so many games an interval is at most 0.1 to either side."""


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


def kinds(options: Options) -> list[tuple[str, str, str]]:
    """Levels, rules and policies."""
    return list(product(options.levels, options.rules, options.policies))


def planned(options: Options) -> tuple[int, int]:
    """The number of games of each kind, and the seed."""
    return (FRESH_GAMES, FRESH_SEED) if options.fresh else (options.games, options.seed)


def jobs(options: Options) -> list[Job]:
    """Blocks of games of every kind."""
    games, seed = planned(options)
    return [
        {
            "level": level,
            "rule": rule,
            "policy": policy,
            "numbers": list(POLICIES[policy]),  # a policy that was changed plays again
            "first": list(LEVELS[level].first(rule)),
            "seed": seed,
            "start": start,
            "games": min(options.block, games - start),
        }
        for start in range(0, games, options.block)
        for level, rule, policy in kinds(options)
    ]


@experiment(
    option("--levels", "beginner-8x8,beginner,intermediate,expert", kind=names_of(LEVELS)),
    option("--rules", "safe,zero", kind=names_of(RULES)),
    option("--policies", ",".join(POLICIES), kind=names_of(POLICIES)),
    option("--games", 2000, "Games of each kind."),
    option("--block", 10_000, "Games of one run."),
    option("--seed", 1),
    option("--fresh/--no-fresh", False, f"Play {FRESH_GAMES:,} games of each kind with the seed {FRESH_SEED}."),
    jobs=jobs,
    run=run,
    limits=Limits(timeout=3600, memory=4, workers=2),
    minutes=4,
    quick="--games 50 --policies best,safest",
)
def main(results: Results, options: Options) -> Report:
    """One row a kind of game."""
    games, seed = planned(options)
    yield f"Games won, percent, with 95% intervals (Wilson); seed {seed}, {games:,} games of each kind"
    yield games_table(results, kinds(options))
    if any(kind[:2] in PUBLISHED for kind in kinds(options)):
        yield differences_table(results, kinds(options))
    yield from jointly(results, kinds(options))


def games_table(results: Results, kinds: Sequence[tuple[str, str, str]]) -> str:
    """Return one row a kind of game."""
    rows = []
    for level, rule, policy in kinds:
        ended = done(of(results, level=level, rule=rule, policy=policy))
        row = [level, rule, policy]
        won, played = tally(ended)
        if played:
            cpu = sum(r["seconds"] for r in ended)
            low, high = wilson(won, played)
            row += [f"{played:,}", f"{100 * won / played:.2f}", f"{100 * low:.2f}-{100 * high:.2f}"]
            row += [
                ", ".join(map(str, PUBLISHED.get((level, rule), []))),
                f"{sum(r['guesses'] for r in ended) / played:.2f}",
            ]
            row += [milliseconds(cpu / played), f"{played / cpu:,.0f}"]
        rows.append(row if played else [*row, "0"])
    headers = ["level", "rule", "policy", "games", "won", "interval", "published", "guesses", "CPU ms/game", "games/s"]
    return table(rows, headers)


def tally(ended: Results) -> tuple[int, int]:
    """Games won and played."""
    return sum(r["won"] for r in ended), sum(r["games"] for r in ended)


class Difference(NamedTuple):
    """Ours less another's, in percentage points, and its standard error."""

    points: float
    error: float

    def interval(self, z: float = 1.959964) -> tuple[float, float]:
        """The interval, 95% by default."""
        return self.points - z * self.error, self.points + z * self.error

    def verdict(self) -> str:
        """Say what is shown at 5%: for "level" both of its bounds are tested, each at 5%.

        Examples
        --------
        >>> Difference(0.1, 0.1).verdict(), Difference(0.1, 0.4).verdict(), Difference(1, 0.2).verdict()
        ('level within 0.5', 'not shown', 'higher')
        """
        low, high = self.interval(1.644854)
        inside = [f"level within {MARGIN:g}"] if low > -MARGIN and high < MARGIN else []
        low, high = self.interval()
        apart = ["higher"] if low > 0 else ["lower"] if high < 0 else []
        return ", ".join(apart + inside) or "not shown"


def difference(won: int, games: int, other: Rate) -> Difference:
    """Return our rate less another."""
    share = won / games
    return Difference(100 * share - other.percent, sqrt(1e4 * share * (1 - share) / games + other.error**2))


def differences_table(results: Results, kinds: Sequence[tuple[str, str, str]]) -> str:
    """Return a row for each published rate."""
    rows = []
    for level, rule, policy in kinds:
        won, games = tally(done(of(results, level=level, rule=rule, policy=policy)))
        for other in PUBLISHED.get((level, rule), []) if games else ():
            found = difference(won, games, other)
            low, high = found.interval()
            error = f"{other.error:g}" if other.error else "not counted"
            row = [level, rule, policy, str(other), error, f"{found.points:+.2f}", f"{low:+.2f} to {high:+.2f}"]
            rows.append([*row, found.verdict()])
    return table(rows, ["level", "rule", "policy", "published", "its error", "difference", "interval", "shown"])


def jointly(results: Results, kinds: Sequence[tuple[str, str, str]]) -> list[str]:
    """Say how far each policy is from PSEQ-D256 on all boards but Expert together."""
    said = []
    for policy in dict.fromkeys(policy for _, _, policy in kinds):
        z = []
        for level, rule, of_kind in kinds:
            won, games = tally(done(of(results, level=level, rule=rule, policy=of_kind)))
            if of_kind == policy and level != "expert" and (level, rule) in PUBLISHED and games:
                rate = next(rate for rate in PUBLISHED[level, rule] if rate.who == PSEQ)
                found = difference(won, games, rate)
                z.append(found.points / found.error if found.error else 0.0)
        if len(z) > 1:
            said.append(
                f"{policy}, all kinds but Expert against {PSEQ}: z = {', '.join(f'{x:+.1f}' for x in z)}; jointly\n"
                f"{sum(z) / sqrt(len(z)):+.1f}, if the kinds are independent and the published rates exact"
            )
    return said


if __name__ == "__main__":
    main.start()
