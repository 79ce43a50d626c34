"""Other programs beside ours: each gives our answer, and what they use is measured and limited."""

import os
import time

import pytest

from experiments import peers

JOB = {"size": 6, "mines": 20, "hints": 40, "seed": 0, "runs": 1, "long": 0, "resident": 4}


@pytest.mark.parametrize("name", [name for name in peers.PEERS if name != "ours: tree"])
def test_a_peer_gives_our_answer(name):
    need = peers.PEERS[name][2]
    if need and not peers.installed(peers.NEEDS[need]):
        pytest.skip(f"{need} is not installed")
    ours = "ours: tree" if peers.PEERS[name][0] == peers.COUNT else "ours: analyse"
    results = [{"job": {**JOB, "peer": peer}, **peers.run({**JOB, "peer": peer})} for peer in (ours, name)]
    results = [{"status": "done", **r} for r in results]
    assert [r["status"] for r in results] == ["done", "done"], results
    assert peers.verdicts(results)[1].startswith("equal")


def test_a_wrong_count_is_pointed_out():
    wrong = [
        {"job": {**JOB, "peer": peer}, "status": "done", "answer": answer, "log10": 1.0}
        for peer, answer in (("ours: tree", "10"), ("d4", "11"))
    ]
    assert peers.verdicts(wrong)[1] == "DIFFERS"


def test_a_peer_that_holds_too_much_memory_is_ended():
    found = peers.run({**JOB, "peer": "ours: tree", "resident": 0.001})
    assert found == {"status": "memory", "message": "more than 0.001 GiB resident"}


def test_resident_memory_counts_what_is_used_not_what_is_reserved():
    import mmap

    before = peers.resident(os.getpid())
    with mmap.mmap(-1, 1 << 28):
        reserved = peers.resident(os.getpid())
    assert reserved - before < 1 << 26


def test_the_time_counted_is_processor_time():
    before = peers.processor()
    time.sleep(0.05)
    assert peers.processor() - before < 0.04


def test_it_refuses_to_start_on_a_busy_machine_if_asked(monkeypatch):
    monkeypatch.setattr(os, "getloadavg", lambda: (99.0, 0.0, 0.0))
    options = {"settings": "30/50", "peers": [], "sizes": [], "seeds": 1, "runs": 1, "long": 1, "resident": 1}
    with pytest.raises(peers.click.UsageError, match="the machine is busy"):
        peers.jobs(peers.Options(**options, idle=True))
    assert peers.jobs(peers.Options(**options, idle=False)) == []


def test_stopped_runs_count_as_longer_than_all_others():
    job = {**JOB, "peer": "ours: tree"}
    ended = {"status": "done", "seconds": 0.5, "wall": 0.5, "mib": 1.0, "answer": "1", "log10": 0.0}
    stopped = [{"job": {**job, "seed": seed}, "status": "timeout", "message": "not done"} for seed in (1, 2)]
    table = peers.summary_table([{"job": job, **ended}, *stopped])
    assert "1 of 3" in table
    assert "stopped" in table
