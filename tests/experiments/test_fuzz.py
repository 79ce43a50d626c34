"""Bad input: every parser refuses it with a documented error, in bounds; saved files show any damage."""

import hashlib
import io
import json
import os
import random
import struct
import tracemalloc
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from experiments import fuzz
from mines_dd import Board, MinesError, solve
from mines_dd.board.files import from_mbf, from_mine, read_board_file
from mines_dd.board.replays import from_rawvf
from mines_dd.boardgames.edax_book import EdaxBook
from mines_dd.boardgames.position_graph import read_graph
from mines_dd.constraints.cnf_opb import from_opb
from mines_dd.diagrams import storage
from mines_dd.diagrams.assignments import Assignments

attempt = partial(fuzz.attempt, seconds=60.0)  # kernels may be compiled meanwhile

FAILED = sorted((Path(__file__).parents[1] / "failures").glob("fuzz_*.bin"))
every_parser = pytest.mark.parametrize("name", fuzz.TARGETS)


@pytest.mark.parametrize("path", FAILED, ids=lambda path: path.stem)
def test_an_input_that_failed_once_is_read_or_refused_now(path):
    assert fuzz.replay(path).kind != "fault"


@every_parser
def test_the_valid_inputs_to_begin_with_are_read(name):
    target = fuzz.TARGETS[name]
    for seed in target.seeds():
        # A request has a second, in which a kernel may have to be compiled; the next try goes on from there.
        assert ("read", "") in (attempt(target.read, seed) for _ in range(30))


@every_parser
def test_changed_inputs_are_read_or_refused(name):
    target = fuzz.TARGETS[name]
    seeds = target.seeds()
    for number in range(150):
        data = fuzz.mutated(random.Random(f"test/{number}"), seeds, target.words)
        assert attempt(target.read, data).kind != "fault", data


@pytest.mark.ci
@every_parser
@given(data=st.data())
@settings(max_examples=25)
def test_any_bytes_are_read_or_refused(name, data):
    target = fuzz.TARGETS[name]
    pieces = st.sampled_from([*target.words, *target.seeds()[:1], b"\n", b"0"])
    drawn = data.draw(
        st.one_of(st.binary(max_size=60), st.text(max_size=40).map(str.encode), st.lists(pieces).map(b"".join))
    )
    assert attempt(target.read, drawn).kind != "fault"


# What is announced is not believed


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (from_opb, "* #variable= 1000000000000 #constraint= 0\n"),
        (from_opb, "* #variable= 1000000 #constraint= 0\n"),
        (from_opb, "+1 x1 = " + "9" * 5000 + " ;"),
        (from_mine, "1000000x1000000x3\nHHH\n"),
        (from_mbf, bytes([255, 255, 255, 255])),
        (from_rawvf, "Width: 1000000\nHeight: 1000000\nMines: 1\nBoard:\n0*\nEvents:\n"),
        (Board.parse, '{"board": ["#1#"], "layout": [[1000000, 1000000]]}'),
        (Board.parse, "mines: 1000000000000\n#1#"),
        (EdaxBook.parse, b"XADEKOOB\x04" + bytes(29) + b"\xff\xff\xff\x7f"),
    ],
)
def test_a_claim_of_very_many_cells_is_refused_before_memory_is_taken(read, data):
    tracemalloc.start()
    try:
        with pytest.raises(MinesError):
            read(data)
        assert tracemalloc.get_traced_memory()[1] < 2**21
    finally:
        tracemalloc.stop()


def test_a_path_that_no_file_can_have_is_refused():
    for read in (Board.read, read_board_file, read_graph, EdaxBook.read, Assignments.load):
        with pytest.raises(MinesError, match="cannot read"):
            read("a\0b")


# Saved families


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> bytes:
    return written(Board.parse("#1#"), tmp_path_factory.mktemp("small") / "family.npz")


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> bytes:
    return written(Board.random(30, 30, 0.2, 0.3, 1), tmp_path_factory.mktemp("large") / "family.npz")


def written(board: Board, path: Path) -> bytes:
    solve(board, "tree").save(path)
    return path.read_bytes()


