"""Deliberate mistakes where few members lie in a list of their own; see `mutants`."""

from __future__ import annotations

from support.near_far import DETOURS

from .mutants import Mutant

_SMALL_FRONTIERS = "runtime/small_frontiers.cuh"
_FROM_NEAR = ("schedule.order=near_far",)


def _mutant(name: str, old: str, new: str, shows: str, stops: bool = False) -> Mutant:
    return Mutant(name, _SMALL_FRONTIERS, old, new, "bfs", shows, stops=stops, graph=("deep",))


def _ordered(name: str, old: str, new: str, shows: str, file: str = _SMALL_FRONTIERS) -> Mutant:
    return Mutant(name, file, old, new, DETOURS, shows, _FROM_NEAR)


LISTED_MUTANTS = (
    _mutant("members of a block are told", "ONE_MEMBER * shared.members, others = 0", "0, others = 0", "result"),
    _mutant(
        "all come before a list is read",
        "ONE_ARRIVAL * block_count()",
        "ONE_ARRIVAL",
        "race result",
    ),
    _mutant(
        "a stop goes on to the others", "{ own += LEAVE; }", "{ run.stopped = true; }", "divergence deadlock", True
    ),
    _mutant("places of a warp", "& TALLIED) + item;", "& TALLIED) + item / 2;", "race result"),
    _mutant("the list of who was found", "accepted ? uint32(last - first) : 0;", "accepted ? 1 : 0;", "result"),
    _mutant("places that nobody takes are empty", "accepted ? far : NO_VERTEX", "far", "result"),
    _mutant(
        "a list that became a queue",
        "    run.operators += 1;\n    set.holds = false;",
        "    run.operators += 1;",
        "result",
    ),
    _mutant("there is a place for each edge", "most <= LISTED_PLACES && ", "", "bounds race result"),
    _ordered("entries with their values", "member.id, member.key)", "member.id, key_word(0))", "result"),
    _ordered(
        "what is far is no member of a list",
        "        if (accepted && !near) { put_off(v); }\n        return near;",
        "        return near;",
        "result",
        "runtime/near_far.cuh",
    ),
    _ordered(
        "a look takes up what a list holds",
        "        if (set.holds) { carry_over(set, out); }\n",
        "        set.holds = false;\n",
        "result",
        "runtime/near_far.cuh",
    ),
)
