"""The arrays that a visit waits for, by the vertex or edge at which it asks for them."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.ir.nodes import EdgeFunctor, Element, ElementTarget, Parameter, Program, Role, Update, VertexFunctor
from gdsl.ir.traversal import walk


def arrays_at(functor: EdgeFunctor | VertexFunctor, roles: frozenset[Role], program: Program) -> tuple[str, ...]:
    """Those with a single value for each element, at parameters of these `roles`, in the order of the text."""
    single = {array.name for array in program.arrays if array.count is None}
    return tuple(dict.fromkeys(name for name in _asked_at(functor, roles) if name in single))


def _asked_at(functor: EdgeFunctor | VertexFunctor, roles: frozenset[Role]) -> Iterator[str]:
    """What is read or changed; nobody waits for what is stored."""
    for node in walk(functor):
        match node:
            case (
                Element(array=name, index=Parameter(role=role))
                | Update(target=ElementTarget(array=name, index=Parameter(role=role)))
            ) if role in roles:
                yield name
