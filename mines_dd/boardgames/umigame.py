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
memorised anyway.  `repertoire` uses the article's algebra (`umigame_algebra`): in the example, with the letters e and f
for shared leaves, a is min(1, e), b is min(e, f), c is f, and the root is min(1, e) + min(e, f) + f = min(1 + f, ...)
= 2.

What merging has to pay.  The problem contains set cover: the opponent's moves are the elements, each may be answered by
a move to any set that has it, and the sets are the leaves.  So it is NP-hard, and W[2]-hard in the number of lines
(R. Downey, M. Fellows, Parameterized Complexity, 1999): even for few lines nothing is known that is much better than to
try them.  Values can be of any length; a `Budget` limits them.  In opening books they stay short (63 terms, 15 letters
among 645,000 positions).  There the cost is the number of positions above one with several parents, times the searches:
one with the known bound and few terms, and if that fails one for each of a dozen growing bounds.  `allowances` rules
out most of these positions before a search.

`umigame_checks` computes the same numbers in other ways.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from mines_dd.base.budget import Budget
from mines_dd.base.checks import require_flag, require_function
from mines_dd.base.errors import BudgetExceededError
from mines_dd.base.jit import kernel
from mines_dd.boardgames.position_graph import PositionGraph, require_graph, require_side
from mines_dd.boardgames.umigame_algebra import MOST_TERMS, Algebra, TooManyTermsError, choices_of
from mines_dd.diagrams.lifetimes import BITS_A_BYTE

__all__ = [
    "Repertoire",
    "position_numbers",
    "repertoire",
    "tree_lines",
    "umigame_numbers",
]

_LARGEST = 1 << 61

