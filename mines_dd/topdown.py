"""Decision diagrams built from the top down: configuration, sharing, F-pruning and T-pruning.

A *problem* asks for some of the subsets of its items.  It decides them one after the other and remembers of the
decisions made so far only a *configuration* φ: as much as it takes to tell which continuations are solutions.  The
builder makes one layer of nodes an item and knows nothing of what a configuration means.  Nodes of a layer with equal
configurations are *shared*.  An arc ends early where the problem says so: *F-pruning* where no continuation is a
solution, *T-pruning* where it is known which are, either all (⊤ read as in a BDD: every item to come is free) or the
one that takes nothing (⊤ read as in a ZDD: no item to come is in).  The result mixes both readings.

A new problem is a short class: see `Knapsack`, `DegreeConstrained` and `Paths`.  For large degree-constrained problems
there is a compiled kernel, `mines_dd.compilers.frontier`; this module is the general method, in plain Python.

References
----------
決定図を用いたマインスイーパー攻略 (Minesweeper by decision diagrams), Qiita, 16 May 2024.
D. E. Knuth, "The Art of Computer Programming", volume 4A, section 7.1.4, exercise 225 (Simpath).
H. Iwashita, S. Minato, "Efficient top-down ZDD construction techniques using recursive specifications", TCS-TR-A-13-69,
Hokkaido University, 2013.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Protocol, TypeVar

import networkx as nx

from mines_dd.base.budget import Budget
from mines_dd.base.errors import GraphFormatError, MinesError
from mines_dd.constraints.graph import degree_constraint
from mines_dd.diagrams.assignments import Assignments
from mines_dd.diagrams.diagram import Diagram
from mines_dd.diagrams.drawable import Drawable
from mines_dd.diagrams.drawing import Drawing, Node, counted, label_text

__all__ = ["DegreeConstrained", "End", "Knapsack", "Paths", "Problem", "TopDownDiagram", "build"]

C = TypeVar("C", bound=Hashable)
Edge = tuple[Any, Any]


class End(IntEnum):
    """Where a pruned arc ends."""

    F = 0
    """⊥: no continuation is a solution."""
    T_ZDD = 1
    """⊤ read as in a ZDD: the one solution from here takes no further item."""
    T_BDD = 2
    """⊤ read as in a BDD: every further item is free."""

    @property
    def sign(self) -> str:
        """How it is written in drawings and tables."""
        return ("⊥", "⊤ ZDD", "⊤ BDD")[self]


class Problem(Protocol[C]):
    """Some of the subsets of `items`, by what has to be remembered while they are decided one after the other."""

    @property
    def items(self) -> Sequence[Hashable]:
        """The items in the order of decision; level i decides item i."""

    @property
    def root(self) -> C:
        """The configuration before the first decision."""

    def child(self, configuration: C, level: int, taken: bool) -> C:
        """Return the configuration after item `level` is taken or left, from the one before."""

    def prune(self, configuration: C, level: int) -> End | None:
        """Return where an arc to this configuration ends if that is known when items `level`, ... are undecided.

        After the last item (`level` is the number of items) it has to be known.
        """


@dataclass(frozen=True, eq=False)
class TopDownDiagram(Drawable):
    """What the builder makes: layers of nodes, none of them reduced yet.

    An arc from layer i ends in a node of layer i + 1 or in a terminal; ⊤ says of the items i + 1, ... that they are
    free or absent.

    Attributes
    ----------
    items : sequence of labels
    start : list of int
        Layer i holds the nodes `start[i]` to `start[i + 1]`.  Numbers below `len(End)` are the terminals.
    low, high : list of int
        Where the 0-arc and the 1-arc of node `len(End) + k` end, at place k.
    configurations : list
        φ of node `len(End) + k`, at place k.
    root : int
        A node, or a terminal if the problem was decided before its first item.
    """

    items: Sequence[Hashable]
    start: list[int]
    low: list[int]
    high: list[int]
    configurations: list[Any]
    root: int

    @property
    def node_count(self) -> int:
        """The number of nodes that decide an item; terminals are not counted."""
        return len(self.low)

    def __repr__(self) -> str:
        """Its sizes."""
        return f"<TopDownDiagram: {len(self.items)} items, {self.node_count} nodes>"

    @property
    def layer_sizes(self) -> list[int]:
        """The number of nodes that decide each item."""
        return [end - begin for begin, end in zip(self.start, self.start[1:], strict=False)]

    @cached_property
    def ends(self) -> Counter[End]:
        """How many arcs end in each terminal."""
        arcs = Counter([*self.low, *self.high])
        return Counter({end: arcs[end] for end in End})

    def reduced(self) -> Diagram:
        """Return the canonical ZDD of the same family: both rules of reduction, from the last layer to the first."""
        n = len(self.items)
        level, low, high = [n, n], [0, 1], [0, 1]
        unique: dict[tuple[int, int, int], int] = {}

        def node(i: int, zero: int, one: int) -> int:
            if one == 0:
                return zero
            key = (i, zero, one)
            if key not in unique:
                unique[key] = len(level)
                level.append(i)
                low.append(zero)
                high.append(one)
            return unique[key]

        value = [0] * (len(End) + len(self.low))
        value[End.T_ZDD] = 1
        free = [1]  # free[j]: the last j items are free

        def reached(arc: int, i: int) -> int:
            if arc != End.T_BDD:
                return value[arc]
            while len(free) <= n - i:
                free.append(node(n - len(free), free[-1], free[-1]))
            return free[n - i]

        for i in range(n - 1, -1, -1):
            for k in range(self.start[i], self.start[i + 1]):
                zero, one = self.low[k - len(End)], self.high[k - len(End)]
                value[k] = node(i, reached(zero, i + 1), reached(one, i + 1))
        return Diagram.build("zdd", self.items, level, low, high, reached(self.root, 0))

    def to_assignments(self) -> Assignments:
        """Return the family of sets of items, for counts, samples, cheapest sets and all other queries.

        Its `node_count` is that of the reduced diagram; `details["nodes"]` is that of this one.
        """
        diagram = self.reduced()
        circuit = diagram.to_circuit(self.items, range(len(self.items)))
        return Assignments(circuit, "top-down", diagram.node_count, {"nodes": self.node_count}, diagram)

    @property
    def drawn_size(self) -> int:
        """The number of nodes and items."""
        return self.node_count + len(self.items)

    def drawing(self, false_arcs: bool = False, title: str = "") -> Drawing:
        """Return a self as it was built: every node with its φ, the items at the left, both kinds of ⊤; ⊥ if wanted."""
        drawing = Drawing("topdown", ranks=[label_text(item) for item in self.items])
        configurations, low, high = iter(self.configurations), iter(self.low), iter(self.high)
        for rank, (begin, end) in enumerate(pairwise(self.start)):
            for node in range(begin, end):
                drawing.nodes[str(node)] = Node(label_text(next(configurations)), "oval", rank)
                drawing.arcs += [(str(node), str(next(low)), True), (str(node), str(next(high)), False)]
        for terminal, arcs in self.ends.items():
            if terminal == self.root or (arcs and (terminal != End.F or false_arcs)):
                drawing.nodes[str(terminal)] = Node(terminal.sign, "box", len(self.items))
        shown = [arc for arc in drawing.arcs if arc[1] in drawing.nodes]
        hidden = ", without the arcs to ⊥" * (len(shown) < len(drawing.arcs))
        drawing.arcs = shown
        drawing.caption = f"{title or 'Top-down self'}: {counted(self.node_count)}{hidden}"
        if self.node_count:
            drawing.legend.append((Node("φ", "oval", 0), "a node and its configuration"))
        drawing.explain(
            {
                "⊤ ZDD": "a solution, no further item is in",
                "⊤ BDD": "solutions, further items are free",
                "⊥": "no solution",
            },
        )
        return drawing


def build(
    problem: Problem[C], *, share: bool = True, prune: bool = True, budget: Budget | None = None
) -> TopDownDiagram:
    """Return the diagram of a problem, built layer by layer.

    Parameters
    ----------
    problem : Problem
    share : bool
        Whether nodes of a layer with equal configurations are one.  Without it the diagram is a tree.
    prune : bool
        Whether arcs may end before the last item is decided.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If there are more nodes than allowed, or it takes too long.
    MinesError
        If the problem leaves a configuration undecided after the last item.

    Examples
    --------
    Five snacks of 100 yen each, for at most 300 yen: 6 nodes, where a binary tree has 31.

    >>> snacks = Knapsack(dict.fromkeys("abcde", 100), 300)
    >>> diagram = build(snacks)
    >>> diagram.node_count, build(snacks, share=False, prune=False).node_count
    (6, 31)
    >>> diagram.to_assignments().count()
    26
    """
    budget = budget or Budget()
    n = len(problem.items)
    configurations: list[C] = []
    low: list[int] = []
    high: list[int] = []
    known: dict[C, int] = {}  # the nodes of the layer that is being made

    def end_of_arc(configuration: C, level: int) -> int:
        if prune or level == n:
            end = problem.prune(configuration, level)
            if end is not None:
                return end
            if level == n:
                raise MinesError(f"the problem does not say where {configuration!r} ends after the last item")
        node = known.get(configuration) if share else None
        if node is None:
            node = len(End) + len(configurations)
            configurations.append(configuration)
            if share:
                known[configuration] = node
        return node

    root = end_of_arc(problem.root, 0)
    start = [len(End)]
    for level in range(n):
        begin, end = len(low), len(configurations)
        known.clear()
        for configuration in configurations[begin:end]:
            low.append(end_of_arc(problem.child(configuration, level, False), level + 1))
            high.append(end_of_arc(problem.child(configuration, level, True), level + 1))
            budget.check(len(configurations))
        start.append(len(End) + end)
    return TopDownDiagram(problem.items, start, low, high, configurations, int(root))


class Knapsack:
    """The sets of items that weigh no more than allowed: "snacks for up to 300 yen".  φ is the weight so far.

    Parameters
    ----------
    weights : mapping
        Item -> weight (price), in the order of decision; integers or Fractions, none negative.
    capacity : number

    Raises
    ------
    MinesError
        For a negative weight.

    Examples
    --------
    The basket that pleases most is the cheapest one if pleasure is a negative cost.

    >>> prices = {"chocolate": 150, "crisps": 120, "gum": 50, "cola": 140}
    >>> pleasure = {"chocolate": 8, "crisps": 6, "gum": 2, "cola": 7}
    >>> baskets = build(Knapsack(prices, 300)).to_assignments()
    >>> cost, basket = baskets.cheapest({item: -p for item, p in pleasure.items()})[0]
    >>> -cost, sorted(basket)
    (15, ['chocolate', 'cola'])
    """

    def __init__(self, weights: Mapping[Any, Any], capacity: Any) -> None:
        for item, weight in weights.items():
            if weight < 0:
                raise MinesError(f"item {item!r} weighs {weight}; weights may not be negative")
        self.items = tuple(weights)
        self.root: Any = 0
        self._weights = tuple(weights.values())
        self._capacity = capacity
        backwards = self._weights[::-1]
        self._sum_of_rest = list(accumulate(backwards, initial=0))[::-1]
        self._least_of_rest = [*list(accumulate(backwards, min))[::-1], float("inf")]

    def child(self, configuration: Any, level: int, taken: bool) -> Any:
        """Add the item's weight if it is taken."""
        return configuration + self._weights[level] if taken else configuration

    def prune(self, configuration: Any, level: int) -> End | None:
        """⊥ if overweight, ⊤ (BDD) if all the rest fits in, ⊤ (ZDD) if not even the lightest of it does."""
        room = self._capacity - configuration
        if room < 0:
            return End.F
        if room >= self._sum_of_rest[level]:
            return End.T_BDD
        if room < self._least_of_rest[level]:
            return End.T_ZDD
        return None


