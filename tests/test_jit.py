"""Kernels: interpreted and compiled alike."""

import subprocess
import sys

from mines_dd.jit import kernel


@kernel
def steps(n):
    """How long it takes from `n` to 1, a half or three times and one more at a time."""
    if n == 1:
        return 0
    return 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)


def test_a_kernel_may_call_itself():
    assert steps(27) == 111
    assert steps.run(10**9, 27) == 111


def test_a_kernel_that_calls_itself_is_cached(tmp_path):
    module = tmp_path / "countdown.py"
    module.write_text(
        "from mines_dd.jit import kernel\n\n@kernel\ndef down(n):\n    if n == 0:\n        return 7\n"
        "    return down(n - 1)\n"
    )
    code = "from countdown import down; print(down.run(10**9, 5), sum(down.dispatcher.stats.cache_hits.values()))"
    env = {"PYTHONPATH": f"{tmp_path}:.", "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PATH": ""}
    said = [subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True) for _ in range(2)]
    assert [run.stdout.split() for run in said] == [["7", "0"], ["7", "1"]], said[1].stderr
