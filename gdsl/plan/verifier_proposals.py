"""What must hold where several GPUs choose an edge for each far end before they visit it (decided by
`proposals`)."""

from __future__ import annotations

from gdsl.effects.access import Accesses, Who
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain
from gdsl.passes.writers import far_roles
from gdsl.plan.gpu_copies import uses_of
from gdsl.plan.hints import ReadAhead
from gdsl.plan.nodes import Choice, Dedup, EdgeCount, Form, Measure, Operation, Plan, Sweep
from gdsl.plan.walking import operations, sweeps_of


def verify_proposals(plan: Plan) -> None:
    """Raise `VerificationError` unless what is proposed are edges that a claim tells apart: of all that lead to a far
    end, any may be visited in the place of all others."""
    for operation in operations(plan):
        for sweep in sweeps_of(operation):
            if sweep.proposals is not None:
                _Verifier(plan, operation, sweep).verify()


class _Verifier:
    def __init__(self, plan: Plan, operation: Operation, sweep: Sweep) -> None:
        self.plan, self.operation, self.sweep = plan, operation, sweep
        self.expect = expecting(f"plan of {plan.program.name}: {operation.name}: proposals")

    def verify(self) -> None:
        plan, operation, sweep, step = self.plan, self.operation, self.sweep, self.operation.step
        self.expect(plan.target.several_gpus and plan.target.fused, "one GPU visits what it finds")
        self.expect(not plan.program.graphs, "graphs of other vertices")
        is_push = isinstance(step, ir.Advance) and sweep.selection is None and not operation.fused
        self.expect(is_push and not (isinstance(operation.does, Choice) and sweep is operation.does.yes), "no push")
        assert isinstance(step, ir.Advance)
        plain = sweep.is_plain and sweep.own is None and sweep.skips is None and sweep.merge is None
        self.expect(plain and len(sweep.walks) == 1, "another kind of sweep")
        ahead = (each for each in sweep.hints if isinstance(each, ReadAhead))
        self.expect(all(each.over is None for each in ahead), "something is read ahead for an edge")
        self._places()
        self._measures()
        pulls = isinstance(operation.does, Choice) and operation.does.yes.members.form is Form.BITMAP
        queued = sweep.collect is not None and sweep.collect.form is Form.QUEUE
        assert sweep.proposals is not None
        self.expect(not sweep.proposals.maps or (pulls and queued), "a bitmap that the result does not have")
        functor = plan.program.edge_functor(step.functor)
        self._claims(functor, step)

    def _claims(self, functor: ir.EdgeFunctor, step: ir.Advance) -> None:
        """Each call that does anything has claimed the far end, after tests that no call changes."""
        (way,), collect = self.sweep.walks, self.sweep.collect
        claim = way.variant.claim
        once = collect is None or (collect.domain is Domain.VERTEX and collect.dedup is Dedup.CLAIM)
        self.expect(claim is not None and way.shared in (None, way.variant) and once, "calls that claim nothing")
        assert claim is not None
        edges = [node for node in walk(functor) if isinstance(node, ir.Parameter) and node.role.is_edge]
        places = [node for node in walk(functor) if isinstance(node, ir.Place)]
        self.expect(not edges and not places, "the edge itself is asked for")
        ends = {each.role for each in walk(claim.expected) if isinstance(each, ir.Parameter)}
        self.expect(ends <= far_roles(step.over), "a far end that is free for some edges only")
        tests = [test for place, test in enumerate(functor.condition) if place != claim.conjunct]
        tests.append(claim.expected)
        accesses = Accesses(self.plan.program)
        read = {each.name for test in tests for each in accesses.of_expression(test, Who.ANYBODY)}
        written = {each.name for each in accesses.of_step(step) if each.writes}
        self.expect(not read & written, "a test of what calls write")

    def _places(self) -> None:
        """Nothing else has these copies at the same time."""
        proposals, uses = self.sweep.proposals, uses_of(self.plan)
        assert proposals is not None
        alone = uses[proposals.copy] == {("proposals", "")} and uses[proposals.marks] == {("marks of proposals", "")}
        self.expect(alone, "others fill them, too")

    def _measures(self) -> None:
        """What all threads know alike when the operator begins."""
        assert self.sweep.proposals is not None
        known = {Measure.SIZE, Measure.VERTICES, Measure.THREADS}
        if self.sweep.edges in (EdgeCount.CARRIED, EdgeCount.ALL):
            known |= {Measure.EDGES, Measure.UNVISITED} if isinstance(self.operation.does, Choice) else {Measure.EDGES}
        asked = {side for each in self.sweep.proposals.many for side in (each.left, each.right)}
        self.expect(bool(asked) and asked <= known, "a test of what is not known")
