"""Programs, results and batches as HTML for notebooks."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gdsl.api.description import GRADES, Data, doubt_of, first_sentence
from gdsl.html import columns, folded, heading, page, table
from gdsl.operations import Grade
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.api.summary import Summary
    from gdsl.ir import nodes as ir

_AFTER_RUNTIME = "// ---- functors ----"
"""The text before it is long, and the same in most programs."""
_MOST_LINES = 600
_MOST_VALUES = 1 << 24
"""Values of all arrays together that figures are computed of: those on a GPU are copied first."""


@page
def program_page(program: ir.Program, arguments: Sequence[str], text: str, generated: Callable[[str], str]) -> str:
    """The text, the plan and the CUDA of a program. `generated` returns its text in a language."""
    from gdsl.backends.cuda import plan_of
    from gdsl.plan.printer import print_plan

    takes = ", ".join(arguments) or "nothing but a graph"
    parts = [
        folded("program", text.strip("\n"), True, _colored),
        folded("plan: what happens on a GPU", print_plan(plan_of(program)).strip("\n"), True),
        folded("CUDA, without the runtime", _functors(generated("cuda")), False),
    ]
    doc = first_sentence(program.doc)
    return f"<div>{heading(program.name, f'{doc} Takes {takes}.'.strip())}{columns(parts)}</div>"


def _colored(text: str) -> str:
    """A program with colors, if Pygments is there, as it is with IPython."""
    try:
        from gdsl.highlighting import colored
    except ImportError:
        return html.escape(text)
    return colored(text)


def _functors(text: str) -> str:
    start = max(text.find(_AFTER_RUNTIME), 0)
    lines = [line for line in text[start:].strip("\n").split("\n") if not line.startswith("#line")]
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"… {len(lines) - _MOST_LINES:,} more lines: program.source('cuda')"]
    return "\n".join(lines)


@page
def result_page(
    facts: str,
    sizes: Mapping[str, int],
    scalars: Mapping[str, Any],
    summaries: Callable[[], list[Summary]],
    declared: Mapping[str, Data],
) -> str:
    """The figures of every result, and how another run may differ. `facts` are about the run, `sizes` about
    arrays."""
    if sum(sizes.values()) > _MOST_VALUES:
        every = {**sizes, **dict.fromkeys(scalars, 1)}
        rows = [(name, f"{size:,}", _grade(declared, name)) for name, size in every.items()]
        return f"<div>{heading('Result', facts)}{table(('result', 'values', 'grade'), rows, left=(0, 2))}</div>"
    head = ("result", "type", "values", "minimum", "maximum", "mean", "apart", "grade")
    figures = [_row(summary, scalars, declared) for summary in summaries()]
    return f"<div>{heading('Result', facts)}{table(head, figures, left=(0, 1, 6, 7))}</div>"


@page
def batch_page(facts: str, values: Mapping[str, Any], declared: Mapping[str, Data]) -> str:
    """The shapes of the arrays of all runs, and how another run may differ. `facts` are about the runs."""
    rows = [
        (name, " × ".join(f"{length:,}" for length in each.shape), _grade(declared, name))
        for name, each in values.items()
    ]
    return f"<div>{heading('Batch', facts)}{table(('result', 'shape', 'grade'), rows, left=(0, 2))}</div>"


def _row(summary: Summary, scalars: Mapping[str, Any], declared: Mapping[str, Data]) -> tuple[str, ...]:
    """A row of the table. A scalar is shown as its value; a mean of ids has no meaning."""
    is_id = summary.type in (Type.VERTEX.name, Type.EDGE.name)
    shown: list[float | None] = [summary.minimum, summary.maximum, None if is_id else summary.mean]
    values = f"{summary.size:,}"
    if summary.name in scalars:
        shown, values = [None, None, None], f"= {scalars[summary.name]}"
    apart = ((summary.infinite, "inf"), (summary.lowest, "-inf"), (summary.nans, "nan"), (summary.nones, "none"))
    return (
        summary.name,
        summary.type,
        values,
        *map(_short, shown),
        ", ".join(f"{count:,} {name}" for count, name in apart if count),
        _grade(declared, summary.name),
    )


def _short(value: float | None) -> str:
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value)
    return f"{value:.6g}" if isinstance(value, float) else f"{value:,}"


def _grade(declared: Mapping[str, Data], name: str) -> str:
    """How another run may differ in the result, or the part of a pair, called `name`, in words."""
    data = declared.get(name) or declared[name.rpartition(".")[0]]
    words = GRADES[data.grade.value] or "the same on every run"
    doubt = doubt_of(data) if data.grade is Grade.NOT_UNIQUE else ""
    return f"{words}; {doubt}" if doubt else words
