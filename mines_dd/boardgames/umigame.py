"""Umigame numbers (海亀数): how many lines of an opening have to be memorised.

Uenon, 合流を考慮した海亀数 (umigame numbers with transpositions), 2022.  One side memorises: where it is to move it
chooses one move, where its opponent is to move any may come.  What it has to memorise are the leaves that can then be
reached; its number is the least there can be.  Without transpositions a leaf counts once for each path to it, and a
minimum where the side is to move, a sum elsewhere, give the number in linear time: `tree_lines`.

With transpositions a leaf is memorised once however many paths lead to it, and which move is best depends on what has
to be memorised anyway.  `repertoire` does the article's algebra.  The value of a position is a minimum over *terms*,
each an integer, for leaves that only this position leads to, and a set of *letters*, for what others lead to as well.
Letters add up as sets do: a + a = a.  Minima and sums of such values, multiplied out, are such values.  A position with
several parents is a letter to each of them, and its value takes the letter's place where all paths to it have met
again: at its immediate dominator.  Three things keep values shorter than the article's:

- what all terms of such a position have in common is split off, as letters of its own and the letters in it, so that
  only a real choice stays hidden behind a letter;
- a term goes if another *dominates* it: costs no more even if it alone has to pay for the letters that the other lacks
  (the article asks for letters that include the other's);
- so does a term that costs more than a repertoire already known.

The problem contains set cover and is NP-hard: values may outgrow any limit, and a `Budget` sets one.  `umigame_checks`
finds the same numbers by other means.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from mines_dd.base.budget import Budget
from mines_dd.base.errors import BudgetExceededError
from mines_dd.boardgames.position_graph import PositionGraph

__all__ = [
    "Repertoire",
    "repertoire",
    "tree_lines",
    "umigame_numbers",
]

# Terms a value may have: by default, and in the first attempt, which most graphs pass.
_TERMS, _FEW_TERMS = 2000, 64


@dataclass(frozen=True)
class Repertoire:
    """What one side has to memorise.

    Attributes
    ----------
    moves : dict
        For each position in which the side can come to be to move the position it moves to.
    leaves : frozenset
        The leaves that can then be reached.
    details : dict
        What is known of the computation: `terms`, the most that a value had.
    """

    moves: dict[Hashable, Hashable]
    leaves: frozenset[Hashable]
    details: dict[str, int]

    @classmethod
    def following(
        cls, graph: PositionGraph, own: bool, choice: Callable[[int], int], details: dict[str, int]
    ) -> Repertoire:
        """Return the repertoire that choosing a child makes.

        Parameters
        ----------
        graph : PositionGraph
        own : bool
            Whether the side is the one to move at the root.
        choice : function
            For a position of the side that can be reached and has several children the one to move to.
        details : dict
        """
        reached = bytearray(len(graph))
        reached[0] = 1
        moves: dict[Hashable, Hashable] = {}
        leaves: list[Hashable] = []
        for v, children in enumerate(graph.children):
            if not reached[v]:
                continue
            if not children:
                leaves.append(graph.labels[v])
            elif graph.own[v] == own:
                child = children[0] if len(children) == 1 else choice(v)
                moves[graph.labels[v]] = graph.labels[child]
                reached[child] = 1
            else:
                for child in children:
                    reached[child] = 1
        return cls(moves, frozenset(leaves), details)

    @property
    def lines(self) -> int:
        """The umigame number: how many leaves there are."""
        return len(self.leaves)


def umigame_numbers(
    graph: PositionGraph, *, transpositions: bool = True, budget: Budget | None = None
) -> tuple[int, int]:
    """Return how many lines the side to move at the root has to memorise, and its opponent.

    Parameters
    ----------
    graph : PositionGraph
    transpositions : bool
        Whether a leaf is memorised once however many paths lead to it, or once for each.
    budget : Budget, optional
        As in `repertoire`.

    Raises
    ------
    BudgetExceededError
        As `repertoire`.
    """
    if not transpositions:
        return tree_lines(graph, True), tree_lines(graph, False)
    return repertoire(graph, True, budget=budget).lines, repertoire(graph, False, budget=budget).lines


def tree_lines(graph: PositionGraph, own: bool = True) -> int:
    """Return how many lines a side has to memorise without transpositions: a leaf once for each path, linear time.

    Parameters
    ----------
    graph : PositionGraph
    own : bool
        Whether the side is the one to move at the root.
    """
    return _tree_values(graph, own)[0]


def repertoire(graph: PositionGraph, own: bool = True, *, budget: Budget | None = None) -> Repertoire:
    """Return a smallest repertoire of a side, with transpositions, by the article's algebra.

    Parameters
    ----------
    graph : PositionGraph
    own : bool
        Whether the side is the one to move at the root.
    budget : Budget, optional
        Nodes are the terms that one value may have, 2000 by default.

    Raises
    ------
    BudgetExceededError
        If a value has more terms, or it takes too long; the error tells between what the number is known to be.
    """
    budget = budget or Budget()
    limit = budget.max_nodes or _TERMS
    trees = _tree_values(graph, own)
    details = {"terms": 1}
    most = Repertoire.following(graph, own, lambda v: min(graph.children[v], key=trees.__getitem__), details)
    try:
        return _search(graph, own, trees, most.lines - 1, min(limit, _FEW_TERMS), budget, details) or most
    except _TooManyTermsError:
        pass
    # A lower bound leaves fewer terms, and if it is too low, that is worth knowing.
    least = 1
    while least < most.lines:
        bound = min(least + least // 4, most.lines - 1)
        try:
            found = _search(graph, own, trees, bound, limit, budget, details)
        except _TooManyTermsError as error:
            raise BudgetExceededError(
                f"the value of position {graph.labels[error.position]!r} has more than {limit:,} terms; the number is "
                f"at least {least:,} and at most {most.lines:,}",
                needed=error.terms,
                allowed=limit,
                unit="terms",
                advice="allow more terms, or take a smaller graph or 0-1 programming",
            ) from None
        if found is not None:
            return found
        least = bound + 1
    return most


def _tree_values(graph: PositionGraph, own: bool) -> list[int]:
    values = [1] * len(graph)
    for v in range(len(graph) - 1, -1, -1):
        if children := graph.children[v]:
            below = [values[child] for child in children]
            values[v] = min(below) if graph.own[v] == own else sum(below)
    return values


# The algebra. -------------------------------------------------------------------------------------------------------


class _Term(NamedTuple):
    """So many leaves, and letters; and how it came about, a tree of the (position, child) that were chosen."""

    leaves: int
    letters: frozenset[int]
    choices: tuple[Any, ...]


_Value = list[_Term]


class _TooManyTermsError(Exception):
    def __init__(self, position: int, terms: int) -> None:
        super().__init__(position, terms)
        self.position = position
        self.terms = terms


def _search(
    graph: PositionGraph,
    own: bool,
    trees: Sequence[int],
    bound: int,
    limit: int,
    budget: Budget,
    details: dict[str, int],
) -> Repertoire | None:
    """A smallest repertoire, if there is one of at most `bound` lines; values of more than `limit` terms stop it."""
    algebra = _Algebra(graph, own, trees, bound, limit, budget)
    value = algebra.run()
    details["terms"] = algebra.longest
    if not value or value[0].leaves > bound:
        return None
    choices = dict(_pairs(value[0].choices))

    def choice(v: int) -> int:
        return choices[v] if v in choices else min(graph.children[v], key=trees.__getitem__)

    return Repertoire.following(graph, own, choice, details)


def _pairs(choices: tuple[Any, ...]) -> Iterator[tuple[int, int]]:
    """All choices in a tree, in which the same branch may hang many times."""
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


class _Algebra:
    """Values of positions, children first.

    A position is plain if nothing that can come of it can come of anything else; its value is that in a tree.
    Position v with several parents stands behind letter 2 v, the number of leaves that whatever is chosen below it
    leads to and no other letter counts, and letter 2 v + 1, the choice that is left.

    Attributes
    ----------
    seen : list
        The value of each position as its parents see it, unless it is plain.
    hidden : dict
        Letter 2 v + 1 -> the terms to choose from.
    worth : dict
        Letter -> the most that it can add to a count.
    longest : int
        The most terms that a value had.
    """

    def __init__(
        self, graph: PositionGraph, own: bool, trees: Sequence[int], bound: int, limit: int, budget: Budget
    ) -> None:
        self.graph, self.own, self.trees = graph, own, trees
        self.bound, self.limit, self.budget = bound, limit, budget
        self.plain = bytearray(len(graph))
        self.seen: list[_Value] = [[]] * len(graph)
        self.hidden: dict[int, _Value] = {}
        self.worth: dict[int, int] = {}
        self.longest = 1
        self.shared = [count > 1 for count in graph.parents]
        self.met: dict[int, list[int]] = {}  # by dominator, those above before those below
        for v, dominator in enumerate(_dominators(graph.children)):
            if self.shared[v]:
                self.met.setdefault(dominator, []).append(v)

    def run(self) -> _Value:
        """Return the root's value: one term, or none if there is none within the bound."""
        for v in range(len(self.graph) - 1, -1, -1):
            children = self.graph.children[v]
            if all(map(self.plain.__getitem__, children)):
                self.plain[v] = not self.shared[v]
                value = [_Term(self.trees[v], frozenset(), ())] if self.shared[v] else []
            else:
                value = self.combined(v, children)
                for child in children:
                    if not self.shared[child]:
                        self.seen[child] = []  # nobody else will ask
                for position in self.met.get(v, ()):
                    value = self.substituted(v, value, position)
                self.longest = max(self.longest, len(value))
            self.seen[v] = self.split(v, value) if self.shared[v] and value else value
        return self.value(0)

    def value(self, v: int) -> _Value:
        """Return the value of a position as its parents see it."""
        return [_Term(self.trees[v], frozenset(), ())] if self.plain[v] else self.seen[v]

    def combined(self, v: int, children: Sequence[int]) -> _Value:
        """Return the minimum or the sum of the values of a position's children."""
        if len(children) == 1:
            return self.value(children[0])
        if self.graph.own[v] == self.own:
            return self.pruned(v, (_Term(n, s, ((v, c), how)) for c in children for n, s, how in self.value(c)))
        return self.sum(v, list(map(self.value, children)))

    def sum(self, v: int, values: Sequence[_Value]) -> _Value:
        """Multiply out a sum of minima."""
        total, *rest = sorted(values, key=len)
        for value in rest:
            if len(total) == len(value) == 1:
                (n, s, how), (m, t, why) = total[0], value[0]
                total = [_Term(n + m, s | t, (how, why))]
            else:
                total = self.pruned(v, (_Term(n + m, s | t, (how, why)) for n, s, how in total for m, t, why in value))
        return total

    def split(self, v: int, value: _Value) -> _Value:
        """Give a value with several parents its letters."""
        count = min(term.leaves for term in value)
        common = reduce(frozenset.__and__, (term.letters for term in value))
        fixed, choice = 2 * v, 2 * v + 1
        seen = set(common)
        if count:
            self.worth[fixed] = count
            seen.add(fixed)
        if len(value) == 1:
            return [_Term(0, frozenset(seen), value[0].choices)]
        self.hidden[choice] = left = [_Term(n - count, s - common, how) for n, s, how in value]
        self.worth[choice] = min(n + sum(self.worth[x] for x in s) for n, s, _ in left)
        seen.add(choice)
        return [_Term(0, frozenset(seen), ())]

    def substituted(self, v: int, value: _Value, position: int) -> _Value:
        """Put the value of a position in the place of its letters."""
        fixed, choice = 2 * position, 2 * position + 1
        count = self.worth.pop(fixed, 0)
        if count:
            value = [_Term(n + count, s - {fixed}, how) if fixed in s else _Term(n, s, how) for n, s, how in value]
        choices = self.hidden.pop(choice, ())
        self.seen[position] = []
        if any(choice in term.letters for term in value):
            value = self.pruned(v, _expanded(value, choice, choices))
        elif count and len(value) > 1:
            value = self.pruned(v, value)
        return value

    def pruned(self, v: int, terms: Iterable[_Term]) -> _Value:
        """Return the terms that are within the bound and not dominated."""
        worth, bound = self.worth, self.bound
        best: dict[frozenset[int], _Term] = {}
        for term in terms:
            known = best.get(term.letters)
            # even letters stand for different leaves
            least = term.leaves + sum(worth[x] for x in term.letters if not x & 1)
            if least <= bound and (known is None or term.leaves < known.leaves):
                best[term.letters] = term
                if len(best) > 8 * self.limit:
                    raise _TooManyTermsError(v, len(best))
        if len(best) > 1:
            kept: _Value = []
            for term in sorted(best.values(), key=lambda term: (term.leaves, len(term.letters))):
                self.budget.check(0)
                if not any(self.dominates(other, term) for other in kept):
                    kept.append(term)
                    if len(kept) > self.limit:
                        raise _TooManyTermsError(v, len(kept))
            return kept
        return list(best.values())

    def dominates(self, one: _Term, other: _Term) -> bool:
        """Tell whether a term of no greater count is never the worse choice."""
        if one.letters <= other.letters:
            return True
        spare = other.leaves - one.leaves
        return spare > 0 and sum(self.worth[x] for x in one.letters - other.letters) <= spare


def _expanded(value: _Value, letter: int, choices: Iterable[_Term]) -> Iterable[_Term]:
    for term in value:
        if letter in term.letters:
            rest = term.letters - {letter}
            for n, s, how in choices:
                yield _Term(term.leaves + n, rest | s, (term.choices, how))
        else:
            yield term


def _dominators(children: Sequence[Sequence[int]]) -> list[int]:
    """The immediate dominator of each position: the last that all paths from the root to it have in common.

    Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm, 2001; without cycles one pass does.
    """
    dominator = [-1] * len(children)
    dominator[0] = 0
    for v, below in enumerate(children):
        for child in below:
            one, other = dominator[child], v
            while one != other and one >= 0:
                if one < other:
                    other = dominator[other]
                else:
                    one = dominator[one]
            dominator[child] = other
    return dominator
