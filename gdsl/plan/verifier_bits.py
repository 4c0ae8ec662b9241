"""What must hold of instances that run together (decided by `bit_parallel`)."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.effects.access import Accesses, Who
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, walk
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain
from gdsl.passes.writers import far_roles, near_roles, targets_in
from gdsl.plan.buffer_nodes import Role
from gdsl.plan.instance_nodes import BitParallel, BitWalk, End, Renewal
from gdsl.plan.nodes import Choice, Compare, Measure, Operation, Plan
from gdsl.plan.walking import operations


def verify_bits(plan: Plan) -> None:
    """Raise `VerificationError` unless each conjunct is asked once, as a bit or as what all instances share, each bit
    is renewed where what it reads is written, and no step needs more than words and single instances."""
    if plan.bits is not None:
        _Verifier(plan, plan.bits).verify()


class _Verifier:
    def __init__(self, plan: Plan, bits: BitParallel) -> None:
        self.plan, self.program, self.bits = plan, plan.program, bits
        self.expect = expecting(f"plan of {plan.program.name}")
        self.accesses = Accesses(plan.program)
        self.functors = {functor.name: functor for functor in plan.program.vertex_functors}

    def verify(self) -> None:
        known = (ir.StoreElement, ir.StoreScalar, ir.Fill, ir.Swap, ir.DefineFrontier, ir.CopyFrontier)
        operators = (ir.Advance, ir.Filter, ir.Compute, ir.CombineFrontiers, ir.While, ir.Repeat, ir.If)
        for step in all_steps(self.program.schedule):
            self.expect(isinstance(step, (*known, *operators)), f"instances together have no {type(step).__name__}")
            if isinstance(step, ir.Swap):
                moved = {step.first, step.second}
                self.expect(
                    not any(moved & {*test.arrays} for test in self.bits.tests), "a swap of what bits are about"
                )
        if self.plan.target.grid:
            self._storage()
        domains = {each.domain for each in self.program.frontiers}
        self.expect(domains <= {Domain.VERTEX}, "a set of edges for several instances")
        for operation in operations(self.plan):
            if isinstance(operation.step, ir.Advance):
                self._walk(operation, self.bits.walk(operation.step.site))
            self._renewed(operation)

    def _storage(self) -> None:
        """A team has the words of all sets, with a spare one, and of all tests."""
        copies = {each.name: each.copies for each in self.plan.buffers if each.role is Role.INSTANCES}
        self.expect(copies.get("instance_sets") == self.plan.slots(Domain.VERTEX), "the words of sets")
        self.expect(copies.get("instance_tests", 0) == len(self.bits.tests), "the words of tests")
        self.expect(not self.bits.sized or "instance_sizes" in copies, "nowhere to count members")

    def _walk(self, operation: Operation, bits: BitWalk) -> None:
        step = operation.step
        functor = self.accesses.functor_of(step)
        assert isinstance(step, ir.Advance) and isinstance(functor, ir.EdgeFunctor)
        asked = {End.NEAR: set(bits.near), End.FAR: set(bits.far)}
        roles = {End.NEAR: near_roles(step.over), End.FAR: far_roles(step.over)}
        for place, conjunct in enumerate(functor.condition):
            own = {name for name in self._read(conjunct) if self._is_own(name)}
            if place in bits.shared.tests:
                self.expect(not own, "what all instances share reads data of one")
                continue
            ends = [end for end in asked if any(self._is(conjunct, number, roles[end]) for number in asked[end])]
            self.expect(bool(ends), "a conjunct that is not asked")
        self.expect(bits.body.tests == () and bits.body.body == tuple(range(len(functor.body))), "another body")
        once = bits.closes in bits.far or any(each.end is End.FAR for each in self.bits.renewed(step.site))
        self.expect(once or not functor.body, "a body for each edge and instance")
        self.expect(bits.closes is not None or not bits.may_pull, "a pull that does not stop")
        if bits.may_pull:
            self._begins(operation)
        if self.plan.target.grid and functor.body:
            self._found(functor, bits, roles[End.FAR])

    def _begins(self, operation: Operation) -> None:
        """A pull begins by what is counted for instances: the edges that any of them has, and those not yet visited."""
        does = operation.does
        self.expect(isinstance(does, Choice), "a pull without a push")
        assert isinstance(does, Choice)
        first, *others = does.test.enter
        counted = (first.left, first.right, first.strict) == (Measure.EDGES, Measure.UNVISITED, True)
        all_vertices = [] if self.plan.target.grid else [Compare(Measure.EDGES, 1, Measure.VERTICES, strict=True)]
        self.expect(counted and others == all_vertices, "a pull that begins by what is not counted")

    def _found(self, functor: ir.EdgeFunctor, bits: BitWalk, far: frozenset[ir.Role]) -> None:
        """On a grid bodies run when all edges have been visited, for what one of them has found."""
        self.expect(bits.closes in bits.far, "several edges that are the first")
        parameters = (node for node in walk(functor.body) if isinstance(node, ir.Parameter))
        self.expect(all(node.role in far for node in parameters), "a body that depends on the edge")

    def _is(self, conjunct: ir.Expression, number: int, roles: frozenset[ir.Role]) -> bool:
        """Whether a test is this conjunct, of the end with one of these roles."""
        parameters = [node for node in walk(conjunct) if isinstance(node, ir.Parameter)]
        (test,) = self.functors[self.bits.tests[number].functor].condition
        same = len(walk(test)) == len(walk(conjunct)) and self._read(test) == self._read(conjunct)
        return same and bool(parameters) and all(each.role in roles for each in parameters)

    def _read(self, part: ir.Expression) -> frozenset[str]:
        return frozenset(each.name for each in self.accesses.of_expression(part, Who.ANYBODY))

    def _is_own(self, name: str) -> bool:
        return any(each.name == name and not each.is_input for each in self.program.data)

    def _renewed(self, operation: Operation) -> None:
        functor = self.accesses.functor_of(operation.step)
        done = {*self.bits.renewed(operation.step.site)}
        closes = [each.closes for each in self.bits.walks if each.site == operation.step.site]
        for target in targets_in(functor.body if functor is not None else ()):
            for needed in self._needed(operation.step, target):
                closed = needed.end is End.FAR and needed.test in closes
                self.expect(closed or needed in done, "a bit that is not renewed")

    def _needed(self, step: ir.Operator, target: ir.Target) -> Iterator[Renewal]:
        """What a write makes necessary."""
        if not isinstance(target, ir.ElementTarget):
            return
        for number in self.bits.reading(target.array):
            self.expect(isinstance(target.index, ir.Parameter), "a write at a vertex that is not known")
            assert isinstance(target.index, ir.Parameter)
            far = step.visits is not None and target.index.role in far_roles(step.visits)
            near = step.visits is not None and target.index.role in near_roles(step.visits)
            yield Renewal(number, End.FAR if far else End.NEAR if near else End.OWN)
