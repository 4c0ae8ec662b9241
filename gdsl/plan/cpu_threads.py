"""Pass `cpu_threads`: what one thread of the cpu backend does alone, and how it avoids branches.

If there is little work, no other thread joins, and every write is plain.

**Equal shares.**
A line of memory that another thread has changed comes from that thread's cache, which takes as long as reading it from
memory. So where all vertices take about as long, each thread has one part of them, the same in every sweep, and finds
in its own cache what it has changed; the ends of the first few edges are often near, too, and in the same part. Where
some take much longer, threads take small parts as they are ready.

**Observed threads.**
An atomic takes as long as several plain writes, and lines that two threads change go back and forth. Where calls
combine elements that several threads seldom come to at once, such as the roots of trees that are joined, whether two
threads are quicker than one depends on the processor and the graph. So such an operator is run both ways in the first
runs with as many members of a graph, and then as was quicker.

**Own ends.**
If threads change far ends that any of them may come to, lines go back and forth, and two threads take as long as one. A
list is in the order of ids, so each thread can walk the part of it that leads to its own part of the ids, whose values
and marks no other thread writes. What it reads of others may be older or newer, as with any order of calls. This pays
off if lists are long: each thread looks for its part of every list.

**Tests without a branch.**
Several tests are several branches, which are often unpredictable, and whether a far end is new is another one. A
mispredicted branch costs as much as several edges. If the tests are a few comparisons of values at hand, and there is
nothing else to do, all of them are evaluated, and each vertex is stored after the last result before it is known
whether it stays. Nothing else is written, so several threads may do this, each with its own list, from which duplicates
are removed afterwards.

**Claims.**
Where the test says that a far end is new, and the body stores that it is not, one thread does both without a branch:
it stores either the new value or the one that it has found. The ends that it takes are noted, and the rest of the body
runs for some hundred at a time, whose reads do not wait for each other. No other call reads what is claimed, and in
which order bodies run is open, as it is among threads.

**Selections before tests**, in a reduction.

If a value is one of two, and scalars alone say which, that is the same for every edge. Decided after the test, it is
a branch within a branch. Decided before it, each side is a loop of its own, and where that side is an element at hand,
the test needs no branch.

**Values in vectors**, in a reduction.

A value that is much arithmetic for each element that it reads takes longer to compute than to read, and its `? :` are
branches that are often mispredicted. Where it is an integer, may be computed for any edge, and may be combined in any
order, the compiler computes it for several edges at a time, without branches. Where values are mostly reads, vectors
are slower, as their elements are gathered one by one.

**Values in lanes**, in a reduction.

Where a value is an element of the far end, and values are added up, some processors fetch eight of them by one
instruction sooner than one by one, and what is left over of a list needs no branch.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression
from gdsl.ir.traversal import walk
from gdsl.operations import SATURATING, BinaryOperation, Builtin, Domain, NeighborOperation, Over
from gdsl.passes.writers import far_roles, targets_in
from gdsl.plan import variants
from gdsl.plan.facts import Facts
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.hints import (
    Contended,
    EqualShares,
    InLanes,
    InVectors,
    ObservedThreads,
    OwnEnds,
    SelectFirst,
    UnbranchedClaims,
    UnbranchedTests,
)
from gdsl.plan.nodes import Dedup, Form, Operation, Plan, Sweep
from gdsl.plan.walking import map_sweeps


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the forms for one thread; of a grid, as it is, whose threads are always there."""
    if plan.target.grid:
        return plan

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step = operation.step
        if isinstance(step, ir.Advance) and sweep.selection is None:
            functor = facts.edge_functor(step)
            by_one = facts.remember(variants.by_one_thread, functor)
            walks = tuple(dataclasses.replace(each, by_one=by_one) for each in sweep.walks)
            over = tuple(each.over for each in walks)
            contended = variants.contends(functor, walks[0].variant, by_one, over)
            own_ends = contended and not plan.program.graphs and changes_own_ends(functor, sweep)
            return dataclasses.replace(sweep, walks=walks).with_hints(
                *(UnbranchedTests(over=each) for each in over if tests_at_once(functor)),
                *(UnbranchedClaims(over=each) for each in over if claims_at_once(functor, sweep)),
                *[Contended()] * contended,
                *[OwnEnds()] * own_ends,
                *[ObservedThreads()] * (not contended and is_observed(plan, functor, sweep)),
            )
        if isinstance(step, (ir.Filter, ir.Compute)):
            own = facts.functor(step)
            if step.frontier.domain is Domain.EDGE:
                return sweep
            by_one = facts.remember(variants.by_one_thread, own)
            contended = variants.contends(own, sweep.own, by_one)
            shares = isinstance(step, ir.Compute) and sweep.members.frontier is None and takes_equal_times(own)
            hints = [*[Contended()] * contended, *[EqualShares()] * shares]
            return dataclasses.replace(sweep, own_by_one=by_one).with_hints(*hints)
        if isinstance(step, ir.NeighborReduce) and sweep.segment is not None:
            functor = facts.edge_functor(step)
            lanes = in_lanes(step, functor)
            return sweep.with_hints(
                *[SelectFirst()] * selects_first(step, functor),
                *[InVectors()] * is_worth_vectors(step, functor, facts.functions),
                *([lanes] if lanes is not None else []),
            )
        return sweep

    return map_sweeps(plan, changed)


