"""Constraints as text for other programs: DIMACS CNF (written) and OPB (written and read).

SAT solvers and model counters read CNF, pseudo-Boolean solvers read OPB.  In both, variable i is the i-th cell next to
a hint and is true for a mine; comment lines say which cell it is.  No variable is added, so the number of models is the
number of assignments.  The hint "exactly 2 of x1, x2, x3" is

    CNF    1 2 0       of any two cells (3 - 2 + 1 = 2) one holds a mine: so there are at least two mines
           1 3 0
           2 3 0
           -1 -2 -3 0  of any three cells (2 + 1 = 3) one is safe: so there are at most two mines
    OPB    +1 x1 +1 x2 +1 x3 = 2 ;

The number of clauses is binomial in the number of cells, of which a board's hint has at most eight.

References
----------
"MC 2020 format", Model Counting Competition (DIMACS CNF).
O. Roussel, V. Manquinho, "Input/Output Format and Solver Requirements for the Competitions of Pseudo-Boolean Solvers"
(OPB).
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import NoReturn

import networkx as nx

from mines_dd.base.checks import require
from mines_dd.base.errors import BudgetExceededError, GraphFormatError
from mines_dd.base.wording import counted
from mines_dd.board.board import Board
from mines_dd.constraints.graph import GraphLike, Instance

__all__ = ["clauses", "from_opb", "to_cnf", "to_opb"]

_MOST_CLAUSES = 10**7
_FREE_VARIABLES = 10**5  # at most in the header of a short text, as each becomes two vertices
_TOKEN = re.compile(r"[<>]=|[=;]|[^\s;=<>]+|[<>]")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_VARIABLE = re.compile(r"x[1-9][0-9]*")
_HEADER = re.compile(r"\*\s*#variable=\s*([0-9]{1,18})\s+#constraint=\s*([0-9]{1,18})\b")
_SYNTAX = "write a constraint such as +1 x1 +1 x2 = 1 ;"


def to_cnf(source: Board | GraphLike) -> str:
    """Return a board or a mine graph in DIMACS CNF; its models are the assignments, whatever the board's total.

    Raises
    ------
    BudgetExceededError
        If there are too many clauses: they grow with the binomial coefficients of a hint's number of cells.  OPB grows
        linearly.

    Examples
    --------
    >>> print(to_cnf(Board.parse("#1#")), end="")
    c mine assignments: a variable is true for a mine
    c x1 = (0, 0)
    c x2 = (0, 2)
    p cnf 2 2
    -1 -2 0
    1 2 0

    A model counter reads it as it is:

    >>> import pyganak  # doctest: +SKIP
    >>> counter = pyganak.Counter()  # doctest: +SKIP
    >>> for line in to_cnf(Board.parse("#1#")).splitlines():  # doctest: +SKIP
    ...     if line[0] not in "cp":
    ...         counter.add_clause([int(literal) for literal in line.split()[:-1]])
    >>> counter.count()  # doctest: +SKIP
    2
    """
    instance = Instance.of(source)
    needed = sum(
        _clause_count(len(cells), allowed) for cells, allowed in zip(instance.members, instance.allowed, strict=True)
    )
    if needed > _MOST_CLAUSES:
        raise BudgetExceededError(
            f"a CNF of this graph has {needed:,} clauses, more than {_MOST_CLAUSES:,}",
            needed=needed,
            allowed=_MOST_CLAUSES,
            unit="clauses",
            advice="write OPB instead",
        )
    formula = clauses(instance)
    lines = [f"c {line}" for line in (*_about(source), *_legend(instance))]
    lines.append(f"p cnf {len(instance.cells)} {len(formula)}")
    lines += (" ".join(map(str, [*clause, 0])) for clause in formula)
    return "\n".join(lines) + "\n"


def _about(source: Board | GraphLike) -> Iterator[str]:
    """Comments on what the models are."""
    yield "mine assignments: a variable is true for a mine"
    if isinstance(source, Board) and source.mines is not None:
        yield f"the total number of mines, {source.mines}, is no constraint here; solve leaves it out, too"


def to_opb(source: Board | GraphLike) -> str:
    """Return a board or a mine graph as linear pseudo-Boolean constraints (OPB).

    Their models are the assignments, whatever the board's total.

    Raises
    ------
    GraphFormatError
        If the numbers that a hint allows have a gap, such as {0, 2}: that is not a linear constraint.

    Examples
    --------
    >>> print(to_opb(Board.parse("#1#")), end="")
    * #variable= 2 #constraint= 1
    * mine assignments: a variable is true for a mine
    * x1 = (0, 0)
    * x2 = (0, 2)
    +1 x1 +1 x2 = 1 ;
    """
    instance = Instance.of(source)
    constraints = list(_constraints(instance))
    # a constraint that nothing satisfies needs a variable, even if the board has none
    variables = max(len(instance.cells), 1 if constraints else 0)
    lines = [f"* #variable= {variables} #constraint= {len(constraints)}"]
    lines += (f"* {line}" for line in (*_about(source), *_legend(instance)))
    return "\n".join(lines + constraints) + "\n"


def from_opb(text: str) -> nx.Graph:
    """Return the mine graph of a system of cardinality constraints in OPB, for `solve`.

    A constraint is a sum of variables whose coefficients are all +1 or all -1, a relation `=`, `>=` or `<=`, and a
    number.  Cells have the names of the variables, such as `x1`.  The k-th constraint is the hint `ck`, whose attribute
    `line` is its line in the text.  A variable that the header declares but no constraint mentions is free: it gets a
    hint that allows 0 and 1.

    Raises
    ------
    GraphFormatError
        If there is anything else (an objective, another coefficient, a negated variable or a product of variables).
        The error names the line.

    Examples
    --------
    >>> from mines_dd import solve
    >>> family = solve(from_opb('''* #variable= 3 #constraint= 2
    ... +1 x1 +1 x2 = 1 ;
    ... +1 x2 +1 x3 >= 1 ;'''))
    >>> sorted(map(sorted, family))
    [['x1', 'x3'], ['x2'], ['x2', 'x3']]
    """
    declared = _declared(require(text, str, "the text of an OPB file", error=GraphFormatError))
    constraints = list(_statements(text))
    graph = nx.Graph()
    if declared is not None:
        variables, number = declared
        if len(constraints) != number:
            raise GraphFormatError(
                f"line 1: the header announces {counted(number, 'constraint')}, but there are {len(constraints)}; "
                "is the file complete?"
            )
        graph.add_nodes_from((f"x{i + 1}" for i in range(variables)), bipartite=0)
    for k, constraint in enumerate(constraints, start=1):
        for cell in constraint.cells:
            if declared is not None and cell not in graph:
                raise GraphFormatError(
                    f"line {constraint.line}: {cell} is beyond the {counted(variables, 'variable')} of the header"
                )
            graph.add_node(cell, bipartite=0)
        graph.add_node(f"c{k}", bipartite=1, dc=constraint.allowed, line=constraint.line)
        graph.add_edges_from((cell, f"c{k}") for cell in constraint.cells)
    cells = [cell for cell, side in graph.nodes(data="bipartite") if side == 0]
    for cell in cells:
        if not graph.degree[cell]:
            graph.add_node(f"free {cell}", bipartite=1, dc=frozenset((0, 1)))
            graph.add_edge(cell, f"free {cell}")
        graph.nodes[cell]["dc"] = frozenset((0, graph.degree[cell]))
    return graph


def clauses(instance: Instance) -> list[list[int]]:
    """Return clauses whose models are the instance's assignments; variable i + 1 is cell i.

    Let a hint with n cells allow at least `low` and at most `high` mines.  Of any `high` + 1 of its cells one is safe,
    and of any n - `low` + 1 one holds a mine.  If it forbids a number in between, each set of that many mines is
    excluded by a clause of its own.

    Examples
    --------
    >>> clauses(Instance.of(Board.parse("##/#2")))
    [[-1, -2, -3], [1, 2], [1, 3], [2, 3]]
    """
    require(instance, Instance, "an Instance", "Instance.of makes one of a board or a graph")
    result: list[list[int]] = []
    for cells, allowed in zip(instance.members, instance.allowed, strict=True):
        variables = [cell + 1 for cell in cells]
        possible = [k for k in allowed if 0 <= k <= len(variables)]
        if not possible:
            return [[]]
        result += ([-x for x in chosen] for chosen in combinations(variables, possible[-1] + 1))
        result += (list(chosen) for chosen in combinations(variables, len(variables) - possible[0] + 1))
        for k in range(possible[0] + 1, possible[-1]):
            if k not in possible:
                for mines in combinations(variables, k):
                    result.append([-x if x in mines else x for x in variables])
    return result


@dataclass(frozen=True)
class _Constraint:
    """The numbers of mines that some cells may have."""

    cells: list[str]
    allowed: frozenset[int]
    line: int


def _clause_count(size: int, allowed: list[int]) -> int:
    """The number of clauses that `clauses` writes for a hint."""
    possible = [k for k in allowed if 0 <= k <= size]
    if not possible:
        return 1
    between = sum(comb(size, k) for k in range(possible[0] + 1, possible[-1]) if k not in possible)
    return comb(size, possible[-1] + 1) + comb(size, size - possible[0] + 1) + between


def _legend(instance: Instance) -> Iterator[str]:
    """A line for each variable: its cell."""
    return (f"x{i} = {' '.join(repr(cell).split())}" for i, cell in enumerate(instance.cells, start=1))


def _constraints(instance: Instance) -> Iterator[str]:
    for hint, cells, allowed in zip(instance.hints, instance.members, instance.allowed, strict=True):
        possible = [k for k in allowed if 0 <= k <= len(cells)]
        if not possible:
            yield "+1 x1 >= 2 ;"
            continue
        least, most = possible[0], possible[-1]
        if most - least + 1 != len(possible):
            raise GraphFormatError(
                f"hint {hint!r} allows {', '.join(map(str, possible))} mines, which has a gap and is no linear "
                "constraint; write a CNF instead"
            )
        if least == most and cells:
            yield "".join(f"+1 x{cell + 1} " for cell in cells) + f"= {least} ;"
            continue
        if least > 0:
            yield "".join(f"+1 x{cell + 1} " for cell in cells) + f">= {least} ;"
        if most < len(cells):  # the format has no <=
            yield "".join(f"-1 x{cell + 1} " for cell in cells) + f">= {-most} ;"


def _declared(text: str) -> tuple[int, int] | None:
    """The numbers of variables and constraints in the header; None if there is no header."""
    found = _HEADER.match(text)
    if found is None:
        return None
    variables, constraints = int(found[1]), int(found[2])
    most = max(_FREE_VARIABLES, len(text))
    if variables > most:
        raise GraphFormatError(
            f"line 1: {variables:,} variables are announced; at most {most:,} can be read from a text of this length"
        )
    return variables, constraints


def _statements(text: str) -> Iterator[_Constraint]:
    """The constraints, each of which ends with a semicolon and may span several lines."""
    tokens: list[str] = []
    begun = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("*"):
            continue
        for token in _TOKEN.findall(line):
            begun = begun if tokens else number
            if token != ";":
                tokens.append(token)
                continue
            yield _constraint(tokens, begun or number)
            tokens = []
    if tokens:
        _refuse(begun, f"the constraint that begins with {tokens[0][:20]!r} does not end with a semicolon")


def _constraint(tokens: list[str], line: int) -> _Constraint:
    """Read one constraint, without its semicolon."""
    if tokens and tokens[0].lower().startswith(("min:", "max:")):
        raise GraphFormatError(f"line {line}: an objective cannot be read, only constraints; take it out")
    *terms, relation, bound = tokens if len(tokens) > 2 else ["", "", ""]
    if relation not in ("=", ">=", "<=") or not _INTEGER.fullmatch(bound):
        _refuse(line, f"{' '.join(tokens)[:60]!r} is not a sum, a relation =, >= or <=, and a number")
    cells, sign = _sum(terms, line)
    return _Constraint(cells, _allowed(len(cells), sign, relation, _integer(bound, line)), line)


def _sum(terms: list[str], line: int) -> tuple[list[str], int]:
    """The variables of a sum, and their common coefficient, 1 or -1."""
    coefficients, cells = terms[::2], terms[1::2]
    for coefficient in coefficients:
        if _VARIABLE.fullmatch(coefficient.lstrip("~")):
            _refuse(line, f"{coefficient[:20]} has no coefficient, or is multiplied with another variable")
        if not _INTEGER.fullmatch(coefficient):
            _refuse(line, f"{coefficient[:20]!r} is no coefficient")
    for cell in cells:
        if cell.startswith("~"):
            _refuse(line, f"{cell[:20]} is negated, and only sums of plain variables can be read")
        if not _VARIABLE.fullmatch(cell):
            _refuse(line, f"{cell[:20]!r} is no variable x1, x2, ...")
    if len(coefficients) != len(cells):
        _refuse(line, "the last coefficient has no variable")
    signs = {coefficient.lstrip("+") for coefficient in coefficients}
    if signs not in ({"1"}, {"-1"}):
        _refuse(line, "this is no cardinality constraint, whose coefficients are all +1 or all -1")
    if len(set(cells)) < len(cells):
        twice, _ = Counter(cells).most_common(1)[0]
        _refuse(line, f"{twice} stands twice in the sum")
    return cells, int(signs.pop())


def _allowed(size: int, sign: int, relation: str, bound: int) -> frozenset[int]:
    """Which of the numbers 0 to `size` satisfy the constraint."""
    compare = {"=": operator.eq, ">=": operator.ge, "<=": operator.le}[relation]
    return frozenset(k for k in range(size + 1) if compare(sign * k, bound))


def _integer(token: str, line: int) -> int:
    try:
        return int(token)
    except ValueError:  # Python reads no numbers of many thousand digits
        raise GraphFormatError(f"line {line}: a number of {len(token)} digits is too long to read") from None


def _refuse(line: int, what: str) -> NoReturn:
    raise GraphFormatError(f"line {line}: {what}; {_SYNTAX}")
