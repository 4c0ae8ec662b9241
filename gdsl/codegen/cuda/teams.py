"""The text around a schedule that teams of blocks run for many values, and the structs that the host fills for it."""

from __future__ import annotations

import dataclasses

import numpy

from gdsl.codegen.names import Names
from gdsl.codegen.several import all_values
from gdsl.codegen.structs import checked_struct_text, element_dtype, struct_dtype
from gdsl.plan.nodes import Plan
from gdsl.plan.storage import RUN, Buffer, Field, Pointer, Struct
from gdsl.plan.teams import Teams
from gdsl.types import Type, Widths

ENACTOR = "enactor run(d.run, shared);"
_INLINE = "__device__ __forceinline__"


def value_struct(plan: Plan, widths: Widths) -> Struct:
    """The params of one value."""
    params = sorted(plan.program.params, key=lambda param: -element_dtype(param.type, widths).itemsize)
    fields = tuple(Field(param.name, param.type) for param in params)
    return Struct("value_params", fields, "The params of one of the values.")


def batch_struct(plan: Plan) -> Struct:
    """All values, and where what they and the teams have to themselves lies."""
    assert plan.teams is not None
    return Struct(
        "batch_slice",
        (
            Field("count", Type.UINT64, "values"),
            Field("next", Pointer("uint64"), "the first that no team has taken"),
            Field("values", Pointer("const value_params")),
            Field("record", Type.UINT64, "bytes from the record of a value to that of the next"),
            Field("zeros", Type.UINT64, "bytes from what a team has to what the next one has"),
            Field("room", Type.UINT64, "the same of what needs no zeros"),
            Field("rows", Type.UINT64, "of each array of rows: bytes of a row", max(len(plan.teams.rows), 1)),
        ),
        "What teams run for.",
    )


def struct_texts(plan: Plan, names: Names, widths: Widths) -> dict[str, str]:
    """The definitions of both."""
    params = value_struct(plan, widths)
    members = tuple(dataclasses.replace(field, name=names.member(field.name)) for field in params.fields)
    text = checked_struct_text(params, widths)
    for field, member in zip(params.fields, members, strict=True):
        text = text.replace(f" {field.name};", f" {member.name};")
    return {"value_params": text, "batch_slice": checked_struct_text(batch_struct(plan), widths)}


def dtypes(plan: Plan, widths: Widths) -> tuple[numpy.dtype[numpy.void], numpy.dtype[numpy.void]]:
    """Those of a value's params and of the batch."""
    return struct_dtype(value_struct(plan, widths), widths), struct_dtype(batch_struct(plan), widths)


def slice_text(plan: Plan, names: Names) -> str:
    """The function that finds what one value has."""
    assert plan.teams is not None
    lines = [
        "// What a value, and the team that runs for it, has of all.",
        f"{_INLINE} data_slice slice_of(const data_slice& problem, const batch_slice& batch, uint64 value) {{",
        "    data_slice d = problem;",
    ]
    for buffer in plan.buffers:
        step = _step(plan.teams, buffer)
        places = [f"[{place}]" for place in range(buffer.copies)] or [""]
        for place in places if step else ():
            own = f"d.run.{buffer.name}" if buffer.group == RUN else f"d.{names.member(buffer.name)}"
            lines.append(f"    move({own}{place}, {step});")
    for param in plan.program.params:
        member = names.member(param.name)
        lines.append(f"    d.{member} = batch.values[value].{member};")
    return "\n".join([*lines, "    return d;", "}"])


def _step(teams: Teams, buffer: Buffer) -> str:
    key = (buffer.group, buffer.name)
    if key in teams.rows:
        return f"value * batch.rows[{teams.rows.index(key)}]"
    steps = (
        (teams.records, "value * batch.record"),
        (teams.zeros, "blockIdx.y * batch.zeros"),
        (teams.rooms, "blockIdx.y * batch.room"),
    )
    return next((step for names, step in steps if key in names), "")


def value_text(lines: tuple[str, ...]) -> str:
    """The function that runs the schedule, whose `lines` these are, for one value and gives the next."""
    head = f"{_INLINE} uint64 run_value(const data_slice& problem, const batch_slice& batch, block_storage& shared) {{"
    comment = "// The whole schedule for one value. Gives the one that the team takes next."
    begun = lines.index(ENACTOR)
    kept = ("const uint64 polled_at = waits_for_others() ? shared.polled_at : 0;", ENACTOR)
    lines = (*lines[:begun], *kept, "if (waits_for_others()) { shared.polled_at = polled_at; }", *lines[begun + 1 :])
    return "\n".join([comment, head, *(f"    {line}" if line else "" for line in lines), "}"])


def lines_home(plan: Plan, names: Names) -> list[str]:
    """Statements that put what has changed places back where the host looks for it."""
    lines = ["synchronize(run);"] if plan.swapped else []
    arrays = {array.name: array for array in plan.program.arrays}
    groups: dict[str, list[str]] = {}
    for name in plan.swapped:
        length = all_values(arrays[name], names) if name in arrays else "1"
        groups.setdefault(length, []).append(names.member(name))
    for length, members in groups.items():
        moved = " || ".join(f"d.{member} != problem.{member}" for member in members)
        lines += [f"if ({moved}) {{", f"    each_id({length}, [&](uint64 i) {{"]
        lines += [f"        const auto own_{place} = d.{member}[i];" for place, member in enumerate(members)]
        lines += [f"        problem.{member}[i] = own_{place};" for place, member in enumerate(members)]
        lines += ["    });", "}"]
    return lines


KERNEL_LINES = (
    "if (waits_for_others()) { shared.polled_at = cycles(); }",
    "for (uint64 value = blockIdx.y; value < batch.count;) {",
    "    value = run_value(slice_of(problem, batch, value), batch, shared);",
    "}",
)
PARAMETERS = "const data_slice problem, const batch_slice batch"
LEAVE = "return leave_batch(run, batch);"
NEXT = "return next_value(run, batch);"
