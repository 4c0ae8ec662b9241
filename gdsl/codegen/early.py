"""What is read ahead for several elements side by side, in words: a struct of the values."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.codegen.literals import type_name
from gdsl.ir.nodes import Node
from gdsl.operations import ReduceOperation
from gdsl.plan.nodes import Early

EARLY = "early"
"""What functions call the values that have been read ahead."""
BOUNDS = "bounds"
"""What they call bounds of values."""
SEEN = "seen"
"""The one of them that is what was seen of an element that is changed."""


@dataclass(frozen=True, slots=True)
class EarlyText:
    """The struct of what a sweep reads ahead; `names` has the member that stands for a place of the functor."""

    type: str
    members: tuple[tuple[str, str], ...]
    """Their types and names."""
    names: dict[Node, str]
    bounds: str = ""
    """The type of the bounds that may stand for a look."""


def early_text(struct: str, early: Early) -> EarlyText:
    """What is read ahead, as `struct`."""
    reads = [read for level in (*early.before, *early.behind) for read in level]
    named = [(f"value_{number}", read) for number, read in enumerate(reads, start=1)]
    named += [("own", early.own)] if early.own is not None else []
    names = {place: f"{EARLY}.{name}" for name, read in named for place in read.places}
    members = [(type_name(read.value.type), name) for name, read in named]
    members += [(type_name(early.seen.type), SEEN)] if early.seen is not None else []
    return EarlyText(struct, tuple(members), names, bounds_of(early))


def bounds_of(early: Early) -> str:
    """The type of the bounds that are asked; empty where there are none."""
    if early.bounds is None or early.seen is None:
        return ""
    falls = "true" if early.bounds is ReduceOperation.MIN else "false"
    return f"hub_bounds<{falls}>"
