"""What is read ahead for several elements side by side, in words: a struct of the values, and the functions that fill it."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.ir.nodes import Node
from gdsl.plan.nodes import Early

EARLY = "early"
"""What functions call the values that have been read ahead."""


@dataclass(frozen=True, slots=True)
class EarlyText:
    """The struct of what a sweep reads ahead; `names` has the member that stands for a place of the functor."""

    type: str
    members: tuple[tuple[str, str], ...]
    """Their types and names."""
    names: dict[Node, str]

    @property
    def definition(self) -> str:
        """The struct; whether the element is one that is worked on is known first."""
        members = [f"    {kind} {name};" for kind, name in (("bool", "active"), *self.members)]
        return "\n".join([f"struct {self.type} {{", *members, "};"])


def member_names(early: Early) -> dict[Node, str]:
    """The member for each place that a value which is read ahead stands for."""
    reads = [read for level in (*early.before, *early.behind) for read in level]
    return {place: f"{EARLY}.value_{number}" for number, read in enumerate(reads, start=1) for place in read.places}
