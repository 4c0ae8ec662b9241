"""The rules of *Writes*: why each plain store is allowed, and which writes may meet.

Calls run in any order and may be interleaved between any two of their reads and writes. An element has one answer where

1. only one call can write it, since its index is the call's own element or a ticket of the call: that call's writes
   happen in the order of its text;
2. every store puts the same value there: `same_value` shows that the value is a function of the index alone, of what
   all calls share and of elements that the operator does not write, and so are the conditions that choose between
   stores of different values; whichever calls store, in whichever order, the last store leaves that value;
3. the stores are under the success of one `cas` at that index that has a single winner (`shared_winners`); then only
   one call writes the element, as in 1.

Reductions of one kind commute. Writes of different kinds do not, so they may only meet in one call.
"""

from __future__ import annotations

from gdsl.effects.proof import Proof
from gdsl.effects.summary import Effects, Guard, Write, WriteKind, each
from gdsl.operations import ReduceOperation, StoreRule
from gdsl.rules.report import OTHER_INDEX, Report, differing_stores, mixed_writes, not_single
from gdsl.rules.same_value import differing_pair
from gdsl.rules.writers import Writers

_COMMUTING = {ReduceOperation.SUBTRACT: ReduceOperation.ADD}


def check_writes(effects: Effects, writers: Writers, report: Report) -> dict[int, StoreRule]:
    """The rule by which each plain store of the operator is allowed, by the identity of its node; what no rule allows
    is reported."""
    rules: dict[int, StoreRule] = {}
    for name in effects.written_names():
        writes = effects.written(name)
        single = writers.single(name) or writers.by_ticket(name)
        allowed = StoreRule.SINGLE_WRITER if single else _rule_of_meeting(effects, writers, writes, report)
        for write in writes:
            if write.kind is WriteKind.STORE:
                rules[id(write.node)] = allowed
            elif write.kind is WriteKind.ANY:
                rules[id(write.node)] = StoreRule.ANY_WINNER
    return rules


def _rule_of_meeting(effects: Effects, writers: Writers, writes: list[Write], report: Report) -> StoreRule:
    """The rule for plain stores into an array whose elements are addressed by several calls."""
    stores = [write for write in writes if write.kind is WriteKind.STORE]
    others = [write for write in writes if write.kind is not WriteKind.STORE]
    if not stores:
        clash = next((write for write in others if _group(write) is not _group(others[0])), None)
        if clash is not None:
            mixed_writes(report, effects, others[0], clash)
        return StoreRule.ANY_WINNER
    under_cas = all(winner(effects, store) is not None for store in stores)
    pair = differing_pair(effects, stores)
    if pair is not None and not under_cas and not all(writers.is_own(store.index) for store in stores):
        differing_stores(report, effects, *pair)
    elif others:
        mixed_writes(report, effects, stores[0], others[0])
    elif pair is not None and under_cas:
        _check_under_cas(effects, stores, report)
        return StoreRule.UNDER_CAS
    elif pair is not None:
        differing_stores(report, effects, *pair)
    return StoreRule.SAME_VALUE


def _group(write: Write) -> object:
    if write.kind is WriteKind.REDUCE and write.operation is not None:
        return _COMMUTING.get(write.operation, write.operation)
    return write.kind


# ---------------------------------------------------------------- rule 3


def winner(effects: Effects, write: Write) -> Write | None:
    """The `cas` whose success a statement requires, if any."""
    candidates = [candidate for guard in each(write.guard) if (candidate := won(effects, guard)) is not None]
    same_index = [cas for cas in candidates if cas.index is write.index]
    return next(iter(same_index or candidates), None)


def won(effects: Effects, guard: Guard) -> Write | None:
    """The `cas` whose success `guard` requires."""
    write = effects.write_of(guard.term) if guard.expected else None
    return write if write is not None and write.kind is WriteKind.CAS else None


def shared_winners(effects: Effects, cas: Write) -> str | None:
    """Why more than one call may win a `cas` at one element, in words; None where there is a single winner.

    The first success stores a value that is not the old one, all calls expect that same old value, and nothing else
    writes the array: so no later `cas` succeeds, in this call or in another.
    """
    assert cas.old is not None
    if any(write is not cas for write in effects.written(cas.name)):
        return f"something else in the operator writes `{cas.name}`, so the `cas` can succeed again"
    if not effects.determined(cas.old, cas.index):
        return "calls expect different old values, so the `cas` can succeed more than once"
    if not Proof().differ(cas.old, cas.value):
        return "the new value of the `cas` may be the old one, so it can succeed more than once"
    return None


def _check_under_cas(effects: Effects, stores: list[Write], report: Report) -> None:
    first = winner(effects, stores[0])
    for store in stores:
        cas = winner(effects, store)
        assert cas is not None and first is not None
        if cas.index is not store.index:
            not_single(report, effects, store, cas, OTHER_INDEX)
        elif cas is not first:
            not_single(report, effects, store, cas, "another store is under another `cas`")
        else:
            reason = shared_winners(effects, cas)
            mixed = any(write.kind is not WriteKind.CAS for write in effects.written(cas.name))
            if reason is not None and not mixed:  # a mixture has its own message
                not_single(report, effects, store, cas, reason)
