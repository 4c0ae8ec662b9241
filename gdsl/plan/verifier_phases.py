"""What must hold of the phases of each operator: all of its work in order, and a barrier between any two phases of
which one touches what the other writes, scratch memory included."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import replace
from enum import Enum

from gdsl.ir.nodes import NeighborReduce
from gdsl.ir.verifier import VerificationError
from gdsl.operations import Balance, Domain
from gdsl.plan import nodes
from gdsl.plan.buffers import marked_domains
from gdsl.plan.contracts import CONTRACTS
from gdsl.plan.walking import cuts_lists, own_sweeps


class _Access(Enum):
    READS = "reads"
    WRITES = "writes"
    ADDS = "adds"
    """By atomics, which are in no order."""


_READS, _WRITES, _ADDS = _Access.READS, _Access.WRITES, _Access.ADDS
_CHUNKS, _BINS, _ACCEPTED = (each.value for each in nodes.Counter)
_SHARES, _VISITED, _MARKS = "running sums", "visited values", "marks"
_MIRRORS, _PROPOSALS, _PACKED = "copies on each GPU", "proposals", "packed labels"
_RESULTS, _STAGED, _BITMAP = "results", "results stored aside", "bitmap of the result"
_SHARED_SCRATCH = (_CHUNKS, _BINS, _SHARES, _PROPOSALS, _PACKED)
"""What the next operator writes again."""
_SOMETIMES = (nodes.When.LONG_LISTS, nodes.When.FIRST_PASS, nodes.When.MANY_EDGES)
_Accesses = tuple[tuple[str, _Access], ...]
_PACKING: dict[nodes.Part, _Accesses] = {
    nodes.Part.PACKED: ((_MIRRORS, _READS), (_PACKED, _WRITES)),
    nodes.Part.UNPACKED: ((_MIRRORS, _ADDS), (_PACKED, _READS)),
}


def verify_phases(plan: nodes.Plan) -> None:
    """Raise `gdsl.ir.verifier.VerificationError` unless each operator of a grid has the phases that it needs."""
    marks = plan.target.grid and bool(marked_domains(plan))
    for operation in own_sweeps(plan):
        for each in (*operation.fused, *((operation,) if not plan.target.grid else ())):
            _expect(not each.body, operation, "phases that nobody runs")
        if not plan.target.grid:
            continue
        if isinstance(operation.does, nodes.Choice):
            directions = operation.body[0] if len(operation.body) == 1 else None
            _expect(isinstance(directions, nodes.Directions), operation, "a switch between no phases")
            assert isinstance(directions, nodes.Directions)
            _verify(operation, operation.does.yes, directions.pull)
            _verify(operation, operation.does.no, directions.push)
            _expect(operation.waits, operation, "a switch that does not wait for its own end")
            continue
        first = operation.fused[0] if operation.fused else operation
        host = first if isinstance(first.does, nodes.Sweep) and first.does.segment is not None else operation
        assert isinstance(host.does, nodes.Sweep) and isinstance(operation.does, nodes.Sweep)
        _verify(operation, replace(host.does, collect=operation.does.collect), operation.body)
        _expect(plan.target.fused or operation.waits, operation, "a launch that does not wait for its own end")
        held = nodes.HoldMarks() in operation.body or not marks
        waits = any(isinstance(each, nodes.Barrier) and each.when is nodes.When.ALWAYS for each in operation.body)
        counts = _counts_walked(host.does)
        _expect(held or waits or not counts, operation, "marks that may still be cleared")


def _expect(holds: bool, operation: nodes.Operation, what: str) -> None:
    if not holds:
        raise VerificationError(f"plan: {operation.name}: {what}")


def _verify(operation: nodes.Operation, sweep: nodes.Sweep, body: tuple[nodes.Phase, ...]) -> None:
    work = [each for each in body if isinstance(each, nodes.Work)]
    fills = sum(isinstance(each, nodes.Mirror) for each in body)
    _expect(fills == (sweep.mirrors is not None), operation, "copies that are not filled once")
    late = _looks_late(body)
    _expect(work == list(_work(operation, sweep, late)), operation, "another order of work")
    alone = not (operation.fused or sweep.totals or len(sweep.walks) > 1) and sweep.collect is not None
    _expect(alone or not late, operation, "a result that is not complete before its chunks are visited")
    _expect(not any(isinstance(each, nodes.Directions) for each in body), operation, "a switch that there is not")
    _conversions(operation, sweep, body)
    traces = [place for place, each in enumerate(body) if isinstance(each, nodes.Trace)]
    rest = body[traces[0] + 1 :] if len(traces) == 1 else body
    _expect(
        all(isinstance(each, (nodes.Convert, nodes.HoldMarks)) for each in rest),
        operation,
        "a trace that is not the end",
    )
    for place, each in enumerate(body):
        if isinstance(each, nodes.Barrier):
            _contract(operation, sweep, body, place, each)
    for taken in itertools.product((False, True), repeat=len(_SOMETIMES)):
        occasions = {nodes.When.ALWAYS, *itertools.compress(_SOMETIMES, taken)}
        _flow(operation, sweep, body, occasions)


def _looks_late(body: tuple[nodes.Phase, ...]) -> bool:
    """Whether chunks are visited behind what may be the operator's end."""
    return any(isinstance(each, nodes.Barrier) and each.within is nodes.Within.CHUNKS_OR_RESULT for each in body)


