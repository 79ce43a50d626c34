"""Random boards and graphs of many shapes: every method, order and simplification against each other and brute force.

For each case: counts by every method, simplified and not; all assignments by brute force where there are few cells;
counts by mines and probabilities that add up; the count as the sum over a cell's two values; the count of the same
graph with its cells and hints in another order.  A case that fails is reduced to a small one, printed and saved, and
`tests/experiments/test_soak.py` tries it again for ever.

`python -m experiments.soak --minutes 1 --seed 0`.  The same seed tries the same cases.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any, get_args

from tqdm import tqdm

from experiments.cases import Case, instance_of, random_case
from experiments.harness import Options, Report, experiment, option, write_text
from experiments.shared import table
from mines_dd import solve
from mines_dd.answers.solver import Method
from mines_dd.base.errors import BudgetExceededError
from mines_dd.constraints.graph import Instance

METHODS: tuple[Method, ...] = tuple(method for method in get_args(Method) if method != "auto")
ORDERS = {"tree": ("auto", "min-fill", "min-degree")}
LINEAR = ("auto", "row", "column", "greedy", "tree")


def failure(case: Case, seed: int) -> str | None:
    """Return what is wrong with the answers on a case, or None."""
    rng = random.Random(seed)
    instance = instance_of(case)
    graph = instance.to_graph()
    family = solve(graph, "tree")
    count = family.count()
    for method, simplify in product(METHODS, (True, False)):
        order = rng.choice(ORDERS.get(method, LINEAR))
        try:
            other = solve(graph, method, order, simplify, 200_000, 10)
        except BudgetExceededError:
            continue
        if other.count() != count:
            return f"{method}, {order} order, simplify={simplify}: {other.count()}, not {count}"
    if sum(family.counts_by_mines().values()) != count:
        return "counts by mines do not add up to the count"
    if count:
        shares = family.probabilities()
        mean = sum(k * n for k, n in family.counts_by_mines().items())
        if sum(shares.values()) * count != mean:
            return "probabilities do not add up to the mean number of mines"
        if any(mines not in family for mines in family.sample(2, seed)):
            return "a sample is not a member"
    elif family:
        return "an empty family is not false"
    if family.cells:
        cell = rng.choice(list(family.cells))
        if family.given(mines=[cell]).count() + family.given(safe=[cell]).count() != count:
            return f"the count is not the sum over both values of {cell}"
    if len(family.cells) <= 12:
        found = {frozenset(mines) for mines in family}
        if found != set(brute_force(instance)):
            return "not the assignments that brute force finds"
    shuffled = list(case)
    rng.shuffle(shuffled)
    names = list(range(len(instance.cells)))
    rng.shuffle(names)
    used = sorted({cell for cells, _ in case for cell in cells})
    renamed = [(sorted(names[used.index(c)] for c in cells), allowed) for cells, allowed in shuffled]
    if solve(instance_of(renamed).to_graph(), "tree").count() != count:
        return "another count with cells and hints in another order"
    return None


def brute_force(instance: Instance) -> Iterator[frozenset[Any]]:
    """Yield every assignment, by trying all sets of cells."""
    for size in range(len(instance.cells) + 1):
        for chosen in combinations(range(len(instance.cells)), size):
            mines = set(chosen)
            if all(
                len(mines.intersection(cells)) in allowed
                for cells, allowed in zip(instance.members, instance.allowed, strict=True)
            ):
                yield frozenset(instance.cells[i] for i in chosen)


def said(case: Case, seed: int) -> str | None:
    """Return what is wrong, an error that should not be among it; or None."""
    try:
        return failure(case, seed)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def shrunk(case: Case, seed: int) -> Case:
    """Return a smaller case that still fails: hints dropped, then cells, one by one until nothing can go."""
    smaller = True
    while smaller:
        smaller = False
        for j in range(len(case)):
            rest = case[:j] + case[j + 1 :]
            if rest and said(rest, seed):
                case, smaller = rest, True
                break
        else:
            for cell in sorted({cell for cells, _ in case for cell in cells}):
                rest = [([c for c in cells if c != cell], allowed) for cells, allowed in case]
                if said(rest, seed):
                    case, smaller = rest, True
                    break
    return case


@experiment(
    option("--minutes", 1.0),
    option("--seed", 0),
    minutes=1,
    quick="--minutes 0.5",
    output="tests/failures",
)
def main(options: Options) -> Report:
    """What was tried and what failed, which ends it with 1."""
    end = time.monotonic() + 60 * options.minutes
    tried: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    bar = tqdm(unit="case", disable=None)
    try:
        while time.monotonic() < end:
            number = tried.total()
            shape, case = random_case(random.Random(f"{options.seed}/{number}"))
            tried[shape] += 1
            bar.update()
            wrong = said(case, number) if case else None
            if wrong:
                failed[shape] += 1
                small = shrunk(case, number)
                options.output.mkdir(parents=True, exist_ok=True)
                path = options.output / f"soak_{options.seed}_{number}.json"
                write_text(path, json.dumps({"seed": number, "case": small}))
                yield f"{shape}: {wrong}\n  reduced: {small}\n  saved: {path}"
    except KeyboardInterrupt:
        yield "stopped"
    bar.close()
    rows = [[shape, n, failed[shape]] for shape, n in sorted(tried.items())]
    yield table([*rows, ["all", tried.total(), failed.total()]], ["shape", "cases", "failures"], "lr")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main.start()
