"""What random programs ask of the graph inside functors: as texts, from what a place of a program can name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.programs.scopes import Scope


def asked_of_graph(scope: Scope, type_: str) -> str | None:
    """A question whose answer is of a type; None where there is none here. Places are mostly such as there are."""
    if not scope.in_functor or not scope.vertices:
        return None
    vertex, random = scope.vertex_index(), scope.random
    if type_ == "bool":
        return f"has_edge({vertex}, {scope.expression('vertex', 1)})"
    if type_ in ("vertex", "edge") and scope.edges and scope.chance(0.6):
        edge = random.choice(scope.edges)
        if type_ == "edge":
            return f"reverse({edge})"
        return f"{random.choice(('src', 'dst'))}({edge})"
    if type_ not in ("vertex", "edge"):
        return None
    function, other = ("neighbor", random.choice(scope.vertices)) if type_ == "vertex" else ("out_edge", "edge(none)")
    place = scope.expression("int32", 1)
    if scope.chance(0.03):
        return f"{function}({vertex}, {place})"
    return (
        f"(out_degree({vertex}) > 0 ? {function}({vertex}, uint32({place}) % uint32(out_degree({vertex}))) : {other})"
    )


def looping_over_neighbors(scope: Scope, neighbor: str, edge: str) -> tuple[str, Scope]:
    """The head of a loop over a list whose variables have these names, and what its body can name."""
    named = scope.chance(0.5)
    head = f"for {neighbor}{f', {edge}' if named else ''} in neighbors({scope.vertex_index()})"
    edges = (*scope.edges, edge) if named else scope.edges
    return head, replace(scope, vertices=(*scope.vertices, neighbor, neighbor), edges=edges)