def _work(operation: nodes.Operation, sweep: nodes.Sweep, late: bool) -> Iterator[nodes.Work]:
    """All that is to be done, in order."""
    walks = len(sweep.walks) if sweep.vote is None and sweep.walks else 1
    collect = sweep.collect
    if collect is not None and collect.form is nodes.Form.BITMAP and sweep.selection is None:
        yield nodes.Work(nodes.Part.EMPTIED)
    if sweep.merge is not None:
        yield nodes.Work(nodes.Part.COPIED)
    if sweep.proposals is not None:
        yield nodes.Work(nodes.Part.PROPOSED)
    if sweep.labels is not None and not sweep.labels.stays:
        yield nodes.Work(nodes.Part.LABELED)
    for walk in range(walks):
        yield from _of_walk(sweep, walk, late)
    if cuts_lists(sweep) and sweep.segment is not None and operation.fused:
        yield nodes.Work(nodes.Part.CHUNK_OWNERS, walks - 1)
    if sweep.merge is not None:
        yield nodes.Work(nodes.Part.MERGED)
    if sweep.proposals is not None:
        yield nodes.Work(nodes.Part.SETTLED)
    if sweep.labels is not None and sweep.labels.packed is not None:
        yield nodes.Work(nodes.Part.PACKED)
        yield nodes.Work(nodes.Part.UNPACKED)
    elif sweep.labels is not None:
        yield nodes.Work(nodes.Part.JOINED)
    yield nodes.Work(nodes.Part.HELD)
    if collect is not None and collect.dedup is nodes.Dedup.MARK:
        yield nodes.Work(nodes.Part.MARKS)
    if sweep.staging is not None:
        yield nodes.Work(nodes.Part.STAGED)


def _of_walk(sweep: nodes.Sweep, walk: int, late: bool) -> Iterator[nodes.Work]:
    """What is to be done for one walk; `late`: chunks when the rest is held no more."""
    if sweep.skips is not None:
        yield nodes.Work(nodes.Part.VISITS, walk)
    yield nodes.Work(nodes.Part.MEMBERS, walk)
    if late:
        yield nodes.Work(nodes.Part.HELD)
    if cuts_lists(sweep):
        yield nodes.Work(nodes.Part.CHUNKS, walk)


def _counts_walked(sweep: nodes.Sweep) -> bool:
    return sweep.segment is not None or sweep.edges is nodes.EdgeCount.WALKED


def _conversions(operation: nodes.Operation, sweep: nodes.Sweep, body: tuple[nodes.Phase, ...]) -> None:
    """Members have the form in which they are read, before anything is done, and so has the result of a pull."""
    form, conversions = sweep.members.form, [each for each in body if isinstance(each, nodes.Convert)]
    wanted = (
        [] if form is None or sweep.members.domain is Domain.EDGE or sweep.order is not None else [nodes.Convert(form)]
    )
    if isinstance(operation.step, NeighborReduce) or sweep.segment is not None:
        wanted = [
            nodes.Convert(each) for each in (nodes.Form.QUEUE, nodes.Form.BITMAP) if form in (each, nodes.Form.BITMAP)
        ]
    _expect(list(body[: len(wanted)]) == wanted, operation, "members in another form")
    of_result = sweep.selection is not None and sweep.collect is not None and sweep.collect.form is nodes.Form.QUEUE
    last = [nodes.Convert(nodes.Form.QUEUE, result=True)] if of_result else []
    _expect(
        conversions == [*wanted, *last] and list(body[-1:] if last else []) == last,
        operation,
        "a result in another form",
    )


