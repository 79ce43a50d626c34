"""A hash of packed keys, for the open-addressing tables of kernels."""

from __future__ import annotations

from mines_dd.base.jit import kernel

__all__ = ["hash_two", "hash_words"]


@kernel
def hash_words(row, words):
    """Return a non-negative hash of the first `words` 64-bit words of a row."""
    h = row[0] * 6364136223846793005
    for w in range(1, words):
        h = (h ^ (h >> 29)) + row[w] * 1442695040888963407
        h = h * 2862933555777941757
    h = h ^ (h >> 32)
    h = h * 3202034522624059733
    return (h ^ (h >> 29)) & 0x7FFFFFFFFFFFFFFF


@kernel
def hash_two(word_0, word_1):
    """Return a hash of two 64-bit words, which may be negative.

    The search of a border spends much of its time on hashing: this takes two multiplications, `hash_words` four, each
    of which waits for the one before it.
    """
    h = (word_0 * 0x9E3779B97F4A7C1 + word_1) * 0x2545F4914F6CDD1D
    return h ^ (h >> 32)
