"""The article's algebra of umigame numbers: values of positions as minima of terms, computed children first.

A *term* is an integer, for the leaves that only this position reaches, and a set of *letters*, for the leaves that
others may reach, too.  Letters are added as in a set: a + a = a.  Minima and sums of values, multiplied out, are values
again.  A position with several parents is a letter in the values of its parents.  Where all paths to it have met, at
its immediate dominator, its value is substituted for the letter.  `umigame_derivation` writes such a computation down.

Three things keep values shorter here than in the article:

- What all terms of a position with several parents have in common is split off, as a letter of its own or as the
  letters it contains; only a real choice is hidden behind a letter.
- A term is dropped if another one *dominates* it: costs no more even if it alone pays for the letters that the first
  one does not contain.  (In the article, the letters have to be a subset of the first one's.)
- A term is dropped if it costs more than its position may: `allowances` hands down from the root how many lines are
  left for a position when its siblings have what they cannot do without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require_whole
from mines_dd.base.jit import kernel
from mines_dd.boardgames.position_graph import PositionGraph, require_graph, require_side

__all__ = [
    "MOST_TERMS",
    "Algebra",
    "Term",
    "TooManyTermsError",
    "allowances",
    "choices_of",
    "dominators",
    "plain_positions",
]

MOST_TERMS = 2000
"""The most terms of a value, unless a budget says more."""


class Term(NamedTuple):
    """A number of leaves, a set of letters, and the choices that led to it, as a tree of pairs (position, child).

    Examples
    --------
    >>> Term(2, frozenset({5}), ()).leaves
    2
    """

    leaves: int
    letters: frozenset[int]
    choices: tuple[Any, ...]


_Value = list[Term]
_NEVER = 1 << 60


class TooManyTermsError(Exception):
    """A value has more terms than allowed.

    Attributes
    ----------
    terms : int
    """

    def __init__(self, terms: int) -> None:
        super().__init__(terms)
        self.terms = terms


def choices_of(choices: tuple[Any, ...]) -> Iterator[tuple[int, int]]:
    """Yield the (position, child) of a term's tree of choices, each branch once even if it occurs many times.

    Examples
    --------
    >>> list(choices_of((((1, 5), ()), (2, 6))))
    [(2, 6), (1, 5)]
    """
    stack, seen = [choices], {id(choices)}
    while stack:
        top = stack.pop()
        if top and isinstance(top[0], int):
            yield top  # type: ignore[misc]
            continue
        for branch in top:
            if id(branch) not in seen:
                seen.add(id(branch))
                stack.append(branch)


class Algebra:
    """The values of all positions, computed children first.

    A position is plain if no other position reaches anything below it; its value is then that of `tree_lines`.  A
    position v with several parents has two letters: 2 v for the leaves that every choice below it needs and that no
    other letter counts, and 2 v + 1 for the choice that remains.

    Attributes
    ----------
    seen : list
        The value of each position that is not plain, as its parents use it.
    hidden : dict
        Letter 2 v + 1 -> the terms to choose from.
    worth : dict
        Letter -> the most that it can add to a count.
    longest : int
        The greatest number of terms of a value.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
    >>> [(n, s) for n, s, _ in Algebra(graph, False, [1] * len(graph), 3, 64, Budget()).run()]
    [(2, frozenset())]
    """

    def __init__(
        self, graph: PositionGraph, own: bool, trees: Sequence[int], bound: int, limit: int, budget: Budget
    ) -> None:
        graph, own = require_side(graph, own)
        self.graph, self.own, self.trees = graph, own, trees
        self.bound, self.limit, self.budget = bound, limit, budget
        self.shared = graph.parents > 1
        self.plain = plain_positions(graph)
        self.allowed = allowances(graph, own, bound)
        self.seen: list[_Value] = [[]] * len(graph)
        self.hidden: dict[int, _Value] = {}
        self.worth: dict[int, int] = {}
        self.longest = 1
        self.met: dict[int, list[int]] = {}  # dominator -> positions, parents before children
        dominator = dominators(graph)
        for v in graph.confluences:
            self.met.setdefault(int(dominator[v]), []).append(v)

    def run(self) -> _Value:
        """Return the root's value: one term, or none if there is none within the bound."""
        for v in self.budget.each(np.flatnonzero((self.plain == 0) & (self.allowed > 0))[::-1].tolist(), every=100):
            children = self.graph.children[v]
            if all(map(self.plain.__getitem__, children)):
                value = [Term(int(self.trees[v]), frozenset(), ())]
            else:
                value = self.combined(v, children)
                for child in children:
                    if not self.shared[child]:
                        self.seen[child] = []  # no longer needed
                for position in self.met.get(v, ()):
                    value = self.substituted(v, value, position)
                self.longest = max(self.longest, len(value))
            self.seen[v] = self.split(v, value) if self.shared[v] and value else value
        return self.value(0)

    def value(self, v: int) -> _Value:
        """Return the value of a position as its parents use it."""
        return [Term(int(self.trees[v]), frozenset(), ())] if self.plain[v] else self.seen[v]

    def combined(self, v: int, children: Sequence[int]) -> _Value:
        """Return the minimum or the sum of the values of a position's children."""
        if len(children) == 1:
            return self.value(children[0])
        if self.graph.own[v] == self.own:
            return self.pruned(v, (Term(n, s, ((v, c), how)) for c in children for n, s, how in self.value(c)))
        return self.sum(v, list(map(self.value, children)))

    def sum(self, v: int, values: Sequence[_Value]) -> _Value:
        """Multiply out a sum of minima."""
        total, *rest = sorted(values, key=len)
        for value in rest:
            if len(total) == len(value) == 1:
                (n, s, how), (m, t, why) = total[0], value[0]
                total = [Term(n + m, s | t, (how, why))]
            else:
                total = self.pruned(v, (Term(n + m, s | t, (how, why)) for n, s, how in total for m, t, why in value))
        return total

    def split(self, v: int, value: _Value) -> _Value:
        """Hide the value of a position with several parents behind its letters; return what its parents use."""
        count = min(term.leaves for term in value)
        common = reduce(frozenset.__and__, (term.letters for term in value))
        fixed, choice = 2 * v, 2 * v + 1
        seen = set(common)
        if count:
            self.worth[fixed] = count
            seen.add(fixed)
        if len(value) == 1:
            return [Term(0, frozenset(seen), value[0].choices)]
        self.hidden[choice] = left = [Term(n - count, s - common, how) for n, s, how in value]
        self.worth[choice] = min(n + sum(self.worth[x] for x in s) for n, s, _ in left)
        seen.add(choice)
        return [Term(0, frozenset(seen), ())]

    def substituted(self, v: int, value: _Value, position: int) -> _Value:
        """Substitute the value of a position for its letters."""
        fixed, choice = 2 * position, 2 * position + 1
        count = self.worth.pop(fixed, 0)
        if count:
            value = [Term(n + count, s - {fixed}, how) if fixed in s else Term(n, s, how) for n, s, how in value]
        choices = self.hidden.pop(choice, ())
        self.seen[position] = []
        if any(choice in term.letters for term in value):
            value = self.pruned(v, _expanded(value, choice, choices))
        elif count and len(value) > 1:
            value = self.pruned(v, value)
        return value

    def pruned(self, v: int, terms: Iterable[Term]) -> _Value:
        """Return the terms that are within the bound and not dominated."""
        worth, bound = self.worth, self.allowed[v]
        best: dict[frozenset[int], Term] = {}
        for term in terms:
            known = best.get(term.letters)
            # even letters count different leaves, so they add up
            least = term.leaves + sum(worth[x] for x in term.letters if not x & 1)
            if least <= bound and (known is None or term.leaves < known.leaves):
                best[term.letters] = term
                if len(best) > 8 * self.limit:
                    raise TooManyTermsError(len(best))
        if len(best) > 1:
            kept: _Value = []
            for term in sorted(best.values(), key=lambda term: (term.leaves, len(term.letters))):
                self.budget.check(0)
                if not any(self.dominates(other, term) for other in kept):
                    kept.append(term)
                    if len(kept) > self.limit:
                        raise TooManyTermsError(len(kept))
            return kept
        return list(best.values())

    def dominates(self, one: Term, other: Term) -> bool:
        """Tell whether `one`, whose count is not greater, never costs more than `other`."""
        if one.letters <= other.letters:
            return True
        spare = other.leaves - one.leaves
        return spare > 0 and sum(self.worth[x] for x in one.letters - other.letters) <= spare