def is_observed(plan: Plan, functor: ir.VertexFunctor | ir.EdgeFunctor, sweep: Sweep) -> bool:
    """Whether a push combines elements that its calls find, such as roots of trees, by atomics, and so is run by one
    thread where that was quicker before."""
    if plan.target.workers or sweep.order is not None or sweep.collect is not None:
        return False
    return any(variants.combines_beside_ends(functor, each.variant) for each in sweep.walks)


def takes_equal_times(functor: ir.VertexFunctor | ir.EdgeFunctor) -> bool:
    """Whether no loop of `functor` may be longer because its vertex has more edges: such vertices often have ids next
    to each other."""
    nodes = list(walk(functor.body))
    loops = any(isinstance(node, (ir.ForRange, ir.ForNeighbors, ir.Loop, ir.FunctionCall)) for node in nodes)
    return not loops or not any(isinstance(node, (ir.DegreeOf, ir.ForNeighbors, ir.FunctionCall)) for node in nodes)


_VALUES = (ir.Literal, ir.Parameter, ir.Local, ir.ParamValue, ir.ScalarValue, ir.Element, ir.Iteration)
_QUICK = (BinaryOperation.ADD, BinaryOperation.SUBTRACT)
_PRODUCTS = (*_QUICK, BinaryOperation.MULTIPLY)


def changes_own_ends(functor: ir.VertexFunctor | ir.EdgeFunctor, sweep: Sweep) -> bool:
    """Whether a push from near to far writes at far ends alone, each in one piece: if no two threads have the same far
    ends, each may write as one thread does."""
    walks = [each for each in sweep.walks if each.lists is Over.OUT_EDGES]
    if sweep.order is None or sweep.members.frontier is None or len(sweep.walks) != 1 or not walks:
        return False
    roles = far_roles(walks[0].over)
    indexes = [
        ir.element_index(target.index) if isinstance(target, ir.ElementTarget) and not target.type.is_pair else None
        for target in targets_in(functor.body)
    ]
    return all(ir.is_parameter(index, *roles) for index in indexes)


def claims_at_once(functor: ir.VertexFunctor | ir.EdgeFunctor, sweep: Sweep) -> bool:
    """Whether one thread stores for each edge what claims its far end, or what is there already."""
    collect, walks = sweep.collect, sweep.walks
    if collect is None or collect.dedup is not Dedup.CLAIM or collect.form is not Form.QUEUE or sweep.order is not None:
        return False
    (variant, *others) = (walk.variant for walk in walks)
    if others or variant.claim is None or variant.tests or variant.accepts or may_stop(functor.body):
        return False
    store = functor.body[variant.claim.statement]
    return isinstance(store, ir.Store) and not store.target.type.is_pair and _is_quick(store.value)


def tests_at_once(functor: ir.VertexFunctor | ir.EdgeFunctor) -> bool:
    """Whether all tests of an edge are made in any case, as they are all that `functor` does."""
    several = isinstance(functor, ir.EdgeFunctor) and not functor.body and len(functor.condition) > 1
    return several and all(map(_compares, functor.condition))


def _compares(test: ir.Expression) -> bool:
    """Whether `test` compares values that need no further access."""
    if not isinstance(test, ir.Binary) or not test.operation.is_comparison or test.left.type.is_pair:
        return False
    return _is_at_hand(test.left) and _is_at_hand(test.right)


def _is_at_hand(value: ir.Expression) -> bool:
    if isinstance(value, ir.Binary):
        return value.operation in _PRODUCTS and _is_at_hand(value.left) and _is_at_hand(value.right)
    if isinstance(value, ir.Convert):
        return _is_at_hand(value.operand)
    return _is_quick(value)


