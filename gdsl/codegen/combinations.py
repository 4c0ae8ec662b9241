"""Combinations of frontiers as calls of the runtime, which has the same functions for C++ and CUDA."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.operations import SetOperation
from gdsl.plan.nodes import Combine

_QUEUES = {
    SetOperation.UNION: ("unite_queues", "{walked}.queued && {asked}.queued"),
    SetOperation.INTERSECTION: ("intersect_queues", "{walked}.queued || {asked}.queued"),
    SetOperation.DIFFERENCE: ("subtract_queue", "{walked}.queued"),
}
"""What combines queues, and where there are enough of them."""
_EDGES = {
    SetOperation.UNION: "unite_edges",
    SetOperation.INTERSECTION: "intersect_edges",
    SetOperation.DIFFERENCE: "subtract_edges",
}
_WORDS = {
    SetOperation.UNION: "either_bits",
    SetOperation.INTERSECTION: "both_bits",
    SetOperation.DIFFERENCE: "first_bits",
}


@dataclass(frozen=True, slots=True)
class Words:
    """What a backend calls the parts of one combination.

    `walked` is the frontier, empty where that is `everything`; `grows` asks whether a set grows in place, `growing` is
    what that takes first; `size` comes before what is counted, `exchange` puts the result in its place.
    """

    result: str
    walked: str
    asked: str
    everything: str
    grows: str
    growing: str
    size: str
    counted: str
    exchange: tuple[str, ...]


def combination_lines(step: Combine, words: Words) -> list[str]:
    """The statements that make the result."""
    function, queued = _QUEUES[step.step.operation]
    walked = words.walked
    if step.step.operation is SetOperation.DIFFERENCE:
        walked = f"members_of({walked})" if walked else words.everything
    sets = f"{words.walked}, {words.asked}"
    ways: list[tuple[str, str]] = []  # when, and how
    if step.grows:
        ways.append((words.grows, f"grow_in_place({words.growing}{sets}, {words.counted});"))
    if not step.grows or step.marks:
        call = f"{function}(run, {words.result}, {walked}, {words.asked}, {words.size}{words.counted});"
        ways.append((queued.format(walked=words.walked, asked=words.asked), call))
    if step.words:
        bits = f"{_WORDS[step.step.operation]}{{}}"
        ways.append(("", f"combine_words(run, {words.result}, {sets}, {words.size}{words.counted}, {bits});"))
    if len(ways) == 1:
        return [ways[0][1], *(() if step.grows else words.exchange)]
    lines = []
    for place, (when, call) in enumerate(ways):
        last = place == len(ways) - 1
        lines.append("} else {" if last else f"if ({when}) {{" if place == 0 else f"}} else if ({when}) {{")
        lines.append(f"    {call}")
        if step.grows and place > 0:
            lines += [f"    {line}" for line in words.exchange]
    return [*lines, "}", *(() if step.grows else words.exchange)]


def edge_lines(step: Combine, words: Words) -> list[str]:
    """The same for sets of edges: `growing` is what functions take first."""
    walked = words.walked
    if step.step.operation is SetOperation.DIFFERENCE:
        walked = f"edge_members_of({walked})" if walked else words.everything
    function = _EDGES[step.step.operation]
    return [f"{function}({words.growing}{words.result}, {walked}, {words.asked});", *words.exchange]
