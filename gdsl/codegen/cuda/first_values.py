"""What blocks keep the first values of (`gdsl.plan.first_values`), in words."""

from __future__ import annotations

from gdsl.codegen.functions import KEPT, Kept
from gdsl.codegen.literals import type_name
from gdsl.codegen.names import Names
from gdsl.ir.nodes import EdgeFunctor, Program
from gdsl.plan.first_values import gathers
from gdsl.plan.nodes import Segment, Walk


def keeping(segment: Segment, program: Program, names: Names) -> str:
    """What makes that of a reduction; empty where it has none."""
    if segment.kept is None:
        return ""
    kind = next(each.type for each in program.arrays if each.name == segment.kept)
    return f"first_values<{type_name(kind)}> {KEPT}(d.{names.member(segment.kept)}, d.graph.num_vertices)"


def kept_in(segment: Segment, walk: Walk, program: Program) -> Kept | None:
    """Where the functor of a walk asks for it."""
    if segment.kept is None:
        return None
    functor: EdgeFunctor = next(each for each in program.edge_functors if each.name == walk.variant.functor)
    places = gathers(functor, walk.over)
    return Kept(places[0].type, tuple(places))
