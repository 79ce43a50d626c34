r"""Problems as short texts: a knapsack, degree-constrained subgraphs, paths.

One statement a line, words between blanks or commas.  A line that begins with `#` is a comment.

    capacity 300                vertex u 1              from a
    chocolate 120 9             vertex v 0 all          to d
    crisps 110 8                edge v u                edge a b 2.5

    knapsack                    degrees                 paths

- knapsack: the capacity, then an item a line: its name, its weight and, if it is known, its value.
- degrees: `vertex` names a vertex and the degrees that it may have; `all` stands for all of its edges.  `edge` names
  two vertices and, if there is one, the cost of the edge.
- paths: the first and the last vertex, then the edges, as above.

Items are decided in the order of the lines.  The program and the texts of the Qiita article on top-down decision
diagrams are lost; these say what it says of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, NoReturn

import networkx as nx

from mines_dd.base.checks import require, require_choice
from mines_dd.base.errors import GraphFormatError
from mines_dd.base.wording import meant, shown
from mines_dd.frontier.all_degrees import AllDegrees
from mines_dd.frontier.degrees import DegreeConstrained
from mines_dd.frontier.linear import Knapsack
from mines_dd.frontier.paths import Paths
from mines_dd.frontier.spec import Spec

__all__ = ["PROBLEMS", "Problem", "Word", "number_of", "read_problem", "refuse", "words"]

_WORD = re.compile(r"((?<=[^\s,],))?[^\s,]+")
_NUMBER = re.compile(r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?")


class Problem(NamedTuple):
    """A spec, and what its items cost.

    Attributes
    ----------
    spec : Spec
    costs : dict
        Item -> cost; for a knapsack minus its value, so that the cheapest set is the most valuable one.
    """

    spec: Spec
    costs: dict[Any, Any]


class Word(NamedTuple):
    """A word of a text and its place, counted from 1; `joined` to the word before by a comma without a blank."""

    text: str
    line: int
    character: int
    joined: bool = False


def words(text: str) -> Iterator[list[Word]]:
    r"""Yield the words of each line that has any; a line that begins with `#` has none.

    Examples
    --------
    >>> [[word.text for word in line] for line in words("# a comment\n\n1,2, 3\n")]
    [['1', '2', '3']]
    """
    for at, line in enumerate(text.splitlines(), 1):
        found = [Word(match[0], at, match.start() + 1, match[1] is not None) for match in _WORD.finditer(line)]
        if found and not found[0].text.startswith("#"):
            yield found


def refuse(word: Word, fault: str) -> NoReturn:
    """Raise the error that says what is wrong at a word.

    Raises
    ------
    GraphFormatError
    """
    raise GraphFormatError(f"line {word.line}, character {word.character}: {fault}")


def number_of(word: Word, what: str) -> Any:
    """Return a number as written, exactly: an int, or a Fraction.

    Raises
    ------
    GraphFormatError
        If it is none; `what` says what it should be.

    Examples
    --------
    >>> number_of(Word("2.50", 1, 1), "a cost"), number_of(Word("5e-1", 1, 1), "a cost")
    (Fraction(5, 2), Fraction(1, 2))
    """
    if not _NUMBER.fullmatch(word.text):
        refuse(word, f"{word.text!r} is no number such as 12 or 2.5; it should be {what}")
    value = Fraction(word.text)
    return value.numerator if value.denominator == 1 else value


def read_problem(kind: str, text: str, *, order: str | None = None, all_degrees: bool = False) -> Problem:
    r"""Return the problem that a text states.

    Parameters
    ----------
    kind : str
        One of `PROBLEMS`.
    text : str
    order : str, optional
        The name of an order of edges, such as "auto"; that of the lines if not given.
    all_degrees : bool
        Whether the states of a problem of degrees hold the degrees of all vertices, as in the Qiita article.

    Raises
    ------
    GraphFormatError
        If the text cannot be read; the error names the place.
    MinesError
        If the problem has no such form, such as one with a negative weight.

    Examples
    --------
    >>> from mines_dd.frontier import build
    >>> problem = read_problem("knapsack", "capacity 300\nchocolate 150 8\ncrisps 120 6\ncola 140 7\n")
    >>> baskets = build(problem.spec).to_assignments()
    >>> baskets.count(), [(-cost, sorted(basket)) for cost, basket in baskets.cheapest(problem.costs)]
    (7, [(15, ['chocolate', 'cola'])])
    >>> square = "from a\nto d\nedge a b 1\nedge a c 2\nedge b d 1\nedge c d 1\n"
    >>> build(read_problem("paths", square).spec).to_assignments().count()
    2
    """
    require_choice(kind, PROBLEMS, "kind of problem")
    lines = list(words(require(text, str, "the text of a problem")))
    if kind == "knapsack":
        return _knapsack(lines)
    statements, graph, costs = _graph(lines, {"degrees": ("vertex",), "paths": ("from", "to")}[kind])
    make: Callable[..., Spec]
    named: Callable[..., Spec]  # knows orders by name
    if kind == "paths":
        make = named = partial(Paths, graph, *_ends(statements, graph))
    else:
        _set_degrees(statements, graph)
        named = partial(DegreeConstrained, graph)
        make = partial(AllDegrees, graph) if all_degrees else named
    edges = list(costs)
    if order is not None:
        ordered: Any = named(order).items  # which may begin at their other ends
        edges = [(u, v) if (u, v) in costs else (v, u) for u, v in ordered]
    return Problem(make(edges), costs)


PROBLEMS = ("knapsack", "degrees", "paths")
"""The kinds of problems that have a text form."""


def _knapsack(lines: list[list[Word]]) -> Problem:
    if not lines:
        raise GraphFormatError("the text has no line; the first one is: capacity NUMBER")
    head, *rest = lines
    if head[0].text != "capacity":
        refuse(head[0], f"{head[0].text!r} stands where the first line should be: capacity NUMBER")
    _length(head, 2, 2, "capacity NUMBER")
    weights: dict[str, Any] = {}
    costs: dict[Any, Any] = {}
    for line in rest:
        _length(line, 2, 3, "NAME WEIGHT or NAME WEIGHT VALUE")
        if len(line) == 3 and line[2].joined and not line[1].joined:
            both = f"{line[1].text},{line[2].text}"
            refuse(line[1], f"{both} may be one number or two; write a point in a number, and a blank between two")
        name = line[0].text
        if name == head[0].text:
            refuse(line[0], "there is a line with 'capacity' already")
        if name in weights:
            refuse(line[0], f"item {name!r} has a line already")
        weights[name] = number_of(line[1], "a weight")
        if weights[name] < 0:
            refuse(line[1], f"item {name!r} weighs {line[1].text}; weights may not be negative")
        if len(line) == 3:
            costs[name] = -number_of(line[2], "a value")
    return Problem(Knapsack(weights, number_of(head[1], "the capacity")), costs)


def _graph(lines: list[list[Word]], others: tuple[str, ...]) -> tuple[list[list[Word]], nx.Graph, dict[Any, Any]]:
    """The lines that begin with one of `others`, the graph of the `edge` lines, and the costs of its edges."""
    graph = nx.Graph()
    statements, costs = [], {}
    for line in lines:
        first = line[0]
        if first.text in others:
            if first.text == "vertex":
                _length(line, 2, len(line), "vertex NAME DEGREES")
                graph.add_node(line[1].text)
            else:
                _length(line, 2, 2, f"{first.text} NAME")
            statements.append(line)
        elif first.text == "edge":
            _length(line, 3, 4, "edge NAME NAME or edge NAME NAME COST")
            u, v = line[1].text, line[2].text
            if u == v:
                refuse(line[2], f"the edge begins and ends in {u!r}; leave it out")
            if graph.has_edge(u, v):
                refuse(first, f"the edge from {u!r} to {v!r} has a line already")
            graph.add_edge(u, v)
            costs[u, v] = number_of(line[3], "a cost") if len(line) == 4 else 0
        else:
            refuse(first, f"a line begins with {', '.join(others)} or edge, not with {first.text!r}")
    return statements, graph, costs


def _ends(statements: list[list[Word]], graph: nx.Graph) -> tuple[str, str]:
    """The vertices after `from` and `to`."""
    found: dict[str, str] = {}
    for first, name in statements:
        if first.text in found:
            refuse(first, f"there is a line with {first.text!r} already")
        if name.text not in graph:
            refuse(name, f"{name.text!r} is on no edge{meant(name.text, graph)}")
        found[first.text] = name.text
        if len(set(found.values())) < len(found):
            refuse(name, "the path begins and ends in the same vertex")
    for needed in ("from", "to"):
        if needed not in found:
            raise GraphFormatError(f"a line is missing: {needed} NAME")
    return found["from"], found["to"]


def _set_degrees(statements: list[list[Word]], graph: nx.Graph) -> None:
    """Give each vertex the degrees of its line."""
    for _, name, *degrees in statements:
        if "dc" in graph.nodes[name.text]:
            refuse(name, f"vertex {name.text!r} has a line already")
        if not degrees:
            refuse(name, f"the degrees that vertex {name.text!r} may have are missing; write them after its name")
        allowed = set()
        for word in degrees:
            if word.text != "all" and not re.fullmatch("[0-9]{1,9}", word.text):
                refuse(word, f"{word.text!r} is no degree: write numbers such as 0 1 2, or all")
            allowed.add(graph.degree(name.text) if word.text == "all" else int(word.text))
        graph.nodes[name.text]["dc"] = allowed
    for vertex, degrees in graph.nodes(data="dc"):
        if degrees is None:
            lonely = [other for other, number in graph.degree if not number]
            missing = f"a line is missing: vertex NAME DEGREES, for the name {shown(vertex)}"
            raise GraphFormatError(missing + meant(vertex, lonely))


def _length(line: list[Word], least: int, most: int, form: str) -> None:
    """Refuse a line of fewer than `least` or more than `most` words."""
    if len(line) < least:
        refuse(line[-1], f"the line ends too soon after {line[-1].text!r}; it should be: {form}")
    if len(line) > most:
        refuse(line[most], f"{line[most].text!r} is too much; the line should be: {form}")