_FEW_TERMS = 64  # of a value in a first attempt, which is enough for most graphs
_BYTES_AT_ONCE = 2**26  # that memory is asked for


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
            Whether it is the graph's own side, or the opponent.
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
        graph, own = require_side(graph, own)
        require_function(choice, "a function from a position to the child to move to")
        reached = bytearray(len(graph))
        reached[0] = 1
        moves: dict[Hashable, Hashable] = {}
        leaves: list[Hashable] = []
        v = -1
        while (v := reached.find(1, v + 1)) >= 0:
            children = graph.children[v]
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
    """Return the umigame numbers of the side to move at the root and of the other one.

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
    first = require_graph(graph).own[0]
    if not require_flag(transpositions, "transpositions"):
        return tree_lines(graph, first), tree_lines(graph, not first)
    return repertoire(graph, first, budget=budget).lines, repertoire(graph, not first, budget=budget).lines


def tree_lines(graph: PositionGraph, own: bool = True) -> int:
    """Return the umigame number of a side without transpositions, in linear time: a leaf counts once for each path.

    Parameters
    ----------
    graph : PositionGraph
    own : bool
        Whether it is the graph's own side, or the opponent.

    Examples
    --------
    >>> from mines_dd.boardgames.position_graph import parse_json
    >>> graph = parse_json('{"moves": {"r": ["a", "b", "c"], "a": ["d", "e"], "b": ["e", "f"], "c": ["f"]}}')
    >>> tree_lines(graph, own=False)
    3
    """
    return int(_tree_values(*require_side(graph, own))[0])


def repertoire(graph: PositionGraph, own: bool = True, *, budget: Budget | None = None) -> Repertoire:
    """Return a smallest repertoire of a side, with transpositions, by the article's algebra.

    Parameters
    ----------
    graph : PositionGraph
    own : bool
        Whether it is the graph's own side, or the opponent.
    budget : Budget, optional
        Its nodes are the terms that a value may have; 2,000 by default.

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
    graph, own = require_side(graph, own)
    budget = Budget.of(budget)
    limit = budget.max_nodes or MOST_TERMS
    trees = _tree_values(graph, own)
    details = {"terms": 1}
    most = Repertoire.following(graph, own, lambda v: min(graph.children[v], key=trees.__getitem__), details)
    try:
        return _search(graph, own, trees, most.lines - 1, min(limit, _FEW_TERMS), budget, details) or most
    except TooManyTermsError:
        pass
    # A smaller bound leaves fewer terms; and if there is no repertoire within it, the number is larger.
    least = 1
    while least < most.lines:
        bound = min(least + least // 4, most.lines - 1)
        try:
            found = _search(graph, own, trees, bound, limit, budget, details)
        except TooManyTermsError as error:
            raise BudgetExceededError(
                f"the value of a position has more than {limit:,} terms; the number is at least {least:,} and at most "
                f"{most.lines:,}",
                needed=error.terms,
                allowed=limit,
                unit="terms",
                advice="allow more terms, or take a smaller graph or 0-1 programming",
            ) from None
        if found is not None:
            return found
        least = bound + 1
    return most


def position_numbers(graph: PositionGraph, own: bool = True, *, budget: Budget | None = None) -> list[int]:
    """Return a side's umigame number of every position: the lines it would have to memorise from there on.

    Where the side is to move, its number is the least of its children's.  Elsewhere it is their sum, unless two
    children reach the same position; only then is the algebra needed.

    Parameters
    ----------
    graph : PositionGraph
    own : bool
        Whether it is the graph's own side, or the opponent.
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
    >>> dict(zip(graph.labels, position_numbers(graph, own=False), strict=True))
    {'r': 2, 'c': 1, 'b': 1, 'f': 1, 'a': 1, 'e': 1, 'd': 1}
    """
    graph, own = require_side(graph, own)
    budget, room = Budget.of(budget), 0.0  # how many more bytes memory was asked for
    numbers = [1] * len(graph)
    number = {v: i for i, v in enumerate(graph.confluences)}
    below = [0] * len(graph)  # the positions with several parents from a position on, as bits
    parents = graph.parents.tolist()  # that are still to come
    for v in budget.each(range(len(graph) - 1, -1, -1), every=1):
        met, twice = 0, 0
        for child in graph.children[v]:
            twice |= met & below[child]
            met |= below[child]
            parents[child] -= 1
            if not parents[child]:
                room += below[child].bit_length() / BITS_A_BYTE
                below[child] = 0
        below[v] = met | 1 << number[v] if v in number else met
        room -= below[v].bit_length() / BITS_A_BYTE
        if room < 0:
            budget.reserve(_BYTES_AT_ONCE - int(room))
            room = _BYTES_AT_ONCE
        if not (children := [numbers[child] for child in graph.children[v]]):
            continue
        if graph.own[v] == own:
            numbers[v] = min(children)
        elif not twice:
            numbers[v] = sum(children)
        else:
            numbers[v] = repertoire(graph.below(v), own, budget=budget).lines
    return numbers


def _tree_values(graph: PositionGraph, own: bool) -> Sequence[int]:
    """Each position's number without transpositions."""
    values = np.ones(len(graph), np.int64)
    rows, chooses = graph.rows, np.array(graph.own) == own
    if not _add_up.run(len(values) + len(rows.child), rows.start, rows.child, chooses, values):
        return values  # type: ignore[return-value]
    exact = [1] * len(graph)
    for v in range(len(graph) - 1, -1, -1):
        if below := [exact[child] for child in graph.children[v]]:
            exact[v] = min(below) if chooses[v] else sum(below)
    return exact


@kernel
def _add_up(start, child, chooses, values):
    """Fill in minima where the side chooses, else sums; return whether one may be too large for 64 bits."""
    for v in range(len(start) - 2, -1, -1):
        if start[v] == start[v + 1]:
            continue
        value = values[child[start[v]]]
        for k in range(start[v] + 1, start[v + 1]):
            other = values[child[k]]
            value = min(value, other) if chooses[v] else value + other
            if value > _LARGEST:
                return True
        values[v] = value
    return False


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
    algebra = Algebra(graph, own, trees, bound, limit, budget)
    value = algebra.run()
    details["terms"] = algebra.longest
    if not value or value[0].leaves > bound:
        return None
    choices = dict(choices_of(value[0].choices))

    def choice(v: int) -> int:
        return choices[v] if v in choices else min(graph.children[v], key=trees.__getitem__)

    return Repertoire.following(graph, own, choice, details)
