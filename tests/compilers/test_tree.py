"""Hint elimination beyond what the common contract checks."""

import itertools
import random
from collections import Counter
from functools import partial
from itertools import combinations
from math import comb

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mines_dd import Board, BudgetExceededError, solve
from mines_dd.base.budget import Budget
from mines_dd.base.jit import Kernel
from mines_dd.compilers import tree
from mines_dd.compilers.keys import Fields
from mines_dd.compilers.plan import tree_plan
from mines_dd.compilers.tree import compile_tree
from mines_dd.constraints.graph import Instance
from mines_dd.constraints.simplify import simplify, unsimplified
from mines_dd.diagrams.circuit import FALSE, TRUE, Circuit
from mines_dd.diagrams.queries import count, counts_by_mines, iterate
from mines_dd.orders.elimination import best_elimination, elimination_steps


def compiled(instance: Instance, reduced, order="auto"):
    return compile_tree(reduced, instance.cells, tree_plan(reduced, order))


def counted(circuit: Circuit) -> int:
    """The number of assignments, by the definition."""
    weight = [comb(len(circuit.groups[g]), t) if g >= 0 else 1 for g, t in circuit.leaves]
    start, left, right, leaf = circuit.terms
    value = [0, 1]
    for i in range(2, len(start) - 1):
        value.append(sum(value[left[t]] * value[right[t]] * weight[leaf[t]] for t in range(start[i], start[i + 1])))
    return value[circuit.root]


def expanded(circuit: Circuit) -> set[frozenset]:
    """The family, by the definition; terms of a node must be disjoint and factors of a term must share no group."""
    start, left, right, leaf = circuit.terms
    families: list[list[frozenset]] = [[], [frozenset()]]
    groups: list[set[int]] = [set(), set()]
    for i in range(2, len(start) - 1):
        union: list[frozenset] = []
        mentioned: set[int] = set()
        for t in range(start[i], start[i + 1]):
            assert max(left[t], right[t]) < i
            g, taken = circuit.leaves[leaf[t]]
            of_leaf = {g} - {-1}
            assert not groups[left[t]] & groups[right[t]]
            assert not of_leaf & (groups[left[t]] | groups[right[t]])
            mentioned |= groups[left[t]] | groups[right[t]] | of_leaf
            leaves = combinations(circuit.groups[g], taken) if g >= 0 else [()]
            union += [a | b | frozenset(c) for c in leaves for a in families[left[t]] for b in families[right[t]]]
        assert len(set(union)) == len(union)
        families.append(union)
        groups.append(mentioned)
    return {frozenset(circuit.cells[i] for i in mines) for mines in families[circuit.root]}


def count_by_dictionaries(instance: Instance) -> int:
    """Hint elimination with dictionaries: every hint a key, no packing, no pruning but the hint's own count."""
    owner = instance.cell_rows
    hints_of = [tuple(owner[1][a:b].tolist()) for a, b in zip(owner[0], owner[0][1:], strict=False)]
    factors = []
    for hints, m in Counter(hints_of).items():
        leaf = {frozenset((h, t) for h in hints if t): comb(m, t) for t in range(m + 1)}
        factors.append((set(hints), Counter(leaf)))
    for h in best_elimination(instance).order.tolist():
        scope: set[int] = set()
        table = Counter({frozenset(): 1})
        mine = [factor for factor in factors if h in factor[0]]
        factors = [factor for factor in factors if h not in factor[0]]
        for hints, other in sorted(mine, key=lambda factor: len(factor[1])):
            scope |= hints
            result: Counter = Counter()
            for a, ways in table.items():
                for b, more in other.items():
                    sums = Counter(dict(a))
                    sums.update(dict(b))
                    if all(c <= max(instance.allowed[x]) for x, c in sums.items()):
                        result[frozenset(sums.items())] += ways * more
            table = result
        kept: Counter = Counter()
        for key, ways in table.items():
            if dict(key).get(h, 0) in instance.allowed[h]:
                kept[frozenset(pair for pair in key if pair[0] != h)] += ways
        factors.append((scope - {h}, kept))
    total = 1
    for _, table in factors:
        total *= sum(table.values())
    return total