def refuses(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with pytest.raises(MinesError) as caught:
        Assignments.load(path)
    return str(caught.value)


def check_flips(path: Path, data: bytes, bits) -> None:
    path.write_bytes(data)
    with open(path, "r+b", buffering=0) as file:
        for bit in bits:
            at = bit // 8
            os.pwrite(file.fileno(), bytes([data[at] ^ 1 << bit % 8]), at)
            with pytest.raises(MinesError):
                Assignments.load(path)
            os.pwrite(file.fileno(), data[at : at + 1], at)
    assert Assignments.load(path)


@pytest.mark.ci
def test_every_flipped_bit_of_a_saved_family_is_refused(small, tmp_path):
    check_flips(tmp_path / "family.npz", small, range(8 * len(small)))


def test_flipped_bits_of_a_large_saved_family_are_refused(large, tmp_path):
    rng = random.Random(0)
    check_flips(tmp_path / "family.npz", large, [rng.randrange(8 * len(large)) for _ in range(2000)])


@pytest.mark.ci
def test_a_saved_family_that_is_cut_off_anywhere_or_goes_on_is_refused(small, large, tmp_path):
    path = tmp_path / "family.npz"
    for data in (small, large):
        path.write_bytes(data)
        for size in reversed(range(len(data))):
            os.truncate(path, size)
            with pytest.raises(MinesError):
                Assignments.load(path)
    for more in (b"\0", b"\n", small):
        refuses(path, small + more)


def test_a_saved_family_is_an_archive_that_numpy_reads(small):
    with np.load(io.BytesIO(small), allow_pickle=False) as archive:
        assert json.loads(archive["header"].tobytes())["version"] == 2
        assert archive["start"].dtype == np.int64


def sealed(archive: bytes) -> bytes:
    """An archive with the right checksum."""
    body = archive[:-2] + struct.pack("<H", 64)
    return body + hashlib.sha256(body).hexdigest().encode()


def forged(data: bytes, header: object = None, **arrays: np.ndarray) -> bytes:
    """A saved family with another header or other arrays, and the right checksum."""
    with np.load(io.BytesIO(data)) as archive:
        members = {name: archive[name] for name in archive.files} | arrays
    if header is not None:
        members["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    file = io.BytesIO()
    np.savez(file, **members)
    return sealed(file.getvalue())


def header_of(data: bytes) -> dict:
    with np.load(io.BytesIO(data)) as archive:
        return json.loads(archive["header"].tobytes())


def test_a_forged_family_with_the_right_checksum_is_looked_through(small, tmp_path):
    path, header = tmp_path / "family.npz", header_of(small)
    path.write_bytes(forged(small, header))
    assert Assignments.load(path).count() == 2
    assert "format version 3; this program reads version 2" in refuses(path, forged(small, header | {"version": 3}))
    for change in (
        {"format": "another"},
        {"root": 99},
        {"root": -1},
        {"root": True},
        {"root": "2"},
        {"cells": [[0, 0]]},
        {"cells": [[0, 0], [0, 0]]},
        {"cells": [{}, [0, 2]]},
        {"cells": 7},
        {"about": None},
    ):
        refuses(path, forged(small, header | change))
    for missing in header:
        refuses(path, forged(small, {key: value for key, value in header.items() if key != missing}))
    for array in (
        {"left": np.array([5], np.int32)},
        {"left": np.array([-1], np.int32)},
        {"leaf": np.array([9], np.int32)},
        {"left": np.array([1], np.int64)},
        {"left": np.array([[1]], np.int32)},
        {"left": np.array([1.0])},
        {"start": np.array([0, 0, 0, 10**12])},
        {"start": np.array([0, 0, 10**12, 1])},
        {"group_cell": np.array([0, 0], np.int32)},
        {"leaf_taken": np.array([0, -1], np.int32)},
    ):
        refuses(path, forged(small, **array))


def test_nothing_in_a_saved_family_is_unpickled(small, tmp_path):
    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "unpickled"),)

    bomb = np.array([Bomb()], object)
    refuses(tmp_path / "family.npz", forged(small, left=bomb))
    assert not (tmp_path / "unpickled").exists()


def rezipped(data: bytes, member: str, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The archive with another content of one member, and the right checksum."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", method) as new:
        for name in old.namelist():
            new.writestr(name, content if name == member else old.read(name))
    return sealed(file.getvalue())


def npy(count: int) -> bytes:
    head = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({count},), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()


