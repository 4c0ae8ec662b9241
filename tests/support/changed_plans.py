"""Plans with one field changed, and which of these the verifier refuses."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from gdsl.ir.nodes import Node
from gdsl.ir.verifier import VerificationError
from gdsl.plan.nodes import Plan
from gdsl.plan.verifier import verify

FREE = {
    # What people read, and what any value of is right.
    ("Barrier", "reason"),
    ("Launch", "name"),
    ("Launch", "comment"),
    ("Operation", "name"),
    ("Operation", "call"),
    ("Compare", "left"),
    ("Compare", "right"),
    ("Compare", "strict"),
    ("Compare", "factor"),
    ("Switch", "enter"),
    ("Switch", "stay"),
    ("Frontier", "counts"),
}


CHOICES = {
    ("Collect", "dedup"): "marks where a claim would do",
    ("Collect", "form"): "a queue or a bitmap",
    ("Combine", "few"): "few members in one sweep, or not",
    ("Combine", "grows"): "a set that grows in its place, or a new one",
    ("Combine", "waits"): "a barrier more",
    ("EarlyRead", "places"): "less that is read early",
    ("Frontier", "slot"): "another slot that is free",
    ("WriteBack", "rotating"): "a result written back twice",
    ("Intersection", "edge_ids"): "ids that nobody asks for",
    ("Loop", "body"): "a barrier more",
    ("OnSets", "waits"): "a barrier more",
    ("Plan", "outlined"): "calls or copies of what operators share",
    ("Plan", "resident_threads"): "registers that are left",
    ("Plan", "waiting_thread"): "another thread that waits",
    ("Plan", "rotations"): "an entry that is there twice",
    ("Segment", "stops_at"): "a list that is walked to its end",
    ("PrefetchLists", "arrays"): "less that is fetched",
    ("PrefetchRows", "arrays"): "less that is fetched",
    ("PrefetchRows", "begins"): "less that is fetched",
    ("PrefetchRows", "lists"): "less that is fetched",
    ("ReadAhead", "after"): "less that is read early",
    ("ReadAhead", "elements"): "elements at a time",
    ("Selection", "closes"): "a pull that does not stop",
    ("EdgesSideBySide", "count"): "edges at a time",
    ("Sweep", "hints"): "a hint less",
    ("Sweep", "balance"): "another way to share edges",
    ("Sweep", "edges"): "edges counted on the way",
    ("WarpShare", "warps"): "the other half of the warps",
    ("Walk", "edge_ids"): "ids that nobody asks for",
    ("Walk", "repeats"): "lists that are walked twice",
    ("Write", "mode"): "an atomic where a plain write would do",
}
"""The fields of which another value may be another correct plan, and what that one does."""


def accepted(plan: Plan) -> set[tuple[str, str]]:
    """The fields of which some other value is accepted, but for those that say nothing."""
    fields = {(kind, field) for kind, field, other in changed(plan, lambda new: new) if not seen(other)}
    return fields - FREE


def others(value: Any) -> Iterator[Any]:
    """Other values of the same kind."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, Enum):
        yield from (each for each in type(value) if each is not value)
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, str):
        yield f"{value}_other"
    elif isinstance(value, tuple) and value:
        yield value[:-1]
        yield (*value, value[0])


def changed(part: Any, wrap: Callable[[Any], Any]) -> Iterator[tuple[str, str, Plan]]:
    """Every plan with one field of one plan node of `part` changed; `wrap` puts a changed `part` into its place."""
    if isinstance(part, tuple):
        for i, item in enumerate(part):
            yield from changed(item, lambda new, i=i: wrap((*part[:i], new, *part[i + 1 :])))
        return
    if not dataclasses.is_dataclass(part) or isinstance(part, (Node, type)):
        return
    kind = type(part).__name__
    if kind in ("Target", "GraphClass", "Sizes", "Struct", "Buffer") or type(part).__module__.endswith("extents"):
        return
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if isinstance(value, (Node, type(None))):
            continue
        for other in others(value):
            yield kind, field.name, wrap(dataclasses.replace(part, **{field.name: other}))
        yield from changed(value, lambda new, name=field.name: wrap(dataclasses.replace(part, **{name: new})))


def seen(plan: Plan) -> bool:
    try:
        verify(plan)
    except (VerificationError, KeyError, IndexError, StopIteration):
        return True
    return False