def _expanded(value: _Value, letter: int, choices: Iterable[Term]) -> Iterable[Term]:
    for term in value:
        if letter in term.letters:
            rest = term.letters - {letter}
            for n, s, how in choices:
                yield Term(term.leaves + n, rest | s, (term.choices, how))
        else:
            yield term


def allowances(graph: PositionGraph, own: bool, bound: int) -> npt.NDArray[np.int64]:
    """Return for each position how many lines it may cost in a repertoire of at most `bound` lines; 0 rules it out.

    A position needs some leaves that are reached through it alone: where the side chooses, the least of what its
    children so need, elsewhere the sum; a child with several parents so needs none.  At an opponent's move the lines
    that the siblings so need are not left for a position.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d"], "b": ["e", "f"], "c": ["f"]}}')
    >>> dict(zip(graph.labels, allowances(graph, False, 3).tolist(), strict=True))  # r: the opponent's move; a needs d
    {'r': 3, 'c': 2, 'b': 2, 'f': 2, 'e': 2, 'a': 3, 'd': 3}
    """
    graph, own = require_side(graph, own)
    needed, allowed = np.ones(len(graph), np.int64), np.zeros(len(graph), np.int64)
    allowed[0] = require_whole(bound, "the number of lines", most=_NEVER)
    rows, chooses = graph.rows, np.array(graph.own) == own
    work = 2 * (len(graph) + len(rows.child))
    _allow.run(work, rows.start, rows.child, chooses, graph.parents > 1, needed, allowed)
    return allowed


