"""Hashes of integer keys, for the open-addressing tables that kernels keep.

A table of 2**k slots takes the last k bits of a hash, so every bit of the key has to reach them.  Each function
multiplies by odd constants, which carries a key's low bits upward, and folds the high half back down by
`h ^ (h >> s)`.  The constants are those of known linear congruential and multiplicative generators of 64 bits
(P. L'Ecuyer, "Tables of linear congruential generators of different sizes and good lattice structure", Mathematics of
Computation 68, 1999; D. E. Knuth's MMIX).  Products wrap around at 64 bits.  A negative key is a `numpy.int64`,
not a Python int, where a kernel runs interpreted.

No result depends on these functions: they decide where a table keeps a key, never which number the key gets.

A table of keys below 2**62, -1 for an empty slot, at most half full:

    slot = hash_word(key) & (len(slots) - 1)
    while slots[slot] >= 0 and slots[slot] != key:
        slot = (slot + 1) & (len(slots) - 1)
"""

from __future__ import annotations

import numpy as np

from mines_dd.base.jit import kernel

__all__ = ["hash_pair", "hash_two", "hash_word", "hash_words"]


# Unsigned throughout.  Numba tells LLVM that products of signed numbers do not overflow.  Where LLVM then knows that a
# key is not negative, it shifts zeros into the hash, and elsewhere signs: one key would have two hashes in one program.
_FACTOR_1, _FACTOR_2 = np.uint64(6364136223846793005), np.uint64(2862933555777941757)
_FACTOR_3, _FACTOR_4 = np.uint64(3202034522624059733), np.uint64(1442695040888963407)
_SHIFT_29, _SHIFT_32, _ONE = np.uint64(29), np.uint64(32), np.uint64(1)


@kernel
def hash_word(key):
    """Return a non-negative hash of a 64-bit key."""
    h = np.uint64(key) * _FACTOR_1
    h = (h ^ (h >> _SHIFT_32)) * _FACTOR_3
    return np.int64((h ^ (h >> _SHIFT_29)) >> _ONE)


@kernel
def hash_pair(a, b):
    """Return a non-negative hash of two 64-bit keys; their order matters."""
    h = np.uint64(a) * _FACTOR_1 + np.uint64(b) * _FACTOR_2
    h = (h ^ (h >> _SHIFT_32)) * _FACTOR_3
    return np.int64((h ^ (h >> _SHIFT_29)) >> _ONE)


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
    h = np.uint64(row[0]) * _FACTOR_1
    for w in range(1, words):
        h = ((h ^ (h >> _SHIFT_29)) + np.uint64(row[w]) * _FACTOR_4) * _FACTOR_2
    h = (h ^ (h >> _SHIFT_32)) * _FACTOR_3
    return np.int64((h ^ (h >> _SHIFT_29)) >> _ONE)


@kernel
def hash_two(word_0, word_1):
    """Return a non-negative hash of two 64-bit words.

    The search of a border spends much of its time on hashing: this takes two multiplications, `hash_words` four, each
    of which waits for the one before it.
    """
    h = (np.uint64(word_0) * _FACTOR_1 + np.uint64(word_1)) * _FACTOR_2
    return np.int64((h ^ (h >> _SHIFT_32)) >> _ONE)
