"""Random numbers by the language's page and the paper on Philox alone, in Python's whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

Value = Any

WORDS = ("random", "random_bits", "random_below")
_WORD = 2**32


def number(word: str, values: Sequence[Value]) -> Value:
    """`random(k…)`, `random_bits(k…)` or `random_below(n, k…)`; ids are not among the values."""
    if word != "random_below":
        bits = _bits(_of_keys(values))
        return numpy.float32(bits // 2**40) / numpy.float32(2**24) if word == "random" else bits
    limit, *keys = map(int, values)
    if limit <= 0:
        return 0
    first = _of_keys(keys)
    drawn, again = first, 0
    while _bits(drawn) * limit % 2**64 < 2**64 % limit:
        again += 1
        drawn = _philox(first, [again, 0x72657472])
    return _bits(drawn) * limit // 2**64


def _bits(block: Sequence[int]) -> int:
    return block[0] + block[1] * _WORD


def _of_keys(keys: Sequence[Value]) -> list[int]:
    block = [0, 0, 0, 0]
    for key in keys:
        upper, lower = divmod(int(key) % 2**64, _WORD)
        block = _philox([lower, upper, *block[2:]], block[:2])
    return block


def _philox(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    block = list(counter)
    for turn in range(10):
        one, other = ((start + turn * step) % _WORD for start, step in zip(key, (0x9E3779B9, 0xBB67AE85), strict=True))
        left, right = divmod(block[0] * 0xD2511F53, _WORD), divmod(block[2] * 0xCD9E8D57, _WORD)
        block = [right[0] ^ block[1] ^ one, right[1], left[0] ^ block[3] ^ other, left[1]]
    return block
