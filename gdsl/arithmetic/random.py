"""Random numbers as functions of their keys: Philox4x32-10, a counter-based generator.

Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011). It needs nothing but products of
two 32-bit numbers in full, sums and exclusive ors, so that it gives the same bits everywhere. Words are non-negative
Python ints of 64 bits or arrays of uint64, and below 2^32 in a block or in the key of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Word = Any

LOW = 0xFFFFFFFF
ALL = 0xFFFFFFFFFFFFFFFF


def ones(word: Word) -> Word:
    """How many bits of a word are 1."""
    word = word - (word >> 1 & 0x5555555555555555)
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101 & ALL) >> 56


def product(a: Word, b: Word) -> tuple[Word, Word]:
    """The two halves of a product of 64 bits each."""
    low, cross, other, high = (one * by for one in (a & LOW, a >> 32) for by in (b & LOW, b >> 32))
    middle = (low >> 32) + (cross & LOW) + other
    return high + (cross >> 32) + (middle >> 32), ((middle & LOW) << 32) | (low & LOW)


Block = tuple[Word, Word, Word, Word]
Key = tuple[Word, Word]

MOST_DRAWS = 128
"""The most draws for one number below a limit; each is rejected with a probability of less than a half."""

_ROUNDS = 10
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_STEPS = (0x9E3779B9, 0xBB67AE85)
_AGAIN = 0x72657472
"""The second half of the key of draws after the first: a program's own keys use other halves."""


def philox(counter: Block, key: Key) -> Block:
    """Philox4x32-10."""
    for _ in range(_ROUNDS):
        first, second = (word * by for word, by in zip(counter[::2], _MULTIPLIERS, strict=True))
        left, right = (second >> 32) ^ counter[1] ^ key[0], (first >> 32) ^ counter[3] ^ key[1]
        counter = (left, second & LOW, right, first & LOW)
        key = ((key[0] + _STEPS[0]) & LOW, (key[1] + _STEPS[1]) & LOW)
    return counter


def drawn(keys: Sequence[Word]) -> Block:
    """The block for some keys of 64 bits: each is half of a counter, whose other half, and whose key, is the block
    for the keys before it (zeros before the first)."""
    block: Block = (0, 0, 0, 0)
    for key in keys:
        block = philox((key & LOW, key >> 32, block[2], block[3]), (block[0], block[1]))
    return block


def bits_of(block: Block) -> Word:
    """The 64 bits of a block that are given away."""
    return block[0] | (block[1] << 32)


def below(limit: Word, block: Block, choose: Callable[..., Word], some: Callable[[Word], Any]) -> Word:
    """A number of [0, limit), each as likely as any other; `limit` is not 0.

    The high half of the product of 64 bits and the limit (Lemire, "Fast Random Integer Generation in an Interval",
    2019); where the low half says that the number came up once too often, another block decides.
    """
    high, low = product(bits_of(block), limit)
    least = (ALL - limit + 1) % limit
    for draw in range(1, MOST_DRAWS):
        again = low < least
        if not some(again):
            break
        other = product(bits_of(philox(block, (draw, _AGAIN))), limit)
        high, low = choose(again, other[0], high), choose(again, other[1], low)
    return high