class DegreeConstrained:
    """The sets of edges in which every vertex v has a degree in its set dc(v) (Definition 2 of the JSAI paper).

    φ is the degree of every vertex so far.  With `frontier`, only of those vertices that have edges both decided and
    to come: a vertex that is finished counts as one with an allowed degree, and φ is None if it has none.

    Parameters
    ----------
    graph : networkx.Graph
        Every vertex has the attribute `dc`, its set of allowed degrees.
    order : sequence of edges, optional
        All edges in the order of decision; as the graph lists them if not given, for a mine graph cell by cell.
    frontier : bool

    Raises
    ------
    GraphFormatError
        If a vertex has no `dc`, the graph is of another kind, or `order` is not all edges once.
    """

    def __init__(self, graph: nx.Graph, order: Sequence[Edge] | None = None, *, frontier: bool = False) -> None:
        self.items, self._ends = _numbered_edges(graph, order)
        self.root: tuple[int, ...] | None = (0,) * len(graph)
        self._frontier = frontier
        self._allowed = [degree_constraint(graph, vertex) for vertex in graph]
        self._last = _last_edges(self._ends, len(graph))
        # For each vertex and number of its edges decided: the degrees from which an allowed one can be reached.
        self._possible = [
            [{d for d in range(done + 1) if any(d <= k <= d + n - done for k in allowed)} for done in range(n + 1)]
            for allowed, n in zip(self._allowed, dict(graph.degree).values(), strict=True)
        ]
        # For each level, the vertices to look at and how many of their edges are decided.
        done = [0] * len(graph)
        self._checks: list[list[tuple[int, int]]] = [list(enumerate(done))]
        for ends in self._ends:
            for x in ends:
                done[x] += 1
            self._checks.append([(x, done[x]) for x in ends])
        self._checks[-1] = list(enumerate(done))

    def child(self, configuration: tuple[int, ...] | None, level: int, taken: bool) -> tuple[int, ...] | None:
        """Add one to the degrees of the edge's end points if it is taken."""
        if configuration is None or not (taken or self._frontier):
            return configuration
        degrees = list(configuration)
        for x in self._ends[level]:
            degrees[x] += taken
            if self._frontier and self._last[x] == level:
                if degrees[x] not in self._allowed[x]:
                    return None
                degrees[x] = min(self._allowed[x])
        return tuple(degrees)

    def prune(self, configuration: tuple[int, ...] | None, level: int) -> End | None:
        """⊥ if no element of dc(v) lies in [φ_v, φ_v + edges of v to come] for an end point v of the last edge.

        All vertices are looked at before the first edge and after the last.
        """
        if configuration is None:
            return End.F
        if any(configuration[x] not in self._possible[x][done] for x, done in self._checks[level]):
            return End.F
        return End.T_ZDD if level == len(self.items) else None


