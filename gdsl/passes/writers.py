"""Facts about the writes of functors, for several passes and both code generators."""

from __future__ import annotations

from gdsl.ir.nodes import (
    CompareAndSwap,
    EdgeFunctor,
    Element,
    ElementTarget,
    Parameter,
    Role,
    ScalarTarget,
    ScalarValue,
    Store,
    Target,
    Update,
    UpdateValue,
    VertexFunctor,
    element_index,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Over

Functor = VertexFunctor | EdgeFunctor


def targets(functor: Functor) -> list[Target]:
    """Every target that the functor writes, in the order of the text."""
    return targets_in(functor.body)


def targets_in(part: object) -> list[Target]:
    """Every target that statements write, in the order of the text."""
    return [node.target for node in walk(part) if isinstance(node, (Store, Update, CompareAndSwap))]


def written_arrays(functor: Functor) -> frozenset[str]:
    """The arrays that the functor writes."""
    return frozenset(target.array for target in targets(functor) if isinstance(target, ElementTarget))


def plain_arrays(functor: Functor, roles: frozenset[Role]) -> frozenset[str]:
    """The arrays that the functor writes only at a parameter of one of `roles`, and reads nowhere else.

    Where a single call, or calls of one thread, have that parameter, such writes need no atomic: nothing else reads
    them.
    """
    elsewhere = {
        node.array
        for node in walk((functor.condition, functor.body))
        if isinstance(node, (Element, ElementTarget))
        and not (isinstance(index := element_index(node.index), Parameter) and index.role in roles)
    }
    return written_arrays(functor) - elsewhere


def single_writer_arrays(functor: Functor, roles: frozenset[Role]) -> frozenset[str]:
    """The arrays that the functor writes only at a parameter of one of `roles`, whose elements are one piece each, and
    which it reads elsewhere only where any value from before or during the operator will do.

    Where a single call has that parameter, such a write needs no atomic on a processor that stores a piece whole.
    """
    written = {target.array: target for target in targets(functor) if isinstance(target, ElementTarget)}
    other = {name for name, target in written.items() if target.type.is_pair}
    for node in walk((functor.condition, functor.body)):
        if isinstance(node, CompareAndSwap) and isinstance(node.target, ElementTarget):
            other.add(node.target.array)
        elif isinstance(node, (Element, ElementTarget)):
            own = isinstance(index := element_index(node.index), Parameter) and index.role in roles
            if not own and not (isinstance(node, Element) and node.now):
                other.add(node.array)
    return frozenset(written) - other


def accumulated_scalars(functor: Functor) -> frozenset[str]:
    """The scalars that the functor does nothing with but reduce into, always by one operation.

    Such a scalar can be summed up a thread at a time and combined once a block.
    """
    operations: dict[str, set[object]] = {}
    other: set[str] = set()
    for node in walk((functor.condition, functor.body)):
        if isinstance(node, Update) and isinstance(node.target, ScalarTarget):
            operations.setdefault(node.target.scalar, set()).add(node.operation)
        elif isinstance(node, UpdateValue) and isinstance(node.update.target, ScalarTarget):
            other.add(node.update.target.scalar)
        elif isinstance(node, (Store, CompareAndSwap)) and isinstance(node.target, ScalarTarget):
            other.add(node.target.scalar)
        elif isinstance(node, ScalarValue):
            other.add(node.name)
    return frozenset(name for name, used in operations.items() if len(used) == 1 and name not in other)


def written_several_ways(functor: Functor) -> frozenset[str]:
    """The arrays and scalars that the functor changes by more than one operation."""
    ways: dict[str, set[object]] = {}
    for node in walk(functor.body):
        if isinstance(node, (Store, Update, CompareAndSwap)):
            name = node.target.array if isinstance(node.target, ElementTarget) else node.target.scalar
            ways.setdefault(name, set()).add(node.operation if isinstance(node, Update) else type(node))
    return frozenset(name for name, used in ways.items() if len(used) > 1)


def near_roles(over: Over) -> frozenset[Role]:
    """The functor parameters for the end of an edge from which it is visited."""
    ends = {Over.OUT_EDGES: Role.SOURCE, Over.IN_EDGES: Role.DESTINATION}
    return frozenset({Role.NEAR, ends[over]}) if over in ends else frozenset({Role.NEAR})


def far_roles(over: Over) -> frozenset[Role]:
    """The functor parameters for the far end of an edge."""
    ends = {Over.OUT_EDGES: Role.DESTINATION, Over.IN_EDGES: Role.SOURCE}
    return frozenset({Role.FAR, ends[over]}) if over in ends else frozenset({Role.FAR})
