"""Hint elimination along a tree decomposition (ours): what makes large boards possible.

A *table* belongs to some hints and covers some cells: those that it and the tables within it have taken in.  It maps
*sums*, a number of mines for each of its hints, to a node of the circuit.  The sets of the node are the ways to put
mines into the cells covered so that every hint eliminated there is satisfied, and each hint of the table has its sum
of mines among them.  Eliminating a hint multiplies the tables and the groups of cells that touch it, adding sums, keeps
the entries whose sum the hint allows, and forgets the hint.  Time and space follow the tables, that is the treewidth of
the hint graph (S. Golan, "Minesweeper on graphs", Applied Mathematics and Computation 217, 2011), where a diagram in a
linear order follows its pathwidth.

A worked example
----------------
Three hints over five cells, eliminated in the order p, q, r:

            a b c d e
    p = 1   x x
    q = 1       x x
    r = 2     x x   x

Eliminating p multiplies the cells a and b.  The entries that stay forget p and remember the sum of r:

    a b    p r
    0 0    0 0    dropped: p has no cell left to find its mine in
    0 1    1 1    stays as P1 = b       (r has 1 mine in a, b)
    1 0    1 0    stays as P0 = a
    1 1    2 1    dropped: p overshoots

Eliminating q in the same way leaves Q0 = d and Q1 = c.  Eliminating r takes e and both tables.  First come Q and e:

    Q e    r
    0 0    0    dropped: b, the one cell of r still to come, cannot bring it to 2
    0 1    1    N1 = Q0 e + Q1
    1 0    1    the same sum, so the same entry: its second term
    1 1    2    N2 = Q1 e

Then P is *joined*: an entry with sum s meets only the entries of P that hold the missing 2 - s.

    root = N1 P1 + N2 P0 = b d e + b c + a c e

The entries, those of products on the way such as N included, are the nodes of the circuit.  The products that stay are
their terms.  The sums of an entry are one *key*, a few machine words that a product adds and checks at once (`keys`).

    >>> from mines_dd.constraints.graph import Instance
    >>> from mines_dd.diagrams.queries import iterate
    >>> from mines_dd.constraints.simplify import unsimplified
    >>> system = Instance.build("abcde", "pqr", [[0, 1], [2, 3], [1, 2, 4]], [[1], [1], [2]])
    >>> result = plan_and_compile(unsimplified(system), system.cells, list("pqr"))
    >>> sorted("".join(sorted(mines)) for mines in iterate(result.circuit))
    ['ace', 'bc', 'bde']

The order of multiplication
---------------------------
A *step* eliminates one hint.  It multiplies the groups first, then the tables, the smallest first.  There is an
exception: if the smallest table has at most 4 entries, it goes before the groups, because a group on its own costs a
node for each of its numbers of mines.  Compared with tables first and groups last, this makes 27% fewer nodes on hard
boards (100x100, 30% mines, hints on 30-40% of the safe cells) and 2% fewer on easy ones.

A product with a table is a *join*.  A hint is *whole* if all its cells are in and it allows one count: the sums of two
entries must make that up.  So the table's entries lie in buckets by their sums for all whole hints, of the step's hint
and of those to be eliminated soon, and an entry meets those of one bucket alone.  (On a board of 300x300 with 30% mines
and hints on 40% of the safe cells, to look at the step's hint alone tried three hundred times as many pairs as stay.)

The circuit is canonical for its tree
-------------------------------------
Suppose every hint allows one count.  After nodes that the root does not reach are removed, the circuit is determined by
the family of assignments and by the tree of products alone.  A *place* of the tree is one product on the way: what a
step has after its first, second, ... factor.  Take the partial assignments of the groups below one place that extend to
a whole assignment.  Two with equal sums are completed by the same assignments of the other groups.  Two with different
sums differ in a hint that is still open, for which the other groups must then hold different numbers of mines: no
assignment completes both.  So the entries of a place are exactly the classes of partial assignments with equal
completions, and the terms are the pairs of classes that together fall into a class.  With hints that allow several
counts, different sums may have the same completions, and the circuit need not be canonical.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import BoolArray, IntArray, LongArray
from mines_dd.base.budget import Budget
from mines_dd.base.hashing import hash_words
from mines_dd.base.jit import kernel
from mines_dd.compilers.keys import Check, Fields, fits, set_check
from mines_dd.compilers.plan import Order, Plan, tree_plan
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import Simplified
from mines_dd.diagrams.circuit import TRUE, Circuit, mark_reached
from mines_dd.orders.elimination import Elimination, Steps

__all__ = ["TreeResult", "compile_tree", "plan_and_compile", "possible_mines"]


# Pairs between two looks at the clock: some hundredths of a second.
_PAIRS_INTERPRETED, _PAIRS_COMPILED = 2_000, 200_000
# A table of no more entries starts its product. Of 1, 2, 4, 8, 16, 64 and no limit, 4 made the fewest nodes in all.
_TINY_TABLE = 4
# Bytes from which on a look at the machine's memory is worth its time.
_WORTH_A_LOOK = 2**20
# Nodes are numbered by int32, and a product may ask for a tenth more room than it needs.
_MOST_NODES = 1_900_000_000
# Slots, less one, that the hash table of a product starts with.
_FIRST_MASK = 15

# Places in the state of an elimination.
(
    _STEP,  # the step at work
    _FACTORS,  # how many factors it multiplies
    _FACTOR,  # the factor at work
    _SCOPE,  # how many hints the product has so far
    _FIRST,  # the first of the entries to multiply by the factor
    _LAST,  # and the one after the last
    _NEXT,  # the next to multiply; -1 before a product begins
    _MADE_FROM,  # the product's first entry
    _BUFFERED,  # its terms so far
    _MASK,  # the slots it uses, less one
    _NODES,  # nodes so far, all together
    _TERMS,  # terms of the finished products
    _ROOTS,  # components so far
    _ENTRIES,  # entries of the tables that the finished steps left
    _PEAK,  # entries of the largest
    _PAIRS,  # pairs tried in this call
    _PLACES,
) = range(17)
_DONE, _PAUSED, _INCONSISTENT, _MORE_NODES, _MORE_TERMS, _MORE_BUFFER = range(6)


class _Tree(NamedTuple):
    """The steps of the elimination and the groups that their hints touch."""

    hint: LongArray  # the hint that each step eliminates
    parent: IntArray  # the step that takes its table, or -1
    start: IntArray  # the groups of each hint
    member: IntArray


class _Factors(NamedTuple):
    """What is multiplied: of n steps and m groups, factor k is the table of step k and factor n + g is group g."""

    start: LongArray  # the hints of each
    hint: LongArray
    cells: LongArray  # and how many of their cells it brings
    one_mine: LongArray  # (groups, words): the key of one mine in each group


class _Progress(NamedTuple):
    """The tables that wait, and the product at work."""

    first: LongArray  # the first entry of each factor; a group's entries are its leaves, that of no mine included
    last: LongArray  # and the one after its last
    child: LongArray  # a list of the tables that each step takes: the first
    sibling: LongArray  # and the one after each
    roots: LongArray  # the components' nodes
    taken: BoolArray  # the groups that a step has multiplied
    product: LongArray  # (groups, 2): the first entry of the product with each group, and the one after the last
    factors: LongArray  # of the step at work
    scope: LongArray  # the product's hints
    cells_in: LongArray  # how many cells of each are in the product


class _Tables(NamedTuple):
    """What grows: the entries of all tables, which are the circuit's nodes, and their terms."""

    keys: LongArray  # (nodes, words)
    first_term: LongArray  # the first term of each node
    by_sum: IntArray  # the entries of the table to join, sorted by the bucket of their sums
    bucket: LongArray  # where each bucket starts in `by_sum`
    slots: IntArray  # the hash table of the product at work: 1 + an entry's number in the product, 0 if empty
    terms: IntArray  # (terms, 3): left, right, leaf
    buffer: IntArray  # the terms of the product at work, in the order they are found: entry, left, right, leaf


