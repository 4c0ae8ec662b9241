"""What generation leaves behind, apart from how it is done: a program that is read from the cache needs no more."""

from __future__ import annotations

from gdsl.codegen.checks import CheckTable
from gdsl.plan.nodes import Plan
from gdsl.plan.storage import PROBLEM, Buffer, Made
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated program: its text, and what the host must know to run it beside the plan."""

    text: str
    checks: CheckTable
    """The computed indices, for messages."""


def data_buffers(plan: Plan) -> tuple[Buffer, ...]:
    """The buffers that the host hands over, in the order of its slots."""
    return tuple(buffer for buffer in plan.buffers if buffer.group == PROBLEM and buffer.made is not Made.PROGRAM)
