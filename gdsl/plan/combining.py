"""Decides whether workers may run the calls of one operator at the same time without seeing each other's writes, and
how the values that they wrote are combined.

A worker runs the calls for the lists that it owns: those of its own vertices, or of its own edges. For each array that
an operator writes, the rules of *Writes* have proved one of these:

- a call writes only elements of its own. No other worker writes them, so they are published as they are (`publish`);
- all calls write it by the same reduction. The partial results of the workers, combined by that reduction, are what it
  gives for all values in some order (`merge`);
- all calls store the same value, or the program says `any=`. Any of the values will do (`merge`).

The rules of *Reads* have proved that a call may see an element before, between or after the writes of other calls, so
it may run before all calls of other workers. What remains are the values of updates: `fetch`, `cas` and `changed` tell
a call what happened before it. After a `fetch` or a `cas` of an element that others write too, workers take turns, and
after a `changed` whose duplicates would show (`duplicate_changes`).
"""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import contains, walk
from gdsl.operations import ADDITIVE, IDEMPOTENT, Domain, Outcome, Over, ReduceOperation, StoreRule
from gdsl.plan.duplicate_changes import visible_duplicate
from gdsl.plan.exchange_nodes import Exchanged, How, Reach
from gdsl.plan.functor_facts import parts_read
from gdsl.plan.walking import has_own_edges
from gdsl.records import dataclass

_ENDS = (ir.Role.VERTEX, ir.Role.SOURCE, ir.Role.DESTINATION, ir.Role.NEAR, ir.Role.FAR)
DEGREES = frozenset({"offsets", "in_offsets"})
"""The parts of the graph that all workers have."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why workers take turns, in words, and the line that shows it."""

    reason: str
    line: str


def own_roles(step: ir.Operator) -> frozenset[ir.Role]:
    """The parameters of the functor of `step` that are vertices owned by the worker that runs the call."""
    over = step.visits
    if over is None and not isinstance(step, ir.Intersect):
        of_vertex = step.frontier.domain is Domain.VERTEX
        return frozenset({ir.Role.VERTEX}) if of_vertex else frozenset({ir.Role.SOURCE, ir.Role.NEAR})
    if over is Over.IN_EDGES:
        return frozenset({ir.Role.DESTINATION, ir.Role.NEAR})
    return frozenset({ir.Role.NEAR}) if over is Over.ALL_EDGES else frozenset({ir.Role.SOURCE, ir.Role.NEAR})


def edge_has_one_worker(step: ir.Operator) -> bool:
    """Whether all calls for one edge are of one worker, if not always of its owner."""
    return has_own_edges(step) or step.visits is Over.IN_EDGES


def is_own(index: ir.Expression, step: ir.Operator) -> bool:
    """Whether all calls that name the element of `index` by this expression are of one worker."""
    index = ir.element_index(index)
    if not isinstance(index, ir.Parameter):
        return False
    return index.role in own_roles(step) or (index.role is ir.Role.EDGE and edge_has_one_worker(step))


def written_by(step: ir.Operator, functor: ir.Functor | None) -> tuple[Exchanged, ...]:
    """What `step` writes, and how the values of workers that run at the same time are combined."""
    exchanged: dict[str, Exchanged] = {}
    for name, writes in _writes(functor).items():
        exchanged[name] = _combination(name, writes, step)
    if step.stores is not None:
        exchanged[step.stores] = Exchanged(step.stores, How.PUBLISH, Reach.OWN)
    if step.adds_to is not None:
        exchanged[step.adds_to] = Exchanged(step.adds_to, How.MERGE, Reach.ANYWHERE, ReduceOperation.ADD, scalar=True)
    return tuple(exchanged.values())


def in_turns(step: ir.Operator, functor: ir.Functor | None, program: ir.Program) -> Obstacle | None:
    """Why workers must run `step` one after the other; None where they need not."""
    if functor is None:
        return None
    shared = {name: _is_shared(writes, step) for name, writes in _writes(functor).items()}
    for node in walk(functor.body):
        target = _target(node)
        if target is None or not shared[target.data]:
            continue
        if isinstance(node, ir.CompareAndSwap):
            return Obstacle(f"a `cas` tells which call was first to write `{target.data}`", node.span.words)
        if isinstance(node, ir.UpdateValue) and node.outcome is Outcome.FETCH:
            reason = f"`fetch` tells what calls of other workers have made of `{target.data}`"
            return Obstacle(reason, node.span.words)
    return _of_ways(functor, shared) or _of_changes(step, functor, shared) or _of_reads(functor, shared, program)


def _of_ways(functor: ir.Functor, shared: dict[str, bool]) -> Obstacle | None:
    """An element that several workers write in ways that no single operation combines."""
    for name, writes in _writes(functor).items():
        if shared[name] and _operation(writes) is _MIXED and not all(_single(each) for each in writes):
            return Obstacle(f"`{name}` is written in several ways", writes[-1].span.words)
    return None


def _of_changes(step: ir.Operator, functor: ir.Functor, shared: dict[str, bool]) -> Obstacle | None:
    """Effects that would happen twice if `changed` is true for two workers."""
    answers = [
        node for node in walk(functor.body) if isinstance(node, ir.UpdateValue) and shared[node.update.target.data]
    ]
    updates = [each.update for each in answers]
    if not updates:
        return None
    first = updates[0]
    reason = f"several workers may be told that they changed `{first.target.data}`"
    if any(each.operation not in IDEMPOTENT for each in updates):
        return Obstacle(reason, first.span.words)
    if step.adds_to is not None or (step.result is not None and step.result_domain is Domain.EDGE):
        return Obstacle(reason, first.span.words)
    seen = visible_duplicate(functor, answers, None if step.result is None else _collected(step, functor))
    return None if seen is None else Obstacle(reason, seen.span.words)


