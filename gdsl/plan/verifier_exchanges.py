"""What must hold where several workers run a plan, stated without asking the pass that placed the exchanges.

1. Whatever an operator writes is exchanged right after it, with the values before it noted right before it; its result
   and the edges that it walked, too. Nothing stands in between, so nobody reads what only some workers have.
2. Only what a single worker can have written is published, at its own elements or, where a contraction has other edges
   than the given graph, anywhere. What several may write is combined by the one operation by which all calls write it.
3. An operator is run by all at once only if no call is told what a call of another worker did, and nothing reads a sum
   that each worker begins anew.
4. A choice that is left to a run is that of one worker.
5. What a worker holds in parts is named by its own edges and vertices alone.
6. On a grid, each operator runs on a worker's own members: vertices that a filter has found by their ids, the edges
   that leave them, or what a set of edges has in common with these. Only operators and far ends read these sets.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.effects.access import Accesses, asked_frontiers, frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, walk
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain, Outcome, Over, ReduceOperation, SetOperation
from gdsl.plan.exchange_nodes import Exchange, Exchanged, Held, How, Reach, Snapshot
from gdsl.plan.functor_facts import parts_read
from gdsl.plan.nodes import (
    Barrier,
    Branch,
    Choice,
    Combine,
    Compare,
    Copy,
    Define,
    EdgeCount,
    FarEnds,
    Fill,
    Initialize,
    Launch,
    Leader,
    Loop,
    MakeGraph,
    Measure,
    OnSets,
    Operation,
    Plan,
    Step,
)
from gdsl.plan.walking import blocks_in, operations, steps_in, sweeps_of

_NEAR = {
    Over.OUT_EDGES: frozenset({ir.Role.SOURCE, ir.Role.NEAR}),
    Over.IN_EDGES: frozenset({ir.Role.DESTINATION, ir.Role.NEAR}),
    Over.ALL_EDGES: frozenset({ir.Role.NEAR}),
}
_ENDS = frozenset({ir.Role.VERTEX, ir.Role.SOURCE, ir.Role.DESTINATION, ir.Role.NEAR, ir.Role.FAR})
_TWICE_IS_ONCE = (ReduceOperation.MIN, ReduceOperation.MAX, ReduceOperation.BIT_OR, ReduceOperation.BIT_AND)


def verify_exchanges(plan: Plan) -> None:
    """Raise `gdsl.ir.verifier.VerificationError` where workers would have different data, or wrong ones."""
    _Exchanges(plan).verify()


class _Exchanges:
    def __init__(self, plan: Plan) -> None:
        self.plan, self.program = plan, plan.program
        self.expect = expecting(f"plan of {plan.program.name}")
        self.accesses = Accesses(plan.program)
        held = plan.distribution.arrays if plan.distribution is not None else ()
        self.in_parts = {each.name for each in held if each.held is Held.OWN}
        self.own_sets = frozenset(plan.distribution.own_sets if plan.distribution is not None else ())

    def verify(self) -> None:
        plan = self.plan
        steps = list(steps_in(plan.schedule))
        alone = plan.distribution is None and all(o.turns is None for o in operations(plan))
        alone = alone and not any(isinstance(step, (Exchange, Snapshot)) for step in steps)
        if not plan.target.workers:
            self.expect(alone, "exchanges without other workers")
            return
        self.expect(plan.distribution is not None, "what workers hold is not said")
        meetings = [step for step in steps if isinstance(step, Exchange)]
        meetings += [o.turns.exchange for o in operations(plan) if o.turns is not None]
        numbers = [each.number for each in meetings]
        self.expect(len(set(numbers)) == len(numbers), "two exchanges have one number")
        for block in blocks_in(plan.schedule):
            if plan.target.fused or not all(isinstance(step, _OF_LAUNCHES) for step in block):
                self._block(tuple(map(_launched, block)))
        self._held()
        self._own_sets()

    # 1 and 4

    def _block(self, block: tuple[Step, ...]) -> None:
        used = 0
        for place, step in enumerate(block):
            before = block[place - 1] if place else None
            after = block[place + 1] if place + 1 < len(block) else None
            exchange = after if isinstance(after, Exchange) else None
            if isinstance(step, Operation):
                snapshot = before if isinstance(before, Snapshot) else None
                used += (exchange is not None) + (snapshot is not None)
                self._operation(step, snapshot, exchange)
            elif isinstance(step, (FarEnds, OnSets, MakeGraph)):
                used += self._other(step, exchange)
        placed = sum(isinstance(step, (Exchange, Snapshot)) for step in block)
        self.expect(used == placed, "an exchange that belongs to no step")

    def _operation(self, operation: Operation, snapshot: Snapshot | None, exchange: Exchange | None) -> None:
        step, name = operation.step, operation.name
        if step.result in self.own_sets:
            self.expect(exchange is None and snapshot is None, f"{name}: a worker's own members are exchanged")
            return
        written = {each.name for each in self.accesses.of_step(step) if each.writes} - self.in_parts
        data = exchange.data if exchange is not None else ()
        if operation.turns is not None:
            self.expect(not _pulls(operation), f"{name}: workers that take turns do not pull")
            adopted = operation.turns.exchange.data
            self.expect(all(each.how is How.ADOPT for each in adopted), f"{name}: a turn takes what one worker has")
            self.expect({each.name for each in adopted} == written, f"{name}: a turn exchanges other data")
            self.expect(not data and snapshot is None, f"{name} is exchanged twice")
        else:
            noted = snapshot is not None and exchange is not None and snapshot.number == exchange.number
            noted = noted and snapshot is not None and snapshot.data == data
            self.expect(noted or not written, f"{name}: the values before it are not noted")
            self._noted(operation, snapshot)
            self.expect({each.name for each in data} == written, f"{name}: what it writes is not exchanged")
            for each in data:
                self._exchanged(step, each)
                self.expect(
                    each.how is How.MERGE or not _pulls(operation), f"{name}: a pull writes {each.name} for others"
                )
            self._at_once(step, {each.name for each in data if each.how is not How.PUBLISH})
        united = exchange.frontier if exchange is not None else None
        self.expect(united == step.result, f"{name}: its result is not united")
        walked = any(sweep.edges is EdgeCount.WALKED for sweep in sweeps_of(operation))
        assert self.plan.distribution is not None
        at_the_end = step.site in self.plan.distribution.walked
        counts = exchange.counts_edges if exchange is not None else at_the_end
        self.expect(counts == walked, f"{name}: the edges that it walks are not added up")
        self.expect(exchange is None or not at_the_end, f"{name}: the edges that it walks are added up twice")

    def _noted(self, operation: Operation, snapshot: Snapshot | None) -> None:
        """A snapshot of some elements has all that the operator may write."""
        step = operation.step
        if snapshot is None or snapshot.frontier is None:
            return
        if _pulls(operation):
            does = operation.does
            self.expect(isinstance(does, Choice), f"{step.label}: a pull writes more than what is noted")
            assert isinstance(does, Choice)
            ends = Compare(Measure.SIZE, snapshot.pulled_from or 0, Measure.VERTICES, strict=False) in does.test.stay
            begins = Compare(Measure.EDGES, 1, Measure.VERTICES, strict=True) in does.test.enter
            self.expect(begins and ends, f"{step.label}: what a pull writes is not noted")
        reached = all(each.scalar or each.reach is not Reach.ANYWHERE for each in snapshot.data)
        over = step.visits
        lists = () if over is None else (over,) if over is not Over.ALL_EDGES else (Over.OUT_EDGES, Over.IN_EDGES)
        fits = snapshot.frontier == step.frontier.frontier and snapshot.over == lists
        fits = fits and step.frontier.domain is Domain.VERTEX and not isinstance(step, ir.Intersect)
        fits = fits and not self.plan.graphs
        self.expect(reached and fits, f"{step.label}: values that it writes are not noted")

    def _other(self, step: FarEnds | OnSets | MakeGraph, exchange: Exchange | None) -> bool:
        """Whether a step that is no operator has an exchange, which it has exactly if it must."""
        chosen = None
        if isinstance(step, OnSets) and isinstance(step.step, ir.ChooseBound):
            chosen = step.step.bound
        elif isinstance(step, MakeGraph) and isinstance(step.step, ir.Contract) and step.step.weights is not None:
            chosen = step.step.weights.array
        if isinstance(step, FarEnds):
            self.expect(exchange is not None and exchange.frontier == step.step.name, "far ends are not united")
        elif chosen is not None:
            data = exchange.data if exchange is not None else ()
            taken = [each.name for each in data if each.how is How.ADOPT]
            self.expect(taken == [chosen] and len(data) == 1, f"each worker chooses {chosen}")
        return exchange is not None and (chosen is not None or isinstance(step, FarEnds))

    # 2

    def _exchanged(self, step: ir.Operator, each: Exchanged) -> None:
        writes = list(self._writes(step, each.name))
        scalar = any(scalar.name == each.name for scalar in self.program.scalars)
        self.expect(each.scalar == scalar, f"{each.name} is exchanged as something else")
        indices = [_index(write.target) for write in writes]
        if each.how is How.PUBLISH:
            alone = not scalar and all(index is not None and _one_worker(index, step) for index in indices)
            self.expect(alone, f"{each.name} is published, and several workers may write it")
            own = all(index is not None and self._keeps_owner(index, step) for index in indices)
            self.expect(own or each.reach is Reach.ANYWHERE, f"{each.name} is written at elements of other workers")
            return
        self.expect(each.how is How.MERGE and each.reach is not Reach.OWN, f"{each.name} is not merged")
        roles = {index.role if isinstance(index, ir.Parameter) else None for index in indices}
        ends = not scalar and step.adds_to != each.name and roles <= _ENDS
        self.expect(ends or each.reach is Reach.ANYWHERE, f"{each.name} is written at more than ends of edges")
        by_itself = {ReduceOperation.ADD} if each.name == step.adds_to else set[ReduceOperation | None]()
        reductions = by_itself | {_operation(write) for write in writes}
        one_call = all(isinstance(write, (ir.Update, ir.Store)) for write in writes)
        mixed = len(reductions) > 1 and each.operation is None and one_call
        self.expect(reductions == {each.operation} or mixed, f"{each.name} is merged by another operation")

    def _keeps_owner(self, index: ir.Expression, step: ir.Operator) -> bool:
        """Whether an element is one of the worker's in the given graph: a contraction has other edges of its ids."""
        of_edge = isinstance(index, ir.Parameter) and index.role is ir.Role.EDGE
        contracts = any(isinstance(each, ir.Contract) for each in all_steps(self.program.schedule))
        return _of_owner(index, step) and not (of_edge and contracts)

    def _writes(self, step: ir.Operator, name: str) -> Iterator[ir.Store | ir.Update | ir.CompareAndSwap]:
        functor = self.accesses.functor_of(step)
        for node in walk(functor.body) if functor is not None else ():
            if isinstance(node, (ir.Store, ir.Update, ir.CompareAndSwap)) and node.target.data == name:
                yield node

    # 3

    def _at_once(self, step: ir.Operator, merged: set[str]) -> None:
        functor = self.accesses.functor_of(step)
        if functor is None:
            return
        updates = [node for node in walk(functor.body) if isinstance(node, ir.Update)]
        told = False
        for node in walk(functor.body):
            if isinstance(node, ir.CompareAndSwap):
                self.expect(node.target.data not in merged, "a `cas` of what other workers write")
            if isinstance(node, ir.UpdateValue) and node.update.target.data in merged:
                told = True
                self.expect(node.outcome is not Outcome.FETCH, "a `fetch` of what other workers write")
                self.expect(node.update.operation in _TWICE_IS_ONCE, "a call is told what other workers changed")
        once = step.adds_to is None and (step.result is None or step.result_domain is Domain.VERTEX)
        once = once and all(each.operation in _TWICE_IS_ONCE for each in updates)
        self.expect(once or not told, "what depends on a change would be done by several workers")
        for node in walk(functor.body):
            if (
                isinstance(node, ir.Branch)
                and told
                and any(isinstance(e, ir.UpdateValue) for e in walk(node.condition))
            ):
                self.expect(not node.otherwise, "what happens without a change would be done by no worker")
                self.expect(not any(map(_collects_calls, walk(node.then))), "bits of calls of several workers")
        begun = {each.target.data for each in updates if _begins_anew(each)} & merged
        read = {node.array for node in walk(functor) if isinstance(node, ir.Element)}
        read |= {node.name for node in walk(functor) if isinstance(node, ir.ScalarValue)}
        self.expect(not begun & read, "a sum that workers begin anew is read")

    # 6

    def _own_sets(self) -> None:
        if not self.plan.target.grid:
            self.expect(not self.own_sets, "own members in sets, and workers pick them as they walk")
            return
        found: set[str] = set()
        named: set[str | None] = set()
        for each in steps_in(self.plan.schedule):
            if isinstance(each, Operation):
                step, functor = each.step, self.accesses.functor_of(each.step)
                by_ids = isinstance(step, ir.Filter) and isinstance(functor, ir.VertexFunctor) and _is_range(functor)
                self.expect(by_ids or step.frontier.frontier in found, f"{each.name} runs on members of other workers")
                if step.result in self.own_sets:
                    leave = isinstance(step, ir.Advance) and step.over is Over.OUT_EDGES and step.to is Domain.EDGE
                    leave = leave and isinstance(functor, ir.EdgeFunctor) and _is_range(functor)
                    self.expect(by_ids or leave, f"{step.result} has members of other workers")
                    found.add(step.result)
            elif isinstance(each, FarEnds):
                self.expect(each.step.other in found, "far ends of other workers' edges")
                named.add(each.step.name)
            elif isinstance(each, Combine) and each.step.name in self.own_sets:
                common = each.step.operation is SetOperation.INTERSECTION and each.step.second.frontier in found
                self.expect(common, f"{each.step.name} has members of other workers")
                named.add(each.step.first.frontier)
                found.add(each.step.name)
            elif isinstance(each, (Define, Copy, Combine, OnSets)):
                use = frontiers_of(each.step)
                named |= {*use.read, *use.written}
            elif isinstance(each, (Loop, Branch)):
                named |= set(asked_frontiers(each.condition))
        self.expect(found == self.own_sets, "own members that nothing finds")
        self.expect(not named & self.own_sets, "a set of own members is taken for a whole one")

    # 5

    def _held(self) -> None:
        assert self.plan.distribution is not None
        graph = {each.name: each.held for each in self.plan.distribution.graph}
        self.expect(not (self.plan.graphs and self.in_parts), "arrays in parts where a graph is made")
        self.expect(
            not self.plan.graphs or all(held is Held.MIRROR for held in graph.values()), "a graph is made of parts"
        )
        self.expect({graph["offsets"], graph["in_offsets"]} == {Held.MIRROR}, "degrees are not known everywhere")
        for operation in operations(self.plan):
            step, functor = operation.step, self.accesses.functor_of(operation.step)
            score = step.score if isinstance(step, ir.NeighborVote) else None
            votes = [each for each in self.program.vote_functors if each.name == score]
            for node in walk((*((functor,) if functor is not None else ()), *votes)):
                self._access(node, step, graph)
                if _pulls(operation):
                    self._pulled(node, graph)
            if isinstance(step, ir.Intersect):
                needed = (Held.MIRROR,) if step.partners is not None else (Held.MIRROR, Held.FAR)
                self.expect(graph["columns"] in needed, "an intersection lacks the lists of neighbors")
                names = functor.common if isinstance(functor, ir.EdgeFunctor) else None
                tells = self.plan.target.grid and names is not None and names.has_edges
                whole = graph["edge_sources"] is Held.MIRROR
                self.expect(whole or not tells, "an intersection lacks the sources of edges")
        for own_step in all_steps(self.program.schedule):
            parts = (getattr(own_step, name, None) for name in ("condition", "count", "target", "value", "members"))
            elements = walk(tuple(each for each in parts if isinstance(each, (ir.Node, tuple))))
            named = {node.array for node in elements if isinstance(node, (ir.Element, ir.ElementTarget))}
            if isinstance(own_step, ir.SetStep):
                named |= {*own_step.use.reads, *own_step.use.writes}
            self.expect(not named & self.in_parts, "the schedule names elements that other workers have")

    def _access(self, node: ir.Node, step: ir.Operator, graph: dict[str, Held]) -> None:
        if isinstance(node, (ir.Element, ir.ElementTarget)) and node.array in self.in_parts:
            own = _of_owner(ir.element_index(node.index), step)
            self.expect(own, f"{node.array} is held in parts, and other elements are named")
        if isinstance(node, (ir.GraphRead, ir.ForNeighbors)):
            whole = all(graph[part] is Held.MIRROR for part in parts_read(node))
            of = ir.element_index(node.vertex if isinstance(node, ir.ForNeighbors) else node.arguments[0])
            of_edge = isinstance(node, ir.GraphRead) and node.query.of_edge
            own = isinstance(of, ir.Parameter) and (
                (of.role is ir.Role.EDGE and _owns_edges(step)) if of_edge else of.role in _own_vertices(step)
            )
            self.expect(whole or own, "a list of another worker is read")

    def _pulled(self, node: ir.Node, graph: dict[str, Held]) -> None:
        """What a call of a pull needs is there: its edge and its near end are another worker's."""
        if isinstance(node, (ir.Element, ir.ElementTarget)):
            self.expect(node.array not in self.in_parts, f"a pull names {node.array}, which is held in parts")
        if isinstance(node, (ir.GraphRead, ir.ForNeighbors)):
            whole = all(graph[part] is Held.MIRROR for part in parts_read(node))
            self.expect(whole, "a pull reads lists of other workers")
        if isinstance(node, ir.Parameter):
            self.expect(node.role is not ir.Role.EDGE, "a pull names edges of other workers")


