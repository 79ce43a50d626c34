"""The passes of `passes`, compiled, for circuits of many terms.

With ways(leaf) the number of sets of cells that a leaf stands for, the passes are

    upward, over each node's terms:
        value(node)       = sum of value(left) * value(right) * ways(leaf)
    downward, over the terms of all nodes, from derivative(root) = 1:
        derivative(left)  += derivative(node) * ways(leaf) * value(right)
        derivative(right) += derivative(node) * ways(leaf) * value(left)
        flow(leaf)        += derivative(node) * ways(leaf) * value(left) * value(right)

Counts below 2**62 are computed in 64-bit integers.  Larger ones are computed modulo many primes and recovered by the
Chinese remainder theorem.  A first pass in doubles (see `tilting`) tells how many primes that takes.

If only the root's count is wanted, most nodes are cheap: they are near the leaves, and their counts are short.  Short
counts are computed in machine words, longer ones as Python integers, each forgotten after its last use, and only the
few longest modulo primes.  These need all primes, because the root does.  An integer below the limit is reduced modulo
the primes once.

A root stands for one component.  The largest one of `Board.random(1000, 1000, 0.3, 0.3, 0)` has a count of 62,000 bits,
which takes 2,393 primes.  465,000 of its terms belong to nodes of more than 62 bits, and 61,000 to nodes of more than
4,000.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from mines_dd.base.arrays import BoolArray, FloatArray, IntArray, LongArray
from mines_dd.base.budget import Budget, available_memory
from mines_dd.base.jit import kernel
from mines_dd.diagrams import residues
from mines_dd.diagrams.circuit import FALSE, TRUE, Circuit
from mines_dd.diagrams.lifetimes import BITS_A_BYTE, Lifetimes, last_uses, most_alive
from mines_dd.diagrams.residues import BITS_A_LIMB, BITS_A_PRIME, Integers, batches, combined, primes_for
from mines_dd.diagrams.tilting import Forest, Rows, rows_of

__all__ = ["bits", "flows", "flows_pay", "owners", "totals"]


# Counts of fewer bits, as the pass in doubles has them, are computed in 64-bit integers.
_WORD = 62.0
# Seconds, measured on boards of 30x30 to 1000x1000, warm, on one core of a 2024 server processor.  A term's count: in
# Python's integers, what each pair of digits of 30 bits adds (Karatsuba's method from some digits on), and modulo one
# prime.  A limb of an integer modulo one prime.  And a root whose count is recovered, for each pair of primes and once.
_SECONDS_IN_INTEGERS, _SECONDS_A_PAIR, _KARATSUBA = 4e-7, 1e-9, 70.0
_SECONDS_MODULO, _SECONDS_A_LIMB = 1.5e-9, 5e-10
_SECONDS_A_ROOT, _SECONDS_RECOVERED = 2e-3, 5e-9
# The limits that are considered, in bits, if a count in integers takes longer than this.
_QUICK = 0.05
_LIMITS = (62.0, 256.0, 1024.0, 4096.0, 16384.0)
# A term's flows, and what each bit adds to them; modulo one prime; and to recover a leaf's flow from each pair of k
# residues (the coefficients are k primes long).
_FLOW_IN_INTEGERS, _FLOW_A_BIT = 3e-6, 3e-10
_FLOW_MODULO, _RECOVERED = 1e-8, 1.2e-9
# Primes at a time: a row of doubles for each node.  For many nodes it is as long as a cache line, for few it is longer.
_BATCH, _LONG_BATCH, _MANY = 8, 32, 1 << 18
_BYTES_A_TERM = 100  # of what is found out about a circuit before its counts are made
_LONG = -1  # in place of a count that is no word
_LOOK_EVERY = 100  # integers between two looks at the clock


# The loop over nodes and their terms stands here once for each kind of arithmetic: what a pass does with a term has to
# be compiled into its loop, and Numba would compile every pass again for each function given to a common one.


@kernel
def _own(rows, owner, leaf_owner, first, end):
    start, left, right, leaf = rows
    for node in range(first, end, -1):
        if owner[node] >= 0:
            for t in range(start[node], start[node + 1]):
                owner[left[t]] = owner[node]
                owner[right[t]] = owner[node]
                leaf_owner[leaf[t]] = owner[node]


@kernel
def _up(rows, ways, skip, value, first, end):
    start, left, right, leaf = rows
    for node in range(first, end):
        if skip[node]:
            continue
        total = 0
        for t in range(start[node], start[node + 1]):
            total += value[left[t]] * value[right[t]] * ways[leaf[t]]
        value[node] = total


@kernel
def _down(rows, ways, skip, value, derivative, flow, first, end):
    start, left, right, leaf = rows
    for node in range(first, end, -1):
        if skip[node]:
            continue
        for t in range(start[node], start[node + 1]):
            down = derivative[node] * ways[leaf[t]]
            a = left[t]
            b = right[t]
            derivative[a] += down * value[b]
            if b != TRUE:
                derivative[b] += down * value[a]
            flow[leaf[t]] += down * value[a] * value[b]


def bits(circuit: Circuit, budget: Budget | None = None) -> FloatArray:
    """Return the binary logarithm of every node's count, nearly (0 for FALSE)."""
    tilt = Forest.of([circuit], budget).tilted(0.0, budget)
    found = np.zeros(len(tilt.mantissa))
    np.log2(tilt.mantissa, out=found, where=tilt.mantissa > 0)
    found += tilt.exponent
    return found