@pytest.mark.parametrize("seed", range(4))
def test_circuits_are_deterministic_and_decomposable_and_give_the_family(seed):
    instances = [naive.random_instance(seed) for seed in range(100 * seed, 100 * seed + 40)]
    instances += [Instance.from_board(naive.random_board(seed, 12)) for seed in range(20 * seed, 20 * seed + 20)]
    for instance in instances:
        expected = naive.assignments(instance)
        for reduced in (simplify(instance), simplify(instance).ungrouped(), unsimplified(instance)):
            if not reduced.consistent:
                assert not expected
                continue
            circuit = compiled(instance, reduced).circuit
            assert expanded(circuit) == expected
            assert counted(circuit) == count(circuit) == len(expected)
            assert (circuit.root == FALSE) == (not expected)


@pytest.mark.parametrize("mines", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("hints", [0.1, 0.3, 0.5])
def test_the_counts_of_the_papers_boards_are_those_of_a_slow_elimination(mines, hints):
    instance = Instance.from_board(Board.random(30, 30, mines, hints, 7))
    # The slow one needs a minute for the hardest setting unless it is reduced.
    slow = simplify(instance).ungrouped().instance if (mines, hints) == (0.3, 0.5) else instance
    expected = count_by_dictionaries(slow)
    assert expected > 0
    for form in (simplify(instance), simplify(instance).ungrouped(), unsimplified(instance)):
        assert counted(compiled(instance, form).circuit) == expected


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_names_of_cells_and_hints_do_not_matter(seed: int, rng: random.Random):
    instance = naive.random_instance(seed)
    renamed = naive.shuffled(instance, rng)
    assert expanded(compiled(renamed, unsimplified(renamed)).circuit) == naive.assignments(instance)


def test_many_islands_are_multiplied():
    n = 3000
    instance = Instance.build(range(3 * n), range(n), [range(3 * i, 3 * i + 3) for i in range(n)], [[1]] * n)
    result = compiled(instance, unsimplified(instance))
    assert counted(result.circuit) == 3**n
    assert result.peak == 1


def test_without_hints_there_is_the_empty_assignment():
    nothing = Instance.build("", "", [], [])
    assert compiled(nothing, simplify(nothing)).circuit.root == TRUE
    decided = Instance.build("ab", "x", [[0, 1]], [[2]])
    assert expanded(compiled(decided, simplify(decided)).circuit) == {frozenset("ab")}


def test_interpreted_and_compiled_circuits_are_the_same(monkeypatch):
    instances = [Instance.from_board(Board.random(4, 4, 0.3, 0.3, seed)) for seed in range(6)]
    instances += [naive.random_instance(seed) for seed in range(30)]
    forms = [(instance, simplify(instance)) for instance in instances]
    forms = [(instance, reduced) for instance, reduced in forms if reduced.consistent]

    def plain(result):
        return result.circuit.terms, result.circuit.root, result.entries, result.peak

    def interpreted(self, work, *args):
        with np.errstate(over="ignore"):
            return self(*args)

    with monkeypatch.context() as patch:
        patch.setattr(Kernel, "run", interpreted)
        before = [plain(compiled(*form)) for form in forms]
    monkeypatch.setenv("MINES_DD_JIT", "always")
    assert [plain(compiled(*form)) for form in forms] == before


def test_every_elimination_order_gives_the_same_family():
    for seed in range(40):
        instance = naive.random_instance(seed)
        expected = naive.assignments(instance)
        for trial in range(4):
            order = list(instance.hints)
            random.Random(trial).shuffle(order)
            family = solve(instance.to_graph(), order=order, simplify=bool(trial % 2))
            assert set(family) == expected


@pytest.mark.usefixtures("interpreted_unless_asked")
@pytest.mark.parametrize("compile_always", [False, True])
def test_interpreted_and_compiled_eliminations_are_the_same(compile_always, monkeypatch):
    boards = [Board.random(7, 7, 0.3, 0.4, seed) for seed in range(6)]
    if compile_always:
        monkeypatch.setenv("MINES_DD_JIT", "always")
    for board in boards:
        instance = Instance.from_board(board)
        circuit = compiled(instance, unsimplified(instance)).circuit
        assert count(circuit) == solve(board, "dc").count()


def test_sums_of_many_words():
    """Forty hints of large counts around common cells do not fit into one word."""
    hints = 40
    members = [[0, 1, *range(2 + 6 * h, 8 + 6 * h)] for h in range(hints)]
    instance = Instance.build(range(2 + 6 * hints), range(hints), members, [[4]] * hints)
    result = compiled(instance, unsimplified(instance))
    # by the number of mines in the two common cells
    expected = comb(6, 4) ** hints + 2 * comb(6, 3) ** hints + comb(6, 2) ** hints
    assert count(result.circuit) == expected
    assert count(compiled(instance, simplify(instance)).circuit) == expected


def test_hints_of_large_counts():
    instance = Instance.build(range(300), "xy", [range(200), range(100, 300)], [[90], [80]])
    expected = sum(comb(100, t) * comb(100, 90 - t) * comb(100, 80 - t) for t in range(81))
    assert count(compiled(instance, simplify(instance)).circuit) == expected
    assert count(compiled(instance, unsimplified(instance)).circuit) == expected


def test_groups_of_twins_are_expanded():
    instance = Instance.build("abcdef", "xy", [[0, 1, 2, 3], [2, 3, 4, 5]], [[2], [3]])
    circuit = compiled(instance, simplify(instance)).circuit
    assert set(iterate(circuit)) == naive.assignments(instance)
    assert counts_by_mines(circuit) == naive.counts_by_mines(naive.assignments(instance))


def test_entries_are_reported():
    instance = Instance.from_board(Board.random(20, 20, 0.3, 0.3, 1))
    result = compiled(instance, simplify(instance))
    assert 0 < result.peak <= result.entries
    assert result.circuit.node_count > 0
    assert result.width >= 1


def test_sums_that_overshoot_or_can_no_longer_be_completed_are_dropped_at_once():
    instance = Instance.from_board(Board.random(12, 12, 0.3, 0.4, 1))
    result = compiled(instance, simplify(instance))
    # with the sums that are too great there would be 100 entries, with those that are too small 108
    assert (result.entries, result.peak, result.width) == (91, 6, 4)


def test_a_limit_on_nodes_is_kept():
    instance = Instance.from_board(Board.random(60, 60, 0.3, 0.3, 1))
    reduced = simplify(instance)
    plan = tree_plan(reduced)
    whole = compile_tree(reduced, instance.cells, plan)
    for limit in (10, 1000, 5000):
        with pytest.raises(BudgetExceededError) as error:
            compile_tree(reduced, instance.cells, plan, budget=Budget(max_nodes=limit))
        assert error.value.needed <= 1.1 * limit + 100
    again = compile_tree(reduced, instance.cells, plan, budget=Budget(max_nodes=10 * whole.circuit.node_count))
    assert count(again.circuit) == count(whole.circuit)


def test_a_limit_on_nodes_is_kept_where_parts_are_multiplied():
    pairs = Instance.build(range(40), range(20), [[2 * i, 2 * i + 1] for i in range(20)], [[1]] * 20)
    compile_ = partial(compile_tree, simplify(pairs), pairs.cells, tree_plan(simplify(pairs)))
    assert compile_(budget=Budget(max_nodes=39)).circuit.node_count == 39  # one of each part, and of their product
    with pytest.raises(BudgetExceededError, match="needs at least 39 nodes and 38 are allowed"):
        compile_(budget=Budget(max_nodes=38))


def test_a_limit_on_time_is_kept(monkeypatch):
    rng = random.Random(1)
    members = [sorted(rng.sample(range(90), 12)) for _ in range(60)]
    instance = Instance.build(range(90), range(60), members, [[rng.randint(4, 8)] for _ in range(60)])
    reduced = unsimplified(instance)
    plan = tree_plan(reduced)
    clock = itertools.count()
    monkeypatch.setattr("mines_dd.base.budget.time.monotonic", lambda: next(clock))
    for timeout in (1, 4):
        looks = next(clock)
        with pytest.raises(BudgetExceededError) as error:
            compile_tree(reduced, instance.cells, plan, budget=Budget(timeout=timeout, started=looks))
        assert error.value.unit == "seconds"
        assert next(clock) - looks < timeout + 10  # and so it looks again and again


def test_the_worked_example_of_the_module():
    instance = Instance.build("abcde", "pqr", [[0, 1], [2, 3], [1, 2, 4]], [[1], [1], [2]])
    result = compiled(instance, unsimplified(instance), list("pqr"))
    assert expanded(result.circuit) == {frozenset("bde"), frozenset("bc"), frozenset("ace")}
    # P and Q hold two entries each and the root is one; the largest table remembers only r
    assert (result.entries, result.peak, result.width) == (5, 2, 1)
    # the nodes of a = 0 and a = 1, P0, P1, the same for q, N1 and N2, and the root
    assert result.circuit.node_count == 4 + 4 + 2 + 1
    terms_of_node = np.diff(result.circuit.start)[2:].tolist()
    assert terms_of_node == [1] * 8 + [2, 1, 2]


def test_fields_of_hints_in_a_table_do_not_overlap():
    for seed in range(30):
        instance = Instance.from_board(Board.random(12, 12, 0.3, 0.4, seed))
        order = best_elimination(instance).order
        steps = elimination_steps(instance, order)
        fields = Fields.of(instance, np.ones(len(instance.cells), np.int64), order, steps)
        for k, h in enumerate(order.tolist()):
            taken = Counter()
            for x in [h, *steps.hint[steps.start[k] : steps.start[k + 1]].tolist()]:
                bits = int(fields.mask[x]).bit_length()
                assert fields.shift[x] + bits <= 62
                taken.update((int(fields.word[x]), int(fields.shift[x]) + i) for i in range(bits))
            assert max(taken.values()) == 1


def test_entries_that_the_root_reaches_are_the_classes_of_partial_assignments_with_equal_completions():
    compared = 0
    for seed in range(40):
        instance = Instance.from_board(naive.random_board(seed, 12))
        family = naive.assignments(instance)
        if not family:
            continue
        order = best_elimination(instance).order
        steps = elimination_steps(instance, order)
        run = tree._Elimination(unsimplified(instance), order, steps, Budget())
        assert run.finish()
        reached = reached_nodes(run)
        below: list[set] = [set() for _ in order]
        for k, h in enumerate(order.tolist()):
            below[k] |= {instance.cells[i] for i in instance.members[h]}
            if steps.parent[k] >= 0:
                below[steps.parent[k]] |= below[k]
            if not instance.members[h]:
                continue
            completions: dict[frozenset, set] = {}
            for mines in family:
                completions.setdefault(mines & below[k], set()).add(mines - below[k])
            entries = range(run.progress.first[k], run.progress.last[k])
            assert len(reached & set(entries)) == len(set(map(frozenset, completions.values())))
            compared += 1
    assert compared > 50


def reached_nodes(run) -> set[int]:
    """The nodes that the components' roots reach."""
    nodes, terms = int(run.state[tree._NODES]), int(run.state[tree._TERMS])
    start = [*run.tables.first_term[:nodes].tolist(), terms]
    reached = set(run.progress.roots[: run.state[tree._ROOTS]].tolist())
    for node in range(nodes - 1, TRUE, -1):
        if node in reached:
            reached |= {int(child) for t in range(start[node], start[node + 1]) for child in run.tables.terms[t, :2]}
    return reached