_OF_LAUNCHES = (Operation, FarEnds, OnSets, MakeGraph, Define, Copy, Combine, Leader, Fill, Initialize, Barrier)
"""The steps of one launch, behind which the host exchanges data."""


def _launched(step: Step) -> Step:
    """The only step of a launch."""
    return step.steps[0] if isinstance(step, Launch) and len(step.steps) == 1 else step


def _is_range(functor: ir.VertexFunctor | ir.EdgeFunctor) -> bool:
    """Whether a functor accepts vertices in a worker's range of ids, or edges that leave them: `first <= id && id <
    last`, and nothing else."""
    role = ir.Role.VERTEX if isinstance(functor, ir.VertexFunctor) else ir.Role.SOURCE
    if functor.body or len(functor.condition) != 2:
        return False
    tests = zip(functor.condition, (">=", "<"), ("first own vertex", "last own vertex"), strict=True)
    return all(
        isinstance(each, ir.Binary)
        and each.operation.value == operation
        and isinstance(each.left, ir.Convert)
        and isinstance(each.left.operand, ir.Parameter)
        and each.left.operand.role is role
        and isinstance(each.right, ir.ParamValue)
        and each.right.name == name
        for each, operation, name in tests
    )


def _pulls(operation: Operation) -> bool:
    return any(sweep.selection is not None for sweep in sweeps_of(operation))


