"""What must hold where several GPUs lower labels in copies of their own (decided by
`label_copies`)."""

from __future__ import annotations

from gdsl.effects.access import Accesses
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain, ReduceOperation
from gdsl.plan.gpu_copies import uses_of
from gdsl.plan.nodes import Operation, Plan, Sweep
from gdsl.plan.walking import operations, sweeps_of
from gdsl.types import Type


def verify_labels(plan: Plan) -> None:
    """Raise `VerificationError` unless what is lowered in copies are labels on which no result depends, each of which
    some call of the operator gave, or that no call changed."""
    for operation in operations(plan):
        for sweep in sweeps_of(operation):
            if sweep.labels is not None:
                _verify(plan, operation, sweep)


def _verify(plan: Plan, operation: Operation, sweep: Sweep) -> None:
    expect = expecting(f"plan of {plan.program.name}: {operation.name}: labels in copies")
    step, labels = operation.step, sweep.labels
    assert labels is not None
    expect(plan.target.several_gpus and plan.target.fused, "one GPU has one copy")
    expect(not plan.program.graphs and operation.does is sweep and not operation.fused, "another kind of operator")
    is_loose = isinstance(step, ir.Advance) and step.loose and step.result is None
    expect(is_loose, "results depend on them")
    plain = sweep.is_plain and sweep.collect is None and not sweep.totals and sweep.skips is None
    expect(plain, "another kind of sweep")
    expect(sweep.merge is None and sweep.proposals is None and sweep.members.frontier is None, "another kind of sweep")
    assert isinstance(step, ir.Advance)
    array = next((each for each in plan.program.arrays if each.name == labels.array), None)
    single = array is not None and array.domain is Domain.VERTEX and array.count is None and array.type is Type.VERTEX
    expect(single and labels.array not in plan.swapped, "no labels")
    written = {access.name for access in Accesses(plan.program).of_step(step) if access.writes}
    functor = plan.program.edge_functor(step.functor)
    targets = [node for node in walk(functor.body) if isinstance(node, ir.Update)]
    lowers = all(each.operation is ReduceOperation.MIN for each in targets)
    expect(written == {labels.array} and bool(targets) and lowers, "something else is written")
    expect(operation.waits, "they are read before all are joined")
    uses = uses_of(plan)
    alone = uses[labels.copy] == {("replica" if labels.stays else "labels", labels.array)}
    expect(alone, "others fill the copy, too")
    if labels.packed is not None:
        expect(array is not None and isinstance(array.initial, ir.OwnId), "not labels from the beginning")
        expect(uses[labels.packed] == {("packed labels", "")}, "others fill the room for packed labels, too")
