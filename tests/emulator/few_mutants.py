"""Mistakes in how few members are worked off."""

from __future__ import annotations

from .mutants import Mutant

_MEMORY = "runtime/memory.cuh"
_BFS_PUSH = ("visit.direction=push",)

FEW_MUTANTS = (
    Mutant(
        "a claim among few is won by all",
        _MEMORY,
        "(few || load_relaxed(x) == old) && exchange_word(x, old, value);",
        "few ? (exchange_word(x, old, value), true) : load_relaxed(x) == old && exchange_word(x, old, value);",
        "bfs",
        "result",
        _BFS_PUSH,
    ),
)
