"""Loops of a functor that wait for another call.

Calls need not run side by side, so a `while` that goes on until another call does something may never end. One whose
end depends on what other calls write must get on by itself: whenever another round follows, it has changed something
by a monotone reduction, `changed(x min= y)` and the like, which cannot happen forever.
"""

from __future__ import annotations

from gdsl.effects.atoms import OfRead, OfResult
from gdsl.effects.statements import both_true
from gdsl.effects.summary import Effects, Waiting
from gdsl.effects.terms import Term
from gdsl.operations import Outcome
from gdsl.rules.closing import IDEMPOTENT
from gdsl.rules.report import Report, waits_for_others
from gdsl.rules.writers import Writers


def check_waiting(effects: Effects, writers: Writers, report: Report) -> None:
    """Report each loop that may wait."""
    for loop in effects.loops:
        shared = _shared(effects, writers, loop)
        if shared is not None and not any(_gets_on(effects, loop, term) for term in loop.goes_on):
            waits_for_others(report, effects, loop.loop, shared)


def _shared(effects: Effects, writers: Writers, loop: Waiting) -> str | None:
    """The array or scalar that other calls write and that decides when the loop ends; None if there is none."""
    for atom in effects.terms.atoms.members(effects.depends(*loop.exits)):
        if not isinstance(atom, OfRead | OfResult) or atom.number not in loop.numbers:
            continue
        if isinstance(atom, OfRead):
            read = effects.reads[atom.number]
            if read.now and not writers.sees_own(read):
                return read.name
        else:
            name = effects.write_number(atom.number).name
            if not writers.single(name):
                return name
    return None


def _gets_on(effects: Effects, loop: Waiting, term: Term) -> bool:
    """Whether a bool that is true tells of a monotone change that this call made in the same round."""
    for part in both_true(term):
        write = effects.write_of(part)
        if write is None or write.number not in loop.numbers:
            continue
        if write.outcome is Outcome.CHANGED and write.operation in IDEMPOTENT:
            return True
    return False
