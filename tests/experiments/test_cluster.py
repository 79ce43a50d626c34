"""Sweeps on a Dask cluster give what they give here, and a missing scheduler is said in a sentence."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RATES = [
    sys.executable,
    "-m",
    "experiments.win_rates",
    "--levels",
    "beginner",
    "--rules",
    "safe",
    "--policies",
    "safest",
]


def run(*arguments):
    return subprocess.run([*RATES, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def outcomes(folder):
    lines = (folder / "runs.jsonl").read_text().splitlines()
    return {r["job"]["start"]: (r["won"], r["guesses"]) for r in map(json.loads, lines)}


@pytest.mark.slow
def test_win_rates_on_a_cluster_of_two_workers_are_those_of_this_machine(tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        done = run(
            "--games", "200", "--block", "50", "--scheduler", cluster.scheduler_address, "--output", tmp_path / "a"
        )
    assert done.returncode == 0, done.stderr
    run("--games", "200", "--block", "100", "--workers", "1", "--output", tmp_path / "b")
    there, here = outcomes(tmp_path / "a"), outcomes(tmp_path / "b")
    assert len(there) == 4
    assert len(here) == 2
    assert [sum(x) for x in zip(*there.values(), strict=True)] == [sum(x) for x in zip(*here.values(), strict=True)]


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_an_error_of_one_sentence(tmp_path):
    pytest.importorskip("distributed")
    done = run("--games", "10", "--scheduler", "tcp://127.0.0.1:9", "--output", tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].startswith("win_rates: no Dask scheduler answers at tcp://127.0.0.1:9")
    assert "Traceback" not in done.stderr
