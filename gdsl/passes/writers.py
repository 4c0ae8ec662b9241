"""Facts about the writes of functors, for several passes and both code generators."""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import contains, walk
from gdsl.operations import Over, ReduceOperation
from gdsl.types import WHOLE_WORDS


def targets(functor: ir.Functor) -> list[ir.Target]:
    """Every target that the functor writes, in the order of the text."""
    return targets_in(functor.body)


def targets_in(part: object) -> list[ir.Target]:
    """Every target that statements write, in the order of the text."""
    return [node.target for node in walk(part) if isinstance(node, (ir.Store, ir.Update, ir.CompareAndSwap))]


def written_arrays(functor: ir.Functor) -> frozenset[str]:
    """The arrays that the functor writes."""
    return frozenset(target.array for target in targets(functor) if isinstance(target, ir.ElementTarget))


def plain_arrays(functor: ir.Functor, roles: frozenset[ir.Role]) -> frozenset[str]:
    """The arrays that the functor writes only at a parameter of one of `roles`, and reads nowhere else.

    Where a single call, or calls of one thread, have that parameter, such writes need no atomic: nothing else reads
    them.
    """
    elsewhere = {
        node.array
        for node in walk((functor.condition, functor.body))
        if isinstance(node, (ir.Element, ir.ElementTarget))
        and not (isinstance(index := ir.element_index(node.index), ir.Parameter) and index.role in roles)
    }
    return written_arrays(functor) - elsewhere


def own_list_arrays(functor: ir.Functor) -> frozenset[str]:
    """The arrays of which a functor for a vertex touches nothing but the elements of edges that lead out of it, which
    its loops over neighbors go through: each edge is in the list of one vertex."""
    nodes = walk((functor.condition, functor.body))
    loops = (node for node in nodes if isinstance(node, ir.ForNeighbors) and node.edge is not None)
    own = {loop.edge for loop in loops if ir.is_parameter(loop.vertex, ir.Role.VERTEX)}
    elsewhere = {
        node.array
        for node in nodes
        if isinstance(node, (ir.Element, ir.ElementTarget))
        and not (isinstance(index := ir.element_index(node.index), ir.ListVariable) and index.name in own)
    }
    return written_arrays(functor) - elsewhere


def single_writer_arrays(functor: ir.Functor, roles: frozenset[ir.Role]) -> frozenset[str]:
    """The arrays that the functor writes only at a parameter of one of `roles`, whose elements are one piece each, and
    which it reads elsewhere only where any value from before or during the operator will do.

    Where a single call has that parameter, such a write needs no atomic on a processor that stores a piece whole.
    """
    written = {target.array: target for target in targets(functor) if isinstance(target, ir.ElementTarget)}
    other = {name for name, target in written.items() if target.type.is_pair}
    for node in walk((functor.condition, functor.body)):
        if isinstance(node, ir.CompareAndSwap) and isinstance(node.target, ir.ElementTarget):
            other.add(node.target.array)
        elif isinstance(node, (ir.Element, ir.ElementTarget)):
            own = isinstance(index := ir.element_index(node.index), ir.Parameter) and index.role in roles
            if not own and not (isinstance(node, ir.Element) and node.now):
                other.add(node.array)
    return frozenset(written) - other


def kept_arrays(functor: ir.Functor) -> frozenset[str]:
    """The arrays of which a call on a vertex lowers its own element only, or raises it, while other calls read it and
    any value of it will do for them: the call always knows the value, which it can keep in a register. Not where lanes
    may share a loop over neighbors, as each has registers of its own."""
    if not isinstance(functor, ir.VertexFunctor) or contains(functor, ir.ForNeighbors):
        return frozenset()
    roles = frozenset({ir.Role.VERTEX})
    ways = {
        node.target.data: node.operation in (ReduceOperation.MIN, ReduceOperation.MAX)
        and (node.target.type.is_integer or node.target.type.is_id)
        and node.target.type in WHOLE_WORDS
        and isinstance(node.target, ir.ElementTarget)
        and ir.is_parameter(node.target.index, ir.Role.VERTEX)
        for node in walk(functor.body)
        if isinstance(node, ir.Update)
    }
    simple = {name for name, is_simple in ways.items() if is_simple}
    stored = {node.target.data for node in walk(functor.body) if isinstance(node, (ir.Store, ir.CompareAndSwap))}
    return (single_writer_arrays(functor, roles) - plain_arrays(functor, roles)) & simple - stored


def accumulated_scalars(functor: ir.Functor) -> frozenset[str]:
    """The scalars that the functor does nothing with but reduce into, always by one operation.

    Such a scalar can be summed up a thread at a time and combined once a block.
    """
    operations: dict[str, set[object]] = {}
    other: set[str] = set()
    for node in walk((functor.condition, functor.body)):
        if isinstance(node, ir.Update) and isinstance(node.target, ir.ScalarTarget):
            operations.setdefault(node.target.scalar, set()).add(node.operation)
        elif isinstance(node, ir.UpdateValue) and isinstance(node.update.target, ir.ScalarTarget):
            other.add(node.update.target.scalar)
        elif isinstance(node, (ir.Store, ir.CompareAndSwap)) and isinstance(node.target, ir.ScalarTarget):
            other.add(node.target.scalar)
        elif isinstance(node, ir.ScalarValue):
            other.add(node.name)
    return frozenset(name for name, used in operations.items() if len(used) == 1 and name not in other)


def written_several_ways(functor: ir.Functor) -> frozenset[str]:
    """The arrays and scalars that the functor changes by more than one operation."""
    return frozenset(name for name, used in _ways(functor).items() if len(used) > 1)


def falling_or_rising(functor: ir.Functor) -> frozenset[str]:
    """The arrays and scalars that the functor only lowers, or only raises."""
    ways = _ways(functor)
    return frozenset(name for name, used in ways.items() if used in ({ReduceOperation.MIN}, {ReduceOperation.MAX}))


def _ways(functor: ir.Functor) -> dict[str, set[object]]:
    ways: dict[str, set[object]] = {}
    for node in walk(functor.body):
        if isinstance(node, (ir.Store, ir.Update, ir.CompareAndSwap)):
            ways.setdefault(node.target.data, set()).add(node.operation if isinstance(node, ir.Update) else type(node))
    return ways


def near_roles(over: Over) -> frozenset[ir.Role]:
    """The functor parameters for the end of an edge from which it is visited."""
    ends = {Over.OUT_EDGES: ir.Role.SOURCE, Over.IN_EDGES: ir.Role.DESTINATION}
    return frozenset({ir.Role.NEAR, ends[over]}) if over in ends else frozenset({ir.Role.NEAR})


def far_roles(over: Over) -> frozenset[ir.Role]:
    """The functor parameters for the far end of an edge."""
    ends = {Over.OUT_EDGES: ir.Role.DESTINATION, Over.IN_EDGES: ir.Role.SOURCE}
    return frozenset({ir.Role.FAR, ends[over]}) if over in ends else frozenset({ir.Role.FAR})
