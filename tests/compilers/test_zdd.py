"""Section 4.2: what ZDD packages have to themselves; what all packages keep is in test_exactly."""

import numpy as np
import pytest
from backends import NAMES, Backend

from mines_dd.base.budget import Budget
from mines_dd.compilers import zdd
from mines_dd.constraints.graph import Instance

# a manager that goes before its nodes says so in a warning, if it does not crash
pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")


def test_exactly_k_does_not_let_a_zdd_reorder_meanwhile():
    cudd_zdd = pytest.importorskip("dd.cudd_zdd")
    manager = cudd_zdd.ZDD()  # which reorders by itself at some 4,000 nodes
    names = [f"v{i}" for i in range(200)]
    manager.declare(*names)
    node = zdd.exactly(manager, names[::2], 50)
    assert len(node) > 4004
    assert [manager.level_of_var(name) for name in names] == list(range(200))
    del node, manager


@pytest.mark.skipif("dd.cudd_zdd" not in NAMES, reason="the other packages take all variables at once")
def test_the_time_is_looked_at_for_each_variable_that_cudd_takes():
    checks = []

    class Watched(Budget):
        def check(self, nodes):
            checks.append(nodes)

    Backend("dd.cudd_zdd").diagram(Instance.build(range(300), [], [], []), budget=Watched())
    assert len(checks) >= 300


@pytest.mark.parametrize("spans", [False, True])
def test_each_hint_ranges_over_all_items_in_zdd_and_from_its_first_cell_on_in_zdd_span(spans, monkeypatch):
    made = []
    node = zdd.Oxidd.node
    monkeypatch.setattr(zdd.Oxidd, "node", lambda self, *a: made.append(a[0]) or node(self, *a))
    # the hint of cells 2i and 2i + 1 has a chain over the 2i cells above: 2 * (0 + 1 + ... + 9) = 90, and 3 of its own
    instance = Instance.build(range(20), range(10), [[2 * i, 2 * i + 1] for i in range(10)], [[1]] * 10)
    found = zdd.compile_zdd(instance, np.arange(20, dtype=np.int32), backend="oxidd", spans=spans)
    if spans:
        assert len(made) <= 20 + 10 * (2 + 3)  # its own, and two over the intersection so far
    else:
        assert len(made) >= 20 + 90
    assert found.diagram.node_count == 20
