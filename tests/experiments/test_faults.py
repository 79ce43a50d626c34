"""Sweeps killed, interrupted, short of room or started twice: what is written stays, and a sentence says why."""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from worker import sweep

from experiments import faults, harness, win_rates

ROOT = Path(__file__).parents[2]


def start(path, jobs, **options):
    """A sweep in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "worker", str(path), *map(json.dumps, jobs)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(pid):
    with contextlib.suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


def ended(process, code):
    """The last line that a process that ended with this code said on standard error."""
    _, errors = process.communicate(timeout=30)
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    return errors.strip().splitlines()[-1] if errors.strip() else ""


@pytest.fixture(autouse=True)
def _workers_find_their_module(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'tests'}")


def quick(n):
    return [{"do": "return", "x": i} for i in range(n)]


def slow(mark):
    return {"do": "sleep", "x": -1, "mark": str(mark)}


@pytest.mark.ci
def test_after_kill_9_no_run_goes_on_and_the_same_sweep_ends_with_all_results_once(tmp_path):
    path, mark = tmp_path / "runs.jsonl", tmp_path / "mark"
    process = start(path, [*quick(2), slow(mark), *quick(3)[2:]])
    wait_for(lambda: mark.exists() and mark.read_text() and len(lines(path)) == 2)
    before = lines(path)
    process.kill()
    process.communicate(timeout=30)
    wait_for(lambda: not is_alive(int(mark.read_text())))
    with path.open("a") as file:
        file.write(before[0][: len(before[0]) // 2])
    assert ended(start(path, quick(3)), 0) == ""
    assert lines(path)[:2] == before
    assert [json.loads(line)["x"] for line in lines(path)] == [0, 1, 2]


@pytest.mark.ci
@pytest.mark.usefixtures("interrupts")
def test_ctrl_c_keeps_what_is_done_says_how_to_go_on_and_ends_with_130(tmp_path):
    path, mark = tmp_path / "runs.jsonl", tmp_path / "mark"
    sweep([{"do": "return", "x": 9}], path)  # of another sweep: does not count
    process = start(path, [*quick(1), slow(mark)])
    wait_for(lambda: mark.exists() and mark.read_text())
    os.killpg(process.pid, signal.SIGINT)
    said = ended(process, 130)
    assert said == f"stopped; {path} holds 1 of 2 results; the same command goes on"
    assert not is_alive(int(mark.read_text()))
    assert ended(start(path, quick(2)), 0) == ""
    assert [json.loads(line)["x"] for line in lines(path)] == [9, 0, 1]


@pytest.mark.ci
def test_a_full_disk_is_one_sentence_and_keeps_whole_lines(tmp_path):
    path = tmp_path / "runs.jsonl"
    jobs = [{"do": "return", "x": i, "length": 600} for i in range(2)]
    process = start(
        path, [*jobs, *quick(40)], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    )
    started = time.monotonic()
    said = ended(process, 2)
    assert said.startswith(f"worker: cannot write {path}: file too large; what it holds is kept; make room")
    assert time.monotonic() - started < 10  # it does not compute what it cannot keep
    assert path.read_text().endswith("}\n")
    assert [json.loads(line)["x"] for line in lines(path)] == [0]
    sweep(jobs, path)
    assert [json.loads(line)["x"] for line in lines(path)] == [0, 1]


@pytest.mark.ci
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_a_full_file_system_is_one_sentence_and_keeps_whole_lines(tmp_path):
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        path = tmp_path / "runs.jsonl"
        process = start(path, [{"do": "return", "x": i, "length": 3000} for i in range(4)])
        assert "no space left on device; what it holds is kept" in ended(process, 2)
        assert [json.loads(line)["x"] for line in lines(path)] == [0, 1]
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


@pytest.mark.parametrize("folder", ["file/below", "/proc/results", "/dev/null/results"])
def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path, folder):
    (tmp_path / "file").write_text("")
    path = tmp_path / folder / "runs.jsonl"
    with pytest.raises(OSError, match=r"cannot write .*runs.jsonl: .*; choose another --output"):
        sweep(quick(1), path)


@pytest.mark.ci
def test_a_run_killed_from_outside_is_tried_once_more_and_others_are_kept(tmp_path):
    jobs = [{"do": "die once", "x": 5, "mark": str(tmp_path / "mark")}, *quick(2)]
    results = sweep(jobs, tmp_path / "runs.jsonl", workers=2)
    assert [(r["status"], r["x"]) for r in results] == [("done", 5), ("done", 0), ("done", 1)]
    assert len(lines(tmp_path / "runs.jsonl")) == 3


def test_a_run_that_ends_without_a_result_has_failed(tmp_path):
    results = sweep([{"do": "say nothing"}, *quick(1)], tmp_path / "runs.jsonl")
    assert [r["status"] for r in results] == ["failed", "done"]
    assert results[0]["message"] == "ended without a result"


@pytest.mark.ci
def test_a_run_that_takes_too_long_ends_with_all_that_it_started(tmp_path):
    started = time.monotonic()
    results = sweep([{"do": "leave a child"}], tmp_path / "runs.jsonl", timeout=2)
    assert results[0]["status"] == "timeout"
    assert time.monotonic() - started < 10


@pytest.mark.ci
@pytest.mark.usefixtures("interrupts")
def test_a_second_sweep_on_the_same_file_is_refused_in_one_sentence(tmp_path):
    path, mark = tmp_path / "runs.jsonl", tmp_path / "mark"
    first = start(path, [*quick(1), slow(mark)])
    wait_for(lambda: mark.exists())
    said = ended(start(path, quick(2)), 2)
    assert said == f"worker: another run is writing {path}; wait for it, or choose another --output"
    os.killpg(first.pid, signal.SIGINT)
    ended(first, 130)
    assert [json.loads(line)["x"] for line in lines(path)] == [0]


def test_a_job_named_twice_runs_once(tmp_path):
    assert [r["x"] for r in sweep([*quick(2), *quick(1)], tmp_path / "runs.jsonl")] == [0, 1, 0]
    assert len(lines(tmp_path / "runs.jsonl")) == 2


@pytest.mark.ci
@pytest.mark.parametrize(
    "line", [b"{not json}", b'{"x": 1}', b"[]", b"\0\0\0", b"\xff\xfe", b"[" * 100_000], ids=range(6)
)
def test_a_damaged_line_is_named_and_nothing_is_thrown_away(tmp_path, line):
    path = tmp_path / "runs.jsonl"
    sweep(quick(1), path)
    with path.open("ab") as file:
        file.write(line + b"\n")
    before = path.read_bytes()
    with pytest.raises(OSError, match=r"line 2 of .*runs.jsonl is no result; delete that line"):
        sweep(quick(2), path)
    assert path.read_bytes() == before


RATES = {"levels": "beginner-8x8", "rules": "safe", "policies": "safest", "games": "2"}


def rates(folder, **changed):
    """Options of `experiments.win_rates`, and a folder that holds all its results, so that nothing has to run."""
    kinds = {name: [RATES[name]] for name in ("levels", "rules", "policies")}
    job = win_rates.jobs(harness.Options(**kinds, games=2, block=10_000, seed=1, fresh=False))[0]
    line = {"job": job, "status": "done", "won": 1, "games": 2, "guesses": 1, "seconds": 0.1, **changed}
    line = {name: value for name, value in line.items() if value is not None}
    (folder / "runs.jsonl").write_text(json.dumps(line) + "\n")
    return [part for name, value in {**RATES, "output": str(folder)}.items() for part in (f"--{name}", value)]


@pytest.mark.parametrize("wrong", [{"won": 999}, {"won": None}, {"won": "2"}])
def test_a_whole_line_that_says_something_impossible_is_one_sentence(tmp_path, wrong):
    with pytest.raises(OSError, match=r"the report cannot use .*runs\.jsonl: .*; if a line there was changed"):
        win_rates.main.main(rates(tmp_path, **wrong), standalone_mode=False)


def test_a_report_on_values_of_another_kind_is_one_sentence():
    record = {"seconds": None}
    with pytest.raises(OSError, match=r"the report cannot use runs\.jsonl: AttributeError: .*; if a line there was"):
        list(harness._of_results((record[key].get("dc") for key in record), Path("runs.jsonl")))


@pytest.mark.ci
def test_full_output_is_one_sentence_too(tmp_path):
    command = [sys.executable, "-m", "experiments.win_rates", *rates(tmp_path)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "win_rates: output: no space left on device"
    assert (tmp_path / "table.txt").exists()


def test_the_campaign_notices_lost_doubled_and_different_results(tmp_path):
    one = faults.SWEEPS["table1"]
    line = json.dumps({"job": {"a": 1}, "status": "done", "count": "3", "seconds": 0.5})
    assert one.untimed(line) == one.untimed(line.replace("0.5", "0.6"))
    assert one.untimed(line) != one.untimed(line.replace('"3"', '"4"'))
    path = tmp_path / "runs.jsonl"
    path.write_text(f"{line}\n{line[:20]}")
    assert faults.whole_lines(path) == [line]
    assert faults.Tally(lost=1, unequal=2).faults == 3


@pytest.mark.slow
def test_no_kill_loses_doubles_or_changes_a_result(tmp_path):
    command = [sys.executable, "-m", "experiments.faults", "--kills", "12", "--seed", "7", "--output", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
