"""The rules of *Reads*: what a call may read of what other calls of its operator write.

A read may see the element before, between or after the writes of other calls. It is harmless where

- no other call writes the element (`Writers.sees_own`), so that the call reads its own writes in its own order;
- it is the test of a closing `cond`, whose rules say what may depend on it (`closing`);
- (a) it feeds nothing but the operand or index of the one monotone reduction that writes the array: what it then stores
  may differ within the operator, and `gdsl.uniqueness` says where the difference disappears;
- it says `now`, so that the result is marked instead.
"""

from __future__ import annotations

from enum import Enum

from gdsl.effects.summary import Effects, Read, Write, WriteKind, each
from gdsl.effects.terms import OfRead
from gdsl.operations import IDEMPOTENT
from gdsl.rules.closing import Closes
from gdsl.rules.report import Report, forbidden_read
from gdsl.rules.writers import Writers


class ReadRule(Enum):
    """Why a call may read what other calls of its operator write, in words."""

    NOW = "the program accepts any value from before or during the operator (`now`)"
    OWN = "no other call writes the element that it reads"
    CLOSING = "it is the test that the first write ends"
    OPERAND = "it only feeds the reduction that writes the array"


def read_rules(effects: Effects, writers: Writers, closings: list[Closes]) -> dict[int, ReadRule | None]:
    """By number of the read why it is allowed; None where no rule allows it."""
    closing = {closes.name for closes in closings}
    elsewhere: dict[str, int] = {}

    def rule_of(read: Read) -> ReadRule | None:
        if read.now:
            return ReadRule.NOW
        if writers.sees_own(read):
            return ReadRule.OWN
        if read.in_condition and read.name in closing:
            return ReadRule.CLOSING
        return ReadRule.OPERAND if _feeds_only_its_reduction(effects, read, elsewhere) else None

    return {number: rule_of(read) for number, read in effects.reads.items()}


def check_reads(effects: Effects, writers: Writers, closings: list[Closes], report: Report) -> None:
    """Report each read of an element or scalar that another call may write, unless a rule allows it."""
    for number, rule in read_rules(effects, writers, closings).items():
        if rule is None:
            read = effects.reads[number]
            forbidden_read(report, effects, read, _met_by(effects, read))


def _met_by(effects: Effects, read: Read) -> Write:
    """The write to name in the message: one at another index if there is one."""
    writes = effects.written(read.name)
    return next((write for write in writes if write.index is not read.index), writes[0])


def _feeds_only_its_reduction(effects: Effects, read: Read, elsewhere: dict[str, int]) -> bool:
    """Rule (a): all writes are the same one of `min= max= |= &=`; the read feeds their operands and indices only."""
    if read.in_condition:
        return False
    if read.name not in elsewhere:
        operations = {write.operation for write in effects.written(read.name)}
        monotone = len(operations) == 1 and operations <= set(IDEMPOTENT)
        elsewhere[read.name] = _depended_upon(effects, read.name) if monotone else -1
    return not elsewhere[read.name] & effects.terms.atoms.bit(OfRead(read.number))


def _depended_upon(effects: Effects, name: str) -> int:
    """The atoms of everything that has an effect, but the operands and indices of the writes to `name`."""
    atoms = effects.depends(*effects.exits, *effects.conjuncts)
    for term in (effects.accept, effects.value):
        atoms |= effects.depends(term) if term is not None else 0
    for write in effects.writes:
        for guard in each(write.guard):
            atoms |= effects.depends(guard.term)
        if write.name != name or write.kind is not WriteKind.REDUCE:
            atoms |= effects.depends(write.index, write.value, *([write.old] if write.old is not None else []))
    return atoms