def _is_quick(value: ir.Expression) -> bool:
    """Whether `value` may be computed in any case, and in next to no time."""
    if isinstance(value, ir.Binary):
        quick = value.operation in _QUICK or value.operation.is_comparison
        return quick and not value.left.type.is_pair and _is_quick(value.left) and _is_quick(value.right)
    if isinstance(value, ir.Element):
        return isinstance(value.index, ir.Parameter) and not value.type.is_pair
    return isinstance(value, _VALUES)


_OF_ALL_EDGES = (ir.Literal, ir.ParamValue, ir.ScalarValue, ir.Iteration, ir.Binary, ir.Convert)


def selects_first(step: ir.NeighborReduce, functor: ir.EdgeFunctor) -> bool:
    """Whether the value of `functor` is one of two, and scalars say which before an edge is tested."""
    value = functor.value
    if step.operation in (NeighborOperation.COUNT, NeighborOperation.MIN, NeighborOperation.MAX):
        return False
    if not isinstance(value, ir.Select) or not functor.condition or may_stop(functor):
        return False
    return all(isinstance(node, _OF_ALL_EDGES) for node in walk(value.condition) if isinstance(node, ir.Expression))


_IN_ANY_ORDER = (
    NeighborOperation.SUM,
    NeighborOperation.MIN,
    NeighborOperation.MAX,
    NeighborOperation.AND,
    NeighborOperation.OR,
    NeighborOperation.XOR,
)
_IN_LANES = (ir.Binary, ir.Unary, ir.Convert, ir.Select)
_LONG = (BinaryOperation.DIVIDE, BinaryOperation.INTEGER_DIVIDE, BinaryOperation.MODULO, *SATURATING)
_LANES_CALL = (Builtin.MIN, Builtin.MAX, Builtin.ABS)
_MUCH = 8
"""Operations for each element that is read anew for each edge: as many take longer than to gather it."""


def is_worth_vectors(step: ir.NeighborReduce, functor: ir.EdgeFunctor, functions: Mapping[str, object]) -> bool:
    """Whether the value is integer arithmetic that may be combined in any order, and much of it for what is read; of
    `functions`, the bodies of the program's own, those count that are one expression."""
    value = functor.value
    if step.operation not in _IN_ANY_ORDER or value is None or functor.condition or may_stop(functor):
        return False
    nodes = list(_with_calls(value, functions))
    reads = {print_expression(node) for node in nodes if _is_read_anew(node, step.over)}
    calculations = [node for node in nodes if isinstance(node, _IN_LANES) or _is_in_lanes(node)]
    others = [node for node in nodes if node not in calculations and not isinstance(node, _VALUES)]
    if others or not all(map(_is_in_a_lane, nodes)):
        return False
    return len(calculations) >= _MUCH * max(len(reads), 1)


def _with_calls(value: object, functions: Mapping[str, object]) -> Iterator[ir.Expression]:
    """The expressions of `value`, and of what it calls where that is one expression; a call that stays is another."""
    for node in walk(value):
        body = functions.get(node.function) if isinstance(node, ir.FunctionCall) else None
        if isinstance(body, tuple) and len(body) == 1 and isinstance(body[0], ir.Return):
            yield from _with_calls(body[0].value, functions)
        elif isinstance(node, ir.Expression):
            yield node


def in_lanes(step: ir.NeighborReduce, functor: ir.EdgeFunctor) -> InLanes | None:
    """The array whose elements at the far ends are all that is added up, if they are floats."""
    value = functor.value
    if step.operation is not NeighborOperation.SUM or step.over is Over.ALL_EDGES or functor.condition:
        return None
    if not isinstance(value, ir.Element) or not value.type.is_float or value.now:
        return None
    far = isinstance(value.index, ir.Parameter) and value.index.role in far_roles(step.over)
    return InLanes(array=value.array) if far and not may_stop(functor) else None


def _is_read_anew(node: ir.Expression, over: Over) -> bool:
    """Whether `node` is read for each edge: not what a member has itself."""
    if not isinstance(node, (ir.Element, ir.DegreeOf)):
        return False
    index = node.index if isinstance(node, ir.Element) else node.vertex
    ends = frozenset() if over is Over.ALL_EDGES else frozenset({ir.Role.SOURCE, ir.Role.DESTINATION}) - far_roles(over)
    return not isinstance(index, ir.Parameter) or index.role not in ends | {ir.Role.NEAR}


def _is_in_lanes(node: ir.Expression) -> bool:
    return isinstance(node, ir.BuiltinCall) and node.function in _LANES_CALL


def _is_in_a_lane(node: ir.Expression) -> bool:
    """Whether a lane of a vector has the value of `node`, and the same instruction as its neighbors."""
    if node.type.is_pair or node.type.holds_float:
        return False
    return not isinstance(node, ir.Binary) or node.operation not in _LONG
