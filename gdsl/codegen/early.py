"""What is read ahead for several elements side by side, in words: a struct of the values."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.codegen.literals import type_name
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


def early_text(struct: str, early: Early) -> EarlyText:
    """What is read ahead, as `struct`."""
    reads = [read for level in (*early.before, *early.behind) for read in level]
    numbered = list(enumerate(reads, start=1))
    names = {place: f"{EARLY}.value_{number}" for number, read in numbered for place in read.places}
    return EarlyText(struct, tuple((type_name(read.value.type), f"value_{number}") for number, read in numbered), names)
