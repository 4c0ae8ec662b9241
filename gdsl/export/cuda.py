"""The host code of a program that is exported as CUDA: what `gdsl.backends.cuda` does for a run, by the same plan."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.backends.cuda import plan_of
from gdsl.codegen.cuda.generate import generate_for_both_sides
from gdsl.codegen.cuda.generated import Generated
from gdsl.codegen.literals import memory_type_name
from gdsl.codegen.templates import render
from gdsl.export.checks import ChecksPrinter
from gdsl.export.cpu import param_value
from gdsl.export.results import COUNTS, GIVEN, result_text
from gdsl.export.sizes import size_text
from gdsl.export.walk import schedule_lines
from gdsl.ir import nodes as ir
from gdsl.plan import grids
from gdsl.plan.nodes import Plan
from gdsl.plan.storage import GRAPH, PROBLEM, RUN, Buffer, Cleared, Made, Role
from gdsl.plan.wide_pairs import exchanged_pairs
from gdsl.types import Type, Widths


@dataclass(frozen=True, slots=True)
class MemberText:
    """A member of the kernel's data: `value` is the caller's that it is, empty for what the run has itself."""

    name: str
    member: str
    type: str
    size: str
    value: str
    counted: str
    is_set: bool
    is_array: bool
    clear: bool


@dataclass(frozen=True, slots=True)
class Narrow:
    """On which graphs a grid is `few` blocks a multiprocessor: of fewer `edges` a vertex, and no list as long as
    `longest`."""

    few: int
    edges: int
    longest: int


def program_text(program: ir.Program, checks: ChecksPrinter) -> tuple[Generated, str]:
    """The generated text of `program`, and the host code that runs it."""
    plan = plan_of(program)
    made, members = generate_for_both_sides(plan, checks.widths)
    by_group = {group: [b for b in plan.buffers if b.group == group] for group in (GRAPH, PROBLEM, RUN)}
    work = [buffer for buffer in by_group[RUN] if buffer.role is not Role.TRACE]
    found = checks.interface.found
    host = render(
        "export",
        "host_cuda.cu.j2",
        name=program.name,
        kernels=made.kernels,
        threads=plan.sizes.block_threads,
        narrow=_narrow(plan),
        many=grids.MANY,
        parts=[_member(buffer, buffer.name, checks) for buffer in by_group[GRAPH]],
        listed=bool(plan.graphs),
        params=[_param(param, members[param.name], checks) for param in program.params],
        data=[_member(buffer, members[buffer.name], checks) for buffer in by_group[PROBLEM]],
        work=[each for buffer in work for each in _copies(buffer, checks)],
        schedule=schedule_lines(plan, made.kernels, members),
        moved=[members[name] for name in plan.swapped] if plan.target.fused else [],
        fused=plan.target.fused,
        results=[
            result_text(each, checks, checks.widths, f"found_{place}.get()", members[each.name])
            for place, each in enumerate(found)
        ],
        iterations=checks.interface.iterations,
        milliseconds=checks.interface.milliseconds,
    )
    return made, host


def architectures(program: ir.Program, widths: Widths) -> str:
    """The GPUs that a build is for unless somebody asks for others: those that have what the program needs."""
    has_wide = any(True for _ in exchanged_pairs(plan_of(program), widths))
    return "90" if has_wide else "80;90"


def _narrow(plan: Plan) -> Narrow | None:
    """What `grids.blocks_a_multiprocessor` asks of a graph; None where it does not matter."""
    if not (plan.target.fused and grids.searches(plan.program)):
        return None
    return Narrow(grids.FEW, grids.EDGES_A_VERTEX, grids.LONG_LIST)


def _param(param: ir.Param, member: str, checks: ChecksPrinter) -> MemberText:
    kind = f"gdsl::{param.type.name}" if param.type.is_id else "bool" if param.type is Type.BOOL else param.type.name
    return MemberText(param.name, member, kind, "1", param_value(param, checks), "", False, False, False)


def _copies(buffer: Buffer, checks: ChecksPrinter) -> list[MemberText]:
    if not buffer.copies:
        return [_member(buffer, buffer.name, checks)]
    return [_member(buffer, f"{buffer.name}[{place}]", checks) for place in range(buffer.copies)]


def _member(buffer: Buffer, member: str, checks: ChecksPrinter) -> MemberText:
    size = size_text(buffer.extent, checks.counts(COUNTS, GIVEN))
    kind = memory_type_name(buffer.element) if isinstance(buffer.element, Type) else buffer.element.name
    clear = buffer.cleared is Cleared.ZERO
    is_lookup = buffer.made is Made.CALLER or buffer.cleared is Cleared.GIVEN
    if buffer.group != PROBLEM or not is_lookup:
        return MemberText(buffer.name, member, kind, size, "", "", False, True, clear)
    given = checks.given[buffer.name]
    is_array = given.domain is not None
    return MemberText(buffer.name, member, kind, size, given.member, given.counted, given.is_set, is_array, False)
