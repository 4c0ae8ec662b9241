"""Pass `replicas`: arrays that each of several GPUs has whole, throughout the schedule.

A call that follows labels (`x[x[v]]`) reads elements anywhere, each after the one before. Roots have low ids, which one
GPU has, so nearly all such reads of the others are far. If everything that writes `x` allows it, each GPU has a whole
copy of `x`. Calls read the copy of their own GPU, and what they write goes to all copies. So bytes go over the link for
what is changed, not for what is read. The first GPU's copy of a result is the memory that the caller gets, so nothing
is stored when the schedule ends.

**Why this is one of the runs that the program allows.** After every barrier all copies are equal: they have the same
initial values, and each of the kinds of writes keeps them equal.

1. *A call's own member* (`compute` on all vertices, every write of `x` at the call's own vertex). One call alone writes
   the element. It changes the copy of its GPU, where it reads its own writes, and then stores the value in the others.
   Until the next barrier other calls read the value from before the operator or a later one. The rules allow a read of
   what another call writes only if it says `now` or feeds nothing but the monotone reduction of that array
   (`gdsl.rules.reads`), and for both any value from before the operator or written during it will do. (A read in a
   closing `cond` is of the call's own element here.) An element of one copy changes as its writer changes it, so
   what a waiting loop reads never goes back.
2. *Reductions anywhere* by one of `min=` and `max=`, with no outcome or `changed`. A call reduces the element in the
   copy of its GPU, and if that changes it, in all others. Let m be the reduction of the former value and all operands.
   An operand that changed some copy goes to all of them. One that changed none met a value at least as good, which was
   there before or goes to all copies as well. So each copy has m after the barrier, as a single array would.
   Reads are allowed for the same reasons as above. One thing differs: `changed` may be true for a call on each of two
   GPUs. But for each element it is true for some call if and only if the element changes. If it is true, the call found
   a value in a copy that was worse than its own, and the former value was no better. If the element changes, it is true
   for the first call that changes any copy. So answers may only go into one `bool` scalar by `|=`, which then says what
   it says in any order of calls: whether any element has changed.
3. *`join`* (`ForestWord.JOIN`), which needs former labels. The first GPU's copy decides: a call lowers the element
   there, and if that changes it, in all others. So every copy has the values of the first one, some of them later, and
   all have its last one after the barrier. What calls read elsewhere, and where nothing is changed, may be any former
   label (`gdsl.frontend.check.forests`).
4. *Labels that are lowered in copies* (`label_copies`): the smallest ones go to all copies where they are joined.
5. *Changes that are merged* (`merges`): all copies are equal when such an operator ends.
6. *Elements that the schedule stores*: a thread of each GPU does.

Operators of 4 and 5 need no fill any more, and store nothing besides. No condition of 1 to 3 is about one program; 2
leaves out `fetch`, whose answers tell the order of calls.

**Where.** Some operator changes copies of `x` that are merged, or one over all vertices or edges reaches elements of
`x` by an index that is not an end of its edge, as `x[x[v]]`: other arrays are read at the far ends of edges, which
`mirrors` is for.

**Packed labels.** Where labels are lowered, the copies would be joined by reading half of every other one, and storing
the smaller label wherever another copy has a larger one: nearly all labels would go over the link, as most vertices are
linked on one GPU alone, and by labels that are lowered later. So each GPU first follows the labels of its copy to their
roots. No result depends on which labels the operator leaves, as long as each is a vertex of the same component and not
above the former one (`Advance.loose`), and the label of a label is such a vertex. Then most labels are that of the
largest tree, or no other vertex at all, so few bits tell them: of each vertex whether its label is another vertex, and
whether it is another one than the smallest among 1,024. Only those labels that are neither are written out. Every GPU
reads what each of the others has packed, and takes the smaller labels into its copy: all copies are equal afterwards,
as each has the smallest labels of all.

That alone would lose links. Let one GPU have linked v to the smaller u, of which the other one knows nothing, and let
that one have linked v to w, smaller still. Then v gets w, and u stays where it is. So where two GPUs have other labels
of a vertex, of which neither is the vertex itself, one of them lowers the larger label's own label to the smaller one,
in all copies: by 2, with no outcome, and both are vertices of the same component.

What is packed is in a copy of its own, so labels stay as they are until they are read. If that many labels differ that
packing saves nothing, and for the vertices of the last, incomplete group, they are read from the copy itself, which
its GPU may have begun to join: it has the smallest labels of all in the end, too.

**Labels together.** A call that follows its own label to the root waits for it, then for the label of that. Once packed
labels have been joined, most are roots, or one step from them. So a thread reads those of several members, and the
labels of these, before it goes on with the first one (`LabelsTogether`, a hint). Where labels have not been followed
before, those that are read early are older, and ways get longer (docs/lab/journal.md): so one GPU does not.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.nodes import Array, Element, ElementTarget, Parameter, Role, element_index, is_parameter
from gdsl.ir.traversal import all_steps, walk
from gdsl.operations import EXTREMES, BinaryOperation, Domain, Forest, ForestWord, Outcome, ReduceOperation
from gdsl.passes.writers import written_arrays
from gdsl.plan.facts import Facts
from gdsl.plan.functor_facts import follows_own_labels
from gdsl.plan.gpu_copies import copies_of, uses_of
from gdsl.plan.hints import LabelsTogether
from gdsl.plan.label_copies import FILLED
from gdsl.plan.nodes import Barrier, Initialize, Mode, Operation, Part, Plan, Replica, Sweep, Variant, Work
from gdsl.plan.walking import map_operations, map_sweeps, operations, steps_in, sweeps, sweeps_of
from gdsl.types import WHOLE_WORDS, Type


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with arrays that each GPU has whole, where several GPUs run it."""
    target = plan.target
    if not target.several_gpus or not target.fused or plan.graphs or target.teams or target.instances:
        return plan
    found = [array for array in plan.program.arrays if _suits(array, plan) and _stays_equal(array.name, plan, facts)]
    if not found:
        return plan
    there = dict(_copies_that_stay(plan))
    numbers = itertools.count(copies_of(plan))
    replicas = tuple(
        Replica(array.name, there[array.name] if array.name in there else next(numbers)) for array in found
    )
    plan = dataclasses.replace(plan, replicas=replicas)
    packed = next(numbers)
    plan = map_sweeps(plan, lambda operation, sweep: _changed(operation, sweep, replicas, packed, facts))
    flat = {sweep.labels.array for sweep in sweeps(plan) if sweep.labels is not None and sweep.labels.stays}
    plan = map_sweeps(plan, lambda operation, sweep: _together(operation, sweep, flat, facts))
    return dataclasses.replace(plan, schedule=map_operations(plan.schedule, _with_packing))


