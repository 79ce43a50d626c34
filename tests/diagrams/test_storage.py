"""Saved families: what is written is read, and no damaged file is."""

import os
import threading
from dataclasses import replace

import numpy as np
import pytest
from boards import FIGURE_10

from mines_dd import Assignments, Board, BudgetExceededError, MinesError, solve
from mines_dd.diagrams import storage


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "family.npz"
    solve(FIGURE_10).save(path)
    whole = path.read_bytes()
    for position in range(0, len(whole), 37):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0x55]) + whole[position + 1 :])
        with pytest.raises(MinesError):
            Assignments.load(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(MinesError):
        Assignments.load(path)
    path.write_text("not a family")
    with pytest.raises(MinesError, match="not a saved family"):
        Assignments.load(path)
    with pytest.raises(MinesError, match="cannot read"):
        Assignments.load(tmp_path / "missing.npz")
    os.truncate(path, 2**43)  # of which nothing is read, whether it begins like a family or not
    with pytest.raises(MinesError, match="not a saved family"):
        Assignments.load(path)
    path.write_bytes(whole)
    os.truncate(path, 2**43)
    with pytest.raises(BudgetExceededError, match="GiB more memory"):
        Assignments.load(path)


def test_two_threads_may_save_to_one_file(tmp_path, monkeypatch):
    family, path, replace_now = solve(FIGURE_10), tmp_path / "family.npz", os.replace

    def after_another(*names):
        monkeypatch.setattr(os, "replace", replace_now)
        other = threading.Thread(target=family.save, args=(path,))
        other.start()
        other.join()
        replace_now(*names)

    monkeypatch.setattr(os, "replace", after_another)
    family.save(path)
    assert Assignments.load(path).count() == 66
    assert os.listdir(tmp_path) == ["family.npz"]


def test_what_has_no_end_is_not_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero", tmp_path):
        with pytest.raises(MinesError, match="is no file with a saved family"):
            storage.load(path)


def test_a_leaf_that_takes_more_than_its_group_holds_is_refused(tmp_path):
    circuit = solve(Board.parse("#1#")).circuit
    wrong = replace(circuit, leaf_taken=np.where(circuit.leaf_taken == 1, 3, circuit.leaf_taken))
    storage.save(tmp_path / "wrong", wrong, {})
    with pytest.raises(MinesError, match="describes no circuit"):
        storage.load(tmp_path / "wrong")


@pytest.mark.parametrize("terms", [1, 2])
@pytest.mark.parametrize("squared", [3, 70, 1200])
def test_a_node_that_counts_more_than_its_cells_allow_is_refused(tmp_path, squared, terms):
    """The first node has a mine in the one cell, or none as well; each other is the square of the one before it."""
    before = np.arange(1, squared + 2, dtype=np.int32)
    factor = np.concatenate([np.ones(terms - 1, np.int32), before])
    forged = replace(
        solve(Board.parse("#1")).circuit,
        start=np.concatenate([np.zeros(3, np.int64), np.arange(squared + 1) + terms]),
        left=factor,
        right=factor,
        leaf=(np.arange(len(factor)) == terms - 1).astype(np.int32),
        root=squared + 2,
    )
    storage.save(tmp_path / "forged", forged, {})
    with pytest.raises(MinesError, match="not a saved family"):
        storage.load(tmp_path / "forged")


def test_a_node_that_is_walked_through_without_end_is_refused(tmp_path):
    """The first node has nothing at all, and each other is the square of the one before it: one set, without a mine."""
    factor = np.concatenate([[1], np.arange(1, 40)]).astype(np.int32)
    forged = replace(
        solve(Board.parse("#1")).circuit,
        start=np.concatenate([np.zeros(2, np.int64), np.arange(len(factor) + 1)]),
        left=factor,
        right=factor,
        leaf=np.zeros(len(factor), np.int32),
        root=len(factor) + 1,
    )
    storage.save(tmp_path / "forged", forged, {})
    with pytest.raises(MinesError, match="not a saved family"):
        storage.load(tmp_path / "forged")