def owners(circuit: Circuit, roots: Sequence[int], budget: Budget | None = None) -> tuple[IntArray, IntArray]:
    """Return for every node and every leaf the index of the root it belongs to, -1 for none."""
    owner = np.full(len(circuit.start) - 1, -1, np.int32)
    leaf_owner = np.full(len(circuit.leaf_group), -1, np.int32)
    owner[list(roots)] = np.arange(len(roots))
    rows = rows_of(circuit)
    Budget.of(budget).over(rows.down, _own, circuit.term_count, rows, owner, leaf_owner)
    leaf_owner[0] = owner[FALSE] = owner[TRUE] = -1
    return owner, leaf_owner


def totals(circuit: Circuit, roots: Sequence[int], ways: Sequence[int], budget: Budget | None = None) -> list[int]:
    """Return the exact number of assignments of each root, within the seconds of a budget."""
    budget = Budget.of(budget)
    size_of_node = bits(circuit, budget)
    is_large = size_of_node >= _WORD
    # in words: all nodes that are small enough
    value = np.zeros(len(is_large), np.int64)
    value[TRUE] = 1
    rows = rows_of(circuit)
    budget.over(rows.up, _up, circuit.term_count, rows, _words(ways), is_large, value)
    counts: list[int] = value[list(roots)].tolist()
    size = size_of_node[list(roots)]
    large = np.flatnonzero(size >= _WORD).tolist()
    if not large:
        return counts
    budget.reserve(_BYTES_A_TERM * circuit.term_count)
    # in integers: those above them, up to the limit of their root (of a node of no root, -1, that is 0)
    owner, _ = owners(circuit, roots, budget)
    limit = np.append(_limits(circuit, size_of_node, owner, size, budget), 0.0)[owner]
    is_large &= owner >= 0
    wanted = is_large & (size_of_node < limit)
    never = len(wanted)
    budget.check()
    last = last_uses(circuit, roots, np.where(wanted, np.arange(never), never * is_large))[wanted]
    nodes = np.flatnonzero(wanted)
    budget.reserve(int(most_alive(size_of_node[nodes], nodes, last) / BITS_A_BYTE))
    found = _in_integers(circuit, ways, value, nodes, Lifetimes(nodes, last), budget)
    # modulo primes: the others, root by root
    above = np.flatnonzero(is_large & ~wanted)
    above = above[np.argsort(owner[above], kind="stable")]
    ends = np.searchsorted(owner[above], np.arange(len(size) + 1))
    for i in large:
        nodes = above[ends[i] : ends[i + 1]]
        if len(nodes):
            counts[i] = _by_residues(circuit, ways, value, found, nodes, size[i], budget)
        else:
            counts[i] = found[roots[i]]
    return counts


def _terms_of(circuit: Circuit, nodes: LongArray) -> tuple[LongArray, LongArray]:
    """The terms of some nodes, one node's after the other's, and how many each has."""
    first, count = circuit.start[nodes], circuit.start[nodes + 1] - circuit.start[nodes]
    end = np.cumsum(count)
    return np.repeat(first - end + count, count) + np.arange(end[-1]), count


