"""Hint elimination along a tree decomposition (ours): what makes large boards possible.

A *table* maps the numbers of mines found so far around some hints (partial sums) to nodes of the circuit.
Eliminating a hint multiplies the tables and groups of cells that touch it (their mines add), keeps the entries whose
sum the hint allows, and forgets it.  Entries whose sums overshoot, or that the cells still to come cannot complete,
are dropped at once.  The entries of all tables are the circuit.  Time and space follow the tables, that is the
treewidth of the hint graph (P. Golan, "Minesweeper on graphs", Applied Mathematics and Computation 217, 2011), where
a diagram in a linear order follows its pathwidth.

Partial sums are packed into 62-bit words.  Every hint has one bit field, chosen so that no table holds two hints
that overlap, with a guard bit on top: a product is an addition of keys, and one more addition tells for all fields
at once whether one overshoots.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mines_dd.budget import Budget
from mines_dd.circuit import TRUE, Circuit
from mines_dd.graph import IntArray
from mines_dd.hashing import hash_words
from mines_dd.jit import kernel
from mines_dd.order import Steps, elimination_steps
from mines_dd.simplify import Simplified

__all__ = ["TreeResult", "compile_tree"]

LongArray = npt.NDArray[np.int64]

_WORD_BITS = 62
_PAIRS_A_CALL = 4_000_000

# Places in the state of an elimination.
(
    _STEP,
    _FACTOR,
    _NEXT,
    _NODES,
    _TERMS,
    _BUFFERED,
    _MADE_FROM,
    _FIRST,
    _LAST,
    _FACTORS,
    _MASK,
    _SCOPE,
    _ROOTS,
    _ENTRIES,
    _PEAK,
) = range(15)
_DONE, _PAUSED, _INCONSISTENT, _MORE_NODES, _MORE_TERMS, _MORE_BUFFER = range(6)


@dataclass(frozen=True, eq=False)
class TreeResult:
    """What an elimination made.

    Attributes
    ----------
    circuit : Circuit
    entries : int
        Entries of the tables that the steps left, all together.
    peak : int
        Entries of the largest.
    width : int
        The most hints that a table remembers.
    """

    circuit: Circuit
    entries: int
    peak: int
    width: int


def compile_tree(
    simplified: Simplified, cells: Sequence[Hashable], order: IntArray, *, budget: Budget | None = None
) -> TreeResult:
    """Return the circuit of all assignments.

    Parameters
    ----------
    simplified : Simplified
    cells : sequence of labels
        The cells of the original instance.
    order : int32 array
        The hints of `simplified.instance` in the order of elimination.
    budget : Budget, optional

    Raises
    ------
    BudgetExceededError
        If there are more nodes than allowed, or it takes too long.
    """
    budget = budget or Budget()
    steps = elimination_steps(simplified.instance, order, simplified.size)
    width = int(np.diff(steps.start).max(initial=0))
    run = _Elimination(simplified, order, steps, budget)
    if not run.finish():
        return TreeResult(Circuit.empty(cells), int(run.state[_ENTRIES]), int(run.state[_PEAK]), width)
    circuit = run.circuit(cells)
    return TreeResult(circuit, int(run.state[_ENTRIES]), int(run.state[_PEAK]), width)


class _Elimination:
    """The arrays that the kernel works on, and their growth."""

    def __init__(self, simplified: Simplified, order: IntArray, steps: Steps, budget: Budget) -> None:
        instance = simplified.instance
        self.simplified, self.budget = simplified, budget
        n, groups = len(instance.hints), len(instance.cells)
        sizes = simplified.size.astype(np.int64)
        group_start, group_hint = instance.cell_rows
        total = np.zeros(n, np.int64)
        np.add.at(total, np.repeat(np.arange(n), np.diff(instance.start)), sizes[instance.member])
        least, most = (counts.astype(np.int64) for counts in instance.count_range)
        most = np.minimum(most, total)
        place = np.zeros(n, np.int64)
        place[order] = np.arange(n)
        bits = np.array([int(m).bit_length() + 1 for m in np.maximum(most, 0).tolist()], np.int64)
        word, shift = np.zeros(n, np.int64), np.zeros(n, np.int64)
        words = _lay_out.run(20 * len(steps.hint), order, steps.start, steps.hint, bits, word, shift) if n else 1
        self.words = int(words)
        unit = np.zeros((groups, self.words), np.int64)
        owner = np.repeat(np.arange(groups), np.diff(group_start))
        np.add.at(unit, (owner, word[group_hint]), np.int64(1) << shift[group_hint])
        self.leaf_first = np.append(0, np.cumsum(sizes)).astype(np.int64)
        self.plan = (
            order.astype(np.int64),
            place,
            instance.start,
            instance.member,
            group_start,
            group_hint,
            sizes,
            unit,
            self.leaf_first,
            least,
            most,
            total,
            instance.count_start,
            instance.count,
            bits,
            word,
            shift,
            steps.parent.astype(np.int64),
            steps.start,
            steps.hint,
            steps.below,
        )
        self.state = np.zeros(16, np.int64)
        self.state[_NODES] = 2
        self.state[_NEXT] = -1
        most_factors = int(np.diff(instance.start).max(initial=0)) + n + 1
        self.scratch = (
            np.zeros(n + 1, np.int64),  # first entry of each step's table
            np.zeros(n + 1, np.int64),  # and the one after its last
            np.full(n + 1, -1, np.int64),  # a list of the tables each step takes
            np.full(n + 1, -1, np.int64),
            np.zeros(most_factors, np.int64),  # the factors of the current step: a table's step, or -1 - group
            np.zeros(n + 1, np.int64),  # how many cells of each hint are in
            np.zeros(n + 1, np.int64),  # the hints of the current product
            np.zeros((3, self.words), np.int64),  # the words that check a sum
            np.zeros(self.words, np.int64),  # a sum
            np.zeros(int(most.max(initial=0)) + 3, np.int64),
            np.zeros(n + 1, np.int64),  # the components' last nodes
        )
        # Room for what is allowed; past that a tenth at a time, as a product asks for room that it may not need.
        self.allowance = 2**31 if budget.max_nodes is None else budget.max_nodes + 3
        self._reserve(nodes=min(1024, self.allowance), terms=2048, buffer=1024)

    def _reserve(self, nodes: int, terms: int, buffer: int) -> None:
        """Make room."""

        def longer(array: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
            self.budget.reserve(length * array.itemsize * (array.shape[1] if array.ndim > 1 else 1))
            result = np.zeros((length, *array.shape[1:]), array.dtype)
            result[: len(array)] = array
            return result

        if not hasattr(self, "keys"):
            self.keys = np.zeros((0, self.words), np.int64)
            self.start, self.slots = np.zeros(0, np.int64), np.zeros(0, np.int32)
            self.sorted = np.zeros(0, np.int32)
            self.terms = np.zeros((0, 3), np.int32)
            self.buffer = np.zeros((0, 4), np.int32)
        if nodes > len(self.keys):
            self.keys = longer(self.keys, nodes)
            self.start = longer(self.start, nodes + 1)
            self.sorted = longer(self.sorted, nodes)
        slots = 1 << (4 * nodes - 1).bit_length()
        if slots > len(self.slots):
            self.slots = longer(self.slots, slots)
        if terms > len(self.terms):
            self.terms = longer(self.terms, terms)
        if buffer > len(self.buffer):
            self.buffer = longer(self.buffer, buffer)

    def finish(self) -> bool:
        """Run to the end; return whether there is an assignment."""
        work = 0
        while True:
            self.budget.check(int(self.state[_NODES]) - 2)
            code = _eliminate.run(
                max(work, 200 * len(self.plan[3])),
                self.state,
                _PAIRS_A_CALL,
                *self.plan,
                *self.scratch,
                self.keys,
                self.start,
                self.slots,
                self.sorted,
                self.terms,
                self.buffer,
            )
            work = 2**30
            if code in (_DONE, _INCONSISTENT):
                self.budget.check(int(self.state[_NODES]) - 2)
                return bool(code == _DONE)
            if code == _MORE_NODES:
                room = len(self.keys)
                self._reserve(max(min(2 * room, self.allowance), room + max(64, room // 10)), 0, 0)
            elif code == _MORE_TERMS:
                self._reserve(0, int(2 * len(self.terms) + self.state[_BUFFERED]), 0)
            elif code == _MORE_BUFFER:
                self._reserve(0, 0, 2 * len(self.buffer))

    def circuit(self, cells: Sequence[Hashable]) -> Circuit:
        """The tables' entries as a circuit: the components' product, and the mines that are certain."""
        nodes, terms = int(self.state[_NODES]), int(self.state[_TERMS])
        start = self.start[: nodes + 1]
        start[nodes] = terms
        start[:2] = 0
        left, right, leaf = (self.terms[:terms, i] for i in range(3))
        roots = [root for root in self.scratch[10][: int(self.state[_ROOTS])].tolist() if root != TRUE]
        products: list[tuple[int, int]] = []
        while len(roots) > 1:
            paired = []
            for i in range(0, len(roots) - 1, 2):
                products.append((roots[i], roots[i + 1]))
                paired.append(nodes + len(products) - 1)
            roots = paired + roots[len(roots) - len(roots) % 2 :]
        pairs = np.array(products, np.int32).reshape(-1, 2)
        sizes = self.simplified.size.astype(np.int64)
        group = np.repeat(np.arange(len(sizes)), sizes)
        taken = np.arange(len(group)) - np.repeat(self.leaf_first[:-1], sizes) + 1
        circuit = Circuit(
            cells,
            self.simplified.group_start,
            self.simplified.group_cell,
            np.append(-1, group).astype(np.int32),
            np.append(0, taken).astype(np.int32),
            np.append(start, terms + 1 + np.arange(len(pairs))),
            np.append(left, pairs[:, 0]),
            np.append(right, pairs[:, 1]),
            np.append(leaf, np.zeros(len(pairs), np.int32)),
            roots[0] if roots else TRUE,
        )
        return circuit.restricted(np.arange(circuit.term_count), circuit.root).with_mines(
            self.simplified.mines.tolist()
        )


@kernel
def _lay_out(order, start, hint, bits, word, shift):
    """Give every hint a bit field that no hint in a table with it overlaps.

    Seen from the last step, the hints of a table pairwise meet in tables already seen, so first fit never fails.
    """
    words = 1
    taken = np.zeros(len(order) + 1, np.int64)
    for k in range(len(order) - 1, -1, -1):
        h = order[k]
        for w in range(words):
            taken[w] = 0
        for i in range(start[k], start[k + 1]):
            x = hint[i]
            taken[word[x]] |= ((np.int64(1) << bits[x]) - 1) << shift[x]
        mask = (np.int64(1) << bits[h]) - 1
        found = False
        for w in range(words):
            for s in range(62 - bits[h] + 1):
                if taken[w] & (mask << s) == 0:
                    word[h] = w
                    shift[h] = s
                    found = True
                    break
            if found:
                break
        if not found:
            word[h] = words
            shift[h] = 0
            words += 1
    return words


@kernel
def _entry(keys, made_from, nodes, total, words, slots, mask):
    """The entry of the table under construction with this sum; its number is `nodes` if it is new."""
    slot = hash_words(total, words) & mask
    while True:
        known = slots[slot]
        if known == 0:
            slots[slot] = nodes - made_from + 1
            for w in range(words):
                keys[nodes, w] = total[w]
            return nodes
        known += made_from - 1
        same = True
        for w in range(words):
            if keys[known, w] != total[w]:
                same = False
                break
        if same:
            return known
        slot = (slot + 1) & mask


@kernel
def _enter_scope(x, cells, below, scope, state):
    if below[x] == 0:
        scope[state[11]] = x
        state[11] += 1
    below[x] += cells


@kernel
def _eliminate(
    state, patience, order, place, start, member, group_start, group_hint, sizes, unit, leaf_first, least, most,
    all_cells,
    count_start, count, bits, word, shift, parent, scope_start, scope_hint, scope_below,
    table_first, table_last, head, following, factors, below, scope, checks, total, bucket, roots,
    keys, node_start, slots, by_sum, terms, buffer,
):  # fmt: skip
    """Eliminate hint after hint, until done, or out of patience or room; everything is kept to go on from there."""
    n = len(order)
    words = keys.shape[1]
    pairs = 0
    while state[0] < n:
        k = state[0]
        h = order[k]
        if state[1] == 0 and state[2] < 0:
            # A new step: its factors are the tables handed to it, small ones first, then the groups not in a table yet.
            state[9] = 0
            state[11] = 0
            child = head[k]
            while child >= 0:
                i = state[9]
                while i > 0 and (
                    table_last[factors[i - 1]] - table_first[factors[i - 1]] > table_last[child] - table_first[child]
                ):
                    factors[i] = factors[i - 1]
                    i -= 1
                factors[i] = child
                state[9] += 1
                child = following[child]
            for i in range(start[h], start[h + 1]):
                g = member[i]
                is_first = True
                for j in range(group_start[g], group_start[g + 1]):
                    if place[group_hint[j]] < k:
                        is_first = False
                if is_first:
                    factors[state[9]] = -1 - g
                    state[9] += 1
            state[7] = 1
            state[8] = 2
            if state[9] == 0:
                # a hint without cells
                allowed = False
                for i in range(count_start[h], count_start[h + 1]):
                    if count[i] == 0:
                        allowed = True
                if not allowed:
                    return 2
                state[0] += 1
                continue
            if state[9] > 1 and factors[0] >= 0:
                child = factors[0]
                state[7] = table_first[child]
                state[8] = table_last[child]
                for i in range(scope_start[child], scope_start[child + 1]):
                    _enter_scope(scope_hint[i], scope_below[i], below, scope, state)
                state[1] = 1
        factor = factors[state[1]]
        closes = state[1] == state[9] - 1
        joins = closes and factor >= 0 and count_start[h + 1] - count_start[h] == 1
        if state[2] < 0:
            # A new product: what its sums have to keep to.
            if factor >= 0:
                for i in range(scope_start[factor], scope_start[factor + 1]):
                    _enter_scope(scope_hint[i], scope_below[i], below, scope, state)
            else:
                g = -1 - factor
                for j in range(group_start[g], group_start[g + 1]):
                    _enter_scope(group_hint[j], sizes[g], below, scope, state)
            for w in range(words):
                checks[0, w] = 0
                checks[1, w] = 0
                checks[2, w] = 0
            for i in range(state[11]):
                x = scope[i]
                guard = np.int64(1) << (bits[x] - 1)
                need = max(np.int64(0), least[x] - (all_cells[x] - below[x]))
                if need > most[x]:
                    return 2
                checks[0, word[x]] += (guard - 1 - most[x]) << shift[x]
                checks[1, word[x]] += (guard - need) << shift[x]
                checks[2, word[x]] += guard << shift[x]
            if joins:
                # the second table's entries by their sum for h
                for c in range(len(bucket)):
                    bucket[c] = 0
                low = (np.int64(1) << bits[h]) - 1
                for y in range(table_first[factor], table_last[factor]):
                    bucket[((keys[y, word[h]] >> shift[h]) & low) + 1] += 1
                for c in range(1, len(bucket)):
                    bucket[c] += bucket[c - 1]
                for y in range(table_first[factor], table_last[factor]):
                    c = (keys[y, word[h]] >> shift[h]) & low
                    by_sum[bucket[c]] = y
                    bucket[c] += 1
                for c in range(len(bucket) - 1, 0, -1):
                    bucket[c] = bucket[c - 1]
                bucket[0] = 0
            state[2] = state[7]
            state[5] = 0
            state[6] = state[3]
            state[10] = 15
            for i in range(16):
                slots[i] = 0
        # The product, entry by entry of the first factor.
        last_of = table_last[factor] - table_first[factor] if factor >= 0 else sizes[-1 - factor] + 1
        if factor < 0:
            # no more mines than any of its hints allows, or a sum could run past its guard bit
            for j in range(group_start[-1 - factor], group_start[-factor]):
                last_of = min(last_of, most[group_hint[j]] + 1)
        field = (np.int64(1) << bits[h]) - 1
        while state[2] < state[8]:
            x = state[2]
            begin = 0
            end = last_of
            if joins:
                c = most[h] - ((keys[x, word[h]] >> shift[h]) & field)
                begin = bucket[c]
                end = bucket[c + 1]
            if pairs > patience:
                return 1
            if state[3] + (end - begin) >= len(keys):
                return 3
            if state[5] + (end - begin) > len(buffer):
                return 5
            while 2 * (state[3] - state[6] + (end - begin)) > state[10]:
                # more slots, a power of two
                state[10] = 2 * state[10] + 1
                if 2 * (state[3] - state[6] + (end - begin)) <= state[10]:
                    for i in range(state[10] + 1):
                        slots[i] = 0
                    for old in range(state[6], state[3]):
                        slot = hash_words(keys[old], words) & state[10]
                        while slots[slot] != 0:
                            slot = (slot + 1) & state[10]
                        slots[slot] = old - state[6] + 1
            pairs += end - begin + 1
            for i in range(begin, end):
                left = x
                right = 1
                leaf = 0
                good = True
                if factor >= 0:
                    y = by_sum[i] if joins else table_first[factor] + i
                    for w in range(words):
                        total[w] = keys[x, w] + keys[y, w]
                    if x == 1:
                        left = y
                    else:
                        right = y
                else:
                    g = -1 - factor
                    for w in range(words):
                        total[w] = keys[x, w] + i * unit[g, w]
                    if i > 0:
                        leaf = leaf_first[g] + i
                for w in range(words):
                    if (total[w] + checks[0, w]) & checks[2, w] != 0 or (total[w] + checks[1, w]) & checks[
                        2, w
                    ] != checks[2, w]:
                        good = False
                if not good:
                    continue
                if closes:
                    found = (total[word[h]] >> shift[h]) & field
                    good = False
                    for j in range(count_start[h], count_start[h + 1]):
                        if count[j] == found:
                            good = True
                    if not good:
                        continue
                    total[word[h]] -= found << shift[h]
                entry = _entry(keys, state[6], state[3], total, words, slots, state[10])
                if entry == state[3]:
                    state[3] += 1
                buffer[state[5], 0] = entry - state[6]
                buffer[state[5], 1] = left
                buffer[state[5], 2] = right
                buffer[state[5], 3] = leaf
                state[5] += 1
            state[2] += 1
        # The product is done: its terms, node by node.
        if state[3] == state[6]:
            return 2
        if state[4] + state[5] > len(terms):
            return 4
        base = state[6]
        for e in range(base, state[3]):
            node_start[e] = 0
        for i in range(state[5]):
            node_start[base + buffer[i, 0]] += 1
        at = state[4]
        for e in range(base, state[3]):
            here = node_start[e]
            node_start[e] = at
            at += here
        for i in range(state[5]):
            e = base + buffer[i, 0]
            t = node_start[e]
            terms[t, 0] = buffer[i, 1]
            terms[t, 1] = buffer[i, 2]
            terms[t, 2] = buffer[i, 3]
            node_start[e] = t + 1
        for e in range(state[3] - 1, base, -1):
            node_start[e] = node_start[e - 1]
        node_start[base] = state[4]
        state[4] += state[5]
        state[7] = base
        state[8] = state[3]
        state[2] = -1
        state[1] += 1
        if state[1] < state[9]:
            continue
        # The step is done: hand its table on.
        for i in range(state[11]):
            below[scope[i]] = 0
        table_first[k] = state[7]
        table_last[k] = state[8]
        state[13] += state[8] - state[7]
        state[14] = max(state[14], state[8] - state[7])
        if parent[k] >= 0:
            following[k] = head[parent[k]]
            head[parent[k]] = k
        else:
            roots[state[12]] = state[7]
            state[12] += 1
        state[1] = 0
        state[0] += 1
    return 0
