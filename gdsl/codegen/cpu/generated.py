"""What generation leaves behind, apart from how it is done: a program that is read from the cache needs no more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gdsl.codegen.checks import CheckTable
from gdsl.ir.program import Program
from gdsl.plan import structs_cpu
from gdsl.plan.storage import PROBLEM, Buffer, Made, Role, of_array, of_scalar
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

    def fits(self, program: Program) -> bool:
        """Whether the data of `program`, as given or as the passes leave it, have the buffers that they must have, and
        the parts are some of a graph."""
        known = {field.name for field in structs_cpu.GRAPH_SLICE.fields}
        if not known.issuperset(self.parts):
            return False
        if self._has_data_of(program):
            return True
        from gdsl.passes import pipelines  # few programs need them, and each start from the cache would pay

        return self._has_data_of(pipelines.apply(program, again=True))

    def _has_data_of(self, program: Program) -> bool:
        data = [*map(of_array, program.arrays), *map(of_scalar, program.scalars)]
        found = self.buffers[: len(data)]
        return len(found) == len(data) and all(
            replace(one, cleared=other.cleared) == other for one, other in zip(found, data, strict=True)
        )


def data_buffers(plan: Plan) -> tuple[Buffer, ...]:
    """The buffers that the host hands over, in the order of its slots."""
    return tuple(buffer for buffer in plan.buffers if buffer.group == PROBLEM and buffer.made is not Made.PROGRAM)


def graph_parts(plan: Plan) -> tuple[str, ...]:
    """The parts of the graph that the program reads."""
    return tuple(buffer.name for buffer in plan.buffers if buffer.role is Role.GRAPH)
