r"""A total number of mines in doubles: exponential tilting and characteristic functions.

Give each mine the weight e**s.  A node's *weight* is then the sum of e**(s * mines) over its assignments, and a term's
*share* the part of its node's weight that is the term's.  Choose a node's terms by their shares, from the root down:
this draws assignments, and s is the *tilt* that makes many mines or few likely.  For two hints of 1 on the board a1b1c,
whose assignments are {b} and {a, c}, with s = ln 2:

    node 2 = [1 of b]                 weight 2                  mean 1
    node 3 = [1 of c]                 weight 2                  mean 1
    node 4 = 2 + 3 * [1 of a]         weight 2 + 2 * 2 = 6      mean 1 * 2/6 + 2 * 4/6 = 5/3

The *characteristic function* of a node is the mean of e**(i * angle * mines).  It follows from those of its factors, as
the factors of a term are independent:

    phi(node)      = sum of share * phi(left) * phi(right) * e**(i * angle * taken)

Its absolute value is at most 1, so nothing overflows, however many assignments there are.  The probability of m mines
is the mean of phi(root) * e**(-i * angle * m) over K equidistant angles on the circle, if numbers of mines K apart do
not both occur; if they hardly do, nearly.  At K = 2, with the angles 0 and pi:

    phi(node 4) = 1 and -1/3 + 2/3 = 1/3
    so 2 mines have probability (1 + 1/3) / 2 = 2/3, and 1 mine (1 - 1/3) / 2 = 1/3

A downward pass takes derivatives, as in `passes`, and tells how often each leaf holds among the assignments with m
mines.  With the single angle 0 the same passes leave the number of mines free.

A weight is held as mantissa * 2**exponent, so it has 53 bits, however large it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

import numpy as np

from mines_dd.base.arrays import ComplexArray, FloatArray, IntArray, LongArray
from mines_dd.base.budget import Budget
from mines_dd.base.jit import kernel
from mines_dd.diagrams.circuit import TRUE, Circuit

__all__ = ["Forest", "Rows", "Tilt", "rows_of"]


class Rows(NamedTuple):
    """The terms of each node, and the factors of each term."""

    start: LongArray
    left: IntArray
    right: IntArray
    leaf: IntArray

    @property
    def up(self) -> range:
        """All nodes but FALSE and TRUE, children first."""
        return range(2, len(self.start) - 1)

    @property
    def down(self) -> range:
        """All nodes but FALSE and TRUE, parents first."""
        return self.up[::-1]


class Tilt(NamedTuple):
    """The weights of a forest's nodes for one tilt.

    Attributes
    ----------
    mantissa, exponent : arrays
        The weight of a node is mantissa * 2**exponent; 0 for FALSE.
    mean, variance : arrays of float
        Of the number of mines of a node.
    share : array of float
        Each term's part of its node's weight.
    """

    mantissa: FloatArray
    exponent: LongArray
    mean: FloatArray
    variance: FloatArray
    share: FloatArray


class _Waves(NamedTuple):
    """Characteristic functions or their derivatives: a row of real and of imaginary parts for each node."""

    real: FloatArray
    imaginary: FloatArray


def rows_of(circuit: Circuit) -> Rows:
    """Return the arrays of a circuit that passes go over.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> rows_of(solve(Board.parse("#1#1#"), "zdd").circuit).left.tolist()
    [1, 1, 3, 2]
    """
    return Rows(circuit.start, circuit.left, circuit.right, circuit.leaf)


@kernel
def _weigh(rows, mantissa, exponent, taken, tilt, first, end):
    start, left, right, leaf = rows
    value, power, mean, variance, share = tilt
    for node in range(first, end):
        top = -(1 << 60)
        for t in range(start[node], start[node + 1]):
            if value[left[t]] > 0.0 and value[right[t]] > 0.0:
                top = max(top, power[left[t]] + power[right[t]] + exponent[leaf[t]])
        total = 0.0
        for t in range(start[node], start[node + 1]):
            below = power[left[t]] + power[right[t]] + exponent[leaf[t]] - top
            part = 0.0
            if below > -1000:
                part = math.ldexp(value[left[t]] * value[right[t]] * mantissa[leaf[t]], int(below))
            share[t] = part
            total += part
        if total == 0.0:
            continue
        middle = 0.0
        for t in range(start[node], start[node + 1]):
            share[t] /= total
            middle += share[t] * (mean[left[t]] + mean[right[t]] + taken[leaf[t]])
        spread = 0.0
        for t in range(start[node], start[node + 1]):
            off = mean[left[t]] + mean[right[t]] + taken[leaf[t]] - middle
            spread += share[t] * (variance[left[t]] + variance[right[t]] + off * off)
        mean[node] = middle
        variance[node] = spread
        fraction, doublings = math.frexp(total)
        value[node] = fraction
        power[node] = top + doublings


@kernel
def _characteristic(rows, share, kind, turn, phi, first, end):
    """The characteristic function of every node, at some angles; `turn` has that of each kind of leaf."""
    start, left, right, leaf = rows
    real, imaginary = phi
    for node in range(first, end):
        for i in range(real.shape[1]):
            real[node, i] = 0.0
            imaginary[node, i] = 0.0
        for t in range(start[node], start[node + 1]):
            a = left[t]
            b = right[t]
            k = kind[leaf[t]]
            p = share[t]
            for i in range(real.shape[1]):
                x = p * turn.real[k, i]
                y = p * turn.imaginary[k, i]
                u = real[a, i] * x - imaginary[a, i] * y
                v = real[a, i] * y + imaginary[a, i] * x
                real[node, i] += u * real[b, i] - v * imaginary[b, i]
                imaginary[node, i] += u * imaginary[b, i] + v * real[b, i]


@kernel
def _derivatives(rows, share, kind, turn, phi, derivative, flow, first, end):
    """Take derivatives down, and add to each leaf's flow the real part of what holds with it, summed over angles."""
    start, left, right, leaf = rows
    real, imaginary = phi
    down, across = derivative
    for node in range(first, end, -1):
        for t in range(start[node], start[node + 1]):
            a = left[t]
            b = right[t]
            k = kind[leaf[t]]
            p = share[t]
            passed = 0.0
            for i in range(real.shape[1]):
                x = p * (down[node, i] * turn.real[k, i] - across[node, i] * turn.imaginary[k, i])
                y = p * (down[node, i] * turn.imaginary[k, i] + across[node, i] * turn.real[k, i])
                u = x * real[b, i] - y * imaginary[b, i]
                v = x * imaginary[b, i] + y * real[b, i]
                passed += u * real[a, i] - v * imaginary[a, i]
                if b != TRUE:
                    down[b, i] += x * real[a, i] - y * imaginary[a, i]
                    across[b, i] += x * imaginary[a, i] + y * real[a, i]
                down[a, i] += u
                across[a, i] += v
            flow[leaf[t]] += passed