def _copies_that_stay(plan: Plan) -> Iterator[tuple[str, int]]:
    """By array the copy that becomes a replica: of labels, or one that is merged and used for nothing else."""
    uses = uses_of(plan)
    for sweep in sweeps(plan):
        if sweep.labels is not None:
            yield sweep.labels.array, sweep.labels.copy
        if sweep.merge is not None and len(uses[sweep.merge.copy]) == 1:
            yield sweep.merge.array, sweep.merge.copy


# What suits


def _suits(array: Array, plan: Plan) -> bool:
    """Whether an array is one piece for each vertex, has initial values, and no operator copies it."""
    plain = array.domain is Domain.VERTEX and array.count is None and array.type in WHOLE_WORDS
    if not plain or array.is_input or array.name in plan.swapped:
        return False
    first = next(step for step in steps_in(plan.schedule) if isinstance(step, Initialize))
    begins = first.barrier is not None and any(each.name == array.name for each in first.vertex_arrays)
    copied = {name for sweep in sweeps(plan) if sweep.mirrors is not None for name in sweep.mirrors.arrays}
    return begins and array.name not in copied


def _stays_equal(name: str, plan: Plan, facts: Facts) -> bool:
    """Whether every step that writes an array keeps copies equal, and some operator merges it or follows its
    elements."""
    by_site = {each.step.site: each for each in operations(plan)}
    for step in all_steps(plan.program.schedule):
        if any(access.writes and access.name == name for access in facts.accesses.of_step(step)):
            operation = by_site.get(step.site) if isinstance(step, ir.Operator) else None
            stored = isinstance(step, ir.StoreElement)
            if not stored and (operation is None or not _keeps_equal(name, operation, facts)):
                return False
    merged = any(sweep.merge is not None and sweep.merge.array == name for sweep in sweeps(plan))
    return merged or any(_follows(name, each, facts) for each in by_site.values())