Mates = tuple[int, ...]


class Paths:
    """The sets of edges that are a simple path from one vertex to another (Knuth's Simpath).

    φ is the *mate* of every vertex on the frontier: the other end of the fragment of path that it is an end of, itself
    if it is on none, -1 inside a fragment.  `source` and `target` start as the ends of a fragment of their own, so that
    the path is what closes it to a cycle; then φ is (), no edge may follow, and the arc ends in ⊤ (ZDD).  φ is None
    once there can be no path.

    Parameters
    ----------
    graph : networkx.Graph
    source, target : vertices
    order : sequence of edges, optional
        All edges in the order of decision; as the graph lists them if not given.

    Raises
    ------
    GraphFormatError
        If the graph is of another kind, `order` is not all edges once, or the vertices are not two of the graph's.

    Examples
    --------
    >>> import networkx as nx
    >>> family = build(Paths(nx.grid_2d_graph(3, 3), (0, 0), (2, 2))).to_assignments()
    >>> family.count(), min(map(len, family))
    (12, 4)
    """

    def __init__(self, graph: nx.Graph, source: Any, target: Any, order: Sequence[Edge] | None = None) -> None:
        if source == target or source not in graph or target not in graph:
            raise GraphFormatError(f"a path joins two vertices of the graph; {source!r} and {target!r} are not")
        self.items, self._ends = _numbered_edges(graph, order)
        self._last = _last_edges(self._ends, len(graph))
        number = {vertex: i for i, vertex in enumerate(graph)}
        mates = list(range(len(graph)))
        mates[number[source]], mates[number[target]] = number[target], number[source]
        self.root: Mates | None = tuple(mates)

    def child(self, configuration: Mates | None, level: int, taken: bool) -> Mates | None:
        """Join two fragments if the edge is taken, and let the vertices go that have no further edge."""
        if not configuration:
            return None if taken else configuration
        mates = list(configuration)
        u, v = self._ends[level]
        if taken:
            a, b = mates[u], mates[v]
            if a == v:
                closed = all(mate in (x, -1) for x, mate in enumerate(mates) if x not in (u, v))
                return () if closed else None
            if a == -1 or b == -1:
                return None
            mates[u] = mates[v] = -1
            mates[a], mates[b] = b, a
        for x in (u, v):
            if self._last[x] == level:
                if mates[x] not in (x, -1):
                    return None
                mates[x] = x
        return tuple(mates)

    def prune(self, configuration: Mates | None, level: int) -> End | None:
        """⊤ (ZDD) if the path is complete, ⊥ if there can be none."""
        if configuration == ():
            return End.T_ZDD
        return End.F if configuration is None or level == len(self.items) else None


def _numbered_edges(graph: nx.Graph, order: Sequence[Edge] | None) -> tuple[tuple[Edge, ...], list[tuple[int, int]]]:
    """All edges in the order of decision, and their end points by number."""
    if graph.is_directed() or graph.is_multigraph():
        raise GraphFormatError("top-down construction takes an undirected networkx.Graph without parallel edges")
    edges = tuple(graph.edges if order is None else order)
    if Counter(map(frozenset, edges)) != Counter(map(frozenset, graph.edges)):
        raise GraphFormatError("an order of edges names each edge of the graph once; this one does not")
    number = {vertex: i for i, vertex in enumerate(graph)}
    ends = [(number[u], number[v]) for u, v in edges]
    for (u, v), edge in zip(ends, edges, strict=True):
        if u == v:
            raise GraphFormatError(f"vertex {edge[0]!r} has an edge to itself; leave it out")
    return edges, ends


def _last_edges(ends: Iterable[tuple[int, int]], vertices: int) -> list[int]:
    """For each vertex the place of its last edge, -1 if it has none."""
    last = [-1] * vertices
    for i, (u, v) in enumerate(ends):
        last[u] = last[v] = i
    return last
