"""The result of code generation; a program from the cache needs no other part of the generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdsl.codegen.checks import CheckTable
from gdsl.plan.storage import PROBLEM, Buffer, Made, Role
from gdsl.records import dataclass

if TYPE_CHECKING:
    from gdsl.plan.nodes import Plan


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated program: its text, and what the host must know to run it."""

    text: str
    checks: CheckTable
    """The computed indices, for messages."""
    buffers: tuple[Buffer, ...]
    """What the host hands over, in the order of its slots: arrays, scalars, and what else the plan has."""
    parts: tuple[str, ...]
    """The parts of the graph that are read."""


def data_buffers(plan: Plan) -> tuple[Buffer, ...]:
    """The buffers that the host hands over, in the order of its slots."""
    return tuple(buffer for buffer in plan.buffers if buffer.group == PROBLEM and buffer.made is not Made.PROGRAM)


def graph_parts(plan: Plan) -> tuple[str, ...]:
    """The parts of the graph that the program reads."""
    return tuple(buffer.name for buffer in plan.buffers if buffer.role is Role.GRAPH)
