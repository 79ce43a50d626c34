"""Section 4.2: what ZDD packages have to themselves; what all packages keep is in test_exactly."""

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
