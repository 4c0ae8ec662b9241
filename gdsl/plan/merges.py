"""Pass `merges`: copies on each of several GPUs of what an operator changes at random, merged when it ends.

A push that does nothing but `accept changed(a[far] min= …)` (or `max=`, `|=`, `&=`) looks at an element for each edge,
and with two GPUs every other one is in the memory of the other, where random reads take three times as long and no
cache keeps them. So in a loop each GPU has a copy of `a`, filled before the first pass. It reads and changes its own
copy alone, and marks there what it has changed. After a barrier it goes through the marks of all GPUs, and reduces into
its own copy what the others have for each element that one of them has marked. One of the GPUs, in turns by the
element's id, also stores what is marked anywhere in `a` itself and puts it into the result; so all other steps read `a`
as if there were no copies.

**Why all copies are equal after each pass.**
They are at first. Let c be the value of an element before a pass, and c_g what GPU g has when all have come to the
barrier. The operation is associative, commutative and idempotent, so it is the greatest lower bound of an order, in
which each change falls: c_g ≤ c, and c_g = c unless g marked it, since a change marks. Let m be the reduction of all
c_g. If no GPU but g marked the element, m = c_g, which g keeps. Else g reads a value v_h of every other GPU h, which
may store what it has merged itself at that time: m ≤ v_h ≤ c_h, since a copy never rises and holds nothing but
reductions of some of the c_k. So the reduction of c_g and all v_h is m. The same value is stored in `a`, and it is what
a single array would have: the reduction of c and all operands.

**Why the operands are the same.**
An operator that does not read `a` otherwise computes the same operands as before. Whether an element is accepted is the
same, too: it is if m differs from c, whichever calls see that. Where operands read `a` at the near end, they may find
the value of before the pass, or a later one. On one GPU calls that run later see all that was changed before; here they
see only what their own GPU has changed. Monotone loops alone may read so: they end with the same values for any such
reads, as long as each change is followed by a visit that sees it (`gdsl.uniqueness.order`). A changed element is in the
result, and the next pass finds its merged value in every copy. Where members may be passed over (`work_order`) and
calls are handed the value of their member (`read_ahead`), a member is visited with the best value that any copy has at
that time, which saves visits and reads one element for each list from afar; where calls read it themselves, with that
of their own GPU. The value is stored for the member; if it is still the member's after merging, all edges were visited
with it.

**Where.**
In loops of the schedule that are in no other loop, since a copy is filled each time that one is entered; for operators
that are in every pass. No other step of the loop writes the array. Sums are left out: their copies would need what has
been added since the last pass.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.nodes import (
    Accept,
    Advance,
    Array,
    EdgeFunctor,
    ElementTarget,
    Parameter,
    Update,
    UpdateValue,
)
from gdsl.ir.traversal import all_steps, walk
from gdsl.operations import IDEMPOTENT, Domain, Outcome
from gdsl.passes.writers import far_roles
from gdsl.plan import nodes
from gdsl.plan.facts import Facts
from gdsl.plan.gpu_copies import copies_of
from gdsl.plan.hints import FewAsList
from gdsl.plan.sweep_nodes import Merge
from gdsl.plan.walking import with_blocks
from gdsl.types import WHOLE_WORDS

COPIED = nodes.Barrier("until each GPU has its copy", when=nodes.When.FIRST_PASS, within=nodes.Within.COPIED)
CHANGED = nodes.Barrier("until all copies are changed and marked")


def run(plan: nodes.Plan, facts: Facts) -> nodes.Plan:
    """`plan` with copies that are merged, where several GPUs run it. Graphs that are built have other vertices."""
    if not plan.target.several_gpus or plan.graphs:
        return plan

    def changed(step: nodes.Step) -> nodes.Step:
        if isinstance(step, nodes.Launch):
            return with_blocks(step, lambda block: tuple(map(changed, block)))
        return _with_merges(step, plan, facts) if isinstance(step, nodes.Loop) else step

    return dataclasses.replace(plan, schedule=tuple(map(changed, plan.schedule)))


def _with_merges(loop: nodes.Loop, plan: nodes.Plan, facts: Facts) -> nodes.Loop:
    """`loop` with the operators that merge. One array has one copy, and all have the same bitmaps."""
    merging = {place: found for place, step in enumerate(loop.body) if (found := _merge(step, loop, plan, facts))}
    first = copies_of(plan)
    body = list(loop.body)
    for number, (place, (array, reduction)) in enumerate(merging.items()):
        operation = body[place]
        assert isinstance(operation, nodes.Operation) and isinstance(operation.does, nodes.Sweep)
        hints = tuple(each for each in operation.does.hints if not isinstance(each, FewAsList))
        merge = Merge(array, reduction, first + number, first + len(merging))
        does = dataclasses.replace(operation.does, merge=merge, hints=hints)
        phases = with_copies(
            operation.body, (nodes.Work(nodes.Part.COPIED), COPIED), (CHANGED, nodes.Work(nodes.Part.MERGED))
        )
        body[place] = dataclasses.replace(operation, does=does, body=phases)
    return dataclasses.replace(loop, body=tuple(body))


def _merge(step: nodes.Step, loop: nodes.Loop, plan: nodes.Plan, facts: Facts) -> tuple[str, nodes.Reduction] | None:
    """The array whose copies an operator of `loop` may merge, and how; None where it may not."""
    if (
        not isinstance(step, nodes.Operation)
        or not isinstance(step.step, Advance)
        or not isinstance(step.does, nodes.Sweep)
    ):
        return None
    update = _only_update(facts.edge_functor(step.step), step.step)
    if step.fused or loop.order is not None or not _is_plain_push(step.does) or update is None:
        return None
    array = plan.program.array(update.target.array)  # type: ignore[union-attr]
    around = next(each for each in _loops(plan) if each.loop == loop.number)
    if not _suits(array, plan) or not _only_writer(step.step, array.name, around, facts):
        return None
    if not _reads_only_when_monotone(step.step, array.name, around, facts):
        return None
    return array.name, nodes.Reduction(update.operation, array.type)


def _is_plain_push(sweep: nodes.Sweep) -> bool:
    """Whether the sweep is a push into a queue whose marks say what has changed, and nothing else."""
    collect = sweep.collect
    marks = collect is not None and collect.dedup is nodes.Dedup.MARK and collect.form is nodes.Form.QUEUE
    return sweep.is_plain and sweep.own is None and marks and len(sweep.walks) == 1 and not sweep.totals


def _only_update(functor: EdgeFunctor, step: Advance) -> Update | None:
    """The update of an element at the far end, where a functor does nothing but accept what it changes by that."""
    statement = functor.body[0] if len(functor.body) == 1 else None
    value = statement.value if isinstance(statement, Accept) else None
    if not isinstance(value, UpdateValue) or value.outcome is not Outcome.CHANGED:
        return None
    target = value.update.target
    at_far_end = (
        isinstance(target, ElementTarget)
        and isinstance(target.index, Parameter)
        and target.index.role in far_roles(step.over)
    )
    return value.update if at_far_end and value.update.operation in IDEMPOTENT else None


def _suits(array: Array, plan: nodes.Plan) -> bool:
    plain = array.domain is Domain.VERTEX and array.count is None and array.type in WHOLE_WORDS
    return plain and not array.is_input and array.name not in plan.swapped


def _loops(plan: nodes.Plan) -> Iterator[ir.While | ir.Repeat]:
    return (each for each in walk(plan.program.schedule) if isinstance(each, (ir.While, ir.Repeat)))


def _only_writer(step: Advance, name: str, loop: ir.While | ir.Repeat, facts: Facts) -> bool:
    """Whether nothing else in the loop writes the array."""
    others = (each for each in all_steps(loop.body) if getattr(each, "site", None) != step.site)
    return not any(access.writes and access.name == name for each in others for access in facts.accesses.of_step(each))


def _reads_only_when_monotone(step: Advance, name: str, loop: ir.While | ir.Repeat, facts: Facts) -> bool:
    """Whether an operator reads the array in a monotone loop only."""
    reads = any(not access.writes and access.name == name for access in facts.accesses.of_step(step))
    return not reads or (isinstance(loop, ir.While) and loop.monotone)


def with_copies(
    body: tuple[nodes.Phase, ...],
    before: tuple[nodes.Phase, ...],
    after: tuple[nodes.Phase, ...],
    part: nodes.Part | None = None,
) -> tuple[nodes.Phase, ...]:
    """`body` with what is done with copies: `before` all work (or all from its `part` on), and `after` it, before what
    each thread holds is added up."""
    works = (place for place, each in enumerate(body) if isinstance(each, nodes.Work) and part in (None, each.part))
    first = next(works)
    rest = (
        phase for each in body[first:] for phase in ((*after, each) if each == nodes.Work(nodes.Part.HELD) else (each,))
    )
    return (*body[:first], *before, *rest)
