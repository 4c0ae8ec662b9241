"""Deliberate mistakes where bounds are asked before values; see `mutants`."""

from __future__ import annotations

from support.bounds import ANEW, BROAD, FROM_BELOW

from .mutants import Mutant

_BOUNDS, _ADVANCE = "runtime/bounds.cuh", "operators/advance.cu.j2"
_WORDS = ("schedule.order=as_given",)


def _mutant(name: str, old: str, new: str, program: str, shows: str = "result", file: str = _BOUNDS) -> Mutant:
    return Mutant(name, file, old, new, program, shows, _WORDS)


BOUND_MUTANTS = (
    _mutant("whose bound it is", " && word >> (32 - upper) == rest(v);", ";", FROM_BELOW),
    _mutant("a bound that nothing is below", "(Falls ? ~uint32(0) >> upper : uint32(0))", "uint32(0)", FROM_BELOW),
    _mutant("a bound that nothing is above", "Falls ? rank < bound : rank > bound", "rank < bound", BROAD),
    _mutant("the better of two is the bound", "minimum(seen, value)", "value - 1", FROM_BELOW),
    _mutant(
        "each edge has the value of its member",
        "values[k].own = __shfl_sync(FULL_WARP, value, owner);",
        "values[k].own = value;",
        FROM_BELOW,
        file="runtime/revisits.cuh",
    ),
    _mutant("of the largest too", "maximum(seen, value)", "value + 1", BROAD),
    _mutant(
        "bounds end with their loop",
        "        forget_bounds(run, bounds);\n",
        "        if (run.operators < 8) { forget_bounds(run, bounds); }\n",
        ANEW,
        file=_ADVANCE,
    ),
    _mutant(
        "no barrier before bounds are asked",
        "bounds.forget(place, run.slice.bounded[place]); }\n    __syncthreads();",
        "bounds.forget(place, run.slice.bounded[place]); }",
        FROM_BELOW,
        "race result uninitialized",
    ),
    _mutant(
        "who has a bound is told",
        "        seen = load_relaxed(x);\n        bounds.note(v, minimum",
        "        bounds.note(v, minimum",
        FROM_BELOW,
    ),
)
