"""The page's modules without a browser: their own tests, run by node."""

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from boards import ROOT


def _node() -> str | None:
    """The system's node, or the one that Playwright brings."""
    found = find_spec("playwright")
    own = None if found is None or found.origin is None else Path(found.origin).parent / "driver" / "node"
    return shutil.which("node") or (str(own) if own is not None and own.exists() else None)


@pytest.mark.ci
@pytest.mark.skipif(_node() is None, reason="no node here")
def test_the_modules_pass_their_tests():
    files = sorted(map(str, (ROOT / "tests" / "serve" / "page").glob("*.test.mjs")))
    assert files
    done = subprocess.run([_node(), "--test", *files], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
