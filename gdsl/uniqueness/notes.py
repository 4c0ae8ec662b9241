"""Writes that note down what other writes of the same call said."""

from __future__ import annotations

from gdsl.effects import Write
from gdsl.effects.terms import Operation
from gdsl.operations import ReduceOperation, UnaryOperation


def notes_any(note: Write, cause: Write) -> bool:
    """Whether `note` leaves nothing but whether some call got true from `cause`, however many did: `x |= changed(…)`,
    or with all turned round `x &= !changed(…)`."""
    if note.operation is ReduceOperation.BIT_OR:
        return note.value is cause.result
    value = note.value
    if not isinstance(value, Operation) or value.operation is not UnaryOperation.NOT:
        return False
    return note.operation is ReduceOperation.BIT_AND and value.arguments[0] is cause.result