@kernel
def _draw(rows, share, taken, roots, chance, stack, leaves, part):
    """Choose terms by their shares from each root down; return how many leaves and mines that takes, -1 for no room."""
    start, left, right, leaf = rows
    used = 0
    count = 0
    mines = 0
    for i in range(len(roots)):
        stack[0] = roots[i]
        height = 1
        while height > 0:
            height -= 1
            node = stack[height]
            if node == TRUE:
                continue
            if used == len(chance) or height + 2 > len(stack) or count == len(leaves):
                return -1, 0
            ticket = chance[used]
            used += 1
            t = start[node]
            while t < start[node + 1] - 1 and ticket >= share[t]:
                ticket -= share[t]
                t += 1
            stack[height] = left[t]
            stack[height + 1] = right[t]
            height += 2
            if leaf[t] != 0:
                leaves[count] = leaf[t]
                part[count] = i
                count += 1
                mines += taken[leaf[t]]
    return count, mines


@dataclass(frozen=True, eq=False)
class Forest:
    """Some circuits in one set of arrays, so that one pass goes over all of them.

    Attributes
    ----------
    rows : Rows
        FALSE and TRUE are common to all circuits.
    roots : int array
        The root of each circuit.
    leaf_group, leaf_taken : int32 arrays
        The leaves of all circuits, one after the other; leaf 0, the empty one, is common.  Groups are numbered through
        all circuits.
    first_group : list of int
        The number of each circuit's first group, and the number of all groups.
    sizes : list of int
        The number of cells of each group.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> circuit = solve(Board.parse("#1#1#"), "zdd").circuit
    >>> forest = Forest.of([circuit])
    >>> tilt = forest.tilted(math.log(2))
    >>> round(float(tilt.mean[forest.roots[0]]), 6)
    1.666667
    """

    rows: Rows
    roots: LongArray
    leaf_group: IntArray
    leaf_taken: IntArray
    first_group: list[int]
    sizes: list[int]
    _mantissa: FloatArray
    _exponent: LongArray

    @classmethod
    def of(cls, circuits: Sequence[Circuit], budget: Budget | None = None) -> Forest:
        """Return the forest of some circuits, within the seconds of a budget."""
        budget = Budget.of(budget)
        node, leaf, group, term = 0, 0, 0, 0
        starts, groups = [np.zeros(2, np.int64)], [0]
        columns: list[list[IntArray]] = [[], [], [], [np.full(1, -1, np.int32)], [np.zeros(1, np.int32)]]
        roots: list[int] = []
        sizes: list[IntArray] = []
        for circuit in circuits:
            budget.check()
            starts.append(circuit.start[2:-1] + term)
            for column, factor in zip(columns, (circuit.left, circuit.right), strict=False):
                budget.check()
                column.append(np.where(factor > TRUE, factor + node, factor).astype(np.int32))
            columns[2].append(np.where(circuit.leaf > 0, circuit.leaf + leaf, 0).astype(np.int32))
            columns[3].append(circuit.leaf_group[1:] + np.int32(group))
            columns[4].append(circuit.leaf_taken[1:])
            sizes.append(np.diff(circuit.group_start))
            roots.append(circuit.root + node if circuit.root > TRUE else circuit.root)
            node += circuit.node_count
            leaf += len(circuit.leaf_group) - 1
            group += len(sizes[-1])
            term += circuit.term_count
            groups.append(group)
        none = np.zeros(0, np.int32)
        joined = (np.concatenate([none, *column]) for column in budget.each(columns, every=1))
        left, right, of_term, leaf_group, leaf_taken = joined
        start = np.concatenate([*starts, np.array([term])])
        size = np.concatenate([none, *sizes])
        return cls(
            Rows(start, left, right, of_term),
            np.array(roots, np.int64),
            leaf_group,
            leaf_taken,
            groups,
            size.tolist(),
            *_ways(size, leaf_group, leaf_taken),
        )

    def tilted(self, s: float, budget: Budget | None = None) -> Tilt:
        """Return the weights of all nodes where a mine weighs e**s, within the seconds of a budget."""
        nodes = len(self.rows.start) - 1
        tilt = Tilt(
            np.zeros(nodes), np.zeros(nodes, np.int64), np.zeros(nodes), np.zeros(nodes), np.zeros(len(self.rows.left))
        )
        tilt.mantissa[TRUE] = 1.0
        doublings, rest = np.divmod(self.leaf_taken * (s / math.log(2)), 1.0)
        mantissa = self._mantissa * np.exp2(rest)
        exponent = self._exponent + doublings.astype(np.int64)
        limits, work = Budget.of(budget), 3 * len(tilt.share)
        limits.over(self.rows.up, _weigh, work, self.rows, mantissa, exponent, self.leaf_taken, tilt)
        return tilt

    def waves(
        self,
        tilt: Tilt,
        angles: FloatArray,
        marked: Mapping[int, tuple[int, int]] | None = None,
        mark: float = 0.0,
        budget: Budget | None = None,
    ) -> Waves:
        """Return the characteristic functions of all nodes at some angles.

        Parameters
        ----------
        tilt : Tilt
        angles : array
        marked : mapping, optional
            Group -> how many of its cells are marked, and how many of its other cells are to be safe.
        mark : float
            A mine in a marked cell counts with this angle, too.
        budget : Budget, optional
            Its seconds limit this, and the passes down.

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> forest = Forest.of([solve(Board.parse("#1#1#"), "zdd").circuit])
        >>> no_mine_in_a = forest.waves(forest.tilted(0.0), np.zeros(1), {0: (0, 1)})  # in {b} of {b} and {a, c}
        >>> no_mine_in_a.of_roots.real.round(6).tolist()
        [[0.5]]
        """
        kind, count = self.leaf_taken.astype(np.int64), int(self.leaf_taken.max()) + 1
        turn = [np.exp(1j * angles * taken) for taken in range(count)]
        for group, (among, safe) in (marked or {}).items():
            rest = self.sizes[group] - among - safe
            for leaf in np.flatnonzero(self.leaf_group == group).tolist():
                taken = int(self.leaf_taken[leaf])
                ways = [comb(among, j) * comb(rest, taken - j) for j in range(min(among, taken) + 1)]
                everything = comb(self.sizes[group], taken)
                share = sum(way / everything * np.exp(1j * mark * j) for j, way in enumerate(ways))
                kind[leaf] = len(turn)
                turn.append(share * turn[taken])
        return Waves(self, tilt, kind, np.array(turn), Budget.of(budget))

    def draw(self, tilt: Tilt, copies: Sequence[int], rng: np.random.Generator) -> tuple[IntArray, IntArray, int]:
        """Draw an assignment of some circuits by its weight; return its leaves, the place of each's circuit, its mines.

        Parameters
        ----------
        tilt : Tilt
        copies : sequence of int
            The circuits, by number; one may occur several times.
        rng : numpy.random.Generator

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> forest = Forest.of([solve(Board.parse("#1#1#"), "zdd").circuit])
        >>> _, _, mines = forest.draw(forest.tilted(50.0), [0], np.random.default_rng(1))  # {a, c}, nearly always
        >>> mines
        2
        """
        roots, room = self.roots[list(copies)], 64 + 4 * len(copies)
        while True:
            leaves, part, stack = np.zeros(room, np.int32), np.zeros(room, np.int32), np.zeros(room, np.int64)
            chance = rng.random(room)
            count, mines = _draw.run(room, self.rows, tilt.share, self.leaf_taken, roots, chance, stack, leaves, part)
            if count >= 0:
                return leaves[:count], part[:count], int(mines)
            room *= 4

    def mines_by_group(self, flow: FloatArray) -> FloatArray:
        """Return the sum of leaf flows times mines for each group."""
        mines = np.zeros(self.first_group[-1])
        np.add.at(mines, self.leaf_group[1:], (flow * self.leaf_taken)[1:])
        return mines


