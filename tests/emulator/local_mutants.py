"""Deliberate mistakes where warps run rounds of their own; see `mutants`."""

from __future__ import annotations

from support.local_rounds import FOUND, PEELED

from .mutants import Mutant

_FILE = "runtime/local_rounds.cuh"
_PUSH = ("reach.direction=push",)


def _mutant(name: str, old: str, new: str, shows: str = "result", program: str = FOUND) -> Mutant:
    return Mutant(name, _FILE, old, new, program, shows, _PUSH if program is FOUND else ())


LOCAL_MUTANTS = (
    _mutant("what a block keeps is worked off", "    while (keeps) {", "    while (false) {"),
    _mutant("a block keeps what it has room for", "wanted && place < LOCAL_ROOM", "wanted", "result race bounds"),
    _mutant("what a block gives up goes to the others", "out.append(base + lane < count,", "out.append(false,"),
    _mutant("what is kept is computed", "if (stays) { begin(far[k]); }", ""),
    _mutant("what is kept is computed in a peeling", "if (stays) { begin(far[k]); }", "", program=PEELED),
    _mutant("lanes have places of their own", " + __popc(votes & ((1u << lane_index()) - 1))", "", "result race"),
    _mutant("who is not kept goes to the others", "out.append(accepted[k] && !stays, far[k]);", ""),
    _mutant(
        "the next round has a room of its own",
        "shared.kept[(round + 1) % 2]",
        "shared.kept[round % 2]",
        "result race bounds",
    ),
    _mutant(
        "a counter is cleared",
        "if (threadIdx.x == 0) { shared.kept_counts[(round + 2) % 3] = 0; }",
        "",
        "result deadlock race bounds error",
    ),
    _mutant(
        "threads wait for a round",
        "        __syncthreads();\n        round += 1;",
        "        round += 1;",
        "race result divergence deadlock",
    ),
)
