"""Other programs beside ours: each gives our answer, and what they use is measured and limited."""

import os
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments import adapters, peers
from experiments.memory import MIB, forked, grown, resident
from experiments.products import places, vtree
from mines_dd import Board, solve
from mines_dd.constraints.graph import Instance

JOB = {"size": 6, "mines": 20, "hints": 40, "seed": 0, "runs": 1, "long": 0, "resident": 4}


@pytest.mark.parametrize("name", [name for name in adapters.PEERS if name != "ours: tree"])
def test_a_peer_gives_our_answer(name):
    need = adapters.PEERS[name].needs
    if need and not adapters.installed(adapters.NEEDS[need]):
        pytest.skip(f"{need} is not installed")
    ours = "ours: tree" if adapters.PEERS[name].job == adapters.COUNT else "ours: analyse"
    results = [{"job": {**JOB, "peer": peer}, **peers.run({**JOB, "peer": peer})} for peer in (ours, name)]
    results = [{"status": "done", **r} for r in results]
    assert [r["status"] for r in results] == ["done", "done"], results
    assert peers.verdicts(results)[1].startswith("equal")


def test_a_program_is_given_what_our_reduction_leaves_if_it_is_called_reduced():
    board = Board.random(30, 30, 0.3, 0.5, 0)
    cells = [len(given[0].cells) for given in (asked_for(board, is_reduced) for is_reduced in (False, True))]
    assert cells[0] == len(Instance.of(board).cells) > cells[1]


def asked_for(board, is_reduced):
    """What a program in our order is called with."""
    asked = []
    count = adapters.counts(lambda *given: asked.append(given), None, ordered=True, is_reduced=is_reduced)
    count.answer(board)
    [(instance, order)] = asked
    assert sorted(order.tolist()) == list(range(len(instance.cells)))
    return instance, order


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

    before = resident(os.getpid())
    with mmap.mmap(-1, 1 << 28):
        reserved = resident(os.getpid())
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
    ended = {"status": "done", "seconds": 0.5, "wall": 0.5, "mib": 1.0, "nodes": 7, "cold": False}
    ended |= {"answer": "1", "log10": 0.0}
    stopped = [{"job": {**job, "seed": seed}, "status": "timeout", "message": "not done"} for seed in (1, 2)]
    table = peers.summary_table([{"job": job, **ended}, *stopped])
    assert "1 of 3" in table
    assert "stopped" in table


def test_a_first_run_that_takes_long_counts_alone():
    job = {**JOB, "runs": 3, "long": 5}
    assert not peers.goes_on([6.0], job)
    assert peers.goes_on([4.9], job)  # a warm one at least
    assert peers.goes_on([1.0, 1.0, 1.0], job)
    assert not peers.goes_on([1.0, 1.0, 1.0, 1.0], job)
    assert not peers.goes_on([3.0, 3.0], job)
    ended = {"status": "done", "seconds": 9.0, "wall": 9.0, "mib": 1.0, "nodes": None, "cold": True}
    one = {"job": {**job, "peer": "d4"}, **ended, "answer": "1", "log10": 0.0}
    assert "1 of 1, 1 cold" in peers.summary_table([one])


def test_memory_is_what_the_work_took_whatever_was_held_before():
    held = bytes(range(256)) * (1 << 16)
    for size in (40, 80):  # so much is always asked of the system, never of what the C library has kept
        out, most = forked(lambda size=size: grown(lambda: len(b"x" * (size << 20))))
        assert out == size << 20
        assert size - 1 <= most / MIB < size + 8
    assert forked(lambda: 1 / 0) is None
    assert len(held) == 1 << 24


# The tree of products


def splitting(circuit, found, i):
    """The cells below a place, those that never have a mine left out."""
    own = set() if found[i].group is None else set(circuit.groups[found[i].group])
    return own.union(*(splitting(circuit, found, part) for part in found[i].parts))


@pytest.mark.ci
@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([0.2, 0.35]), st.sampled_from([0.3, 0.5]))
def test_the_nodes_of_a_place_are_the_classes_of_partial_assignments_with_equal_completions(seed, mines, hints):
    family = solve(Board.random(4, 4, mines, hints, seed), "tree", simplify=False)
    every = [frozenset(family.cells.index(cell) for cell in mines) for mines in family]
    circuit = family.circuit
    found = places(circuit)
    for i, place in enumerate(found):
        below = splitting(circuit, found, i)
        completions = {}
        for assignment in every:
            completions.setdefault(assignment & below, set()).add(assignment - below)
        assert len(place.nodes) == len({frozenset(others) for others in completions.values()})


def test_tididi_has_the_nodes_of_our_circuit_on_the_same_tree():
    pytest.importorskip("tididi")
    for seed in range(4):
        board = Board.random(9, 9, 0.3, 0.4, seed)
        theirs, ours = adapters.PEERS["tididi, our tree"].answer(board), adapters.unreduced_count(board)
        assert theirs.answer == ours.answer
        assert theirs.nodes() == ours.nodes() > 20


def test_the_tree_for_other_programs_has_every_cell_once():
    circuit = solve(Board.random(7, 7, 0.3, 0.4, 1), "tree", simplify=False).circuit
    tree, _ = vtree(circuit, lambda left, right: left + right, lambda variable: [variable])
    assert sorted(tree) == list(range(1, len(circuit.cells) + 1))
