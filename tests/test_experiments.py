"""The harness of the experiments, and table 1 in its smallest size."""

import json
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from experiments import harness, peers, sweeps, table1
from mines_dd import plot

ROOT = Path(__file__).parent.parent
GIB = 2**30


def work(job):
    """A worker that does as the job says."""
    if job["do"] == "sleep":
        time.sleep(60)
    if job["do"] == "eat":
        return {"x": len(bytearray(64 * GIB))}
    if job["do"] == "raise":
        raise ValueError("no such thing")
    if job["do"] == "die":
        import os

        os.kill(os.getpid(), 9)
    return {"x": job["x"]}


@pytest.fixture(autouse=True)
def _workers_find_this_module(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'tests'}")


def sweep(jobs, path, **options):
    return sweeps.sweep(work, jobs, path, **{"timeout": 30, "memory": 8 * GIB, **options})


def test_results_come_in_the_order_of_the_jobs_and_are_kept(tmp_path):
    path = tmp_path / "runs.jsonl"
    jobs = [{"do": "return", "x": i} for i in range(3)]
    results = sweep(jobs, path, workers=2)
    assert [r["x"] for r in results] == [0, 1, 2]
    before = path.read_text()
    assert sweep(jobs, path) == results
    assert path.read_text() == before


def test_a_torn_line_is_cut_off_and_its_job_run_again(tmp_path):
    path = tmp_path / "runs.jsonl"
    jobs = [{"do": "return", "x": i} for i in range(2)]
    sweep(jobs, path)
    path.write_text(path.read_text()[:-7])
    assert [r["x"] for r in sweep(jobs, path)] == [0, 1]
    assert [json.loads(line)["x"] for line in path.read_text().splitlines()] == [0, 1]


def test_a_run_that_fails_harms_no_other(tmp_path):
    jobs = [{"do": what, "x": 1} for what in ("sleep", "eat", "raise", "die", "return")]
    results = sweep(jobs, tmp_path / "runs.jsonl", timeout=5, workers=2)
    assert [r["status"] for r in results] == ["timeout", "memory", "failed", "failed", "done"]
    assert "no such thing" in results[2]["message"]
    assert "SIGKILL" in results[3]["message"]


def test_two_runs_on_one_file_are_refused(tmp_path):
    path = tmp_path / "runs.jsonl"
    with sweeps._locked(path), pytest.raises(OSError, match="another run"):
        sweep([{"do": "return", "x": 1}], path)


def test_table1_prints_its_table_and_saves_table_and_plot(tmp_path):
    pytest.importorskip("matplotlib")
    options = [
        "--size",
        "6",
        "--instances",
        "1",
        "--methods",
        "dc",
        "--workers",
        "2",
        "--output",
        str(tmp_path),
    ]
    command = [sys.executable, "-m", "experiments.table1", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("auto") == 9
    assert "290.3275" in done.stdout  # the paper's, beside
    assert {p.name for p in tmp_path.iterdir()} == {"runs.jsonl", "table.txt", "table1.png"}
    assert (tmp_path / "table1.png").read_bytes().startswith(b"\x89PNG")


def test_the_papers_means_lie_between_its_extremes():
    assert len(table1.PAPER) == 27
    assert all(low <= mean <= high for mean, low, high in table1.PAPER.values())


def test_table1_says_how_large_the_boards_are_ours_and_the_papers(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(harness, "sweep", lambda worker, jobs, *_, **__: [])
    monkeypatch.setattr(table1, "plot", lambda *_: None)
    for number, ours in ((1, "6x6, 1 board a setting"), (2, "6x6, 2 boards a setting")):
        table1.main(["--size", "6", "--instances", str(number), "--output", str(tmp_path)], standalone_mode=False)
        head = capsys.readouterr().out.splitlines()[:2]
        assert ours in head[0]
        assert head[1].startswith("paper: its ten boards")
        assert "30x30" in head[1]


WITHOUT_MATPLOTLIB = """
import runpy, sys
sys.modules["matplotlib"] = None
runpy.run_module("experiments.figures", run_name="__main__", alter_sys=True)
"""


def test_without_matplotlib_an_experiment_prints_and_keeps_its_table_and_says_what_to_install(tmp_path):
    command = [sys.executable, "-c", WITHOUT_MATPLOTLIB, "--output", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 2
    assert done.stderr.endswith(f": {plot.NO_MATPLOTLIB}\n")
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("Published beside ours")
    assert done.stdout.startswith((tmp_path / "table.txt").read_text().rstrip())


@pytest.mark.parametrize(
    ("experiment", "options"),
    [
        ("table1", ["--methods", "dc,foo"]),
        ("table1", ["--orders", "foo"]),
        ("ordering", ["--methods", "foo"]),
        ("ordering", ["--orders", "row,foo"]),
        ("online", ["--methods", "foo"]),
        ("limits", ["--commands", "count dc;foo"]),
        ("limits", ["--boards", "foo"]),
        ("peers", ["--peers", "ours: dc;foo"]),
        ("faults", ["--sweeps", "foo"]),
    ],
)
def test_a_misspelt_name_is_refused_before_anything_is_run(experiment, options, tmp_path, monkeypatch, capsys):
    main = import_module(f"experiments.{experiment}").main
    monkeypatch.setattr(harness, "sweep", lambda *_, **__: pytest.fail("it began"))
    with pytest.raises(SystemExit) as ended:
        harness.command(lambda: main([*options, "--output", str(tmp_path / "out")], standalone_mode=False))
    assert ended.value.code == 2
    assert "'foo' is none of " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_names_may_hold_what_is_not_between_them():
    assert harness.chosen("a, b; c", {"a, b": 1, "c": 2}, between=";") == ["a, b", "c"]


@pytest.mark.parametrize("text", ["x", "1,", "", "1,-2", "0", "1,nan", "inf"])
def test_a_list_of_numbers_holds_positive_numbers(text):
    with pytest.raises(click.UsageError, match="number"):
        harness.numbers(text, kind=float)
    assert harness.numbers("1,20") == [1, 20]
    assert harness.numbers("0.5/2", between="/", kind=float) == [0.5, 2.0]
    assert harness.numbers("30/0", between="/", zero=True) == [30, 0]
    with pytest.raises(click.UsageError, match="not a positive number or 0"):
        harness.numbers("30/-1", between="/", zero=True)


@pytest.mark.parametrize("experiment", ["fuzz", "soak", "limits", "topdown", "table1"])
def test_every_experiment_calls_its_folder_output(experiment):
    main = import_module(f"experiments.{experiment}").main
    folder = "tests/failures" if experiment in ("fuzz", "soak") else f"results/{experiment}"
    assert {option.name: option.default for option in main.params}["output"] == Path(folder)


def test_the_help_of_peers_keeps_its_list():
    lines = [line.strip() for line in CliRunner().invoke(peers.main, ["--help"]).output.splitlines()]
    assert [line.split()[1] for line in lines if line.startswith("- ")] == ["d4", "Graphillion", "CUDD", "ms-toollib"]
