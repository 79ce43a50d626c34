"""The packages that make BDDs and ZDDs, by one name each, and diagrams read in the plainest way."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product

import numpy as np

from mines_dd.compilers import bdd, zdd


@dataclass(frozen=True)
class Backend:
    name: str

    @property
    def kind(self):
        return "bdd" if self.name in bdd.BACKENDS else "zdd"

    @property
    def module(self):
        return bdd if self.kind == "bdd" else zdd

    def compile(self, instance, order=None, **options):
        function = bdd.compile_bdd if self.kind == "bdd" else zdd.compile_zdd
        order = np.arange(len(instance.cells), dtype=np.int32) if order is None else order
        return function(instance, order, backend=self.name, **options)

    def diagram(self, instance, order=None, **options):
        return self.compile(instance, order, **options).diagram


NAMES = [name for name in bdd.BACKENDS + zdd.BACKENDS if find_spec(name)]


def family(diagram):
    """The sets of items, by following every path."""

    def skipped(begin, end):
        choices = [(False, True) if diagram.kind == "bdd" else (False,)] * (end - begin)
        for taken in product(*choices):
            yield frozenset(diagram.items[begin + i] for i, t in enumerate(taken) if t)

    below = [[], [frozenset()]]
    for node in range(2, len(diagram.level)):
        at = int(diagram.level[node])
        below.append(
            [
                own | gap | rest
                for own, child in (
                    (frozenset(), diagram.low[node]),
                    (frozenset({diagram.items[at]}), diagram.high[node]),
                )
                for gap in (skipped(at + 1, int(diagram.level[child])) if child else ())
                for rest in below[child]
            ]
        )
    root = diagram.root
    return [gap | rest for gap in (skipped(0, int(diagram.level[root])) if root else ()) for rest in below[root]]


def count(diagram):
    """The number of sets, from the bottom up in Python integers."""
    skip = 2 if diagram.kind == "bdd" else 1
    level = diagram.level.tolist()
    sets = [0, 1]
    for at, low, high in list(zip(level, diagram.low.tolist(), diagram.high.tolist(), strict=True))[2:]:
        sets.append(sum(sets[child] * skip ** (level[child] - at - 1) for child in (low, high)))
    return sets[diagram.root] * skip ** level[diagram.root]


def assert_reduced(diagram):
    """Children first, levels descend, no two nodes are equal, none is redundant (§3.1, §3.2), all are reachable."""
    level, low, high = diagram.level, diagram.low, diagram.high
    assert level[:2].tolist() == [len(diagram.items)] * 2
    assert low[:2].tolist() == high[:2].tolist() == [0, 1]
    inner = np.arange(2, len(level))
    assert (low[2:] < inner).all()
    assert (high[2:] < inner).all()
    assert (level[low[2:]] > level[2:]).all()
    assert (level[high[2:]] > level[2:]).all()
    assert len(set(zip(level[2:].tolist(), low[2:].tolist(), high[2:].tolist(), strict=True))) == len(inner)
    assert (low[2:] != high[2:]).all() if diagram.kind == "bdd" else (high[2:] != 0).all()
    assert set(inner.tolist()) <= {*low[2:].tolist(), *high[2:].tolist(), diagram.root}
