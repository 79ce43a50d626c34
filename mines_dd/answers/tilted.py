r"""The layouts of a whole board in doubles: how many there are, and where their mines are, given the total.

Independent parts share the total: the components of the border, and the sea.  Let each mine weigh e**s (see
`diagrams.tilting`).  Every part then has a random number of mines of its own, and the *tilt* s is chosen so that the
mean of their sum is the wanted total.  Each cell of the sea is a mine with probability q = e**s / (1 + e**s), so n of
them have the characteristic function (1 - q + q * e**(i * angle))**n.  That of the whole board, phi, is the product of
those of its parts, and by inversion (means are over K equidistant angles)

    P(total)                 = mean of phi * e**(-i * angle * total)
    layouts                  = weight of all parts * P(total) / e**(s * total)
    P(cell a mine | total)   = mean of (what a pass down has for the cell) * e**(-i * angle * total) / P(total)

The sums are over all angles of the circle, of which one half are the conjugates of the other.

How many angles
---------------
K angles cannot tell the total from numbers K more or less.  After the tilt these are K / sigma standard deviations
away.  The first K is 8 sigma and 16 more: 8 standard deviations from its mean a normal distribution has e**-32, about
1e-14, of its peak.  Then the angles half-way between are added, K is doubled, and what has moved most is the estimate
of the error.  This goes on until nothing moves.  From the span of all possible totals on, K is exact but for rounding.

Rounding leaves an error of about 2**-52 of the mean of |phi|.  So it matters if the total itself is improbable under
every tilt; what it may be, relative to P(total), is part of the estimate.

Where the characteristic function of the sea is negligible, that of the board is, and the angle is passed over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from mines_dd.answers.component import Component
from mines_dd.base.arrays import ComplexArray, FloatArray, LongArray
from mines_dd.base.budget import Budget
from mines_dd.diagrams.possible import Possible
from mines_dd.diagrams.runs import Runs, intersect, multiple, reflected, sums
from mines_dd.diagrams.tilting import Forest, Tilt

__all__ = ["Marginals", "TiltedBoard", "log_binomial"]


# Standard deviations that the first angles span, and angles beside: twice as many are always taken.
_SIGMAS, _ANGLES = 8.0, 16
_STILL = 1e-12  # nothing moves
_DOUBLINGS = 6
_NEGLIGIBLE = 1e-22
_BLOCK = 2_000_000  # numbers in an array of a block of angles, roughly
_ROUNDING = 2.0**-50
_AROUND = 9  # a cell and its neighbours


@dataclass(frozen=True)
class Marginals:
    """Where the mines are.

    Attributes
    ----------
    groups : list of float arrays
        For each component, the probability that a cell of each of its groups is a mine.
    sea : float
        The probability that a cell of the sea is a mine.
    log_count : float
        The natural logarithm of the number of layouts; of their weight where the total is free.
    error : float
        What is estimated to be the largest error of a probability.
    """

    groups: list[FloatArray]
    sea: float
    log_count: float
    error: float


class _State(NamedTuple):
    """All parts under one tilt."""

    s: float
    tilt: Tilt
    mean: float
    variance: float
    log_weight: float
    share_of_sea: float


class _Inversion(NamedTuple):
    """All that inversion needs but for one component."""

    state: _State
    angles: int
    steps: LongArray  # the angles that matter
    of_roots: ComplexArray  # the characteristic functions there
    total: float  # the probability of the total


class _Sums:
    """Sums over angles, of which each is a mean when divided by the number of angles."""

    def __init__(self, leaves: int) -> None:
        self.flow = np.zeros(leaves)
        self.total = self.sea = self.size = 0.0


class TiltedBoard:
    """The parts of a board, and the passes over them in doubles.

    Parameters
    ----------
    components : sequence of Component
        Those of the border; equal objects are computed once.
    sea : int
        The number of cells of the sea.
    budget : Budget, optional

    Examples
    --------
    >>> from mines_dd import Board
    >>> from mines_dd.answers.border import Border
    >>> [part] = Border.of(Board.parse("#1#1##")).parts
    >>> found = TiltedBoard([part.component], sea=1).given(2)  # {a, c}, or {b} and the sea
    >>> found.groups[0].round(9).tolist(), round(found.sea, 9), round(math.exp(found.log_count), 9)
    ([0.5, 0.5, 0.5], 0.5, 2.0)
    """

    def __init__(self, components: Sequence[Component], sea: int, budget: Budget | None = None) -> None:
        self._sea, self._budget = sea, Budget.of(budget)
        index: dict[int, int] = {}
        self._which = [index.setdefault(id(component), len(index)) for component in components]
        self._times = np.bincount(self._which, minlength=len(index)) if components else np.zeros(0, np.int64)
        unlike = {id(component): component for component in components}
        self._forest = Forest.of([component.circuit for component in unlike.values()], self._budget)
        self._circuits = [component.circuit for component in unlike.values()]
        self._inversions: dict[tuple[int | None, float], _Inversion] = {}
        self._single: dict[tuple[int, float], tuple[Forest, Tilt]] = {}
        self._size = np.array([n for component in unlike.values() for n in component.sizes], float)
        self._last: _State | None = None

    def renewed(self, budget: Budget) -> TiltedBoard:
        """Return the same with another budget."""
        other = copy(self)
        other._budget = budget
        return other

    # Possible totals

    @cached_property
    def _possible(self) -> Possible:
        return Possible(self._forest)

    @cached_property
    def totals(self) -> Runs:
        """The possible numbers of mines in all parts together."""
        return self._beside[0]

    @cached_property
    def _beside(self) -> tuple[Runs, list[Runs]]:
        """The possible numbers of mines of all parts, and of all but one copy of each component."""
        of_roots = self._possible.of_roots
        alone = [multiple(runs, int(times) - 1) for runs, times in zip(of_roots, self._times, strict=True)]
        whole = [sums(one, more) for one, more in zip(of_roots, alone, strict=True)]
        before = list(accumulate(whole, sums, initial=[(0, self._sea)]))
        after = list(accumulate(reversed(whole), sums, initial=[(0, 0)]))[::-1]
        beside = [sums(sums(a, b), more) for a, b, more in zip(before, after[1:], alone, strict=False)]
        return before[-1], beside

    def certain(self, rest: int | None, marginals: Marginals) -> tuple[list[list[int]], list[list[int]], bool, bool]:
        """Return what is certain, exactly.

        Parameters
        ----------
        rest : int or None
            The number of mines in all parts together, None if it is free.
        marginals : Marginals
            With this number; only what it says is nearly certain is looked at.

        Returns
        -------
        safe, mines : lists of int
            For each component its groups without a mine, and its groups of mines.
        sea_is_safe, sea_is_mines : bool
        """
        _, beside = self._beside
        wanted = self._possible.of_roots if rest is None else [reflected(runs, rest) for runs in beside]
        terms = self._possible.terms(wanted)
        empty = self._possible.safe_groups(terms)
        first = self._forest.first_group
        likely = np.zeros(first[-1])
        for i, share in zip(self._which, marginals.groups, strict=True):
            likely[first[i] : first[i + 1]] = share
        candidates = np.flatnonzero(likely > 0.999)
        full = np.zeros(first[-1], np.bool_)
        full[self._possible.full_groups(terms, candidates.tolist(), self._size[candidates].astype(int).tolist())] = True
        safe, mines = (
            [np.flatnonzero(flag[first[i] : first[i + 1]]).tolist() for i in self._which] for flag in (empty, full)
        )
        if rest is None or not self._sea:
            return safe, mines, False, False
        border = [(0, 0)]
        for runs, times in zip(self._possible.of_roots, self._times, strict=True):
            border = sums(border, multiple(runs, int(times)))
        of_sea = intersect(reflected(border, rest), [(0, self._sea)])
        return safe, mines, of_sea == [(0, 0)], of_sea == [(self._sea, self._sea)]

    # The tilt

    def _state(self, s: float) -> _State:
        self._budget.check(0)
        tilt = self._forest.tilted(s, self._budget)
        roots, times = self._forest.roots, self._times
        q = 1 / (1 + math.exp(-s)) if s > -700 else math.exp(s)
        logs = np.log(tilt.mantissa[roots]) + tilt.exponent[roots] * math.log(2)
        return _State(
            s,
            tilt,
            float(tilt.mean[roots] @ times) + self._sea * q,
            float(tilt.variance[roots] @ times) + self._sea * q * (1 - q),
            float(logs @ times) + self._sea * float(np.logaddexp(0.0, s)),
            q,
        )

    def _free_state(self, s: float) -> _State:
        if self._last is None or self._last.s != s:
            self._last = self._state(s)
        return self._last

    def _tilted_to(self, rest: int) -> _State:
        """The tilt whose mean is nearly `rest`: Newton's method, kept between the bounds found so far."""
        low, high = -math.inf, math.inf
        state = self._last or self._state(0.0)
        for _ in range(200):
            off = rest - state.mean
            if abs(off) <= 0.02 + 0.01 * math.sqrt(state.variance):
                break
            low, high = (state.s, high) if off > 0 else (low, state.s)
            s = state.s + max(-4.0, min(4.0, off / max(state.variance, 1e-3)))
            if not low < s < high:
                s = (low + high) / 2
            state = self._state(s)
        self._last = state
        return state

    @cached_property
    def log_assignments(self) -> float:
        """The natural logarithm of the number of assignments of all components."""
        tilt, roots = self._forest.tilted(0.0), self._forest.roots
        return float((np.log(tilt.mantissa[roots]) + tilt.exponent[roots] * math.log(2)) @ self._times)

    # Inversion

    def free(self, s: float) -> Marginals:
        """Return where the mines are if the total is free and each mine has the odds e**s.

        Examples
        --------
        >>> from mines_dd import Board
        >>> from mines_dd.answers.border import Border
        >>> [part] = Border.of(Board.parse("#1#1##")).parts
        >>> TiltedBoard([part.component], sea=1).free(math.log(2)).groups[0].round(9).tolist()
        [0.666666667, 0.333333333, 0.666666667]
        """
        state = self._free_state(s)
        found = _Sums(len(self._forest.leaf_taken))
        self._add(found, state, 0, np.zeros(1, np.int64), 1)
        return self._marginals(found, state.log_weight, state.share_of_sea, _ROUNDING)

    def given(self, rest: int) -> Marginals:
        """Return where the mines are if all parts together have `rest` mines, which has to be one of `totals`.

        Raises
        ------
        BudgetExceededError
            If the time is over.
        """
        state = self._tilted_to(rest)
        span = self.totals[-1][1] - self.totals[0][0] + 1
        angles = min(span, int(_SIGMAS * math.sqrt(state.variance)) + _ANGLES)
        found = _Sums(len(self._forest.leaf_taken))
        self._add(found, state, rest, np.arange(angles // 2 + 1), angles)
        before = self._shares(found)
        for _ in range(_DOUBLINGS):
            self._add(found, state, rest, np.arange(1, angles + 1, 2), 2 * angles)
            angles *= 2
            after = self._shares(found)
            moved = float(np.abs(after - before).max(initial=0.0))
            before = after
            if moved < _STILL or angles > 2 * span:
                break
        total, size = found.total / angles, found.size / angles
        if not total > 0:
            return self._marginals(found, -math.inf, math.nan, math.inf)
        log_count = state.log_weight - rest * state.s + math.log(total)
        return self._marginals(found, log_count, found.sea / found.total, moved + _ROUNDING * size / total)

    # The numbers that cells may show

    def shown(
        self,
        rest: int | None,
        s: float,
        marked: Sequence[tuple[int, Mapping[int, tuple[int, int]]]],
        sea: tuple[int, int],
    ) -> list[float]:
        """Return the probabilities of 0, 1, ... mines in marked cells while some others are safe.

        Parameters
        ----------
        rest : int or None
            The number of mines in all parts together, None if it is free.
        s : float
            The tilt, if it is free.
        marked : sequence
            Of pairs: a component, by its place among those given, and group -> how many of its cells are marked, and
            how many of its other cells are to be safe.
        sea : (int, int)
            The same for the sea.

        Notes
        -----
        A mine in a marked cell turns by an angle of its own, as every mine does by the angle of the total.  A Fourier
        transform over both angles has the joint probabilities.

        Examples
        --------
        >>> from mines_dd import Board
        >>> from mines_dd.answers.border import Border
        >>> [part] = Border.of(Board.parse("#1#1##")).parts
        >>> board = TiltedBoard([part.component], sea=1)
        >>> found = board.shown(2, 0.0, [(0, {0: (1, 0)})], (0, 1))  # 2 mines, the sea is safe, a is marked: {a, c}
        >>> [round(p, 9) for p in found]
        [0.0, 0.5]
        """
        state, angles, steps, of_roots, total = self._inverted(rest, s)
        among, safe = sea
        marks = 1 + among + sum(n for _, groups in marked for n, _ in groups.values())
        left = self._times.copy()
        np.subtract.at(left, [self._which[i] for i, _ in marked], 1)
        angle, q = 2 * math.pi * steps / angles, state.share_of_sea
        others = np.prod(of_roots ** left[:, None], axis=0) * _of_sea(q, angle, self._sea - among - safe)
        others *= _turned_back(rest or 0, steps, angles) * (1 - q) ** safe
        others *= _multiplicity(steps, angles)
        found = np.zeros(marks, complex)
        for j in range(marks):
            mark = 2 * math.pi * j / marks
            inside = others * (1 - q + q * np.exp(1j * (angle + mark))) ** among
            for i, groups in marked:
                inside = inside * self._marked(self._which[i], state, angle, groups, mark)
            found += inside.sum() * np.exp(-1j * mark * np.arange(marks))
        return [max(0.0, p) for p in (found.real / (marks * angles * total)).tolist()]

    def _inverted(self, rest: int | None, s: float) -> _Inversion:
        """The angles at which all components are known, for this total or tilt."""
        if (rest, s) not in self._inversions:
            state = self._free_state(s) if rest is None else self._tilted_to(rest)
            angles = 1 if rest is None else self._enough_angles(state)
            steps, roots, total = [], [], 0.0
            for some, of_sea, _ in self._blocks(state, np.arange(angles // 2 + 1), angles, spare=_AROUND):
                of_roots = self._forest.waves(state.tilt, 2 * math.pi * some / angles, budget=self._budget).of_roots
                back = _multiplicity(some, angles) * _turned_back(rest or 0, some, angles)
                total += float((self._products(of_roots)[0] * of_sea * back).real.sum())
                steps.append(some)
                roots.append(of_roots)
            of_all = np.concatenate(roots, axis=1)
            self._inversions[rest, s] = _Inversion(state, angles, np.concatenate(steps), of_all, total / angles)
        return self._inversions[rest, s]

    def _marked(
        self, i: int, state: _State, angle: FloatArray, groups: Mapping[int, tuple[int, int]], mark: float
    ) -> ComplexArray:
        """The characteristic function of one component with marked cells."""
        if (i, state.s) not in self._single:
            forest = Forest.of([self._circuits[i]], self._budget)
            self._single[i, state.s] = forest, forest.tilted(state.s, self._budget)
        forest, tilt = self._single[i, state.s]
        width = self._width(forest)
        found = []
        for at in range(0, len(angle), width):
            self._budget.check(0)
            found.append(forest.waves(tilt, angle[at : at + width], groups, mark, self._budget).of_roots[0])
        return np.concatenate(found)

    # Samples

    def draw(self, rest: int | None, s: float, rng: np.random.Generator) -> tuple[list[tuple[int, int, int]], int]:
        """Draw a layout; all with the same number of mines are equally likely, but for rounding.

        The parts are drawn independently under the tilt, and kept with a probability proportional to that of the number
        of mines which this leaves for the sea.

        Parameters
        ----------
        rest : int or None
            The number of mines in all parts together, None if it is free.
        s : float
            The tilt, if it is free.
        rng : numpy.random.Generator

        Returns
        -------
        taken : list of (component, group, mines)
            The components by their places among those given.
        sea : int
            The number of mines in the sea.

        Examples
        --------
        >>> from mines_dd import Board
        >>> from mines_dd.answers.border import Border
        >>> [part] = Border.of(Board.parse("#1#1##")).parts
        >>> TiltedBoard([part.component], sea=1).draw(3, 0.0, np.random.default_rng(1))  # a, c and the sea
        ([(0, 2, 1), (0, 0, 1)], 1)
        """
        state = self._free_state(s) if rest is None else self._tilted_to(rest)
        q, n = state.share_of_sea, self._sea
        log_q, log_p = math.log(max(q, 1e-300)), math.log1p(-min(q, 1 - 2.0**-53))

        def log_chance(mines: int) -> float:
            return log_binomial(n, mines) + mines * log_q + (n - mines) * log_p

        mode = min(n, int((n + 1) * q))
        while True:
            self._budget.check(0)
            leaves, part, mines = self._forest.draw(state.tilt, self._which, rng)
            sea = int(rng.binomial(n, q)) if rest is None else rest - mines
            if rest is None or (0 <= sea <= n and math.log(1 - rng.random()) <= log_chance(sea) - log_chance(mode)):
                break
        group = self._forest.leaf_group[leaves]
        first = np.array(self._forest.first_group)[np.array(self._which, np.int64)[part]]
        taken = self._forest.leaf_taken[leaves]
        return list(zip(part.tolist(), (group - first).tolist(), taken.tolist(), strict=True)), sea

    # All totals

    def log_counts(self) -> dict[int, float]:
        """Return for each possible number of mines in all parts the natural logarithm of the number of layouts.

        One tilt tells the totals of some standard deviations around its mean: a Fourier transform of phi has the
        probabilities of all totals at once, with an absolute error of about 2**-52 of the largest.  So the tilt goes
        on from total to total, until all are known with a relative error of about 1e-9.

        Raises
        ------
        BudgetExceededError
            If the time is over.

        Examples
        --------
        >>> from mines_dd import Board
        >>> from mines_dd.answers.border import Border
        >>> [part] = Border.of(Board.parse("#1#1##")).parts
        >>> found = TiltedBoard([part.component], sea=1).log_counts()
        >>> {total: round(math.exp(log), 9) for total, log in found.items()}
        {1: 1.0, 2: 2.0, 3: 1.0}
        """
        found: dict[int, float] = {}
        wanted = [total for first, last in self.totals for total in range(first, last + 1)]
        at, ahead = 0, 0
        while at < len(wanted):
            target = wanted[min(at + ahead, len(wanted) - 1)]
            state, probability, least = self._distribution(target)
            before = at
            for total in wanted[at : at + len(probability)]:
                p = probability.get(total, 0.0)
                if p > least or (total == target == wanted[before]):
                    found[total] = state.log_weight - total * state.s + math.log(max(p, _NEGLIGIBLE))
            while at < len(wanted) and wanted[at] in found:
                at += 1
            # the first unknown total should lie in the next tilt's lower part; if it was not told, it is next itself
            ahead = int(3 * math.sqrt(state.variance)) if at > before else 0
        return {total: found[total] for total in wanted}

    def _distribution(self, target: int) -> tuple[_State, dict[int, float], float]:
        """The probabilities of the totals around one to which all parts are tilted, and the least that is right."""
        state = self._tilted_to(target)
        angles = self._enough_angles(state)
        phi = np.zeros(angles // 2 + 1, complex)
        steps = np.arange(angles // 2 + 1)
        for some, of_sea, _ in self._blocks(state, steps, angles):
            waves = self._forest.waves(state.tilt, 2 * math.pi * some / angles, budget=self._budget)
            whole, _ = self._products(waves.of_roots)
            phi[some] = whole * of_sea * _turned_back(target, some, angles)
        probability = np.fft.irfft(phi.conj(), angles).tolist()
        half = (angles - 1) // 2
        around = {target + off: probability[off] for off in range(-half, angles - half)}
        return state, around, 1e10 * _ROUNDING * float(np.abs(phi).mean())

    def _enough_angles(self, state: _State) -> int:
        """As many angles as `given` takes if the first ones do."""
        span = self.totals[-1][1] - self.totals[0][0] + 1
        return min(span, 2 * int(_SIGMAS * math.sqrt(state.variance)) + 2 * _ANGLES)

    def _shares(self, found: _Sums) -> FloatArray:
        """The probability of a mine in a cell of each group, and of the sea."""
        mines = self._forest.mines_by_group(found.flow)
        with np.errstate(all="ignore"):
            return np.nan_to_num(np.append(mines / self._size, found.sea) / found.total, nan=9.0)

    def _marginals(self, found: _Sums, log_count: float, sea: float, error: float) -> Marginals:
        shares, first = self._shares(found), self._forest.first_group
        groups = [shares[first[i] : first[i + 1]] for i in self._which]
        return Marginals(groups, sea, log_count, error)

    def _add(self, found: _Sums, state: _State, rest: int, steps: LongArray, angles: int) -> None:
        """Add to the sums what they have at the angles 2 * pi * step / angles and at minus these."""
        for some, of_sea, less in self._blocks(state, steps, angles):
            angle = 2 * math.pi * some / angles
            waves = self._forest.waves(state.tilt, angle, budget=self._budget)
            whole, beside = self._products(waves.of_roots)
            both = _multiplicity(some, angles)
            back = both * _turned_back(rest, some, angles)
            outer = beside * (of_sea * back)
            found.total += float((whole * of_sea * back).real.sum())
            found.sea += float((whole * less * back * np.exp(1j * angle)).real.sum()) * state.share_of_sea
            size = np.abs(outer).max(axis=0, initial=0.0)
            found.size += float(np.maximum(size, both * np.abs(of_sea * whole)).sum())
            if len(beside) and size.max() > _NEGLIGIBLE:
                found.flow += waves.flows(outer)

    def _blocks(
        self, state: _State, steps: LongArray, angles: int, spare: int = 1
    ) -> Iterator[tuple[LongArray, ComplexArray, ComplexArray]]:
        """Yield steps in blocks, with the characteristic functions of the sea and of the sea without a cell.

        Steps are left out where the sea without `spare` cells has a negligible one.
        """
        q, n = state.share_of_sea, self._sea
        angle = 2 * math.pi * steps / angles
        matters = np.flatnonzero(np.abs(_of_sea(q, angle, n - spare)) > _NEGLIGIBLE)
        width = self._width(self._forest)
        for at in range(0, len(matters), width):
            self._budget.check(0)
            here = matters[at : at + width]
            yield steps[here], _of_sea(q, angle[here], n), _of_sea(q, angle[here], n - 1)

    def _width(self, forest: Forest) -> int:
        """How many angles a block has."""
        return max(4, min(64, _BLOCK // len(forest.rows.start)))

    def _products(self, of_roots: ComplexArray) -> tuple[ComplexArray, ComplexArray]:
        """The products over all components, and over all but one copy of each."""
        copies = of_roots ** (self._times[:, None] - 1)
        all_copies = copies * of_roots
        one = np.ones((1, of_roots.shape[1]), complex)
        before = np.cumprod(np.concatenate([one, all_copies]), axis=0)
        after = np.cumprod(np.concatenate([one, all_copies[::-1]]), axis=0)[::-1]
        return before[-1], copies * before[:-1] * after[1:]


def _multiplicity(steps: LongArray, angles: int) -> FloatArray:
    """How often each angle counts: for itself and for minus itself, unless these are the same."""
    return np.where((steps == 0) | (2 * steps == angles), 1.0, 2.0)


def _turned_back(total: int, steps: LongArray, angles: int) -> ComplexArray:
    """e**(-i * angle * total) at the angles 2 * pi * step / angles."""
    found: ComplexArray = np.exp(-2j * math.pi * (steps * total % angles) / angles)
    return found


def _of_sea(q: float, angle: FloatArray, cells: int) -> ComplexArray:
    """The characteristic function of some cells that are mines with probability q, independently."""
    if cells <= 0:
        return np.ones(len(angle), complex)
    # |1 - q + q e**ix|**2 = 1 - 4 q (1 - q) sin(x / 2)**2, whose logarithm loses no digits to a difference
    size = np.log1p(-np.minimum(1 - 2.0**-53, 4 * q * (1 - q) * np.sin(angle / 2) ** 2)) / 2
    turn = np.arctan2(q * np.sin(angle), 1 - q + q * np.cos(angle))
    found: ComplexArray = np.exp(cells * size + 1j * cells * turn)
    return found


def log_binomial(n: int, k: int) -> float:
    """Return the natural logarithm of C(n, k).

    Examples
    --------
    >>> round(math.exp(log_binomial(4, 2)), 9)
    6.0
    """
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
