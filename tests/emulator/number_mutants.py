"""Deliberate mistakes in random numbers and in counts of bits; see `mutants`."""

from __future__ import annotations

from .mutants import GENERATED, Mutant

NUMBER_MUTANTS = (
    Mutant("a round of Philox", GENERATED, "round < 10", "round < 9", "draws", "result"),
    Mutant(
        "the former block beside a key", GENERATED, "block.word[2], block.word[3]}}, ", "0, 0}}, ", "draws", "result"
    ),
    Mutant(
        "zeros below the lowest one",
        "runtime/arithmetic.cuh",
        "__ffsll(int64(a)) - 1",
        "__ffsll(int64(a))",
        "draws",
        "result",
    ),
)
