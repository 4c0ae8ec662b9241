"""What must hold where one of several GPUs runs passes of a loop alone (decided by `solo_rounds`)."""

from __future__ import annotations

from gdsl.effects.access import Accesses, frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain
from gdsl.plan.hints import HubBounds, NextLevel
from gdsl.plan.nodes import Barrier, Choice, Leader, Loop, Mode, Operation, Plan, Rotate, Solo, StorePrivate, Sweep
from gdsl.plan.walking import steps_in, sweeps_of, variants_of


def verify_solo(plan: Plan) -> None:
    """Raise `VerificationError` unless the others find all that such passes change when they take part again: in memory
    that all share, or in what the first GPU hands on."""
    for step in steps_in(plan.schedule):
        if isinstance(step, Loop) and step.solo is not None:
            _Verifier(plan).loop(step, step.solo)


class _Verifier:
    def __init__(self, plan: Plan) -> None:
        self.plan, self.accesses = plan, Accesses(plan.program)
        self.expect = expecting(f"plan of {plan.program.name}: passes of one GPU alone")

    def loop(self, loop: Loop, solo: Solo) -> None:
        target, known = self.plan.target, {each.name: each for each in self.plan.frontiers}
        self.expect(target.several_gpus and target.fused and not target.teams, "there is no other GPU")
        self.expect(not self.plan.graphs and not loop.counted, "a loop of another kind")
        worked_off = isinstance(loop.condition, ir.FrontierNotEmpty) and loop.condition.frontier == solo.worklist
        self.expect(worked_off, "a set that says nothing about the work")
        self.expect(solo.counted == (known[solo.worklist].counts is not None), "edges that nobody counts")
        inside = steps_in(loop.body)
        for step in inside:
            self.expect(isinstance(step, (Operation, Barrier, Leader, StorePrivate, Rotate)), "another kind of step")
        operations = [each for each in inside if isinstance(each, Operation)]
        uses = [frontiers_of(each.step) for each in operations]
        touched = {solo.worklist}.union(*((*use.read, *use.written) for use in uses))
        self.expect(touched <= set(solo.frontiers), "a frontier is not handed on")
        self.expect(all(known[name].domain is Domain.VERTEX for name in touched), "a frontier of edges")
        choosing = {each.step.site for each in operations if isinstance(each.does, Choice)}
        self.expect(choosing <= set(solo.directions), "a direction is not handed on")
        stored = {each.step.scalar for each in inside if isinstance(each, StorePrivate)}
        self.expect(stored <= set(solo.private), "a scalar of each thread is not handed on")
        moved = {each.step.scalar for each in inside if isinstance(each, Rotate)}
        self.expect(moved <= set(solo.rotating), "the place of a scalar is not handed on")
        for operation in operations:
            self._shares(operation)

    def _shares(self, operation: Operation) -> None:
        """What an operator changes is in memory that all GPUs share."""
        own = {each.array for each in self.plan.replicas}
        written = {access.name for access in self.accesses.of_step(operation.step) if access.writes}
        self.expect(not own & written, "copies of other GPUs miss what it changes")
        for sweep in sweeps_of(operation):
            self.expect(not _lasting_copies(sweep), "copies of other GPUs miss what it changes")
            kept = any(isinstance(each, (HubBounds, NextLevel)) for each in sweep.hints)
            self.expect(not kept, "blocks of other GPUs miss what others keep")


def _lasting_copies(sweep: Sweep) -> bool:
    modes = {write.mode for variant in variants_of(sweep) for write in variant.writes}
    return sweep.merge is not None or sweep.labels is not None or bool(sweep.published) or Mode.EVERYWHERE in modes