def _limits(
    circuit: Circuit, size_of_node: FloatArray, owner: IntArray, size: FloatArray, budget: Budget
) -> FloatArray:
    """For each root, from how many bits on its nodes are best counted modulo primes; infinite for none."""
    primes = size / BITS_A_PRIME + 1
    node = np.repeat(np.arange(len(owner)), np.diff(circuit.start))
    terms = np.flatnonzero((size_of_node[node] >= _WORD) & (owner[node] >= 0))
    node, left, right = node[terms], circuit.left[terms], circuit.right[terms]
    root, bits_of_term, n = owner[node], size_of_node[node], len(size)
    short, long = np.sort([size_of_node[left] / 30, size_of_node[right] / 30], axis=0)
    pairs = long * np.where(short < _KARATSUBA, short, _KARATSUBA * (short / _KARATSUBA) ** 0.585)
    in_integers = _SECONDS_IN_INTEGERS + _SECONDS_A_PAIR * (pairs + 2 * (short + long))
    best, limits = np.bincount(root, in_integers, n), np.full(n, np.inf)
    for limit in budget.each(_LIMITS if best.max() > _QUICK else (), 1):
        above = bits_of_term >= limit
        is_reduced = np.zeros(len(owner), np.bool_)
        is_reduced[left[above]] = is_reduced[right[above]] = True
        is_reduced &= (size_of_node < limit) & (owner >= 0)
        limbs = np.bincount(owner[is_reduced], size_of_node[is_reduced] / BITS_A_LIMB + 1, n)
        a_prime = _SECONDS_MODULO * np.bincount(root[above], minlength=n) + _SECONDS_A_LIMB * limbs
        seconds = np.bincount(root[~above], in_integers[~above], n) + primes * a_prime
        seconds += _SECONDS_A_ROOT + _SECONDS_RECOVERED * primes**2
        limits[seconds < best] = limit
        best = np.minimum(seconds, best)
    return limits


def _in_integers(
    circuit: Circuit, ways: Sequence[int], value: LongArray, nodes: LongArray, alive: Lifetimes, budget: Budget
) -> dict[int, int]:
    """The counts of some nodes, from those of all smaller ones; without those after their last use."""
    found: dict[int, int] = {}
    value[nodes] = _LONG
    for block in budget.blocks(range(len(nodes)), _LOOK_EVERY):
        some = nodes[block.start : block.stop]
        terms, sizes = _terms_of(circuit, some)
        left, right, leaf = (array[terms].tolist() for array in (circuit.left, circuit.right, circuit.leaf))
        of_left, of_right = value[left].tolist(), value[right].tolist()
        at = 0
        for node, end in zip(some.tolist(), np.cumsum(sizes).tolist(), strict=True):
            total = 0
            for t in range(at, end):
                product = of_left[t] if of_left[t] != _LONG else found[left[t]]
                if right[t] != TRUE:
                    product *= of_right[t] if of_right[t] != _LONG else found[right[t]]
                if leaf[t]:
                    product *= ways[leaf[t]]
                total += product
            found[node], at = total, end
        for node in alive.ended_by(int(some[-1])):
            del found[node]
    return found


def _by_residues(
    circuit: Circuit,
    ways: Sequence[int],
    value: LongArray,
    found: Mapping[int, int],
    nodes: LongArray,
    size: float,
    budget: Budget,
) -> int:
    """The count of the last of some nodes, of about 2 ** size, from those of the nodes below them."""
    primes = primes_for(size)
    budget.reserve(int(size * len(primes) / BITS_A_BYTE))  # for the coefficients
    terms, count = _terms_of(circuit, nodes)
    left, right = circuit.left[terms], circuit.right[terms]
    budget.check()
    names = np.sort(np.concatenate([[FALSE, TRUE], nodes, left, right]))
    names = names[np.append(True, names[1:] != names[:-1])]  # np.unique takes many times as long
    place = np.searchsorted(names, nodes)
    start = np.zeros(len(names) + 1, np.int64)
    start[place + 1] = count
    # many leaves are alike; those of a single way are left out
    kinds = {1: 0}
    kind = np.array([kinds.setdefault(way, len(kinds)) for way in ways], np.int32)[circuit.leaf[terms]]
    left, right = (np.searchsorted(names, some).astype(np.int32) for some in (left, right))
    budget.check()
    rows = Rows(np.cumsum(start), left, right, kind)
    is_known = np.ones(len(names), np.bool_)
    is_known[[FALSE, TRUE]] = is_known[place] = False
    known = np.flatnonzero(is_known)
    below = names[known]
    counts = [found[node] if n == _LONG else n for node, n in zip(below.tolist(), value[below].tolist(), strict=True)]
    integers = Integers.of(known, counts)
    found_modulo = []
    width = _LONG_BATCH if len(names) < _MANY else _BATCH
    for _, table in residues.upward(rows, batches(list(kinds), primes, width), budget, integers):
        found_modulo.append(table[-1].copy())  # not a view, which would keep the table
        del table
    return combined(np.concatenate(found_modulo).tolist(), size)


