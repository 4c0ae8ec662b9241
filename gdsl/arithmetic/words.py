"""Words of 64 bits: Python ints that are not negative, or arrays of uint64. What is given arrays gives arrays."""

from __future__ import annotations

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
