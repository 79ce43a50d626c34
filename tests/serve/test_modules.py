"""The page's modules without a browser: their own tests, run by node."""

import shutil
import subprocess

import pytest
from boards import ROOT


@pytest.mark.skipif(shutil.which("node") is None, reason="no node here")
def test_the_modules_pass_their_tests():
    files = sorted(map(str, (ROOT / "tests" / "serve" / "page").glob("*.test.mjs")))
    assert files
    done = subprocess.run(["node", "--test", *files], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
