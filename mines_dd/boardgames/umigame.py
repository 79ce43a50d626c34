r"""Umigame numbers (海亀数): how many lines of an opening a player has to memorise.

Uenon, 合流を考慮した海亀数 (umigame numbers with transpositions), 2022.  One side memorises.  Where it is to move, it
chooses one move; where its opponent is to move, any move may come.  It has to memorise the leaves that can then be
reached; its umigame number is the least possible number of them.  In this graph the opponent is to move at the root,
and the side at a, b and c:

        root              at a it may choose d or e, at b it may choose e or f, at c it has only f
       / | \              without transpositions: 1 + 1 + 1 = 3
      a  b  c             with transpositions: b -> f and c -> f share the leaf f, so 2, whatever a chooses
     /\ /\ /
    d  e  f

Without transpositions a leaf counts once for each path to it.  The number is then computed in linear time, as a minimum
where the side is to move and as a sum elsewhere: `tree_lines`.

With transpositions a leaf is memorised once however many paths lead to it; so the best move depends on what has to be
memorised anyway.  `repertoire` uses the article's algebra.  The value of a position is a minimum over *terms*.  A term
is an integer, for the leaves that only this position reaches, and a set of *letters*, for the leaves that others may
reach, too.  Letters are added as in a set: a + a = a.  Minima and sums of values, multiplied out, are values again.  A
position with several parents is a letter in the values of its parents.  Where all paths to it have met, at its
immediate dominator, its value is substituted for the letter.  In the example, with the letters e and f for shared
leaves, a is min(1, e), b is min(e, f), c is f, and the root is min(1, e) + min(e, f) + f = min(1 + f, ...) = 2.

Three things keep values shorter than in the article:

- What all terms of a position with several parents have in common is split off, as a letter of its own or as the
  letters it contains; only a real choice is hidden behind a letter.
- A term is dropped if another one *dominates* it: costs no more even if it alone pays for the letters that the first
  one does not contain.  (In the article, the letters have to be a subset of the first one's.)
- A term is dropped if it costs more than a repertoire that is already known.

The problem contains set cover and is NP-hard, so values can be of any length; a `Budget` limits them.  `umigame_checks`
computes the same numbers in other ways.
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

# The most terms of a value: by default, and in a first attempt, which is enough for most graphs.
_TERMS, _FEW_TERMS = 2000, 64


@dataclass(frozen=True)
class Repertoire:
    """The moves and lines that one side has to memorise.

    Attributes
    ----------
    moves : dict
        For each position where the side may have to move, the position that it moves to.
    leaves : frozenset
        The leaves that can then be reached.
    details : dict
        Facts of the computation, such as `terms`, the greatest number of terms of a value.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
    >>> found = repertoire(graph, own=False)
    >>> found.lines, sorted(found.leaves)
    (2, ['e', 'f'])
    """

    moves: dict[Hashable, Hashable]
    leaves: frozenset[Hashable]
    details: dict[str, int]

    @classmethod
    def following(
        cls, graph: PositionGraph, own: bool, choice: Callable[[int], int], details: dict[str, int]
    ) -> Repertoire:
        """Return the repertoire of a side that chooses its moves by a function.

        Parameters
        ----------
        graph : PositionGraph
        own : bool
            Whether the side is the one to move at the root.
        choice : function
            A position where the side is to move and has several children -> the child to move to.
        details : dict

        Examples
        --------
        >>> from mines_dd.boardgames.position_graph import parse_json
        >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
        >>> Repertoire.following(graph, False, lambda v: graph.children[v][0], {}).lines  # always the first move
        3
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
        """The number of leaves: the umigame number, if the repertoire is a smallest one."""
        return len(self.leaves)


def umigame_numbers(
    graph: PositionGraph, *, transpositions: bool = True, budget: Budget | None = None
) -> tuple[int, int]:
    """Return the umigame numbers of the side to move at the root and of its opponent.

    Parameters
    ----------
    graph : PositionGraph
    transpositions : bool
        Whether a leaf counts once (True), or once for each path to it (False).
    budget : Budget, optional
        As for `repertoire`.

    Raises
    ------
    BudgetExceededError
        As for `repertoire`.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
    >>> umigame_numbers(graph), umigame_numbers(graph, transpositions=False)
    ((1, 2), (1, 3))
    """
    if not transpositions:
        return tree_lines(graph, True), tree_lines(graph, False)
    return repertoire(graph, True, budget=budget).lines, repertoire(graph, False, budget=budget).lines


def tree_lines(graph: PositionGraph, own: bool = True) -> int:
    """Return the umigame number of a side without transpositions, in linear time: a leaf counts once for each path.

    Parameters
    ----------
    graph : PositionGraph
    own : bool
        Whether the side is the one to move at the root.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
    >>> tree_lines(graph, own=False)
    3
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
        Its nodes are the terms that a value may have; 2000 by default.

    Raises
    ------
    BudgetExceededError
        If a value has more terms, or it takes too long.  The error for terms gives the known bounds of the number.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
    >>> repertoire(graph, own=False).moves
    {'c': 'f', 'b': 'e', 'a': 'e'}
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
    # A smaller bound leaves fewer terms; and if there is no repertoire within it, the number is larger.
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
    """A number of leaves, a set of letters, and the choices that led to it, as a tree of pairs (position, child)."""

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
    """All choices in a tree, each branch once even if it occurs many times."""
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
        self.met: dict[int, list[int]] = {}  # dominator -> positions, parents before children
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
                        self.seen[child] = []  # no longer needed
                for position in self.met.get(v, ()):
                    value = self.substituted(v, value, position)
                self.longest = max(self.longest, len(value))
            self.seen[v] = self.split(v, value) if self.shared[v] and value else value
        return self.value(0)

    def value(self, v: int) -> _Value:
        """Return the value of a position as its parents use it."""
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
        """Hide the value of a position with several parents behind its letters; return what its parents use."""
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
        """Substitute the value of a position for its letters."""
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
            # even letters count different leaves, so they add up
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
        """Tell whether `one`, whose count is not greater, never costs more than `other`."""
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
    """The immediate dominator of each position: the last position that all paths from the root to it share.

    K. D. Cooper, T. J. Harvey, K. Kennedy: A Simple, Fast Dominance Algorithm, 2001; without cycles one pass is enough.
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
