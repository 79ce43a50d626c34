"""Sweeps on a Dask cluster give what they give here, and a missing scheduler is said in a sentence."""

import json
import subprocess
import sys
import time
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from experiments import sweeps

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


@pytest.mark.ci
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


@pytest.mark.ci
def test_a_scheduler_that_does_not_answer_is_an_error_of_one_sentence(tmp_path):
    pytest.importorskip("distributed")
    done = run("--games", "10", "--scheduler", "tcp://127.0.0.1:9", "--output", tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].startswith("win_rates: no Dask scheduler answers at tcp://127.0.0.1:9")
    assert "Traceback" not in done.stderr


@pytest.mark.ci
def test_a_scheduler_killed_in_mid_sweep_is_one_sentence_and_the_same_command_goes_on(tmp_path):
    pytest.importorskip("distributed")
    file, folder = tmp_path / "scheduler.json", tmp_path / "out"
    here = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    scheduler = start("distributed.cli.dask_scheduler", *here, "--scheduler-file", file)
    worker = start("distributed.cli.dask_worker", "--scheduler-file", file, "--nthreads", "1", "--no-dashboard")
    try:
        wait_for(file.exists)
        address = json.loads(file.read_text())["address"]
        games = ["--games", "60", "--block", "20", "--output", folder]
        sweep = subprocess.Popen([*RATES, *games, "--scheduler", address], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: (folder / "runs.jsonl").exists() and (folder / "runs.jsonl").read_text())
        scheduler.kill()
        _, said = sweep.communicate(timeout=60)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    assert sweep.returncode == 2
    assert "Traceback" not in said
    assert "is gone; " in said.splitlines()[-1]
    assert "of 3 results; the same command goes on" in said.splitlines()[-1]
    run(*games)
    assert len(outcomes(folder)) == 3


def start(module, *arguments):
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(condition):
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it takes too long")


def test_what_a_cluster_says_of_itself():
    missing = RuntimeError("deserialization")
    missing.__cause__ = ModuleNotFoundError("No module named 'experiments'", name="experiments")
    assert "cannot import experiments: start its scheduler and its workers in this folder" in sweeps.cluster_trouble(
        missing
    )
    assert sweeps.cluster_trouble(CancelledError()) == "is gone"
    assert "at which its workers ended" in sweeps.cluster_trouble(type("KilledWorker", (Exception,), {})())
    assert sweeps.cluster_trouble(ValueError("of a job")) == ""
