"""Hashes of integer keys, for the open-addressing tables that kernels keep.

A table of 2**k slots takes the last k bits of a hash, so every bit of the key has to reach them.  Each function
multiplies by odd constants, which carries a key's low bits upward, and folds the high half back down by
`h ^ (h >> s)`.  The constants are multipliers of known linear congruential and multiplicative generators of 64 bits
(P. L'Ecuyer, "Tables of linear congruential generators of different sizes and good lattice structure", Mathematics of
Computation 68, 1999; D. E. Knuth's MMIX).  Multiplication wraps around at 64 bits, so the keys are `numpy.int64`
where a kernel runs interpreted; a Python int would not wrap.

No result depends on these functions: they decide where a table keeps a key, never which number the key gets.

A table of keys below 2**62, -1 for an empty slot, at most half full:

    slot = hash_word(key) & (len(slots) - 1)
    while slots[slot] >= 0 and slots[slot] != key:
        slot = (slot + 1) & (len(slots) - 1)
"""

from __future__ import annotations

from mines_dd.base.jit import kernel

__all__ = ["hash_pair", "hash_two", "hash_word", "hash_words"]


@kernel
def hash_word(key):
    """Return a non-negative hash of a 64-bit key."""
    h = key * 6364136223846793005
    h = (h ^ (h >> 32)) * 3202034522624059733
    return (h ^ (h >> 29)) & 0x7FFFFFFFFFFFFFFF


@kernel
def hash_pair(a, b):
    """Return a non-negative hash of two 64-bit keys; their order matters."""
    h = a * 6364136223846793005 + b * 2862933555777941757
    h = (h ^ (h >> 32)) * 3202034522624059733
    return (h ^ (h >> 29)) & 0x7FFFFFFFFFFFFFFF


@kernel
def hash_words(row, words):
    """Return a non-negative hash of the first `words` 64-bit words of a row.

    Multiplications spread each word over the higher bits, and shifts fold those down again, as in the finalizer of
    MurmurHash3.

    Examples
    --------
    >>> import numpy as np
    >>> bool(hash_words.run(1, np.array([3, 5]), 2) == hash_words.run(1, np.array([3, 5, 7]), 2))
    True
    """
    h = row[0] * 6364136223846793005
    for w in range(1, words):
        h = (h ^ (h >> 29)) + row[w] * 1442695040888963407
        h = h * 2862933555777941757
    h = (h ^ (h >> 32)) * 3202034522624059733
    return (h ^ (h >> 29)) & 0x7FFFFFFFFFFFFFFF


@kernel
def hash_two(word_0, word_1):
    """Return a hash of two 64-bit words, which may be negative.

    The search of a border spends much of its time on hashing: this takes two multiplications, `hash_words` four, each
    of which waits for the one before it.
    """
    h = (word_0 * 0x9E3779B97F4A7C1 + word_1) * 0x2545F4914F6CDD1D
    return h ^ (h >> 32)
