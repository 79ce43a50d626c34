"""Section 4.1: what BDD packages have to themselves; what all packages keep is in test_exactly."""

import subprocess
import sys

import pytest
from backends import NAMES, Backend

from mines_dd.compilers import bdd
from mines_dd.constraints.graph import Instance

# a manager that goes before its nodes says so in a warning, if it does not crash
pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")


@pytest.mark.parametrize("name", [name for name in NAMES if name in bdd.BACKENDS])
def test_a_new_manager_keeps_the_order_of_its_variables(name):
    assert bdd.new_manager(3, name).configure()["reordering"] is False


def test_exactly_k_of_more_variables_than_the_recursion_limit():
    autoref = pytest.importorskip("dd.autoref")
    manager = autoref.BDD()
    names = [f"v{i}" for i in range(1500)]
    manager.declare(*names)
    node = bdd.exactly(manager, names, 1)
    assert node.level == 0
    assert len(manager) > 2 * 1500
    del node, manager


def test_the_recursion_limit_is_not_lowered():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 12_345)
    try:
        Backend("dd.autoref").diagram(Instance.build("ab", "h", [[0, 1]], [[1]]))
        assert sys.getrecursionlimit() == before + 12_345
    finally:
        sys.setrecursionlimit(before)


IMPORTS = """
import threading
from concurrent.futures import ThreadPoolExecutor
from mines_dd.compilers import bdd, packages, zdd
tasks = [("BDD", bdd.BACKENDS), ("ZDD", zdd.BACKENDS), ("BDD", ("dd.autoref",))]
ready = threading.Barrier(len(tasks))
def first(task):
    ready.wait()
    return packages.first_installed(*task, "auto")
with ThreadPoolExecutor(len(tasks)) as pool:
    print(*pool.map(first, tasks))
"""


def test_threads_may_be_the_first_to_import_the_packages():
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, timeout=100)
        assert (done.returncode, done.stderr, len(done.stdout.split())) == (0, "", 3)