def _contract(
    operation: nodes.Operation, sweep: nodes.Sweep, body: tuple[nodes.Phase, ...], place: int, barrier: nodes.Barrier
) -> None:
    """A barrier inside a function of the runtime is where that function is called, and as its contract says."""
    if barrier.within is None:
        cut = barrier.when is nodes.When.LONG_LISTS and sweep.segment is not None and cuts_lists(sweep)
        proposed = barrier.when is nodes.When.MANY_EDGES and sweep.proposals is not None
        plain = not barrier.publishes and (cut or proposed or barrier.when is nodes.When.ALWAYS)
        _expect(plain, operation, "a barrier that says more than it does")
        return
    contract = CONTRACTS[barrier.within]
    _expect(contract.admits(barrier), operation, "a barrier that the runtime does not have")
    at = place - 1 if contract.after else place + 1
    neighbor = body[at] if 0 <= at < len(body) else None
    fits = sweep.collect is not None if contract.part is None else isinstance(neighbor, nodes.Work)
    fits = fits and (contract.part is None or (isinstance(neighbor, nodes.Work) and neighbor.part is contract.part))
    _expect(fits, operation, "a barrier inside a function that is not called there")


def _flow(
    operation: nodes.Operation, sweep: nodes.Sweep, body: tuple[nodes.Phase, ...], occasions: Collection[nodes.When]
) -> None:
    """No two accesses since a barrier conflict, on one of the `occasions` that phases depend on."""
    since: set[tuple[str, _Access]] = set()
    known: set[nodes.Counter] = set()
    counted = False
    """Whether all edges walked are counted."""
    passed = False
    """Whether this is behind the first end of an operator that looks for chunks late."""
    for phase in body:
        if isinstance(phase, nodes.Barrier):
            passed = passed or phase.within is nodes.Within.CHUNKS_OR_RESULT
            if phase.when in occasions:
                known, counted = {*phase.publishes}, True
                if phase.within is nodes.Within.CHUNKS_OR_RESULT:  # one of them is of use
                    cut = nodes.When.LONG_LISTS in occasions
                    known -= {nodes.Counter.ACCEPTED if cut else nodes.Counter.CHUNKS}
                since = {(each.value, _READS) for each in known}
            continue
        if isinstance(phase, nodes.Work):
            again = passed and phase.part is nodes.Part.HELD
            if (nodes.When.LONG_LISTS if again else _when(phase)) not in occasions:
                continue
            missing = phase.part is nodes.Part.CHUNKS and nodes.Counter.CHUNKS not in known
            _expect(not missing, operation, "chunks that not all threads know")
            known -= {nodes.Counter.CHUNKS, nodes.Counter.BINS} if phase.part is nodes.Part.MEMBERS else set()
            counted = counted and phase.part not in (nodes.Part.MEMBERS, nodes.Part.CHUNKS)
        if isinstance(phase, nodes.Trace):
            counted = counted or not _counts_walked(sweep)
            fits = counted == (phase.counted is not None and phase.counted in occasions)
            _expect(fits, operation, "edges are traced before all are counted")
        for accesses in _accesses(phase, sweep):
            if accesses is None:
                since = set()
                continue
            accesses = tuple(each for each in accesses if each[0] != _CHUNKS or nodes.When.LONG_LISTS in occasions)
            for name, kind in accesses:
                meets = any((name, other) in since for other in _Access if _conflict(kind, other))
                _expect(not meets, operation, f"{name}: no barrier between two phases")
            since.update(accesses)
    left = {name for name, _ in since} & set(_SHARED_SCRATCH)
    _expect(not left, operation, f"{', '.join(sorted(left))}: may be overwritten while they are read")


def _conflict(one: _Access, other: _Access) -> bool:
    return _WRITES in (one, other) or one is not other