class Waves:
    """The characteristic functions of a forest's nodes at some angles.

    Attributes
    ----------
    of_roots : complex array
        One row for each circuit, one column for each angle.

    Examples
    --------
    >>> from mines_dd import Board, solve
    >>> forest = Forest.of([solve(Board.parse("#1#1#"), "zdd").circuit])
    >>> waves = forest.waves(forest.tilted(math.log(2)), np.array([0.0, math.pi]))
    >>> waves.of_roots.real.round(6).tolist()
    [[1.0, 0.333333]]
    """

    def __init__(self, forest: Forest, tilt: Tilt, kind: LongArray, turn: ComplexArray, budget: Budget) -> None:
        self._forest, self._share, self._kind, self._budget = forest, tilt.share, kind, budget
        self._turn = _parts(turn)
        self._phi = _no_waves(len(tilt.mean), turn.shape[1])
        self._phi.real[TRUE] = 1.0
        self._work = len(tilt.share) * turn.shape[1]
        rows = forest.rows
        budget.over(rows.up, _characteristic, self._work, rows, tilt.share, kind, self._turn, self._phi)
        roots = forest.roots
        self.of_roots: ComplexArray = self._phi.real[roots] + 1j * self._phi.imaginary[roots]

    def flows(self, weights: ComplexArray) -> FloatArray:
        """Return for each leaf the real part of what holds with it, summed over angles.

        Parameters
        ----------
        weights : complex array
            The factor of each circuit (row) at each angle (column).

        Examples
        --------
        >>> from mines_dd import Board, solve
        >>> forest = Forest.of([solve(Board.parse("#1#1#"), "zdd").circuit])
        >>> angles = np.array([0.0, math.pi])
        >>> waves = forest.waves(forest.tilted(math.log(2)), angles)
        >>> waves.flows(np.exp(-2j * angles)[None, :] / 2).round(6).tolist()[1:]  # 2 mines: in a and c
        [0.666667, 0.0, 0.666667]
        """
        forest = self._forest
        derivative = _no_waves(*self._phi.real.shape)
        derivative.real[forest.roots] = weights.real
        derivative.imaginary[forest.roots] = weights.imag
        flow = np.zeros(len(forest.leaf_taken))
        waves = self._share, self._kind, self._turn, self._phi
        rows = forest.rows
        self._budget.over(rows.down, _derivatives, 2 * self._work, rows, *waves, derivative, flow)
        flow[0] = 0.0
        return flow


def _no_waves(nodes: int, angles: int) -> _Waves:
    return _Waves(np.zeros((nodes, angles)), np.zeros((nodes, angles)))


def _parts(waves: ComplexArray) -> _Waves:
    return _Waves(np.ascontiguousarray(waves.real), np.ascontiguousarray(waves.imag))


def _ways(size: IntArray, leaf_group: IntArray, leaf_taken: IntArray) -> tuple[FloatArray, LongArray]:
    """The number of sets of cells of each leaf, 1 for leaf 0, as mantissa * 2**exponent; many leaves are alike."""
    of_leaf = np.append(0, size[leaf_group[1:]]).astype(np.int64)
    kinds, kind = np.unique(of_leaf << 32 | leaf_taken, return_inverse=True)
    ways = [_frexp(comb(n >> 32, n & 0xFFFFFFFF)) for n in kinds.tolist()]
    return np.array([m for m, _ in ways])[kind], np.array([e for _, e in ways], np.int64)[kind]


def _frexp(number: int) -> tuple[float, int]:
    """An integer of any size as mantissa and exponent."""
    shift = max(0, number.bit_length() - 60)
    mantissa, exponent = math.frexp(number >> shift)
    return mantissa, exponent + shift