class _Product(NamedTuple):
    """The factor at work, and what becomes of the products."""

    is_table: bool  # or else a group
    group: int  # its number
    first: int  # its entries
    last: int
    closes: bool  # whether it is the step's last factor
    joins: bool  # whether only pairs that may make up the sums wanted are tried
    buckets: int  # how many buckets its entries lie in, a power of two
    first_count: int  # the counts that the hint allows
    last_count: int
    word: int  # the field of the step's hint
    shift: int
    mask: int


@dataclass(frozen=True, eq=False)
class TreeResult:
    """What an elimination made.

    Attributes
    ----------
    circuit : Circuit
    entries : int
        The number of entries of all tables that the steps left.
    peak : int
        The number of entries of the largest.
    width : int
        The most hints that a table remembers.
    """

    circuit: Circuit
    entries: int
    peak: int
    width: int


def plan_and_compile(
    reduced: Simplified, cells: Sequence[Hashable], order: Order = "auto", *, budget: Budget | None = None
) -> TreeResult:
    """Return the circuit of an instance: planned, priced, and eliminated as planned.

    Parameters
    ----------
    reduced : Simplified
        The instance, reduced or not; without an assignment if it is inconsistent.
    cells : sequence of labels
        The cells of the original instance.
    order : str or sequence of labels
        As for `best_elimination`; "min-fill" makes one try only, which is enough for small instances.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If it is predicted to need more than the budget or the machine's memory, or does.

    Examples
    --------
    >>> from mines_dd import Board
    >>> from mines_dd.constraints.simplify import simplify
    >>> from mines_dd.diagrams.queries import count
    >>> instance = Instance.of(Board.parse("####/#22#/#22#/####"))
    >>> count(plan_and_compile(simplify(instance), instance.cells).circuit)
    66
    """
    budget = Budget.of(budget)
    if not reduced.consistent:
        return TreeResult(Circuit.empty(cells), 0, 0, 0)
    plan = tree_plan(reduced, order, budget)
    if plan.bytes > _WORTH_A_LOOK:
        plan.require(budget)
    return compile_tree(reduced, cells, plan, budget=budget)


