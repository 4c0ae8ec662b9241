"""The rules of *Reads*: what a call may read of what other calls of its operator write."""

from __future__ import annotations

from gdsl.frontend.races.calls import Calls, Read, Write, WriteKind
from gdsl.frontend.races.closing import ConditionUse
from gdsl.frontend.races.report import Report, forbidden_read
from gdsl.frontend.races.terms import UNIT, Element, ScalarRead, Term
from gdsl.operations import ReduceOperation

_MONOTONE = (ReduceOperation.MIN, ReduceOperation.MAX, ReduceOperation.BIT_OR, ReduceOperation.BIT_AND)


def check_reads(calls: Calls, uses: dict[str, ConditionUse], report: Report) -> None:
    """Report each read of an element or scalar that another call may write, unless a rule allows it."""
    for read in calls.reads:
        if read.term.now or not conflicts(calls, read):
            continue
        if read.in_condition and read.name in uses:
            continue
        if not feeds_only_its_reduction(calls, read):
            closing = None
            if read.in_condition:
                closing = "`cond` may test it only where the write makes that test false for certain"
            forbidden_read(report, calls, read, _met_by(calls, read), closing)


def conflicts(calls: Calls, read: Read) -> bool:
    """Whether another call may write what `read` reads."""
    return read.index == UNIT or not (calls.single_writer(read.name) and calls.is_own(read.index))


def _met_by(calls: Calls, read: Read) -> Write:
    """The write to name in the message: one at another index if there is one."""
    writes = calls.written(read.name)
    return next((write for write in writes if write.index != read.index), writes[0])


def feeds_only_its_reduction(calls: Calls, read: Read) -> bool:
    """Rule (a): all writes are the same one of `min= max= |= &=`; the read feeds their operands and indices only."""
    writes = calls.written(read.name)
    operation = writes[0].operation
    if operation not in _MONOTONE or any(write.operation is not operation for write in writes):
        return False
    return not read.in_condition and not any(_uses(calls, term, read) for term in _elsewhere(calls, read.name))


def _elsewhere(calls: Calls, name: str) -> list[Term]:
    """All terms that have an effect, but the operands and indices of the writes to `name`."""
    terms = list(calls.loose)
    terms += [calls.accept] if calls.accept is not None else []
    for write in calls.writes:
        terms += [guard.term for guard in write.guards]
        if write.name != name or write.kind is not WriteKind.REDUCE:
            terms += [write.index, write.value, *([write.old] if write.old is not None else [])]
    return terms


def _uses(calls: Calls, term: Term, read: Read) -> bool:
    """Whether a term was made from a read, other than through the result of an update."""
    return any(isinstance(part, Element | ScalarRead) and part.read == read.term.read for part in calls.origins(term))