@kernel
def _allow(start, child, chooses, shared, needed, allowed):
    """Fill in what each position needs for itself alone, children first, and then what it may cost, parents first."""
    for v in range(len(start) - 2, -1, -1):
        total, least = 0, _NEVER
        for k in range(start[v], start[v + 1]):
            own = 0 if shared[child[k]] else needed[child[k]]
            total, least = total + own, min(least, own)
        if start[v] < start[v + 1]:
            needed[v] = least if chooses[v] else total
    for v in range(len(start) - 1):
        total = 0
        for k in range(start[v], start[v + 1]):
            if not chooses[v] and not shared[child[k]]:
                total += needed[child[k]]
        if allowed[v] < needed[v]:
            allowed[v] = 0
            continue
        for k in range(start[v], start[v + 1]):
            alone = 0 if chooses[v] or shared[child[k]] else needed[child[k]]
            allowed[child[k]] = max(allowed[child[k]], allowed[v] - total + alone)


def plain_positions(graph: PositionGraph) -> npt.NDArray[np.uint8]:
    """Return for each position whether neither it nor any below it has several parents.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b"], "a": ["c", "d"], "b": ["d"]}}')
    >>> [graph.labels[v] for v, plain in enumerate(plain_positions(graph)) if plain]
    ['c']
    """
    plain = (require_graph(graph).parents < 2).astype(np.uint8)
    _spread.run(len(graph) + len(graph.rows.child), graph.rows.start, graph.rows.child, plain)
    return plain


@kernel
def _spread(start, child, plain):
    for v in range(len(start) - 2, -1, -1):
        for k in range(start[v], start[v + 1]):
            plain[v] &= plain[child[k]]


def dominators(graph: PositionGraph) -> npt.NDArray[np.int32]:
    """Return the immediate dominator of each position: the last position that all paths from the root to it share.

    K. D. Cooper, T. J. Harvey, K. Kennedy: A Simple, Fast Dominance Algorithm, 2001; without cycles one pass is enough.

    Examples
    --------
    >>> moves = [(1, 2), (3,), (3,), (4,), ()]
    >>> graph = PositionGraph(range(5), (True, False, False, True, False), moves)
    >>> dominators(graph).tolist()
    [0, 0, 0, 0, 3]
    """
    dominator = np.full(len(require_graph(graph)), -1, np.int32)
    dominator[0] = 0
    _dominate.run(len(graph) + 4 * len(graph.rows.child), graph.rows.start, graph.rows.child, dominator)
    return dominator


@kernel
def _dominate(start, child, dominator):
    for v in range(len(start) - 1):
        for k in range(start[v], start[v + 1]):
            one, other = dominator[child[k]], np.int32(v)
            while one != other and one >= 0:
                if one < other:
                    other = dominator[other]
                else:
                    one = dominator[one]
            dominator[child[k]] = other
