"""Why an accepted program has no race, in words: the rule that allows each write."""

from __future__ import annotations

from gdsl.effects.summary import Write, WriteKind
from gdsl.operations import ReduceOperation, StoreRule
from gdsl.rules import Findings, JudgedOperator
from gdsl.rules.closing import IDEMPOTENT

_STORES = {
    StoreRule.SINGLE_WRITER: "one call writes each element",
    StoreRule.SAME_VALUE: "all calls that meet store the same value",
    StoreRule.UNDER_CAS: "only the call whose `cas` succeeds stores",
    StoreRule.ANY_WINNER: "one of the writers wins, and the program says so (`any=`)",
}


def reason_of_write(findings: Findings, judged: JudgedOperator, write: Write) -> str:
    """Why the calls of one operator that meet in this write do not conflict."""
    if judged.writers.single(write.name):
        return "each call writes its own element"
    if judged.writers.by_ticket(write.name):
        return "no two calls have the same index, a ticket of `fetch`"
    if write.kind is WriteKind.REDUCE:
        return _reason_of_reduction(write)
    if write.kind is WriteKind.CAS:
        return "one `cas` at a time changes the element"
    rule = StoreRule.ANY_WINNER if write.kind is WriteKind.ANY else findings.stores.get(id(write.node))
    return _STORES[rule or StoreRule.SAME_VALUE]


def _reason_of_reduction(write: Write) -> str:
    assert write.operation is not None
    if write.operation in IDEMPOTENT:
        return f"`{write.form}` gives the same in any order"
    if write.type.holds_float:
        return f"`{write.form}` of {write.type.name} is atomic, and its order only affects rounding"
    if write.operation is ReduceOperation.SUBTRACT:
        return "sums of integers are the same in any order"
    return f"`{write.form}` of integers gives the same in any order"
