"""What is read ahead for several elements side by side, in words: a struct of the values and of what is kept."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.codegen.literals import type_name
from gdsl.ir.nodes import EdgeFunctor, Let, Node, VertexFunctor
from gdsl.ir.traversal import walk
from gdsl.plan.nodes import Early, EarlyRead

EARLY = "early"
"""What functions call the values that have been read ahead."""


@dataclass(frozen=True, slots=True)
class EarlyText:
    """The struct of what a sweep reads ahead; `names` has the member that stands for a place of the functor."""

    type: str
    members: tuple[tuple[str, str], ...]
    """Their types and names."""
    names: dict[Node, str]
    kept: dict[str, str]
    """What stands for the locals of the functor that go from stage to stage."""

    @property
    def definition(self) -> str:
        """The struct; whether the element is one that is worked on is known first."""
        members = [f"    {kind} {name};" for kind, name in (("bool", "active"), *self.members)]
        return "\n".join([f"struct {self.type} {{", *members, "};"])


def all_reads(early: Early) -> list[EarlyRead]:
    """Everything that is read ahead, in order."""
    levels = (*early.before, *(level for stage in early.stages for level in stage.levels))
    return [read for level in levels for read in level]


def early_text(struct: str, early: Early, functor: VertexFunctor | EdgeFunctor) -> EarlyText:
    """What `functor` reads ahead, as `struct`."""
    numbered = list(enumerate(all_reads(early), start=1))
    names = {place: f"{EARLY}.value_{number}" for number, read in numbered for place in read.places}
    kept = {name: f"{EARLY}.kept_{number}" for number, name in enumerate(early.kept, start=1)}
    types = {node.name: node.type for node in walk(functor.body) if isinstance(node, Let)}
    members = [(type_name(read.value.type), f"value_{number}") for number, read in numbered]
    members += [(type_name(types[name]), text.partition(".")[2]) for name, text in kept.items()]
    return EarlyText(struct, tuple(members), names, kept)