def _own_vertices(step: ir.Operator) -> frozenset[ir.Role]:
    """The vertices of a call that its worker owns."""
    if step.visits is not None:
        return _NEAR[step.visits]
    on_vertices = step.frontier.domain is Domain.VERTEX and not isinstance(step, ir.Intersect)
    return frozenset({ir.Role.VERTEX}) if on_vertices else _NEAR[Over.OUT_EDGES]


def _owns_edges(step: ir.Operator) -> bool:
    """Whether the edge of a call leaves a vertex that its worker owns."""
    if isinstance(step, ir.Intersect):
        return step.partners is None
    return step.visits is Over.OUT_EDGES or (step.visits is None and step.frontier.domain is Domain.EDGE)


def _one_worker(index: ir.Expression, step: ir.Operator) -> bool:
    """Whether one worker runs all calls that name the element so: an edge is visited from both ends only over all
    edges."""
    if not isinstance(index, ir.Parameter):
        return False
    visited_once = index.role is ir.Role.EDGE and (_owns_edges(step) or step.visits is Over.IN_EDGES)
    return visited_once or index.role in _own_vertices(step)


def _of_owner(index: ir.Expression, step: ir.Operator) -> bool:
    is_own_edge = isinstance(index, ir.Parameter) and index.role is ir.Role.EDGE and _owns_edges(step)
    return is_own_edge or (isinstance(index, ir.Parameter) and index.role in _own_vertices(step))


def _collects_calls(node: ir.Node) -> bool:
    """Whether an update leaves what several calls give together, and they give different values."""
    if not isinstance(node, ir.Update) or node.operation not in (ReduceOperation.BIT_OR, ReduceOperation.BIT_AND):
        return False
    index = ir.element_index(node.target.index) if isinstance(node.target, ir.ElementTarget) else None
    named = {each.role for each in walk(node.value) if isinstance(each, ir.Parameter)}
    return not named <= ({index.role} if isinstance(index, ir.Parameter) else set())


def _begins_anew(update: ir.Update) -> bool:
    sums = update.operation in (ReduceOperation.ADD, ReduceOperation.SUBTRACT)
    return update.operation is ReduceOperation.MULTIPLY or (sums and update.target.type.holds_float)


def _operation(write: ir.Store | ir.Update | ir.CompareAndSwap) -> ReduceOperation | None:
    if isinstance(write, ir.Update):
        return ReduceOperation.ADD if write.operation is ReduceOperation.SUBTRACT else write.operation
    return None


def _index(target: ir.Target) -> ir.Expression | None:
    return ir.element_index(target.index) if isinstance(target, ir.ElementTarget) else None
