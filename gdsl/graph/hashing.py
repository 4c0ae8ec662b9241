"""Integer hashes and permutations: counter-based, so that every machine gives the same graphs and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1


def mixed(words: Words) -> Words:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014) on each word; changes `words` and returns it."""
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


def mixed_integer(word: int) -> int:
    """`mixed` of one Python integer modulo 2**64."""
    return int(mixed(np.array([word & _MASK], dtype=np.uint64))[0])


def random_words(seed: int, stream: int, counters: Words) -> Words:
    """uint64, one hash for each counter: SplitMix64 whose start the seed and the number of the stream give."""
    start = mixed_integer(mixed_integer(seed + _GOLDEN) + stream * _GOLDEN)
    return mixed(counters * np.uint64(_GOLDEN) + np.uint64(start))


def permuted(values: Words, bits: int, seed: int) -> Words:
    """A bijection of 0 … 2**bits - 1 that the seed chooses: rounds of odd multiplication, addition, shifted xor."""
    mask = np.uint64((1 << bits) - 1)
    shift = np.uint64(max(1, (bits + 1) // 2))
    values = values.copy()
    for turn in range(4):
        values *= np.uint64(mixed_integer(seed + 2 * turn * _GOLDEN) | 1)
        values += np.uint64(mixed_integer(seed + (2 * turn + 1) * _GOLDEN))
        values &= mask
        values ^= values >> shift
    return values


def endpoint_weights(sources: NDArray[Any], destinations: NDArray[Any], seed: int, largest: int) -> NDArray[np.int32]:
    """int32, 1 … largest, by a hash of the two ends (in either order) and the seed."""
    low = np.minimum(sources, destinations).astype(np.uint64)
    high = np.maximum(sources, destinations).astype(np.uint64)
    low *= np.uint64(_GOLDEN)
    high *= np.uint64(0xC2B2AE3D27D4EB4F)
    words = low
    words += high
    # Seed 0 adds nothing: the weights that published timings were made with.
    words += np.uint64(seed * 0x165667B19E3779F9 & _MASK)
    words ^= words >> np.uint64(31)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(29)
    words %= np.uint64(largest)
    words += np.uint64(1)
    weights: NDArray[np.int32] = words.astype(np.int32)
    return weights
