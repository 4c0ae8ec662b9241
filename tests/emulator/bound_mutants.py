"""Deliberate mistakes where bounds of hubs stand for values; see `mutants`."""

from __future__ import annotations

from support.bounds import ANEW, BROAD, FROM_BELOW, HOLES

from .mutants import Mutant

_BOUNDS = "runtime/hub_bounds.cuh"


def _mutant(name: str, old: str, new: str, program: str, shows: str = "result", file: str = _BOUNDS) -> Mutant:
    return Mutant(name, file, old, new, program, shows, graph=("hubs",))


BOUND_MUTANTS = (
    _mutant("whose bound it is", "return (word ^ id(v)) >> (32 - first) == 0;", "return true;", FROM_BELOW),
    _mutant("bounds of a minimum are rounded up", "Falls == (bits >> 31 == 0)", "false", FROM_BELOW),
    _mutant("bounds below zero are rounded down", "Falls == (bits >> 31 == 0)", "true", FROM_BELOW),
    _mutant("bounds of a maximum are rounded down", "Falls == (bits >> 31 == 0)", "bits >> 31 == 0", BROAD),
    _mutant("the better of two is the bound", "minimum(seen, value)", "value - 1", FROM_BELOW),
    _mutant("of the largest too", "maximum(seen, value)", "value + 1", BROAD),
    _mutant("NaN is no bound", "if (!(value < seen)) { return false; }", "if (value >= seen) { return false; }", HOLES),
    _mutant(
        "each edge offers what its own member has",
        "values[k].own = __shfl_sync(FULL_WARP, value, owner);",
        "values[k].own = value;",
        FROM_BELOW,
        file="runtime/revisits.cuh",
    ),
    _mutant(
        "marks are asked for",
        "return (former >> (v % 32) & 1) == 0;",
        "return former != ~uint32(0);",
        FROM_BELOW,
        "bounds race result",
        file="runtime/frontier.cuh",
    ),
    _mutant("bounds end with their loop", "if (!first && members", "if (run.operators > 6 && members", ANEW),
    _mutant(
        "no barrier before bounds are asked",
        "load_cached(&known.values[hub])); }\n    }\n    __syncthreads();",
        "load_cached(&known.values[hub])); }\n    }",
        FROM_BELOW,
        "race result uninitialized",
    ),
)
