"""A hash of packed keys, for the open-addressing tables of the compilers' kernels."""

from __future__ import annotations

from mines_dd.base.jit import kernel

__all__ = ["hash_words"]


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
    h = h ^ (h >> 32)
    h = h * 3202034522624059733
    return (h ^ (h >> 29)) & 0x7FFFFFFFFFFFFFFF
