"""The rules of *Writes*: why each plain store is allowed, and which writes may meet."""

from __future__ import annotations

from gdsl.frontend.races.calls import Calls, Guard, Write, WriteKind
from gdsl.frontend.races.proof import differ
from gdsl.frontend.races.report import Report, differing_stores, mixed_writes, not_single
from gdsl.frontend.races.terms import PLACEHOLDER, Unknown, replace
from gdsl.operations import ReduceOperation, StoreRule
from gdsl.source import Span

_COMMUTING = {ReduceOperation.ADD: "add", ReduceOperation.SUBTRACT: "add"}


def check_writes(calls: Calls, report: Report) -> dict[Span, StoreRule]:
    """The rule by which each plain store of the operator is allowed; what no rule allows is reported."""
    rules: dict[Span, StoreRule] = {}
    for name in calls.written_names():
        writes = calls.written(name)
        if calls.single_writer(name):
            allowed = StoreRule.SINGLE_WRITER
        else:
            allowed = _rule_of_meeting(calls, writes, report)
        for write in writes:
            if write.kind is WriteKind.STORE:
                rules[write.span] = allowed
            elif write.kind is WriteKind.ANY:
                rules[write.span] = StoreRule.ANY_WINNER
    return rules


def _rule_of_meeting(calls: Calls, writes: list[Write], report: Report) -> StoreRule:
    """The rule for the plain stores into an array whose elements several calls address."""
    stores = [write for write in writes if write.kind is WriteKind.STORE]
    others = [write for write in writes if write.kind is not WriteKind.STORE]
    if not stores:
        clash = next((write for write in others if _group(write) != _group(others[0])), None)
        if clash is not None:
            mixed_writes(report, calls, others[0], clash)
        return StoreRule.ANY_WINNER
    under_cas = all(winner(calls, store) is not None for store in stores)
    pair = None if under_cas else differing_pair(calls, stores)
    if pair is not None and not all(calls.is_own(store.index) for store in stores):
        differing_stores(report, calls, *pair)
    elif others:
        mixed_writes(report, calls, stores[0], others[0])
    elif under_cas and differing_pair(calls, stores) is not None:
        _check_under_cas(calls, stores, report)
        return StoreRule.UNDER_CAS
    return StoreRule.SAME_VALUE


def _group(write: Write) -> object:
    if write.kind is WriteKind.REDUCE and write.operation is not None:
        return _COMMUTING.get(write.operation, write.operation)
    return write.kind


def differing_pair(calls: Calls, stores: list[Write]) -> tuple[Write, Write] | None:
    """Two stores (or one twice) that may put different values into one element; None where rule 2 holds."""
    for store in stores:
        if not calls.determined(store.value, store.index):
            return store, store
    first = stores[0]
    value = replace(first.value, first.index, PLACEHOLDER)
    for store in stores[1:]:
        if replace(store.value, store.index, PLACEHOLDER) != value:
            return first, store
    return None


def winner(calls: Calls, write: Write) -> Write | None:
    """The `cas` under whose success a statement stands; None if it stands under none."""
    candidates = [found for guard in write.guards if (found := won(calls, guard)) is not None]
    same_index = [cas for cas in candidates if cas.index == write.index]
    return next(iter(same_index or candidates), None)


def won(calls: Calls, guard: Guard) -> Write | None:
    """The `cas` whose success `guard` asks for."""
    if not guard.expected or not isinstance(guard.term, Unknown):
        return None
    write = calls.write_of(guard.term)
    return write if write is not None and write.kind is WriteKind.CAS else None


def shared_winners(calls: Calls, cas: Write) -> str | None:
    """Why more than one call may win a `cas` at one element, in words; None where there is a single winner."""
    assert cas.old is not None
    if any(write.result != cas.result for write in calls.written(cas.name)):
        return f"something else in the operator writes `{cas.name}`, so the `cas` can succeed again"
    if not calls.determined(cas.old, cas.index):
        return "calls expect different old values, so the `cas` can succeed more than once"
    if not differ(cas.old, cas.value):
        return "the new value of the `cas` may be the old one, so it can succeed more than once"
    return None


def _check_under_cas(calls: Calls, stores: list[Write], report: Report) -> None:
    first = winner(calls, stores[0])
    for store in stores:
        cas = winner(calls, store)
        assert cas is not None and first is not None
        if cas.index != store.index:
            not_single(report, calls, store, cas, "the `cas` is on another index")
        elif cas.result != first.result:
            not_single(report, calls, store, cas, "another store stands under another `cas`")
        else:
            reason = shared_winners(calls, cas)
            mixed = any(write.kind is not WriteKind.CAS for write in calls.written(cas.name))
            if reason is not None and not mixed:  # a mixture has its own message
                not_single(report, calls, store, cas, reason)