def _keeps_equal(name: str, operation: Operation, facts: Facts) -> bool:
    sweep, functor = operation.does, facts.accesses.functor_of(operation.step)
    if not isinstance(sweep, Sweep) or functor is None:
        return False
    for copied in (sweep.labels, sweep.merge):
        if copied is not None:
            return copied.array == name
    alone = sweep.skips is None and sweep.proposals is None
    if name not in written_arrays(functor) or not sweep.is_plain or not alone:
        return False
    if joins_alone(name, functor):
        return True
    return _writes_own(name, operation, functor) or reduces_anywhere(name, operation.step, functor)


def joins_alone(name: str, functor: ir.Functor) -> bool:
    """Whether all that a functor does with an array is to join sets of its labels."""
    join = Forest(ForestWord.JOIN, name)
    joins = [node for node in walk(functor.body) if isinstance(node, ir.Loop) and node.forest == join]
    inside = sum(_is_of(node, name) for loop in joins for node in walk(loop))
    return inside > 0 and inside == sum(_is_of(node, name) for node in walk(functor))


def _is_of(node: object, name: str) -> bool:
    return isinstance(node, (Element, ElementTarget)) and node.array == name


def _writes_own(name: str, operation: Operation, functor: ir.Functor) -> bool:
    """Whether calls write the elements of their own vertices alone, each vertex having one call."""
    everything = isinstance(operation.step, ir.Compute) and operation.step.frontier.everything
    return everything and isinstance(functor, ir.VertexFunctor) and writes_own(name, functor)


def writes_own(name: str, functor: ir.VertexFunctor) -> bool:
    """Whether a functor writes an array at its own vertex alone."""
    targets = [node for node in walk(functor.body) if isinstance(node, ElementTarget) and node.array == name]
    return bool(targets) and all(_is_own(each.index) for each in targets)


def _is_own(index: ir.Expression) -> bool:
    element = element_index(index)
    return is_parameter(element, Role.VERTEX)


def reduces_anywhere(name: str, step: ir.Operator, functor: ir.Functor) -> bool:
    """Whether calls only reduce elements of an array, by one of `min=` and `max=`, and answers of `changed` go into one
    scalar by `|=` and nowhere else."""
    closing = getattr(step, "closing", None)
    if closing is not None and closing.array == name:
        return False
    targets = [node for node in walk(functor.body) if isinstance(node, ElementTarget) and node.array == name]
    updates = [node for node in walk(functor.body) if isinstance(node, ir.Update) and _updates(node, name)]
    extremes = {each.operation for each in updates}
    one = len(extremes) == 1 and extremes <= set(EXTREMES) and not any(each.type.is_float for each in targets)
    if len(updates) != len(targets) or not one:
        return False
    if any(isinstance(node, Element) and node.array == name and not node.now for node in walk(functor.condition)):
        return False
    return _tell_one_scalar(name, functor)


def _tell_one_scalar(name: str, functor: ir.Functor) -> bool:
    """Whether every answer to an update of an array is `changed`, and used in nothing but `|=` of one bool scalar that
    no branch decides about: as its operand, or as an operand of `||` in it by way of a constant local."""
    asked = [node for node in walk(functor) if isinstance(node, ir.UpdateValue) and _updates(node.update, name)]
    ignored = [each.value for each in walk(functor.body) if isinstance(each, ir.Evaluate)]
    asked = [each for each in asked if not any(each is value for value in ignored)]
    lets = [each for each in functor.body if isinstance(each, ir.Let) and not each.mutable]
    named = {let.name for let in lets if any(let.value is each for each in asked)}
    feeds = [
        each
        for each in functor.body
        if isinstance(each, ir.Update)
        and isinstance(each.target, ir.ScalarTarget)
        and each.target.type is Type.BOOL
        and each.operation is ReduceOperation.BIT_OR
    ]
    parts = [(each.target.data, part) for each in feeds for part in alternatives(each.value)]
    by_local = [target for target, part in parts if isinstance(part, ir.Local) and part.name in named]
    directly = [each.target.data for each in feeds if any(each.value is one for one in asked)]
    uses = sum(isinstance(node, ir.Local) and node.name in named for node in walk(functor))
    held = sum(let.name in named for let in lets) + len(directly)
    plain = all(each.outcome is Outcome.CHANGED for each in asked) and held == len(asked)
    return plain and uses == len(by_local) and len({*by_local, *directly}) <= 1


