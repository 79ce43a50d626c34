"""Changes of an input, at random: bits, bytes, cuts, repetitions, splices, words of the format, numbers made large."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

__all__ = ["LARGEST", "NUMBERS", "mutated"]

LARGEST = 2**16
"""Bytes of an input."""

_NUMBER = re.compile(rb"-?[0-9]+")
NUMBERS = [b"%d" % n for n in (0, -1, 1, 9, 255, 256, 65536, 2**31 - 1, 2**31, 2**32, 2**63, 2**64, 10**12, 10**18)]
NUMBERS += [b"9" * 4301, b"1.5", b"1e9", b"007", "²".encode(), "٣".encode()]
"""Numbers near the limits of types, and some that few programs read."""


def mutated(rng: random.Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Return one of the seeds after a few changes."""
    data = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 2, 3, 5))):
        data = rng.choice(_CHANGES)(rng, data, seeds, words)
    return data[:LARGEST]


def _flip(rng: random.Random, data: bytes, *_: object) -> bytes:
    at = rng.randrange(len(data) or 1)
    return data[:at] + bytes(byte ^ 1 << rng.randrange(8) for byte in data[at : at + 1]) + data[at + 1 :]


def _overwrite(rng: random.Random, data: bytes, *_: object) -> bytes:
    at, size = rng.randrange(len(data) + 1), rng.choice((1, 1, 2, 4, 8))
    new = rng.choice((b"\xff" * size, bytes(size), rng.randbytes(size)))
    return data[:at] + new + data[at + size :]


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    """A part, mostly short."""
    at = rng.randrange(len(data) + 1)
    return at, min(len(data), at + rng.choice((1, 2, 4, rng.randrange(len(data) + 1))))


def _cut(rng: random.Random, data: bytes, *_: object) -> bytes:
    begin, end = _span(rng, data)
    return data[:begin] if rng.random() < 0.2 else data[:begin] + data[end:]


def _repeat(rng: random.Random, data: bytes, *_: object) -> bytes:
    begin, end = _span(rng, data)
    part = data[begin:end]
    times = min(rng.choice((1, 1, 1, 2, 10, 1000)), LARGEST // (len(part) or 1))
    return data[:begin] + part * times + data[begin:]


def _insert(rng: random.Random, data: bytes, _: object, words: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data) + 1)
    new = rng.choice(words) if words and rng.random() < 0.8 else rng.randbytes(rng.choice((1, 1, 4)))
    return data[:at] + new + data[at + (len(new) if rng.random() < 0.3 else 0) :]


def _splice(rng: random.Random, data: bytes, seeds: Sequence[bytes], _: object) -> bytes:
    begin, end = _span(rng, other := rng.choice(seeds))
    at = rng.randrange(len(data) + 1)
    return data[:at] + other[begin:] if rng.random() < 0.5 else data[:at] + other[begin:end] + data[at:]


def _renumber(rng: random.Random, data: bytes, *_: object) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    begin, end = rng.choice(found).span()
    near = b"%d" % (int(data[begin:end][:18]) + rng.choice((-1, 1)))
    return data[:begin] + rng.choice((near, rng.choice(NUMBERS))) + data[end:]


_CHANGES = (_flip, _overwrite, _cut, _repeat, _insert, _insert, _splice, _renumber, _renumber)