def compile_tree(
    simplified: Simplified, cells: Sequence[Hashable], plan: Plan, *, budget: Budget | None = None
) -> TreeResult:
    """Return the circuit of all assignments, by eliminating one hint after the other.

    Parameters
    ----------
    simplified : Simplified
        The instance, reduced or not; it must be consistent.
    cells : sequence of labels
        The cells of the original instance.
    plan : Plan
        Of `tree_plan`, with the order of elimination and its steps.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If there are more nodes than allowed, or it takes too long.

    Examples
    --------
    >>> from mines_dd import Board
    >>> from mines_dd.constraints.simplify import simplify
    >>> instance = Instance.of(Board.random(30, 30, 0.2, 0.3, 1))
    >>> reduced = simplify(instance)
    >>> plan = tree_plan(reduced)
    >>> result = compile_tree(reduced, instance.cells, plan)
    >>> result.width == plan.cost.width, result.peak <= 2**plan.cost.log2_bound
    (True, True)
    """
    steps = plan.steps
    assert steps is not None, "the plan of another method"
    run = _Elimination(simplified, plan.order, steps, Budget.of(budget))
    circuit = run.circuit(cells) if run.finish() else Circuit.empty(cells)
    return TreeResult(circuit, int(run.state[_ENTRIES]), int(run.state[_PEAK]), plan.cost.width)


def possible_mines(
    simplified: Simplified, elimination: Elimination, budget: Budget | None = None
) -> tuple[LongArray, LongArray] | None:
    """Return for each group the fewest and the most mines that it has in an assignment; None if there is none.

    Parameters
    ----------
    simplified : Simplified
        The instance, reduced or not; it must be consistent.  Of a group that no hint touches nothing is known: 0 to
        all.
    elimination : Elimination
        Of its hints.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If there are more nodes than allowed, or it takes too long.

    Examples
    --------
    >>> instance = Instance.build("abcd", "pq", [[0, 1, 2], [1, 2, 3]], [[1], [2]])
    >>> from mines_dd.constraints.simplify import unsimplified
    >>> least, most = possible_mines(unsimplified(instance), Elimination.of(instance, np.array([0, 1])))
    >>> least.tolist(), most.tolist()  # a is safe, d is a mine
    ([0, 0, 0, 1], [0, 1, 1, 1])
    """
    run = _Elimination(simplified, elimination.order, elimination.steps, Budget.of(budget))
    return run.possible_mines() if run.finish() else None


