"""`Assignments`: all mine assignments of a board, and the questions one can ask about them.

The questions are answered in `queries`, by passes over the family's circuit; this class adds the cells' names and says
what is wrong with an argument.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf
from numbers import Integral
from typing import Any

from mines_dd.base.budget import Budget, memory_errors
from mines_dd.base.checks import require, require_labels, require_number
from mines_dd.base.errors import InconsistentBoardError, MinesError
from mines_dd.base.wording import counted, shown
from mines_dd.diagrams import queries, storage
from mines_dd.diagrams.circuit import FALSE, Circuit
from mines_dd.diagrams.dd_nodes import to_dd
from mines_dd.diagrams.diagram import Diagram

__all__ = ["Assignments", "OfCells"]


@dataclass(frozen=True, eq=False)
class Assignments:
    """All mine assignments of a board: a family of sets of cells, the places of the mines.

    A family is immutable.  Families are equal if they have the same assignments, whichever methods made them.  A family
    has no `len`, which cannot return numbers as large as `count` does.

    A question may take long, or more memory than there is.  So each takes a `budget`, whose seconds count from when it
    was made; over it, `BudgetExceededError` is raised.  Iterating needs none:
    an assignment takes one walk from the root, however many there are.

    Attributes
    ----------
    circuit : Circuit
        The compiled form.
    method : str
        What compiled it: "bdd", "zdd", "zdd-span", "dc" or "tree" (`solve`), or "top-down" (`frontier.build`).
    node_count : int
        The nodes of the reduced diagram (terminals not counted) or, for "tree" and for what `given` returns, of the
        circuit.
    details : dict
        What is known of the compilation, by `solve` the backend, states and the seconds of each stage.
    diagram : Diagram or None
        The reduced diagram, if the method makes one; None for what `given` and `load` return.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> family = solve(Board.parse("###/#2#/###"))
    >>> family.count(), family.probabilities()[0, 0]
    (28, Fraction(1, 4))
    >>> family.given(mines=[(0, 0), (2, 2)]).count()
    1
    """

    circuit: Circuit
    method: str
    node_count: int
    details: dict[str, Any] = field(default_factory=dict)
    diagram: Diagram | None = None

    @cached_property
    def cells(self) -> tuple[Hashable, ...]:
        """The closed cells next to a hint, (row, column) from 0; of a graph its cell vertices, of a spec its items."""
        return tuple(self.circuit.cells)

    @memory_errors()
    def count(self, *, budget: Budget | None = None) -> int:
        """Return the number of assignments, exactly.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> solve(Board.parse("###/#2#/###")).count()
        28
        """
        known, budget = vars(self), Budget.of(budget)
        if "_count" not in known:
            known["_count"] = queries.count(self._within(budget), budget)
        number: int = known["_count"]
        return number

    @memory_errors()
    def probabilities(self, *, budget: Budget | None = None) -> dict[Hashable, Fraction]:
        """Return for each cell the fraction of the assignments in which it holds a mine (paper §5, figures 9 and 10).

        Raises
        ------
        InconsistentBoardError
            If there is no assignment.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> solve(Board.parse("#1#")).probabilities()
        {(0, 0): Fraction(1, 2), (0, 2): Fraction(1, 2)}
        """
        circuit = self._some("there are no probabilities", budget)
        return OfCells(zip(self.cells, queries.probabilities(circuit, budget), strict=True))

    @memory_errors()
    def approximate_probabilities(self, *, budget: Budget | None = None) -> dict[Hashable, float]:
        """Return `probabilities` as doubles, right to about 9 digits; faster where counts have thousands of digits.

        Raises
        ------
        InconsistentBoardError
            If there is no assignment.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> solve(Board.parse("#1#")).approximate_probabilities()
        {(0, 0): 0.5, (0, 2): 0.5}
        """
        circuit = self._some("there are no probabilities", budget)
        return OfCells(zip(self.cells, queries.approximate_probabilities(circuit, budget), strict=True))

    @memory_errors()
    def counts_by_mines(self, *, budget: Budget | None = None) -> dict[int, int]:
        """Return for each possible number of mines, ascending, the number of assignments that have it.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> solve(Board.parse("#1##/###1")).counts_by_mines()
        {1: 2, 2: 3}
        """
        return queries.counts_by_mines(self._within(budget), budget)

    def __iter__(self) -> Iterator[frozenset[Any]]:
        """Yield every assignment once, lazily, as the frozenset of its mines."""
        return queries.iterate(self.circuit)

    def __contains__(self, mines: object) -> bool:
        """Tell whether a collection of cells is one of the assignments.

        An edge is a cell as `cells` has it, from one end to the other.

        Raises
        ------
        MinesError
            If it is one but for pairs that are the other way round.

        Examples
        --------
        >>> import networkx as nx
        >>> from mines_dd.frontier import Matchings, build
        >>> {(0, 3)} in build(Matchings(nx.cycle_graph(4))).to_assignments()
        True
        """
        try:
            if not isinstance(mines, Collection):
                return False
            if queries.contains(self.circuit, mines):
                return True
            unknown = {cell for cell in mines if cell not in self._index}
            meant = {self._turned(cell) for cell in unknown}
            if unknown and None not in meant and queries.contains(self.circuit, meant | (set(mines) - unknown)):
                self._indices(unknown)  # raises
        except TypeError:  # something in it cannot be a cell
            return False
        return False

    def __eq__(self, other: object) -> bool:
        """Tell whether another family has the same assignments, whichever method made it; see `queries.same`.

        Cells that hold no mine in any assignment make no difference.  Cells are compared as `cells` has them: the edge
        (0, 1) is not (1, 0), so make both families from one graph.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> solve(Board.parse("#1#"), "zdd") == solve(Board.parse("#1#"), "tree") != solve(Board.parse("#1"))
        True
        """
        if not isinstance(other, Assignments):
            return NotImplemented
        return self is other or queries.same(self.circuit, other.circuit)

    def __hash__(self) -> int:
        """The number of assignments modulo a prime, by a pass over the circuit when it is first needed."""
        known = vars(self)
        if "_hash" not in known:
            known["_hash"] = hash(queries.value_at(self.circuit, dict.fromkeys(self.cells, 1)))
        number: int = known["_hash"]
        return number

    def __bool__(self) -> bool:
        """Tell whether there is an assignment at all."""
        return self.circuit.root != FALSE

    @memory_errors()
    def sample(self, n: int = 1, seed: int | None = None, *, budget: Budget | None = None) -> list[frozenset[Any]]:
        """Return `n` assignments drawn uniformly and independently; the same seed gives the same ones.

        Raises
        ------
        InconsistentBoardError
            If there is no assignment.
        MinesError
            If `n` is negative.
        BudgetExceededError
            If the budget or the memory is not enough.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> sorted(solve(Board.parse("###/#2#/###")).sample(seed=1)[0])
        [(0, 1), (0, 2)]
        """
        _require_number(n)
        return Budget.of(budget).repeated(n, self.samples(seed, budget=budget).__next__)

    def samples(self, seed: int | None = None, *, budget: Budget | None = None) -> Iterator[frozenset[Any]]:
        """Return assignments without end, drawn uniformly and independently; the same seed gives the same ones.

        Raises
        ------
        InconsistentBoardError
            If there is no assignment.
        BudgetExceededError
            If the budget is not enough, here or when a later one is drawn.

        Examples
        --------
        >>> from itertools import islice
        >>> from mines_dd import Board, solve
        >>> family = solve(Board.parse("###/#2#/###"))
        >>> list(islice(family.samples(seed=1), 3)) == family.sample(3, seed=1)
        True
        """
        return queries.samples(self._some("there is no sample", budget), seed, budget)

    @memory_errors()
    def cheapest(
        self, costs: Mapping[Any, Any], n: int = 1, *, budget: Budget | None = None
    ) -> list[tuple[Any, frozenset[Any]]]:
        """Return the `n` assignments of least total cost as (cost, mines), cheapest first (paper §1).

        Parameters
        ----------
        costs : mapping
            Cell -> cost of a mine there: an int, float or Fraction, also a negative one.  A missing cell costs 0.
            Sums with floats are rounded, which may change the order; those of ints and Fractions are exact.
        n : int
            How many; fewer are returned if there are fewer assignments.
        budget : Budget, optional

        Raises
        ------
        MinesError
            If `costs` names a cell that is not one of `cells`, a cost is nan, some are infinite with either sign, some
            are floats and all together are more than a float holds, or `n` is negative.
        BudgetExceededError
            If the budget or the memory is not enough.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> solve(Board.parse("#1#")).cheapest({(0, 0): 3, (0, 2): 5}, n=2)
        [(3, frozenset({(0, 0)})), (5, frozenset({(0, 2)}))]
        """
        _require_number(n)
        self._indices(require(costs, Mapping, "a dict of costs, cell -> cost,"))
        costs = {cell: require_number(cost, f"the cost of {cell!r}") for cell, cost in costs.items()}
        if {inf, -inf} <= {*costs.values()}:
            raise MinesError("costs of inf and of -inf have no sum; leave out one of them, or give large numbers")
        if any(isinstance(cost, float) for cost in costs.values()):
            total = sum(abs(Fraction(cost)) for cost in costs.values() if abs(cost) != inf)
            if total > sys.float_info.max:
                raise MinesError("all costs together are more than a float holds; give integers or Fractions alone")
        return queries.cheapest(self._within(budget), costs, int(n), budget)

    @memory_errors()
    def given(
        self, mines: Collection[Any] = (), safe: Collection[Any] = (), *, budget: Budget | None = None
    ) -> Assignments:
        """Return the assignments with a mine in each cell of `mines` and none in the cells of `safe`.

        Raises
        ------
        MinesError
            If a cell is not one of `cells`.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> family = solve(Board.parse("###/#2#/###"))
        >>> family.given(mines=[(0, 0)], safe=[(2, 2)]).count()
        6
        """
        circuit = queries.given(self._within(budget), self._indices(mines), self._indices(safe), budget)
        return Assignments(circuit, self.method, circuit.node_count, self.details)

    @memory_errors()
    def safe_cells(self, *, budget: Budget | None = None) -> frozenset[Any]:
        """Return the cells without a mine in every assignment.

        Raises
        ------
        InconsistentBoardError
            If there is no assignment.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> sorted(solve(Board.parse("#1#/#10")).safe_cells())
        [(0, 2)]
        """
        return self._settled(budget)[0]

    @memory_errors()
    def certain_mines(self, *, budget: Budget | None = None) -> frozenset[Any]:
        """Return the cells with a mine in every assignment.

        Raises
        ------
        InconsistentBoardError
            If there is no assignment.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> sorted(solve(Board.parse("##1/221/###")).certain_mines())
        [(0, 1)]
        """
        return self._settled(budget)[1]

    def _settled(self, budget: Budget | None) -> tuple[frozenset[Any], frozenset[Any]]:
        """The cells that never hold a mine, and those that always do."""
        safe, mines = queries.settled(self._some("there are no probabilities", budget), budget)
        return frozenset(self.cells[i] for i in safe), frozenset(self.cells[i] for i in mines)

    @memory_errors()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the family to a file that `load` reads; see `mines_dd.diagrams.storage` for the format.

        Examples
        --------
        >>> import tempfile
        >>> from mines_dd import Board, solve
        >>> with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        ...     solve(Board.parse("#1#")).save(file.name)
        ...     print(Assignments.load(file.name).count())
        2
        """
        storage.save(path, self.circuit, {"method": self.method, "node_count": self.node_count})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Assignments:
        """Read a family written by `save`.

        Raises
        ------
        MinesError
            If the file is missing or damaged, or is not a saved family.

        Examples
        --------
        >>> try:
        ...     Assignments.load("family.npz")
        ... except MinesError as error:
        ...     print(error)
        cannot read 'family.npz': No such file or directory
        """
        circuit, about = storage.load(path)
        match about:
            case {"method": str(method), "node_count": int(nodes)}:
                return Assignments(circuit, method, nodes)
        raise MinesError(f"{os.fspath(path)!r} does not say what made it; save the family again")

    def to_dot(self) -> str:
        r"""Return a drawing in the DOT language, for Graphviz.

        A diagram is drawn with dashed 0-arcs and solid 1-arcs (paper, figures 6 to 8).  The method "tree" makes no
        diagram; its circuit is drawn as sums and products.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> print(solve(Board.parse("#1"), "zdd", simplify=False).to_dot(), end="")
        digraph zdd {
          label="ZDD, 1 node; items that an arc passes are not in\l" +
            "———  1-arc: the item is in\l" +
            "- - -  0-arc: it is not in\l" +
            "[1]  a solution\l" +
            "[0]  no solution\l";
          labeljust=l;
          2 [label="0,0"];
          0 [label="0", shape=box];
          1 [label="1", shape=box];
          2 -> 0 [style=dashed];
          2 -> 1;
          {rank=same; 2;}
          {rank=same; 0; 1;}
        }
        """
        return self._drawn.to_dot()

    @memory_errors()
    def to_dd(self, manager: Any, budget: Budget | None = None) -> Any:
        """Return the family as a node of a `dd` manager (BDD or ZDD), whose missing variables are declared.

        Cell (r, c) becomes the variable `x{r}_{c}`, an edge (u, v) `x{u}_{v}`, anything else `x{cell}`.  They are
        declared in the order of the family's diagram.  A family of `tree` has none: its order comes from the circuit,
        and the diagram may be several times as large as that of `solve(board, "bdd")`.  In another order of yours,
        declared before, it may be much larger.  In a ZDD a variable that is declared later is false in the nodes that
        are there, and one of no cell that was declared before may be either: to combine families, declare the variables
        of all of them first.  Of the budget only the seconds count, between the operations of `dd`.

        Examples
        --------
        >>> from dd.autoref import BDD
        >>> from mines_dd import Board, solve
        >>> manager = BDD()
        >>> solve(Board.parse("#1#")).to_dd(manager) == manager.add_expr("x0_0 ^ x0_2")
        True
        """
        return to_dd(self.circuit, manager, budget)

    def __repr__(self) -> str:
        """Say what it is without counting."""
        sizes = f"{counted(len(self.cells), 'cell')}, {counted(self.node_count, 'node')}"
        return f"<Assignments: {sizes}, method {self.method!r}>"

    def to_svg(self) -> str:
        """Return the drawing of `to_dot` as SVG, laid out without Graphviz.

        Raises
        ------
        MinesError
            If it has more nodes than `mines_dd.diagrams.svg.LARGEST`.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> solve(Board.parse("#1#")).to_svg().startswith("<svg")
        True
        """
        return self._drawn.to_svg()

    def _repr_html_(self) -> str:
        """Its description and, if it is small, its drawing, for notebooks."""
        from html import escape

        return f"<div>{escape(repr(self))}</div>{self._drawn._repr_svg_() or ''}"

    @property
    def _drawn(self) -> Diagram | Circuit:
        return self.circuit if self.diagram is None else self.diagram

    def _within(self, budget: Budget | None) -> Circuit:
        """The circuit; where it is still to be made, within a budget."""
        return self.circuit

    def _some(self, otherwise: str, budget: Budget | None) -> Circuit:
        """The circuit of a family that has an assignment; `otherwise` says what there is not."""
        circuit = self._within(budget)
        if circuit.root == FALSE:
            why = "check the hints of the board (analyse says which disagree), or what the problem asks for"
            raise InconsistentBoardError(f"there is no assignment, so {otherwise}; {why}")
        return circuit

    @cached_property
    def _index(self) -> dict[Hashable, int]:
        return {cell: i for i, cell in enumerate(self.cells)}

    def _turned(self, cell: Any) -> tuple[Any, ...] | None:
        """An edge from its other end, or a column and row as row and column, if that is a cell."""
        turned = cell[::-1] if isinstance(cell, tuple) else None
        return turned if turned in self._index else None

    def _indices(self, cells: Collection[Any]) -> list[int]:
        if isinstance(cells, Assignments):  # to list it would take all memory
            raise MinesError("a list of cells is needed, not a whole family")
        labels = require_labels(cells, "a list of cells", MinesError)
        for cell in labels:
            if cell not in self._index:
                turned = self._turned(cell)
                if isinstance(cells, tuple | str) and cells in self._index:
                    meant = f"; for one cell write [{cells!r}]"
                else:
                    meant = f"; did you mean {turned!r}?" if turned else ""
                what = "is not one of .cells, which are the closed cells next to a hint, or the items of a problem"
                raise MinesError(f"{shown(cell)} {what}{meant}")
        return [self._index[cell] for cell in labels]


class OfCells(dict[Any, Any]):
    """A dict that says why a cell is not in it."""

    why = "is open, or touches no hint, or is no item of the graph or spec; only the family's .cells have a probability"

    def __missing__(self, cell: Hashable) -> Any:
        raise KeyError(f"{cell!r} {self.why}")


def _require_number(n: int) -> None:
    if not isinstance(n, Integral) or n < 0:
        raise MinesError(f"there are no {shown(n)} assignments to return; ask for a whole number, 0 or more")