def _when(work: nodes.Work) -> nodes.When:
    if work.part in (nodes.Part.CHUNKS, nodes.Part.CHUNK_OWNERS):
        return nodes.When.LONG_LISTS
    if work.part in (nodes.Part.PROPOSED, nodes.Part.SETTLED):
        return nodes.When.MANY_EDGES
    return nodes.When.FIRST_PASS if work.part in (nodes.Part.VISITS, nodes.Part.COPIED) else nodes.When.ALWAYS


def _accesses(phase: nodes.Phase, sweep: nodes.Sweep) -> Iterator[_Accesses | None]:
    """What a phase touches that other threads touch, beside what the program's own functors do; None: a barrier that
    the runtime has inside."""
    if isinstance(phase, nodes.Mirror):
        yield ((_MIRRORS, _WRITES),)
    if isinstance(phase, nodes.ReadCounter):
        yield ((phase.counter.value, _READS),)
    if not isinstance(phase, nodes.Work):
        return
    staged, results = sweep.staging is not None, sweep.segment is not None or sweep.vote is not None
    target = _STAGED if staged else _RESULTS
    read: _Accesses = ((_RESULTS, _READS),) if staged else ()
    collected, copied = _collected_and_copied(sweep)
    match phase.part:
        case nodes.Part.COPIED | nodes.Part.PROPOSED | nodes.Part.LABELED:
            yield tuple((name, _WRITES) for name, _ in copied)
        case nodes.Part.MERGED | nodes.Part.SETTLED | nodes.Part.JOINED:
            yield (*((name, _READS) for name, _ in copied), *collected)
        case nodes.Part.PACKED | nodes.Part.UNPACKED:
            yield _PACKING[phase.part]
        case nodes.Part.EMPTIED:
            yield ((_BITMAP, _WRITES),)
        case nodes.Part.VISITS:
            yield ((_VISITED, _WRITES),)
        case nodes.Part.MEMBERS:
            counts: _Accesses = ((_CHUNKS, _ADDS),) if cuts_lists(sweep) else ()
            visits: _Accesses = ((_VISITED, _WRITES),) if sweep.skips is not None else ()
            yield from _shared_out(
                sweep, ((target, _WRITES),) if results else (), ((target, _ADDS),) if results else ()
            )
            yield (*read, *counts, *visits, *collected, *copied)
        case nodes.Part.CHUNKS:
            visits = ((_VISITED, _ADDS),) if sweep.skips is not None else ()
            yield ((_CHUNKS, _READS), *read, *visits, *collected, *copied, *(((target, _ADDS),) if results else ()))
        case nodes.Part.CHUNK_OWNERS:
            yield ((_CHUNKS, _READS), (target, _READS), *collected)
        case nodes.Part.HELD:
            yield collected
        case nodes.Part.STAGED:
            yield ((_STAGED, _READS), (_RESULTS, _WRITES))
        case nodes.Part.MARKS:
            yield ((_MARKS, _WRITES),)


def _collected_and_copied(sweep: nodes.Sweep) -> tuple[_Accesses, _Accesses]:
    """What a sweep touches where it collects an element, and what on its GPU alone, where it walks its lists."""
    collected: _Accesses = ((_ACCEPTED, _ADDS), (_MARKS, _ADDS), (_BITMAP, _ADDS)) if sweep.collect is not None else ()
    if sweep.merge is not None:  # nothing is collected but what is marked on any GPU
        return ((_ACCEPTED, _ADDS),), ((_MARKS, _ADDS), (_MIRRORS, _ADDS))
    if sweep.proposals is not None:
        return collected, ((_PROPOSALS, _ADDS),)
    if sweep.labels is not None:
        return collected, ((_MIRRORS, _ADDS),)
    return collected, ((_MIRRORS, _READS),) if sweep.mirrors is not None else ()


def _shared_out(sweep: nodes.Sweep, stored: _Accesses, added: _Accesses) -> Iterator[_Accesses | None]:
    """The ways to share edges that wait themselves. `stored`, `added`: how results are left, whole or in parts."""
    if sweep.sums_degrees:
        yield from (((_SHARES, _WRITES), *stored), None, ((_SHARES, _WRITES),), None, ((_SHARES, _READS), *added))
    elif sweep.balance is Balance.BINS:
        yield from (((_BINS, _ADDS),), None, ((_BINS, _READS), *stored))
    elif sweep.balance in (Balance.EDGES, Balance.MERGE) and stored:
        yield from (stored, None, added)
    else:
        yield stored
