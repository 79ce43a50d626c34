"""Win rates of the policies: the usual levels, both start rules, many games, beside what others published.

`safe`: the first cell opened holds no mine; `zero`: neither it nor its neighbours hold one.  Layouts are uniform among
those the rule allows and come from the seed and the number of the game, so that all policies play the same games and
the outcome does not depend on how the work is spread.  Games go in blocks; a run that was stopped goes on with the
blocks that are left.

`python -m experiments.win_rates` plays 2,000 games of each kind; with `--games 100000` the intervals are narrow.
A run that confirms is `--fresh`: a number of games fixed here before any of them was played, and a seed with which no
policy was tuned.  Its intervals may be cited as they stand; those of seed 1, with which the policies were made, and of
a run that was made longer after a look at its result, may not.

Also said are the difference to each published rate, with the errors of both where the other's is known, and whether it
is shown to be less than `MARGIN`: only then do two solvers count as level.  An interval that holds 0 shows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import sqrt
from typing import NamedTuple

from experiments.harness import Job, Limits, Options, Report, Result, Results, experiment, names_of, option
from experiments.shared import columns, done, milliseconds, number, of, table
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


def _pseq(percent: float, half: float) -> Rate:
    """A rate with half the width of its 95% interval, as that program's authors give it."""
    return Rate(PSEQ, percent, half / 1.96)


PUBLISHED: dict[tuple[str, str], list[Rate]] = {
    ("beginner-8x8", "safe"): [_pseq(81.7711, 0.0076)],
    ("beginner-8x8", "zero"): [_pseq(90.3448, 0.0058)],
    ("beginner", "safe"): [_pseq(91.6949, 0.0054)],
    ("beginner", "zero"): [_pseq(97.1669, 0.0033)],
    ("intermediate", "safe"): [_pseq(78.2295, 0.0081)],
    ("intermediate", "zero"): [_pseq(89.0757, 0.0061)],
    ("expert", "safe"): [Rate("Hill", 41.13, 0.016), Rate("minesolve", 40.80, 0.05), _pseq(40.0468, 0.0096)],
    ("expert", "zero"): [Rate("Hill", 54.30), _pseq(53.4502, 0.0098)],
}
"""PSEQ-D256: the strongest variant of J. Tu et al., "Exploring Efficient Strategies for Minesweeper", 2017.  The README
of their program, https://github.com/b1f6c1c4/MineSweeperProb, has the rates, of 100 million games each, with an error
that is half the width of a 95% interval.  The paper's abstract has 40.06 for it on Expert, and 39.616 for its
heuristics alone.  Hill: D. N. Hill's Java solver, 10 million games (safe).  minesolve: the program of that name,
searching four openings deep, a million games."""

MARGIN = 0.5
"""Percentage points: solvers whose rates are shown to differ by less count as level."""

FRESH_SEED, FRESH_GAMES = 20_261_122, 1_000_000
"""Of the run that confirms, fixed in advance.  With so many games an interval is at most 0.1 to either side."""


def run(job: Job) -> Result:
    """Play a block of games."""
    level, policy, first = LEVELS[job["level"]], POLICIES[job["policy"]], (job["first"][0], job["first"][1])
    play_games(level, job["rule"], policy, range(1), first=first, seed=job["seed"])  # kernels are compiled
    games = range(job["start"], job["start"] + job["games"])
    return play_games(level, job["rule"], policy, games, first=first, seed=job["seed"])._asdict()


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
    found = [Kind.of(results, *kind) for kind in kinds(options)]
    yield columns(found, GAMES)
    if any(kind.published for kind in found):
        yield differences_table(found)
    yield from jointly(found)


class Kind(NamedTuple):
    """A kind of game: what was won of it, and in which time."""

    level: str
    rule: str
    policy: str
    won: int
    played: int
    guesses: int
    seconds: float

    @classmethod
    def of(cls, results: Results, level: str, rule: str, policy: str) -> Kind:
        """Add up the blocks that came to their end."""
        ended = done(of(results, level=level, rule=rule, policy=policy))
        sums = (sum(r[what] for r in ended) for what in ("won", "games", "guesses", "seconds"))
        return cls(level, rule, policy, *sums)

    @property
    def published(self) -> list[Rate]:
        """What others published of it."""
        return PUBLISHED.get((self.level, self.rule), [])

    def interval(self) -> str:
        """Wilson's interval, percent."""
        low, high = wilson(self.won, self.played)
        return f"{100 * low:.2f}-{100 * high:.2f}"


def played(cell: Callable[[Kind], str]) -> Callable[[Kind], str]:
    """What is said of a kind if a game of it was played."""
    return lambda kind: cell(kind) if kind.played else ""


GAMES: dict[str, Callable[[Kind], str]] = {
    "level": lambda kind: kind.level,
    "rule": lambda kind: kind.rule,
    "policy": lambda kind: kind.policy,
    "games": lambda kind: number(kind.played),
    "won": played(lambda kind: f"{100 * kind.won / kind.played:.2f}"),
    "interval": played(Kind.interval),
    "published": played(lambda kind: ", ".join(map(str, kind.published))),
    "guesses": played(lambda kind: f"{kind.guesses / kind.played:.2f}"),
    "CPU ms/game": played(lambda kind: milliseconds(kind.seconds / kind.played)),
    "games/s": played(lambda kind: number(kind.played / kind.seconds)),
}


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


def differences_table(found: Sequence[Kind]) -> str:
    """Return a row for each published rate."""
    rows = []
    for kind in found:
        for other in kind.published if kind.played else ():
            apart = difference(kind.won, kind.played, other)
            low, high = apart.interval()
            error = f"{other.error:.2g}" if other.error else "not counted"
            row = [kind.level, kind.rule, kind.policy, str(other), error, f"{apart.points:+.2f}"]
            rows.append([*row, f"{low:+.2f} to {high:+.2f}", apart.verdict()])
    return table(rows, ["level", "rule", "policy", "published", "its error", "difference", "interval", "shown"])


def jointly(found: Sequence[Kind]) -> list[str]:
    """Say how far each policy is from PSEQ-D256 on all boards but Expert together."""
    said = []
    for policy in dict.fromkeys(kind.policy for kind in found):
        z = []
        for kind in found:
            if kind.policy == policy and kind.level != "expert" and kind.published and kind.played:
                [rate] = [rate for rate in kind.published if rate.who == PSEQ]
                apart = difference(kind.won, kind.played, rate)
                z.append(apart.points / apart.error if apart.error else 0.0)
        if len(z) > 1:
            said.append(
                f"{policy}, all kinds but Expert against {PSEQ}: z = {', '.join(f'{x:+.1f}' for x in z)}; jointly\n"
                f"{sum(z) / sqrt(len(z)):+.1f}, if the kinds are independent"
            )
    return said


if __name__ == "__main__":
    main.start()
