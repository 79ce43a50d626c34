"""The computation of an umigame number by the article's own algorithm, written down step by step.

This is the algorithm as Uenon prints it, for graphs that a reader can follow: a letter for each position with several
parents, from the deepest on, that is no position's name; each letter is replaced by its value where all paths to its
position have met.  A term is dropped if another has no greater integer and no other letters.  `umigame.repertoire`
needs fewer terms.

The article's second example, four leaves of which A is reached through q4 and through B:

    depth 5: A = a, where a = 1
    depth 4: B = b, where b = 1 + 1 + a = 2 + a
    depth 2: W1 = 1 + b
    depth 2: W2 = b + a = a + b
    depth 1: r = min(1 + b, a + b)
             with b = 2 + a: min(1 + 2 + a, a + 2 + a) = min(3 + a, 2 + a), as a + a = a
             with a = 1: min(3 + 1, 2 + 1) = min(4, 3) = 3
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count, product
from typing import NamedTuple

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require_list
from mines_dd.base.errors import BudgetExceededError, MinesError
from mines_dd.base.wording import are, counted, shown
from mines_dd.boardgames.position_graph import PositionGraph, require_side
from mines_dd.boardgames.umigame_algebra import MOST_TERMS, dominators

__all__ = ["Derivation", "derivation"]

_Term = tuple[int, frozenset[str]]
_Value = list[_Term]


class Derivation(NamedTuple):
    """The steps, each a line of text, and the umigame number that they end with."""

    steps: tuple[str, ...]
    lines: int


def derivation(
    graph: PositionGraph, own: bool = True, names: Sequence[str] | None = None, *, budget: Budget | None = None
) -> Derivation:
    r"""Return the steps of the article's algorithm for a side.

    Parameters
    ----------
    graph : PositionGraph
    own : bool
        Whether it is the graph's own side, or the opponent.
    names : sequence of str, optional
        What the positions are called in the steps; by default their labels.
    budget : Budget, optional
        Its nodes are the terms of a value, by default 2,000.

    Raises
    ------
    BudgetExceededError
        If a value has more terms than allowed, or it takes too long.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b"], "a": ["d", "e"], "b": ["e"]}}')
    >>> print("\n".join(derivation(graph, own=False).steps))
    depth 3: d = 1
    depth 3: e = c, where c = 1
    depth 2: a = min(1, c)
    depth 2: b = c
    depth 1: r = min(1, c) + c = min(1 + c, c) = c
             with c = 1: min(1 + 1, 1) = min(2, 1) = 1
    """
    graph, own = require_side(graph, own)
    names = list(map(str, graph.labels)) if names is None else require_list(names, "a list of names, one a position")
    if len(names) != len(graph):
        raise MinesError(f"there {are(len(names))} {counted(len(names), 'name')} for {counted(len(graph), 'position')}")
    writer = _Writer(graph, own, names, Budget.of(budget))
    levels: list[list[int]] = [[] for _ in range(max(writer.depth))]
    for v in reversed(range(len(graph))):
        levels[-writer.depth[v]].append(v)
    for level in levels:
        writer.level(level)
    return Derivation(tuple(writer.steps), writer.seen[0][0][0])


class _Writer:
    """The values as the parents see them, the letters' values, and the steps so far."""

    def __init__(self, graph: PositionGraph, own: bool, names: Sequence[str], budget: Budget) -> None:
        self.graph, self.own, self.names, self.budget = graph, own, names, budget
        self.most = MOST_TERMS if budget.max_nodes is None else budget.max_nodes
        self.depth = [1] * len(graph)
        for v, children in enumerate(graph.children):
            for child in children:
                self.depth[child] = max(self.depth[child], self.depth[v] + 1)
        self.met: dict[int, list[int]] = {}  # dominator -> positions with a letter, parents before children
        for v, dominator in enumerate(dominators(graph).tolist()):
            if graph.parents[v] > 1:
                self.met.setdefault(dominator, []).append(v)
        self.seen: dict[int, _Value] = {}
        self.letter: dict[int, str] = {}
        self.free = (letter for letter in map(_name, count()) if letter not in frozenset(names))
        self.value: dict[str, _Value] = {}
        self.steps: list[str] = []

    def level(self, positions: Sequence[int]) -> None:
        """Write all positions of a depth; leaves with one parent in one line."""
        single = {v: self.names[v] for v in positions if not self.graph.children[v] and self.graph.parents[v] < 2}
        if single:
            self.say(next(iter(single)), f"{', '.join(single.values())} = 1")
        for v in self.budget.each(positions):
            self.seen[v] = [(1, frozenset())]
            if v not in single:
                self.position(v)

    def position(self, v: int) -> None:
        """Write a position: its value, what is substituted there, and its letter if it has one."""
        children, parts = self.graph.children[v], [self.seen[child] for child in self.graph.children[v]]
        if not children:
            value, said = self.seen[v], ["1"]
        elif len(children) == 1:
            value, said = parts[0], [_text(parts[0])]
        elif self.graph.own[v] == self.own:
            value = [term for part in parts for term in part]
            said = [_text(value)]
        else:
            value = [_sum(chosen) for chosen in self.budget.each(self.limited(v, parts))]
            said = [" + ".join(map(_text, parts))]
        if self.met.get(v):
            value = list(dict.fromkeys(value))
        else:
            value = self.kept(value)
        equal = " = ".join(dict.fromkeys([*said, _text(list(value)), _text(self.kept(value))]))
        name = self.names[v]
        if self.graph.parents[v] > 1:
            letter = self.letter[v] = next(self.free)
            self.say(v, f"{name} = {letter}, where {letter} = {equal}")
        else:
            self.say(v, f"{name} = {equal}")
        for position in self.met.get(v, ()):
            value = self.substituted(v, value, self.letter[position])
        value = self.kept(value)
        if v in self.letter:
            self.value[self.letter[v]] = value
            value = [(0, frozenset({self.letter[v]}))]
        self.seen[v] = value

    def substituted(self, v: int, value: _Value, letter: str) -> _Value:
        """Replace a letter by its value, and write what comes out."""
        inside = self.value[letter]
        raw, found, twice = [], [], set[str]()
        for number, letters in self.budget.each(value, every=10):
            if letter not in letters:
                raw.append(_text([(number, letters)]))
                found.append((number, letters))
                continue
            self.check(v, len(found) + len(inside))
            rest = (number, letters - {letter})
            around = _text([rest])
            raw.append(_text(inside) if around == "0" else f"{around} + {_text(inside)}")
            twice |= {x for _, more in inside for x in more & rest[1]}
            found += [_sum((rest, term)) for term in inside]
        found = list(dict.fromkeys(found))
        expanded = raw[0] if len(raw) == 1 else f"min({', '.join(raw)})"
        numbers = {number for number, letters in found if not letters}
        end = [str(min(numbers))] if len(numbers) == len(found) else []
        said = " = ".join(dict.fromkeys([expanded, _text(found), *end]))
        same = "".join(f", as {x} + {x} = {x}" for x in sorted(twice))
        self.say(v, f"with {letter} = {_text(inside)}: {said}{same}", more=True)
        return found

    def kept(self, value: _Value) -> _Value:
        """The terms that no other term makes superfluous, each once."""
        terms = list(dict.fromkeys(value))
        looked_at = self.budget.each(terms, every=10)
        return [(n, s) for n, s in looked_at if not any((m, t) != (n, s) and m <= n and t <= s for m, t in terms)]

    def limited(self, v: int, parts: Sequence[_Value]) -> Iterable[tuple[_Term, ...]]:
        """All ways to choose a term of each part."""
        terms = 1
        for part in parts:
            terms *= len(part)
            self.check(v, terms)
        return product(*parts)

    def check(self, v: int, terms: int) -> None:
        if terms > self.most:
            raise BudgetExceededError(
                f"the article's algorithm makes more than {counted(self.most, 'term')} at {shown(self.names[v])}",
                needed=terms,
                allowed=self.most,
                unit="terms",
                advice="allow more, or explain a smaller graph",
            )

    def say(self, v: int, text: str, more: bool = False) -> None:
        start = f"depth {self.depth[v]}: "
        self.steps.append((" " * len(start) if more else start) + text)


def _sum(terms: Iterable[_Term]) -> _Term:
    total, letters = 0, frozenset[str]()
    for number, more in terms:
        total, letters = total + number, letters | more
    return total, letters


def _text(value: _Value) -> str:
    terms = [" + ".join([*[str(n)] * (n > 0 or not s), *sorted(s)]) for n, s in value]
    return terms[0] if len(terms) == 1 else f"min({', '.join(terms)})"


def _name(number: int) -> str:
    letter = "abcdefghijklmnopqrstuvwxyz"[number % 26]
    return letter if number < 26 else f"{letter}{number // 26}"
