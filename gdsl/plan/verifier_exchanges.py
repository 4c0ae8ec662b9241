"""What must hold where several workers run a plan, stated without asking the pass that placed the exchanges.

1. Whatever an operator writes is exchanged right after it, with the values before it noted right before it; its result
   and the edges that it walked, too. No step is in between, so none reads what only some workers have.
2. Only what a single worker can have written is published, at its own elements or, where a contraction has other edges
   than the given graph, anywhere. What several may write is combined by the one operation by which all calls write it.
3. An operator is run by all workers at the same time only if no answer depends on another worker, or no effect shows
   that (`verifier_answers`), and nothing reads a sum that each worker begins again.
4. A choice that is left to a run is that of one worker.

`verifier_parts` says what must hold of what a worker has alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.effects.access import Accesses
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, walk
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain, Over, ReduceOperation
from gdsl.plan import nodes
from gdsl.plan.exchange_nodes import Exchange, Exchanged, Held, How, Reach, Snapshot
from gdsl.plan.verifier_answers import verify_answers
from gdsl.plan.verifier_parts import of_owner, own_vertices, verify_parts
from gdsl.plan.walking import blocks_in, has_own_edges, operations, pulls, step_of_launch, steps_in, sweeps_of

_ENDS = frozenset({ir.Role.VERTEX, ir.Role.SOURCE, ir.Role.DESTINATION, ir.Role.NEAR, ir.Role.FAR})


def verify_exchanges(plan: nodes.Plan) -> None:
    """Raise `gdsl.ir.verifier.VerificationError` where workers would have different data, or wrong ones."""
    _Exchanges(plan).verify()


class _Exchanges:
    def __init__(self, plan: nodes.Plan) -> None:
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
                self._block(tuple(map(step_of_launch, block)))
        verify_parts(plan)

    # 1 and 4

    def _block(self, block: tuple[nodes.Step, ...]) -> None:
        used = 0
        for place, step in enumerate(block):
            before = block[place - 1] if place else None
            after = block[place + 1] if place + 1 < len(block) else None
            exchange = after if isinstance(after, Exchange) else None
            if isinstance(step, nodes.Operation):
                snapshot = before if isinstance(before, Snapshot) else None
                used += (exchange is not None) + (snapshot is not None)
                self._operation(step, snapshot, exchange)
            elif isinstance(step, (nodes.FarEnds, nodes.OnSets, nodes.MakeGraph)):
                used += self._other(step, exchange)
        placed = sum(isinstance(step, (Exchange, Snapshot)) for step in block)
        self.expect(used == placed, "an exchange that belongs to no step")

    def _operation(self, operation: nodes.Operation, snapshot: Snapshot | None, exchange: Exchange | None) -> None:
        step, name = operation.step, operation.name
        if step.result in self.own_sets:
            self.expect(exchange is None and snapshot is None, f"{name}: a worker's own members are exchanged")
            return
        written = {each.name for each in self.accesses.of_step(step) if each.writes} - self.in_parts
        data = exchange.data if exchange is not None else ()
        if operation.turns is not None:
            self.expect(not pulls(operation), f"{name}: workers that take turns do not pull")
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
                    each.how is How.MERGE or not pulls(operation), f"{name}: a pull writes {each.name} for others"
                )
            self._at_once(step, {each.name for each in data if each.how is not How.PUBLISH})
        united = exchange.frontier if exchange is not None else None
        self.expect(united == step.result, f"{name}: its result is not united")
        walked = any(sweep.edges is nodes.EdgeCount.WALKED for sweep in sweeps_of(operation))
        assert self.plan.distribution is not None
        at_the_end = step.site in self.plan.distribution.walked
        counts = exchange.counts_edges if exchange is not None else at_the_end
        self.expect(counts == walked, f"{name}: the edges that it walks are not added up")
        self.expect(exchange is None or not at_the_end, f"{name}: the edges that it walks are added up twice")

    def _noted(self, operation: nodes.Operation, snapshot: Snapshot | None) -> None:
        """A snapshot of some elements has all that the operator may write."""
        step = operation.step
        if snapshot is None or snapshot.frontier is None:
            return
        if pulls(operation):
            does = operation.does
            self.expect(isinstance(does, nodes.Choice), f"{step.label}: a pull writes more than what is noted")
            assert isinstance(does, nodes.Choice)
            ends = (
                nodes.Compare(nodes.Measure.SIZE, snapshot.pulled_from or 0, nodes.Measure.VERTICES, strict=False)
                in does.test.stay
            )
            begins = nodes.Compare(nodes.Measure.EDGES, 1, nodes.Measure.VERTICES, strict=True) in does.test.enter
            self.expect(begins and ends, f"{step.label}: what a pull writes is not noted")
        reached = all(each.scalar or each.reach is not Reach.ANYWHERE for each in snapshot.data)
        over = step.visits
        lists = () if over is None else (over,) if over is not Over.ALL_EDGES else (Over.OUT_EDGES, Over.IN_EDGES)
        fits = snapshot.frontier == step.frontier.frontier and snapshot.over == lists
        fits = fits and step.frontier.domain is Domain.VERTEX and not isinstance(step, ir.Intersect)
        fits = fits and not self.plan.graphs
        self.expect(reached and fits, f"{step.label}: values that it writes are not noted")

    def _other(self, step: nodes.FarEnds | nodes.OnSets | nodes.MakeGraph, exchange: Exchange | None) -> bool:
        """Whether a step that is no operator has an exchange, which it has exactly if it must."""
        chosen = None
        if isinstance(step, nodes.OnSets) and isinstance(step.step, ir.ChooseBound):
            chosen = step.step.bound
        elif isinstance(step, nodes.MakeGraph) and isinstance(step.step, ir.Contract) and step.step.weights is not None:
            chosen = step.step.weights.array
        if isinstance(step, nodes.FarEnds):
            self.expect(exchange is not None and exchange.frontier == step.step.name, "far ends are not united")
        elif chosen is not None:
            data = exchange.data if exchange is not None else ()
            taken = [each.name for each in data if each.how is How.ADOPT]
            self.expect(taken == [chosen] and len(data) == 1, f"each worker chooses {chosen}")
        return exchange is not None and (chosen is not None or isinstance(step, nodes.FarEnds))

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
        of_edge = ir.is_parameter(index, ir.Role.EDGE)
        contracts = any(isinstance(each, ir.Contract) for each in all_steps(self.program.schedule))
        return of_owner(index, step) and not (of_edge and contracts)

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
        verify_answers(self.program, step, functor, merged)
        updates = [node for node in walk(functor.body) if isinstance(node, ir.Update)]
        begun = {each.target.data for each in updates if _begins_anew(each)} & merged
        read = {node.array for node in walk(functor) if isinstance(node, ir.Element)}
        read |= {node.name for node in walk(functor) if isinstance(node, ir.ScalarValue)}
        self.expect(not begun & read, "a sum that workers begin anew is read")


_OF_LAUNCHES = (
    nodes.Operation,
    nodes.FarEnds,
    nodes.OnSets,
    nodes.MakeGraph,
    nodes.Define,
    nodes.Copy,
    nodes.Combine,
    nodes.Leader,
    nodes.Fill,
    nodes.Initialize,
    nodes.Barrier,
)
"""The steps of one launch, after which the host exchanges data."""


def _one_worker(index: ir.Expression, step: ir.Operator) -> bool:
    """Whether one worker runs all calls that name the element so: an edge is visited from both ends only over all
    edges."""
    if not isinstance(index, ir.Parameter):
        return False
    visited_once = index.role is ir.Role.EDGE and (has_own_edges(step) or step.visits is Over.IN_EDGES)
    return visited_once or index.role in own_vertices(step)


def _begins_anew(update: ir.Update) -> bool:
    sums = update.operation in (ReduceOperation.ADD, ReduceOperation.SUBTRACT)
    return update.operation is ReduceOperation.MULTIPLY or (sums and update.target.type.holds_float)


def _operation(write: ir.Store | ir.Update | ir.CompareAndSwap) -> ReduceOperation | None:
    if isinstance(write, ir.Update):
        return ReduceOperation.ADD if write.operation is ReduceOperation.SUBTRACT else write.operation
    return None


def _index(target: ir.Target) -> ir.Expression | None:
    return ir.element_index(target.index) if isinstance(target, ir.ElementTarget) else None
