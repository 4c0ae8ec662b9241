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
_WORDS = {
    SetOperation.UNION: "either_bits",
    SetOperation.INTERSECTION: "both_bits",
    SetOperation.DIFFERENCE: "first_bits",
}


@dataclass(frozen=True, slots=True)
class Words:
    """What a backend calls the parts of one combination. `walked` is the frontier (empty: `everything`), `size` what
    comes before what is counted where bitmaps are combined."""

    result: str
    walked: str
    asked: str
    everything: str
    size: str
    counted: str


def combination_lines(step: Combine, words: Words) -> list[str]:
    """The statements that make the result."""
    function, queued = _QUEUES[step.step.operation]
    walked = words.walked
    if step.step.operation is SetOperation.DIFFERENCE:
        walked = f"members_of({walked})" if walked else words.everything
    by_queues = f"{function}(run, {words.result}, {walked}, {words.asked}, {words.counted});"
    if not step.words:
        return [by_queues]
    bits = f"{_WORDS[step.step.operation]}{{}}"
    sets = f"{words.walked}, {words.asked}, {words.size}{words.counted}"
    return [
        f"if ({queued.format(walked=words.walked, asked=words.asked)}) {{",
        f"    {by_queues}",
        "} else {",
        f"    combine_words(run, {words.result}, {sets}, {bits});",
        "}",
    ]
