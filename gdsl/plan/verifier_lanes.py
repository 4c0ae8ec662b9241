"""What must hold where the lanes of a warp share loops over neighbors (decided by `lane_loops`)."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.effects.access import Accesses
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import contains, walk
from gdsl.ir.verifier import expecting
from gdsl.operations import BinaryOperation, Domain
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.hints import WholeSet
from gdsl.plan.lane_facts import INNER_LOOPS, depends, following, gathered_in, neighbor_loops
from gdsl.plan.nodes import Mode, Operation, Plan, Sweep
from gdsl.plan.walking import operations, sweeps_of

_FROM_MEMORY = (ir.Element, ir.GraphRead, ir.DegreeOf, ir.ScalarValue)
_WITHIN = (ir.Let, ir.Assign, ir.Branch, ir.Store, ir.Update)


def verify_lanes(plan: Plan) -> None:
    """Raise `VerificationError` unless each such call computes the same numbers in the same order as one thread."""
    for operation in operations(plan):
        if any(sweep.lanes for sweep in sweeps_of(operation)):
            _Verifier(plan, operation).verify()
        for each in operation.fused:
            expecting(f"plan of {plan.program.name}")(
                not any(sweep.lanes for sweep in sweeps_of(each)), "a warp for a member in another operator's sweep"
            )


class _Verifier:
    def __init__(self, plan: Plan, operation: Operation) -> None:
        self.plan, self.operation, self.accesses = plan, operation, Accesses(plan.program)
        self.expect = expecting(f"plan of {plan.program.name}: loops that lanes share")
        self.functions = {each.name: each.body for each in plan.program.functions}

    def verify(self) -> None:
        target, sweep, step = self.plan.target, self.operation.does, self.operation.step
        self.expect(target.grid and target.one_memory, "members are shared in another way")
        functor = self.accesses.functor_of(step)
        assert isinstance(sweep, Sweep)
        own = isinstance(step, ir.Compute) and sweep.own is not None and sweep.members.domain is Domain.VERTEX
        by_number = all(isinstance(hint, WholeSet) for hint in sweep.hints)  # of a whole set, by warps as by threads
        self.expect(own and by_number and not sweep.published, "another kind of sweep")
        self.expect(not self.operation.fused, "other operators in the sweep, whose members are a thread's")
        assert isinstance(functor, ir.VertexFunctor) and sweep.own is not None
        self.expect(sweep.own.claim is None and not sweep.own.accepts, "calls that decide something")
        self._alike(step, functor)
        loops = neighbor_loops(functor)
        self.expect(len(sweep.lanes) == len(loops), "loops that one thread goes through")
        modes = {write.name: write.mode for write in sweep.own.writes}
        for loop, shared in zip(loops, sweep.lanes, strict=True):
            self.expect(shared.rows > 0, "no row of edges")
            self._loop(functor, loop, shared.carried, modes)

    def _alike(self, step: ir.Operator, functor: ir.VertexFunctor) -> None:
        """Whatever lane reads it, and whenever in the call, a value is the same; no lane alone leaves a loop."""
        touched = self.accesses.of_step(step)
        written = {each.name for each in touched if each.writes}
        self.expect(not any(each.name in written and not each.writes for each in touched), "reads of what calls write")
        used = (ir.UpdateValue, ir.CompareAndSwap, ir.Accept)
        self.expect(not contains(functor, *used), "a result of a write")
        loops = (ir.Loop, ir.ForRange, ir.ForNeighbors)
        inside = self._called(functor)
        self.expect(not any(isinstance(node, loops) for node in inside), "a function that some lanes may leave")

    def _called(self, part: object) -> list[ir.Node]:
        """The nodes of all functions that are called in `part`, or by them."""
        nodes: list[ir.Node] = []
        for node in walk(part):
            if isinstance(node, ir.FunctionCall):
                body = self.functions[node.function]
                nodes += [*walk(body), *self._called(body)]
        return nodes

    def _loop(
        self, functor: ir.VertexFunctor, loop: ir.ForNeighbors, carried: tuple[str, ...], modes: dict[str, Mode]
    ) -> None:
        own = ir.is_parameter(loop.vertex, ir.Role.VERTEX)
        self.expect(own, "the list of another vertex")
        nodes = walk(loop.body)
        self.expect(all(map(_goes_on, loop.body)), "a loop that ends early, or one inside that writes")
        self.expect(len(set(carried)) == len(carried), "a local named twice")
        declared = {node.name for node in nodes if isinstance(node, ir.Let)}
        gathered = gathered_in(loop)
        for name in (node.name for node in nodes if isinstance(node, ir.Assign)):
            known = name in declared or name in carried or name in gathered
            self.expect(known, f"{name} goes from one edge to the next")
        for node, sometimes in _with_branches(loop.body, carried, False):
            self._statement(node, sometimes, carried)
        self._writes(functor, loop, modes)

    def _statement(self, node: ir.Statement, sometimes: bool, carried: tuple[str, ...]) -> None:
        """`sometimes`: it is in a branch that depends on the edges before."""
        if isinstance(node, (ir.Let, ir.Assign)):
            follows = sometimes or depends(node.value, carried)
            self.expect(not follows or node.name in carried, f"{node.name} depends on the edges before")
        if isinstance(node, (ir.Store, ir.Update)):
            self.expect(not depends(node.target, carried), "a place that depends on the edges before")
        if isinstance(node, INNER_LOOPS):
            changed = any(isinstance(each, ir.Assign) and each.name in carried for each in walk(node.body))
            self.expect(not (sometimes or changed or depends(node, carried)), "a loop that depends on the edges before")
            return
        inside = (node.condition,) if isinstance(node, ir.Branch) else node
        stops = may_stop(inside)
        self.expect(not (sometimes and stops), "an index of an edge for which nobody asks")
        for part in following(inside, carried):
            self.expect(not isinstance(part, _FROM_MEMORY), "a read edge by edge")
            self.expect(not (_chooses(part) and stops), "an index of an edge for which nobody asks")

    def _writes(self, functor: ir.VertexFunctor, loop: ir.ForNeighbors, modes: dict[str, Mode]) -> None:
        inside = [node for node in walk(loop.body) if isinstance(node, (ir.Store, ir.Update))]
        everywhere = [node for node in walk(functor.body) if isinstance(node, (ir.Store, ir.Update))]
        ways: dict[str, set[object]] = {}
        for node in inside:
            name = node.target.data
            here, all_of_it = (sum(each.target.data == name for each in part) for part in (inside, everywhere))
            self.expect(here == all_of_it, f"{name} is written elsewhere, too")
            index = node.target.index if isinstance(node.target, ir.ElementTarget) else None
            if isinstance(index, ir.ListVariable) and index.name == loop.edge:
                ways.setdefault(name, set()).add(None)
                continue
            self.expect(isinstance(node, ir.Update), f"{name} is stored by several lanes")
            assert isinstance(node, ir.Update)
            ways.setdefault(name, set()).add(node.operation)
            exact = not node.target.type.is_float and not node.target.type.is_pair
            total = isinstance(node.target, ir.ScalarTarget) and modes[name] is Mode.TOTAL
            self.expect(exact and (total or modes[name] is Mode.SHARED), f"{name} depends on which lane is first")
        self.expect(all(len(each) == 1 for each in ways.values()), "lanes that change an element in several ways")


def _goes_on(node: ir.Statement) -> bool:
    """Whether the loop goes on to the next edge after a statement."""
    if isinstance(node, ir.Branch):
        return all(map(_goes_on, (*node.then, *node.otherwise)))
    if isinstance(node, INNER_LOOPS):
        return not contains(node.body, ir.Store, ir.Update)
    return isinstance(node, _WITHIN)


def _with_branches(
    body: tuple[ir.Statement, ...], carried: tuple[str, ...], sometimes: bool
) -> Iterator[tuple[ir.Statement, bool]]:
    """Every statement, and whether the edges before decide that it is reached."""
    for node in body:
        yield node, sometimes
        if isinstance(node, ir.Branch):
            also = sometimes or depends(node.condition, carried)
            yield from _with_branches((*node.then, *node.otherwise), carried, also)


def _chooses(node: ir.Expression) -> bool:
    """Whether an expression evaluates some of its parts only sometimes."""
    operations = [operation for operation, _ in node.links] if isinstance(node, ir.Chain) else []
    operations += [node.operation] if isinstance(node, ir.Binary) else []
    return isinstance(node, ir.Select) or any(each in (BinaryOperation.AND, BinaryOperation.OR) for each in operations)