class _Elimination:
    """The arrays that the kernel works on, and their growth."""

    def __init__(self, simplified: Simplified, order: IntArray, steps: Steps, budget: Budget) -> None:
        allowed = _MOST_NODES if budget.max_nodes is None else min(budget.max_nodes, _MOST_NODES)
        self.simplified, self.budget = simplified, replace(budget, max_nodes=allowed)
        instance = simplified.instance
        self.size = simplified.size.astype(np.int64)
        self.tree = _Tree(order.astype(np.int64), steps.parent, instance.start, instance.member)
        self.fields = Fields.of(instance, self.size, order, steps)
        words = self.fields.words
        group = np.repeat(np.arange(len(self.size)), np.diff(instance.cell_rows[0]))
        self.factors = _factors(instance, self.size, group, steps, self.fields)
        self.progress = _progress(instance, self.size, group, self.fields.most)
        self.check = Check.of(words)
        # Room for what is allowed; past that a tenth at a time, as a product asks for room that it may not need.
        self.allowance = allowed + 3
        nodes = min(1024, self.allowance)
        self.tables = _Tables(
            keys=np.zeros((nodes, words), np.int64),
            first_term=np.zeros(nodes, np.int64),
            by_sum=np.zeros(nodes, np.int32),
            bucket=np.zeros(2 * nodes + 1, np.int64),
            slots=np.zeros(_slots(nodes), np.int32),
            terms=np.zeros((2048, 3), np.int32),
            buffer=np.zeros((1024, 4), np.int32),
        )
        self.state = np.zeros(_PLACES, np.int64)
        self.state[_NODES] = 2
        self.state[_NEXT] = -1

    def _lengthen(self, **lengths: int) -> None:
        """Lengthen arrays of the tables."""
        for name, length in lengths.items():
            array: npt.NDArray[Any] = getattr(self.tables, name)
            if length > len(array):
                self.budget.reserve(length * array.itemsize * (array.shape[1] if array.ndim > 1 else 1))
                longer = np.zeros((length, *array.shape[1:]), array.dtype)
                longer[: len(array)] = array
                self.tables = self.tables._replace(**{name: longer})

    def finish(self) -> bool:
        """Run to the end; return whether there is an assignment."""
        work = 200 * len(self.simplified.instance.member)
        while True:
            self.budget.check(int(self.state[_NODES]) - 2)
            run, pairs = _eliminate.block(work, self.budget.seconds_left, _PAIRS_INTERPRETED, _PAIRS_COMPILED)
            code = run(
                self.tree,
                self.factors,
                self.fields,
                self.progress,
                self.check,
                self.tables,
                self.state,
                pairs,
            )
            work = 0
            if code in (_DONE, _INCONSISTENT):
                self.budget.check(int(self.state[_NODES]) - 2)
                return bool(code == _DONE)
            if code == _MORE_NODES:
                room = len(self.tables.keys)
                nodes = max(min(2 * room, self.allowance), room + max(64, room // 10))
                self._lengthen(keys=nodes, first_term=nodes, by_sum=nodes, bucket=2 * nodes + 1, slots=_slots(nodes))
            elif code == _MORE_TERMS:
                self._lengthen(terms=int(2 * len(self.tables.terms) + self.state[_BUFFERED]))
            elif code == _MORE_BUFFER:
                self._lengthen(buffer=2 * len(self.tables.buffer))

    def possible_mines(self) -> tuple[LongArray, LongArray]:
        """The fewest and the most mines of each group."""
        nodes = int(self.state[_NODES])
        self._close()
        live = np.zeros(nodes, np.bool_)
        live[self.progress.roots[: int(self.state[_ROOTS])]] = True
        made = self.progress.product
        touched = made[:, 1] > 0
        least, most = np.where(touched, self.size, 0), np.where(touched, 0, self.size)
        first_leaf = np.cumsum(self.size) - self.size
        work = 2 * int(self.state[_TERMS])
        left, right = (self.tables.terms[: int(self.state[_TERMS]), i].copy() for i in (0, 1))
        mark_reached.run(work, self.tables.first_term[: nodes + 1], left, right, live)
        _range_of_mines.run(work, self.tables.first_term, self.tables.terms, live, made, first_leaf, least, most)
        return least, most

    def _close(self) -> None:
        """Write where the last node's terms end."""
        self.tables.first_term[int(self.state[_NODES])] = int(self.state[_TERMS])
        self.tables.first_term[:2] = 0

    def circuit(self, cells: Sequence[Hashable]) -> Circuit:
        """The tables' entries as a circuit: the components' product, and the mines that are certain."""
        nodes, terms = int(self.state[_NODES]), int(self.state[_TERMS])
        self._close()
        start = self.tables.first_term[: nodes + 1]
        left, right, leaf = (self.tables.terms[:terms, i] for i in range(3))
        roots = [root for root in self.progress.roots[: int(self.state[_ROOTS])].tolist() if root != TRUE]
        pairs, root = _product_of(roots, nodes)
        self.budget.check(nodes - 2 + len(pairs))
        group = np.repeat(np.arange(len(self.size)), self.size)
        taken = np.arange(len(group)) - np.repeat(np.cumsum(self.size) - self.size, self.size) + 1
        circuit = Circuit(
            cells=cells,
            group_start=self.simplified.group_start,
            group_cell=self.simplified.group_cell,
            leaf_group=np.append(-1, group).astype(np.int32),
            leaf_taken=np.append(0, taken).astype(np.int32),
            start=np.append(start, terms + 1 + np.arange(len(pairs))),
            left=np.append(left, pairs[:, 0]),
            right=np.append(right, pairs[:, 1]),
            leaf=np.append(leaf, np.zeros(len(pairs), np.int32)),
            root=root,
        )
        return circuit.restricted(np.arange(circuit.term_count), circuit.root).with_mines(
            self.simplified.mines.tolist()
        )


def _product_of(roots: list[int], nodes: int) -> tuple[IntArray, int]:
    """The nodes to add, from number `nodes` on, as pairs of factors, and the one that is the product of all roots."""
    products: list[tuple[int, int]] = []
    while len(roots) > 1:
        paired = []
        for i in range(0, len(roots) - 1, 2):
            products.append((roots[i], roots[i + 1]))
            paired.append(nodes + len(products) - 1)
        roots = paired + roots[len(roots) - len(roots) % 2 :]
    return np.array(products, np.int32).reshape(-1, 2), roots[0] if roots else TRUE


def _slots(nodes: int) -> int:
    """The length of a hash table that this many nodes fill at most half."""
    return 1 << (4 * nodes - 1).bit_length()


def _factors(instance: Instance, size: LongArray, group: LongArray, steps: Steps, fields: Fields) -> _Factors:
    group_start, hint = instance.cell_rows
    one_mine = np.zeros((len(size), fields.words), np.int64)
    np.add.at(one_mine, (group, fields.word[hint]), np.int64(1) << fields.shift[hint])
    return _Factors(
        start=np.concatenate((steps.start, steps.start[-1] + group_start[1:])),
        hint=np.concatenate((steps.hint, hint)),
        cells=np.concatenate((steps.covered, size[group])),
        one_mine=one_mine,
    )


def _progress(instance: Instance, size: LongArray, group: LongArray, most: LongArray) -> _Progress:
    n = len(most)
    # A group takes no more mines than its hints allow: a sum of more could run past its guard.
    choices = size + 1
    np.minimum.at(choices, group, most[instance.cell_rows[1]] + 1)
    first_leaf = np.cumsum(size) - size
    most_factors = int(np.diff(instance.start).max(initial=0)) + n
    return _Progress(
        first=np.concatenate((np.zeros(n, np.int64), first_leaf)),
        last=np.concatenate((np.zeros(n, np.int64), first_leaf + choices)),
        child=np.full(n, -1, np.int64),
        sibling=np.full(n, -1, np.int64),
        roots=np.zeros(n, np.int64),
        taken=np.zeros(len(instance.cells), np.bool_),
        product=np.zeros((len(instance.cells), 2), np.int64),
        factors=np.zeros(most_factors, np.int64),
        scope=np.zeros(n, np.int64),
        cells_in=np.zeros(n, np.int64),
    )


# What follows from the tables


@kernel
def _range_of_mines(first_term, terms, live, product, first_leaf, least, most):
    """Write the fewest and the most mines of each group: every assignment has a term of the product with the group."""
    for g in range(len(product)):
        for node in range(product[g, 0], product[g, 1]):
            if live[node]:
                for t in range(first_term[node], first_term[node + 1]):
                    taken = terms[t, 2] - first_leaf[g] if terms[t, 2] > 0 else np.int64(0)
                    least[g] = min(least[g], taken)
                    most[g] = max(most[g], taken)


# The elimination


@kernel
def _eliminate(tree, factors, fields, progress, check, tables, state, patience):
    """Eliminate hint after hint, until done, or out of patience or room; `state` says where to go on."""
    state[_PAIRS] = 0
    while state[_STEP] < len(tree.hint):
        h = tree.hint[state[_STEP]]
        if state[_FACTOR] == 0 and state[_NEXT] < 0:
            _begin_step(tree, progress, state)
            if state[_FACTORS] == 0:  # a hint without cells
                if not _is_in(fields.counts, fields.count_start[h], fields.count_start[h + 1], 0):
                    return _INCONSISTENT
                state[_STEP] += 1
                continue
        factor = progress.factors[state[_FACTOR]]
        is_table = factor < len(tree.hint)
        closes = state[_FACTOR] == state[_FACTORS] - 1
        product = _Product(
            is_table,
            factor - len(tree.hint),
            progress.first[factor],
            progress.last[factor],
            closes,
            is_table and state[_LAST] - state[_FIRST] > 1,
            _power_of_two(progress.last[factor] - progress.first[factor]),
            fields.count_start[h],
            fields.count_start[h + 1],
            fields.word[h],
            fields.shift[h],
            fields.mask[h],
        )
        if state[_NEXT] < 0:
            # The table that the step starts from enters with the first factor.
            for i in range(0 if state[_SCOPE] == 0 else state[_FACTOR], state[_FACTOR] + 1):
                _take_in(progress.factors[i], factors, progress.scope, progress.cells_in, state)
            if not set_check(fields, check, progress.scope, progress.cells_in, state[_SCOPE]):
                return _INCONSISTENT
            if product.joins:
                _sort_by_sums(product, check, tables)
            _begin_product(tables.slots, state)
        code = _multiply(product, factors.one_mine, fields.counts, check, tables, state, patience)
        if code != _DONE:
            return code
        if state[_NODES] == state[_MADE_FROM]:
            return _INCONSISTENT
        if state[_TERMS] + state[_BUFFERED] > len(tables.terms):
            return _MORE_TERMS
        if not is_table:
            progress.product[product.group, 0] = state[_MADE_FROM]
            progress.product[product.group, 1] = state[_NODES]
        _end_product(tables.first_term, tables.terms, tables.buffer, state)
        if state[_FACTOR] == state[_FACTORS]:
            _end_step(tree.parent, progress, state)
    return _DONE


# A step


@kernel
def _begin_step(tree, progress, state):
    """List a step's factors: a tiny table, the groups that are new, then its other tables, small ones first."""
    k = state[_STEP]
    h = tree.hint[k]
    first, last, listed = progress.first, progress.last, progress.factors
    groups = 0
    for i in range(tree.start[h], tree.start[h + 1]):
        g = tree.member[i]
        if not progress.taken[g]:
            progress.taken[g] = True
            listed[groups] = len(tree.hint) + g
            groups += 1
    size = groups
    table = progress.child[k]
    while table >= 0:
        i = size
        while i > groups and last[listed[i - 1]] - first[listed[i - 1]] > last[table] - first[table]:
            listed[i] = listed[i - 1]
            i -= 1
        listed[i] = table
        size += 1
        table = progress.sibling[table]
    state[_FACTORS] = size
    state[_SCOPE] = 0
    state[_FIRST] = TRUE
    state[_LAST] = TRUE + 1
    if groups == size:
        return
    smallest = listed[groups]
    if last[smallest] - first[smallest] <= _TINY_TABLE:
        for i in range(groups, 0, -1):
            listed[i] = listed[i - 1]
        listed[0] = smallest
        groups = 0
    if groups == 0 and size > 1:
        state[_FACTOR] = 1
        state[_FIRST] = first[smallest]
        state[_LAST] = last[smallest]


@kernel
def _end_step(parent, progress, state):
    """Hand the step's table on."""
    k = state[_STEP]
    for i in range(state[_SCOPE]):
        progress.cells_in[progress.scope[i]] = 0
    progress.first[k] = state[_FIRST]
    progress.last[k] = state[_LAST]
    state[_ENTRIES] += state[_LAST] - state[_FIRST]
    state[_PEAK] = max(state[_PEAK], state[_LAST] - state[_FIRST])
    if parent[k] >= 0:
        progress.sibling[k] = progress.child[parent[k]]
        progress.child[parent[k]] = k
    else:
        progress.roots[state[_ROOTS]] = state[_FIRST]
        state[_ROOTS] += 1
    state[_FACTOR] = 0
    state[_STEP] += 1


# A product


@kernel
def _take_in(factor, factors, scope, cells_in, state):
    """Let a factor into the product: its hints and their cells."""
    for i in range(factors.start[factor], factors.start[factor + 1]):
        h = factors.hint[i]
        if cells_in[h] == 0:
            scope[state[_SCOPE]] = h
            state[_SCOPE] += 1
        cells_in[h] += factors.cells[i]


@kernel
def _sort_by_sums(product, check, tables):
    """Sort a table's entries by the bucket of their sums for the hints that are whole: c from bucket[c] on."""
    keys, bucket, by_sum, end = tables.keys, tables.bucket, tables.by_sum, product.buckets + 1
    for c in range(end):
        bucket[c] = 0
    for y in range(product.first, product.last):
        bucket[_bucket_of(keys[y], check, product.buckets) + 1] += 1
    for c in range(1, end):
        bucket[c] += bucket[c - 1]
    for y in range(product.first, product.last):
        c = _bucket_of(keys[y], check, product.buckets)
        by_sum[bucket[c]] = y
        bucket[c] += 1
    for c in range(end - 1, 0, -1):
        bucket[c] = bucket[c - 1]
    bucket[0] = 0


@kernel
def _bucket_of(entry, check, buckets):
    """The bucket of an entry's sums for the hints that are whole."""
    for w in range(len(entry)):
        check.key[w] = entry[w] & check.whole[w]
    return hash_words(check.key, len(entry)) & (buckets - 1)


@kernel
def _power_of_two(least):
    """The first power of two that is no less."""
    power = np.int64(1)
    while power < least:
        power *= 2
    return power


@kernel
def _begin_product(slots, state):
    """Turn to the first entry that the factor multiplies, with no entry of the product made yet."""
    state[_NEXT] = state[_FIRST]
    state[_BUFFERED] = 0
    state[_MADE_FROM] = state[_NODES]
    state[_MASK] = _FIRST_MASK
    for slot in range(_FIRST_MASK + 1):
        slots[slot] = 0


@kernel
def _multiply(product, one_mine, counts, check, tables, state, patience):
    """Go on with the product of the entries so far and a factor; note the pairs that stay as terms."""
    keys, slots, by_sum, buffer = tables.keys, tables.slots, tables.by_sum, tables.buffer
    key, over, under, guards, bucket = check.key, check.over, check.under, check.guards, tables.bucket
    while state[_NEXT] < state[_LAST]:
        x = state[_NEXT]
        begin, end = product.first, product.last
        if product.joins:
            for w in range(len(key)):
                key[w] = check.wanted[w] - (keys[x, w] & check.whole[w])
            c = hash_words(key, len(key)) & (product.buckets - 1)
            begin, end = bucket[c], bucket[c + 1]
        pairs = end - begin
        if state[_PAIRS] > patience:
            return _PAUSED
        if state[_NODES] + pairs >= len(keys):
            return _MORE_NODES
        if state[_BUFFERED] + pairs > len(buffer):
            return _MORE_BUFFER
        if 2 * (state[_NODES] - state[_MADE_FROM] + pairs) > state[_MASK]:
            _add_slots(pairs, keys, slots, state)
        state[_PAIRS] += pairs + 1
        made_from, nodes, at, mask = state[_MADE_FROM], state[_NODES], state[_BUFFERED], state[_MASK]
        for i in range(begin, end):
            y, leaf = np.int64(TRUE), np.int64(0)
            if product.is_table:
                y = np.int64(by_sum[i]) if product.joins else np.int64(i)
                for w in range(len(key)):
                    key[w] = keys[x, w] + keys[y, w]
            else:
                for w in range(len(key)):
                    key[w] = keys[x, w] + (i - product.first) * one_mine[product.group, w]
                if i > product.first:
                    leaf = np.int64(i)
            if not fits(key, over, under, guards):
                continue
            if product.closes:
                found = (key[product.word] >> product.shift) & product.mask
                if not _is_in(counts, product.first_count, product.last_count, found):
                    continue
                key[product.word] -= found << product.shift
            entry = _entry(keys, made_from, nodes, key, slots, mask)
            if entry == nodes:
                nodes += 1
            buffer[at, 0] = entry - made_from
            buffer[at, 1] = y if x == TRUE else x
            buffer[at, 2] = TRUE if x == TRUE else y
            buffer[at, 3] = leaf
            at += 1
        state[_NODES] = nodes
        state[_BUFFERED] = at
        state[_NEXT] += 1
    return _DONE


@kernel
def _is_in(counts, begin, end, found):
    """Whether a sum is among the counts from `begin` to `end`."""
    for i in range(begin, end):  # noqa: SIM110 (Numba compiles no generators)
        if counts[i] == found:
            return True
    return False


@kernel
def _entry(keys, made_from, nodes, key, slots, mask):
    """The entry of the product with this key; its number is `nodes` if it is new."""
    words = keys.shape[1]
    slot = hash_words(key, words) & mask
    while True:
        known = slots[slot]
        if known == 0:
            slots[slot] = nodes - made_from + 1
            for w in range(words):
                keys[nodes, w] = key[w]
            return nodes
        known += made_from - 1
        same = True
        for w in range(words):
            if keys[known, w] != key[w]:
                same = False
                break
        if same:
            return known
        slot = (slot + 1) & mask


@kernel
def _add_slots(room, keys, slots, state):
    """Double the product's hash table until it is at most half full with `room` more entries."""
    mask = state[_MASK]
    while 2 * (state[_NODES] - state[_MADE_FROM] + room) > mask:
        mask = 2 * mask + 1
    state[_MASK] = mask
    for slot in range(mask + 1):
        slots[slot] = 0
    for old in range(state[_MADE_FROM], state[_NODES]):
        slot = hash_words(keys[old], keys.shape[1]) & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = old - state[_MADE_FROM] + 1


@kernel
def _end_product(first_term, terms, buffer, state):
    """Move a finished product's terms from the buffer to their nodes, and make its entries the ones to multiply."""
    base, end, buffered = state[_MADE_FROM], state[_NODES], state[_BUFFERED]
    for e in range(base, end):
        first_term[e] = 0
    for i in range(buffered):
        first_term[base + buffer[i, 0]] += 1
    at = state[_TERMS]
    for e in range(base, end):
        here = first_term[e]
        first_term[e] = at
        at += here
    for i in range(buffered):
        e = base + buffer[i, 0]
        t = first_term[e]
        terms[t, 0] = buffer[i, 1]
        terms[t, 1] = buffer[i, 2]
        terms[t, 2] = buffer[i, 3]
        first_term[e] = t + 1
    for e in range(end - 1, base, -1):
        first_term[e] = first_term[e - 1]
    first_term[base] = state[_TERMS]
    state[_TERMS] = at
    state[_FIRST] = base
    state[_LAST] = end
    state[_NEXT] = -1
    state[_FACTOR] += 1
