"""What must hold where each of several GPUs has an array whole (decided by `replicas`)."""

from __future__ import annotations

from gdsl.effects.access import Accesses
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain
from gdsl.plan.gpu_copies import uses_of
from gdsl.plan.nodes import Initialize, Mode, Operation, Plan, Replica, Sweep, Write
from gdsl.plan.replicas import joins_alone, reduces_anywhere, writes_own
from gdsl.plan.walking import operations, steps_in, sweeps, sweeps_of, variants_of
from gdsl.types import WHOLE_WORDS


def verify_replicas(plan: Plan) -> None:
    """Raise `VerificationError` unless all copies of an array are equal after each barrier."""
    verifier = _Verifier(plan)
    for replica in plan.replicas:
        verifier.verify(replica)
    verifier.nothing_else()


class _Verifier:
    def __init__(self, plan: Plan) -> None:
        self.plan, self.accesses = plan, Accesses(plan.program)
        self.expect = expecting(f"plan of {plan.program.name}: replicas")
        self.names = {each.array for each in plan.replicas}

    def nothing_else(self) -> None:
        """What is done with copies is done with these alone."""
        self.expect(len(self.names) == len(self.plan.replicas), "an array has two copies")
        published = {name for sweep in sweeps(self.plan) for name in sweep.published}
        everywhere = {write.name for write in self._writes() if write.mode is Mode.EVERYWHERE}
        lowered = {each.labels.array for each in sweeps(self.plan) if each.labels is not None and each.labels.stays}
        lowered |= {each.merge.array for each in sweeps(self.plan) if each.merge is not None and each.merge.stays}
        self.expect(published | everywhere | lowered <= self.names, "copies of what not all GPUs have")

    def _writes(self) -> list[Write]:
        found = (variant for sweep in sweeps(self.plan) for variant in variants_of(sweep))
        return [write for variant in found for write in variant.writes]

    def verify(self, replica: Replica) -> None:
        plan, name = self.plan, replica.array
        self.expect(plan.target.several_gpus and plan.target.fused and not plan.graphs, "one GPU has one copy")
        array = next((each for each in plan.program.arrays if each.name == name), None)
        whole = array is not None and array.domain is Domain.VERTEX and array.count is None
        self.expect(whole and array is not None and array.type in WHOLE_WORDS, f"{name} is not of one word a vertex")
        stays = array is not None and not array.is_input and name not in plan.swapped
        self.expect(stays, f"{name} is stored elsewhere")
        first = next(step for step in steps_in(plan.schedule) if isinstance(step, Initialize))
        begins = first.barrier is not None and any(each.name == name for each in first.vertex_arrays)
        self.expect(begins, f"{name} has no values at first")
        alone = uses_of(plan)[replica.copy] == {("replica", name)}
        self.expect(alone, f"others fill the copy of {name}, too")
        by_site = {each.step.site: each for each in operations(plan)}
        for step in all_steps(plan.program.schedule):
            if any(access.writes and access.name == name for access in self.accesses.of_step(step)):
                if isinstance(step, ir.StoreElement):  # which a thread of each GPU does
                    continue
                operation = by_site.get(step.site) if isinstance(step, ir.Operator) else None
                self.expect(operation is not None, f"{name} is written in one copy alone")
                assert operation is not None
                for sweep in sweeps_of(operation):
                    self._writes_all(name, operation, sweep, replica)

    def _writes_all(self, name: str, operation: Operation, sweep: Sweep, replica: Replica) -> None:
        """Expect that what the calls of a sweep write of an array gets into all copies."""
        functor, where = self.accesses.functor_of(operation.step), f"{operation.name}: {name}"
        self.expect(functor is not None and operation.step.stores != name, f"{where} is written in one copy alone")
        assert functor is not None
        labels = sweep.labels
        if labels is not None:
            joined = labels.array == name and labels.stays and labels.copy == replica.copy
            self.expect(joined and operation.waits, f"{where} is lowered in one copy alone")
            return
        if sweep.merge is not None:
            merged = sweep.merge.array == name and sweep.merge.stays and sweep.merge.copy == replica.copy
            self.expect(merged and operation.waits, f"{where} is merged in one copy alone")
            return
        plain = sweep.is_plain and sweep.proposals is None and sweep.skips is None
        self.expect(plain, f"{where} is written by another kind of sweep")
        writes = [each for variant in variants_of(sweep) for each in variant.writes if each.name == name]
        if name in sweep.published:
            everything = isinstance(operation.step, ir.Compute) and operation.step.frontier.everything
            own = everything and isinstance(functor, ir.VertexFunctor) and writes_own(name, functor)
            self.expect(own, f"{where} is not written at the call's vertex alone")
            self.expect(all(each.mode is not Mode.EVERYWHERE for each in writes), f"{where} is written twice")
            return
        self.expect(all(each.mode is Mode.EVERYWHERE for each in writes) and bool(writes), f"{where} is in one copy")
        alike = joins_alone(name, functor) or reduces_anywhere(name, operation.step, functor)
        self.expect(alike, f"{where} is not reduced by one minimum or maximum whose answers go into one flag")
