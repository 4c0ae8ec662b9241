"""What must hold where several GPUs change copies of an array (decided by `merges`)."""

from __future__ import annotations

from gdsl.effects.access import Accesses
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, walk
from gdsl.ir.verifier import expecting
from gdsl.operations import IDEMPOTENT, Domain, Outcome, ReduceOperation
from gdsl.passes.writers import far_roles, targets
from gdsl.plan.gpu_copies import uses_of
from gdsl.plan.hints import FewAsList
from gdsl.plan.nodes import Choice, Dedup, Form, Loop, Operation, Plan, Sweep
from gdsl.plan.sweep_nodes import Merge
from gdsl.plan.walking import operations, outside_launches, sweeps_of


def verify_merges(plan: Plan) -> None:
    """Raise `VerificationError` unless what is merged are copies that nothing else changes, of an array of which each
    change is marked, by an operation that may be done in any order and more than once."""
    found = {o.step.site for o in operations(plan) if any(sweep.merge is not None for sweep in sweeps_of(o))}
    if found:
        _Verifier(plan).verify(found)


class _Verifier:
    def __init__(self, plan: Plan) -> None:
        self.plan, self.accesses = plan, Accesses(plan.program)
        self.expect = expecting(f"plan of {plan.program.name}: copies that are merged")
        self.arrays = {array.name: array for array in plan.program.arrays}
        self.functors = {functor.name: functor for functor in plan.program.edge_functors}

    def verify(self, found: set[int]) -> None:
        plan = self.plan
        self.expect(plan.target.several_gpus and plan.target.fused, "one GPU has one copy")
        self.expect(not plan.program.graphs, "graphs of other vertices")
        loops = [step for step in outside_launches(plan.schedule) if isinstance(step, Loop)]
        each_pass = {each.step.site: loop for loop in loops for each in loop.body if isinstance(each, Operation)}
        self.expect(found <= set(each_pass), "they are not filled in the first pass of all")
        for loop in loops:
            merging = [each for each in loop.body if isinstance(each, Operation) and each.step.site in found]
            self._apart([each.does.merge for each in merging if isinstance(each.does, Sweep) and each.does.merge])
            for operation in merging:
                self._operation(operation, loop)

    def _apart(self, merging: list[Merge]) -> None:
        """All copies of a loop are there at the same time, beside those that other operators fill."""
        apart = len({each.copy for each in merging}) == len(merging) and len({each.marks for each in merging}) <= 1
        self.expect(apart, "two have one place")
        uses, whole = uses_of(self.plan), {(each.array, each.copy) for each in self.plan.replicas}
        for each in merging:
            alone = {kind for kind, _ in uses[each.copy]} == {"replica" if each.stays else "merge"}
            alone = alone and uses[each.marks] == {("marks of changes", "")}
            self.expect(alone, "others fill them, too")
            self.expect(each.stays is ((each.array, each.copy) in whole), "who has the array whole?")

    def _operation(self, operation: Operation, loop: Loop) -> None:
        self.expect(not isinstance(operation.does, Choice) and not operation.fused, "another kind of operator")
        sweep, step = operation.does, operation.step
        assert isinstance(sweep, Sweep) and sweep.merge is not None
        self.expect(isinstance(step, ir.Advance) and step.to is Domain.VERTEX, "another kind of operator")
        assert isinstance(step, ir.Advance)
        self._marks(sweep)
        name, combine = sweep.merge.array, sweep.merge.reduction.combine
        array = self.arrays.get(name)
        self.expect(array is not None and name not in self.plan.swapped, "no array that stays")
        assert array is not None
        single = array.domain is Domain.VERTEX and array.count is None and not array.is_input
        whole = not array.type.is_pair and array.type.name != "bool" and sweep.merge.reduction.type is array.type
        self.expect(single and whole, "values that are not words")
        self.expect(combine in IDEMPOTENT, "an operation that may be done once only")
        functor = self.functors[step.functor]
        self._accepts(functor, step, name, combine)
        node = next(each for each in walk(self.plan.program.schedule) if getattr(each, "loop", None) == loop.number)
        others = [each for each in all_steps(node.body) if getattr(each, "site", None) != step.site]  # type: ignore[attr-defined]
        written = {access.name for each in others for access in self.accesses.of_step(each) if access.writes}
        self.expect(name not in written and loop.order is None, "something else changes the array")
        reads = any(access.name == name and not access.writes for access in self.accesses.of_step(step))
        monotone = isinstance(node, ir.While) and node.monotone
        self.expect(not reads or monotone, "calls see the changes of some others only")

    def _marks(self, sweep: Sweep) -> None:
        """What is accepted is marked, and nothing but marks says what is collected."""
        collect = sweep.collect
        plain = sweep.is_plain and sweep.own is None and not sweep.totals and len(sweep.walks) == 1
        self.expect(plain and sweep.hint(FewAsList) is None, "another kind of sweep")
        marked = collect is not None and collect.dedup is Dedup.MARK and collect.form is Form.QUEUE
        self.expect(marked, "what has changed is not marked")

    def _accepts(self, functor: ir.EdgeFunctor, step: ir.Advance, name: str, combine: ReduceOperation) -> None:
        """A functor accepts exactly the far ends that it changes, and does nothing else."""
        accepts = [each.value for each in functor.body if isinstance(each, ir.Accept)]
        value = accepts[0] if len(accepts) == len(functor.body) == 1 else None
        changes = isinstance(value, ir.UpdateValue) and value.outcome is Outcome.CHANGED
        self.expect(changes, "changes that are not accepted")
        assert isinstance(value, ir.UpdateValue)
        target = value.update.target
        is_far = (
            isinstance(target, ir.ElementTarget)
            and target.array == name
            and isinstance(target.index, ir.Parameter)
            and target.index.role in far_roles(step.over)
        )
        fits = is_far and value.update.operation is combine and len(targets(functor)) == 1
        self.expect(fits, "a change of something else")
