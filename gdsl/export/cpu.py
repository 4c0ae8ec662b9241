"""The host code of a program that is exported as C++."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.backends.cpu import plan_of
from gdsl.codegen.cpu.generate import generate
from gdsl.codegen.cpu.generated import Generated, data_buffers
from gdsl.codegen.literals import memory_type_name
from gdsl.codegen.templates import render
from gdsl.export.checks import ChecksPrinter
from gdsl.export.results import COUNTS, GIVEN, result_text
from gdsl.export.sizes import size_text
from gdsl.ir import nodes as ir
from gdsl.plan import structs_cpu
from gdsl.plan.storage import Buffer, Cleared, Made, Pointer
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class ListText:
    """A list of the graph that the program reads, and the type of its elements there."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class ParamText:
    """The slot of a param."""

    name: str
    type: str
    value: str


@dataclass(frozen=True, slots=True)
class DataText:
    """The slot of an array or a scalar: `value` is the caller's member, empty for what the run has itself."""

    name: str
    type: str
    size: str
    value: str
    given_type: str
    counted: str
    is_set: bool
    is_array: bool


def program_text(program: ir.Program, checks: ChecksPrinter) -> tuple[Generated, str]:
    """The generated text of `program`, whose functions nobody outside of its file sees."""
    plan = plan_of(program)
    made = generate(plan, checks.widths, linkage="static")
    buffers = data_buffers(plan)
    places = {buffer.name: place for place, buffer in enumerate(buffers)}
    found = checks.interface.found
    host = render(
        "export",
        "host_cpu.cpp.j2",
        name=program.name,
        graph_type="host_graph" if plan.graphs else "graph_slice",
        parts=_lists(made.parts),
        params=[_param(param, checks) for param in program.params],
        data=[_data(buffer, checks) for buffer in buffers],
        results=[result_text(each, checks, checks.widths, f"data[{places[each.name]}]") for each in found],
        iterations=checks.interface.iterations,
        milliseconds=checks.interface.milliseconds,
    )
    return made, host


def param_value(param: ir.Param, checks: ChecksPrinter) -> str:
    """The value of a param, the caller's or the one that was computed."""
    return checks.count_text(param.name, COUNTS, GIVEN)


def _lists(parts: tuple[str, ...]) -> list[ListText]:
    types = {field.name: field.type.to for field in structs_cpu.GRAPH_SLICE.fields if isinstance(field.type, Pointer)}
    return [ListText(name, types[name].removeprefix("const ")) for name in parts]


def _param(param: ir.Param, checks: ChecksPrinter) -> ParamText:
    return ParamText(param.name, param.type.name, param_value(param, checks))


def _data(buffer: Buffer, checks: ChecksPrinter) -> DataText:
    assert isinstance(buffer.element, Type)
    size = size_text(buffer.extent, checks.counts(COUNTS, GIVEN))
    element = memory_type_name(buffer.element)
    if buffer.made is Made.CALLER or buffer.cleared is Cleared.GIVEN:
        given = checks.given[buffer.name]
        is_array = given.domain is not None
        return DataText(buffer.name, element, size, given.member, given.c_type, given.counted, given.is_set, is_array)
    return DataText(buffer.name, element, size, "", "", "", False, True)