def alternatives(value: ir.Expression) -> Iterator[ir.Expression]:
    """The operands of `||`, or a value itself."""
    if isinstance(value, ir.Binary) and value.operation is BinaryOperation.OR:
        yield from alternatives(value.left)
        yield from alternatives(value.right)
    elif isinstance(value, ir.Chain) and all(operation is BinaryOperation.OR for operation, _ in value.links):
        for each in (value.first, *(operand for _, operand in value.links)):
            yield from alternatives(each)
    else:
        yield value


def _updates(update: ir.Update, name: str) -> bool:
    return isinstance(update.target, ElementTarget) and update.target.array == name


def _follows(name: str, operation: Operation, facts: Facts) -> bool:
    """Whether an operator over everything reaches elements by an index that is no end of its edge."""
    step, functor = operation.step, facts.accesses.functor_of(operation.step)
    if functor is None or not step.frontier.everything:
        return False
    reached = (node for node in walk(functor) if isinstance(node, (Element, ElementTarget)) and node.array == name)
    return any(not isinstance(element_index(each.index), Parameter) for each in reached)


# The plan


PACKED = Barrier("until all labels are packed")


def _changed(operation: Operation, sweep: Sweep, replicas: tuple[Replica, ...], packed: int, facts: Facts) -> Sweep:
    """`sweep` of an operation, whose writes go to all copies. `packed`: the copy for packed labels."""
    functor = facts.accesses.functor_of(operation.step)
    names = {each.array for each in replicas} & (written_arrays(functor) if functor is not None else frozenset())
    if not names:
        return sweep
    if sweep.labels is not None:
        return dataclasses.replace(sweep, labels=dataclasses.replace(sweep.labels, packed=packed))
    if sweep.merge is not None:
        (copy,) = (each.copy for each in replicas if each.array == sweep.merge.array)
        return dataclasses.replace(sweep, merge=dataclasses.replace(sweep.merge, copy=copy, stays=True))
    assert functor is not None
    own = tuple(each.array for each in replicas if each.array in names and _writes_own(each.array, operation, functor))
    anywhere = frozenset(names - set(own))

    def written(variant: Variant) -> Variant:
        writes = tuple(
            dataclasses.replace(write, mode=Mode.EVERYWHERE) if write.name in anywhere else write
            for write in variant.writes
        )
        return dataclasses.replace(variant, writes=writes)

    walks = tuple(
        dataclasses.replace(
            each, variant=written(each.variant), shared=None if each.shared is None else written(each.shared)
        )
        for each in sweep.walks
    )
    alone = None if sweep.own is None else written(sweep.own)
    return dataclasses.replace(sweep, own=alone, walks=walks, published=own)


LABELS_TOGETHER = 4


def _together(operation: Operation, sweep: Sweep, flat: set[str], facts: Facts) -> Sweep:
    """`sweep`, whose calls follow labels of `flat`."""
    functor = facts.accesses.functor_of(operation.step)
    alone = len(sweep.published) == 1 and sweep.published[0] in flat and sweep.collect is None
    if not alone or functor is None or not follows_own_labels(sweep.published[0], functor):
        return sweep
    return sweep.with_hints(LabelsTogether(sweep.published[0], LABELS_TOGETHER))


def _with_packing(operation: Operation) -> Operation:
    """`operation`, which packs labels instead of joining them, if its copy of them is there already."""
    if not any(sweep.labels is not None and sweep.labels.stays for sweep in sweeps_of(operation)):
        return operation
    body = [each for each in operation.body if each not in (Work(Part.LABELED), FILLED)]
    joined = body.index(Work(Part.JOINED))
    body[joined : joined + 1] = [Work(Part.PACKED), PACKED, Work(Part.UNPACKED)]
    return dataclasses.replace(operation, body=tuple(body))