def flows_pay(circuit: Circuit, roots: Sequence[int], budget: Budget | None = None) -> bool:
    """Tell whether `flows` is predicted to be quicker than a pass in Python's integers, or alone fits into memory.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> flows_pay(circuit, [circuit.root])  # counts of 62 bits at most
    True
    """
    size = float(bits(circuit, budget)[list(roots)].max(initial=0.0))
    if size < _WORD:
        return True
    memory = available_memory()
    if memory is not None and circuit.node_count * size / 8 > memory / 4:
        return True
    primes = len(primes_for(size))
    modulo = _FLOW_MODULO * circuit.term_count * primes + _RECOVERED * len(circuit.leaf_group) * primes**2
    return modulo < circuit.term_count * (_FLOW_IN_INTEGERS + _FLOW_A_BIT * size)


def flows(
    circuit: Circuit, roots: Sequence[int], ways: Sequence[int], budget: Budget | None = None
) -> tuple[list[int], list[int], list[int]]:
    """Return, exactly, the totals of the roots, the owner of each leaf and the flow through each leaf.

    They are the fields of `mines_dd.diagrams.passes.Flows`.
    """
    budget = Budget.of(budget)
    size = bits(circuit, budget)[list(roots)]
    owner, leaf_owner = owners(circuit, roots, budget)
    is_large = size >= _WORD
    counts, through = _flows_in_words(circuit, roots, ways, (owner < 0) | is_large[owner], budget)
    if is_large.any():
        in_small = (owner < 0) | ~is_large[owner]
        leaves = np.flatnonzero((leaf_owner >= 0) & is_large[leaf_owner])
        primes = primes_for(size.max())
        of_roots, of_leaves = _flows_modulo(circuit, roots, ways, in_small, leaves, primes, budget)
        for i in np.flatnonzero(is_large).tolist():
            counts[i] = combined(of_roots[i].tolist(), size[i])
        for block in budget.blocks(range(len(leaves)), _LOOK_EVERY):
            for x, found in zip(leaves[block].tolist(), of_leaves[:, block].T.copy(), strict=True):
                through[x] = combined(found.tolist(), size[leaf_owner[x]])
    return counts, leaf_owner.tolist(), through


def _flows_in_words(
    circuit: Circuit, roots: Sequence[int], ways: Sequence[int], skip: BoolArray, budget: Budget
) -> tuple[list[int], list[int]]:
    """The totals of the roots and the flows through the leaves, without those of nodes to skip."""
    rows, words = rows_of(circuit), _words(ways)
    value = np.zeros(len(skip), np.int64)
    value[TRUE] = 1
    budget.over(rows.up, _up, circuit.term_count, rows, words, skip, value)
    derivative = np.zeros_like(value)
    derivative[list(roots)] = 1
    flow = np.zeros(len(words), np.int64)
    budget.over(rows.down, _down, circuit.term_count, rows, words, skip, value, derivative, flow)
    flow[0] = 0
    return value[list(roots)].tolist(), flow.tolist()


def _flows_modulo(
    circuit: Circuit,
    roots: Sequence[int],
    ways: Sequence[int],
    skip: BoolArray,
    leaves: LongArray,
    all_primes: Sequence[int],
    budget: Budget,
) -> tuple[FloatArray, npt.NDArray[np.uint32]]:
    """The residues of the roots' totals, a column for each prime, and of the flows through some leaves, a row for each.

    Rows because they are written one after the other: the memory of a column is all there is, touched at once.
    """
    rows = rows_of(circuit)
    budget.reserve(4 * len(leaves) * len(all_primes) + 8 * _BATCH * len(skip))
    of_roots = np.zeros((len(roots), len(all_primes)))
    of_leaves = np.zeros((len(all_primes), len(leaves)), np.uint32)
    done = 0
    for primes, value in residues.upward(rows, batches(ways, all_primes, _BATCH), budget, skip=skip):
        flow = residues.downward(rows, primes, value, roots, skip, budget)
        here = slice(done, done + len(primes.prime))
        of_roots[:, here], of_leaves[here] = value[list(roots)], flow[leaves].T
        done += len(primes.prime)
    return of_roots, of_leaves


def _words(ways: Sequence[int]) -> LongArray:
    """The ways in 64 bits; 0 where they are more, which only counts that are too large themselves would use."""
    return np.array([way if way < 2**_WORD else 0 for way in ways], np.int64)
