"""Mistakes in what threads do to one word at a time."""

from __future__ import annotations

from .mutants import Mutant

_MEMORY, _FRONTIER, _PUSH = "runtime/memory.cuh", "runtime/frontier.cuh", "runtime/push.cuh"
_BFS_PUSH = ("visit.direction=push",)

ATOMIC_MUTANTS = (
    Mutant(
        "the mark against duplicates",
        _FRONTIER,
        "return (load_relaxed(word) & bit) == 0 && (atomicOr_grid(word, bit) & bit) == 0;",
        "if ((*word & bit) != 0) { return false; } *word |= bit; return true;",
        "sets",
        "race",
    ),
    Mutant(
        "the claim of a far end",
        _MEMORY,
        "(few || load_relaxed(x) == old) && exchange_word(x, old, value);",
        "load_relaxed(x) == old && (*x = value, true);",
        "bfs",
        "race",
        _BFS_PUSH,
    ),
    Mutant(
        "the atomic minimum",
        _MEMORY,
        "return value < former ? atomicMin_grid(x, value) : former;",
        "if (value < former) { *x = value; } return former;",
        "connected_components",
        "race",
    ),
    Mutant(
        "the label that a call lowers alone is stored whole",
        _MEMORY,
        "if (!(value < own)) { return false; }\n    store_relaxed(x, value);",
        "if (!(value < own)) { return false; }\n    *x = value;",
        "connected_components",
        "race",
    ),
    Mutant(
        "the label that a call lowers alone is stored",
        _MEMORY,
        "if (!(value < own)) { return false; }\n    store_relaxed(x, value);",
        "if (!(value < own)) { return false; }",
        "connected_components",
        "result",
    ),
    Mutant(
        "the place in the queue",
        _FRONTIER,
        "atomicAdd_grid(&counters->accepted, uint64(count)) : 0;",
        "counters->accepted : 0; if (lane == 0) { counters->accepted = at + count; }",
        "bfs",
        "race",
        _BFS_PUSH,
    ),
    Mutant(
        "the bit of a member",
        _FRONTIER,
        "atomicOr_grid(&bitmap[v / 32], 1u << (v % 32));",
        "bitmap[v / 32] |= 1u << (v % 32);",
        "bfs",
        "race",
    ),
    Mutant(
        "the place of a chunk",
        _PUSH,
        "at = atomicAdd_grid(counter, uint64(inclusive));",
        "at = load_relaxed(counter); store_relaxed(counter, at + inclusive);",
        "bfs",
        "race result",
        _BFS_PUSH,
    ),
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