@pytest.mark.ci
def test_a_saved_family_that_announces_more_than_it_holds_is_refused_before_memory_is_taken(small, tmp_path):
    path = tmp_path / "family.npz"
    path.write_bytes(rezipped(small, "left.npy", npy(1) + struct.pack("<i", 1)))
    assert Assignments.load(path).count() == 2
    files = [
        rezipped(small, "left.npy", npy(10**12) + bytes(4)),
        rezipped(small, "left.npy", npy(2**25) + bytes(2**27)),  # all there, shrunk a thousandfold
        rezipped(small, "left.npy", npy(1) + struct.pack("<i", 1), zipfile.ZIP_BZIP2),
    ]
    for data in files:
        tracemalloc.start()
        try:
            refuses(path, data)
            assert tracemalloc.get_traced_memory()[1] < 2**22
        finally:
            tracemalloc.stop()


def test_a_family_saved_twice_is_the_same_file(small, tmp_path):
    family = solve(Board.parse("#1#"), "tree")
    family.save(tmp_path / "family.npz")
    circuit, about = storage.load(tmp_path / "family.npz")
    storage.save(tmp_path / "again.npz", circuit, about)
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "family.npz").read_bytes() == small


# The harness itself


@given(st.binary(max_size=200))
@example(b"")
def test_an_input_is_reduced_to_what_makes_it_fail(data):
    assert fuzz.reduced(b"12" + data + b"34", lambda d: b"1" in d and b"4" in d) in (b"14", b"41")


def test_faults_are_told_from_errors():
    def hang(data: bytes) -> None:
        while True:
            pass

    def refuse(data: bytes) -> None:
        raise MinesError("no")

    assert fuzz.attempt(len, b"") == ("read", "")
    assert fuzz.attempt(refuse, b"").kind == "refused"
    assert fuzz.attempt(lambda data: data[0], b"").where.startswith("IndexError")
    assert fuzz.attempt(hang, b"", seconds=0.05) == ("fault", "takes longer than 0.05 seconds")


PLANTED = """
import os
from experiments.fuzz import TARGETS, Target, serve
def read(data):
    if b"y" in data: {fault}
TARGETS["words"] = Target(read, lambda: [b"abcx"], (b"y",))
"""


@pytest.mark.ci
@pytest.mark.parametrize(
    ("fault", "wrong"),
    [
        ("{}[data]", "KeyError"),
        pytest.param("bytearray(2**40)", "takes too much memory", marks=pytest.mark.slow),
        ("os.abort()", "the process ends with -6"),
    ],
)
def test_a_planted_fault_is_found_saved_and_tried_again(fault, wrong, monkeypatch, tmp_path):
    monkeypatch.setitem(fuzz.BOOT, "random", PLANTED.replace("{fault}", fault))
    tally = fuzz.search("words", "random", seed=0, seconds=20, inputs=200)
    (found,) = tally.findings
    data = tally.findings[found]
    assert found.startswith(wrong)
    assert data == b"y" or (wrong.startswith("the process") and b"y" in data)
    path = fuzz.saved(fuzz.Finding("words", found, data), tmp_path)
    monkeypatch.setitem(fuzz.TARGETS, "words", fuzz.Target(lambda d: {}[d], list))
    assert fuzz.replay(path).where.startswith("KeyError")


@pytest.mark.ci
def test_the_program_tries_a_parser_and_counts():
    run = CliRunner().invoke(fuzz.main, ["--minutes", "1", "--inputs", "300", "--only", "words", "--engine", "random"])
    assert run.exit_code == 0, run.output
    name, inputs, accepted, errors, findings = run.stdout.splitlines()[-1].split()
    assert (name, inputs, findings) == ("words", "300", "0")
    assert 0 < int(accepted) < 300
    assert int(errors) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["atheris", "random"])
@every_parser
def test_thousands_of_inputs_are_read_or_refused(name, engine):
    if engine == "atheris":
        pytest.importorskip("atheris")
    tally = fuzz.search(name, engine, seed=7, seconds=60, inputs=5000)
    assert tally.inputs > 1000
    assert not tally.findings


def test_a_saved_family_that_does_not_say_what_made_it_is_refused(tmp_path):
    family = solve(Board.parse("#1#"))
    path = tmp_path / "family.npz"
    for about in ({}, {"method": "tree"}, {"method": 1, "node_count": 2}, {"method": "tree", "node_count": "many"}):
        storage.save(path, family.circuit, about)
        with pytest.raises(MinesError, match="what made it"):
            Assignments.load(path)
