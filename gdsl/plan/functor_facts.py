"""Determines what may stop a run at its place in a functor: a computed index that may be out of range.

Such an index is evaluated in the order of the text, and only if what precedes it says so. In a correct program it is in
range there, and perhaps nowhere else: `cond parent[dst] == none && key[label[dst]] > 0`. So passes that reorder parts
of a condition, or evaluate them for more or fewer elements, leave such parts where they are.
"""

from __future__ import annotations

from gdsl.effects.access import Access, Accesses, Who
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Domain, GraphQuery, Outcome, ReduceOperation
from gdsl.plan.sweep_nodes import Members, Sweep
from gdsl.records import dataclass


def may_stop(part: object) -> bool:
    """Whether evaluating `part` may find an index out of range."""
    return any(
        getattr(node, "checked", False)
        or getattr(node, "place_checked", False)
        or (isinstance(node, ir.GraphRead) and node.query.in_list)
        for node in walk(part)
    )


def called_functions(functor: ir.Functor, program: ir.Program) -> tuple[ir.Function, ...]:
    """The functions that a functor calls, and those that these call."""
    by_name = {function.name: function for function in program.functions}
    functions: dict[str, ir.Function] = {}
    rest: list[ir.Functor | ir.Function] = [functor]
    while rest:
        called = {node.function for node in walk(rest.pop()) if isinstance(node, ir.FunctionCall)}
        new = [by_name[name] for name in sorted(called - functions.keys())]
        functions |= {function.name: function for function in new}
        rest += new
    return tuple(functions.values())


def follows_own_labels(name: str, functor: ir.Functor) -> bool:
    """Whether all that a functor does is to follow its vertex's label to the root, which becomes that label:
    `while (changed(x[v] min= x[x[v]])) { }`."""
    if not isinstance(functor, ir.VertexFunctor) or functor.condition or len(functor.body) != 1:
        return False
    (loop,) = functor.body
    if not isinstance(loop, ir.Loop) or loop.body or not isinstance(loop.condition, ir.UpdateValue):
        return False
    update, outcome = loop.condition.update, loop.condition.outcome
    lowers = update.operation is ReduceOperation.MIN and outcome is Outcome.CHANGED
    target, value = update.target, update.value
    if not lowers or not isinstance(target, ir.ElementTarget) or not isinstance(value, ir.Element):
        return False
    own = ir.element_index(value.index)
    inner = isinstance(own, ir.Element) and own.array == name and ir.is_parameter(own.index, ir.Role.VERTEX)
    return target.array == value.array == name and inner and ir.is_parameter(target.index, ir.Role.VERTEX)


# What a step touches by the thread that has the vertex, and by no other, and what it does after its last barrier.
#
# Steps that go through the same vertices, all of them or the members of one frontier, give each thread the same ones,
# so that none of them waits for what another did to a vertex's own elements.


@dataclass(frozen=True, slots=True)
class Touched:
    """Accesses of an operator that does not end with a barrier: what comes before any barrier of its own, and what
    comes after it, or everything where it has none (`waits` is false)."""

    first: frozenset[Access]
    last: frozenset[Access]
    waits: bool


def touched_by(step: ir.Operator, sweep: Sweep, accesses: Accesses) -> Touched:
    """What the threads of an operator touch that does not end with a barrier."""
    touched = accesses.of_step(step)
    segment = sweep.segment
    if segment is not None and segment.staging is not None:
        stored, staging = Access(segment.array, True, Who.ANYBODY), Access(segment.staging, True, Who.ANYBODY)
        copied = frozenset({stored, Access(segment.staging, False, Who.ANYBODY)})
        own = frozenset({segment.array, segment.staging})
        return Touched(touched - {stored} | {staging}, _narrowed(copied, own, sweep.members), True)
    if sweep.lanes:  # a member is the thread's that has it, or a whole warp's
        return Touched(touched, touched, False)
    functor = accesses.functor_of(step)
    of_vertices = isinstance(functor, ir.VertexFunctor)
    own = own_arrays(functor, accesses.program) if functor is not None and of_vertices else frozenset()
    touched = _narrowed(touched, own, sweep.members)
    return Touched(touched, touched, False)


def _narrowed(touched: frozenset[Access], own: frozenset[str], members: Members) -> frozenset[Access]:
    """`touched` with those of the arrays `own` by the thread of each of `members`."""
    who, frontier = (Who.OWNER, "") if members.frontier is None else (Who.MEMBER, members.frontier)
    return frozenset(Access(each.name, each.writes, who, frontier) if each.name in own else each for each in touched)


def own_arrays(functor: ir.Functor, program: ir.Program) -> frozenset[str]:
    """The arrays of one value an element of which a functor, called for the members of a set, touches nothing but the
    element of its own vertex or edge."""
    domain = Domain.VERTEX if isinstance(functor, ir.VertexFunctor) else Domain.EDGE
    single = {array.name for array in program.arrays if array.domain is domain and array.count is None}
    nodes = [node for node in walk(functor) if isinstance(node, (ir.Element, ir.ElementTarget, ir.FunctionCall))]
    touched = {node.array for node in nodes if not isinstance(node, ir.FunctionCall)}
    elsewhere = {node.array for node in nodes if not isinstance(node, ir.FunctionCall) and not _is_own(node)}
    if any(isinstance(node, ir.FunctionCall) for node in nodes):
        elsewhere |= {node.array for each in program.functions for node in walk(each) if isinstance(node, ir.Element)}
    return frozenset(single & touched - elsewhere)


def _is_own(node: ir.Element | ir.ElementTarget) -> bool:
    return ir.is_parameter(node.index, ir.Role.VERTEX, ir.Role.EDGE)


# Decides which parts of the graph functors read by themselves.
#
# The source of an edge is read from an array by edge id, made for programs that ask, four bytes an edge (eight with
# wide ids): a search in the offsets would read some twenty places of memory for each answer, this reads one.

_PARTS = {
    GraphQuery.SOURCE: ("edge_sources",),
    GraphQuery.DESTINATION: ("columns",),
    GraphQuery.REVERSE: ("reverse_edges",),
    GraphQuery.NEIGHBOR: ("offsets", "columns"),
    GraphQuery.OUT_EDGE: ("offsets",),
    GraphQuery.HAS_EDGE: ("offsets", "columns"),
}


def parts_read(node: ir.Node) -> tuple[str, ...]:
    """The parts of the graph that a node of a functor reads, without what is inside it."""
    if isinstance(node, ir.GraphRead):
        return _PARTS[node.query]
    return ("offsets", "columns") if isinstance(node, ir.ForNeighbors) else ()


def member_names(functor: ir.Functor) -> tuple[str, ...]:
    """The names of what a functor is called for: a vertex, or the ends of an edge and the edge."""
    if isinstance(functor, ir.VertexFunctor):
        return (functor.vertex,)
    return functor.source, functor.destination, functor.edge