def _collected(step: ir.Operator, functor: ir.Functor) -> set[str]:
    """The program's names for the vertex that an accepting call adds to the result."""
    if isinstance(functor, ir.VertexFunctor):
        return {functor.vertex}
    ends = {Over.OUT_EDGES: functor.destination, Over.IN_EDGES: functor.source}
    names = {ends[step.visits]} if step.visits in ends else set()
    far = {node.name for node in walk(functor.body) if ir.is_parameter(node, ir.Role.FAR)}
    return names | far


def _of_reads(functor: ir.Functor, shared: dict[str, bool], program: ir.Program) -> Obstacle | None:
    """Reads of an array that each worker sums up from zero, so that its partial result can be separated."""
    updates = [node for node in walk(functor.body) if isinstance(node, ir.Update)]
    apart = {each.target.data: each for each in updates if shared[each.target.data] and starts_from_nothing(each)}
    if not apart:
        return None
    called: tuple[object, ...] = (functor, program.functions) if _calls(functor) else (functor,)
    for node in walk(called):
        name = node.array if isinstance(node, ir.Element) else node.name if isinstance(node, ir.ScalarValue) else None
        if name in apart:
            return Obstacle(f"`{name}` is read while it is summed up", node.span.words)
    return None


def pulls_from_others(step: ir.Operator, functor: ir.Functor, program: ir.Program) -> bool:
    """Whether workers may pull: each for the vertices that it owns, along edges that other workers own.

    Whatever is merged after a push can be merged after a pull. A call must not need what only the owner of the edge or
    of the near end has: values of edges, lists of vertices, elements of the near end that only its owner writes in a
    push, or turns."""
    if program.graphs or in_turns(step, functor, program) is not None:
        return False
    if any(each.how is not How.MERGE for each in written_by(step, functor)):
        return False
    called: tuple[object, ...] = (functor, program.functions) if _calls(functor) else (functor,)
    for node in walk(called):
        if ir.is_parameter(node, ir.Role.EDGE):
            return False
        if isinstance(node, ir.ForNeighbors) or (
            isinstance(node, ir.GraphRead) and not DEGREES.issuperset(parts_read(node))
        ):
            return False
    return True


def _calls(functor: ir.Functor) -> bool:
    return contains(functor, ir.FunctionCall)


def starts_from_nothing(update: ir.Update) -> bool:
    """Whether a worker's part of a reduction cannot be computed from its result and the value before it: rounded sums
    and products."""
    rounds = update.target.type.holds_float and update.operation in ADDITIVE
    return rounds or update.operation is ReduceOperation.MULTIPLY


# Writes


_Writing = ir.Store | ir.Update | ir.CompareAndSwap
_MIXED = object()


def _writes(functor: ir.Functor | None) -> dict[str, list[_Writing]]:
    writings: dict[str, list[_Writing]] = {}
    for node in walk(functor.body) if functor is not None else ():
        if isinstance(node, (ir.Store, ir.Update, ir.CompareAndSwap)):
            writings.setdefault(node.target.data, []).append(node)
    return writings


def _combination(name: str, writes: list[_Writing], step: ir.Operator) -> Exchanged:
    scalar = isinstance(writes[0].target, ir.ScalarTarget)
    if not _is_shared(writes, step):
        targets = [each.target for each in writes if isinstance(each.target, ir.ElementTarget)]
        own = all(in_own_part(ir.element_index(target.index), step) for target in targets)
        return Exchanged(name, How.PUBLISH, Reach.OWN if own else Reach.ANYWHERE)
    operation = _operation(writes)
    combined = operation if isinstance(operation, ReduceOperation) else None
    ends = not scalar and all(_names_end(each.target) for each in writes)
    return Exchanged(name, How.MERGE, Reach.ENDS if ends else Reach.ANYWHERE, combined, scalar)


def _names_end(target: ir.Target) -> bool:
    """Whether a target is that of a vertex that the call was made for."""
    index = ir.element_index(target.index) if isinstance(target, ir.ElementTarget) else None
    return ir.is_parameter(index, *_ENDS)


def _is_shared(writes: list[_Writing], step: ir.Operator) -> bool:
    """Whether several workers may write one element."""
    return not all(isinstance(each.target, ir.ElementTarget) and is_own(each.target.index, step) for each in writes)


def in_own_part(index: ir.Expression, step: ir.Operator) -> bool:
    """Whether this names elements of a worker's own vertices or edges only."""
    if not isinstance(index, ir.Parameter):
        return False
    return index.role in own_roles(step) or (index.role is ir.Role.EDGE and has_own_edges(step))


def _operation(writes: list[_Writing]) -> object:
    """The one operation of all writes; None where all are stores; else `_MIXED`."""
    kinds = {_kind(each) for each in writes}
    return kinds.pop() if len(kinds) == 1 else _MIXED


def _kind(write: _Writing) -> object:
    if isinstance(write, ir.Update):
        return ReduceOperation.ADD if write.operation in ADDITIVE else write.operation
    return None if isinstance(write, ir.Store) else _MIXED


def _single(write: _Writing) -> bool:
    return isinstance(write, ir.Update) or (isinstance(write, ir.Store) and write.rule is StoreRule.SINGLE_WRITER)


def _target(node: ir.Node) -> ir.Target | None:
    if isinstance(node, ir.CompareAndSwap):
        return node.target
    return node.update.target if isinstance(node, ir.UpdateValue) else None
