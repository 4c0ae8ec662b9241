"""Combinations of frontiers as calls of the runtime, which has the same functions for C++ and CUDA."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.operations import SetOperation
from gdsl.plan.nodes import Combine

_QUEUES = {
    SetOperation.UNION: "unite_queues",
    SetOperation.INTERSECTION: "intersect_queues",
    SetOperation.DIFFERENCE: "subtract_queue",
}
_SETS = {
    SetOperation.UNION: "unite_sets",
    SetOperation.INTERSECTION: "intersect_sets",
    SetOperation.DIFFERENCE: "subtract_sets",
}
"""What takes sets that may have no queue."""
_EDGES = {
    SetOperation.UNION: "unite_edges",
    SetOperation.INTERSECTION: "intersect_edges",
    SetOperation.DIFFERENCE: "subtract_edges",
}


@dataclass(frozen=True, slots=True)
class Words:
    """What a backend calls the parts of one combination.

    `walked` is the frontier, empty where that is `everything`; `first` is what functions take before all else, and
    `growing` what those do that let a set grow; `last` comes behind the sets, `exchange` puts the result in its place.
    """

    result: str
    walked: str
    asked: str
    everything: str
    first: str
    growing: str
    last: str
    exchange: tuple[str, ...]


def combination_lines(step: Combine, words: Words) -> list[str]:
    """The statements that make a set of vertices."""
    if step.grows:
        function = "grow_any_set" if step.words else "grow_set"
        return [f"{function}({words.growing}, {words.asked}{words.last});"]
    operation, walked = step.step.operation, words.walked
    function = _SETS[operation] if step.words else _QUEUES[operation]
    if operation is SetOperation.DIFFERENCE and not step.words:
        walked = f"members_of({walked})" if walked else words.everything
    return [f"{function}({words.first}, {words.result}, {walked}, {words.asked}{words.last});", *words.exchange]


def edge_lines(step: Combine, words: Words) -> list[str]:
    """The same for a set of edges."""
    walked = words.walked
    if step.step.operation is SetOperation.DIFFERENCE:
        walked = f"edge_members_of({walked})" if walked else words.everything
    function = _EDGES[step.step.operation]
    return [f"{function}({words.first}, {words.result}, {walked}, {words.asked});", *words.exchange]
