"""Hashes: the same interpreted and compiled, and few collisions for keys as they occur."""

import numpy as np
import pytest

from mines_dd.base.hashing import hash_pair, hash_two, hash_word, hash_words
from mines_dd.base.jit import kernel

N = 1 << 12
RNG = np.random.default_rng(1)
FIELDS = np.unique((RNG.integers(0, 4, (N, 15)) << (4 * np.arange(15))).sum(axis=1))
KEYS = {
    "consecutive": np.arange(N),
    "high bits alone": np.arange(N) << 40,
    "bit fields": FIELDS,
    "negative": -np.arange(N),
    "random": RNG.integers(-(2**62), 2**62, N),
}


def mean_probes(hashes: np.ndarray) -> float:
    """How many slots a key takes to find its place, in a table that ends up half full."""
    mask = (1 << (2 * len(hashes) - 1).bit_length()) - 1
    slots, probes = np.zeros(mask + 1, np.bool_), 0
    for h in hashes.tolist():
        slot = h & mask
        probes += 1
        while slots[slot]:
            slot = (slot + 1) & mask
            probes += 1
        slots[slot] = True
    return probes / len(hashes)


@pytest.mark.parametrize("name", KEYS)
def test_keys_spread_over_the_slots(name):
    keys = KEYS[name]
    with np.errstate(over="ignore"):
        hashes = [
            hash_word(keys),
            hash_words(keys[None], 1),
            hash_words(np.array([keys, keys // 3]), 2),
            hash_pair(keys, keys + 1),
            hash_pair(keys // 64, keys % 64),
        ]
    for found in hashes:
        assert found.min() >= 0
        # 1.5 for random places
        assert mean_probes(found) < 1.65


def test_the_order_of_a_pair_matters():
    with np.errstate(over="ignore"):
        pairs = np.array([hash_pair(np.int64(a), np.int64(b)) for a in range(64) for b in range(64)])
    assert len(set(pairs.tolist())) == 64 * 64


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_interpreted_and_compiled_hashes_are_the_same(monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    rows = RNG.integers(-(2**62), 2**62, (20, 3))
    for row in rows:
        with np.errstate(over="ignore"):
            plain = [hash_word(row[0]), hash_pair(row[0], row[1]), hash_words(row, 3)]
        assert plain == [hash_word.run(0, row[0]), hash_pair.run(0, row[0], row[1]), hash_words.run(0, row, 3)]


@kernel
def _place(slots, key):
    slot = hash_word(key) & (len(slots) - 1)
    while slots[slot] >= 0 and slots[slot] != key:
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@kernel
def _refilled(slots):
    longer = np.zeros(2 * len(slots), np.int64)
    for slot in range(len(longer)):
        longer[slot] = -1
    for slot in range(len(slots)):
        if slots[slot] >= 0:  # from here on a compiler knows that the key is not negative
            longer[_place(longer, slots[slot])] = slots[slot]
    return longer


@pytest.mark.ci
def test_a_key_is_found_again_after_a_table_was_refilled(monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    keys = [*range(1, 200), *RNG.integers(0, 2**62, 800).tolist()]
    slots = np.full(2048, -1)
    for key in keys:
        slots[_place.run(0, slots, key)] = key
    longer = _refilled.run(0, slots)
    assert all(longer[_place.run(0, longer, key)] == key for key in keys)


@pytest.mark.usefixtures("interpreted_unless_asked")
def test_two_words_hash_the_same_interpreted_and_compiled(monkeypatch):
    monkeypatch.setenv("MINES_DD_JIT", "always")
    for a, b in RNG.integers(-(2**62), 2**62, (20, 2)):
        with np.errstate(over="ignore"):
            plain = hash_two(a, b)
        assert plain == hash_two.run(0, a, b) >= 0
