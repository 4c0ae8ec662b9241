"""Programs, results and batches as a notebook shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gdsl.api.description import GRADES, doubt_of, first_sentence
from gdsl.backends.interface import parts_of
from gdsl.html import columns, folded, heading, page, table
from gdsl.operations import Grade
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.api.batch import Batch
    from gdsl.api.program import Program
    from gdsl.api.result import Result
    from gdsl.api.summary import Summary
    from gdsl.ir import nodes as ir

_BEHIND_THE_RUNTIME = "// ---- functors ----"
"""What comes before is the same in most programs, and long."""
_MOST_LINES = 600
_MOST_VALUES = 1 << 24
"""Values of all arrays together that are looked at for figures: on a GPU they have to come here first."""


@page
def program_page(program: Program) -> str:
    """The text, the plan and the CUDA of a program."""
    from gdsl.backends.cuda import plan_of
    from gdsl.plan.printer import print_plan

    takes = ", ".join((*program.params, *program.inputs)) or "nothing but a graph"
    parts = [
        folded("program", program.text.text.strip("\n"), True),
        folded("plan: what happens on a GPU", print_plan(plan_of(program.ir)).strip("\n"), True),
        folded("CUDA, without the runtime", _own_part(program.source("cuda")), False),
    ]
    doc = first_sentence(program.doc)
    return f"<div>{heading(program.name, f'{doc} Takes {takes}.'.strip())}{columns(parts)}</div>"


def _own_part(text: str) -> str:
    start = max(text.find(_BEHIND_THE_RUNTIME), 0)
    lines = [line for line in text[start:].strip("\n").split("\n") if not line.startswith("#line")]
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"… {len(lines) - _MOST_LINES:,} more lines: program.source('cuda')"]
    return "\n".join(lines)


@page
def result_page(result: Result) -> str:
    """The figures of every result, and what another run may give otherwise."""
    passes = f"{result.iterations:,} iteration{'' if result.iterations == 1 else 's'}"
    more = f"{passes} on {result.backend} in {result.time_ms:.3f} ms"
    if result.compile_ms >= 1:
        more += f", compiled in {result.compile_ms:.0f} ms"
    found = parts_of({**result.arrays, **result.scalars})
    if sum(getattr(values, "size", 1) for values in found.values()) > _MOST_VALUES:
        rows = [(name, f"{getattr(values, 'size', 1):,}", _grade(result, name)) for name, values in found.items()]
        return f"<div>{heading('Result', more)}{table(('result', 'values', 'grade'), rows, left=(0, 2))}</div>"
    head = ("result", "type", "values", "minimum", "maximum", "mean", "apart", "grade")
    figures = [_row(result, summary) for summary in result.summary()]
    return f"<div>{heading('Result', more)}{table(head, figures, left=(0, 1, 6, 7))}</div>"


@page
def batch_page(batch: Batch) -> str:
    """What the arrays of all runs are, and what another run may give otherwise."""
    declared = batch._runs.results.declared
    found = parts_of({name: batch[name] for name in batch.grade})
    rows = [(name, " × ".join(f"{length:,}" for length in found[name].shape), _told(declared, name)) for name in found]
    runs = f"{len(batch):,} run{'' if len(batch) == 1 else 's'}"
    more = f"{runs} on {batch.backend} in {batch.time_ms:.3f} ms: {batch.how}"
    return f"<div>{heading('Batch', more)}{table(('result', 'shape', 'grade'), rows, left=(0, 2))}</div>"


def _row(result: Result, summary: Summary) -> tuple[str, ...]:
    """A row of the table. A scalar is its value, and of ids no mean means anything."""
    is_id = summary.type in (Type.VERTEX.name, Type.EDGE.name)
    shown: list[float | None] = [summary.minimum, summary.maximum, None if is_id else summary.mean]
    values = f"{summary.size:,}"
    if summary.name in (numbers := result.numbers()):
        shown, values = [None, None, None], f"= {numbers[summary.name]}"
    apart = ((summary.infinite, "inf"), (summary.lowest, "-inf"), (summary.nans, "nan"), (summary.nones, "none"))
    return (
        summary.name,
        summary.type,
        values,
        *map(_short, shown),
        ", ".join(f"{count:,} {name}" for count, name in apart if count),
        _grade(result, summary.name),
    )


def _short(value: float | None) -> str:
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value)
    return f"{value:.6g}" if isinstance(value, float) else f"{value:,}"


def _grade(result: Result, name: str) -> str:
    return _told(result._declared, name)


def _told(declared: Mapping[str, ir.Array | ir.Scalar], name: str) -> str:
    """What another run may give of the result, or the part of a pair, called `name`, in words."""
    data = declared.get(name) or declared[name.rpartition(".")[0]]
    words = GRADES[data.grade.value] or "the same on every run"
    doubt = doubt_of(data) if data.grade is Grade.NOT_UNIQUE else ""
    return f"{words}; {doubt}" if doubt else words
