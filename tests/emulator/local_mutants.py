"""Deliberate mistakes where warps run rounds of their own; see `mutants`."""

from __future__ import annotations

from support.local_rounds import FOUND, PEELED

from .mutants import Mutant

_FILE = "runtime/local_rounds.cuh"
_PUSH = ("reach.direction=push",)


def _mutant(name: str, old: str, new: str, shows: str = "result", program: str = FOUND) -> Mutant:
    return Mutant(name, _FILE, old, new, program, shows, _PUSH if program is FOUND else ())


LOCAL_MUTANTS = (
    _mutant("what a warp keeps is worked off", "while (kept.count > 0 || base < size)", "while (base < size)"),
    _mutant(
        "a warp keeps what it has room for",
        "if (count + number > LOCAL_ROOM) { return false; }",
        "",
        "result race bounds",
    ),
    _mutant("what a warp gives up goes to the others", "out.append(has_one, v);", "out.append(false, v);"),
    _mutant("what is kept is computed", "if (stays) { begin(far[k]); }", ""),
    _mutant("what is kept is computed in a peeling", "if (stays) { begin(far[k]); }", "", program=PEELED),
    _mutant("lanes have places of their own", "__popc(votes & ((1u << lane_index()) - 1))", "0", "result race"),
    _mutant("who is not kept goes to the others", "out.append(accepted && !stays, far[k]);", ""),
    _mutant(
        "a warp takes members once",
        "            base += warps * width;\n",
        "            base += width;\n",
        program=PEELED,
    ),
    _mutant(
        "lanes wait for what others have kept",
        "        __syncwarp(FULL_WARP);\n        v = has_one",
        "        v = has_one",
        "race result",
    ),
)
