"""Saved families: what is written is read, and no damaged file is."""

import pytest
from boards import FIGURE_10

from mines_dd import Assignments, MinesError, solve


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
